/* SPDX-License-Identifier: Apache-2.0 */
/* case_mutator.c as a custom mutator of AFL++: its interface, custom_mutators.md in its
 * documentation. */
#include <glib.h>
#include <stdint.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
void *afl_custom_init(void *afl, unsigned int seed);
size_t afl_custom_fuzz(void *self, uint8_t *data, size_t size, uint8_t **out_data,
                       uint8_t *other_data, size_t other_size, size_t max_size);
void afl_custom_deinit(void *self);

typedef struct afl_mutator {
  GRand *random;
  uint8_t *output; /* Of the last mutation; borrowed by AFL++ until the next. */
  size_t capacity;
} afl_mutator_t;

/* Where the input is no case line: bytes are what AFL++ itself is good at. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size) {
  (void)data;
  return size < max_size ? size : max_size;
}

void *afl_custom_init(void *afl, unsigned int seed) {
  (void)afl;
  afl_mutator_t *mutator = g_new0(afl_mutator_t, 1);
  mutator->random = g_rand_new_with_seed(seed);
  return mutator;
}

size_t afl_custom_fuzz(void *self, uint8_t *data, size_t size, uint8_t **out_data,
                       uint8_t *other_data, size_t other_size, size_t max_size) {
  (void)other_data;
  (void)other_size;
  afl_mutator_t *mutator = self;
  if (mutator->capacity < max_size) {
    mutator->output = g_realloc(mutator->output, max_size);
    mutator->capacity = max_size;
  }
  size = size < max_size ? size : max_size;
  memcpy(mutator->output, data, size);
  *out_data = mutator->output;
  return LLVMFuzzerCustomMutator(mutator->output, size, max_size, g_rand_int(mutator->random));
}

void afl_custom_deinit(void *self) {
  afl_mutator_t *mutator = self;
  g_rand_free(mutator->random);
  g_free(mutator->output);
  g_free(mutator);
}
