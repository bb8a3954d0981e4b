/* SPDX-License-Identifier: Apache-2.0 */
/* Table of the known dot algorithms, the lookup of an attribute in it, the order of the component
 * products it stands for, and random attributes, mostly known ones. */
#include <inttypes.h>

#include "oracles/ops/dot_general/algorithm.h"

/* Any 8-bit float with a sign. */
#define FORMAT_f8 FORMAT_COUNT
#define FORMAT_OR_NULL(name) (FORMAT_##name == FORMAT_COUNT ? NULL : format_table + FORMAT_##name)

const dot_algorithm_row_t dot_algorithm_table[] = {
#define DOT_ALGORITHM(name, precision, accumulation, components, primitives, imprecise) \
  {#name,                                                                               \
   FORMAT_OR_NULL(precision),                                                           \
   format_table + FORMAT_##accumulation,                                                \
   components,                                                                          \
   primitives,                                                                          \
   imprecise},
#include "oracles/ops/dot_general/op/algorithms.def"
#undef DOT_ALGORITHM
};
const size_t dot_algorithm_count = G_N_ELEMENTS(dot_algorithm_table);

/* ---- Meaning --------------------------------------------------------------------------------- */

int dot_algorithm_primitives(const dot_algorithm_row_t *row,
                             dot_primitive_t out_primitives[DOT_PRIMITIVES_MAX]) {
  /* A product of components i and j is some 2^-(p (i + j)) of the leading one. */
  int count = 0;
  for (int depth = 0; count < row->primitive_count; depth++) {
    for (int lhs = 0; lhs <= depth && count < row->primitive_count; lhs++) {
      int rhs = depth - lhs;
      if (lhs >= row->component_count || rhs >= row->component_count) continue;
      out_primitives[row->primitive_count - 1 - count++] = (dot_primitive_t){lhs, rhs};
    }
  }
  return count;
}

static bool is_signed_f8(const format_t *format) {
  return format->bits == 8 && format->specials != FORMAT_EXPONENT_ONLY;
}

bool dot_algorithm_takes(const dot_algorithm_row_t *row, const format_t *format) {
  return row->precision == NULL ? is_signed_f8(format) : row->precision == format;
}

static bool counts_agree(const dot_algorithm_row_t *row, int64_t lhs, int64_t rhs) {
  return lhs == rhs && (lhs == 1 || lhs == row->component_count);
}

bool dot_algorithm_find(const dot_algorithm_attribute_t *attribute,
                        dot_algorithm_t *out_algorithm) {
  const format_t *lhs = attribute->lhs_type->format, *rhs = attribute->rhs_type->format;
  const element_t *types[] = {attribute->lhs_type, attribute->rhs_type,
                              attribute->accumulation_type};
  for (size_t i = 0; i < G_N_ELEMENTS(types); i++) {
    if (types[i]->kind != ELEMENT_FLOAT) return false;
  }
  for (size_t i = 0; i < dot_algorithm_count; i++) {
    const dot_algorithm_row_t *row = &dot_algorithm_table[i];
    if (!dot_algorithm_takes(row, lhs) || !dot_algorithm_takes(row, rhs)) continue;
    if (row->accumulation != attribute->accumulation_type->format) continue;
    if (row->primitive_count != attribute->primitive_count) continue;
    if (row->is_imprecise != attribute->allows_imprecise_accumulation) continue;
    if (!counts_agree(row, attribute->lhs_component_count, attribute->rhs_component_count)) {
      continue;
    }
    *out_algorithm = (dot_algorithm_t){.row = row, .lhs = lhs, .rhs = rhs};
    return true;
  }
  return false;
}

