/* SPDX-License-Identifier: Apache-2.0 */
/* Draws a reproducible set of small cases per op, runs them in a session and stores the digest of
 * each executor's results, to compare versions later. */
#include "harness/session/bit_history.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/store/life.h"

/* Cases small enough to be kept as text, large enough for vector code and blocked loops. */
enum { ELEMENTS_MAX = 512, TERMS_MAX = 300, RANK_MAX = 4 };

void bit_history_add(store_t *store, const session_t *session, const session_answer_t *answer) {
  g_autoptr(GString) line = g_string_new(NULL);
  case_print(answer->instance, line);
  char bits[HASH_TEXT_BYTES] = "";
  if (answer->response->has_results) {
    snprintf(bits, sizeof bits, "%016" PRIx64 "%016" PRIx64, answer->response->digest.high,
             answer->response->digest.low);
  }
  const verdict_t *verdict = answer->verdict;
  const store_bits_t row = {.run_id = session_run_id(session),
                            .executor_id = session_executor_id(session, answer->executor),
                            .op = answer->label->op,
                            .algorithm = answer->label->algorithm,
                            .types = answer->label->types,
                            .case_line = line->str,
                            .bits = bits,
                            .outcome = outcome_spelling(verdict->outcome),
                            .class = class_spelling(verdict->class_),
                            .ulp_error = verdict->ulp_error_max,
                            .slack = verdict->slack_max};
  store_add_bits(store, &row);
}

/* Whether no executor answered: they are not asked again for other data of the program. */
static bool all_refuse(const verdict_t *verdicts, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (verdicts[i].outcome != OUTCOME_refused) return false;
  }
  return true;
}

typedef struct draw {
  session_t *session;
  const bit_history_options_t *options;
  arena_t arena;
  verdict_t *verdicts; /* One per executor. */
} draw_t;

static bool is_stopped(const bit_history_options_t *options) {
  return options->stop != NULL && *options->stop != 0;
}

static status_t walk_program(draw_t *draw, rng_t *rng, const op_t *op, failure_t *error) {
  gen_options_t gen = gen_options_default();
  gen.invalid_one_in = 0;
  gen.contract = &session_options(draw->session)->contract;
  gen.limits =
      (draw_limits_t){.rank_max = RANK_MAX, .elements_max = ELEMENTS_MAX, .terms_max = TERMS_MAX};
  arena_reset(&draw->arena);
  program_t program;
  const char *unbroken;
  gen_program(rng, op, &gen, &draw->arena, &program, &unbroken);
  case_t instance = case_make(&draw->arena, &program);
  for (uint64_t i = 0; i < draw->options->data_sets && !is_stopped(draw->options); i++) {
    gen_data(rng, &instance);
    STATUS_TRY(session_walk(draw->session, &instance, NULL, draw->verdicts, error));
    if (all_refuse(draw->verdicts, session_options(draw->session)->executor_count)) break;
  }
  return STATUS_OK;
}

/* Of a program: independent of which other ops there are. */
static uint64_t program_seed(uint64_t seed, const op_t *op, uint64_t index) {
  uint64_t state = seed;
  state = rng_splitmix(&state) ^ digest_of(op->name, strlen(op->name)).low;
  state = rng_splitmix(&state) ^ index;
  return rng_splitmix(&state);
}

status_t bit_history_run(session_t *session, const bit_history_options_t *options,
                         failure_t *error) {
  draw_t draw = {.session = session, .options = options};
  arena_init(&draw.arena);
  draw.verdicts = g_new0(verdict_t, session_options(session)->executor_count);
  status_t status = STATUS_OK;
  for (uint64_t index = 0; index < options->programs && status == STATUS_OK; index++) {
    for (size_t i = 0; i < options->op_count && status == STATUS_OK; i++) {
      if (is_stopped(options)) break;
      rng_t rng = rng_make(program_seed(options->seed, options->ops[i], index));
      status = walk_program(&draw, &rng, options->ops[i], error);
    }
  }
  g_free(draw.verdicts);
  arena_deinit(&draw.arena);
  return status;
}
