/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the comments of our own SQL.  The rules that these files keep: a comment before CREATE
 * TABLE or CREATE VIEW is about it, one behind a column or on the lines after it is about that
 * column, and one before ALTER TABLE ... ADD COLUMN tells "column: what it is." in sentences set
 * off by two blanks.  Of views, which have no lines of their own for columns, the comment before
 * has such: "--   column, column: what they are.", gone on with behind four blanks; "*.column"
 * tells it of all views that do not say it themselves. */
#include <stdbool.h>
#include <string.h>

#include "reports/datasette.h"

typedef struct reader {
  GHashTable *descriptions;
  GString *comment;   /* Of the lines just before, but for: */
  GPtrArray *columns; /* Owned; "column, column: what they are." of a view. */
  bool is_done;       /* It has been used: the next comment line begins another. */
  char *table;        /* That columns belong to, or NULL. */
  char *column;       /* That comment lines go on about, or NULL. */
} reader_t;

/* Lines are joined as they would stand on one: two blanks after a full stop. */
static void append_line(GString *text, const char *more) {
  if (text->len > 0) g_string_append(text, g_str_has_suffix(text->str, ".") ? "  " : " ");
  g_string_append(text, more);
}

/* Without the "..." that stands where a sentence goes on with the next column. */
static char *tidy(const char *text) {
  GString *plain = g_string_new(text);
  g_string_replace(plain, " ...", "", 0);
  g_string_replace(plain, "... ", "", 0);
  g_string_replace(plain, "  ", " ", 0);
  return g_string_free(plain, FALSE);
}

static void describe(reader_t *reader, const char *column, const char *text) {
  char *key =
      column == NULL ? g_strdup(reader->table) : g_strdup_printf("%s.%s", reader->table, column);
  const char *before = g_hash_table_lookup(reader->descriptions, key);
  g_autofree char *plain = tidy(text);
  char *all = before == NULL ? g_strdup(plain) : g_strdup_printf("%s %s", before, plain);
  g_hash_table_replace(reader->descriptions, key, all);
}

/* The name that begins at `text`, which may be quoted. */
static char *take_name(const char *text) {
  text += strspn(text, " \"");
  return g_strndup(text, strspn(text, "abcdefghijklmnopqrstuvwxyz_0123456789"));
}

/* Whether "name:" or, with an asterisk, "*_name:" stands at `text` and means `column`. */
static bool is_about(const char *text, const char *column) {
  g_autofree char *pattern = g_strndup(text, strspn(text, "abcdefghijklmnopqrstuvwxyz_*"));
  size_t size = strlen(pattern);
  return size > 0 && text[size] == ':' && g_pattern_match_simple(pattern, column);
}

/* The sentence of the last comment that is about `column`, or all of the comment. */
static void describe_added(reader_t *reader, const char *column) {
  g_auto(GStrv) sentences = g_strsplit(reader->comment->str, "  ", -1);
  for (char **sentence = sentences; *sentence != NULL; sentence++) {
    if (!is_about(*sentence, column)) continue;
    describe(reader, column, strchr(*sentence, ':') + 2);
    return;
  }
  describe(reader, column, reader->comment->str);
}

/* "column, column: ..." */
static bool names_columns(const char *line) {
  size_t size;
  while ((size = strspn(line, "abcdefghijklmnopqrstuvwxyz_0123456789*.")) > 0) {
    line += size;
    if (strncmp(line, ": ", 2) == 0) return true;
    if (strncmp(line, ", ", 2) != 0) return false;
    line += 2;
  }
  return false;
}

/* "  column, column: what they are.", or "    and more of it". */
static bool take_view_column(reader_t *reader, const char *text) {
  size_t indent = strspn(text, " ");
  const char *line = text + indent;
  if (indent == 4 && reader->columns->len > 0) {
    char **last = (char **)&reader->columns->pdata[reader->columns->len - 1];
    char *longer = g_strconcat(*last, " ", line, NULL);
    g_free(*last);
    *last = longer;
    return true;
  }
  if (indent != 2 || !names_columns(line)) return false;
  g_ptr_array_add(reader->columns, g_strdup(line));
  return true;
}

/* Tells what the comment says of the columns of the view, or with "*." before them of any. */
static void describe_view_columns(reader_t *reader) {
  for (guint i = 0; i < reader->columns->len; i++) {
    g_auto(GStrv) halves = g_strsplit(g_ptr_array_index(reader->columns, i), ": ", 2);
    g_auto(GStrv) names = g_strsplit(halves[0], ", ", -1);
    for (char **name = names; *name != NULL; name++) {
      bool is_any = g_str_has_prefix(*name, "*.");
      if (!is_any && reader->table == NULL) continue;
      g_autofree char *key =
          is_any ? g_strdup(*name) : g_strdup_printf("%s.%s", reader->table, *name);
      g_hash_table_replace(reader->descriptions, g_steal_pointer(&key), tidy(halves[1]));
    }
  }
  g_ptr_array_set_size(reader->columns, 0);
}

