/* SPDX-License-Identifier: Apache-2.0 */
/* Fast accept sets of dot_general: gathers each batch into dense matrices, takes exact sums from
 * the vector kernels, and turns them into intervals; special values are examined only where a sum
 * is not certified finite. */
#include "oracles/ops/dot_general/accept.h"

#include <math.h>
#include <string.h>

#include "harness/types/promotion.h"
#include "oracles/exact/error_bound.h"
#include "oracles/exact/sum/problem.h"
#include "oracles/exact/sum/range.h"
#include "oracles/exact/sum/simd.h"
#include "oracles/exact/sum/simd_result.h"
#include "oracles/ops/dot_general/fast/exact.h"
#include "oracles/ops/dot_general/fast/few.h"
#include "oracles/ops/dot_general/gather.h"
#include "oracles/ops/dot_general/integers.h"
#include "oracles/ops/dot_general/matrices.h"
#include "oracles/ops/dot_general/models/simulate.h"
#include "oracles/ops/dot_general/precisions.h"
#include "oracles/ops/dot_general/quantized/accept.h"
#include "oracles/sequential.h"

/* What there is among the components: some array is needed. */
typedef struct fast_found {
  bool special;
  bool exact;
  bool few_terms;
  double rough_error; /* Of references, times their magnitudes; 0: they are exact. */
} fast_found_t;

/* Where the parts of complex results go: kernels write dense matrices, results interleave. */
typedef struct fast_arrays {
  double *reference;
  double *tail; /* NULL unless the result is f64. */
  double *magnitude;
  uint8_t *decide;
  uint8_t *special;
  int *lowest_bit;
  uint8_t *few_terms;
  likely_sums_t *likely; /* NULL unless there are few terms. */
  fast_found_t *found;
} fast_arrays_t;

static fast_arrays_t fast_arrays_make(size_t count, bool with_tail, fast_found_t *found,
                                      arena_t *arena) {
  return (fast_arrays_t){
      .reference = ARENA_NEW_ARRAY(arena, double, count),
      .tail = with_tail ? ARENA_NEW_ARRAY(arena, double, count) : NULL,
      .magnitude = ARENA_NEW_ARRAY(arena, double, count),
      .decide = arena_alloc(arena, count),
      .special = arena_alloc_zeroed(arena, count),
      .lowest_bit = ARENA_NEW_ARRAY(arena, int, count),
      .few_terms = arena_alloc_zeroed(arena, count),
      .found = found,
  };
}

/* The arrays from result component `offset` on. */
static fast_arrays_t fast_arrays_from(const fast_arrays_t *arrays, size_t offset) {
  return (fast_arrays_t){
      .reference = arrays->reference + offset,
      .tail = arrays->tail == NULL ? NULL : arrays->tail + offset,
      .magnitude = arrays->magnitude + offset,
      .decide = arrays->decide + offset,
      .special = arrays->special + offset,
      .lowest_bit = arrays->lowest_bit + offset,
      .few_terms = arrays->few_terms + offset,
      .likely = arrays->likely == NULL ? NULL : arrays->likely + offset,
      .found = arrays->found,
  };
}

/* Sums that might overflow, or that no schedule may round, need their magnitudes; where there are
 * none, out_lowest_bit is filled. */
static bool suffices_roughly(const fast_product_t *product, size_t group, const format_t *format,
                             double bound, arena_t *arena, int *out_lowest_bit) {
  return bound < special_sum_least(format) &&
         !fast_exact_find(product, group, format, arena, out_lowest_bit);
}

static void multiply_matrices(const fast_product_t *product, arena_t *arena) {
  if (product->lhs.is_f64) {
    exact_matmul_f64(&product->matmul, product->lhs.data, product->rhs.data, arena);
  } else {
    exact_matmul_f32(&product->matmul, product->lhs.data, product->rhs.data, arena);
  }
}

