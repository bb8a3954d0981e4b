/* SPDX-License-Identifier: Apache-2.0 */
/* Diagnoses a wrong result: runs the hypothesis tests in order, established causes first, and
 * chooses a cause only if its evidence suffices and no rival explains the result as well. */
#include "harness/diagnose/cause.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/diagnose/change/change.h"
#include "harness/diagnose/reading.h"
#include "harness/diagnose/tests.h"
#include "harness/diagnose/wrong_pattern.h"

static const char *const spellings[CAUSE_COUNT] = {
#define CAUSE(name, spelling, words) [CAUSE_##name] = (spelling),
#include "harness/diagnose/causes.def"
#undef CAUSE
};

static const char *const sentences[CAUSE_COUNT] = {
#define CAUSE(name, spelling, words) [CAUSE_##name] = (words),
#include "harness/diagnose/causes.def"
#undef CAUSE
};

const char *cause_spelling(cause_id_t cause) { return spellings[cause]; }

static bool is_of_subnormals(size_t cause) {
  return cause == CAUSE_flushed_operands || cause == CAUSE_flushed_results ||
         cause == CAUSE_flushed;
}

static bool is_established(const cause_question_t *question, const found_causes_t *found,
                           size_t cause) {
  const found_cause_t *item = &found->items[cause];
  return item->is_found && solver_has_established(question, (cause_id_t)cause) &&
         item->bits >= (double)CAUSE_BITS_AGAIN;
}

/* Of so few values half a program's may be subnormal, and what another fault gives is likely to be
 * what flushing gives. */
static bool has_few_values(const program_t *program) {
  enum { FEW_BITS = 8 };
  for (uint32_t i = 0; i < program->operand_count; i++) {
    const element_t *element = program->operands[i].element;
    if (element->format != NULL && element->bits <= FEW_BITS) return true;
  }
  return false;
}

/* Two classes already say what is wrong: the cause adds where, or to which side. */
static double bits_needed(const solver_t *solver, cause_id_t cause) {
  divergence_class_t class_ = solver->verdict->class_;
  bool is_flush = is_of_subnormals(cause);
  bool is_zero = cause == CAUSE_negative_zero_lost || cause == CAUSE_zero_negated;
  bool is_place = cause == CAUSE_first_of_zeros || cause == CAUSE_last_of_zeros;
  if (is_place && class_ == CLASS_zero_sign) return CAUSE_BITS_PLACE;
  if (class_ == CLASS_unwritten) return CAUSE_BITS_UNWRITTEN;
  bool is_flushed = is_flush && class_ == CLASS_flush && solver->wrong_count > 1 &&
                    !has_few_values(&solver->question->instance->program);
  bool is_said = is_flushed || (is_zero && class_ == CLASS_zero_sign);
  return is_said ? CAUSE_BITS_AGAIN : CAUSE_BITS_MIN;
}

/* Which of the two is more often the cause of the op's cases, if that is known and it is one here.
 */
static size_t established_part(const cause_question_t *question, const found_causes_t *found) {
  static const cause_id_t parts[] = {CAUSE_flushed_operands, CAUSE_flushed_results};
  size_t part = CAUSE_COUNT;
  for (size_t i = 0; i < G_N_ELEMENTS(parts) && question->established != NULL; i++) {
    const uint32_t cases = question->established[parts[i]];
    if (cases == 0 || !found->items[parts[i]].is_found) continue;
    if (part == CAUSE_COUNT || cases > question->established[part]) part = parts[i];
  }
  return part;
}

/* Where operands and results explain it both, or but together, that something is flushed is all
 * that shows, unless other cases tell more; where one of them does, and tells enough, it is that
 * one. */
