/* SPDX-License-Identifier: Apache-2.0 */
/* Recovers a summation tree by probes with masks of opposite sign, recursively over sets of
 * leaves. Surviving units are counted per pair, with a heavier unit outside to detect swallowing
 * beyond the set. */
#include "harness/identify/probe/discover.h"

#include <math.h>

enum { NO_LEAF = UINT32_MAX };

uint32_t discovery_add(discovery_t *discovery, const uint32_t *children, size_t count,
                       bool is_aligned) {
  const profile_node_t like = {.rounding = ROUNDING_NEAREST_EVEN,
                               .aligned_bits = is_aligned ? ALIGNED_UNKNOWN : 0};
  uint32_t leaves = 0;
  for (size_t i = 0; i < count; i++) {
    leaves += (uint32_t)discovery_leaf_count(discovery, children[i]);
  }
  g_array_append_val(discovery->leaf_counts, leaves);
  return profile_builder_add(&discovery->builder, children, count, &like);
}

size_t discovery_leaf_count(const discovery_t *discovery, uint32_t id) {
  size_t terms = discovery->builder.term_count;
  return id <= terms ? 1 : g_array_index(discovery->leaf_counts, uint32_t, id - terms - 1);
}

/* Leaves, and one outside them at which a unit is watched; NO_LEAF if there is none. */
typedef struct leaf_set {
  const uint32_t *leaves;
  size_t count;
  uint32_t outside;
} leaf_set_t;

/* What one pair of masks showed within a set of leaves. */
typedef struct meeting {
  uint32_t leaf;          /* The other leaf. */
  uint32_t swallowed;     /* Leaves of the set that lie below where the two meet, both included. */
  bool is_outside_spared; /* A unit outside the set survived. */
} meeting_t;

static status_t not_a_tree(const discovery_t *discovery, uint32_t a, uint32_t b, const char *what) {
  return status_fail(discovery->error, STATUS_INVALID,
                     "no tree of additions explains what masks at terms %u and %u show: %s", a, b,
                     what);
}

/* One probe: masks at `a` and `b`, units at the leaves of `units`, and a heavier one outside. */
static status_t count_survivors(discovery_t *discovery, uint32_t a, uint32_t b,
                                const leaf_set_t *units, size_t *out_survivors, bool *out_spared) {
  const mask_scale_t *scale = &discovery->scale;
  size_t count = units->count;
  uint32_t outside = units->outside;
  size_t weight = 1;
  while (weight <= count) weight *= 2;
  mask_probe_set(discovery->probe, a, scale->mask);
  mask_probe_set(discovery->probe, b, -scale->mask);
  for (size_t i = 0; i < count; i++) {
    mask_probe_set(discovery->probe, units->leaves[i], scale->unit);
  }
  if (outside != NO_LEAF) {
    mask_probe_set(discovery->probe, outside, scale->unit * (double)weight);
  }
  double value;
  STATUS_TRY(mask_probe_run(discovery->probe, &value, discovery->error));
  double units_left = value / scale->unit;
  double most = (double)count + (outside == NO_LEAF ? 0 : (double)weight);
  if (!(units_left >= 0 && units_left <= most) || units_left != floor(units_left)) {
    return not_a_tree(discovery, a, b, "the units that survive are no whole number of them");
  }
  size_t survivors = (size_t)units_left;
  *out_spared = outside == NO_LEAF || survivors >= weight;
  if (outside != NO_LEAF && survivors >= weight) survivors -= weight;
  if (survivors > count) return not_a_tree(discovery, a, b, "more units survive than there were");
  *out_survivors = survivors;
  return STATUS_OK;
}

