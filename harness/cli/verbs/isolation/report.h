/* SPDX-License-Identifier: Apache-2.0 */
/* What came of isolating the ops of a module, in words and as JSON. */
#ifndef ASSAY_CLI_VERBS_ISOLATION_REPORT_H
#define ASSAY_CLI_VERBS_ISOLATION_REPORT_H

#include <jansson.h>

#include "harness/cli/verbs/isolation/steps.h"
#include "harness/exec/executor.h"

/* On standard output; `reference` is NULL if there was none. */
void isolation_print(const isolation_t *isolation, const executor_t *executor,
                     const executor_t *reference);

/* A new object. */
json_t *isolation_json(const isolation_t *isolation, const executor_t *executor,
                       const executor_t *reference);

#endif
