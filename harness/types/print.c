/* SPDX-License-Identifier: Apache-2.0 */
/* Types as text: the canonical spelling, and MLIR's. */
#include <inttypes.h>

#include "harness/types/scale.h"
#include "harness/types/type.h"

/* 17 significant digits give every binary64 number back. */
static void print_scale_mlir(double scale, GString *out_text) {
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  g_string_append(out_text, g_ascii_formatd(text, sizeof text, "%.16e", scale));
}

typedef struct quantization_style {
  const char *unsigned_prefix; /* Of the storage type. */
  const char *comma;
  void (*print_scale)(double scale, GString *out_text);
} quantization_style_t;

static const quantization_style_t line_style = {"ui", ",", scale_print};
static const quantization_style_t mlir_style = {"u", ", ", print_scale_mlir};

static void print_scales(const quantization_t *quantization, const quantization_style_t *style,
                         GString *out_text) {
  for (uint32_t i = 0; i < quantization->count; i++) {
    if (i > 0) g_string_append(out_text, style->comma);
    style->print_scale(quantization->scales[i], out_text);
    int64_t zero_point = quantization->zero_points[i];
    if (zero_point != 0) g_string_append_printf(out_text, ":%" PRId64, zero_point);
  }
}

static void print_quantized(const type_t *type, const quantization_style_t *style,
                            GString *out_text) {
  const quantization_t *quantization = type->quantization;
  const element_t *storage = type->element;
  const char *prefix = storage->kind == ELEMENT_UNSIGNED ? style->unsigned_prefix : "i";
  g_string_append_printf(out_text, "!quant.uniform<%s%d", prefix, storage->bits);
  if (quantization->storage_min != element_integer_min(storage) ||
      quantization->storage_max != (int64_t)element_integer_max(storage)) {
    g_string_append_printf(out_text, "<%" PRId64 ":%" PRId64 ">", quantization->storage_min,
                           quantization->storage_max);
  }
  g_string_append_printf(out_text, ":%s", quantization->expressed->name);
  bool per_axis = quantization->axis != -1;
  if (per_axis) g_string_append_printf(out_text, ":%d", quantization->axis);
  g_string_append(out_text, style->comma);
  if (per_axis) g_string_append_c(out_text, '{');
  print_scales(quantization, style, out_text);
  g_string_append(out_text, per_axis ? "}>" : ">");
}

static void print_element(const type_t *type, const quantization_style_t *style,
                          GString *out_text) {
  if (type->quantization == NULL) {
    g_string_append(out_text, type->element->name);
  } else {
    print_quantized(type, style, out_text);
  }
}

void type_print_element(const type_t *type, GString *out_text) {
  print_element(type, &line_style, out_text);
}

static bool is_dynamic(const type_t *type, uint32_t dim) {
  return (type->dynamic_dims >> dim & 1) != 0;
}

static void print_type(const type_t *type, bool has_sizes, GString *out_text) {
  print_element(type, &line_style, out_text);
  g_string_append_c(out_text, '[');
  for (uint32_t i = 0; i < type->rank; i++) {
    if (i > 0) g_string_append_c(out_text, ',');
    if (is_dynamic(type, i)) g_string_append_c(out_text, '?');
    if (has_sizes || !is_dynamic(type, i)) {
      g_string_append_printf(out_text, "%" PRId64, type->dims[i]);
    }
  }
  g_string_append_c(out_text, ']');
}

void type_print(const type_t *type, GString *out_text) { print_type(type, true, out_text); }

void type_print_compiled(const type_t *type, GString *out_text) {
  print_type(type, false, out_text);
}

void type_print_mlir(const type_t *type, GString *out_text) {
  g_string_append(out_text, "tensor<");
  for (uint32_t i = 0; i < type->rank; i++) {
    if (is_dynamic(type, i)) {
      g_string_append(out_text, "?x");
    } else {
      g_string_append_printf(out_text, "%" PRId64 "x", type->dims[i]);
    }
  }
  print_element(type, &mlir_style, out_text);
  g_string_append_c(out_text, '>');
}
