/* SPDX-License-Identifier: Apache-2.0 */
/* The fast sets: one correctly rounded operation, integers that wrap around, and the formula of
 * quantized elements in the first arithmetic that is permitted; all else is what every contract
 * permits, but wrapping.  NaN stands for the pattern that the host has; others are asked about.
 * f32, f64 and quantized elements in f32 are loops without branches, which compilers make vector
 * code of. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "generated/elementwise_permissions.h"
#include "oracles/exact/quantum/quantize_simd.h"
#include "oracles/exact/sum/simd.h"
#include "oracles/ops/elementwise/parts.h"

enum { BLOCK = QUANTIZE_SIMD_BLOCK };

/* ---- Functions of blocks --------------------------------------------------------------------- */

/* Patterns decide between equal numbers: of zeros the sum of two is the larger, of their AND of
 * patterns -0 is left only of two; other equal numbers have one pattern. */
#define OPERATE(TYPE, name)                                                                        \
  static inline TYPE name##_larger(TYPE a, TYPE b) {                                               \
    TYPE equal = a + b == 0 ? a + b : a; /* Two zeros: -0 + -0 is -0, all other sums are +0. */    \
    TYPE larger = a > b ? a : a < b ? b : a == b ? equal : a + b;                                  \
    return larger;                                                                                 \
  }                                                                                                \
  static void name##_operate(elementwise_t function, const TYPE a[], const TYPE b[], size_t count, \
                             TYPE out[]) {                                                         \
    switch (function) {                                                                            \
      case ELEMENTWISE_ADD:                                                                        \
        for (size_t i = 0; i < count; i++) out[i] = a[i] + b[i];                                   \
        break;                                                                                     \
      case ELEMENTWISE_SUBTRACT:                                                                   \
        for (size_t i = 0; i < count; i++) out[i] = a[i] - b[i];                                   \
        break;                                                                                     \
      case ELEMENTWISE_MULTIPLY:                                                                   \
        for (size_t i = 0; i < count; i++) out[i] = a[i] * b[i];                                   \
        break;                                                                                     \
      case ELEMENTWISE_MAXIMUM:                                                                    \
        for (size_t i = 0; i < count; i++) out[i] = name##_larger(a[i], b[i]);                     \
        break;                                                                                     \
      case ELEMENTWISE_MINIMUM:                                                                    \
        for (size_t i = 0; i < count; i++) out[i] = -name##_larger(-a[i], -b[i]);                  \
        break;                                                                                     \
      default:                                                                                     \
        for (size_t i = 0; i < count; i++) out[i] = -a[i];                                         \
        break;                                                                                     \
    }                                                                                              \
  }
OPERATE(float, floats)
OPERATE(double, doubles)

/* In any format: operands are numbers of it, and so is what comes out. */
static void operate(elementwise_t function, const arithmetic_t *steps, const double a[],
                    const double b[], size_t count, double out[]) {
  doubles_operate(function, a, b, count, out);
  if (function >= ELEMENTWISE_MAXIMUM) return;
  for (size_t i = 0; i < count; i++) out[i] = arithmetic_round(steps, out[i]);
}

/* ---- Unquantized ----------------------------------------------------------------------------- */

/* The operands from component `begin`; that of a function of one twice. */
typedef struct operands {
  const uint8_t *left;
  const uint8_t *right;
} operands_t;

static operands_t operands_from(const case_t *instance, size_t begin) {
  const element_t *element = instance->operands[0].type.element;
  const tensor_t *last = &instance->operands[instance->program.operand_count - 1];
  size_t offset = begin * element->component_bytes;
  return (operands_t){instance->operands[0].data + offset, last->data + offset};
}

static void accept_f32(elementwise_t function, operands_t operands, size_t count, uint64_t *bits) {
  float a[BLOCK], b[BLOCK], out[BLOCK];
  uint32_t patterns[BLOCK];
  memcpy(a, operands.left, count * sizeof a[0]);
  memcpy(b, operands.right, count * sizeof b[0]);
  floats_operate(function, a, b, count, out);
  memcpy(patterns, out, count * sizeof out[0]);
  for (size_t i = 0; i < count; i++) bits[i] = patterns[i];
}

