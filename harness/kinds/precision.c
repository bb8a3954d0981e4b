/* SPDX-License-Identifier: Apache-2.0 */
/* Text, MLIR, label and drawing of lists of precisions, and what contracts say of them. */
#include "harness/kinds/precision.h"

static const char *const names[PRECISION_COUNT] = {"DEFAULT", "HIGH", "HIGHEST"};

static bool is_absent(const void *value) { return !((const precision_list_t *)value)->is_present; }

static status_t parse_entry(scan_t *scan, uint32_t index, void *list, failure_t *error) {
  scan_t start = *scan;
  str_t name = scan_until(scan, ",] ");
  for (int i = 0; i < PRECISION_COUNT; i++) {
    if (str_equal_text(name, names[i])) {
      ((precision_list_t *)list)->values[index] = (precision_t)i;
      return STATUS_OK;
    }
  }
  return scan_fail(&start, error, "expected a precision: DEFAULT, HIGH or HIGHEST");
}

static status_t parse(const attribute_source_t *from, void *out_value) {
  static const char *const usual[] = {"a list holds", "precisions"};
  const char *const *words = from->row->words == NULL ? usual : from->row->words;
  const scan_list_t kind = {words[0], words[1], PRECISIONS_MAX, parse_entry};
  precision_list_t *list = out_value;
  list->is_present = true;
  return scan_list(from->scan, &kind, list, &list->count, from->error);
}

/* Each name with `prefix` and `suffix` around it. */
static void print_names(const precision_list_t *list, const char *prefix, const char *suffix,
                        const char *between, GString *out_text) {
  for (uint32_t i = 0; i < list->count; i++) {
    g_string_append_printf(out_text, "%s%s%s%s", i == 0 ? "" : between, prefix,
                           names[list->values[i]], suffix);
  }
}

static void print(const void *value, const attribute_sink_t *to) {
  g_string_append_c(to->text, '[');
  print_names((const precision_list_t *)value, "", "", ",", to->text);
  g_string_append_c(to->text, ']');
}

static void print_mlir(const void *value, const attribute_sink_t *to) {
  g_string_append_c(to->text, '[');
  print_names((const precision_list_t *)value, "#stablehlo<precision ", ">", ", ", to->text);
  g_string_append_c(to->text, ']');
}

const attribute_codec_t precision_list = {
    .is_absent = is_absent, .parse = parse, .print = print, .print_mlir = print_mlir};

void precision_list_print_label(const precision_list_t *list, GString *out_text) {
  g_string_append(out_text, list->is_present ? "precision=" : "default");
  precision_list_t shown = *list;
  if (list->count == 2 && list->values[0] == list->values[1]) shown.count = 1;
  if (list->is_present) print_names(&shown, "", "", ",", out_text);
}

precision_list_t precision_list_draw(rng_t *rng) {
  precision_list_t list = {.is_present = rng_one_in(rng, 4)};
  if (!list.is_present) return list;
  list.count = 2;
  list.values[0] = (precision_t)rng_below(rng, PRECISION_COUNT);
  uint64_t other = rng_below(rng, 2 * PRECISION_COUNT);
  list.values[1] = other < PRECISION_COUNT ? (precision_t)other : list.values[0];
  return list;
}

precision_t precision_list_word(const precision_list_t *list, uint32_t operand) {
  return operand < list->count ? list->values[operand] : PRECISION_DEFAULT;
}

static bool is_f32(const type_t *type) {
  return type->quantization == NULL && type->element->format == &format_table[FORMAT_f32];
}

bool precision_concerns(const program_t *program) {
  if (program->operand_count != 2 || program->result_count != 1) return false;
  return is_f32(&program->operands[0]) && is_f32(&program->operands[1]) &&
         is_f32(&program->results[0]);
}

const char *precision_permission(precision_t word) {
  static const char *const permissions[PRECISION_COUNT] = {"default_precision", "high_precision",
                                                           "highest_precision"};
  return permissions[word];
}

precision_arithmetic_t precision_arithmetic(uint8_t arithmetic) {
  static const struct {
    const char *type;
    int component_count;
    int product_count;
  } rows[] = {
#define ARITHMETIC(type, component_count, product_count) {#type, component_count, product_count},
#include "harness/kinds/precision_arithmetics.def"
#undef ARITHMETIC
  };
  _Static_assert(G_N_ELEMENTS(rows) == PRECISION_ARITHMETIC_COUNT, "a row for each value");
  return (precision_arithmetic_t){element_named(rows[arithmetic].type),
                                  rows[arithmetic].component_count, rows[arithmetic].product_count};
}

/* theory.md, T147. */
size_t precision_permitted(precision_t word, const contract_t *contract,
                           uint8_t out_arithmetics[PRECISION_PERMITTED_MAX]) {
  const uint8_t values[] = {PERMITTED(contract, default_precision),
                            PERMITTED(contract, high_precision),
                            PERMITTED(contract, highest_precision), ARITHMETIC_F32};
  size_t count = 0;
  for (size_t i = word; i < G_N_ELEMENTS(values); i++) {
    bool is_new = values[i] != ARITHMETIC_F32 || i == PRECISION_COUNT;
    for (size_t k = 0; k < count; k++) is_new &= out_arithmetics[k] != values[i];
    if (is_new) out_arithmetics[count++] = values[i];
  }
  return count;
}
