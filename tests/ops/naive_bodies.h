/* SPDX-License-Identifier: Apache-2.0 */
/* The bodies of reductions, evaluated naively. */
#ifndef ASSAY_TESTS_OPS_NAIVE_BODIES_H
#define ASSAY_TESTS_OPS_NAIVE_BODIES_H

#include "harness/kinds/reduction.h"
#include "tests/ops/naive_checks.h"

static inline naive_value_t naive_pick_float(bool wants_maximum, naive_value_t a, naive_value_t b) {
  double sign = wants_maximum ? 1 : -1;
  return (naive_value_t){.real = sign * naive_maximum_floats(sign * a.real, sign * b.real)};
}

static inline naive_value_t naive_pick_integer(bool wants_maximum, naive_value_t a,
                                               naive_value_t b) {
  return (a.integer > b.integer) == wants_maximum ? a : b;
}

static inline naive_value_t naive_combine_bits(reduce_body_t body, naive_value_t a,
                                               naive_value_t b) {
  __int128 bits = body == REDUCE_and  ? a.integer & b.integer
                  : body == REDUCE_or ? a.integer | b.integer
                                      : a.integer ^ b.integer;
  return (naive_value_t){.integer = bits};
}

static inline naive_value_t naive_combine_values(reduce_body_t body, const element_t *element,
                                                 bool saturates, naive_value_t a, naive_value_t b) {
  bool wants_maximum = body == REDUCE_maximum;
  switch (body) {
    case REDUCE_add:
    case REDUCE_sum_count:
      return naive_add(element, saturates, a, b);
    case REDUCE_multiply:
      return naive_multiply(element, saturates, a, b);
    case REDUCE_maximum:
    case REDUCE_minimum:
      if (element->format != NULL) return naive_pick_float(wants_maximum, a, b);
      return naive_pick_integer(wants_maximum, a, b);
    default:
      return naive_combine_bits(body, a, b);
  }
}

/* The region that the op prints as MLIR, step by step. */
static inline naive_node_t naive_combine_arg(const program_t *program, reduce_body_t body,
                                             naive_node_t a, naive_node_t b) {
  bool wants_maximum = body == REDUCE_argmax;
  bool is_float = program->results[0].element->format != NULL;
  double left = a.values[0].real;
  double right = b.values[0].real;
  __int128 left_integer = a.values[0].integer;
  __int128 right_integer = b.values[0].integer;
  bool is_greater = is_float ? left > right : left_integer > right_integer;
  bool is_less = is_float ? left < right : left_integer < right_integer;
  bool is_equal = is_float ? left == right : left_integer == right_integer;
  bool is_nan = is_float && isnan(left);
  bool picks = (wants_maximum ? is_greater : is_less) || is_nan;
  bool picks_index = picks || (is_equal && a.values[1].integer < b.values[1].integer);
  return (naive_node_t){
      {picks ? a.values[0] : b.values[0], picks_index ? a.values[1] : b.values[1]}};
}

static inline naive_node_t naive_combine_body(const program_t *program, reduce_body_t body,
                                              bool saturates, naive_node_t a, naive_node_t b) {
  if (body == REDUCE_argmax || body == REDUCE_argmin) return naive_combine_arg(program, body, a, b);
  naive_node_t node;
  for (uint32_t i = 0; i < program->result_count; i++) {
    const element_t *element = program->results[i].element;
    node.values[i] = naive_combine_values(body, element, saturates, a.values[i], b.values[i]);
  }
  return node;
}

/* One rounding in all, for the one body where that makes a difference that is permitted. */
static inline naive_node_t naive_sum_leaves(const format_t *format, const GArray *leaves) {
  g_autofree double *terms = g_new(double, leaves->len);
  g_autofree double *ones = g_new(double, leaves->len);
  for (guint i = 0; i < leaves->len; i++) {
    terms[i] = g_array_index(leaves, naive_node_t, i).values[0].real;
    ones[i] = 1;
  }
  return (naive_node_t){{{.real = naive_sum_exactly(format, terms, ones, leaves->len)}}};
}

/* The value of the leaves, which are arranged, as the plan says. */
static inline naive_node_t naive_reduce_leaves(rng_t *rng, const program_t *program,
                                               reduce_body_t body, const naive_plan_t *plan,
                                               naive_combine_t *combine, const GArray *leaves) {
  const element_t *element = program->results[0].element;
  bool is_float_sum = body == REDUCE_add && element->kind == ELEMENT_FLOAT;
  if (plan->is_exact && is_float_sum) return naive_sum_leaves(element->format, leaves);
  const naive_node_t *nodes = (const naive_node_t *)(const void *)leaves->data;
  return naive_fold(rng, program, plan, combine, nodes, leaves->len);
}

#endif
