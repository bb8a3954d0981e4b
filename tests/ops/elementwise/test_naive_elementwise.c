/* SPDX-License-Identifier: Apache-2.0 */
/* The elementwise ops, evaluated naively: every element of drawn cases conforms with the naive bits
 * and with nothing near them. */
#include "tests/ops/naive_rational.h"
#include "tests/ops/quantize_experiment.h"

#ifdef ASSAY_SANITIZE
enum { PROGRAMS = 150 };
#else
enum { PROGRAMS = 800 };
#endif
enum { ELEMENTS = 40 };

static const char *const names[] = {
    "add", "subtract", "multiply", "maximum", "minimum", "negate", "shift_right_arithmetic"};
enum { ADD, SUBTRACT, MULTIPLY, MAXIMUM, MINIMUM, NEGATE, SHIFT };

static bool draw(rng_t *rng, size_t function, bool is_quantized, experiment_t *experiment) {
  g_autofree char *name = g_strdup_printf("stablehlo.%s", names[function]);
  const draw_limits_t draw_limits = {.rank_max = 2, .elements_max = ELEMENTS, .terms_max = 1};
  arena_init(&experiment->arena);
  program_t program = {0};
  check_find_op(name)->draw(rng, &draw_limits, &experiment->arena, &program);
  const type_t *type = &program.results[0];
  const element_t *element =
      type->quantization == NULL ? type->element : type->quantization->expressed;
  /* Complex products and extrema are several steps: test_naive_complex. */
  bool is_complex = element->kind == ELEMENT_COMPLEX && function >= MULTIPLY && function <= MINIMUM;
  bool has_zero = element->format == NULL || element->format->specials != FORMAT_EXPONENT_ONLY;
  experiment->instance = case_make(&experiment->arena, &program);
  naive_make_results(&program, &experiment->arena, experiment->results);
  program.op->draw_edges(rng, &experiment->instance);
  return has_zero && !is_complex && (type->quantization != NULL) == is_quantized;
}

static void fail(const experiment_t *experiment, size_t component, uint64_t bits, bool expected) {
  g_autoptr(GString) line = g_string_new(NULL);
  case_print(&experiment->instance, line);
  answer_t answer = question_decide(&experiment->question, 0, component, experiment->results);
  g_error("%s: component %zu: 0x%" G_GINT64_MODIFIER "x must%s conform; the oracle expects %s",
          line->str, component, bits, expected ? "" : " not", answer.expected);
}

static void check_bits(experiment_t *experiment, size_t component, uint64_t bits, bool expected) {
  if (conforms(experiment, component, bits) != expected)
    fail(experiment, component, bits, expected);
}

/* ---- Unquantized ----------------------------------------------------------------------------- */

static naive_value_t negated(naive_value_t value) {
  return (naive_value_t){
      .real = -value.real, .imaginary = -value.imaginary, .integer = -value.integer};
}

/* floor(value / 2^amount), one bit after the other; the highest bit counts as a sign. */
static __int128 naive_shift(const element_t *element, __int128 value, __int128 amount) {
  __int128 modulus = (__int128)1 << element->bits;
  if (value >= modulus / 2) value -= modulus;
  if (amount < 0) amount += modulus;
  for (int i = 0; i < 64 && i < amount; i++) value = (value - (value < 0 && value % 2 != 0)) / 2;
  return naive_fit(element, value, false);
}

static naive_value_t naive_extremum(const element_t *element, bool is_minimum, naive_value_t a,
                                    naive_value_t b) {
  if (element->format == NULL) {
    bool takes_left = is_minimum ? a.integer < b.integer : a.integer > b.integer;
    return takes_left ? a : b;
  }
  double sign = is_minimum ? -1 : 1;
  return (naive_value_t){.real = sign * naive_maximum_floats(sign * a.real, sign * b.real)};
}

/* Unsigned integers are negated as the signed ones of their patterns, so that they do not saturate
 * at 0. */
static naive_value_t naive_negate(const element_t *element, bool saturates, naive_value_t a) {
  naive_value_t value = negated(a);
  if (element->format != NULL) return value;
  __int128 half = (__int128)1 << (element->bits - 1);
  bool is_least = element->kind == ELEMENT_SIGNED ? a.integer == -half : a.integer == half;
  value.integer = naive_fit(element, is_least && saturates ? half - 1 : value.integer, false);
  return value;
}

static naive_value_t naive_function(size_t function, const element_t *element, bool saturates,
                                    naive_value_t a, naive_value_t b) {
  switch (function) {
    case ADD:
      return naive_add(element, saturates, a, b);
    case SUBTRACT:
      return naive_add(element, saturates, a, negated(b));
    case MULTIPLY:
      return naive_multiply(element, saturates, a, b);
    case MAXIMUM:
    case MINIMUM:
      return naive_extremum(element, function == MINIMUM, a, b);
    case NEGATE:
      return naive_negate(element, saturates, a);
    default:
      return (naive_value_t){.integer = naive_shift(element, a.integer, b.integer)};
  }
}

