/* SPDX-License-Identifier: Apache-2.0 */
/* The floating-point environment: what the control bits do, and that they are seen and put back. */
#include "harness/exec/transport/environment.h"

#include <fenv.h>
#include <float.h>
#include <glib.h>

static float divide(float a, float b) {
  volatile float x = a;
  volatile float y = b;
  return x / y;
}

static void test_default_is_ieee(void) {
  environment_t before = environment_get();
  environment_set(environment_default());
  g_assert_cmpfloat(divide(FLT_MIN, 4.0f), >, 0.0f); /* Gradual underflow. */
  g_assert_cmphex(environment_get().control, ==, environment_default().control);
  environment_set(before);
}

static void test_set_tells_of_a_difference(void) {
  g_assert_false(environment_set(environment_get()));
  environment_t before = environment_get();
  fesetround(FE_TOWARDZERO);
  g_assert_cmphex(environment_get().control, !=, before.control);
  g_assert_true(environment_set(before));
  g_assert_cmpint(fegetround(), ==, FE_TONEAREST);
}

static void test_flags_are_not_control(void) {
  environment_t before = environment_get();
  feclearexcept(FE_ALL_EXCEPT);
  g_assert_cmpfloat(divide(1.0f, 3.0f), <, 1.0f);
  g_assert_true(fetestexcept(FE_INEXACT) != 0);
  g_assert_cmphex(environment_get().control, ==, before.control);
}

#if defined(__x86_64__)
static void test_flushing_is_seen(void) {
  environment_t before = environment_get();
  environment_t flushing = before;
  flushing.control |= 0x8040; /* FTZ and DAZ in MXCSR. */
  g_assert_true(environment_set(flushing));
  g_assert_cmpfloat(divide(FLT_MIN, 4.0f), ==, 0.0f);
  g_assert_true(environment_set(before));
  g_assert_cmpfloat(divide(FLT_MIN, 4.0f), >, 0.0f);
}

/* The x87 unit rounds long doubles to the precision that its control word sets. */
static void test_x87_precision_is_control(void) {
  environment_t before = environment_get();
  environment_t narrow = before;
  narrow.control &= ~((uint64_t)0x0300 << 32);
  g_assert_true(environment_set(narrow));
  volatile long double one = 1.0L;
  long double third = one / 3.0L;
  environment_set(before);
  g_assert_true((long double)(float)third == third);
}
#endif

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/environment/default_is_ieee", test_default_is_ieee);
  g_test_add_func("/environment/set_tells_of_a_difference", test_set_tells_of_a_difference);
  g_test_add_func("/environment/flags_are_not_control", test_flags_are_not_control);
#if defined(__x86_64__)
  g_test_add_func("/environment/flushing_is_seen", test_flushing_is_seen);
  g_test_add_func("/environment/x87_precision_is_control", test_x87_precision_is_control);
#endif
  return g_test_run();
}
