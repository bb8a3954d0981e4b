/* The part of a summary on executors side by side: who returned other bits than whom, and whom the
 * oracle blames. */
#ifndef ASSAY_CLI_SUMMARY_PAIRS_H
#define ASSAY_CLI_SUMMARY_PAIRS_H

#include <jansson.h>

#include "harness/cli/task.h"

/* A table by pair of executors and op; nothing if no two answered the same case. */
void summary_print_pairs(const task_t *task);

/* An array of all that was counted, by pair, op, algorithm and types. */
json_t *summary_json_pairs(const task_t *task);

#endif
