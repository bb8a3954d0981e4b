/* SPDX-License-Identifier: Apache-2.0 */
/* Definition, checking and opening of options that several verbs share: executors with their
 * limits, contracts, ops, failure policy and prediction. */
#include "harness/cli/options/flags.h"

#include <stdio.h>
#include <string.h>

#include "harness/base/plain_text.h"
#include "harness/builtin/builtin.h"
#include "harness/cli/options/declared_ops.h"
#include "harness/cli/options/suggest.h"
#include "harness/exec/kernel_environment.h"
#include "harness/invariance/twins.h"

void executor_flags_add(executor_flags_t *flags, arguments_t *arguments) {
  const GOptionEntry entries[] = {
      {"executor", 'e', 0, G_OPTION_ARG_STRING_ARRAY, &flags->names,
       "An implementation to test; may be given several times", "NAME"},
      {"isolate", 0, 0, G_OPTION_ARG_NONE, &flags->isolate,
       "Host executors in processes of their own: a crash costs one case", NULL},
      {"timeout", 0, 0, G_OPTION_ARG_STRING, &flags->timeout,
       "Time limit of one call to an executor (default 10s; of PJRT, of what compiles at great "
       "cost, and without --isolate 60s)",
       "TIME"},
      {"memory", 0, 0, G_OPTION_ARG_STRING, &flags->memory, "Memory limit of an isolated executor",
       "BYTES"},
      G_OPTION_ENTRY_NULL};
  arguments_add(arguments, entries);
}

void executor_flags_add_twins(executor_flags_t *flags, arguments_t *arguments) {
  const GOptionEntry entries[] = {
      {"twins", 0, 0, G_OPTION_ARG_NONE, &flags->twins,
       "Run modules op by op too, on the same executors, and hold both against each other", NULL},
      {"twin", 0, 0, G_OPTION_ARG_STRING, &flags->twin,
       "Hold the executor against this one, which runs the same in another way", "NAME"},
      G_OPTION_ENTRY_NULL};
  arguments_add(arguments, entries);
}

status_t executor_flags_options(const executor_flags_t *flags, executor_options_t *out_options,
                                failure_t *error) {
  executor_options_t options = {.isolate = flags->isolate, .find_builtin = builtin_find};
  if (flags->timeout != NULL) {
    double seconds;
    STATUS_TRY(arguments_parse_seconds("--timeout", flags->timeout, &seconds, error));
    if (seconds < 0.001 || seconds > 86400) {
      return status_fail(error, STATUS_INVALID,
                         "'%s' (--timeout) is out of bounds; write 1ms to 24h", flags->timeout);
    }
    options.timeout_ms = (uint32_t)(seconds * 1000);
  }
  if (flags->memory != NULL) {
    STATUS_TRY(arguments_parse_bytes("--memory", flags->memory, &options.memory_bytes_max, error));
  }
  *out_options = options;
  return STATUS_OK;
}

/* What chooses kernels is recorded with the hardware; who set it for something else should know. */
static void warn_of_environment(const executor_t *executor) {
  g_autofree char *set = kernel_environment(executor_name(executor), executor_is_process(executor));
  if (set != NULL) {
    complain(
        "warning: %s of the environment chooses kernels of %s; it is recorded with the hardware",
        set, executor_name(executor));
  }
}

char **executor_flags_names(const executor_flags_t *flags) {
  guint count = flags->names == NULL ? 0 : g_strv_length(flags->names);
  GPtrArray *names = g_ptr_array_new();
  for (guint i = 0; i < count; i++) g_ptr_array_add(names, g_strdup(flags->names[i]));
  for (guint i = 0; i < count && flags->twins; i++) {
    g_ptr_array_add(names, twins_name(flags->names[i]));
  }
  if (flags->twin != NULL) g_ptr_array_add(names, g_strdup(flags->twin));
  g_ptr_array_add(names, NULL);
  return (char **)g_ptr_array_free(names, FALSE);
}

/* Which executors are twins, of `count` and as many behind them. */
static size_t *pair_twins(size_t count) {
  size_t *twins = g_new(size_t, 2 * count);
  for (size_t i = 0; i < 2 * count; i++) twins[i] = i < count ? i + count : i - count;
  return twins;
}

