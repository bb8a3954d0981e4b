/* SPDX-License-Identifier: Apache-2.0 */
/* Complex products: (a + bi)(c + di) = (ac - bd) + (ad + bc)i, two products and an addition or
 * subtraction a part.  The specification says no more, and gives no accuracy; so of that formula
 * everything that the contract permits a sum of two products conforms: rounded products, one of
 * them added unrounded (fma), nodes of any greater width (accum_wider), truncation, flushing. Other
 * formulas (with three products, say) do not.
 *
 * "Exceptions for nonstandard operations (e.g. complex arithmetic)" are the implementation's
 * (StableHLO specification, Floating-point exceptions).  Known ones do one of two things where an
 * infinity meets a NaN or a zero: what the formula gives, or what C's annex G recovers, an infinity
 * wherever a factor is infinite and neither part would be a number.  Permission complex_infinity
 * has both. */
#include <glib.h>
#include <math.h>

#include "generated/elementwise_permissions.h"
#include "oracles/exact/arithmetic.h"
#include "oracles/exact/error_bound.h"
#include "oracles/exact/value_range.h"
#include "oracles/ops/elementwise/parts.h"

enum { PRINTED_MAX = 4, VARIANTS_MAX = 16, ADDENDS_MAX = 160 };

/* ---- The question ---------------------------------------------------------------------------- */

typedef struct complex_number {
  double real, imaginary;
} complex_number_t;

/* Factors of a part: left[0] right[0] + left[1] right[1]. */
typedef struct factors {
  double left[2], right[2];
} factors_t;

/* What may be asked about one part while results are visited, one implementation after the other.
 */
typedef struct visit {
  const format_t *format;
  const contract_t *contract;
  uint64_t bits;
  mpfr_srcptr exact; /* Of the operands as they are. */
  mpfr_ptr farthest; /* Of what was visited and is finite, from it. */
  bool conforms;
  const char *by; /* How the implementation gets there that returns the bits. */
  size_t printed_count;
  uint64_t printed[PRINTED_MAX]; /* Distinct results; any NaN is one. */
} visit_t;

static bool flushes_inputs(const contract_t *contract) {
  return PERMITTED(contract, ftz) == FTZ_INPUTS || PERMITTED(contract, ftz) == FTZ_BOTH;
}

static bool flushes_outputs(const contract_t *contract) {
  return PERMITTED(contract, ftz) == FTZ_OUTPUTS || PERMITTED(contract, ftz) == FTZ_BOTH;
}

static bool is_same(const visit_t *visit, uint64_t a, uint64_t b) {
  const format_t *format = visit->format;
  if (format_is_nan(format, a) || format_is_nan(format, b)) {
    return format_is_nan(format, a) && format_is_nan(format, b);
  }
  bool are_zeros = format_is_zero(format, a) && format_is_zero(format, b);
  return a == b || (are_zeros && PERMITTED(visit->contract, zero_sign) == ZERO_SIGN_ANY);
}

static void visit_bits(visit_t *visit, uint64_t bits, const char *by) {
  if (!visit->conforms && is_same(visit, bits, visit->bits)) {
    visit->conforms = true;
    visit->by = by;
  }
  for (size_t i = 0; i < visit->printed_count; i++) {
    if (is_same(visit, visit->printed[i], bits)) return;
  }
  if (visit->printed_count < PRINTED_MAX) visit->printed[visit->printed_count++] = bits;
  double value = format_to_double(visit->format, bits);
  if (!isfinite(value) || !mpfr_number_p(visit->exact)) return;
  mpfr_t distance;
  mpfr_init2(distance, mpfr_get_prec(visit->exact));
  mpfr_set_d(distance, value, MPFR_RNDN);
  mpfr_sub(distance, distance, visit->exact, MPFR_RNDA);
  mpfr_abs(distance, distance, MPFR_RNDN);
  mpfr_max(visit->farthest, visit->farthest, distance, MPFR_RNDN);
  mpfr_clear(distance);
}

