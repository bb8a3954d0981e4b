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

static json_t *make_tables(void) {
  store_schema_t schema = store_schema();
  g_autoptr(GPtrArray) texts = g_ptr_array_new();
  for (int i = 0; i < schema.version; i++) {
    g_ptr_array_add(texts, (gpointer)(uintptr_t)schema.migrations[i]);
  }
  g_ptr_array_add(texts, (gpointer)(uintptr_t)schema.views);
  g_autoptr(GHashTable) descriptions =
      schema_descriptions((const char *const *)texts->pdata, texts->len);
  json_t *tables = json_object();
  GHashTableIter each;
  gpointer key;
  gpointer text;
  g_hash_table_iter_init(&each, descriptions);
  while (g_hash_table_iter_next(&each, &key, &text)) {
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
