/* SPDX-License-Identifier: Apache-2.0 */
/* Exact set of values of all trees that keep the order of terms, built range by range from the
 * sets of its parts. Values are combined in rows, duplicates are removed per range, and work is
 * limited; usual trees are tried first. */
#include "oracles/exact/in_order/set.h"

#include <glib.h>
#include <math.h>

#include "oracles/exact/fold/fold.h"
#include "oracles/exact/in_order/node.h"
#include "oracles/exact/in_order/value_set.h"

enum { ROW = 256 };

typedef struct set_builder {
  schedule_node_t node;
  const schedules_t *schedules;
  schedule_set_t *sets; /* By schedule_range_index(). */
  value_set_t values;   /* Of the range at work. */
  double row[ROW];      /* Values on their way there. */
  size_t row_count;
  uint64_t work_left;
  arena_t *arena;
  bool is_f32_sum;
} set_builder_t;

static schedule_set_t *range_set(const set_builder_t *builder, schedule_range_t range) {
  return &builder->sets[schedule_range_index(builder->schedules, range)];
}

static void flush_row(set_builder_t *builder) {
  value_set_add(&builder->values, builder->row, builder->row_count);
  builder->row_count = 0;
}

/* Room for `wanted` results at the most: how many fit, at least one. */
static size_t make_room(set_builder_t *builder, size_t wanted) {
  if (builder->row_count + wanted > ROW) flush_row(builder);
  return MIN(wanted, ROW);
}

/* RN(a + values[j]) or RN(a * values[j]). */
static void combine_row(const set_builder_t *builder, double a, const double *values, size_t count,
                        double *out_row) {
  if (builder->is_f32_sum) {
    for (size_t j = 0; j < count; j++) out_row[j] = (float)(a + values[j]);
    return;
  }
  for (size_t j = 0; j < count; j++) out_row[j] = schedule_combine(&builder->node, a, values[j]);
}

static void add_combinations(set_builder_t *builder, const schedule_set_t *a,
                             const schedule_set_t *b) {
  for (size_t i = 0; i < a->count; i++) {
    for (size_t start = 0, count = 0; start < b->count; start += count) {
      count = make_room(builder, b->count - start);
      combine_row(builder, a->values[i], b->values + start, count,
                  builder->row + builder->row_count);
      builder->row_count += count;
    }
  }
}

static void add_fused(set_builder_t *builder, size_t term, const schedule_set_t *set) {
  for (size_t j = 0; j < set->count; j++) {
    make_room(builder, 1);
    builder->row[builder->row_count++] = schedule_fuse(&builder->node, term, set->values[j]);
  }
}

/* Bounds on all values of a range, and how many combinations will give them. */
typedef struct expectation {
  double low;
  double high;
  uint64_t combinations;
  bool has_nan;
} expectation_t;

static void expect_value(expectation_t *expected, double value) {
  if (isnan(value)) expected->low = expected->high = value;
  if (value < expected->low) expected->low = value;
  if (value > expected->high) expected->high = value;
}

static bool has_infinity(const schedule_set_t *set) {
  return isinf(set->values[0]) || isinf(set->values[set->count - 1]);
}

/* Operations are monotone in each operand, so the corners bound them; two of them, for sums of
 * numbers. */
static void expect_combinations(const set_builder_t *builder, schedule_split_t split,
                                expectation_t *expected) {
  const schedule_set_t *left = range_set(builder, split.left);
  const schedule_set_t *right = range_set(builder, split.right);
  expected->has_nan |= left->has_nan || right->has_nan;
  expected->combinations += (uint64_t)left->count * right->count;
  if (left->count == 0 || right->count == 0) return;
  if (builder->schedules->multiplies && (has_infinity(left) || has_infinity(right))) {
    expect_value(expected, NAN); /* Zero times infinity may hide between the corners. */
    return;
  }
  double lefts[] = {left->values[0], left->values[left->count - 1]};
  double rights[] = {right->values[0], right->values[right->count - 1]};
  bool ends_suffice = !builder->schedules->multiplies && isfinite(lefts[0]) && isfinite(lefts[1]) &&
                      isfinite(rights[0]) && isfinite(rights[1]);
  for (int i = 0; i < 4; i += ends_suffice ? 3 : 1) {
    expect_value(expected, schedule_combine(&builder->node, lefts[i / 2], rights[i % 2]));
  }
  for (int i = 0; i < 2; i++) {
    if (split.fuses_left) {
      expect_value(expected, schedule_fuse(&builder->node, split.left.begin, rights[i]));
    }
    if (split.fuses_right) {
      expect_value(expected, schedule_fuse(&builder->node, split.right.begin, lefts[i]));
    }
  }
}

