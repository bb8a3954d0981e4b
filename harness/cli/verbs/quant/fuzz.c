/* SPDX-License-Identifier: Apache-2.0 */
/* The quant fuzz verb: checks propagation properties on random pairs and, given executors, exports
 * each graph in all lowerings, runs them and counts outcomes and certified errors. */
#include "harness/cli/verbs/quant/fuzz.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/cli/task/interrupt.h"
#include "harness/cli/verbs/quant/measure.h"
#include "harness/quant/check/fuzz.h"
#include "harness/quant_run/measurement.h"
#include "reports/quant/quant_report.h"
#include "reports/run/summary.h"
#include "reports/verdict/describe.h"

enum { REGIONS_MAX = 8, TICK_ONE_IN = 16 };

/* What came of one form on one executor, over all graphs. */
typedef struct lowering_count {
  uint64_t graphs;                  /* Exported and run to the end. */
  uint64_t unsupported;             /* Not exported, or not run to the end. */
  uint64_t uncertified;             /* Of the graphs: an output has no finite certified error. */
  uint64_t beyond;                  /* Of the graphs: an output is further off than certified. */
  uint64_t outcomes[OUTCOME_COUNT]; /* Steps. */
  uint64_t substituted;
  quant_whole_counts_t whole; /* Regions. */
} lowering_count_t;

typedef struct fuzzing {
  const quant_flags_t *flags;
  task_t *task; /* NULL without executors. */
  bool wanted[QUANT_LOWERING_COUNT];
  quant_regions_t regions;
  lowering_count_t *counts; /* By executor and form. */
  rng_t rng;                /* Of inputs. */
  arena_t arena;            /* Of the present graph. */
  quant_fuzz_result_t result;
} fuzzing_t;

/* ---- One graph on all executors -------------------------------------------------------------- */

static void count_run(const quant_steps_t *steps, const quant_enclosure_t *enclosure,
                      const quant_run_t *run, lowering_count_t *count) {
  for (int i = 0; i < OUTCOME_COUNT; i++) count->outcomes[i] += run->outcomes[i];
  count->substituted += run->substituted;
  quant_whole_counts_add(&run->whole, &count->whole);
  if (run->unfinished != QUANT_NONE) {
    count->unsupported++;
    return;
  }
  bool is_certified = true, is_beyond = false;
  for (uint32_t i = 0; i < steps->graph->output_count; i++) {
    uint32_t tensor = steps->outputs[i];
    quant_error_t error = quant_error_of(steps, enclosure, tensor, &run->tensors[tensor]);
    is_certified &= isfinite(error.certified) != 0;
    is_beyond |= error.observed > error.certified;
  }
  count->graphs++;
  count->uncertified += !is_certified;
  count->beyond += is_beyond;
}

static status_t run_lowering(fuzzing_t *fuzzing, const quant_graph_t *quantized, const char *table,
                             quant_lowering_t lowering, const tensor_t *inputs, failure_t *error) {
  size_t executors = fuzzing->task->executors.count;
  quant_steps_t steps;
  failure_t reason = {0};
  if (quant_export(quantized, lowering, &fuzzing->arena, &steps, &reason) != STATUS_OK) {
    for (size_t i = 0; i < executors; i++) {
      fuzzing->counts[i * QUANT_LOWERING_COUNT + (size_t)lowering].unsupported++;
    }
    return STATUS_OK;
  }
  quant_enclosure_t enclosure;
  const quant_whole_t *wholes =
      fuzzing->regions == QUANT_BY_STEPS ? NULL : quant_find_wholes(&steps, &fuzzing->arena);
  const quant_enclosing_t what = {.steps = &steps,
                                  .wholes = fuzzing->regions == QUANT_WHOLE ? wholes : NULL,
                                  .contract = &fuzzing->task->options.contract,
                                  .inputs = inputs};
  STATUS_TRY(quant_enclose_wholes(&what, &fuzzing->arena, &enclosure, error));
  for (size_t i = 0; i < executors; i++) {
    const quant_run_request_t request = {.steps = &steps,
                                         .table = table,
                                         .enclosure = &enclosure,
                                         .inputs = inputs,
                                         .session = fuzzing->task->session,
                                         .executor = i,
                                         .wholes = wholes,
                                         .compares = fuzzing->regions == QUANT_BOTH};
    quant_run_t run;
    STATUS_TRY(quant_run(&request, &fuzzing->arena, &run, error));
    count_run(&steps, &enclosure, &run,
              &fuzzing->counts[i * QUANT_LOWERING_COUNT + (size_t)lowering]);
  }
  return STATUS_OK;
}

