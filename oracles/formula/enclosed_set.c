/* SPDX-License-Identifier: Apache-2.0 */
/* Set arithmetic for formulas: MPFR intervals with directed rounding, beside flags for NaN,
 * infinities and signed zeros that each operation derives by cases. All numbers live in an arena
 * and are never freed singly. */
#include "oracles/formula/enclosed_set.h"

#include <glib.h>
#include <math.h>

#include "oracles/exact/quick_mpfr.h"

/* ---- Making ---------------------------------------------------------------------------------- */

/* A number whose digits are in the arena: never cleared, never given another precision. */
static void init_in_arena(mpfr_ptr number, mp_limb_t digits[ENCLOSED_LIMBS]) {
  mpfr_custom_init(digits, ENCLOSED_PRECISION);
  mpfr_custom_init_set(number, MPFR_ZERO_KIND, 0, ENCLOSED_PRECISION, digits);
}

enclosed_t *enclosed_new(arena_t *arena, size_t count) {
  enclosed_t *sets = ARENA_NEW_ARRAY(arena, enclosed_t, count);
  mp_limb_t *digits = ARENA_NEW_ARRAY(arena, mp_limb_t, 2 * ENCLOSED_LIMBS * count);
  for (size_t i = 0; i < count; i++) {
    sets[i] = (enclosed_t){.has_finite = false};
    init_in_arena(sets[i].low, digits + 2 * ENCLOSED_LIMBS * i);
    init_in_arena(sets[i].high, digits + 2 * ENCLOSED_LIMBS * i + ENCLOSED_LIMBS);
  }
  return sets;
}

/* With the sets that it is united of, which steps do without. */
static void keep(arena_t *arena, enclosed_t *out, const enclosed_t *from) {
  enclosed_copy(out, from);
  if (from->ways[0] == NULL) return;
  enclosed_t *ways = enclosed_new(arena, 2);
  for (size_t i = 0; i < 2; i++) {
    keep(arena, &ways[i], from->ways[i]);
    out->ways[i] = &ways[i];
  }
}

row_t enclosed_keep(arena_t *arena, row_t row) {
  row_t kept = {.count = row.count, .enclosed = enclosed_new(arena, row.count)};
  for (size_t i = 0; i < row.count; i++) keep(arena, &kept.enclosed[i], &row.enclosed[i]);
  return kept;
}

void enclosed_copy(enclosed_t *out, const enclosed_t *from) {
  out->ways[0] = out->ways[1] = NULL;
  out->has_finite = from->has_finite;
  out->is_delivered = from->is_delivered;
  out->specials = from->specials;
  mpfr_set(out->low, from->low, MPFR_RNDD);
  mpfr_set(out->high, from->high, MPFR_RNDU);
}

void enclosed_set_double(enclosed_t *out, double value) {
  out->is_delivered = false;
  out->has_finite = isfinite(value);
  out->specials = 0;
  if (isnan(value)) {
    out->specials = ENCLOSED_NAN;
  } else if (isinf(value)) {
    out->specials = value > 0 ? ENCLOSED_POSITIVE_INFINITY : ENCLOSED_NEGATIVE_INFINITY;
  } else if (value == 0) {
    out->specials = signbit(value) ? ENCLOSED_NEGATIVE_ZERO : ENCLOSED_POSITIVE_ZERO;
  }
  quick_set_double(out->low, value == 0 ? 0 : value);
  quick_set_double(out->high, value == 0 ? 0 : value);
}

void enclosed_set_anything(enclosed_t *out) {
  out->has_finite = true;
  out->is_delivered = false;
  out->specials = ENCLOSED_NAN | ENCLOSED_POSITIVE_INFINITY | ENCLOSED_NEGATIVE_INFINITY |
                  ENCLOSED_POSITIVE_ZERO | ENCLOSED_NEGATIVE_ZERO;
  mpfr_set_inf(out->low, -1);
  mpfr_set_inf(out->high, 1);
}

/* An interval with numbers on both sides of zero may also round to a zero, of either sign. */
static void settle_zeros(enclosed_t *out) {
  if (enclosed_has_negative(out) && enclosed_has_positive(out)) {
    out->specials |= ENCLOSED_POSITIVE_ZERO | ENCLOSED_NEGATIVE_ZERO;
  }
}

