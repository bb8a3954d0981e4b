/* SPDX-License-Identifier: Apache-2.0 */
/* Common code of rules that set one scale to the product of two: offers the product per channel,
 * checks settled scales against it, and verifies finished graphs by exact products. */
#include "harness/quant/target/rule_product.h"

#include <inttypes.h>

enum { RESULT, LEFT, RIGHT, PORT_COUNT }; /* Of a use. */

/* The scales that the result is to have: one for each entry of the right factor's axis, or one. */
typedef struct products {
  bool is_per_axis;
  uint32_t count;
  const double *scales;
} products_t;

/* Scales of the result for each entry of the factors' axis; the right factor has one or none. */
static status_t multiply(const quant_rule_use_t *use, const quant_port_state_t *result,
                         const quantization_t *left, const quantization_t *right,
                         double *out_scales, failure_t *error) {
  for (uint32_t i = 0; i < right->count; i++) {
    double a = left->scales[0], b = right->scales[i];
    if (rule_round_product(result->type->element, a, b, &out_scales[i])) continue;
    return status_fail(error, STATUS_INVALID,
                       "%s: the product of scales %.17g and %.17g is no positive finite %s for %s",
                       use->rule->name, a, b, result->type->element->name, result->signature->name);
  }
  return STATUS_OK;
}

/* Whether settled parameters are the products, entry by entry: equal ones may stand for one. */
static status_t check_settled(const quant_rule_use_t *use, const quant_port_state_t *result,
                              const products_t *products, failure_t *error) {
  const quantization_t *uniform = rule_parameters(result)->uniform;
  bool are_both_per_axis = products->is_per_axis && uniform->axis != -1;
  bool is_right = !are_both_per_axis || uniform->count == products->count;
  uint32_t entries = products->is_per_axis ? products->count : uniform->count;
  for (uint32_t i = 0; is_right && i < entries; i++) {
    is_right = rule_scale_at(uniform, i) == products->scales[products->is_per_axis ? i : 0] &&
               rule_zero_point_at(uniform, i) == 0;
  }
  if (is_right) return STATUS_OK;
  return status_fail(error, STATUS_INVALID, "%s: %s is settled otherwise than at the product",
                     use->rule->name, result->signature->name);
}

static status_t check_axis(const quant_rule_use_t *use, const quant_port_state_t *factor,
                           failure_t *error) {
  if (rule_parameters(factor)->uniform->axis == -1) return STATUS_OK;
  return status_fail(error, STATUS_INVALID, "%s: %s has scales along an axis", use->rule->name,
                     factor->signature->name);
}

/* Offers the products to the result, or holds what is settled against them. */
static status_t give_product(quant_derivation_t *derivation, const products_t *products,
                             failure_t *error) {
  const quant_rule_use_t *use = derivation->use;
  uint32_t port = derivation->ports[RESULT];
  const quant_port_state_t *result = &derivation->states[port];
  if (rule_is_settled(result)) return check_settled(use, result, products, error);
  int32_t axis = products->is_per_axis ? result->signature->axis : -1;
  if (products->is_per_axis && axis == -1) {
    return status_fail(error, STATUS_INVALID, "%s: %s takes no scales along an axis",
                       use->rule->name, result->signature->name);
  }
  quant_spec_t spec =
      rule_make_spec(result, axis, products->count, products->scales, 0, derivation->arena);
  failure_t reason;
  if (rule_admits(result, &spec, &reason) != STATUS_OK) {
    return status_fail(error, STATUS_INVALID, "%s: %s", use->rule->name, reason.text);
  }
  return rule_offer(derivation, port, &spec, QUANT_SOURCE_RULE, error);
}

