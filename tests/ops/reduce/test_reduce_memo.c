/* SPDX-License-Identifier: Apache-2.0 */
/* What a reduce keeps in a memo from one question to the next changes no answer: drawn cases, under
 * contracts that take turns, asked with one memo and with none. */
#include <glib.h>
#include <string.h>

#include "harness/gen/gen.h"
#include "oracles/oracle.h"

#ifdef ASSAY_SANITIZE
enum { CASES = 30 };
#else
enum { CASES = 120 };
#endif
enum { QUESTIONS = 12 };

/* Quantized reductions of 8 bits, among others by products, with initial values that say much. */
static const char *const lines[] = {
    "stablehlo.reduce body=multiply dims=[1] !quant.uniform<i8:f32,0x1.9p-1:3>[2,5] "
    "!quant.uniform<i8:f32,0x1.9p-1:3>[] -> !quant.uniform<i8:f32,0x1.9p-1:3>[2]",
    "stablehlo.reduce body=add dims=[1] !quant.uniform<i8:f32,0x1.99p-4:3>[3,4] "
    "!quant.uniform<i8:f32,0x1.99p-4:3>[] -> !quant.uniform<i8:f32,0x1.99p-4:3>[3]",
    "stablehlo.reduce body=add dims=[1] !quant.uniform<i8:bf16,0x1.98p-4:3>[2,6] "
    "!quant.uniform<i8:bf16,0x1.98p-4:3>[] -> !quant.uniform<i8:bf16,0x1.98p-4:3>[2]"};

static contract_t contract_of(const char *text) {
  contract_t contract;
  failure_t error = {0};
  if (contract_parse(str_from(text), &contract, &error) != STATUS_OK) g_error("%s", error.text);
  return contract;
}

static void assert_alike(const answer_t *a, const answer_t *b) {
  g_assert_cmpint(a->conforms, ==, b->conforms);
  g_assert_cmpint(a->is_vacuous, ==, b->is_vacuous);
  g_assert_cmpstr(a->observed, ==, b->observed);
  g_assert_cmpstr(a->expected, ==, b->expected);
}

/* Of random patterns, and of those near to what a model gives. */
static void ask(const case_t *instance, rng_t *rng, arena_t *arena, size_t *inout_asked) {
  const contract_t contracts[] = {contract_of("backend"), contract_of("spec"),
                                  contract_of("backend,rescale=float"),
                                  contract_of("spec,init_count=1")};
  const program_t *program = &instance->program;
  const oracle_t *oracle = oracle_find(program->op);
  tensor_t results[CASE_RESULTS_MAX];
  failure_t error = {0};
  decision_memo_t memo;
  decision_memo_init(&memo);
  oracle_call_t call = {.instance = instance, .results = results, .arena = arena, .error = &error};
  for (uint32_t i = 0; i < program->result_count; i++) {
    results[i] = tensor_make(arena, &program->results[i]);
    if (type_bytes(&results[i].type) > 0) memset(results[i].data, 0, type_bytes(&results[i].type));
  }
  const implementation_model_t plain = schedule_plain();
  if (oracle->simulate(&call, &plain, results) != STATUS_OK) return;
  const element_t *element = results[0].type.element;
  const size_t count = type_component_count(&results[0].type);
  for (size_t i = 0; i < QUESTIONS && count > 0; i++) {
    size_t component = rng_below(rng, count);
    uint64_t bits = element_load(element, results[0].data, component);
    bits = rng_one_in(rng, 3) ? rng_bits(rng) : bits + rng_below(rng, 5) - 2;
    element_store(element, results[0].data, component, bits & element_mask(element));
    call.contract = &contracts[rng_below(rng, G_N_ELEMENTS(contracts))];
    if (program_broken_under(program, NULL, call.contract) != NULL) continue;
    answer_t remembered = {.conforms = false}, answer = {.conforms = false};
    call.memo = &memo;
    status_t status = oracle->decide(&call, 0, component, &remembered);
    call.memo = NULL;
    g_assert_cmpint(oracle->decide(&call, 0, component, &answer), ==, status);
    if (status == STATUS_OK) assert_alike(&remembered, &answer);
    *inout_asked += status == STATUS_OK;
  }
  decision_memo_deinit(&memo);
}

static void test_lines(void) {
  rng_t rng = rng_make(291);
  size_t asked = 0;
  for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
    for (size_t k = 0; k < 3; k++) {
      arena_t arena;
      arena_init(&arena);
      failure_t error = {0};
      program_t program;
      if (program_parse(str_from(lines[i]), &arena, &program, NULL, &error) != STATUS_OK)
        g_error("%s: %s", lines[i], error.text);
      case_t instance = case_make(&arena, &program);
      gen_data_in_stratum(&rng, STRATUM_deployment, &instance);
      ask(&instance, &rng, &arena, &asked);
      arena_deinit(&arena);
    }
  }
  g_assert_cmpuint(asked, >, 50);
}

static void test_drawn(void) {
  rng_t rng = rng_make(7);
  size_t asked = 0;
  const op_t *op = op_find(str_from("stablehlo.reduce"));
  const contract_t backend = contract_of("backend");
  for (size_t i = 0; i < CASES; i++) {
    arena_t arena;
    arena_init(&arena);
    gen_options_t gen = gen_options_default();
    gen.contract = &backend;
    gen.invalid_one_in = 0;
    program_t program;
    const char *broken;
    gen_program(&rng, op, &gen, &arena, &program, &broken);
    case_t instance = case_make(&arena, &program);
    gen_data_in_stratum(&rng, STRATUM_corner, &instance);
    ask(&instance, &rng, &arena, &asked);
    arena_deinit(&arena);
  }
  g_test_message("%zu answers", asked);
  g_assert_cmpuint(asked, >, CASES);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/reduce_memo/lines", test_lines);
  g_test_add_func("/reduce_memo/drawn", test_drawn);
  return g_test_run();
}