static void add_split(set_builder_t *builder, schedule_split_t split) {
  const schedule_set_t *left = range_set(builder, split.left);
  const schedule_set_t *right = range_set(builder, split.right);
  bool left_is_smaller = left->count <= right->count; /* Operations are commutative. */
  add_combinations(builder, left_is_smaller ? left : right, left_is_smaller ? right : left);
  if (split.fuses_left) add_fused(builder, split.left.begin, right);
  if (split.fuses_right) add_fused(builder, split.right.begin, left);
}

static void combine_range(set_builder_t *builder, schedule_range_t range, bool is_dry,
                          expectation_t *expected) {
  for (size_t length = 0; length <= range.length; length++) {
    for (uint32_t inits = 0; inits <= range.inits; inits++) {
      schedule_split_t split = schedule_split_at(&builder->node, range, length, inits);
      if (schedule_range_is_empty(split.left) || schedule_range_is_empty(split.right)) continue;
      if (is_dry) {
        expect_combinations(builder, split, expected);
      } else {
        add_split(builder, split);
      }
    }
  }
}

static schedule_set_t single_value(set_builder_t *builder, double value) {
  if (isnan(value)) return (schedule_set_t){.has_nan = true};
  double *values = ARENA_NEW_ARRAY(builder->arena, double, 1);
  values[0] = value;
  return (schedule_set_t){.values = values, .count = 1};
}

static schedule_set_t read_set(set_builder_t *builder, bool has_nan) {
  schedule_set_t set = {.count = value_set_count(&builder->values),
                        .has_nan = has_nan || builder->values.has_nan};
  double *values = ARENA_NEW_ARRAY(builder->arena, double, set.count);
  value_set_read(&builder->values, values);
  set.values = values;
  return set;
}

/* False if the work limit is exceeded. */
static bool build_range(set_builder_t *builder, schedule_range_t range) {
  schedule_set_t *set = range_set(builder, range);
  if (range.length + range.inits == 1) {
    *set = single_value(
        builder, range.length == 1 ? builder->node.leaves[range.begin] : builder->schedules->init);
    return true;
  }
  expectation_t expected = {.low = INFINITY, .high = -INFINITY};
  combine_range(builder, range, true, &expected);
  if (expected.combinations > builder->work_left) return false;
  builder->work_left -= expected.combinations;
  value_set_clear(&builder->values, expected.low, expected.high, expected.combinations);
  combine_range(builder, range, false, NULL);
  flush_row(builder);
  *set = read_set(builder, expected.has_nan);
  return true;
}

/* Shorter ranges come first, and among equals those with fewer initial values. */
static bool build_all_ranges(set_builder_t *builder) {
  const schedules_t *schedules = builder->schedules;
  for (size_t length = 0; length <= schedules->count; length++) {
    size_t last_begin = length == 0 ? 0 : schedules->count - length;
    for (uint32_t inits = 0; inits <= schedules->init_max; inits++) {
      for (size_t begin = 0; begin <= last_begin; begin++) {
        schedule_range_t range = {.inits = inits, .begin = begin, .length = length};
        if (schedule_range_is_empty(range)) continue;
        if (!build_range(builder, range)) return false;
      }
    }
  }
  return true;
}

/* The union over the permitted numbers of initial values. */
static schedule_set_t unite_all_terms(set_builder_t *builder) {
  const schedules_t *schedules = builder->schedules;
  value_set_clear(&builder->values, NAN, NAN, 0);
  bool has_nan = false;
  for (uint32_t inits = schedules->init_min; inits <= schedules->init_max; inits++) {
    schedule_range_t range = {.inits = inits, .begin = 0, .length = schedules->count};
    if (schedule_range_is_empty(range)) continue;
    const schedule_set_t *set = range_set(builder, range);
    value_set_add(&builder->values, set->values, set->count);
    has_nan |= set->has_nan;
  }
  return read_set(builder, has_nan);
}

