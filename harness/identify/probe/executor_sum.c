/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a black-box sum of an executor: builds a reduce or dot_general program in which every
 * result element gets the same terms, rewrites only changed terms, and notes elements that add
 * differently. */
#include "harness/identify/probe/executor_sum.h"

#include <string.h>

#include "harness/identify/probe/random_terms.h"
#include "oracles/ops/dot_general/dot_general.h"
#include "oracles/ops/reduce/reduce.h"

/* Where the copies of each term lie in an operand. */
typedef struct placement {
  tensor_t *tensor;
  const size_t *term_offset;
  size_t *origins; /* Offsets of the copies. */
  size_t origin_count;
  uint64_t *patterns; /* By term: what the operand holds now. */
} placement_t;

struct executor_sum {
  black_box_sum_t black_box;
  executor_t *executor;
  executor_program_t *program;
  case_t instance;
  tensor_t result;
  placement_t left;
  placement_t right;
  size_t odd_element;
};

static void print_dims(const element_t *element, const int64_t *dims, size_t count, GString *text) {
  g_string_append_printf(text, "%s[", element->name);
  for (size_t i = 0; i < count; i++) {
    g_string_append_printf(text, "%s%" G_GINT64_FORMAT, i > 0 ? "," : "", dims[i]);
  }
  g_string_append_c(text, ']');
}

static void print_reduce(const sum_shape_t *shape, GString *text) {
  int64_t dims[3];
  int64_t kept[2];
  size_t rank = 0;
  size_t kept_rank = 0;
  if (shape->rows > 0) dims[rank++] = kept[kept_rank++] = shape->rows;
  size_t reduced = rank;
  dims[rank++] = shape->terms;
  if (shape->columns > 0) dims[rank++] = kept[kept_rank++] = shape->columns;
  g_string_append_printf(text, "stablehlo.reduce body=add dims=[%zu] ", reduced);
  print_dims(shape->left, dims, rank, text);
  g_string_append_printf(text, " %s[] -> ", shape->left->name);
  print_dims(shape->result, kept, kept_rank, text);
}

static void print_dot(const sum_shape_t *shape, GString *text) {
  int64_t left[3];
  int64_t right[3];
  int64_t result[3];
  size_t left_rank = 0;
  size_t right_rank = 0;
  size_t result_rank = 0;
  if (shape->batch > 0) {
    left[left_rank++] = right[right_rank++] = result[result_rank++] = shape->batch;
  }
  bool terms_first = shape->left_is_transposed || shape->rows == 0;
  size_t left_contracting = left_rank + (terms_first ? 0 : 1);
  if (terms_first) left[left_rank++] = shape->terms;
  if (shape->rows > 0) left[left_rank++] = result[result_rank++] = shape->rows;
  if (!terms_first) left[left_rank++] = shape->terms;
  bool columns_first = shape->right_is_transposed && shape->columns > 0;
  size_t right_contracting = right_rank + (columns_first ? 1 : 0);
  if (columns_first) right[right_rank++] = shape->columns;
  right[right_rank++] = shape->terms;
  if (shape->columns > 0) result[result_rank++] = shape->columns;
  if (!columns_first && shape->columns > 0) right[right_rank++] = shape->columns;
  const char *batch = shape->batch > 0 ? "batch=[0]x[0]" : "batch=[]x[]";
  g_string_append_printf(text, "stablehlo.dot_general %s contract=[%zu]x[%zu] ", batch,
                         left_contracting, right_contracting);
  print_dims(shape->left, left, left_rank, text);
  g_string_append_c(text, ' ');
  print_dims(shape->right, right, right_rank, text);
  g_string_append(text, " -> ");
  print_dims(shape->result, result, result_rank, text);
}

void sum_shape_print(const sum_shape_t *shape, GString *out_text) {
  if (shape->is_dot) {
    print_dot(shape, out_text);
  } else {
    print_reduce(shape, out_text);
  }
}

static status_t require_ok(executor_outcome_t outcome, const char *reason, failure_t *error) {
  switch (outcome) {
    case EXECUTOR_OK:
      return STATUS_OK;
    case EXECUTOR_REFUSED:
    case EXECUTOR_REJECTED:
      return status_fail(error, STATUS_UNSUPPORTED, "the executor refuses the program: %s", reason);
    case EXECUTOR_FAILED:
    case EXECUTOR_CRASHED:
    case EXECUTOR_ENDED:
    case EXECUTOR_TIMED_OUT:
    case EXECUTOR_GARBAGE:
      break;
  }
  return status_fail(error, STATUS_IO, "the executor failed: %s", reason);
}

