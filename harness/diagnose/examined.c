/* SPDX-License-Identifier: Apache-2.0 */
/* What holds of all the components that a solver examines. */
#include <glib.h>
#include <string.h>

#include "harness/diagnose/problem.h"
#include "harness/model/op.h"

bool solver_has_all(const solver_t *solver) {
  const evidence_t *evidence = solver->question->evidence;
  uint32_t result = solver->verdict->result;
  size_t all = type_component_count(&evidence->results[result].type);
  return solver->wrong_count + solver->right_count == all;
}

bool solver_selects(const solver_t *solver) {
  const program_t *program = &solver->question->instance->program;
  g_autoptr(GString) words = g_string_new(program->op->name);
  g_string_append_c(words, ' ');
  program->op->print_algorithm(program, words);
  return strstr(words->str, "maximum") != NULL || strstr(words->str, "minimum") != NULL;
}

bool solver_has_seen(const solver_t *solver, const examined_t *examined) {
  for (const examined_t *other = solver->wrong; other < examined; other++) {
    if (other->got == examined->got) return true;
  }
  return false;
}

bool solver_has_one_type(const solver_t *solver) {
  const element_t *element = solver->wrong[0].element;
  bool has = true;
  for (size_t i = 0; i < solver->wrong_count; i++) has &= solver->wrong[i].element == element;
  for (size_t i = 0; i < solver->right_count; i++) has &= solver->right[i].element == element;
  return has;
}

bool solver_has_several(const solver_t *solver) {
  for (size_t i = 1; i < solver->wrong_count; i++) {
    if (!solver_has_seen(solver, &solver->wrong[i])) return true;
  }
  return false;
}
