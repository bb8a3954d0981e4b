/* SPDX-License-Identifier: Apache-2.0 */
/* Which products are rounded before they are added.
 *
 * (1 + 2^(1-p)) (1 + 2^(1-q)) = 1 + 2^(1-p) + 2^(1-q) + 2^(2-p-q): the last bit is lost if the
 * product of factors of precisions p and q is rounded to fewer than p + q - 1 bits, and survives
 * the subtraction of the others if it is not.  Where every product fits the result's precision,
 * only underflow can tell: half of the smallest number added to the smallest number is rounded to
 * even, twice the smallest number, if it has not been lost before.  Aligned adders tell by what
 * they align to. */
#include <math.h>

#include "harness/identify/probe/arithmetic.h"

/* What becomes of a product before it is added; EXACT: it is rounded, without effect. */
enum { PRODUCT_ROUNDED, PRODUCT_UNROUNDED, PRODUCT_EXACT };

static bool is_exact_in(const black_box_sum_t *black_box, const format_t *format) {
  return black_box->left->precision + black_box->right->precision <= format->precision;
}

/* A leaf under some other child. */
static uint32_t other_leaf(const anatomy_t *anatomy, const profile_node_t *node, uint32_t child) {
  return anatomy_leaf(anatomy, node, child == 0 ? 1 : 0);
}

/* Asks about the product that is child `child` of the node. */
static status_t decide_product(const anatomy_t *anatomy, const profile_node_t *node, uint32_t child,
                               bool *out_is_unrounded) {
  const discovery_t *discovery = anatomy->discovery;
  mask_probe_t *probe = discovery->probe;
  const black_box_sum_t *black_box = probe->black_box;
  int p = black_box->left->precision;
  int q = black_box->right->precision;
  double left = 1 + ldexp(1, 1 - p);
  double right = 1 + ldexp(1, 1 - q);
  double last = ldexp(1, 2 - p - q);
  int lift =
      MAX(0, black_box_sum_least_exponent(black_box, false) + p + q - 2); /* Keeps `last` normal. */
  int left_lift = lift / 2;
  mask_probe_set_factors(probe, node->children[child], ldexp(left, left_lift),
                         ldexp(right, lift - left_lift));
  double most = -(1 + ldexp(1, 1 - p) + ldexp(1, 1 - q));
  uint32_t other = other_leaf(anatomy, node, child);
  mask_probe_set_factors(probe, other, ldexp(p >= q ? most : -1, left_lift),
                         ldexp(p >= q ? 1 : -most, lift - left_lift));
  double value;
  STATUS_TRY(mask_probe_run(probe, &value, discovery->error));
  *out_is_unrounded = value == ldexp(last, lift);
  if (*out_is_unrounded || value == 0) return STATUS_OK;
  return status_fail(discovery->error, STATUS_INVALID,
                     "the product of term %u is rounded in no known way", node->children[child]);
}

/* Whether the products of a node can leave the range of its format, and so tell whether they are
 * rounded where they are exact: 2^(E+1) - 2^E is finite if the product is not rounded, where 2^E is
 * the largest power of two; half of the smallest number rounds to zero if it is. */
static status_t decide_range(const anatomy_t *anatomy, const profile_node_t *node, uint32_t child,
                             bool *out_is_rounded) {
  const discovery_t *discovery = anatomy->discovery;
  mask_probe_t *probe = discovery->probe;
  const black_box_sum_t *black_box = probe->black_box;
  int top = node->format->exponent_max;
  int least = node->format->exponent_min - node->format->precision + 1;
  uint32_t other = other_leaf(anatomy, node, child);
  bool overflows = black_box->left->exponent_max + black_box->right->exponent_max > top &&
                   top <= black_box->result->exponent_max;
  double kept;
  *out_is_rounded = true;
  if (overflows) {
    int left = MIN(black_box->left->exponent_max, top);
    mask_probe_set_factors(probe, node->children[child], ldexp(1, left), ldexp(1, top + 1 - left));
    mask_probe_set(probe, other, -ldexp(1, top));
    kept = ldexp(1, top);
  } else {
    int half = least / 2;
    mask_probe_set_factors(probe, node->children[child], ldexp(1, half),
                           ldexp(1, least - 1 - half));
    mask_probe_set_factors(probe, other, ldexp(1, half), ldexp(1, least - half));
    kept = ldexp(2, least);
  }
  double value = 0;
  status_t status = mask_probe_run(probe, &value, discovery->error);
  *out_is_rounded = value != kept;
  return status == STATUS_UNSUPPORTED ? STATUS_OK : status;
}

