/* SPDX-License-Identifier: Apache-2.0 */
/* Takes the steps of a declared op for one problem, those that results need and no others.  A value
 * is a row of numbers along the inner indices of its step, in their order (theory.md, T142).  Where
 * a sum adds products, or an addition a product, these may be fused (T143). */
#include "oracles/ops/declared/evaluate.h"

#include <math.h>

#include "oracles/composite/norm_reading.h"
#include "oracles/ops/declared/convert.h"
#include "oracles/ops/declared/gather.h"
#include "oracles/ops/declared/quantized.h"
#include "oracles/ops/declared/scatter.h"

/* ---- Places ---------------------------------------------------------------------------------- */

void run_strides(const run_t *run, uint32_t mask, size_t out_strides[DECLARED_INDICES_MAX]) {
  size_t stride = 1;
  for (uint32_t i = run->declaration->index_count; i-- > 0;) {
    out_strides[i] = (mask >> i & 1) != 0 ? stride : 0;
    if ((mask >> i & 1) != 0) stride *= run->binding.extent[i];
  }
}

size_t *run_places(const run_t *run, uint32_t from, uint32_t to, uint32_t last, size_t start,
                   size_t *out_count) {
  size_t strides[DECLARED_INDICES_MAX];
  size_t count = *out_count = declared_extent(run->declaration, &run->binding, to);
  run_strides(run, from, strides);
  size_t *places =
      declared_offsets(run->declaration, &run->binding, to, last, strides, run->formula->arena);
  for (size_t i = 0; i < count; i++) places[i] += start;
  return places;
}

/* A value along `from` as one along `to`, which has these and may have more, those of `last`
 * running fastest.  One number stands for all only if the row is of one number. */
static row_t spread(run_t *run, row_t value, uint32_t from, uint32_t to, uint32_t last) {
  size_t count = declared_extent(run->declaration, &run->binding, to);
  bool is_in_order =
      (to & last) == 0 || (to & ~last) == 0 || (to & ~last) < (to & last & -(to & last));
  if (from == to && value.count == count && is_in_order) return value;
  size_t *places = run_places(run, value.count == 1 ? 0 : from, to, last, 0, &count);
  return formula_pick(run->formula, value, places, count);
}

/* ---- Operands of a step ---------------------------------------------------------------------- */

/* Two values for a step that takes them number by number: one number stands for all. */
typedef struct pair {
  row_t a, b;
} pair_t;

static row_t along(run_t *run, uint16_t step, uint32_t mask) {
  row_t value = run_value(run, step);
  uint32_t from = run_inner(run, step);
  return from == mask || from == 0 ? value : spread(run, value, from, mask, 0);
}

static pair_t pair_of(run_t *run, uint16_t a, uint16_t b) {
  uint32_t mask = run_inner(run, a) | run_inner(run, b);
  return (pair_t){along(run, a, mask), along(run, b, mask)};
}

/* ---- Additions ------------------------------------------------------------------------------- */

static bool is_product(const run_t *run, uint16_t step) {
  return run->meaning->steps[step].kind == STEP_MULTIPLY;
}

enum { PRODUCTS_MAX = 4, PRODUCTS_DEPTH_MAX = 3 };

/* The products that a term of an addition may be: it, it with its sign turned, or either of two
 * ways to compute it. */
typedef struct products {
  size_t count;
  uint16_t steps[PRODUCTS_MAX];
  bool is_negative[PRODUCTS_MAX];
  bool has_other; /* Or something else. */
} products_t;

static void find_products(const declared_formula_t *meaning, uint16_t number, bool is_negative,
                          int depth, products_t *inout) {
  const step_t *step = &meaning->steps[number];
  bool goes_on = depth < PRODUCTS_DEPTH_MAX;
  if (step->kind == STEP_MULTIPLY && inout->count < PRODUCTS_MAX) {
    inout->is_negative[inout->count] = is_negative;
    inout->steps[inout->count++] = number;
  } else if (step->kind == STEP_NEGATE && goes_on) {
    find_products(meaning, step->a, !is_negative, depth + 1, inout);
  } else if (step->kind == STEP_EITHER && goes_on) {
    find_products(meaning, step->a, is_negative, depth + 1, inout);
    find_products(meaning, step->b, is_negative, depth + 1, inout);
  } else {
    inout->has_other = true;
  }
}

/* A product, or minus one, plus more. */
static row_t fuse(run_t *run, uint16_t product, bool is_negative, row_t added, uint32_t mask) {
  const step_t *step = &run->meaning->steps[product];
  row_t a = along(run, step->a, mask);
  row_t b = step->a == step->b ? a : along(run, step->b, mask);
  if (is_negative) a = formula_negate(run->formula, a);
  return formula_multiply_add(run->formula, a, b, added);
}

