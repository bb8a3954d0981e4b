/* SPDX-License-Identifier: Apache-2.0 */
/* Escapes invisible, control and bidirectional characters of foreign text, one character at a
 * time, in variants that append, copy within a capacity or work in place. */
#include "harness/base/plain_text.h"

#include <string.h>

enum { ESCAPE_BYTES_MAX = 10 }; /* "\U0010ffff" */

/* Whether the character shows itself, wherever it stands. */
static bool is_visible(gunichar character) {
  switch (g_unichar_type(character)) {
    case G_UNICODE_CONTROL:
    case G_UNICODE_FORMAT: /* Bidirectional overrides and isolates, joiners, tags, ... */
    case G_UNICODE_LINE_SEPARATOR:
    case G_UNICODE_PARAGRAPH_SEPARATOR:
    case G_UNICODE_SURROGATE:
    case G_UNICODE_UNASSIGNED:
    case G_UNICODE_PRIVATE_USE:
      return false;
    default:
      return true;
  }
}

static bool is_white(char byte) { return byte != ' ' && g_ascii_isspace(byte); }

static bool is_plain(char byte) { return byte >= ' ' && byte <= '~'; }

/* Writes one character, or byte that is none, from the front of `data`; returns how many bytes that
 * takes from it. */
static size_t append_one(GString *out, const char *data, size_t size) {
  unsigned char byte = (unsigned char)*data;
  if (is_plain(*data)) {
    g_string_append_c(out, *data);
    return 1;
  }
  if (is_white(*data)) {
    g_string_append_c(out, ' ');
    return 1;
  }
  gunichar character = g_utf8_get_char_validated(data, (gssize)size);
  if (byte < 0x80 || (character & 0x80000000) != 0) { /* Or the error values of GLib. */
    g_string_append_printf(out, "\\x%02x", byte);
    return 1;
  }
  size_t used = (size_t)g_unichar_to_utf8(character, NULL);
  if (is_visible(character)) {
    g_string_append_len(out, data, (gssize)used);
  } else {
    g_string_append_printf(out, character > 0xffff ? "\\U%08x" : "\\u%04x", character);
  }
  return used;
}

void plain_text_append(GString *out, const char *data, size_t size) {
  while (size > 0) {
    size_t used = 0; /* Nearly all texts are plain as they are. */
    while (used < size && is_plain(data[used])) used++;
    if (used > 0) {
      g_string_append_len(out, data, (gssize)used);
    } else {
      used = append_one(out, data, size);
    }
    data += used;
    size -= used;
  }
}

char *plain_text(const char *text) {
  GString *out = g_string_new(NULL);
  plain_text_append(out, text, strlen(text));
  return g_string_free(out, FALSE);
}

char *plain_text_except(const char *text, const char *kept) {
  GString *out = g_string_new(NULL);
  while (*text != '\0') {
    size_t line = strcspn(text, kept);
    plain_text_append(out, text, line);
    text += line;
    size_t stay = strspn(text, kept);
    g_string_append_len(out, text, (gssize)stay);
    text += stay;
  }
  return g_string_free(out, FALSE);
}

/* Appends as many whole characters as fit. */
static void append_within(GString *out, size_t capacity, const char *data, size_t size) {
  while (size > 0) {
    size_t before = out->len;
    size_t used = append_one(out, data, size);
    if (out->len >= capacity) {
      g_string_truncate(out, before);
      return;
    }
    data += used;
    size -= used;
  }
}

void plain_text_copy(char *out, size_t capacity, const char *data, size_t size) {
  GString *text = g_string_sized_new(capacity + ESCAPE_BYTES_MAX);
  append_within(text, capacity, data, size);
  while (text->len > 0 && text->str[text->len - 1] == ' ') g_string_truncate(text, text->len - 1);
  memcpy(out, text->str, text->len + 1);
  g_string_free(text, TRUE);
}

void plain_text_in_place(char *text, size_t capacity) {
  if (capacity == 0) return;
  g_autofree char *copy = g_strndup(text, capacity - 1);
  plain_text_copy(text, capacity, copy, strlen(copy));
}

bool plain_text_is(const char *text) {
  g_autofree char *plain = plain_text(text);
  return strcmp(plain, text) == 0;
}
