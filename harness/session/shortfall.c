/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the numbers of judged cases with those requested, in total and per op, and describes
 * why they fell short: refusals with the main reason, vacuous results, no oracle. */
#include "harness/session/shortfall.h"

#include <inttypes.h>
#include <string.h>

/* An op that nobody asked for by name, of which there are fewer cases, was looked at only. */
enum { CASES_THAT_COUNT = 64 };

static uint64_t count_cases(const shortfall_t *sums) {
  uint64_t cases = 0;
  for (int i = 0; i < OUTCOME_COUNT; i++) cases += sums->outcomes[i];
  return cases;
}

static uint64_t count_judged(const shortfall_t *sums) {
  uint64_t cases = 0;
  for (int i = 0; i < OUTCOME_COUNT; i++) {
    if (outcome_is_judged((outcome_t)i)) cases += sums->outcomes[i];
  }
  return cases;
}

/* The sums of an executor by op, in order of first appearance. */
static GArray *sum_by_op(const session_t *session, size_t executor) {
  GArray *ops = g_array_new(FALSE, TRUE, sizeof(shortfall_t));
  tally_t *tally = session_tally(session);
  for (size_t i = 0; i < tally_count(tally); i++) {
    const tally_row_t *row = tally_at(tally, i);
    if (row->executor != executor) continue;
    guint at = 0;
    while (at < ops->len && g_array_index(ops, shortfall_t, at).op != row->label.op) at++;
    if (at == ops->len) {
      const shortfall_t sums = {.executor = executor, .op = row->label.op, .reason = ""};
      g_array_append_val(ops, sums);
    }
    g_array_index(ops, shortfall_t, at).outcomes[row->outcome] += row->cases - row->asked;
  }
  return ops;
}

/* What was said to most of the refused cases of an executor; `op` as in shortfall_t. */
static const char *find_reason(const session_t *session, size_t executor, const char *op) {
  tally_t *tally = session_tally(session);
  const char *reason = "";
  uint64_t most = 0;
  for (size_t i = 0; i < tally_count(tally); i++) {
    const tally_row_t *row = tally_at(tally, i);
    bool is_meant = row->executor == executor && (op == NULL || row->label.op == op);
    if (!is_meant || row->outcome != OUTCOME_refused || row->cases <= most) continue;
    most = row->cases;
    reason = row->reason;
  }
  return reason;
}

static bool is_op_short(const shortfall_t *sums, bool is_named) {
  uint64_t cases = count_cases(sums);
  if (2 * count_judged(sums) >= cases) return false;
  return is_named || (sums->outcomes[OUTCOME_refused] < cases && cases >= CASES_THAT_COUNT);
}

/* The op of which most was judged. */
static const char *find_best(const GArray *ops) {
  const char *best = NULL;
  uint64_t most = 0;
  for (guint i = 0; i < ops->len; i++) {
    const shortfall_t *sums = &g_array_index(ops, shortfall_t, i);
    if (count_judged(sums) <= most) continue;
    most = count_judged(sums);
    best = sums->op;
  }
  return best;
}

/* True if there is one. */
static bool add_whole(const session_t *session, size_t executor, const GArray *ops,
                      GArray *shortfalls) {
  shortfall_t whole = {.executor = executor,
                       .given_up = session_given_up(session, executor),
                       .end = session_end(session),
                       .reason = find_reason(session, executor, NULL)};
  for (guint i = 0; i < ops->len; i++) {
    const shortfall_t *sums = &g_array_index(ops, shortfall_t, i);
    for (int k = 0; k < OUTCOME_COUNT; k++) whole.outcomes[k] += sums->outcomes[k];
  }
  whole.judged = count_judged(&whole);
  bool is_limited = !session_follows(session, executor);
  whole.of = is_limited ? session_options(session)->cases_max : 0;
  if (whole.of == 0 && whole.judged == 0) {
    whole.of = is_limited ? session_cases(session) : count_cases(&whole);
  }
  if (whole.judged >= whole.of) return false;
  if (session_options(session)->stream.op_count > 1) whole.hint = find_best(ops);
  g_array_append_val(shortfalls, whole);
  return true;
}

GArray *shortfall_find(const session_t *session, bool ops_are_named) {
  GArray *shortfalls = g_array_new(FALSE, FALSE, sizeof(shortfall_t));
  const session_options_t *options = session_options(session);
  for (size_t i = 0; i < options->executor_count; i++) {
    GArray *ops = sum_by_op(session, i);
    bool is_short = add_whole(session, i, ops, shortfalls);
    /* Of an op that is run alone that says all: as many of its cases were judged as were asked for,
     * however many programs an executor of few types has refused meanwhile. */
    bool is_said = ops->len == 1 && (is_short || options->cases_max > 0);
    for (guint k = 0; k < ops->len && !is_said; k++) {
      shortfall_t sums = g_array_index(ops, shortfall_t, k);
      if (!is_op_short(&sums, ops_are_named)) continue;
      sums.judged = count_judged(&sums);
      sums.of = count_cases(&sums);
      sums.reason = find_reason(session, i, sums.op);
      if (sums.judged > 0 && options->stream.op_count > 1) sums.hint = sums.op;
      g_array_append_val(shortfalls, sums);
    }
    g_array_unref(ops);
  }
  return shortfalls;
}

/* ---- In words -------------------------------------------------------------------------------- */

static void print_part(uint64_t cases, const char *words, GString *out_text) {
  if (cases > 0) g_string_append_printf(out_text, ", %" PRIu64 " %s", cases, words);
}

static void print_end(const session_t *session, const shortfall_t *shortfall, GString *out_text) {
  switch (shortfall->end) {
    case SESSION_END_DRAWS:
      g_string_append_printf(out_text, ", no more than %" PRIu64 " are drawn (--draws)",
                             session_options(session)->draws_max);
      break;
    case SESSION_END_TIME:
      g_string_append(out_text, ", time was up (--time)");
      break;
    case SESSION_END_STOPPED:
      g_string_append(out_text, ", interrupted");
      break;
    case SESSION_END_PROGRAMS:
      g_string_append(out_text, ", no executor takes more of any --program");
      break;
    case SESSION_END_NONE:
    case SESSION_END_JUDGED:
    default:
      break;
  }
}

void shortfall_print(const session_t *session, const shortfall_t *shortfall, GString *out_text) {
  const uint64_t *outcomes = shortfall->outcomes;
  g_string_append_printf(out_text, "judged %" PRIu64 " of %" PRIu64, shortfall->judged,
                         shortfall->of);
  if (shortfall->op != NULL) g_string_append_printf(out_text, " of %s", shortfall->op);
  const char *name = executor_name(session_options(session)->executors[shortfall->executor]);
  g_string_append_printf(out_text, ": %s refused %" PRIu64, name, outcomes[OUTCOME_refused]);
  if (shortfall->reason[0] != '\0') g_string_append_printf(out_text, " (%s)", shortfall->reason);
  print_part(outcomes[OUTCOME_weak], "weak", out_text);
  print_part(outcomes[OUTCOME_no_oracle], "without an oracle", out_text);
  print_part(outcomes[OUTCOME_failed], "failed", out_text);
  if (shortfall->given_up > 0) {
    g_string_append_printf(out_text,
                           ", gave up on %" PRIu64 " of the programs after %d failures each",
                           shortfall->given_up, SESSION_FAILURES_PER_PROGRAM_MAX);
  }
  print_end(session, shortfall, out_text);
  if (shortfall->hint != NULL) g_string_append_printf(out_text, ", try --op %s", shortfall->hint);
}
