/* SPDX-License-Identifier: Apache-2.0 */
/* Completes command lines: finds from the preceding words whether an option's value, an option or
 * a positional word is due, and offers candidates from the program's own tables. */
#include "harness/cli/options/completion.h"

#include <stdbool.h>
#include <string.h>

#include "harness/builtin/builtin.h"
#include "harness/cli/options/option_table.h"
#include "harness/cli/verbs/quant/input.h"
#include "harness/exec/executor.h"
#include "harness/exec/registry/registry.h"
#include "harness/invariance/invariance.h"
#include "reports/report.h"

/* Candidates for a word that the user has begun. */
typedef struct candidates {
  const char *begun;
  GString *text;
} candidates_t;

static void offer(candidates_t *candidates, const char *name, const char *summary) {
  if (!g_str_has_prefix(name, candidates->begun)) return;
  g_string_append(candidates->text, name);
  if (summary != NULL) g_string_append_printf(candidates->text, "\t%s", summary);
  g_string_append_c(candidates->text, '\n');
}

static void offer_files(candidates_t *candidates) { g_string_append(candidates->text, ":files\n"); }

static void offer_ops(candidates_t *candidates) {
  const op_t *const *const lists[] = {op_all(), op_compound()};
  for (size_t i = 0; i < G_N_ELEMENTS(lists); i++) {
    for (const op_t *const *op = lists[i]; *op != NULL; op++) {
      offer(candidates, (*op)->name, (*op)->summary);
    }
  }
}

static void offer_workers(candidates_t *candidates) {
  for (const worker_t *worker = worker_table; worker->name != NULL; worker++) {
    offer(candidates, worker->name, worker->summary);
  }
}

/* Opens none of them: that may take seconds. */
static void offer_executors(candidates_t *candidates) {
  const executor_options_t options = {.find_builtin = builtin_find};
  char **plugins = executor_plugins(&options);
  for (char **name = plugins; *name != NULL; name++) offer(candidates, *name, "plugin");
  g_strfreev(plugins);
  offer_workers(candidates);
  GString *text = g_string_new(NULL);
  builtin_list(text);
  char **names = g_strsplit(text->str, "\n", -1);
  for (char **name = names; *name != NULL; name++) {
    if ((*name)[0] != '\0') offer(candidates, *name, NULL);
  }
  g_strfreev(names);
  g_string_free(text, TRUE);
}

/* Named contracts, and permissions: "ftz=" first, then its values. */
static void offer_contracts(candidates_t *candidates) {
  const char *comma = strrchr(candidates->begun, ',');
  size_t before = comma == NULL ? 0 : (size_t)(comma - candidates->begun) + 1;
  static const char *const named[] = {"spec", "backend", "wide", "identified"};
  for (size_t i = 0; comma == NULL && i < G_N_ELEMENTS(named); i++) {
    offer(candidates, named[i], NULL);
  }
  const contract_t backend = contract_backend();
  GString *text = g_string_new(NULL);
  contract_print(&backend, text);
  char **permissions = g_strsplit(text->str, ",", -1);
  for (char **permission = permissions; *permission != NULL; permission++) {
    *strchr(*permission, '=') = '\0';
    char *key = g_strdup_printf("%.*s%s=", (int)before, candidates->begun, *permission);
    bool has_key = g_str_has_prefix(candidates->begun, key);
    for (uint8_t i = 0; has_key && i < contract_value_count(*permission); i++) {
      char *whole = g_strconcat(key, contract_spelling(*permission, i), NULL);
      offer(candidates, whole, NULL);
      g_free(whole);
    }
    if (!has_key) offer(candidates, key, NULL);
    g_free(key);
  }
  g_strfreev(permissions);
  g_string_free(text, TRUE);
}

static void offer_queries(candidates_t *candidates) {
  GString *text = g_string_new(NULL);
  report_list_queries(text);
  char **lines = g_strsplit(text->str, "\n", -1);
  for (char **line = lines; *line != NULL; line++) {
    char *blank = strchr(*line, ' ');
    if (blank == NULL) continue;
    *blank = '\0';
    offer(candidates, *line, g_strstrip(blank + 1));
  }
  g_strfreev(lines);
  g_string_free(text, TRUE);
}

static void offer_properties(candidates_t *candidates) {
  for (size_t i = 0; i < INVARIANCE_COUNT; i++) {
    offer(candidates, invariance_table[i].spelling, NULL);
  }
}

static void offer_verbs(candidates_t *candidates) {
  for (const command_t *command = command_table; command->name != NULL; command++) {
    offer(candidates, command->name, command->summary);
  }
}

static void offer_topics(candidates_t *candidates) {
  offer_verbs(candidates);
  offer(candidates, "contracts", "what a verdict may be given under");
}

static void offer_changes(candidates_t *candidates) {
  offer(candidates, "install", "fetch a worker's packages into an environment of its own");
  offer(candidates, "remove", "delete them again");
}

static void offer_quant_verbs(candidates_t *candidates) {
  for (size_t i = 0; quant_verb_name(i) != NULL; i++) {
    offer(candidates, quant_verb_name(i), quant_verb_usage(i));
  }
}

static void offer_tables(candidates_t *candidates) {
  for (const char *const *name = quant_target_names(); *name != NULL; name++) {
    offer(candidates, *name, NULL);
  }
}

static void offer_regions(candidates_t *candidates) {
  static const char *const ways[] = {"steps", "whole", "both"};
  for (size_t i = 0; i < G_N_ELEMENTS(ways); i++) offer(candidates, ways[i], NULL);
}