/* One value, rounded to the format at last: `truncates` if that is an addition in the format. */
static void visit_value(visit_t *visit, mpfr_srcptr value, bool truncates, const char *by) {
  const format_t *format = visit->format;
  uint64_t bits = format_from_mpfr(format, value, ROUNDING_NEAREST_EVEN, OVERFLOW_FORMAT);
  visit_bits(visit, bits, by);
  if (truncates && PERMITTED(visit->contract, accum_rounding) == ACCUM_ROUNDING_RZ &&
      mpfr_number_p(value)) {
    bits = format_from_mpfr(format, value, ROUNDING_TOWARD_ZERO, OVERFLOW_SATURATE);
    visit_bits(visit, bits, "accum_rounding=rz");
  }
  bool is_flushed = flushes_outputs(visit->contract) &&
                    (format_is_subnormal(format, bits) || mpfr_is_tiny(value, format));
  if (!is_flushed) return;
  visit_bits(visit, format_from_double(format, mpfr_signbit(value) ? -0.0 : 0.0),
             "subnormal result flushed");
}

/* ---- Products -------------------------------------------------------------------------------- */

/* What a product may be when it is added. */
typedef struct addends {
  size_t count;
  mpfr_t values[ADDENDS_MAX];
  const char *by[ADDENDS_MAX];
  bool is_fused[ADDENDS_MAX]; /* Not rounded at all; of both products only one may be. */
} addends_t;

static mpfr_ptr new_addend(addends_t *addends, mpfr_srcptr value, const char *by, bool is_fused) {
  g_assert(addends->count < ADDENDS_MAX);
  size_t index = addends->count++;
  mpfr_init2(addends->values[index], mpfr_get_prec(value));
  mpfr_set(addends->values[index], value, MPFR_RNDN);
  addends->by[index] = by;
  addends->is_fused[index] = is_fused;
  return addends->values[index];
}

/* To that many bits, where numbers have no least or largest one. */
static void round_to_width(mpfr_ptr value, mpfr_prec_t width) {
  mpfr_prec_t precision = mpfr_get_prec(value);
  mpfr_prec_round(value, width, MPFR_RNDN);
  mpfr_prec_round(value, precision, MPFR_RNDN);
}

/* Wider nodes have three bits or more beyond the format's; a product needs twice as many, and a
 * sum of two with more than that rounds like the exact one, or beside a tie of fewer bits, which
 * the least widths show. */
static mpfr_prec_t least_width(const format_t *format) { return format->precision + 3; }
static mpfr_prec_t most_width(const format_t *format) { return 2 * format->precision + 2; }

static void add_rounded_product(const visit_t *visit, mpfr_srcptr product, addends_t *addends) {
  const format_t *format = visit->format;
  uint64_t bits = format_from_mpfr(format, product, ROUNDING_NEAREST_EVEN, OVERFLOW_FORMAT);
  mpfr_ptr rounded = new_addend(addends, product, "", false);
  mpfr_set_d(rounded, format_to_double(format, bits), MPFR_RNDN);
  bool is_flushed = flushes_outputs(visit->contract) && mpfr_number_p(product) &&
                    (format_is_subnormal(format, bits) || mpfr_is_tiny(product, format));
  if (!is_flushed) return;
  mpfr_ptr zero = new_addend(addends, product, "subnormal product flushed", false);
  mpfr_set_zero(zero, mpfr_signbit(product) ? -1 : 1);
}

static void make_addends(const visit_t *visit, double left, double right, bool is_wide,
                         addends_t *out_addends) {
  const format_t *format = visit->format;
  *out_addends = (addends_t){.count = 0};
  mpfr_t product;
  mpfr_init2(product, mpfr_get_prec(visit->exact));
  mpfr_set_d(product, left, MPFR_RNDN);
  mpfr_mul_d(product, product, right, MPFR_RNDN);
  add_rounded_product(visit, product, out_addends);
  if (PERMITTED(visit->contract, fma) == FMA_YES) new_addend(out_addends, product, "fma=yes", true);
  mpfr_t node;
  mpfr_init2(node, mpfr_get_prec(product));
  for (mpfr_prec_t width = most_width(format); is_wide && width >= least_width(format); width--) {
    mpfr_set(node, product, MPFR_RNDN);
    round_to_width(node, width);
    mpfr_ptr last = out_addends->values[out_addends->count - 1];
    bool is_known = width < most_width(format) && mpfr_equal_p(node, last);
    if (!is_known) new_addend(out_addends, node, "accum_wider=yes", false);
  }
  mpfr_clears(product, node, (mpfr_ptr)NULL);
}

