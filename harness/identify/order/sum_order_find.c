/* SPDX-License-Identifier: Apache-2.0 */
/* Reading an order of summation off a tree.  Candidates are made from the sets of terms that lie
 * under one node, and each is held against the tree by generating it; sets are compared by the sums
 * of random numbers that their members are given. */
#include <string.h>

#include "harness/base/rng.h"
#include "harness/identify/order/sum_order_find.h"
#include "harness/identify/profile/builder.h"

/* A tree of binary nodes over items, which may be nodes themselves. */
typedef struct subject {
  arena_t *arena;
  const profile_t *tree; /* Binary, without initial values and single roundings. */
  uint32_t root;
  const uint32_t *items; /* In order. */
  size_t count;
  uint64_t *sums;    /* Hashes of the first 0, 1, ... items. */
  GHashTable *nodes; /* From the hash of the items under a node to its id. */
  int depth;         /* Of orders within orders. */
  uint32_t *members; /* Scratch: the items of a group, ... */
  uint32_t *groups;  /* ... and the nodes above groups. */
} subject_t;

enum { ORDER_DEPTH_MAX = 3 };

static const sum_order_t *find_order(arena_t *arena, const profile_t *tree, uint32_t root,
                                     const uint32_t *items, size_t count, int depth);

static uint64_t hash_of_id(uint32_t id) {
  uint64_t state = id;
  return rng_splitmix(&state);
}

/* Hashes all nodes between the root and the items. */
static void hash_nodes(subject_t *subject) {
  const profile_t *tree = subject->tree;
  size_t size = tree->term_count + tree->node_count + 1;
  uint64_t *hashes = g_new0(uint64_t, size);
  uint8_t *is_item = g_new0(uint8_t, size);
  for (size_t i = 0; i < subject->count; i++) {
    hashes[subject->items[i]] = hash_of_id(subject->items[i]);
    is_item[subject->items[i]] = 1;
  }
  for (size_t i = 0; i < tree->node_count; i++) {
    size_t id = tree->term_count + 1 + i;
    if (is_item[id] == 0) {
      hashes[id] = hashes[tree->nodes[i].children[0]] + hashes[tree->nodes[i].children[1]];
    }
  }
  for (size_t id = 0; id < size; id++) {
    if (hashes[id] == 0) continue;
    uint64_t *key = arena_alloc(subject->arena, sizeof *key);
    *key = hashes[id];
    g_hash_table_insert(subject->nodes, key, GUINT_TO_POINTER((guint)id + 1));
  }
  g_free(is_item);
  g_free(hashes);
}

/* The node above exactly the items with that sum of hashes; false if there is none. */
static bool find_node(const subject_t *subject, uint64_t hash, uint32_t *out_id) {
  gpointer found = g_hash_table_lookup(subject->nodes, &hash);
  if (found == NULL) return false;
  *out_id = GPOINTER_TO_UINT(found) - 1;
  return true;
}

/* The text of the tree down to the items, which are numbered in order. */
static char *text_of_tree(const profile_t *tree, uint32_t root, const uint32_t *items, size_t count,
                          arena_t *arena) {
  profile_builder_t builder = profile_builder_make(count, arena);
  size_t size = tree->term_count + tree->node_count + 1;
  uint32_t *names = g_new(uint32_t, size);
  memset(names, 0xff, size * sizeof *names);
  for (size_t i = 0; i < count; i++) names[items[i]] = (uint32_t)i;
  const profile_node_t like = {.rounding = ROUNDING_NEAREST_EVEN};
  for (size_t i = 0; i < tree->node_count; i++) {
    size_t id = tree->term_count + 1 + i;
    const uint32_t *children = tree->nodes[i].children;
    const uint32_t renamed[] = {names[children[0]], names[children[1]]};
    if (names[id] != UINT32_MAX || renamed[0] == UINT32_MAX || renamed[1] == UINT32_MAX) continue;
    names[id] = profile_builder_add(&builder, renamed, 2, &like);
    if (id == root) break;
  }
  profile_t copy = {.term_count = count};
  profile_builder_finish(&builder, &copy);
  GString *text = g_string_new(NULL);
  profile_print_tree(&copy, text);
  profile_builder_free(&builder);
  g_free(names);
  return g_string_free(text, FALSE);
}

static uint32_t add_items(void *context, const uint32_t *items, uint32_t count) {
  const profile_node_t like = {.rounding = ROUNDING_NEAREST_EVEN};
  return profile_builder_add(context, items, count, &like);
}

