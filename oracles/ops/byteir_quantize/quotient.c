/* SPDX-License-Identifier: Apache-2.0 */
/* Quotients of one quantized element in every permitted variant (divide or multiply by the
 * inverse, working format, operands flushed), the storage values that follow, and the text that
 * describes them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "generated/byteir_quantize_permissions.h"
#include "generated/exact_permissions.h"
#include "oracles/formula/enclosed.h"
#include "oracles/ops/byteir_quantize/parts.h"

/* ---- The formulas ---------------------------------------------------------------------------- */

static void divide(formula_t *formula, const row_t operands[], row_t results[]) {
  row_t scale = quantize_spoil_scale(formula, operands[QUANTIZE_SCALE]);
  results[0] = formula_divide(formula, operands[QUANTIZE_INPUT], scale);
}

static void multiply_by_inverse(formula_t *formula, const row_t operands[], row_t results[]) {
  row_t scale = quantize_spoil_scale(formula, operands[QUANTIZE_SCALE]);
  row_t inverse = formula_divide(formula, formula_number(formula, 1), scale);
  results[0] = formula_multiply(formula, operands[QUANTIZE_INPUT], inverse);
}

formula_evaluate_t *const quotient_formulas[] = {divide, multiply_by_inverse};

/* ---- Variants -------------------------------------------------------------------------------- */

quotient_t quotient_make(const oracle_call_t *call, const byteir_quantize_channels_t *channels,
                         size_t element) {
  const case_t *instance = call->instance;
  const tensor_t *input = &instance->operands[QUANTIZE_INPUT];
  const tensor_t *scale = &instance->operands[QUANTIZE_SCALE];
  const tensor_t *zero_point = &instance->operands[QUANTIZE_ZERO_POINT];
  size_t channel = byteir_quantize_channel(channels, element);
  return (quotient_t){.program = &instance->program,
                      .contract = call->contract,
                      .arena = call->arena,
                      .format = input->type.element->format,
                      .input = element_load(input->type.element, input->data, element),
                      .scale = element_load(scale->type.element, scale->data, channel),
                      .zero_point = storage_load(zero_point, channel),
                      .storage = storage_of(zero_point->type.element)};
}

static bool may_flush(const quotient_t *quotient, uint64_t bits) {
  uint8_t ftz = PERMITTED(quotient->contract, ftz);
  return (ftz == FTZ_INPUTS || ftz == FTZ_BOTH) && format_is_subnormal(quotient->format, bits);
}

/* One variant for each choice of operands that are flushed. */
static size_t add_variants(const quotient_t *quotient, quotient_variant_t variant,
                           quotient_variant_t *out_variants) {
  size_t count = 0;
  for (int input = 0; input <= may_flush(quotient, quotient->input); input++) {
    for (int scale = 0; scale <= may_flush(quotient, quotient->scale); scale++) {
      variant.flushes_input = input != 0;
      variant.flushes_scale = scale != 0;
      out_variants[count++] = variant;
    }
  }
  return count;
}

size_t quotient_variants(const quotient_t *quotient, uint8_t first, uint8_t last,
                         quotient_variant_t out_variants[QUOTIENT_VARIANTS_MAX]) {
  bool is_short = quotient->format->bits == 16;
  bool may_be_native = is_short && contract_permits_native(quotient->contract);
  size_t count = 0;
  for (int is_native = 0; is_native <= may_be_native; is_native++) {
    bool is_wide = is_short && is_native == 0;
    quotient_variant_t variant = {.format = is_wide ? &format_table[FORMAT_f32] : quotient->format,
                                  .is_native = is_native != 0};
    for (uint8_t formula = first; formula <= last; formula++) {
      g_assert(count + 4 <= QUOTIENT_VARIANTS_MAX);
      variant.formula = formula;
      count += add_variants(quotient, variant, out_variants + count);
    }
  }
  return count;
}

/* ---- Quotients ------------------------------------------------------------------------------- */

static row_t load(formula_t *formula, const quotient_t *quotient, uint64_t bits, bool flushes) {
  bool negative = format_is_negative(quotient->format, bits);
  if (flushes) bits = format_from_double(quotient->format, negative ? -0.0 : 0.0);
  return enclosed_load(formula, quotient->format, &bits, 1);
}

