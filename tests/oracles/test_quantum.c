/* SPDX-License-Identifier: Apache-2.0 */
/* Quantizing and dequantizing against MPFR, which rounds every step to the format by itself
 * (mpfr_subnormalize): all patterns of formats of 16 bits and less, others sampled, for drawn
 * quantizations; all storage values of 8 and 16 bits, others sampled. */
#include <math.h>
#include <mpfr.h>

#include "harness/draw/draw_quantization.h"
#include "oracles/exact/quantum/quantum.h"

enum { QUANTIZATIONS = 12, SAMPLES = 20000 };

/* ---- In MPFR --------------------------------------------------------------------------------- */

typedef struct steps {
  mpfr_t value, other;
} steps_t;

static void steps_init(steps_t *steps, const format_t *format) {
  mpfr_set_emin(format->exponent_min - format->precision + 2);
  mpfr_set_emax(format->exponent_max + 1);
  mpfr_inits2(format->precision, steps->value, steps->other, (mpfr_ptr)NULL);
}

static void steps_deinit(steps_t *steps) {
  mpfr_clears(steps->value, steps->other, (mpfr_ptr)NULL);
  mpfr_set_emin(mpfr_get_emin_min());
  mpfr_set_emax(mpfr_get_emax_max());
}

static void set_integer(mpfr_t out_value, int64_t integer) {
  int ternary = mpfr_set_si(out_value, integer, MPFR_RNDN);
  mpfr_subnormalize(out_value, ternary, MPFR_RNDN);
}

static double dequantize_by_mpfr(steps_t *steps, const quantum_t *quantum, int64_t stored) {
  set_integer(steps->value, stored - quantum->zero_point);
  mpfr_set_d(steps->other, quantum->scale, MPFR_RNDN);
  int ternary = mpfr_mul(steps->value, steps->value, steps->other, MPFR_RNDN);
  mpfr_subnormalize(steps->value, ternary, MPFR_RNDN);
  return mpfr_get_d(steps->value, MPFR_RNDN);
}

/* The integer nearest to the clamped float, and it clamped to the storage range; false if it is
 * none. */
static bool quantize_by_mpfr(steps_t *steps, const quantum_t *quantum, double value,
                             int64_t *out_whole, int64_t *out_stored) {
  mpfr_set_d(steps->value, value, MPFR_RNDN);
  mpfr_set_d(steps->other, quantum->scale, MPFR_RNDN);
  int ternary = mpfr_div(steps->value, steps->value, steps->other, MPFR_RNDN);
  mpfr_subnormalize(steps->value, ternary, MPFR_RNDN);
  set_integer(steps->other, quantum->zero_point);
  ternary = mpfr_add(steps->value, steps->value, steps->other, MPFR_RNDN);
  mpfr_subnormalize(steps->value, ternary, MPFR_RNDN);
  if (mpfr_nan_p(steps->value)) return false;
  set_integer(steps->other, quantum->storage_min);
  if (mpfr_less_p(steps->value, steps->other)) mpfr_set(steps->value, steps->other, MPFR_RNDN);
  set_integer(steps->other, quantum->storage_max);
  if (mpfr_greater_p(steps->value, steps->other)) mpfr_set(steps->value, steps->other, MPFR_RNDN);
  /* Ties to even; an integer that the format need not have: 15.5 is the largest f8E3M4. */
  *out_whole = mpfr_get_si(steps->value, MPFR_RNDN);
  *out_stored = CLAMP(*out_whole, quantum->storage_min, quantum->storage_max);
  return true;
}

/* ---- Checks ---------------------------------------------------------------------------------- */

static void print_quantum(const char *what, const format_t *format, const quantum_t *quantum) {
  g_test_message("%s in %s: scale %a zero point %" G_GINT64_FORMAT " range %" G_GINT64_FORMAT
                 ":%" G_GINT64_FORMAT,
                 what, format->name, quantum->scale, quantum->zero_point, quantum->storage_min,
                 quantum->storage_max);
  g_test_fail();
}

/* How often quantizing ended in so many choices. */
typedef size_t tally_t[QUANTUM_CHOICES_MAX + 1];

