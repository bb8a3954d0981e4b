/* SPDX-License-Identifier: Apache-2.0 */
/* Quantized stablehlo.batch_norm_training and batch_norm_grad a second time: dequantized, computed
 * by the specification's steps in plain f32 and in long double, and quantized.  What f32 gives
 * conforms; integers that are more than one beside what long double gives do not. */
#include <math.h>

#include "harness/types/scalar_type.h"
#include "tests/ops/op_checks.h"
#include "tests/ops/oracle_checks.h"

enum { TERMS = 24, CHANNELS = 2, RESULTS = 3, CASES = 8 };

/* Scales that are powers of two, so that dequantizing is exact, and others. */
typedef struct setting {
  double scales[8]; /* Of operands and results. */
  int zero_points[8];
} setting_t;

static const setting_t settings[] = {
    {{0x1p-4, 0x1p-5, 0x1p-5, 0x1p-5, 0x1p-4, 0x1p-4, 0x1p-4, 0x1p-2}, {0, 0, 0, 0, 0, 0, 0, 0}},
    {{0x1.99999ap-5, 0x1.23456p-5, 0x1.77777p-6, 0x1.00002p-5, 0x1.3p-4, 0x1.abcdeep-4,
      0x1.555556p-4, 0x1.0p-2},
     {3, -7, 12, 0, 5, -100, 4, 9}},
};

typedef struct numbers {
  long double values[CHANNELS][TERMS];
} numbers_t;

/* ---- One channel ----------------------------------------------------------------------------- */

/* The steps of the specification, in `type`: compilers do not fuse them (-ffp-contract=off). */
#define DEFINE_STEPS(name, type, square_root)                                                    \
  static void train_##name(const long double *x, const long double *factors, type epsilon,       \
                           long double *out, long double *out_mean, long double *out_variance) { \
    type sum = 0, squares = 0;                                                                   \
    for (int i = 0; i < TERMS; i++) sum += (type)x[i];                                           \
    type mean = sum / (type)TERMS;                                                               \
    for (int i = 0; i < TERMS; i++) squares += ((type)x[i] - mean) * ((type)x[i] - mean);        \
    type variance = squares / (type)TERMS;                                                       \
    type deviation = square_root(variance + epsilon);                                            \
    for (int i = 0; i < TERMS; i++) {                                                            \
      type normal = ((type)x[i] - mean) / deviation;                                             \
      out[i] = (long double)((type)factors[0] * normal + (type)factors[1]);                      \
    }                                                                                            \
    *out_mean = (long double)mean;                                                               \
    *out_variance = (long double)variance;                                                       \
  }                                                                                              \
  static void differentiate_##name(const long double *x, const long double *dy,                  \
                                   const long double *factors, type epsilon, long double *out,   \
                                   long double *out_scale, long double *out_offset) {            \
    type scale = (type)factors[0], mean = (type)factors[1], variance = (type)factors[2];         \
    type square = variance + epsilon, deviation = square_root(square), n = (type)TERMS;          \
    type sum = 0, product = 0, normalized = 0;                                                   \
    for (int i = 0; i < TERMS; i++) {                                                            \
      type centred = (type)x[i] - mean;                                                          \
      sum += (type)dy[i];                                                                        \
      product += (type)dy[i] * centred;                                                          \
      normalized += (type)dy[i] * (centred / deviation);                                         \
    }                                                                                            \
    for (int i = 0; i < TERMS; i++) {                                                            \
      type centred = (type)x[i] - mean;                                                          \
      type rest = (type)dy[i] * n - sum - product * centred / square;                            \
      out[i] = (long double)(scale / deviation / n * rest);                                      \
    }                                                                                            \
    *out_scale = (long double)normalized;                                                        \
    *out_offset = (long double)sum;                                                              \
  }
DEFINE_STEPS(f32, float, sqrtf)
DEFINE_STEPS(wide, long double, sqrtl)

/* ---- A case ---------------------------------------------------------------------------------- */

