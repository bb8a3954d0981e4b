/* SPDX-License-Identifier: Apache-2.0 */
/* Encloses reduce for sums, products and extrema of intervals, including any permitted number of
 * initial values and the conversion to the result type. Other bodies are refused. */
#include "oracles/ops/reduce/enclose.h"

#include <math.h>

#include "harness/types/promotion.h"
#include "oracles/exact/box/sum.h"
#include "oracles/exact/magnitude.h"
#include "oracles/ops/reduce/core.h"
#include "oracles/ops/reduce/gather.h"

/* One result of a program, and what goes into one of its elements. */
typedef struct reducing {
  const contract_t *contract; /* Or NULL. */
  fold_body_t body;
  const element_t *input, *accumulation, *result;
  size_t count;
  const box_t *terms; /* In the accumulation type. */
  box_t init;
  bool may_skip_init;
  bool may_repeat_init;
  box_t *kept; /* Of float sums: see enclosure_call_t; or NULL. */
} reducing_t;

/* The initial values that enter together make one more term or factor, which may be none. */
static double most_inits(const reducing_t *reducing) {
  if (!reducing->may_repeat_init) return 1;
  return contract_init_count_max(reducing->contract, reducing->count);
}

static bool is_point(box_t box, double value) { return box.low == value && box.high == value; }

/* ---- Sums ------------------------------------------------------------------------------------ */

static size_t count_inits(const reducing_t *reducing) {
  return is_point(reducing->init, 0) ? 0 : (size_t)most_inits(reducing);
}

/* Integers are wherever in their boxes, floats where they are one number. */
static int grid_of_terms(const reducing_t *reducing) {
  if (reducing->accumulation->format == NULL) return 0;
  int grid = count_inits(reducing) == 0 ? BINARY64_NO_BIT : box_grid(reducing->init);
  for (size_t i = 0; i < reducing->count && grid != BOX_GRID_NONE; i++) {
    grid = MIN(grid, box_grid(reducing->terms[i]));
  }
  return grid;
}

static box_sum_t sum_terms(const reducing_t *reducing) {
  int grid = grid_of_terms(reducing);
  box_sum_t sum = {.has_grid = grid != BOX_GRID_NONE, .grid = grid};
  for (size_t i = 0; i < reducing->count; i++) box_sum_add(&sum, reducing->terms[i]);
  if (count_inits(reducing) == 0) return sum;
  box_t inits = box_multiply(reducing->init, (box_t){1, most_inits(reducing)});
  box_sum_add(&sum, reducing->may_skip_init ? box_unite(inits, box_point(0)) : inits);
  return sum;
}

static box_t reduce_floats_by_sum(const reducing_t *reducing, box_t *inout_kept) {
  box_sum_t sum = sum_terms(reducing);
  if (reducing->contract == NULL) return box_sum_total(&sum);
  bool converts = reducing->result != reducing->accumulation;
  const box_sum_shape_t shape = {.format = reducing->accumulation->format,
                                 .result = converts ? reducing->result->format : NULL,
                                 .bound = {.terms = reducing->count + count_inits(reducing)}};
  const box_sum_rounding_t rounding = box_sum_rounding(&shape, reducing->contract);
  if (inout_kept != NULL) *inout_kept = box_unite(*inout_kept, box_sum_kept(&sum, &rounding));
  return box_sum_round(&sum, &rounding);
}

/* ---- Products -------------------------------------------------------------------------------- */

typedef struct box_product {
  box_t product;
  double largest;  /* Of the factors above 1 in magnitude, at most; at least 1. */
  double smallest; /* Of the factors below 1, at least. */
  size_t count;
} box_product_t;

static void take_factor(box_product_t *product, box_t factor) {
  double least = box_holds(factor, 0) ? 0 : fmin(fabs(factor.low), fabs(factor.high));
  product->product = box_multiply(product->product, factor);
  product->largest = box_above(product->largest * fmax(1, box_magnitude(factor)));
  product->smallest = fmax(0, box_below(product->smallest * fmin(1, least)));
  product->count++;
}

