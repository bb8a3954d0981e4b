/* SPDX-License-Identifier: Apache-2.0 */
/* assay fuzz: libFuzzer searches for larger errors of ops; or makes its corpus small. */
#include <math.h>
#include <string.h>

#include "harness/cli/verbs/search/driver.h"
#include "harness/cli/verbs/search/minimise.h"
#include "reports/run/summary.h"

typedef struct fuzz_flags {
  task_flags_t task;
  char **ops;
  gint64 runs;
  char *corpus;
  char *artifacts;
  char *outcomes;
  char *steer;
  gboolean stops_at_finding;
  gboolean minimises;
} fuzz_flags_t;

/* Beside the corpus: in it, a case that ends the process would do so for ever. */
static char *artifacts_folder(const fuzz_flags_t *flags) {
  if (flags->artifacts != NULL) return g_strdup(flags->artifacts);
  return flags->corpus == NULL ? NULL : g_strconcat(flags->corpus, "-artifacts", NULL);
}

/* What holds for one executor in one version and contract, and is asked again by the next campaign.
 */
static status_t open_outcomes(const fuzz_flags_t *flags, fuzz_options_t *options,
                              const task_t *task, failure_t *error) {
  if (flags->outcomes == NULL) return STATUS_OK;
  if (task->executors.count != 1) {
    return status_fail(error, STATUS_INVALID,
                       "--outcomes keeps what one executor gave: name one, or leave it out");
  }
  const executor_t *executor = task->executors.items[0];
  g_autofree char *scope =
      g_strjoin("\n", ASSAY_VERSION, flags->task.executor.names[0], executor_version(executor),
                task->contract_text, flags->task.name == NULL ? "" : flags->task.name, NULL);
  return outcome_file_open(flags->outcomes, scope, &options->outcomes, error);
}

static int fuzz(const fuzz_flags_t *flags, fuzz_options_t *options, task_t *task) {
  task->options.on_finding = task_tell_finding;
  task->options.hook_context = task;
  int exit_code = task_start(task);
  if (exit_code != EXIT_CODE_CLEAN) return task_close(task, exit_code);
  options->seconds_max = (uint32_t)fmin(ceil(task->options.seconds_max), G_MAXINT32);
  options->shares_time = task->options.seconds_max > 0;
  failure_t error = {0};
  status_t status = open_outcomes(flags, options, task, &error);
  if (status == STATUS_OK) status = task_walk_incident(task, &error);
  if (status != STATUS_OK) return task_close(task, task_complain(task, status, &error));
  return flags->minimises ? fuzz_minimise(task, options) : fuzz_drive(task, options);
}

static bool read_steering(const char *text, fuzz_steering_t *out_steering) {
  static const char *const names[] = {"all", "counters", "none"};
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    if (text != NULL && strcmp(text, names[i]) != 0) continue;
    *out_steering = (fuzz_steering_t)i;
    return true;
  }
  complain("bad value \"%s\" (--steer); write all, counters or none", text);
  return false;
}

static bool read_flags(const fuzz_flags_t *flags, fuzz_options_t *out_options) {
  *out_options = (fuzz_options_t){.runs_max = (uint64_t)flags->runs,
                                  .corpus = flags->corpus,
                                  .stops_at_finding = flags->stops_at_finding};
  if (flags->minimises && flags->corpus == NULL) {
    complain("--minimise-corpus needs --corpus FOLDER");
    return false;
  }
  return read_steering(flags->steer, &out_options->steering);
}

/* Ops by --op and as words; of none, all. */
static char **join_ops(const fuzz_flags_t *flags, int argc, char **argv) {
  GStrvBuilder *builder = g_strv_builder_new();
  for (char **op = flags->ops; op != NULL && *op != NULL; op++) g_strv_builder_add(builder, *op);
  for (int i = 1; i < argc; i++) g_strv_builder_add(builder, argv[i]);
  char **ops = g_strv_builder_end(builder);
  g_strv_builder_unref(builder);
  if (ops[0] != NULL) return ops;
  g_strfreev(ops);
  return NULL;
}

static int open_and_fuzz(fuzz_flags_t *flags, int argc, char **argv) {
  fuzz_options_t options;
  if (!read_flags(flags, &options)) return EXIT_CODE_USAGE;
  g_autofree char *artifacts = artifacts_folder(flags);
  flags->task.runs_here = true;
  flags->task.keeps_inputs = true;
  flags->task.artifacts = artifacts;
  task_t task;
  int exit_code = task_open(&flags->task, argc, argv, &task);
  return exit_code == EXIT_CODE_CLEAN ? fuzz(flags, &options, &task) : exit_code;
}

static void add_options(fuzz_flags_t *flags, arguments_t *arguments) {
  const GOptionEntry entries[] = {
      {"op", 'o', 0, G_OPTION_ARG_STRING_ARRAY, &flags->ops,
       "An op to search; may be given several times, or as a word (default: all)", "OP"},
      {"runs", 'r', 0, G_OPTION_ARG_INT64, &flags->runs, "Stop after N inputs", "N"},
      {"stop-at-finding", 0, 0, G_OPTION_ARG_NONE, &flags->stops_at_finding,
       "Stop at the first finding", NULL},
      {"corpus", 0, 0, G_OPTION_ARG_FILENAME, &flags->corpus,
       "Begin with the cases in this folder, and keep new ones there", "FOLDER"},
      {"minimise-corpus", 0, 0, G_OPTION_ARG_NONE, &flags->minimises,
       "Only remove the cases of the corpus that show nothing beyond what shorter ones show", NULL},
      {"artifacts", 0, 0, G_OPTION_ARG_FILENAME, &flags->artifacts,
       "Where the case goes that ends the process (default: FOLDER-artifacts of the corpus; else "
       "it "
       "is printed)",
       "FOLDER"},
      {"outcomes", 0, 0, G_OPTION_ARG_FILENAME, &flags->outcomes,
       "Keep in this file which cases of the corpus conform, and do not run those again", "FILE"},
      {"steer", 0, 0, G_OPTION_ARG_STRING, &flags->steer,
       "By all (default), by libFuzzer's counters alone, or by none: for comparison",
       "all|counters|none"},
      G_OPTION_ENTRY_NULL};
  arguments_add(arguments, entries);
  task_flags_add(&flags->task, arguments);
  executor_flags_add_twins(&flags->task.executor, arguments);
  task_flags_add_invalid(&flags->task, arguments);
  task_flags_add_json(&flags->task, arguments);
}

int command_fuzz(const command_t *command, int argc, char **argv) {
  enum { OPS_MAX = 1000 };
  fuzz_flags_t flags = {0};
  arguments_t arguments = arguments_make(command);
  add_options(&flags, &arguments);
  char **words = g_strdupv(argv);
  int word_count = argc;
  int exit_code = EXIT_CODE_USAGE;
  if (arguments_parse(&arguments, &argc, &argv, 0, OPS_MAX)) {
    flags.task.ops = join_ops(&flags, argc, argv);
    exit_code = open_and_fuzz(&flags, word_count, words);
  }
  g_strfreev(words);
  g_strfreev(flags.ops);
  g_free(flags.corpus);
  g_free(flags.artifacts);
  g_free(flags.outcomes);
  g_free(flags.steer);
  task_flags_free(&flags.task);
  return exit_code;
}
