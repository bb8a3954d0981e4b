/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the steps of an exported model on an executor, each judged by its oracle on the operands
 * that the executor itself made, and each counted and stored as op quant.KERNEL, algorithm
 * TABLE/FORM. */
#ifndef ASSAY_QUANT_RUN_QUANT_RUN_H
#define ASSAY_QUANT_RUN_QUANT_RUN_H

#include "harness/base/rng.h"
#include "harness/quant_run/enclosure.h"
#include "harness/session/session.h"

typedef struct quant_run_request {
  const quant_steps_t *steps;
  const char *table; /* Its name, for the algorithm. */
  const quant_enclosure_t *enclosure;
  const tensor_t *inputs; /* In the graph's order. */
  session_t *session;
  size_t executor; /* Of the session. */
  /* By region, those that are run as one program (harness/quant/lower/wholes.h), counted and stored
   * with algorithm TABLE/FORM/whole; NULL: all are run step by step.  What is refused so is run by
   * steps. */
  const quant_whole_t *wholes;
  bool compares; /* With wholes: steps run as well, their results go on, and bits are compared. */
} quant_run_request_t;

/* What came of regions that were run as one program. */
typedef struct quant_whole_counts {
  uint64_t outcomes[OUTCOME_COUNT];
  uint64_t same;          /* With `compares`: all bits are those of the steps; */
  uint64_t differ;        /* or not: of these, */
  uint64_t whole_outside; /* what the whole region returned does not conform; */
  uint64_t steps_outside; /* one of the steps does not; */
  uint64_t both_inside;   /* neither. */
} quant_whole_counts_t;

typedef struct quant_step_run {
  verdict_t verdict;
  bool is_substituted; /* The executor gave no results: the plain model's went on. */
} quant_step_run_t;

typedef struct quant_run {
  tensor_t *tensors;       /* By tensor of the steps: what was stored there. */
  quant_step_run_t *steps; /* By step. */
  uint32_t outcomes[OUTCOME_COUNT];
  uint32_t substituted;
  quant_whole_counts_t whole;
  int32_t unfinished; /* Step that neither executor nor model ran, after which nothing was; or
                       * QUANT_NONE. */
} quant_run_t;

/* STATUS_INVALID means that Assay found itself wrong: every step conforms, and yet a result lies
 * outside the enclosure of conforming runs. */
status_t quant_run(const quant_run_request_t *request, arena_t *arena, quant_run_t *out_run,
                   failure_t *error);

/* What the plain model (schedule_plain(), in the operands' own type where the contract wants that)
 * makes of a step; the results live in the arena. */
status_t quant_model_step(const case_t *instance, const contract_t *contract, arena_t *arena,
                          tensor_t *out_results, failure_t *error);

/* Inputs of a graph: uniform over the range that their spec tells (calibrated or quantized), else
 * over [-1, 1]; now and then an end or 0, and where `goes_beyond` an eighth beyond, which is
 * clamped. */
tensor_t *quant_draw_inputs(rng_t *rng, const quant_graph_t *graph, bool goes_beyond,
                            arena_t *arena);

/* The largest difference between the outputs of two runs, of any forms, of one graph. */
double quant_run_difference(const quant_steps_t *a_steps, const quant_run_t *a,
                            const quant_steps_t *b_steps, const quant_run_t *b, uint32_t output);

#endif
