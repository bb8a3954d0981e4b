/* SPDX-License-Identifier: Apache-2.0 */
/* assay replay: runs recorded cases again and explains the verdict.  In a file, lines that begin
 * with
 * '#' (comments) or '=' (expected results) are skipped, as are empty ones. */
#include <glib.h>
#include <math.h>

#include "harness/cli/options/flags.h"
#include "harness/cli/options/input.h"
#include "harness/cli/options/mlir_input.h"
#include "harness/diagnose/cause.h"
#include "harness/invariance/twins.h"
#include "harness/predict/prediction.h"
#include "reports/verdict/describe.h"

typedef struct replay_flags {
  executor_flags_t executor;
  char *contract;
  char *database;
  char *reference;
  gboolean json;
  gboolean why;
  gboolean all_elements;
  mlir_input_flags_t input;
} replay_flags_t;

typedef struct replay {
  executor_list_t executors;
  case_runner_t walk;
  prediction_t *prediction; /* NULL unless the contract is `identified`. */
  arena_t arena;            /* Of the present case. */
  json_t *documents;        /* NULL: print words. */
  bool tells_why;
  bool diverged;
  bool failed;
} replay_t;

/* x* of the worst element, where the fast accept set has it. */
static void print_reference(const expectation_t *expectation, const verdict_t *verdict) {
  if (expectation->oracle_status != STATUS_OK || expectation->broken != NULL) return;
  const accept_t *accept = &expectation->accepts[verdict->result];
  if (accept->reference == NULL || isnan(accept->reference[verdict->component])) return;
  double tail = accept->reference_tail == NULL ? 0 : accept->reference_tail[verdict->component];
  double reference = accept->reference[verdict->component];
  printf("  x*:       %a (%.17g)", reference, reference);
  printf(tail == 0 ? "\n" : " and about %.3g more\n", tail);
}

static void print_algorithms(const program_t *program, const verdict_t *verdict) {
  if (!verdict->has_algorithms) return;
  GString *text = g_string_new(NULL);
  describe_algorithms(program, verdict, text);
  printf("  bits:     %s\n", text->str);
  g_string_free(text, TRUE);
}

static void print_broken(const case_t *instance, const expectation_t *expectation) {
  const op_constraint_t *broken = expectation->broken;
  if (!op_constraint_is_forbidden(broken)) return;
  g_autoptr(GString) clause = g_string_new(NULL);
  op_constraint_print_clause(instance->program.op, broken, clause);
  printf("  breaks:   constraint %s (%s)\n", broken->id, clause->str);
}

static void print_worst(const case_t *instance, const expectation_t *expectation,
                        const verdict_t *verdict) {
  if (verdict->wrong_count > 0) {
    GString *where = g_string_new(NULL);
    describe_component(&instance->program, verdict->result, verdict->component, where);
    printf("  worst:    %s; %zu of %zu wrong\n", where->str, verdict->wrong_count,
           verdict->component_count);
    printf("  got:      %s\n", verdict->got);
    printf("  expected: %s\n", verdict->expected);
    print_reference(expectation, verdict);
    g_string_free(where, TRUE);
  }
  if (verdict->component_count > 0) {
    printf("  errors:   at most %.6g ulp, slack %.6g, backward error %.6g (%zu elements)\n",
           verdict->ulp_error_max, verdict->slack_max, verdict->backward_error_max,
           verdict->component_count);
    size_t open_count = verdict->untested_count - verdict->left_out_count;
    if (open_count > 0)
      printf("  untested: %zu elements, that nothing could have failed\n", open_count);
    if (verdict->left_out_count > 0) {
      g_autoptr(GString) sample = g_string_new(NULL);
      describe_sample(verdict->left_out_count, verdict->sample_draws, sample);
      printf("  sampled:  %s\n", sample->str);
    }
  }
  if (verdict->pattern[0] != '\0') printf("  pattern:  %s\n", verdict->pattern);
  if (verdict->cause_words[0] != '\0') printf("  cause:    %s\n", verdict->cause_words);
  bool repeats_algorithms = g_str_has_prefix(verdict->algorithms, verdict->observed);
  if (!repeats_algorithms) printf("  observed: %s\n", verdict->observed);
  if (verdict->reading[0] != '\0')
    printf("  reading:  it would conform with %s\n", verdict->reading);
  print_algorithms(&instance->program, verdict);
  print_broken(instance, expectation);
  if (verdict->reason[0] != '\0') printf("  reason:   %s\n", verdict->reason);
}

