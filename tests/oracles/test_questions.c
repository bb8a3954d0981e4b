/* SPDX-License-Identifier: Apache-2.0 */
/* The exact side of the oracle, on cases small enough to work by hand: what it must accept, and
 * what it must not. */
#include <glib.h>
#include <math.h>

#include "oracles/exact/product/integer.h"
#include "oracles/exact/product/problem.h"
#include "oracles/exact/sum/problem.h"

enum { TERMS_MAX = 6 };

/* One sum: terms (or products), a contract, a result, and whether it conforms. */
typedef struct sum_row {
  const char *why;
  const char *format;
  const char *contract;
  size_t count;
  double left[TERMS_MAX];
  double right[TERMS_MAX];
  bool is_product;
  bool has_init;
  double init;
  double got;
  bool conforms;
  const char *observed;
} sum_row_t;

#define BACKEND "backend"

/* clang-format off */
static const sum_row_t sum_rows[] = {
    {"one leaf is returned as it is", "f32", BACKEND, 1, {3}, {0}, false, false, 0, 3, true, ""},
    {"and its neighbour is not", "f32", BACKEND, 1, {3}, {0}, false, false, 0, 0x1.800002p+1,
     false, ""},
    {"two leaves: correctly rounded", "f32", BACKEND, 2, {1, 0x1p-25}, {0}, false, false, 0, 1,
     true, ""},
    {"two leaves: not the neighbour", "f32", BACKEND, 2, {1, 0x1p-25}, {0}, false, false, 0,
     0x1.000002p+0, false, ""},
    {"three leaves may lose two halves", "f32", BACKEND, 3, {1, 0x1p-24, 0x1p-24}, {0}, false,
     false, 0, 1, true, ""},
    {"or none", "f32", BACKEND, 3, {1, 0x1p-24, 0x1p-24}, {0}, false, false, 0, 0x1.000002p+0,
     true, ""},
    {"but not gain two units", "f32", BACKEND, 3, {1, 0x1p-24, 0x1p-24}, {0}, false, false, 0,
     0x1.000006p+0, false, ""},
    {"NaN in, NaN out", "f16", BACKEND, 3, {1, NAN, 2}, {0}, false, false, 0, NAN, true, ""},
    {"NaN in, number out", "f16", BACKEND, 3, {1, NAN, 2}, {0}, false, false, 0, 3, false, ""},
    {"infinities of both signs give NaN", "f32", BACKEND, 2, {INFINITY, -INFINITY}, {0}, false,
     false, 0, NAN, true, ""},
    {"not infinity", "f32", BACKEND, 2, {INFINITY, -INFINITY}, {0}, false, false, 0, INFINITY,
     false, ""},
    {"infinity wins over numbers", "f32", BACKEND, 2, {INFINITY, -5}, {0}, false, false, 0,
     INFINITY, true, ""},
    {"infinity times zero is NaN", "f32", BACKEND, 2, {INFINITY, 1}, {0, 1}, true, false, 0, NAN,
     true, ""},
    {"and nothing else", "f32", BACKEND, 2, {INFINITY, 1}, {0, 1}, true, false, 0, 1, false, ""},
    {"a cancelled sum is +0", "f32", BACKEND, 2, {5, -5}, {0}, false, false, 0, 0.0, true, ""},
    {"not -0", "f32", BACKEND, 2, {5, -5}, {0}, false, false, 0, -0.0, false, ""},
    {"unless the sign of zero does not count", "f32", "backend,zero_sign=any", 2, {5, -5}, {0},
     false, false, 0, -0.0, true, ""},
    {"all leaves -0: -0", "f32", BACKEND, 2, {-0.0, -0.0}, {0}, false, false, 0, -0.0, true, ""},
    {"or +0, since +0 may enter a dot product", "f32", BACKEND, 2, {-0.0, -0.0}, {0}, false, false,
     0, 0.0, true, ""},
    {"an init of -0 keeps -0", "f32", BACKEND, 2, {-0.0, -0.0}, {0}, false, true, -0.0, -0.0, true,
     ""},
    {"and cannot become +0", "f32", BACKEND, 2, {-0.0, -0.0}, {0}, false, true, -0.0, 0.0, false,
     ""},
    {"an init of +0 that must enter forbids -0", "f32", "backend,init_count=1", 2, {-0.0, -0.0},
     {0}, false, true, 0.0, -0.0, false, ""},
    {"no terms at all: the initial value", "f32", BACKEND, 0, {0}, {0}, false, true, 7, 7, true,
     ""},
    {"or more of them", "f32", BACKEND, 0, {0}, {0}, false, true, 7, 21, true, "init_count=3"},
    {"never none", "f32", BACKEND, 0, {0}, {0}, false, true, 7, 0, false, ""},
    {"no terms of a dot product: +0", "f32", BACKEND, 0, {0}, {0}, true, false, 0, 0.0, true, ""},
    {"not -0", "f32", BACKEND, 0, {0}, {0}, true, false, 0, -0.0, false, ""},
    {"initial value twice is seen", "f32", BACKEND, 2, {1, 2}, {0}, false, true, 100, 203, true,
     "init_count=2"},
    {"and refused where once is asked", "f32", "backend,init_count=1", 2, {1, 2}, {0}, false, true,
     100, 203, false, ""},
    {"initial value left out", "f32", BACKEND, 2, {1, 2}, {0}, false, true, 100, 3, true,
     "init_count=0"},
    {"however many initial values, they push one way", "bf16", BACKEND, 2, {1, 2}, {0}, false, true,
     100, 50, false, ""},
    {"nor do they pull a sum down that stops at the largest number", "f6E3M2FN", "spec", 1, {28},
     {0}, false, true, 1, 7, false, ""},
    {"half an initial value is none", "f32", BACKEND, 2, {1, 2}, {0}, false, true, 100, 53, false,
     ""},
    {"a partial sum may overflow", "f32", BACKEND, 3, {0x1.8p+127, 0x1.8p+127, -0x1.8p+127}, {0},
     false, false, 0, INFINITY, true, ""},
    {"or not", "f32", BACKEND, 3, {0x1.8p+127, 0x1.8p+127, -0x1.8p+127}, {0}, false, false, 0,
     0x1.8p+127, true, ""},
    {"but not downwards", "f32", BACKEND, 3, {0x1.8p+127, 0x1.8p+127, -0x1.8p+127}, {0}, false,
     false, 0, -INFINITY, false, ""},
    {"in order it cannot here", "f32", "spec", 3, {0x1.8p+127, -0x1.8p+127, 0x1.8p+127}, {0},
     false, false, 0, INFINITY, false, ""},
    {"f8E4M3FN overflows to NaN", "f8E4M3FN", BACKEND, 2, {448, 448}, {0}, false, false, 0, NAN,
     true, ""},
    {"and does not saturate", "f8E4M3FN", BACKEND, 2, {448, 448}, {0}, false, false, 0, 448, false,
     ""},
    {"but not from a single positive term", "f8E4M3FN", BACKEND, 2, {448, -8}, {0}, false, false, 0,
     NAN, false, ""},
    {"truncated, a partial sum stops at the largest", "f8E4M3FN", "backend,accum_rounding=rz", 3,
     {-384, -224, 224}, {0}, false, false, 0, -224, true, ""},
    {"rounded, it does not", "f8E4M3FN", BACKEND, 3, {-384, -224, 224}, {0}, false, false, 0, -224,
     false, ""},
    {"f4E2M1FN saturates", "f4E2M1FN", BACKEND, 2, {6, 6}, {0}, false, false, 0, 6, true, ""},
    {"and stays there or comes back", "f4E2M1FN", BACKEND, 3, {6, 6, -6}, {0}, false, false, 0, 0,
     true, ""},
    {"a subnormal sum is exact", "f32", BACKEND, 2, {0x1p-149, 0x1p-149}, {0}, false, false, 0,
     0x1p-148, true, ""},
    {"not zero", "f32", BACKEND, 2, {0x1p-149, 0x1p-149}, {0}, false, false, 0, 0.0, false, ""},
    {"unless flushing is permitted", "f32", "backend,ftz=outputs", 2, {0x1p-149, 0x1p-149}, {0},
     false, false, 0, 0.0, true, ""},
    {"subnormal inputs may be flushed", "f32", "backend,ftz=inputs", 2, {0x1p-140, 1}, {0x1p+100,
     1}, true, false, 0, 1, true, ""},
    {"not by default", "f32", BACKEND, 2, {0x1p-140, 0}, {0x1p+100, 0}, true, false, 0, 0.0, false,
     ""},
    {"one product is rounded once", "f32", BACKEND, 1, {0x1.000002p+0}, {0x1.000002p+0}, true,
     false, 0, 0x1.000004p+0, true, ""},
    {"to nearest", "f32", BACKEND, 1, {0x1.000002p+0}, {0x1.000002p+0}, true, false, 0,
     0x1.000006p+0, false, ""},
    {"wider nodes make no tie go wrong: bf16 131/128 * 1.5", "bf16", BACKEND, 1, {0x1.06p+0},
     {0x1.8p+0}, true, false, 0, 0x1.88p+0, true, ""},
    {"not to the odd neighbour", "bf16", BACKEND, 1, {0x1.06p+0}, {0x1.8p+0}, true, false, 0,
     0x1.8ap+0, false, ""},
    {"nor beside zeros", "bf16", BACKEND, 3, {0, 0x1.06p+0, 0}, {1, 0x1.8p+0, 2}, true, false, 0,
     0x1.8ap+0, false, ""},
    {"nor in a sum", "bf16", BACKEND, 2, {1, 0x1p-8}, {0}, false, false, 0, 0x1.02p+0, false, ""},
    {"but a number that they have not may become the tie", "f32", BACKEND, 2,
     {0x1.000002p+0, 0x1.fffffep-25}, {0}, false, false, 0, 0x1.000004p+0, true, ""},
    {"which a node of the type cannot", "f32", "backend,accum_wider=no", 2,
     {0x1.000002p+0, 0x1.fffffep-25}, {0}, false, false, 0, 0x1.000004p+0, false, ""},
    {"small integers have one sum", "f32", BACKEND, 3, {256, 1, 1}, {0}, false, false, 0, 258,
     true, ""},
    {"in every order, so no neighbour conforms", "f32", BACKEND, 3, {256, 1, 1}, {0}, false,
     false, 0,
     0x1.020002p+8, false, ""},
    {"nor for products that fit", "f32", BACKEND, 2, {3, 5}, {7, 9}, true, false, 0,
     0x1.080002p+6, false, ""},
    {"a sum of more bits than the format has may be rounded", "bf16", BACKEND, 3, {256, 1, 1}, {0},
     false, false, 0, 256, true, ""},
    {"truncation is seen", "f32", BACKEND, 2, {1, 0x1.8p-24}, {0}, false, false, 0, 1, false, ""},
    {"and can be permitted", "f32", "backend,accum_rounding=rz", 2, {1, 0x1.8p-24}, {0}, false,
     false, 0, 1, true, ""},
};
/* clang-format on */

