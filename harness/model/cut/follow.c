/* SPDX-License-Identifier: Apache-2.0 */
/* What a block needs of operands whose indices follow from those of its results: the elements under
 * its windows, with the padding that leaves each window where it is; the windows that reach its
 * elements, with all that these reach; the groups that it has. */
#include <string.h>

#include "harness/model/cut/parts.h"

/* ---- Numbers --------------------------------------------------------------------------------- */

static int64_t divide_down(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

static int64_t divide_up(int64_t a, int64_t b) { return -divide_down(-a, b); }

/* What `count` elements span, one every `dilation`. */
static int64_t span(int64_t count, int64_t dilation) {
  return count == 0 ? 0 : (count - 1) * dilation + 1;
}

/* Sums and products of two of these numbers are numbers too. */
static bool is_bounded(const window_t *window) {
  const int64_t most = INT64_C(1) << 30;
  return window->size > 0 && window->size <= most && window->stride <= most &&
         window->base_dilation <= most && window->window_dilation <= most && window->low <= most &&
         window->low >= -most && window->high <= most && window->high >= -most;
}

bool axes_link_windows(axes_t *inout_axes, axis_link_kind_t kind, uint32_t of, uint32_t to,
                       const window_t *window) {
  axes_t *axes = inout_axes;
  if (!is_bounded(window) || axes->items[of].size == 0 || axes->items[to].size == 0) return false;
  g_assert(axes->link_count < AXES_MAX);
  axes->links[axes->link_count++] =
      (axis_link_t){.kind = kind, .of = of, .to = to, .window = *window};
  return true;
}

/* ---- Windows --------------------------------------------------------------------------------- */

/* Places, which padding and holes have too, are numbered from the first element of the operand:
 * theory.md, T233. */
static void follow_windows(axis_link_t *link, int64_t length, cut_block_t *inout_block) {
  cut_block_t *block = inout_block;
  window_t *window = &link->window;
  const int64_t begin = block->first[link->of] * window->stride - window->low;
  const int64_t places =
      (block->size[link->of] - 1) * window->stride + span(window->size, window->window_dilation);
  const int64_t last_place = begin + places - 1;
  int64_t first = begin <= 0 ? 0 : divide_up(begin, window->base_dilation);
  int64_t last = last_place < 0 ? 0 : last_place / window->base_dilation;
  first = MIN(first, length - 1); /* Of padding alone, some element that it does not touch. */
  last = CLAMP(last, first, length - 1);
  block->first[link->to] = first;
  block->size[link->to] = last - first + 1;
  window->low = first * window->base_dilation - begin;
  window->high = places - window->low - span(block->size[link->to], window->base_dilation);
}

/* The windows that reach the block's own elements of `of`, and all elements that these reach:
 * theory.md, T234. */
static void follow_targets(axis_link_t *link, int64_t length, int64_t windows,
                           cut_block_t *inout_block) {
  cut_block_t *block = inout_block;
  const window_t window = link->window;
  const int64_t begin = block->own.first[link->of];
  const int64_t end = begin + block->own.size[link->of];
  int64_t first = divide_up(begin + window.low - window.size + 1, window.stride);
  first = CLAMP(first, 0, windows - 1); /* If none does, some window. */
  const int64_t last = CLAMP(divide_down(end - 1 + window.low, window.stride), first, windows - 1);
  block->first[link->to] = first;
  block->size[link->to] = last - first + 1;
  const int64_t reached = first * window.stride - window.low;
  const int64_t reached_end = last * window.stride - window.low + window.size;
  const int64_t low = MIN(begin, MAX(reached, 0)), high = MAX(end, MIN(reached_end, length));
  block->has_margin |= low != begin || high != end;
  block->first[link->of] = low;
  block->size[link->of] = high - low;
  link->window.low = low - reached;
  link->window.high = reached_end - reached - link->window.low - (high - low);
}

static void follow_groups(const axis_link_t *link, cut_block_t *inout_block) {
  cut_block_t *block = inout_block;
  const int64_t groups = MAX(block->size[link->of] / link->of_each, 1);
  block->first[link->to] = block->first[link->of] / link->of_each * link->to_each;
  block->size[link->to] = groups * link->to_each;
}

cut_block_t cut_block_make(const cut_t *cut, const cut_range_t *own) {
  cut_block_t block = {.has_margin = false};
  for (uint32_t i = 0; i < cut->axes.count; i++) {
    block.own.first[i] = 0;
    block.own.size[i] = cut->axes.items[i].size;
  }
  for (uint32_t i = 0; i < cut->free_count; i++) {
    block.own.first[cut->free[i]] = own->first[cut->free[i]];
    block.own.size[cut->free[i]] = own->size[cut->free[i]];
  }
  memcpy(block.first, block.own.first, sizeof block.first);
  memcpy(block.size, block.own.size, sizeof block.size);
  memcpy(block.links, cut->axes.links, sizeof block.links);
  for (uint32_t i = 0; i < cut->axes.link_count; i++) {
    axis_link_t *link = &block.links[i];
    const int64_t of_size = cut->axes.items[link->of].size;
    const int64_t to_size = cut->axes.items[link->to].size;
    if (link->kind == AXIS_LINK_WINDOWS) follow_windows(link, to_size, &block);
    if (link->kind == AXIS_LINK_TARGETS) follow_targets(link, of_size, to_size, &block);
    if (link->kind == AXIS_LINK_GROUPS) follow_groups(link, &block);
    if (link->kind != AXIS_LINK_PLACES) continue;
    link->first = block.first[link->of];
    block.is_placed |= block.size[link->of] != of_size;
  }
  return block;
}

/* ---- Sizes ----------------------------------------------------------------------------------- */

void cut_gathered_sizes(const cut_t *cut, const int64_t *sizes, int64_t out_sizes[AXES_MAX]) {
  memcpy(out_sizes, sizes, AXES_MAX * sizeof *sizes);
  for (uint32_t i = 0; i < cut->axes.link_count; i++) {
    const axis_link_t *link = &cut->axes.links[i];
    const int64_t of = sizes[link->of];
    if (link->kind == AXIS_LINK_WINDOWS) {
      out_sizes[link->to] = of * link->window.size;
    } else if (link->kind == AXIS_LINK_TARGETS) {
      /* Each source element has a window of operand elements. */
      const int64_t windows = (of + link->window.size - 1) / link->window.stride + 1;
      out_sizes[link->to] = MIN(windows, cut->axes.items[link->to].size) * link->window.size;
    } else if (link->kind == AXIS_LINK_GROUPS) {
      out_sizes[link->to] = MAX(of / link->of_each, 1) * link->to_each;
    }
  }
}

int64_t cut_fit_chunk(const cut_t *cut, uint32_t axis, int64_t size) {
  for (uint32_t i = 0; i < cut->axes.link_count; i++) {
    const axis_link_t *link = &cut->axes.links[i];
    if (link->kind != AXIS_LINK_GROUPS || link->of != axis) continue;
    if (size >= link->of_each) return size / link->of_each * link->of_each;
    while (link->of_each % size != 0) size--;
  }
  return size;
}

/* ---- What is a block's own ------------------------------------------------------------------- */

const uint8_t *cut_margin(const cut_t *cut, const cut_block_t *block, const type_t *type,
                          uint32_t result, arena_t *arena) {
  if (!block->has_margin) return NULL;
  const axis_list_t *list = &cut->axes.results[result];
  const size_t count = type_element_count(type), components = type->element->components;
  uint8_t *margin = ARENA_NEW_ARRAY(arena, uint8_t, count *components);
  int64_t indices[TYPE_RANK_MAX] = {0};
  for (size_t element = 0; element < count; element++) {
    bool is_own = true;
    for (uint32_t i = 0; i < list->count; i++) {
      const uint32_t axis = list->axes[i];
      const int64_t index = block->first[axis] + indices[i] - block->own.first[axis];
      is_own &= index >= 0 && index < block->own.size[axis];
    }
    memset(margin + element * components, is_own ? 0 : 1, components);
    for (uint32_t i = list->count; i-- > 0;) {
      if (++indices[i] < block->size[list->axes[i]]) break;
      indices[i] = 0;
    }
  }
  return margin;
}
