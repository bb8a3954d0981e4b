/* SPDX-License-Identifier: Apache-2.0 */
/* byteir.resize a second time: coordinates and interpolation as exact fractions, and as plain code
 * would compute them in f32, sharing nothing with the oracle. */
#include <gmp.h>
#include <math.h>

#include "tests/ops/op_checks.h"
#include "tests/ops/oracle_checks.h"

enum { LENGTH_MAX = 40, TRANSFORMATION_COUNT = 4 };

static const char *const transformations[TRANSFORMATION_COUNT] = {
    "asymmetric", "pytorch_half_pixel", "half_pixel", "align_corners"};

/* ---- Coordinates ----------------------------------------------------------------------------- */

/* The document's formulas, with 0 where one is 0 / 0. */
static void exact_coordinate(mpq_t out, int which, long n, long m, long x) {
  mpq_t scale, half;
  mpq_inits(scale, half, (mpq_ptr)0);
  mpq_set_si(half, 1, 2);
  mpq_set_si(out, x, 1);
  if (which == 3) {
    if (m == 1) mpq_set_si(scale, 0, 1);
    if (m > 1) mpq_set_si(scale, n - 1, (unsigned long)(m - 1));
    mpq_canonicalize(scale);
    mpq_mul(out, out, scale);
  } else if (which == 1 && m == 1) {
    mpq_set_si(out, 0, 1);
  } else {
    mpq_set_si(scale, m, (unsigned long)n);
    mpq_canonicalize(scale);
    if (which != 0) mpq_add(out, out, half);
    mpq_div(out, out, scale);
    if (which != 0) mpq_sub(out, out, half);
  }
  mpq_clears(scale, half, (mpq_ptr)0);
}

static long exact_floor(mpq_srcptr value) {
  mpz_t whole;
  mpz_init(whole);
  mpz_fdiv_q(whole, mpq_numref(value), mpq_denref(value));
  long result = mpz_get_si(whole);
  mpz_clear(whole);
  return result;
}

/* How somebody may write it in C. */
enum { PLAIN_WAYS = 6 };

static float plain_coordinate(int which, int way, long n, long m, long x) {
  float in = (float)n, out = (float)m, position = (float)x, half = 0;
  if (which == 3) {
    if (m == 1) return 0;
    if (way % 2 == 0) return position * (in - 1) / (out - 1);
    return position * ((in - 1) / (out - 1));
  }
  if (which == 1 && m == 1) return 0;
  if (which != 0) half = 0.5F;
  switch (way) {
    case 0:
      return (position + half) / (out / in) - half;
    case 1:
      return (position + half) * (in / out) - half;
    case 2:
      return (position + half) * in / out - half;
    case 3:
      return (position + half) * (1 / (out / in)) - half;
    case 4:
      return fmaf(position + half, in / out, -half);
    default:
      return (float)(((double)x + (double)half) * ((double)n / (double)m) - (double)half);
  }
}

static long clamp(long index, long n) { return index < 0 ? 0 : index >= n ? n - 1 : index; }

/* ---- Cases ----------------------------------------------------------------------------------- */

/* A resize of one dimension, its target filled in. */
static case_t make_case(arena_t *arena, const char *mode, const char *element, int which, long n,
                        long m) {
  g_autofree char *line = g_strdup_printf(
      "byteir.resize target_mode=size mode=%s coordinate_transformation_mode=%s %s[%ld] i64[1] -> "
      "%s[%ld]",
      mode, transformations[which], element, n, element, m);
  const char *violation = NULL;
  program_t program = check_parse(line, arena, &violation);
  g_assert_null(violation);
  case_t instance = case_make(arena, &program);
  element_store(element_named("i64"), instance.operands[1].data, 0, (uint64_t)m);
  return instance;
}

