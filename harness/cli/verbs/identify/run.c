/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the black-box sum of one program, identifies it, then checks the profile on every result
 * element with its own terms. */
#include "harness/cli/verbs/identify/run.h"

/* All result elements, each with its own terms; of one element nothing more can be learnt. */
static status_t check_elements(executor_sum_t *es, uint64_t seed, arena_t *arena,
                               identified_t *identified, failure_t *error) {
  enum { CASES = 64 };
  identified->odd_element = executor_sum_odd_element(es);
  if (!identified->identification.has_profile) return STATUS_OK;
  identified->has_elements = true;
  const check_data_t data = {.seed = seed ^ 4, .count = CASES};
  return executor_sum_check(es, &identified->identification.profile, &data, arena,
                            &identified->elements, error);
}

status_t identify_shape(executor_t *executor, const sum_shape_t *shape,
                        const identify_options_t *options, arena_t *arena,
                        identified_t *out_identified, failure_t *error) {
  executor_sum_t *es;
  STATUS_TRY(executor_sum_open(executor, shape, arena, &es, error));
  identified_t identified = {.executor = executor_name(executor),
                             .version = executor_version(executor)};
  black_box_sum_t *black_box = executor_sum_black_box(es);
  identification_t *identification = &identified.identification;
  STATUS_TRY(identify(black_box, options, arena, identification, error));
  if (identification->contradiction_left != NULL) {
    GString *line = g_string_new(NULL);
    executor_sum_print_case(es, identification->contradiction_left,
                            identification->contradiction_right, identification->contradiction_init,
                            line);
    identified.contradiction = g_string_free(line, FALSE);
  }
  status_t status = check_elements(es, options->seed, arena, &identified, error);
  identified.calls = black_box->calls;
  *out_identified = identified;
  return status;
}