static void print_verdict(const case_t *instance, const expectation_t *expectation,
                          const executor_t *executor, const verdict_t *verdict) {
  GString *program = g_string_new(NULL);
  program_print(&instance->program, program);
  const char *class_ = class_spelling(verdict->class_);
  printf("%s: %s%s%s\n  program:  %s\n", executor_name(executor),
         outcome_spelling(verdict->outcome), class_[0] == '\0' ? "" : ", ", class_, program->str);
  print_worst(instance, expectation, verdict);
  g_string_free(program, TRUE);
}

/* What makes components of float results conform: of the first ones of which that can be told. */
static status_t print_why(replay_t *replay, const expectation_t *expectation, failure_t *error) {
  enum { TOLD_MAX = 16 };
  const case_t *instance = expectation->instance;
  const evidence_t *evidence = &replay->walk.evidence;
  if (!evidence->is_judged || expectation->oracle_status != STATUS_OK) return STATUS_OK;
  g_autoptr(GString) why = g_string_new(NULL);
  g_autoptr(GString) where = g_string_new(NULL);
  size_t told = 0;
  for (uint32_t r = 0; r < instance->program.result_count; r++) {
    const tensor_t *result = &evidence->results[r];
    size_t count = type_component_count(&result->type);
    for (size_t i = 0; i < count && told < TOLD_MAX; i++) {
      const uint8_t *sampled = expectation->accepts[r].sampled;
      if (sampled != NULL && sampled[i] == 0) continue;
      g_string_truncate(why, 0);
      g_string_truncate(where, 0);
      answer_t answer;
      const oracle_call_t call = {.instance = instance,
                                  .contract = &replay->walk.contract,
                                  .results = evidence->results,
                                  .arena = &replay->arena,
                                  .why = why,
                                  .error = error};
      arena_mark_t mark = arena_mark(&replay->arena);
      status_t status = oracle_decide_with_memo(expectation->oracle->decide, &call, r, i, &answer);
      arena_rewind(&replay->arena, mark);
      if (status == STATUS_UNDECIDED || status == STATUS_UNSUPPORTED) continue;
      STATUS_TRY(status);
      if (why->len == 0) continue;
      char got[VERDICT_TEXT_BYTES];
      describe_component(&instance->program, r, i, where);
      judge_print_component(result->type.element,
                            element_load(result->type.element, result->data, i), got, sizeof got);
      printf("  why:      %s is %s = %s\n", where->str, got, why->str);
      told++;
    }
  }
  if (told == 0) printf("  why:      of no element of this result a tree is known\n");
  return STATUS_OK;
}

static void collect_verdict(replay_t *replay, str_t line, const executor_t *executor,
                            const verdict_t *verdict) {
  json_array_append_new(replay->documents,
                        json_pack("{s:s, s:s, s:s%, s:o}", "executor", executor_name(executor),
                                  "version", executor_version(executor), "case", line.data,
                                  line.size, "verdict", json_verdict(verdict)));
}

/* An executor and its twin, or itself. */
static twins_question_t ask_twin(replay_t *replay, const case_t *instance, size_t executor) {
  const executor_list_t *executors = &replay->executors;
  size_t twin = executors->twins == NULL ? executor : executors->twins[executor];
  return (twins_question_t){.instance = instance,
                            .contract = &replay->walk.contract,
                            .executor = executors->items[executor],
                            .twin = executors->items[twin],
                            .arena = &replay->arena};
}

