/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of fields with tabs between them, in which texts are escaped as in C. */
#include "harness/search/outcome_file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/hash.h"

enum {
  KEY,
  OUTCOME,
  CLASS,
  ULP_ERROR,
  SLACK,
  BACKWARD_ERROR,
  COST,
  OBSERVED,
  FORMULA,
  CONSTRAINT,
  FIELD_COUNT
};

struct outcome_file {
  int file; /* Open for appending; -1: not any more. */
  char *scope;
  GHashTable *lines; /* Owned keys -> owned lines. */
};

static hash_text_t key_of(const outcome_file_t *file, str_t line) {
  g_autoptr(GString) text = g_string_new(file->scope);
  g_string_append_c(text, '\n');
  g_string_append_len(text, line.data, (gssize)line.size);
  return hash_of(text->str, text->len);
}

static status_t fail(const char *path, failure_t *error) {
  return status_fail(error, STATUS_INVALID,
                     "cannot keep outcomes in \"%s\": %s; name a file that can be written", path,
                     g_strerror(errno));
}

/* A file that cannot be written any more keeps no more. */
static void append(outcome_file_t *file, const char *text) {
  size_t size = strlen(text);
  if (write(file->file, text, size) == (ssize_t)size) return;
  close(file->file);
  file->file = -1;
}

/* Those before `end`. */
static void read_lines(outcome_file_t *file, char *text, char *end) {
  *end = '\0';
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (char **line = lines; *line != NULL; line++) {
    size_t key_size = strcspn(*line, "\t");
    if ((*line)[key_size] == '\0') continue;
    g_hash_table_replace(file->lines, g_strndup(*line, key_size), g_strdup(*line));
  }
}

/* No pipe or device, which would be read for ever. */
static bool is_plain_file(int descriptor) {
  struct stat info;
  return fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode);
}

status_t outcome_file_open(const char *path, const char *scope, outcome_file_t **out_file,
                           failure_t *error) {
  int descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666);
  if (descriptor < 0) return fail(path, error);
  if (!is_plain_file(descriptor)) {
    close(descriptor);
    errno = EINVAL;
    return fail(path, error);
  }
  g_autofree char *text = NULL;
  if (!g_file_get_contents(path, &text, NULL, NULL)) {
    status_t status = fail(path, error);
    close(descriptor);
    return status;
  }
  outcome_file_t *file = g_new0(outcome_file_t, 1);
  file->file = descriptor;
  file->scope = g_strdup(scope);
  file->lines = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  char *end = strrchr(text, '\n'); /* What is behind it is torn. */
  bool is_torn = end == NULL ? text[0] != '\0' : end[1] != '\0';
  if (end != NULL) read_lines(file, text, end);
  if (is_torn) append(file, "\n");
  *out_file = file;
  return STATUS_OK;
}

void outcome_file_close(outcome_file_t *file) {
  if (file == NULL) return;
  if (file->file >= 0) close(file->file);
  g_free(file->scope);
  g_hash_table_destroy(file->lines);
  g_free(file);
}

/* ---- Reading --------------------------------------------------------------------------------- */

static bool read_outcome(const char *word, outcome_t *out_outcome) {
  for (int i = 0; i < OUTCOME_COUNT; i++) {
    *out_outcome = (outcome_t)i;
    if (strcmp(word, outcome_spelling(*out_outcome)) == 0) return true;
  }
  return false;
}

static bool read_class(const char *word, divergence_class_t *out_class) {
  for (int i = 0; i < CLASS_COUNT; i++) {
    *out_class = (divergence_class_t)i;
    if (strcmp(word, class_spelling(*out_class)) == 0) return true;
  }
  return false;
}

static bool read_number(const char *word, double *out_number) {
  char *end;
  *out_number = g_ascii_strtod(word, &end);
  return end != word && *end == '\0';
}

static bool read_count(const char *word, uint64_t *out_count) {
  return g_ascii_string_to_unsigned(word, 10, 0, G_MAXUINT64, out_count, NULL);
}

static void read_text(const char *word, char *out_text, size_t size) {
  g_autofree char *text = g_strcompress(word);
  g_strlcpy(out_text, text, size);
}

bool outcome_file_find(const outcome_file_t *file, str_t line, verdict_t *out_verdict,
                       uint64_t *out_cost) {
  const char *kept = g_hash_table_lookup(file->lines, key_of(file, line).text);
  if (kept == NULL) return false;
  g_auto(GStrv) fields = g_strsplit(kept, "\t", -1);
  verdict_t *verdict = out_verdict;
  *verdict = (verdict_t){0};
  if (g_strv_length(fields) != FIELD_COUNT) return false;
  if (!read_outcome(fields[OUTCOME], &verdict->outcome)) return false;
  if (!read_class(fields[CLASS], &verdict->class_)) return false;
  if (!read_number(fields[ULP_ERROR], &verdict->ulp_error_max)) return false;
  if (!read_number(fields[SLACK], &verdict->slack_max)) return false;
  if (!read_number(fields[BACKWARD_ERROR], &verdict->backward_error_max)) return false;
  if (!read_count(fields[COST], out_cost)) return false;
  read_text(fields[OBSERVED], verdict->observed, sizeof verdict->observed);
  read_text(fields[CONSTRAINT], verdict->constraint, sizeof verdict->constraint);
  g_autofree char *formula = g_strcompress(fields[FORMULA]);
  verdict->formula = g_intern_string(formula);
  return true;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void append_number(GString *text, double number) {
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  g_string_append_c(text, '\t');
  g_string_append(text, g_ascii_dtostr(digits, sizeof digits, number));
}

static void append_text(GString *text, const char *word) {
  g_autofree char *escaped = g_strescape(word == NULL ? "" : word, NULL);
  g_string_append_c(text, '\t');
  g_string_append(text, escaped);
}

void outcome_file_add(outcome_file_t *file, str_t line, const verdict_t *verdict, uint64_t cost) {
  hash_text_t key = key_of(file, line);
  if (file->file < 0 || g_hash_table_contains(file->lines, key.text)) return;
  g_autoptr(GString) text = g_string_new(key.text);
  g_string_append_printf(text, "\t%s\t%s", outcome_spelling(verdict->outcome),
                         class_spelling(verdict->class_));
  append_number(text, verdict->ulp_error_max);
  append_number(text, verdict->slack_max);
  append_number(text, verdict->backward_error_max);
  g_string_append_printf(text, "\t%" G_GUINT64_FORMAT, cost);
  append_text(text, verdict->observed);
  append_text(text, verdict->formula);
  append_text(text, verdict->constraint);
  g_hash_table_replace(file->lines, g_strdup(key.text), g_strdup(text->str));
  g_string_append_c(text, '\n');
  append(file, text->str);
}