/* Another product that is a child of the node; child_count if there is none. */
static uint32_t other_product(const anatomy_t *anatomy, const profile_node_t *node,
                              uint32_t child) {
  uint32_t other = 0;
  while (other < node->child_count &&
         (other == child || node->children[other] >= anatomy->discovery->builder.term_count)) {
    other++;
  }
  return other;
}

/* Whether subnormal factors count with the least normal exponent: the least of them, lifted, loses
 * what lies more than aligned_bits below that exponent. */
static status_t decide_field(const anatomy_t *anatomy, profile_node_t *node, uint32_t child,
                             uint32_t other) {
  const discovery_t *discovery = anatomy->discovery;
  mask_probe_t *probe = discovery->probe;
  const format_t *left = probe->black_box->left, *right = probe->black_box->right;
  int lift =
      MIN(right->exponent_max, -left->exponent_min); /* The field's exponent is 0, or near. */
  int field = left->exponent_min + lift;
  double product = ldexp(1, field + 1 - left->precision),
         lost = ldexp(1, field - node->aligned_bits);
  mask_probe_set_factors(probe, node->children[child], ldexp(product, -lift), ldexp(1, lift));
  mask_probe_set(probe, anatomy_leaf(anatomy, node, other), lost);
  double value = 0;
  status_t status = mask_probe_run(probe, &value, discovery->error);
  node->by_field = status == STATUS_OK && value == product;
  return status == STATUS_UNSUPPORTED ? STATUS_OK : status;
}

/* The same for an adder of a product and a number, whose sum is cut: of 1.5 times 1.5 less the last
 * bit beside 1. */
static status_t decide_pair_alignment(const anatomy_t *anatomy, const profile_node_t *node,
                                      uint32_t child, bool *out_is_decided, bool *out_is_rounded) {
  mask_probe_t *probe = anatomy->discovery->probe;
  *out_is_decided = node->aligned_bits > 0 && node->child_count == 2;
  if (!*out_is_decided) return STATUS_OK;
  double value = 0;
  mask_probe_set_factors(probe, node->children[child], 1.5, 1.5);
  mask_probe_set(probe, other_leaf(anatomy, node, child), -ldexp(1, 1 - node->aligned_bits));
  status_t status = mask_probe_run(probe, &value, anatomy->discovery->error);
  *out_is_decided = status == STATUS_OK;
  *out_is_rounded = value == 2.25;
  return status == STATUS_UNSUPPORTED ? STATUS_OK : status;
}

/* Whether an aligned adder takes a product's exponent for that of a number of its own, which it is
 * where products are rounded.  Else it is the sum of the factors' exponents: one less for 1.5 times
 * 1.5, so that the last bit beside 1 is not lost. */
static status_t decide_alignment(const anatomy_t *anatomy, const profile_node_t *node,
                                 uint32_t child, bool *out_is_decided, bool *out_is_rounded) {
  const discovery_t *discovery = anatomy->discovery;
  mask_probe_t *probe = discovery->probe;
  uint32_t other = other_product(anatomy, node, child), third = 0;
  while (third < node->child_count && (third == child || third == other)) third++;
  if (node->child_count == 2) {
    return decide_pair_alignment(anatomy, node, child, out_is_decided, out_is_rounded);
  }
  *out_is_decided = node->aligned_bits > 0 && other < node->child_count;
  if (!*out_is_decided) return STATUS_OK;
  double last = ldexp(1, 1 - node->aligned_bits), value = 0;
  mask_probe_set_factors(probe, node->children[child], 1.5, 1.5);
  mask_probe_set_factors(probe, node->children[other], 1.5, -1.5);
  mask_probe_set(probe, anatomy_leaf(anatomy, node, third), last);
  status_t status = mask_probe_run(probe, &value, discovery->error);
  *out_is_decided = status == STATUS_OK;
  *out_is_rounded = value != last;
  return status == STATUS_UNSUPPORTED ? STATUS_OK : status;
}

