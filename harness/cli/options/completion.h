/* SPDX-License-Identifier: Apache-2.0 */
/* What may come next on a command line of assay: the shells' scripts ask the program. */
#ifndef ASSAY_CLI_OPTIONS_COMPLETION_H
#define ASSAY_CLI_OPTIONS_COMPLETION_H

#include <glib.h>

/* Appends one line per candidate for the last of `words`, which follow the program's name:
 * "CANDIDATE", or "CANDIDATE<tab>what it is"; ":files" alone means: a path. */
void completion_print(int word_count, char *const *words, GString *out_text);

/* The script for "bash", "zsh" or "fish"; NULL for another shell. */
const char *completion_script(const char *shell);

#endif
