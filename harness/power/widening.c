/* SPDX-License-Identifier: Apache-2.0 */
/* Withdraws permissions of a contract in groups, halves those groups that matter, and measures
 * again under what is left. */
#include "harness/power/widening.h"

/* The component that is asked about. */
typedef struct widening {
  const tolerance_question_t *question;
  uint32_t result;
  size_t component;
  uint64_t farthest;
  GArray *narrowings;
  failure_t *error;
} widening_t;

/* Whether `value` permits less than another value of the permission. */
static bool permits_less(const char *permission, uint8_t value, uint8_t than) {
  return contract_value_permits(permission, than, value) &&
         !contract_value_permits(permission, value, than);
}

static bool is_tightest(const char *permission, uint8_t value) {
  for (uint8_t other = 0; other < contract_value_count(permission); other++) {
    if (permits_less(permission, other, value)) return false;
  }
  return true;
}

/* The withdrawals of all permissions, of each the one of that number: values that are alternatives
 * to one another come in different rounds.  The caller's, freed with g_array_unref(). */
static GArray *list_withdrawals(const contract_t *contract, unsigned round) {
  GArray *list = g_array_new(FALSE, FALSE, sizeof(withdrawal_t));
  for (size_t i = 0; i < contract_permission_count(); i++) {
    const char *permission = contract_permission_name(i);
    uint8_t present = contract_value(contract, permission);
    unsigned number = 0;
    for (uint8_t value = 0; value < contract_value_count(permission); value++) {
      if (!permits_less(permission, value, present) || !is_tightest(permission, value)) continue;
      const withdrawal_t withdrawal = {permission, value};
      if (number++ == round) g_array_append_val(list, withdrawal);
    }
  }
  return list;
}

/* The question under a contract without these permissions; false if the program is not valid then,
 * about which nobody may ask. */
static bool withdraw(const widening_t *widening, const withdrawal_t *withdrawals, guint count,
                     contract_t *contract, tolerance_question_t *out_question) {
  *contract = *widening->question->contract;
  for (guint i = 0; i < count; i++) {
    contract_set_value(contract, withdrawals[i].permission, withdrawals[i].value);
  }
  *out_question = *widening->question;
  out_question->contract = contract;
  return program_broken_under(&out_question->instance->program, NULL, contract) == NULL;
}

/* An oracle that knows nothing under a contract is no failure. */
static bool is_silent(status_t status) {
  return status == STATUS_UNSUPPORTED || status == STATUS_UNDECIDED;
}

static status_t measure_without(widening_t *widening, const withdrawal_t *withdrawal) {
  contract_t contract;
  tolerance_question_t question;
  if (!withdraw(widening, withdrawal, 1, &contract, &question)) return STATUS_OK;
  tolerance_t tolerance;
  status_t status =
      tolerance_find(&question, widening->result, widening->component, &tolerance, widening->error);
  if (is_silent(status)) return STATUS_OK;
  STATUS_TRY(status);
  const narrowing_t narrowing = {*withdrawal, tolerance.ulps};
  g_array_append_val(widening->narrowings, narrowing);
  return STATUS_OK;
}

static status_t search_group(widening_t *widening, const withdrawal_t *withdrawals, guint count) {
  if (count == 0) return STATUS_OK;
  contract_t contract;
  tolerance_question_t question;
  bool is_known = withdraw(widening, withdrawals, count, &contract, &question);
  if (is_known) {
    answer_t answer;
    status_t status = tolerance_ask(&question, widening->result, widening->component,
                                    widening->farthest, &answer, widening->error);
    if (status != STATUS_OK && !is_silent(status)) return status;
    is_known = status == STATUS_OK;
    if (is_known && answer.conforms) return STATUS_OK;
  }
  if (count == 1) return is_known ? measure_without(widening, withdrawals) : STATUS_OK;
  guint half = count / 2;
  STATUS_TRY(search_group(widening, withdrawals, half));
  return search_group(widening, withdrawals + half, count - half);
}

status_t widening_find(const tolerance_question_t *question, uint32_t result, size_t component,
                       const tolerance_t *tolerance, GArray *inout_narrowings, failure_t *error) {
  widening_t widening = {.question = question,
                         .result = result,
                         .component = component,
                         .farthest = tolerance->farthest,
                         .narrowings = inout_narrowings,
                         .error = error};
  status_t status = STATUS_OK;
  for (unsigned round = 0; status == STATUS_OK; round++) {
    g_autoptr(GArray) list = list_withdrawals(question->contract, round);
    if (list->len == 0) break;
    status = search_group(&widening, (const withdrawal_t *)(const void *)list->data, list->len);
  }
  return status;
}