bool enclosed_has_zero(const enclosed_t *set) {
  return (set->specials & (ENCLOSED_POSITIVE_ZERO | ENCLOSED_NEGATIVE_ZERO)) != 0;
}

static bool is_zero_alone(const enclosed_t *set) {
  return set->has_finite && enclosed_has_zero(set) && mpfr_zero_p(set->low) &&
         mpfr_zero_p(set->high);
}

static bool has_zero_apart(const enclosed_t *set) {
  return enclosed_has_zero(set) && set->has_finite &&
         (mpfr_sgn(set->low) > 0 || mpfr_sgn(set->high) < 0);
}

/* Makes the interval hold these numbers too; zeros alone are only flags. */
static void widen_interval(enclosed_t *inout, mpfr_srcptr low, mpfr_srcptr high) {
  bool is_first = !inout->has_finite || is_zero_alone(inout);
  if (is_first || mpfr_less_p(low, inout->low)) mpfr_set(inout->low, low, MPFR_RNDD);
  if (is_first || mpfr_greater_p(high, inout->high)) mpfr_set(inout->high, high, MPFR_RNDU);
  inout->has_finite = true;
}

void enclosed_unite(enclosed_t *inout, const enclosed_t *from) {
  inout->is_delivered = inout->is_delivered && from->is_delivered;
  if (from->has_finite && !(inout->has_finite && is_zero_alone(from))) {
    widen_interval(inout, from->low, from->high);
  }
  inout->specials |= from->specials;
  settle_zeros(inout);
}

void enclosed_intersect(enclosed_t *inout, const enclosed_t *from) {
  inout->specials &= from->specials;
  inout->has_finite = inout->has_finite && from->has_finite;
  if (!inout->has_finite) return;
  mpfr_max(inout->low, inout->low, from->low, MPFR_RNDD);
  mpfr_min(inout->high, inout->high, from->high, MPFR_RNDU);
  if (mpfr_lessequal_p(inout->low, inout->high)) return;
  inout->has_finite = enclosed_has_zero(inout); /* Zeros alone, if anything. */
  mpfr_set_zero(inout->low, 1);
  mpfr_set_zero(inout->high, 1);
}

/* ---- Asking ---------------------------------------------------------------------------------- */

bool enclosed_is_point(const enclosed_t *set) {
  bool has_other = (set->specials &
                    (ENCLOSED_NAN | ENCLOSED_POSITIVE_INFINITY | ENCLOSED_NEGATIVE_INFINITY)) != 0;
  return set->has_finite && !has_other && !has_zero_apart(set) && mpfr_equal_p(set->low, set->high);
}

bool enclosed_has_positive(const enclosed_t *set) {
  return set->has_finite && mpfr_sgn(set->high) > 0;
}

bool enclosed_has_negative(const enclosed_t *set) {
  return set->has_finite && mpfr_sgn(set->low) < 0;
}

static bool reaches_zero(const enclosed_t *set) {
  return set->has_finite && mpfr_sgn(set->low) <= 0 && mpfr_sgn(set->high) >= 0;
}

void enclosed_add_zero(enclosed_t *inout, uint8_t flag) {
  inout->specials |= flag;
  if (inout->has_finite) return;
  mpfr_set_zero(inout->low, 1);
  mpfr_set_zero(inout->high, 1);
  inout->has_finite = true;
}

void enclosed_join_zero(enclosed_t *inout) {
  if (!has_zero_apart(inout)) return;
  if (mpfr_sgn(inout->low) > 0) mpfr_set_zero(inout->low, 1);
  if (mpfr_sgn(inout->high) < 0) mpfr_set_zero(inout->high, 1);
}

/* ---- Special values -------------------------------------------------------------------------- */

/* One number for each kind of number that an operation may treat otherwise. */
enum { KIND_COUNT = 7 };
static const double representatives[KIND_COUNT] = {-INFINITY, -1, -0.0, 0.0, 1, INFINITY, NAN};

static bool is_special(double value) { return value == 0 || !isfinite(value); }

