/* SPDX-License-Identifier: Apache-2.0 */
/* byteir.rng_normal: its rules; the published generator against a second, naive evaluation; and the
 * checks of unknown generators on good ones, made in several ways, and on faulty ones. */
#include "oracles/ops/byteir_rng/normal.h"

#include <math.h>

#include "oracles/ops/byteir_rng/byteir_rng.h"
#include "tests/ops/byteir_rng/rng_generators.h"
#include "tests/ops/op_checks.h"
#include "tests/ops/oracle_checks.h"

#define NORMAL "byteir.rng_normal "
#define F32 "f32[] f32[] i64[] i64[] "

static const draw_limits_t limits = {.rank_max = 4, .elements_max = 300, .terms_max = 512};

/* ---- Rules ----------------------------------------------------------------------------------- */

static const violation_row_t violations[] = {
    {NORMAL F32 "-> f32[8,3]", NULL},
    {NORMAL F32 "i64[2] -> f32[2,3]", NULL},
    {NORMAL "bf16[] bf16[] i64[] i64[] -> bf16[0]", NULL},
    {NORMAL "f64[] f64[] i64[] i64[] -> f64[]", NULL},
    {NORMAL "f64[] f64[] i64[] i64[] -> f64[7]", NULL},
    {NORMAL "f16[] f16[] i64[] i64[] -> f16[2]", NULL},
    {NORMAL F32 "-> f32[]", NULL},
    {NORMAL F32 "i64[0] -> f32[]", NULL},
    {NORMAL F32 "i64[1] -> f32[9]", NULL},
    {NORMAL "f32[] f32[] i64[] -> f32[2]", "count"},
    {NORMAL "f32[1] f32[] i64[] i64[] -> f32[2]", "numbers"},
    {NORMAL F32 "i64[2] -> f32[2]", "shape"},
    {NORMAL "f32[] f32[] i64[] i64[2] -> f32[2]", "seed"},
    {NORMAL "f32[] f32[] i32[] i64[] -> f32[2]", "types"},
    {NORMAL F32 "-> f64[2]", "types"},
};

static void test_violations(void) {
  const op_t *op = check_find_op("byteir.rng_normal");
  check_violations(op, violations, G_N_ELEMENTS(violations), NULL);
  g_autofree char *words = check_text(NORMAL F32 "-> f32[8,3]", program_print_words);
  g_assert_cmpstr(
      words, ==,
      "fills f32[8,3] with normal random numbers of a mean and a standard deviation, of "
      "a seed and an offset");
}

/* ---- The published generator ----------------------------------------------------------------- */

/* Both words of a block, in 64-bit arithmetic. */
static void naive_words(uint32_t counter, uint64_t key0, uint64_t key1, uint64_t out_words[2]) {
  uint64_t l0 = 0, r0 = counter, l1 = 0, r1 = 0;
  for (uint64_t round = 0; round < 10; round++) {
    uint64_t k0 = (key0 + round * 0x9e3779b9u) % 4294967296u;
    uint64_t k1 = (key1 + round * 0xbb67ae85u) % 4294967296u;
    uint64_t m0 = r0 * 3528531795u, m1 = r1 * 3449720151u;
    r0 = m1 / 4294967296u ^ l0 ^ k0;
    r1 = m0 / 4294967296u ^ l1 ^ k1;
    l0 = m1 % 4294967296u;
    l1 = m0 % 4294967296u;
  }
  out_words[0] = r0;
  out_words[1] = l0;
}

static uint32_t naive_hash(const type_t *type, size_t element, uint32_t seed, uint32_t offset) {
  int64_t index[TYPE_RANK_MAX];
  check_unravel(type, element, index);
  uint64_t hash = ((uint64_t)seed + offset) % 4294967296u;
  for (uint32_t dim = 0; dim < type->rank; dim++) {
    hash = (hash + (uint64_t)index[dim]) % 4294967296u;
    hash = (hash * 1103515245u + 12345u) % 4294967296u;
  }
  return (uint32_t)hash;
}

