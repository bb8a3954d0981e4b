/* SPDX-License-Identifier: Apache-2.0 */
/* A budget of seconds: chosen units of the case (harness/model/cut/cut.h) are judged where all of
 * them would take longer.  By theory.md, T135 and T212, their draws miss a fault in one of N
 * elements with a probability of at most 10^-6, for the N that the verdict tells. */
#include <math.h>
#include <string.h>

#include "harness/api/handles.h"
#include "harness/base/clock.h"
#include "harness/run/judge_rows.h"
#include "harness/run/parts/part_sample.h"

enum {
  PART_UNITS_MAX = 4096,
  PART_TERMS_MAX = 1 << 22, /* Of each operand: 32 MiB of f64. */
  TRIED_MIN = 64,           /* Parts of the budget: a corner that takes one tells enough. */
  CLOCK_STANDS_STILL = 100  /* Nanoseconds: on a busy machine it may, for as long as this takes. */
};

/* ---- What it would cost ---------------------------------------------------------------------- */

/* Seconds to judge a corner of the case; infinite where nobody can tell. */
static double time_corner(check_t *check, const cut_t *cut, const cut_range_t *corner) {
  const cut_block_t block = cut_block_make(cut, corner);
  arena_t *arena = &check->context->arena;
  arena_mark_t mark = arena_mark(arena);
  const cut_subject_t subject = {&check->question.instance, check->results};
  const parts_question_t question = check_parts(check, cut);
  case_runner_t walk;
  parts_walk_init(&question, 0, &walk);
  walk.audit_one_in = 0;
  walk.takes_for_wrong = true;
  case_t part;
  tensor_t results[CASE_RESULTS_MAX];
  expectation_t expectation;
  part_finding_t finding = {.algorithms = NULL};
  failure_t ignored;
  const uint64_t begin = clock_cpu_nanoseconds();
  bool is_judged =
      cut_take_block(cut, &subject, &block, arena, &part, results) &&
      case_runner_expect(&walk, &part, NULL, arena, &expectation, &ignored) == STATUS_OK &&
      judge_part(&walk, &expectation, results, &finding, &ignored) == STATUS_OK;
  const uint64_t spent = MAX(clock_cpu_nanoseconds() - begin, CLOCK_STANDS_STILL);
  g_free(finding.algorithms);
  arena_rewind(arena, mark);
  return is_judged ? 1e-9 * (double)spent : (double)INFINITY;
}

static double count_units(const cut_t *cut, const cut_range_t *corner) {
  double units = 1;
  for (uint32_t i = 0; i < cut->free_count; i++) units *= (double)corner->size[cut->free[i]];
  return units;
}

/* Doubles the corner along the axis that is shortest beside a block; false if it is one. */
static bool grow(const cut_t *cut, cut_range_t *corner) {
  int axis = -1;
  for (uint32_t i = 0; i < cut->free_count; i++) {
    const int64_t size = corner->size[cut->free[i]];
    if (size == cut->chunk[cut->free[i]]) continue;
    if (axis < 0 || size < corner->size[axis]) axis = (int)cut->free[i];
  }
  if (axis < 0) return false;
  const int64_t before = corner->size[axis];
  int64_t size = before;
  for (int64_t more = 2 * before; size == before && more < cut->chunk[axis]; more++) {
    size = cut_fit_chunk(cut, (uint32_t)axis, more);
  }
  corner->size[axis] = size == before ? cut->chunk[axis] : size;
  return true;
}

typedef struct cost {
  double first; /* Seconds for one unit alone. */
  double each;  /* In blocks. */
  double whole;
} cost_t;

