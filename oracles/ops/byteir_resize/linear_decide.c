/* SPDX-License-Identifier: Apache-2.0 */
/* The last word on one component of a linear resize. */
#include <math.h>
#include <stdio.h>

#include "generated/byteir_resize_permissions.h"
#include "oracles/ops/byteir_resize/integers.h"
#include "oracles/ops/byteir_resize/linear_question.h"

/* The exact value: that of the first variant, at exact coordinates. */
static row_t exact_value(resize_question_t *question) {
  question->settings.is_exact = true;
  formula_t *formula = &question->formula;
  resize_cell_t cell = {.axis_count = question->grid.moved_count};
  int64_t lower[TYPE_RANK_MAX], indices[TYPE_RANK_MAX];
  for (uint32_t dim = 0; dim < question->grid.rank; dim++) lower[dim] = question->positions[dim];
  for (size_t i = 0; i < cell.axis_count; i++) {
    uint32_t dim = question->grid.moved[i];
    double last = (double)(question->grid.axes[dim].length - 1);
    double exact = question->coordinates[dim].exact, tail = question->coordinates[dim].tail;
    if (exact < 0 || exact >= last) tail = 0;
    exact = CLAMP(exact, 0, last);
    lower[dim] = (int64_t)floor(exact);
    cell.weights[i] = formula_add(formula, formula_number(formula, exact - floor(exact)),
                                  formula_number(formula, tail));
  }
  for (size_t special_value = 0; special_value < (size_t)1 << cell.axis_count; special_value++) {
    for (uint32_t dim = 0; dim < question->grid.rank; dim++) indices[dim] = lower[dim];
    for (size_t i = 0; i < cell.axis_count; i++) {
      uint32_t dim = question->grid.moved[i];
      bool is_upper = (special_value >> i & 1) != 0;
      if (is_upper) indices[dim] = MIN(lower[dim] + 1, question->grid.axes[dim].length - 1);
    }
    uint64_t bits = resize_question_bits(question, indices);
    cell.corners[special_value] = resize_question_load(question, bits);
  }
  return resize_interpolate(formula, RESIZE_SEPARABLE, &cell);
}

static void measure(resize_question_t *question, uint64_t bits, const value_range_t *range,
                    answer_t *answer) {
  const enclosed_t *exact = exact_value(question).enclosed;
  bool is_known = exact->has_finite && mpfr_number_p(exact->low) && mpfr_number_p(exact->high);
  if (!is_known || range->low > range->high) return;
  mpfr_t below, error, magnitude;
  mpfr_inits2(ENCLOSED_PRECISION, below, error, magnitude, (mpfr_ptr)0);
  mpfr_sub_d(below, exact->low, range->low, MPFR_RNDU);
  mpfr_d_sub(error, range->high, exact->low, MPFR_RNDU);
  mpfr_max(error, error, below, MPFR_RNDU);
  if (mpfr_sgn(error) < 0) mpfr_set_zero(error, 1);
  mpfr_abs(magnitude, exact->low, MPFR_RNDU);
  answer_measure(answer, resize_question_element(question)->format, bits, exact->low, error,
                 magnitude);
  answer->backward_error = 0; /* There are no terms that it could be an error of. */
  mpfr_clears(below, error, magnitude, (mpfr_ptr)0);
}

/* What the component conforms by, where it is not the first of the variants. */
static void describe(const resize_variant_t *variant, const resize_variant_t *first,
                     answer_t *answer) {
  if (variant->formula != RESIZE_SEPARABLE) {
    snprintf(answer->observed, sizeof answer->observed, "resize_linear=%s",
             contract_spelling("resize_linear", (uint8_t)variant->formula));
  } else if (variant->takes_given && !first->takes_given) {
    snprintf(answer->observed, sizeof answer->observed, "resize_scale=given");
  } else if (variant->is_native) {
    snprintf(answer->observed, sizeof answer->observed, "intermediate=native");
  }
}

void resize_linear_decide(const oracle_call_t *call, size_t component, const tensor_t *result,
                          answer_t *out_answer) {
  uint64_t bits = element_load(result->type.element, result->data, component);
  resize_variant_t variants[RESIZE_VARIANTS_MAX];
  resize_formula_t last = (resize_formula_t)PERMITTED(call->contract, resize_linear);
  size_t count = resize_variants(call->instance, call->contract, RESIZE_SEPARABLE, last, variants);
  answer_t answer = {.conforms = false};
  value_range_t range = {0}, first = {0};
  resize_question_t question;
  for (size_t i = 0; i < count && !answer.conforms; i++) {
    resize_question_init(&question, call, &variants[i], component);
    answer.conforms = resize_question_holds(&question, bits, &range);
    if (i == 0) first = range;
    if (answer.conforms) describe(&variants[i], &variants[0], &answer);
  }
  bool has_number = first.low <= first.high;
  bool has_infinity = first.positive_infinity || first.negative_infinity;
  answer.nan_expected = first.nan && !has_number && !has_infinity;
  answer.infinity_expected = has_infinity && !has_number && !first.nan;
  if (result->type.element->format == NULL) {
    resize_integer_print(&first, answer.expected, sizeof answer.expected);
  } else {
    value_range_print(&first, answer.expected, sizeof answer.expected);
    measure(&question, bits, &range, &answer);
  }
  *out_answer = answer;
}