/* NULL if the order has no tree for so many. */
static char *text_of_order(const sum_order_t *order, size_t count, arena_t *arena) {
  profile_builder_t builder = profile_builder_make(count, arena);
  const sum_builder_t maker = {.add = add_items, .context = &builder, .front = SUM_NO_ITEM};
  uint32_t *items = g_new(uint32_t, count);
  for (size_t i = 0; i < count; i++) items[i] = (uint32_t)i;
  uint32_t root;
  bool has_tree = sum_order_build(order, &maker, items, (uint32_t)count, &root);
  profile_t made = {.term_count = count};
  profile_builder_finish(&builder, &made);
  GString *text = g_string_new(NULL);
  if (has_tree) profile_print_tree(&made, text);
  profile_builder_free(&builder);
  g_free(items);
  return g_string_free(text, !has_tree);
}

static bool generates(const subject_t *subject, const sum_order_t *order) {
  arena_t arena;
  arena_init(&arena);
  char *seen = text_of_tree(subject->tree, subject->root, subject->items, subject->count, &arena);
  char *made = text_of_order(order, subject->count, &arena);
  bool same = g_strcmp0(seen, made) == 0;
  g_free(seen);
  g_free(made);
  arena_deinit(&arena);
  return same;
}

static const sum_order_t *keep(const subject_t *subject, sum_order_t order) {
  sum_order_t *kept = arena_alloc(subject->arena, sizeof *kept);
  *kept = order;
  return kept;
}

/* The first of these that gives the tree. */
static const sum_order_t *find_among(const subject_t *subject, const sum_order_kind_t *kinds,
                                     size_t count) {
  for (size_t i = 0; i < count; i++) {
    const sum_order_t order = {.kind = kinds[i]};
    if (generates(subject, &order)) return keep(subject, order);
  }
  return NULL;
}

/* Finds the nodes above the blocks, for subject->groups; returns how many, or 0 if some block is
 * none. */
static size_t find_blocks(const subject_t *subject, size_t first, size_t width) {
  size_t blocks = 0;
  size_t size = first;
  for (size_t at = 0; at < subject->count; at += size, size = width) {
    if (at > 0) size = MIN(width, subject->count - at);
    if (!find_node(subject, subject->sums[at + size] - subject->sums[at],
                   &subject->groups[blocks])) {
      return 0;
    }
    blocks++;
  }
  return blocks;
}

static const sum_order_t *try_blocks(const subject_t *subject, size_t width,
                                     sum_order_kind_t kind) {
  size_t missing = (width - subject->count % width) % width;
  if (missing == 0 && kind != SUM_BLOCKS) return NULL;
  if (missing < 2 && kind == SUM_PADDED) return NULL;
  size_t first = width;
  if (kind == SUM_BLOCKS_FIRST) first = width - missing;
  if (kind == SUM_PADDED) first = width - missing / 2;
  size_t blocks = find_blocks(subject, first, width);
  if (blocks < 2) return NULL;
  size_t whole = kind == SUM_BLOCKS ? 0 : 1; /* A block that is not cut, if there is one. */
  size_t at = whole == 0 ? 0 : first;
  size_t size = MIN(width, subject->count - at);
  int depth = subject->depth + 1;
  const sum_order_t *inner = find_order(subject->arena, subject->tree, subject->groups[whole],
                                        subject->items + at, size, depth);
  if (inner == NULL) return NULL;
  const sum_order_t *join =
      find_order(subject->arena, subject->tree, subject->root, subject->groups, blocks, depth);
  if (join == NULL) return NULL;
  const sum_order_t order = {.kind = kind, .width = (uint32_t)width, .inner = inner, .join = join};
  return generates(subject, &order) ? keep(subject, order) : NULL;
}

static const sum_order_t *find_in_blocks(const subject_t *subject) {
  static const sum_order_kind_t kinds[] = {SUM_BLOCKS, SUM_PADDED, SUM_BLOCKS_FIRST};
  const sum_order_t *found = NULL;
  for (size_t width = 2; width < subject->count && found == NULL; width++) {
    for (size_t i = 0; i < G_N_ELEMENTS(kinds) && found == NULL; i++) {
      found = try_blocks(subject, width, kinds[i]);
    }
  }
  return found;
}

/* A way to deal the first `count` items out to lanes. */
typedef struct lanes {
  sum_order_kind_t kind;
  size_t count;
  size_t width;
} lanes_t;

