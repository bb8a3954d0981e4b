/* SPDX-License-Identifier: Apache-2.0 */
/* Totals of a campaign by one SQL query, the status file for other programs, and the progress line
 * for people. */
#include "harness/campaign/status.h"

#include <jansson.h>
#include <math.h>

#include "harness/store/store.h"

/* ---- Totals ---------------------------------------------------------------------------------- */

static const char TOTALS_SQL[] =
    "WITH of_campaign AS (SELECT * FROM run WHERE campaign = '%s'), "
    "counted AS (SELECT outcome, sum(cases) AS cases FROM counter "
    "WHERE run_id IN (SELECT run_id FROM of_campaign) GROUP BY outcome), "
    "seen AS (SELECT DISTINCT divergence_id FROM sighting "
    "WHERE run_id IN (SELECT run_id FROM of_campaign)) "
    "SELECT (SELECT coalesce(sum(cases), 0) FROM counted), "
    "(SELECT coalesce(sum(cases), 0) FROM counted WHERE outcome = 'diverges'), "
    "(SELECT coalesce(sum(cases), 0) FROM counted WHERE outcome = 'failed'), "
    "(SELECT coalesce(sum(cases), 0) FROM counted "
    "WHERE outcome IN ('refused', 'weak', 'no-oracle')), "
    "(SELECT count(*) FROM seen), "
    "(SELECT count(*) FROM seen WHERE NOT EXISTS (SELECT 1 FROM sighting JOIN run USING (run_id) "
    "WHERE sighting.divergence_id = seen.divergence_id AND campaign <> '%s')), "
    "coalesce(sum(seconds), 0.0), coalesce(sum(oracle_seconds), 0.0), "
    "coalesce(sum(compile_seconds), 0.0), coalesce(sum(executor_seconds), 0.0), "
    "coalesce(sum(judge_seconds), 0.0) FROM of_campaign";

static status_t take_totals(void *context, int column_count, const char *const *names,
                            const store_value_t *values, failure_t *error) {
  (void)column_count;
  (void)names;
  (void)error;
  if (values == NULL) return STATUS_OK;
  *(campaign_totals_t *)context = (campaign_totals_t){
      .cases = (uint64_t)values[0].integer,
      .diverging = (uint64_t)values[1].integer,
      .failed = (uint64_t)values[2].integer,
      .unjudged = (uint64_t)values[3].integer,
      .findings = (uint64_t)values[4].integer,
      .findings_new = (uint64_t)values[5].integer,
      .seconds = values[6].real,
      .oracle_seconds = values[7].real,
      .compile_seconds = values[8].real,
      .executor_seconds = values[9].real,
      .judge_seconds = values[10].real,
  };
  return STATUS_OK;
}

/* A text between the quotes of SQL. */
static char *quote(const char *text) {
  g_auto(GStrv) parts = g_strsplit(text, "'", -1);
  return g_strjoinv("''", parts);
}

status_t campaign_totals_read(const char *path, const char *name, campaign_totals_t *out_totals,
                              failure_t *error) {
  g_autofree char *quoted = quote(name);
  GString *sql = g_string_new(TOTALS_SQL);
  g_string_replace(sql, "%s", quoted, 0);
  status_t status = store_query(path, sql->str, take_totals, out_totals, error);
  g_string_free(sql, TRUE);
  return status;
}

/* ---- status.json ----------------------------------------------------------------------------- */

static json_t *describe_totals(const campaign_totals_t *totals) {
  return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "cases", (json_int_t)totals->cases,
                   "diverging", (json_int_t)totals->diverging, "failed", (json_int_t)totals->failed,
                   "unjudged", (json_int_t)totals->unjudged, "findings",
                   (json_int_t)totals->findings, "findings_new", (json_int_t)totals->findings_new);
}

static json_t *describe_times(const campaign_totals_t *totals) {
  return json_pack("{s:f, s:f, s:f, s:f, s:f}", "all", totals->seconds, "oracle",
                   totals->oracle_seconds, "compile", totals->compile_seconds, "executor",
                   totals->executor_seconds, "judge", totals->judge_seconds);
}

