/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a written body on two tuples of sets.  A comparison that they leave open is taken both ways,
 * so that what was selected together stays together. */
#include "oracles/ops/reduce/written/values.h"

/* Four comparisons are left open at the most. */
enum { OPEN_MAX = 4 };

typedef struct run {
  const written_problem_t *problem;
  const written_tuple_t *arguments[2];
  written_value_t steps[BODY_STEPS_MAX];
  bool is_joined;
  uint32_t script; /* What the first open comparisons are taken for, a bit each. */
  uint32_t open;   /* How many there were. */
} run_t;

static const written_value_t *value_of(const run_t *run, body_value_t value) {
  if (value.place == BODY_STEP) return &run->steps[value.number];
  return &run->arguments[value.place]->values[value.number];
}

static const element_t *type_of(const written_problem_t *problem, body_value_t value) {
  return value.place == BODY_STEP ? problem->steps[value.number] : problem->arguments[value.number];
}

static written_value_t compare(run_t *run, const body_step_t *step) {
  body_value_t a = step->operands[0], b = step->operands[1];
  bool is_same = a.place == b.place && a.number == b.number;
  unsigned may = written_compare(step->op, type_of(run->problem, a), value_of(run, a),
                                 value_of(run, b), is_same);
  if (may != (WRITTEN_FALSE | WRITTEN_TRUE)) return written_value_pattern(may == WRITTEN_TRUE);
  if (run->is_joined) return (written_value_t){.count = 2, .patterns = {0, 1}};
  return written_value_pattern(run->script >> run->open++ & 1);
}

static written_value_t select_value(run_t *run, const body_step_t *step) {
  const written_value_t *predicate = value_of(run, step->operands[0]);
  const written_value_t *yes = value_of(run, step->operands[1]);
  const written_value_t *no = value_of(run, step->operands[2]);
  bool is_open = predicate->count != 1;
  if (is_open) return written_value_unite(run->problem, yes, no);
  return predicate->patterns[0] != 0 ? *yes : *no;
}

static bool run_steps(run_t *run, written_tuple_t *out_tuple) {
  const body_t *body = run->problem->body;
  run->open = 0;
  for (uint32_t i = 0; i < body->step_count; i++) {
    const body_step_t *step = &body->steps[i];
    const body_op_row_t *row = &body_op_table[step->op];
    if (row->types == BODY_COMPARISON) {
      run->steps[i] = compare(run, step);
      if (run->open > OPEN_MAX) return false;
    } else if (row->types == BODY_SELECTION) {
      run->steps[i] = select_value(run, step);
    } else {
      written_value_t operands[BODY_OPERANDS_MAX];
      for (uint32_t k = 0; k < row->operands; k++) operands[k] = *value_of(run, step->operands[k]);
      run->steps[i] = written_step(run->problem, i, operands);
    }
  }
  for (uint32_t i = 0; i < body->result_count; i++) {
    out_tuple->values[i] = *value_of(run, body->results[i]);
  }
  return true;
}

size_t written_evaluate(written_problem_t *problem, const written_tuple_t *left,
                        const written_tuple_t *right, bool is_joined,
                        written_tuple_t out_tuples[WRITTEN_PATHS_MAX]) {
  run_t run = {.problem = problem, .arguments = {left, right}, .is_joined = is_joined};
  size_t count = 0;
  problem->evaluations++;
  for (;;) {
    if (!run_steps(&run, &out_tuples[count])) {
      run.is_joined = true;
      run_steps(&run, &out_tuples[0]);
      return 1;
    }
    count++;
    uint32_t open = run.open; /* The next script: the last choice that was "no" becomes "yes". */
    while (open > 0 && (run.script >> (open - 1) & 1) != 0) run.script &= ~(1u << --open);
    if (open == 0) return count;
    run.script |= 1u << (open - 1);
  }
}
