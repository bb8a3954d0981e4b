/* SPDX-License-Identifier: Apache-2.0 */
/* A list of found thresholds: its file, and the program that is resized to one of them. */
#include "harness/gen/found_thresholds.h"

#include <inttypes.h>
#include <string.h>

#include "harness/model/op.h"

enum { SIZE_MAX_READ = 1 << 30 };

struct found_thresholds {
  GArray *rows; /* found_threshold_t, whose texts are in ... */
  GStringChunk *texts;
};

static const char *const role_names[AXIS_ROLE_COUNT] = {
    [AXIS_BATCH] = "batch", [AXIS_ROW] = "row", [AXIS_COLUMN] = "column", [AXIS_TERM] = "term"};

const char *axis_role_name(axis_role_t role) { return role_names[role]; }

bool axis_role_find(const char *name, axis_role_t *out_role) {
  for (int role = 0; role < AXIS_ROLE_COUNT; role++) {
    if (strcmp(role_names[role], name) != 0) continue;
    *out_role = (axis_role_t)role;
    return true;
  }
  return false;
}

found_thresholds_t *found_thresholds_new(void) {
  found_thresholds_t *found = g_new0(found_thresholds_t, 1);
  found->rows = g_array_new(FALSE, FALSE, sizeof(found_threshold_t));
  found->texts = g_string_chunk_new(1024);
  return found;
}

void found_thresholds_free(found_thresholds_t *found) {
  if (found == NULL) return;
  g_array_unref(found->rows);
  g_string_chunk_free(found->texts);
  g_free(found);
}

size_t found_thresholds_count(const found_thresholds_t *found) { return found->rows->len; }

const found_threshold_t *found_thresholds_at(const found_thresholds_t *found, size_t index) {
  return &g_array_index(found->rows, found_threshold_t, index);
}

void found_thresholds_add(found_thresholds_t *found, const found_threshold_t *row) {
  GStringChunk *texts = found->texts;
  const found_threshold_t copy = {.executor = g_string_chunk_insert_const(texts, row->executor),
                                  .version = g_string_chunk_insert_const(texts, row->version),
                                  .op = g_string_chunk_insert_const(texts, row->op),
                                  .types = g_string_chunk_insert_const(texts, row->types),
                                  .role = row->role,
                                  .size = row->size};
  g_array_append_val(found->rows, copy);
}

static bool is_of(const found_threshold_t *row, const char *executor, const char *version) {
  return strcmp(row->executor, executor) == 0 && strcmp(row->version, version) == 0;
}

void found_thresholds_drop(found_thresholds_t *found, const found_threshold_t *row) {
  for (guint i = found->rows->len; i-- > 0;) {
    const found_threshold_t *at = found_thresholds_at(found, i);
    bool is_alike = is_of(at, row->executor, row->version) && strcmp(at->op, row->op) == 0 &&
                    strcmp(at->types, row->types) == 0 && at->role == row->role;
    if (is_alike) g_array_remove_index(found->rows, i);
  }
}

/* ---- The file -------------------------------------------------------------------------------- */

static status_t read_line(found_thresholds_t *found, const char *path, size_t number,
                          const char *line, failure_t *error) {
  if (line[0] == '\0' || line[0] == '#') return STATUS_OK;
  g_auto(GStrv) parts = g_strsplit(line, "\t", -1);
  if (g_strv_length(parts) != 6) {
    return status_fail(error, STATUS_INVALID,
                       "%s:%zu: write executor, version, op, types, axis and size between tabs, as "
                       "`assay thresholds --out` does",
                       path, number);
  }
  found_threshold_t row = {
      .executor = parts[0], .version = parts[1], .op = parts[2], .types = parts[3]};
  if (!axis_role_find(parts[4], &row.role)) {
    return status_fail(error, STATUS_INVALID,
                       "%s:%zu: '%.40s' is no axis; write batch, row, column or term", path, number,
                       parts[4]);
  }
  guint64 size;
  if (!g_ascii_string_to_unsigned(parts[5], 10, 1, SIZE_MAX_READ, &size, NULL)) {
    return status_fail(error, STATUS_INVALID, "%s:%zu: '%.40s' is no size; write 1 to %d", path,
                       number, parts[5], (int)SIZE_MAX_READ);
  }
  row.size = (int64_t)size;
  found_thresholds_add(found, &row);
  return STATUS_OK;
}

