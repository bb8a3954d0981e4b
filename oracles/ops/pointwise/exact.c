/* SPDX-License-Identifier: Apache-2.0 */
/* The exact oracle of the pointwise ops: floats by MPFR, rounded to odd where they are not exact
 * and then to the format (theory.md, T226); integers in 128 bits. */
#include <glib.h>
#include <math.h>

#include "generated/pointwise_permissions.h"
#include "oracles/copied.h"
#include "oracles/exact/sum/choice_set.h"
#include "oracles/exact/value_range.h"
#include "oracles/ops/pointwise/parts.h"

/* Holds products of two binary64 numbers, remainders, and two bits more than what is rounded. */
enum { PRECISION = 128 };

/* ---- Floats ---------------------------------------------------------------------------------- */

/* What was rounded toward zero, `ternary` not being 0, becomes odd. */
static void make_odd(mpfr_ptr value, int ternary) {
  if (ternary == 0 || !mpfr_regular_p(value) || mpfr_min_prec(value) == mpfr_get_prec(value))
    return;
  if (mpfr_sgn(value) > 0) {
    mpfr_nextabove(value);
  } else {
    mpfr_nextbelow(value);
  }
}

/* NaN if there is one; of zeros -0 is the less. */
static void take_extremum(bool is_maximum, mpfr_ptr out, mpfr_srcptr other) {
  if (mpfr_nan_p(out)) return;
  bool are_zeros = mpfr_zero_p(out) && mpfr_zero_p(other);
  bool is_greater =
      are_zeros ? mpfr_signbit(other) < mpfr_signbit(out) : mpfr_greater_p(other, out);
  bool is_less = are_zeros ? mpfr_signbit(other) > mpfr_signbit(out) : mpfr_less_p(other, out);
  if (mpfr_nan_p(other) || (is_maximum ? is_greater : is_less)) mpfr_set(out, other, MPFR_RNDN);
}

static void take_sign(mpfr_ptr value) {
  if (mpfr_nan_p(value) || mpfr_zero_p(value)) return;
  mpfr_set_si(value, mpfr_sgn(value), MPFR_RNDN);
}

/* x[0] becomes the result, or what rounds to it: for clamp x[1]. */
static mpfr_ptr compute(pointwise_t function, mpfr_t x[]) {
  switch (function) {
    case POINTWISE_DIVIDE:
      make_odd(x[0], mpfr_div(x[0], x[0], x[1], MPFR_RNDZ));
      return x[0];
    case POINTWISE_REMAINDER:
      mpfr_fmod(x[0], x[0], x[1], MPFR_RNDN);
      return x[0];
    case POINTWISE_SQRT:
      make_odd(x[0], mpfr_sqrt(x[0], x[0], MPFR_RNDZ));
      return x[0];
    case POINTWISE_ABS:
      mpfr_abs(x[0], x[0], MPFR_RNDN);
      return x[0];
    case POINTWISE_SIGN:
      take_sign(x[0]);
      return x[0];
    case POINTWISE_FLOOR:
      mpfr_floor(x[0], x[0]);
      return x[0];
    case POINTWISE_CEIL:
      mpfr_ceil(x[0], x[0]);
      return x[0];
    case POINTWISE_ROUND_EVEN:
      mpfr_roundeven(x[0], x[0]);
      return x[0];
    case POINTWISE_ROUND_AWAY:
      mpfr_round(x[0], x[0]);
      return x[0];
    default:
      take_extremum(true, x[1], x[0]);
      take_extremum(false, x[1], x[2]);
      return x[1];
  }
}

/* Of floats or booleans what the contract permits of one element. */
typedef struct question {
  const pointwise_step_t *step;
  const contract_t *contract;
  choice_set_t set;
  mpfr_t exact; /* Of the operands as they are. */
} question_t;

static bool flushes_outputs(const contract_t *contract) {
  return PERMITTED(contract, ftz) == FTZ_OUTPUTS || PERMITTED(contract, ftz) == FTZ_BOTH;
}

