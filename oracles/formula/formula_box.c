/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds the relative error of one formula step and of elementary functions, as the worst case
 * over the formats that the contract permits computing in. */
#include "oracles/formula/formula_box.h"

#include "oracles/exact/error_bound.h"
#include "oracles/exact/magnitude.h"

/* The formats that may be computed in; returns how many. */
static size_t find_formats(const format_t *format, const contract_t *contract,
                           const format_t *out_formats[2]) {
  bool is_short = format->bits == 16;
  size_t count = 0;
  if (is_short) out_formats[count++] = &format_table[FORMAT_f32];
  if (!is_short || contract_permits_native(contract)) out_formats[count++] = format;
  return count;
}

/* (1 + u) (1 + w) - 1 of a step: theory.md, T12 and T13. */
formula_errors_t formula_errors_make(const format_t *format, const contract_t *contract) {
  const format_t *formats[2];
  size_t count = find_formats(format, contract, formats);
  formula_errors_t errors = {.format = formats[count - 1]};
  for (size_t i = 0; i < count; i++) {
    double u = format_unit_roundoff(formats[i]);
    if (PERMITTED(contract, accum_wider) == ACCUM_WIDER_YES) {
      double w = error_bound_wide_unit_roundoff(formats[i]);
      u = upper_add(upper_of(u + w), upper_of(u * w)).value;
    }
    if (PERMITTED(contract, accum_rounding) == ACCUM_ROUNDING_RZ) u *= 2;
    double lost = PERMITTED(contract, ftz) == FTZ_NONE ? format_smallest(formats[i])
                                                       : format_smallest_normal(formats[i]);
    errors.unit_roundoff = fmax(errors.unit_roundoff, u);
    errors.underflow = fmax(errors.underflow, lost);
  }
  return errors;
}

/* theory.md, A7. */
double formula_function_ulps(const format_t *format, const contract_t *contract,
                             elementary_t function) {
  const format_t *formats[2];
  size_t count = find_formats(format, contract, formats);
  double most = 0;
  for (size_t i = 0; i < count; i++) {
    most = fmax(most, contract_elementary_ulps(contract, function, formats[i], INFINITY));
  }
  return most;
}

/* theory.md, T61. */
double formula_function_error(const format_t *format, const contract_t *contract,
                              elementary_t function) {
  const format_t *formats[2];
  size_t count = find_formats(format, contract, formats);
  double most = 0;
  for (size_t i = 0; i < count; i++) {
    double ulps = contract_elementary_ulps(contract, function, formats[i], INFINITY);
    most = fmax(most, 2 * ulps * format_unit_roundoff(formats[i]));
  }
  return most;
}
