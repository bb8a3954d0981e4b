/* SPDX-License-Identifier: Apache-2.0 */
/* Turns exact sums and magnitudes, computed for many components at once, into accept intervals.
 * Components with infinities, NaNs or sums near overflow get flags or are marked for the exact
 * decision. */
#include "oracles/exact/sum/simd.h"

#include <string.h>

#include "harness/num/binary64.h"
#include "oracles/exact/in_order/in_order.h"
#include "oracles/exact/instruction_sets.h"
#include "oracles/exact/matmul/enclosure_round.h"

accept_t accept_decide_all(size_t count, arena_t *arena) {
  uint8_t *decide = arena_alloc(arena, count);
  memset(decide, 1, count);
  return (accept_t){.count = count, .decide = decide};
}

/* The least magnitude that surely overflows when rounded to nearest: half an ulp, and what binary64
 * roundings of up to 2^24 terms may lose, above the largest number (theory.md, T20). */
static double overflow_threshold(const format_t *format) {
  double largest = format_to_double(format, format->largest_bits);
  return (largest + binary64_power(format->exponent_max - format->precision)) * (1 + 0x1p-28);
}

/* The magnitude may be this factor too large: theory.md, T50. */
static const double magnitude_slack = 1 + 0x1p-10;

/* References are rounded to binary64, where they have no tail: times the magnitude. */
static const double reference_slack = 0x1p-50;

special_limits_t special_limits_make(const format_t *format, const contract_t *contract,
                                     bool is_complex_product) {
  special_limits_t limits = {.threshold = overflow_threshold(format),
                             .is_complex_product = is_complex_product};
  if (PERMITTED(contract, order) != ORDER_ANY || format->specials == FORMAT_FINITE) return limits;
  bool has_infinity = format_has_infinity(format);
  limits.above = has_infinity ? ACCEPT_POSITIVE_INFINITY : ACCEPT_NAN;
  limits.below = has_infinity ? ACCEPT_NEGATIVE_INFINITY : ACCEPT_NAN;
  limits.both = ACCEPT_NAN;
  return limits;
}

/* theory.md, T124. */
uint8_t special_few_flags(const special_sum_t *sum, size_t terms, const format_t *format,
                          const contract_t *contract) {
  double kept = fmax(0, 1 - 2 * (double)(terms + 1) * format_unit_roundoff(format));
  const special_sum_t least = {.positive = sum->positive * kept, .negative = sum->negative * kept};
  const double more = 1 + 0x1p-20; /* Than what binary64 may have lost of the sums. */
  const special_sum_t most = {.positive = sum->positive * more, .negative = sum->negative * more};
  const special_limits_t limits = special_limits_make(format, contract, false);
  uint8_t sure = special_sum_flags(&limits, &least);
  uint8_t possible = special_sum_flags(&limits, &most);
  if ((sure & ACCEPT_NAN) != 0) return ACCEPT_NAN;
  return (possible & ACCEPT_NAN) != 0 ? 0 : sure;
}

/* No finite number conforms, or none is known to. */
static void forbid_finite(double *low, double *high) {
  *low = 1;
  *high = -1;
}

/* No finite number where an enclosure lies at or beyond the largest one (theory.md, T91). */
INLINE void forbid_beyond(const accept_t *accept, const error_bound_t *bound, double largest,
                          double *restrict low, double *restrict high) {
  const double *restrict reference = accept->reference, *restrict magnitude = accept->magnitude;
  const double factor = bound->factor, offset = bound->offset;
  for (size_t i = 0; i < accept->count; i++) {
    /* The magnitude may be 2^-10 too large, which would hide that nothing finite is left. */
    double error = (factor * magnitude[i] + offset) * (1 - 0x1p-9);
    int64_t beyond = -(int64_t)(fabs(reference[i]) - error >= largest);
    int64_t one = (int64_t)binary64_bits(1) & beyond, sign = (int64_t)BINARY64_SIGN & beyond;
    low[i] = binary64_value((uint64_t)(((int64_t)binary64_bits(low[i]) & ~beyond) | one));
    high[i] = binary64_value((uint64_t)(((int64_t)binary64_bits(high[i]) & ~beyond) | one | sign));
  }
}

#if HAS_TARGETS
TARGET_AVX2 static void forbid_beyond_avx2(const accept_t *accept, const error_bound_t *bound,
                                           double largest, double *low, double *high) {
  forbid_beyond(accept, bound, largest, low, high);
}
#endif

static void forbid_beyond_by_machine(const accept_t *accept, const error_bound_t *bound,
                                     double largest, double *low, double *high) {
#if HAS_TARGETS
  if (instruction_set() != ISA_PLAIN) {
    forbid_beyond_avx2(accept, bound, largest, low, high);
    return;
  }
#endif
  forbid_beyond(accept, bound, largest, low, high);
}

/* Components with terms that are not finite are known now; and where an enclosure lies at or beyond
 * the largest number, what is finite is left to the exact side. */
