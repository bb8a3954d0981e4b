#include "harness/run/stream.h"

/* Data sets a program, from the first programs of a campaign to the later ones: a short campaign
 * lives on the variety of its programs, a long one must not spend its time on compiling.  A
 * compiler in a worker process takes as long for a program as for some hundred executions. */
enum { DATA_SETS_FIRST = 4, DATA_SETS_MAX = 32, PROGRAMS_PER_DATA_SET = 16, DEAR_FACTOR = 16 };

/* Seeds of programs and of cases come from different streams. */
enum { PURPOSE_PROGRAM = 1, PURPOSE_DATA = 2 };

static uint64_t derive_seed(uint64_t seed, uint64_t purpose, uint64_t a, uint64_t b) {
  uint64_t state = seed;
  uint64_t parts[] = {purpose, a, b};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    state = rng_splitmix(&state) ^ parts[i];
  }
  return rng_splitmix(&state);
}

void stream_init(stream_t *stream, const stream_options_t *options) {
  *stream = (stream_t){.options = *options};
  arena_init(&stream->arena);
}

void stream_deinit(stream_t *stream) { arena_deinit(&stream->arena); }

static uint64_t data_sets(const stream_t *stream) {
  if (stream->options.program != NULL) return UINT64_MAX;
  if (op_constraint_is_forbidden(stream->broken)) return 1; /* Nobody should look at its data. */
  uint64_t sets = DATA_SETS_FIRST + stream->program_index / PROGRAMS_PER_DATA_SET;
  if (sets > DATA_SETS_MAX) sets = DATA_SETS_MAX;
  return stream->options.compiling_is_dear ? sets * DEAR_FACTOR : sets;
}

static void next_program(stream_t *stream) {
  if (stream->has_program) stream->program_index++;
  stream->has_program = true;
  stream->case_index = 0;
  arena_reset(&stream->arena);
  const stream_options_t *options = &stream->options;
  if (options->program != NULL) {
    stream->instance = case_make(&stream->arena, options->program);
    stream->broken = options->broken;
  } else {
    rng_t rng = rng_make(derive_seed(options->seed, PURPOSE_PROGRAM, stream->program_index, 0));
    program_t program;
    if (options->draw_program != NULL) {
      options->draw_program(options->draw_context, &rng, &stream->arena, &program);
      stream->broken = NULL;
    } else {
      const op_t *op = options->ops[stream->program_index % options->op_count];
      const char *broken;
      gen_program(&rng, op, &options->gen, &stream->arena, &program, &broken);
      stream->broken = op_constraint_find(op, broken);
    }
    stream->instance = case_make(&stream->arena, &program);
  }
  stream->case_limit = data_sets(stream);
}

void stream_next(stream_t *stream) {
  stream->is_new_program = !stream->has_program || stream->case_index + 1 >= stream->case_limit;
  if (stream->is_new_program) {
    next_program(stream);
  } else {
    stream->case_index++;
  }
  stream->case_seed =
      derive_seed(stream->options.seed, PURPOSE_DATA, stream->program_index, stream->case_index);
  stream->regime = stream_draw_data(stream->case_seed, &stream->instance);
}

void stream_skip_program(stream_t *stream) {
  if (stream->options.program == NULL) stream->case_limit = stream->case_index + 1;
}

gen_regime_t stream_draw_data(uint64_t case_seed, case_t *inout_case) {
  rng_t rng = rng_make(case_seed);
  return gen_data(&rng, inout_case);
}
