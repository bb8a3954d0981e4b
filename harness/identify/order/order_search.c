/* SPDX-License-Identifier: Apache-2.0 */
/* Enumerates the orders that a tree may have: by kinds without parts, then by lanes and blocks,
 * whose widths show in which sets of items have nodes. */
#include "harness/identify/order/order_search.h"

enum { ORDER_DEPTH_MAX = 3 }; /* Of orders within orders. */

typedef enum wanted {
  WANTED_FIRST,    /* The first one. */
  WANTED_SIMPLEST, /* The first without parts, else the simplest. */
  WANTED_ALIKE, /* All without parts, else the simplest: they differ for other numbers of items. */
  WANTED_ALL
} wanted_t;

/* Items whose order is sought. */
typedef struct subject {
  item_tree_t tree;
  wanted_t wanted;
  int depth;
  uint32_t widest;          /* Children of a node. */
  const order_test_t *test; /* Of the whole tree; NULL: it is made and compared. */
  arena_t *arena;
  item_index_t index;
  uint32_t *members; /* Scratch: the items of a group, ... */
  uint32_t *groups;  /* ... and the nodes above groups. */
  GPtrArray *found;  /* Of sum_order_t in the arena. */
} subject_t;

/* The simplest of those that were found, or the first that is as simple. */
static const sum_order_t *simplest(const GPtrArray *orders) {
  const sum_order_t *best = NULL;
  for (guint i = 0; i < orders->len; i++) {
    const sum_order_t *order = g_ptr_array_index(orders, i);
    if (best == NULL || sum_order_is_simpler(order, best)) best = order;
  }
  return best;
}

static bool search(subject_t *subject);

/* Orders of a part of the items; NULL if there are none.  Freed by the caller. */
static GPtrArray *search_part(const subject_t *subject, item_tree_t part, wanted_t wanted) {
  subject_t inner = {.tree = part,
                     .wanted = wanted,
                     .depth = subject->depth + 1,
                     .widest = subject->widest,
                     .arena = subject->arena,
                     .found = g_ptr_array_new()};
  if (search(&inner)) return inner.found;
  g_ptr_array_unref(inner.found);
  return NULL;
}

/* One order of a part, or NULL. */
static const sum_order_t *search_one(const subject_t *subject, item_tree_t part) {
  bool takes_first = subject->wanted == WANTED_FIRST;
  g_autoptr(GPtrArray) orders =
      search_part(subject, part, takes_first ? WANTED_FIRST : WANTED_SIMPLEST);
  return orders == NULL ? NULL : g_ptr_array_index(orders, 0);
}

static item_tree_t part_of(const subject_t *subject, uint32_t root, const uint32_t *items,
                           size_t count) {
  return (item_tree_t){.tree = subject->tree.tree, .root = root, .items = items, .count = count};
}

/* The ways in which the first `count` groups are joined under `root`. */
static GPtrArray *search_joins(const subject_t *subject, uint32_t root, size_t count) {
  bool takes_first = subject->wanted == WANTED_FIRST;
  return search_part(subject, part_of(subject, root, subject->groups, count),
                     takes_first ? WANTED_FIRST : WANTED_ALIKE);
}

static bool is_done(const subject_t *subject) {
  return subject->wanted == WANTED_FIRST && subject->found->len > 0;
}

static const sum_order_t *keep(const subject_t *subject, const sum_order_t *order) {
  sum_order_t *kept = arena_alloc(subject->arena, sizeof *kept);
  *kept = *order;
  return kept;
}

/* Takes the order if it gives the tree. */
static void offer(subject_t *subject, const sum_order_t *order) {
  if (is_done(subject)) return;
  const sum_order_t *kept = keep(subject, order);
  const order_test_t *test = subject->test;
  bool gives =
      test != NULL ? test->gives(test->context, kept) : item_tree_is_given_by(&subject->tree, kept);
  if (gives) g_ptr_array_add(subject->found, (gpointer)(uintptr_t)kept);
}

