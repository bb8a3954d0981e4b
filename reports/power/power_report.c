/* SPDX-License-Identifier: Apache-2.0 */
/* The table of `assay power`: a block for each op and types, a line for each kind of data and
 * number of terms; and the same as JSON. */
#include "reports/power/power_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reports/verdict/describe.h"

void power_report_terms(const power_row_t *row, GString *out_text) {
  g_string_append_printf(out_text, "%zu", row->terms_least);
  if (row->terms_most > row->terms_least) {
    g_string_append_printf(out_text, "..%zu", row->terms_most);
  }
}

void power_report_number(double value, GString *out_text) {
  if (isnan(value)) {
    g_string_append_c(out_text, '-');
  } else if (isinf(value)) {
    g_string_append(out_text, "any");
  } else {
    g_string_append_printf(out_text, "%.3g", value);
  }
}

static void print_number(double value, int width) {
  g_autoptr(GString) text = g_string_new(NULL);
  power_report_number(value, text);
  printf("%*s", width, text->str);
}

static void print_quantiles(const power_row_t *row, power_measure_t measure) {
  print_number(power_row_quantile(row, measure, 0.5), 9);
  print_number(power_row_quantile(row, measure, 0.9), 9);
  print_number(power_row_quantile(row, measure, 1), 9);
}

/* "softmax=online (8.1, else 1)": the permission, the median with it and without it. */
static void print_widest(const power_row_t *row, const contract_t *contract) {
  withdrawal_t widest;
  double with, without;
  if (!power_row_widest(row, &widest, &with, &without)) {
    printf("  %s", accepted_form_name(power_row_form(row)));
    return;
  }
  const char *value =
      contract_spelling(widest.permission, contract_value(contract, widest.permission));
  g_autoptr(GString) text = g_string_new(NULL);
  g_string_append_printf(text, "%s; %s=%s: ", accepted_form_name(power_row_form(row)),
                         widest.permission, value);
  power_report_number(with, text);
  g_string_append_printf(text, ", with %s ", contract_spelling(widest.permission, widest.value));
  power_report_number(without, text);
  printf("  %s", text->str);
}

static double vacuous_percent(const power_row_t *row) {
  return 100 * (double)power_row_vacuous(row) / (double)row->elements->len;
}

static void print_row(const power_options_t *options, const power_row_t *row) {
  g_autoptr(GString) terms = g_string_new(NULL);
  power_report_terms(row, terms);
  printf("  %-9s%-15s%8u", power_data_name(row->data), terms->str, row->elements->len);
  print_quantiles(row, POWER_ULPS);
  print_quantiles(row, POWER_RELATIVE);
  printf("%8.3g%%", vacuous_percent(row));
  print_widest(row, options->contract);
  printf("\n");
}

static bool begins_block(const power_row_t *previous, const power_row_t *row) {
  return previous == NULL || previous->op != row->op || previous->types != row->types ||
         previous->algorithm != row->algorithm;
}

void power_report_print(const power_options_t *options, const power_table_t *table) {
  const power_row_t *previous = NULL;
  for (guint i = 0; i < table->rows->len; i++) {
    const power_row_t *row = g_ptr_array_index(table->rows, i);
    if (row->elements->len == 0) continue;
    if (begins_block(previous, row)) {
      printf("%s%s %s %s\n", previous == NULL ? "" : "\n", row->op->name, row->algorithm,
             row->types);
      printf("  %-9s%-15s%8s%9s%9s%9s%9s%9s%9s%9s  %s\n", "data", "terms", "elements", "ulp 50%",
             "90%", "worst", "rel 50%", "90%", "worst", "vacuous", "accepted; widest permission");
    }
    print_row(options, row);
    previous = row;
  }
  if (previous == NULL) printf("no element with a finite exact value was drawn\n");
  g_autoptr(GString) contract = g_string_new(NULL);
  contract_print_short(options->contract, contract);
  printf("\n%" PRIu64 " cases, %" PRIu64 " without an oracle; seed %" PRIu64 ", contract %s\n",
         table->cases, table->without_oracle, options->seed, contract->str);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* JSON has no infinity: it is the text "any". */
static json_t *json_measure(double value) {
  if (isnan(value)) return json_null();
  return isinf(value) ? json_string("any") : json_real(value);
}

static json_t *json_quantiles(const power_row_t *row, power_measure_t measure) {
  return json_pack("{s:o, s:o, s:o}", "median", json_measure(power_row_quantile(row, measure, 0.5)),
                   "p90", json_measure(power_row_quantile(row, measure, 0.9)), "worst",
                   json_measure(power_row_quantile(row, measure, 1)));
}

static json_t *json_forms(const power_row_t *row) {
  json_t *forms = json_object();
  for (int i = 0; i < ACCEPTED_FORM_COUNT; i++) {
    json_object_set_new(forms, accepted_form_name((accepted_form_t)i),
                        json_integer(power_row_of_form(row, (accepted_form_t)i)));
  }
  return forms;
}

static json_t *json_widest(const power_row_t *row, const contract_t *contract) {
  withdrawal_t widest;
  double with, without;
  if (!power_row_widest(row, &widest, &with, &without)) return json_null();
  return json_pack(
      "{s:s, s:s, s:s, s:i, s:o, s:o}", "permission", widest.permission, "value",
      contract_spelling(widest.permission, contract_value(contract, widest.permission)),
      "withdrawn_to", contract_spelling(widest.permission, widest.value), "elements",
      (int)row->examined->len, "median_ulps", json_measure(with), "median_ulps_without",
      json_measure(without));
}

static json_t *json_row(const contract_t *contract, const power_row_t *row) {
  json_t *object =
      json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:i, s:i, s:i}", "op", row->op->name, "algorithm",
                row->algorithm, "types", row->types, "data", power_data_name(row->data),
                "terms_least", (json_int_t)row->terms_least, "terms_most",
                (json_int_t)row->terms_most, "elements", (int)row->elements->len, "vacuous",
                (int)power_row_vacuous(row), "with_nan", (int)power_row_with_nan(row));
  json_object_set_new(object, "ulps", json_quantiles(row, POWER_ULPS));
  json_object_set_new(object, "relative", json_quantiles(row, POWER_RELATIVE));
  json_object_set_new(object, "accepted", json_forms(row));
  json_object_set_new(object, "widest", json_widest(row, contract));
  return object;
}

json_t *json_power(const contract_t *contract, const power_table_t *table) {
  json_t *rows = json_array();
  for (guint i = 0; i < table->rows->len; i++) {
    const power_row_t *row = g_ptr_array_index(table->rows, i);
    if (row->elements->len > 0) json_array_append_new(rows, json_row(contract, row));
  }
  return rows;
}

void power_report_print_json(const power_options_t *options, const power_table_t *table) {
  g_autoptr(GString) contract = g_string_new(NULL);
  contract_print(options->contract, contract);
  g_autofree char *seed = g_strdup_printf("%" PRIu64, options->seed);
  json_t *document =
      json_pack("{s:s, s:s, s:I, s:I}", "seed", seed, "contract", contract->str, "cases",
                (json_int_t)table->cases, "without_oracle", (json_int_t)table->without_oracle);
  json_object_set_new(document, "power", json_power(options->contract, table));
  json_print(document, false);
}
