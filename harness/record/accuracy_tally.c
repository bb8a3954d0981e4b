/* SPDX-License-Identifier: Apache-2.0 */
/* A hash table of sums.  What is stored begins anew, so that sums of numbers lose nothing by what
 * was added before. */
#include "harness/record/accuracy_tally.h"

#include <math.h>
#include <string.h>

#include "harness/power/terms.h"
#include "harness/store/severity/severity.h"

struct accuracy_tally {
  GPtrArray *rows;    /* Owned accuracy_row_t, in order of first appearance. */
  GHashTable *by_key; /* Borrowed rows; a row is its own key. */
};

/* ---- The sample, and buckets ----------------------------------------------------------------- */

bool accuracy_is_sampled(uint64_t seed, uint64_t number) {
  if (number < ACCURACY_CASES_FIRST) return true;
  rng_t rng = rng_make(seed ^ number);
  return rng_below(&rng, ACCURACY_ONE_CASE_IN) == 0;
}

data_kind_t data_kind_of(const case_figures_t *figures) {
  if (figures->nan_elements + figures->infinite_elements > 0) return DATA_SPECIAL;
  return figures->data_extent <= SEVERITY_ORDINARY_EXTENT ? DATA_ORDINARY : DATA_WIDE;
}

const char *data_kind_spelling(data_kind_t kind) {
  static const char *const spellings[] = {
      [DATA_ORDINARY] = "ordinary", [DATA_WIDE] = "wide", [DATA_SPECIAL] = "special"};
  return spellings[kind];
}

int condition_bucket(double condition) {
  if (isnan(condition)) return CONDITION_UNKNOWN;
  if (isinf(condition)) return CONDITION_BUCKET_MOST;
  int exponent = condition < 1 ? 0 : ilogb(condition);
  return MIN(exponent / 3, CONDITION_BUCKET_MOST);
}

double condition_bucket_low(int bucket) {
  return bucket == CONDITION_UNKNOWN ? (double)NAN : ldexp(1, 3 * bucket);
}

double condition_bucket_high(int bucket) {
  if (bucket == CONDITION_UNKNOWN) return (double)NAN;
  return bucket == CONDITION_BUCKET_MOST ? (double)INFINITY : ldexp(1, 3 * (bucket + 1));
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static guint row_hash(gconstpointer pointer) {
  const accuracy_row_t *row = (const accuracy_row_t *)pointer;
  guint hash = (guint)row->executor * 31 + (guint)row->outcome;
  hash = hash * 31 + (guint)row->data;
  hash = hash * 31 + (guint)row->terms_bucket;
  hash = hash * 31 + (guint)(row->condition_bucket - CONDITION_UNKNOWN);
  hash = hash * 31 + g_str_hash(row->stratum);
  hash = hash * 31 + g_direct_hash(row->label.op);
  hash = hash * 31 + g_direct_hash(row->label.algorithm);
  return hash * 31 + g_direct_hash(row->label.types);
}

static gboolean row_equal(gconstpointer a, gconstpointer b) {
  const accuracy_row_t *left = (const accuracy_row_t *)a;
  const accuracy_row_t *right = (const accuracy_row_t *)b;
  return left->executor == right->executor && left->outcome == right->outcome &&
         left->data == right->data && left->terms_bucket == right->terms_bucket &&
         left->condition_bucket == right->condition_bucket &&
         strcmp(left->stratum, right->stratum) == 0 && left->label.op == right->label.op &&
         left->label.algorithm == right->label.algorithm && left->label.types == right->label.types;
}

accuracy_tally_t *accuracy_tally_new(void) {
  accuracy_tally_t *accuracy = g_new0(accuracy_tally_t, 1);
  accuracy->rows = g_ptr_array_new_with_free_func(g_free);
  accuracy->by_key = g_hash_table_new(row_hash, row_equal);
  return accuracy;
}

void accuracy_tally_free(accuracy_tally_t *accuracy) {
  g_hash_table_destroy(accuracy->by_key);
  g_ptr_array_unref(accuracy->rows);
  g_free(accuracy);
}

static accuracy_row_t *find_or_add(accuracy_tally_t *accuracy, const accuracy_row_t *key) {
  accuracy_row_t *row = (accuracy_row_t *)g_hash_table_lookup(accuracy->by_key, key);
  if (row != NULL) return row;
  row = g_new(accuracy_row_t, 1);
  *row = *key;
  row->condition_max = row->term_magnitude_max = row->sum_magnitude_max = (double)NAN;
  g_ptr_array_add(accuracy->rows, row);
  g_hash_table_add(accuracy->by_key, row);
  return row;
}

static void add_error(bool is_known, double error, uint64_t *inout_cases, double *inout_sum,
                      double *inout_max) {
  *inout_max = fmax(*inout_max, error);
  if (!is_known || !isfinite(error)) return;
  *inout_sum += error;
  ++*inout_cases;
}

static void add_figures(accuracy_row_t *row, const case_figures_t *figures) {
  row->operand_elements += figures->operand_elements;
  row->nan_elements += figures->nan_elements;
  row->infinite_elements += figures->infinite_elements;
  row->subnormal_elements += figures->subnormal_elements;
  row->condition_max = fmax(row->condition_max, figures->condition);
  row->term_magnitude_max = fmax(row->term_magnitude_max, figures->term_magnitude);
  row->sum_magnitude_max = fmax(row->sum_magnitude_max, figures->sum_magnitude);
}

void accuracy_tally_add(accuracy_tally_t *accuracy, const accuracy_case_t *instance) {
  const verdict_t *verdict = instance->verdict;
  const case_figures_t *figures = instance->figures;
  bool is_judged = verdict->outcome == OUTCOME_conforms || verdict->outcome == OUTCOME_diverges;
  if (!is_judged || verdict->constraint[0] != '\0' || verdict->component_count == 0) return;
  const accuracy_row_t key = {.executor = instance->executor,
                              .label = *instance->label,
                              .outcome = verdict->outcome,
                              .stratum = instance->stratum,
                              .data = data_kind_of(figures),
                              .terms_bucket = term_bucket(figures->terms),
                              .condition_bucket = condition_bucket(figures->condition)};
  accuracy_row_t *row = find_or_add(accuracy, &key);
  row->cases++;
  row->elements += verdict->component_count;
  row->nanoseconds += instance->nanoseconds;
  add_figures(row, figures);
  add_error(figures->has_reference, verdict->ulp_error_max, &row->ulp_error_cases,
            &row->ulp_error_sum, &row->ulp_error_max);
  add_error(figures->has_sum, verdict->backward_error_max, &row->backward_error_cases,
            &row->backward_error_sum, &row->backward_error_max);
  row->slack_max = fmax(row->slack_max, verdict->slack_max);
}

size_t accuracy_tally_count(const accuracy_tally_t *accuracy) { return accuracy->rows->len; }

accuracy_row_t *accuracy_tally_at(accuracy_tally_t *accuracy, size_t index) {
  return (accuracy_row_t *)g_ptr_array_index(accuracy->rows, index);
}

void accuracy_row_stored(accuracy_row_t *row) {
  row->cases = row->elements = row->operand_elements = 0;
  row->nan_elements = row->infinite_elements = row->subnormal_elements = 0;
  row->nanoseconds = row->ulp_error_cases = row->backward_error_cases = 0;
  row->ulp_error_sum = row->backward_error_sum = 0;
}
