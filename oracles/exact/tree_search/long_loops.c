/* SPDX-License-Identifier: Apache-2.0 */
/* Runs each loop in each arithmetic, with the same choice at all nodes, until one gives the value.
 */
#include "oracles/exact/tree_search/long_loops.h"

#include <glib.h>
#include <math.h>

#include "oracles/exact/any_order/operands.h"
#include "oracles/exact/error_bound.h"

enum { LONG_TERMS_MAX = 1 << 13 };

/* What all nodes of a loop do. */
typedef struct manner {
  arithmetic_t sums, products;
  bool fuses, flushes_results, flushes_terms, truncates_last;
} manner_t;

typedef struct loop {
  const few_terms_t *sum;
  const tree_choices_t *choices;
  const manner_t *manner;
  double *parts; /* Room for one number for each term. */
} loop_t;

/* In which order terms are added up: part p of `width` takes every width-th of them, or as many as
 * that side by side. */
typedef struct shape {
  size_t width;
  bool are_lanes, in_halves, is_reversed;
} shape_t;

static const shape_t shapes[] = {
    {1, true, false, false},   {1, true, false, true},    {1, false, true, false},
    {2, true, false, false},   {4, true, false, false},   {8, true, false, false},
    {16, true, false, false},  {32, true, false, false},  {4, true, true, false},
    {8, true, true, false},    {16, true, true, false},   {32, true, true, false},
    {64, true, true, false},   {2, false, false, false},  {4, false, false, false},
    {8, false, false, false},  {16, false, false, false}, {32, false, false, false},
    {64, false, false, false}, {128, false, false, false}};

/* ---- One loop -------------------------------------------------------------------------------- */

/* A result, or zero for it. */
static double keep(const loop_t *loop, double result) {
  const double normal = format_smallest_normal(loop->manner->sums.format);
  bool is_subnormal = result != 0 && fabs(result) < normal;
  return is_subnormal && loop->manner->flushes_results ? 0 : result;
}

static double add(const loop_t *loop, double a, double b) {
  return keep(loop, arithmetic_add(&loop->manner->sums, a, b));
}

static bool is_read_as_zero(const loop_t *loop, size_t i) {
  return loop->manner->flushes_terms && loop->choices->flushable[i];
}

static double term(const loop_t *loop, size_t i) {
  const few_terms_t *sum = loop->sum;
  if (is_read_as_zero(loop, i)) return 0;
  if (sum->right == NULL) return sum->left[i];
  return keep(loop, arithmetic_multiply(&loop->manner->products, sum->left[i], sum->right[i]));
}

/* The total and one term more, the product of which is perhaps not rounded. */
static double add_term(const loop_t *loop, double total, size_t i) {
  const few_terms_t *sum = loop->sum;
  if (loop->manner->fuses && sum->right != NULL && !is_read_as_zero(loop, i)) {
    const double left = sum->left[i], right = sum->right[i], product = left * right;
    if (isfinite(product) && fma(left, right, -product) == 0) return add(loop, total, product);
  }
  return add(loop, total, term(loop, i));
}

static double add_part(const loop_t *loop, const shape_t *shape, size_t first, size_t step,
                       size_t count) {
  const size_t last = first + (count - 1) * step;
  double total = term(loop, shape->is_reversed ? last : first);
  for (size_t i = 1; i < count; i++) {
    total = add_term(loop, total, shape->is_reversed ? last - i * step : first + i * step);
  }
  return total;
}

static double join(const loop_t *loop, const shape_t *shape, size_t count) {
  double *parts = loop->parts;
  for (; shape->in_halves && count > 1; count = (count + 1) / 2) {
    for (size_t i = 0; i < count / 2; i++) parts[i] = add(loop, parts[2 * i], parts[2 * i + 1]);
    if (count % 2 == 1) parts[count / 2] = parts[count - 1];
  }
  double total = parts[0];
  for (size_t i = 1; i < count; i++) total = add(loop, total, parts[i]);
  return total;
}

/* Of all terms. */
static double run_loop(const loop_t *loop, const shape_t *shape) {
  const size_t count = loop->sum->count, width = shape->width;
  const size_t parts = shape->are_lanes ? width : (count + width - 1) / width;
  for (size_t p = 0; p < parts; p++) {
    loop->parts[p] =
        shape->are_lanes
            ? add_part(loop, shape, p, width, (count - p + width - 1) / width)
            : add_part(loop, shape, p * width, 1, p + 1 < parts ? width : count - p * width);
  }
  return join(loop, shape, parts);
}

/* ---- All of them ----------------------------------------------------------------------------- */

static bool returns(const loop_t *loop, double total, double value) {
  const few_terms_t *sum = loop->sum;
  const double root = sum->init_count > 0 && sum->init != 0 ? add(loop, total, sum->init) : total;
  if (tree_result(sum, root) == value) return true;
  const format_t *format = sum->result == NULL ? sum->format : sum->result;
  const arithmetic_t last = arithmetic_make(format);
  bool may_truncate = loop->manner->truncates_last || loop->manner->sums.truncate_additions;
  if (may_truncate && arithmetic_truncate(&last, root) == value) return true;
  return loop->manner->flushes_results && fabs(root) < format_smallest_normal(format) && value == 0;
}

static bool any_gives(const loop_t *loop, double value) {
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    if (returns(loop, run_loop(loop, &shapes[i]), value)) return true;
  }
  return false;
}

/* What may be done is done at all nodes: with truncation to sums, to products, to both or to the
 * last one; with flushing to results, to terms or to both. */
static bool arithmetic_gives(loop_t *loop, const tree_arithmetic_t *tree, double value) {
  const tree_choices_t *choices = loop->choices;
  for (int t = 0; t < (choices->may_truncate ? 5 : 1); t++) {
    for (int f = 0; f < 4; f++) {
      const manner_t manner = {
          .sums = {.format = tree->nodes.format, .truncate_additions = t == 1 || t == 3},
          .products = {.format = tree->nodes.format, .truncate_products = t == 2 || t == 3},
          .fuses = tree->fuses,
          .truncates_last = t == 4,
          .flushes_results = (f & 1) != 0,
          .flushes_terms = (f & 2) != 0};
      if (t == 0 && f == 0) continue; /* What is only rounded has conformed already. */
      if (manner.flushes_results && !choices->may_flush_results) continue;
      if (manner.flushes_terms && !choices->may_flush_terms) continue;
      loop->manner = &manner;
      if (any_gives(loop, value)) return true;
    }
  }
  return false;
}

bool long_loops_give(const few_terms_t *sum, const tree_choices_t *choices, double value) {
  if (sum->count <= 1 || sum->count > LONG_TERMS_MAX || choices->is_in_order) return false;
  loop_t loop = {.sum = sum, .choices = choices, .parts = g_new(double, sum->count)};
  const tree_arithmetics_t arithmetics = tree_arithmetics_of(sum);
  bool is_given = false;
  for (size_t i = 0; i < arithmetics.count && !is_given; i++) {
    is_given = arithmetic_gives(&loop, &arithmetics.items[i], value);
  }
  g_free(loop.parts);
  return is_given;
}
