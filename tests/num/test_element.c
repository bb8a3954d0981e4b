/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of element types, integer values, and loading and storing components. */
#include "harness/num/element.h"

#include <glib.h>
#include <math.h>

#include "harness/base/rng.h"
#include "harness/num/element_value.h"

/* What MLIR's spellings say. */
typedef struct expected_row {
  const char *name;
  element_kind_t kind;
  unsigned bits;
  int64_t min;
  uint64_t max;
} expected_row_t;

static const expected_row_t integers[] = {
    {"i1", ELEMENT_BOOLEAN, 1, 0, 1},
    {"i2", ELEMENT_SIGNED, 2, -2, 1},
    {"i4", ELEMENT_SIGNED, 4, -8, 7},
    {"i8", ELEMENT_SIGNED, 8, INT8_MIN, INT8_MAX},
    {"i16", ELEMENT_SIGNED, 16, INT16_MIN, INT16_MAX},
    {"i32", ELEMENT_SIGNED, 32, INT32_MIN, INT32_MAX},
    {"i64", ELEMENT_SIGNED, 64, INT64_MIN, INT64_MAX},
    {"ui2", ELEMENT_UNSIGNED, 2, 0, 3},
    {"ui4", ELEMENT_UNSIGNED, 4, 0, 15},
    {"ui8", ELEMENT_UNSIGNED, 8, 0, UINT8_MAX},
    {"ui16", ELEMENT_UNSIGNED, 16, 0, UINT16_MAX},
    {"ui32", ELEMENT_UNSIGNED, 32, 0, UINT32_MAX},
    {"ui64", ELEMENT_UNSIGNED, 64, 0, UINT64_MAX},
};

static void test_integers(void) {
  for (size_t i = 0; i < G_N_ELEMENTS(integers); i++) {
    const expected_row_t *expected = &integers[i];
    const element_t *element = element_named(expected->name);
    g_assert_cmpint(element->kind, ==, expected->kind);
    g_assert_cmpint(element->bits, ==, expected->bits);
    g_assert_cmpint(element_integer_min(element), ==, expected->min);
    g_assert_cmpuint(element_integer_max(element), ==, expected->max);
    g_assert_cmpint(element_is_integer(element), ==, expected->kind != ELEMENT_BOOLEAN);
    g_assert_null(element->format);
  }
}

/* The pattern of the smallest, the largest and -1, with dirty bits above. */
static void test_signed_value(void) {
  for (size_t i = 0; i < G_N_ELEMENTS(integers); i++) {
    const element_t *element = element_named(integers[i].name);
    uint64_t mask = element_mask(element);
    g_assert_cmpint(__builtin_popcountll(mask), ==, integers[i].bits);
    uint64_t smallest = (uint64_t)integers[i].min & mask;
    g_assert_cmpint(element_signed_value(element, smallest), ==, integers[i].min);
    g_assert_cmpint(element_signed_value(element, smallest | ~mask), ==, integers[i].min);
    g_assert_cmpint(element_signed_value(element, integers[i].max), ==, (int64_t)integers[i].max);
    int64_t all_ones = integers[i].kind == ELEMENT_SIGNED ? -1 : (int64_t)mask;
    g_assert_cmpint(element_signed_value(element, mask), ==, all_ones);
  }
}

static void test_floats(void) {
  for (size_t i = 0; i < FORMAT_COUNT; i++) {
    const element_t *element = element_named(format_table[i].name);
    g_assert_cmpint(element->kind, ==, ELEMENT_FLOAT);
    g_assert_true(element->format == &format_table[i]);
    g_assert_cmpint(element->bits, ==, format_table[i].bits);
    bool is_tf32 = g_str_equal(element->name, "tf32");
    g_assert_cmpint(element->is_tensor_element, ==, !is_tf32);
  }
  const char *parts[] = {"f32", "f64"};
  for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
    char *name = g_strdup_printf("complex<%s>", parts[i]);
    const element_t *element = element_named(name);
    g_assert_cmpint(element->kind, ==, ELEMENT_COMPLEX);
    g_assert_cmpint(element->components, ==, 2);
    g_assert_true(element->format == format_find(str_from(parts[i])));
    g_assert_cmpint(element->bits, ==, element->format->bits);
    g_assert_cmpuint(element_bytes(element), ==, 2u * element->bits / 8);
    g_free(name);
  }
}

static void test_find(void) {
  for (size_t i = 0; i < element_count; i++) {
    g_assert_true(element_find(str_from(element_table[i].name)) == &element_table[i]);
  }
  const char *unknown[] = {"", "i", "i3", "u8", "si8", "ui1", "f80", "complex<f16>", "f32x"};
  for (size_t i = 0; i < G_N_ELEMENTS(unknown); i++) {
    g_assert_null(element_find(str_from(unknown[i])));
  }
}

/* Each component holds its own bytes and disturbs no other. */
static void test_load_store(void) {
  enum { COUNT = 7 };
  for (size_t i = 0; i < element_count; i++) {
    const element_t *element = &element_table[i];
    uint8_t data[COUNT * 8 + 1];
    memset(data, 0xa5, sizeof data);
    size_t bytes = element->component_bytes;
    g_assert_cmpuint(bytes * 8, >=, element->bits);
    g_assert_cmpuint(bytes * 8, <, element->bits + 8u);
    for (size_t j = 0; j < COUNT; j++) {
      uint64_t bits = (UINT64_C(0x9e3779b97f4a7c15) * (j + 1)) & element_mask(element);
      element_store(element, data, j, bits);
      g_assert_cmphex(data[j * bytes], ==, bits & 0xff); /* Little-endian. */
    }
    for (size_t j = 0; j < COUNT; j++) {
      uint64_t bits = (UINT64_C(0x9e3779b97f4a7c15) * (j + 1)) & element_mask(element);
      g_assert_cmphex(element_load(element, data, j), ==, bits);
    }
    g_assert_cmphex(data[COUNT * bytes], ==, 0xa5);
  }
}

/* Of every pattern of 16 bits and fewer, and as many of the others: what the format says. */
static void test_load_float(void) {
  enum { PATTERNS = 1 << 16 };
  for (size_t i = 0; i < FORMAT_COUNT; i++) {
    const format_t *format = &format_table[i];
    const element_t *element = element_find(str_from(format->name));
    if (element == NULL || element->kind != ELEMENT_FLOAT) continue;
    rng_t rng = rng_make(i);
    for (uint64_t pattern = 0; pattern < PATTERNS; pattern++) {
      uint64_t bits = (element->bits <= 16 ? pattern : rng_bits(&rng)) & element_mask(element);
      uint8_t data[2 * sizeof bits] = {0};
      element_store(element, data, 1, bits);
      double value = element_load_float(element, data, 1);
      double expected = format_to_double(format, bits);
      bool is_same = isnan(expected) ? isnan(value) : value == expected;
      g_assert_true(is_same && (isnan(expected) || signbit(value) == signbit(expected)));
    }
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/element/integers", test_integers);
  g_test_add_func("/element/signed_value", test_signed_value);
  g_test_add_func("/element/floats", test_floats);
  g_test_add_func("/element/find", test_find);
  g_test_add_func("/element/load_store", test_load_store);
  g_test_add_func("/element/load_float", test_load_float);
  return g_test_run();
}
