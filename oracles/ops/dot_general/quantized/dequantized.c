/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the permitted variants of a quantized dot_general in floats by the format of each step,
 * and rewrites a case, or one component's sum, in floats for a variant. */
#include "oracles/ops/dot_general/quantized/dequantized.h"

static const format_t *expressed_format(const program_t *program) {
  return program->operands[DOT_GENERAL_RHS].quantization->expressed->format;
}

typedef struct variant_list {
  const format_t *own;            /* The expressed type. */
  const format_t *arithmetics[2]; /* quantum_arithmetics() */
  size_t arithmetic_count;
  bool is_hybrid;
  size_t count;
  dot_dequantized_t *variants;
} variant_list_t;

/* A way to get at the sum, with each way to quantize it. */
static void add_sums(variant_list_t *list, dot_dequantized_t variant) {
  g_assert(list->count + 2 <= DOT_VARIANTS_MAX);
  if (list->is_hybrid) {
    list->variants[list->count++] = variant;
    return;
  }
  for (size_t i = 0; i < list->arithmetic_count; i++) {
    variant.quantize = list->arithmetics[i];
    bool takes_sum = variant.quantize != list->own || variant.rounded == list->own;
    if (takes_sum) list->variants[list->count++] = variant;
  }
}

/* Each step of a program that names an algorithm in either type: what it is given, and what its sum
 * is converted to; a hybrid's is converted to its own. */
static void add_algorithms(variant_list_t *list, const format_t *wide) {
  const format_t *own = list->own;
  for (size_t i = 0; i < list->arithmetic_count; i++) {
    const format_t *first = list->arithmetics[i];
    for (int is_rounded = 0; is_rounded < (first == own ? 1 : 2); is_rounded++) {
      const format_t *factors = is_rounded != 0 ? own : first;
      add_sums(list, (dot_dequantized_t){first, factors, own, own, NULL});
      if (wide == own || list->is_hybrid) continue;
      add_sums(list, (dot_dequantized_t){first, factors, wide, wide, NULL});
    }
  }
}

size_t dot_variants(const program_t *program, const contract_t *contract,
                    dot_dequantized_t out_variants[DOT_VARIANTS_MAX]) {
  const format_t *own = expressed_format(program), *sums[ACCUMULATIONS_MAX];
  variant_list_t list = {
      .own = own, .is_hybrid = dot_general_is_hybrid(program), .variants = out_variants};
  list.arithmetic_count =
      quantum_arithmetics(&program->operands[DOT_GENERAL_RHS], contract, list.arithmetics);
  const format_t *wide = list.arithmetics[list.arithmetic_count - 1];
  if (dot_general_attributes(program)->has_algorithm) {
    add_algorithms(&list, wide);
    return list.count;
  }
  size_t sum_count = contract_accumulations(contract, own, sums);
  for (size_t i = 0; i < list.arithmetic_count; i++) {
    const format_t *first = list.arithmetics[i];
    for (size_t k = 0; k < sum_count; k++) {
      add_sums(&list, (dot_dequantized_t){first, own, sums[k], own, NULL});
    }
    bool stays_wide = wide != own && !list.is_hybrid;
    if (stays_wide) add_sums(&list, (dot_dequantized_t){first, own, wide, wide, NULL});
    if (first == own) continue;
    add_sums(&list, (dot_dequantized_t){first, first, first, own, NULL});
    if (stays_wide) add_sums(&list, (dot_dequantized_t){first, first, first, first, NULL});
  }
  return list.count;
}

status_t dot_dequantized_require(const program_t *program, failure_t *error) {
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  const type_t *lhs = &program->operands[DOT_GENERAL_LHS];
  const type_t *rhs = &program->operands[DOT_GENERAL_RHS];
  if (attributes->accumulation != NULL) {
    return status_fail(error, STATUS_UNSUPPORTED,
                       "no oracle for quantized operands with a type of accumulation");
  }
  bool varies = dimension_list_contains(&attributes->rhs_contracting, rhs->quantization->axis) ||
                (lhs->quantization != NULL &&
                 dimension_list_contains(&attributes->lhs_contracting, lhs->quantization->axis));
  if (varies) {
    return status_fail(error, STATUS_UNSUPPORTED,
                       "no oracle for scales that change along a contracting dimension");
  }
  if (expressed_format(program)->specials == FORMAT_EXPONENT_ONLY) {
    return status_fail(error, STATUS_UNSUPPORTED, "no oracle for sums of %s",
                       rhs->quantization->expressed->name);
  }
  return STATUS_OK;
}

/* ---- Values ---------------------------------------------------------------------------------- */

static double factor_of(const quantum_t *quantum, const dot_dequantized_t *variant,
                        int64_t stored) {
  double value = quantum_dequantize(quantum, variant->dequantize, stored);
  if (variant->factors == variant->dequantize) return value;
  return format_round_double(variant->factors, value);
}

