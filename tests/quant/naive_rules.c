/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of the second propagation: each is applied until nothing new follows, over a plain record
 * of what is known of each port. */
#include "tests/quant/naive_rules.h"

#include <math.h>
#include <string.h>

bool naive_is_known(const knowledge_t *knowledge, uint32_t port) {
  return knowledge->specs[port].kind == QUANT_SPEC_UNIFORM;
}

bool naive_is_rescale(const quant_region_t *region) {
  return strcmp(region->kernel, "rescale") == 0;
}

/* ---- Parameters ------------------------------------------------------------------------------ */

bool naive_same_parameters(const quant_spec_t *a, const quant_spec_t *b) {
  const quantization_t *left = a->uniform, *right = b->uniform;
  if (a->storage != b->storage || a->expressed != b->expressed) return false;
  if (left->storage_min != right->storage_min || left->storage_max != right->storage_max) {
    return false;
  }
  if (left->axis != right->axis || left->count != right->count) return false;
  for (uint32_t i = 0; i < left->count; i++) {
    if (fabs(left->scales[i] - right->scales[i]) > 0) return false;
    if (left->zero_points[i] != right->zero_points[i]) return false;
  }
  return true;
}

static quant_spec_t make_parameters(const place_t *place, uint32_t port, int32_t axis,
                                    uint32_t count, const double *scales, int64_t zero_point) {
  const quant_signature_port_t *signature = &place->known->signature[port];
  double *own = ARENA_NEW_ARRAY(place->arena, double, count);
  int64_t *zero_points = ARENA_NEW_ARRAY(place->arena, int64_t, count);
  for (uint32_t i = 0; i < count; i++) {
    own[i] = scales[i];
    zero_points[i] = zero_point;
  }
  quantization_t *uniform = ARENA_NEW_ARRAY(place->arena, quantization_t, 1);
  const element_t *expressed = place->graph->values[place->region->ports[port].value].type.element;
  *uniform = (quantization_t){
      expressed, signature->storage_min, signature->storage_max, axis, count, own, zero_points};
  return (quant_spec_t){.kind = QUANT_SPEC_UNIFORM,
                        .expressed = expressed,
                        .storage = signature->storage,
                        .storage_min = signature->storage_min,
                        .storage_max = signature->storage_max,
                        .uniform = uniform};
}

bool naive_is_admitted(const place_t *place, uint32_t port, const quant_spec_t *spec) {
  const quant_signature_port_t *signature = &place->known->signature[port];
  const quant_port_t *shape = &place->region->ports[port];
  const type_t *type = &place->graph->values[shape->value].type;
  const quantization_t *uniform = spec->uniform;
  const quant_spec_t *of_value = &place->graph->values[shape->value].spec;
  const quant_spec_t *asked = shape->spec.kind != QUANT_SPEC_OPEN ? &shape->spec : of_value;
  if (asked->kind == QUANT_SPEC_ANY &&
      (uniform->storage_min > asked->storage_min || uniform->storage_max < asked->storage_max)) {
    return false;
  }
  if (uniform->axis >= 0) {
    if ((uint32_t)uniform->axis >= type->rank) return false;
    if (type->dims[uniform->axis] != uniform->count) return false;
  }
  if (naive_is_rescale(place->region)) return true;
  if (uniform->axis >= 0 && uniform->axis != signature->axis) return false;
  for (uint32_t i = 0; i < uniform->count; i++) {
    if (signature->is_symmetric && uniform->zero_points[i] != 0) return false;
    if (uniform->zero_points[i] < uniform->storage_min) return false;
    if (uniform->zero_points[i] > uniform->storage_max) return false;
  }
  return spec->storage == signature->storage && uniform->storage_min >= signature->storage_min &&
         uniform->storage_max <= signature->storage_max;
}

/* A positive scale rounded to the float type; 0 if that is no positive finite number. */
static double rounded_scale(const element_t *expressed, double scale) {
  double rounded = format_round_double(expressed->format, scale);
  return isfinite(rounded) && rounded > 0 ? rounded : 0;
}

/* ---- The four rules -------------------------------------------------------------------------- */

static finding_t learn(const place_t *place, knowledge_t *inout, uint32_t port,
                       const quant_spec_t *spec, bool is_guess, bool *inout_news) {
  if (naive_is_known(inout, port)) {
    return naive_same_parameters(&inout->specs[port], spec) ? FINDING_FITS : FINDING_CONTRADICTS;
  }
  if (!naive_is_admitted(place, port, spec)) return FINDING_CONTRADICTS;
  inout->specs[port] = *spec;
  inout->is_guess[port] = is_guess;
  inout->sources[port] = QUANT_SOURCE_RULE;
  *inout_news = true;
  return FINDING_FITS;
}

static finding_t apply_same(const place_t *place, const uint32_t *ports, uint32_t count,
                            bool is_guess, knowledge_t *inout, bool *inout_news) {
  const quant_spec_t *common = NULL;
  for (uint32_t i = 0; i < count; i++) {
    if (!naive_is_known(inout, ports[i])) continue;
    if (common == NULL) common = &inout->specs[ports[i]];
    if (!naive_same_parameters(common, &inout->specs[ports[i]])) return FINDING_CONTRADICTS;
  }
  for (uint32_t i = 0; common != NULL && i < count; i++) {
    if (place->known->signature[ports[i]].kind == QUANT_PORT_FLOAT) continue;
    if (!naive_is_admitted(place, ports[i], common)) return FINDING_CONTRADICTS;
  }
  for (uint32_t i = 0; common != NULL && i < count; i++) {
    if (place->known->signature[ports[i]].kind == QUANT_PORT_FLOAT) continue;
    finding_t finding = learn(place, inout, ports[i], common, is_guess, inout_news);
    if (finding != FINDING_FITS) return finding;
  }
  return FINDING_FITS;
}

