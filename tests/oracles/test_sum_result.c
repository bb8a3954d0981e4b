/* SPDX-License-Identifier: Apache-2.0 */
/* Sums that are converted at last, against all that the accumulation type may give, pattern by
 * pattern; and sums that keep few bits, against the bound on what they may lose. */
#include <glib.h>
#include <math.h>

#include "harness/base/rng.h"
#include "harness/model/implementation_model.h"
#include "oracles/exact/arithmetic.h"
#include "oracles/exact/fold/aligned_sum.h"
#include "oracles/exact/sum/problem.h"

enum { TERMS_MAX = 24 };

typedef struct terms {
  size_t count;
  double left[TERMS_MAX];
  double right[TERMS_MAX];
} terms_t;

static double draw_factor(rng_t *rng, const format_t *format) {
  for (;;) {
    uint64_t bits = rng_bits(rng) >> (64 - format->bits);
    double value = format_to_double(format, bits);
    bool is_special = !isfinite(value);
    if (!is_special || rng_one_in(rng, 8)) return value;
  }
}

static terms_t draw_terms(rng_t *rng, const format_t *format) {
  terms_t terms = {.count = (size_t)rng_between(rng, 0, 4)};
  for (size_t i = 0; i < terms.count; i++) {
    terms.left[i] = draw_factor(rng, format);
    terms.right[i] = draw_factor(rng, format);
  }
  return terms;
}

