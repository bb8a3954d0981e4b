/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers PJRT plugins from environment variables, folders and the packages of Pythons. */
#include "harness/exec/registry/pjrt_plugins.h"

#include <string.h>

#include "harness/exec/registry/paths.h"

static const char prefix[] = "pjrt_c_api_";
static const char suffix[] = "_plugin.so";

static void free_plugin(gpointer data) {
  pjrt_plugin_t *plugin = data;
  g_free(plugin->name);
  g_free(plugin->path);
  g_free(plugin);
}

const pjrt_plugin_t *pjrt_plugins_named(const GPtrArray *plugins, const char *name) {
  for (guint i = 0; i < plugins->len; i++) {
    const pjrt_plugin_t *plugin = g_ptr_array_index(plugins, i);
    if (strcmp(plugin->name, name) == 0) return plugin;
  }
  return NULL;
}

static bool has_path(const GPtrArray *plugins, const char *path) {
  for (guint i = 0; i < plugins->len; i++) {
    const pjrt_plugin_t *plugin = g_ptr_array_index(plugins, i);
    if (strcmp(plugin->path, path) == 0) return true;
  }
  return false;
}

/* Both of the caller's. */
static void add(GPtrArray *plugins, const char *name, const char *path) {
  bool is_named = name[0] != '\0' && path[0] != '\0';
  if (!is_named || pjrt_plugins_named(plugins, name) != NULL || has_path(plugins, path)) return;
  pjrt_plugin_t *plugin = g_new(pjrt_plugin_t, 1);
  *plugin = (pjrt_plugin_t){.name = g_strdup(name), .path = g_strdup(path)};
  g_ptr_array_add(plugins, plugin);
}

static void add_named(GPtrArray *plugins, const char *text) {
  g_auto(GStrv) pairs = g_strsplit(text, ",", -1);
  for (char **pair = pairs; *pair != NULL; pair++) {
    char *colon = strchr(*pair, ':');
    if (colon == NULL) continue;
    *colon = '\0';
    add(plugins, *pair, colon + 1);
  }
}

static void add_folder(GPtrArray *plugins, const char *folder) {
  GDir *files = g_dir_open(folder, 0, NULL);
  const char *file;
  while (files != NULL && (file = g_dir_read_name(files)) != NULL) {
    size_t size = strlen(file);
    size_t around = strlen(prefix) + strlen(suffix);
    if (size <= around || !g_str_has_prefix(file, prefix) || !g_str_has_suffix(file, suffix)) {
      continue;
    }
    g_autofree char *name = g_strndup(file + strlen(prefix), size - around);
    g_autofree char *path = g_build_filename(folder, file, NULL);
    add(plugins, name, path);
  }
  if (files != NULL) g_dir_close(files);
}

static void add_folders(GPtrArray *plugins, const char *text) {
  g_auto(GStrv) folders = g_strsplit(text, ":", -1);
  for (char **folder = folders; *folder != NULL; folder++) add_folder(plugins, *folder);
}

/* What the script says of the packages of a Python; nothing if that cannot run. */
static void add_packages(GPtrArray *plugins, const char *python, const char *directory) {
  g_autofree char *file = g_build_filename("pjrt_plugins", "find_plugins", NULL);
  g_autofree char *script = worker_source(directory, file, ".py");
  char *command[] = {g_strdup(python), g_strdup(script), NULL};
  g_autofree char *output = NULL;
  GSpawnFlags flags = G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL;
  g_spawn_sync(NULL, command, NULL, flags, NULL, NULL, &output, NULL, NULL, NULL);
  g_free(command[0]);
  g_free(command[1]);
  g_auto(GStrv) lines = g_strsplit(output == NULL ? "" : output, "\n", -1);
  for (char **line = lines; *line != NULL; line++) {
    char *tab = strchr(*line, '\t');
    if (tab == NULL) continue;
    *tab = '\0';
    add(plugins, *line, tab + 1);
  }
}

GPtrArray *pjrt_plugins_find(const char *directory) {
  GPtrArray *plugins = g_ptr_array_new_with_free_func(free_plugin);
  const char *named = g_getenv("PJRT_NAMES_AND_LIBRARY_PATHS");
  if (named != NULL) add_named(plugins, named);
  const char *folders = g_getenv("PJRT_PLUGIN_LIBRARY_PATH");
  if (folders != NULL) add_folders(plugins, folders);
  for (const worker_t *worker = worker_table; worker->name != NULL; worker++) {
    if (!worker->brings_plugins || !worker_is_installed(worker, directory)) continue;
    g_autofree char *python = worker_environment_path(worker, worker_python);
    add_packages(plugins, python, directory);
  }
  const char *python = g_getenv("ASSAY_PYTHON");
  add_packages(plugins, python == NULL ? "python3" : python, directory);
  return plugins;
}

char *pjrt_plugins_names(const GPtrArray *plugins) {
  GString *names = g_string_new(plugins->len == 0 ? "none" : NULL);
  for (guint i = 0; i < plugins->len; i++) {
    const pjrt_plugin_t *plugin = g_ptr_array_index(plugins, i);
    g_string_append_printf(names, "%s%s", i == 0 ? "" : ", ", plugin->name);
  }
  return g_string_free(names, FALSE);
}