dot_algorithm_attribute_t dot_algorithm_attribute(const dot_algorithm_t *algorithm, bool counted) {
  const dot_algorithm_row_t *row = algorithm->row;
  int64_t components = counted ? row->component_count : 1;
  return (dot_algorithm_attribute_t){
      .lhs_type = element_named(algorithm->lhs->name),
      .rhs_type = element_named(algorithm->rhs->name),
      .accumulation_type = element_named(row->accumulation->name),
      .lhs_component_count = components,
      .rhs_component_count = components,
      .primitive_count = row->primitive_count,
      .allows_imprecise_accumulation = row->is_imprecise,
  };
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* "<f8E4M3FN,f8E5M2>" after the name of a row that leaves its operands' formats open. */
static bool scan_formats(scan_t *scan, dot_algorithm_t *inout_algorithm) {
  if (!scan_accept(scan, "<")) return false;
  inout_algorithm->lhs = format_find(scan_until(scan, ","));
  if (!scan_accept(scan, ",")) return false;
  inout_algorithm->rhs = format_find(scan_until(scan, ">"));
  return scan_accept(scan, ">") && scan_at_end(scan) && inout_algorithm->lhs != NULL &&
         inout_algorithm->rhs != NULL && is_signed_f8(inout_algorithm->lhs) &&
         is_signed_f8(inout_algorithm->rhs);
}

bool dot_algorithm_find_name(str_t name, dot_algorithm_t *out_algorithm) {
  for (size_t i = 0; i < dot_algorithm_count; i++) {
    const dot_algorithm_row_t *row = &dot_algorithm_table[i];
    scan_t scan = scan_make(name);
    if (!str_equal_text(scan_until(&scan, "<"), row->name)) continue;
    dot_algorithm_t found = {.row = row, .lhs = row->precision, .rhs = row->precision};
    if (row->precision != NULL ? !scan_at_end(&scan) : !scan_formats(&scan, &found)) return false;
    *out_algorithm = found;
    return true;
  }
  return false;
}

void dot_algorithm_print_name(const dot_algorithm_t *algorithm, GString *out_text) {
  g_string_append(out_text, algorithm->row->name);
  if (algorithm->row->precision != NULL) return;
  g_string_append_printf(out_text, "<%s,%s>", algorithm->lhs->name, algorithm->rhs->name);
}

void dot_algorithm_print_label(const dot_algorithm_attribute_t *attribute, GString *out_text) {
  dot_algorithm_t algorithm;
  if (dot_algorithm_find(attribute, &algorithm)) {
    dot_algorithm_print_name(&algorithm, out_text);
  } else {
    dot_algorithm_print(attribute, out_text);
  }
}

/* ---- Text ------------------------------------------------------------------------------------ */

static const char *spell_bool(bool value) { return value ? "true" : "false"; }

void dot_algorithm_print(const dot_algorithm_attribute_t *attribute, GString *out_text) {
  g_string_append_printf(out_text, "[%s,%s,%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",%s]",
                         attribute->lhs_type->name, attribute->rhs_type->name,
                         attribute->accumulation_type->name, attribute->lhs_component_count,
                         attribute->rhs_component_count, attribute->primitive_count,
                         spell_bool(attribute->allows_imprecise_accumulation));
}

static status_t parse_type(scan_t *scan, const element_t **out_type, failure_t *error) {
  scan_t start = *scan;
  *out_type = element_find(scan_until(scan, ",]"));
  if (*out_type == NULL) return scan_fail(&start, error, "expected an element type, like bf16");
  return scan_expect(scan, ",", error);
}

static status_t parse_count(scan_t *scan, int64_t *out_count, failure_t *error) {
  scan_t start = *scan;
  STATUS_TRY(scan_integer(scan, out_count, error));
  if (*out_count < INT32_MIN || *out_count > INT32_MAX) {
    return scan_fail(&start, error, "a count has 32 bits");
  }
  return scan_expect(scan, ",", error);
}