static contract_t contract_from(const char *text) {
  contract_t contract;
  failure_t error;
  status_t status = contract_parse(str_from(text), &contract, &error);
  if (status != STATUS_OK) g_error("%s: %s", text, error.text);
  return contract;
}

static void test_sums(void) {
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(sum_rows); i++) {
    const sum_row_t *row = &sum_rows[i];
    const format_t *format = format_find(str_from(row->format));
    sum_problem_t question = {.format = format,
                              .count = row->count,
                              .left = row->left,
                              .right = row->is_product ? row->right : NULL,
                              .left_format = format,
                              .right_format = format,
                              .has_init = row->has_init,
                              .init = row->init};
    contract_t contract = contract_from(row->contract);
    uint64_t bits = format_from_double(format, row->got);
    answer_t answer;
    failure_t error;
    g_assert_cmpint(sum_answer(&question, &contract, bits, &arena, &answer, &error), ==, STATUS_OK);
    if (answer.conforms != row->conforms || g_strcmp0(answer.observed, row->observed) != 0) {
      g_test_message("row %zu, %s: got %a, conforms %d, observed \"%s\", expected %s", i, row->why,
                     row->got, answer.conforms, answer.observed, answer.expected);
      g_test_fail();
    }
  }
  arena_deinit(&arena);
}

