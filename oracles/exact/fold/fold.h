/* SPDX-License-Identifier: Apache-2.0 */
/* The engine behind simulate(): folds the terms of one result element as one concrete
 * implementation (a implementation_model_t) would, with its order, its roundings and its planted
 * fault.
 *
 * Every arithmetic step is exact or correctly rounded (arithmetic.h); integers wrap in the width of
 * the accumulation type.  On booleans addition and maximum are OR, multiplication and minimum AND.
 */
#ifndef ASSAY_ORACLES_EXACT_FOLD_FOLD_H
#define ASSAY_ORACLES_EXACT_FOLD_FOLD_H

#include "harness/model/case.h"
#include "harness/model/implementation_model.h"
#include "oracles/exact/arithmetic.h"

typedef enum fold_body {
  FOLD_ADD,
  FOLD_MULTIPLY,
  FOLD_MAXIMUM, /* IEEE 754-2019: NaN wins, -0 < +0. */
  FOLD_MINIMUM,
  FOLD_AND,
  FOLD_OR,
  FOLD_XOR,
  FOLD_ARGMAX, /* On pairs of a value and an index. */
  FOLD_ARGMIN,
} fold_body_t;

/* A leaf or a node of the tree, in the accumulation type. */
typedef struct fold_value {
  union {
    double real;      /* A float, or the real part. */
    uint64_t integer; /* An integer or boolean, sign- or zero-extended to 64 bits. */
  };
  union {
    double factor;    /* Of real floats: the value is real * factor, not rounded yet. */
    double imaginary; /* Of complex numbers. */
    uint64_t index;   /* Of FOLD_ARGMAX and FOLD_ARGMIN, sign- or zero-extended. */
  };
} fold_value_t; /* Two words: it travels in registers. */

static inline fold_value_t fold_real(double real) {
  return (fold_value_t){.real = real, .factor = 1};
}
static inline fold_value_t fold_complex(double real, double imaginary) {
  return (fold_value_t){.real = real, .imaginary = imaginary};
}
static inline fold_value_t fold_integer(uint64_t integer) {
  return (fold_value_t){.integer = integer};
}

typedef struct fold fold_t;
struct fold {
  fold_body_t body;
  const element_t *element;               /* The accumulation type. */
  const element_t *index_element;         /* Of the indices, or NULL. */
  const implementation_model_t *schedule; /* Borrowed. */
  arithmetic_t arithmetic; /* Of the nodes, if floats: the element's, or the accumulator's. */
  bool fused;              /* The schedule's, where products can be fused. */
  uint32_t init_count;     /* The schedule's, or the fault's. */
  fold_value_t (*combine)(const fold_t *fold, fold_value_t left, fold_value_t right);
};

/* Prepares folding on `element`, the element type of the result.  `index_element` is NULL unless
 * the body is FOLD_ARGMAX or FOLD_ARGMIN.  STATUS_UNSUPPORTED for sums of f8E8M0FNU, which can hold
 * neither a zero nor most sums.  Complex products are never fused, nor are products where the fault
 * is in the rounding of the nodes. */
status_t fold_make(fold_body_t body, const element_t *element, const element_t *index_element,
                   const implementation_model_t *schedule, fold_t *out_fold, failure_t *error);

/* Element `index` of `data`, which is dense data of type `from`, converted to the accumulation
 * type: exactly (the caller refuses types that do not hold it; integers wrap). */
fold_value_t fold_load(const fold_t *fold, const element_t *from, const uint8_t *data,
                       size_t index);

/* Zero, or false, of the accumulation type. */
fold_value_t fold_zero(const fold_t *fold);

/* Element `index` of a tensor of indices. */
uint64_t fold_load_index(const fold_t *fold, const uint8_t *data, size_t index);

/* The term left * right of a dot product; unrounded where the schedule fuses. */
fold_value_t fold_product(const fold_t *fold, fold_value_t left, fold_value_t right);

/* All terms left[i] * right[i] of one. */
void fold_products(const fold_t *fold, const fold_value_t *left, const fold_value_t *right,
                   size_t count, fold_value_t *out_terms);

/* Room for the terms of one result element, reused for the next: `count` of them, and what
 * fold_run() needs around them. */
fold_value_t *fold_make_terms(const fold_t *fold, size_t count, arena_t *arena);

/* Folds terms made room for by fold_make_terms(), which it overwrites.  `output` is the number of
 * the result element: random trees differ from one to the next. */
fold_value_t fold_run(const fold_t *fold, fold_value_t init, fold_value_t *terms, size_t count,
                      size_t output);

/* The same, and writes what comes out to element `output` of results[0], and its index, if there is
 * one, to that of results[1].  Elements are to be written in ascending order. */
void fold_output(const fold_t *fold, fold_value_t init, fold_value_t *terms, size_t count,
                 size_t output, tensor_t *results);

/* Writes a value that is no unrounded product to element `output` of results[0]: rounded to its
 * type, and in ascending order. */
void fold_store(const fold_t *fold, fold_value_t value, size_t output, tensor_t *results);

#endif
