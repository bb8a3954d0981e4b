/* SPDX-License-Identifier: Apache-2.0 */
/* Unites fast accept sets and converts them to the result type. Keeps them inside the exact sets:
 * an interval that does not touch another, overflows or vanishes is left to the exact decision. */
#include "oracles/exact/sum/simd_result.h"

#include <math.h>
#include <string.h>

#include "oracles/exact/arithmetic.h"
#include "oracles/exact/error_bound.h"
#include "oracles/exact/magnitude.h"
#include "oracles/exact/sum/result.h"

/* An index whose set is unknown in either is unknown in the union: the exact side decides over
 * all splits. */
static void unite_unknown(accept_t *accept, const accept_t *other, arena_t *arena) {
  uint8_t *decide = arena_alloc(arena, accept->count);
  for (size_t i = 0; i < accept->count; i++) decide[i] = accept->decide[i] | other->decide[i];
  accept->decide = decide;
}

static void unite_specials(accept_t *accept, const accept_t *other, arena_t *arena) {
  if (accept->specials == NULL && other->specials == NULL) return;
  uint8_t *specials = arena_alloc_zeroed(arena, accept->count);
  for (size_t i = 0; i < accept->count; i++) {
    if (accept->specials != NULL) specials[i] |= accept->specials[i];
    if (other->specials != NULL) specials[i] |= other->specials[i];
  }
  accept->specials = specials;
}

/* The bound that is shown grows by the largest distance between the references, relative to the
 * magnitude: theory.md, T56. */
static void cover_other_reference(accept_t *accept, const accept_t *other) {
  double distance = 0;
  for (size_t i = 0; i < accept->count; i++) {
    double difference = fabs(accept->reference[i] - other->reference[i]);
    if (!(difference > 0) || !(accept->magnitude[i] > 0)) continue; /* NaN: unknown, unmeasured. */
    distance = fmax(distance, difference / accept->magnitude[i]);
  }
  upper_t factor = upper_of(fmax(accept->bound_factor, 2 * other->bound_factor));
  accept->bound_factor = upper_add(factor, upper_of(distance)).value;
  accept->bound_offset = fmax(accept->bound_offset, other->bound_offset);
}

/* What does not touch the first interval or the second stays with the exact side. */
static void widen(double *low, double *high, double other_low, double other_high) {
  if (other_low > *high || other_high < *low) return;
  *low = fmin(*low, other_low);
  *high = fmax(*high, other_high);
}

void fast_result_unite(accept_t *inout_accept, const accept_t *other, arena_t *arena) {
  accept_t *accept = inout_accept;
  unite_unknown(accept, other, arena);
  unite_specials(accept, other, arena);
  cover_other_reference(accept, other);
  if (accept->low == NULL) return; /* Everything is asked. */
  if (accept->other_low == NULL) {
    accept->other_low = other->low;
    accept->other_high = other->high;
    return;
  }
  double *low = ARENA_NEW_ARRAY(arena, double, accept->count);
  double *high = ARENA_NEW_ARRAY(arena, double, accept->count);
  for (size_t i = 0; i < accept->count; i++) {
    low[i] = accept->other_low[i];
    high[i] = accept->other_high[i];
    if (other->low[i] <= other->high[i]) widen(&low[i], &high[i], other->low[i], other->high[i]);
  }
  accept->other_low = low;
  accept->other_high = high;
}

/* Ends that leave the range, or vanish with a minus sign, are left to the exact side. */
static void convert_interval(const format_t *result, size_t count, const double **inout_low,
                             const double **inout_high, uint8_t *decide, arena_t *arena) {
  double *low = ARENA_NEW_ARRAY(arena, double, count);
  double *high = ARENA_NEW_ARRAY(arena, double, count);
  for (size_t i = 0; i < count; i++) {
    low[i] = format_round_double(result, (*inout_low)[i]);
    high[i] = format_round_double(result, (*inout_high)[i]);
    bool is_empty = (*inout_low)[i] > (*inout_high)[i];
    bool is_known =
        isfinite(low[i]) && isfinite(high[i]) && !(high[i] == 0 && (*inout_high)[i] < 0);
    decide[i] |= !is_empty && !is_known;
    if (is_empty || !is_known) {
      low[i] = 1;
      high[i] = -1;
    }
  }
  *inout_low = low;
  *inout_high = high;
}

/* The bound that is shown: theory.md, T24. */
void fast_result_convert(accept_t *inout_accept, const format_t *accumulation,
                         const format_t *result, arena_t *arena) {
  accept_t *accept = inout_accept;
  if (accept->low == NULL) return;
  if (sum_result_is_widening(accumulation, result)) {
    accept->grid = accumulation;
    return;
  }
  /* Numbers between the ends that the accumulation type has not may be results of none that it has.
   */
  if (!arithmetic_format_holds(accumulation, result)) accept->grid = accumulation;
  uint8_t *decide = arena_alloc(arena, accept->count);
  memcpy(decide, accept->decide, accept->count);
  convert_interval(result, accept->count, &accept->low, &accept->high, decide, arena);
  if (accept->other_low != NULL) {
    convert_interval(result, accept->count, &accept->other_low, &accept->other_high, decide, arena);
  }
  accept->decide = decide;
  if (!format_has_infinity(result)) accept->specials = NULL;
  double u = format_unit_roundoff(result);
  upper_t factor = upper_of(accept->bound_factor), offset = upper_of(accept->bound_offset);
  upper_t grown = upper_add(upper_of(1), factor);
  accept->bound_factor = upper_add(factor, upper_scale(grown, u)).value;
  offset = upper_add(offset, upper_scale(offset, u));
  accept->bound_offset = upper_add(offset, upper_of(format_smallest(result))).value;
}
