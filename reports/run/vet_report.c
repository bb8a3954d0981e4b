/* SPDX-License-Identifier: Apache-2.0 */
/* What `assay vet` says, as test points. */
#include "reports/run/vet_report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "harness/base/exit_code.h"
#include "harness/session/shortfall.h"
#include "reports/power/power_line.h"
#include "reports/run/describe_finding.h"
#include "reports/run/summary_contracts.h"
#include "reports/run/summary_judged.h"
#include "reports/run/summary_pairs.h"
#include "reports/run/summary_prediction.h"

static const char fail_on_never[] = "--fail-on never";

/* What a test point is about; for invalid programs the op alone counts of the label. */
typedef struct topic {
  size_t executor;
  tally_label_t label;
  bool is_invalid;
} topic_t;

/* The tally over outcomes, classes and implementations. */
typedef struct bucket {
  topic_t topic;
  uint64_t cases[OUTCOME_COUNT];
  double ulp_error_max;
  double slack_max;
  const char *reason;       /* Of a refusal; borrowed. */
  const finding_t *finding; /* find_finding(), once they are in the order of severity. */
} bucket_t;

static bool is_same_topic(const topic_t *a, const topic_t *b) {
  if (a->executor != b->executor || a->label.op != b->label.op) return false;
  if (a->is_invalid || b->is_invalid) return a->is_invalid && b->is_invalid;
  return a->label.algorithm == b->label.algorithm && a->label.types == b->label.types;
}

static bucket_t *find_bucket(GArray *buckets, const topic_t *topic) {
  for (guint i = 0; i < buckets->len; i++) {
    bucket_t *bucket = &g_array_index(buckets, bucket_t, i);
    if (is_same_topic(&bucket->topic, topic)) return bucket;
  }
  const bucket_t bucket = {.topic = *topic, .reason = ""};
  g_array_append_val(buckets, bucket);
  return &g_array_index(buckets, bucket_t, buckets->len - 1);
}

/* By executor and op, whose buckets are together. */
static gint compare_topics(gconstpointer a, gconstpointer b) {
  const topic_t *left = &((const bucket_t *)a)->topic;
  const topic_t *right = &((const bucket_t *)b)->topic;
  if (left->executor != right->executor) return left->executor < right->executor ? -1 : 1;
  int order = strcmp(left->label.op, right->label.op);
  if (order == 0) order = left->is_invalid - right->is_invalid;
  if (order == 0) order = strcmp(left->label.algorithm, right->label.algorithm);
  return order != 0 ? order : strcmp(left->label.types, right->label.types);
}

static GArray *gather_buckets(const run_report_t *report) {
  GArray *buckets = g_array_new(FALSE, TRUE, sizeof(bucket_t));
  tally_t *tally = session_tally(report->session);
  for (size_t i = 0; i < tally_count(tally); i++) {
    const tally_row_t *row = tally_at(tally, i);
    const topic_t topic = {row->executor, row->label, row->is_invalid};
    bucket_t *bucket = find_bucket(buckets, &topic);
    bucket->cases[row->outcome] += row->cases;
    bucket->ulp_error_max = fmax(bucket->ulp_error_max, row->ulp_error_max);
    bucket->slack_max = fmax(bucket->slack_max, row->slack_max);
    if (row->outcome == OUTCOME_refused) bucket->reason = row->reason;
  }
  g_array_sort(buckets, compare_topics);
  return buckets;
}

/* The most telling finding in the bucket, of those that count (see --fail-on) if there are some;
 * NULL if there is none. */
static const finding_t *find_finding(const run_report_t *report, const bucket_t *bucket) {
  const finding_t *best = NULL;
  bool best_fails = false;
  for (size_t i = 0; i < session_finding_count(report->session); i++) {
    const finding_t *finding = session_finding(report->session, i);
    const topic_t topic = {finding->executor, finding->label,
                           finding->verdict.constraint[0] != '\0'};
    if (!is_same_topic(&bucket->topic, &topic)) continue;
    bool fails = run_report_counts(report, finding);
    bool is_better = best == NULL || (fails && !best_fails) ||
                     (fails == best_fails && finding_is_graver(finding, best));
    if (!is_better) continue;
    best = finding;
    best_fails = fails;
  }
  return best;
}