/* Steps of 53 bits, each then rounded: of what has 24 bits or fewer, nearly always right. */
static double naive_number(const format_t *format, const uint64_t words[2], double mean,
                           double deviation) {
  const double turn = format_round_double(format, 2 * M_PI);
  double u = format_round_double(format, (double)words[0] / 4294967296.0);
  double t = format_round_double(format, (double)words[1] / 4294967296.0);
  double logarithm = format_round_double(format, log(u));
  double distance = format_round_double(format, sqrt(format_round_double(format, -2 * logarithm)));
  double cosine = format_round_double(format, cos(format_round_double(format, turn * t)));
  double normal = format_round_double(format, distance * cosine);
  double scaled = format_round_double(format, normal * deviation);
  return format_round_double(format, scaled + mean);
}

typedef struct tally {
  size_t numbers;
  size_t swapped; /* Numbers of swapped words that conform all the same. */
  size_t near;    /* Numbers eight steps away that do. */
  size_t plain;   /* Results that are told by the simplest steps alone. */
} tally_t;

static bool conforms(const question_t *question, const tensor_t *result, size_t i, double number) {
  const element_t *element = result->type.element;
  uint64_t bits = format_from_double(element->format, isnan(number) ? (double)NAN : number);
  element_store(element, result->data, i, bits);
  bool is_held = accept_holds(&question->accepts[0], element, i, bits);
  bool is_conforming = question_decide(question, 0, i, result).conforms;
  g_assert_true(is_conforming || !is_held);
  return is_conforming;
}

static double operand(const case_t *instance, uint32_t number) {
  const format_t *format = instance->program.results[0].element->format;
  return format_to_double(format, byteir_rng_operand(instance, number));
}

/* What is told to be published by the simplest steps alone conforms number by number, and is told
 * no more once one number is the next one. */
static void check_plain(const question_t *question, tensor_t *result, tally_t *tally) {
  const case_t *instance = question->instance;
  const implementation_model_t schedule = schedule_plain();
  failure_t error = {.text = ""};
  const oracle_call_t call = {.instance = instance,
                              .contract = question->contract,
                              .arena = question->arena,
                              .error = &error};
  g_assert_cmpint(byteir_rng_normal_simulate(&call, &schedule, result), ==, STATUS_OK);
  if (!byteir_rng_normal_is_plain(instance, question->contract, result, question->arena)) return;
  tally->plain++;
  const element_t *element = result->type.element;
  for (size_t i = 0; i < type_element_count(&result->type); i++) {
    uint64_t bits = element_load(element, result->data, i);
    g_assert_true(question_decide(question, 0, i, result).conforms);
    element_store(element, result->data, i, format_next_up(element->format, bits));
    g_assert_false(
        byteir_rng_normal_is_plain(instance, question->contract, result, question->arena));
    element_store(element, result->data, i, bits);
  }
}

