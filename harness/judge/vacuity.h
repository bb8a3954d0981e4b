/* SPDX-License-Identifier: Apache-2.0 */
/* Whether results that nobody had computed would have conformed: zeros everywhere, NaN everywhere,
 * and twice the exact value everywhere.  A case that cannot tell one of these from a right answer
 * is no evidence (outcome `weak`).  What the fast sets say of them is asked, which costs nothing
 * where the first component refutes all three; where results needed more than these permit, the
 * oracle is, of zeros (blind.h).  Private to harness/judge. */
#ifndef ASSAY_JUDGE_VACUITY_H
#define ASSAY_JUDGE_VACUITY_H

#include "harness/model/accept.h"

typedef enum blind_answer { BLIND_ZERO, BLIND_NAN, BLIND_DOUBLED, BLIND_COUNT } blind_answer_t;

/* What is known after some components; all false at first. */
typedef struct vacuity {
  bool is_refuted[BLIND_COUNT]; /* Some component does not permit the answer; */
  bool is_wrong[BLIND_COUNT];   /* of some component it is not the exact value, rounded. */
} vacuity_t;

/* Notes components first .. first + count - 1, all of which the fast set knows. */
void vacuity_note(vacuity_t *inout_vacuity, const accept_t *accept, const element_t *element,
                  size_t first, size_t count);

/* Notes a component that only the oracle knows, which does not permit everything. */
void vacuity_refute(vacuity_t *inout_vacuity);

/* Of such components, those that permit all three answers though none is right: nothing that
 * matters could have failed there. */
size_t vacuity_count_open(const accept_t *accept, const element_t *element, size_t first,
                          size_t count);

/* What would have conformed everywhere without being right, in words; NULL if nothing. */
const char *vacuity_find(const vacuity_t *vacuity);

#endif
