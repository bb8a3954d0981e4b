/* SPDX-License-Identifier: Apache-2.0 */
/* Integer semantics of a quantized dot_general: accumulates 128-bit sums (with wrapped and
 * saturated alternatives), then rescales them with exact rationals, or with enclosures where the
 * multiplier itself may be rounded. */
#include "oracles/ops/dot_general/quantized/rescale.h"

#include "generated/exact_permissions.h"

#include <gmp.h>
#include <math.h>

/* ---- Accumulators ---------------------------------------------------------------------------- */

static dot_integer_t difference(const tensor_t *tensor, size_t index) {
  const quantum_t quantum = quantum_of(&tensor->type, index);
  return quantum_load(tensor, index) - quantum.zero_point;
}

dot_accumulator_t dot_accumulate(const case_t *instance, const dot_general_layout_t *layout,
                                 dot_general_place_t place) {
  const tensor_t *lhs = &instance->operands[DOT_GENERAL_LHS];
  const tensor_t *rhs = &instance->operands[DOT_GENERAL_RHS];
  dot_accumulator_t accumulator = {.lhs_scale = 1, .rhs_scale = 1};
  for (size_t term = 0; term < layout->term_count; term++) {
    size_t left = dot_general_lhs_index(layout, place, term);
    size_t right = dot_general_rhs_index(layout, place, term);
    dot_integer_t product = difference(lhs, left) * difference(rhs, right);
    *(product > 0 ? &accumulator.positive : &accumulator.negative) += product;
    if (term > 0) continue;
    accumulator.lhs_scale = quantum_of(&lhs->type, left).scale;
    accumulator.rhs_scale = quantum_of(&rhs->type, right).scale;
  }
  return accumulator;
}

dot_integer_t dot_accumulator_wrapped(const dot_accumulator_t *accumulator) {
  return (int32_t)(uint32_t)(unsigned __int128)(accumulator->positive + accumulator->negative);
}

bool dot_accumulator_saturated(const dot_accumulator_t *accumulator, dot_integer_t *out_low,
                               dot_integer_t *out_high) {
  dot_integer_t least = INT32_MIN, most = INT32_MAX;
  dot_integer_t positive = accumulator->positive, negative = accumulator->negative;
  if (positive <= most && negative >= least) return false;
  dot_integer_t low = MIN(positive, most) + negative, high = MAX(negative, least) + positive;
  *out_low = CLAMP(low, least, most);
  *out_high = CLAMP(high, least, most);
  return true;
}

dot_rescale_t dot_rescale_make(const case_t *instance, size_t component,
                               const dot_accumulator_t *accumulator, const contract_t *contract) {
  const type_t *result = &instance->program.results[0];
  bool is_f64 = result->quantization->expressed->format == &format_table[FORMAT_f64];
  const format_t *arithmetic = &format_table[is_f64 ? FORMAT_f64 : FORMAT_f32];
  uint8_t ways = PERMITTED(contract, rescale);
  bool by_float = ways == DOT_RESCALE_FLOAT || ways == DOT_RESCALE_EITHER;
  bool by_fixed = ways == DOT_RESCALE_FIXED || ways == DOT_RESCALE_EITHER;
  return (dot_rescale_t){.lhs_scale = accumulator->lhs_scale,
                         .rhs_scale = accumulator->rhs_scale,
                         .result = quantum_of(result, component),
                         .arithmetic = by_float ? arithmetic : NULL,
                         .zero_point_last = PERMITTED(contract, quantize_zero_point) != 0,
                         .fixed = by_fixed ? arithmetic : NULL};
}

/* ---- Rationals ------------------------------------------------------------------------------- */

static void set_integer(mpq_t out, dot_integer_t value) {
  bool is_negative = value < 0;
  unsigned __int128 magnitude = is_negative ? -(unsigned __int128)value : (unsigned __int128)value;
  mpq_set_ui(out, (unsigned long)(magnitude >> 64), 1);
  mpq_mul_2exp(out, out, 64);
  mpz_add_ui(mpq_numref(out), mpq_numref(out), (unsigned long)(uint64_t)magnitude);
  if (is_negative) mpq_neg(out, out);
}

/* The nearest integer, ties to even, clamped to 66 bits or so. */
static dot_integer_t round_to_integer(const mpq_t value) {
  const double far = 0x1p70;
  double about = mpq_get_d(value);
  if (fabs(about) > far) return about > 0 ? (dot_integer_t)1 << 70 : -((dot_integer_t)1 << 70);
  mpz_t doubled, whole, rest; /* floor(value + 1/2) */
  mpz_inits(doubled, whole, rest, NULL);
  mpz_mul_2exp(doubled, mpq_numref(value), 1);
  mpz_add(doubled, doubled, mpq_denref(value));
  mpz_mul_2exp(rest, mpq_denref(value), 1);
  mpz_fdiv_qr(whole, rest, doubled, rest);
  if (mpz_sgn(rest) == 0 && mpz_odd_p(whole)) mpz_sub_ui(whole, whole, 1);
  mpz_fdiv_q_2exp(rest, whole, 64); /* Rounds down, so what is left over is not negative. */
  dot_integer_t high = mpz_get_si(rest);
  mpz_fdiv_r_2exp(rest, whole, 64);
  dot_integer_t rounded = high * ((dot_integer_t)1 << 64) + (dot_integer_t)mpz_get_ui(rest);
  mpz_clears(doubled, whole, rest, NULL);
  return rounded;
}

