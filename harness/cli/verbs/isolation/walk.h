/* SPDX-License-Identifier: Apache-2.0 */
/* The walk through the steps of a module, in its order: what its parts share. */
#ifndef ASSAY_CLI_VERBS_ISOLATION_WALK_H
#define ASSAY_CLI_VERBS_ISOLATION_WALK_H

#include <jansson.h>

#include "harness/base/rng.h"
#include "harness/cli/verbs/isolation/lone_ops.h"
#include "harness/cli/verbs/isolation/steps.h"
#include "harness/exec/mlir_import/importer.h"
#include "harness/run/case_runner.h"

typedef struct walk {
  mlir_importer_t *importer;
  executor_t *executor;
  executor_t *reference; /* Or NULL. */
  executor_t *model;     /* Conforms. */
  const lone_ops_t *lone_ops;
  case_runner_t runner;
  arena_t arena;     /* Of the present op. */
  GPtrArray *values; /* By number: digits, or NULL of what could not be computed; owned. */
  GPtrArray *steps;  /* isolated_step_t, of the isolation that is made. */
  rng_t rng;
  GString *where;         /* The iterations of the loops around. */
  bool is_silent;         /* Values are wanted, and nothing is judged nor listed. */
  bool has_failed;        /* The executor has, in silence. */
  size_t iterations_left; /* Until a loop is given up. */
} walk_t;

/* ---- Values: values.c ------------------------------------------------------------------------ */

/* Borrowed, until the value is set again; NULL of what could not be computed. */
const char *walk_value(const walk_t *walk, const json_t *number);
void walk_set_value(walk_t *walk, const json_t *number, const char *digits);
bool walk_has_values(const walk_t *walk, const json_t *numbers);

/* The data of as many operands as the case has. */
bool walk_read_operands(walk_t *walk, const json_t *numbers, case_t *inout_case);
void walk_set_results(walk_t *walk, const json_t *numbers, const program_t *program,
                      const tensor_t *results);

/* Has the interpreter run the step, whose operands are there, as a whole; what it does not run is
 * ISOLATED_NOT_RUN from then on. */
status_t walk_interpret(walk_t *walk, const json_t *said, isolated_step_t *step, failure_t *error);

/* ---- One op without bodies: one_op.c --------------------------------------------------------- */

status_t walk_op(walk_t *walk, const json_t *said, isolated_step_t *step, failure_t *error);

/* ---- Loops and choices: bodies.c ------------------------------------------------------------- */

status_t walk_bodies(walk_t *walk, const json_t *said, isolated_step_t *step, failure_t *error);

/* ---- All steps of a function or a body: isolation.c ------------------------------------------ */

status_t walk_steps(walk_t *walk, const json_t *steps, failure_t *error);

#endif
