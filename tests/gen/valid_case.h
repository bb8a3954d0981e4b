/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of valid programs, for tests. */
#ifndef ASSAY_TESTS_GEN_VALID_CASE_H
#define ASSAY_TESTS_GEN_VALID_CASE_H

#include "harness/gen/gen.h"

/* A case of the op, with at most so many elements in a tensor, in the arena. */
static inline case_t draw_valid_case(rng_t *rng, const op_t *op, int64_t elements_max,
                                     arena_t *arena) {
  gen_options_t options = gen_options_default();
  options.invalid_one_in = 0;
  options.limits.elements_max = elements_max;
  program_t program;
  const char *broken;
  gen_program(rng, op, &options, arena, &program, &broken);
  case_t instance = case_make(arena, &program);
  gen_data(rng, &instance);
  return instance;
}

#endif
