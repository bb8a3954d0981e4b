#include <glib.h>
#include <glib/gstdio.h>
#include <stdio.h>

#include "harness/exec/worker_paths.h"

/* Runs a program to its end with our stdout and stderr, and nothing on its stdin. */
static bool run(const char *const *arguments) {
  GStrvBuilder *builder = g_strv_builder_new();
  for (; *arguments != NULL; arguments++) g_strv_builder_add(builder, *arguments);
  char **copies = g_strv_builder_end(builder);
  g_strv_builder_unref(builder);
  int wait_status = 0;
  bool ran = g_spawn_sync(NULL, copies, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL,
                          &wait_status, NULL);
  g_strfreev(copies);
  return ran && g_spawn_check_wait_status(wait_status, NULL);
}

static char *base_python(void) {
  const char *named = g_getenv("ASSAY_PYTHON");
  return g_strdup(named == NULL ? "python3" : named);
}

static status_t make_environment(const char *folder, failure_t *error) {
  char *python = base_python();
  const char *const is_recent[] = {python, "-c", "import sys; sys.exit(sys.version_info < (3, 11))",
                                   NULL};
  const char *const make[] = {python, "-m", "venv", folder, NULL};
  status_t status = STATUS_OK;
  if (!run(is_recent)) {
    status = status_fail(error, STATUS_IO,
                         "%s is not a Python 3.11 or newer: set ASSAY_PYTHON to one", python);
  } else if (!run(make)) {
    status = status_fail(error, STATUS_IO,
                         "%s -m venv %s failed: on Debian, apt-get install python3-venv", python,
                         folder);
  }
  g_free(python);
  return status;
}

static status_t fill_environment(const worker_t *worker, const char *requirements,
                                 failure_t *error) {
  char *python = worker_environment_path(worker, worker_python);
  const char *const install[] = {
      python,          "-m",         "pip", "install", "--disable-pip-version-check",
      "--requirement", requirements, NULL};
  bool done = run(install);
  g_free(python);
  if (done) return STATUS_OK;
  return status_fail(error, STATUS_IO,
                     "pip could not install %s (see above): check the network, then run `assay "
                     "executors install %s` again; everything else works without it",
                     requirements, worker->name);
}

/* The stamp comes last: an environment without it does not count. */
static status_t install_into(const worker_t *worker, const char *folder, const char *requirements,
                             const char *text, failure_t *error) {
  char *stamp = worker_environment_path(worker, worker_stamp);
  g_remove(stamp);
  status_t status = make_environment(folder, error);
  if (status == STATUS_OK) status = fill_environment(worker, requirements, error);
  GError *failure = NULL;
  if (status == STATUS_OK && !g_file_set_contents(stamp, text, -1, &failure)) {
    status = status_fail(error, STATUS_IO, "cannot write %s: %s", stamp, failure->message);
    g_error_free(failure);
  }
  g_free(stamp);
  return status;
}

status_t worker_install(const worker_t *worker, const char *directory, failure_t *error) {
  char *folder = worker_environment_path(worker, "");
  char *requirements = worker_source(directory, worker->environment, ".requirements");
  char *text = NULL;
  status_t status = STATUS_OK;
  if (worker_is_installed(worker, directory)) {
    printf("%s is installed in %s\n", worker->name, folder);
  } else if (!g_file_get_contents(requirements, &text, NULL, NULL)) {
    status =
        status_fail(error, STATUS_IO, "cannot read %s: is Assay installed whole?", requirements);
  } else {
    printf("Installing %s (%s) into %s, from PyPI:\n%s\n", worker->name, worker->summary, folder,
           text);
    fflush(stdout);
    status = install_into(worker, folder, requirements, text, error);
    if (status == STATUS_OK) printf("\n%s is installed\n", worker->name);
  }
  g_free(text);
  g_free(requirements);
  g_free(folder);
  return status;
}

status_t worker_remove(const worker_t *worker, failure_t *error) {
  char *folder = worker_environment_path(worker, "");
  const char *const remove[] = {"rm", "-rf", "--", folder, NULL};
  status_t status = STATUS_OK;
  if (!run(remove)) status = status_fail(error, STATUS_IO, "cannot remove all of %s", folder);
  g_free(folder);
  return status;
}
