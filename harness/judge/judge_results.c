/* SPDX-License-Identifier: Apache-2.0 */
/* Walks all components of a result in blocks: fast accept sets first, then the oracle for those
 * outside, up to a limit if all were wrong. Picks the worst wrong component and has it classified.
 */
#include "harness/judge/judge.h"

#include <glib.h>
#include <inttypes.h>
#include <math.h>

#include "harness/judge/block_compare.h"
#include "harness/judge/triage.h"
#include "harness/judge/vacuity.h"

/* One walk over all components. */
typedef struct walk {
  const judge_t *judge;
  const case_t *instance;
  const tensor_t *results;
  verdict_t verdict;
  measures_t measures;
  size_t could_fail_count; /* Conforming components of which some value would have been wrong. */
  vacuity_t vacuity;       /* Of what nobody had computed. */
  size_t asked_count;      /* Components of the present result that were asked about. */
  bool leaves_out;         /* Of those of it that no fast set knows only the sample's are judged. */
  size_t outside_count;    /* Components outside a fast set that were asked about ... */
  bool all_outside_wrong;  /* ... and whether all of them were wrong. */
  bool lacks_oracle;       /* The oracle had no answer: the walk ends there. */
  bool has_wrong;
  wrong_element_t worst; /* Of the wrong ones, if there is one. */
} walk_t;

static void raise_to(double *measure, double value) {
  if (value > *measure) *measure = value;
}

/* Where there is no reference value, the error cannot be smaller than that of any number. */
static double slack_of(const answer_t *answer) {
  return answer->has_reference ? answer->slack : (double)INFINITY;
}

static bool is_worse(const answer_t *a, const answer_t *b) {
  if (slack_of(a) != slack_of(b)) return slack_of(a) > slack_of(b);
  return a->has_reference && b->has_reference && a->ulp_error > b->ulp_error;
}

static void count_wrong(walk_t *walk, uint32_t result, size_t component) {
  const judge_t *judge = walk->judge;
  walk->verdict.wrong_count++;
  if (judge->on_wrong != NULL) judge->on_wrong(judge->decide_context, result, component);
}

static void note_wrong(walk_t *walk, uint32_t result, size_t component, const answer_t *answer) {
  count_wrong(walk, result, component);
  if (walk->has_wrong && !is_worse(answer, &walk->worst.answer)) return;
  walk->has_wrong = true;
  walk->worst = (wrong_element_t){.result = result, .component = component, .answer = *answer};
}

static void note_conforming(walk_t *walk, const answer_t *answer) {
  if (!answer->is_vacuous) walk->could_fail_count++;
  if (answer->is_treeless) walk->verdict.treeless_count++;
  char *observed = walk->verdict.observed;
  if (observed[0] == '\0') g_strlcpy(observed, answer->observed, sizeof walk->verdict.observed);
}

/* Of a result with a sample the first components that the fast set does not hold are asked about,
 * and beyond that those of the sample: theory.md, T135. */
static bool is_left_out(const walk_t *walk, const accept_t *accept, size_t component,
                        bool is_outside) {
  if (accept->sampled == NULL || accept->sampled[component] != 0) return false;
  return is_outside ? walk->asked_count >= ACCEPT_ASKED_MAX : walk->leaves_out;
}

/* Asks the oracle about a component that the fast set does not hold; `is_outside` if a fast set
 * is known there. */
