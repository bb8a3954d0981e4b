/* SPDX-License-Identifier: Apache-2.0 */
/* How far all elements of a row may be wrong together: the largest k for which the exact results,
 * each times 1 + k n u, would conform (of log_softmax, plus k n u).  Over rows of numbers that are
 * distributed like measured ones. */
#ifndef ASSAY_TESTS_FORMULA_COMMON_FACTOR_H
#define ASSAY_TESTS_FORMULA_COMMON_FACTOR_H

#include <glib.h>
#include <math.h>
#include <string.h>

#include "harness/base/rng.h"
#include "oracles/composite/parts.h"
#include "oracles/exact/error_bound.h"
#include "oracles/formula/enclosed.h"

/* A program whose first operand's rows have %zu terms of type %s, as printf has it. */
typedef struct common_factor_op {
  const char *name;
  const char *(*line)(const char *type, size_t count, arena_t *arena);
  bool is_logarithm; /* Its results are logarithms of what is wrong by a factor. */
} common_factor_op_t;

static inline const char *common_factor_text(arena_t *arena, char *text) {
  char *copy = ARENA_NEW_ARRAY(arena, char, strlen(text) + 1);
  memcpy(copy, text, strlen(text) + 1);
  g_free(text);
  return copy;
}

static inline const char *line_of_layer_norm(const char *t, size_t n, arena_t *arena) {
  return common_factor_text(
      arena, g_strdup_printf("byteir.layer_norm epsilon=0x1p-17 axis=[1] %s[1,%zu] %s[%zu] %s[%zu] "
                             "-> %s[1,%zu]",
                             t, n, t, n, t, n, t, n));
}

static inline const char *line_of_l2_norm(const char *t, size_t n, arena_t *arena) {
  return common_factor_text(
      arena, g_strdup_printf("byteir.l2_norm epsilon=0x1p-40 axis=[1] %s[1,%zu] -> %s[1,%zu]", t, n,
                             t, n));
}

static inline const char *line_of_batch_norm(const char *t, size_t n, arena_t *arena) {
  return common_factor_text(
      arena, g_strdup_printf("stablehlo.batch_norm_training epsilon=0x1p-17 feature_index=1 "
                             "%s[%zu,1] %s[1] %s[1] -> %s[%zu,1] %s[1] %s[1]",
                             t, n, t, t, t, n, t, t));
}

static inline const char *line_of_batch_norm_grad(const char *t, size_t n, arena_t *arena) {
  return common_factor_text(
      arena, g_strdup_printf("stablehlo.batch_norm_grad epsilon=0x1p-17 feature_index=1 %s[%zu,1] "
                             "%s[1] %s[1] %s[1] %s[%zu,1] -> %s[%zu,1] %s[1] %s[1]",
                             t, n, t, t, t, t, n, t, n, t, t));
}

static inline const char *line_of_softmax(const char *t, size_t n, arena_t *arena) {
  return common_factor_text(
      arena, g_strdup_printf("byteir.softmax axis=1 %s[1,%zu] -> %s[1,%zu]", t, n, t, n));
}

static inline const char *line_of_log_softmax(const char *t, size_t n, arena_t *arena) {
  return common_factor_text(
      arena, g_strdup_printf("byteir.log_softmax axis=1 %s[1,%zu] -> %s[1,%zu]", t, n, t, n));
}

static const common_factor_op_t common_factor_ops[] = {
    {"layer_norm", line_of_layer_norm, false},
    {"l2_norm", line_of_l2_norm, false},
    {"batch_norm_training", line_of_batch_norm, false},
    {"batch_norm_grad", line_of_batch_norm_grad, false},
    {"softmax", line_of_softmax, false},
    {"log_softmax", line_of_log_softmax, true},
};

/* N(0, 1), by Box and Muller's way. */
static inline double draw_normal(rng_t *rng) {
  double u = ((double)(rng_bits(rng) >> 12) + 0.5) * 0x1p-52;
  double angle = (double)(rng_bits(rng) >> 12) * 0x1p-52 * 2 * G_PI;
  return sqrt(-2 * log(u)) * cos(angle);
}

/* Operands that are lists have N(0, 1), gradients too; weights and variances of one number are 1,
 * other single numbers 0. */
