/* SPDX-License-Identifier: Apache-2.0 */
/* Dot products whose terms are looked at, on the fast side of dot_general: those of few terms, and
 * those that may be something else than finite. */
#ifndef ASSAY_ORACLES_OPS_DOT_GENERAL_FAST_FEW_H
#define ASSAY_ORACLES_OPS_DOT_GENERAL_FAST_FEW_H

#include "oracles/exact/matmul/matmul.h"
#include "oracles/exact/sum/likely.h"
#include "oracles/ops/dot_general/matrices.h"

/* The exact product of two dense matrices, and what it is a product of. */
typedef struct fast_product {
  exact_matmul_t matmul;
  matrix_t lhs;
  matrix_t rhs;
} fast_product_t;

/* Marks the components of which at most two products are not 0, and of two none is rounded; whether
 * there are such. */
bool fast_few_find(const fast_product_t *product, const format_t *format, arena_t *arena,
                   uint8_t *out_few);

/* Whether the exact set in any order decides all components (sum_has_few_terms()). */
bool fast_few_decide(const matrices_t *matrices, const contract_t *contract);

/* The likely sums of all components. */
void fast_few_likely(const fast_product_t *product, const matrices_t *matrices,
                     const contract_t *contract, likely_sums_t *out_likely);

/* Of the components of a product that may be something else than finite, what they may surely be
 * (accept_special_t); the entries of the others are left alone.  `likely` is NULL or has an entry
 * for each component.  Whether there are such components. */
bool fast_specials_find(const fast_product_t *product, const matrices_t *matrices,
                        const contract_t *contract, const likely_sums_t *likely,
                        uint8_t *inout_special);

#endif
