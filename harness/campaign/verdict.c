/* SPDX-License-Identifier: Apache-2.0 */
/* What a finished campaign comes to: findings that count, and what was judged too little of. */
#include "harness/campaign/status.h"

#include <string.h>

#include "harness/store/store.h"

/* `sql` with every %s replaced by a text between the quotes of SQL. */
static char *fill_in(const char *sql, const char *text) {
  g_auto(GStrv) parts = g_strsplit(text, "'", -1);
  g_autofree char *quoted = g_strjoinv("''", parts);
  GString *filled = g_string_new(sql);
  g_string_replace(filled, "%s", quoted, 0);
  return g_string_free(filled, FALSE);
}

typedef struct judging {
  fail_on_t fail_on;
  campaign_failures_t *failures;
} judging_t;

static status_t take_finding(void *context, int column_count, const char *const *names,
                             const store_value_t *values, failure_t *error) {
  (void)column_count, (void)names, (void)error;
  const judging_t *judging = (const judging_t *)context;
  if (values == NULL) return STATUS_OK;
  if (!fail_on_counts(judging->fail_on, values[1].text, values[2].integer != 0)) return STATUS_OK;
  bool diverged = strcmp(values[0].text, "diverges") == 0;
  judging->failures->diverged |= diverged;
  judging->failures->failed |= !diverged;
  return STATUS_OK;
}

status_t campaign_failures_read(const char *path, const char *name, fail_on_t fail_on,
                                campaign_failures_t *out_failures, failure_t *error) {
  static const char sql[] =
      "SELECT DISTINCT finding_state.outcome, state, is_news FROM finding_state "
      "JOIN executor ON executor.name = finding_state.executor "
      "JOIN divergence ON divergence.executor_id = executor.executor_id "
      "AND divergence.signature = finding_state.signature "
      "JOIN sighting USING (divergence_id) JOIN run ON run.run_id = sighting.run_id "
      "WHERE run.campaign = '%s'";
  *out_failures = (campaign_failures_t){.diverged = false};
  judging_t judging = {fail_on, out_failures};
  g_autofree char *filled = fill_in(sql, name);
  return store_query(path, filled, take_finding, &judging, error);
}

typedef struct telling {
  void (*tell)(void *context, const campaign_share_judged_t *share);
  void *context;
} telling_t;

static status_t take_share(void *context, int column_count, const char *const *names,
                           const store_value_t *values, failure_t *error) {
  (void)column_count, (void)names, (void)error;
  const telling_t *telling = (const telling_t *)context;
  if (values == NULL) return STATUS_OK;
  const campaign_share_judged_t share = {.executor = values[0].text,
                                         .op = values[1].text,
                                         .cases = (uint64_t)values[2].integer,
                                         .judged = (uint64_t)values[3].integer,
                                         .refused = (uint64_t)values[4].integer,
                                         .weak = (uint64_t)values[5].integer,
                                         .no_oracle = (uint64_t)values[6].integer};
  telling->tell(telling->context, &share);
  return STATUS_OK;
}

/* Grouping by both and by the executor alone, whose op is NULL. */
status_t campaign_shortfalls_read(const char *path, const char *name,
                                  void (*tell)(void *context, const campaign_share_judged_t *share),
                                  void *context, failure_t *error) {
  static const char sql[] =
      "WITH counted AS (SELECT name, op, cases, outcome FROM counter JOIN executor USING "
      "(executor_id) JOIN run USING (run_id) WHERE run.campaign = '%s'), "
      "summed AS (SELECT name, op, sum(cases) AS cases, "
      "coalesce(sum(cases) FILTER (WHERE outcome IN ('conforms', 'diverges', 'failed')), 0) AS "
      "judged, "
      "coalesce(sum(cases) FILTER (WHERE outcome = 'refused'), 0) AS refused, "
      "coalesce(sum(cases) FILTER (WHERE outcome = 'weak'), 0) AS weak, "
      "coalesce(sum(cases) FILTER (WHERE outcome = 'no-oracle'), 0) AS no_oracle "
      "FROM counted GROUP BY name, op) "
      "SELECT name, NULL, sum(cases), sum(judged), sum(refused), sum(weak), sum(no_oracle) "
      "FROM summed GROUP BY name HAVING sum(judged) = 0 "
      "UNION ALL SELECT name, op, cases, judged, refused, weak, no_oracle FROM summed "
      "WHERE judged * 2 < cases AND refused < cases";
  telling_t telling = {tell, context};
  g_autofree char *filled = fill_in(sql, name);
  return store_query(path, filled, take_share, &telling, error);
}
