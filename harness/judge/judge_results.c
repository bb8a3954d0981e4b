/* SPDX-License-Identifier: Apache-2.0 */
/* Walks all components of a result in blocks: fast accept sets first, then the oracle for those
 * outside, up to a limit if all were wrong. Picks the worst wrong component and has it classified.
 */
#include "harness/judge/judge.h"

#include <glib.h>
#include <math.h>

#include "harness/judge/blind.h"
#include "harness/judge/tally.h"

/* One walk over all components. */
typedef struct walk {
  const judge_t *judge;
  const case_t *instance;
  const tensor_t *results;
  judge_tally_t *tally;
  bool is_too_rough;      /* A component lies outside of a rough set. */
  size_t asked_count;     /* Components of the present result that were asked about. */
  bool leaves_out;        /* Of those of it that no fast set knows only the sample's are judged. */
  size_t outside_count;   /* Components outside a fast set that were asked about ... */
  bool all_outside_wrong; /* ... and whether all of them were wrong. */
} walk_t;

static void raise_to(double *measure, double value) {
  if (value > *measure) *measure = value;
}

/* Where there is no reference value, the error cannot be smaller than that of any number. */
static double slack_of(const answer_t *answer) {
  return answer->has_reference ? answer->slack : (double)INFINITY;
}
static double ulp_error_of(const answer_t *answer) {
  return answer->has_reference ? answer->ulp_error : (double)INFINITY;
}

/* An order, so that the worst of all is the worst of those of parts. */
static bool is_worse(const answer_t *a, const answer_t *b) {
  if (slack_of(a) != slack_of(b)) return slack_of(a) > slack_of(b);
  return ulp_error_of(a) > ulp_error_of(b);
}

static void count_wrong(walk_t *walk, uint32_t result, size_t component) {
  const judge_t *judge = walk->judge;
  walk->tally->verdict.wrong_count++;
  if (judge->on_wrong != NULL) judge->on_wrong(judge->decide_context, result, component);
}

static void note_wrong(walk_t *walk, uint32_t result, size_t component, const answer_t *answer) {
  count_wrong(walk, result, component);
  if (walk->tally->has_wrong && !is_worse(answer, &walk->tally->worst.answer)) return;
  walk->tally->has_wrong = true;
  walk->tally->worst =
      (wrong_element_t){.result = result, .component = component, .answer = *answer};
}

static void note_conforming(walk_t *walk, const answer_t *answer) {
  if (!answer->is_vacuous) walk->tally->could_fail_count++;
  if (answer->is_treeless) walk->tally->verdict.treeless_count++;
  char *observed = walk->tally->verdict.observed;
  if (observed[0] == '\0')
    g_strlcpy(observed, answer->observed, sizeof walk->tally->verdict.observed);
}

/* Of a result with a sample the first components that the fast set does not hold are asked about,
 * and beyond that those of the sample: theory.md, T135. */
static bool is_left_out(const walk_t *walk, const accept_t *accept, size_t component,
                        bool is_outside) {
  if (accept->sampled == NULL || accept->sampled[component] != 0) return false;
  return is_outside ? walk->asked_count >= accept_asked_max(accept) : walk->leaves_out;
}

/* Asks the oracle about a component that the fast set does not hold; `is_outside` if a fast set
 * is known there. */
