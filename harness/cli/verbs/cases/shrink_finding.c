/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the shortest case of a stored finding with its executor and contract, by one SQL query. */
#include "harness/cli/verbs/cases/shrink_finding.h"

#include <glib.h>

#include "harness/store/store.h"

static status_t take_row(void *context, int column_count, const char *const *names,
                         const store_value_t *values, failure_t *error) {
  (void)column_count;
  (void)names;
  (void)error;
  stored_finding_t *finding = (stored_finding_t *)context;
  if (values == NULL || finding->case_line != NULL) return STATUS_OK;
  finding->case_line = g_strdup(values[0].text);
  finding->executor = g_strdup(values[1].text);
  finding->contract = g_strdup(values[2].text);
  finding->version = g_strdup(values[3].text);
  finding->hardware = g_strdup(values[4].text);
  finding->class_ = g_strdup(values[5].text);
  finding->result = values[6].integer;
  finding->component = values[7].integer;
  finding->got_bits = g_strdup(values[8].text);
  finding->expected = g_strdup(values[9].text);
  finding->sightings = values[10].integer;
  return STATUS_OK;
}

status_t stored_finding_read(const char *database, int64_t id, stored_finding_t *out_finding,
                             failure_t *error) {
  *out_finding = (stored_finding_t){0};
  g_autofree char *sql = g_strdup_printf(
      "SELECT case_line, executor.name, permissions, version, hardware, class, result, component,"
      " got_bits, expected, sightings FROM reproducer"
      " JOIN divergence USING (divergence_id) JOIN executor USING (executor_id)"
      " JOIN run ON run.run_id = reproducer.run_id JOIN contract USING (contract_id)"
      " WHERE divergence_id = %" G_GINT64_FORMAT " ORDER BY length(case_line) LIMIT 1",
      id);
  STATUS_TRY(store_query(database, sql, take_row, out_finding, error));
  if (out_finding->case_line != NULL) return STATUS_OK;
  return status_fail(error, STATUS_INVALID,
                     "no finding %" G_GINT64_FORMAT
                     " in %s; `assay query findings --db %s` lists them",
                     id, database, database);
}

void stored_finding_free(stored_finding_t *finding) {
  g_free(finding->case_line);
  g_free(finding->executor);
  g_free(finding->contract);
  g_free(finding->version);
  g_free(finding->hardware);
  g_free(finding->class_);
  g_free(finding->got_bits);
  g_free(finding->expected);
}
