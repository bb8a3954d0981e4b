/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that the meaning of a declared op may call. */
#include <inttypes.h>

#include "oracles/ops/declared/op/made_steps.h"

/* ---- Calls ----------------------------------------------------------------------------------- */

typedef enum call_kind {
  CALL_FUNCTION,
  CALL_SQRT,
  CALL_RSQRT,
  CALL_LOGISTIC,
  CALL_MAX,
  CALL_MIN,
  CALL_STORED,
  CALL_NORMALIZED,
  CALL_EITHER,
  CALL_SUM,
  CALL_MEAN,
  CALL_ONLINE_SUM,
  CALL_STACK,
  CALL_COUNT,
  CALL_POSITION,
  CALL_SELECT,
  CALL_CONVERT,
  CALL_ROUND,
  CALL_REMAINDER,
  CALL_QUANTUM, /* Of a quantized operand or result by its name. */
  CALL_BITS,    /* Of integers and booleans. */
  CALL_SCATTER,
  CALL_QUANTIZE,
  CALL_DEQUANTIZE,
} call_kind_t;

typedef struct call_row {
  const char *name;
  call_kind_t kind;
  elementary_t function;
  uint8_t arguments;
  bool is_over;       /* It is taken over indices; */
  bool may_be_either; /* or, of two arguments, not. */
  step_kind_t step;   /* Of CALL_BITS, CALL_QUANTUM and CALL_SCATTER. */
} call_row_t;

static const call_row_t calls[] = {
    {"exp", CALL_FUNCTION, ELEMENTARY_exp, 1, false, false, STEP_OPERAND},
    {"exp2", CALL_FUNCTION, ELEMENTARY_exp2, 1, false, false, STEP_OPERAND},
    {"log", CALL_FUNCTION, ELEMENTARY_log, 1, false, false, STEP_OPERAND},
    {"erf", CALL_FUNCTION, ELEMENTARY_erf, 1, false, false, STEP_OPERAND},
    {"tanh", CALL_FUNCTION, ELEMENTARY_tanh, 1, false, false, STEP_OPERAND},
    {"sqrt", CALL_SQRT, ELEMENTARY_COUNT, 1, false, false, STEP_OPERAND},
    {"rsqrt", CALL_RSQRT, ELEMENTARY_COUNT, 1, false, false, STEP_OPERAND},
    {"logistic", CALL_LOGISTIC, ELEMENTARY_COUNT, 1, false, false, STEP_OPERAND},
    {"max", CALL_MAX, ELEMENTARY_COUNT, 1, true, true, STEP_OPERAND},
    {"min", CALL_MIN, ELEMENTARY_COUNT, 1, true, true, STEP_OPERAND},
    {"stored", CALL_STORED, ELEMENTARY_COUNT, 1, false, false, STEP_OPERAND},
    {"normalized", CALL_NORMALIZED, ELEMENTARY_COUNT, 1, false, false, STEP_OPERAND},
    {"either", CALL_EITHER, ELEMENTARY_COUNT, 2, false, false, STEP_OPERAND},
    {"sum", CALL_SUM, ELEMENTARY_COUNT, 1, true, false, STEP_OPERAND},
    {"mean", CALL_MEAN, ELEMENTARY_COUNT, 1, true, false, STEP_OPERAND},
    {"online_sum", CALL_ONLINE_SUM, ELEMENTARY_COUNT, 1, true, false, STEP_OPERAND},
    {"stack", CALL_STACK, ELEMENTARY_COUNT, 2, true, false, STEP_OPERAND},
    {"count", CALL_COUNT, ELEMENTARY_COUNT, 0, true, false, STEP_OPERAND},
    {"position", CALL_POSITION, ELEMENTARY_COUNT, 0, true, false, STEP_OPERAND},
    {"select", CALL_SELECT, ELEMENTARY_COUNT, 3, false, false, STEP_OPERAND},
    {"convert", CALL_CONVERT, ELEMENTARY_COUNT, 1, false, false, STEP_OPERAND},
    {"round", CALL_ROUND, ELEMENTARY_COUNT, 1, false, false, STEP_OPERAND},
    {"remainder", CALL_REMAINDER, ELEMENTARY_COUNT, 2, false, false, STEP_OPERAND},
    {"storage", CALL_QUANTUM, ELEMENTARY_COUNT, 0, false, false, STEP_STORAGE},
    {"scale", CALL_QUANTUM, ELEMENTARY_COUNT, 0, false, false, STEP_SCALE},
    {"zero_point", CALL_QUANTUM, ELEMENTARY_COUNT, 0, false, false, STEP_ZERO_POINT},
    {"scatter_add", CALL_SCATTER, ELEMENTARY_COUNT, 0, false, false, STEP_SCATTER_ADD},
    {"scatter", CALL_SCATTER, ELEMENTARY_COUNT, 0, false, false, STEP_SCATTER_REPLACE},
    {"quantize", CALL_QUANTIZE, ELEMENTARY_COUNT, 0, false, false, STEP_OPERAND},
    {"dequantize", CALL_DEQUANTIZE, ELEMENTARY_COUNT, 3, false, false, STEP_OPERAND},
    {"and", CALL_BITS, ELEMENTARY_COUNT, 2, false, false, STEP_AND},
    {"or", CALL_BITS, ELEMENTARY_COUNT, 2, false, false, STEP_OR},
    {"xor", CALL_BITS, ELEMENTARY_COUNT, 2, false, false, STEP_XOR},
    {"not", CALL_BITS, ELEMENTARY_COUNT, 1, false, false, STEP_NOT},
    {"shift_left", CALL_BITS, ELEMENTARY_COUNT, 2, false, false, STEP_SHIFT_LEFT},
    {"shift_right", CALL_BITS, ELEMENTARY_COUNT, 2, false, false, STEP_SHIFT_RIGHT},
};