/* All leaves of the set but the two are units, as many at a time as can be counted. */
static status_t measure(discovery_t *discovery, uint32_t a, uint32_t b, const leaf_set_t *set,
                        meeting_t *out_meeting) {
  size_t room = discovery->scale.capacity;
  size_t chunk_max = set->outside == NO_LEAF ? room : MAX(room / 4, 1);
  uint32_t *units = g_new(uint32_t, set->count);
  size_t swallowed = 2;
  bool spared_all = true;
  status_t status = STATUS_OK;
  size_t at = 0;
  do {
    size_t count = 0;
    for (; at < set->count && count < chunk_max; at++) {
      uint32_t leaf = set->leaves[at];
      if (leaf != a && leaf != b) units[count++] = leaf;
    }
    size_t survivors = 0;
    bool spared = true;
    const leaf_set_t chunk = {units, count, set->outside};
    status = count_survivors(discovery, a, b, &chunk, &survivors, &spared);
    swallowed += count - survivors;
    spared_all = spared_all && spared;
  } while (status == STATUS_OK && at < set->count);
  g_free(units);
  *out_meeting =
      (meeting_t){.leaf = b, .swallowed = (uint32_t)swallowed, .is_outside_spared = spared_all};
  return status;
}

static int compare_meetings(const void *a, const void *b) {
  const meeting_t *x = a;
  const meeting_t *y = b;
  if (x->is_outside_spared != y->is_outside_spared) return x->is_outside_spared ? -1 : 1;
  if (x->swallowed != y->swallowed) return x->swallowed < y->swallowed ? -1 : 1;
  return x->leaf < y->leaf ? -1 : x->leaf > y->leaf;
}

