#include "harness/model/promotion.h"
#include "harness/model/reduction.h"

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

/* ---- Breaking -------------------------------------------------------------------------------- */

/* By its class: a quantized type is i8 with a scale of 1. */
static scalar_type_t draw_of_class(rng_t *rng, type_class_t type_class) {
  static const char *const integers[] = {"i8", "i32", "ui16"};
  static const char *const floats[] = {"f32", "bf16", "f64"};
  uint64_t choice = rng_below(rng, 3);
  if (type_class != CLASS_QUANTIZED) {
    return scalar_type_make(
        element_named(type_class == CLASS_INTEGER ? integers[choice] : floats[choice]));
  }
  return (scalar_type_t){.element = element_named("i8"),
                         .expressed = element_named(floats[choice]),
                         .scale = 1,
                         .storage_min = -128,
                         .storage_max = 127};
}

/* The conversion of an input or, sometimes, of a result. */
static void break_conversion(rng_t *rng, scalar_type_t from, scalar_type_t to,
                             reduction_types_t *types) {
  bool is_output = rng_one_in(rng, 3);
  types->inputs[0] = from;
  types->accumulations[0] = is_output ? from : to;
  types->results[0] = is_output || rng_one_in(rng, 2) ? to : from;
}

/* A body of bits on numbers that have none. */
static bool break_bits(rng_t *rng, const reduction_types_t *types, reduction_t *reduction) {
  static const reduce_body_t bitwise[] = {REDUCE_and, REDUCE_or, REDUCE_xor};
  reduction->body = bitwise[rng_below(rng, G_N_ELEMENTS(bitwise))];
  return types->count == 1 && breaks_bits(reduction->body, types);
}

bool reduction_break(rng_t *rng, const char *id, reduction_types_t *inout_types,
                     reduction_t *inout_reduction) {
  static const struct {
    const char *id;
    type_class_t from, to;
  } cases[] = {
      {"case-B", CLASS_FLOAT, CLASS_QUANTIZED},
      {"case-C", CLASS_QUANTIZED, CLASS_FLOAT},
      {"case-D", CLASS_FLOAT, CLASS_INTEGER},
      {"case-E", CLASS_INTEGER, CLASS_FLOAT},
  };
  if (strcmp(id, "bits") == 0) return break_bits(rng, inout_types, inout_reduction);
  bool is_known = false;
  if (strcmp(id, "case-H") == 0) {
    const scalar_type_t narrow = scalar_type_make(element_named("complex<f32>"));
    const scalar_type_t wide = scalar_type_make(element_named("complex<f64>"));
    bool widens = rng_one_in(rng, 2);
    inout_types->inputs[0] = inout_types->results[0] = widens ? narrow : wide;
    inout_types->accumulations[0] = widens ? wide : narrow;
    is_known = true;
  }
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    if (strcmp(cases[i].id, id) != 0) continue;
    break_conversion(rng, draw_of_class(rng, cases[i].from), draw_of_class(rng, cases[i].to),
                     inout_types);
    is_known = true;
  }
  if (is_known) reduction_name_accumulations(inout_types, inout_reduction);
  return is_known;
}
