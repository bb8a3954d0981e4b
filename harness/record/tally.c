/* SPDX-License-Identifier: Apache-2.0 */
/* Hash table of counters with interned labels. The last row per executor is kept at hand, because
 * nearly every case falls into the same row as the one before. */
#include "harness/record/tally.h"

#include <math.h>
#include <string.h>

enum { RECENT_COUNT = 64 };

struct tally {
  GPtrArray *rows;     /* Owned tally_row_t, in order of first appearance. */
  GHashTable *by_key;  /* Borrowed rows; a row is its own key. */
  GStringChunk *texts; /* Labels, implementations and reasons, each once. */
  GString *scratch;
  /* Where the last cases were counted, by executor: nearly every case has the row of the one
   * before, so its key need not be hashed. */
  tally_row_t *recent[RECENT_COUNT];
  tally_row_t *last; /* Where the last case was counted, or NULL. */
};

static guint row_hash(gconstpointer pointer) {
  const tally_row_t *row = (const tally_row_t *)pointer;
  guint hash = (guint)row->executor * 31 + (guint)row->outcome;
  hash = hash * 2 + (row->is_invalid ? 1 : 0);
  hash = hash * 31 + (guint)row->class_;
  hash = hash * 31 + g_direct_hash(row->label.op);
  hash = hash * 31 + g_direct_hash(row->label.algorithm);
  hash = hash * 31 + g_direct_hash(row->label.types);
  return hash * 31 + g_str_hash(row->implementation);
}

static gboolean row_equal(gconstpointer a, gconstpointer b) {
  const tally_row_t *left = (const tally_row_t *)a;
  const tally_row_t *right = (const tally_row_t *)b;
  return left->executor == right->executor && left->is_invalid == right->is_invalid &&
         left->outcome == right->outcome && left->class_ == right->class_ &&
         left->label.op == right->label.op && left->label.algorithm == right->label.algorithm &&
         left->label.types == right->label.types &&
         strcmp(left->implementation, right->implementation) == 0;
}

static void row_free(gpointer pointer) {
  tally_row_t *row = (tally_row_t *)pointer;
  measure_histogram_deinit(&row->ulp);
  measure_histogram_deinit(&row->slack);
  if (row->constraints != NULL) g_array_unref(row->constraints);
  g_free(row);
}

tally_t *tally_new(void) {
  tally_t *tally = g_new0(tally_t, 1);
  tally->rows = g_ptr_array_new_with_free_func(row_free);
  tally->by_key = g_hash_table_new(row_hash, row_equal);
  tally->texts = g_string_chunk_new(4096);
  tally->scratch = g_string_new(NULL);
  return tally;
}

void tally_free(tally_t *tally) {
  g_hash_table_destroy(tally->by_key);
  g_ptr_array_unref(tally->rows);
  g_string_chunk_free(tally->texts);
  g_string_free(tally->scratch, TRUE);
  g_free(tally);
}

tally_label_t tally_label(tally_t *tally, const program_t *program) {
  GString *algorithm = g_string_new(NULL);
  program->op->print_algorithm(program, algorithm);
  tally_label_t label = tally_label_named(tally, program, program->op->name, algorithm->str);
  g_string_free(algorithm, TRUE);
  return label;
}

tally_label_t tally_label_named(tally_t *tally, const program_t *program, const char *op,
                                const char *algorithm) {
  tally_label_t label;
  label.op = g_string_chunk_insert_const(tally->texts, op);
  label.algorithm = g_string_chunk_insert_const(tally->texts, algorithm);
  g_string_truncate(tally->scratch, 0);
  program_print_types(program, tally->scratch);
  label.types = g_string_chunk_insert_const(tally->texts, tally->scratch->str);
  return label;
}

static tally_row_t *find_or_add(tally_t *tally, const tally_row_t *key, const char *reason) {
  tally_row_t *row = (tally_row_t *)g_hash_table_lookup(tally->by_key, key);
  if (row != NULL) return row;
  row = g_new0(tally_row_t, 1);
  *row = *key;
  row->implementation = g_string_chunk_insert_const(tally->texts, key->implementation);
  row->reason = g_string_chunk_insert_const(tally->texts, reason);
  g_ptr_array_add(tally->rows, row);
  g_hash_table_add(tally->by_key, row);
  return row;
}

