/* SPDX-License-Identifier: Apache-2.0 */
/* Reads all sections of a report in one transaction, by named queries and a few of its own, and
 * offers typed access to rows and findings. */
#include "reports/overview/overview.h"

#include <string.h>

#include "harness/model/contract.h"
#include "harness/store/reader.h"
#include "reports/overview/overview_states.h"
#include "reports/overview/triage.h"
#include "reports/power/power_stored.h"
#include "reports/report.h"

enum { PASTED_LINE_BYTES_MAX = 2000 };

static const char SLACK_USED[] =
    "WITH bucketed AS ("
    " SELECT executor_id, op, bucket, max(high) AS high, sum(cases) AS cases FROM histogram"
    " WHERE measure = 'slack' AND outcome = 'conforms' GROUP BY executor_id, op, bucket"
    "), running AS ("
    " SELECT *, sum(cases) OVER (same ORDER BY bucket) AS so_far, sum(cases) OVER same AS total"
    " FROM bucketed WINDOW same AS (PARTITION BY executor_id, op)"
    "), ranked AS ("
    " SELECT executor_id, op, max(total) AS cases,"
    "  min(high) FILTER (WHERE so_far >= 0.5 * total) AS p50,"
    "  min(high) FILTER (WHERE so_far >= 0.9 * total) AS p90,"
    "  min(high) FILTER (WHERE so_far >= 0.99 * total) AS p99, max(high) AS p100"
    " FROM running GROUP BY executor_id, op"
    "), extreme AS ("
    " SELECT executor_id, op, max(slack_max) AS most FROM counter WHERE outcome = 'conforms'"
    " GROUP BY executor_id, op"
    "), known AS ("
    " SELECT ranked.*, coalesce(most, p100) AS maximum"
    " FROM ranked LEFT JOIN extreme USING (executor_id, op)"
    ") SELECT executor, op, cases, min(p50, maximum) AS p50, min(p90, maximum) AS p90,"
    " min(p99, maximum) AS p99, maximum AS max FROM known JOIN executor_label USING (executor_id)"
    " ORDER BY maximum DESC, executor, op";

static const char FINDINGS[] =
    "SELECT id, severity, severity_rank, severity_weight, data_extent, relative_error, executor,"
    " name AS executor_name, version AS executor_version, hardware, signature, permissions, op,"
    " algorithm,"
    " types, outcome, class, hypothesis, family, known, known_words,"
    " broken_constraint, sightings, first_seen, last_seen, first_campaign, slack, ulp_error,"
    " small_wrong_count, small_component_count, small_got, small_expected, reason, cause,"
    " cause_words, pattern, small_case_line, small_case_seed, is_shrunk, twin,"
    " first_campaign = (SELECT campaign FROM campaign ORDER BY number DESC LIMIT 1) AS is_new"
    " FROM finding JOIN executor USING (executor_id) JOIN run ON run.run_id = last_run_id"
    " JOIN contract USING (contract_id)";

static const char GRAVEST_FIRST[] =
    " ORDER BY severity_rank, severity_weight DESC, sightings DESC, id";

static const struct {
  const char *name;
  const char *sql; /* NULL: the named query; "": none. */
} SECTIONS[OVERVIEW_SECTION_COUNT] = {
    [OVERVIEW_TOTALS] = {"totals", NULL},
    [OVERVIEW_UNJUDGED] = {"unjudged", NULL},
    [OVERVIEW_CAUSES] = {"causes", ""}, /* triage_add_rows() */
    [OVERVIEW_KNOWN] = {"known", ""},   /* read_known() */
    [OVERVIEW_ALGORITHMS] = {"by-algorithm", NULL},
    [OVERVIEW_PERCENTILES] = {"percentiles", NULL},
    [OVERVIEW_HISTOGRAM] = {"histogram", NULL},
    [OVERVIEW_SLACK_USED] = {"slack-used", SLACK_USED},
    [OVERVIEW_TREND] = {"trend", NULL},
    [OVERVIEW_TWINS] = {"twin-verdicts", NULL},
    [OVERVIEW_CONSTRAINTS] = {"constraints", NULL},
    [OVERVIEW_TIME] = {"time", NULL},
    [OVERVIEW_VERSIONS] = {"versions", NULL},
    [OVERVIEW_RUNS] = {"runs", NULL},
    [OVERVIEW_POWER] = {"power", power_stored_sql},
    [OVERVIEW_FINDINGS] = {"findings", ""}, /* read_findings() */
};

const char *overview_section_name(overview_section_t section) { return SECTIONS[section].name; }