static void accept_f64(elementwise_t function, operands_t operands, size_t count, uint64_t *bits) {
  double a[BLOCK], b[BLOCK], out[BLOCK];
  memcpy(a, operands.left, count * sizeof a[0]);
  memcpy(b, operands.right, count * sizeof b[0]);
  doubles_operate(function, a, b, count, out);
  memcpy(bits, out, count * sizeof out[0]);
}

static void accept_floats(elementwise_t function, const element_t *element, operands_t operands,
                          size_t count, uint64_t *bits) {
  const format_t *format = element->format;
  const arithmetic_t steps = arithmetic_make(format);
  double a[BLOCK], b[BLOCK];
  for (size_t i = 0; i < count; i++) {
    a[i] = format_to_double(format, element_load(element, operands.left, i));
    b[i] = format_to_double(format, element_load(element, operands.right, i));
  }
  operate(function, &steps, a, b, count, a);
  for (size_t i = 0; i < count; i++) bits[i] = format_from_double(format, a[i]);
}

/* ---- Complex products and extrema ------------------------------------------------------------ */

/* Each operation rounded, as no contract forbids. */
#define MULTIPLY_PARTS(TYPE, name)                                                              \
  static void name##_multiply_parts(const TYPE a[], const TYPE b[], size_t count, TYPE out[]) { \
    for (size_t i = 0; i < count; i += 2) {                                                     \
      TYPE ac = a[i] * b[i], bd = a[i + 1] * b[i + 1];                                          \
      TYPE ad = a[i] * b[i + 1], bc = a[i + 1] * b[i];                                          \
      out[i] = ac - bd;                                                                         \
      out[i + 1] = ad + bc;                                                                     \
    }                                                                                           \
  }
MULTIPLY_PARTS(float, floats)
MULTIPLY_PARTS(double, doubles)

static void accept_products(const element_t *element, operands_t operands, size_t count,
                            uint64_t *bits) {
  if (element->format == &format_table[FORMAT_f32]) {
    float a[BLOCK], b[BLOCK], out[BLOCK];
    uint32_t patterns[BLOCK];
    memcpy(a, operands.left, count * sizeof a[0]);
    memcpy(b, operands.right, count * sizeof b[0]);
    floats_multiply_parts(a, b, count, out);
    memcpy(patterns, out, count * sizeof out[0]);
    for (size_t i = 0; i < count; i++) bits[i] = patterns[i];
  } else {
    double a[BLOCK], b[BLOCK], out[BLOCK];
    memcpy(a, operands.left, count * sizeof a[0]);
    memcpy(b, operands.right, count * sizeof b[0]);
    doubles_multiply_parts(a, b, count, out);
    memcpy(bits, out, count * sizeof out[0]);
  }
}

/* Where one operand is surely taken; others are asked about, both parts together. */
static void accept_lexicographic(bool is_maximum, const element_t *element, operands_t operands,
                                 size_t count, uint64_t *bits, uint8_t *decide) {
  for (size_t i = 0; i < count; i += 2) {
    uint64_t patterns[2][2];
    double values[2][2];
    for (size_t part = 0; part < 2; part++) {
      patterns[0][part] = element_load(element, operands.left, i + part);
      patterns[1][part] = element_load(element, operands.right, i + part);
      for (size_t k = 0; k < 2; k++) {
        values[k][part] = format_to_double(element->format, patterns[k][part]);
      }
    }
    unsigned taken = elementwise_lexicographic(is_maximum, values[0], values[1]);
    bool is_one = taken == ELEMENTWISE_LEFT || taken == ELEMENTWISE_RIGHT;
    for (size_t part = 0; part < 2; part++) {
      bits[i + part] = patterns[taken == ELEMENTWISE_RIGHT][part];
      decide[i + part] = !is_one;
    }
  }
}

