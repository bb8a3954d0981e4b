/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of large cases: judged block by block, with as many threads as the caller wants, in memory
 * that does not grow with the case; and explained as a whole. */
#include <math.h>

#include "harness/api/handles.h"
#include "harness/diagnose/cause.h"
#include "harness/diagnose/wrong_pattern.h"
#include "harness/model/op.h"
#include "harness/run/judge_rows.h"
#include "harness/run/observed_algorithms.h"
#include "oracles/derived/derived.h"

bool check_cut(const check_t *check, cut_t *out_cut) {
  const program_t *program = &check->question.instance.program;
  const oracle_t *oracle = oracle_find(program->op);
  bool is_inferred = PERMITTED(&check->question.contract, inferred) == INFERRED_YES;
  /* Replicas of a collective share values, which parts cannot know. */
  bool is_apart =
      oracle != NULL && (oracle->gathering == NULL || oracle->gathering->leaders == NULL);
  return is_apart && !is_inferred && cut_init(program, out_cut);
}

static bool tell(void *context, double done) { return progress_tell((progress_t *)context, done); }

parts_question_t check_parts(check_t *check, const cut_t *cut) {
  const question_t *question = &check->question;
  bool is_whole = (question->asked.flags & ASSAY_ALL_ELEMENTS) != 0;
  return (parts_question_t){.subject = {&question->instance, check->results},
                            .cut = cut,
                            .contract = &question->contract,
                            .threads = question->asked.threads,
                            .judges_all = is_whole,
                            .seed = question->asked.seed,
                            .decides_all = is_whole,
                            .tell = tell,
                            .tell_context = &check->progress};
}

/* ---- What explains the results --------------------------------------------------------------- */

/* A block of the case that is looked at again. */
typedef struct block {
  cut_block_t place;
  case_t instance;
  tensor_t results[CASE_RESULTS_MAX];
  expectation_t expectation;
} block_t;

typedef struct explaining {
  check_t *check;
  const parts_question_t *question;
  const cut_t *cut;
  const parts_finding_t *finding;
  const oracle_t *oracle;
} explaining_t;

static status_t look_at(const explaining_t *explaining, size_t number, block_t *out_block) {
  check_t *check = explaining->check;
  arena_t *arena = &check->context->arena;
  const cut_subject_t subject = {&check->question.instance, check->results};
  out_block->place = cut_block(explaining->cut, number);
  bool is_cut = cut_take_block(explaining->cut, &subject, &out_block->place, arena,
                               &out_block->instance, out_block->results);
  g_assert(is_cut); /* As it was when it was judged. */
  case_runner_t *walk = check_walk(check);
  return case_runner_expect(walk, &out_block->instance, NULL, arena, &out_block->expectation,
                            &check->call->failure);
}

/* The algorithms that could have given the results of a part, and those before it. */
static status_t narrow(const explaining_t *explaining, const oracle_call_t *call,
                       const case_t *part, const tensor_t *results, char **inout_names) {
  g_autoptr(GString) some = g_string_new(NULL);
  oracle_call_t own = *call;
  own.instance = part;
  own.results = results;
  own.whole_count = explaining->check->whole_count;
  STATUS_TRY(explaining->oracle->consistent(&own, some));
  char *names = *inout_names;
  *inout_names = names == NULL ? g_strdup(some->str) : parts_common_names(names, some->str);
  return STATUS_OK;
}

/* Of some of the wrong elements: mostly that leaves none. */
static status_t narrow_by_wrong(const explaining_t *explaining, const oracle_call_t *call,
                                char **inout_names) {
  const cut_subject_t subject = {&explaining->check->question.instance, explaining->check->results};
  size_t told[CHECK_TOLD_MAX];
  const size_t count = check_wrong_units(explaining->cut, &subject, explaining->finding, told);
  const cut_units_t units = {told, count};
  case_t part;
  tensor_t results[CASE_RESULTS_MAX];
  bool is_there =
      count > 0 && cut_take_units(explaining->cut, &subject, &units, call->arena, &part, results);
  return is_there ? narrow(explaining, call, &part, results, inout_names) : STATUS_OK;
}

