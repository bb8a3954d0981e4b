/* SPDX-License-Identifier: Apache-2.0 */
/* Specs as text, in the spelling of MLIR's quant dialect. */
#include <inttypes.h>

#include "harness/quant/spec/decimal.h"
#include "harness/quant/spec/spec.h"

/* ---- Tokens ---------------------------------------------------------------------------------- */

static void skip_blanks(scan_t *scan) {
  while (scan_peek(scan) == ' ' || scan_peek(scan) == '\t') scan->cursor++;
}

static bool accept(scan_t *scan, const char *expected) {
  skip_blanks(scan);
  return scan_accept(scan, expected);
}

static status_t expect(scan_t *scan, const char *expected, failure_t *error) {
  skip_blanks(scan);
  return scan_expect(scan, expected, error);
}

static status_t take_integer(scan_t *scan, int64_t *out_value, failure_t *error) {
  skip_blanks(scan);
  return scan_integer(scan, out_value, error);
}

static str_t take_name(scan_t *scan) {
  skip_blanks(scan);
  const char *start = scan->cursor;
  while (g_ascii_isalnum(scan_peek(scan))) scan->cursor++;
  return (str_t){.data = start, .size = (size_t)(scan->cursor - start)};
}

static status_t take_float(scan_t *scan, const element_t **out_element, failure_t *error) {
  skip_blanks(scan);
  scan_t start = *scan;
  const element_t *element = element_find(take_name(scan));
  if (element == NULL || element->kind != ELEMENT_FLOAT || !element->is_tensor_element) {
    return scan_fail_expecting(&start, error, "a float type");
  }
  *out_element = element;
  return STATUS_OK;
}

/* ---- Parsing --------------------------------------------------------------------------------- */

/* "i8", MLIR's "u8", or StableHLO's "ui8", and a range. */
static status_t parse_storage(scan_t *scan, quant_spec_t *spec, failure_t *error) {
  skip_blanks(scan);
  scan_t start = *scan;
  str_t name = take_name(scan);
  char text[8];
  bool is_mlir = name.size >= 2 && name.data[0] == 'u' && name.data[1] != 'i';
  g_snprintf(text, sizeof text, "%s%.*s", is_mlir ? "ui" : "", (int)MIN(name.size - is_mlir, 5),
             name.data + is_mlir);
  const element_t *storage = name.size > 5 ? NULL : element_find(str_from(text));
  if (storage == NULL || !element_is_integer(storage) || storage->bits > 32) {
    return scan_fail_expecting(&start, error, "a storage type, an integer of 2 to 32 bits");
  }
  spec->storage = storage;
  spec->storage_min = element_integer_min(storage);
  spec->storage_max = (int64_t)element_integer_max(storage);
  if (!accept(scan, "<")) return STATUS_OK;
  STATUS_TRY(take_integer(scan, &spec->storage_min, error));
  STATUS_TRY(expect(scan, ":", error));
  STATUS_TRY(take_integer(scan, &spec->storage_max, error));
  return expect(scan, ">", error);
}

/* storage [range] ":" expressed */
static status_t parse_types(scan_t *scan, quant_spec_t *spec, failure_t *error) {
  STATUS_TRY(parse_storage(scan, spec, error));
  STATUS_TRY(expect(scan, ":", error));
  return take_float(scan, &spec->expressed, error);
}

static status_t parse_bound(scan_t *scan, double *out_value, failure_t *error) {
  skip_blanks(scan);
  scan_t start = *scan;
  if (decimal_read_double(decimal_take(scan), out_value)) return STATUS_OK;
  return scan_fail_expecting(&start, error, "a finite number");
}

/* expressed "<" minimum ":" maximum ">" */
static status_t parse_calibrated(scan_t *scan, quant_spec_t *spec, failure_t *error) {
  STATUS_TRY(take_float(scan, &spec->expressed, error));
  STATUS_TRY(expect(scan, "<", error));
  STATUS_TRY(parse_bound(scan, &spec->minimum, error));
  STATUS_TRY(expect(scan, ":", error));
  STATUS_TRY(parse_bound(scan, &spec->maximum, error));
  return expect(scan, ">", error);
}

