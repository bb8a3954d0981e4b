/* SPDX-License-Identifier: Apache-2.0 */
/* Compares two versions of an executor by SQL over one database (findings, bits, refusals,
 * profiles) and fills one grid per part; totals are sums over these grids. */
#include "reports/comparison.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "reports/report.h"

/* {A} and {B} stand for the numbers of the executors. */
static const char FINDINGS_SQL[] =
    "WITH a AS (SELECT * FROM divergence WHERE executor_id = {A}), "
    "b AS (SELECT * FROM divergence WHERE executor_id = {B}), "
    "sign AS (SELECT signature FROM a UNION SELECT signature FROM b), "
    "asked AS (SELECT executor_id, signature, result, max(printf('%s %012d', tested, run_id)) "
    " FROM retest WHERE executor_id IN ({A}, {B}) GROUP BY executor_id, signature), "
    "shown AS (SELECT executor_id, signature, "
    " substr(min(printf('%09d', length(case_line)) || case_line), 10) AS case_line "
    " FROM divergence JOIN reproducer USING (divergence_id) "
    " WHERE executor_id IN ({A}, {B}) GROUP BY executor_id, signature) "
    "SELECT CASE WHEN b.signature IS NULL THEN 'before' WHEN a.signature IS NULL THEN 'after' "
    " ELSE 'both' END AS seen, "
    "coalesce(a.op, b.op) AS op, coalesce(a.algorithm, b.algorithm) AS algorithm, "
    "coalesce(a.types, b.types) AS types, coalesce(a.outcome, b.outcome) AS outcome, "
    "coalesce(a.class, b.class) AS class, "
    "coalesce(a.sightings, 0) AS before, coalesce(b.sightings, 0) AS after, "
    "CASE WHEN b.signature IS NULL THEN coalesce(asked_b.result, 'not asked') "
    " WHEN a.signature IS NULL THEN coalesce(asked_a.result, 'not asked') ELSE '' END "
    " AS \"retest of the other\", "
    "sign.signature, coalesce(shown_b.case_line, shown_a.case_line) AS \"case\" "
    "FROM sign LEFT JOIN a USING (signature) LEFT JOIN b USING (signature) "
    "LEFT JOIN asked AS asked_a ON asked_a.executor_id = {A} "
    " AND asked_a.signature = sign.signature "
    "LEFT JOIN asked AS asked_b ON asked_b.executor_id = {B} "
    " AND asked_b.signature = sign.signature "
    "LEFT JOIN shown AS shown_a ON shown_a.executor_id = {A} "
    " AND shown_a.signature = sign.signature "
    "LEFT JOIN shown AS shown_b ON shown_b.executor_id = {B} "
    " AND shown_b.signature = sign.signature "
    "ORDER BY CASE WHEN a.signature IS NULL THEN 1 WHEN b.signature IS NULL THEN 2 ELSE 3 END, "
    "2, 3, 4, sign.signature";

#define BOTH_SIDES                                                 \
  "FROM result_bits AS a JOIN result_bits AS b USING (case_hash) " \
  "JOIN bits_case USING (case_hash) "                              \
  "WHERE a.executor_id = {A} AND b.executor_id = {B} "

/* The case is the shortest one whose bits changed, one where both conform if there is one. */
static const char BITS_SQL[] =
    "SELECT op, algorithm, types, count(*) AS cases, sum(a.bits = b.bits) AS same, "
    "sum(a.bits <> b.bits AND a.outcome = 'conforms' AND b.outcome = 'conforms') "
    " AS \"changed, both conform\", "
    "sum(a.bits <> b.bits AND a.outcome <> 'diverges' AND b.outcome = 'diverges') "
    " AS \"changed, now diverge\", "
    "sum(a.bits <> b.bits AND a.outcome = 'diverges' AND b.outcome <> 'diverges') "
    " AS \"changed, no longer diverge\", "
    "sum(a.bits <> b.bits AND a.outcome = 'diverges' AND b.outcome = 'diverges') "
    " AS \"changed, both diverge\", "
    "sum(a.bits <> b.bits AND a.outcome <> 'diverges' AND b.outcome <> 'diverges' "
    " AND NOT (a.outcome = 'conforms' AND b.outcome = 'conforms')) AS \"changed, not judged\", "
    "sum(a.bits = b.bits AND a.outcome <> b.outcome) AS \"same, judged otherwise\", "
    "max(a.slack) AS \"max slack before\", max(b.slack) AS \"max slack after\", "
    "max(a.ulp_error) AS \"max ulp before\", max(b.ulp_error) AS \"max ulp after\", "
    "substr(min(CASE WHEN a.bits <> b.bits THEN "
    " printf('%d%09d', a.outcome <> 'conforms' OR b.outcome <> 'conforms', length(case_line)) "
    " || case_line END), 11) AS \"case\" " BOTH_SIDES
    "AND a.bits <> '' AND b.bits <> '' "
    "GROUP BY op, algorithm, types ORDER BY op, algorithm, types";

