/* SPDX-License-Identifier: Apache-2.0 */
/* Good generators of uniform numbers, in the ways that implementations make numbers of them, for
 * seeing that no check of uniformity refutes them. */
#ifndef ASSAY_TESTS_OPS_BYTEIR_RNG_RNG_GENERATORS_H
#define ASSAY_TESTS_OPS_BYTEIR_RNG_RNG_GENERATORS_H

#include <math.h>

#include "harness/base/rng.h"
#include "oracles/ops/byteir_rng/published.h"

/* ---- Words of 32 bits ------------------------------------------------------------------------ */

enum { TWISTER_WORDS = 624, TWISTER_MIDDLE = 397 };

typedef enum word_source {
  SOURCE_PHILOX,
  SOURCE_XOSHIRO,
  SOURCE_TWISTER, /* MT19937 (Matsumoto and Nishimura 1998). */
  SOURCE_COUNT
} word_source_t;

typedef struct words {
  word_source_t source;
  rng_t rng;
  uint32_t key[PHILOX_KEYS];
  uint32_t block[PHILOX_WORDS];
  uint32_t twister[TWISTER_WORDS];
  uint64_t drawn;
} words_t;

static inline void words_start(words_t *words, word_source_t source, uint64_t seed) {
  words->source = source;
  words->rng = rng_make(seed);
  words->key[0] = (uint32_t)seed;
  words->key[1] = (uint32_t)(seed >> 32);
  words->drawn = 0;
  if (source != SOURCE_TWISTER) return;
  words->twister[0] = (uint32_t)seed;
  for (uint32_t i = 1; i < TWISTER_WORDS; i++) {
    uint32_t last = words->twister[i - 1];
    words->twister[i] = 1812433253u * (last ^ (last >> 30)) + i;
  }
}

static inline void twist(uint32_t *state) {
  for (uint32_t i = 0; i < TWISTER_WORDS; i++) {
    uint32_t next = state[(i + 1) % TWISTER_WORDS];
    uint32_t joined = (state[i] & 0x80000000u) | (next & 0x7fffffffu);
    uint32_t far = state[(i + TWISTER_MIDDLE) % TWISTER_WORDS];
    state[i] = far ^ (joined >> 1) ^ ((joined & 1) != 0 ? 0x9908b0dfu : 0);
  }
}

static inline uint32_t temper(uint32_t word) {
  word ^= word >> 11;
  word ^= (word << 7) & 0x9d2c5680u;
  word ^= (word << 15) & 0xefc60000u;
  return word ^ (word >> 18);
}

static inline uint32_t words_next(words_t *words) {
  uint64_t index = words->drawn++;
  switch (words->source) {
    case SOURCE_PHILOX: {
      uint32_t counter[PHILOX_WORDS] = {(uint32_t)(index / PHILOX_WORDS)};
      uint32_t place = (uint32_t)(index % PHILOX_WORDS);
      if (place == 0) philox(PHILOX_ROUNDS, counter, words->key, words->block);
      return words->block[place];
    }
    case SOURCE_TWISTER:
      if (index % TWISTER_WORDS == 0) twist(words->twister);
      return temper(words->twister[index % TWISTER_WORDS]);
    case SOURCE_XOSHIRO:
    case SOURCE_COUNT:
    default:
      return (uint32_t)(rng_bits(&words->rng) >> 32);
  }
}

/* ---- Numbers --------------------------------------------------------------------------------- */

/* How u is made of random bits. */
typedef enum uniform_way {
  UNIFORM_WORD,     /* k 2^-32: may round to 1. */
  UNIFORM_FRACTION, /* k 2^-(p-1): the fraction of a number in [1, 2), less 1. */
  UNIFORM_LONG,     /* k 2^-53. */
  UNIFORM_MIDDLE,   /* (k + 1/2) 2^-32 */
  UNIFORM_ABOVE,    /* (k + 1) 2^-32, in (0, 1] */
  UNIFORM_CLOSED,   /* k / (2^32 - 1), in [0, 1] */
  UNIFORM_WAY_COUNT
} uniform_way_t;

static inline double uniform_next(words_t *words, uniform_way_t way, int precision) {
  double word = words_next(words);
  switch (way) {
    case UNIFORM_FRACTION:
      if (precision > 33) return (word + floor(words_next(words) * 0x1p-12) * 0x1p-20) * 0x1p-32;
      return floor(ldexp(word, precision - 33)) * ldexp(1, 1 - precision);
    case UNIFORM_LONG:
      return (word + floor(words_next(words) * 0x1p-11) * 0x1p-21) * 0x1p-32;
    case UNIFORM_MIDDLE:
      return (word + 0.5) * 0x1p-32;
    case UNIFORM_ABOVE:
      return (word + 1) * 0x1p-32;
    case UNIFORM_CLOSED:
      return word / 4294967295.0;
    case UNIFORM_WORD:
    case UNIFORM_WAY_COUNT:
    default:
      return word * 0x1p-32;
  }
}

/* What becomes of a number that has reached high. */
typedef enum high_way { HIGH_KEPT, HIGH_TO_LOW, HIGH_TO_BELOW, HIGH_WAY_COUNT } high_way_t;

#endif
