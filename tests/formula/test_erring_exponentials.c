/* SPDX-License-Identifier: Apache-2.0 */
/* What exponentials that err hide of an element of a softmax, and what is told all the same
 * (theory.md, T164): rows of implementations that nobody can tell from others, and right elements
 * moved by more than that. */
#include <glib.h>
#include <math.h>

#include "tests/formula/row_case.h"

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

static void test_told(void) {
  static const size_t counts[] = {8, 64, 1024};
  for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) check_told(counts[i]);
}

static void test_told_of_long_rows(void) {
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

static void test_inherent(void) {
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

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/erring_exponentials/told", test_told);
  if (g_getenv("ASSAY_LONG_ROWS_ROUNDS") != NULL)
    g_test_add_func("/erring_exponentials/told/long", test_told_of_long_rows);
  g_test_add_func("/erring_exponentials/inherent", test_inherent);
  return g_test_run();
}
