/* SPDX-License-Identifier: Apache-2.0 */
/* Models take microseconds for a row and enclosures hundreds, so that models are asked often, and
 * enclosures about what they propose.  Where an element's set lies beside what a model gives of it,
 * the last enclosure tells. */
#include "oracles/composite/rows/modelled_row.h"

#include <glib.h>
#include <math.h>

#include "oracles/formula/enclosed_set.h"
#include "oracles/formula/model.h"

enum {
  PROPOSALS = 2,  /* Enclosures of the row for each way of the model. */
  SWEEPS_MAX = 4, /* Over all numbers, for one proposal. */
  STEP_BITS_MAX = 50,
};

/* One of the numbers: what its step gives, and how many units from that it is to be. */
typedef struct model_point {
  bool is_given;
  double computed;
  double moved;
  double value;
  double width; /* Of what it may be. */
} model_point_t;

typedef struct model_points {
  shared_t as_shared;
  const format_t *format;
  evaluator_t evaluator; /* The shared one, with other functions. */
  size_t count;
  size_t next;
  model_point_t points[SHARED_NUMBERS_MAX];
} model_points_t;

/* A number of a result: what was returned, and where its set was beside the model's. */
typedef struct target {
  double value;
  double middle; /* Of the set, less what the model gave. */
  double half;   /* Of its width, and half a unit in the last place. */
} target_t;

typedef struct model_fit {
  shared_row_t *row;
  const double *const *values;
  model_points_t *points;
  size_t count;
  target_t *targets;
  double *modelled; /* What the model gives with the numbers as they are. */
  bool other_way;   /* Of the two that some steps have. */
  bool moves_all;   /* Also numbers that follow from others, which may be rounded otherwise. */
} model_fit_t;

/* ---- A model with its numbers moved ---------------------------------------------------------- */

static double unit_of(const model_points_t *points, const model_point_t *point) {
  if (point->computed != 0) return model_unit_at(points->format, point->computed);
  return fmax(ldexp(point->width, -STEP_BITS_MAX), format_to_double(points->format, 1));
}

static row_t settle(formula_t *formula, model_points_t *points, model_point_t *point) {
  double *value = ARENA_NEW_ARRAY(formula->arena, double, 1);
  *value = point->computed;
  if (point->moved != 0 && isfinite(point->computed)) {
    double away = point->computed + point->moved * unit_of(points, point);
    *value = format_round_double(points->format, away);
  }
  point->value = *value;
  return (row_t){.count = 1, .values = value};
}

static row_t keep(formula_t *formula, row_t row, bool is_given) {
  model_points_t *points = (model_points_t *)formula->shared;
  g_assert(points->next < SHARED_NUMBERS_MAX);
  model_point_t *point = &points->points[points->next++];
  if (points->as_shared.is_recording) points->count = points->next;
  point->is_given = is_given;
  point->computed = row.values[0];
  return settle(formula, points, point);
}

static row_t replay(formula_t *formula) {
  model_points_t *points = (model_points_t *)formula->shared;
  g_assert(points->next < points->count);
  return settle(formula, points, &points->points[points->next++]);
}

/* Of the C library: what is proposed need not be rounded right, and models take theirs of MPFR. */
static double function_at(elementary_t which, double x) {
  switch (which) {
    case ELEMENTARY_exp:
      return exp(x);
    case ELEMENTARY_exp2:
      return exp2(x);
    case ELEMENTARY_log:
      return log(x);
    case ELEMENTARY_erf:
      return erf(x);
    case ELEMENTARY_erfc:
      return erfc(x);
    case ELEMENTARY_tanh:
      return tanh(x);
    case ELEMENTARY_rsqrt:
      return (double)(1 / sqrtl(x)); /* Two roundings would often be one too many. */
    case ELEMENTARY_expm1:
      return expm1(x);
    case ELEMENTARY_log1p:
      return log1p(x);
    case ELEMENTARY_sin:
      return sin(x);
    case ELEMENTARY_cos:
      return cos(x);
    case ELEMENTARY_COUNT:
    default:
      return (double)NAN;
  }
}

