/* SPDX-License-Identifier: Apache-2.0 */
/* What every question to an oracle is about, and what it is answered with: the things that travel
 * together through all functions of an oracle row (oracle.h) and their parts. */
#ifndef ASSAY_ORACLES_ORACLE_CALL_H
#define ASSAY_ORACLES_ORACLE_CALL_H

#include <glib.h>

#include "harness/model/case.h"
#include "harness/model/contract.h"
#include "oracles/exact/box/box.h"

/* What an oracle keeps from one component of a case to the next, in an arena of its own. */
typedef struct decision_memo {
  arena_t arena;
  void *entries; /* The oracle's; NULL at first. */
} decision_memo_t;

static inline void decision_memo_init(decision_memo_t *memo) {
  arena_init(&memo->arena);
  memo->entries = NULL;
}
static inline void decision_memo_deinit(decision_memo_t *memo) { arena_deinit(&memo->arena); }

/* A question about one case.  It owns nothing: all that it points to is the asker's, lives at least
 * until the function returns, and is used by one thread at a time.  An oracle that asks about
 * another case, or under another contract, makes a call of its own. */
typedef struct oracle_call {
  const case_t *instance;
  const contract_t *contract; /* simulate() has none: a model obeys a schedule. */
  const tensor_t *results;    /* All results of the executor; NULL to functions that read none. */
  size_t whole_count; /* Components of a result of the case that this is a part of; else 0. */
  const struct sample *sample; /* What need not be known exactly of large results (sample.h); NULL:
                                * nothing. */
  decision_memo_t *memo;       /* Shared by calls about this case; NULL: nothing is kept. */
  void **kept;   /* What accept() found that other functions would find again, in the arena of its
                  * sets, for calls that live no longer; NULL: nothing is kept. */
  GString *why;  /* If not NULL, decide() appends what makes a component conform, and looks for it:
                  * answer_t.is_unproven. */
  bool is_brief; /* Nobody reads answer_t.expected of what conforms: it may mean nothing there; nor
                  * which elements of a row contradict one another, but that some do. */
  bool is_any_way;    /* Nobody asks decide() by which formula a component conforms, or what else
                       * would: the loosest may be tried first, and answer_t.expected may mean
                       * nothing. */
  bool may_be_rough;  /* accept() may leave out what takes long of large results: accept_t.is_rough.
                       * Who finds a component outside such a set asks again without this. */
  bool is_unmeasured; /* Nobody reads how far from the exact value a component is. */
  arena_t *arena;     /* For what is returned, and for scratch. */
  failure_t *error;   /* Set if the function fails. */
} oracle_call_t;

/* The same question about another case and its results, of which nothing is known yet. */
static inline oracle_call_t oracle_call_about(const oracle_call_t *call, const case_t *instance,
                                              const tensor_t *results) {
  oracle_call_t other = *call;
  other.instance = instance;
  other.results = results;
  other.memo = NULL;
  other.kept = NULL;
  other.sample = NULL;
  other.may_be_rough = false; /* What is made of its sets wants them whole. */
  return other;
}

/* Components that share what one case may cost: all of the first result, of the whole case. */
static inline size_t oracle_call_components(const oracle_call_t *call) {
  if (call->whole_count != 0) return call->whole_count;
  return type_component_count(&call->instance->program.results[0]);
}

/* The same question about a part of the case: see oracles/derived. */
static inline oracle_call_t oracle_call_about_part(const oracle_call_t *call, const case_t *part,
                                                   const tensor_t *results) {
  oracle_call_t other = oracle_call_about(call, part, results);
  other.whole_count = oracle_call_components(call);
  return other;
}

/* A question about all cases of a program whose operands lie in boxes; it owns nothing either. */
typedef struct enclosure_call {
  const program_t *program;
  const contract_t *contract;   /* NULL: of exact real results. */
  const box_t *const *operands; /* For each operand a box for each element. */
  arena_t *arena;               /* For scratch. */
  failure_t *error;             /* Set if the function fails. */
  /* Each element is a number of its operand's type, the same wherever it is used; else it may be
   * another at each use, rounded or not. */
  bool are_stored;
  /* NULL, or for each result boxes that are the whole line: they become what kernels may have of
   * elements that they keep in wider formats, or unrounded, where the oracle knows that. */
  box_t *const *kept;
} enclosure_call_t;

#endif
