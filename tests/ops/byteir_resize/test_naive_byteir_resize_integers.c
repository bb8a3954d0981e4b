/* SPDX-License-Identifier: Apache-2.0 */
/* Linear resizes of integers a second time: interpolated values as exact fractions, and as plain
 * code would compute and round them, sharing nothing with the oracle. */
#include <inttypes.h>
#include <math.h>

#include "tests/ops/op_checks.h"
#include "tests/ops/oracle_checks.h"

enum { LENGTH_MAX = 24, TRANSFORMATION_COUNT = 4, ROUNDING_COUNT = 3 };

static const char *const transformations[TRANSFORMATION_COUNT] = {
    "asymmetric", "pytorch_half_pixel", "half_pixel", "align_corners"};

static const char *const contracts[ROUNDING_COUNT + 1] = {
    "resize_rounding=zero", "resize_rounding=down", "resize_rounding=nearest",
    "resize_rounding=any"};

typedef struct fraction {
  int64_t numerator;
  int64_t denominator; /* Positive. */
} fraction_t;

/* The clamped coordinate of position x, of n elements resized to m. */
static fraction_t coordinate_of(int which, int64_t n, int64_t m, int64_t x) {
  fraction_t c = {x * n, m};
  if (n == m) c = (fraction_t){x, 1};
  if (n != m && (which == 1 || which == 2)) c = (fraction_t){(2 * x + 1) * n - m, 2 * m};
  if (n != m && which == 3 && m > 1) c = (fraction_t){x * (n - 1), m - 1};
  if (m == 1 && (which == 1 || which == 3)) c = (fraction_t){0, 1};
  c.numerator = CLAMP(c.numerator, 0, (n - 1) * c.denominator);
  return c;
}

static int64_t floor_of(fraction_t value) {
  int64_t quotient = value.numerator / value.denominator;
  return quotient - (quotient * value.denominator > value.numerator);
}

static fraction_t value_of(fraction_t c, const int64_t *data, int64_t n) {
  int64_t lower = floor_of(c), upper = MIN(lower + 1, n - 1);
  int64_t part = c.numerator - lower * c.denominator;
  return (fraction_t){data[lower] * c.denominator + part * (data[upper] - data[lower]),
                      c.denominator};
}

/* Whether the integer is what the exact value is rounded to; to nearest, with ties anywhere. */
static bool is_rounded(fraction_t value, int rounding, int64_t integer) {
  int64_t below = floor_of(value), rest = value.numerator - below * value.denominator;
  if (rounding == 1) return integer == below;
  if (rounding == 0) return integer == below + (rest != 0 && value.numerator < 0);
  bool may_be_below = 2 * rest <= value.denominator, may_be_above = 2 * rest >= value.denominator;
  return (may_be_below && integer == below) || (may_be_above && integer == below + 1);
}

static bool is_permitted(fraction_t value, int permitted, int64_t integer) {
  for (int rounding = 0; rounding < ROUNDING_COUNT; rounding++) {
    bool is_asked = permitted == ROUNDING_COUNT || permitted == rounding;
    if (is_asked && is_rounded(value, rounding, integer)) return true;
  }
  return false;
}

/* Whether arithmetic of f32 may tell on which side of an integer, or a middle, the value lies: of
 * numbers below 2^15 and denominators below 2^6 others are at least 2^-7 away, and errors are
 * below (2^15 + 2^16 * 24) 2^-21. */
static bool is_on_edge(fraction_t value) { return 2 * value.numerator % value.denominator == 0; }

/* How somebody may write it in C. */
static int64_t plain_integer(int which, int way, int rounding, const int64_t *data, int64_t n,
                             int64_t m, int64_t x) {
  float half = which == 1 || which == 2 ? 0.5F : 0, in = (float)n, out = (float)m;
  float c =
      way % 2 == 0 ? ((float)x + half) / (out / in) - half : ((float)x + half) * (in / out) - half;
  if (which == 3) c = m == 1 ? 0 : (float)x * ((in - 1) / (out - 1));
  if (which == 1 && m == 1) c = 0;
  if (n == m) c = (float)x;
  c = fminf(fmaxf(c, 0), in - 1);
  int64_t lower = (int64_t)c, upper = MIN(lower + 1, n - 1);
  float t = c - (float)lower, a = (float)data[lower], b = (float)data[upper];
  float value = way < 2 ? (1 - t) * a + t * b : a + t * (b - a);
  if (rounding == 0) return (int64_t)value;
  if (rounding == 1) return (int64_t)floorf(value);
  return (int64_t)(way == 1 ? floorf(value + 0.5F) : way == 2 ? roundf(value) : rintf(value));
}

