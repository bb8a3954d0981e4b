/* SPDX-License-Identifier: Apache-2.0 */
/* What belongs to one op stands in its folder in oracles/ops: shared code names no op, none of its
 * permissions and none of its faults.  The names are those of the folders. */
#ifndef ASSAY_TESTS_TIDY_OP_NAMES_H
#define ASSAY_TESTS_TIDY_OP_NAMES_H

#include "harness/model/op.h"
#include "tests/tidy/tidy_rules.h"

/* Where no op may be named.  Tests of harness/run take programs as examples: there an op may stand
 * at the beginning of one, but not alone. */
static const struct {
  const char *pattern;
  bool may_have_examples;
} WITHOUT_OPS[] = {
    {"harness/judge/*", false},      {"harness/model/*", false},    {"harness/gen/*", false},
    {"harness/types/*", false},      {"harness/order/*", false},    {"harness/draw/*", false},
    {"harness/run/*", false},        {"harness/record/*", false},   {"harness/builtin/*", false},
    {"harness/predict/*", false},    {"harness/diagnose/*", false}, {"harness/shrink/*", false},
    {"harness/invariance/*", false}, {"harness/session/*", false},  {"harness/retest/*", false},
    {"harness/quant_run/*", false},  {"harness/kinds/*", false},    {"tests/campaign/*", true},
};

/* Appends the first words of rows such as PERMISSION(softmax, ...). */
static inline void append_row_names(const char *path, const char *row, GPtrArray *inout_names) {
  g_autofree char *text = NULL;
  if (!g_file_get_contents(path, &text, NULL, NULL)) return;
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (char **line = lines; *line != NULL; line++) {
    if (!g_str_has_prefix(*line, row)) continue;
    const char *name = *line + strlen(row);
    g_ptr_array_add(inout_names, g_strndup(name, strcspn(name, ",)")));
  }
}

/* The rows of all tables oracles/ops/F/KIND.def; the caller frees the array. */
static inline GPtrArray *names_of_folders(const char *kind, const char *row) {
  GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
  g_autofree char *root = g_build_filename(ASSAY_SOURCE_DIR, "oracles", "ops", NULL);
  GDir *folders = g_dir_open(root, 0, NULL);
  g_assert(folders != NULL);
  for (const char *folder; (folder = g_dir_read_name(folders)) != NULL;) {
    g_autofree char *table = g_strdup_printf("%s/%s/%s.def", root, folder, kind);
    append_row_names(table, row, names);
  }
  g_dir_close(folders);
  g_assert(names->len > 10);
  return names;
}

static inline bool is_in_literal(const source_t *source, size_t line, const char *place) {
  ptrdiff_t column = place - source->uncommented[line];
  return source->code[line][column] != *place;
}

/* An op's name, where it is not part of a longer one. */
static inline bool names_op(const char *line, const char *name, bool may_have_examples) {
  for (const char *found = line; (found = strstr(found, name)) != NULL; found++) {
    char next = found[strlen(name)];
    if (is_word_character(next) || (found > line && is_word_character(found[-1]))) continue;
    if (may_have_examples && (next == ' ' || next == '(')) continue;
    return true;
  }
  return false;
}

/* "softmax", "softmax=online", PERMISSION_softmax, PERMITTED(contract, softmax), WITH(softmax: the
 * names are words of English too, and stand elsewhere for other things. */
static inline bool names_permission(const source_t *source, size_t i, const char *name) {
  const char *line = source->uncommented[i];
  g_autofree char *constant = g_strdup_printf("PERMISSION_%s", name);
  if (find_word(line, constant) != NULL) return true;
  for (const char *found = line; (found = find_word(found, name)) != NULL; found++) {
    char next = found[strlen(name)], before = found == line ? ' ' : found[-1];
    if (is_in_literal(source, i, found)) {
      bool is_class = g_str_has_prefix(line, "CLASS("); /* Some are called like a permission. */
      if (next == '=' || (next == '"' && before == '"' && !is_class)) return true;
    } else {
      const char *permitted = strstr(line, "PERMITTED(");
      if (permitted != NULL && permitted < found && next == ')') return true;
      if (found - line >= 5 && strncmp(found - 5, "WITH(", 5) == 0) return true;
    }
  }
  return false;
}

/* FAULT_window_pads_twice, "window_pads_twice", QUANT_CANARY(window_pads_twice: causes may be
 * called like faults. */
static inline bool names_fault(const source_t *source, size_t i, const char *name) {
  const char *line = source->uncommented[i];
  g_autofree char *constant = g_strdup_printf("FAULT_%s", name);
  g_autofree char *row = g_strdup_printf("CANARY(%s", name);
  bool is_row = strstr(line, row) != NULL;
  if (find_word(line, constant) != NULL || (is_row && find_word(line, name) != NULL)) return true;
  for (const char *found = line; (found = find_word(found, name)) != NULL; found++) {
    if (is_in_literal(source, i, found)) return true;
  }
  return false;
}

static inline void check_op_names_of_line(const source_t *source, size_t i, bool may_have_examples,
                                          GPtrArray *const names[2], GPtrArray *complaints) {
  const char *line = source->uncommented[i];
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    if (!names_op(line, (*op)->name, may_have_examples)) continue;
    complain(complaints, source, i + 1, "names the op %s", (*op)->name);
  }
  for (guint j = 0; j < names[0]->len; j++) {
    const char *name = g_ptr_array_index(names[0], j);
    if (!names_permission(source, i, name)) continue;
    complain(complaints, source, i + 1, "names %s, a permission of an op", name);
  }
  for (guint j = 0; j < names[1]->len; j++) {
    const char *name = g_ptr_array_index(names[1], j);
    if (names_fault(source, i, name))
      complain(complaints, source, i + 1, "names %s, a fault of an op", name);
  }
}

static inline void check_op_names(const source_t *source, GPtrArray *complaints) {
  for (size_t place = 0; place < G_N_ELEMENTS(WITHOUT_OPS); place++) {
    if (!g_pattern_match_simple(WITHOUT_OPS[place].pattern, source->path)) continue;
    GPtrArray *names[] = {names_of_folders("permissions", "PERMISSION("),
                          names_of_folders("faults", "FAULT(")};
    for (size_t i = 0; source->uncommented[i] != NULL; i++) {
      check_op_names_of_line(source, i, WITHOUT_OPS[place].may_have_examples, names, complaints);
    }
    g_ptr_array_unref(names[0]);
    g_ptr_array_unref(names[1]);
  }
}

#endif
