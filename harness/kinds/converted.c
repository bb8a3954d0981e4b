/* SPDX-License-Identifier: Apache-2.0 */
/* Makes three parts of a program with a type of accumulation, conversions, the op and conversions,
 * and prints them as one function. */
#include "harness/kinds/converted.h"

#include <string.h>

#include "harness/model/mlir.h"
#include "harness/model/op.h"
#include "harness/types/promotion.h"

/* ---- The op in the types of its accumulation ------------------------------------------------- */

/* The end of the first of several types with commas between, which may stand in `<>` too. */
static const char *end_of_type(const char *text, const char *end) {
  int depth = 0;
  for (const char *p = text; p < end; p++) {
    depth += (*p == '<') - (*p == '>');
    if (*p == ',' && depth == 0) return p;
  }
  return end;
}

/* "f32" or "[f64,!quant.uniform<i32:f32,0x1p-1>]": the names of the types, owned by the array. */
static GPtrArray *type_names(const char *value) {
  GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
  bool is_list = value[0] == '[';
  const char *begin = value + is_list, *end = value + strlen(value) - is_list;
  while (begin < end) {
    const char *stop = end_of_type(begin, end);
    g_ptr_array_add(names, g_strndup(begin, (gsize)(stop - begin)));
    begin = stop + 1;
  }
  return names;
}

/* Appends " TYPE" with the dimensions of `shape`, its element (and quantization) being `name`. */
static void append_type(const char *name, const type_t *shape, GString *out_text) {
  type_t i1 = type_make(element_named("i1"), shape->rank, shape->dims);
  g_autoptr(GString) dims = g_string_new(NULL);
  type_print(&i1, dims);
  g_string_append_printf(out_text, " %s%s", name, dims->str + strlen("i1"));
}

/* The line of the op without the attribute, operands and results in the types that it names: the
 * first input's are those of the first initial value, and so on. */
static void append_line(const program_t *program, const op_attribute_t *attributes, size_t count,
                        const char *omitted, const GPtrArray *names, GString *out_line) {
  g_string_append(out_line, program->op->name);
  for (size_t i = 0; i < count; i++) {
    if (strcmp(attributes[i].key, omitted) == 0) continue;
    g_string_append_printf(out_line, " %s=%s", attributes[i].key, attributes[i].value);
  }
  for (uint32_t i = 0; i < program->operand_count; i++) {
    append_type(g_ptr_array_index(names, i % names->len), &program->operands[i], out_line);
  }
  g_string_append(out_line, " ->");
  for (uint32_t i = 0; i < program->result_count; i++) {
    append_type(g_ptr_array_index(names, i % names->len), &program->results[i], out_line);
  }
}

/* False if the program has no accumulation, or the op does not take these types. */
static bool take_own(const program_t *program, arena_t *arena, program_t *out_own) {
  static const char accumulation[] = "accumulation";
  op_attribute_t attributes[OP_ATTRIBUTES_MAX];
  size_t count = op_attributes(program, arena, attributes);
  const char *value = NULL;
  for (size_t i = 0; i < count; i++) {
    if (strcmp(attributes[i].key, accumulation) == 0) value = attributes[i].value;
  }
  if (value == NULL) return false;
  g_autoptr(GPtrArray) names = type_names(value);
  if (names->len == 0) return false;
  g_autoptr(GString) line = g_string_new(NULL);
  append_line(program, attributes, count, accumulation, names, line);
  const char *violation = NULL;
  str_t text = {.data = line->str, .size = line->len};
  status_t status = program_parse(text, arena, out_own, &violation, NULL);
  return status == STATUS_OK && violation == NULL;
}

/* ---- Conversions ----------------------------------------------------------------------------- */

/* The name of the op that converts, NULL if there is none that the RFC means. */
static const char *conversion(const type_t *from, const type_t *to) {
  if ((from->quantization == NULL) != (to->quantization == NULL)) return NULL;
  op_conversion_t wanted = from->quantization != NULL ? OP_CONVERTS_QUANTIZED : OP_CONVERTS_NUMBERS;
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    if ((*op)->conversion == wanted) return (*op)->name;
  }
  return NULL;
}

