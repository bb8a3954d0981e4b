/* SPDX-License-Identifier: Apache-2.0 */
/* A sum as a black box: terms go in, bits come out.  All that identification sees of a backend. */
#ifndef ASSAY_IDENTIFY_PROBE_BLACK_BOX_SUM_H
#define ASSAY_IDENTIFY_PROBE_BLACK_BOX_SUM_H

#include "harness/model/case.h"

typedef struct black_box_sum black_box_sum_t;
struct black_box_sum {
  size_t term_count;
  bool takes_init;          /* Whether there is an initial value to give. */
  const format_t *left;     /* Format of the terms and the initial value, or of the left factors. */
  const format_t *right;    /* Of the right factors; NULL if terms are no products. */
  rounding_t left_rounding; /* Where factors turn out to be narrowed (operands.c), `left` and */
  rounding_t right_rounding; /* `right` become what they are narrowed to, in this way. */
  const format_t *result;    /* Of what comes out. */
  const char *op;            /* For the profile; borrowed. */
  const char *program_line;

  /* The result of one evaluation; `right` is NULL and `init` unused where there is none.
   * STATUS_IO if the backend fails or refuses. */
  status_t (*sum)(black_box_sum_t *black_box, const double *left, const double *right, double init,
                  uint64_t *out_bits, failure_t *error);
  void *context;

  size_t calls;
  size_t calls_max; /* More of them end in STATUS_UNDECIDED. */
};

/* Calls sum() and counts. */
status_t black_box_sum_run(black_box_sum_t *black_box, const double *left, const double *right,
                           double init, uint64_t *out_bits, failure_t *error);

/* Leaves: the terms, and behind them the initial value if there is one. */
static inline size_t black_box_sum_leaf_count(const black_box_sum_t *black_box) {
  return black_box->term_count + (black_box->takes_init ? 1 : 0);
}

#endif
