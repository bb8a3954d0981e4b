/* SPDX-License-Identifier: Apache-2.0 */
/* stablehlo.exponential, exponential_minus_one, log, log_plus_one, logistic, tanh, rsqrt, sine and
 * cosine: functions of single floats, whose accuracy the specification leaves to the implementation
 * and the contract bounds in ulps. */
#ifndef ASSAY_ORACLES_OPS_SPECIAL_FUNCTIONS_SPECIAL_FUNCTIONS_H
#define ASSAY_ORACLES_OPS_SPECIAL_FUNCTIONS_SPECIAL_FUNCTIONS_H

#include "harness/model/op.h"

typedef enum special_function {
  SPECIAL_EXPONENTIAL,
  SPECIAL_EXPONENTIAL_MINUS_ONE,
  SPECIAL_LOG,
  SPECIAL_LOG_PLUS_ONE,
  SPECIAL_LOGISTIC,
  SPECIAL_TANH,
  SPECIAL_RSQRT,
  SPECIAL_SINE,
  SPECIAL_COSINE,
  SPECIAL_FUNCTION_COUNT
} special_function_t;

/* Which of them a program of this family is. */
special_function_t special_function_of(const program_t *program);

/* Drawing: op/edges.c. */
void special_function_draw_edges(rng_t *rng, case_t *inout_case);

#endif