status_t dot_algorithm_parse(scan_t *scan, dot_algorithm_attribute_t *out_attribute,
                             failure_t *error) {
  dot_algorithm_attribute_t attribute = {0};
  STATUS_TRY(scan_expect(scan, "[", error));
  STATUS_TRY(parse_type(scan, &attribute.lhs_type, error));
  STATUS_TRY(parse_type(scan, &attribute.rhs_type, error));
  STATUS_TRY(parse_type(scan, &attribute.accumulation_type, error));
  STATUS_TRY(parse_count(scan, &attribute.lhs_component_count, error));
  STATUS_TRY(parse_count(scan, &attribute.rhs_component_count, error));
  STATUS_TRY(parse_count(scan, &attribute.primitive_count, error));
  attribute.allows_imprecise_accumulation = scan_accept(scan, "true");
  if (!attribute.allows_imprecise_accumulation && !scan_accept(scan, "false")) {
    return scan_fail_expecting(scan, error, "true or false");
  }
  STATUS_TRY(scan_expect(scan, "]", error));
  *out_attribute = attribute;
  return STATUS_OK;
}

/* The verifier knows an algorithm by component counts of 1 alone. */
void dot_algorithm_print_mlir(const dot_algorithm_attribute_t *attribute, GString *out_text) {
  dot_algorithm_t algorithm;
  dot_algorithm_attribute_t written = dot_algorithm_find(attribute, &algorithm)
                                          ? dot_algorithm_attribute(&algorithm, false)
                                          : *attribute;
  g_string_append_printf(
      out_text,
      "#stablehlo.dot_algorithm<lhs_precision_type = %s, rhs_precision_type = %s, "
      "accumulation_type = %s, lhs_component_count = %" PRId64 ", rhs_component_count = %" PRId64
      ", num_primitive_operations = %" PRId64 ", allow_imprecise_accumulation = %s>",
      written.lhs_type->name, written.rhs_type->name, written.accumulation_type->name,
      written.lhs_component_count, written.rhs_component_count, written.primitive_count,
      spell_bool(written.allows_imprecise_accumulation));
}

/* ---- Drawing --------------------------------------------------------------------------------- */

static const format_t *draw_signed_f8(rng_t *rng) {
  const format_t *format;
  do {
    format = &format_table[rng_below(rng, FORMAT_COUNT)];
  } while (!is_signed_f8(format));
  return format;
}

/* Whether somebody would ask for the row with operands of that format: one that holds numbers of
 * the precision type, and, for several components, more than those. */
static bool suits(const dot_algorithm_row_t *row, const format_t *storage) {
  if (row->component_count > 1) return storage == &format_table[FORMAT_f32];
  if (row->precision == NULL) return is_signed_f8(storage);
  return row->precision->precision <= storage->precision && row->precision->bits <= storage->bits;
}

static dot_algorithm_t draw_known(rng_t *rng, const format_t *storage) {
  enum { ATTEMPTS = 16 };
  int attempts = rng_one_in(rng, 8) ? 1 : ATTEMPTS;
  const dot_algorithm_row_t *row;
  do {
    row = &dot_algorithm_table[rng_below(rng, dot_algorithm_count)];
  } while (--attempts > 0 && !suits(row, storage));
  if (row->precision != NULL) {
    return (dot_algorithm_t){.row = row, .lhs = row->precision, .rhs = row->precision};
  }
  bool own = is_signed_f8(storage);
  return (dot_algorithm_t){.row = row,
                           .lhs = own ? storage : draw_signed_f8(rng),
                           .rhs = own ? storage : draw_signed_f8(rng)};
}

dot_algorithm_attribute_t dot_algorithm_draw(rng_t *rng, const element_t *storage) {
  dot_algorithm_t algorithm = draw_known(rng, storage->format);
  dot_algorithm_attribute_t attribute = dot_algorithm_attribute(&algorithm, rng_one_in(rng, 3));
  if (rng_one_in(rng, 16)) attribute.primitive_count = rng_between(rng, 1, 4);
  if (rng_one_in(rng, 32)) attribute.lhs_component_count = rng_between(rng, 1, 4);
  return attribute;
}
