/* SPDX-License-Identifier: Apache-2.0 */
/* Dequantizes and quantizes one element with MPFR set to the precision and exponent range of the
 * format, so that every step rounds as the format does. Independent of the binary64 version, which
 * it checks. */
#include "oracles/exact/quantum/quantize_mpfr.h"

#include <glib.h>
#include <math.h>
#include <mpfr.h>

/* MPFR numbers of a format's precision; while they are in use, MPFR's exponents are those of the
 * format, subnormal numbers included (MPFR manual, "Emulation of IEEE 754"). */
typedef struct steps {
  const format_t *format;
  mpfr_exp_t emin, emax; /* As they were before. */
  mpfr_t value, other, addend;
  mp_limb_t digits[3]; /* Theirs: no format has more than 53 bits. */
} steps_t;

static void number_init(mpfr_ptr out, mp_limb_t *digits, mpfr_prec_t precision) {
  mpfr_custom_init(digits, precision);
  mpfr_custom_init_set(out, MPFR_NAN_KIND, 0, precision, digits);
}

static void steps_init(steps_t *steps, const format_t *format) {
  steps->format = format;
  steps->emin = mpfr_get_emin();
  steps->emax = mpfr_get_emax();
  number_init(steps->value, &steps->digits[0], format->precision);
  number_init(steps->other, &steps->digits[1], format->precision);
  number_init(steps->addend, &steps->digits[2], format->precision);
  mpfr_set_emin(format->exponent_min - format->precision + 2);
  mpfr_set_emax(format->exponent_max + 1);
}

static void steps_deinit(const steps_t *steps) {
  mpfr_set_emin(steps->emin);
  mpfr_set_emax(steps->emax);
}

/* Ends a step: subnormal results are rounded once, and what is beyond the largest number becomes
 * what the format says. */
static void settle(const steps_t *steps, mpfr_t inout_value, int ternary) {
  const format_t *format = steps->format;
  mpfr_subnormalize(inout_value, ternary, MPFR_RNDN);
  if (format->specials == FORMAT_IEEE || mpfr_nan_p(inout_value)) return;
  double largest = format_to_double(format, format->largest_bits);
  if (mpfr_cmpabs_ui(inout_value, 0) == 0) {
    bool has_negative_zero = format_has_negative_zero(format);
    if (!has_negative_zero) mpfr_setsign(inout_value, inout_value, 0, MPFR_RNDN);
    return;
  }
  double magnitude = fabs(mpfr_get_d(inout_value, MPFR_RNDN));
  if (magnitude <= largest) return;
  if (format_has_nan(format)) {
    mpfr_set_nan(inout_value);
  } else {
    mpfr_set_d(inout_value, mpfr_signbit(inout_value) != 0 ? -largest : largest, MPFR_RNDN);
  }
}

static void set_integer(const steps_t *steps, mpfr_t out_value, int64_t integer) {
  settle(steps, out_value, mpfr_set_si(out_value, (long)integer, MPFR_RNDN));
}

double exact_dequantize(const quantum_t *quantum, const format_t *arithmetic, int64_t stored) {
  steps_t steps;
  steps_init(&steps, arithmetic);
  set_integer(&steps, steps.value, stored - quantum->zero_point);
  mpfr_set_d(steps.other, quantum->scale, MPFR_RNDN);
  int ternary = mpfr_mul(steps.value, steps.value, steps.other, MPFR_RNDN);
  settle(&steps, steps.value, ternary);
  double value = mpfr_get_d(steps.value, MPFR_RNDN);
  steps_deinit(&steps);
  return value;
}

double exact_dequantize_distributed(const quantum_t *quantum, const format_t *arithmetic,
                                    int64_t stored, bool is_fused) {
  steps_t steps;
  steps_init(&steps, arithmetic);
  mpfr_set_d(steps.other, quantum->scale, MPFR_RNDN);
  set_integer(&steps, steps.addend, -quantum->zero_point);
  settle(&steps, steps.addend, mpfr_mul(steps.addend, steps.addend, steps.other, MPFR_RNDN));
  set_integer(&steps, steps.value, stored);
  int ternary;
  if (is_fused) {
    ternary = mpfr_fma(steps.value, steps.value, steps.other, steps.addend, MPFR_RNDN);
  } else {
    settle(&steps, steps.value, mpfr_mul(steps.value, steps.value, steps.other, MPFR_RNDN));
    ternary = mpfr_add(steps.value, steps.value, steps.addend, MPFR_RNDN);
  }
  settle(&steps, steps.value, ternary);
  double value = mpfr_get_d(steps.value, MPFR_RNDN);
  steps_deinit(&steps);
  return value;
}

/* A number below 2^62 in magnitude. */
static int64_t nearest_integer(mpfr_t value, bool ties_away) {
  if (ties_away)
    mpfr_round(value, value);           /* To an integer, of which the format has as many bits. */
  return mpfr_get_si(value, MPFR_RNDN); /* Ties to even. */
}

/* The same of any number; of those far beyond all storage ranges, one that is too. */
static int64_t nearest_within(mpfr_t value, bool ties_away) {
  const double far = 0x1p60;
  double near = CLAMP(mpfr_get_d(value, MPFR_RNDN), -far, far);
  return fabs(near) >= far ? (int64_t)near : nearest_integer(value, ties_away);
}

/* The integer nearest to what is clamped, which the format need not have; and the end of the range
 * that it is beyond. */