/* The naive bits, and not those next to them. */
static void check_component(experiment_t *experiment, size_t component, uint64_t bits) {
  const element_t *element = experiment->results[0].type.element;
  const format_t *format = element->format;
  check_bits(experiment, component, bits, true);
  if (element->kind == ELEMENT_BOOLEAN) {
    check_bits(experiment, component, bits ^ 1, false);
  } else if (format == NULL) {
    check_bits(experiment, component, (bits + 1) & element_mask(element), false);
    check_bits(experiment, component, (bits - 1) & element_mask(element), false);
  } else if (format_has_nan(format) && format_is_nan(format, bits)) {
    check_bits(experiment, component, format->largest_bits, false);
  } else {
    uint64_t up = format_next_up(format, bits), down = format_next_down(format, bits);
    if (up != bits) check_bits(experiment, component, up, false);
    if (down != bits) check_bits(experiment, component, down, false);
  }
}

static void check_elements(experiment_t *experiment, size_t function, bool saturates) {
  const tensor_t *operands = experiment->instance.operands;
  const element_t *element = experiment->results[0].type.element;
  uint32_t last = experiment->instance.program.operand_count - 1;
  tensor_t naive = tensor_make(&experiment->arena, &experiment->results[0].type);
  for (size_t i = 0; i < type_element_count(&naive.type); i++) {
    naive_value_t a = naive_load(&operands[0], i, element);
    naive_value_t b = naive_load(&operands[last], i, element);
    naive_store(&naive, i, naive_function(function, element, saturates, a, b));
  }
  for (size_t i = 0; i < type_component_count(&naive.type); i++) {
    check_component(experiment, i, element_load(element, naive.data, i));
  }
}

static void test_unquantized(void) {
  rng_t rng = rng_make(0xe1e);
  size_t checked = 0;
  for (size_t i = 0; i < PROGRAMS * G_N_ELEMENTS(names); i++) {
    bool saturates = rng_one_in(&rng, 2);
    const contract_t contract =
        contract_of(saturates ? "spec,integer_overflow=saturate,shift_amount=fill"
                              : "spec,integer_overflow=wrap,shift_amount=fill");
    experiment_t experiment;
    size_t function = i % G_N_ELEMENTS(names);
    if (draw(&rng, function, false, &experiment)) {
      experiment_decide_under(&experiment, &contract);
      check_elements(&experiment, function, saturates);
      checked++;
    }
    experiment_deinit(&experiment);
  }
  g_test_message("%zu cases", checked);
  g_assert_cmpuint(checked, >, (size_t)PROGRAMS * 2);
}

/* ---- Quantized ------------------------------------------------------------------------------- */

typedef struct parameters {
  double scale;
  int64_t zero_point, smallest, largest;
} parameters_t;

static parameters_t parameters_of(const type_t *type, size_t element) {
  const quantization_t *quantization = type->quantization;
  int64_t index[TYPE_RANK_MAX] = {0};
  check_unravel(type, element, index);
  int64_t at = quantization->axis == -1 ? 0 : index[quantization->axis];
  return (parameters_t){quantization->scales[at], quantization->zero_points[at],
                        quantization->storage_min, quantization->storage_max};
}

/* The steps of the formula as C has them. */
static bool formula_in_float(size_t function, const parameters_t parameters[3],
                             const int64_t stored[2], int64_t *out_stored) {
  float values[2];
  for (int i = 0; i < 2; i++) {
    float difference = (float)(stored[i] - parameters[i].zero_point);
    values[i] = difference * (float)parameters[i].scale;
  }
  float a = values[0], b = values[1], value = a;
  if (function == ADD) value = a + b;
  if (function == SUBTRACT) value = a - b;
  if (function == MULTIPLY) value = a * b;
  if (function == MAXIMUM) value = a > b ? a : b;
  if (function == MINIMUM) value = a < b ? a : b;
  if (function == NEGATE) value = -a;
  const parameters_t *to = &parameters[2];
  float quotient = value / (float)to->scale;
  float sum = quotient + (float)to->zero_point;
  if (isnan(sum)) return false;
  double clamped = CLAMP((double)sum, (double)to->smallest, (double)to->largest);
  *out_stored = (int64_t)nearbyint(clamped);
  return true;
}

