/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor types: text, bounds and the rules of quantized types. */
#include <math.h>

#include "harness/base/rng.h"
#include "harness/types/scale.h"
#include "harness/types/type.h"

static status_t parse(const char *text, arena_t *arena, type_t *out_type, failure_t *error) {
  scan_t scan = scan_make(str_from(text));
  STATUS_TRY(type_parse(&scan, arena, out_type, error));
  return scan_at_end(&scan) ? STATUS_OK : scan_fail_expecting(&scan, error, "the end");
}

static void check_round_trip(const char *text) {
  arena_t arena;
  arena_init(&arena);
  failure_t error = {0};
  type_t type;
  g_test_message("%s", text);
  g_assert_cmpint(parse(text, &arena, &type, &error), ==, STATUS_OK);
  g_assert_cmpint(type_check(&type, &error), ==, STATUS_OK);
  GString *printed = g_string_new(NULL);
  type_print(&type, printed);
  g_assert_cmpstr(printed->str, ==, text);
  type_t again;
  g_assert_cmpint(parse(printed->str, &arena, &again, &error), ==, STATUS_OK);
  g_assert_true(type_equal(&type, &again));
  g_string_free(printed, TRUE);
  arena_deinit(&arena);
}

static void test_elements(void) {
  static const char *const shapes[] = {"[]", "[0]", "[7]", "[2,3]", "[1,1,1,1,1,1,1,2]", "[5,0,9]"};
  for (size_t e = 0; e < element_count; e++) {
    for (size_t s = 0; s < G_N_ELEMENTS(shapes); s++) {
      if (!element_table[e].is_tensor_element) continue;
      g_autofree char *text = g_strconcat(element_table[e].name, shapes[s], NULL);
      check_round_trip(text);
    }
  }
}

static void test_counts(void) {
  static const struct {
    const char *text;
    size_t elements, components, bytes;
  } rows[] = {
      {"f32[]", 1, 1, 4},       {"f32[2,3]", 6, 6, 24},
      {"i4[5]", 5, 5, 5},       {"complex<f64>[2,2]", 4, 8, 64},
      {"f64[3,0,4]", 0, 0, 0},  {"f6E3M2FN[9]", 9, 9, 9},
      {"ui16[1,1,3]", 3, 3, 6}, {"!quant.uniform<i16:f32,0x1p+0>[2]", 2, 2, 4},
  };
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    type_t type;
    g_assert_cmpint(parse(rows[i].text, &arena, &type, NULL), ==, STATUS_OK);
    g_assert_cmpuint(type_element_count(&type), ==, rows[i].elements);
    g_assert_cmpuint(type_component_count(&type), ==, rows[i].components);
    g_assert_cmpuint(type_bytes(&type), ==, rows[i].bytes);
  }
  arena_deinit(&arena);
}

static void test_quantized(void) {
  static const char *const rows[] = {
      "!quant.uniform<i8:f32,0x1p-1>[2]",
      "!quant.uniform<i8:f32,0x1.8p-3:-128>[]",
      "!quant.uniform<i8<-127:127>:f32:1,{0x1p-1:3,0x1p+0}>[2,2]",
      "!quant.uniform<ui8:bf16,0x1p+0:255>[3]",
      "!quant.uniform<i2<-1:1>:f16,0x1p-24>[3]",
      "!quant.uniform<ui2:f64,0x1p-1074:3>[1]",
      "!quant.uniform<i4:f64,0x1.fffffffffffffp+1023>[1]",
      "!quant.uniform<i16:f8E4M3FN,0x1.cp+8>[1]",
      "!quant.uniform<ui16<1:2>:f4E2M1FN,0x1.8p+2:2>[1]",
      "!quant.uniform<i32:f32,0x1.fffffep+127:-2147483648>[1]",
      "!quant.uniform<ui32:f32:0,{0x1p-149,0x1p-149:4294967295,0x1p+0}>[3,0]",
      "!quant.uniform<i8:f8E8M0FNU,0x1p-127>[]",
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) check_round_trip(rows[i]);
}

