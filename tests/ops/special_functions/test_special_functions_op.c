/* SPDX-License-Identifier: Apache-2.0 */
/* The op rows of the special functions; and all numbers of f16 and bf16, the fast side against the
 * exact one, and both against MPFR. */
#include <math.h>

#include "harness/kinds/byteir.h"
#include "oracles/exact/value_range.h"
#include "oracles/ops/special_functions/special_functions.h"
#include "tests/ops/op_checks.h"
#include "tests/ops/quantize_experiment.h"

static const draw_limits_t limits = {.rank_max = 5, .elements_max = 4096, .terms_max = 512};

extern const op_t *const special_functions_ops[];

#define Q8 "!quant.uniform<i8:f32,0x1p+0>"

static const violation_row_t rows[] = {
    {"f32[2,3] -> f32[2,3]", NULL},
    {"f16[] -> f16[]", NULL},
    {"bf16[0] -> bf16[0]", NULL},
    {"f64[2] -> f64[2]", NULL},
    {"-> f32[2]", "arity"},
    {"f32[2] f32[2] -> f32[2]", "arity"},
    {"i32[2] -> i32[2]", "types"},
    {"i1[2] -> i1[2]", "types"},
    {Q8 "[2] -> " Q8 "[2]", "quantized"},
    {"f32[2] -> " Q8 "[2]", "quantized"},
    {"f32[2] -> f64[2]", "C1"},
    {"f32[2] -> f32[2,1]", "C1"},
    {"complex<f32>[2] -> complex<f32>[2]", "numbers"},
    {"f8E4M3FN[2] -> f8E4M3FN[2]", "numbers"},
};

static void test_violations(void) {
  for (size_t i = 0; special_functions_ops[i] != NULL; i++) {
    violation_row_t own[G_N_ELEMENTS(rows)];
    char *lines[G_N_ELEMENTS(rows)];
    for (size_t k = 0; k < G_N_ELEMENTS(rows); k++) {
      lines[k] = g_strdup_printf("%s %s", special_functions_ops[i]->name, rows[k].line);
      own[k] = (violation_row_t){lines[k], rows[k].id};
    }
    check_violations(special_functions_ops[i], own, G_N_ELEMENTS(own), NULL);
    for (size_t k = 0; k < G_N_ELEMENTS(rows); k++) g_free(lines[k]);
  }
}

static void visit(const program_t *program, arena_t *arena, void *state) {
  (void)arena;
  uint64_t *elements = state;
  *elements |= UINT64_C(1) << (program->operands[0].element - element_table);
}

static void test_drawn(void) {
  for (size_t i = 0; special_functions_ops[i] != NULL; i++) {
    uint64_t elements = 0;
    check_drawn(special_functions_ops[i], &limits, 1000, visit, &elements);
    for (size_t k = 0; k < element_count; k++) {
      bool is_float = byteir_is_float(&element_table[k], NULL);
      g_assert_cmpint((elements >> k & 1) != 0, ==, is_float);
    }
  }
}

static void test_words(void) {
  g_autofree char *words = check_text("stablehlo.tanh f16[3] -> f16[3]", program_print_words);
  g_assert_cmpstr(words, ==, "the hyperbolic tangent of each element of f16[3]");
  g_autofree char *mlir = check_text("stablehlo.tanh f16[3] -> f16[3]", program_print_mlir_to_run);
  g_assert_nonnull(
      strstr(mlir, "%0 = \"stablehlo.tanh\"(%arg0) : (tensor<3xf16>) -> tensor<3xf16>\n"));
}

/* ---- Every operand --------------------------------------------------------------------------- */

static int exact_logistic(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding) {
  mpfr_neg(out, x, MPFR_RNDN);
  mpfr_exp(out, out, MPFR_RNDN);
  mpfr_add_ui(out, out, 1, MPFR_RNDN);
  return mpfr_ui_div(out, 1, out, rounding);
}

/* In the order of the rows. */
typedef int exact_t(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding);
static exact_t *const functions[SPECIAL_FUNCTION_COUNT] = {mpfr_exp,      mpfr_expm1,     mpfr_log,
                                                           mpfr_log1p,    exact_logistic, mpfr_tanh,
                                                           mpfr_rec_sqrt, mpfr_sin,       mpfr_cos};

/* Rounded to nearest, of 200 bits. */
static uint64_t nearest(exact_t *exact, const format_t *format, double x) {
  mpfr_t value;
  mpfr_init2(value, 200);
  mpfr_set_d(value, x, MPFR_RNDN);
  exact(value, value, MPFR_RNDN);
  uint64_t bits = format_from_mpfr(format, value, ROUNDING_NEAREST_EVEN, OVERFLOW_FORMAT);
  mpfr_clear(value);
  return bits;
}

/* What is computed in f32 and rounded once is the nearest number, but where f32 errs across the
 * middle of two: never two numbers off, nor may anything else conform that is. */
static void check_operand(experiment_t *experiment, exact_t *exact, size_t i) {
  const element_t *element = experiment->results[0].type.element;
  const format_t *format = element->format;
  uint64_t bits = nearest(exact, format, format_to_double(format, i));
  if (!conforms(experiment, i, bits)) {
    answer_t answer = question_decide(&experiment->question, 0, i, experiment->results);
    g_error("%s of 0x%zx: 0x%" G_GINT64_MODIFIER "x must conform, the oracle expects %s",
            experiment->instance.program.op->name, i, bits, answer.expected);
  }
  if (i % 16 != 0 || format_is_nan(format, bits)) return;
  uint64_t up = format_next_up(format, format_next_up(format, bits));
  uint64_t down = format_next_down(format, format_next_down(format, bits));
  bool is_wrong = (up != bits && conforms(experiment, i, up)) ||
                  (down != bits && conforms(experiment, i, down));
  if (is_wrong && !format_is_infinity(format, bits)) {
    g_error("%s of 0x%zx: what is two numbers from 0x%" G_GINT64_MODIFIER "x conforms",
            experiment->instance.program.op->name, i, bits);
  }
}

static void test_every_operand(void) {
  static const char *const types[] = {"f16", "bf16"};
  enum { COUNT = 1 << 16 };
  for (size_t n = 0; n < 2 * SPECIAL_FUNCTION_COUNT; n++) {
    const op_t *op = special_functions_ops[n / 2];
    g_autofree char *line =
        g_strdup_printf("%s %s[65536] -> %s[65536]", op->name, types[n % 2], types[n % 2]);
    experiment_t experiment;
    experiment_init(&experiment, line);
    const element_t *element = experiment.results[0].type.element;
    for (size_t i = 0; i < COUNT; i++)
      element_store(element, experiment.instance.operands[0].data, i, i);
    const contract_t contract = contract_of("wide");
    experiment_decide_under(&experiment, &contract);
    for (size_t i = 0; i < COUNT; i++) check_operand(&experiment, functions[n / 2], i);
    experiment_deinit(&experiment);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/special_functions_op/violations", test_violations);
  g_test_add_func("/special_functions_op/drawn", test_drawn);
  g_test_add_func("/special_functions_op/words", test_words);
  g_test_add_func("/special_functions_op/every_operand", test_every_operand);
  return g_test_run();
}
