/* SPDX-License-Identifier: Apache-2.0 */
/* Written bodies, drawn at random and evaluated naively: a second evaluation that shares nothing
 * with the oracle but the body. */
#ifndef ASSAY_TESTS_OPS_NAIVE_WRITTEN_H
#define ASSAY_TESTS_OPS_NAIVE_WRITTEN_H

#include "oracles/ops/reduce/reduce.h"
#include "tests/ops/naive_checks.h"

/* ---- Evaluation ------------------------------------------------------------------------------ */

typedef int naive_mpfr_t(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding);

static inline double naive_function(const format_t *format, naive_mpfr_t *function, double x) {
  mpfr_t value;
  mpfr_init2(value, 300);
  mpfr_set_d(value, x, MPFR_RNDN);
  function(value, value, MPFR_RNDN);
  double rounded = naive_round(format, value);
  mpfr_clear(value);
  return rounded;
}

static inline double naive_divide(const format_t *format, double a, double b) {
  mpfr_t value, divisor;
  mpfr_inits2(300, value, divisor, (mpfr_ptr)0);
  mpfr_set_d(value, a, MPFR_RNDN);
  mpfr_set_d(divisor, b, MPFR_RNDN);
  mpfr_div(value, value, divisor, MPFR_RNDN);
  double rounded = naive_round(format, value);
  mpfr_clears(value, divisor, (mpfr_ptr)0);
  return rounded;
}

static inline double naive_step_float(const format_t *format, body_op_t op, double a, double b) {
  switch (op) {
    case BODY_add:
      return naive_add_floats(format, a, b);
    case BODY_subtract:
      return naive_add_floats(format, a, -b);
    case BODY_multiply:
      return naive_multiply_floats(format, a, b);
    case BODY_divide:
      return naive_divide(format, a, b);
    case BODY_maximum:
      return naive_maximum_floats(a, b);
    case BODY_minimum:
      return -naive_maximum_floats(-a, -b);
    case BODY_negate:
      return -a;
    case BODY_abs:
      return fabs(a);
    case BODY_sqrt:
      return naive_function(format, mpfr_sqrt, a);
    case BODY_exponential:
      return naive_function(format, mpfr_exp, a);
    case BODY_log:
      return naive_function(format, mpfr_log, a);
    case BODY_tanh:
      return naive_function(format, mpfr_tanh, a);
    default:
      g_assert_not_reached();
  }
}

static inline __int128 naive_step_integer(const element_t *element, body_op_t op, bool saturates,
                                          naive_value_t a, naive_value_t b) {
  bool is_boolean = element->kind == ELEMENT_BOOLEAN;
  switch (op) {
    case BODY_add:
      return naive_add(element, saturates, a, b).integer;
    case BODY_subtract:
      return naive_fit(element, a.integer - b.integer, saturates);
    case BODY_multiply:
      return naive_multiply(element, saturates, a, b).integer;
    case BODY_maximum:
      return MAX(a.integer, b.integer);
    case BODY_minimum:
      return MIN(a.integer, b.integer);
    case BODY_negate:
      return naive_fit(element, -a.integer, saturates);
    case BODY_abs:
      return naive_fit(element, a.integer < 0 ? -a.integer : a.integer, saturates);
    case BODY_and:
      return a.integer & b.integer;
    case BODY_or:
      return a.integer | b.integer;
    case BODY_xor:
      return a.integer ^ b.integer;
    case BODY_not:
      return is_boolean ? !a.integer : naive_fit(element, ~a.integer, false);
    default:
      g_assert_not_reached();
  }
}

static inline bool naive_compares(const element_t *element, body_op_t op, naive_value_t a,
                                  naive_value_t b) {
  bool is_float = element->format != NULL;
  bool less = is_float ? a.real < b.real : a.integer < b.integer;
  bool equal = is_float ? a.real == b.real : a.integer == b.integer;
  bool greater = is_float ? a.real > b.real : a.integer > b.integer;
  switch (op) {
    case BODY_compare_EQ:
      return equal;
    case BODY_compare_NE:
      return !equal;
    case BODY_compare_GE:
      return greater || equal;
    case BODY_compare_GT:
      return greater;
    case BODY_compare_LE:
      return less || equal;
    default:
      return less;
  }
}

/* Of a body whose arguments have these types. */
static inline naive_node_t naive_combine_by(const body_t *body, const element_t *const arguments[],
                                            bool saturates, naive_node_t a, naive_node_t b) {
  const element_t *types[BODY_STEPS_MAX];
  g_assert_true(body_find_types(body, arguments, types));
  naive_value_t steps[BODY_STEPS_MAX];
  const naive_value_t *places[] = {a.values, b.values, steps};
  for (uint32_t i = 0; i < body->step_count; i++) {
    const body_step_t *step = &body->steps[i];
    naive_value_t x[BODY_OPERANDS_MAX] = {{0}};
    const element_t *from = types[i];
    for (uint32_t k = 0; k < body_op_table[step->op].operands; k++) {
      body_value_t operand = step->operands[k];
      x[k] = places[operand.place][operand.number];
      from = operand.place == BODY_STEP ? types[operand.number] : arguments[operand.number];
    }
    steps[i] = (naive_value_t){0};
    if (step->op == BODY_select) {
      steps[i] = x[0].integer != 0 ? x[1] : x[2];
    } else if (body_op_table[step->op].types == BODY_COMPARISON) {
      steps[i].integer = naive_compares(from, step->op, x[0], x[1]);
    } else if (step->op == BODY_constant && from->format != NULL) {
      steps[i].real = format_to_double(from->format, step->bits);
    } else if (step->op == BODY_constant) {
      steps[i].integer = naive_integer_of(from, step->bits);
    } else if (from->format != NULL) {
      steps[i].real = naive_step_float(from->format, step->op, x[0].real, x[1].real);
    } else {
      steps[i].integer = naive_step_integer(from, step->op, saturates, x[0], x[1]);
    }
  }
  naive_node_t node;
  for (uint32_t i = 0; i < body->result_count; i++) {
    node.values[i] = places[body->results[i].place][body->results[i].number];
  }
  return node;
}

