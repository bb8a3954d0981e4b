/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated implementation of dot_general: sequential f32 and f64 sums go through vector loops,
 * everything else term by term, and split algorithms through their own model. Index and saturation
 * faults act here. */
#include "oracles/ops/dot_general/models/simulate.h"

#include "generated/dot_general_faults.h"
#include "harness/num/element_value.h"
#include "harness/types/promotion.h"
#include "oracles/exact/fold/dense_narrow.h"
#include "oracles/ops/dot_general/models/simulate_parts.h"
#include "oracles/ops/dot_general/precisions.h"
#include "oracles/ops/dot_general/quantized/simulate.h"

/* The element of the right operand that is read for element `index`. */
static size_t rhs_index(const simulation_t *simulation, size_t index) {
  const type_t *type = &simulation->rhs->type;
  if (simulation->fold.schedule->fault != FAULT_transpose_rhs || type->rank < 2) return index;
  size_t rows = (size_t)type->dims[type->rank - 2];
  size_t columns = (size_t)type->dims[type->rank - 1];
  if (rows != columns) return index;
  size_t in_matrix = index % (rows * columns);
  return index - in_matrix + in_matrix % columns * rows + in_matrix / columns;
}

size_t simulation_lhs_index(const simulation_t *simulation, size_t batch, size_t row, size_t term) {
  enum { FORWARD_TERMS = 8 };
  const dot_general_layout_t *layout = simulation->layout;
  fault_t fault = simulation->fold.schedule->fault;
  if (fault == FAULT_lhs_batch_first) batch = 0;
  if (fault == FAULT_terms_of_lhs_reversed && term >= FORWARD_TERMS) {
    term = layout->term_count - 1 - (term - FORWARD_TERMS);
  }
  return layout->lhs_batch_offset[batch] + layout->lhs_row_offset[row] +
         layout->lhs_term_offset[term];
}

size_t simulation_rhs_index(const simulation_t *simulation, size_t batch, size_t column,
                            size_t term) {
  const dot_general_layout_t *layout = simulation->layout;
  enum { TILE = 16 };
  fault_t fault = simulation->fold.schedule->fault;
  bool reads_before = fault == FAULT_batch_offset && batch > 0;
  if (fault == FAULT_rhs_columns_shifted && column >= TILE) column--;
  size_t index = layout->rhs_batch_offset[reads_before ? batch - 1 : batch] +
                 layout->rhs_column_offset[column] + layout->rhs_term_offset[term];
  return rhs_index(simulation, index);
}

static fold_value_t load_lhs(const simulation_t *simulation, size_t batch, size_t row,
                             size_t term) {
  const tensor_t *lhs = simulation->lhs;
  return fold_load(&simulation->fold, lhs->type.element, lhs->data,
                   simulation_lhs_index(simulation, batch, row, term));
}

static fold_value_t load_rhs(const simulation_t *simulation, size_t batch, size_t column,
                             size_t term) {
  const tensor_t *rhs = simulation->rhs;
  return fold_load(&simulation->fold, rhs->type.element, rhs->data,
                   simulation_rhs_index(simulation, batch, column, term));
}

/* What `vpmaddubsw` does: pairs of products become one term, saturated to 16 bits. */
static size_t saturate_pairs(const simulation_t *simulation, fold_value_t *terms, size_t count) {
  const element_t *from = simulation->lhs->type.element;
  const element_t *element = simulation->fold.element;
  if (!element_is_integer(from) || from->bits != 8 || element->bits <= 16) return count;
  for (size_t i = 0; i < count; i += 2) {
    uint64_t second = i + 1 < count ? terms[i + 1].integer : 0;
    int64_t sum = (int64_t)(terms[i].integer + second);
    terms[i / 2].integer = (uint64_t)CLAMP(sum, INT16_MIN, INT16_MAX);
  }
  return (count + 1) / 2;
}

/* Row by column, with every operand element of a batch converted once. */
static void simulate_batch(const simulation_t *simulation, size_t batch, fold_value_t *lhs,
                           fold_value_t *rhs, fold_value_t *terms, tensor_t *results) {
  const dot_general_layout_t *layout = simulation->layout;
  const fold_t *fold = &simulation->fold;
  size_t term_count = layout->term_count;
  for (size_t row = 0; row < layout->row_count; row++) {
    for (size_t term = 0; term < term_count; term++) {
      lhs[row * term_count + term] = load_lhs(simulation, batch, row, term);
    }
  }
  for (size_t column = 0; column < layout->column_count; column++) {
    for (size_t term = 0; term < term_count; term++) {
      rhs[column * term_count + term] = load_rhs(simulation, batch, column, term);
    }
  }
  size_t output = batch * layout->row_count * layout->column_count;
  for (size_t row = 0; row < layout->row_count; row++) {
    for (size_t column = 0; column < layout->column_count; column++, output++) {
      fold_products(fold, lhs + row * term_count, rhs + column * term_count, term_count, terms);
      size_t count = fold->schedule->fault == FAULT_saturate_pairs
                         ? saturate_pairs(simulation, terms, term_count)
                         : term_count;
      fold_output(fold, fold_zero(fold), terms, count, output, results);
    }
  }
}

