/* SPDX-License-Identifier: Apache-2.0 */
/* Puts constants in the place of the arguments of a program's module, and checks before its return:
 * the op is printed where it always is. */
#include "harness/kinds/checked_module.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "harness/model/dynamic/dynamic.h"
#include "harness/model/op.h"

/* Tensors of more components are written in hexadecimal. */
enum { LISTED_MAX = 32 };

/* ---- Data ------------------------------------------------------------------------------------ */

static bool is_wide_float(const format_t *format) { return format->bits >= 16; }

/* A decimal that MLIR reads as the same number, or the bits. */
static void print_float(const format_t *format, uint64_t bits, GString *out_text) {
  double value = format_to_double(format, bits);
  if (!is_wide_float(format) || !isfinite(value)) {
    g_string_append_printf(out_text, "0x%0*" PRIX64, (format->bits + 3) / 4, bits);
    return;
  }
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  for (int digits = 1; digits <= 16; digits++) {
    char form[8];
    g_snprintf(form, sizeof form, "%%.%de", digits);
    g_ascii_formatd(text, sizeof text, form, value);
    if (g_ascii_strtod(text, NULL) == value) break; /* Of 17 digits it always is. */
  }
  g_string_append(out_text, text);
}

static void print_element(const tensor_t *data, size_t index, GString *out_text) {
  const element_t *element = data->type.element;
  uint64_t bits = element_load(element, data->data, index * element->components);
  switch (element->kind) {
    case ELEMENT_BOOLEAN:
      g_string_append(out_text, bits != 0 ? "true" : "false");
      return;
    case ELEMENT_SIGNED:
      g_string_append_printf(out_text, "%" PRId64, element_signed_value(element, bits));
      return;
    case ELEMENT_UNSIGNED:
      g_string_append_printf(out_text, "%" PRIu64, bits);
      return;
    case ELEMENT_FLOAT:
      return print_float(element->format, bits, out_text);
    case ELEMENT_COMPLEX:
    default:
      g_string_append_c(out_text, '(');
      print_float(element->format, bits, out_text);
      g_string_append(out_text, ", ");
      bits = element_load(element, data->data, 2 * index + 1);
      print_float(element->format, bits, out_text);
      g_string_append_c(out_text, ')');
  }
}

/* The elements from *inout_index on, in as many brackets as there are dimensions from `dim` on. */
static void print_list(const tensor_t *data, uint32_t dim, size_t *inout_index, GString *out_text) {
  if (dim == data->type.rank) {
    print_element(data, (*inout_index)++, out_text);
    return;
  }
  g_string_append_c(out_text, '[');
  for (int64_t i = 0; i < data->type.dims[dim]; i++) {
    if (i > 0) g_string_append(out_text, ", ");
    print_list(data, dim + 1, inout_index, out_text);
  }
  g_string_append_c(out_text, ']');
}

/* The type of the bits, which MLIR's constants have: of unsigned storage without its sign. */
static void print_plain_type(const type_t *type, GString *out_text) {
  if (type->quantization == NULL || type->element->kind != ELEMENT_UNSIGNED) {
    const type_t plain = type_make(type->element, type->rank, type->dims);
    return type_print_mlir(&plain, out_text);
  }
  g_autofree char *name = g_strdup_printf("i%u", type->element->bits);
  const element_t *element = element_find(str_from(name));
  if (element == NULL) { /* Storage alone has so many bits. */
    g_string_append(out_text, "tensor<");
    for (uint32_t i = 0; i < type->rank; i++) {
      g_string_append_printf(out_text, "%" PRId64 "x", type->dims[i]);
    }
    g_string_append_printf(out_text, "%s>", name);
    return;
  }
  const type_t plain = type_make(element, type->rank, type->dims);
  type_print_mlir(&plain, out_text);
}

/* "dense<...>": a list, or the bytes in hexadecimal.  Booleans have no such bytes in all versions
 * of MLIR. */
static void print_dense(const tensor_t *data, GString *out_text) {
  const element_t *element = data->type.element;
  size_t count = type_element_count(&data->type);
  if (count == 0) {
    g_string_append(out_text, "dense<>");
    return;
  }
  bool is_storage = data->type.quantization != NULL;
  g_string_append(out_text, "dense<");
  if (element->kind == ELEMENT_BOOLEAN || (count <= LISTED_MAX && !is_storage)) {
    size_t index = 0;
    print_list(data, 0, &index, out_text);
  } else {
    size_t bytes = count * element_bytes(element);
    g_string_append(out_text, "\"0x");
    for (size_t i = 0; i < bytes; i++) g_string_append_printf(out_text, "%02X", data->data[i]);
    g_string_append_c(out_text, '"');
  }
  g_string_append_c(out_text, '>');
}

