/* SPDX-License-Identifier: Apache-2.0 */
/* A line for each pair: state, op, types and reason between tabs.  The first line says of whom the
 * rest is, so that files whose hashes meet are told apart. */
#include "harness/run/capability/capability_file.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "harness/base/hash.h"
#include "harness/base/plain_text.h"
#include "harness/exec/registry/pjrt_plugins.h"

struct capability_file {
  char *path; /* NULL: nothing is kept. */
  char *head; /* The first line. */
  int lock;
  bool is_changed;
  gint64 written_us; /* When it was opened or last written, by the monotonic clock. */
  GHashTable *rows;  /* "OP\tTYPES" -> owned "STATE\tREASON". */
};

static const char *const STATES[] = {
    [CAPABILITY_TAKEN] = "taken", [CAPABILITY_REFUSED] = "refused", [CAPABILITY_FAILED] = "failed"};

/* The file of a shared object that an executor is, or NULL; the caller frees it. */
static char *find_object(const char *name) {
  if (!g_str_has_prefix(name, "dso:") && !g_str_has_prefix(name, "pjrt:")) return NULL;
  const char *rest = strchr(name, ':') + 1;
  g_autofree char *path = g_strndup(rest, strcspn(rest, "?"));
  if (g_str_has_prefix(name, "dso:") || strchr(path, '/') != NULL) return g_steal_pointer(&path);
  GPtrArray *plugins = pjrt_plugins_find(NULL);
  const pjrt_plugin_t *plugin = pjrt_plugins_named(plugins, path);
  char *found = plugin == NULL ? NULL : g_strdup(plugin->path);
  g_ptr_array_unref(plugins);
  return found;
}

/* Whom the answers are of, or NULL if that cannot be known. */
static char *describe(const executor_t *executor) {
  const char *name = executor_name(executor);
  if (g_str_has_prefix(name, "proc:")) return NULL;
  g_autoptr(GString) text = g_string_new(NULL);
  g_string_printf(text, "%s, version %s, %s", name, executor_version(executor),
                  executor_hardware(executor));
  bool is_object = g_str_has_prefix(name, "dso:") || g_str_has_prefix(name, "pjrt:");
  g_autofree char *object = find_object(name);
  GStatBuf state;
  if (is_object && (object == NULL || g_stat(object, &state) != 0)) return NULL;
  if (is_object) {
    g_string_append_printf(
        text, ", %s of %" G_GINT64_FORMAT " bytes, changed %" G_GINT64_FORMAT ".%09ld", object,
        (gint64)state.st_size, (gint64)state.st_mtim.tv_sec, (long)state.st_mtim.tv_nsec);
  }
  return plain_text(text->str);
}

static void read_rows(capability_file_t *file) {
  g_autofree char *text = NULL;
  if (!g_file_get_contents(file->path, &text, NULL, NULL)) return;
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  if (lines[0] == NULL || strcmp(lines[0], file->head) != 0) return;
  for (char **line = lines + 1; *line != NULL; line++) {
    g_auto(GStrv) parts = g_strsplit(*line, "\t", 4);
    if (g_strv_length(parts) != 4) continue;
    g_hash_table_insert(file->rows, g_strconcat(parts[1], "\t", parts[2], NULL),
                        g_strconcat(parts[0], "\t", parts[3], NULL));
  }
}

capability_file_t *capability_file_open(const executor_t *executor) {
  capability_file_t *file = g_new0(capability_file_t, 1);
  file->rows = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  file->lock = -1;
  file->written_us = g_get_monotonic_time();
  file->head = describe(executor);
  if (file->head == NULL) return file;
  g_autofree char *folder = g_build_filename(g_get_user_cache_dir(), "assay", "capabilities", NULL);
  if (g_mkdir_with_parents(folder, 0777) != 0) return file;
  hash_text_t hash = hash_of(file->head, strlen(file->head));
  g_autofree char *name = g_strconcat(hash.text, ".tsv", NULL);
  g_autofree char *lock = g_strconcat(folder, "/", hash.text, ".lock", NULL);
  file->lock = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file->lock < 0 || flock(file->lock, LOCK_EX) != 0) return file;
  file->path = g_build_filename(folder, name, NULL);
  read_rows(file);
  return file;
}

bool capability_file_find(const capability_file_t *file, const char *op, const char *types,
                          capability_row_t *out_row) {
  g_autofree char *key = g_strconcat(op, "\t", types, NULL);
  const char *value = (const char *)g_hash_table_lookup(file->rows, key);
  if (value == NULL) return false;
  for (size_t i = CAPABILITY_TAKEN; i < G_N_ELEMENTS(STATES); i++) {
    size_t size = strlen(STATES[i]);
    if (strncmp(value, STATES[i], size) != 0 || value[size] != '\t') continue;
    *out_row = (capability_row_t){.state = (capability_state_t)i, .reason = value + size + 1};
    return true;
  }
  return false;
}

static gint compare_keys(gconstpointer a, gconstpointer b) {
  return strcmp((const char *)a, (const char *)b);
}

static void write_rows(capability_file_t *file) {
  file->written_us = g_get_monotonic_time();
  if (file->path == NULL || !file->is_changed) return;
  file->is_changed = false;
  g_autoptr(GString) text = g_string_new(NULL);
  g_string_append_printf(text, "%s\n", file->head);
  GList *keys = g_list_sort(g_hash_table_get_keys(file->rows), compare_keys);
  for (const GList *key = keys; key != NULL; key = key->next) {
    const char *value = (const char *)g_hash_table_lookup(file->rows, key->data);
    const char *tab = strchr(value, '\t');
    g_string_append_printf(text, "%.*s\t%s%s\n", (int)(tab - value), value, (const char *)key->data,
                           tab);
  }
  g_list_free(keys);
  g_file_set_contents(file->path, text->str, (gssize)text->len, NULL); /* It is a cache. */
}

void capability_file_add(capability_file_t *file, const char *op, const char *types,
                         const capability_row_t *row) {
  g_autofree char *reason = plain_text(row->reason);
  g_hash_table_insert(file->rows, g_strconcat(op, "\t", types, NULL),
                      g_strconcat(STATES[row->state], "\t", reason, NULL));
  file->is_changed = true;
  const gint64 write_every_us = 5 * G_USEC_PER_SEC;
  if (g_get_monotonic_time() - file->written_us >= write_every_us) write_rows(file);
}

void capability_file_close(capability_file_t *file) {
  write_rows(file);
  if (file->lock >= 0) close(file->lock);
  g_hash_table_destroy(file->rows);
  g_free(file->path);
  g_free(file->head);
  g_free(file);
}
