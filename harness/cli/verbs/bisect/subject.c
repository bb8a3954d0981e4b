/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the releases of a range and runs cases on one of them. */
#include "harness/cli/verbs/bisect/subject.h"

#include <stdio.h>
#include <string.h>

#include "harness/base/hash.h"
#include "harness/base/plain_text.h"
#include "harness/exec/registry/releases.h"
#include "harness/run/case_runner.h"

/* ---- Opening --------------------------------------------------------------------------------- */

static bool is_in_range(const bisect_request_t *request, const char *release) {
  if (!request->takes_early && release_is_early(release)) return false;
  if (request->from != NULL && release_compare(release, request->from) < 0) return false;
  return request->to == NULL || release_compare(release, request->to) <= 0;
}

static status_t check_versions(const bisect_request_t *request, failure_t *error) {
  const char *const texts[] = {request->from, request->to};
  for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
    if (texts[i] == NULL || release_is_well_formed(texts[i])) continue;
    return status_fail(error, STATUS_INVALID, "bad release '%s' (%s); write one such as 1.24.1",
                       texts[i], i == 0 ? "--from" : "--to");
  }
  return STATUS_OK;
}

static status_t find_releases(bisect_subject_t *subject, failure_t *error) {
  const bisect_request_t *request = subject->request;
  STATUS_TRY(check_versions(request, error));
  g_autoptr(GPtrArray) all = NULL;
  STATUS_TRY(worker_releases(subject->worker, NULL, request->python, &all, error));
  for (guint i = 0; i < all->len; i++) {
    if (!is_in_range(request, all->pdata[i])) continue;
    g_ptr_array_add(subject->releases, g_strdup(all->pdata[i]));
  }
  if (subject->releases->len >= 2) return STATUS_OK;
  return status_fail(error, STATUS_INVALID,
                     "there are %u releases of %s in that range, and two are needed; the index has "
                     "%s to %s",
                     subject->releases->len, subject->backend, (const char *)all->pdata[0],
                     (const char *)all->pdata[all->len - 1]);
}

/* What the ledger knows a case by: all that decides what becomes of it. */
static char *key_of(const bisect_subject_t *subject, const char *line) {
  g_autoptr(GString) text = g_string_new(line);
  g_string_append_c(text, '\n');
  contract_print(&subject->request->contract, text);
  const char *options = strchr(subject->request->backend, '?');
  const char *python = subject->request->python;
  g_string_append_printf(text, "\n%s\n%s", options == NULL ? "" : options,
                         python == NULL ? "" : python);
  return g_strdup(hash_of(text->str, text->len).text);
}

static status_t check_case(const char *line, failure_t *error) {
  arena_t arena;
  arena_init(&arena);
  case_t instance;
  const char *violation;
  status_t status = case_parse(str_from(line), &arena, &instance, &violation, error);
  arena_deinit(&arena);
  return status;
}

static status_t check_cases(const GPtrArray *lines, failure_t *error) {
  for (guint i = 0; i < lines->len; i++) STATUS_TRY(check_case(lines->pdata[i], error));
  return STATUS_OK;
}

static void open_case(bisect_subject_t *subject, size_t index) {
  bisect_case_t *asked = &subject->cases[index];
  asked->line = subject->request->lines->pdata[index];
  asked->key = key_of(subject, asked->line);
  asked->trials = g_new0(trial_t, subject->releases->len);
  for (guint i = 0; i < subject->releases->len && !subject->request->forgets; i++) {
    trial_ledger_find(&subject->ledger, asked->key, subject->releases->pdata[i], &asked->trials[i]);
  }
}

static void open_cases(bisect_subject_t *subject) {
  subject->case_count = subject->request->lines->len;
  subject->cases = g_new0(bisect_case_t, subject->case_count);
  for (size_t i = 0; i < subject->case_count; i++) open_case(subject, i);
}

status_t bisect_subject_open(const bisect_request_t *request, bisect_subject_t *out_subject,
                             failure_t *error) {
  size_t size = strcspn(request->backend, "?");
  bisect_subject_t subject = {.request = request,
                              .backend = g_strndup(request->backend, size),
                              .worker = worker_parse(request->backend, size),
                              .releases = g_ptr_array_new_with_free_func(g_free)};
  status_t status = STATUS_OK;
  if (subject.worker == NULL || !subject.worker->has_releases || subject.worker->version != NULL) {
    status = status_fail(error, STATUS_INVALID,
                         "%s has no releases to install: write the name of a worker that `assay "
                         "executors` lists, without a version",
                         subject.backend);
  }
  if (status == STATUS_OK) status = check_cases(request->lines, error);
  if (status == STATUS_OK) status = trial_ledger_open(subject.backend, &subject.ledger, error);
  if (status == STATUS_OK) status = find_releases(&subject, error);
  if (status == STATUS_OK) {
    open_cases(&subject);
    *out_subject = subject;
  } else {
    bisect_subject_close(&subject);
  }
  return status;
}