static int open_all(const executor_flags_t *flags, executor_options_t *options,
                    executor_list_t *out_executors) {
  g_auto(GStrv) names = executor_flags_names(flags);
  guint count = g_strv_length(names);
  executor_list_t list = {.items = g_new0(executor_t *, count)};
  for (; list.count < count; list.count++) {
    failure_t error = {0};
    options->number = (uint32_t)list.count;
    status_t status = executor_open(names[list.count], options, &list.items[list.count], &error);
    if (status == STATUS_OK) {
      warn_of_environment(list.items[list.count]);
      continue;
    }
    return executor_list_close(&list, complain_status(status, &error));
  }
  guint own = g_strv_length(flags->names);
  if (own < count) list.twins = pair_twins(own);
  *out_executors = list;
  return EXIT_CODE_CLEAN;
}

/* With --twin there is one executor, and with either option none is given twice. */
static status_t check_twins(const executor_flags_t *flags, failure_t *error) {
  if (flags->twins && flags->twin != NULL) {
    return status_fail(error, STATUS_INVALID, "--twins and --twin exclude each other");
  }
  if (flags->twin != NULL && g_strv_length(flags->names) != 1) {
    return status_fail(error, STATUS_INVALID,
                       "--twin is the twin of one executor; give --executor once");
  }
  g_auto(GStrv) names = executor_flags_names(flags);
  for (char **name = names; *name != NULL && (flags->twins || flags->twin != NULL); name++) {
    if (!g_strv_contains((const char *const *)name + 1, *name)) continue;
    return status_fail(error, STATUS_INVALID,
                       "%.200s would be its own twin; give another --executor or --twin", *name);
  }
  return STATUS_OK;
}

/* They are printed, stored and put into documents. */
static status_t check_names(const executor_flags_t *flags, failure_t *error) {
  g_auto(GStrv) names = executor_flags_names(flags);
  for (char **name = names; *name != NULL; name++) {
    g_autofree char *plain = plain_text_except(*name, "\n\t");
    if (strcmp(plain, *name) == 0) continue;
    return status_fail(error, STATUS_INVALID,
                       "bad value '%.200s' (--executor); write printable UTF-8", plain);
  }
  return STATUS_OK;
}

static status_t find_options(const executor_flags_t *flags, executor_options_t *out_options,
                             failure_t *error) {
  STATUS_TRY(executor_flags_options(flags, out_options, error));
  STATUS_TRY(check_names(flags, error));
  if (flags->names != NULL && flags->names[0] != NULL) return check_twins(flags, error);
  return status_fail(error, STATUS_INVALID,
                     "no executor given; add --executor NAME (`assay executors` lists them)");
}

int executor_flags_open(const executor_flags_t *flags, executor_list_t *out_executors) {
  failure_t error = {0};
  executor_options_t options;
  status_t status = find_options(flags, &options, &error);
  if (status != STATUS_OK) return complain_status(status, &error);
  options.isolate_foreign = true;
  return open_all(flags, &options, out_executors);
}

int executor_flags_open_here(const executor_flags_t *flags, call_memory_t *memory,
                             executor_list_t *out_executors) {
  failure_t error = {0};
  executor_options_t options;
  status_t status = find_options(flags, &options, &error);
  if (status != STATUS_OK) return complain_status(status, &error);
  options.memory = memory;
  return open_all(flags, &options, out_executors);
}

/* Shut, not closed, first: what is told of them is theirs. */
int executor_list_close(executor_list_t *executors, int exit_code) {
  for (size_t i = 0; i < executors->count; i++) {
    executor_t *executor = executors->items[i];
    executor_shut(executor);
    executor_aftermath_t aftermath = executor_take_aftermath(executor);
    if (aftermath.outcome != EXECUTOR_OK) {
      complain("executor %s: %s", executor_name(executor), aftermath.reason);
      if (exit_code == EXIT_CODE_CLEAN) exit_code = EXIT_CODE_FAILED;
    }
    g_free(aftermath.program_line);
    executor_close(executor);
  }
  g_free(executors->items);
  g_free(executors->twins);
  *executors = (executor_list_t){0};
  return exit_code;
}

void executor_flags_print(const executor_flags_t *flags, GString *out_text) {
  declared_ops_print(out_text);
  if (flags->isolate) g_string_append(out_text, " --isolate");
  if (flags->timeout != NULL) g_string_append_printf(out_text, " --timeout %s", flags->timeout);
  if (flags->memory != NULL) g_string_append_printf(out_text, " --memory %s", flags->memory);
}

