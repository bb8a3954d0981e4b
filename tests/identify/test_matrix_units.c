/* SPDX-License-Identifier: Apache-2.0 */
/* Identification of what matrix units do: groups of products and the sum so far, aligned to the
 * largest, cut, added, and cut again.  The units here are simulated in binary64, which holds all of
 * their sums: nothing is shared with what predicts them. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "harness/identify/probe/random_terms.h"
#include "harness/run/case_runner.h"
#include "tests/identify/identify_fixture.h"

/* One kind of unit. */
typedef struct unit {
  const char *name;
  int operand, result; /* Formats. */
  int factor;          /* The format that operands are narrowed to, or the operands' own. */
  rounding_t narrowing;
  size_t width; /* Products that are added at once, beside the sum so far. */
  int bits;     /* Of addends, counted from the largest exponent. */
  enum {
    BY_FACTORS,
    BY_FIELDS,
    BY_VALUE
  } alignment;                             /* To the sum of the factors' exponents, those
                                            * of subnormal ones as their bits have them;
                                            * or to the exponents of products. */
  enum { OVERFLOWS, SATURATES, CUTS } sum; /* CUTS: to `bits` bits, too. */
  const char *factors_word, *arithmetic;   /* What the profile must say. */
} unit_t;

static double cut(double value, int lowest) { return ldexp(trunc(ldexp(value, -lowest)), lowest); }

static int exponent_of(const unit_t *unit, double left, double right) {
  if (unit->alignment == BY_VALUE) return ilogb(left * right);
  int least = unit->alignment == BY_FIELDS ? format_table[unit->factor].exponent_min : INT_MIN;
  return MAX(ilogb(left), least) + MAX(ilogb(right), least);
}

/* Cut to 24 bits of its own; what is beyond f32 is infinite, or stops. */
static double cut_to_f32(const unit_t *unit, double sum) {
  if (sum == 0 || !isfinite(sum)) return sum;
  if (ilogb(sum) > 127)
    return copysign(unit->sum == SATURATES ? 0x1.fffffep127 : (double)INFINITY, sum);
  return cut(sum, MAX(ilogb(sum), -126) - 23) + 0.0; /* What underflows is +0. */
}

static double add_group(const unit_t *unit, double sum, const double *left, const double *right,
                        size_t count) {
  int largest = sum == 0 || !isfinite(sum) ? INT_MIN : ilogb(sum);
  double special = isfinite(sum) ? 0 : sum;
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(left[i]) || !isfinite(right[i])) special += left[i] * right[i];
    if (left[i] * right[i] == 0 || !isfinite(left[i] * right[i])) continue;
    largest = MAX(largest, exponent_of(unit, left[i], right[i]));
  }
  if (special != 0) return special;
  if (largest == INT_MIN) return 0;
  int lowest = largest - unit->bits + 1;
  double total = cut(sum, lowest);
  for (size_t i = 0; i < count; i++) total += cut(left[i] * right[i], lowest);
  if (unit->sum == CUTS && total != 0) total = cut(total, ilogb(total) - unit->bits + 1);
  return cut_to_f32(unit, total);
}

static double narrowed(const unit_t *unit, double value) {
  const format_t *format = &format_table[unit->factor];
  const format_t *from = &format_table[unit->operand];
  uint64_t bits = format_from_double(from, value);
  return format_to_double(format, format_convert(from, format, bits, unit->narrowing));
}

static status_t run_unit(black_box_sum_t *black_box, const double *left, const double *right,
                         double init, uint64_t *out_bits, failure_t *error) {
  (void)init;
  (void)error;
  const unit_t *unit = black_box->context;
  double sum = 0;
  for (size_t first = 0; first < black_box->term_count; first += unit->width) {
    double lefts[64], rights[64];
    size_t count = MIN(unit->width, black_box->term_count - first);
    for (size_t i = 0; i < count; i++) {
      lefts[i] = narrowed(unit, left[first + i]);
      rights[i] = narrowed(unit, right[first + i]);
    }
    sum = add_group(unit, sum, lefts, rights, count);
  }
  *out_bits = format_from_double(black_box->result, sum);
  return STATUS_OK;
}