static int compare_leaves(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a;
  uint32_t y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static status_t discover_forest(discovery_t *discovery, const leaf_set_t *set, bool from_end,
                                GArray *out_roots);

static status_t discover_one(discovery_t *discovery, const leaf_set_t *set, GArray *out_roots) {
  guint before = out_roots->len;
  STATUS_TRY(discover_forest(discovery, set, false, out_roots));
  if (out_roots->len == before + 1) return STATUS_OK;
  return not_a_tree(discovery, set->outside, set->leaves[0],
                    "a part of an exact adder loses units");
}

/* Splits equal children of an exact adder, `size` leaves each. */
static status_t split_parts(discovery_t *discovery, const leaf_set_t *set, size_t size,
                            GArray *out_roots) {
  size_t count = set->count; /* Leaves that are left, in `rest`. */
  uint32_t *rest = g_memdup2(set->leaves, count * sizeof *rest);
  uint32_t *part = g_new(uint32_t, count);
  status_t status = STATUS_OK;
  while (status == STATUS_OK && count > 0) {
    size_t part_count = 1;
    size_t kept = 0;
    part[0] = rest[0];
    for (size_t i = 1; i < count && status == STATUS_OK; i++) {
      meeting_t meeting = {.swallowed = (uint32_t)size};
      if (size > 1) {
        const leaf_set_t left = {set->leaves, count, set->outside};
        status = measure(discovery, part[0], rest[i], &left, &meeting);
      }
      bool is_same = size > 1 && meeting.swallowed <= size;
      if (is_same) {
        part[part_count++] = rest[i];
      } else {
        rest[kept++] = rest[i];
      }
    }
    count = kept;
    if (status == STATUS_OK && part_count != size) {
      status = not_a_tree(discovery, part[0], set->outside, "the children of an adder differ");
    }
    if (status == STATUS_OK) {
      const leaf_set_t taken = {part, part_count, set->outside};
      status = discover_one(discovery, &taken, out_roots);
    }
  }
  g_free(part);
  g_free(rest);
  return status;
}

/* The node under construction on the path up from the pivot. */
typedef struct climb {
  uint32_t root;    /* All that is finished. */
  size_t size;      /* Leaves under the open node. */
  size_t base;      /* Leaves under `root`. */
  GArray *children; /* Of the open node, `root` first; none if there is no open node. */
  bool is_aligned;
} climb_t;

static void climb_close(discovery_t *discovery, climb_t *climb) {
  if (climb->children->len == 0) return;
  const uint32_t *children = (const uint32_t *)(const void *)climb->children->data;
  climb->root = discovery_add(discovery, children, climb->children->len, climb->is_aligned);
  climb->base = climb->size;
  climb->is_aligned = false;
  g_array_set_size(climb->children, 0);
}

static void climb_open(discovery_t *discovery, climb_t *climb) {
  climb_close(discovery, climb);
  g_array_append_val(climb->children, climb->root);
}

/* Whether `leaf` meets the other children of the open node there, where the exact adder spares the
 * pivot, or above. */
static status_t ask_joins(discovery_t *discovery, const climb_t *climb, uint32_t pivot,
                          uint32_t leaf, bool *out_joins) {
  uint32_t child = g_array_index(climb->children, uint32_t, climb->children->len - 1);
  uint32_t sibling = profile_builder_first_leaf(&discovery->builder, child);
  size_t survivors;
  bool spared;
  const leaf_set_t unit = {&pivot, 1, NO_LEAF};
  STATUS_TRY(count_survivors(discovery, sibling, leaf, &unit, &survivors, &spared));
  *out_joins = survivors == 1;
  return STATUS_OK;
}

/* Takes the leaves that meet the pivot, which is outside them, at one node. */
static status_t climb_take(discovery_t *discovery, climb_t *climb, const leaf_set_t *group,
                           size_t swallowed, bool from_end) {
  size_t count = group->count;
  uint32_t pivot = group->outside;
  uint32_t first = group->leaves[0];
  bool is_open = climb->children->len > 0;
  if (swallowed == climb->size + count) {
    climb_open(discovery, climb);
    guint before = climb->children->len;
    STATUS_TRY(discover_forest(discovery, group, from_end, climb->children));
    climb->is_aligned = climb->children->len > before + 1;
  } else {
    bool joins = is_open && swallowed > climb->base && count % (swallowed - climb->base) == 0;
    bool is_above = swallowed > climb->size && count % (swallowed - climb->size) == 0;
    if (!joins && !is_above) {
      return not_a_tree(discovery, pivot, first, "the sizes of the subtrees do not add up");
    }
    if (joins && is_above) STATUS_TRY(ask_joins(discovery, climb, pivot, first, &joins));
    if (!joins) climb_open(discovery, climb);
    STATUS_TRY(split_parts(discovery, group, swallowed - climb->base, climb->children));
  }
  climb->size += count;
  return STATUS_OK;
}

/* Builds the tree that holds the pivot from its meetings, sorted from the lowest to the highest. */
static status_t climb_all(discovery_t *discovery, uint32_t pivot, const meeting_t *meetings,
                          size_t count, bool from_end, GArray *out_roots) {
  climb_t climb = {
      .root = pivot, .size = 1, .base = 1, .children = g_array_new(FALSE, FALSE, sizeof(uint32_t))};
  uint32_t *leaves = g_new(uint32_t, count);
  status_t status = STATUS_OK;
  for (size_t at = 0; at < count && status == STATUS_OK;) {
    size_t end = at;
    while (end < count && meetings[end].swallowed == meetings[at].swallowed) {
      leaves[end - at] = meetings[end].leaf;
      end++;
    }
    /* A tree that leans to the other side is climbed from its other end. */
    bool other_end = end - at == count && !from_end;
    const leaf_set_t group = {leaves, end - at, pivot};
    status = climb_take(discovery, &climb, &group, meetings[at].swallowed, other_end);
    at = end;
  }
  climb_close(discovery, &climb);
  g_array_append_val(out_roots, climb.root);
  g_array_unref(climb.children);
  g_free(leaves);
  return status;
}

/* A known subtree of the same size may have the same shape. */
static status_t try_known_shape(discovery_t *discovery, const leaf_set_t *set, bool *out_holds,
                                uint32_t *out_id) {
  *out_holds = false;
  const profile_builder_t *builder = &discovery->builder;
  const shape_t shape = {.nodes = (const profile_node_t *)(const void *)builder->nodes->data,
                         .term_count = builder->term_count};
  guint known = builder->nodes->len;
  while (known > 0 && g_array_index(discovery->leaf_counts, uint32_t, known - 1) != set->count) {
    known--;
  }
  if (known == 0) return STATUS_OK;
  uint32_t id = (uint32_t)(builder->term_count + known);
  GArray *leaves = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  shape_leaves(&shape, id, leaves);
  uint32_t *names = g_new(uint32_t, builder->term_count + 1);
  uint8_t *marks = g_new0(uint8_t, builder->term_count + 1);
  for (guint i = 0; i < leaves->len; i++) marks[g_array_index(leaves, uint32_t, i)] = 1;
  for (size_t leaf = 0, rank = 0; leaf <= builder->term_count; leaf++) {
    if (marks[leaf] != 0) names[leaf] = set->leaves[rank++];
  }
  const shape_guess_t guess = {
      .shape = &shape, .root = id, .names = names, .outside = set->outside};
  status_t status = verify_shape(discovery, &guess, out_holds, out_id);
  g_free(marks);
  g_free(names);
  g_array_unref(leaves);
  return status;
}

/* The trees whose leaves are the set: one, or several that one aligned adder takes in together with
 * the leaf outside. */
static status_t discover_forest(discovery_t *discovery, const leaf_set_t *set, bool from_end,
                                GArray *out_roots) {
  enum { GUESS_MIN = 4 };
  size_t count = set->count;
  if (count == 1) {
    g_array_append_val(out_roots, set->leaves[0]);
    return STATUS_OK;
  }
  bool is_known = false;
  uint32_t root;
  if (count >= GUESS_MIN) {
    STATUS_TRY(try_known_shape(discovery, set, &is_known, &root));
  }
  if (is_known) {
    g_array_append_val(out_roots, root);
    return STATUS_OK;
  }
  meeting_t *meetings = g_new(meeting_t, count - 1);
  size_t at_pivot = from_end ? count - 1 : 0;
  uint32_t pivot = set->leaves[at_pivot];
  status_t status = STATUS_OK;
  for (size_t i = 0, at = 0; i < count && status == STATUS_OK; i++) {
    if (i == at_pivot) continue;
    status = measure(discovery, pivot, set->leaves[i], set, &meetings[at++]);
  }
  size_t spared = 0;
  if (status == STATUS_OK) {
    qsort(meetings, count - 1, sizeof *meetings, compare_meetings);
    while (spared < count - 1 && meetings[spared].is_outside_spared) spared++;
    status = climb_all(discovery, pivot, meetings, spared, from_end, out_roots);
  }
  size_t rest_count = count - 1 - spared;
  if (status == STATUS_OK && rest_count > 0) {
    uint32_t *rest = g_new(uint32_t, rest_count);
    for (size_t i = 0; i < rest_count; i++) rest[i] = meetings[spared + i].leaf;
    qsort(rest, rest_count, sizeof *rest, compare_leaves);
    const leaf_set_t others = {rest, rest_count, set->outside};
    status = discover_forest(discovery, &others, false, out_roots);
    g_free(rest);
  }
  g_free(meetings);
  return status;
}

status_t discover_tree(discovery_t *discovery) {
  size_t count = discovery->builder.term_count + (discovery->init_is_leaf ? 1 : 0);
  if (count == 0) return STATUS_OK;
  uint32_t *leaves = g_new(uint32_t, count);
  for (size_t i = 0; i < count; i++) leaves[i] = (uint32_t)i;
  GArray *roots = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  const leaf_set_t all = {leaves, count, NO_LEAF};
  status_t status = discover_forest(discovery, &all, false, roots);
  if (status == STATUS_OK && roots->len != 1) {
    status = not_a_tree(discovery, 0, 1, "there is more than one root");
  }
  g_array_unref(roots);
  g_free(leaves);
  return status;
}