static size_t choose_flushed(const solver_t *solver, const found_causes_t *found, size_t chosen) {
  const size_t part = established_part(solver->question, found);
  const found_cause_t *operands = &found->items[CAUSE_flushed_operands];
  const found_cause_t *results = &found->items[CAUSE_flushed_results];
  if (part != CAUSE_COUNT) return part;
  if (operands->is_found != results->is_found) {
    const cause_id_t one = operands->is_found ? CAUSE_flushed_operands : CAUSE_flushed_results;
    if (found->items[one].bits >= bits_needed(solver, one)) return one;
  }
  return found->items[CAUSE_flushed].is_found ? CAUSE_flushed : chosen;
}

/* The preferred one: of those that are established the most frequent, else the first of the table.
 * CAUSE_COUNT if there is none. */
static size_t choose(const solver_t *solver, const found_causes_t *found) {
  const cause_question_t *question = solver->question;
  size_t chosen = CAUSE_COUNT;
  for (size_t i = 0; i < CAUSE_COUNT; i++) {
    if (!is_established(question, found, i)) continue;
    bool is_more =
        chosen == CAUSE_COUNT || question->established[i] > question->established[chosen];
    if (is_more) chosen = i;
  }
  for (size_t i = 0; i < CAUSE_COUNT && chosen == CAUSE_COUNT; i++) {
    const found_cause_t *item = &found->items[i];
    if (item->is_found && item->bits >= bits_needed(solver, (cause_id_t)i)) chosen = i;
  }
  return is_of_subnormals(chosen) ? choose_flushed(solver, found, chosen) : chosen;
}

static void append_words(GString *text, size_t cause, const char *detail) {
  const char *place = strchr(sentences[cause], '%');
  if (place == NULL) {
    g_string_append(text, sentences[cause]);
    return;
  }
  g_string_append_len(text, sentences[cause], place - sentences[cause]);
  g_string_append_printf(text, "%s%s", detail, place + 1);
}

/* Whether all that is wrong should be an element of an operand, as it is: then that operands are
 * rounded is that results are, and nothing is accumulated. */
static bool moves_elements(const solver_t *solver) {
  const case_t *instance = solver->question->instance;
  bool moves = solver->wrong_count > 0 && solver->term_axis < 0;
  for (size_t i = 0; i < solver->wrong_count && moves; i++) {
    const examined_t *examined = &solver->wrong[i];
    moves = false;
    for (uint32_t k = 0; k < instance->program.operand_count && !moves; k++) {
      const tensor_t *tensor = &instance->operands[k];
      bool is_alike = examined->has_right && tensor->type.element == examined->element;
      const size_t count = is_alike ? type_component_count(&tensor->type) : 0;
      for (size_t at = 0; at < count && !moves; at++) {
        moves = element_load(examined->element, tensor->data, at) == examined->right;
      }
    }
  }
  return moves;
}

/* Whether that another cause explains the results too leaves the chosen one in doubt.  A narrow
 * accumulator gives numbers of its type whatever else happens; but if results or operands rounded
 * once explain several sums of many terms to the bit, each of the other additions would have had to
 * be exact.  Which of two zeros is taken says which sign comes, and why. */
static bool is_rival(const solver_t *solver, size_t chosen, size_t other) {
  enum { SUMS_MIN = 6, TERMS_MIN = 4 };
  bool is_place = chosen == CAUSE_first_of_zeros || chosen == CAUSE_last_of_zeros;
  if (is_place && (other == CAUSE_negative_zero_lost || other == CAUSE_zero_negated)) return false;
  bool is_of_rounded = other == CAUSE_narrow_operands || other == CAUSE_narrow_accumulator;
  if (chosen == CAUSE_narrow_result && is_of_rounded && moves_elements(solver)) return false;
  if (other != CAUSE_narrow_accumulator) return true;
  if (chosen != CAUSE_narrow_result && chosen != CAUSE_narrow_operands) return true;
  return solver->wrong_count < SUMS_MIN || solver->term_count < TERMS_MIN;
}