static void simulate_terms(const simulation_t *simulation, arena_t *arena, tensor_t *results) {
  const dot_general_layout_t *layout = simulation->layout;
  size_t term_count = layout->term_count;
  fold_value_t *lhs = ARENA_NEW_ARRAY(arena, fold_value_t, layout->row_count * term_count);
  fold_value_t *rhs = ARENA_NEW_ARRAY(arena, fold_value_t, layout->column_count * term_count);
  fold_value_t *terms = fold_make_terms(&simulation->fold, term_count, arena);
  for (size_t batch = 0; batch < layout->batch_count; batch++) {
    simulate_batch(simulation, batch, lhs, rhs, terms, results);
  }
}

/* Elements beside one another, or not. */
typedef struct gathering {
  const size_t *offset;
  size_t count;
  bool is_run;
} gathering_t;

static gathering_t gathering_make(const size_t *offset, size_t count) {
  bool is_run = true;
  for (size_t i = 0; i < count && is_run; i++) is_run = offset[i] == i;
  return (gathering_t){.offset = offset, .count = count, .is_run = is_run};
}

static void gather(const fold_t *fold, const void *data, size_t base, const gathering_t *from,
                   uint8_t *out) {
  if (from->is_run) {
    size_t bytes = element_bytes(fold->element);
    memcpy(out, (const uint8_t *)data + base * bytes, from->count * bytes);
  } else {
    dense_gather(fold, data, base, from->offset, from->count, out);
  }
}

/* The hot path: f32 or f64 summed one after the other.  Each batch is packed into two dense
 * matrices, the right one padded with zero columns to whole blocks of lanes. */
static void simulate_dense(const simulation_t *simulation, arena_t *arena, tensor_t *result) {
  const dot_general_layout_t *layout = simulation->layout;
  const fold_t *fold = &simulation->fold;
  size_t bytes = element_bytes(fold->element);
  dense_dot_t dot = {.rows = layout->row_count,
                     .terms = layout->term_count,
                     .columns = dense_padded(layout->column_count)};
  const void *lhs = dense_promote(fold, simulation->lhs, arena);
  const void *rhs = dense_promote(fold, simulation->rhs, arena);
  uint8_t *left = arena_alloc(arena, dot.rows * dot.terms * bytes);
  uint8_t *right = arena_alloc_zeroed(arena, dot.terms * dot.columns * bytes);
  uint8_t *sums = arena_alloc(arena, dot.rows * dot.columns * bytes);
  uint8_t *out = result->data;
  const gathering_t terms = gathering_make(layout->lhs_term_offset, dot.terms);
  const gathering_t columns = gathering_make(layout->rhs_column_offset, layout->column_count);
  for (size_t batch = 0; batch < layout->batch_count; batch++) {
    for (size_t row = 0; row < dot.rows; row++) {
      gather(fold, lhs, layout->lhs_batch_offset[batch] + layout->lhs_row_offset[row], &terms,
             left + row * dot.terms * bytes);
    }
    for (size_t term = 0; term < dot.terms; term++) {
      gather(fold, rhs, layout->rhs_batch_offset[batch] + layout->rhs_term_offset[term], &columns,
             right + term * dot.columns * bytes);
    }
    dense_fold_dot(fold, &dot, left, right, sums);
    for (size_t row = 0; row < dot.rows; row++, out += layout->column_count * bytes) {
      dense_store(fold, sums + row * dot.columns * bytes, layout->column_count, out);
    }
  }
}

static void load_numbers(const tensor_t *operand, size_t base, const size_t *offset, size_t count,
                         double *out) {
  for (size_t i = 0; i < count; i++) {
    out[i] = element_load_float(operand->type.element, operand->data, base + offset[i]);
  }
}

