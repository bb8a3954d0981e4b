/* SPDX-License-Identifier: Apache-2.0 */
/* Each regime of operand data holds what it claims, for every element type. */
#include <math.h>

#include "harness/draw/special_values.h"
#include "tests/gen/regime_fixture.h"

/* ---- Every regime ---------------------------------------------------------------------------- */

/* Unused high bits are zero, and bytes beyond the tensor are left alone, whatever the length. */
static void check_bits(fixture_t *fixture, gen_regime_t regime) {
  tensor_t *input = &fixture->instance.operands[0];
  program_t *program = &fixture->instance.program;
  input->type.dims[0] = program->operands[0].dims[0] = program->results[0].dims[0] = 1;
  for (int64_t columns = 0; columns < 20; columns++) {
    input->type.dims[1] = program->operands[0].dims[1] = columns;
    g_assert_null(program_broken(program));
    size_t bytes = type_bytes(&input->type);
    for (int i = 0; i < 16; i++) {
      memset(input->data + bytes, 0xa5, 16);
      gen_data_in_regime(&fixture->rng, regime, &fixture->instance);
      for (size_t c = 0; c < input_count(fixture); c++) {
        g_assert_cmphex(input_bits(fixture, c) & ~element_mask(fixture->element), ==, 0);
      }
      for (size_t b = 0; b < 16; b++) g_assert_cmphex(input->data[bytes + b], ==, 0xa5);
    }
  }
}

static void test_bits(void) {
  for (int regime = 0; regime < REGIME_COUNT; regime++) {
    g_test_message("%s", gen_regime_name((gen_regime_t)regime));
    for_each_element((gen_regime_t)regime, true, true, check_bits);
  }
}

/* The hash of a draw of the regimes from `first` to before `end`, of every element type. */
static hash_text_t hash_of_regimes(gen_regime_t first, gen_regime_t end) {
  g_autoptr(GString) all = g_string_new(NULL);
  for (size_t e = 0; e < element_count; e++) {
    if (!element_table[e].is_tensor_element) continue;
    fixture_t fixture;
    fixture_init(&fixture, &element_table[e], element_table[e].name);
    for (int regime = (int)first; regime < (int)end; regime++) {
      gen_data_in_regime(&fixture.rng, (gen_regime_t)regime, &fixture.instance);
      case_print(&fixture.instance, all);
    }
    arena_deinit(&fixture.arena);
  }
  return hash_of(all->str, all->len);
}

/* Seeds are stored in databases, so data must never change: these hashes are to be changed only
 * together with a note to users.  The last regime is the op's. */
static void test_unchanged(void) {
  g_assert_cmpstr(hash_of_regimes(REGIME_small_integers, REGIME_normal).text, ==,
                  "1d41589362e393a6ad827976d99d3426");
  g_assert_cmpstr(hash_of_regimes(REGIME_normal, REGIME_edges).text, ==,
                  "3995239ebf73f3b0f26aa2bdf1a23e4f");
}

/* gen_data() draws every regime, about as often as its weight says. */
static void test_weights(void) {
  static const int weights[REGIME_COUNT] = {
#define REGIME(name, corner, ordinary, deployed, extreme, summary) corner,
#include "harness/gen/regimes.def"
#undef REGIME
  };
  fixture_t fixture;
  fixture_init(&fixture, element_named("f32"), "f32");
  int total = 0;
  int counts[REGIME_COUNT] = {0};
  for (int i = 0; i < REGIME_COUNT; i++) total += weights[i];
  int draws = 400 * total;
  for (int i = 0; i < draws; i++) counts[gen_data(&fixture.rng, &fixture.instance)]++;
  for (int i = 0; i < REGIME_COUNT; i++) {
    g_assert_cmpint(abs(counts[i] - 400 * weights[i]), <=, 100 * weights[i]);
  }
  arena_deinit(&fixture.arena);
}

/* ---- One regime after the other -------------------------------------------------------------- */

static void check_small_integers(fixture_t *fixture, gen_regime_t regime) {
  bool has_zero = fixture->element->format == NULL ||
                  fixture->element->format->specials != FORMAT_EXPONENT_ONLY;
  for (int i = 0; i < DRAWS; i++) {
    draw_input(fixture, regime);
    for (size_t c = 0; c < input_count(fixture); c++) {
      double value = input_value(fixture, c);
      g_assert_true(fabs(value) <= 8);
      if (has_zero) g_assert_cmpfloat((int)value, ==, value);
    }
  }
}

static void test_small_integers(void) {
  for_each_element(REGIME_small_integers, true, true, check_small_integers);
}

