/* SPDX-License-Identifier: Apache-2.0 */
/* Test data from intervals where special functions cancel, saturate, overflow, underflow or change
 * their approximation. */
#include <glib.h>
#include <math.h>

#include "harness/draw/special_values.h"
#include "oracles/ops/special_functions/special_functions.h"

/* Numbers low..high, or of either sign with magnitudes 2^low..2^high. */
typedef struct interval {
  double low;
  double high;
  bool are_exponents;
} interval_t;

static const interval_t intervals[] = {
    {-6, 6, false},      /* Where anything happens. */
    {-104, -87, false},  /* exp of f32 underflows, ... */
    {87, 90, false},     /* ... and overflows; */
    {-18, -9, false},    /* that of f16, ... */
    {10.9, 11.2, false}, /* ... and */
    {-746, -707, false}, /* that of f64, ... */
    {708, 711, false},   /* ... and. */
    {-1, -0.9, false},   /* log(1 + x) falls to -infinity. */
    {0.9, 1.1, false},   /* log(x) is nearly x - 1: absolute errors show. */
    {-27, -3, true},     /* Odd functions are nearly linear, exp(x) - 1 and log(1 + x) too. */
    {-149, -100, true},  /* Results are subnormal. */
    {3, 14, true},       /* Many periods. */
    {15, 127, true},     /* More of them than a product with 2 / pi tells apart. */
    {-1022, -900, true}, /* Subnormal results, of f64. */
    {3, 10, false},      /* tanh reaches 1. */
    {-24, -8, false},    /* The tail of the logistic function. */
};

static double draw_number(rng_t *rng, const interval_t *interval) {
  double place = (double)rng_below(rng, 1 << 30) * 0x1p-30;
  if (!interval->are_exponents) return interval->low + place * (interval->high - interval->low);
  int exponent = (int)rng_between(rng, (int64_t)interval->low, (int64_t)interval->high);
  return ldexp(rng_one_in(rng, 2) ? -1 - place : 1 + place, exponent);
}

/* One interval for a whole tensor, so that its elements are near one another, or any. */
void special_function_draw_edges(rng_t *rng, case_t *inout_case) {
  const tensor_t *tensor = &inout_case->operands[0];
  const element_t *element = tensor->type.element;
  const interval_t *chosen = &intervals[rng_below(rng, G_N_ELEMENTS(intervals))];
  bool is_mixed = rng_one_in(rng, 2);
  for (size_t i = 0; i < type_element_count(&tensor->type); i++) {
    if (is_mixed) chosen = &intervals[rng_below(rng, G_N_ELEMENTS(intervals))];
    uint64_t bits = rng_one_in(rng, 50)
                        ? special_value_any(rng, element)
                        : format_from_double(element->format, draw_number(rng, chosen));
    element_store(element, tensor->data, i, bits);
  }
}
