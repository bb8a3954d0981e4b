/* SPDX-License-Identifier: Apache-2.0 */
/* The rules between the code and oracles/theory.md: citations lead somewhere, and bounds have one.
 */
#ifndef ASSAY_TESTS_TIDY_THEORY_RULES_H
#define ASSAY_TESTS_TIDY_THEORY_RULES_H

#include "tests/tidy/tidy_rules.h"

/* The number of a statement that stands at `text`, "T12", or NULL; the caller frees it. */
static inline char *statement_number(const char *text) {
  if (strchr("ADT", text[0]) == NULL || !g_ascii_isdigit(text[1])) return NULL;
  size_t size = 1 + strspn(text + 1, "0123456789");
  return is_word_character(text[size]) ? NULL : g_strndup(text, size);
}

/* The statements of a text like theory.md, by number; complains of numbers that are given twice. */
static inline GHashTable *read_statements(const char *text, GPtrArray *complaints) {
  GHashTable *statements = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (size_t i = 0; lines[i] != NULL; i++) {
    if (!g_str_has_prefix(lines[i], "**")) continue;
    char *number = statement_number(lines[i] + 2);
    if (number == NULL) continue;
    if (g_hash_table_contains(statements, number)) {
      g_ptr_array_add(complaints, g_strdup_printf("theory.md:%zu: another %s", i + 1, number));
    }
    g_hash_table_add(statements, number);
  }
  return statements;
}

static inline char *read_theory(void) {
  char *text = NULL;
  if (!g_file_get_contents(ASSAY_SOURCE_DIR "/oracles/theory.md", &text, NULL, NULL)) {
    g_error("cannot read oracles/theory.md");
  }
  return text;
}

/* ---- Comments -------------------------------------------------------------------------------- */

/* What of a line is comment; blanks elsewhere. */
static inline char *comment_of(const source_t *source, size_t line) {
  char *comment = g_strdup(source->lines[line]);
  const char *rest = source->uncommented[line];
  for (size_t i = 0; comment[i] != '\0'; i++) {
    if (comment[i] == rest[i]) comment[i] = ' ';
  }
  return g_strchomp(comment);
}

/* A comment is lines in turn that have some; returns its text, and the line after it. */
static inline char *comment_from(const source_t *source, size_t line, size_t *out_end) {
  GString *text = g_string_new(NULL);
  for (; source->lines[line] != NULL; line++) {
    g_autofree char *part = comment_of(source, line);
    if (part[0] == '\0') break;
    g_string_append_printf(text, "%s ", part);
  }
  *out_end = line;
  return g_string_free(text, FALSE);
}

/* The numbers of statements that a comment cites: all that stand in one which names theory.md. */
static inline GPtrArray *cited_numbers(const char *comment) {
  GPtrArray *numbers = g_ptr_array_new_with_free_func(g_free);
  const char *place = strstr(comment, "theory.md");
  if (place == NULL) return numbers;
  for (const char *p = comment; *p != '\0'; p++) {
    bool starts = p == comment || !is_word_character(p[-1]);
    char *number = starts ? statement_number(p) : NULL;
    if (number != NULL) g_ptr_array_add(numbers, number);
  }
  return numbers;
}

/* ---- Citations lead somewhere ---------------------------------------------------------------- */

/* Documents that the repository does not have. */
static inline void check_absent_documents(const source_t *source, GPtrArray *complaints) {
  /* In halves, since this file is checked too. */
  static const char *const absent[] = {
      "VERDICTS"
      ".md",
      "shared/"
      "seeds"};
  for (size_t i = 0; source->lines[i] != NULL; i++) {
    for (size_t row = 0; row < G_N_ELEMENTS(absent); row++) {
      if (strstr(source->lines[i], absent[row]) == NULL) continue;
      complain(complaints, source, i + 1, "%s is not in the repository", absent[row]);
    }
  }
}

static inline void check_citations(const source_t *source, GPtrArray *complaints) {
  check_absent_documents(source, complaints);
  g_autofree char *theory = read_theory();
  g_autoptr(GPtrArray) twice = g_ptr_array_new_with_free_func(g_free);
  GHashTable *statements = read_statements(theory, twice);
  bool is_tidy = g_str_has_prefix(source->path, "tests/tidy/"); /* It speaks of the page itself. */
  for (size_t line = 0, end; source->lines[line] != NULL; line = end + (end == line ? 1 : 0)) {
    g_autofree char *comment = comment_from(source, line, &end);
    g_autoptr(GPtrArray) numbers = cited_numbers(comment);
    for (guint i = 0; i < numbers->len; i++) {
      const char *number = g_ptr_array_index(numbers, i);
      if (g_hash_table_contains(statements, number)) continue;
      complain(complaints, source, line + 1, "theory.md has no %s", number);
    }
    bool is_vague = numbers->len == 0 && strstr(comment, "theory.md") != NULL && !is_tidy;
    if (is_vague) complain(complaints, source, line + 1, "theory.md, but which statement?");
  }
  g_hash_table_destroy(statements);
}