/* Powers of the initial value from the first or, where it may be missing, from 1 on. */
static box_product_t multiply_terms(const reducing_t *reducing) {
  box_product_t product = {.product = box_point(1), .largest = 1, .smallest = 1};
  for (size_t i = 0; i < reducing->count; i++) take_factor(&product, reducing->terms[i]);
  box_t init = reducing->init;
  if (is_point(init, 1)) return product;
  if (reducing->may_repeat_init) {
    init = box_magnitude(init) > 1 ? box_whole_line()
                                   : box_unite(init, (box_t){init.low < 0 ? -1 : 0, 1});
    product.count += (size_t)most_inits(reducing);
  } else if (reducing->may_skip_init) {
    init = box_unite(init, box_point(1));
  }
  take_factor(&product, init);
  return product;
}

/* What products lose relatively, and to underflow: theory.md, T30, T32 and T73. */
static box_t round_product(const reducing_t *reducing, const box_product_t *product) {
  const contract_t *contract = reducing->contract;
  const format_t *format = reducing->accumulation->format;
  if (!box_is_finite(product->product)) return box_whole_line();
  error_bound_t bound = error_bound_product(format, contract, product->count);
  upper_t grown = upper_add(upper_of(1), upper_of(bound.total_factor));
  upper_t reach = upper_scale(grown, product->largest);
  if (!(reach.value < format_to_double(format, format->largest_bits))) return box_whole_line();
  double normal = format_smallest_normal(format);
  upper_t error = upper_scale(upper_of(bound.factor), box_magnitude(product->product));
  if (product->smallest < upper_scale(upper_larger(upper_of(4), grown), normal).value) {
    double each =
        2 * format_smallest(format) + (PERMITTED(contract, ftz) == FTZ_NONE ? 0 : 2 * normal);
    upper_t lost = upper_scale(upper_of((double)product->count), each);
    error = upper_add(error, upper_multiply(lost, reach));
  }
  box_t exact = box_widen(product->product, error.value);
  if (PERMITTED(contract, ftz) != FTZ_NONE) exact = box_flush(exact, format);
  return bound.last_truncates ? box_round_either_way(exact, format) : box_round(exact, format);
}

static box_t convert_float(const reducing_t *reducing, box_t accumulated) {
  const contract_t *contract = reducing->contract;
  box_t out = accumulated;
  if (contract == NULL) return out;
  const format_t *format = reducing->result->format;
  if (PERMITTED(contract, ftz) != FTZ_NONE) out = box_flush(out, format);
  return reducing->result == reducing->accumulation ? out : box_round(out, format);
}

static box_t reduce_floats_by_product(const reducing_t *reducing) {
  box_product_t product = multiply_terms(reducing);
  if (reducing->contract == NULL) return product.product;
  box_t rounded = round_product(reducing, &product);
  bool converts = reducing->result != reducing->accumulation;
  if (!converts || PERMITTED(reducing->contract, accum_wider) == ACCUM_WIDER_NO) {
    return convert_float(reducing, rounded);
  }
  /* A wider product may be rounded to the result's type at once: it lies between the neighbours of
   * the rounded ends (theory.md, T24). */
  box_t either = box_round_either_way(
      box_widen(rounded,
                box_magnitude(rounded) * format_unit_roundoff(reducing->accumulation->format) +
                    format_smallest(reducing->accumulation->format)),
      reducing->accumulation->format);
  return convert_float(reducing, either);
}

/* ---- Maximum and minimum --------------------------------------------------------------------- */

/* Where the initial value may be missing the terms alone are a result too. */
static box_t pick(const reducing_t *reducing) {
  bool largest = reducing->body == FOLD_MAXIMUM;
  box_t picked = reducing->init;
  for (size_t i = 0; i < reducing->count; i++) {
    bool is_first = i == 0 && reducing->may_skip_init;
    box_t term = reducing->terms[i];
    if (is_first) {
      picked = term;
    } else {
      picked = largest ? box_maximum(picked, term) : box_minimum(picked, term);
    }
  }
  if (!reducing->may_skip_init) return picked;
  box_t with_init =
      largest ? box_maximum(picked, reducing->init) : box_minimum(picked, reducing->init);
  return box_unite(picked, with_init);
}

