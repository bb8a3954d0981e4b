/* SPDX-License-Identifier: Apache-2.0 */
/* One concrete implementation of a dot algorithm: splits operands, sums the products of components,
 * and puts the sums together as the schedule says. */
#include <math.h>

#include "generated/dot_general_faults.h"
#include "harness/num/binary64.h"
#include "oracles/exact/fold/aligned_sum.h"
#include "oracles/exact/fold/parts.h"
#include "oracles/exact/quantum/fault_values.h"
#include "oracles/ops/dot_general/components.h"
#include "oracles/ops/dot_general/integers.h"
#include "oracles/ops/dot_general/models/simulate_parts.h"

/* Beside what the fold knows. */
typedef struct split_simulation {
  const simulation_t *simulation;
  const implementation_model_t *schedule;
  dot_plan_t plan;
  fold_t store;                    /* Of the result type: writes the sums. */
  size_t parts;                    /* 2 of complex numbers. */
  size_t term_count;               /* Of real products. */
  double *sums;                    /* Real parts of a batch. */
  double *lhs[DOT_COMPONENTS_MAX]; /* [rows][terms] of a batch. */
  double *rhs[DOT_COMPONENTS_MAX]; /* [columns][terms] */
  fold_value_t *terms;
} split_simulation_t;

static double round_outward(const format_t *precision, double value) {
  rounding_t outward = signbit(value) != 0 ? ROUNDING_DOWN : ROUNDING_UP;
  const format_t *f64 = &format_table[FORMAT_f64];
  if (!isfinite(value) || precision == f64) return value;
  uint64_t bits = format_convert(f64, precision, binary64_bits(value), outward);
  return format_to_double(precision, bits);
}

/* A number of a float operand, as the model reads it. */
static void load_float(const split_simulation_t *split, const tensor_t *operand, uint32_t side,
                       size_t component, double out_components[DOT_COMPONENTS_MAX]) {
  const format_t *storage = operand->type.element->format;
  const format_t *precision = dot_plan_precision(&split->plan, side);
  uint64_t bits = element_load(operand->type.element, operand->data, component);
  double value = fault_load_float(split->schedule->fault, storage, bits);
  if (split->schedule->fault == FAULT_operands_rounded_outward) {
    value = round_outward(precision, value);
  }
  int count = split->plan.component_counts[side];
  if (!isfinite(value) && !format_has_nan(precision)) {
    for (int i = 0; i < count; i++) out_components[i] = NAN;
    return;
  }
  const dot_stored_t number = {.storage = storage, .bits = bits, .value = value};
  dot_split(split->schedule->split, precision, count, &number, out_components);
}

/* What nobody says what it is becomes NaN, and 0 where there is none. */
static void load(const split_simulation_t *split, uint32_t side, size_t component, size_t to,
                 bool negates) {
  const simulation_t *simulation = split->simulation;
  const tensor_t *operand = side == DOT_GENERAL_LHS ? simulation->lhs : simulation->rhs;
  double *const *out = side == DOT_GENERAL_LHS ? split->lhs : split->rhs;
  double components[DOT_COMPONENTS_MAX];
  const element_t *precision = split->plan.types[side];
  int count = split->plan.component_counts[side];
  if (operand->type.element->format != NULL && precision->format != NULL) {
    load_float(split, operand, side, component, components);
  } else {
    dot_components_load(split->schedule->split, precision, count, operand, component, components);
  }
  for (int i = 0; i < count; i++) out[i][to] = negates ? -components[i] : components[i];
}

/* The factors of one part of complex results; of real ones there is one. */
static void load_batch(split_simulation_t *split, size_t batch, size_t part) {
  const simulation_t *simulation = split->simulation;
  const dot_general_layout_t *layout = simulation->layout;
  size_t parts = split->parts;
  for (size_t row = 0; row < layout->row_count; row++) {
    for (size_t i = 0; i < split->term_count; i++) {
      size_t element = simulation_lhs_index(simulation, batch, row, i / parts);
      load(split, DOT_GENERAL_LHS, element * parts + i % parts, row * split->term_count + i,
           i % parts == 1 && part == 0);
    }
  }
  for (size_t column = 0; column < layout->column_count; column++) {
    for (size_t i = 0; i < split->term_count; i++) {
      size_t element = simulation_rhs_index(simulation, batch, column, i / parts);
      load(split, DOT_GENERAL_RHS, element * parts + (i + part) % parts,
           column * split->term_count + i, false);
    }
  }
}

/* A NaN counts as 0 before the leading product is added, as in the implementations in use. */
static double settle_low(const split_simulation_t *split, double low) {
  bool keeps = split->schedule->fault == FAULT_keep_low_nan;
  return isnan(low) && !keeps ? 0 : low;
}

/* How often a primitive product enters: once, but for the faults about the largest low-order one.
 */
