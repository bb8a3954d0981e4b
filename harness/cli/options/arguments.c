/* SPDX-License-Identifier: Apache-2.0 */
/* Option parsing on top of GOption: suggestions for misspelt options, counts of positional
 * arguments, repeated options, and values with units (time, bytes, seeds). */
#include "harness/cli/options/arguments.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "harness/campaign/folder.h"
#include "harness/cli/options/checks/counts.h"
#include "harness/cli/options/checks/repeated_option.h"
#include "harness/cli/options/option_table.h"
#include "harness/cli/options/suggest.h"
#include "harness/model/op.h"

arguments_t arguments_make(const command_t *command) {
  arguments_t arguments = {.context = g_option_context_new(command->usage),
                           .entries = g_array_new(FALSE, FALSE, sizeof(GOptionEntry))};
  char *summary = g_strdup_printf("assay %s: %s", command->name, command->summary);
  g_option_context_set_summary(arguments.context, summary);
  g_free(summary);
  return arguments;
}

void arguments_add(arguments_t *arguments, const GOptionEntry *entries) {
  g_option_context_add_main_entries(arguments->context, entries, NULL);
  for (const GOptionEntry *entry = entries; entry->long_name != NULL; entry++) {
    g_array_append_vals(arguments->entries, entry, 1);
    if (strcmp(entry->long_name, "db") == 0) arguments->database = entry->arg_data;
  }
}

/* GLib says "Unknown option --casess". */
static void complain_about(const arguments_t *arguments, const char *verb, const GError *failure) {
  const char *dashes = strstr(failure->message, "--");
  if (!g_error_matches(failure, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION) || dashes == NULL) {
    complain("%s; `assay %s --help` lists the options", failure->message, verb);
    return;
  }
  suggestion_t suggestion = suggestion_make(dashes + 2);
  for (guint i = 0; i < arguments->entries->len; i++) {
    suggestion_offer(&suggestion, g_array_index(arguments->entries, GOptionEntry, i).long_name);
  }
  char *help = g_strdup_printf("`assay %s --help` lists the options", verb);
  char advice[SUGGESTION_BYTES];
  complain("unknown option '%s' of `assay %s`; %s", dashes, verb,
           suggestion_print(&suggestion, help, advice));
  g_free(help);
}

/* An empty path would be the working directory here and there: it is none that anybody means. */
static bool check_paths(const arguments_t *arguments, const char *verb) {
  for (guint i = 0; i < arguments->entries->len; i++) {
    const GOptionEntry *entry = &g_array_index(arguments->entries, GOptionEntry, i);
    if (entry->arg != G_OPTION_ARG_FILENAME) continue;
    const char *path = *(char **)entry->arg_data;
    if (path == NULL || path[0] != '\0') continue;
    complain("the path of --%s is empty; write --%s %s, or leave it out (`assay %s --help`)",
             entry->long_name, entry->long_name,
             entry->arg_description == NULL ? "PATH" : entry->arg_description, verb);
    return false;
  }
  return true;
}

static void find_database(const arguments_t *arguments) {
  if (arguments->database == NULL || *arguments->database == NULL) return;
  char *path = campaign_database_path(*arguments->database);
  g_free(*arguments->database);
  *arguments->database = path;
}

/* GLib leaves a "--" that ends the options in place. */
static void drop_separator(int *inout_argc, char **argv) {
  if (*inout_argc < 2 || strcmp(argv[1], "--") != 0) return;
  memmove(&argv[1], &argv[2], (size_t)(*inout_argc - 1) * sizeof *argv);
  --*inout_argc;
}

static bool has_option(const arguments_t *arguments, const char *name) {
  for (guint i = 0; i < arguments->entries->len; i++) {
    const GOptionEntry *entry = &g_array_index(arguments->entries, GOptionEntry, i);
    if (strcmp(entry->long_name, name) == 0) return true;
  }
  return false;
}

/* The option whose value the word looks like, or NULL. */
static const char *find_option_of(const arguments_t *arguments, const char *word) {
  if (has_option(arguments, "op") && op_find(str_from(word)) != NULL) return "op";
  bool is_there = g_file_test(word, G_FILE_TEST_EXISTS);
  return is_there && has_option(arguments, "db") ? "db" : NULL;
}

static bool check_count(const arguments_t *arguments, int count, char *const *argv, int least,
                        int most, const char *verb) {
  if (count > most) {
    const char *word = argv[most + 1];
    const char *option = find_option_of(arguments, word);
    g_autofree char *advice = option != NULL
                                  ? g_strdup_printf("write --%s %s", option, word)
                                  : g_strdup_printf("`assay %s --help` prints the usage", verb);
    complain("unexpected argument '%s'; %s", word, advice);
    return false;
  }
  if (count >= least) return true;
  complain("too few arguments; `assay %s --help` prints the usage", verb);
  return false;
}

static void arguments_free(arguments_t *arguments) {
  g_option_context_free(arguments->context);
  g_array_unref(arguments->entries);
}

/* False after a complaint about an option that was given twice. */
static bool check_repeated(const arguments_t *arguments, int argc, char *const *argv) {
  const GOptionEntry *entries = (const GOptionEntry *)(void *)arguments->entries->data;
  const GOptionEntry *repeated = repeated_option_find(entries, arguments->entries->len, argc, argv);
  if (repeated == NULL) return true;
  complain("--%s is given twice, and takes one value; leave one out", repeated->long_name);
  return false;
}

