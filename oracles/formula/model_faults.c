/* SPDX-License-Identifier: Apache-2.0 */
/* Planted faults of elementary functions: estimates that are not refined, arguments that are
 * clamped, polynomials that are worn at the end of their segment. */
#include <math.h>

#include "generated/formula_faults.h"
#include "oracles/exact/arithmetic.h"
#include "oracles/formula/model.h"

double model_unit_at(const format_t *format, double value) {
  int binade = ilogb(fabs(value) * (1 - 0x1p-30));
  return ldexp(1, format_ulp_exponent(format, binade));
}

/* The ulps by which a faulty function errs.  Reducing by a rounded ln 2 errs in proportion to the
 * argument: 4 ulps where its results end.  A polynomial of degree 24 with a bad leading coefficient
 * is fine but for the end of its segment. */
static double planted_ulps(const formula_t *formula, elementary_t which, double x) {
  enum { DEGREE = 24 };
  if (which == ELEMENTARY_exp && formula_has_fault(formula, FAULT_exp_reduced_coarsely)) {
    return 4 * x / (formula->format->exponent_max * (double)G_LN2);
  }
  if (which == ELEMENTARY_erf && formula_has_fault(formula, FAULT_erf_worn_segment)) {
    double place = (fabs(x) - 0.84375) / (1.25 - 0.84375);
    return place > 0 && place < 1 ? copysign(12 * pow(place, DEGREE), -x) : 0;
  }
  return 0;
}

static double wear(const formula_t *formula, elementary_t which, double x, double value) {
  double ulps = planted_ulps(formula, which, x);
  if (ulps == 0 || value == 0 || !isfinite(value)) return value;
  return value + ulps * model_unit_at(formula->format, value);
}

/* The nearest number of so many bits. */
static double keep_bits(double value, int bits) {
  if (value == 0 || !isfinite(value)) return value;
  int exponent = ilogb(value) - (bits - 1);
  return ldexp(nearbyint(ldexp(value, -exponent)), exponent);
}

/* 2^x is the number whose exponent and fraction, as bits, are x: a line in each binade. */
static double exp_of_bits(double x) {
  double scaled = x / (double)G_LN2, whole = floor(scaled);
  return isfinite(x) && fabs(scaled) < 1000 ? ldexp(1 + (scaled - whole), (int)whole) : exp(x);
}

static double spoil_exp(fault_t fault, double x, double value) {
  const double smallest = -20;
  if (fault == FAULT_exp_in_bf16) return format_round_double(&format_table[FORMAT_bf16], value);
  if (fault == FAULT_exp_clamped && x < smallest) return exp(smallest);
  return fault == FAULT_exp_linear_bits ? exp_of_bits(x) : value;
}

/* Functions that tend to 1. */
static double spoil_sigmoidal(fault_t fault, elementary_t which, double x, double value) {
  bool is_erf = which == ELEMENTARY_erf;
  if (is_erf && fault == FAULT_erf_unsigned) return fabs(value);
  bool is_early = is_erf ? fault == FAULT_erf_saturates_early && fabs(x) >= 2.5
                         : fault == FAULT_tanh_saturates_early && fabs(x) >= 4;
  if (is_early) return copysign(1, x);
  return !is_erf && fault == FAULT_tanh_estimated ? keep_bits(value, 11) : value;
}

double model_spoil(const formula_t *formula, elementary_t which, double x, double value) {
  enum { ESTIMATED_BITS = 12 };
  fault_t fault = formula->schedule->fault;
  switch (which) {
    case ELEMENTARY_exp:
      value = spoil_exp(fault, x, value);
      break;
    case ELEMENTARY_erf:
    case ELEMENTARY_tanh:
      value = spoil_sigmoidal(fault, which, x, value);
      break;
    case ELEMENTARY_log:
      if (fault == FAULT_log_estimated) value = keep_bits(value, ESTIMATED_BITS);
      break;
    case ELEMENTARY_rsqrt:
      if (fault == FAULT_rsqrt_estimated) value = keep_bits(value, ESTIMATED_BITS);
      break;
    default:
      break;
  }
  return wear(formula, which, x, value);
}
