/* SPDX-License-Identifier: Apache-2.0 */
/* Fast accept sets of quantized dot_generals: exact integer sums from the matrix kernels, rescaled
 * in binary64 and accepted where the rounding is certain; and the search for the formula that
 * explains a whole result. */
#include "oracles/ops/dot_general/quantized/accept.h"

#include <math.h>

#include "generated/exact_permissions.h"
#include "oracles/exact/matmul/matmul.h"
#include "oracles/exact/sum/simd.h"
#include "oracles/ops/dot_general/accept.h"
#include "oracles/ops/dot_general/models/simulate.h"
#include "oracles/ops/dot_general/quantized/by_algorithm.h"
#include "oracles/ops/dot_general/quantized/decide.h"
#include "oracles/sequential.h"

/* ---- Integers -------------------------------------------------------------------------------- */

/* q - z of all elements in f32, or in f64 where they may have more than 24 bits. */
typedef struct differences {
  bool is_f64;
  void *data;
} differences_t;

static void store_difference(const differences_t *differences, size_t index, int64_t value) {
  if (differences->is_f64) {
    ((double *)differences->data)[index] = (double)value;
  } else {
    ((float *)differences->data)[index] = (float)value;
  }
}

static differences_t make_differences(bool is_f64, size_t count, arena_t *arena) {
  size_t bytes = is_f64 ? sizeof(double) : sizeof(float);
  return (differences_t){.is_f64 = is_f64, .data = arena_alloc_array(arena, count, bytes)};
}

/* The zero point of an element, found without a division where all are alike. */
typedef struct zero_points {
  const type_t *type;
  bool are_alike;
  int64_t first;
} zero_points_t;

static zero_points_t zero_points_of(const type_t *type) {
  const quantization_t *quantization = type->quantization;
  zero_points_t zero_points = {.type = type, .are_alike = true};
  for (uint32_t i = 0; i < quantization->count; i++) {
    if (i == 0) zero_points.first = quantization->zero_points[0];
    zero_points.are_alike &= quantization->zero_points[i] == zero_points.first;
  }
  return zero_points;
}

static int64_t load_difference(const tensor_t *tensor, const zero_points_t *zero_points,
                               size_t index) {
  int64_t zero_point =
      zero_points->are_alike ? zero_points->first : quantum_of(zero_points->type, index).zero_point;
  return quantum_load(tensor, index) - zero_point;
}

/* A case, with what does not change from batch to batch. */
typedef struct fast_integers {
  const case_t *instance;
  const dot_general_layout_t *layout;
  zero_points_t zero_points[2];
  bool is_f64;
} fast_integers_t;

static differences_t gather_lhs(const fast_integers_t *fast, size_t batch, arena_t *arena) {
  const dot_general_layout_t *layout = fast->layout;
  const tensor_t *lhs = &fast->instance->operands[DOT_GENERAL_LHS];
  size_t terms = layout->term_count;
  differences_t differences = make_differences(fast->is_f64, layout->row_count * terms, arena);
  for (size_t row = 0; row < layout->row_count; row++) {
    size_t base = layout->lhs_batch_offset[batch] + layout->lhs_row_offset[row];
    for (size_t term = 0; term < terms; term++) {
      size_t index = base + layout->lhs_term_offset[term];
      store_difference(&differences, row * terms + term,
                       load_difference(lhs, &fast->zero_points[DOT_GENERAL_LHS], index));
    }
  }
  return differences;
}

static differences_t gather_rhs(const fast_integers_t *fast, size_t batch, arena_t *arena) {
  const dot_general_layout_t *layout = fast->layout;
  const tensor_t *rhs = &fast->instance->operands[DOT_GENERAL_RHS];
  size_t columns = layout->column_count;
  differences_t differences = make_differences(fast->is_f64, layout->term_count * columns, arena);
  for (size_t term = 0; term < layout->term_count; term++) {
    size_t base = layout->rhs_batch_offset[batch] + layout->rhs_term_offset[term];
    for (size_t column = 0; column < columns; column++) {
      size_t index = base + layout->rhs_column_offset[column];
      store_difference(&differences, term * columns + column,
                       load_difference(rhs, &fast->zero_points[DOT_GENERAL_RHS], index));
    }
  }
  return differences;
}

/* Whether every scale is of a size that quotients and products of three of them cannot over- or
 * underflow in binary64, nor times a sum. */
static bool scales_are_usual(const type_t *type) {
  const quantization_t *quantization = type->quantization;
  bool all = true;
  for (uint32_t i = 0; i < quantization->count; i++) {
    all &= quantization->scales[i] >= 0x1p-250 && quantization->scales[i] <= 0x1p250;
  }
  return all;
}