/* ---- Integers -------------------------------------------------------------------------------- */

static box_t reduce_integers(const reducing_t *reducing) {
  const box_t range = box_of_element(reducing->accumulation);
  bool is_boolean = reducing->accumulation->kind == ELEMENT_BOOLEAN;
  box_t out = range;
  double reach = 0;
  if (reducing->body == FOLD_ADD) { /* OR of booleans. */
    box_sum_t sum = sum_terms(reducing);
    reach = is_boolean ? 0 : box_sum_magnitude(&sum);
    out = box_integers_within(box_sum_total(&sum));
    if (is_boolean) out = box_clamp(out, 0, 1);
  } else if (reducing->body == FOLD_MULTIPLY) {
    box_product_t product = multiply_terms(reducing);
    reach = is_boolean ? 0 : product.largest;
    out = box_is_finite(product.product) ? box_integers_within(product.product) : box_whole_line();
  } else {
    out = pick(reducing);
  }
  bool may_overflow =
      reducing->contract != NULL && !box_fits(box_point(reach), reducing->accumulation);
  if (may_overflow) out = range;
  bool fits = box_fits(out, reducing->result);
  return fits || reducing->contract == NULL ? out : box_of_element(reducing->result);
}

/* ---- All ------------------------------------------------------------------------------------- */

/* Terms as they are accumulated; whether the specification gives all of them a value. */
static bool convert_term(const reducing_t *reducing, box_t *inout_term) {
  const contract_t *contract = reducing->contract;
  if (contract == NULL) return true;
  bool is_exact = element_promotion_is_exact(reducing->input, reducing->accumulation);
  if (reducing->accumulation->format == NULL) {
    return is_exact || box_fits(*inout_term, reducing->accumulation);
  }
  bool is_sum = reducing->body == FOLD_ADD;
  const format_t *formats[] = {reducing->input->format, reducing->accumulation->format};
  for (int i = 0; i < 2; i++) {
    if (i == 1 && !is_exact) *inout_term = box_round(*inout_term, formats[1]);
    if (PERMITTED(contract, ftz) == FTZ_NONE) continue;
    *inout_term =
        is_sum ? box_flush_term(*inout_term, formats[i]) : box_flush(*inout_term, formats[i]);
  }
  return true;
}

/* `inout_kept` is of a float sum, or NULL. */
static box_t reduce_element(const reducing_t *reducing, box_t *inout_kept) {
  if (reducing->accumulation->format == NULL) return reduce_integers(reducing);
  if (reducing->body == FOLD_ADD) return reduce_floats_by_sum(reducing, inout_kept);
  if (reducing->body == FOLD_MULTIPLY) return reduce_floats_by_product(reducing);
  return convert_float(reducing, pick(reducing));
}

static void enclose_result(reducing_t reducing, const reduce_slices_t *slices, const box_t *input,
                           box_t init, box_t *terms, box_t *out_result) {
  bool init_is_known = convert_term(&reducing, &init);
  reducing.init = init;
  reducing.count = slices->term_count;
  reducing.terms = terms;
  reducing.may_repeat_init =
      reducing.contract != NULL && PERMITTED(reducing.contract, init_count) != INIT_COUNT_ONE;
  reducing.may_skip_init = reducing.may_repeat_init && slices->term_count > 0;
  for (size_t output = 0; output < slices->output_count; output++) {
    bool are_known = init_is_known;
    for (size_t i = 0; i < slices->term_count; i++) {
      terms[i] = input[slices->output_base[output] + slices->term_offset[i]];
      are_known &= convert_term(&reducing, &terms[i]);
    }
    box_t *kept = reducing.kept == NULL ? NULL : &reducing.kept[output];
    out_result[output] =
        are_known ? reduce_element(&reducing, kept) : box_of_element(reducing.result);
    if (!are_known && kept != NULL) *kept = box_whole_line();
  }
}