static inline naive_node_t naive_combine_written(const program_t *program, bool saturates,
                                                 naive_node_t a, naive_node_t b) {
  const element_t *arguments[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < program->result_count; i++) {
    arguments[i] = program->results[i].element;
  }
  return naive_combine_by(&reduce_attributes(program)->reduction.written, arguments, saturates, a,
                          b);
}

/* ---- Drawing --------------------------------------------------------------------------------- */

static inline const element_t *naive_written_type(const body_t *body, body_value_t value,
                                                  const element_t *const arguments[],
                                                  const element_t *const types[]) {
  (void)body;
  return value.place == BODY_STEP ? types[value.number] : arguments[value.number];
}

/* A value of that type (NULL: of any) among the arguments and the steps so far; false after many
 * tries. */
static inline bool naive_draw_value(rng_t *rng, const body_t *body,
                                    const element_t *const arguments[],
                                    const element_t *const types[], const element_t *wanted,
                                    body_value_t *out_value) {
  for (int i = 0; i < 40; i++) {
    bool is_step = body->step_count > 0 && rng_one_in(rng, 2);
    uint32_t most = is_step ? body->step_count : body->result_count;
    *out_value = (body_value_t){.place = is_step              ? BODY_STEP
                                         : rng_one_in(rng, 2) ? BODY_LEFT
                                                              : BODY_RIGHT,
                                .number = (uint8_t)rng_below(rng, most)};
    if (wanted == NULL || naive_written_type(body, *out_value, arguments, types) == wanted) {
      return true;
    }
  }
  return false;
}

/* A body of up to seven steps and one or two arguments whose types are given. */
static inline body_t naive_draw_body(rng_t *rng, const element_t *const arguments[],
                                     uint32_t count) {
  body_t body = {.result_count = count};
  const element_t *types[BODY_STEPS_MAX];
  for (uint32_t i = 0; i < count; i++) {
    body.results[i] = (body_value_t){.place = BODY_LEFT, .number = (uint8_t)i};
  }
  int tries = (int)rng_between(rng, 3, 14);
  while (tries-- > 0 && body.step_count < 7) {
    body_step_t *step = &body.steps[body.step_count];
    *step = (body_step_t){.op = (uint8_t)rng_below(rng, BODY_OP_COUNT)};
    const body_op_row_t *row = &body_op_table[step->op];
    if (step->op == BODY_log || step->op == BODY_rsqrt) continue;
    if (row->types == BODY_CONSTANT) {
      step->element = arguments[rng_below(rng, count)];
      step->bits = naive_draw_bits(rng, step->element, NAIVE_SMALL_INTEGERS);
    }
    const element_t *wanted = row->types == BODY_SELECTION ? element_named("i1") : NULL;
    bool is_drawn = true;
    for (uint32_t k = 0; k < row->operands && is_drawn; k++) {
      is_drawn = naive_draw_value(rng, &body, arguments, types, wanted, &step->operands[k]);
      wanted = naive_written_type(&body, step->operands[k], arguments, types);
      if (row->types == BODY_SELECTION && k == 0) wanted = NULL;
    }
    body.step_count++;
    if (!is_drawn || !body_find_types(&body, arguments, types)) body.step_count--;
  }
  for (uint32_t i = 0; i < count; i++) { /* Of steps, if one has the type. */
    for (uint32_t s = 0; s < body.step_count; s++) {
      bool fits = types[s] == arguments[i] && !rng_one_in(rng, 4);
      if (fits) body.results[i] = (body_value_t){.place = BODY_STEP, .number = (uint8_t)s};
    }
  }
  return body;
}

static inline const element_t *naive_written_argument(rng_t *rng) {
  static const char *const names[] = {"f32", "f32", "f32", "bf16", "f64", "f16",
                                      "i8",  "i32", "ui8", "i1",   "ui64"};
  return element_named(names[rng_below(rng, G_N_ELEMENTS(names))]);
}

/* A reduce of `terms` terms by a body of one or two arguments. */
static inline program_t naive_draw_written(rng_t *rng, size_t outputs, size_t terms,
                                           uint32_t inputs, arena_t *arena) {
  reduce_attributes_t *attributes = ARENA_NEW_ARRAY(arena, reduce_attributes_t, 1);
  *attributes = (reduce_attributes_t){.reduction = {.body = REDUCE_WRITTEN}};
  dimension_list_append(&attributes->dimensions, 1);
  const element_t *arguments[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < inputs; i++) arguments[i] = naive_written_argument(rng);
  if (inputs == 2 && rng_one_in(rng, 2)) arguments[1] = arguments[0];
  attributes->reduction.written = naive_draw_body(rng, arguments, inputs);
  program_t program = {.op = check_find_op("stablehlo.reduce"),
                       .attributes = attributes,
                       .operand_count = 2 * inputs,
                       .result_count = inputs};
  const int64_t dims[] = {(int64_t)outputs, (int64_t)terms};
  for (uint32_t i = 0; i < inputs; i++) {
    program.operands[i] = type_make(arguments[i], 2, dims);
    program.operands[inputs + i] = type_make(arguments[i], 0, NULL);
    program.results[i] = type_make(arguments[i], 1, dims);
  }
  return program;
}

#endif
