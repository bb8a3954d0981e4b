/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers that the elements of a row share, as the enclosed evaluator knows them: kept within
 * intervals, or at points (theory.md, T110). */
#ifndef ASSAY_ORACLES_FORMULA_SHARED_SHARED_NUMBERS_H
#define ASSAY_ORACLES_FORMULA_SHARED_SHARED_NUMBERS_H

#include "oracles/formula/enclosed.h"
#include "oracles/formula/shared/shared_evaluator.h"

typedef enum shared_mode {
  SHARED_RECORD,  /* Finds what each number may be. */
  SHARED_WITHIN,  /* Numbers lie within `low` .. `high`, and what earlier ones make of them. */
  SHARED_MIDDLE,  /* They are the middle of that, */
  SHARED_NEAREST, /* or the number of the working format nearest to it that is in it, if one is;
                   * and zero if they may be that. */
} shared_mode_t;

/* One of the numbers. */
typedef struct shared_number {
  bool is_given;        /* As shared_t.keep has it. */
  enclosed_t *recorded; /* What it may be. */
  enclosed_t *within;   /* What it is to lie in: an interval that reaches its zeros. */
  enclosed_t *found;    /* What the last evaluation left of that, likewise. */
} shared_number_t;

typedef struct shared_numbers {
  shared_t as_shared;
  arena_t *arena; /* Of all that is recorded. */
  shared_mode_t mode;
  size_t count;
  size_t next;      /* Of the step that comes. */
  size_t fixed;     /* With SHARED_WITHIN: so many of the first numbers are their middle yet. */
  bool has_special; /* A recorded number may be NaN or infinite, or has no bound. */
  bool is_empty;    /* In the last evaluation: nothing was left of some number. */
  shared_number_t numbers[SHARED_NUMBERS_MAX];
} shared_numbers_t;

/* Of the numbers nothing is known yet. */
void shared_numbers_init(shared_numbers_t *out_numbers, arena_t *arena);

/* To call before a formula is run with formula_t.shared = &numbers->as_shared. */
void shared_numbers_start(shared_numbers_t *numbers, shared_mode_t mode);

#endif
