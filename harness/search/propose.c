/* SPDX-License-Identifier: Apache-2.0 */
/* Combines drawing, new data, and climbing into one stream of proposals per op, and distributes
 * each outcome to novelty, climber and scheduler. */
#include "harness/search/search.h"

#include <string.h>

#include "harness/search/climber.h"
#include "harness/search/first_pass.h"
#include "harness/search/scheduler.h"

enum {
  DRAWS = 4, /* Programs drawn, of which the one least like those before is taken. */
  FIRST_DRAWS = 64,
  FULL_CLIMB = 400, /* Cases until climbing has its full share: variety first. */
  CLIMB_LENGTH = 96,
  DEAR_LENGTH = 64, /* Where compiling is dear. */
  MUTATIONS_MAX = 4,
  LINE_BYTES_MAX = 1 << 24, /* Of the cases that niches keep. */
};

/* How many proposals in SHARES are which; the rest climb.  Where compiling is dear, programs change
 * as rarely as data for one are drawn often. */
enum { SHARES = 64 };
typedef struct share {
  uint64_t draw;
  uint64_t redraw;
} share_t;
static const share_t shares[] = {
    [false] = {.draw = 36, .redraw = 6}, [true] = {.draw = 4, .redraw = 16}};

/* Rewards of the scheduler, in features. */
static const double REWARD_RECORD = 0.5;
static const double REWARD_FINDING = 16;

/* An op under search. */
typedef struct subject {
  const op_t *op;
  climber_t *climber;
  uint32_t redraws_left; /* Where compiling is dear: more data for `redrawn`. */
  niche_t *redrawn;
} subject_t;

struct search {
  search_options_t options;
  subject_t *subjects; /* Owned; options.op_count of them. */
  climber_room_t room; /* Of all climbers. */
  scheduler_t *scheduler;
  novelty_t *novelty;
  GHashTable *structures; /* Owned hashes -> how many programs were drawn. */
  uint64_t cases;
  first_pass_t *first; /* Where compiling is dear; else NULL. */
  GString *first_line; /* The program that the first pass tries at present, */
  uint32_t first_left; /* and the data that it is still to have. */
};

search_t *search_new(const search_options_t *options) {
  search_t *search = g_new0(search_t, 1);
  search->options = *options;
  search->room = (climber_room_t){.bytes_max = LINE_BYTES_MAX,
                                  .bytes_share = LINE_BYTES_MAX / MAX(options->op_count, 1)};
  search->subjects = g_new0(subject_t, options->op_count);
  for (size_t i = 0; i < options->op_count; i++) {
    search->subjects[i] = (subject_t){.op = options->ops[i], .climber = climber_new(&search->room)};
  }
  search->scheduler = scheduler_new(options->op_count);
  search->novelty = novelty_new();
  search->structures = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
  search->first_line = g_string_new(NULL);
  bool passes = options->compiling_is_dear && !options->is_blind;
  if (passes) search->first = first_pass_new(options->op_count);
  return search;
}

void search_free(search_t *search) {
  if (search == NULL) return;
  for (size_t i = 0; i < search->options.op_count; i++) climber_free(search->subjects[i].climber);
  g_free(search->subjects);
  scheduler_free(search->scheduler);
  novelty_free(search->novelty);
  g_hash_table_destroy(search->structures);
  g_string_free(search->first_line, TRUE);
  first_pass_free(search->first);
  g_free(search);
}

/* ---- Drawing --------------------------------------------------------------------------------- */

/* Likes: programs of niches and structures that were seldom drawn. */
static double familiarity(const search_t *search, const subject_t *subject,
                          const novelty_label_t *label) {
  const niche_t *niche = climber_find_niche(subject->climber, label->niche);
  double drawn =
      (double)GPOINTER_TO_UINT(g_hash_table_lookup(search->structures, &label->structure));
  double visits = niche == NULL ? 0 : (double)niche->visits;
  bool is_refused = niche != NULL && niche->visits > 0 && niche->useful == 0;
  return (1 + visits) * (1 + drawn) * (is_refused ? 16 : 1);
}