static void take_specials(const fast_sums_t *sums, const accept_t *accept, const format_t *format,
                          const error_bound_t *bound, double *low, double *high) {
  /* A little less, for the half ulp of the reference and the roundings of this comparison: it may
   * only leave more to the exact side (theory.md, T91). */
  double largest = format_to_double(format, format->largest_bits) * (1 - 0x1p-40);
  forbid_beyond_by_machine(accept, bound, largest, low, high);
  if (memchr(sums->decide, 1, accept->count) == NULL) return;
  for (size_t i = 0; i < accept->count; i++) {
    if (sums->decide[i] == 0) continue;
    forbid_finite(&low[i], &high[i]);
    sums->decide[i] = sums->special[i] == 0;
  }
}

/* NaN for references that are not known. */
static void forget_unknown(const fast_sums_t *sums, arena_t *arena, accept_t *accept) {
  if (memchr(sums->decide, 1, accept->count) == NULL) return;
  double *known = ARENA_NEW_ARRAY(arena, double, accept->count);
  double *magnitude = ARENA_NEW_ARRAY(arena, double, accept->count);
  for (size_t i = 0; i < accept->count; i++) {
    bool unknown = sums->decide[i] != 0;
    known[i] = unknown ? (double)NAN : accept->reference[i];
    magnitude[i] = unknown ? 0 : accept->magnitude[i];
  }
  accept->reference = known;
  accept->magnitude = magnitude;
}

/* Intervals, by component. */
typedef struct intervals {
  double *low;
  double *high;
} intervals_t;

static void set_ends(const accept_t *accept, size_t first, size_t count, const format_t *format,
                     const error_bound_t *bound, const intervals_t *out) {
  enclosure_t enclosure = {
      .count = count,
      .reference = accept->reference + first,
      .reference_tail = accept->reference_tail == NULL ? NULL : accept->reference_tail + first,
      .magnitude = accept->magnitude + first,
      .factor =
          bound->factor - accept->rough_error, /* Less than nothing, maybe: theory.md, T296. */
      .offset = bound->offset,
      .format = format,
      .ends = ENCLOSURE_NEAREST,
      .side = ENCLOSURE_INSIDE, /* The fast side may only be too small. */
  };
  enclosure_round_ends(&enclosure, out->low + first, out->high + first);
}

/* x* rounded, of some components.  One beyond the largest number has no finite neighbour that is
 * sure, also where the bound of a sum would have. */
static void set_rounded_once(const accept_t *accept, size_t first, size_t count,
                             const format_t *format, const intervals_t *out) {
  const error_bound_t rounded_once = {.factor = 0};
  set_ends(accept, first, count, format, &rounded_once, out);
  double largest = format_to_double(format, format->largest_bits);
  for (size_t i = first; i < first + count; i++) {
    if (fabs(accept->reference[i]) >= largest) forbid_finite(&out->low[i], &out->high[i]);
  }
}

/* Where one operation rounds, x* rounded is all that is sure: whether a wider node may round it
 * before that is left to the exact side. */
static void set_all_ends(const fast_sums_t *sums, const accept_t *accept, const format_t *format,
                         const error_bound_t *bound, arena_t *arena, const intervals_t *out) {
  set_ends(accept, 0, accept->count, format, bound, out);
  if (sums->few_terms == NULL) return;
  arena_mark_t mark = arena_mark(arena);
  const intervals_t once = {.low = ARENA_NEW_ARRAY(arena, double, accept->count),
                            .high = ARENA_NEW_ARRAY(arena, double, accept->count)};
  set_rounded_once(accept, 0, accept->count, format, &once);
  for (size_t i = 0; i < accept->count; i++) {
    out->low[i] = sums->few_terms[i] != 0 ? once.low[i] : out->low[i];
    out->high[i] = sums->few_terms[i] != 0 ? once.high[i] : out->high[i];
  }
  arena_rewind(arena, mark);
}

/* Of few terms x* rounded is sure where wider nodes are permitted, and so are likely results. */
static void set_likely_ends(const fast_sums_t *sums, const format_t *format,
                            const contract_t *contract, arena_t *arena, accept_t *accept,
                            const intervals_t *ends) {
  size_t count = accept->count;
  double *other_low = ARENA_NEW_ARRAY(arena, double, count);
  double *other_high = ARENA_NEW_ARRAY(arena, double, count);
  uint8_t *treeless = ARENA_NEW_ARRAY(arena, uint8_t, count);
  for (size_t i = 0; i < count; i++) {
    forbid_finite(&other_low[i], &other_high[i]);
    treeless[i] = sums->decide[i] == 0 && !sums->likely[i].is_known ? 1 : 0;
    accept->treeless_count += treeless[i];
    if (sums->decide[i] != 0 || !sums->likely[i].is_known) continue;
    if (PERMITTED(contract, ftz) != FTZ_NONE) {
      sums->decide[i] = 1; /* The exact side knows whether something may be flushed. */
      continue;
    }
    double *low = &ends->low[i], *high = &ends->high[i];
    set_rounded_once(accept, i, 1, format, ends);
    if (PERMITTED(contract, accum_wider) == ACCUM_WIDER_NO) forbid_finite(low, high);
    const likely_ends_t likely = {low, high, &other_low[i], &other_high[i]};
    likely_sums_extend(&sums->likely[i], format, &likely);
  }
  accept->other_low = other_low;
  accept->other_high = other_high;
  accept->treeless = treeless;
}

