/* SPDX-License-Identifier: Apache-2.0 */
/* A profile to store. */
#ifndef ASSAY_TESTS_STORE_STORE_PROFILE_SAMPLE_H
#define ASSAY_TESTS_STORE_STORE_PROFILE_SAMPLE_H

#include "tests/store/store_fixture.h"

static inline store_profile_t sample_profile(int64_t executor_id) {
  return (store_profile_t){
      .executor_id = executor_id,
      .op = "stablehlo.reduce",
      .algorithm = "add",
      .types = "f32,f32->f32",
      .shape = "stablehlo.reduce body=add dims=[0] f32[n] f32[] -> f32[]",
      .terms_low = 1,
      .terms_high = 512,
      .program_line = "stablehlo.reduce body=add dims=[0] f32[16] f32[] -> f32[]",
      .text = "the tree of 16 terms",
      .rule = "lanes 8",
      .words = "8 lanes, pairwise at the end"};
}

static inline void add_profile(store_fixture_t *fixture, store_t *store,
                               const store_profile_t *profile, bool expected_new) {
  bool is_new = !expected_new;
  ASSERT_OK(fixture, store_add_profile(store, profile, &is_new, &fixture->error));
  g_assert_cmpint(is_new, ==, expected_new);
}

#endif
