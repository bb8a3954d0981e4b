/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at one factor of each row and column first: their lowest bits are no lower than those of
 * all, and mostly say that no sum can be exact. */
#include "oracles/ops/dot_general/fast/exact.h"

#include <math.h>

#include "harness/num/binary64.h"
#include "oracles/exact/instruction_sets.h"
#include "oracles/exact/matmul/lowest_bits.h"
#include "oracles/exact/sum/simd.h"

/* The least exponent of a lowest set bit among `count` factors of one row or column; of the first
 * nonzero one only, which is no less. */
static int first_lowest_bit(const matrix_t *matrix, size_t start, size_t stride, size_t count) {
  for (size_t i = 0; i < count; i++) {
    double value = matrix_load(matrix, start + i * stride);
    if (value != 0 && isfinite(value)) return binary64_lowest_bit(value);
  }
  return BINARY64_NO_BIT;
}

static int exponent_of(double power) {
  return isfinite(power) ? binary64_lowest_bit(power) : BINARY64_NO_BIT;
}

static int row_lowest_bit(const matrix_t *matrix, size_t start, size_t count) {
  return exponent_of(matrix->is_f64
                         ? lowest_bits_of_row_f64((const double *)matrix->data + start, count)
                         : lowest_bits_of_row_f32((const float *)matrix->data + start, count));
}

static void column_lowest_bits(const matrix_t *matrix, size_t start, size_t rows, size_t columns,
                               double *scratch, int *out) {
  if (matrix->is_f64) {
    lowest_bits_of_columns_f64((const double *)matrix->data + start, rows, columns, scratch);
  } else {
    lowest_bits_of_columns_f32((const float *)matrix->data + start, rows, columns, scratch);
  }
  for (size_t j = 0; j < columns; j++) out[j] = exponent_of(scratch[j]);
}

/* Per output, from the factors of its row and column, for each primitive product by itself. */
static void find_lowest_bits(const fast_product_t *product, size_t group, arena_t *arena,
                             int *out_lowest_bit) {
  const exact_matmul_t *matmul = &product->matmul;
  const matrix_t *lhs = &product->lhs, *rhs = &product->rhs;
  size_t n = matmul->n, k = matmul->k;
  int *of_column = ARENA_NEW_ARRAY(arena, int, n);
  double *scratch = ARENA_NEW_ARRAY(arena, double, n);
  for (size_t i = 0; i < matmul->m * n; i++) out_lowest_bit[i] = 2 * BINARY64_NO_BIT;
  for (size_t begin = 0; begin < k; begin += group) {
    column_lowest_bits(rhs, begin * n, group, n, scratch, of_column);
    for (size_t i = 0; i < matmul->m; i++) {
      int of_row = row_lowest_bit(lhs, i * k + begin, group);
      int *out = out_lowest_bit + i * n;
      for (size_t j = 0; j < n; j++) out[j] = MIN(out[j], of_row + of_column[j]);
    }
  }
}

/* fast_sums_may_be_exact() of a row: a binade that is `most` more than the bit of a column may do.
 */
INLINE int row_may_be_exact(const double *restrict magnitude, const int *restrict of_column,
                            size_t n, int most) {
  int any = 0;
  for (size_t j = 0; j < n; j++) {
    uint32_t top = (uint32_t)(binary64_bits(magnitude[j]) >> 32);
    int binade = (int)(top >> (BINARY64_FRACTION_BITS - 32)) - BINARY64_BIAS;
    any |= (magnitude[j] == 0) | (binade - of_column[j] <= most);
  }
  return any;
}

#if HAS_TARGETS
TARGET_AVX2 static int row_may_be_exact_avx2(const double *magnitude, const int *of_column,
                                             size_t n, int most) {
  return row_may_be_exact(magnitude, of_column, n, most);
}
#endif

/* Whether some output may be exact, by the first factor of its row and of its column that is not 0:
 * these have no lower bits than all.  Of several primitive products any may. */
static bool any_may_be_exact(const fast_product_t *product, size_t group, const format_t *format,
                             arena_t *arena) {
  const exact_matmul_t *matmul = &product->matmul;
  size_t n = matmul->n, k = matmul->k;
  if (group != k) return true;
  int *of_column = ARENA_NEW_ARRAY(arena, int, n);
  for (size_t j = 0; j < n; j++) of_column[j] = first_lowest_bit(&product->rhs, j, n, k);
  int any = 0;
  for (size_t i = 0; i < matmul->m && any == 0; i++) {
    int most = first_lowest_bit(&product->lhs, i * k, 1, k) + format->precision + 1;
    const double *magnitude = matmul->magnitude + i * n;
#if HAS_TARGETS
    if (instruction_set() != ISA_PLAIN) {
      any = row_may_be_exact_avx2(magnitude, of_column, n, most);
      continue;
    }
#endif
    any = row_may_be_exact(magnitude, of_column, n, most);
  }
  return any != 0;
}

bool fast_exact_find(const fast_product_t *product, size_t group, const format_t *format,
                     arena_t *arena, int *out_lowest_bit) {
  const exact_matmul_t *matmul = &product->matmul;
  size_t count = matmul->m * matmul->n;
  bool any = false;
  if (!any_may_be_exact(product, group, format, arena)) {
    for (size_t i = 0; i < count; i++) out_lowest_bit[i] = -BINARY64_NO_BIT;
    return false;
  }
  find_lowest_bits(product, group, arena, out_lowest_bit);
  for (size_t i = 0; i < count && !any; i++) {
    any = fast_sums_may_be_exact(format, matmul->magnitude[i], out_lowest_bit[i]);
  }
  return any;
}