/* clang-format off */
static const struct {
  const char *why;
  const char *element;
  fold_body_t body;
  const char *contract;
  size_t count;
  int64_t left[TERMS_MAX];
  bool has_init;
  int64_t init;
  int64_t got;
  bool conforms;
  const char *observed;
} integer_rows[] = {
    {"a sum that fits has one value", "i8", FOLD_ADD, BACKEND, 3, {1, 2, 3}, false, 0, 6, true, ""},
    {"and no other", "i8", FOLD_ADD, BACKEND, 3, {1, 2, 3}, false, 0, 7, false, ""},
    {"overflow wraps", "i8", FOLD_ADD, BACKEND, 2, {100, 100}, false, 0, -56, true, "wrapped"},
    {"or saturates", "i8", FOLD_ADD, BACKEND, 2, {100, 100}, false, 0, 127, true, "saturated"},
    {"as permitted", "i8", FOLD_ADD, "backend,integer_overflow=wrap", 2, {100, 100}, false, 0, 127,
     false, ""},
    {"or not", "i8", FOLD_ADD, "backend,integer_overflow=saturate", 2, {100, 100}, false, 0, -56,
     false, ""},
    {"saturating early pulls the sum down", "i8", FOLD_ADD, BACKEND, 3, {100, 100, -100}, false, 0,
     27, true, "saturated"},
    {"never below", "i8", FOLD_ADD, BACKEND, 3, {100, 100, -100}, false, 0, 26, false, ""},
    {"unsigned values are unsigned", "ui8", FOLD_MAXIMUM, BACKEND, 2, {200, 3}, false, 0, 200,
     true, ""},
    {"initial value left out of a maximum", "i32", FOLD_MAXIMUM, BACKEND, 2, {1, 2}, true, 9, 2,
     true, "init_count=0"},
    {"initial value twice in a xor", "i32", FOLD_XOR, BACKEND, 2, {1, 2}, true, 8, 3, true,
     "init_count=0"},
    {"initial value thrice in a sum", "i32", FOLD_ADD, BACKEND, 1, {1}, true, 10, 31, true,
     "init_count=3"},
    {"not where once is asked", "i32", FOLD_ADD, "backend,init_count=1", 1, {1}, true, 10, 31,
     false, ""},
    {"the least product fits", "i8", FOLD_MULTIPLY, BACKEND, 2, {-128, 1}, false, 0, -127, false,
     ""},
    {"a product saturates to its sign", "i8", FOLD_MULTIPLY, BACKEND, 2, {-100, 100}, false, 0,
     -128, true, "saturated"},
    {"not to the other", "i8", FOLD_MULTIPLY, BACKEND, 2, {-100, 100}, false, 0, 127, false, ""},
    {"a zero factor wins over saturation", "i8", FOLD_MULTIPLY, BACKEND, 3, {100, 100, 0}, false,
     0, 127, false, ""},
    {"booleans add as OR", "i1", FOLD_ADD, BACKEND, 2, {1, 1}, false, 0, 1, true, ""},
    {"not modulo two", "i1", FOLD_ADD, BACKEND, 2, {1, 1}, false, 0, 0, false, ""},
};

