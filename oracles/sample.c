/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the components of large results that are decided where not all can be (theory.md, T135). */
#include "oracles/sample.h"

#include <math.h>

#include "harness/base/hash.h"
#include "harness/base/rng.h"

/* ---- What it is drawn by --------------------------------------------------------------------- */

static uint64_t seed_of(const case_t *instance) {
  g_autoptr(GString) text = g_string_new(NULL);
  program_print(&instance->program, text);
  uint64_t seed = digest_of(text->str, text->len).low;
  for (uint32_t i = 0; i < instance->program.operand_count; i++) {
    const tensor_t *operand = &instance->operands[i];
    uint64_t state = seed ^ digest_of(operand->data, type_bytes(&operand->type)).low;
    seed = rng_splitmix(&state);
  }
  return seed;
}

/* ---- Choosing -------------------------------------------------------------------------------- */

typedef struct choice {
  const oracle_t *oracle;
  const oracle_call_t *call;
  uint32_t result;
  size_t count; /* Components of the result. */
  size_t chosen_count;
  uint8_t *chosen;
} choice_t;

/* Chooses a component, and what is decided by the work that it takes. */
static void choose(choice_t *choice, size_t component) {
  if (choice->chosen[component] != 0) return;
  const size_t *siblings = &component;
  size_t sibling_count = 1;
  arena_mark_t mark = arena_mark(choice->call->arena);
  if (choice->oracle->siblings != NULL) {
    sibling_count = choice->oracle->siblings(choice->call, choice->result, component, &siblings);
  }
  for (size_t i = 0; i < sibling_count; i++) {
    choice->chosen_count += choice->chosen[siblings[i]] == 0;
    choice->chosen[siblings[i]] = 1;
  }
  arena_rewind(choice->call->arena, mark);
}

/* All components of an element. */
static void choose_element(void *context, size_t element) {
  choice_t *choice = (choice_t *)context;
  const type_t *type = &choice->call->instance->program.results[choice->result];
  size_t components = type->element->components;
  for (size_t i = 0; i < components; i++) choose(choice, element * components + i);
}

/* A random element with that index in a dimension. */
static size_t find_at(rng_t *rng, const type_t *type, uint32_t dim, int64_t index) {
  size_t element = 0;
  for (uint32_t i = 0; i < type->rank; i++) {
    int64_t at = i == dim ? index : (int64_t)rng_below(rng, (uint64_t)type->dims[i]);
    element = element * (size_t)type->dims[i] + (size_t)at;
  }
  return element;
}

static size_t find_corner(const type_t *type, uint32_t corner) {
  size_t element = 0;
  for (uint32_t i = 0; i < type->rank; i++) {
    bool is_last = (corner >> i & 1) != 0;
    element = element * (size_t)type->dims[i] + (is_last ? (size_t)type->dims[i] - 1 : 0);
  }
  return element;
}

/* First and last of a dimension, and both sides of the edges of tiles that kernels work in. */
void sample_places(const type_t *type, rng_t *inout_rng,
                   void (*tell)(void *context, size_t element), void *context) {
  static const int64_t tiles[] = {8, 16, 32, 64, 128};
  for (uint32_t corner = 0; corner < UINT32_C(1) << type->rank; corner++) {
    tell(context, find_corner(type, corner));
  }
  for (uint32_t dim = 0; dim < type->rank; dim++) {
    const int64_t size = type->dims[dim];
    tell(context, find_at(inout_rng, type, dim, 0));
    tell(context, find_at(inout_rng, type, dim, size - 1));
    for (size_t i = 0; i < G_N_ELEMENTS(tiles); i++) {
      const int64_t last = (size - 1) / tiles[i] * tiles[i]; /* Where the last tile begins. */
      if (last == 0) continue;
      tell(context, find_at(inout_rng, type, dim, last));
      tell(context, find_at(inout_rng, type, dim, last - 1));
    }
  }
}

static uint64_t choose_at_random(choice_t *choice, rng_t *rng) {
  uint64_t draws = 0;
  while (draws < SAMPLE_DRAWS_MAX &&
         (draws < SAMPLE_DRAWS_MIN || choice->chosen_count < SAMPLE_WHOLE_MAX)) {
    choose(choice, (size_t)rng_below(rng, choice->count));
    draws++;
  }
  return draws;
}

sample_t sample_make(const oracle_t *oracle, const oracle_call_t *call) {
  sample_t sample = {{NULL}, {0}, {0}};
  const program_t *program = &call->instance->program;
  rng_t rng = {0};
  bool has_rng = false;
  decision_memo_t memo; /* Of siblings(). */
  decision_memo_init(&memo);
  oracle_call_t remembering = *call;
  remembering.memo = &memo;
  for (uint32_t r = 0; r < program->result_count; r++) {
    const type_t *type = &program->results[r];
    choice_t choice = {oracle, &remembering, r, type_component_count(type), 0, NULL};
    if (choice.count <= SAMPLE_WHOLE_MAX) continue;
    if (!has_rng) rng = rng_make(seed_of(call->instance));
    has_rng = true;
    choice.chosen = arena_alloc_zeroed(call->arena, choice.count);
    uint64_t draws = choose_at_random(&choice, &rng);
    sample_places(type, &rng, choose_element, &choice);
    if (choice.chosen_count > choice.count / 4 * 3) continue; /* The rest costs little more. */
    sample.chosen[r] = choice.chosen;
    sample.draws[r] = draws;
  }
  decision_memo_deinit(&memo);
  return sample;
}

void sample_attach(const sample_t *sample, uint32_t result_count, accept_t *inout_accepts) {
  for (uint32_t r = 0; sample != NULL && r < result_count; r++) {
    inout_accepts[r].sampled = sample->chosen[r];
    inout_accepts[r].sample_draws = sample->draws[r];
    inout_accepts[r].asked_max = sample->asked_max[r];
  }
}

uint64_t sample_missed_one_in(uint64_t draws) {
  if (draws == 0) return 1;
  /* theory.md, T135: (1 - 1/N)^draws <= 10^-6 of N = 1 / (1 - 10^(-6/draws)).  A hair less, for
   * the rounding. */
  double share = -expm1(-6 * log(10) / (double)draws);
  return (uint64_t)floor(1 / share * (1 - 0x1p-40));
}
