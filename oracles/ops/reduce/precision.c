/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds the operands of a reduce as a precision_config lets an implementation do. */
#include "oracles/ops/reduce/precision.h"

#include <math.h>

#include "harness/num/binary64.h"

static bool takes_precision(const program_t *program) {
  const reduce_attributes_t *attributes = reduce_attributes(program);
  return attributes->precision.is_present && reduce_input_count(program) == 1 &&
         attributes->reduction.accumulation_count == 0 && precision_concerns(program);
}

/* Types that tensors have are rounded to nearest even.  tf32 is one of multipliers alone: to
 * nearest even, ties away from zero, or cut. */
static size_t add_ways(uint8_t arithmetic, reduce_precision_t *out_precisions) {
  static const rounding_t last[] = {ROUNDING_NEAREST_EVEN, ROUNDING_NEAREST_AWAY,
                                    ROUNDING_TOWARD_ZERO};
  const precision_arithmetic_t row = precision_arithmetic(arithmetic);
  size_t count = 0;
  if (row.component_count > 1) {
    out_precisions[count++] = (reduce_precision_t){row, ROUNDING_NEAREST_EVEN, last[0]};
    out_precisions[count++] = (reduce_precision_t){row, ROUNDING_TOWARD_ZERO, last[0]};
    return count;
  }
  bool is_tf32 = row.type->format == &format_table[FORMAT_tf32];
  for (size_t i = 0; i < (is_tf32 ? G_N_ELEMENTS(last) : 1); i++) {
    out_precisions[count++] = (reduce_precision_t){row, last[i], last[i]};
  }
  return count;
}

size_t reduce_precisions(const program_t *program, const contract_t *contract,
                         reduce_precision_t out_precisions[REDUCE_PRECISIONS_MAX]) {
  if (!takes_precision(program)) return 0;
  uint8_t permitted[PRECISION_PERMITTED_MAX];
  precision_t word = precision_list_word(&reduce_attributes(program)->precision, 0);
  size_t words = precision_permitted(word, contract, permitted), count = 0;
  for (size_t i = 0; i < words; i++) {
    if (permitted[i] == ARITHMETIC_F32) continue;
    count += add_ways(permitted[i], out_precisions + count);
  }
  return count;
}

bool reduce_precision_of_model(const program_t *program, const implementation_model_t *model,
                               reduce_precision_t *out_precision) {
  if (!takes_precision(program)) return false;
  precision_t word = precision_list_word(&reduce_attributes(program)->precision, 0);
  if (model->precisions[word] == ARITHMETIC_F32) return false;
  reduce_precision_t ways[3];
  size_t count = add_ways(model->precisions[word], ways);
  *out_precision = ways[model->split == SPLIT_NEAREST ? 0 : count - 1];
  return true;
}

static double round_number(const reduce_precision_t *precision, double value) {
  if (!isfinite(value)) return value;
  const precision_arithmetic_t *row = &precision->arithmetic;
  double rest = value, sum = 0;
  for (int i = 0; i < row->component_count; i++) {
    rounding_t rounding = i < row->component_count - 1 ? precision->leading : precision->last;
    uint64_t bits =
        format_convert(&format_table[FORMAT_f64], row->type->format, binary64_bits(rest), rounding);
    double component = format_to_double(row->type->format, bits);
    sum += component; /* Exact: theory.md, T149. */
    if (!isfinite(component)) return sum;
    rest -= component;
  }
  return sum == 0 ? copysign(0, value) : sum;
}

case_t reduce_round_operands(const case_t *instance, const reduce_precision_t *precision,
                             arena_t *arena) {
  case_t rounded = case_make(arena, &instance->program);
  for (uint32_t i = 0; i < instance->program.operand_count; i++) {
    const tensor_t *from = &instance->operands[i];
    const element_t *element = from->type.element;
    size_t count = type_component_count(&from->type);
    for (size_t c = 0; c < count; c++) {
      uint64_t bits = element_load(element, from->data, c);
      double value = format_to_double(element->format, bits);
      if (!isnan(value)) bits = format_from_double(element->format, round_number(precision, value));
      element_store(element, rounded.operands[i].data, c, bits);
    }
  }
  return rounded;
}
