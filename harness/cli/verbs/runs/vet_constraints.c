/* SPDX-License-Identifier: Apache-2.0 */
/* assay vet --constraints: programs that break one constraint are drawn, for each constraint of
 * each op, and whoever compiles one of them instead of calling it invalid fails that constraint's
 * point. */
#include "harness/cli/verbs/runs/vet_constraints.h"

#include <inttypes.h>
#include <stdio.h>

#include "harness/cli/task/programs.h"
#include "harness/run/constraint_check.h"
#include "harness/tap/tap.h"

enum { WANTED = 20 };

typedef struct vetting {
  const task_flags_t *flags;
  executor_list_t executors;
  const op_t *const *ops;
  size_t op_count;
  contract_t contract;
  uint64_t seed;
  tap_t tap;
  uint64_t accepted;
  uint64_t failed;
  GString *undrawn; /* "OP ID, OP ID": what no draw reached. */
} vetting_t;

/* ---- One point ------------------------------------------------------------------------------- */

static char *describe(const executor_t *executor, const op_t *op,
                      const op_constraint_t *constraint) {
  g_autoptr(GString) clause = g_string_new(NULL);
  op_constraint_print_clause(op, constraint, clause);
  return g_strdup_printf("%s %s %s%s%s", executor_name(executor), op->name, constraint->id,
                         clause->len > 0 ? ": " : "", clause->str);
}

static char *replay_command(const vetting_t *vetting, const executor_t *executor,
                            const char *line) {
  g_autofree char *quoted = g_shell_quote(line);
  g_autofree char *name = g_shell_quote(executor_name(executor));
  GString *text = g_string_new(NULL);
  g_string_append_printf(text, "assay replay %s --executor %s", quoted, name);
  if (vetting->flags->contract != NULL) {
    g_autofree char *contract = g_shell_quote(vetting->flags->contract);
    g_string_append_printf(text, " --contract %s", contract);
  }
  executor_flags_print(&vetting->flags->executor, text);
  return g_string_free(text, FALSE);
}

static void print_details(vetting_t *vetting, const executor_t *executor,
                          const op_constraint_t *constraint, const constraint_check_t *check) {
  const uint64_t counts[] = {check->drawn, check->rejected, check->refused, check->accepted,
                             check->failed};
  char numbers[G_N_ELEMENTS(counts)][32];
  for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
    snprintf(numbers[i], sizeof numbers[i], "%" PRIu64, counts[i]);
  }
  g_autofree char *repro =
      check->line == NULL ? NULL : replay_command(vetting, executor, check->line);
  const tap_detail_t details[] = {
      {"must_hold", constraint->text}, {"drawn", numbers[0]},
      {"called_invalid", numbers[1]},  {"not_supported", numbers[2]},
      {"accepted", numbers[3]},        {"failures", numbers[4]},
      {"said", check->reason},         {"repro", repro == NULL ? "" : repro}};
  tap_details(&vetting->tap, details, G_N_ELEMENTS(details) - (repro == NULL));
}

/* Why nothing follows from the check, or NULL. */
static const char *find_excuse(const constraint_check_t *check, bool is_of_contract) {
  if (check->drawn == 0) {
    return is_of_contract ? "no program was drawn that breaks it under this contract"
                          : "no program was drawn that breaks it";
  }
  if (check->refused == check->drawn) return "all programs were refused as not supported";
  return NULL;
}

static void note_undrawn(vetting_t *vetting, const op_t *op, const op_constraint_t *constraint) {
  g_string_append_printf(vetting->undrawn, "%s%s %s", vetting->undrawn->len > 0 ? ", " : "",
                         op->name, constraint->id);
}

static void check_one(vetting_t *vetting, size_t index, const op_t *op,
                      const op_constraint_t *constraint, const contract_t *contract) {
  executor_t *executor = vetting->executors.items[index];
  g_autofree char *description = describe(executor, op, constraint);
  constraint_check_t check =
      constraint_check(executor, op, constraint, contract, vetting->seed, WANTED);
  const char *excuse = find_excuse(&check, contract != NULL);
  if (check.drawn == 0 && index == 0) note_undrawn(vetting, op, constraint);
  if (excuse != NULL) {
    tap_point_skip(&vetting->tap, description, excuse);
  } else {
    tap_point(&vetting->tap, check.accepted + check.failed == 0, description);
  }
  if (check.drawn > 0) print_details(vetting, executor, constraint, &check);
  vetting->accepted += check.accepted;
  vetting->failed += check.failed;
  constraint_check_free(&check);
  fflush(stdout);
}