/* clang-format on */

static void test_integers(void) {
  for (size_t i = 0; i < G_N_ELEMENTS(integer_rows); i++) {
    const element_t *element = element_named(integer_rows[i].element);
    uint64_t left[TERMS_MAX];
    for (size_t term = 0; term < TERMS_MAX; term++)
      left[term] = (uint64_t)integer_rows[i].left[term];
    integer_problem_t question = {.element = element,
                                  .body = integer_rows[i].body,
                                  .count = integer_rows[i].count,
                                  .left = left,
                                  .has_init = integer_rows[i].has_init,
                                  .init = (uint64_t)integer_rows[i].init};
    contract_t contract = contract_from(integer_rows[i].contract);
    uint64_t bits = (uint64_t)integer_rows[i].got & element_mask(element);
    answer_t answer;
    integer_answer(&question, &contract, bits, &answer);
    if (answer.conforms != integer_rows[i].conforms ||
        g_strcmp0(answer.observed, integer_rows[i].observed) != 0) {
      g_test_message("row %zu, %s: conforms %d, observed \"%s\", expected %s", i,
                     integer_rows[i].why, answer.conforms, answer.observed, answer.expected);
      g_test_fail();
    }
  }
}

/* clang-format off */
static const struct {
  const char *why;
  const char *format;
  size_t count;
  double factors[TERMS_MAX];
  double init;
  double got;
  bool conforms;
} product_rows[] = {
    {"an exact product", "f32", 3, {2, 3, 4}, 1, 24, true},
    {"not its neighbour", "f32", 3, {2, 3, 4}, 1, 0x1.80001p+4, false},
    {"two factors: correctly rounded", "f32", 2, {0x1.000002p+0, 0x1.000002p+0}, 1, 0x1.000004p+0,
     true},
    {"two factors: not the neighbour", "f32", 2, {0x1.000002p+0, 0x1.000002p+0}, 1, 0x1.000006p+0,
     false},
    {"a partial product may overflow", "f32", 3, {0x1p+100, 0x1p+100, 0x1p-100}, 1, INFINITY, true},
    {"or underflow", "f32", 3, {0x1p-100, 0x1p-100, 0x1p+100}, 1, 0, true},
    {"or neither", "f32", 3, {0x1p-100, 0x1p-100, 0x1p+100}, 1, 0x1p-100, true},
    {"the sign is kept", "f32", 3, {-0x1p-100, 0x1p-100, 0x1p+100}, 1, 0.0, false},
    {"infinity times zero", "f32", 2, {INFINITY, 0}, 1, NAN, true},
    {"infinity times zero is no number", "f32", 2, {INFINITY, 0}, 1, 0, false},
    {"zero keeps its sign", "f16", 2, {-0.0, 3}, 1, -0.0, true},
    {"and only that", "f16", 2, {-0.0, 3}, 1, 0.0, false},
    {"initial value twice", "f32", 2, {2, 3}, 5, 150, true},
    {"not by a half", "f32", 2, {2, 3}, 5, 75, false},
};