/* Whether parameters that are facts have these scales, entry by entry, and zero points 0 + `zero`.
 */
static bool has_scales(const quant_spec_t *fact, const double *scales, uint32_t count,
                       bool is_per_axis, int64_t zero) {
  const quantization_t *uniform = fact->uniform;
  if (is_per_axis && uniform->axis >= 0 && uniform->count != count) return false;
  uint32_t entries = uniform->count > count ? uniform->count : count;
  for (uint32_t i = 0; i < entries; i++) {
    uint32_t mine = uniform->axis >= 0 ? i : 0;
    if (fabs(uniform->scales[mine] - scales[is_per_axis ? i : 0]) > 0) return false;
    if (uniform->zero_points[mine] != zero) return false;
  }
  return true;
}

static finding_t apply_scales(const place_t *place, uint32_t port, int32_t axis,
                              const double *scales, uint32_t count, int64_t zero, bool is_guess,
                              knowledge_t *inout, bool *inout_news) {
  if (naive_is_known(inout, port) && !inout->is_guess[port]) {
    bool holds = has_scales(&inout->specs[port], scales, count, axis >= 0, zero);
    return holds ? FINDING_FITS : FINDING_CONTRADICTS;
  }
  quant_spec_t spec = make_parameters(place, port, axis, count, scales, zero);
  return learn(place, inout, port, &spec, is_guess, inout_news);
}

static finding_t apply_fixed(const place_t *place, const quant_rule_use_t *use, uint32_t port,
                             bool is_guess, knowledge_t *inout, bool *inout_news) {
  if (place->known->signature[port].kind == QUANT_PORT_FLOAT) return FINDING_FITS;
  const type_t *type = &place->graph->values[place->region->ports[port].value].type;
  double scale = rounded_scale(type->element, use->scale);
  if (!(scale > 0)) return FINDING_CONTRADICTS;
  return apply_scales(place, port, -1, &scale, 1, use->zero_point, is_guess, inout, inout_news);
}

static finding_t apply_product(const place_t *place, const uint32_t *ports, bool is_by_channel,
                               bool is_guess, knowledge_t *inout, bool *inout_news) {
  uint32_t result = ports[0], left = ports[1], right = ports[2];
  if (place->known->signature[result].kind == QUANT_PORT_FLOAT) return FINDING_FITS;
  if (!naive_is_known(inout, left) || !naive_is_known(inout, right)) {
    return naive_is_known(inout, result) && inout->is_guess[result] ? FINDING_WAITS : FINDING_FITS;
  }
  const quantization_t *a = inout->specs[left].uniform, *b = inout->specs[right].uniform;
  if (a->axis >= 0 || (b->axis >= 0 && !is_by_channel)) return FINDING_CONTRADICTS;
  const type_t *type = &place->graph->values[place->region->ports[result].value].type;
  double *products = ARENA_NEW_ARRAY(place->arena, double, b->count);
  for (uint32_t i = 0; i < b->count; i++) {
    products[i] = rounded_scale(type->element, a->scales[0] * b->scales[i]);
    if (!(products[i] > 0)) return FINDING_CONTRADICTS;
  }
  int32_t axis = b->axis >= 0 ? place->known->signature[result].axis : -1;
  bool is_fact = naive_is_known(inout, result) && !inout->is_guess[result];
  if (b->axis >= 0 && is_fact) {
    bool holds = has_scales(&inout->specs[result], products, b->count, true, 0);
    return holds ? FINDING_FITS : FINDING_CONTRADICTS;
  }
  if (b->axis >= 0 && axis < 0) return FINDING_CONTRADICTS;
  return apply_scales(place, result, axis, products, b->count, 0, is_guess, inout, inout_news);
}

static finding_t apply_rule(const place_t *place, const quant_rule_use_t *use, bool is_guess,
                            knowledge_t *inout, bool *inout_news) {
  uint32_t ports[QUANT_PORTS_MAX];
  uint32_t count = 0, inputs = place->region->input_count, row_inputs = 0;
  for (uint32_t i = 0; i < place->known->row->port_count; i++) {
    row_inputs += !place->known->row->ports[i].is_output;
  }
  for (uint32_t i = 0; i < use->port_count; i++) {
    uint32_t named = use->ports[i];
    bool is_rest = named < row_inputs && place->known->row->ports[named].is_repeated;
    if (named >= row_inputs) ports[count++] = named - row_inputs + inputs;
    if (named < row_inputs && named < inputs) ports[count++] = named;
    for (uint32_t more = named + 1; is_rest && more < inputs; more++) ports[count++] = more;
  }
  const char *name = use->rule->name;
  if (strcmp(name, "same_scale") == 0) {
    return apply_same(place, ports, count, is_guess, inout, inout_news);
  }
  if (count < use->port_count) return FINDING_FITS; /* An optional input is missing. */
  if (strcmp(name, "fixed_scale") == 0) {
    return apply_fixed(place, use, ports[0], is_guess, inout, inout_news);
  }
  bool is_by_channel = strcmp(name, "multiplier_accumulator_scale") == 0;
  return apply_product(place, ports, is_by_channel, is_guess, inout, inout_news);
}

/* Thinks the rules through to the end. */
finding_t naive_think(const place_t *place, bool is_guess, knowledge_t *inout) {
  bool news;
  do {
    news = false;
    for (uint32_t i = 0; i < place->known->row->rule_count; i++) {
      finding_t finding = apply_rule(place, &place->known->row->rules[i], is_guess, inout, &news);
      if (finding != FINDING_FITS) return finding;
    }
  } while (news);
  return FINDING_FITS;
}
