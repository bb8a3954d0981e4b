/* SPDX-License-Identifier: Apache-2.0 */
/* A profile: which ops with which element types a backend is asked about, as a file says.
 *
 * A line is an op and element types, both with the wildcards * and ?; all of the program's element
 * types must be among them.  A word with "->" in it is a whole list of types instead, as reports
 * print them.  A line that begins with "-" takes away again what earlier lines gave; # begins a
 * comment.
 *
 *   stablehlo.*            f32 bf16 i1 i32
 *   stablehlo.dot_general  i8,i8->i32
 *   - stablehlo.convert    bf16
 */
#ifndef ASSAY_RUN_CAPABILITY_PROFILE_H
#define ASSAY_RUN_CAPABILITY_PROFILE_H

#include <stdbool.h>

#include "harness/base/status.h"

typedef struct profile profile_t;

/* Reads a file, or all files *.profile of a folder, in the order of their names.  STATUS_IO if that
 * cannot be read, STATUS_INVALID with the file and line for what is no profile. */
status_t profile_read(const char *path, profile_t **out_profile, failure_t *error);
void profile_free(profile_t *profile); /* NULL is ignored. */

/* Whether the profile has the op with these types, which program_print_types() wrote; a profile
 * that is NULL has everything. */
bool profile_has(const profile_t *profile, const char *op, const char *types);

/* Whether it may have the op with some types. */
bool profile_names(const profile_t *profile, const char *op);

#endif
