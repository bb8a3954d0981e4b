/* SPDX-License-Identifier: Apache-2.0 */
/* Options of one verb: GOption with suggestions for misspelt ones, and the values that it lacks. */
#ifndef ASSAY_CLI_OPTIONS_ARGUMENTS_H
#define ASSAY_CLI_OPTIONS_ARGUMENTS_H

#include <glib.h>
#include <stdint.h>

#include "harness/cli/cli.h"

typedef struct arguments {
  GOptionContext *context;
  GArray *entries; /* GOptionEntry of all options; their texts are borrowed. */
  char **database; /* Where the value of --db goes, borrowed; NULL: no such option. */
} arguments_t;

arguments_t arguments_make(const command_t *command);

/* Adds options; `entries` ends with G_OPTION_ENTRY_NULL and is copied, but not its texts. */
void arguments_add(arguments_t *arguments, const GOptionEntry *entries);

/* Parses and frees the arguments.  A folder that is given as --db becomes the database in it, see
 * campaign_database_path(), whatever the verb.  What is left in argv after argv[0] are the
 * positional ones, of which there must be `positional_min` to `positional_max`.  False after a
 * complaint, and where only the table of options was wanted (option_table.h): the verb then
 * returns, whatever it returns. */
gboolean arguments_parse(arguments_t *arguments, int *inout_argc, char ***inout_argv,
                         int positional_min, int positional_max);

/* "500ms", "30s", "5m", "2h", "1.5h"; a bare number is seconds. */
status_t arguments_parse_seconds(const char *option, const char *text, double *out_seconds,
                                 failure_t *error);

/* The same of what ends after that time: 0 is refused. */
status_t arguments_parse_limit(const char *option, const char *text, double *out_seconds,
                               failure_t *error);

/* "4G", "512M", "64K"; a bare number is bytes. */
status_t arguments_parse_bytes(const char *option, const char *text, uint64_t *out_bytes,
                               failure_t *error);

/* Decimal, 0x hexadecimal, or "random"; NULL gives 1. */
status_t arguments_parse_seed(const char *text, uint64_t *out_seed, failure_t *error);

/* Where --json was given, --format is json; it replaces `*inout_format` (g_free()), which is NULL
 * where no format was given, and is refused if that is another one. */
status_t arguments_settle_json(gboolean json, char **inout_format, failure_t *error);

#endif