static bool is_number(const format_t *format, const mpq_t value) {
  double number = mpq_get_d(value); /* Toward zero; far beyond, it is infinite or zero. */
  if (!isfinite(number) || format_round_double(format, number) != number) return false;
  mpq_t back;
  mpq_init(back);
  mpq_set_d(back, number);
  bool is_equal = mpq_equal(back, value) != 0;
  mpq_clear(back);
  return is_equal;
}

/* ---- Rounded steps --------------------------------------------------------------------------- */

/* Whatever a number may be after some steps, of which each may be rounded. */
typedef struct enclosed {
  const format_t *format;
  mpq_t low;
  mpq_t high;
} enclosed_t;

static void enclosed_init(enclosed_t *number, const format_t *format) {
  number->format = format;
  mpq_inits(number->low, number->high, NULL);
}

static void enclosed_deinit(enclosed_t *number) { mpq_clears(number->low, number->high, NULL); }

/* Moves an end outwards by what one rounding may err by: theory.md, T43. */
static void widen_end(mpq_t end, const format_t *format, bool upwards) {
  mpq_t error, smallest;
  mpq_inits(error, smallest, NULL);
  mpq_abs(error, end);
  mpq_div_2exp(error, error, format->precision);
  mpq_set_ui(smallest, 1, 1);
  mpq_div_2exp(smallest, smallest, (mp_bitcnt_t)(format->precision - format->exponent_min));
  mpq_add(error, error, smallest);
  (upwards ? mpq_add : mpq_sub)(end, end, error);
  mpq_clears(error, smallest, NULL);
}

/* Rounded once, if it can be: what is one number of the format stays. */
static void enclosed_round(enclosed_t *number) {
  if (mpq_equal(number->low, number->high) && is_number(number->format, number->low)) return;
  widen_end(number->low, number->format, false);
  widen_end(number->high, number->format, true);
}

static void set_scale_quotient(mpq_t out, double numerator, double denominator) {
  mpq_t divisor;
  mpq_init(divisor);
  mpq_set_d(out, numerator);
  mpq_set_d(divisor, denominator);
  mpq_div(out, out, divisor);
  mpq_clear(divisor);
}

/* s_l s_r / s_res */
static void set_multiplier(mpq_t out, const dot_rescale_t *rescale) {
  mpq_t factor;
  mpq_init(factor);
  set_scale_quotient(out, rescale->lhs_scale, rescale->result.scale);
  mpq_set_d(factor, rescale->rhs_scale);
  mpq_mul(out, out, factor);
  mpq_clear(factor);
}

/* Whether the multiplier comes out exactly in whatever order its factors are taken. */
static bool multiplier_is_exact(const dot_rescale_t *rescale, const mpq_t multiplier) {
  const format_t *format = rescale->arithmetic;
  mpq_t product, factor, left, right;
  mpq_inits(product, factor, left, right, NULL);
  mpq_set_d(product, rescale->lhs_scale);
  mpq_set_d(factor, rescale->rhs_scale);
  mpq_mul(product, product, factor);
  set_scale_quotient(left, rescale->lhs_scale, rescale->result.scale);
  set_scale_quotient(right, rescale->rhs_scale, rescale->result.scale);
  bool is_exact = is_number(format, multiplier) && is_number(format, product) &&
                  is_number(format, left) && is_number(format, right);
  mpq_clears(product, factor, left, right, NULL);
  return is_exact;
}

/* sum * multiplier, for sums from `low` to `high`. */
static void enclose_product(enclosed_t *product, const dot_rescale_t *rescale, dot_integer_t low,
                            dot_integer_t high) {
  enclosed_t multiplier;
  enclosed_init(&multiplier, product->format);
  set_multiplier(multiplier.low, rescale);
  mpq_set(multiplier.high, multiplier.low);
  if (!multiplier_is_exact(rescale, multiplier.low)) {
    enclosed_round(&multiplier);
    /* Two roundings, of which the first may fall on a number that is none of the product's. */
    widen_end(multiplier.low, multiplier.format, false);
    widen_end(multiplier.high, multiplier.format, true);
  }
  if (mpq_sgn(multiplier.low) < 0) mpq_set_ui(multiplier.low, 0, 1);
  set_integer(product->low, low);
  set_integer(product->high, high);
  enclosed_round(product);
  mpq_mul(product->low, product->low, low < 0 ? multiplier.high : multiplier.low);
  mpq_mul(product->high, product->high, high < 0 ? multiplier.low : multiplier.high);
  enclosed_round(product);
  enclosed_deinit(&multiplier);
}

