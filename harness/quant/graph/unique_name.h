/* SPDX-License-Identifier: Apache-2.0 */
/* Names for what is made anew, told apart from those that are there by numbers. */
#ifndef ASSAY_QUANT_GRAPH_UNIQUE_NAME_H
#define ASSAY_QUANT_GRAPH_UNIQUE_NAME_H

#include <glib.h>

#include "harness/base/arena.h"

/* The names that are taken, borrowed; each with the number that the next name made from it is tried
 * with, so that many names from one do not try all numbers again.  g_hash_table_destroy() frees it.
 */
GHashTable *unique_names_begin(void);

/* Takes a name that is none of unique_name()'s making. */
void unique_names_take(GHashTable *names, const char *name);

/* Takes "HEADBODYTAIL" or, where that is taken, "HEADBODYTAIL.2" or the next number that is free;
 * the body is cut so that all has at most `bytes_max` bytes.  The name lives in the arena. */
const char *unique_name(GHashTable *names, const char *head, const char *body, const char *tail,
                        size_t bytes_max, arena_t *arena);

#endif
