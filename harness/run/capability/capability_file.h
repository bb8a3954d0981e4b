/* SPDX-License-Identifier: Apache-2.0 */
/* The file in which the answers of one version of an executor are kept; for capability.c. */
#ifndef ASSAY_RUN_CAPABILITY_CAPABILITY_FILE_H
#define ASSAY_RUN_CAPABILITY_CAPABILITY_FILE_H

#include "harness/exec/executor.h"
#include "harness/run/capability/capability_row.h"

typedef struct capability_file capability_file_t;

/* Waits until no other process has it open and reads it.  Where there is none, or none can be kept,
 * it is empty. */
capability_file_t *capability_file_open(const executor_t *executor);

/* Whether it has the pair; the reason is borrowed from it. */
bool capability_file_find(const capability_file_t *file, const char *op, const char *types,
                          capability_row_t *out_row);
/* Also writes the file, if it was not for some seconds. */
void capability_file_add(capability_file_t *file, const char *op, const char *types,
                         const capability_row_t *row);

/* Writes what was added, and frees it. */
void capability_file_close(capability_file_t *file);

#endif
