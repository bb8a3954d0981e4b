/* SPDX-License-Identifier: Apache-2.0 */
/* The first pass over all ops, before time is shared by cost and yield: of each op each kind of
 * types, each algorithm and each edge that it is drawn with is tried once.  Where a compiler in a
 * process of its own takes as long for a program as for a hundred executions, a search of minutes
 * else repeats what it drew first, and what is drawn rarely comes late or never.
 *
 * Kinds of types are those of the first operand which is no boolean: booleans, signed, unsigned,
 * small floats, bf16, f16, f32, f64, complex; stored integers by what they are quantized by.  Edges
 * are: no elements, one element, a scalar for each operand, scales by channel and by tensor, ranks
 * from 5 on.  What an executor answers was tried; what it refuses may have been refused for what
 * else the program has, so that it is tried with others, FIRST_PASS_TRIES of them at most.
 *
 * It has no clock and no randomness. */
#ifndef ASSAY_SEARCH_FIRST_PASS_H
#define ASSAY_SEARCH_FIRST_PASS_H

#include "harness/model/op.h"

/* Of an op that has nothing new in so many turns, each of so many draws, the pass is over. */
enum { FIRST_PASS_MISSES = 2, FIRST_PASS_DRAWS = 24 };

/* Programs of which the executor answers none, until nobody asks for what they have in common. */
enum { FIRST_PASS_TRIES = 6 };

/* Data for each program that is tried. */
enum { FIRST_PASS_DATA = 6 };

typedef struct first_pass first_pass_t;

first_pass_t *first_pass_new(size_t op_count);
void first_pass_free(first_pass_t *pass); /* NULL is ignored. */

/* Whose turn it is: of the ops whose pass is not over the one that had fewest; the count of ops if
 * there is none. */
size_t first_pass_choose(const first_pass_t *pass);

/* What of a valid program of that op was not tried yet. */
size_t first_pass_count_new(first_pass_t *pass, size_t op, const program_t *program);

/* The program is tried, in a turn of its op. */
void first_pass_try(first_pass_t *pass, size_t op, const program_t *program);

/* The program was answered, in a turn or out of it: what it has is not tried again. */
void first_pass_note_answer(first_pass_t *pass, size_t op, const program_t *program);

/* A turn in which nothing new was drawn. */
void first_pass_miss(first_pass_t *pass, size_t op);

#endif
