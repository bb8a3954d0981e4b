/* SPDX-License-Identifier: Apache-2.0 */
/* Decides one component of a product of complex numbers exactly. MPFR gives the product, and the
 * permitted error follows from a normwise bound per multiplication; near overflow or underflow
 * anything is accepted and the answer is marked vacuous. */
#include <math.h>
#include <stdio.h>

#include "oracles/exact/error_bound.h"
#include "oracles/exact/product/problem.h"
#include "oracles/exact/value_range.h"

enum { PRODUCT_PRECISION = 256 };

/* A product of complex numbers, to PRODUCT_PRECISION bits. */
typedef struct complex_product {
  mpfr_t real, imaginary;
  mpfr_t norm;     /* Product of the absolute values, upwards; 0 if a factor is. */
  mpfr_t largest;  /* Product of the absolute values above 1: no partial product is larger. */
  mpfr_t smallest; /* Product of the nonzero absolute values below 1. */
  bool is_finite;  /* Every factor is. */
  size_t count;
} complex_product_t;

static void complex_product_init(complex_product_t *product) {
  mpfr_inits2(PRODUCT_PRECISION, product->real, product->imaginary, product->norm, product->largest,
              product->smallest, (mpfr_ptr)0);
  mpfr_set_ui(product->real, 1, MPFR_RNDN);
  mpfr_set_zero(product->imaginary, 1);
  mpfr_set_ui(product->norm, 1, MPFR_RNDN);
  mpfr_set_ui(product->largest, 1, MPFR_RNDN);
  mpfr_set_ui(product->smallest, 1, MPFR_RNDN);
  product->is_finite = true;
  product->count = 0;
}

static void complex_product_deinit(complex_product_t *product) {
  mpfr_clears(product->real, product->imaginary, product->norm, product->largest, product->smallest,
              (mpfr_ptr)0);
}

static void take_factor(complex_product_t *product, double real, double imaginary) {
  product->count++;
  product->is_finite &= isfinite(real) && isfinite(imaginary);
  if (!product->is_finite) return;
  mpfr_t left, right, new_real;
  mpfr_inits2(PRODUCT_PRECISION, left, right, new_real, (mpfr_ptr)0);
  mpfr_mul_d(left, product->real, real, MPFR_RNDN);
  mpfr_mul_d(right, product->imaginary, imaginary, MPFR_RNDN);
  mpfr_sub(new_real, left, right, MPFR_RNDN);
  mpfr_mul_d(left, product->real, imaginary, MPFR_RNDN);
  mpfr_mul_d(right, product->imaginary, real, MPFR_RNDN);
  mpfr_add(product->imaginary, left, right, MPFR_RNDN);
  mpfr_set(product->real, new_real, MPFR_RNDN);
  mpfr_set_d(left, real, MPFR_RNDN);
  mpfr_set_d(right, imaginary, MPFR_RNDN);
  mpfr_hypot(left, left, right, MPFR_RNDU);
  mpfr_mul(product->norm, product->norm, left, MPFR_RNDU);
  if (mpfr_cmp_ui(left, 1) > 0) mpfr_mul(product->largest, product->largest, left, MPFR_RNDU);
  if (mpfr_cmp_ui(left, 1) < 0 && !mpfr_zero_p(left)) {
    mpfr_mul(product->smallest, product->smallest, left, MPFR_RNDD);
  }
  mpfr_clears(left, right, new_real, (mpfr_ptr)0);
}

/* No partial product comes near the ends of the format's range: squares of absolute values below
 * 2^(emax/2) do not overflow, and those above 2^(emin/2 + p) underflow by less than the bound. */
static bool is_tame(const complex_product_t *product, const format_t *format) {
  return product->is_finite &&
         mpfr_cmp_ui_2exp(product->largest, 1, format->exponent_max / 2 - 1) < 0 &&
         mpfr_cmp_ui_2exp(product->smallest, 1, format->exponent_min / 2 + format->precision) > 0;
}

/* Normwise: theory.md, T34. */
static void set_error(mpfr_ptr error, const complex_product_t *product, const format_t *format,
                      const contract_t *contract) {
  double u = format_unit_roundoff(format);
  if (PERMITTED(contract, accum_rounding) == ACCUM_ROUNDING_RZ) u *= 2;
  size_t multiplications = product->count - 1;
  mpfr_set_d(error, 1 + 3 * u, MPFR_RNDU);
  mpfr_pow_ui(error, error, multiplications, MPFR_RNDU);
  mpfr_sub_ui(error, error, 1, MPFR_RNDU);
  mpfr_mul(error, error, product->norm, MPFR_RNDU);
  double loss = PERMITTED(contract, ftz) == FTZ_NONE ? format_smallest(format)
                                                     : 2 * format_smallest_normal(format);
  mpfr_t underflow;
  mpfr_init2(underflow, PRODUCT_PRECISION);
  mpfr_mul_d(underflow, product->largest, 8 * loss * (double)multiplications, MPFR_RNDU);
  if (!mpfr_zero_p(product->norm)) mpfr_add(error, error, underflow, MPFR_RNDU);
  mpfr_clear(underflow);
}

/* One number of initial values, 0 or 1. */
static void answer_once(const product_problem_t *question, const contract_t *contract, int part,
                        uint64_t bits, bool with_init, answer_t *out_answer) {
  const format_t *format = question->format;
  answer_t answer = {0};
  complex_product_t product;
  complex_product_init(&product);
  for (size_t i = 0; i < question->count; i++) {
    take_factor(&product, question->factors[2 * i], question->factors[2 * i + 1]);
  }
  if (with_init) take_factor(&product, question->init, question->init_imaginary);
  if (is_tame(&product, format)) {
    mpfr_t error;
    mpfr_init2(error, PRODUCT_PRECISION);
    set_error(error, &product, format, contract);
    mpfr_srcptr reference = part == 0 ? product.real : product.imaginary;
    value_range_t range = {.positive_zero = true, .negative_zero = true};
    value_range_set_enclosure(&range, format, reference, error, true);
    range.positive_zero = range.negative_zero = range.low <= 0 && range.high >= 0;
    answer.conforms = value_range_holds(&range, format, bits, true);
    value_range_print(&range, answer.expected, sizeof answer.expected);
    answer_measure(&answer, format, bits, reference, error, product.norm);
    mpfr_clear(error);
  } else {
    answer.conforms = answer.is_vacuous = true;
    snprintf(answer.expected, sizeof answer.expected, "anything");
  }
  complex_product_deinit(&product);
  *out_answer = answer;
}

status_t complex_product_answer(const product_problem_t *question, const contract_t *contract,
                                int part, uint64_t bits, answer_t *out_answer, failure_t *error) {
  (void)error;
  answer_once(question, contract, part, bits, true, out_answer);
  bool neutral = question->init == 1 && question->init_imaginary == 0;
  if (out_answer->conforms || neutral || PERMITTED(contract, init_count) == INIT_COUNT_ONE)
    return STATUS_OK;
  if (question->count != 0) {
    answer_t without;
    answer_once(question, contract, part, bits, false, &without);
    if (without.conforms) {
      snprintf(without.observed, sizeof without.observed, "init_count=0");
      *out_answer = without;
      return STATUS_OK;
    }
  }
  out_answer->conforms = out_answer->is_vacuous = true;
  snprintf(out_answer->observed, sizeof out_answer->observed, "init_count unknown");
  return STATUS_OK;
}