static void free_addends(addends_t *addends) {
  for (size_t i = 0; i < addends->count; i++) mpfr_clear(addends->values[i]);
}

/* ---- Sums ------------------------------------------------------------------------------------ */

/* In the format, or in wider nodes too, with a conversion at last. */
static void visit_sum(visit_t *visit, mpfr_srcptr left, mpfr_srcptr right, bool is_wide,
                      const char *by) {
  mpfr_t sum, node;
  mpfr_inits2(mpfr_get_prec(visit->exact), sum, node, (mpfr_ptr)NULL);
  mpfr_add(sum, left, right, MPFR_RNDN);
  visit_value(visit, sum, true, by);
  const format_t *format = visit->format;
  bool rounds = is_wide && mpfr_regular_p(sum);
  for (mpfr_prec_t width = least_width(format); rounds && width <= most_width(format); width++) {
    mpfr_set(node, sum, MPFR_RNDN);
    round_to_width(node, width);
    rounds = !mpfr_equal_p(node, sum); /* So do all greater widths hold it. */
    if (rounds) visit_value(visit, node, false, "accum_wider=yes");
  }
  mpfr_clears(sum, node, (mpfr_ptr)NULL);
}

static void visit_formula(visit_t *visit, const factors_t *factors, bool is_wide,
                          const char *variant) {
  addends_t *addends = g_new(addends_t, 2);
  for (int i = 0; i < 2; i++) {
    make_addends(visit, factors->left[i], factors->right[i], is_wide, &addends[i]);
  }
  for (size_t i = 0; i < addends[0].count; i++) {
    for (size_t k = 0; k < addends[1].count; k++) {
      if (visit->conforms && is_wide) break;
      if (addends[0].is_fused[i] && addends[1].is_fused[k]) continue;
      const char *by = addends[0].by[i][0] != '\0' ? addends[0].by[i] : addends[1].by[k];
      visit_sum(visit, addends[0].values[i], addends[1].values[k], is_wide,
                by[0] != '\0' ? by : variant);
    }
  }
  for (int i = 0; i < 2; i++) free_addends(&addends[i]);
  g_free(addends);
}

/* ---- Infinities ------------------------------------------------------------------------------ */

static bool is_infinite(complex_number_t x) { return isinf(x.real) || isinf(x.imaginary); }

/* An infinite number as a direction: its parts as 1 or 0 with their signs. */
static complex_number_t direction_of(complex_number_t x) {
  return (complex_number_t){copysign(isinf(x.real) ? 1 : 0, x.real),
                            copysign(isinf(x.imaginary) ? 1 : 0, x.imaginary)};
}

static complex_number_t without_nan(complex_number_t x) {
  return (complex_number_t){isnan(x.real) ? copysign(0, x.real) : x.real,
                            isnan(x.imaginary) ? copysign(0, x.imaginary) : x.imaginary};
}

/* The four products: of real parts, of imaginary ones, and of one of each. */
typedef struct products {
  double ac, bd, ad, bc;
} products_t;

static products_t multiply_parts(const format_t *format, complex_number_t x, complex_number_t y) {
  const arithmetic_t steps = arithmetic_make(format);
  return (products_t){.ac = arithmetic_multiply(&steps, x.real, y.real),
                      .bd = arithmetic_multiply(&steps, x.imaginary, y.imaginary),
                      .ad = arithmetic_multiply(&steps, x.real, y.imaginary),
                      .bc = arithmetic_multiply(&steps, x.imaginary, y.real)};
}

