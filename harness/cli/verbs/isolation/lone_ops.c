/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cli/verbs/isolation/lone_ops.h"

#include <string.h>

#include "harness/model/dynamic/dynamic.h"
#include "oracles/oracle.h"

struct lone_ops {
  GHashTable *by_index; /* lone_op_t, owned. */
};

/* ---- Rows ------------------------------------------------------------------------------------ */

typedef struct lone_row {
  op_t op; /* First, so that a program's op is one of these. */
  char *module;
} lone_row_t;

static void print_module(const program_t *program, GString *out_text) {
  const lone_row_t *row = (const lone_row_t *)(const void *)program->op;
  g_string_append(out_text, row->module);
}

static void print_name(const program_t *program, GString *out_text) {
  g_string_append(out_text, program->op->name);
}

static void print_nothing(const program_t *program, GString *out_text) {
  (void)program;
  (void)out_text;
}

static const op_t *make_row(const char *name, const char *module) {
  static const op_constraint_t no_rules[] = {OP_CONSTRAINTS_END};
  lone_row_t *row = g_new0(lone_row_t, 1);
  row->module = g_strdup(module);
  row->op = (op_t){.name = g_strdup(name),
                   .spec = "the module that it stands in",
                   .summary = "an op of a module that has no oracle",
                   .constraints = no_rules,
                   .print_algorithm = print_nothing,
                   .print_mlir = print_module,
                   .print_words = print_name};
  return &row->op;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

bool step_has_oracle(const json_t *step, const contract_t *contract, arena_t *arena,
                     program_t *out_program, char **out_why) {
  const char *line = json_string_value(json_object_get(step, "line"));
  *out_why = NULL;
  if (line == NULL) return false;
  failure_t reason = {0};
  if (dynamic_parse(str_from(line), 0, arena, out_program, &reason) != STATUS_OK) {
    *out_why = g_strdup(reason.text);
    return false;
  }
  const op_constraint_t *broken =
      program_broken_under(out_program, program_broken(out_program), contract);
  if (broken == NULL && oracle_find(out_program->op) != NULL) return true;
  *out_why = g_strdup(broken == NULL ? "the op has no oracle" : broken->text);
  return false;
}

typedef struct declaring {
  mlir_importer_t *importer;
  const contract_t *contract;
  arena_t arena;
  GHashTable *by_index;
  GPtrArray *rows; /* op_t, those that are new. */
  GHashTable *names;
} declaring_t;

static void free_op(gpointer data) {
  lone_op_t *op = data;
  json_decref(op->operands);
  g_free(op->line);
  g_free(op);
}

/* Of two steps with one module the row is the same. */
static void take(declaring_t *self, size_t index, const json_t *alone) {
  const char *name = json_string_value(json_object_get(alone, "name"));
  if (name == NULL) return;
  if (op_find(str_from(name)) == NULL && g_hash_table_add(self->names, g_strdup(name))) {
    const char *module = json_string_value(json_object_get(alone, "module"));
    g_ptr_array_add(self->rows, (gpointer)(uintptr_t)make_row(name, module));
  }
  lone_op_t *op = g_new0(lone_op_t, 1);
  op->line = g_strdup(json_string_value(json_object_get(alone, "line")));
  op->operands = json_incref(json_object_get(alone, "operands"));
  g_hash_table_insert(self->by_index, GSIZE_TO_POINTER(index), op);
}

static status_t ask_about(declaring_t *self, const json_t *step, failure_t *error) {
  program_t program;
  g_autofree char *why = NULL;
  arena_reset(&self->arena);
  bool is_constant = json_is_string(json_object_get(step, "data"));
  if (is_constant || step_has_oracle(step, self->contract, &self->arena, &program, &why)) {
    return STATUS_OK;
  }
  size_t index = (size_t)json_integer_value(json_object_get(step, "index"));
  mlir_graph_t answer;
  STATUS_TRY(mlir_importer_step_alone(self->importer, index, &answer, error));
  json_t *alone = json_loads(answer.text, 0, NULL);
  take(self, index, alone);
  json_decref(alone);
  mlir_graph_free(&answer);
  return STATUS_OK;
}

static status_t ask_about_all(declaring_t *self, const json_t *steps, failure_t *error) {
  for (size_t i = 0; i < json_array_size(steps); i++) {
    const json_t *step = json_array_get(steps, i);
    const json_t *regions = json_object_get(step, "regions");
    for (size_t k = 0; k < json_array_size(regions); k++) {
      const json_t *inner = json_object_get(json_array_get(regions, k), "steps");
      STATUS_TRY(ask_about_all(self, inner, error));
    }
    if (json_array_size(regions) == 0) STATUS_TRY(ask_about(self, step, error));
  }
  return STATUS_OK;
}

/* A line that is no program is none of ours: of more operands than cases have, say. */
static gboolean is_no_program(gpointer key, gpointer value, gpointer context) {
  (void)key;
  arena_t *arena = context;
  const lone_op_t *op = value;
  program_t program;
  failure_t reason;
  arena_reset(arena);
  return program_parse(str_from(op->line), arena, &program, NULL, &reason) != STATUS_OK;
}

status_t lone_ops_declare(mlir_importer_t *importer, const char *document,
                          const contract_t *contract, lone_ops_t **out_ops, failure_t *error) {
  declaring_t self = {
      .importer = importer,
      .contract = contract,
      .by_index = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, free_op),
      .rows = g_ptr_array_new(),
      .names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)};
  arena_init(&self.arena);
  json_t *steps = json_loads(document, 0, NULL);
  status_t status = ask_about_all(&self, json_object_get(steps, "steps"), error);
  json_decref(steps);
  bool has_new = self.rows->len > 0;
  g_ptr_array_add(self.rows, NULL);
  if (has_new) op_declare((const op_t *const *)self.rows->pdata);
  if (status == STATUS_OK) {
    g_hash_table_foreach_remove(self.by_index, is_no_program, &self.arena);
    *out_ops = g_new0(lone_ops_t, 1);
    (*out_ops)->by_index = g_hash_table_ref(self.by_index);
  }
  g_hash_table_unref(self.by_index);
  g_hash_table_unref(self.names);
  g_ptr_array_unref(self.rows);
  arena_deinit(&self.arena);
  return status;
}

void lone_ops_free(lone_ops_t *ops) {
  if (ops == NULL) return;
  g_hash_table_unref(ops->by_index);
  g_free(ops);
}

const lone_op_t *lone_ops_find(const lone_ops_t *ops, size_t index) {
  return ops == NULL ? NULL : g_hash_table_lookup(ops->by_index, GSIZE_TO_POINTER(index));
}
