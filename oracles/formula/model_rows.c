/* SPDX-License-Identifier: Apache-2.0 */
/* The steps over whole rows, as one implementation does them. */
#include <glib.h>
#include <math.h>

#include "generated/formula_faults.h"
#include "harness/base/rng.h"
#include "oracles/exact/arithmetic.h"
#include "oracles/exact/fold/fold.h"
#include "oracles/formula/model.h"

static row_t one_value(const formula_t *formula, double value) {
  row_t row = {.count = 1, .values = ARENA_NEW_ARRAY(formula->arena, double, 1)};
  row.values[0] = value;
  return row;
}

/* ---- Sums: what simulate() of a reduction does ----------------------------------------------- */

static fold_t make_fold(const formula_t *formula) {
  fold_t fold;
  const element_t *element = element_named(formula->format->name);
  status_t status = fold_make(FOLD_ADD, element, NULL, formula->schedule, &fold, NULL);
  g_assert(status == STATUS_OK);
  return fold;
}

row_t model_sum(formula_t *formula, row_t a) {
  fold_t fold = make_fold(formula);
  fold_value_t *terms = fold_make_terms(&fold, a.count, formula->arena);
  for (size_t i = 0; i < a.count; i++) terms[i] = fold_real(a.values[i]);
  fold_value_t sum = fold_run(&fold, fold_real(0), terms, a.count, formula->group);
  return one_value(formula, format_round_double(formula->format, sum.real));
}

row_t model_sum_of_products(formula_t *formula, row_t a, row_t b) {
  fold_t fold = make_fold(formula);
  fold_value_t *terms = fold_make_terms(&fold, a.count, formula->arena);
  for (size_t i = 0; i < a.count; i++) {
    terms[i] = fold_product(&fold, fold_real(a.values[i]), fold_real(b.values[i]));
  }
  fold_value_t sum = fold_run(&fold, fold_real(0), terms, a.count, formula->group);
  return one_value(formula, format_round_double(formula->format, sum.real));
}

/* ---- Trees of merges ------------------------------------------------------------------------- */

/* How a part of a row splits in two: the last number alone, halves, or anywhere. */
static size_t split_part(const formula_t *formula, size_t count, rng_t *rng) {
  const sum_order_t *order = &formula->schedule->order;
  switch (order->kind) {
    case SUM_HALVES:
    case SUM_HALVES_LOW:
    case SUM_POWER:
    case SUM_FOLDED:
    case SUM_INTERLEAVED:
    case SUM_LANES:
    case SUM_LANES_FIRST:
    case SUM_LANES_FRONT:
    case SUM_LANES_BESIDE:
      return count - count / 2;
    case SUM_BLOCKS:
    case SUM_BLOCKS_FIRST:
    case SUM_PADDED:
      return count > order->width ? (count - 1) / order->width * order->width : count - 1;
    case SUM_RANDOM:
    case SUM_SHUFFLED:
      return 1 + (size_t)rng_below(rng, count - 1);
    case SUM_SEQUENTIAL:
    case SUM_REVERSE:
    case SUM_SWAPPED:
    case SUM_WAYS:
    case SUM_TAIL:
    case SUM_ORDER_KINDS:
    default:
      break;
  }
  return count - 1;
}

static rng_t tree_rng(const formula_t *formula) {
  uint64_t state = formula->schedule->seed;
  return rng_make(rng_splitmix(&state) ^ formula->group);
}

typedef struct part_moments {
  double count;
  double mean;
  double squares;
} part_moments_t;

/* One more number: Welford's update.  Two parts: that of Chan, Golub and LeVeque. */
static part_moments_t merge_moments(const arithmetic_t *arithmetic, fault_t fault, part_moments_t a,
                                    part_moments_t b) {
  double count = a.count + b.count;
  double distance = arithmetic_add(arithmetic, b.mean, -a.mean);
  double weight = arithmetic_divide(arithmetic, b.count, count);
  if (fault == FAULT_chan_halves_weights && b.count > 1) weight = 0.5;
  double mean =
      b.count == 1
          ? arithmetic_add(arithmetic, a.mean, arithmetic_divide(arithmetic, distance, count))
          : arithmetic_add(arithmetic, a.mean, arithmetic_multiply(arithmetic, distance, weight));
  double other = arithmetic_add(arithmetic, b.mean, -mean);
  if (fault == FAULT_welford_squares_early) other = distance;
  double added = arithmetic_multiply(arithmetic, distance, other);
  if (b.count > 1) {
    double square = arithmetic_multiply(arithmetic, distance, distance);
    double scale = arithmetic_multiply(arithmetic, a.count, weight);
    added = arithmetic_add(arithmetic, b.squares, arithmetic_multiply(arithmetic, square, scale));
  }
  return (part_moments_t){count, mean, arithmetic_add(arithmetic, a.squares, added)};
}

/* In that order, or, of two parts that are merged, the second first. */
static part_moments_t merge_parts(const formula_t *formula, part_moments_t a, part_moments_t b) {
  const arithmetic_t arithmetic = model_arithmetic(formula);
  bool is_swapped = formula->schedule->other_way && b.count > 1;
  fault_t fault = formula->schedule->fault;
  return is_swapped ? merge_moments(&arithmetic, fault, b, a)
                    : merge_moments(&arithmetic, fault, a, b);
}

