/* SPDX-License-Identifier: Apache-2.0 */
/* Reproducible random numbers: xoshiro256** (Blackman and Vigna 2018), seeded through splitmix64.
 * The same seed gives the same numbers on every machine, for ever: seeds are stored in databases.
 * Fit for drawing cases, not for secrets. */
#ifndef ASSAY_BASE_RNG_H
#define ASSAY_BASE_RNG_H

#include <stdbool.h>
#include <stdint.h>

typedef struct rng {
  uint64_t state[4];
} rng_t;

/* The splitmix64 step: advances `state` and returns its hash.  Also mixes two seeds into one:
 * `s = a; s = rng_splitmix(&s) ^ b;`. */
static inline uint64_t rng_splitmix(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static inline rng_t rng_make(uint64_t seed) {
  rng_t rng;
  for (int i = 0; i < 4; i++) rng.state[i] = rng_splitmix(&seed);
  return rng;
}

/* 64 uniform bits. */
static inline uint64_t rng_bits(rng_t *rng) {
  uint64_t *s = rng->state;
  uint64_t product = s[1] * 5;
  uint64_t result = ((product << 7) | (product >> 57)) * 9;
  uint64_t shifted = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= shifted;
  s[3] = (s[3] << 45) | (s[3] >> 19);
  return result;
}

/* A generator of its own for what is drawn beside: the numbers that `rng` gives next are the same
 * whether or not there is one. */
static inline rng_t rng_apart(const rng_t *rng) {
  rng_t copy = *rng;
  return rng_make(rng_bits(&copy));
}

/* Uniform in 0..bound-1; `bound` must not be 0.  (Multiply-shift: the bias is below bound / 2^64,
 * which no test of ours can see.) */
static inline uint64_t rng_below(rng_t *rng, uint64_t bound) {
  return (uint64_t)(((unsigned __int128)rng_bits(rng) * bound) >> 64);
}

/* Uniform in low..high, both included. */
static inline int64_t rng_between(rng_t *rng, int64_t low, int64_t high) {
  uint64_t steps = (uint64_t)high - (uint64_t)low; /* Unsigned: they need not fit in int64_t. */
  uint64_t step = steps == UINT64_MAX ? rng_bits(rng) : rng_below(rng, steps + 1);
  return (int64_t)((uint64_t)low + step);
}

/* True once in `odds` times. */
static inline bool rng_one_in(rng_t *rng, uint64_t odds) { return rng_below(rng, odds) == 0; }

#endif
