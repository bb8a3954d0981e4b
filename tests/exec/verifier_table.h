/* SPDX-License-Identifier: Apache-2.0 */
/* Where our rules and jaxlib's verifier are known to disagree: the rows of
 * verifier_disagreements.def. */
#ifndef ASSAY_TESTS_EXEC_VERIFIER_TABLE_H
#define ASSAY_TESTS_EXEC_VERIFIER_TABLE_H

#include "harness/model/op.h"
#include "tests/exec/verifier.h"

/* A program about which we and the verifier disagree. */
typedef struct disagreement {
  const program_t *program;
  const char *line;                 /* Of the program. */
  const contract_t *contract;       /* Under which ours is. */
  const op_constraint_t *forbidden; /* By which we forbid it, or NULL. */
  const verifier_opinion_t *theirs;
} disagreement_t;

typedef bool disagreement_condition_t(const disagreement_t *disagreement);

typedef struct disagreement_row {
  size_t line; /* In verifier_disagreements.def. */
  const char *op;
  const char *id;       /* By which we forbid it, "C1", "C1|C3"; NULL if we take it. */
  verifier_word_t word; /* What the verifier does. */
  const char *message;  /* A regular expression that its message matches; NULL if it accepts. */
  disagreement_condition_t *condition;
  const char *clause; /* That decides, and how. */
} disagreement_row_t;

extern const disagreement_row_t disagreement_rows[];
extern const size_t disagreement_row_count;

/* The number of the first row that tells of it; disagreement_row_count if none does. */
size_t disagreement_find(const disagreement_t *disagreement);

#endif