typedef struct tally {
  size_t positions;
  size_t single; /* One integer alone conforms. */
} tally_t;

typedef struct asked {
  question_t question;
  tensor_t result;
  const element_t *element;
} asked_t;

static bool conforms(asked_t *asked, size_t component, int64_t integer) {
  uint64_t bits = (uint64_t)integer & element_mask(asked->element);
  element_store(asked->element, asked->result.data, component, bits);
  bool is_held = accept_holds(&asked->question.accepts[0], asked->element, component, bits);
  bool is_conforming = question_decide(&asked->question, 0, component, &asked->result).conforms;
  g_assert_true(is_conforming || !is_held);
  return is_conforming;
}

/* All integers within 3 of the value, and the ends of the type. */
static void check_position(asked_t *asked, int which, int permitted, const int64_t *data, int64_t n,
                           int64_t m, int64_t x, tally_t *tally) {
  fraction_t value = value_of(coordinate_of(which, n, m, x), data, n);
  int64_t below = floor_of(value), least = element_integer_min(asked->element);
  int64_t largest = (int64_t)element_integer_max(asked->element);
  bool conforming[7] = {false};
  size_t count = 0;
  for (int64_t integer = MAX(below - 3, least); integer <= MIN(below + 3, largest); integer++) {
    bool may_be = conforms(asked, (size_t)x, integer);
    bool is_right = is_permitted(value, permitted, integer);
    bool is_near = is_on_edge(value) && (is_permitted(value, permitted, integer - 1) ||
                                         is_permitted(value, permitted, integer + 1));
    count += may_be;
    conforming[integer - below + 3] = may_be;
    if (may_be == is_right || (may_be && is_near)) continue;
    g_error("%s %s, %" PRId64 " of %" PRId64 " to %" PRId64 ": %" PRId64 " for %" PRId64 "/%" PRId64
            " under %s",
            asked->element->name, transformations[which], x, n, m, integer, value.numerator,
            value.denominator, contracts[permitted]);
  }
  if (below - 3 > least) g_assert_false(conforms(asked, (size_t)x, least));
  if (below + 3 < largest) g_assert_false(conforms(asked, (size_t)x, largest));
  for (int way = 0; way < 4 * ROUNDING_COUNT; way++) {
    int rounding = way % ROUNDING_COUNT;
    if (permitted != ROUNDING_COUNT && permitted != rounding) continue;
    int64_t plain = plain_integer(which, way / ROUNDING_COUNT, rounding, data, n, m, x);
    if (labs(plain - below) <= 3 && conforming[plain - below + 3]) continue;
    g_error("%s, %" PRId64 " of %" PRId64 " to %" PRId64 ": way %d gives %" PRId64,
            transformations[which], x, n, m, way, plain);
  }
  tally->positions++;
  tally->single += count == 1;
}

static void check_case(arena_t *arena, rng_t *rng, const char *name, int which, int permitted,
                       int64_t n, int64_t m, tally_t *tally) {
  g_autofree char *line = g_strdup_printf(
      "byteir.resize target_mode=size mode=linear coordinate_transformation_mode=%s %s[%" PRId64
      "] i64[1] -> %s[%" PRId64 "]",
      transformations[which], name, n, name, m);
  const char *violation = NULL;
  program_t program = check_parse(line, arena, &violation);
  g_assert_null(violation);
  case_t instance = case_make(arena, &program);
  element_store(element_named("i64"), instance.operands[1].data, 0, (uint64_t)m);
  asked_t asked = {.element = element_named(name)};
  int64_t *data = ARENA_NEW_ARRAY(arena, int64_t, (size_t)n);
  int64_t largest = MIN((int64_t)element_integer_max(asked.element), 255);
  int64_t least = MAX(element_integer_min(asked.element), -256);
  for (int64_t i = 0; i < n; i++) {
    data[i] = rng_between(rng, least, largest);
    uint64_t bits = (uint64_t)data[i] & element_mask(asked.element);
    element_store(asked.element, instance.operands[0].data, (size_t)i, bits);
  }
  contract_t contract;
  failure_t error = {.text = ""};
  g_assert_cmpint(contract_parse(str_from(contracts[permitted]), &contract, &error), ==, STATUS_OK);
  g_assert_cmpint(question_make(&instance, &contract, arena, &asked.question), ==, STATUS_OK);
  asked.result = tensor_make(arena, &program.results[0]);
  memset(asked.result.data, 0, type_bytes(&asked.result.type));
  for (int64_t x = 0; x < m; x++) {
    check_position(&asked, which, permitted, data, n, m, x, tally);
  }
}