/* The items of a lane in subject->members, and the node above them. */
static bool find_lane(const subject_t *subject, const lanes_t *lanes, size_t lane,
                      size_t *out_taken, uint32_t *out_node) {
  sum_order_kind_t kind = lanes->kind;
  size_t count = lanes->count;
  size_t width = lanes->width;
  size_t front = kind == SUM_LANES_FRONT ? count % width : 0;
  size_t end = kind == SUM_LANES ? count : count - count % width + front;
  uint64_t hash = 0;
  size_t taken = 0;
  for (size_t i = 0; i < front && lane == 0; i++) subject->members[taken++] = subject->items[i];
  for (size_t i = front + lane; i < end; i += width) subject->members[taken++] = subject->items[i];
  bool takes_rest = (kind == SUM_LANES_FIRST || kind == SUM_LANES_BESIDE) && lane == 0;
  for (size_t i = end; i < count && takes_rest; i++) subject->members[taken++] = subject->items[i];
  for (size_t i = 0; i < taken; i++) hash += hash_of_id(subject->members[i]);
  *out_taken = taken;
  return find_node(subject, hash, out_node);
}

/* What the lanes may be, but for what is beside them; they are under `root`. */
static bool read_lanes(const subject_t *subject, const lanes_t *lanes, uint32_t root,
                       sum_order_t *out_order) {
  uint32_t *nodes = subject->groups;
  size_t width = lanes->width;
  size_t taken = 0;
  for (size_t lane = 0; lane < width; lane++) { /* The last lane has no rest. */
    if (!find_lane(subject, lanes, lane, &taken, &nodes[lane])) return false;
  }
  int depth = subject->depth + 1;
  *out_order = (sum_order_t){.kind = lanes->kind, .width = (uint32_t)width};
  out_order->inner =
      find_order(subject->arena, subject->tree, nodes[width - 1], subject->members, taken, depth);
  if (out_order->inner == NULL) return false;
  out_order->join = find_order(subject->arena, subject->tree, root, nodes, width, depth);
  return out_order->join != NULL;
}

/* The order of the items from `begin` on, if one node is above them. */
static const sum_order_t *find_rest(const subject_t *subject, size_t begin) {
  size_t count = subject->count;
  uint32_t node;
  if (!find_node(subject, subject->sums[count] - subject->sums[begin], &node)) return NULL;
  return find_order(subject->arena, subject->tree, node, subject->items + begin, count - begin,
                    subject->depth + 1);
}

/* Lanes, or a tail behind lanes. */
static const sum_order_t *try_lanes(const subject_t *subject, size_t width, sum_order_kind_t kind,
                                    bool has_rest) {
  size_t whole = subject->count - subject->count % width;
  if (whole == subject->count && kind != SUM_LANES) return NULL;
  bool is_tail = kind == SUM_TAIL;
  bool is_one_row = whole == width; /* Then only the rest tells lanes from any other tree. */
  if (is_one_row && !(is_tail && has_rest)) return NULL;
  uint32_t root = subject->root;
  if (is_tail && !find_node(subject, subject->sums[whole], &root)) return NULL;
  sum_order_t order;
  const lanes_t lanes = {.kind = is_tail ? SUM_LANES : kind,
                         .count = is_tail ? whole : subject->count,
                         .width = width};
  if (!read_lanes(subject, &lanes, root, &order)) return NULL;
  if (is_tail) {
    order = (sum_order_t){.kind = kind, .width = order.width, .inner = keep(subject, order)};
  }
  if (has_rest) order.rest = find_rest(subject, whole);
  if (has_rest && order.rest == NULL) return NULL;
  return generates(subject, &order) ? keep(subject, order) : NULL;
}

/* Lanes of widths from most down to least. */
static const sum_order_t *find_in_lanes(const subject_t *subject, size_t most, size_t least) {
  static const struct {
    sum_order_kind_t kind;
    bool has_rest;
  } tries[] = {{SUM_LANES, false},       {SUM_TAIL, false},        {SUM_TAIL, true},
               {SUM_LANES_FIRST, false}, {SUM_LANES_FRONT, false}, {SUM_LANES_BESIDE, true}};
  const sum_order_t *found = NULL;
  for (size_t width = most; width >= least && found == NULL; width--) {
    for (size_t i = 0; i < G_N_ELEMENTS(tries) && found == NULL; i++) {
      found = try_lanes(subject, width, tries[i].kind, tries[i].has_rest);
    }
  }
  return found;
}

