/* SPDX-License-Identifier: Apache-2.0 */
/* Main loop of an invariance campaign: per case and executor, one base run and then each property;
 * counts outcomes by row, shrinks the first two breaks of a row and keeps the smaller, and writes
 * the run to the store. */
#include "harness/invariance/invariance.h"

#include <stdio.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/invariance/finding.h"
#include "harness/invariance/source.h"
#include "harness/kinds/module/module.h"

enum {
  TICK_NANOSECONDS = 500000000,
  SHRUNK_PER_ROW_MAX = 2, /* Of the cases that break a property; the smaller one is kept. */
  PURPOSE_CHANGE = 1,     /* What is done to a case: see invariance_source_seed(). */
  PURPOSE_SHRINK = 2 + INVARIANCE_COUNT,
};

struct invariance {
  invariance_options_t options;
  GPtrArray *ops;        /* Borrowed op_t: those that have cases. */
  GArray *rows;          /* invariance_count_t. */
  GPtrArray *row_arenas; /* Owned arena_t: of the findings. */
  tally_t *tally;        /* Owns the texts of labels; counts nothing. */
  pair_tally_t *pairs;   /* Likewise. */
  ledger_t ledger;
  arena_t arena; /* Of the present case. */
  invariance_untold_t untold;
  uint64_t cases;
  uint64_t begin; /* Nanoseconds on the monotonic clock. */
  uint64_t next_tick;
};

/* ---- Opening --------------------------------------------------------------------------------- */

static void invariance_free(invariance_t *invariance) {
  g_ptr_array_unref(invariance->ops);
  g_array_unref(invariance->rows);
  g_ptr_array_unref(invariance->row_arenas);
  tally_free(invariance->tally);
  pair_tally_free(invariance->pairs);
  arena_deinit(&invariance->arena);
  g_free(invariance);
}

static void free_arena(gpointer pointer) {
  arena_deinit((arena_t *)pointer);
  g_free(pointer);
}

/* An op without axes is unchecked; that no op has the types is the user's error. */
static status_t find_ops_with_cases(invariance_t *invariance, failure_t *error) {
  const invariance_options_t *options = &invariance->options;
  bool has_axes = false;
  for (size_t i = 0; i < options->op_count; i++) {
    const op_t *op = options->ops[i];
    has_axes |= op->axes != NULL;
    if (invariance_source_has(op, options->types)) {
      g_ptr_array_add(invariance->ops, (gpointer)(uintptr_t)op);
    }
  }
  if (!has_axes || invariance->ops->len > 0) return STATUS_OK;
  return status_fail(error, STATUS_INVALID,
                     "no program has the types '%s' (--type); write an element type (f32), or all "
                     "types as reports have them (bf16,bf16->f32)",
                     options->types);
}

static status_t open_ledger(invariance_t *invariance, failure_t *error) {
  const invariance_options_t *options = &invariance->options;
  GString *permissions = g_string_new(NULL);
  const contract_t contract = contract_backend();
  contract_print(&contract, permissions);
  const store_run_t run = {.command = options->command,
                           .seed = options->seed,
                           .contract = permissions->str,
                           .assay_version = options->assay_version};
  status_t status = ledger_open(options->store, &run, options->executors, options->executor_count,
                                &invariance->ledger, error);
  g_string_free(permissions, TRUE);
  return status;
}

status_t invariance_open(const invariance_options_t *options, invariance_t **out_invariance,
                         failure_t *error) {
  invariance_t *invariance = g_new0(invariance_t, 1);
  invariance->options = *options;
  invariance->ops = g_ptr_array_new();
  invariance->rows = g_array_new(FALSE, TRUE, sizeof(invariance_count_t));
  invariance->row_arenas = g_ptr_array_new_with_free_func(free_arena);
  invariance->tally = tally_new();
  invariance->pairs = pair_tally_new();
  arena_init(&invariance->arena);
  invariance->begin = clock_nanoseconds();
  status_t status = find_ops_with_cases(invariance, error);
  if (status == STATUS_OK) status = open_ledger(invariance, error);
  if (status != STATUS_OK) {
    invariance_free(invariance);
    return status;
  }
  *out_invariance = invariance;
  return STATUS_OK;
}

status_t invariance_close(invariance_t *invariance, int exit_code, failure_t *error) {
  if (invariance == NULL) return STATUS_OK;
  status_t status = ledger_close(&invariance->ledger, invariance->tally, invariance->pairs, NULL,
                                 exit_code, error);
  invariance_free(invariance);
  return status;
}

