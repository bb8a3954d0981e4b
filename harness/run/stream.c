/* SPDX-License-Identifier: Apache-2.0 */
/* Derives programs and cases from a seed by indices alone, and decides how many data sets a
 * program gets, from its indices and its size and from how many were refused before it. */
#include "harness/run/stream.h"

#include "harness/gen/found_thresholds.h"
#include "harness/model/dynamic/dynamic.h"
#include "harness/run/acceptance/evenness.h"

/* Looking for a promising program costs as much as running it so often: no more is given back. */
enum { DRAWN_PER_DATA_SET = 32, DATA_SETS_FOR_DRAWN_MAX = 32 };

/* One data set of a large stratum costs as many small ones; ops made of others get more turns, and
 * still more where a compiler fuses what they are made of: faults lie in programs there, of which
 * there are more than data can show, so that each gets a few data. */
enum { LARGE_FACTOR = 8, COMPOUND_FACTOR = 3, FUSED_FACTOR = 20, FUSED_DATA_PART = 4 };

/* A program that is accepted after many that were refused gets as much data as there were of these,
 * and as much again: looking for programs then takes less than half of the cases. */
enum { DATA_SETS_PER_REFUSED = 2, DATA_SETS_FOR_REFUSED_MAX = 1024 };

/* But the first programs that are accepted no more than so many for each of them: what was refused
 * before them taught what is, so that others are found sooner, and one program shows few faults. */
enum { DATA_SETS_PER_ACCEPTED = 8 };

/* Programs that nobody would be asked about, one after the other: an op may have no others. */
enum { LEFT_OUT_MAX = 64 };

/* So many programs are drawn for one, so that types and bodies come evenly: those that come in 5 %
 * of all draws are then found as often as ten kinds are due.  Of executors that take little it is
 * twice as many draws as it took to find one that is expected to be taken. */
enum { CANDIDATES = 8, DRAWS_PER_DRAWN = 2 };

/* One program in so many has an unknown size, where that is drawn. */
enum { DYNAMIC_ONE_IN = 16 };

/* Seeds of programs and of cases come from different streams. */
enum {
  PURPOSE_PROGRAM = 1,
  PURPOSE_DATA = 2,
  PURPOSE_VALID_PROGRAM = 3,
  PURPOSE_STRATUM = 4,
  PURPOSE_DATA_STRATUM = 5,
  PURPOSE_DATA_SETS = 6,
  PURPOSE_DYNAMIC = 7,
  PURPOSE_SIZES = 8,
};

static uint64_t derive_seed(uint64_t seed, uint64_t purpose, uint64_t a, uint64_t b) {
  uint64_t state = seed;
  uint64_t parts[] = {purpose, a, b};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    state = rng_splitmix(&state) ^ parts[i];
  }
  return rng_splitmix(&state);
}

static size_t count_subjects(const stream_options_t *options) {
  if (options->program_count > 0) return options->program_count;
  return options->draw_program != NULL ? 1 : options->op_count;
}

void stream_init(stream_t *stream, const stream_options_t *options) {
  *stream = (stream_t){.options = *options,
                       .subject_count = count_subjects(options),
                       .party_count = MAX(options->executor_count, 1)};
  data_sets_t *sets = &stream->options.data_sets;
  stream->has_default_data_sets = sets->most == 0;
  if (sets->most == 0) *sets = data_sets_default(options->compiling_is_dear);
  stream->begun = g_new0(uint64_t, stream->subject_count);
  stream->retired = g_new0(bool, stream->subject_count);
  stream->parties = g_new0(stream_party_t, stream->party_count);
  for (size_t i = 0; i < stream->party_count; i++) {
    stream->parties[i].acceptance = acceptance_new(stream->subject_count);
  }
  stream->turn = stream->party_count - 1;
  arena_init(&stream->arena);
}

void stream_deinit(stream_t *stream) {
  for (size_t i = 0; i < stream->party_count; i++) acceptance_free(stream->parties[i].acceptance);
  g_free(stream->parties);
  g_free(stream->retired);
  g_free(stream->begun);
  arena_deinit(&stream->arena);
}

/* ---- Answers --------------------------------------------------------------------------------- */

void stream_learn(stream_t *stream, size_t executor, bool is_accepted) {
  stream_party_t *party = &stream->parties[executor];
  party->asked++;
  if (!is_accepted) return;
  party->accepted++;
  bool is_drawn = stream->options.program_count == 0 && stream->broken == NULL;
  if (party->accepted > 1 || !is_drawn) return;
  uint64_t refused = acceptance_refused_since(party->acceptance, stream->subject);
  uint64_t known = acceptance_accepted(party->acceptance, stream->subject) + 1;
  uint64_t sets = MIN(DATA_SETS_PER_REFUSED * refused, DATA_SETS_FOR_REFUSED_MAX);
  sets = MIN(sets, DATA_SETS_PER_ACCEPTED * known);
  stream->case_limit = MAX(stream->case_limit, sets);
}

