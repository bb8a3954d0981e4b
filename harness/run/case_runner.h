/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of one case: oracle, executor (twice, with different poison), judge, triage. */
#ifndef ASSAY_RUN_CASE_RUNNER_H
#define ASSAY_RUN_CASE_RUNNER_H

#include "harness/exec/executor.h"
#include "harness/judge/judge.h"
#include "harness/run/result_digest.h"
#include "oracles/oracle.h"
#include "oracles/sample.h"

enum {
  CASE_RUNNER_AUDIT_ONE_IN = 10000, /* Default of audit_one_in. */
  CASE_RUNNER_ASK_WRONG_MAX = 16,   /* Default of decide_wrong_max. */
  CASE_RUNNER_TIGHTER_ONE_IN = 4,   /* Conforming cases that are held against tighter_contract. */
  /* Of so many cases one is asked what a precision_config got; once PRECISION_SOME have been seen,
   * of so many times more, and once four times as many have, of so many times more again; and of
   * so many times more of programs with PRECISION_LARGE components in all tensors.  Asking costs 50
   * times what judging does. */
  CASE_RUNNER_PRECISION_ONE_IN = 4,
  CASE_RUNNER_PRECISION_SOME = 256,
  CASE_RUNNER_PRECISION_MORE = 16,
  CASE_RUNNER_PRECISION_LARGE = 1 << 15,
  /* Conforming cases of which a formula that is dear to find (oracle_t) is told: the first ones,
   * and then one in so many. */
  CASE_RUNNER_FORMULA_SOME = 64,
  CASE_RUNNER_FORMULA_ONE_IN = 8,
};

/* Where time went, in nanoseconds. */
typedef struct case_runner_times {
  uint64_t oracle;
  uint64_t compile;  /* In executors, until a program could be executed. */
  uint64_t executor; /* In executors, executing. */
  uint64_t judge;
  uint64_t cause; /* In looking for the causes of divergences. */
} case_runner_times_t;

/* What the judge of the last case saw: the results, and which components of them are wrong (nonzero
 * in `wrong`, one entry per component; NULL of a result without any).  Lives in the arena that the
 * walk was given. */
typedef struct evidence {
  bool is_judged; /* Else there are no results, and nothing that is wrong. */
  tensor_t results[CASE_RESULTS_MAX];
  uint8_t *wrong[CASE_RESULTS_MAX];
  /* Of the result that a verdict of class `unwritten` is about, nonzero for each component that was
   * never written; else NULL.  Such a case is not judged. */
  const uint8_t *unwritten;
} evidence_t;

typedef struct expectation expectation_t;

/* Has a say after the oracle: about results that two executions agreed on, whatever their verdict,
 * which it may change. */
typedef struct case_runner_predictor {
  status_t (*check)(void *context, const executor_t *executor, const expectation_t *expectation,
                    const tensor_t *results, verdict_t *inout_verdict,
                    failure_t *error); /* NULL: there is none. */
  void *context;
} case_runner_predictor_t;

/* Asked before an element is decided exactly: whether to give up, which is STATUS_IO. */
typedef struct case_runner_interrupt {
  bool (*is_wanted)(void *context); /* NULL: never. */
  void *context;
} case_runner_interrupt_t;

typedef struct case_runner {
  contract_t contract;
  case_runner_predictor_t predictor;
  case_runner_interrupt_t interrupt;
  uint32_t audit_one_in;   /* One component in so many is recomputed with MPFR; 0: none. */
  size_t decide_wrong_max; /* See judge_t. */
  bool is_brief;           /* Nothing is observed but which components are wrong. */
  bool takes_rough;        /* Accept sets of large results may be rough: accept_t.is_rough. */
  bool judges_all;         /* Large results too, of which a sample is judged else (sample.h). */
  /* Of a part of a case (harness/run/parts): components of the first result of the whole, else 0;
   * and the sample of the part, or NULL: one is drawn where the case is large. */
  size_t whole_count;
  const sample_t *sample;
  const uint8_t *margins[CASE_RESULTS_MAX]; /* See judge_t. */
  bool takes_for_wrong;                     /* See judge_t. */
  uint32_t unjudged; /* Bit i: result i is not judged, since nobody knows its bits; nor is
                      * what shows in all results together. */
  rng_t audit_rng;
  uint64_t audit_distance;   /* Components until the next audited one. */
  case_runner_times_t times; /* Added to. */
  uint64_t audited;          /* Components audited so far. */
  uint64_t treeless;         /* Sums of few terms so far that no tree was known to give. */
  uint64_t rows_left;        /* Rows so far that were not asked about as a whole. */
  evidence_t evidence;       /* Of the last case. */
  /* Whether cases with 16-bit and 8-bit floats that conform are held, every so often, against a
   * tighter contract, where that is one; and how many have been due.  This costs at most a quarter
   * of what the oracle costs of such cases. */
  bool has_tighter;
  contract_t tighter_contract;
  uint64_t tighter_due;
  uint64_t precision_due;
  uint64_t formula_due;
} case_runner_t;