static void check_unit_range(fixture_t *fixture, gen_regime_t regime) {
  double low = regime == REGIME_positive ? 0 : -1;
  double smallest = INFINITY;
  double largest = -INFINITY;
  for (int i = 0; i < DRAWS; i++) {
    draw_input(fixture, regime);
    for (size_t c = 0; c < input_count(fixture); c++) {
      double value = input_value(fixture, c);
      g_assert_true(value > low - 1e-300 && value < 1);
      smallest = MIN(smallest, value);
      largest = MAX(largest, value);
    }
  }
  bool has_sign = fixture->element->format->specials != FORMAT_EXPONENT_ONLY;
  g_assert_cmpfloat(largest, >=, 0.5);
  if (regime == REGIME_uniform && has_sign) g_assert_cmpfloat(smallest, <=, -0.5);
  if (regime == REGIME_positive) g_assert_cmpfloat(smallest, <, 0.5);
}

/* Values of a coarse histogram are alike in number. */
static void test_uniform(void) {
  for_each_element(REGIME_uniform, true, false, check_unit_range);
  for_each_element(REGIME_positive, true, false, check_unit_range);
  static const char *const names[] = {"f64", "f32", "f16", "bf16"};
  for (size_t n = 0; n < G_N_ELEMENTS(names); n++) {
    fixture_t fixture;
    fixture_init(&fixture, element_named(names[n]), names[n]);
    int histogram[8] = {0};
    for (int i = 0; i < DRAWS; i++) {
      gen_data_in_regime(&fixture.rng, REGIME_uniform, &fixture.instance);
      for (size_t c = 0; c < COUNT; c++) histogram[(int)(4 * (input_value(&fixture, c) + 1))]++;
    }
    int expected = DRAWS * COUNT / 8;
    for (size_t i = 0; i < G_N_ELEMENTS(histogram); i++) {
      g_assert_cmpint(abs(histogram[i] - expected), <, expected / 20);
    }
    arena_deinit(&fixture.arena);
  }
}

/* Integers of uniform draws reach every width, and positive ones are never negative. */
static void check_integer_range(fixture_t *fixture, gen_regime_t regime) {
  bool has_negative = false;
  bool has_large = false;
  for (int i = 0; i < DRAWS; i++) {
    draw_input(fixture, regime);
    for (size_t c = 0; c < input_count(fixture); c++) {
      uint64_t bits = input_bits(fixture, c);
      bool negative =
          fixture->element->kind == ELEMENT_SIGNED && bits >> (fixture->element->bits - 1) != 0;
      has_negative |= negative;
      has_large |= !negative && bits > element_integer_max(fixture->element) / 2;
    }
  }
  g_assert_true(has_large);
  g_assert_cmpint(has_negative, ==,
                  fixture->element->kind == ELEMENT_SIGNED && regime != REGIME_positive);
}

static void test_integers(void) {
  for_each_element(REGIME_uniform, false, true, check_integer_range);
  for_each_element(REGIME_positive, false, true, check_integer_range);
  for_each_element(REGIME_wide, false, true, check_integer_range);
}

static bool is_power_of_two(uint64_t value) { return value != 0 && (value & (value - 1)) == 0; }

/* All finite, and of nearly every exponent that the format has. */
static void check_exponents(fixture_t *fixture, gen_regime_t regime) {
  const format_t *format = fixture->element->format;
  g_autoptr(GHashTable) binades = g_hash_table_new(NULL, NULL);
  for (int i = 0; i < 4 * DRAWS; i++) {
    draw_input(fixture, regime);
    for (size_t c = 0; c < input_count(fixture); c++) {
      number_t number = format_decode(format, input_bits(fixture, c));
      g_assert_true(number.kind == NUMBER_FINITE || number.kind == NUMBER_ZERO);
      if (number.kind == NUMBER_ZERO) continue;
      if (regime == REGIME_powers) g_assert_true(is_power_of_two(number.significand));
      int binade = number.exponent + 63 - __builtin_clzll(number.significand);
      g_hash_table_add(binades, GINT_TO_POINTER(binade));
    }
  }
  int normal = format->exponent_max - format->exponent_min + 1;
  g_assert_cmpint((int)g_hash_table_size(binades), >=, normal * 9 / 10 - 1);
}

static void test_exponents(void) {
  for_each_element(REGIME_wide, true, false, check_exponents);
  for_each_element(REGIME_powers, true, false, check_exponents);
}

static void check_integer_powers(fixture_t *fixture, gen_regime_t regime) {
  const element_t *element = fixture->element;
  for (int i = 0; i < DRAWS; i++) {
    draw_input(fixture, regime);
    for (size_t c = 0; c < input_count(fixture); c++) {
      uint64_t bits = input_bits(fixture, c);
      uint64_t negated = (0 - bits) & element_mask(element);
      g_assert_true(is_power_of_two(bits) || is_power_of_two(negated));
    }
  }
}

static void test_integer_powers(void) {
  for_each_element(REGIME_powers, false, true, check_integer_powers);
}

/* Draws a regime often and says which classes of patterns it held. */
typedef struct classes {
  int nan, infinity, positive_zero, negative_zero, subnormal, largest, total;
} classes_t;

