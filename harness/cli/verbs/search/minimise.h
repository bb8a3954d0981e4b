/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a corpus small: the same features in as few and as short cases. */
#ifndef ASSAY_CLI_VERBS_SEARCH_MINIMISE_H
#define ASSAY_CLI_VERBS_SEARCH_MINIMISE_H

#include "harness/cli/verbs/search/driver.h"

/* Walks the cases in options->corpus, the shortest first, and keeps those that add a feature, and
 * every file that holds no case of the ops at hand.  The folder is replaced at once: whoever is
 * interrupted finds the old one.  Closes the task and returns the exit code. */
int fuzz_minimise(task_t *task, const fuzz_options_t *options);

#endif
