/* SPDX-License-Identifier: Apache-2.0 */
/* The search: the same calls give the same proposals; these are valid, or broken on purpose; floors
 * hold; novelty is exact; records never fall; and hard faults are found in fewer cases. */
#include <inttypes.h>
#include <string.h>

#include "harness/search/climber.h"
#include "harness/search/scheduler.h"
#include "tests/search/first_found.h"

static const draw_limits_t small_limits = {.rank_max = 3, .elements_max = 64, .terms_max = 48};

/* Those of `assay fuzz`. */
static const draw_limits_t fuzz_limits = {.rank_max = 4, .elements_max = 512, .terms_max = 128};

static const char *const op_names[] = {"stablehlo.reduce", "stablehlo.dot_general", "byteir.erf"};

typedef struct fixture {
  const op_t *ops[G_N_ELEMENTS(op_names)];
  search_t *search;
  rng_t rng;
  arena_t arena;
} fixture_t;

static void fixture_open(fixture_t *fixture, const search_options_t *how) {
  search_options_t options = *how;
  for (size_t i = 0; i < G_N_ELEMENTS(op_names); i++) {
    fixture->ops[i] = op_find(str_from(op_names[i]));
    g_assert_nonnull(fixture->ops[i]);
  }
  options.ops = fixture->ops;
  options.op_count = G_N_ELEMENTS(op_names);
  options.gen = gen_options_default();
  options.gen.limits = small_limits;
  fixture->search = search_new(&options);
  fixture->rng = rng_make(7);
  arena_init(&fixture->arena);
}

static void fixture_close(fixture_t *fixture) {
  search_free(fixture->search);
  arena_deinit(&fixture->arena);
}

/* A verdict that depends on the case alone. */
static verdict_t invented_verdict(const char *line, bool is_broken) {
  rng_t rng = rng_make(g_str_hash(line));
  verdict_t verdict = {.outcome = is_broken ? OUTCOME_refused : OUTCOME_conforms,
                       .slack_max = (double)rng_below(&rng, 1000) / 1000,
                       .ulp_error_max = (double)rng_below(&rng, 1000) / 10};
  if (rng_one_in(&rng, 50)) verdict.outcome = OUTCOME_diverges;
  return verdict;
}

/* Proposes and learns once; appends the case line to `out_lines`. */
static void step(fixture_t *fixture, uint64_t cost, GString *out_lines) {
  arena_reset(&fixture->arena);
  search_proposal_t proposal;
  search_propose(fixture->search, &fixture->rng, &fixture->arena, NULL, &proposal);
  gsize begin = out_lines->len;
  case_print(&proposal.instance, out_lines);
  const program_t *program = &proposal.instance.program;
  g_assert_true(program_broken(program) == proposal.broken);
  verdict_t verdict = invented_verdict(out_lines->str + begin, proposal.broken != NULL);
  g_string_append_c(out_lines, '\n');
  const search_outcome_t outcome = {.verdicts = &verdict, .verdict_count = 1, .cost = cost};
  search_learn(fixture->search, &proposal, &outcome);
}

/* ---- Proposals ------------------------------------------------------------------------------- */

static GString *proposed_lines(const search_options_t *how, int count) {
  fixture_t fixture;
  fixture_open(&fixture, how);
  GString *lines = g_string_new(NULL);
  for (int i = 0; i < count; i++) step(&fixture, 1, lines);
  fixture_close(&fixture);
  return lines;
}

static void test_same_calls_same_proposals(void) {
  static const search_options_t hows[] = {
      {0}, {.compiling_is_dear = true}, {.is_blind = true}, {.never_climbs = true}};
  for (size_t i = 0; i < G_N_ELEMENTS(hows); i++) {
    GString *first = proposed_lines(&hows[i], 1500);
    GString *second = proposed_lines(&hows[i], 1500);
    g_assert_true(g_string_equal(first, second));
    g_string_free(first, TRUE);
    g_string_free(second, TRUE);
  }
}

static size_t count_programs(const GString *lines) {
  g_autoptr(GHashTable) programs = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  g_auto(GStrv) split = g_strsplit(lines->str, "\n", -1);
  for (char **line = split; **line != '\0'; line++) {
    char *colon = strstr(*line, " :");
    g_hash_table_add(programs,
                     g_strndup(*line, colon == NULL ? strlen(*line) : (gsize)(colon - *line)));
  }
  return g_hash_table_size(programs);
}

