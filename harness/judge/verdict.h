/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict on one case: about the implementation under test, never about our program. */
#ifndef ASSAY_JUDGE_VERDICT_H
#define ASSAY_JUDGE_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/model/contract.h"

/* Outcomes and classes: OUTCOME(NAME, "spelling", meaning); stored by spelling, never by number. */
typedef enum outcome {
#define OUTCOME(name, spelling, summary) OUTCOME_##name,
#include "harness/judge/outcomes.def"
#undef OUTCOME
  OUTCOME_COUNT
} outcome_t;

typedef enum divergence_class {
#define CLASS(name, spelling, summary) CLASS_##name,
#include "harness/judge/classes.def"
#undef CLASS
  CLASS_COUNT
} divergence_class_t;

enum {
  VERDICT_TEXT_BYTES = 192,
  VERDICT_ALGORITHMS_BYTES = 512,
  VERDICT_CAUSE_BYTES = 40,
  VERDICT_PATTERN_BYTES = 40,
  VERDICT_CONSTRAINT_BYTES = 24,
};

/* Of verdict_t.contract; stored in databases. */
#define VERDICT_WIDE "wide"
#define VERDICT_NOT_WIDE "not wide"

/* What the class and the observation of a divergence rest on: that the worst element conforms under
 * this contract.  Whether all others do is for who claims it to ask. */
typedef struct verdict_blame {
  bool is_there;
  contract_t contract;
  /* It has elementary functions err by more than anybody promises, which explains much: the class
   * stands only where it explains all elements; else it is this one, with what was seen then. */
  bool is_of_functions;
  divergence_class_t otherwise;
  char otherwise_observed[64];
} verdict_blame_t;

typedef struct verdict {
  outcome_t outcome;
  divergence_class_t class_; /* CLASS_none unless the outcome is diverges or failed. */
  uint32_t result;           /* The worst element: which result ... */
  size_t component;          /* ... and which component of it. */
  size_t wrong_count;        /* Components outside their accept set. */
  size_t component_count;    /* Components judged. */
  size_t untested_count;     /* Of these, those that nothing could have failed, and those ... */
  size_t left_out_count;     /* ... that were left to a sample of their result, ... */
  uint64_t sample_draws;     /* ... which so many draws chose, of several results the fewest. */
  size_t treeless_count;     /* Sums of few terms that no tree was sought or found for. */
  size_t rows_left_count;    /* Rows that were not asked about as a whole (`shared=once`). */
  uint64_t got_bits;         /* Of the worst element, and of a second execution that differed. */
  double ulp_error_max;      /* Over all components with a finite reference, conforming or not. */
  double slack_max;
  double backward_error_max;
  char expected[VERDICT_TEXT_BYTES]; /* Of the worst element, in words. */
  char got[VERDICT_TEXT_BYTES];
  char observed[VERDICT_ALGORITHMS_BYTES]; /* What was seen among the permitted, as
                                            * answer_t.observed, or what explains the divergence. */
  verdict_blame_t blame;
  /* How the kernel may have read the program, where that explains all elements: settings as of
   * op_t.readings; "" if no reading does, or if nobody asked. */
  char reading[VERDICT_TEXT_BYTES];
  /* Algorithms that could have given these results, "A|B"; "" if none, or if nobody asked. */
  char algorithms[VERDICT_ALGORITHMS_BYTES];
  bool has_algorithms; /* Somebody asked. */
  /* The same of a program that names none, to see what it gets for its precision_config; "A|B",
   * interned, "" if none; NULL if nobody asked. */
  const char *precision;
  /* Of an op with several formulas: the tightest one whose accept sets hold these results, "" if
   * none does; if somebody asked. */
  const char *formula;
  /* Of a conforming case that was held against contract `wide` too: VERDICT_WIDE or
   * VERDICT_NOT_WIDE; else NULL. */
  const char *contract;
  /* Of a divergence whose cause somebody looked for: its name (harness/diagnose/causes.def), "" if
   * it is unknown; that in words, with indices and with what would explain it as well; and which
   * elements are wrong, as harness/diagnose/wrong_pattern.h has it. */
  bool is_cause_sure; /* Nothing else would explain it. */
  char cause[VERDICT_CAUSE_BYTES];
  char cause_words[VERDICT_TEXT_BYTES];
  char pattern[VERDICT_PATTERN_BYTES];
  char reason[VERDICT_TEXT_BYTES]; /* Of refused and failed: what the executor said. */
  /* The constraint that the program breaks on purpose, or ""; never one that is not modelled. */
  char constraint[VERDICT_CONSTRAINT_BYTES];
} verdict_t;

/* Notes the algorithms that could have given the results.  Where the one that was asked for could
 * not, another that could explains a divergence of value that nothing observed explains yet: it
 * becomes class `algorithm`, with those that could as what was observed.  `is_named`: the program
 * names an algorithm; else only what nothing else explains is so explained.  In class
 * `unsupported-accepted` they are what was run, and the class stays. */
void verdict_note_algorithms(verdict_t *verdict, const char *algorithms, bool is_named);

/* Notes them, and that they explain nothing. */
void verdict_list_algorithms(verdict_t *verdict, const char *algorithms);

/* What the blame rests on does not explain all elements: the observation goes, and with it the
 * class where that stood and fell with it. */
void verdict_withdraw_blame(verdict_t *verdict);

const char *outcome_spelling(outcome_t outcome);

/* Whether the case was judged: held against something that it could have missed.  That is a
 * conforming or a diverging result and a failure; and of a program that breaks a constraint, that
 * it was rejected or accepted.  A refusal, a weak case and one without an oracle say nothing. */
bool outcome_is_judged(outcome_t outcome);
const char *class_spelling(divergence_class_t class_);

#endif