static void add_pattern(question_t *question, uint64_t bits, const char *by) {
  const format_t *format = question->step->element->format;
  if (format_has_nan(format) && format_is_nan(format, bits)) {
    question->set.nan = true;
  } else {
    choice_set_add(&question->set, bits, by);
  }
}

/* Adds a value, rounded; and where the contract permits that, the zero that it is flushed to. */
static void add_value(question_t *question, mpfr_srcptr value, const char *by) {
  const format_t *format = question->step->element->format;
  pointwise_t function = question->step->function;
  uint64_t bits = format_from_mpfr(format, value, ROUNDING_NEAREST_EVEN, OVERFLOW_FORMAT);
  bool is_rounding = function >= POINTWISE_FLOOR && function <= POINTWISE_ROUND_AWAY;
  bool is_missed =
      is_rounding && mpfr_number_p(value) && mpfr_cmp_d(value, format_to_double(format, bits)) != 0;
  bool is_unknown = !mpfr_number_p(value) && format->specials == FORMAT_FINITE;
  if (is_missed || is_unknown) question->set.any = true;
  add_pattern(question, bits, by);
  if (!flushes_outputs(question->contract) || !mpfr_is_tiny(value, format)) return;
  add_pattern(question, format_from_double(format, mpfr_signbit(value) ? -0.0 : 0.0),
              "subnormal result flushed");
}

/* x / y as the product with the rounded inverse of y, both rounded to `steps`. */
static void add_by_inverse(question_t *question, const format_t *steps, double x, double y) {
  mpfr_t value;
  mpfr_init2(value, PRECISION);
  mpfr_set_d(value, y, MPFR_RNDN);
  make_odd(value, mpfr_ui_div(value, 1, value, MPFR_RNDZ));
  uint64_t inverse = format_from_mpfr(steps, value, ROUNDING_NEAREST_EVEN, OVERFLOW_FORMAT);
  bool is_flushed = flushes_outputs(question->contract) && mpfr_is_tiny(value, steps);
  const double inverses[] = {format_to_double(steps, inverse), copysign(0, y)};
  for (int i = 0; i < (is_flushed ? 2 : 1); i++) {
    mpfr_set_d(value, x, MPFR_RNDN);
    mpfr_mul_d(value, value, inverses[i], MPFR_RNDN); /* Exact. */
    uint64_t product = format_from_mpfr(steps, value, ROUNDING_NEAREST_EVEN, OVERFLOW_FORMAT);
    bool is_converted = steps != question->step->element->format;
    if (is_converted) mpfr_set_d(value, format_to_double(steps, product), MPFR_RNDN);
    add_value(question, value, "division=reciprocal");
  }
  mpfr_clear(value);
}

static void add_quotients(question_t *question, const double x[]) {
  const format_t *format = question->step->element->format, *f32 = &format_table[FORMAT_f32];
  add_by_inverse(question, format, x[0], x[1]);
  if (format->bits < f32->bits) add_by_inverse(question, f32, x[0], x[1]);
}

/* One choice of which subnormal operands are flushed: those in the mask. */
static void add_variant(question_t *question, const uint64_t operands[], uint32_t flushed) {
  const pointwise_step_t *step = question->step;
  uint32_t count = pointwise_arity(step->function);
  double values[POINTWISE_OPERANDS_MAX];
  mpfr_t x[POINTWISE_OPERANDS_MAX];
  for (uint32_t i = 0; i < count; i++) {
    values[i] = format_to_double(step->element->format, operands[i]);
    if ((flushed >> i & 1) != 0) values[i] = copysign(0, values[i]);
    mpfr_init2(x[i], PRECISION);
    mpfr_set_d(x[i], values[i], MPFR_RNDN);
  }
  const char *by = flushed == 0 ? "" : "subnormal operand flushed";
  if (step->function == POINTWISE_COMPARE) {
    bool is_unordered = mpfr_unordered_p(x[0], x[1]) != 0;
    int sign = is_unordered ? 0 : mpfr_cmp(x[0], x[1]);
    choice_set_add(&question->set, pointwise_holds(step->direction, sign, is_unordered), by);
  } else {
    mpfr_srcptr value = compute(step->function, x);
    if (flushed == 0) mpfr_set(question->exact, value, MPFR_RNDN);
    add_value(question, value, by);
    bool by_inverse = PERMITTED(question->contract, division) == DIVISION_RECIPROCAL;
    if (step->function == POINTWISE_DIVIDE && by_inverse) add_quotients(question, values);
  }
  for (uint32_t i = 0; i < count; i++) mpfr_clear(x[i]);
}

