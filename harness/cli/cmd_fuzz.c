/* assay fuzz: libFuzzer searches for larger errors of an op. */
#include <math.h>

#include "harness/cli/fuzz_driver.h"
#include "harness/cli/summary.h"

typedef struct fuzz_flags {
  campaign_flags_t campaign;
  gint64 runs;
  char *corpus;
} fuzz_flags_t;

static int fuzz(const fuzz_flags_t *flags, campaign_t *campaign) {
  campaign->options.on_finding = summary_on_finding;
  campaign->options.hook_context = campaign;
  int exit_code = campaign_start(campaign);
  if (exit_code != EXIT_CODE_CLEAN) return campaign_close(campaign, exit_code);
  const fuzz_options_t options = {
      .op = campaign->ops[0],
      .runs_max = (uint64_t)flags->runs,
      .seconds_max = (uint32_t)fmin(ceil(campaign->options.seconds_max), G_MAXINT32),
      .corpus = flags->corpus,
      .isolated = flags->campaign.executor.isolate};
  return fuzz_drive(campaign, &options);
}

static int open_and_fuzz(fuzz_flags_t *flags, const char *op, int argc, char **argv) {
  if (flags->runs < 0) {
    complain("bad value %" G_GINT64_FORMAT " (--runs); write a positive number", flags->runs);
    return EXIT_CODE_USAGE;
  }
  flags->campaign.ops = g_new0(char *, 2);
  flags->campaign.ops[0] = g_strdup(op);
  campaign_t campaign;
  int exit_code = campaign_open(&flags->campaign, argc, argv, &campaign);
  return exit_code == EXIT_CODE_CLEAN ? fuzz(flags, &campaign) : exit_code;
}

int command_fuzz(const command_t *command, int argc, char **argv) {
  fuzz_flags_t flags = {0};
  const GOptionEntry entries[] = {
      {"runs", 'r', 0, G_OPTION_ARG_INT64, &flags.runs, "Stop after so many inputs", "N"},
      {"corpus", 0, 0, G_OPTION_ARG_FILENAME, &flags.corpus,
       "Begin with the cases in this folder, and keep new ones there", "FOLDER"},
      G_OPTION_ENTRY_NULL};
  arguments_t arguments = arguments_make(command);
  arguments_add(&arguments, entries);
  campaign_flags_add(&flags.campaign, &arguments);
  campaign_flags_add_json(&flags.campaign, &arguments);
  char **words = g_strdupv(argv);
  int word_count = argc;
  int exit_code = EXIT_CODE_USAGE;
  if (arguments_parse(&arguments, &argc, &argv, 1, 1)) {
    exit_code = open_and_fuzz(&flags, argv[1], word_count, words);
  }
  g_strfreev(words);
  g_free(flags.corpus);
  campaign_flags_free(&flags.campaign);
  return exit_code;
}
