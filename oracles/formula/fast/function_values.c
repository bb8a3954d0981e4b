/* SPDX-License-Identifier: Apache-2.0 */
/* The points of the fast evaluator's functions, without the intervals about them. */
#include "oracles/formula/fast/function_values.h"

#include <math.h>
#include <string.h>

#include "oracles/formula/fast/fast_kernels.h"

/* As fast_kernels.h has: in the order of elementary.def those up to rsqrt. */
bool function_values_has(elementary_t function) { return function <= ELEMENTARY_rsqrt; }

void function_values(elementary_t function, const double *x, size_t count, arena_t *arena,
                     double *out) {
  arena_mark_t mark = arena_mark(arena);
  double *points = ARENA_NEW_ARRAY(arena, double, count);
  memcpy(points, x, count * sizeof *points);
  double *zeros = ARENA_NEW_ARRAY(arena, double, count);
  for (size_t i = 0; i < count; i++) zeros[i] = 0;
  const fast_numbers_t operands = {.count = count,
                                   .are_points = true,
                                   .low = points,
                                   .high = points,
                                   .point = points,
                                   .tail = zeros};
  fast_numbers_t results = {.count = count,
                            .low = ARENA_NEW_ARRAY(arena, double, count),
                            .high = ARENA_NEW_ARRAY(arena, double, count),
                            .point = out,
                            .tail = ARENA_NEW_ARRAY(arena, double, count)};
  const fast_error_t error = {.ulps = 1};
  fast_kernels_best(&format_table[FORMAT_f64])->apply(function, error, &operands, &results);
  for (size_t i = 0; i < count; i++) out[i] = fabs(out[i]) <= 0x1p-1074 ? (double)NAN : out[i];
  arena_rewind(arena, mark);
}