/* Whether they say the same, of more or of less. */
static bool are_alike(size_t chosen, size_t other) {
  if (!is_of_subnormals(chosen) || !is_of_subnormals(other)) return false;
  return chosen == CAUSE_flushed || other == CAUSE_flushed;
}

/* Names the chosen cause and lists what else explains the results; true if it is in no doubt. */
static bool describe(const solver_t *solver, const found_causes_t *found, size_t chosen,
                     verdict_t *verdict) {
  GString *text = g_string_new(NULL);
  append_words(text, chosen, found->items[chosen].detail);
  size_t others = 0;
  bool is_sure = true;
  for (size_t i = 0; i < CAUSE_COUNT; i++) {
    if (i == chosen || !found->items[i].is_found || are_alike(chosen, i)) continue;
    g_string_append_printf(text, "%s%s", others++ == 0 ? "; or " : ", ", spellings[i]);
    is_sure &= !is_rival(solver, chosen, i);
  }
  g_strlcpy(verdict->cause, spellings[chosen], sizeof verdict->cause);
  g_strlcpy(verdict->cause_words, text->str, sizeof verdict->cause_words);
  g_string_free(text, TRUE);
  return is_sure;
}

/* An element is wrong if a component of it is. */
static void find_pattern(const cause_question_t *question, arena_t *arena, verdict_t *verdict) {
  const program_t *program = &question->instance->program;
  const type_t *type = &program->results[verdict->result];
  const uint8_t *components = question->evidence->wrong[verdict->result];
  size_t count = type_element_count(type);
  uint8_t *wrong = ARENA_NEW_ARRAY(arena, uint8_t, count);
  size_t parts = type->element->components;
  for (size_t i = 0; i < count; i++) {
    wrong[i] = components[i * parts] | components[i * parts + parts - 1];
  }
  wrong_pattern(program, verdict->result, wrong, verdict->pattern);
}

static size_t test_all(solver_t *solver, found_causes_t *found) {
  const verdict_t *verdict = solver->verdict;
  *found = (found_causes_t){.change_count = 0};
  if (solver->is_quantized) {
    test_quantized(solver, found);
    return choose(solver, found);
  }
  test_values(solver, found);
  if (verdict->class_ == CLASS_init && g_str_has_prefix(verdict->observed, "init_count=2")) {
    note_cause(found, CAUSE_init_twice, CAUSE_BITS_MIN, 1, "");
  }
  if (verdict->class_ != CLASS_zero_sign || solver->tests_established) {
    test_operands(solver, found);
    test_terms(solver, found);
    test_factors(solver, found);
  }
  return choose(solver, found);
}

/* Of a few components many a hypothesis holds by chance: what is chosen must explain all that is
 * wrong, and spare what is right.  `arena` is left as it was. */
static bool explains_all(solver_t *solver, size_t chosen, bool tests_established) {
  if (solver_has_all(solver)) return true;
  arena_mark_t mark = arena_mark(solver->arena);
  solver_t all;
  found_causes_t found;
  bool is_known =
      solver_init_all(&all, solver->question, solver->verdict, (cause_id_t)chosen, solver->arena);
  all.tests_established = tests_established;
  if (is_known) test_all(&all, &found);
  bool is_found = is_known && all.status == STATUS_OK && found.items[chosen].is_found;
  if (is_known && all.status != STATUS_OK) {
    solver->status = all.status;
    solver->failure = all.failure;
  }
  arena_rewind(solver->arena, mark);
  return is_found;
}

/* Of one term nothing is accumulated: that its sums are numbers of a narrow type keeps others in
 * doubt, and is itself told by cases of several.  Where no small number is kept, flushing may be a
 * threshold elsewhere. */
static bool may_be_sure(solver_t *solver, size_t chosen) {
  if (is_of_subnormals(chosen)) return solver_keeps_small(solver, (cause_id_t)chosen);
  return chosen != CAUSE_narrow_accumulator || !solver->is_split || solver->term_count > 1;
}