/* Whether twins gave the same bits; what becomes of it if not is in their verdicts. */
static void print_twins(replay_t *replay, const case_t *instance) {
  const executor_list_t *executors = &replay->executors;
  if (executors->twins == NULL || replay->documents != NULL) return;
  static const char *const words[] = {[TWINS_SAME] = "the same bits",
                                      [TWINS_DIFFER] = "other bits",
                                      [TWINS_UNKNOWN] = "not both gave results, twice the same"};
  for (size_t i = 0; i < executors->count; i++) {
    if (executors->twins[i] <= i) continue;
    const twins_question_t question = ask_twin(replay, instance, i);
    invariance_difference_t difference;
    twins_relation_t relation = twins_compare(&question, &difference);
    printf("twins %s and %s: %s", executor_name(question.executor), executor_name(question.twin),
           words[relation]);
    if (relation == TWINS_DIFFER) {
      printf(" in %zu of %zu elements", difference.count, difference.compared);
    }
    putchar('\n');
  }
}

static status_t replay_on(replay_t *replay, str_t line, const expectation_t *expectation,
                          size_t index, failure_t *error) {
  const case_t *instance = expectation->instance;
  executor_t *executor = replay->executors.items[index];
  verdict_t verdict;
  STATUS_TRY(case_runner_run(&replay->walk, expectation, executor, &verdict, error));
  const twins_question_t question = ask_twin(replay, instance, index);
  if (question.twin != executor) twins_judge(&question, &verdict);
  STATUS_TRY(cause_explain(&replay->walk, expectation, &replay->arena, &verdict, error));
  replay->diverged |= verdict.outcome == OUTCOME_diverges;
  replay->failed |= verdict.outcome == OUTCOME_failed;
  if (replay->documents != NULL) {
    collect_verdict(replay, line, executor, &verdict);
  } else {
    print_verdict(instance, expectation, executor, &verdict);
    if (replay->tells_why) return print_why(replay, expectation, error);
  }
  return STATUS_OK;
}

/* A bad line is STATUS_INVALID and the caller's; all else is ours. */
static status_t replay_line(void *context, str_t line, failure_t *error) {
  replay_t *replay = (replay_t *)context;
  arena_reset(&replay->arena);
  case_t instance;
  const char *violation;
  STATUS_TRY(case_parse(line, &replay->arena, &instance, &violation, error));
  const op_constraint_t *broken = op_constraint_find(instance.program.op, violation);
  broken = program_broken_under(&instance.program, broken, &replay->walk.contract);
  expectation_t expectation;
  status_t status =
      case_runner_expect(&replay->walk, &instance, broken, &replay->arena, &expectation, error);
  for (size_t i = 0; i < replay->executors.count && status == STATUS_OK; i++) {
    status = replay_on(replay, line, &expectation, i, error);
  }
  if (status == STATUS_OK) print_twins(replay, &instance);
  return status == STATUS_INVALID ? STATUS_IO : status;
}

static status_t open_prediction(const replay_flags_t *flags, replay_t *replay, failure_t *error) {
  if (PERMITTED(&replay->walk.contract, bits) != BITS_IDENTIFIED) return STATUS_OK;
  const prediction_options_t options = {.database = flags->database,
                                        .executors = replay->executors.items,
                                        .executor_count = replay->executors.count,
                                        .reference = flags->reference};
  STATUS_TRY(prediction_open(&options, &replay->prediction, error));
  replay->walk.predictor = prediction_predictor(replay->prediction);
  return STATUS_OK;
}