/* Another way to compute a number, if there is one already. */
static void unite(run_t *run, row_t way, bool *inout_has, row_t *inout) {
  *inout = *inout_has ? formula_either(run->formula, *inout, way) : way;
  *inout_has = true;
}

/* a + b or a - b, where a product may be added unrounded: of two products either.  Those fused hold
 * what is added to the rounded product, too. */
static row_t add(run_t *run, const step_t *step) {
  formula_t *formula = run->formula;
  bool is_difference = step->kind == STEP_SUBTRACT, has_sum = false;
  uint32_t mask = run_inner(run, step->a) | run_inner(run, step->b);
  products_t of_a = {.count = 0}, of_b = {.count = 0};
  find_products(run->meaning, step->a, false, 0, &of_a);
  find_products(run->meaning, step->b, is_difference, 0, &of_b);
  row_t a = along(run, step->a, mask), b = along(run, step->b, mask), sum = a;
  if (of_a.has_other && of_b.has_other) {
    row_t plain = is_difference ? formula_subtract(formula, a, b) : formula_add(formula, a, b);
    unite(run, plain, &has_sum, &sum);
  }
  row_t added = is_difference && of_a.count > 0 ? formula_negate(formula, b) : b;
  for (size_t i = 0; i < of_a.count; i++) {
    unite(run, fuse(run, of_a.steps[i], of_a.is_negative[i], added, mask), &has_sum, &sum);
  }
  for (size_t i = 0; i < of_b.count; i++) {
    unite(run, fuse(run, of_b.steps[i], of_b.is_negative[i], a, mask), &has_sum, &sum);
  }
  return sum;
}

/* ---- Folds ----------------------------------------------------------------------------------- */

/* A row of a fold, or a row of each of two factors. */
static row_t fold_row(run_t *run, step_kind_t kind, row_t a, row_t b) {
  switch (kind) {
    case STEP_SUM:
      return b.enclosed == NULL ? formula_sum(run->formula, a)
                                : formula_sum_of_products(run->formula, a, b);
    case STEP_LARGEST:
      return formula_row_maximum(run->formula, a);
    case STEP_ONLINE_SUM:
      return formula_online_sum(run->formula, a);
    default:
      return formula_shares(run->formula, a);
  }
}

/* Number `row` of rows of so many numbers. */
static row_t row_at(run_t *run, row_t value, size_t row, size_t count) {
  if (value.enclosed == NULL) return value;
  size_t *places = ARENA_NEW_ARRAY(run->formula->arena, size_t, count);
  for (size_t i = 0; i < count; i++) places[i] = row * count + i;
  return formula_pick(run->formula, value, places, count);
}

/* Shares have the numbers of their rows: put back in the order of the indices. */
static row_t reorder(run_t *run, row_t value, uint32_t mask, uint32_t last) {
  size_t strides[DECLARED_INDICES_MAX], stride = 1;
  size_t count = declared_extent(run->declaration, &run->binding, mask);
  memset(strides, 0, sizeof strides);
  for (int pass = 0; pass < 2; pass++) {
    uint32_t part = pass == 0 ? mask & last : mask & ~last;
    for (uint32_t i = run->declaration->index_count; i-- > 0;) {
      if ((part >> i & 1) == 0) continue;
      strides[i] = stride;
      stride *= run->binding.extent[i];
    }
  }
  size_t *places =
      declared_offsets(run->declaration, &run->binding, mask, 0, strides, run->formula->arena);
  return formula_pick(run->formula, value, places, count);
}

/* `a`, and `b` unless it is without numbers, along `mask`: rows along those in `over`, one for each
 * tuple of the others. */
static row_t fold(run_t *run, const step_t *step, row_t a, row_t b, uint32_t mask) {
  uint32_t kept = mask & ~step->over;
  size_t rows = declared_extent(run->declaration, &run->binding, kept);
  size_t terms = declared_extent(run->declaration, &run->binding, mask & step->over);
  if (kept == 0) return fold_row(run, step->kind, a, b);
  row_t *folded = ARENA_NEW_ARRAY(run->formula->arena, row_t, MAX(rows, 1));
  bool is_square = a.enclosed == b.enclosed;
  for (size_t r = 0; r < rows; r++) {
    row_t x = row_at(run, a, r, terms);
    row_t y = is_square ? x : row_at(run, b, r, terms);
    folded[r] = fold_row(run, step->kind, x, y);
    bool is_one = step->kind == STEP_SHARES && folded[r].count != terms; /* Nothing is known. */
    if (is_one) folded[r] = spread(run, folded[r], 0, mask & step->over, 0);
  }
  row_t joined = formula_join(run->formula, folded, rows);
  return step->kind == STEP_SHARES ? reorder(run, joined, mask, step->over) : joined;
}