enum { ARGUMENTS_MAX = 3 };

/* What stands between the parentheses of a call. */
typedef struct arguments {
  const char *at; /* The name of the function. */
  uint32_t count;
  uint16_t steps[ARGUMENTS_MAX];
  const element_t *type; /* Of a conversion. */
  bool has_over;
  uint32_t over;
  uint8_t index; /* The last of them. */
} arguments_t;

static status_t read_indices(reader_t *reader, arguments_t *arguments) {
  arguments->has_over = true;
  do {
    reader_skip_blanks(reader);
    const char *at = reader->scan.cursor;
    str_t word = reader_word(reader);
    int index = reader_find_index(reader, word);
    if (index < 0) {
      return reader_fail(reader, at,
                         "expected an index of the signature, found \"%.*s\"; name one as in "
                         "\"sum(x over N)\"",
                         STR_FORMAT(word));
    }
    arguments->over |= 1U << index;
    arguments->index = (uint8_t)index;
    reader_skip_blanks(reader);
  } while (scan_peek(&reader->scan) != ')' && !scan_at_end(&reader->scan));
  return STATUS_OK;
}

static status_t read_arguments(reader_t *reader, const call_row_t *row, arguments_t *arguments) {
  STATUS_TRY(reader_expect(reader, "("));
  if (row->kind == CALL_COUNT || row->kind == CALL_POSITION) {
    STATUS_TRY(read_indices(reader, arguments));
    return reader_expect(reader, ")");
  }
  if (row->kind == CALL_CONVERT || row->kind == CALL_ROUND) {
    STATUS_TRY(reader_expression(reader, &arguments->steps[arguments->count++]));
    STATUS_TRY(reader_expect(reader, ","));
    STATUS_TRY(reader_type_word(reader, &arguments->type));
    return reader_expect(reader, ")");
  }
  do {
    if (arguments->count == ARGUMENTS_MAX) return reader_fail_expecting(reader, "\")\"");
    STATUS_TRY(reader_expression(reader, &arguments->steps[arguments->count++]));
  } while (reader_accept(reader, ","));
  if (reader_accept(reader, "over ")) STATUS_TRY(read_indices(reader, arguments));
  return reader_expect(reader, ")");
}