/* The nearest integer to sum * multiplier + zero point, clamped, and whether that is certain: it
 * is farther than what the steps round (theory.md, T44) from a tie, or nobody knows. */
static int64_t rescale_fast(double sum, double multiplier, const quantum_t *result,
                            uint8_t *out_decide) {
  double product = sum * multiplier;
  double value = product + (double)result->zero_point;
  double error = fabs(product) * 0x1p-50 + fabs(value) * 0x1p-52;
  double clamped = fmin(fmax(value, (double)result->storage_min), (double)result->storage_max);
  double whole = nearbyint(clamped);
  bool is_certain =
      fabs(clamped - whole) + error < 0.5 || value - error > clamped || value + error < clamped;
  *out_decide = is_certain ? 0 : 1;
  return (int64_t)whole;
}

/* Scales of the columns of one batch, by number of column. */
static double *gather_rhs_scales(const fast_integers_t *fast, size_t batch, arena_t *arena) {
  const dot_general_layout_t *layout = fast->layout;
  const type_t *rhs = &fast->instance->program.operands[DOT_GENERAL_RHS];
  double *scales = ARENA_NEW_ARRAY(arena, double, layout->column_count);
  for (size_t column = 0; column < layout->column_count; column++) {
    size_t index = layout->rhs_batch_offset[batch] + layout->rhs_column_offset[column];
    scales[column] = layout->term_count == 0 ? 1 : quantum_of(rhs, index).scale;
  }
  return scales;
}

/* `sums`: of the products of one batch. */
static void rescale_batch(const fast_integers_t *fast, size_t batch, const exact_matmul_t *sums,
                          arena_t *arena, uint64_t *bits, uint8_t *decide) {
  const dot_general_layout_t *layout = fast->layout;
  const type_t *lhs = &fast->instance->program.operands[DOT_GENERAL_LHS];
  const type_t *result = &fast->instance->program.results[0];
  const double *rhs_scales = gather_rhs_scales(fast, batch, arena);
  uint64_t mask = element_mask(result->element);
  size_t i = batch * layout->row_count * layout->column_count;
  quantum_t quantum = quantum_of(result, i);
  for (size_t row = 0; row < layout->row_count; row++) {
    size_t first = layout->lhs_batch_offset[batch] + layout->lhs_row_offset[row];
    double lhs_scale = layout->term_count == 0 ? 1 : quantum_of(lhs, first).scale;
    for (size_t column = 0; column < layout->column_count; column++, i++) {
      size_t in_batch = row * layout->column_count + column;
      if (result->quantization->axis != -1) quantum = quantum_of(result, i);
      double multiplier = lhs_scale * rhs_scales[column] / quantum.scale;
      bits[i] =
          (uint64_t)rescale_fast(sums->reference[in_batch], multiplier, &quantum, &decide[i]) &
          mask;
      decide[i] |= sums->uncertified[in_batch];
    }
  }
}

static accept_t accept_integers(const case_t *instance, const dot_general_layout_t *layout,
                                arena_t *arena) {
  const type_t *lhs = &instance->program.operands[DOT_GENERAL_LHS];
  const type_t *rhs = &instance->program.operands[DOT_GENERAL_RHS];
  const type_t *result = &instance->program.results[0];
  size_t matrix = layout->row_count * layout->column_count;
  size_t count = layout->batch_count * matrix;
  if (!scales_are_usual(lhs) || !scales_are_usual(rhs) || !scales_are_usual(result)) {
    return accept_decide_all(count, arena);
  }
  const fast_integers_t fast = {.instance = instance,
                                .layout = layout,
                                .zero_points = {zero_points_of(lhs), zero_points_of(rhs)},
                                .is_f64 = lhs->element->bits > 16 || rhs->element->bits > 16};
  uint64_t *bits = ARENA_NEW_ARRAY(arena, uint64_t, count);
  uint8_t *decide = arena_alloc(arena, count);
  for (size_t batch = 0; batch < layout->batch_count; batch++) {
    arena_mark_t mark = arena_mark(arena);
    differences_t left = gather_lhs(&fast, batch, arena);
    differences_t right = gather_rhs(&fast, batch, arena);
    exact_matmul_t matmul = {.m = layout->row_count,
                             .n = layout->column_count,
                             .k = layout->term_count,
                             .reference = ARENA_NEW_ARRAY(arena, double, matrix),
                             .magnitude = ARENA_NEW_ARRAY(arena, double, matrix),
                             .uncertified = arena_alloc(arena, matrix)};
    if (fast.is_f64) {
      exact_matmul_f64(&matmul, left.data, right.data, arena);
    } else {
      exact_matmul_f32(&matmul, left.data, right.data, arena);
    }
    rescale_batch(&fast, batch, &matmul, arena, bits, decide);
    arena_rewind(arena, mark);
  }
  return (accept_t){.count = count, .bits = bits, .decide = decide};
}

