/* SPDX-License-Identifier: Apache-2.0 */
/* Table of reduction bodies, the types that a reduction works in, the text of bodies and
 * accumulation types, and the reduce of rows that derived ops are turned into. */
#include "harness/kinds/reduction.h"

#include <math.h>

const reduce_body_row_t reduce_body_table[REDUCE_BODY_COUNT + 1] = {
#define REDUCE_BODY(name, inputs, domain, summary) {#name, inputs, domain, summary},
#include "harness/kinds/reduce_bodies.def"
#undef REDUCE_BODY
    [REDUCE_WRITTEN] = {"written", 0, REDUCE_DOMAIN_WRITTEN, "combines, by a body of its own,"},
};

reduction_types_t reduction_types(const reduction_t *reduction, const type_t *inputs,
                                  const type_t *results, uint32_t count) {
  reduction_types_t types = {.count = count};
  for (uint32_t i = 0; i < count; i++) {
    types.inputs[i] = scalar_type_of(&inputs[i]);
    types.results[i] = scalar_type_of(&results[i]);
    types.accumulations[i] =
        i < reduction->accumulation_count ? reduction->accumulation[i] : types.results[i];
  }
  return types;
}

void reduction_name_accumulations(const reduction_types_t *types, reduction_t *inout_reduction) {
  bool differ = false;
  for (uint32_t i = 0; i < types->count; i++) {
    inout_reduction->accumulation[i] = types->accumulations[i];
    differ |= !scalar_type_equal(&types->accumulations[i], &types->results[i]);
  }
  inout_reduction->accumulation_count = differ ? types->count : 0;
}

/* ---- Text ------------------------------------------------------------------------------------ */

static status_t parse_name(const attribute_source_t *from, void *out_value) {
  scan_t start = *from->scan;
  str_t name = scan_until(from->scan, " ");
  g_autoptr(GString) known = g_string_new(NULL);
  for (int body = 0; body < REDUCE_BODY_COUNT; body++) {
    if (str_equal_text(name, reduce_body_table[body].name)) {
      ((reduction_t *)out_value)->body = (reduce_body_t)body;
      return STATUS_OK;
    }
    g_string_append_printf(known, "%s%s", body == 0 ? "" : ", ", reduce_body_table[body].name);
  }
  return scan_fail(&start, from->error, "no body of a reduction is called \"%.*s\": there are %s",
                   (int)MIN(name.size, 64), name.data, known->str);
}

static status_t parse_body(const attribute_source_t *from, void *out_value) {
  if (scan_peek(from->scan) != '{') return parse_name(from, out_value);
  reduction_t *reduction = out_value;
  reduction->body = REDUCE_WRITTEN;
  return body_parse(from->scan, &reduction->written, from->error);
}

static void print_body(const void *value, const attribute_sink_t *to) {
  const reduction_t *reduction = value;
  if (reduction->body == REDUCE_WRITTEN) {
    body_print(&reduction->written, to->text);
  } else {
    g_string_append(to->text, reduce_body_table[reduction->body].name);
  }
}

const attribute_codec_t reduction_body = {.parse = parse_body, .print = print_body};

static bool is_accumulation_absent(const void *value) {
  return ((const reduction_t *)value)->accumulation_count == 0;
}

static status_t parse_accumulation(const attribute_source_t *from, void *out_value) {
  reduction_t *reduction = out_value;
  scan_t *scan = from->scan;
  bool is_list = scan_accept(scan, "[");
  uint32_t count = 0;
  do {
    if (count == CASE_RESULTS_MAX) {
      return scan_fail(scan, from->error, "there are at most %d results", (int)CASE_RESULTS_MAX);
    }
    scalar_type_t *type = &reduction->accumulation[count++];
    STATUS_TRY(scalar_type_parse(scan, from->arena, type, from->error));
  } while (is_list && scan_accept(scan, ","));
  if (is_list) {
    STATUS_TRY(scan_expect(scan, "]", from->error));
    if (count == 1) return scan_fail(scan, from->error, "a single type stands without brackets");
  }
  reduction->accumulation_count = count;
  return STATUS_OK;
}