/* The formula over the reals, rounded once. */
static int64_t formula_exactly(size_t function, const parameters_t parameters[3],
                               const int64_t stored[2]) {
  mpq_t a, b, factor;
  mpq_inits(a, b, factor, NULL);
  mpq_set_si(a, (long)(stored[0] - parameters[0].zero_point), 1);
  mpq_set_si(b, (long)(stored[1] - parameters[1].zero_point), 1);
  mpq_set_d(factor, parameters[0].scale);
  mpq_mul(a, a, factor);
  mpq_set_d(factor, parameters[1].scale);
  mpq_mul(b, b, factor);
  bool takes_right = function == MAXIMUM ? mpq_cmp(a, b) < 0 : mpq_cmp(a, b) > 0;
  if (function == ADD) mpq_add(a, a, b);
  if (function == SUBTRACT) mpq_sub(a, a, b);
  if (function == MULTIPLY) mpq_mul(a, a, b);
  if (function == NEGATE) mpq_neg(a, a);
  if ((function == MAXIMUM || function == MINIMUM) && takes_right) mpq_set(a, b);
  mpq_set_d(factor, parameters[2].scale);
  mpq_div(a, a, factor);
  mpq_set_si(factor, (long)parameters[2].zero_point, 1);
  mpq_add(a, a, factor);
  mpz_t whole;
  mpz_init(whole);
  rational_round(whole, a, TIES_EVEN);
  int64_t result = parameters[2].smallest;
  if (mpz_cmp_si(whole, (long)parameters[2].smallest) > 0) result = parameters[2].largest;
  bool is_within = mpz_cmp_si(whole, (long)parameters[2].smallest) > 0 &&
                   mpz_cmp_si(whole, (long)parameters[2].largest) < 0;
  if (is_within) result = mpz_get_si(whole);
  mpz_clear(whole);
  mpq_clears(a, b, factor, NULL);
  return result;
}

/* f32 has the ends of storage ranges of up to 16 bits: then nothing is left open. */
static bool is_plain(const type_t *type) {
  return type->quantization->expressed == element_named("f32") && type->element->bits <= 16;
}

static size_t check_quantized(experiment_t *experiment, size_t function, bool has_integers) {
  const case_t *instance = &experiment->instance;
  const type_t *result = &instance->program.results[0];
  uint32_t last = instance->program.operand_count - 1;
  size_t differ = 0;
  for (size_t i = 0; i < type_element_count(result); i++) {
    const parameters_t parameters[] = {parameters_of(&instance->operands[0].type, i),
                                       parameters_of(&instance->operands[last].type, i),
                                       parameters_of(result, i)};
    int64_t stored[2], by_formula;
    for (int k = 0; k < 2; k++) {
      const tensor_t *operand = &instance->operands[k == 0 ? 0 : last];
      uint64_t bits = element_load(operand->type.element, operand->data, i);
      stored[k] = element_signed_value(operand->type.element, bits);
    }
    int64_t exact = formula_exactly(function, parameters, stored);
    if (!formula_in_float(function, parameters, stored, &by_formula)) continue;
    differ += exact != by_formula;
    for (int64_t candidate = by_formula - 2; candidate <= by_formula + 2; candidate++) {
      uint64_t bits = (uint64_t)candidate & element_mask(result->element);
      if (element_signed_value(result->element, bits) != candidate) continue;
      bool expected = candidate == by_formula || (has_integers && candidate == exact);
      check_bits(experiment, i, bits, expected);
    }
  }
  return differ;
}

static void test_quantized(void) {
  rng_t rng = rng_make(0xe1f);
  size_t checked = 0, differ = 0;
  for (size_t i = 0; i < PROGRAMS * SHIFT; i++) {
    bool has_integers = rng_one_in(&rng, 2);
    const contract_t contract = contract_of(has_integers ? "spec" : "spec,quantized=dequantize");
    experiment_t experiment;
    size_t function = i % SHIFT;
    bool is_drawn = draw(&rng, function, true, &experiment);
    if (is_drawn && is_plain(&experiment.instance.program.results[0])) {
      experiment_decide_under(&experiment, &contract);
      differ += check_quantized(&experiment, function, has_integers);
      checked++;
    }
    experiment_deinit(&experiment);
  }
  g_test_message("%zu cases; exact results differ in %zu elements", checked, differ);
  g_assert_cmpuint(checked, >, (size_t)PROGRAMS / 2);
  g_assert_cmpuint(differ, >, PROGRAMS / 80);
}

/* ---- Permissions ----------------------------------------------------------------------------- */

typedef struct permission_row {
  const char *line;
  const char *contract;
  const char *bits; /* Of the one element: what conforms by that permission alone. */
} permission_row_t;