static void question_init(question_t *question, const pointwise_step_t *step,
                          const uint64_t operands[], const contract_t *contract) {
  question->step = step;
  question->contract = contract;
  question->set.count = 0;
  question->set.nan = question->set.any = false;
  mpfr_init2(question->exact, PRECISION);
  mpfr_set_nan(question->exact);
  bool flushes = PERMITTED(contract, ftz) == FTZ_INPUTS || PERMITTED(contract, ftz) == FTZ_BOTH;
  uint32_t count = pointwise_arity(step->function), subnormals = 0;
  for (uint32_t i = 0; i < count && flushes; i++) {
    if (format_is_subnormal(step->element->format, operands[i])) subnormals |= 1u << i;
  }
  for (uint32_t mask = 0; mask < 1u << count; mask++) {
    if ((mask & ~subnormals) == 0) add_variant(question, operands, mask);
  }
  if (step->function != POINTWISE_COMPARE)
    choice_set_loosen(&question->set, step->element->format, contract);
}

static void decide_floats(const pointwise_step_t *step, const uint64_t operands[],
                          const contract_t *contract, uint64_t bits, answer_t *answer) {
  question_t question;
  question_init(&question, step, operands, contract);
  if (step->function == POINTWISE_COMPARE) {
    choice_set_judge(&question.set, element_named("i1"), bits, answer);
  } else {
    choice_set_judge(&question.set, step->element, bits, answer);
    mpfr_t magnitude;
    mpfr_init2(magnitude, PRECISION);
    mpfr_abs(magnitude, question.exact, MPFR_RNDN);
    bool is_known = mpfr_number_p(question.exact) && !question.set.nan && !question.set.any;
    if (is_known)
      choice_set_measure(&question.set, step->element->format, question.exact, magnitude, bits,
                         answer);
    mpfr_clear(magnitude);
  }
  mpfr_clear(question.exact);
}

/* ---- Integers -------------------------------------------------------------------------------- */

static __int128 value_of(const element_t *element, uint64_t bits) {
  return element->kind == ELEMENT_SIGNED ? element_signed_value(element, bits) : (__int128)bits;
}

/* Of booleans too, whose bits are numbers 0 and 1. */
static __int128 compute_bits(pointwise_t function, uint64_t a, uint64_t b) {
  uint64_t bits = 0;
  for (unsigned i = 0; i < 64; i++) {
    bool left = (a >> i & 1) != 0, right = (b >> i & 1) != 0, out;
    switch (function) {
      case POINTWISE_AND:
        out = left && right;
        break;
      case POINTWISE_OR:
        out = left || right;
        break;
      case POINTWISE_XOR:
        out = left != right;
        break;
      default:
        out = !left;
        break;
    }
    bits |= (uint64_t)out << i;
  }
  return (__int128)bits;
}