static void note_structure(search_t *search, const novelty_label_t *label) {
  guint drawn = GPOINTER_TO_UINT(g_hash_table_lookup(search->structures, &label->structure));
  g_hash_table_replace(search->structures, g_memdup2(&label->structure, sizeof label->structure),
                       GUINT_TO_POINTER(drawn + 1));
}

/* Sometimes the regimes are equally likely, whatever their weights (but the last, `lanes`, which
 * the first pass has), and where functions turn somewhere there are numbers near it. */
static void draw_data(rng_t *rng, case_t *inout_case) {
  enum { TURNS_ONE_IN = 8 };
  if (gen_has_turns(&inout_case->program) && rng_one_in(rng, TURNS_ONE_IN)) {
    gen_data_in_regime(rng, REGIME_turns, inout_case);
  } else if (rng_one_in(rng, 4)) {
    gen_data_in_regime(rng, (gen_regime_t)rng_below(rng, REGIME_lanes), inout_case);
  } else {
    gen_data(rng, inout_case);
  }
}

/* A program that breaks a constraint is taken at once: there is nothing to climb. */
static void draw_case(search_t *search, subject_t *subject, rng_t *rng, arena_t *arena,
                      search_proposal_t *out_proposal) {
  program_t best = {0};
  const char *broken = NULL;
  double best_familiarity = 0;
  novelty_label_t best_label = {0};
  int draws = search->options.is_blind ? 1 : DRAWS;
  for (int i = 0; i < draws && broken == NULL; i++) {
    program_t program;
    gen_options_t gen = search->options.gen;
    if (i > 0) gen.invalid_one_in = 0;
    gen_program(rng, subject->op, &gen, arena, &program, &broken);
    if (broken != NULL) {
      best = program;
      break;
    }
    novelty_label_t label = novelty_label(search->novelty, &program);
    double present = familiarity(search, subject, &label);
    if (i > 0 && present >= best_familiarity) continue;
    best = program;
    best_label = label;
    best_familiarity = present;
  }
  if (broken == NULL) note_structure(search, &best_label);
  *out_proposal = (search_proposal_t){.instance = case_make(arena, &best),
                                      .broken = op_constraint_find(best.op, broken),
                                      .move = {.kind = SEARCH_MOVE_draw}};
  if (search->options.is_blind) {
    gen_data(rng, &out_proposal->instance);
  } else {
    draw_data(rng, &out_proposal->instance);
  }
}

static bool redraw_case(niche_t *niche, rng_t *rng, arena_t *arena,
                        search_proposal_t *out_proposal) {
  if (niche->line == NULL) return false;
  *out_proposal = (search_proposal_t){.move = {.kind = SEARCH_MOVE_redraw, .niche = niche}};
  if (case_parse(str_from(niche->line), arena, &out_proposal->instance, NULL, NULL) != STATUS_OK)
    return false;
  draw_data(rng, &out_proposal->instance);
  return true;
}

/* ---- The first pass -------------------------------------------------------------------------- */

/* Of some draws the one with most that is new; false if none has anything. */
static bool draw_new(search_t *search, size_t index, rng_t *rng, arena_t *arena,
                     program_t *out_program) {
  gen_options_t gen = search->options.gen;
  gen.invalid_one_in = 0;
  size_t most = 0;
  for (int i = 0; i < FIRST_PASS_DRAWS; i++) {
    program_t program;
    const char *broken;
    gen_program(rng, search->subjects[index].op, &gen, arena, &program, &broken);
    size_t present = first_pass_count_new(search->first, index, &program);
    if (present <= most) continue;
    most = present;
    *out_program = program;
  }
  return most > 0;
}

/* The next program of the first pass; false once it is over. */
static bool begin_first(search_t *search, rng_t *rng, arena_t *arena, program_t *out_program) {
  size_t index;
  while ((index = first_pass_choose(search->first)) < search->options.op_count) {
    if (!draw_new(search, index, rng, arena, out_program)) {
      first_pass_miss(search->first, index);
      continue;
    }
    first_pass_try(search->first, index, out_program);
    novelty_label_t label = novelty_label(search->novelty, out_program);
    note_structure(search, &label);
    g_string_truncate(search->first_line, 0);
    program_print(out_program, search->first_line);
    search->first_left = FIRST_PASS_DATA;
    return true;
  }
  return false;
}

