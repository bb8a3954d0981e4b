/* SPDX-License-Identifier: Apache-2.0 */
/* Resolves a dot_general and its algorithm into factor formats, accumulation and result type, and
 * component products; refuses what has no defined meaning; and splits values into components in
 * each permitted rounding. */
#include "oracles/ops/dot_general/plan.h"

#include <math.h>

#include "generated/dot_general_permissions.h"
#include "harness/num/binary64.h"
#include "harness/types/promotion.h"
#include "oracles/exact/arithmetic.h"

static status_t require_sums(const format_t *format, const char *name, failure_t *error) {
  if (format->specials != FORMAT_EXPONENT_ONLY) return STATUS_OK;
  return status_fail(error, STATUS_UNSUPPORTED,
                     "no oracle for sums of %s, which has neither zero nor sign", name);
}

status_t dot_plan_make_plain(const program_t *program, dot_plan_t *out_plan, failure_t *error) {
  const element_t *lhs = program->operands[DOT_GENERAL_LHS].element;
  const element_t *rhs = program->operands[DOT_GENERAL_RHS].element;
  const element_t *result = program->results[0].element;
  STATUS_TRY(element_require_exact_promotion(lhs, result, error));
  STATUS_TRY(element_require_exact_promotion(rhs, result, error));
  STATUS_TRY(require_sums(result->format, result->name, error));
  *out_plan = (dot_plan_t){.lhs = lhs->format,
                           .rhs = rhs->format,
                           .accumulation = result->format,
                           .component_counts = {1, 1},
                           .primitive_count = 1};
  return STATUS_OK;
}

static const format_t *result_of(const dot_plan_t *plan) {
  return plan->result == NULL ? plan->accumulation : plan->result;
}

size_t dot_plan_count(const dot_plan_t *plan, const contract_t *contract) {
  const format_t *formats[ACCUMULATIONS_MAX];
  return plan->has_algorithm ? 1 : contract_accumulations(contract, result_of(plan), formats);
}

void dot_plan_accumulate(dot_plan_t *plan, const contract_t *contract, size_t number) {
  if (plan->has_algorithm) return;
  const format_t *formats[ACCUMULATIONS_MAX], *result = result_of(plan);
  contract_accumulations(contract, result, formats);
  plan->accumulation = formats[number];
  plan->result = formats[number] == result ? NULL : result;
}

/* Whether an operand may be rounded with ties away, or cut where that is permitted. */
static bool takes_any_way(const dot_algorithm_t *algorithm, uint32_t operand,
                          const contract_t *contract) {
  const element_t *type = operand == DOT_GENERAL_LHS ? algorithm->lhs : algorithm->rhs;
  if (PERMITTED(contract, operand_rounding) == OPERAND_ROUNDING_RN) return false;
  return PERMITTED(contract, operand_rounding) != OPERAND_ROUNDING_TF32 ||
         type->format == &format_table[FORMAT_tf32];
}

/* A format that holds all numbers of a type of factors. */
static const format_t *format_of(const element_t *type) {
  if (type->format != NULL) return type->format;
  int format = type->bits <= 8 ? FORMAT_bf16 : type->bits <= 16 ? FORMAT_f32 : FORMAT_f64;
  return &format_table[format];
}

/* Numbers of any real types are multiplied to real ones, and complex ones to complex ones in
 * floats. */
static status_t require_storage(const program_t *program, const dot_algorithm_t *algorithm,
                                failure_t *error) {
  const element_t *types[] = {program->operands[DOT_GENERAL_LHS].element,
                              program->operands[DOT_GENERAL_RHS].element,
                              program->results[0].element};
  for (size_t i = 0; i < G_N_ELEMENTS(types); i++) {
    bool is_complex = types[i]->kind == ELEMENT_COMPLEX;
    bool is_alike = is_complex == (types[2]->kind == ELEMENT_COMPLEX) &&
                    !(is_complex && algorithm->accumulation->format == NULL);
    if (is_alike && types[i]->kind != ELEMENT_BOOLEAN) continue;
    return status_fail(error, STATUS_UNSUPPORTED, "no oracle for dot algorithms on %s",
                       types[i]->name);
  }
  if (types[2]->format == NULL) return STATUS_OK;
  return require_sums(types[2]->format, types[2]->name, error);
}

