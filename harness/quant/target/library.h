/* SPDX-License-Identifier: Apache-2.0 */
/* The shared object that a table's functions come from (assay_quant_function.h). */
#ifndef ASSAY_QUANT_TARGET_LIBRARY_H
#define ASSAY_QUANT_TARGET_LIBRARY_H

#include "harness/quant/target/assay_quant_function.h"
#include "harness/quant/target/target.h"

/* Loads the file at `path`, which stands in a table in `folder` unless it begins with "/", for the
 * rest of the process: what is read from a table may live as long.  *out_path is its absolute path,
 * in the arena.  STATUS_INVALID with the loader's reason. */
status_t quant_library_load(const char *path, const char *folder, arena_t *arena,
                            const char **out_path, void **out_library, failure_t *error);

/* The function of that name, or NULL. */
assay_quant_function_t quant_library_find(void *library, const char *name);

#endif