static void print_constant(const char *name, const tensor_t *data, GString *out_text) {
  g_string_append_printf(out_text, "    %%%s = \"stablehlo.constant\"() <{value = ", name);
  print_dense(data, out_text);
  g_string_append(out_text, " : ");
  print_plain_type(&data->type, out_text);
  g_string_append(out_text, "}> : () -> ");
  type_print_mlir(&data->type, out_text);
  g_string_append_c(out_text, '\n');
}

/* ---- Checks ---------------------------------------------------------------------------------- */

/* Storage integers are compared, since checks take no quantized values; the new name, owned. */
static char *print_view(const char *value, const char *made, const type_t *type,
                        GString *out_text) {
  if (type->quantization == NULL) return g_strdup(value);
  g_string_append_printf(out_text, "    %%%s = \"stablehlo.bitcast_convert\"(%s) : (", made, value);
  type_print_mlir(type, out_text);
  g_string_append(out_text, ") -> ");
  print_plain_type(type, out_text);
  g_string_append_c(out_text, '\n');
  return g_strdup_printf("%%%s", made);
}

/* StableHLO's expect_eq compares bits, and NaN has many; expect_close knows the usual floats. */
static void print_check(uint32_t index, const char *value, const checked_result_t *result,
                        GString *out_text) {
  const type_t *type = &result->expected->type;
  g_autofree char *constant = g_strdup_printf("expected%u", index);
  g_autofree char *seen = g_strdup_printf("bits%u", index);
  g_autofree char *expected_seen = g_strdup_printf("expected_bits%u", index);
  print_constant(constant, result->expected, out_text);
  g_autofree char *named = g_strdup_printf("%%%s", constant);
  g_autofree char *left = print_view(value, seen, type, out_text);
  g_autofree char *right = print_view(named, expected_seen, type, out_text);
  const format_t *format = type->quantization == NULL ? type->element->format : NULL;
  const char *name = "expect_eq";
  if (format != NULL && is_wide_float(format)) {
    name = "expect_close";
  } else if (format != NULL && result->ulps > 0) {
    name = "expect_almost_eq";
  }
  g_string_append_printf(out_text, "    \"check.%s\"(%s, %s) ", name, left, right);
  if (strcmp(name, "expect_close") == 0) {
    g_string_append_printf(
        out_text, "{max_ulp_difference = %" PRIu64 " : ui64, min_ulp_difference = 0 : ui64} ",
        result->ulps);
  }
  g_string_append(out_text, ": (");
  print_plain_type(type, out_text);
  g_string_append(out_text, ", ");
  print_plain_type(type, out_text);
  g_string_append(out_text, ") -> ()\n");
}

/* ---- The module ------------------------------------------------------------------------------ */

/* "%arg0: TYPE, ..." as the module begins with that is the whole program. */
static bool has_own_arguments(const program_t *program, const char *text) {
  g_autoptr(GString) own = g_string_new(NULL);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    g_string_append_printf(own, "%s%%arg%u: ", i == 0 ? "" : ", ", i);
    type_print_mlir(&program->operands[i], own);
  }
  return g_str_has_prefix(text, own->str);
}

static status_t check_expressible(const program_t *program, const char *arguments,
                                  failure_t *error) {
  if (program_is_dynamic(program)) {
    return status_fail(error, STATUS_INVALID,
                       "sizes that are unknown when %s is compiled have no constants; leave out "
                       "--with-data",
                       program->op->name);
  }
  if (has_own_arguments(program, arguments)) return STATUS_OK;
  return status_fail(error, STATUS_INVALID,
                     "the module of %s is what one process runs, and has no data of the others; "
                     "leave out --with-data",
                     program->op->name);
}

status_t checked_module_print(const case_t *instance, const checked_result_t *results,
                              GString *out_text, failure_t *error) {
  const program_t *program = &instance->program;
  g_autoptr(GString) module = g_string_new(NULL);
  program->op->print_mlir(program, module);
  const char *arguments = strstr(module->str, "@main(") + strlen("@main(");
  const char *body = strstr(arguments, "{\n") + strlen("{\n");
  const char *end = g_strrstr(module->str, "\n    return ");
  g_assert(end != NULL && end > body);
  STATUS_TRY(check_expressible(program, arguments, error));
  g_string_append_len(out_text, module->str, arguments - module->str);
  g_string_append(out_text, ") {\n");
  for (uint32_t i = 0; i < program->operand_count; i++) {
    g_autofree char *name = g_strdup_printf("arg%u", i);
    print_constant(name, &instance->operands[i], out_text);
  }
  g_string_append_len(out_text, body, end + 1 - body);
  const char *names = end + strlen("\n    return ");
  g_autofree char *listed = g_strndup(names, (gsize)(strstr(names, " : ") - names));
  g_auto(GStrv) values = g_strsplit(listed, ", ", -1);
  for (uint32_t i = 0; i < program->result_count; i++) {
    if (results[i].expected != NULL) print_check(i, values[i], &results[i], out_text);
  }
  g_string_append(out_text, "    return\n  }\n}\n");
  return STATUS_OK;
}
