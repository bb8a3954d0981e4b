/* SPDX-License-Identifier: Apache-2.0 */
/* fixed_scale: the port, if quantized, has the scale and zero point that the table states, per
 * tensor.  The scale is the stated one rounded to nearest even to the expressed type.  (A storage
 * range within the port's is the model's affair.) */
#include <inttypes.h>

#include "harness/quant/target/rule.h"

/* Parameters along an axis satisfy the rule too if all of them are the fixed ones. */
static bool has_parameters(const quantization_t *uniform, double scale, int64_t zero_point) {
  for (uint32_t i = 0; i < uniform->count; i++) {
    if (uniform->scales[i] != scale || uniform->zero_points[i] != zero_point) return false;
  }
  return true;
}

static status_t derive_one(quant_derivation_t *derivation, uint32_t index, failure_t *error) {
  const quant_rule_use_t *use = derivation->use;
  const quant_port_state_t *state = &derivation->states[index];
  const quant_signature_port_t *port = state->signature;
  if (port->kind == QUANT_PORT_FLOAT) return STATUS_OK;
  double scale;
  if (!rule_round_scale(state->type->element, use->scale, &scale)) {
    return status_fail(error, STATUS_INVALID, "fixed_scale: %s has no scale %.17g",
                       state->type->element->name, use->scale);
  }
  if (rule_is_settled(state)) {
    if (has_parameters(rule_parameters(state)->uniform, scale, use->zero_point)) return STATUS_OK;
    return status_fail(error, STATUS_INVALID,
                       "fixed_scale: %s is settled otherwise than at %.17g:%" PRId64, port->name,
                       scale, use->zero_point);
  }
  if (use->zero_point < port->storage_min || use->zero_point > port->storage_max) {
    return status_fail(error, STATUS_INVALID,
                       "fixed_scale: %s stores %" PRId64 ":%" PRId64
                       ", without the zero point %" PRId64,
                       port->name, port->storage_min, port->storage_max, use->zero_point);
  }
  quant_spec_t spec = rule_make_spec(state, -1, 1, &scale, use->zero_point, derivation->arena);
  failure_t reason;
  if (rule_admits(state, &spec, &reason) != STATUS_OK) {
    return status_fail(error, STATUS_INVALID, "fixed_scale: %s", reason.text);
  }
  return rule_offer(derivation, index, &spec, QUANT_SOURCE_RULE, error);
}

static status_t derive(quant_derivation_t *derivation, failure_t *error) {
  for (uint32_t i = 0; i < derivation->port_count; i++) {
    STATUS_TRY(derive_one(derivation, derivation->ports[i], error));
  }
  return STATUS_OK;
}

/* ---- The check: no other number of the type is nearer, by the exact product with 1 ----------- */

static status_t check(const quant_rule_use_t *use, const uint32_t *ports, uint32_t port_count,
                      const quant_port_state_t *region_ports, failure_t *error) {
  for (uint32_t i = 0; i < port_count; i++) {
    const quant_port_state_t *state = &region_ports[ports[i]];
    if (state->settled.kind != QUANT_SPEC_UNIFORM) continue;
    const quantization_t *uniform = state->settled.uniform;
    for (uint32_t k = 0; k < uniform->count; k++) {
      bool is_right =
          uniform->zero_points[k] == use->zero_point &&
          rule_is_rounded_product(uniform->expressed, use->scale, 1, uniform->scales[k]);
      if (is_right) continue;
      return status_fail(error, STATUS_INVALID,
                         "fixed_scale: port %u (%s) has %.17g:%" PRId64 ", not %.17g:%" PRId64,
                         ports[i], state->signature->name, uniform->scales[k],
                         uniform->zero_points[k], use->scale, use->zero_point);
    }
  }
  return STATUS_OK;
}

const quant_rule_t fixed_scale_rule = {
    .name = "fixed_scale",
    .summary = "the scale and zero point that the table states",
    .syntax = "PORT SCALE:ZERO_POINT",
    .derive = derive,
    .check = check,
};
