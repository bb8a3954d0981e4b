/* SPDX-License-Identifier: Apache-2.0 */
/* Text, MLIR and label of lists of precisions. */
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