/* The same of bf16 and f16, packed as binary64. */
static void simulate_narrow(const simulation_t *simulation, arena_t *arena, tensor_t *result) {
  const dot_general_layout_t *layout = simulation->layout;
  dense_dot_t dot = {.rows = layout->row_count,
                     .terms = layout->term_count,
                     .columns = dense_padded(layout->column_count)};
  double *left = ARENA_NEW_ARRAY(arena, double, dot.rows *dot.terms);
  double *right = arena_alloc_zeroed(arena, dot.terms * dot.columns * sizeof *right);
  double *sums = ARENA_NEW_ARRAY(arena, double, dot.rows *dot.columns);
  size_t output = 0;
  for (size_t batch = 0; batch < layout->batch_count; batch++) {
    for (size_t row = 0; row < dot.rows; row++) {
      load_numbers(simulation->lhs, layout->lhs_batch_offset[batch] + layout->lhs_row_offset[row],
                   layout->lhs_term_offset, dot.terms, left + row * dot.terms);
    }
    for (size_t term = 0; term < dot.terms; term++) {
      load_numbers(simulation->rhs, layout->rhs_batch_offset[batch] + layout->rhs_term_offset[term],
                   layout->rhs_column_offset, layout->column_count, right + term * dot.columns);
    }
    dense_narrow_dot(&simulation->fold, &dot, left, right, sums);
    for (size_t row = 0; row < dot.rows; row++, output += layout->column_count) {
      dense_narrow_store(&simulation->fold, sums + row * dot.columns, layout->column_count, output,
                         result->data);
    }
  }
}

/* The algorithm to run: the schedule's own, the one that the program asks for, or what it computes
 * f32 in for the program's precision_config. */
static status_t find_algorithm(const program_t *program, const implementation_model_t *schedule,
                               bool *out_has_algorithm, dot_algorithm_t *out_algorithm,
                               failure_t *error) {
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  *out_has_algorithm = true;
  if (schedule->algorithm != NULL) {
    if (dot_algorithm_find_name(str_from(schedule->algorithm), out_algorithm)) return STATUS_OK;
    return status_fail(error, STATUS_INVALID, "there is no dot algorithm \"%s\"",
                       schedule->algorithm);
  }
  *out_has_algorithm = !dot_general_is_plain(program);
  if (attributes->accumulation != NULL) {
    *out_algorithm = dot_general_accumulating(attributes->accumulation);
    return STATUS_OK;
  }
  if (!attributes->has_algorithm) {
    *out_has_algorithm = dot_precision_of_model(program, schedule, out_algorithm);
    return STATUS_OK;
  }
  if (dot_algorithm_find(&attributes->algorithm, out_algorithm)) return STATUS_OK;
  return status_fail(error, STATUS_UNSUPPORTED, "the meaning of this dot algorithm is not defined");
}

/* Whether the program is to run by an algorithm: where a model has one for all, programs that say
 * nothing of it do so of floats alone. */
static bool suits(const program_t *program, const implementation_model_t *schedule) {
  return schedule->algorithm == NULL || !dot_general_is_plain(program) ||
         program->results[0].element->kind == ELEMENT_FLOAT;
}

status_t dot_general_simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                              tensor_t *inout_results) {
  const case_t *instance = call->instance;
  const program_t *program = &instance->program;
  if (dot_general_is_quantized(program) || dot_general_is_hybrid(program)) {
    return dot_quantized_simulate(call, schedule, inout_results);
  }
  simulation_t simulation = {.lhs = &instance->operands[DOT_GENERAL_LHS],
                             .rhs = &instance->operands[DOT_GENERAL_RHS]};
  const element_t *element = program->results[0].element;
  const dot_general_layout_t layout = dot_general_layout_make(program, call->arena);
  simulation.layout = &layout;
  bool has_algorithm;
  dot_algorithm_t algorithm;
  STATUS_TRY(find_algorithm(program, schedule, &has_algorithm, &algorithm, call->error));
  if (has_algorithm && suits(program, schedule)) {
    return simulate_algorithm(&simulation, call, &algorithm, schedule, inout_results);
  }
  for (int i = 0; i < 2; i++) {
    STATUS_TRY(element_require_exact_promotion(program->operands[i].element, element, call->error));
  }
  STATUS_TRY(fold_make(FOLD_ADD, element, NULL, schedule, &simulation.fold, call->error));
  if (dense_fold_applies(&simulation.fold)) {
    simulate_dense(&simulation, call->arena, inout_results);
  } else if (dense_narrow_applies(&simulation.fold)) {
    simulate_narrow(&simulation, call->arena, inout_results);
  } else {
    simulate_terms(&simulation, call->arena, inout_results);
  }
  return STATUS_OK;
}
