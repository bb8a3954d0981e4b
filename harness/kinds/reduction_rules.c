/* SPDX-License-Identifier: Apache-2.0 */
/* Type rules of reduction bodies and implicit conversions, by the specification or the RFC as the
 * contract says. */
#include "harness/kinds/reduction.h"
#include "harness/types/promotion.h"

/* ---- Types ----------------------------------------------------------------------------------- */

bool reduction_takes(const type_t *type) {
  return type->element->is_tensor_element && type->rank <= TYPE_RANK_MAX &&
         (type->quantization == NULL || type->quantization->axis == -1);
}

static bool is_compared(const scalar_type_t *type) {
  return type->expressed == NULL && type->element->kind != ELEMENT_COMPLEX;
}

static bool is_count(const scalar_type_t *type) {
  return type->expressed == NULL && element_is_integer(type->element);
}

static bool converts(const reduction_types_t *types, uint32_t input) {
  const scalar_type_t *accumulation = &types->accumulations[input];
  return !scalar_type_equal(&types->inputs[input], accumulation) ||
         !scalar_type_equal(accumulation, &types->results[input]);
}

bool reduction_body_allows(reduce_body_t body, const reduction_types_t *types) {
  const scalar_type_t *value = &types->accumulations[0];
  switch (reduce_body_table[body].domain) {
    case REDUCE_DOMAIN_ANY:
      return true;
    case REDUCE_DOMAIN_ORDERED:
      return value->element->kind != ELEMENT_COMPLEX;
    case REDUCE_DOMAIN_BITS:
      return value->element->kind == ELEMENT_BOOLEAN || is_count(value);
    case REDUCE_DOMAIN_ARG:
      return is_compared(value) && is_count(&types->accumulations[1]) && !converts(types, 0) &&
             !converts(types, 1);
    case REDUCE_DOMAIN_COUNT:
      return value->expressed == NULL && is_count(&types->accumulations[1]);
    case REDUCE_DOMAIN_WRITTEN:
      break;
  }
  return false;
}

bool reduction_written_allows(const body_t *written, const reduction_types_t *types) {
  const element_t *arguments[CASE_RESULTS_MAX], *steps[BODY_STEPS_MAX];
  if (written->result_count != types->count) return false;
  for (uint32_t i = 0; i < types->count; i++) {
    if (types->accumulations[i].expressed != NULL || converts(types, i)) return false;
    arguments[i] = types->accumulations[i].element;
  }
  return body_find_types(written, arguments, steps);
}

/* ---- Implicit conversions -------------------------------------------------------------------- */

typedef enum type_class {
  CLASS_BOOLEAN,
  CLASS_INTEGER,
  CLASS_FLOAT,
  CLASS_COMPLEX,
  CLASS_QUANTIZED,
} type_class_t;

static type_class_t class_of(const scalar_type_t *type) {
  if (type->expressed != NULL) return CLASS_QUANTIZED;
  switch (type->element->kind) {
    case ELEMENT_BOOLEAN:
      return CLASS_BOOLEAN;
    case ELEMENT_FLOAT:
      return CLASS_FLOAT;
    case ELEMENT_COMPLEX:
      return CLASS_COMPLEX;
    default:
      return CLASS_INTEGER;
  }
}

/* Whether there is such a conversion by either rules, or which one says no. */
static reduction_rule_t check_conversion(const scalar_type_t *from, const scalar_type_t *to) {
  static const struct {
    type_class_t from, to;
    reduction_rule_t rule;
  } cases[] = {
      {CLASS_FLOAT, CLASS_QUANTIZED, REDUCTION_RULE_CASE_B},
      {CLASS_QUANTIZED, CLASS_FLOAT, REDUCTION_RULE_CASE_C},
      {CLASS_FLOAT, CLASS_INTEGER, REDUCTION_RULE_CASE_D},
      {CLASS_INTEGER, CLASS_FLOAT, REDUCTION_RULE_CASE_E},
  };
  type_class_t from_class = class_of(from), to_class = class_of(to);
  if (from_class == to_class) {
    return from->expressed == to->expressed ? REDUCTION_RULE_NONE : REDUCTION_RULE_BODY;
  }
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    if (cases[i].from == from_class && cases[i].to == to_class) return cases[i].rule;
  }
  return REDUCTION_RULE_BODY;
}

