/* SPDX-License-Identifier: Apache-2.0 */
/* One pass over the leaves, exactly: the largest sum of a contiguous range is the difference of the
 * largest and the smallest partial sum from the left. */
#include "oracles/exact/in_order/bound.h"

#include <math.h>

#include "oracles/exact/error_bound.h"
#include "oracles/exact/in_order/node.h"
#include "oracles/exact/magnitude.h"
#include "oracles/exact/repeated_sum.h"
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

/* At least the magnitude of the exact sum of every contiguous range of the terms alone: theory.md,
 * T121. */
static upper_t largest_range(const prefix_sums_t *sums) {
  mpfr_t reach;
  mpfr_init2(reach, mpfr_get_prec(sums->sum));
  mpfr_sub(reach, sums->most, sums->least, MPFR_RNDU);
  upper_t largest = upper_of_mpfr(reach);
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

/* What is known of trees with so many initial values at the most: theory.md, T121. */
typedef struct reach {
  upper_t error; /* Before the last rounding. */
  bool is_known; /* No partial sum overflows. */
} reach_t;

/* theory.md, T121 and T166. */
static reach_t reach_with(const schedule_node_t *node, const prefix_sums_t *sums, uint32_t inits) {
  const schedules_t *schedules = node->schedules;
  const format_t *format = schedules->format;
  double leaves = (double)schedules->count + inits;
  upper_t products = error_of_products(node, sums), terms = largest_range(sums);
  upper_t values = upper_scale(upper_of(fabs(schedules->init)), inits);
  upper_t largest = upper_add(upper_add(terms, values), products);
  upper_t roundings = upper_scale(upper_of(format_unit_roundoff(format)), fmax(leaves - 2, 0));
  upper_t error = upper_add(products, upper_multiply(largest, upper_expm1(roundings)));
  double room = 2 * upper_add(largest, error).value; /* The last rounding, and room. */
  bool is_known = room < format_to_double(format, format->largest_bits);
  if (inits > 1 && !node->fuses && schedules->right == NULL) {
    const repeated_sum_t repeated = {.format = format,
                                     .value = schedules->init,
                                     .times = inits,
                                     .others = schedules->count,
                                     .reach = terms.value};
    error = upper_of(fmin(error.value, repeated_sum_error(&repeated)));
  }
  return (reach_t){.error = error, .is_known = is_known};
}

/* theory.md, T121 and T166. */
static bool holds(const schedule_node_t *node, const prefix_sums_t *sums, double value) {
  const schedules_t *schedules = node->schedules;
  reach_t reach = reach_with(node, sums, schedules->init_max);
  if (!reach.is_known) return true;
  bool rises = schedules->init > 0;
  uint32_t fewest = schedules->init_min, most = schedules->init_max;
  double error = reach.error.value;
  return end_of(schedules, sums, rises ? fewest : most, -error) <= value &&
         value <= end_of(schedules, sums, rises ? most : fewest, error);
}

static bool reaches(const schedule_node_t *node, const prefix_sums_t *sums, uint32_t inits,
                    double value) {
  reach_t reach = reach_with(node, sums, inits);
  bool rises = node->schedules->init > 0;
  double error = rises ? reach.error.value : -reach.error.value;
  double end = reach.is_known ? end_of(node->schedules, sums, inits, error) : value;
  return rises ? value <= end : value >= end;
}

static void prefix_sums_init(prefix_sums_t *sums, const format_t *format) {
  mpfr_inits2(exact_sum_precision(format), sums->sum, sums->least, sums->most, sums->products,
              (mpfr_ptr)0);
  mpfr_set_zero(sums->sum, 1);
  mpfr_set_zero(sums->least, 1);
  mpfr_set_zero(sums->most, 1);
  mpfr_set_zero(sums->products, 1);
}

static void prefix_sums_deinit(prefix_sums_t *sums) {
  mpfr_clears(sums->sum, sums->least, sums->most, sums->products, (mpfr_ptr)0);
}

bool schedule_bound_holds(const schedules_t *schedules, double value, arena_t *arena) {
  if (schedules->multiplies) return true;
  const schedule_node_t node = schedule_node_make(schedules, arena);
  prefix_sums_t sums;
  prefix_sums_init(&sums, schedules->format);
  bool is_held = !take_leaves(&node, &sums) || holds(&node, &sums, value);
  prefix_sums_deinit(&sums);
  return is_held;
}

uint32_t schedule_bound_least_inits(const schedules_t *schedules, double value, arena_t *arena) {
  uint32_t from = schedules->init_min, to = schedules->init_max;
  const schedule_node_t node = schedule_node_make(schedules, arena);
  prefix_sums_t sums;
  prefix_sums_init(&sums, schedules->format);
  if (!take_leaves(&node, &sums)) to = from;
  while (from < to) {
    uint32_t middle = from + (to - from) / 2;
    if (reaches(&node, &sums, middle, value)) {
      to = middle;
    } else {
      from = middle + 1;
    }
  }
  prefix_sums_deinit(&sums);
  return from;
}