void stream_leave(stream_t *stream, size_t executor) { stream->parties[executor].has_left = true; }

/* What came of the present program, at the end of its turn. */
static void settle_turn(stream_t *stream, uint64_t cases) {
  const program_t *program = &stream->instance.program;
  uint64_t cost = cases * data_sets_weight(program);
  uint64_t factor = stream->options.compiling_is_dear ? FUSED_FACTOR : COMPOUND_FACTOR;
  if (program->op->is_compound) cost = MAX(cost / factor, 1);
  for (size_t i = 0; i < stream->party_count; i++) {
    stream_party_t *party = &stream->parties[i];
    bool is_asked = party->asked > 0 || stream->options.executor_count == 0;
    if (!is_asked || stream->broken != NULL || stream->is_dynamic) {
      bool is_taken = party->accepted > 0 && stream->broken == NULL;
      acceptance_charge(party->acceptance, stream->subject, cost, is_taken ? program : NULL);
    } else {
      bool is_taken = party->accepted > 0 || party->asked == 0;
      acceptance_learn(party->acceptance, stream->subject, program, is_taken, cost);
    }
    party->asked = party->accepted = 0;
  }
}

status_t stream_program_parse(str_t line, arena_t *arena, stream_program_t *out_program,
                              failure_t *error) {
  const char *violation;
  STATUS_TRY(program_parse(line, arena, &out_program->program, &violation, error));
  out_program->broken = op_constraint_find(out_program->program.op, violation);
  return STATUS_OK;
}

/* Of backends that take little, most programs are passed over: those that they take get more data,
 * so that at least half of the time is spent on cases. */
static uint64_t sets_for_drawn(const stream_t *stream) {
  return MIN(stream->drawn / DRAWN_PER_DATA_SET, DATA_SETS_FOR_DRAWN_MAX);
}

/* ---- Programs -------------------------------------------------------------------------------- */

static uint64_t data_sets(const stream_t *stream) {
  const stream_options_t *options = &stream->options;
  if (options->program_count == 1) return UINT64_MAX;
  if (op_constraint_is_forbidden(stream->broken) && options->program_count == 0) {
    return 1; /* Nobody looks at its data. */
  }
  rng_t rng = rng_make(
      derive_seed(options->seed, PURPOSE_DATA_SETS, stream->program_index, stream->case_index));
  uint64_t sets = data_sets_draw(options->data_sets, &rng);
  bool is_fused = options->compiling_is_dear && stream->instance.program.op->is_compound;
  if (stream->has_default_data_sets) {
    if (is_fused) sets /= FUSED_DATA_PART;
    /* The first programs of an op get less, so that a short run comes to all ops. */
    const acceptance_t *own = stream->parties[stream->turn].acceptance;
    sets = MIN(sets, DATA_SETS_PER_ACCEPTED * (acceptance_accepted(own, stream->subject) + 1));
    sets = MAX(sets, sets_for_drawn(stream));
  }
  uint64_t weight = data_sets_weight(&stream->instance.program);
  if (stratum_is_large(stream->program_stratum)) weight *= LARGE_FACTOR;
  return MAX(sets / weight, 1);
}

/* The next party that still needs cases. */
static void pass_turn(stream_t *stream) {
  for (size_t i = 0; i < stream->party_count; i++) {
    stream->turn = (stream->turn + 1) % stream->party_count;
    if (!stream->parties[stream->turn].has_left) return;
  }
}

/* Whether the party whose turn it is may accept the program.  A broken program is judged by the
 * valid one that it was made of: whoever refuses that says nothing about the constraint. */
static bool may_be_accepted(void *context, const program_t *program) {
  const stream_t *stream = context;
  const stream_options_t *options = &stream->options;
  stream_admission_t admission = STREAM_ADMITS;
  if (options->admits != NULL) {
    admission = options->admits(options->admits_context, stream->turn, program);
  }
  if (admission != STREAM_ADMITS) return admission == STREAM_INSISTS;
  return acceptance_expects(stream->parties[stream->turn].acceptance, stream->subject, program);
}

/* What a program is drawn by.  One that is broken on purpose comes from the corner: it is never
 * computed. */
