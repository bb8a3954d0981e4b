/* SPDX-License-Identifier: Apache-2.0 */
/* Creates a Python environment for a worker and fills it by pip with hash-locked binary packages
 * only. A stamp written last marks a complete installation. */
#include <glib.h>
#include <glib/gstdio.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "harness/exec/registry/list.h"
#include "harness/exec/registry/paths.h"
#include "harness/exec/registry/run_program.h"
#include "harness/exec/registry/versions.h"

/* Whether the list is locked for that Python: hashes are of files for one version each. */
static status_t check_python(const char *python, const worker_list_t *list, failure_t *error) {
  static const char test[] =
      "import sys; sys.exit('%d.%d' % sys.version_info[:2] not in sys.argv[1:])";
  GPtrArray *words = g_ptr_array_new();
  g_ptr_array_add(words, (gpointer)(uintptr_t)python);
  g_ptr_array_add(words, (gpointer)(uintptr_t)"-c");
  g_ptr_array_add(words, (gpointer)(uintptr_t)test);
  for (char **version = list->pythons; *version != NULL; version++) {
    g_ptr_array_add(words, *version);
  }
  g_ptr_array_add(words, NULL);
  bool is_locked = program_run((const char *const *)words->pdata, RUN_SILENT, NULL);
  g_ptr_array_unref(words);
  if (is_locked) return STATUS_OK;
  g_autofree char *versions = g_strjoinv(", ", list->pythons);
  return status_fail(error, STATUS_IO,
                     "%s is no Python of a version that %s is locked for (%s): set ASSAY_PYTHON to "
                     "one that is",
                     python, list->path, versions);
}

static status_t make_environment(const char *python, const char *folder, failure_t *error) {
  const char *const make[] = {python, "-m", "venv", folder, NULL};
  if (program_run(make, RUN_SHOWN, NULL)) return STATUS_OK;
  return status_fail(error, STATUS_IO,
                     "%s -m venv %s failed: on Debian, apt-get install python3-venv", python,
                     folder);
}

/* Whether pip finds what a list wants, so that it need not be the other one. */
static bool finds_wanted(const worker_t *worker, const worker_list_t *list) {
  g_autofree char *python = worker_environment_path(worker, worker_python);
  const char *const decide[] = {
      python,      "-m",        "pip",           "install", "--disable-pip-version-check",
      "--dry-run", "--no-deps", "--only-binary", ":all:",   list->wanted,
      NULL};
  return program_run(decide, RUN_SILENT, NULL);
}

/* Nothing is taken that is not in the list, and nothing that is not what was there when it was
 * made: a package built from source could run anything. */
static status_t fill_environment(const worker_t *worker, const worker_list_t *list,
                                 failure_t *error) {
  g_autofree char *python = worker_environment_path(worker, worker_python);
  const char *const install[] = {python,
                                 "-m",
                                 "pip",
                                 "install",
                                 "--disable-pip-version-check",
                                 "--require-hashes",
                                 "--only-binary",
                                 ":all:",
                                 "--requirement",
                                 list->path,
                                 list->is_alone ? "--no-deps" : NULL,
                                 NULL};
  g_autofree char *errors = NULL;
  if (program_run(install, RUN_SHOWN, &errors)) return STATUS_OK;
  if (errors != NULL && strstr(errors, "DO NOT MATCH THE HASHES") != NULL) {
    return status_fail(error, STATUS_IO,
                       "what pip found is not what %s was locked with (the hashes above differ): "
                       "nothing of it was installed.  Somebody may have tampered with it, or with "
                       "the list; everything else works without %s",
                       list->path, worker->name);
  }
  return status_fail(error, STATUS_IO,
                     "pip could not install %s (see above): check the network, then run `assay "
                     "executors install %s` again; everything else works without it",
                     list->path, worker->name);
}

/* The stamp comes last: an environment without it does not count. */
static status_t install_this(const worker_t *worker, const worker_list_t *list, const char *folder,
                             failure_t *error) {
  g_autofree char *summary = worker_list_summary(list);
  printf("Installing %s (%s) into %s, from PyPI:\n%s\n", worker->name, worker->summary, folder,
         summary);
  fflush(stdout);
  STATUS_TRY(fill_environment(worker, list, error));
  g_autofree char *stamp = worker_environment_path(worker, worker_stamp);
  GError *failure = NULL;
  if (g_file_set_contents(stamp, list->text, -1, &failure)) return STATUS_OK;
  status_fail(error, STATUS_IO, "cannot write %s: %s", stamp, failure->message);
  g_error_free(failure);
  return STATUS_IO;
}

/* The list called `name`, or the one that goes for it on this machine. */
static status_t install_list(const worker_t *worker, const char *directory, const char *name,
                             const char *folder, failure_t *error) {
  worker_list_t list;
  g_autofree char *python = NULL;
  STATUS_TRY(base_python_find(NULL, &python, error));
  STATUS_TRY(worker_list_read(directory, name, &list, error));
  bool has_other = list.otherwise != NULL;
  status_t status = check_python(python, &list, error);
  bool is_other = status != STATUS_OK && has_other;
  if (status == STATUS_OK) status = make_environment(python, folder, error);
  if (status == STATUS_OK && has_other) is_other = !finds_wanted(worker, &list);
  if (is_other) {
    status = install_list(worker, directory, list.otherwise, folder, error);
  } else if (status == STATUS_OK) {
    status = install_this(worker, &list, folder, error);
  }
  worker_list_free(&list);
  return status;
}

status_t worker_install(const worker_t *worker, const char *directory, failure_t *error) {
  g_autofree char *folder = worker_environment_path(worker, "");
  if (worker_is_installed(worker, directory)) {
    printf("%s is installed in %s\n", worker->name, folder);
    return STATUS_OK;
  }
  g_autofree char *stamp = worker_environment_path(worker, worker_stamp);
  g_remove(stamp);
  STATUS_TRY(install_list(worker, directory, worker->environment, folder, error));
  printf("\n%s is installed\n", worker->name);
  return STATUS_OK;
}

status_t worker_remove(const worker_t *worker, failure_t *error) {
  char *folder = worker_environment_path(worker, "");
  const char *const remove[] = {"rm", "-rf", "--", folder, NULL};
  status_t status = STATUS_OK;
  if (!program_run(remove, RUN_SHOWN, NULL))
    status = status_fail(error, STATUS_IO, "cannot remove all of %s", folder);
  g_free(folder);
  return status;
}
