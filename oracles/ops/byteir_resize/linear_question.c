/* SPDX-License-Identifier: Apache-2.0 */
/* What a component of a linear resize may be by one variant: the hull over all places that its
 * numbers may be taken from. */
#include "oracles/ops/byteir_resize/linear_question.h"

#include <math.h>

#include "generated/byteir_resize_permissions.h"
#include "oracles/ops/byteir_resize/integers.h"

/* One place along each dimension. */
typedef struct choice {
  const resize_place_t *places[TYPE_RANK_MAX];
} choice_t;

/* Whether some interpolate along a dimension.  Along one that keeps its size they do if it is of an
 * image of which others do not; the first two of more than three are a batch and channels. */
static bool may_interpolate(const resize_question_t *question, uint32_t dim) {
  enum { IMAGE_RANK_MAX = 3, IMAGE_DIM_MIN = 2 };
  const resize_grid_t *grid = &question->grid;
  if (!resize_axis_is_copied(&grid->axes[dim])) return true;
  if (grid->moved_count == 0 || grid->rank > RESIZE_AXES_MAX) return false;
  return grid->rank <= IMAGE_RANK_MAX || dim >= IMAGE_DIM_MIN;
}

/* A dimension that is copied lies at an element; its next one has weight 0.  Interpolated all the
 * same, the last element, which is its own next one, may be taken as two halves. */
static size_t find_copied_places(const resize_question_t *question, uint32_t dim,
                                 resize_place_t out[RESIZE_PLACES_MAX]) {
  int64_t position = question->positions[dim], last = question->grid.axes[dim].length - 1;
  out[0] = (resize_place_t){RESIZE_COPY, position, MIN(position + 1, last), 0, 0};
  if (position < last || !may_interpolate(question, dim)) return 1;
  out[1] = (resize_place_t){RESIZE_EDGE, last, last, 0.5, 0.5};
  return 2;
}

static void find_places(resize_question_t *question) {
  for (uint32_t dim = 0; dim < question->grid.rank; dim++) {
    const resize_axis_t *axis = &question->grid.axes[dim];
    int64_t position = question->positions[dim];
    question->coordinates[dim] = resize_coordinate_make(axis, position);
    if (resize_axis_is_copied(axis)) {
      question->place_count[dim] = find_copied_places(question, dim, question->places[dim]);
    } else {
      question->place_count[dim] =
          resize_places(axis, &question->coordinates[dim], question->places[dim]);
    }
  }
}

void resize_question_init(resize_question_t *question, const oracle_call_t *call,
                          const resize_variant_t *variant, size_t component) {
  question->contract = call->contract;
  question->variant = variant;
  question->grid = resize_grid_make(call->instance, variant->takes_given);
  question->settings = (enclosing_t){.is_exact = false};
  question->formula = (formula_t){.evaluator = &enclosed_evaluator,
                                  .settings = &question->settings,
                                  .program = &call->instance->program,
                                  .format = variant->format,
                                  .contract = call->contract,
                                  .arena = call->arena};
  resize_positions(&question->grid, component, question->positions);
  find_places(question);
}

uint64_t resize_question_bits(const resize_question_t *question,
                              const int64_t indices[TYPE_RANK_MAX]) {
  const tensor_t *input = &question->grid.instance->operands[0];
  return element_load(input->type.element, input->data, resize_element(&question->grid, indices));
}

static const format_t *operand_format(const resize_question_t *question) {
  return resize_question_element(question)->format;
}

row_t resize_question_load(resize_question_t *question, uint64_t bits) {
  const element_t *element = resize_question_element(question);
  if (element->format == NULL) return resize_integer_load(&question->formula, element, bits);
  return enclosed_load(&question->formula, element->format, &bits, 1);
}

/* As all integers are, which have no format. */
static bool is_finite_bits(const format_t *format, uint64_t bits) {
  if (format == NULL) return true;
  return !format_is_nan(format, bits) && !format_is_infinity(format, bits);
}

/* ---- One choice of places -------------------------------------------------------------------- */

