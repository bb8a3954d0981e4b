/* SPDX-License-Identifier: Apache-2.0 */
/* multiplier_accumulator_scale: a bias, or an accumulator, has the quanta of the products that it
 * is added to.  For every channel c of the weights,
 *
 *   scale(bias)[c] = rne(scale(input) * scale(weights)[c]),   zero_point(bias)[c] = 0
 *
 * with one rounding to nearest even to the bias's expressed type (Jacob et al. 2018, section 2.4).
 * The input is per tensor, since an accumulator adds products of all its entries.  Per-tensor
 * weights give a per-tensor bias; weights along an axis give one along the dimension that the
 * bias's signature names (axis=N), which has as many entries as the weights have channels: the only
 * dimension of a bias of rank 1, or the channel's in one of any rank.  Which entry of the bias
 * belongs to which channel of the weights is by number. */
#include "harness/quant/target/rule_product.h"

static status_t derive(quant_derivation_t *derivation, failure_t *error) {
  return rule_product_derive(derivation, true, error);
}

static status_t check(const quant_rule_use_t *use, const uint32_t *ports, uint32_t port_count,
                      const quant_port_state_t *region_ports, failure_t *error) {
  return rule_product_check(use, ports, port_count, true, region_ports, error);
}

const quant_rule_t multiplier_accumulator_scale_rule = {
    .name = "multiplier_accumulator_scale",
    .summary = "the scale of a bias is that of input times weights, for each channel",
    .syntax = "PORT = PORT * PORT",
    .derive = derive,
    .check = check,
};
