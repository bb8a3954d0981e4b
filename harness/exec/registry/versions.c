/* SPDX-License-Identifier: Apache-2.0 */
/* Names, lists and fills the environments of releases by name, and finds Pythons by version. */
#include "harness/exec/registry/versions.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "harness/exec/registry/list.h"
#include "harness/exec/registry/paths.h"
#include "harness/exec/registry/releases.h"
#include "harness/exec/registry/run_program.h"

/* ---- Pythons --------------------------------------------------------------------------------- */

static bool is_python(const char *path, const char *version) {
  static const char test[] = "import sys; sys.exit('%d.%d' % sys.version_info[:2] != sys.argv[1])";
  const char *const command[] = {path, "-c", test, version, NULL};
  return program_run(command, RUN_SILENT, NULL);
}

/* FOLDER/PREFIX*\/bin/pythonVERSION, as pyenv and uv lay them; NULL if there is none. */
static char *find_in_folders(const char *folder, const char *prefix, const char *version) {
  GDir *entries = g_dir_open(folder, 0, NULL);
  const char *entry;
  char *found = NULL;
  g_autofree char *file = g_strconcat("python", version, NULL);
  while (found == NULL && entries != NULL && (entry = g_dir_read_name(entries)) != NULL) {
    size_t size = strlen(prefix);
    if (strncmp(entry, prefix, size) != 0 || (entry[size] != '.' && entry[size] != '\0')) continue;
    found = g_build_filename(folder, entry, "bin", file, NULL);
    if (!is_python(found, version)) g_clear_pointer(&found, g_free);
  }
  if (entries != NULL) g_dir_close(entries);
  return found;
}

static bool is_python_version(const char *text) {
  return g_str_has_prefix(text, "3.") && text[2] != '\0' && strlen(text) <= 4 &&
         strspn(text + 2, "0123456789") == strlen(text + 2);
}

status_t base_python_find(const char *version, char **out_python, failure_t *error) {
  if (version == NULL) {
    const char *named = g_getenv("ASSAY_PYTHON");
    *out_python = g_strdup(named == NULL ? "python3" : named);
    return STATUS_OK;
  }
  if (!is_python_version(version)) {
    return status_fail(error, STATUS_INVALID, "bad version '%s' (--python); write one such as 3.13",
                       version);
  }
  g_autofree char *name = g_strconcat("python", version, NULL);
  if (is_python(name, version)) {
    *out_python = g_steal_pointer(&name);
    return STATUS_OK;
  }
  const char *root = g_getenv("PYENV_ROOT");
  g_autofree char *pyenv = root != NULL
                               ? g_build_filename(root, "versions", NULL)
                               : g_build_filename(g_get_home_dir(), ".pyenv", "versions", NULL);
  g_autofree char *uv = g_build_filename(g_get_user_data_dir(), "uv", "python", NULL);
  g_autofree char *of_uv = g_strconcat("cpython-", version, NULL);
  char *found = find_in_folders(pyenv, version, version);
  if (found == NULL) found = find_in_folders(uv, of_uv, version);
  if (found == NULL) {
    return status_fail(
        error, STATUS_IO,
        "there is no %s on the PATH, in %s or in %s: install one (`uv python install "
        "%s` does), or leave --python out",
        name, pyenv, uv, version);
  }
  *out_python = found;
  return STATUS_OK;
}

/* A Python with pip, beside the environments, which so need none: made once for each version. */
static status_t find_pip(const char *base, char **out_python, failure_t *error) {
  static const char version_of[] = "import sys; print('%d.%d' % sys.version_info[:2], end='')";
  const char *const ask[] = {base, "-c", version_of, NULL};
  g_autofree char *version = NULL;
  if (!program_run(ask, RUN_READ, &version)) {
    return status_fail(error, STATUS_IO, "%s does not run: set ASSAY_PYTHON to a Python 3", base);
  }
  g_autofree char *name = g_strconcat("pip-", version, NULL);
  g_autofree char *folder =
      g_build_filename(g_get_user_data_dir(), "assay", "executors", name, NULL);
  g_autofree char *python = g_build_filename(folder, worker_python, NULL);
  const char *const test[] = {python, "-m", "pip", "--version", NULL};
  const char *const make[] = {base, "-m", "venv", "--clear", folder, NULL};
  if (!program_run(test, RUN_SILENT, NULL) && !program_run(make, RUN_SHOWN, NULL)) {
    return status_fail(error, STATUS_IO,
                       "%s -m venv %s failed: on Debian, apt-get install python3-venv", base,
                       folder);
  }
  *out_python = g_steal_pointer(&python);
  return STATUS_OK;
}

