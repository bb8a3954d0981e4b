/* Compiled once for each instruction set (kernels.cmake): exact_matmul.h and enclosure_round.h in
 * vectors.  Nothing but the table at the end is visible outside. */
#include "oracles/exact/exact_kernels.h"

#include <stdbool.h>

#include "oracles/exact/exact_accumulator.h"
#include "oracles/exact/lanes.h"
// clang-format off: each part needs those before it.
#include "oracles/exact/matmul_pack.inc"
#include "oracles/exact/matmul_accumulate.inc"
#include "oracles/exact/matmul_magnitude.inc"
#include "oracles/exact/matmul_finish.inc"
#include "oracles/exact/matmul_plan.inc"
#include "oracles/exact/matmul_tile.inc"
#include "oracles/exact/enclosure_lanes.inc"
// clang-format on

/* Panels outside, rows inside: a panel stays in the cache while all rows of A pass. */
static void multiply_packed(const packed_t *a, const packed_t *b, size_t m, size_t n, size_t k,
                            const output_t *output) {
  bool fits_floats = a->magnitudes != NULL && magnitudes_fit_floats(a->overall, b->overall);
  for (size_t column = 0; column < n; column += TILE_COLUMNS) {
    value_range_t panel_range = b->ranges[column / TILE_COLUMNS];
    size_t rows;
    for (size_t i = 0; i < m; i += rows) {
      rows = m - i >= TILE_ROWS ? TILE_ROWS : m - i >= 2 ? 2 : 1;
      value_range_t row_range = a->ranges[i];
      for (size_t r = 1; r < rows; r++) value_range_merge(&row_range, a->ranges[i + r]);
      tile_t tile = {.a = a->values + i * a->stride,
                     .a_magnitude = a->magnitudes == NULL ? NULL : a->magnitudes + i * a->stride,
                     .a_stride = a->stride,
                     .b = b->values + column * k,
                     .b_magnitude = b->magnitudes == NULL ? NULL : b->magnitudes + column * k,
                     .k = k,
                     .rows = rows,
                     .columns = n - column < TILE_COLUMNS ? n - column : TILE_COLUMNS};
      size_t offset = i * output->row_step + column * output->column_step;
      sum_tile(&tile, row_range, panel_range, fits_floats, output, offset);
    }
  }
}

/* Lanes run over the columns.  True if fewer would idle if C^T = B^T A^T were computed instead. */
static bool is_better_transposed(const exact_matmul_t *matmul) {
  return round_up(matmul->m, LANES) * matmul->n < round_up(matmul->n, LANES) * matmul->m;
}

static output_t output_of(const exact_matmul_t *matmul, bool transposed) {
  return (output_t){.reference = matmul->reference,
                    .tail = matmul->reference_tail,
                    .magnitude = matmul->magnitude,
                    .uncertified = matmul->uncertified,
                    .row_step = transposed ? 1 : matmul->n,
                    .column_step = transposed ? matmul->n : 1};
}

#define TYPE float
#define NAME(name) name##_f32
#include "oracles/exact/matmul_type.inc"
#undef TYPE
#undef NAME
#define TYPE double
#define NAME(name) name##_f64
#include "oracles/exact/matmul_type.inc"
#undef TYPE
#undef NAME

#ifndef KERNEL_SUFFIX
#define KERNEL_SUFFIX portable
#endif
#define JOIN_EXPANDED(a, b) a##b
#define JOIN(a, b) JOIN_EXPANDED(a, b)
#define QUOTE_EXPANDED(a) #a
#define QUOTE(a) QUOTE_EXPANDED(a)

extern const exact_kernels_t JOIN(exact_kernels_, KERNEL_SUFFIX);
const exact_kernels_t JOIN(exact_kernels_, KERNEL_SUFFIX) = {
    .name = QUOTE(KERNEL_SUFFIX),
    .matmul_f32 = matmul_f32,
    .matmul_f64 = matmul_f64,
    .sums_f32 = sums_f32,
    .sums_f64 = sums_f64,
    .round_ends = round_ends,
};