/* ---- All of them ----------------------------------------------------------------------------- */

/* Why it is not asked at all, or NULL. */
static const char *find_reason(const vetting_t *vetting, const executor_t *executor,
                               const op_constraint_t *constraint) {
  if (op_constraint_is_unmodelled(constraint)) {
    return "no document forbids this; Assay does not model such programs";
  }
  if (!op_constraint_is_breakable(constraint)) return "no case line can break it";
  if (vetting->flags->invalid || executor_validates(executor)) return NULL;
  return "the executor does not declare that it validates; --invalid tests it nevertheless";
}

/* Rows of a list that may be NULL; those of a contract are broken under that. */
static void check_rows(vetting_t *vetting, size_t index, const op_t *op,
                       const op_constraint_t *rows, const contract_t *contract) {
  const executor_t *executor = vetting->executors.items[index];
  for (; rows != NULL && rows->id != NULL; rows++) {
    const char *reason = find_reason(vetting, executor, rows);
    if (reason == NULL) {
      check_one(vetting, index, op, rows, contract);
      continue;
    }
    g_autofree char *description = describe(executor, op, rows);
    tap_point_skip(&vetting->tap, description, reason);
  }
}

static int report(vetting_t *vetting) {
  tap_begin(&vetting->tap, stdout);
  for (size_t i = 0; i < vetting->executors.count; i++) {
    for (size_t k = 0; k < vetting->op_count; k++) {
      const op_t *op = vetting->ops[k];
      check_rows(vetting, i, op, op->constraints, NULL);
      check_rows(vetting, i, op, op->contract_constraints, &vetting->contract);
    }
  }
  if (vetting->undrawn->len > 0) {
    g_string_prepend(vetting->undrawn, "never drawn: ");
    tap_comment(&vetting->tap, vetting->undrawn->str);
  }
  tap_end(&vetting->tap);
  if (vetting->accepted > 0) return EXIT_CODE_DIVERGES;
  return vetting->failed > 0 ? EXIT_CODE_FAILED : EXIT_CODE_CLEAN;
}

static status_t check_flags(const task_flags_t *flags, failure_t *error) {
  bool has_other = flags->cases != 0 || flags->draws != 0 || flags->time != NULL ||
                   flags->database != NULL || flags->reference != NULL || flags->fail_on != NULL ||
                   task_programs_are_given(flags);
  if (!has_other) return STATUS_OK;
  return status_fail(error, STATUS_INVALID,
                     "--constraints draws %d programs a constraint and stores nothing; leave out "
                     "--cases, --draws, --time, --db, --reference, --fail-on and --program",
                     (int)WANTED);
}

int vet_constraints(const task_flags_t *flags) {
  vetting_t vetting = {.flags = flags};
  failure_t error = {0};
  status_t status = check_flags(flags, &error);
  if (status == STATUS_OK) status = find_contract(flags->contract, &vetting.contract, &error);
  if (status == STATUS_OK) status = arguments_parse_seed(flags->seed, &vetting.seed, &error);
  if (status == STATUS_OK) {
    status = find_ops(flags->ops, &vetting.ops, &vetting.op_count, &error);
  }
  if (status != STATUS_OK) return complain_status(status, &error);
  int exit_code = executor_flags_open(&flags->executor, &vetting.executors);
  if (exit_code == EXIT_CODE_CLEAN) {
    vetting.undrawn = g_string_new(NULL);
    exit_code = report(&vetting);
    g_string_free(vetting.undrawn, TRUE);
    exit_code = executor_list_close(&vetting.executors, exit_code);
  }
  g_free((gpointer)(uintptr_t)vetting.ops);
  return exit_code;
}