static inline case_t common_factor_case_of(const common_factor_op_t *op, const char *type,
                                           size_t count, uint64_t seed, arena_t *arena) {
  case_t instance = {0};
  failure_t error = {0};
  const char *line = op->line(type, count, arena);
  if (program_parse(str_from(line), arena, &instance.program, NULL, &error) != STATUS_OK) {
    g_error("%s: %s", line, error.text);
  }
  bool is_layer_norm = op->line == line_of_layer_norm;
  bool is_grad = op->line == line_of_batch_norm_grad;
  rng_t rng = rng_make(seed);
  for (uint32_t i = 0; i < instance.program.operand_count; i++) {
    tensor_t *tensor = &instance.operands[i];
    *tensor = tensor_make(arena, &instance.program.operands[i]);
    const element_t *element = tensor->type.element;
    bool is_drawn = i == 0 || (is_grad && i == 4);
    double constant = is_layer_norm ? (i == 1) : is_grad ? (i == 1 || i == 3) : (i == 1);
    for (size_t n = 0; n < type_element_count(&tensor->type); n++) {
      double value = is_drawn ? draw_normal(&rng) : constant;
      element_store(element, tensor->data, n, format_from_double(element->format, value));
    }
  }
  return instance;
}

static inline case_t common_factor_case(const common_factor_op_t *op, const char *type,
                                        size_t count, arena_t *arena) {
  return common_factor_case_of(op, type, count, count, arena);
}

static inline double format_ulp(const format_t *format, double x) {
  return ldexp(1, MAX(ilogb(x), format->exponent_min) - format->precision + 1);
}

/* By what factor of n u an exact result `y` may be off and stay in [low, high]. */
static inline double factor_within(const common_factor_op_t *op, double y, double low, double high,
                                   double unit, bool is_larger) {
  if (op->is_logarithm) return fmax((is_larger ? high - y : y - low) / unit, 0);
  double end = (y > 0) == is_larger ? high : low;
  double factor = (is_larger ? end / y - 1 : 1 - end / y) / unit;
  return fmax(factor, 0);
}

/* The formulas' sets of one row, and what all of them together hold. */
typedef struct common_factor {
  double largest; /* k; infinite if nothing bounds it. */
  double ulps;    /* By how many ulps of their own type all elements may be off. */
  bool holds_zeros, holds_doubles;
} common_factor_t;

static inline common_factor_t find_common_factor(const common_factor_op_t *op,
                                                 const case_t *instance, const contract_t *contract,
                                                 arena_t *arena) {
  const problem_t problem = problem_make(instance, contract, arena);
  const part_t part = problem_part(&problem, 0);
  variant_t variants[VARIANTS_MAX];
  size_t reading_count = problem_variants(&problem, variants);
  const enclosing_t exactly = {.is_exact = true};
  const evaluation_t exact = {.evaluator = &enclosed_evaluator, .settings = &exactly};
  row_t values[CASE_RESULTS_MAX];
  problem_evaluate(&problem, &part, &variants[0], &exact, values);
  size_t count = part_result_count(&problem, &part, 0);
  double *lows = ARENA_NEW_ARRAY(arena, double, count),
         *highs = ARENA_NEW_ARRAY(arena, double, count);
  for (size_t i = 0; i < count; i++) lows[i] = INFINITY, highs[i] = -(double)INFINITY;
  for (size_t r = 0; r < reading_count; r++) {
    const enclosing_t settings = {.is_unbounded =
                                      problem.formulas[variants[r].formula].is_unbounded};
    const evaluation_t enclosing = {.evaluator = &enclosed_evaluator, .settings = &settings};
    row_t rows[CASE_RESULTS_MAX];
    problem_evaluate(&problem, &part, &variants[r], &enclosing, rows);
    for (size_t i = 0; i < count; i++) {
      value_range_t range = problem_finish(&problem, &part, &variants[r], rows, 0, i);
      lows[i] = fmin(lows[i], range.low);
      highs[i] = fmax(highs[i], range.high);
    }
  }
  double unit = (double)count * format_unit_roundoff(&format_table[FORMAT_f32]);
  const format_t *format = instance->operands[0].type.element->format;
  if (format->bits == 64) unit = (double)count * format_unit_roundoff(format);
  common_factor_t found = {.ulps = INFINITY, .holds_zeros = true, .holds_doubles = true};
  double up = INFINITY, down = INFINITY;
  for (size_t i = 0; i < count; i++) {
    double y = mpfr_get_d(values[0].enclosed[i].low, MPFR_RNDN);
    if (y == 0) continue;
    up = fmin(up, factor_within(op, y, lows[i], highs[i], unit, true));
    down = fmin(down, factor_within(op, y, lows[i], highs[i], unit, false));
    double ulp = format_ulp(format, y), off = fmax(highs[i] - y, y - lows[i]) / ulp;
    found.ulps = fmin(found.ulps, off);
    found.holds_zeros = found.holds_zeros && lows[i] <= 0 && highs[i] >= 0;
    found.holds_doubles = found.holds_doubles && lows[i] <= 2 * y && highs[i] >= 2 * y;
  }
  found.largest = fmax(up, down);
  return found;
}

#endif
