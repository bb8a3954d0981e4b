/* SPDX-License-Identifier: Apache-2.0 */
/* The exact side of sums and dot products: which values may one component have?  (theory.md,
 * T10 to T24 and A2.)  Everything is computed exactly with MPFR; speed comes from being asked
 * rarely.
 *
 * A sum of `count` real terms in a float format: leaves left[i], or products left[i] * right[i].  A
 * component of a complex dot product is such a sum too, of twice as many products. */
#ifndef ASSAY_ORACLES_EXACT_SUM_PROBLEM_H
#define ASSAY_ORACLES_EXACT_SUM_PROBLEM_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/arena.h"
#include "harness/model/accept.h"

typedef struct sum_problem {
  const format_t *format; /* Accumulation type, and that of the result unless `result` says. */
  size_t count;
  const double *left;  /* Binary64 carriers of the terms or of the left factors. */
  const double *right; /* Right factors, or NULL for plain leaves. */
  const format_t
      *left_format; /* Format the factors come from: decides which products are exact and */
  const format_t *right_format; /* which numbers are subnormal inputs; so do, if not NULL, ... */
  const format_t *left_storage; /* ... the formats that they were rounded from. */
  const format_t *right_storage;
  bool is_complex_part;   /* Non-finite products may give NaN or any infinity. */
  bool has_init;          /* An initial value takes part (reduce); else +0 may (dot_general). */
  double init;            /* Its carrier. */
  const format_t *result; /* What the sum is converted to at last; NULL: it stays as it is. */
  /* A dot algorithm that splits its operands into components makes several primitive products:
   * terms i * group .. (i + 1) * group - 1 are those of the i-th, and the last is the leading one,
   * whose sum the low-order part is added to.  0: all terms are one product. */
  size_t group;
  int imprecise_bits;  /* See bound_shape_t. */
  bool factors_exceed; /* Some factors are no numbers of `format`, to which products round: neither
                        * trees of few terms nor schedules are known (theory.md, T130). */
  bool is_open;        /* Nobody says what some factor is: every result conforms. */
  GString *why;  /* If not NULL, sum_answer() appends a tree of few terms that gives the answer. */
  bool is_brief; /* As oracle_call_t has it. */
  bool is_any_way; /* As oracle_call_t has it. */
  size_t
      sums_of_case; /* So many sums share what a case may cost (share.h); 0: this one is alone. */
} sum_problem_t;

/* Whether there is a low-order part. */
static inline bool sum_is_split(const sum_problem_t *question) {
  return question->group != 0 && question->group < question->count;
}

/* Whether a product of two numbers of these formats may have to be rounded to `format`, or may be
 * too small for it. */
bool product_rounds(const format_t *left, const format_t *right, const format_t *format);
bool product_underflows(const format_t *left, const format_t *right, const format_t *format);

/* Whether the schedules of an in-order contract are what decides; of a reduction also where its sum
 * is converted at last (theory.md, T129).  Sums by a dot algorithm that splits its operands,
 * accumulates imprecisely or in another type than the result's are judged by the any-order bound:
 * nobody says in which order they are made. */
bool sum_has_schedules(const sum_problem_t *question, size_t terms, const contract_t *contract);

/* Whether the exact set in any order may tell more than its bound (oracles/exact/any_order): the
 * contract's nodes are modelled there, the sum is not split and has at most FEW_TERMS_MAX terms,
 * and is one of those of its case that are judged by their trees. */
bool sum_has_few_terms(const sum_problem_t *question, const contract_t *contract);

/* The last word on the pattern `bits`.  STATUS_UNDECIDED if the schedules of an in-order contract
 * are too many to decide within the work limit. */
status_t sum_answer(const sum_problem_t *question, const contract_t *contract, uint64_t bits,
                    arena_t *arena, answer_t *out_answer, failure_t *error);

/* The exact sum rounded to binary64 and sum |terms| rounded up, for audits of the fast side; false
 * if a term is not finite.  The sum may overflow to infinity. */
bool sum_reference(const sum_problem_t *question, double *out_sum, double *out_tail,
                   double *out_magnitude);

#endif
