/* SPDX-License-Identifier: Apache-2.0 */
/* How wrong one component of a result could be without being noticed: how far from the exact value
 * the farthest value lies that conforms.  Only the oracle's last word is asked, so it holds for
 * every op, and needs no executor. */
#ifndef ASSAY_POWER_TOLERANCE_H
#define ASSAY_POWER_TOLERANCE_H

#include "oracles/oracle.h"

/* What the values that conform look like. */
typedef enum accepted_form {
  ACCEPTED_ONE_VALUE,
  ACCEPTED_RANGE, /* All values between two. */
  ACCEPTED_PARTS, /* Some, with others between that do not conform. */
  ACCEPTED_ANYTHING,
  ACCEPTED_FORM_COUNT
} accepted_form_t;

/* "one value", "range", "parts", "anything". */
const char *accepted_form_name(accepted_form_t form);

typedef struct tolerance {
  /* The exact value is finite, or it is not known to be anything else: there is a distance. */
  bool is_measured;
  /* Every value conforms, or both zero and what is at least twice as large as an exact value that
   * is not zero. */
  bool is_vacuous;
  bool holds_nan; /* NaN conforms beside numbers. */
  accepted_form_t form;
  /* The larger of the distances from the exact value to the lowest and to the highest value that
   * conform, in units in the last place of the exact value; infinite if an infinity conforms.  Of
   * results that are not floats, and where the oracle knows no exact value: the distance between
   * those two. */
  double ulps;
  /* The same as a share of the exact value; NaN where that is zero or not known. */
  double relative;
  uint64_t farthest; /* The pattern that is so far off. */
  /* Where is_measured: the lowest and the highest pattern that conform, an infinity perhaps. */
  uint64_t lowest, highest;
} tolerance_t;

/* The components of one case under one contract. */
typedef struct tolerance_question {
  const oracle_t *oracle;
  const case_t *instance;
  const contract_t *contract;
  /* Room for all results, filled with values that conform as far as they are known: the search for
   * others begins there.  A component is changed while it is asked about, and then as it was. */
  tensor_t *results;
  decision_memo_t *memo;
  arena_t *arena;    /* Scratch; as it was afterwards. */
  uint64_t deadline; /* Of clock_cpu_nanoseconds(): a search gives up there; 0: never. */
  /* The fast sets of the results, or NULL: of what they hold nobody is asked. */
  const accept_t *accepts;
} tolerance_question_t;

/* Finds the tolerance of a component whose value in question->results conforms.  Between values
 * that conform and such that do not, the border is exact; behind a first one that does not, others
 * are looked for at distances that grow by a factor of four each, up to the end of the format: of a
 * set in parts, parts may be missed.  STATUS_UNSUPPORTED or STATUS_UNDECIDED where the oracle has
 * no answer, that value does not conform, or the deadline passed. */
status_t tolerance_find(const tolerance_question_t *question, uint32_t result, size_t component,
                        tolerance_t *out_tolerance, failure_t *error);

/* The ends alone, found in the same way: sets is_measured, lowest and highest. */
status_t tolerance_find_ends(const tolerance_question_t *question, uint32_t result,
                             size_t component, tolerance_t *out_tolerance, failure_t *error);

/* Asks about one pattern in the place of a component. */
status_t tolerance_ask(const tolerance_question_t *question, uint32_t result, size_t component,
                       uint64_t bits, answer_t *out_answer, failure_t *error);

#endif
