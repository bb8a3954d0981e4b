/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of reductions that are written out: straight-line programs of StableHLO's elementwise ops
 * over the block arguments a0, a1, ... (what was reduced so far) and b0, b1, ....
 *
 *   {v0=compare_GT(a0,b0);v1=select(v0,a0,b0);v2=select(v0,a1,b1);return(v1,v2)}
 *
 * The steps are called v0, v1, ... in their order, so that a body has one spelling.  `and` and its
 * like are bitwise; add and maximum of booleans are OR, multiply and minimum AND, as StableHLO has
 * them.  A constant names its type and its bits: constant(f32,3f800000). */
#ifndef ASSAY_KINDS_BODY_H
#define ASSAY_KINDS_BODY_H

#include <glib.h>

#include "harness/base/rng.h"
#include "harness/base/text.h"
#include "harness/model/case.h"

typedef enum body_op {
#define BODY_OP(name, operands, types) BODY_##name,
#include "harness/kinds/body_ops.def"
#undef BODY_OP
  BODY_OP_COUNT
} body_op_t;

/* What an op takes and gives.  All operands have one type, which the result has too, unless it is
 * said otherwise. */
typedef enum body_types {
  BODY_ARITHMETIC, /* Booleans, integers, floats. */
  BODY_NUMBERS,    /* Integers, floats. */
  BODY_SIGNED,     /* Signed integers, floats. */
  BODY_FLOATS,
  BODY_BITS,       /* Booleans, integers. */
  BODY_COMPARISON, /* As BODY_ARITHMETIC; gives i1. */
  BODY_SELECTION,  /* i1, and two of any type, which the result has. */
  BODY_CONSTANT,   /* Of the type that it names. */
} body_types_t;

typedef struct body_op_row {
  const char *name;
  uint8_t operands;
  body_types_t types;
} body_op_row_t;

extern const body_op_row_t body_op_table[BODY_OP_COUNT];

enum { BODY_STEPS_MAX = 32, BODY_OPERANDS_MAX = 3 };

/* A value of the body: argument a or b number `number`, or step `number`. */
typedef enum body_place { BODY_LEFT, BODY_RIGHT, BODY_STEP } body_place_t;
typedef struct body_value {
  uint8_t place; /* body_place_t */
  uint8_t number;
} body_value_t;

typedef struct body_step {
  uint8_t op; /* body_op_t */
  body_value_t operands[BODY_OPERANDS_MAX];
  const element_t *element; /* Of a constant; else NULL. */
  uint64_t bits;            /* Likewise. */
} body_step_t;

/* Without pointers but to rows of elements, so that attributes may hold it; all of it is zero where
 * there is no such body. */
typedef struct body {
  uint32_t step_count;
  body_step_t steps[BODY_STEPS_MAX];
  uint32_t result_count; /* N: of inputs too.  From 1. */
  body_value_t results[CASE_RESULTS_MAX];
} body_t;

/* Reads from '{' up to and with '}'; only the spelling that body_print() gives.  A failure names
 * the column and what is expected there. */
status_t body_parse(scan_t *scan, body_t *out_body, failure_t *error);
void body_print(const body_t *body, GString *out_text);

/* One from our own source, which must be right. */
body_t body_from(const char *text);

bool body_equal(const body_t *a, const body_t *b);

/* The types of its steps, if it takes and returns elements of `arguments`, as many as it has
 * results: false if an op does not take what it is given, the types are not those of values that
 * bodies are computed with (bf16, f16, f32, f64, integers, booleans), or an argument is not there.
 */
bool body_find_types(const body_t *body, const element_t *const arguments[CASE_RESULTS_MAX],
                     const element_t *out_steps[BODY_STEPS_MAX]);

/* Whether bodies are computed with elements of that type. */
bool body_takes(const element_t *element);

/* The steps and the return of the region, a line each; what is unknown has the type of argument 0,
 * so that wrong programs can be printed too.  `arguments` are MLIR's types, `count` of them. */
void body_print_mlir(const body_t *body, const element_t *const arguments[], uint32_t count,
                     GString *out_text);

/* A body that people reduce with, and the types of its arguments; of collectives, which reduce each
 * operand by itself, one of one argument. */
void body_draw(rng_t *rng, body_t *out_body, const element_t *out_arguments[CASE_RESULTS_MAX]);
void body_draw_single(rng_t *rng, body_t *out_body, const element_t **out_argument);

/* The op of two arguments alone that result `result` is: add for "v0=add(a0,b0)", or the same with
 * its operands exchanged where the op commutes; BODY_OP_COUNT if it is something else. */
body_op_t body_independent_op(const body_t *body, uint32_t result);

/* Whether each result is an argument with its own number, and one step decides for all of them
 * whether those on the left or those on the right: then every result is one of the terms. */
bool body_is_selection(const body_t *body);

/* Whether it adds pairs (m, s) that stand for s e^m: m = maximum(a0,b0) and
 * s = add(multiply(a1,exponential(subtract(a0,m))),multiply(b1,exponential(subtract(b0,m)))), with
 * the operands of what commutes in any order. */
bool body_adds_exponentials(const body_t *body);

/* What argument `input` is likely neutral at. */
typedef enum body_neutral {
  BODY_NEUTRAL_ZERO,
  BODY_NEUTRAL_ONE,
  BODY_NEUTRAL_LEAST,
  BODY_NEUTRAL_LEAST_FINITE,
  BODY_NEUTRAL_GREATEST,
  BODY_NEUTRAL_ONES,
} body_neutral_t;
body_neutral_t body_neutral(const body_t *body, uint32_t input);

#endif
