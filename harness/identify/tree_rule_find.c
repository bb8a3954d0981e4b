/* Reading a rule off a tree.  Candidates are made from the sets of terms that lie under one node,
 * and each is held against the tree by generating it; sets are compared by the sums of random
 * numbers that their members are given. */
#include <string.h>

#include "harness/base/rng.h"
#include "harness/identify/profile_builder.h"
#include "harness/identify/tree_rule.h"

/* A tree of binary nodes over items, which may be nodes themselves. */
typedef struct subject {
  arena_t *arena;
  const profile_t *tree; /* Binary, without initial values and single roundings. */
  uint32_t root;
  const uint32_t *items; /* In order. */
  size_t count;
  uint64_t *sums;    /* Hashes of the first 0, 1, ... items. */
  GHashTable *nodes; /* From the hash of the items under a node to its id. */
  int depth;         /* Of rules within rules. */
} subject_t;

enum { RULE_DEPTH_MAX = 3 };

static const tree_rule_t *find_rule(arena_t *arena, const profile_t *tree, uint32_t root,
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

static char *text_of_rule(const tree_rule_t *rule, size_t count, arena_t *arena) {
  profile_builder_t builder = profile_builder_make(count, arena);
  uint32_t *items = g_new(uint32_t, count);
  for (size_t i = 0; i < count; i++) items[i] = (uint32_t)i;
  tree_rule_build(rule, &builder, items, count);
  profile_t made = {.term_count = count};
  profile_builder_finish(&builder, &made);
  GString *text = g_string_new(NULL);
  profile_print_tree(&made, text);
  profile_builder_free(&builder);
  g_free(items);
  return g_string_free(text, FALSE);
}

static bool generates(const subject_t *subject, const tree_rule_t *rule) {
  arena_t arena;
  arena_init(&arena);
  char *seen = text_of_tree(subject->tree, subject->root, subject->items, subject->count, &arena);
  char *made = text_of_rule(rule, subject->count, &arena);
  bool same = strcmp(seen, made) == 0;
  g_free(seen);
  g_free(made);
  arena_deinit(&arena);
  return same;
}

static const tree_rule_t *keep(const subject_t *subject, tree_rule_t rule) {
  tree_rule_t *kept = arena_alloc(subject->arena, sizeof *kept);
  *kept = rule;
  return kept;
}

static const tree_rule_t *find_simple(const subject_t *subject) {
  static const rule_kind_t kinds[] = {RULE_SEQUENTIAL, RULE_PAIRWISE, RULE_PAIRWISE_LOW,
                                      RULE_INTERLEAVED, RULE_REVERSE};
  for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
    const tree_rule_t rule = {.kind = kinds[i]};
    if (generates(subject, &rule)) return keep(subject, rule);
  }
  return NULL;
}

/* The nodes above the blocks; 0 if some block is none. */
static size_t find_blocks(const subject_t *subject, size_t first, size_t width,
                          uint32_t *out_nodes) {
  size_t blocks = 0;
  size_t size = first;
  for (size_t at = 0; at < subject->count; at += size, size = width) {
    if (at > 0) size = MIN(width, subject->count - at);
    if (!find_node(subject, subject->sums[at + size] - subject->sums[at], &out_nodes[blocks])) {
      return 0;
    }
    blocks++;
  }
  return blocks;
}