static status_t consult(walk_t *walk, const accept_t *accept, uint32_t result, size_t component,
                        bool is_outside, failure_t *error) {
  const judge_t *judge = walk->judge;
  bool asked_enough =
      judge->decide_wrong_max != 0 && walk->outside_count >= judge->decide_wrong_max;
  if (is_outside && asked_enough && walk->all_outside_wrong) {
    count_wrong(walk, result, component);
    return STATUS_OK;
  }
  if (is_left_out(walk, accept, component, is_outside)) {
    walk->verdict.left_out_count++;
    return STATUS_OK;
  }
  walk->asked_count++;
  failure_t failure = {0};
  answer_t answer = {0};
  const oracle_call_t call = {.instance = walk->instance,
                              .contract = &judge->contract,
                              .results = walk->results,
                              .error = &failure};
  status_t status = judge->decide(judge->decide_context, &call, result, component, &answer);
  if (status == STATUS_UNSUPPORTED || status == STATUS_UNDECIDED) {
    walk->lacks_oracle = true;
    g_strlcpy(walk->verdict.reason, failure.text, sizeof walk->verdict.reason);
    return STATUS_OK;
  }
  if (status != STATUS_OK) {
    if (error != NULL) *error = failure;
    return status;
  }
  if (answer.has_reference) {
    raise_to(&walk->measures.ulp_error, answer.ulp_error);
    raise_to(&walk->measures.slack, answer.slack);
    raise_to(&walk->measures.backward_error, answer.backward_error);
  }
  if (is_outside) {
    walk->outside_count++;
    walk->all_outside_wrong &= !answer.conforms;
  }
  const element_t *element = walk->results[result].type.element;
  if (!answer.is_vacuous && is_outside) {
    vacuity_note(&walk->vacuity, accept, element, component, 1);
  } else if (!answer.is_vacuous) {
    vacuity_refute(&walk->vacuity);
  }
  if (answer.conforms) {
    note_conforming(walk, &answer);
  } else {
    note_wrong(walk, result, component, &answer);
  }
  return STATUS_OK;
}

static bool is_special(const walk_t *walk, const accept_t *accept, uint32_t result,
                       size_t component) {
  const tensor_t *tensor = &walk->results[result];
  const element_t *element = tensor->type.element;
  return element->format != NULL &&
         accept_special_holds(accept, element->format, component,
                              element_load(element, tensor->data, component));
}

/* What differs from its twin is in no fast set: whether it may is the oracle's to say. */
static void reject_unlike_twins(const accept_t *accept, const tensor_t *result,
                                component_block_t *block) {
  if (accept->twin == NULL) return;
  for (size_t i = 0; i < block->count; i++) {
    bool differs = accept_differs_from_twin(accept, result, block->first + i);
    block->rejected[i] |= differs ? 1 : 0;
    block->rejected_any |= differs ? 1 : 0;
  }
}

static status_t judge_block(walk_t *walk, uint32_t result, const accept_t *accept,
                            component_block_t *block, failure_t *error) {
  const tensor_t *tensor = &walk->results[result];
  block_compare(accept, tensor, block, &walk->measures);
  reject_unlike_twins(accept, tensor, block);
  const element_t *element = tensor->type.element;
  if (block->rejected_any == 0) {
    vacuity_note(&walk->vacuity, accept, element, block->first, block->count);
    walk->could_fail_count += block->count;
    walk->could_fail_count -= vacuity_count_open(accept, element, block->first, block->count);
    return STATUS_OK;
  }
  for (size_t i = 0; i < block->count && !walk->lacks_oracle; i++) {
    size_t component = block->first + i;
    bool is_known = accept->decide == NULL || accept->decide[component] == 0;
    bool is_outside = is_known && !accept_differs_from_twin(accept, tensor, component);
    bool is_inside = block->rejected[i] == 0;
    if (is_inside || (is_outside && is_special(walk, accept, result, component))) {
      vacuity_note(&walk->vacuity, accept, element, component, 1);
      walk->could_fail_count += 1 - vacuity_count_open(accept, element, component, 1);
      continue;
    }
    STATUS_TRY(consult(walk, accept, result, component, is_outside, error));
  }
  return STATUS_OK;
}

/* Whether too many components are known to no fast set. */
static bool leaves_out(const accept_t *accept) {
  if (accept->sampled == NULL || accept->decide == NULL) return false;
  size_t unknown = 0;
  for (size_t i = 0; i < accept->count; i++) unknown += accept->decide[i] != 0;
  return accept->leaves_out || unknown > ACCEPT_ASKED_MAX;
}

static void note_sample(verdict_t *verdict, const accept_t *accept, size_t left_out_before) {
  if (verdict->left_out_count == left_out_before) return;
  uint64_t draws = verdict->sample_draws == 0 ? UINT64_MAX : verdict->sample_draws;
  verdict->sample_draws = MIN(draws, accept->sample_draws);
}

static status_t judge_result(walk_t *walk, uint32_t result, const accept_t *accept,
                             failure_t *error) {
  size_t count = type_component_count(&walk->results[result].type);
  size_t left_out_before = walk->verdict.left_out_count;
  walk->verdict.component_count += count;
  walk->asked_count = 0;
  walk->leaves_out = leaves_out(accept);
  for (size_t first = 0; first < count && !walk->lacks_oracle; first += COMPONENT_BLOCK) {
    component_block_t block;
    block.first = first;
    block.count = MIN(count - first, (size_t)COMPONENT_BLOCK);
    STATUS_TRY(judge_block(walk, result, accept, &block, error));
  }
  note_sample(&walk->verdict, accept, left_out_before);
  return STATUS_OK;
}