/* GOption's parsing; false after a complaint. */
static bool parse_options(const arguments_t *arguments, int *inout_argc, char ***inout_argv,
                          const char *verb) {
  const GOptionEntry *entries = (const GOptionEntry *)(void *)arguments->entries->data;
  const guint count = arguments->entries->len;
  GArray *marks = counts_mark(entries, count);
  g_autoptr(GError) failure = NULL;
  bool is_good = g_option_context_parse(arguments->context, inout_argc, inout_argv, &failure);
  const GOptionEntry *bad = counts_settle(entries, count, marks);
  g_array_unref(marks);
  if (!is_good) {
    complain_about(arguments, verb, failure);
  } else if (bad != NULL) {
    complain("bad value %" G_GINT64_FORMAT " (--%s); write a positive number, or leave it out",
             count_value(bad), bad->long_name);
  }
  return is_good && bad == NULL;
}

/* main() has taken the option already (declared_ops.h): the entry is for help and completion. */
static void add_common(arguments_t *arguments) {
  static char *taken = NULL;
  const GOptionEntry common[] = {{"ops", 0, 0, G_OPTION_ARG_FILENAME, &taken,
                                  "a file that declares an op of one's own, or a folder of *.op "
                                  "(harness/docs/ops/op-files.md)",
                                  "PATH"},
                                 G_OPTION_ENTRY_NULL};
  arguments_add(arguments, common);
}

gboolean arguments_parse(arguments_t *arguments, int *inout_argc, char ***inout_argv,
                         int positional_min, int positional_max) {
  add_common(arguments);
  if (option_table_note((const GOptionEntry *)(void *)arguments->entries->data,
                        arguments->entries->len)) {
    arguments_free(arguments);
    return FALSE;
  }
  char *verb = g_strdup((*inout_argv)[0]);
  char *name = g_strdup_printf("assay %s", verb);
  g_set_prgname(name); /* For GLib's --help. */
  gboolean is_good = check_repeated(arguments, *inout_argc, *inout_argv) &&
                     parse_options(arguments, inout_argc, inout_argv, verb);
  if (is_good) {
    drop_separator(inout_argc, *inout_argv);
    is_good = check_paths(arguments, verb) && check_count(arguments, *inout_argc - 1, *inout_argv,
                                                          positional_min, positional_max, verb);
    if (is_good) find_database(arguments);
  }
  arguments_free(arguments);
  g_free(name);
  g_free(verb);
  return is_good;
}

/* A number followed by one of `units`, a list of {name, factor} ended by NULL; no unit is factor 1.
 */
typedef struct unit {
  const char *name;
  double factor;
} unit_t;

static status_t parse_quantity(const char *option, const char *text, const unit_t *units,
                               const char *example, double *out_value, failure_t *error) {
  char *end = NULL;
  double value = g_ascii_strtod(text, &end);
  if (end != text && isfinite(value) && value >= 0) {
    for (const unit_t *unit = units; unit->name != NULL; unit++) {
      if (strcmp(end, unit->name) != 0) continue;
      *out_value = value * unit->factor;
      return STATUS_OK;
    }
  }
  return status_fail(error, STATUS_INVALID, "bad value '%s' (%s); write for example %s", text,
                     option, example);
}

status_t arguments_parse_seconds(const char *option, const char *text, double *out_seconds,
                                 failure_t *error) {
  static const unit_t units[] = {{"", 1},   {"ms", 1e-3}, {"s", 1},
                                 {"m", 60}, {"h", 3600},  {NULL, 0}};
  return parse_quantity(option, text, units, "30s, 5m or 8h", out_seconds, error);
}

status_t arguments_parse_limit(const char *option, const char *text, double *out_seconds,
                               failure_t *error) {
  double seconds = 0; /* gcc 12 does not see that it is set on STATUS_OK. */
  STATUS_TRY(arguments_parse_seconds(option, text, &seconds, error));
  if (seconds > 0) {
    *out_seconds = seconds;
    return STATUS_OK;
  }
  return status_fail(error, STATUS_INVALID, "'%s' (%s) is no time; write for example 30s, 5m or 8h",
                     text, option);
}

status_t arguments_parse_bytes(const char *option, const char *text, uint64_t *out_bytes,
                               failure_t *error) {
  static const unit_t units[] = {{"", 1},       {"K", 0x1p10}, {"M", 0x1p20},
                                 {"G", 0x1p30}, {"T", 0x1p40}, {NULL, 0}};
  double bytes = 0; /* gcc 12 does not see that it is set on STATUS_OK. */
  STATUS_TRY(parse_quantity(option, text, units, "512M or 4G", &bytes, error));
  if (bytes >= 0x1p63) {
    return status_fail(error, STATUS_INVALID, "'%s' (%s) is too large; write for example 4G", text,
                       option);
  }
  *out_bytes = (uint64_t)bytes;
  return STATUS_OK;
}

status_t arguments_parse_seed(const char *text, uint64_t *out_seed, failure_t *error) {
  if (text == NULL) {
    *out_seed = 1;
    return STATUS_OK;
  }
  if (strcmp(text, "random") == 0) {
    *out_seed = (uint64_t)g_random_int() << 32 | g_random_int();
    return STATUS_OK;
  }
  bool is_hexadecimal = g_str_has_prefix(text, "0x");
  if (g_ascii_string_to_unsigned(is_hexadecimal ? text + 2 : text, is_hexadecimal ? 16 : 10, 0,
                                 G_MAXUINT64, out_seed, NULL)) {
    return STATUS_OK;
  }
  return status_fail(error, STATUS_INVALID,
                     "bad value '%s' (--seed); write a number, 0x... or random", text);
}

status_t arguments_settle_json(gboolean json, char **inout_format, failure_t *error) {
  if (!json) return STATUS_OK;
  if (*inout_format != NULL && strcmp(*inout_format, "json") != 0) {
    return status_fail(error, STATUS_INVALID, "--json means --format json; leave out --format %s",
                       *inout_format);
  }
  g_free(*inout_format);
  *inout_format = g_strdup("json");
  return STATUS_OK;
}
