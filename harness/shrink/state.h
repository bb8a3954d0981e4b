/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of shrink_case() share: the smallest case so far, and the way to put a candidate
 * in its place. */
#ifndef ASSAY_SHRINK_STATE_H
#define ASSAY_SHRINK_STATE_H

#include "harness/gen/gen.h"
#include "harness/shrink/shrink.h"

typedef struct shrink {
  const shrink_options_t *options;
  arena_t arenas[2]; /* The best case lives in arenas[at]. */
  int at;
  arena_t scratch; /* Of candidates; shrink_try() leaves it alone. */
  case_t best;
  shrink_report_t report;        /* report.after is the measure of `best`. */
  const op_constraint_t *broken; /* The constraint that all programs break, or NULL. */
  GString *label;                /* Of all programs: algorithm and types. */
  GString *text;                 /* Scratch of shrink_try(). */
  GHashTable *tried;             /* Set of digest_t of cases that the predicate was asked about. */
  GHashTable *programs;          /* Likewise of programs. */
  bool has_program_left_out;     /* Since the last round began. */
  status_t status;               /* Of the predicate. */
  failure_t error;
} shrink_t;

/* No candidate will be asked about any more. */
bool shrink_is_over(const shrink_t *shrink);

/* Whether the program may stand in a candidate: a valid one, or one broken alike, of the label. */
bool shrink_admits(shrink_t *shrink, const program_t *program);

/* Takes the candidate if it is admitted, smaller, new, and the predicate holds. */
bool shrink_try(shrink_t *shrink, const case_t *candidate);

/* shrink_try() with the operands that the op settles settled, and then, if `is_fresh_too`, with
 * data drawn anew a few times.  Changes the candidate's data. */
bool shrink_try_shape(shrink_t *shrink, case_t *candidate, bool is_fresh_too);

/* Random numbers that depend on the seed and the program alone, so that a complete case is tried
 * with the same ones when it is shrunk again. */
rng_t shrink_rng(const shrink_t *shrink, const program_t *program, uint64_t salt);

/* A bit for every operand that the op settles by the rest of the program. */
uint32_t shrink_settled_operands(const program_t *program);

/* The quantization along an axis of which entries kept[0 .. count-1] are left, in the arena.  NULL:
 * the first ones. */
const quantization_t *shrink_kept_scales(const quantization_t *before, const size_t *kept,
                                         size_t count, arena_t *arena);

/* Looks for a short list that will do in place of 0 .. count-1, by leaving blocks out (delta
 * debugging, Zeller and Hildebrandt 2002).  `keep` tries what is left, which is renumbered 0, 1,
 * ... once it was taken; at most `blocks_max` blocks at a time, at least `count_min` entries left.
 */
typedef bool shrink_keep_t(void *context, const size_t *kept, size_t count);
bool shrink_leave_out(shrink_t *shrink, size_t count, size_t count_min, size_t blocks_max,
                      shrink_keep_t *keep, void *context);

/* The parts; each says whether a candidate was taken. */
bool shrink_axes(shrink_t *shrink);       /* Of an op that tells its axes: sizes and dimensions. */
bool shrink_shapes(shrink_t *shrink);     /* The same of any op, by trial. */
bool shrink_sizes(shrink_t *shrink);      /* Several sizes together, by trial. */
bool shrink_redraw(shrink_t *shrink);     /* Small programs, drawn anew. */
bool shrink_attributes(shrink_t *shrink); /* Words of the attributes. */
bool shrink_quantizations(shrink_t *shrink); /* Scales, zero points and ranges. */
bool shrink_values(shrink_t *shrink);

/* The parts for modules (harness/kinds/module), in the place of all but shrink_values(). */
bool shrink_modules(shrink_t *shrink);      /* Fewer steps. */
bool shrink_module_sizes(shrink_t *shrink); /* Fewer entries. */

#endif
