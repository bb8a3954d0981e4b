/* SPDX-License-Identifier: Apache-2.0 */
/* Rounded enclosures of every format against MPFR: their ends are never on the wrong side of the
 * exact ones, nor further off than enclosure_round.h says. */
#include <glib.h>
#include <math.h>
#include <mpfr.h>

#include "harness/base/rng.h"
#include "oracles/exact/matmul/kernels.h"

enum { COUNT = 397, PRECISION = 2600 }; /* A count that no vector width divides. */

static const char *const kernel_names[] = {"portable", "avx2", "avx512"};

typedef struct values {
  double reference[COUNT], magnitude[COUNT], low[COUNT], high[COUNT];
  double tail[COUNT];       /* The truth. */
  double given_tail[COUNT]; /* Off by as much as it may. */
} values_t;

static double draw_signed_unit(rng_t *rng) { return (double)(int64_t)rng_bits(rng) * 0x1p-63; }

/* Numbers of the format, middles between two, neighbours of both, and any others in its range. */
static double draw_reference(rng_t *rng, const format_t *format) {
  int highest = MIN(format->exponent_max, 990); /* Leaves the magnitudes room. */
  int binade = (int)rng_between(rng, format->exponent_min - format->precision - 1, highest);
  double any = ldexp(draw_signed_unit(rng), binade);
  if (fabs(any) < 0x1p-900) return 0; /* Outside the window of the kernels. */
  double middle = any;
  if (format->precision < 50 && any != 0) {
    double ulp = ldexp(1, format_ulp_exponent(format, ilogb(any)) - 1);
    middle = nearbyint(any / ulp) * ulp; /* A number of the format, or halfway between two. */
  }
  switch (rng_below(rng, 4)) {
    case 0:
      return any;
    case 1:
      return middle == 0 ? 0 : nextafter(middle, INFINITY);
    default:
      return middle;
  }
}

static double draw_tail(rng_t *rng, double reference) {
  if (reference == 0 || rng_one_in(rng, 3)) return 0;
  double half_ulp = ldexp(1, ilogb(reference) - 53);
  if (fabs(reference) == ldexp(1, ilogb(reference))) half_ulp /= 2; /* As it is below. */
  switch (rng_below(rng, 3)) {
    case 0:
      return half_ulp * draw_signed_unit(rng);
    case 1:
      return half_ulp * 0x1p-40 * draw_signed_unit(rng);
    default:
      return rng_one_in(rng, 2) ? half_ulp : -half_ulp;
  }
}

static void draw_values(rng_t *rng, const format_t *format, values_t *values) {
  for (size_t i = 0; i < COUNT; i++) {
    values->reference[i] = draw_reference(rng, format);
    values->tail[i] = draw_tail(rng, values->reference[i]);
    values->given_tail[i] = values->tail[i] * (1 + (double)rng_between(rng, -4, 4) * 0x1p-52);
    values->magnitude[i] = fabs(values->reference[i]) * (1 + (double)rng_below(rng, 50));
    if (rng_one_in(rng, 50)) values->magnitude[i] = 0;
  }
}

/* The exact end rounded, by dividing by the ulp and rounding to an integer. */
static double rounded(const format_t *format, mpfr_t exact, mpfr_rnd_t rounding, mpfr_t scratch) {
  double largest = format_to_double(format, format->largest_bits);
  if (mpfr_zero_p(exact)) return 0;
  int ulp = format_ulp_exponent(format, (int)mpfr_get_exp(exact) - 1);
  mpfr_mul_2si(scratch, exact, -ulp, MPFR_RNDN);
  mpfr_rint(scratch, scratch, rounding);
  mpfr_mul_2si(scratch, scratch, ulp, MPFR_RNDN);
  double value = mpfr_get_d(scratch, MPFR_RNDN); /* Exact, or beyond the largest. */
  return fmax(-largest, fmin(largest, value));
}

typedef struct exact_ends {
  mpfr_t x, permitted, slack, end, scratch;
} exact_ends_t;

