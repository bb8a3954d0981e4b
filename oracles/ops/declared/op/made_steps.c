/* SPDX-License-Identifier: Apache-2.0 */
/* What functions of declared ops are made of, where that is more than one step. */
#include "oracles/ops/declared/op/made_steps.h"

status_t reader_add_fold(reader_t *reader, step_kind_t kind, uint16_t a, uint32_t over,
                         uint16_t *out_step) {
  uint32_t mask = reader_step(reader, a)->mask & ~over;
  const element_t *type = reader_step(reader, a)->type;
  return reader_add_step(
      reader, (step_t){.kind = kind, .a = a, .over = over, .mask = mask, .type = type}, out_step);
}

/* 1 / (1 + exp(-x)) */
status_t reader_add_logistic(reader_t *reader, uint16_t x, uint16_t *out_step) {
  uint16_t one, negated, exponential, sum;
  STATUS_TRY(reader_add_number(reader, str_from("1"), &one));
  STATUS_TRY(reader_add_unary(reader, STEP_NEGATE, x, &negated));
  STATUS_TRY(reader_add_unary(reader, STEP_FUNCTION, negated, &exponential));
  reader->formula->steps[exponential].function = ELEMENTARY_exp;
  STATUS_TRY(reader_add_binary(reader, STEP_ADD, one, exponential, &sum));
  return reader_add_binary(reader, STEP_DIVIDE, one, sum, out_step);
}

status_t reader_add_minimum(reader_t *reader, uint16_t a, uint16_t b, uint16_t *out_step) {
  bool is_integer = reader_step(reader, a)->type != NULL;
  if (is_integer) return reader_add_binary(reader, STEP_MINIMUM, a, b, out_step);
  uint16_t larger;
  STATUS_TRY(reader_add_unary(reader, STEP_NEGATE, a, &a));
  STATUS_TRY(reader_add_unary(reader, STEP_NEGATE, b, &b));
  STATUS_TRY(reader_add_binary(reader, STEP_MAXIMUM, a, b, &larger));
  return reader_add_unary(reader, STEP_NEGATE, larger, out_step);
}

status_t reader_add_smallest(reader_t *reader, uint16_t a, uint32_t over, uint16_t *out_step) {
  bool is_integer = reader_step(reader, a)->type != NULL;
  if (is_integer) return reader_add_fold(reader, STEP_SMALLEST, a, over, out_step);
  uint16_t largest;
  STATUS_TRY(reader_add_unary(reader, STEP_NEGATE, a, &a));
  STATUS_TRY(reader_add_fold(reader, STEP_LARGEST, a, over, &largest));
  return reader_add_unary(reader, STEP_NEGATE, largest, out_step);
}

/* The number of terms: the product of the sizes. */
status_t reader_add_counts(reader_t *reader, uint32_t over, uint16_t *out_step) {
  bool is_first = true;
  for (uint8_t i = 0; i < reader->declaration->index_count; i++) {
    if ((over >> i & 1) == 0) continue;
    uint16_t count;
    STATUS_TRY(reader_add_step(reader, (step_t){.kind = STEP_COUNT, .index = i}, &count));
    if (!is_first) STATUS_TRY(reader_add_binary(reader, STEP_MULTIPLY, *out_step, count, &count));
    *out_step = count;
    is_first = false;
  }
  return STATUS_OK;
}

/* The sum divided by the count, or multiplied by its inverse. */
status_t reader_add_mean(reader_t *reader, uint16_t a, uint32_t over, uint16_t *out_step) {
  uint16_t sum, count, one, inverse, quotient, product;
  STATUS_TRY(reader_add_fold(reader, STEP_SUM, a, over, &sum));
  STATUS_TRY(reader_add_counts(reader, over, &count));
  STATUS_TRY(reader_add_number(reader, str_from("1"), &one));
  STATUS_TRY(reader_add_binary(reader, STEP_DIVIDE, one, count, &inverse));
  STATUS_TRY(reader_add_binary(reader, STEP_DIVIDE, sum, count, &quotient));
  STATUS_TRY(reader_add_binary(reader, STEP_MULTIPLY, sum, inverse, &product));
  return reader_add_binary(reader, STEP_EITHER, quotient, product, out_step);
}

/* (stored - zero point) * scale.  Of stored integers that may be any it may be any number. */
status_t reader_add_dequantize(reader_t *reader, const char *at, uint16_t steps[3],
                               uint16_t *out_step) {
  STATUS_TRY(reader_match(reader, at, "dequantize", &steps[0], &steps[2]));
  STATUS_TRY(reader_require_integer(reader, at, "dequantize", steps[0]));
  STATUS_TRY(reader_require_number(reader, at, "dequantize", steps[0]));
  STATUS_TRY(reader_require_float(reader, at, "dequantize", steps[1]));
  uint16_t difference, number;
  STATUS_TRY(reader_add_binary(reader, STEP_SUBTRACT, steps[0], steps[2], &difference));
  const step_t conversion = {.kind = STEP_CONVERT,
                             .a = difference,
                             .mask = reader_step(reader, difference)->mask,
                             .keeps_unknown = true};
  STATUS_TRY(reader_add_step(reader, conversion, &number));
  return reader_add_binary(reader, STEP_MULTIPLY, number, steps[1], out_step);
}