/* ---- Floats ---------------------------------------------------------------------------------- */

/* `floats`: the call's case, dequantized. */
static status_t accept_floats(const oracle_call_t *call, const case_t *floats,
                              const dot_dequantized_t *variant, const dot_algorithm_t *algorithm,
                              accept_t *out_accept) {
  if (algorithm != NULL) return dot_by_algorithm_accept(call, floats, algorithm, out_accept);
  const program_t *program = &call->instance->program;
  const dot_general_layout_t layout = dot_general_layout_make(program, call->arena);
  const dot_plan_t plan = dot_dequantized_plan(variant);
  const oracle_call_t float_call = oracle_call_about(call, floats, NULL);
  *out_accept = dot_general_accept_plan(&float_call, &layout, &plan);
  return STATUS_OK;
}

/* By the first variant: its numbers between the steps are of the program's own type. */
status_t dot_hybrid_accept(const oracle_call_t *call, accept_t *out_accept) {
  const case_t *instance = call->instance;
  STATUS_TRY(dot_dequantized_require(&instance->program, call->error));
  dot_dequantized_t variants[DOT_VARIANTS_MAX];
  dot_variants(&instance->program, call->contract, variants);
  const case_t floats = dot_dequantized_case(instance, &variants[0], call->arena);
  dot_algorithm_t algorithm;
  const dot_algorithm_t *asked = dot_quantized_algorithm(&instance->program, &algorithm);
  STATUS_TRY(accept_floats(call, &floats, &variants[0], asked, out_accept));
  if (PERMITTED(call->contract, order) != ORDER_IN_ORDER) return STATUS_OK;
  const oracle_call_t float_call = oracle_call_about(call, &floats, NULL);
  return accept_sequential(&float_call, dot_general_simulate, variants[0].sum, out_accept);
}

/* What a float that surely conforms is quantized to, nearest to the exact sum: by any one variant.
 */
static status_t accept_quantized_floats(const oracle_call_t *call, const dot_dequantized_t *variant,
                                        const dot_algorithm_t *algorithm, accept_t *out_accept) {
  const case_t *instance = call->instance;
  const case_t dequantized = dot_dequantized_case(instance, variant, call->arena);
  accept_t floats;
  STATUS_TRY(accept_floats(call, &dequantized, variant, algorithm, &floats));
  const type_t *result = &instance->program.results[0];
  uint64_t *bits = ARENA_NEW_ARRAY(call->arena, uint64_t, floats.count);
  uint8_t *decide = arena_alloc_zeroed(call->arena, floats.count);
  quantum_t quantum = {.scale = 1};
  if (floats.count > 0) quantum = quantum_of(result, 0);
  for (size_t i = 0; i < floats.count; i++) {
    bits[i] = 0;
    decide[i] = 1;
    if (floats.low == NULL || (floats.decide != NULL && floats.decide[i] != 0)) continue;
    if (!(floats.low[i] <= floats.high[i])) continue;
    double exact = format_round_double(variant->rounded, floats.reference[i]);
    double value = isnan(exact) ? floats.low[i] : CLAMP(exact, floats.low[i], floats.high[i]);
    if (result->quantization->axis != -1) quantum = quantum_of(result, i);
    if (!quantum_is_decided(&quantum, variant->quantize, value)) continue;
    bits[i] = (uint64_t)quantum_quantize(&quantum, variant->quantize, value) &
              element_mask(result->element);
    decide[i] = 0;
  }
  *out_accept = (accept_t){.count = floats.count, .bits = bits, .decide = decide};
  return STATUS_OK;
}

static status_t accept_by(const oracle_call_t *call, const dot_algorithm_t *algorithm,
                          accept_t *out_accept) {
  const program_t *program = &call->instance->program;
  if (PERMITTED(call->contract, order) == ORDER_IN_ORDER) {
    /* An interval tells nothing of schedules. */
    *out_accept = accept_decide_all(type_element_count(&program->results[0]), call->arena);
    return STATUS_OK;
  }
  dot_dequantized_t variants[DOT_VARIANTS_MAX];
  dot_variants(program, call->contract, variants);
  return accept_quantized_floats(call, &variants[0], algorithm, out_accept);
}

