/* SPDX-License-Identifier: Apache-2.0 */
/* Every result that a contract lets a sum or product of a few terms reach, by trying all orders,
 * all trees and all permitted roundings: the theory-free opponent of oracles/exact.  Exact
 * arithmetic of its own: integers times powers of two. */
#ifndef ASSAY_TESTS_OPS_REACH_H
#define ASSAY_TESTS_OPS_REACH_H

#include <glib.h>
#include <math.h>

#include "harness/model/contract.h"
#include "harness/num/format.h"

enum { REACH_TERMS_MAX = 4, REACH_INITS_MAX = 3, REACH_MASKS = 1 << REACH_TERMS_MAX };

typedef unsigned __int128 reach_integer_t;

typedef enum reach_kind { REACH_FINITE, REACH_INFINITY, REACH_NAN } reach_kind_t;

/* (-1)^negative significand 2^exponent; the significand is odd, or 0 with exponent 0. */
typedef struct reach_number {
  reach_kind_t kind;
  bool negative;
  int exponent;
  reach_integer_t significand;
} reach_number_t;

typedef struct reach_set {
  GArray *numbers; /* Of reach_number_t. */
} reach_set_t;

/* What is summed or multiplied, and what is permitted. */
typedef struct reach {
  const format_t *format;
  contract_t contract;
  bool multiplies;
  bool adds_products;
  size_t count;
  reach_number_t left[REACH_TERMS_MAX];
  reach_number_t right[REACH_TERMS_MAX];
  const format_t *factor_format;
  reach_number_t init;
  int init_min, init_max;
  int extra_bits;      /* Of wider nodes, if the contract permits them; 0: exact ones. */
  bool wide_exponents; /* Wider nodes have no smallest number; they never have a largest. */
  reach_set_t sets[REACH_MASKS][REACH_INITS_MAX + 1];
} reach_t;

static inline int reach_width(reach_integer_t integer) {
  uint64_t high = (uint64_t)(integer >> 64), low = (uint64_t)integer;
  if (high != 0) return 128 - __builtin_clzll(high);
  return low == 0 ? 0 : 64 - __builtin_clzll(low);
}

static inline reach_number_t reach_normalized(reach_number_t number) {
  if (number.kind != REACH_FINITE) number.significand = 0;
  if (number.kind == REACH_NAN) number.negative = false;
  if (number.significand == 0) number.exponent = 0;
  while (number.significand != 0 && (number.significand & 1) == 0) {
    number.significand >>= 1;
    number.exponent++;
  }
  return number;
}

static inline reach_number_t reach_from_double(double value) {
  reach_number_t number = {.negative = signbit(value) != 0};
  if (isnan(value)) number.kind = REACH_NAN;
  if (isinf(value)) number.kind = REACH_INFINITY;
  if (!isfinite(value)) return reach_normalized(number);
  int exponent;
  number.significand = (uint64_t)ldexp(frexp(fabs(value), &exponent), 53);
  number.exponent = exponent - 53;
  return reach_normalized(number);
}

/* Of a number that has at most 53 bits. */
static inline double reach_to_double(reach_number_t number) {
  if (number.kind == REACH_NAN) return NAN;
  g_assert(reach_width(number.significand) <= 53);
  double magnitude = number.kind == REACH_INFINITY
                         ? (double)INFINITY
                         : ldexp((double)(uint64_t)number.significand, number.exponent);
  return number.negative ? -magnitude : magnitude;
}

/* The exact sum; an exact zero is -0 only for two negative zeros. */
static inline reach_number_t reach_exact_sum(reach_number_t a, reach_number_t b) {
  const reach_number_t nan = {.kind = REACH_NAN};
  if (a.kind == REACH_NAN || b.kind == REACH_NAN) return nan;
  if (a.kind == REACH_INFINITY && b.kind == REACH_INFINITY && a.negative != b.negative) return nan;
  if (a.kind == REACH_INFINITY) return a;
  if (b.kind == REACH_INFINITY) return b;
  if (a.significand == 0 && b.significand == 0) {
    return (reach_number_t){.negative = a.negative && b.negative};
  }
  if (a.significand == 0) return b;
  if (b.significand == 0) return a;
  int least = MIN(a.exponent, b.exponent);
  g_assert(reach_width(a.significand) + a.exponent - least < 126);
  g_assert(reach_width(b.significand) + b.exponent - least < 126);
  reach_integer_t x = a.significand << (a.exponent - least);
  reach_integer_t y = b.significand << (b.exponent - least);
  reach_number_t sum = {.exponent = least, .negative = a.negative, .significand = x + y};
  if (a.negative != b.negative) {
    sum.significand = x > y ? x - y : y - x;
    sum.negative = x == y ? false : (x > y ? a.negative : b.negative);
  }
  return reach_normalized(sum);
}