static void find_kinds(const enclosed_t *set, bool out_kinds[KIND_COUNT]) {
  out_kinds[0] = (set->specials & ENCLOSED_NEGATIVE_INFINITY) != 0;
  out_kinds[1] = enclosed_has_negative(set);
  out_kinds[2] = (set->specials & ENCLOSED_NEGATIVE_ZERO) != 0;
  out_kinds[3] = (set->specials & ENCLOSED_POSITIVE_ZERO) != 0;
  out_kinds[4] = enclosed_has_positive(set);
  out_kinds[5] = (set->specials & ENCLOSED_POSITIVE_INFINITY) != 0;
  out_kinds[6] = (set->specials & ENCLOSED_NAN) != 0;
}

/* Adds a result that is NaN, infinite or zero. */
static void add_special(enclosed_t *out, double value) {
  if (isnan(value)) out->specials |= ENCLOSED_NAN;
  if (value == (double)INFINITY) out->specials |= ENCLOSED_POSITIVE_INFINITY;
  if (value == -(double)INFINITY) out->specials |= ENCLOSED_NEGATIVE_INFINITY;
  if (value == 0) {
    enclosed_add_zero(out, signbit(value) ? ENCLOSED_NEGATIVE_ZERO : ENCLOSED_POSITIVE_ZERO);
  }
}

typedef double binary_t(double a, double b);

/* Adds what IEEE 754 says of operands of which one is NaN, infinite or zero. */
static void add_binary_specials(enclosed_t *out, binary_t *operation, const enclosed_t *a,
                                const enclosed_t *b) {
  if ((a->specials | b->specials) == 0) return;
  bool a_kinds[KIND_COUNT], b_kinds[KIND_COUNT];
  find_kinds(a, a_kinds);
  find_kinds(b, b_kinds);
  for (int i = 0; i < KIND_COUNT; i++) {
    for (int j = 0; a_kinds[i] && j < KIND_COUNT; j++) {
      if (!b_kinds[j]) continue;
      double x = representatives[i], y = representatives[j];
      if (is_special(x) || is_special(y)) add_special(out, operation(x, y));
    }
  }
}

static void start(enclosed_t *out, bool has_finite) {
  out->specials = 0;
  out->is_delivered = false;
  out->has_finite = has_finite;
}

/* ---- Operations ------------------------------------------------------------------------------ */

static double add_doubles(double a, double b) { return a + b; }
static double multiply_doubles(double a, double b) { return a * b; }
static double divide_doubles(double a, double b) { return a / b; }

void enclosed_set_add(enclosed_t *out, const enclosed_t *a, const enclosed_t *b) {
  start(out, a->has_finite && b->has_finite);
  if (out->has_finite) {
    mpfr_add(out->low, a->low, b->low, MPFR_RNDD);
    mpfr_add(out->high, a->high, b->high, MPFR_RNDU);
    if (has_zero_apart(a) && !is_zero_alone(b)) widen_interval(out, b->low, b->high);
    if (has_zero_apart(b) && !is_zero_alone(a)) widen_interval(out, a->low, a->high);
  }
  bool may_cancel = (enclosed_has_positive(a) && enclosed_has_negative(b)) ||
                    (enclosed_has_negative(a) && enclosed_has_positive(b));
  if (may_cancel && reaches_zero(out)) enclosed_add_zero(out, ENCLOSED_POSITIVE_ZERO);
  add_binary_specials(out, add_doubles, a, b);
  settle_zeros(out);
}

void enclosed_set_negate(enclosed_t *out, const enclosed_t *a) {
  static const uint8_t opposites[][2] = {{ENCLOSED_POSITIVE_INFINITY, ENCLOSED_NEGATIVE_INFINITY},
                                         {ENCLOSED_NEGATIVE_INFINITY, ENCLOSED_POSITIVE_INFINITY},
                                         {ENCLOSED_POSITIVE_ZERO, ENCLOSED_NEGATIVE_ZERO},
                                         {ENCLOSED_NEGATIVE_ZERO, ENCLOSED_POSITIVE_ZERO},
                                         {ENCLOSED_NAN, ENCLOSED_NAN}};
  start(out, a->has_finite);
  out->is_delivered = a->is_delivered;
  for (size_t i = 0; i < G_N_ELEMENTS(opposites); i++) {
    if ((a->specials & opposites[i][0]) != 0) out->specials |= opposites[i][1];
  }
  mpfr_neg(out->low, a->high, MPFR_RNDD);
  mpfr_neg(out->high, a->low, MPFR_RNDU);
}

