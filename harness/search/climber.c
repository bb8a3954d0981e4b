/* SPDX-License-Identifier: Apache-2.0 */
/* Hill climbing per niche: chooses a niche by tournament, proposes edits weighted by past gains,
 * accepts what is not lower, restarts stuck niches, and drops stored cases when memory is short. */
#include "harness/search/climber.h"

#include <math.h>
#include <string.h>

enum {
  PATIENCE = 200,  /* Climbs without a rise until another niche is climbed. */
  STUCK_MAX = 400, /* Climbs without a rise until a niche begins anew. */
  TOURNAMENT = 16,
};

static const double RISE_THAT_PAYS = 1 + 1.0 / 32; /* Of the slack. */
static const double GAIN_STEP_UP = 0.3;
static const double GAIN_STEP_DOWN = 1.0 / 64;
static const double EDIT_STEP = 1.0 / 32;
static const double EDIT_WEIGHT_MIN = 0.03;

struct climber {
  GHashTable *by_key;   /* Borrowed keys and niches. */
  GPtrArray *niches;    /* Owned, in order of appearance. */
  climber_room_t *room; /* Borrowed; NULL: there is no limit. */
  size_t line_bytes;    /* Of the niches' lines. */
  guint hand;           /* The niche that makes room next. */
  GString *text;        /* Scratch. */
  arena_t arena;        /* Of the present burst. */
  burst_t burst;
  double edit_gains[GEN_EDIT_COUNT]; /* Decayed shares of proposals with such an edit that rose. */
  double slack_max;
};

static void niche_free(gpointer pointer) {
  niche_t *niche = (niche_t *)pointer;
  g_free(niche->line);
  g_free(niche);
}

climber_t *climber_new(climber_room_t *room) {
  climber_t *climber = g_new0(climber_t, 1);
  climber->room = room;
  climber->text = g_string_new(NULL);
  climber->by_key = g_hash_table_new(g_int64_hash, g_int64_equal);
  climber->niches = g_ptr_array_new_with_free_func(niche_free);
  arena_init(&climber->arena);
  for (int i = 0; i < GEN_EDIT_COUNT; i++) climber->edit_gains[i] = 0.5;
  return climber;
}

void climber_free(climber_t *climber) {
  if (climber == NULL) return;
  if (climber->room != NULL) climber->room->bytes -= climber->line_bytes;
  g_string_free(climber->text, TRUE);
  g_hash_table_destroy(climber->by_key);
  g_ptr_array_unref(climber->niches);
  arena_deinit(&climber->arena);
  g_free(climber);
}

const niche_t *climber_find_niche(const climber_t *climber, uint64_t key) {
  return (const niche_t *)g_hash_table_lookup(climber->by_key, &key);
}