static inline reach_number_t reach_exact_product(reach_number_t a, reach_number_t b) {
  const reach_number_t nan = {.kind = REACH_NAN};
  bool a_is_zero = a.kind == REACH_FINITE && a.significand == 0;
  bool b_is_zero = b.kind == REACH_FINITE && b.significand == 0;
  if (a.kind == REACH_NAN || b.kind == REACH_NAN) return nan;
  reach_number_t product = {.negative = a.negative != b.negative};
  if (a.kind == REACH_INFINITY || b.kind == REACH_INFINITY) {
    if (a_is_zero || b_is_zero) return nan;
    product.kind = REACH_INFINITY;
    return product;
  }
  g_assert(reach_width(a.significand) + reach_width(b.significand) < 126);
  product.significand = a.significand * b.significand;
  product.exponent = a.exponent + b.exponent;
  return reach_normalized(product);
}

/* To `precision` bits, but no bit below 2^lowest. */
static inline reach_number_t reach_round(reach_number_t number, int precision, int lowest,
                                         bool truncates) {
  if (number.kind != REACH_FINITE || number.significand == 0) return number;
  int unit = MAX(reach_width(number.significand) + number.exponent - precision, lowest);
  int drop = unit - number.exponent;
  if (drop <= 0) return number;
  reach_integer_t one = 1;
  reach_integer_t kept = drop > 127 ? 0 : number.significand >> drop;
  reach_integer_t half = drop > 127 ? 0 : one << (drop - 1);
  reach_integer_t rest = drop > 127 ? 0 : number.significand & ((half << 1) - 1);
  if (!truncates && (rest > half || (rest == half && half != 0 && (kept & 1) == 1))) kept++;
  number.significand = kept;
  number.exponent = unit;
  return reach_normalized(number);
}

static inline int reach_lowest(const format_t *format) {
  return format->exponent_min - format->precision + 1;
}

/* By the rule of the format, overflow and the lack of -0 included. */
static inline reach_number_t reach_to_format(const format_t *format, reach_number_t number,
                                             bool truncates) {
  number = reach_round(number, format->precision, reach_lowest(format), truncates);
  reach_number_t largest = reach_from_double(format_to_double(format, format->largest_bits));
  largest.negative = number.negative;
  bool overflows = number.kind == REACH_INFINITY;
  int binade = reach_width(number.significand) + number.exponent;
  int largest_binade = reach_width(largest.significand) + largest.exponent;
  overflows |= number.significand != 0 && binade > largest_binade;
  if (overflows && number.kind == REACH_FINITE && truncates) return largest;
  if (number.significand != 0 && binade == largest_binade) {
    reach_number_t opposite = largest;
    opposite.negative = !largest.negative;
    reach_number_t excess = reach_exact_sum(number, opposite);
    overflows = excess.significand != 0 && excess.negative == number.negative;
    if (overflows && truncates) return largest;
  }
  if (overflows && format->specials == FORMAT_FINITE) return largest;
  if (overflows) {
    number.kind = format->specials == FORMAT_IEEE ? REACH_INFINITY : REACH_NAN;
    return reach_normalized(number);
  }
  if (number.significand == 0 && format->specials == FORMAT_NAN_MINUS_ZERO) number.negative = false;
  return number;
}

static inline bool reach_equal(reach_number_t a, reach_number_t b) {
  return a.kind == b.kind && a.negative == b.negative && a.exponent == b.exponent &&
         a.significand == b.significand;
}

static inline bool reach_set_has(const reach_set_t *set, reach_number_t number) {
  for (guint i = 0; i < set->numbers->len; i++) {
    if (reach_equal(g_array_index(set->numbers, reach_number_t, i), number)) return true;
  }
  return false;
}

static inline void reach_set_add(reach_set_t *set, reach_number_t number) {
  if (!reach_set_has(set, number)) g_array_append_val(set->numbers, number);
}

