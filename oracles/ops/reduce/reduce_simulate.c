#include "oracles/ops/reduce/reduce_simulate.h"

#include "harness/model/promotion.h"
#include "oracles/exact/dense_fold.h"
#include "oracles/ops/reduce/reduce.h"

/* The body that folds one result; sum_count is two independent sums. */
static fold_body_t fold_body_of(reduce_body_t body) {
  switch (body) {
    case REDUCE_add:
    case REDUCE_sum_count:
      return FOLD_ADD;
    case REDUCE_multiply:
      return FOLD_MULTIPLY;
    case REDUCE_maximum:
      return FOLD_MAXIMUM;
    case REDUCE_minimum:
      return FOLD_MINIMUM;
    case REDUCE_and:
      return FOLD_AND;
    case REDUCE_or:
      return FOLD_OR;
    case REDUCE_xor:
      return FOLD_XOR;
    case REDUCE_argmax:
      return FOLD_ARGMAX;
    case REDUCE_argmin:
      return FOLD_ARGMIN;
    case REDUCE_BODY_COUNT:
      break;
  }
  g_assert_not_reached();
}

/* Element `index` of input or init `operand`; with the index of the pair if the body has one. */
static fold_value_t load_operand(const fold_t *fold, const tensor_t *operand, size_t index) {
  fold_value_t value = fold_load(fold, operand->type.element, operand->data, index);
  if (fold->index_element != NULL) {
    value.index = fold_load_index(fold, operand[1].data, index);
  }
  return value;
}

static void simulate_terms(const fold_t *fold, const reduce_slices_t *slices, const tensor_t *input,
                           const tensor_t *init, arena_t *arena, tensor_t *results) {
  fold_value_t *terms = fold_make_terms(fold, slices->term_count, arena);
  fold_value_t initial = load_operand(fold, init, 0);
  for (size_t output = 0; output < slices->output_count; output++) {
    for (size_t term = 0; term < slices->term_count; term++) {
      size_t index = slices->output_base[output] + slices->term_offset[term];
      terms[term] = load_operand(fold, input, index);
    }
    fold_output(fold, initial, terms, slices->term_count, output, results);
  }
}

/* The hot path: f32 or f64 summed one after the other, results as vector lanes. */
static void simulate_dense(const fold_t *fold, const reduce_slices_t *slices, const tensor_t *input,
                           const tensor_t *init, arena_t *arena, tensor_t *result) {
  dense_sum_t sum = {
      .outputs = slices->output_count,
      .terms = slices->term_count,
      .output_base = slices->output_base,
      .term_offset = slices->term_offset,
  };
  void *sums = arena_alloc(arena, sum.outputs * element_bytes(fold->element));
  dense_fold_sum(fold, &sum, dense_promote(fold, input, arena), dense_promote(fold, init, arena),
                 sums);
  dense_store(fold, sums, sum.outputs, result->data);
}

/* One fold: of a single input, of one of the independent sums, or of a pair with its index. */
static status_t simulate_fold(const case_t *instance, const reduce_slices_t *slices,
                              uint32_t input_number, const schedule_t *schedule, arena_t *arena,
                              tensor_t *results, failure_t *error) {
  const program_t *program = &instance->program;
  fold_body_t body = fold_body_of(reduce_attributes(program)->reduction.body);
  bool is_indexed = body == FOLD_ARGMAX || body == FOLD_ARGMIN;
  const element_t *index_element = is_indexed ? program->results[1].element : NULL;
  const element_t *element = program->results[input_number].element;
  const element_t *from = program->operands[input_number].element;
  STATUS_TRY(element_require_exact_promotion(from, element, error));
  fold_t fold;
  STATUS_TRY(fold_make(body, element, index_element, schedule, &fold, error));
  const tensor_t *input = &instance->operands[input_number];
  const tensor_t *init = &instance->operands[reduce_init_operand(program, input_number)];
  if (dense_fold_applies(&fold)) {
    simulate_dense(&fold, slices, input, init, arena, &results[input_number]);
  } else {
    simulate_terms(&fold, slices, input, init, arena, &results[input_number]);
  }
  return STATUS_OK;
}

status_t reduce_simulate(const case_t *instance, const schedule_t *schedule, arena_t *arena,
                         tensor_t *inout_results, failure_t *error) {
  const program_t *program = &instance->program;
  STATUS_TRY(reduce_require_plain(program, error));
  reduce_slices_t slices = reduce_slices_make(program, arena);
  bool is_two_sums = reduce_attributes(program)->reduction.body == REDUCE_sum_count;
  STATUS_TRY(simulate_fold(instance, &slices, 0, schedule, arena, inout_results, error));
  if (!is_two_sums) return STATUS_OK;
  return simulate_fold(instance, &slices, 1, schedule, arena, inout_results, error);
}
