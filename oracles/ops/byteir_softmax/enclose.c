/* SPDX-License-Identifier: Apache-2.0 */
/* y_i = 1 / sum_j exp(x_j - x_i) grows with x_i and falls with every other x_j.  So its exact
 * values lie between those at two corners of the box: x_i at one end, all others at the other.
 * Around them lies what each formula may err by; where that is too much for its bound, each step is
 * enclosed by itself. */
#include "oracles/ops/byteir_softmax/enclose.h"

#include <math.h>

#include "generated/byteir_softmax_permissions.h"
#include "oracles/composite/composite.h"
#include "oracles/exact/error_bound.h"
#include "oracles/formula/formula_box.h"
#include "oracles/ops/byteir_softmax/byteir_softmax.h"

/* The spellings of permission softmax. */
enum { SHIFTED, ONLINE, SCALED, UNSHIFTED };

typedef struct softmax_row {
  size_t count;
  const box_t *x;
  box_t maximum; /* Of the largest number. */
  double spread; /* At most so far from it are those that count. */
} softmax_row_t;

/* ---- Exactly --------------------------------------------------------------------------------- */

/* 1 + sum exp(x_j - x_i) over j != i, at corners. */
static double sum_others(const softmax_row_t *row, size_t i, bool others_high) {
  double sum = 1, own = others_high ? row->x[i].low : row->x[i].high;
  for (size_t j = 0; j < row->count; j++) {
    if (j != i) sum += exp((others_high ? row->x[j].high : row->x[j].low) - own);
  }
  return sum;
}

/* By the C library: theory.md, A3 and T71. */
static box_t share_exactly(const softmax_row_t *row, size_t i) {
  const double error = FORMULA_LIBRARY_ERROR + (double)row->count * 0x1p-52;
  const double tiny = 0x1p-1000; /* Beyond the range of exp. */
  box_t share = {0, 0};
  if (row->x[i].high != -INFINITY) {
    share.high = fmin(1, (1 / sum_others(row, i, false)) * (1 + error) + tiny);
  }
  if (row->x[i].low != -INFINITY) {
    share.low = fmax(0, (1 / sum_others(row, i, true)) * (1 - error) - tiny);
  }
  return share;
}

/* ---- Errors of the formulas ------------------------------------------------------------------ */

/* Results lie in [low exp(-exponent) - loss, high exp(exponent) + loss]; unknown: anywhere. */
typedef struct row_error {
  double exponent;
  double loss;
  bool is_known;
} row_error_t;

/* What the steps of a row err by: theory.md, T71. */
typedef struct row_steps {
  const format_t *format;
  double u;
  double underflow;   /* Of one step. */
  double ulps;        /* Of the exponential, */
  double exponential; /* its relative error, and ... */
  double faint;       /* ... its error where it is subnormal, with that of a further step. */
  double n;
} row_steps_t;

/* theory.md, T71. */
static row_steps_t steps_make(const softmax_row_t *row, const format_t *format,
                              const contract_t *contract, elementary_t function) {
  formula_errors_t errors = formula_errors_make(format, contract);
  double ulps = formula_function_ulps(format, contract, function);
  return (row_steps_t){.format = errors.format,
                       .u = errors.unit_roundoff,
                       .underflow = errors.underflow,
                       .ulps = ulps,
                       .exponential = formula_function_error(format, contract, function),
                       .faint = (ulps + 1) * errors.underflow,
                       .n = (double)row->count};
}

/* theory.md, T71. */
static row_error_t finish_error(const row_steps_t *steps, double exponent, double loss) {
  const double slack = 1 + 0x1p-5; /* Of 1 + t against exp(t), for the small t below. */
  bool is_small =
      steps->exponential <= 0x1p-6 && steps->n * (steps->exponential + 2 * steps->u) <= 0x1p-5;
  bool fits = 2 * steps->n < format_to_double(steps->format, steps->format->largest_bits);
  return (row_error_t){.exponent = exponent * slack,
                       .loss = 2 * loss + 2 * steps->underflow,
                       .is_known = is_small && fits && loss < 0x1p-4};
}