/* The data of a program of the first pass: two of rows with one number unlike the others, one near
 * where functions turn, if the program has such, and what is drawn for any. */
static void draw_first_data(rng_t *rng, uint32_t number, case_t *inout_case) {
  enum { LANED = 2 };
  const program_t *program = &inout_case->program;
  if (number < LANED && gen_has_lanes(program)) {
    gen_data_in_regime(rng, REGIME_lanes, inout_case);
  } else if (number == LANED && gen_has_turns(program)) {
    gen_data_in_regime(rng, REGIME_turns, inout_case);
  } else {
    draw_data(rng, inout_case);
  }
}

static bool propose_first(search_t *search, rng_t *rng, arena_t *arena,
                          search_proposal_t *out_proposal) {
  if (search->first == NULL) return false;
  program_t program;
  str_t line = {.data = search->first_line->str, .size = search->first_line->len};
  bool goes_on =
      search->first_left > 0 && program_parse(line, arena, &program, NULL, NULL) == STATUS_OK;
  if (!goes_on && !begin_first(search, rng, arena, &program)) return false;
  search->first_left--;
  *out_proposal = (search_proposal_t){.instance = case_make(arena, &program),
                                      .move = {.kind = SEARCH_MOVE_draw}};
  draw_first_data(rng, search->first_left, &out_proposal->instance);
  return true;
}

/* ---- Proposals ------------------------------------------------------------------------------- */

static search_move_kind_t choose_kind(const search_t *search, rng_t *rng) {
  const share_t *share = &shares[search->options.compiling_is_dear];
  uint64_t ticket = rng_below(rng, SHARES);
  bool begins = !search->options.compiling_is_dear && search->cases < FIRST_DRAWS;
  if (search->options.is_blind || begins) return SEARCH_MOVE_draw;
  bool climbs = search->options.compiling_is_dear || rng_below(rng, FULL_CLIMB) < search->cases;
  if (ticket < share->draw) return SEARCH_MOVE_draw;
  if (ticket < share->draw + share->redraw) return SEARCH_MOVE_redraw;
  return climbs ? SEARCH_MOVE_climb : SEARCH_MOVE_draw;
}

static bool propose_redraw(const search_t *search, subject_t *subject, rng_t *rng, arena_t *arena,
                           search_proposal_t *out_proposal) {
  if (subject->redraws_left == 0 || subject->redrawn == NULL) {
    subject->redrawn = climber_choose_rare(subject->climber, rng);
    subject->redraws_left = search->options.compiling_is_dear ? DEAR_LENGTH : 1;
  }
  subject->redraws_left--;
  return subject->redrawn != NULL && redraw_case(subject->redrawn, rng, arena, out_proposal);
}

static bool propose_climb(const search_t *search, subject_t *subject, rng_t *rng, arena_t *arena,
                          search_proposal_t *out_proposal) {
  if (search->options.never_climbs) return false;
  climber_t *climber = subject->climber;
  if (!climber_is_climbing(climber)) {
    niche_t *niche = climber_choose_promising(climber);
    if (niche == NULL) return false;
    climber_begin(climber, niche, search->options.compiling_is_dear ? DEAR_LENGTH : CLIMB_LENGTH);
    if (!climber_is_climbing(climber)) return false;
  }
  climber_propose(climber, rng, arena, out_proposal);
  return true;
}

static void mutate_hint(const search_t *search, rng_t *rng, arena_t *arena, const case_t *hint,
                        search_proposal_t *out_proposal) {
  *out_proposal =
      (search_proposal_t){.instance = case_copy(arena, hint), .move = {.kind = SEARCH_MOVE_mutate}};
  uint64_t count = 1 + rng_below(rng, MUTATIONS_MAX);
  for (uint64_t i = 0; i < count; i++) {
    gen_mutate(rng, &search->options.gen, arena, &out_proposal->instance);
  }
}