status_t dot_plan_make_for(const program_t *program, const dot_algorithm_t *algorithm,
                           const contract_t *contract, dot_plan_t *out_plan, failure_t *error) {
  STATUS_TRY(require_storage(program, algorithm, error));
  const element_t *result = program->results[0].element;
  const format_t *accumulation = algorithm->accumulation->format;
  dot_plan_t plan = {
      .has_algorithm = true,
      .types = {algorithm->lhs, algorithm->rhs},
      .sum = algorithm->accumulation,
      .lhs = format_of(algorithm->lhs),
      .rhs = format_of(algorithm->rhs),
      .accumulation = accumulation,
      .result = result->format == accumulation ? NULL : result->format,
      .integer = result->format == NULL ? result : NULL,
      .component_counts = {algorithm->component_counts[0], algorithm->component_counts[1]},
      .any_way = {takes_any_way(algorithm, DOT_GENERAL_LHS, contract),
                  takes_any_way(algorithm, DOT_GENERAL_RHS, contract)},
  };
  plan.factors_exceed = accumulation != NULL && (!arithmetic_format_holds(accumulation, plan.lhs) ||
                                                 !arithmetic_format_holds(accumulation, plan.rhs));
  plan.primitive_count = dot_algorithm_primitives(algorithm, plan.primitives);
  if (algorithm->is_imprecise) { /* Of any float: theory.md, T134. */
    plan.imprecise_bits = IMPRECISE_BITS_MIN + PERMITTED(contract, imprecise_accum_bits);
  }
  *out_plan = plan;
  return STATUS_OK;
}

status_t dot_plan_make(const program_t *program, const contract_t *contract, dot_plan_t *out_plan,
                       failure_t *error) {
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  if (attributes->accumulation != NULL) {
    const dot_algorithm_t algorithm = dot_general_accumulating(attributes->accumulation);
    return dot_plan_make_for(program, &algorithm, contract, out_plan, error);
  }
  if (!attributes->has_algorithm) {
    STATUS_TRY(dot_plan_make_plain(program, out_plan, error));
    dot_plan_accumulate(out_plan, contract, 0);
    return STATUS_OK;
  }
  dot_algorithm_t algorithm;
  if (!dot_algorithm_find(&attributes->algorithm, &algorithm)) {
    return status_fail(error, STATUS_UNSUPPORTED,
                       "no oracle for a dot algorithm that has no meaning");
  }
  return dot_plan_make_for(program, &algorithm, contract, out_plan, error);
}

size_t dot_plan_splits(const dot_plan_t *plan, const contract_t *contract,
                       split_t out_splits[DOT_SPLITS_MAX]) {
  size_t count = 0;
  bool is_split = plan->component_counts[0] > 1 || plan->component_counts[1] > 1;
  out_splits[count++] = SPLIT_NEAREST;
  if (is_split) out_splits[count++] = SPLIT_TRUNCATE;
  if (!plan->any_way[0] && !plan->any_way[1]) return count;
  out_splits[count++] = SPLIT_NEAREST_AWAY;
  if (PERMITTED(contract, operand_rounding) == OPERAND_ROUNDING_RNA) return count;
  out_splits[count++] = SPLIT_TRUNCATE_ALL;
  if (is_split) out_splits[count++] = SPLIT_TRUNCATE_AWAY;
  return count;
}

/* The leading component of an f32 NaN whose pattern is cut down to the precision: infinity if no
 * bit of the payload is left.  Patterns of other formats are converted to f32 first, which makes
 * NaN quiet: its first payload bit is set. */
static double mask_nan(const format_t *precision, const format_t *storage, uint64_t bits) {
  if (storage != &format_table[FORMAT_f32]) return NAN;
  int dropped = storage->precision - precision->precision;
  uint64_t payload = bits & ((UINT64_C(1) << (storage->precision - 1)) - 1);
  if (dropped <= 0 || payload >> dropped != 0) return NAN;
  return format_is_negative(storage, bits) ? -INFINITY : INFINITY;
}

double dot_split_round(const format_t *precision, double value, rounding_t rounding) {
  if (rounding == ROUNDING_NEAREST_EVEN) return format_round_double(precision, value);
  uint64_t bits =
      format_convert(&format_table[FORMAT_f64], precision, binary64_bits(value), rounding);
  return format_to_double(precision, bits);
}

void dot_split(split_t split, const format_t *precision, int count, const dot_stored_t *number,
               double out_components[DOT_COMPONENTS_MAX]) {
  double value = number->value;
  const format_t *f32 = &format_table[FORMAT_f32];
  if (dot_split_is_usual(precision) && arithmetic_format_holds(f32, number->storage) &&
      fabs(value) <= DOT_SPLIT_LARGEST) {
    float left = (float)value;
    for (int i = 0; i < count; i++) {
      float component = dot_split_f32(left, precision, dot_split_rounding(split, i, count));
      out_components[i] = (double)component;
      left -= component;
    }
    return;
  }
  double rest = value;
  for (int i = 0; i < count; i++) {
    rounding_t rounding = dot_split_rounding(split, i, count);
    double component = dot_split_round(precision, rest, rounding);
    if (i == 0 && rounding == ROUNDING_TOWARD_ZERO && isnan(value)) {
      component = mask_nan(precision, number->storage, number->bits);
    }
    out_components[i] = component;
    rest -= component; /* Exact: it has fewer bits than `rest`, and the same lowest one. */
  }
}
