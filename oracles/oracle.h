/* What only the oracle knows of an op: one row per op, in oracles/ops/FOLDER/FOLDER_oracle.c, found
 * by folder like the op rows: each such file defines `const oracle_t *const FOLDER_oracles[]`. */
#ifndef ASSAY_ORACLES_ORACLE_H
#define ASSAY_ORACLES_ORACLE_H

#include "harness/model/accept.h"
#include "harness/model/op.h"
#include "harness/model/schedule.h"
#include "oracles/exact/box.h"

/* See oracles/composite.h. */
typedef struct composite composite_t;
/* See oracles/gathered.h. */
typedef struct gathering gathering_t;

/* What an oracle keeps from one component of a case to the next, in an arena of its own. */
typedef struct ask_memo {
  arena_t arena;
  void *entries; /* The oracle's; NULL at first. */
} ask_memo_t;

static inline void ask_memo_init(ask_memo_t *memo) {
  arena_init(&memo->arena);
  memo->entries = NULL;
}
static inline void ask_memo_deinit(ask_memo_t *memo) { arena_deinit(&memo->arena); }

typedef struct oracle {
  const char *op_name;
  const composite_t *composite; /* Of ops that are a formula; else NULL. */
  const gathering_t *gathering; /* Of ops that are another op on gathered operands; else NULL. */

  /* The quick accept sets of all results (see accept.h for what they promise), in the arena.
   * STATUS_UNSUPPORTED if nobody knows what this program means (f8E8M0FNU sums, say). */
  status_t (*accept)(const case_t *instance, const contract_t *contract, arena_t *arena,
                     accept_t out_accepts[CASE_RESULTS_MAX], failure_t *error);

  /* The last word on one component; `results` are all results of the executor.  Computed with MPFR
   * or exact integers.  Allocates scratch in `arena`, which the caller may rewind. */
  status_t (*ask)(const case_t *instance, const contract_t *contract, uint32_t result,
                  size_t component, const tensor_t *results, arena_t *arena, answer_t *out_answer,
                  failure_t *error);

  /* The same for many components of one case, under whatever contracts, that share a memo; NULL if
   * they have nothing to share. */
  status_t (*ask_remembering)(const case_t *instance, const contract_t *contract, uint32_t result,
                              size_t component, const tensor_t *results, ask_memo_t *memo,
                              arena_t *arena, answer_t *out_answer, failure_t *error);

  /* Recomputes with MPFR what accept() said of one component; STATUS_INVALID, with all numbers in
   * the message, if they disagree: a bug in Assay. */
  status_t (*audit)(const case_t *instance, const contract_t *contract, const accept_t *accepts,
                    uint32_t result, size_t component, arena_t *arena, failure_t *error);

  /* The bits that one concrete implementation returns.  `results` are allocated and poisoned by the
   * caller; FAULT_unwritten_tail leaves the poison. */
  status_t (*simulate)(const case_t *instance, const schedule_t *schedule, arena_t *arena,
                       tensor_t *inout_results, failure_t *error);

  /* Of an op whose programs may name an algorithm: whether this one does; and the algorithms that
   * could have given these results, under the contract, in the op's own order and joined by '|':
   * each accept set holds every component.  STATUS_UNSUPPORTED if the program has no algorithms.
   * And whether an algorithm has that name, which models may run; and the contract that permits all
   * that implementations of an algorithm are known to do.  All four may be NULL. */
  bool (*names_algorithm)(const program_t *program);
  bool (*knows_algorithm)(str_t name);
  void (*loosen_algorithms)(contract_t *inout_contract);
  status_t (*consistent)(const case_t *instance, const contract_t *contract,
                         const tensor_t *results, arena_t *arena, GString *out_names,
                         failure_t *error);

  /* Of an op with several formulas (op_t.formulas): the first of them whose accept sets hold every
   * component of these results, whether the contract permits it or not, as a value of that
   * permission; *out_found is false if none does.  `accepts` are what accept() gave for the case,
   * or NULL.  STATUS_UNSUPPORTED if this program is not computed by them; the function is NULL if
   * the op has no formulas. */
  status_t (*find_formula)(const case_t *instance, const contract_t *contract,
                           const accept_t *accepts, const tensor_t *results, arena_t *arena,
                           uint8_t *out_formula, bool *out_found, failure_t *error);

  /* Encloses results: whatever numbers the elements of the operands are within their boxes, what a
   * conforming implementation may return lies in out_results (the caller's, one box for each
   * element of each result); without a contract, the exact real results of the formula do, which is
   * what a program means before anything is rounded.  STATUS_UNSUPPORTED where nobody knows; NULL
   * if the op is never enclosed. */
  status_t (*enclose)(const program_t *program, const contract_t *contract,
                      const box_t *const operands[CASE_OPERANDS_MAX], arena_t *arena,
                      box_t *const out_results[CASE_RESULTS_MAX], failure_t *error);
} oracle_t;

/* The row for an op; NULL if it has none. */
const oracle_t *oracle_find(const op_t *op);

#endif