/* ---- Names ----------------------------------------------------------------------------------- */

static worker_t *make_release(const worker_t *row, const char *version) {
  worker_t *worker = g_new(worker_t, 1);
  *worker = *row;
  worker->version = g_strdup(version);
  worker->environment = version == NULL ? g_strdup(row->environment)
                                        : g_strconcat(row->environment, "@", version, NULL);
  return worker;
}

worker_t *worker_parse(const char *text, size_t size) {
  g_autofree char *whole = g_strndup(text, size);
  size_t name_size = strcspn(whole, "@=");
  const worker_t *row = worker_find(whole, name_size);
  if (row == NULL) return NULL;
  if (whole[name_size] == '\0') return make_release(row, NULL);
  if (whole[name_size] == '=' && !g_str_has_prefix(whole + name_size, "==")) return NULL;
  const char *version = whole + name_size + (g_str_has_prefix(whole + name_size, "==") ? 2 : 1);
  bool is_version =
      row->has_releases && whole[name_size + 1] != '\0' && release_is_well_formed(version);
  return is_version ? make_release(row, version) : NULL;
}

void worker_free(worker_t *worker) {
  if (worker == NULL) return;
  g_free((gpointer)(uintptr_t)worker->environment);
  g_free((gpointer)(uintptr_t)worker->version);
  g_free(worker);
}

static gint compare_names(gconstpointer a, gconstpointer b) {
  return release_compare(strchr(*(const char *const *)a, '@') + 1,
                         strchr(*(const char *const *)b, '@') + 1);
}

GPtrArray *worker_installed_releases(const worker_t *worker) {
  GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
  g_autofree char *folder = g_build_filename(g_get_user_data_dir(), "assay", "executors", NULL);
  g_autofree char *prefix = g_strconcat(worker->environment, "@", NULL);
  GDir *entries = worker->has_releases ? g_dir_open(folder, 0, NULL) : NULL;
  const char *entry;
  while (entries != NULL && (entry = g_dir_read_name(entries)) != NULL) {
    g_autofree char *stamp = g_build_filename(folder, entry, worker_stamp, NULL);
    if (!g_str_has_prefix(entry, prefix) || !g_file_test(stamp, G_FILE_TEST_EXISTS)) continue;
    g_ptr_array_add(names, g_strconcat(worker->name, "@", entry + strlen(prefix), NULL));
  }
  if (entries != NULL) g_dir_close(entries);
  g_ptr_array_sort(names, compare_names);
  return names;
}

/* ---- Installing ------------------------------------------------------------------------------ */

static const char report_file[] = "assay.report.json"; /* What pip says that it installed. */

static const char same_release[] = "# of the same release"; /* Behind a package in NAME.in. */

/* A line of NAME.in, as in its list (list.c). */
static const char without_others[] = "# Installed without what these packages ask for.";

/* What the worker's list is made from: NAME.in. */
typedef struct wanted {
  /* Without their versions, ended by NULL: first that whose release is named.  One that ends in ==
   * comes from the same release as that. */
  char **packages;
  char *locked;  /* The release of it that the list locks. */
  bool is_alone; /* Nothing else is installed. */
} wanted_t;

