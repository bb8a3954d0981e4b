#include "harness/cli/quant_measure.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reports/run/summary.h"
#include "reports/verdict/describe.h"

typedef struct measuring {
  const quant_flags_t *flags;
  task_t *task;
  quant_subject_t *subject;
  quant_steps_t steps[QUANT_FORM_COUNT];
  bool wanted[QUANT_FORM_COUNT];
  GArray *rows; /* quant_measurement_t by executor and form. */
  double differences[QUANT_FORM_COUNT][QUANT_FORM_COUNT]; /* Between outputs of forms. */
  char unknown[192];                                      /* What is not enclosed, or "". */
  gint64 done; /* Sets of inputs: fewer than asked for after an interrupt. */
} measuring_t;

void quant_measurement_add(const quant_steps_t *steps, const quant_enclosure_t *enclosure,
                           const quant_run_t *run, quant_measurement_t *inout_measurement) {
  quant_measurement_t *sum = inout_measurement;
  for (int i = 0; i < OUTCOME_COUNT; i++) sum->outcomes[i] += run->outcomes[i];
  sum->substituted += run->substituted;
  sum->unfinished += run->unfinished != QUANT_NONE;
  for (uint32_t i = 0; i < steps->tensor_count; i++) {
    int32_t value = steps->tensors[i].value;
    bool is_made = run->tensors[i].data != NULL && steps->tensors[i].constant == NULL;
    if (value == QUANT_NONE || !is_made) continue;
    const quant_error_t error = quant_error_of(steps, enclosure, i, &run->tensors[i]);
    quant_error_t *worst = &sum->errors[value];
    worst->certified = fmax(worst->certified, error.certified);
    worst->observed = fmax(worst->observed, error.observed);
    worst->outside += error.outside;
    sum->is_measured[value] = true;
  }
}

static quant_measurement_t *row_at(measuring_t *measuring, size_t executor, quant_form_t form) {
  for (guint i = 0; i < measuring->rows->len; i++) {
    quant_measurement_t *row = &g_array_index(measuring->rows, quant_measurement_t, i);
    if (row->executor == executor && row->form == form) return row;
  }
  arena_t *arena = &measuring->subject->arena;
  size_t count = measuring->subject->quantized.value_count;
  quant_measurement_t row = {.executor = executor,
                             .form = form,
                             .errors = arena_alloc_zeroed(arena, count * sizeof(quant_error_t)),
                             .is_measured = arena_alloc_zeroed(arena, count * sizeof(bool))};
  g_array_append_val(measuring->rows, row);
  return &g_array_index(measuring->rows, quant_measurement_t, measuring->rows->len - 1);
}

/* ---- Running --------------------------------------------------------------------------------- */

/* All wanted forms on one executor, with one set of inputs. */
static status_t run_executor(measuring_t *measuring, size_t executor, const tensor_t *inputs,
                             const quant_enclosure_t *enclosures, arena_t *arena,
                             failure_t *error) {
  quant_run_t runs[QUANT_FORM_COUNT];
  for (int form = 0; form < QUANT_FORM_COUNT; form++) {
    if (!measuring->wanted[form]) continue;
    const quant_steps_t *steps = &measuring->steps[form];
    const quant_run_request_t request = {.steps = steps,
                                         .table = measuring->subject->table.name,
                                         .enclosure = &enclosures[form],
                                         .inputs = inputs,
                                         .session = measuring->task->session,
                                         .executor = executor};
    STATUS_TRY(quant_run(&request, arena, &runs[form], error));
    quant_measurement_add(steps, &enclosures[form], &runs[form],
                          row_at(measuring, executor, (quant_form_t)form));
    for (int other = 0; other < form; other++) {
      bool are_whole = measuring->wanted[other] && runs[other].unfinished == QUANT_NONE &&
                       runs[form].unfinished == QUANT_NONE;
      for (uint32_t i = 0; are_whole && i < steps->graph->output_count; i++) {
        double difference =
            quant_run_difference(&measuring->steps[other], &runs[other], steps, &runs[form], i);
        double *worst = &measuring->differences[other][form];
        *worst = fmax(*worst, difference);
      }
    }
  }
  return STATUS_OK;
}

static status_t run_inputs(measuring_t *measuring, rng_t *rng, arena_t *arena, failure_t *error) {
  const tensor_t *inputs = quant_draw_inputs(rng, &measuring->subject->quantized, false, arena);
  quant_enclosure_t enclosures[QUANT_FORM_COUNT];
  for (int form = 0; form < QUANT_FORM_COUNT; form++) {
    if (!measuring->wanted[form]) continue;
    STATUS_TRY(quant_enclose(&measuring->steps[form], &measuring->task->options.contract, inputs,
                             arena, &enclosures[form], error));
    if (measuring->unknown[0] == '\0') {
      g_strlcpy(measuring->unknown, enclosures[form].unknown, sizeof measuring->unknown);
    }
  }
  for (size_t i = 0; i < measuring->task->executors.count; i++) {
    STATUS_TRY(run_executor(measuring, i, inputs, enclosures, arena, error));
  }
  return STATUS_OK;
}

