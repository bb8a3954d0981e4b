/* SPDX-License-Identifier: Apache-2.0 */
/* Makes programs of what the importer says of a module's ops, and adds up what is the same. */
#include "harness/cli/verbs/cases/module_ops.h"

#include <string.h>

#include "harness/exec/mlir_import/importer.h"
#include "harness/model/dynamic/dynamic.h"
#include "harness/model/op.h"
#include "oracles/oracle.h"

static const char *copy(arena_t *arena, const char *text) {
  return arena_copy_text(arena, text, strlen(text));
}

static const char *member(const json_t *object, const char *key, arena_t *arena) {
  const char *text = json_string_value(json_object_get(object, key));
  return text == NULL ? NULL : copy(arena, text);
}

/* Why a program has no verdicts, or NULL. */
static const char *find_reason(const program_t *program, arena_t *arena) {
  const op_constraint_t *broken = program_broken(program);
  if (broken != NULL) {
    g_autofree char *words = g_strdup_printf(
        "%s %s: %s", op_constraint_is_unmodelled(broken) ? "not modelled:" : "breaks", broken->id,
        broken->text);
    return copy(arena, words);
  }
  return oracle_find(program->op) == NULL ? "the op has no oracle" : NULL;
}

/* The line is as MLIR has it, with "?" alone; the op's own is that of a case. */
static void take_line(const mlir_input_flags_t *flags, const char *line, arena_t *arena,
                      module_op_t *op) {
  program_t program;
  failure_t reason = {0};
  if (dynamic_parse(str_from(line), flags->size, arena, &program, &reason) != STATUS_OK) {
    op->why = copy(arena, reason.text);
    return;
  }
  g_autoptr(GString) text = g_string_new(NULL);
  program_print(&program, text);
  op->line = copy(arena, text->str);
  op->why = find_reason(&program, arena);
}

static module_op_t read_op(const mlir_input_flags_t *flags, const json_t *item, arena_t *arena) {
  uint64_t count = (uint64_t)json_integer_value(json_object_get(item, "count"));
  module_op_t op = {.name = member(item, "op", arena),
                    .types = member(item, "types", arena),
                    .attributes = member(item, "attributes", arena),
                    .place = member(item, "place", arena),
                    .count = count,
                    .in_loops = (uint64_t)json_integer_value(json_object_get(item, "in_loops")),
                    .work = json_number_value(json_object_get(item, "work")) * (double)count};
  const char *line = json_string_value(json_object_get(item, "line"));
  if (line == NULL) {
    op.why = member(item, "why", arena);
  } else {
    take_line(flags, line, arena, &op);
  }
  return op;
}

static void add(module_ops_t *ops, GHashTable *by_line, const module_op_t *op) {
  ops->total += op->count;
  ops->work += op->work;
  if (op->why == NULL) {
    ops->with_oracle += op->count;
    ops->work_with_oracle += op->work;
  }
  module_op_t *same = op->line == NULL ? NULL : g_hash_table_lookup(by_line, op->line);
  if (same != NULL) { /* Attributes that mean nothing here were different. */
    same->count += op->count;
    same->in_loops += op->in_loops;
    same->work += op->work;
    return;
  }
  ops->items[ops->count] = *op;
  if (op->line != NULL) {
    g_hash_table_insert(by_line, (gpointer)(uintptr_t)op->line, &ops->items[ops->count]);
  }
  ops->count++;
}

/* Of as many, the one that stands first. */
static int compare(const void *left, const void *right) {
  const module_op_t *a = left, *b = right;
  if (a->work != b->work) return a->work > b->work ? -1 : 1;
  if (a->count != b->count) return a->count > b->count ? -1 : 1;
  int by_name = strcmp(a->name, b->name);
  return by_name != 0
             ? by_name
             : strcmp(a->line == NULL ? a->types : a->line, b->line == NULL ? b->types : b->line);
}

static status_t read_document(const mlir_input_flags_t *flags, const char *text, arena_t *arena,
                              module_ops_t *out_ops, failure_t *error) {
  json_error_t reason;
  json_t *document = json_loads(text, 0, &reason);
  const json_t *listed = json_object_get(document, "ops");
  if (!json_is_array(listed)) {
    json_decref(document);
    return status_fail(error, STATUS_IO, "the process that reads MLIR gave no list: %s",
                       reason.text);
  }
  *out_ops = (module_ops_t){
      .items = arena_alloc(arena, MAX(json_array_size(listed), 1) * sizeof *out_ops->items)};
  GHashTable *by_line = g_hash_table_new(g_str_hash, g_str_equal);
  for (size_t i = 0; i < json_array_size(listed); i++) {
    const module_op_t op = read_op(flags, json_array_get(listed, i), arena);
    add(out_ops, by_line, &op);
  }
  g_hash_table_unref(by_line);
  json_decref(document);
  qsort(out_ops->items, out_ops->count, sizeof *out_ops->items, compare);
  return STATUS_OK;
}

status_t module_ops_read(const mlir_input_flags_t *flags, const char *path, arena_t *arena,
                         module_ops_t *out_ops, failure_t *error) {
  mlir_graph_t document;
  STATUS_TRY(mlir_input_list(flags, path, &document, error));
  status_t status = read_document(flags, document.text, arena, out_ops, error);
  mlir_graph_free(&document);
  return status;
}
