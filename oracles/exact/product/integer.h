/* SPDX-License-Identifier: Apache-2.0 */
/* The exact side of integer and boolean reductions and dot products.  Modular sums and products
 * do not depend on the schedule; saturating ones do, and are permitted where integer_overflow says
 * so (the specification leaves integer overflow to the implementation). */
#ifndef ASSAY_ORACLES_EXACT_PRODUCT_INTEGER_H
#define ASSAY_ORACLES_EXACT_PRODUCT_INTEGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/model/accept.h"
#include "oracles/exact/fold/fold.h"

typedef struct integer_problem {
  const element_t *element; /* Accumulation and result type. */
  fold_body_t body;         /* FOLD_ADD for dot products; no index bodies. */
  size_t count;
  const uint64_t *left;  /* Terms, or left factors, extended to 64 bits by their own signedness. */
  const uint64_t *right; /* Right factors, or NULL. */
  bool has_init;         /* An initial value takes part. */
  uint64_t init;
} integer_problem_t;

/* The modular result with the initial value taken `init_count` times, in the low bits. */
uint64_t integer_result(const integer_problem_t *question, uint32_t init_count);

/* The last word on the pattern `bits`. */
void integer_answer(const integer_problem_t *question, const contract_t *contract, uint64_t bits,
                    answer_t *out_answer);

#endif
