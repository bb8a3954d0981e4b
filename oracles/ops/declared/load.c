/* SPDX-License-Identifier: Apache-2.0 */
/* Reads files that declare ops, and adds these to the rows that there are. */
#include "oracles/ops/declared/load.h"

#include <errno.h>
#include <glib.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "oracles/ops/declared/oracle.h"

static gint compare_paths(gconstpointer a, gconstpointer b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The *.op of a folder, in the order of their names; or the file itself. */
static status_t list_files(const char *path, GPtrArray *paths, failure_t *error) {
  if (!g_file_test(path, G_FILE_TEST_IS_DIR)) {
    g_ptr_array_add(paths, g_strdup(path));
    return STATUS_OK;
  }
  GError *failure = NULL;
  g_autoptr(GDir) folder = g_dir_open(path, 0, &failure);
  if (folder == NULL) {
    status_fail(error, STATUS_INVALID, "cannot read the folder %s (--ops): %s", path,
                failure->message);
    g_error_free(failure);
    return STATUS_INVALID;
  }
  guint first = paths->len;
  for (const char *name = g_dir_read_name(folder); name != NULL; name = g_dir_read_name(folder)) {
    if (g_str_has_suffix(name, ".op")) g_ptr_array_add(paths, g_build_filename(path, name, NULL));
  }
  if (paths->len == first) {
    return status_fail(error, STATUS_INVALID, "there is no *.op in the folder %s (--ops)", path);
  }
  qsort(paths->pdata + first, paths->len - first, sizeof(gpointer), compare_paths);
  return STATUS_OK;
}

/* No more than a file may have is read, whatever it is: a device has no end. */
static status_t read_text(const char *path, char **out_text, size_t *out_size, failure_t *error) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    return status_fail(error, STATUS_INVALID, "cannot read %s (--ops): %s", path,
                       g_strerror(errno));
  }
  char *text = g_malloc(DECLARED_FILE_BYTES_MAX + 1);
  size_t size = fread(text, 1, DECLARED_FILE_BYTES_MAX + 1, file);
  bool is_read = ferror(file) == 0;
  fclose(file);
  *out_text = text;
  *out_size = size;
  if (!is_read) return status_fail(error, STATUS_INVALID, "cannot read %s (--ops)", path);
  if (size <= DECLARED_FILE_BYTES_MAX) return STATUS_OK;
  return status_fail(error, STATUS_INVALID, "%s has more than %d bytes (--ops)", path,
                     (int)DECLARED_FILE_BYTES_MAX);
}

/* The row of that name among those that are being read; NULL if there is none. */
static const op_t *find_row(const GPtrArray *rows, const char *name) {
  for (guint i = 0; i < rows->len; i++) {
    const op_t *other = g_ptr_array_index(rows, i);
    if (strcmp(other->name, name) == 0) return other;
  }
  return NULL;
}

/* What was loaded before may be loaded again, as long as it says the same. */
static status_t read_file(const char *path, GPtrArray *rows, failure_t *error) {
  g_autofree char *text = NULL;
  size_t size = 0;
  STATUS_TRY(read_text(path, &text, &size, error));
  declaration_t *declaration = NULL;
  STATUS_TRY(declared_parse((str_t){text, size}, path, &declaration, error));
  const op_t *beside = find_row(rows, declaration->op.name);
  const op_t *other = beside != NULL ? beside : op_find(str_from(declaration->op.name));
  if (other != NULL) {
    bool is_same =
        beside == NULL && strcmp(((const declaration_t *)other)->text, declaration->text) == 0;
    declared_free(declaration);
    if (is_same) return STATUS_OK;
    return status_fail(error, STATUS_INVALID, "%s:1: %s declares %s already; load one of them",
                       path, other->spec, other->name);
  }
  declared_make_oracle(declaration);
  g_ptr_array_add(rows, &declaration->op);
  return STATUS_OK;
}

static status_t load(const char *paths, failure_t *error) {
  g_auto(GStrv) words = g_strsplit(paths, ":", -1);
  g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);
  GPtrArray *rows = g_ptr_array_new(); /* They live as long as the program. */
  status_t status = STATUS_OK;
  for (char **word = words; *word != NULL && status == STATUS_OK; word++) {
    if (**word != '\0') status = list_files(*word, files, error);
  }
  for (guint i = 0; i < files->len && status == STATUS_OK; i++) {
    status = read_file(g_ptr_array_index(files, i), rows, error);
  }
  const guint count = rows->len;
  g_ptr_array_add(rows, NULL);
  gpointer *all = g_ptr_array_free(rows, FALSE);
  if (status == STATUS_OK && count > 0) op_declare((const op_t *const *)all);
  for (guint i = 0; i < count && status != STATUS_OK; i++) declared_free(all[i]);
  g_free(all);
  return status;
}

static gpointer make_mutex(gpointer unused) {
  (void)unused;
  GMutex *mutex = g_new0(GMutex, 1);
  g_mutex_init(mutex);
  return mutex;
}

status_t declared_load(const char *paths, failure_t *error) {
  static GOnce once = G_ONCE_INIT;
  GMutex *mutex = g_once(&once, make_mutex, NULL); /* Names are looked for, then added. */
  g_mutex_lock(mutex);
  status_t status = load(paths, error);
  g_mutex_unlock(mutex);
  return status;
}
