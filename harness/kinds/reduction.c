/* SPDX-License-Identifier: Apache-2.0 */
/* Table of reduction bodies, the types that a reduction works in, the text of bodies and
 * accumulation types, and the reduce of rows that derived ops are turned into. */
#include "harness/kinds/reduction.h"

const reduce_body_row_t reduce_body_table[REDUCE_BODY_COUNT] = {
#define REDUCE_BODY(name, inputs, domain, summary) {#name, inputs, domain, summary},
#include "harness/kinds/reduce_bodies.def"
#undef REDUCE_BODY
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

status_t reduction_parse_body(scan_t *scan, const char *key, reduction_t *inout_reduction,
                              failure_t *error) {
  STATUS_TRY(scan_expect(scan, " ", error));
  g_autofree char *word = g_strdup_printf("%s=", key);
  STATUS_TRY(scan_expect(scan, word, error));
  scan_t start = *scan;
  str_t name = scan_until(scan, " ");
  for (int body = 0; body < REDUCE_BODY_COUNT; body++) {
    if (str_equal_text(name, reduce_body_table[body].name)) {
      inout_reduction->body = (reduce_body_t)body;
      return STATUS_OK;
    }
  }
  return scan_fail(&start, error, "no body of a reduction is called \"%.*s\"",
                   (int)MIN(name.size, 64), name.data);
}

void reduction_print_body(const reduction_t *reduction, const char *key, GString *out_text) {
  g_string_append_printf(out_text, " %s=%s", key, reduce_body_table[reduction->body].name);
}

status_t reduction_parse_accumulation(scan_t *scan, arena_t *arena, reduction_t *inout_reduction,
                                      failure_t *error) {
  inout_reduction->accumulation_count = 0;
  if (!scan_accept(scan, " accumulation=")) return STATUS_OK;
  bool is_list = scan_accept(scan, "[");
  uint32_t count = 0;
  do {
    if (count == CASE_RESULTS_MAX) {
      return scan_fail(scan, error, "there are at most %d results", (int)CASE_RESULTS_MAX);
    }
    STATUS_TRY(scalar_type_parse(scan, arena, &inout_reduction->accumulation[count], error));
    count++;
  } while (is_list && scan_accept(scan, ","));
  if (is_list) {
    STATUS_TRY(scan_expect(scan, "]", error));
    if (count == 1) return scan_fail(scan, error, "a single type stands without brackets");
  }
  inout_reduction->accumulation_count = count;
  return STATUS_OK;
}

void reduction_print_accumulation(const reduction_t *reduction, GString *out_text) {
  uint32_t count = reduction->accumulation_count;
  if (count == 0) return;
  g_string_append(out_text, count == 1 ? " accumulation=" : " accumulation=[");
  for (uint32_t i = 0; i < count; i++) {
    if (i > 0) g_string_append_c(out_text, ',');
    scalar_type_print(&reduction->accumulation[i], out_text);
  }
  if (count > 1) g_string_append_c(out_text, ']');
}

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

static uint64_t number_bits(const scalar_type_t *type, int number) {
  if (type->expressed != NULL) return (uint64_t)type->zero_point & element_mask(type->element);
  const format_t *format = type->element->format;
  return format != NULL ? format_from_double(format, number) : (uint64_t)number;
}

uint64_t reduction_neutral_bits(const reduction_t *reduction, const scalar_type_t *type,
                                uint32_t input) {
  switch (reduction->body) {
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
