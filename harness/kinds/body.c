/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of reductions that are written out: types of their steps, and what can be told of them by
 * their form. */
#include "harness/kinds/body.h"

#include "harness/num/element.h"

const body_op_row_t body_op_table[BODY_OP_COUNT] = {
#define BODY_OP(name, operands, types) {#name, operands, types},
#include "harness/kinds/body_ops.def"
#undef BODY_OP
};

static bool is_value(body_value_t value, body_place_t place, uint32_t number) {
  return value.place == (uint8_t)place && value.number == number;
}

bool body_equal(const body_t *a, const body_t *b) {
  bool is_equal = a->step_count == b->step_count && a->result_count == b->result_count;
  for (uint32_t i = 0; is_equal && i < a->step_count; i++) {
    const body_step_t *x = &a->steps[i], *y = &b->steps[i];
    is_equal = x->op == y->op && x->element == y->element && x->bits == y->bits;
    for (uint32_t k = 0; is_equal && k < body_op_table[x->op].operands; k++) {
      is_equal = is_value(x->operands[k], y->operands[k].place, y->operands[k].number);
    }
  }
  for (uint32_t i = 0; is_equal && i < a->result_count; i++) {
    is_equal = is_value(a->results[i], b->results[i].place, b->results[i].number);
  }
  return is_equal;
}

/* ---- Types ----------------------------------------------------------------------------------- */

bool body_takes(const element_t *element) {
  if (element->kind == ELEMENT_BOOLEAN || element_is_integer(element)) return true;
  return element->kind == ELEMENT_FLOAT && element->bits >= 16 && element->is_tensor_element;
}

static bool op_takes(body_types_t types, const element_t *element) {
  bool is_boolean = element->kind == ELEMENT_BOOLEAN, is_float = element->kind == ELEMENT_FLOAT;
  switch (types) {
    case BODY_NUMBERS:
      return !is_boolean;
    case BODY_SIGNED:
      return is_float || element->kind == ELEMENT_SIGNED;
    case BODY_FLOATS:
      return is_float;
    case BODY_BITS:
      return !is_float;
    case BODY_ARITHMETIC:
    case BODY_COMPARISON:
    case BODY_SELECTION:
    case BODY_CONSTANT:
      return true;
  }
  return false;
}

/* NULL if there is no such value. */
static const element_t *type_of(const body_t *body, body_value_t value,
                                const element_t *const arguments[], const element_t *const steps[],
                                uint32_t known) {
  if (value.place == BODY_STEP) return value.number < known ? steps[value.number] : NULL;
  return value.number < body->result_count ? arguments[value.number] : NULL;
}

/* NULL if the op does not take its operands. */
static const element_t *type_of_step(const body_t *body, uint32_t number,
                                     const element_t *const arguments[],
                                     const element_t *const steps[]) {
  const body_step_t *step = &body->steps[number];
  const body_op_row_t *row = &body_op_table[step->op];
  if (row->types == BODY_CONSTANT) return body_takes(step->element) ? step->element : NULL;
  const element_t *types[BODY_OPERANDS_MAX] = {NULL};
  for (uint32_t k = 0; k < row->operands; k++) {
    types[k] = type_of(body, step->operands[k], arguments, steps, number);
    if (types[k] == NULL || !op_takes(row->types, types[k])) return NULL;
  }
  bool is_selection = row->types == BODY_SELECTION;
  if (is_selection && types[0]->kind != ELEMENT_BOOLEAN) return NULL;
  for (uint32_t k = is_selection ? 2 : 1; k < row->operands; k++) {
    if (types[k] != types[k - 1]) return NULL;
  }
  if (row->types == BODY_COMPARISON) return element_named("i1");
  return is_selection ? types[1] : types[0];
}

bool body_find_types(const body_t *body, const element_t *const arguments[CASE_RESULTS_MAX],
                     const element_t *out_steps[BODY_STEPS_MAX]) {
  for (uint32_t i = 0; i < body->result_count; i++) {
    if (!body_takes(arguments[i])) return false;
  }
  for (uint32_t i = 0; i < body->step_count; i++) {
    out_steps[i] = type_of_step(body, i, arguments, out_steps);
    if (out_steps[i] == NULL) return false;
  }
  for (uint32_t i = 0; i < body->result_count; i++) {
    const element_t *type = type_of(body, body->results[i], arguments, out_steps, body->step_count);
    if (type != arguments[i]) return false;
  }
  return true;
}

/* ---- Form ------------------------------------------------------------------------------------ */

static const body_step_t *step_of(const body_t *body, body_value_t value) {
  return value.place == BODY_STEP ? &body->steps[value.number] : NULL;
}

static bool takes_both_arguments(const body_step_t *step, uint32_t first, uint32_t number) {
  body_value_t x = step->operands[first], y = step->operands[first + 1];
  return (is_value(x, BODY_LEFT, number) && is_value(y, BODY_RIGHT, number)) ||
         (is_value(x, BODY_RIGHT, number) && is_value(y, BODY_LEFT, number));
}

