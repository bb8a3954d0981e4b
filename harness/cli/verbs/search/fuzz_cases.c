/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one fuzzer input: parses the case line, walks it through the session under the supervisor,
 * and feeds verdicts and cost back to the search. */
#include "harness/cli/verbs/search/fuzz_cases.h"

#include "harness/base/clock.h"

static bool compiles_dearly(const task_t *task) {
  for (size_t i = 0; i < task->executors.count; i++) {
    if (executor_compiling_is_dear(task->executors.items[i])) return true;
  }
  return false;
}

/* Whether anybody is asked about programs that break a constraint. */
static bool asks_invalid(const task_t *task) {
  if (task->options.asks_invalid) return true;
  for (size_t i = 0; i < task->executors.count; i++) {
    if (executor_validates(task->executors.items[i])) return true;
  }
  return false;
}

void fuzz_runner_init(fuzz_runner_t *runner, task_t *task, const fuzz_options_t *options) {
  *runner = (fuzz_runner_t){.task = task, .options = options};
  search_options_t search = {.ops = task->options.stream.ops,
                             .op_count = task->options.stream.op_count,
                             .gen = gen_options_default(),
                             .compiling_is_dear = compiles_dearly(task),
                             .is_blind = options->steering == FUZZ_STEERING_none,
                             .never_climbs = options->steering != FUZZ_STEERING_all};
  search.gen.contract = &session_options(task->session)->contract;
  if (!asks_invalid(task)) search.gen.invalid_one_in = 0;
  search.gen.limits = (draw_limits_t){.rank_max = 4, .elements_max = 512, .terms_max = 128};
  runner->search = search_new(&search);
  runner->verdicts = g_new0(verdict_t, task->executors.count);
  arena_init(&runner->arena);
}

void fuzz_runner_deinit(fuzz_runner_t *runner) {
  search_free(runner->search);
  g_free(runner->verdicts);
  arena_deinit(&runner->arena);
}

/* A line of a corpus costs time in every slice.  What its operands cost is bounded by its length;
 * results may be thousands of times larger (a resize of two elements), so they are held to as many
 * components as the longest line has bytes. */
static bool is_too_large(const program_t *program) {
  for (uint32_t i = 0; i < program->result_count; i++) {
    if (type_component_count(&program->results[i]) > FUZZ_INPUT_BYTES_MAX) return true;
  }
  return false;
}

bool fuzz_runner_read(fuzz_runner_t *runner, const uint8_t *data, size_t size,
                      search_proposal_t *out_proposal) {
  arena_reset(&runner->arena);
  *out_proposal = (search_proposal_t){0};
  const str_t line = {.data = (const char *)data, .size = size};
  const char *violation;
  const case_t *instance = &out_proposal->instance;
  if (case_parse(line, &runner->arena, &out_proposal->instance, &violation, NULL) != STATUS_OK) {
    return false;
  }
  out_proposal->broken = op_constraint_find(instance->program.op, violation);
  return !is_too_large(&instance->program);
}

/* Whether it is worth a walk: not what all executors were found to refuse. */
static bool is_admitted(const fuzz_runner_t *runner, const search_proposal_t *proposal) {
  const stream_options_t *options = &runner->task->options.stream;
  if (options->admits == NULL || proposal->broken != NULL) return true;
  for (size_t i = 0; i < runner->task->executors.count; i++) {
    if (options->admits(options->admits_context, i, &proposal->instance.program) != STREAM_LEAVES) {
      return true;
    }
  }
  return false;
}

/* Of one executor: fuzz.c sees to that.  What diverges or fails is walked again in each slice: it
 * is seen again then, and made small if there was no time for that before. */
static void keep_outcome(const fuzz_runner_t *runner, str_t line, uint64_t cost) {
  outcome_file_t *outcomes = runner->options->outcomes;
  outcome_t outcome = runner->verdicts[0].outcome;
  if (outcomes == NULL || (outcome != OUTCOME_conforms && outcome != OUTCOME_weak)) return;
  outcome_file_add(outcomes, line, &runner->verdicts[0], cost);
}

/* `is_kept`: the case is of the corpus; one that shows nothing new does not get there. */
static int run_case(fuzz_runner_t *runner, const search_proposal_t *proposal, str_t line,
                    bool is_kept) {
  if (!is_admitted(runner, proposal)) {
    search_pass_over(runner->search);
    return EXIT_CODE_CLEAN;
  }
  session_t *session = runner->task->session;
  size_t executors = runner->task->executors.count;
  size_t findings = session_finding_count(session);
  uint64_t begin = clock_nanoseconds();
  failure_t error = {0};
  supervisor_enter_input(runner->task->supervisor, (const uint8_t *)line.data, line.size);
  status_t status =
      session_walk(session, &proposal->instance, proposal->broken, runner->verdicts, &error);
  supervisor_leave_input(runner->task->supervisor);
  if (status != STATUS_OK) return task_complain(runner->task, status, &error);
  const search_outcome_t outcome = {
      .verdicts = runner->verdicts,
      .verdict_count = executors,
      .cost = runner->options->shares_time ? clock_nanoseconds() - begin : 1,
      .is_new_finding = session_finding_count(session) > findings};
  size_t features = search_feature_count(runner->search);
  search_learn(runner->search, proposal, &outcome);
  bool is_novel = search_feature_count(runner->search) > features;
  if (is_kept || is_novel) keep_outcome(runner, line, outcome.cost);
  return EXIT_CODE_CLEAN;
}

int fuzz_run_case(fuzz_runner_t *runner, const search_proposal_t *proposal, const uint8_t *data,
                  size_t size) {
  const str_t line = {.data = (const char *)data, .size = size};
  return run_case(runner, proposal, line, false);
}

int fuzz_take_case(fuzz_runner_t *runner, const search_proposal_t *proposal, const uint8_t *data,
                   size_t size) {
  const str_t line = {.data = (const char *)data, .size = size};
  search_outcome_t outcome = {.verdicts = runner->verdicts, .verdict_count = 1};
  bool is_known =
      runner->options->outcomes != NULL &&
      outcome_file_find(runner->options->outcomes, line, runner->verdicts, &outcome.cost);
  if (!is_known) return run_case(runner, proposal, line, true);
  search_learn(runner->search, proposal, &outcome);
  return EXIT_CODE_CLEAN;
}

bool fuzz_runner_is_over(const fuzz_runner_t *runner) {
  const session_t *session = runner->task->session;
  if (*session_options(session)->stop != 0) return true;
  return runner->options->stops_at_finding && session_finding_count(session) > 0;
}