static void offer_forms(candidates_t *candidates) {
  for (int lowering = 0; lowering < QUANT_LOWERING_COUNT; lowering++) {
    offer(candidates, quant_lowering_spelling((quant_lowering_t)lowering), NULL);
  }
}

static void offer_shells(candidates_t *candidates) {
  static const char *const shells[] = {"bash", "zsh", "fish"};
  for (size_t i = 0; i < G_N_ELEMENTS(shells); i++) offer(candidates, shells[i], NULL);
}

/* What the words without a dash are, by verb and place, and the values of options by name.  Where
 * no row fits it may be a path, or nothing that anybody could know. */
static const struct {
  const char *name;
  size_t place; /* The first positional word is 1; 0: the value of an option. */
  void (*offer)(candidates_t *candidates);
} sources[] = {
    {"executor", 0, offer_executors}, {"op", 0, offer_ops},
    {"contract", 0, offer_contracts}, {"property", 0, offer_properties},
    {"fuzz", 1, offer_ops},           {"query", 1, offer_queries},
    {"help", 1, offer_topics},        {"executors", 1, offer_changes},
    {"executors", 2, offer_workers},  {"completion", 1, offer_shells},
    {"quant", 1, offer_quant_verbs},  {"table", 0, offer_tables},
    {"form", 0, offer_forms},         {"regions", 0, offer_regions},
};

/* False if no row fits. */
static bool offer_from_source(candidates_t *candidates, const char *name, size_t place) {
  for (size_t i = 0; i < G_N_ELEMENTS(sources); i++) {
    if (sources[i].place != place || strcmp(sources[i].name, name) != 0) continue;
    sources[i].offer(candidates);
    return true;
  }
  return false;
}

/* The option that a word names, "--op" or "-o"; NULL if it names none. */
static const option_row_t *find_option(const GArray *table, const char *word) {
  for (guint i = 0; i < table->len; i++) {
    const option_row_t *row = &g_array_index(table, option_row_t, i);
    bool is_long = g_str_has_prefix(word, "--") && strcmp(word + 2, row->name) == 0;
    bool is_short =
        word[0] == '-' && word[1] == row->letter && row->letter != '\0' && word[2] == '\0';
    if (is_long || is_short) return row;
  }
  return NULL;
}

static void offer_value(candidates_t *candidates, const option_row_t *option) {
  if (!offer_from_source(candidates, option->name, 0) && option->is_path) offer_files(candidates);
}

static void offer_options(candidates_t *candidates, const GArray *table) {
  for (guint i = 0; i < table->len; i++) {
    const option_row_t *row = &g_array_index(table, option_row_t, i);
    char *name = g_strconcat("--", row->name, NULL);
    offer(candidates, name, row->text);
    g_free(name);
  }
  offer(candidates, "--help", "Show help options");
}

/* "--op=stable": candidates are whole words, "--op=stablehlo.reduce". */
static void offer_joined(candidates_t *candidates, const GArray *table, const char *word) {
  const char *sign = strchr(word, '=');
  char *name = g_strndup(word, (size_t)(sign - word));
  const option_row_t *option = find_option(table, name);
  candidates_t values = {.begun = sign + 1, .text = g_string_new(NULL)};
  if (option != NULL && option->value != NULL) offer_value(&values, option);
  char **lines = g_strsplit(values.text->str, "\n", -1);
  for (char **line = lines; *line != NULL && (*line)[0] != '\0'; line++) {
    bool is_files = strcmp(*line, ":files") == 0;
    g_string_append_printf(candidates->text, "%s%s%s\n", is_files ? "" : name, is_files ? "" : "=",
                           *line);
  }
  g_strfreev(lines);
  g_string_free(values.text, TRUE);
  g_free(name);
}

/* `words` are those after the verb, the last of which is completed. */
static void complete_verb(candidates_t *candidates, const char *verb, const GArray *table,
                          int word_count, char *const *words) {
  size_t place = 1;
  const option_row_t *awaiting = NULL; /* The option whose value comes next. */
  for (int i = 0; i + 1 < word_count; i++) {
    if (awaiting != NULL) {
      awaiting = NULL;
    } else if (words[i][0] == '-') {
      const option_row_t *option = find_option(table, words[i]);
      if (option != NULL && option->value != NULL) awaiting = option;
    } else {
      place++;
    }
  }
  const char *word = words[word_count - 1];
  if (awaiting != NULL) {
    offer_value(candidates, awaiting);
  } else if (g_str_has_prefix(word, "--") && strchr(word, '=') != NULL) {
    offer_joined(candidates, table, word);
  } else if (word[0] == '-') {
    offer_options(candidates, table);
  } else if (!offer_from_source(candidates, verb, place)) {
    offer_files(candidates);
  }
}

void completion_print(int word_count, char *const *words, GString *out_text) {
  if (word_count == 0) return;
  candidates_t candidates = {.begun = words[word_count - 1], .text = out_text};
  if (word_count == 1) {
    offer_verbs(&candidates);
    offer(&candidates, "help", "explain a verb");
    offer(&candidates, "--version", NULL);
    offer(&candidates, "--help", NULL);
    return;
  }
  static const command_t help = {.name = "help"};
  const command_t *command = command_table;
  while (command->name != NULL && strcmp(command->name, words[0]) != 0) command++;
  if (command->name == NULL && strcmp(words[0], help.name) != 0) return;
  GArray *table = command->name == NULL ? g_array_new(FALSE, FALSE, sizeof(option_row_t))
                                        : option_table_make(command);
  complete_verb(&candidates, words[0], table, word_count - 1, words + 1);
  g_array_unref(table);
}
