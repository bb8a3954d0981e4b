/* SPDX-License-Identifier: Apache-2.0 */
/* The sample of a large case (oracles/sample.h) that is judged in blocks: units chosen over the
 * whole, of which each block has those that lie in it.  Private to harness/run/parts. */
#ifndef ASSAY_RUN_PARTS_PART_SAMPLE_H
#define ASSAY_RUN_PARTS_PART_SAMPLE_H

#include "harness/model/cut/cut.h"
#include "oracles/sample.h"

/* A unit in a block. */
typedef struct placed_unit {
  size_t block;
  size_t unit;
} placed_unit_t;

typedef struct part_sample {
  const cut_t *cut;
  const program_t *program;
  placed_unit_t *units; /* Ascending by block; freed by part_sample_clear(). */
  size_t count;
  uint64_t draws; /* 0: all is judged. */
} part_sample_t;

/* None where the first result is small, or a sample would be most of it. */
part_sample_t part_sample_make(const cut_t *cut, const program_t *program, uint64_t seed);
void part_sample_clear(part_sample_t *sample);

/* What of it lies in a block, whose program is `part`; in the arena. */
sample_t part_sample_of(const part_sample_t *sample, size_t block, const program_t *part,
                        arena_t *arena);

/* So many units, drawn with replacement, and those at corners and at the edges of tiles: ascending,
 * each once, freed by g_free(). */
size_t *part_sample_draw(const cut_t *cut, const program_t *program, uint64_t draws, uint64_t seed,
                         size_t *out_count);

#endif
