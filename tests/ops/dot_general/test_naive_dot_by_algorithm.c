/* SPDX-License-Identifier: Apache-2.0 */
/* Quantized and hybrid dot_generals by an algorithm against the definition on host numbers, where
 * it leaves one result: operands are dequantized exactly, rounded to the precision type by code of
 * this file, and sums of their products are exact.  And which algorithms explain such a result. */
#include <math.h>

#include "harness/base/rng.h"
#include "oracles/oracle.h"

enum { TERMS = 3, CASES = 2500 };

typedef enum form { FORM_quantized, FORM_hybrid, FORM_COUNT } form_t;
typedef enum rounded { ROUNDED_bf16, ROUNDED_tf32, ROUNDED_i8, ROUNDED_COUNT } rounded_t;

static const char *const algorithms[ROUNDED_COUNT] = {
    "[bf16,bf16,f32,1,1,1,false]", "[tf32,tf32,f32,1,1,1,false]", "[i8,i8,i32,1,1,1,false]"};

/* A case by its parts; scales are powers of two. */
typedef struct parts {
  form_t form;
  rounded_t rounded;
  int scales[3]; /* Exponents: of lhs, rhs, result. */
  int zero_points[3];
  int stored[2][TERMS];
} parts_t;

static parts_t draw_parts(rng_t *rng) {
  parts_t parts = {.form = (form_t)rng_below(rng, FORM_COUNT),
                   .rounded = (rounded_t)rng_below(rng, ROUNDED_COUNT)};
  bool is_small = parts.rounded == ROUNDED_i8;
  for (int i = 0; i < 3; i++) {
    parts.scales[i] = (int)rng_between(rng, -3, 1);
    parts.zero_points[i] = i == 1 ? 0 : (int)rng_between(rng, -5, 5);
  }
  for (int side = 0; side < 2; side++) {
    int64_t most = is_small ? 100 : rng_one_in(rng, 2) ? 5000 : 20000;
    for (int i = 0; i < TERMS; i++) parts.stored[side][i] = (int)rng_between(rng, -most, most);
  }
  return parts;
}

static void append_numbers(GString *line, const parts_t *parts, int side) {
  g_string_append(line, " : ");
  for (int i = 0; i < TERMS; i++) {
    int stored = parts->stored[side][i];
    if (side == 0 && parts->form == FORM_hybrid) {
      float value = ldexpf((float)(stored - parts->zero_points[0]), parts->scales[0]);
      uint32_t bits;
      memcpy(&bits, &value, sizeof bits);
      g_string_append_printf(line, "%08x", bits);
    } else {
      g_string_append_printf(line, "%04x", (unsigned)stored & 0xffff);
    }
  }
}

static void append_type(GString *line, const parts_t *parts, int index, const char *storage,
                        const char *shape) {
  g_string_append_printf(line, " !quant.uniform<%s:f32,0x1p%+d", storage, parts->scales[index]);
  int zero_point = parts->zero_points[index];
  if (zero_point != 0) g_string_append_printf(line, ":%d", zero_point);
  g_string_append_printf(line, ">%s", shape);
}

static case_t make_case(const parts_t *parts, arena_t *arena) {
  g_autoptr(GString) line =
      g_string_new("stablehlo.dot_general batch=[]x[] contract=[0]x[0] algorithm=");
  g_string_append(line, algorithms[parts->rounded]);
  if (parts->form == FORM_hybrid) {
    g_string_append(line, " f32[3]");
  } else {
    append_type(line, parts, 0, "i16", "[3]");
  }
  append_type(line, parts, 1, "i16", "[3]");
  g_string_append(line, " ->");
  if (parts->form == FORM_hybrid) {
    g_string_append(line, " f32[]");
  } else {
    append_type(line, parts, 2, "i32", "[]");
  }
  append_numbers(line, parts, 0);
  append_numbers(line, parts, 1);
  case_t instance;
  failure_t error;
  if (case_parse(str_from(line->str), arena, &instance, NULL, &error) != STATUS_OK) {
    g_error("%s: %s", line->str, error.text);
  }
  g_test_message("%s", line->str);
  return instance;
}

