/* SPDX-License-Identifier: Apache-2.0 */
/* Adds pairs until one number is left, with the operations of one arithmetic: as loops do, and at
 * random. */
#include "oracles/exact/any_order/sample.h"

#include "harness/base/rng.h"
#include "oracles/exact/arithmetic.h"
#include "oracles/exact/error_bound.h"

enum { TREES = 96, ARITHMETICS_MAX = 4 };

/* How the nodes of one tree compute. */
typedef struct tree_arithmetic {
  arithmetic_t nodes;
  bool fuses;
} tree_arithmetic_t;

/* The arithmetics that are permitted. */
typedef struct arithmetics {
  size_t count;
  tree_arithmetic_t items[ARITHMETICS_MAX];
} arithmetics_t;

/* A format that theory.md, D6, calls wider. */
static void add_wider(const few_terms_t *sum, size_t id, arithmetics_t *out) {
  const format_t *wider = &format_table[id];
  int needed = sum->format->precision + error_bound_wider_bits(sum->format);
  if (!sum->may_widen || wider->precision < needed || !arithmetic_format_holds(wider, sum->format))
    return;
  out->items[out->count++] = (tree_arithmetic_t){.nodes = arithmetic_make(wider)};
}

static arithmetics_t permitted_arithmetics(const few_terms_t *sum) {
  arithmetics_t out = {.count = 1, .items = {{.nodes = arithmetic_make(sum->format)}}};
  if (sum->may_fuse && sum->right != NULL) {
    out.items[out.count++] =
        (tree_arithmetic_t){.nodes = arithmetic_make(sum->format), .fuses = true};
  }
  add_wider(sum, FORMAT_f32, &out);
  add_wider(sum, FORMAT_f64, &out);
  return out;
}

/* A number that is computed, and which product it is if it is one. */
typedef struct operand {
  double value;
  const double *left;
  const double *right;
  uint8_t number; /* In the tree. */
} operand_t;

static operand_t add(const tree_arithmetic_t *tree, const operand_t *a, const operand_t *b,
                     tree_node_t *out_node) {
  const arithmetic_t *nodes = &tree->nodes;
  const operand_t *product = a->left != NULL ? a : b;
  const operand_t *other = a->left != NULL ? b : a;
  bool is_fused = tree->fuses && product->left != NULL;
  *out_node = (tree_node_t){.left = product->number, .right = other->number, .is_fused = is_fused};
  if (is_fused) {
    return (operand_t){.value =
                           arithmetic_fused(nodes, *product->left, *product->right, other->value)};
  }
  return (operand_t){.value = arithmetic_add(nodes, a->value, b->value)};
}

static size_t set_leaves(const few_terms_t *sum, const tree_arithmetic_t *tree, operand_t *out) {
  size_t count = 0;
  for (uint32_t i = 0; i < sum->init_count && sum->init != 0; i++) {
    out[count] = (operand_t){.value = sum->init, .number = (uint8_t)count};
    count++;
  }
  for (size_t i = 0; i < sum->count; i++) {
    bool is_product = sum->right != NULL;
    double value =
        is_product ? arithmetic_multiply(&tree->nodes, sum->left[i], sum->right[i]) : sum->left[i];
    out[count] = (operand_t){.value = value,
                             .left = is_product ? &sum->left[i] : NULL,
                             .right = is_product ? &sum->right[i] : NULL,
                             .number = (uint8_t)count};
    count++;
  }
  return count;
}

/* What is added next to what, among the numbers that are left. */
typedef enum shape { IN_TURN, REVERSED, IN_HALVES, SHUFFLED_LOOP, SHUFFLED_TREE } shape_t;

typedef struct pair {
  size_t kept; /* Where the sum goes. */
  size_t freed;
} pair_t;

static pair_t draw_pair(shape_t shape, size_t count, size_t last, rng_t *rng) {
  size_t i = shape == SHUFFLED_LOOP ? last : rng_below(rng, count);
  size_t j = rng_below(rng, count - 1);
  if (j >= i) j++;
  return (pair_t){.kept = i, .freed = j};
}

/* The number that was added goes; what lies behind it moves up, but where order is random anyway.
 */
static void remove_operand(operand_t *operands, size_t place, size_t *count, bool keeps_order) {
  --*count;
  if (!keeps_order) {
    operands[place] = operands[*count];
    return;
  }
  for (size_t k = place; k < *count; k++) operands[k] = operands[k + 1];
}

static double fold(const tree_arithmetic_t *tree, operand_t *operands, size_t count, shape_t shape,
                   rng_t *rng, few_terms_tree_t *out_tree) {
  bool keeps_order = shape < SHUFFLED_LOOP;
  size_t made = 0;
  size_t last = keeps_order ? 0 : rng_below(rng, count);
  while (count > 1) {
    pair_t pair = {.kept = 0, .freed = 1};
    if (shape == REVERSED) pair = (pair_t){.kept = count - 2, .freed = count - 1};
    if (shape == IN_HALVES) pair = (pair_t){.kept = last, .freed = last + 1};
    if (!keeps_order) pair = draw_pair(shape, count, last, rng);
    operand_t *kept = &operands[pair.kept];
    *kept = add(tree, kept, &operands[pair.freed], &out_tree->nodes[made]);
    kept->number = (uint8_t)(out_tree->leaf_count + made++);
    remove_operand(operands, pair.freed, &count, keeps_order);
    bool was_last = pair.kept == count;
    last = was_last ? pair.freed : pair.kept;
    if (shape == IN_HALVES) last = pair.kept + 2 <= count - 1 ? pair.kept + 1 : 0;
  }
  return operands[0].value;
}

/* The usual ones first, with every arithmetic. */
static shape_t shape_of(size_t tree, size_t arithmetics) {
  size_t round = tree / arithmetics;
  if (round < SHUFFLED_LOOP) return (shape_t)round;
  return round % 2 == 0 ? SHUFFLED_LOOP : SHUFFLED_TREE;
}

bool few_terms_sample(const few_terms_t *sum, double value, few_terms_tree_t *out_tree) {
  const arithmetic_t last = arithmetic_make(sum->format);
  const arithmetics_t arithmetics = permitted_arithmetics(sum);
  operand_t leaves[ARITHMETICS_MAX][TREE_LEAVES_MAX];
  size_t count = 0;
  if (sum->count + sum->init_count > TREE_LEAVES_MAX) return false;
  for (size_t i = 0; i < arithmetics.count; i++) {
    count = set_leaves(sum, &arithmetics.items[i], leaves[i]);
  }
  if (count == 0) return false;
  out_tree->leaf_count = count;
  for (size_t i = 0; i < count; i++) {
    size_t inits = count - sum->count;
    out_tree->leaves[i] = (uint8_t)(i < inits ? sum->count : i - inits);
  }
  rng_t rng = rng_make(count);
  for (size_t i = 0; i < TREES; i++) {
    size_t which = i % arithmetics.count;
    operand_t operands[TREE_LEAVES_MAX];
    for (size_t k = 0; k < count; k++) operands[k] = leaves[which][k];
    out_tree->format = arithmetics.items[which].nodes.format;
    double given = fold(&arithmetics.items[which], operands, count, shape_of(i, arithmetics.count),
                        &rng, out_tree);
    given = arithmetic_round(&last, given);
    if (sum->result != NULL) given = format_round_double(sum->result, given);
    if (given == value) return true;
  }
  return false;
}