/* NVIDIA's H200 adds f16 and bf16 by 16 and tf32, with ties away from zero, by 8, with 26 bits, and
 * f8 by 32 with 14; the others are made up. */
static const unit_t units[] = {
    {"f16", FORMAT_f16, FORMAT_f32, FORMAT_f16, ROUNDING_NEAREST_EVEN, 16, 26, BY_FIELDS, OVERFLOWS,
     "", "a=f32/trunc/fused/aligned26/field"},
    {"bf16", FORMAT_bf16, FORMAT_f32, FORMAT_bf16, ROUNDING_NEAREST_EVEN, 16, 26, BY_FIELDS,
     OVERFLOWS, "", "a=f32/trunc/inf/fused/aligned26/field"},
    {"bf16 that saturates", FORMAT_bf16, FORMAT_f32, FORMAT_bf16, ROUNDING_NEAREST_EVEN, 8, 25,
     BY_FACTORS, SATURATES, "", "a=f32/trunc/fused/aligned25 "},
    {"f16 by value", FORMAT_f16, FORMAT_f32, FORMAT_f16, ROUNDING_NEAREST_EVEN, 16, 26, BY_VALUE,
     OVERFLOWS, "", "a=f32/trunc/aligned26"},
    {"tf32, cut", FORMAT_f32, FORMAT_f32, FORMAT_tf32, ROUNDING_TOWARD_ZERO, 8, 26, BY_FACTORS,
     OVERFLOWS, "left=tf32/trunc right=tf32/trunc", "a=f32/trunc/inf/fused/aligned26 "},
    {"tf32, away", FORMAT_f32, FORMAT_f32, FORMAT_tf32, ROUNDING_NEAREST_AWAY, 8, 26, BY_FIELDS,
     OVERFLOWS, "left=tf32/away right=tf32/away", "a=f32/trunc/inf/fused/aligned26/field"},
    {"tf32, to even", FORMAT_f32, FORMAT_f32, FORMAT_tf32, ROUNDING_NEAREST_EVEN, 4, 26, BY_FACTORS,
     OVERFLOWS, "left=tf32 right=tf32 ", "a=f32/trunc/inf/fused/aligned26 "},
    {"bf16 of f32", FORMAT_f32, FORMAT_f32, FORMAT_bf16, ROUNDING_NEAREST_EVEN, 16, 26, BY_FACTORS,
     OVERFLOWS, "left=bf16 right=bf16 ", "a=f32/trunc/inf/fused/aligned26 "},
    {"f8 whose sums are kept", FORMAT_f8E4M3FN, FORMAT_f32, FORMAT_f8E4M3FN, ROUNDING_NEAREST_EVEN,
     32, 14, BY_FACTORS, OVERFLOWS, "", "a=f32/fused/aligned14 "},
    {"f8", FORMAT_f8E4M3FN, FORMAT_f32, FORMAT_f8E4M3FN, ROUNDING_NEAREST_EVEN, 32, 14, BY_FIELDS,
     CUTS, "", "a=f32/fused/aligned14/field/cut"},
};