static bool conforms(const question_t *question, const tensor_t *result, size_t component,
                     uint64_t bits) {
  const element_t *element = result->type.element;
  element_store(element, result->data, component, bits);
  bool is_held = accept_holds(&question->accepts[0], element, component, bits);
  bool is_conforming = question_decide(question, 0, component, result).conforms;
  g_assert_true(is_conforming || !is_held);
  return is_conforming;
}

/* ---- Nearest --------------------------------------------------------------------------------- */

typedef struct nearest_tally {
  size_t positions;
  size_t ambiguous;   /* More than one index conforms. */
  size_t plain_other; /* Plain code takes another than the exact one. */
} nearest_tally_t;

/* Every element is its own index. */
static void fill_indices(const tensor_t *tensor, long n) {
  for (long i = 0; i < n; i++) {
    element_store(tensor->type.element, tensor->data, (size_t)i, (uint64_t)i);
  }
}

static void check_nearest(arena_t *arena, const contract_t *contract, int which, long n, long m,
                          nearest_tally_t *tally) {
  case_t instance = make_case(arena, "nearest", "i8", which, n, m);
  fill_indices(&instance.operands[0], n);
  question_t question;
  g_assert_cmpint(question_make(&instance, contract, arena, &question), ==, STATUS_OK);
  tensor_t result = tensor_make(arena, &instance.program.results[0]);
  memset(result.data, 0, (size_t)m);
  mpq_t coordinate;
  mpq_init(coordinate);
  for (long x = 0; x < m; x++) {
    exact_coordinate(coordinate, which, n, m, x);
    long exact = clamp(exact_floor(coordinate), n);
    bool may_be[LENGTH_MAX] = {false};
    size_t count = 0;
    for (long i = MAX(exact - 2, 0); i <= MIN(exact + 2, n - 1); i++) {
      may_be[i] = conforms(&question, &result, (size_t)x, (uint64_t)i);
      if (may_be[i] && labs(i - exact) > 1) g_error("%ld of %ld to %ld: %ld", x, n, m, i);
      count += may_be[i];
    }
    g_assert_true(may_be[exact]);
    if (n == m) g_assert_cmpuint(count, ==, 1);
    bool has_other = false;
    for (int way = 0; way < PLAIN_WAYS; way++) {
      long index = clamp((long)floorf(plain_coordinate(which, way, n, m, x)), n);
      has_other |= index != exact;
      if (n != m && !may_be[index]) {
        g_error("%s, %ld of %ld to %ld: way %d takes %ld", transformations[which], x, n, m, way,
                index);
      }
    }
    tally->positions++;
    tally->ambiguous += count > 1;
    tally->plain_other += has_other;
  }
  mpq_clear(coordinate);
}

static void test_nearest(void) {
  const contract_t contract = contract_backend();
  arena_t arena;
  arena_init(&arena);
  for (int which = 0; which < TRANSFORMATION_COUNT; which++) {
    nearest_tally_t tally = {0};
    for (long n = 1; n <= LENGTH_MAX; n++) {
      for (long m = 1; m <= LENGTH_MAX; m++) {
        arena_reset(&arena);
        check_nearest(&arena, &contract, which, n, m, &tally);
      }
    }
    g_test_message("%s: %zu of %zu positions have two indices; plain code takes another at %zu",
                   transformations[which], tally.ambiguous, tally.positions, tally.plain_other);
    g_assert_cmpuint(tally.ambiguous, >, 0);
    g_assert_cmpuint(tally.ambiguous, <, tally.positions / 100);
    g_assert_cmpuint(tally.plain_other, <=, tally.ambiguous);
  }
  arena_deinit(&arena);
}

/* ---- Copies ---------------------------------------------------------------------------------- */

