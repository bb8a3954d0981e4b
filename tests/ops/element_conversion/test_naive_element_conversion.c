/* SPDX-License-Identifier: Apache-2.0 */
/* stablehlo.convert, uniform_quantize and uniform_dequantize, evaluated naively with rationals:
 * every pair of element types, all patterns of 8 bits and less and hard ones of the others; drawn
 * quantizations, with data near the ties.  An element conforms exactly where it should. */
#include "harness/draw/special_values.h"
#include "tests/ops/naive_rational.h"
#include "tests/ops/quantize_experiment.h"

/* ---- Numbers --------------------------------------------------------------------------------- */

typedef enum naive_kind { KIND_NUMBER, KIND_INFINITE, KIND_NAN } naive_kind_t;

/* An extended rational; `negative` also tells the sign of zeros and infinities. */
typedef struct naive_number {
  naive_kind_t kind;
  bool negative;
  mpq_t value; /* Of KIND_NUMBER. */
} naive_number_t;

static void set_rational_double(naive_number_t *out, double value) {
  out->kind = isnan(value) ? KIND_NAN : isinf(value) ? KIND_INFINITE : KIND_NUMBER;
  out->negative = signbit(value) != 0;
  mpq_set_d(out->value, isfinite(value) ? value : 0);
}

static void set_rational_integer(naive_number_t *out, const element_t *element, uint64_t bits) {
  out->kind = KIND_NUMBER;
  int64_t value = element_signed_value(element, bits);
  bool is_signed = element->kind == ELEMENT_SIGNED;
  out->negative = is_signed && value < 0;
  if (is_signed) {
    mpq_set_si(out->value, (long)value, 1);
  } else {
    mpq_set_ui(out->value, bits, 1);
  }
}

static void load_rational(naive_number_t *out, const element_t *element, uint64_t bits) {
  if (element->format == NULL) {
    set_rational_integer(out, element, bits);
  } else {
    set_rational_double(out, format_to_double(element->format, bits));
  }
}

/* ---- convert --------------------------------------------------------------------------------- */

/* What an element may become: any pattern, any NaN, or some patterns. */
typedef struct admissible {
  bool any, nan;
  size_t count;
  uint64_t bits[2];
} admissible_t;

static void admit(admissible_t *admissible, uint64_t bits) {
  admissible->bits[admissible->count++] = bits;
}

static uint64_t bits_of_double(const format_t *format, double value) {
  return format_from_double(format, value);
}

/* Infinity or what there is in its place: contract `backend` takes the largest number too where
 * there is none. */
static void admit_overflow(admissible_t *admissible, const format_t *format, bool negative) {
  double largest = format_to_double(format, format->largest_bits);
  double sign = negative ? -1 : 1;
  admissible->nan = !format_has_infinity(format) && format_has_nan(format);
  double value = format_has_infinity(format) ? (double)INFINITY : largest;
  admit(admissible, bits_of_double(format, sign * value));
}

/* Under `spec` whatever is not exact may become anything. */
static admissible_t naive_to_float(const naive_number_t *number, const format_t *format,
                                   bool is_spec) {
  admissible_t admissible = {.count = 0};
  bool has_no_zero = format->specials == FORMAT_EXPONENT_ONLY;
  if (number->kind == KIND_NAN) {
    admissible.any = !format_has_nan(format);
    admissible.nan = format_has_nan(format);
    return admissible;
  }
  bool is_infinite = number->kind == KIND_INFINITE;
  bool is_zero = !is_infinite && mpq_sgn(number->value) == 0;
  if (has_no_zero && (is_zero || number->negative)) return (admissible_t){.any = true};
  if (is_infinite) {
    bool has_any = is_spec && !format_has_infinity(format);
    admissible.any = has_any || format->specials == FORMAT_FINITE;
    admit_overflow(&admissible, format, number->negative);
    return admissible;
  }
  mpq_t rounded;
  mpq_init(rounded);
  mpq_set(rounded, number->value);
  bool is_finite = rational_round_float(format, rounded);
  bool is_exact = is_finite && mpq_equal(rounded, number->value) != 0;
  admissible.any = is_spec && !is_exact;
  double value = mpq_get_d(rounded);
  if (is_finite) {
    bool is_negative = number->negative;
    admit(&admissible, bits_of_double(format, is_negative ? -fabs(value) : value));
  } else {
    admit_overflow(&admissible, format, number->negative);
  }
  mpq_clear(rounded);
  return admissible;
}