static void test_unit(gconstpointer row) {
  static const size_t sizes[] = {8, 33, 64};
  const unit_t *unit = row;
  for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
    arena_t arena;
    arena_init(&arena);
    black_box_sum_t black_box = {.term_count = sizes[i],
                                 .left = &format_table[unit->operand],
                                 .right = &format_table[unit->operand],
                                 .result = &format_table[unit->result],
                                 .op = "stablehlo.dot_general",
                                 .program_line = "stablehlo.dot_general planted",
                                 .sum = run_unit,
                                 .context = (void *)(uintptr_t)unit};
    const identify_options_t options = {.seed = 1};
    identification_t found;
    failure_t error = {0};
    status_t status = identify(&black_box, &options, &arena, &found, &error);
    g_assert_cmpstr(status == STATUS_OK ? "" : error.text, ==, "");
    g_autoptr(GString) text = g_string_new(NULL);
    if (found.has_profile) profile_print(&found.profile, text);
    g_test_message("%s, %zu terms: %zu of %zu: %s %s", unit->name, sizes[i], found.predicted,
                   found.checked, text->str, found.reason);
    g_assert_cmpint(found.identity, ==, IDENTITY_FOUND);
    g_assert_nonnull(strstr(text->str, unit->factors_word));
    g_assert_nonnull(strstr(text->str, unit->arithmetic));
    profile_t again;
    status = profile_parse(str_from(text->str), &arena, &again, &error);
    g_assert_cmpstr(status == STATUS_OK ? "" : error.text, ==, "");
    const check_data_t data = {.seed = 99, .count = 2000};
    black_box.left = black_box.right = &format_table[unit->operand]; /* All bits of it. */
    status = identify_check(&black_box, &again, &data, &arena, &found, &error);
    g_assert_cmpint(status, ==, STATUS_OK);
    g_assert_cmpuint(found.predicted, ==, found.checked);
    arena_deinit(&arena);
  }
}