#define REFUSES(side) "(" side ".outcome = 'refused' OR " side ".class = 'supported-refused')"
#define ANSWERS(side) "(" side ".bits <> '' OR " side ".outcome = 'failed')"

static const char REFUSED_SQL[] =
    "SELECT op, algorithm, types, count(*) AS cases, "
    "sum(" REFUSES("a") " AND " ANSWERS("b") ") AS \"refused before only\", "
    "sum(" ANSWERS("a") " AND " REFUSES("b") ") AS \"refused after only\", "
    "substr(min(CASE WHEN " REFUSES("a") " <> " REFUSES("b") " THEN "
    " printf('%09d', length(case_line)) || case_line END), 10) AS \"case\" " BOTH_SIDES
    "GROUP BY op, algorithm, types "
    "HAVING sum(" REFUSES("a") " AND " ANSWERS("b") ") + sum(" ANSWERS("a") " AND " REFUSES("b")
    ") > 0 ORDER BY op, algorithm, types";

const char *comparison_part_name(comparison_part_t part) {
  static const char *const names[COMPARISON_PART_COUNT] = {[COMPARISON_FINDINGS] = "findings",
                                                           [COMPARISON_BITS] = "bits",
                                                           [COMPARISON_REFUSED] = "refused",
                                                           [COMPARISON_PROFILES] = "profiles"};
  return names[part];
}

/* ---- Which two ------------------------------------------------------------------------------- */

static void clear_side(comparison_side_t *side) {
  g_free(side->name);
  g_free(side->version);
  g_free(side->hardware);
  *side = (comparison_side_t){0};
}

static void free_side(gpointer data) {
  clear_side(data);
  g_free(data);
}

static status_t read_side(void *context, int column_count, const char *const *names,
                          const store_value_t *values, failure_t *error) {
  (void)column_count, (void)names, (void)error;
  if (values == NULL) return STATUS_OK;
  comparison_side_t *side = g_new(comparison_side_t, 1);
  *side = (comparison_side_t){.executor_id = values[0].integer,
                              .name = g_strdup(values[1].text),
                              .version = g_strdup(values[2].text),
                              .hardware = g_strdup(values[3].text)};
  g_ptr_array_add((GPtrArray *)context, side);
  return STATUS_OK;
}

static const comparison_side_t *side_at(const GPtrArray *sides, guint index) {
  return (const comparison_side_t *)g_ptr_array_index(sides, index);
}

/* Fails with those that there are. */
static status_t fail_listing(const GPtrArray *sides, const char *executor, const char *what,
                             failure_t *error) {
  GString *list = g_string_new(NULL);
  for (guint i = 0; i < sides->len; i++) {
    const comparison_side_t *side = side_at(sides, i);
    if (executor != NULL && strcmp(executor, side->name) != 0) continue;
    g_string_append_printf(list, "%s#%" PRId64 " %s, version \"%s\" (%s)",
                           list->len == 0 ? "" : "; ", side->executor_id, side->name, side->version,
                           side->hardware);
  }
  status_t status = status_fail(error, STATUS_INVALID, "%s; the database has %s", what,
                                list->len == 0 ? "none of that executor" : list->str);
  g_string_free(list, TRUE);
  return status;
}

