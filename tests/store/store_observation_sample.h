/* What was asked for and observed, to store. */
#ifndef ASSAY_TESTS_STORE_STORE_OBSERVATION_SAMPLE_H
#define ASSAY_TESTS_STORE_STORE_OBSERVATION_SAMPLE_H

#include "tests/store/store_fixture.h"

static inline store_observation_t sample_observation(int64_t run_id, int64_t executor_id) {
  return (store_observation_t){.run_id = run_id,
                               .executor_id = executor_id,
                               .op = "stablehlo.dot_general",
                               .algorithm = "BF16_BF16_F32",
                               .types = "f32,f32->f32",
                               .observed = "BF16_BF16_F32|F32_F32_F32",
                               .cases = 30};
}

static inline void add_observation(store_fixture_t *fixture, store_t *store,
                                   const store_observation_t *observation) {
  ASSERT_OK(fixture, store_add_observation(store, observation, &fixture->error));
}

#endif
