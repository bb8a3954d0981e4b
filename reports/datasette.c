/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the metadata file for Datasette from the comments of the schema and the named queries. */
#include "reports/datasette.h"

#include <jansson.h>
#include <string.h>

#include "harness/store/schema.h"
#include "reports/query_table.h"

/* The object under `key`, made if it is not there; borrowed. */
static json_t *child(json_t *parent, const char *key) {
  json_t *object = json_object_get(parent, key);
  if (object != NULL) return object;
  object = json_object();
  json_object_set_new(parent, key, object);
  return object;
}

/* What is said of a column of any view, or of the first table that has a column of the name. */
static const char *find_words(GHashTable *descriptions, const GPtrArray *columns,
                              const char *column) {
  g_autofree char *any = g_strconcat("*.", column, NULL);
  const char *text = g_hash_table_lookup(descriptions, any);
  for (guint i = 0; i < columns->len && text == NULL; i++) {
    const char *other = g_ptr_array_index(columns, i);
    if (strcmp(strchr(other, '.') + 1, column) != 0) continue;
    text = g_hash_table_lookup(descriptions, other);
  }
  return text;
}

enum { WORDS_MIN = 4 }; /* "to" tells nothing where it stands alone. */

/* A column that has no words of its own has those of another one of its name. */
static void describe_alike(GHashTable *descriptions) {
  g_autoptr(GPtrArray) columns = g_ptr_array_new_with_free_func(g_free);
  failure_t ignored;
  if (store_schema_columns(columns, &ignored) != STATUS_OK) return;
  g_autoptr(GPtrArray) found = g_ptr_array_new();
  for (guint i = 0; i < columns->len; i++) {
    const char *column = g_ptr_array_index(columns, i);
    const char *own = g_hash_table_lookup(descriptions, column);
    if (own != NULL && strlen(own) >= WORDS_MIN) continue;
    const char *text = find_words(descriptions, columns, strchr(column, '.') + 1);
    if (text == NULL) continue;
    g_ptr_array_add(found, g_strdup(column));
    g_ptr_array_add(found, g_strdup(text));
  }
  for (guint i = 0; i < found->len; i += 2) {
    g_hash_table_replace(descriptions, found->pdata[i], found->pdata[i + 1]);
  }
}

static json_t *make_tables(void) {
  store_schema_t schema = store_schema();
  g_autoptr(GPtrArray) texts = g_ptr_array_new();
  for (int i = 0; i < schema.version; i++) {
    g_ptr_array_add(texts, (gpointer)(uintptr_t)schema.migrations[i]);
  }
  g_ptr_array_add(texts, (gpointer)(uintptr_t)schema.views);
  g_autoptr(GHashTable) descriptions =
      schema_descriptions((const char *const *)texts->pdata, texts->len);
  describe_alike(descriptions);
  json_t *tables = json_object();
  GHashTableIter each;
  gpointer key;
  gpointer text;
  g_hash_table_iter_init(&each, descriptions);
  while (g_hash_table_iter_next(&each, &key, &text)) {
    if (g_str_has_prefix(key, "*.")) continue;
    g_auto(GStrv) names = g_strsplit(key, ".", 2);
    json_t *table = child(tables, names[0]);
    if (names[1] == NULL) {
      json_object_set_new(table, "description", json_string(text));
    } else {
      json_object_set_new(child(table, "columns"), names[1], json_string(text));
    }
  }
  return tables;
}

/* The first line of a query is a comment that describes it. */
static json_t *make_queries(void) {
  json_t *queries = json_object();
  for (const named_query_t *query = query_table(); query->name != NULL; query++) {
    const char *comment = query->sql + strspn(query->sql, "- ");
    json_t *row = json_object();
    json_object_set_new(row, "sql", json_string(query->sql));
    json_object_set_new(row, "title", json_string(query->name));
    json_object_set_new(row, "description", json_stringn(comment, strcspn(comment, "\n")));
    json_object_set_new(queries, query->name, row);
  }
  return queries;
}

void datasette_write(const char *path, FILE *out) {
  g_autofree char *file = g_path_get_basename(path == NULL ? "campaign.db" : path);
  char *end = strrchr(file, '.'); /* Datasette leaves out the suffix, too. */
  if (end != NULL && end != file) *end = '\0';
  g_autofree char *name = g_utf8_make_valid(file, -1);
  json_t *database = json_object();
  json_object_set_new(database, "tables", make_tables());
  json_object_set_new(database, "queries", make_queries());
  json_t *document = json_object();
  json_object_set_new(document, "title", json_string("Assay"));
  json_object_set_new(
      document, "description",
      json_string("How implementations of tensor operations did against an exact oracle."));
  json_object_set_new(child(document, "databases"), name, database);
  json_dumpf(document, out, JSON_INDENT(2) | JSON_SORT_KEYS);
  fputc('\n', out);
  json_decref(document);
}