static inline bool reach_is_subnormal(const format_t *format, reach_number_t number) {
  return number.kind == REACH_FINITE && number.significand != 0 &&
         reach_width(number.significand) + number.exponent <= format->exponent_min;
}

/* Adds a result and, where outputs may be flushed, the zero that it may become. */
static inline void reach_add_result(const reach_t *reach, reach_set_t *set, reach_number_t number) {
  reach_set_add(set, number);
  bool flushes = PERMITTED(&reach->contract, ftz) == FTZ_OUTPUTS ||
                 PERMITTED(&reach->contract, ftz) == FTZ_BOTH;
  if (!flushes || !reach_is_subnormal(reach->format, number)) return;
  reach_number_t zero = {.negative =
                             number.negative && reach->format->specials != FORMAT_NAN_MINUS_ZERO};
  reach_set_add(set, zero);
}

/* What one operation with this exact result may give: rounded to the format, or to a wider one, or
 * to both in turn. */
static inline void reach_add_rounded(const reach_t *reach, reach_set_t *set, reach_number_t exact) {
  bool may_truncate = PERMITTED(&reach->contract, accum_rounding) == ACCUM_ROUNDING_RZ;
  for (int truncates = 0; truncates <= (may_truncate ? 1 : 0); truncates++) {
    reach_add_result(reach, set, reach_to_format(reach->format, exact, truncates == 1));
    if (PERMITTED(&reach->contract, accum_wider) == ACCUM_WIDER_NO) continue;
    reach_number_t wide = exact;
    int lowest = reach->wide_exponents ? -100000 : reach_lowest(reach->format) - reach->extra_bits;
    if (reach->extra_bits != 0) {
      wide =
          reach_round(exact, reach->format->precision + reach->extra_bits, lowest, truncates == 1);
    }
    reach_add_result(reach, set, wide);
    for (int again = 0; again <= (may_truncate ? 1 : 0); again++) {
      reach_add_result(reach, set, reach_to_format(reach->format, wide, again == 1));
    }
  }
}

/* A factor or term, and the zero that it may be read as. */
static inline void reach_add_input(const reach_t *reach, reach_set_t *set, reach_number_t number) {
  reach_set_add(set, number);
  bool flushes = PERMITTED(&reach->contract, ftz) == FTZ_INPUTS ||
                 PERMITTED(&reach->contract, ftz) == FTZ_BOTH;
  if (!flushes || !reach_is_subnormal(reach->factor_format, number)) return;
  bool has_minus_zero = reach->factor_format->specials != FORMAT_NAN_MINUS_ZERO;
  reach_set_add(set, (reach_number_t){.negative = number.negative && has_minus_zero});
}

static inline reach_set_t reach_set_make(void) {
  return (reach_set_t){.numbers = g_array_new(FALSE, FALSE, sizeof(reach_number_t))};
}

/* A number and, where a node may read it as zero, that. */
static inline reach_set_t reach_as_read(const reach_t *reach, const reach_set_t *set) {
  reach_set_t as_read = reach_set_make();
  for (guint i = 0; i < set->numbers->len; i++) {
    reach_number_t number = g_array_index(set->numbers, reach_number_t, i);
    reach_set_add(&as_read, number);
    bool flushes = PERMITTED(&reach->contract, ftz) == FTZ_INPUTS ||
                   PERMITTED(&reach->contract, ftz) == FTZ_BOTH;
    if (!flushes || !reach_is_subnormal(reach->format, number)) continue;
    bool has_minus_zero = reach->format->specials != FORMAT_NAN_MINUS_ZERO;
    reach_set_add(&as_read, (reach_number_t){.negative = number.negative && has_minus_zero});
  }
  return as_read;
}

static inline void reach_combine(const reach_t *reach, const reach_set_t *left,
                                 const reach_set_t *right, reach_set_t *out) {
  reach_set_t a = reach_as_read(reach, left), b = reach_as_read(reach, right);
  for (guint i = 0; i < a.numbers->len; i++) {
    for (guint j = 0; j < b.numbers->len; j++) {
      reach_number_t x = g_array_index(a.numbers, reach_number_t, i);
      reach_number_t y = g_array_index(b.numbers, reach_number_t, j);
      reach_add_rounded(reach, out,
                        reach->multiplies ? reach_exact_product(x, y) : reach_exact_sum(x, y));
    }
  }
  g_array_unref(a.numbers);
  g_array_unref(b.numbers);
}