static double load_factor(const tensor_t *tensor, const dot_dequantized_t *variant, size_t index) {
  const element_t *element = tensor->type.element;
  if (tensor->type.quantization == NULL) {
    return format_to_double(element->format, element_load(element, tensor->data, index));
  }
  const quantum_t quantum = quantum_of(&tensor->type, index);
  return factor_of(&quantum, variant, quantum_load(tensor, index));
}

static const element_t *element_of(const format_t *format) { return element_named(format->name); }

enum { STORED_MAX = 256 };

/* Whether the elements have so few values that each is found once; then `out` are the patterns of
 * their factors. */
static bool find_factors(const tensor_t *tensor, size_t count, const dot_dequantized_t *variant,
                         uint64_t out[STORED_MAX]) {
  const element_t *stored = tensor->type.element;
  const quantization_t *quantization = tensor->type.quantization;
  if (quantization == NULL || quantization->axis != -1) return false;
  if (stored->bits > 8 || count < STORED_MAX) return false;
  const quantum_t quantum = quantum_of(&tensor->type, 0);
  for (uint64_t bits = 0; bits <= element_mask(stored); bits++) {
    double factor = factor_of(&quantum, variant, element_signed_value(stored, bits));
    out[bits] = format_from_double(variant->factors, factor);
  }
  return true;
}

static tensor_t make_factors(const tensor_t *tensor, const dot_dequantized_t *variant,
                             arena_t *arena) {
  const element_t *element = element_of(variant->factors);
  if (tensor->type.quantization == NULL && tensor->type.element == element) return *tensor;
  type_t type = tensor->type;
  type.element = element;
  type.quantization = NULL;
  tensor_t factors = tensor_make(arena, &type);
  size_t count = type_element_count(&type);
  uint64_t patterns[STORED_MAX];
  const element_t *stored = tensor->type.element;
  if (find_factors(tensor, count, variant, patterns)) {
    for (size_t i = 0; i < count; i++) {
      uint64_t bits = element_load(stored, tensor->data, i) & element_mask(stored);
      element_store(element, factors.data, i, patterns[bits]);
    }
    return factors;
  }
  for (size_t i = 0; i < count; i++) {
    double value = load_factor(tensor, variant, i);
    element_store(element, factors.data, i, format_from_double(variant->factors, value));
  }
  return factors;
}

case_t dot_dequantized_case(const case_t *instance, const dot_dequantized_t *variant,
                            arena_t *arena) {
  case_t floats = *instance;
  for (uint32_t i = 0; i < 2; i++) {
    floats.operands[i] = make_factors(&instance->operands[i], variant, arena);
    floats.program.operands[i] = floats.operands[i].type;
  }
  if (dot_general_is_quantized(&instance->program)) {
    floats.program.results[0].element = element_of(variant->rounded);
    floats.program.results[0].quantization = NULL;
  }
  return floats;
}

dot_plan_t dot_dequantized_plan(const dot_dequantized_t *variant) {
  return (dot_plan_t){.lhs = variant->factors,
                      .rhs = variant->factors,
                      .accumulation = variant->sum,
                      .result = variant->rounded != variant->sum ? variant->rounded : NULL,
                      .component_counts = {1, 1},
                      .primitive_count = 1};
}

tensor_t dot_dequantized_terms(const tensor_t *operand, uint32_t side,
                               const dot_dequantized_t *variant, const dot_general_layout_t *layout,
                               dot_general_place_t place, arena_t *arena) {
  const element_t *element = element_of(variant->factors);
  const int64_t count = (int64_t)layout->term_count;
  const type_t type = type_make(element, 1, &count);
  tensor_t terms = tensor_make(arena, &type);
  for (size_t term = 0; term < layout->term_count; term++) {
    size_t index = side == DOT_GENERAL_LHS ? dot_general_lhs_index(layout, place, term)
                                           : dot_general_rhs_index(layout, place, term);
    double value = load_factor(operand, variant, index);
    element_store(element, terms.data, term, format_from_double(variant->factors, value));
  }
  return terms;
}

sum_problem_t dot_dequantized_question(const case_t *instance, const dot_dequantized_t *variant,
                                       const dot_general_layout_t *layout,
                                       dot_general_place_t place, arena_t *arena) {
  double *left = ARENA_NEW_ARRAY(arena, double, layout->term_count);
  double *right = ARENA_NEW_ARRAY(arena, double, layout->term_count);
  for (size_t term = 0; term < layout->term_count; term++) {
    left[term] = load_factor(&instance->operands[DOT_GENERAL_LHS], variant,
                             dot_general_lhs_index(layout, place, term));
    right[term] = load_factor(&instance->operands[DOT_GENERAL_RHS], variant,
                              dot_general_rhs_index(layout, place, term));
  }
  const dot_plan_t plan = dot_dequantized_plan(variant);
  return (sum_problem_t){.format = plan.accumulation,
                         .count = layout->term_count,
                         .left = left,
                         .right = right,
                         .left_format = plan.lhs,
                         .right_format = plan.rhs,
                         .left_storage = plan.lhs,
                         .right_storage = plan.rhs,
                         .result = plan.result};
}
