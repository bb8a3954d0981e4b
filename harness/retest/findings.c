/* SPDX-License-Identifier: Apache-2.0 */
/* SQL behind a retest: which findings are due (skipping what an interrupted retest has done) and
 * which cases each has, smallest first. */
#include "harness/retest/findings.h"

#include <inttypes.h>
#include <string.h>

#include "harness/store/store.h"

static void free_row(gpointer data) {
  retest_row_t *row = data;
  g_free(row->signature);
  g_free(row->op);
  g_free(row->algorithm);
  g_free(row->types);
  g_free(row->outcome);
  g_free(row->class_);
  g_free(row->cause);
  g_free(row->state);
  g_free(row->state_after);
  g_free(row->case_line);
  g_free(row->contract);
  g_free(row->seen_state);
  g_free(row);
}

/* The index of the executor called so, or the count. */
static size_t find_executor(const retest_options_t *options, const char *name) {
  size_t i = 0;
  while (i < options->executor_count && strcmp(executor_name(options->executors[i]), name) != 0)
    i++;
  return i;
}

/* ---- Which findings -------------------------------------------------------------------------- */

/* A retest is unfinished if its run was killed, or ended with exit code 3; one that came after the
 * last finished one is resumed. */
static const char FINDINGS_SQL[] =
    "WITH mine AS ("
    "  SELECT run_id, name, version, hardware, started, signature,"
    "         exit_code IS NOT NULL AND exit_code <> 3 AS is_finished"
    "  FROM retest JOIN run USING (run_id) JOIN executor USING (executor_id)"
    "), finished AS ("
    "  SELECT name, version, hardware, max(printf('%s %012d', started, run_id)) AS run FROM mine"
    "  WHERE is_finished GROUP BY name, version, hardware"
    "), done AS ("
    "  SELECT DISTINCT mine.name, mine.version, mine.hardware, signature FROM mine"
    "  LEFT JOIN finished USING (name, version, hardware)"
    "  WHERE NOT is_finished AND printf('%s %012d', started, run_id) > coalesce(finished.run, '')"
    ") "
    "SELECT executor, finding_state.id, signature, op, algorithm, types, outcome, class, cause, "
    "state,"
    "       (SELECT group_concat(version || char(10) || hardware, char(9)) FROM done"
    "        WHERE done.name = executor AND done.signature = finding_state.signature) AS done_by "
    "FROM finding_state ORDER BY executor, id";

enum finding_column {
  FINDING_EXECUTOR,
  FINDING_ID,
  FINDING_SIGNATURE,
  FINDING_OP,
  FINDING_ALGORITHM,
  FINDING_TYPES,
  FINDING_OUTCOME,
  FINDING_CLASS,
  FINDING_CAUSE,
  FINDING_STATE,
  FINDING_DONE_BY, /* "VERSION\nHARDWARE" joined by tabs. */
};

typedef struct reader {
  const retest_options_t *options;
  GPtrArray *rows;
  size_t skipped;
} reader_t;

static bool is_wanted(retest_states_t states, const char *state) {
  bool is_closed = strcmp(state, "fixed") == 0 || strcmp(state, "changed") == 0;
  bool is_waived = strcmp(state, "waived") == 0 || strcmp(state, "waiver-expired") == 0;
  switch (states) {
    case RETEST_OPEN:
      return !is_closed;
    case RETEST_WAIVED:
      return is_waived;
    case RETEST_FIXED:
      return is_closed;
    case RETEST_ALL:
    default:
      return true;
  }
}

static bool was_done(const char *done_by, const executor_t *executor) {
  if (done_by == NULL) return false;
  g_autofree char *me =
      g_strdup_printf("%s\n%s", executor_version(executor), executor_hardware(executor));
  g_auto(GStrv) all = g_strsplit(done_by, "\t", -1);
  return g_strv_contains((const char *const *)all, me);
}

static status_t read_finding(void *context, int column_count, const char *const *names,
                             const store_value_t *values, failure_t *error) {
  (void)column_count, (void)names, (void)error;
  reader_t *reader = context;
  if (values == NULL) return STATUS_OK;
  size_t executor = find_executor(reader->options, values[FINDING_EXECUTOR].text);
  if (executor == reader->options->executor_count ||
      !is_wanted(reader->options->states, values[FINDING_STATE].text)) {
    return STATUS_OK;
  }
  if (reader->options->resumes &&
      was_done(values[FINDING_DONE_BY].text, reader->options->executors[executor])) {
    reader->skipped++;
    return STATUS_OK;
  }
  retest_row_t *row = g_new0(retest_row_t, 1);
  row->id = values[FINDING_ID].integer;
  row->executor = executor;
  row->signature = g_strdup(values[FINDING_SIGNATURE].text);
  row->op = g_strdup(values[FINDING_OP].text);
  row->algorithm = g_strdup(values[FINDING_ALGORITHM].text);
  row->types = g_strdup(values[FINDING_TYPES].text);
  row->outcome = g_strdup(values[FINDING_OUTCOME].text);
  row->class_ = g_strdup(values[FINDING_CLASS].text);
  row->cause = g_strdup(values[FINDING_CAUSE].text);
  row->state = g_strdup(values[FINDING_STATE].text);
  row->state_after = g_strdup(row->state);
  row->case_line = g_strdup("");
  row->contract = g_strdup("");
  row->seen_state = g_strdup("");
  g_ptr_array_add(reader->rows, row);
  return STATUS_OK;
}

