/* SPDX-License-Identifier: Apache-2.0 */
/* Shares cost among ops: half of it evenly, the rest by what they yielded lately.
 *
 * Yield is reward over cost, both decayed case by case with a half-life of some two hundred cases
 * of the op.  An op that never yields still has its floor: half of an even share.  One that nobody
 * answers has a thirty-second of that, until somebody does. */
#ifndef ASSAY_SEARCH_SCHEDULER_H
#define ASSAY_SEARCH_SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/rng.h"

/* The part of all cost that is shared evenly: one in so many. */
enum { SCHEDULER_FLOOR_PART = 2 };

/* After so many cases in a row without an answer an op counts as one that nobody answers. */
enum { SCHEDULER_MUTE_AFTER = 64, SCHEDULER_MUTE_PART = 32 };

typedef struct scheduler scheduler_t;

scheduler_t *scheduler_new(size_t count);
void scheduler_free(scheduler_t *scheduler);

/* Whose turn it is. */
size_t scheduler_choose(const scheduler_t *scheduler, rng_t *rng);

/* `reward` is 0 for nothing learnt.  The dearest case of each counts as much as its next dearest.
 */
void scheduler_note(scheduler_t *scheduler, size_t index, uint64_t cost, double reward);

/* Whether somebody answered a valid case, or all refused it. */
void scheduler_note_answer(scheduler_t *scheduler, size_t index, bool is_answered);

uint64_t scheduler_cost(const scheduler_t *scheduler, size_t index);

#endif
