/* SPDX-License-Identifier: Apache-2.0 */
/* The problems of which a case consists, for the solver of causes: one result component as a case
 * of its own, and changes of it.  Private to harness/run/cause*. */
#ifndef ASSAY_DIAGNOSE_PROBLEM_H
#define ASSAY_DIAGNOSE_PROBLEM_H

#include "harness/diagnose/cause.h"
#include "harness/model/fault.h"

enum {
  CAUSE_WRONG_MAX = 8, /* Components examined of each kind. */
  CAUSE_RIGHT_MAX = 6,
  CAUSE_WHOLE_MAX = 3,   /* The same where each takes a whole case, ... */
  CAUSE_CHANGE_MAX = 12, /* ... and where changes of the case are tested, which share it. */
  /* What a cause must explain, once it is chosen: all that is wrong, up to so many components. */
  CAUSE_ALL_WRONG_MAX = 256,
  CAUSE_ALL_RIGHT_MAX = 32,
  CAUSE_ALL_WHOLE_MAX = 32,
  CAUSE_ALL_CHANGE_MAX = 64,
  CAUSE_ALL_ASKS_MAX = 2000,
};

/* A case and the component of it that is asked about. */
typedef struct problem {
  case_t instance;
  uint32_t result;
  size_t component;
  tensor_t results[CASE_RESULTS_MAX]; /* As the executor gave them, in the solver's arena: a value
                                       * that is asked about stands there meanwhile. */
} problem_t;

/* A component of the results that is looked at. */
typedef struct examined {
  problem_t problem;
  const element_t *element;
  size_t component;         /* In the case that was run. */
  size_t indices[AXES_MAX]; /* Along the axes, terms excepted. */
  uint64_t got;
  uint64_t right; /* What a plain implementation gives, if has_right. */
  bool has_right;
} examined_t;

/* Which changes of the whole case (change/change.h) are tested. */
typedef enum change_scope {
  CHANGES_ALL,
  CHANGES_CANDIDATES, /* Those that explain the cases before. */
  CHANGES_NONE,
} change_scope_t;

typedef struct solver {
  const cause_question_t *question;
  const verdict_t *verdict;
  arena_t *arena;
  axes_t axes;
  bool is_quantized; /* A type is; then nothing is known of terms. */
  bool is_split;     /* Each problem has the operands of its component alone; else all of them. */
  int term_axis;     /* The axis along which a problem has its terms; -1: none. */
  size_t term_count;
  unsigned operands_with_terms; /* A bit mask. */
  examined_t *wrong;            /* In the arena, as all else. */
  size_t wrong_count;
  examined_t *right;
  size_t right_count;
  bool tests_established; /* Of the hypotheses only those about causes that are established. */
  cause_id_t only;        /* And of these but this one; CAUSE_COUNT: all. */
  /* Where no element is a problem of its own: the result that a plain implementation gives, or NULL
   * if that is not known. */
  const tensor_t *plain;
  tensor_t results[CASE_RESULTS_MAX]; /* There, too: a copy of the results that came. */
  const char *only_key;   /* Of changes of the case but the one with this key; NULL: all. */
  change_scope_t changes; /* Which of them are tested. */
  unsigned asks;
  unsigned asks_max;
  status_t status; /* Not STATUS_OK: the oracle failed, and nothing more is asked. */
  failure_t failure;
} solver_t;

/* False if the case is of a kind that the solver knows nothing of. */
bool solver_init(solver_t *out_solver, const cause_question_t *question, const verdict_t *verdict,
                 arena_t *arena);

/* The same for one cause, with all that is wrong (CAUSE_ALL_WRONG_MAX). */
bool solver_init_all(solver_t *out_solver, const cause_question_t *question,
                     const verdict_t *verdict, cause_id_t only, arena_t *arena);

/* The same for changes of the case, which each take a whole one: with CAUSE_CHANGE_MAX components
 * of each kind, or with CAUSE_ALL_CHANGE_MAX. */
bool solver_init_whole(solver_t *out_solver, const solver_t *like, bool has_all);

/* Makes a component of the result one that is examined; false if there is no telling. */
bool solver_examine(solver_t *solver, size_t component, examined_t *out_examined);

/* Whether the case has no more that is wrong, or right, than is examined. */
bool solver_has_all(const solver_t *solver);

/* What the fast set knows of a component of the result that the verdict is about. */
cause_reference_t solver_reference(const solver_t *solver, size_t component);

/* Whether hypotheses about that cause are to be tested now. */
bool solver_tests(const solver_t *solver, cause_id_t cause);

/* Whether the cause is known of the op: of what is flushed, too, if that something is. */
bool solver_has_established(const cause_question_t *question, cause_id_t cause);

/* Whether the op takes the larger or the smaller of numbers. */
bool solver_selects(const solver_t *solver);

/* Whether the same value came for a wrong component examined before: then it tells nothing new. */
bool solver_has_seen(const solver_t *solver, const examined_t *examined);

/* Whether all that is examined is of one type. */
bool solver_has_one_type(const solver_t *solver);

/* Whether there are wrong components of several values. */
bool solver_has_several(const solver_t *solver);

/* What the operands of a problem are read from, instead of where they are. */
typedef struct misread {
  axis_role_t role;
  int step;          /* -1, 1: the neighbour along that role; 0: where they are. */
  unsigned operands; /* Of these operands, a bit mask. */
  bool transposes;   /* The last two dimensions of operand 1 are swapped. */
} misread_t;

/* The problem of an examined component with its operands misread; false if there is no telling. */
bool problem_misread(solver_t *solver, const examined_t *examined, const misread_t *misread,
                     problem_t *out_problem);

/* The problem with these of its terms, in that order; a term may come several times. */
bool problem_select(solver_t *solver, const problem_t *problem, const size_t *terms, size_t count,
                    problem_t *out_problem);

/* Changes a pattern of operand `operand`; `component` is its number in the operand. */
typedef uint64_t (*value_map_t)(const void *context, const program_t *program, uint32_t operand,
                                size_t component, uint64_t bits);

/* The problem with all operands mapped. */
problem_t problem_map(solver_t *solver, const problem_t *problem, value_map_t map,
                      const void *context);

/* Asks the oracle whether `bits` conform in the problem.  False too if it does not know, or was
 * asked often enough. */
bool problem_holds(solver_t *solver, const problem_t *problem, uint64_t bits, answer_t *out_answer);

/* The same under another contract than the question's. */
bool problem_holds_under(solver_t *solver, const contract_t *contract, const problem_t *problem,
                         uint64_t bits, answer_t *out_answer);

/* What a concrete implementation gives for a case, in the solver's arena; false if it cannot. */
bool case_simulate(solver_t *solver, const case_t *instance, fault_t fault,
                   tensor_t out_results[CASE_RESULTS_MAX]);

/* What a concrete implementation gives for the problem; false if it cannot. */
bool problem_simulate(solver_t *solver, const problem_t *problem, fault_t fault,
                      uint64_t *out_bits);

/* Bits of evidence in that pattern `got` of the examined component lies in the accept set that
 * `answer` is about, see cause.h. */
double evidence_bits(const examined_t *examined, const answer_t *answer);

#endif