/* 1.5 times a power of two may become either neighbour, and what is below the smallest number
 * becomes that. */
static admissible_t naive_to_powers(const naive_number_t *number, const format_t *format,
                                    bool is_spec) {
  bool is_plain = number->kind == KIND_NUMBER && !number->negative && mpq_sgn(number->value) > 0;
  if (!is_plain) return naive_to_float(number, format, is_spec);
  admissible_t admissible = {.count = 0};
  long binade = rational_binade(number->value);
  mpq_t significand;
  mpq_init(significand);
  rational_scale(significand, number->value, -binade);
  int to_middle = mpq_cmp_ui(significand, 3, 2);
  bool is_power = mpq_cmp_ui(significand, 1, 1) == 0;
  mpq_clear(significand);
  long up = to_middle >= 0 ? binade + 1 : binade;
  admissible.any = is_spec && !(is_power && binade >= -127 && binade <= 127);
  if (up > 127) {
    admissible.nan = true;
    admit(&admissible, format->largest_bits);
  } else {
    admit(&admissible, bits_of_double(format, ldexp(1, (int)MAX(up, -127L))));
    if (to_middle == 0) {
      admit(&admissible, bits_of_double(format, ldexp(1, (int)MAX(binade, -127L))));
    }
  }
  return admissible;
}

static admissible_t naive_to_integer(const naive_number_t *number, const element_t *from,
                                     const element_t *to, bool is_spec) {
  admissible_t admissible = {.count = 0};
  bool is_number = number->kind == KIND_NUMBER;
  if (to->kind == ELEMENT_BOOLEAN) {
    admit(&admissible, !is_number || mpq_sgn(number->value) != 0);
    return admissible;
  }
  if (!is_number) return (admissible_t){.any = true};
  mpz_t whole, low, high;
  mpz_inits(whole, low, high, NULL);
  mpz_tdiv_q(whole, mpq_numref(number->value), mpq_denref(number->value));
  mpz_set_si(low, (long)element_integer_min(to));
  mpz_set_ui(high, element_integer_max(to));
  bool fits = mpz_cmp(whole, low) >= 0 && mpz_cmp(whole, high) <= 0;
  admissible.any = !fits && (from->format != NULL || is_spec);
  mpz_fdiv_r_2exp(whole, whole, to->bits); /* As two's complement wraps. */
  if (fits || from->format == NULL) admit(&admissible, mpz_get_ui(whole));
  mpz_clears(whole, low, high, NULL);
  return admissible;
}

static admissible_t convert_naively(const element_t *from, const element_t *to, uint64_t bits,
                                    bool is_spec) {
  naive_number_t number;
  mpq_init(number.value);
  load_rational(&number, from, bits);
  bool is_powers = to->format != NULL && to->format->specials == FORMAT_EXPONENT_ONLY;
  admissible_t admissible = is_powers            ? naive_to_powers(&number, to->format, is_spec)
                            : to->format != NULL ? naive_to_float(&number, to->format, is_spec)
                                                 : naive_to_integer(&number, from, to, is_spec);
  mpq_clear(number.value);
  return admissible;
}

static bool admits(const admissible_t *admissible, const element_t *element, uint64_t bits) {
  bool is_nan = element->format != NULL && format_is_nan(element->format, bits);
  bool is_there = admissible->any || (admissible->nan && is_nan);
  for (size_t i = 0; i < admissible->count; i++) {
    is_there = is_there || admissible->bits[i] == bits;
  }
  return is_there;
}

