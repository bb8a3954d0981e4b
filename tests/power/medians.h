/* SPDX-License-Identifier: Apache-2.0 */
/* Medians of tolerances of given programs, for the test that holds them and the bench that prints
 * them. */
#ifndef ASSAY_TESTS_POWER_MEDIANS_H
#define ASSAY_TESTS_POWER_MEDIANS_H

#include "harness/power/measure.h"

typedef struct median_row {
  const char *contract;
  const char *program;
  double ulps; /* Of medians.def. */
} median_row_t;

static const median_row_t median_rows[] = {
#define MEDIAN(contract, program, ulps) {contract, program, ulps},
#include "tests/power/medians.def"
#undef MEDIAN
};

typedef struct medians {
  double median, p90;
  guint elements, vacuous;
} medians_t;

/* On ordinary data of seed 1. */
static inline medians_t measure_medians(const median_row_t *row) {
  arena_t arena;
  arena_init(&arena);
  program_t program;
  contract_t contract;
  failure_t error = {0};
  if (contract_parse(str_from(row->contract), &contract, &error) != STATUS_OK ||
      program_parse(str_from(row->program), &arena, &program, NULL, &error) != STATUS_OK) {
    g_error("%s: %s", row->program, error.text);
  }
  const power_options_t options = {.contract = &contract,
                                   .strata = power_strata(),
                                   .seed = 1,
                                   .only_ordinary = true,
                                   .programs = 5,
                                   .elements = 3};
  power_table_t table;
  power_table_init(&table);
  if (power_measure_program(&options, &program, &table, &error) != STATUS_OK) {
    g_error("%s: %s", row->program, error.text);
  }
  const power_row_t *ordinary = power_table_row(&table, &program, POWER_DATA_ORDINARY);
  medians_t medians = {.median = power_row_quantile(ordinary, POWER_ULPS, 0.5),
                       .p90 = power_row_quantile(ordinary, POWER_ULPS, 0.9),
                       .elements = ordinary->elements->len,
                       .vacuous = power_row_vacuous(ordinary)};
  power_table_deinit(&table);
  arena_deinit(&arena);
  return medians;
}

#endif
