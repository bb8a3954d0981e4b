/* SPDX-License-Identifier: Apache-2.0 */
/* The exact oracle of unquantized elements: floats are computed exactly with MPFR and rounded
 * once, integers in 128 bits. */
#include <glib.h>
#include <math.h>

#include "generated/elementwise_permissions.h"
#include "oracles/exact/sum/choice_set.h"
#include "oracles/exact/value_range.h"
#include "oracles/ops/elementwise/parts.h"

status_t elementwise_check(const program_t *program, failure_t *error) {
  const type_t *type = &program->results[0];
  const element_t *element =
      type->quantization == NULL ? type->element : type->quantization->expressed;
  bool has_zero = element->format == NULL || element->format->specials != FORMAT_EXPONENT_ONLY;
  if (has_zero) return STATUS_OK;
  return status_fail(error, STATUS_UNSUPPORTED, "%s has no zero: no oracle for elements of it",
                     element->name);
}

/* ---- Floats ---------------------------------------------------------------------------------- */

/* Which of two numbers is the larger one: NaN if there is one, and -0 is less than +0. */
static bool is_larger(const mpfr_t a, const mpfr_t b) {
  if (mpfr_zero_p(a) && mpfr_zero_p(b)) return mpfr_signbit(a) < mpfr_signbit(b);
  return mpfr_greater_p(a, b) != 0;
}

static void apply_extremum(bool is_maximum, mpfr_t left, const mpfr_t right) {
  if (mpfr_nan_p(left)) return;
  bool takes_right = is_maximum ? is_larger(right, left) : is_larger(left, right);
  if (mpfr_nan_p(right) || takes_right) mpfr_set(left, right, MPFR_RNDN);
}

void elementwise_apply(elementwise_t function, mpfr_t inout_left, const mpfr_t right) {
  int ternary = 0;
  switch (function) {
    case ELEMENTWISE_ADD:
      ternary = mpfr_add(inout_left, inout_left, right, MPFR_RNDN);
      break;
    case ELEMENTWISE_SUBTRACT:
      ternary = mpfr_sub(inout_left, inout_left, right, MPFR_RNDN);
      break;
    case ELEMENTWISE_MULTIPLY:
      ternary = mpfr_mul(inout_left, inout_left, right, MPFR_RNDN);
      break;
    case ELEMENTWISE_NEGATE:
      ternary = mpfr_neg(inout_left, inout_left, MPFR_RNDN);
      break;
    default:
      apply_extremum(function == ELEMENTWISE_MAXIMUM, inout_left, right);
      break;
  }
  g_assert(ternary == 0);
}

double elementwise_rounded(elementwise_t function, const format_t *format, double left,
                           double right) {
  mpfr_t value, other;
  mpfr_inits2(exact_sum_precision(format), value, other, (mpfr_ptr)NULL);
  mpfr_set_d(value, left, MPFR_RNDN);
  mpfr_set_d(other, right, MPFR_RNDN);
  elementwise_apply(function, value, other);
  uint64_t bits = format_from_mpfr(format, value, ROUNDING_NEAREST_EVEN, OVERFLOW_FORMAT);
  mpfr_clears(value, other, (mpfr_ptr)NULL);
  return format_to_double(format, bits);
}

static void add_pattern(choice_set_t *set, const format_t *format, uint64_t bits, const char *by) {
  if (format_has_nan(format) && format_is_nan(format, bits)) {
    set->nan = true;
  } else {
    choice_set_add(set, bits, by);
  }
}

/* One exact value, rounded in the ways that the contract permits. */
static void add_rounded(choice_set_t *set, elementwise_t function, const format_t *format,
                        const mpfr_t value, const contract_t *contract, const char *by) {
  uint64_t nearest = format_from_mpfr(format, value, ROUNDING_NEAREST_EVEN, OVERFLOW_FORMAT);
  add_pattern(set, format, nearest, by);
  bool is_sum = function == ELEMENTWISE_ADD || function == ELEMENTWISE_SUBTRACT;
  if (!is_sum || PERMITTED(contract, accum_rounding) != ACCUM_ROUNDING_RZ || !mpfr_number_p(value))
    return;
  uint64_t inward = format_from_mpfr(format, value, ROUNDING_TOWARD_ZERO, OVERFLOW_SATURATE);
  add_pattern(set, format, inward, "accum_rounding=rz");
}