static status_t narrow_by_block(const explaining_t *explaining, const oracle_call_t *call,
                                size_t number, char **inout_names) {
  const cut_subject_t subject = {&explaining->check->question.instance, explaining->check->results};
  const cut_block_t place = cut_block(explaining->cut, number);
  case_t part;
  tensor_t results[CASE_RESULTS_MAX];
  bool is_there = cut_take_block(explaining->cut, &subject, &place, call->arena, &part, results);
  return is_there ? narrow(explaining, call, &part, results, inout_names) : STATUS_OK;
}

/* Block by block, until no algorithm is left; under the question's contract they may be known. */
static status_t find_consistent(const void *context, const oracle_call_t *call,
                                GString *out_names) {
  const explaining_t *explaining = (const explaining_t *)context;
  const char *known = explaining->finding->algorithms;
  if (known != NULL && call->contract == &explaining->check->question.contract) {
    g_string_append(out_names, known);
    return STATUS_OK;
  }
  g_autofree char *names = NULL;
  arena_mark_t mark = arena_mark(call->arena);
  status_t status = narrow_by_wrong(explaining, call, &names);
  for (size_t i = 0; i < explaining->cut->block_count; i++) {
    arena_rewind(call->arena, mark);
    if (status != STATUS_OK || (names != NULL && *names == '\0')) break;
    status = narrow_by_block(explaining, call, i, &names);
  }
  arena_rewind(call->arena, mark);
  if (status == STATUS_OK && names != NULL) g_string_append(out_names, names);
  return status;
}

static status_t note_algorithms(const explaining_t *explaining, verdict_t *verdict) {
  check_t *check = explaining->check;
  const oracle_call_t call = {.instance = &check->question.instance,
                              .contract = &check->question.contract,
                              .results = check->results,
                              .arena = &check->context->arena,
                              .error = &check->call->failure};
  const consistent_finder_t finder = {find_consistent, explaining};
  return observe_algorithms_by(explaining->oracle, &call, &finder, verdict);
}

static void note_formula(const explaining_t *explaining, verdict_t *verdict) {
  const parts_finding_t *finding = explaining->finding;
  const char *permission = explaining->check->question.instance.program.op->formulas;
  bool is_judged = verdict->outcome == OUTCOME_conforms || verdict->outcome == OUTCOME_diverges;
  if (!finding->asks_formula || !is_judged) return;
  if (finding->has_formula && finding->is_formula_open) return;
  verdict->formula = finding->has_formula ? contract_spelling(permission, finding->formula) : "";
}

/* None that does not explain the block of the worst element explains all. */
static status_t note_no_formula(const explaining_t *explaining, const block_t *block,
                                verdict_t *verdict) {
  check_t *check = explaining->check;
  bool is_asked =
      explaining->oracle->find_formula != NULL && block->instance.program.op->formulas != NULL;
  if (!is_asked) return STATUS_OK;
  const oracle_call_t call = {.instance = &block->instance,
                              .contract = &check->question.contract,
                              .results = block->results,
                              .whole_count = check->whole_count,
                              .arena = &check->context->arena,
                              .error = &check->call->failure};
  uint8_t formula = 0;
  bool found = false;
  arena_mark_t mark = arena_mark(call.arena);
  status_t status =
      explaining->oracle->find_formula(&call, block->expectation.accepts, &formula, &found);
  arena_rewind(call.arena, mark);
  if (status == STATUS_UNSUPPORTED) return STATUS_OK;
  if (status == STATUS_OK && !found) verdict->formula = "";
  return status;
}

/* ---- Why it is wrong ------------------------------------------------------------------------- */

