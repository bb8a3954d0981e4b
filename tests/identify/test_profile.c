/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles: their text, and what they predict. */
#include <math.h>

#include "harness/identify/profile/profile.h"

#define PROGRAM16 "stablehlo.reduce body=add dims=[0] f32[16] f32[] -> f32[]"
#define SUM16 "profile v1 terms=16 left=f32 result=f32 start=none flush=none "
#define DOT3 "profile v1 terms=3 left=f32 right=f32 product=f32 result=f32 start=zero flush=none "
#define SUM3 "profile v1 terms=3 left=f32 result=f32 start=none flush=none "

/* Each prints as it was parsed. */
static void test_round_trip(void) {
  static const char *const texts[] = {
      SUM16 "a=f32 tree=[i 0..15] : " PROGRAM16,
      SUM16 "a=f32 tree=[0..15] : " PROGRAM16,
      SUM16 "a=f32 tree=[15..0:-1] : " PROGRAM16,
      SUM16 "a=f32/trunc tree=[0..15] : " PROGRAM16,
      SUM16 "a=f32 tree=(([0..12:4] [2..14:4]) ([1..13:4] [3..15:4])) : " PROGRAM16,
      SUM16 "a=f32 tree=[[0..3] [4..7] [8..11] [12..15]] : " PROGRAM16,
      SUM16 "a=f64/aligned25 tree=(0..15 i) : " PROGRAM16,
      SUM16 "a=f64 b=f32 tree=[b[0..7] 8..15] : " PROGRAM16,
      DOT3 "a=f32/fused tree=[(0) 1 2] : line",
      DOT3 "a=f32 tree=((0 1) 2) : line",
      "profile v1 terms=1 left=f32 result=f32 start=none flush=inputs,sums,outputs tree=0 : line",
      "profile v1 terms=0 left=f32 result=f32 start=none flush=inputs tree=i : line",
      "profile v1 terms=0 left=f32 right=f32 product=f32 result=f32 start=zero flush=outputs "
      "tree=0 "
      ": line",
  };
  for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
    arena_t arena;
    arena_init(&arena);
    profile_t profile;
    failure_t error = {0};
    status_t status = profile_parse(str_from(texts[i]), &arena, &profile, &error);
    if (i == 9) { /* Two binary nodes on leaves have a chain's spelling. */
      g_assert_cmpint(status, ==, STATUS_INVALID);
    } else {
      g_assert_cmpstr(error.text, ==, "");
      g_assert_cmpint(status, ==, STATUS_OK);
      GString *text = g_string_new(NULL);
      profile_print(&profile, text);
      g_assert_cmpstr(text->str, ==, texts[i]);
      g_string_free(text, TRUE);
    }
    arena_deinit(&arena);
  }
}