/* Where no length changes the result is the operand, bit by bit, and nothing else. */
static void test_identity(void) {
  static const uint64_t bits[] = {0x80000000, 0x00000001, 0x7f800000, 0x3f800001, 0x7f7fffff,
                                  0xff7fffff, 0x807fffff, 0x00000000, 0xff800000, 0x3eaaaaab};
  const long n = G_N_ELEMENTS(bits);
  const contract_t contract = contract_backend();
  arena_t arena;
  arena_init(&arena);
  for (int i = 0; i < 2 * TRANSFORMATION_COUNT; i++) {
    const char *mode = i % 2 == 0 ? "nearest" : "linear";
    case_t instance = make_case(&arena, mode, "f32", i / 2, n, n);
    for (long x = 0; x < n; x++) {
      element_store(element_named("f32"), instance.operands[0].data, (size_t)x, bits[x]);
    }
    question_t question;
    g_assert_cmpint(question_make(&instance, &contract, &arena, &question), ==, STATUS_OK);
    tensor_t result = tensor_make(&arena, &instance.program.results[0]);
    memset(result.data, 0, type_bytes(&result.type));
    for (size_t x = 0; x < (size_t)n; x++) {
      g_assert_true(conforms(&question, &result, x, bits[x]));
      g_assert_false(conforms(&question, &result, x, bits[x] ^ 1));
      g_assert_false(conforms(&question, &result, x, bits[x] ^ 0x80000000));
      g_assert_false(conforms(&question, &result, x, 0x7fc00000));
    }
  }
  arena_deinit(&arena);
}

/* ---- Linear ---------------------------------------------------------------------------------- */

typedef struct segment {
  long lower; /* Elements on both sides of the clamped coordinate. */
  long upper;
  double coordinate; /* Nearly. */
} segment_t;

/* The exact value between them. */
static segment_t exact_value(mpq_t out, int which, const float *data, long n, long m, long x) {
  mpq_t t, other;
  mpq_inits(t, other, (mpq_ptr)0);
  exact_coordinate(t, which, n, m, x);
  if (mpq_sgn(t) < 0) mpq_set_si(t, 0, 1);
  if (mpq_cmp_si(t, n - 1, 1) > 0) mpq_set_si(t, n - 1, 1);
  segment_t segment = {.lower = exact_floor(t), .coordinate = mpq_get_d(t)};
  segment.upper = MIN(segment.lower + 1, n - 1);
  mpq_set_si(other, segment.lower, 1);
  mpq_sub(t, t, other);
  mpq_set_d(out, (double)data[segment.upper]);
  mpq_set_d(other, (double)data[segment.lower]);
  mpq_sub(out, out, other);
  mpq_mul(out, out, t);
  mpq_add(out, out, other);
  mpq_clears(t, other, (mpq_ptr)0);
  return segment;
}

/* How somebody may write it in C, with the coordinate or the indices clamped. */
static float plain_value(int which, int way, const float *data, long n, long m, long x) {
  float coordinate = plain_coordinate(which, way, n, m, x);
  bool clamps_indices = way % 2 == 1;
  if (n == m) coordinate = (float)x;
  if (!clamps_indices) coordinate = fminf(fmaxf(coordinate, 0), (float)(n - 1));
  float lower = floorf(coordinate), t = coordinate - lower;
  float a = data[clamp((long)lower, n)], b = data[clamp((long)lower + 1, n)];
  switch (way % 3) {
    case 0:
      return (1 - t) * a + t * b;
    case 1:
      return fmaf(t, b, (1 - t) * a);
    default:
      return a + t * (b - a);
  }
}

/* Three roundings of a coordinate and one of its difference to 0.5, on the steepest slope nearby,
 * and six of weights, products and sums. */
static double permitted_error(const float *data, long n, const segment_t *segment) {
  const double u = 0x1p-24;
  double slope = 0, largest = 0;
  for (long i = MAX(segment->lower - 1, 0); i <= MIN(segment->lower + 2, n - 1); i++) {
    largest = fmax(largest, fabs((double)data[i]));
    if (i > 0) slope = fmax(slope, fabs((double)data[i] - (double)data[i - 1]));
  }
  return 6 * u * largest + 4 * u * (segment->coordinate + 1) * slope;
}

