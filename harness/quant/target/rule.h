/* SPDX-License-Identifier: Apache-2.0 */
/* What rules share: the ports that they speak of, how they make offers, and scales rounded to the
 * expressed type.  For rule_*.c alone. */
#ifndef ASSAY_QUANT_TARGET_RULE_H
#define ASSAY_QUANT_TARGET_RULE_H

#include "harness/quant/target/target.h"

/* What a port has: its settled parameters, else its offer; NULL if neither is there. */
const quant_spec_t *rule_parameters(const quant_port_state_t *port);

/* Whether no rule may change what the port has: it is settled, or its own spec says so. */
bool rule_is_settled(const quant_port_state_t *port);

/* Whether the port has parameters that cannot be otherwise: settled ones, what fixed_scale or a
 * product gives it, and what same_scale copies from such.  (That a product's factors may be guesses
 * makes it no guess: it follows them, whatever they are.) */
bool rule_is_certain(const quant_port_state_t *port);

/* STATUS_INVALID unless the port can have the parameters: quant_port_admits, the expressed type is
 * the tensor's element, and scales along an axis are as many as the dimension has entries. */
status_t rule_admits(const quant_port_state_t *port, const quant_spec_t *spec, failure_t *error);

/* Offers `spec`, which the port admits, to a port that is not settled, and sets its bit in
 * derivation->updated if that is news.  `origin` is what the parameters go back to.  STATUS_INVALID
 * if another rule derived other parameters that cannot be otherwise. */
status_t rule_offer(quant_derivation_t *derivation, uint32_t port, const quant_spec_t *spec,
                    quant_source_t origin, failure_t *error);

/* Takes back what the port was offered, since its parameters follow from others that are unknown:
 * not from a port that is settled, nor what another rule derived. */
void rule_withdraw(quant_derivation_t *derivation, uint32_t port);

/* A spec for a port of that type and (completed) signature, with `count` scales and one zero point
 * for all; scales are copied. */
quant_spec_t rule_make_spec(const quant_port_state_t *port, int32_t axis, uint32_t count,
                            const double *scales, int64_t zero_point, arena_t *arena);

/* Rounds a positive scale to nearest even in a float type.  False if it is too large for it (beyond
 * its largest finite number), becomes 0, or is smaller than all numbers of a type without 0. */
bool rule_round_scale(const element_t *expressed, double scale, double *out_scale);

/* The same of the product of two scales, rounded once. */
bool rule_round_product(const element_t *expressed, double a, double b, double *out_scale);

/* Whether `scale` is the product a * b rounded to nearest even in a float type; by integers, for
 * checks, and not as above. */
bool rule_is_rounded_product(const element_t *expressed, double a, double b, double scale);

/* The scale and zero point of entry `index`: of per-tensor parameters it is the only one. */
double rule_scale_at(const quantization_t *uniform, uint32_t index);
int64_t rule_zero_point_at(const quantization_t *uniform, uint32_t index);

#endif
