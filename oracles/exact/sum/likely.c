/* SPDX-License-Identifier: Apache-2.0 */
/* Adds few terms one after the other, with and without fused products, and in halves; keeps what
 * comes out as intervals that hold nothing else. */
#include "oracles/exact/sum/likely.h"

#include <math.h>

#include "oracles/exact/any_order/share.h"
#include "oracles/exact/arithmetic.h"

static double add_in_turn(const arithmetic_t *arithmetic, const likely_terms_t *terms,
                          const double *leaves) {
  double sum = terms->init;
  for (size_t i = 0; i < terms->count; i++) sum = arithmetic_add(arithmetic, sum, leaves[i]);
  return sum;
}

static double add_fused(const arithmetic_t *arithmetic, const likely_terms_t *terms) {
  double sum = terms->init;
  for (size_t i = 0; i < terms->count; i++) {
    sum = arithmetic_fused(arithmetic, terms->left[i], terms->right[i], sum);
  }
  return sum;
}

static double add_halves(const arithmetic_t *arithmetic, const likely_terms_t *terms,
                         const double *leaves) {
  double sums[FEW_TERMS_MAX];
  for (size_t i = 0; i < terms->count; i++) sums[i] = leaves[i];
  for (size_t left = terms->count; left > 1; left = (left + 1) / 2) {
    for (size_t i = 0; i < left / 2; i++) {
      sums[i] = arithmetic_add(arithmetic, sums[2 * i], sums[2 * i + 1]);
    }
    if (left % 2 == 1) sums[left / 2] = sums[left - 1];
  }
  double sum = terms->count == 0 ? 0 : sums[0];
  return arithmetic_add(arithmetic, terms->init, sum);
}

likely_sums_t likely_sums_of(const likely_terms_t *terms, const format_t *format,
                             const contract_t *contract) {
  const double *right = terms->are_products ? terms->right : NULL;
  if (!tree_share_has(terms->divisor, terms->count, terms->left, right))
    return (likely_sums_t){.is_known = false};
  const arithmetic_t arithmetic = arithmetic_make(format);
  double leaves[FEW_TERMS_MAX];
  for (size_t i = 0; i < terms->count; i++) {
    leaves[i] = terms->are_products
                    ? arithmetic_multiply(&arithmetic, terms->left[i], terms->right[i])
                    : terms->left[i];
  }
  likely_sums_t sums = {.is_known = true};
  bool fuses = terms->are_products && PERMITTED(contract, fma) == FMA_YES;
  bool halves = PERMITTED(contract, order) == ORDER_ANY;
  sums.values[1] = add_in_turn(&arithmetic, terms, leaves);
  sums.values[0] = fuses ? add_fused(&arithmetic, terms) : sums.values[1];
  sums.values[2] = halves ? add_halves(&arithmetic, terms, leaves) : sums.values[1];
  return sums;
}

static bool is_next(const format_t *format, double value, double next) {
  uint64_t bits = format_next_up(format, format_from_double(format, value));
  return format_to_double(format, bits) == next;
}

/* False if the value is neither in the interval nor beside it. */
static bool extend(const format_t *format, double value, double *low, double *high) {
  if (*low > *high) return false;
  if (*low <= value && value <= *high) return true;
  if (value < *low && is_next(format, value, *low)) {
    *low = value;
    return true;
  }
  if (value > *high && is_next(format, *high, value)) {
    *high = value;
    return true;
  }
  return false;
}

/* Zeros have signs, of which intervals know nothing: the exact side does. */
void likely_sums_extend(const likely_sums_t *sums, const format_t *format,
                        const likely_ends_t *ends) {
  for (int i = 0; i < LIKELY_SUMS; i++) {
    double value = sums->values[i];
    if (!isfinite(value) || value == 0) continue;
    if (*ends->low > *ends->high) {
      *ends->low = *ends->high = value;
    } else if (!extend(format, value, ends->low, ends->high) &&
               !extend(format, value, ends->other_low, ends->other_high) &&
               *ends->other_low > *ends->other_high) {
      *ends->other_low = *ends->other_high = value;
    }
  }
}
