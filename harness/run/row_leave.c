/* SPDX-License-Identifier: Apache-2.0 */
/* Asks under contracts with one permission more: who computes a formula that the contract does not
 * permit computes what a row shares once all the same, and `shared=each` would be the wrong word
 * for it. */
#include "harness/run/row_leave.h"

#include <glib.h>

#include "harness/model/op.h"

static status_t try_leave(const row_leave_question_t *question, const char *permission,
                          uint8_t value, char *inout_observed, size_t size, bool *out_agree) {
  contract_t contract = *question->contract;
  *out_agree = false;
  if (contract_value_permits(permission, contract_value(&contract, permission), value)) {
    return STATUS_OK;
  }
  contract_set_value(&contract, permission, value);
  STATUS_TRY(question->conforms(question->context, &contract, out_agree));
  const char *spelling = contract_spelling(permission, value);
  if (*out_agree) g_snprintf(inout_observed, (gulong)size, "%s=%s", permission, spelling);
  return STATUS_OK;
}

/* The tightest formula by which rows agree.  None does if the loosest does not (theory.md, T90). */
static status_t try_formulas(const row_leave_question_t *question, char *inout_observed,
                             size_t size, bool *out_agree) {
  const char *formulas = question->program->op->formulas;
  *out_agree = false;
  if (formulas == NULL) return STATUS_OK;
  uint8_t loosest = (uint8_t)(contract_value_count(formulas) - 1);
  STATUS_TRY(try_leave(question, formulas, loosest, inout_observed, size, out_agree));
  bool is_found = !*out_agree;
  for (uint8_t value = 0; value < loosest && !is_found; value++) {
    STATUS_TRY(try_leave(question, formulas, value, inout_observed, size, &is_found));
  }
  return STATUS_OK;
}

static bool has_short_float(const program_t *program) {
  const type_t *types[] = {program->operands, program->results};
  const uint32_t counts[] = {program->operand_count, program->result_count};
  for (size_t side = 0; side < G_N_ELEMENTS(types); side++) {
    for (uint32_t i = 0; i < counts[side]; i++) {
      const format_t *format = types[side][i].element->format;
      if (format != NULL && format->bits <= 16) return true;
    }
  }
  return false;
}

status_t row_leave_find(const row_leave_question_t *question, char *inout_observed, size_t size) {
  static const struct {
    const char *permission;
    const char *value;
    bool is_of_short_floats;
  } leaves[] = {{"exp_by_exp2", "yes", false},
                {"normalized", "rounded", true},
                {"intermediate", "either", true}};
  bool is_short = has_short_float(question->program);
  bool agree = false;
  STATUS_TRY(try_formulas(question, inout_observed, size, &agree));
  for (size_t i = 0; i < G_N_ELEMENTS(leaves) && !agree; i++) {
    if (leaves[i].is_of_short_floats && !is_short) continue;
    uint8_t value = contract_value_spelled(leaves[i].permission, leaves[i].value);
    STATUS_TRY(try_leave(question, leaves[i].permission, value, inout_observed, size, &agree));
  }
  return STATUS_OK;
}