static void show_progress(uint64_t number) {
  if (!isatty(STDERR_FILENO) || number % TICK_ONE_IN != 0) return;
  fprintf(stderr, "\r\033[K%" PRIu64 " graphs", number);
  fflush(stderr);
}

/* What did not propagate is a violation that has been counted. */
static status_t run_pair(void *context, uint64_t number, const quant_graph_t *graph,
                         const quant_target_t *table, failure_t *error) {
  fuzzing_t *fuzzing = context;
  show_progress(number);
  if (fuzzing->task == NULL) return STATUS_OK;
  arena_reset(&fuzzing->arena);
  quant_propagation_t propagation;
  quant_graph_t quantized;
  failure_t reason = {0};
  bool is_resolved = quant_propagate(graph, table, QUANT_FAULT_none, &fuzzing->arena, &propagation,
                                     &reason) == STATUS_OK &&
                     quant_materialize(&propagation, QUANT_FAULT_none, &fuzzing->arena, &quantized,
                                       &reason) == STATUS_OK;
  if (!is_resolved) return STATUS_OK;
  for (gint64 i = 0; i < fuzzing->flags->inputs; i++) {
    const tensor_t *inputs = quant_draw_inputs(&fuzzing->rng, &quantized, true, &fuzzing->arena);
    for (int lowering = 0; lowering < QUANT_LOWERING_COUNT; lowering++) {
      if (!fuzzing->wanted[lowering]) continue;
      STATUS_TRY(run_lowering(fuzzing, &quantized, table->name, (quant_lowering_t)lowering, inputs,
                              error));
    }
  }
  return STATUS_OK;
}

/* ---- Reporting ------------------------------------------------------------------------------- */

static void print_properties(const quant_fuzz_result_t *result) {
  const quant_property_t *properties = quant_properties();
  printf("%" PRIu64 " graphs, %" PRIu64 " of them fully quantized; %" PRIu64 " regions, %" PRIu64
         " refused; %" PRIu64 " visits, %" PRIu64 " rescales\n\n",
         result->pairs, result->fully_quantized, result->regions, result->refused, result->visits,
         result->rescales);
  printf("%-20s %10s %10s %14s\n", "property", "holds", "violated", "not applicable");
  for (int i = 0; i < QUANT_PROPERTY_COUNT; i++) {
    const uint64_t *outcomes = result->counts[i].outcomes;
    printf("%-20s %10" PRIu64 " %10" PRIu64 " %14" PRIu64 "  %s\n", properties[i].name,
           outcomes[QUANT_HOLDS], outcomes[QUANT_VIOLATED], outcomes[QUANT_NOT_APPLICABLE],
           properties[i].summary);
  }
}

static status_t save(const char *folder, const char *name, const char *extension, const char *text,
                     failure_t *error) {
  char *path = g_strdup_printf("%s/%s.%s", folder, name, extension);
  GError *failure = NULL;
  status_t status = STATUS_OK;
  bool is_good =
      g_mkdir_with_parents(folder, 0777) == 0 && g_file_set_contents(path, text, -1, &failure);
  if (!is_good) {
    status = status_fail(error, STATUS_IO, "cannot write %s: %s", path,
                         failure == NULL ? "the folder cannot be made" : failure->message);
  }
  g_clear_error(&failure);
  g_free(path);
  return status;
}

static status_t tell_findings(const fuzzing_t *fuzzing, failure_t *error) {
  const quant_property_t *properties = quant_properties();
  for (int i = 0; i < QUANT_PROPERTY_COUNT; i++) {
    const quant_fuzz_finding_t *finding = &fuzzing->result.findings[i];
    if (finding->words == NULL) continue;
    printf("\nproperty %s is violated (graph %" PRIu64 "): %s\n%s%s", properties[i].name,
           finding->number, finding->words, finding->graph, finding->table);
    if (fuzzing->flags->save == NULL) continue;
    STATUS_TRY(save(fuzzing->flags->save, properties[i].name, "graph", finding->graph, error));
    STATUS_TRY(save(fuzzing->flags->save, properties[i].name, "table", finding->table, error));
  }
  return STATUS_OK;
}

