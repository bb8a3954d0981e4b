/* SPDX-License-Identifier: Apache-2.0 */
/* stablehlo.uniform_quantize and uniform_dequantize, evaluated naively with rationals: drawn
 * quantizations, with data near the ties.  An element conforms exactly where it should. */
#include "generated/exact_permissions.h"
#include "harness/draw/draw_quantization.h"
#include "oracles/ops/element_conversion/element_conversion.h"
#include "tests/ops/naive_rational.h"
#include "tests/ops/quantize_experiment.h"

enum { ELEMENTS = 48 };

/* ---- Numbers of a format with infinities ----------------------------------------------------- */

typedef struct naive_float {
  bool is_nan;
  int infinite; /* -1, 0 or 1. */
  mpq_t value;
} naive_float_t;

static void extended_init(naive_float_t *number, double value) {
  mpq_init(number->value);
  number->is_nan = isnan(value);
  number->infinite = isinf(value) ? (value > 0 ? 1 : -1) : 0;
  if (isfinite(value)) mpq_set_d(number->value, value);
}

static void extended_clear(naive_float_t *number) { mpq_clear(number->value); }

static void round_extended(naive_float_t *inout_number, const format_t *format) {
  if (inout_number->is_nan || inout_number->infinite != 0) return;
  int sign = mpq_sgn(inout_number->value);
  if (!rational_round_float(format, inout_number->value)) inout_number->infinite = sign;
}

static void set_extended(naive_float_t *out, int64_t integer, const format_t *format) {
  out->is_nan = false;
  out->infinite = 0;
  mpq_set_si(out->value, (long)integer, 1);
  round_extended(out, format);
}

static double extended_double(const naive_float_t *number) {
  if (number->is_nan) return NAN;
  if (number->infinite != 0) return number->infinite * (double)INFINITY;
  return mpq_get_d(number->value);
}

/* ---- The formulas ---------------------------------------------------------------------------- */

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

/* The result is a number of the format, or infinite. */
static double naive_dequantize(const parameters_t *parameters, const format_t *format,
                               int64_t stored) {
  naive_float_t number;
  extended_init(&number, 0);
  set_extended(&number, stored - parameters->zero_point, format);
  mpq_t scale;
  mpq_init(scale);
  mpq_set_d(scale, parameters->scale);
  if (number.infinite == 0) {
    mpq_mul(number.value, number.value, scale);
    round_extended(&number, format);
  }
  double value = extended_double(&number);
  mpq_clear(scale);
  extended_clear(&number);
  return value;
}

/* rne(value / scale + zero_point), without a rounding before, far away if that is infinite; false
 * if it is NaN. */
static bool naive_quantize_unrounded(const parameters_t *parameters, double value,
                                     int64_t *out_whole) {
  if (isnan(value)) return false;
  *out_whole = value > 0 ? INT64_MAX / 2 : INT64_MIN / 2;
  if (isinf(value)) return true;
  mpq_t sum, part;
  mpz_t whole;
  mpq_inits(sum, part, NULL);
  mpz_init(whole);
  mpq_set_d(sum, value);
  mpq_set_d(part, parameters->scale);
  mpq_div(sum, sum, part);
  mpq_set_si(part, (long)parameters->zero_point, 1);
  mpq_add(sum, sum, part);
  rational_round(whole, sum, TIES_EVEN);
  if (mpz_cmpabs_ui(whole, UINT64_C(1) << 40) <= 0) *out_whole = mpz_get_si(whole);
  mpq_clears(sum, part, NULL);
  mpz_clear(whole);
  return true;
}

/* The integer nearest to the clamped float, far away if that is infinite; false if NaN is to be
 * converted. */
