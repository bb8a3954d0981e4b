/* SPDX-License-Identifier: Apache-2.0 */
/* Dot products of few terms on the fast side: finds components of which at most two terms are not
 * zero, and computes what most implementations return for sums that are short as a whole. */
#include "oracles/ops/dot_general/fast_few.h"

#include <math.h>

#include "oracles/exact/any_order/few_terms.h"
#include "oracles/exact/any_order/share.h"

static size_t count_nonzero(const matrix_t *matrix, size_t start, size_t stride, size_t count) {
  size_t nonzero = 0;
  for (size_t i = 0; i < count; i++) nonzero += matrix_load(matrix, start + i * stride) != 0;
  return nonzero;
}

/* Whether the format holds a product; a product of f64 that cannot be told from one, too. */
static bool holds_product(const format_t *format, double left, double right) {
  double product = left * right;
  if (format->bits != 64) return format_round_double(format, product) == product;
  return fabs(product) < 0x1p-900 || fma(left, right, -product) == 0;
}

/* Whether at most two products are not 0, and of two none is rounded. */
static bool has_few_terms(const fast_product_t *product, size_t row, size_t column,
                          const format_t *format) {
  const exact_matmul_t *matmul = &product->matmul;
  size_t terms = 0;
  bool are_exact = true;
  for (size_t t = 0; t < matmul->k && terms <= 2; t++) {
    double left = matrix_load(&product->lhs, row * matmul->k + t);
    double right = matrix_load(&product->rhs, t * matmul->n + column);
    if (left == 0 || right == 0) continue;
    terms++;
    are_exact = are_exact && holds_product(format, left, right);
  }
  return terms <= 1 || (terms == 2 && are_exact);
}

/* Only rows and columns with many zeros are looked at term by term. */
bool fast_few_find(const fast_product_t *product, const format_t *format, arena_t *arena,
                   uint8_t *out_few) {
  bool any = false;
  const exact_matmul_t *matmul = &product->matmul;
  size_t *of_column = ARENA_NEW_ARRAY(arena, size_t, matmul->n);
  for (size_t j = 0; j < matmul->n; j++) {
    of_column[j] = count_nonzero(&product->rhs, j, matmul->n, matmul->k);
  }
  for (size_t i = 0; i < matmul->m; i++) {
    size_t of_row = count_nonzero(&product->lhs, i * matmul->k, 1, matmul->k);
    for (size_t j = 0; j < matmul->n; j++) {
      uint8_t *few = &out_few[i * matmul->n + j];
      *few = of_row + of_column[j] <= matmul->k + 2 && has_few_terms(product, i, j, format);
      any |= *few != 0;
    }
  }
  return any;
}

void fast_few_likely(const fast_product_t *product, const matrices_t *matrices,
                     const contract_t *contract, likely_sums_t *out_likely) {
  const exact_matmul_t *matmul = &product->matmul;
  const format_t *format = matrices->plan->accumulation;
  likely_terms_t terms = {.count = matmul->k,
                          .are_products = true,
                          .divisor = tree_share_divisor(matrices->sums_of_case, matmul->k)};
  for (size_t i = 0; i < matmul->m * matmul->n; i++) {
    for (size_t t = 0; t < matmul->k; t++) {
      terms.left[t] = matrix_load(&product->lhs, i / matmul->n * matmul->k + t);
      terms.right[t] = matrix_load(&product->rhs, t * matmul->n + i % matmul->n);
    }
    out_likely[i] = likely_sums_of(&terms, format, contract);
  }
}

bool fast_few_decide(const matrices_t *matrices, const contract_t *contract) {
  const dot_plan_t *plan = matrices->plan;
  return plan->primitive_count == 1 && plan->imprecise_bits == 0 && !plan->factors_exceed &&
         few_terms_decide(matrices_terms(matrices), contract);
}