static void print_accumulation(const void *value, const attribute_sink_t *to) {
  const reduction_t *reduction = value;
  uint32_t count = reduction->accumulation_count;
  if (count > 1) g_string_append_c(to->text, '[');
  for (uint32_t i = 0; i < count; i++) {
    if (i > 0) g_string_append_c(to->text, ',');
    scalar_type_print(&reduction->accumulation[i], to->text);
  }
  if (count > 1) g_string_append_c(to->text, ']');
}

const attribute_codec_t reduction_accumulation = {
    .is_absent = is_accumulation_absent, .parse = parse_accumulation, .print = print_accumulation};

void reduction_print_words(const reduction_types_t *types, GString *out_text) {
  g_string_append(out_text, ", accumulating in ");
  scalar_type_print(&types->accumulations[0], out_text);
}

/* ---- Neutral values -------------------------------------------------------------------------- */

/* The number that every other one of the format is not below (or, if `largest`, not above). */
static uint64_t extreme_float(const format_t *format, bool largest) {
  if (format->specials == FORMAT_EXPONENT_ONLY) return largest ? format->largest_bits : 0;
  number_t infinity = {.kind = NUMBER_INFINITY, .negative = !largest};
  bool saturates = !format_has_infinity(format);
  return format_encode(format, infinity, ROUNDING_NEAREST_EVEN,
                       saturates ? OVERFLOW_SATURATE : OVERFLOW_FORMAT);
}

static uint64_t extreme_bits(const scalar_type_t *type, bool largest) {
  const element_t *element = type->element;
  if (element->format != NULL) return extreme_float(element->format, largest);
  if (type->expressed != NULL) {
    return (uint64_t)(largest ? type->storage_max : type->storage_min) & element_mask(element);
  }
  uint64_t value = largest ? element_integer_max(element) : (uint64_t)element_integer_min(element);
  return value & element_mask(element);
}

/* The storage value that is nearest to a number. */
static uint64_t quantized_bits(const scalar_type_t *type, int number) {
  double least = (double)type->storage_min, most = (double)type->storage_max;
  double stored = nearbyint(number / type->scale) + (double)type->zero_point;
  return (uint64_t)(int64_t)CLAMP(stored, least, most) & element_mask(type->element);
}

static uint64_t number_bits(const scalar_type_t *type, int number) {
  if (type->expressed != NULL) return quantized_bits(type, number);
  const format_t *format = type->element->format;
  return format != NULL ? format_from_double(format, number) : (uint64_t)number;
}

static uint64_t neutral_bits_of_written(const body_t *written, const scalar_type_t *type,
                                        uint32_t input) {
  switch (body_neutral(written, input)) {
    case BODY_NEUTRAL_ONE:
      return number_bits(type, 1);
    case BODY_NEUTRAL_LEAST:
      return extreme_bits(type, false);
    case BODY_NEUTRAL_LEAST_FINITE:
      if (type->element->format == NULL) return extreme_bits(type, false);
      return format_from_double(
          type->element->format,
          -format_to_double(type->element->format, type->element->format->largest_bits));
    case BODY_NEUTRAL_GREATEST:
      return extreme_bits(type, true);
    case BODY_NEUTRAL_ONES:
      return element_mask(type->element);
    case BODY_NEUTRAL_ZERO:
      break;
  }
  return number_bits(type, 0);
}

uint64_t reduction_neutral_bits(const reduction_t *reduction, const scalar_type_t *type,
                                uint32_t input) {
  switch (reduction->body) {
    case REDUCE_WRITTEN:
      return neutral_bits_of_written(&reduction->written, type, input);
    case REDUCE_multiply:
      return number_bits(type, 1);
    case REDUCE_maximum:
      return extreme_bits(type, false);
    case REDUCE_minimum:
      return extreme_bits(type, true);
    case REDUCE_and:
      return element_mask(type->element);
    case REDUCE_argmax:
      return input == 0 ? extreme_bits(type, false) : 0;
    case REDUCE_argmin:
      return input == 0 ? extreme_bits(type, true) : 0;
    default:
      return number_bits(type, 0);
  }
}