static bool has_zero(const element_t *element) {
  return element->format == NULL || element->format->specials != FORMAT_EXPONENT_ONLY;
}

static status_t check(const reducing_t *reducing, failure_t *error) {
  bool is_known = reducing->body == FOLD_ADD || reducing->body == FOLD_MULTIPLY ||
                  reducing->body == FOLD_MAXIMUM || reducing->body == FOLD_MINIMUM;
  if (!is_known || reducing->accumulation->components != 1) {
    return status_fail(error, STATUS_UNSUPPORTED,
                       "complex numbers, and reductions with this body, are not enclosed");
  }
  if (!has_zero(reducing->input) || !has_zero(reducing->accumulation) ||
      !has_zero(reducing->result)) {
    return status_fail(error, STATUS_UNSUPPORTED, "reductions of %s are not enclosed",
                       reducing->accumulation->name);
  }
  /* As reduce_core_make() says. */
  if (reducing->contract == NULL || reducing->accumulation != reducing->result) return STATUS_OK;
  return element_require_exact_promotion(reducing->input, reducing->accumulation, error);
}

/* Adds what the accumulation types hold that the contract permits in the place of the program's. */
static status_t unite_accumulations(const enclosure_call_t *call, reducing_t reducing,
                                    const reduce_slices_t *slices, const box_t *input, box_t init,
                                    box_t *out_result) {
  const element_t *elements[ACCUMULATIONS_MAX] = {reducing.accumulation};
  size_t count = call->contract == NULL ? 1
                                        : reduce_accumulations(call->program, reducing.accumulation,
                                                               call->contract, elements);
  box_t *terms = ARENA_NEW_ARRAY(call->arena, box_t, slices->term_count);
  box_t *result = ARENA_NEW_ARRAY(call->arena, box_t, slices->output_count);
  for (size_t output = 0; output < slices->output_count && reducing.kept != NULL; output++) {
    reducing.kept[output] = (box_t){INFINITY, -INFINITY};
  }
  for (size_t i = 0; i < count; i++) {
    reducing.accumulation = elements[i];
    STATUS_TRY(check(&reducing, call->error));
    enclose_result(reducing, slices, input, init, terms, result);
    for (size_t output = 0; output < slices->output_count; output++) {
      out_result[output] = i == 0 ? result[output] : box_unite(out_result[output], result[output]);
    }
  }
  return STATUS_OK;
}

status_t reduce_enclose(const enclosure_call_t *call, box_t *const out_results[CASE_RESULTS_MAX]) {
  const program_t *program = call->program;
  if (reduce_has_written_body(program)) {
    return status_fail(call->error, STATUS_UNSUPPORTED,
                       "reductions by a body that is written out are not enclosed");
  }
  if (reduce_is_quantized(program)) {
    return reduce_quantized_enclose(call, out_results[0]);
  }
  reduction_types_t types = reduce_types(program);
  reduce_slices_t slices = reduce_slices_make(program, call->arena);
  for (uint32_t i = 0; i < types.count; i++) {
    bool keeps = call->kept != NULL && reduce_fold_body(program) == FOLD_ADD &&
                 types.results[i].element->format != NULL;
    const reducing_t reducing = {.contract = call->contract,
                                 .body = reduce_fold_body(program),
                                 .input = types.inputs[i].element,
                                 .accumulation = types.accumulations[i].element,
                                 .result = types.results[i].element,
                                 .kept = keeps ? call->kept[i] : NULL};
    uint32_t init = reduce_init_operand(program, i);
    STATUS_TRY(unite_accumulations(call, reducing, &slices, call->operands[i],
                                   call->operands[init][0], out_results[i]));
  }
  return STATUS_OK;
}