static status_t read_sections(store_reader_t *reader, overview_detail_t detail,
                              overview_t *overview, failure_t *error) {
  STATUS_TRY(store_reader_keep(reader, "campaign", "campaign", error));
  STATUS_TRY(store_reader_keep(reader, "algorithm_tally", "executor_id", error));
  for (int i = 0; i < OVERVIEW_SECTION_COUNT; i++) {
    const char *sql =
        SECTIONS[i].sql != NULL ? SECTIONS[i].sql : report_find_query(SECTIONS[i].name);
    bool is_detail = i == OVERVIEW_PERCENTILES;
    if (sql[0] == '\0' || (is_detail && detail != OVERVIEW_ALL)) continue;
    STATUS_TRY(store_reader_query(reader, sql, report_grid_add, &overview->sections[i], error));
  }
  return STATUS_OK;
}

/* As the named query `known`, of what triage_read() has counted: that asks all findings again,
 * which took a third of the time of a page of a million. */
static status_t read_known(store_reader_t *reader, overview_t *overview, failure_t *error) {
  static const char prefix[] = "known ";
  g_autoptr(GString) sql = g_string_new(
      "WITH seen (number, executor_id, id, findings, sightings) AS (VALUES (0, 0, '', 0, 0)");
  for (guint i = 0; i < overview->groups->len; i++) {
    const overview_group_t *group = &g_array_index(overview->groups, overview_group_t, i);
    if (!g_str_has_prefix(group->hypothesis, prefix)) continue;
    g_auto(GStrv) parts = g_strsplit(group->hypothesis + strlen(prefix), "'", -1);
    g_autofree char *id = g_strjoinv("''", parts);
    g_string_append_printf(sql, ", (%u, %" G_GINT64_FORMAT ", '%s', %zu, %.0f)", i,
                           group->executor_id, id, group->count, group->sightings);
  }
  g_string_append(sql,
                  ") SELECT seen.id, executor_label.executor, seen.findings, seen.sightings, title,"
                  " why, clause, links, affected, mended, regressed, found"
                  " FROM seen JOIN (SELECT * FROM known GROUP BY id) AS known ON known.id = seen.id"
                  " JOIN executor_label USING (executor_id) ORDER BY seen.number");
  return store_reader_query(reader, sql->str, report_grid_add, &overview->sections[OVERVIEW_KNOWN],
                            error);
}

/* As short as it can be said; nothing for the contract that is the default.  `identified` predicts
 * with the profiles of the database. */
static char *contract_option(const overview_t *overview, const char *permissions) {
  contract_t contract;
  if (contract_parse(str_from(permissions), &contract, NULL) != STATUS_OK) return g_strdup("");
  g_autoptr(GString) words = g_string_new(NULL);
  contract_print_short(&contract, words);
  if (strcmp(words->str, "backend") == 0) return g_strdup("");
  g_autofree char *quoted = g_shell_quote(words->str);
  if (PERMITTED(&contract, bits) != BITS_IDENTIFIED) {
    return g_strdup_printf(" --contract %s", quoted);
  }
  g_autofree char *database = g_shell_quote(overview->database);
  return g_strdup_printf(" --contract %s --db %s", quoted, database);
}

/* Of each contract once: findings have few. */
static void find_contract_options(overview_t *overview) {
  const report_grid_t *grid = &overview->sections[OVERVIEW_FINDINGS];
  overview->contract_options = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
  for (size_t i = 0; i < report_grid_row_count(grid); i++) {
    const char *permissions = overview_text(grid, i, "permissions");
    if (g_hash_table_contains(overview->contract_options, permissions)) continue;
    g_hash_table_insert(overview->contract_options, (gpointer)(uintptr_t)permissions,
                        contract_option(overview, permissions));
  }
}

/* Those with the numbers in `ids`, or all if it is NULL. */
static status_t read_findings(store_reader_t *reader, const GArray *ids, overview_t *overview,
                              failure_t *error) {
  g_autoptr(GString) sql = g_string_new(FINDINGS);
  for (guint i = 0; ids != NULL && i < ids->len; i++) {
    g_string_append_printf(sql, "%s%" G_GINT64_FORMAT, i == 0 ? " WHERE id IN (" : ",",
                           g_array_index(ids, int64_t, i));
  }
  if (ids != NULL) g_string_append(sql, ids->len == 0 ? " WHERE false" : ")");
  g_string_append(sql, GRAVEST_FIRST);
  report_grid_t *grid = &overview->sections[OVERVIEW_FINDINGS];
  STATUS_TRY(store_reader_query(reader, sql->str, report_grid_add, grid, error));
  overview->places = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
  for (size_t i = 0; i < report_grid_row_count(grid); i++) {
    int64_t *id = g_new(int64_t, 1);
    *id = overview_cell(grid, i, "id")->integer;
    g_hash_table_insert(overview->places, id, GSIZE_TO_POINTER(i + 1));
  }
  find_contract_options(overview);
  return STATUS_OK;
}

