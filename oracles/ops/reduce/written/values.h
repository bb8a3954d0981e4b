/* SPDX-License-Identifier: Apache-2.0 */
/* What conforming implementations may have at a node of a tree whose body is written out
 * (harness/kinds/body.h): sets of numbers, of patterns, and of tuples of both (theory.md, T138).
 *
 * Everything lives in the problem's arena, and nobody writes to it once it was made. */
#ifndef ASSAY_ORACLES_OPS_REDUCE_WRITTEN_VALUES_H
#define ASSAY_ORACLES_OPS_REDUCE_WRITTEN_VALUES_H

#include "oracles/formula/enclosed_set.h"
#include "oracles/ops/reduce/reduce.h"

/* One body under one contract. */
typedef struct written_problem {
  const body_t *body;
  uint32_t inputs;                              /* N. */
  const element_t *arguments[CASE_RESULTS_MAX]; /* Their types. */
  const element_t *steps[BODY_STEPS_MAX];       /* Of each step. */
  const contract_t *contract;
  bool in_f32; /* Floats of 16 bits are computed with in f32, and rounded at last. */
  enclosing_t settings;
  size_t evaluations; /* Of the body, so far. */
  arena_t *arena;
} written_problem_t;

/* What is computed with types of a valid program; `in_f32` as above. */
written_problem_t written_problem_make(const program_t *program, const contract_t *contract,
                                       bool in_f32, arena_t *arena);

/* How steps round whose floats are of that type; it refers to the problem. */
formula_t written_formula(const written_problem_t *problem, const element_t *element);

enum { WRITTEN_PATTERNS_MAX = 8 };

typedef struct written_value {
  const enclosed_t *number; /* Of floats: a set; else NULL. */
  uint8_t count;            /* Of integers and booleans: patterns; 0: any. */
  uint64_t patterns[WRITTEN_PATTERNS_MAX];
} written_value_t;

typedef struct written_tuple {
  written_value_t values[CASE_RESULTS_MAX];
} written_tuple_t;

written_value_t written_value_load(const written_problem_t *problem, const element_t *element,
                                   uint64_t bits);
written_value_t written_value_anything(const written_problem_t *problem, const element_t *element);
written_value_t written_value_pattern(uint64_t bits);

/* All that either is. */
written_value_t written_value_unite(const written_problem_t *problem, const written_value_t *a,
                                    const written_value_t *b);

/* Whether `outer` has all that `inner` has. */
bool written_value_contains(const written_value_t *outer, const written_value_t *inner);

/* Whether a result may have that pattern, and whether it may have any at all. */
bool written_value_holds(const written_problem_t *problem, uint32_t result,
                         const written_value_t *value, uint64_t bits);
bool written_value_is_anything(const written_value_t *value);

/* Appends the set in words. */
void written_value_print(const written_problem_t *problem, uint32_t result,
                         const written_value_t *value, GString *out_text);

/* ---- Tuples ---------------------------------------------------------------------------------- */

bool written_tuple_contains(const written_problem_t *problem, const written_tuple_t *outer,
                            const written_tuple_t *inner);
written_tuple_t written_tuple_unite(const written_problem_t *problem, const written_tuple_t *a,
                                    const written_tuple_t *b);
written_tuple_t written_tuple_anything(const written_problem_t *problem);

/* The same with ends that are numbers of the type that is computed in, so that operations that
 * change nothing do not widen it again. */
written_tuple_t written_tuple_round_outwards(const written_problem_t *problem,
                                             const written_tuple_t *tuple);

/* Whether results 0 to `last` may be these patterns, all of them in one tuple. */
bool written_tuple_holds(const written_problem_t *problem, const written_tuple_t *tuple,
                         uint32_t last, const uint64_t bits[CASE_RESULTS_MAX]);

/* So many tuples; one more, and their hull stands for them. */
enum { WRITTEN_SET_MAX = 16 };

typedef struct written_set {
  size_t count;
  bool is_hull;
  written_tuple_t items[WRITTEN_SET_MAX];
} written_set_t;

/* Whether the set grew. */
bool written_set_add(const written_problem_t *problem, written_set_t *inout,
                     const written_tuple_t *tuple);
void written_set_make_hull(const written_problem_t *problem, written_set_t *inout);
void written_set_make_anything(const written_problem_t *problem, written_set_t *inout);

/* ---- The body -------------------------------------------------------------------------------- */

/* A comparison that numbers leave open is taken both ways, by so many ways through the body. */
enum { WRITTEN_PATHS_MAX = 16 };

/* What the body makes of two tuples; returns how many tuples there are.  Where there are too many
 * ways, or with `is_joined`, one tuple holds them all. */
size_t written_evaluate(written_problem_t *problem, const written_tuple_t *left,
                        const written_tuple_t *right, bool is_joined,
                        written_tuple_t out_tuples[WRITTEN_PATHS_MAX]);

/* steps.c: a step of values that are no comparison and no selection. */
written_value_t written_step(const written_problem_t *problem, uint32_t number,
                             const written_value_t operands[BODY_OPERANDS_MAX]);

/* What a comparison may be; `is_same`: both operands are one and the same number. */
enum { WRITTEN_FALSE = 1, WRITTEN_TRUE = 2 };
unsigned written_compare(body_op_t op, const element_t *element, const written_value_t *a,
                         const written_value_t *b, bool is_same);

#endif
