/* SPDX-License-Identifier: Apache-2.0 */
/* What steers `assay fuzz`: proposes cases and learns from their verdicts.  Knows no executor and
 * no libFuzzer; whoever has a way to get verdicts can drive it.
 *
 * Executors are black boxes, so all that is known of a case is its program and what the judge says:
 * - *novelty*: which (op, types, algorithm) had which outcome, class, error and slack (novelty.h);
 * - *climbing*: by niche, the conforming case with the largest slack, edited on and on (climber.h);
 * - *time* is shared among the ops by what they yield, with a floor for each (scheduler.h); where
 *   compiling is dear a first pass tries each kind of program of each op once (first_pass.h).
 *
 * It has no clock and no randomness of its own: the same calls give the same proposals. */
#ifndef ASSAY_SEARCH_SEARCH_H
#define ASSAY_SEARCH_SEARCH_H

#include "harness/gen/gen.h"
#include "harness/judge/verdict.h"
#include "harness/search/novelty.h"

typedef struct search search_t;
struct niche;

typedef struct search_options {
  const op_t *const *ops; /* Borrowed; at least one. */
  size_t op_count;
  gen_options_t gen;
  bool compiling_is_dear; /* Programs change rarely: for worker processes. */
  bool is_blind;          /* Learns nothing and only draws: what the rest is measured against. */
  bool never_climbs;      /* Likewise without climbing. */
} search_options_t;

/* How a case was made. */
typedef enum search_move_kind {
  SEARCH_MOVE_given,  /* By somebody else, for example out of a corpus. */
  SEARCH_MOVE_draw,   /* A new program with new data. */
  SEARCH_MOVE_redraw, /* New data for the program of a niche. */
  SEARCH_MOVE_climb,  /* The case of a niche, edited. */
  SEARCH_MOVE_mutate, /* The hint, mutated. */
  SEARCH_MOVE_KIND_COUNT
} search_move_kind_t;

enum { SEARCH_EDITS_MAX = 6 };

typedef struct search_move {
  search_move_kind_t kind;
  struct niche *niche; /* Of redrawn and climbing cases. */
  gen_edit_t edits[SEARCH_EDITS_MAX];
  uint32_t edit_count;
  gen_place_t place; /* Of the edits. */
} search_move_t;

typedef struct search_proposal {
  case_t instance;
  const op_constraint_t *broken; /* The constraint that the program breaks on purpose, or NULL. */
  search_move_t move;            /* Zero for a case that the search did not propose. */
} search_proposal_t;

/* Copies the options. */
search_t *search_new(const search_options_t *options);
void search_free(search_t *search);

/* Proposes a case, in `arena`: a mutant of `hint`, a valid case, if that is not NULL. */
void search_propose(search_t *search, rng_t *rng, arena_t *arena, const case_t *hint,
                    search_proposal_t *out_proposal);

/* What came of a case. */
typedef struct search_outcome {
  const verdict_t *verdicts; /* One for each executor. */
  size_t verdict_count;
  uint64_t cost; /* What it took, in any unit: nanoseconds share time, 1 shares cases. */
  bool is_new_finding;
} search_outcome_t;

void search_learn(search_t *search, const search_proposal_t *proposal,
                  const search_outcome_t *outcome);

/* Of a case that nobody was asked about, since all would refuse its program. */
void search_pass_over(search_t *search);

/* The features of the case learnt last, for a fuzzer's counters; valid until the next one. */
const novelty_mark_t *search_marks(const search_t *search, size_t *out_count);

/* For tests and reports: what an op cost, distinct features seen, and the largest slack of a
 * conforming case of an op. */
uint64_t search_op_cost(const search_t *search, size_t op);
size_t search_feature_count(const search_t *search);
double search_slack_max(const search_t *search, size_t op);

#endif
