/* SPDX-License-Identifier: Apache-2.0 */
/* multiplier_scale: the result's storage values are those of the factors, multiplied, so that
 *
 *   scale(result) = rne(scale(left) * scale(right)),   zero_point(result) = 0
 *
 * with one rounding to nearest even to the result's expressed type.  All three are per tensor: an
 * axis of a factor says nothing about one of the result. */
#include "harness/quant/target/rule_product.h"

static status_t derive(quant_derivation_t *derivation, failure_t *error) {
  return rule_product_derive(derivation, false, error);
}

static status_t check(const quant_rule_use_t *use, const uint32_t *ports, uint32_t port_count,
                      const quant_port_state_t *region_ports, failure_t *error) {
  return rule_product_check(use, ports, port_count, false, region_ports, error);
}

const quant_rule_t multiplier_scale_rule = {
    .name = "multiplier_scale",
    .summary = "the scale is the product of two others, the zero point 0",
    .syntax = "PORT = PORT * PORT",
    .derive = derive,
    .check = check,
};
