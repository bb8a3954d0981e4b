/* SPDX-License-Identifier: Apache-2.0 */
/* The attributes as words of the case line: see case_line.md. */
#include <inttypes.h>

#include "oracles/ops/convolution/op/op.h"

static const char *const precision_names[CONVOLUTION_PRECISION_COUNT] = {"DEFAULT", "HIGH",
                                                                         "HIGHEST"};
static const convolution_letters_t tensor_letters = {.batch = 'b', .feature = 'f'};
static const convolution_letters_t kernel_letters = {.batch = 'o', .feature = 'i'};

/* ---- Lists ----------------------------------------------------------------------------------- */

static status_t parse_pair(scan_t *scan, convolution_padding_t *out_padding, failure_t *error) {
  STATUS_TRY(scan_expect(scan, "[", error));
  STATUS_TRY(scan_integer(scan, &out_padding->low, error));
  STATUS_TRY(scan_expect(scan, ",", error));
  STATUS_TRY(scan_integer(scan, &out_padding->high, error));
  return scan_expect(scan, "]", error);
}

static status_t parse_reversal(scan_t *scan, bool *out_is_reversed, failure_t *error) {
  *out_is_reversed = scan_accept(scan, "true");
  return *out_is_reversed ? STATUS_OK : scan_expect(scan, "false", error);
}

static status_t parse_precision(scan_t *scan, convolution_precision_t *out_precision,
                                failure_t *error) {
  scan_t start = *scan;
  str_t name = scan_until(scan, ",] ");
  for (int i = 0; i < CONVOLUTION_PRECISION_COUNT; i++) {
    if (str_equal_text(name, precision_names[i])) {
      *out_precision = (convolution_precision_t)i;
      return STATUS_OK;
    }
  }
  return scan_fail(&start, error, "expected a precision: DEFAULT, HIGH or HIGHEST");
}

typedef enum list_kind { LIST_PADDING, LIST_REVERSAL, LIST_PRECISION } list_kind_t;

static status_t parse_entry(scan_t *scan, list_kind_t kind, uint32_t index,
                            convolution_attributes_t *attributes, failure_t *error) {
  switch (kind) {
    case LIST_PADDING:
      return parse_pair(scan, &attributes->padding[index], error);
    case LIST_REVERSAL:
      return parse_reversal(scan, &attributes->window_reversal[index], error);
    case LIST_PRECISION:
    default:
      return parse_precision(scan, &attributes->precisions[index], error);
  }
}

/* "[]", "[ENTRY,ENTRY]", at most `count_max` of them. */
static status_t parse_list(scan_t *scan, list_kind_t kind, uint32_t count_max,
                           convolution_attributes_t *attributes, uint32_t *out_count,
                           failure_t *error) {
  *out_count = 0;
  STATUS_TRY(scan_expect(scan, "[", error));
  if (scan_accept(scan, "]")) return STATUS_OK;
  do {
    if (*out_count == count_max) {
      return scan_fail(scan, error, "this list holds at most %u entries", count_max);
    }
    STATUS_TRY(parse_entry(scan, kind, *out_count, attributes, error));
    ++*out_count;
  } while (scan_accept(scan, ","));
  return scan_expect(scan, "]", error);
}

/* ---- Dimension numbers ----------------------------------------------------------------------- */

enum { TAG_BATCH, TAG_FEATURE, TAG_SPATIAL }; /* TAG_SPATIAL + 2 is spatial dimension 2. */

static status_t parse_tag(scan_t *scan, convolution_letters_t letters, uint32_t *out_tag,
                          failure_t *error) {
  const char batch[] = {letters.batch, '\0'}, feature[] = {letters.feature, '\0'};
  *out_tag = TAG_BATCH;
  if (scan_accept(scan, batch)) return STATUS_OK;
  *out_tag = TAG_FEATURE;
  if (scan_accept(scan, feature)) return STATUS_OK;
  scan_t start = *scan;
  int64_t spatial;
  if (g_ascii_isdigit(scan_peek(scan))) {
    STATUS_TRY(scan_integer(scan, &spatial, error));
    *out_tag = TAG_SPATIAL + (uint32_t)MIN(spatial, TYPE_RANK_MAX);
    if (spatial < TYPE_RANK_MAX) return STATUS_OK;
  }
  return scan_fail(&start, error, "expected %c, %c or a spatial dimension below %d", letters.batch,
                   letters.feature, (int)TYPE_RANK_MAX);
}

