/* SPDX-License-Identifier: Apache-2.0 */
/* How far the polynomials of kernel_erf() and kernel_erfc() are off, proven and not sampled
 * (theory.md, T295): a polynomial is at most the sum of the magnitudes of its coefficients by
 * Chebyshev polynomials.  Numbers have 400 bits here, so that what they round is nothing. */
#include <glib.h>
#include <mpfr.h>

#include "oracles/formula/elementary_kernels.h"

enum { PRECISION = 400, TERMS_MAX = 48, TAYLOR_TERMS = 40 };

/* By powers of its variable, or by Chebyshev polynomials. */
typedef struct polynomial {
  int count;
  mpfr_t terms[TERMS_MAX];
} polynomial_t;

static void init(polynomial_t *p) {
  p->count = 0;
  for (int i = 0; i < TERMS_MAX; i++) {
    mpfr_init2(p->terms[i], PRECISION);
    mpfr_set_zero(p->terms[i], 1);
  }
}

static void clear(polynomial_t *p) {
  for (int i = 0; i < TERMS_MAX; i++) mpfr_clear(p->terms[i]);
}

static void set_terms(polynomial_t *p, const double *terms, int count) {
  p->count = count;
  for (int i = 0; i < count; i++) mpfr_set_d(p->terms[i], terms[i], MPFR_RNDN);
}

static void derive(const polynomial_t *p, polynomial_t *out) {
  out->count = p->count - 1;
  for (int i = 0; i < out->count; i++) {
    mpfr_mul_ui(out->terms[i], p->terms[i + 1], (unsigned long)i + 1, MPFR_RNDN);
  }
}

/* p += factor * q */
static void add_multiple(polynomial_t *p, const polynomial_t *q, double factor) {
  mpfr_t part;
  mpfr_init2(part, PRECISION);
  p->count = MAX(p->count, q->count);
  for (int i = 0; i < q->count; i++) {
    mpfr_mul_d(part, q->terms[i], factor, MPFR_RNDN);
    mpfr_add(p->terms[i], p->terms[i], part, MPFR_RNDN);
  }
  mpfr_clear(part);
}

/* p *= start + slope * its variable */
static void multiply_linear(polynomial_t *p, mpfr_srcptr start, mpfr_srcptr slope) {
  mpfr_t part;
  mpfr_init2(part, PRECISION);
  g_assert_cmpint(p->count, <, TERMS_MAX);
  for (int i = p->count; i >= 0; i--) {
    mpfr_mul(p->terms[i], p->terms[i], start, MPFR_RNDN);
    if (i == 0) continue;
    mpfr_mul(part, p->terms[i - 1], slope, MPFR_RNDN);
    mpfr_add(p->terms[i], p->terms[i], part, MPFR_RNDN);
  }
  p->count++;
  mpfr_clear(part);
}

/* The same of a sum of Chebyshev polynomials: x T_i(x) is the mean of T_(i - 1) and T_(i + 1). */
static void multiply_chebyshev(polynomial_t *p, mpfr_srcptr start, mpfr_srcptr slope) {
  polynomial_t sum;
  mpfr_t part;
  init(&sum);
  mpfr_init2(part, PRECISION);
  g_assert_cmpint(p->count, <, TERMS_MAX);
  for (int i = 0; i < p->count; i++) {
    mpfr_mul(part, p->terms[i], start, MPFR_RNDN);
    mpfr_add(sum.terms[i], sum.terms[i], part, MPFR_RNDN);
    mpfr_mul(part, p->terms[i], slope, MPFR_RNDN);
    mpfr_div_2ui(part, part, 1, MPFR_RNDN);
    mpfr_add(sum.terms[i + 1], sum.terms[i + 1], part, MPFR_RNDN);
    int below = i == 0 ? 1 : i - 1;
    mpfr_add(sum.terms[below], sum.terms[below], part, MPFR_RNDN);
  }
  p->count++;
  for (int i = 0; i < p->count; i++) mpfr_set(p->terms[i], sum.terms[i], MPFR_RNDN);
  mpfr_clear(part);
  clear(&sum);
}

/* Not less than the magnitude of p, which is given by powers, wherever its variable is start +
 * slope * w, |w| <= 1. */
