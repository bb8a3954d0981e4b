/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of integers and booleans of a declared op, and comparisons and truncations of floats, which
 * give such (theory.md, T153 to T155). */
#include "harness/model/fault.h"
#include "oracles/ops/declared/gather.h"
#include "oracles/ops/declared/quantized.h"
#include "oracles/ops/declared/scatter.h"

static integer_set_t at(integer_row_t row, size_t i) { return row.sets[row.count == 1 ? 0 : i]; }

static integer_set_t *new_sets(const run_t *run, size_t count) {
  return ARENA_NEW_ARRAY(run->formula->arena, integer_set_t, MAX(count, 1));
}

static integer_row_t one_integer(const run_t *run, integer_t value) {
  integer_set_t *set = new_sets(run, 1);
  set[0] = integer_set_of(value);
  return (integer_row_t){1, set};
}

static integer_row_t pick(const run_t *run, integer_row_t from, const size_t *places,
                          size_t count) {
  integer_set_t *sets = new_sets(run, count);
  for (size_t i = 0; i < count; i++) sets[i] = at(from, places[i]);
  return (integer_row_t){count, sets};
}

integer_row_t run_integers_along(run_t *run, uint16_t step, uint32_t mask) {
  integer_row_t value = run_integers(run, step);
  uint32_t from = run_inner(run, step);
  if (from == mask || from == 0) return value;
  size_t count;
  size_t *places = run_places(run, value.count == 1 ? 0 : from, mask, 0, 0, &count);
  return pick(run, value, places, count);
}

static size_t common_count(integer_row_t a, integer_row_t b) {
  return a.count == 1 ? b.count : a.count;
}

/* ---- Sources --------------------------------------------------------------------------------- */

static integer_row_t load(const run_t *run, const step_t *step) {
  size_t count;
  const uint64_t *bits = composite_load_patterns(run->formula, step->a, &count);
  integer_set_t *sets = new_sets(run, count);
  for (size_t i = 0; i < count; i++) {
    sets[i] = integer_set_of(integer_from_pattern(step->type, bits[i]));
  }
  return (integer_row_t){count, sets};
}

/* Along an inner index all places; of another one the place of the problem. */
static integer_row_t find_places(const run_t *run, const step_t *step) {
  size_t extent = run->binding.extent[step->index];
  if ((run->declaration->inner >> step->index & 1) == 0) {
    const int64_t first = declared_origin(run->formula->program, step->index).first;
    return one_integer(run, (integer_t)run_outer_place(run, step->index) + first);
  }
  integer_set_t *sets = new_sets(run, extent);
  for (size_t i = 0; i < extent; i++) sets[i] = integer_set_of((integer_t)i);
  return (integer_row_t){extent, sets};
}

/* ---- Of each by itself ----------------------------------------------------------------------- */

static integer_operation_t operation_of(step_kind_t kind) {
  switch (kind) {
    case STEP_SUBTRACT:
    case STEP_NEGATE:
      return INTEGER_SUBTRACT;
    case STEP_MULTIPLY:
      return INTEGER_MULTIPLY;
    case STEP_MAXIMUM:
    case STEP_LARGEST:
      return INTEGER_MAXIMUM;
    case STEP_MINIMUM:
    case STEP_SMALLEST:
      return INTEGER_MINIMUM;
    case STEP_AND:
      return INTEGER_AND;
    case STEP_OR:
      return INTEGER_OR;
    case STEP_XOR:
    case STEP_NOT:
      return INTEGER_XOR;
    case STEP_SHIFT_LEFT:
      return INTEGER_SHIFT_LEFT;
    case STEP_SHIFT_RIGHT:
      return INTEGER_SHIFT_RIGHT;
    case STEP_DIVIDE:
      return INTEGER_DIVIDE;
    case STEP_REMAINDER:
      return INTEGER_REMAINDER;
    default: /* STEP_ADD, STEP_SUM */
      return INTEGER_ADD;
  }
}

static integer_row_t apply(const run_t *run, const step_t *step, integer_row_t a, integer_row_t b) {
  size_t count = common_count(a, b);
  integer_set_t *sets = new_sets(run, count);
  for (size_t i = 0; i < count; i++) {
    sets[i] = integer_set_apply(step->type, operation_of(step->kind), at(a, i), at(b, i));
  }
  return (integer_row_t){count, sets};
}

static integer_row_t take_binary(run_t *run, const step_t *step) {
  uint32_t mask = run_inner(run, step->a) | run_inner(run, step->b);
  return apply(run, step, run_integers_along(run, step->a, mask),
               run_integers_along(run, step->b, mask));
}

/* 0 - a; a xor all ones. */
static integer_row_t take_unary(run_t *run, const step_t *step) {
  integer_row_t a = run_integers(run, step->a);
  integer_t ones = integer_from_pattern(step->type, element_mask(step->type));
  return step->kind == STEP_NEGATE ? apply(run, step, one_integer(run, 0), a)
                                   : apply(run, step, a, one_integer(run, ones));
}