static part_moments_t find_moments(const formula_t *formula, const double *values, size_t count,
                                   rng_t *rng) {
  part_moments_t moments = {1, values[0], 0};
  if (count == 1) return moments;
  size_t split = split_part(formula, count, rng);
  if (split < count - 1) {
    moments = find_moments(formula, values, split, rng);
    return merge_parts(formula, moments, find_moments(formula, values + split, count - split, rng));
  }
  for (size_t i = 1; i < count; i++) {
    moments = merge_parts(formula, moments, (part_moments_t){1, values[i], 0});
  }
  return moments;
}

/* Every W-th number, one by one. */
static part_moments_t lane_moments(const formula_t *formula, row_t a, size_t lane, size_t width) {
  part_moments_t moments = {1, a.values[lane], 0};
  for (size_t i = lane + width; i < a.count; i += width) {
    moments = merge_parts(formula, moments, (part_moments_t){1, a.values[i], 0});
  }
  return moments;
}

/* Lanes, which are then merged in halves, as vector code and threads do. */
static part_moments_t moments_of_lanes(const formula_t *formula, row_t a) {
  size_t width = formula->schedule->order.width;
  part_moments_t *lanes = ARENA_NEW_ARRAY(formula->arena, part_moments_t, width);
  for (size_t i = 0; i < width; i++) lanes[i] = lane_moments(formula, a, i, width);
  while (width > 1) {
    size_t half = width - width / 2;
    for (size_t i = 0; i + half < width; i++) {
      lanes[i] = merge_parts(formula, lanes[i], lanes[i + half]);
    }
    width = half;
  }
  return lanes[0];
}

void model_running_moments(formula_t *formula, row_t a, row_t *out_mean, row_t *out_squares) {
  if (a.count == 0) {
    *out_mean = formula_mean(formula, a);
    *out_squares = model_sum(formula, a);
    return;
  }
  rng_t rng = tree_rng(formula);
  const sum_order_t *order = &formula->schedule->order;
  bool has_lanes = sum_order_is_lanes(order->kind) && order->width < a.count;
  part_moments_t moments =
      has_lanes ? moments_of_lanes(formula, a) : find_moments(formula, a.values, a.count, &rng);
  *out_mean = one_value(formula, moments.mean);
  *out_squares = one_value(formula, moments.squares);
}

typedef struct part_exponentials {
  double largest;
  double sum;
} part_exponentials_t;

/* The part with the smaller maximum is corrected to the other one's. */
static part_exponentials_t merge_exponentials(const formula_t *formula, part_exponentials_t a,
                                              part_exponentials_t b) {
  const arithmetic_t arithmetic = model_arithmetic(formula);
  double largest = arithmetic_maximum(a.largest, b.largest);
  part_exponentials_t *parts[] = {&a, &b};
  bool is_twice = formula_has_fault(formula, FAULT_online_rescaled_twice);
  double smallest = arithmetic_minimum(a.largest, b.largest);
  for (size_t i = 0; i < 2; i++) {
    if (parts[i]->largest == largest && !is_twice) continue;
    if (formula_has_fault(formula, FAULT_online_without_rescale)) continue;
    double from = is_twice ? smallest : parts[i]->largest;
    double factor =
        model_function(formula, ELEMENTARY_exp, arithmetic_add(&arithmetic, from, -largest));
    parts[i]->sum = arithmetic_multiply(&arithmetic, parts[i]->sum, factor);
  }
  return (part_exponentials_t){largest, arithmetic_add(&arithmetic, a.sum, b.sum)};
}

static part_exponentials_t find_exponentials(const formula_t *formula, const double *values,
                                             size_t count, rng_t *rng) {
  part_exponentials_t found = {values[0], 1};
  if (count == 1) return found;
  size_t split = split_part(formula, count, rng);
  if (split < count - 1) {
    found = find_exponentials(formula, values, split, rng);
    return merge_exponentials(formula, found,
                              find_exponentials(formula, values + split, count - split, rng));
  }
  for (size_t i = 1; i < count; i++) {
    found = merge_exponentials(formula, found, (part_exponentials_t){values[i], 1});
  }
  return found;
}

row_t model_online_sum(formula_t *formula, row_t a) {
  bool is_tame = a.count > 0;
  for (size_t i = 0; i < a.count; i++) is_tame = is_tame && a.values[i] < (double)INFINITY;
  double *kept = ARENA_NEW_ARRAY(formula->arena, double, a.count);
  size_t count = 0; /* What is -infinity never enters. */
  for (size_t i = 0; i < a.count; i++) {
    if (!isinf(a.values[i])) kept[count++] = a.values[i];
  }
  if (!is_tame || count == 0) {
    row_t shifted = formula_subtract(formula, a, formula_row_maximum(formula, a));
    return model_sum(formula, formula_function(formula, ELEMENTARY_exp, shifted));
  }
  rng_t rng = tree_rng(formula);
  return one_value(formula, find_exponentials(formula, kept, count, &rng).sum);
}