static bool conforms(const sum_problem_t *question, const contract_t *contract, uint64_t bits,
                     arena_t *arena) {
  answer_t answer;
  failure_t error = {0};
  if (sum_answer(question, contract, bits, arena, &answer, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  arena_reset(arena);
  return answer.conforms;
}

/* Whether a pattern of the accumulation type that conforms becomes that pattern of the result type,
 * all NaNs being one. */
static bool is_reached(const format_t *from, const format_t *to, const bool *from_conforms,
                       uint64_t bits) {
  for (uint64_t source = 0; source < UINT64_C(1) << from->bits; source++) {
    if (!from_conforms[source]) continue;
    uint64_t converted = format_convert(from, to, source, ROUNDING_NEAREST_EVEN);
    if (converted == bits) return true;
    if (format_is_nan(to, converted) && format_is_nan(to, bits)) return true;
    bool loses_sign =
        format_is_zero(to, converted) && format_is_zero(to, bits) && !format_has_negative_zero(to);
    if (loses_sign) return true;
  }
  return false;
}

static void check_conversion(const terms_t *terms, const format_t *from, const format_t *to,
                             const contract_t *contract, arena_t *arena) {
  sum_problem_t question = {.format = from,
                            .count = terms->count,
                            .left = terms->left,
                            .right = terms->right,
                            .left_format = from,
                            .right_format = from};
  bool from_conforms[256], has_nan = false;
  for (uint64_t bits = 0; bits < UINT64_C(1) << from->bits; bits++) {
    from_conforms[bits] = conforms(&question, contract, bits, arena);
    has_nan |= from_conforms[bits] && format_is_nan(from, bits);
  }
  question.result = to;
  if (has_nan && !format_has_nan(to)) { /* Nobody says what that becomes: any number of both. */
    for (uint64_t bits = 0; bits < UINT64_C(1) << from->bits; bits++) {
      if (!isfinite(format_to_double(from, bits))) continue;
      uint64_t converted = format_convert(from, to, bits, ROUNDING_NEAREST_EVEN);
      g_assert_true(conforms(&question, contract, converted, arena));
    }
    return;
  }
  for (uint64_t bits = 0; bits < UINT64_C(1) << to->bits; bits++) {
    bool expected = is_reached(from, to, from_conforms, bits);
    bool is_single =
        PERMITTED(contract, accum_wider) == ACCUM_WIDER_YES && arithmetic_format_holds(from, to);
    bool got = conforms(&question, contract, bits, arena);
    /* A wider last node may be rounded to the result type at once. */
    if (got == expected || (is_single && got)) continue;
    if (got && !format_has_nan(to)) continue; /* Judged by the bound. */
    g_error("%s to %s, 0x%" G_GINT64_MODIFIER "x: %s, but it %s be reached", from->name, to->name,
            bits, got ? "conforms" : "does not conform", expected ? "can" : "cannot");
  }
}

/* Formats of at most 8 bits, so that both sides can be listed. */
static void test_conversion(void) {
  static const int formats[] = {FORMAT_f8E4M3,   FORMAT_f8E5M2,     FORMAT_f8E3M4,
                                FORMAT_f8E4M3FN, FORMAT_f8E5M2FNUZ, FORMAT_f6E3M2FN};
  contract_t strict = contract_backend(), wide = contract_backend();
  PERMITTED(&strict, accum_wider) = ACCUM_WIDER_NO;
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(7);
  for (int i = 0; i < 600; i++) {
    const format_t *from = &format_table[formats[rng_below(&rng, 3)]]; /* With infinity and NaN. */
    const format_t *to = &format_table[formats[rng_below(&rng, G_N_ELEMENTS(formats))]];
    if (from == to) continue;
    const terms_t terms = draw_terms(&rng, from);
    check_conversion(&terms, from, to, rng_one_in(&rng, 2) ? &strict : &wide, &arena);
  }
  arena_deinit(&arena);
}

/* A type that holds the accumulation type shows numbers that were never rounded to that. */
static void test_grid(void) {
  const double one[] = {1, 1}, factor[] = {1, 0x1p-9};
  const sum_problem_t question = {.format = &format_table[FORMAT_bf16],
                                  .count = 2,
                                  .left = one,
                                  .right = factor,
                                  .left_format = &format_table[FORMAT_bf16],
                                  .right_format = &format_table[FORMAT_bf16],
                                  .result = &format_table[FORMAT_f32]};
  const contract_t contract = contract_backend();
  arena_t arena;
  arena_init(&arena);
  g_assert_true(conforms(&question, &contract, 0x3f800000, &arena));
  g_assert_false(conforms(&question, &contract, 0x3f804000, &arena)); /* 1 + 2^-9: the exact sum. */
  arena_deinit(&arena);
}

/* A product just above a tie of bf16 that f32 rounds to the tie: by way of f32 it becomes 1, at
 * once it becomes 1 + 2^-7, which takes a node wider than f32. */
static void test_single_rounding(void) {
  const format_t *f32 = &format_table[FORMAT_f32];
  double left = 0, right = 0;
  for (int i = 1; left == 0; i++) {
    double x = 1 + i * 0x1p-23, y = format_round_double(f32, (1 + 0x1p-8) / x);
    double above = x * y - (1 + 0x1p-8); /* Exact: the product has 48 bits. */
    if (above <= 0 || above >= 0x1p-25) continue;
    left = x;
    right = y;
  }
  const sum_problem_t question = {.format = f32,
                                  .count = 1,
                                  .left = &left,
                                  .right = &right,
                                  .left_format = f32,
                                  .right_format = f32,
                                  .result = &format_table[FORMAT_bf16]};
  contract_t contract = contract_backend();
  arena_t arena;
  arena_init(&arena);
  g_assert_true(conforms(&question, &contract, 0x3f80, &arena));
  g_assert_true(conforms(&question, &contract, 0x3f81, &arena));
  PERMITTED(&contract, accum_wider) = ACCUM_WIDER_NO;
  g_assert_true(conforms(&question, &contract, 0x3f80, &arena));
  g_assert_false(conforms(&question, &contract, 0x3f81, &arena));
  arena_deinit(&arena);
}

/* Aligned sums of every width and number of bits keep within the bound for so many bits; and sums
 * that keep fewer bits than the contract says leave it now and then. */
static void test_aligned_sums(void) {
  const format_t *f8 = &format_table[FORMAT_f8E5M2], *f32 = &format_table[FORMAT_f32];
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(11);
  size_t outside = 0;
  for (int i = 0; i < 4000; i++) {
    double left[TERMS_MAX], right[TERMS_MAX];
    size_t count = (size_t)rng_between(&rng, 1, TERMS_MAX);
    for (size_t t = 0; t < count; t++) {
      left[t] = format_round_double(
          f8, ldexp((double)rng_between(&rng, -7, 7), (int)rng_between(&rng, -9, 9)));
      right[t] = format_round_double(
          f8, ldexp((double)rng_between(&rng, 4, 7), (int)rng_between(&rng, -6, 6)));
    }
    int bits = (int)rng_between(&rng, IMPRECISE_BITS_MIN, 24);
    sum_problem_t question = {.format = f32,
                              .count = count,
                              .left = left,
                              .right = right,
                              .left_format = f8,
                              .right_format = f8,
                              .imprecise_bits = bits};
    const contract_t contract = contract_backend();
    size_t width = (size_t)rng_between(&rng, 1, TERMS_MAX);
    double sum = aligned_sum(left, right, count, width, bits);
    g_assert_true(conforms(&question, &contract, format_from_double(f32, sum), &arena));
    question.imprecise_bits = 24;
    double coarse = aligned_sum(left, right, count, width, IMPRECISE_BITS_MIN);
    outside += !conforms(&question, &contract, format_from_double(f32, coarse), &arena);
  }
  g_test_message("sums that keep %d bits: %zu of 4000 are not ones that keep 24",
                 (int)IMPRECISE_BITS_MIN, outside);
  g_assert_cmpuint(outside, >, 1000);
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/sum_result/conversion", test_conversion);
  g_test_add_func("/sum_result/grid", test_grid);
  g_test_add_func("/sum_result/single_rounding", test_single_rounding);
  g_test_add_func("/sum_result/aligned_sums", test_aligned_sums);
  return g_test_run();
}
