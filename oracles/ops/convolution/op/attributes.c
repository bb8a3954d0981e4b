/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the attributes of a convolution, with the codecs of window_reversal and of dimension
 * numbers, which MLIR has two spellings of.  The words are those of case_line.md. */
#include <inttypes.h>

#include "oracles/ops/convolution/op/op.h"

/* ---- window_reversal ------------------------------------------------------------------------- */

/* What is said of lists that are too long. */
static const char *const list_words[] = {"this list holds", "entries"};

static status_t parse_reversal(scan_t *scan, uint32_t index, void *out_attributes,
                               failure_t *error) {
  convolution_attributes_t *attributes = out_attributes;
  attributes->window_reversal[index] = scan_accept(scan, "true");
  return attributes->window_reversal[index] ? STATUS_OK : scan_expect(scan, "false", error);
}

static status_t parse_reversals(const attribute_source_t *from, void *out_value) {
  const scan_list_t kind = {list_words[0], list_words[1], TYPE_RANK_MAX, parse_reversal};
  convolution_attributes_t *attributes = out_value;
  return scan_list(from->scan, &kind, attributes, &attributes->reversal_count, from->error);
}

static void print_flags(const convolution_attributes_t *attributes, const char *between,
                        GString *out_text) {
  for (uint32_t i = 0; i < attributes->reversal_count; i++) {
    g_string_append_printf(out_text, "%s%s", i == 0 ? "" : between,
                           attributes->window_reversal[i] ? "true" : "false");
  }
}

static void print_reversals(const void *value, const attribute_sink_t *to) {
  g_string_append_c(to->text, '[');
  print_flags((const convolution_attributes_t *)value, ",", to->text);
  g_string_append_c(to->text, ']');
}

static void print_mlir_reversals(const void *value, const attribute_sink_t *to) {
  const convolution_attributes_t *attributes = value;
  g_string_append(to->text, attributes->reversal_count == 0 ? "array<i1" : "array<i1: ");
  print_flags(attributes, ", ", to->text);
  g_string_append_c(to->text, '>');
}

static const attribute_codec_t reversal_codec = {
    .parse = parse_reversals, .print = print_reversals, .print_mlir = print_mlir_reversals};

/* ---- dimension_numbers ----------------------------------------------------------------------- */

/* The letters of batch and feature: of the kernel, those of output and input features. */
typedef struct letters {
  char batch;
  char feature;
} letters_t;

static const letters_t tensor_letters = {.batch = 'b', .feature = 'f'};
static const letters_t kernel_letters = {.batch = 'o', .feature = 'i'};

enum { TAG_BATCH, TAG_FEATURE, TAG_SPATIAL }; /* TAG_SPATIAL + 2 is spatial dimension 2. */

static status_t parse_tag(scan_t *scan, letters_t letters, uint32_t *out_tag, failure_t *error) {
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
static status_t parse_place(scan_t *scan, letters_t letters, int64_t place, uint32_t *seen,
                            convolution_numbers_t *numbers, failure_t *error) {
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

static status_t parse_places(scan_t *scan, letters_t letters, convolution_numbers_t *numbers,
                             failure_t *error) {
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

/* "[b,0,1,f]", with `separator` between places: what each dimension of the tensor is.  A place that
 * is nothing is "?", one that is several things is "b+0". */
static void print_places(const convolution_numbers_t *numbers, letters_t letters,
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

static status_t parse_numbers(const attribute_source_t *from, void *out_value) {
  convolution_attributes_t *attributes = out_value;
  STATUS_TRY(parse_places(from->scan, tensor_letters, &attributes->input, from->error));
  STATUS_TRY(scan_expect(from->scan, "x", from->error));
  STATUS_TRY(parse_places(from->scan, kernel_letters, &attributes->kernel, from->error));
  STATUS_TRY(scan_expect(from->scan, "->", from->error));
  return parse_places(from->scan, tensor_letters, &attributes->output, from->error);
}

static void print_all_places(const convolution_attributes_t *attributes, const char *separator,
                             GString *out_text) {
  print_places(&attributes->input, tensor_letters, separator, out_text);
  g_string_append_c(out_text, 'x');
  print_places(&attributes->kernel, kernel_letters, separator, out_text);
  g_string_append(out_text, "->");
  print_places(&attributes->output, tensor_letters, separator, out_text);
}

static void print_numbers(const void *value, const attribute_sink_t *to) {
  print_all_places((const convolution_attributes_t *)value, ",", to->text);
}

/* "kernel_input_feature_dimension = 1, ": `role` is "input_feature". */
static void print_raw_number(const char *tensor, const char *role, int64_t number,
                             GString *out_text) {
  g_string_append_printf(out_text, "%s_%s_dimension = %" PRId64 ", ", tensor, role, number);
}

static void print_raw_spatial(const char *tensor, const dimension_list_t *dims, GString *out_text) {
  g_string_append_printf(out_text, "%s_spatial_dimensions = [", tensor);
  dimension_list_print_entries(dims, ", ", out_text);
  g_string_append_c(out_text, ']');
}

/* Numbers that leave places out or give one two meanings have no other spelling in MLIR. */
static void print_raw_numbers(const convolution_attributes_t *attributes, GString *out_text) {
  g_string_append(out_text, "raw ");
  print_raw_number("input", "batch", attributes->input.batch, out_text);
  print_raw_number("input", "feature", attributes->input.feature, out_text);
  print_raw_spatial("input", &attributes->input.spatial, out_text);
  g_string_append(out_text, ", ");
  print_raw_number("kernel", "input_feature", attributes->kernel.feature, out_text);
  print_raw_number("kernel", "output_feature", attributes->kernel.batch, out_text);
  print_raw_spatial("kernel", &attributes->kernel.spatial, out_text);
  g_string_append(out_text, ", ");
  print_raw_number("output", "batch", attributes->output.batch, out_text);
  print_raw_number("output", "feature", attributes->output.feature, out_text);
  print_raw_spatial("output", &attributes->output.spatial, out_text);
}

static void print_mlir_numbers(const void *value, const attribute_sink_t *to) {
  const convolution_attributes_t *attributes = value;
  g_autoptr(GString) text = g_string_new(NULL);
  print_all_places(attributes, ", ", text);
  g_string_append(to->text, "#stablehlo.conv<");
  if (strpbrk(text->str, "?+") == NULL) {
    g_string_append(to->text, text->str);
  } else {
    print_raw_numbers(attributes, to->text);
  }
  g_string_append_c(to->text, '>');
}

static const attribute_codec_t numbers_codec = {
    .parse = parse_numbers, .print = print_numbers, .print_mlir = print_mlir_numbers};

/* ---- The table ------------------------------------------------------------------------------- */

#define ROW(member, codec) ATTRIBUTE_AT_BLANK(#member, codec, convolution_attributes_t, member)

const attribute_row_t convolution_attribute_rows[] = {
    {ROW(window_strides, attribute_dimensions)},
    {ROW(padding, padding_list), .words = list_words},
    {ROW(lhs_dilation, attribute_dimensions)},
    {ROW(rhs_dilation, attribute_dimensions)},
    {.key = "window_reversal", .codec = &reversal_codec, .is_at_blank = true},
    {.key = "dimension_numbers", .codec = &numbers_codec, .is_at_blank = true},
    {ROW(feature_group_count, attribute_integer)},
    {ROW(batch_group_count, attribute_integer)},
    {ROW(precision, precision_list), .words = list_words, .mlir = "precision_config"},
    {ATTRIBUTE("accumulation", attribute_element, convolution_attributes_t, accumulation),
     .mlir = "accumulation_type"},
    ATTRIBUTES_END,
};
