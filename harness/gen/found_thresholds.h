/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes at which the implementation of an executor was found to change (assay thresholds), as a
 * file keeps them, and programs that lie around them. */
#ifndef ASSAY_GEN_FOUND_THRESHOLDS_H
#define ASSAY_GEN_FOUND_THRESHOLDS_H

#include "harness/gen/gen.h"
#include "harness/model/axes.h"

/* An op's axis of that role has `size` entries for the first time where something changes.  Texts
 * are borrowed. */
typedef struct found_threshold {
  const char *executor; /* As on the command line. */
  const char *version;
  const char *op;
  const char *types; /* As asked for: "f32", or "bf16,bf16->f32". */
  axis_role_t role;
  int64_t size;
} found_threshold_t;

/* "batch", "row", "column", "term"; and back: false for any other word. */
const char *axis_role_name(axis_role_t role);
bool axis_role_find(const char *name, axis_role_t *out_role);

found_thresholds_t *found_thresholds_new(void);
void found_thresholds_free(found_thresholds_t *found); /* NULL is ignored. */

/* Adds the lines of a file: executor, version, op, types, axis and size between tabs; # begins a
 * comment.  STATUS_INVALID if it cannot be read, and with file and line for what is none. */
status_t found_thresholds_read(found_thresholds_t *found, const char *path, failure_t *error);
status_t found_thresholds_write(const found_thresholds_t *found, const char *path,
                                failure_t *error);

void found_thresholds_add(found_thresholds_t *found, const found_threshold_t *row);

/* Leaves out all rows with the executor, version, op, types and role of `row`. */
void found_thresholds_drop(found_thresholds_t *found, const found_threshold_t *row);

size_t found_thresholds_count(const found_thresholds_t *found);
const found_threshold_t *found_thresholds_at(const found_thresholds_t *found, size_t index);

bool found_thresholds_has(const found_thresholds_t *found, const char *op);

/* gen_program(), or, three times in four where the op has sizes among options->thresholds, a small
 * program of which one axis is as long as one of them, one less or one more. */
void found_thresholds_draw(rng_t *rng, const op_t *op, const gen_options_t *options, arena_t *arena,
                           program_t *out_program, const char **out_broken);

/* Makes one axis of a program as long as one of the sizes of its op, one less or one more; leaves
 * the program as it is, and returns false, where it has no such axis or would have tensors of more
 * than `elements_max` elements. */
bool found_thresholds_apply(const found_thresholds_t *found, rng_t *rng, int64_t elements_max,
                            arena_t *arena, program_t *inout_program);

#endif