/* The chosen cause of the table, if any. */
static bool name_cause(solver_t *solver, const found_causes_t *found, size_t chosen,
                       verdict_t *verdict) {
  bool is_of_established = solver->tests_established;
  if (chosen == CAUSE_COUNT || !explains_all(solver, chosen, is_of_established)) return false;
  bool is_alone = describe(solver, found, chosen, verdict);
  verdict->is_cause_sure =
      (is_alone && may_be_sure(solver, chosen)) || is_established(solver->question, found, chosen);
  return true;
}

/* Or else a change of the case; true if it is sure. */
static bool name_change(solver_t *solver, const found_causes_t *found, verdict_t *verdict) {
  bool is_sure = false;
  const found_change_t *change = change_choose(solver->question, found, &is_sure);
  if (change == NULL || !change_explains_all(solver, change)) return false;
  g_autoptr(GString) text = g_string_new(NULL);
  append_words(text, change->cause, change->detail);
  change_list_rivals(found, change, text);
  g_strlcpy(verdict->cause, spellings[change->cause], sizeof verdict->cause);
  g_strlcpy(verdict->cause_words, text->str, sizeof verdict->cause_words);
  verdict->is_cause_sure = is_sure;
  return is_sure;
}

/* Tests the changes that `scope` has, and counts those that explain the case. */
static void find_changes(solver_t *solver, change_scope_t scope, found_causes_t *out_found) {
  const cause_question_t *question = solver->question;
  *out_found = (found_causes_t){.change_count = 0};
  solver->changes = scope;
  test_changes(solver, out_found);
  if (question->support == NULL || solver->status != STATUS_OK) return;
  change_count(question->support, &question->instance->program, out_found);
}

/* A zero tells little: where a case does not name flushing by itself, several of its kind do. */
static void name_flushing(solver_t *solver, const found_causes_t *found, verdict_t *verdict) {
  const cause_question_t *question = solver->question;
  cause_flushing_t *flushing = question->flushing;
  const program_t *program = &question->instance->program;
  bool is_asked = flushing != NULL && verdict->class_ == CLASS_flush && !verdict->is_cause_sure;
  if (!is_asked || has_few_values(program)) return;
  if (!found->items[CAUSE_flushed].is_found) {
    flushing->misses++;
    return;
  }
  g_autoptr(GString) text = g_string_new(NULL);
  program_print(program, text);
  const unsigned hash = g_str_hash(text->str);
  flushing->cases += flushing->cases == 0 || hash != flushing->program;
  flushing->program = hash;
  if (!solver_keeps_small(solver, CAUSE_flushed)) return;
  if (flushing->cases < CAUSE_CASES_TOGETHER + CAUSE_CASES_FOR_MISS * flushing->misses) return;
  if (!explains_all(solver, CAUSE_flushed, false)) return;
  describe(solver, found, CAUSE_flushed, verdict);
  verdict->is_cause_sure = true;
}

/* What is established is tested first, since it will mostly explain; then the changes that explain
 * the cases before; and then all causes that are left. */
static void solve(solver_t *solver, verdict_t *verdict) {
  const cause_question_t *question = solver->question;
  cause_support_t *support = question->support;
  found_causes_t found, changes;
  if (question->established != NULL) {
    solver->tests_established = true;
    size_t chosen = test_all(solver, &found);
    if (name_cause(solver, &found, chosen, verdict)) return;
    solver->tests_established = false;
  }
  change_scope_t scope = CHANGES_NONE;
  solver_t whole;
  if (change_can_tell(solver)) {
    bool is_of_zeros = verdict->class_ == CLASS_zero_sign;
    scope = support == NULL ? CHANGES_ALL : change_scope_next(support, is_of_zeros);
    if (scope == CHANGES_NONE && change_has_known(question)) scope = CHANGES_CANDIDATES;
  }
  if (scope != CHANGES_NONE && !solver_init_whole(&whole, solver, false)) scope = CHANGES_NONE;
  if (scope == CHANGES_CANDIDATES) {
    find_changes(&whole, scope, &changes);
    if (name_change(&whole, &changes, verdict)) return;
  }
  size_t chosen = test_all(solver, &found);
  name_cause(solver, &found, chosen, verdict);
  if (scope == CHANGES_ALL) {
    find_changes(&whole, scope, &changes);
    if (!verdict->is_cause_sure) name_change(&whole, &changes, verdict);
  }
  name_flushing(solver, &found, verdict);
  if (scope != CHANGES_NONE && solver->status == STATUS_OK) {
    solver->status = whole.status;
    solver->failure = whole.failure;
  }
}

