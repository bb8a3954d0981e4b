/* SPDX-License-Identifier: Apache-2.0 */
/* Turns sums of accuracy into rows of the store. */
#include "harness/record/accuracy_log.h"

#include "harness/power/terms.h"

static void write_row(const ledger_t *ledger, const accuracy_row_t *row) {
  const store_accuracy_t added = {
      .run_id = ledger->run_id,
      .executor_id = ledger->executor_ids[row->executor],
      .op = row->label.op,
      .algorithm = row->label.algorithm,
      .types = row->label.types,
      .outcome = outcome_spelling(row->outcome),
      .stratum = row->stratum,
      .data = data_kind_spelling(row->data),
      .terms_low = (int64_t)term_bucket_low(row->terms_bucket),
      .terms_high = (int64_t)MIN(term_bucket_high(row->terms_bucket), (size_t)INT64_MAX),
      .condition_bucket = row->condition_bucket,
      .condition_low = condition_bucket_low(row->condition_bucket),
      .condition_high = condition_bucket_high(row->condition_bucket),
      .cases = row->cases,
      .elements = row->elements,
      .operand_elements = row->operand_elements,
      .nan_elements = row->nan_elements,
      .infinite_elements = row->infinite_elements,
      .subnormal_elements = row->subnormal_elements,
      .seconds = (double)row->nanoseconds * 1e-9,
      .ulp_error_cases = row->ulp_error_cases,
      .ulp_error_sum = row->ulp_error_sum,
      .backward_error_cases = row->backward_error_cases,
      .backward_error_sum = row->backward_error_sum,
      .ulp_error_max = row->ulp_error_max,
      .slack_max = row->slack_max,
      .backward_error_max = row->backward_error_max,
      .condition_max = row->condition_max,
      .term_magnitude_max = row->term_magnitude_max,
      .sum_magnitude_max = row->sum_magnitude_max};
  store_add_accuracy(ledger->store, &added);
}

void accuracy_log_write(const ledger_t *ledger, accuracy_tally_t *accuracy) {
  if (ledger->store == NULL) return;
  for (size_t i = 0; i < accuracy_tally_count(accuracy); i++) {
    accuracy_row_t *row = accuracy_tally_at(accuracy, i);
    if (row->cases == 0) continue;
    write_row(ledger, row);
    accuracy_row_stored(row);
  }
}