/* By corners of doubled sizes, up to a block or until one takes a part of the budget. */
static cost_t estimate(check_t *check, const cut_t *cut) {
  const double enough = check->question.asked.budget_seconds / (double)TRIED_MIN;
  cut_range_t corner = {{0}, {0}};
  for (uint32_t i = 0; i < cut->free_count; i++) corner.size[cut->free[i]] = 1;
  time_corner(check, cut, &corner); /* What comes first is slow. */
  cost_t cost = {.first = time_corner(check, cut, &corner)};
  double before = cost.first, now = cost.first, units_before = 0, units = 1;
  while (now <= enough && grow(cut, &corner)) {
    before = now;
    units_before = units;
    now = time_corner(check, cut, &corner);
    units = count_units(cut, &corner);
  }
  cost.each = now / units;
  const double all = (double)cut->unit_count;
  /* On a busy machine more units may seem to cost no more: then all count as what these cost. */
  double more =
      units_before > 0 && now > before ? (now - before) / (units - units_before) : cost.each;
  cost.whole = now + more * (all - units);
  return cost;
}

/* Draws that leave a chance of at most 10^-6 to a fault in one of 1000 elements; of rows, whose
 * elements come together, as many as the budget has time for, by steps that do not depend on every
 * microsecond. */
static uint64_t choose_draws(const check_t *check, const cut_t *cut, const cost_t *cost) {
  static const uint64_t draws[] = {SAMPLE_DRAWS_MAX, 6901, 2757, 1375, 684, 270, SAMPLE_DRAWS_MIN};
  const program_t *program = &check->question.instance.program;
  const size_t components = program->results[0].element->components;
  bool is_element = program->result_count == 1 && cut_unit_components(cut, program) == components;
  if (is_element) return SAMPLE_DRAWS_MAX;
  size_t i = 0;
  while (i + 1 < G_N_ELEMENTS(draws) &&
         (double)draws[i] * cost->each > check->question.asked.budget_seconds) {
    i++;
  }
  return draws[i];
}

/* ---- A sample -------------------------------------------------------------------------------- */

typedef struct sampling {
  check_t *check;
  const cut_t *cut;
  uint64_t draws;
  parts_finding_t finding;
} sampling_t;

size_t check_wrong_units(const cut_t *cut, const cut_subject_t *subject,
                         const parts_finding_t *finding, size_t out_units[CHECK_TOLD_MAX]) {
  const program_t *program = &subject->instance->program;
  size_t count = 0;
  for (uint32_t r = 0; r < program->result_count; r++) {
    const uint8_t *wrong = finding->wrong[r];
    const size_t components = program->results[r].element->components;
    const size_t all = type_component_count(&program->results[r]);
    for (size_t i = 0; wrong != NULL && i < all && count < CHECK_TOLD_MAX; i++) {
      if (wrong[i] == 0) continue;
      const size_t unit = cut_unit_of(cut, r, i / components);
      bool is_there = false;
      for (size_t k = 0; k < count; k++) is_there |= out_units[k] == unit;
      if (!is_there) out_units[count++] = unit;
    }
  }
  return count;
}

