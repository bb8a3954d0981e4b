/* SPDX-License-Identifier: Apache-2.0 */
/* What an executor accepts, as far as its answers tell, so that drawing can follow it: whose turn
 * it is among the subjects (ops, or programs that were given), and whether a program is worth
 * asking about.
 *
 * Turns are shared by cost, in cases: a subject that is refused again and again costs more and more
 * a case, so that its turn comes more and more rarely, and never stops coming.  Without a refusal
 * the subjects take turns in their order.  It has no clock and no randomness: the same answers give
 * the same turns. */
#ifndef ASSAY_RUN_ACCEPTANCE_ACCEPTANCE_H
#define ASSAY_RUN_ACCEPTANCE_ACCEPTANCE_H

#include "harness/model/op.h"

typedef struct acceptance acceptance_t;

acceptance_t *acceptance_new(size_t subject_count);
void acceptance_free(acceptance_t *acceptance); /* NULL is ignored. */

/* The subject whose turn it is; there must be one that is not retired. */
size_t acceptance_choose(const acceptance_t *acceptance);

/* The subject gets no more turns. */
void acceptance_retire(acceptance_t *acceptance, size_t subject);

/* False if the program has something (an attribute, an element type, a rank) that only refused
 * programs of its subject had, while what else they had was accepted elsewhere.  Of a subject of
 * which nothing was accepted yet: if it has an element type that no accepted program had; and where
 * there is no accepted program, every other time, if it is not of one common element type.  Now and
 * then true all the same: an executor may take it together with something else. */
bool acceptance_expects(acceptance_t *acceptance, size_t subject, const program_t *program);

/* Takes a turn, and what came of it: so many cases, on a program that was accepted or refused. */
void acceptance_learn(acceptance_t *acceptance, size_t subject, const program_t *program,
                      bool is_accepted, uint64_t cases);

/* Takes a turn of which no refusal is to be learnt: of `taken`, if it is not NULL, all is accepted.
 */
void acceptance_charge(acceptance_t *acceptance, size_t subject, uint64_t cases,
                       const program_t *taken);

/* How much more than is due programs of the subject's like this one had, see evenness_excess(). */
double acceptance_excess(acceptance_t *acceptance, size_t subject, const program_t *program);

/* Programs of the subject that were accepted. */
uint64_t acceptance_accepted(const acceptance_t *acceptance, size_t subject);

/* Programs of the subject that were refused since the last one that was accepted. */
uint64_t acceptance_refused_since(const acceptance_t *acceptance, size_t subject);

#endif
