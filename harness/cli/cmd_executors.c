/* assay executors: the models, the canaries and the plugins that are here, and in what state. */
#include <stdio.h>
#include <string.h>

#include "harness/cli/describe.h"
#include "harness/run/builtin.h"

typedef struct listing {
  json_t *document; /* NULL: print text. */
} listing_t;

static const char *kind_of(const char *name) {
  if (g_str_has_prefix(name, "model:")) return "model";
  return g_str_has_prefix(name, "canary:") ? "canary" : "plugin";
}

static void list_one(listing_t *listing, const char *name, const char *state, const char *version,
                     const char *hardware) {
  if (listing->document == NULL) {
    printf("%-32s %-8s %s%s%s\n", name, state, version, hardware[0] == '\0' ? "" : ", ", hardware);
    return;
  }
  json_array_append_new(listing->document,
                        json_pack("{s:s, s:s, s:s, s:s, s:s}", "name", name, "kind", kind_of(name),
                                  "state", state, "version", version, "hardware", hardware));
}

/* Opens it to learn its version.  Plugins are opened in a process of their own: a library that
 * cannot be loaded must not end the listing. */
static void list_executor(listing_t *listing, const char *name) {
  const executor_options_t options = {.find_builtin = builtin_find,
                                      .isolate = strcmp(kind_of(name), "plugin") == 0};
  executor_t *executor = NULL;
  error_t error = {0};
  if (executor_open(name, &options, &executor, &error) == STATUS_OK) {
    list_one(listing, name, "ready", executor_version(executor), executor_hardware(executor));
    executor_close(executor);
  } else {
    list_one(listing, name, "broken", error.text, "");
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
  GString *text = g_string_new(NULL);
  builtin_list(text);
  char **names = g_strsplit(text->str, "\n", -1);
  for (char **name = names; *name != NULL; name++) {
    if ((*name)[0] != '\0') list_executor(listing, *name);
  }
  g_strfreev(names);
  g_string_free(text, TRUE);
}

int command_executors(const command_t *command, int argc, char **argv) {
  gboolean as_json = FALSE;
  const GOptionEntry entries[] = {
      {"json", 0, 0, G_OPTION_ARG_NONE, &as_json, "Print one JSON document", NULL},
      G_OPTION_ENTRY_NULL};
  arguments_t arguments = arguments_make(command);
  arguments_add(&arguments, entries);
  if (!arguments_parse(&arguments, &argc, &argv, 0, 0)) return EXIT_CODE_USAGE;
  listing_t listing = {.document = as_json ? json_array() : NULL};
  list_all(&listing);
  if (as_json) {
    json_print(listing.document, false);
  } else {
    puts(
        "\nAlso: dso:PATH?options for a shared object, proc:COMMAND for a worker process.\n"
        "A model takes options: model:lanes8+fma+acc=f64+seed=3+init=2; a canary a schedule:\n"
        "canary:drop_last_term+pairwise.");
  }
  return EXIT_CODE_CLEAN;
}
