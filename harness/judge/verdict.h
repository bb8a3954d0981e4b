/* The verdict on one case: about the implementation under test, never about our program. */
#ifndef ASSAY_JUDGE_VERDICT_H
#define ASSAY_JUDGE_VERDICT_H

#include <stddef.h>
#include <stdint.h>

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

enum { VERDICT_TEXT_BYTES = 192 };

typedef struct verdict {
  outcome_t outcome;
  divergence_class_t class_; /* CLASS_none unless the outcome is diverges or failed. */
  uint32_t result;           /* The worst element: which result ... */
  size_t component;          /* ... and which component of it. */
  size_t wrong_count;        /* Components outside their accept set. */
  size_t component_count;    /* Components judged. */
  uint64_t got_bits;         /* Of the worst element, and of a second execution that differed. */
  double ulp_error_max;      /* Over all components with a finite reference, conforming or not. */
  double slack_max;
  double backward_error_max;
  char expected[VERDICT_TEXT_BYTES]; /* Of the worst element, in words. */
  char got[VERDICT_TEXT_BYTES];
  char observed[64];               /* What was seen among the permitted, as answer_t.observed. */
  char reason[VERDICT_TEXT_BYTES]; /* Of refused and failed: what the executor said. */
  char constraint[8];              /* The constraint that the program breaks on purpose, or "". */
} verdict_t;

const char *outcome_spelling(outcome_t outcome);
const char *class_spelling(divergence_class_t class_);

#endif
