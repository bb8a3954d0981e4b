/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds the operands of a reduce as a precision_config lets an implementation do. */
#include "oracles/ops/reduce/precision.h"

#include <math.h>

#include "harness/num/binary64.h"

/* Whether the word of an input says how its numbers may be rounded. */
static bool takes_precision(const program_t *program, uint32_t input) {
  const reduce_attributes_t *attributes = reduce_attributes(program);
  const format_t *f32 = &format_table[FORMAT_f32];
  return attributes->precision.is_present && attributes->reduction.accumulation_count == 0 &&
         program->operands[input].quantization == NULL &&
         program->operands[input].element->format == f32 &&
         program->results[input].element->format == f32;
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

/* Beside leaving them as they are. */
enum { WAYS_MAX = 3 * PRECISION_PERMITTED_MAX };

static size_t ways_of_input(const program_t *program, const contract_t *contract, uint32_t input,
                            reduce_precision_t out_ways[WAYS_MAX]) {
  if (!takes_precision(program, input)) return 0;
  uint8_t permitted[PRECISION_PERMITTED_MAX];
  precision_t word = precision_list_word(&reduce_attributes(program)->precision, input);
  size_t words = precision_permitted(word, contract, permitted), count = 0;
  for (size_t i = 0; i < words; i++) {
    if (permitted[i] != ARITHMETIC_F32) count += add_ways(permitted[i], out_ways + count);
  }
  return count;
}

size_t reduce_rounding_count(const program_t *program, const contract_t *contract) {
  size_t count = 1;
  for (uint32_t i = 0; i < reduce_input_count(program); i++) {
    reduce_precision_t ways[WAYS_MAX];
    count *= 1 + ways_of_input(program, contract, i, ways);
  }
  return count;
}

reduce_rounding_t reduce_rounding_of(const program_t *program, const contract_t *contract,
                                     size_t number) {
  reduce_rounding_t rounding = {.is_rounded = {false}};
  for (uint32_t i = 0; i < reduce_input_count(program); i++) {
    reduce_precision_t ways[WAYS_MAX];
    size_t choices = 1 + ways_of_input(program, contract, i, ways), choice = number % choices;
    number /= choices;
    rounding.is_rounded[i] = choice > 0;
    if (choice > 0) rounding.inputs[i] = ways[choice - 1];
  }
  return rounding;
}

bool reduce_rounding_of_model(const program_t *program, const implementation_model_t *model,
                              reduce_rounding_t *out_rounding) {
  bool rounds = false;
  *out_rounding = (reduce_rounding_t){.is_rounded = {false}};
  for (uint32_t i = 0; i < reduce_input_count(program); i++) {
    if (!takes_precision(program, i)) continue;
    precision_t word = precision_list_word(&reduce_attributes(program)->precision, i);
    if (model->precisions[word] == ARITHMETIC_F32) continue;
    reduce_precision_t ways[3];
    size_t count = add_ways(model->precisions[word], ways);
    out_rounding->is_rounded[i] = rounds = true;
    out_rounding->inputs[i] = ways[model->split == SPLIT_NEAREST ? 0 : count - 1];
  }
  return rounds;
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

static void round_tensor(const tensor_t *from, const reduce_precision_t *precision, tensor_t *to) {
  const element_t *element = from->type.element;
  size_t count = type_component_count(&from->type);
  for (size_t c = 0; c < count; c++) {
    uint64_t bits = element_load(element, from->data, c);
    double value = format_to_double(element->format, bits);
    if (!isnan(value)) bits = format_from_double(element->format, round_number(precision, value));
    element_store(element, to->data, c, bits);
  }
}

case_t reduce_round_operands(const case_t *instance, const reduce_rounding_t *rounding,
                             arena_t *arena) {
  uint32_t inputs = reduce_input_count(&instance->program);
  case_t rounded = case_make(arena, &instance->program);
  for (uint32_t i = 0; i < instance->program.operand_count; i++) {
    if (rounding->is_rounded[i % inputs]) {
      round_tensor(&instance->operands[i], &rounding->inputs[i % inputs], &rounded.operands[i]);
    } else {
      rounded.operands[i] = instance->operands[i];
    }
  }
  return rounded;
}
