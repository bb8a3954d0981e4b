/* SPDX-License-Identifier: Apache-2.0 */
/* The quant run verb: executes each lowering on each executor with random inputs, accumulates
 * certified and observed errors per tensor, and prints tables or JSON. */
#include "harness/cli/verbs/quant/measure.h"

#include <math.h>

#include "harness/quant_run/measurement.h"
#include "reports/quant/quant_report.h"
#include "reports/run/summary.h"

typedef struct measuring {
  const quant_flags_t *flags;
  task_t *task;
  quant_subject_t *subject;
  quant_steps_t steps[QUANT_LOWERING_COUNT];
  bool wanted[QUANT_LOWERING_COUNT];
  quant_regions_t regions;
  const quant_whole_t *wholes[QUANT_LOWERING_COUNT]; /* NULL where regions run step by step. */
  GArray *rows;                                      /* quant_measurement_t by executor and form. */
  double differences[QUANT_LOWERING_COUNT][QUANT_LOWERING_COUNT]; /* Between outputs of forms. */
  char unknown[192];                                              /* What is not enclosed, or "". */
  char unbounded[192]; /* A step that may give any number, or "". */
  gint64 done;         /* Sets of inputs: fewer than asked for after an interrupt. */
} measuring_t;

static quant_measurement_t *row_at(measuring_t *measuring, size_t executor,
                                   quant_lowering_t lowering) {
  for (guint i = 0; i < measuring->rows->len; i++) {
    quant_measurement_t *row = &g_array_index(measuring->rows, quant_measurement_t, i);
    if (row->executor == executor && row->lowering == lowering) return row;
  }
  arena_t *arena = &measuring->subject->arena;
  size_t count = measuring->subject->quantized.value_count;
  quant_measurement_t row = {.executor = executor,
                             .lowering = lowering,
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
  quant_run_t runs[QUANT_LOWERING_COUNT];
  for (int lowering = 0; lowering < QUANT_LOWERING_COUNT; lowering++) {
    if (!measuring->wanted[lowering]) continue;
    const quant_steps_t *steps = &measuring->steps[lowering];
    const quant_run_request_t request = {.steps = steps,
                                         .table = measuring->subject->table.name,
                                         .enclosure = &enclosures[lowering],
                                         .inputs = inputs,
                                         .session = measuring->task->session,
                                         .executor = executor,
                                         .wholes = measuring->wholes[lowering],
                                         .compares = measuring->regions == QUANT_BOTH};
    STATUS_TRY(quant_run(&request, arena, &runs[lowering], error));
    quant_measurement_add(steps, &enclosures[lowering], &runs[lowering],
                          row_at(measuring, executor, (quant_lowering_t)lowering));
    for (int other = 0; other < lowering; other++) {
      bool are_whole = measuring->wanted[other] && runs[other].unfinished == QUANT_NONE &&
                       runs[lowering].unfinished == QUANT_NONE;
      for (uint32_t i = 0; are_whole && i < steps->graph->output_count; i++) {
        double difference =
            quant_run_difference(&measuring->steps[other], &runs[other], steps, &runs[lowering], i);
        double *worst = &measuring->differences[other][lowering];
        *worst = fmax(*worst, difference);
      }
    }
  }
  return STATUS_OK;
}

static status_t run_inputs(measuring_t *measuring, rng_t *rng, arena_t *arena, failure_t *error) {
  const tensor_t *inputs = quant_draw_inputs(rng, &measuring->subject->quantized, false, arena);
  quant_enclosure_t enclosures[QUANT_LOWERING_COUNT];
  for (int lowering = 0; lowering < QUANT_LOWERING_COUNT; lowering++) {
    if (!measuring->wanted[lowering]) continue;
    bool are_whole = measuring->regions == QUANT_WHOLE;
    const quant_enclosing_t what = {.steps = &measuring->steps[lowering],
                                    .wholes = are_whole ? measuring->wholes[lowering] : NULL,
                                    .contract = &measuring->task->options.contract,
                                    .inputs = inputs};
    STATUS_TRY(quant_enclose_wholes(&what, arena, &enclosures[lowering], error));
    if (measuring->unknown[0] == '\0') {
      g_strlcpy(measuring->unknown, enclosures[lowering].unknown, sizeof measuring->unknown);
    }
    if (measuring->unbounded[0] == '\0') {
      g_strlcpy(measuring->unbounded, enclosures[lowering].unbounded, sizeof measuring->unbounded);
    }
  }
  for (size_t i = 0; i < measuring->task->executors.count; i++) {
    STATUS_TRY(run_executor(measuring, i, inputs, enclosures, arena, error));
  }
  return STATUS_OK;
}

static status_t run_all(measuring_t *measuring, failure_t *error) {
  STATUS_TRY(quant_read_lowerings(measuring->flags->lowerings, measuring->wanted, error));
  STATUS_TRY(quant_read_regions(measuring->flags->regions, &measuring->regions, error));
  for (int lowering = 0; lowering < QUANT_LOWERING_COUNT; lowering++) {
    if (!measuring->wanted[lowering]) continue;
    STATUS_TRY(quant_export(&measuring->subject->quantized, (quant_lowering_t)lowering,
                            &measuring->subject->arena, &measuring->steps[lowering], error));
    if (measuring->regions == QUANT_BY_STEPS) continue;
    measuring->wholes[lowering] =
        quant_find_wholes(&measuring->steps[lowering], &measuring->subject->arena);
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

static void report(const measuring_t *measuring) {
  const quant_report_t what = {.session = measuring->task->session,
                               .graph = &measuring->subject->quantized,
                               .name = measuring->subject->graph.name,
                               .table = measuring->subject->table.name,
                               .contract = measuring->flags->task.contract,
                               .rows = measuring->rows,
                               .wanted = measuring->wanted,
                               .wholes = measuring->wholes,
                               .compares = measuring->regions == QUANT_BOTH,
                               .differences = measuring->differences,
                               .unknown = measuring->unknown,
                               .unbounded = measuring->unbounded,
                               .inputs = measuring->done,
                               .has_values = measuring->flags->values};
  if (measuring->flags->task.json) {
    quant_report_print_json(&what);
  } else {
    quant_report_print(&what);
  }
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
  return status == STATUS_OK ? run_report_exit_code(&task->report)
                             : task_complain(task, status, &error);
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