static uint64_t count_cases(const bucket_t *bucket) {
  uint64_t cases = 0;
  for (int i = 0; i < OUTCOME_COUNT; i++) cases += bucket->cases[i];
  return cases;
}

static void print_details(const vet_points_t *points, const run_report_t *report,
                          const bucket_t *bucket) {
  const finding_t *finding = bucket->finding;
  GString *found = g_string_new(NULL);
  GString *replay = g_string_new(NULL);
  const char *severity = "";
  if (finding != NULL) {
    severity = severity_spelling(finding_severity(finding).id);
    describe_finding(finding, report, found);
    describe_replay(finding, report, replay);
  }
  char numbers[7][32];
  snprintf(numbers[0], sizeof numbers[0], "%.6g", bucket->ulp_error_max);
  snprintf(numbers[1], sizeof numbers[1], "%.6g", bucket->slack_max);
  snprintf(numbers[2], sizeof numbers[2], "%" PRIu64, count_cases(bucket));
  snprintf(numbers[3], sizeof numbers[3], "%" PRIu64, bucket->cases[OUTCOME_diverges]);
  snprintf(numbers[4], sizeof numbers[4], "%" PRIu64, bucket->cases[OUTCOME_failed]);
  snprintf(numbers[5], sizeof numbers[5], "%" PRIu64, bucket->cases[OUTCOME_refused]);
  snprintf(numbers[6], sizeof numbers[6], "%" PRIu64,
           session_options(report->session)->stream.seed);
  const tap_detail_t details[] = {{"max_ulp", numbers[0]},  {"max_slack", numbers[1]},
                                  {"cases", numbers[2]},    {"divergences", numbers[3]},
                                  {"failures", numbers[4]}, {"refused", numbers[5]},
                                  {"seed", numbers[6]},     {"severity", severity},
                                  {"found", found->str},    {"repro", replay->str}};
  size_t count = sizeof details / sizeof *details;
  vet_points_details(points, details, finding == NULL ? count - 3 : count);
  g_string_free(found, TRUE);
  g_string_free(replay, TRUE);
}

/* What was never held against an accept set that it could have missed is no pass. */
static bool is_skipped(const bucket_t *bucket) {
  return bucket->cases[OUTCOME_conforms] + bucket->cases[OUTCOME_diverges] +
             bucket->cases[OUTCOME_failed] ==
         0;
}

static char *describe_topic(const run_report_t *report, const topic_t *topic) {
  const char *executor = run_report_executor(report, topic->executor);
  const tally_label_t *label = &topic->label;
  if (topic->is_invalid) {
    return g_strdup_printf("%s %s invalid programs are refused", executor, label->op);
  }
  return g_strdup_printf("%s %s %s %s", executor, label->op, label->algorithm, label->types);
}

/* What has the gravest finding comes first, and what has none last; else they stay as they are. */
static gint compare_severities(gconstpointer a, gconstpointer b) {
  const finding_t *left = ((const bucket_t *)a)->finding;
  const finding_t *right = ((const bucket_t *)b)->finding;
  if (left == NULL || right == NULL) return (left == NULL) - (right == NULL);
  return finding_is_graver(left, right) ? -1 : finding_is_graver(right, left);
}

static void sort_by_severity(const run_report_t *report, GArray *buckets) {
  for (guint i = 0; i < buckets->len; i++) {
    bucket_t *bucket = &g_array_index(buckets, bucket_t, i);
    bucket->finding = find_finding(report, bucket);
  }
  g_array_sort(buckets, compare_severities);
}

/* Why the findings of the bucket do not count, see --fail-on, or NULL if one does. */
static const char *find_excuse(const run_report_t *report, const bucket_t *bucket) {
  if (report->fail_on == FAIL_ON_NEVER) return fail_on_never;
  const char *excuse = NULL;
  for (size_t i = 0; i < session_finding_count(report->session); i++) {
    const finding_t *finding = session_finding(report->session, i);
    const topic_t topic = {finding->executor, finding->label,
                           finding->verdict.constraint[0] != '\0'};
    if (!is_same_topic(&bucket->topic, &topic)) continue;
    if (run_report_counts(report, finding)) return NULL;
    excuse = life_spelling(run_report_life(report, finding));
  }
  return excuse;
}

