/* SPDX-License-Identifier: Apache-2.0 */
/* Error-guided search against random drawing, on executors that are black boxes.
 *
 *   bench_guided [CASES [SEEDS [NAME...]]]      default 10000 and 10, all canaries
 *
 * First table: for every canary that random drawing does not find at once, the median over seeds of
 * the case in which it is first found: drawn as by `assay run` with its limits and with those of
 * `assay fuzz`, and by `assay fuzz` steered by nothing, by libFuzzer's counters, and by all.
 * Second table: the largest slack of a conforming model's results after CASES cases of one program:
 * drawn at random, and climbed. */
#include <glib.h>
#include <inttypes.h>
#include <stdio.h>

#include "tests/search/first_found.h"

enum { SEEDS_MAX = 64, HARD = 30 };

typedef struct canary {
  const char *name;
  const char *contract;
  const char *ops;
} canary_t;

static const canary_t canaries[] = {
#define CANARY(name, contract, ops, ...) {"canary:" name, contract, ops},
#define CANARY_EITHER CANARY
#define SUM_OP(name)
#include "generated/all_canaries.def"
#include "generated/all_hard_canaries.def"
#include "tests/campaign/canaries/canaries.def"
#include "tests/campaign/canaries/hard_canaries.def"
#undef SUM_OP
#undef CANARY_EITHER
#undef CANARY
};

static const draw_limits_t fuzz_limits = {.rank_max = 4, .elements_max = 512, .terms_max = 128};

typedef struct bench {
  uint64_t cases;
  uint64_t seeds;
  char *assay; /* The program. */
} bench_t;

static int compare_counts(const void *a, const void *b) {
  uint64_t left = *(const uint64_t *)a;
  uint64_t right = *(const uint64_t *)b;
  return left < right ? -1 : left > right;
}

static uint64_t median_count(uint64_t *counts, uint64_t count) {
  qsort(counts, count, sizeof *counts, compare_counts);
  return counts[count / 2];
}

static void print_count(const bench_t *bench, uint64_t count) {
  if (count > bench->cases) {
    printf("  >%8" PRIu64, bench->cases);
  } else {
    printf("  %9" PRIu64, count);
  }
  fflush(stdout);
}

/* ---- First found ----------------------------------------------------------------------------- */

static uint64_t random_first(const bench_t *bench, const canary_t *canary, draw_limits_t limits) {
  uint64_t firsts[SEEDS_MAX];
  for (uint64_t seed = 1; seed <= bench->seeds; seed++) {
    const trial_t trial = {.executor = canary->name,
                           .contract = canary->contract,
                           .ops = canary->ops,
                           .limits = limits,
                           .seed = seed,
                           .cases_max = bench->cases};
    firsts[seed - 1] = trial_random(&trial).first;
  }
  return median_count(firsts, bench->seeds);
}

/* The case after which `assay fuzz --stop-at-finding` stopped. */
static uint64_t fuzz_once(const bench_t *bench, const canary_t *canary, const char *steering,
                          uint64_t seed) {
  g_autofree char *command = g_strdup_printf(
      "%s fuzz --executor %s --contract %s --stop-at-finding --steer %s --runs "
      "%" PRIu64 " --seed %" PRIu64,
      bench->assay, canary->name, canary->contract, steering, bench->cases, seed);
  GString *words = g_string_new(command);
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    if (canary_concerns(canary->ops, (*op)->name)) {
      g_string_append_printf(words, " %s", (*op)->name);
    }
  }
  g_autofree char *output = NULL;
  g_autofree char *talk = NULL;
  if (!g_spawn_command_line_sync(words->str, &output, &talk, NULL, NULL)) {
    g_error("cannot run %s", words->str);
  }
  g_string_free(words, TRUE);
  const char *total = strstr(output, " cases in ");
  if (total == NULL) g_error("%s: no summary: %s", canary->name, talk);
  const char *line = total;
  while (line > output && line[-1] != '\n') line--;
  bool is_found = strstr(total, ", 0 findings") == NULL;
  return is_found ? g_ascii_strtoull(line, NULL, 10) : bench->cases + 1;
}

static uint64_t fuzz_first(const bench_t *bench, const canary_t *canary, const char *steering) {
  uint64_t firsts[SEEDS_MAX];
  for (uint64_t seed = 1; seed <= bench->seeds; seed++) {
    firsts[seed - 1] = fuzz_once(bench, canary, steering, seed);
  }
  return median_count(firsts, bench->seeds);
}

/* Returns whether it was worth a line; *out_share is what guided search needs of random drawing
 * with the limits of `assay run`. */
