/* SPDX-License-Identifier: Apache-2.0 */
/* The exact accept set of one component of which each permitted pattern is listed: of ops that
 * do one thing to each element, where a few choices of an implementation are all there is. */
#ifndef ASSAY_ORACLES_EXACT_SUM_CHOICE_SET_H
#define ASSAY_ORACLES_EXACT_SUM_CHOICE_SET_H

#include <mpfr.h>

#include "harness/model/accept.h"
#include "harness/num/element.h"

enum { CHOICES_MAX = 96 };

/* A pattern that conforms, and what an implementation does that returns it: "" for what most do. */
typedef struct choice {
  uint64_t bits;
  const char *by;
} choice_t;

typedef struct choice_set {
  size_t count;
  choice_t choices[CHOICES_MAX]; /* The first is what most return. */
  bool nan;                      /* Any NaN. */
  bool any; /* Every pattern: the specification says nothing, nor does the contract. */
} choice_set_t;

/* Adds a pattern that is not there yet. */
void choice_set_add(choice_set_t *set, uint64_t bits, const char *by);

/* Adds the other zero to zeros where the contract permits that, and zeros of their sign to
 * subnormal results where it permits flushing these. */
void choice_set_loosen(choice_set_t *set, const format_t *format, const contract_t *contract);

/* Whether the set holds a pattern, as what, and what is expected in words. */
void choice_set_judge(const choice_set_t *set, const element_t *element, uint64_t bits,
                      answer_t *answer);

/* Fills the measures of an answer about a pattern, where the exact value is a number: slack is a
 * share of the farthest value that is permitted.  Nothing is measured of what is not finite. */
void choice_set_measure(const choice_set_t *set, const format_t *format, mpfr_srcptr exact,
                        mpfr_srcptr magnitude, uint64_t bits, answer_t *answer);

#endif
