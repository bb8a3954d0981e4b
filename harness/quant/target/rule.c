/* SPDX-License-Identifier: Apache-2.0 */
/* Table of the scale rules and what they share: mapping of rule ports to region ports, offers and
 * their certainty, and scales rounded once to the expressed type. */
#include "harness/quant/target/rule.h"

#include <math.h>

/* ---- The table of rules ---------------------------------------------------------------------- */

#define RULE(name) extern const quant_rule_t name##_rule;
#include "harness/quant/target/rules.def"
#undef RULE

static const quant_rule_t *const RULES[] = {
#define RULE(name) &name##_rule,
#include "harness/quant/target/rules.def"
#undef RULE
    NULL,
};

const quant_rule_t *const *quant_rule_all(void) { return RULES; }

const quant_rule_t *quant_rule_find(str_t name) {
  for (const quant_rule_t *const *rule = RULES; *rule != NULL; rule++) {
    if (str_equal_text(name, (*rule)->name)) return *rule;
  }
  return NULL;
}

/* ---- Ports of a region, and of a signature --------------------------------------------------- */

static uint32_t signature_input_count(const quant_target_row_t *row) {
  uint32_t count = 0;
  while (count < row->port_count && !row->ports[count].is_output) count++;
  return count;
}

uint32_t quant_row_port(const quant_target_row_t *row, uint32_t input_count, uint32_t port) {
  uint32_t inputs = signature_input_count(row);
  if (port >= input_count) return inputs + port - input_count;
  return MIN(port, inputs - 1);
}

uint32_t quant_rule_ports(const quant_rule_use_t *use, const quant_target_row_t *row,
                          uint32_t input_count, uint32_t out_ports[QUANT_PORTS_MAX]) {
  uint32_t inputs = signature_input_count(row);
  uint32_t count = 0;
  for (uint32_t i = 0; i < use->port_count; i++) {
    uint32_t port = use->ports[i];
    if (port >= inputs) {
      out_ports[count++] = input_count + port - inputs;
      continue;
    }
    uint32_t end = row->ports[port].is_repeated ? input_count : MIN(port + 1, input_count);
    for (uint32_t input = port; input < end; input++) out_ports[count++] = input;
  }
  return count;
}

/* ---- Offers ---------------------------------------------------------------------------------- */

const quant_spec_t *rule_parameters(const quant_port_state_t *port) {
  if (port->signature->kind == QUANT_PORT_FLOAT) return NULL;
  if (port->settled.kind == QUANT_SPEC_UNIFORM) return &port->settled;
  return port->offer.kind == QUANT_SPEC_UNIFORM ? &port->offer : NULL;
}

bool rule_is_settled(const quant_port_state_t *port) {
  return port->settled.kind == QUANT_SPEC_UNIFORM ||
         (port->offer.kind == QUANT_SPEC_UNIFORM && port->offered_by == QUANT_SOURCE_PORT);
}

bool rule_is_certain(const quant_port_state_t *port) {
  if (rule_is_settled(port)) return true;
  return port->offer.kind == QUANT_SPEC_UNIFORM && port->offered_by == QUANT_SOURCE_RULE &&
         port->offered_origin <= QUANT_SOURCE_RULE;
}

status_t rule_admits(const quant_port_state_t *port, const quant_spec_t *spec, failure_t *error) {
  STATUS_TRY(quant_port_admits(port->signature, spec, error));
  const quantization_t *uniform = spec->uniform;
  const type_t *type = port->type;
  if (uniform->expressed != type->element) {
    return status_fail(error, STATUS_INVALID, "%s is of %s, not of %s", port->signature->name,
                       type->element->name, uniform->expressed->name);
  }
  if (uniform->axis == -1) return STATUS_OK;
  if ((uint32_t)uniform->axis >= type->rank || type->dims[uniform->axis] != uniform->count) {
    return status_fail(error, STATUS_INVALID, "%s has not %u entries along dimension %d",
                       port->signature->name, uniform->count, uniform->axis);
  }
  return STATUS_OK;
}

status_t rule_offer(quant_derivation_t *derivation, uint32_t port, const quant_spec_t *spec,
                    quant_source_t origin, failure_t *error) {
  const quant_rule_use_t *use = derivation->use;
  quant_port_state_t *state = &derivation->states[port];
  bool is_same = state->offer.kind == QUANT_SPEC_UNIFORM && quant_spec_equal(&state->offer, spec);
  bool is_anothers = state->offered_by == QUANT_SOURCE_RULE && state->offered_rule != use;
  if (is_anothers && rule_is_certain(state)) {
    if (is_same) return STATUS_OK;
    return status_fail(error, STATUS_INVALID, "%s: %s has other parameters by %s", use->rule->name,
                       state->signature->name, state->offered_rule->rule->name);
  }
  if (is_same && state->offered_by == QUANT_SOURCE_RULE && state->offered_origin == origin) {
    return STATUS_OK;
  }
  state->offer = *spec;
  state->offered_by = QUANT_SOURCE_RULE;
  state->offered_rule = use;
  state->offered_origin = origin;
  derivation->updated |= 1U << port;
  return STATUS_OK;
}