typedef struct trial {
  bool is_grad;
  const setting_t *setting;
  case_t instance;
  tensor_t results[RESULTS];
} trial_t;

static void make_case(const setting_t *setting, bool is_grad, arena_t *arena, trial_t *out_trial) {
  g_autoptr(GString) line =
      g_string_new(is_grad ? "stablehlo.batch_norm_grad" : "stablehlo.batch_norm_training");
  g_string_append(line, " epsilon=0x1p-10 feature_index=0");
  int operands = is_grad ? 5 : 3;
  for (int i = 0; i < operands + RESULTS; i++) {
    bool is_whole = i == 0 || i == operands || (is_grad && i == operands - 1);
    scalar_type_t type = {.element = element_named("i8"),
                          .expressed = element_named("f32"),
                          .scale = setting->scales[i],
                          .zero_point = setting->zero_points[i],
                          .storage_min = -128,
                          .storage_max = 127};
    g_string_append(line, i == operands ? " -> " : " ");
    scalar_type_print(&type, line);
    g_string_append(line, is_whole ? "[2,24]" : "[2]");
  }
  const char *violation = NULL;
  program_t program = check_parse(line->str, arena, &violation);
  g_assert_null(violation);
  *out_trial = (trial_t){.is_grad = is_grad, .setting = setting};
  out_trial->instance = case_make(arena, &program);
  for (int r = 0; r < RESULTS; r++) {
    out_trial->results[r] = tensor_make(arena, &program.results[r]);
  }
}

/* Spread out over the range; variances are positive. */
static void draw_operands(rng_t *rng, const trial_t *trial) {
  for (uint32_t i = 0; i < trial->instance.program.operand_count; i++) {
    const tensor_t *tensor = &trial->instance.operands[i];
    bool is_variance = trial->is_grad && i == 3;
    for (size_t e = 0; e < type_element_count(&tensor->type); e++) {
      int64_t low = is_variance ? trial->setting->zero_points[i] + 8 : -100;
      element_store(tensor->type.element, tensor->data, e,
                    (uint64_t)rng_between(rng, low, 110) & 0xff);
    }
  }
}

/* (q - zero point) * scale, rounded to f32, or not. */
static long double load(const trial_t *trial, uint32_t operand, size_t element, bool is_wide) {
  const tensor_t *tensor = &trial->instance.operands[operand];
  int64_t stored = element_signed_value(tensor->type.element,
                                        element_load(tensor->type.element, tensor->data, element));
  float difference = (float)(stored - trial->setting->zero_points[operand]);
  if (is_wide) return (long double)difference * (long double)trial->setting->scales[operand];
  float scale = (float)trial->setting->scales[operand];
  return (long double)(difference * scale);
}

static void evaluate_channel(const trial_t *trial, size_t channel, bool is_wide,
                             numbers_t results[RESULTS]) {
  long double x[TERMS], dy[TERMS], factors[3] = {0};
  int count = trial->is_grad ? 3 : 2;
  for (int i = 0; i < count; i++) factors[i] = load(trial, (uint32_t)i + 1, channel, is_wide);
  for (size_t i = 0; i < TERMS; i++) {
    x[i] = load(trial, 0, channel * TERMS + i, is_wide);
    if (trial->is_grad) dy[i] = load(trial, 4, channel * TERMS + i, is_wide);
  }
  long double *out = results[0].values[channel];
  long double *first = &results[1].values[channel][0], *second = &results[2].values[channel][0];
  if (trial->is_grad && is_wide) {
    differentiate_wide(x, dy, factors, 0x1p-10L, out, first, second);
  } else if (trial->is_grad) {
    differentiate_f32(x, dy, factors, 0x1p-10F, out, first, second);
  } else if (is_wide) {
    train_wide(x, factors, 0x1p-10L, out, first, second);
  } else {
    train_f32(x, factors, 0x1p-10F, out, first, second);
  }
}