static comparison_t comparison_of(step_comparison_t comparison) {
  static const comparison_t names[] = {[STEP_LESS] = COMPARISON_LESS,
                                       [STEP_LESS_EQUAL] = COMPARISON_LESS_EQUAL,
                                       [STEP_EQUAL] = COMPARISON_EQUAL,
                                       [STEP_NOT_EQUAL] = COMPARISON_EQUAL};
  return names[comparison];
}

static integer_set_t invert(integer_set_t truth) {
  return (integer_set_t){1 - truth.high, 1 - truth.low};
}

/* Floats along an index, or one number for all. */
static row_t floats_along(run_t *run, uint16_t step, uint32_t mask) {
  row_t value = run_value(run, step);
  uint32_t from = run_inner(run, step);
  if (from == mask || from == 0 || value.count == 1) return value;
  size_t count;
  size_t *places = run_places(run, from, mask, 0, 0, &count);
  return formula_pick(run->formula, value, places, count);
}

static integer_row_t compare_floats(run_t *run, const step_t *step, uint32_t mask) {
  comparison_t comparison = comparison_of(step->comparison);
  row_t a = floats_along(run, step->a, mask), b = floats_along(run, step->b, mask);
  size_t count = a.count == 1 ? b.count : a.count;
  integer_set_t *sets = new_sets(run, count);
  for (size_t i = 0; i < count; i++) {
    sets[i] = formula_compare(run->formula, comparison, a, i, b, i);
  }
  return (integer_row_t){count, sets};
}

static integer_row_t compare(run_t *run, const step_t *step) {
  uint32_t mask = run_inner(run, step->a) | run_inner(run, step->b);
  integer_row_t truths = {.count = 0, .sets = NULL};
  if (run->meaning->steps[step->a].type == NULL) {
    truths = compare_floats(run, step, mask);
  } else {
    integer_row_t a = run_integers_along(run, step->a, mask);
    integer_row_t b = run_integers_along(run, step->b, mask);
    size_t count = common_count(a, b);
    integer_set_t *sets = new_sets(run, count);
    for (size_t i = 0; i < count; i++) {
      sets[i] = integer_set_compare(comparison_of(step->comparison), at(a, i), at(b, i));
    }
    truths = (integer_row_t){count, sets};
  }
  if (step->comparison != STEP_NOT_EQUAL) return truths;
  integer_set_t *inverted = new_sets(run, truths.count);
  for (size_t i = 0; i < truths.count; i++) inverted[i] = invert(truths.sets[i]);
  return (integer_row_t){truths.count, inverted};
}

static integer_row_t choose(run_t *run, const step_t *step) {
  uint32_t mask = run_inner(run, step->a) | run_inner(run, step->b) | run_inner(run, step->c);
  integer_row_t truths = run_integers_along(run, step->a, mask);
  integer_row_t b = run_integers_along(run, step->b, mask);
  integer_row_t c = run_integers_along(run, step->c, mask);
  size_t count = truths.count == 1 ? common_count(b, c) : truths.count;
  integer_set_t *sets = new_sets(run, count);
  for (size_t i = 0; i < count; i++) {
    integer_set_t truth = at(truths, i);
    sets[i] = truth.high != 0 ? at(b, i) : at(c, i);
    if (truth.low != truth.high) sets[i] = integer_set_unite(sets[i], at(c, i));
  }
  return (integer_row_t){count, sets};
}

/* Both ways, of a model one; the fast side knows the first. */
static integer_row_t unite(run_t *run, const step_t *step) {
  uint32_t mask = run_inner(run, step->a) | run_inner(run, step->b);
  integer_row_t a = run_integers_along(run, step->a, mask);
  integer_row_t b = run_integers_along(run, step->b, mask);
  if (formula_is_fast(run->formula)) return a;
  if (run->formula->schedule != NULL) return run->formula->schedule->other_way ? b : a;
  size_t count = common_count(a, b);
  integer_set_t *sets = new_sets(run, count);
  for (size_t i = 0; i < count; i++) sets[i] = integer_set_unite(at(a, i), at(b, i));
  return (integer_row_t){count, sets};
}

static integer_row_t convert(run_t *run, const step_t *step) {
  bool is_float = run->meaning->steps[step->a].type == NULL;
  bool is_nearest = step->kind == STEP_ROUND;
  row_t floats = {.count = 0, .enclosed = NULL};
  integer_row_t from = {.count = 0, .sets = NULL};
  if (is_float) floats = run_value(run, step->a);
  if (!is_float) from = run_integers(run, step->a);
  size_t count = is_float ? floats.count : from.count;
  integer_set_t *sets = new_sets(run, count);
  for (size_t i = 0; i < count; i++) {
    sets[i] = is_nearest ? formula_round(run->formula, step->type, floats, i)
              : is_float ? formula_truncate(run->formula, step->type, floats, i)
                         : integer_set_convert(step->type, from.sets[i]);
  }
  return (integer_row_t){count, sets};
}

/* ---- Of several ------------------------------------------------------------------------------ */

static integer_t neutral(const step_t *step) {
  integer_set_t all = integer_set_everything(step->type);
  if (step->kind == STEP_SUM) return 0;
  return step->kind == STEP_LARGEST ? all.low : all.high;
}