/* Weights as an interval; zero is left out of one of a cell, for which a copy stands.  Any weights
 * of an edge have one sum. */
static row_t weight_row(formula_t *formula, const resize_place_t *place, bool is_edge) {
  bool is_interval = place->low < place->high;
  row_t low = formula_number(formula, is_edge && is_interval ? 0 : place->low);
  if (!is_interval) return low;
  return resize_hull(formula, low, formula_number(formula, is_edge ? 1 : place->high));
}

/* Kinds of places as a set: those that a cell has a dimension for.  An edge may be taken for a
 * copy, or for a cell with its own weights. */
enum {
  WITH_CELLS = 1 << RESIZE_CELL,
  WITH_EDGES = 1 << RESIZE_EDGE,
  WITH_COPIES = 1 << RESIZE_COPY,
  EDGES_AS_COPIES = 8,
  EDGES_AS_CELLS = 16,
};

static bool spans(const resize_question_t *question, const choice_t *choice, uint32_t dim,
                  int kinds) {
  if (!may_interpolate(question, dim)) return false;
  return (kinds >> choice->places[dim]->kind & 1) != 0;
}

/* The cell spanned by the dimensions whose place is of one of these kinds. */
static resize_cell_t make_cell(resize_question_t *question, const choice_t *choice, int kinds,
                               bool *out_has_special) {
  formula_t *formula = &question->formula;
  resize_cell_t cell = {.axis_count = 0};
  uint32_t dims[TYPE_RANK_MAX];
  for (uint32_t dim = 0; dim < question->grid.rank; dim++) {
    if (!spans(question, choice, dim, kinds)) continue;
    const resize_place_t *place = choice->places[dim];
    bool is_edge = place->kind == RESIZE_EDGE && (kinds & EDGES_AS_COPIES) == 0;
    bool is_any = is_edge && (kinds & EDGES_AS_CELLS) == 0;
    bool has_weight = is_edge || place->kind != RESIZE_EDGE;
    cell.weights[cell.axis_count] =
        has_weight ? weight_row(formula, place, is_any) : formula_number(formula, 0);
    cell.is_edge[cell.axis_count] = is_edge;
    dims[cell.axis_count++] = dim;
  }
  const element_t *element = resize_question_element(question);
  *out_has_special = false;
  for (size_t special_value = 0; special_value < (size_t)1 << cell.axis_count; special_value++) {
    int64_t indices[TYPE_RANK_MAX];
    for (uint32_t dim = 0; dim < question->grid.rank; dim++) {
      indices[dim] = choice->places[dim]->lower;
    }
    for (size_t i = 0; i < cell.axis_count; i++) {
      bool is_upper = (special_value >> i & 1) != 0 && !cell.is_edge[i];
      if (is_upper) indices[dims[i]] = choice->places[dims[i]]->upper;
    }
    uint64_t bits = resize_question_bits(question, indices);
    *out_has_special |= !is_finite_bits(element->format, bits);
    cell.corners[special_value] = resize_question_load(question, bits);
  }
  return cell;
}

/* Elements that have weight 0: what they make of the result if they enter all the same. */
typedef struct zero_weights {
  bool have_special;          /* An infinity or NaN, which gives NaN. */
  bool have_special_of_moved; /* Along dimensions that are interpolated for sure. */
  bool have_positive;         /* One that is not negative gives +0. */
} zero_weights_t;

