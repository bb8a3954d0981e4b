/* Concrete implementations of arg_max, arg_min and top_k. */
#ifndef ASSAY_OPS_BYTEIR_PICK_SIMULATE_H
#define ASSAY_OPS_BYTEIR_PICK_SIMULATE_H

#include "harness/model/case.h"
#include "harness/model/schedule.h"

/* The functions of oracle_t of the same names. */
status_t byteir_arg_simulate(const case_t *instance, const schedule_t *schedule, arena_t *arena,
                             tensor_t *inout_results, failure_t *error);

/* An unsorted top_k comes in descending order from sequential trees, in order of indices from other
 * regular ones, and in a random order from random ones. */
status_t byteir_top_k_simulate(const case_t *instance, const schedule_t *schedule, arena_t *arena,
                               tensor_t *inout_results, failure_t *error);

#endif
