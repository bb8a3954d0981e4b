/* SPDX-License-Identifier: Apache-2.0 */
/* The options of a verb, as data: for the manual page and for completion.  They are the ones that
 * the verb itself parses, so that there is no second list. */
#ifndef ASSAY_CLI_OPTIONS_OPTION_TABLE_H
#define ASSAY_CLI_OPTIONS_OPTION_TABLE_H

#include <glib.h>

#include "harness/cli/cli.h"

typedef struct option_row {
  char *name;  /* "executor". */
  char letter; /* 'e', or '\0'. */
  char *value; /* What its argument is called: "NAME"; NULL if it takes none. */
  char *text;  /* What it does, one line. */
  gboolean is_path;
} option_row_t;

/* An array of option_row_t in the order of --help; freed with g_array_unref(). */
GArray *option_table_make(const command_t *command);

/* For arguments_parse(): whether a table is being made, in which case the options are noted and the
 * verb shall do nothing. */
gboolean option_table_note(const GOptionEntry *entries, guint count);

#endif