/* The rows of terms have all their numbers, so that sums may tell them apart. */
static row_t take_fold(run_t *run, const step_t *step) {
  uint32_t mask = run_inner(run, step->a);
  const row_t none = {.count = 0, .enclosed = NULL};
  if (step->kind != STEP_SUM || !is_product(run, step->a)) {
    row_t a = run_value(run, step->a);
    bool is_whole = (mask & ~step->over) == 0 && a.count != 1;
    return fold(run, step, is_whole ? a : spread(run, a, mask, mask, step->over), none, mask);
  }
  const step_t *product = &run->meaning->steps[step->a];
  uint32_t mask_a = run_inner(run, product->a), mask_b = run_inner(run, product->b);
  row_t a = run_value(run, product->a), b = run_value(run, product->b);
  bool are_whole = (mask & ~step->over) == 0 && mask_a == mask && mask_b == mask &&
                   a.count == b.count && a.count != 1;
  if (are_whole) return fold(run, step, a, b, mask);
  a = spread(run, a, mask_a, mask, step->over);
  b = product->a == product->b ? a : spread(run, b, mask_b, mask, step->over);
  return fold(run, step, a, b, mask);
}

/* ---- Steps ----------------------------------------------------------------------------------- */

size_t run_start(const run_t *run, const step_t *step) {
  size_t strides[DECLARED_INDICES_MAX];
  run_strides(run, run_inner(run, step->a), strides);
  return (size_t)step->place * strides[step->index];
}

/* A choice along the indices of all three. */
static row_t choose(run_t *run, const step_t *step) {
  uint32_t mask = run_inner(run, step->a) | run_inner(run, step->b) | run_inner(run, step->c);
  integer_row_t conditions = run_integers_along(run, step->a, mask);
  row_t a = along(run, step->b, mask), b = along(run, step->c, mask);
  return formula_select(run->formula, conditions.sets, conditions.count, a, b);
}

static row_t stack(run_t *run, const step_t *step) {
  uint32_t bit = 1U << step->index, mask = step->mask & run->declaration->inner;
  row_t parts[] = {spread(run, run_value(run, step->a), run_inner(run, step->a), mask & ~bit, 0),
                   spread(run, run_value(run, step->b), run_inner(run, step->b), mask & ~bit, 0)};
  return reorder(run, formula_join(run->formula, parts, 2), mask, mask & ~bit);
}

/* Of two ways, one of which rounds normalized numbers, that one is meant (theory.md, T273). */
static row_t take_either(run_t *run, const step_t *step) {
  pair_t pair = pair_of(run, step->a, step->b);
  const step_t *a = &run->meaning->steps[step->a], *b = &run->meaning->steps[step->b];
  bool is_one = run->formula->rounds_normal && a->is_normalized != b->is_normalized;
  if (is_one) return a->is_normalized ? pair.a : pair.b;
  return formula_either(run->formula, pair.a, pair.b);
}

static row_t take_plain(run_t *run, const step_t *step) {
  formula_t *formula = run->formula;
  pair_t pair;
  switch (step->kind) {
    case STEP_MULTIPLY:
      pair = pair_of(run, step->a, step->b);
      return formula_multiply(formula, pair.a, pair.b);
    case STEP_DIVIDE:
      pair = pair_of(run, step->a, step->b);
      return formula_divide(formula, pair.a, pair.b);
    case STEP_MAXIMUM:
      pair = pair_of(run, step->a, step->b);
      return formula_maximum(formula, pair.a, pair.b);
    case STEP_EITHER:
      return take_either(run, step);
    case STEP_NEGATE:
      return formula_negate(formula, run_value(run, step->a));
    case STEP_STORED:
      return run_value(run, step->a);
    case STEP_NORMALIZED:
      return norm_round(formula, run_value(run, step->a));
    case STEP_SQUARE_ROOT:
      return formula_square_root(formula, run_value(run, step->a));
    case STEP_INVERSE_SQUARE_ROOT:
      return formula_inverse_square_root(formula, run_value(run, step->a));
    default: /* STEP_FUNCTION */
      return formula_function(formula, step->function, run_value(run, step->a));
  }
}

