/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the entries of corpus/public with the reader of known causes, and checks what they add. */
#include "harness/cli/verbs/recall/public_bugs.h"

#include <fnmatch.h>
#include <string.h>

#include "harness/cli/verbs/recall/trial.h"
#include "harness/cli/verbs/recall/where.h"
#include "harness/model/op.h"
#include "reports/known/known_table.h"

static const char *const words[] = {
#define FIELD(name, spelling, words) [PUBLIC_##name] = spelling,
#include "harness/cli/verbs/recall/public_fields.def"
#undef FIELD
    NULL};

const char *public_bug_field(const known_entry_t *bug, public_field_t field) {
  return bug->more[field];
}

static char *first_word(const char *text) { return g_strndup(text, strcspn(text, " ")); }

char *public_bug_backend(const known_entry_t *bug) {
  return first_word(bug->fields[KNOWN_executor]);
}

char *public_bug_mended(const known_entry_t *bug) {
  const char *mended = bug->fields[KNOWN_mended];
  return mended == NULL ? NULL : first_word(mended);
}

bool public_bug_fits(const known_entry_t *bug, known_field_t field, const char *text) {
  if (bug->fields[field] == NULL) return true;
  g_auto(GStrv) patterns = g_strsplit(bug->fields[field], " ", -1);
  for (char **pattern = patterns; *pattern != NULL; pattern++) {
    const char *meant = strcmp(*pattern, "-") == 0 ? "" : *pattern;
    if (fnmatch(meant, text, 0) == 0) return true;
  }
  return false;
}

bool public_bug_fits_program(const known_entry_t *bug, const program_t *program) {
  g_autoptr(GString) algorithm = g_string_new(NULL);
  g_autoptr(GString) types = g_string_new(NULL);
  program->op->print_algorithm(program, algorithm);
  program_print_types(program, types);
  return public_bug_fits(bug, KNOWN_op, program->op->name) &&
         public_bug_fits(bug, KNOWN_algorithm, algorithm->str) &&
         public_bug_fits(bug, KNOWN_types, types->str);
}

/* ---- Checks ---------------------------------------------------------------------------------- */

/* Puts the place before what is wrong. */
static status_t fail_at(const known_entry_t *bug, const char *what, failure_t *error) {
  g_autofree char *text = g_strdup(what);
  return status_fail(error, STATUS_INVALID, "%s:%d: %s: %s", bug->file, bug->line, bug->id, text);
}

static status_t check_words(const known_entry_t *bug, failure_t *error) {
  static const public_field_t needed[] = {PUBLIC_RELEASE, PUBLIC_CASE, PUBLIC_RESULT};
  if (bug->fields[KNOWN_links] == NULL) {
    return fail_at(bug, "no links; add a line \"links ...\" with the public report", error);
  }
  if (bug->more[PUBLIC_APART] != NULL) return STATUS_OK;
  for (size_t i = 0; i < G_N_ELEMENTS(needed); i++) {
    if (bug->more[needed[i]] != NULL) continue;
    g_autofree char *text = g_strdup_printf(
        "no %s; add a line \"%s ...\", or say in a line \"apart ...\" why it "
        "cannot be tested",
        words[needed[i]], words[needed[i]]);
    return fail_at(bug, text, error);
  }
  return STATUS_OK;
}

static status_t check_result(const known_entry_t *bug, failure_t *error) {
  case_trial_t trial;
  failure_t inner = {0};
  const char *line = bug->more[PUBLIC_CASE];
  if (case_trial_judge(line, bug->more[PUBLIC_RESULT], &trial, &inner) != STATUS_OK) {
    return fail_at(bug, inner.text, error);
  }
  bool is_wrong = (trial.outcome == OUTCOME_diverges || trial.outcome == OUTCOME_failed) &&
                  public_bug_fits(bug, KNOWN_class, class_spelling(trial.class_));
  g_autofree char *text = g_strdup_printf(
      "its result is judged \"%s\"; give one that is wrong, and its class", trial.words);
  case_trial_clear(&trial);
  return is_wrong ? STATUS_OK : fail_at(bug, text, error);
}

