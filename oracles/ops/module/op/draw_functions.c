/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of functions, quotients and choices, and of parts of what is computed. */
#include <math.h>

#include "oracles/ops/module/op/patterns.h"

/* ---- Functions ------------------------------------------------------------------------------- */

/* Left out is what compilers are known to make another function of, which no permission has names
 * for: products of roots, the logarithm of an exponential or of a root
 * (harness/docs/ops/modules.md).
 */
static sketch_value_t apply_function(sketch_t *sketch, sketch_value_t value) {
  static const char *const names[] = {"exponential", "exponential",  "exponential_minus_one",
                                      "log",         "log_plus_one", "tanh",
                                      "tanh",        "logistic",     "logistic",
                                      "rsqrt",       "sqrt",         "sine",
                                      NULL};
  return sketch_unary(sketch, sketch_one_of(sketch, names), value);
}

/* x f(x), as of SiLU; f(x)^2; 1 - f(x)^2, as of a gradient of tanh. */
static sketch_value_t use_twice(sketch_t *sketch, sketch_value_t value) {
  static const char *const names[] = {"tanh", "logistic", "sine", "exponential_minus_one", NULL};
  const type_t type = *sketch_type(sketch, value);
  sketch_value_t made = sketch_unary(sketch, sketch_one_of(sketch, names), value);
  switch (rng_below(sketch->rng, 3)) {
    case 0:
      return sketch_binary(sketch, "multiply", value, made);
    case 1:
      return sketch_binary(sketch, "multiply", made, made);
    default:
      made = sketch_binary(sketch, "multiply", made, made);
      return sketch_binary(sketch, "subtract", pattern_spread_number(sketch, &type, 1), made);
  }
}

/* log(1 + exp(x)), exp(x) - 1, tanh(exp(x)). */
static sketch_value_t nest(sketch_t *sketch, sketch_value_t value) {
  static const char *const outer[] = {"log_plus_one", "log_plus_one", "tanh", NULL};
  static const char *const signs[] = {"add", "subtract", NULL};
  const type_t type = *sketch_type(sketch, value);
  value = sketch_unary(sketch, "exponential", value);
  if (rng_one_in(sketch->rng, 2)) {
    return sketch_unary(sketch, sketch_one_of(sketch, outer), value);
  }
  const char *sign = sketch_one_of(sketch, signs);
  value = sketch_binary(sketch, sign, value, pattern_spread_number(sketch, &type, 1));
  return rng_one_in(sketch->rng, 2) ? value : sketch_unary(sketch, "log", value);
}

/* ---- Quotients and choices ------------------------------------------------------------------- */

/* By a number, by a tensor, or by 1 more than the square, as of softsign. */
static sketch_value_t divide(sketch_t *sketch, sketch_value_t value) {
  static const double numbers[] = {2, 3, 0.1, 7, -10, 49};
  rng_t *rng = sketch->rng;
  const type_t type = *sketch_type(sketch, value);
  sketch_value_t other;
  switch (rng_below(rng, 3)) {
    case 0:
      other = pattern_spread_number(sketch, &type, numbers[rng_below(rng, G_N_ELEMENTS(numbers))]);
      break;
    case 1:
      other = sketch_weight(sketch, &type);
      break;
    default:
      other = sketch_binary(sketch, "add", sketch_binary(sketch, "multiply", value, value),
                            pattern_spread_number(sketch, &type, 1));
      break;
  }
  return sketch_binary(sketch, "divide", value, other);
}

/* One of two values, by a comparison with a number or with one another. */
static sketch_value_t choose(sketch_t *sketch, sketch_value_t value) {
  static const char *const directions[] = {"EQ", "NE", "GE", "GT", "LE", "LT", NULL};
  rng_t *rng = sketch->rng;
  const type_t type = *sketch_type(sketch, value);
  const type_t predicate = type_make(element_named("i1"), type.rank, type.dims);
  const char *kind = type.element->format != NULL             ? "FLOAT"
                     : type.element->kind == ELEMENT_UNSIGNED ? "UNSIGNED"
                                                              : "SIGNED";
  sketch_value_t other =
      rng_one_in(rng, 2) ? sketch_weight(sketch, &type)
                         : pattern_spread_number(sketch, &type, (double)rng_between(rng, -1, 1));
  const sketch_value_t compared[] = {value, other};
  char text[80];
  g_snprintf(text, sizeof text, " comparison_direction=%s compare_type=%s",
             sketch_one_of(sketch, directions), kind);
  sketch_value_t holds = sketch_apply(sketch, "compare", text, compared, 2, &predicate);
  sketch_value_t changed =
      rng_one_in(rng, 2) ? sketch_unary(sketch, "negate", value) : pattern_touch(sketch, value);
  const sketch_value_t chosen[] = {holds, value, rng_one_in(rng, 3) ? other : changed};
  return sketch_apply(sketch, "select", NULL, chosen, 3, &type);
}