/* ---- The definition -------------------------------------------------------------------------- */

/* To so many significant bits, ties to even. */
static double round_to_bits(double value, int bits) {
  int exponent;
  double fraction = frexp(value, &exponent);
  return ldexp(nearbyint(ldexp(fraction, bits)), exponent - bits);
}

/* The value of the lowest bit that is set; infinity of 0. */
static double lowest_bit(double value) {
  if (value == 0) return INFINITY;
  int exponent;
  uint64_t digits = (uint64_t)ldexp(fabs(frexp(value, &exponent)), 53);
  return ldexp(1, exponent - 53 + __builtin_ctzll(digits));
}

/* False where i8 has no such number. */
static bool round_factor(rounded_t rounded, double value, double *out) {
  switch (rounded) {
    case ROUNDED_bf16:
      *out = round_to_bits(value, 8);
      return true;
    case ROUNDED_tf32:
      *out = round_to_bits(value, 11);
      return true;
    default:
      *out = nearbyint(value);
      return *out >= -128 && *out <= 127;
  }
}

/* Whether anything is open but the result `out_sum`; `out_plain` is what unrounded factors give. */
static bool evaluate(const parts_t *parts, double *out_sum, double *out_plain) {
  double magnitude = 0, lowest = INFINITY;
  *out_sum = *out_plain = 0;
  for (int i = 0; i < TERMS; i++) {
    double values[2], factors[2];
    for (int side = 0; side < 2; side++) {
      values[side] = ldexp(parts->stored[side][i] - parts->zero_points[side], parts->scales[side]);
      if (!round_factor(parts->rounded, values[side], &factors[side])) return false;
      if (parts->rounded != ROUNDED_tf32) continue;
      if (factors[side] != values[side]) return false; /* It may be cut as well. */
    }
    double product = factors[0] * factors[1];
    *out_sum += product;
    *out_plain += values[0] * values[1];
    magnitude += fabs(product);
    lowest = fmin(lowest, lowest_bit(product));
  }
  bool is_stored = fabs(ldexp(*out_sum, -parts->scales[2])) < 0x1p22; /* With its zero point. */
  return magnitude <= ldexp(lowest, 24) && *out_sum != 0 &&
         (is_stored || parts->form == FORM_hybrid);
}

/* ---- Against the oracle ---------------------------------------------------------------------- */

static uint64_t bits_of(const parts_t *parts, double sum, int64_t offset) {
  if (parts->form == FORM_hybrid) {
    float value = (float)sum;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint32_t)((int64_t)bits + offset);
  }
  double stored = nearbyint(ldexp(sum, -parts->scales[2]) + parts->zero_points[2]);
  return (uint32_t)((int64_t)stored + offset);
}

static void check_component(const case_t *instance, const parts_t *parts, double sum,
                            const char *contract_text, arena_t *arena) {
  const oracle_t *oracle = oracle_find(instance->program.op);
  contract_t contract;
  g_assert_cmpint(contract_parse(str_from(contract_text), &contract, NULL), ==, STATUS_OK);
  tensor_t result = tensor_make(arena, &instance->program.results[0]);
  const element_t *storage = result.type.element;
  failure_t error;
  const oracle_call_t call = {.instance = instance,
                              .contract = &contract,
                              .results = &result,
                              .arena = arena,
                              .error = &error};
  accept_t accepts[CASE_RESULTS_MAX];
  g_assert_cmpint(oracle->accept(&call, accepts), ==, STATUS_OK);
  for (int64_t offset = -3; offset <= 3; offset++) {
    uint64_t bits = bits_of(parts, sum, offset);
    element_store(storage, result.data, 0, bits);
    answer_t answer = {0};
    g_assert_cmpint(oracle->decide(&call, 0, 0, &answer), ==, STATUS_OK);
    if (answer.conforms != (offset == 0)) {
      g_error("%s: %d quanta off: the oracle says %d, expected %s", contract_text, (int)offset,
              answer.conforms, answer.expected);
    }
    if (accept_holds(&accepts[0], storage, 0, bits)) g_assert_cmpint(offset, ==, 0);
  }
}

