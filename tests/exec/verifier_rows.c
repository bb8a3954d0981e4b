/* SPDX-License-Identifier: Apache-2.0 */
/* Includes the list of known disagreements twice, once to make a function of each row's condition
 * and once for the table, and finds the row that explains a disagreement. */
#include "tests/exec/verifier_table.h"

#include "tests/exec/verifier_conditions.h"

/* The condition of each row as a function: the two inclusions number the rows alike. */
#define CONDITION_NAME(line) condition_of_line_##line
#define CONDITION_OF(line) CONDITION_NAME(line)
#define CONDITION(condition)                                    \
  static bool CONDITION_OF(__LINE__)(const disagreement_t *d) { \
    const program_t *p = d->program;                            \
    const type_t *in = p->operands, *out = p->results;          \
    (void)in, (void)out;                                        \
    return condition;                                           \
  }
#define VERIFIER_ACCEPTS(op, id, condition, clause) CONDITION(condition)
#define VERIFIER_REJECTS(op, message, condition, clause) CONDITION(condition)
#define PARSER_REJECTS(op, message, condition, clause) CONDITION(condition)
#include "tests/exec/verifier_disagreements.def"
#undef PARSER_REJECTS
#undef VERIFIER_REJECTS
#undef VERIFIER_ACCEPTS

#define VERIFIER_ACCEPTS(op, id, condition, clause) \
  {__LINE__, op, id, VERIFIER_ACCEPTED, NULL, CONDITION_OF(__LINE__), clause},
#define VERIFIER_REJECTS(op, message, condition, clause) \
  {__LINE__, op, NULL, VERIFIER_REJECTED, message, CONDITION_OF(__LINE__), clause},
#define PARSER_REJECTS(op, message, condition, clause) \
  {__LINE__, op, NULL, VERIFIER_UNREAD, message, CONDITION_OF(__LINE__), clause},
const disagreement_row_t disagreement_rows[] = {
#include "tests/exec/verifier_disagreements.def"
};
const size_t disagreement_row_count = G_N_ELEMENTS(disagreement_rows);

static bool matches(const char *pattern, const char *text) {
  return g_regex_match_simple(pattern, text, 0, 0);
}

/* Both sides are as the row says; its condition is not asked. */
static bool is_about(const disagreement_row_t *row, const disagreement_t *disagreement) {
  if (row->word != disagreement->theirs->word) return false;
  if (strcmp(row->op, disagreement->program->op->name) != 0) return false;
  if (row->id == NULL) {
    return disagreement->forbidden == NULL && matches(row->message, disagreement->theirs->message);
  }
  g_autofree char *ids = g_strdup_printf("^(%s)$", row->id);
  return disagreement->forbidden != NULL && matches(ids, disagreement->forbidden->id);
}

size_t disagreement_find(const disagreement_t *disagreement) {
  size_t row = 0;
  for (; row < disagreement_row_count; row++) {
    bool fits = is_about(&disagreement_rows[row], disagreement);
    if (fits && disagreement_rows[row].condition(disagreement)) break;
  }
  return row;
}
