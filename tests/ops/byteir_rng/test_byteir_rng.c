/* SPDX-License-Identifier: Apache-2.0 */
/* The published generator of byteir.rng_uniform against known answers and a second, naive
 * evaluation, and what the oracle says of single numbers and of whole results. */
#include <glib.h>
#include <string.h>

#include "generated/byteir_rng_faults.h"
#include "generated/byteir_rng_permissions.h"
#include "oracles/ops/byteir_rng/byteir_rng.h"
#include "oracles/ops/byteir_rng/element.h"
#include "oracles/ops/byteir_rng/published.h"
#include "tests/ops/op_checks.h"
#include "tests/ops/oracle_checks.h"

#define RNG "byteir.rng_uniform "

/* ---- Known answers --------------------------------------------------------------------------- */

/* Of the authors of Philox (Random123, kat_vectors). */
static void test_known_answers(void) {
  static const uint32_t zeros[] = {0, 0, 0, 0};
  static const uint32_t ones[] = {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff};
  static const uint32_t pi[] = {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344};
  static const uint32_t more_pi[] = {0xa4093822, 0x299f31d0};
  static const struct {
    uint32_t rounds;
    const uint32_t *counter;
    const uint32_t *key;
    uint32_t words[PHILOX_WORDS];
  } rows[] = {
      {7, zeros, zeros, {0x5f6fb709, 0x0d893f64, 0x4f121f81, 0x4f730a48}},
      {7, ones, ones, {0x5207ddc2, 0x45165e59, 0x4d8ee751, 0x8c52f662}},
      {7, pi, more_pi, {0x4dfccaba, 0x190a87f0, 0xc47362ba, 0xb6b5242a}},
      {10, zeros, zeros, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {10, ones, ones, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {10, pi, more_pi, {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    uint32_t words[PHILOX_WORDS];
    philox(rows[i].rounds, rows[i].counter, rows[i].key, words);
    g_assert_true(memcmp(words, rows[i].words, sizeof words) == 0);
  }
}

/* Seed and offset 0, one dimension: the first words, as read off ByteIR's lowering. */
static void test_first_words(void) {
  static const uint32_t words[] = {360379812, 856237755, 3309789726, 1007691327};
  type_t type = type_make(element_named("f32"), 1, &(int64_t){4});
  byteir_rng_published_t published = byteir_rng_published_make(&type, 0, 0);
  for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
    g_assert_cmpuint(byteir_rng_published_next(&published), ==, words[i]);
  }
}

/* ---- A naive evaluation ---------------------------------------------------------------------- */

/* Philox as its paper has it: two Feistel pairs (R, L), each multiplied on the right. */
static uint32_t naive_philox(uint32_t counter, uint32_t key0, uint32_t key1) {
  uint64_t r0 = counter, l0 = 0, r1 = 0, l1 = 0;
  for (uint64_t round = 0; round < 10; round++) {
    uint64_t k0 = (key0 + round * 0x9e3779b9u) % 4294967296u;
    uint64_t k1 = (key1 + round * 0xbb67ae85u) % 4294967296u;
    uint64_t m0 = r0 * 3528531795u, m1 = r1 * 3449720151u;
    r0 = m1 / 4294967296u ^ l0 ^ k0;
    r1 = m0 / 4294967296u ^ l1 ^ k1;
    l0 = m1 % 4294967296u;
    l1 = m0 % 4294967296u;
  }
  return (uint32_t)r0;
}

/* The hash in 64-bit arithmetic, reduced after each step. */
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

/* To nearest even, of a finite binary64 number. */
static double naive_round(double value, const format_t *format) {
  if (value == 0 || !isfinite(value)) return value;
  int exponent = MAX(ilogb(value), format->exponent_min) - format->precision + 1;
  double rounded = ldexp(nearbyint(ldexp(value, -exponent)), exponent);
  double largest = format_to_double(format, format->largest_bits);
  return fabs(rounded) > largest ? copysign(INFINITY, rounded) : rounded;
}

/* Sums, differences and products of two numbers of a format of 24 bits or fewer are rounded right
 * by way of binary64. */
static double naive_number(const format_t *format, uint32_t word, double low, double high) {
  double u = word / 4294967296.0;
  if (format->bits == 64) return low + u * (high - low);
  if (format->bits == 32) {
    float narrow_low = (float)low, width = (float)high - narrow_low;
    float product = (float)u * width;
    return (double)(narrow_low + product);
  }
  double width = naive_round(high - low, format);
  double product = naive_round(naive_round(u, format) * width, format);
  return naive_round(low + product, format);
}

typedef struct naive_case {
  case_t instance;
  tensor_t result;
} naive_case_t;

/* A drawn case with the naive numbers for its result. */
static naive_case_t draw_case(rng_t *rng, const draw_limits_t *limits, arena_t *arena) {
  const op_t *op = check_find_op("byteir.rng_uniform");
  program_t program;
  op->draw(rng, limits, arena, &program);
  naive_case_t drawn = {.instance = case_make(arena, &program),
                        .result = tensor_make(arena, &program.results[0])};
  op->draw_edges(rng, &drawn.instance);
  op->settle_operands(rng, &drawn.instance);
  const element_t *element = program.results[0].element;
  const case_t *instance = &drawn.instance;
  double low = format_to_double(element->format, byteir_rng_operand(instance, BYTEIR_RNG_LOW));
  double high = format_to_double(element->format, byteir_rng_operand(instance, BYTEIR_RNG_HIGH));
  uint32_t seed = (uint32_t)byteir_rng_operand(instance, BYTEIR_RNG_SEED);
  uint32_t offset = (uint32_t)byteir_rng_operand(instance, BYTEIR_RNG_OFFSET);
  for (size_t i = 0; i < type_element_count(&drawn.result.type); i++) {
    uint32_t word = naive_philox(naive_hash(&drawn.result.type, i, seed, offset), seed, offset);
    double number = naive_number(element->format, word, low, high);
    uint64_t bits = format_from_double(element->format, isnan(number) ? (double)NAN : number);
    element_store(element, drawn.result.data, i, bits);
  }
  return drawn;
}

/* The plain model returns the naive numbers to the bit; under the strictest contract they conform
 * and, where the type is computed with in itself alone, their neighbours do not. */
static void test_naive(void) {
  enum { CASES = 3000 };
  const draw_limits_t limits = {.rank_max = 5, .elements_max = 40, .terms_max = 40};
  contract_t contract = contract_spec();
  PERMITTED(&contract, rng_uniform) = RNG_UNIFORM_PHILOX;
  const implementation_model_t plain = schedule_plain();
  rng_t rng = rng_make(31);
  arena_t arena;
  arena_init(&arena);
  size_t refused = 0;
  for (int i = 0; i < CASES; i++) {
    arena_reset(&arena);
    naive_case_t drawn = draw_case(&rng, &limits, &arena);
    const element_t *element = drawn.result.type.element;
    question_t question;
    g_assert_cmpint(question_make(&drawn.instance, &contract, &arena, &question), ==, STATUS_OK);
    tensor_t simulated = tensor_make(&arena, &drawn.result.type);
    const oracle_call_t call = {.instance = &drawn.instance, .arena = &arena};
    question.oracle->simulate(&call, &plain, &simulated);
    size_t bytes = type_bytes(&drawn.result.type);
    g_assert_true(memcmp(simulated.data, drawn.result.data, bytes) == 0);
    g_autoptr(GString) reason = g_string_new(NULL);
    if (!question_conforms(&question, &drawn.result, reason)) g_error("%s", reason->str);
    if (element->bits == 16) continue;
    for (size_t n = 0; n < type_element_count(&drawn.result.type); n++) {
      uint64_t bits = element_load(element, drawn.result.data, n);
      if (format_is_nan(element->format, bits)) continue;
      uint64_t other = format_next_up(element->format, bits);
      if (other == bits) continue;
      element_store(element, drawn.result.data, n, other);
      g_assert_false(question_decide(&question, 0, n, &drawn.result).conforms);
      element_store(element, drawn.result.data, n, bits);
      refused++;
    }
  }
  g_test_message("%zu neighbours refused", refused);
  g_assert_cmpuint(refused, >, CASES);
  arena_deinit(&arena);
}

/* What the stream depends on: the low halves of seed and offset, each by itself, and the shape. */
static void test_stream(void) {
  enum { COUNT = 12 };
  static const int64_t shapes[][2] = {{COUNT, 1}, {3, 4}, {4, 3}};
  const type_t flat = type_make(element_named("f32"), 1, &(int64_t){COUNT});
  const struct {
    type_t type;
    uint64_t seed;
    uint64_t offset;
    bool is_same;
  } rows[] = {
      {flat, 5, 7, true},
      {flat, 5 | UINT64_C(3) << 32, 7 | UINT64_C(1) << 63, true},
      {flat, 6, 7, false},
      {flat, 5, 8, false},
      {flat, 7, 5, false},
      {type_make(element_named("f32"), 2, shapes[0]), 5, 7, false},
      {type_make(element_named("f32"), 2, shapes[1]), 5, 7, false},
      {type_make(element_named("f32"), 2, shapes[2]), 5, 7, false},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    byteir_rng_published_t first = byteir_rng_published_make(&flat, 5, 7);
    byteir_rng_published_t other =
        byteir_rng_published_make(&rows[i].type, rows[i].seed, rows[i].offset);
    size_t same = 0;
    for (int n = 0; n < COUNT; n++) {
      same += byteir_rng_published_next(&first) == byteir_rng_published_next(&other);
    }
    g_assert_cmpuint(same, ==, rows[i].is_same ? COUNT : 0);
  }
}

/* ---- Single numbers -------------------------------------------------------------------------- */

static case_t make_case(const char *line, arena_t *arena) {
  case_t instance;
  failure_t error;
  status_t status = case_parse(str_from(line), arena, &instance, NULL, &error);
  if (status != STATUS_OK) g_error("%s: %s", line, error.text);
  return instance;
}

static case_t make_bf16_case(double low, double high, arena_t *arena) {
  const format_t *format = &format_table[FORMAT_bf16];
  g_autofree char *line = g_strdup_printf(
      RNG
      "bf16[] bf16[] i64[] i64[] -> bf16[1] : %04x : %04x : 0000000000000000 : "
      "0000000000000000",
      (unsigned)format_from_double(format, low), (unsigned)format_from_double(format, high));
  return make_case(line, arena);
}

/* low + u * (high - low) in bf16, and in f32 and then bf16. */
static void naive_bf16(double u, double low, double high, double out_values[2]) {
  const format_t *format = &format_table[FORMAT_bf16];
  double width = naive_round(high - low, format);
  out_values[0] = naive_round(low + naive_round(u * width, format), format);
  float wide = (float)u * ((float)high - (float)low);
  out_values[1] = naive_round((double)((float)low + wide), format);
}

/* Every bf16 number against the set of any u: those from low to high, and beyond high exactly those
 * that some bf16 number u up to 1 reaches. */
static size_t check_reach(double low, double high, arena_t *arena) {
  enum { PATTERNS = 1 << 16, ONE = 0x3f80 };
  const format_t *format = &format_table[FORMAT_bf16];
  low = naive_round(low, format);
  high = naive_round(high, format);
  bool *is_reached = arena_alloc_zeroed(arena, PATTERNS);
  for (uint64_t u = 0; u <= ONE; u++) {
    double values[2];
    naive_bf16(format_to_double(format, u), low, high, values);
    for (int way = 0; way < 2; way++) {
      double value = isnan(values[way]) ? (double)NAN : values[way];
      is_reached[format_from_double(format, value)] = true;
    }
  }
  const contract_t contract = contract_spec();
  case_t instance = make_bf16_case(low, high, arena);
  const oracle_call_t call = {.instance = &instance, .contract = &contract, .arena = arena};
  byteir_rng_sets_t sets = byteir_rng_sets_make(&call);
  size_t beyond = 0;
  for (uint64_t bits = 0; bits < PATTERNS; bits++) {
    double value = format_to_double(format, bits);
    bool is_between = low <= value && value <= high && bits != 0x8000;
    bool holds = byteir_rng_sets_hold(&sets, format, bits, false);
    bool is_required = is_between || is_reached[bits];
    if (format_is_nan(format, bits)) is_required = is_reached[format_from_double(format, NAN)];
    if (bits == 0x8000 && signbit(low) != 0 && high >= 0) is_required = true;
    if (holds != is_required) {
      g_error("%a .. %a: %a %s", low, high, value, holds ? "is held" : "is not held");
    }
    beyond += is_required && value > high && isfinite(value);
  }
  return beyond;
}

static void test_reach(void) {
  static const double rows[][2] = {{0, 1},
                                   {-1, 1},
                                   {1.5, 255},
                                   {-1, 0x1.02p-8},
                                   {0x1p-133, 0x1p-128},
                                   {1, 0x1.08p0},
                                   {-0x1p-130, 0x1p-131},
                                   {-0x1.fep127, 0x1.fep127},
                                   {-3, -3},
                                   {-0.0, 1},
                                   {0, 0},
                                   {-0x1p127, 0x1.8p126}};
  arena_t arena;
  arena_init(&arena);
  size_t beyond = 0;
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    arena_reset(&arena);
    beyond += check_reach(rows[i][0], rows[i][1], &arena);
  }
  rng_t rng = rng_make(8);
  for (int i = 0; i < 150; i++) {
    arena_reset(&arena);
    double a = ldexp((double)rng_between(&rng, -255, 255), (int)rng_between(&rng, -6, 6));
    double b = ldexp((double)rng_between(&rng, -255, 255), (int)rng_between(&rng, -6, 6));
    beyond += check_reach(fmin(a, b), fmax(a, b), &arena);
  }
  g_test_message("%zu numbers beyond high are reached", beyond);
  g_assert_cmpuint(beyond, >, 10);
  arena_deinit(&arena);
}

/* ---- Whole results --------------------------------------------------------------------------- */

#define CASE(type, low, high)                                            \
  RNG type "[] " type "[] i64[] i64[] -> " type "[64] : " low " : " high \
           " : 0000000000000001 : 0000000000000002"

/* What an executor is found to be, by the schedule that simulates it. */
static void test_formulas(void) {
  static const struct {
    const char *line;
    implementation_model_t schedule;
    const char *formula;  /* NULL: none. */
    const char *expected; /* Of the first number, where it does not conform under `any`. */
  } rows[] = {
      {CASE("f32", "00000000", "3f800000"), {.order.kind = SUM_SEQUENTIAL}, "philox", NULL},
      {CASE("bf16", "0000", "3f80"), {.order.kind = SUM_SEQUENTIAL}, "philox", NULL},
      {CASE("f16", "0000", "3c00"), {.order.kind = SUM_HALVES}, "philox", NULL},
      {CASE("f16", "0000", "3c00"), {.order.kind = SUM_HALVES, .other_way = true}, "philox", NULL},
      {CASE("f32", "00000000", "3f800000"), {.order.kind = SUM_SHUFFLED}, "any", NULL},
      {CASE("f32", "00000000", "3f800000"), {.order.kind = SUM_RANDOM}, "any", NULL},
      {CASE("f64", "0000000000000000", "3ff0000000000000"), {.formula = "any"}, "any", NULL},
      {CASE("f32", "00000000", "3f800000"), {.fault = FAULT_philox_of_7_rounds}, "any", NULL},
      {CASE("f32", "00000000", "3f800000"), {.fault = FAULT_offset_ignored}, "any", NULL},
      {CASE("f32", "00000000", "3f800000"),
       {.fault = FAULT_uniform_pairs_equal},
       NULL,
       "uniform numbers: 32 of 64 repeat others, probability below 2^-"},
      {CASE("f32", "00000000", "3f800000"),
       {.fault = FAULT_uniform_sorted},
       NULL,
       "uniform numbers: 64 of 64 in turn ascend, probability below 2^-"},
      {CASE("f32", "40000000", "40400000"),
       {.fault = FAULT_uniform_unscaled},
       NULL,
       "0x1p+1 .. 0x1.8p+1"},
  };
  arena_t arena;
  arena_init(&arena);
  const contract_t contract = contract_backend();
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    arena_reset(&arena);
    case_t instance = make_case(rows[i].line, &arena);
    question_t question;
    g_assert_cmpint(question_make(&instance, &contract, &arena, &question), ==, STATUS_OK);
    tensor_t result = tensor_make(&arena, &instance.program.results[0]);
    const oracle_call_t call = {.instance = &instance, .arena = &arena};
    question.oracle->simulate(&call, &rows[i].schedule, &result);
    uint8_t formula;
    bool is_found;
    const oracle_call_t formula_call = {
        .instance = &instance, .contract = &contract, .results = &result, .arena = &arena};
    question.oracle->find_formula(&formula_call, question.accepts, &formula, &is_found);
    const char *name = is_found ? contract_spelling("rng_uniform", formula) : NULL;
    g_assert_cmpstr(name, ==, rows[i].formula);
    answer_t answer = question_decide(&question, 0, 0, &result);
    g_assert_cmpint(answer.conforms, ==, rows[i].expected == NULL);
    if (rows[i].expected != NULL && !g_str_has_prefix(answer.expected, rows[i].expected)) {
      g_error("row %zu: expected %s", i, answer.expected);
    }
    bool names_any = strcmp(answer.observed, "rng_uniform=any") == 0;
    g_assert_cmpint(names_any, ==, g_strcmp0(rows[i].formula, "any") == 0);
  }
  arena_deinit(&arena);
}

/* Where there are no uniform numbers, only the formula says what there is; and nobody says what
 * becomes of a shape that is not the result's. */
static void test_no_meaning(void) {
#define F32_CASE(low, high)                                 \
  RNG "f32[] f32[] i64[] i64[] -> f32[1] : " low " : " high \
      " : 0000000000000000 : "                              \
      "0000000000000000"
  static const struct {
    const char *line;
    status_t any;
    status_t philox;
  } rows[] = {
      {F32_CASE("00000000", "3f800000"), STATUS_OK, STATUS_OK},
      {F32_CASE("3f800000", "3f800000"), STATUS_OK, STATUS_OK},
      {F32_CASE("3f800000", "00000000"), STATUS_UNSUPPORTED, STATUS_OK},
      {F32_CASE("00000000", "7f800000"), STATUS_UNSUPPORTED, STATUS_OK},
      {F32_CASE("ff800000", "00000000"), STATUS_UNSUPPORTED, STATUS_OK},
      {F32_CASE("00000000", "7fc00000"), STATUS_UNSUPPORTED, STATUS_OK},
      {F32_CASE("7fc00000", "00000000"), STATUS_UNSUPPORTED, STATUS_OK},
      {RNG "f32[] f32[] i64[] i64[] i64[1] -> f32[2] : 00000000 : 3f800000 : 0000000000000000 : "
           "0000000000000000 : 0000000000000002",
       STATUS_OK, STATUS_OK},
      {RNG "f32[] f32[] i64[] i64[] i64[1] -> f32[2] : 00000000 : 3f800000 : 0000000000000000 : "
           "0000000000000000 : 0000000000000003",
       STATUS_UNSUPPORTED, STATUS_UNSUPPORTED},
      {RNG "f32[] f32[] i64[] i64[] i64[1] -> f32[2] : 00000000 : 3f800000 : 0000000000000000 : "
           "0000000000000000 : ffffffffffffffff",
       STATUS_UNSUPPORTED, STATUS_UNSUPPORTED},
  };
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    arena_reset(&arena);
    case_t instance = make_case(rows[i].line, &arena);
    contract_t contract = contract_backend();
    question_t question;
    g_assert_cmpint(question_make(&instance, &contract, &arena, &question), ==, rows[i].any);
    PERMITTED(&contract, rng_uniform) = RNG_UNIFORM_PHILOX;
    g_assert_cmpint(question_make(&instance, &contract, &arena, &question), ==, rows[i].philox);
  }
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/byteir-rng/known-answers", test_known_answers);
  g_test_add_func("/byteir-rng/first-words", test_first_words);
  g_test_add_func("/byteir-rng/naive", test_naive);
  g_test_add_func("/byteir-rng/stream", test_stream);
  g_test_add_func("/byteir-rng/reach", test_reach);
  g_test_add_func("/byteir-rng/formulas", test_formulas);
  g_test_add_func("/byteir-rng/no-meaning", test_no_meaning);
  return g_test_run();
}