/* exp(x - m), once for the share and once in the sum: theory.md, T71. */
static row_error_t error_of_shifted(const row_steps_t *steps, const softmax_row_t *row) {
  double each = steps->u * row->spread + steps->exponential;
  return finish_error(steps, 2 * each + (steps->n + 2) * steps->u,
                      3 * (steps->n + 1) * steps->faint);
}

/* The sum is corrected by exponentials and products at most n times: theory.md, T71, and the
 * conditions of T78, asked for with room. */
static row_error_t error_of_online(const row_steps_t *steps, const softmax_row_t *row) {
  double each = steps->u * row->spread + steps->exponential;
  double corrections = steps->n * (steps->exponential + 2 * steps->u);
  row_error_t error = finish_error(steps, 2 * each + corrections + (steps->n + 2) * steps->u,
                                   3 * (1 + 8 * steps->n * steps->n) * steps->faint);
  error.is_known &= steps->n * steps->ulps * steps->u <= 0x1p-8;
  return error;
}

/* x log2(e) and m log2(e) err by 2 u of themselves, the constant's rounding included: where they
 * are large, exponentials are far off (theory.md, T71). */
static row_error_t error_of_scaled(const row_steps_t *steps, const softmax_row_t *row) {
  double magnitude = box_magnitude(row->maximum) + row->spread;
  double off = 4.1 * steps->u * magnitude;
  double each = off + steps->u * row->spread + steps->exponential;
  row_error_t error = finish_error(steps, 2 * each + (steps->n + 2) * steps->u,
                                   3 * (steps->n + 1) * steps->faint * M_E);
  double largest = format_to_double(steps->format, steps->format->largest_bits);
  error.is_known &= off < 1 && 2 * box_magnitude(row->maximum) < largest;
  return error;
}

/* Exponentials of the numbers themselves, by the C library: a sum that is no normal number says
 * nothing (theory.md, A3 and T71). */