static void test_dear_programs_are_rare(void) {
  GString *cheap = proposed_lines(&(search_options_t){0}, 3000);
  GString *dear = proposed_lines(&(search_options_t){.compiling_is_dear = true}, 3000);
  g_test_message("%zu programs in 3000 cases, %zu where compiling is dear", count_programs(cheap),
                 count_programs(dear));
  g_assert_cmpuint(count_programs(dear), <, 3000 / 8);
  g_assert_cmpuint(count_programs(dear), <, count_programs(cheap) / 3);
  g_string_free(cheap, TRUE);
  g_string_free(dear, TRUE);
}

/* Every kind of move is made, invalid programs among them, and these are never climbed on. */
static void test_moves(void) {
  fixture_t fixture;
  fixture_open(&fixture, &(search_options_t){0});
  size_t counts[SEARCH_MOVE_KIND_COUNT] = {0};
  size_t broken = 0;
  case_t hint;
  arena_t hint_arena;
  arena_init(&hint_arena);
  for (int i = 0; i < 6000; i++) {
    arena_reset(&fixture.arena);
    search_proposal_t proposal;
    search_propose(fixture.search, &fixture.rng, &fixture.arena, i % 20 == 19 ? &hint : NULL,
                   &proposal);
    counts[proposal.move.kind]++;
    broken += proposal.broken != NULL;
    if (proposal.broken != NULL) g_assert_cmpint(proposal.move.kind, ==, SEARCH_MOVE_draw);
    const program_t *program = &proposal.instance.program;
    g_assert_true(program_broken(program) == proposal.broken);
    if (i % 20 == 18) {
      arena_reset(&hint_arena);
      hint = case_copy(&hint_arena, &proposal.instance);
    }
    verdict_t verdict = {.outcome = proposal.broken != NULL ? OUTCOME_refused : OUTCOME_conforms,
                         .slack_max = 0.1};
    const search_outcome_t outcome = {.verdicts = &verdict, .verdict_count = 1, .cost = 1};
    search_learn(fixture.search, &proposal, &outcome);
  }
  for (int kind = SEARCH_MOVE_draw; kind < SEARCH_MOVE_KIND_COUNT; kind++) {
    g_test_message("move %d: %zu times", kind, counts[kind]);
    g_assert_cmpuint(counts[kind], >, 100);
  }
  g_assert_cmpuint(broken, >, 10);
  g_assert_cmpuint(broken, <, 200);
  arena_deinit(&hint_arena);
  fixture_close(&fixture);
}

/* ---- Scheduling ------------------------------------------------------------------------------ */

/* One subject yields all the time, one never, one costs ten times as much. */
static void test_floor(void) {
  enum { SUBJECTS = 5, CASES = 20000 };
  scheduler_t *scheduler = scheduler_new(SUBJECTS);
  rng_t rng = rng_make(1);
  uint64_t total = 0;
  for (int i = 0; i < CASES; i++) {
    size_t index = scheduler_choose(scheduler, &rng);
    g_assert_cmpuint(index, <, SUBJECTS);
    uint64_t cost = index == 3 ? 1000 : 100;
    scheduler_note(scheduler, index, cost, index == 1 ? 1 : 0);
    total += cost;
  }
  for (size_t i = 0; i < SUBJECTS; i++) {
    double share = (double)scheduler_cost(scheduler, i) / (double)total;
    g_test_message("subject %zu: %.3f of the cost", i, share);
    g_assert_cmpfloat(share, >=, 0.99 / (SCHEDULER_FLOOR_PART * SUBJECTS));
  }
  double rich = (double)scheduler_cost(scheduler, 1) / (double)total;
  g_assert_cmpfloat(rich, >, 0.4);
  scheduler_free(scheduler);
}

