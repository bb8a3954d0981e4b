/* SPDX-License-Identifier: Apache-2.0 */
/* The readings of a norm, as steps of formulas: each accept set is that of a formula, and needs no
 * bound of its own (theory.md, T215). */
#include "oracles/composite/norm_reading.h"

#include "generated/composite_permissions.h"
#include "oracles/composite/parts.h"
#include "oracles/formula/integers/mixed_steps.h"

norm_epsilon_t norm_epsilon_of(const contract_t *contract, norm_epsilon_t defined) {
  norm_epsilon_t asked = (norm_epsilon_t)PERMITTED(contract, norm_epsilon);
  return asked == NORM_EPSILON_DEFINED ? defined : asked;
}

norm_variance_t norm_variance_of(const contract_t *contract) {
  return (norm_variance_t)PERMITTED(contract, norm_variance);
}

norm_divisor_t norm_divisor(formula_t *formula, row_t v, row_t epsilon, norm_epsilon_t place) {
  bool adds = place == NORM_EPSILON_ADDED || place == NORM_EPSILON_ADDED_OUTSIDE;
  bool is_outside = place == NORM_EPSILON_ADDED_OUTSIDE || place == NORM_EPSILON_LARGER_OUTSIDE;
  norm_divisor_t divisor = {.square = v};
  if (is_outside) {
    row_t root = formula_square_root(formula, v);
    divisor.itself =
        adds ? formula_add(formula, root, epsilon) : formula_maximum(formula, root, epsilon);
    divisor.inverse = formula_divide(formula, formula_number(formula, 1), divisor.itself);
    return divisor;
  }
  divisor.square = adds ? formula_add(formula, v, epsilon) : formula_maximum(formula, v, epsilon);
  divisor.itself = formula_square_root(formula, divisor.square);
  divisor.inverse = formula_inverse_square_root(formula, divisor.square);
  return divisor;
}

row_t norm_divide(formula_t *formula, row_t sum, size_t count) {
  row_t divisor = formula_number(formula, (double)count);
  row_t inverse = formula_divide(formula, formula_number(formula, 1), divisor);
  return formula_either(formula, formula_divide(formula, sum, divisor),
                        formula_multiply(formula, sum, inverse));
}

/* A variance multiplied by n / (n - 1). */
static row_t correct(formula_t *formula, row_t variance, size_t terms) {
  row_t all = formula_number(formula, (double)terms);
  row_t rest = formula_number(formula, (double)terms - 1);
  return formula_multiply(formula, variance, formula_divide(formula, all, rest));
}

row_t norm_sample_variance(formula_t *formula, row_t squared_deviations, size_t terms) {
  return formula_either(formula, norm_divide(formula, squared_deviations, terms - 1),
                        correct(formula, norm_divide(formula, squared_deviations, terms), terms));
}

row_t norm_sample_variance_in_one_pass(formula_t *formula, row_t squares, row_t mean,
                                       row_t difference, size_t terms) {
  row_t sum = formula_multiply(formula, mean, formula_number(formula, (double)terms));
  row_t rest = formula_multiply_add(formula, formula_negate(formula, sum), mean, squares);
  return formula_either(formula, correct(formula, difference, terms),
                        norm_divide(formula, rest, terms - 1));
}

bool norm_may_round(const contract_t *contract) {
  return PERMITTED(contract, normalized) != 0 ||
         PERMITTED(contract, intermediate) == INTERMEDIATE_EITHER;
}

row_t norm_round(formula_t *formula, row_t normal) {
  if (!formula->rounds_normal) return normal;
  return formula_convert(formula, formula->problem->format, normal);
}

row_t norm_affine_of_rounded(formula_t *formula, row_t normal, row_t weight, row_t bias) {
  formula_t native = *formula;
  native.format = formula->problem->format;
  row_t rounded = norm_round(formula, normal);
  return formula_either(formula, formula_multiply_add(&native, rounded, weight, bias),
                        formula_multiply_add(formula, rounded, weight, bias));
}

bool norm_reads_alike(const contract_t *a, const contract_t *b) {
  return PERMITTED(a, norm_epsilon) == PERMITTED(b, norm_epsilon) &&
         PERMITTED(a, norm_variance) == PERMITTED(b, norm_variance);
}