void search_propose(search_t *search, rng_t *rng, arena_t *arena, const case_t *hint,
                    search_proposal_t *out_proposal) {
  if (hint != NULL) {
    mutate_hint(search, rng, arena, hint, out_proposal);
    return;
  }
  if (propose_first(search, rng, arena, out_proposal)) return;
  subject_t *subject = &search->subjects[scheduler_choose(search->scheduler, rng)];
  search_move_kind_t kind = choose_kind(search, rng);
  bool is_made = false;
  if (kind == SEARCH_MOVE_climb) {
    is_made = propose_climb(search, subject, rng, arena, out_proposal);
  }
  if (kind != SEARCH_MOVE_draw && !is_made) {
    is_made = propose_redraw(search, subject, rng, arena, out_proposal);
  }
  if (!is_made) draw_case(search, subject, rng, arena, out_proposal);
}

/* ---- Learning -------------------------------------------------------------------------------- */

static subject_t *find_subject(search_t *search, const op_t *op, size_t *out_index) {
  for (size_t i = 0; i < search->options.op_count; i++) {
    *out_index = i;
    if (search->subjects[i].op == op) return &search->subjects[i];
  }
  return NULL;
}

static bool was_executed(const search_outcome_t *outcome) {
  for (size_t i = 0; i < outcome->verdict_count; i++) {
    if (outcome->verdicts[i].outcome != OUTCOME_refused) return true;
  }
  return false;
}

/* Storage integers and indices reach their bound at once, as sums of a few terms do: whatever was
 * added up, what is left of its error is one rounding to a step that is much wider. */
static bool has_float_result(const program_t *program) {
  bool has = false;
  for (uint32_t i = 0; i < program->result_count; i++) {
    has |= program->results[i].element->format != NULL;
  }
  return has;
}

static double learn_valid(subject_t *subject, const search_proposal_t *proposal,
                          const novelty_label_t *label, const search_outcome_t *outcome) {
  int order = has_float_result(&proposal->instance.program) ? label->order : 0;
  niche_t *niche = climber_niche(subject->climber, label->niche, order);
  niche->visits++;
  if (was_executed(outcome)) niche->useful++;
  if (outcome->is_new_finding) niche->findings++;
  height_t height;
  bool conforms = climber_height(outcome->verdicts, outcome->verdict_count, &height);
  bool is_record = climber_learn(subject->climber, niche, proposal, conforms ? &height : NULL);
  return is_record ? REWARD_RECORD : 0;
}

void search_learn(search_t *search, const search_proposal_t *proposal,
                  const search_outcome_t *outcome) {
  const program_t *program = &proposal->instance.program;
  size_t index;
  subject_t *subject = find_subject(search, program->op, &index);
  novelty_begin(search->novelty);
  novelty_label_t label = novelty_label(search->novelty, program);
  search->cases++;
  size_t fresh = 0;
  for (size_t i = 0; i < outcome->verdict_count; i++) {
    /* A refusal tells nothing of how the executor computes: no reason to keep the case. */
    if (outcome->verdicts[i].outcome == OUTCOME_refused) continue;
    fresh += novelty_add(search->novelty, &label, &outcome->verdicts[i]);
  }
  if (subject == NULL) return; /* Out of a corpus with other ops. */
  if (search->first != NULL && proposal->broken == NULL) {
    if (was_executed(outcome)) {
      first_pass_note_answer(search->first, index, program);
    } else {
      search->first_left = 0; /* Other data are refused as well. */
    }
  }
  double reward = (double)fresh + (outcome->is_new_finding ? REWARD_FINDING : 0);
  if (proposal->broken == NULL && !search->options.is_blind) {
    reward += learn_valid(subject, proposal, &label, outcome);
  }
  scheduler_note(search->scheduler, index, outcome->cost, reward);
  /* That somebody rejects broken programs does not make him one who answers the op. */
  if (proposal->broken == NULL) {
    scheduler_note_answer(search->scheduler, index, was_executed(outcome));
  }
}

void search_pass_over(search_t *search) { search->first_left = 0; }

const novelty_mark_t *search_marks(const search_t *search, size_t *out_count) {
  return novelty_marks(search->novelty, out_count);
}

uint64_t search_op_cost(const search_t *search, size_t op) {
  return scheduler_cost(search->scheduler, op);
}

size_t search_feature_count(const search_t *search) { return novelty_count(search->novelty); }

double search_slack_max(const search_t *search, size_t op) {
  return climber_slack_max(search->subjects[op].climber);
}