static void add_tiny(choice_set_t *set, const format_t *format, const mpfr_t value,
                     const contract_t *contract) {
  bool flushes = PERMITTED(contract, ftz) == FTZ_OUTPUTS || PERMITTED(contract, ftz) == FTZ_BOTH;
  if (!flushes || !mpfr_is_tiny(value, format)) return;
  double zero = mpfr_signbit(value) ? -0.0 : 0.0;
  add_pattern(set, format, format_from_double(format, zero), "subnormal result flushed");
}

/* The number of a pattern, and where the contract permits that also the zero of its sign. */
static int load_variants(const format_t *format, uint64_t bits, const contract_t *contract,
                         double out_values[2]) {
  out_values[0] = format_to_double(format, bits);
  out_values[1] = copysign(0, out_values[0]);
  bool flushes = PERMITTED(contract, ftz) == FTZ_INPUTS || PERMITTED(contract, ftz) == FTZ_BOTH;
  return flushes && format_is_subnormal(format, bits) ? 2 : 1;
}

/* What conforms of two operands, and how the exact result is measured. */
typedef struct float_choices {
  choice_set_t set;
  mpfr_t exact, magnitude; /* The latter of one term; of sums that of both. */
} float_choices_t;

static void float_choices_init(float_choices_t *choices, elementwise_t function,
                               const format_t *format, const uint64_t operands[2],
                               const contract_t *contract) {
  double lefts[2], rights[2];
  int left_count = load_variants(format, operands[0], contract, lefts);
  int right_count = load_variants(format, operands[1], contract, rights);
  mpfr_t value, other;
  mpfr_inits2(exact_sum_precision(format), value, other, choices->exact, choices->magnitude,
              (mpfr_ptr)NULL);
  choices->set.count = 0;
  choices->set.nan = choices->set.any = false;
  for (int i = 0; i < left_count * right_count; i++) {
    mpfr_set_d(value, lefts[i / right_count], MPFR_RNDN);
    mpfr_set_d(other, rights[i % right_count], MPFR_RNDN);
    elementwise_apply(function, value, other);
    if (i == 0) mpfr_set(choices->exact, value, MPFR_RNDN);
    add_rounded(&choices->set, function, format, value, contract,
                i == 0 ? "" : "subnormal operand flushed");
    if (function == ELEMENTWISE_MULTIPLY) add_tiny(&choices->set, format, value, contract);
  }
  choice_set_loosen(&choices->set, format, contract);
  bool is_sum = function == ELEMENTWISE_ADD || function == ELEMENTWISE_SUBTRACT;
  mpfr_abs(choices->magnitude, choices->exact, MPFR_RNDN);
  if (is_sum) {
    mpfr_set_d(value, fabs(lefts[0]), MPFR_RNDN);
    mpfr_set_d(other, fabs(rights[0]), MPFR_RNDN);
    mpfr_add(choices->magnitude, value, other, MPFR_RNDU);
  }
  mpfr_clears(value, other, (mpfr_ptr)NULL);
}

static void float_choices_deinit(float_choices_t *choices) {
  mpfr_clears(choices->exact, choices->magnitude, (mpfr_ptr)NULL);
}

static void decide_float(elementwise_t function, const element_t *element,
                         const uint64_t operands[2], const contract_t *contract, uint64_t bits,
                         answer_t *answer) {
  float_choices_t choices;
  float_choices_init(&choices, function, element->format, operands, contract);
  choice_set_judge(&choices.set, element, bits, answer);
  choice_set_measure(&choices.set, element->format, choices.exact, choices.magnitude, bits, answer);
  float_choices_deinit(&choices);
}

/* ---- Integers -------------------------------------------------------------------------------- */

static __int128 integer_value(const element_t *element, uint64_t bits) {
  if (element->kind == ELEMENT_SIGNED) return element_signed_value(element, bits);
  return (__int128)bits;
}

/* The value of the pattern in two's complement, whatever the type's sign. */
static int64_t signed_value(const element_t *element, uint64_t bits) {
  unsigned unused = 64u - element->bits;
  return (int64_t)(bits << unused) >> unused;
}

