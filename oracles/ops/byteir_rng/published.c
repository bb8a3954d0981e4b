/* SPDX-License-Identifier: Apache-2.0 */
/* Reimplementation of the generator published with ByteIR: a linear congruential hash of the
 * indices seeds Philox4x32. Elements are produced in row-major order. */
#include "oracles/ops/byteir_rng/published.h"

/* ---- Philox ---------------------------------------------------------------------------------- */

static uint32_t high_word(uint64_t product) { return (uint32_t)(product >> 32); }

void philox(uint32_t rounds, const uint32_t counter[PHILOX_WORDS], const uint32_t key[PHILOX_KEYS],
            uint32_t out_words[PHILOX_WORDS]) {
  /* Multipliers of the rounds; steps of the keys, from the golden ratio and sqrt(3) - 1. */
  const uint64_t multipliers[] = {0xd2511f53, 0xcd9e8d57};
  const uint32_t steps[PHILOX_KEYS] = {0x9e3779b9, 0xbb67ae85};
  uint32_t words[PHILOX_WORDS] = {counter[0], counter[1], counter[2], counter[3]};
  uint32_t keys[PHILOX_KEYS] = {key[0], key[1]};
  for (uint32_t round = 0; round < rounds; round++) {
    uint64_t left = multipliers[0] * words[0];
    uint64_t right = multipliers[1] * words[2];
    words[0] = high_word(right) ^ words[1] ^ keys[0];
    words[1] = (uint32_t)right;
    words[2] = high_word(left) ^ words[3] ^ keys[1];
    words[3] = (uint32_t)left;
    for (int i = 0; i < PHILOX_KEYS; i++) keys[i] += steps[i];
  }
  for (int i = 0; i < PHILOX_WORDS; i++) out_words[i] = words[i];
}

/* ---- Counters -------------------------------------------------------------------------------- */

byteir_rng_counters_t byteir_rng_counters_make(const type_t *result, uint32_t seed,
                                               uint32_t offset) {
  byteir_rng_counters_t counters = {.rank = result->rank, .start = seed + offset};
  for (uint32_t dim = 0; dim < result->rank; dim++) {
    counters.sizes[dim] = (uint32_t)result->dims[dim];
  }
  return counters;
}

void byteir_rng_counters_move(byteir_rng_counters_t *counters, size_t element) {
  for (uint32_t dim = counters->rank; dim-- > 0;) {
    counters->indices[dim] = (uint32_t)(element % counters->sizes[dim]);
    element /= counters->sizes[dim];
  }
}

uint32_t byteir_rng_counters_next(byteir_rng_counters_t *counters) {
  uint32_t hash = counters->start;
  for (uint32_t dim = 0; dim < counters->rank; dim++) {
    hash = (hash + counters->indices[dim]) * 1103515245u + 12345u;
  }
  for (uint32_t dim = counters->rank; dim-- > 0;) {
    if (++counters->indices[dim] < counters->sizes[dim]) break;
    counters->indices[dim] = 0;
  }
  return hash;
}

/* ---- The generator --------------------------------------------------------------------------- */

byteir_rng_published_t byteir_rng_published_make(const type_t *result, uint64_t seed,
                                                 uint64_t offset) {
  uint32_t key[PHILOX_KEYS] = {(uint32_t)seed, (uint32_t)offset};
  return (byteir_rng_published_t){.counters = byteir_rng_counters_make(result, key[0], key[1]),
                                  .key = {key[0], key[1]}};
}

void byteir_rng_published_next_two(byteir_rng_published_t *published, uint32_t out_words[2]) {
  uint32_t counter[PHILOX_WORDS] = {byteir_rng_counters_next(&published->counters)};
  uint32_t words[PHILOX_WORDS];
  philox(PHILOX_ROUNDS, counter, published->key, words);
  out_words[0] = words[0];
  out_words[1] = words[1];
}

uint32_t byteir_rng_published_next(byteir_rng_published_t *published) {
  uint32_t words[2];
  byteir_rng_published_next_two(published, words);
  return words[0];
}
