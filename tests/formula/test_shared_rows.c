/* SPDX-License-Identifier: Apache-2.0 */
/* Rows whose elements share numbers (theory.md, T110 to T112): under contract shared=once a row of
 * an implementation that computes these once is explained, whatever its order of summation; and if
 * one element of it, the largest, is off by 8 ulps, nothing explains the row, however long it is,
 * though every element conforms by itself. */
#include <glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/formula/row_case.h"

/* ---- What conforms --------------------------------------------------------------------------- */

/* Ways to compute a row, each of which computes once what the row shares. */
static const char *const models[] = {"model:sequential", "model:pairwise+fma", "model:random",
                                     "model:lanes8+other-way"};

static implementation_model_t model_named(size_t model) {
  implementation_model_t schedule = schedule_plain();
  static const sum_order_kind_t kinds[] = {SUM_SEQUENTIAL, SUM_HALVES, SUM_RANDOM, SUM_LANES};
  schedule.order = (sum_order_t){.kind = kinds[model], .width = kinds[model] == SUM_LANES ? 8 : 0};
  schedule.fused = model == 1;
  schedule.other_way = model == 3;
  schedule.seed = 7;
  return schedule;
}

static void test_models_agree(void) {
  static const struct {
    const char *type;
    size_t count;
  } rows[] = {{"f32", 2}, {"f32", 9}, {"f32", 300}, {"f64", 20}, {"bf16", 64}, {"f16", 33}};
  for (size_t o = 0; o < G_N_ELEMENTS(common_factor_ops); o++) {
    for (size_t i = 0; i < G_N_ELEMENTS(rows) * G_N_ELEMENTS(models); i++) {
      size_t of = i % G_N_ELEMENTS(rows), model = i / G_N_ELEMENTS(rows);
      implementation_model_t schedule = model_named(model);
      row_case_t row;
      row_case_make(&row, &common_factor_ops[o], rows[of].type, rows[of].count,
                    "backend,shared=once", &schedule);
      row_answer_t answer = explain(&row);
      if (!answer.agrees) {
        g_test_message("%s of %zu %s by %s: %s", common_factor_ops[o].name, rows[of].count,
                       rows[of].type, models[model], answer.expected);
        g_test_fail();
      }
      arena_deinit(&row.arena);
    }
  }
}

/* ---- What does not --------------------------------------------------------------------------- */

enum { ULPS = 8 };

/* An op whose elements have few roundings of their own.  The exponentials of a softmax may err by
 * more by default: what that hides, theory.md, T164, tells. */
typedef struct sharp_op {
  size_t op; /* Of common_factor_ops. */
  const char *contract;
} sharp_op_t;

static const sharp_op_t sharp_ops[] = {
    {0, "backend,shared=once"}, {1, "backend,shared=once"},
    {2, "backend,shared=once"}, {4, "backend,shared=once,exp_f32=1,exp2_f32=1"},
    {5, "backend,shared=once"},
};

/* Returns whether both sides are seen. */
static bool is_seen(const sharp_op_t *sharp, size_t count) {
  const common_factor_op_t *op = &common_factor_ops[sharp->op];
  implementation_model_t schedule = schedule_plain();
  row_case_t row;
  row_case_make(&row, op, "f32", count, sharp->contract, &schedule);
  size_t largest = largest_element(&row);
  bool are_seen = true;
  for (int side = -1; side <= 1; side += 2) {
    gint64 begin = g_get_monotonic_time();
    row_answer_t answer = explain_moved(&row, largest, side * ULPS);
    bool is_alone = count >= 1024 && conforms_alone(&row, largest, side * ULPS);
    g_test_message("%s of %zu, element %zu off by %d ulps: %s (%.2f s)%s", op->name, count, largest,
                   side * ULPS, answer.agrees ? "explained" : answer.expected,
                   (double)(g_get_monotonic_time() - begin) / 1e6,
                   is_alone ? "; alone it conforms" : "");
    are_seen = are_seen && !answer.agrees && (is_alone || count < 1024);
  }
  arena_deinit(&row.arena);
  return are_seen;
}

static void check_seen(const size_t *counts, size_t n) {
  for (size_t o = 0; o < G_N_ELEMENTS(sharp_ops); o++) {
    for (size_t i = 0; i < n; i++) {
      if (is_seen(&sharp_ops[o], counts[i])) continue;
      g_test_message("%s of %zu: not seen", common_factor_ops[sharp_ops[o].op].name, counts[i]);
      g_test_fail();
    }
  }
}

static void test_one_element_off(void) {
  static const size_t counts[] = {8, 64, 1024};
  check_seen(counts, G_N_ELEMENTS(counts));
}

