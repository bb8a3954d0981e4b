/* SPDX-License-Identifier: Apache-2.0 */
/* Text of others made fit for people: what a backend, a worker or a database says may hold
 * anything, and reaches terminals, pages, tables and documents.
 *
 * Plain text is one line of valid UTF-8 in which every character shows itself.  What would not is
 * written out: a byte that is a control character or no UTF-8 as \x1b, a character that controls
 * terminals or the direction of writing, or has no width, as \u202e.  White space is a blank. */
#ifndef ASSAY_BASE_PLAIN_TEXT_H
#define ASSAY_BASE_PLAIN_TEXT_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

/* Appends `size` bytes of anything as plain text. */
void plain_text_append(GString *out, const char *data, size_t size);

/* The same of a NUL-terminated text; the caller frees it. */
char *plain_text(const char *text);

/* The same, but the characters of `kept` stay: "\n" in what has several lines. */
char *plain_text_except(const char *text, const char *kept);

/* Writes it to `out`, which has room for `capacity` bytes, at least one; cut behind a whole
 * character if it is longer, and without blanks at its end. */
void plain_text_copy(char *out, size_t capacity, const char *data, size_t size);

/* Ends what was written to `text`, whatever it is, within its capacity, and makes it plain. */
void plain_text_in_place(char *text, size_t capacity);

/* Whether it is plain already. */
bool plain_text_is(const char *text);

#endif
