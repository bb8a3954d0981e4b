#include "harness/cli/identify_run.h"

/* All result elements, each with its own terms; of one element nothing more can be learnt. */
static status_t check_elements(executor_summer_t *es, uint64_t seed, arena_t *arena,
                               identified_t *identified, failure_t *error) {
  enum { CASES = 64 };
  identified->odd_element = executor_summer_odd_element(es);
  if (!identified->identification.has_profile) return STATUS_OK;
  identified->has_elements = true;
  return executor_summer_check(es, &identified->identification.profile, seed ^ 4, CASES, arena,
                               &identified->elements, error);
}

status_t identify_shape(executor_t *executor, const summer_shape_t *shape,
                        const identify_options_t *options, arena_t *arena,
                        identified_t *out_identified, failure_t *error) {
  executor_summer_t *es;
  STATUS_TRY(executor_summer_open(executor, shape, arena, &es, error));
  identified_t identified = {.executor = executor_name(executor),
                             .version = executor_version(executor)};
  summer_t *summer = executor_summer(es);
  identification_t *identification = &identified.identification;
  STATUS_TRY(identify(summer, options, arena, identification, error));
  if (identification->contradiction_left != NULL) {
    GString *line = g_string_new(NULL);
    executor_summer_print_case(es, identification->contradiction_left,
                               identification->contradiction_right,
                               identification->contradiction_init, line);
    identified.contradiction = g_string_free(line, FALSE);
  }
  status_t status = check_elements(es, options->seed, arena, &identified, error);
  identified.calls = summer->calls;
  *out_identified = identified;
  return status;
}
