/* SPDX-License-Identifier: Apache-2.0 */
/* Options that several verbs share, and what they open. */
#ifndef ASSAY_CLI_OPTIONS_FLAGS_H
#define ASSAY_CLI_OPTIONS_FLAGS_H

#include "harness/cli/options/arguments.h"
#include "harness/exec/executor.h"
#include "harness/gen/data_sets.h"
#include "harness/gen/strata.h"
#include "harness/model/contract.h"
#include "harness/store/fail_on.h"

/* --executor NAME, --isolate, --timeout 10s, --memory 4G. */
typedef struct executor_flags {
  char **names;
  gboolean isolate;
  char *timeout;
  char *memory;
  /* Of executor_flags_add_twins(). */
  gboolean twins;
  char *twin;
} executor_flags_t;

/* `flags` must outlive the parsing; likewise below. */
void executor_flags_add(executor_flags_t *flags, arguments_t *arguments);

/* --twins, --twin NAME: further executors, each the twin of one that is named. */
void executor_flags_add_twins(executor_flags_t *flags, arguments_t *arguments);

/* The names of the executors that these flags open, in the order of executor_list_t; freed with
 * g_strfreev(). */
char **executor_flags_names(const executor_flags_t *flags);

/* Executors that are open, in the order of the command line; then their twins. */
typedef struct executor_list {
  executor_t **items;
  size_t count;
  size_t *twins; /* By executor, which one is its twin, or itself; NULL: none has one. */
} executor_list_t;

/* Opens all of them; an executor_t at least.  Code of others gets processes of its own: what ends
 * them is an outcome.  Returns an exit code, after a complaint unless it is EXIT_CODE_CLEAN. */
int executor_flags_open(const executor_flags_t *flags, executor_list_t *out_executors);

/* The same, but without --isolate code of others runs in this process, for speed.  Its calls are
 * noted in `memory`, for the supervisor of the process. */
int executor_flags_open_here(const executor_flags_t *flags, call_memory_t *memory,
                             executor_list_t *out_executors);

/* Closes them; returns `exit_code`, made EXIT_CODE_FAILED after a complaint if it is clean and
 * something went wrong then. */
int executor_list_close(executor_list_t *executors, int exit_code);

/* The flags as words for a command line: " --isolate --timeout 10s", to follow --executor NAME. */
void executor_flags_print(const executor_flags_t *flags, GString *out_text);
void executor_flags_free(executor_flags_t *flags);

/* The options of executor_open() that the flags stand for. */
status_t executor_flags_options(const executor_flags_t *flags, executor_options_t *out_options,
                                failure_t *error);

/* Finds ops by name, all ops for NULL; *out_ops is freed with g_free(). */
status_t find_ops(char *const *names, const op_t *const **out_ops, size_t *out_count,
                  failure_t *error);

/* The contract called `text`, which may also be a file ("@FILE"); NULL gives the default. */
status_t find_contract(const char *text, contract_t *out_contract, failure_t *error);

/* The shares that --strata gives; those of strata.def for NULL.  Errors name the option. */
extern const char strata_help[]; /* What --strata does, in `--help`. */
status_t find_strata(const char *text, strata_t *out_strata, failure_t *error);

/* What --data-sets gives; {0, 0} for NULL.  Errors name the option. */
extern const char data_sets_help[];
status_t find_data_sets(const char *text, data_sets_t *out_sets, failure_t *error);

/* What --fail-on does, in `--help`. */
#define FAIL_ON_HELP                                                                         \
  "Which findings make the exit code 1 or 3: any, new (with regressed ones and those whose " \
  "waiver has expired), never, or unwaived"

/* Reads --fail-on; what is known is known from a database.  NULL leaves *out_fail_on as it is. */
status_t read_fail_on(const char *text, const char *database, fail_on_t *out_fail_on,
                      failure_t *error);

/* What contract `identified` needs (a database with profiles), and what only it can use. */
status_t check_prediction_flags(const contract_t *contract, const char *database,
                                const char *reference, failure_t *error);

#endif
