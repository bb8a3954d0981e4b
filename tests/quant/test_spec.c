/* SPDX-License-Identifier: Apache-2.0 */
/* Specs: their text, their rules, and parameters from ranges. */
#include "harness/quant/spec/spec.h"

#include <math.h>

#include "harness/base/rng.h"

#ifdef ASSAY_SANITIZE
enum { ROUNDS = 1000 };
#else
enum { ROUNDS = 20000 };
#endif

static status_t parse(const char *text, arena_t *arena, quant_spec_t *out_spec, failure_t *error) {
  scan_t scan = scan_make(str_from(text));
  STATUS_TRY(quant_spec_parse(&scan, arena, out_spec, error));
  return scan_at_end(&scan) ? STATUS_OK : scan_fail_expecting(&scan, error, "the end");
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void check_round_trip(const quant_spec_t *spec, arena_t *arena) {
  GString *text = g_string_new(NULL);
  quant_spec_print(spec, text);
  quant_spec_t again;
  failure_t error = {0};
  status_t status = parse(text->str, arena, &again, &error);
  if (status != STATUS_OK) g_error("%s: %s", text->str, error.text);
  g_assert_true(quant_spec_equal(spec, &again));
  g_string_free(text, TRUE);
}

static void test_spellings(void) {
  static const struct {
    const char *text, *printed;
  } rows[] = {
      {"unit", NULL},
      {"f32", NULL},
      {"f8E4M3B11FNUZ", NULL},
      {"!quant.any<i8<-8:7>:f32>", NULL},
      {"!quant.any< u8 : f32 >", "!quant.any<u8:f32>"},
      {"!quant.any<ui4<0:15>:bf16>", "!quant.any<u4:bf16>"},
      {"!quant.calibrated<f32<-0.998:1.2321>>", NULL},
      {"!quant.calibrated<f32<-1:0x1.8p1>>", "!quant.calibrated<f32<-1.0:3.0>>"},
      {"!quant.calibrated<f32<-0.0:1.0e-05>>", NULL},
      {"!quant.uniform<i8<-8:7>:f32, 0.5:127>", NULL},
      {"!quant.uniform<i8:f32, 2.000000e+00:0>", "!quant.uniform<i8:f32, 2.0>"},
      {"!quant.uniform<i8:f32,0x1p-1:-3>", "!quant.uniform<i8:f32, 0.5:-3>"},
      {"!quant.uniform<i8:f32, 0.1>", "!quant.uniform<i8:f32, 0.10000000149011612>"},
      {"!quant.uniform<i8:f64, 0.1>", NULL},
      {"\t!quant.uniform< u8 < 1 : 9 > : f32 : 1 , { 2e2:120 , 0.25 } >",
       "!quant.uniform<u8<1:9>:f32:1, {200.0:120,0.25}>"},
      {"!quant.uniform<i32:f32:0, {}>", NULL},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    arena_t arena;
    arena_init(&arena);
    quant_spec_t spec;
    failure_t error = {0};
    g_test_message("%s", rows[i].text);
    g_assert_cmpint(parse(rows[i].text, &arena, &spec, &error), ==, STATUS_OK);
    GString *printed = g_string_new(NULL);
    quant_spec_print(&spec, printed);
    g_assert_cmpstr(printed->str, ==, rows[i].printed == NULL ? rows[i].text : rows[i].printed);
    g_string_free(printed, TRUE);
    check_round_trip(&spec, &arena);
    arena_deinit(&arena);
  }
}

static void test_refused_spellings(void) {
  static const struct {
    const char *text, *message;
    status_t status;
  } rows[] = {
      {"", "column 1: expected a spec", STATUS_INVALID},
      {"i8", "column 1: expected a spec", STATUS_INVALID},
      {"tf32", "column 1: expected a spec", STATUS_INVALID},
      {"!quant.any<f32:f32>", "column 12: expected a storage type", STATUS_INVALID},
      {"!quant.any<i64:f32>", "column 12: expected a storage type", STATUS_INVALID},
      {"!quant.any<i1:f32>", "column 12: expected a storage type", STATUS_INVALID},
      {"!quant.any<i8>", "column 14: expected \":\"", STATUS_INVALID},
      {"!quant.any<i8:i8>", "column 15: expected a float type", STATUS_INVALID},
      {"!quant.any<i8<-8>:f32>", "column 17: expected \":\"", STATUS_INVALID},
      {"!quant.calibrated<f32<nan:1.0>>", "column 23: expected a finite number", STATUS_INVALID},
      {"!quant.calibrated<f32<0.0:1e999>>", "column 27: expected a finite", STATUS_INVALID},
      {"!quant.uniform<i8:f32, 0.0>", "column 24: expected a scale, a positive", STATUS_INVALID},
      {"!quant.uniform<i8:f32, -1.0>", "column 24: expected a scale", STATUS_INVALID},
      {"!quant.uniform<i8:f32, 1e39>", "column 24: expected a scale", STATUS_INVALID},
      {"!quant.uniform<i8:f32, 1e-46>", "column 24: expected a scale", STATUS_INVALID},
      {"!quant.uniform<i8:f32, 1.0:1.5>", "column 29: expected \">\"", STATUS_INVALID},
      {"!quant.uniform<i8:f32:8, {1.0}>", "column 23: a quantization axis", STATUS_INVALID},
      {"!quant.uniform<i8:f32:0, 1.0>", "column 26: expected \"{\"", STATUS_INVALID},
      {"!quant.uniform<i8:f32:0, {1.0,}>", "column 31: expected a scale", STATUS_INVALID},
      {"!quant.uniform<i8:f32:{0:2, 1:2}, {{1.0}}>", "column 23: blockwise", STATUS_UNSUPPORTED},
      {"!quant.uniform<i8:f32, 1.0", "column 27: expected \">\"", STATUS_INVALID},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    arena_t arena;
    arena_init(&arena);
    quant_spec_t spec;
    failure_t error = {0};
    g_test_message("%s", rows[i].text);
    g_assert_cmpint(parse(rows[i].text, &arena, &spec, &error), ==, rows[i].status);
    g_test_message("%s", error.text);
    g_assert_true(g_str_has_prefix(error.text, rows[i].message));
    arena_deinit(&arena);
  }
}

/* ---- Random specs ---------------------------------------------------------------------------- */

static const element_t *draw_element(rng_t *rng, bool is_float) {
  for (;;) {
    const element_t *element = &element_table[rng_below(rng, element_count)];
    bool is_storage = element_is_integer(element) && element->bits <= 32;
    bool is_expressed = element->kind == ELEMENT_FLOAT && element->is_tensor_element;
    if (is_float ? is_expressed : is_storage) return element;
  }
}

static double draw_scale(rng_t *rng, const format_t *format) {
  for (;;) {
    uint64_t bits = rng_bits(rng) & (UINT64_MAX >> (64 - format->bits));
    double scale = format_to_double(format, bits);
    if (scale > 0 && isfinite(scale)) return scale;
  }
}

static double draw_finite(rng_t *rng) {
  for (;;) {
    double value = format_to_double(&format_table[FORMAT_f64], rng_bits(rng));
    if (isfinite(value)) return value;
  }
}

static quant_spec_t draw_uniform(rng_t *rng, quant_spec_t spec, const type_t *type,
                                 arena_t *arena) {
  quantization_t *uniform = ARENA_NEW_ARRAY(arena, quantization_t, 1);
  int32_t axis = (int32_t)rng_below(rng, type->rank + 1) - 1;
  if (axis != -1 && !type_takes_axis(type, axis)) axis = -1;
  uint32_t count = axis == -1 ? 1 : (uint32_t)type->dims[axis];
  double *scales = ARENA_NEW_ARRAY(arena, double, count);
  int64_t *zero_points = ARENA_NEW_ARRAY(arena, int64_t, count);
  for (uint32_t i = 0; i < count; i++) {
    scales[i] = draw_scale(rng, spec.expressed->format);
    zero_points[i] = rng_one_in(rng, 2) ? spec.storage_min
                                        : rng_between(rng, spec.storage_min, spec.storage_max);
  }
  *uniform = (quantization_t){.expressed = spec.expressed,
                              .storage_min = spec.storage_min,
                              .storage_max = spec.storage_max,
                              .axis = axis,
                              .count = count,
                              .scales = scales,
                              .zero_points = zero_points};
  spec.uniform = uniform;
  return spec;
}

static quant_spec_t draw_spec(rng_t *rng, const type_t *type, arena_t *arena) {
  quant_spec_t spec = {.kind = (quant_spec_kind_t)rng_below(rng, QUANT_SPEC_UNIFORM + 1)};
  if (spec.kind == QUANT_SPEC_OPEN) return spec;
  spec.expressed = type->element;
  if (spec.kind == QUANT_SPEC_CALIBRATED) {
    double a = draw_finite(rng), b = draw_finite(rng);
    spec.minimum = fmin(a, b);
    spec.maximum = fmax(a, b);
  } else if (spec.kind != QUANT_SPEC_KEEP) {
    spec.storage = draw_element(rng, false);
    int64_t low = element_integer_min(spec.storage);
    int64_t high = (int64_t)element_integer_max(spec.storage);
    spec.storage_min = rng_one_in(rng, 2) ? low : rng_between(rng, low, high - 1);
    spec.storage_max = rng_one_in(rng, 2) ? high : rng_between(rng, spec.storage_min + 1, high);
  }
  return spec.kind == QUANT_SPEC_UNIFORM ? draw_uniform(rng, spec, type, arena) : spec;
}

static void test_random(void) {
  rng_t rng = rng_make(8);
  arena_t arena;
  arena_init(&arena);
  for (int round = 0; round < ROUNDS; round++) {
    int64_t dims[] = {(int64_t)rng_below(&rng, 4), (int64_t)rng_below(&rng, 9)};
    type_t type = type_make(draw_element(&rng, true), (uint32_t)rng_below(&rng, 3), dims);
    quant_spec_t spec = draw_spec(&rng, &type, &arena);
    failure_t error = {0};
    status_t status = quant_spec_check(&spec, &type, &error);
    if (status != STATUS_OK) g_error("%s", error.text);
    check_round_trip(&spec, &arena);
    type_t applied = quant_spec_apply(&spec, &type);
    quant_spec_t again = quant_spec_of_type(&applied);
    bool is_uniform = spec.kind == QUANT_SPEC_UNIFORM;
    g_assert_true(is_uniform ? quant_spec_equal(&spec, &again) : type_equal(&applied, &type));
    g_assert_true(is_uniform || again.kind == QUANT_SPEC_KEEP);
    arena_reset(&arena);
  }
  arena_deinit(&arena);
}

/* ---- Rules ----------------------------------------------------------------------------------- */

/* A 16-bit float is what tensors of wider ones are stored as. */
static void test_narrows(void) {
  static const struct {
    const char *spec, *type, *stored;
  } rows[] = {{"bf16", "f32[2]", "bf16[2]"},
              {"f16", "f32[]", "f16[]"},
              {"bf16", "f64[2,1]", "bf16[2,1]"},
              {"bf16", "bf16[2]", "bf16[2]"},
              {"f32", "f32[2]", "f32[2]"}};
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    arena_t arena;
    arena_init(&arena);
    quant_spec_t spec;
    type_t type;
    failure_t error = {0};
    g_assert_cmpint(parse(rows[i].spec, &arena, &spec, &error), ==, STATUS_OK);
    scan_t scan = scan_make(str_from(rows[i].type));
    g_assert_cmpint(type_parse(&scan, &arena, &type, &error), ==, STATUS_OK);
    g_assert_cmpint(quant_spec_check(&spec, &type, &error), ==, STATUS_OK);
    type_t applied = quant_spec_apply(&spec, &type);
    GString *text = g_string_new(NULL);
    type_print(&applied, text);
    g_assert_cmpstr(text->str, ==, rows[i].stored);
    g_assert_cmpint(quant_spec_narrows(&spec, &type), ==,
                    strcmp(rows[i].type, rows[i].stored) != 0);
    g_string_free(text, TRUE);
    arena_deinit(&arena);
  }
}

