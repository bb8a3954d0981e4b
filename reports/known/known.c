/* SPDX-License-Identifier: Apache-2.0 */
/* Reads entries of known causes, and checks all that can be checked without a finding. */
#include "reports/known/known.h"

#include <string.h>

#include "harness/diagnose/cause.h"
#include "harness/judge/verdict.h"
#include "harness/store/severity/severity.h"
#include "reports/known/known_table.h"

static const char *const names[KNOWN_FIELD_COUNT] = {
#define FIELD(name, kind, words) [KNOWN_##name] = #name,
#include "reports/known/known_fields.def"
#undef FIELD
};

static void free_entry(gpointer data) {
  known_entry_t *entry = data;
  g_free(entry->id);
  g_free(entry->file);
  for (int i = 0; i < KNOWN_FIELD_COUNT; i++) g_free(entry->fields[i]);
  for (size_t i = 0; i < entry->more_count; i++) g_free(entry->more[i]);
  g_free(entry->more);
  g_free(entry);
}

GPtrArray *known_new(void) { return g_ptr_array_new_with_free_func(free_entry); }

/* ---- What an entry may say ------------------------------------------------------------------- */

static bool is_class(const char *word) {
  for (int i = 0; i < CLASS_COUNT; i++) {
    if (strcmp(word, class_spelling((divergence_class_t)i)) == 0) return true;
  }
  return strcmp(word, "-") == 0;
}

static bool is_cause(const char *word) {
  for (int i = 0; i < CAUSE_COUNT; i++) {
    if (strcmp(word, cause_spelling((cause_id_t)i)) == 0) return true;
  }
  return strcmp(word, "-") == 0;
}

static bool is_severity(const char *word) { return severity_find(word) != SEVERITY_COUNT; }

/* Those of whose words a list is kept; a pattern with a wildcard may be any. */
static const struct {
  known_field_t field;
  bool (*exists)(const char *word);
  const char *where; /* The list. */
} CHECKED[] = {{KNOWN_class, is_class, "harness/judge/classes.def"},
               {KNOWN_cause, is_cause, "harness/diagnose/causes.def"},
               {KNOWN_severity, is_severity, "harness/store/severity/severities.def"}};

static status_t check_words(const known_entry_t *entry, failure_t *error) {
  for (size_t i = 0; i < G_N_ELEMENTS(CHECKED); i++) {
    const char *text = entry->fields[CHECKED[i].field];
    if (text == NULL) continue;
    g_auto(GStrv) words = g_strsplit(text, " ", -1);
    for (char **word = words; *word != NULL; word++) {
      if (strpbrk(*word, "*?[") != NULL || CHECKED[i].exists(*word)) continue;
      return status_fail(error, STATUS_INVALID, "%s:%d: %s: no %s \"%s\"; %s lists them",
                         entry->file, entry->line, entry->id, names[CHECKED[i].field], *word,
                         CHECKED[i].where);
    }
  }
  return STATUS_OK;
}

/* An entry that is complete. */
static status_t check_entry(const known_entry_t *entry, failure_t *error) {
  static const known_field_t needed[] = {KNOWN_executor, KNOWN_op, KNOWN_class, KNOWN_title};
  for (size_t i = 0; i < G_N_ELEMENTS(needed); i++) {
    if (entry->fields[needed[i]] != NULL) continue;
    return status_fail(error, STATUS_INVALID, "%s:%d: %s says no %s; add a line \"%s ...\"",
                       entry->file, entry->line, entry->id, names[needed[i]], names[needed[i]]);
  }
  return check_words(entry, error);
}

/* ---- Lines ----------------------------------------------------------------------------------- */

typedef struct reading {
  GPtrArray *known;
  const char *file;
  const char *const *words; /* Those of the caller, ended by NULL; NULL: there are none. */
  int line;
  known_entry_t *entry; /* The one that lines belong to, or NULL; among the known ones. */
  char **last;          /* The text that a line that begins with a blank goes on with, or NULL. */
} reading_t;

static status_t begin_entry(reading_t *reading, const char *id, failure_t *error) {
  if (id[0] == '\0' || strchr(id, ' ') != NULL) {
    return status_fail(error, STATUS_INVALID, "%s:%d: name the entry in one word: known NAME",
                       reading->file, reading->line);
  }
  for (guint i = 0; i < reading->known->len; i++) {
    const known_entry_t *other = g_ptr_array_index(reading->known, i);
    if (strcmp(other->id, id) != 0) continue;
    return status_fail(error, STATUS_INVALID,
                       "%s:%d: \"%s\" is known already, at %s:%d; name one of them otherwise",
                       reading->file, reading->line, id, other->file, other->line);
  }
  if (reading->entry != NULL) STATUS_TRY(check_entry(reading->entry, error));
  reading->entry = g_new0(known_entry_t, 1);
  reading->entry->id = g_strdup(id);
  reading->entry->file = g_strdup(reading->file);
  reading->entry->line = reading->line;
  while (reading->words != NULL && reading->words[reading->entry->more_count] != NULL) {
    reading->entry->more_count++;
  }
  reading->entry->more = g_new0(char *, reading->entry->more_count);
  reading->last = NULL;
  g_ptr_array_add(reading->known, reading->entry);
  return STATUS_OK;
}

