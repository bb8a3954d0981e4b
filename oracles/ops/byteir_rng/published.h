/* SPDX-License-Identifier: Apache-2.0 */
/* The generator that ByteIR's compiler emits for rng_uniform (its HloToLinalg conversion, read and
 * told in our own words).  Of element (i_1, ..., i_r), with s and o the low 32 bits of seed and
 * offset, and all arithmetic mod 2^32:
 *
 *   h = s + o;  for each index i_d in order: h = (h + i_d) * 1103515245 + 12345
 *   v = first word of Philox4x32-10 with counter (h, 0, 0, 0) and key (s, o)
 *   u = v * 2^-32, exactly so in binary64, and then rounded to the result's type */
#ifndef ASSAY_ORACLES_OPS_BYTEIR_RNG_PUBLISHED_H
#define ASSAY_ORACLES_OPS_BYTEIR_RNG_PUBLISHED_H

#include <stddef.h>
#include <stdint.h>

#include "harness/types/type.h"

enum { PHILOX_WORDS = 4, PHILOX_KEYS = 2, PHILOX_ROUNDS = 10 };

/* Philox4x32 (Salmon, Moraes, Dror and Shaw 2011) with so many rounds. */
void philox(uint32_t rounds, const uint32_t counter[PHILOX_WORDS], const uint32_t key[PHILOX_KEYS],
            uint32_t out_words[PHILOX_WORDS]);

/* The counters of a result's elements in row-major order: the hash of each one's indices. */
typedef struct byteir_rng_counters {
  uint32_t rank;
  uint32_t start; /* s + o */
  uint32_t sizes[TYPE_RANK_MAX];
  uint32_t indices[TYPE_RANK_MAX]; /* Of the next element. */
} byteir_rng_counters_t;

byteir_rng_counters_t byteir_rng_counters_make(const type_t *result, uint32_t seed,
                                               uint32_t offset);
/* Goes to an element of a result that has it. */
void byteir_rng_counters_move(byteir_rng_counters_t *counters, size_t element);
uint32_t byteir_rng_counters_next(byteir_rng_counters_t *counters);

/* The words v of all elements in turn. */
typedef struct byteir_rng_published {
  byteir_rng_counters_t counters;
  uint32_t key[PHILOX_KEYS];
} byteir_rng_published_t;

byteir_rng_published_t byteir_rng_published_make(const type_t *result, uint64_t seed,
                                                 uint64_t offset);
uint32_t byteir_rng_published_next(byteir_rng_published_t *published);

/* The first two words of a block, of which rng_normal makes an element. */
void byteir_rng_published_next_two(byteir_rng_published_t *published, uint32_t out_words[2]);

#endif
