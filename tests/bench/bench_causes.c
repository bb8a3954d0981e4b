/* SPDX-License-Identifier: Apache-2.0 */
/* Which planted faults get the name of a cause, and whether it is a right one: all canaries that
 * small programs show.
 *
 *   build/bench/bench_causes [WORD]      those with the word in their names
 *
 * A name is right if expected_causes.def, or a list below, has it for the fault.  Of each fault:
 * its diverging cases, those that were surely named, those of them that were named right, and the
 * names.  Exit status 1 if of a thousand names more than one is wrong; in test_causes none may be.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/campaign/canary_list.h"

enum { CASES = 300, COMPOSITE_CASES = 60 };

static const struct {
  const char *canary;
  const char *cause;
  const char *others;
} EXPECTED[] = {
#define CAUSE_ROW(canary, contract, what, cause, others) {"canary:" canary, cause, others},
#include "generated/all_expected_causes.def"
#include "tests/campaign/expected_causes.def"
#undef CAUSE_ROW
};

/* Names that say of the results alone how they differ from what they should be, and nothing of how
 * that came: the solver has held all of them against that. */
static const char *const DESCRIPTIONS[] = {
    "flushed-results", "negative-zero-lost",  "zero-negated",
    "nan-as-infinity", "infinity-as-largest", "repeats-previous",
    "one-ulp-off",     "constant-factor",     NULL};

/* Names of faults that test_causes has no row for, since CI has no time for them: each is what the
 * fault does, or, of cases as small as these, the same. */
static const struct {
  const char *canary;
  const char *names;
} ALSO[] = {
    {"canary:last_index_ignored", "later-of-equal"},
    {"canary:top_k_ties_reversed", "later-of-equal"},
    {"canary:top_k_compares_patterns", "later-of-equal"}, /* NaNs, which are equal. */
    {"canary:pick_in_whole_blocks", "later-of-equal"},
    {"canary:narrow_index", "wrapped-narrow"},
    {"canary:moved_in_low_half", "wrapped-narrow"},
    {"canary:reduce_in_input_type", "wrapped-narrow"},
    {"canary:shift_logical", "wrapped-narrow"},
    {"canary:rhs_zero_point_forgotten", "zero-point-forgotten"},
    {"canary:zero_point_forgotten", "zero-point-forgotten"},
    {"canary:result_zero_point_forgotten", "zero-point-forgotten"},
    {"canary:first_zero_point", "zero-point-forgotten"}, /* Where the first one is 0. */
    {"canary:first_scale_for_all", "first-scale-for-all"},
    {"canary:convert_truncates", "truncated-operands truncated-result"},
    {"canary:convert_by_f32", "narrow-result narrow-operands"},
    {"canary:dequantized_in_f16", "narrow-result narrow-operands"},
    {"canary:mean_in_bf16", "narrow-result"}, /* The result that is the mean. */
    {"canary:products_narrow", "narrow-accumulator narrow-result narrow-operands"},
    {"canary:window_pads_twice", "init-twice"},
    {"canary:extremum_by_difference", "unsigned-as-signed"},
    {"canary:extremum_takes_right_nan", "nan-skipped last-of-zeros"},
    {"canary:outer_stride_zero", "batch-offset row-offset"}, /* Of two rows, the one before. */
    {"canary:lhs_batch_first", "batch-offset"},
    {"canary:lanes_broadcast", "batch-offset"},
    {"canary:odd_halves_lost", "without-last-term neighbour-of-first-term"},
    {"canary:result_transposed", "transposed-rhs"}, /* Of the last two dimensions, the same. */
    {"canary:lost_update", "without-last-term"},
};

static bool has_name(const char *names, const char *name) {
  g_auto(GStrv) each = g_strsplit(names, " ", -1);
  return g_strv_contains((const char *const *)each, name);
}

static bool is_listed(const char *canary, const char *name) {
  if (g_strv_contains(DESCRIPTIONS, name)) return true;
  for (size_t i = 0; i < G_N_ELEMENTS(EXPECTED); i++) {
    if (strcmp(canary, EXPECTED[i].canary) != 0) continue;
    if (strcmp(EXPECTED[i].cause, name) == 0 || has_name(EXPECTED[i].others, name)) return true;
  }
  for (size_t i = 0; i < G_N_ELEMENTS(ALSO); i++) {
    if (strcmp(canary, ALSO[i].canary) == 0 && has_name(ALSO[i].names, name)) return true;
  }
  return false;
}