/* Two runs over other bytes show what was never written: of values nothing is asked. */
static void solve_unwritten(const cause_question_t *question, verdict_t *verdict) {
  const solver_t solver = {.question = question, .verdict = verdict, .only = CAUSE_COUNT};
  found_causes_t found = {.change_count = 0};
  test_unwritten(&solver, &found);
  size_t chosen = choose(&solver, &found);
  if (chosen == CAUSE_COUNT) return;
  bool is_alone = describe(&solver, &found, chosen, verdict);
  verdict->is_cause_sure = is_alone || is_established(question, &found, chosen);
}

status_t cause_find(const cause_question_t *question, arena_t *arena, verdict_t *inout_verdict,
                    failure_t *error) {
  verdict_t *verdict = inout_verdict;
  const evidence_t *evidence = question->evidence;
  if (verdict->class_ == CLASS_unwritten) {
    if (evidence->unwritten != NULL) solve_unwritten(question, verdict);
    return STATUS_OK;
  }
  if (!evidence->is_judged || evidence->wrong[verdict->result] == NULL) return STATUS_OK;
  uint64_t begin = clock_nanoseconds();
  arena_mark_t mark = arena_mark(arena);
  find_pattern(question, arena, verdict);
  solver_t solver;
  bool is_known = solver_init(&solver, question, verdict, arena);
  if (is_known) solve(&solver, verdict);
  arena_rewind(arena, mark);
  if (question->nanoseconds != NULL) *question->nanoseconds += clock_nanoseconds() - begin;
  if (!is_known || solver.status == STATUS_OK) return STATUS_OK;
  if (error != NULL) *error = solver.failure;
  return solver.status;
}

status_t cause_explain(case_runner_t *walk, const expectation_t *expectation, arena_t *arena,
                       verdict_t *inout_verdict, failure_t *error) {
  STATUS_TRY(reading_explain(walk, expectation, arena, inout_verdict, error));
  if (!cause_is_sought(inout_verdict) || walk->unjudged != 0) return STATUS_OK;
  const cause_question_t question = cause_decide(walk, expectation->instance, expectation);
  return cause_find(&question, arena, inout_verdict, error);
}

bool cause_has_known_change(const cause_question_t *question) { return change_has_known(question); }

status_t cause_find_known(const cause_question_t *question, arena_t *arena,
                          verdict_t *inout_verdict, failure_t *error) {
  const evidence_t *evidence = question->evidence;
  if (!evidence->is_judged || evidence->wrong[inout_verdict->result] == NULL) return STATUS_OK;
  arena_mark_t mark = arena_mark(arena);
  solver_t solver, whole;
  found_causes_t changes = {.change_count = 0};
  bool is_known = solver_init(&solver, question, inout_verdict, arena) &&
                  change_can_tell(&solver) && solver_init_whole(&whole, &solver, false);
  status_t status = STATUS_OK;
  if (is_known) {
    find_changes(&whole, CHANGES_CANDIDATES, &changes);
    name_change(&whole, &changes, inout_verdict);
    status = whole.status;
  }
  arena_rewind(arena, mark);
  if (status != STATUS_OK && error != NULL) *error = whole.failure;
  return status;
}