/* The exact result, which 128 bits hold but for products of ui64 beyond 2^127: those are as far
 * beyond the range, and low bits are the same. */
static __int128 exact_integer(elementwise_t function, const element_t *element, uint64_t left,
                              uint64_t right, uint64_t *out_low) {
  __int128 a = integer_value(element, left), b = integer_value(element, right), result = 0;
  switch (function) {
    case ELEMENTWISE_ADD:
      result = a + b;
      break;
    case ELEMENTWISE_SUBTRACT:
      result = a - b;
      break;
    case ELEMENTWISE_MULTIPLY:
      *out_low = left * right;
      if (element->kind == ELEMENT_SIGNED) return a * b;
      result = (__int128)(((unsigned __int128)a * (unsigned __int128)b) >> 1 >> 63);
      return result != 0 ? (__int128)1 << 64 : (__int128)(left * right);
    case ELEMENTWISE_MAXIMUM:
      result = MAX(a, b);
      break;
    default:
      result = MIN(a, b);
      break;
  }
  *out_low = (uint64_t)(unsigned __int128)result;
  return result;
}

static void add_integer(choice_set_t *set, const element_t *range, __int128 exact, uint64_t low,
                        const contract_t *contract) {
  __int128 least = element_integer_min(range), most = (__int128)element_integer_max(range);
  uint64_t wrapped = low & element_mask(range);
  bool overflows = exact < least || exact > most;
  if (!overflows || PERMITTED(contract, integer_overflow) != INTEGER_OVERFLOW_SATURATE) {
    choice_set_add(set, wrapped, "");
  }
  if (!overflows || PERMITTED(contract, integer_overflow) == INTEGER_OVERFLOW_WRAP) return;
  uint64_t end = (uint64_t)(unsigned __int128)(exact < least ? least : most);
  choice_set_add(set, end & element_mask(range), "saturated");
}

/* The sign of the left operand, the highest bit of unsigned ones too, fills from the left. */
static void add_shifted(choice_set_t *set, const element_t *element, uint64_t left, uint64_t right,
                        const contract_t *contract) {
  int64_t value = signed_value(element, left);
  bool is_in_range = right < element->bits;
  int64_t shifted = is_in_range ? value >> right : value < 0 ? -1 : 0;
  choice_set_add(set, (uint64_t)shifted & element_mask(element), "");
  set->any = !is_in_range && PERMITTED(contract, shift_amount) != 0;
}

/* Negation of unsigned integers is that of the signed ones with their patterns. */
static void add_negated(choice_set_t *set, const element_t *element, uint64_t operand,
                        const contract_t *contract) {
  int64_t value = signed_value(element, operand);
  uint64_t wrapped = (0 - (uint64_t)value) & element_mask(element);
  bool overflows = value < 0 && wrapped == operand;
  if (!overflows || PERMITTED(contract, integer_overflow) != INTEGER_OVERFLOW_SATURATE) {
    choice_set_add(set, wrapped, "");
  }
  if (!overflows || PERMITTED(contract, integer_overflow) == INTEGER_OVERFLOW_WRAP) return;
  choice_set_add(set, element_mask(element) >> 1, "saturated");
}

static choice_set_t integer_set(elementwise_t function, const element_t *element,
                                const uint64_t operands[2], const contract_t *contract) {
  choice_set_t set = {.count = 0};
  uint64_t left = operands[0], right = operands[1], low;
  if (element->kind == ELEMENT_BOOLEAN) {
    bool is_or = function == ELEMENTWISE_ADD || function == ELEMENTWISE_MAXIMUM;
    choice_set_add(&set, is_or ? left | right : left & right, "");
  } else if (function == ELEMENTWISE_SHIFT_RIGHT_ARITHMETIC) {
    add_shifted(&set, element, left, right, contract);
  } else if (function == ELEMENTWISE_NEGATE) {
    add_negated(&set, element, left, contract);
  } else {
    __int128 exact = exact_integer(function, element, left, right, &low);
    add_integer(&set, element, exact, low, contract);
  }
  return set;
}

/* ---- The answer ------------------------------------------------------------------------------ */