static status_t execute(executor_sum_t *es, failure_t *error) {
  enum { POISON = 0xa5 };
  execution_t execution =
      executor_execute(es->executor, es->program, es->instance.operands, POISON, &es->result);
  return require_ok(execution.outcome, execution.reason, error);
}

/* Writes the terms to all their places. */
static void place(placement_t *placement, const double *values, size_t count) {
  const element_t *element = placement->tensor->type.element;
  for (size_t term = 0; term < count; term++) {
    uint64_t pattern = format_from_double(element->format, values[term]);
    if (pattern == placement->patterns[term]) continue;
    placement->patterns[term] = pattern;
    for (size_t i = 0; i < placement->origin_count; i++) {
      size_t index = placement->origins[i] + placement->term_offset[term];
      element_store(element, placement->tensor->data, index, pattern);
    }
  }
}

static void place_all(executor_sum_t *es, const double *left, const double *right, double init) {
  place(&es->left, left, es->black_box.term_count);
  if (right != NULL) {
    place(&es->right, right, es->black_box.term_count);
  } else {
    tensor_t *operand = &es->instance.operands[1];
    element_store(operand->type.element, operand->data, 0,
                  format_from_double(operand->type.element->format, init));
  }
}

static status_t run_executor(black_box_sum_t *black_box, const double *left, const double *right,
                             double init, uint64_t *out_bits, failure_t *error) {
  executor_sum_t *es = black_box->context;
  place_all(es, left, right, init);
  STATUS_TRY(execute(es, error));
  const element_t *element = es->result.type.element;
  uint64_t bits = element_load(element, es->result.data, 0);
  size_t count = type_element_count(&es->result.type);
  for (size_t i = 1; i < count && es->odd_element == 0; i++) {
    uint64_t other = element_load(element, es->result.data, i);
    if (!profile_same_bits(element->format, bits, other)) es->odd_element = i;
  }
  *out_bits = bits;
  return STATUS_OK;
}

static placement_t placement_make(tensor_t *tensor, const size_t *term_offset, size_t term_count,
                                  size_t origin_count, arena_t *arena) {
  placement_t placement = {.tensor = tensor,
                           .term_offset = term_offset,
                           .origins = ARENA_NEW_ARRAY(arena, size_t, origin_count),
                           .origin_count = origin_count,
                           .patterns = ARENA_NEW_ARRAY(arena, uint64_t, term_count)};
  memset(tensor->data, 0, type_bytes(&tensor->type));
  for (size_t i = 0; i < term_count; i++) placement.patterns[i] = 0;
  return placement;
}

/* All rows of the left operand, all columns of the right one, in all batches. */
static void place_dot(executor_sum_t *es, arena_t *arena) {
  dot_general_layout_t layout = dot_general_layout_make(&es->instance.program, arena);
  size_t rows = layout.row_count;
  size_t columns = layout.column_count;
  es->black_box.term_count = layout.term_count;
  es->left = placement_make(&es->instance.operands[DOT_GENERAL_LHS], layout.lhs_term_offset,
                            layout.term_count, layout.batch_count * rows, arena);
  es->right = placement_make(&es->instance.operands[DOT_GENERAL_RHS], layout.rhs_term_offset,
                             layout.term_count, layout.batch_count * columns, arena);
  for (size_t batch = 0; batch < layout.batch_count; batch++) {
    for (size_t row = 0; row < rows; row++) {
      es->left.origins[batch * rows + row] =
          layout.lhs_batch_offset[batch] + layout.lhs_row_offset[row];
    }
    for (size_t column = 0; column < columns; column++) {
      es->right.origins[batch * columns + column] =
          layout.rhs_batch_offset[batch] + layout.rhs_column_offset[column];
    }
  }
}

static void place_reduce(executor_sum_t *es, arena_t *arena) {
  reduce_slices_t slices = reduce_slices_make(&es->instance.program, arena);
  es->black_box.term_count = slices.term_count;
  es->left = placement_make(&es->instance.operands[0], slices.term_offset, slices.term_count,
                            slices.output_count, arena);
  memcpy(es->left.origins, slices.output_base, slices.output_count * sizeof(size_t));
}

