/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer, hosted.  Its input is a case line; mutations are the search's.  Executors are black
 * boxes, so coverage says nothing of them: what steers libFuzzer is what the search finds new,
 * written into its extra counters, which must lie in the main program. */
#include "harness/cli/verbs/search/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/cli/verbs/search/fuzz_cases.h"
#include "reports/run/summary.h"

enum {
  HINT_ONE_IN = 16,         /* Inputs that are mutants of libFuzzer's corpus ... */
  HINT_ONE_IN_COUNTERS = 2, /* ... and where nothing else steers. */
  CROSS_ONE_IN = 32,
};

/* The interface of libFuzzer: compiler-rt, FuzzerInterface.h. */
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1, const uint8_t *data2,
                                 size_t size2, uint8_t *out, size_t max_out_size,
                                 unsigned int seed);

/* Cleared before each run, so its size costs time. */
static uint8_t novelty[NOVELTY_SLOTS]
    __attribute__((section("__libfuzzer_extra_counters"), aligned(64), used));

/* libFuzzer's callbacks have no context argument. */
static struct {
  fuzz_runner_t runner;
  arena_t arena; /* Of the proposal. */
  search_proposal_t proposal;
  GString *line; /* Of the proposal; empty: there is none. */
  int exit_code; /* Of a failure that ended the search, else 0. */
  uint64_t inputs;
  uint64_t begin; /* clock_nanoseconds() */
} fuzz;

/* ---- The end --------------------------------------------------------------------------------- */

G_GNUC_NORETURN static void finish(void) {
  task_t *task = fuzz.runner.task;
  int exit_code = fuzz.exit_code;
  failure_t error = {0};
  if (exit_code == 0) {
    status_t status = task_settle(task, &error);
    if (status != STATUS_OK) exit_code = complain_status(status, &error);
  }
  if (exit_code == 0) {
    if (task->flags->json) {
      summary_print_json(&task->report);
    } else {
      summary_print(&task->report);
    }
    exit_code = run_report_exit_code(&task->report);
  }
  exit_code = task_close(task, exit_code);
  fflush(NULL);
  _exit(exit_code);
}

/* libFuzzer ends the process with exit(0), so the end of the search is an exit handler. */
static void finish_at_exit(int status, void *context) {
  (void)context;
  fuzz.exit_code = status == 0 ? 0 : EXIT_CODE_FAILED;
  finish();
}

/* Whether libFuzzer has reason to end the search: then exit(0) was its own. */
static bool is_at_limit(void) {
  static const double slack = 2; /* It counts whole seconds, from a later time. */
  const fuzz_options_t *options = fuzz.runner.options;
  double seconds = (double)(clock_nanoseconds() - fuzz.begin) * 1e-9;
  return (options->runs_max > 0 && fuzz.inputs >= options->runs_max) ||
         (options->seconds_max > 0 && seconds + slack >= options->seconds_max);
}

/* Code of others may call exit() too, in a call, in a thread or in a handler.  That is no end of
 * the search: the process goes at once, and the supervisor sees to the rest. */
static void leave_if_foreign(int status, void *context) {
  (void)context;
  const call_memory_t *memory = supervisor_memory(fuzz.runner.task->supervisor);
  bool is_in_call = memory != NULL && memory->note->kind != CALL_none;
  bool is_ours = gettid() == getpid() && !is_in_call && (status != 0 || is_at_limit());
  if (!is_ours) _exit(status);
}

/* Not by exit(), which libFuzzer takes for a crash while it is in a case. */
G_GNUC_NORETURN static void stop(int exit_code) {
  fuzz.exit_code = exit_code;
  finish();
}

/* ---- One input ------------------------------------------------------------------------------- */

static void mark_novelty(void) {
  size_t count;
  const novelty_mark_t *marks = search_marks(fuzz.runner.search, &count);
  for (size_t i = 0; i < count; i++) novelty[marks[i].slot] = marks[i].value;
}

static bool is_proposal(const uint8_t *data, size_t size) {
  return size > 0 && size == fuzz.line->len && memcmp(data, fuzz.line->str, size) == 0;
}

static int run_input(const uint8_t *data, size_t size) {
  if (fuzz.inputs++ == 0) on_exit(leave_if_foreign, NULL); /* Ahead of libFuzzer's own handler. */
  if (fuzz_runner_is_over(&fuzz.runner)) stop(0);
  novelty[0] = 1; /* Without any feature libFuzzer takes the program for uninstrumented. */
  search_proposal_t given;
  bool is_proposed = is_proposal(data, size);
  if (!is_proposed && !fuzz_runner_read(&fuzz.runner, data, size, &given)) return 0;
  const search_proposal_t *proposal = is_proposed ? &fuzz.proposal : &given;
  int exit_code = is_proposed ? fuzz_run_case(&fuzz.runner, proposal, data, size)
                              : fuzz_take_case(&fuzz.runner, proposal, data, size);
  if (exit_code != EXIT_CODE_CLEAN) stop(exit_code);
  if (fuzz.runner.options->steering != FUZZ_STEERING_none) mark_novelty();
  return 0;
}

/* ---- Mutation -------------------------------------------------------------------------------- */