static void multiply(const matrices_t *matrices, const contract_t *contract, size_t batch, int part,
                     const fast_arrays_t *out, arena_t *arena) {
  const format_t *format = matrices->plan->accumulation;
  fast_product_t product = {0};
  product.lhs = matrices_gather_lhs(matrices, batch, part, arena);
  product.rhs = matrices_gather_rhs(matrices, batch, part, arena);
  product.matmul = (exact_matmul_t){
      .m = matrices->layout->row_count,
      .n = matrices->layout->column_count,
      .k = matrices_terms(matrices),
      .reference = out->reference,
      .reference_tail = out->tail,
      .magnitude = out->magnitude,
      .uncertified = out->decide,
  };
  size_t group = MAX(product.matmul.k / (size_t)matrices->primitive_count, 1);
  double bound = (double)INFINITY;
  if (out->likely == NULL && matrices->may_be_rough) product.matmul.rough_bound = &bound;
  multiply_matrices(&product, arena);
  if (isfinite(bound) &&
      !suffices_roughly(&product, group, format, bound, arena, out->lowest_bit)) {
    product.matmul.rough_bound = NULL;
    multiply_matrices(&product, arena);
    bound = (double)INFINITY;
  }
  if (isfinite(bound)) {
    const size_t k = product.matmul.k;
    out->found->rough_error =
        product.lhs.is_f64 ? exact_rough_error_f64(k) : exact_rough_error_f32(k);
  }
  if (out->likely != NULL) fast_few_likely(&product, matrices, contract, out->likely);
  out->found->special |=
      fast_specials_find(&product, matrices, contract, out->likely, out->special);
  if (PERMITTED(contract, accum_wider) == ACCUM_WIDER_YES && matrices->plan->imprecise_bits == 0) {
    out->found->few_terms |= fast_few_find(&product, format, arena, out->few_terms);
  }
  if (isfinite(bound)) return; /* suffices_roughly() has looked for them. */
  out->found->exact |= fast_exact_find(&product, group, format, arena, out->lowest_bit);
}

static void interleave(const fast_arrays_t *out, const fast_arrays_t *part_arrays, size_t count,
                       size_t out_offset, size_t part) {
  for (size_t i = 0; i < count; i++) {
    size_t to = out_offset + 2 * i + part;
    out->reference[to] = part_arrays->reference[i];
    if (out->tail != NULL) out->tail[to] = part_arrays->tail[i];
    out->magnitude[to] = part_arrays->magnitude[i];
    out->decide[to] = part_arrays->decide[i];
    out->special[to] = part_arrays->special[i];
    out->lowest_bit[to] = part_arrays->lowest_bit[i];
    out->few_terms[to] = part_arrays->few_terms[i];
  }
  memset(part_arrays->special, 0, count);
}

/* Under an in-order contract: see sum_has_schedules(). */
static bool has_schedules(const dot_plan_t *plan, size_t parts) {
  return parts == 1 && plan->result == NULL && plan->primitive_count == 1 &&
         plan->imprecise_bits == 0 && !plan->factors_exceed;
}

static bound_shape_t shape_of(const matrices_t *matrices) {
  const dot_plan_t *plan = matrices->plan;
  return (bound_shape_t){
      .terms = matrices_terms(matrices),
      .leaves = matrices->primitive_count > 1 ? 0 : matrices_terms(matrices),
      .products_round = product_rounds(plan->lhs, plan->rhs, plan->accumulation),
      .products_underflow = product_underflows(plan->lhs, plan->rhs, plan->accumulation),
      .imprecise_bits = plan->imprecise_bits,
  };
}

/* Of a row that is not measured some terms are all that its magnitudes are known to have. */
static void forget_rough(const matrices_t *matrices, double *inout_magnitude) {
  const dot_general_layout_t *layout = matrices->layout;
  for (size_t i = 0; i < layout->batch_count * layout->row_count; i++) {
    if (exact_matmul_is_measured(i % layout->row_count)) continue;
    double *row = inout_magnitude + i * layout->column_count;
    for (size_t j = 0; j < layout->column_count; j++) row[j] = (double)NAN;
  }
}

/* The sums of operands split in one way, in the accumulation type. */
static accept_t accept_split(const matrices_t *matrices, const contract_t *contract,
                             arena_t *arena) {
  const dot_general_layout_t *layout = matrices->layout;
  const format_t *format = matrices->plan->accumulation;
  size_t parts = matrices->instance->program.operands[DOT_GENERAL_LHS].element->components;
  size_t matrix = layout->row_count * layout->column_count;
  size_t count = layout->batch_count * matrix * parts;
  bool with_tail = format->bits == 64;
  fast_found_t found = {false};
  fast_arrays_t arrays = fast_arrays_make(count, with_tail, &found, arena);
  bool has_likely = parts == 1 && fast_few_decide(matrices, contract);
  if (has_likely) arrays.likely = ARENA_NEW_ARRAY(arena, likely_sums_t, count);
  fast_arrays_t part_arrays =
      parts == 1 ? arrays : fast_arrays_make(matrix, with_tail, &found, arena);
  for (size_t batch = 0; batch < layout->batch_count; batch++) {
    for (size_t part = 0; part < parts; part++) {
      arena_mark_t mark = arena_mark(arena);
      const fast_arrays_t out = fast_arrays_from(&part_arrays, parts == 1 ? batch * matrix : 0);
      multiply(matrices, contract, batch, (int)part, &out, arena);
      if (parts == 2) interleave(&arrays, &part_arrays, matrix, batch * matrix * 2, part);
      arena_rewind(arena, mark);
    }
  }
  fast_sums_t sums = {
      .accept = {.count = count,
                 .reference = arrays.reference,
                 .reference_tail = arrays.tail,
                 .magnitude = arrays.magnitude},
      .decide = arrays.decide,
      .special = found.special ? arrays.special : NULL,
      .lowest_bit = found.exact ? arrays.lowest_bit : NULL,
      .few_terms = found.few_terms ? arrays.few_terms : NULL,
      .likely = arrays.likely,
      .shape = shape_of(matrices),
      .has_schedules = has_schedules(matrices->plan, parts),
      .rough_error = 2 * found.rough_error,
  };
  accept_t accept = fast_sums_finish(&sums, format, contract, arena);
  if (found.rough_error == 0) return accept;
  forget_rough(matrices, arrays.magnitude);
  accept.magnitude = arrays.magnitude;
  return accept;
}