/* Spellings that parsing refuses, with the column and the message. */
static void test_refused_spellings(void) {
  static const struct {
    const char *text;
    size_t column;
    const char *message;
  } rows[] = {
      {"", 1, "expected an element type, found the end of the line"},
      {"f32", 4, "expected \"[\", found the end of the line"},
      {"f33[]", 1, "expected an element type, found \"f33[]\""},
      {"F32[]", 1, "expected an element type, found \"F32[]\""},
      {"tf32[2]", 1, "tf32 is not a tensor element type"},
      {"complex<f16>[2]", 1, "expected an element type, found \"complex<f16>[2]\""},
      {"f32[2", 6, "expected \"]\", found the end of the line"},
      {"f32[2,]", 7, "expected an integer, found \"]\""},
      {"f32[,2]", 5, "expected an integer, found \",2]\""},
      {"f32[02]", 5, "an integer is written without leading zeros"},
      {"f32[+2]", 5, "expected an integer, found \"+2]\""},
      {"f32[-2]", 5, "a size is not negative"},
      {"f32[-0]", 5, "an integer is written without leading zeros"},
      {"f32[ 2]", 5, "expected an integer, found \" 2]\""},
      {"f32[?]", 6, "expected an integer, found \"]\""},
      {"f32[99999999999999999999]", 5, "the integer does not fit in 64 bits"},
      {"f32[1,1,1,1,1,1,1,1,1]", 21, "a tensor has at most 8 dimensions"},
      {"f32[2]]", 7, "expected the end, found \"]\""},
      {"!quant.uniform<f32:f32,0x1p+0>[]", 16,
       "the storage type is an integer of 2 to 32 bits, not f32"},
      {"!quant.uniform<i64:f32,0x1p+0>[]", 16,
       "the storage type is an integer of 2 to 32 bits, not i64"},
      {"!quant.uniform<i1:f32,0x1p+0>[]", 16,
       "the storage type is an integer of 2 to 32 bits, not i1"},
      {"!quant.uniform<u8:f32,0x1p+0>[]", 16,
       "expected an element type, found \"u8:f32,0x1p+0>[]\""},
      {"!quant.uniform<i8<-128:127>:f32,0x1p+0>[]", 18, "the full storage range is left out"},
      {"!quant.uniform<i8<-12:>:f32,0x1p+0>[]", 23,
       "expected an integer, found \">:f32,0x1p+0>[]\""},
      {"!quant.uniform<i8:tf32,0x1p+0>[]", 19, "tf32 is not a tensor element type"},
      {"!quant.uniform<i8:f32:8,{}>[]", 23, "a quantization axis is in 0..7"},
      {"!quant.uniform<i8:f32:-1,{}>[]", 23, "a quantization axis is in 0..7"},
      {"!quant.uniform<i8:f32:0,0x1p+0>[1]", 25, "expected \"{\", found \"0x1p+0>[1]\""},
      {"!quant.uniform<i8:f32,{0x1p+0}>[1]", 23,
       "expected a positive scale in hex such as 0x1.8p-3, found \"{0x1p+0}>[1]\""},
      {"!quant.uniform<i8:f32,0x1p+0:0>[]", 29, "a zero point of 0 is left out"},
      {"!quant.uniform<i8:f32, 0x1p+0>[]", 23,
       "expected a positive scale in hex such as 0x1.8p-3, found \" 0x1p+0>[]\""},
      {"!quant.uniform<i8:f32:0,{0x1p+0,}>[2]", 33,
       "expected a positive scale in hex such as 0x1.8p-3, found \"}>[2]\""},
      {"!quant.uniform<i8:f32,0x1p+0", 29, "expected \">\", found the end of the line"},
  };
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    type_t type;
    failure_t error = {0};
    g_test_message("%s", rows[i].text);
    g_assert_cmpint(parse(rows[i].text, &arena, &type, &error), ==, STATUS_INVALID);
    g_autofree char *expected = g_strdup_printf("column %zu: %s", rows[i].column, rows[i].message);
    g_assert_cmpstr(error.text, ==, expected);
    g_assert_cmpuint(error.column, ==, rows[i].column);
  }
  arena_deinit(&arena);
}

