#include "harness/cli/campaign.h"

#include <stdio.h>

#include "harness/cli/interrupt.h"

enum { CASES_DEFAULT = 10000 };

void campaign_flags_add(campaign_flags_t *flags, arguments_t *arguments) {
  const GOptionEntry entries[] = {
      {"time", 't', 0, G_OPTION_ARG_STRING, &flags->time, "Stop after a time: 30s, 5m, 8h", "TIME"},
      {"seed", 's', 0, G_OPTION_ARG_STRING, &flags->seed,
       "Same seed, same cases, same findings (default 1; random draws one)", "SEED"},
      {"contract", 'c', 0, G_OPTION_ARG_STRING, &flags->contract,
       "spec, backend (default), identified, KEY=VALUE,... or @FILE; `assay help` explains",
       "CONTRACT"},
      {"db", 'd', 0, G_OPTION_ARG_FILENAME, &flags->database,
       "Keep counters and findings in this database", "FILE"},
      {"reference", 0, 0, G_OPTION_ARG_STRING, &flags->reference,
       "With contract identified: the version to predict with, or own (default: the last other "
       "one)",
       "VERSION"},
      G_OPTION_ENTRY_NULL};
  arguments_add(arguments, entries);
  executor_flags_add(&flags->executor, arguments);
}

void campaign_flags_add_drawing(campaign_flags_t *flags, arguments_t *arguments) {
  const GOptionEntry entries[] = {
      {"op", 'o', 0, G_OPTION_ARG_STRING_ARRAY, &flags->ops,
       "An op to draw cases of; may be given several times (default: all)", "OP"},
      {"cases", 'n', 0, G_OPTION_ARG_INT64, &flags->cases,
       "Stop after so many cases (default 10000 without --time)", "N"},
      G_OPTION_ENTRY_NULL};
  arguments_add(arguments, entries);
}

void campaign_flags_add_json(campaign_flags_t *flags, arguments_t *arguments) {
  const GOptionEntry entries[] = {
      {"json", 0, 0, G_OPTION_ARG_NONE, &flags->json, "Print one JSON document", NULL},
      G_OPTION_ENTRY_NULL};
  arguments_add(arguments, entries);
}

void campaign_flags_free(campaign_flags_t *flags) {
  executor_flags_free(&flags->executor);
  g_strfreev(flags->ops);
  g_free(flags->time);
  g_free(flags->seed);
  g_free(flags->contract);
  g_free(flags->database);
  g_free(flags->reference);
  g_free(flags->program);
}

static status_t read_limits(const campaign_flags_t *flags, session_options_t *options,
                            failure_t *error) {
  if (flags->cases < 0) {
    return status_fail(error, STATUS_INVALID,
                       "bad value %" G_GINT64_FORMAT " (--cases); write a positive number",
                       flags->cases);
  }
  options->cases_max = (uint64_t)flags->cases;
  if (flags->time != NULL) {
    STATUS_TRY(arguments_parse_seconds("--time", flags->time, &options->seconds_max, error));
  } else if (flags->cases == 0) {
    options->cases_max = CASES_DEFAULT;
  }
  return STATUS_OK;
}

static status_t read_program(campaign_t *campaign, failure_t *error) {
  const campaign_flags_t *flags = campaign->flags;
  stream_options_t *stream = &campaign->options.stream;
  if (flags->program == NULL) {
    STATUS_TRY(find_ops(flags->ops, &campaign->ops, &stream->op_count, error));
    stream->ops = campaign->ops;
    return STATUS_OK;
  }
  if (flags->ops != NULL) {
    return status_fail(error, STATUS_INVALID,
                       "--program names its op already; leave out --op or --program");
  }
  STATUS_TRY(program_parse(str_from(flags->program), &campaign->arena, &campaign->program,
                           &stream->broken, error));
  stream->program = &campaign->program;
  return STATUS_OK;
}

static status_t read_flags(campaign_t *campaign, failure_t *error) {
  session_options_t *options = &campaign->options;
  options->stream.gen = gen_options_default();
  STATUS_TRY(read_limits(campaign->flags, options, error));
  STATUS_TRY(arguments_parse_seed(campaign->flags->seed, &options->stream.seed, error));
  STATUS_TRY(find_contract(campaign->flags->contract, &options->contract, error));
  GString *contract = g_string_new(NULL);
  contract_print(&options->contract, contract);
  campaign->contract_text = g_string_free(contract, FALSE);
  return read_program(campaign, error);
}