/* Takes the numbers of statements out that a source cites. */
static inline void strike_cited(const source_t *source, GHashTable *statements) {
  for (size_t line = 0, end; source->lines[line] != NULL; line = end + (end == line ? 1 : 0)) {
    g_autofree char *comment = comment_from(source, line, &end);
    g_autoptr(GPtrArray) numbers = cited_numbers(comment);
    for (guint i = 0; i < numbers->len; i++) {
      g_hash_table_remove(statements, g_ptr_array_index(numbers, i));
    }
  }
}

/* The same for a text like theory.md, in which every number but the one that opens a statement is a
 * citation. */
static inline void strike_cited_in_text(const char *text, GHashTable *statements) {
  for (const char *p = text; *p != '\0'; p++) {
    bool starts = p > text && !is_word_character(p[-1]) && p[-1] != '*';
    g_autofree char *number = starts ? statement_number(p) : NULL;
    if (number != NULL) g_hash_table_remove(statements, number);
  }
}

/* ---- Bounds have a citation ------------------------------------------------------------------ */

/* What only a bound on an error is made of: factors 1 +- 2^-k and 2^-k, and the functions that give
 * roundoffs, losses, ulps and outward arithmetic. */
static const char BOUND_PATTERN[] =
    "\\b1(\\.0)? [+-] 0x[01][.0-9a-f]*p-[0-9]+|"
    "\\* 0x1p-[0-9]+|"
    "\\b(error_bound_(sum|product|wide_\\w+|wider_\\w+|\\w+_is_exact)|"
    "format_unit_roundoff|enclosed_unit_roundoff|enclosed_underflow_loss|"
    "formula_function_(error|ulps)|formula_errors_make|(upper|lower)_[a-z]\\w*|"
    "contract_elementary_(ulps|growth))\\(|"
    "\\b(FORMULA_LIBRARY_ERROR|ELEMENTARY_KERNEL_ERROR)\\b";

/* Oracles, but for what draws, imitates or spoils instead of judging. */
static inline bool may_hold_bounds(const char *path) {
  static const char *const others[] = {"*/op/*",   "*simulate*", "*fault*",
                                       "*/fold/*", "*/model*.c", "*.def"};
  if (!g_str_has_prefix(path, "oracles/")) return false;
  for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
    if (g_pattern_match_simple(others[i], path)) return false;
  }
  return true;
}

static inline bool cites(const source_t *source, size_t line, size_t *out_end) {
  g_autofree char *comment = comment_from(source, line, out_end);
  g_autoptr(GPtrArray) numbers = cited_numbers(comment);
  return numbers->len > 0;
}

/* Whether a comment between two lines cites, or the one that ends where they begin. */
static inline bool cites_between(const source_t *source, size_t begin, size_t end) {
  while (begin > 0) {
    g_autofree char *above = comment_of(source, begin - 1);
    if (above[0] == '\0' || source->code[begin - 1][strspn(source->code[begin - 1], " ")] != '\0')
      break;
    begin--;
  }
  for (size_t line = begin, next; line < end; line = next + (next == line ? 1 : 0)) {
    if (cites(source, line, &next)) return true;
  }
  return false;
}

/* Every function, and every other declaration at the outermost level, that makes a bound says by
 * which statement: in a comment inside of it or right above it. */
static inline void check_bounds(const source_t *source, GPtrArray *complaints) {
  if (!may_hold_bounds(source->path)) return;
  size_t end;
  bool is_part = !g_str_has_suffix(source->path, ".c"); /* There the opening comment may cite. */
  if (is_part && source->lines[0] != NULL && cites(source, 0, &end)) return;
  g_autoptr(GRegex) pattern = g_regex_new(BOUND_PATTERN, 0, 0, NULL);
  nesting_t nesting = {.depth = 0};
  size_t bound = 0; /* The line after the first one of the present declaration. */
  for (size_t i = 0; source->code[i] != NULL; i++) {
    nesting_advance(&nesting, source->code[i], i);
    bool is_directive = source->code[i][0] == '#';
    if (bound == 0 && g_regex_match(pattern, source->code[i], 0, NULL)) bound = i + 1;
    if (bound == 0 || (nesting.in_declaration && !is_directive)) continue;
    if (!cites_between(source, is_directive ? i : nesting.declaration, i + 1)) {
      complain(complaints, source, bound, "a bound without a citation of theory.md");
    }
    bound = 0;
  }
}

#endif