status_t dot_quantized_accept(const oracle_call_t *call, accept_t *out_accept) {
  const case_t *instance = call->instance;
  STATUS_TRY(dot_dequantized_require(&instance->program, call->error));
  dot_algorithm_t algorithm;
  const dot_algorithm_t *asked = dot_quantized_algorithm(&instance->program, &algorithm);
  if (asked == NULL && PERMITTED(call->contract, quantized) == DOT_FORMULA_INTEGER) {
    dot_general_layout_t layout = dot_general_layout_make(&instance->program, call->arena);
    *out_accept = accept_integers(instance, &layout, call->arena);
    return STATUS_OK;
  }
  return accept_by(call, asked, out_accept);
}

/* ---- Which algorithm ------------------------------------------------------------------------- */

/* What surely conforms by the algorithm. */
static status_t accept_explained(const oracle_call_t *call, const dot_algorithm_t *algorithm,
                                 accept_t *out_accept) {
  const case_t *instance = call->instance;
  bool is_hybrid = dot_general_is_hybrid(&instance->program);
  if (!is_hybrid || PERMITTED(call->contract, order) == ORDER_IN_ORDER) {
    return accept_by(call, algorithm, out_accept);
  }
  dot_dequantized_t variants[DOT_VARIANTS_MAX];
  dot_variants(&instance->program, call->contract, variants);
  const case_t floats = dot_dequantized_case(instance, &variants[0], call->arena);
  return dot_by_algorithm_accept(call, &floats, algorithm, out_accept);
}

static status_t decide_explained(const oracle_call_t *call, const dot_algorithm_t *algorithm,
                                 size_t component, uint64_t bits, answer_t *out_answer) {
  if (dot_general_is_hybrid(&call->instance->program)) {
    return dot_by_algorithm_decide(call, algorithm, component, bits, out_answer);
  }
  return dot_quantized_decide_by(call, algorithm, component, bits, out_answer);
}

status_t dot_quantized_explains(const oracle_call_t *call, const dot_algorithm_t *algorithm,
                                size_t asks, bool *out_explains) {
  STATUS_TRY(dot_dequantized_require(&call->instance->program, call->error));
  accept_t accept;
  STATUS_TRY(accept_explained(call, algorithm, &accept));
  const element_t *element = call->results[0].type.element;
  *out_explains = true;
  for (size_t i = 0; i < accept.count && *out_explains && asks > 0; i++) {
    uint64_t bits = element_load(element, call->results[0].data, i);
    if (accept_holds(&accept, element, i, bits)) continue;
    asks--;
    arena_mark_t mark = arena_mark(call->arena);
    answer_t answer = {0};
    status_t status = decide_explained(call, algorithm, i, bits, &answer);
    arena_rewind(call->arena, mark);
    if (status == STATUS_UNDECIDED) continue;
    STATUS_TRY(status);
    *out_explains = answer.conforms;
  }
  return STATUS_OK;
}

/* ---- Which semantics ------------------------------------------------------------------------- */

static status_t holds_all(const oracle_call_t *call, bool *out_holds) {
  accept_t accept;
  STATUS_TRY(dot_quantized_accept(call, &accept));
  const element_t *element = call->results[0].type.element;
  *out_holds = true;
  for (size_t i = 0; i < accept.count && *out_holds; i++) {
    uint64_t bits = element_load(element, call->results[0].data, i);
    if (accept_holds(&accept, element, i, bits)) continue;
    arena_mark_t mark = arena_mark(call->arena);
    answer_t answer;
    STATUS_TRY(dot_quantized_decide(call, i, bits, &answer));
    arena_rewind(call->arena, mark);
    *out_holds = answer.conforms;
  }
  return STATUS_OK;
}

status_t dot_quantized_find_formula(const oracle_call_t *call, const accept_t *accepts,
                                    uint8_t *out_formula, bool *out_found) {
  (void)accepts;
  *out_found = false;
  if (!dot_general_is_quantized(&call->instance->program)) {
    return status_fail(call->error, STATUS_UNSUPPORTED,
                       "only quantized results have several formulas");
  }
  if (dot_general_attributes(&call->instance->program)->has_algorithm) {
    return status_fail(call->error, STATUS_UNSUPPORTED, "an algorithm is one formula");
  }
  contract_t tried = *call->contract;
  oracle_call_t other = *call;
  other.contract = &tried;
  for (uint8_t formula = 0; formula < DOT_FORMULA_COUNT && !*out_found; formula++) {
    PERMITTED(&tried, quantized) = formula;
    STATUS_TRY(holds_all(&other, out_found));
    *out_formula = formula;
  }
  return STATUS_OK;
}