/* Today's specification: is_promotable(input, accumulation), and no output conversion. */
static reduction_rule_t check_specification(const reduction_types_t *types) {
  for (uint32_t i = 0; i < types->count; i++) {
    const scalar_type_t *accumulation = &types->accumulations[i];
    if (types->inputs[i].element->bits > accumulation->element->bits) return REDUCTION_RULE_BODY;
    if (!scalar_type_equal(accumulation, &types->results[i])) return REDUCTION_RULE_RESULT;
  }
  return REDUCTION_RULE_NONE;
}

static reduction_rule_t check_rfc(const reduction_types_t *types) {
  for (uint32_t i = 0; i < types->count; i++) {
    if (class_of(&types->inputs[i]) == CLASS_COMPLEX && converts(types, i)) {
      return REDUCTION_RULE_CASE_H;
    }
    if (!scalar_type_has_baseline_of(&types->inputs[i], &types->results[i])) {
      return REDUCTION_RULE_BASELINE;
    }
  }
  return REDUCTION_RULE_NONE;
}

/* ---- Constraints ----------------------------------------------------------------------------- */

bool reduction_is_canonical(const reduction_t *reduction, const reduction_types_t *types) {
  if (reduction->accumulation_count == 0) return true;
  for (uint32_t i = 0; i < types->count; i++) {
    if (!scalar_type_equal(&reduction->accumulation[i], &types->results[i])) return true;
  }
  return false;
}

/* What StableHLO defines on no other type, whatever else this model leaves out. */
static bool breaks_bits(reduce_body_t body, const reduction_types_t *types) {
  return reduce_body_table[body].domain == REDUCE_DOMAIN_BITS &&
         !reduction_body_allows(body, types);
}

reduction_rule_t reduction_broken_rule(const reduction_t *reduction,
                                       const reduction_types_t *types) {
  if (reduction->body > REDUCE_BODY_COUNT) return REDUCTION_RULE_BODY;
  if (reduction_inputs(reduction) != types->count) return REDUCTION_RULE_BODY;
  uint32_t named = reduction->accumulation_count; /* It takes as many as are named. */
  if (named != 0 && named != types->count) return REDUCTION_RULE_BODY;
  for (uint32_t i = 0; i < types->count; i++) {
    const scalar_type_t *accumulation = &types->accumulations[i];
    reduction_rule_t rule = check_conversion(&types->inputs[i], accumulation);
    if (rule == REDUCTION_RULE_NONE) rule = check_conversion(accumulation, &types->results[i]);
    if (rule != REDUCTION_RULE_NONE) return rule;
  }
  reduction_rule_t specification = check_specification(types);
  if (specification != REDUCTION_RULE_NONE) {
    reduction_rule_t rfc = check_rfc(types);
    if (rfc == REDUCTION_RULE_CASE_H) return rfc;
    if (rfc != REDUCTION_RULE_NONE) return specification;
  }
  return breaks_bits(reduction->body, types) ? REDUCTION_RULE_BITS : REDUCTION_RULE_NONE;
}

bool reduction_is_plain(const reduction_t *reduction, const type_t *inputs, const type_t *results,
                        uint32_t count) {
  if (reduction->body > REDUCE_BODY_COUNT || reduction->accumulation_count != 0) return false;
  if (reduction_inputs(reduction) != count) return false;
  if (reduce_body_table[reduction->body].domain == REDUCE_DOMAIN_BITS) return false;
  for (uint32_t i = 0; i < count; i++) {
    bool is_quantized = inputs[i].quantization != NULL || results[i].quantization != NULL;
    if (is_quantized || inputs[i].element != results[i].element) return false;
  }
  return true;
}

reduction_rule_t reduction_broken_rule_under(const reduction_types_t *types,
                                             const contract_t *contract) {
  return PERMITTED(contract, reduce_types) == REDUCE_TYPES_RFC ? check_rfc(types)
                                                               : check_specification(types);
}
