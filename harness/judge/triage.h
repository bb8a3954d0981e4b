/* SPDX-License-Identifier: Apache-2.0 */
/* Why is an element wrong?  Asks again with one permission relaxed at a time: the first relaxation
 * under which the element conforms names the class.  Private to harness/judge. */
#ifndef ASSAY_JUDGE_TRIAGE_H
#define ASSAY_JUDGE_TRIAGE_H

#include "harness/judge/judge.h"

/* A component that `answer` has found wrong. */
typedef struct wrong_element {
  uint32_t result;
  size_t component;
  answer_t answer;
} wrong_element_t;

/* What is said of a wrong element. */
typedef struct triage {
  divergence_class_t class_;
  char observed[sizeof((answer_t *)0)->observed]; /* What the relaxed answer saw, such as
                                                   * "init_count=2", or "". */
  verdict_blame_t blame;
} triage_t;

/* `call`: as judge_decide_t has it, under the judge's contract. */
status_t triage(const judge_t *judge, const oracle_call_t *call, const wrong_element_t *wrong,
                triage_t *out_triage);

#endif