/* What nobody answers gets next to nothing, until somebody does. */
static void test_mute(void) {
  enum { SUBJECTS = 4, CASES = 20000 };
  scheduler_t *scheduler = scheduler_new(SUBJECTS);
  rng_t rng = rng_make(1);
  uint64_t before = 0;
  for (int i = 0; i < 2 * CASES; i++) {
    if (i == CASES) before = scheduler_cost(scheduler, 2);
    size_t index = scheduler_choose(scheduler, &rng);
    scheduler_note(scheduler, index, 100, 0);
    scheduler_note_answer(scheduler, index, index != 2 || i >= CASES);
  }
  double all = 100.0 * (double)CASES;
  double mute = (double)before / all;
  double later = (double)(scheduler_cost(scheduler, 2) - before) / all;
  g_test_message("%.4f of the cost while mute, %.4f after", mute, later);
  g_assert_cmpfloat(mute, >, 0);
  g_assert_cmpfloat(mute, <, 1.1 / (SCHEDULER_FLOOR_PART * SUBJECTS * SCHEDULER_MUTE_PART) + 0.004);
  g_assert_cmpfloat(later, >, 0.99 / (double)(SCHEDULER_FLOOR_PART * SUBJECTS));
  scheduler_free(scheduler);
}

static void test_search_floor(void) {
  fixture_t fixture;
  fixture_open(&fixture, &(search_options_t){0});
  GString *lines = g_string_new(NULL);
  uint64_t total = 0;
  for (int i = 0; i < 4000; i++) {
    g_string_truncate(lines, 0);
    step(&fixture, 1 + (uint64_t)i % 3, lines);
    total += 1 + (uint64_t)i % 3;
  }
  for (size_t i = 0; i < G_N_ELEMENTS(op_names); i++) {
    double share = (double)search_op_cost(fixture.search, i) / (double)total;
    g_test_message("%s: %.3f of the cost", op_names[i], share);
    g_assert_cmpfloat(share, >=, 0.98 / (SCHEDULER_FLOOR_PART * G_N_ELEMENTS(op_names)));
  }
  g_string_free(lines, TRUE);
  fixture_close(&fixture);
}

/* ---- Novelty --------------------------------------------------------------------------------- */

static void test_novelty_is_exact(void) {
  arena_t arena;
  arena_init(&arena);
  program_t program;
  g_assert_cmpint(
      program_parse(str_from("stablehlo.reduce body=add dims=[0] f32[8] f32[] -> f32[]"), &arena,
                    &program, NULL, NULL),
      ==, STATUS_OK);
  novelty_t *novelty = novelty_new();
  novelty_label_t label = novelty_label(novelty, &program);
  verdict_t verdict = {.outcome = OUTCOME_conforms, .slack_max = 0.5, .ulp_error_max = 2};
  size_t mark_count;
  novelty_begin(novelty);
  g_assert_cmpuint(novelty_add(novelty, &label, &verdict), ==, 3); /* Niche, error, slack. */
  novelty_begin(novelty);
  g_assert_cmpuint(novelty_add(novelty, &label, &verdict), ==, 0);
  novelty_marks(novelty, &mark_count);
  g_assert_cmpuint(mark_count, ==, 3); /* Marked though known. */
  verdict.slack_max = 0.51;            /* The same level. */
  g_assert_cmpuint(novelty_add(novelty, &label, &verdict), ==, 0);
  verdict.slack_max = 0.9;
  g_assert_cmpuint(novelty_add(novelty, &label, &verdict), ==, 1);
  verdict.outcome = OUTCOME_diverges;
  verdict.class_ = CLASS_value;
  g_assert_cmpuint(novelty_add(novelty, &label, &verdict), ==, 1);
  /* As many as there are, whatever marks they share. */
  size_t known = novelty_count(novelty);
  for (uint64_t i = 0; i < 20000; i++) {
    novelty_begin(novelty);
    novelty_label_t other = {.label = i * 2, .niche = i * 2 + 1};
    verdict_t exact = {.outcome = OUTCOME_conforms};
    g_assert_cmpuint(novelty_add(novelty, &other, &exact), ==, 1);
    const novelty_mark_t *marks = novelty_marks(novelty, &mark_count);
    for (size_t m = 0; m < mark_count; m++) g_assert_cmpuint(marks[m].slot, <, NOVELTY_SLOTS);
  }
  g_assert_cmpuint(novelty_count(novelty), ==, known + 20000);
  novelty_free(novelty);
  arena_deinit(&arena);
}

/* ---- Climbing -------------------------------------------------------------------------------- */

