/* SPDX-License-Identifier: Apache-2.0 */
/* assay ops: the ops that this program knows. */
#include "harness/cli/options/arguments.h"
#include "harness/cli/options/flags.h"
#include "harness/model/op.h"
#include "oracles/oracle.h"
#include "reports/verdict/describe.h"

/* "clause" says where the specification forbids what breaks it; null if nothing does: "forbidden"
 * is false then, and a program that breaks it gets outcome no-oracle. */
static void append_constraints(const op_t *op, const op_constraint_t *rows, json_t *constraints) {
  for (const op_constraint_t *row = rows; row != NULL && row->id != NULL; row++) {
    g_autoptr(GString) clause = g_string_new(NULL);
    op_constraint_print_clause(op, row, clause);
    bool is_forbidden = op_constraint_is_forbidden(row);
    json_array_append_new(
        constraints, json_pack("{s:s, s:s, s:s?, s:b}", "id", row->id, "text", row->text, "clause",
                               is_forbidden ? clause->str : NULL, "forbidden", is_forbidden));
  }
}

/* As the case line has them, in its order. */
static json_t *json_attributes(const op_t *op) {
  json_t *attributes = json_array();
  for (const attribute_row_t *row = op->attribute_rows; row != NULL && row->key != NULL; row++) {
    json_array_append_new(attributes, json_pack("{s:s, s:b}", "key", row->key, "optional",
                                                row->codec->is_absent != NULL));
  }
  return attributes;
}

/* The formulas by which implementations compute an op, the tightest first. */
static json_t *json_formulas(const op_t *op) {
  json_t *formulas = json_array();
  uint8_t count = op->formulas == NULL ? 0 : contract_value_count(op->formulas);
  for (uint8_t i = 0; i < count; i++) {
    json_array_append_new(formulas, json_string(contract_spelling(op->formulas, i)));
  }
  return formulas;
}

static json_t *json_op(const op_t *op) {
  json_t *constraints = json_array();
  append_constraints(op, op->constraints, constraints);
  append_constraints(op, op->contract_constraints, constraints);
  return json_pack("{s:s, s:s, s:s, s:b, s:o, s:o, s:o}", "name", op->name, "summary", op->summary,
                   "spec", op->spec, "has_oracle", oracle_find(op) != NULL, "attributes",
                   json_attributes(op), "constraints", constraints, "formulas", json_formulas(op));
}

static void list_ops(const op_t *const *ops, bool as_json, json_t *inout_document) {
  for (const op_t *const *op = ops; *op != NULL; op++) {
    if (as_json) {
      json_array_append_new(inout_document, json_op(*op));
    } else {
      printf("%-24s %s\n", (*op)->name, (*op)->summary);
    }
  }
}

int command_ops(const command_t *command, int argc, char **argv) {
  gboolean as_json = FALSE;
  const GOptionEntry entries[] = {
      {"json", 0, 0, G_OPTION_ARG_NONE, &as_json,
       "Print one JSON document, with attributes, constraints and formulas", NULL},
      G_OPTION_ENTRY_NULL};
  arguments_t arguments = arguments_make(command);
  arguments_add(&arguments, entries);
  if (!arguments_parse(&arguments, &argc, &argv, 0, 0)) return EXIT_CODE_USAGE;
  json_t *document = json_array();
  list_ops(op_all(), as_json, document);
  list_ops(op_compound(), as_json, document);
  if (as_json) {
    json_print(document, false);
  } else {
    json_decref(document);
  }
  return EXIT_CODE_CLEAN;
}