status_t rule_product_derive(quant_derivation_t *derivation, bool is_by_channel, failure_t *error) {
  const quant_rule_use_t *use = derivation->use;
  const uint32_t *ports = derivation->ports;
  if (derivation->port_count < PORT_COUNT) return STATUS_OK;
  const quant_port_state_t *result = &derivation->states[ports[RESULT]];
  if (result->signature->kind == QUANT_PORT_FLOAT) return STATUS_OK;
  const quant_port_state_t *left = &derivation->states[ports[LEFT]];
  const quant_port_state_t *right = &derivation->states[ports[RIGHT]];
  if (rule_parameters(left) == NULL || rule_parameters(right) == NULL) {
    rule_withdraw(derivation, ports[RESULT]);
    return STATUS_OK;
  }
  STATUS_TRY(check_axis(use, left, error));
  if (!is_by_channel) STATUS_TRY(check_axis(use, right, error));
  const quantization_t *factors[] = {rule_parameters(left)->uniform,
                                     rule_parameters(right)->uniform};
  uint32_t count = factors[1]->count;
  double *scales = ARENA_NEW_ARRAY(derivation->arena, double, count);
  STATUS_TRY(multiply(use, result, factors[0], factors[1], scales, error));
  const products_t products = {
      .is_per_axis = factors[1]->axis != -1, .count = count, .scales = scales};
  return give_product(derivation, &products, error);
}

/* ---- The check ------------------------------------------------------------------------------- */

/* How many channels there are, or STATUS_INVALID if the ports disagree, or have an axis that they
 * may not have. */
static status_t count_channels(const quant_rule_use_t *use, const uint32_t *ports,
                               bool is_by_channel, const quantization_t *const *uniforms,
                               uint32_t *out_count, failure_t *error) {
  int64_t count = -1;
  for (uint32_t i = 0; i < PORT_COUNT; i++) {
    if (uniforms[i]->axis == -1) continue;
    bool may_have_axis = i == RESULT || (i == RIGHT && is_by_channel);
    if (!may_have_axis) {
      return status_fail(error, STATUS_INVALID, "%s: port %u has scales along an axis",
                         use->rule->name, ports[i]);
    }
    if (count != -1 && count != uniforms[i]->count) {
      return status_fail(error, STATUS_INVALID, "%s: port %u has %u scales, port %u has %" PRId64,
                         use->rule->name, ports[i], uniforms[i]->count, ports[RESULT], count);
    }
    count = uniforms[i]->count;
  }
  *out_count = count == -1 ? 1 : (uint32_t)count;
  return STATUS_OK;
}

status_t rule_product_check(const quant_rule_use_t *use, const uint32_t *ports, uint32_t port_count,
                            bool is_by_channel, const quant_port_state_t *region_ports,
                            failure_t *error) {
  const quantization_t *uniforms[PORT_COUNT];
  for (uint32_t i = 0; i < PORT_COUNT; i++) {
    if (i >= port_count || region_ports[ports[i]].settled.kind != QUANT_SPEC_UNIFORM) {
      return STATUS_OK;
    }
    uniforms[i] = region_ports[ports[i]].settled.uniform;
  }
  uint32_t count = 0;
  STATUS_TRY(count_channels(use, ports, is_by_channel, uniforms, &count, error));
  for (uint32_t channel = 0; channel < count; channel++) {
    double scale = rule_scale_at(uniforms[RESULT], channel);
    double left = rule_scale_at(uniforms[LEFT], channel);
    double right = rule_scale_at(uniforms[RIGHT], channel);
    int64_t zero_point = rule_zero_point_at(uniforms[RESULT], channel);
    bool is_right =
        zero_point == 0 && rule_is_rounded_product(uniforms[RESULT]->expressed, left, right, scale);
    if (is_right) continue;
    return status_fail(error, STATUS_INVALID,
                       "%s: port %u (%s), channel %u, has %.17g:%" PRId64 ", not %.17g * %.17g:0",
                       use->rule->name, ports[RESULT], region_ports[ports[RESULT]].signature->name,
                       channel, scale, zero_point, left, right);
  }
  return STATUS_OK;
}