/* As the exact side counts them: additions, and products if they can round. */
static size_t shape_roundings(bound_shape_t shape) {
  size_t additions = shape.terms == 0 ? 0 : shape.terms - 1;
  return additions + (shape.products_round || shape.products_underflow ? 1 : 0);
}

/* Of the sum of all terms of one sign, whichever is larger: half of the magnitude and of what the
 * sum is, or less or more than that.  A sum that may be exact has so few bits that its reference is
 * no other number, but in binary64. */
static sum_reach_t reach_of(const fast_sums_t *sums, const accept_t *accept, const format_t *format,
                            size_t component, bool is_most) {
  double magnitude = accept->magnitude[component], total = fabs(accept->reference[component]);
  bool may_be_rounded = format->precision + 2 > BINARY64_FRACTION_BITS + 1;
  double error = (sums->rough_error + (may_be_rounded ? reference_slack : 0)) * magnitude;
  double least = magnitude / magnitude_slack;
  if (is_most) return (sum_reach_t){(magnitude + (total + error)) / 2, magnitude};
  return (sum_reach_t){(least + fmax(total - error, 0)) / 2, least};
}

/* Sums that no schedule rounds have one value (theory.md, T17 and T300).  Where the slack of the
 * magnitude leaves that open, the exact side decides. */
static void narrow_exact_sums(const fast_sums_t *sums, const accept_t *accept,
                              const format_t *format, double *low, double *high) {
  /* As error_bound_sum_is_exact() has it, of a magnitude that is not 0. */
  const int bits = sums->shape.imprecise_bits, least = format->exponent_min - format->precision + 1;
  const double largest = format_to_double(format, format->largest_bits);
  for (size_t i = 0; i < accept->count; i++) {
    double magnitude = accept->magnitude[i];
    int lowest_bit = sums->lowest_bit[i];
    if (sums->decide[i] != 0 || !fast_sums_may_be_exact(format, magnitude, lowest_bit)) continue;
    bool is_plain = bits == 0 && magnitude != 0 && lowest_bit >= least && magnitude <= largest;
    if (is_plain && magnitude <= binary64_power(lowest_bit + format->precision)) {
      low[i] = high[i] = accept->reference[i];
      continue;
    }
    /* In binary64, products below all numbers have no magnitude either: 0 is among what they may
     * give. */
    const sum_reach_t most = reach_of(sums, accept, format, i, true);
    const sum_reach_t fewest = reach_of(sums, accept, format, i, false);
    if (magnitude == 0 || error_bound_aligned_sum_is_exact(format, bits, lowest_bit, most)) {
      low[i] = high[i] = accept->reference[i];
    } else {
      sums->decide[i] |= error_bound_aligned_sum_is_exact(format, bits, lowest_bit, fewest);
    }
  }
}

/* theory.md, T10 to T17 and T123, for the fast side. */
accept_t fast_sums_finish(fast_sums_t *sums, const format_t *format, const contract_t *contract,
                          arena_t *arena) {
  accept_t accept = sums->accept;
  contract_t strict = *contract; /* Flushing only adds permissions: the exact side grants them. */
  PERMITTED(&strict, ftz) = FTZ_NONE;
  error_bound_t bound = error_bound_sum(format, &strict, sums->shape);
  bound.factor = bound.sure_factor; /* theory.md, T123: the exact side decides what lies beyond. */
  bool is_rounded_once = shape_roundings(sums->shape) <= 1 && sums->shape.imprecise_bits == 0;
  accept.bound_factor = bound.total_factor;
  accept.bound_offset = bound.total_offset;
  accept.unit_roundoff = format_unit_roundoff(format);
  accept.decide = sums->decide;
  accept.is_rough = sums->rough_error > 0;
  accept.rough_error = sums->rough_error;
  forget_unknown(sums, arena, &accept);
  if (sums->has_schedules && in_order_matters(shape_roundings(sums->shape), contract)) {
    memset(sums->decide, 1, accept.count); /* The schedules decide. */
    return accept;
  }
  if (is_rounded_once) bound.factor = bound.offset = 0;
  double *low = ARENA_NEW_ARRAY(arena, double, accept.count);
  double *high = ARENA_NEW_ARRAY(arena, double, accept.count);
  accept.low = low;
  accept.high = high;
  const intervals_t ends = {.low = low, .high = high};
  set_all_ends(sums, &accept, format, &bound, arena, &ends);
  if (sums->likely != NULL && !is_rounded_once) {
    set_likely_ends(sums, format, contract, arena, &accept, &ends);
  }
  if (sums->lowest_bit != NULL) narrow_exact_sums(sums, &accept, format, low, high);
  if (sums->special == NULL) return accept;
  take_specials(sums, &accept, format, &bound, low, high);
  accept.specials = sums->special;
  return accept;
}