static status_t run_all(measuring_t *measuring, failure_t *error) {
  STATUS_TRY(quant_read_forms(measuring->flags->forms, measuring->wanted, error));
  for (int form = 0; form < QUANT_FORM_COUNT; form++) {
    if (!measuring->wanted[form]) continue;
    STATUS_TRY(quant_export(&measuring->subject->quantized, (quant_form_t)form,
                            &measuring->subject->arena, &measuring->steps[form], error));
  }
  rng_t rng = rng_make(measuring->task->options.stream.seed);
  arena_t arena;
  arena_init(&arena);
  status_t status = STATUS_OK;
  const volatile sig_atomic_t *stop = measuring->task->options.stop;
  for (gint64 i = 0; i < measuring->flags->inputs && status == STATUS_OK && *stop == 0; i++) {
    status = run_inputs(measuring, &rng, &arena, error);
    measuring->done += status == STATUS_OK;
    arena_reset(&arena);
  }
  arena_deinit(&arena);
  return status == STATUS_OK ? session_tell(measuring->task->session, error) : status;
}

/* ---- Reporting ------------------------------------------------------------------------------- */

static const char *executor_at(const measuring_t *measuring, size_t index) {
  return executor_name(measuring->task->executors.items[index]);
}

static void print_steps_table(const measuring_t *measuring) {
  printf("%-28s %-8s %9s %9s %8s %7s %6s %10s %12s\n", "executor", "form", "conforms", "diverges",
         "refused", "failed", "weak", "no-oracle", "substituted");
  for (guint i = 0; i < measuring->rows->len; i++) {
    const quant_measurement_t *row = &g_array_index(measuring->rows, quant_measurement_t, i);
    const uint64_t *outcomes = row->outcomes;
    printf("%-28s %-8s %9" PRIu64 " %9" PRIu64 " %8" PRIu64 " %7" PRIu64 " %6" PRIu64 " %10" PRIu64
           " %12" PRIu64 "\n",
           executor_at(measuring, row->executor), quant_form_spelling(row->form),
           outcomes[OUTCOME_conforms], outcomes[OUTCOME_diverges], outcomes[OUTCOME_refused],
           outcomes[OUTCOME_failed], outcomes[OUTCOME_weak], outcomes[OUTCOME_no_oracle],
           row->substituted);
    if (row->unfinished > 0) printf("  %" PRIu64 " runs could not be finished\n", row->unfinished);
  }
}

/* Whether an earlier row of the tally has the same executor, algorithm and reason. */
static bool was_told(tally_t *tally, size_t index) {
  const tally_row_t *row = tally_at(tally, index);
  for (size_t i = 0; i < index; i++) {
    const tally_row_t *other = tally_at(tally, i);
    if (other->executor == row->executor && other->outcome == row->outcome &&
        strcmp(other->label.algorithm, row->label.algorithm) == 0 &&
        strcmp(other->reason, row->reason) == 0) {
      return true;
    }
  }
  return false;
}

/* The kernels whose steps an executor would not run for one reason, and how many steps. */
static void print_reason(const measuring_t *measuring, tally_t *tally, size_t index) {
  const tally_row_t *row = tally_at(tally, index);
  GString *kernels = g_string_new(NULL);
  uint64_t cases = 0;
  const char *last = "";
  for (size_t i = index; i < tally_count(tally); i++) {
    const tally_row_t *other = tally_at(tally, i);
    if (other->executor != row->executor || other->outcome != row->outcome) continue;
    if (strcmp(other->label.algorithm, row->label.algorithm) != 0) continue;
    if (strcmp(other->reason, row->reason) != 0) continue;
    cases += other->cases;
    if (strcmp(other->label.op, last) == 0) continue;
    g_string_append_printf(kernels, "%s%s", last[0] == '\0' ? "" : ", ", other->label.op);
    last = other->label.op;
  }
  printf("  %s %s %" PRIu64 " steps of %s, %s: %s\n", executor_at(measuring, row->executor),
         outcome_spelling(row->outcome), cases, row->label.algorithm, kernels->str, row->reason);
  g_string_free(kernels, TRUE);
}

/* What was not run, and why. */
static void print_reasons(const measuring_t *measuring) {
  tally_t *tally = session_tally(measuring->task->session);
  for (size_t i = 0; i < tally_count(tally); i++) {
    outcome_t outcome = tally_at(tally, i)->outcome;
    bool is_absent = outcome == OUTCOME_refused || outcome == OUTCOME_failed;
    if (is_absent && !was_told(tally, i)) print_reason(measuring, tally, i);
  }
}

static void print_error_row(const measuring_t *measuring, const quant_measurement_t *row,
                            uint32_t value) {
  const quant_error_t *error = &row->errors[value];
  printf("%-28s %-8s %-28s %12.6g %12.6g%s\n", executor_at(measuring, row->executor),
         quant_form_spelling(row->form), measuring->subject->quantized.values[value].name,
         error->certified, error->observed,
         error->outside > 0 ? "  outside what conforming runs give" : "");
}

