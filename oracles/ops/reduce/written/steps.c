/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a written body on sets: floats by the enclosed evaluator (theory.md, T60, T61),
 * integers and booleans pattern by pattern. */
#include <math.h>

#include "oracles/ops/reduce/written/values.h"

/* ---- Floats ---------------------------------------------------------------------------------- */

/* Adds what truncation makes of an end of an exact sum. */
static void add_truncated(const formula_t *formula, mpfr_srcptr end, enclosed_t *inout) {
  if (mpfr_inf_p(end)) return;
  uint64_t bits = format_from_mpfr(formula->format, end, ROUNDING_TOWARD_ZERO, OVERFLOW_SATURATE);
  enclosed_t *truncated = enclosed_new(formula->arena, 1);
  double value = format_to_double(formula->format, bits);
  enclosed_set_double(truncated, value == 0 ? copysign(0, mpfr_sgn(end)) : value);
  enclosed_unite(inout, truncated);
}

/* A sum: rounded, or truncated where the contract has that. */
static void round_sum(const formula_t *formula, enclosed_t *inout) {
  bool truncates = PERMITTED(formula->contract, accum_rounding) == ACCUM_ROUNDING_RZ;
  if (!truncates || !inout->has_finite) {
    enclosed_round(formula, inout, false);
    return;
  }
  enclosed_t *exact = enclosed_new(formula->arena, 1);
  enclosed_copy(exact, inout);
  enclosed_round(formula, inout, false);
  add_truncated(formula, exact->low, inout);
  add_truncated(formula, exact->high, inout);
}

static void set_magnitude(enclosed_t *out, const enclosed_t *a) {
  const uint8_t zeros = ENCLOSED_POSITIVE_ZERO | ENCLOSED_NEGATIVE_ZERO;
  const uint8_t infinities = ENCLOSED_POSITIVE_INFINITY | ENCLOSED_NEGATIVE_INFINITY;
  if (enclosed_has_negative(a)) {
    enclosed_set_negate(out, a);
  } else {
    enclosed_copy(out, a);
  }
  if (enclosed_has_negative(a) && enclosed_has_positive(a)) {
    if (mpfr_cmpabs(a->high, out->high) > 0) mpfr_set(out->high, a->high, MPFR_RNDU);
    mpfr_set_zero(out->low, 1);
  }
  out->specials = a->specials & ENCLOSED_NAN;
  if ((a->specials & infinities) != 0) out->specials |= ENCLOSED_POSITIVE_INFINITY;
  if ((a->specials & zeros) != 0) out->specials |= ENCLOSED_POSITIVE_ZERO;
}

static void set_smaller(const formula_t *formula, enclosed_t *out, const enclosed_t *a,
                        const enclosed_t *b) {
  enclosed_t *negated = enclosed_new(formula->arena, 3);
  enclosed_set_negate(&negated[0], a);
  enclosed_set_negate(&negated[1], b);
  enclosed_set_maximum(&negated[2], &negated[0], &negated[1]);
  enclosed_set_negate(out, &negated[2]);
}

static const enclosed_t *apply(formula_t *formula, elementary_t function, const enclosed_t *a) {
  enclosed_t *out = enclosed_new(formula->arena, 1);
  enclosed_apply(formula, function, out, a);
  return out;
}

static const enclosed_t *inverse_root(formula_t *formula, const enclosed_t *a) {
  enclosed_t *copy = enclosed_new(formula->arena, 1);
  enclosed_copy(copy, a);
  return formula_inverse_square_root(formula, (row_t){.count = 1, .enclosed = copy}).enclosed;
}

/* That of a zero is 1 (theory.md, A10). */
static const enclosed_t *exponential(formula_t *formula, const enclosed_t *a) {
  if (!enclosed_is_point(a) || !mpfr_zero_p(a->low)) return apply(formula, ELEMENTARY_exp, a);
  enclosed_t *out = enclosed_new(formula->arena, 1);
  enclosed_set_double(out, 1);
  return out;
}

/* `is_same`: both operands are one and the same number. */
static const enclosed_t *float_step(formula_t *formula, body_op_t op, const enclosed_t *a,
                                    const enclosed_t *b, bool is_same) {
  enclosed_t *out = enclosed_new(formula->arena, 1);
  switch (op) {
    case BODY_add:
      enclosed_set_add(out, a, b);
      round_sum(formula, out);
      return out;
    case BODY_subtract:
      enclosed_set_subtract(out, a, b);
      round_sum(formula, out);
      return out;
    case BODY_multiply: /* Who fuses does so in this step's body or in the next node's. */
      if (is_same) enclosed_set_square(out, a);
      if (!is_same) enclosed_set_multiply(out, a, b);
      enclosed_round(formula, out, PERMITTED(formula->contract, fma) == FMA_YES);
      return out;
    case BODY_divide:
      enclosed_set_divide(out, a, b);
      enclosed_round(formula, out, false);
      return out;
    case BODY_sqrt:
      enclosed_set_square_root(out, a);
      enclosed_round(formula, out, false);
      return out;
    case BODY_maximum:
      enclosed_set_maximum(out, a, b);
      return out;
    case BODY_minimum:
      set_smaller(formula, out, a, b);
      return out;
    case BODY_negate:
      enclosed_set_negate(out, a);
      return out;
    case BODY_abs:
      set_magnitude(out, a);
      return out;
    case BODY_rsqrt:
      return inverse_root(formula, a);
    case BODY_exponential:
      return exponential(formula, a);
    case BODY_log:
      return apply(formula, ELEMENTARY_log, a);
    case BODY_tanh:
      return apply(formula, ELEMENTARY_tanh, a);
    default:
      g_assert_not_reached();
  }
}

