/* SPDX-License-Identifier: Apache-2.0 */
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
                               .kind = "algorithm",
                               .cases = 30};
}

/* Asked for bf16, it fell back to f32 in 30 of 100 cases; in 10 no algorithm explains the bits. */
static inline void fill_observations(store_t *store, int64_t executor_id, int64_t first_run,
                                     int64_t second_run) {
  store_observation_t observation = sample_observation(first_run, executor_id);
  store_add_observation(store, &observation); /* 30 that could be both. */
  observation.run_id = second_run;
  store_add_observation(store, &observation); /* 30 more. */
  observation.observed = "F32_F32_F32|F64_F64_F64";
  store_add_observation(store, &observation);
  observation.observed = "";
  observation.cases = 10;
  store_add_observation(store, &observation);
  observation.algorithm = "default";
  observation.observed = "TF32_TF32_F32";
  store_add_observation(store, &observation);
  observation.op = "byteir.softmax"; /* No dot algorithm: another query's. */
  observation.algorithm = "softmax";
  observation.types = "f32->f32";
  observation.observed = "online";
  observation.kind = "formula";
  store_add_observation(store, &observation);
  observation.types = "bf16->bf16"; /* Held against contract wide: another query's, too. */
  observation.kind = "contract";
  observation.observed = "wide";
  observation.cases = 6;
  store_add_observation(store, &observation);
  observation.observed = "not wide";
  observation.cases = 2;
  store_add_observation(store, &observation);
  observation = sample_observation(second_run, executor_id); /* What a precision_config got. */
  observation.algorithm = "precision=HIGH";
  observation.kind = "precision";
  observation.observed = "TF32_TF32_F32|F32_F32_F32";
  store_add_observation(store, &observation);
  observation.observed = "TF32_TF32_F32";
  observation.cases = 60;
  store_add_observation(store, &observation);
  observation.observed = "";
  observation.cases = 10;
  store_add_observation(store, &observation);
}

#endif