static json_t *describe(const campaign_status_t *status) {
  json_t *workers = json_array();
  for (size_t i = 0; i < status->worker_count; i++) {
    const campaign_worker_status_t *worker = &status->workers[i];
    json_array_append_new(workers, json_pack("{s:s?, s:s?, s:f}", "executor", worker->executor,
                                             "doing", worker->doing, "seconds", worker->seconds));
  }
  json_t *executors = json_array();
  for (size_t i = 0; i < status->executor_count; i++) {
    const campaign_executor_status_t *executor = &status->executors[i];
    json_array_append_new(
        executors,
        json_pack("{s:s, s:f, s:b, s:b}", "name", executor->name, "seconds", executor->seconds,
                  "isolated", executor->isolated, "set_aside", executor->set_aside));
  }
  json_t *messages = json_array();
  for (const char *const *message = status->messages; *message != NULL; message++) {
    json_array_append_new(messages, json_string(*message));
  }
  return json_pack("{s:s, s:s, s:s, s:o, s:f, s:f, s:f, s:o, s:o, s:o, s:o, s:o}", "name",
                   status->name, "state", status->state, "started", status->started, "seed",
                   json_sprintf("%" G_GUINT64_FORMAT, status->seed), "seconds_spent",
                   status->seconds_spent, "seconds_total", status->seconds_total,
                   "cases_per_second", status->cases_per_second, "totals",
                   describe_totals(&status->totals), "seconds", describe_times(&status->totals),
                   "workers", workers, "executors", executors, "messages", messages);
}

status_t campaign_status_write(const char *path, const campaign_status_t *status,
                               failure_t *error) {
  json_t *document = describe(status);
  if (document == NULL) return status_fail(error, STATUS_IO, "cannot describe the campaign");
  char *text = json_dumps(document, JSON_INDENT(2));
  json_decref(document);
  g_autoptr(GError) failure = NULL;
  gboolean written = g_file_set_contents(path, text, -1, &failure);
  free(text);
  return written ? STATUS_OK : status_fail(error, STATUS_IO, "%s", failure->message);
}

/* ---- The progress line ----------------------------------------------------------------------- */

static void print_clock(double seconds, GString *text) {
  unsigned whole = (unsigned)fmax(seconds, 0);
  g_string_append_printf(text, "%02u:%02u:%02u", whole / 3600, whole / 60 % 60, whole % 60);
}

static void print_count(uint64_t count, GString *text) {
  if (count < 100000) {
    g_string_append_printf(text, "%" G_GUINT64_FORMAT, count);
  } else if (count < 10000000) {
    g_string_append_printf(text, "%.0fk", (double)count / 1e3);
  } else {
    g_string_append_printf(text, "%.1fM", (double)count / 1e6);
  }
}

void campaign_status_print(const campaign_status_t *status, GString *out_text) {
  const campaign_totals_t *totals = &status->totals;
  g_string_append_c(out_text, '[');
  print_clock(status->seconds_spent, out_text);
  g_string_append(out_text, " / ");
  print_clock(status->seconds_total, out_text);
  g_string_append(out_text, "] ");
  print_count(totals->cases, out_text);
  g_string_append_printf(
      out_text, " cases %.0f/s, %" G_GUINT64_FORMAT " findings (%" G_GUINT64_FORMAT " new)",
      status->cases_per_second, totals->findings, totals->findings_new);
  double all = fmax(totals->seconds, 1e-9);
  double known = totals->oracle_seconds + totals->executor_seconds + totals->compile_seconds;
  g_string_append_printf(out_text, ", oracle %.0f%% executors %.0f%% compiling %.0f%% rest %.0f%%",
                         100 * totals->oracle_seconds / all, 100 * totals->executor_seconds / all,
                         100 * totals->compile_seconds / all, 100 * fmax(0, 1 - known / all));
}
