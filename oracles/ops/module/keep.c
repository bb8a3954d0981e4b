/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels keep of a step's floats where values between steps may be wider, and what they
 * return of these (theory.md, T175 and T298): by how many roundings there are in an element. */
#include <math.h>

#include "generated/exact_permissions.h"
#include "generated/pointwise_permissions.h"
#include "oracles/exact/error_bound.h"
#include "oracles/ops/module/walk.h"
#include "oracles/ops/pointwise/parts.h"

/* ---- Roundings ------------------------------------------------------------------------------- */

typedef enum roundings {
  ROUNDS_NOTHING, /* Each element is an operand's, its negation or magnitude. */
  ROUNDS_ONCE,    /* Each is one function of elements. */
  ROUNDS_OFTEN
} roundings_t;

static roundings_t roundings_of(const module_step_t *step, const contract_t *contract) {
  static const char *const choices[] = {"abs", "clamp", "select", "slice", "pad", "reverse", NULL};
  static const char *const functions[] = {"add",  "subtract", "multiply", "convert", "sqrt",
                                          "sign", "floor",    "ceil",     NULL};
  if (!module_step_is_plain(step)) return ROUNDS_OFTEN;
  if (module_step_selects(step) || module_step_is_one_of(step, choices)) return ROUNDS_NOTHING;
  bool is_quotient =
      module_step_is(step, "divide") && PERMITTED(contract, division) != DIVISION_RECIPROCAL;
  bool is_function = is_quotient || module_step_is_one_of(step, functions);
  return is_function ? ROUNDS_ONCE : ROUNDS_OFTEN;
}

/* ---- Flushing -------------------------------------------------------------------------------- */

/* Whether no number in the box can be taken for zero, being subnormal. */
static bool holds_no_subnormal(box_t box, const format_t *format) {
  double normal = format_smallest_normal(format);
  return box.low >= normal || box.high <= -normal || (box.low == 0 && box.high == 0);
}

/* Of operand elements `from` to `to`, those of integers too. */
static bool hold_no_subnormals(const module_walk_t *walk, const module_step_t *step,
                               uint32_t operand, size_t from, size_t to) {
  const format_t *format = step->program.operands[operand].element->format;
  const box_t *boxes = walk->boxes[step->operands[operand]];
  bool holds = true;
  for (size_t i = from; i < to && holds && format != NULL; i++) {
    holds = holds_no_subnormal(boxes[i], format);
  }
  return holds;
}

/* Whether each element is made of those in its place, or of scalars. */
static bool is_elementwise(const module_step_t *step, roundings_t roundings) {
  static const char *const names[] = {"maximum", "minimum", "negate", "abs",
                                      "clamp",   "select",  NULL};
  return roundings == ROUNDS_ONCE || module_step_is_one_of(step, names);
}

/* Whether nothing that an element is made of, nor the exact result, can be flushed. */
static bool *find_unflushed(const module_walk_t *walk, const module_step_t *step,
                            roundings_t roundings, const box_t *exact) {
  const program_t *program = &step->program;
  const format_t *format = program->results[0].element->format;
  size_t count = type_element_count(&program->results[0]);
  bool *unflushed = ARENA_NEW_ARRAY(walk->arena, bool, count);
  bool is_flushing = PERMITTED(&walk->contract, ftz) != FTZ_NONE;
  bool has_places = is_elementwise(step, roundings);
  for (size_t i = 0; i < count; i++) {
    unflushed[i] = !is_flushing || holds_no_subnormal(exact[i], format);
  }
  for (uint32_t o = 0; o < program->operand_count && is_flushing; o++) {
    size_t elements = type_element_count(&program->operands[o]);
    bool is_apart = has_places && elements > 1;
    bool all = is_apart || hold_no_subnormals(walk, step, o, 0, elements);
    for (size_t i = 0; i < count; i++) {
      unflushed[i] &= is_apart ? hold_no_subnormals(walk, step, o, i, i + 1) : all;
    }
  }
  return unflushed;
}

/* ---- One element ----------------------------------------------------------------------------- */

typedef struct kept {
  box_t seen;    /* By later steps. */
  box_t rounded; /* What an exact result that is kept in a wider format is rounded to. */
} kept_t;

/* One operation in a wider format: between the neighbours of what is exact. */
static box_t round_wider(box_t exact, const format_t *format) {
  if (!box_is_finite(exact)) return box_whole_line();
  double u = module_wider_roundoff(format), least = format_smallest(format);
  if (format->bits < 64) least *= u / module_roundoff(format);
  box_t near = box_widen(exact, box_magnitude(exact) * 2 * u + least);
  box_t neighbours = box_round_either_way(exact, format);
  return box_is_finite(neighbours) ? box_intersect(near, neighbours) : box_whole_line();
}

