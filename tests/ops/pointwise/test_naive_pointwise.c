/* SPDX-License-Identifier: Apache-2.0 */
/* The pointwise ops a second time: all pairs of 8-bit floats by looking for the nearest number, all
 * 8-bit integers, and every 8-bit and 16-bit operand of functions of one, the fast side against
 * MPFR. */
#include <math.h>

#include "tests/ops/quantize_experiment.h"

enum { ALL_8 = 1 << 8 };

static const char *const formats_8[] = {"f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E3M4"};

/* Asks about components `first` and on in steps, with the naive bits and with those next to them.
 */
static void check_results(experiment_t *experiment, const uint64_t *bits, size_t step) {
  const element_t *element = experiment->results[0].type.element;
  size_t count = type_element_count(&experiment->results[0].type);
  for (size_t i = 0; i < count; i++) {
    if (!conforms(experiment, i, bits[i])) {
      answer_t answer = question_decide(&experiment->question, 0, i, experiment->results);
      g_error("%zu: 0x%" G_GINT64_MODIFIER "x must conform; the oracle expects %s", i, bits[i],
              answer.expected);
    }
    if (i % step != 0) continue;
    uint64_t other = bits[i] ^ 1;
    bool are_nan = element->format != NULL && format_is_nan(element->format, bits[i]) &&
                   format_is_nan(element->format, other);
    if (are_nan) continue;
    if (conforms(experiment, i, other)) {
      g_error("%zu: 0x%" G_GINT64_MODIFIER "x must not conform", i, other);
    }
    element_store(element, experiment->results[0].data, i, bits[i]);
  }
}

/* ---- All pairs ------------------------------------------------------------------------------- */

static void fill_pairs(experiment_t *experiment) {
  bool is_unary = experiment->instance.program.operand_count == 1;
  for (size_t i = 0; i < ALL_8 * ALL_8; i++) {
    experiment->instance.operands[0].data[i] = (uint8_t)(i / ALL_8);
    if (!is_unary) experiment->instance.operands[1].data[i] = (uint8_t)(i % ALL_8);
  }
}

/* The number c of the format that is nearest to a / b, of two the one with an even pattern: |a - c
 * b| is exact in binary64. */
static uint64_t nearest_quotient(const format_t *format, double a, double b) {
  uint64_t best = 0;
  double least = (double)INFINITY;
  for (uint64_t bits = 0; bits < ALL_8; bits++) {
    double c = format_to_double(format, bits);
    if (!isfinite(c)) continue;
    double distance = fabs(a - c * b);
    bool is_better = distance < least || (distance == least && bits % 2 == 0 && best % 2 != 0);
    if (is_better) best = bits;
    if (is_better) least = distance;
  }
  bool is_negative = signbit(a) != signbit(b);
  if (!format_is_zero(format, best)) return best;
  return format_from_double(format, is_negative ? -0.0 : 0.0);
}

static uint64_t naive_quotient(const format_t *format, double a, double b) {
  double largest = format_to_double(format, format->largest_bits);
  bool is_plain = isfinite(a) && isfinite(b) && b != 0 && fabs(a) <= largest * fabs(b);
  if (is_plain) return nearest_quotient(format, a, b);
  /* NaN, zeros of infinite divisors, and what is beyond the range. */
  double value = a / b;
  return format_from_double(format, value);
}

static void test_quotients(void) {
  for (size_t f = 0; f < G_N_ELEMENTS(formats_8); f++) {
    g_autofree char *line =
        g_strdup_printf("stablehlo.divide %s[256,256] %s[256,256] -> %s[256,256]", formats_8[f],
                        formats_8[f], formats_8[f]);
    experiment_t experiment;
    experiment_init(&experiment, line);
    fill_pairs(&experiment);
    const contract_t contract = contract_of("spec");
    experiment_decide_under(&experiment, &contract);
    const format_t *format = experiment.results[0].type.element->format;
    uint64_t *bits = ARENA_NEW_ARRAY(&experiment.arena, uint64_t, ALL_8 *ALL_8);
    for (size_t i = 0; i < ALL_8 * ALL_8; i++) {
      bits[i] = naive_quotient(format, format_to_double(format, i / ALL_8),
                               format_to_double(format, i % ALL_8));
    }
    check_results(&experiment, bits, 16);
    experiment_deinit(&experiment);
  }
}

/* ---- Integers -------------------------------------------------------------------------------- */

typedef int naive_integer_t(int a, int b);