static row_t function(formula_t *formula, elementary_t which, row_t a) {
  row_t row = {.count = a.count, .values = ARENA_NEW_ARRAY(formula->arena, double, a.count)};
  for (size_t i = 0; i < a.count; i++) {
    row.values[i] = format_round_double(formula->format, function_at(which, a.values[i]));
  }
  return row.count == 1 ? keep(formula, row, false) : row;
}

static void run_model(model_fit_t *fit, bool is_recording) {
  const problem_t *problem = &fit->row->problem;
  arena_mark_t mark = arena_mark(problem->arena);
  implementation_model_t schedule = schedule_plain();
  schedule.other_way = fit->other_way;
  fit->points->as_shared.is_recording = is_recording;
  fit->points->next = 0;
  const evaluation_t modelled = {.evaluator = &fit->points->evaluator,
                                 .schedule = &schedule,
                                 .shared = &fit->points->as_shared};
  row_t rows[CASE_RESULTS_MAX];
  problem_evaluate(problem, &fit->row->row, &fit->row->variant, &modelled, rows);
  size_t n = 0;
  for (uint32_t r = 0; r < problem->instance->program.result_count; r++) {
    for (size_t i = 0; i < part_result_count(problem, &fit->row->row, r); i++) {
      fit->modelled[n++] = rows[r].values[rows[r].count == 1 ? 0 : i];
    }
  }
  arena_rewind(problem->arena, mark);
}

/* How far the sets would be from what was returned, in halves of their widths: fourth powers, since
 * it is the farthest that counts. */
static double badness(model_fit_t *fit) {
  run_model(fit, false);
  double sum = 0;
  for (size_t n = 0; n < fit->count; n++) {
    const target_t *target = &fit->targets[n];
    double away = (target->value - (fit->modelled[n] + target->middle)) / target->half;
    sum += away * away * away * away;
  }
  return isnan(sum) ? (double)INFINITY : sum;
}

/* ---- Where to go ----------------------------------------------------------------------------- */

/* From as far as the number may be to single units. */
static double first_step(const model_fit_t *fit, const model_point_t *point) {
  double units = point->width / unit_of(fit->points, point);
  if (!(units >= 0.5)) return 0;
  if (!point->is_given) return fit->moves_all ? 1 : 0;
  int bits;
  (void)frexp(units, &bits);
  return ldexp(1, CLAMP(bits, 0, STEP_BITS_MAX));
}

static double move(model_fit_t *fit, model_point_t *point, double best) {
  for (double step = first_step(fit, point); step >= 1; step /= 2) {
    double start = point->moved;
    for (int way = -1; way <= 1; way += 2) {
      point->moved = start + way * step;
      double now = badness(fit);
      if (now < best) {
        best = now;
        break;
      }
      point->moved = start;
    }
  }
  return best;
}

static void approach(model_fit_t *fit) {
  double best = badness(fit);
  for (int sweep = 0; sweep < SWEEPS_MAX; sweep++) {
    double before = best;
    for (size_t k = 0; k < fit->points->count; k++) best = move(fit, &fit->points->points[k], best);
    if (best > before / 2) return;
  }
}

/* ---- Proposals ------------------------------------------------------------------------------- */

/* Whether the enclosed sets with these numbers hold all of the row; and where they lie. */
static bool explains(model_fit_t *fit, bool *out_is_known) {
  run_model(fit, false);
  *out_is_known = true;
  double *ends = ARENA_NEW_ARRAY(fit->row->shared.arena, double, 2 * fit->count);
  double points[SHARED_NUMBERS_MAX];
  for (size_t k = 0; k < fit->points->count; k++) {
    points[k] = fit->points->points[k].value;
    if (!isfinite(points[k])) *out_is_known = false;
  }
  if (!*out_is_known) return false;
  bool holds = shared_row_holds_at(fit->row, points, ends);
  for (size_t n = 0; n < fit->count; n++) {
    target_t *target = &fit->targets[n];
    double low = ends[2 * n], high = ends[2 * n + 1];
    if (!isfinite(low) || !isfinite(high) || low > high || !isfinite(fit->modelled[n])) {
      *out_is_known = false;
      continue;
    }
    double unit = model_unit_at(&format_table[FORMAT_f64], fmax(fabs(low), fabs(high)));
    target->middle = low / 2 + high / 2 - fit->modelled[n];
    target->half = (high - low + unit) / 2;
  }
  return holds;
}