static classes_t count_classes(fixture_t *fixture, gen_regime_t regime) {
  const format_t *format = fixture->element->format;
  classes_t classes = {0};
  for (int i = 0; i < DRAWS; i++) {
    draw_input(fixture, regime);
    for (size_t c = 0; c < input_count(fixture); c++) {
      uint64_t bits = input_bits(fixture, c);
      bool negative = format_is_negative(format, bits);
      classes.nan += format_is_nan(format, bits);
      classes.infinity += format_is_infinity(format, bits);
      classes.positive_zero += format_is_zero(format, bits) && !negative;
      classes.negative_zero += format_is_zero(format, bits) && negative;
      classes.subnormal += format_is_subnormal(format, bits);
      classes.largest += bits == format->largest_bits;
      classes.total++;
    }
  }
  return classes;
}

static void check_boundaries(fixture_t *fixture, gen_regime_t regime) {
  const format_t *format = fixture->element->format;
  classes_t classes = count_classes(fixture, regime);
  g_assert_cmpint(classes.largest, >, classes.total / 200);
  g_assert_cmpint(classes.subnormal > 0, ==, format->specials != FORMAT_EXPONENT_ONLY);
  g_assert_cmpint(classes.nan + classes.infinity, ==, 0);
}

static void check_specials(fixture_t *fixture, gen_regime_t regime) {
  const format_t *format = fixture->element->format;
  classes_t classes = count_classes(fixture, regime);
  g_assert_cmpint(classes.nan > 10, ==, format_has_nan(format));
  g_assert_cmpint(classes.infinity > 10, ==, format_has_infinity(format));
  g_assert_cmpint(classes.negative_zero > 10, ==, format_has_negative_zero(format));
  g_assert_cmpint(classes.nan + classes.infinity, <, classes.total / 4);
}

static void check_zeros(fixture_t *fixture, gen_regime_t regime) {
  const format_t *format = fixture->element->format;
  if (format->specials == FORMAT_EXPONENT_ONLY) return; /* It has no zero. */
  classes_t classes = count_classes(fixture, regime);
  g_assert_cmpint(classes.positive_zero + classes.negative_zero, >, classes.total * 3 / 4);
  g_assert_cmpint(classes.positive_zero, >, classes.total / 5);
  g_assert_cmpint(classes.negative_zero > classes.total / 5, ==, format_has_negative_zero(format));
}

static void test_boundaries(void) {
  for_each_element(REGIME_boundaries, true, false, check_boundaries);
}
static void test_specials(void) { for_each_element(REGIME_specials, true, false, check_specials); }
static void test_zeros(void) { for_each_element(REGIME_zeros, true, false, check_zeros); }

static void check_any_bits(fixture_t *fixture, gen_regime_t regime) {
  if (fixture->element->bits > 8) return;
  bool seen[256] = {false};
  for (int i = 0; i < DRAWS; i++) {
    draw_input(fixture, regime);
    for (size_t c = 0; c < input_count(fixture); c++) seen[input_bits(fixture, c)] = true;
  }
  for (uint64_t bits = 0; bits <= element_mask(fixture->element); bits++) {
    g_assert_true(seen[bits]);
  }
}

static void test_any_bits(void) { for_each_element(REGIME_any_bits, true, true, check_any_bits); }

static void check_component(fixture_t *fixture, gen_regime_t unused) {
  (void)unused;
  const element_t *element = fixture->element;
  g_autoptr(GHashTable) seen = g_hash_table_new(g_int64_hash, g_int64_equal);
  for (int i = 0; i < 2000; i++) {
    uint64_t *bits = ARENA_NEW_ARRAY(&fixture->arena, uint64_t, 1);
    *bits = special_value_any(&fixture->rng, element);
    g_assert_cmphex(*bits & ~element_mask(element), ==, 0);
    g_hash_table_add(seen, bits);
  }
  uint64_t patterns = element->bits > 6 ? 100 : UINT64_C(1) << element->bits;
  g_assert_cmpuint(g_hash_table_size(seen), >=, patterns);
  uint64_t corners[] = {
      0, element->format == NULL ? element_integer_max(element) : element->format->largest_bits};
  for (size_t i = 0; i < G_N_ELEMENTS(corners); i++) {
    g_assert_true(g_hash_table_contains(seen, &corners[i]));
  }
}

static void test_component(void) { for_each_element(REGIME_any_bits, true, true, check_component); }

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/regime/bits", test_bits);
  g_test_add_func("/regime/unchanged", test_unchanged);
  g_test_add_func("/regime/weights", test_weights);
  g_test_add_func("/regime/small_integers", test_small_integers);
  g_test_add_func("/regime/uniform", test_uniform);
  g_test_add_func("/regime/integers", test_integers);
  g_test_add_func("/regime/exponents", test_exponents);
  g_test_add_func("/regime/integer_powers", test_integer_powers);
  g_test_add_func("/regime/boundaries", test_boundaries);
  g_test_add_func("/regime/specials", test_specials);
  g_test_add_func("/regime/zeros", test_zeros);
  g_test_add_func("/regime/any_bits", test_any_bits);
  g_test_add_func("/regime/component", test_component);
  return g_test_run();
}