static gen_options_t choose_stratum(stream_t *stream, const op_t *op, bool is_broken) {
  const stream_options_t *options = &stream->options;
  gen_options_t gen = options->gen;
  rng_t rng = rng_make(derive_seed(options->seed, PURPOSE_STRATUM, stream->program_index, 0));
  gen.strata = strata_of(&gen.strata, op);
  stratum_t stratum = strata_draw(&gen.strata, &rng);
  stream->program_stratum = is_broken ? STRATUM_corner : stratum;
  if (stream->program_stratum != STRATUM_corner) gen.limits = stratum_limits(stratum, &rng);
  if (stream->program_stratum != STRATUM_thresholds) gen.thresholds = NULL;
  gen.suits = may_be_accepted;
  gen.suits_context = stream;
  return gen;
}

/* ---- Unknown sizes --------------------------------------------------------------------------- */

/* Makes a size of the program unknown, now and then, if it can be. */
static void make_dynamic(stream_t *stream, program_t *inout_program) {
  const stream_options_t *options = &stream->options;
  stream->is_dynamic = false;
  if (!options->draws_dynamic || stream->broken != NULL) return;
  rng_t rng = rng_make(derive_seed(options->seed, PURPOSE_DYNAMIC, stream->program_index, 0));
  axes_t axes;
  program_t program;
  if (!rng_one_in(&rng, DYNAMIC_ONE_IN) || !axes_of(inout_program, &axes) || axes.count == 0)
    return;
  /* At whatever size, attributes are then written alike. */
  if (!axes_program(inout_program, &axes, &stream->arena, &program)) return;
  uint32_t set = 1u << rng_below(&rng, axes.count);
  if (rng_one_in(&rng, 4)) set |= 1u << rng_below(&rng, axes.count);
  if (!dynamic_mark(&program, set) || !program_is_dynamic(&program)) return;
  *inout_program = stream->dynamic = program;
  stream->is_dynamic = true;
}

/* The present program at another size of what is unknown, for data that are not its first. */
static void draw_sizes(stream_t *stream) {
  rng_t rng = rng_make(
      derive_seed(stream->options.seed, PURPOSE_SIZES, stream->program_index, stream->case_index));
  axes_t axes;
  uint32_t set;
  program_t program;
  if (!axes_of(&stream->dynamic, &axes) || !dynamic_find(&stream->dynamic, &axes, &set)) return;
  for (uint32_t axis = 0; axis < axes.count; axis++) {
    int64_t size = axes.items[axis].size;
    if ((set >> axis & 1) != 0) axes.items[axis].size = rng_between(&rng, 1, MAX(2 * size, 2));
  }
  if (!axes_program(&stream->dynamic, &axes, &stream->arena, &program)) return;
  stream->instance = case_make(&stream->arena, &program);
}

static void draw_program(stream_t *stream) {
  const stream_options_t *options = &stream->options;
  arena_reset(&stream->arena);
  rng_t rng = rng_make(derive_seed(options->seed, PURPOSE_PROGRAM, stream->program_index, 0));
  program_t program;
  stream->broken = NULL;
  if (options->draw_program != NULL) {
    stream->program_stratum = STRATUM_corner;
    options->draw_program(options->draw_context, &rng, &stream->arena, &program);
  } else {
    const op_t *op = options->ops[stream->subject];
    bool will_break = gen_will_break(&rng, &options->gen);
    gen_options_t gen = choose_stratum(stream, op, will_break && !options->leaves_out_invalid);
    const char *broken;
    if (options->leaves_out_invalid && will_break) {
      rng = rng_make(derive_seed(options->seed, PURPOSE_VALID_PROGRAM, stream->program_index, 0));
      gen.invalid_one_in = 0;
    }
    found_thresholds_draw(&rng, op, &gen, &stream->arena, &program, &broken);
    stream->broken = op_constraint_find(op, broken);
  }
  make_dynamic(stream, &program);
  stream->instance = case_make(&stream->arena, &program);
}

/* Whether nobody would be asked about the program. */
static bool is_left_out(const stream_t *stream) {
  const stream_options_t *options = &stream->options;
  return options->leaves_out_invalid && options->gen.contract != NULL &&
         program_broken_under(&stream->instance.program, stream->broken, options->gen.contract) !=
             NULL;
}

static bool is_promising(stream_t *stream) {
  return stream->broken != NULL || may_be_accepted(stream, &stream->instance.program);
}

/* Draws programs of the subject until there is a promising one. */
static void draw_promising(stream_t *stream) {
  unsigned left_out = 0;
  do {
    stream->drawn++;
    uint64_t ordinal = stream->begun[stream->subject]++;
    stream->program_index = ordinal * stream->subject_count + stream->subject;
    draw_program(stream);
  } while ((is_left_out(stream) && ++left_out < LEFT_OUT_MAX) || !is_promising(stream));
}

