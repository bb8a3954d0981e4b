/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that the registry runs to their end: Pythons, pip, rm. */
#ifndef ASSAY_EXEC_REGISTRY_RUN_PROGRAM_H
#define ASSAY_EXEC_REGISTRY_RUN_PROGRAM_H

#include <stdbool.h>

/* What a program is run for. */
typedef enum run_kind {
  RUN_SHOWN,  /* With our stdout and stderr. */
  RUN_SILENT, /* Its exit status is all that matters. */
  RUN_READ,   /* What it says on stdout is wanted, and no more. */
} run_kind_t;

/* Runs it with nothing on its stdin; true if its exit status is 0.  `arguments` end with NULL.
 * *out_text, if not NULL, is owned by the caller: what it says on stdout for RUN_READ, else what it
 * says on stderr, which for RUN_SHOWN is shown too when it has ended. */
bool program_run(const char *const *arguments, run_kind_t kind, char **out_text);

#endif
