/* SPDX-License-Identifier: Apache-2.0 */
/* stablehlo.reshape, transpose, broadcast_in_dim and concatenate, evaluated naively: all pairs of a
 * result element and an operand element are tried, and the specification's relation between their
 * indices tells which belong together. */
#include "oracles/ops/data_movement/data_movement.h"
#include "tests/ops/naive_checks.h"

/* Whether the relation of transpose or broadcast_in_dim holds. */
static bool belongs(const program_t *program, const int64_t *operand, const int64_t *result) {
  const dimension_list_t *dimensions = &data_movement_attributes(program)->dimensions;
  bool is_transpose = strcmp(program->op->name, "stablehlo.transpose") == 0;
  for (uint32_t d = 0; d < dimensions->count; d++) {
    int64_t other = dimensions->dims[d];
    bool is_kept = is_transpose ? result[d] == operand[other]
                                : operand[d] == result[other] || program->operands[0].dims[d] == 1;
    if (!is_kept) return false;
  }
  return true;
}

/* Whether element `from` of operand `k` is element `to` of the result. */
static bool is_source(const program_t *program, uint32_t k, size_t from, size_t to) {
  if (strcmp(program->op->name, "stablehlo.reshape") == 0) return from == to;
  int64_t operand[TYPE_RANK_MAX], result[TYPE_RANK_MAX];
  check_unravel(&program->operands[k], from, operand);
  check_unravel(&program->results[0], to, result);
  if (strcmp(program->op->name, "stablehlo.concatenate") != 0) {
    return belongs(program, operand, result);
  }
  int64_t dimension = data_movement_attributes(program)->dimension;
  for (uint32_t before = 0; before < k; before++) {
    operand[dimension] += program->operands[before].dims[dimension];
  }
  return memcmp(operand, result, program->results[0].rank * sizeof operand[0]) == 0;
}

static void copy_element(const tensor_t *operand, size_t from, tensor_t *result, size_t to) {
  size_t bytes = element_bytes(operand->type.element);
  memcpy(result->data + to * bytes, operand->data + from * bytes, bytes);
}

static void evaluate(rng_t *rng, const case_t *instance, const naive_plan_t *plan,
                     tensor_t *results) {
  (void)rng;
  (void)plan;
  const program_t *program = &instance->program;
  for (size_t to = 0; to < type_element_count(&program->results[0]); to++) {
    size_t sources = 0;
    for (uint32_t k = 0; k < program->operand_count; k++) {
      for (size_t from = 0; from < type_element_count(&program->operands[k]); from++) {
        if (!is_source(program, k, from, to)) continue;
        copy_element(&instance->operands[k], from, &results[0], to);
        sources++;
      }
    }
    g_assert_cmpuint(sources, ==, 1);
  }
}

static const naive_plan_t plans[] = {{.name = "copy"}};

static void check(gconstpointer name) {
  const draw_limits_t limits = {.rank_max = 5, .elements_max = 72, .terms_max = 16};
  naive_tally_t tally = naive_check_op(check_find_op((const char *)name), &limits, 1500, evaluate,
                                       plans, G_N_ELEMENTS(plans));
  g_assert_cmpuint(tally.skipped, ==, 0);
  g_assert_cmpuint(tally.held, >, 10000);
  g_assert_cmpuint(tally.asked, ==, 0);
}

/* What an element may become, by its bits. */
typedef struct copy_row {
  const char *type;
  uint64_t from, to;
  const char *contract;
  bool conforms;
} copy_row_t;

static const copy_row_t copies[] = {
    {"f32", 0x7fa00001, 0x7fc00000, "spec", true},
    {"f32", 0x7fc00000, 0xffffffff, "spec", true},
    {"f32", 0x7fc00000, 0x7f800000, "spec", false},
    {"f32", 0x7f800000, 0x7fc00000, "spec", false},
    {"f32", 0x80000000, 0x00000000, "spec", false},
    {"f32", 0x80000000, 0x00000000, "zero_sign=any", true},
    {"f32", 0x80000001, 0x80000000, "spec", false},
    {"f32", 0x80000001, 0x80000000, "ftz=inputs", true},
    {"f32", 0x80000001, 0x80000000, "ftz=outputs", true},
    {"f32", 0x80000001, 0x00000000, "ftz=both", false},
    {"f32", 0x80000001, 0x00000000, "ftz=both,zero_sign=any", true},
    {"f32", 0x00800000, 0x00000000, "ftz=both,zero_sign=any", false},
    {"f8E8M0FNU", 0x00, 0x01, "ftz=both,zero_sign=any", false},
    {"i32", 0x00000001, 0x00000000, "ftz=both,zero_sign=any", false},
    {"!quant.uniform<i8:f32,0x1p-1:3>", 0x03, 0x02, "backend", false},
};

static void test_copies(void) {
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(copies); i++) {
    arena_reset(&arena);
    const copy_row_t *row = &copies[i];
    g_autofree char *line =
        g_strdup_printf("stablehlo.reshape %s[1] -> %s[]", row->type, row->type);
    contract_t contract;
    failure_t error;
    g_assert_cmpint(contract_parse(str_from(row->contract), &contract, &error), ==, STATUS_OK);
    const char *violation = NULL;
    program_t program = check_parse(line, &arena, &violation);
    case_t instance = case_make(&arena, &program);
    tensor_t results[CASE_RESULTS_MAX];
    naive_make_results(&program, &arena, results);
    element_store(program.operands[0].element, instance.operands[0].data, 0, row->from);
    element_store(program.operands[0].element, results[0].data, 0, row->to);
    question_t question;
    g_assert_cmpint(question_make(&instance, &contract, &arena, &question), ==, STATUS_OK);
    bool conforms = question_decide(&question, 0, 0, results).conforms;
    if (conforms != row->conforms) g_error("row %zu: %d under %s", i, conforms, row->contract);
  }
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_data_func("/naive_data_movement/reshape", "stablehlo.reshape", check);
  g_test_add_data_func("/naive_data_movement/transpose", "stablehlo.transpose", check);
  g_test_add_data_func("/naive_data_movement/broadcast", "stablehlo.broadcast_in_dim", check);
  g_test_add_data_func("/naive_data_movement/concatenate", "stablehlo.concatenate", check);
  g_test_add_func("/naive_data_movement/copies", test_copies);
  return g_test_run();
}