/* x* - E or x* + E, moved by `slack_share` of the slack. */
static double exact_end(exact_ends_t *ends, const format_t *format, int side, int slack_share,
                        mpfr_rnd_t rounding) {
  if (side < 0) mpfr_sub(ends->end, ends->x, ends->permitted, MPFR_RNDN);
  if (side > 0) mpfr_add(ends->end, ends->x, ends->permitted, MPFR_RNDN);
  mpfr_mul_si(ends->scratch, ends->slack, slack_share, MPFR_RNDN);
  mpfr_add(ends->end, ends->end, ends->scratch, MPFR_RNDN);
  return rounded(format, ends->end, rounding, ends->scratch);
}

/* The exact x*, E and slack of value i. */
static void set_exact(exact_ends_t *ends, const enclosure_t *enclosure, const values_t *values,
                      size_t i) {
  mpfr_set_d(ends->x, values->reference[i], MPFR_RNDN);
  mpfr_add_d(ends->x, ends->x, values->tail[i], MPFR_RNDN);
  mpfr_set_d(ends->permitted, values->magnitude[i], MPFR_RNDN);
  if (enclosure->side == ENCLOSURE_INSIDE) { /* What the magnitude may have too much. */
    mpfr_set_d(ends->scratch, 1 + 0x1p-10, MPFR_RNDN);
    mpfr_div(ends->permitted, ends->permitted, ends->scratch, MPFR_RNDN);
  }
  mpfr_mul_d(ends->permitted, ends->permitted, enclosure->factor, MPFR_RNDN);
  mpfr_add_d(ends->permitted, ends->permitted, enclosure->offset, MPFR_RNDN);
  mpfr_set_d(ends->slack, fabs(values->tail[i]), MPFR_RNDN);
  mpfr_add(ends->slack, ends->slack, ends->permitted, MPFR_RNDN);
  mpfr_mul_2si(ends->slack, ends->slack, -49, MPFR_RNDN);
  if (enclosure->reference_tail == NULL) {
    mpfr_set_d(ends->scratch, fabs(values->reference[i]), MPFR_RNDN);
    mpfr_mul_2si(ends->scratch, ends->scratch, -52, MPFR_RNDN);
    mpfr_add(ends->slack, ends->slack, ends->scratch, MPFR_RNDN);
  }
  if (enclosure->side == ENCLOSURE_INSIDE) {
    mpfr_mul_2si(ends->scratch, ends->permitted, -19, MPFR_RNDN); /* (1 - 2^-10) (1 + 2^-10) */
    mpfr_add(ends->slack, ends->slack, ends->scratch, MPFR_RNDN);
  }
}

/* Returns how many ends are as exact ends are. */
static size_t check_ends(const enclosure_t *enclosure, const values_t *values) {
  static const mpfr_rnd_t roundings[3][2] = {[ENCLOSURE_NEAREST] = {MPFR_RNDN, MPFR_RNDN},
                                             [ENCLOSURE_OUTWARD] = {MPFR_RNDD, MPFR_RNDU},
                                             [ENCLOSURE_INWARD] = {MPFR_RNDU, MPFR_RNDD}};
  exact_ends_t ends;
  mpfr_inits2(PRECISION, ends.x, ends.permitted, ends.slack, ends.end, ends.scratch, (mpfr_ptr)0);
  const mpfr_rnd_t *rounding = roundings[enclosure->ends];
  int outside = enclosure->side == ENCLOSURE_OUTSIDE ? 1 : -1;
  size_t equal = 0;
  for (size_t i = 0; i < COUNT; i++) {
    set_exact(&ends, enclosure, values, i);
    double low = exact_end(&ends, enclosure->format, -1, 0, rounding[0]);
    double high = exact_end(&ends, enclosure->format, 1, 0, rounding[1]);
    double slack_low = exact_end(&ends, enclosure->format, -1, -outside, rounding[0]);
    double slack_high = exact_end(&ends, enclosure->format, 1, outside, rounding[1]);
    double got_low = values->low[i], got_high = values->high[i];
    bool right =
        outside > 0
            ? got_low <= low && got_high >= high && got_low >= slack_low && got_high <= slack_high
            : got_low >= low && got_high <= high && got_low <= slack_low && got_high >= slack_high;
    equal += (size_t)(got_low == low) + (size_t)(got_high == high);
    if (right) continue;
    g_error("%s ends %d side %d: x %a + %a, S %a, factor %a, offset %a: %a .. %a, not %a .. %a",
            enclosure->format->name, enclosure->ends, enclosure->side, values->reference[i],
            values->tail[i], values->magnitude[i], enclosure->factor, enclosure->offset, got_low,
            got_high, low, high);
  }
  mpfr_clears(ends.x, ends.permitted, ends.slack, ends.end, ends.scratch, (mpfr_ptr)0);
  return equal;
}