/* `is_unknown`: nothing is said of it. */
static __int128 compute_integer(const pointwise_step_t *step, const uint64_t operands[],
                                bool *out_is_unknown) {
  __int128 x[POINTWISE_OPERANDS_MAX] = {0};
  for (uint32_t i = 0; i < pointwise_arity(step->function); i++) {
    x[i] = value_of(step->element, operands[i]);
  }
  bool divides = step->function == POINTWISE_DIVIDE || step->function == POINTWISE_REMAINDER;
  *out_is_unknown = divides && x[1] == 0;
  if (*out_is_unknown) return 0;
  switch (step->function) {
    case POINTWISE_DIVIDE:
      return x[0] / x[1];
    case POINTWISE_REMAINDER:
      return x[0] % x[1];
    case POINTWISE_ABS:
      return x[0] < 0 ? -x[0] : x[0];
    case POINTWISE_SIGN:
      return (x[0] > 0) - (x[0] < 0);
    case POINTWISE_COMPARE:
      return pointwise_holds(step->direction, (x[0] > x[1]) - (x[0] < x[1]), false);
    case POINTWISE_CLAMP:
      return MIN(MAX(x[1], x[0]), x[2]);
    default:
      return compute_bits(step->function, operands[0], operands[1]);
  }
}

static void decide_integers(const pointwise_step_t *step, const element_t *result,
                            const uint64_t operands[], const contract_t *contract, uint64_t bits,
                            answer_t *answer) {
  choice_set_t set = {.count = 0};
  __int128 exact = compute_integer(step, operands, &set.any);
  bool is_arithmetic = step->function == POINTWISE_DIVIDE || step->function == POINTWISE_ABS;
  bool overflows = is_arithmetic && (exact < element_integer_min(result) ||
                                     exact > (__int128)element_integer_max(result));
  uint8_t overflow = PERMITTED(contract, integer_overflow);
  if (!overflows || overflow != INTEGER_OVERFLOW_SATURATE) {
    choice_set_add(&set, (uint64_t)(unsigned __int128)exact & element_mask(result), "");
  }
  if (overflows && overflow != INTEGER_OVERFLOW_WRAP) {
    choice_set_add(&set, element_integer_max(result), "saturated");
  }
  choice_set_judge(&set, result, bits, answer);
}

/* ---- The answer ------------------------------------------------------------------------------ */

static void load_operands(const case_t *instance, size_t component,
                          uint64_t out_operands[POINTWISE_OPERANDS_MAX]) {
  const program_t *program = &instance->program;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    const tensor_t *operand = &instance->operands[i];
    out_operands[i] =
        element_load(operand->type.element, operand->data, pointwise_place(program, i, component));
  }
}

status_t pointwise_decide(const oracle_call_t *call, uint32_t result, size_t component,
                          answer_t *out_answer) {
  const program_t *program = &call->instance->program;
  const pointwise_step_t step = pointwise_step_of(program);
  const element_t *element = call->results[result].type.element;
  uint64_t bits = element_load(element, call->results[result].data, component);
  uint64_t operands[POINTWISE_OPERANDS_MAX] = {0};
  load_operands(call->instance, component, operands);
  answer_t answer = {.conforms = false};
  if (step.function == POINTWISE_SELECT) {
    answer = copied_answer(element, call->contract, operands[operands[0] == 1 ? 1 : 2], bits);
  } else if (step.element->format != NULL) {
    decide_floats(&step, operands, call->contract, bits, &answer);
  } else {
    decide_integers(&step, element, operands, call->contract, bits, &answer);
  }
  *out_answer = answer;
  return STATUS_OK;
}

status_t pointwise_ranges(const oracle_call_t *call, uint32_t result, component_span_t span,
                          accepted_ranges_t *out_ranges) {
  const program_t *program = &call->instance->program;
  const format_t *format = program->results[result].element->format;
  const pointwise_step_t step = pointwise_step_of(program);
  bool is_listed = format != NULL && step.function != POINTWISE_SELECT;
  for (size_t i = 0; i < span.count; i++) {
    uint64_t operands[POINTWISE_OPERANDS_MAX] = {0};
    question_t question;
    out_ranges[i] = is_listed ? accepted_ranges_make(call->contract) : accepted_ranges_unknown();
    if (!is_listed) continue;
    load_operands(call->instance, span.first + i, operands);
    question_init(&question, &step, operands, call->contract);
    accepted_ranges_add_choices(&out_ranges[i], format, &question.set);
    mpfr_clear(question.exact);
  }
  return STATUS_OK;
}