static double most_of(const polynomial_t *p, double start, double slope) {
  polynomial_t sum;
  mpfr_t from, to, most;
  init(&sum);
  mpfr_inits2(PRECISION, from, to, most, (mpfr_ptr)0);
  mpfr_set_d(from, start, MPFR_RNDN);
  mpfr_set_d(to, slope, MPFR_RNDN);
  for (int i = p->count - 1; i >= 0; i--) {
    if (sum.count > 0) multiply_chebyshev(&sum, from, to);
    sum.count = MAX(sum.count, 1);
    mpfr_add(sum.terms[0], sum.terms[0], p->terms[i], MPFR_RNDN);
  }
  mpfr_set_zero(most, 1);
  for (int i = 0; i < sum.count; i++) {
    mpfr_abs(from, sum.terms[i], MPFR_RNDU);
    mpfr_add(most, most, from, MPFR_RNDU);
  }
  double result = mpfr_get_d(most, MPFR_RNDU);
  mpfr_clears(from, to, most, (mpfr_ptr)0);
  clear(&sum);
  return result;
}

/* 2 / sqrt(pi) */
static void set_factor(mpfr_ptr out) {
  mpfr_const_pi(out, MPFR_RNDN);
  mpfr_rec_sqrt(out, out, MPFR_RNDN);
  mpfr_mul_2ui(out, out, 1, MPFR_RNDN);
}

/* ---- erf ------------------------------------------------------------------------------------- */

/* How far x times the polynomial of x^2 is from erf(x) at most, of |x|: its difference from the
 * series, and the first term that is left out there, which is more than all of them. */
static double erf_distance(const double *terms) {
  polynomial_t difference, series;
  mpfr_t factor;
  init(&difference);
  init(&series);
  mpfr_init2(factor, PRECISION);
  set_factor(factor);
  for (unsigned long k = 0; k <= TAYLOR_TERMS; k++) {
    mpfr_fac_ui(series.terms[k], k, MPFR_RNDN);
    mpfr_mul_ui(series.terms[k], series.terms[k], 2 * k + 1, MPFR_RNDN);
    mpfr_div(series.terms[k], factor, series.terms[k], MPFR_RNDN);
    if (k % 2 != 0) mpfr_neg(series.terms[k], series.terms[k], MPFR_RNDN);
  }
  series.count = TAYLOR_TERMS;
  set_terms(&difference, terms, KERNEL_ERF_TERMS);
  add_multiple(&difference, &series, -1);
  const double square = KERNEL_ERF_SMALL * KERNEL_ERF_SMALL;
  double rest = fabs(mpfr_get_d(series.terms[TAYLOR_TERMS], MPFR_RNDA));
  g_assert_cmpfloat(square, <=, 1);
  double most = most_of(&difference, square / 2, square / 2) + rest;
  mpfr_clear(factor);
  clear(&difference);
  clear(&series);
  return most;
}

/* erf(x) / x and erfc(x) fall, so that both are least at the end. */
static void test_erf(void) {
  mpfr_t end;
  mpfr_init2(end, PRECISION);
  double distance = erf_distance(kernel_erf_terms);
  mpfr_set_d(end, KERNEL_ERF_SMALL, MPFR_RNDN);
  mpfr_erf(end, end, MPFR_RNDD);
  double least = mpfr_get_d(end, MPFR_RNDD);
  mpfr_ui_sub(end, 1, end, MPFR_RNDD);
  double least_rest = mpfr_get_d(end, MPFR_RNDD);
  mpfr_clear(end);
  g_test_message("erf 2^%.2f, 1 - erf 2^%.2f", log2(distance / least), log2(distance / least_rest));
  g_assert_cmpfloat(distance / least, <, 0x1p-45);
  g_assert_cmpfloat(distance / least_rest, <, 0x1.8p-43);
}

/* ---- erfc ------------------------------------------------------------------------------------ */

/* With d = 1 / (x + 3) and u = SLOPE d + START let p = d q(u).  What is too much in p' = 2 x p - 2
 * / sqrt(pi), which x e^(x^2) erfc(x) satisfies, as a polynomial of u: p' = -d^2 (q + SLOPE d q'),
 * and x d = 1 - 3 d. */
static void find_residual(const double *terms, polynomial_t *out) {
  polynomial_t q, of_slope;
  mpfr_t start, slope, one, minus_start;
  init(&q);
  init(&of_slope);
  mpfr_inits2(PRECISION, start, slope, one, minus_start, (mpfr_ptr)0);
  mpfr_set_d(minus_start, -KERNEL_ERFC_START, MPFR_RNDN);
  mpfr_set_ui(one, 1, MPFR_RNDN);
  mpfr_div_d(start, minus_start, KERNEL_ERFC_SLOPE, MPFR_RNDN); /* d = start + slope u. */
  mpfr_div_d(slope, one, KERNEL_ERFC_SLOPE, MPFR_RNDN);
  set_terms(&q, terms, KERNEL_ERFC_TERMS);
  derive(&q, &of_slope);
  multiply_linear(&of_slope, minus_start, one); /* SLOPE d = u - START. */
  add_multiple(&of_slope, &q, 1);
  multiply_linear(&of_slope, start, slope);
  multiply_linear(&of_slope, start, slope);
  add_multiple(out, &of_slope, -1);
  add_multiple(out, &q, -2);
  multiply_linear(&q, start, slope);
  add_multiple(out, &q, 6);
  set_factor(one);
  mpfr_add(out->terms[0], out->terms[0], one, MPFR_RNDN);
  mpfr_clears(start, slope, one, minus_start, (mpfr_ptr)0);
  clear(&q);
  clear(&of_slope);
}