niche_t *climber_niche(climber_t *climber, uint64_t key, int order) {
  niche_t *niche = (niche_t *)g_hash_table_lookup(climber->by_key, &key);
  if (niche != NULL) return niche;
  niche = g_new0(niche_t, 1);
  niche->key = key;
  niche->order = order;
  niche->gain = 1;
  g_hash_table_insert(climber->by_key, &niche->key, niche);
  g_ptr_array_add(climber->niches, niche);
  return niche;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static void count_bytes(climber_t *climber, const char *line, bool is_added) {
  if (line == NULL) return;
  size_t bytes = strlen(line) + 1;
  climber->line_bytes = is_added ? climber->line_bytes + bytes : climber->line_bytes - bytes;
  if (climber->room == NULL) return;
  climber->room->bytes = is_added ? climber->room->bytes + bytes : climber->room->bytes - bytes;
}

static void drop_line(climber_t *climber, niche_t *niche) {
  count_bytes(climber, niche->line, false);
  g_free(niche->line);
  niche->line = NULL;
  niche->is_climbable = false;
}

/* Niches drop their lines in turn, but for the one whose line is new and the one that is climbed.
 */
static void make_room(climber_t *climber, const niche_t *kept) {
  const climber_room_t *room = climber->room;
  if (room == NULL) return;
  for (guint i = 0; i < climber->niches->len; i++) {
    if (room->bytes <= room->bytes_max || climber->line_bytes <= room->bytes_share) return;
    niche_t *niche = (niche_t *)g_ptr_array_index(climber->niches, climber->hand);
    climber->hand = (climber->hand + 1) % climber->niches->len;
    if (niche != kept && niche != climber->burst.niche) drop_line(climber, niche);
  }
}

static void set_line(climber_t *climber, niche_t *niche, const case_t *instance) {
  g_string_truncate(climber->text, 0);
  case_print(instance, climber->text);
  count_bytes(climber, niche->line, false);
  g_free(niche->line);
  niche->line = g_strdup(climber->text->str);
  count_bytes(climber, niche->line, true);
  make_room(climber, niche);
}

/* ---- Heights --------------------------------------------------------------------------------- */

static bool is_higher(const height_t *a, const height_t *b) {
  if (a->slack != b->slack) return a->slack > b->slack;
  if (a->ulp_error != b->ulp_error) return a->ulp_error > b->ulp_error;
  return a->backward_error > b->backward_error;
}

/* A slack without end says only that nothing may differ. */
static double measure_of(double value) { return isfinite(value) && value > 0 ? value : 0; }

bool climber_height(const verdict_t *verdicts, size_t count, height_t *out_height) {
  bool conforms = false;
  for (size_t i = 0; i < count; i++) {
    const verdict_t *verdict = &verdicts[i];
    if (verdict->outcome != OUTCOME_conforms) continue;
    const height_t height = {.slack = measure_of(verdict->slack_max),
                             .ulp_error = measure_of(verdict->ulp_error_max),
                             .backward_error = measure_of(verdict->backward_error_max)};
    if (!conforms || is_higher(&height, out_height)) *out_height = height;
    conforms = true;
  }
  return conforms;
}

double climber_slack_max(const climber_t *climber) { return climber->slack_max; }

/* ---- Choice of a niche ----------------------------------------------------------------------- */

/* The longer a sum and the higher it is already, the more there is to find; but sums of a few terms
 * reach their bound at once, and rightly so.  Where a fault was found, there is less. */
static double promise(const niche_t *niche) {
  enum { SHORT_ORDER = 2 };
  double slack = fmin(niche->present.slack, 1);
  double height = niche->order <= SHORT_ORDER ? 1.02 - slack : 0.1 + slack;
  return niche->gain * height * (1 + niche->order * niche->order) / (1 + niche->findings);
}

static bool is_refused(const niche_t *niche) { return niche->visits > 0 && niche->useful == 0; }

static niche_t *draw_niche(climber_t *climber, rng_t *rng) {
  return (niche_t *)g_ptr_array_index(climber->niches, rng_below(rng, climber->niches->len));
}

niche_t *climber_choose_rare(climber_t *climber, rng_t *rng) {
  niche_t *best = NULL;
  for (int i = 0; climber->niches->len > 0 && i < TOURNAMENT; i++) {
    niche_t *niche = draw_niche(climber, rng);
    if (niche->line == NULL || is_refused(niche)) continue;
    if (best == NULL || niche->visits < best->visits) best = niche;
  }
  return best;
}

/* All are looked at, which is cheap: a burst is long. */
niche_t *climber_choose_promising(climber_t *climber) {
  niche_t *best = NULL;
  for (guint i = 0; i < climber->niches->len; i++) {
    niche_t *niche = (niche_t *)g_ptr_array_index(climber->niches, i);
    if (!niche->is_climbable || !(niche->present.slack > 0)) continue;
    if (best == NULL || promise(niche) > promise(best)) best = niche;
  }
  return best;
}

/* ---- Climbing -------------------------------------------------------------------------------- */

static void end_burst(climber_t *climber) {
  burst_t *burst = &climber->burst;
  if (burst->niche != NULL && burst->has_changed) set_line(climber, burst->niche, &burst->instance);
  burst->niche = NULL;
}

void climber_begin(climber_t *climber, niche_t *niche, uint32_t length) {
  end_burst(climber);
  if (niche->line == NULL) return; /* It made room for the line of the last one. */
  arena_reset(&climber->arena);
  case_t instance;
  if (case_parse(str_from(niche->line), &climber->arena, &instance, NULL, NULL) != STATUS_OK) {
    niche->is_climbable = false;
    return;
  }
  climber->burst = (burst_t){.niche = niche, .instance = instance, .left = length};
}

bool climber_is_climbing(const climber_t *climber) {
  return climber->burst.niche != NULL && climber->burst.left > 0;
}

static gen_edit_t choose_edit(const climber_t *climber, rng_t *rng) {
  double total = 0;
  for (int i = 0; i < GEN_EDIT_COUNT; i++) total += EDIT_WEIGHT_MIN + climber->edit_gains[i];
  double ticket = (double)(rng_bits(rng) >> 11) * 0x1p-53 * total;
  int kind = 0;
  while (kind + 1 < GEN_EDIT_COUNT && ticket >= EDIT_WEIGHT_MIN + climber->edit_gains[kind]) {
    ticket -= EDIT_WEIGHT_MIN + climber->edit_gains[kind++];
  }
  return (gen_edit_t)kind;
}

/* Where it last rose, three times in four; then along the slice. */
static bool choose_place(const burst_t *burst, rng_t *rng, gen_place_t *out_place) {
  if (!burst->has_place || rng_one_in(rng, 4)) {
    return gen_draw_place(rng, &burst->instance, out_place);
  }
  *out_place = burst->place;
  return true;
}

void climber_propose(climber_t *climber, rng_t *rng, arena_t *arena,
                     search_proposal_t *out_proposal) {
  burst_t *burst = &climber->burst;
  burst->left--;
  *out_proposal = (search_proposal_t){.instance = case_copy(arena, &burst->instance),
                                      .move = {.kind = SEARCH_MOVE_climb, .niche = burst->niche}};
  search_move_t *move = &out_proposal->move;
  if (!choose_place(burst, rng, &move->place)) return;
  uint64_t count = 1;
  while (count < SEARCH_EDITS_MAX && rng_one_in(rng, 2)) count++;
  gen_place_t place = move->place;
  for (uint64_t i = 0; i < count; i++) {
    gen_edit_t kind = choose_edit(climber, rng);
    gen_move_in_slice(rng, &out_proposal->instance, &place);
    gen_edit(rng, kind, &place, &out_proposal->instance);
    move->edits[move->edit_count++] = kind;
  }
  gen_settle(rng, &out_proposal->instance);
}

static void credit_edits(climber_t *climber, const search_move_t *move, bool rose) {
  for (uint32_t i = 0; i < move->edit_count; i++) {
    double *gain = &climber->edit_gains[move->edits[i]];
    *gain += ((rose ? 1 : 0) - *gain) * EDIT_STEP;
  }
}

static void take_data(const case_t *from, case_t *to) {
  for (uint32_t i = 0; i < to->program.operand_count; i++) {
    memcpy(to->operands[i].data, from->operands[i].data, type_bytes(&to->operands[i].type));
  }
}

static void learn_climb(climber_t *climber, niche_t *niche, const search_proposal_t *proposal,
                        const height_t *height) {
  bool rose = height != NULL && is_higher(height, &niche->present);
  bool paid = rose && height->slack > niche->present.slack * RISE_THAT_PAYS;
  bool is_level = height != NULL && !is_higher(&niche->present, height);
  credit_edits(climber, &proposal->move, rose);
  niche->gain += paid ? (1 - niche->gain) * GAIN_STEP_UP : -niche->gain * GAIN_STEP_DOWN;
  niche->stuck = rose ? 0 : niche->stuck + 1;
  burst_t *burst = &climber->burst;
  if (is_level && burst->niche == niche) {
    take_data(&proposal->instance, &burst->instance);
    burst->has_changed = true;
    niche->present = *height;
    if (rose) {
      burst->place = proposal->move.place;
      burst->has_place = true;
    }
    if (paid) burst->left = MAX(burst->left, PATIENCE);
  }
  if (niche->stuck >= STUCK_MAX) {
    niche->stuck = 0;
    niche->is_climbable = false;
    if (burst->niche == niche) end_burst(climber);
  }
}

/* Of a case that was not climbed to. */
static void learn_other(climber_t *climber, niche_t *niche, const search_proposal_t *proposal,
                        const height_t *height) {
  bool is_first = niche->line == NULL;
  bool is_start = height != NULL && (!niche->is_climbable || is_higher(height, &niche->present));
  if (!is_first && !is_start) return;
  if (climber->burst.niche == niche) climber->burst.niche = NULL;
  set_line(climber, niche, &proposal->instance);
  if (!is_start) return;
  niche->present = *height;
  niche->is_climbable = true;
}

bool climber_learn(climber_t *climber, niche_t *niche, const search_proposal_t *proposal,
                   const height_t *height) {
  if (proposal->move.kind == SEARCH_MOVE_climb && proposal->move.niche == niche) {
    learn_climb(climber, niche, proposal, height);
  } else {
    learn_other(climber, niche, proposal, height);
  }
  if (height == NULL) return false;
  bool is_record = height->slack > niche->record.slack;
  if (is_higher(height, &niche->record)) niche->record = *height;
  if (height->slack > climber->slack_max) climber->slack_max = height->slack;
  return is_record;
}
