/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a profile against the executor on random terms of every regime, and keeps the first
 * vector that contradicts it. */
#include <math.h>
#include <string.h>

#include "harness/identify/identify.h"
#include "harness/identify/probe/random_terms.h"

static double *copy(arena_t *arena, const double *values, size_t count) {
  double *copied = ARENA_NEW_ARRAY(arena, double, count);
  memcpy(copied, values, count * sizeof *values);
  return copied;
}

status_t identify_check(black_box_sum_t *black_box, const profile_t *profile,
                        const check_data_t *data, arena_t *arena,
                        identification_t *inout_identification, failure_t *error) {
  identification_t *out = inout_identification;
  rng_t rng = rng_make(data->seed);
  size_t count = black_box->term_count;
  bool is_product = black_box->right != NULL;
  double *left = ARENA_NEW_ARRAY(arena, double, count);
  double *right = is_product ? ARENA_NEW_ARRAY(arena, double, count) : NULL;
  double *scratch = ARENA_NEW_ARRAY(arena, double, profile_scratch_count(profile));
  size_t calls = black_box->calls;
  out->checked = data->count;
  out->predicted = 0;
  out->contradiction_left = NULL;
  for (size_t i = 0; i < data->count; i++) {
    terms_regime_t regime = (terms_regime_t)(i % TERMS_REGIMES);
    double init = 0;
    random_terms(&rng, regime, black_box->left, is_product, left, count);
    if (is_product) random_terms(&rng, regime, black_box->right, true, right, count);
    if (black_box->takes_init) random_terms(&rng, regime, black_box->left, false, &init, 1);
    uint64_t observed;
    STATUS_TRY(black_box_sum_run(black_box, left, right, init, &observed, error));
    uint64_t expected = profile_predict(profile, left, right, init, scratch);
    bool same = profile_same_bits(black_box->result, expected, observed);
    out->predicted += same;
    if (same || out->contradiction_left != NULL) continue;
    out->contradiction_left = copy(arena, left, count);
    out->contradiction_right = is_product ? copy(arena, right, count) : NULL;
    out->contradiction_init = init;
    out->expected_bits = expected;
    out->observed_bits = observed;
  }
  out->check_calls += black_box->calls - calls;
  return STATUS_OK;
}
