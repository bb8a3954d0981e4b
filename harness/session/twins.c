/* SPDX-License-Identifier: Apache-2.0 */
/* What a session does with executors that are twins: a difference that the oracle cannot judge is
 * held against the steps, and one where both conform is kept in the ledger of bits. */
#include "harness/invariance/twins.h"

#include <string.h>

#include "harness/session/bit_history.h"
#include "harness/session/state.h"

/* Cases that are kept for two twins, an algorithm and types. */
enum { KEPT_MAX = 8 };

/* The twin that runs modules step by step is the same executor for all else. */
static bool runs_steps(const session_options_t *options, size_t index) {
  size_t twin = options->twins[index];
  if (twin >= index) return false;
  g_autofree char *name = twins_name(executor_name(options->executors[twin]));
  return strcmp(name, executor_name(options->executors[index])) == 0;
}

void session_find_followers(session_t *session) {
  const session_options_t *options = &session->options;
  if (options->twins == NULL) return;
  session->follows = g_new0(bool, options->executor_count);
  for (size_t i = 0; i < options->executor_count; i++) {
    session->follows[i] = runs_steps(options, i);
    if (session->follows[i]) stream_leave(&session->stream, i);
  }
}

bool session_follows(const session_t *session, size_t executor) {
  return session->follows != NULL && session->follows[executor];
}

void session_hold_against_twin(session_t *session, size_t index, const case_t *instance,
                               verdict_t *inout_verdict) {
  const session_options_t *options = &session->options;
  if (options->twins == NULL || options->twins[index] == index) return;
  const twins_question_t question = {.instance = instance,
                                     .contract = &options->contract,
                                     .executor = options->executors[index],
                                     .twin = options->executors[options->twins[index]],
                                     .arena = &session->arena};
  twins_judge(&question, inout_verdict);
}

/* How often both conformed with other bits, for the present label. */
static uint64_t count_changes(const session_t *session, size_t first, size_t second) {
  const tally_label_t *label = &session->label;
  for (size_t i = 0; i < pair_tally_count(session->pairs); i++) {
    const pair_row_t *row = pair_tally_at(session->pairs, i);
    if (row->first == first && row->second == second && row->label.op == label->op &&
        row->label.algorithm == label->algorithm && row->label.types == label->types) {
      return row->cases[PAIR_BOTH_CONFORM];
    }
  }
  return 0;
}

static bool is_change_of_bits(const result_digest_t *one, const result_digest_t *other) {
  bool are_conforming = one->has_results && other->has_results &&
                        one->outcome == OUTCOME_conforms && other->outcome == OUTCOME_conforms;
  return are_conforming &&
         (one->digest.high != other->digest.high || one->digest.low != other->digest.low);
}

void session_keep_changed_bits(session_t *session, const case_t *instance) {
  const session_options_t *options = &session->options;
  if (options->twins == NULL || options->store == NULL) return;
  for (size_t i = 0; i < options->executor_count; i++) {
    size_t twin = options->twins[i];
    if (twin <= i || !is_change_of_bits(&session->responses[i], &session->responses[twin]) ||
        count_changes(session, i, twin) > KEPT_MAX) {
      continue;
    }
    const size_t both[2] = {i, twin};
    for (size_t k = 0; k < 2; k++) {
      const session_answer_t answer = {.executor = both[k],
                                       .instance = instance,
                                       .label = &session->label,
                                       .verdict = &session->latest[both[k]],
                                       .response = &session->responses[both[k]]};
      bit_history_add(options->store, session, &answer);
    }
  }
}
