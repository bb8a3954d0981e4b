/* SPDX-License-Identifier: Apache-2.0 */
/* Enumerates, along one dimension, the pairs of neighbours and weight ranges that an
 * implementation may interpolate between: cells, copies, and the clamping variants beyond the
 * first and last element. */
#include <math.h>

#include "oracles/ops/byteir_resize/linear.h"

/* Weights between 0 and 1 lie between these: coordinates are f64 numbers below 2^25, and computed
 * as sums with 0.5 or as quotients and products, which are not below 2^-50. */
#define WEIGHT_MIN 0x1p-60
#define WEIGHT_MAX 0x1.fffffffffffffp-1

typedef struct list {
  size_t count;
  resize_place_t *places;
} list_t;

static void append(list_t *list, resize_place_t place) {
  g_assert(list->count < RESIZE_PLACES_MAX);
  list->places[list->count++] = place;
}

static void append_copy(list_t *list, int64_t index, int64_t neighbour) {
  append(list, (resize_place_t){.kind = RESIZE_COPY, .lower = index, .upper = neighbour});
}

static void append_edge(list_t *list, int64_t index, int64_t neighbour, double low, double high) {
  append(list, (resize_place_t){RESIZE_EDGE, index, neighbour, low, high});
}

/* Beyond an end: the coordinate is clamped, which copies the element there, or its indices are, and
 * the element is taken with both weights; or with two halves, as ONNX Runtime does where the upper
 * index has been clamped.  Where weights are intervals all this is one edge, since roundings are
 * not told one by one. */
static void append_end(list_t *list, const resize_axis_t *axis, bool is_upper,
                       const resize_coordinate_t *coordinate) {
  int64_t index = is_upper ? axis->length - 1 : 0;
  int64_t neighbour = MIN(index + 1, axis->length - 1);
  double lower = is_upper ? floor(fmax(coordinate->low, (double)index)) : floor(coordinate->low);
  double low = fmax(coordinate->low - lower, 0), high = fmin(coordinate->high - lower, 1);
  if (coordinate->low < coordinate->high) {
    append_edge(list, index, neighbour, low, high);
    return;
  }
  append_copy(list, index, neighbour);
  if (low > 0) append_edge(list, index, neighbour, low, low);
  if (index == axis->length - 1) append_edge(list, index, neighbour, 0.5, 0.5);
}

/* Between element `lower` and the next. */
static void append_cell(list_t *list, double lower, const resize_coordinate_t *coordinate) {
  double low = fmax(coordinate->low - lower, 0), high = fmin(coordinate->high - lower, 1);
  int64_t index = (int64_t)lower;
  if (low == 0) append_copy(list, index, index + 1);
  if (high == 0) return;
  append(list, (resize_place_t){RESIZE_CELL, index, index + 1, fmax(low, WEIGHT_MIN),
                                fmin(high, WEIGHT_MAX)});
}

size_t resize_places(const resize_axis_t *axis, const resize_coordinate_t *coordinate,
                     resize_place_t out[RESIZE_PLACES_MAX]) {
  list_t list = {.places = out};
  double last = (double)(axis->length - 1);
  if (coordinate->low < 0) append_end(&list, axis, false, coordinate);
  double first_cell = fmax(floor(coordinate->low), 0);
  double last_cell = fmin(floor(coordinate->high), last - 1);
  for (double lower = first_cell; lower <= last_cell; lower++) {
    append_cell(&list, lower, coordinate);
  }
  if (coordinate->high >= last) append_end(&list, axis, true, coordinate);
  return list.count;
}