typedef struct linear_tally {
  size_t positions;
  size_t exact; /* Only the exact value conforms. */
} linear_tally_t;

static uint64_t float_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static void check_position(const question_t *question, const tensor_t *result, const float *data,
                           int which, long n, long m, long x, linear_tally_t *tally) {
  mpq_t value;
  mpq_init(value);
  segment_t segment = exact_value(value, which, data, n, m, x);
  double exact = mpq_get_d(value); /* Truncated: within an ulp of f64. */
  mpq_clear(value);
  float nearest = (float)exact;
  g_assert_true(conforms(question, result, (size_t)x, float_bits(nearest)));
  for (int way = 0; way < PLAIN_WAYS; way++) {
    float plain = plain_value(which, way, data, n, m, x);
    if (conforms(question, result, (size_t)x, float_bits(plain))) continue;
    g_error("%s, %ld of %ld to %ld: way %d gives %a, exactly %a", transformations[which], x, n, m,
            way, (double)plain, exact);
  }
  double bound = permitted_error(data, n, &segment);
  float low = (float)(exact - bound), high = (float)(exact + bound);
  g_assert_false(conforms(question, result, (size_t)x, float_bits(nextafterf(low, -INFINITY))));
  g_assert_false(conforms(question, result, (size_t)x, float_bits(nextafterf(high, INFINITY))));
  bool is_only = !conforms(question, result, (size_t)x, float_bits(nextafterf(nearest, INFINITY)));
  is_only &= !conforms(question, result, (size_t)x, float_bits(nextafterf(nearest, -INFINITY)));
  tally->positions++;
  tally->exact += is_only;
}

/* Coordinates that are eighths are exact, and so are numbers between small integers there. */
static bool is_exactly_resized(int which, long n, long m) {
  return n == m || (m == 1 && which != 2) ||
         (which != 3 && (m == 2 * n || n == 2 * m || m == 4 * n));
}

static void check_linear(arena_t *arena, const contract_t *contract, rng_t *rng, int which, long n,
                         long m, bool with_integers, linear_tally_t *tally) {
  case_t instance = make_case(arena, "linear", "f32", which, n, m);
  float *data = ARENA_NEW_ARRAY(arena, float, (size_t)n);
  for (long i = 0; i < n; i++) {
    double number = with_integers
                        ? (double)rng_between(rng, 1, 64) * (i % 2 == 0 ? 4.0 : -4.0)
                        : ((double)rng_below(rng, 1 << 30) * 0x1p-29 - 1) * (double)(i % 3 + 1);
    data[i] = (float)number;
    element_store(element_named("f32"), instance.operands[0].data, (size_t)i, float_bits(data[i]));
  }
  question_t question;
  g_assert_cmpint(question_make(&instance, contract, arena, &question), ==, STATUS_OK);
  tensor_t result = tensor_make(arena, &instance.program.results[0]);
  memset(result.data, 0, type_bytes(&result.type));
  size_t before = tally->exact;
  for (long x = 0; x < m; x++) {
    check_position(&question, &result, data, which, n, m, x, tally);
  }
  bool is_exact = with_integers && is_exactly_resized(which, n, m);
  if (is_exact && tally->exact - before != (size_t)m) {
    g_error("%s, %ld to %ld: %zu of %ld are told exactly", transformations[which], n, m,
            tally->exact - before, m);
  }
}

static void test_linear(void) {
  const contract_t contract = contract_backend();
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(0x11ea);
  for (int i = 0; i < 2 * TRANSFORMATION_COUNT; i++) {
    linear_tally_t tally = {0};
    for (long n = 1; n <= LENGTH_MAX; n += n < 4 ? 1 : 9) {
      for (long m = 1; m <= LENGTH_MAX; m += m < 8 ? 1 : 8) {
        arena_reset(&arena);
        check_linear(&arena, &contract, &rng, i / 2, n, m, i % 2 == 0, &tally);
      }
    }
    g_test_message("%s: %zu positions, %zu of them exact", transformations[i / 2], tally.positions,
                   tally.exact);
    g_assert_cmpuint(tally.exact, >, tally.positions / 20);
    g_assert_cmpuint(tally.exact, <, tally.positions);
  }
  arena_deinit(&arena);
}