/* ---- Integers and booleans ------------------------------------------------------------------- */

__extension__ typedef __int128 wide_t;
__extension__ typedef unsigned __int128 unsigned_wide_t;

/* Of a type of integers: what wraps, and, if that is another number, the end that it is beyond. */
typedef struct outcome {
  uint64_t wrapped;
  bool overflows;
  bool is_below; /* Beyond the least one, else beyond the largest. */
} outcome_t;

static outcome_t of_wide(const element_t *element, wide_t value) {
  bool is_signed = element->kind == ELEMENT_SIGNED;
  wide_t least = is_signed ? element_integer_min(element) : 0;
  wide_t most = (wide_t)element_integer_max(element);
  return (outcome_t){.wrapped = (uint64_t)value & element_mask(element),
                     .overflows = value < least || value > most,
                     .is_below = value < least};
}

static outcome_t integer_outcome(body_op_t op, const element_t *element, uint64_t a, uint64_t b) {
  bool is_signed = element->kind == ELEMENT_SIGNED;
  wide_t x = is_signed ? element_signed_value(element, a) : (wide_t)a;
  wide_t y = is_signed ? element_signed_value(element, b) : (wide_t)b;
  switch (op) {
    case BODY_add:
      return of_wide(element, x + y);
    case BODY_subtract:
      return of_wide(element, x - y);
    case BODY_multiply: /* Of two of 64 bits, without sign: 128 bits, without overflow. */
      if (!is_signed) {
        unsigned_wide_t product = (unsigned_wide_t)a * b;
        return (outcome_t){.wrapped = (uint64_t)product & element_mask(element),
                           .overflows = product > element_integer_max(element)};
      }
      return of_wide(element, x * y);
    case BODY_maximum:
      return of_wide(element, x > y ? x : y);
    case BODY_minimum:
      return of_wide(element, x < y ? x : y);
    case BODY_negate:
      return of_wide(element, -x);
    case BODY_abs:
      return of_wide(element, x < 0 ? -x : x);
    default:
      g_assert_not_reached();
  }
}

static uint64_t bits_outcome(body_op_t op, const element_t *element, uint64_t a, uint64_t b) {
  switch (op) {
    case BODY_and:
    case BODY_multiply:
    case BODY_minimum:
      return a & b;
    case BODY_or:
    case BODY_add:
    case BODY_maximum:
      return a | b;
    case BODY_xor:
      return a ^ b;
    case BODY_not:
      return ~a & element_mask(element);
    default:
      g_assert_not_reached();
  }
}

/* The outcomes of one step so far. */
typedef struct outcomes {
  const written_problem_t *problem;
  body_op_t op;
  const element_t *element;
  bool has_any;
  written_value_t all;
} outcomes_t;

static void add_pattern(outcomes_t *outcomes, uint64_t bits) {
  const written_value_t one = written_value_pattern(bits);
  written_value_t *all = &outcomes->all;
  *all = outcomes->has_any ? written_value_unite(outcomes->problem, all, &one) : one;
  outcomes->has_any = true;
}

static void add_outcome(outcomes_t *outcomes, uint64_t a, uint64_t b) {
  body_op_t op = outcomes->op;
  const element_t *element = outcomes->element;
  bool is_bitwise = element->kind == ELEMENT_BOOLEAN || op == BODY_and || op == BODY_or ||
                    op == BODY_xor || op == BODY_not;
  if (is_bitwise) {
    add_pattern(outcomes, bits_outcome(op, element, a, b));
    return;
  }
  outcome_t outcome = integer_outcome(op, element, a, b);
  uint8_t rule = PERMITTED(outcomes->problem->contract, integer_overflow);
  if (!outcome.overflows || rule != INTEGER_OVERFLOW_SATURATE) {
    add_pattern(outcomes, outcome.wrapped);
  }
  if (!outcome.overflows || rule == INTEGER_OVERFLOW_WRAP) return;
  uint64_t end =
      outcome.is_below ? (uint64_t)element_integer_min(element) : element_integer_max(element);
  add_pattern(outcomes, end & element_mask(element));
}

static written_value_t integer_step(const written_problem_t *problem, body_op_t op,
                                    const element_t *element, const written_value_t *a,
                                    const written_value_t *b) {
  outcomes_t outcomes = {.problem = problem, .op = op, .element = element};
  if (a->count == 0 || (b != NULL && b->count == 0)) return outcomes.all;
  for (uint8_t i = 0; i < a->count; i++) {
    for (uint8_t k = 0; k < (b == NULL ? 1 : b->count); k++) {
      add_outcome(&outcomes, a->patterns[i], b == NULL ? 0 : b->patterns[k]);
      if (outcomes.all.count == 0) return outcomes.all; /* Too many to tell. */
    }
  }
  return outcomes.all;
}