static int uses_of(const split_simulation_t *split, int primitive) {
  if (primitive != split->plan.primitive_count - 2) return 1;
  if (split->schedule->fault == FAULT_lose_cross_product) return 0;
  return split->schedule->fault == FAULT_repeat_cross_product ? 2 : 1;
}

/* The factors of a primitive product for one output. */
static const double *left_of(const split_simulation_t *split, int primitive, size_t row) {
  return split->lhs[split->plan.primitives[primitive].lhs] + row * split->term_count;
}

static const double *right_of(const split_simulation_t *split, int primitive, size_t column) {
  return split->rhs[split->plan.primitives[primitive].rhs] + column * split->term_count;
}

/* Whether binary64 does not hold all products of the factors, which are rounded to less. */
static bool has_long_products(const split_simulation_t *split) {
  const format_t *format = split->simulation->fold.arithmetic.format;
  return split->plan.lhs->precision + split->plan.rhs->precision > 53 && format->bits < 64;
}

static double multiply(const split_simulation_t *split, double left, double right) {
  const arithmetic_t *arithmetic = &split->simulation->fold.arithmetic;
  return has_long_products(split) ? arithmetic_multiply_any(arithmetic, left, right)
                                  : arithmetic_multiply(arithmetic, left, right);
}

/* Long products are never fused. */
static fold_value_t make_term(const split_simulation_t *split, double left, double right) {
  if (has_long_products(split)) return fold_real(multiply(split, left, right));
  return fold_product(&split->simulation->fold, fold_real(left), fold_real(right));
}

static double sum_product(const split_simulation_t *split, int primitive, size_t row, size_t column,
                          size_t output) {
  const fold_t *fold = &split->simulation->fold;
  const double *left = left_of(split, primitive, row);
  const double *right = right_of(split, primitive, column);
  if (split->schedule->aligned_bits != 0 && split->plan.imprecise_bits != 0) {
    enum { WIDTH = 4 };
    return aligned_sum(left, right, split->term_count, WIDTH, (int)split->schedule->aligned_bits);
  }
  for (size_t i = 0; i < split->term_count; i++) {
    split->terms[i] = make_term(split, left[i], right[i]);
  }
  return fold_run(fold, fold_zero(fold), split->terms, split->term_count, output).real;
}

static double sum_by_product(const split_simulation_t *split, size_t row, size_t column,
                             size_t output) {
  const arithmetic_t *arithmetic = &split->simulation->fold.arithmetic;
  int leading = split->plan.primitive_count - 1;
  double low = 0;
  for (int i = 0; i < leading; i++) {
    for (int use = 0; use < uses_of(split, i); use++) {
      low = arithmetic_add(arithmetic, low, sum_product(split, i, row, column, output));
    }
  }
  double sum = sum_product(split, leading, row, column, output);
  return leading == 0 ? sum : arithmetic_add(arithmetic, settle_low(split, low), sum);
}

static double sum_by_term(const split_simulation_t *split, size_t row, size_t column,
                          size_t output) {
  const fold_t *fold = &split->simulation->fold;
  const arithmetic_t *arithmetic = &fold->arithmetic;
  int leading = split->plan.primitive_count - 1;
  for (size_t term = 0; term < split->term_count; term++) {
    double low = 0, product = 0;
    for (int i = 0; i <= leading; i++) {
      product = multiply(split, left_of(split, i, row)[term], right_of(split, i, column)[term]);
      for (int use = 0; i < leading && use < uses_of(split, i); use++) {
        low = arithmetic_add(arithmetic, low, product);
      }
    }
    if (leading > 0) product = arithmetic_add(arithmetic, settle_low(split, low), product);
    split->terms[term] = fold_real(product);
  }
  return fold_run(fold, fold_zero(fold), split->terms, split->term_count, output).real;
}

/* Writes a sum of the accumulation type; of what an integer type has not, its end. */
static void store(const split_simulation_t *split, fold_value_t sum, size_t output,
                  tensor_t *results) {
  const element_t *integer = split->plan.integer;
  uint64_t bits;
  if (integer == NULL) {
    fold_store(&split->store, sum, output, results);
    return;
  }
  if (!integer_result_of(sum.real, integer, &bits) && !isnan(sum.real)) {
    bits = sum.real < 0 ? (uint64_t)element_integer_min(integer) : element_integer_max(integer);
  }
  sum = fold_integer(bits & element_mask(integer));
  fold_store(&split->store, sum, output, results);
}

static double sum_one(const split_simulation_t *split, size_t row, size_t column, size_t output,
                      const tensor_t *results) {
  const arithmetic_t accumulation = arithmetic_make(split->plan.accumulation);
  double sum = split->schedule->assembly == ASSEMBLY_BY_TERM
                   ? sum_by_term(split, row, column, output)
                   : sum_by_product(split, row, column, output);
  bool accumulates = split->schedule->fault == FAULT_accumulate_into_result;
  if (accumulates && split->plan.integer == NULL && split->parts == 1) {
    sum += fold_load(&split->store, split->store.element, results[0].data, output).real;
  }
  return arithmetic_round(&accumulation, sum);
}

