/* SPDX-License-Identifier: Apache-2.0 */
/* The exact side of products of many factors: reduce with body multiply, real and complex. */
#ifndef ASSAY_ORACLES_EXACT_PRODUCT_PROBLEM_H
#define ASSAY_ORACLES_EXACT_PRODUCT_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/arena.h"
#include "harness/model/accept.h"

typedef struct product_problem {
  const format_t *format; /* Accumulation type, and that of the result unless `result` says. */
  const format_t *result; /* Of real ones: what the product is converted to at last, or NULL. */
  size_t count;
  const double *factors; /* Binary64 carriers; complex: real and imaginary parts in turn. */
  double init;           /* Carrier of the initial value (its real part). */
  double init_imaginary; /* 0 for real products. */
} product_problem_t;

/* The last word on the pattern `bits` of a real product. */
status_t product_answer(const product_problem_t *question, const contract_t *contract,
                        uint64_t bits, arena_t *arena, answer_t *out_answer, failure_t *error);

/* The same for the real (part 0) or imaginary (part 1) part of a complex product.  Where a partial
 * product may overflow or underflow, an operand is not finite, or a number of initial values other
 * than 0 and 1 would have to be tried, every value is permitted, and the answer is weak. */
status_t complex_product_answer(const product_problem_t *question, const contract_t *contract,
                                int part, uint64_t bits, answer_t *out_answer, failure_t *error);

#endif