status_t executor_sum_open(executor_t *executor, const sum_shape_t *shape, arena_t *arena,
                           executor_sum_t **out_sum, failure_t *error) {
  GString *text = g_string_new(NULL);
  sum_shape_print(shape, text);
  const char *line = arena_copy_text(arena, text->str, text->len);
  g_string_free(text, TRUE);
  program_t program;
  STATUS_TRY(program_parse(str_from(line), arena, &program, NULL, error));
  executor_sum_t *es = arena_alloc_zeroed(arena, sizeof *es);
  es->executor = executor;
  es->instance = case_make(arena, &program);
  es->result = tensor_make(arena, &program.results[0]);
  es->black_box = (black_box_sum_t){.takes_init = !shape->is_dot,
                                    .left = shape->left->format,
                                    .right = shape->is_dot ? shape->right->format : NULL,
                                    .result = shape->result->format,
                                    .op = program.op->name,
                                    .program_line = line,
                                    .sum = run_executor,
                                    .context = es,
                                    .calls_max = SIZE_MAX};
  if (shape->is_dot) {
    place_dot(es, arena);
  } else {
    place_reduce(es, arena);
  }
  char reason[ERROR_TEXT_BYTES] = "";
  executor_outcome_t outcome =
      executor_compile(executor, &es->instance.program, &es->program, reason, sizeof reason);
  STATUS_TRY(require_ok(outcome, reason, error));
  *out_sum = es;
  return STATUS_OK;
}

black_box_sum_t *executor_sum_black_box(executor_sum_t *es) { return &es->black_box; }

size_t executor_sum_odd_element(const executor_sum_t *black_box) { return black_box->odd_element; }

/* Fills an operand with terms of one regime. */
static void fill_operand(rng_t *rng, terms_regime_t regime, bool is_factor, tensor_t *tensor) {
  const element_t *element = tensor->type.element;
  size_t count = type_element_count(&tensor->type);
  double *values = g_new(double, count);
  random_terms(rng, regime, element->format, is_factor, values, count);
  for (size_t i = 0; i < count; i++) {
    element_store(element, tensor->data, i, format_from_double(element->format, values[i]));
  }
  g_free(values);
}

/* Compares the result with the prediction; returns how many elements agree. */
static size_t count_predicted(const executor_sum_t *es, const tensor_t *predicted,
                              size_t *out_first) {
  const element_t *element = es->result.type.element;
  size_t count = type_element_count(&es->result.type);
  size_t agreeing = 0;
  for (size_t i = count; i-- > 0;) {
    bool same = profile_same_bits(element->format, element_load(element, es->result.data, i),
                                  element_load(element, predicted->data, i));
    if (!same) *out_first = i;
    agreeing += same;
  }
  return agreeing;
}

/* What the operands held before is gone. */
static void forget_patterns(executor_sum_t *es) {
  placement_t *placements[] = {&es->left, &es->right};
  for (size_t i = 0; i < 2; i++) {
    if (placements[i]->tensor == NULL) continue;
    memset(placements[i]->tensor->data, 0, type_bytes(&placements[i]->tensor->type));
    memset(placements[i]->patterns, 0, es->black_box.term_count * sizeof(uint64_t));
  }
}

status_t executor_sum_check(executor_sum_t *black_box, const profile_t *profile,
                            const check_data_t *data, arena_t *arena, elements_check_t *out_check,
                            failure_t *error) {
  rng_t rng = rng_make(data->seed);
  elements_check_t check = {.checked = 0};
  const program_t *program = &black_box->instance.program;
  status_t status = STATUS_OK;
  for (size_t i = 0; i < data->count && status == STATUS_OK; i++) {
    terms_regime_t regime = (terms_regime_t)(i % TERMS_REGIMES);
    for (uint32_t k = 0; k < program->operand_count; k++) {
      fill_operand(&rng, regime, black_box->black_box.right != NULL,
                   &black_box->instance.operands[k]);
    }
    arena_mark_t mark = arena_mark(arena);
    tensor_t predicted;
    black_box->black_box.calls++;
    status = execute(black_box, error);
    if (status == STATUS_OK) {
      status = profile_predict_case(profile, &black_box->instance, arena, &predicted, error);
    }
    if (status == STATUS_OK) {
      size_t first = 0;
      size_t agreeing = count_predicted(black_box, &predicted, &first);
      size_t count = type_element_count(&black_box->result.type);
      check.checked += count;
      check.predicted += agreeing;
      if (agreeing < count && check.first_line == NULL) {
        GString *line = g_string_new(NULL);
        case_print(&black_box->instance, line);
        check.first_line = g_string_free(line, FALSE);
        check.first_element = first;
      }
    }
    arena_rewind(arena, mark);
  }
  forget_patterns(black_box);
  *out_check = check;
  return status;
}

void executor_sum_print_case(executor_sum_t *black_box, const double *left, const double *right,
                             double init, GString *out_text) {
  place_all(black_box, left, right, init);
  case_print(&black_box->instance, out_text);
}
