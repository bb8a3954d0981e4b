/* SPDX-License-Identifier: Apache-2.0 */
/* Makes dot algorithms of the words of a precision_config, for contracts and for models. */
#include "oracles/ops/dot_general/precisions.h"

#include "generated/dot_general_faults.h"
#include "oracles/ops/dot_general/consistent.h"

/* Of operands that are computed unlike, the products that the finer one of them keeps: component i
 * of the one with component j of the other if i + j is below the larger number of components, or
 * all if one of them keeps all (theory.md, T148). */
static int count_products(const precision_arithmetic_t *lhs, const precision_arithmetic_t *rhs) {
  bool keeps_all =
      lhs->product_count == 9 || rhs->product_count == 9; /* All of 3 by 3 components. */
  int below = MAX(lhs->component_count, rhs->component_count), count = 0;
  for (int i = 0; i < lhs->component_count; i++) {
    for (int j = 0; j < rhs->component_count; j++) count += keeps_all || i + j < below;
  }
  return count;
}

dot_algorithm_t dot_precision_algorithm(uint8_t lhs, uint8_t rhs) {
  const precision_arithmetic_t left = precision_arithmetic(lhs), right = precision_arithmetic(rhs);
  return (dot_algorithm_t){
      .lhs = left.type,
      .rhs = right.type,
      .accumulation = element_named("f32"),
      .component_counts = {left.component_count, right.component_count},
      .primitive_count = count_products(&left, &right),
  };
}

size_t dot_precision_algorithms(const program_t *program, const contract_t *contract,
                                dot_algorithm_t out_algorithms[DOT_PRECISIONS_MAX]) {
  if (!dot_general_takes_precision(program)) return 0;
  const precision_list_t *words = &dot_general_attributes(program)->precision;
  uint8_t lhs[PRECISION_PERMITTED_MAX], rhs[PRECISION_PERMITTED_MAX];
  size_t rows = precision_permitted(precision_list_word(words, DOT_GENERAL_LHS), contract, lhs);
  size_t columns = precision_permitted(precision_list_word(words, DOT_GENERAL_RHS), contract, rhs);
  size_t count = 0;
  for (int are_alike = 1; are_alike >= 0; are_alike--) {
    for (size_t i = 0; i < rows * columns; i++) {
      uint8_t left = lhs[i / columns], right = rhs[i % columns];
      bool is_plain = left == ARITHMETIC_F32 && right == ARITHMETIC_F32;
      if (is_plain || (left == right) != (are_alike == 1)) continue;
      out_algorithms[count++] = dot_precision_algorithm(left, right);
    }
  }
  return count;
}

/* The arithmetic of one operand: the first that has its type and components. */
static const char *name_of(const element_t *type, int components, int products) {
  uint8_t found = ARITHMETIC_F32;
  for (uint8_t i = 0; i < PRECISION_ARITHMETIC_COUNT; i++) {
    const precision_arithmetic_t row = precision_arithmetic(i);
    if (row.type != type || row.component_count != components) continue;
    found = i;
    if (row.product_count <= products) break;
  }
  return contract_spelling(precision_permission(PRECISION_DEFAULT), found);
}

void dot_precision_print(const dot_algorithm_t *algorithm, char *out_text, size_t size) {
  const int *components = algorithm->component_counts;
  const char *lhs = name_of(algorithm->lhs, components[0], algorithm->primitive_count);
  const char *rhs = name_of(algorithm->rhs, components[1], algorithm->primitive_count);
  g_snprintf(out_text, size, lhs == rhs ? "%s" : "%s and %s", lhs, rhs);
}

bool dot_precision_of_model(const program_t *program, const implementation_model_t *model,
                            dot_algorithm_t *out_algorithm) {
  if (!dot_general_takes_precision(program)) return false;
  const precision_list_t *words = &dot_general_attributes(program)->precision;
  uint8_t own[2];
  for (uint32_t i = 0; i < 2; i++) {
    precision_t word = precision_list_word(words, i);
    own[i] = model->precisions[word];
    if (model->fault == FAULT_highest_in_tf32 && word == PRECISION_HIGHEST)
      own[i] = ARITHMETIC_TF32;
  }
  if (own[0] == ARITHMETIC_F32 && own[1] == ARITHMETIC_F32) return false;
  *out_algorithm = dot_precision_algorithm(own[0], own[1]);
  return true;
}