/* Each pattern conforms under its contract and not under the specification's strictest one. */
static const permission_row_t permission_rows[] = {
    {"stablehlo.add f32[1] f32[1] -> f32[1] : 3f800000 : 33c00000", "accum_rounding=rz",
     "3f800000"},
    {"stablehlo.add f32[1] f32[1] -> f32[1] : 00000001 : 00800000", "ftz=inputs", "00800000"},
    {"stablehlo.multiply f32[1] f32[1] -> f32[1] : 00800000 : 3f000000", "ftz=outputs", "00000000"},
    /* 2^-126 - 2^-150, which is below the smallest normal number and is rounded to it. */
    {"stablehlo.multiply f32[1] f32[1] -> f32[1] : 00800000 : 3f7fffff", "ftz=both", "00000000"},
    {"stablehlo.maximum f32[1] f32[1] -> f32[1] : 00000000 : 80000000", "zero_sign=any",
     "80000000"},
    {"stablehlo.add i8[1] i8[1] -> i8[1] : 7f : 01", "integer_overflow=saturate", "7f"},
    {"stablehlo.negate i8[1] -> i8[1] : 80", "integer_overflow=either", "7f"},
    {"stablehlo.shift_right_arithmetic i8[1] i8[1] -> i8[1] : 80 : 09", "shift_amount=any", "c0"},
    /* (1 + 2^-12)^2 - 1, whose square has 25 bits; the real part of (1 + 2^-12 + i)^2. */
    {"stablehlo.multiply complex<f32>[1] complex<f32>[1] -> complex<f32>[1] : 3f8008003f800000 : "
     "3f8008003f800000",
     "fma=yes", "3a000400"},
    {"stablehlo.multiply complex<f32>[1] complex<f32>[1] -> complex<f32>[1] : 3f8008003f800000 : "
     "3f8008003f800000",
     "accum_wider=yes", "3a000400"},
    {"stablehlo.multiply complex<f32>[1] complex<f32>[1] -> complex<f32>[1] : 0080000000000000 : "
     "3f00000000000000",
     "ftz=outputs", "00000000"},
    {"stablehlo.multiply complex<f32>[1] complex<f32>[1] -> complex<f32>[1] : 0000000100000000 : "
     "4b00000000000000",
     "ftz=inputs", "00000000"},
    /* 1 - 2^-25, which is 1 to nearest. */
    {"stablehlo.multiply complex<f32>[1] complex<f32>[1] -> complex<f32>[1] : 3f80000033000000 : "
     "3f8000003f800000",
     "accum_rounding=rz", "3f7fffff"},
    /* An infinity less 2^200, which a wider node holds; 2^-126 - 2^-152, which it holds and
       flushes. */
    {"stablehlo.multiply complex<f32>[1] complex<f32>[1] -> complex<f32>[1] : 7f80000071800000 : "
     "3f80000071800000",
     "accum_wider=yes", "7f800000"},
    {"stablehlo.multiply complex<f32>[1] complex<f32>[1] -> complex<f32>[1] : 2000000019800000 : "
     "2000000019800000",
     "ftz=outputs,accum_wider=yes", "00000000"},
    /* inf + i NaN is an infinity of C's, though the formula makes both parts NaN. */
    {"stablehlo.multiply complex<f32>[1] complex<f32>[1] -> complex<f32>[1] : 7f8000007fc00000 : "
     "3f80000000000000",
     "complex_infinity=recovered", "7f800000"},
    /* 257 is no number of bf16, but of f32. */
    {"stablehlo.add !quant.uniform<i16:bf16,0x1p+0>[1] !quant.uniform<i16:bf16,0x1p+0>[1] -> "
     "!quant.uniform<i16:bf16,0x1p+0>[1] : 0101 : 0000",
     "intermediate=wide", "0101"},
};

static const char strict_text[] =
    "spec,integer_overflow=wrap,shift_amount=fill,complex_infinity=formula,quantized=dequantize,"
    "rescale=exact";

static void test_permissions(void) {
  const contract_t strict = contract_of(strict_text);
  for (size_t i = 0; i < G_N_ELEMENTS(permission_rows); i++) {
    const permission_row_t *row = &permission_rows[i];
    experiment_t experiment;
    arena_init(&experiment.arena);
    failure_t error;
    status_t status =
        case_parse(str_from(row->line), &experiment.arena, &experiment.instance, NULL, &error);
    if (status != STATUS_OK) g_error("%s: %s", row->line, error.text);
    naive_make_results(&experiment.instance.program, &experiment.arena, experiment.results);
    uint64_t bits = g_ascii_strtoull(row->bits, NULL, 16);
    g_test_message("%s under %s", row->line, row->contract);
    experiment_decide_under(&experiment, &strict);
    check_bits(&experiment, 0, bits, false);
    g_autofree char *loose_text = g_strdup_printf("%s,%s", strict_text, row->contract);
    const contract_t loose = contract_of(loose_text);
    experiment_decide_under(&experiment, &loose);
    check_bits(&experiment, 0, bits, true);
    experiment_deinit(&experiment);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/naive_elementwise/unquantized", test_unquantized);
  g_test_add_func("/naive_elementwise/quantized", test_quantized);
  g_test_add_func("/naive_elementwise/permissions", test_permissions);
  return g_test_run();
}