void rule_withdraw(quant_derivation_t *derivation, uint32_t port) {
  quant_port_state_t *state = &derivation->states[port];
  bool is_anothers =
      state->offered_by == QUANT_SOURCE_RULE && state->offered_rule != derivation->use;
  if (state->offer.kind == QUANT_SPEC_OPEN || rule_is_settled(state) || is_anothers) return;
  state->offer = (quant_spec_t){.kind = QUANT_SPEC_OPEN};
  state->offered_by = QUANT_SOURCE_NONE;
  state->offered_rule = NULL;
  state->offered_origin = QUANT_SOURCE_NONE;
  derivation->updated |= 1U << port;
}

quant_spec_t rule_make_spec(const quant_port_state_t *port, int32_t axis, uint32_t count,
                            const double *scales, int64_t zero_point, arena_t *arena) {
  double *own_scales = ARENA_NEW_ARRAY(arena, double, count);
  int64_t *zero_points = ARENA_NEW_ARRAY(arena, int64_t, count);
  for (uint32_t i = 0; i < count; i++) {
    own_scales[i] = scales[i];
    zero_points[i] = zero_point;
  }
  quantization_t *uniform = ARENA_NEW_ARRAY(arena, quantization_t, 1);
  *uniform = (quantization_t){.expressed = port->type->element,
                              .storage_min = port->signature->storage_min,
                              .storage_max = port->signature->storage_max,
                              .axis = axis,
                              .count = count,
                              .scales = own_scales,
                              .zero_points = zero_points};
  return (quant_spec_t){.kind = QUANT_SPEC_UNIFORM,
                        .expressed = uniform->expressed,
                        .storage = port->signature->storage,
                        .storage_min = uniform->storage_min,
                        .storage_max = uniform->storage_max,
                        .uniform = uniform};
}

/* ---- Scales ---------------------------------------------------------------------------------- */

bool rule_round_scale(const element_t *expressed, double scale, double *out_scale) {
  const format_t *format = expressed->format;
  bool has_no_zero = format->specials == FORMAT_EXPONENT_ONLY;
  if (!(scale > 0) || scale > format_to_double(format, format->largest_bits)) return false;
  if (has_no_zero && scale < format_to_double(format, 0)) return false;
  double rounded = format_round_double(format, scale);
  if (rounded == 0) return false;
  *out_scale = rounded;
  return true;
}

/* The product rounded to odd in binary64, from which every type with at least two bits less rounds
 * as from the exact product (Boldo and Melquiond 2008).  A product too small for the remainder to
 * be exact is below all of these types. */
static double product_to_odd(double a, double b) {
  double product = a * b;
  double remainder = fma(a, b, -product);
  const format_t *f64 = &format_table[FORMAT_f64];
  bool is_odd = (format_from_double(f64, product) & 1) != 0;
  if (remainder == 0 || is_odd) return product;
  return nextafter(product, remainder > 0 ? (double)INFINITY : 0.0);
}

bool rule_round_product(const element_t *expressed, double a, double b, double *out_scale) {
  bool is_binary64 = expressed->format == &format_table[FORMAT_f64];
  return rule_round_scale(expressed, is_binary64 ? a * b : product_to_odd(a, b), out_scale);
}

/* The exact product of two positive finite numbers, with what lies beyond 62 bits as sticky. */
static number_t exact_product(double a, double b) {
  const format_t *f64 = &format_table[FORMAT_f64];
  number_t left = format_decode(f64, format_from_double(f64, a));
  number_t right = format_decode(f64, format_from_double(f64, b));
  unsigned __int128 significand = (unsigned __int128)left.significand * right.significand;
  number_t product = {.kind = NUMBER_FINITE, .exponent = left.exponent + right.exponent};
  while (significand >> 62 != 0) {
    product.sticky = product.sticky || (significand & 1) != 0;
    significand >>= 1;
    product.exponent++;
  }
  product.significand = (uint64_t)significand;
  return product;
}

bool rule_is_rounded_product(const element_t *expressed, double a, double b, double scale) {
  const format_t *format = expressed->format;
  uint64_t bits =
      format_encode(format, exact_product(a, b), ROUNDING_NEAREST_EVEN, OVERFLOW_FORMAT);
  return format_to_double(format, bits) == scale;
}

double rule_scale_at(const quantization_t *uniform, uint32_t index) {
  return uniform->scales[uniform->axis == -1 ? 0 : index];
}

int64_t rule_zero_point_at(const quantization_t *uniform, uint32_t index) {
  return uniform->zero_points[uniform->axis == -1 ? 0 : index];
}