/* Minutes: tests/nightly/rows runs it. */
static void test_one_element_off_of_long_rows(void) {
  static const size_t counts[] = {4096, 16384, 131072};
  check_seen(counts, G_N_ELEMENTS(counts));
}

static float sum_of_squares(const float *x, size_t count, bool is_pairwise) {
  if (count == 1) return x[0] * x[0];
  size_t half = is_pairwise ? count / 2 : count - 1;
  if (is_pairwise) {
    return sum_of_squares(x, half, true) + sum_of_squares(x + half, count - half, true);
  }
  float sum = 0;
  for (size_t i = 0; i < count; i++) sum += x[i] * x[i];
  return sum;
}

/* A row by one sum or another, or each half by one of them, as where two threads add it up in
 * orders of their own. */
static void test_sum_computed_twice(void) {
  enum { COUNT = 20000 };
  implementation_model_t schedule = schedule_plain();
  row_case_t row;
  row_case_make(&row, &common_factor_ops[1], "f32", COUNT, "backend,shared=once", &schedule);
  const float *x = (const float *)(const void *)row.instance.operands[0].data;
  float *y = (float *)(void *)row.results[0].data;
  float norms[2];
  for (size_t way = 0; way < 2; way++) norms[way] = sqrtf(sum_of_squares(x, COUNT, way == 1));
  g_test_message("norms %a and %a", (double)norms[0], (double)norms[1]);
  for (size_t ways = 0; ways < 4; ways++) {
    for (size_t i = 0; i < COUNT; i++) y[i] = x[i] / norms[i < COUNT / 2 ? ways % 2 : ways / 2];
    bool is_one_sum = ways % 2 == ways / 2;
    row_answer_t answer = explain(&row);
    g_test_message("%s", answer.agrees ? "explained" : answer.expected);
    g_assert_cmpint(answer.agrees, ==, is_one_sum);
    if (!is_one_sum)
      g_assert_true(conforms_alone(&row, 0, 0) && conforms_alone(&row, COUNT - 1, 0));
  }
  arena_deinit(&row.arena);
}

/* ---- Many rows of f64 ------------------------------------------------------------------------ */

enum { MANY_ROWS = 24 };

static const char *line_of_many_rows(const char *type, size_t count, arena_t *arena) {
  return common_factor_text(arena,
                            g_strdup_printf("byteir.l2_norm epsilon=0x1p-40 axis=[1] %s[%d,%zu] -> "
                                            "%s[%d,%zu]",
                                            type, MANY_ROWS, count, type, MANY_ROWS, count));
}

/* Where the fast evaluator does not help every row is asked about all the same, as long as that
 * does not take much longer than the elements' sets. */
static void test_all_rows_of_f64(void) {
  enum { COUNT = 100, OFF = 10 };
  static const common_factor_op_t op = {"l2_norm", line_of_many_rows, false};
  implementation_model_t schedule = schedule_plain();
  row_case_t row;
  row_case_make(&row, &op, "f64", COUNT, "backend,shared=once", &schedule);
  row_answer_t answer = explain(&row);
  g_assert_true(answer.agrees);
  g_assert_cmpuint(answer.rows_left, ==, 0);
  for (size_t of = 0; of < MANY_ROWS; of++) {
    size_t index = of * COUNT + of;
    g_assert_true(conforms_alone(&row, index, OFF));
    answer = explain_moved(&row, index, OFF);
    g_assert_false(answer.agrees);
    g_assert_cmpuint(answer.component / COUNT, ==, of);
  }
  arena_deinit(&row.arena);
}

static const char *line_of_many_layers(const char *type, size_t count, arena_t *arena) {
  return common_factor_text(
      arena,
      g_strdup_printf("byteir.layer_norm epsilon=0x1p-17 axis=[1] %s[%d,%zu] %s[%zu] %s[%zu] "
                      "-> %s[%d,%zu]",
                      type, MANY_ROWS, count, type, count, type, count, type, MANY_ROWS, count));
}

static const char *line_of_many_softmaxes(const char *type, size_t count, arena_t *arena) {
  return common_factor_text(
      arena, g_strdup_printf("byteir.log_softmax axis=1 %s[%d,%zu] -> %s[%d,%zu]", type, MANY_ROWS,
                             count, type, MANY_ROWS, count));
}

static size_t largest_of_row(const row_case_t *row, size_t of, size_t count) {
  const double *y = (const double *)(const void *)row->results[0].data;
  size_t largest = of * count;
  for (size_t i = of * count; i < (of + 1) * count; i++) {
    if (fabs(y[i]) > fabs(y[largest])) largest = i;
  }
  return largest;
}

/* Short rows, in any order, are all asked about too, since models propose their numbers; and one
 * element off is seen, but where the search of two numbers ends before it is. */
