/* SPDX-License-Identifier: Apache-2.0 */
/* What the members of a dot algorithm's attribute mean, the products of components that it stands
 * for, the table of names, and texts. */
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

/* How much smaller each component is than the one before it.  Integers have one. */
static int bits_of(const element_t *type) {
  return type->format == NULL ? type->bits : type->format->precision;
}

/* Whether a product of components (i, j) is larger than another, or counts as such: see
 * dot_algorithm_primitives(). */
static bool comes_before(const dot_algorithm_t *algorithm, dot_primitive_t a, dot_primitive_t b) {
  int lhs_bits = bits_of(algorithm->lhs), rhs_bits = bits_of(algorithm->rhs);
  int a_bits = lhs_bits * a.lhs + rhs_bits * a.rhs, b_bits = lhs_bits * b.lhs + rhs_bits * b.rhs;
  return a_bits != b_bits ? a_bits < b_bits : a.lhs < b.lhs;
}

/* By insertion: there are 64 of them at most, and mostly one. */
int dot_algorithm_primitives(const dot_algorithm_t *algorithm,
                             dot_primitive_t out_primitives[DOT_PRIMITIVES_MAX]) {
  int kept = 0, count = algorithm->primitive_count;
  for (int lhs = 0; lhs < algorithm->component_counts[0]; lhs++) {
    for (int rhs = 0; rhs < algorithm->component_counts[1]; rhs++) {
      const dot_primitive_t next = {lhs, rhs};
      int place = kept; /* From the largest, which is stored last. */
      while (place > 0 && comes_before(algorithm, next, out_primitives[count - place])) place--;
      if (place == count) continue;
      kept = MIN(kept + 1, count);
      for (int i = kept - 1; i > place; i--) {
        out_primitives[count - 1 - i] = out_primitives[count - i];
      }
      out_primitives[count - 1 - place] = next;
    }
  }
  return kept;
}

static bool is_signed_f8(const format_t *format) {
  return format->bits == 8 && format->specials != FORMAT_EXPONENT_ONLY;
}

bool dot_algorithm_takes(const dot_algorithm_row_t *row, const format_t *format) {
  return row->precision == NULL ? is_signed_f8(format) : row->precision == format;
}

/* The least c with c * c >= products. */
static int least_components(int64_t products) {
  int count = 1;
  while ((int64_t)count * count < products) count++;
  return count;
}

/* Numbers with a sign and a zero. */
static bool is_float(const element_t *element) {
  return element->kind == ELEMENT_FLOAT && element->format->specials != FORMAT_EXPONENT_ONLY;
}

/* Whether sums of one integer type may hold factors of another as they are. */
static bool adds_integers(const element_t *sum, const element_t *factor) {
  if (sum->kind == ELEMENT_UNSIGNED) return factor->kind == ELEMENT_UNSIGNED;
  return factor->kind == ELEMENT_SIGNED || factor->bits < 64;
}

/* Floats and integers are multiplied in floats, of which f64 holds integers of 32 bits; integers in
 * integers, too. */
static bool are_kinds_alike(const dot_algorithm_attribute_t *attribute) {
  const element_t *factors[] = {attribute->lhs_type, attribute->rhs_type};
  const element_t *sum = attribute->accumulation_type;
  for (size_t i = 0; i < G_N_ELEMENTS(factors); i++) {
    bool is_alike = is_float(sum) ? is_float(factors[i]) ||
                                        (element_is_integer(factors[i]) && factors[i]->bits <= 32)
                                  : element_is_integer(sum) && element_is_integer(factors[i]) &&
                                        adds_integers(sum, factors[i]);
    if (!is_alike) return false;
  }
  return true;
}

static int64_t components_max(const element_t *type) {
  return type->format == NULL ? 1 : DOT_COMPONENTS_MAX;
}

dot_algorithm_flaw_t dot_algorithm_read(const dot_algorithm_attribute_t *attribute,
                                        dot_algorithm_t *out_algorithm) {
  if (!are_kinds_alike(attribute)) return DOT_ALGORITHM_KINDS;
  int64_t lhs = attribute->lhs_component_count, rhs = attribute->rhs_component_count;
  int64_t products = attribute->primitive_count;
  if (products < 1 || products > DOT_PRIMITIVES_MAX) return DOT_ALGORITHM_PRIMITIVES;
  if (lhs == 1 && rhs == 1) lhs = rhs = least_components(products);
  if (lhs < 1 || lhs > components_max(attribute->lhs_type) || rhs < 1 ||
      rhs > components_max(attribute->rhs_type)) {
    return DOT_ALGORITHM_COMPONENTS;
  }
  if (products > lhs * rhs) return DOT_ALGORITHM_PRIMITIVES;
  bool is_imprecise = attribute->allows_imprecise_accumulation;
  if (is_imprecise && attribute->accumulation_type->format == NULL) return DOT_ALGORITHM_IMPRECISE;
  *out_algorithm = (dot_algorithm_t){
      .lhs = attribute->lhs_type,
      .rhs = attribute->rhs_type,
      .accumulation = attribute->accumulation_type,
      .component_counts = {(int)lhs, (int)rhs},
      .primitive_count = (int)products,
      .is_imprecise = is_imprecise,
  };
  return DOT_ALGORITHM_SOUND;
}

static bool is_named(const dot_algorithm_row_t *row, const dot_algorithm_t *algorithm) {
  if (algorithm->lhs->format == NULL || algorithm->rhs->format == NULL) return false;
  return dot_algorithm_takes(row, algorithm->lhs->format) &&
         dot_algorithm_takes(row, algorithm->rhs->format) &&
         row->accumulation == algorithm->accumulation->format &&
         row->component_count == algorithm->component_counts[0] &&
         row->component_count == algorithm->component_counts[1] &&
         row->primitive_count == algorithm->primitive_count &&
         row->is_imprecise == algorithm->is_imprecise;
}

