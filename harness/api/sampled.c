/* SPDX-License-Identifier: Apache-2.0 */
/* A budget of seconds: a sample of the elements is judged, as parts of the case (oracle_t.pick),
 * where all of them would take longer.  By theory.md, T135, its draws miss a fault in one of 1,000
 * elements with a probability below 10^-6. */
#include <math.h>
#include <string.h>

#include "harness/api/handles.h"
#include "harness/base/clock.h"
#include "harness/model/axes.h"
#include "harness/power/terms.h"

enum {
  ROWS_TRIED = 16,
  COLUMNS_TRIED = 64, /* Of the case, and twice as many, to learn what all would cost. */
  PART_ELEMENTS_MAX = 4096,
  PART_TERMS_MAX = 1 << 22, /* Of each operand: 32 MiB of f64. */
  CLOCK_STANDS_STILL = 100, /* Nanoseconds: on a busy machine it may, for as long as this takes. */
  TOLD_ELEMENTS_MAX = 32    /* Of which the class, the cause and the worst are told. */
};

/* ---- What the whole would cost --------------------------------------------------------------- */

/* The first result's longest axis of one of these roles, or -1. */
static int longest_axis(const axes_t *axes, uint32_t roles) {
  int longest = -1;
  for (uint32_t i = 0; i < axes->count; i++) {
    bool fits =
        (roles >> axes->items[i].role & 1) != 0 && axis_list_find(&axes->results[0], i) >= 0;
    if (fits && (longest < 0 || axes->items[i].size > axes->items[longest].size)) longest = (int)i;
  }
  return longest;
}

/* The axes that are cut short to learn what all would cost. */
typedef struct corner {
  axes_t axes;
  int row, column; /* -1: none. */
} corner_t;

