/* SPDX-License-Identifier: Apache-2.0 */
/* How much it tells that a wrong value is as a hypothesis has it. */
#include <math.h>

#include "harness/diagnose/problem.h"
#include "harness/num/format.h"

/* Bits in a NaN, an infinity or a zero: many roads lead to each. */
static const double bits_of_special = 3;

static bool is_number(const format_t *format, uint64_t bits) {
  return !format_is_nan(format, bits) && !format_is_infinity(format, bits);
}

/* Values of the accept set, to either side of the exact one.  Where no slack is told, at least as
 * many as lie between the exact one and what was accepted. */
static double width_of(const answer_t *answer) {
  if (!answer->has_reference || !isfinite(answer->ulp_error)) return 1;
  return 1 + 2 * answer->ulp_error / (answer->slack > 0 ? answer->slack : 1);
}

/* Bits of a significand without its trailing zeros, and the exponent of the last of them.  Data of
 * small integers or powers of two have few, and then few values are likely. */
static double significant_bits(uint64_t significand, int32_t *inout_exponent) {
  if (significand == 0) return 0;
  int zeros = __builtin_ctzll(significand);
  *inout_exponent += zeros;
  return 64 - __builtin_clzll(significand) - zeros;
}

/* What the value that came could have been instead: its own bits and some places of the point. */
static double bits_of_value(uint64_t significand, int32_t *inout_exponent) {
  return significant_bits(significand, inout_exponent) + bits_of_special;
}

/* Most bits in a storage value: an end of the range tells but the side, since whatever is too large
 * becomes it, and what is small beside the scale becomes zero. */
static double most_in_quantum(const type_t *type, size_t element, int64_t stored) {
  const quantization_t *quantization = type->quantization;
  bool is_end = stored == quantization->storage_min || stored == quantization->storage_max;
  if (is_end) return 1;
  return stored == quantization_zero_point(type, element) ? bits_of_special : type->element->bits;
}

static double integer_evidence(const examined_t *examined, const answer_t *answer) {
  const element_t *element = examined->element;
  if (!examined->has_right) return 0;
  int64_t got = element_signed_value(element, examined->got);
  const problem_t *problem = &examined->problem;
  const type_t *type = &problem->results[problem->result].type;
  int64_t right = element_signed_value(element, examined->right);
  int32_t exponent = 0;
  double most = bits_of_value(got < 0 ? -(uint64_t)got : (uint64_t)got, &exponent);
  double bits = log2(1 + fabs((double)got - (double)right));
  if (type->quantization != NULL) {
    most = fmin(most, most_in_quantum(type, problem->component, got));
    bits = fmax(0, bits - log2(width_of(answer)));
  }
  return fmin(bits, fmin(most, element->bits));
}

double evidence_bits(const examined_t *examined, const answer_t *answer) {
  if (examined->element->format == NULL) return integer_evidence(examined, answer);
  const format_t *format = examined->element->format;
  if (!is_number(format, examined->got) || format_is_zero(format, examined->got)) {
    return bits_of_special;
  }
  number_t got = format_decode(format, examined->got);
  double most = bits_of_value(got.significand, &got.exponent);
  if (!examined->has_right || !is_number(format, examined->right)) {
    return fmax(0, most - log2(width_of(answer)));
  }
  double steps = fabs((double)format_ordinal(format, examined->got) -
                      (double)format_ordinal(format, examined->right));
  number_t right = format_decode(format, examined->right);
  significant_bits(right.significand, &right.exponent);
  int32_t unit = right.kind == NUMBER_ZERO ? got.exponent : MIN(got.exponent, right.exponent);
  double distance =
      fabs(format_to_double(format, examined->got) - format_to_double(format, examined->right));
  double units = ldexp(distance, -unit);
  double bits = fmin(log2(1 + steps), log2(1 + units)) - log2(width_of(answer));
  return fmax(0, fmin(bits, most));
}
