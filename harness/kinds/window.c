/* SPDX-License-Identifier: Apache-2.0 */
/* Window arithmetic (count, source index, text of padding) in 128-bit integers, because attributes
 * may be hostile, and random windows within given limits. */
#include "harness/kinds/window.h"

#include <inttypes.h>

#include "harness/draw/draw.h"

/* ---- Text ------------------------------------------------------------------------------------ */

static status_t parse_pair(scan_t *scan, uint32_t index, void *list, failure_t *error) {
  padding_list_t *padding = list;
  STATUS_TRY(scan_expect(scan, "[", error));
  STATUS_TRY(scan_integer(scan, &padding->low[index], error));
  STATUS_TRY(scan_expect(scan, ",", error));
  STATUS_TRY(scan_integer(scan, &padding->high[index], error));
  return scan_expect(scan, "]", error);
}

static status_t parse_padding(const attribute_source_t *from, void *out_value) {
  static const char *const usual[] = {"a list holds", "dimensions"};
  const char *const *words = from->row->words == NULL ? usual : from->row->words;
  const scan_list_t kind = {words[0], words[1], TYPE_RANK_MAX, parse_pair};
  padding_list_t *list = out_value;
  return scan_list(from->scan, &kind, list, &list->count, from->error);
}

static void print_pairs(const padding_list_t *list, const char *between, GString *out_text) {
  for (uint32_t i = 0; i < list->count; i++) {
    g_string_append_printf(out_text, "%s[%" PRId64 "%s%" PRId64 "]", i == 0 ? "" : between,
                           list->low[i], between, list->high[i]);
  }
}

void padding_list_print(const padding_list_t *list, GString *out_text) {
  g_string_append_c(out_text, '[');
  print_pairs(list, ",", out_text);
  g_string_append_c(out_text, ']');
}

static void print_padding(const void *value, const attribute_sink_t *to) {
  padding_list_print((const padding_list_t *)value, to->text);
}

static void print_mlir_padding(const void *value, const attribute_sink_t *to) {
  const padding_list_t *list = value;
  g_string_append(to->text, list->count == 0 ? "dense<" : "dense<[");
  print_pairs(list, ", ", to->text);
  g_string_append_printf(to->text, "%s> : tensor<%ux2xi64>", list->count == 0 ? "" : "]",
                         list->count);
}

const attribute_codec_t padding_list = {
    .parse = parse_padding, .print = print_padding, .print_mlir = print_mlir_padding};

bool dimension_list_is_positive(const dimension_list_t *list) {
  for (uint32_t i = 0; i < list->count; i++) {
    if (list->dims[i] < 1) return false;
  }
  return true;
}

/* ---- Where windows lie ----------------------------------------------------------------------- */

/* A product of two numbers of 63 bits, and a few more: the numbers may be a hostile line's. */
__extension__ typedef __int128 wide_t;

/* The elements that `count` of them span, one every `dilation`. */
static wide_t span(int64_t count, int64_t dilation) {
  return count == 0 ? 0 : (wide_t)(count - 1) * dilation + 1;
}

int64_t window_count(const window_t *window, int64_t length) {
  wide_t padded = (wide_t)window->low + span(length, window->base_dilation) + window->high;
  wide_t extent = span(window->size, window->window_dilation);
  /* The specification calls padded == 0 empty; what is cut off beyond that is no less so. */
  if (padded <= 0 || extent > padded) return 0;
  wide_t count = (padded - extent) / window->stride + 1;
  return count > TYPE_ELEMENTS_MAX ? INT64_MAX : (int64_t)count;
}

int64_t window_source(const window_t *window, int64_t length, int64_t number, int64_t position) {
  wide_t place = (wide_t)number * window->stride + (wide_t)position * window->window_dilation;
  place -= window->low;
  if (place < 0 || place % window->base_dilation != 0) return -1;
  place /= window->base_dilation;
  return place < length ? (int64_t)place : -1;
}

/* ---- Drawing --------------------------------------------------------------------------------- */

/* Mostly 1. */
static int64_t draw_step(rng_t *rng, uint64_t odds) {
  if (!rng_one_in(rng, odds)) return 1;
  return rng_one_in(rng, 8) ? rng_between(rng, 4, 9) : rng_between(rng, 2, 3);
}

static void draw_padding(rng_t *rng, window_t *window) {
  int64_t extent = (int64_t)span(window->size, window->window_dilation);
  switch (rng_below(rng, 5)) {
    case 0: /* As much as makes one window for each element, where strides are 1. */
      window->low = (extent - 1) / 2;
      window->high = extent - 1 - window->low;
      break;
    case 1:
      window->low = rng_between(rng, 0, MIN(extent - 1, 8));
      window->high = rng_between(rng, 0, MIN(extent - 1, 8));
      break;
    case 2:
      window->low = rng_between(rng, -2, 3);
      window->high = rng_between(rng, -2, 3);
      break;
    default:
      break;
  }
}

window_t window_draw(rng_t *rng, int64_t length, const window_limits_t *limits,
                     bool has_dilations) {
  window_t window = {.stride = draw_step(rng, 3), .base_dilation = 1, .window_dilation = 1};
  int64_t usual = MIN(limits->size, 4);
  window.size =
      rng_one_in(rng, 4) ? draw_size(rng, limits->sizes, limits->size) : rng_between(rng, 1, usual);
  window.size = MAX(window.size, 1);
  if (has_dilations) {
    window.base_dilation = draw_step(rng, 5);
    window.window_dilation = draw_step(rng, 5);
  }
  draw_padding(rng, &window);
  if (window_count(&window, length) == 0 && !rng_one_in(rng, 16)) {
    window.size = MAX(MIN(window.size, length), 1);
    window.window_dilation = 1;
    window.low = MAX(window.low, 0);
    window.high = MAX(window.high, 0);
  }
  int64_t count_max = MIN(limits->count, limits->work / window.size);
  while (window_count(&window, length) > count_max) window.stride *= 2;
  return window;
}