static status_t read_all(store_reader_t *reader, const char *path, overview_detail_t detail,
                         overview_t *overview, failure_t *error) {
  STATUS_TRY(read_sections(reader, detail, overview, error));
  STATUS_TRY(triage_read(reader, overview, error));
  STATUS_TRY(read_known(reader, overview, error));
  g_autoptr(GArray) shown = triage_shown(overview);
  const GArray *ids = detail == OVERVIEW_ALL ? NULL : shown;
  STATUS_TRY(read_findings(reader, ids, overview, error));
  STATUS_TRY(overview_read_states(path, ids, &overview->states, error));
  triage_add_rows(overview);
  return STATUS_OK;
}

status_t overview_read(const report_source_t *source, overview_detail_t detail,
                       overview_t *out_overview, failure_t *error) {
  store_reader_t *reader = NULL;
  STATUS_TRY(report_open(source, &reader, error));
  g_autofree char *name = g_path_get_basename(source->path);
  *out_overview =
      (overview_t){.database = g_utf8_make_valid(name, -1), .campaign = g_strdup(source->campaign)};
  for (int i = 0; i < OVERVIEW_SECTION_COUNT; i++) report_grid_init(&out_overview->sections[i]);
  status_t status = read_all(reader, source->path, detail, out_overview, error);
  store_reader_close(reader);
  if (status != STATUS_OK) overview_free(out_overview);
  return status;
}

void overview_free(overview_t *overview) {
  for (int i = 0; i < OVERVIEW_SECTION_COUNT; i++) report_grid_deinit(&overview->sections[i]);
  g_clear_pointer(&overview->states, g_hash_table_destroy);
  g_clear_pointer(&overview->places, g_hash_table_destroy);
  g_clear_pointer(&overview->contract_options, g_hash_table_destroy);
  g_clear_pointer(&overview->groups, g_array_unref);
  g_clear_pointer(&overview->names, g_string_chunk_free);
  g_free(overview->database);
  g_free(overview->campaign);
}

const store_value_t *overview_cell(const report_grid_t *grid, size_t row, const char *column) {
  for (int i = 0; i < grid->column_count; i++) {
    if (strcmp(report_grid_name(grid, i), column) == 0) return report_grid_cell(grid, row, i);
  }
  g_error("no column %s", column); /* The queries are our own. */
}

const char *overview_text(const report_grid_t *grid, size_t row, const char *column) {
  const store_value_t *value = overview_cell(grid, row, column);
  return value->text == NULL ? "" : value->text;
}

double overview_number(const report_grid_t *grid, size_t row, const char *column) {
  const store_value_t *value = overview_cell(grid, row, column);
  return value->kind == STORE_INTEGER || value->kind == STORE_REAL ? value->real : 0;
}

double overview_total(const overview_t *overview, const char *column) {
  return overview_number(&overview->sections[OVERVIEW_TOTALS], 0, column);
}

size_t overview_finding_count(const overview_t *overview) {
  return report_grid_row_count(&overview->sections[OVERVIEW_FINDINGS]);
}

size_t overview_find_id(const overview_t *overview, int64_t id) {
  size_t place = GPOINTER_TO_SIZE(g_hash_table_lookup(overview->places, &id));
  return place == 0 ? overview_finding_count(overview) : place - 1;
}

overview_finding_t overview_finding(const overview_t *overview, size_t index) {
  const report_grid_t *grid = &overview->sections[OVERVIEW_FINDINGS];
  return (overview_finding_t){
      .id = overview_cell(grid, index, "id")->integer,
      .executor = overview_text(grid, index, "executor"),
      .op = overview_text(grid, index, "op"),
      .algorithm = overview_text(grid, index, "algorithm"),
      .types = overview_text(grid, index, "types"),
      .class_ = overview_text(grid, index, "class"),
      .severity = overview_text(grid, index, "severity"),
      .hypothesis = overview_text(grid, index, "hypothesis"),
      .family = overview_text(grid, index, "family"),
      .known = overview_text(grid, index, "known_words"),
      .outcome = overview_text(grid, index, "outcome"),
      .broken_constraint = overview_text(grid, index, "broken_constraint"),
      .cause = overview_text(grid, index, "cause"),
      .cause_words = overview_text(grid, index, "cause_words"),
      .pattern = overview_text(grid, index, "pattern"),
      .got = overview_text(grid, index, "small_got"),
      .expected = overview_text(grid, index, "small_expected"),
      .reason = overview_text(grid, index, "reason"),
      .case_line = overview_text(grid, index, "small_case_line"),
      .first_seen = overview_text(grid, index, "first_seen"),
      .last_seen = overview_text(grid, index, "last_seen"),
      .sightings = overview_number(grid, index, "sightings"),
      .wrong_count = overview_number(grid, index, "small_wrong_count"),
      .component_count = overview_number(grid, index, "small_component_count"),
      .severity_rank = overview_number(grid, index, "severity_rank"),
      .is_shrunk = overview_number(grid, index, "is_shrunk") != 0,
      .is_new = overview_number(grid, index, "is_new") != 0,
  };
}

