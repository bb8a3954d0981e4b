/* SPDX-License-Identifier: Apache-2.0 */
/* softmax, gelu and norms with what stands before and behind them. */
#include "oracles/ops/module/op/patterns.h"

static sketch_value_t softmax(sketch_t *sketch, sketch_value_t value) {
  const type_t type = *sketch_type(sketch, value);
  char text[32];
  g_snprintf(text, sizeof text, " axis=%u", type.rank - 1);
  return sketch_apply(sketch, "byteir.softmax", text, &value, 1, &type);
}

static sketch_value_t gelu(sketch_t *sketch, sketch_value_t value) {
  const type_t type = *sketch_type(sketch, value);
  const char *text = rng_one_in(sketch->rng, 2) ? " approximate=erf" : " approximate=tanh";
  return sketch_apply(sketch, "byteir.gelu", text, &value, 1, &type);
}

static sketch_value_t norm(sketch_t *sketch, sketch_value_t value) {
  const type_t type = *sketch_type(sketch, value);
  char text[64];
  if (rng_one_in(sketch->rng, 3)) {
    g_snprintf(text, sizeof text, " epsilon=0x1p-17 axis=[%u]", type.rank - 1);
    return sketch_apply(sketch, "byteir.l2_norm", text, &value, 1, &type);
  }
  const type_t row = type_make(type.element, 1, &type.dims[type.rank - 1]);
  const sketch_value_t operands[] = {value, sketch_weight(sketch, &row),
                                     sketch_weight(sketch, &row)};
  g_snprintf(text, sizeof text, " epsilon=0x1p-17 axis=[%u]", type.rank - 1);
  return sketch_apply(sketch, "byteir.layer_norm", text, operands, 3, &type);
}

/* The rows of these ops: enclosing them costs much. */
static type_t draw_rows(sketch_t *sketch) {
  const int64_t dims[] = {rng_between(sketch->rng, 1, 3), rng_between(sketch->rng, 1, 3),
                          sketch_size(sketch, MIN(sketch->limits->elements_max / 9, 64))};
  return type_make(sketch_float(sketch), 2, &dims[1 - rng_below(sketch->rng, 2)]);
}

/* softmax(a b^T / sqrt(k)), and its product with c. */
static sketch_value_t attend(sketch_t *sketch) {
  rng_t *rng = sketch->rng;
  const int64_t queries = rng_between(rng, 1, 4), keys = rng_between(rng, 1, 6),
                width = rng_between(rng, 1, 8);
  const element_t *element = sketch_float(sketch);
  const type_t left = type_make(element, 2, (int64_t[]){queries, width});
  const type_t right = type_make(element, 2, (int64_t[]){keys, width});
  sketch_value_t a = sketch_argument(sketch, &left), b = sketch_argument(sketch, &right);
  sketch_value_t scores = sketch_dot(sketch, a, b, true);
  const type_t scalar = type_make(element, 0, NULL), shape = *sketch_type(sketch, scores);
  sketch_value_t scale = sketch_spread(sketch, sketch_splat(sketch, &scalar, 0.25), 0, &shape);
  sketch_value_t shares = softmax(sketch, sketch_binary(sketch, "multiply", scores, scale));
  if (rng_one_in(rng, 2)) return shares;
  return sketch_dot(sketch, shares, sketch_weight(sketch, &right), false);
}

pattern_returns_t pattern_norms(sketch_t *sketch) {
  rng_t *rng = sketch->rng;
  if (rng_one_in(rng, 4)) return pattern_return(attend(sketch));
  const type_t type = draw_rows(sketch);
  sketch_value_t value = sketch_argument(sketch, &type);
  if (rng_below(rng, 4) > 0) {
    value = sketch_binary(sketch, "add", value, sketch_weight(sketch, &type));
  } else {
    value = pattern_touch(sketch, value);
  }
  uint64_t kind = rng_below(rng, 3);
  value = kind == 0   ? softmax(sketch, value)
          : kind == 1 ? gelu(sketch, value)
                      : norm(sketch, value);
  return pattern_return(rng_one_in(rng, 2) ? pattern_touch(sketch, value) : value);
}
