/* SPDX-License-Identifier: Apache-2.0 */
/* Where the cases of an invariance campaign come from.  Private to harness/run. */
#ifndef ASSAY_INVARIANCE_SOURCE_H
#define ASSAY_INVARIANCE_SOURCE_H

#include "harness/invariance/invariance.h"

/* Whether the op tells its axes and has programs of these types (NULL: any). */
bool invariance_source_has(const op_t *op, const char *types);

/* Cases of one op, one for each index. */
typedef struct invariance_source {
  const op_t *op; /* One that invariance_source_has(). */
  const char *types;
  uint64_t seed;
} invariance_source_t;

/* Case `index` of a source, in the arena, with its axes. */
void invariance_source_draw(const invariance_source_t *source, uint64_t index, arena_t *arena,
                            case_t *out_case, axes_t *out_axes);

/* A number for the purpose of seeding: the same for the same seed, index and purpose. */
uint64_t invariance_source_seed(uint64_t seed, uint64_t index, uint64_t purpose);

#endif
