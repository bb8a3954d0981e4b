/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/judge/blind.h"

#include <string.h>

enum {
  SAMPLED_MAX = 8
}; /* Of each result: components apart from one another, for each may cost. */

typedef struct blind {
  const judge_t *judge;
  const case_t *instance;
  const accept_t *accepts;
  tensor_t results[CASE_RESULTS_MAX]; /* Copies, in which an answer stands. */
  decision_memo_t memo;               /* Of these, and no others. */
} blind_t;

static bool is_judged(const judge_t *judge, uint32_t result, size_t component) {
  const uint8_t *margin = judge->margins[result];
  return (judge->unjudged >> result & 1) == 0 && (margin == NULL || margin[component] == 0);
}

/* Puts an answer wherever it is known and wrong. */
static void fill(blind_t *blind, const tensor_t *results, blind_answer_t answer) {
  const program_t *program = &blind->instance->program;
  for (uint32_t r = 0; r < program->result_count; r++) {
    tensor_t *copy = &blind->results[r];
    const element_t *element = copy->type.element;
    memcpy(copy->data, results[r].data, type_bytes(&copy->type));
    for (size_t i = 0; i < blind->accepts[r].count; i++) {
      uint64_t bits = 0;
      if (!vacuity_wrong_bits(&blind->accepts[r], element, i, answer, &bits)) continue;
      element_store(element, copy->data, i, bits);
    }
  }
}

/* Whether the oracle refuses an answer somewhere in its sample, or has nothing to say of it; true
 * if there is nothing to ask about. */
static bool is_refused(blind_t *blind, blind_answer_t answer) {
  bool has_asked = false;
  for (uint32_t r = 0; r < blind->instance->program.result_count; r++) {
    const accept_t *accept = &blind->accepts[r];
    for (size_t k = 0; k < SAMPLED_MAX && k < accept->count; k++) {
      size_t i = accept->count <= SAMPLED_MAX ? k : k * (accept->count / SAMPLED_MAX);
      uint64_t bits = 0;
      const element_t *element = blind->results[r].type.element;
      bool is_wrong = vacuity_wrong_bits(accept, element, i, answer, &bits);
      if (!is_wrong || !is_judged(blind->judge, r, i)) continue;
      failure_t failure = {0};
      answer_t said = {0};
      const oracle_call_t call = {.instance = blind->instance,
                                  .contract = &blind->judge->contract,
                                  .results = blind->results,
                                  .memo = &blind->memo,
                                  .error = &failure};
      status_t status = blind->judge->decide(blind->judge->decide_context, &call, r, i, &said);
      if (status != STATUS_OK || !said.conforms) return true;
      has_asked = true;
    }
  }
  return !has_asked;
}

status_t blind_reconsider(const judge_t *judge, const case_t *instance, const accept_t *accepts,
                          const tensor_t *results, judge_tally_t *inout_tally) {
  judge_tally_t *tally = inout_tally;
  bool is_due = tally->has_outside_conforming && !tally->has_wrong && !tally->has_exact &&
                !tally->lacks_oracle && !judge->skips_class && judge->decide != NULL;
  if (!is_due) return STATUS_OK;
  blind_t blind = {.judge = judge, .instance = instance, .accepts = accepts};
  arena_t arena;
  arena_init(&arena);
  for (uint32_t r = 0; r < instance->program.result_count; r++) {
    blind.results[r] = tensor_make(&arena, &results[r].type);
  }
  for (blind_answer_t answer = 0; answer < BLIND_COUNT; answer++) {
    vacuity_t *vacuity = &tally->vacuity;
    if (!vacuity->is_refuted[answer] || !vacuity->is_wrong[answer]) continue;
    decision_memo_init(&blind.memo);
    fill(&blind, results, answer);
    vacuity->is_refuted[answer] = is_refused(&blind, answer);
    vacuity->is_asked[answer] = !vacuity->is_refuted[answer];
    decision_memo_deinit(&blind.memo);
  }
  arena_deinit(&arena);
  return STATUS_OK;
}
