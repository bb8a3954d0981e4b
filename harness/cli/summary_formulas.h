/* The part of the summary that says by which formulas composite ops were computed. */
#ifndef ASSAY_CLI_SUMMARY_FORMULAS_H
#define ASSAY_CLI_SUMMARY_FORMULAS_H

#include <jansson.h>

#include "harness/cli/task.h"

/* A table for each executor and op that has several formulas: cases by the tightest formula that
 * explains them.  Nothing if there is none. */
void summary_print_formulas(const task_t *task);

json_t *summary_json_formulas(const task_t *task);

#endif