/* Whether it is one of those, and done. */
static bool accept_complex(elementwise_t function, const element_t *element, operands_t operands,
                           size_t count, uint64_t *bits, uint8_t *decide) {
  if (element->kind != ELEMENT_COMPLEX) return false;
  if (function == ELEMENTWISE_MULTIPLY) {
    accept_products(element, operands, count, bits);
  } else if (function == ELEMENTWISE_MAXIMUM || function == ELEMENTWISE_MINIMUM) {
    accept_lexicographic(function == ELEMENTWISE_MAXIMUM, element, operands, count, bits, decide);
  } else {
    return false;
  }
  return true;
}

/* ---- Integers -------------------------------------------------------------------------------- */

static inline uint64_t extended(const element_t *element, bool is_signed, uint64_t bits) {
  unsigned unused = 64u - element->bits;
  return is_signed ? (uint64_t)((int64_t)(bits << unused) >> unused) : bits;
}

/* Whether the first of two extended patterns is the larger one. */
static inline bool is_larger(bool is_signed, uint64_t a, uint64_t b) {
  return is_signed ? (int64_t)a > (int64_t)b : a > b;
}

static inline uint64_t shift(const element_t *element, uint64_t left, uint64_t amount) {
  unsigned unused = 64u - element->bits;
  int64_t value = (int64_t)(left << unused) >> unused;
  return (uint64_t)(value >> MIN(amount, 63)); /* From the width on, all bits are the sign. */
}

static inline uint64_t operate_integers(elementwise_t function, const element_t *element,
                                        uint64_t a, uint64_t b) {
  bool is_signed = element->kind == ELEMENT_SIGNED;
  bool is_boolean = element->kind == ELEMENT_BOOLEAN;
  switch (function) {
    case ELEMENTWISE_ADD:
      return is_boolean ? a | b : a + b;
    case ELEMENTWISE_SUBTRACT:
      return a - b;
    case ELEMENTWISE_MULTIPLY:
      return a * b; /* Of booleans AND. */
    case ELEMENTWISE_MAXIMUM:
    case ELEMENTWISE_MINIMUM: {
      bool is_left =
          is_larger(is_signed, extended(element, is_signed, a), extended(element, is_signed, b));
      return is_left == (function == ELEMENTWISE_MAXIMUM) ? a : b;
    }
    case ELEMENTWISE_NEGATE:
      return 0 - a;
    default:
      return shift(element, a, b);
  }
}

/* What may be no result of every contract is asked about: sums and products where integers only
 * saturate, and shifts by amounts that a contract leaves open. */
static bool is_open(elementwise_t function, const element_t *element, const contract_t *contract,
                    uint64_t amount) {
  if (function == ELEMENTWISE_SHIFT_RIGHT_ARITHMETIC) {
    return PERMITTED(contract, shift_amount) != 0 && amount >= element->bits;
  }
  bool may_overflow = element_is_integer(element) && function != ELEMENTWISE_MAXIMUM &&
                      function != ELEMENTWISE_MINIMUM;
  return may_overflow && PERMITTED(contract, integer_overflow) == INTEGER_OVERFLOW_SATURATE;
}

static void accept_integers(const program_t *program, const contract_t *contract,
                            operands_t operands, size_t count, uint64_t *bits, uint8_t *decide) {
  elementwise_t function = elementwise_of(program);
  const element_t *element = program->results[0].element;
  uint64_t mask = element_mask(element);
  for (size_t i = 0; i < count; i++) {
    uint64_t a = element_load(element, operands.left, i);
    uint64_t b = element_load(element, operands.right, i);
    bits[i] = operate_integers(function, element, a, b) & mask;
    decide[i] = is_open(function, element, contract, b);
  }
}

/* ---- Quantized ------------------------------------------------------------------------------- */

typedef struct fast {
  const case_t *instance;
  const format_t *arithmetic;
  uint64_t *bits;
  uint8_t *decide;
} fast_t;