bool elementwise_recover_product(const format_t *format, const double left[2],
                                 const double right[2], double out_parts[2]) {
  const complex_number_t x = {left[0], left[1]}, y = {right[0], right[1]};
  products_t products = multiply_parts(format, x, y);
  if (!isnan(products.ac - products.bd) || !isnan(products.ad + products.bc)) return false;
  bool is_left = is_infinite(x), is_right = is_infinite(y);
  bool overflows =
      isinf(products.ac) || isinf(products.bd) || isinf(products.ad) || isinf(products.bc);
  if (!is_left && !is_right && !overflows) return false;
  products = multiply_parts(format, is_left ? direction_of(x) : without_nan(x),
                            is_right ? direction_of(y) : without_nan(y));
  out_parts[0] = (double)INFINITY * (products.ac - products.bd);
  out_parts[1] = (double)INFINITY * (products.ad + products.bc);
  return true;
}

static void visit_recovered(visit_t *visit, complex_number_t x, complex_number_t y, int part) {
  const double left[2] = {x.real, x.imaginary}, right[2] = {y.real, y.imaginary};
  double recovered[2];
  if (PERMITTED(visit->contract, complex_infinity) != COMPLEX_INFINITY_RECOVERED) return;
  if (!elementwise_recover_product(visit->format, left, right, recovered)) return;
  uint64_t bits = format_from_double(visit->format, recovered[part]);
  visit_bits(visit, bits, "complex_infinity=recovered");
}

/* ---- The answer ------------------------------------------------------------------------------ */

static factors_t factors_of(complex_number_t x, complex_number_t y, int part) {
  if (part == 0) return (factors_t){{x.real, -x.imaginary}, {y.real, y.imaginary}};
  return (factors_t){{x.real, x.imaginary}, {y.imaginary, y.real}};
}

static bool is_subnormal(const format_t *format, double value) {
  return value != 0 && fabs(value) < format_smallest_normal(format);
}

/* x* and the sum of |terms|, of which one that is not finite makes an infinity or a NaN. */
static void find_exact(const factors_t *factors, mpfr_ptr exact, mpfr_ptr magnitude) {
  mpfr_t term;
  mpfr_init2(term, mpfr_get_prec(exact));
  mpfr_set_zero(exact, 1);
  mpfr_set_zero(magnitude, 1);
  for (int i = 0; i < 2; i++) {
    mpfr_set_d(term, factors->left[i], MPFR_RNDN);
    mpfr_mul_d(term, term, factors->right[i], MPFR_RNDN);
    mpfr_add(exact, exact, term, MPFR_RNDN);
    mpfr_abs(term, term, MPFR_RNDN);
    mpfr_add(magnitude, magnitude, term, MPFR_RNDU);
  }
  mpfr_clear(term);
}

/* What any widths of the nodes may err by together: theory.md, T35. */
static void bound_wider(const visit_t *visit, mpfr_srcptr magnitude, mpfr_ptr out_bound) {
  const format_t *format = visit->format;
  mpfr_mul_d(out_bound, magnitude, 5 * format_unit_roundoff(format), MPFR_RNDU);
  mpfr_add_d(out_bound, out_bound, 2 * format_smallest(format), MPFR_RNDU);
  if (!flushes_outputs(visit->contract)) return;
  mpfr_add_d(out_bound, out_bound, 3 * format_smallest_normal(format), MPFR_RNDU);
}

/* Whether wider nodes may give the bits that are asked about: numbers lie within the bound, and
 * infinities come of products that overflow, or that are infinite.  (Wider nodes give no NaN that
 * the format does not.) */
static bool wider_may_reach(const visit_t *visit, const factors_t *factors) {
  const format_t *format = visit->format;
  double got = format_to_double(format, visit->bits);
  double largest = format_to_double(format, format->largest_bits);
  if (PERMITTED(visit->contract, accum_wider) != ACCUM_WIDER_YES || isnan(got)) return false;
  mpfr_t exact, magnitude, bound;
  mpfr_inits2(mpfr_get_prec(visit->exact), exact, magnitude, bound, (mpfr_ptr)NULL);
  find_exact(factors, exact, magnitude);
  bool may = isinf(got) && mpfr_cmp_d(magnitude, largest) >= 0;
  if (isfinite(got) && mpfr_number_p(magnitude)) {
    bound_wider(visit, magnitude, bound);
    mpfr_sub_d(exact, exact, got, MPFR_RNDN);
    may = mpfr_cmpabs(exact, bound) <= 0;
  }
  mpfr_clears(exact, magnitude, bound, (mpfr_ptr)NULL);
  return may;
}

