/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the median of all and the kind with the largest one, and puts both into a sentence. */
#include "reports/power/power_line.h"

#include <inttypes.h>
#include <math.h>

#include "reports/power/power_report.h"

/* A median of fewer says little. */
enum { ELEMENTS_ENOUGH = 4 };

static bool is_blunter(const power_kind_t *a, const power_kind_t *b) {
  bool a_counts = a->elements >= ELEMENTS_ENOUGH, b_counts = b->elements >= ELEMENTS_ENOUGH;
  return a_counts != b_counts ? a_counts : a->median > b->median;
}

void power_summary_add(power_summary_t *summary, const power_kind_t *kind) {
  if (kind->elements == 0) return;
  bool is_first = summary->kinds++ == 0;
  summary->elements += kind->elements;
  if (is_first || is_blunter(kind, &summary->bluntest)) summary->bluntest = *kind;
}

power_summary_t power_summary_of(const power_table_t *table) {
  power_summary_t summary = {0};
  g_autoptr(GArray) ulps = g_array_new(FALSE, FALSE, sizeof(double));
  for (guint i = 0; i < table->rows->len; i++) {
    const power_row_t *row = g_ptr_array_index(table->rows, i);
    const power_kind_t kind = {.op = row->op->name,
                               .types = row->types,
                               .terms_least = row->terms_least,
                               .terms_most = row->terms_most,
                               .elements = row->elements->len,
                               .median = power_row_quantile(row, POWER_ULPS, 0.5)};
    power_summary_add(&summary, &kind);
    for (guint k = 0; k < row->elements->len; k++) {
      g_array_append_val(ulps, g_array_index(row->elements, tolerance_t, k).ulps);
    }
  }
  summary.median = power_quantile(ulps, 0.5);
  return summary;
}

/* "any error", "an error above 0.5 ulp", "no error at all".  Below half a unit only the nearest
 * number is accepted. */
static void print_error(double ulps, const char *what, GString *out_text) {
  if (ulps < 0.5 || isinf(ulps)) {
    g_string_append(out_text, ulps < 0.5 ? "any error" : "no error at all");
    return;
  }
  g_string_append_printf(out_text, "%s above ", what);
  power_report_number(ulps, out_text);
  g_string_append(out_text, " ulp");
}

static void print_kind(const power_kind_t *kind, GString *out_text) {
  g_string_append_printf(out_text, "%s %s, n = %" PRIu64, kind->op, kind->types, kind->terms_least);
  if (kind->terms_most > kind->terms_least) {
    g_string_append_printf(out_text, " to %" PRIu64, kind->terms_most);
  }
}

void power_line_print(const power_summary_t *summary, GString *out_text) {
  if (summary->elements == 0) return;
  g_string_append(out_text, "power: half of the elements measured would have shown ");
  print_error(summary->median, "an error", out_text);
  if (summary->kinds == 1) {
    g_string_append(out_text, " (");
    print_kind(&summary->bluntest, out_text);
    g_string_append_c(out_text, ')');
    return;
  }
  if (summary->bluntest.median < 0.5) return;
  g_string_append_printf(out_text, "; of %zu kinds the bluntest (", summary->kinds);
  print_kind(&summary->bluntest, out_text);
  g_string_append(out_text, "), ");
  print_error(summary->bluntest.median, "one", out_text);
}
