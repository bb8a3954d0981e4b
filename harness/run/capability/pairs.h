/* SPDX-License-Identifier: Apache-2.0 */
/* The pairs of an op and element types that Assay draws, each with a few tiny programs: what a
 * backend is asked with whether it takes the pair.
 *
 * They are found by drawing, the same ones every time: ops draw all types that their documents
 * allow.  Types that one program in some thousand has are found or not; none is asked about that
 * cannot be drawn.  Bodies that are written out and lists of operands that are longer than the
 * shortest of their op stay out: there would be no end of them. */
#ifndef ASSAY_RUN_CAPABILITY_PAIRS_H
#define ASSAY_RUN_CAPABILITY_PAIRS_H

#include <glib.h>

#include "harness/gen/gen.h"
#include "harness/run/capability/profile.h"

/* Programs of a pair that differ in their attributes: a backend takes it that takes one. */
enum { PAIR_PROGRAMS_MAX = 16 };

typedef struct pair {
  const op_t *op;
  const char *types;                            /* As program_print_types() writes them. */
  const program_t *programs[PAIR_PROGRAMS_MAX]; /* In the arena of the pairs. */
  size_t program_count;                         /* One at least. */
} pair_t;

typedef struct pairs {
  GArray *items; /* pair_t, by op in the order given, then by types. */
  arena_t arena; /* Of programs and texts. */
} pairs_t;

/* The pairs of these ops that the profile has, valid under the contract; both may be NULL. */
void pairs_find(const op_t *const *ops, size_t op_count, const profile_t *profile,
                const contract_t *contract, pairs_t *out_pairs);
void pairs_deinit(pairs_t *pairs);

static inline const pair_t *pairs_at(const pairs_t *pairs, size_t index) {
  return &g_array_index(pairs->items, pair_t, index);
}

#endif
