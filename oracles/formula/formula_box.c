#include "oracles/formula/formula_box.h"

#include "oracles/exact/error_bound.h"

/* The formats that may be computed in; returns how many. */
static size_t find_formats(const format_t *format, const contract_t *contract,
                           const format_t *out_formats[2]) {
  bool is_short = format->bits == 16;
  size_t count = 0;
  if (is_short) out_formats[count++] = &format_table[FORMAT_f32];
  if (!is_short || contract_permits_native(contract)) out_formats[count++] = format;
  return count;
}

formula_errors_t formula_errors_make(const format_t *format, const contract_t *contract) {
  const format_t *formats[2];
  size_t count = find_formats(format, contract, formats);
  formula_errors_t errors = {.format = formats[count - 1]};
  for (size_t i = 0; i < count; i++) {
    double u = format_unit_roundoff(formats[i]);
    if (PERMITTED(contract, accum_wider) == ACCUM_WIDER_YES) {
      u += error_bound_wide_unit_roundoff(formats[i]) * (1 + u);
    }
    if (PERMITTED(contract, accum_rounding) == ACCUM_ROUNDING_RZ) u *= 2;
    double lost = PERMITTED(contract, ftz) == FTZ_NONE ? format_smallest(formats[i])
                                                       : format_smallest_normal(formats[i]);
    errors.unit_roundoff = fmax(errors.unit_roundoff, u * (1 + 0x1p-50));
    errors.underflow = fmax(errors.underflow, lost);
  }
  return errors;
}

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
