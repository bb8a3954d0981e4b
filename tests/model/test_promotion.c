/* SPDX-License-Identifier: Apache-2.0 */
/* Which element types hold which, value by value. */
#include <math.h>

#include "harness/draw/draw.h"
#include "harness/types/promotion.h"

static void test_promotable(void) {
  static const struct {
    const char *from;
    const char *to;
    bool is_promotable;
    bool is_exact;
  } rows[] = {
      {"f32", "f32", true, true},
      {"f32", "f64", true, true},
      {"f64", "f32", false, false},
      {"f16", "bf16", true, false},
      {"bf16", "f16", true, false},
      {"bf16", "f32", true, true},
      {"f8E4M3FN", "f16", true, true},
      {"f8E8M0FNU", "bf16", true, true},
      {"f8E8M0FNU", "f16", true, false},
      {"f6E2M3FN", "f8E5M2", true, false},
      {"f4E2M1FN", "f8E4M3FNUZ", true, false},
      {"f4E2M1FN", "f8E4M3FN", true, true},
      {"tf32", "f32", false, false},
      {"f16", "i32", false, false},
      {"i8", "i32", true, true},
      {"i8", "ui8", true, false},
      {"ui8", "i8", true, false},
      {"ui8", "i16", true, true},
      {"i8", "ui16", true, false},
      {"i32", "i8", false, false},
      {"i1", "i1", true, true},
      {"i1", "i8", false, false},
      {"i8", "i1", false, false},
      {"complex<f32>", "complex<f64>", true, true},
      {"complex<f64>", "complex<f32>", false, false},
      {"f32", "complex<f32>", false, false},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    const element_t *from = element_named(rows[i].from);
    const element_t *to = element_named(rows[i].to);
    g_test_message("%s to %s", rows[i].from, rows[i].to);
    g_assert_cmpint(element_is_promotable(from, to), ==, rows[i].is_promotable);
    g_assert_cmpint(element_promotion_is_exact(from, to), ==, rows[i].is_exact);
    status_t status = element_require_exact_promotion(from, to, NULL);
    g_assert_cmpint(status, ==, rows[i].is_exact ? STATUS_OK : STATUS_UNSUPPORTED);
  }
}

static bool float_survives(const format_t *from, const format_t *to, uint64_t bits) {
  double before = format_to_double(from, bits);
  double after = format_to_double(to, format_convert(from, to, bits, ROUNDING_NEAREST_EVEN));
  if (isnan(before)) return isnan(after);
  return before == after && signbit(before) == signbit(after);
}

static bool integer_survives(const element_t *from, const element_t *to, uint64_t bits) {
  int64_t value = element_signed_value(from, bits);
  if (value < 0 && to->kind == ELEMENT_UNSIGNED) return false;
  return element_signed_value(to, (uint64_t)value & element_mask(to)) == value;
}

static bool all_survive(const element_t *from, const element_t *to) {
  for (uint64_t bits = 0; bits <= element_mask(from); bits++) {
    bool survives = from->format != NULL ? float_survives(from->format, to->format, bits)
                                         : integer_survives(from, to, bits);
    if (!survives) return false;
  }
  return true;
}

/* Every pair whose source has at most 16 bits, by trying all its values. */
static void test_exact(void) {
  size_t exact = 0;
  for (size_t f = 0; f < element_count; f++) {
    const element_t *from = &element_table[f];
    if (from->bits > 16 || from->kind == ELEMENT_COMPLEX) continue;
    for (size_t t = 0; t < element_count; t++) {
      const element_t *to = &element_table[t];
      if (!element_is_promotable(from, to)) continue;
      bool is_exact = element_promotion_is_exact(from, to);
      if (is_exact != all_survive(from, to)) g_error("%s to %s", from->name, to->name);
      exact += is_exact;
    }
  }
  g_assert_cmpuint(exact, >, 60);
}

/* Accumulation types are mostly the type itself, and never an integer type that may lose values. */
static void test_draw(void) {
  rng_t rng = rng_make(3);
  for (size_t f = 0; f < element_count; f++) {
    const element_t *from = &element_table[f];
    if (!from->is_tensor_element) continue;
    size_t same = 0;
    size_t inexact = 0;
    for (size_t i = 0; i < 1000; i++) {
      const element_t *to = draw_promotion(&rng, from);
      g_assert_true(element_is_promotable(from, to));
      same += to == from;
      inexact += !element_promotion_is_exact(from, to);
    }
    g_assert_cmpuint(same, >, 500);
    g_assert_cmpuint(inexact, <, 100);
    if (from->format == NULL) g_assert_cmpuint(inexact, ==, 0);
    if (from == element_named("f16")) g_assert_cmpuint(inexact, >, 0);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/promotion/promotable", test_promotable);
  g_test_add_func("/promotion/exact", test_exact);
  g_test_add_func("/promotion/draw", test_draw);
  return g_test_run();
}