char *overview_program_line(const overview_t *overview, size_t index) {
  const char *line =
      overview_text(&overview->sections[OVERVIEW_FINDINGS], index, "small_case_line");
  const char *data = strstr(line, " : ");
  return data == NULL ? g_strdup(line) : g_strndup(line, (gsize)(data - line));
}

/* A long line is drawn again from its seed; where it has none, the database hands it out. */
static void append_case(const overview_t *overview, size_t index, GString *out_text) {
  const report_grid_t *grid = &overview->sections[OVERVIEW_FINDINGS];
  const char *line = overview_text(grid, index, "small_case_line");
  const char *seed = overview_text(grid, index, "small_case_seed");
  if (strlen(line) <= PASTED_LINE_BYTES_MAX) {
    g_autofree char *quoted = g_shell_quote(line);
    g_string_append_printf(out_text, "assay replay %s", quoted);
  } else if (strcmp(seed, "0") != 0) {
    g_autofree char *program = overview_program_line(overview, index);
    g_autofree char *quoted = g_shell_quote(program);
    g_string_append_printf(out_text, "assay gen --program %s --case-seed %s | assay replay -",
                           quoted, seed);
  } else {
    g_autofree char *database = g_shell_quote(overview->database);
    g_string_append_printf(out_text,
                           "sqlite3 %s 'SELECT small_case_line FROM finding WHERE id = %s' | assay "
                           "replay -",
                           database, overview_text(grid, index, "id"));
  }
}

void overview_print_replay(const overview_t *overview, size_t index, GString *out_text) {
  const report_grid_t *grid = &overview->sections[OVERVIEW_FINDINGS];
  append_case(overview, index, out_text);
  g_autofree char *executor = g_shell_quote(overview_text(grid, index, "executor_name"));
  g_string_append_printf(out_text, " --executor %s", executor);
  g_string_append(out_text, g_hash_table_lookup(overview->contract_options,
                                                overview_text(grid, index, "permissions")));
  const char *class_ = overview_text(grid, index, "class");
  static const char *const fatal[] = {"crash", "ended", "hang", NULL};
  if (g_strv_contains(fatal, class_)) {
    g_string_append(out_text, " --isolate");
  }
  const char *twin = overview_text(grid, index, "twin");
  if (twin[0] == '\0') return;
  g_autofree char *quoted = g_shell_quote(twin);
  g_string_append_printf(out_text, " --twin %s", quoted);
}

void overview_print_finding(const overview_t *overview, size_t index, GString *out_text) {
  overview_finding_t finding = overview_finding(overview, index);
  g_string_append(out_text, finding.class_);
  if (finding.broken_constraint[0] != '\0') {
    g_string_append_printf(out_text, ": accepts what breaks %s", finding.broken_constraint);
  }
  if (finding.got[0] != '\0') {
    g_string_append_printf(out_text, ": %s, expected %s", finding.got, finding.expected);
  }
  if (finding.reason[0] != '\0') g_string_append_printf(out_text, ": %s", finding.reason);
  if (finding.known[0] != '\0') g_string_append_printf(out_text, "; known: %s", finding.known);
  const char *cause = finding.cause_words[0] != '\0' ? finding.cause_words : finding.cause;
  if (cause[0] != '\0') g_string_append_printf(out_text, "; cause: %s", cause);
  if (finding.pattern[0] != '\0') g_string_append_printf(out_text, "; %s", finding.pattern);
}

size_t overview_find(const overview_t *overview, const char *executor, const char *op,
                     const char *algorithm) {
  size_t count = overview_finding_count(overview);
  for (size_t i = 0; i < count; i++) {
    overview_finding_t finding = overview_finding(overview, i);
    if (strcmp(finding.executor, executor) == 0 && strcmp(finding.op, op) == 0 &&
        strcmp(finding.algorithm, algorithm) == 0) {
      return i;
    }
  }
  return count;
}