status_t found_thresholds_read(found_thresholds_t *found, const char *path, failure_t *error) {
  g_autofree char *text = NULL;
  g_autoptr(GError) reason = NULL;
  if (!g_file_get_contents(path, &text, NULL, &reason)) {
    return status_fail(error, STATUS_INVALID, "cannot read %s: %s", path, reason->message);
  }
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (size_t i = 0; lines[i] != NULL; i++) {
    STATUS_TRY(read_line(found, path, i + 1, lines[i], error));
  }
  return STATUS_OK;
}

status_t found_thresholds_write(const found_thresholds_t *found, const char *path,
                                failure_t *error) {
  g_autoptr(GString) text =
      g_string_new("# executor, version, op, types, axis, first size of another implementation\n");
  for (size_t i = 0; i < found_thresholds_count(found); i++) {
    const found_threshold_t *row = found_thresholds_at(found, i);
    g_string_append_printf(text, "%s\t%s\t%s\t%s\t%s\t%" PRId64 "\n", row->executor, row->version,
                           row->op, row->types, axis_role_name(row->role), row->size);
  }
  g_autoptr(GError) reason = NULL;
  if (g_file_set_contents(path, text->str, (gssize)text->len, &reason)) return STATUS_OK;
  return status_fail(error, STATUS_IO, "cannot write %s: %s", path, reason->message);
}

/* ---- Drawing --------------------------------------------------------------------------------- */

bool found_thresholds_has(const found_thresholds_t *found, const char *op) {
  for (size_t i = 0; i < found_thresholds_count(found); i++) {
    if (strcmp(found_thresholds_at(found, i)->op, op) == 0) return true;
  }
  return false;
}

/* One of the rows of an op, each as likely. */
static const found_threshold_t *draw_row(const found_thresholds_t *found, rng_t *rng,
                                         const char *op) {
  const found_threshold_t *chosen = NULL;
  uint64_t seen = 0;
  for (size_t i = 0; i < found_thresholds_count(found); i++) {
    const found_threshold_t *row = found_thresholds_at(found, i);
    if (strcmp(row->op, op) == 0 && rng_below(rng, ++seen) == 0) chosen = row;
  }
  return chosen;
}

static bool are_within(const type_t *types, uint32_t count, int64_t elements_max) {
  for (uint32_t i = 0; i < count; i++) {
    if (type_element_count(&types[i]) > (size_t)elements_max) return false;
  }
  return true;
}

bool found_thresholds_apply(const found_thresholds_t *found, rng_t *rng, int64_t elements_max,
                            arena_t *arena, program_t *inout_program) {
  const found_threshold_t *row = draw_row(found, rng, inout_program->op->name);
  axes_t axes;
  if (row == NULL || !axes_of(inout_program, &axes)) return false;
  uint32_t chosen = axes.count;
  uint64_t seen = 0;
  for (uint32_t axis = 0; axis < axes.count; axis++) {
    if (axes.items[axis].role == row->role && rng_below(rng, ++seen) == 0) chosen = axis;
  }
  if (chosen == axes.count) return false;
  axes.items[chosen].size = MAX(row->size + rng_between(rng, -1, 1), 1);
  program_t program;
  if (!axes_program(inout_program, &axes, arena, &program)) return false;
  if (!are_within(program.operands, program.operand_count, elements_max) ||
      !are_within(program.results, program.result_count, elements_max)) {
    return false;
  }
  *inout_program = program;
  return true;
}

void found_thresholds_draw(rng_t *rng, const op_t *op, const gen_options_t *options, arena_t *arena,
                           program_t *out_program, const char **out_broken) {
  enum { SMALL = 64, SMALL_RANK = 3, ELEMENTS_MAX = 1 << 20 };
  gen_options_t gen = *options;
  const found_thresholds_t *found = options->thresholds;
  bool is_around = found != NULL && found_thresholds_has(found, op->name) && !rng_one_in(rng, 4);
  if (is_around) {
    gen.limits = (draw_limits_t){.rank_max = SMALL_RANK, .elements_max = SMALL, .terms_max = SMALL};
  }
  gen_program(rng, op, &gen, arena, out_program, out_broken);
  if (!is_around || *out_broken != NULL) return;
  found_thresholds_apply(found, rng, ELEMENTS_MAX, arena, out_program);
}