static bool is_side(const comparison_side_t *side, const char *executor, const char *text) {
  if (text[0] == '#') {
    g_autofree char *number = g_strdup_printf("#%" PRId64, side->executor_id);
    return strcmp(number, text) == 0;
  }
  bool is_name = strchr(text, '@') != NULL && strcmp(side->name, text) == 0;
  return (is_name || strcmp(side->version, text) == 0) &&
         (executor == NULL || strcmp(executor, side->name) == 0);
}

static guint count_sides(const GPtrArray *sides, const char *executor, const char *text) {
  guint count = 0;
  for (guint i = 0; i < sides->len; i++) count += is_side(side_at(sides, i), executor, text);
  return count;
}

/* "onnxruntime" of "onnxruntime@1.24.4": releases side by side are one executor. */
static bool are_of_one(const char *a, const char *b) {
  size_t size = strcspn(a, "@");
  return strcspn(b, "@") == size && strncmp(a, b, size) == 0;
}

/* Two numbers name any two; versions are of one executor on one hardware. */
static bool is_pair(const comparison_side_t *a, const comparison_side_t *b, const char *before,
                    const char *after) {
  if (before[0] == '#' && after[0] == '#') return true;
  return are_of_one(a->name, b->name) && strcmp(a->hardware, b->hardware) == 0;
}

static void copy_side(const comparison_side_t *side, comparison_side_t *out_side) {
  *out_side = (comparison_side_t){.executor_id = side->executor_id,
                                  .name = g_strdup(side->name),
                                  .version = g_strdup(side->version),
                                  .hardware = g_strdup(side->hardware)};
}

static status_t choose_sides(const GPtrArray *sides, const char *executor, const char *before,
                             const char *after, comparison_t *comparison, failure_t *error) {
  const char *const texts[] = {before, after};
  for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
    if (count_sides(sides, executor, texts[i]) > 0) continue;
    g_autofree char *what =
        g_strdup_printf("no version '%s'%s%s: write '#NUMBER' or a whole version", texts[i],
                        executor == NULL ? "" : " of ", executor == NULL ? "" : executor);
    return fail_listing(sides, executor, what, error);
  }
  guint pairs = 0;
  for (guint i = 0; i < sides->len; i++) {
    for (guint k = 0; k < sides->len; k++) {
      const comparison_side_t *a = side_at(sides, i);
      const comparison_side_t *b = side_at(sides, k);
      if (!is_side(a, executor, before) || !is_side(b, executor, after) ||
          !is_pair(a, b, before, after)) {
        continue;
      }
      if (pairs++ > 0) continue;
      copy_side(a, &comparison->before);
      copy_side(b, &comparison->after);
    }
  }
  if (pairs == 1) return STATUS_OK;
  g_autofree char *what =
      g_strdup_printf(pairs == 0 ? "'%s' and '%s' are not of one executor on one hardware; write "
                                   "their numbers ('#1' '#2')"
                                 : "'%s' and '%s' could be of several executors; write their "
                                   "numbers ('#1' '#2') or add --executor NAME",
                      before, after);
  return fail_listing(sides, executor, what, error);
}