void bisect_subject_close(bisect_subject_t *subject) {
  for (size_t i = 0; i < subject->case_count; i++) {
    bisect_case_t *asked = &subject->cases[i];
    for (guint k = 0; asked->trials != NULL && k < subject->releases->len; k++) {
      g_free(asked->trials[k].detail);
    }
    g_free(asked->trials);
    g_free(asked->key);
  }
  g_free(subject->cases);
  if (subject->ledger.lines != NULL) trial_ledger_close(&subject->ledger);
  g_ptr_array_unref(subject->releases);
  worker_free(subject->worker);
  g_free(subject->backend);
}

/* ---- Trying a release ------------------------------------------------------------------------ */

static trial_outcome_t outcome_of(const verdict_t *verdict) {
  if (verdict->outcome == OUTCOME_diverges) return TRIAL_DIVERGES;
  return verdict->outcome == OUTCOME_conforms ? TRIAL_CONFORMS : TRIAL_UNTESTABLE;
}

static char *detail_of(const verdict_t *verdict) {
  g_autofree char *text = NULL;
  if (verdict->outcome == OUTCOME_diverges) {
    text = g_strdup_printf("%s%s%s", class_spelling(verdict->class_),
                           verdict->got[0] == '\0' ? "" : ": ", verdict->got);
  } else if (verdict->outcome != OUTCOME_conforms) {
    text = g_strdup_printf("%s%s%s", outcome_spelling(verdict->outcome),
                           verdict->reason[0] == '\0' ? "" : ": ", verdict->reason);
  }
  return plain_text(text == NULL ? "" : text);
}

static status_t run_case(const bisect_subject_t *subject, const char *line, executor_t *executor,
                         trial_t *out_trial, failure_t *error) {
  arena_t arena;
  arena_init(&arena);
  case_runner_t walk;
  case_runner_init(&walk, &subject->request->contract, 1);
  walk.judges_all = true;
  case_t instance;
  const char *violation;
  verdict_t verdict;
  expectation_t expectation;
  status_t status = case_parse(str_from(line), &arena, &instance, &violation, error);
  if (status == STATUS_OK) {
    const op_constraint_t *broken = op_constraint_find(instance.program.op, violation);
    broken = program_broken_under(&instance.program, broken, &walk.contract);
    status = case_runner_expect(&walk, &instance, broken, &arena, &expectation, error);
  }
  if (status == STATUS_OK) status = case_runner_run(&walk, &expectation, executor, &verdict, error);
  if (status == STATUS_OK) {
    *out_trial = (trial_t){.outcome = outcome_of(&verdict), .detail = detail_of(&verdict)};
  }
  arena_deinit(&arena);
  return status;
}

/* What keeps the whole release from being tested is said of each case, and not learned for later:
 * the next call may have a network. */
static void fail_all(bisect_subject_t *subject, size_t release, const char *why) {
  for (size_t i = 0; i < subject->case_count; i++) {
    trial_t *trial = &subject->cases[i].trials[release];
    if (trial->outcome != TRIAL_UNKNOWN) continue;
    *trial = (trial_t){.outcome = TRIAL_UNTESTABLE, .detail = plain_text(why)};
  }
}

static status_t run_cases(bisect_subject_t *subject, size_t release, executor_t *executor,
                          failure_t *error) {
  for (size_t i = 0; i < subject->case_count; i++) {
    bisect_case_t *asked = &subject->cases[i];
    trial_t *trial = &asked->trials[release];
    if (trial->outcome != TRIAL_UNKNOWN) continue;
    STATUS_TRY(run_case(subject, asked->line, executor, trial, error));
    STATUS_TRY(trial_ledger_add(&subject->ledger, asked->key, subject->releases->pdata[release],
                                trial, error));
  }
  return STATUS_OK;
}

status_t bisect_subject_try(bisect_subject_t *subject, size_t release, failure_t *error) {
  const bisect_request_t *request = subject->request;
  const char *options = strchr(request->backend, '?');
  g_autofree char *name =
      g_strconcat(subject->backend, "@", subject->releases->pdata[release], NULL);
  g_autofree char *address = g_strconcat(name, options, NULL);
  worker_t *worker = worker_parse(name, strlen(name));
  bool was_there = worker_is_installed(worker, NULL);
  fprintf(stderr, "%s: %s\n", name, was_there ? "runs" : "is installed and runs");
  failure_t reason = {0};
  executor_t *executor = NULL;
  const executor_options_t executor_options = {.timeout_ms = request->timeout_ms};
  status_t status = worker_install_release(worker, NULL, request->python, stderr, &reason);
  if (status == STATUS_OK) status = executor_open(address, &executor_options, &executor, &reason);
  if (status == STATUS_OK) {
    status = run_cases(subject, release, executor, error);
    executor_close(executor);
  } else {
    fail_all(subject, release, reason.text);
    status = STATUS_OK;
  }
  failure_t ignored;
  if (!was_there && !request->keeps) worker_remove(worker, &ignored);
  worker_free(worker);
  return status;
}