static void test_integers(void) {
  static const char *const names[] = {"i8", "ui8", "i16", "ui16", "i32", "ui32"};
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(0x1e5);
  for (int i = 0; i < TRANSFORMATION_COUNT * (ROUNDING_COUNT + 1); i++) {
    int which = i % TRANSFORMATION_COUNT, permitted = i / TRANSFORMATION_COUNT;
    tally_t tally = {0};
    for (int64_t n = 1; n <= LENGTH_MAX; n += n < 3 ? 1 : 7) {
      for (int64_t m = 1; m <= LENGTH_MAX; m += m < 3 ? 1 : 5) {
        arena_reset(&arena);
        const char *name = names[rng_below(&rng, G_N_ELEMENTS(names))];
        check_case(&arena, &rng, name, which, permitted, n, m, &tally);
      }
    }
    g_test_message("%s, %s: one integer alone in %zu of %zu positions", transformations[which],
                   contracts[permitted], tally.single, tally.positions);
    g_assert_cmpuint(tally.single, >, tally.positions * (permitted < ROUNDING_COUNT ? 5 : 3) / 10);
  }
  arena_deinit(&arena);
}

/* ---- By hand --------------------------------------------------------------------------------- */

static const struct row {
  const char *line;
  size_t component;
  int64_t least; /* Of those that conform. */
  int64_t largest;
} rows[] = {
#define TO_FOUR(type)                                                                          \
  "byteir.resize target_mode=size mode=linear coordinate_transformation_mode=half_pixel " type \
  "[2] i64[1] -> " type "[4] : "
    /* In f32 the largest integers of 32 bits are 2^31 and 2^32, which are beyond the type. */
    {TO_FOUR("i32") "7fffffff7fffffff : 0000000000000004", 1, INT32_MAX, INT32_MAX},
    {TO_FOUR("i32") "8000000080000000 : 0000000000000004", 1, INT32_MIN, INT32_MIN},
    {TO_FOUR("ui32") "ffffffffffffffff : 0000000000000004", 2, UINT32_MAX, UINT32_MAX},
    /* 2^24 + 1 is none of f32, and stays itself in f64. */
    {TO_FOUR("i32") "0100000101000001 : 0000000000000004", 1, 1 << 24, (1 << 24) + 1},
    /* 7.25 and 7.75; -7.25. */
    {TO_FOUR("i8") "0708 : 0000000000000004", 1, 7, 7},
    {TO_FOUR("i8") "0708 : 0000000000000004", 2, 7, 8},
    {TO_FOUR("i8") "f9f8 : 0000000000000004", 1, -8, -7},
};

/* Where steps round to f32 or to f64, none to a wider format. */
static void test_by_hand(void) {
  const contract_t contract = contract_spec();
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    case_t instance;
    failure_t error = {.text = ""};
    if (case_parse(str_from(rows[i].line), &arena, &instance, NULL, &error) != STATUS_OK) {
      g_error("%s: %s", rows[i].line, error.text);
    }
    asked_t asked = {.element = instance.program.results[0].element};
    g_assert_cmpint(question_make(&instance, &contract, &arena, &asked.question), ==, STATUS_OK);
    asked.result = tensor_make(&arena, &instance.program.results[0]);
    memset(asked.result.data, 0, type_bytes(&asked.result.type));
    int64_t least = MAX(rows[i].least - 3, element_integer_min(asked.element));
    int64_t largest = MIN(rows[i].largest + 3, (int64_t)element_integer_max(asked.element));
    for (int64_t integer = least; integer <= largest; integer++) {
      bool is_right = rows[i].least <= integer && integer <= rows[i].largest;
      if (conforms(&asked, rows[i].component, integer) == is_right) continue;
      g_error("%s: %" PRId64, rows[i].line, integer);
    }
  }
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/naive_byteir_resize_integers/integers", test_integers);
  g_test_add_func("/naive_byteir_resize_integers/by_hand", test_by_hand);
  return g_test_run();
}
