/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/judge/blind.h"

enum {
  /* Of each result: apart from one another, for each may cost.  How many there are decides nothing
   * about a result, only whether that it conforms is said to prove anything. */
  SAMPLED_MAX = 8,
  COMPONENTS_MAX = 1 << 20 /* Of a result: the oracle is asked about the case as a whole. */
};

typedef struct blind {
  const judge_t *judge;
  const case_t *instance;
  tensor_t zeros[CASE_RESULTS_MAX];
} blind_t;

typedef enum said { SAID_NOTHING, SAID_CONFORMS, SAID_REFUSED } said_t;

/* Of a component whose exact value is not known, or is zero, nothing is learnt. */
static said_t ask(blind_t *blind, uint32_t result, size_t component) {
  failure_t failure = {0};
  answer_t answer = {0};
  const oracle_call_t call = {.instance = blind->instance,
                              .contract = &blind->judge->contract,
                              .results = blind->zeros,
                              .is_any_way = true,
                              .error = &failure};
  const judge_t *judge = blind->judge;
  status_t status = judge->decide(judge->decide_context, &call, result, component, &answer);
  if (status != STATUS_OK || !answer.conforms) return SAID_REFUSED;
  return answer.has_reference && answer.ulp_error > 0 ? SAID_CONFORMS : SAID_NOTHING;
}

/* The k-th of those that are asked about, one of each of as many equal stretches; not the same
 * place in all of them, which in a tensor of rows would be one column. */
static size_t sampled(size_t count, size_t asked, size_t k) {
  static const size_t step = 7919; /* A prime, so that it shares no factor with sizes of rows. */
  size_t stretch = count / asked;
  return k * stretch + k * step % stretch;
}

/* Up to the first that is refused. */
static bool conforms_wherever_asked(blind_t *blind) {
  bool has_conformed = false;
  for (uint32_t r = 0; r < blind->instance->program.result_count; r++) {
    if ((blind->judge->unjudged >> r & 1) != 0) continue;
    size_t count = type_component_count(&blind->zeros[r].type);
    size_t asked = count < SAMPLED_MAX ? count : SAMPLED_MAX;
    for (size_t k = 0; k < asked; k++) {
      said_t said = ask(blind, r, sampled(count, asked, k));
      if (said == SAID_REFUSED) return false;
      has_conformed |= said == SAID_CONFORMS;
    }
  }
  return has_conformed;
}

bool blind_zeros_conform(const judge_t *judge, const case_t *instance, const tensor_t *results,
                         const judge_tally_t *tally) {
  bool is_due = tally->has_outside_conforming && !tally->has_exact && !judge->skips_class &&
                judge->decide != NULL;
  uint32_t count = instance->program.result_count;
  for (uint32_t r = 0; r < count; r++) {
    is_due &= type_component_count(&results[r].type) <= COMPONENTS_MAX;
  }
  if (!is_due) return false;
  blind_t blind = {.judge = judge, .instance = instance};
  arena_t arena;
  arena_init(&arena);
  for (uint32_t r = 0; r < count; r++) {
    blind.zeros[r] = (tensor_t){.type = results[r].type};
    blind.zeros[r].data = arena_alloc_zeroed(&arena, type_bytes(&results[r].type) + 1);
  }
  bool conforms = conforms_wherever_asked(&blind);
  arena_deinit(&arena);
  return conforms;
}
