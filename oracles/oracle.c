/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the oracle entry of an op by its name, in the tables that the build generates from the op
 * folders. */
#include "oracles/oracle.h"

#include <string.h>

/* Generated from the folders: oracles/ops/row_table.c.in. */
extern const oracle_t *const *const oracle_families[];

const oracle_t *oracle_find(const op_t *op) {
  if (op->oracle != NULL) return op->oracle;
  for (const oracle_t *const *const *family = oracle_families; *family != NULL; family++) {
    for (const oracle_t *const *row = *family; *row != NULL; row++) {
      if (strcmp((*row)->op_name, op->name) == 0) return *row;
    }
  }
  return NULL;
}

void row_answer_describe(row_answer_t *inout_answer) {
  const row_answer_t *answer = inout_answer;
  const size_t count = answer->element_count;
  g_autoptr(GString) text = g_string_new(NULL);
  if (count == 1) {
    g_string_append(text, "what the numbers that its row shares explain");
  } else {
    g_string_append(text, "what agrees, by the numbers that a row shares, with element");
    g_string_append(text, count == 2 ? " " : "s ");
    for (size_t i = 1; i < count; i++) {
      const char *comma = i == 1 ? "" : i + 1 == count ? " and " : ", ";
      g_string_append_printf(text, "%s%zu", comma, answer->elements[i]);
    }
  }
  g_strlcpy(inout_answer->expected, text->str, sizeof inout_answer->expected);
}

status_t oracle_decide_with_memo(oracle_decide_t *decide, const oracle_call_t *call,
                                 uint32_t result, size_t component, answer_t *out_answer) {
  if (call->memo != NULL) return decide(call, result, component, out_answer);
  decision_memo_t memo;
  decision_memo_init(&memo);
  oracle_call_t remembering = *call;
  remembering.memo = &memo;
  status_t status = decide(&remembering, result, component, out_answer);
  decision_memo_deinit(&memo);
  return status;
}
