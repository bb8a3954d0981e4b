/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a walk, as the digits of case lines, and StableHLO's interpreter on them. */
#include <string.h>

#include "harness/cli/verbs/isolation/walk.h"

const char *walk_value(const walk_t *walk, const json_t *number) {
  size_t index = (size_t)json_integer_value(number);
  return index < walk->values->len ? g_ptr_array_index(walk->values, index) : NULL;
}

void walk_set_value(walk_t *walk, const json_t *number, const char *digits) {
  size_t index = (size_t)json_integer_value(number);
  if (index >= walk->values->len) g_ptr_array_set_size(walk->values, (gint)index + 1);
  char *copy = g_strdup(digits); /* First: the digits may be this value's own. */
  g_free(g_ptr_array_index(walk->values, index));
  g_ptr_array_index(walk->values, index) = copy;
}

bool walk_has_values(const walk_t *walk, const json_t *numbers) {
  for (size_t i = 0; i < json_array_size(numbers); i++) {
    if (walk_value(walk, json_array_get(numbers, i)) == NULL) return false;
  }
  return true;
}

bool walk_read_operands(walk_t *walk, const json_t *numbers, case_t *inout_case) {
  const program_t *program = &inout_case->program;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    const char *digits = walk_value(walk, json_array_get(numbers, i));
    if (digits == NULL) return false;
    scan_t scan = scan_make(str_from(digits));
    failure_t reason;
    status_t status = tensor_parse_data(&scan, &program->operands[i], &walk->arena,
                                        &inout_case->operands[i], &reason);
    if (status != STATUS_OK || !scan_at_end(&scan)) return false;
  }
  return true;
}

void walk_set_results(walk_t *walk, const json_t *numbers, const program_t *program,
                      const tensor_t *results) {
  for (uint32_t i = 0; i < program->result_count; i++) {
    g_autoptr(GString) digits = g_string_new(NULL);
    tensor_print_data(&results[i], digits);
    walk_set_value(walk, json_array_get(numbers, i), digits->str);
  }
}

/* ---- The interpreter ------------------------------------------------------------------------- */

/* What an earlier run of the step gave is not what this one gives. */
static void forget_results(walk_t *walk, const json_t *results) {
  for (size_t i = 0; i < json_array_size(results); i++) {
    walk_set_value(walk, json_array_get(results, i), NULL);
  }
}

static void take_results(walk_t *walk, const json_t *answer, const json_t *results,
                         isolated_step_t *step) {
  const json_t *digits = json_object_get(answer, "results");
  const char *reason = json_string_value(json_object_get(answer, "error"));
  if (reason != NULL || json_array_size(digits) != json_array_size(results)) {
    g_free(step->why);
    step->why = g_strdup(reason != NULL ? reason : "the interpreter gave other results");
    step->kind = ISOLATED_NOT_RUN;
    forget_results(walk, results);
    return;
  }
  for (size_t i = 0; i < json_array_size(results); i++) {
    walk_set_value(walk, json_array_get(results, i), json_string_value(json_array_get(digits, i)));
  }
}

status_t walk_interpret(walk_t *walk, const json_t *said, isolated_step_t *step, failure_t *error) {
  const json_t *operands = json_object_get(said, "operands");
  json_t *listed = json_array();
  for (size_t i = 0; i < json_array_size(operands); i++) {
    json_array_append_new(listed, json_string(walk_value(walk, json_array_get(operands, i))));
  }
  char *text = json_dumps(listed, JSON_COMPACT);
  json_decref(listed);
  mlir_graph_t answer;
  status_t status =
      mlir_importer_run_step(walk->importer, step->index, str_from(text), &answer, error);
  free(text);
  if (status != STATUS_OK) return STATUS_IO;
  json_t *document = json_loads(answer.text, 0, NULL);
  take_results(walk, document, json_object_get(said, "results"), step);
  json_decref(document);
  mlir_graph_free(&answer);
  return STATUS_OK;
}