/* Well spelled types that break a bound or a rule. */
static void test_refused_types(void) {
  static const struct {
    const char *text;
    const char *message;
  } rows[] = {
      {"i8[16777217]", "a tensor has at most 16777216 elements"},
      {"i8[0,16777217]", "a tensor has at most 16777216 elements"},
      {"i8[4294967296,4294967296,4294967296]", "a tensor has at most 16777216 elements"},
      {"i8[9223372036854775807,2]", "a tensor has at most 16777216 elements"},
      {"f64[16777216]", "a tensor has at most 67108864 bytes"},
      {"complex<f64>[8388608,0]", "a tensor has at most 67108864 bytes"},
      {"!quant.uniform<i8<5:5>:f32,0x1p+0:5>[]", "storage range 5:5 is empty or exceeds i8"},
      {"!quant.uniform<i8<-129:3>:f32,0x1p+0>[]", "storage range -129:3 is empty or exceeds i8"},
      {"!quant.uniform<ui8<-1:3>:f32,0x1p+0>[]", "storage range -1:3 is empty or exceeds ui8"},
      {"!quant.uniform<i8:i32,0x1p+0>[]", "the expressed type is a float, not i32"},
      {"!quant.uniform<i8:complex<f32>,0x1p+0>[]",
       "the expressed type is a float, not complex<f32>"},
      {"!quant.uniform<i8:f16,0x1p+16>[]", "scale 0 is not a positive finite number of f16"},
      {"!quant.uniform<i8:f16,0x1p-25>[]", "scale 0 is not a positive finite number of f16"},
      {"!quant.uniform<i8:bf16,0x1.01p+0>[]", "scale 0 is not a positive finite number of bf16"},
      {"!quant.uniform<i8:f4E2M1FN,0x1p+3>[]",
       "scale 0 is not a positive finite number of f4E2M1FN"},
      {"!quant.uniform<i8:f32,0x1p+0:128>[]", "zero point 128 is outside of the storage range"},
      {"!quant.uniform<i8<-127:127>:f32,0x1p+0:-128>[]",
       "zero point -128 is outside of the storage range"},
      {"!quant.uniform<i8:f32:1,{0x1p+0}>[1]", "quantization axis 1 is not below the rank, 1"},
      {"!quant.uniform<i8:f32:0,{0x1p+0}>[2]", "1 scales for 2 slices along axis 0 (at most 4096)"},
      {"!quant.uniform<i8:f32:0,{}>[1]", "0 scales for 1 slices along axis 0 (at most 4096)"},
      {"!quant.uniform<i8:f32:2,{}>[1,1,0]",
       "a type has one scale at least, but dimension 2, along which it is quantized, has no slice"},
  };
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    type_t type;
    failure_t error = {0};
    g_test_message("%s", rows[i].text);
    g_assert_cmpint(parse(rows[i].text, &arena, &type, &error), ==, STATUS_OK);
    g_assert_cmpint(type_check(&type, &error), ==, STATUS_INVALID);
    g_assert_cmpstr(error.text, ==, rows[i].message);
  }
  arena_deinit(&arena);
}

/* The largest types that obey the bounds. */
static void test_largest(void) {
  static const char *const rows[] = {
      "i8[16777216]", "f32[4096,4096]", "f64[8388608]", "complex<f64>[4194304]", "i8[0,16777216]",
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) check_round_trip(rows[i]);
}

static char *per_axis_text(int count) {
  GString *text = g_string_new("!quant.uniform<i8:f32:0,{");
  for (int i = 0; i < count; i++) g_string_append(text, i == 0 ? "0x1p+0" : ",0x1p+0");
  g_string_append_printf(text, "}>[%d]", count);
  return g_string_free(text, FALSE);
}

static void test_scale_count(void) {
  g_autofree char *most = per_axis_text(TYPE_SCALES_MAX);
  check_round_trip(most);
  g_autofree char *too_many = per_axis_text(TYPE_SCALES_MAX + 1);
  arena_t arena;
  arena_init(&arena);
  type_t type;
  failure_t error = {0};
  g_assert_cmpint(parse(too_many, &arena, &type, &error), ==, STATUS_INVALID);
  g_assert_cmpstr(error.text, ==, "column 26: a quantized type has at most 4096 scales");
  arena_deinit(&arena);
}