static void count_constraint(tally_t *tally, tally_row_t *row, const char *id) {
  if (row->constraints == NULL) {
    row->constraints = g_array_new(FALSE, FALSE, sizeof(tally_constraint_t));
  }
  for (guint i = 0; i < row->constraints->len; i++) {
    tally_constraint_t *count = &g_array_index(row->constraints, tally_constraint_t, i);
    if (strcmp(count->id, id) != 0) continue;
    count->cases++;
    return;
  }
  const tally_constraint_t first = {.id = g_string_chunk_insert_const(tally->texts, id),
                                    .cases = 1};
  g_array_append_val(row->constraints, first);
}

/* Of two numbers of draws, of which 0 stands for no sample. */
static uint64_t fewer_draws(uint64_t a, uint64_t b) {
  if (a == 0 || b == 0) return a + b;
  return MIN(a, b);
}

/* fmax() ignores NaN, which no extreme may become. */
void tally_add(tally_t *tally, size_t executor, const tally_label_t *label,
               const verdict_t *verdict, const char *implementation) {
  tally_row_t **recent = executor < RECENT_COUNT ? &tally->recent[executor] : NULL;
  tally_row_t key = {.executor = executor,
                     .label = *label,
                     .is_invalid = verdict->constraint[0] != '\0',
                     .outcome = verdict->outcome,
                     .class_ = verdict->class_,
                     .implementation = implementation};
  tally_row_t *row = recent == NULL ? NULL : *recent;
  if (row == NULL || !row_equal(row, &key)) row = find_or_add(tally, &key, verdict->reason);
  if (recent != NULL) *recent = row;
  tally->last = row;
  row->cases++;
  row->elements += verdict->component_count;
  row->untested += verdict->untested_count;
  row->left_out += verdict->left_out_count;
  row->sampled += verdict->left_out_count > 0;
  row->sample_draws = fewer_draws(row->sample_draws, verdict->sample_draws);
  row->ulp_error_max = fmax(row->ulp_error_max, verdict->ulp_error_max);
  row->slack_max = fmax(row->slack_max, verdict->slack_max);
  row->backward_error_max = fmax(row->backward_error_max, verdict->backward_error_max);
  if (row->is_invalid) count_constraint(tally, row, verdict->constraint);
  bool is_judged = row->outcome == OUTCOME_conforms || row->outcome == OUTCOME_diverges;
  if (!is_judged || row->is_invalid || verdict->component_count == 0) return;
  measure_histogram_add(&row->ulp, verdict->ulp_error_max);
  measure_histogram_add(&row->slack, verdict->slack_max);
}

void tally_add_times(tally_t *tally, const case_runner_times_t *times) {
  case_runner_times_t *sum = &tally->last->times;
  sum->oracle += times->oracle;
  sum->compile += times->compile;
  sum->executor += times->executor;
  sum->judge += times->judge;
  sum->cause += times->cause;
}

void tally_add_refused(tally_t *tally, size_t executor, const char *op, const char *types,
                       const char *reason) {
  const tally_row_t key = {.executor = executor,
                           .label = {.op = g_string_chunk_insert_const(tally->texts, op),
                                     .algorithm = g_string_chunk_insert_const(tally->texts, ""),
                                     .types = g_string_chunk_insert_const(tally->texts, types)},
                           .outcome = OUTCOME_refused,
                           .implementation = ""};
  tally_row_t *row = find_or_add(tally, &key, reason);
  row->cases++;
  row->asked++;
}

size_t tally_count(const tally_t *tally) { return tally->rows->len; }

tally_row_t *tally_at(tally_t *tally, size_t index) {
  return (tally_row_t *)g_ptr_array_index(tally->rows, index);
}

tally_elements_t tally_elements(const tally_t *tally) {
  tally_elements_t elements = {0};
  for (guint i = 0; i < tally->rows->len; i++) {
    const tally_row_t *row = (const tally_row_t *)g_ptr_array_index(tally->rows, i);
    elements.judged += row->elements;
    elements.untested += row->untested;
    elements.left_out += row->left_out;
    elements.sampled += row->sampled;
    elements.sample_draws = fewer_draws(elements.sample_draws, row->sample_draws);
  }
  return elements;
}

uint64_t tally_cases(const tally_t *tally, outcome_t outcome) {
  uint64_t cases = 0;
  for (guint i = 0; i < tally->rows->len; i++) {
    const tally_row_t *row = (const tally_row_t *)g_ptr_array_index(tally->rows, i);
    if (row->outcome == outcome) cases += row->cases;
  }
  return cases;
}
