/* SPDX-License-Identifier: Apache-2.0 */
/* Allocates and deep-copies cases, including quantization parameters, and hashes a program by its
 * canonical text. */
#include "harness/model/case.h"

#include "harness/model/op.h"

tensor_t tensor_make(arena_t *arena, const type_t *type) {
  return (tensor_t){.type = *type, .data = arena_alloc(arena, type_bytes(type))};
}

case_t case_make(arena_t *arena, const program_t *program) {
  case_t instance = {.program = *program};
  for (uint32_t i = 0; i < program->operand_count; i++) {
    instance.operands[i] = tensor_make(arena, &program->operands[i]);
  }
  return instance;
}

/* Of nothing there may be no address to copy from. */
static void *copy_bytes(arena_t *arena, const void *data, size_t size) {
  void *copy = arena_alloc(arena, size);
  if (size > 0) memcpy(copy, data, size);
  return copy;
}

static void copy_quantization(arena_t *arena, type_t *type) {
  const quantization_t *from = type->quantization;
  if (from == NULL) return;
  quantization_t *copy = copy_bytes(arena, from, sizeof *from);
  copy->scales = copy_bytes(arena, from->scales, from->count * sizeof from->scales[0]);
  copy->zero_points =
      copy_bytes(arena, from->zero_points, from->count * sizeof from->zero_points[0]);
  type->quantization = copy;
}

tensor_t tensor_copy(arena_t *arena, const tensor_t *tensor) {
  tensor_t copy = {.type = tensor->type};
  copy_quantization(arena, &copy.type);
  copy.data = copy_bytes(arena, tensor->data, type_bytes(&tensor->type));
  return copy;
}

static const void *copy_attributes(arena_t *arena, const program_t *program) {
  char *copy = copy_bytes(arena, program->attributes, program->op->attributes_bytes);
  const attribute_row_t *row = program->op->attribute_rows;
  for (; row != NULL && row->key != NULL; row++) {
    if (row->codec->copy != NULL) row->codec->copy(arena, copy + row->offset);
  }
  return copy;
}

program_t program_copy(arena_t *arena, const program_t *program) {
  program_t copy = *program;
  copy.attributes = copy_attributes(arena, program);
  for (uint32_t i = 0; i < copy.operand_count; i++) copy_quantization(arena, &copy.operands[i]);
  for (uint32_t i = 0; i < copy.result_count; i++) copy_quantization(arena, &copy.results[i]);
  return copy;
}

case_t case_copy(arena_t *arena, const case_t *instance) {
  program_t program = program_copy(arena, &instance->program);
  case_t copy = case_make(arena, &program);
  for (uint32_t i = 0; i < program.operand_count; i++) {
    memcpy(copy.operands[i].data, instance->operands[i].data, type_bytes(&program.operands[i]));
  }
  return copy;
}

hash_text_t program_hash(const program_t *program) {
  GString *line = g_string_sized_new(256);
  program_print_compiled(program, line);
  hash_text_t hash = hash_of(line->str, line->len);
  g_string_free(line, TRUE);
  return hash;
}

static void print_elements(const type_t *types, uint32_t count, GString *out_text) {
  for (uint32_t i = 0; i < count; i++) {
    if (i > 0) g_string_append_c(out_text, ',');
    const quantization_t *quantization = types[i].quantization;
    if (quantization == NULL) {
      type_print_element(&types[i], out_text);
      continue;
    }
    g_string_append_printf(out_text, "quant<%s:%s%s>", types[i].element->name,
                           quantization->expressed->name, quantization->axis < 0 ? "" : ":axis");
  }
}

void program_print_types(const program_t *program, GString *out_text) {
  print_elements(program->operands, program->operand_count, out_text);
  g_string_append(out_text, "->");
  print_elements(program->results, program->result_count, out_text);
}

static bool has_quantized(const program_t *program) {
  bool has = false;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    has |= program->operands[i].quantization != NULL;
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    has |= program->results[i].quantization != NULL;
  }
  return has;
}

bool program_has_types(const program_t *program, const char *types) {
  if (types == NULL) return true;
  if (strstr(types, "->") == NULL) {
    return !has_quantized(program) && program->operand_count > 0 &&
           strcmp(program->operands[0].element->name, types) == 0 &&
           strcmp(program->results[0].element->name, types) == 0;
  }
  g_autoptr(GString) text = g_string_new(NULL);
  program_print_types(program, text);
  return strcmp(text->str, types) == 0;
}
