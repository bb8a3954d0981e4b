/* assay vet: a campaign told as TAP 13, one test point per executor, op, algorithm and types, and
 * one per executor and op for the programs that were drawn invalid on purpose. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "harness/cli/describe.h"
#include "harness/cli/finding_lives.h"
#include "harness/cli/summary_prediction.h"
#include "harness/tap/tap.h"

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
  const char *reason; /* Of a refusal; borrowed. */
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

static gint compare_buckets(gconstpointer a, gconstpointer b) {
  const topic_t *left = &((const bucket_t *)a)->topic;
  const topic_t *right = &((const bucket_t *)b)->topic;
  if (left->executor != right->executor) return left->executor < right->executor ? -1 : 1;
  int order = strcmp(left->label.op, right->label.op);
  if (order == 0) order = left->is_invalid - right->is_invalid;
  if (order == 0) order = strcmp(left->label.algorithm, right->label.algorithm);
  return order != 0 ? order : strcmp(left->label.types, right->label.types);
}

static GArray *gather_buckets(const task_t *task) {
  GArray *buckets = g_array_new(FALSE, TRUE, sizeof(bucket_t));
  tally_t *tally = session_tally(task->session);
  for (size_t i = 0; i < tally_count(tally); i++) {
    const tally_row_t *row = tally_at(tally, i);
    const topic_t topic = {row->executor, row->label, row->is_invalid};
    bucket_t *bucket = find_bucket(buckets, &topic);
    bucket->cases[row->outcome] += row->cases;
    bucket->ulp_error_max = fmax(bucket->ulp_error_max, row->ulp_error_max);
    bucket->slack_max = fmax(bucket->slack_max, row->slack_max);
    if (row->outcome == OUTCOME_refused) bucket->reason = row->reason;
  }
  g_array_sort(buckets, compare_buckets);
  return buckets;
}

/* The first finding in the bucket, or NULL. */
static const finding_t *find_finding(const task_t *task, const bucket_t *bucket) {
  for (size_t i = 0; i < session_finding_count(task->session); i++) {
    const finding_t *finding = session_finding(task->session, i);
    const topic_t topic = {finding->executor, finding->label,
                           finding->verdict.constraint[0] != '\0'};
    if (is_same_topic(&bucket->topic, &topic)) return finding;
  }
  return NULL;
}

static uint64_t count_cases(const bucket_t *bucket) {
  uint64_t cases = 0;
  for (int i = 0; i < OUTCOME_COUNT; i++) cases += bucket->cases[i];
  return cases;
}

static void print_details(tap_t *tap, const task_t *task, const bucket_t *bucket) {
  const finding_t *finding = find_finding(task, bucket);
  GString *found = g_string_new(NULL);
  GString *replay = g_string_new(NULL);
  if (finding != NULL) {
    describe_finding(finding, task, found);
    describe_replay(finding, task, replay);
  }
  char numbers[7][32];
  snprintf(numbers[0], sizeof numbers[0], "%.6g", bucket->ulp_error_max);
  snprintf(numbers[1], sizeof numbers[1], "%.6g", bucket->slack_max);
  snprintf(numbers[2], sizeof numbers[2], "%" PRIu64, count_cases(bucket));
  snprintf(numbers[3], sizeof numbers[3], "%" PRIu64, bucket->cases[OUTCOME_diverges]);
  snprintf(numbers[4], sizeof numbers[4], "%" PRIu64, bucket->cases[OUTCOME_failed]);
  snprintf(numbers[5], sizeof numbers[5], "%" PRIu64, bucket->cases[OUTCOME_refused]);
  snprintf(numbers[6], sizeof numbers[6], "%" PRIu64, task->options.stream.seed);
  const tap_detail_t details[] = {
      {"max_ulp", numbers[0]},     {"max_slack", numbers[1]}, {"cases", numbers[2]},
      {"divergences", numbers[3]}, {"failures", numbers[4]},  {"refused", numbers[5]},
      {"seed", numbers[6]},        {"found", found->str},     {"repro", replay->str}};
  size_t count = sizeof details / sizeof *details;
  tap_details(tap, details, finding == NULL ? count - 2 : count);
  g_string_free(found, TRUE);
  g_string_free(replay, TRUE);
}

