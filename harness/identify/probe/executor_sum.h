/* SPDX-License-Identifier: Apache-2.0 */
/* A black box over an executor: one program of stablehlo.reduce (body add) or
 * stablehlo.dot_general, every result element of which is given the same terms. */
#ifndef ASSAY_IDENTIFY_PROBE_EXECUTOR_SUM_H
#define ASSAY_IDENTIFY_PROBE_EXECUTOR_SUM_H

#include "harness/exec/executor.h"
#include "harness/identify/identify.h"

/* The shape and layout of the program. */
typedef struct sum_shape {
  bool is_dot;
  const element_t *left; /* Terms, or left factors. */
  const element_t *right;
  const element_t *result;
  int64_t terms;
  int64_t rows;    /* Kept dimension before the terms (of the left operand); 0: there is none. */
  int64_t columns; /* Kept dimension behind them (of the right operand); 0: there is none. */
  int64_t batch;   /* Batching dimension of both operands; 0: there is none.  Only for dot. */
  bool left_is_transposed; /* Terms before rows; columns before terms.  Only for dot. */
  bool right_is_transposed;
} sum_shape_t;

/* The program line of a shape. */
void sum_shape_print(const sum_shape_t *shape, GString *out_text);

typedef struct executor_sum executor_sum_t;

/* Opens a black box.  STATUS_INVALID for a shape that no program has, STATUS_UNSUPPORTED if the
 * executor refuses it, STATUS_IO if it fails.  `executor` is borrowed and may compile nothing else
 * meanwhile.  All memory is in the arena. */
status_t executor_sum_open(executor_t *executor, const sum_shape_t *shape, arena_t *arena,
                           executor_sum_t **out_sum, failure_t *error);

black_box_sum_t *executor_sum_black_box(executor_sum_t *es);

/* The first result element that came out otherwise than element 0 from the same terms; 0 if none.
 */
size_t executor_sum_odd_element(const executor_sum_t *es);

/* How many result elements, each with terms of its own, a profile predicts in cases of random
 * data. */
typedef struct elements_check {
  size_t checked;
  size_t predicted;
  char *first_line; /* The first case that it does not predict, to be freed; NULL if none. */
  size_t first_element;
} elements_check_t;
status_t executor_sum_check(executor_sum_t *es, const profile_t *profile, const check_data_t *data,
                            arena_t *arena, elements_check_t *out_check, failure_t *error);

/* The case line of a case with the same terms for all result elements. */
void executor_sum_print_case(executor_sum_t *es, const double *left, const double *right,
                             double init, GString *out_text);

#endif
