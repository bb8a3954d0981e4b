/* libFuzzer, hosted.  Its input is a case line; mutations are of cases, not of bytes.  Executors
 * are black boxes, so coverage says nothing of them: what steers the search is numerical novelty,
 * written into libFuzzer's extra counters, which must lie in the main program. */
#include "harness/cli/fuzz_driver.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness/cli/summary.h"

enum {
  NOVELTY_COUNT = 4096, /* Cleared before each run, so its size costs time. */
  INPUT_BYTES_MAX = 1 << 16,
  MUTATIONS_MAX = 4,
  FRESH_ONE_IN = 64, /* Now and then a new case: mutations seldom change the program. */
  HANG_SECONDS_MAX = 60,
};

/* The interface of libFuzzer: compiler-rt, FuzzerInterface.h. */
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1, const uint8_t *data2,
                                 size_t size2, uint8_t *out, size_t max_out_size,
                                 unsigned int seed);

static uint8_t novelty[NOVELTY_COUNT]
    __attribute__((section("__libfuzzer_extra_counters"), aligned(64), used));

/* libFuzzer's callbacks have no context argument. */
static struct {
  campaign_t *campaign;
  const fuzz_options_t *options;
  gen_options_t gen;
  verdict_t *verdicts; /* One per executor. */
  arena_t arena;
  GString *line;
  int exit_code; /* Of a failure that ended the search, else 0. */
} fuzz;

/* ---- Novelty --------------------------------------------------------------------------------- */

static void mark_novelty(const program_t *program, uint64_t kind, const verdict_t *verdict,
                         int64_t level) {
  uint64_t state = kind;
  const uint64_t parts[] = {
      g_str_hash(program->op->name), g_str_hash(program->operands[0].element->name),
      g_str_hash(program->results[0].element->name), (uint64_t)verdict->class_, (uint64_t)level};
  for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) state = rng_splitmix(&state) ^ parts[i];
  novelty[rng_splitmix(&state) % NOVELTY_COUNT] = 1;
}

/* Steps of a fourth of a binary order of magnitude, within `low` to `high` of these orders: beyond,
 * more is not more interesting, and the counters are few. */
static int64_t level_of(double measure, double low, double high) {
  if (!(measure > 0)) return INT64_MIN;
  return llround(floor(4 * fmin(fmax(log2(measure), low), high)));
}

static void mark_verdict(const program_t *program, const verdict_t *verdict) {
  enum { KIND_CLASS = 1, KIND_ULP, KIND_SLACK };
  mark_novelty(program, KIND_CLASS, verdict, (int64_t)verdict->outcome);
  mark_novelty(program, KIND_ULP, verdict, level_of(verdict->ulp_error_max, -4, 32));
  mark_novelty(program, KIND_SLACK, verdict, level_of(verdict->slack_max, -16, 4));
}

/* ---- One input ------------------------------------------------------------------------------- */

static void stop(int exit_code) {
  fuzz.exit_code = exit_code;
  exit(0); /* finish() has the last word on the exit code. */
}

static int run_input(const uint8_t *data, size_t size) {
  const session_options_t *options = session_options(fuzz.campaign->session);
  if (*options->stop != 0) stop(0);
  arena_reset(&fuzz.arena);
  const str_t line = {.data = (const char *)data, .size = size};
  case_t instance;
  const char *broken;
  if (case_parse(line, &fuzz.arena, &instance, &broken, NULL) != STATUS_OK) {
    novelty[0] = 1; /* Without any feature libFuzzer takes the program for uninstrumented. */
    return 0;
  }
  failure_t error = {0};
  status_t status = session_walk(fuzz.campaign->session, &instance, broken, fuzz.verdicts, &error);
  if (status != STATUS_OK) stop(campaign_complain(fuzz.campaign, status, &error));
  for (size_t i = 0; i < options->executor_count; i++) {
    mark_verdict(&instance.program, &fuzz.verdicts[i]);
  }
  return 0;
}

/* ---- Mutation -------------------------------------------------------------------------------- */

static void draw_case(rng_t *rng, case_t *out_instance) {
  program_t program;
  const char *broken;
  gen_program(rng, fuzz.options->op, &fuzz.gen, &fuzz.arena, &program, &broken);
  *out_instance = case_make(&fuzz.arena, &program);
  gen_data(rng, out_instance);
}

static bool read_case(const uint8_t *data, size_t size, case_t *out_instance) {
  const str_t line = {.data = (const char *)data, .size = size};
  return case_parse(line, &fuzz.arena, out_instance, NULL, NULL) == STATUS_OK;
}

