/* SPDX-License-Identifier: Apache-2.0 */
/* Lists trees as nodes over leaves, and computes for each what its root may be. */
#include "oracles/exact/tree_search/choices.h"

#include <math.h>

#include "harness/base/rng.h"
#include "oracles/exact/any_order/operands.h"
#include "oracles/exact/error_bound.h"

/* Numbers that one node may give, the first ones that were found. */
enum { VALUES_MAX = 12, NUMBERS_MAX = 2 * TREE_LEAVES_MAX };

typedef struct values {
  size_t count;
  double items[VALUES_MAX];
} values_t;

/* With any choice at each node, of so many leaves; of more, with the same one at all nodes. */
enum { CHOICE_LEAVES_MAX = 16, RANDOM_TREES = 40 };

/* One way to compute. */
typedef struct manner {
  const tree_arithmetic_t *tree;
  bool rounds, truncates_sums, truncates_products; /* Where several hold, each node has any. */
  bool keeps, flushes_results, flushes_terms;      /* Likewise. */
  bool truncates_last;                             /* The root, beside all. */
} manner_t;

typedef struct search {
  const few_terms_t *sum;
  const tree_choices_t *choices;
  double value;
  size_t leaf_count;
  tree_operand_t leaves[TREE_LEAVES_MAX];
  size_t inits;             /* The first leaves. */
  values_t of[NUMBERS_MAX]; /* By number of leaf or node. */
} search_t;

static void add_value(values_t *inout, double value) {
  if (isnan(value) || inout->count == VALUES_MAX) return;
  for (size_t i = 0; i < inout->count; i++) {
    if (inout->items[i] == value) return;
  }
  inout->items[inout->count++] = value;
}

/* A result, and zero for it where it may be flushed. */
static void add_result(const search_t *search, const manner_t *manner, values_t *inout,
                       double value) {
  const double normal = format_smallest_normal(manner->tree->nodes.format);
  bool is_subnormal = value != 0 && fabs(value) < normal;
  bool may_flush = is_subnormal && search->choices->may_flush_results && manner->flushes_results;
  if (manner->keeps || !may_flush) add_value(inout, value);
  if (may_flush) add_value(inout, 0);
}

/* ---- One tree -------------------------------------------------------------------------------- */

static arithmetic_t truncating(const tree_arithmetic_t *tree) {
  return (arithmetic_t){
      .format = tree->nodes.format, .truncate_additions = true, .truncate_products = true};
}

static void set_leaf(search_t *search, const manner_t *manner, size_t leaf) {
  values_t *values = &search->of[leaf];
  const tree_operand_t *operand = &search->leaves[leaf];
  *values = (values_t){.count = 0};
  const bool is_term = leaf >= search->inits && search->choices->may_flush_terms;
  const bool may_flush =
      is_term && manner->flushes_terms && search->choices->flushable[leaf - search->inits];
  if (may_flush) add_value(values, 0);
  if (may_flush && !manner->keeps) return;
  if (operand->left == NULL) {
    add_value(values, operand->value);
    return;
  }
  const arithmetic_t truncates = truncating(manner->tree);
  const double left = *operand->left, right = *operand->right;
  bool is_rounded = manner->rounds || !manner->truncates_products;
  if (is_rounded) {
    add_result(search, manner, values, arithmetic_multiply(&manner->tree->nodes, left, right));
  }
  if (manner->truncates_products) {
    add_result(search, manner, values, arithmetic_multiply(&truncates, left, right));
  }
}

static void add_sums(const search_t *search, const manner_t *manner, double a, double b,
                     bool truncates_too, values_t *inout) {
  const arithmetic_t truncates = truncating(manner->tree);
  bool is_rounded = manner->rounds || !manner->truncates_sums;
  if (is_rounded) add_result(search, manner, inout, arithmetic_add(&manner->tree->nodes, a, b));
  if (manner->truncates_sums || truncates_too) {
    add_result(search, manner, inout, arithmetic_add(&truncates, a, b));
  }
}

/* The product of two numbers, if binary64 holds it. */
static bool find_product(const tree_operand_t *operand, double *out_product) {
  *out_product = *operand->left * *operand->right;
  return isfinite(*out_product) && fma(*operand->left, *operand->right, -*out_product) == 0;
}