/* Cases of one fault, or of all. */
typedef struct counts {
  uint64_t diverging;
  uint64_t named; /* Surely. */
  uint64_t right; /* Of these. */
} counts_t;

static void count_finding(const canary_t *canary, const finding_t *finding, counts_t *counts,
                          GString *names) {
  const verdict_t *verdict = &finding->verdict;
  if (verdict->outcome != OUTCOME_diverges) return;
  counts->diverging += finding->count;
  if (verdict->reading[0] != '\0' && !verdict->is_cause_sure) {
    g_string_append_printf(names, " READING:%s %" PRIu64, verdict->reading, finding->count);
  }
  if (verdict->cause[0] == '\0' || !verdict->is_cause_sure) {
    const bool is_unsure = verdict->cause[0] != '\0';
    g_string_append_printf(names, " (%s%s %" PRIu64 ")", is_unsure ? "?" : "",
                           is_unsure ? verdict->cause : class_spelling(verdict->class_),
                           finding->count);
    if (g_getenv("SHOW") != NULL) fprintf(stderr, "%s UNNAMED (%s) %s: %s\n  %s\n", canary->name, class_spelling(verdict->class_), verdict->cause, verdict->cause_words, finding->case_line);
    return;
  }
  counts->named += finding->count;
  bool is_right = is_listed(canary->name, verdict->cause);
  if (is_right) counts->right += finding->count;
  g_string_append_printf(names, " %s%s %" PRIu64, is_right ? "" : "NOT-LISTED:", verdict->cause,
                         finding->count);
  if (!is_right)
    fprintf(stderr, "%s: %s\n  %s\n", canary->name, verdict->cause_words, finding->case_line);
}

static void run_canary(const canary_t *canary, counts_t *out_counts) {
  const op_t *ops[CANARY_OPS_MAX];
  executor_t *executor = canary_open(canary->name);
  session_options_t options = {.stream = {.gen = gen_options_default(), .seed = 1, .ops = ops},
                               .executors = &executor,
                               .executor_count = 1,
                               .draws_max = CASES,
                               .command = "bench",
                               .assay_version = "bench"};
  options.stream.op_count = canary_find_ops(canary->ops, ops);
  for (size_t i = 0; i < options.stream.op_count; i++) {
    if (ops[i]->is_composite) options.draws_max = COMPOSITE_CASES;
  }
  options.stream.gen.limits = (draw_limits_t){.rank_max = 4, .elements_max = 64, .terms_max = 24};
  failure_t error = {0};
  session_t *session = NULL;
  if (contract_parse(str_from(canary->contract), &options.contract, &error) != STATUS_OK ||
      session_open(&options, &session, &error) != STATUS_OK ||
      session_run(session, &error) != STATUS_OK) {
    g_error("%s: %s", canary->name, error.text);
  }
  g_autoptr(GString) names = g_string_new(NULL);
  *out_counts = (counts_t){.diverging = 0};
  for (size_t i = 0; i < session_finding_count(session); i++) {
    count_finding(canary, session_finding(session, i), out_counts, names);
  }
  printf("%s|%-44s %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %s\n", canary->ops, canary->name, out_counts->diverging,
         out_counts->named, out_counts->right, names->str);
  fflush(stdout);
  session_close(session, 0, NULL);
  executor_close(executor);
}

int main(int argc, char **argv) {
  counts_t total = {.diverging = 0};
  printf("%-44s %8s %8s %8s  %s\n", "fault", "cases", "named", "right", "names");
  for (size_t i = 0; i < G_N_ELEMENTS(canaries); i++) {
    const canary_t *canary = &canaries[i];
    if (canary->is_large || canary->is_nightly) continue;
    if (argc > 1 && strstr(canary->name, argv[1]) == NULL) continue;
    if (g_getenv("SHARE") != NULL && (int)i % atoi(g_getenv("OF")) != atoi(g_getenv("SHARE"))) continue;
    counts_t counts;
    run_canary(canary, &counts);
    total.diverging += counts.diverging;
    total.named += counts.named;
    total.right += counts.right;
  }
  double named = total.diverging > 0 ? 100 * (double)total.named / (double)total.diverging : 0;
  double right = total.named > 0 ? 100 * (double)total.right / (double)total.named : 100;
  printf("%" PRIu64 " diverging cases: %.1f %% named, %.2f %% of the names right\n",
         total.diverging, named, right);
  return 1000 * (total.named - total.right) <= total.named ? 0 : 1;
}