/* From the accumulation type to the result's. */
static accept_t convert_result(accept_t *inout_accept, const dot_plan_t *plan, arena_t *arena) {
  if (plan->integer != NULL) return integer_result_accept(inout_accept, plan->integer, arena);
  if (plan->result != NULL) {
    fast_result_convert(inout_accept, plan->accumulation, plan->result, arena);
  }
  return *inout_accept;
}

accept_t dot_general_accept_split(const oracle_call_t *call, const dot_general_layout_t *layout,
                                  const dot_plan_t *plan, split_t split) {
  if (plan->accumulation == NULL) return dot_integers_accept(call, layout, plan);
  matrices_t matrices = matrices_make(call->instance, layout, plan, split, call->arena);
  matrices.sums_of_case = oracle_call_components(call);
  accept_t accept = accept_split(&matrices, call->contract, call->arena);
  return convert_result(&accept, plan, call->arena);
}

/* Accept sets of real sums in any order, which are united with no others: their parts would have to
 * be known alike. */
static bool may_be_rough(const oracle_call_t *call) {
  const program_t *program = &call->instance->program;
  dot_algorithm_t algorithms[DOT_PRECISIONS_MAX];
  return program->operands[DOT_GENERAL_LHS].element->components == 1 &&
         PERMITTED(call->contract, order) == ORDER_ANY &&
         dot_precision_algorithms(program, call->contract, algorithms) == 0;
}

accept_t dot_general_accept_plan(const oracle_call_t *call, const dot_general_layout_t *layout,
                                 const dot_plan_t *plan) {
  if (plan->accumulation == NULL) return dot_integers_accept(call, layout, plan);
  split_t splits[DOT_SPLITS_MAX];
  size_t split_count = dot_plan_splits(plan, call->contract, splits);
  matrices_t first = matrices_make(call->instance, layout, plan, splits[0], call->arena);
  first.may_be_rough = call->may_be_rough && split_count == 1 && may_be_rough(call);
  first.sums_of_case = oracle_call_components(call);
  accept_t accept = accept_split(&first, call->contract, call->arena);
  for (size_t i = 1; i < split_count; i++) {
    matrices_t matrices = matrices_make(call->instance, layout, plan, splits[i], call->arena);
    if (matrices_are_equal(&first, &matrices)) continue;
    matrices.sums_of_case = first.sums_of_case;
    accept_t other = accept_split(&matrices, call->contract, call->arena);
    fast_result_unite(&accept, &other, call->arena);
  }
  return convert_result(&accept, plan, call->arena);
}

/* Whether the sum may become that integer. */
static status_t decide_integer_result(const oracle_call_t *call, const sum_problem_t *question,
                                      const dot_plan_t *plan, uint64_t bits, answer_t *out_answer) {
  answer_t answer = {0};
  if (question->is_open) {
    STATUS_TRY(sum_answer(question, call->contract, 0, call->arena, &answer, call->error));
  } else {
    value_range_t range;
    STATUS_TRY(sum_range(question, call->contract, call->arena, &range, call->error));
    value_range_print(&range, answer.expected, sizeof answer.expected);
    g_strlcat(answer.expected, ", as an integer", sizeof answer.expected);
    answer.conforms =
        integer_result_holds(&range, plan->accumulation, plan->integer, call->contract, bits);
  }
  *out_answer = answer;
  return STATUS_OK;
}

