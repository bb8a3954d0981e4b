/* SPDX-License-Identifier: Apache-2.0 */
/* What stands behind `assay fuzz`: libFuzzer, where the compiler brings it. */
#ifndef ASSAY_CLI_VERBS_SEARCH_DRIVER_H
#define ASSAY_CLI_VERBS_SEARCH_DRIVER_H

#include "harness/cli/task/task.h"
#include "harness/search/outcome_file.h"

typedef enum fuzz_steering {
  FUZZ_STEERING_all,      /* Counters and climbing. */
  FUZZ_STEERING_counters, /* Counters alone: libFuzzer's corpus is mutated. */
  FUZZ_STEERING_none,     /* Programs and data are drawn. */
} fuzz_steering_t;

typedef struct fuzz_options {
  uint64_t runs_max; /* 0: no limit. */
  uint32_t seconds_max;
  const char *corpus; /* A folder that inputs are read from and kept in, or NULL. */
  /* Cases of the corpus that conform by this are not run again; NULL: all are.  Borrowed. */
  outcome_file_t *outcomes;
  fuzz_steering_t steering;
  bool shares_time; /* Ops share time, which differs from run to run; else cases. */
  bool stops_at_finding;
} fuzz_options_t;

/* Searches with a started task, tells what was found, closes the task and ends the process
 * with its exit code; returns only after a complaint. */
int fuzz_drive(task_t *task, const fuzz_options_t *options);

#endif
