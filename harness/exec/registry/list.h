/* SPDX-License-Identifier: Apache-2.0 */
/* The lists that environments of workers are made of: workers/requirements/NAME.requirements,
 * complete and with hashes, as lock.py beside them writes them. */
#ifndef ASSAY_EXEC_REGISTRY_LIST_H
#define ASSAY_EXEC_REGISTRY_LIST_H

#include <stdbool.h>

#include "harness/base/status.h"

typedef struct worker_list {
  char *path;
  char *text;
  char **pythons; /* "3.11", ...: what it is locked for; ended by NULL, none if it does not say. */
  /* Where pip finds no `wanted`, the list called `otherwise` is installed instead; both NULL if it
   * is for everywhere. */
  char *wanted;
  char *otherwise;
  bool is_alone; /* What its packages ask for is not in it, and not needed. */
} worker_list_t;

/* Reads the list called `name`; `directory` as for worker_source().  STATUS_IO if it is not there.
 * On success freed with worker_list_free(). */
status_t worker_list_read(const char *directory, const char *name, worker_list_t *out_list,
                          failure_t *error);
void worker_list_free(worker_list_t *list);

/* What it installs, for people: without hashes.  The caller frees it. */
char *worker_list_summary(const worker_list_t *list);

#endif
