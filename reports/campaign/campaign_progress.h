/* SPDX-License-Identifier: Apache-2.0 */
/* What a campaign says while it runs, on standard error: one line that is written over on a
 * terminal, a line a minute in a log, and messages and new findings between them. */
#ifndef ASSAY_REPORTS_CAMPAIGN_CAMPAIGN_PROGRESS_H
#define ASSAY_REPORTS_CAMPAIGN_CAMPAIGN_PROGRESS_H

#include "harness/campaign/status.h"

typedef struct campaign_progress {
  bool is_terminal;
  bool has_line;   /* A line is to be written over. */
  int64_t next_us; /* When a log gets its next line; g_get_monotonic_time(). */
} campaign_progress_t;

campaign_progress_t campaign_progress_make(void);

/* Hooks of campaign_loop_options_t; `context` is a campaign_progress_t. */
void campaign_progress_show(void *context, const campaign_status_t *status);
void campaign_progress_tell(void *context, const char *message);
void campaign_progress_tell_finding(void *context, const char *description, const char *case_line,
                                    const char *executor, const char *twin);

/* Ends the line that is written over. */
void campaign_progress_end(campaign_progress_t *progress);

#endif
