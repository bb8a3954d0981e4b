/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel does what a permission names that the contract does not give: another formula, another
 * reading of the document, another way with NaN or padding.  All elements that were examined
 * conform where it is given (theory.md, T216 and T282).  A formula or a reading accepts all that is
 * right too: what is made of NaN and infinities tells nothing of it. */
#include <glib.h>
#include <string.h>

#include "harness/diagnose/change/change.h"
#include "harness/model/op.h"

static void test_value(solver_t *solver, const char *permission, uint8_t value, bool is_of_numbers,
                       found_causes_t *found) {
  contract_t contract = *solver->question->contract;
  const uint8_t present = contract_value(&contract, permission);
  if (contract_value_permits(permission, present, value)) return;
  contract_set_value(&contract, permission, value);
  char key[CAUSE_KEY_BYTES];
  g_snprintf(key, sizeof key, "%s=%s", permission, contract_spelling(permission, value));
  const change_t change = {.cause = CAUSE_other_permission,
                           .key = key,
                           .instance = solver->question->instance,
                           .contract = &contract,
                           .is_of_numbers = is_of_numbers,
                           .tried = 1};
  change_test(solver, &change, key, found);
}

/* The values of a permission, the tightest first, until one explains the case: those behind it
 * permit what it does. */
static void test_permission(solver_t *solver, const char *permission, bool is_of_numbers,
                            found_causes_t *found) {
  const size_t count = found->change_count;
  for (uint8_t value = 0; value < contract_value_count(permission); value++) {
    test_value(solver, permission, value, is_of_numbers, found);
    if (found->change_count > count) return;
  }
}

/* Those among an op's readings that are a setting of one permission; others are of attributes. */
static void test_reading(solver_t *solver, const char *reading, found_causes_t *found) {
  for (size_t i = 0; i < contract_permission_count(); i++) {
    const char *name = contract_permission_name(i);
    const size_t length = strlen(name);
    if (strncmp(reading, name, length) != 0 || reading[length] != '=') continue;
    for (uint8_t value = 0; value < contract_value_count(name); value++) {
      bool is_it = strcmp(contract_spelling(name, value), reading + length + 1) == 0;
      if (is_it) test_value(solver, name, value, true, found);
    }
  }
}

/* Gives the permission the value, unless it permits that already. */
static void raise_to(const char *permission, uint8_t value, contract_t *inout_contract) {
  const uint8_t present = contract_value(inout_contract, permission);
  if (contract_value_permits(permission, present, value)) return;
  contract_set_value(inout_contract, permission, value);
}

void change_relax(const cause_question_t *question, contract_t *inout_contract) {
  if (question->kin == NULL) return;
  for (size_t i = 0; i < contract_permission_count(); i++) {
    const char *name = contract_permission_name(i);
    for (uint8_t value = 0; value < contract_value_count(name); value++) {
      char key[CAUSE_KEY_BYTES];
      g_snprintf(key, sizeof key, "%s=%s", name, contract_spelling(name, value));
      if (change_is_known(question, key)) raise_to(name, value, inout_contract);
    }
  }
}

void change_permissions(solver_t *solver, found_causes_t *found) {
  const op_t *op = solver->question->instance->program.op;
  if (!solver_tests(solver, CAUSE_other_permission)) return;
  if (op->formulas != NULL) test_permission(solver, op->formulas, true, found);
  for (size_t i = 0; op->policies != NULL && op->policies[i] != NULL; i++) {
    test_permission(solver, op->policies[i], false, found);
  }
  for (size_t i = 0; op->readings != NULL && op->readings[i] != NULL; i++) {
    test_reading(solver, op->readings[i], found);
  }
}
