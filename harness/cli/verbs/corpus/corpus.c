/* SPDX-License-Identifier: Apache-2.0 */
/* assay corpus: the files of directed and found cases, kept in one form and counted; and tests of
 * others, see import.c. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "harness/cli/options/arguments.h"
#include "harness/cli/verbs/corpus/import.h"
#include "harness/run/corpus/file.h"
#include "harness/run/corpus/folder.h"

typedef struct corpus_flags {
  gboolean tidy;
  gboolean check;
  gboolean list;
} corpus_flags_t;

/* What was met in all files so far. */
typedef struct corpus_walk {
  const corpus_flags_t *flags;
  GHashTable *places; /* "FOLDER: CASE LINE" -> "PATH:LINE". */
  GHashTable *counts; /* Op -> number of cases; ops are borrowed. */
  size_t files;
  size_t changed;  /* Files that are, or would be, written anew. */
  size_t repeated; /* Cases that another file of the folder has too. */
  int exit_code;   /* EXIT_CODE_CLEAN, or of the last failure. */
} corpus_walk_t;

static void complain_at_file(corpus_walk_t *walk, const char *path, const char *what) {
  complain("%s: %s", path, what);
  walk->exit_code = EXIT_CODE_USAGE;
}

/* Whether "PATH:LINE" is in the file. */
static bool is_place_in(const char *place, const char *path) {
  return g_str_has_prefix(place, path) && place[strlen(path)] == ':';
}

/* The same case in two files of one folder is told, not mended: two backends may have failed it. */
static void note_cases(corpus_walk_t *walk, const char *path, const corpus_file_t *file) {
  char *folder = g_path_get_dirname(path);
  for (guint i = 0; i < file->cases->len; i++) {
    const corpus_case_t *entry = g_ptr_array_index(file->cases, i);
    size_t count = GPOINTER_TO_SIZE(g_hash_table_lookup(walk->counts, entry->op));
    g_hash_table_insert(walk->counts, (gpointer)(uintptr_t)entry->op, GSIZE_TO_POINTER(count + 1));
    char *key = g_strdup_printf("%s: %s", folder, entry->line);
    const char *other = g_hash_table_lookup(walk->places, key);
    bool is_elsewhere = other != NULL && !is_place_in(other, path);
    if (is_elsewhere && walk->flags->tidy) {
      complain("%s:%zu: the case is in %s too", path, entry->line_number, other);
    }
    walk->repeated += is_elsewhere;
    if (other == NULL) {
      g_hash_table_insert(walk->places, key, g_strdup_printf("%s:%zu", path, entry->line_number));
    } else {
      g_free(key);
    }
  }
  g_free(folder);
}

static void write_tidy(corpus_walk_t *walk, const char *path, const char *text,
                       const corpus_file_t *file) {
  GString *tidy = g_string_new(NULL);
  corpus_file_print(file, tidy);
  if (strcmp(text, tidy->str) != 0) {
    walk->changed++;
    for (guint i = 0; i < file->changes->len; i++) puts(g_ptr_array_index(file->changes, i));
    GError *failure = NULL;
    /* GLib writes another file and renames it, so that no half of one is ever seen. */
    bool is_good =
        walk->flags->check || g_file_set_contents(path, tidy->str, (gssize)tidy->len, &failure);
    if (!is_good) {
      complain("%s", failure->message);
      walk->exit_code = EXIT_CODE_FAILED;
      g_error_free(failure);
    }
  }
  g_string_free(tidy, TRUE);
}

static void walk_file(corpus_walk_t *walk, const char *path) {
  char *text = NULL;
  gsize size = 0;
  GError *failure = NULL;
  if (!g_file_get_contents(path, &text, &size, &failure)) {
    complain("%s", failure->message);
    walk->exit_code = EXIT_CODE_USAGE;
    g_error_free(failure);
    return;
  }
  failure_t error = {0};
  corpus_file_t file;
  if (strlen(text) != size) {
    complain_at_file(walk, path, "is no text: it holds a zero byte");
  } else if (corpus_file_parse(path, text, &file, &error) != STATUS_OK) {
    complain("%s", error.text);
    walk->exit_code = EXIT_CODE_USAGE;
  } else {
    walk->files++;
    note_cases(walk, path, &file);
    if (walk->flags->tidy) write_tidy(walk, path, text, &file);
    corpus_file_deinit(&file);
  }
  g_free(text);
}

/* A folder counts for the files *.cases in it and those below. */
static void walk_path(corpus_walk_t *walk, const char *path) {
  g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
  failure_t error = {0};
  if (corpus_folder_find(path, paths, &error) != STATUS_OK) {
    complain("%s", error.text);
    walk->exit_code = EXIT_CODE_USAGE;
    return;
  }
  for (guint i = 0; i < paths->len; i++) walk_file(walk, g_ptr_array_index(paths, i));
}

