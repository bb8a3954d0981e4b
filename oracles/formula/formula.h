/* SPDX-License-Identifier: Apache-2.0 */
/* What the meaning of a composite op is written in: straight-line code over rows of abstract
 * numbers (theory.md, D8).  A formula is written once and run by three evaluators:
 *
 * - enclosed: every value that a conforming implementation may reach, in MPFR, which is the accept
 *   set; and, where nothing is permitted, the exact value;
 * - fast: some of these values, in binary64, never too many;
 * - model: the values of one concrete implementation.
 *
 * Each step is one that an implementation carries out and rounds to the working format; its comment
 * says what it may do.  Where implementations go one of two ways to the same, it is either(). */
#ifndef ASSAY_ORACLES_FORMULA_FORMULA_H
#define ASSAY_ORACLES_FORMULA_FORMULA_H

#include "harness/model/case.h"
#include "harness/model/contract.h"
#include "harness/model/implementation_model.h"

/* Numbers of an evaluator: as many as the problem has terms, or one that stands for as many as are
 * needed.  They live in the formula's arena. */
typedef struct row {
  size_t count;
  union {
    struct enclosed *enclosed;
    double *values;                     /* Of a model. */
    struct fast_numbers *fast;          /* One struct of arrays for all. */
    const struct integer_set *integers; /* Of results of integers or booleans alone. */
  };
} row_t;

typedef struct formula formula_t;

/* A real constant: its decimal digits, at least 70 of them where they do not end, and the number of
 * binary64 nearest to it. */
typedef struct real {
  const char *decimal;
  double nearest;
} real_t;
#define REAL(digits) {#digits, digits}

/* The steps, by which an evaluator is defined.  Operands of two rows have one count, or one of them
 * has count 1. */
typedef struct evaluator {
  /* Numbers: a real constant; a whole number such as a count of terms, or a number that is given
   * exactly. */
  row_t (*constant)(formula_t *formula, const real_t *real);
  row_t (*number)(formula_t *formula, double number);

  /* One rounding each; multiply_add is a * b + c, fused where the contract permits it; function is
   * an elementary function with the error that the contract permits it. */
  row_t (*add)(formula_t *formula, row_t a, row_t b);
  row_t (*subtract)(formula_t *formula, row_t a, row_t b);
  row_t (*multiply)(formula_t *formula, row_t a, row_t b);
  row_t (*divide)(formula_t *formula, row_t a, row_t b);
  row_t (*square_root)(formula_t *formula, row_t a);
  row_t (*multiply_add)(formula_t *formula, row_t a, row_t b, row_t c);
  row_t (*function)(formula_t *formula, elementary_t function, row_t a);

  /* NULL, or several of these steps at once: formula_half_product(), formula_scale(). */
  row_t (*half_product)(formula_t *formula, row_t a, row_t b);
  row_t (*scale)(formula_t *formula, row_t a, row_t factor, row_t divisor);

  /* No rounding.  The larger one of each pair, or of the whole row; NaN if there is one. */
  row_t (*negate)(formula_t *formula, row_t a);
  row_t (*negate_where)(formula_t *formula, row_t a, row_t b); /* -a where b is below 0, else a. */
  row_t (*maximum)(formula_t *formula, row_t a, row_t b);
  row_t (*row_maximum)(formula_t *formula, row_t a);

  /* The sum of a row in any order (error_bound.h), and that of products, which may be fused. */
  row_t (*sum)(formula_t *formula, row_t a);
  row_t (*sum_of_products)(formula_t *formula, row_t a, row_t b);

  /* The sum of the squares of operands `a` less their computed mean. */
  row_t (*squared_deviations)(formula_t *formula, row_t a, row_t mean);

  /* Mean and sum of squared deviations of operands `a`, updated from one to the next, or merged
   * from parts in any tree (Welford 1962; Chan, Golub and LeVeque 1983). */
  void (*running_moments)(formula_t *formula, row_t a, row_t *out_mean, row_t *out_squares);

  /* Each of some numbers that are not negative, divided by the sum of all, or multiplied by its
   * inverse. */
  row_t (*shares)(formula_t *formula, row_t a);

  /* The sum of exp(a - m), m the largest of operands `a`, which is corrected as larger ones come,
   * in any tree (Milakov and Gimelshein 2018). */
  row_t (*online_sum)(formula_t *formula, row_t a);

  /* Any values within `distance` of these: of an approximation that is known by its error. */
  row_t (*nearby)(formula_t *formula, row_t a, double distance);

  /* Either of two ways to compute the same. */
  row_t (*either)(formula_t *formula, row_t a, row_t b);

  /* Nothing is computed.  The numbers of a row at `count` places; those of several rows, one row
   * after the other. */
  row_t (*pick)(formula_t *formula, row_t a, const size_t *places, size_t count);
  row_t (*join)(formula_t *formula, const row_t *rows, size_t row_count);
} evaluator_t;

