/* SPDX-License-Identifier: Apache-2.0 */
/* Judges a large case by its parts (harness/model/cut/cut.h), with several threads if that is
 * wanted: all its blocks, or units that somebody chose.  What is found is the same however many
 * threads there are: parts are added in order. */
#ifndef ASSAY_RUN_PARTS_PARTS_H
#define ASSAY_RUN_PARTS_PARTS_H

#include "harness/model/cut/cut.h"
#include "harness/run/parts/judge_part.h"

typedef struct parts_question {
  cut_subject_t subject;
  const cut_t *cut; /* Of the subject's program. */
  const contract_t *contract;
  const size_t *units; /* NULL: all blocks; else so many units, ascending, ... */
  size_t unit_count;
  size_t part_units;   /* ... of which a part has so many. */
  uint32_t threads;    /* 0 counts as 1: that which asks. */
  bool judges_all;     /* Whatever needs exact arithmetic: see case_runner_t. */
  uint64_t seed;       /* Of samples of blocks. */
  bool stops_at_wrong; /* Asked is only whether all conform: parts behind one that is wrong are
                        * left. */
  bool decides_all; /* Of elements outside the fast sets; else, once some have been decided in each
                     * of some parts, and were wrong, all others count as wrong. */
  /* Told how much is done, 0 to 1, by the thread that asked; false: give up, with STATUS_IO. */
  bool (*tell)(void *context, double done);
  void *tell_context;
} parts_question_t;

/* Whether nothing that other parts tell counts. */
static inline bool parts_settle(const parts_question_t *question, const judge_tally_t *tally) {
  return tally->lacks_oracle || (question->stops_at_wrong && tally->verdict.wrong_count > 0);
}

/* What was found of all parts; components are numbered as in the whole. */
typedef struct parts_finding {
  bool is_cut; /* If not, a part would be no valid program, and nothing else is told. */
  judge_tally_t tally;
  uint8_t *wrong[CASE_RESULTS_MAX]; /* As evidence_t.wrong; freed by parts_finding_clear(). */
  row_answer_t rows;
  size_t rows_given_up; /* Parts whose rows take too long to ask about them all. */
  bool asks_formula;
  bool has_formula; /* If not, none explains all. */
  uint8_t formula;
  bool is_formula_open; /* Parts have different ones, and maybe none explains all. */
  char *algorithms;     /* That could have given all parts; NULL where nobody asked. */
} parts_finding_t;

status_t parts_judge(const parts_question_t *question, parts_finding_t *out_finding,
                     failure_t *error);
void parts_finding_clear(parts_finding_t *finding);

/* How many parts there are. */
size_t parts_count(const parts_question_t *question);

/* Has a walk ask about parts of the question's case. */
void parts_walk_init(const parts_question_t *question, size_t part, case_runner_t *out_walk);

#endif
