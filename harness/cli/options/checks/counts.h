/* SPDX-License-Identifier: Apache-2.0 */
/* Options that are counts: 0 of anything, and less, is refused.  Verbs take a count that was not
 * given as 0 or as their default, so that a 0 that was given would silently become that. */
#ifndef ASSAY_CLI_OPTIONS_CHECKS_COUNTS_H
#define ASSAY_CLI_OPTIONS_CHECKS_COUNTS_H

#include <glib.h>

/* What counts have before the command line is parsed, by their places in `entries`: put there
 * again by counts_settle(), where none was given.  The caller unrefs it. */
GArray *counts_mark(const GOptionEntry *entries, guint count);

/* After parsing.  The first that was given and is no positive number, or NULL. */
const GOptionEntry *counts_settle(const GOptionEntry *entries, guint count, const GArray *marks);

/* Of an entry that is a count. */
gint64 count_value(const GOptionEntry *entry);

#endif