static void print_executors(const fuzzing_t *fuzzing) {
  printf("\n%-28s %-8s %8s %12s %12s %8s | steps: %9s %9s %8s %7s %6s %10s %12s\n", "executor",
         "form", "graphs", "unsupported", "uncertified", "beyond", "conforms", "diverges",
         "refused", "failed", "weak", "no-oracle", "substituted");
  for (size_t i = 0; i < fuzzing->task->executors.count; i++) {
    for (int lowering = 0; lowering < QUANT_LOWERING_COUNT; lowering++) {
      if (!fuzzing->wanted[lowering]) continue;
      const lowering_count_t *count = &fuzzing->counts[i * QUANT_LOWERING_COUNT + (size_t)lowering];
      const uint64_t *outcomes = count->outcomes;
      printf("%-28s %-8s %8" PRIu64 " %12" PRIu64 " %12" PRIu64 " %8" PRIu64 " |        %9" PRIu64
             " %9" PRIu64 " %8" PRIu64 " %7" PRIu64 " %6" PRIu64 " %10" PRIu64 " %12" PRIu64 "\n",
             executor_name(fuzzing->task->executors.items[i]),
             quant_lowering_spelling((quant_lowering_t)lowering), count->graphs, count->unsupported,
             count->uncertified, count->beyond, outcomes[OUTCOME_conforms],
             outcomes[OUTCOME_diverges], outcomes[OUTCOME_refused], outcomes[OUTCOME_failed],
             outcomes[OUTCOME_weak], outcomes[OUTCOME_no_oracle], count->substituted);
    }
  }
}

static void print_wholes(const fuzzing_t *fuzzing) {
  if (fuzzing->regions == QUANT_BY_STEPS) return;
  printf("\n%-28s %-8s | regions as one: %9s %9s %8s %7s %6s %10s | %9s %9s: %s\n", "executor",
         "form", "conforms", "diverges", "refused", "failed", "weak", "no-oracle", "same bits",
         "differ", "whole outside, steps outside, both inside");
  for (size_t i = 0; i < fuzzing->task->executors.count * QUANT_LOWERING_COUNT; i++) {
    if (!fuzzing->wanted[i % QUANT_LOWERING_COUNT]) continue;
    const quant_whole_counts_t *whole = &fuzzing->counts[i].whole;
    const uint64_t *outcomes = whole->outcomes;
    printf(
        "%-28s %-8s |                 %9" PRIu64 " %9" PRIu64 " %8" PRIu64 " %7" PRIu64 " %6" PRIu64
        " %10" PRIu64 " | %9" PRIu64 " %9" PRIu64 ": %" PRIu64 ", %" PRIu64 ", %" PRIu64 "\n",
        executor_name(fuzzing->task->executors.items[i / QUANT_LOWERING_COUNT]),
        quant_lowering_spelling((quant_lowering_t)(i % QUANT_LOWERING_COUNT)),
        outcomes[OUTCOME_conforms], outcomes[OUTCOME_diverges], outcomes[OUTCOME_refused],
        outcomes[OUTCOME_failed], outcomes[OUTCOME_weak], outcomes[OUTCOME_no_oracle], whole->same,
        whole->differ, whole->whole_outside, whole->steps_outside, whole->both_inside);
  }
}

static json_t *properties_json(const quant_fuzz_result_t *result) {
  const quant_property_t *properties = quant_properties();
  json_t *rows = json_object();
  for (int i = 0; i < QUANT_PROPERTY_COUNT; i++) {
    const uint64_t *outcomes = result->counts[i].outcomes;
    const quant_fuzz_finding_t *finding = &result->findings[i];
    json_t *row = json_pack("{s:I, s:I, s:I}", "holds", (json_int_t)outcomes[QUANT_HOLDS],
                            "violated", (json_int_t)outcomes[QUANT_VIOLATED], "not_applicable",
                            (json_int_t)outcomes[QUANT_NOT_APPLICABLE]);
    if (finding->words != NULL) {
      json_object_set_new(row, "finding",
                          json_pack("{s:s, s:s, s:s}", "words", finding->words, "graph",
                                    finding->graph, "table", finding->table));
    }
    json_object_set_new(rows, properties[i].name, row);
  }
  return rows;
}

static json_t *executors_json(const fuzzing_t *fuzzing) {
  json_t *rows = json_array();
  size_t executors = fuzzing->task == NULL ? 0 : fuzzing->task->executors.count;
  for (size_t i = 0; i < executors * QUANT_LOWERING_COUNT; i++) {
    if (!fuzzing->wanted[i % QUANT_LOWERING_COUNT]) continue;
    const lowering_count_t *count = &fuzzing->counts[i];
    json_t *outcomes = json_object();
    for (int k = 0; k < OUTCOME_COUNT; k++) {
      json_object_set_new(outcomes, outcome_spelling((outcome_t)k),
                          json_integer((json_int_t)count->outcomes[k]));
    }
    json_t *row = json_pack(
        "{s:s, s:s, s:I, s:I, s:I, s:I, s:o, s:I}", "executor",
        executor_name(fuzzing->task->executors.items[i / QUANT_LOWERING_COUNT]), "form",
        quant_lowering_spelling((quant_lowering_t)(i % QUANT_LOWERING_COUNT)), "graphs",
        (json_int_t)count->graphs, "unsupported", (json_int_t)count->unsupported, "uncertified",
        (json_int_t)count->uncertified, "beyond", (json_int_t)count->beyond, "steps", outcomes,
        "substituted", (json_int_t)count->substituted);
    if (fuzzing->regions != QUANT_BY_STEPS) {
      json_object_set_new(row, "regions", quant_report_wholes_json(&count->whole));
    }
    json_array_append_new(rows, row);
  }
  return rows;
}

