/* What contract `identified` predicted: part of the summary. */
#ifndef ASSAY_CLI_SUMMARY_PREDICTION_H
#define ASSAY_CLI_SUMMARY_PREDICTION_H

#include "harness/cli/describe.h"
#include "harness/cli/task.h"

/* Appends lines, each with its newline: for each executor and profile the cases, how many of them
 * were predicted to the bit, and for which lengths they were not.  Nothing under other contracts.
 */
void describe_predictions(const task_t *task, GString *out_text);

/* The same as an object; null under other contracts. */
json_t *json_predictions(const task_t *task);

#endif