static bool read_case(const uint8_t *data, size_t size, case_t *out_instance) {
  const str_t line = {.data = (const char *)data, .size = size};
  return case_parse(line, &fuzz.arena, out_instance, NULL, NULL) == STATUS_OK;
}

/* 0 if the line is too long: libFuzzer then tries another mutation. */
static size_t write_proposal(uint8_t *out, size_t max_size) {
  g_string_truncate(fuzz.line, 0);
  case_print(&fuzz.proposal.instance, fuzz.line);
  if (fuzz.line->len > max_size) {
    g_string_truncate(fuzz.line, 0);
    return 0;
  }
  memcpy(out, fuzz.line->str, fuzz.line->len);
  return fuzz.line->len;
}

static bool takes_hint(rng_t *rng) {
  switch (fuzz.runner.options->steering) {
    case FUZZ_STEERING_counters:
      return rng_one_in(rng, HINT_ONE_IN_COUNTERS);
    case FUZZ_STEERING_none:
      return false;
    case FUZZ_STEERING_all:
    default:
      return rng_one_in(rng, HINT_ONE_IN);
  }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
  arena_reset(&fuzz.arena);
  rng_t rng = rng_make(seed);
  case_t hint;
  bool has_hint = takes_hint(&rng) && read_case(data, size, &hint);
  search_propose(fuzz.runner.search, &rng, &fuzz.arena, has_hint ? &hint : NULL, &fuzz.proposal);
  return write_proposal(data, max_size);
}

/* libFuzzer asks for as many crossovers as mutations, which is too many. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1, const uint8_t *data2,
                                 size_t size2, uint8_t *out, size_t max_out_size,
                                 unsigned int seed) {
  arena_reset(&fuzz.arena);
  rng_t rng = rng_make(seed);
  case_t first;
  case_t second;
  bool is_crossed = fuzz.runner.options->steering != FUZZ_STEERING_none &&
                    rng_one_in(&rng, CROSS_ONE_IN) && read_case(data1, size1, &first) &&
                    read_case(data2, size2, &second);
  if (is_crossed) {
    fuzz.proposal = (search_proposal_t){.instance = gen_cross(&rng, &fuzz.arena, &first, &second)};
  } else {
    search_propose(fuzz.runner.search, &rng, &fuzz.arena, NULL, &fuzz.proposal);
  }
  return write_proposal(out, max_out_size);
}

/* ---- The search ------------------------------------------------------------------------------ */

static char **make_arguments(const task_t *task, const fuzz_options_t *options) {
  GPtrArray *arguments = g_ptr_array_new();
  uint64_t seed = task->options.stream.seed;
  uint32_t folded = (uint32_t)(seed ^ seed >> 32); /* libFuzzer takes 32 bits; 0 means random. */
  g_ptr_array_add(arguments, g_strdup("assay"));
  g_ptr_array_add(arguments, g_strdup_printf("-seed=%u", folded == 0 ? 1 : folded));
  g_ptr_array_add(arguments, g_strdup_printf("-max_len=%d", FUZZ_INPUT_BYTES_MAX));
  /* Signals are the supervisor's, and memory is the kernel's. */
  static const char *const fixed[] = {
      "-handle_int=0",   "-handle_term=0",    "-handle_segv=0", "-handle_bus=0",
      "-handle_abrt=0",  "-handle_ill=0",     "-handle_fpe=0",  "-timeout=0",
      "-rss_limit_mb=0", "-error_exitcode=3", "-reload=60",     "-create_missing_dirs=1",
      "-entropic=0"};
  for (size_t i = 0; i < G_N_ELEMENTS(fixed); i++) g_ptr_array_add(arguments, g_strdup(fixed[i]));
  /* Slow inputs: or it writes them into the working directory. */
  g_ptr_array_add(arguments, g_strdup("-report_slow_units=2147483647"));
  if (options->runs_max > 0) {
    g_ptr_array_add(arguments, g_strdup_printf("-runs=%" G_GUINT64_FORMAT, options->runs_max));
  }
  if (options->seconds_max > 0) {
    g_ptr_array_add(arguments, g_strdup_printf("-max_total_time=%u", options->seconds_max));
  }
  /* Nothing of it is wanted, and nothing lands in the working directory. */
  const char *artifacts = task->flags->artifacts;
  g_ptr_array_add(arguments, artifacts != NULL
                                 ? g_strdup_printf("-artifact_prefix=%s/libfuzzer-", artifacts)
                                 : g_strdup_printf("-artifact_prefix=%s/assay-", g_get_tmp_dir()));
  if (options->corpus != NULL) g_ptr_array_add(arguments, g_strdup(options->corpus));
  g_ptr_array_add(arguments, NULL);
  return (char **)g_ptr_array_free(arguments, FALSE);
}

int fuzz_drive(task_t *task, const fuzz_options_t *options) {
  fuzz_runner_init(&fuzz.runner, task, options);
  arena_init(&fuzz.arena);
  fuzz.line = g_string_new(NULL);
  fuzz.begin = clock_nanoseconds();
  on_exit(finish_at_exit, NULL);
  char **arguments = make_arguments(task, options);
  int count = (int)g_strv_length(arguments);
  int exit_code = LLVMFuzzerRunDriver(&count, &arguments, run_input);
  stop(exit_code == 0 ? 0 : EXIT_CODE_FAILED);
}
