/* SPDX-License-Identifier: Apache-2.0 */
/* A source file as the tidy rules see it: as written, without comments, and without literals. */
#ifndef ASSAY_TESTS_TIDY_SOURCE_TEXT_H
#define ASSAY_TESTS_TIDY_SOURCE_TEXT_H

#include <glib.h>
#include <stdbool.h>
#include <string.h>

typedef struct source {
  const char *path;   /* Below the root: "harness/base/text.c". */
  char **lines;       /* As written. */
  char **uncommented; /* Comments are blank. */
  char **code;        /* Comments and the insides of literals are blank. */
} source_t;

typedef enum lexical_state {
  IN_CODE,
  IN_LINE_COMMENT,
  IN_BLOCK_COMMENT,
  IN_LITERAL
} lexical_state_t;

/* Turns comments into blanks, and the insides of literals too if asked; newlines stay. */
static inline char *blank_out(const char *text, bool literals) {
  char *blanked = g_strdup(text);
  lexical_state_t state = IN_CODE;
  char quote = '\0';
  for (char *p = blanked; *p != '\0'; p++) {
    char next = p[1];
    if (state == IN_CODE) {
      if (*p == '/' && (next == '/' || next == '*')) {
        state = next == '/' ? IN_LINE_COMMENT : IN_BLOCK_COMMENT;
        p[0] = p[1] = ' ';
        p++;
      } else if (*p == '"' || *p == '\'') {
        state = IN_LITERAL;
        quote = *p;
      }
    } else if (state == IN_LITERAL) {
      bool ends = *p == quote || *p == '\n';
      bool escapes = *p == '\\' && next != '\0' && next != '\n';
      if (ends) state = IN_CODE;
      if (literals && !ends) *p = ' ';
      if (escapes) p++;
      if (escapes && literals) *p = ' ';
    } else if (state == IN_BLOCK_COMMENT && *p == '*' && next == '/') {
      p[0] = p[1] = ' ';
      p++;
      state = IN_CODE;
    } else if (*p == '\n') {
      if (state == IN_LINE_COMMENT) state = IN_CODE;
    } else {
      *p = ' ';
    }
  }
  return blanked;
}

static inline char **split_lines(const char *text) {
  char **lines = g_strsplit(text, "\n", -1);
  guint count = g_strv_length(lines);
  if (count > 0 && lines[count - 1][0] == '\0') g_clear_pointer(&lines[count - 1], g_free);
  return lines;
}

static inline source_t source_make(const char *path, const char *text) {
  g_autofree char *uncommented = blank_out(text, false);
  g_autofree char *code = blank_out(text, true);
  return (source_t){.path = path,
                    .lines = split_lines(text),
                    .uncommented = split_lines(uncommented),
                    .code = split_lines(code)};
}

static inline void source_free(source_t *source) {
  g_strfreev(source->lines);
  g_strfreev(source->uncommented);
  g_strfreev(source->code);
}

static inline bool is_word_character(char c) { return g_ascii_isalnum(c) || c == '_'; }

/* Where `word` stands in `line` as a word of its own, or NULL. */
static inline const char *find_word(const char *line, const char *word) {
  for (const char *found = line; (found = strstr(found, word)) != NULL; found++) {
    bool starts = found == line || !is_word_character(found[-1]);
    if (starts && !is_word_character(found[strlen(word)])) return found;
  }
  return NULL;
}

#endif