/* ---- Counting -------------------------------------------------------------------------------- */

static invariance_count_t *find_row(invariance_t *invariance, size_t executor,
                                    invariance_property_t property, const tally_label_t *label) {
  for (guint i = 0; i < invariance->rows->len; i++) {
    invariance_count_t *row = &g_array_index(invariance->rows, invariance_count_t, i);
    if (row->executor == executor && row->property == property && row->op == label->op &&
        row->types == label->types) {
      return row;
    }
  }
  const invariance_count_t row = {
      .executor = executor, .property = property, .op = label->op, .types = label->types};
  g_array_append_val(invariance->rows, row);
  return &g_array_index(invariance->rows, invariance_count_t, invariance->rows->len - 1);
}

static void count(invariance_count_t *row, const invariance_check_t *check) {
  bool has_reason =
      check->outcome == INVARIANCE_OUTCOME_refused || check->outcome == INVARIANCE_OUTCOME_failed;
  bool is_first =
      row->cases[INVARIANCE_OUTCOME_refused] + row->cases[INVARIANCE_OUTCOME_failed] == 0;
  if (has_reason && is_first) g_strlcpy(row->reason, check->reason, sizeof row->reason);
  row->cases[check->outcome]++;
}

bool invariance_is_better(const invariance_finding_t *a, const invariance_finding_t *b) {
  if (a->difference.is_sign_of_zero != b->difference.is_sign_of_zero) {
    return b->difference.is_sign_of_zero;
  }
  return invariance_work(&a->instance) < invariance_work(&b->instance);
}

/* Makes the instance small; keeps the better one. */
static void shrink(invariance_t *invariance, invariance_count_t *row,
                   const invariance_instance_t *instance, const invariance_check_t *check,
                   const tally_label_t *label) {
  const invariance_options_t *options = &invariance->options;
  const invariance_shrink_options_t how = {
      .executor = options->executors[row->executor],
      .executions = options->executions,
      .seed = invariance_source_seed(options->seed, invariance->cases, PURPOSE_SHRINK),
      .checks_max = options->checks_max,
      .stop = options->stop};
  arena_t *arena = g_new(arena_t, 1);
  arena_init(arena);
  g_ptr_array_add(invariance->row_arenas, arena);
  invariance_finding_t *finding = invariance_finding_make(&how, instance, check, label, arena);
  row->shrunk++;
  if (row->finding == NULL || invariance_is_better(finding, row->finding)) row->finding = finding;
}

static void note_broken(invariance_t *invariance, invariance_count_t *row,
                        const invariance_instance_t *instance, const invariance_check_t *check,
                        const tally_label_t *label) {
  bool is_wanted = row->shrunk < SHRUNK_PER_ROW_MAX ||
                   (row->finding->difference.is_sign_of_zero && !check->difference.is_sign_of_zero);
  if (is_wanted) shrink(invariance, row, instance, check, label);
  invariance_finding_store(row, &invariance->ledger);
}

/* Whatever was to be checked, an executor that gives other bits when it is only run again has
 * broken run-to-run.  If it does not do so now, there is nothing to show, and nothing is added. */
static void note_unrepeatable(invariance_t *invariance, size_t executor,
                              const invariance_instance_t *instance, const tally_label_t *label) {
  invariance_instance_t again = *instance;
  again.property = INVARIANCE_run_to_run;
  invariance_check_t check;
  invariance_check_afresh(invariance->options.executors[executor], &again,
                          invariance->options.executions, &invariance->arena, &check);
  if (check.outcome != INVARIANCE_OUTCOME_broken) return;
  invariance_count_t *row = find_row(invariance, executor, INVARIANCE_run_to_run, label);
  count(row, &check);
  note_broken(invariance, row, &again, &check, label);
}

/* ---- Walking --------------------------------------------------------------------------------- */

/* A case and what is to be done to it: the same for all executors. */
typedef struct work {
  case_t base;
  axes_t axes;
  tally_label_t label;
  bool applies[INVARIANCE_COUNT];
  invariance_instance_t instances[INVARIANCE_COUNT];
} work_t;