/* What the fast set of the block knows of a component. */
static cause_reference_t find_reference(const void *context, uint32_t result, size_t component) {
  const explaining_t *explaining = (const explaining_t *)context;
  check_t *check = explaining->check;
  const program_t *program = &check->question.instance.program;
  arena_t *arena = &check->context->arena;
  const size_t components = program->results[result].element->components;
  const size_t unit = cut_unit_of(explaining->cut, result, component / components);
  const cut_units_t units = {&unit, 1};
  const cut_subject_t subject = {&check->question.instance, check->results};
  cause_reference_t found = {.reference = (double)NAN};
  arena_mark_t mark = arena_mark(arena);
  case_t instance;
  tensor_t results[CASE_RESULTS_MAX];
  failure_t ignored;
  accept_t accepts[CASE_RESULTS_MAX];
  const oracle_call_t call = {.instance = &instance,
                              .contract = &check->question.contract,
                              .whole_count = check->whole_count,
                              .arena = arena,
                              .error = &ignored};
  bool is_there = cut_take_units(explaining->cut, &subject, &units, arena, &instance, results) &&
                  explaining->oracle->accept(&call, accepts) == STATUS_OK;
  for (size_t i = 0; is_there && i < accepts[result].count; i++) {
    bool is_it = cut_units_to_whole(explaining->cut, &units, program, result, i) == component;
    if (is_it) found = cause_reference_of(&accepts[result], i);
  }
  arena_rewind(arena, mark);
  return found;
}

static bool has_quantized(const program_t *program) {
  bool is_any = false;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    is_any |= program->operands[i].quantization != NULL;
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    is_any |= program->results[i].quantization != NULL;
  }
  return is_any;
}

/* The solver makes small cases of the elements that it looks at; where it cannot, it gets the block
 * of the worst one, and the pattern is still that of the whole. */
static status_t find_cause(const explaining_t *explaining, const block_t *block,
                           verdict_t *verdict) {
  check_t *check = explaining->check;
  arena_t *arena = &check->context->arena;
  evidence_t evidence = {.is_judged = true};
  cause_question_t question = {
      .oracle = explaining->oracle, .contract = &check->question.contract, .evidence = &evidence};
  const program_t *program = &check->question.instance.program;
  bool is_part = has_quantized(program) || program->op->axes == NULL || program->op->is_compound;
  const size_t component = verdict->component;
  for (uint32_t i = 0; i < program->result_count; i++) {
    evidence.results[i] = is_part ? block->results[i] : check->results[i];
    evidence.wrong[i] = explaining->finding->wrong[i];
  }
  if (!is_part) {
    question.instance = &check->question.instance;
    question.find_reference = find_reference;
    question.reference_context = explaining;
    return cause_find(&question, arena, verdict, &check->call->failure);
  }
  question.instance = &block->instance;
  question.accepts = block->expectation.accepts;
  for (uint32_t i = 0; i < program->result_count; i++) {
    if (explaining->finding->wrong[i] == NULL) continue;
    const size_t count = type_component_count(&block->results[i].type);
    uint8_t *wrong = arena_alloc(arena, count);
    const uint8_t *margin =
        cut_margin(explaining->cut, &block->place, &block->results[i].type, i, arena);
    for (size_t k = 0; k < count; k++) {
      const size_t whole = cut_block_to_whole(explaining->cut, &block->place, program, i, k);
      wrong[k] = margin != NULL && margin[k] != 0 ? 0 : explaining->finding->wrong[i][whole];
    }
    evidence.wrong[i] = wrong;
  }
  verdict->component =
      cut_whole_to_block(explaining->cut, &block->place, program, verdict->result, component);
  STATUS_TRY(cause_find(&question, arena, verdict, &check->call->failure));
  verdict->component = component;
  wrong_pattern(program, verdict->result, explaining->finding->wrong[verdict->result],
                verdict->pattern);
  return STATUS_OK;
}

/* ---- All ------------------------------------------------------------------------------------- */

/* The class and the ends of the worst element, in its block. */
static status_t conclude_wrong(const explaining_t *explaining, const block_t *block,
                               verdict_t *verdict, worst_t *out_worst) {
  check_t *check = explaining->check;
  failure_t *error = &check->call->failure;
  const program_t *program = &check->question.instance.program;
  judge_tally_t total = explaining->finding->tally;
  const size_t component = total.worst.component;
  total.worst.component =
      cut_whole_to_block(explaining->cut, &block->place, program, total.worst.result, component);
  STATUS_TRY(judge_part_conclude(check_walk(check), &block->expectation, block->results, &total,
                                 verdict, error));
  STATUS_TRY(worst_find(&block->expectation, &check->question.contract, verdict, out_worst, error));
  verdict->component = component;
  return STATUS_OK;
}