static status_t check_case(const known_entry_t *bug, failure_t *error) {
  const char *line = bug->more[PUBLIC_CASE];
  if (line == NULL) return STATUS_OK;
  arena_t arena;
  arena_init(&arena);
  failure_t inner = {0};
  case_t instance;
  const char *violation;
  bool holds = false;
  status_t status = case_parse(str_from(line), &arena, &instance, &violation, &inner);
  if (status == STATUS_OK) status = where_holds(bug->more[PUBLIC_WHERE], &instance, &holds, &inner);
  if (status == STATUS_OK && !public_bug_fits_program(bug, &instance.program)) {
    status = status_fail(&inner, STATUS_INVALID,
                         "its case does not fit its op, algorithm and types; mend one of them");
  } else if (status == STATUS_OK && !holds) {
    status = status_fail(&inner, STATUS_INVALID,
                         "its conditions (where) do not hold of its case; mend one of them");
  }
  arena_deinit(&arena);
  if (status != STATUS_OK) return fail_at(bug, inner.text, error);
  return bug->more[PUBLIC_RESULT] == NULL ? STATUS_OK : check_result(bug, error);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static status_t read_file(const char *path, GPtrArray *bugs, failure_t *error) {
  g_autofree char *text = NULL;
  g_autoptr(GError) failure = NULL;
  if (!g_file_get_contents(path, &text, NULL, &failure)) {
    return status_fail(error, STATUS_INVALID, "%s", failure->message);
  }
  return known_add_text_with(bugs, path, text, words, error);
}

static gint compare_names(gconstpointer a, gconstpointer b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The files *.def of a folder, by name. */
static status_t read_folder(const char *path, GPtrArray *bugs, failure_t *error) {
  g_autoptr(GError) failure = NULL;
  GDir *folder = g_dir_open(path, 0, &failure);
  if (folder == NULL) return status_fail(error, STATUS_INVALID, "%s", failure->message);
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  for (const char *name; (name = g_dir_read_name(folder)) != NULL;) {
    if (g_str_has_suffix(name, ".def")) g_ptr_array_add(names, g_build_filename(path, name, NULL));
  }
  g_dir_close(folder);
  g_ptr_array_sort(names, compare_names);
  for (guint i = 0; i < names->len; i++) STATUS_TRY(read_file(names->pdata[i], bugs, error));
  return STATUS_OK;
}

static status_t read_all(char *const *paths, GPtrArray *bugs, failure_t *error) {
  for (char *const *path = paths; path != NULL && *path != NULL; path++) {
    bool is_folder = g_file_test(*path, G_FILE_TEST_IS_DIR);
    STATUS_TRY(is_folder ? read_folder(*path, bugs, error) : read_file(*path, bugs, error));
  }
  const known_file_t *file = paths == NULL ? known_public_table() : NULL;
  for (; file != NULL && file->path != NULL; file++) {
    STATUS_TRY(known_add_text_with(bugs, file->path, file->text, words, error));
  }
  for (guint i = 0; i < bugs->len; i++) {
    STATUS_TRY(check_words(bugs->pdata[i], error));
    STATUS_TRY(check_case(bugs->pdata[i], error));
  }
  return STATUS_OK;
}

status_t public_bugs_read(char *const *paths, GPtrArray **out_bugs, failure_t *error) {
  *out_bugs = NULL;
  GPtrArray *bugs = known_new();
  status_t status = read_all(paths, bugs, error);
  if (status == STATUS_OK && bugs->len == 0) {
    status = status_fail(error, STATUS_INVALID, "there is no entry; a file of them is *.def");
  }
  if (status != STATUS_OK) {
    g_ptr_array_unref(bugs);
    return status;
  }
  *out_bugs = bugs;
  return STATUS_OK;
}
