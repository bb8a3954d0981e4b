/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what a declaration says of quantized operands and results. */
#include <math.h>

#include "oracles/ops/declared/op/reader.h"

status_t reader_storage_type(reader_t *reader, const element_t **out_element) {
  static const char *const names[] = {"i8", "ui8", "i4", "ui4", "i16", "ui16", "i32"};
  reader_skip_blanks(reader);
  const char *at = reader->scan.cursor;
  str_t word = reader_word(reader);
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    if (!str_equal_text(word, names[i])) continue;
    *out_element = element_named(names[i]);
    return STATUS_OK;
  }
  return reader_fail(reader, at,
                     "expected what quantized numbers are stored as, one of i4, ui4, i8, ui8, "
                     "i16, ui16, i32: \"operand x[N] quantized i8\", \"quantize(x, i8, s, z)\"");
}

/* "quantized i8 by C": the storage type, and the index that has a scale for each place. */
status_t reader_quantization(reader_t *reader, declared_tensor_t *inout_tensor) {
  STATUS_TRY(reader_storage_type(reader, &inout_tensor->element));
  inout_tensor->is_quantized = true;
  if (!reader_accept(reader, "by ")) return STATUS_OK;
  reader_skip_blanks(reader);
  const char *at = reader->scan.cursor;
  int index = reader_find_index(reader, reader_word(reader));
  for (uint32_t d = 0; index >= 0 && d < inout_tensor->count; d++) {
    const declared_dimension_t *dimension = &inout_tensor->dimensions[d];
    bool is_alone = dimension->count == 1 && dimension->indices[0] == index;
    if (is_alone && !reader->declaration->indices[index].is_group) {
      inout_tensor->channel = (int8_t)index;
      return STATUS_OK;
    }
  }
  return reader_fail(reader, at,
                     "expected an index that is a dimension here, each place of which has a scale: "
                     "\"operand w[K, N] quantized i8 by N\"");
}

/* A quantized operand or result by its name: as declared_tensor() numbers them. */
static bool find_quantized(const reader_t *reader, str_t name, uint16_t *out_number) {
  const declaration_t *declaration = reader->declaration;
  for (uint16_t i = 0; i < CASE_OPERANDS_MAX + declaration->result_count; i++) {
    if (i < CASE_OPERANDS_MAX && i >= declaration->operand_count) continue;
    const declared_tensor_t *tensor = declared_tensor(declaration, i);
    if (!tensor->is_quantized || !str_equal_text(name, tensor->name)) continue;
    *out_number = i;
    return true;
  }
  return false;
}

status_t reader_quantum(reader_t *reader, step_kind_t kind, uint16_t *out_step) {
  STATUS_TRY(reader_expect(reader, "("));
  reader_skip_blanks(reader);
  const char *at = reader->scan.cursor;
  uint16_t number = 0;
  bool is_quantized = find_quantized(reader, reader_word(reader), &number);
  if (!is_quantized || (kind == STEP_STORAGE && number >= CASE_OPERANDS_MAX)) {
    return reader_fail(
        reader, at, "expected the name of %s",
        kind == STEP_STORAGE ? "a quantized operand" : "a quantized operand or result");
  }
  STATUS_TRY(reader_expect(reader, ")"));
  const declared_tensor_t *tensor = declared_tensor(reader->declaration, number);
  step_t step = {.kind = kind, .a = number, .type = element_named("i32")};
  if (kind == STEP_SCALE) step.type = NULL;
  if (kind == STEP_STORAGE) step.mask = tensor->mask;
  if (kind != STEP_STORAGE && tensor->channel >= 0) {
    step.index = (uint8_t)tensor->channel;
    step.mask = 1U << step.index;
  }
  return reader_add_step(reader, step, out_step);
}

/* A scale is known: an operand, an attribute, a number, or scale(x). */
static status_t check_scale(const reader_t *reader, const char *at, uint16_t number) {
  const step_t *step = reader_step(reader, number);
  bool is_known = step->kind == STEP_OPERAND || step->kind == STEP_ATTRIBUTE ||
                  step->kind == STEP_NUMBER || step->kind == STEP_SCALE;
  bool is_float = step->type == NULL;
  double value = step->kind == STEP_NUMBER ? g_ascii_strtod(step->decimal, NULL) : 1;
  bool is_positive = value > 0 && isfinite(value);
  if (is_known && is_float && is_positive) return STATUS_OK;
  return reader_fail(reader, at,
                     "the scale of quantize is a positive number, an operand or attribute of "
                     "floats, or scale(x), and no sum or product of these");
}

/* "(x, i8, scale, zero_point)" */
status_t reader_quantize(reader_t *reader, const char *at, uint16_t *out_step) {
  uint16_t a, scale, zero_point;
  step_t step = {.kind = STEP_QUANTIZE, .type = element_named("i32")};
  STATUS_TRY(reader_expect(reader, "("));
  STATUS_TRY(reader_expression(reader, &a));
  STATUS_TRY(reader_require_float(reader, at, "quantize", a));
  STATUS_TRY(reader_expect(reader, ","));
  STATUS_TRY(reader_storage_type(reader, &step.storage));
  STATUS_TRY(reader_expect(reader, ","));
  STATUS_TRY(reader_expression(reader, &scale));
  STATUS_TRY(check_scale(reader, at, scale));
  STATUS_TRY(reader_expect(reader, ","));
  STATUS_TRY(reader_expression(reader, &zero_point));
  STATUS_TRY(reader_expect(reader, ")"));
  if (reader_is_literal(reader, zero_point)) {
    STATUS_TRY(reader_literal(reader, at, step.storage, &zero_point));
  }
  STATUS_TRY(reader_require_integer(reader, at, "quantize", zero_point));
  STATUS_TRY(reader_require_number(reader, at, "quantize", zero_point));
  step.a = a;
  step.b = scale;
  step.c = zero_point;
  step.mask = reader_step(reader, a)->mask | reader_step(reader, scale)->mask |
              reader_step(reader, zero_point)->mask;
  return reader_add_step(reader, step, out_step);
}
