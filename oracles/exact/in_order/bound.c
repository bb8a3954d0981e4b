/* SPDX-License-Identifier: Apache-2.0 */
/* One pass over the leaves, exactly: the largest sum of a contiguous range is the difference of the
 * largest and the smallest partial sum from the left. */
#include "oracles/exact/in_order/bound.h"

#include <math.h>

#include "oracles/exact/error_bound.h"
#include "oracles/exact/in_order/node.h"
#include "oracles/exact/magnitude.h"
#include "oracles/exact/value_range.h"

typedef struct prefix_sums {
  mpfr_t sum; /* Of the leaves so far. */
  mpfr_t least;
  mpfr_t most;
  mpfr_t products; /* Sum of |a b| that may be added unrounded. */
} prefix_sums_t;

/* Exact: the precision holds every sum of numbers of the format. */
static void take_leaf(prefix_sums_t *sums, double leaf) {
  mpfr_add_d(sums->sum, sums->sum, leaf, MPFR_RNDN);
  mpfr_min(sums->least, sums->least, sums->sum, MPFR_RNDN);
  mpfr_max(sums->most, sums->most, sums->sum, MPFR_RNDN);
}

static void take_product(prefix_sums_t *sums, double left, double right) {
  mpfr_t product;
  mpfr_init2(product, 2 * 53);
  mpfr_set_d(product, left, MPFR_RNDN);
  mpfr_mul_d(product, product, right, MPFR_RNDN);
  mpfr_abs(product, product, MPFR_RNDN);
  mpfr_add(sums->products, sums->products, product, MPFR_RNDU);
  mpfr_clear(product);
}

/* False if a leaf is not finite. */
static bool take_leaves(const schedule_node_t *node, prefix_sums_t *sums) {
  const schedules_t *schedules = node->schedules;
  for (size_t i = 0; i < schedules->count; i++) {
    if (!isfinite(node->leaves[i])) return false;
    take_leaf(sums, node->leaves[i]);
    if (node->fuses) take_product(sums, schedules->left[i], schedules->right[i]);
  }
  return schedules->init_max == 0 || isfinite(schedules->init);
}

/* theory.md, T121: what products that are added unrounded differ from the leaves by, and what the
 * roundings of such sums below the smallest normal number add. */
static upper_t error_of_products(const schedule_node_t *node, const prefix_sums_t *sums) {
  if (!node->fuses) return upper_of(0);
  const format_t *format = node->schedules->format;
  upper_t relative = upper_scale(upper_of_mpfr(sums->products), format_unit_roundoff(format));
  double count = (double)node->schedules->count;
  return upper_add(relative, upper_scale(upper_of(format_smallest(format)), count));
}

/* At least the magnitude of the exact sum of every contiguous range: theory.md, T121. */
static upper_t largest_range(const schedules_t *schedules, const prefix_sums_t *sums) {
  mpfr_t reach;
  mpfr_init2(reach, mpfr_get_prec(sums->sum));
  mpfr_sub(reach, sums->most, sums->least, MPFR_RNDU);
  upper_t inits = upper_scale(upper_of(fabs(schedules->init)), schedules->init_max);
  upper_t largest = upper_add(upper_of_mpfr(reach), inits);
  mpfr_clear(reach);
  return largest;
}

/* The exact sum with so many initial values and an error, rounded. */
static double end_of(const schedules_t *schedules, const prefix_sums_t *sums, uint32_t inits,
                     double error) {
  mpfr_t end, init;
  mpfr_inits2(mpfr_get_prec(sums->sum), end, init, (mpfr_ptr)0);
  mpfr_set_d(init, inits == 0 ? 0 : schedules->init, MPFR_RNDN);
  mpfr_mul_ui(init, init, inits, MPFR_RNDN);
  mpfr_add(end, sums->sum, init, MPFR_RNDN);
  mpfr_add_d(end, end, error, error > 0 ? MPFR_RNDU : MPFR_RNDD);
  uint64_t bits = format_from_mpfr(schedules->format, end, ROUNDING_NEAREST_EVEN, OVERFLOW_FORMAT);
  mpfr_clears(end, init, (mpfr_ptr)0);
  return format_to_double(schedules->format, bits);
}

/* theory.md, T121. */
static bool holds(const schedule_node_t *node, const prefix_sums_t *sums, double value) {
  const schedules_t *schedules = node->schedules;
  const format_t *format = schedules->format;
  double leaves = (double)schedules->count + schedules->init_max;
  upper_t products = error_of_products(node, sums);
  upper_t largest = upper_add(largest_range(schedules, sums), products);
  upper_t roundings = upper_scale(upper_of(format_unit_roundoff(format)), fmax(leaves - 2, 0));
  upper_t error = upper_add(products, upper_multiply(largest, upper_expm1(roundings)));
  double reach = 2 * upper_add(largest, error).value; /* The last rounding, and room. */
  if (!(reach < format_to_double(format, format->largest_bits))) return true;
  bool rises = schedules->init > 0;
  uint32_t fewest = schedules->init_min, most = schedules->init_max;
  return end_of(schedules, sums, rises ? fewest : most, -error.value) <= value &&
         value <= end_of(schedules, sums, rises ? most : fewest, error.value);
}

bool schedule_bound_holds(const schedules_t *schedules, double value, arena_t *arena) {
  if (schedules->multiplies) return true;
  const schedule_node_t node = schedule_node_make(schedules, arena);
  prefix_sums_t sums;
  mpfr_inits2(exact_sum_precision(schedules->format), sums.sum, sums.least, sums.most,
              sums.products, (mpfr_ptr)0);
  mpfr_set_zero(sums.sum, 1);
  mpfr_set_zero(sums.least, 1);
  mpfr_set_zero(sums.most, 1);
  mpfr_set_zero(sums.products, 1);
  bool is_held = !take_leaves(&node, &sums) || holds(&node, &sums, value);
  mpfr_clears(sums.sum, sums.least, sums.most, sums.products, (mpfr_ptr)0);
  return is_held;
}
