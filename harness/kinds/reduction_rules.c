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
  }
  return false;
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

/* NULL if there is such a conversion by either rules, else the constraint that says no. */
static const char *check_conversion(const scalar_type_t *from, const scalar_type_t *to,
                                    const char *body_id) {
  static const struct {
    type_class_t from, to;
    const char *id;
  } cases[] = {
      {CLASS_FLOAT, CLASS_QUANTIZED, "case-B"},
      {CLASS_QUANTIZED, CLASS_FLOAT, "case-C"},
      {CLASS_FLOAT, CLASS_INTEGER, "case-D"},
      {CLASS_INTEGER, CLASS_FLOAT, "case-E"},
  };
  type_class_t from_class = class_of(from), to_class = class_of(to);
  if (from_class == to_class) return from->expressed == to->expressed ? NULL : body_id;
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    if (cases[i].from == from_class && cases[i].to == to_class) return cases[i].id;
  }
  return body_id;
}

/* Today's specification: is_promotable(input, accumulation), and no output conversion. */
static const char *check_specification(const reduction_types_t *types, const char *body_id,
                                       const char *result_id) {
  for (uint32_t i = 0; i < types->count; i++) {
    const scalar_type_t *accumulation = &types->accumulations[i];
    if (types->inputs[i].element->bits > accumulation->element->bits) return body_id;
    if (!scalar_type_equal(accumulation, &types->results[i])) return result_id;
  }
  return NULL;
}

static const char *check_rfc(const reduction_types_t *types) {
  for (uint32_t i = 0; i < types->count; i++) {
    if (class_of(&types->inputs[i]) == CLASS_COMPLEX && converts(types, i)) return "case-H";
    if (!scalar_type_has_baseline_of(&types->inputs[i], &types->results[i])) return "baseline";
  }
  return NULL;
}

/* ---- Constraints ----------------------------------------------------------------------------- */

/* Types are not named where they need not be. */
static bool accumulation_is_canonical(const reduction_t *reduction,
                                      const reduction_types_t *types) {
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

const char *reduction_validate(const reduction_t *reduction, const reduction_types_t *types,
                               const char *body_id, const char *result_id) {
  if (reduction->body >= REDUCE_BODY_COUNT) return body_id;
  if (reduce_body_table[reduction->body].inputs != types->count) return body_id;
  uint32_t named = reduction->accumulation_count;
  if (named != 0 && named != types->count) return body_id; /* It takes as many as are named. */
  for (uint32_t i = 0; i < types->count; i++) {
    const scalar_type_t *accumulation = &types->accumulations[i];
    const char *violation = check_conversion(&types->inputs[i], accumulation, body_id);
    if (violation == NULL) violation = check_conversion(accumulation, &types->results[i], body_id);
    if (violation != NULL) return violation;
  }
  const char *specification = check_specification(types, body_id, result_id);
  if (specification != NULL) {
    const char *rfc = check_rfc(types);
    if (g_strcmp0(rfc, "case-H") == 0) return rfc;
    if (rfc != NULL) return specification;
  }
  return breaks_bits(reduction->body, types) ? "bits" : NULL;
}

const char *reduction_check_model(const reduction_t *reduction, const reduction_types_t *types) {
  if (!accumulation_is_canonical(reduction, types)) return "accumulation";
  return reduction_body_allows(reduction->body, types) ? NULL : "body";
}

const char *reduction_validate_under(const reduction_types_t *types, const contract_t *contract,
                                     const char *body_id, const char *result_id) {
  return PERMITTED(contract, reduce_types) == REDUCE_TYPES_RFC
             ? check_rfc(types)
             : check_specification(types, body_id, result_id);
}