static zero_weights_t find_zero_weights(const resize_question_t *question, const choice_t *choice) {
  const resize_grid_t *grid = &question->grid;
  zero_weights_t found = {.have_special = false};
  uint32_t all = UINT32_C(1) << grid->rank, zeros = 0, sure = 0, cells = 0;
  for (uint32_t dim = 0; dim < grid->rank; dim++) {
    uint32_t bit = UINT32_C(1) << dim;
    bool is_copy = choice->places[dim]->kind == RESIZE_COPY;
    bool is_cell = choice->places[dim]->kind == RESIZE_CELL;
    if (is_cell) cells |= bit;
    if (is_cell || !may_interpolate(question, dim)) continue;
    zeros |= bit;
    if (is_copy && !resize_axis_is_copied(&grid->axes[dim])) sure |= bit;
  }
  for (uint32_t mask = 0; mask < all && grid->moved_count > 0; mask++) {
    if ((mask & zeros) == 0 || (mask & ~(zeros | cells)) != 0) continue;
    int64_t indices[TYPE_RANK_MAX];
    for (uint32_t dim = 0; dim < grid->rank; dim++) {
      const resize_place_t *place = choice->places[dim];
      indices[dim] = (mask >> dim & 1) != 0 ? place->upper : place->lower;
    }
    uint64_t bits = resize_question_bits(question, indices);
    bool is_special = !is_finite_bits(operand_format(question), bits);
    found.have_special |= is_special;
    found.have_special_of_moved |= is_special && (mask & zeros & ~sure) == 0;
    found.have_positive |= !format_is_negative(operand_format(question), bits);
  }
  return found;
}

static void add_zero_weights(const resize_question_t *question, const choice_t *choice,
                             enclosed_t *inout) {
  uint8_t policy = PERMITTED(question->contract, resize_zero_weight);
  if (policy == RESIZE_ZERO_WEIGHT_SKIP || operand_format(question) == NULL) return;
  zero_weights_t zeros = find_zero_weights(question, choice);
  if (policy == RESIZE_ZERO_WEIGHT_MULTIPLY && zeros.have_special_of_moved) {
    inout->has_finite = false;
    inout->specials = 0;
  }
  if (zeros.have_special) inout->specials |= ENCLOSED_NAN;
  bool has_minus_zero = (inout->specials & ENCLOSED_NEGATIVE_ZERO) != 0;
  if (has_minus_zero && zeros.have_positive) inout->specials |= ENCLOSED_POSITIVE_ZERO;
}

/* With infinities or NaN, sums of products are those of the separable formula, which tells NaN from
 * infinities. */
static row_t evaluate_cell(resize_question_t *question, const choice_t *choice, int kinds) {
  bool has_special;
  resize_cell_t cell = make_cell(question, choice, kinds, &has_special);
  resize_formula_t which = question->variant->formula;
  if (!has_special) return resize_enclose(&question->formula, which, &cell);
  if (which == RESIZE_PRODUCTS) which = RESIZE_SEPARABLE;
  return resize_interpolate(&question->formula, which, &cell);
}

/* Adds what formulas give that multiply by weights of 0 and subtract equal infinities. */
static row_t add_careless(resize_question_t *question, const choice_t *choice, bool has_special,
                          row_t row) {
  formula_t *formula = &question->formula;
  if (has_special) {
    const int cells = WITH_CELLS | WITH_EDGES | EDGES_AS_CELLS;
    row = formula_either(formula, row, evaluate_cell(question, choice, cells));
  }
  if (question->variant->formula != RESIZE_DIFFERENCE) return row;
  const int all = WITH_CELLS | WITH_EDGES | WITH_COPIES;
  row = formula_either(formula, row, evaluate_cell(question, choice, all));
  return formula_either(formula, row, evaluate_cell(question, choice, all | EDGES_AS_COPIES));
}

/* The numbers of one choice.  Where some are not finite, an end is that element alone. */
static row_t evaluate(resize_question_t *question, const choice_t *choice) {
  resize_formula_t which = question->variant->formula;
  bool has_special;
  make_cell(question, choice, WITH_CELLS, &has_special);
  row_t row = evaluate_cell(question, choice, WITH_CELLS | (has_special ? 0 : WITH_EDGES));
  add_zero_weights(question, choice, row.enclosed);
  bool may_multiply = PERMITTED(question->contract, resize_zero_weight) != RESIZE_ZERO_WEIGHT_SKIP;
  if (may_multiply) row = add_careless(question, choice, has_special, row);
  /* Sums may start from +0. */
  bool sums = which == RESIZE_PRODUCTS || which == RESIZE_NORMALIZED;
  bool has_minus_zero = (row.enclosed->specials & ENCLOSED_NEGATIVE_ZERO) != 0;
  if (sums && has_minus_zero && question->grid.moved_count > 0) {
    row.enclosed->specials |= ENCLOSED_POSITIVE_ZERO;
  }
  return row;
}