static bool naive_quantize(const parameters_t *parameters, const format_t *format, double value,
                           int64_t *out_whole) {
  naive_float_t sum, zero_point;
  extended_init(&sum, value);
  extended_init(&zero_point, 0);
  set_extended(&zero_point, parameters->zero_point, format);
  mpq_t scale;
  mpq_init(scale);
  mpq_set_d(scale, parameters->scale);
  if (sum.infinite == 0) mpq_div(sum.value, sum.value, scale);
  round_extended(&sum, format);
  bool is_decided = !sum.is_nan && sum.infinite * zero_point.infinite != -1;
  if (sum.infinite == 0) sum.infinite = zero_point.infinite;
  if (sum.infinite == 0) mpq_add(sum.value, sum.value, zero_point.value);
  round_extended(&sum, format);
  int64_t stored = sum.infinite > 0 ? INT64_MAX / 2 : INT64_MIN / 2;
  if (sum.infinite == 0) {
    mpz_t whole;
    mpz_init(whole);
    naive_float_t end; /* Clamping by the ends as the format has them, before rounding. */
    extended_init(&end, 0);
    set_extended(&end, parameters->smallest, format);
    if (end.infinite == 0 && mpq_cmp(sum.value, end.value) < 0) mpq_set(sum.value, end.value);
    set_extended(&end, parameters->largest, format);
    if (end.infinite == 0 && mpq_cmp(sum.value, end.value) > 0) mpq_set(sum.value, end.value);
    rational_round(whole, sum.value, TIES_EVEN);
    stored = mpz_cmpabs_ui(whole, UINT64_C(1) << 40) > 0 ? mpz_sgn(whole) * (INT64_C(1) << 40)
                                                         : mpz_get_si(whole);
    extended_clear(&end);
    mpz_clear(whole);
  } else {
    naive_float_t end; /* Of a narrow range: the rounded end. */
    extended_init(&end, 0);
    set_extended(&end, sum.infinite > 0 ? parameters->largest : parameters->smallest, format);
    if (end.infinite == 0) stored = (int64_t)nearbyint(extended_double(&end));
    extended_clear(&end);
  }
  *out_whole = stored;
  mpq_clear(scale);
  extended_clear(&sum);
  extended_clear(&zero_point);
  return is_decided;
}

/* ---- What is admissible ---------------------------------------------------------------------- */

typedef struct admissible {
  bool any;
  bool beyond; /* The storage range, some of them. */
  size_t count;
  int64_t stored[32];
} admissible_t;

/* What the storage type has not, may become anything; what is beyond the range, also its end. */
static void admit_quantized(admissible_t *admissible, const element_t *storage,
                            const parameters_t *to, const format_t *format, double value) {
  int64_t whole;
  bool is_number = naive_quantize(to, format, value, &whole);
  int64_t half = INT64_C(1) << (storage->bits - 1);
  bool is_signed = storage->kind == ELEMENT_SIGNED;
  bool is_of_type = whole >= (is_signed ? -half : 0) && whole < (is_signed ? half : 2 * half);
  int64_t clamped = CLAMP(whole, to->smallest, to->largest);
  admissible->any |= !is_number || !is_of_type;
  admissible->stored[admissible->count++] = clamped;
  if (!is_number || !is_of_type || whole == clamped) return;
  admissible->beyond = true;
  admissible->stored[admissible->count++] = whole;
}

/* In binary64, and unrounded: what is nearest in the storage range. */
static void admit_wider(admissible_t *admissible, const parameters_t *to, double value) {
  int64_t whole;
  admissible->any |= !naive_quantize(to, &format_table[FORMAT_f64], value, &whole);
  admissible->stored[admissible->count++] = CLAMP(whole, to->smallest, to->largest);
  if (!naive_quantize_unrounded(to, value, &whole)) return;
  admissible->stored[admissible->count++] = CLAMP(whole, to->smallest, to->largest);
}

/* Whether it may be computed in f32, and whether in its own type. */
static bool is_wide(const element_t *expressed, const contract_t *contract) {
  return expressed->bits <= 16 && PERMITTED(contract, intermediate) != INTERMEDIATE_NATIVE;
}

static bool is_native(const element_t *expressed, const contract_t *contract) {
  return expressed->bits > 16 || PERMITTED(contract, intermediate) != INTERMEDIATE_WIDE;
}