static status_t check_arguments(const reader_t *reader, const call_row_t *row,
                                const arguments_t *arguments) {
  bool is_pair = row->may_be_either && !arguments->has_over;
  uint32_t wanted = is_pair ? 2 : row->arguments;
  if (row->is_over && !is_pair && !arguments->has_over) {
    return reader_fail(reader, arguments->at, "%s is taken over indices: \"%s(... over N)\"",
                       row->name, row->name);
  }
  if (!row->is_over && arguments->has_over) {
    return reader_fail(reader, arguments->at, "%s is taken of each number by itself: no \"over\"",
                       row->name);
  }
  if (arguments->count != wanted) {
    return reader_fail(reader, arguments->at, "%s has %" PRIu32 " argument%s here, not %" PRIu32,
                       row->name, wanted, wanted == 1 ? "" : "s", arguments->count);
  }
  bool is_fold = row->is_over && !is_pair && row->arguments == 1;
  if (!is_fold) return STATUS_OK;
  uint32_t strange = arguments->over & ~reader_step(reader, arguments->steps[0])->mask;
  for (uint32_t i = 0; i < reader->declaration->index_count; i++) {
    if ((strange >> i & 1) == 0) continue;
    return reader_fail(reader, arguments->at,
                       "the argument of %s does not run along %s; leave it out of \"over\"",
                       row->name, reader->declaration->indices[i].name);
  }
  return STATUS_OK;
}

static status_t add_stack(reader_t *reader, const arguments_t *arguments, uint16_t *out_step) {
  const declared_index_t *index = &reader->declaration->indices[arguments->index];
  uint32_t bit = 1U << arguments->index, a = arguments->steps[0], b = arguments->steps[1];
  uint32_t mask = reader->formula->steps[a].mask | reader->formula->steps[b].mask;
  if (index->fixed != 2 || arguments->over != bit || (mask & bit) != 0) {
    return reader_fail(reader, arguments->at,
                       "stack joins two values along one new index of size 2: \"index P = 2\" and "
                       "\"stack(a, b over P)\"");
  }
  return reader_add_step(reader,
                         (step_t){.kind = STEP_STACK,
                                  .a = (uint16_t)a,
                                  .b = (uint16_t)b,
                                  .index = arguments->index,
                                  .mask = mask | bit,
                                  .type = reader->formula->steps[a].type},
                         out_step);
}

/* "position(N)" */
static status_t add_position(reader_t *reader, const arguments_t *arguments, uint16_t *out_step) {
  const declared_index_t *index = &reader->declaration->indices[arguments->index];
  uint32_t bit = 1U << arguments->index;
  if (index->is_group || arguments->over != bit) {
    return reader_fail(reader, arguments->at,
                       "position is along one index, and no group of them: \"position(N)\"");
  }
  const step_t step = {
      .kind = STEP_INDEX, .index = arguments->index, .mask = bit, .type = element_named("i64")};
  return reader_add_step(reader, step, out_step);
}

static status_t add_select(reader_t *reader, arguments_t *arguments, uint16_t *out_step) {
  uint16_t *steps = arguments->steps;
  STATUS_TRY(reader_require_boolean(reader, arguments->at, "select", steps[0]));
  STATUS_TRY(reader_match(reader, arguments->at, "select", &steps[1], &steps[2]));
  uint32_t mask = 0;
  for (int i = 0; i < 3; i++) mask |= reader_step(reader, steps[i])->mask;
  const step_t step = {.kind = STEP_SELECT,
                       .a = steps[0],
                       .b = steps[1],
                       .c = steps[2],
                       .mask = mask,
                       .type = reader_step(reader, steps[1])->type};
  return reader_add_step(reader, step, out_step);
}