static void check_quantize(steps_t *steps, const quantum_t *quantum, const element_t *storage,
                           const format_t *format, double value, tally_t tally) {
  int64_t whole = 0, expected = quantum->zero_point;
  bool is_number = quantize_by_mpfr(steps, quantum, value, &whole, &expected);
  uint64_t bits = (uint64_t)whole & element_mask(storage);
  bool is_of_type = is_number && element_signed_value(storage, bits) == whole;
  size_t count = !is_of_type ? 0 : whole == expected ? 1 : 2;
  int64_t choices[QUANTUM_CHOICES_MAX] = {0};
  bool is_right = quantum_choices(quantum, format, value, choices) == count &&
                  (count < 1 || choices[0] == expected) && (count < 2 || choices[1] == whole) &&
                  quantum_is_decided(quantum, format, value) == (count == 1) &&
                  quantum_quantize(quantum, format, value) == expected;
  tally[count]++;
  if (is_right) return;
  g_test_message("quantize %a: %" G_GINT64_FORMAT ", not %" G_GINT64_FORMAT, value,
                 quantum_quantize(quantum, format, value), expected);
  print_quantum("quantize", format, quantum);
}

static void check_dequantize(steps_t *steps, const quantum_t *quantum, const format_t *format,
                             int64_t stored) {
  double expected = dequantize_by_mpfr(steps, quantum, stored);
  double got = quantum_dequantize(quantum, format, stored);
  /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): the sign of zero counts. */
  bool is_right = isnan(got) ? isnan(expected) : memcmp(&got, &expected, sizeof got) == 0;
  if (is_right) return;
  g_test_message("dequantize %" G_GINT64_FORMAT ": %a, not %a", stored, got, expected);
  print_quantum("dequantize", format, quantum);
}

/* All patterns of a small format; of a large one numbers near ties, and any pattern at all. */
static void check_all_values(steps_t *steps, const quantum_t *quantum, const element_t *storage,
                             const format_t *format, rng_t *rng, tally_t tally) {
  bool is_small = format->bits <= 16;
  uint64_t count = is_small ? UINT64_C(1) << format->bits : SAMPLES;
  for (uint64_t i = 0; i < count; i++) {
    uint64_t bits = is_small ? i : rng_bits(rng) >> (64 - format->bits);
    if (!is_small && rng_one_in(rng, 2)) {
      double stored = (double)rng_between(rng, quantum->storage_min, quantum->storage_max);
      double value = (stored + 0.5 - (double)quantum->zero_point) * quantum->scale;
      bits = format_from_double(format, value);
      if (rng_one_in(rng, 2)) bits = format_next_up(format, bits);
      if (rng_one_in(rng, 2)) bits = format_next_down(format, bits);
    }
    check_quantize(steps, quantum, storage, format, format_to_double(format, bits), tally);
  }
}

static void check_all_stored(steps_t *steps, const quantum_t *quantum, const format_t *format,
                             rng_t *rng) {
  uint64_t values = (uint64_t)(quantum->storage_max - quantum->storage_min) + 1;
  bool is_small = values <= 1 << 16;
  for (uint64_t i = 0; i < (is_small ? values : SAMPLES); i++) {
    int64_t stored = is_small ? quantum->storage_min + (int64_t)i
                              : rng_between(rng, quantum->storage_min, quantum->storage_max);
    check_dequantize(steps, quantum, format, stored);
  }
}

static void test_format(gconstpointer data) {
  const format_t *format = data;
  const element_t *expressed = element_named(format->name);
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(format->bits);
  steps_t steps;
  steps_init(&steps, format);
  tally_t tally = {0};
  for (int i = 0; i < QUANTIZATIONS && !g_test_failed(); i++) {
    type_t type = type_make(draw_storage_element(&rng), 0, NULL);
    draw_quantization(&rng, &arena, expressed, -1, i % 4 == 0, &type);
    quantum_t quantum = quantum_of(&type, 0);
    check_all_values(&steps, &quantum, type.element, format, &rng, tally);
    check_all_stored(&steps, &quantum, format, &rng);
    arena_reset(&arena);
  }
  g_test_message("%zu undecided, %zu decided, %zu of two choices", tally[0], tally[1], tally[2]);
  g_assert_cmpuint(tally[1], >, 0);
  steps_deinit(&steps);
  arena_deinit(&arena);
}