static row_error_t error_of_unshifted(const row_steps_t *steps, const softmax_row_t *row) {
  double least = exp(row->maximum.low) * (1 - FORMULA_LIBRARY_ERROR);
  double most = steps->n * exp(row->maximum.high) * (1 + FORMULA_LIBRARY_ERROR);
  double loss = 3 * (steps->n + 1) * steps->faint / least + most * steps->underflow;
  row_error_t error = finish_error(steps, 2 * steps->exponential + (steps->n + 2) * steps->u, loss);
  double largest = format_to_double(steps->format, steps->format->largest_bits);
  error.is_known &= least > 16 * format_smallest_normal(steps->format) && 2 * most < largest;
  return error;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* What is farther from the largest number than this has an exponential below the smallest number,
 * so that the loss covers it: theory.md, T71. */
static double farthest(const format_t *format) {
  return (double)(format->precision - format->exponent_min) * M_LN2 + 20;
}

static bool make_row(const box_t *x, size_t count, const format_t *format, softmax_row_t *out_row) {
  softmax_row_t row = {.count = count, .x = x, .maximum = {-INFINITY, -INFINITY}};
  double lowest = INFINITY;
  for (size_t i = 0; i < count; i++) {
    row.maximum.low = fmax(row.maximum.low, x[i].low);
    row.maximum.high = fmax(row.maximum.high, x[i].high);
    lowest = fmin(lowest, x[i].low);
  }
  row.spread = fmin(row.maximum.high - lowest, farthest(format));
  *out_row = row;
  return box_is_finite(row.maximum);
}

/* theory.md, A3 and T71. */
static box_t loosen(box_t exact, const row_error_t *error, const contract_t *contract) {
  if (!error->is_known) return box_whole_line();
  double low = exact.low * exp(-error->exponent) * (1 - FORMULA_LIBRARY_ERROR) - error->loss;
  double high = exact.high * exp(error->exponent) * (1 + FORMULA_LIBRARY_ERROR) + error->loss;
  if (PERMITTED(contract, function_range) == FUNCTION_RANGE_STRICT) low = fmax(low, 0);
  return (box_t){low, high};
}

static void enclose_row(const softmax_row_t *row, const format_t *format,
                        const contract_t *contract, box_t *out) {
  row_error_t errors[UNSHIFTED + 1] = {{0}};
  if (contract != NULL) {
    const row_steps_t plain = steps_make(row, format, contract, ELEMENTARY_exp);
    const row_steps_t scaled = steps_make(row, format, contract, ELEMENTARY_exp2);
    errors[SHIFTED] = error_of_shifted(&plain, row);
    errors[ONLINE] = error_of_online(&plain, row);
    errors[SCALED] = error_of_scaled(&scaled, row);
    errors[UNSHIFTED] = error_of_unshifted(&plain, row);
  }
  for (size_t i = 0; i < row->count; i++) {
    box_t exact = share_exactly(row, i);
    out[i] = exact;
    for (int formula = SHIFTED; contract != NULL && formula <= PERMITTED(contract, softmax);
         formula++) {
      out[i] = box_unite(out[i], loosen(exact, &errors[formula], contract));
    }
    if (contract == NULL) continue;
    out[i] = box_round(out[i], format);
    if (PERMITTED(contract, ftz) != FTZ_NONE) out[i] = box_flush(out[i], format);
  }
}

/* Elements of which nothing is known are enclosed step by step: theory.md, T172. */
static status_t enclose_the_rest(const enclosure_call_t *call, box_t *inout_boxes) {
  size_t count = type_element_count(&call->program->results[0]);
  box_t *const by_steps[CASE_RESULTS_MAX] = {ARENA_NEW_ARRAY(call->arena, box_t, count)};
  STATUS_TRY(composite_enclose(call, by_steps));
  for (size_t i = 0; i < count; i++) {
    if (box_is_whole_line(inout_boxes[i])) inout_boxes[i] = by_steps[0][i];
  }
  return STATUS_OK;
}

status_t byteir_softmax_enclose(const enclosure_call_t *call,
                                box_t *const out_results[CASE_RESULTS_MAX]) {
  const type_t *type = &call->program->operands[0];
  if (type->element != call->program->results[0].element) {
    return status_fail(call->error, STATUS_UNSUPPORTED,
                       "a softmax of 16-bit floats in f32 is not enclosed");
  }
  const format_t *format = type->element->format;
  dimension_list_t dimension = byteir_softmax_dimension(call->program);
  dimension_list_t kept = dimension_list_rest(type->rank, &dimension, NULL);
  const size_t *bases = dimension_list_offsets(&kept, type, call->arena);
  const size_t *offsets = dimension_list_offsets(&dimension, type, call->arena);
  size_t rows = dimension_list_extent(&kept, type), terms = dimension_list_extent(&dimension, type);
  box_t *x = ARENA_NEW_ARRAY(call->arena, box_t, terms),
        *y = ARENA_NEW_ARRAY(call->arena, box_t, terms);
  bool is_known = true,
       flushes = call->contract != NULL && PERMITTED(call->contract, ftz) != FTZ_NONE;
  for (size_t r = 0; r < rows; r++) {
    for (size_t i = 0; i < terms; i++) {
      x[i] = call->operands[0][bases[r] + offsets[i]];
      if (flushes) x[i] = box_flush(x[i], format);
      y[i] = box_whole_line();
    }
    softmax_row_t row;
    if (make_row(x, terms, format, &row)) enclose_row(&row, format, call->contract, y);
    for (size_t i = 0; i < terms; i++) {
      out_results[0][bases[r] + offsets[i]] = y[i];
      is_known &= !box_is_whole_line(y[i]);
    }
  }
  return is_known ? STATUS_OK : enclose_the_rest(call, out_results[0]);
}