static void wanted_clear(wanted_t *wanted) {
  g_strfreev(wanted->packages);
  g_free(wanted->locked);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(wanted_t, wanted_clear)

static char *list_name(const worker_t *worker) {
  return g_strndup(worker->environment, strcspn(worker->environment, "@"));
}

static status_t read_wanted(const worker_t *worker, const char *directory, wanted_t *out_wanted,
                            failure_t *error) {
  g_autofree char *list = list_name(worker);
  g_autofree char *file = g_build_filename("requirements", list, NULL);
  g_autofree char *path = worker_source(directory, file, ".in");
  g_autofree char *text = NULL;
  if (!g_file_get_contents(path, &text, NULL, NULL)) {
    return status_fail(error, STATUS_IO, "cannot read %s: is Assay installed whole?", path);
  }
  GStrvBuilder *builder = g_strv_builder_new();
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (char **line = lines; *line != NULL; line++) {
    if (strcmp(*line, without_others) == 0) out_wanted->is_alone = true;
    if ((*line)[0] == '#' || (*line)[0] == '\0') continue;
    char *version = strstr(*line, "==");
    if (version != NULL && out_wanted->locked == NULL) out_wanted->locked = g_strdup(version + 2);
    bool is_same = strstr(*line, same_release) != NULL;
    (*line)[strcspn(*line, "=") + (is_same ? strlen("==") : 0)] = '\0';
    g_strv_builder_add(builder, *line);
  }
  out_wanted->packages = g_strv_builder_end(builder);
  g_strv_builder_unref(builder);
  return STATUS_OK;
}

status_t worker_releases(const worker_t *worker, const char *directory, const char *python,
                         GPtrArray **out_releases, failure_t *error) {
  g_auto(wanted_t) wanted = {0};
  g_autofree char *base = NULL;
  STATUS_TRY(read_wanted(worker, directory, &wanted, error));
  STATUS_TRY(base_python_find(python, &base, error));
  g_autofree char *pip = NULL;
  STATUS_TRY(find_pip(base, &pip, error));
  return releases_of(pip, wanted.packages[0], out_releases, error);
}

/* A release on its way into its environment. */
typedef struct installation {
  const worker_t *worker; /* Of that release. */
  const char *directory;
  const char *pip; /* A Python that has it. */
  const wanted_t *wanted;
  const char *release;
} installation_t;

/* The path of the list that locks it for this Python, or NULL. */
static char *find_lock(const installation_t *installation) {
  if (strcmp(installation->release, installation->wanted->locked) != 0) return NULL;
  g_autofree char *name = list_name(installation->worker);
  worker_list_t list;
  failure_t ignored;
  if (worker_list_read(installation->directory, name, &list, &ignored) != STATUS_OK) return NULL;
  char *path = NULL;
  for (char **python = list.pythons; path == NULL && *python != NULL; python++) {
    if (is_python(installation->pip, *python)) path = g_strdup(list.path);
  }
  worker_list_free(&list);
  return path;
}

static void add_words(GStrvBuilder *builder, const char *const *words) {
  for (; *words != NULL; words++) g_strv_builder_add(builder, *words);
}

/* Packages without a version, or those of the same release with its first two numbers: the third
 * one is of each package alone. */
static void add_packages(GStrvBuilder *builder, char *const *packages, const char *release) {
  static const char digits[] = "0123456789";
  size_t size = strspn(release, digits);
  if (release[size] == '.') size += 1 + strspn(release + size + 1, digits);
  for (; *packages != NULL; packages++) {
    bool is_same = g_str_has_suffix(*packages, "==");
    g_autofree char *word =
        is_same ? g_strdup_printf("%s%.*s.*", *packages, (int)size, release) : g_strdup(*packages);
    g_strv_builder_add(builder, word);
  }
}

/* What its list locks, or that release and what pip decides that goes with it. */
static status_t fill(const installation_t *installation, failure_t *error) {
  char **packages = installation->wanted->packages;
  g_autofree char *python = worker_environment_path(installation->worker, worker_python);
  g_autofree char *pinned = g_strconcat(packages[0], "==", installation->release, NULL);
  g_autofree char *report = worker_environment_path(installation->worker, report_file);
  g_autofree char *lock = find_lock(installation);
  const char *const install[] = {installation->pip,
                                 "-m",
                                 "pip",
                                 "--python",
                                 python,
                                 "--disable-pip-version-check",
                                 "install",
                                 "--quiet",
                                 "--only-binary",
                                 ":all:",
                                 "--report",
                                 report,
                                 NULL};
  const char *const locked[] = {"--require-hashes", "--requirement", lock, NULL};
  GStrvBuilder *builder = g_strv_builder_new();
  add_words(builder, install);
  if (lock != NULL) {
    add_words(builder, locked);
  } else {
    g_strv_builder_add(builder, pinned);
    add_packages(builder, packages + 1, installation->release);
  }
  if (installation->wanted->is_alone) g_strv_builder_add(builder, "--no-deps");
  g_auto(GStrv) words = g_strv_builder_end(builder);
  g_strv_builder_unref(builder);
  if (program_run((const char *const *)words, RUN_SHOWN, NULL)) return STATUS_OK;
  return status_fail(error, STATUS_IO,
                     "pip could not install %s (see above): nothing of it counts as installed",
                     pinned);
}

/* What was installed, as the stamp, which comes last. */
static status_t write_stamp(const installation_t *installation, failure_t *error) {
  g_autofree char *text =
      g_strdup_printf("# %s==%s by name: %s beside this has what pip found, with hashes.\n",
                      installation->wanted->packages[0], installation->release, report_file);
  g_autofree char *stamp = worker_environment_path(installation->worker, worker_stamp);
  g_autoptr(GError) failure = NULL;
  if (g_file_set_contents(stamp, text, -1, &failure)) return STATUS_OK;
  return status_fail(error, STATUS_IO, "cannot write %s: %s", stamp, failure->message);
}

static status_t make_and_fill(const installation_t *installation, failure_t *error) {
  g_autofree char *folder = worker_environment_path(installation->worker, "");
  const char *const make[] = {installation->pip, "-m",   "venv", "--clear",
                              "--without-pip",   folder, NULL};
  if (!program_run(make, RUN_SHOWN, NULL)) {
    return status_fail(error, STATUS_IO, "%s -m venv %s failed", installation->pip, folder);
  }
  status_t status = fill(installation, error);
  if (status == STATUS_OK) status = write_stamp(installation, error);
  failure_t ignored;
  if (status != STATUS_OK) worker_remove(installation->worker, &ignored);
  return status;
}

/* Whether it is there, for that Python if one is named. */
static bool is_there(const worker_t *worker, const char *directory, const char *python) {
  g_autofree char *path = worker_environment_path(worker, worker_python);
  return worker_is_installed(worker, directory) && (python == NULL || is_python(path, python));
}

status_t worker_install_release(const worker_t *worker, const char *directory, const char *python,
                                FILE *out, failure_t *error) {
  g_auto(wanted_t) wanted = {0};
  g_autofree char *base = NULL;
  STATUS_TRY(read_wanted(worker, directory, &wanted, error));
  STATUS_TRY(base_python_find(python, &base, error));
  const char *asked = worker->version == NULL ? wanted.locked : worker->version;
  g_autofree char *name = g_strconcat(worker->name, "@", asked, NULL);
  g_autoptr(worker_t) named = worker_parse(name, strlen(name));
  if (is_there(named, directory, python)) {
    g_autofree char *folder = worker_environment_path(named, "");
    fprintf(out, "%s is installed in %s\n", name, folder);
    return STATUS_OK;
  }
  g_autofree char *pip = NULL;
  g_autoptr(GPtrArray) releases = NULL;
  const char *release = NULL;
  STATUS_TRY(find_pip(base, &pip, error));
  STATUS_TRY(releases_of(pip, wanted.packages[0], &releases, error));
  STATUS_TRY(releases_find(releases, wanted.packages[0], asked, &release, error));
  g_autofree char *found_name = g_strconcat(worker->name, "@", release, NULL);
  g_autoptr(worker_t) found = worker_parse(found_name, strlen(found_name));
  g_autofree char *folder = worker_environment_path(found, "");
  fprintf(out, "Installing %s, %s %s, into %s\n", found_name, wanted.packages[0], release, folder);
  fflush(out);
  const installation_t installation = {
      .worker = found, .directory = directory, .pip = pip, .wanted = &wanted, .release = release};
  STATUS_TRY(make_and_fill(&installation, error));
  fprintf(out, "\n%s is installed: an executor of that name\n", found_name);
  return STATUS_OK;
}