static const tree_rule_t *try_blocks(const subject_t *subject, size_t width, rule_rest_t rest,
                                     uint32_t *nodes) {
  size_t missing = (width - subject->count % width) % width;
  if (missing == 0 && rest != REST_LAST) return NULL;
  if (missing < 2 && rest == REST_BOTH) return NULL;
  size_t first = width;
  if (rest == REST_FIRST) first = width - missing;
  if (rest == REST_BOTH) first = width - missing / 2;
  size_t blocks = find_blocks(subject, first, width, nodes);
  if (blocks < 2) return NULL;
  size_t whole = rest == REST_LAST ? 0 : 1; /* A block that is not cut, if there is one. */
  size_t at = whole == 0 ? 0 : first;
  size_t size = MIN(width, subject->count - at);
  int depth = subject->depth + 1;
  const tree_rule_t *inner =
      find_rule(subject->arena, subject->tree, nodes[whole], subject->items + at, size, depth);
  if (inner == NULL) return NULL;
  const tree_rule_t *outer =
      find_rule(subject->arena, subject->tree, subject->root, nodes, blocks, depth);
  if (outer == NULL) return NULL;
  const tree_rule_t rule = {
      .kind = RULE_BLOCKS, .width = (uint32_t)width, .rest = rest, .inner = inner, .outer = outer};
  return generates(subject, &rule) ? keep(subject, rule) : NULL;
}

static const tree_rule_t *find_in_blocks(const subject_t *subject) {
  static const rule_rest_t rests[] = {REST_LAST, REST_BOTH, REST_FIRST};
  uint32_t *nodes = g_new(uint32_t, subject->count);
  const tree_rule_t *found = NULL;
  for (size_t width = 2; width < subject->count && found == NULL; width++) {
    for (size_t i = 0; i < G_N_ELEMENTS(rests) && found == NULL; i++) {
      found = try_blocks(subject, width, rests[i], nodes);
    }
  }
  g_free(nodes);
  return found;
}

/* The items of a lane, and the node above them. */
static bool find_lane(const subject_t *subject, size_t width, rule_rest_t rest, size_t lane,
                      uint32_t *out_items, size_t *out_count, uint32_t *out_node) {
  size_t count = subject->count;
  size_t front = rest == REST_FRONT ? count % width : 0;
  size_t end = rest == REST_LAST ? count : count - count % width + front;
  uint64_t hash = 0;
  size_t taken = 0;
  for (size_t i = 0; i < front && lane == 0; i++) out_items[taken++] = subject->items[i];
  for (size_t i = front + lane; i < end; i += width) out_items[taken++] = subject->items[i];
  bool takes_rest = (rest == REST_FIRST || rest == REST_BESIDE) && lane == 0;
  for (size_t i = end; i < count && takes_rest; i++) out_items[taken++] = subject->items[i];
  for (size_t i = 0; i < taken; i++) hash += hash_of_id(out_items[i]);
  *out_count = taken;
  return find_node(subject, hash, out_node);
}

static const tree_rule_t *try_lanes(const subject_t *subject, size_t width, rule_rest_t rest,
                                    uint32_t *items, uint32_t *lanes) {
  size_t count = subject->count;
  size_t whole = count - count % width;
  if (whole == count && rest != REST_LAST) return NULL;
  bool is_one_row = whole == width; /* Then only the rest tells lanes from any other tree. */
  if (is_one_row && rest != REST_APART) return NULL;
  size_t taken = 0;
  for (size_t lane = width; lane-- > 0;) { /* The last lane has no rest. */
    if (!find_lane(subject, width, rest, lane, items, &taken, &lanes[lane])) return NULL;
  }
  uint32_t node;
  find_lane(subject, width, rest, width - 1, items, &taken, &node);
  int depth = subject->depth + 1;
  const tree_rule_t *inner = find_rule(subject->arena, subject->tree, node, items, taken, depth);
  uint32_t root = subject->root;
  bool is_apart = rest == REST_AFTER || rest == REST_APART;
  if (inner == NULL || (is_apart && !find_node(subject, subject->sums[whole], &root))) return NULL;
  const tree_rule_t *outer = find_rule(subject->arena, subject->tree, root, lanes, width, depth);
  if (outer == NULL) return NULL;
  const tree_rule_t *apart = NULL;
  if (rest == REST_APART || rest == REST_BESIDE) {
    if (!find_node(subject, subject->sums[count] - subject->sums[whole], &node)) return NULL;
    apart = find_rule(subject->arena, subject->tree, node, subject->items + whole, count - whole,
                      depth);
    if (apart == NULL) return NULL;
  }
  const tree_rule_t rule = {.kind = RULE_LANES,
                            .width = (uint32_t)width,
                            .rest = rest,
                            .inner = inner,
                            .outer = outer,
                            .apart = apart};
  return generates(subject, &rule) ? keep(subject, rule) : NULL;
}