/* 0 if the line is too long: libFuzzer then tries another mutation. */
static size_t write_case(const case_t *instance, uint8_t *out, size_t max_size) {
  g_string_truncate(fuzz.line, 0);
  case_print(instance, fuzz.line);
  if (fuzz.line->len > max_size) return 0;
  memcpy(out, fuzz.line->str, fuzz.line->len);
  return fuzz.line->len;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
  arena_reset(&fuzz.arena);
  rng_t rng = rng_make(seed);
  case_t instance;
  if (rng_one_in(&rng, FRESH_ONE_IN) || !read_case(data, size, &instance)) {
    draw_case(&rng, &instance);
  } else {
    uint64_t count = 1 + rng_below(&rng, MUTATIONS_MAX);
    for (uint64_t i = 0; i < count; i++) gen_mutate(&rng, &fuzz.gen, &fuzz.arena, &instance);
  }
  return write_case(&instance, data, max_size);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1, const uint8_t *data2,
                                 size_t size2, uint8_t *out, size_t max_out_size,
                                 unsigned int seed) {
  arena_reset(&fuzz.arena);
  rng_t rng = rng_make(seed);
  case_t first;
  case_t second;
  if (!read_case(data1, size1, &first) || !read_case(data2, size2, &second)) return 0;
  case_t child = gen_cross(&rng, &fuzz.arena, &first, &second);
  return write_case(&child, out, max_out_size);
}

/* ---- The search ------------------------------------------------------------------------------ */

/* libFuzzer ends the process with exit(0), so the end of the search is an exit handler. */
static void finish(void) {
  campaign_t *campaign = fuzz.campaign;
  int exit_code = fuzz.exit_code;
  if (exit_code == 0) {
    if (campaign->flags->json) {
      summary_print_json(campaign);
    } else {
      summary_print(campaign);
    }
    exit_code = session_exit_code(campaign->session);
  }
  exit_code = campaign_close(campaign, exit_code);
  fflush(NULL);
  _exit(exit_code);
}

static char **make_arguments(const campaign_t *campaign, const fuzz_options_t *options) {
  GPtrArray *arguments = g_ptr_array_new();
  uint64_t seed = campaign->options.stream.seed;
  uint32_t folded = (uint32_t)(seed ^ seed >> 32); /* libFuzzer takes 32 bits; 0 means random. */
  g_ptr_array_add(arguments, g_strdup("assay"));
  g_ptr_array_add(arguments, g_strdup_printf("-seed=%u", folded == 0 ? 1 : folded));
  g_ptr_array_add(arguments, g_strdup_printf("-max_len=%d", INPUT_BYTES_MAX));
  g_ptr_array_add(arguments,
                  g_strdup_printf("-timeout=%d", options->isolated ? 0 : HANG_SECONDS_MAX));
  static const char *const fixed[] = {"-handle_int=0", "-handle_term=0", "-error_exitcode=3",
                                      "-timeout_exitcode=3", "-create_missing_dirs=1"};
  for (size_t i = 0; i < G_N_ELEMENTS(fixed); i++) g_ptr_array_add(arguments, g_strdup(fixed[i]));
  if (options->runs_max > 0) {
    g_ptr_array_add(arguments, g_strdup_printf("-runs=%" G_GUINT64_FORMAT, options->runs_max));
  }
  if (options->seconds_max > 0) {
    g_ptr_array_add(arguments, g_strdup_printf("-max_total_time=%u", options->seconds_max));
  }
  if (options->corpus != NULL) {
    g_ptr_array_add(arguments, g_strdup_printf("-artifact_prefix=%s/", options->corpus));
    g_ptr_array_add(arguments, g_strdup(options->corpus));
  }
  g_ptr_array_add(arguments, NULL);
  return (char **)g_ptr_array_free(arguments, FALSE);
}

int fuzz_drive(campaign_t *campaign, const fuzz_options_t *options) {
  fuzz.campaign = campaign;
  fuzz.options = options;
  fuzz.gen = gen_options_default();
  fuzz.gen.invalid_one_in = 0;
  fuzz.gen.limits = (draw_limits_t){.rank_max = 4, .elements_max = 256, .terms_max = 64};
  fuzz.verdicts = g_new0(verdict_t, campaign->executors.count);
  arena_init(&fuzz.arena);
  fuzz.line = g_string_new(NULL);
  atexit(finish);
  char **arguments = make_arguments(campaign, options);
  int count = (int)g_strv_length(arguments);
  int exit_code = LLVMFuzzerRunDriver(&count, &arguments, run_input);
  stop(exit_code == 0 ? 0 : EXIT_CODE_FAILED);
  return EXIT_CODE_FAILED;
}