static status_t consult(walk_t *walk, const accept_t *accept, uint32_t result, size_t component,
                        bool is_outside, failure_t *error) {
  const judge_t *judge = walk->judge;
  bool asked_enough =
      judge->decide_wrong_max != 0 && walk->outside_count >= judge->decide_wrong_max;
  if (is_outside && (judge->takes_for_wrong || (asked_enough && walk->all_outside_wrong))) {
    count_wrong(walk, result, component);
    return STATUS_OK;
  }
  if (is_left_out(walk, accept, component, is_outside)) {
    walk->tally->verdict.left_out_count++;
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
    walk->tally->lacks_oracle = true;
    g_strlcpy(walk->tally->verdict.reason, failure.text, sizeof walk->tally->verdict.reason);
    return STATUS_OK;
  }
  if (status != STATUS_OK) {
    if (error != NULL) *error = failure;
    return status;
  }
  if (answer.has_reference) {
    raise_to(&walk->tally->measures.ulp_error, answer.ulp_error);
    raise_to(&walk->tally->measures.slack, answer.slack);
    raise_to(&walk->tally->measures.backward_error, answer.backward_error);
  }
  if (is_outside) {
    walk->outside_count++;
    walk->all_outside_wrong &= !answer.conforms;
    walk->tally->outside_count++;
    walk->tally->has_outside_conforming |= answer.conforms;
  }
  const element_t *element = walk->results[result].type.element;
  if (!answer.is_vacuous && is_outside) {
    vacuity_note(&walk->tally->vacuity, accept, element, component, 1);
  } else if (!answer.is_vacuous) {
    vacuity_refute(&walk->tally->vacuity);
    walk->tally->has_exact = true;
  }
  if (answer.conforms) {
    note_conforming(walk, &answer);
  } else {
    note_wrong(walk, result, component, &answer);
  }
  return STATUS_OK;
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

/* Notes components of one block that the fast set holds. */
static void note_held(walk_t *walk, const accept_t *accept, const element_t *element, size_t first,
                      size_t count) {
  if (count == 0) return;
  vacuity_note(&walk->tally->vacuity, accept, element, first, count);
  walk->tally->could_fail_count += count - vacuity_count_open(accept, element, first, count);
}

static status_t judge_block(walk_t *walk, uint32_t result, const accept_t *accept,
                            component_block_t *block, failure_t *error) {
  const tensor_t *tensor = &walk->results[result];
  block_compare(accept, tensor, block, &walk->tally->measures);
  walk->is_too_rough = accept->is_rough && block->rejected_any != 0;
  if (walk->is_too_rough) return STATUS_OK;
  reject_unlike_twins(accept, tensor, block);
  const element_t *element = tensor->type.element;
  if (block->rejected_any == 0) {
    note_held(walk, accept, element, block->first, block->count);
    return STATUS_OK;
  }
  size_t held = block->first; /* From here on all are held. */
  for (size_t i = 0; i < block->count && !walk->tally->lacks_oracle; i++) {
    size_t component = block->first + i;
    if (block->rejected[i] == 0) continue;
    bool is_known = accept->decide == NULL || accept->decide[component] == 0;
    bool is_outside = is_known && !accept_differs_from_twin(accept, tensor, component);
    note_held(walk, accept, element, held, component - held);
    held = component + 1;
    STATUS_TRY(consult(walk, accept, result, component, is_outside, error));
  }
  size_t end = block->first + block->count;
  if (!walk->tally->lacks_oracle) note_held(walk, accept, element, held, end - held);
  return STATUS_OK;
}

/* Whether too many components are known to no fast set. */
static bool leaves_out(const accept_t *accept) {
  if (accept->sampled == NULL || accept->decide == NULL) return false;
  size_t unknown = 0;
  for (size_t i = 0; i < accept->count; i++) unknown += accept->decide[i] != 0;
  return accept->leaves_out || unknown > accept_asked_max(accept);
}

static void note_sample(verdict_t *verdict, const accept_t *accept, size_t left_out_before) {
  if (verdict->left_out_count == left_out_before) return;
  uint64_t draws = verdict->sample_draws == 0 ? UINT64_MAX : verdict->sample_draws;
  verdict->sample_draws = MIN(draws, accept->sample_draws);
}

/* Components from the first on that lie in the margin, or do not. */
static size_t count_run(const uint8_t *margin, size_t first, size_t count, bool is_margin) {
  if (margin == NULL) return is_margin ? 0 : count - first;
  size_t end = first;
  while (end < count && (margin[end] != 0) == is_margin) end++;
  return end - first;
}

/* Those that the fast set has judged without a tree. */
static size_t count_treeless(const accept_t *accept, const uint8_t *margin) {
  if (margin == NULL || accept->treeless == NULL) return accept->treeless_count;
  size_t count = 0;
  for (size_t i = 0; i < accept->count; i++) count += accept->treeless[i] != 0 && margin[i] == 0;
  return count;
}

static status_t judge_result(walk_t *walk, uint32_t result, const accept_t *accept,
                             failure_t *error) {
  size_t count = type_component_count(&walk->results[result].type);
  size_t left_out_before = walk->tally->verdict.left_out_count;
  const uint8_t *margin = walk->judge->margins[result];
  walk->asked_count = 0;
  walk->leaves_out = leaves_out(accept);
  for (size_t first = 0; first < count && !walk->tally->lacks_oracle && !walk->is_too_rough;) {
    component_block_t block;
    block.first = first + count_run(margin, first, count, true);
    block.count = count_run(margin, block.first, count, false);
    block.count = MIN(block.count, (size_t)COMPONENT_BLOCK);
    first = block.first + block.count;
    walk->tally->verdict.component_count += block.count;
    STATUS_TRY(judge_block(walk, result, accept, &block, error));
  }
  note_sample(&walk->tally->verdict, accept, left_out_before);
  return STATUS_OK;
}

static status_t describe_worst(const judge_t *judge, const case_t *instance,
                               const tensor_t *results, const wrong_element_t *worst,
                               verdict_t *verdict, failure_t *error) {
  const tensor_t *result = &results[worst->result];
  const element_t *element = result->type.element;
  verdict->outcome = OUTCOME_diverges;
  verdict->class_ = CLASS_value;
  if (judge->skips_class) return STATUS_OK;
  verdict->result = worst->result;
  verdict->component = worst->component;
  verdict->got_bits = element_load(element, result->data, worst->component);
  judge_print_component(element, verdict->got_bits, verdict->got, sizeof verdict->got);
  g_strlcpy(verdict->expected, worst->answer.expected, sizeof verdict->expected);
  verdict->reason[0] = '\0';
  const oracle_call_t call = {
      .instance = instance, .contract = &judge->contract, .results = results, .error = error};
  triage_t told;
  STATUS_TRY(triage(judge, &call, worst, &told));
  verdict->class_ = told.class_;
  verdict->blame = told.blame;
  /* What right elements conformed by explains nothing. */
  g_strlcpy(verdict->observed, told.observed, sizeof verdict->observed);
  return STATUS_OK;
}

/* *out_is_settled is false if better sets may tell another verdict: a component lies outside of a
 * rough one, or what these hold besides the results leaves open whether the verdict proves
 * anything.
 */
static status_t count_by(walk_t *walk, const accept_t *accepts, bool *out_is_settled,
                         failure_t *error) {
  judge_tally_t *tally = walk->tally;
  const judge_t *judge = walk->judge;
  *tally = (judge_tally_t){.has_wrong = false};
  bool is_rough = false;
  for (uint32_t i = 0; i < walk->instance->program.result_count && !tally->lacks_oracle; i++) {
    if ((judge->unjudged >> i & 1) != 0 || walk->is_too_rough) continue;
    is_rough |= accepts[i].is_rough;
    tally->verdict.treeless_count += count_treeless(&accepts[i], judge->margins[i]);
    STATUS_TRY(judge_result(walk, i, &accepts[i], error));
  }
  bool may_be_weak = is_rough && vacuity_find(&tally->vacuity) != NULL;
  *out_is_settled = !walk->is_too_rough && !may_be_weak;
  return STATUS_OK;
}

status_t judge_count(const judge_t *judge, const case_t *instance, const accept_t *accepts,
                     const tensor_t *results, judge_tally_t *out_tally, failure_t *error) {
  const walk_t begin = {.judge = judge,
                        .instance = instance,
                        .results = results,
                        .tally = out_tally,
                        .all_outside_wrong = true};
  walk_t walk = begin;
  bool is_settled;
  STATUS_TRY(count_by(&walk, accepts, &is_settled, error));
  if (is_settled) return STATUS_OK;
  accept_t refined[CASE_RESULTS_MAX];
  STATUS_TRY(judge->refine(judge->decide_context, &judge->contract, refined, error));
  walk = begin;
  return count_by(&walk, refined, &is_settled, error);
}

/* The worst is the same in whichever parts the components came: of equals the first. */
static bool comes_before(const wrong_element_t *a, const wrong_element_t *b) {
  if (is_worse(&a->answer, &b->answer)) return true;
  if (is_worse(&b->answer, &a->answer)) return false;
  return a->result != b->result ? a->result < b->result : a->component < b->component;
}

static void add_counts(verdict_t *total, const verdict_t *part) {
  total->wrong_count += part->wrong_count;
  total->component_count += part->component_count;
  total->left_out_count += part->left_out_count;
  total->treeless_count += part->treeless_count;
  if (part->left_out_count > 0) {
    uint64_t draws = total->sample_draws == 0 ? UINT64_MAX : total->sample_draws;
    total->sample_draws = MIN(draws, part->sample_draws);
  }
  if (total->observed[0] == '\0') {
    g_strlcpy(total->observed, part->observed, sizeof total->observed);
  }
  if (total->reason[0] == '\0') g_strlcpy(total->reason, part->reason, sizeof total->reason);
}

void judge_tally_add(judge_tally_t *inout_total, const judge_tally_t *part) {
  judge_tally_t *total = inout_total;
  if (total->lacks_oracle) return;
  add_counts(&total->verdict, &part->verdict);
  raise_to(&total->measures.ulp_error, part->measures.ulp_error);
  raise_to(&total->measures.slack, part->measures.slack);
  raise_to(&total->measures.backward_error, part->measures.backward_error);
  total->could_fail_count += part->could_fail_count;
  for (int i = 0; i < BLIND_COUNT; i++) {
    total->vacuity.is_refuted[i] |= part->vacuity.is_refuted[i];
    total->vacuity.is_wrong[i] |= part->vacuity.is_wrong[i];
  }
  total->outside_count += part->outside_count;
  total->has_outside_conforming |= part->has_outside_conforming;
  total->has_exact |= part->has_exact;
  total->lacks_oracle = part->lacks_oracle;
  bool is_worst =
      part->has_wrong && (!total->has_wrong || comes_before(&part->worst, &total->worst));
  if (is_worst) total->worst = part->worst;
  total->has_wrong |= part->has_wrong;
}

status_t judge_conclude(const judge_t *judge, const case_t *instance, const tensor_t *results,
                        const judge_tally_t *tally, verdict_t *out_verdict, failure_t *error) {
  verdict_t *verdict = out_verdict;
  *verdict = tally->verdict;
  size_t tested = tally->could_fail_count + verdict->wrong_count;
  if (!tally->lacks_oracle) verdict->untested_count = verdict->component_count - tested;
  verdict->ulp_error_max = tally->measures.ulp_error;
  verdict->slack_max = tally->measures.slack;
  verdict->backward_error_max = tally->measures.backward_error;
  if (tally->has_wrong) { /* Proven, even if the oracle knew nothing of another component. */
    return describe_worst(judge, instance, results, &tally->worst, verdict, error);
  }
  if (tally->lacks_oracle) {
    verdict->outcome = OUTCOME_no_oracle;
    return STATUS_OK;
  }
  const char *blind = vacuity_find(&tally->vacuity);
  if (blind == NULL && blind_zeros_conform(judge, instance, results, tally)) {
    blind = "by what some elements need zeros would have conformed wherever asked";
  }
  bool is_weak = tally->could_fail_count == 0 || blind != NULL;
  verdict->outcome = is_weak ? OUTCOME_weak : OUTCOME_conforms;
  if (blind != NULL) g_strlcpy(verdict->reason, blind, sizeof verdict->reason);
  /* The fast set measures from one variant of the program; what lies outside it may conform by
   * another (more initial values, say), and has then used up no more than is permitted. */
  verdict->slack_max = fmin(verdict->slack_max, 1);
  return STATUS_OK;
}

status_t judge_results(const judge_t *judge, const case_t *instance, const accept_t *accepts,
                       const tensor_t *results, verdict_t *out_verdict, failure_t *error) {
  judge_tally_t tally;
  STATUS_TRY(judge_count(judge, instance, accepts, results, &tally, error));
  return judge_conclude(judge, instance, results, &tally, out_verdict, error);
}
