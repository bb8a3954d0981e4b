/* SPDX-License-Identifier: Apache-2.0 */
/* How evenly the programs of one subject were spread over kinds of types, and those of a kind over
 * bodies, among those that an executor takes.
 *
 * A program's type is that of its first operand which is no boolean, by kinds: booleans, signed,
 * unsigned, small floats, bf16, f16, f32, f64, complex.  Its body is the attribute of that name,
 * all written ones together.  What was never asked about, and what was taken once, is to get the
 * same number of programs each; all that was only refused gets together as many as one of these.
 * So an executor of one type sees that type as often as if nothing were spread.  Bodies are
 * compared within a kind: if they were compared over all of them, `and`, which only integers and
 * booleans have, would have its share of the op at the cost of all other bodies of these.
 *
 * Quantized programs are left out: ops draw a part of their own of them.  So are programs of
 * several steps, whose families have shares of their own.
 *
 * It has no clock and no randomness. */
#ifndef ASSAY_RUN_ACCEPTANCE_EVENNESS_H
#define ASSAY_RUN_ACCEPTANCE_EVENNESS_H

#include "harness/model/op.h"

typedef struct evenness evenness_t;

evenness_t *evenness_new(void);
void evenness_free(evenness_t *evenness); /* NULL is ignored. */

/* Whether it counts: no operand is quantized, and the op is not made of others. */
bool evenness_covers(const program_t *program);

/* What programs like this one had beyond what is due, in shares that are due: the sum of what
 * their kind of types had, and their body among those of the kind; 0 if neither had more. */
double evenness_excess(evenness_t *evenness, const program_t *program);

/* The kind and the body of the program, if they were only refused so far, are taken after all. */
void evenness_learn_taken(evenness_t *evenness, const program_t *program);

/* Takes a program that was put to the executor; one that does not count is ignored. */
void evenness_learn(evenness_t *evenness, const program_t *program, bool is_accepted);

#endif
