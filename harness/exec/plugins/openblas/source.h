/* SPDX-License-Identifier: Apache-2.0 */
/* A program in C that makes the calls of a dot_general, and needs the library alone. */
#ifndef ASSAY_EXEC_PLUGINS_OPENBLAS_SOURCE_H
#define ASSAY_EXEC_PLUGINS_OPENBLAS_SOURCE_H

#include "harness/exec/plugins/openblas/routines.h"
#include "harness/exec/plugins/plugin_source.h"

/* What is written.  Matrices of a batch lie one behind the other. */
typedef struct blas_source {
  const char *library; /* Its path, or a name that the dynamic linker finds. */
  const char *version; /* In words. */
  const char *prefix;
  const char *settings; /* "OPENBLAS_NUM_THREADS=1", of the environment. */
  const routine_t *routine;
  product_t product; /* Of the first of the batch. */
  size_t batch;
} blas_source_t;

/* Not of a path that would have to be quoted for a shell. */
int32_t blas_source_write(const blas_source_t *source, FILE *out, assay_reason_t *reason);

#endif