static bool is_wider(const contract_t *contract) {
  return PERMITTED(contract, quantize_quotient) != 0;
}

static admissible_t find_admissible(const case_t *instance, const contract_t *contract,
                                    size_t element) {
  const tensor_t *operand = &instance->operands[0];
  const type_t *result = &instance->program.results[0];
  const element_t *expressed = result->quantization->expressed;
  const format_t *native = expressed->format, *f32 = &format_table[FORMAT_f32];
  const parameters_t to = parameters_of(result, element);
  bool wide = is_wide(expressed, contract), own = is_native(expressed, contract);
  uint64_t bits = element_load(operand->type.element, operand->data, element);
  admissible_t admissible = {.count = 0};
  if (operand->type.quantization == NULL) {
    double value = format_to_double(native, bits);
    if (own) admit_quantized(&admissible, result->element, &to, native, value);
    if (wide) admit_quantized(&admissible, result->element, &to, f32, value);
    if (is_wider(contract)) admit_wider(&admissible, &to, value);
    return admissible;
  }
  const parameters_t from = parameters_of(&operand->type, element);
  int64_t stored = element_signed_value(operand->type.element, bits);
  double value = naive_dequantize(&from, native, stored);
  if (!own)
    admit_quantized(&admissible, result->element, &to, f32, naive_dequantize(&from, f32, stored));
  if (own) admit_quantized(&admissible, result->element, &to, native, value);
  if (own && is_wider(contract)) admit_wider(&admissible, &to, value);
  if (is_wider(contract)) {
    double wider = naive_dequantize(&from, &format_table[FORMAT_f64], stored);
    admit_wider(&admissible, &to, wider);
  }
  if (!wide) return admissible;
  if (own) admit_quantized(&admissible, result->element, &to, f32, value);
  double in_f32 = naive_dequantize(&from, f32, stored);
  double between = format_round_double(native, in_f32);
  admit_quantized(&admissible, result->element, &to, f32, in_f32);
  admit_quantized(&admissible, result->element, &to, f32, between);
  if (own) admit_quantized(&admissible, result->element, &to, native, between);
  if (is_wider(contract)) admit_wider(&admissible, &to, in_f32);
  if (is_wider(contract)) admit_wider(&admissible, &to, between);
  return admissible;
}

static bool admits(const admissible_t *admissible, int64_t stored) {
  bool is_there = admissible->any;
  for (size_t i = 0; i < admissible->count; i++) {
    is_there = is_there || admissible->stored[i] == stored;
  }
  return is_there;
}

/* ---- Checks ---------------------------------------------------------------------------------- */

typedef struct tally {
  size_t elements, near_ties, any, beyond;
} tally_t;

static void experiment_draw(experiment_t *experiment, rng_t *rng, const char *op) {
  const draw_limits_t limits = {.rank_max = 2, .elements_max = ELEMENTS, .terms_max = 1};
  arena_init(&experiment->arena);
  program_t program = {0};
  check_find_op(op)->draw(rng, &limits, &experiment->arena, &program);
  experiment->instance = case_make(&experiment->arena, &program);
  naive_make_results(&program, &experiment->arena, experiment->results);
}

static void fail(const experiment_t *experiment, size_t element, const char *what) {
  g_autoptr(GString) line = g_string_new(NULL);
  case_print(&experiment->instance, line);
  answer_t answer = question_decide(&experiment->question, 0, element, experiment->results);
  g_error("%s: element %zu: %s is naively otherwise; the oracle expects %s", line->str, element,
          what, answer.expected);
}