const dot_algorithm_row_t *dot_algorithm_row(const dot_algorithm_t *algorithm) {
  for (size_t i = 0; i < dot_algorithm_count; i++) {
    if (is_named(&dot_algorithm_table[i], algorithm)) return &dot_algorithm_table[i];
  }
  return NULL;
}

dot_algorithm_t dot_algorithm_of_row(const dot_algorithm_row_t *row, const format_t *lhs,
                                     const format_t *rhs) {
  return (dot_algorithm_t){
      .lhs = element_named(lhs->name),
      .rhs = element_named(rhs->name),
      .accumulation = element_named(row->accumulation->name),
      .component_counts = {row->component_count, row->component_count},
      .primitive_count = row->primitive_count,
      .is_imprecise = row->is_imprecise,
  };
}

bool dot_algorithm_equal(const dot_algorithm_t *a, const dot_algorithm_t *b) {
  return a->lhs == b->lhs && a->rhs == b->rhs && a->accumulation == b->accumulation &&
         a->component_counts[0] == b->component_counts[0] &&
         a->component_counts[1] == b->component_counts[1] &&
         a->primitive_count == b->primitive_count && a->is_imprecise == b->is_imprecise;
}

dot_algorithm_attribute_t dot_algorithm_attribute(const dot_algorithm_t *algorithm, bool counted) {
  const int *counts = algorithm->component_counts;
  int least = least_components(algorithm->primitive_count);
  bool is_least = counts[0] == least && counts[1] == least;
  return (dot_algorithm_attribute_t){
      .lhs_type = algorithm->lhs,
      .rhs_type = algorithm->rhs,
      .accumulation_type = algorithm->accumulation,
      .lhs_component_count = is_least && !counted ? 1 : counts[0],
      .rhs_component_count = is_least && !counted ? 1 : counts[1],
      .primitive_count = algorithm->primitive_count,
      .allows_imprecise_accumulation = algorithm->is_imprecise,
  };
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* "<f8E4M3FN,f8E5M2>" after the name of a row that leaves its operands' formats open. */
static bool scan_formats(scan_t *scan, const format_t **out_lhs, const format_t **out_rhs) {
  if (!scan_accept(scan, "<")) return false;
  *out_lhs = format_find(scan_until(scan, ","));
  if (!scan_accept(scan, ",")) return false;
  *out_rhs = format_find(scan_until(scan, ">"));
  return scan_accept(scan, ">") && scan_at_end(scan) && *out_lhs != NULL && *out_rhs != NULL &&
         is_signed_f8(*out_lhs) && is_signed_f8(*out_rhs);
}

static bool find_members(str_t text, dot_algorithm_t *out_algorithm) {
  scan_t scan = scan_make(text);
  dot_algorithm_attribute_t attribute;
  failure_t failure = {0};
  return dot_algorithm_parse(&scan, &attribute, &failure) == STATUS_OK && scan_at_end(&scan) &&
         dot_algorithm_find(&attribute, out_algorithm);
}

bool dot_algorithm_find_name(str_t name, dot_algorithm_t *out_algorithm) {
  if (name.size > 0 && name.data[0] == '[') return find_members(name, out_algorithm);
  for (size_t i = 0; i < dot_algorithm_count; i++) {
    const dot_algorithm_row_t *row = &dot_algorithm_table[i];
    scan_t scan = scan_make(name);
    if (!str_equal_text(scan_until(&scan, "<"), row->name)) continue;
    const format_t *lhs = row->precision, *rhs = row->precision;
    if (row->precision != NULL ? !scan_at_end(&scan) : !scan_formats(&scan, &lhs, &rhs)) {
      return false;
    }
    *out_algorithm = dot_algorithm_of_row(row, lhs, rhs);
    return true;
  }
  return false;
}

void dot_algorithm_print_name(const dot_algorithm_t *algorithm, GString *out_text) {
  const dot_algorithm_row_t *row = dot_algorithm_row(algorithm);
  if (row == NULL) {
    const dot_algorithm_attribute_t members = dot_algorithm_attribute(algorithm, true);
    dot_algorithm_print(&members, out_text);
    return;
  }
  g_string_append(out_text, row->name);
  if (row->precision != NULL) return;
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

/* The verifier knows an algorithm by component counts of 1 alone; of one that it does not know the
 * counts are left as they are written. */
void dot_algorithm_print_mlir(const dot_algorithm_attribute_t *attribute, GString *out_text) {
  dot_algorithm_t algorithm;
  bool is_known =
      dot_algorithm_find(attribute, &algorithm) && dot_algorithm_row(&algorithm) != NULL;
  dot_algorithm_attribute_t written =
      is_known ? dot_algorithm_attribute(&algorithm, false) : *attribute;
  g_string_append_printf(
      out_text,
      "#stablehlo.dot_algorithm<lhs_precision_type = %s, rhs_precision_type = %s, "
      "accumulation_type = %s, lhs_component_count = %" PRId64 ", rhs_component_count = %" PRId64
      ", num_primitive_operations = %" PRId64 ", allow_imprecise_accumulation = %s>",
      written.lhs_type->name, written.rhs_type->name, written.accumulation_type->name,
      written.lhs_component_count, written.rhs_component_count, written.primitive_count,
      spell_bool(written.allows_imprecise_accumulation));
}