static void check_published(rng_t *rng, const contract_t *contract, arena_t *arena,
                            tally_t *tally) {
  enum { STEPS = 8 };
  const op_t *op = check_find_op("byteir.rng_normal");
  program_t program;
  op->draw(rng, &limits, arena, &program);
  case_t instance = case_make(arena, &program);
  op->draw_edges(rng, &instance);
  op->settle_operands(rng, &instance);
  const format_t *format = program.results[0].element->format;
  question_t question;
  g_assert_cmpint(question_make(&instance, contract, arena, &question), ==, STATUS_OK);
  tensor_t result = tensor_make(arena, &program.results[0]);
  double mean = operand(&instance, BYTEIR_RNG_MEAN);
  double deviation = operand(&instance, BYTEIR_RNG_DEVIATION);
  uint32_t seed = (uint32_t)byteir_rng_operand(&instance, BYTEIR_RNG_SEED);
  uint32_t offset = (uint32_t)byteir_rng_operand(&instance, BYTEIR_RNG_OFFSET);
  bool is_plain = mean == 0 && deviation == 1;
  check_plain(&question, &result, tally);
  for (size_t i = 0; i < type_element_count(&result.type); i++) {
    uint64_t words[2];
    naive_words(naive_hash(&result.type, i, seed, offset), seed, offset, words);
    double number = naive_number(format, words, mean, deviation);
    if (!conforms(&question, &result, i, number)) {
      g_error("%s, element %zu, mean %a, deviation %a: %a", result.type.element->name, i, mean,
              deviation, number);
    }
    if (!is_plain || format->bits == 16) continue;
    const uint64_t swapped[2] = {words[1], words[0]};
    uint64_t bits = format_from_double(format, number);
    for (int step = 0; step < STEPS; step++) bits = format_next_up(format, bits);
    tally->numbers++;
    tally->swapped += conforms(&question, &result, i, naive_number(format, swapped, 0, 1));
    tally->near += conforms(&question, &result, i, format_to_double(format, bits));
  }
}

static void test_published(void) {
  enum { CASES = 60 };
  contract_t contract;
  failure_t error = {.text = ""};
  g_assert_cmpint(contract_parse(str_from("rng_normal=philox"), &contract, &error), ==, STATUS_OK);
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(0x60a);
  tally_t tally = {0};
  for (int i = 0; i < CASES; i++) {
    arena_reset(&arena);
    check_published(&rng, &contract, &arena, &tally);
  }
  g_test_message("of %zu numbers %zu with swapped words conform, %zu eight steps up", tally.numbers,
                 tally.swapped, tally.near);
  g_assert_cmpuint(tally.numbers, >, 500);
  g_assert_cmpuint(tally.plain, >, CASES / 4);
  g_assert_cmpuint(tally.swapped, <, tally.numbers / 100);
  g_assert_cmpuint(tally.near, <, tally.numbers * 9 / 10);
  arena_deinit(&arena);
}

/* ---- Any generator --------------------------------------------------------------------------- */

typedef enum method {
  METHOD_BOX_MULLER,
  METHOD_BOX_MULLER_IN_F32,
  METHOD_POLAR,  /* Marsaglia's. */
  METHOD_RATIOS, /* Kinderman and Monahan's. */
  METHOD_COUNT,
  /* Faulty ones. */
  METHOD_UNIFORM = METHOD_COUNT,
  METHOD_SCALED,
  METHOD_LOGISTIC,
  METHOD_PAIRED, /* Every second number is the one before with the other sign. */
  METHOD_ALL,
} method_t;

static double next_uniform(words_t *words) { return (words_next(words) + 0.5) * 0x1p-32; }

static double next_box_muller(words_t *words) {
  double u = next_uniform(words), t = next_uniform(words);
  return sqrt(-2 * log(u)) * cos(2 * M_PI * t);
}

static double next_normal(words_t *words, method_t method) {
  double u = next_uniform(words), v = next_uniform(words);
  switch (method) {
    case METHOD_BOX_MULLER_IN_F32:
      return (double)(sqrtf(-2 * logf((float)u)) * cosf(6.2831855F * (float)v));
    case METHOD_POLAR:
      for (;;) {
        double x = 2 * u - 1, y = 2 * v - 1, square = x * x + y * y;
        if (square > 0 && square < 1) return x * sqrt(-2 * log(square) / square);
        u = next_uniform(words);
        v = next_uniform(words);
      }
    case METHOD_RATIOS:
      for (;;) {
        double x = sqrt(2 / M_E) * (2 * v - 1) / u;
        if (x * x <= -4 * log(u)) return x;
        u = next_uniform(words);
        v = next_uniform(words);
      }
    case METHOD_UNIFORM:
      return (2 * u - 1) * sqrt(3);
    case METHOD_LOGISTIC:
      return log(u / (1 - u)) * sqrt(3) / M_PI;
    case METHOD_SCALED:
      return 0.8 * next_box_muller(words);
    default:
      return next_box_muller(words);
  }
}