/* By subtraction, of magnitudes. */
static int naive_divide(int a, int b) {
  int quotient = 0, rest = abs(a);
  while (rest >= abs(b)) {
    rest -= abs(b);
    quotient++;
  }
  return (a < 0) != (b < 0) ? -quotient : quotient;
}
static int naive_remainder(int a, int b) { return a - naive_divide(a, b) * b; }
static int naive_and(int a, int b) { return a & b; }
static int naive_or(int a, int b) { return a + b - (a & b); }
static int naive_xor(int a, int b) { return a + b - 2 * (a & b); }
static int naive_not(int a, int b) {
  (void)b;
  return -1 - a;
}
static int naive_abs(int a, int b) {
  (void)b;
  return a * (1 - 2 * (a < 0));
}
static int naive_sign(int a, int b) {
  (void)b;
  return a == 0 ? 0 : a / naive_abs(a, 0);
}

static void test_integers(void) {
  static const struct {
    const char *name;
    naive_integer_t *compute;
    bool is_unary;
    bool is_signed;
  } rows[] = {
      {"divide", naive_divide, false, false}, {"remainder", naive_remainder, false, false},
      {"and", naive_and, false, false},       {"or", naive_or, false, false},
      {"xor", naive_xor, false, false},       {"not", naive_not, true, false},
      {"abs", naive_abs, true, true},         {"sign", naive_sign, true, true},
  };
  for (size_t i = 0; i < 2 * G_N_ELEMENTS(rows); i++) {
    bool is_signed = i % 2 == 0, is_unary = rows[i / 2].is_unary;
    if (!is_signed && rows[i / 2].is_signed) continue;
    const char *type = is_signed ? "i8[256,256]" : "ui8[256,256]";
    g_autofree char *line = g_strdup_printf("stablehlo.%s %s%s%s -> %s", rows[i / 2].name, type,
                                            is_unary ? "" : " ", is_unary ? "" : type, type);
    experiment_t experiment;
    experiment_init(&experiment, line);
    fill_pairs(&experiment);
    if (!is_unary) {
      rng_t rng = rng_make(1);
      const op_t *op = experiment.instance.program.op;
      if (op->settle_operands != NULL) op->settle_operands(&rng, &experiment.instance);
    }
    const contract_t contract = contract_of("spec,integer_overflow=wrap");
    experiment_decide_under(&experiment, &contract);
    uint64_t *bits = ARENA_NEW_ARRAY(&experiment.arena, uint64_t, ALL_8 *ALL_8);
    for (size_t k = 0; k < ALL_8 * ALL_8; k++) {
      int a = experiment.instance.operands[0].data[k];
      int b = is_unary ? 0 : experiment.instance.operands[1].data[k];
      if (is_signed) a = (int8_t)a;
      if (is_signed) b = (int8_t)b;
      bits[k] = (uint64_t)rows[i / 2].compute(a, b) & 0xff;
    }
    check_results(&experiment, bits, 16);
    experiment_deinit(&experiment);
  }
}

/* ---- Comparisons and bounds ------------------------------------------------------------------ */

static bool naive_holds(const char *direction, double a, double b) {
  if (strcmp(direction, "EQ") == 0) return a == b;
  if (strcmp(direction, "NE") == 0) return a != b;
  if (strcmp(direction, "GE") == 0) return a >= b;
  if (strcmp(direction, "GT") == 0) return a > b;
  return strcmp(direction, "LE") == 0 ? a <= b : a < b;
}

