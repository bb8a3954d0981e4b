/* SPDX-License-Identifier: Apache-2.0 */
/* Rules by which one port's scale is the product of two others': what multiplier_scale and
 * multiplier_accumulator_scale share.  For rule_*.c alone. */
#ifndef ASSAY_QUANT_TARGET_RULE_PRODUCT_H
#define ASSAY_QUANT_TARGET_RULE_PRODUCT_H

#include "harness/quant/target/rule.h"

/* quant_rule_t.derive of a use with result, left factor, right factor, in this order.  A use with a
 * missing optional port says nothing.  Scales along an axis are STATUS_INVALID of the left factor,
 * and of the right one unless `is_by_channel`. */
status_t rule_product_derive(quant_derivation_t *derivation, bool is_by_channel, failure_t *error);

/* quant_rule_t.check: for every channel the exact product, rounded, is the result's scale. */
status_t rule_product_check(const quant_rule_use_t *use, const uint32_t *ports, uint32_t port_count,
                            bool is_by_channel, const quant_port_state_t *region_ports,
                            failure_t *error);

#endif