static bool is_unrounded_term(const anatomy_t *anatomy, uint32_t id) {
  return id < anatomy->discovery->builder.term_count &&
         anatomy->is_unrounded[id] != PRODUCT_ROUNDED;
}

/* Whether the root's sum is rounded to `bits` bits before it is rounded to the result: an odd
 * number of halves of the last place less a little is then taken for the tie, and rounded up.  The
 * halves are 3 m, whose product is exact. */
static status_t decide_double_rounding(const anatomy_t *anatomy, uint32_t child, int bits,
                                       bool *out_is_double) {
  enum { BITS_BEYOND = 4 };
  const profile_node_t *root = &anatomy->nodes[anatomy->node_count - 1];
  const discovery_t *discovery = anatomy->discovery;
  mask_probe_t *probe = discovery->probe;
  int p = probe->black_box->result->precision;
  double m = floor(ldexp(1, p) / 3) + 1;
  while (fmod(m, 4) != 1) m++; /* (3 m + 1) / 2 is even. */
  uint32_t other = other_leaf(anatomy, root, child);
  int little = p + 1 - bits - BITS_BEYOND;
  *out_is_double = false;
  if (little < black_box_sum_least_exponent(probe->black_box, true) &&
      !is_unrounded_term(anatomy, other)) {
    return STATUS_OK; /* It would be lost before it is added. */
  }
  mask_probe_set_factors(probe, root->children[child], m, 3);
  mask_probe_set(probe, other, -ldexp(1, little));
  double value = 0;
  status_t status = mask_probe_run(probe, &value, discovery->error);
  *out_is_double = value == 3 * m + 1;
  return status == STATUS_UNSUPPORTED ? STATUS_OK : status;
}

/* The root's own format where only unrounded products show it. */
static status_t probe_root(anatomy_t *anatomy) {
  static const int wider[] = {FORMAT_f32, FORMAT_f64};
  const format_t *result = anatomy->discovery->probe->black_box->result;
  profile_node_t *root = &anatomy->nodes[anatomy->node_count - 1];
  if (root->format != result || root->rounding != ROUNDING_NEAREST_EVEN) return STATUS_OK;
  for (uint32_t k = 0; k < root->child_count; k++) {
    uint32_t term = root->children[k];
    if (term >= anatomy->discovery->builder.term_count || anatomy->is_unrounded[term] == 0)
      continue;
    for (size_t i = 0; i < G_N_ELEMENTS(wider); i++) {
      const format_t *format = &format_table[wider[i]];
      if (format->precision <= result->precision + 4) continue;
      bool is_double;
      STATUS_TRY(decide_double_rounding(anatomy, k, format->precision, &is_double));
      if (is_double) root->format = format;
      if (is_double) return STATUS_OK;
    }
    return STATUS_OK;
  }
  return STATUS_OK;
}

/* Asks about the last bit of each product; where they all fit the result there is none. */
static status_t ask_all(anatomy_t *anatomy) {
  const black_box_sum_t *black_box = anatomy->discovery->probe->black_box;
  bool fits = is_exact_in(black_box, black_box->result);
  for (size_t i = 0; i < anatomy->node_count; i++) {
    const profile_node_t *node = &anatomy->nodes[i];
    for (uint32_t k = 0; k < node->child_count; k++) {
      uint32_t term = node->children[k];
      if (term >= black_box->term_count) continue;
      bool is_unrounded = true;
      if (!fits) STATUS_TRY(decide_product(anatomy, node, k, &is_unrounded));
      anatomy->is_unrounded[term] = is_unrounded ? PRODUCT_UNROUNDED : PRODUCT_ROUNDED;
    }
  }
  return STATUS_OK;
}

/* Two unrounded products in one binary node: it is wide, though it may be the root, whose format
 * the result hides. */
static bool widen_pair(anatomy_t *anatomy) {
  const black_box_sum_t *black_box = anatomy->discovery->probe->black_box;
  const format_t *f64 = &format_table[FORMAT_f64];
  profile_node_t *root = &anatomy->nodes[anatomy->node_count - 1];
  bool is_pair = root->child_count == 2 && root->format == black_box->result;
  for (uint32_t k = 0; k < root->child_count; k++) {
    uint32_t term = root->children[k];
    is_pair =
        is_pair && term < black_box->term_count && anatomy->is_unrounded[term] == PRODUCT_UNROUNDED;
  }
  is_pair = is_pair && is_exact_in(black_box, f64);
  if (is_pair) root->format = f64;
  return is_pair;
}