static void test_mlir(void) {
  static const struct {
    const char *text;
    const char *mlir;
  } rows[] = {
      {"f32[]", "tensor<f32>"},
      {"ui8[2,3]", "tensor<2x3xui8>"},
      {"complex<f32>[0]", "tensor<0xcomplex<f32>>"},
      {"!quant.uniform<i8:f32,0x1p-1:3>[2]",
       "tensor<2x!quant.uniform<i8:f32, 5.0000000000000000e-01:3>>"},
      {"!quant.uniform<ui8<1:9>:f16:0,{0x1p+0:2,0x1.8p+0:1}>[2]",
       "tensor<2x!quant.uniform<u8<1:9>:f16:0, {1.0000000000000000e+00:2, "
       "1.5000000000000000e+00:1}>>"},
  };
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    type_t type;
    g_assert_cmpint(parse(rows[i].text, &arena, &type, NULL), ==, STATUS_OK);
    g_autoptr(GString) mlir = g_string_new(NULL);
    type_print_mlir(&type, mlir);
    g_assert_cmpstr(mlir->str, ==, rows[i].mlir);
  }
  arena_deinit(&arena);
}

static void test_equal(void) {
  static const char *const rows[] = {
      "f32[2]",
      "f32[3]",
      "f32[2,1]",
      "i32[2]",
      "i8[2]",
      "!quant.uniform<i8:f32,0x1p+0>[2]",
      "!quant.uniform<i8:f16,0x1p+0>[2]",
      "!quant.uniform<i8:f32,0x1p+1>[2]",
      "!quant.uniform<i8:f32,0x1p+0:1>[2]",
      "!quant.uniform<i8<0:9>:f32,0x1p+0>[2]",
      "!quant.uniform<i8<0:8>:f32,0x1p+0>[2]",
      "!quant.uniform<i8:f32:0,{0x1p+0,0x1p+0}>[2]",
      "!quant.uniform<i8:f32:0,{0x1p+0}>[1,1]",
      "!quant.uniform<i8:f32:1,{0x1p+0}>[1,1]",
  };
  type_t types[G_N_ELEMENTS(rows)];
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_assert_cmpint(parse(rows[i], &arena, &types[i], NULL), ==, STATUS_OK);
  }
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    for (size_t j = 0; j < G_N_ELEMENTS(rows); j++) {
      g_assert_cmpint(type_equal(&types[i], &types[j]), ==, i == j);
    }
  }
  arena_deinit(&arena);
}

/* The C library prints and reads hex floats too, though not in one spelling. */
static void test_scales(void) {
  rng_t rng = rng_make(1);
  for (int i = 0; i < 100000; i++) {
    uint64_t bits = rng_bits(&rng) >> 1;
    if (i % 2 == 0) bits >>= rng_below(&rng, 63);
    double scale = format_to_double(&format_table[FORMAT_f64], bits);
    if (!isfinite(scale) || scale == 0) continue;
    g_autoptr(GString) text = g_string_new(NULL);
    scale_print(scale, text);
    g_assert_cmpfloat(strtod(text->str, NULL), ==, scale);
    double again = 0;
    g_assert_true(scale_parse(str_from(text->str), &again));
    g_assert_cmpfloat(again, ==, scale);
  }
}

static void test_refused_scales(void) {
  static const char *const rows[] = {
      "",
      "0",
      "0x0p+0",
      "1.5",
      "0x1",
      "0x1p0",
      "0x1p+00",
      "0x1p-0",
      "0x1.p+0",
      "0x1.80p+0",
      "0x1.8P+0",
      "0X1p+0",
      "0x2p+0",
      "0x.8p+0",
      "-0x1p+0",
      "+0x1p+0",
      "inf",
      "nan",
      "0x1p+1024",
      "0x1p-1075",
      "0x1.8p-1074",
      "0x1.00000000000001p+0",
      "0x1p+0 ",
      " 0x1p+0",
      "0x1p+0x1p+0x1p+0x1p+0x1p+0x1p+0",
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    double scale;
    g_test_message("%s", rows[i]);
    g_assert_false(scale_parse(str_from(rows[i]), &scale));
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/type/elements", test_elements);
  g_test_add_func("/type/counts", test_counts);
  g_test_add_func("/type/quantized", test_quantized);
  g_test_add_func("/type/refused_spellings", test_refused_spellings);
  g_test_add_func("/type/refused_types", test_refused_types);
  g_test_add_func("/type/largest", test_largest);
  g_test_add_func("/type/scale_count", test_scale_count);
  g_test_add_func("/type/mlir", test_mlir);
  g_test_add_func("/type/equal", test_equal);
  g_test_add_func("/type/scales", test_scales);
  g_test_add_func("/type/refused_scales", test_refused_scales);
  return g_test_run();
}