/* ---- All ------------------------------------------------------------------------------------- */

static bool is_same_value(body_value_t a, body_value_t b) {
  return a.place == b.place && a.number == b.number;
}

written_value_t written_step(const written_problem_t *problem, uint32_t number,
                             const written_value_t operands[BODY_OPERANDS_MAX]) {
  const body_step_t *step = &problem->body->steps[number];
  const element_t *element = problem->steps[number];
  if (step->op == BODY_constant) return written_value_load(problem, element, step->bits);
  bool is_binary = body_op_table[step->op].operands == 2;
  if (element->format == NULL) {
    return integer_step(problem, step->op, element, &operands[0], is_binary ? &operands[1] : NULL);
  }
  formula_t formula = written_formula(problem, element);
  bool is_same = is_binary && is_same_value(step->operands[0], step->operands[1]);
  return (written_value_t){.number = float_step(&formula, step->op, operands[0].number,
                                                is_binary ? operands[1].number : NULL, is_same)};
}

/* ---- Comparisons ----------------------------------------------------------------------------- */

/* What two values may be to each other. */
enum { IS_LESS = 1, IS_EQUAL = 2, IS_GREATER = 4, IS_UNORDERED = 8 };

/* The ends of all that is no NaN, infinities included; false if there is nothing. */
static bool find_ends(const enclosed_t *set, mpfr_ptr low, mpfr_ptr high) {
  bool is_any = set->has_finite;
  if (is_any) {
    mpfr_set(low, set->low, MPFR_RNDD);
    mpfr_set(high, set->high, MPFR_RNDU);
  }
  if (enclosed_has_zero(set)) {
    if (!is_any || mpfr_sgn(low) > 0) mpfr_set_zero(low, 1);
    if (!is_any || mpfr_sgn(high) < 0) mpfr_set_zero(high, 1);
    is_any = true;
  }
  if ((set->specials & ENCLOSED_POSITIVE_INFINITY) != 0) {
    mpfr_set_inf(high, 1);
    if (!is_any) mpfr_set_inf(low, 1);
    is_any = true;
  }
  if ((set->specials & ENCLOSED_NEGATIVE_INFINITY) != 0) {
    mpfr_set_inf(low, -1);
    if (!is_any) mpfr_set_inf(high, -1);
    is_any = true;
  }
  return is_any;
}

static unsigned compare_numbers(const enclosed_t *a, const enclosed_t *b, bool is_same) {
  unsigned may = ((a->specials | b->specials) & ENCLOSED_NAN) != 0 ? IS_UNORDERED : 0;
  LOCAL_NUMBER(a_low);
  LOCAL_NUMBER(a_high);
  LOCAL_NUMBER(b_low);
  LOCAL_NUMBER(b_high);
  if (!find_ends(a, a_low, a_high) || !find_ends(b, b_low, b_high)) return may;
  if (is_same) return may | IS_EQUAL;
  if (mpfr_less_p(a_low, b_high)) may |= IS_LESS;
  if (mpfr_greater_p(a_high, b_low)) may |= IS_GREATER;
  if (mpfr_lessequal_p(a_low, b_high) && mpfr_lessequal_p(b_low, a_high)) may |= IS_EQUAL;
  return may;
}

static unsigned compare_patterns(const element_t *element, const written_value_t *a,
                                 const written_value_t *b, bool is_same) {
  if (is_same) return IS_EQUAL;
  if (a->count == 0 || b->count == 0) return IS_LESS | IS_EQUAL | IS_GREATER;
  unsigned may = 0;
  for (uint8_t i = 0; i < a->count; i++) {
    for (uint8_t k = 0; k < b->count; k++) {
      uint64_t x = a->patterns[i], y = b->patterns[k];
      bool is_less = element->kind == ELEMENT_SIGNED
                         ? element_signed_value(element, x) < element_signed_value(element, y)
                         : x < y;
      may |= x == y ? IS_EQUAL : is_less ? IS_LESS : IS_GREATER;
    }
  }
  return may;
}

unsigned written_compare(body_op_t op, const element_t *element, const written_value_t *a,
                         const written_value_t *b, bool is_same) {
  static const unsigned holds[BODY_OP_COUNT] = {
      [BODY_compare_EQ] = IS_EQUAL,
      [BODY_compare_NE] = IS_LESS | IS_GREATER | IS_UNORDERED,
      [BODY_compare_GE] = IS_EQUAL | IS_GREATER,
      [BODY_compare_GT] = IS_GREATER,
      [BODY_compare_LE] = IS_EQUAL | IS_LESS,
      [BODY_compare_LT] = IS_LESS,
  };
  unsigned may = element->format != NULL ? compare_numbers(a->number, b->number, is_same)
                                         : compare_patterns(element, a, b, is_same);
  return ((may & holds[op]) != 0 ? WRITTEN_TRUE : 0u) |
         ((may & ~holds[op]) != 0 ? WRITTEN_FALSE : 0u);
}
