/* A cheap positive for in-order contracts, under which nearly every component would have to be
 * asked about: what the plain sequential schedule returns conforms under every contract. */
#ifndef ASSAY_ORACLES_SEQUENTIAL_H
#define ASSAY_ORACLES_SEQUENTIAL_H

#include "harness/model/accept.h"
#include "harness/model/schedule.h"

typedef status_t (*simulate_t)(const case_t *instance, const schedule_t *schedule, arena_t *arena,
                               tensor_t *inout_results, failure_t *error);

/* Gives accept sets that know nothing at all (no patterns, no interval) the sequential patterns. */
status_t accept_sequential(const case_t *instance, simulate_t simulate, arena_t *arena,
                           accept_t *inout_accepts, failure_t *error);

#endif