void case_runner_init(case_runner_t *walk, const contract_t *contract, uint64_t seed);

/* Has it tell, from here on, which conforming cases keep contract `wide` too, as far as its own is
 * looser than that: verdict_t.contract. */
void case_runner_hold_wide(case_runner_t *walk);

/* A case and the oracle's side of it, computed once and used for every executor. */
struct expectation {
  const case_t *instance;
  arena_t *arena;         /* Of the accept sets, and for all that judging the case allocates. */
  status_t oracle_status; /* STATUS_OK, or why there is no oracle. */
  const oracle_t *oracle;
  accept_t accepts[CASE_RESULTS_MAX];
  void **kept;                   /* Beside them, see oracle_call_t; NULL: nothing. */
  sample_t sample;               /* Of what is judged of large results. */
  size_t whole_count;            /* See case_runner_t. */
  const op_constraint_t *broken; /* What the program breaks, or NULL; if it is not, there are no
                                  * accept sets, and if that is not modelled, no oracle. */
  char reason[192];
};

/* STATUS_INVALID means that an audit found Assay itself wrong: the run must stop.  The error then
 * says what; the case line belongs beside it. */
status_t case_runner_expect(case_runner_t *walk, const case_t *instance,
                            const op_constraint_t *broken, arena_t *arena,
                            expectation_t *out_expectation, failure_t *error);

/* The accept sets of a case that has an oracle, under a contract, in the expectation's arena; none
 * is rough. */
status_t expectation_accept(const expectation_t *expectation, const contract_t *contract,
                            accept_t out_accepts[CASE_RESULTS_MAX], failure_t *error);

/* Of a case of which some are: puts better ones into their place. */
status_t expectation_refine(expectation_t *inout_expectation, const contract_t *contract,
                            failure_t *error);

/* What an executor says to a program, asked once for all data of it. */
typedef struct preparation {
  executor_t *executor;
  executor_outcome_t outcome;
  executor_promise_t promise;
  executor_program_t *program; /* Where the outcome is EXECUTOR_OK; borrowed from the executor until
                                * its next compile. */
  char implementation[64];     /* A copy, since a worker that dies takes its texts along; "" if
                                * unknown. */
  char reason[192];
} preparation_t;

/* `broken` as in expectation_t. */
void case_runner_prepare(case_runner_t *walk, const program_t *program,
                         const op_constraint_t *broken, executor_t *executor,
                         preparation_t *out_preparation);

/* True if the verdict is the same for all data.  An executor that merely accepts a forbidden
 * program, or one outside its target, has already diverged.  One that is not modelled may be run by
 * whoever likes to: only how it is run is judged, never what comes out, nor that it is refused. */
bool case_runner_is_settled(const preparation_t *preparation, const op_constraint_t *broken);

/* Whether the program is executed.  One whose verdict is settled is not, since that could only
 * corrupt memory; but where it is outside the target and names an algorithm, its bits tell which
 * one was run in its stead. */
bool case_runner_is_executed(const preparation_t *preparation, const program_t *program,
                             const op_constraint_t *broken);

/* Runs and judges one executor.  After OUTCOME_failed the program must be prepared again.
 * `out_digest`, if not NULL, is for holding executors against each other. */
status_t case_runner_run_prepared(case_runner_t *walk, const expectation_t *expectation,
                                  const preparation_t *preparation, verdict_t *out_verdict,
                                  result_digest_t *out_digest, failure_t *error);

/* case_runner_prepare() and case_runner_run_prepared(). */
status_t case_runner_run(case_runner_t *walk, const expectation_t *expectation,
                         executor_t *executor, verdict_t *out_verdict, failure_t *error);

/* The verdict where an executor gave no results, which is blamed on him only if the program breaks
 * nothing; `outcome` is not EXECUTOR_OK. */
void case_runner_judge_absence(executor_outcome_t outcome, executor_promise_t promise,
                               const op_constraint_t *broken, const char *reason,
                               verdict_t *out_verdict);

/* The verdict on an executor that accepted a program which it had to refuse, see
 * case_runner_is_settled(). */
void case_runner_judge_accepted(const op_constraint_t *broken, verdict_t *out_verdict);

/* Holds results that some executor gave against the expectation of a valid program. */
status_t case_runner_judge(case_runner_t *walk, const expectation_t *expectation,
                           const tensor_t *results, verdict_t *out_verdict, failure_t *error);

#endif
