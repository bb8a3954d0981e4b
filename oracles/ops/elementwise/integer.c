/* SPDX-License-Identifier: Apache-2.0 */
/* Quantized elementwise ops in integer arithmetic, which quantized=integer permits: storage values
 * less their zero points are exact integers, and what the function makes of them is rescaled by
 * quotients of scales,
 *
 *   x = (q_l - z_l) s_l / s ± (q_r - z_r) s_r / s + z          (a product; the larger one; ...),
 *
 * and rounded to the nearest integer, ties to even.  Exact rationals (GMP) throughout.
 *
 * With rescale=float the quotients and all steps may be rounded to a float format of unit roundoff
 * u, and zero points may be multiplied out: of q_l s_l / s, -z_l s_l / s, ... each term then passes
 * through at most 8 roundings (two of its multiplier, one or two of integers, one or two of
 * products, the rest of additions, of which there are 4 at the most): theory.md, T43.  Where all
 * terms are multiples of one 2^g and the sum of their magnitudes is at most 2^(g + p), nothing
 * rounds at all (T17): a tie is one, and is rounded to even. */
#include <glib.h>
#include <gmp.h>
#include <limits.h>
#include <math.h>

#include "oracles/ops/elementwise/parts.h"

#include "generated/exact_permissions.h"

/* One exact value without the result's zero point, and the sum of its |terms| with that. */
typedef struct rescaled {
  mpq_t value;
  mpq_t magnitude;
  mpz_t integers; /* Sum of the magnitudes of all integers. */
  int grid;       /* All terms are multiples of 2^grid, if not NO_GRID. */
} rescaled_t;

enum { NO_GRID = INT_MIN };

static void rescaled_init(rescaled_t *rescaled) {
  mpq_inits(rescaled->value, rescaled->magnitude, NULL);
  mpz_init(rescaled->integers);
}

static void rescaled_deinit(rescaled_t *rescaled) {
  mpq_clears(rescaled->value, rescaled->magnitude, NULL);
  mpz_clear(rescaled->integers);
}

/* inout_value *= scale / divisor */
static void rescale(mpq_t inout_value, double scale, double divisor) {
  mpq_t factor;
  mpq_init(factor);
  mpq_set_d(factor, scale);
  mpq_mul(inout_value, inout_value, factor);
  mpq_set_d(factor, divisor);
  mpq_div(inout_value, inout_value, factor);
  mpq_clear(factor);
}

/* q - z, and |q| + |z|, not scaled yet. */
static double load_operand(const case_t *instance, uint32_t operand, size_t element,
                           rescaled_t *out_operand) {
  const tensor_t *tensor = &instance->operands[operand];
  const quantum_t quantum = quantum_of(&tensor->type, element);
  int64_t stored = quantum_load(tensor, element);
  mpq_set_si(out_operand->value, (long)(stored - quantum.zero_point), 1);
  mpq_set_si(out_operand->magnitude, (long)(ABS(stored) + ABS(quantum.zero_point)), 1);
  mpz_set(out_operand->integers, mpq_numref(out_operand->magnitude));
  return quantum.scale;
}

/* The function of two scaled operands, which inout_left becomes. */
static void operate(elementwise_t function, rescaled_t *inout_left, const rescaled_t *right) {
  bool is_sum = function == ELEMENTWISE_ADD || function == ELEMENTWISE_SUBTRACT;
  int order = mpq_cmp(inout_left->value, right->value);
  bool takes_right = function == ELEMENTWISE_MAXIMUM ? order < 0 : order > 0;
  if (function == ELEMENTWISE_ADD) {
    mpq_add(inout_left->value, inout_left->value, right->value);
  } else if (function == ELEMENTWISE_SUBTRACT) {
    mpq_sub(inout_left->value, inout_left->value, right->value);
  } else if (takes_right) {
    mpq_set(inout_left->value, right->value);
  }
  /* The larger of two is within the larger one of two errors. */
  if (is_sum) {
    mpq_add(inout_left->magnitude, inout_left->magnitude, right->magnitude);
  } else if (mpq_cmp(inout_left->magnitude, right->magnitude) < 0) {
    mpq_set(inout_left->magnitude, right->magnitude);
  }
  mpz_add(inout_left->integers, inout_left->integers, right->integers);
}

static void multiply(rescaled_t *inout_left, const rescaled_t *right) {
  mpq_mul(inout_left->value, inout_left->value, right->value);
  mpq_mul(inout_left->magnitude, inout_left->magnitude, right->magnitude);
  mpz_mul(inout_left->integers, inout_left->integers, right->integers);
}