/* ---- Two dimensions -------------------------------------------------------------------------- */

/* What is linear in both indices is resized to what is linear in both coordinates: whole numbers at
 * twice the size, where all coordinates are quarters. */
static void test_two_dimensions(void) {
  const contract_t contract = contract_backend();
  arena_t arena;
  arena_init(&arena);
  const char *violation = NULL;
  program_t program = check_parse(
      "byteir.resize target_mode=size mode=linear coordinate_transformation_mode=half_pixel "
      "f32[2,5,7] i64[3] -> f32[2,10,14]",
      &arena, &violation);
  case_t instance = case_make(&arena, &program);
  for (size_t i = 0; i < 70; i++) {
    float value = (float)(160 * (i / 7 % 5)) + (float)(16 * (i % 7)) + (float)(1000 * (i / 35));
    element_store(element_named("f32"), instance.operands[0].data, i, float_bits(value));
  }
  for (size_t i = 0; i < 3; i++) {
    uint64_t size = (uint64_t)program.results[0].dims[i];
    element_store(element_named("i64"), instance.operands[1].data, i, size);
  }
  question_t question;
  g_assert_cmpint(question_make(&instance, &contract, &arena, &question), ==, STATUS_OK);
  tensor_t result = tensor_make(&arena, &program.results[0]);
  memset(result.data, 0, type_bytes(&result.type));
  for (size_t i = 0; i < 280; i++) {
    long row4 = CLAMP(2 * (long)(i / 14 % 10) - 1, 0, 16); /* In quarters, clamped. */
    long column4 = CLAMP(2 * (long)(i % 14) - 1, 0, 24);
    float value = (float)(40 * row4 + 4 * column4 + 1000 * (long)(i / 140));
    g_assert_true(conforms(&question, &result, i, float_bits(value)));
    g_assert_false(conforms(&question, &result, i, float_bits(nextafterf(value, INFINITY))));
    g_assert_false(conforms(&question, &result, i, float_bits(nextafterf(value, -INFINITY))));
  }
  arena_deinit(&arena);
}

/* ---- Policies -------------------------------------------------------------------------------- */

