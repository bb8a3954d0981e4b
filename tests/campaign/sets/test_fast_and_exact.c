/* SPDX-License-Identifier: Apache-2.0 */
/* The two sides of the oracle against each other, over every op: whatever the fast side accepts,
 * the exact side accepts (accept.h), and its numbers are those of MPFR.  Every component of
 * thousands of drawn cases, under several contracts; tests/nightly/sides draws more. */
#include <glib.h>
#include <stdlib.h>

#include "harness/gen/gen.h"
#include "oracles/oracle.h"

/* The sanitizers' build looks for other faults, which fewer programs show as well. */
#ifdef ASSAY_SANITIZE
enum { PROGRAMS = 30 };
#else
enum { PROGRAMS = 200 };
#endif
enum { COMPONENTS_MAX = 64 };

static const char *const contracts[] = {
    "backend",
    "spec",
    "backend,init_count=1",
    "backend,ftz=both,zero_sign=any",
    "spec,order=any",
    "backend,accum_rounding=rz,integer_overflow=saturate",
    "wide,init_count=few",
    "spec,ftz=inputs",
    "backend,ftz=outputs,shared=once",
};

static uint64_t environment_number(const char *name, uint64_t otherwise) {
  const char *text = g_getenv(name);
  return text == NULL ? otherwise : strtoull(text, NULL, 10);
}

static void audit_case(const case_t *instance, const contract_t *contract, arena_t *arena,
                       size_t *audited) {
  const oracle_t *oracle = oracle_find(instance->program.op);
  accept_t accepts[CASE_RESULTS_MAX];
  failure_t error;
  const oracle_call_t call = {
      .instance = instance, .contract = contract, .arena = arena, .error = &error};
  status_t status = oracle->accept(&call, accepts);
  if (status == STATUS_UNSUPPORTED) return;
  g_assert_cmpint(status, ==, STATUS_OK);
  for (uint32_t result = 0; result < instance->program.result_count; result++) {
    size_t count = MIN(accepts[result].count, (size_t)COMPONENTS_MAX);
    g_assert_cmpuint(accepts[result].count, ==,
                     type_component_count(&instance->program.results[result]));
    for (size_t component = 0; component < count; component++) {
      arena_mark_t mark = arena_mark(arena);
      const oracle_call_t audit_call = {
          .instance = instance, .contract = contract, .arena = arena, .error = &error};
      status = oracle->audit(&audit_call, accepts, result, component);
      if (status != STATUS_OK) {
        GString *line = g_string_new(NULL);
        case_print(instance, line);
        g_string_append(line, ", contract ");
        contract_print_short(contract, line);
        g_test_message("%s: %s", line->str, error.text);
        g_string_free(line, TRUE);
        g_test_fail();
      }
      *audited += accepts[result].decide == NULL || accepts[result].decide[component] == 0;
      arena_rewind(arena, mark);
    }
  }
}

static void test_fast_within_exact(gconstpointer data) {
  const op_t *op = data;
  gen_options_t options = gen_options_default();
  options.invalid_one_in = 0;
  options.limits.elements_max = 512;
  options.limits.terms_max = 64;
  const uint64_t programs = environment_number("ASSAY_SIDES_PROGRAMS", PROGRAMS);
  rng_t rng = rng_make(environment_number("ASSAY_SIDES_SEED", 20261121));
  arena_t arena;
  arena_init(&arena);
  size_t audited = 0;
  for (size_t i = 0; i < programs; i++) {
    arena_reset(&arena);
    program_t program;
    const char *broken;
    gen_program(&rng, op, &options, &arena, &program, &broken);
    case_t instance = case_make(&arena, &program);
    gen_data(&rng, &instance);
    contract_t contract;
    const char *text = contracts[i % G_N_ELEMENTS(contracts)];
    g_assert_cmpint(contract_parse(str_from(text), &contract, NULL), ==, STATUS_OK);
    audit_case(&instance, &contract, &arena, &audited);
  }
  arena_deinit(&arena);
  g_test_message("%s: %zu components audited", op->name, audited);
  g_assert_cmpuint(audited, >, programs * 2 / 3);
}

/* Programs that drawing meets in one of some thousand cases. */
static void test_rare(void) {
  static const struct {
    const char *contract;
    const char *line;
  } rare[] = {
      /* The left pair is larger, and the right one too if the subnormal number is flushed. */
      {"ftz=both",
       "stablehlo.maximum complex<f32>[1] complex<f32>[1] -> complex<f32>[1] : "
       "000000013f800000 : 0000000040000000"},
      /* One product, -2^128: infinite, and not the largest number, which a bound would leave. */
      {"backend",
       "stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[1,3] f32[3,1] -> "
       "f32[1,1] : 400000000000000000000000 : ff0000003f8000003f800000"},
      {"backend",
       "stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[1,9] f32[9,1] -> "
       "f32[1,1] : 400000000000000000000000000000000000000000000000000000000000000000000"
       "000 : ff0000003f8000003f8000003f8000003f8000003f8000003f8000003f8000003f800000"},
  };
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(rare); i++) {
    arena_reset(&arena);
    case_t instance;
    contract_t contract;
    g_assert_cmpint(case_parse(str_from(rare[i].line), &arena, &instance, NULL, NULL), ==,
                    STATUS_OK);
    g_assert_cmpint(contract_parse(str_from(rare[i].contract), &contract, NULL), ==, STATUS_OK);
    size_t audited = 0; /* None where the fast side leaves all to the exact one. */
    audit_case(&instance, &contract, &arena, &audited);
  }
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_func("/fast-within-exact/rare", test_rare);
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    char *path = g_strdup_printf("/fast-within-exact/%s", (*op)->name);
    g_test_add_data_func(path, *op, test_fast_within_exact);
    g_free(path);
  }
  return g_test_run();
}
