/* SPDX-License-Identifier: Apache-2.0 */
/* Sums and dot products that are drawn for the tests of bounds by levels. */
#ifndef ASSAY_TESTS_ORACLES_LEVEL_SUMS_H
#define ASSAY_TESTS_ORACLES_LEVEL_SUMS_H

#include <glib.h>
#include <math.h>
#include <string.h>

#include "harness/base/rng.h"
#include "oracles/exact/sum/problem.h"

enum { TERMS_MAX = 64 };

/* ---- Data ------------------------------------------------------------------------------------ */

typedef enum data { NORMAL, ONE_SIGN, MIXED, SWAMPED, COARSE, SUBNORMAL, DATA_COUNT } data_t;

static inline double uniform(rng_t *rng) {
  return ldexp((double)rng_below(rng, 1 << 30) + 0.5, -30);
}

static inline double normal(rng_t *rng) {
  return sqrt(-2 * log(uniform(rng))) * cos(2 * G_PI * uniform(rng));
}

static inline double draw(rng_t *rng, const format_t *format, data_t data, size_t term) {
  double value = normal(rng);
  switch (data) {
    case ONE_SIGN:
      value = fabs(value);
      break;
    case MIXED:
      value *= exp2(16 * uniform(rng) - 8);
      break;
    case SWAMPED:
      value = term % 16 == 3 ? 64 + value : ldexp(value, -format->precision + 5);
      break;
    case COARSE:
      value = (double)rng_between(rng, -4, 4);
      break;
    case SUBNORMAL:
      value = ldexp(value, format->exponent_min - (int)rng_below(rng, 4));
      break;
    case NORMAL:
    case DATA_COUNT:
      break;
  }
  return format_round_double(format, value);
}

typedef struct instance {
  double left[TERMS_MAX];
  double right[TERMS_MAX];
  sum_problem_t question;
} instance_t;

static inline void make(instance_t *out, rng_t *rng, const format_t *format, data_t data,
                        size_t count, bool are_products) {
  memset(out, 0, sizeof *out);
  for (size_t i = 0; i < count; i++) {
    out->left[i] = draw(rng, format, data, i);
    out->right[i] = draw(rng, format, data == SUBNORMAL ? NORMAL : data, i);
  }
  out->question = (sum_problem_t){.format = format,
                                  .count = count,
                                  .left = out->left,
                                  .right = are_products ? out->right : NULL,
                                  .left_format = format,
                                  .right_format = format};
}

#endif
