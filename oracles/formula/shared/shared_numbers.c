/* SPDX-License-Identifier: Apache-2.0 */
/* Records what the numbers of a row may be, and keeps them within narrower intervals. */
#include "oracles/formula/shared/shared_numbers.h"

#include <glib.h>

#include "oracles/formula/enclosed_set.h"

static shared_numbers_t *numbers_of(const formula_t *formula) {
  return (shared_numbers_t *)formula->shared;
}

static bool is_special(const enclosed_t *set) {
  const uint8_t not_finite = ENCLOSED_NAN | ENCLOSED_POSITIVE_INFINITY | ENCLOSED_NEGATIVE_INFINITY;
  return !set->has_finite || (set->specials & not_finite) != 0 || !mpfr_number_p(set->low) ||
         !mpfr_number_p(set->high);
}

static enclosed_t *copy_of(arena_t *arena, const enclosed_t *set) {
  enclosed_t *copy = enclosed_new(arena, 1);
  enclosed_copy(copy, set);
  return copy;
}

static enclosed_t *interval_of(arena_t *arena, const enclosed_t *set) {
  enclosed_t *interval = copy_of(arena, set);
  enclosed_join_zero(interval);
  return interval;
}

static row_t record(shared_numbers_t *numbers, row_t row, bool is_given) {
  g_assert(numbers->next < SHARED_NUMBERS_MAX);
  numbers->has_special = numbers->has_special || is_special(row.enclosed);
  numbers->numbers[numbers->next++] = (shared_number_t){
      .is_given = is_given,
      .recorded = copy_of(numbers->arena, row.enclosed),
      .within = interval_of(numbers->arena, row.enclosed),
      .found = interval_of(numbers->arena, row.enclosed),
  };
  numbers->count = numbers->next;
  return row;
}

static void set_middle(const formula_t *formula, enclosed_t *inout) {
  if (mpfr_equal_p(inout->low, inout->high)) return;
  LOCAL_NUMBER(middle);
  mpfr_add(middle, inout->low, inout->high, MPFR_RNDN);
  mpfr_div_2ui(middle, middle, 1, MPFR_RNDN);
  if (numbers_of(formula)->mode == SHARED_NEAREST) {
    mpfr_t nearest;
    mpfr_init2(nearest, formula->format->precision);
    mpfr_set(nearest, middle, MPFR_RNDN);
    bool is_inside =
        mpfr_lessequal_p(inout->low, nearest) && mpfr_lessequal_p(nearest, inout->high);
    if (is_inside) mpfr_set(middle, nearest, MPFR_RNDN);
    mpfr_clear(nearest);
  }
  mpfr_set(inout->low, middle, MPFR_RNDN);
  mpfr_set(inout->high, middle, MPFR_RNDN);
}

/* Of a set that does not reach zero. */
static void forget_zeros(enclosed_t *inout) {
  inout->specials &= (uint8_t)~(ENCLOSED_POSITIVE_ZERO | ENCLOSED_NEGATIVE_ZERO);
}

static bool reaches_zero(const enclosed_t *set) {
  return mpfr_sgn(set->low) <= 0 && mpfr_sgn(set->high) >= 0;
}

/* Its zeros lie apart from its other numbers, if it has some (theory.md, T100). */
static void set_zero(enclosed_t *inout) {
  mpfr_set_zero(inout->low, 1);
  mpfr_set_zero(inout->high, 1);
  inout->has_finite = true;
}

/* Keeps of a set what lies within the interval.  Returns false if that is nothing. */
static bool cut(enclosed_t *inout, const enclosed_t *within, bool *out_may_be_zero) {
  *out_may_be_zero = enclosed_has_zero(inout) && reaches_zero(within);
  if (!inout->has_finite) return false;
  mpfr_max(inout->low, inout->low, within->low, MPFR_RNDD);
  mpfr_min(inout->high, inout->high, within->high, MPFR_RNDU);
  if (mpfr_lessequal_p(inout->low, inout->high)) return true;
  if (*out_may_be_zero) set_zero(inout);
  return *out_may_be_zero;
}

/* Keeps of `row` what the number is to lie in. */
static row_t restrict_number(formula_t *formula, row_t row) {
  shared_numbers_t *numbers = numbers_of(formula);
  bool is_point = numbers->mode != SHARED_WITHIN || numbers->next < numbers->fixed;
  shared_number_t *number = &numbers->numbers[numbers->next++];
  enclosed_t *set = copy_of(formula->arena, row.enclosed);
  bool may_be_zero;
  if (!cut(set, number->within, &may_be_zero)) {
    numbers->is_empty = true;
    enclosed_copy(set, number->within);
    may_be_zero = false;
  }
  if (is_point && numbers->mode == SHARED_NEAREST && may_be_zero) {
    set_zero(set);
  } else if (is_point) {
    set_middle(formula, set);
  } else if (may_be_zero) {
    enclosed_join_zero(set);
  }
  if (!reaches_zero(set)) forget_zeros(set);
  enclosed_copy(number->found, set);
  return (row_t){.count = 1, .enclosed = set};
}

static row_t keep(formula_t *formula, row_t row, bool is_given) {
  shared_numbers_t *numbers = numbers_of(formula);
  if (numbers->mode == SHARED_RECORD) return record(numbers, row, is_given);
  g_assert(numbers->next < numbers->count && !numbers->numbers[numbers->next].is_given);
  return restrict_number(formula, row);
}

static row_t replay(formula_t *formula) {
  const shared_numbers_t *numbers = numbers_of(formula);
  g_assert(numbers->next < numbers->count && numbers->numbers[numbers->next].is_given);
  row_t recorded = {.count = 1, .enclosed = numbers->numbers[numbers->next].recorded};
  return restrict_number(formula, recorded);
}

void shared_numbers_init(shared_numbers_t *out_numbers, arena_t *arena) {
  *out_numbers = (shared_numbers_t){
      .as_shared = {.base = &enclosed_evaluator, .keep = keep, .replay = replay}, .arena = arena};
}

void shared_numbers_start(shared_numbers_t *numbers, shared_mode_t mode) {
  numbers->mode = mode;
  numbers->as_shared.is_recording = mode == SHARED_RECORD;
  numbers->next = 0;
  numbers->is_empty = false;
}
