/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of large results.  Where the quick side of an oracle knows nothing of many thousand
 * elements (functions in f64, sums under contracts in order), deciding all of them with MPFR may
 * take a minute.  Then a sample of them is decided, with a stated probability that it misses a
 * fault (theory.md, T135), and the others count as untested.
 *
 * A sample depends on the case alone, on its program and the bits of its operands: whoever has the
 * line has the sample. */
#ifndef ASSAY_ORACLES_SAMPLE_H
#define ASSAY_ORACLES_SAMPLE_H

#include "harness/base/rng.h"
#include "oracles/oracle.h"

/* Random draws, with replacement.  A fault in at least one of N elements is missed by m of them
 * with probability (1 - 1/N)^m at most: by SAMPLE_DRAWS_MAX one in 1000 with less than 10^-6, by
 * SAMPLE_DRAWS_MIN one in 10. */
enum { SAMPLE_DRAWS_MAX = 13809, SAMPLE_DRAWS_MIN = 132 };

/* Results of at most so many components are judged whole; and once a sample has so many, it gets no
 * more draws than SAMPLE_DRAWS_MIN: each may bring a long row along, and some elements take
 * milliseconds.  So many draws miss a fault in one of 500 with less than 10^-6. */
enum { SAMPLE_WHOLE_MAX = 8192 };

/* The probability of a miss that sample_missed_one_in() is about. */
#define SAMPLE_MISS_TEXT "1e-6"

typedef struct sample {
  const uint8_t *chosen[CASE_RESULTS_MAX]; /* Nonzero in those components; NULL: the result is
                                            * judged whole. */
  uint64_t draws[CASE_RESULTS_MAX];
  size_t asked_max[CASE_RESULTS_MAX]; /* accept_t.asked_max. */
} sample_t;

/* The sample of a valid case, in the arena: random components, corners, the first and last index of
 * each dimension and the indices at the edges of tiles; and with each of these what is decided by
 * the same work, such as its row. */
sample_t sample_make(const oracle_t *oracle, const oracle_call_t *call);

/* Tells elements of a result at its corners, at the first and last index of each dimension and at
 * the edges of tiles that kernels work in; elsewhere random ones. */
void sample_places(const type_t *type, rng_t *inout_rng,
                   void (*tell)(void *context, size_t element), void *context);

/* Adds the sample, if there is one, to accept sets of the case. */
void sample_attach(const sample_t *sample, uint32_t result_count, accept_t *inout_accepts);

/* The largest N such that a fault in at least one of N elements is missed by so many draws with a
 * probability of at most 10^-6. */
uint64_t sample_missed_one_in(uint64_t draws);

#endif
