/* SPDX-License-Identifier: Apache-2.0 */
/* The hull of plain sums whose numbers stay finite. */
#include <glib.h>
#include <math.h>

#include "oracles/exact/in_order/hull_parts.h"
#include "oracles/exact/instruction_sets.h"

enum { HULL_LANES = 16 };

#define REAL float
#define NAMED(name) name##_f32
#define ROUND(node, sum) (sum)
#define FUSE(node, a, b, c) __builtin_fmaf((a), (b), (c))
#include "oracles/exact/in_order/hull_type.inc"
#undef REAL
#undef NAMED
#undef ROUND
#undef FUSE

/* Rounding is monotone too: the largest rounded sum is the largest binary64 sum, rounded. */
#define REAL double
#define NAMED(name) name##_f64
#define ROUND(node, sum) arithmetic_round(&(node)->arithmetic, (sum))
#define FUSE(node, a, b, c) arithmetic_fused(&(node)->arithmetic, (a), (b), (c))
#include "oracles/exact/in_order/hull_type.inc"
#undef REAL
#undef NAMED
#undef ROUND
#undef FUSE

bool schedule_hull_dense(const schedule_node_t *node, arena_t *arena, schedule_hull_t *out_hull) {
  const schedules_t *schedules = node->schedules;
  if (schedules->multiplies || schedules->init_max > 0) return false;
  for (size_t i = 0; i < schedules->count; i++) {
    if (!isfinite(node->leaves[i])) return false;
  }
  bool is_f32 = schedules->format == &format_table[FORMAT_f32];
  return is_f32 ? hull_f32(node, arena, out_hull) : hull_f64(node, arena, out_hull);
}