static sketch_value_t bound(sketch_t *sketch, sketch_value_t value) {
  rng_t *rng = sketch->rng;
  const type_t type = *sketch_type(sketch, value);
  const type_t scalar = type_make(type.element, 0, NULL);
  const sketch_value_t all[] = {sketch_splat(sketch, &scalar, (double)rng_between(rng, -3, 0)),
                                value,
                                sketch_splat(sketch, &scalar, (double)rng_between(rng, 1, 6))};
  return sketch_apply(sketch, "clamp", NULL, all, 3, &type);
}

/* ---- Parts ----------------------------------------------------------------------------------- */

/* Goes on with a list of attributes, "1,0,2". */
static void append_size(GString *list, int64_t size) {
  g_string_append_printf(list, "%s%" G_GINT64_FORMAT, list->len == 0 ? "" : ",", size);
}

static sketch_value_t slice(sketch_t *sketch, sketch_value_t value) {
  rng_t *rng = sketch->rng;
  const type_t from = *sketch_type(sketch, value);
  type_t type = from;
  g_autoptr(GString) starts = g_string_new(NULL);
  g_autoptr(GString) limits = g_string_new(NULL);
  g_autoptr(GString) strides = g_string_new(NULL);
  for (uint32_t i = 0; i < from.rank; i++) {
    int64_t start = rng_one_in(rng, 2) ? 0 : rng_between(rng, 0, from.dims[i] - 1);
    int64_t limit = rng_one_in(rng, 2) ? from.dims[i] : rng_between(rng, start + 1, from.dims[i]);
    int64_t stride = rng_one_in(rng, 3) ? rng_between(rng, 1, 3) : 1;
    type.dims[i] = (limit - start + stride - 1) / stride;
    append_size(starts, start);
    append_size(limits, limit);
    append_size(strides, stride);
  }
  g_autofree char *text = g_strdup_printf(" start_indices=[%s] limit_indices=[%s] strides=[%s]",
                                          starts->str, limits->str, strides->str);
  return sketch_apply(sketch, "slice", text, &value, 1, &type);
}

/* With 0, minus infinity or another number at the ends, and now and then between. */
static sketch_value_t pad(sketch_t *sketch, sketch_value_t value) {
  static const double numbers[] = {0, 0, -INFINITY, 1, -0.0};
  rng_t *rng = sketch->rng;
  const type_t from = *sketch_type(sketch, value);
  type_t type = from;
  g_autoptr(GString) low = g_string_new(NULL);
  g_autoptr(GString) high = g_string_new(NULL);
  g_autoptr(GString) between = g_string_new(NULL);
  bool has_room = type_element_count(&from) * 8 <= (size_t)sketch->limits->elements_max;
  uint32_t padded = (uint32_t)rng_below(rng, MAX(from.rank, 1));
  for (uint32_t i = 0; i < from.rank; i++) {
    bool is_padded = has_room && i == padded;
    int64_t below = is_padded ? rng_between(rng, 0, 2) : 0;
    int64_t above = is_padded ? rng_between(rng, 0, 2) : 0;
    int64_t inside = is_padded && rng_one_in(rng, 3) ? 1 : 0;
    type.dims[i] = below + above + from.dims[i] + inside * MAX(from.dims[i] - 1, 0);
    append_size(low, below);
    append_size(high, above);
    append_size(between, inside);
  }
  const type_t scalar = type_make(from.element, 0, NULL);
  double number = numbers[rng_below(rng, G_N_ELEMENTS(numbers))];
  const sketch_value_t both[] = {value, sketch_splat(sketch, &scalar, number)};
  g_autofree char *text =
      g_strdup_printf(" edge_padding_low=[%s] edge_padding_high=[%s] interior_padding=[%s]",
                      low->str, high->str, between->str);
  return sketch_apply(sketch, "pad", text, both, 2, &type);
}

static sketch_value_t reverse(sketch_t *sketch, sketch_value_t value) {
  const type_t type = *sketch_type(sketch, value);
  char text[32];
  g_snprintf(text, sizeof text, " dimensions=[%u]", (unsigned)rng_below(sketch->rng, type.rank));
  return sketch_apply(sketch, "reverse", text, &value, 1, &type);
}

static sketch_value_t take_part(sketch_t *sketch, sketch_value_t value) {
  if (sketch_type(sketch, value)->rank == 0) return bound(sketch, value);
  switch (rng_below(sketch->rng, 4)) {
    case 0:
      return pad(sketch, value);
    case 1:
      return reverse(sketch, value);
    default:
      return slice(sketch, value);
  }
}

