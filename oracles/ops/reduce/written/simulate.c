/* SPDX-License-Identifier: Apache-2.0 */
/* What one concrete implementation of a reduce with a written body returns: the body's steps by the
 * arithmetic of models, in the trees of the folding engine, which carries the numbers of tuples. */
#include <math.h>

#include "generated/reduce_faults.h"
#include "harness/model/fault.h"
#include "oracles/exact/arithmetic.h"
#include "oracles/exact/fold/fold.h"
#include "oracles/exact/quantum/fault_values.h"
#include "oracles/formula/model.h"
#include "oracles/ops/reduce/reduce.h"
#include "oracles/ops/reduce/written/written.h"

/* A float as a number that its working format holds, or a pattern. */
typedef union scalar {
  double number;
  uint64_t bits;
} scalar_t;

typedef struct tuple {
  scalar_t values[CASE_RESULTS_MAX];
} tuple_t;

/* Tuples by their number: those of the leaves, and those of nodes behind them. */
typedef struct written_fold {
  fold_t fold; /* First: combine() gets its address. */
  const body_t *body;
  const element_t *arguments[CASE_RESULTS_MAX];
  const element_t *steps[BODY_STEPS_MAX];
  const implementation_model_t *schedule; /* With the fault; `fold` has what changes its leaves. */
  implementation_model_t outer;
  arena_t *arena;
  tuple_t *tuples;
  size_t count;
} written_fold_t;