/* In the whole, of which the program may be a part. */
static size_t count_along(const run_t *run, uint8_t index) {
  const int64_t whole = declared_origin(run->formula->program, index).whole;
  return whole > 0 ? (size_t)whole : run->binding.extent[index];
}

static row_t take(run_t *run, const step_t *step) {
  formula_t *formula = run->formula;
  double value;
  switch (step->kind) {
    case STEP_OPERAND:
      return run->operands[step->a];
    case STEP_DEQUANTIZE:
      return run_dequantize(run, step);
    case STEP_SCALE:
      return run_scale(run, step);
    case STEP_NUMBER:
      value = g_ascii_strtod(step->decimal, NULL);
      if (isinf(value)) return formula_number(formula, value);
      return value == (double)(float)value && value < 0x1p24 &&
                     strpbrk(step->decimal, "eE") == NULL && strlen(step->decimal) < 9
                 ? formula_number(formula, value)
                 : formula_constant(formula, &(const real_t){step->decimal, value});
    case STEP_ATTRIBUTE:
      return formula_epsilon(formula, declared_number(formula->program, step->a));
    case STEP_COUNT:
      value = (double)formula_seen_count(formula, count_along(run, step->index));
      return formula_number(formula, value);
    case STEP_ADD:
    case STEP_SUBTRACT:
      return add(run, step);
    case STEP_SUM:
    case STEP_LARGEST:
    case STEP_ONLINE_SUM:
    case STEP_SHARES:
      return take_fold(run, step);
    case STEP_PICK:
      return run_pick(run, step);
    case STEP_GATHER:
      return run_gather(run, step);
    case STEP_SCATTER_ADD:
    case STEP_SCATTER_REPLACE:
      return run_scatter(run, step);
    case STEP_STACK:
      return stack(run, step);
    case STEP_SELECT:
      return choose(run, step);
    case STEP_CONVERT:
      return run_convert(run, step);
    default:
      return take_plain(run, step);
  }
}

row_t run_value(run_t *run, uint16_t step) {
  if (!run->is_known[step]) {
    run->values[step] = take(run, &run->meaning->steps[step]);
    run->is_known[step] = true;
  }
  return run->values[step];
}

size_t declared_shared_numbers(const declared_formula_t *meaning) {
  size_t count = 0;
  for (uint32_t i = 0; i < meaning->step_count; i++) {
    const step_t *step = &meaning->steps[i];
    products_t products = {.count = 0};
    switch (step->kind) {
      case STEP_INVERSE_SQUARE_ROOT: /* A function, a root, 1, a quotient, and either. */
        count += 5;
        break;
      case STEP_NORMALIZED: /* 1 and a product. */
        count += 2;
        break;
      case STEP_SHARES: /* A sum, 1, two quotients, a product, and either. */
        count += 6;
        break;
      case STEP_ADD:
      case STEP_SUBTRACT: /* A way for each product and one more, and either of them. */
        find_products(meaning, step->a, false, 0, &products);
        find_products(meaning, step->b, false, 0, &products);
        count += 2 * products.count + 1;
        break;
      default:
        count++;
    }
  }
  return count;
}

/* Quantized ones are integers, of whatever they are made. */
static row_t take_result(run_t *run, uint32_t result) {
  uint16_t step = run->meaning->results[result];
  bool is_float = run->meaning->steps[step].type == NULL;
  bool is_quantized = run->declaration->results[result].is_quantized;
  const uint32_t mask = run->declaration->results[result].mask & run->declaration->inner;
  if (is_float && !is_quantized) return run_value(run, step);
  integer_row_t integers = {.count = 0, .sets = NULL};
  if (!is_float) integers = run_integers(run, step);
  if (is_quantized && !is_float) integers = run_store(run, result, integers);
  if (is_quantized && is_float) integers = run_quantize(run, result, along(run, step, mask));
  return (row_t){.count = integers.count, .integers = integers.sets};
}

void declared_evaluate(formula_t *formula, uint32_t which, const row_t operands[],
                       row_t results[]) {
  const declaration_t *declaration = declared_of(formula->program);
  run_t *run = ARENA_NEW_ARRAY(formula->arena, run_t, 1);
  *run = (run_t){.formula = formula,
                 .declaration = declaration,
                 .meaning = &declaration->formulas[which],
                 .operands = operands};
  declared_bind(formula->program, &run->binding);
  /* All of them, also where it is asked about the floats alone: what is remembered serves both. */
  for (uint32_t i = 0; i < declaration->result_count; i++) {
    results[i] = take_result(run, i);
  }
}