/* A case under contracts that differ in one permission: which bits conform to each. */
static const struct policy_row {
  const char *line;
  size_t component;
  uint64_t bits;
  const char *contract;
  bool conforms;
} policy_rows[] = {
/* 3 elements by 1.6 are 4; the last coordinate is 3 / (4 / 3) = 2.25, or 3 / 1.6 = 1.875. */
#define BY_SCALE(mode)                          \
  "byteir.resize target_mode=scale mode=" mode  \
  " coordinate_transformation_mode=asymmetric " \
  "f32[3] f32[1] -> f32[4] : 000000003f80000040000000 : 3fcccccd"
    {BY_SCALE("nearest"), 3, 0x40000000, "resize_scale=ratio", true},
    {BY_SCALE("nearest"), 3, 0x3f800000, "resize_scale=ratio", false},
    {BY_SCALE("nearest"), 3, 0x40000000, "resize_scale=given", false},
    {BY_SCALE("nearest"), 3, 0x3f800000, "resize_scale=given", true},
    {BY_SCALE("nearest"), 3, 0x40000000, "resize_scale=either", true},
    {BY_SCALE("nearest"), 3, 0x3f800000, "resize_scale=either", true},
    {BY_SCALE("nearest"), 3, 0x00000000, "resize_scale=either", false},
    {BY_SCALE("linear"), 3, 0x40000000, "resize_scale=ratio", true},
    {BY_SCALE("linear"), 3, 0x3ff00000, "resize_scale=ratio", false},
    {BY_SCALE("linear"), 3, 0x40000000, "resize_scale=given", false},
    {BY_SCALE("linear"), 3, 0x3ff00000, "resize_scale=given", true},
    {BY_SCALE("linear"), 3, 0x40000000, "resize_scale=either", true},
    {BY_SCALE("linear"), 3, 0x3ff00000, "resize_scale=either", true},
    {BY_SCALE("linear"), 3, 0x3ff80000, "resize_scale=either", false},

/* From 5 to 3 elements with corners aligned, coordinates are 0, 2 and 4: those beside have weight
 * 0.
 */
#define TO_THREE(data)                                                                       \
  "byteir.resize target_mode=size mode=linear coordinate_transformation_mode=align_corners " \
  "f32[5] i64[1] -> f32[3] : " data " : 0000000000000003"
#define BESIDE               \
  "3f8000004000000040400000" \
  "7f80000040a00000"
    {TO_THREE(BESIDE), 1, 0x40400000, "resize_zero_weight=either", true},
    {TO_THREE(BESIDE), 1, 0x7fc00000, "resize_zero_weight=either", true},
    {TO_THREE(BESIDE), 1, 0x7f800000, "resize_zero_weight=either", false},
    {TO_THREE(BESIDE), 1, 0x40400000, "resize_zero_weight=skip", true},
    {TO_THREE(BESIDE), 1, 0x7fc00000, "resize_zero_weight=skip", false},
    {TO_THREE(BESIDE), 1, 0x40400000, "resize_zero_weight=multiply", false},
    {TO_THREE(BESIDE), 1, 0x7fc00000, "resize_zero_weight=multiply", true},
    {TO_THREE(BESIDE), 0, 0x7fc00000, "resize_zero_weight=either", false},
    {TO_THREE(BESIDE), 0, 0x7fc00000, "resize_zero_weight=everywhere", true},
    {TO_THREE(BESIDE), 0, 0x3f800000, "resize_zero_weight=everywhere", true},

/* Halfway between the largest number and its negative: the difference overflows. */
#define EXTREMES                                                                             \
  "byteir.resize target_mode=size mode=linear coordinate_transformation_mode=align_corners " \
  "f32[2] i64[1] -> f32[3] : 7f7fffffff7fffff : 0000000000000003"
    {EXTREMES, 1, 0x00000000, "resize_linear=separable", true},
    {EXTREMES, 1, 0xff800000, "resize_linear=separable", false},
    {EXTREMES, 1, 0xff800000, "resize_linear=normalized", false},
    {EXTREMES, 1, 0xff800000, "resize_linear=difference", true},
};

static void test_policies(void) {
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(policy_rows); i++) {
    const struct policy_row *row = &policy_rows[i];
    case_t instance;
    contract_t contract;
    failure_t error = {.text = ""};
    g_assert_cmpint(contract_parse(str_from(row->contract), &contract, &error), ==, STATUS_OK);
    if (case_parse(str_from(row->line), &arena, &instance, NULL, &error) != STATUS_OK) {
      g_error("%s: %s", row->line, error.text);
    }
    question_t question;
    g_assert_cmpint(question_make(&instance, &contract, &arena, &question), ==, STATUS_OK);
    tensor_t result = tensor_make(&arena, &instance.program.results[0]);
    memset(result.data, 0, type_bytes(&result.type));
    if (conforms(&question, &result, row->component, row->bits) != row->conforms) {
      g_error("%s: %" G_GINT64_MODIFIER "x under %s", row->line, row->bits, row->contract);
    }
  }
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/naive_byteir_resize/nearest", test_nearest);
  g_test_add_func("/naive_byteir_resize/identity", test_identity);
  g_test_add_func("/naive_byteir_resize/linear", test_linear);
  g_test_add_func("/naive_byteir_resize/two_dimensions", test_two_dimensions);
  g_test_add_func("/naive_byteir_resize/policies", test_policies);
  return g_test_run();
}
