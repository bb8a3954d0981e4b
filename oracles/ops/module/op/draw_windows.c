/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions and windows along one dimension, with what stands before and behind them. */
#include <math.h>

#include "oracles/ops/module/op/patterns.h"

/* [batch, width, features] by [taps, features, channels]. */
static sketch_value_t convolve(sketch_t *sketch, sketch_value_t value, int64_t taps,
                               int64_t channels) {
  const type_t from = *sketch_type(sketch, value);
  const int64_t kernel_dims[] = {taps, from.dims[2], channels};
  const type_t kernel = type_make(from.element, 3, kernel_dims);
  int64_t low = rng_between(sketch->rng, 0, taps - 1), high = taps - 1 - low;
  g_autofree char *text = g_strdup_printf(
      " window_strides=[1] padding=[[%d,%d]] lhs_dilation=[1] rhs_dilation=[1] "
      "window_reversal=[false] dimension_numbers=[b,0,f]x[0,i,o]->[b,0,f] feature_group_count=1 "
      "batch_group_count=1",
      (int)low, (int)high);
  type_t result = from;
  result.dims[2] = channels;
  const sketch_value_t both[] = {value, sketch_weight(sketch, &kernel)};
  return sketch_apply(sketch, "convolution", text, both, 2, &result);
}

/* Windows along dimension 1. */
static sketch_value_t pool(sketch_t *sketch, sketch_value_t value) {
  rng_t *rng = sketch->rng;
  static const char *const bodies[] = {"maximum", "maximum", "add", "minimum", NULL};
  const char *body = sketch_one_of(sketch, bodies);
  const type_t from = *sketch_type(sketch, value);
  const type_t scalar = type_make(from.element, 0, NULL);
  double start = strcmp(body, "add") == 0 ? 0 : strcmp(body, "maximum") == 0 ? -INFINITY : INFINITY;
  const sketch_value_t both[] = {value, sketch_splat(sketch, &scalar, start)};
  int64_t window = rng_between(rng, 1, 3), stride = rng_between(rng, 1, 2);
  int64_t low = rng_between(rng, 0, window - 1), high = rng_between(rng, 0, window - 1);
  int64_t padded = from.dims[1] + low + high;
  if (padded < window) window = padded;
  type_t result = from;
  result.dims[1] = (padded - window) / stride + 1;
  g_autofree char *text = g_strdup_printf(
      " body=%s window_dimensions=[1,%d,1] window_strides=[1,%d,1] base_dilations=[1,1,1] "
      "window_dilations=[1,1,1] padding=[[0,0],[%d,%d],[0,0]]",
      body, (int)window, (int)stride, (int)low, (int)high);
  return sketch_apply(sketch, "reduce_window", text, both, 2, &result);
}

pattern_returns_t pattern_windows(sketch_t *sketch) {
  rng_t *rng = sketch->rng;
  int64_t features = rng_between(rng, 1, 4);
  int64_t width = sketch_size(sketch, MIN(sketch->limits->elements_max / 16, 128));
  const int64_t dims[] = {rng_between(rng, 1, 2), width, features};
  const type_t type = type_make(sketch_number(sketch), 3, dims);
  sketch_value_t value = sketch_argument(sketch, &type);
  bool convolves = rng_below(rng, 3) > 0;
  if (rng_one_in(rng, 3) || !convolves) value = pattern_touch(sketch, value);
  if (convolves) {
    value = convolve(sketch, value, rng_between(rng, 1, 3), rng_between(rng, 1, 4));
    if (rng_below(rng, 3) > 0) value = pattern_add_bias(sketch, value, 2);
    value = rng_one_in(rng, 2) ? pattern_relu(sketch, value) : pattern_touch(sketch, value);
  }
  if (!convolves || rng_one_in(rng, 3)) value = pool(sketch, value);
  return pattern_return(value);
}
