/* How much of a run was judged, and what was judged too little of. */
#ifndef ASSAY_CLI_SUMMARY_JUDGED_H
#define ASSAY_CLI_SUMMARY_JUDGED_H

#include <jansson.h>

#include "harness/cli/task.h"

/* What the run judged too little of, see shortfall.h; freed with g_array_unref(). */
GArray *task_shortfalls(const task_t *task);

/* "judged: openblas 10000 of 10000, model:sequential 10000 of 10000". */
void summary_print_judged(const task_t *task);

/* A line for each shortfall; nothing if there is none. */
void summary_print_shortfalls(const task_t *task);

/* [{"executor": ..., "op": ... or null, "judged": ..., "of": ..., "text": ...}, ...]. */
json_t *summary_json_shortfalls(const task_t *task);

/* Cases judged of an executor: of a run or of a search. */
uint64_t task_judged(const task_t *task, size_t executor);

#endif