/* The exponent of the lowest bit of a / b if that is a number of the format, else NO_GRID. */
static int grid_of_quotient(const format_t *format, const mpq_t a, const mpq_t b) {
  mpq_t quotient;
  mpq_init(quotient);
  mpq_div(quotient, a, b);
  mp_bitcnt_t divisor = mpz_scan1(mpq_denref(quotient), 0),
              low = mpz_scan1(mpq_numref(quotient), 0);
  size_t digits = mpz_sizeinbase(mpq_numref(quotient), 2);
  bool is_dyadic = mpz_sizeinbase(mpq_denref(quotient), 2) == divisor + 1;
  int lowest = (int)low - (int)divisor, highest = (int)digits - 1 - (int)divisor;
  mpq_clear(quotient);
  bool is_number = is_dyadic && highest - lowest < format->precision &&
                   highest <= format->exponent_max &&
                   lowest >= format->exponent_min - format->precision + 1;
  return is_number ? lowest : NO_GRID;
}

/* That of the multipliers: s_l / s and s_r / s, or of a product s_l s_r / s, whose parts must be
 * numbers in whatever order they are taken. */
static int find_grid(elementwise_t function, const format_t *format, const double scales[2],
                     double divisor) {
  mpq_t left, right, product, one, to;
  mpq_inits(left, right, product, one, to, NULL);
  mpq_set_d(left, scales[0]);
  mpq_set_d(right, scales[1]);
  mpq_mul(product, left, right);
  mpq_set_d(to, divisor);
  mpq_set_ui(one, 1, 1);
  int grid = grid_of_quotient(format, left, to), other = grid;
  if (elementwise_arity(function) == 2) other = grid_of_quotient(format, right, to);
  if (function == ELEMENTWISE_MULTIPLY) {
    bool is_exact =
        grid != NO_GRID && other != NO_GRID && grid_of_quotient(format, product, one) != NO_GRID;
    grid = other = is_exact ? grid_of_quotient(format, product, to) : NO_GRID;
  }
  mpq_clears(left, right, product, one, to, NULL);
  return MIN(MIN(grid, other), 0); /* The result's zero point is an integer. */
}

static void compute(const case_t *instance, size_t element, const quantum_t *to,
                    const format_t *arithmetic, rescaled_t *out_result) {
  elementwise_t function = elementwise_of(&instance->program);
  rescaled_t right;
  rescaled_init(&right);
  double scales[] = {load_operand(instance, 0, element, out_result), 1};
  if (elementwise_arity(function) == 2) scales[1] = load_operand(instance, 1, element, &right);
  out_result->grid = find_grid(function, arithmetic, scales, to->scale);
  if (function == ELEMENTWISE_MULTIPLY) {
    multiply(out_result, &right);
    rescale(out_result->value, scales[1], 1);
    rescale(out_result->magnitude, scales[1], 1);
  }
  rescale(out_result->value, scales[0], to->scale);
  rescale(out_result->magnitude, scales[0], to->scale);
  rescale(right.value, scales[1], to->scale);
  rescale(right.magnitude, scales[1], to->scale);
  if (function == ELEMENTWISE_NEGATE) {
    mpq_neg(out_result->value, out_result->value);
  } else if (function != ELEMENTWISE_MULTIPLY) {
    operate(function, out_result, &right);
  }
  mpq_set_si(right.magnitude, (long)ABS(to->zero_point), 1);
  mpq_add(out_result->magnitude, out_result->magnitude, right.magnitude);
  mpz_add(out_result->integers, out_result->integers, mpq_numref(right.magnitude));
  rescaled_deinit(&right);
}

/* Whether no step can round: see above.  Integers themselves are among the numbers. */
static bool is_exact(const rescaled_t *rescaled, const format_t *format) {
  if (rescaled->grid == NO_GRID) return false;
  mpz_t most;
  mpz_init_set_ui(most, 1);
  mpz_mul_2exp(most, most, format->precision);
  bool are_small = mpz_cmp(rescaled->integers, most) <= 0;
  mpq_t limit;
  mpq_init(limit);
  mpq_set_z(limit, most);
  mpq_div_2exp(limit, limit, (mp_bitcnt_t)-rescaled->grid);
  bool fits = mpq_cmp(rescaled->magnitude, limit) <= 0;
  mpq_clear(limit);
  mpz_clear(most);
  return are_small && fits;
}

/* gamma_8 of the magnitude, and what multipliers that underflow err by: theory.md, T43. */
static void bound_error(mpq_t out_error, const rescaled_t *rescaled, const format_t *arithmetic) {
  enum { ROUNDINGS = 8 };
  mpq_t small;
  mpq_init(small);
  mpq_set_ui(out_error, ROUNDINGS, (UINT64_C(1) << arithmetic->precision) - ROUNDINGS);
  mpq_canonicalize(out_error);
  mpq_mul(out_error, out_error, rescaled->magnitude);
  mpq_set_z(small, rescaled->integers);
  mpz_add_ui(mpq_numref(small), mpq_numref(small), ROUNDINGS);
  mpq_div_2exp(small, small, (mp_bitcnt_t)(arithmetic->precision - arithmetic->exponent_min));
  mpq_add(out_error, out_error, small);
  mpq_clear(small);
}

