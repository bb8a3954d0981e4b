/* SPDX-License-Identifier: Apache-2.0 */
/* The builtin executors: model:NAME conforms by construction, canary:NAME has one planted fault.
 * They are made from the oracle's simulate() and hold no op code. */
#ifndef ASSAY_BUILTIN_BUILTIN_H
#define ASSAY_BUILTIN_BUILTIN_H

#include <glib.h>

#include "harness/base/status.h"
#include "harness/exec/assay_executor.h"
#include "harness/model/contract.h"
#include "harness/model/implementation_model.h"

/* The executor table for "model:..." or "canary:...", or NULL if the name is neither.  Its open()
 * takes the name as options.  For executor_options_t.find_builtin. */
const assay_executor_t *builtin_find(const char *name);

/* Parses "model:lanes8+fma+acc=f64+seed=3+init=2" or "canary:drop_last_term" (a canary may carry a
 * schedule too: "canary:drop_last_term+pairwise").  Orders of summation are those of sum_order.h,
 * but for waysW and folded; the schedule's is in the arena. */
status_t builtin_parse(const char *name, arena_t *arena, implementation_model_t *out_schedule,
                       failure_t *error);

/* The contract whose rules on what is valid it obeys: the strictest ones, as a careful backend
 * would hold them, unless its name says otherwise. */
contract_t builtin_rules(const implementation_model_t *schedule);

/* Names to list: every model worth running and every canary, one a line. */
void builtin_list(GString *out_text);

#endif