/* The algorithm that is asked for explains its own result; plain f32 does not where rounding shows.
 */
static void check_consistent(const case_t *instance, const parts_t *parts, double sum, double plain,
                             arena_t *arena, int *inout_told_apart) {
  const oracle_t *oracle = oracle_find(instance->program.op);
  const contract_t contract = contract_backend();
  tensor_t result = tensor_make(arena, &instance->program.results[0]);
  element_store(result.type.element, result.data, 0, bits_of(parts, sum, 0));
  failure_t error;
  const oracle_call_t call = {.instance = instance,
                              .contract = &contract,
                              .results = &result,
                              .arena = arena,
                              .error = &error};
  g_autoptr(GString) names = g_string_new(NULL);
  g_assert_cmpint(oracle->consistent(&call, names), ==, STATUS_OK);
  static const char *const own[ROUNDED_COUNT] = {"BF16_BF16_F32", "TF32_TF32_F32",
                                                 "[i8,i8,i32,1,1,1,false]"};
  g_auto(GStrv) each = g_strsplit(names->str, "|", -1);
  g_assert_true(g_strv_contains((const char *const *)each, own[parts->rounded]));
  double distance = fabs(sum - plain), scale = fabs(sum) * 0x1p-18;
  bool shows = distance > 4 * scale + ldexp(4, parts->scales[2]);
  if (shows) g_assert_false(g_strv_contains((const char *const *)each, "F32_F32_F32"));
  *inout_told_apart += shows;
}

static void test_definition(void) {
  static const char *const contracts[] = {"spec", "backend", "spec,order=any"};
  int checked[FORM_COUNT][ROUNDED_COUNT] = {{0}}, told_apart = 0;
  rng_t rng = rng_make(21);
  arena_t arena;
  arena_init(&arena);
  for (int i = 0; i < CASES; i++) {
    arena_reset(&arena);
    parts_t parts = draw_parts(&rng);
    double sum, plain;
    if (!evaluate(&parts, &sum, &plain)) continue;
    case_t instance = make_case(&parts, &arena);
    check_component(&instance, &parts, sum, contracts[i % 3], &arena);
    check_consistent(&instance, &parts, sum, plain, &arena, &told_apart);
    checked[parts.form][parts.rounded]++;
  }
  g_test_message("%d of f32 told apart", told_apart);
  for (int form = 0; form < FORM_COUNT; form++) {
    for (int rounded = 0; rounded < ROUNDED_COUNT; rounded++) {
      g_test_message("%d, %d: %d cases", form, rounded, checked[form][rounded]);
      g_assert_cmpint(checked[form][rounded], >, 3);
    }
  }
  g_assert_cmpint(told_apart, >, 20);
  arena_deinit(&arena);
}

/* Nobody says what i8 makes of 300. */
static void test_without_image(void) {
  arena_t arena;
  arena_init(&arena);
  case_t instance;
  const char *line =
      "stablehlo.dot_general batch=[]x[] contract=[0]x[0] algorithm=[i8,i8,i32,1,1,1,false] "
      "!quant.uniform<i16:f32,0x1p+0>[1] !quant.uniform<i16:f32,0x1p+0>[1] -> "
      "!quant.uniform<i32:f32,0x1p+0>[] : 012c : 0001";
  g_assert_cmpint(case_parse(str_from(line), &arena, &instance, NULL, NULL), ==, STATUS_OK);
  const oracle_t *oracle = oracle_find(instance.program.op);
  const contract_t contract = contract_backend();
  tensor_t result = tensor_make(&arena, &instance.program.results[0]);
  element_store(result.type.element, result.data, 0, 0x12345678);
  const oracle_call_t call = {
      .instance = &instance, .contract = &contract, .results = &result, .arena = &arena};
  answer_t answer = {0};
  g_assert_cmpint(oracle->decide(&call, 0, 0, &answer), ==, STATUS_OK);
  g_assert_true(answer.conforms);
  g_assert_true(answer.is_vacuous);
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/naive_dot_by_algorithm/definition", test_definition);
  g_test_add_func("/naive_dot_by_algorithm/without_image", test_without_image);
  return g_test_run();
}