static status_t fail_for_word(const reading_t *reading, const char *word, failure_t *error) {
  g_autofree char *all = g_strjoinv(", ", (char **)(uintptr_t)(const char *[]){
#define FIELD(name, kind, words) #name,
#include "reports/known/known_fields.def"
#undef FIELD
                                              NULL});
  g_autofree char *more =
      reading->words == NULL ? g_strdup("") : g_strjoinv(", ", (char **)(uintptr_t)reading->words);
  return status_fail(error, STATUS_INVALID,
                     "%s:%d: no word \"%s\"; a line begins with known, or one of %s%s%s",
                     reading->file, reading->line, word, all, more[0] == '\0' ? "" : ", ", more);
}

/* Where the text of a word of the present entry goes; NULL if there is no such word. */
static char **find_place(const reading_t *reading, const char *word) {
  for (int i = 0; i < KNOWN_FIELD_COUNT; i++) {
    if (strcmp(word, names[i]) == 0) return &reading->entry->fields[i];
  }
  for (size_t i = 0; i < reading->entry->more_count; i++) {
    if (strcmp(word, reading->words[i]) == 0) return &reading->entry->more[i];
  }
  return NULL;
}

static bool is_word(const reading_t *reading, const char *word) {
  for (int i = 0; i < KNOWN_FIELD_COUNT; i++) {
    if (strcmp(word, names[i]) == 0) return true;
  }
  return reading->words != NULL && g_strv_contains(reading->words, word);
}

static status_t add_field(reading_t *reading, const char *word, const char *text,
                          failure_t *error) {
  if (!is_word(reading, word)) return fail_for_word(reading, word, error);
  if (reading->entry == NULL) {
    return status_fail(error, STATUS_INVALID,
                       "%s:%d: \"%s\" belongs to no entry; begin one with a line \"known NAME\"",
                       reading->file, reading->line, word);
  }
  char **place = find_place(reading, word);
  if (*place != NULL || text[0] == '\0') {
    return status_fail(error, STATUS_INVALID, "%s:%d: %s: \"%s\" %s", reading->file, reading->line,
                       reading->entry->id, word,
                       text[0] == '\0' ? "says nothing; write something behind it, or leave it out"
                                       : "is said twice; leave one of them out");
  }
  *place = g_strdup(text);
  reading->last = place;
  return STATUS_OK;
}

static status_t add_line(reading_t *reading, char *line, failure_t *error) {
  bool goes_on = line[0] == ' ' || line[0] == '\t';
  if (line[0] == '#') return STATUS_OK;
  g_strstrip(line);
  if (line[0] == '\0') return STATUS_OK;
  if (goes_on) {
    if (reading->last == NULL) {
      return status_fail(error, STATUS_INVALID,
                         "%s:%d: there is no text to go on with; begin the line with a word",
                         reading->file, reading->line);
    }
    char *whole = g_strconcat(*reading->last, " ", line, NULL);
    g_free(*reading->last);
    *reading->last = whole;
    return STATUS_OK;
  }
  size_t size = strcspn(line, " \t");
  g_autofree char *word = g_strndup(line, size);
  const char *text = line + size + strspn(line + size, " \t");
  if (strcmp(word, "known") == 0) return begin_entry(reading, text, error);
  return add_field(reading, word, text, error);
}

status_t known_add_text(GPtrArray *known, const char *file, const char *text, failure_t *error) {
  return known_add_text_with(known, file, text, NULL, error);
}

status_t known_add_text_with(GPtrArray *known, const char *file, const char *text,
                             const char *const *words, failure_t *error) {
  reading_t reading = {.known = known, .file = file, .words = words};
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (char **line = lines; *line != NULL; line++) {
    reading.line++;
    STATUS_TRY(add_line(&reading, *line, error));
  }
  return reading.entry == NULL ? STATUS_OK : check_entry(reading.entry, error);
}

status_t known_add_file(GPtrArray *known, const char *path, failure_t *error) {
  g_autofree char *text = NULL;
  g_autoptr(GError) failure = NULL;
  if (!g_file_get_contents(path, &text, NULL, &failure)) {
    return status_fail(error, STATUS_INVALID, "cannot read what is known: %s", failure->message);
  }
  return known_add_text(known, path, text, error);
}

status_t known_add_builtin(GPtrArray *known, failure_t *error) {
  for (const known_file_t *file = known_table(); file->path != NULL; file++) {
    STATUS_TRY(known_add_text(known, file->path, file->text, error));
  }
  return STATUS_OK;
}
