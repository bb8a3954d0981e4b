/* SPDX-License-Identifier: Apache-2.0 */
/* Parses and prints the attributes of a program by the table of its op: case line, words for
 * executors, and MLIR. */
#include <string.h>

#include "harness/model/op.h"

static const attribute_row_t *rows_of(const op_t *op) {
  static const attribute_row_t none = ATTRIBUTES_END;
  return op->attribute_rows == NULL ? &none : op->attribute_rows;
}

static const void *value_of(const attribute_row_t *row, const program_t *program) {
  return (const uint8_t *)program->attributes + row->offset;
}

/* The row itself if its attribute is there, or else the next such; its key is NULL at the end. */
static const attribute_row_t *first_present(const attribute_row_t *row, const program_t *program) {
  while (row->key != NULL && row->codec->is_absent != NULL &&
         row->codec->is_absent(value_of(row, program))) {
    row++;
  }
  return row;
}

status_t program_parse_attributes(scan_t *scan, arena_t *arena, program_t *inout_program,
                                  failure_t *error) {
  const op_t *op = inout_program->op;
  uint8_t *attributes = arena_alloc_zeroed(arena, op->attributes_bytes);
  for (const attribute_row_t *row = rows_of(op); row->key != NULL; row++) {
    const attribute_codec_t *codec = row->codec;
    g_autofree char *opening = g_strconcat(" ", row->key, "=", codec->begins, NULL);
    if (codec->is_absent != NULL) {
      if (!scan_accept(scan, opening)) continue;
    } else if (row->is_at_blank) {
      STATUS_TRY(scan_expect(scan, opening, error));
    } else {
      STATUS_TRY(scan_expect(scan, " ", error));
      STATUS_TRY(scan_expect(scan, opening + 1, error));
    }
    const attribute_source_t from = {row, scan, arena, error};
    STATUS_TRY(codec->parse(&from, attributes + row->offset));
  }
  inout_program->attributes = attributes;
  return STATUS_OK;
}

static void print_value(const attribute_row_t *row, const program_t *program, GString *out_text) {
  const attribute_sink_t to = {row, program, out_text};
  if (row->codec->begins != NULL) g_string_append(out_text, row->codec->begins);
  if (row->codec->print != NULL) row->codec->print(value_of(row, program), &to);
}

void program_print_attributes(const program_t *program, GString *out_text) {
  const attribute_row_t *row = first_present(rows_of(program->op), program);
  for (; row->key != NULL; row = first_present(row + 1, program)) {
    g_string_append_printf(out_text, " %s=", row->key);
    print_value(row, program, out_text);
  }
}

size_t op_attributes(const program_t *program, arena_t *arena,
                     op_attribute_t out_attributes[OP_ATTRIBUTES_MAX]) {
  g_autoptr(GString) value = g_string_new(NULL);
  size_t count = 0;
  const attribute_row_t *row = first_present(rows_of(program->op), program);
  for (; row->key != NULL; row = first_present(row + 1, program)) {
    g_assert(count < OP_ATTRIBUTES_MAX);
    g_string_truncate(value, 0);
    print_value(row, program, value);
    out_attributes[count++] =
        (op_attribute_t){.key = row->key, .value = arena_copy_text(arena, value->str, value->len)};
  }
  return count;
}

static const char *mlir_name(const attribute_row_t *row) {
  return row->mlir == NULL ? row->key : row->mlir;
}

static gint compare_names(gconstpointer a, gconstpointer b) {
  return strcmp(mlir_name(*(const attribute_row_t *const *)a),
                mlir_name(*(const attribute_row_t *const *)b));
}

void attributes_print_mlir(const program_t *program, attribute_order_t order, GString *out_text) {
  g_autoptr(GPtrArray) present = g_ptr_array_new();
  const attribute_row_t *first = first_present(rows_of(program->op), program);
  for (; first->key != NULL; first = first_present(first + 1, program)) {
    bool is_there = first->codec->print_mlir != NULL || first->codec->is_unit;
    if (is_there) g_ptr_array_add(present, (gpointer)(uintptr_t)first);
  }
  if (order == ATTRIBUTES_BY_NAME) g_ptr_array_sort(present, compare_names);
  for (guint i = 0; i < present->len; i++) {
    const attribute_row_t *row = g_ptr_array_index(present, i);
    g_string_append_printf(out_text, "%s%s", i == 0 ? "" : ", ", mlir_name(row));
    if (row->codec->is_unit) continue;
    g_string_append(out_text, " = ");
    const attribute_sink_t to = {row, program, out_text};
    row->codec->print_mlir(value_of(row, program), &to);
  }
}