static void print_point(const vet_points_t *points, const run_report_t *report,
                        const bucket_t *bucket) {
  char *description = describe_topic(report, &bucket->topic);
  bool is_bad = bucket->cases[OUTCOME_diverges] > 0 || bucket->cases[OUTCOME_failed] > 0;
  const char *excuse = is_bad ? find_excuse(report, bucket) : NULL;
  if (excuse != NULL) {
    vet_points_todo(points, description, excuse);
  } else {
    vet_points_add(points, !is_bad, description);
  }
  print_details(points, report, bucket);
  g_free(description);
}

/* ---- What was not judged --------------------------------------------------------------------- */

static bool is_same_op(const topic_t *a, const topic_t *b) {
  return a->executor == b->executor && a->label.op == b->label.op;
}

/* The buckets of an op of which nothing was judged, in one point. */
typedef struct leftover {
  topic_t topic; /* Of any of them. */
  guint buckets;
  guint others; /* Of the op, of which something was judged. */
  uint64_t cases[OUTCOME_COUNT];
  const char *reason;
  uint64_t reason_cases;
} leftover_t;

static void add_leftover(leftover_t *leftover, const bucket_t *bucket) {
  leftover->buckets++;
  for (int i = 0; i < OUTCOME_COUNT; i++) leftover->cases[i] += bucket->cases[i];
  if (bucket->cases[OUTCOME_refused] <= leftover->reason_cases) return;
  leftover->reason_cases = bucket->cases[OUTCOME_refused];
  leftover->reason = bucket->reason;
}

/* An array of leftover_t, one for each op of an executor that has some. */
static GArray *gather_leftovers(const GArray *buckets) {
  GArray *leftovers = g_array_new(FALSE, TRUE, sizeof(leftover_t));
  leftover_t present = {.buckets = 0};
  for (guint i = 0; i < buckets->len; i++) {
    const bucket_t *bucket = &g_array_index(buckets, bucket_t, i);
    if (i == 0 || !is_same_op(&present.topic, &bucket->topic)) {
      if (present.buckets > 0) g_array_append_val(leftovers, present);
      present = (leftover_t){.topic = bucket->topic, .reason = ""};
    }
    if (is_skipped(bucket)) {
      add_leftover(&present, bucket);
    } else {
      present.others++;
    }
  }
  if (present.buckets > 0) g_array_append_val(leftovers, present);
  return leftovers;
}

static void print_leftover(const vet_points_t *points, const run_report_t *report,
                           const leftover_t *leftover) {
  g_autofree char *description = g_strdup_printf(
      "%s %s%s", run_report_executor(report, leftover->topic.executor), leftover->topic.label.op,
      leftover->others > 0 ? ", other types and algorithms" : "");
  g_autoptr(GString) why = g_string_new(NULL);
  const uint64_t *cases = leftover->cases;
  if (cases[OUTCOME_refused] > 0) {
    g_string_append_printf(why, "%" PRIu64 " cases refused", cases[OUTCOME_refused]);
    if (leftover->reason[0] != '\0') g_string_append_printf(why, " (%s)", leftover->reason);
  }
  if (cases[OUTCOME_no_oracle] > 0) {
    g_string_append_printf(why, "%s%" PRIu64 " without an oracle", why->len == 0 ? "" : ", ",
                           cases[OUTCOME_no_oracle]);
  }
  if (cases[OUTCOME_weak] > 0) {
    g_string_append_printf(why, "%s%" PRIu64 " weak: nothing could have failed",
                           why->len == 0 ? "" : ", ", cases[OUTCOME_weak]);
  }
  vet_points_skip(points, description, why->str);
}

/* Too little evidence is a failure, but where nothing is to fail. */
static void print_shortfall(const vet_points_t *points, const run_report_t *report,
                            const shortfall_t *shortfall) {
  g_autoptr(GString) text = g_string_new(NULL);
  shortfall_print(report->session, shortfall, text);
  if (report->fail_on == FAIL_ON_NEVER) {
    vet_points_todo(points, text->str, fail_on_never);
  } else {
    vet_points_add(points, false, text->str);
  }
}