/* ---- Without parts --------------------------------------------------------------------------- */

static void offer_kinds(subject_t *subject, const sum_order_kind_t *kinds, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (subject->wanted == WANTED_SIMPLEST && subject->found->len > 0) return;
    const sum_order_t order = {.kind = kinds[i], .width = 1};
    offer(subject, &order);
  }
}

/* The first of wider nodes has W items, the others a sum besides. */
static void offer_ways(subject_t *subject) {
  uint32_t widths[] = {subject->widest, subject->widest - 1, (uint32_t)subject->tree.count};
  for (size_t i = 0; i < G_N_ELEMENTS(widths) && subject->widest > 2; i++) {
    if (i == 2 && (widths[2] == widths[0] || widths[2] == widths[1])) continue;
    const sum_order_t order = {.kind = SUM_WAYS, .width = widths[i]};
    offer(subject, &order);
  }
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* Finds the nodes above the blocks, for subject->groups; returns how many, or 0 if some block has
 * none. */
static size_t find_blocks(const subject_t *subject, size_t first, size_t width) {
  size_t count = subject->tree.count;
  size_t blocks = 0;
  size_t size = first;
  for (size_t at = 0; at < count; at += size, size = width) {
    if (at > 0) size = MIN(width, count - at);
    if (!item_index_find_range(&subject->index, at, at + size, &subject->groups[blocks])) return 0;
    blocks++;
  }
  return blocks;
}

static void try_blocks(subject_t *subject, size_t width, sum_order_kind_t kind) {
  const item_tree_t *tree = &subject->tree;
  size_t missing = (width - tree->count % width) % width;
  if (missing == 0 && kind != SUM_BLOCKS) return;
  if (missing < 2 && kind == SUM_PADDED) return;
  size_t first = width;
  if (kind == SUM_BLOCKS_FIRST) first = width - missing;
  if (kind == SUM_PADDED) first = width - missing / 2;
  size_t blocks = find_blocks(subject, first, width);
  if (blocks < 2) return;
  /* A block of one item beside a single other one is like one more item. */
  bool is_telling = blocks > 2 || (first > 1 && tree->count - first > 1);
  if (!is_telling && subject->wanted != WANTED_FIRST) return;
  /* A block that is not cut, if there is one; and no item in it is nothing. */
  size_t whole = kind == SUM_BLOCKS && tree->items[0] != ITEM_NOTHING ? 0 : 1;
  size_t at = whole == 0 ? 0 : first;
  size_t size = MIN(width, tree->count - at);
  const sum_order_t *inner =
      search_one(subject, part_of(subject, subject->groups[whole], tree->items + at, size));
  if (inner == NULL) return;
  g_autoptr(GPtrArray) joins = search_joins(subject, tree->root, blocks);
  for (guint i = 0; joins != NULL && i < joins->len; i++) {
    const sum_order_t order = {.kind = kind,
                               .width = (uint32_t)width,
                               .inner = inner,
                               .join = g_ptr_array_index(joins, i)};
    offer(subject, &order);
  }
}

static void try_all_blocks(subject_t *subject) {
  static const sum_order_kind_t kinds[] = {SUM_BLOCKS, SUM_PADDED, SUM_BLOCKS_FIRST};
  for (size_t width = 2; width < subject->tree.count && !is_done(subject); width++) {
    for (size_t i = 0; i < G_N_ELEMENTS(kinds) && !is_done(subject); i++) {
      try_blocks(subject, width, kinds[i]);
    }
  }
}

/* ---- Lanes ----------------------------------------------------------------------------------- */

/* A way to deal the first `count` items out to lanes. */
typedef struct lanes {
  sum_order_kind_t kind;
  size_t count;
  size_t width;
} lanes_t;

/* The items of a lane in subject->members, and the node above them. */
static bool find_lane(const subject_t *subject, const lanes_t *lanes, size_t lane,
                      size_t *out_taken, uint32_t *out_node) {
  const uint32_t *items = subject->tree.items;
  sum_order_kind_t kind = lanes->kind;
  size_t count = lanes->count;
  size_t width = lanes->width;
  size_t front = kind == SUM_LANES_FRONT ? count % width : 0;
  size_t end = kind == SUM_LANES ? count : count - count % width + front;
  size_t taken = 0;
  for (size_t i = 0; i < front && lane == 0; i++) subject->members[taken++] = items[i];
  for (size_t i = front + lane; i < end; i += width) subject->members[taken++] = items[i];
  bool takes_rest = (kind == SUM_LANES_FIRST || kind == SUM_LANES_BESIDE) && lane == 0;
  for (size_t i = end; i < count && takes_rest; i++) subject->members[taken++] = items[i];
  *out_taken = taken;
  return item_index_find(&subject->index, subject->members, taken, out_node);
}

/* How one lane is added, and the nodes above all of them in subject->groups; NULL if one has none.
 */
static const sum_order_t *find_inner(const subject_t *subject, const lanes_t *lanes) {
  size_t taken = 0;
  for (size_t lane = 0; lane < lanes->width; lane++) { /* The last lane has no rest. */
    if (!find_lane(subject, lanes, lane, &taken, &subject->groups[lane])) return NULL;
  }
  uint32_t root = subject->groups[lanes->width - 1];
  return search_one(subject, part_of(subject, root, subject->members, taken));
}

/* The order of the items from `begin` on, if one node is above them. */
static const sum_order_t *find_rest(const subject_t *subject, size_t begin) {
  const item_tree_t *tree = &subject->tree;
  uint32_t node;
  if (!item_index_find_range(&subject->index, begin, tree->count, &node)) return NULL;
  return search_one(subject, part_of(subject, node, tree->items + begin, tree->count - begin));
}

/* Whether lanes of one whole row may be told from any other tree: where one order is read, by the
 * rest; of rules by the items behind the row, which show in which lanes they are. */
static bool is_row_telling(const subject_t *subject, size_t width, sum_order_kind_t kind,
                           bool has_rest) {
  if (subject->wanted == WANTED_FIRST) return kind == SUM_TAIL && has_rest;
  size_t absent = subject->tree.items[0] == ITEM_NOTHING;
  return subject->wanted == WANTED_ALL && kind == SUM_LANES && subject->tree.count > width + absent;
}

/* Lanes, or lanes with a tail behind them. */
static void try_lanes(subject_t *subject, size_t width, sum_order_kind_t kind, bool has_rest) {
  size_t count = subject->tree.count;
  size_t whole = count - count % width;
  if (whole == count && kind != SUM_LANES) return;
  bool is_tail = kind == SUM_TAIL;
  bool is_one_row = whole == width;
  if (is_one_row && !is_row_telling(subject, width, kind, has_rest)) return;
  uint32_t root = subject->tree.root;
  if (is_tail && !item_index_find_range(&subject->index, 0, whole, &root)) return;
  const lanes_t lanes = {is_tail ? SUM_LANES : kind, is_tail ? whole : count, width};
  const sum_order_t *inner = find_inner(subject, &lanes);
  if (inner == NULL) return;
  const sum_order_t *rest = has_rest ? find_rest(subject, whole) : NULL;
  if (has_rest && rest == NULL) return;
  g_autoptr(GPtrArray) joins = search_joins(subject, root, width);
  for (guint i = 0; joins != NULL && i < joins->len; i++) {
    sum_order_t order = {.kind = lanes.kind,
                         .width = (uint32_t)width,
                         .inner = inner,
                         .join = g_ptr_array_index(joins, i)};
    if (is_tail) {
      order = (sum_order_t){.kind = kind, .width = order.width, .inner = keep(subject, &order)};
    }
    order.rest = rest;
    offer(subject, &order);
  }
}

/* Lanes of widths from most down to least. */
static void try_all_lanes(subject_t *subject, size_t most, size_t least) {
  static const struct {
    sum_order_kind_t kind;
    bool has_rest;
  } tries[] = {{SUM_LANES, false},       {SUM_TAIL, false},        {SUM_TAIL, true},
               {SUM_LANES_FIRST, false}, {SUM_LANES_FRONT, false}, {SUM_LANES_BESIDE, true}};
  for (size_t width = most; width >= least && !is_done(subject); width--) {
    for (size_t i = 0; i < G_N_ELEMENTS(tries) && !is_done(subject); i++) {
      try_lanes(subject, width, tries[i].kind, tries[i].has_rest);
    }
  }
}

/* ---- All ------------------------------------------------------------------------------------- */

static void try_groups(subject_t *subject) {
  size_t count = subject->tree.count;
  subject->index = item_index_make(&subject->tree);
  subject->members = g_new(uint32_t, count);
  subject->groups = g_new(uint32_t, count);
  try_all_lanes(subject, count / 2, 2);
  try_all_blocks(subject);
  if (count > 2) try_all_lanes(subject, count - 1, MAX(count / 2 + 1, 2));
  item_index_free(&subject->index);
  g_free(subject->members);
  g_free(subject->groups);
}

/* Leaves in subject->found what is wanted; false if that is nothing. */
static bool search(subject_t *subject) {
  /* Where one order is read off a tree, the likeliest in a program; and of a few items the last one
   * is like many others. */
  static const sum_order_kind_t first[] = {SUM_SEQUENTIAL,  SUM_HALVES,  SUM_HALVES_LOW,
                                           SUM_INTERLEAVED, SUM_REVERSE, SUM_SWAPPED};
  static const sum_order_kind_t last[] = {SUM_POWER};
  /* Else the simplest. */
  static const sum_order_kind_t all[] = {SUM_SEQUENTIAL, SUM_REVERSE,    SUM_SWAPPED,
                                         SUM_HALVES,     SUM_POWER,      SUM_FOLDED,
                                         SUM_HALVES_LOW, SUM_INTERLEAVED};
  bool takes_first = subject->wanted == WANTED_FIRST;
  if (takes_first) {
    offer_kinds(subject, first, G_N_ELEMENTS(first));
  } else {
    offer_kinds(subject, all, G_N_ELEMENTS(all));
  }
  offer_ways(subject);
  bool wants_groups = subject->wanted == WANTED_ALL || subject->found->len == 0;
  if (wants_groups && subject->depth < ORDER_DEPTH_MAX) {
    try_groups(subject);
    if (subject->wanted != WANTED_ALL && subject->found->len > 1) {
      gconstpointer best = simplest(subject->found);
      g_ptr_array_set_size(subject->found, 0);
      g_ptr_array_add(subject->found, (gpointer)(uintptr_t)best);
    }
  }
  if (takes_first && subject->found->len == 0) offer_kinds(subject, last, G_N_ELEMENTS(last));
  return subject->found->len > 0;
}

const sum_order_t *order_search_first(const item_tree_t *tree, arena_t *arena) {
  g_autoptr(GPtrArray) found = g_ptr_array_new();
  subject_t subject = {
      .tree = *tree, .wanted = WANTED_FIRST, .widest = 2, .arena = arena, .found = found};
  return search(&subject) ? g_ptr_array_index(found, 0) : NULL;
}

void order_search_all(const item_tree_t *tree, uint32_t widest, const order_test_t *test,
                      arena_t *arena) {
  g_autoptr(GPtrArray) found = g_ptr_array_new();
  subject_t subject = {.tree = *tree,
                       .wanted = WANTED_ALL,
                       .widest = widest,
                       .test = test,
                       .arena = arena,
                       .found = found};
  search(&subject);
}