/* Of what is right element by element: whether rows are. */
static status_t conclude_right(const explaining_t *explaining, verdict_t *verdict,
                               worst_t *out_worst) {
  check_t *check = explaining->check;
  failure_t *error = &check->call->failure;
  const program_t *program = &check->question.instance.program;
  STATUS_TRY(judge_parts_conclude_right(check_walk(check), &check->question.instance,
                                        check->results, &explaining->finding->tally, verdict,
                                        error));
  judge_rows_note(&explaining->finding->rows, check->results, verdict);
  if (verdict->wrong_count == 0) return STATUS_OK;
  block_t block;
  const size_t component = verdict->component;
  const size_t number = cut_block_of(explaining->cut, program, verdict->result, component);
  STATUS_TRY(look_at(explaining, number, &block));
  verdict->component =
      cut_whole_to_block(explaining->cut, &block.place, program, verdict->result, component);
  STATUS_TRY(worst_find(&block.expectation, &check->question.contract, verdict, out_worst, error));
  verdict->component = component;
  return STATUS_OK;
}

static status_t explain(const explaining_t *explaining, verdict_t *verdict, worst_t *out_worst) {
  check_t *check = explaining->check;
  const judge_tally_t *tally = &explaining->finding->tally;
  const program_t *program = &check->question.instance.program;
  *out_worst = (worst_t){.exact = NAN};
  if (!tally->has_wrong) {
    STATUS_TRY(conclude_right(explaining, verdict, out_worst));
    STATUS_TRY(note_algorithms(explaining, verdict));
    note_formula(explaining, verdict);
    return verdict->wrong_count == 0 ? STATUS_OK
                                     : check_readings(check, explaining->question, verdict);
  }
  block_t block;
  const size_t number =
      cut_block_of(explaining->cut, program, tally->worst.result, tally->worst.component);
  STATUS_TRY(look_at(explaining, number, &block));
  STATUS_TRY(conclude_wrong(explaining, &block, verdict, out_worst));
  STATUS_TRY(note_algorithms(explaining, verdict));
  STATUS_TRY(note_no_formula(explaining, &block, verdict));
  STATUS_TRY(check_readings(check, explaining->question, verdict));
  bool seeks_cause =
      (check->question.asked.flags & ASSAY_NO_CAUSE) == 0 && cause_is_sought(verdict);
  return seeks_cause ? find_cause(explaining, &block, verdict) : STATUS_OK;
}

status_t check_blocks(check_t *check, const cut_t *cut, assay_verdict_t *verdict,
                      bool *out_is_done) {
  const program_t *program = &check->question.instance.program;
  const parts_question_t question = check_parts(check, cut);
  parts_finding_t finding;
  status_t status = parts_judge(&question, &finding, &check->call->failure);
  worst_t worst;
  *out_is_done = finding.is_cut;
  if (status == STATUS_OK && finding.is_cut) {
    check->whole_count = type_component_count(&program->results[0]);
    const explaining_t explaining = {check, &question, cut, &finding, oracle_find(program->op)};
    status = explain(&explaining, &verdict->verdict, &worst);
    check->whole_count = 0;
  }
  if (status == STATUS_OK && finding.is_cut) {
    const uint8_t *wrong[CASE_RESULTS_MAX];
    for (uint32_t i = 0; i < program->result_count; i++) wrong[i] = finding.wrong[i];
    const judged_t judged = {.instance = &check->question.instance,
                             .contract = &check->question.contract,
                             .results = check->results,
                             .wrong = wrong,
                             .worst = worst};
    verdict_tell(&judged, verdict);
  }
  parts_finding_clear(&finding);
  return check_failed(check, status);
}
