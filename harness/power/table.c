/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of tolerances, their quantiles, and the permission that widens a row most. */
#include "harness/power/table.h"

#include <math.h>
#include <string.h>

const char *power_data_name(power_data_t data) {
  static const char *const names[POWER_DATA_COUNT] = {"ordinary", "drawn", "judged"};
  return names[data];
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static void free_examined(void *item) {
  power_examined_t *examined = (power_examined_t *)item;
  g_array_unref(examined->narrowings);
  g_free(examined);
}

static void free_row(void *item) {
  power_row_t *row = (power_row_t *)item;
  g_array_unref(row->elements);
  g_ptr_array_unref(row->examined);
  g_free(row);
}

void power_table_init(power_table_t *table) {
  *table = (power_table_t){.rows = g_ptr_array_new_with_free_func(free_row)};
}

void power_table_deinit(power_table_t *table) { g_ptr_array_unref(table->rows); }

static bool is_row_of(const power_row_t *row, const power_row_t *wanted) {
  return row->op == wanted->op && row->algorithm == wanted->algorithm &&
         row->types == wanted->types && row->bucket == wanted->bucket && row->data == wanted->data;
}

power_row_t *power_table_row(power_table_t *table, const program_t *program, power_data_t data) {
  size_t terms = program_terms(program);
  g_autoptr(GString) text = g_string_new(NULL);
  program->op->print_algorithm(program, text);
  const char *algorithm = g_intern_string(text->str);
  g_string_truncate(text, 0);
  program_print_types(program, text);
  const power_row_t wanted = {.op = program->op,
                              .algorithm = algorithm,
                              .types = g_intern_string(text->str),
                              .bucket = term_bucket(terms),
                              .data = data,
                              .terms_least = terms,
                              .terms_most = terms};
  power_row_t *row = NULL;
  for (guint i = 0; i < table->rows->len && row == NULL; i++) {
    power_row_t *other = (power_row_t *)g_ptr_array_index(table->rows, i);
    if (is_row_of(other, &wanted)) row = other;
  }
  if (row == NULL) {
    row = g_new0(power_row_t, 1);
    *row = wanted;
    row->elements = g_array_new(FALSE, FALSE, sizeof(tolerance_t));
    row->examined = g_ptr_array_new_with_free_func(free_examined);
    g_ptr_array_add(table->rows, row);
  }
  row->terms_least = MIN(row->terms_least, terms);
  row->terms_most = MAX(row->terms_most, terms);
  return row;
}

static gint compare_rows(gconstpointer a, gconstpointer b) {
  const power_row_t *left = *(const power_row_t *const *)a;
  const power_row_t *right = *(const power_row_t *const *)b;
  int order = strcmp(left->op->name, right->op->name);
  if (order == 0) order = strcmp(left->algorithm, right->algorithm);
  if (order == 0) order = strcmp(left->types, right->types);
  if (order == 0) order = (int)left->data - (int)right->data;
  return order != 0 ? order : (int)left->bucket - (int)right->bucket;
}

void power_table_sort(power_table_t *table) { g_ptr_array_sort(table->rows, compare_rows); }

/* ---- Counts ---------------------------------------------------------------------------------- */

static const tolerance_t *element_at(const power_row_t *row, guint index) {
  return &g_array_index(row->elements, tolerance_t, index);
}

guint power_row_vacuous(const power_row_t *row) {
  guint count = 0;
  for (guint i = 0; i < row->elements->len; i++) count += element_at(row, i)->is_vacuous;
  return count;
}

guint power_row_with_nan(const power_row_t *row) {
  guint count = 0;
  for (guint i = 0; i < row->elements->len; i++) count += element_at(row, i)->holds_nan;
  return count;
}

guint power_row_of_form(const power_row_t *row, accepted_form_t form) {
  guint count = 0;
  for (guint i = 0; i < row->elements->len; i++) count += element_at(row, i)->form == form;
  return count;
}

accepted_form_t power_row_form(const power_row_t *row) {
  accepted_form_t most = (accepted_form_t)0;
  for (int i = 1; i < ACCEPTED_FORM_COUNT; i++) {
    accepted_form_t form = (accepted_form_t)i;
    if (power_row_of_form(row, form) > power_row_of_form(row, most)) most = form;
  }
  return most;
}

/* ---- Quantiles ------------------------------------------------------------------------------- */

static gint compare_doubles(gconstpointer a, gconstpointer b) {
  double left = *(const double *)a, right = *(const double *)b;
  return left < right ? -1 : left > right;
}

double power_quantile(const GArray *values, double share) {
  if (values->len == 0) return NAN;
  g_autoptr(GArray) sorted = g_array_new(FALSE, FALSE, sizeof(double));
  g_array_append_vals(sorted, values->data, values->len);
  g_array_sort(sorted, compare_doubles);
  double rank = ceil(share * (double)values->len);
  return g_array_index(sorted, double, (guint)fmax(rank, 1) - 1);
}

double power_row_quantile(const power_row_t *row, power_measure_t measure, double share) {
  g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(double));
  for (guint i = 0; i < row->elements->len; i++) {
    const tolerance_t *element = element_at(row, i);
    double value = measure == POWER_ULPS ? element->ulps : element->relative;
    if (!isnan(value)) g_array_append_val(values, value);
  }
  return power_quantile(values, share);
}

/* ---- Permissions ----------------------------------------------------------------------------- */

static bool withdrawal_equal(const withdrawal_t *a, const withdrawal_t *b) {
  return strcmp(a->permission, b->permission) == 0 && a->value == b->value;
}

/* What is left of an element; as it was, if the permission does not matter there. */
static double ulps_without(const power_examined_t *examined, const withdrawal_t *withdrawal) {
  for (guint i = 0; i < examined->narrowings->len; i++) {
    const narrowing_t *narrowing = &g_array_index(examined->narrowings, narrowing_t, i);
    if (withdrawal_equal(&narrowing->withdrawal, withdrawal)) return narrowing->ulps;
  }
  return examined->ulps;
}

/* The median of the examined elements; without a permission if that is not NULL. */
static double examined_median(const power_row_t *row, const withdrawal_t *withdrawal) {
  g_autoptr(GArray) ulps = g_array_new(FALSE, FALSE, sizeof(double));
  for (guint i = 0; i < row->examined->len; i++) {
    const power_examined_t *examined = g_ptr_array_index(row->examined, i);
    double value = withdrawal == NULL ? examined->ulps : ulps_without(examined, withdrawal);
    g_array_append_val(ulps, value);
  }
  return power_quantile(ulps, 0.5);
}

/* Less than this share of a median is not worth a word. */
static const double SHARE_WORTH_TELLING = 0.05;

bool power_row_widest(const power_row_t *row, withdrawal_t *out_withdrawal, double *out_with,
                      double *out_without) {
  *out_with = *out_without = examined_median(row, NULL);
  bool has_one = false;
  for (guint i = 0; i < row->examined->len; i++) {
    const power_examined_t *examined = g_ptr_array_index(row->examined, i);
    for (guint k = 0; k < examined->narrowings->len; k++) {
      const withdrawal_t *withdrawal =
          &g_array_index(examined->narrowings, narrowing_t, k).withdrawal;
      double without = examined_median(row, withdrawal);
      if (!(without < *out_without)) continue;
      *out_without = without;
      *out_withdrawal = *withdrawal;
      has_one = true;
    }
  }
  return has_one && *out_without <= (1 - SHARE_WORTH_TELLING) * *out_with;
}