/* a - b is a + (-b) for IEEE 754 too. */
void enclosed_set_subtract(enclosed_t *out, const enclosed_t *a, const enclosed_t *b) {
  enclosed_t negated = *b;
  mp_limb_t digits[2][ENCLOSED_LIMBS];
  mpfr_custom_init_set(negated.low, MPFR_ZERO_KIND, 0, ENCLOSED_PRECISION, digits[0]);
  mpfr_custom_init_set(negated.high, MPFR_ZERO_KIND, 0, ENCLOSED_PRECISION, digits[1]);
  enclosed_set_negate(&negated, b);
  enclosed_set_add(out, a, &negated);
}

void enclosed_set_multiply(enclosed_t *out, const enclosed_t *a, const enclosed_t *b) {
  start(out, a->has_finite && b->has_finite);
  if (out->has_finite) enclosed_hull_of_products(out->low, out->high, a, b);
  add_binary_specials(out, multiply_doubles, a, b);
  settle_zeros(out);
}

/* One number times itself: unlike ones never meet. */
void enclosed_set_square(enclosed_t *out, const enclosed_t *a) {
  start(out, a->has_finite);
  if (a->has_finite) {
    bool is_low_nearer = mpfr_cmpabs(a->low, a->high) <= 0;
    mpfr_sqr(out->low, is_low_nearer ? a->low : a->high, MPFR_RNDD);
    mpfr_sqr(out->high, is_low_nearer ? a->high : a->low, MPFR_RNDU);
    if (reaches_zero(a)) mpfr_set_zero(out->low, 1);
  }
  const uint8_t infinities = ENCLOSED_POSITIVE_INFINITY | ENCLOSED_NEGATIVE_INFINITY;
  const uint8_t zeros = ENCLOSED_POSITIVE_ZERO | ENCLOSED_NEGATIVE_ZERO;
  out->specials = a->specials & ENCLOSED_NAN;
  if ((a->specials & infinities) != 0) out->specials |= ENCLOSED_POSITIVE_INFINITY;
  if ((a->specials & zeros) != 0) out->specials |= ENCLOSED_POSITIVE_ZERO;
}

/* The least |x / y|: that of the number nearest to zero by the one farthest from it. */
static void set_least_quotient(mpfr_ptr out, const enclosed_t *a, const enclosed_t *b) {
  LOCAL_NUMBER(farthest);
  mpfr_abs(farthest, b->low, MPFR_RNDU);
  if (mpfr_cmpabs(b->high, farthest) > 0) mpfr_abs(farthest, b->high, MPFR_RNDU);
  bool is_negative = mpfr_sgn(a->high) < 0;
  mpfr_abs(out, is_negative ? a->high : a->low, MPFR_RNDD);
  if (reaches_zero(a)) mpfr_set_zero(out, 1);
  if (!mpfr_zero_p(out)) mpfr_div(out, out, farthest, MPFR_RNDD);
}

/* Quotients by numbers however near to zero: as they near it, quotients lose all bound on the sides
 * to which the signs send them. */
static void widen_by_small_divisors(enclosed_t *out, const enclosed_t *a, const enclosed_t *b) {
  bool up = (enclosed_has_positive(a) && enclosed_has_positive(b)) ||
            (enclosed_has_negative(a) && enclosed_has_negative(b));
  bool down = (enclosed_has_positive(a) && enclosed_has_negative(b)) ||
              (enclosed_has_negative(a) && enclosed_has_positive(b));
  out->has_finite = up || down || reaches_zero(a);
  set_least_quotient(out->low, a, b);
  mpfr_set(out->high, out->low, MPFR_RNDD);
  if (down) mpfr_neg(out->high, out->high, MPFR_RNDN);
  if (up) mpfr_set_inf(out->high, 1);
  if (down) mpfr_set_inf(out->low, -1);
}

void enclosed_set_divide(enclosed_t *out, const enclosed_t *a, const enclosed_t *b) {
  bool divides = b->has_finite && (mpfr_sgn(b->low) != 0 || mpfr_sgn(b->high) != 0);
  start(out, a->has_finite && divides);
  if (out->has_finite && reaches_zero(b)) {
    widen_by_small_divisors(out, a, b);
  } else if (out->has_finite) {
    enclosed_hull_of_quotients(out->low, out->high, a, b);
  }
  add_binary_specials(out, divide_doubles, a, b);
  settle_zeros(out);
}

