/* SPDX-License-Identifier: Apache-2.0 */
/* Turns tolerances into rows of the store: counts add up over runs, where medians would not. */
#include "harness/record/power_log.h"

#include "harness/record/measure_histogram.h"

static void write_element(const ledger_t *ledger, const power_row_t *row,
                          const tolerance_t *element) {
  int bucket = measure_bucket(element->ulps);
  const store_tolerance_t added = {
      .run_id = ledger->run_id,
      .op = row->op->name,
      .algorithm = row->algorithm,
      .types = row->types,
      .terms_low = (int64_t)term_bucket_low(row->bucket),
      .terms_high = (int64_t)MIN(term_bucket_high(row->bucket), (size_t)INT64_MAX),
      .is_vacuous = element->is_vacuous,
      .bucket = bucket,
      .low = measure_bucket_low(bucket),
      .high = measure_bucket_high(bucket),
      .cases = 1};
  store_add_tolerance(ledger->store, &added);
}

void power_log_write(const ledger_t *ledger, power_table_t *table) {
  if (ledger->store == NULL) return;
  for (guint i = 0; i < table->rows->len; i++) {
    power_row_t *row = g_ptr_array_index(table->rows, i);
    for (; row->stored < row->elements->len; row->stored++) {
      write_element(ledger, row, &g_array_index(row->elements, tolerance_t, row->stored));
    }
  }
}