static void test_comparisons(void) {
  static const char *const directions[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
  for (size_t i = 0; i < G_N_ELEMENTS(directions); i++) {
    const char *type = formats_8[i % G_N_ELEMENTS(formats_8)];
    g_autofree char *line = g_strdup_printf(
        "stablehlo.compare comparison_direction=%s %s[256,256] %s[256,256] -> i1[256,256]",
        directions[i], type, type);
    experiment_t experiment;
    experiment_init(&experiment, line);
    fill_pairs(&experiment);
    const contract_t contract = contract_of("spec");
    experiment_decide_under(&experiment, &contract);
    const format_t *format = experiment.instance.operands[0].type.element->format;
    uint64_t *bits = ARENA_NEW_ARRAY(&experiment.arena, uint64_t, ALL_8 *ALL_8);
    for (size_t k = 0; k < ALL_8 * ALL_8; k++) {
      bits[k] = naive_holds(directions[i], format_to_double(format, k / ALL_8),
                            format_to_double(format, k % ALL_8));
    }
    check_results(&experiment, bits, 16);
    experiment_deinit(&experiment);
  }
}

/* NaN if there is one, else the middle one, or the third where the first is beyond it. */
static void test_bounds(void) {
  experiment_t experiment;
  experiment_init(&experiment,
                  "stablehlo.clamp f8E5M2[] f8E5M2[256,256] f8E5M2[256,256] -> "
                  "f8E5M2[256,256]");
  const format_t *format = &format_table[FORMAT_f8E5M2];
  const double leasts[] = {-1.5, -0.0, 0.0, 4, (double)NAN};
  for (size_t i = 0; i < G_N_ELEMENTS(leasts); i++) {
    store_float(&experiment.instance.operands[0], 0, leasts[i]);
    const contract_t contract = contract_of("spec");
    uint64_t *bits = ARENA_NEW_ARRAY(&experiment.arena, uint64_t, ALL_8 *ALL_8);
    for (size_t k = 0; k < ALL_8 * ALL_8; k++) {
      experiment.instance.operands[1].data[k] = (uint8_t)(k / ALL_8);
      experiment.instance.operands[2].data[k] = (uint8_t)(k % ALL_8);
      double x = format_to_double(format, k / ALL_8), most = format_to_double(format, k % ALL_8);
      bool is_nan = isnan(leasts[i]) || isnan(x) || isnan(most);
      int64_t least_place =
          format_ordinal(format, format_from_double(format, is_nan ? 0 : leasts[i]));
      int64_t place = is_nan ? 0 : format_ordinal(format, k / ALL_8);
      int64_t most_place = is_nan ? 0 : format_ordinal(format, k % ALL_8);
      int64_t taken = MIN(MAX(place, least_place), most_place);
      bits[k] =
          is_nan ? format_from_double(format, (double)NAN) : format_from_ordinal(format, taken);
    }
    experiment_decide_under(&experiment, &contract);
    check_results(&experiment, bits, 16);
  }
  experiment_deinit(&experiment);
}

/* ---- Every operand --------------------------------------------------------------------------- */

/* What the fast side has is what MPFR says, and all that it says. */
static void check_every_operand(const char *function, const char *type, unsigned bits_of_type) {
  size_t count = (size_t)1 << bits_of_type;
  g_autofree char *line =
      g_strdup_printf("stablehlo.%s %s[%zu] -> %s[%zu]", function, type, count, type, count);
  experiment_t experiment;
  experiment_init(&experiment, line);
  const element_t *element = experiment.results[0].type.element;
  for (size_t i = 0; i < count; i++)
    element_store(element, experiment.instance.operands[0].data, i, i);
  const contract_t contract = contract_of("spec");
  experiment_decide_under(&experiment, &contract);
  const accept_t *accept = &experiment.question.accepts[0];
  for (size_t i = 0; i < count; i++) {
    element_store(element, experiment.results[0].data, i, accept->bits[i]);
    answer_t answer = question_decide(&experiment.question, 0, i, experiment.results);
    if (!answer.conforms) g_error("%s of 0x%zx: the oracle expects %s", line, i, answer.expected);
    bool is_open = accept->decide[i] != 0, is_nan = format_is_nan(element->format, accept->bits[i]);
    if (i % 8 != 0 || is_open || is_nan) continue;
    element_store(element, experiment.results[0].data, i, accept->bits[i] ^ 1);
    answer = question_decide(&experiment.question, 0, i, experiment.results);
    if (answer.conforms) g_error("%s of 0x%zx: more than one result conforms", line, i);
  }
  experiment_deinit(&experiment);
}

static void test_every_operand(void) {
  static const char *const functions[] = {
      "sqrt", "abs", "sign", "floor", "ceil", "round_nearest_even", "round_nearest_afz"};
  for (size_t i = 0; i < G_N_ELEMENTS(functions); i++) {
    for (size_t f = 0; f < G_N_ELEMENTS(formats_8); f++) {
      check_every_operand(functions[i], formats_8[f], 8);
    }
    check_every_operand(functions[i], "f4E2M1FN", 4);
    check_every_operand(functions[i], "f6E2M3FN", 6);
    check_every_operand(functions[i], "f16", 16);
    check_every_operand(functions[i], "bf16", 16);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/naive_pointwise/quotients", test_quotients);
  g_test_add_func("/naive_pointwise/integers", test_integers);
  g_test_add_func("/naive_pointwise/comparisons", test_comparisons);
  g_test_add_func("/naive_pointwise/bounds", test_bounds);
  g_test_add_func("/naive_pointwise/every_operand", test_every_operand);
  return g_test_run();
}