/* Lanes of widths from most down to least. */
static const tree_rule_t *find_in_lanes(const subject_t *subject, size_t most, size_t least) {
  static const rule_rest_t rests[] = {REST_LAST,  REST_AFTER, REST_APART,
                                      REST_FIRST, REST_FRONT, REST_BESIDE};
  uint32_t *items = g_new(uint32_t, subject->count);
  uint32_t *lanes = g_new(uint32_t, subject->count);
  const tree_rule_t *found = NULL;
  for (size_t width = most; width >= least && found == NULL; width--) {
    for (size_t i = 0; i < G_N_ELEMENTS(rests) && found == NULL; i++) {
      found = try_lanes(subject, width, rests[i], items, lanes);
    }
  }
  g_free(lanes);
  g_free(items);
  return found;
}

static const tree_rule_t *find_rule(arena_t *arena, const profile_t *tree, uint32_t root,
                                    const uint32_t *items, size_t count, int depth) {
  subject_t subject = {.arena = arena,
                       .tree = tree,
                       .root = root,
                       .items = items,
                       .count = count,
                       .sums = g_new0(uint64_t, count + 1),
                       .nodes = g_hash_table_new(g_int64_hash, g_int64_equal),
                       .depth = depth};
  for (size_t i = 0; i < count; i++) subject.sums[i + 1] = subject.sums[i] + hash_of_id(items[i]);
  const tree_rule_t *rule = find_simple(&subject);
  if (rule == NULL && depth < RULE_DEPTH_MAX) {
    hash_nodes(&subject);
    rule = find_in_lanes(&subject, count / 2, 2);
    if (rule == NULL) rule = find_in_blocks(&subject);
    if (rule == NULL) rule = find_in_lanes(&subject, count - 1, MAX(count / 2 + 1, 2));
  }
  g_hash_table_unref(subject.nodes);
  g_free(subject.sums);
  return rule;
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

const tree_rule_t *tree_rule_find(const profile_t *profile, arena_t *arena) {
  profile_t tree;
  if (!strip(profile, arena, &tree)) return NULL;
  uint32_t *items = ARENA_NEW_ARRAY(arena, uint32_t, tree.term_count);
  for (size_t i = 0; i < tree.term_count; i++) items[i] = (uint32_t)i;
  return find_rule(arena, &tree, profile_root(&tree), items, tree.term_count, 0);
}

bool tree_rule_explains(const tree_rule_t *rule, const profile_t *profile) {
  arena_t arena;
  arena_init(&arena);
  profile_t tree;
  bool same = false;
  if (strip(profile, &arena, &tree)) {
    char *made = text_of_rule(rule, tree.term_count, &arena);
    GString *seen = g_string_new(NULL);
    profile_print_tree(&tree, seen);
    same = strcmp(made, seen->str) == 0;
    g_free(made);
    g_string_free(seen, TRUE);
  }
  arena_deinit(&arena);
  return same;
}

init_place_t profile_init_place(const profile_t *profile) {
  if (!profile->has_init) return INIT_NOWHERE;
  uint32_t init = (uint32_t)profile->term_count;
  size_t found = 0;
  init_place_t place = INIT_INSIDE;
  for (size_t i = 0; i < profile->node_count; i++) {
    const profile_node_t *node = &profile->nodes[i];
    for (uint32_t k = 0; k < node->child_count; k++) {
      if (node->children[k] != init) continue;
      found++;
      bool is_last = i + 1 == profile->node_count;
      if (node->child_count == 2 && node->children[0] == 0) place = INIT_FIRST;
      if (node->child_count == 2 && is_last && profile->term_count > 1) place = INIT_LAST;
    }
  }
  return found == 1 ? place : INIT_INSIDE;
}