static void check_format(const exact_kernels_t *kernels, const format_t *format, rng_t *rng) {
  double ulps = ldexp(1, 1 - format->precision), tiny = ldexp(1, format->exponent_min);
  const double bounds[][2] = {
      {0, 0}, {ulps / 2, 0}, {ulps * 0x1.8p-3, 0}, {ulps * 100, tiny}, {0, tiny}};
  values_t values;
  size_t equal = 0, ends = 0;
  for (size_t variant = 0; variant < G_N_ELEMENTS(bounds) * 12; variant++) {
    draw_values(rng, format, &values);
    enclosure_t enclosure = {.count = COUNT,
                             .reference = values.reference,
                             .reference_tail = variant / 6 % 2 == 0 ? values.given_tail : NULL,
                             .magnitude = values.magnitude,
                             .factor = bounds[variant / 12][0],
                             .offset = bounds[variant / 12][1],
                             .format = format,
                             .ends = (enclosure_ends_t)(variant % 3),
                             .side = (enclosure_side_t)(variant / 3 % 2)};
    kernels->round_ends(&enclosure, values.low, values.high);
    size_t found = check_ends(&enclosure, &values);
    if (enclosure.reference_tail != NULL && enclosure.side == ENCLOSURE_OUTSIDE) {
      equal += found;
      ends += (size_t)2 * COUNT;
    }
  }
  g_assert_cmpuint(equal, >, ends / 10 * 9); /* With a tail nearly all are, but for ties. */
}

static void test_format(gconstpointer data) {
  const format_t *format = data;
  for (size_t i = 0; i < G_N_ELEMENTS(kernel_names); i++) {
    const exact_kernels_t *kernels = exact_kernels_named(kernel_names[i]);
    rng_t rng = rng_make(64u * format->precision + format->bits);
    if (kernels != NULL) check_format(kernels, format, &rng);
  }
}

/* Every end is a number of the format, also where the reference is beyond it or none. */
static void test_clamps_to_largest(void) {
  const format_t *format = &format_table[FORMAT_f16];
  double reference[] = {1e9, -1e9, 65519.9, INFINITY, -INFINITY, NAN, 1, -65504};
  double magnitude[G_N_ELEMENTS(reference)] = {0, 0, 0, 0, 0, 0, INFINITY, 0};
  double low[G_N_ELEMENTS(reference)], high[G_N_ELEMENTS(reference)];
  enclosure_t enclosure = {.count = G_N_ELEMENTS(reference),
                           .reference = reference,
                           .magnitude = magnitude,
                           .factor = 1,
                           .format = format};
  enclosure_round_ends(&enclosure, low, high);
  for (size_t i = 0; i < G_N_ELEMENTS(reference); i++) {
    g_assert_true(fabs(low[i]) <= 65504 && fabs(high[i]) <= 65504);
  }
  g_assert_true(low[0] == 65504 && high[1] == -65504 && high[2] == 65504);
  g_assert_true(low[6] == -65504 && high[6] == 65504);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/enclosure_round/clamp", test_clamps_to_largest);
  for (size_t i = 0; i < FORMAT_COUNT; i++) {
    if (i == FORMAT_f8E8M0FNU) continue;
    char *path = g_strdup_printf("/enclosure_round/%s", format_table[i].name);
    g_test_add_data_func(path, &format_table[i], test_format);
    g_free(path);
  }
  return g_test_run();
}