/* What was never held against an accept set that it could have missed is no pass. */
static const char *skip_reason(const bucket_t *bucket) {
  if (bucket->cases[OUTCOME_conforms] > 0) return NULL;
  if (bucket->cases[OUTCOME_refused] > 0) {
    return bucket->reason[0] == '\0' ? "refused" : bucket->reason;
  }
  return bucket->cases[OUTCOME_no_oracle] > 0 ? "no oracle" : "weak: nothing could have failed";
}

static char *describe_topic(const task_t *task, const topic_t *topic) {
  const char *executor = executor_name(task->executors.items[topic->executor]);
  const tally_label_t *label = &topic->label;
  if (topic->is_invalid) {
    return g_strdup_printf("%s %s invalid programs are refused", executor, label->op);
  }
  return g_strdup_printf("%s %s %s %s", executor, label->op, label->algorithm, label->types);
}

/* Why the findings of the bucket do not count, see --fail-on, or NULL if one does. */
static const char *find_excuse(const task_t *task, const bucket_t *bucket) {
  const char *excuse = NULL;
  for (size_t i = 0; i < session_finding_count(task->session); i++) {
    const finding_t *finding = session_finding(task->session, i);
    const topic_t topic = {finding->executor, finding->label,
                           finding->verdict.constraint[0] != '\0'};
    if (!is_same_topic(&bucket->topic, &topic)) continue;
    if (finding_fails(task, finding)) return NULL;
    excuse = life_spelling(finding_life(task, finding));
  }
  return excuse;
}

static void print_point(tap_t *tap, const task_t *task, const bucket_t *bucket) {
  char *description = describe_topic(task, &bucket->topic);
  bool is_bad = bucket->cases[OUTCOME_diverges] > 0 || bucket->cases[OUTCOME_failed] > 0;
  const char *skip = skip_reason(bucket);
  if (!is_bad && skip != NULL) {
    tap_point_skip(tap, description, skip);
  } else {
    const char *excuse = is_bad ? find_excuse(task, bucket) : NULL;
    if (excuse != NULL) {
      tap_point_todo(tap, false, description, excuse);
    } else {
      tap_point(tap, !is_bad, description);
    }
    print_details(tap, task, bucket);
  }
  g_free(description);
}

static int vet(task_t *task) {
  int exit_code = task_start(task);
  if (exit_code != EXIT_CODE_CLEAN) return task_close(task, exit_code);
  failure_t error = {0};
  status_t status = session_run(task->session, &error);
  if (status == STATUS_OK) status = task_settle(task, &error);
  tap_t tap; /* Not before: if the work has to be begun again, all of this is. */
  tap_begin(&tap, stdout);
  if (status != STATUS_OK) {
    tap_bail_out(&tap, error.text);
    return task_close(task, task_complain(task, status, &error));
  }
  GArray *buckets = gather_buckets(task);
  if (buckets->len == 0) {
    tap_skip_all(&tap, "no case was drawn");
  } else {
    tap_plan(&tap, buckets->len);
  }
  for (guint i = 0; i < buckets->len; i++) {
    print_point(&tap, task, &g_array_index(buckets, bucket_t, i));
  }
  g_array_unref(buckets);
  GString *predictions = g_string_new(NULL);
  describe_predictions(task, predictions);
  if (predictions->len > 0) tap_comment(&tap, predictions->str);
  g_string_free(predictions, TRUE);
  fflush(stdout);
  return task_close(task, task_exit_code(task));
}

int command_vet(const command_t *command, int argc, char **argv) {
  task_flags_t flags = {.runs_here = true};
  arguments_t arguments = arguments_make(command);
  task_flags_add_drawing(&flags, &arguments);
  task_flags_add(&flags, &arguments);
  char **words = g_strdupv(argv);
  int exit_code = EXIT_CODE_USAGE;
  int word_count = argc;
  if (arguments_parse(&arguments, &argc, &argv, 0, 0)) {
    task_t task;
    exit_code = task_open(&flags, word_count, words, &task);
    if (exit_code == EXIT_CODE_CLEAN) exit_code = vet(&task);
  }
  g_strfreev(words);
  task_flags_free(&flags);
  return exit_code;
}