static void set_widths(model_fit_t *fit) {
  for (size_t k = 0; k < fit->points->count; k++) {
    const enclosed_t *recorded = fit->row->shared.numbers[k].recorded;
    double low = mpfr_get_d(recorded->low, MPFR_RNDN), high = mpfr_get_d(recorded->high, MPFR_RNDN);
    fit->points->points[k].width = high - low;
  }
}

/* Whether each number of the model is one that its step may give: not where it overflows, or is
 * lost to underflow, and the formula's numbers are not (enclosing_t.is_unbounded). */
static bool is_possible(const model_fit_t *fit) {
  if (fit->points->count != fit->row->shared.count) return false;
  for (size_t k = 0; k < fit->points->count; k++) {
    const enclosed_t *recorded = fit->row->shared.numbers[k].recorded;
    double value = fit->points->points[k].value;
    bool is_zero = value == 0 && enclosed_has_zero(recorded);
    bool is_within = recorded->has_finite && isfinite(value) &&
                     mpfr_cmp_d(recorded->low, value) <= 0 &&
                     mpfr_cmp_d(recorded->high, value) >= 0;
    if (!is_zero && !is_within) return false;
  }
  return true;
}

static void set_targets(model_fit_t *fit) {
  const problem_t *problem = &fit->row->problem;
  size_t n = 0;
  for (uint32_t r = 0; r < problem->instance->program.result_count; r++) {
    for (size_t i = 0; i < part_result_count(problem, &fit->row->row, r); i++) {
      fit->targets[n++].value = fit->values[r][i];
    }
  }
}

static size_t result_count(const problem_t *problem, const part_t *part) {
  size_t count = 0;
  for (uint32_t r = 0; r < problem->instance->program.result_count; r++) {
    count += part_result_count(problem, part, r);
  }
  return count;
}

/* Each of the two ways of steps that have two, and each with numbers rounded otherwise. */
enum { WAYS = 4 };

static bool try_way(model_fit_t *fit, int way) {
  fit->other_way = way % 2 != 0;
  fit->moves_all = way / 2 != 0;
  for (size_t k = 0; k < SHARED_NUMBERS_MAX; k++) fit->points->points[k].moved = 0;
  run_model(fit, true);
  bool is_known = is_possible(fit);
  if (is_known) set_widths(fit);
  for (int i = 0; i < PROPOSALS && is_known; i++) {
    if (i > 0 || fit->moves_all) approach(fit);
    if (explains(fit, &is_known)) return true;
  }
  return false;
}

bool modelled_row_is_explained(shared_row_t *row, const double *const *values) {
  if (row->shared.has_special || row->row.count > MODELLED_TERMS_MAX) return false;
  arena_t *arena = row->shared.arena;
  arena_mark_t mark = arena_mark(arena);
  size_t count = result_count(&row->problem, &row->row);
  model_fit_t fit = {.row = row, .values = values, .count = count};
  fit.points = ARENA_NEW_ARRAY(arena, model_points_t, 1);
  *fit.points =
      (model_points_t){.as_shared = {.base = &model_evaluator, .keep = keep, .replay = replay},
                       .format = row->variant.format,
                       .evaluator = shared_evaluator};
  fit.points->evaluator.function = function;
  fit.targets = ARENA_NEW_ARRAY(arena, target_t, count);
  fit.modelled = ARENA_NEW_ARRAY(arena, double, count);
  set_targets(&fit);
  bool is_explained = false;
  for (int way = 0; way < WAYS && !is_explained; way++) is_explained = try_way(&fit, way);
  arena_rewind(arena, mark);
  return is_explained;
}