static void test_record_never_falls(void) {
  fixture_t fixture;
  fixture_open(&fixture, &(search_options_t){0});
  GString *lines = g_string_new(NULL);
  double highest[G_N_ELEMENTS(op_names)] = {0};
  for (int i = 0; i < 4000; i++) {
    g_string_truncate(lines, 0);
    step(&fixture, 1, lines);
    for (size_t op = 0; op < G_N_ELEMENTS(op_names); op++) {
      double slack = search_slack_max(fixture.search, op);
      g_assert_cmpfloat(slack, >=, highest[op]);
      highest[op] = slack;
    }
  }
  g_assert_cmpfloat(highest[0], >, 0.9);
  g_string_free(lines, TRUE);
  fixture_close(&fixture);
}

static double invented_height(const case_t *instance, GString *line, height_t *out_height) {
  g_string_truncate(line, 0);
  case_print(instance, line);
  verdict_t verdict = invented_verdict(line->str, false);
  *out_height = (height_t){.slack = verdict.slack_max, .ulp_error = verdict.ulp_error_max};
  return verdict.slack_max;
}

/* Hundreds of niches, of which the memory holds the cases of a few: those of others make room, also
 * while one is climbed, and records stay. */
static void test_room(void) {
  enum { NICHES = 300, CASES = 20000, BYTES = 1 << 14 };
  climber_room_t room = {.bytes_max = BYTES, .bytes_share = BYTES / 2};
  climber_t *climber = climber_new(&room);
  double records[NICHES] = {0};
  rng_t rng = rng_make(5);
  arena_t arena;
  arena_init(&arena);
  program_t program;
  g_assert_cmpint(
      program_parse(str_from("stablehlo.reduce body=add dims=[0] f32[40] f32[] -> f32[]"), &arena,
                    &program, NULL, NULL),
      ==, STATUS_OK);
  GString *line = g_string_new(NULL);
  arena_mark_t mark = arena_mark(&arena);
  int climbs = 0;
  for (int i = 0; i < CASES; i++) {
    arena_rewind(&arena, mark);
    niche_t *niche = climber_niche(climber, rng_below(&rng, NICHES), 3);
    search_proposal_t proposal = {0};
    if (rng_one_in(&rng, 8) && niche->is_climbable) climber_begin(climber, niche, 20);
    if (climber_is_climbing(climber)) {
      climber_propose(climber, &rng, &arena, &proposal);
      niche = proposal.move.niche;
      climbs++;
    } else {
      proposal.instance = case_make(&arena, &program);
      gen_data(&rng, &proposal.instance);
    }
    height_t height;
    double slack = invented_height(&proposal.instance, line, &height);
    climber_learn(climber, niche, &proposal, &height);
    records[niche->key] = MAX(records[niche->key], slack);
    g_assert_cmpuint(room.bytes, <=, BYTES + 2 * (line->len + 1));
  }
  size_t bytes = 0;
  for (uint64_t key = 0; key < NICHES; key++) {
    const niche_t *niche = climber_find_niche(climber, key);
    g_assert_true(niche->record.slack == records[key]);
    g_assert_true(niche->line != NULL || !niche->is_climbable);
    bytes += niche->line == NULL ? 0 : strlen(niche->line) + 1;
  }
  g_assert_cmpuint(room.bytes, ==, bytes);
  g_assert_cmpuint(bytes, >, BYTES / 2);
  g_assert_cmpint(climbs, >, CASES / 4);
  climber_free(climber);
  g_assert_cmpuint(room.bytes, ==, 0);
  g_string_free(line, TRUE);
  arena_deinit(&arena);
}

/* On a real model: climbing gets far higher than drawing, and never beyond what is permitted. */
static void test_climbs_higher(void) {
  static const char line[] = "stablehlo.reduce body=add dims=[0] f32[48] f32[] -> f32[]";
  arena_t arena;
  arena_init(&arena);
  program_t program;
  g_assert_cmpint(program_parse(str_from(line), &arena, &program, NULL, NULL), ==, STATUS_OK);
  for (uint64_t seed = 1; seed <= 3; seed++) {
    const trial_t trial = {.executor = "model:sequential",
                           .contract = "backend",
                           .ops = "stablehlo.reduce",
                           .limits = small_limits,
                           .seed = seed,
                           .cases_max = 1000,
                           .goes_on = true};
    double climbed = trial_slack(&trial, &program, true);
    double drawn = trial_slack(&trial, &program, false);
    g_test_message("slack %.3f climbed, %.3f drawn", climbed, drawn);
    g_assert_cmpfloat(climbed, >, 1.5 * drawn);
    g_assert_cmpfloat(climbed, <=, 1);
  }
  arena_deinit(&arena);
}