static void simulate_batch(split_simulation_t *split, size_t batch, tensor_t *results) {
  const dot_general_layout_t *layout = split->simulation->layout;
  size_t count = layout->row_count * layout->column_count;
  for (size_t part = 0; part < split->parts; part++) {
    load_batch(split, batch, part);
    for (size_t i = 0; i < count; i++) {
      size_t row = i / layout->column_count, column = i % layout->column_count;
      size_t output = batch * count + i;
      double sum = sum_one(split, row, column, output, results);
      if (part == 0) split->sums[i] = sum;
      fold_value_t value = split->parts == 1 ? fold_real(sum) : fold_complex(split->sums[i], sum);
      if (part == split->parts - 1) store(split, value, output, results);
    }
  }
}

/* ---- Integers -------------------------------------------------------------------------------- */

/* One sum of integers; what has no integer of its type counts as 0. */
static void simulate_integer(split_simulation_t *split, dot_general_place_t place, size_t output,
                             tensor_t *results) {
  const simulation_t *simulation = split->simulation;
  const fold_t *fold = &simulation->fold;
  const split_t way = split->schedule->split;
  for (size_t i = 0; i < split->term_count; i++) {
    size_t lhs = simulation_lhs_index(simulation, place.batch, place.row, i);
    size_t rhs = simulation_rhs_index(simulation, place.batch, place.column, i);
    uint64_t left, right;
    dot_components_load_integer(way, split->plan.types[0], simulation->lhs, lhs, &left);
    dot_components_load_integer(way, split->plan.types[1], simulation->rhs, rhs, &right);
    split->terms[i] = fold_product(fold, fold_integer(left), fold_integer(right));
  }
  uint64_t sum = fold_run(fold, fold_zero(fold), split->terms, split->term_count, output).integer;
  const element_t *result = results[0].type.element;
  uint64_t bits;
  dot_integers_convert(split->plan.sum, dot_integers_extend(split->plan.sum, sum), result, &bits);
  if (result->format == NULL) {
    fold_store(&split->store, fold_integer(bits), output, results);
  } else {
    fold_store(&split->store, fold_real(format_to_double(result->format, bits)), output, results);
  }
}

static void simulate_integers(split_simulation_t *split, tensor_t *results) {
  const dot_general_layout_t *layout = split->simulation->layout;
  size_t output = 0;
  for (size_t batch = 0; batch < layout->batch_count; batch++) {
    for (size_t row = 0; row < layout->row_count; row++) {
      for (size_t column = 0; column < layout->column_count; column++) {
        const dot_general_place_t place = {.batch = batch, .row = row, .column = column};
        simulate_integer(split, place, output++, results);
      }
    }
  }
}

/* ---- All ------------------------------------------------------------------------------------- */

status_t simulate_algorithm(simulation_t *simulation, const oracle_call_t *call,
                            const dot_algorithm_t *algorithm,
                            const implementation_model_t *schedule, tensor_t *inout_results) {
  const contract_t contract = contract_backend(); /* Nothing of it matters to a simulation. */
  const element_t *accumulation = algorithm->accumulation;
  const element_t *result = call->instance->program.results[0].element;
  size_t parts = result->components;
  split_simulation_t split = {.simulation = simulation,
                              .schedule = schedule,
                              .parts = parts,
                              .term_count = simulation->layout->term_count * parts};
  STATUS_TRY(
      dot_plan_make_for(&call->instance->program, algorithm, &contract, &split.plan, call->error));
  STATUS_TRY(fold_make(FOLD_ADD, accumulation, NULL, schedule, &simulation->fold, call->error));
  STATUS_TRY(fold_make(FOLD_ADD, result, NULL, schedule, &split.store, call->error));
  for (int i = 0; i < split.plan.component_counts[0]; i++) {
    size_t count = simulation->layout->row_count * split.term_count;
    split.lhs[i] = ARENA_NEW_ARRAY(call->arena, double, count);
  }
  for (int i = 0; i < split.plan.component_counts[1]; i++) {
    size_t count = simulation->layout->column_count * split.term_count;
    split.rhs[i] = ARENA_NEW_ARRAY(call->arena, double, count);
  }
  split.terms = fold_make_terms(&simulation->fold, split.term_count, call->arena);
  split.sums = ARENA_NEW_ARRAY(call->arena, double,
                               simulation->layout->row_count * simulation->layout->column_count);
  if (accumulation->format == NULL) {
    simulate_integers(&split, inout_results);
    return STATUS_OK;
  }
  for (size_t batch = 0; batch < simulation->layout->batch_count; batch++) {
    simulate_batch(&split, batch, inout_results);
  }
  return STATUS_OK;
}
