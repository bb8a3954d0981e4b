/* SPDX-License-Identifier: Apache-2.0 */
/* What `assay subject` prints and `assay judge` reads: the case line, a tab and a result field.
 *
 *     CASE LINE <tab> DATA { " : " DATA }      one data field per result, as in the case line; "-"
 * for one that is not to be judged CASE LINE <tab> WORD [ ": " REASON ]     no results to judge;
 * the words are
 *
 *   refused           does not support the program
 *   rejected          says that the program is invalid
 *   accepted          accepted a program that it had to refuse, and was not executed
 *   failed            tried and could not
 *   crash hang protocol out-of-bounds unwritten nondeterministic
 *                     a divergence class by its spelling (harness/judge/classes.def)
 *
 * Any program may stand in for either side. */
#ifndef ASSAY_CLI_VERBS_CASES_RESULT_LINE_H
#define ASSAY_CLI_VERBS_CASES_RESULT_LINE_H

#include "harness/run/case_runner.h"
#include "harness/run/execute_twice.h"

typedef enum result_kind {
  RESULT_DATA,
  RESULT_ABSENT, /* `outcome` tells why. */
  RESULT_ACCEPTED,
  RESULT_CLASS, /* `class_` says what is wrong. */
} result_kind_t;

typedef struct result_field {
  result_kind_t kind;
  executor_outcome_t outcome;
  divergence_class_t class_;
  tensor_t results[CASE_RESULTS_MAX];
  uint32_t unjudged; /* Bit i: result i is not to be judged, and zeros here. */
  char reason[192];
} result_field_t;

/* The field without the tab before it. */
void result_field_print(const program_t *program, const result_field_t *field, GString *out_text);
status_t result_field_parse(str_t text, const program_t *program, arena_t *arena,
                            result_field_t *out_field, failure_t *error);

#endif