void judge_print_component(const element_t *element, uint64_t bits, char *out, size_t out_bytes) {
  int digits = (element->bits + 3) / 4;
  if (element->format != NULL && format_is_nan(element->format, bits)) {
    g_snprintf(out, out_bytes, "nan (%0*" PRIx64 ")", digits, bits);
  } else if (element->format != NULL) {
    double value = format_to_double(element->format, bits);
    g_snprintf(out, out_bytes, "%a (%0*" PRIx64 ")", value, digits, bits);
  } else if (element->kind == ELEMENT_UNSIGNED) {
    g_snprintf(out, out_bytes, "%" PRIu64 " (%0*" PRIx64 ")", bits, digits, bits);
  } else {
    int64_t value = element_signed_value(element, bits);
    g_snprintf(out, out_bytes, "%" PRId64 " (%0*" PRIx64 ")", value, digits, bits);
  }
}

static status_t describe_worst(walk_t *walk, failure_t *error) {
  verdict_t *verdict = &walk->verdict;
  const wrong_element_t *worst = &walk->worst;
  const tensor_t *result = &walk->results[worst->result];
  const element_t *element = result->type.element;
  verdict->outcome = OUTCOME_diverges;
  verdict->class_ = CLASS_value;
  if (walk->judge->skips_class) return STATUS_OK;
  verdict->result = worst->result;
  verdict->component = worst->component;
  verdict->got_bits = element_load(element, result->data, worst->component);
  judge_print_component(element, verdict->got_bits, verdict->got, sizeof verdict->got);
  g_strlcpy(verdict->expected, worst->answer.expected, sizeof verdict->expected);
  verdict->reason[0] = '\0';
  char observed[sizeof worst->answer.observed];
  const oracle_call_t call = {.instance = walk->instance,
                              .contract = &walk->judge->contract,
                              .results = walk->results,
                              .error = error};
  STATUS_TRY(triage(walk->judge, &call, worst, &verdict->class_, observed));
  if (observed[0] != '\0') g_strlcpy(verdict->observed, observed, sizeof verdict->observed);
  return STATUS_OK;
}

status_t judge_results(const judge_t *judge, const case_t *instance, const accept_t *accepts,
                       const tensor_t *results, verdict_t *out_verdict, failure_t *error) {
  walk_t walk = {
      .judge = judge, .instance = instance, .results = results, .all_outside_wrong = true};
  for (uint32_t i = 0; i < instance->program.result_count && !walk.lacks_oracle; i++) {
    if ((judge->unjudged >> i & 1) != 0) continue;
    walk.verdict.treeless_count += accepts[i].treeless_count;
    STATUS_TRY(judge_result(&walk, i, &accepts[i], error));
  }
  size_t tested = walk.could_fail_count + walk.verdict.wrong_count;
  if (!walk.lacks_oracle) walk.verdict.untested_count = walk.verdict.component_count - tested;
  walk.verdict.ulp_error_max = walk.measures.ulp_error;
  walk.verdict.slack_max = walk.measures.slack;
  walk.verdict.backward_error_max = walk.measures.backward_error;
  if (walk.has_wrong) { /* Proven, even if the oracle knew nothing of another component. */
    STATUS_TRY(describe_worst(&walk, error));
  } else if (walk.lacks_oracle) {
    walk.verdict.outcome = OUTCOME_no_oracle;
  } else {
    const char *blind = vacuity_find(&walk.vacuity);
    bool is_weak = walk.could_fail_count == 0 || blind != NULL;
    walk.verdict.outcome = is_weak ? OUTCOME_weak : OUTCOME_conforms;
    if (blind != NULL) g_strlcpy(walk.verdict.reason, blind, sizeof walk.verdict.reason);
    /* The fast set measures from one variant of the program; what lies outside it may conform by
     * another (more initial values, say), and has then used up no more than is permitted. */
    walk.verdict.slack_max = fmin(walk.verdict.slack_max, 1);
  }
  *out_verdict = walk.verdict;
  return STATUS_OK;
}
