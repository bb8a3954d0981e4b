/* SPDX-License-Identifier: Apache-2.0 */
/* Takes nodes by ascending numbers of leaves, all those at once whose results lie below the same
 * power of two and so lose the same at the most. */
#include "oracles/exact/repeated_sum.h"

#include <math.h>

#include "oracles/exact/error_bound.h"
#include "oracles/exact/magnitude.h"

/* Nodes of less than `leaves` leaves lose at most `error` together. */
typedef struct level {
  double leaves;
  upper_t error;
} level_t;

/* Results of at most `limit` are at most a power of two, rounded to a wider format too, and lose so
 * much by being rounded to that and to the sum's format (theory.md, T122). */
typedef struct binade {
  lower_t limit;
  upper_t wide;
  upper_t half_unit;
} binade_t;

/* theory.md, T122. */
static binade_t binade_below(const repeated_sum_t *sum, int exponent) {
  const format_t *format = sum->format;
  int unit = exponent - 1, lowest = format->exponent_min;
  double half = ldexp(1, (unit < lowest ? lowest : unit) - format->precision);
  double top = ldexp(1, exponent), smallest = 0x1p-1074;
  binade_t binade = {.limit = lower_of(top), .half_unit = upper_of(fmax(half, smallest))};
  if (!sum->may_widen) return binade;
  double roundoff = error_bound_wide_unit_roundoff(format);
  double tiny = ldexp(format_smallest(format), -error_bound_wider_bits(format) - 1);
  upper_t lost = upper_of(fmax(tiny, smallest));
  binade.wide = upper_add(upper_scale(upper_of(top), roundoff), lost);
  binade.limit = lower_subtract(lower_of(top), binade.wide);
  return binade;
}

/* At least the magnitude of what a node over so many leaves rounds: z of theory.md, T166. */
static upper_t result_of(const repeated_sum_t *sum, level_t level) {
  double times = fmin(level.leaves, sum->times);
  upper_t values = upper_scale(upper_of(fabs(sum->value)), times);
  return upper_add(upper_add(upper_of(sum->reach), values), level.error);
}

/* How many nodes, each of one leaf more, have results within the limit: the first does, and they
 * grow by what nodes lose and, while there are more of it, by the repeated number (theory.md,
 * T166). */
static double nodes_within(const repeated_sum_t *sum, level_t level, const binade_t *binade,
                           upper_t first, upper_t loss) {
  bool grows = level.leaves < sum->times;
  upper_t step = grows ? upper_add(loss, upper_of(fabs(sum->value))) : loss;
  double more = floor(lower_divide(lower_subtract(binade->limit, first), step).value);
  return 1 + (grows ? fmin(more, sum->times - level.leaves) : more);
}

/* theory.md, T166. */
double repeated_sum_error(const repeated_sum_t *sum) {
  double largest = format_to_double(sum->format, sum->format->largest_bits);
  double count = (double)sum->times + (double)sum->others;
  level_t level = {.leaves = 2, .error = upper_of(0)};
  if (count < 2) return 0;
  upper_t first = result_of(sum, level);
  int exponent = first.value < largest ? ilogb(first.value) : 0;
  for (;; first = result_of(sum, level)) {
    if (!(first.value < largest / 4)) return INFINITY;
    binade_t binade = binade_below(sum, exponent);
    while (first.value > binade.limit.value) binade = binade_below(sum, ++exponent);
    /* The last rounding to the format is none of these. */
    if (level.leaves >= count) return upper_add(level.error, binade.wide).value;
    upper_t loss = upper_add(binade.half_unit, binade.wide);
    double nodes = nodes_within(sum, level, &binade, first, loss);
    nodes = fmin(nodes, count - level.leaves);
    level.error = upper_add(level.error, upper_scale(loss, nodes));
    level.leaves += nodes;
  }
}