static void test_check(void) {
  static const struct {
    const char *spec, *type, *message;
  } rows[] = {
      {"f32", "i32[2]", "only a tensor of unquantized floats"},
      {"f32", "!quant.uniform<i8:f32,0x1p-1>[2]", "only a tensor of unquantized floats"},
      {"f32", "f16[2]", "the spec is of f32, the tensor's elements are f16"},
      {"bf16", "f16[2]", "the spec is of bf16, the tensor's elements are f16"},
      {"f8E4M3FN", "f32[2]", "the spec is of f8E4M3FN, the tensor's elements are f32"},
      {"!quant.calibrated<bf16<0.0:1.0>>", "f32[2]", "the spec is of bf16"},
      {"!quant.any<i8<-129:7>:f32>", "f32[2]", "storage range -129:7 is empty or exceeds i8"},
      {"!quant.any<i8<7:7>:f32>", "f32[2]", "storage range 7:7 is empty"},
      {"!quant.calibrated<f32<1.0:0.5>>", "f32[2]", "a calibrated range"},
      {"!quant.uniform<i8:f32:1, {0.5}>", "f32[1]", "quantization axis 1 is not below the rank"},
      {"!quant.uniform<i8:f32:0, {0.5}>", "f32[2]", "1 scales for 2 slices along axis 0"},
      {"!quant.uniform<i8:f32:0, {}>", "f32[0]", "a type has one scale at least"},
      {"!quant.uniform<i8<0:4>:f32, 0.5:5>", "f32[2]", "zero point 5 is outside"},
      {"!quant.uniform<u8<3:256>:f32, 0.5:5>", "f32[2]", "storage range 3:256"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    arena_t arena;
    arena_init(&arena);
    quant_spec_t spec;
    type_t type;
    failure_t error = {0};
    scan_t scan = scan_make(str_from(rows[i].type));
    g_assert_cmpint(parse(rows[i].spec, &arena, &spec, NULL), ==, STATUS_OK);
    g_assert_cmpint(type_parse(&scan, &arena, &type, NULL), ==, STATUS_OK);
    g_assert_cmpint(quant_spec_check(&spec, &type, &error), ==, STATUS_INVALID);
    g_test_message("%s", error.text);
    g_assert_true(g_str_has_prefix(error.text, rows[i].message));
    arena_deinit(&arena);
  }
}

/* Any two of these differ. */
static void test_equal(void) {
  static const char *const texts[] = {
      "unit",
      "f32",
      "f16",
      "!quant.any<i8:f32>",
      "!quant.any<u8:f32>",
      "!quant.any<i8:f16>",
      "!quant.any<i8<-127:127>:f32>",
      "!quant.any<i8<-128:126>:f32>",
      "!quant.calibrated<f32<0.0:1.0>>",
      "!quant.calibrated<f32<-1.0:1.0>>",
      "!quant.calibrated<f32<0.0:1.5>>",
      "!quant.calibrated<f16<0.0:1.0>>",
      "!quant.uniform<i8:f32, 0.5>",
      "!quant.uniform<i8:f32, 0.25>",
      "!quant.uniform<i8:f32, 0.5:1>",
      "!quant.uniform<i8:f32:0, {0.5}>",
      "!quant.uniform<i8:f32:0, {0.5,0.5}>",
      "!quant.uniform<i8:f32:1, {0.5}>",
      "!quant.uniform<u8:f32, 0.5>",
      "!quant.uniform<i8<-127:127>:f32, 0.5>",
      "!quant.uniform<i8:f16, 0.5>",
  };
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
    for (size_t j = 0; j < G_N_ELEMENTS(texts); j++) {
      quant_spec_t a, b;
      g_assert_cmpint(parse(texts[i], &arena, &a, NULL), ==, STATUS_OK);
      g_assert_cmpint(parse(texts[j], &arena, &b, NULL), ==, STATUS_OK);
      g_assert_cmpint(quant_spec_equal(&a, &b), ==, i == j);
    }
  }
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/spec/spellings", test_spellings);
  g_test_add_func("/spec/refused-spellings", test_refused_spellings);
  g_test_add_func("/spec/random", test_random);
  g_test_add_func("/spec/narrows", test_narrows);
  g_test_add_func("/spec/check", test_check);
  g_test_add_func("/spec/equal", test_equal);
  return g_test_run();
}