static status_t find_sides(const char *path, const char *executor, const char *before,
                           const char *after, comparison_t *comparison, failure_t *error) {
  static const char sql[] =
      "SELECT executor_id, name, version, hardware FROM executor ORDER BY executor_id";
  GPtrArray *sides = g_ptr_array_new_with_free_func(free_side);
  status_t status = store_query(path, sql, read_side, sides, error);
  if (status == STATUS_OK) {
    status = choose_sides(sides, executor, before, after, comparison, error);
  }
  g_ptr_array_unref(sides);
  return status;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* The query profile-changes sees these two executors alone: a table of the same name hides the
 * other.  It takes the lower number for the earlier version. */
static char *make_profiles_sql(const comparison_t *comparison) {
  const char *query = report_find_query("profile-changes");
  g_autofree char *inner = g_strndup(query, strlen(query));
  char *end = strrchr(inner, ';');
  if (end != NULL) *end = '\0';
  bool is_in_order = comparison->before.executor_id < comparison->after.executor_id;
  return g_strdup_printf(
      "WITH profile AS (SELECT * FROM main.profile WHERE executor_id IN ({A}, {B})) "
      "SELECT shape, n, \"%s\" AS before, \"%s\" AS after FROM (\n%s\n)",
      is_in_order ? "from" : "to", is_in_order ? "to" : "from", inner);
}

static status_t read_part(const char *path, const char *sql, const comparison_t *comparison,
                          report_grid_t *grid, failure_t *error) {
  GString *text = g_string_new(sql);
  g_autofree char *before = g_strdup_printf("%" PRId64, comparison->before.executor_id);
  g_autofree char *after = g_strdup_printf("%" PRId64, comparison->after.executor_id);
  g_string_replace(text, "{A}", before, 0);
  g_string_replace(text, "{B}", after, 0);
  status_t status = store_query(path, text->str, report_grid_add, grid, error);
  g_string_free(text, TRUE);
  return status;
}

static status_t read_parts(const char *path, comparison_t *comparison, failure_t *error) {
  g_autofree char *profiles = make_profiles_sql(comparison);
  const char *const sql[COMPARISON_PART_COUNT] = {[COMPARISON_FINDINGS] = FINDINGS_SQL,
                                                  [COMPARISON_BITS] = BITS_SQL,
                                                  [COMPARISON_REFUSED] = REFUSED_SQL,
                                                  [COMPARISON_PROFILES] = profiles};
  for (int part = 0; part < COMPARISON_PART_COUNT; part++) {
    STATUS_TRY(read_part(path, sql[part], comparison, &comparison->grids[part], error));
  }
  return STATUS_OK;
}

void comparison_close(comparison_t *comparison) {
  for (int part = 0; part < COMPARISON_PART_COUNT; part++) {
    report_grid_deinit(&comparison->grids[part]);
  }
  clear_side(&comparison->before);
  clear_side(&comparison->after);
}

status_t comparison_open(const char *path, const char *executor, const char *before,
                         const char *after, comparison_t *out_comparison, failure_t *error) {
  comparison_t comparison = {0};
  for (int part = 0; part < COMPARISON_PART_COUNT; part++) {
    report_grid_init(&comparison.grids[part]);
  }
  status_t status = find_sides(path, executor, before, after, &comparison, error);
  if (status == STATUS_OK) status = read_parts(path, &comparison, error);
  if (status == STATUS_OK) {
    *out_comparison = comparison;
  } else {
    comparison_close(&comparison);
  }
  return status;
}

/* ---- Answers --------------------------------------------------------------------------------- */

static int find_column(const report_grid_t *grid, const char *name) {
  int column = 0;
  while (strcmp(report_grid_name(grid, column), name) != 0) column++;
  return column;
}

int64_t comparison_sum(const comparison_t *comparison, comparison_part_t part, const char *column) {
  const report_grid_t *grid = &comparison->grids[part];
  int64_t sum = 0;
  int place = find_column(grid, column);
  for (size_t row = 0; row < report_grid_row_count(grid); row++) {
    sum += report_grid_cell(grid, row, place)->integer;
  }
  return sum;
}

size_t comparison_count_findings(const comparison_t *comparison, const char *seen) {
  const report_grid_t *grid = &comparison->grids[COMPARISON_FINDINGS];
  size_t count = 0;
  for (size_t row = 0; row < report_grid_row_count(grid); row++) {
    count += strcmp(report_grid_cell(grid, row, 0)->text, seen) == 0;
  }
  return count;
}

static void print_side(const comparison_side_t *side, FILE *out) {
  json_t *object =
      json_pack("{s:I, s:s, s:s, s:s}", "executor_id", (json_int_t)side->executor_id, "name",
                side->name, "version", side->version, "hardware", side->hardware);
  json_dumpf(object, out, 0);
  json_decref(object);
}

void comparison_print_json(const comparison_t *comparison, FILE *out) {
  fputs("{\"before\": ", out);
  print_side(&comparison->before, out);
  fputs(", \"after\": ", out);
  print_side(&comparison->after, out);
  for (int part = 0; part < COMPARISON_PART_COUNT; part++) {
    fprintf(out, ", \"%s\": ", comparison_part_name((comparison_part_t)part));
    report_write_json(&comparison->grids[part], out);
  }
  fputs("}\n", out);
}
