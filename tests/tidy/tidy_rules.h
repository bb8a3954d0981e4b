/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of the house that a program can check.  Each appends complaints, "path:line: what". */
#ifndef ASSAY_TESTS_TIDY_TIDY_RULES_H
#define ASSAY_TESTS_TIDY_TIDY_RULES_H

#include <stdio.h>

#include "tests/tidy/source_text.h"

enum {
  LINE_COLUMNS_MAX = 100,
  FUNCTION_LINES_MAX = 70,
  FUNCTION_PARAMETERS_MAX = 6,
  FILE_LINES_MAX = 400,
  TEST_FILE_LINES_MAX = 500,
};

static inline void complain(GPtrArray *complaints, const source_t *source, size_t line,
                            const char *format, ...) G_GNUC_PRINTF(4, 5);

static inline void complain(GPtrArray *complaints, const source_t *source, size_t line,
                            const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *what = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_ptr_array_add(complaints, g_strdup_printf("%s:%zu: %s", source->path, line, what));
}

/* What `directive` includes, between its quotes or angle brackets; NULL if it is no include. */
static inline char *included_path(const char *line, char *out_opening) {
  char opening;
  char path[256];
  if (sscanf(line, " # include %c%255[^\">]", &opening, path) != 2) return NULL;
  if (opening != '"' && opening != '<') return NULL;
  *out_opening = opening;
  return g_strdup(path);
}

/* The homes of foreign headers: every place that may include one has a row. */
static const struct {
  const char *header;
  const char *home;
} HOMES[] = {
    {"mpfr.h", "oracles/*"},
    {"mpfr.h", "tests/*"},
    {"gmp.h", "oracles/*"},
    {"gmp.h", "tests/*"},
    {"sqlite3.h", "harness/store/*"},
    {"xxhash.h", "harness/base/hash.c"},
    {"jansson.h", "reports/*"},
    {"jansson.h", "harness/cli/*"},
    {"jansson.h", "harness/campaign/status.c"},
    {"jansson.h", "tests/*"},
    {"dlfcn.h", "harness/exec/transport/dso.c"},
    {"dlfcn.h", "harness/exec/process/c_source.c"},
    {"dlfcn.h", "harness/quant/target/library.c"},
    {"dlfcn.h", "harness/exec/plugins/*"},
    {"dlfcn.h", "tests/store/preload/*"},
    {"sys/wait.h", "harness/exec/child/*"},
    {"sys/wait.h", "harness/exec/process/*"},
    {"sys/wait.h", "harness/exec/isolate/*"},
    {"sys/wait.h", "harness/exec/mlir_import/*"},
    {"sys/wait.h", "tests/*"},
    {"poll.h", "harness/exec/child/*"},
    {"poll.h", "harness/exec/process/*"},
    {"poll.h", "tests/*"},
    {"cblas.h", "harness/exec/plugins/*"},
    {"cblas.h", "tests/bench/*"},
    {"oneapi/dnnl/dnnl.h", "harness/exec/plugins/*"},
    {"dnnl.h", "harness/exec/plugins/*"},
};

static inline void check_homes(const source_t *source, GPtrArray *complaints) {
  for (size_t i = 0; source->uncommented[i] != NULL; i++) {
    char opening = '\0';
    g_autofree char *path = included_path(source->uncommented[i], &opening);
    if (path == NULL) continue;
    bool has_home = false;
    bool is_home = false;
    for (size_t row = 0; row < G_N_ELEMENTS(HOMES); row++) {
      if (!g_str_equal(HOMES[row].header, path)) continue;
      has_home = true;
      is_home = is_home || g_pattern_match_simple(HOMES[row].home, source->path);
    }
    if (has_home && !is_home) complain(complaints, source, i + 1, "<%s> has another home", path);
  }
}

static inline void check_lines(const source_t *source, GPtrArray *complaints) {
  for (size_t i = 0; source->lines[i] != NULL; i++) {
    const char *line = source->lines[i];
    size_t size = strlen(line);
    glong columns = g_utf8_strlen(line, -1);
    if (columns > LINE_COLUMNS_MAX) complain(complaints, source, i + 1, "%ld columns", columns);
    if (strchr(line, '\t') != NULL) complain(complaints, source, i + 1, "a tab");
    if (size > 0 && line[size - 1] == ' ') complain(complaints, source, i + 1, "a trailing blank");
  }
}