static void run_floats(void *context, size_t begin, size_t count) {
  const fast_t *fast = context;
  const program_t *program = &fast->instance->program;
  const tensor_t *operands = fast->instance->operands;
  float a[BLOCK], b[BLOCK], out[BLOCK];
  fast_dequantize_floats(&operands[0], begin, count, a);
  fast_dequantize_floats(&operands[program->operand_count - 1], begin, count, b);
  floats_operate(elementwise_of(program), a, b, count, out);
  const fast_quantizer_t quantizer =
      fast_quantizer_make(&program->results[0], fast->arithmetic, begin);
  fast_quantize_floats(&quantizer, out, count, fast->bits + begin, fast->decide + begin);
}

static void run_any(void *context, size_t begin, size_t count) {
  const fast_t *fast = context;
  const program_t *program = &fast->instance->program;
  const tensor_t *operands = fast->instance->operands;
  const fast_quantizer_t quantizer =
      fast_quantizer_make(&program->results[0], fast->arithmetic, begin);
  double a[BLOCK], b[BLOCK];
  fast_dequantize(&operands[0], &quantizer.steps, begin, count, a);
  fast_dequantize(&operands[program->operand_count - 1], &quantizer.steps, begin, count, b);
  operate(elementwise_of(program), &quantizer.steps, a, b, count, a);
  fast_quantize(&quantizer, a, count, fast->bits + begin, fast->decide + begin);
}

void elementwise_quantized_accept(const case_t *instance, const contract_t *contract,
                                  arena_t *arena, accept_t *out_accept) {
  const program_t *program = &instance->program;
  const type_t *result = &program->results[0];
  const type_t *types[] = {result, &program->operands[0],
                           &program->operands[program->operand_count - 1]};
  size_t count = type_element_count(result);
  if (!quantize_permits_letter(contract)) {
    *out_accept = accept_decide_all(count, arena);
    return;
  }
  fast_t fast = {.instance = instance,
                 .arithmetic = quantum_first_arithmetic(result, contract),
                 .bits = ARENA_NEW_ARRAY(arena, uint64_t, count),
                 .decide = ARENA_NEW_ARRAY(arena, uint8_t, count)};
  bool is_f32 = fast.arithmetic == &format_table[FORMAT_f32];
  quantize_simd_runs(types, G_N_ELEMENTS(types), is_f32 ? run_floats : run_any, &fast);
  *out_accept = (accept_t){.count = count, .bits = fast.bits, .decide = fast.decide};
}

/* ---- All ------------------------------------------------------------------------------------- */

static void accept_block(const case_t *instance, const contract_t *contract, size_t begin,
                         size_t count, uint64_t *bits, uint8_t *decide) {
  const element_t *element = instance->program.results[0].element;
  elementwise_t function = elementwise_of(&instance->program);
  operands_t operands = operands_from(instance, begin);
  if (element->format == NULL) {
    accept_integers(&instance->program, contract, operands, count, bits, decide);
    return;
  }
  memset(decide, 0, count);
  if (accept_complex(function, element, operands, count, bits, decide)) return;
  if (element->format == &format_table[FORMAT_f32]) {
    accept_f32(function, operands, count, bits);
  } else if (element->format == &format_table[FORMAT_f64]) {
    accept_f64(function, operands, count, bits);
  } else {
    accept_floats(function, element, operands, count, bits);
  }
}

status_t elementwise_accept(const oracle_call_t *call, accept_t out_accepts[CASE_RESULTS_MAX]) {
  const case_t *instance = call->instance;
  STATUS_TRY(elementwise_check(&instance->program, call->error));
  const type_t *result = &instance->program.results[0];
  if (result->quantization != NULL) {
    elementwise_quantized_accept(instance, call->contract, call->arena, &out_accepts[0]);
    return STATUS_OK;
  }
  size_t count = type_component_count(result);
  uint64_t *bits = ARENA_NEW_ARRAY(call->arena, uint64_t, count);
  uint8_t *decide = ARENA_NEW_ARRAY(call->arena, uint8_t, count);
  for (size_t begin = 0; begin < count; begin += BLOCK) {
    size_t block = MIN(count - begin, (size_t)BLOCK);
    accept_block(instance, call->contract, begin, block, bits + begin, decide + begin);
  }
  out_accepts[0] = (accept_t){.count = count, .bits = bits, .decide = decide};
  return STATUS_OK;
}