/* One place: "?", or what it is, by ascending tag.  `seen` are the tags so far, as bits. */
static status_t parse_place(scan_t *scan, convolution_letters_t letters, int64_t place,
                            uint32_t *seen, convolution_numbers_t *numbers, failure_t *error) {
  if (scan_accept(scan, "?")) return STATUS_OK;
  uint32_t last = 0;
  bool is_first = true;
  do {
    scan_t start = *scan;
    uint32_t tag;
    STATUS_TRY(parse_tag(scan, letters, &tag, error));
    if ((*seen & 1u << tag) != 0) return scan_fail(&start, error, "this dimension is listed twice");
    if (!is_first && tag < last) {
      return scan_fail(&start, error, "expected %c before %c before ascending numbers",
                       letters.batch, letters.feature);
    }
    *seen |= 1u << tag;
    last = tag;
    is_first = false;
    if (tag == TAG_BATCH) numbers->batch = place;
    if (tag == TAG_FEATURE) numbers->feature = place;
    if (tag >= TAG_SPATIAL) numbers->spatial.dims[tag - TAG_SPATIAL] = place;
  } while (scan_accept(scan, "+"));
  return STATUS_OK;
}

static status_t parse_places(scan_t *scan, convolution_letters_t letters,
                             convolution_numbers_t *numbers, failure_t *error) {
  STATUS_TRY(scan_expect(scan, "[", error));
  uint32_t seen = 0, before = 0;
  int64_t place = 0;
  do {
    if (place == CONVOLUTION_PLACES_MAX) {
      return scan_fail(scan, error, "expected at most %d dimensions", (int)CONVOLUTION_PLACES_MAX);
    }
    before = seen;
    STATUS_TRY(parse_place(scan, letters, place++, &seen, numbers, error));
  } while (scan_accept(scan, ","));
  uint32_t spatial = seen >> TAG_SPATIAL;
  /* All of b, f, 0, 1, ..., and the last place is something. */
  if ((seen & 3) != 3 || (spatial & (spatial + 1)) != 0 || before == seen) {
    return scan_fail(scan, error, "expected %c, %c and spatial dimensions 0, 1, ... in a row",
                     letters.batch, letters.feature);
  }
  numbers->spatial.count = (uint32_t)__builtin_popcount(spatial);
  return scan_expect(scan, "]", error);
}

static int64_t last_place(const convolution_numbers_t *numbers) {
  int64_t last = MAX(numbers->batch, numbers->feature);
  for (uint32_t i = 0; i < numbers->spatial.count; i++) last = MAX(last, numbers->spatial.dims[i]);
  return last;
}

void convolution_print_places(const convolution_numbers_t *numbers, convolution_letters_t letters,
                              const char *separator, GString *out_text) {
  g_string_append_c(out_text, '[');
  for (int64_t place = 0; place <= last_place(numbers); place++) {
    if (place > 0) g_string_append(out_text, separator);
    size_t start = out_text->len;
    if (numbers->batch == place) g_string_append_printf(out_text, "%c+", letters.batch);
    if (numbers->feature == place) g_string_append_printf(out_text, "%c+", letters.feature);
    for (uint32_t i = 0; i < numbers->spatial.count; i++) {
      if (numbers->spatial.dims[i] == place) g_string_append_printf(out_text, "%u+", i);
    }
    bool is_nothing = out_text->len == start;
    if (is_nothing) g_string_append_c(out_text, '?');
    if (!is_nothing) g_string_truncate(out_text, out_text->len - 1);
  }
  g_string_append_c(out_text, ']');
}

/* ---- All of them ----------------------------------------------------------------------------- */

static status_t parse_numbers(scan_t *scan, convolution_attributes_t *attributes,
                              failure_t *error) {
  STATUS_TRY(scan_expect(scan, " dimension_numbers=", error));
  STATUS_TRY(parse_places(scan, tensor_letters, &attributes->input, error));
  STATUS_TRY(scan_expect(scan, "x", error));
  STATUS_TRY(parse_places(scan, kernel_letters, &attributes->kernel, error));
  STATUS_TRY(scan_expect(scan, "->", error));
  return parse_places(scan, tensor_letters, &attributes->output, error);
}