static void print_errors(const measuring_t *measuring) {
  const quant_graph_t *graph = &measuring->subject->quantized;
  printf("\n%-28s %-8s %-28s %12s %12s\n", "executor", "form", "value", "certified", "observed");
  for (guint i = 0; i < measuring->rows->len; i++) {
    const quant_measurement_t *row = &g_array_index(measuring->rows, quant_measurement_t, i);
    for (uint32_t value = 0; value < graph->value_count; value++) {
      bool is_wanted = graph->values[value].is_output || measuring->flags->values;
      if (is_wanted && row->is_measured[value]) print_error_row(measuring, row, value);
    }
  }
  if (measuring->unknown[0] != '\0') {
    printf("Not certified (infinite): nobody encloses %s\n", measuring->unknown);
  }
}

static void print_differences(const measuring_t *measuring) {
  for (int a = 0; a < QUANT_FORM_COUNT; a++) {
    for (int b = a + 1; b < QUANT_FORM_COUNT; b++) {
      if (!measuring->wanted[a] || !measuring->wanted[b]) continue;
      printf("Outputs of %s and %s differ by at most %.6g on one executor.\n",
             quant_form_spelling((quant_form_t)a), quant_form_spelling((quant_form_t)b),
             measuring->differences[a][b]);
    }
  }
}

static json_t *row_json(const measuring_t *measuring, const quant_measurement_t *row) {
  const quant_graph_t *graph = &measuring->subject->quantized;
  json_t *outcomes = json_object(), *values = json_object();
  for (int i = 0; i < OUTCOME_COUNT; i++) {
    json_object_set_new(outcomes, outcome_spelling((outcome_t)i),
                        json_integer((json_int_t)row->outcomes[i]));
  }
  for (uint32_t i = 0; i < graph->value_count; i++) {
    if (!row->is_measured[i]) continue;
    const quant_error_t *error = &row->errors[i];
    json_t *certified = isfinite(error->certified) ? json_real(error->certified) : json_null();
    json_t *observed = isfinite(error->observed) ? json_real(error->observed) : json_null();
    json_object_set_new(values, graph->values[i].name,
                        json_pack("{s:o, s:o, s:I}", "certified", certified, "observed", observed,
                                  "outside", (json_int_t)error->outside));
  }
  return json_pack("{s:s, s:s, s:o, s:I, s:I, s:o}", "executor",
                   executor_at(measuring, row->executor), "form", quant_form_spelling(row->form),
                   "steps", outcomes, "substituted", (json_int_t)row->substituted, "unfinished",
                   (json_int_t)row->unfinished, "values", values);
}

static void report_json(const measuring_t *measuring) {
  json_t *rows = json_array();
  for (guint i = 0; i < measuring->rows->len; i++) {
    json_array_append_new(
        rows, row_json(measuring, &g_array_index(measuring->rows, quant_measurement_t, i)));
  }
  json_print(
      json_pack("{s:s, s:s, s:s, s:s, s:o}", "graph", measuring->subject->graph.name, "table",
                measuring->subject->table.name, "contract", measuring->task->contract_text,
                "uncertified", measuring->unknown, "runs", rows),
      false);
}

static void report(const measuring_t *measuring) {
  if (measuring->flags->task.json) {
    report_json(measuring);
    return;
  }
  const char *contract = measuring->flags->task.contract;
  printf("%s, table %s, contract %s, %" G_GINT64_FORMAT " sets of inputs; steps by verdict:\n",
         measuring->subject->graph.name, measuring->subject->table.name,
         contract == NULL ? "backend" : contract, measuring->done);
  print_steps_table(measuring);
  print_reasons(measuring);
  print_errors(measuring);
  print_differences(measuring);
}

/* ---- The verb -------------------------------------------------------------------------------- */

static int measure(measuring_t *measuring) {
  task_t *task = measuring->task;
  task->options.on_finding = task_tell_finding;
  task->options.on_tick = task_show_progress;
  task->options.hook_context = task;
  task->options.cases_max = 0; /* How many there will be is not known. */
  int exit_code = task_start(task);
  if (exit_code != EXIT_CODE_CLEAN) return exit_code;
  measuring->rows = g_array_new(FALSE, TRUE, sizeof(quant_measurement_t));
  failure_t error = {0};
  status_t status = run_all(measuring, &error);
  summary_end_progress();
  if (status == STATUS_OK) report(measuring);
  g_array_unref(measuring->rows);
  return status == STATUS_OK ? task_exit_code(task) : task_complain(task, status, &error);
}

int quant_measure(const quant_flags_t *flags, const char *path, int argc, char **argv) {
  quant_subject_t subject;
  failure_t error = {0};
  status_t status = quant_read_subject(flags, path, &subject, &error);
  int exit_code = EXIT_CODE_CLEAN;
  if (status != STATUS_OK) {
    exit_code = complain_status(status, &error);
  } else {
    task_t task;
    exit_code = task_open(&flags->task, argc, argv, &task);
    if (exit_code == EXIT_CODE_CLEAN) {
      measuring_t measuring = {.flags = flags, .task = &task, .subject = &subject};
      exit_code = task_close(&task, measure(&measuring));
    }
  }
  quant_subject_deinit(&subject);
  return exit_code;
}