static bool is_short_of_all(const GArray *shortfalls, size_t executor) {
  for (guint i = 0; i < shortfalls->len; i++) {
    const shortfall_t *shortfall = &g_array_index(shortfalls, shortfall_t, i);
    if (shortfall->executor == executor && shortfall->op == NULL) return true;
  }
  return false;
}

/* A point for each executor that judged as much as was asked for. */
static void print_judged(const vet_points_t *points, const run_report_t *report, size_t executor) {
  g_autoptr(GString) text = g_string_new(NULL);
  uint64_t asked = session_options(report->session)->cases_max;
  /* Recorded cases are none of those that were asked for. */
  uint64_t judged =
      asked > 0 ? session_judged(report->session, executor) : run_report_judged(report, executor);
  g_string_append_printf(text, "judged %" PRIu64, judged);
  if (asked > 0 && !session_follows(report->session, executor)) {
    g_string_append_printf(text, " of %" PRIu64, asked);
  }
  g_string_append_printf(text, ": %s", run_report_executor(report, executor));
  vet_points_add(points, true, text->str);
}

/* ---- The report ------------------------------------------------------------------------------ */

/* In this order: what was judged, the gravest findings first; what was not; whether it is enough.
 */
static void print_points(const vet_points_t *points, const run_report_t *report, GArray *buckets,
                         const GArray *shortfalls) {
  GArray *leftovers = gather_leftovers(buckets);
  sort_by_severity(report, buckets);
  size_t count = leftovers->len + shortfalls->len;
  for (guint i = 0; i < buckets->len; i++)
    count += !is_skipped(&g_array_index(buckets, bucket_t, i));
  for (size_t i = 0; i < run_report_executor_count(report); i++)
    count += !is_short_of_all(shortfalls, i);
  vet_points_plan(points, count);
  for (guint i = 0; i < buckets->len; i++) {
    const bucket_t *bucket = &g_array_index(buckets, bucket_t, i);
    if (!is_skipped(bucket)) print_point(points, report, bucket);
  }
  for (guint i = 0; i < leftovers->len; i++) {
    print_leftover(points, report, &g_array_index(leftovers, leftover_t, i));
  }
  for (size_t i = 0; i < run_report_executor_count(report); i++) {
    if (!is_short_of_all(shortfalls, i)) print_judged(points, report, i);
  }
  for (guint i = 0; i < shortfalls->len; i++) {
    print_shortfall(points, report, &g_array_index(shortfalls, shortfall_t, i));
  }
  g_array_unref(leftovers);
}

int vet_report_print(const run_report_t *report, const vet_points_t *points) {
  GArray *buckets = gather_buckets(report);
  GArray *shortfalls = run_report_shortfalls(report);
  print_points(points, report, buckets, shortfalls);
  int exit_code = run_report_exit_code(report);
  bool fails = shortfalls->len > 0 && report->fail_on != FAIL_ON_NEVER;
  g_array_unref(shortfalls);
  g_array_unref(buckets);
  GString *predictions = g_string_new(NULL);
  describe_predictions(report, predictions);
  vet_points_note(points, predictions->str);
  g_autoptr(GString) contracts = g_string_new(NULL);
  describe_contracts(report, contracts);
  vet_points_note(points, contracts->str);
  g_string_free(predictions, TRUE);
  g_autoptr(GString) twins = g_string_new(NULL);
  summary_describe_twins(report, twins);
  vet_points_note(points, twins->str);
  g_autoptr(GString) untested = g_string_new(NULL);
  summary_describe_untested(report, untested);
  vet_points_note(points, untested->str);
  g_autoptr(GString) samples = g_string_new(NULL);
  summary_describe_samples(report, samples);
  vet_points_note(points, samples->str);
  g_autoptr(GString) text = g_string_new(NULL);
  const power_summary_t power = power_summary_of(session_power(report->session));
  power_line_print(&power, text);
  vet_points_note(points, text->str);
  return exit_code == EXIT_CODE_CLEAN && fails ? EXIT_CODE_DIVERGES : exit_code;
}
