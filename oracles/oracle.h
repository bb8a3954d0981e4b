/* SPDX-License-Identifier: Apache-2.0 */
/* What only the oracle knows of an op: one row per op, in oracles/ops/FAMILY/oracle.c, found by
 * folder like the op rows: each such file defines `const oracle_t *const FAMILY_oracles[]`. */
#ifndef ASSAY_ORACLES_ORACLE_H
#define ASSAY_ORACLES_ORACLE_H

#include "harness/model/accept.h"
#include "harness/model/implementation_model.h"
#include "harness/model/op.h"
#include "oracles/accepted_ranges.h"
#include "oracles/oracle_call.h"

/* See oracles/composite/composite.h. */
typedef struct composite composite_t;
/* See oracles/gathered.h. */
typedef struct gathering gathering_t;

/* See oracle_t.ask and oracle_t.simulate. */
typedef status_t oracle_decide_t(const oracle_call_t *call, uint32_t result, size_t component,
                                 answer_t *out_answer);
typedef status_t oracle_simulate_t(const oracle_call_t *call,
                                   const implementation_model_t *schedule, tensor_t *inout_results);

/* `count` components from `first` on. */
typedef struct component_span {
  size_t first, count;
} component_span_t;

/* Elements that a row_answer_t names. */
enum { ROW_ANSWER_ELEMENTS_MAX = 32 };

/* Whether the rows of a case agree: see oracle_t.explain_rows. */
typedef struct row_answer {
  bool agrees;     /* If not, of the first row that no numbers explain: */
  uint32_t result; /* an element that contradicts others, */
  size_t component;
  size_t elements[ROW_ANSWER_ELEMENTS_MAX]; /* which come behind it here, */
  size_t element_count;
  char expected[160]; /* and in words which. */
  size_t rows_left;   /* Rows that were not asked about, for what that takes. */
} row_answer_t;

/* Writes `expected`, of the elements as they are numbered. */
void row_answer_describe(row_answer_t *inout_answer);

typedef struct oracle {
  const char *op_name;
  const composite_t *composite; /* Of ops that are a formula; else NULL. */
  const gathering_t *gathering; /* Of ops that are another op on gathered operands; else NULL. */
  bool has_joint_results; /* decide() looks at other results than the one it is asked about. */
  bool remembers_results; /* decide() keeps in the memo what it found in the results: calls about
                           * others must not share it. */

  /* The fast accept sets of all results (see accept.h for what they promise), in the arena.
   * STATUS_UNSUPPORTED if nobody knows what this program means (f8E8M0FNU sums, say). */
  status_t (*accept)(const oracle_call_t *call, accept_t out_accepts[CASE_RESULTS_MAX]);

  /* The last word on one component of the call's results.  Computed with MPFR or exact integers.
   * Allocates scratch in the arena, which the caller may rewind.  Calls about many components of
   * one case, under whatever contracts, may share a memo, and about other results of it, too, but
   * for remembers_results. */
  oracle_decide_t *decide;

  /* All that decide() accepts of `count` components from `first` on of a result of floats, where
   * that is known without asking about patterns (theory.md, T290).  NULL: never.  Reads no results,
   * and has a memo.  What is found once for all of them costs as much for one: ask about many. */
  status_t (*ranges)(const oracle_call_t *call, uint32_t result, component_span_t span,
                     accepted_ranges_t *out_ranges);

  /* Recomputes with MPFR what accept() said of one component; STATUS_INVALID, with all numbers in
   * the message, if they disagree: a bug in Assay. */
  status_t (*audit)(const oracle_call_t *call, const accept_t *accepts, uint32_t result,
                    size_t component);

  /* The components of a result that decide() and audit() answer by the work of one of them, if
   * their calls share a memo: those of a row, say.  Lists them in the arena, `component` among
   * them, and returns how many.  NULL: each is work of its own. */
  size_t (*siblings)(const oracle_call_t *call, uint32_t result, size_t component,
                     const size_t **out_components);

  /* The bits that one concrete implementation returns.  The results are allocated and poisoned by
   * the caller; FAULT_unwritten_tail leaves the poison. */
  oracle_simulate_t *simulate;

  /* Of an op whose programs may name an algorithm: whether this one does; and the algorithms that
   * could have given the call's results, under the contract, in the op's own order and joined by
   * '|': each accept set holds every component.  STATUS_UNSUPPORTED if the program has no
   * algorithms.  And whether a program that names none says by its precision_config which it wants
   * (DEFAULT where it has none); whether an algorithm has that name, which models may run; and the
   * contract that permits all that implementations of an algorithm are known to do.  All five may
   * be NULL. */
  bool (*names_algorithm)(const program_t *program);
  bool (*takes_precision)(const program_t *program);
  bool (*knows_algorithm)(str_t name);
  void (*loosen_algorithms)(contract_t *inout_contract);
  status_t (*consistent)(const oracle_call_t *call, GString *out_names);

  /* Of an op with several formulas (op_t.formulas): the first of them whose accept sets hold every
   * component of the call's results, whether the contract permits it or not, as a value of that
   * permission; *out_found is false if none does.  `accepts` are what accept() gave for the case,
   * or NULL.  STATUS_UNSUPPORTED if this program is not computed by them; the function is NULL if
   * the op has no formulas. */
  status_t (*find_formula)(const oracle_call_t *call, const accept_t *accepts, uint8_t *out_formula,
                           bool *out_found);
  bool has_dear_formula; /* It takes as long as the verdict, or longer. */

  /* Of an op whose elements share numbers by rows, such as the sum of a softmax: whether for each
   * row some values of these numbers explain all of its elements, of the call's results, by one of
   * the formulas that the contract permits.  Asked where each component conforms by itself.  A row
   * of which that cannot be told counts as explained.  NULL if elements share nothing. */
  status_t (*explain_rows)(const oracle_call_t *call, row_answer_t *out_answer);

  /* Encloses results: whatever numbers the elements of the operands are within their boxes, what a
   * conforming implementation may return lies in out_results (the caller's, one box for each
   * element of each result); without a contract, the exact real results of the formula do, which is
   * what a program means before anything is rounded.  STATUS_UNSUPPORTED where nobody knows; NULL
   * if the op is never enclosed. */
  status_t (*enclose)(const enclosure_call_t *call, box_t *const out_results[CASE_RESULTS_MAX]);
} oracle_t;

/* Asks with a memo of this one question where the call has none: for answers that need one. */
status_t oracle_decide_with_memo(oracle_decide_t *decide, const oracle_call_t *call,
                                 uint32_t result, size_t component, answer_t *out_answer);

/* The row for an op; NULL if it has none. */
const oracle_t *oracle_find(const op_t *op);

#endif