static void set_node(search_t *search, const manner_t *manner, const tree_node_t *node,
                     bool is_root, values_t *out) {
  *out = (values_t){.count = 0};
  const bool truncates_too = is_root && manner->truncates_last;
  const values_t *a = &search->of[node->left], *b = &search->of[node->right];
  const bool is_leaf = node->left < search->leaf_count, is_other = node->right < search->leaf_count;
  const bool is_left = is_leaf && search->leaves[node->left].left != NULL;
  const bool is_right = is_other && search->leaves[node->right].left != NULL;
  double product;
  if (manner->tree->fuses && (is_left || is_right)) {
    const size_t fused = is_left ? node->left : node->right;
    if (find_product(&search->leaves[fused], &product)) {
      const values_t *added = is_left ? b : a;
      for (size_t j = 0; j < added->count; j++) {
        add_sums(search, manner, product, added->items[j], truncates_too, out);
      }
      return;
    }
  }
  for (size_t i = 0; i < a->count; i++) {
    for (size_t j = 0; j < b->count; j++) {
      add_sums(search, manner, a->items[i], b->items[j], truncates_too, out);
    }
  }
}

/* What is returned of a root: its number in the sum's type, or zero for that, and truncated. */
static bool returns(const search_t *search, const manner_t *manner, double root) {
  const few_terms_t *sum = search->sum;
  const double given = tree_result(sum, root);
  if (given == search->value) return true;
  const format_t *format = sum->result == NULL ? sum->format : sum->result;
  bool is_subnormal = fabs(given) < format_smallest_normal(format);
  bool may_flush = search->choices->may_flush_results && manner->flushes_results;
  if (is_subnormal && may_flush && search->value == 0) return true;
  const arithmetic_t last = {.format = format};
  bool may_truncate = manner->truncates_last || manner->truncates_sums;
  return may_truncate && arithmetic_truncate(&last, root) == search->value;
}

static bool tree_gives(search_t *search, const manner_t *manner, const tree_node_t *nodes) {
  const size_t count = search->leaf_count;
  for (size_t i = 0; i < count; i++) set_leaf(search, manner, i);
  for (size_t i = 0; i + 1 < count; i++) {
    set_node(search, manner, &nodes[i], i + 2 == count, &search->of[count + i]);
  }
  const values_t *root = &search->of[count > 1 ? 2 * count - 2 : 0];
  for (size_t i = 0; i < root->count; i++) {
    if (returns(search, manner, root->items[i])) return true;
  }
  return false;
}

/* In every arithmetic, with every choice that the search has for all nodes. */
static bool nodes_give(search_t *search, const tree_arithmetics_t *arithmetics,
                       const tree_node_t *nodes) {
  const tree_choices_t *choices = search->choices;
  const bool truncates = choices->may_truncate;
  const bool flushes = choices->may_flush_results || choices->may_flush_terms;
  for (size_t i = 0; i < arithmetics->count; i++) {
    for (int t = 0; t < (truncates ? 5 : 1); t++) {
      for (int f = 0; f < (flushes ? 4 : 1); f++) {
        const manner_t manner = {.tree = &arithmetics->items[i],
                                 .truncates_sums = t == 1 || t == 3,
                                 .truncates_products = t == 2 || t == 3,
                                 .truncates_last = t == 4,
                                 .keeps = f == 0,
                                 .flushes_results = f == 1 || f == 3,
                                 .flushes_terms = f == 2 || f == 3};
        if (tree_gives(search, &manner, nodes)) return true;
      }
    }
    const manner_t any = {.tree = &arithmetics->items[i],
                          .rounds = true,
                          .truncates_sums = truncates,
                          .truncates_products = truncates,
                          .keeps = true,
                          .flushes_results = true,
                          .flushes_terms = true};
    bool are_few = search->leaf_count <= CHOICE_LEAVES_MAX && (truncates || flushes);
    if (are_few && tree_gives(search, &any, nodes)) return true;
  }
  return false;
}

/* ---- Trees ----------------------------------------------------------------------------------- */

/* A list of numbers that are added up to one. */
typedef struct builder {
  size_t leaf_count, made;
  tree_node_t nodes[TREE_LEAVES_MAX];
} builder_t;

static uint8_t join(builder_t *builder, uint8_t left, uint8_t right) {
  builder->nodes[builder->made] = (tree_node_t){.left = left, .right = right};
  return (uint8_t)(builder->leaf_count + builder->made++);
}