/* Takes products that are exact in the format of their node for rounded to it, unless they leave
 * its range unharmed. */
static status_t settle_exact(anatomy_t *anatomy) {
  const black_box_sum_t *black_box = anatomy->discovery->probe->black_box;
  for (size_t i = 0; i < anatomy->node_count; i++) {
    const profile_node_t *node = &anatomy->nodes[i];
    for (uint32_t k = 0; k < node->child_count; k++) {
      uint32_t term = node->children[k];
      if (!is_unrounded_term(anatomy, term) || !is_exact_in(black_box, node->format)) continue;
      bool is_decided, is_rounded;
      STATUS_TRY(decide_alignment(anatomy, node, k, &is_decided, &is_rounded));
      if (!is_decided) STATUS_TRY(decide_range(anatomy, node, k, &is_rounded));
      anatomy->is_unrounded[term] = is_rounded ? PRODUCT_EXACT : PRODUCT_UNROUNDED;
    }
  }
  return STATUS_OK;
}

/* The one format to which products are rounded, which becomes profile->product.  Where there are
 * several, the exact ones go as unrounded. */
static void settle_format(anatomy_t *anatomy, profile_t *profile) {
  const black_box_sum_t *black_box = anatomy->discovery->probe->black_box;
  const format_t *common = NULL;
  bool differ = false;
  for (size_t i = 0; i < anatomy->node_count; i++) {
    const profile_node_t *node = &anatomy->nodes[i];
    for (uint32_t k = 0; k < node->child_count; k++) {
      uint32_t term = node->children[k];
      if (term >= black_box->term_count || anatomy->is_unrounded[term] == PRODUCT_UNROUNDED)
        continue;
      bool is_exact = anatomy->is_unrounded[term] == PRODUCT_EXACT;
      const format_t *format = is_exact ? node->format : black_box->result;
      differ = differ || (common != NULL && common != format);
      common = format;
    }
  }
  if (common != NULL && !differ) profile->product = common;
  for (size_t term = 0; term < black_box->term_count; term++) {
    if (anatomy->is_unrounded[term] != PRODUCT_EXACT) continue;
    anatomy->is_unrounded[term] = differ ? PRODUCT_UNROUNDED : PRODUCT_ROUNDED;
  }
}

/* How nodes that align unrounded products take subnormal factors. */
static status_t probe_fields(anatomy_t *anatomy) {
  for (size_t i = 0; i < anatomy->node_count; i++) {
    profile_node_t *node = &anatomy->nodes[i];
    if (!node->fused || node->aligned_bits <= 0 || node->child_count < 2) continue;
    uint32_t child = other_product(anatomy, node, node->child_count);
    if (child == node->child_count) continue;
    STATUS_TRY(decide_field(anatomy, node, child, child == 0 ? 1 : 0));
  }
  return STATUS_OK;
}

/* A node is fused that adds a product unrounded. */
static void mark_fused(anatomy_t *anatomy) {
  size_t term_count = anatomy->discovery->builder.term_count;
  for (size_t i = 0; i < anatomy->node_count; i++) {
    profile_node_t *node = &anatomy->nodes[i];
    for (uint32_t k = 0; k < node->child_count; k++) {
      uint32_t term = node->children[k];
      if (term < term_count && anatomy->is_unrounded[term] != 0) node->fused = true;
    }
  }
}

status_t probe_products(anatomy_t *anatomy, profile_t *profile) {
  const black_box_sum_t *black_box = anatomy->discovery->probe->black_box;
  if (black_box->right == NULL) return STATUS_OK;
  profile->product = black_box->result;
  if (anatomy->node_count == 0) return STATUS_OK;
  STATUS_TRY(ask_all(anatomy));
  STATUS_TRY(probe_root(anatomy));
  STATUS_TRY(settle_exact(anatomy));
  if (widen_pair(anatomy)) STATUS_TRY(settle_exact(anatomy));
  settle_format(anatomy, profile);
  mark_fused(anatomy);
  return probe_fields(anatomy);
}
