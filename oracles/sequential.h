/* SPDX-License-Identifier: Apache-2.0 */
/* A cheap positive for in-order contracts, under which nearly every component would have to be
 * asked about: what the plain sequential schedule returns conforms under every contract. */
#ifndef ASSAY_ORACLES_SEQUENTIAL_H
#define ASSAY_ORACLES_SEQUENTIAL_H

#include "oracles/oracle.h"

/* Gives accept sets that know nothing at all (no patterns, no interval) the sequential patterns:
 * accumulated in that format, or NULL for the specified type. */
status_t accept_sequential(const oracle_call_t *call, oracle_simulate_t *simulate,
                           const format_t *accumulator, accept_t *inout_accepts);

#endif