static void check_quantized(experiment_t *experiment, size_t element, tally_t *tally) {
  const case_t *instance = &experiment->instance;
  const element_t *storage = instance->program.results[0].element;
  admissible_t admissible = find_admissible(instance, experiment->question.contract, element);
  int64_t first = admissible.stored[0];
  tally->elements++;
  tally->any += admissible.any;
  tally->beyond += admissible.beyond && !admissible.any;
  for (int64_t candidate = first - 2; candidate <= first + 2; candidate++) {
    uint64_t bits = (uint64_t)candidate & element_mask(storage);
    if (element_signed_value(storage, bits) != candidate) continue;
    bool is_admitted = admits(&admissible, candidate);
    tally->near_ties += is_admitted && candidate != first && !admissible.any;
    if (conforms(experiment, element, bits) == is_admitted) continue;
    g_autofree char *what = g_strdup_printf("%" G_GINT64_FORMAT, candidate);
    fail(experiment, element, what);
  }
}

static void test_quantize(void) {
  enum { PROGRAMS = 3000 };
  static const char *const contracts[] = {"backend", "spec", "wide", "quantize_quotient=wider"};
  rng_t rng = rng_make(0x91);
  tally_t tally = {0};
  for (int i = 0; i < PROGRAMS; i++) {
    experiment_t experiment;
    experiment_draw(&experiment, &rng, "stablehlo.uniform_quantize");
    element_conversion_draw_quantize_edges(&rng, &experiment.instance);
    const contract_t contract = contract_of(contracts[i % 4]);
    experiment_decide_under(&experiment, &contract);
    size_t count = type_element_count(&experiment.instance.program.results[0]);
    for (size_t element = 0; element < count; element++) {
      check_quantized(&experiment, element, &tally);
    }
    experiment_deinit(&experiment);
  }
  g_test_message("%zu elements, %zu near-ties, %zu of anything, %zu beyond the range",
                 tally.elements, tally.near_ties, tally.any, tally.beyond);
  g_assert_cmpuint(tally.near_ties, >, 20);
  g_assert_cmpuint(tally.any, >, 20);
  g_assert_cmpuint(tally.beyond, >, 20);
}

static void check_dequantized(experiment_t *experiment, size_t element) {
  const tensor_t *operand = &experiment->instance.operands[0];
  const element_t *expressed = experiment->results[0].type.element;
  const format_t *format = expressed->format;
  const parameters_t parameters = parameters_of(&operand->type, element);
  uint64_t stored_bits = element_load(operand->type.element, operand->data, element);
  int64_t stored = element_signed_value(operand->type.element, stored_bits);
  uint64_t native = format_from_double(format, naive_dequantize(&parameters, format, stored));
  uint64_t wide = native;
  if (is_wide(expressed, experiment->question.contract)) {
    double value = naive_dequantize(&parameters, &format_table[FORMAT_f32], stored);
    wide = format_from_double(format, value);
  }
  const uint64_t candidates[] = {native, wide, format_next_up(format, native),
                                 format_next_down(format, native), 0};
  for (size_t i = 0; i < G_N_ELEMENTS(candidates); i++) {
    bool is_own = is_native(expressed, experiment->question.contract);
    bool is_admitted = (is_own && candidates[i] == native) || candidates[i] == wide;
    if (conforms(experiment, element, candidates[i]) == is_admitted) continue;
    g_autofree char *what = g_strdup_printf("%a", format_to_double(format, candidates[i]));
    fail(experiment, element, what);
  }
}

static void test_dequantize(void) {
  enum { PROGRAMS = 3000 };
  static const char *const contracts[] = {"backend", "spec", "wide"};
  rng_t rng = rng_make(0x92);
  for (int i = 0; i < PROGRAMS; i++) {
    experiment_t experiment;
    experiment_draw(&experiment, &rng, "stablehlo.uniform_dequantize");
    draw_stored(&rng, &experiment.instance.operands[0]);
    const contract_t contract = contract_of(contracts[i % 3]);
    experiment_decide_under(&experiment, &contract);
    size_t count = type_element_count(&experiment.instance.program.results[0]);
    for (size_t element = 0; element < count; element++) check_dequantized(&experiment, element);
    experiment_deinit(&experiment);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/naive_uniform_quantize/quantize", test_quantize);
  g_test_add_func("/naive_uniform_quantize/dequantize", test_dequantize);
  return g_test_run();
}
