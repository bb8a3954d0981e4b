/* SPDX-License-Identifier: Apache-2.0 */
/* Random target tables, for fuzzing. */
#ifndef ASSAY_QUANT_CHECK_DRAW_TARGET_H
#define ASSAY_QUANT_CHECK_DRAW_TARGET_H

#include "harness/base/rng.h"
#include "harness/quant/target/target.h"

/* Appends the text of a valid table with rows for most kernels of draw_kernels.def: random storage
 * types and ranges, symmetric ports, axes, wildcards, float ports, rules that mostly make sense,
 * several rows for one kernel. */
void quant_draw_target_text(rng_t *rng, GString *out_text);

/* The same, parsed into the arena.  An error is a bug of this file or of the parser. */
status_t quant_draw_target(rng_t *rng, arena_t *arena, quant_target_t *out_table, failure_t *error);

#endif
