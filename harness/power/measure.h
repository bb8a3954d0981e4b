/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the power of a contract on cases that it draws, or that are given. */
#ifndef ASSAY_POWER_MEASURE_H
#define ASSAY_POWER_MEASURE_H

#include "harness/gen/gen.h"
#include "harness/power/table.h"

typedef struct power_options {
  const contract_t *contract; /* Borrowed, like all here. */
  strata_t strata;            /* Of programs, and of the data that are `drawn`. */
  uint64_t seed;
  bool only_ordinary;  /* No `drawn` data. */
  uint64_t programs;   /* Of each op; each gets data of both kinds. */
  size_t elements;     /* Of each case: neighbours, from a random place on. */
  size_t examined_max; /* Elements of a row of which permissions are withdrawn. */
  const char *types;   /* Of programs, see program_has_types(). */
  void (*on_case)(void *context, const power_table_t *table); /* After each; may be NULL. */
  void *context;
} power_options_t;

/* The strata from which `assay power` draws unless it is told others: all sizes alike. */
strata_t power_strata(void);

/* Adds what drawn programs of an op show; *out_has_types is false if it has none of these types.
 * STATUS_INVALID: Assay finds itself wrong. */
status_t power_measure_op(const power_options_t *options, const op_t *op, power_table_t *table,
                          bool *out_has_types, failure_t *error);

/* The same with data for one program, which is valid under the contract; options->programs is how
 * many data sets of each kind. */
status_t power_measure_program(const power_options_t *options, const program_t *program,
                               power_table_t *table, failure_t *error);

/* A pattern that the fast set of a component surely holds, near to the exact value if that is
 * known; false if it holds nothing for sure. */
bool power_find_held(const accept_t *accept, const element_t *element, size_t component,
                     uint64_t *out_bits);

/* Fills in one value for each component, as power_case_t.results and .known have them, in the arena
 * of the call.  `accepts`: what the oracle accepts for it; NULL: it is asked. */
status_t power_fill_known(const oracle_t *oracle, const oracle_call_t *call,
                          const accept_t *accepts, tensor_t *results,
                          const uint8_t *out_known[CASE_RESULTS_MAX]);

/* A case, and one value for each component that conforms, as far as that is known. */
typedef struct power_case {
  uint64_t deadline; /* See tolerance_question_t: elements that take longer are left out. */
  const oracle_t *oracle;
  const case_t *instance;
  power_data_t data;
  tensor_t *results;                      /* See tolerance_question_t. */
  const uint8_t *known[CASE_RESULTS_MAX]; /* Nonzero: that value conforms; NULL: all do. */
} power_case_t;

/* Adds the tolerances of some elements of a case. */
status_t power_measure_case(const power_options_t *options, const power_case_t *subject, rng_t *rng,
                            arena_t *arena, power_table_t *table, failure_t *error);

#endif
