/* The walk of one case: oracle, executor (twice, with different poison), judge, triage. */
#ifndef ASSAY_RUN_ONE_CASE_H
#define ASSAY_RUN_ONE_CASE_H

#include "harness/exec/executor.h"
#include "harness/judge/judge.h"
#include "oracles/oracle.h"

/* Where time went, in nanoseconds. */
typedef struct one_case_times {
  uint64_t oracle;
  uint64_t executor;
  uint64_t judge;
} one_case_times_t;

typedef struct one_case {
  contract_t contract;
  uint32_t audit_one_in;   /* One component in so many is recomputed with MPFR; 0: none. */
  rng_t audit_rng;
  one_case_times_t times;  /* Added to. */
  uint64_t audited;        /* Components audited so far. */
} one_case_t;

void one_case_init(one_case_t *walk, const contract_t *contract, uint64_t seed);

/* The oracle's side of a case, computed once and used for every executor. */
typedef struct expectation {
  status_t oracle_status;  /* STATUS_OK, or why there is no oracle. */
  const oracle_t *oracle;
  accept_t accepts[CASE_RESULTS_MAX];
  const char *broken;      /* The constraint that the program breaks, or NULL: then no accept sets. */
  char reason[192];
} expectation_t;

/* STATUS_INVALID means that an audit found Assay itself wrong: the run must stop. */
status_t one_case_expect(one_case_t *walk, const case_t *instance, const char *broken,
                         arena_t *arena, expectation_t *out_expectation, error_t *error);

/* Runs and judges one executor.  `out_implementation` is borrowed from the executor until its next
 * compile. */
status_t one_case_run(one_case_t *walk, const case_t *instance, const expectation_t *expectation,
                      executor_t *executor, arena_t *arena, verdict_t *out_verdict,
                      const char **out_implementation, error_t *error);

#endif