void enclosed_set_square_root(enclosed_t *out, const enclosed_t *a) {
  bool has_roots = a->has_finite && mpfr_sgn(a->high) >= 0;
  start(out, has_roots);
  if (has_roots) {
    bool from_zero = mpfr_sgn(a->low) <= 0;
    if (from_zero) mpfr_set_zero(out->low, 1);
    if (!from_zero) mpfr_sqrt(out->low, a->low, MPFR_RNDD);
    mpfr_sqrt(out->high, a->high, MPFR_RNDU);
  }
  if (enclosed_has_negative(a)) out->specials |= ENCLOSED_NAN;
  uint8_t kept =
      ENCLOSED_NAN | ENCLOSED_POSITIVE_INFINITY | ENCLOSED_POSITIVE_ZERO | ENCLOSED_NEGATIVE_ZERO;
  out->specials |= a->specials & kept;
  if ((a->specials & ENCLOSED_NEGATIVE_INFINITY) != 0) out->specials |= ENCLOSED_NAN;
  if (enclosed_has_zero(out)) enclosed_add_zero(out, 0);
}

/* The larger numbers of two intervals, either of which may be one of zeros, or of -infinity. */
typedef struct piece {
  mpfr_srcptr low;
  mpfr_srcptr high;
} piece_t;

enum { PIECES_MAX = 3 };

static size_t find_pieces(const enclosed_t *set, mpfr_srcptr zero, mpfr_srcptr below,
                          piece_t out[PIECES_MAX]) {
  size_t count = 0;
  if (set->has_finite) out[count++] = (piece_t){set->low, set->high};
  if (has_zero_apart(set)) out[count++] = (piece_t){zero, zero};
  if ((set->specials & ENCLOSED_NEGATIVE_INFINITY) != 0) out[count++] = (piece_t){below, below};
  return count;
}

static void widen_to_larger(enclosed_t *inout, const piece_t *a, const piece_t *b) {
  mpfr_srcptr low = mpfr_greater_p(a->low, b->low) ? a->low : b->low;
  mpfr_srcptr high = mpfr_greater_p(a->high, b->high) ? a->high : b->high;
  bool is_infinite = mpfr_inf_p(high) && mpfr_sgn(high) < 0;
  bool is_zero = mpfr_zero_p(low) && mpfr_zero_p(high);
  if (is_infinite || (is_zero && inout->has_finite)) return;
  bool was_zero = inout->has_finite && mpfr_zero_p(inout->low) && mpfr_zero_p(inout->high);
  if (was_zero) inout->has_finite = false;
  widen_interval(inout, low, high);
}

/* Whether a number above zero is not sure. */
static bool may_stay_below(const enclosed_t *set) {
  return enclosed_has_zero(set) || (set->specials & ENCLOSED_NEGATIVE_INFINITY) != 0 ||
         (set->has_finite && mpfr_sgn(set->low) <= 0);
}

/* theory.md, T100. */
void enclosed_set_maximum(enclosed_t *out, const enclosed_t *a, const enclosed_t *b) {
  const uint8_t zeros = ENCLOSED_POSITIVE_ZERO | ENCLOSED_NEGATIVE_ZERO;
  LOCAL_NUMBER(zero);
  LOCAL_NUMBER(below);
  mpfr_set_inf(below, -1);
  piece_t of_a[PIECES_MAX], of_b[PIECES_MAX];
  size_t a_count = find_pieces(a, zero, below, of_a), b_count = find_pieces(b, zero, below, of_b);
  start(out, false);
  for (size_t i = 0; i < a_count; i++) {
    for (size_t j = 0; j < b_count; j++) widen_to_larger(out, &of_a[i], &of_b[j]);
  }
  out->specials =
      (a->specials | b->specials) & (uint8_t)(ENCLOSED_NAN | ENCLOSED_POSITIVE_INFINITY);
  out->specials |= a->specials & b->specials & ENCLOSED_NEGATIVE_INFINITY;
  if (may_stay_below(b)) out->specials |= a->specials & zeros;
  if (may_stay_below(a)) out->specials |= b->specials & zeros;
}
