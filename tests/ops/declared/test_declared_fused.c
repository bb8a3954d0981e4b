/* SPDX-License-Identifier: Apache-2.0 */
/* What may be fused in ops that files declare (oracles/theory.md, T143): products that are added
 * with their sign turned, or are one of two ways to compute a term, and those that are divided by
 * their own sum; and meanings with many numbers that a row shares. */
#include <math.h>

#include "tests/ops/declared/declared_file.h"

#define SIGNATURE "op a.b\nsummary s\ntypes f32\n"

/* A program of lists of f32, all of so many numbers. */
static case_t make_case(const declaration_t *declaration, int64_t count, arena_t *arena) {
  type_t list = type_make(element_named("f32"), 1, &count);
  program_t program = {.op = &declaration->op,
                       .operand_count = declaration->operand_count,
                       .result_count = 1,
                       .results = {list}};
  for (uint32_t i = 0; i < program.operand_count; i++) program.operands[i] = list;
  g_assert_null(program_broken(&program));
  return case_make(arena, &program);
}

static bool conforms(const case_t *instance, const char *contract, const float *result,
                     arena_t *arena) {
  contract_t parsed;
  failure_t error = {.text = ""};
  g_assert_cmpint(contract_parse(str_from(contract), &parsed, NULL), ==, STATUS_OK);
  tensor_t results[] = {tensor_make(arena, &instance->program.results[0])};
  size_t count = type_element_count(&results[0].type);
  memcpy(results[0].data, result, count * sizeof *result);
  const oracle_call_t call = {.instance = instance,
                              .contract = &parsed,
                              .results = results,
                              .arena = arena,
                              .error = &error};
  bool all = true;
  for (size_t i = 0; i < count; i++) {
    answer_t answer;
    const oracle_t *oracle = oracle_find(instance->program.op);
    g_assert_cmpint(oracle_decide_with_memo(oracle->decide, &call, 0, i, &answer), ==, STATUS_OK);
    all = all && answer.conforms;
  }
  return all;
}

/* 1 + 2^-11 less the square of 1 + 2^-12: the rounding of the product hides 2^-24. */
static void test_sums(gconstpointer data) {
  g_autofree char *text = g_strdup_printf(
      SIGNATURE "operand a[N]\noperand b[N]\noperand c[N]\nresult y[N]\n%s\n", (const char *)data);
  declaration_t *declaration = declare(text);
  arena_t arena;
  arena_init(&arena);
  const case_t instance = make_case(declaration, 1, &arena);
  const float factor = 1 + 0x1p-12f, added = 1 + 0x1p-11f, fused = -0x1p-24f, rounded = 0;
  const float *const operands[] = {&factor, &factor, &added};
  for (size_t i = 0; i < 3; i++) memcpy(instance.operands[i].data, operands[i], sizeof(float));
  const char *fuses = "backend,accum_wider=no", *rounds = "backend,accum_wider=no,fma=no";
  g_assert_true(conforms(&instance, fuses, &fused, &arena));
  g_assert_true(conforms(&instance, fuses, &rounded, &arena));
  g_assert_true(conforms(&instance, rounds, &rounded, &arena));
  g_assert_false(conforms(&instance, rounds, &fused, &arena));
  arena_deinit(&arena);
  release(declaration);
}

static const char *const sums[] = {
    "y = c - a * b",
    "y = -(a * b) + c",
    "y = c + -(-(-(a * b)))",
    "p = either(a * b, b * a)\ny = c - p",
    "p = either(-(a * b), a * -b)\ny = p + c",
};

/* Products divided by their sum, which a kernel makes of unrounded ones. */
static void test_shares(void) {
  enum { CASES = 3000, COUNT = 2 };
  declaration_t *declaration = declare(
      SIGNATURE "operand a[N]\noperand b[N]\nresult y[N]\np = a * b\ny = p / sum(p over N)\n");
  rng_t rng = rng_make(5);
  arena_t arena;
  arena_init(&arena);
  for (int i = 0; i < CASES; i++) {
    const case_t instance = make_case(declaration, COUNT, &arena);
    float a[COUNT], b[COUNT], y[COUNT];
    for (int k = 0; k < COUNT; k++) {
      a[k] = 1 + (float)rng_below(&rng, 1 << 14) * 0x1p-23f; /* Just above 1 most is rounded. */
      b[k] = 1 + (float)rng_below(&rng, 1 << 14) * 0x1p-23f;
    }
    float sum = fmaf(a[0], b[0], a[1] * b[1]), inverse = 1 / sum;
    bool divides = rng_one_in(&rng, 2);
    for (int k = 0; k < COUNT; k++) {
      float product = a[k] * b[k];
      y[k] = divides ? product / sum : product * inverse;
    }
    memcpy(instance.operands[0].data, a, sizeof a);
    memcpy(instance.operands[1].data, b, sizeof b);
    g_assert_true(conforms(&instance, "backend,accum_wider=no", y, &arena));
    arena_reset(&arena);
  }
  arena_deinit(&arena);
  release(declaration);
}

/* Inverse roots share five numbers each. */
static void test_many_shared(void) {
  GString *text =
      g_string_new(SIGNATURE "operand x[B..., N]\nresult y[B..., N]\ns0 = sum(x * x over N) + 1\n");
  enum { ROOTS = 30 };
  for (int i = 1; i <= ROOTS; i++) g_string_append_printf(text, "s%d = rsqrt(s%d)\n", i, i - 1);
  g_string_append_printf(text, "y = x * s%d\n", ROOTS);
  declaration_t *declaration = declare(text->str);
  rng_t rng = rng_make(6);
  arena_t arena;
  arena_init(&arena);
  for (int i = 0; i < 20; i++) {
    case_t instance = draw_valid_case(&rng, &declaration->op, 16, &arena);
    implementation_model_t model = schedule_plain();
    tensor_t results[] = {tensor_make(&arena, &instance.program.results[0])};
    failure_t error = {.text = ""};
    contract_t contract;
    g_assert_cmpint(contract_parse(str_from("wide"), &contract, NULL), ==, STATUS_OK);
    const oracle_call_t call = {.instance = &instance,
                                .contract = &contract,
                                .results = results,
                                .arena = &arena,
                                .error = &error};
    const oracle_t *oracle = oracle_find(&declaration->op);
    g_assert_cmpint(oracle->simulate(&call, &model, results), ==, STATUS_OK);
    row_answer_t answer = {.agrees = true};
    if (oracle->explain_rows != NULL) oracle->explain_rows(&call, &answer);
    g_assert_true(answer.agrees);
    arena_reset(&arena);
  }
  arena_deinit(&arena);
  release(declaration);
  g_string_free(text, TRUE);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(sums); i++) {
    g_autofree char *path = g_strdup_printf("/declared_fused/sums/%zu", i);
    g_test_add_data_func(path, sums[i], test_sums);
  }
  g_test_add_func("/declared_fused/shares", test_shares);
  g_test_add_func("/declared_fused/many_shared", test_many_shared);
  return g_test_run();
}
