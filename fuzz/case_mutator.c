/* SPDX-License-Identifier: Apache-2.0 */
/* The custom mutator of targets whose input may be a case line: it changes cases, not bytes.  Only
 * an accelerator; engines that do not know it mutate bytes. */
#include "harness/gen/gen.h"

enum { MUTATIONS_MAX = 4, BYTES_ONE_IN = 4 };

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

static size_t mutate_case(rng_t *rng, arena_t *arena, case_t *instance, uint8_t *data,
                          size_t max_size) {
  gen_options_t options = gen_options_default();
  options.limits = (draw_limits_t){.rank_max = 4, .elements_max = 64, .terms_max = 32};
  uint64_t count = 1 + rng_below(rng, MUTATIONS_MAX);
  for (uint64_t i = 0; i < count; i++) gen_mutate(rng, &options, arena, instance);
  GString *line = g_string_new(NULL);
  case_print(instance, line);
  size_t size = line->len <= max_size ? line->len : 0; /* 0: the engine tries again. */
  if (size > 0) memcpy(data, line->str, size);
  g_string_free(line, TRUE);
  return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(seed);
  str_t line = {.data = (const char *)data, .size = size};
  case_t instance;
  if (!rng_one_in(&rng, BYTES_ONE_IN) &&
      case_parse(line, &arena, &instance, NULL, NULL) == STATUS_OK) {
    size = mutate_case(&rng, &arena, &instance, data, max_size);
  } else {
    size = LLVMFuzzerMutate(data, size, max_size);
  }
  arena_deinit(&arena);
  return size;
}
