/* SPDX-License-Identifier: Apache-2.0 */
/* Propagation in words: what every port got, from whom, and why rescales stand where they do. */
#ifndef ASSAY_QUANT_PROPAGATE_EXPLAIN_H
#define ASSAY_QUANT_PROPAGATE_EXPLAIN_H

#include "harness/quant/propagate/propagate.h"

/* The name of a port: its region's and the signature's, or "input 0" where the region has no row.
 */
void quant_explain_port_name(const quant_propagation_t *propagation, uint32_t region, uint32_t port,
                             GString *out_text);

/* Who set a port's parameters, in a few words: "rule same_scale (onednn, line 12)",
 * "calibration of VALUE, -1 to 1". */
void quant_explain_source(const quant_propagation_t *propagation, uint32_t region, uint32_t port,
                          GString *out_text);

/* A region: its row or why it was refused, and a line for each port. */
void quant_explain_region(const quant_propagation_t *propagation, uint32_t region,
                          GString *out_text);

/* One paragraph for each rescale: both sides, who set them and when, and how to do without. Returns
 * their count. */
uint32_t quant_explain_conflicts(const quant_propagation_t *propagation, GString *out_text);

/* "quantized: 3 regions, ..." by the definitions of the seed; and a line with the values that stay
 * open since their ANY asks for more bits than the ports have that they are attached to, if any. */
void quant_explain_summary(const quant_propagation_t *propagation, GString *out_text);

#endif
