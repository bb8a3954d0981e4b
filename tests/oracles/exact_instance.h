/* SPDX-License-Identifier: Apache-2.0 */
/* Instances of exact matrix products with data made to hurt, and their truth by MPFR. */
#ifndef ASSAY_TESTS_ORACLES_EXACT_INSTANCE_H
#define ASSAY_TESTS_ORACLES_EXACT_INSTANCE_H

#include <glib.h>
#include <math.h>
#include <mpfr.h>
#include <string.h>

#include "harness/base/rng.h"
#include "oracles/exact/matmul/kernels.h"

typedef enum regime {
  REGIME_UNIFORM,
  REGIME_SMALL_INTEGERS,
  REGIME_POWERS_OF_TWO, /* Over the whole range of exponents. */
  REGIME_ANY_BITS,      /* Any finite pattern. */
  REGIME_SUBNORMALS,
  REGIME_WIDE, /* Exponents within 2^+-60. */
  REGIME_ZEROS,
  REGIME_NARROW, /* Eight significant bits, as of bf16. */
  REGIME_TIES,   /* Powers of two about half an ulp apart, and far below. */
  REGIME_MIXED,  /* Another of the above for each number. */
  REGIME_COUNT
} regime_t;

static inline double draw_sign(rng_t *rng) { return rng_one_in(rng, 2) ? -1 : 1; }

static inline double draw_uniform(rng_t *rng) {
  return draw_sign(rng) * (double)(rng_bits(rng) >> 11) * 0x1p-53;
}