void executor_flags_free(executor_flags_t *flags) {
  g_strfreev(flags->names);
  g_free(flags->timeout);
  g_free(flags->memory);
  g_free(flags->twin);
}

static status_t reject_op(const char *name, failure_t *error) {
  suggestion_t suggestion = suggestion_make(name);
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    suggestion_offer(&suggestion, (*op)->name);
  }
  char advice[SUGGESTION_BYTES];
  return status_fail(
      error, STATUS_INVALID, "unknown op '%s' (--op); %s", name,
      suggestion_print(&suggestion, "`assay ops` lists them, --ops adds those of a file", advice));
}

status_t find_ops(char *const *names, const op_t *const **out_ops, size_t *out_count,
                  failure_t *error) {
  GPtrArray *ops = g_ptr_array_new();
  if (names == NULL || names[0] == NULL) {
    const op_t *const *const lists[] = {op_all(), op_compound()};
    for (size_t i = 0; i < G_N_ELEMENTS(lists); i++) {
      for (const op_t *const *op = lists[i]; *op != NULL; op++) {
        g_ptr_array_add(ops, (gpointer)(uintptr_t)*op);
      }
    }
  } else {
    for (; *names != NULL; names++) {
      const op_t *op = op_find(str_from(*names));
      if (op == NULL) {
        g_ptr_array_unref(ops);
        return reject_op(*names, error);
      }
      g_ptr_array_add(ops, (gpointer)(uintptr_t)op);
    }
  }
  *out_count = ops->len;
  *out_ops = (const op_t *const *)g_ptr_array_free(ops, FALSE);
  return STATUS_OK;
}

const char strata_help[] =
    "NAME=SHARE,...: where programs come from; strata that are not named give none (default:"
#define STRATUM(name, mark, share, sizes, rank_max, elements_max, terms_max, data, summary) \
  " " #name "=" #share
#include "harness/gen/strata.def"
#undef STRATUM
    ")";

status_t find_strata(const char *text, strata_t *out_strata, failure_t *error) {
  failure_t inner = {0};
  status_t status = strata_parse(str_from(text == NULL ? "" : text), out_strata, &inner);
  if (status == STATUS_OK) return STATUS_OK;
  return status_fail(error, status, "%s (--strata)", inner.text);
}

const char data_sets_help[] =
    "N or LEAST-MOST: data drawn for each small program before the next one (default 2-4, and "
    "32-64 where executors compile in a process of their own)";

status_t find_data_sets(const char *text, data_sets_t *out_sets, failure_t *error) {
  failure_t inner = {0};
  status_t status = data_sets_parse(str_from(text == NULL ? "" : text), out_sets, &inner);
  if (status == STATUS_OK) return STATUS_OK;
  return status_fail(error, status, "%s (--data-sets)", inner.text);
}

status_t find_contract(const char *text, contract_t *out_contract, failure_t *error) {
  if (text == NULL) {
    *out_contract = contract_backend();
    return STATUS_OK;
  }
  if (text[0] == '@') return contract_read_file(text + 1, out_contract, error);
  return contract_parse(str_from(text), out_contract, error);
}

status_t read_fail_on(const char *text, const char *database, fail_on_t *out_fail_on,
                      failure_t *error) {
  if (text == NULL) return STATUS_OK;
  STATUS_TRY(fail_on_parse(text, out_fail_on, error));
  if (database != NULL || !fail_on_needs_states(*out_fail_on)) return STATUS_OK;
  return status_fail(error, STATUS_INVALID,
                     "--fail-on %s needs a database of known findings; add --db FILE", text);
}

status_t check_prediction_flags(const contract_t *contract, const char *database,
                                const char *reference, failure_t *error) {
  bool is_identified = PERMITTED(contract, bits) == BITS_IDENTIFIED;
  if (is_identified && database == NULL) {
    return status_fail(error, STATUS_INVALID,
                       "contract identified predicts with stored profiles; add --db FILE, the "
                       "database that `assay identify --db FILE` wrote");
  }
  if (is_identified && PERMITTED(contract, repeat) == RUNS_MAY_DIFFER) {
    return status_fail(error, STATUS_INVALID,
                       "contract identified predicts every bit, and repeat=any says that bits may "
                       "differ from run to run; leave one of them out");
  }
  if (!is_identified && reference != NULL) {
    return status_fail(error, STATUS_INVALID,
                       "--reference is for contract identified; add --contract identified");
  }
  return STATUS_OK;
}
