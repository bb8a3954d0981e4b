/* SPDX-License-Identifier: Apache-2.0 */
/* Rows whose elements share numbers (theory.md, T110 to T112): under contract shared=once a row of
 * an implementation that computes these once is explained, whatever its order of summation; and if
 * one element of it, the largest, is off by 8 ulps, nothing explains the row, however long it is,
 * though every element conforms by itself. */
#include <glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracles/formula/model.h"
#include "tests/formula/common_factor.h"

typedef struct row_case {
  arena_t arena;
  case_t instance;
  tensor_t results[CASE_RESULTS_MAX];
  contract_t contract;
} row_case_t;

static contract_t read_contract(const char *text) {
  contract_t contract;
  failure_t error = {0};
  if (contract_parse(str_from(text), &contract, &error) != STATUS_OK) g_error("%s", error.text);
  return contract;
}

static void row_case_make(row_case_t *row, const common_factor_op_t *op, const char *type,
                          size_t count, const char *contract,
                          const implementation_model_t *schedule) {
  arena_init(&row->arena);
  row->contract = read_contract(contract);
  row->instance = common_factor_case(op, type, count, &row->arena);
  const program_t *program = &row->instance.program;
  for (uint32_t r = 0; r < program->result_count; r++) {
    row->results[r] = tensor_make(&row->arena, &program->results[r]);
  }
  failure_t error = {0};
  const oracle_call_t call = {.instance = &row->instance, .arena = &row->arena, .error = &error};
  const oracle_t *oracle = oracle_find(program->op);
  g_assert_cmpint(oracle->simulate(&call, schedule, row->results), ==, STATUS_OK);
}

static row_answer_t explain(row_case_t *row) {
  failure_t error = {0};
  const oracle_call_t call = {.instance = &row->instance,
                              .contract = &row->contract,
                              .results = row->results,
                              .arena = &row->arena,
                              .error = &error};
  row_answer_t answer;
  arena_mark_t mark = arena_mark(&row->arena);
  const oracle_t *oracle = oracle_find(row->instance.program.op);
  g_assert_cmpint(oracle->explain_rows(&call, &answer), ==, STATUS_OK);
  arena_rewind(&row->arena, mark);
  return answer;
}

static size_t largest_element(const row_case_t *row) {
  const tensor_t *result = &row->results[0];
  const element_t *element = result->type.element;
  size_t largest = 0;
  double magnitude = 0;
  for (size_t i = 0; i < type_element_count(&result->type); i++) {
    double value = fabs(format_to_double(element->format, element_load(element, result->data, i)));
    if (value <= magnitude) continue;
    magnitude = value;
    largest = i;
  }
  return largest;
}

/* With element `index` of the first result off by some ulps, that is, patterns. */
static row_answer_t explain_moved(row_case_t *row, size_t index, int ulps) {
  const tensor_t *result = &row->results[0];
  const element_t *element = result->type.element;
  uint64_t bits = element_load(element, result->data, index);
  element_store(element, result->data, index, (uint64_t)((int64_t)bits + ulps));
  row_answer_t answer = explain(row);
  element_store(element, result->data, index, bits);
  return answer;
}

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

/* Whether the element conforms by itself under the row's contract. */
static bool conforms_alone(row_case_t *row, size_t index, int ulps) {
  const tensor_t *result = &row->results[0];
  const element_t *element = result->type.element;
  uint64_t bits = element_load(element, result->data, index);
  element_store(element, result->data, index, (uint64_t)((int64_t)bits + ulps));
  failure_t error = {0};
  const oracle_call_t call = {.instance = &row->instance,
                              .contract = &row->contract,
                              .results = row->results,
                              .arena = &row->arena,
                              .error = &error};
  answer_t answer;
  const oracle_t *oracle = oracle_find(row->instance.program.op);
  g_assert_cmpint(oracle->decide(&call, 0, index, &answer), ==, STATUS_OK);
  element_store(element, result->data, index, bits);
  return answer.conforms;
}

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

/* ---- Exponentials that err ------------------------------------------------------------------- */

static const double exp_ulps = 3; /* By default, of f32. */

static double significand_of(double value) {
  int exponent;
  return 2 * frexp(fabs(value), &exponent);
}

static double ulp_of(double value) {
  int exponent;
  (void)frexp(value, &exponent);
  return ldexp(1, exponent - 24);
}

/* The exact exponential of an element of a softmax, less the maximum. */
static double exponential(const row_case_t *row, size_t index, size_t largest) {
  const float *x = (const float *)(const void *)row->instance.operands[0].data;
  return exp((double)(x[index] - x[largest]));
}

static double share_of(const row_case_t *row, size_t index) {
  return (double)((const float *)(const void *)row->results[0].data)[index];
}

/* How many ulps a right element must be off for another one to contradict it for sure: theory.md,
 * T164, by the best witness of the row. */
static int ulps_told(const row_case_t *row, size_t index, size_t largest) {
  double e = exponential(row, index, largest), w = significand_of(share_of(row, index));
  double least = INFINITY;
  for (size_t i = 0; i < type_element_count(&row->results[0].type); i++) {
    double other = exponential(row, i, largest);
    if (i == index) continue;
    double exponents = exp_ulps / significand_of(e) + exp_ulps / significand_of(other);
    double arguments = (fabs(log(e)) + fabs(log(other))) / 2;
    double quotients = 1 + w / significand_of(share_of(row, i));
    least = fmin(least, w * (exponents + arguments) + quotients);
  }
  return (int)ceil(least) + 1; /* What the model's own functions err by. */
}