static void add_zero_point(enclosed_t *number, int64_t zero_point) {
  if (zero_point == 0) return;
  enclosed_t addend;
  enclosed_init(&addend, number->format);
  set_integer(addend.low, zero_point);
  set_integer(addend.high, zero_point);
  enclosed_round(&addend);
  mpq_add(number->low, number->low, addend.low);
  mpq_add(number->high, number->high, addend.high);
  enclosed_round(number);
  enclosed_deinit(&addend);
}

/* ---- Storage values -------------------------------------------------------------------------- */

static int64_t clamp_stored(const quantum_t *quantum, dot_integer_t value) {
  return (int64_t)CLAMP(value, quantum->storage_min, quantum->storage_max);
}

/* Rounded once; with the zero point, or before it is added. */
static int64_t rescale_once(const dot_rescale_t *rescale, dot_integer_t sum, bool is_last) {
  const int64_t zero_point = rescale->result.zero_point;
  mpq_t value, factor;
  mpq_inits(value, factor, NULL);
  set_multiplier(value, rescale);
  set_integer(factor, sum);
  mpq_mul(value, value, factor);
  set_integer(factor, is_last ? 0 : zero_point);
  mpq_add(value, value, factor);
  dot_integer_t whole = round_to_integer(value) + (is_last ? zero_point : 0);
  mpq_clears(value, factor, NULL);
  return clamp_stored(&rescale->result, whole);
}

int64_t dot_rescale_exactly(const dot_rescale_t *rescale, dot_integer_t sum) {
  return rescale_once(rescale, sum, false);
}

/* In either order, if both are permitted. */
static storage_range_t rescale_exactly(const dot_rescale_t *rescale, dot_integer_t least,
                                       dot_integer_t most) {
  storage_range_t range = {rescale_once(rescale, least, false), rescale_once(rescale, most, false)};
  if (!rescale->zero_point_last) return range;
  range.low = MIN(range.low, rescale_once(rescale, least, true));
  range.high = MAX(range.high, rescale_once(rescale, most, true));
  return range;
}

/* Ends of the storage range that are no numbers of the format may be rounded inwards. */
static void admit_rounded_ends(const dot_rescale_t *rescale, storage_range_t *range) {
  const quantum_t *quantum = &rescale->result;
  double most = format_round_double(rescale->arithmetic, (double)quantum->storage_max);
  double least = format_round_double(rescale->arithmetic, (double)quantum->storage_min);
  if ((double)range->low > most) range->low = (int64_t)most;
  if ((double)range->high < least) range->high = (int64_t)least;
}

/* In every way of fixed point.  None of them decreases, so that the ends tell. */
static void admit_fixed(const dot_rescale_t *rescale, dot_integer_t least, dot_integer_t most,
                        storage_range_t *inout_range) {
  const quantum_t *quantum = &rescale->result;
  fixed_multiplier_t multipliers[FIXED_MULTIPLIERS];
  fixed_multipliers_of(rescale->lhs_scale, rescale->rhs_scale, quantum->scale, rescale->fixed,
                       multipliers);
  for (int i = 0; i < FIXED_MULTIPLIERS; i++) {
    for (fixed_way_t way = 0; way < FIXED_WAYS; way++) {
      dot_integer_t low = fixed_multiply(least, multipliers[i], way) + quantum->zero_point;
      dot_integer_t high = fixed_multiply(most, multipliers[i], way) + quantum->zero_point;
      inout_range->low = MIN(inout_range->low, clamp_stored(quantum, low));
      inout_range->high = MAX(inout_range->high, clamp_stored(quantum, high));
    }
  }
}

static storage_range_t rescale_in_floats(const dot_rescale_t *rescale, dot_integer_t least,
                                         dot_integer_t most) {
  const quantum_t *quantum = &rescale->result;
  enclosed_t number;
  enclosed_init(&number, rescale->arithmetic);
  enclose_product(&number, rescale, least, most);
  dot_integer_t low = round_to_integer(number.low) + quantum->zero_point;
  dot_integer_t high = round_to_integer(number.high) + quantum->zero_point;
  add_zero_point(&number, quantum->zero_point);
  low = MIN(low, round_to_integer(number.low));
  high = MAX(high, round_to_integer(number.high));
  enclosed_deinit(&number);
  storage_range_t range = {clamp_stored(quantum, low), clamp_stored(quantum, high)};
  admit_rounded_ends(rescale, &range);
  return range;
}

storage_range_t dot_rescale_all(const dot_rescale_t *rescale, dot_integer_t least,
                                dot_integer_t most) {
  storage_range_t range = rescale->arithmetic != NULL ? rescale_in_floats(rescale, least, most)
                                                      : rescale_exactly(rescale, least, most);
  if (rescale->fixed != NULL) admit_fixed(rescale, least, most, &range);
  return range;
}

storage_range_t dot_rescale(const dot_rescale_t *rescale, dot_integer_t sum) {
  return dot_rescale_all(rescale, sum, sum);
}
