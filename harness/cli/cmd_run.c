/* assay run: draws cases, walks them over executors, tells what diverged. */
#include "harness/cli/summary.h"

/* Runs an open campaign to its end and closes it. */
static int run_campaign(campaign_t *campaign) {
  campaign->options.on_finding = summary_on_finding;
  campaign->options.on_tick = summary_on_tick;
  campaign->options.hook_context = campaign;
  int exit_code = campaign_start(campaign);
  if (exit_code != EXIT_CODE_CLEAN) return campaign_close(campaign, exit_code);
  failure_t error = {0};
  status_t status = session_run(campaign->session, &error);
  if (campaign->flags->json) {
    summary_print_json(campaign);
  } else {
    summary_print(campaign);
  }
  exit_code = status == STATUS_OK ? session_exit_code(campaign->session)
                                  : campaign_complain(campaign, status, &error);
  return campaign_close(campaign, exit_code);
}

int command_run(const command_t *command, int argc, char **argv) {
  campaign_flags_t flags = {0};
  arguments_t arguments = arguments_make(command);
  const GOptionEntry entries[] = {{"program", 'p', 0, G_OPTION_ARG_STRING, &flags.program,
                                   "Draw data for this one program line", "LINE"},
                                  G_OPTION_ENTRY_NULL};
  campaign_flags_add_drawing(&flags, &arguments);
  arguments_add(&arguments, entries);
  campaign_flags_add(&flags, &arguments);
  campaign_flags_add_json(&flags, &arguments);
  char **words = g_strdupv(argv);
  int exit_code = EXIT_CODE_USAGE;
  int word_count = argc;
  if (arguments_parse(&arguments, &argc, &argv, 0, 0)) {
    campaign_t campaign;
    exit_code = campaign_open(&flags, word_count, words, &campaign);
    if (exit_code == EXIT_CODE_CLEAN) exit_code = run_campaign(&campaign);
  }
  g_strfreev(words);
  campaign_flags_free(&flags);
  return exit_code;
}