/* The answer of the first split that holds the pattern, else of the one that comes nearest. */
status_t dot_general_decide_plan(const oracle_call_t *call, const dot_plan_t *plan,
                                 size_t component, uint64_t bits, answer_t *out_answer) {
  if (plan->accumulation == NULL) {
    dot_integers_decide(call, plan, component, bits, out_answer);
    return STATUS_OK;
  }
  const case_t *instance = call->instance;
  dot_general_layout_t layout = dot_general_layout_make(&instance->program, call->arena);
  dot_general_place_t place = dot_general_place(instance, &layout, component);
  split_t splits[DOT_SPLITS_MAX];
  size_t split_count = dot_plan_splits(plan, call->contract, splits);
  for (size_t i = 0; i < split_count; i++) {
    arena_mark_t mark = arena_mark(call->arena);
    sum_problem_t question =
        dot_general_sum_question(instance, plan, splits[i], &layout, place, call->arena);
    question.sums_of_case = oracle_call_components(call);
    question.why = call->why;
    question.is_brief = call->is_brief;
    question.is_any_way = call->is_any_way;
    answer_t answer;
    status_t status =
        plan->integer == NULL
            ? sum_answer(&question, call->contract, bits, call->arena, &answer, call->error)
            : decide_integer_result(call, &question, plan, bits, &answer);
    arena_rewind(call->arena, mark);
    STATUS_TRY(status);
    bool is_nearer = answer.has_reference && answer.slack < out_answer->slack;
    if (i == 0 || answer.conforms || is_nearer) *out_answer = answer;
    if (answer.conforms) return STATUS_OK;
  }
  return STATUS_OK;
}

/* Adds what the words of a precision_config may stand for, but for what is left to the exact side:
 * more than a second interval, and operands that are computed unlike though both words are alike.
 */
static status_t unite_precisions(const oracle_call_t *call, const dot_general_layout_t *layout,
                                 accept_t *inout_accept) {
  enum { FAST_MAX = 3 };
  const program_t *program = &call->instance->program;
  dot_algorithm_t algorithms[DOT_PRECISIONS_MAX];
  size_t count = dot_precision_algorithms(program, call->contract, algorithms);
  for (size_t i = 0; i < MIN(count, FAST_MAX); i++) {
    dot_plan_t plan;
    STATUS_TRY(dot_plan_make_for(program, &algorithms[i], call->contract, &plan, call->error));
    accept_t other = dot_general_accept_plan(call, layout, &plan);
    fast_result_unite(inout_accept, &other, call->arena);
  }
  return STATUS_OK;
}

static accept_t accept_integers(const case_t *instance, const dot_general_layout_t *layout,
                                arena_t *arena) {
  size_t count = type_component_count(&instance->program.results[0]);
  uint64_t *bits = ARENA_NEW_ARRAY(arena, uint64_t, count);
  arena_mark_t mark = arena_mark(arena);
  for (size_t i = 0; i < count; i++) {
    dot_general_place_t place = dot_general_place(instance, layout, i);
    integer_problem_t question = dot_general_integer_question(instance, layout, place, arena);
    bits[i] = integer_result(&question, 1);
    arena_rewind(arena, mark);
  }
  return (accept_t){.count = count, .bits = bits};
}

status_t dot_general_accept(const oracle_call_t *call, accept_t out_accepts[CASE_RESULTS_MAX]) {
  const case_t *instance = call->instance;
  const element_t *element = instance->program.results[0].element;
  const element_t *from = instance->program.operands[DOT_GENERAL_LHS].element;
  if (dot_general_is_quantized(&instance->program)) {
    return dot_quantized_accept(call, &out_accepts[0]);
  }
  if (dot_general_is_hybrid(&instance->program)) {
    return dot_hybrid_accept(call, &out_accepts[0]);
  }
  dot_general_layout_t layout = dot_general_layout_make(&instance->program, call->arena);
  bool is_plain = dot_general_is_plain(&instance->program);
  if (element->format == NULL && is_plain) {
    STATUS_TRY(element_require_exact_promotion(from, element, call->error));
    out_accepts[0] = accept_integers(instance, &layout, call->arena);
  } else {
    dot_plan_t plan;
    STATUS_TRY(dot_plan_make(&instance->program, call->contract, &plan, call->error));
    out_accepts[0] = dot_general_accept_plan(call, &layout, &plan);
    STATUS_TRY(unite_precisions(call, &layout, &out_accepts[0]));
  }
  /* Wrapped results are not permitted where integers must saturate: the exact side sorts that. */
  if (element_is_integer(element) && is_plain &&
      PERMITTED(call->contract, integer_overflow) == INTEGER_OVERFLOW_SATURATE) {
    out_accepts[0] = accept_decide_all(out_accepts[0].count, call->arena);
  }
  if (PERMITTED(call->contract, order) == ORDER_IN_ORDER && element->format != NULL) {
    return accept_sequential(call, dot_general_simulate, NULL, out_accepts);
  }
  return STATUS_OK;
}