static void test_refuses(void) {
  static const struct {
    const char *text;
    const char *says;
  } rows[] = {
      {"", "expected \"profile v1 terms=\""},
      {SUM3 "a=f32 tree=[0 1] : line", "2 of 3 terms occur"},
      {SUM3 "a=f32 tree=[0 1 1] : line", "occurs twice"},
      {SUM3 "a=f32 tree=[0 1 3] : line", "term 3 of 3"},
      {SUM3 "a=f32 tree=[0 1 2 : line", "expected"},
      {SUM3 "a=f32 tree=b[0..2] : line", "arithmetic b is not listed"},
      {SUM3 "a=f31 tree=[0..2] : line", "no float format \"f31\""},
      {SUM3 "a=f32 b=f64 tree=[0..2] : line", "canonical"},
      {SUM3 "a=f32 tree=[0..2:2 1] : line", "canonical"},
      {SUM3 "a=f32 tree=[0..2:0 1] : line", "a run that does not end"},
      {SUM3 "a=f32 tree=0..2 : line", "one root"},
      {SUM3 "flush=all tree=0 : line", "expected"},
      {"profile v1 terms=9999999 left=f32", "0 to 1048576 terms"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    arena_t arena;
    arena_init(&arena);
    profile_t profile;
    failure_t error = {0};
    status_t status = profile_parse(str_from(rows[i].text), &arena, &profile, &error);
    g_assert_cmpint(status, ==, STATUS_INVALID);
    if (strstr(error.text, rows[i].says) == NULL) {
      g_test_message("row %zu: %s", i, error.text);
      g_test_fail();
    }
    arena_deinit(&arena);
  }
}

/* The f32 value that a profile text predicts. */
static double predict(const char *text, const double *left, const double *right, double init) {
  arena_t arena;
  arena_init(&arena);
  profile_t profile;
  failure_t error = {0};
  status_t status = profile_parse(str_from(text), &arena, &profile, &error);
  g_assert_cmpstr(error.text, ==, "");
  g_assert_cmpint(status, ==, STATUS_OK);
  double *scratch = ARENA_NEW_ARRAY(&arena, double, profile_scratch_count(&profile));
  uint64_t bits = profile_predict(&profile, left, right, init, scratch);
  double value = format_to_double(profile.result, bits);
  arena_deinit(&arena);
  return value;
}

static void test_sums(void) {
  const double far[] = {0x1p24, 1, 1};
  g_assert_cmpfloat(predict(SUM3 "a=f32 tree=[0..2] : x", far, NULL, 0), ==, 0x1p24);
  g_assert_cmpfloat(predict(SUM3 "a=f32 tree=[2..0:-1] : x", far, NULL, 0), ==, 0x1p24 + 2);
  g_assert_cmpfloat(predict(SUM3 "a=f64 tree=[0..2] : x", far, NULL, 0), ==, 0x1p24 + 2);
  g_assert_cmpfloat(predict(SUM3 "a=f32 tree=(0..2) : x", far, NULL, 0), ==, 0x1p24 + 2);
  g_assert_cmpfloat(predict(SUM3 "a=f32/aligned24 tree=(0..2) : x", far, NULL, 0), ==, 0x1p24);
  g_assert_cmpfloat(predict(SUM3 "a=f32/aligned25 tree=(0..2) : x", far, NULL, 0), ==, 0x1p24 + 2);
  const double above[] = {0x1p24, 3, 0}; /* 2^24 + 3 lies between 2^24 + 2 and 2^24 + 4: a tie. */
  g_assert_cmpfloat(predict(SUM3 "a=f32 tree=[0..2] : x", above, NULL, 0), ==, 0x1p24 + 4);
  g_assert_cmpfloat(predict(SUM3 "a=f32/trunc tree=[0..2] : x", above, NULL, 0), ==, 0x1p24 + 2);
  /* An f64 node that is rounded to f32 on its way: the tie is broken before the last addition. */
  const double wide[] = {1, 0x1p-24, 0x1p-60};
  g_assert_cmpfloat(predict(SUM3 "a=f32 b=f64 tree=(b(0 1) 2) : x", wide, NULL, 0), ==,
                    1 + 0x1p-23);
  g_assert_cmpfloat(predict(SUM3 "a=f32 tree=[0..2] : x", wide, NULL, 0), ==, 1);
}

static void test_products(void) {
  const double left[] = {1 + 0x1p-12, -1, 0};
  const double right[] = {1 + 0x1p-12, 1, 0}; /* (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24. */
  g_assert_cmpfloat(predict(DOT3 "a=f32 tree=[0..2] : x", left, right, 0), ==, 0x1p-11);
  g_assert_cmpfloat(predict(DOT3 "a=f32/fused tree=[(0) 1 2] : x", left, right, 0), ==, 0x1p-11);
  g_assert_cmpfloat(predict(DOT3 "a=f32/fused tree=[(1) 0 2] : x", left, right, 0), ==,
                    0x1p-11 + 0x1p-24);
  g_assert_cmpfloat(predict(DOT3 "a=f32/fused tree=(0..2) : x", left, right, 0), ==,
                    0x1p-11 + 0x1p-24);
}

static void test_zeros_and_specials(void) {
  const double zeros[] = {-0.0, -0.0, -0.0};
  g_assert_true(signbit(predict(SUM3 "a=f32 tree=[0..2] : x", zeros, NULL, 0)));
  g_assert_true(signbit(predict(SUM3 "a=f32 tree=(0..2) : x", zeros, NULL, 0)));
  g_assert_false(signbit(predict(SUM3 "a=f32 tree=[i 0..2] : x", zeros, NULL, 0)));
  g_assert_false(signbit(
      predict("profile v1 terms=3 left=f32 result=f32 start=zero flush=none a=f32 tree=[0..2] : x",
              zeros, NULL, 0)));
  const double infinities[] = {INFINITY, 1, -INFINITY};
  g_assert_true(isnan(predict(SUM3 "a=f32 tree=[0..2] : x", infinities, NULL, 0)));
  g_assert_true(isnan(predict(SUM3 "a=f32 tree=(0..2) : x", infinities, NULL, 0)));
  const double tiny[] = {0x1p-126, -0x1.8p-126, 0x1p-149};
  const char *in = "profile v1 terms=3 left=f32 result=f32 start=none flush=inputs a=f32 ";
  const char *out = "profile v1 terms=3 left=f32 result=f32 start=none flush=sums a=f32 ";
  g_autofree char *inputs = g_strconcat(in, "tree=[0..2] : x", NULL);
  g_autofree char *outputs = g_strconcat(out, "tree=[0..2] : x", NULL);
  g_assert_cmpfloat(predict(inputs, tiny, NULL, 0), ==, -0x1p-127);
  g_assert_cmpfloat(predict(outputs, tiny, NULL, 0), ==, 0x1p-149);
}

static void test_predicts_a_case(void) {
  arena_t arena;
  arena_init(&arena);
  failure_t error = {0};
  profile_t profile;
  case_t instance;
  tensor_t result;
  const char *line = "stablehlo.reduce body=add dims=[1] f32[2,2] f32[] -> f32[2]";
  const char *data = " : 3f8000003f8000004000000040000000 : 3f800000";
  g_autofree char *text = g_strconcat(
      "profile v1 terms=2 left=f32 result=f32 start=none flush=none a=f32 tree=[i 0 1] : ", line,
      NULL);
  g_autofree char *text_of_case = g_strconcat(line, data, NULL);
  g_assert_cmpint(profile_parse(str_from(text), &arena, &profile, &error), ==, STATUS_OK);
  g_assert_cmpint(case_parse(str_from(text_of_case), &arena, &instance, NULL, &error), ==,
                  STATUS_OK);
  g_assert_cmpint(profile_predict_case(&profile, &instance, &arena, &result, &error), ==,
                  STATUS_OK);
  GString *hex = g_string_new(NULL);
  tensor_print_data(&result, hex);
  g_assert_cmpstr(hex->str, ==, "4040000040a00000");
  g_string_free(hex, TRUE);
  profile.program_line = "stablehlo.reduce body=add dims=[0] f32[2] f32[] -> f32[]";
  g_assert_cmpint(profile_predict_case(&profile, &instance, &arena, &result, &error), ==,
                  STATUS_UNSUPPORTED);
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/profile/text", test_round_trip);
  g_test_add_func("/profile/refuses", test_refuses);
  g_test_add_func("/profile/sums", test_sums);
  g_test_add_func("/profile/products", test_products);
  g_test_add_func("/profile/zeros", test_zeros_and_specials);
  g_test_add_func("/profile/case", test_predicts_a_case);
  return g_test_run();
}