/* How far e^(-x^2) d q(u) is from erfc(x) at most, relative, where it starts and ends and between.
 */
static double erfc_distance(const double *terms) {
  polynomial_t residual;
  init(&residual);
  find_residual(terms, &residual);
  /* u may be a little outside, as SLOPE and START are rounded; sqrt(pi) / 2 is less than 0.8863. */
  double most = most_of(&residual, 0, 1 + 0x1p-40) * 0.8863;
  clear(&residual);
  return most;
}

/* The same at x alone. */
static double erfc_error_at(const double *terms, double x) {
  mpfr_t inverse, u, sum, exact, square;
  mpfr_inits2(PRECISION, inverse, u, sum, exact, square, (mpfr_ptr)0);
  mpfr_set_d(inverse, x + 3, MPFR_RNDN);
  mpfr_ui_div(inverse, 1, inverse, MPFR_RNDN);
  mpfr_mul_d(u, inverse, KERNEL_ERFC_SLOPE, MPFR_RNDN);
  mpfr_add_d(u, u, KERNEL_ERFC_START, MPFR_RNDN);
  g_assert_cmpfloat(fabs(mpfr_get_d(u, MPFR_RNDN)), <=, 1 + 0x1p-41);
  mpfr_set_zero(sum, 1);
  for (int k = KERNEL_ERFC_TERMS - 1; k >= 0; k--) {
    mpfr_mul(sum, sum, u, MPFR_RNDN);
    mpfr_add_d(sum, sum, terms[k], MPFR_RNDN);
  }
  mpfr_mul(sum, sum, inverse, MPFR_RNDN);
  mpfr_set_d(exact, x, MPFR_RNDN);
  mpfr_sqr(square, exact, MPFR_RNDN);
  mpfr_exp(square, square, MPFR_RNDN);
  mpfr_erfc(exact, exact, MPFR_RNDN);
  mpfr_mul(exact, exact, square, MPFR_RNDN);
  mpfr_div(sum, sum, exact, MPFR_RNDN);
  mpfr_sub_ui(sum, sum, 1, MPFR_RNDN);
  double error = fabs(mpfr_get_d(sum, MPFR_RNDA));
  mpfr_clears(inverse, u, sum, exact, square, (mpfr_ptr)0);
  return error;
}

static void test_erfc(void) {
  const int steps = 2000;
  double between = erfc_distance(kernel_erfc_terms), worst = 0;
  double at_end = erfc_error_at(kernel_erfc_terms, KERNEL_ERFC_MAX);
  for (int i = 0; i <= steps; i++) {
    double x = KERNEL_ERF_SMALL + (KERNEL_ERFC_MAX - KERNEL_ERF_SMALL) * i / steps;
    worst = fmax(worst, erfc_error_at(kernel_erfc_terms, x));
  }
  g_test_message("erfc 2^%.2f, at the end 2^%.2f, found 2^%.2f", log2(between), log2(at_end),
                 log2(worst));
  g_assert_cmpfloat(between, <, 0x1p-42);
  g_assert_cmpfloat(at_end, <, 0x1p-42);
  g_assert_cmpfloat(worst, <=, fmax(between, at_end));
}

/* A term that is off by less than binary32 sees shows in both. */
static void test_wrong_terms(void) {
  for (int i = 0; i < KERNEL_ERF_TERMS; i++) {
    double terms[KERNEL_ERF_TERMS];
    for (int k = 0; k < KERNEL_ERF_TERMS; k++) terms[k] = kernel_erf_terms[k];
    terms[i] += 0x1p-38;
    g_assert_cmpfloat(erf_distance(terms), >, 0x1p-40);
  }
  for (int i = 0; i < KERNEL_ERFC_TERMS; i++) {
    double terms[KERNEL_ERFC_TERMS];
    for (int k = 0; k < KERNEL_ERFC_TERMS; k++) terms[k] = kernel_erfc_terms[k];
    terms[i] += 0x1p-38;
    g_assert_cmpfloat(erfc_distance(terms), >, 0x1p-40);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/erf-bounds/erf", test_erf);
  g_test_add_func("/erf-bounds/erfc", test_erfc);
  g_test_add_func("/erf-bounds/wrong-terms", test_wrong_terms);
  return g_test_run();
}
