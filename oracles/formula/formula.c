/* SPDX-License-Identifier: Apache-2.0 */
/* Steps built from more basic ones (inverse square root, mean, epsilon), written once for all
 * evaluators. Where implementations differ, both variants are offered as alternatives. */
#include "oracles/formula/formula.h"

row_t formula_inverse_square_root(formula_t *formula, row_t a) {
  row_t direct = formula_function(formula, ELEMENTARY_rsqrt, a);
  row_t root = formula_square_root(formula, a);
  return formula_either(formula, formula_divide(formula, formula_number(formula, 1), root), direct);
}

row_t formula_mean(formula_t *formula, row_t a) {
  row_t sum = formula_sum(formula, a);
  row_t count = formula_number(formula, (double)a.count);
  row_t inverse = formula_divide(formula, formula_number(formula, 1), count);
  return formula_either(formula, formula_divide(formula, sum, count),
                        formula_multiply(formula, sum, inverse));
}

row_t formula_epsilon(formula_t *formula, double epsilon) {
  if (formula->rounds_epsilon) {
    epsilon = format_round_double(formula->program->operands[0].element->format, epsilon);
  }
  return formula_number(formula, epsilon);
}