/* As f32 quantizes. */
static int64_t quantize(const trial_t *trial, uint32_t result, long double value) {
  size_t type = (trial->is_grad ? 5 : 3) + (size_t)result;
  float sum =
      (float)value / (float)trial->setting->scales[type] + (float)trial->setting->zero_points[type];
  return (int64_t)nearbyintf(fminf(fmaxf(sum, -128), 127));
}

static long double place_of(const trial_t *trial, uint32_t result, long double value) {
  size_t type = (trial->is_grad ? 5 : 3) + (size_t)result;
  long double place = value / (long double)trial->setting->scales[type] +
                      (long double)trial->setting->zero_points[type];
  return fminl(fmaxl(place, -128), 127);
}

static size_t value_count(uint32_t result) { return result == 0 ? TERMS : 1; }

/* Integers beside those of f32: how many are refused. */
static size_t check_neighbours(const question_t *question, const trial_t *trial, uint32_t result,
                               size_t element, long double place) {
  const tensor_t *tensor = &trial->results[result];
  uint64_t kept = element_load(tensor->type.element, tensor->data, element);
  size_t refused = 0;
  for (int64_t stored = -128; stored <= 127; stored++) {
    if (fabsl((long double)stored - place) <= 1.5L) continue;
    element_store(tensor->type.element, tensor->data, element, (uint64_t)stored & 0xff);
    answer_t answer = question_decide(question, result, element, trial->results);
    g_assert_false(answer.conforms);
    refused++;
    if (fabsl((long double)stored - place) > 4 && stored < 80) stored += 40;
  }
  element_store(tensor->type.element, tensor->data, element, kept);
  return refused;
}

static size_t check_trial(trial_t *trial, const contract_t *contract, arena_t *arena) {
  static numbers_t rounded[RESULTS], exact[RESULTS];
  for (size_t channel = 0; channel < CHANNELS; channel++) {
    evaluate_channel(trial, channel, false, rounded);
    evaluate_channel(trial, channel, true, exact);
  }
  question_t question;
  g_assert_cmpint(question_make(&trial->instance, contract, arena, &question), ==, STATUS_OK);
  for (uint32_t r = 0; r < RESULTS; r++) {
    for (size_t e = 0; e < CHANNELS * value_count(r); e++) {
      long double value = rounded[r].values[e / value_count(r)][e % value_count(r)];
      element_store(trial->results[r].type.element, trial->results[r].data, e,
                    (uint64_t)quantize(trial, r, value) & 0xff);
    }
  }
  g_autoptr(GString) reason = g_string_new(NULL);
  if (!question_conforms(&question, trial->results, reason)) g_error("%s", reason->str);
  size_t refused = 0;
  for (uint32_t r = 0; r < RESULTS; r++) {
    for (size_t e = 0; e < CHANNELS * value_count(r); e += r == 0 ? 17 : 1) {
      long double value = exact[r].values[e / value_count(r)][e % value_count(r)];
      refused += check_neighbours(&question, trial, r, e, place_of(trial, r, value));
    }
  }
  return refused;
}

static void check(bool is_grad) {
  const contract_t contracts[] = {contract_spec(), contract_backend()};
  rng_t rng = rng_make(0xba7c4);
  arena_t arena;
  arena_init(&arena);
  size_t refused = 0;
  for (int i = 0; i < CASES; i++) {
    arena_reset(&arena);
    trial_t trial;
    make_case(&settings[i % 2], is_grad, &arena, &trial);
    draw_operands(&rng, &trial);
    refused += check_trial(&trial, &contracts[i / 2 % 2], &arena);
  }
  g_test_message("%d cases, %zu integers refused", CASES, refused);
  g_assert_cmpuint(refused, >, CASES * 50);
  arena_deinit(&arena);
}

static void test_training(void) { check(false); }
static void test_grad(void) { check(true); }

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/naive_batch_norm_quantized/training", test_training);
  g_test_add_func("/naive_batch_norm_quantized/grad", test_grad);
  return g_test_run();
}