static const sum_order_t *find_order(arena_t *arena, const profile_t *tree, uint32_t root,
                                     const uint32_t *items, size_t count, int depth) {
  subject_t subject = {.arena = arena,
                       .tree = tree,
                       .root = root,
                       .items = items,
                       .count = count,
                       .sums = g_new0(uint64_t, count + 1),
                       .nodes = g_hash_table_new(g_int64_hash, g_int64_equal),
                       .depth = depth,
                       .members = g_new(uint32_t, count),
                       .groups = g_new(uint32_t, count)};
  for (size_t i = 0; i < count; i++) subject.sums[i + 1] = subject.sums[i] + hash_of_id(items[i]);
  static const sum_order_kind_t first[] = {SUM_SEQUENTIAL,  SUM_HALVES,  SUM_HALVES_LOW,
                                           SUM_INTERLEAVED, SUM_REVERSE, SUM_SWAPPED};
  const sum_order_t *order = find_among(&subject, first, G_N_ELEMENTS(first));
  if (order == NULL && depth < ORDER_DEPTH_MAX) {
    hash_nodes(&subject);
    order = find_in_lanes(&subject, count / 2, 2);
    if (order == NULL) order = find_in_blocks(&subject);
    if (order == NULL) order = find_in_lanes(&subject, count - 1, MAX(count / 2 + 1, 2));
  }
  const sum_order_kind_t last = SUM_POWER; /* Of a few items it is like many others. */
  if (order == NULL) order = find_among(&subject, &last, 1);
  g_hash_table_unref(subject.nodes);
  g_free(subject.sums);
  g_free(subject.members);
  g_free(subject.groups);
  return order;
}

/* The tree without initial values and single roundings; false if a node has more than two children
 * then, or there are no terms. */
static bool strip(const profile_t *profile, arena_t *arena, profile_t *out_tree) {
  enum { NOTHING = UINT32_MAX };
  size_t terms = profile->term_count;
  const profile_node_t like = {.rounding = ROUNDING_NEAREST_EVEN};
  profile_builder_t builder = profile_builder_make(terms, arena);
  uint32_t *names = g_new(uint32_t, terms + profile->node_count + 1);
  for (size_t i = 0; i < terms; i++) names[i] = (uint32_t)i;
  names[terms] = NOTHING;
  bool is_binary = terms > 0;
  for (size_t i = 0; i < profile->node_count; i++) {
    uint32_t kept[2] = {NOTHING, NOTHING};
    size_t count = 0;
    for (uint32_t k = 0; k < profile->nodes[i].child_count; k++) {
      uint32_t child = names[profile->nodes[i].children[k]];
      if (child == NOTHING) continue;
      if (count < 2) kept[count] = child;
      count++;
    }
    is_binary = is_binary && count <= 2;
    names[terms + 1 + i] = count == 2 ? profile_builder_add(&builder, kept, 2, &like) : kept[0];
  }
  *out_tree = (profile_t){.term_count = terms, .result = profile->result};
  profile_builder_finish(&builder, out_tree);
  profile_builder_free(&builder);
  g_free(names);
  return is_binary;
}

const sum_order_t *sum_order_find(const profile_t *profile, arena_t *arena) {
  profile_t tree;
  if (!strip(profile, arena, &tree)) return NULL;
  uint32_t *items = ARENA_NEW_ARRAY(arena, uint32_t, tree.term_count);
  for (size_t i = 0; i < tree.term_count; i++) items[i] = (uint32_t)i;
  return find_order(arena, &tree, profile_root(&tree), items, tree.term_count, 0);
}

void sum_order_print_found(const sum_order_t *order, GString *out_text) {
  if (order == NULL) {
    g_string_append(out_text, "irregular");
  } else {
    sum_order_print(order, out_text);
  }
}

bool sum_order_explains(const sum_order_t *order, const profile_t *profile) {
  arena_t arena;
  arena_init(&arena);
  profile_t tree;
  bool same = false;
  if (strip(profile, &arena, &tree)) {
    char *made = text_of_order(order, tree.term_count, &arena);
    GString *seen = g_string_new(NULL);
    profile_print_tree(&tree, seen);
    same = g_strcmp0(made, seen->str) == 0;
    g_free(made);
    g_string_free(seen, TRUE);
  }
  arena_deinit(&arena);
  return same;
}