static void fail(const experiment_t *experiment, size_t element, uint64_t bits, bool is_admitted) {
  g_autoptr(GString) line = g_string_new(NULL);
  program_print(&experiment->instance.program, line);
  const tensor_t *operand = &experiment->instance.operands[0];
  answer_t answer = question_decide(&experiment->question, 0, element, experiment->results);
  g_error("%s: element %zu, 0x%" G_GINT64_MODIFIER "x: 0x%" G_GINT64_MODIFIER
          "x conforms: %d; the oracle expects %s",
          line->str, element, element_load(operand->type.element, operand->data, element), bits,
          is_admitted, answer.expected);
}

/* Patterns near what is admissible, and others. */
static void check_element(experiment_t *experiment, rng_t *rng, size_t element,
                          const admissible_t *admissible) {
  const element_t *to = experiment->results[0].type.element;
  uint64_t first = admissible->bits[0], mask = element_mask(to);
  uint64_t candidates[] = {first,
                           admissible->bits[admissible->count > 1 ? 1 : 0],
                           (first + 1) & mask,
                           (first - 1) & mask,
                           special_value_any(rng, to),
                           to->format != NULL ? special_value_nan(rng, to) : 0};
  for (size_t i = 0; i < G_N_ELEMENTS(candidates); i++) {
    bool is_admitted = admits(admissible, to, candidates[i]);
    bool is_held = conforms(experiment, element, candidates[i]);
    if (is_held != is_admitted) fail(experiment, element, candidates[i], is_admitted);
  }
}

static void check_pair(const element_t *from, const element_t *to, rng_t *rng) {
  enum { ELEMENTS = 64 };
  g_autofree char *line = g_strdup_printf("stablehlo.convert %s[%d] -> %s[%d]", from->name,
                                          ELEMENTS, to->name, ELEMENTS);
  experiment_t experiment;
  experiment_init(&experiment, line);
  case_t *instance = &experiment.instance;
  instance->program.op->draw_edges(rng, instance);
  for (size_t i = 0; i < ELEMENTS && from->bits <= 8; i++) {
    element_store(from, instance->operands[0].data, i, rng_bits(rng) & element_mask(from));
  }
  for (int is_spec = 0; is_spec < 2; is_spec++) {
    const contract_t contract = is_spec != 0 ? contract_spec() : contract_backend();
    experiment_decide_under(&experiment, &contract);
    for (size_t i = 0; i < ELEMENTS; i++) {
      uint64_t bits = element_load(from, instance->operands[0].data, i);
      admissible_t admissible = convert_naively(from, to, bits, is_spec != 0);
      check_element(&experiment, rng, i, &admissible);
    }
  }
  experiment_deinit(&experiment);
}

static void test_all_pairs(void) {
  rng_t rng = rng_make(0xc0);
  for (size_t i = 0; i < element_count; i++) {
    for (size_t j = 0; j < element_count; j++) {
      const element_t *from = &element_table[i], *to = &element_table[j];
      bool is_real = from->components == 1 && to->components == 1;
      if (is_real && from->is_tensor_element && to->is_tensor_element) check_pair(from, to, &rng);
    }
  }
}

/* All f16, bf16 and 16-bit integers. */
static void test_all_patterns(void) {
  static const char *const pairs[][2] = {
      {"f16", "f8E4M3FN"}, {"bf16", "f8E5M2"}, {"f16", "f4E2M1FN"},   {"bf16", "f16"},
      {"f16", "i8"},       {"i16", "bf16"},    {"bf16", "f8E8M0FNU"}, {"ui16", "i4"}};
  rng_t rng = rng_make(0xc1);
  const contract_t contract = contract_backend();
  for (size_t p = 0; p < G_N_ELEMENTS(pairs); p++) {
    const element_t *from = element_named(pairs[p][0]), *to = element_named(pairs[p][1]);
    g_autofree char *line =
        g_strdup_printf("stablehlo.convert %s[65536] -> %s[65536]", from->name, to->name);
    experiment_t experiment;
    experiment_init(&experiment, line);
    uint8_t *data = experiment.instance.operands[0].data;
    for (size_t i = 0; i < 1 << 16; i++) element_store(from, data, i, i);
    experiment_decide_under(&experiment, &contract);
    for (size_t i = 0; i < 1 << 16; i++) {
      admissible_t admissible = convert_naively(from, to, i, false);
      if (rng_one_in(&rng, 4)) {
        check_element(&experiment, &rng, i, &admissible);
      } else if (!conforms(&experiment, i, admissible.bits[0]) && admissible.count > 0) {
        fail(&experiment, i, admissible.bits[0], true);
      }
    }
    experiment_deinit(&experiment);
  }
}