/* Examples by hand. */
static void test_by_hand(void) {
  const format_t *f32 = &format_table[FORMAT_f32];
  quantum_t quantum = {.scale = 0.5, .zero_point = 3, .storage_min = -128, .storage_max = 127};
  g_assert_cmpint(quantum_quantize(&quantum, f32, 0), ==, 3);
  g_assert_cmpint(quantum_quantize(&quantum, f32, 0.25), ==, 4);  /* 3.5: a tie of the sum. */
  g_assert_cmpint(quantum_quantize(&quantum, f32, -0.25), ==, 2); /* 2.5. */
  g_assert_cmpint(quantum_quantize(&quantum, f32, 1e9), ==, 127);
  g_assert_cmpint(quantum_quantize(&quantum, f32, (double)-INFINITY), ==, -128);
  g_assert_false(quantum_is_decided(&quantum, f32, (double)NAN));
  g_assert_cmpfloat(quantum_dequantize(&quantum, f32, -128), ==, -65.5);
  /* The largest storage value rounds to 2^31 in f32, which is no i32; the smallest is a number. */
  int64_t choices[QUANTUM_CHOICES_MAX];
  quantum_t wide = {.scale = 1,
                    .storage_min = INT32_MIN,
                    .storage_max = INT32_MAX,
                    .type_min = INT32_MIN,
                    .type_max = INT32_MAX};
  g_assert_cmpint(quantum_quantize(&wide, f32, 0x1p40), ==, INT32_MAX);
  g_assert_cmpuint(quantum_choices(&wide, f32, 0x1p40, choices), ==, 0);
  g_assert_cmpuint(quantum_choices(&wide, f32, 0x1.fffffep30, choices), ==, 1);
  g_assert_cmpint(choices[0], ==, 2147483520);
  g_assert_cmpuint(quantum_choices(&wide, f32, -0x1p40, choices), ==, 1);
  g_assert_cmpint(choices[0], ==, INT32_MIN);
  /* A narrow range, whose smallest value rounds to -2^31: that is an i32. */
  wide.storage_min = INT32_MIN + 1;
  g_assert_cmpuint(quantum_choices(&wide, f32, -0x1p40, choices), ==, 2);
  g_assert_cmpint(choices[0], ==, INT32_MIN + 1);
  g_assert_cmpint(choices[1], ==, INT32_MIN);
  /* A zero point that f16 has no number for. */
  const format_t *f16 = &format_table[FORMAT_f16];
  const quantum_t far = {.scale = 1, .zero_point = 65535, .storage_max = 65535};
  g_assert_cmpint(quantum_quantize(&far, f16, -100), ==, 65535);
  g_assert_false(quantum_is_decided(&far, f16, (double)-INFINITY));
}

static void test_axis(void) {
  static const double scales[] = {1, 2, 4};
  static const int64_t zero_points[] = {-1, 0, 5};
  const quantization_t quantization = {.expressed = element_named("f32"),
                                       .storage_min = -128,
                                       .storage_max = 127,
                                       .axis = 1,
                                       .count = 3,
                                       .scales = scales,
                                       .zero_points = zero_points};
  static const int64_t dims[] = {2, 3, 2};
  type_t type = type_make(element_named("i8"), 3, dims);
  type.quantization = &quantization;
  for (size_t i = 0; i < 12; i++) {
    quantum_t quantum = quantum_of(&type, i);
    g_assert_cmpfloat(quantum.scale, ==, scales[i / 2 % 3]);
    g_assert_cmpint(quantum.zero_point, ==, zero_points[i / 2 % 3]);
  }
}

static void test_arithmetics(void) {
  static const struct {
    const char *expressed, *permission;
    const char *formats[2];
  } rows[] = {{"f32", "intermediate=wide", {"f32"}},
              {"f64", "intermediate=wide", {"f64"}},
              {"f16", "intermediate=wide", {"f32"}},
              {"bf16", "intermediate=wide", {"f32"}},
              {"f8E4M3", "intermediate=wide", {"f32"}},
              {"f16", "intermediate=native", {"f16"}},
              {"f8E5M2", "intermediate=native", {"f8E5M2"}},
              {"f16", "intermediate=either", {"f16", "f32"}},
              {"f8E3M4", "intermediate=either", {"f8E3M4", "f32"}}};
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    contract_t contract;
    failure_t error;
    g_assert_cmpint(contract_parse(str_from(rows[i].permission), &contract, &error), ==, STATUS_OK);
    const quantization_t quantization = {.expressed = element_named(rows[i].expressed)};
    const type_t type = {.element = element_named("i8"), .quantization = &quantization};
    const format_t *formats[2];
    size_t count = quantum_arithmetics(&type, &contract, formats);
    g_assert_cmpuint(count, ==, rows[i].formats[1] == NULL ? 1 : 2);
    for (size_t k = 0; k < count; k++) {
      g_assert_cmpstr(formats[k]->name, ==, rows[i].formats[k]);
    }
    g_assert_true(quantum_first_arithmetic(&type, &contract) == formats[0]);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (int i = 0; i < FORMAT_COUNT; i++) {
    const format_t *format = &format_table[i];
    if (format->specials != FORMAT_IEEE || i == FORMAT_tf32) continue;
    g_autofree char *path = g_strdup_printf("/quantum/%s", format->name);
    g_test_add_data_func(path, format, test_format);
  }
  g_test_add_func("/quantum/by-hand", test_by_hand);
  g_test_add_func("/quantum/axis", test_axis);
  g_test_add_func("/quantum/arithmetics", test_arithmetics);
  return g_test_run();
}