/* ---- The proof, in short; bench_guided has all of it ----------------------------------------- */

enum { SEEDS = 5 };

static int compare_counts(const void *a, const void *b) {
  uint64_t left = *(const uint64_t *)a;
  uint64_t right = *(const uint64_t *)b;
  return left < right ? -1 : left > right;
}

/* Of faults that drawing finds late among the ops that they were planted for.
 * (long_sums_carried_short is none where all ops that add are drawn: the median of its first case
 * is some 440 over 21 seeds; init_never and long_sums_short neither, since programs get few data:
 * some 200 and 640.) */
static void test_guided_finds_sooner(gconstpointer data) {
  const char *executor = (const char *)data;
  uint64_t guided[SEEDS];
  uint64_t drawn[SEEDS];
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    const trial_t trial = {.executor = executor,
                           .contract = "backend",
                           .ops = SUMS,
                           .limits = fuzz_limits,
                           .seed = seed,
                           .cases_max = 4000};
    guided[seed - 1] = trial_search(&trial, &(search_options_t){0}).first;
    drawn[seed - 1] = trial_random(&trial).first;
  }
  qsort(guided, SEEDS, sizeof *guided, compare_counts);
  qsort(drawn, SEEDS, sizeof *drawn, compare_counts);
  g_test_message("%s: median %" PRIu64 " guided, %" PRIu64 " drawn", executor, guided[SEEDS / 2],
                 drawn[SEEDS / 2]);
  g_assert_cmpuint(guided[SEEDS / 2], <, drawn[SEEDS / 2]);
}

/* ---- Hard canaries --------------------------------------------------------------------------- */

typedef struct hard_canary {
  const char *name;
  const char *contract;
  const char *ops;
  uint64_t within;
} hard_canary_t;

static const hard_canary_t hard_canaries[] = {
#define CANARY(name, contract, ops, within) {"canary:" name, contract, ops, within},
#include "generated/all_hard_canaries.def"
#include "tests/campaign/canaries/hard_canaries.def"
#undef CANARY
};

static void test_hard_canary(gconstpointer data) {
  const hard_canary_t *canary = (const hard_canary_t *)data;
  const trial_t trial = {.executor = canary->name,
                         .contract = canary->contract,
                         .ops = canary->ops,
                         .limits = fuzz_limits,
                         .seed = 1,
                         .cases_max = canary->within};
  trial_result_t result = trial_search(&trial, &(search_options_t){0});
  g_test_message("%s: found by case %" PRIu64, canary->name, result.first);
  g_assert_cmpuint(result.first, <=, canary->within);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_func("/search/same_calls_same_proposals", test_same_calls_same_proposals);
  g_test_add_func("/search/dear_programs_are_rare", test_dear_programs_are_rare);
  g_test_add_func("/search/moves", test_moves);
  g_test_add_func("/search/floor", test_search_floor);
  g_test_add_func("/search/record_never_falls", test_record_never_falls);
  g_test_add_func("/search/room", test_room);
  g_test_add_func("/search/climbs_higher", test_climbs_higher);
  g_test_add_func("/scheduler/floor", test_floor);
  g_test_add_func("/search/scheduler/mute", test_mute);
  g_test_add_func("/novelty/exact", test_novelty_is_exact);
  static const char *const hard[] = {"canary:transpose_rhs"};
  for (size_t i = 0; i < G_N_ELEMENTS(hard); i++) {
    g_autofree char *path = g_strdup_printf("/guided/%s", hard[i] + strlen("canary:"));
    g_test_add_data_func(path, hard[i], test_guided_finds_sooner);
  }
  for (size_t i = 0; i < G_N_ELEMENTS(hard_canaries); i++) {
    g_autofree char *path =
        g_strdup_printf("/canaries/%s", hard_canaries[i].name + strlen("canary:"));
    g_test_add_data_func(path, &hard_canaries[i], test_hard_canary);
  }
  return g_test_run();
}