static size_t clamp_and_round(steps_t *steps, const quantum_t *quantum, bool ties_away,
                              int64_t out_stored[QUANTUM_CHOICES_MAX]) {
  set_integer(steps, steps->other, quantum->storage_min);
  bool is_nan = mpfr_nan_p(steps->other) != 0;
  if (mpfr_less_p(steps->value, steps->other)) mpfr_set(steps->value, steps->other, MPFR_RNDN);
  set_integer(steps, steps->other, quantum->storage_max);
  is_nan = is_nan || mpfr_nan_p(steps->other) != 0;
  if (mpfr_greater_p(steps->value, steps->other)) mpfr_set(steps->value, steps->other, MPFR_RNDN);
  if (is_nan) mpfr_set_nan(steps->value);
  if (mpfr_nan_p(steps->value) || mpfr_inf_p(steps->value)) return 0;
  int64_t whole = nearest_integer(steps->value, ties_away);
  out_stored[0] = CLAMP(whole, quantum->storage_min, quantum->storage_max);
  out_stored[1] = whole;
  if (whole == out_stored[0]) return 1;
  return whole < quantum->type_min || whole > quantum->type_max ? 0 : 2;
}

/* The quotient, rounded, with the zero point added to it: all integers are numbers enough. */
static size_t round_and_add(steps_t *steps, const quantum_t *quantum, bool ties_away,
                            int64_t out_stored[QUANTUM_CHOICES_MAX]) {
  if (mpfr_nan_p(steps->value)) return 0;
  int64_t whole = nearest_within(steps->value, ties_away);
  out_stored[0] = CLAMP(whole + quantum->zero_point, quantum->storage_min, quantum->storage_max);
  return 1;
}

/* x / s is a tie, a half of an integer, or differs from every tie that is an integer of 34 bits and
 * a half by 2^-(53 + 35) of itself or more; that of x / s + z from those of z likewise, by 2^-123:
 * so many bits tell on which side it is. */
static size_t quantize_unrounded(const quantum_t *quantum, quantize_way_t way, double value,
                                 int64_t out_stored[QUANTUM_CHOICES_MAX]) {
  enum { BITS = 256 };
  mp_limb_t digits[2][BITS / GMP_NUMB_BITS];
  mpfr_t quotient, scale;
  number_init(quotient, digits[0], BITS);
  number_init(scale, digits[1], BITS);
  mpfr_set_d(quotient, value, MPFR_RNDN);
  mpfr_set_d(scale, quantum->scale, MPFR_RNDN);
  mpfr_div(quotient, quotient, scale, MPFR_RNDN);
  if (mpfr_nan_p(quotient)) return 0;
  if (!way.zero_point_last) mpfr_add_si(quotient, quotient, (long)quantum->zero_point, MPFR_RNDN);
  int64_t whole = nearest_within(quotient, way.ties_away);
  if (way.zero_point_last) whole += quantum->zero_point;
  out_stored[0] = CLAMP(whole, quantum->storage_min, quantum->storage_max);
  return 1;
}

static size_t quantize_rounded(const quantum_t *quantum, const format_t *arithmetic,
                               quantize_way_t way, double value,
                               int64_t out_stored[QUANTUM_CHOICES_MAX]) {
  steps_t steps;
  int ternary;
  steps_init(&steps, arithmetic);
  mpfr_set_d(steps.value, value, MPFR_RNDN);
  mpfr_set_d(steps.other, quantum->scale, MPFR_RNDN);
  set_integer(&steps, steps.addend, quantum->zero_point);
  if (way.by_reciprocal) {
    ternary = mpfr_ui_div(steps.other, 1, steps.other, MPFR_RNDN);
    settle(&steps, steps.other, ternary);
  }
  if (way.is_fused) {
    ternary = mpfr_fma(steps.value, steps.value, steps.other, steps.addend, MPFR_RNDN);
  } else if (way.by_reciprocal) {
    ternary = mpfr_mul(steps.value, steps.value, steps.other, MPFR_RNDN);
  } else {
    ternary = mpfr_div(steps.value, steps.value, steps.other, MPFR_RNDN);
  }
  settle(&steps, steps.value, ternary);
  if (!way.is_fused && !way.zero_point_last) {
    ternary = mpfr_add(steps.value, steps.value, steps.addend, MPFR_RNDN);
    settle(&steps, steps.value, ternary);
  }
  size_t count = way.zero_point_last ? round_and_add(&steps, quantum, way.ties_away, out_stored)
                                     : clamp_and_round(&steps, quantum, way.ties_away, out_stored);
  steps_deinit(&steps);
  return count;
}

size_t exact_quantize_by(const quantum_t *quantum, const format_t *arithmetic, quantize_way_t way,
                         double value, int64_t out_stored[QUANTUM_CHOICES_MAX]) {
  if (way.width == QUANTIZE_UNROUNDED) return quantize_unrounded(quantum, way, value, out_stored);
  bool is_f64 = way.width == QUANTIZE_IN_F64;
  const format_t *format = is_f64 ? &format_table[FORMAT_f64] : arithmetic;
  return quantize_rounded(quantum, format, way, value, out_stored);
}

size_t exact_quantize(const quantum_t *quantum, const format_t *arithmetic, double value,
                      int64_t out_stored[QUANTUM_CHOICES_MAX]) {
  return exact_quantize_by(quantum, arithmetic, (quantize_way_t){.by_reciprocal = false}, value,
                           out_stored);
}

size_t quick_quantize_by(const quantum_t *quantum, const format_t *arithmetic, quantize_way_t way,
                         double value, int64_t out_stored[QUANTUM_CHOICES_MAX]) {
  return way.width == QUANTIZE_UNROUNDED
             ? exact_quantize_by(quantum, arithmetic, way, value, out_stored)
             : quantum_choices_by(quantum, arithmetic, way, value, out_stored);
}
