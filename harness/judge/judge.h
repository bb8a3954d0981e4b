/* SPDX-License-Identifier: Apache-2.0 */
/* Holds result bits against accept sets.  Knows no op, no executor and no MPFR. */
#ifndef ASSAY_JUDGE_JUDGE_H
#define ASSAY_JUDGE_JUDGE_H

#include "harness/judge/verdict.h"
#include "harness/model/accept.h"
#include "oracles/oracle_call.h"

/* Asks the oracle for the last word on one component, as oracle_t.ask.  The judge's call has
 * neither an arena nor a memo: these are the asker's to add, and it asks about zeros in the place
 * of the results, too.  `context` is the asker's own. */
typedef status_t (*judge_decide_t)(void *context, const oracle_call_t *call, uint32_t result,
                                   size_t component, answer_t *out_answer);

/* Finds accept sets that are not rough (accept_t.is_rough), in the place of some that are. */
typedef status_t (*judge_refine_t)(void *context, const contract_t *contract,
                                   accept_t out_accepts[CASE_RESULTS_MAX], failure_t *error);

typedef struct judge {
  judge_decide_t decide;
  judge_refine_t refine; /* Of accept sets of which none is rough it may be NULL. */
  void *decide_context;
  contract_t contract;
  /* Of the failing components, at most this many are asked about one by one; the rest count as
   * wrong when all of those were.  0 means all. */
  size_t decide_wrong_max;
  bool takes_for_wrong; /* None of them is asked about: enough others were, and all were wrong. */
  uint32_t unjudged;    /* Bit i: nothing is asked of result i, nor counted. */
  /* Of a part of a case (harness/model/cut): nonzero in components of each result that say nothing,
   * and are not counted; NULL: none. */
  const uint8_t *margins[CASE_RESULTS_MAX];
  bool skips_class; /* Only whether it conforms is asked: divergences are of CLASS_value. */
  /* Told of each component that is wrong, if not NULL, with decide_context. */
  void (*on_wrong)(void *context, uint32_t result, size_t component);
} judge_t;

/* Judges results of a valid case.  `accepts` has one entry per result.  A failure of the oracle
 * (STATUS_UNSUPPORTED, STATUS_UNDECIDED) becomes OUTCOME_no_oracle; any other is passed up. */
status_t judge_results(const judge_t *judge, const case_t *instance, const accept_t *accepts,
                       const tensor_t *results, verdict_t *out_verdict, failure_t *error);

/* A component in words: "0x1.8p+3 (41400000)", "nan (7fc00000)", "-3 (fd)". */
void judge_print_component(const element_t *element, uint64_t bits, char *out, size_t out_bytes);

/* Hash of executor-independent features: op, algorithm, types, class and structure.  Equal
 * signatures on one executor are one finding. */
hash_text_t verdict_signature(const verdict_t *verdict, const program_t *program);

#endif