/* The verdict on what a unit makes of one vector of products. */
static verdict_t judge_terms(const unit_t *unit, size_t terms, double factors[2][64],
                             case_runner_t *runner, arena_t *arena) {
  const char *type = format_table[unit->operand].name;
  g_autofree char *line =
      g_strdup_printf("stablehlo.dot_general batch=[]x[] contract=[0]x[0] %s[%zu] %s[%zu] -> f32[]",
                      type, terms, type, terms);
  failure_t error = {0};
  case_t instance = {0};
  status_t status = program_parse(str_from(line), arena, &instance.program, NULL, &error);
  g_assert_cmpint(status, ==, STATUS_OK);
  const element_t *element = instance.program.operands[0].element;
  for (size_t k = 0; k < 2; k++) {
    instance.operands[k] = tensor_make(arena, &instance.program.operands[k]);
    for (size_t i = 0; i < terms; i++) {
      uint64_t bits = format_from_double(element->format, factors[k][i]);
      element_store(element, instance.operands[k].data, i, bits);
    }
  }
  black_box_sum_t black_box = {.term_count = terms,
                               .result = &format_table[unit->result],
                               .context = (void *)(uintptr_t)unit};
  uint64_t bits;
  run_unit(&black_box, factors[0], factors[1], 0, &bits, &error);
  tensor_t results[CASE_RESULTS_MAX] = {tensor_make(arena, &instance.program.results[0])};
  element_store(results[0].type.element, results[0].data, 0, bits);
  expectation_t expectation;
  verdict_t verdict = {0};
  if (case_runner_expect(runner, &instance, NULL, arena, &expectation, &error) != STATUS_OK ||
      case_runner_judge(runner, &expectation, results, &verdict, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  return verdict;
}

static verdict_t judge_drawn(const unit_t *unit, size_t terms, terms_regime_t regime, rng_t *rng,
                             case_runner_t *runner, arena_t *arena) {
  double factors[2][64];
  for (size_t k = 0; k < 2; k++) {
    random_terms(rng, regime, &format_table[unit->operand], true, factors[k], terms);
  }
  return judge_terms(unit, terms, factors, runner, arena);
}

/* How many of the drawn sums diverge under the contract. */
static size_t count_divergences(const unit_t *unit, const char *contract_text) {
  enum { VECTORS = 60 };
  static const size_t sizes[] = {2, 3, 17, 64};
  contract_t contract;
  failure_t error = {0};
  g_assert_cmpint(contract_parse(str_from(contract_text), &contract, &error), ==, STATUS_OK);
  case_runner_t runner;
  case_runner_init(&runner, &contract, 1);
  rng_t rng = rng_make(7);
  size_t divergences = 0;
  for (size_t i = 0; i < VECTORS * G_N_ELEMENTS(sizes); i++) {
    arena_t arena;
    arena_init(&arena);
    terms_regime_t regime = (terms_regime_t)(i / G_N_ELEMENTS(sizes) % TERMS_REGIMES);
    size_t terms = sizes[i % G_N_ELEMENTS(sizes)];
    verdict_t verdict = judge_drawn(unit, terms, regime, &rng, &runner, &arena);
    if (verdict.outcome == OUTCOME_diverges) {
      divergences++;
      g_test_message("%s, %zu terms, %s: got %s, expected %s", unit->name, terms, contract_text,
                     verdict.got, verdict.expected);
    }
    arena_deinit(&arena);
  }
  return divergences;
}

/* Whoever aligns to two bits more than the result has conforms where additions may be truncated
 * (theory.md, T183), and not where they may not; fewer bits are seen, and subnormal factors of f16
 * that count as normal ones (below: they are rarely drawn). */
static void test_conforms(void) {
  for (size_t i = 0; i < G_N_ELEMENTS(units); i++) {
    const unit_t *unit = &units[i];
    bool is_bf16_of_f32 = unit->operand == FORMAT_f32 && unit->factor == FORMAT_bf16;
    const char *precision = is_bf16_of_f32                ? ",default_precision=bf16"
                            : unit->operand == FORMAT_f32 ? ",default_precision=tf32"
                                                          : "";
    g_autofree char *truncating = g_strconcat("backend,accum_rounding=rz", precision, NULL);
    g_autofree char *to_nearest = g_strconcat("backend", precision, NULL);
    bool is_wide = unit->bits >= 26 && (unit->alignment != BY_FIELDS || unit->factor != FORMAT_f16);
    size_t blamed = count_divergences(unit, truncating);
    size_t seen = count_divergences(unit, to_nearest);
    g_test_message("%s: %zu diverge where sums may be truncated, %zu where not", unit->name, blamed,
                   seen);
    if (is_wide) g_assert_cmpuint(blamed, ==, 0);
    if (unit->bits < 24) g_assert_cmpuint(blamed, >, 0);
    g_assert_cmpuint(seen, >, 0);
  }
}

/* 2^-24 * 2^15 + 2^-12 * 2^-13, of which a unit that takes the subnormal factor for a normal one
 * loses the second: refused also where sums may be truncated.  By values it is kept. */
static void test_subnormal_factor(void) {
  contract_t contract;
  failure_t error = {0};
  const char *text = "backend,accum_rounding=rz";
  g_assert_cmpint(contract_parse(str_from(text), &contract, &error), ==, STATUS_OK);
  case_runner_t runner;
  case_runner_init(&runner, &contract, 1);
  size_t asked = 0;
  for (size_t i = 0; i < G_N_ELEMENTS(units); i++) {
    if (units[i].operand != FORMAT_f16) continue;
    arena_t arena;
    arena_init(&arena);
    double factors[2][64] = {{0x1p-24, 0x1p-12}, {0x1p15, 0x1p-13}};
    verdict_t verdict = judge_terms(&units[i], 2, factors, &runner, &arena);
    bool is_lost = units[i].alignment == BY_FIELDS;
    g_assert_cmpint(verdict.outcome, ==, is_lost ? OUTCOME_diverges : OUTCOME_conforms);
    asked++;
    arena_deinit(&arena);
  }
  g_assert_cmpuint(asked, ==, 2);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(units); i++) {
    g_autofree char *path =
        g_strdelimit(g_strconcat("/matrix units/", units[i].name, NULL), ",", '-');
    g_test_add_data_func(path, &units[i], test_unit);
  }
  g_test_add_func("/matrix units/conform", test_conforms);
  g_test_add_func("/matrix units/subnormal factor", test_subnormal_factor);
  return g_test_run();
}