static bool is_told(row_case_t *row, size_t index, size_t largest) {
  int ulps = ulps_told(row, index, largest);
  bool is_seen = true;
  for (int side = -1; side <= 1; side += 2) {
    is_seen = is_seen && !explain_moved(row, index, side * ulps).agrees;
  }
  g_test_message("softmax of %zu, element %zu off by %d ulps: %s",
                 type_element_count(&row->results[0].type), index, ulps,
                 is_seen ? "seen" : "not seen");
  return is_seen;
}

/* The largest element and some others. */
static void check_told(size_t count) {
  enum { OTHERS = 6 };
  implementation_model_t schedule = schedule_plain();
  row_case_t row;
  row_case_make(&row, &common_factor_ops[4], "f32", count, "backend,softmax=shifted,shared=once",
                &schedule);
  size_t largest = largest_element(&row);
  g_assert_cmpfloat(ulps_told(&row, largest, largest), <=, 4 * exp_ulps);
  g_assert_true(is_told(&row, largest, largest));
  for (size_t i = 0; i < OTHERS; i++) g_assert_true(is_told(&row, i * count / OTHERS, largest));
  arena_deinit(&row.arena);
}

static void test_erring_exponentials_told(void) {
  static const size_t counts[] = {8, 64, 1024};
  for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) check_told(counts[i]);
}

static void test_erring_exponentials_told_of_long_rows(void) {
  static const size_t counts[] = {4096, 16384, 131072};
  for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) check_told(counts[i]);
}

/* The element, of a share that hardly moves the sum, that its own exponential and those of others
 * hide most. */
static size_t find_blurred(const row_case_t *row, size_t largest) {
  size_t best = 0;
  double most = 0;
  for (size_t i = 0; i < type_element_count(&row->results[0].type); i++) {
    double w = significand_of(share_of(row, i));
    double blur = w / significand_of(exponential(row, i, largest)) + w / 2;
    if (share_of(row, i) < 0x1p-4 && blur > most) most = blur, best = i;
  }
  return best;
}

/* The number of f32 next to a positive one, on that side. */
static float next_to(double value, bool is_above) {
  float nearest = (float)value, other = nextafterf(nearest, is_above ? 4 : 0);
  bool is_there = is_above ? (double)nearest >= value : (double)nearest <= value;
  return is_there ? nearest : other;
}

/* A row as an implementation returns it whose exponentials err by up to `ulps`: one as far as it
 * may one way, all others the other way by one factor, which goes into the sum. */
static void make_blurred(row_case_t *row, size_t blurred, size_t largest, double ulps) {
  size_t count = type_element_count(&row->results[0].type);
  float *y = (float *)(void *)row->results[0].data;
  float sum = 0;
  for (size_t i = 0; i < count; i++) {
    double e = exponential(row, i, largest);
    y[i] = next_to(e * (1 + ulps * 0x1p-24), false);
    if (i == blurred) y[i] = next_to(e - ulps * ulp_of(e), true);
    g_assert_cmpfloat(fabs((double)y[i] - e), <=, ulps * ulp_of(e));
    sum += y[i];
  }
  for (size_t i = 0; i < count; i++) y[i] /= sum;
}

/* In ulps, from what the largest element says that it should be. */
static double distance_to_others(const row_case_t *row, size_t index, size_t largest) {
  double right = exponential(row, index, largest) * share_of(row, largest);
  return fabs(share_of(row, index) - right) / ulp_of(right);
}

/* theory.md, T164: what nobody can tell, since an implementation returns it that errs no more than
 * it may, and whose elements all share one sum.  Most where the sum is little above a power of two.
 */
static double make_blurred_of(row_case_t *row, size_t count) {
  implementation_model_t schedule = schedule_plain();
  row_case_make(row, &common_factor_ops[4], "f32", count, "backend,shared=once", &schedule);
  size_t largest = largest_element(row), blurred = find_blurred(row, largest);
  make_blurred(row, blurred, largest, exp_ulps);
  return distance_to_others(row, blurred, largest);
}

static void test_erring_exponentials_inherent(void) {
  enum { LEAST = 40, MOST = 400 };
  double farthest = 0;
  size_t best = LEAST;
  row_case_t row;
  for (size_t count = LEAST; count < MOST; count++) {
    double distance = make_blurred_of(&row, count);
    if (distance > farthest) farthest = distance, best = count;
    arena_deinit(&row.arena);
  }
  make_blurred_of(&row, best);
  g_test_message("softmax of %zu: an element is %.1f ulps off", best, farthest);
  g_assert_cmpfloat(farthest, >, 8);
  g_assert_true(explain(&row).agrees);
  row.contract = read_contract("backend,shared=once,exp_f32=1,exp2_f32=1");
  g_assert_false(explain(&row).agrees);
  arena_deinit(&row.arena);
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
  g_test_add_func("/shared_rows/flushed_mean", test_flushed_mean);
  g_test_add_func("/shared_rows/models_agree", test_models_agree);
  g_test_add_func("/shared_rows/one_element_off", test_one_element_off);
  if (g_getenv("ASSAY_LONG_ROWS_ROUNDS") != NULL)
    g_test_add_func("/shared_rows/one_element_off/long", test_one_element_off_of_long_rows);
  g_test_add_func("/shared_rows/erring_exponentials/told", test_erring_exponentials_told);
  if (g_getenv("ASSAY_LONG_ROWS_ROUNDS") != NULL)
    g_test_add_func("/shared_rows/erring_exponentials/told/long",
                    test_erring_exponentials_told_of_long_rows);
  g_test_add_func("/shared_rows/erring_exponentials/inherent", test_erring_exponentials_inherent);
  g_test_add_func("/shared_rows/sum_computed_twice", test_sum_computed_twice);
  return g_test_run();
}
