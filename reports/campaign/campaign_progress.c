/* SPDX-License-Identifier: Apache-2.0 */
/* Progress of a campaign on standard error: a line rewritten in place on a terminal, one line per
 * minute otherwise, with messages and new findings between. */
#include "reports/campaign/campaign_progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/plain_text.h"

enum { LOG_INTERVAL_US = 60 * 1000 * 1000 };

campaign_progress_t campaign_progress_make(void) {
  const char *terminal = g_getenv("TERM");
  bool is_dumb = terminal == NULL || strcmp(terminal, "dumb") == 0;
  return (campaign_progress_t){.is_terminal = isatty(STDERR_FILENO) == 1 && !is_dumb};
}

/* Leaves the cursor at the beginning of an empty line. */
static void clear_line(campaign_progress_t *progress) {
  if (progress->has_line) fputs("\r\033[K", stderr);
  progress->has_line = false;
}

void campaign_progress_show(void *context, const campaign_status_t *status) {
  campaign_progress_t *progress = context;
  int64_t now = g_get_monotonic_time();
  if (!progress->is_terminal && now < progress->next_us) return;
  progress->next_us = now + LOG_INTERVAL_US;
  GString *line = g_string_new(NULL);
  campaign_status_print(status, line);
  clear_line(progress);
  fputs(line->str, stderr);
  if (progress->is_terminal) {
    progress->has_line = true;
  } else {
    fputc('\n', stderr);
  }
  fflush(stderr);
  g_string_free(line, TRUE);
}

void campaign_progress_tell(void *context, const char *message) {
  clear_line(context);
  g_autofree char *plain = plain_text_except(message, "\n");
  fprintf(stderr, "assay: %s\n", plain);
}

void campaign_progress_tell_finding(void *context, const char *description, const char *case_line,
                                    const char *executor, const char *twin) {
  clear_line(context);
  g_autofree char *quoted_case = g_shell_quote(case_line);
  g_autofree char *quoted_executor = g_shell_quote(executor);
  fprintf(stderr, "new: %s\n  assay replay %s --executor %s", description, quoted_case,
          quoted_executor);
  if (twin[0] != '\0') {
    g_autofree char *quoted_twin = g_shell_quote(twin);
    fprintf(stderr, " --twin %s", quoted_twin);
  }
  fputc('\n', stderr);
}

void campaign_progress_end(campaign_progress_t *progress) {
  if (progress->has_line) fputc('\n', stderr);
  progress->has_line = false;
}