/* What was made of an amount out of range. */
static const char *name_shift(const element_t *element, const uint64_t operands[2], uint64_t bits) {
  int64_t value = signed_value(element, operands[0]);
  uint64_t mask = element_mask(element);
  if (bits == (value < 0 ? mask : 0)) return "filled with the sign";
  if (bits == ((uint64_t)(value >> operands[1] % element->bits) & mask)) {
    return "amount modulo the width";
  }
  return bits == operands[0] ? "not shifted" : bits == 0 ? "0" : "another integer";
}

static void decide_product(const case_t *instance, const contract_t *contract, size_t component,
                           const tensor_t *result, answer_t *out_answer) {
  const element_t *element = result->type.element;
  complex_pair_t pair;
  for (size_t i = 0; i < 4; i++) {
    uint64_t bits =
        element_load(element, instance->operands[i / 2].data, component - component % 2 + i % 2);
    double *number = i / 2 == 0 ? pair.left : pair.right;
    number[i % 2] = format_to_double(element->format, bits);
  }
  elementwise_product_decide(element->format, &pair, (int)(component % 2), contract,
                             element_load(element, result->data, component), out_answer);
}

static void load_operands(const case_t *instance, const element_t *element, size_t component,
                          uint64_t out_operands[2]) {
  for (uint32_t i = 0; i < 2; i++) {
    const tensor_t *operand = &instance->operands[i % instance->program.operand_count];
    out_operands[i] = element_load(element, operand->data, component);
  }
}

status_t elementwise_decide(const oracle_call_t *call, uint32_t result, size_t component,
                            answer_t *out_answer) {
  const case_t *instance = call->instance;
  STATUS_TRY(elementwise_check(&instance->program, call->error));
  const tensor_t *got = &call->results[result];
  answer_t answer = {.conforms = false};
  if (got->type.quantization != NULL) {
    elementwise_quantized_decide(instance, call->contract, component, got, out_answer);
    return STATUS_OK;
  }
  const element_t *element = got->type.element;
  elementwise_t function = elementwise_of(&instance->program);
  if (element->kind == ELEMENT_COMPLEX && function == ELEMENTWISE_MULTIPLY) {
    decide_product(instance, call->contract, component, got, out_answer);
    return STATUS_OK;
  }
  bool is_extremum = function == ELEMENTWISE_MAXIMUM || function == ELEMENTWISE_MINIMUM;
  if (element->kind == ELEMENT_COMPLEX && is_extremum) {
    elementwise_lexicographic_decide(instance, call->contract, component, got, out_answer);
    return STATUS_OK;
  }
  uint64_t bits = element_load(element, got->data, component), operands[2];
  load_operands(instance, element, component, operands);
  if (element->format != NULL) {
    decide_float(function, element, operands, call->contract, bits, &answer);
  } else {
    const choice_set_t set = integer_set(function, element, operands, call->contract);
    choice_set_judge(&set, element, bits, &answer);
    const char *name = set.any ? name_shift(element, operands, bits) : answer.observed;
    if (set.any) g_strlcpy(answer.observed, name, sizeof answer.observed);
  }
  *out_answer = answer;
  return STATUS_OK;
}

status_t elementwise_ranges(const oracle_call_t *call, uint32_t result, component_span_t span,
                            accepted_ranges_t *out_ranges) {
  const program_t *program = &call->instance->program;
  STATUS_TRY(elementwise_check(program, call->error));
  const type_t *type = &program->results[result];
  const elementwise_t function = elementwise_of(program);
  bool is_listed = type->quantization == NULL && type->element->format != NULL &&
                   type->element->kind != ELEMENT_COMPLEX;
  for (size_t i = 0; i < span.count; i++) {
    uint64_t operands[2];
    float_choices_t choices;
    out_ranges[i] = is_listed ? accepted_ranges_make(call->contract) : accepted_ranges_unknown();
    if (!is_listed) continue;
    load_operands(call->instance, type->element, span.first + i, operands);
    float_choices_init(&choices, function, type->element->format, operands, call->contract);
    accepted_ranges_add_choices(&out_ranges[i], type->element->format, &choices.set);
    float_choices_deinit(&choices);
  }
  return STATUS_OK;
}
