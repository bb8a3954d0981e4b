/* SPDX-License-Identifier: Apache-2.0 */
/* The names of executors, taken apart: "dso:PATH?options", "NAME?options", "model:...",
 * "steps:NAME". */
#ifndef ASSAY_EXEC_EXECUTOR_ADDRESS_H
#define ASSAY_EXEC_EXECUTOR_ADDRESS_H

#include "harness/exec/executor.h"

/* Where a backend is and how to open it: the table of a builtin, the path of a shared object, or
 * the command that starts a worker. */
typedef struct executor_address {
  const assay_executor_t *table; /* NULL unless a builtin, or what serves PJRT plugins. */
  bool is_foreign;               /* Opening it loads code of others into this process. */
  bool is_plugin;                /* These are ours: NAME_plugin.so. */
  bool is_stepwise;              /* It runs modules op by op: transport/stepwise.h. */
  char *path;                    /* Owned; NULL unless a shared object. */
  char *command;                 /* Owned; NULL unless a worker; its options are in it. */
  char *options;                 /* Owned. */
} executor_address_t;

/* STATUS_INVALID for a name that cannot be right, STATUS_IO for a plugin that is not there. */
status_t executor_address_find(const char *name, const executor_options_t *options,
                               executor_address_t *out_address, failure_t *error);
void executor_address_deinit(executor_address_t *address);

#endif
