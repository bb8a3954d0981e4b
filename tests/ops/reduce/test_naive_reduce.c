/* SPDX-License-Identifier: Apache-2.0 */
/* stablehlo.reduce, evaluated naively: for each result element all input elements are walked, and
 * those of its slice taken. */
#include "oracles/ops/reduce/reduce.h"
#include "tests/ops/naive_bodies.h"

static naive_node_t combine(const program_t *program, bool saturates, naive_node_t a,
                            naive_node_t b) {
  return naive_combine_body(program, reduce_attributes(program)->reduction.body, saturates, a, b);
}

static naive_node_t load(const case_t *instance, uint32_t first_operand, size_t index) {
  const program_t *program = &instance->program;
  naive_node_t node = {0};
  for (uint32_t i = 0; i < program->result_count; i++) {
    const tensor_t *tensor = &instance->operands[first_operand + i];
    node.values[i] = naive_load(tensor, index, program->results[i].element);
  }
  return node;
}

/* The result element to which an input element goes. */
static size_t result_of(const program_t *program, size_t element) {
  int64_t index[TYPE_RANK_MAX];
  int64_t kept[TYPE_RANK_MAX];
  uint32_t count = 0;
  check_unravel(&program->operands[0], element, index);
  for (uint32_t dim = 0; dim < program->operands[0].rank; dim++) {
    bool is_reduced = false;
    for (uint32_t i = 0; i < reduce_attributes(program)->dimensions.count; i++) {
      is_reduced = is_reduced || reduce_attributes(program)->dimensions.dims[i] == dim;
    }
    if (!is_reduced) kept[count++] = index[dim];
  }
  return check_ravel(&program->results[0], kept);
}

static void evaluate(rng_t *rng, const case_t *instance, const naive_plan_t *plan,
                     tensor_t *results) {
  const program_t *program = &instance->program;
  naive_node_t init = load(instance, program->result_count, 0);
  size_t elements = type_element_count(&program->operands[0]);
  for (size_t output = 0; output < type_element_count(&program->results[0]); output++) {
    GArray *leaves = g_array_new(FALSE, FALSE, sizeof(naive_node_t));
    for (size_t element = 0; element < elements; element++) {
      if (result_of(program, element) != output) continue;
      naive_insert(leaves, leaves->len, load(instance, 0, element));
    }
    naive_arrange(rng, plan, init, leaves);
    naive_node_t node = naive_reduce_leaves(
        rng, program, reduce_attributes(program)->reduction.body, plan, combine, leaves);
    for (uint32_t r = 0; r < program->result_count; r++) {
      naive_store(&results[r], output, node.values[r]);
    }
    g_array_free(leaves, TRUE);
  }
}

static const naive_plan_t plans[] = {
    {.name = "sequential", .shape = NAIVE_LEFT},
    {.name = "reverse", .shape = NAIVE_RIGHT, .scatters_inits = true},
    {.name = "random tree", .shape = NAIVE_RANDOM, .scatters_inits = true},
    {.name = "saturating", .shape = NAIVE_LEFT, .saturates = true},
    {.name = "exact", .is_exact = true},
    {.name = "shuffled", .shape = NAIVE_RANDOM, .scatters_inits = true, .is_shuffled = true},
};

/* Quantized reductions and accumulation types of their own: test_naive_reduce_quantized.c; bodies
 * that are written out: test_naive_written.c. */
static void draw_plain(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                       program_t *out_program) {
  do {
    check_find_op("stablehlo.reduce")->draw(rng, limits, arena, out_program);
  } while (out_program->operands[0].quantization != NULL || reduce_has_written_body(out_program) ||
           reduce_attributes(out_program)->reduction.accumulation_count != 0);
}

static void test_conforms(void) {
  const draw_limits_t limits = {.rank_max = 4, .elements_max = 64, .terms_max = 24};
  op_t plain = *check_find_op("stablehlo.reduce");
  plain.draw = draw_plain;
  naive_tally_t tally = naive_check_op(&plain, &limits, 3000, evaluate, plans, G_N_ELEMENTS(plans));
  g_assert_cmpuint(tally.skipped, <, tally.cases / 20);
  g_assert_cmpuint(tally.held, >, tally.asked / 4);
}

/* A sum of small integers without its last term is refused, wherever that changes it. */
static void test_dropped_term(void) {
  static const char *const lines[] = {
      "stablehlo.reduce body=add dims=[1] f32[8,6] f32[] -> f32[8]",
      "stablehlo.reduce body=add dims=[1] f16[8,6] f16[] -> f64[8]",
      "stablehlo.reduce body=add dims=[1] i8[8,6] i8[] -> i32[8]",
  };
  const contract_t contract = contract_backend();
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(7);
  for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
    const char *violation = NULL;
    program_t program = check_parse(lines[i], &arena, &violation);
    case_t instance = case_make(&arena, &program);
    naive_fill(&rng, NAIVE_SMALL_INTEGERS, &instance);
    memset(instance.operands[1].data, 0, type_bytes(&program.operands[1]));
    tensor_t right[CASE_RESULTS_MAX];
    tensor_t wrong[CASE_RESULTS_MAX];
    naive_make_results(&program, &arena, right);
    naive_make_results(&program, &arena, wrong);
    evaluate(&rng, &instance, &plans[0], right);
    const element_t *from = program.operands[0].element;
    for (size_t row = 0; row < 8; row++) {
      element_store(from, instance.operands[0].data, row * 6 + 5, 0);
    }
    case_t spoiled = case_copy(&arena, &instance);
    evaluate(&rng, &spoiled, &plans[0], wrong);
    question_t question;
    status_t status = question_make(&spoiled, &contract, &arena, &question);
    g_assert_cmpint(status, ==, STATUS_OK);
    g_assert_true(question_conforms(&question, wrong, NULL));
    g_assert_false(naive_results_equal(&program, right, wrong));
    g_assert_false(question_conforms(&question, right, NULL));
  }
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/naive_reduce/conforms", test_conforms);
  g_test_add_func("/naive_reduce/dropped_term", test_dropped_term);
  return g_test_run();
}