/* The exact products that term `term` may be. */
static inline reach_set_t reach_products(const reach_t *reach, size_t term) {
  reach_set_t lefts = reach_set_make(), rights = reach_set_make(), products = reach_set_make();
  reach_add_input(reach, &lefts, reach->left[term]);
  reach_add_input(reach, &rights, reach->right[term]);
  for (guint i = 0; i < lefts.numbers->len; i++) {
    for (guint j = 0; j < rights.numbers->len; j++) {
      reach_set_add(&products,
                    reach_exact_product(g_array_index(lefts.numbers, reach_number_t, i),
                                        g_array_index(rights.numbers, reach_number_t, j)));
    }
  }
  g_array_unref(lefts.numbers);
  g_array_unref(rights.numbers);
  return products;
}

static inline void reach_set_leaf(reach_t *reach, size_t term) {
  reach_set_t *set = &reach->sets[1u << term][0];
  if (!reach->adds_products) {
    reach_add_input(reach, set, reach->left[term]);
    return;
  }
  reach_set_t products = reach_products(reach, term);
  for (guint i = 0; i < products.numbers->len; i++) {
    reach_add_rounded(reach, set, g_array_index(products.numbers, reach_number_t, i));
  }
  g_array_unref(products.numbers);
}

/* In order, the terms of a part are neighbours, and those of the left part come first. */
static inline bool reach_is_range(unsigned mask) {
  unsigned lowest = mask & (0u - mask);
  return ((mask + lowest) & mask) == 0;
}

static inline void reach_fill(reach_t *reach, unsigned mask, int inits) {
  reach_set_t *out = &reach->sets[mask][inits];
  for (unsigned part = mask;; part = (part - 1) & mask) {
    for (int i = 0; i <= inits; i++) {
      reach_set_t *a = &reach->sets[part][i], *b = &reach->sets[mask & ~part][inits - i];
      if (a == out || b == out || a->numbers->len == 0 || b->numbers->len == 0) continue;
      bool fuses = reach->adds_products && PERMITTED(&reach->contract, fma) == FMA_YES && i == 0 &&
                   part != 0 && (part & (part - 1)) == 0;
      reach_combine(reach, a, b, out);
      if (!fuses) continue;
      reach_set_t products = reach_products(reach, (size_t)__builtin_ctz(part));
      reach_combine(reach, &products, b, out);
      g_array_unref(products.numbers);
    }
    if (part == 0) break;
  }
}

/* Fills all sets; reach_deinit() frees them. */
static inline void reach_run(reach_t *reach) {
  unsigned all = (1u << reach->count) - 1;
  for (unsigned mask = 0; mask <= all; mask++) {
    for (int inits = 0; inits <= reach->init_max; inits++) {
      reach->sets[mask][inits] = reach_set_make();
      bool in_order = PERMITTED(&reach->contract, order) == ORDER_IN_ORDER;
      if (in_order && !reach_is_range(mask)) continue;
      if (mask == 0 && inits == 1) reach_add_input(reach, &reach->sets[0][1], reach->init);
      if (inits == 0 && mask != 0 && (mask & (mask - 1)) == 0) {
        reach_set_leaf(reach, (size_t)__builtin_ctz(mask));
      }
      reach_fill(reach, mask, inits);
    }
  }
}

static inline void reach_deinit(reach_t *reach) {
  for (unsigned mask = 0; mask < 1u << reach->count; mask++) {
    for (int inits = 0; inits <= reach->init_max; inits++) {
      g_array_unref(reach->sets[mask][inits].numbers);
    }
  }
}

/* All results with `inits` initial values: the sums, rounded to the format. */
static inline reach_set_t reach_results(const reach_t *reach, int inits) {
  reach_set_t results = reach_set_make();
  const reach_set_t *sums = &reach->sets[(1u << reach->count) - 1][inits];
  bool may_truncate = PERMITTED(&reach->contract, accum_rounding) == ACCUM_ROUNDING_RZ;
  for (guint i = 0; i < sums->numbers->len; i++) {
    for (int truncates = 0; truncates <= (may_truncate ? 1 : 0); truncates++) {
      reach_number_t sum = g_array_index(sums->numbers, reach_number_t, i);
      reach_add_result(reach, &results, reach_to_format(reach->format, sum, truncates == 1));
    }
  }
  return results;
}

#endif