body_op_t body_independent_op(const body_t *body, uint32_t result) {
  static const body_op_t commuting[] = {BODY_add, BODY_multiply, BODY_maximum, BODY_minimum,
                                        BODY_and, BODY_or,       BODY_xor};
  const body_step_t *step = step_of(body, body->results[result]);
  for (size_t i = 0; step != NULL && i < G_N_ELEMENTS(commuting); i++) {
    if (step->op == (uint8_t)commuting[i] && takes_both_arguments(step, 0, result)) {
      return commuting[i];
    }
  }
  return BODY_OP_COUNT;
}

bool body_is_selection(const body_t *body) {
  const body_step_t *first = NULL;
  for (uint32_t i = 0; i < body->result_count; i++) {
    const body_step_t *step = step_of(body, body->results[i]);
    if (step == NULL || step->op != BODY_select || !takes_both_arguments(step, 1, i)) return false;
    if (first == NULL) first = step;
    bool is_alike =
        is_value(step->operands[0], first->operands[0].place, first->operands[0].number) &&
        step->operands[1].place == first->operands[1].place;
    if (!is_alike) return false;
  }
  return true;
}

/* Whether a value is argument 1 of that side times the exponential of its argument 0 less m. */
static bool is_rescaled(const body_t *body, body_value_t value, body_place_t side,
                        body_value_t maximum) {
  const body_step_t *product = step_of(body, value);
  if (product == NULL || product->op != BODY_multiply) return false;
  bool is_first = is_value(product->operands[0], side, 1);
  if (!is_first && !is_value(product->operands[1], side, 1)) return false;
  const body_step_t *exponential = step_of(body, product->operands[is_first ? 1 : 0]);
  if (exponential == NULL || exponential->op != BODY_exponential) return false;
  const body_step_t *difference = step_of(body, exponential->operands[0]);
  return difference != NULL && difference->op == BODY_subtract &&
         is_value(difference->operands[0], side, 0) &&
         is_value(difference->operands[1], maximum.place, maximum.number);
}

bool body_adds_exponentials(const body_t *body) {
  if (body->result_count != 2 || body_independent_op(body, 0) != BODY_maximum) return false;
  body_value_t maximum = body->results[0];
  const body_step_t *sum = step_of(body, body->results[1]);
  if (sum == NULL || sum->op != BODY_add) return false;
  for (uint32_t left = 0; left < 2; left++) {
    if (is_rescaled(body, sum->operands[left], BODY_LEFT, maximum) &&
        is_rescaled(body, sum->operands[1 - left], BODY_RIGHT, maximum)) {
      return true;
    }
  }
  return false;
}

/* Where the argument is compared, and the larger one wins: the least number. */
static body_neutral_t neutral_of_selection(const body_t *body, uint32_t input,
                                           const body_step_t *selection) {
  bool takes_left = selection->operands[1].place == BODY_LEFT;
  for (uint32_t i = 0; i < body->step_count; i++) {
    const body_step_t *step = &body->steps[i];
    if (body_op_table[step->op].types != BODY_COMPARISON) continue;
    if (step->op == BODY_compare_EQ || step->op == BODY_compare_NE) continue;
    if (!takes_both_arguments(step, 0, input)) continue;
    bool is_greater = step->op == BODY_compare_GT || step->op == BODY_compare_GE;
    bool is_left_first = step->operands[0].place == BODY_LEFT;
    return is_greater == (is_left_first == takes_left) ? BODY_NEUTRAL_LEAST : BODY_NEUTRAL_GREATEST;
  }
  return BODY_NEUTRAL_ZERO;
}

/* As the real part of a complex product. */
static bool is_difference_of_products(const body_t *body, const body_step_t *step) {
  if (step->op != BODY_subtract) return false;
  const body_step_t *left = step_of(body, step->operands[0]);
  const body_step_t *right = step_of(body, step->operands[1]);
  return left != NULL && right != NULL && left->op == BODY_multiply && right->op == BODY_multiply;
}

body_neutral_t body_neutral(const body_t *body, uint32_t input) {
  if (input >= body->result_count) return BODY_NEUTRAL_ZERO;
  const body_step_t *step = step_of(body, body->results[input]);
  if (step == NULL) return BODY_NEUTRAL_ZERO;
  if (is_difference_of_products(body, step)) return BODY_NEUTRAL_ONE;
  if (input == 0 && body_adds_exponentials(body)) return BODY_NEUTRAL_LEAST_FINITE;
  bool is_independent = body_independent_op(body, input) != BODY_OP_COUNT;
  switch (is_independent || step->op == BODY_select ? step->op : BODY_add) {
    case BODY_multiply:
      return BODY_NEUTRAL_ONE;
    case BODY_maximum:
      return BODY_NEUTRAL_LEAST;
    case BODY_minimum:
      return BODY_NEUTRAL_GREATEST;
    case BODY_and:
      return BODY_NEUTRAL_ONES;
    case BODY_select:
      return neutral_of_selection(body, input, step);
    default:
      return BODY_NEUTRAL_ZERO;
  }
}
