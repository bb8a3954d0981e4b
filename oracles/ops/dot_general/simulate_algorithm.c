/* SPDX-License-Identifier: Apache-2.0 */
/* One concrete implementation of a dot algorithm: splits operands, sums the products of components,
 * and puts the sums together as the schedule says. */
#include <math.h>

#include "generated/dot_general_faults.h"
#include "harness/num/binary64.h"
#include "oracles/exact/fold/aligned_sum.h"
#include "oracles/exact/fold/parts.h"
#include "oracles/ops/dot_general/simulate_parts.h"

/* Beside what the fold knows. */
typedef struct split_simulation {
  const simulation_t *simulation;
  const implementation_model_t *schedule;
  dot_plan_t plan;
  fold_t store; /* Of the result type: writes the sums. */
  size_t term_count;
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

static void load(const split_simulation_t *split, const tensor_t *operand, uint32_t side,
                 size_t index, double *const out[DOT_COMPONENTS_MAX], size_t to) {
  const format_t *precision = dot_plan_precision(&split->plan, side);
  const element_t *element = operand->type.element;
  uint64_t bits = element_load(element, operand->data, index);
  double value = fold_load(&split->simulation->fold, element, operand->data, index).real;
  double components[DOT_COMPONENTS_MAX];
  int count = split->plan.component_counts[side];
  if (split->schedule->fault == FAULT_operands_rounded_outward) {
    value = round_outward(precision, value);
  }
  const dot_stored_t number = {.storage = element->format, .bits = bits, .value = value};
  dot_split(split->schedule->split, precision, count, &number, components);
  for (int i = 0; i < count; i++) out[i][to] = components[i];
}

static void load_batch(split_simulation_t *split, size_t batch) {
  const simulation_t *simulation = split->simulation;
  const dot_general_layout_t *layout = simulation->layout;
  for (size_t row = 0; row < layout->row_count; row++) {
    for (size_t term = 0; term < split->term_count; term++) {
      load(split, simulation->lhs, DOT_GENERAL_LHS,
           simulation_lhs_index(simulation, batch, row, term), split->lhs,
           row * split->term_count + term);
    }
  }
  for (size_t column = 0; column < layout->column_count; column++) {
    for (size_t term = 0; term < split->term_count; term++) {
      load(split, simulation->rhs, DOT_GENERAL_RHS,
           simulation_rhs_index(simulation, batch, column, term), split->rhs,
           column * split->term_count + term);
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

static void simulate_batch(split_simulation_t *split, size_t batch, tensor_t *results) {
  const simulation_t *simulation = split->simulation;
  const dot_general_layout_t *layout = simulation->layout;
  const arithmetic_t accumulation = arithmetic_make(split->plan.accumulation);
  load_batch(split, batch);
  size_t output = batch * layout->row_count * layout->column_count;
  for (size_t row = 0; row < layout->row_count; row++) {
    for (size_t column = 0; column < layout->column_count; column++, output++) {
      double sum = split->schedule->assembly == ASSEMBLY_BY_TERM
                       ? sum_by_term(split, row, column, output)
                       : sum_by_product(split, row, column, output);
      if (split->schedule->fault == FAULT_accumulate_into_result) {
        sum += fold_load(&split->store, split->store.element, results[0].data, output).real;
      }
      fold_store(&split->store, fold_real(arithmetic_round(&accumulation, sum)), output, results);
    }
  }
}

status_t simulate_algorithm(simulation_t *simulation, const oracle_call_t *call,
                            const dot_algorithm_t *algorithm,
                            const implementation_model_t *schedule, tensor_t *inout_results) {
  const contract_t contract = contract_backend(); /* Nothing of it matters to a simulation. */
  const element_t *accumulation = algorithm->accumulation;
  const element_t *result = call->instance->program.results[0].element;
  split_simulation_t split = {
      .simulation = simulation, .schedule = schedule, .term_count = simulation->layout->term_count};
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
  for (size_t batch = 0; batch < simulation->layout->batch_count; batch++) {
    simulate_batch(&split, batch, inout_results);
  }
  return STATUS_OK;
}