/* Which operands are flushed the variant says; what is computed from them may be in any case. */
static const enclosed_t *enclose(const quotient_t *quotient, const quotient_variant_t *variant,
                                 bool is_exact) {
  contract_t contract = *quotient->contract;
  if (PERMITTED(&contract, ftz) != FTZ_NONE) PERMITTED(&contract, ftz) = FTZ_OUTPUTS;
  const enclosing_t settings = {.is_exact = is_exact};
  formula_t formula = {.evaluator = &enclosed_evaluator,
                       .settings = &settings,
                       .program = quotient->program,
                       .format = variant->format,
                       .contract = &contract,
                       .arena = quotient->arena};
  const row_t operands[] = {
      [QUANTIZE_INPUT] = load(&formula, quotient, quotient->input, variant->flushes_input),
      [QUANTIZE_SCALE] = load(&formula, quotient, quotient->scale, variant->flushes_scale)};
  row_t result;
  quotient_formulas[variant->formula](&formula, operands, &result);
  enclosed_join_zero(result.enclosed); /* Quanta are told by the ends alone. */
  return result.enclosed;
}

/* ---- Integers -------------------------------------------------------------------------------- */

int64_t quantize_double(double quotient, bool ties_away, int64_t zero_point, storage_t storage) {
  double near = CLAMP(quotient, -QUOTIENT_LARGEST, QUOTIENT_LARGEST);
  int64_t whole = (int64_t)(ties_away ? round(near) : nearbyint(near));
  return CLAMP(whole + zero_point, storage.smallest, storage.largest);
}

/* The same for an end of an enclosure.  (Rounding it to binary64 first might make a tie of it.) */
static int64_t quantize_end(const quotient_t *quotient, mpfr_srcptr end, bool ties_away) {
  if (mpfr_cmp_d(end, QUOTIENT_LARGEST) > 0) return quotient->storage.largest;
  if (mpfr_cmp_d(end, -QUOTIENT_LARGEST) < 0) return quotient->storage.smallest;
  mpfr_t whole;
  mpfr_init2(whole, ENCLOSED_PRECISION);
  if (ties_away) mpfr_round(whole, end);
  if (!ties_away) mpfr_rint(whole, end, MPFR_RNDN);
  int64_t quantum = mpfr_get_si(whole, MPFR_RNDN) + quotient->zero_point;
  mpfr_clear(whole);
  return CLAMP(quantum, quotient->storage.smallest, quotient->storage.largest);
}

/* Rounding, adding and clamping are monotone, each way to round ties: so the numbers of an interval
 * become the integers between what its ends become.  (A few of these nobody returns, where nodes
 * may be wider than 16-bit arithmetic: its numbers lie farther apart than integers, once they have
 * more than p bits.) */
quantum_set_t quotient_set(const quotient_t *quotient, const quotient_variant_t *variant) {
  const enclosed_t *set = enclose(quotient, variant, false);
  quantum_set_t quanta = {
      .low = INT64_MAX,
      .high = INT64_MIN,
      .smallest = (set->specials & ENCLOSED_NEGATIVE_INFINITY) != 0,
      .largest = (set->specials & ENCLOSED_POSITIVE_INFINITY) != 0,
      .nan = (set->specials & ENCLOSED_NAN) != 0,
  };
  uint8_t ties = PERMITTED(quotient->contract, quantize_ties);
  for (int away = 0; set->has_finite && away <= 1; away++) {
    if (ties == (away != 0 ? QUANTIZE_TIES_EVEN : QUANTIZE_TIES_AWAY)) continue;
    quanta.low = MIN(quanta.low, quantize_end(quotient, set->low, away != 0));
    quanta.high = MAX(quanta.high, quantize_end(quotient, set->high, away != 0));
  }
  return quanta;
}

/* The ends of the exact quotient differ, by 2^-127 of it, unless it is a number of binary64 or so;
 * one that is no tie is farther from all ties: they are m / 2 with |m| < 2^21, and operands are
 * integers below 2^53 times powers of two, so that the distance is at least 2^-76 of it. */
