/* SPDX-License-Identifier: Apache-2.0 */
/* A task: what one process was asked to run.  From options to a session and back to an exit code,
 * for `run`, `vet` and `fuzz`. */
#ifndef ASSAY_CLI_TASK_TASK_H
#define ASSAY_CLI_TASK_TASK_H

#include "harness/cli/options/flags.h"
#include "harness/cli/options/mlir_input.h"
#include "harness/cli/task/capabilities.h"
#include "harness/cli/task/known_findings.h"
#include "harness/cli/task/supervisor.h"
#include "harness/store/fail_on.h"
#include "reports/run/run_report.h"

typedef struct task_flags {
  executor_flags_t executor;
  char **ops;
  char **programs;    /* Of task_flags_add_programs(): lines, or files of MLIR; ... */
  char **modules;     /* ... such files; ... */
  char *program_file; /* ... a file of lines. */
  char **recorded;    /* Files and folders of recorded cases: task/recorded.h. */
  mlir_input_flags_t input;
  gint64 cases;      /* Judged ones of each executor ... */
  gint64 draws;      /* ... out of so many. */
  gboolean is_drawn; /* The verb has these limits. */
  gboolean invalid;
  char *time;
  char *seed;
  char *strata;     /* Of task_flags_add_drawing(), ... */
  char *data_sets;  /* ... likewise. */
  char *thresholds; /* A file of found_thresholds.h, or NULL; likewise. */
  char *contract;
  char *database;
  char *reference;               /* The version that contract `identified` predicts with. */
  char *name;                    /* Of the campaign that the run is a part of. */
  char *part_of;                 /* The uuid of the run that started it. */
  char *known;                   /* A database: what it has small is not shrunk again. */
  capability_flags_t capability; /* Its profile is set by the verb that has that option. */
  gboolean shrink;               /* Make the first case of each finding small, ... */
  char *shrink_percent;          /* ... while that has taken no more of the time. */
  /* Set by verbs for which speed counts: code of others runs in this process, supervised. */
  bool runs_here;
  bool keeps_inputs;     /* And what is looked at is noted: supervisor_enter_input(). */
  const char *artifacts; /* Where the case goes that ends the process; borrowed. */
  char *fail_on;
  gboolean json;
} task_flags_t;

/* --time, --seed, --contract, --db, --reference, --fail-on and the executor options. */
void task_flags_add(task_flags_t *flags, arguments_t *arguments);

/* --op, --cases, --draws, --strata, --data-sets and --invalid; the latter alone. */
void task_flags_add_drawing(task_flags_t *flags, arguments_t *arguments);
void task_flags_add_invalid(task_flags_t *flags, arguments_t *arguments);

/* --program, --mlir, --programs, and the options of files of MLIR (task/programs.c). */
void task_flags_add_programs(task_flags_t *flags, arguments_t *arguments);

/* --json. */
void task_flags_add_json(task_flags_t *flags, arguments_t *arguments);
void task_flags_free(task_flags_t *flags);

typedef struct task task_t;
struct task {
  const task_flags_t *flags; /* Borrowed. */
  supervisor_t *supervisor;  /* NULL: nobody watches over this process. */
  /* The hooks of the verb, if there is a supervisor: its own come first. */
  void (*on_finding)(void *context, const session_t *session, const finding_t *finding);
  void (*on_tick)(void *context, const session_t *session);
  executor_list_t executors;
  const op_t *const *ops;
  store_t *store;
  known_findings_t *known; /* NULL: none are. */
  uint32_t shrink_percent_max;
  prediction_t *prediction;       /* NULL unless the contract is `identified`. */
  capabilities_t *capabilities;   /* NULL unless they were asked for. */
  found_thresholds_t *thresholds; /* NULL: none are known. */
  GPtrArray *recorded;            /* Files of recorded cases; NULL: none are given. */
  arena_t arena;                  /* Of the given programs. */
  char *command_line;
  char *contract_text; /* As contract_print() gives it. */
  session_options_t options;
  session_t *session;
  char *replay_options;  /* What a command that replays a finding of it needs, see run_report_t; */
  char *drawing_options; /* and one that draws its case. */
  run_report_t report;
  fail_on_t fail_on;
};

/* "assay run --executor ...", as one would type it; the caller frees it. */
char *task_join_command_line(int argc, char *const *argv);

/* Opens everything and prepares task->options, which the caller may still change (limits,
 * hooks) before task_start().  Returns an exit code, after a complaint unless it is
 * EXIT_CODE_CLEAN. */
int task_open(const task_flags_t *flags, int argc, char *const *argv, task_t *out_task);
int task_start(task_t *task);

/* Hooks of a session; the context is the task.  Findings go to standard output as they are found,
 * each with its replay line, unless a document is wanted; progress goes to standard error. */
void task_tell_finding(void *context, const session_t *session, const finding_t *finding);
void task_show_progress(void *context, const session_t *session);

/* Ends the walks of a session, before anything is summed up: executors are shut, and what ended the
 * process in which this work was begun before is recorded if it did not happen again. */
status_t task_settle(task_t *task, failure_t *error);

/* Walks the case that ended the process before, if there is one: `fuzz` might not come to it. */
status_t task_walk_incident(task_t *task, failure_t *error);

/* Tells about a session that stopped with `status`; a bug in Assay gets its report. */
int task_complain(const task_t *task, status_t status, const failure_t *error);

/* Ends the session with `exit_code` and closes everything; returns the exit code, raised if closing
 * failed. */
int task_close(task_t *task, int exit_code);

#endif
