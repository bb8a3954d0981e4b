/* How the way of adding depends on a size: ranges of sizes within which one rule explains every
 * size that was identified, with their boundaries found by bisection.
 *
 * Identified are both ends, the powers of two between them and their neighbours, what bisection
 * asks for, and a size at random in every gap that is left; a range that lies between two sizes of
 * one kind and is hit by none of these stays unseen. */
#ifndef ASSAY_IDENTIFY_SIZE_MAP_H
#define ASSAY_IDENTIFY_SIZE_MAP_H

#include "harness/identify/identify.h"
#include "harness/identify/tree_rule.h"

/* One size. */
typedef struct map_point {
  int64_t size;
  bool is_refused;               /* The executor does not support the program. */
  char reason[ERROR_TEXT_BYTES]; /* Of a refusal, or why it was not identified. */
  identity_t identity;
  bool is_explained; /* Identified, and all that was checked was predicted. */
  bool has_profile;
  profile_t profile; /* In the map's arena. */
  const tree_rule_t *rule;
  size_t calls;
} map_point_t;

/* Identifies one size; `hint` may be NULL.  Sets all members but the rule.  Failures end the map.
 */
typedef status_t (*map_identify_t)(void *context, int64_t size, const profile_t *hint,
                                   arena_t *arena, map_point_t *out_point, failure_t *error);

/* Sizes of one kind. */
typedef struct map_range {
  int64_t first;
  int64_t last;
  size_t begin; /* Its points are points[begin..end). */
  size_t end;
  const tree_rule_t *rule; /* Explains them all; NULL if they are irregular. */
} map_range_t;

typedef struct size_map {
  GArray *points; /* Of map_point_t, ascending. */
  GArray *ranges; /* Of map_range_t, ascending. */
  size_t calls;
} size_map_t;

/* Maps first..last; freed with size_map_free(). */
status_t size_map_run(map_identify_t identify_size, void *context, int64_t first, int64_t last,
                      arena_t *arena, size_map_t *out_map, failure_t *error);
void size_map_free(size_map_t *map);

/* "a=f32/fused b=f64", the arithmetics of the nodes, sorted. */
void profile_print_arithmetics(const profile_t *profile, GString *out_text);

#endif
