/* SPDX-License-Identifier: Apache-2.0 */
/* Options that take one value, and were given two: GLib would silently take the last. */
#ifndef ASSAY_CLI_OPTIONS_CHECKS_REPEATED_OPTION_H
#define ASSAY_CLI_OPTIONS_CHECKS_REPEATED_OPTION_H

#include <glib.h>

/* The first option in argv[1], ... that takes one value and comes a second time, or NULL. `entries`
 * are all that the verb has. */
const GOptionEntry *repeated_option_find(const GOptionEntry *entries, guint count, int argc,
                                         char *const *argv);

#endif
