/* SPDX-License-Identifier: Apache-2.0 */
/* assay executors: the plugins, workers, models and canaries that are here, and in what state; and
 * installing and removing the environments of workers. */
#include <stdio.h>
#include <string.h>

#include "harness/builtin/builtin.h"
#include "harness/cli/options/flags.h"
#include "harness/exec/registry/pjrt_plugins.h"
#include "harness/exec/registry/versions.h"
#include "harness/session/session.h"
#include "reports/terminal.h"
#include "reports/verdict/describe.h"

typedef struct listing {
  json_t *document;   /* NULL: print text. */
  bool lists_builtin; /* Models and canaries one by one; else a line for each kind. */
} listing_t;

static const char *kind_of(const char *name) {
  if (g_str_has_prefix(name, "model:")) return "model";
  if (g_str_has_prefix(name, "canary:")) return "canary";
  if (g_str_has_prefix(name, "pjrt:")) return "pjrt";
  const worker_t *worker = worker_find(name, strcspn(name, "@"));
  return worker == NULL || worker->library != NULL ? "plugin" : "worker";
}

/* A line, cut to the width of the terminal, if it goes to one. */
static void print_line(const char *line) {
  int width = terminal_width(stdout);
  g_autofree char *cut = width > 0 ? terminal_cut(line, width) : g_strdup(line);
  puts(cut);
}

static void list_one(listing_t *listing, const char *name, const char *state, const char *version,
                     const char *hardware, const char *promises) {
  if (listing->document == NULL) {
    g_autoptr(GString) line = g_string_new(NULL);
    g_string_printf(line, "%-24s %-6s %s%s%s", name, state, version,
                    hardware[0] == '\0' ? "" : ", ", hardware);
    int ops = 1; /* As many as the text has, which commas part; it may be thousands of columns. */
    for (const char *comma = promises; (comma = strchr(comma, ',')) != NULL; comma++) ops++;
    if (promises[0] != '\0') g_string_append_printf(line, "; promises %d ops", ops);
    print_line(line->str);
    return;
  }
  json_array_append_new(
      listing->document,
      json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "name", name, "kind", kind_of(name), "state",
                state, "version", version, "hardware", hardware, "promises", promises));
}

/* How many of the programs that a campaign draws the executor's declared target holds: "of 20 drawn
 * programs an op: stablehlo.reduce 12, ..."; empty if it declares none.  Unless `counts`, an op's
 * first such program is enough, and its number 1: some workers take long over each. */
static char *sample_promises(executor_t *executor, bool counts) {
  enum { PROGRAMS = 20 };
  GString *text = g_string_new(NULL);
  gen_options_t options = gen_options_default();
  options.invalid_one_in = 0;
  arena_t arena;
  arena_init(&arena);
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    rng_t rng = rng_make(1);
    int promised = 0;
    for (int i = 0; i < PROGRAMS; i++) {
      program_t program;
      const char *broken;
      arena_reset(&arena);
      gen_program(&rng, *op, &options, &arena, &program, &broken);
      executor_promise_t promise = executor_promises(executor, &program);
      if (promise == EXECUTOR_PROMISE_NONE && i == 0) break; /* Most likely it tells of none. */
      promised += promise == EXECUTOR_PROMISE_YES;
      if (promised > 0 && !counts) break;
    }
    if (promised <= 0) continue;
    if (text->len == 0) {
      g_string_printf(text, "of %d drawn programs an op: ", PROGRAMS);
    } else {
      g_string_append(text, ", ");
    }
    g_string_append_printf(text, "%s %d", (*op)->name, promised);
  }
  arena_deinit(&arena);
  return g_string_free(text, FALSE);
}

/* Opens it to learn its version.  Plugins are opened in a process of their own: a library that
 * cannot be loaded must not end the listing. */
static void list_executor(listing_t *listing, const char *name) {
  const executor_options_t options = {.find_builtin = builtin_find, .isolate_foreign = true};
  executor_t *executor = NULL;
  failure_t error = {0};
  if (executor_open(name, &options, &executor, &error) == STATUS_OK) {
    char *promises = sample_promises(executor, listing->document != NULL);
    list_one(listing, name, "ready", executor_version(executor), executor_hardware(executor),
             promises);
    g_free(promises);
    executor_close(executor);
  } else {
    list_one(listing, name, "broken", error.text, "", "");
  }
}

/* A worker, or a library by releases, and those of its releases that are installed. */
static void list_worker(listing_t *listing, const worker_t *worker) {
  g_autoptr(GPtrArray) releases = worker_installed_releases(worker);
  bool is_library = worker->library != NULL;
  bool is_installed = is_library ? releases->len > 0 : worker_is_installed(worker, NULL);
  if (!is_installed) {
    g_autofree char *how = g_strdup_printf("%s; `assay executors install %s` installs it",
                                           worker->summary, worker->name);
    g_autofree char *name = g_strconcat(worker->name, is_library ? "@RELEASE" : "", NULL);
    list_one(listing, name, "absent", how, "", "");
  } else if (!is_library && !worker->brings_plugins) {
    list_executor(listing, worker->name);
  }
  for (guint i = 0; i < releases->len; i++) list_executor(listing, releases->pdata[i]);
}

static void list_workers(listing_t *listing) {
  for (const worker_t *worker = worker_table; worker->name != NULL; worker++) {
    list_worker(listing, worker);
  }
}

static void list_pjrt_plugins(listing_t *listing) {
  if (!executor_has_pjrt()) {
    fputs(
        "no pjrt: executors: Assay was built without pjrt_c_api.h; run "
        "harness/exec/pjrt/fetch-header, and build it again\n",
        stderr);
    return;
  }
  GPtrArray *plugins = pjrt_plugins_find(NULL);
  for (guint i = 0; i < plugins->len; i++) {
    const pjrt_plugin_t *plugin = g_ptr_array_index(plugins, i);
    g_autofree char *name = g_strconcat("pjrt:", plugin->name, NULL);
    list_executor(listing, name);
  }
  g_ptr_array_unref(plugins);
}

