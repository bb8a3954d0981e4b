/* SPDX-License-Identifier: Apache-2.0 */
/* Answers about sums that need neither MPFR nor a bound that knows the terms: most that are asked
 * about lie a unit or two beyond what the fast side takes for certain, and come from a loop. */
#ifndef ASSAY_ORACLES_EXACT_SUM_QUICK_QUICK_ANSWER_H
#define ASSAY_ORACLES_EXACT_SUM_QUICK_QUICK_ANSWER_H

#include "oracles/exact/sum/problem.h"

typedef enum quick_word {
  QUICK_OPEN,     /* Nothing is said. */
  QUICK_CONFORMS, /* A usual loop gives the number. */
  QUICK_REFUSED,  /* It is farther from the exact sum than any tree may err. */
} quick_word_t;

/* What sum_answer() says of the pattern but for words, of one plain sum in any order where nothing
 * is flushed; the slack is a share of the bound by all magnitudes.  A compensated loop may give
 * what is refused (theory.md, T243). */
quick_word_t sum_quick_answer(const sum_problem_t *question, const contract_t *contract,
                              uint64_t bits, answer_t *out_answer);

#endif