/* Seconds for the accept sets of a corner of that many rows; infinite where nobody can tell. */
static double time_corner(check_t *check, const oracle_t *oracle, const corner_t *corner,
                          int64_t rows) {
  static const size_t first[COLUMNS_TRIED] = {
      0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
      22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
      44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
  arena_t *arena = &check->context->arena;
  arena_mark_t mark = arena_mark(arena);
  axes_selection_t selection = {{NULL}};
  axes_t view = corner->axes;
  selection.from[corner->row] = first;
  view.items[corner->row].size = rows;
  if (corner->column >= 0) {
    selection.from[corner->column] = first;
    view.items[corner->column].size = COLUMNS_TRIED;
  }
  case_t part;
  double seconds = INFINITY;
  if (axes_view(&check->question.instance, &corner->axes, &selection, &view, arena, &part)) {
    failure_t ignored;
    accept_t accepts[CASE_RESULTS_MAX];
    const oracle_call_t call = {.instance = &part,
                                .contract = &check->question.contract,
                                .arena = arena,
                                .error = &ignored};
    uint64_t begin = clock_cpu_nanoseconds();
    oracle->accept(&call, accepts);
    seconds = 1e-9 * (double)MAX(clock_cpu_nanoseconds() - begin, CLOCK_STANDS_STILL);
  }
  arena_rewind(arena, mark);
  return seconds;
}

/* What all of it would cost, by what twice as many rows of a corner cost more. */
static double estimate_whole(check_t *check, const oracle_t *oracle) {
  corner_t corner;
  if (!axes_of(&check->question.instance.program, &corner.axes)) return INFINITY;
  corner.row = longest_axis(&corner.axes, 1U << AXIS_ROW | 1U << AXIS_BATCH);
  corner.column = longest_axis(&corner.axes, 1U << AXIS_COLUMN);
  if (corner.row < 0) return INFINITY;
  const int64_t rows = corner.axes.items[corner.row].size;
  if (rows <= 2 * ROWS_TRIED) return 0;
  double times = (double)rows / (double)ROWS_TRIED;
  if (corner.column >= 0) {
    const int64_t columns = corner.axes.items[corner.column].size;
    if (columns <= COLUMNS_TRIED) corner.column = -1;
    if (columns > COLUMNS_TRIED) times *= (double)columns / (double)COLUMNS_TRIED;
  }
  time_corner(check, oracle, &corner, ROWS_TRIED); /* Warms the cache up. */
  double once = time_corner(check, oracle, &corner, ROWS_TRIED);
  double twice = time_corner(check, oracle, &corner, 2 * ROWS_TRIED);
  return once + fmax(twice - once, 0) * times;
}

/* ---- Parts ----------------------------------------------------------------------------------- */

typedef struct sampling {
  check_t *check;
  const oracle_t *oracle;
  size_t *elements; /* Ascending. */
  size_t count;
  uint64_t draws; /* That chose them, at random. */
  size_t judged;  /* So far. */
  size_t part_max;
  uint8_t *wrong;                 /* By component of the case; NULL: none yet. */
  size_t told[TOLD_ELEMENTS_MAX]; /* Wrong elements, the first ones. */
  size_t told_count;
  bool has_conforming, lacks_oracle;
  verdict_t total;
} sampling_t;

/* The results of a part. */
static tensor_t pick_results(const sampling_t *sampling, const case_t *part,
                             const size_t *elements) {
  const tensor_t *whole = &sampling->check->results[0];
  tensor_t picked = tensor_make(&sampling->check->context->arena, &part->program.results[0]);
  const size_t bytes = element_bytes(whole->type.element);
  for (size_t i = 0; i < type_element_count(&picked.type); i++) {
    memcpy(picked.data + i * bytes, whole->data + elements[i] * bytes, bytes);
  }
  return picked;
}

/* The component of the case that a part's stands for. */
static size_t component_of(const sampling_t *sampling, const size_t *elements, size_t component) {
  size_t components = sampling->check->results[0].type.element->components;
  return elements[component / components] * components + component % components;
}

static void note_wrong(sampling_t *sampling, const checked_t *part, const size_t *elements) {
  const type_t *type = &sampling->check->results[0].type;
  if (sampling->wrong == NULL) {
    sampling->wrong = (uint8_t *)g_malloc0(type_component_count(type));
  }
  const uint8_t *wrong = part->evidence.wrong[0];
  for (size_t i = 0; wrong != NULL && i < part->verdict.component_count; i++) {
    if (wrong[i] == 0) continue;
    const size_t component = component_of(sampling, elements, i);
    const size_t element = component / type->element->components;
    sampling->wrong[component] = 1;
    bool is_told = sampling->told_count > 0 && sampling->told[sampling->told_count - 1] == element;
    if (is_told || sampling->told_count == TOLD_ELEMENTS_MAX) continue;
    sampling->told[sampling->told_count++] = element;
  }
}

/* Counts and errors are of all parts. */
static void add_part(sampling_t *sampling, const checked_t *part, const size_t *elements) {
  const verdict_t *found = &part->verdict;
  verdict_t *total = &sampling->total;
  sampling->has_conforming |= found->outcome == OUTCOME_conforms;
  sampling->lacks_oracle |= found->outcome == OUTCOME_no_oracle;
  bool says_why = found->outcome == OUTCOME_no_oracle || total->reason[0] == '\0';
  if (says_why) g_strlcpy(total->reason, found->reason, sizeof total->reason);
  if (found->wrong_count > 0) note_wrong(sampling, part, elements);
  total->wrong_count += found->wrong_count;
  total->component_count += found->component_count;
  total->untested_count += found->untested_count;
  total->treeless_count += found->treeless_count;
  total->ulp_error_max = fmax(total->ulp_error_max, found->ulp_error_max);
  total->slack_max = fmax(total->slack_max, found->slack_max);
  total->backward_error_max = fmax(total->backward_error_max, found->backward_error_max);
}

/* Picks elements and judges them; false if the case has no such parts. */
static status_t judge_part(sampling_t *sampling, const size_t *elements, size_t count,
                           bool is_brief, checked_t *out_part, bool *out_is_part) {
  check_t *check = sampling->check;
  case_t part;
  *out_is_part = sampling->oracle->pick(&check->question.instance, elements, count,
                                        &check->context->arena, &part);
  if (!*out_is_part) return STATUS_OK;
  const tensor_t results = pick_results(sampling, &part, elements);
  return check_case(check, &part, &results, is_brief, out_part);
}

static status_t judge_next(sampling_t *sampling, bool *out_is_part) {
  check_t *check = sampling->check;
  const size_t *elements = sampling->elements + sampling->judged;
  const size_t count = MIN(sampling->count - sampling->judged, sampling->part_max);
  arena_mark_t mark = arena_mark(&check->context->arena);
  checked_t part;
  STATUS_TRY(judge_part(sampling, elements, count, true, &part, out_is_part));
  if (*out_is_part) add_part(sampling, &part, elements);
  arena_rewind(&check->context->arena, mark);
  sampling->judged += count;
  double done = (double)sampling->judged / (double)sampling->count;
  return progress_tell(&check->progress, done) ? STATUS_OK : check_cancelled(check);
}

/* ---- All ------------------------------------------------------------------------------------- */

/* Elements of which a component was chosen, and more at random up to SAMPLE_DRAWS_MAX draws. */
static void list_elements(sampling_t *sampling, const sample_t *sample) {
  check_t *check = sampling->check;
  const type_t *type = &check->results[0].type;
  const size_t elements = type_element_count(type), components = type->element->components;
  uint8_t *chosen = arena_alloc_zeroed(&check->context->arena, elements);
  for (size_t i = 0; i < elements * components; i++) {
    chosen[i / components] |= sample->chosen[0][i];
  }
  rng_t rng = rng_make(check->question.asked.seed);
  sampling->draws = sample->draws[0];
  for (; sampling->draws < SAMPLE_DRAWS_MAX; sampling->draws++) {
    chosen[rng_below(&rng, elements)] = 1;
  }
  for (size_t i = 0; i < elements; i++) sampling->count += chosen[i];
  sampling->elements = ARENA_NEW_ARRAY(&check->context->arena, size_t, sampling->count);
  size_t filled = 0;
  for (size_t i = 0; i < elements; i++) {
    if (chosen[i] != 0) sampling->elements[filled++] = i;
  }
  const size_t terms = MAX(program_terms(&check->question.instance.program), 1);
  sampling->part_max = MIN(MAX(PART_TERMS_MAX / terms, 1), (size_t)PART_ELEMENTS_MAX);
}

/* The class, the cause and the worst are those of some wrong elements, whose counts are not. */
static status_t tell_wrong(sampling_t *sampling, worst_t *out_worst) {
  verdict_t *total = &sampling->total;
  if (sampling->told_count == 0) return STATUS_OK;
  bool is_part;
  checked_t told;
  STATUS_TRY(judge_part(sampling, sampling->told, sampling->told_count, false, &told, &is_part));
  if (!is_part) return STATUS_OK;
  const verdict_t counts = *total;
  *total = told.verdict;
  total->component = component_of(sampling, sampling->told, told.verdict.component);
  total->pattern[0] = '\0'; /* Among those. */
  total->wrong_count = counts.wrong_count;
  total->component_count = counts.component_count;
  total->untested_count = counts.untested_count;
  total->treeless_count = counts.treeless_count;
  total->ulp_error_max = counts.ulp_error_max;
  total->slack_max = counts.slack_max;
  total->backward_error_max = counts.backward_error_max;
  *out_worst = told.worst;
  return STATUS_OK;
}

static void conclude(sampling_t *sampling, const worst_t *worst, assay_verdict_t *verdict) {
  verdict_t *total = &sampling->total;
  const size_t all = type_component_count(&sampling->check->results[0].type);
  if (sampling->told_count == 0) {
    total->outcome = sampling->lacks_oracle     ? OUTCOME_no_oracle
                     : sampling->has_conforming ? OUTCOME_conforms
                                                : OUTCOME_weak;
    if (total->outcome == OUTCOME_conforms) total->reason[0] = '\0';
  }
  /* What explains some elements need not explain all. */
  total->has_algorithms = false;
  total->algorithms[0] = '\0';
  total->formula = NULL;
  total->left_out_count = all - total->component_count;
  total->untested_count += total->left_out_count;
  total->component_count = all;
  total->sample_draws = sampling->draws;
  verdict->verdict = *total;
  const uint8_t *const wrong[CASE_RESULTS_MAX] = {sampling->wrong};
  const judged_t judged = {.instance = &sampling->check->question.instance,
                           .contract = &sampling->check->question.contract,
                           .results = sampling->check->results,
                           .wrong = wrong,
                           .worst = *worst};
  verdict_tell(&judged, verdict);
}

static status_t judge_sample(sampling_t *sampling, assay_verdict_t *verdict, bool *out_is_sampled) {
  check_t *check = sampling->check;
  const oracle_call_t call = {.instance = &check->question.instance,
                              .contract = &check->question.contract,
                              .arena = &check->context->arena,
                              .error = &check->call->failure};
  const sample_t sample = sample_make(sampling->oracle, &call);
  if (sample.chosen[0] == NULL) return STATUS_OK;
  list_elements(sampling, &sample);
  while (sampling->judged < sampling->count) {
    bool is_part;
    STATUS_TRY(judge_next(sampling, &is_part));
    if (!is_part) return STATUS_OK;
  }
  worst_t worst = {.exact = NAN};
  STATUS_TRY(tell_wrong(sampling, &worst));
  conclude(sampling, &worst, verdict);
  *out_is_sampled = true;
  return STATUS_OK;
}

status_t check_sampled(check_t *check, assay_verdict_t *verdict, bool *out_is_sampled) {
  *out_is_sampled = false;
  const double budget = check->question.asked.budget_seconds;
  const program_t *program = &check->question.instance.program;
  const oracle_t *oracle = oracle_find(program->op);
  bool has_parts = budget > 0 && oracle != NULL && oracle->pick != NULL &&
                   program->result_count == 1 &&
                   (check->question.asked.flags & ASSAY_ALL_ELEMENTS) == 0;
  if (!has_parts || estimate_whole(check, oracle) <= budget) return STATUS_OK;
  sampling_t sampling = {.check = check, .oracle = oracle};
  status_t status = judge_sample(&sampling, verdict, out_is_sampled);
  g_free(sampling.wrong);
  return status;
}