status_t convolution_parse_attributes(scan_t *scan, arena_t *arena, program_t *inout_program,
                                      failure_t *error) {
  convolution_attributes_t *attributes = ARENA_NEW_ARRAY(arena, convolution_attributes_t, 1);
  *attributes = (convolution_attributes_t){0};
  STATUS_TRY(scan_expect(scan, " window_strides=", error));
  STATUS_TRY(dimension_list_parse(scan, &attributes->window_strides, error));
  STATUS_TRY(scan_expect(scan, " padding=", error));
  STATUS_TRY(
      parse_list(scan, LIST_PADDING, TYPE_RANK_MAX, attributes, &attributes->padding_count, error));
  STATUS_TRY(scan_expect(scan, " lhs_dilation=", error));
  STATUS_TRY(dimension_list_parse(scan, &attributes->lhs_dilation, error));
  STATUS_TRY(scan_expect(scan, " rhs_dilation=", error));
  STATUS_TRY(dimension_list_parse(scan, &attributes->rhs_dilation, error));
  STATUS_TRY(scan_expect(scan, " window_reversal=", error));
  STATUS_TRY(parse_list(scan, LIST_REVERSAL, TYPE_RANK_MAX, attributes, &attributes->reversal_count,
                        error));
  STATUS_TRY(parse_numbers(scan, attributes, error));
  STATUS_TRY(scan_expect(scan, " feature_group_count=", error));
  STATUS_TRY(scan_integer(scan, &attributes->feature_group_count, error));
  STATUS_TRY(scan_expect(scan, " batch_group_count=", error));
  STATUS_TRY(scan_integer(scan, &attributes->batch_group_count, error));
  attributes->has_precision = scan_accept(scan, " precision=");
  if (attributes->has_precision) {
    STATUS_TRY(parse_list(scan, LIST_PRECISION, CONVOLUTION_PRECISIONS_MAX, attributes,
                          &attributes->precision_count, error));
  }
  inout_program->attributes = attributes;
  return STATUS_OK;
}

void convolution_print_precisions(const convolution_attributes_t *attributes, const char *prefix,
                                  const char *suffix, const char *separator, GString *out_text) {
  for (uint32_t i = 0; i < attributes->precision_count; i++) {
    g_string_append_printf(out_text, "%s%s%s%s", i == 0 ? "" : separator, prefix,
                           precision_names[attributes->precisions[i]], suffix);
  }
}

static void print_windows(const convolution_attributes_t *attributes, GString *out_text) {
  g_string_append(out_text, " window_strides=");
  dimension_list_print(&attributes->window_strides, out_text);
  g_string_append(out_text, " padding=[");
  for (uint32_t i = 0; i < attributes->padding_count; i++) {
    g_string_append_printf(out_text, "%s[%" PRId64 ",%" PRId64 "]", i == 0 ? "" : ",",
                           attributes->padding[i].low, attributes->padding[i].high);
  }
  g_string_append(out_text, "] lhs_dilation=");
  dimension_list_print(&attributes->lhs_dilation, out_text);
  g_string_append(out_text, " rhs_dilation=");
  dimension_list_print(&attributes->rhs_dilation, out_text);
  g_string_append(out_text, " window_reversal=[");
  for (uint32_t i = 0; i < attributes->reversal_count; i++) {
    g_string_append_printf(out_text, "%s%s", i == 0 ? "" : ",",
                           attributes->window_reversal[i] ? "true" : "false");
  }
  g_string_append_c(out_text, ']');
}

void convolution_print_attributes(const program_t *program, GString *out_text) {
  const convolution_attributes_t *attributes = convolution_attributes(program);
  print_windows(attributes, out_text);
  g_string_append(out_text, " dimension_numbers=");
  convolution_print_places(&attributes->input, tensor_letters, ",", out_text);
  g_string_append_c(out_text, 'x');
  convolution_print_places(&attributes->kernel, kernel_letters, ",", out_text);
  g_string_append(out_text, "->");
  convolution_print_places(&attributes->output, tensor_letters, ",", out_text);
  g_string_append_printf(out_text, " feature_group_count=%" PRId64 " batch_group_count=%" PRId64,
                         attributes->feature_group_count, attributes->batch_group_count);
  if (!attributes->has_precision) return;
  g_string_append(out_text, " precision=[");
  convolution_print_precisions(attributes, "", "", ",", out_text);
  g_string_append_c(out_text, ']');
}