/* scale [":" zero-point] */
static status_t parse_scale(scan_t *scan, const element_t *expressed, double *out_scale,
                            int64_t *out_zero_point, failure_t *error) {
  skip_blanks(scan);
  scan_t start = *scan;
  uint64_t bits;
  if (!decimal_read(decimal_take(scan), expressed->format, false, &bits) ||
      format_is_zero(expressed->format, bits) || format_is_negative(expressed->format, bits)) {
    scan_t found = start;
    char what[64];
    g_snprintf(what, sizeof what, "a scale, a positive number of %s", expressed->name);
    return scan_fail_expecting(&found, error, what);
  }
  *out_scale = format_to_double(expressed->format, bits);
  *out_zero_point = 0;
  return accept(scan, ":") ? take_integer(scan, out_zero_point, error) : STATUS_OK;
}

/* How many entries stand before the closing brace, at most one more than are allowed. */
static uint32_t count_scales(const scan_t *scan) {
  scan_t ahead = *scan;
  skip_blanks(&ahead);
  if (scan_peek(&ahead) == '}') return 0;
  uint32_t count = 1;
  while (count <= TYPE_SCALES_MAX) {
    (void)scan_until(&ahead, ",}");
    if (!scan_accept(&ahead, ",")) break;
    count++;
  }
  return count;
}

static status_t parse_scales(scan_t *scan, arena_t *arena, quantization_t *uniform,
                             failure_t *error) {
  bool per_axis = uniform->axis != -1;
  if (per_axis) STATUS_TRY(expect(scan, "{", error));
  uint32_t count = per_axis ? count_scales(scan) : 1;
  if (count > TYPE_SCALES_MAX) {
    return scan_fail(scan, error, "a quantized type has at most %d scales", (int)TYPE_SCALES_MAX);
  }
  double *scales = ARENA_NEW_ARRAY(arena, double, count);
  int64_t *zero_points = ARENA_NEW_ARRAY(arena, int64_t, count);
  for (uint32_t i = 0; i < count; i++) {
    if (i > 0) STATUS_TRY(expect(scan, ",", error));
    STATUS_TRY(parse_scale(scan, uniform->expressed, &scales[i], &zero_points[i], error));
  }
  uniform->count = count;
  uniform->scales = scales;
  uniform->zero_points = zero_points;
  return per_axis ? expect(scan, "}", error) : STATUS_OK;
}

static status_t parse_axis(scan_t *scan, int32_t *out_axis, failure_t *error) {
  skip_blanks(scan);
  scan_t start = *scan;
  if (scan_peek(scan) == '{') {
    size_t column = scan_column(scan);
    return status_fail_at(error, STATUS_UNSUPPORTED, column,
                          "column %zu: blockwise (sub-channel) quantization is not supported",
                          column);
  }
  int64_t axis;
  STATUS_TRY(scan_integer(scan, &axis, error));
  if (axis < 0 || axis >= TYPE_RANK_MAX) {
    return scan_fail(&start, error, "a quantization axis is in 0..%d", TYPE_RANK_MAX - 1);
  }
  *out_axis = (int32_t)axis;
  return STATUS_OK;
}

/* types [":" axis] "," scales */
static status_t parse_uniform(scan_t *scan, arena_t *arena, quant_spec_t *spec, failure_t *error) {
  STATUS_TRY(parse_types(scan, spec, error));
  int32_t axis = -1;
  if (accept(scan, ":")) STATUS_TRY(parse_axis(scan, &axis, error));
  STATUS_TRY(expect(scan, ",", error));
  quantization_t *uniform = ARENA_NEW_ARRAY(arena, quantization_t, 1);
  *uniform = (quantization_t){.expressed = spec->expressed,
                              .storage_min = spec->storage_min,
                              .storage_max = spec->storage_max,
                              .axis = axis};
  spec->uniform = uniform;
  return parse_scales(scan, arena, uniform, error);
}