struct formula {
  const evaluator_t *evaluator;
  const void *settings;                   /* The evaluator's own. */
  const program_t *program;               /* For its attributes. */
  const format_t *format;                 /* The working format: what each step rounds to. */
  const contract_t *contract;             /* What the steps are permitted. */
  const implementation_model_t *schedule; /* Of models, else NULL. */
  struct shared *shared;                  /* Of the shared evaluator, else NULL. */
  const struct problem *problem; /* What is computed and the part of it, for operands that are no */
  const struct part *part;       /* floats (composite.h); NULL where there are none. */
  size_t group;                  /* Which problem of the case this is: models choose by it. */
  bool rounds_epsilon;           /* An epsilon attribute is first rounded to the operands' type. */
  bool rounds_normal;            /* And what a norm multiplies by its weight. */
  arena_t *arena;
};

static inline row_t formula_constant(formula_t *formula, const real_t *real) {
  return formula->evaluator->constant(formula, real);
}
static inline row_t formula_number(formula_t *formula, double number) {
  return formula->evaluator->number(formula, number);
}
static inline row_t formula_add(formula_t *formula, row_t a, row_t b) {
  return formula->evaluator->add(formula, a, b);
}
static inline row_t formula_subtract(formula_t *formula, row_t a, row_t b) {
  return formula->evaluator->subtract(formula, a, b);
}
static inline row_t formula_multiply(formula_t *formula, row_t a, row_t b) {
  return formula->evaluator->multiply(formula, a, b);
}
static inline row_t formula_divide(formula_t *formula, row_t a, row_t b) {
  return formula->evaluator->divide(formula, a, b);
}
static inline row_t formula_square_root(formula_t *formula, row_t a) {
  return formula->evaluator->square_root(formula, a);
}
static inline row_t formula_multiply_add(formula_t *formula, row_t a, row_t b, row_t c) {
  return formula->evaluator->multiply_add(formula, a, b, c);
}
static inline row_t formula_function(formula_t *formula, elementary_t function, row_t a) {
  return formula->evaluator->function(formula, function, a);
}
static inline row_t formula_negate(formula_t *formula, row_t a) {
  return formula->evaluator->negate(formula, a);
}
static inline row_t formula_negate_where(formula_t *formula, row_t a, row_t b) {
  return formula->evaluator->negate_where(formula, a, b);
}
static inline row_t formula_maximum(formula_t *formula, row_t a, row_t b) {
  return formula->evaluator->maximum(formula, a, b);
}
static inline row_t formula_row_maximum(formula_t *formula, row_t a) {
  return formula->evaluator->row_maximum(formula, a);
}
static inline row_t formula_sum(formula_t *formula, row_t a) {
  return formula->evaluator->sum(formula, a);
}
static inline row_t formula_sum_of_products(formula_t *formula, row_t a, row_t b) {
  return formula->evaluator->sum_of_products(formula, a, b);
}
static inline row_t formula_squared_deviations(formula_t *formula, row_t a, row_t mean) {
  return formula->evaluator->squared_deviations(formula, a, mean);
}
static inline void formula_running_moments(formula_t *formula, row_t a, row_t *out_mean,
                                           row_t *out_squares) {
  formula->evaluator->running_moments(formula, a, out_mean, out_squares);
}
static inline row_t formula_shares(formula_t *formula, row_t a) {
  return formula->evaluator->shares(formula, a);
}
static inline row_t formula_online_sum(formula_t *formula, row_t a) {
  return formula->evaluator->online_sum(formula, a);
}
static inline row_t formula_nearby(formula_t *formula, row_t a, double distance) {
  return formula->evaluator->nearby(formula, a, distance);
}
static inline row_t formula_either(formula_t *formula, row_t a, row_t b) {
  return formula->evaluator->either(formula, a, b);
}

static inline row_t formula_pick(formula_t *formula, row_t a, const size_t *places, size_t count) {
  return formula->evaluator->pick(formula, a, places, count);
}
static inline row_t formula_join(formula_t *formula, const row_t *rows, size_t row_count) {
  return formula->evaluator->join(formula, rows, row_count);
}

/* The inverse square root: as a function of its own, or 1 / sqrt(a). */
row_t formula_inverse_square_root(formula_t *formula, row_t a);

/* a * b / 2: a is halved first, or b, since halving the product last would make it overflow where
 * the result does not. */
row_t formula_half_product(formula_t *formula, row_t a, row_t b);
row_t formula_half_product_by_steps(formula_t *formula, row_t a, row_t b);

/* Numbers times a positive constant, or divided by its inverse, of one number each. */
row_t formula_scale(formula_t *formula, row_t a, row_t factor, row_t divisor);
row_t formula_scale_by_steps(formula_t *formula, row_t a, row_t factor, row_t divisor);

/* The mean: the sum divided by the count, or multiplied by its inverse. */
row_t formula_mean(formula_t *formula, row_t a);

/* How many numbers rows have together. */
size_t formula_total(const row_t *rows, size_t row_count);

/* The count that means are divided by: another one by a planted fault. */
size_t formula_seen_count(const formula_t *formula, size_t count);

/* Attribute epsilon as the formula has it. */
row_t formula_epsilon(formula_t *formula, double epsilon);

/* Whether this is an implementation with that planted fault. */
static inline bool formula_has_fault(const formula_t *formula, fault_t fault) {
  return formula->schedule != NULL && formula->schedule->fault == fault;
}

/* Calls an op's formula: `operands` as the op gathers them, `results` for it to fill in. */
typedef void formula_evaluate_t(formula_t *formula, const row_t operands[], row_t results[]);

#endif