static void test_short_rows_of_f64(void) {
  enum { OFF = 24 };
  static const common_factor_op_t ops[] = {{"l2_norm", line_of_many_rows, false},
                                           {"layer_norm", line_of_many_layers, false},
                                           {"log_softmax", line_of_many_softmaxes, true}};
  static const size_t counts[] = {4, 8, 24};
  static const sum_order_t orders[] = {
      {.kind = SUM_SEQUENTIAL}, {.kind = SUM_HALVES}, {.kind = SUM_LANES, .width = 4}};
  size_t unseen = 0;
  for (size_t i = 0; i < G_N_ELEMENTS(ops) * G_N_ELEMENTS(counts) * G_N_ELEMENTS(orders); i++) {
    const common_factor_op_t *op = &ops[i % 3];
    size_t count = counts[i / 3 % 3];
    implementation_model_t schedule = schedule_plain();
    schedule.order = orders[i / 9];
    schedule.fused = schedule.other_way = i / 9 == 1;
    row_case_t row;
    row_case_make(&row, op, "f64", count, "backend,shared=once,exp_f64=1,exp2_f64=1", &schedule);
    row_answer_t answer = explain(&row);
    g_test_message("%s of %zu: %zu rows left", op->name, count, answer.rows_left);
    g_assert_true(answer.agrees);
    g_assert_cmpuint(answer.rows_left, ==, 0);
    for (size_t of = i % 5; of < MANY_ROWS; of += 5) {
      answer = explain_moved(&row, largest_of_row(&row, of, count), OFF);
      if (answer.agrees) {
        g_test_message("%s of %zu, row %zu: explained", op->name, count, of);
        g_assert_true(op == &ops[1]);
        unseen++;
      } else {
        g_assert_cmpuint(answer.component / count, ==, of);
      }
    }
    arena_deinit(&row.arena);
  }
  g_assert_cmpuint(unseen, <=, 1); /* Of 43 rows of layer_norm. */
}

/* ---- Zeros apart ----------------------------------------------------------------------------- */

/* A row whose sum, 2^-126, is exact in any order, and whose mean is subnormal: it may be flushed,
 * or not.  The variance is nothing beside epsilon. */
static void make_tiny_row(row_case_t *row, const char *contract, bool mean_is_flushed) {
  implementation_model_t schedule = schedule_plain();
  row_case_make(row, &common_factor_ops[0], "f32", 4, contract, &schedule);
  float *x = (float *)(void *)row->instance.operands[0].data;
  float *y = (float *)(void *)row->results[0].data;
  x[0] = 0x1p-120f + 0x1p-126f;
  x[1] = x[2] = -0x1p-120f;
  x[3] = 0x1p-120f;
  float mean = mean_is_flushed ? 0 : 0x1p-128f;
  float inverse = 1 / sqrtf(0x1p-17f);
  for (size_t i = 0; i < 4; i++) y[i] = (x[i] - mean) * inverse;
}

/* theory.md, T100: a shared number that may be a zero apart from its other values. */
static void test_flushed_mean(void) {
  static const char *const contracts[] = {"backend,layer_norm=two-pass,shared=once,ftz=both",
                                          "backend,layer_norm=two-pass,shared=once,ftz=outputs",
                                          "backend,layer_norm=two-pass,shared=once"};
  for (size_t c = 0; c < G_N_ELEMENTS(contracts); c++) {
    for (int is_flushed = 0; is_flushed < 2; is_flushed++) {
      row_case_t row;
      make_tiny_row(&row, contracts[c], is_flushed != 0);
      row_answer_t answer = explain(&row);
      g_test_message("%s, %s: %s", contracts[c], is_flushed != 0 ? "flushed" : "as it is",
                     answer.agrees ? "explained" : answer.expected);
      bool may_be = is_flushed == 0 || strstr(contracts[c], "ftz") != NULL;
      g_assert_cmpint(answer.agrees, ==, may_be);
      arena_deinit(&row.arena);
    }
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_func("/shared_rows/flushed_mean", test_flushed_mean);
  g_test_add_func("/shared_rows/models_agree", test_models_agree);
  g_test_add_func("/shared_rows/one_element_off", test_one_element_off);
  if (g_getenv("ASSAY_LONG_ROWS_ROUNDS") != NULL)
    g_test_add_func("/shared_rows/one_element_off/long", test_one_element_off_of_long_rows);
  g_test_add_func("/shared_rows/all_rows_of_f64", test_all_rows_of_f64);
  g_test_add_func("/shared_rows/short_rows_of_f64", test_short_rows_of_f64);
  g_test_add_func("/shared_rows/sum_computed_twice", test_sum_computed_twice);
  return g_test_run();
}