/* ---- All choices ----------------------------------------------------------------------------- */

static value_range_t finish(const resize_question_t *question, row_t row) {
  value_range_t range;
  const element_t *element = resize_question_element(question);
  if (element->format == NULL) {
    return resize_integer_range(&question->formula, row.enclosed, element);
  }
  enclosed_finish(&question->formula, row.enclosed, operand_format(question), &range);
  return range;
}

/* The next choice, as an odometer; false after the last. */
static bool advance(const resize_question_t *question, size_t counters[TYPE_RANK_MAX]) {
  for (uint32_t dim = question->grid.rank; dim-- > 0;) {
    if (++counters[dim] < question->place_count[dim]) return true;
    counters[dim] = 0;
  }
  return false;
}

/* Any number along the dimensions that are not copied may be one that enters with weight 0. */
static bool has_special_anywhere(const resize_question_t *question) {
  const resize_grid_t *grid = &question->grid;
  const type_t *input = &grid->instance->program.operands[0];
  for (size_t element = 0; element < type_element_count(input); element++) {
    const tensor_t *tensor = &grid->instance->operands[0];
    uint64_t bits = element_load(input->element, tensor->data, element);
    if (is_finite_bits(input->element->format, bits)) continue;
    bool is_along = true;
    for (uint32_t dim = 0; dim < grid->rank; dim++) {
      size_t index = element / grid->strides[dim] % (size_t)input->dims[dim];
      bool is_copied = resize_axis_is_copied(&grid->axes[dim]);
      is_along &= !is_copied || (int64_t)index == question->positions[dim];
    }
    if (is_along) return true;
  }
  return false;
}

static bool range_holds(const resize_question_t *question, const value_range_t *range,
                        uint64_t bits) {
  const element_t *element = resize_question_element(question);
  if (element->format == NULL) return resize_integer_holds(range, element, bits);
  bool any_zero = PERMITTED(question->contract, zero_sign) == ZERO_SIGN_ANY;
  return value_range_holds(range, element->format, bits, any_zero);
}

/* Whether the pattern is in the set of one choice, or in the hull of all, which are joined where
 * cells meet.  *out_range is that hull if it is in no single one. */
bool resize_question_holds(resize_question_t *question, uint64_t bits, value_range_t *out_range) {
  const element_t *element = resize_question_element(question);
  if (element->format == NULL && question->grid.moved_count == 0) {
    *out_range = resize_integer_alone(element, resize_question_bits(question, question->positions));
    return resize_integer_holds(out_range, element, bits);
  }
  size_t counters[TYPE_RANK_MAX] = {0};
  row_t hull = {0};
  do {
    choice_t choice;
    for (uint32_t dim = 0; dim < question->grid.rank; dim++) {
      choice.places[dim] = &question->places[dim][counters[dim]];
    }
    row_t row = evaluate(question, &choice);
    *out_range = finish(question, row);
    if (range_holds(question, out_range, bits)) return true;
    hull = hull.count == 0 ? row : resize_hull(&question->formula, hull, row);
  } while (advance(question, counters));
  if (PERMITTED(question->contract, resize_zero_weight) == RESIZE_ZERO_WEIGHT_EVERYWHERE &&
      has_special_anywhere(question)) {
    hull.enclosed->specials |= ENCLOSED_NAN;
  }
  *out_range = finish(question, hull);
  return range_holds(question, out_range, bits);
}

bool resize_linear_holds(const oracle_call_t *call, const resize_variant_t *variant,
                         size_t component, uint64_t bits) {
  resize_question_t question;
  value_range_t range;
  resize_question_init(&question, call, variant, component);
  return resize_question_holds(&question, bits, &range);
}