static const format_t *working_format(const written_fold_t *fold, const element_t *element) {
  const format_t *wider = fold->schedule->accumulator;
  bool is_wider = wider != NULL && arithmetic_format_holds(wider, element->format);
  return is_wider ? wider : element->format;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

typedef struct frame {
  written_fold_t *fold;
  const tuple_t *arguments[2];
  scalar_t steps[BODY_STEPS_MAX];
  implementation_model_t schedule;
} frame_t;

static scalar_t value_of(const frame_t *frame, body_value_t value) {
  if (value.place == BODY_STEP) return frame->steps[value.number];
  return frame->arguments[value.place]->values[value.number];
}

static const element_t *type_of(const written_fold_t *fold, body_value_t value) {
  return value.place == BODY_STEP ? fold->steps[value.number] : fold->arguments[value.number];
}

static row_t row_of(frame_t *frame, body_value_t value) {
  double *number = ARENA_NEW_ARRAY(frame->fold->arena, double, 1);
  *number = value_of(frame, value).number;
  return (row_t){.count = 1, .values = number};
}

static const body_step_t *product_of(const frame_t *frame, body_value_t value) {
  if (!frame->schedule.fused || value.place != BODY_STEP) return NULL;
  const body_step_t *step = &frame->fold->body->steps[value.number];
  return step->op == BODY_multiply ? step : NULL;
}

/* A sum or a difference, of whose operands a product is not rounded where the model fuses. */
static row_t add(frame_t *frame, formula_t *formula, const body_step_t *step) {
  bool is_difference = step->op == BODY_subtract;
  const body_step_t *left = product_of(frame, step->operands[0]);
  const body_step_t *right = product_of(frame, step->operands[1]);
  row_t a = row_of(frame, step->operands[0]), b = row_of(frame, step->operands[1]);
  if (left != NULL) {
    row_t x = row_of(frame, left->operands[0]), y = row_of(frame, left->operands[1]);
    return formula_multiply_add(formula, x, y, is_difference ? formula_negate(formula, b) : b);
  }
  if (right != NULL) {
    row_t x = row_of(frame, right->operands[0]), y = row_of(frame, right->operands[1]);
    return formula_multiply_add(formula, is_difference ? formula_negate(formula, x) : x, y, a);
  }
  return is_difference ? formula_subtract(formula, a, b) : formula_add(formula, a, b);
}

static double float_step(frame_t *frame, const body_step_t *step, const element_t *element) {
  formula_t formula = {.evaluator = &model_evaluator,
                       .format = working_format(frame->fold, element),
                       .schedule = &frame->schedule,
                       .arena = frame->fold->arena};
  /* Functions of 16 bits are faithful. */
  if (formula.format->bits == 16) frame->schedule.function_ulps = 0;
  bool is_binary = body_op_table[step->op].operands == 2;
  row_t a = row_of(frame, step->operands[0]);
  row_t b = is_binary ? row_of(frame, step->operands[1]) : a;
  switch (step->op) {
    case BODY_add:
    case BODY_subtract:
      return add(frame, &formula, step).values[0];
    case BODY_multiply:
      return formula_multiply(&formula, a, b).values[0];
    case BODY_divide:
      return formula_divide(&formula, a, b).values[0];
    case BODY_maximum:
      return arithmetic_maximum(a.values[0], b.values[0]);
    case BODY_minimum:
      return arithmetic_minimum(a.values[0], b.values[0]);
    case BODY_negate:
      return -a.values[0];
    case BODY_abs:
      return fabs(a.values[0]);
    case BODY_sqrt:
      return formula_square_root(&formula, a).values[0];
    case BODY_rsqrt:
      return formula_inverse_square_root(&formula, a).values[0];
    case BODY_exponential:
      if (a.values[0] == 0) return 1; /* theory.md, A10. */
      return formula_function(&formula, ELEMENTARY_exp, a).values[0];
    case BODY_log:
      return formula_function(&formula, ELEMENTARY_log, a).values[0];
    case BODY_tanh:
      return formula_function(&formula, ELEMENTARY_tanh, a).values[0];
    default:
      g_assert_not_reached();
  }
}

/* Integers wrap; on booleans sums and maxima are OR, products and minima AND. */
static uint64_t integer_step(const frame_t *frame, const body_step_t *step,
                             const element_t *element) {
  uint64_t a = value_of(frame, step->operands[0]).bits;
  uint64_t b = value_of(frame, step->operands[1]).bits, mask = element_mask(element);
  bool is_boolean = element->kind == ELEMENT_BOOLEAN;
  bool is_signed = element->kind == ELEMENT_SIGNED;
  bool is_less =
      is_signed ? element_signed_value(element, a) < element_signed_value(element, b) : a < b;
  switch (step->op) {
    case BODY_add:
      return is_boolean ? a | b : (a + b) & mask;
    case BODY_subtract:
      return (a - b) & mask;
    case BODY_multiply:
      return is_boolean ? a & b : (a * b) & mask;
    case BODY_maximum:
      return is_less ? b : a;
    case BODY_minimum:
      return is_less ? a : b;
    case BODY_negate:
      return (0 - a) & mask;
    case BODY_abs:
      return element_signed_value(element, a) < 0 ? (0 - a) & mask : a;
    case BODY_and:
      return a & b;
    case BODY_or:
      return a | b;
    case BODY_xor:
      return a ^ b;
    case BODY_not:
      return ~a & mask;
    default:
      g_assert_not_reached();
  }
}

static bool compare(const frame_t *frame, const body_step_t *step) {
  const element_t *element = type_of(frame->fold, step->operands[0]);
  scalar_t a = value_of(frame, step->operands[0]), b = value_of(frame, step->operands[1]);
  bool is_less, is_greater, is_equal;
  if (element->format != NULL) {
    is_less = a.number < b.number;
    is_greater = a.number > b.number;
    is_equal = a.number == b.number;
  } else {
    bool is_signed = element->kind == ELEMENT_SIGNED;
    is_equal = a.bits == b.bits;
    is_less = is_signed
                  ? element_signed_value(element, a.bits) < element_signed_value(element, b.bits)
                  : a.bits < b.bits;
    is_greater = !is_less && !is_equal;
  }
  bool takes_ties = frame->schedule.fault == FAULT_body_ties_flipped;
  switch (step->op) {
    case BODY_compare_EQ:
      return is_equal;
    case BODY_compare_NE:
      return !is_equal;
    case BODY_compare_GE:
      return is_greater || is_equal;
    case BODY_compare_GT:
      return is_greater || (takes_ties && is_equal);
    case BODY_compare_LE:
      return is_less || is_equal;
    default:
      return is_less || (takes_ties && is_equal);
  }
}

static scalar_t constant_of(const written_fold_t *fold, const body_step_t *step) {
  if (step->element->format == NULL) return (scalar_t){.bits = step->bits};
  double value = format_to_double(step->element->format, step->bits);
  return (scalar_t){.number = format_round_double(working_format(fold, step->element), value)};
}

static scalar_t step_value(frame_t *frame, uint32_t number) {
  const body_step_t *step = &frame->fold->body->steps[number];
  const element_t *element = frame->fold->steps[number];
  switch (body_op_table[step->op].types) {
    case BODY_CONSTANT:
      return constant_of(frame->fold, step);
    case BODY_SELECTION:
      return value_of(frame, step->operands[value_of(frame, step->operands[0]).bits != 0 ? 1 : 2]);
    case BODY_COMPARISON:
      return (scalar_t){.bits = compare(frame, step)};
    default:
      if (element->format == NULL) return (scalar_t){.bits = integer_step(frame, step, element)};
      return (scalar_t){.number = float_step(frame, step, element)};
  }
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

static uint64_t add_tuple(written_fold_t *fold, const tuple_t *tuple) {
  fold->tuples[fold->count] = *tuple;
  return fold->count++;
}

static fold_value_t combine(const fold_t *base, fold_value_t left, fold_value_t right) {
  written_fold_t *fold = (written_fold_t *)(uintptr_t)base;
  const tuple_t a = fold->tuples[left.integer], b = fold->tuples[right.integer];
  frame_t frame = {.fold = fold, .arguments = {&a, &b}, .schedule = *fold->schedule};
  arena_mark_t mark = arena_mark(fold->arena);
  for (uint32_t i = 0; i < fold->body->step_count; i++) frame.steps[i] = step_value(&frame, i);
  arena_rewind(fold->arena, mark);
  tuple_t node;
  for (uint32_t i = 0; i < fold->body->result_count; i++) {
    bool is_stale = i > 0 && fold->schedule->fault == FAULT_body_result_stale;
    node.values[i] = is_stale ? a.values[i] : value_of(&frame, fold->body->results[i]);
  }
  return fold_integer(add_tuple(fold, &node));
}

/* ---- All ------------------------------------------------------------------------------------- */

/* Of faults of leaves, those that know only where these are. */
static bool concerns_places(fault_t fault) {
  static const fault_t faults[] = {
      FAULT_drop_last_term,   FAULT_drop_first_term,    FAULT_drop_tail,
      FAULT_repeat_last_term, FAULT_lost_update,        FAULT_neighbour_term,
      FAULT_init_twice,       FAULT_blocks_tail_lost,   FAULT_last_block_lost,
      FAULT_half_warps_lost,  FAULT_terms_of_one_block, FAULT_last_tile_overlaps,
      FAULT_boundary_twice,
  };
  for (size_t i = 0; i < G_N_ELEMENTS(faults); i++) {
    if (faults[i] == fault) return true;
  }
  return false;
}

static scalar_t load(const written_fold_t *fold, const tensor_t *tensor, size_t index) {
  const element_t *element = tensor->type.element;
  uint64_t bits = element_load(element, tensor->data, index);
  if (element->format == NULL) return (scalar_t){.bits = bits};
  double value = fault_load_float(fold->schedule->fault, element->format, bits);
  return (scalar_t){.number = format_round_double(working_format(fold, element), value)};
}

static fold_value_t load_tuple(written_fold_t *fold, const tensor_t *operands, size_t index) {
  tuple_t tuple;
  for (uint32_t i = 0; i < fold->body->result_count; i++) {
    tuple.values[i] = load(fold, &operands[i], index);
  }
  return fold_integer(add_tuple(fold, &tuple));
}

static void store(const written_fold_t *fold, const tuple_t *tuple, size_t output,
                  tensor_t *results) {
  for (uint32_t i = 0; i < fold->body->result_count; i++) {
    const element_t *element = fold->arguments[i];
    if (fault_skips_store(fold->schedule->fault, output, &results[i])) continue;
    uint64_t bits = element->format == NULL
                        ? tuple->values[i].bits
                        : format_from_double(element->format, tuple->values[i].number);
    element_store(element, results[i].data, output, bits);
  }
}

/* One body that starts from zeros takes them for a further term. */
static size_t add_zeros(written_fold_t *fold, fold_value_t *terms, size_t count) {
  if (fold->schedule->fault != FAULT_body_from_zeros || count == 0) return count;
  tuple_t zeros = {.values = {{.bits = 0}}};
  terms[count] = fold_integer(add_tuple(fold, &zeros));
  return count + 1;
}

status_t reduce_written_simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                                 tensor_t *inout_results) {
  const case_t *instance = call->instance;
  const program_t *program = &instance->program;
  written_fold_t fold = {.body = &reduce_attributes(program)->reduction.written,
                         .schedule = schedule,
                         .outer = *schedule,
                         .arena = call->arena};
  for (uint32_t i = 0; i < program->result_count; i++) {
    fold.arguments[i] = program->results[i].element;
  }
  bool is_typed = body_find_types(fold.body, fold.arguments, fold.steps);
  g_assert(is_typed); /* Else the program would not be modelled. */
  if (!concerns_places(schedule->fault)) fold.outer.fault = FAULT_NONE;
  STATUS_TRY(fold_make(FOLD_OR, element_named("i64"), NULL, &fold.outer, &fold.fold, call->error));
  fold.fold.combine = combine;
  if (reduce_has_no_init(program)) fold.fold.init_count = 0;
  reduce_slices_t slices = reduce_slices_make(program, call->arena);
  /* A tuple for each leaf and node: some faults add terms, and schedules initial values. */
  size_t leaves = slices.term_count + 64 + fold.fold.init_count;
  fold.tuples = ARENA_NEW_ARRAY(call->arena, tuple_t, 2 * leaves);
  fold_value_t *terms = fold_make_terms(&fold.fold, slices.term_count + 1, call->arena);
  const tensor_t *inits = &instance->operands[reduce_init_operand(program, 0)];
  for (size_t output = 0; output < slices.output_count; output++) {
    fold.count = 0;
    fold_value_t init = load_tuple(&fold, inits, 0);
    for (size_t i = 0; i < slices.term_count; i++) {
      size_t index = slices.output_base[output] + slices.term_offset[i];
      terms[i] = load_tuple(&fold, instance->operands, index);
    }
    size_t count = add_zeros(&fold, terms, slices.term_count);
    fold_value_t whole = fold_run(&fold.fold, init, terms, count, output);
    store(&fold, &fold.tuples[whole.integer], output, inout_results);
  }
  return STATUS_OK;
}