/* One of each kind stands for all; what is in the program is always ready. */
static void fold_builtin(char *const *names) {
  static const char *const kinds[][2] = {{"model:", "conform by construction"},
                                         {"canary:", "have one fault each, planted"}};
  for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
    size_t count = 0;
    g_autoptr(GString) some = g_string_new(NULL);
    for (char *const *name = names; *name != NULL; name++) {
      if (!g_str_has_prefix(*name, kinds[i][0])) continue;
      if (count++ < 3) g_string_append_printf(some, "%s, ", *name);
    }
    g_autofree char *line = g_strdup_printf("%-24s %-6s %zu that %s: %s...; --all lists them",
                                            kinds[i][0], "ready", count, kinds[i][1], some->str);
    print_line(line);
  }
}

static void list_builtin(listing_t *listing) {
  g_autoptr(GString) text = g_string_new(NULL);
  builtin_list(text);
  g_auto(GStrv) names = g_strsplit(text->str, "\n", -1);
  if (!listing->lists_builtin) {
    fold_builtin(names);
    return;
  }
  for (char **name = names; *name != NULL; name++) {
    if ((*name)[0] != '\0') list_executor(listing, *name);
  }
}

static void list_all(listing_t *listing) {
  const executor_options_t options = {.find_builtin = builtin_find};
  char **plugins = executor_plugins(&options);
  for (char **name = plugins; *name != NULL; name++) list_executor(listing, *name);
  if (plugins[0] == NULL) {
    fputs("no plugins beside the program: they are built where their library is installed\n",
          stderr);
  }
  g_strfreev(plugins);
  list_pjrt_plugins(listing);
  list_workers(listing);
  list_builtin(listing);
}

static void list(bool as_json, bool all) {
  listing_t listing = {.document = as_json ? json_array() : NULL, .lists_builtin = as_json || all};
  list_all(&listing);
  if (as_json) {
    json_print(listing.document, false);
  } else {
    puts(
        "\nAlso: dso:PATH?options for a shared object, pjrt:PATH?options for a PJRT plugin,\n"
        "proc:COMMAND for a worker process, steps:NAME for any of these that runs modules op by "
        "op.\n"
        "A model takes options: model:lanes8+fma+acc=f64+seed=3+init=2; a canary a schedule:\n"
        "canary:drop_last_term+pairwise.");
  }
}

/* Says which other workers go or come with this one. */
static void print_companions(const worker_t *worker) {
  for (const worker_t *other = worker_table; other->name != NULL; other++) {
    size_t size = strlen(other->environment);
    bool shares = strcmp(other->name, worker->name) != 0 &&
                  (other->has_releases || worker->version == NULL) &&
                  strncmp(other->environment, worker->environment, size) == 0 &&
                  (worker->environment[size] == '\0' || worker->environment[size] == '@');
    if (shares) printf("This also applies to %s: they share an environment.\n", other->name);
  }
}

static int reject_change(void) {
  g_autoptr(GString) names = g_string_new(NULL);
  for (const worker_t *row = worker_table; row->name != NULL; row++) {
    g_string_append_printf(names, " %s", row->name);
  }
  complain(
      "write `assay executors install NAME`, `install NAME==VERSION` or `remove NAME`, NAME one "
      "of:%s",
      names->str);
  return EXIT_CODE_USAGE;
}

/* `install NAME`, `install NAME==VERSION` and `remove NAME`. */
static int change(const char *verb, const char *name, const char *python) {
  bool installs = strcmp(verb, "install") == 0;
  g_autoptr(worker_t) worker = worker_parse(name, strlen(name));
  if ((!installs && strcmp(verb, "remove") != 0) || worker == NULL) return reject_change();
  failure_t error = {0};
  status_t status = STATUS_OK;
  if (python != NULL && (!installs || worker->version == NULL)) {
    complain(
        "--python goes with `assay executors install NAME==VERSION`: without a version, what "
        "is installed is locked");
    return EXIT_CODE_USAGE;
  }
  if (!installs) {
    status = worker_remove(worker, &error);
  } else if (worker->version != NULL || worker->library != NULL) {
    status = worker_install_release(worker, NULL, python, stdout, &error);
  } else {
    status = worker_install(worker, NULL, &error);
  }
  if (status != STATUS_OK) return complain_status(status, &error);
  if (!installs) printf("%s is removed\n", name);
  print_companions(worker);
  return EXIT_CODE_CLEAN;
}

int command_executors(const command_t *command, int argc, char **argv) {
  gboolean as_json = FALSE, all = FALSE;
  g_autofree char *python = NULL;
  const GOptionEntry entries[] = {
      {"all", 0, 0, G_OPTION_ARG_NONE, &all, "List models and canaries one by one", NULL},
      {"json", 0, 0, G_OPTION_ARG_NONE, &as_json, "Print one JSON document", NULL},
      {"python", 0, 0, G_OPTION_ARG_STRING, &python,
       "With install NAME==VERSION: the version of Python to run it with (3.13)", "X.Y"},
      G_OPTION_ENTRY_NULL};
  arguments_t arguments = arguments_make(command);
  arguments_add(&arguments, entries);
  if (!arguments_parse(&arguments, &argc, &argv, 0, 2)) return EXIT_CODE_USAGE;
  if (argc > 1) return change(argv[1], argc > 2 ? argv[2] : "", python);
  list(as_json, all);
  return EXIT_CODE_CLEAN;
}