static void note_axes(invariance_t *invariance, const program_t *program) {
  if (!program_is_module(program)) return;
  invariance_untold_t *untold = &invariance->untold;
  g_autoptr(GString) why = g_string_new(NULL);
  untold->modules++;
  if (module_tells_axes(program, why) || untold->untold++ > 0) return;
  g_strlcpy(untold->why, why->str, sizeof untold->why);
}

static void draw_work(invariance_t *invariance, work_t *work) {
  const invariance_options_t *options = &invariance->options;
  const op_t *op = g_ptr_array_index(invariance->ops, invariance->cases % invariance->ops->len);
  arena_reset(&invariance->arena);
  const invariance_source_t source = {.op = op, .types = options->types, .seed = options->seed};
  invariance_source_draw(&source, invariance->cases, &invariance->arena, &work->base, &work->axes);
  work->label = tally_label(invariance->tally, &work->base.program);
  note_axes(invariance, &work->base.program);
  for (uint32_t i = 0; i < INVARIANCE_COUNT; i++) {
    rng_t rng =
        rng_make(invariance_source_seed(options->seed, invariance->cases, PURPOSE_CHANGE + i));
    work->applies[i] =
        options->properties[i] && invariance_draw(&rng, (invariance_property_t)i, &work->base,
                                                  &work->axes, &work->instances[i]);
  }
}

static void check_property(invariance_t *invariance, size_t executor, const work_t *work,
                           const invariance_run_t *base, const invariance_instance_t *instance) {
  invariance_check_t check;
  invariance_check(invariance->options.executors[executor], instance, base,
                   invariance->options.executions, &invariance->arena, &check);
  invariance_count_t *row = find_row(invariance, executor, instance->property, &work->label);
  count(row, &check);
  if (check.outcome == INVARIANCE_OUTCOME_broken) {
    note_broken(invariance, row, instance, &check, &work->label);
  }
  if (check.outcome == INVARIANCE_OUTCOME_unrepeatable) {
    note_unrepeatable(invariance, executor, instance, &work->label);
  }
}

static void walk(invariance_t *invariance, const work_t *work) {
  for (size_t executor = 0; executor < invariance->options.executor_count; executor++) {
    invariance_run_t base;
    invariance_run(invariance->options.executors[executor], &work->base, &invariance->arena, &base);
    for (size_t i = 0; i < INVARIANCE_COUNT; i++) {
      if (!work->applies[i]) continue;
      check_property(invariance, executor, work, &base, &work->instances[i]);
    }
  }
}

static bool is_over(const invariance_t *invariance) {
  const invariance_options_t *options = &invariance->options;
  if (options->stop != NULL && *options->stop != 0) return true;
  if (options->cases_max != 0 && invariance->cases >= options->cases_max) return true;
  double seconds = (double)(clock_nanoseconds() - invariance->begin) * 1e-9;
  return options->seconds_max > 0 && seconds >= options->seconds_max;
}

static void tick(invariance_t *invariance) {
  const invariance_options_t *options = &invariance->options;
  uint64_t now = clock_nanoseconds();
  if (options->on_tick == NULL || now < invariance->next_tick) return;
  invariance->next_tick = now + TICK_NANOSECONDS;
  options->on_tick(options->hook_context, invariance);
}

void invariance_run_all(invariance_t *invariance) {
  if (invariance->ops->len == 0) return;
  work_t *work = g_new0(work_t, 1);
  while (!is_over(invariance)) {
    draw_work(invariance, work);
    walk(invariance, work);
    invariance->cases++;
    tick(invariance);
  }
  g_free(work);
}

const invariance_untold_t *invariance_untold(const invariance_t *invariance) {
  return &invariance->untold;
}

uint64_t invariance_cases(const invariance_t *invariance) { return invariance->cases; }

size_t invariance_count_rows(const invariance_t *invariance) { return invariance->rows->len; }

const invariance_count_t *invariance_row_at(const invariance_t *invariance, size_t index) {
  return &g_array_index(invariance->rows, invariance_count_t, index);
}

int invariance_exit_code(const invariance_t *invariance) {
  int exit_code = 0;
  for (size_t i = 0; i < invariance->rows->len; i++) {
    const invariance_count_t *row = invariance_row_at(invariance, i);
    if (row->cases[INVARIANCE_OUTCOME_broken] + row->cases[INVARIANCE_OUTCOME_unrepeatable] > 0) {
      return 1;
    }
    if (row->cases[INVARIANCE_OUTCOME_failed] > 0) exit_code = 3;
  }
  return exit_code;
}
