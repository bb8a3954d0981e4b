/* SPDX-License-Identifier: Apache-2.0 */
/* Holds answers that nobody had computed against fast sets. */
#include "harness/judge/vacuity.h"

#include <float.h>
#include <math.h>

#include "harness/num/binary64.h"

/* The pattern that an answer has at a component whose exact value, rounded, is `right`; false if
 * the element type has none. */
static bool find_bits(const element_t *element, blind_answer_t answer, uint64_t right,
                      uint64_t *out_bits) {
  const format_t *format = element->format;
  switch (answer) {
    case BLIND_ZERO:
      *out_bits = 0;
      return true;
    case BLIND_NAN:
      if (format == NULL) return false;
      *out_bits = format_from_double(format, NAN);
      return format_is_nan(format, *out_bits);
    default:
      *out_bits = format == NULL ? right << 1 & element_mask(element)
                                 : format_from_double(format, 2 * format_to_double(format, right));
      return true;
  }
}

/* The exact value, rounded; false if the fast set does not know it, or it is not finite. */
static bool find_right(const accept_t *accept, const element_t *element, size_t i,
                       uint64_t *out_bits) {
  const format_t *format = element->format;
  bool has_reference = format != NULL && accept->reference != NULL;
  if (has_reference && isfinite(accept->reference[i])) {
    *out_bits = format_from_double(format, accept->reference[i]);
  } else if (accept->bits != NULL) {
    *out_bits = accept->bits[i];
  } else {
    return false;
  }
  return format == NULL || isfinite(format_to_double(format, *out_bits));
}

static bool is_zero(const element_t *element, uint64_t bits) {
  return bits == 0 || (element->format != NULL && format_to_double(element->format, bits) == 0);
}

/* Whether the component permits an answer; *out_is_wrong if that is not what is right there. */
static bool permits(const accept_t *accept, const element_t *element, size_t i,
                    blind_answer_t answer, bool *out_is_wrong) {
  uint64_t right = 0, bits = 0;
  bool is_known = find_right(accept, element, i, &right);
  *out_is_wrong = false;
  if (answer == BLIND_DOUBLED && !is_known) { /* Twice a special value is that value. */
    return accept->low == NULL || accept->low[i] > accept->high[i];
  }
  if (!find_bits(element, answer, right, &bits)) return false;
  bool are_zeros = is_known && is_zero(element, right) && is_zero(element, bits);
  *out_is_wrong = is_known && bits != right && !are_zeros;
  return are_zeros || (is_known && bits == right) || accept_holds(accept, element, i, bits);
}

/* What is seen of an answer by the interval of a component alone. */
typedef enum seen { SEEN_NOTHING, SEEN_FORBIDDEN, SEEN_WRONG_BUT_PERMITTED } seen_t;

static seen_t see(const accept_t *accept, const element_t *element, size_t i,
                  blind_answer_t answer) {
  const format_t *format = element->format;
  bool is_plain = format != NULL && format->specials != FORMAT_EXPONENT_ONLY &&
                  format->specials != FORMAT_FINITE && format->precision > 2 &&
                  accept->bits == NULL && accept->low != NULL && accept->other_low == NULL &&
                  accept->reference != NULL;
  if (!is_plain) return SEEN_NOTHING;
  unsigned specials = accept->specials == NULL ? 0 : accept->specials[i];
  double right = accept->reference[i], low = accept->low[i], high = accept->high[i];
  /* What is right is a normal number, whose rounding is less than a quarter of it. */
  bool is_normal = fabs(right) >= binary64_power(format->exponent_min) && fabs(right) <= DBL_MAX;
  if (!is_normal) return SEEN_NOTHING;
  bool may_be_wrong = (accept->decide == NULL || accept->decide[i] == 0) && accept->grid == NULL &&
                      fabs(right) <= binary64_power(format->exponent_max);
  switch (answer) {
    case BLIND_ZERO:
      if (low > 0 || high < 0) return SEEN_FORBIDDEN;
      return may_be_wrong && low <= high ? SEEN_WRONG_BUT_PERMITTED : SEEN_NOTHING;
    case BLIND_NAN:
      return (specials & ACCEPT_NAN) == 0 ? SEEN_FORBIDDEN : SEEN_NOTHING;
    case BLIND_DOUBLED:
    default: { /* It may overflow. */
      bool is_far = right > 0 ? 1.5 * right > high : 1.5 * right < low;
      return specials == 0 && is_far ? SEEN_FORBIDDEN : SEEN_NOTHING;
    }
  }
}

/* What a rough set does not hold may conform; of components that are measured it is no smaller than
 * others are. */
static bool is_too_rough(const accept_t *accept, size_t i) {
  return accept->is_rough && accept->magnitude != NULL && isnan(accept->magnitude[i]);
}

void vacuity_note(vacuity_t *inout_vacuity, const accept_t *accept, const element_t *element,
                  size_t first, size_t count) {
  for (blind_answer_t answer = 0; answer < BLIND_COUNT; answer++) {
    bool *is_refuted = &inout_vacuity->is_refuted[answer];
    for (size_t i = first; i < first + count && !*is_refuted; i++) {
      if (is_too_rough(accept, i)) continue;
      seen_t seen = see(accept, element, i, answer);
      bool is_wrong = seen == SEEN_WRONG_BUT_PERMITTED;
      *is_refuted = seen == SEEN_FORBIDDEN;
      if (seen == SEEN_NOTHING) *is_refuted = !permits(accept, element, i, answer, &is_wrong);
      inout_vacuity->is_wrong[answer] |= is_wrong;
    }
  }
}

void vacuity_refute(vacuity_t *inout_vacuity) {
  for (blind_answer_t answer = 0; answer < BLIND_COUNT; answer++) {
    inout_vacuity->is_refuted[answer] = true;
  }
}

/* Whether nothing tells what is right there, so that no answer is known to be wrong. */
static bool is_unknown(const accept_t *accept, const element_t *element, size_t i) {
  bool has_reference = element->format != NULL && accept->reference != NULL;
  return accept->bits == NULL && !(has_reference && isfinite(accept->reference[i]));
}

static bool is_open(const accept_t *accept, const element_t *element, size_t i) {
  if (is_unknown(accept, element, i)) return false;
  if (see(accept, element, i, BLIND_ZERO) == SEEN_FORBIDDEN) return false;
  for (blind_answer_t answer = 0; answer < BLIND_COUNT; answer++) {
    bool is_wrong = false;
    if (!permits(accept, element, i, answer, &is_wrong) || !is_wrong) return false;
  }
  return true;
}

/* NaN is rare: one byte tells of most components that they are not open. */
size_t vacuity_count_open(const accept_t *accept, const element_t *element, size_t first,
                          size_t count) {
  if (accept->specials == NULL) return 0;
  size_t open = 0;
  for (size_t i = first; i < first + count; i++) {
    if ((accept->specials[i] & ACCEPT_NAN) != 0) open += is_open(accept, element, i);
  }
  return open;
}

const char *vacuity_find(const vacuity_t *vacuity) {
  static const char *const words[BLIND_COUNT] = {
      [BLIND_ZERO] = "zeros everywhere would have conformed",
      [BLIND_NAN] = "NaN everywhere would have conformed",
      [BLIND_DOUBLED] = "twice the exact value everywhere would have conformed"};
  for (blind_answer_t answer = 0; answer < BLIND_COUNT; answer++) {
    if (vacuity->is_wrong[answer] && !vacuity->is_refuted[answer]) return words[answer];
  }
  return NULL;
}