/* ---- The family ------------------------------------------------------------------------------ */

static sketch_value_t step(sketch_t *sketch, sketch_value_t value, bool is_last) {
  bool is_float = sketch_type(sketch, value)->element->format != NULL;
  switch (rng_below(sketch->rng, 10)) {
    case 0:
      return take_part(sketch, value);
    case 1:
      return choose(sketch, value);
    case 2:
      return bound(sketch, value);
    case 3:
    case 4:
      return is_float && is_last ? divide(sketch, value) : take_part(sketch, value);
    case 5:
      return is_float ? use_twice(sketch, value) : choose(sketch, value);
    case 6:
      return is_float ? nest(sketch, value) : take_part(sketch, value);
    default:
      return is_float ? apply_function(sketch, value) : take_part(sketch, value);
  }
}

/* exp(x - max(x)), summed perhaps, and divided by that. */
static pattern_returns_t share_out(sketch_t *sketch, sketch_value_t value) {
  rng_t *rng = sketch->rng;
  const type_t type = *sketch_type(sketch, value);
  uint32_t dim = (uint32_t)rng_below(rng, type.rank);
  if (type.dims[dim] > sketch->limits->terms_max) {
    return pattern_return(apply_function(sketch, value));
  }
  int64_t dims[TYPE_RANK_MAX] = {0};
  for (uint32_t i = 0, count = 0; i < type.rank; i++) {
    if (i != dim) dims[count++] = i;
  }
  sketch_value_t most = sketch_reduce(sketch, "maximum", value, dim);
  value = sketch_binary(sketch, "subtract", value, sketch_broadcast(sketch, most, dims, &type));
  value = sketch_unary(sketch, "exponential", value);
  if (rng_one_in(rng, 3)) return pattern_return(value);
  sketch_value_t sum = sketch_reduce(sketch, "add", value, dim);
  if (rng_one_in(rng, 3)) return pattern_return(sketch_unary(sketch, "log", sum));
  sum = sketch_broadcast(sketch, sum, dims, &type);
  return pattern_return(sketch_binary(sketch, "divide", value, sum));
}

static pattern_returns_t apply_steps(sketch_t *sketch, sketch_value_t value, int64_t terms_max) {
  static const char *const bodies[] = {"add", "maximum", NULL};
  rng_t *rng = sketch->rng;
  if (rng_one_in(rng, 3)) value = pattern_touch(sketch, value);
  if (rng_one_in(rng, 6)) value = pattern_through_quantized(sketch, value);
  uint64_t steps = 1 + rng_below(rng, 3);
  for (uint64_t i = 0; i < steps; i++) value = step(sketch, value, i + 1 == steps);
  if (rng_one_in(rng, 3)) value = pattern_touch(sketch, value);
  if (rng_one_in(rng, 5)) value = pattern_maybe_convert(sketch, value);
  if (rng_one_in(rng, 6)) value = pattern_through_quantized(sketch, value);
  const type_t made = *sketch_type(sketch, value);
  if (made.rank > 0 && made.dims[0] <= terms_max && rng_one_in(rng, 6)) {
    value = sketch_reduce(sketch, sketch_one_of(sketch, bodies), value, 0);
  }
  return pattern_return(value);
}

/* Asked of a generator of its own: the other programs keep their draws. */
static bool has_quotients(const rng_t *rng) {
  enum { ONE_IN = 6 };
  rng_t ahead = *rng;
  rng_t own = rng_make(rng_bits(&ahead) ^ ONE_IN);
  return rng_one_in(&own, ONE_IN);
}

static pattern_returns_t draw_functions(sketch_t *sketch, const draw_limits_t *limits) {
  rng_t *rng = sketch->rng;
  bool is_float = rng_below(rng, 6) > 0;
  const type_t type =
      sketch_shape(sketch, is_float ? sketch_float(sketch) : sketch_number(sketch), 0, 4);
  sketch_value_t value = sketch_argument(sketch, &type);
  bool is_shared = type.element->format != NULL && type.rank > 0 && rng_one_in(rng, 6);
  return is_shared ? share_out(sketch, value) : apply_steps(sketch, value, limits->terms_max);
}

pattern_returns_t pattern_functions(sketch_t *sketch) {
  bool divides = has_quotients(sketch->rng);
  if (!divides && rng_one_in(sketch->rng, 4)) return pattern_simplifiable(sketch);
  draw_limits_t smaller = *sketch->limits;
  const draw_limits_t *limits = sketch->limits;
  smaller.elements_max = MIN(limits->elements_max, 512); /* Enclosing functions costs much. */
  sketch->limits = &smaller;
  pattern_returns_t returns = divides ? pattern_quotients(sketch) : draw_functions(sketch, limits);
  sketch->limits = limits;
  return returns;
}
