/* SPDX-License-Identifier: Apache-2.0 */
/* The hypotheses about causes.  Private to harness/run/cause*. */
#ifndef ASSAY_DIAGNOSE_TESTS_H
#define ASSAY_DIAGNOSE_TESTS_H

#include "harness/diagnose/problem.h"

enum { CAUSE_DETAIL_BYTES = 64, CAUSE_KEY_BYTES = 64 };

/* A cause that explains what was examined. */
typedef struct found_cause {
  bool is_found;
  double bits;                     /* Of evidence, see cause.h. */
  char detail[CAUSE_DETAIL_BYTES]; /* What "%" stands for in its words. */
} found_cause_t;

/* A change of the case (change/change.h) that explains it. */
typedef struct found_change {
  char key[CAUSE_KEY_BYTES]; /* What it changes, alike in all cases: see change_t. */
  cause_id_t cause;
  double bits;
  char detail[CAUSE_DETAIL_BYTES];
} found_change_t;

enum { FOUND_CHANGES_MAX = 48 };

typedef struct found_causes {
  found_cause_t items[CAUSE_COUNT]; /* Of changes none. */
  found_change_t changes[FOUND_CHANGES_MAX];
  size_t change_count;
} found_causes_t;

/* Notes a cause that explains with so many bits in one of `tried` ways; the first way is kept, and
 * the details of others follow: "8 or 16". */
void note_cause(found_causes_t *found, cause_id_t cause, double bits, size_t tried,
                const char *detail);

/* Those that change the case: its terms and where operands are read; how operands are read. */
void test_terms(solver_t *solver, found_causes_t *found);
void test_operands(solver_t *solver, found_causes_t *found);

/* That subnormal numbers are read and written as zero, or the one or the other where that is the
 * same. */
void test_flushed_both(solver_t *solver, found_causes_t *found);

/* A value_map_t: subnormal numbers of operands are zeros of their sign. */
uint64_t flush_operand(const void *context, const program_t *program, uint32_t operand,
                       size_t component, uint64_t bits);

/* Whether a right element would be wrong if small normal operands were lost: that subnormal ones
 * are not is then no threshold elsewhere (theory.md, T264). */
bool solver_keeps_small_operands(solver_t *solver);

/* Whether such numbers are seen to be kept, in this case or in one of its kind before: results,
 * operands, or either where the cause says no more (theory.md, T283). */
bool solver_keeps_small(solver_t *solver, cause_id_t cause);

/* Which of two zeros is taken. */
void test_zeros(solver_t *solver, found_causes_t *found);

/* That all results are multiplied by one number. */
void test_factors(solver_t *solver, found_causes_t *found);

/* Those that change the types of a quantized program. */
void test_quantized(solver_t *solver, found_causes_t *found);

/* Which elements were never written, of a verdict of class `unwritten` (theory.md, T263). */
void test_unwritten(const solver_t *solver, found_causes_t *found);

/* Those that are told by comparing values alone. */
void test_values(solver_t *solver, found_causes_t *found);

/* A change of a problem that a hypothesis is about. */
typedef struct hypothesis {
  bool (*change)(solver_t *solver, const examined_t *examined, const struct hypothesis *hypothesis,
                 problem_t *out_problem);
  size_t index; /* Of a term, or a size of blocks. */
  const format_t *format;
  rounding_t rounding;
  misread_t misread;
  bool needs_new; /* A value that stands among the operands as they are tells nothing ... */
  bool is_choice; /* ... or but which of them was taken. */
} hypothesis_t;

/* Whether the hypothesis explains all wrong components examined and spares the right ones: its
 * evidence in bits, or -1. */
double test_hypothesis(solver_t *solver, const hypothesis_t *hypothesis);

#endif