static void print_counts(const corpus_walk_t *walk) {
  GList *ops = g_list_sort(g_hash_table_get_keys(walk->counts), (GCompareFunc)strcmp);
  for (const GList *op = ops; op != NULL; op = op->next) {
    printf("%6zu  %s\n", GPOINTER_TO_SIZE(g_hash_table_lookup(walk->counts, op->data)),
           (const char *)op->data);
  }
  g_list_free(ops);
}

static int walk_all(const corpus_flags_t *flags, int count, char *const *paths) {
  corpus_walk_t walk = {.flags = flags,
                        .places = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
                        .counts = g_hash_table_new(g_str_hash, g_str_equal)};
  for (int i = 0; i < count; i++) walk_path(&walk, paths[i]);
  if (flags->list) print_counts(&walk);
  if (flags->tidy) {
    const char *verb = flags->check ? "not tidy" : "made tidy";
    fprintf(stderr, "%zu files, %u cases; %zu files %s, %zu cases in two files of a folder\n",
            walk.files, g_hash_table_size(walk.places), walk.changed, verb, walk.repeated);
  }
  bool is_untidy = flags->check && walk.changed > 0;
  if (walk.exit_code == EXIT_CODE_CLEAN && is_untidy) walk.exit_code = EXIT_CODE_DIVERGES;
  g_hash_table_destroy(walk.counts);
  g_hash_table_destroy(walk.places);
  return walk.exit_code;
}

/* `words` follow "import": onnx with names of its tests, or a folder. */
static int import(const import_flags_t *flags, char *const *words) {
  bool is_onnx = g_strv_length((char **)(uintptr_t)words) > 0 && strcmp(words[0], "onnx") == 0;
  bool is_folder = !is_onnx && words[0] != NULL && words[1] == NULL;
  bool has_executor = flags->executor.names != NULL;
  if (!is_onnx && !is_folder) {
    complain("write `assay corpus import onnx [TEST...]` or `assay corpus import FOLDER`");
    return EXIT_CODE_USAGE;
  }
  if (has_executor && (is_onnx || flags->executor.names[1] != NULL)) {
    complain(is_onnx ? "ONNX's tests say what they expect, which is judged; leave out --executor"
                     : "one --executor runs the modules of a folder");
    return EXIT_CODE_USAGE;
  }
  return is_onnx ? import_onnx(flags, words + 1) : import_folder(flags, words[0]);
}

static void free_import(import_flags_t *flags) {
  executor_flags_free(&flags->executor);
  g_free(flags->contract);
  g_free(flags->out);
}

static int walk_or_import(const corpus_flags_t *flags, const import_flags_t *imports, int argc,
                          char **argv) {
  bool is_import = strcmp(argv[1], "import") == 0 && !flags->tidy && !flags->list && !flags->check;
  if (is_import) return import(imports, argv + 2);
  bool has_other =
      imports->executor.names != NULL || imports->contract != NULL || imports->out != NULL;
  if (flags->tidy == flags->list || (flags->check && !flags->tidy) || has_other) {
    complain(
        "write `assay corpus --tidy PATH...`, --tidy --check PATH..., --list PATH..., or import "
        "onnx|FOLDER");
    return EXIT_CODE_USAGE;
  }
  return walk_all(flags, argc - 1, argv + 1);
}

int command_corpus(const command_t *command, int argc, char **argv) {
  corpus_flags_t flags = {0};
  import_flags_t imports = {0};
  const GOptionEntry entries[] = {
      {"tidy", 0, 0, G_OPTION_ARG_NONE, &flags.tidy,
       "Rewrite files in canonical form, and print what was not", NULL},
      {"check", 0, 0, G_OPTION_ARG_NONE, &flags.check,
       "With --tidy: write nothing; exit code 1 if something is not canonical", NULL},
      {"list", 'l', 0, G_OPTION_ARG_NONE, &flags.list, "Count the cases of each op", NULL},
      {"out", 0, 0, G_OPTION_ARG_FILENAME, &imports.out,
       "With import: write the cases that were taken, for `assay judge` or replay", "FILE"},
      {"contract", 'c', 0, G_OPTION_ARG_STRING, &imports.contract,
       "With import: spec, backend (default), wide, KEY=VALUE,... or @FILE", "CONTRACT"},
      G_OPTION_ENTRY_NULL};
  arguments_t arguments = arguments_make(command);
  arguments_add(&arguments, entries);
  executor_flags_add(&imports.executor, &arguments);
  int exit_code = EXIT_CODE_USAGE;
  if (arguments_parse(&arguments, &argc, &argv, 1, G_MAXINT - 1)) {
    exit_code = walk_or_import(&flags, &imports, argc, argv);
  }
  free_import(&imports);
  return exit_code;
}