static bool compare_canary(const bench_t *bench, const canary_t *canary, double *out_share) {
  uint64_t drawn = random_first(bench, canary, gen_options_default().limits);
  if (drawn <= HARD) return false;
  printf("%-30s %-15s", canary->name + strlen("canary:"), canary->ops);
  print_count(bench, drawn);
  print_count(bench, random_first(bench, canary, fuzz_limits));
  static const char *const steerings[] = {"none", "counters", "all"};
  uint64_t guided = 0;
  for (size_t i = 0; i < G_N_ELEMENTS(steerings); i++) {
    guided = fuzz_first(bench, canary, steerings[i]);
    print_count(bench, guided);
  }
  *out_share = (double)guided / (double)drawn;
  printf("  %6.2f\n", *out_share);
  return true;
}

static int compare_doubles(const void *a, const void *b) {
  double left = *(const double *)a;
  double right = *(const double *)b;
  return left < right ? -1 : left > right;
}

static bool is_asked_for(const char *name, int argc, char **argv) {
  for (int i = 3; i < argc; i++) {
    if (strstr(name, argv[i]) != NULL) return true;
  }
  return argc <= 3;
}

static void compare_canaries(const bench_t *bench, int argc, char **argv) {
  double shares[G_N_ELEMENTS(canaries)];
  size_t count = 0;
  size_t easy = 0;
  printf("case of the first finding, median of %" PRIu64 " seeds\n", bench->seeds);
  printf("%-30s %-15s  %9s  %9s  %9s  %9s  %9s  %6s\n", "canary", "ops", "run", "run small",
         "fuzz none", "counters", "all", "share");
  for (size_t i = 0; i < G_N_ELEMENTS(canaries); i++) {
    if (!is_asked_for(canaries[i].name, argc, argv)) continue;
    bool is_hard = compare_canary(bench, &canaries[i], &shares[count]);
    count += is_hard;
    easy += !is_hard;
  }
  if (count > 0) {
    qsort(shares, count, sizeof *shares, compare_doubles);
    printf("%zu canaries, median share %.2f; %zu more are drawn within %d cases\n", count,
           shares[count / 2], easy, HARD);
  }
}

/* ---- Slack ----------------------------------------------------------------------------------- */

static const char *const programs[] = {
    "stablehlo.reduce body=add dims=[0] f32[48] f32[] -> f32[]",
    "stablehlo.reduce body=add dims=[0] f32[48,5] f32[] -> f32[5]",
    "stablehlo.reduce body=add dims=[0] bf16[48] bf16[] -> bf16[]",
    "stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[1,48] f32[48,1] -> f32[1,1]",
    "stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[4,48] f32[48,5] -> f32[4,5]",
    "stablehlo.dot_general batch=[]x[] contract=[1]x[0] f64[4,24] f64[24,5] -> f64[4,5]",
};

static void compare_slack(const bench_t *bench) {
  printf("\nlargest slack of model:sequential after %" PRIu64 " cases, median of %" PRIu64
         " seeds\n",
         bench->cases, bench->seeds);
  for (size_t i = 0; i < G_N_ELEMENTS(programs); i++) {
    failure_t error = {0};
    arena_t arena;
    arena_init(&arena);
    program_t program;
    if (program_parse(str_from(programs[i]), &arena, &program, NULL, &error) != STATUS_OK) {
      g_error("%s", error.text);
    }
    double slacks[2][SEEDS_MAX];
    for (int climbs = 0; climbs < 2; climbs++) {
      for (uint64_t seed = 1; seed <= bench->seeds; seed++) {
        const trial_t trial = {.executor = "model:sequential",
                               .contract = "backend",
                               .ops = program.op->name,
                               .limits = fuzz_limits,
                               .seed = seed,
                               .cases_max = bench->cases,
                               .goes_on = true};
        slacks[climbs][seed - 1] = trial_slack(&trial, &program, climbs);
      }
      qsort(slacks[climbs], bench->seeds, sizeof(double), compare_doubles);
    }
    printf("  drawn %.3f  climbed %.3f  %s\n", slacks[0][bench->seeds / 2],
           slacks[1][bench->seeds / 2], programs[i]);
    fflush(stdout);
    arena_deinit(&arena);
  }
}

int main(int argc, char **argv) {
  g_autofree char *folder = g_path_get_dirname(argv[0]);
  bench_t bench = {
      .cases = 10000, .seeds = 10, .assay = g_build_filename(folder, "../assay", NULL)};
  if (argc > 1) bench.cases = g_ascii_strtoull(argv[1], NULL, 10);
  if (argc > 2) bench.seeds = CLAMP(g_ascii_strtoull(argv[2], NULL, 10), 1, SEEDS_MAX);
  compare_canaries(&bench, argc, argv);
  compare_slack(&bench);
  g_free(bench.assay);
  return 0;
}