static void begin_table(reader_t *reader, const char *name) {
  g_free(reader->table);
  reader->table = take_name(name);
  g_clear_pointer(&reader->column, g_free);
  if (!reader->is_done && reader->comment->len > 0) describe(reader, NULL, reader->comment->str);
}

/* What is said of a table and its columns is said of the one that it replaces, too; of a column
 * only if nothing is known of it yet. */
static void rename_table(reader_t *reader, const char *from, const char *to) {
  g_autoptr(GList) keys = g_hash_table_get_keys(reader->descriptions);
  size_t size = strlen(from);
  for (GList *key = keys; key != NULL; key = key->next) {
    const char *name = key->data;
    if (strncmp(name, from, size) != 0 || (name[size] != '\0' && name[size] != '.')) continue;
    g_autofree char *kept = g_strconcat(to, name + size, NULL);
    const char *before = g_hash_table_lookup(reader->descriptions, kept);
    const char *text = g_hash_table_lookup(reader->descriptions, name);
    if (before == NULL) {
      g_hash_table_insert(reader->descriptions, g_strdup(kept), g_strdup(text));
    } else if (name[size] == '\0') {
      g_hash_table_insert(reader->descriptions, g_strdup(kept), g_strjoin(" ", before, text, NULL));
    }
    g_hash_table_remove(reader->descriptions, name);
  }
}

static void read_alter(reader_t *reader, const char *rest) {
  g_free(reader->table);
  reader->table = take_name(rest);
  const char *add = strstr(rest, " ADD COLUMN");
  const char *rename = strstr(rest, " RENAME TO ");
  if (rename != NULL) {
    g_autofree char *to = take_name(rename + strlen(" RENAME TO "));
    rename_table(reader, reader->table, to);
  } else if (add != NULL) {
    g_autofree char *column = take_name(add + strlen(" ADD COLUMN"));
    describe_added(reader, column);
  }
  g_clear_pointer(&reader->table, g_free);
}

/* "  name TYPE ...,  -- comment", or a line that has only the comment. */
static void read_column(reader_t *reader, const char *line) {
  const char *comment = strstr(line, "-- ");
  g_autofree char *name = take_name(line);
  if (name[0] != '\0') {
    g_free(reader->column);
    reader->column = g_steal_pointer(&name);
  }
  if (comment != NULL && reader->column != NULL) {
    describe(reader, reader->column, comment + strlen("-- "));
  }
}

static void read_line(reader_t *reader, const char *line) {
  static const char create_table[] = "CREATE TABLE ";
  static const char create_view[] = "CREATE VIEW ";
  static const char alter[] = "ALTER TABLE ";
  if (g_str_has_prefix(line, "-- ")) {
    if (reader->is_done) g_string_truncate(reader->comment, 0);
    reader->is_done = false;
    if (!take_view_column(reader, line + 3)) append_line(reader->comment, line + 3);
  } else if (g_str_has_prefix(line, create_table)) {
    begin_table(reader, line + strlen(create_table));
  } else if (g_str_has_prefix(line, create_view)) {
    begin_table(reader, line + strlen(create_view));
    describe_view_columns(reader);
    g_clear_pointer(&reader->table, g_free);
  } else if (g_str_has_prefix(line, alter)) {
    read_alter(reader, line + strlen(alter));
  } else if (g_str_has_prefix(line, " ") && reader->table != NULL) {
    read_column(reader, line);
  } else if (g_str_has_prefix(line, ")")) {
    g_clear_pointer(&reader->table, g_free);
  }
  if (line[0] == '\0') describe_view_columns(reader); /* Of no view in particular. */
  if (!g_str_has_prefix(line, "-- ") && !g_str_has_prefix(line, "DROP VIEW")) {
    reader->is_done = true;
  }
}

GHashTable *schema_descriptions(const char *const *sql_texts, size_t count) {
  reader_t reader = {.descriptions = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
                     .comment = g_string_new(NULL),
                     .columns = g_ptr_array_new_with_free_func(g_free)};
  for (size_t i = 0; i < count; i++) {
    GString *text = g_string_new(sql_texts[i]);
    g_string_replace(text, " ADD COLUMN\n ", " ADD COLUMN", 0); /* One statement, one line. */
    g_auto(GStrv) lines = g_strsplit(text->str, "\n", -1);
    g_string_free(text, TRUE);
    g_string_truncate(reader.comment, 0);
    for (char **line = lines; *line != NULL; line++) read_line(&reader, *line);
    g_clear_pointer(&reader.table, g_free);
  }
  g_string_free(reader.comment, TRUE);
  g_ptr_array_unref(reader.columns);
  g_free(reader.column);
  return reader.descriptions;
}