/* clang-format on */

static void test_products(void) {
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(product_rows); i++) {
    const format_t *format = format_find(str_from(product_rows[i].format));
    product_problem_t question = {.format = format,
                                  .count = product_rows[i].count,
                                  .factors = product_rows[i].factors,
                                  .init = product_rows[i].init};
    contract_t contract = contract_backend();
    answer_t answer;
    failure_t error;
    uint64_t bits = format_from_double(format, product_rows[i].got);
    g_assert_cmpint(product_answer(&question, &contract, bits, &arena, &answer, &error), ==,
                    STATUS_OK);
    if (answer.conforms != product_rows[i].conforms) {
      g_test_message("row %zu, %s: conforms %d, expected %s", i, product_rows[i].why,
                     answer.conforms, answer.expected);
      g_test_fail();
    }
  }
  arena_deinit(&arena);
}

static void test_complex_products(void) {
  const double factors[] = {3, 4, 1, 2}; /* (3+4i)(1+2i) = -5+10i */
  product_problem_t question = {
      .format = format_find(str_from("f32")), .count = 2, .factors = factors, .init = 1};
  contract_t contract = contract_backend();
  static const struct {
    int part;
    double got;
    bool conforms;
  } rows[] = {{0, -5, true}, {1, 10, true}, {0, -5.001, false}, {1, 10.001, false}, {0, 5, false}};
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    answer_t answer;
    failure_t error;
    uint64_t bits = format_from_double(question.format, rows[i].got);
    g_assert_cmpint(
        complex_product_answer(&question, &contract, rows[i].part, bits, &answer, &error), ==,
        STATUS_OK);
    g_assert_cmpint(answer.conforms, ==, rows[i].conforms);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_func("/questions/sums", test_sums);
  g_test_add_func("/questions/integers", test_integers);
  g_test_add_func("/questions/products", test_products);
  g_test_add_func("/questions/complex-products", test_complex_products);
  return g_test_run();
}