/* Headings take one line: clang-format breaks those that are too long in the middle of the rule. */
static inline void check_headings(const source_t *source, GPtrArray *complaints) {
  for (size_t i = 0; source->lines[i] != NULL; i++) {
    if (!g_str_has_prefix(source->lines[i], "/* ---- ")) continue;
    const char *next = source->lines[i + 1] == NULL ? "" : source->lines[i + 1];
    bool is_broken = g_str_equal(next, " */") || g_str_has_prefix(next, " * ---");
    if (is_broken) complain(complaints, source, i + 1, "a heading of more than one line");
  }
}

/* The first line of every source file; harness/spdx --fix adds it. */
static inline bool has_licence(const source_t *source) {
  return source->lines[0] != NULL &&
         g_str_equal(source->lines[0], "/* SPDX-License-Identifier: Apache-2.0 */");
}

static inline void check_licence(const source_t *source, GPtrArray *complaints) {
  if (!has_licence(source)) complain(complaints, source, 1, "the licence is not the first line");
}

static inline void check_file_length(const source_t *source, GPtrArray *complaints) {
  if (g_str_has_suffix(source->path, ".def")) return;
  bool is_test = g_str_has_prefix(source->path, "tests/");
  guint lines = g_strv_length(source->lines) - (has_licence(source) ? 1 : 0);
  if (lines > (is_test ? TEST_FILE_LINES_MAX : FILE_LINES_MAX)) {
    complain(complaints, source, lines, "the file has %u lines", lines);
  }
}

/* Follows brackets over the lines of a file.  Directives and their continuations do not count, nor
 * does the bracket of `extern "C"`. */
typedef struct nesting {
  int depth;
  bool in_directive;
  size_t declaration; /* Line on which the present outermost declaration began. */
  bool in_declaration;
  bool is_function;
} nesting_t;

/* Takes one line in; returns true if an outermost function ended on it. */
static inline bool nesting_advance(nesting_t *nesting, const char *line, size_t number) {
  const char *text = line + strspn(line, " ");
  bool directive = nesting->in_directive || *text == '#';
  size_t size = strlen(line);
  nesting->in_directive = directive && size > 0 && line[size - 1] == '\\';
  if (directive || g_str_has_prefix(text, "extern \" \" {")) return false;
  bool ended = false;
  for (const char *p = text; *p != '\0'; p++) {
    if (nesting->depth == 0 && !nesting->in_declaration && *p != ' ' && *p != '}') {
      nesting->in_declaration = true;
      nesting->is_function = false;
      nesting->declaration = number;
    }
    bool is_outermost = nesting->depth == 0;
    if (is_outermost && *p == '(') nesting->is_function = true;
    if (is_outermost && *p == '=') nesting->is_function = false;
    if (is_outermost && *p == ';') nesting->in_declaration = false;
    if (*p == '{') nesting->depth++;
    if (*p == '}' && nesting->depth > 0 && --nesting->depth == 0 && nesting->is_function) {
      nesting->in_declaration = false;
      ended = true;
    }
  }
  return ended;
}

static inline void check_functions(const source_t *source, GPtrArray *complaints) {
  nesting_t nesting = {.depth = 0};
  for (size_t i = 0; source->code[i] != NULL; i++) {
    if (!nesting_advance(&nesting, source->code[i], i)) continue;
    size_t lines = i - nesting.declaration + 1;
    if (lines <= FUNCTION_LINES_MAX) continue;
    complain(complaints, source, nesting.declaration + 1, "the function has %zu lines", lines);
  }
}

/* How many parameters the function has whose declaration begins on that line: what lies between the
 * last brackets before its body, at their own depth. */
static inline size_t count_parameters(char *const *lines) {
  size_t commas = 0;
  int depth = 0;
  bool is_empty = true;
  for (; *lines != NULL; lines++) {
    for (const char *p = *lines; *p != '\0'; p++) {
      if (*p == '{' && depth == 0) return is_empty ? 0 : commas + 1;
      if (*p == '(' && depth++ == 0) {
        commas = 0;
        is_empty = true;
      } else if (*p == ')') {
        depth--;
      } else if (depth > 0) {
        if (*p == ',' && depth == 1) commas++;
        if (*p != ' ') is_empty = false;
      }
    }
  }
  return 0;
}