/* To floats of a type, to those of the program, or to integers. */
static status_t add_conversion(reader_t *reader, const arguments_t *arguments, uint16_t *out_step) {
  const element_t *to = arguments->type, *from = reader_step(reader, arguments->steps[0])->type;
  bool is_float = to == NULL || to->format != NULL;
  *out_step = arguments->steps[0];
  if (!is_float && to->kind == ELEMENT_BOOLEAN) {
    return reader_fail(reader, arguments->at, "nothing is converted to i1: write \"a != 0\"");
  }
  if (!is_float && reader_is_literal(reader, *out_step)) {
    return reader_literal(reader, arguments->at, to, out_step);
  }
  if (is_float ? from == NULL && to == NULL : from == to) return STATUS_OK;
  const step_t step = {.kind = STEP_CONVERT,
                       .a = *out_step,
                       .mask = reader_step(reader, *out_step)->mask,
                       .type = is_float ? NULL : to,
                       .format = to == NULL ? NULL : to->format};
  return reader_add_step(reader, step, out_step);
}

/* "round(a, i8)" */
static status_t add_rounding(reader_t *reader, const arguments_t *arguments, uint16_t *out_step) {
  const element_t *to = arguments->type;
  STATUS_TRY(reader_require_float(reader, arguments->at, "round", arguments->steps[0]));
  if (to == NULL || !element_is_integer(to)) {
    return reader_fail(reader, arguments->at,
                       "round gives integers: \"round(a, i32)\"; a float is rounded to a type of "
                       "floats by convert");
  }
  const step_t step = {.kind = STEP_ROUND,
                       .a = arguments->steps[0],
                       .mask = reader_step(reader, arguments->steps[0])->mask,
                       .type = to};
  return reader_add_step(reader, step, out_step);
}

static status_t add_remainder(reader_t *reader, arguments_t *arguments, uint16_t *out_step) {
  uint16_t *steps = arguments->steps;
  STATUS_TRY(reader_match(reader, arguments->at, "remainder", &steps[0], &steps[1]));
  STATUS_TRY(reader_require_integer(reader, arguments->at, "remainder", steps[0]));
  STATUS_TRY(reader_require_number(reader, arguments->at, "remainder", steps[0]));
  STATUS_TRY(reader_require_divisor(reader, arguments->at, steps[1]));
  return reader_add_binary(reader, STEP_REMAINDER, steps[0], steps[1], out_step);
}

static status_t add_bits(reader_t *reader, const call_row_t *row, arguments_t *arguments,
                         uint16_t *out_step) {
  uint16_t *steps = arguments->steps;
  if (row->arguments == 2) {
    STATUS_TRY(reader_match(reader, arguments->at, row->name, &steps[0], &steps[1]));
  }
  STATUS_TRY(reader_require_integer(reader, arguments->at, row->name, steps[0]));
  bool is_shift = row->step == STEP_SHIFT_LEFT || row->step == STEP_SHIFT_RIGHT;
  if (is_shift) STATUS_TRY(reader_require_number(reader, arguments->at, row->name, steps[0]));
  return row->arguments == 1 ? reader_add_unary(reader, row->step, steps[0], out_step)
                             : reader_add_binary(reader, row->step, steps[0], steps[1], out_step);
}

/* Those that are of floats alone, of two of the same type, or of no booleans. */
static status_t check_argument_types(reader_t *reader, const call_row_t *row,
                                     arguments_t *arguments) {
  const char *at = arguments->at;
  uint16_t *steps = arguments->steps;
  switch (row->kind) {
    case CALL_MAX:
    case CALL_MIN:
    case CALL_STACK:
    case CALL_EITHER:
      return arguments->count == 2 ? reader_match(reader, at, row->name, &steps[0], &steps[1])
                                   : STATUS_OK;
    case CALL_SUM:
      return reader_require_number(reader, at, row->name, steps[0]);
    case CALL_COUNT:
    case CALL_POSITION:
    case CALL_SELECT:
    case CALL_CONVERT:
    case CALL_ROUND:
    case CALL_REMAINDER:
    case CALL_QUANTUM:
    case CALL_BITS:
    case CALL_SCATTER:
    case CALL_QUANTIZE:
    case CALL_DEQUANTIZE:
      return STATUS_OK;
    default:
      for (uint32_t i = 0; i < arguments->count; i++) {
        STATUS_TRY(reader_require_float(reader, at, row->name, steps[i]));
      }
      return STATUS_OK;
  }
}

