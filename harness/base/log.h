/* SPDX-License-Identifier: Apache-2.0 */
/* Messages for developers, by GLib's log: one domain for each area, on standard error.  They are
 * off unless the environment has ASSAY_LOG=debug, or areas between commas: ASSAY_LOG=exec,store.
 *
 * Verdicts, findings and errors never go this way: what a user must know is printed. */
#ifndef ASSAY_BASE_LOG_H
#define ASSAY_BASE_LOG_H

#include <glib.h>
#include <stdbool.h>

#include "harness/base/status.h"

#define LOG_CAMPAIGN "assay-campaign" /* Time slices: which process runs what, and how it ends. */
#define LOG_EXEC "assay-exec"         /* Opening executors, compiling, every call. */
#define LOG_ORACLE "assay-oracle"     /* Components that only the exact side decides. */
#define LOG_STORE "assay-store"       /* Opening databases, waiting for others, commits. */

/* Logs a line, without a newline.  Where the area is off its arguments are not evaluated.  Any
 * thread may. */
#define log_debug(area, ...)                                             \
  do {                                                                   \
    if (!g_log_writer_default_would_drop(G_LOG_LEVEL_DEBUG, area)) {     \
      g_log_structured(area, G_LOG_LEVEL_DEBUG, "MESSAGE", __VA_ARGS__); \
    }                                                                    \
  } while (0)

/* Turns on what `wanted` (the value of ASSAY_LOG; NULL: nothing) names, for this process and those
 * that it forks.  STATUS_INVALID names an unknown word.  Before any other thread is started. */
status_t log_start(const char *wanted, failure_t *error);

#endif