static int replay_open(const replay_flags_t *flags, replay_t *replay) {
  *replay = (replay_t){0};
  contract_t contract;
  failure_t error = {0};
  status_t status = find_contract(flags->contract, &contract, &error);
  if (status == STATUS_OK) {
    status = check_prediction_flags(&contract, flags->database, flags->reference, &error);
  }
  if (status != STATUS_OK) return complain_status(status, &error);
  int exit_code = executor_flags_open(&flags->executor, &replay->executors);
  if (exit_code != EXIT_CODE_CLEAN) return exit_code;
  case_runner_init(&replay->walk, &contract, 1);
  status = open_prediction(flags, replay, &error);
  if (status != STATUS_OK) {
    return executor_list_close(&replay->executors, complain_status(status, &error));
  }
  replay->walk.decide_wrong_max = 0; /* Explain the worst of all elements. */
  arena_init(&replay->arena);
  if (flags->json) replay->documents = json_array();
  replay->tells_why = flags->why != 0;
  replay->walk.judges_all = flags->all_elements != 0;
  for (size_t i = 0; i < replay->executors.count; i++) {
    if (!executor_load_changed_environment(replay->executors.items[i])) continue;
    complain("loading %s changed the floating-point environment of the process; it was put back",
             executor_name(replay->executors.items[i]));
    replay->diverged = true;
  }
  return EXIT_CODE_CLEAN;
}

static int replay_close(replay_t *replay, int exit_code) {
  if (replay->documents != NULL) json_print(replay->documents, false);
  prediction_close(replay->prediction);
  arena_deinit(&replay->arena);
  if (exit_code == EXIT_CODE_CLEAN && replay->diverged) exit_code = EXIT_CODE_DIVERGES;
  if (exit_code == EXIT_CODE_CLEAN && replay->failed) exit_code = EXIT_CODE_FAILED;
  return executor_list_close(&replay->executors, exit_code);
}

/* Of a file of MLIR what is replayed is the line of its case. */
static int replay_file(const mlir_input_flags_t *flags, const char *path, replay_t *replay) {
  arena_t arena;
  arena_init(&arena);
  mlir_input_t input;
  failure_t error = {0};
  status_t status = mlir_input_read(flags, path, &arena, &input, &error);
  if (status == STATUS_OK) {
    g_autoptr(GString) line = g_string_new(NULL);
    case_print(&input.instance, line);
    status = replay_line(replay, (str_t){line->str, line->len}, &error);
  }
  arena_deinit(&arena);
  return status == STATUS_OK ? EXIT_CODE_CLEAN : complain_status(status, &error);
}

int command_replay(const command_t *command, int argc, char **argv) {
  replay_flags_t flags = {0};
  const GOptionEntry entries[] = {
      {"contract", 'c', 0, G_OPTION_ARG_STRING, &flags.contract,
       "spec, backend (default), wide, identified, KEY=VALUE,... or @FILE; `assay help` explains",
       "CONTRACT"},
      {"db", 'd', 0, G_OPTION_ARG_FILENAME, &flags.database,
       "With contract identified: the database that has the profiles", "FILE"},
      {"reference", 0, 0, G_OPTION_ARG_STRING, &flags.reference,
       "With contract identified: the version to predict with, or own", "VERSION"},
      {"why", 0, 0, G_OPTION_ARG_NONE, &flags.why,
       "Of sums of few terms, print trees of additions that give the elements", NULL},
      {"all-elements", 0, 0, G_OPTION_ARG_NONE, &flags.all_elements,
       "Judge all elements of large results, where `assay run` judges a sample", NULL},
      {"json", 0, 0, G_OPTION_ARG_NONE, &flags.json, "Print one JSON document", NULL},
      G_OPTION_ENTRY_NULL};
  arguments_t arguments = arguments_make(command);
  arguments_add(&arguments, entries);
  executor_flags_add(&flags.executor, &arguments);
  executor_flags_add_twins(&flags.executor, &arguments);
  mlir_input_flags_add(&flags.input, &arguments);
  int exit_code = EXIT_CODE_USAGE;
  if (arguments_parse(&arguments, &argc, &argv, 1, 1)) {
    replay_t replay;
    exit_code = replay_open(&flags, &replay);
    if (exit_code == EXIT_CODE_CLEAN) {
      exit_code = mlir_input_is(argv[1]) ? replay_file(&flags.input, argv[1], &replay)
                                         : input_walk(argv[1], replay_line, &replay);
      exit_code = replay_close(&replay, exit_code);
    }
  }
  executor_flags_free(&flags.executor);
  mlir_input_flags_free(&flags.input);
  g_free(flags.contract);
  g_free(flags.database);
  g_free(flags.reference);
  return exit_code;
}
