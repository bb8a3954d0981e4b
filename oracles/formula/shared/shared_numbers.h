/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers that the elements of a row share: what a formula computes once for all of them, such
 * as the sum of a softmax or the mean and the inverse deviation of a norm (theory.md, T110).  A
 * formula is straight-line code, so the steps whose result is one number come in the same order
 * each time: they are recorded once, from the whole row.  After that the formula is run for any of
 * the row's elements with these numbers kept within narrower intervals, or at points. */
#ifndef ASSAY_ORACLES_FORMULA_SHARED_SHARED_NUMBERS_H
#define ASSAY_ORACLES_FORMULA_SHARED_SHARED_NUMBERS_H

#include "oracles/formula/enclosed.h"
#include "oracles/formula/formula.h"

enum { SHARED_NUMBERS_MAX = 96, SHARED_OFFSETS_MAX = 3 };

typedef enum shared_mode {
  SHARED_RECORD,  /* Finds what each number may be. */
  SHARED_WITHIN,  /* Numbers lie within `low` .. `high`, and what earlier ones make of them. */
  SHARED_MIDDLE,  /* They are the middle of that, */
  SHARED_NEAREST, /* or the number of the working format nearest to it that is in it, if one is. */
} shared_mode_t;

/* One of the numbers. */
typedef struct shared_number {
  bool is_given; /* It depends on all of the row, or on nothing: no step computes it again. */
  enclosed_t *recorded; /* What it may be. */
  enclosed_t *within;   /* What it is to lie in. */
  enclosed_t *found;    /* What the last evaluation left of that. */
} shared_number_t;

typedef struct shared_numbers {
  arena_t *arena; /* Of all that is recorded. */
  shared_mode_t mode;
  size_t count;
  size_t next;      /* Of the step that comes. */
  size_t fixed;     /* With SHARED_WITHIN: so many of the first numbers are their middle yet. */
  bool has_special; /* A recorded number may be NaN or infinite, or has no bound. */
  bool is_empty;    /* In the last evaluation: nothing was left of some number. */
  shared_number_t numbers[SHARED_NUMBERS_MAX];
  /* Of the shared fast evaluator: how far its first sums are from their exact values, in halves of
   * what they may be; and how many sums there are. */
  double offsets[SHARED_OFFSETS_MAX];
  size_t sum_count;
} shared_numbers_t;

/* Evaluates as the enclosed evaluator does, with formula_t.shared and the settings of that one.
 * Rows have at least two elements: what has one number is shared. */
extern const evaluator_t shared_evaluator;

/* Evaluates as the fast evaluator does, with its settings: each number that is shared is one point,
 * sums so far from their exact values as formula_t.shared has it. */
extern const evaluator_t shared_fast_evaluator;

#endif
