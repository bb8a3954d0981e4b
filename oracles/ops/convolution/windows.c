/* SPDX-License-Identifier: Apache-2.0 */
/* Lists, per spatial dimension, the input index under each window and place. If padding is to be
 * skipped, windows with the same padded places are grouped into blocks. Faults of window
 * attributes act here. */
#include "oracles/ops/convolution/windows.h"

#include "generated/convolution_faults.h"

#include <glib.h>
#include <string.h>

/* What an implementation with that fault takes the dimension for. */
static convolution_axis_t misread(convolution_axis_t axis, fault_t fault) {
  if (fault == FAULT_convolution_lhs_dilation) axis.lhs_dilation++;
  if (fault == FAULT_convolution_rhs_dilation) axis.rhs_dilation++;
  if (fault == FAULT_convolution_not_reversed) axis.is_reversed = false;
  if (fault == FAULT_convolution_stride_ignored) axis.stride = 1;
  if (fault == FAULT_convolution_padding_swapped) axis.padding.low = axis.padding.high;
  if (fault == FAULT_convolution_padding_positive) axis.padding.low = MAX(axis.padding.low, 0);
  return axis;
}

/* Of padding: an index that stands for it, or -1. */
static int64_t find_beyond(const convolution_axis_t *axis, int64_t window, int64_t place,
                           fault_t fault) {
  bool wraps = fault == FAULT_convolution_padding_wraps;
  if (!wraps && fault != FAULT_convolution_edge_repeated) return -1;
  int64_t distance = wraps ? axis->input_size : 1, source = -1;
  for (int64_t sign = -1; sign <= 1 && source < 0; sign += 2) {
    convolution_axis_t shifted = *axis;
    shifted.padding.low += sign * distance;
    source = convolution_source(&shifted, window, place);
  }
  return source;
}

/* An index of the input, or -1. */
static int64_t find_source(const convolution_axis_t *axis, int64_t window, int64_t place,
                           fault_t fault) {
  int64_t source = convolution_source(axis, window, place);
  if (source < 0 && axis->lhs_dilation == 1) source = find_beyond(axis, window, place, fault);
  if (fault != FAULT_convolution_holes_repeat) return source;
  convolution_axis_t shifted = *axis;
  for (int64_t back = 1; source < 0 && back < axis->lhs_dilation; back++) {
    shifted.padding.low = axis->padding.low + back;
    source = convolution_source(&shifted, window, place);
  }
  return source;
}

static const size_t *count_up(size_t count, arena_t *arena) {
  size_t *numbers = ARENA_NEW_ARRAY(arena, size_t, count);
  for (size_t i = 0; i < count; i++) numbers[i] = i;
  return numbers;
}

/* Every window with every place. */
static window_block_t make_whole(const convolution_axis_t *axis, size_t window_count, size_t stride,
                                 fault_t fault, arena_t *arena) {
  size_t place_count = (size_t)axis->kernel_size;
  int64_t *sources = ARENA_NEW_ARRAY(arena, int64_t, window_count *place_count);
  for (size_t window = 0; window < window_count; window++) {
    for (size_t place = 0; place < place_count; place++) {
      int64_t source = find_source(axis, (int64_t)window, (int64_t)place, fault);
      sources[window * place_count + place] = source < 0 ? -1 : source * (int64_t)stride;
    }
  }
  return (window_block_t){
      .window_count = window_count,
      .windows = count_up(window_count, arena),
      .place_count = place_count,
      .places = count_up(place_count, arena),
      .sources = sources,
  };
}

/* Whether two windows have padding under the same places. */
static bool are_alike(const window_block_t *whole, size_t a, size_t b) {
  for (size_t place = 0; place < whole->place_count; place++) {
    bool has_a = whole->sources[a * whole->place_count + place] >= 0;
    bool has_b = whole->sources[b * whole->place_count + place] >= 0;
    if (has_a != has_b) return false;
  }
  return true;
}

/* The windows like window `first`, which are marked as taken, with the places that it has. */
static window_block_t make_block(const window_block_t *whole, size_t first, bool *taken,
                                 arena_t *arena) {
  size_t *windows = ARENA_NEW_ARRAY(arena, size_t, whole->window_count);
  size_t *places = ARENA_NEW_ARRAY(arena, size_t, whole->place_count);
  window_block_t block = {.windows = windows, .places = places};
  for (size_t place = 0; place < whole->place_count; place++) {
    if (whole->sources[first * whole->place_count + place] >= 0) {
      places[block.place_count++] = place;
    }
  }
  for (size_t window = first; window < whole->window_count; window++) {
    if (taken[window] || !are_alike(whole, first, window)) continue;
    taken[window] = true;
    windows[block.window_count++] = window;
  }
  int64_t *sources = ARENA_NEW_ARRAY(arena, int64_t, block.window_count *block.place_count);
  for (size_t i = 0; i < block.window_count; i++) {
    const int64_t *row = whole->sources + windows[i] * whole->place_count;
    for (size_t j = 0; j < block.place_count; j++) {
      sources[i * block.place_count + j] = row[places[j]];
    }
  }
  block.sources = sources;
  return block;
}

window_blocks_t window_blocks_make(const convolution_axis_t *axis, size_t window_count,
                                   size_t stride, bool skips_padding, fault_t fault,
                                   arena_t *arena) {
  convolution_axis_t seen = misread(*axis, fault);
  window_block_t whole = make_whole(&seen, window_count, stride, fault, arena);
  window_block_t *blocks = ARENA_NEW_ARRAY(arena, window_block_t, MAX(window_count, 1));
  if (!skips_padding) {
    blocks[0] = whole;
    return (window_blocks_t){.count = 1, .blocks = blocks};
  }
  size_t count = 0;
  bool *taken = arena_alloc_zeroed(arena, window_count * sizeof *taken);
  for (size_t window = 0; window < window_count; window++) {
    if (!taken[window]) blocks[count++] = make_block(&whole, window, taken, arena);
  }
  return (window_blocks_t){.count = count, .blocks = blocks};
}