static void visit_variant(visit_t *visit, complex_number_t x, complex_number_t y, int part,
                          const char *variant) {
  const factors_t factors = factors_of(x, y, part);
  visit_formula(visit, &factors, false, variant);
  visit_recovered(visit, x, y, part);
  bool is_wide = !visit->conforms && wider_may_reach(visit, &factors);
  if (is_wide) visit_formula(visit, &factors, true, variant);
}

/* The operands as they are, and with each choice of subnormal parts taken as zeros. */
static void visit_variants(visit_t *visit, complex_number_t x, complex_number_t y, int part) {
  double parts[4] = {x.real, x.imaginary, y.real, y.imaginary};
  for (unsigned flushed = 0; flushed < VARIANTS_MAX; flushed++) {
    double taken[4];
    bool is_variant = flushed == 0 || flushes_inputs(visit->contract);
    for (unsigned i = 0; i < 4; i++) {
      bool is_taken_as_zero = (flushed >> i & 1) != 0;
      taken[i] = is_taken_as_zero ? copysign(0, parts[i]) : parts[i];
      if (is_taken_as_zero && !is_subnormal(visit->format, parts[i])) is_variant = false;
    }
    if (!is_variant) continue;
    visit_variant(visit, (complex_number_t){taken[0], taken[1]},
                  (complex_number_t){taken[2], taken[3]}, part,
                  flushed == 0 ? "" : "subnormal operand flushed");
  }
}

static void describe(const visit_t *visit, answer_t *out_answer) {
  const format_t *format = visit->format;
  g_autoptr(GString) text = g_string_new(NULL);
  bool are_nan = true, are_infinite = true;
  for (size_t i = 0; i < visit->printed_count; i++) {
    uint64_t bits = visit->printed[i];
    are_nan = are_nan && format_is_nan(format, bits);
    are_infinite = are_infinite && format_is_infinity(format, bits);
    if (i > 0) g_string_append(text, " or ");
    if (format_is_nan(format, bits)) {
      g_string_append(text, "NaN");
    } else {
      g_string_append_printf(text, "%a", format_to_double(format, bits));
    }
  }
  out_answer->conforms = visit->conforms;
  out_answer->nan_expected = are_nan;
  out_answer->infinity_expected = are_infinite;
  g_strlcpy(out_answer->expected, text->str, sizeof out_answer->expected);
  if (visit->conforms) g_strlcpy(out_answer->observed, visit->by, sizeof out_answer->observed);
}

void elementwise_product_decide(const format_t *format, const complex_pair_t *pair, int part,
                                const contract_t *contract, uint64_t bits, answer_t *out_answer) {
  mpfr_t exact, magnitude, farthest;
  mpfr_inits2(exact_sum_precision(format), exact, magnitude, farthest, (mpfr_ptr)NULL);
  mpfr_set_zero(farthest, 1);
  const complex_number_t x = {pair->left[0], pair->left[1]}, y = {pair->right[0], pair->right[1]};
  const factors_t factors = factors_of(x, y, part);
  find_exact(&factors, exact, magnitude);
  visit_t visit = {
      .format = format, .contract = contract, .bits = bits, .exact = exact, .farthest = farthest};
  visit_variants(&visit, x, y, part);
  *out_answer = (answer_t){.conforms = false};
  describe(&visit, out_answer);
  if (mpfr_number_p(exact) && mpfr_number_p(magnitude)) {
    mpfr_t bound;
    mpfr_init2(bound, mpfr_get_prec(exact));
    bound_wider(&visit, magnitude, bound);
    bool is_wider = PERMITTED(contract, accum_wider) == ACCUM_WIDER_YES;
    if (is_wider) mpfr_max(farthest, farthest, bound, MPFR_RNDU);
    answer_measure(out_answer, format, bits, exact, farthest, magnitude);
    mpfr_clear(bound);
  }
  mpfr_clears(exact, magnitude, farthest, (mpfr_ptr)NULL);
}