/* Under contract `identified` programs are drawn that some profile covers, unless others are asked
 * for. */
static status_t open_prediction(campaign_t *campaign, failure_t *error) {
  const campaign_flags_t *flags = campaign->flags;
  session_options_t *options = &campaign->options;
  STATUS_TRY(check_prediction_flags(&options->contract, flags->database, flags->reference, error));
  if (options->contract.bits != BITS_IDENTIFIED) return STATUS_OK;
  const prediction_options_t prediction = {.database = flags->database,
                                           .executors = campaign->executors.items,
                                           .executor_count = campaign->executors.count,
                                           .reference = flags->reference};
  STATUS_TRY(prediction_open(&prediction, &campaign->prediction, error));
  options->predictor = prediction_predictor(campaign->prediction);
  if (flags->ops != NULL || flags->program != NULL) return STATUS_OK;
  options->stream.draw_program = prediction_draw_program;
  options->stream.draw_context = campaign->prediction;
  return STATUS_OK;
}

static char *join_command_line(int argc, char *const *argv) {
  GString *line = g_string_new("assay");
  for (int i = 0; i < argc; i++) {
    char *quoted = g_shell_quote(argv[i]);
    g_string_append_printf(line, " %s", quoted);
    g_free(quoted);
  }
  return g_string_free(line, FALSE);
}

int campaign_open(const campaign_flags_t *flags, int argc, char *const *argv,
                  campaign_t *out_campaign) {
  campaign_t *campaign = out_campaign;
  *campaign = (campaign_t){.flags = flags};
  arena_init(&campaign->arena);
  campaign->command_line = join_command_line(argc, argv);
  failure_t error = {0};
  status_t status = read_flags(campaign, &error);
  int exit_code = status == STATUS_OK ? EXIT_CODE_CLEAN : complain_status(status, &error);
  if (exit_code == EXIT_CODE_CLEAN) {
    exit_code = executor_flags_open(&flags->executor, &campaign->executors);
  }
  if (exit_code == EXIT_CODE_CLEAN && flags->database != NULL) {
    status = store_open(flags->database, &campaign->store, &error);
    if (status != STATUS_OK) exit_code = complain_status(status, &error);
  }
  if (exit_code == EXIT_CODE_CLEAN) {
    status = open_prediction(campaign, &error);
    if (status != STATUS_OK) exit_code = complain_status(status, &error);
  }
  if (exit_code != EXIT_CODE_CLEAN) return campaign_close(campaign, exit_code);
  session_options_t *options = &campaign->options;
  options->executors = campaign->executors.items;
  options->executor_count = campaign->executors.count;
  for (size_t i = 0; i < options->executor_count; i++) {
    options->stream.compiling_is_dear |= executor_is_process(options->executors[i]);
  }
  options->store = campaign->store;
  options->command = campaign->command_line;
  options->assay_version = ASSAY_VERSION;
  options->stop = interrupt_catch();
  return EXIT_CODE_CLEAN;
}

int campaign_start(campaign_t *campaign) {
  failure_t error = {0};
  status_t status = session_open(&campaign->options, &campaign->session, &error);
  return status == STATUS_OK ? EXIT_CODE_CLEAN : complain_status(status, &error);
}

int campaign_complain(const campaign_t *campaign, status_t status, const failure_t *error) {
  const char *bug_case = session_bug_case(campaign->session);
  if (bug_case[0] == '\0') return complain_status(status, error);
  complain("BUG IN ASSAY, not in the executor: %s", error->text);
  fprintf(stderr,
          "  version:  %s\n  command:  %s\n  contract: %s\n  case:     %s\n"
          "The run has been stopped; please report these lines.\n",
          ASSAY_VERSION, campaign->command_line, campaign->contract_text, bug_case);
  return EXIT_CODE_FAILED;
}

int campaign_close(campaign_t *campaign, int exit_code) {
  failure_t error = {0};
  status_t status = session_close(campaign->session, exit_code, &error);
  if (status != STATUS_OK) exit_code = complain_status(status, &error);
  status = store_close(campaign->store, &error);
  if (status != STATUS_OK) exit_code = complain_status(status, &error);
  prediction_close(campaign->prediction);
  executor_list_close(&campaign->executors);
  arena_deinit(&campaign->arena);
  g_free((gpointer)(uintptr_t)campaign->ops);
  g_free(campaign->command_line);
  g_free(campaign->contract_text);
  campaign->session = NULL;
  return exit_code;
}
