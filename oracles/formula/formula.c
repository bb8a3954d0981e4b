/* SPDX-License-Identifier: Apache-2.0 */
/* Steps built from more basic ones (inverse square root, mean, epsilon), written once for all
 * evaluators. Where implementations differ, both variants are offered as alternatives. */
#include "oracles/formula/formula.h"

#include "generated/formula_faults.h"

row_t formula_inverse_square_root(formula_t *formula, row_t a) {
  row_t direct = formula_function(formula, ELEMENTARY_rsqrt, a);
  row_t root = formula_square_root(formula, a);
  if (formula_has_fault(formula, FAULT_rsqrt_estimated)) return direct;
  return formula_either(formula, formula_divide(formula, formula_number(formula, 1), root), direct);
}

static row_t halve(formula_t *formula, row_t a) {
  return formula_multiply(formula, a, formula_number(formula, 0.5));
}

row_t formula_half_product_by_steps(formula_t *formula, row_t a, row_t b) {
  return formula_either(formula, formula_multiply(formula, halve(formula, a), b),
                        formula_multiply(formula, a, halve(formula, b)));
}

row_t formula_half_product(formula_t *formula, row_t a, row_t b) {
  const evaluator_t *evaluator = formula->evaluator;
  return evaluator->half_product != NULL ? evaluator->half_product(formula, a, b)
                                         : formula_half_product_by_steps(formula, a, b);
}

row_t formula_scale_by_steps(formula_t *formula, row_t a, row_t factor, row_t divisor) {
  return formula_either(formula, formula_multiply(formula, a, factor),
                        formula_divide(formula, a, divisor));
}

row_t formula_scale(formula_t *formula, row_t a, row_t factor, row_t divisor) {
  const evaluator_t *evaluator = formula->evaluator;
  return evaluator->scale != NULL ? evaluator->scale(formula, a, factor, divisor)
                                  : formula_scale_by_steps(formula, a, factor, divisor);
}

row_t formula_mean(formula_t *formula, row_t a) {
  row_t sum = formula_sum(formula, a);
  row_t count = formula_number(formula, (double)formula_seen_count(formula, a.count));
  row_t inverse = formula_divide(formula, formula_number(formula, 1), count);
  row_t mean = formula_either(formula, formula_divide(formula, sum, count),
                              formula_multiply(formula, sum, inverse));
  if (formula_has_fault(formula, FAULT_mean_in_bf16)) {
    mean.values[0] = format_round_double(&format_table[FORMAT_bf16], mean.values[0]);
  }
  return mean;
}

size_t formula_total(const row_t *rows, size_t row_count) {
  size_t total = 0;
  for (size_t i = 0; i < row_count; i++) total += rows[i].count;
  return total;
}

size_t formula_seen_count(const formula_t *formula, size_t count) {
  enum { BLOCK = 8 };
  bool is_padded = formula_has_fault(formula, FAULT_count_padded);
  return is_padded ? (count + BLOCK - 1) / BLOCK * BLOCK : count;
}

/* That of the first operand of floats. */
static const format_t *operands_format(const program_t *program) {
  uint32_t i = 0;
  while (i + 1 < program->operand_count && program->operands[i].element->format == NULL) i++;
  return program->operands[i].element->format;
}

row_t formula_epsilon(formula_t *formula, double epsilon) {
  const format_t *format = operands_format(formula->program);
  if (formula->rounds_epsilon && format != NULL) epsilon = format_round_double(format, epsilon);
  return formula_number(formula, epsilon);
}