status_t retest_read_findings(const retest_options_t *options, GPtrArray **out_rows,
                              size_t *out_skipped, failure_t *error) {
  reader_t reader = {.options = options, .rows = g_ptr_array_new_with_free_func(free_row)};
  status_t status = store_query(options->database, FINDINGS_SQL, read_finding, &reader, error);
  if (status != STATUS_OK) {
    g_ptr_array_unref(reader.rows);
    return status;
  }
  *out_rows = reader.rows;
  *out_skipped = reader.skipped;
  return STATUS_OK;
}

/* ---- Their states afterwards ----------------------------------------------------------------- */

static char *state_key(size_t executor, const char *signature) {
  return g_strdup_printf("%zu %s", executor, signature);
}

typedef struct state_reader {
  const retest_options_t *options;
  GHashTable *states; /* state_key() -> state, both owned. */
} state_reader_t;

static status_t read_state(void *context, int column_count, const char *const *names,
                           const store_value_t *values, failure_t *error) {
  (void)column_count, (void)names, (void)error;
  const state_reader_t *reader = context;
  if (values == NULL) return STATUS_OK;
  size_t executor = find_executor(reader->options, values[0].text);
  g_hash_table_insert(reader->states, state_key(executor, values[1].text),
                      g_strdup(values[2].text));
  return STATUS_OK;
}

/* Leaves what is there if the database has no such finding. */
static void set_state(GHashTable *states, size_t executor, const char *signature,
                      char **inout_state) {
  g_autofree char *key = state_key(executor, signature);
  const char *state = g_hash_table_lookup(states, key);
  if (state == NULL) return;
  g_free(*inout_state);
  *inout_state = g_strdup(state);
}

status_t retest_read_states(const retest_options_t *options, GPtrArray *rows, failure_t *error) {
  static const char sql[] = "SELECT executor, signature, state FROM finding_state";
  state_reader_t reader = {options, g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free)};
  status_t status = store_query(options->database, sql, read_state, &reader, error);
  for (guint i = 0; i < rows->len && status == STATUS_OK; i++) {
    retest_row_t *row = g_ptr_array_index(rows, i);
    set_state(reader.states, row->executor, row->signature, &row->state_after);
    set_state(reader.states, row->executor, row->seen_signature, &row->seen_state);
  }
  g_hash_table_destroy(reader.states);
  return status;
}

/* ---- Their cases ----------------------------------------------------------------------------- */

static void free_case(gpointer data) {
  retest_case_t *kept = data;
  g_free(kept->case_line);
  g_free(kept->contract);
  g_free(kept);
}

static status_t read_case(void *context, int column_count, const char *const *names,
                          const store_value_t *values, failure_t *error) {
  (void)column_count, (void)names, (void)error;
  if (values == NULL) return STATUS_OK;
  retest_case_t *kept = g_new(retest_case_t, 1);
  kept->case_line = g_strdup(values[0].text);
  kept->contract = g_strdup(values[1].text);
  g_ptr_array_add((GPtrArray *)context, kept);
  return STATUS_OK;
}

status_t retest_read_cases(const char *database, int64_t finding_id, GPtrArray **out_cases,
                           failure_t *error) {
  g_autofree char *sql = g_strdup_printf(
      "SELECT case_line, permissions "
      "FROM divergence AS found JOIN executor AS present USING (executor_id) "
      "JOIN executor AS any_version ON any_version.name = present.name "
      "JOIN divergence AS one ON one.executor_id = any_version.executor_id "
      " AND one.signature = found.signature "
      "JOIN reproducer ON reproducer.divergence_id = one.divergence_id "
      "JOIN run ON run.run_id = reproducer.run_id JOIN contract USING (contract_id) "
      "WHERE found.divergence_id = %" PRId64
      " GROUP BY case_line, permissions "
      "ORDER BY min(CASE role WHEN 'shrunk' THEN 1 WHEN 'shortest' THEN 2 ELSE 3 END), "
      "length(case_line), case_line",
      finding_id);
  GPtrArray *cases = g_ptr_array_new_with_free_func(free_case);
  status_t status = store_query(database, sql, read_case, cases, error);
  if (status != STATUS_OK) {
    g_ptr_array_unref(cases);
    return status;
  }
  *out_cases = cases;
  return STATUS_OK;
}