static bool keeps_apart(const type_t *from, const type_t *to) {
  if (type_equal(from, to)) return true;
  return from->quantization == NULL && element_promotion_is_exact(from->element, to->element);
}

static bool can_convert(const program_t *program, const program_t *own, bool must_be_exact) {
  for (uint32_t i = 0; i < program->operand_count; i++) {
    const type_t *from = &program->operands[i], *to = &own->operands[i];
    if (conversion(from, to) == NULL || (must_be_exact && !keeps_apart(from, to))) return false;
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    if (conversion(&own->results[i], &program->results[i]) == NULL) return false;
  }
  return true;
}

/* "%NAME", or a conversion of it to a line of its own; the name that has the type `to`, owned. */
static char *print_conversion(const char *name, const char *made, const type_t *from,
                              const type_t *to, GString *out_text) {
  if (type_equal(from, to)) return g_strdup(name);
  g_string_append_printf(out_text, "    %%%s = \"%s\"(%%%s) : (", made, conversion(from, to), name);
  type_print_mlir(from, out_text);
  g_string_append(out_text, ") -> ");
  type_print_mlir(to, out_text);
  g_string_append_c(out_text, '\n');
  return g_strdup(made);
}

/* ---- The module ------------------------------------------------------------------------------ */

static void print_types(const char *before, const type_t *types, uint32_t count,
                        GString *out_text) {
  for (uint32_t i = 0; i < count; i++) {
    g_string_append(out_text, i == 0 ? before : ", ");
    type_print_mlir(&types[i], out_text);
  }
}

static void print_signature(const program_t *program, GString *out_text) {
  g_string_append(out_text, "module {\n  func.func @main(");
  for (uint32_t i = 0; i < program->operand_count; i++) {
    g_string_append_printf(out_text, "%s%%arg%u: ", i == 0 ? "" : ", ", i);
    type_print_mlir(&program->operands[i], out_text);
  }
  g_string_append(out_text, ") -> (");
  print_types("", program->results, program->result_count, out_text);
  g_string_append(out_text, ") {\n");
}

static void print_parts(const program_t *program, const program_t *own, GString *out_text) {
  char *operands[CASE_OPERANDS_MAX] = {NULL}, *computed[CASE_RESULTS_MAX] = {NULL};
  char *results[CASE_RESULTS_MAX] = {NULL};
  print_signature(program, out_text);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    g_autofree char *name = g_strdup_printf("arg%u", i);
    g_autofree char *made = g_strdup_printf("converted%u", i);
    operands[i] = print_conversion(name, made, &program->operands[i], &own->operands[i], out_text);
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    computed[i] = g_strdup_printf("computed%u", i);
  }
  g_string_append(out_text, "    ");
  mlir_print_op(own, (const char *const *)computed, (const char *const *)operands, "", out_text);
  g_string_append_c(out_text, '\n');
  for (uint32_t i = 0; i < program->result_count; i++) {
    g_autofree char *made = g_strdup_printf("result%u", i);
    results[i] =
        print_conversion(computed[i], made, &own->results[i], &program->results[i], out_text);
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    g_string_append_printf(out_text, "%s%%%s", i == 0 ? "    return " : ", ", results[i]);
  }
  print_types(" : ", program->results, program->result_count, out_text);
  g_string_append(out_text, "\n  }\n}\n");
  for (uint32_t i = 0; i < program->operand_count; i++) g_free(operands[i]);
  for (uint32_t i = 0; i < program->result_count; i++) {
    g_free(computed[i]);
    g_free(results[i]);
  }
}

static void print(const program_t *program, bool must_be_exact, GString *out_text) {
  arena_t arena;
  arena_init(&arena);
  program_t own;
  if (take_own(program, &arena, &own) && can_convert(program, &own, must_be_exact)) {
    print_parts(program, &own, out_text);
  } else {
    program->op->print_mlir(program, out_text);
  }
  arena_deinit(&arena);
}

void converted_print_mlir(const program_t *program, GString *out_text) {
  print(program, false, out_text);
}

void converted_print_mlir_if_exact(const program_t *program, GString *out_text) {
  print(program, true, out_text);
}