static box_t unite_finite(box_t a, box_t b) {
  return box_is_finite(a) && box_is_finite(b) ? box_unite(a, b) : box_whole_line();
}

/* `sums` is what the step's oracle says that sums are before they are rounded at last. */
static kept_t keep(roundings_t roundings, const format_t *format, box_t stored, box_t exact,
                   box_t sums) {
  box_t wider = module_widen(exact, 2 * module_wider_roundoff(format), format);
  kept_t kept;
  if (roundings == ROUNDS_NOTHING) {
    kept.seen = box_unite(stored, exact);
  } else if (roundings == ROUNDS_ONCE) {
    wider = round_wider(exact, format);
    kept.seen = unite_finite(stored, wider);
  } else if (!box_is_whole_line(sums)) {
    sums = box_unite(sums, exact);
    if (sums.low == sums.high) wider = sums;
    kept.seen = unite_finite(stored, sums);
  } else {
    kept.seen = module_unrounded(stored, exact, format);
  }
  kept.rounded = box_is_finite(wider) ? box_round(wider, format) : box_whole_line();
  return kept;
}

/* ---- A step ---------------------------------------------------------------------------------- */

/* What a step that rounds nothing returns of elements that may be returned: their roundings. */
static status_t select_returned(module_walk_t *walk, const module_step_t *step,
                                box_t *out_returned) {
  const box_t *given[CASE_OPERANDS_MAX] = {NULL};
  box_t *made[] = {out_returned};
  for (uint32_t i = 0; i < step->program.operand_count; i++) {
    given[i] = walk->stored[step->operands[i]];
  }
  return module_walk_enclose(walk, step, &step->program, &walk->contract, given, made);
}

/* Numbers that scales are merged into are off by as much: theory.md, T177. */
static void merge_scales(const module_walk_t *walk, const module_step_t *step,
                         const format_t *format, const box_t *exact, box_t *inout_seen) {
  bool is_merged =
      walk->intermediates == INTERMEDIATES_EITHER && module_step_is(step, "uniform_dequantize");
  if (!is_merged) return;
  double roundings = MODULE_MERGED_ROUNDINGS * module_roundoff(format);
  for (size_t i = 0; i < type_element_count(&step->program.results[0]); i++) {
    inout_seen[i] = box_unite(inout_seen[i], module_widen(exact[i], roundings, format));
  }
}

status_t module_widen_floats(module_walk_t *walk, const module_step_t *step, uint32_t result,
                             const module_made_t *made) {
  const type_t *type = &step->program.results[result];
  const format_t *format = type->element->format;
  size_t count = type_element_count(type);
  const box_t *stored = made->stored[result];
  const box_t *exact = made->exact[result] == NULL ? stored : made->exact[result];
  bool is_usual = made->has_others || made->exact[result] == NULL;
  roundings_t roundings = is_usual ? ROUNDS_OFTEN : roundings_of(step, &walk->contract);
  box_t *seen = ARENA_NEW_ARRAY(walk->arena, box_t, count);
  box_t *returned = ARENA_NEW_ARRAY(walk->arena, box_t, count);
  box_t *rounded = ARENA_NEW_ARRAY(walk->arena, box_t, count);
  const bool *unflushed =
      roundings == ROUNDS_OFTEN ? NULL : find_unflushed(walk, step, roundings, exact);
  bool selects = roundings == ROUNDS_NOTHING;
  if (selects) STATUS_TRY(select_returned(walk, step, returned));
  for (size_t i = 0; i < count; i++) {
    bool is_free = unflushed != NULL && unflushed[i];
    box_t sums = made->has_others ? box_whole_line() : made->kept[result][i];
    kept_t kept =
        keep(is_free || selects ? roundings : ROUNDS_OFTEN, format, stored[i], exact[i], sums);
    seen[i] = kept.seen;
    rounded[i] = selects && is_free ? returned[i] : kept.rounded;
    if (!selects || !is_free) returned[i] = box_unite(stored[i], rounded[i]);
  }
  merge_scales(walk, step, format, exact, seen);
  walk->rounded[step->results[result]] = rounded;
  walk->boxes[step->results[result]] = seen;
  walk->stored[step->results[result]] = returned;
  return STATUS_OK;
}