/* The integer nearest to a value, ties to even, plus `addend`, clamped. */
static int64_t nearest_stored(const mpq_t value, int64_t addend, const quantum_t *to) {
  mpz_t whole, rest; /* floor(value + 1/2) */
  mpz_inits(whole, rest, NULL);
  mpz_mul_2exp(whole, mpq_numref(value), 1);
  mpz_add(whole, whole, mpq_denref(value));
  mpz_mul_2exp(rest, mpq_denref(value), 1);
  mpz_fdiv_qr(whole, rest, whole, rest);
  if (mpz_sgn(rest) == 0 && mpz_odd_p(whole)) mpz_sub_ui(whole, whole, 1);
  mpz_set_si(rest, (long)addend);
  mpz_add(whole, whole, rest);
  int64_t stored = to->storage_min;
  if (mpz_cmp_si(whole, (long)to->storage_max) >= 0) {
    stored = to->storage_max;
  } else if (mpz_cmp_si(whole, (long)to->storage_min) > 0) {
    stored = mpz_get_si(whole);
  }
  mpz_clears(whole, rest, NULL);
  return stored;
}

/* Storage values between the two ends of value ± error, plus the zero point before the rounding to
 * integers or after it; and where they reach an end of the storage range, that end rounded. */
static void add_between(const mpq_t value, const mpq_t error, const quantum_t *to,
                        const format_t *arithmetic, stored_judgement_t *judgement) {
  mpq_t low, high, zero_point;
  mpq_inits(low, high, zero_point, NULL);
  mpq_sub(low, value, error);
  mpq_add(high, value, error);
  int64_t least = nearest_stored(low, to->zero_point, to);
  int64_t most = nearest_stored(high, to->zero_point, to);
  stored_judgement_add(judgement, least, most, "quantized=integer");
  mpq_set_si(zero_point, (long)to->zero_point, 1);
  mpq_add(low, low, zero_point);
  mpq_add(high, high, zero_point);
  least = MIN(least, nearest_stored(low, 0, to));
  most = MAX(most, nearest_stored(high, 0, to));
  stored_judgement_add(judgement, least, most, "quantized=integer");
  int64_t choices[QUANTUM_CHOICES_MAX];
  if (least == to->storage_min) {
    size_t count = quantum_choices_of_sum(to, arithmetic, -INFINITY, choices);
    stored_judgement_add_choices(judgement, count, choices, "quantized=integer");
  }
  if (most == to->storage_max) {
    size_t count = quantum_choices_of_sum(to, arithmetic, INFINITY, choices);
    stored_judgement_add_choices(judgement, count, choices, "quantized=integer");
  }
  mpq_clears(low, high, zero_point, NULL);
}

/* In every way of fixed point. */
static void add_fixed(const case_t *instance, size_t element, stored_judgement_t *judgement) {
  const program_t *program = &instance->program;
  const elementwise_fixed_t fixed = elementwise_fixed_of(program, element);
  size_t count = elementwise_fixed_choices(fixed.function);
  int64_t differences[2] = {0, 0};
  for (uint32_t i = 0; i < program->operand_count; i++) {
    const tensor_t *operand = &instance->operands[i];
    differences[i] =
        quantum_load(operand, element) - quantum_of(&operand->type, element).zero_point;
  }
  for (size_t choice = 0; choice < count; choice++) {
    int64_t stored = elementwise_fixed(&fixed, choice, differences[0], differences[1]);
    stored_judgement_add(judgement, stored, stored, "rescale=fixed");
  }
}

void elementwise_judge_integers(const case_t *instance, const contract_t *contract, size_t element,
                                stored_judgement_t *inout_judgement) {
  const type_t *result = &instance->program.results[0];
  const quantum_t to = quantum_of(result, element);
  bool is_f64 = result->quantization->expressed->format == &format_table[FORMAT_f64];
  const format_t *arithmetic = &format_table[is_f64 ? FORMAT_f64 : FORMAT_f32];
  rescaled_t rescaled;
  rescaled_init(&rescaled);
  compute(instance, element, &to, arithmetic, &rescaled);
  mpq_t error;
  mpq_init(error);
  uint8_t ways = PERMITTED(contract, rescale);
  if (ways == RESCALE_FLOAT || ways == RESCALE_EITHER) {
    if (!is_exact(&rescaled, arithmetic)) bound_error(error, &rescaled, arithmetic);
    add_between(rescaled.value, error, &to, arithmetic, inout_judgement);
  } else {
    if (PERMITTED(contract, quantize_zero_point) != 0) {
      int64_t stored = nearest_stored(rescaled.value, to.zero_point, &to);
      stored_judgement_add(inout_judgement, stored, stored, "quantize_zero_point=either");
    }
    mpq_set_si(error, (long)to.zero_point, 1);
    mpq_add(rescaled.value, rescaled.value, error);
    int64_t stored = nearest_stored(rescaled.value, 0, &to);
    stored_judgement_add(inout_judgement, stored, stored, "quantized=integer");
  }
  if (ways == RESCALE_FIXED || ways == RESCALE_EITHER) {
    add_fixed(instance, element, inout_judgement);
  }
  mpq_clear(error);
  rescaled_deinit(&rescaled);
}
