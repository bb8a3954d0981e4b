/* SPDX-License-Identifier: Apache-2.0 */
/* What libraries with cblas have beside it: how they tell their version and kernels, and how many
 * threads they are given. */
#ifndef ASSAY_EXEC_PLUGINS_OPENBLAS_VENDOR_H
#define ASSAY_EXEC_PLUGINS_OPENBLAS_VENDOR_H

#include "harness/exec/plugins/openblas/routines.h"
#include "harness/exec/plugins/plugin_library.h"

typedef struct vendor {
  const char *name; /* "OpenBLAS", "MKL", "BLIS", or "the library". */
  char version[256];
  char hardware[128]; /* The kernels, or "" where it does not tell. */
} vendor_t;

/* The function PREFIXNAME; NULL if there is none. */
void *vendor_find(const plugin_library_t *library, const char *prefix, const char *name);

/* Finds out what library it is and gives it that many threads; of one that is not known, which has
 * no way for that, only 1 is taken. */
int32_t vendor_set_up(const plugin_library_t *library, const char *prefix, int threads,
                      vendor_t *out_vendor, assay_reason_t *reason);

#endif