/* Complex numbers by their parts: real to complex has an imaginary part of +0, complex to real
 * drops it. */
static void test_complex(void) {
  static const struct {
    const char *line, *results;
  } rows[] = {
      {"stablehlo.convert i64[1] -> complex<f64>[1] : ffffffffffffffff",
       "bff00000000000000000000000000000"},
      {"stablehlo.convert complex<f32>[1] -> f32[1] : 3f80000040000000", "3f800000"},
      {"stablehlo.convert complex<f32>[1] -> i1[1] : 0000000040000000", "0"},
      {"stablehlo.convert complex<f64>[1] -> complex<f32>[1] : 3ff00000000000004000000000000000",
       "3f80000040000000"},
      {"stablehlo.convert i1[2] -> complex<f32>[2] : 01", "00000000000000003f80000000000000"},
  };
  arena_t arena;
  arena_init(&arena);
  const contract_t contract = contract_spec();
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    case_t instance;
    failure_t error;
    status_t status = case_parse(str_from(rows[i].line), &arena, &instance, NULL, &error);
    if (status != STATUS_OK) g_error("%s: %s", rows[i].line, error.text);
    tensor_t results[CASE_RESULTS_MAX];
    scan_t scan = scan_make(str_from(rows[i].results));
    status = tensor_parse_data(&scan, &instance.program.results[0], &arena, &results[0], &error);
    g_assert_cmpint(status, ==, STATUS_OK);
    question_t question;
    question_make(&instance, &contract, &arena, &question);
    g_autoptr(GString) reason = g_string_new(NULL);
    if (!question_conforms(&question, results, reason))
      g_error("%s: %s", rows[i].line, reason->str);
  }
  arena_deinit(&arena);
}

/* 2^-126 - 2^-151 is rounded to the smallest normal number of f32, and is below it: hardware that
 * flushes may tell so before it rounds. */
static void test_tiny_before_rounding(void) {
  arena_t arena;
  arena_init(&arena);
  case_t instance;
  failure_t error;
  static const char line[] = "stablehlo.convert f64[1] -> f32[1] : 380ffffff0000000";
  g_assert_cmpint(case_parse(str_from(line), &arena, &instance, NULL, &error), ==, STATUS_OK);
  contract_t contract = contract_backend();
  for (int flushes = 0; flushes <= 1; flushes++) {
    PERMITTED(&contract, ftz) = flushes ? FTZ_OUTPUTS : FTZ_NONE;
    question_t question;
    question_make(&instance, &contract, &arena, &question);
    g_autoptr(GString) reason = g_string_new(NULL);
    tensor_t result = tensor_make(&arena, &instance.program.results[0]);
    element_store(result.type.element, result.data, 0, 0x00800000);
    g_assert_true(question_conforms(&question, &result, reason));
    element_store(result.type.element, result.data, 0, 0);
    g_assert_true(question_conforms(&question, &result, reason) == (flushes == 1));
    element_store(result.type.element, result.data, 0, 0x80000000);
    g_assert_false(question_conforms(&question, &result, reason));
  }
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/naive_element_conversion/all_pairs", test_all_pairs);
  g_test_add_func("/naive_element_conversion/all_patterns", test_all_patterns);
  g_test_add_func("/naive_element_conversion/complex", test_complex);
  g_test_add_func("/naive_element_conversion/tiny", test_tiny_before_rounding);
  return g_test_run();
}