/* The class, the cause and the worst are those of some wrong elements, whose counts are not. */
static status_t tell_wrong(sampling_t *sampling, verdict_t *total, worst_t *out_worst) {
  check_t *check = sampling->check;
  const program_t *program = &check->question.instance.program;
  const cut_subject_t subject = {&check->question.instance, check->results};
  size_t first[CHECK_TOLD_MAX];
  cut_units_t units = {first,
                       check_wrong_units(sampling->cut, &subject, &sampling->finding, first)};
  if (!sampling->cut->joins_units) { /* Then one, the worst. */
    const wrong_element_t *worst = &sampling->finding.tally.worst;
    const size_t components = program->results[worst->result].element->components;
    first[0] = cut_unit_of(sampling->cut, worst->result, worst->component / components);
    units.count = 1;
  }
  case_t part;
  tensor_t results[CASE_RESULTS_MAX];
  if (!cut_take_units(sampling->cut, &subject, &units, &check->context->arena, &part, results)) {
    return STATUS_OK;
  }
  checked_t told;
  check->whole_count = type_component_count(&program->results[0]);
  if (!sampling->cut->joins_units) check_margins(check, sampling->cut, units.items[0], &part);
  status_t status = check_case(check, &part, results, false, &told);
  check->whole_count = 0;
  memset(check->margins, 0, sizeof check->margins);
  STATUS_TRY(status);
  const verdict_t counts = *total;
  *total = told.verdict;
  total->component = cut_units_to_whole(sampling->cut, &units, program, told.verdict.result,
                                        told.verdict.component);
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

static status_t conclude(sampling_t *sampling, const parts_question_t *question,
                         assay_verdict_t *verdict) {
  check_t *check = sampling->check;
  const program_t *program = &check->question.instance.program;
  const judge_tally_t *tally = &sampling->finding.tally;
  verdict_t *total = &verdict->verdict;
  worst_t worst = {.exact = NAN};
  if (tally->has_wrong) {
    /* Its class is told below. */
    const judge_t judge = {.contract = check->question.contract, .skips_class = true};
    STATUS_TRY(judge_conclude(&judge, &check->question.instance, check->results, tally, total,
                              &check->call->failure));
    STATUS_TRY(tell_wrong(sampling, total, &worst));
    STATUS_TRY(check_readings(check, question, total));
  } else {
    STATUS_TRY(judge_parts_conclude_right(check_walk(check), &check->question.instance,
                                          check->results, tally, total, &check->call->failure));
    judge_rows_note(&sampling->finding.rows, check->results, total);
  }
  /* What explains some elements need not explain all. */
  total->has_algorithms = false;
  total->algorithms[0] = '\0';
  total->formula = NULL;
  size_t all = 0;
  for (uint32_t i = 0; i < program->result_count; i++) {
    all += type_component_count(&program->results[i]);
  }
  total->left_out_count = all - total->component_count;
  total->untested_count += total->left_out_count;
  total->component_count = all;
  total->sample_draws = sampling->draws;
  const uint8_t *wrong[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < program->result_count; i++) wrong[i] = sampling->finding.wrong[i];
  const judged_t judged = {.instance = &check->question.instance,
                           .contract = &check->question.contract,
                           .results = check->results,
                           .wrong = wrong,
                           .worst = worst};
  verdict_tell(&judged, verdict);
  return STATUS_OK;
}

static status_t judge_sample(sampling_t *sampling, assay_verdict_t *verdict, bool *out_is_sampled) {
  check_t *check = sampling->check;
  const program_t *program = &check->question.instance.program;
  size_t count;
  size_t *units =
      part_sample_draw(sampling->cut, program, sampling->draws, check->question.asked.seed, &count);
  if (count > sampling->cut->unit_count / 4 * 3) { /* The rest costs little more. */
    g_free(units);
    return STATUS_OK;
  }
  const size_t by_terms = PART_TERMS_MAX / cut_unit_terms(sampling->cut, program);
  const size_t by_results = CUT_COMPONENTS_MAX / cut_unit_components(sampling->cut, program);
  parts_question_t question = check_parts(check, sampling->cut);
  question.units = units;
  question.unit_count = count;
  question.part_units = CLAMP(MIN(by_terms, by_results), 1, PART_UNITS_MAX);
  status_t status = parts_judge(&question, &sampling->finding, &check->call->failure);
  *out_is_sampled = sampling->finding.is_cut;
  if (status == STATUS_OK && sampling->finding.is_cut) {
    status = conclude(sampling, &question, verdict);
  }
  g_free(units); /* Readings are asked of the same ones. */
  parts_finding_clear(&sampling->finding);
  return check_failed(check, status);
}

status_t check_sampled(check_t *check, const cut_t *cut, assay_verdict_t *verdict,
                       bool *out_is_sampled) {
  *out_is_sampled = false;
  const assay_question_t *asked = &check->question.asked;
  if (!(asked->budget_seconds > 0) || (asked->flags & ASSAY_ALL_ELEMENTS) != 0) return STATUS_OK;
  const cost_t cost = estimate(check, cut);
  if (cost.whole <= asked->budget_seconds) return STATUS_OK;
  sampling_t sampling = {.check = check, .cut = cut, .draws = choose_draws(check, cut, &cost)};
  /* Units that are judged one by one may take longer than all in blocks. */
  if (!cut->joins_units && (double)sampling.draws * cost.first >= cost.whole) return STATUS_OK;
  return judge_sample(&sampling, verdict, out_is_sampled);
}
