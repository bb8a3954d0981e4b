/* SPDX-License-Identifier: Apache-2.0 */
/* Why is a result wrong?  A solver that tests hypotheses (causes.def) about the wrong components of
 * a result and names the one that explains them, with its index.
 *
 * A hypothesis changes the case: a term left out, an operand rounded, a neighbouring row read.  It
 * explains a component if the oracle's accept set of the changed case holds the bits that came and
 * not those that a right implementation gives.  It must explain every wrong component examined, and
 * the right ones examined must stay right under it.  How much it says is counted in bits: the
 * distance between the right value and the one that came, in steps of the type, over the width of
 * the changed accept set; the sum over wrong components, less the logarithm of how many hypotheses
 * of its kind were tried, must reach CAUSE_BITS_MIN.  So a chance coincidence of few-valued types
 * names nothing, and "unknown" is an answer.
 *
 * Everything is counted, nothing timed: the same case and results give the same cause. */
#ifndef ASSAY_DIAGNOSE_CAUSE_H
#define ASSAY_DIAGNOSE_CAUSE_H

#include <glib.h>

#include "harness/run/case_runner.h"

typedef enum cause_id {
#define CAUSE(name, spelling, words) CAUSE_##name,
#include "harness/diagnose/causes.def"
#undef CAUSE
  CAUSE_COUNT
} cause_id_t;

enum {
  CAUSE_BITS_MIN = 14,      /* Of evidence for a name: about one chance coincidence in 16,000. */
  CAUSE_BITS_TOGETHER = 20, /* Where several cases add up, each with so many at most as above. */
  CAUSE_BITS_TELLING = 44,
  CAUSE_BITS_AGAIN = 1,
  CAUSE_BITS_UNWRITTEN = 2, /* That what was never written lies together: see T263. */
  /* Cases of one executor and op that a change explains before it is named, and how many more for
   * each that it does not explain. */
  CAUSE_CASES_TOGETHER = 5,
  CAUSE_CASES_TELLING = 4, /* The same with CAUSE_BITS_TELLING. */
  CAUSE_CASES_FOR_MISS = 8,
  /* Or so many that tell so much each, where it explains all (theory.md, T268). */
  CAUSE_CASES_STRONG = 2,
  CAUSE_BITS_STRONG = 30,
  /* All changes are tried for so many cases, and after that those alone that explain all of them
   * but one: what no change explains must not take the time of a run.  Where none is left, all are
   * tried again once twice as many cases came, and no earlier than so many. */
  CAUSE_CHANGES_FIRST = 3,
  CAUSE_CHANGES_AGAIN = 8,
  CAUSE_BITS_PLACE = 12,        /* That one of two zeros is taken by its place: three components. */
  CAUSE_ASKS_MAX = 500,         /* Questions to the oracle for one case, ... */
  CAUSE_CHANGE_ASKS_MAX = 1000, /* ... and again for its changes. */
};

const char *cause_spelling(cause_id_t cause);

/* What a fast set knows of a component (accept_t): NaN where it does not. */
typedef struct cause_reference {
  double reference;
  double tail;
  bool has_magnitude; /* The set has magnitudes, and this is the component's. */
  double magnitude;
} cause_reference_t;

cause_reference_t cause_reference_of(const accept_t *accept, size_t component);

/* What a session's cases of one executor and op said of changes (change/change.h) that no case by
 * itself establishes. */
typedef struct cause_support {
  uint32_t asked;   /* Cases that came. */
  uint32_t looked;  /* Those that were looked into since all changes were tried last. */
  uint32_t starts;  /* How often all were tried again: none of them then explained all cases. */
  GHashTable *keys; /* Keys of changes to how many of these each explains, with what evidence. */
} cause_support_t;

void cause_support_init(cause_support_t *out_support);
void cause_support_deinit(cause_support_t *support);

/* Cases of one kind of divergence that are too small to tell by themselves that subnormal numbers
 * are taken for zero: those that are as if they were, and those that are not. */
typedef struct cause_flushing {
  uint32_t cases; /* Of several of one program in a row one. */
  uint32_t misses;
  unsigned program;                   /* Of the last one. */
  bool keeps_results, keeps_operands; /* A case shows it of small normal numbers (T283). */
} cause_flushing_t;

typedef struct cause_question {
  const oracle_t *oracle;
  const contract_t *contract;
  const case_t *instance;
  const accept_t *accepts; /* What the oracle's accept() gave, one per result; NULL where that is
                            * too large: then find_reference() is asked, with its context. */
  cause_reference_t (*find_reference)(const void *context, uint32_t result, size_t component);
  const void *reference_context;
  const evidence_t *evidence;
  uint64_t *nanoseconds; /* Time spent is added to it, if it is not NULL. */
  /* Causes known of this executor and op, by cause_id_t, each with the cases that it was sure in,
   * or NULL.  The most frequent one is preferred to all others that explain as well, is then sure,
   * and needs but CAUSE_BITS_AGAIN. */
  const uint32_t *established;
  /* Added to, or NULL: of a case by itself.  A change is sure once it explains
   * CAUSE_CASES_TOGETHER cases, and CAUSE_CASES_FOR_MISS more for each that it does not, to
   * CAUSE_BITS_TOGETHER, and more of them than any other that explains the present one. */
  cause_support_t *support;
  const cause_support_t *known; /* Or NULL: of such cases, read alone, in the place of `support`. */
  const cause_support_t *kin;   /* Or NULL: of other classes.  What is sure there, and explains the
                                 * case, is sure here. */
  cause_flushing_t *flushing;   /* Added to, or NULL: the same. */
} cause_question_t;

/* The question about the case that `walk` judged last. */
cause_question_t cause_decide(case_runner_t *walk, const case_t *instance,
                              const expectation_t *expectation);

/* Whether a cause is looked for: the outcome is `diverges`, of a class that is about values. */
bool cause_is_sought(const verdict_t *verdict);

/* All that explains a divergence of the case that `walk` judged last: readings and whether its
 * class explains all (reading.h), and cause_find() where a cause is looked for. */
status_t cause_explain(case_runner_t *walk, const expectation_t *expectation, arena_t *arena,
                       verdict_t *inout_verdict, failure_t *error);

/* Whether a change is established by what `known` or `kin` has. */
bool cause_has_known_change(const cause_question_t *question);

/* Gives the verdict a cause if a change that `known` or `kin` establishes explains it. */
status_t cause_find_known(const cause_question_t *question, arena_t *arena,
                          verdict_t *inout_verdict, failure_t *error);

/* Fills in the verdict's cause, cause_words, pattern and whether it is sure; `arena` is left as it
 * was.  STATUS_OK or what the oracle failed with. */
status_t cause_find(const cause_question_t *question, arena_t *arena, verdict_t *inout_verdict,
                    failure_t *error);

#endif