static status_t add_call(reader_t *reader, const call_row_t *row, arguments_t *arguments,
                         uint16_t *out_step) {
  STATUS_TRY(check_argument_types(reader, row, arguments));
  uint16_t a = arguments->steps[0], b = arguments->steps[1];
  switch (row->kind) {
    case CALL_FUNCTION:
      STATUS_TRY(reader_add_unary(reader, STEP_FUNCTION, a, out_step));
      reader->formula->steps[*out_step].function = row->function;
      return STATUS_OK;
    case CALL_SQRT:
      return reader_add_unary(reader, STEP_SQUARE_ROOT, a, out_step);
    case CALL_RSQRT:
      return reader_add_unary(reader, STEP_INVERSE_SQUARE_ROOT, a, out_step);
    case CALL_LOGISTIC:
      return reader_add_logistic(reader, a, out_step);
    case CALL_MAX:
      return arguments->has_over
                 ? reader_add_fold(reader, STEP_LARGEST, a, arguments->over, out_step)
                 : reader_add_binary(reader, STEP_MAXIMUM, a, b, out_step);
    case CALL_MIN:
      return arguments->has_over ? reader_add_smallest(reader, a, arguments->over, out_step)
                                 : reader_add_minimum(reader, a, b, out_step);
    case CALL_STORED:
      return reader_add_unary(reader, STEP_STORED, a, out_step);
    case CALL_NORMALIZED:
      reader->formula->has_normal = true;
      return reader_add_unary(reader, STEP_NORMALIZED, a, out_step);
    case CALL_EITHER:
      return reader_add_binary(reader, STEP_EITHER, a, b, out_step);
    case CALL_SUM:
      return reader_add_fold(reader, STEP_SUM, a, arguments->over, out_step);
    case CALL_MEAN:
      return reader_add_mean(reader, a, arguments->over, out_step);
    case CALL_ONLINE_SUM:
      reader->formula->is_running = true;
      return reader_add_fold(reader, STEP_ONLINE_SUM, a, arguments->over, out_step);
    case CALL_STACK:
      return add_stack(reader, arguments, out_step);
    case CALL_COUNT:
      return reader_add_counts(reader, arguments->over, out_step);
    case CALL_POSITION:
      return add_position(reader, arguments, out_step);
    case CALL_SELECT:
      return add_select(reader, arguments, out_step);
    case CALL_CONVERT:
      return add_conversion(reader, arguments, out_step);
    case CALL_ROUND:
      return add_rounding(reader, arguments, out_step);
    case CALL_REMAINDER:
      return add_remainder(reader, arguments, out_step);
    case CALL_DEQUANTIZE:
      return reader_add_dequantize(reader, arguments->at, arguments->steps, out_step);
    case CALL_QUANTUM: /* See reader_call(). */
    case CALL_SCATTER:
    case CALL_QUANTIZE:
      break;
    case CALL_BITS:
      return add_bits(reader, row, arguments, out_step);
  }
  g_assert_not_reached();
}

status_t reader_call(reader_t *reader, const char *at, str_t name, uint16_t *out_step) {
  g_autoptr(GString) known = g_string_new(NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(calls); i++) {
    g_string_append_printf(known, "%s%s", i == 0 ? "" : ", ", calls[i].name);
    if (!str_equal_text(name, calls[i].name)) continue;
    if (calls[i].kind == CALL_QUANTUM) return reader_quantum(reader, calls[i].step, out_step);
    if (calls[i].kind == CALL_SCATTER) return reader_scatter(reader, at, calls[i].step, out_step);
    if (calls[i].kind == CALL_QUANTIZE) return reader_quantize(reader, at, out_step);
    arguments_t arguments = {.at = at};
    STATUS_TRY(read_arguments(reader, &calls[i], &arguments));
    STATUS_TRY(check_arguments(reader, &calls[i], &arguments));
    return add_call(reader, &calls[i], &arguments, out_step);
  }
  return reader_fail(reader, at, "no function \"%.*s\"; there are %s", STR_FORMAT(name),
                     known->str);
}
