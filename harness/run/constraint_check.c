/* SPDX-License-Identifier: Apache-2.0 */
/* Draws programs that break one constraint, and asks an executor to compile them. */
#include "harness/run/constraint_check.h"

#include <string.h>

static const draw_limits_t small = {.rank_max = 4, .elements_max = 256, .terms_max = 64};

/* A generator of its own for each constraint: what is drawn of one does not hang on the others. */
static rng_t rng_for(const op_t *op, const op_constraint_t *constraint, uint64_t seed) {
  g_autofree char *name = g_strdup_printf("%s %s", op->name, constraint->id);
  uint64_t state = seed;
  for (const char *byte = name; *byte != '\0'; byte++) {
    state = rng_splitmix(&state) ^ (uint64_t)(unsigned char)*byte;
  }
  return rng_make(state);
}

static char *line_of(rng_t *rng, const program_t *program, arena_t *arena) {
  case_t instance = case_make(arena, program);
  gen_data(rng, &instance);
  GString *text = g_string_new(NULL);
  case_print(&instance, text);
  return g_string_free(text, FALSE);
}

static void decide(executor_t *executor, const program_t *program, constraint_check_t *check,
                   bool *out_is_telling) {
  executor_program_t *compiled;
  char reason[sizeof check->reason] = "";
  *out_is_telling = false;
  switch (executor_compile(executor, program, &compiled, reason, sizeof reason)) {
    case EXECUTOR_OK:
      *out_is_telling = check->accepted++ == 0;
      return;
    case EXECUTOR_REJECTED:
      check->rejected++;
      break;
    case EXECUTOR_REFUSED:
      check->refused++;
      break;
    default:
      *out_is_telling = check->failed++ == 0 && check->accepted == 0;
      break;
  }
  memcpy(check->reason, reason, sizeof reason);
}

constraint_check_t constraint_check(executor_t *executor, const op_t *op,
                                    const op_constraint_t *constraint, const contract_t *contract,
                                    uint64_t seed, uint64_t wanted) {
  const gen_options_t options = {.limits = small, .contract = contract};
  constraint_check_t check = {.drawn = 0};
  rng_t rng = rng_for(op, constraint, seed);
  arena_t arena;
  arena_init(&arena);
  for (uint64_t attempt = 0; attempt < 4 * wanted && check.drawn < wanted; attempt++) {
    arena_reset(&arena);
    program_t program;
    bool is_drawn = contract == NULL
                        ? gen_broken_program(&rng, op, constraint->id, &options, &arena, &program)
                        : gen_broken_under(&rng, op, constraint->id, &options, &arena, &program);
    if (!is_drawn) {
      if (check.drawn == 0 && attempt == wanted) break; /* It seems that none can be. */
      continue;
    }
    check.drawn++;
    bool is_telling = false;
    if (executor != NULL) decide(executor, &program, &check, &is_telling);
    if (!is_telling) continue;
    g_free(check.line);
    check.line = line_of(&rng, &program, &arena);
  }
  arena_deinit(&arena);
  return check;
}

void constraint_check_free(constraint_check_t *check) {
  g_free(check->line);
  check->line = NULL;
}