bool quotient_exact(const quotient_t *quotient, int64_t *out_quantum) {
  const quotient_variant_t variant = {.format = quotient->format};
  const enclosed_t *exact = enclose(quotient, &variant, true);
  if ((exact->specials & ENCLOSED_NAN) != 0) return false;
  if (exact->has_finite) {
    bool ties_away = PERMITTED(quotient->contract, quantize_ties) == QUANTIZE_TIES_AWAY;
    *out_quantum = quantize_end(quotient, exact->low, ties_away);
  } else {
    bool is_negative = (exact->specials & ENCLOSED_NEGATIVE_INFINITY) != 0;
    *out_quantum = is_negative ? quotient->storage.smallest : quotient->storage.largest;
  }
  return true;
}

/* ---- Sets ------------------------------------------------------------------------------------ */

bool quantum_set_holds(const quantum_set_t *set, const storage_t *storage, int64_t quantum) {
  return (set->low <= quantum && quantum <= set->high) ||
         (set->smallest && quantum == storage->smallest) ||
         (set->largest && quantum == storage->largest);
}

bool quotient_nan_permits(const quotient_t *quotient, int64_t quantum) {
  switch (PERMITTED(quotient->contract, quantize_nan)) {
    case QUANTIZE_NAN_SMALLEST:
      return quantum == quotient->storage.smallest;
    case QUANTIZE_NAN_ZERO_POINT:
      return quantum == quotient->zero_point;
    default:
      return true;
  }
}

/* low..high, or nothing if low > high. */
typedef struct interval {
  int64_t low;
  int64_t high;
} interval_t;

static int compare_intervals(const void *a, const void *b) {
  const interval_t *left = a, *right = b;
  if (left->low != right->low) return left->low < right->low ? -1 : 1;
  return (left->high > right->high) - (left->high < right->high);
}

static void print_interval(const interval_t *interval, GString *text) {
  if (text->len > 0) g_string_append(text, " or ");
  long long low = interval->low, high = interval->high;
  if (low == high) {
    g_string_append_printf(text, "%lld", low);
  } else if (high == low + 1) {
    g_string_append_printf(text, "{%lld, %lld}: near-tie", low, high);
  } else {
    g_string_append_printf(text, "%lld .. %lld", low, high);
  }
}

/* Those that overlap are printed as one. */
static void print_intervals(interval_t *intervals, size_t count, GString *text) {
  qsort(intervals, count, sizeof *intervals, compare_intervals);
  for (size_t i = 0; i < count;) {
    interval_t whole = intervals[i++];
    for (; i < count && intervals[i].low <= whole.high; i++) {
      whole.high = MAX(whole.high, intervals[i].high);
    }
    if (whole.low <= whole.high) print_interval(&whole, text);
  }
}

void quantum_sets_print(const quotient_t *quotient, const quantum_set_t *sets, size_t count,
                        char *out, size_t out_bytes) {
  const storage_t *storage = &quotient->storage;
  interval_t intervals[3 * QUOTIENT_VARIANTS_MAX];
  size_t interval_count = 0;
  bool nan = false;
  for (size_t i = 0; i < count; i++) {
    const quantum_set_t *set = &sets[i];
    if (set->low <= set->high) intervals[interval_count++] = (interval_t){set->low, set->high};
    if (set->smallest) {
      intervals[interval_count++] = (interval_t){storage->smallest, storage->smallest};
    }
    if (set->largest) {
      intervals[interval_count++] = (interval_t){storage->largest, storage->largest};
    }
    nan = nan || set->nan;
  }
  GString *text = g_string_new(NULL);
  print_intervals(intervals, interval_count, text);
  if (nan) {
    if (text->len > 0) g_string_append(text, " or ");
    uint8_t policy = PERMITTED(quotient->contract, quantize_nan);
    int64_t quantum = policy == QUANTIZE_NAN_SMALLEST ? storage->smallest : quotient->zero_point;
    if (policy == QUANTIZE_NAN_ANY)
      g_string_append(text, "any (NaN)");
    else
      g_string_append_printf(text, "%lld (NaN)", (long long)quantum);
  }
  snprintf(out, out_bytes, "%s", text->str);
  g_string_free(text, TRUE);
}
