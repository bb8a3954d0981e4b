/* SPDX-License-Identifier: Apache-2.0 */
/* Resolves an executor's name: builtin, worker command, installed worker, shared object, PJRT
 * plugin or plugin in the plugin directory, with messages that list what there is. */
#include "harness/exec/executor_address.h"

#include <string.h>

#include "harness/exec/registry/versions.h"
#ifdef ASSAY_HAS_PJRT
#include "harness/exec/pjrt/pjrt.h"
#include "harness/exec/registry/pjrt_plugins.h"
#endif

static const char plugin_suffix[] = "_plugin.so";
static const char stepwise_prefix[] = "steps:";
static const char name_bytes[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";

/* Owned by the caller. */
static char *plugin_directory(const executor_options_t *options) {
  if (options->plugin_directory != NULL) return g_strdup(options->plugin_directory);
  char *program = g_file_read_link("/proc/self/exe", NULL);
  if (program == NULL) return g_strdup("plugins");
  char *folder = g_path_get_dirname(program);
  char *directory = g_build_filename(folder, "plugins", NULL);
  g_free(folder);
  g_free(program);
  return directory;
}

static gint compare_texts(gconstpointer a, gconstpointer b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* "onednn", "openblas", NULL; owned by the caller. */
static char **find_plugin_names(const char *directory) {
  GPtrArray *names = g_ptr_array_new();
  GDir *folder = g_dir_open(directory, 0, NULL);
  const char *file;
  while (folder != NULL && (file = g_dir_read_name(folder)) != NULL) {
    if (!g_str_has_suffix(file, plugin_suffix)) continue;
    g_ptr_array_add(names, g_strndup(file, strlen(file) - strlen(plugin_suffix)));
  }
  if (folder != NULL) g_dir_close(folder);
  g_ptr_array_sort(names, compare_texts);
  g_ptr_array_add(names, NULL);
  return (char **)g_ptr_array_free(names, FALSE);
}

/* "onednn, openblas", or "none"; owned by the caller. */
static char *list_plugins(const char *directory) {
  char **names = find_plugin_names(directory);
  char *list = names[0] == NULL ? g_strdup("none") : g_strjoinv(", ", names);
  g_strfreev(names);
  return list;
}

char **executor_plugins(const executor_options_t *options) {
  char *directory = plugin_directory(options);
  char **names = find_plugin_names(directory);
  g_free(directory);
  return names;
}

static status_t find_plugin(const char *name, size_t name_size, const executor_options_t *options,
                            char **out_path, failure_t *error) {
  char *directory = plugin_directory(options);
  char *file = g_strdup_printf("%.*s%s", (int)name_size, name, plugin_suffix);
  char *path = g_build_filename(directory, file, NULL);
  status_t status = STATUS_OK;
  if (g_file_test(path, G_FILE_TEST_EXISTS)) {
    *out_path = path;
  } else {
    char *list = list_plugins(directory);
    status =
        status_fail(error, STATUS_INVALID,
                    "there is no executor \"%.*s\": %s holds %s (plugins are built where their "
                    "library is installed); write dso:PATH for a shared object of your own",
                    (int)name_size, name, directory, list);
    g_free(list);
    g_free(path);
  }
  g_free(file);
  g_free(directory);
  return status;
}

/* The plugin, with the library that a release brought; `after` is what follows the name. */
static status_t find_library(const worker_t *worker, const char *after,
                             const executor_options_t *options, executor_address_t *out_address,
                             failure_t *error) {
  const worker_library_t *library = worker->library;
  g_autofree char *file = NULL;
  char *path = NULL;
  STATUS_TRY(worker_library_find(worker, &file, error));
  STATUS_TRY(find_plugin(library->plugin, strlen(library->plugin), options, &path, error));
  bool has_more = after[0] == '?' && after[1] != '\0';
  *out_address = (executor_address_t){
      .path = path,
      .is_foreign = true,
      .is_plugin = true,
      .options = g_strconcat("library=", file, library->options, has_more ? "," : "",
                             has_more ? after + 1 : "", NULL)};
  return STATUS_OK;
}

static status_t find_command(const char *name, executor_address_t *out_address, failure_t *error) {
  const char *command = name + strlen("proc:");
  if (command[strspn(command, " ")] == '\0') {
    return status_fail(error, STATUS_INVALID,
                       "proc: needs a command, as in proc:'python3 my_worker.py'");
  }
  *out_address = (executor_address_t){.command = g_strdup(command), .options = g_strdup("")};
  return STATUS_OK;
}

#ifdef ASSAY_HAS_PJRT
/* A word is the name of a plugin that is installed somewhere, unless there is a file called so. */
static bool is_word(const char *plugin) {
  return strspn(plugin, name_bytes) == strlen(plugin) && !g_str_has_suffix(plugin, ".so") &&
         !g_file_test(plugin, G_FILE_TEST_EXISTS);
}

static status_t find_pjrt_path(const char *plugin, const executor_options_t *options,
                               char **out_path, failure_t *error) {
  if (!is_word(plugin)) {
    *out_path = g_strdup(plugin);
    return STATUS_OK;
  }
  GPtrArray *plugins = pjrt_plugins_find(options->worker_directory);
  const pjrt_plugin_t *found = pjrt_plugins_named(plugins, plugin);
  status_t status = STATUS_OK;
  if (found != NULL) {
    *out_path = g_strdup(found->path);
  } else {
    g_autofree char *names = pjrt_plugins_names(plugins);
    status =
        status_fail(error, STATUS_INVALID,
                    "there is no PJRT plugin \"%s\": found %s; write pjrt:PATH for a file, and "
                    "`assay executors install pjrt-cpu` brings two for processors",
                    plugin, names);
  }
  g_ptr_array_unref(plugins);
  return status;
}

static status_t find_pjrt(const char *name, const executor_options_t *options,
                          executor_address_t *out_address, failure_t *error) {
  const char *where = name + strlen("pjrt:");
  g_autofree char *plugin = g_strndup(where, strcspn(where, "?"));
  if (plugin[0] == '\0') {
    return status_fail(
        error, STATUS_INVALID,
        "pjrt: needs the path of a plugin, as in pjrt:./libmine_pjrt.so?device=0, or "
        "the name of one that `assay executors` lists");
  }
  g_autofree char *path = NULL;
  STATUS_TRY(find_pjrt_path(plugin, options, &path, error));
  *out_address = (executor_address_t){.table = pjrt_executor(),
                                      .is_foreign = true,
                                      .options = g_strconcat(path, where + strlen(plugin), NULL)};
  return STATUS_OK;
}
#else
static status_t find_pjrt(const char *name, const executor_options_t *options,
                          executor_address_t *out_address, failure_t *error) {
  (void)options;
  (void)out_address;
  return status_fail(error, STATUS_UNSUPPORTED,
                     "%s: this Assay was built without pjrt_c_api.h, and so without PJRT: run "
                     "harness/exec/pjrt/fetch-header, and build it again",
                     name);
}
#endif

bool executor_has_pjrt(void) {
#ifdef ASSAY_HAS_PJRT
  return true;
#else
  return false;
#endif
}

/* That of the executor behind "steps:". */
static status_t find_stepwise(const char *name, const executor_options_t *options,
                              executor_address_t *out_address, failure_t *error) {
  const char *whole = name + strlen(stepwise_prefix);
  if (whole[0] == '\0' || g_str_has_prefix(whole, stepwise_prefix)) {
    return status_fail(error, STATUS_INVALID,
                       "steps: needs the name of another executor, as in steps:xla");
  }
  STATUS_TRY(executor_address_find(whole, options, out_address, error));
  out_address->is_stepwise = true;
  return STATUS_OK;
}

status_t executor_address_find(const char *name, const executor_options_t *options,
                               executor_address_t *out_address, failure_t *error) {
  if (g_str_has_prefix(name, stepwise_prefix)) {
    return find_stepwise(name, options, out_address, error);
  }
  const assay_executor_t *table =
      options->find_builtin == NULL ? NULL : options->find_builtin(name);
  if (table != NULL) {
    *out_address = (executor_address_t){.table = table, .options = g_strdup(name)};
    return STATUS_OK;
  }
  if (g_str_has_prefix(name, "proc:")) return find_command(name, out_address, error);
  if (g_str_has_prefix(name, "pjrt:")) return find_pjrt(name, options, out_address, error);
  bool is_dso = g_str_has_prefix(name, "dso:");
  const char *where = is_dso ? name + strlen("dso:") : name;
  size_t where_size = strcspn(where, "?");
  size_t name_size = strcspn(where, "@?"); /* NAME@VERSION is a worker. */
  bool is_name = name_size != 0 && strspn(where, name_bytes) == name_size;
  if (where_size == 0 || (!is_dso && !is_name)) {
    return status_fail(error, STATUS_INVALID,
                       "\"%s\" names no executor: write model:NAME, canary:NAME, the NAME of a "
                       "plugin or worker, NAME?options, dso:PATH?options, pjrt:PATH?options, "
                       "proc:COMMAND, or steps: and one of these",
                       name);
  }
  g_autoptr(worker_t) worker = is_dso ? NULL : worker_parse(where, where_size);
  if (worker != NULL && worker->library == NULL) {
    *out_address = (executor_address_t){0};
    const char *options_text = where[where_size] == '?' ? where + where_size + 1 : "";
    return worker_command(worker, options->worker_directory, options_text, &out_address->command,
                          error);
  }
  if (worker != NULL && worker->version != NULL) {
    return find_library(worker, where + where_size, options, out_address, error);
  }
  char *path = NULL;
  if (is_dso) {
    path = g_strndup(where, where_size);
  } else {
    STATUS_TRY(find_plugin(where, where_size, options, &path, error));
  }
  const char *after = where + where_size;
  *out_address = (executor_address_t){.path = path,
                                      .is_foreign = true,
                                      .is_plugin = !is_dso,
                                      .options = g_strdup(*after == '?' ? after + 1 : after)};
  return STATUS_OK;
}

void executor_address_deinit(executor_address_t *address) {
  g_free(address->path);
  g_free(address->command);
  g_free(address->options);
  *address = (executor_address_t){0};
}