/* Any finite pattern. */
static inline double draw_pattern_f32(rng_t *rng) {
  uint32_t bits = (uint32_t)rng_bits(rng);
  if ((bits & 0x7f800000) == 0x7f800000) bits &= 0xbfffffff;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static const int tie_exponents[] = {0, 0, -24, -53, -54, -77, -106, -107, -120};

/* f64 data leaves out the exponents at which products overflow or vanish; a test of its own has
 * them. */
static inline double draw_number(rng_t *rng, regime_t regime, bool is_f64) {
  int span = is_f64 ? 400 : 126;
  switch (regime) {
    case REGIME_UNIFORM:
      return draw_uniform(rng);
    case REGIME_SMALL_INTEGERS:
      return (double)rng_between(rng, -8, 8);
    case REGIME_POWERS_OF_TWO:
      return draw_sign(rng) * ldexp(1, (int)rng_between(rng, -span, span));
    case REGIME_ANY_BITS:
      if (!is_f64) return draw_pattern_f32(rng);
      return ldexp(1 + fabs(draw_uniform(rng)), (int)rng_between(rng, -span, span)) *
             draw_sign(rng);
    case REGIME_SUBNORMALS:
      return ldexp(draw_uniform(rng), is_f64 ? -380 : -126);
    case REGIME_WIDE:
      return ldexp(draw_uniform(rng), (int)rng_between(rng, -60, 60));
    case REGIME_ZEROS:
      return draw_sign(rng) * 0;
    case REGIME_NARROW:
      return draw_sign(rng) * (double)rng_below(rng, 256) * 0x1p-7;
    case REGIME_TIES:
      return draw_sign(rng) * ldexp(1, tie_exponents[rng_below(rng, G_N_ELEMENTS(tie_exponents))]);
    default:
      return draw_number(rng, (regime_t)rng_below(rng, REGIME_MIXED), is_f64);
  }
}

/* One product with its truth; f32 data is kept as binary64 too. */
typedef struct instance {
  size_t m, n, k;
  bool is_f64, is_sum;
  double *a, *b;
  double *reference, *tail, *magnitude; /* The truth; magnitude rounded down. */
  bool *representable;                  /* Neither overflow nor an inexact subnormal. */
} instance_t;

static inline instance_t instance_new(size_t m, size_t n, size_t k, bool is_f64) {
  return (instance_t){.m = m,
                      .n = n,
                      .k = k,
                      .is_f64 = is_f64,
                      .a = g_new0(double, m *k + 1),
                      .b = g_new0(double, k *n + 1),
                      .reference = g_new0(double, m *n + 1),
                      .tail = g_new0(double, m *n + 1),
                      .magnitude = g_new0(double, m *n + 1),
                      .representable = g_new0(bool, m *n + 1)};
}

static inline void instance_free(instance_t *instance) {
  g_free(instance->a);
  g_free(instance->b);
  g_free(instance->reference);
  g_free(instance->tail);
  g_free(instance->magnitude);
  g_free(instance->representable);
}

static inline void instance_draw(instance_t *instance, rng_t *rng, regime_t regime) {
  size_t m = instance->m, n = instance->n, k = instance->k;
  for (size_t i = 0; i < m * k; i++) instance->a[i] = draw_number(rng, regime, instance->is_f64);
  for (size_t i = 0; i < k * n; i++) instance->b[i] = draw_number(rng, regime, instance->is_f64);
  for (size_t i = 0; i < m * k && !instance->is_f64; i++) instance->a[i] = (float)instance->a[i];
  for (size_t i = 0; i < k * n && !instance->is_f64; i++) instance->b[i] = (float)instance->b[i];
}

/* The second half of the terms takes the first half away, up to an odd term in the middle. */
static inline void instance_cancel(instance_t *instance) {
  size_t m = instance->m, n = instance->n, k = instance->k;
  for (size_t t = 0; t < k / 2; t++) {
    for (size_t i = 0; i < m; i++) instance->a[i * k + k - 1 - t] = instance->a[i * k + t];
    for (size_t j = 0; j < n; j++) instance->b[(k - 1 - t) * n + j] = -instance->b[t * n + j];
  }
}

typedef struct truth {
  mpfr_t sum, magnitude, product, a, b;
} truth_t;

static inline void truth_init(truth_t *truth, bool is_f64) {
  mpfr_init2(truth->sum, is_f64 ? 4500 : 700);
  mpfr_init2(truth->magnitude, 100);
  mpfr_init2(truth->product, 106);
  mpfr_inits2(53, truth->a, truth->b, (mpfr_ptr)0);
}

static inline void truth_deinit(truth_t *truth) {
  mpfr_clears(truth->sum, truth->magnitude, truth->product, truth->a, truth->b, (mpfr_ptr)0);
}

static inline void truth_of(truth_t *truth, instance_t *instance, size_t i, size_t j) {
  size_t n = instance->n, k = instance->k, at = i * n + j;
  mpfr_set_zero(truth->sum, 1);
  mpfr_set_zero(truth->magnitude, 1);
  for (size_t t = 0; t < k; t++) {
    mpfr_set_d(truth->a, instance->is_sum ? 1 : instance->a[i * k + t], MPFR_RNDN);
    mpfr_set_d(truth->b, instance->b[t * n + j], MPFR_RNDN);
    g_assert_cmpint(mpfr_mul(truth->product, truth->a, truth->b, MPFR_RNDN), ==, 0);
    g_assert_cmpint(mpfr_add(truth->sum, truth->sum, truth->product, MPFR_RNDN), ==, 0);
    mpfr_abs(truth->product, truth->product, MPFR_RNDN);
    mpfr_add(truth->magnitude, truth->magnitude, truth->product, MPFR_RNDD);
  }
  double reference = mpfr_get_d(truth->sum, MPFR_RNDN);
  instance->reference[at] = reference == 0 ? 0 : reference;
  bool underflows = mpfr_cmp_d(truth->magnitude, 0x1p-1022) < 0; /* A tiny one must not seem 0. */
  instance->magnitude[at] = mpfr_get_d(truth->magnitude, underflows ? MPFR_RNDU : MPFR_RNDD);
  mpfr_set_d(truth->a, reference, MPFR_RNDN);
  mpfr_sub(truth->product, truth->sum, truth->a, MPFR_RNDN); /* To 106 bits. */
  instance->tail[at] = mpfr_get_d(truth->product, MPFR_RNDN);
  instance->representable[at] = isfinite(reference) &&
                                (fabs(reference) >= 0x1p-1022 || instance->tail[at] == 0) &&
                                (fabs(instance->tail[at]) >= 0x1p-1022 ||
                                 mpfr_cmp_d(truth->product, instance->tail[at]) == 0);
}

static inline void instance_solve(instance_t *instance) {
  truth_t truth;
  truth_init(&truth, instance->is_f64);
  for (size_t i = 0; i < instance->m; i++) {
    for (size_t j = 0; j < instance->n; j++) truth_of(&truth, instance, i, j);
  }
  truth_deinit(&truth);
}

#endif
