/* SPDX-License-Identifier: Apache-2.0 */
/* Parses, expects, runs and judges one case with a runner of its own. */
#include "harness/cli/verbs/recall/trial.h"

#include <string.h>

#include "harness/base/plain_text.h"
#include "harness/cli/verbs/cases/result_line.h"

/* A case that was read, and the oracle's side of it. */
typedef struct prepared {
  arena_t arena;
  case_runner_t walk;
  case_t instance;
  expectation_t expectation;
} prepared_t;

static status_t prepare(const char *line, prepared_t *prepared, failure_t *error) {
  const contract_t contract = contract_backend();
  case_runner_init(&prepared->walk, &contract, 1);
  prepared->walk.judges_all = true;
  const char *violation;
  STATUS_TRY(case_parse(str_from(line), &prepared->arena, &prepared->instance, &violation, error));
  const program_t *program = &prepared->instance.program;
  const op_constraint_t *broken =
      program_broken_under(program, op_constraint_find(program->op, violation), &contract);
  return case_runner_expect(&prepared->walk, &prepared->instance, broken, &prepared->arena,
                            &prepared->expectation, error);
}

static char *words_of(const verdict_t *verdict) {
  bool is_wrong = verdict->outcome == OUTCOME_diverges || verdict->outcome == OUTCOME_failed;
  const char *detail = is_wrong && verdict->got[0] != '\0' ? verdict->got : verdict->reason;
  const char *class_ = class_spelling(verdict->class_);
  g_autofree char *text =
      g_strdup_printf("%s%s%s%s%s", outcome_spelling(verdict->outcome),
                      class_[0] == '\0' ? "" : ", ", class_, detail[0] == '\0' ? "" : ": ", detail);
  return plain_text(text);
}

static char *result_of(const prepared_t *prepared, const verdict_t *verdict) {
  const evidence_t *evidence = &prepared->walk.evidence;
  GString *text = g_string_new(NULL);
  if (evidence->is_judged) {
    result_field_t field = {.kind = RESULT_DATA};
    memcpy(field.results, evidence->results, sizeof field.results);
    result_field_print(&prepared->instance.program, &field, text);
  } else if (verdict->class_ != CLASS_none) {
    g_string_append(text, class_spelling(verdict->class_));
  }
  return g_string_free(text, FALSE);
}

static void tell(const verdict_t *verdict, case_trial_t *out_trial) {
  out_trial->outcome = verdict->outcome;
  out_trial->class_ = verdict->class_;
  out_trial->words = words_of(verdict);
}

void case_trial_clear(case_trial_t *trial) {
  g_free(trial->result);
  g_free(trial->words);
  *trial = (case_trial_t){0};
}

status_t case_trial_run(const char *line, executor_t *executor, case_trial_t *out_trial,
                        failure_t *error) {
  *out_trial = (case_trial_t){0};
  prepared_t prepared;
  arena_init(&prepared.arena);
  verdict_t verdict;
  status_t status = prepare(line, &prepared, error);
  if (status == STATUS_OK) {
    status = case_runner_run(&prepared.walk, &prepared.expectation, executor, &verdict, error);
  }
  if (status == STATUS_OK) {
    tell(&verdict, out_trial);
    out_trial->result = result_of(&prepared, &verdict);
  }
  arena_deinit(&prepared.arena);
  return status;
}

static status_t judge_field(prepared_t *prepared, const char *result, verdict_t *out_verdict,
                            failure_t *error) {
  result_field_t field;
  STATUS_TRY(result_field_parse(str_from(result), &prepared->instance.program, &prepared->arena,
                                &field, error));
  if (field.kind == RESULT_ABSENT) {
    case_runner_judge_absence(field.outcome, EXECUTOR_PROMISE_NONE, prepared->expectation.broken,
                              field.reason, out_verdict);
    return STATUS_OK;
  }
  if (field.kind == RESULT_CLASS) {
    *out_verdict = (verdict_t){.outcome = OUTCOME_diverges, .class_ = field.class_};
    return STATUS_OK;
  }
  if (field.kind != RESULT_DATA) {
    return status_fail(error, STATUS_INVALID, "a bug gives data, or a class such as crash");
  }
  return case_runner_judge(&prepared->walk, &prepared->expectation, field.results, out_verdict,
                           error);
}

status_t case_trial_judge(const char *line, const char *result, case_trial_t *out_trial,
                          failure_t *error) {
  *out_trial = (case_trial_t){0};
  prepared_t prepared;
  arena_init(&prepared.arena);
  verdict_t verdict;
  status_t status = prepare(line, &prepared, error);
  if (status == STATUS_OK) status = judge_field(&prepared, result, &verdict, error);
  if (status == STATUS_OK) {
    tell(&verdict, out_trial);
    out_trial->result = g_strdup("");
  }
  arena_deinit(&prepared.arena);
  return status;
}

static bool tensors_same(const tensor_t *a, const tensor_t *b) {
  const element_t *element = a->type.element;
  size_t count = type_component_count(&a->type);
  for (size_t i = 0; i < count; i++) {
    uint64_t left = element_load(element, a->data, i);
    uint64_t right = element_load(element, b->data, i);
    if (left == right) continue;
    bool are_nan = element->format != NULL && format_is_nan(element->format, left) &&
                   format_is_nan(element->format, right);
    if (!are_nan) return false;
  }
  return true;
}

bool case_trial_same_result(const char *line, const char *a, const char *b) {
  if (strcmp(a, b) == 0) return true;
  arena_t arena;
  arena_init(&arena);
  failure_t ignored;
  case_t instance;
  const char *violation;
  result_field_t fields[2];
  bool is_same = case_parse(str_from(line), &arena, &instance, &violation, &ignored) == STATUS_OK;
  const char *const texts[] = {a, b};
  for (size_t i = 0; i < 2 && is_same; i++) {
    is_same = result_field_parse(str_from(texts[i]), &instance.program, &arena, &fields[i],
                                 &ignored) == STATUS_OK &&
              fields[i].kind == RESULT_DATA;
  }
  for (uint32_t r = 0; is_same && r < instance.program.result_count; r++) {
    is_same = tensors_same(&fields[0].results[r], &fields[1].results[r]);
  }
  arena_deinit(&arena);
  return is_same;
}