static double excess(const stream_t *stream) {
  return acceptance_excess(stream->parties[stream->turn].acceptance, stream->subject,
                           &stream->instance.program);
}

/* There are as many broken and quantized programs as are drawn. */
static bool is_evened(const stream_t *stream) {
  return stream->broken == NULL && evenness_covers(&stream->instance.program);
}

/* Puts another promising program in the place of one whose type or body had its share: the one
 * that had least, of a few. */
static void even_out(stream_t *stream) {
  if (!is_evened(stream) || stream->options.draw_program != NULL) return;
  uint64_t first = stream->drawn, best = stream->program_index;
  uint64_t drawn_max = CANDIDATES + DRAWS_PER_DRAWN * first;
  double least = excess(stream);
  while (least > 0 && stream->drawn < drawn_max) {
    draw_promising(stream);
    if (!is_evened(stream)) continue;
    double own = excess(stream);
    if (own >= least) continue;
    least = own;
    best = stream->program_index;
  }
  stream->drawn = first;
  if (stream->program_index == best) return;
  stream->program_index = best;
  draw_program(stream);
}

static void choose_program(stream_t *stream) {
  stream->drawn = 0;
  draw_promising(stream);
  even_out(stream);
  stream->case_index = 0;
  stream->case_limit = data_sets(stream);
}

/* A given program goes on where its last turn ended. */
static void resume_program(stream_t *stream) {
  const stream_program_t *given = &stream->options.programs[stream->subject];
  arena_reset(&stream->arena);
  stream->instance = case_make(&stream->arena, &given->program);
  stream->broken = given->broken;
  stream->is_dynamic = program_is_dynamic(&given->program);
  if (stream->is_dynamic) stream->dynamic = given->program;
  stream->program_index = stream->subject;
  stream->case_index = stream->begun[stream->subject];
  uint64_t sets = data_sets(stream);
  bool is_endless = sets > UINT64_MAX - stream->case_index;
  stream->case_limit = is_endless ? UINT64_MAX : stream->case_index + sets;
}

static void next_program(stream_t *stream) {
  if (stream->has_program) {
    bool is_given = stream->options.program_count > 0;
    uint64_t first = is_given ? stream->begun[stream->subject] : 0;
    settle_turn(stream, stream->case_index + 1 - first);
    if (is_given) stream->begun[stream->subject] = stream->case_index + 1;
  }
  stream->has_program = true;
  pass_turn(stream);
  stream->subject = acceptance_choose(stream->parties[stream->turn].acceptance);
  if (stream->options.program_count > 0) {
    resume_program(stream);
  } else {
    choose_program(stream);
  }
}

/* Programs that were given get data of all strata. */
static stratum_t choose_data_stratum(const stream_t *stream) {
  const stream_options_t *options = &stream->options;
  const strata_t *strata = &options->gen.strata;
  rng_t rng = rng_make(
      derive_seed(options->seed, PURPOSE_DATA_STRATUM, stream->program_index, stream->case_index));
  if (options->program_count > 0) return strata_draw(strata, &rng);
  if (stream->broken != NULL) return stream->program_stratum;
  return gen_data_stratum(&rng, strata, stream->program_stratum, &stream->instance.program);
}

void stream_next(stream_t *stream) {
  stream->is_new_program = !stream->has_program || stream->case_index + 1 >= stream->case_limit;
  if (stream->is_new_program) {
    next_program(stream);
  } else {
    stream->case_index++;
    if (stream->is_dynamic) draw_sizes(stream);
  }
  uint64_t seed = stream->options.seed;
  stream->stratum = choose_data_stratum(stream);
  stream->case_seed = stratum_mark_seed(
      stream->stratum, derive_seed(seed, PURPOSE_DATA, stream->program_index, stream->case_index));
  stream->regime = stream_draw_data(stream->case_seed, &stream->instance);
}

void stream_skip_program(stream_t *stream) {
  stream->case_limit = stream->case_index + 1;
  if (stream->options.program_count == 0 || stream->retired[stream->subject]) return;
  stream->retired[stream->subject] = true;
  stream->retired_count++;
  for (size_t i = 0; i < stream->party_count; i++) {
    acceptance_retire(stream->parties[i].acceptance, stream->subject);
  }
}

bool stream_is_over(const stream_t *stream) {
  return stream->options.program_count > 0 && stream->retired_count == stream->subject_count;
}

gen_regime_t stream_draw_data(uint64_t case_seed, case_t *inout_case) {
  rng_t rng = rng_make(case_seed);
  return gen_data_in_stratum(&rng, stratum_of_seed(case_seed), inout_case);
}