/* One after the other, from the first or from the last. */
static uint8_t join_in_turn(builder_t *builder, const uint8_t *list, size_t count, bool reversed) {
  uint8_t total = list[reversed ? count - 1 : 0];
  for (size_t i = 1; i < count; i++) {
    const uint8_t next = list[reversed ? count - 1 - i : i];
    total = reversed ? join(builder, next, total) : join(builder, total, next);
  }
  return total;
}

/* Neighbours, until one is left. */
static void join_in_halves(builder_t *builder, uint8_t *list, size_t count) {
  while (count > 1) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i += 2) {
      list[kept++] = i + 1 < count ? join(builder, list[i], list[i + 1]) : list[i];
    }
    count = kept;
  }
}

/* Parts of the list are added up, every `width`-th number or as many as that side by side, and then
 * their sums. */
static void join_parts(builder_t *builder, const uint8_t *list, size_t count, size_t width,
                       bool are_lanes, bool in_halves) {
  uint8_t sums[TREE_LEAVES_MAX], part[TREE_LEAVES_MAX];
  size_t parts = are_lanes ? width : (count + width - 1) / width, kept = 0;
  for (size_t p = 0; p < parts; p++) {
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
      if ((are_lanes ? i % width : i / width) == p) part[size++] = list[i];
    }
    if (size > 0) sums[kept++] = join_in_turn(builder, part, size, false);
  }
  if (in_halves) {
    join_in_halves(builder, sums, kept);
  } else {
    (void)join_in_turn(builder, sums, kept, false);
  }
}

static void join_at_random(builder_t *builder, uint8_t *list, size_t count, bool is_in_order,
                           bool is_loop, rng_t *rng) {
  size_t last = rng_below(rng, count);
  while (count > 1) {
    size_t i = is_loop && !is_in_order ? last : rng_below(rng, count - 1);
    size_t j = is_in_order ? i + 1 : rng_below(rng, count - 1);
    if (!is_in_order && j >= i) j++;
    const size_t kept = i < j ? i : j, freed = i < j ? j : i;
    list[kept] = join(builder, list[i], list[j]);
    count--;
    for (size_t k = freed; k < count; k++) list[k] = list[k + 1];
    last = kept;
  }
}

/* Number `shape` of the usual trees; false if there are no more. */
static bool build_usual(builder_t *builder, size_t shape, uint8_t *list, bool is_in_order) {
  static const size_t widths[] = {2, 4, 8, 16, 32};
  const size_t count = builder->leaf_count, usual = 3, kinds = 4;
  if (shape < 2) (void)join_in_turn(builder, list, count, shape == 1);
  if (shape == 2) join_in_halves(builder, list, count);
  if (shape < usual) return true;
  const size_t width = (shape - usual) / kinds, kind = (shape - usual) % kinds;
  if (width >= sizeof widths / sizeof *widths) return false;
  bool are_lanes = kind >= 2 && !is_in_order;
  join_parts(builder, list, count, widths[width], are_lanes, kind % 2 == 1);
  return true;
}

static bool build(builder_t *builder, size_t shape, bool is_in_order, rng_t *rng, size_t *random) {
  uint8_t list[TREE_LEAVES_MAX];
  for (size_t i = 0; i < builder->leaf_count; i++) list[i] = (uint8_t)i;
  builder->made = 0;
  if (build_usual(builder, shape, list, is_in_order)) return true;
  if (*random == RANDOM_TREES) return false;
  bool is_loop = ++*random % 2 == 0;
  join_at_random(builder, list, builder->leaf_count, is_in_order, is_loop, rng);
  return true;
}

bool few_terms_choices_give(const few_terms_t *sum, const tree_choices_t *choices, double value) {
  if (sum->count + sum->init_count > TREE_LEAVES_MAX || isnan(value)) return false;
  const tree_arithmetics_t arithmetics = tree_arithmetics_of(sum);
  search_t search = {.sum = sum, .choices = choices, .value = value};
  search.leaf_count = tree_operands_set(sum, &arithmetics.items[0], search.leaves);
  search.inits = search.leaf_count - sum->count;
  if (search.leaf_count == 0) return false;
  rng_t rng = rng_make(search.leaf_count);
  builder_t builder = {.leaf_count = search.leaf_count};
  size_t random = 0;
  for (size_t shape = 0; build(&builder, shape, choices->is_in_order, &rng, &random); shape++) {
    if (nodes_give(&search, &arithmetics, builder.nodes)) return true;
  }
  return false;
}