static status_t report(const fuzzing_t *fuzzing, failure_t *error) {
  if (isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
  if (fuzzing->flags->task.json) {
    json_print(
        json_pack("{s:I, s:o, s:o}", "graphs", (json_int_t)fuzzing->result.pairs, "properties",
                  properties_json(&fuzzing->result), "executors", executors_json(fuzzing)),
        false);
    return STATUS_OK;
  }
  print_properties(&fuzzing->result);
  if (fuzzing->task != NULL) {
    print_executors(fuzzing);
    print_wholes(fuzzing);
  }
  return tell_findings(fuzzing, error);
}

/* ---- The verb -------------------------------------------------------------------------------- */

static bool has_violation(const quant_fuzz_result_t *result) {
  for (int i = 0; i < QUANT_PROPERTY_COUNT; i++) {
    if (result->counts[i].outcomes[QUANT_VIOLATED] > 0) return true;
  }
  return false;
}

static status_t fuzz(fuzzing_t *fuzzing, arena_t *arena, failure_t *error) {
  quant_target_t table;
  uint64_t seed;
  STATUS_TRY(arguments_parse_seed(fuzzing->flags->task.seed, &seed, error));
  STATUS_TRY(quant_read_lowerings(fuzzing->flags->lowerings, fuzzing->wanted, error));
  STATUS_TRY(quant_read_regions(fuzzing->flags->regions, &fuzzing->regions, error));
  quant_fuzz_options_t options = {.seed = seed,
                                  .count = (uint64_t)fuzzing->flags->graphs,
                                  .regions_max = REGIONS_MAX,
                                  .on_pair = run_pair,
                                  .context = fuzzing,
                                  .stop = interrupt_catch()};
  if (fuzzing->flags->table != NULL) {
    STATUS_TRY(quant_read_target(fuzzing->flags->table, arena, &table, error));
    options.table = &table;
  }
  fuzzing->rng = rng_make(seed);
  STATUS_TRY(quant_fuzz(&options, arena, &fuzzing->result, error));
  if (fuzzing->task != NULL) STATUS_TRY(session_tell(fuzzing->task->session, error));
  return report(fuzzing, error);
}

/* With a task that has been started, or without one. */
static int run(fuzzing_t *fuzzing) {
  arena_t arena;
  arena_init(&arena);
  arena_init(&fuzzing->arena);
  failure_t error = {0};
  status_t status = fuzz(fuzzing, &arena, &error);
  int exit_code = EXIT_CODE_CLEAN;
  if (status != STATUS_OK) {
    exit_code = fuzzing->task == NULL ? complain_status(status, &error)
                                      : task_complain(fuzzing->task, status, &error);
  } else if (fuzzing->task != NULL) {
    exit_code = run_report_exit_code(&fuzzing->task->report);
  }
  if (status == STATUS_OK && has_violation(&fuzzing->result)) exit_code = EXIT_CODE_DIVERGES;
  arena_deinit(&fuzzing->arena);
  arena_deinit(&arena);
  return exit_code;
}

static int run_on_executors(fuzzing_t *fuzzing, int argc, char **argv) {
  task_t task;
  int exit_code = task_open(&fuzzing->flags->task, argc, argv, &task);
  if (exit_code != EXIT_CODE_CLEAN) return exit_code;
  task.options.on_finding = task_tell_finding;
  task.options.hook_context = &task;
  fuzzing->task = &task;
  fuzzing->counts = g_new0(lowering_count_t, task.executors.count * QUANT_LOWERING_COUNT);
  exit_code = task_start(&task);
  if (exit_code == EXIT_CODE_CLEAN) exit_code = run(fuzzing);
  g_free(fuzzing->counts);
  return task_close(&task, exit_code);
}

int quant_fuzz_verb(const quant_flags_t *flags, int argc, char **argv) {
  fuzzing_t fuzzing = {.flags = flags};
  const char *const *executors = (const char *const *)flags->task.executor.names;
  if (executors == NULL || executors[0] == NULL) return run(&fuzzing);
  return run_on_executors(&fuzzing, argc, argv);
}
