/* SPDX-License-Identifier: Apache-2.0 */
/* assay completion: the scripts by which shells complete its command lines, and what they ask. */
#include <stdio.h>

#include "harness/cli/options/arguments.h"
#include "harness/cli/options/completion.h"

static int print_script(const char *shell) {
  const char *script = completion_script(shell);
  if (script == NULL) {
    complain("no completion for '%s'; write bash, zsh or fish", shell);
    return EXIT_CODE_USAGE;
  }
  fputs(script, stdout);
  return EXIT_CODE_CLEAN;
}

int command_completion(const command_t *command, int argc, char **argv) {
  gboolean completes = FALSE;
  const GOptionEntry entries[] = {
      {"complete", 0, 0, G_OPTION_ARG_NONE, &completes,
       "Print what the last of the words after -- may become; the scripts call this", NULL},
      G_OPTION_ENTRY_NULL};
  arguments_t arguments = arguments_make(command);
  arguments_add(&arguments, entries);
  if (!arguments_parse(&arguments, &argc, &argv, 1, G_MAXINT - 1)) return EXIT_CODE_USAGE;
  if (!completes && argc > 2) {
    complain("one shell at a time; write bash, zsh or fish");
    return EXIT_CODE_USAGE;
  }
  if (!completes) return print_script(argv[1]);
  GString *text = g_string_new(NULL);
  completion_print(argc - 1, argv + 1, text);
  fputs(text->str, stdout);
  g_string_free(text, TRUE);
  return EXIT_CODE_CLEAN;
}