/* In any order the same: sums are modulo 2^bits. */
static integer_row_t fold(run_t *run, const step_t *step) {
  uint32_t from = run_inner(run, step->a), kept = from & ~step->over;
  integer_row_t a = run_integers(run, step->a);
  size_t count, rows = declared_extent(run->declaration, &run->binding, kept);
  size_t *places = run_places(run, a.count == 1 ? 0 : from, from, step->over, 0, &count);
  size_t terms = rows == 0 ? 0 : count / rows;
  bool drops_last = step->kind == STEP_SUM && formula_has_fault(run->formula, FAULT_drop_last_term);
  if (drops_last && terms > 0) terms--;
  integer_set_t *sets = new_sets(run, rows);
  for (size_t r = 0; r < rows; r++) {
    sets[r] = integer_set_of(neutral(step));
    for (size_t i = 0; i < terms; i++) {
      integer_set_t term = at(a, places[r * (count / rows) + i]);
      sets[r] = integer_set_apply(step->type, operation_of(step->kind), sets[r], term);
    }
  }
  return (integer_row_t){rows, sets};
}

static integer_row_t pick_place(run_t *run, const step_t *step) {
  integer_row_t value = run_integers(run, step->a);
  if (value.count == 1) return value;
  size_t count;
  size_t *places = run_places(run, run_inner(run, step->a), step->mask & run->declaration->inner, 0,
                              run_start(run, step), &count);
  return pick(run, value, places, count);
}

static integer_row_t stack(run_t *run, const step_t *step) {
  uint32_t bit = 1U << step->index, mask = step->mask & run->declaration->inner;
  const uint16_t parts[] = {step->a, step->b};
  size_t count = declared_extent(run->declaration, &run->binding, mask);
  integer_set_t *sets = new_sets(run, count);
  for (size_t p = 0; p < 2; p++) {
    size_t part_count, whole;
    integer_row_t part = run_integers_along(run, parts[p], mask & ~bit);
    size_t *from = run_places(run, mask & ~bit, mask & ~bit, 0, 0, &part_count);
    size_t stride = declared_extent(run->declaration, &run->binding, mask & ~((2 * bit) - 1));
    size_t *to = run_places(run, mask, mask & ~bit, 0, p * stride, &whole);
    for (size_t i = 0; i < part_count; i++) sets[to[i]] = at(part, from[i]);
  }
  return (integer_row_t){count, sets};
}

/* A model delivers one number where any is right: a conversion keeps the bits that there are. */
static integer_row_t settle(run_t *run, const step_t *step, integer_row_t row) {
  integer_set_t *sets = new_sets(run, row.count);
  bool is_conversion = step->kind == STEP_CONVERT && run->meaning->steps[step->a].type != NULL;
  for (size_t i = 0; i < row.count; i++) {
    bool is_point = integer_set_is_point(&row.sets[i]);
    integer_t value = row.sets[i].low;
    if (!is_point && is_conversion) {
      integer_t from = at(run_integers(run, step->a), i).low;
      value = integer_from_pattern(step->type, integer_to_pattern(step->type, from));
    }
    sets[i] = integer_set_of(value);
  }
  return (integer_row_t){row.count, sets};
}

/* ---- Steps ----------------------------------------------------------------------------------- */

static integer_row_t take(run_t *run, const step_t *step) {
  switch (step->kind) {
    case STEP_OPERAND:
      return load(run, step);
    case STEP_NUMBER:
      return one_integer(run, step->place);
    case STEP_ATTRIBUTE:
      return one_integer(run, declared_integer(run->formula->program, step->a));
    case STEP_INDEX:
      return find_places(run, step);
    case STEP_STORAGE:
      return run_storage(run, step);
    case STEP_ZERO_POINT:
      return run_zero_point(run, step);
    case STEP_NEGATE:
    case STEP_NOT:
      return take_unary(run, step);
    case STEP_COMPARE:
      return compare(run, step);
    case STEP_SELECT:
      return choose(run, step);
    case STEP_CONVERT:
    case STEP_ROUND:
      return convert(run, step);
    case STEP_SUM:
    case STEP_LARGEST:
    case STEP_SMALLEST:
      return fold(run, step);
    case STEP_PICK:
      return pick_place(run, step);
    case STEP_STACK:
      return stack(run, step);
    case STEP_EITHER:
      return unite(run, step);
    case STEP_GATHER:
      return run_gather_integers(run, step);
    case STEP_SCATTER_ADD:
    case STEP_SCATTER_REPLACE:
      return run_scatter_integers(run, step);
    case STEP_QUANTIZE:
      return run_quantize_step(run, step);
    default:
      return take_binary(run, step);
  }
}

integer_row_t run_integers(run_t *run, uint16_t step) {
  if (!run->is_known[step]) {
    integer_row_t value = take(run, &run->meaning->steps[step]);
    bool is_model = run->formula->schedule != NULL;
    if (is_model) value = settle(run, &run->meaning->steps[step], value);
    run->integers[step] = value;
    run->is_known[step] = true;
  }
  return run->integers[step];
}
