/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers the leaves of a sum into kinds of equal ones, and walks over the splits of parts as an
 * odometer does. */
#include "oracles/exact/any_order/leaves.h"

/* So that sums of pairs are exact, and products are pairs (theory.md, T7). */
static const double magnitude_max = 0x1p1000;
static const double product_min = 0x1p-900;

/* False if the leaf is NaN, or there is no room for another kind. */
static bool add_leaf(leaves_t *leaves, real_t value, size_t term, size_t count) {
  if (value.high == 0) return true;
  if (isnan(value.high)) return false;
  for (size_t i = 0; i < leaves->kind_count; i++) {
    if (!real_equals(leaves->kinds[i].value, value)) continue;
    leaves->kinds[i].count += count;
    return true;
  }
  if (leaves->kind_count == LEAF_KINDS_MAX) return false;
  leaves->kinds[leaves->kind_count++] =
      (leaf_kind_t){.value = value, .count = count, .first_term = term};
  return true;
}

/* False if the product of two numbers is no pair. */
static bool make_product(double left, double right, bool is_f64, real_t *out_product) {
  double product = left * right;
  *out_product = real_of(product);
  if (!is_f64 || !isfinite(left) || !isfinite(right))
    return true; /* At most 48 bits, and never below 2^-300. */
  out_product->low = fma(left, right, -product);
  return left == 0 || right == 0 || fabs(product) >= product_min;
}

bool leaves_number_parts(leaves_t *leaves) {
  leaves->part_count = 1;
  for (size_t i = 0; i < leaves->kind_count; i++) {
    leaf_kind_t *kind = &leaves->kinds[i];
    if (kind->count >= LEAF_PARTS_MAX) return false;
    kind->stride = leaves->part_count;
    leaves->part_count *= kind->count + 1;
    if (leaves->part_count > LEAF_PARTS_MAX) return false;
  }
  return true;
}

bool leaves_make(const few_terms_t *sum, leaves_t *out_leaves) {
  *out_leaves = (leaves_t){0};
  bool is_f64 = sum->format->precision > 24;
  double magnitude = 0;
  for (size_t i = 0; i < sum->count; i++) {
    double right = sum->right == NULL ? 1 : sum->right[i];
    bool is_infinite = isinf(sum->left[i]) || isinf(right);
    real_t value = real_of(sum->left[i]);
    if (sum->right != NULL && !make_product(sum->left[i], right, is_f64, &value)) return false;
    magnitude += is_infinite ? 0 : fabs(value.high);
    if (!(magnitude < magnitude_max) || !add_leaf(out_leaves, value, i, 1)) return false;
  }
  if (sum->init_count == 0) return leaves_number_parts(out_leaves);
  magnitude += isinf(sum->init) ? 0 : fabs(sum->init) * sum->init_count;
  return magnitude < magnitude_max &&
         add_leaf(out_leaves, real_of(sum->init), sum->count, sum->init_count) &&
         leaves_number_parts(out_leaves);
}

leaf_split_t leaf_split_begin(const leaves_t *leaves, size_t whole) {
  leaf_split_t split = {.leaves = leaves, .whole = whole, .rest = whole};
  for (size_t i = 0; i < leaves->kind_count; i++) {
    const leaf_kind_t *kind = &leaves->kinds[i];
    split.counts[i] = (uint8_t)(whole / kind->stride % (kind->count + 1));
  }
  return split;
}

static bool advance(leaf_split_t *split) {
  const leaves_t *leaves = split->leaves;
  for (size_t i = 0; i < leaves->kind_count; i++) {
    if (split->taken[i] < split->counts[i]) {
      split->taken[i]++;
      split->part += leaves->kinds[i].stride;
      split->rest = split->whole - split->part;
      return true;
    }
    split->part -= split->taken[i] * leaves->kinds[i].stride;
    split->taken[i] = 0;
  }
  return false;
}

/* Parts come in ascending order, so that the first half of them are one of each pair. */
bool leaf_split_next(leaf_split_t *split) {
  return advance(split) && split->part <= split->rest && split->rest != 0;
}

const leaf_kind_t *leaves_single(const leaves_t *leaves, size_t part) {
  for (size_t i = 0; i < leaves->kind_count; i++) {
    if (leaves->kinds[i].stride == part) return &leaves->kinds[i];
  }
  return NULL;
}