static status_t parse_unquantized(scan_t *scan, quant_spec_t *spec, failure_t *error) {
  scan_t start = *scan;
  str_t word = take_name(scan);
  if (str_equal_text(word, "unit")) return STATUS_OK;
  const element_t *element = element_find(word);
  if (element == NULL || element->kind != ELEMENT_FLOAT || !element->is_tensor_element) {
    return scan_fail_expecting(&start, error, "a spec: unit, a float type or a !quant type");
  }
  spec->kind = QUANT_SPEC_KEEP;
  spec->expressed = element;
  return STATUS_OK;
}

status_t quant_spec_parse(scan_t *scan, arena_t *arena, quant_spec_t *out_spec, failure_t *error) {
  quant_spec_t spec = {.kind = QUANT_SPEC_OPEN};
  skip_blanks(scan);
  if (scan_accept(scan, "!quant.any<")) {
    spec.kind = QUANT_SPEC_ANY;
    STATUS_TRY(parse_types(scan, &spec, error));
    STATUS_TRY(expect(scan, ">", error));
  } else if (scan_accept(scan, "!quant.calibrated<")) {
    spec.kind = QUANT_SPEC_CALIBRATED;
    STATUS_TRY(parse_calibrated(scan, &spec, error));
    STATUS_TRY(expect(scan, ">", error));
  } else if (scan_accept(scan, "!quant.uniform<")) {
    spec.kind = QUANT_SPEC_UNIFORM;
    STATUS_TRY(parse_uniform(scan, arena, &spec, error));
    STATUS_TRY(expect(scan, ">", error));
  } else {
    STATUS_TRY(parse_unquantized(scan, &spec, error));
  }
  *out_spec = spec;
  return STATUS_OK;
}

/* ---- Printing -------------------------------------------------------------------------------- */

static void print_types(const quant_spec_t *spec, GString *out_text) {
  const element_t *storage = spec->storage;
  g_string_append_printf(out_text, "%s%d", storage->kind == ELEMENT_UNSIGNED ? "u" : "i",
                         storage->bits);
  if (spec->storage_min != element_integer_min(storage) ||
      spec->storage_max != (int64_t)element_integer_max(storage)) {
    g_string_append_printf(out_text, "<%" PRId64 ":%" PRId64 ">", spec->storage_min,
                           spec->storage_max);
  }
  g_string_append_printf(out_text, ":%s", spec->expressed->name);
}

static void print_uniform(const quant_spec_t *spec, GString *out_text) {
  const quantization_t *uniform = spec->uniform;
  bool per_axis = uniform->axis != -1;
  print_types(spec, out_text);
  if (per_axis) g_string_append_printf(out_text, ":%d", uniform->axis);
  g_string_append(out_text, per_axis ? ", {" : ", ");
  for (uint32_t i = 0; i < uniform->count; i++) {
    if (i > 0) g_string_append_c(out_text, ',');
    decimal_print_double(uniform->scales[i], out_text);
    int64_t zero_point = uniform->zero_points[i];
    if (zero_point != 0) g_string_append_printf(out_text, ":%" PRId64, zero_point);
  }
  if (per_axis) g_string_append_c(out_text, '}');
}

void quant_spec_print(const quant_spec_t *spec, GString *out_text) {
  switch (spec->kind) {
    case QUANT_SPEC_OPEN:
      g_string_append(out_text, "unit");
      return;
    case QUANT_SPEC_KEEP:
      g_string_append(out_text, spec->expressed->name);
      return;
    case QUANT_SPEC_ANY:
      g_string_append(out_text, "!quant.any<");
      print_types(spec, out_text);
      break;
    case QUANT_SPEC_CALIBRATED:
      g_string_append_printf(out_text, "!quant.calibrated<%s<", spec->expressed->name);
      decimal_print_double(spec->minimum, out_text);
      g_string_append_c(out_text, ':');
      decimal_print_double(spec->maximum, out_text);
      g_string_append_c(out_text, '>');
      break;
    case QUANT_SPEC_UNIFORM:
      g_string_append(out_text, "!quant.uniform<");
      print_uniform(spec, out_text);
      break;
  }
  g_string_append_c(out_text, '>');
}