static byteir_rng_sample_t draw_sample(words_t *words, method_t method, const element_t *element,
                                       size_t count, double mean, double deviation,
                                       arena_t *arena) {
  const contract_t contract = contract_backend();
  int64_t size = (int64_t)count;
  type_t type = type_make(element, 1, &size);
  tensor_t result = tensor_make(arena, &type);
  double last = 0;
  for (size_t i = 0; i < count; i++) {
    double normal = method == METHOD_PAIRED && i % 2 == 1 ? -last : next_normal(words, method);
    last = normal;
    double number = format_round_double(element->format, normal) * deviation;
    number = format_round_double(element->format, number) + mean;
    element_store(element, result.data, i, format_from_double(element->format, number));
  }
  return byteir_rng_normal_sample(&result, mean, deviation, &contract, arena);
}

/* No check finds in good numbers what is as improbable as 2^-k more often than that says. */
static void check_good(method_t method, const char *name, double mean, double deviation,
                       arena_t *arena) {
  enum { TRIALS = 150, BITS = 5, SIZE_MAX_DRAWN = 1500 };
  size_t improbable[BYTEIR_RNG_CHECK_COUNT] = {0};
  rng_t rng = rng_make(0x9e + (uint64_t)method);
  for (int trial = 0; trial < TRIALS; trial++) {
    arena_reset(arena);
    words_t words;
    words_start(&words, (word_source_t)(trial % SOURCE_COUNT), rng_bits(&rng));
    size_t count = (size_t)rng_between(&rng, 2, SIZE_MAX_DRAWN);
    byteir_rng_sample_t sample =
        draw_sample(&words, method, element_named(name), count, mean, deviation, arena);
    for (int check = 0; check < BYTEIR_RNG_CHECK_COUNT; check++) {
      byteir_rng_finding_t finding = byteir_rng_check_one(&sample, (byteir_rng_check_t)check);
      if (finding.is_refuted) g_error("method %d, %s: %s", method, name, finding.words);
      improbable[check] += finding.bits >= (double)BITS;
    }
  }
  const double expected = (double)TRIALS / 32;
  for (int check = 0; check < BYTEIR_RNG_CHECK_COUNT; check++) {
    g_assert_cmpfloat((double)improbable[check], <=, expected + 6 * sqrt(expected));
  }
}

static void test_good(void) {
  static const char *const names[] = {"f64", "f32", "f16", "bf16"};
  arena_t arena;
  arena_init(&arena);
  for (int method = 0; method < METHOD_COUNT; method++) {
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
      check_good((method_t)method, names[i], 0, 1, &arena);
    }
    check_good((method_t)method, "f32", 1000, 0.125, &arena);
    check_good((method_t)method, "f16", -100, 3, &arena);
  }
  arena_deinit(&arena);
}

static void test_faulty(void) {
  enum { COUNT = 80000 };
  arena_t arena;
  arena_init(&arena);
  for (int method = METHOD_COUNT; method < METHOD_ALL; method++) {
    arena_reset(&arena);
    words_t words;
    words_start(&words, SOURCE_TWISTER, 77);
    byteir_rng_sample_t sample =
        draw_sample(&words, (method_t)method, element_named("f32"), COUNT, 0, 1, &arena);
    byteir_rng_finding_t finding = byteir_rng_check_all(&sample);
    g_test_message("method %d: %s", method, finding.words);
    g_assert_true(finding.is_refuted);
  }
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/byteir-rng-normal/violations", test_violations);
  g_test_add_func("/byteir-rng-normal/published", test_published);
  g_test_add_func("/byteir-rng-normal/good", test_good);
  g_test_add_func("/byteir-rng-normal/faulty", test_faulty);
  return g_test_run();
}