/* Things that travel together have a name.  What AFL and libFuzzer call is theirs to shape, and
 * loops of vector code (.inc) take their rows one by one. */
static inline void check_parameters(const source_t *source, GPtrArray *complaints) {
  if (g_str_has_prefix(source->path, "tests/") || g_str_has_prefix(source->path, "fuzz/") ||
      g_str_has_suffix(source->path, "/drive_libfuzzer.c") ||
      g_str_has_suffix(source->path, ".inc")) {
    return;
  }
  nesting_t nesting = {.depth = 0};
  for (size_t i = 0; source->code[i] != NULL; i++) {
    if (!nesting_advance(&nesting, source->code[i], i)) continue;
    size_t count = count_parameters(&source->code[nesting.declaration]);
    if (count <= FUNCTION_PARAMETERS_MAX) continue;
    complain(complaints, source, nesting.declaration + 1, "the function has %zu parameters", count);
  }
}

static inline void check_banned_calls(const source_t *source, GPtrArray *complaints) {
  static const char *const banned[] = {"sprintf", "vsprintf", "strcpy", "strcat", "atoi", "atof",
                                       "atol",    "rand",     "srand",  "strtok", "gets", "alloca"};
  for (size_t i = 0; source->code[i] != NULL; i++) {
    for (size_t row = 0; row < G_N_ELEMENTS(banned); row++) {
      const char *found = find_word(source->code[i], banned[row]);
      if (found == NULL) continue;
      found += strlen(banned[row]);
      if (found[strspn(found, " ")] == '(') {
        complain(complaints, source, i + 1, "%s() is banned", banned[row]);
      }
    }
  }
}

static inline void check_markers(const source_t *source, GPtrArray *complaints) {
  /* In halves, since this file is checked too. */
  static const char *const markers[] = {
      "TO"
      "DO",
      "FIX"
      "ME",
      "XX"
      "X",
      "HA"
      "CK"};
  bool speaks_tap = strstr(source->path, "/tap/") != NULL; /* There the first is a directive. */
  for (size_t i = 0; source->lines[i] != NULL; i++) {
    for (size_t row = speaks_tap ? 1 : 0; row < G_N_ELEMENTS(markers); row++) {
      if (find_word(source->lines[i], markers[row]) == NULL) continue;
      complain(complaints, source, i + 1, "%s: finish it, or open an issue", markers[row]);
    }
  }
}

/* The text of a declaration that begins on a line, up to its value, body, parameters or end. */
static inline char *declaration_head(char *const *lines, char *out_stop) {
  GString *head = g_string_new(NULL);
  *out_stop = ';';
  for (; *lines != NULL; lines++) {
    size_t size = strcspn(*lines, "=;{(");
    g_string_append_len(head, *lines, (gssize)size);
    g_string_append_c(head, ' ');
    if ((*lines)[size] == '\0') continue;
    *out_stop = (*lines)[size];
    if (*out_stop == '(' && (*lines)[size + 1] == '*') *out_stop = '*';
    break;
  }
  return g_string_free(head, FALSE);
}

/* Whether a static declaration is one of data that can change. */
static inline bool is_mutable_static(char *const *lines) {
  char stop;
  g_autofree char *head = declaration_head(lines, &stop);
  if (stop == '(') return false;                              /* A function. */
  if (find_word(head, "GOnce") != NULL) return false;         /* Set once, the same for all. */
  if (stop == '*') return find_word(*lines, "const") == NULL; /* A pointer to one. */
  const char *star = strrchr(head, '*');
  return find_word(star != NULL ? star : head, "const") == NULL;
}

static inline void check_mutable_statics(const source_t *source, GPtrArray *complaints) {
  static const char *const programs[] = {"harness/cli/", "fuzz/", "tests/"};
  for (size_t i = 0; i < G_N_ELEMENTS(programs); i++) {
    if (g_str_has_prefix(source->path, programs[i])) return;
  }
  for (size_t i = 0; source->code[i] != NULL; i++) {
    const char *text = source->code[i] + strspn(source->code[i], " ");
    if (!g_str_has_prefix(text, "static ") || !is_mutable_static(&source->code[i])) continue;
    complain(complaints, source, i + 1, "static data that can change");
  }
}

#endif
