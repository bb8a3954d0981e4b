/* SPDX-License-Identifier: Apache-2.0 */
/* Puts known causes where findings look for them: a row for each choice among an entry's patterns.
 */
#include <string.h>

#include "reports/known/known.h"

char *known_words(const known_entry_t *entry) {
  GString *text = g_string_new(entry->fields[KNOWN_title]);
  static const struct {
    known_field_t field;
    const char *words;
  } parts[] = {{KNOWN_mended, "mended in"}, {KNOWN_regressed, "regressed in"}};
  for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
    const char *field = entry->fields[parts[i].field];
    if (field != NULL) g_string_append_printf(text, "; %s %s", parts[i].words, field);
  }
  return g_string_free(text, FALSE);
}

static const struct {
  const char *name;
  bool is_pattern;
} FIELDS[] = {
#define PATTERN true
#define WORDS false
#define FIELD(name, kind, words) {#name, kind},
#include "reports/known/known_fields.def"
#undef FIELD
#undef WORDS
#undef PATTERN
};

/* place, id, words and all fields. */
enum { OWN_COLUMNS = 3, COLUMN_COUNT = OWN_COLUMNS + KNOWN_FIELD_COUNT };

/* Rows of texts, each owned by `texts`. */
typedef struct rows {
  GPtrArray *values; /* const char *, row by row. */
  GStringChunk *texts;
} rows_t;

/* "-" is the empty text, which is no pattern that could be written otherwise. */
static const char *meaning_of(const char *pattern) {
  return strcmp(pattern, "-") == 0 ? "" : pattern;
}

/* Fills in the fields from `field` on, and adds the row for each choice. */
static void add_choices(const known_entry_t *entry, int field, const char *chosen[COLUMN_COUNT],
                        rows_t *rows) {
  if (field == KNOWN_FIELD_COUNT) {
    g_autofree char *place = g_strdup_printf("%u", rows->values->len / COLUMN_COUNT);
    chosen[0] = g_string_chunk_insert(rows->texts, place);
    for (int i = 0; i < COLUMN_COUNT; i++) {
      g_ptr_array_add(rows->values, (gpointer)(uintptr_t)chosen[i]);
    }
    return;
  }
  const char *text = entry->fields[field];
  if (!FIELDS[field].is_pattern) {
    chosen[OWN_COLUMNS + field] = text == NULL ? "" : text;
    add_choices(entry, field + 1, chosen, rows);
    return;
  }
  g_auto(GStrv) patterns = g_strsplit(text == NULL ? "*" : text, " ", -1);
  for (char **pattern = patterns; *pattern != NULL; pattern++) {
    if (**pattern == '\0') continue;
    chosen[OWN_COLUMNS + field] = g_string_chunk_insert(rows->texts, meaning_of(*pattern));
    add_choices(entry, field + 1, chosen, rows);
  }
}

status_t known_show(const GPtrArray *known, store_reader_t *reader, failure_t *error) {
  const char *columns[COLUMN_COUNT] = {"place", "id", "words"};
  for (int i = 0; i < KNOWN_FIELD_COUNT; i++) columns[OWN_COLUMNS + i] = FIELDS[i].name;
  rows_t rows = {.values = g_ptr_array_new(), .texts = g_string_chunk_new(4096)};
  for (guint i = 0; i < known->len; i++) {
    const known_entry_t *entry = g_ptr_array_index(known, i);
    g_autofree char *words = known_words(entry);
    const char *chosen[COLUMN_COUNT] = {NULL, entry->id, g_string_chunk_insert(rows.texts, words)};
    add_choices(entry, 0, chosen, &rows);
  }
  const store_texts_t texts = {.columns = columns,
                               .column_count = COLUMN_COUNT,
                               .values = (const char *const *)rows.values->pdata,
                               .row_count = rows.values->len / COLUMN_COUNT};
  status_t status = store_reader_replace(reader, "known", &texts, error);
  g_ptr_array_unref(rows.values);
  g_string_chunk_free(rows.texts);
  return status;
}
