/* SPDX-License-Identifier: Apache-2.0 */
/* What a module with checks (harness/kinds/checked_module.h) says of the results of a case: those
 * of a model, or given ones, and how far from them conforming results lie. */
#ifndef ASSAY_CLI_VERBS_CASES_EXPECTED_H
#define ASSAY_CLI_VERBS_CASES_EXPECTED_H

#include "harness/kinds/checked_module.h"

/* What model:sequential computes; in the arena.  STATUS_INVALID for a program that it does not run:
 * one that breaks a constraint. */
status_t expected_of_model(const case_t *instance, arena_t *arena, tensor_t *out_results,
                           failure_t *error);

/* For each result, which is borrowed, how many numbers of its format lie between it and what
 * conforms (contract backend) and is farthest from it.  `unjudged`: bit i: nothing is said of
 * result i. */
status_t expected_measure(const case_t *instance, const tensor_t *results, uint32_t unjudged,
                          arena_t *arena, checked_result_t *out_checked, failure_t *error);

#endif
