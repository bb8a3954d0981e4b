/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a number conforms does not depend on which formula is tried first
 * (oracle_call_t.is_any_way), and nor does how far it is from the exact value. */
#include <glib.h>

#include "harness/base/rng.h"
#include "oracles/composite/composite.h"
#include "oracles/oracle.h"

enum { CASES = 30 };

static const char *const lines[] = {
    "byteir.softmax axis=1 bf16[3,7] -> bf16[3,7]",
    "byteir.layer_norm epsilon=0x1p-17 axis=[1] f16[3,7] f16[7] f16[7] -> f16[3,7]",
    "byteir.layer_norm epsilon=0x1p-17 axis=[1] bf16[3,7] bf16[7] bf16[7] -> bf16[3,7]",
    "byteir.l2_norm epsilon=0x1p-40 axis=[1] f32[3,7] -> f32[3,7]",
    "byteir.gelu approximate=none bf16[9] -> bf16[9]",
};

static case_t make_case(const char *line, rng_t *rng, arena_t *arena) {
  case_t instance = {0};
  failure_t error;
  status_t status = program_parse(str_from(line), arena, &instance.program, NULL, &error);
  g_assert_cmpint(status, ==, STATUS_OK);
  for (uint32_t i = 0; i < instance.program.operand_count; i++) {
    tensor_t *tensor = &instance.operands[i];
    *tensor = tensor_make(arena, &instance.program.operands[i]);
    for (size_t n = 0; n < type_element_count(&tensor->type); n++) {
      double value = (double)rng_between(rng, -64, 64) / 16;
      element_store(tensor->type.element, tensor->data, n,
                    format_from_double(tensor->type.element->format, value));
    }
  }
  return instance;
}

/* Zero; what is right, nearly; and numbers on both sides of that, near and farther away. */
static uint64_t draw_result(rng_t *rng, const format_t *format, double reference) {
  uint64_t bits = format_from_double(format, reference);
  uint64_t steps = rng_below(rng, 1 + (UINT64_C(1) << rng_below(rng, 12)));
  bool is_up = rng_one_in(rng, 2);
  if (rng_one_in(rng, 4)) return 0;
  for (uint64_t i = 0; i < steps; i++) {
    bits = is_up ? format_next_up(format, bits) : format_next_down(format, bits);
  }
  return bits;
}

typedef struct counts {
  size_t right, wrong;
} counts_t;

static void check_component(const oracle_call_t *call, uint32_t result, size_t component,
                            counts_t *inout_counts) {
  answer_t answers[2];
  for (int is_any_way = 0; is_any_way < 2; is_any_way++) {
    decision_memo_t memo;
    decision_memo_init(&memo);
    oracle_call_t asking = *call;
    asking.memo = &memo;
    asking.is_any_way = is_any_way != 0;
    status_t status = composite_decide(&asking, result, component, &answers[is_any_way]);
    g_assert_cmpint(status, ==, STATUS_OK);
    decision_memo_deinit(&memo);
  }
  g_assert_true(answers[0].conforms == answers[1].conforms);
  g_assert_true(answers[0].has_reference == answers[1].has_reference);
  g_assert_cmpfloat(answers[0].ulp_error, ==, answers[1].ulp_error);
  *(answers[0].conforms ? &inout_counts->right : &inout_counts->wrong) += 1;
}

static void check_case(const char *line, rng_t *rng, counts_t *inout_counts) {
  arena_t arena;
  arena_init(&arena);
  failure_t error;
  const contract_t contract = contract_backend();
  const case_t instance = make_case(line, rng, &arena);
  tensor_t results[CASE_RESULTS_MAX];
  accept_t accepts[CASE_RESULTS_MAX];
  oracle_call_t call = {
      .instance = &instance, .contract = &contract, .arena = &arena, .error = &error};
  g_assert_cmpint(composite_accept(&call, accepts), ==, STATUS_OK);
  call.results = results;
  for (uint32_t r = 0; r < instance.program.result_count; r++) {
    const element_t *element = instance.program.results[r].element;
    results[r] = tensor_make(&arena, &instance.program.results[r]);
    for (size_t i = 0; i < accepts[r].count; i++) {
      uint64_t bits = draw_result(rng, element->format, accepts[r].reference[i]);
      element_store(element, results[r].data, i, bits);
    }
    for (size_t i = 0; i < accepts[r].count; i++) check_component(&call, r, i, inout_counts);
  }
  arena_deinit(&arena);
}

static void test_any_way(gconstpointer data) {
  rng_t rng = rng_make(7);
  counts_t counts = {0};
  for (size_t i = 0; i < CASES; i++) check_case((const char *)data, &rng, &counts);
  g_test_message("%zu conform, %zu do not", counts.right, counts.wrong);
  g_assert_cmpuint(counts.right, >, 20);
  g_assert_cmpuint(counts.wrong, >, 20);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
    g_autofree char *name = g_strdup_printf("/any-way/%zu", i);
    g_test_add_data_func(name, lines[i], test_any_way);
  }
  return g_test_run();
}