static status_t too_much_work(const schedules_t *schedules, failure_t *error) {
  return status_fail(error, STATUS_UNDECIDED,
                     "the schedules of %zu terms and up to %u initial values give too many values",
                     schedules->count, schedules->init_max);
}

status_t schedule_set_make(const schedules_t *schedules, uint64_t work, arena_t *arena,
                           schedule_set_t *out_set, failure_t *error) {
  if (schedule_split_count(schedules) > (double)work) return too_much_work(schedules, error);
  set_builder_t builder = {
      .node = schedule_node_make(schedules, arena),
      .schedules = schedules,
      .values = value_set_make(schedules->format, arena),
      .sets = ARENA_NEW_ARRAY(arena, schedule_set_t, schedule_range_count(schedules)),
      .work_left = work,
      .arena = arena,
      .is_f32_sum = schedules->format == &format_table[FORMAT_f32] && !schedules->multiplies,
  };
  bool is_done = build_all_ranges(&builder);
  if (is_done) *out_set = unite_all_terms(&builder);
  return is_done ? STATUS_OK : too_much_work(schedules, error);
}

bool schedule_set_has(const schedule_set_t *set, double value) {
  if (isnan(value)) return set->has_nan;
  uint64_t key = value_key(value);
  size_t low = 0;
  size_t high = set->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    uint64_t middle_key = value_key(set->values[middle]);
    if (middle_key == key) return true;
    if (middle_key < key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return false;
}

/* Folds all terms by a usual tree, the initial values in front. */
static double fold_by_tree(const schedule_node_t *node, const implementation_model_t *schedule,
                           arena_t *arena) {
  const schedules_t *schedules = node->schedules;
  fold_t fold;
  fold_body_t body = schedules->multiplies ? FOLD_MULTIPLY : FOLD_ADD;
  const element_t *element = element_named(schedules->format->name);
  if (fold_make(body, element, NULL, schedule, &fold, NULL) != STATUS_OK) return NAN;
  fold_value_t *terms = fold_make_terms(&fold, schedules->count, arena);
  for (size_t i = 0; i < schedules->count; i++) {
    terms[i] = fold_real(node->leaves[i]);
    if (!fold.fused || schedules->right == NULL) continue;
    terms[i] = fold_product(&fold, fold_real(schedules->left[i]), fold_real(schedules->right[i]));
  }
  return fold_run(&fold, fold_real(schedules->init), terms, schedules->count, 0).real;
}

static bool usual_tree_gives(const schedule_node_t *node, double value, arena_t *arena) {
  static const sum_order_kind_t trees[] = {SUM_SEQUENTIAL, SUM_HALVES, SUM_REVERSE};
  uint32_t init_count = MIN(MAX(node->schedules->init_min, 1), node->schedules->init_max);
  for (size_t i = 0; i < G_N_ELEMENTS(trees); i++) {
    for (int fused = 0; fused <= (node->fuses ? 1 : 0); fused++) {
      implementation_model_t schedule = {
          .order.kind = trees[i], .fused = fused == 1, .init_count = init_count};
      double given = schedule_convert(node->schedules, fold_by_tree(node, &schedule, arena));
      if (value_key(given) == value_key(value)) return true;
    }
  }
  return false;
}

/* NaN becomes NaN, and so may be what overflows. */
static bool becomes_of_set(const schedules_t *schedules, const schedule_set_t *set, double value) {
  if (schedules->result == NULL) return schedule_set_has(set, value);
  if (isnan(value) && set->has_nan) return true;
  for (size_t i = 0; i < set->count; i++) {
    double converted = schedule_convert(schedules, set->values[i]);
    if (isnan(value) ? isnan(converted) : value_key(converted) == value_key(value)) return true;
  }
  return false;
}

bool schedule_usual_gives(const schedules_t *schedules, double value, arena_t *arena) {
  const schedule_node_t node = schedule_node_make(schedules, arena);
  return !isnan(value) && usual_tree_gives(&node, value, arena);
}

status_t schedule_set_contains(const schedules_t *schedules, double value, uint64_t work,
                               arena_t *arena, bool *out_contains, failure_t *error) {
  if (schedule_usual_gives(schedules, value, arena)) {
    *out_contains = true;
    return STATUS_OK;
  }
  schedule_set_t set;
  STATUS_TRY(schedule_set_make(schedules, work, arena, &set, error));
  *out_contains = becomes_of_set(schedules, &set, value);
  return STATUS_OK;
}
