/* SPDX-License-Identifier: Apache-2.0 */
/* A-priori bounds on rounding errors of sums and dot products, for any order and any tree
 * (theory.md, T10 to T17).  They are factors of sum |terms|, evaluated upwards.
 *
 * All bounds come in two parts, since the last rounding to the result type is known to be one: a
 * result is rn_T(y) with |y - x*| <= E', so the accept set is [rn_T(x* - E'), rn_T(x* + E')], which
 * is never larger than the values of T within the total bound E of x* (theory.md, T5). */
#ifndef ASSAY_ORACLES_EXACT_ERROR_BOUND_H
#define ASSAY_ORACLES_EXACT_ERROR_BOUND_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/model/contract.h"
#include "harness/num/format.h"

typedef struct error_bound {
  double factor; /* E' = factor * sum|terms| + offset. */
  double offset;
  double total_factor; /* E = total_factor * sum|terms| + total_offset, with the last rounding. */
  double total_offset;
  /* What every set of such sums holds: E' may be made smaller than by `factor`, where more is known
   * of the terms, but not than by this one (theory.md, T123). */
  double sure_factor;
  double flushed;      /* What flushing alone may come to, where nothing is rounded. */
  bool last_truncates; /* The last rounding may be directed: the ends are rounded outwards. */
} error_bound_t;

/* Trees of so many leaves are judged by bounds that know how large partial sums are (theory.md,
 * T122); those of fewer by their sets. */
enum { LEVELS_FROM = 9, LEVELS_TO = 68 };

/* What is summed: `terms` terms of which each is a leaf of the accumulation type or, if
 * `products_round`, a product that rounds to it once, and that may underflow if
 * `products_underflow`. */
typedef struct bound_shape {
  size_t terms;
  /* If not 0: the terms are some of so many leaves of one tree, which is no deeper than the
   * contract says (permission depth; theory.md, T117). */
  size_t leaves;
  bool products_round;
  bool products_underflow;
  bool is_product; /* Terms are products; matters where results are flushed. */
  /* If not 0: at most so many terms are not zero.  Others are never flushed (theory.md, T301). */
  size_t nonzero;
  /* If not 0: a node may add any number of terms aligned to the largest of them, keep only so many
   * bits of each and of their sum (IMPRECISE_BITS_MIN or more), and cut off the others. */
  int imprecise_bits;
} bound_shape_t;

/* Values of permission depth; and how many nodes a leaf of so many may pass under a contract. */
enum permission_depth { DEPTH_LOG, DEPTH_LANES, DEPTH_ANY };
size_t error_bound_depth(const contract_t *contract, size_t leaves);

/* Sums in `format` under `contract`. */
error_bound_t error_bound_sum(const format_t *format, const contract_t *contract,
                              bound_shape_t shape);

/* Of so many roundings to wider nodes (accum_wider=yes), one after the other, and a last one to the
 * format; factors of the rounded number, or of the smallest normal number if that is larger. */
error_bound_t error_bound_wide_roundings(const format_t *format, const contract_t *contract,
                                         size_t roundings);

/* Whether sums whose terms are multiples of 2^lowest_bit and whose magnitudes sum to `magnitude`
 * are exact in any order and any arithmetic at least as precise as the format: theory.md, T17. */
bool error_bound_sum_is_exact(const format_t *format, int lowest_bit, double magnitude);

/* The same of terms whose magnitudes sum to `magnitude`, and those of one sign to `reach` at the
 * most; where nodes keep only so many bits (see bound_shape_t), if that is not 0, what is aligned
 * to less than 2^(lowest_bit + imprecise_bits) loses nothing: theory.md, T17 and T300. */
typedef struct sum_reach {
  double reach;
  double magnitude;
} sum_reach_t;
bool error_bound_aligned_sum_is_exact(const format_t *format, int imprecise_bits, int lowest_bit,
                                      sum_reach_t terms);

/* Products of `terms` factors: relative, so factors of |product| (theory.md, T30).
 * The offset is 0: underflow is the caller's (T32). */
error_bound_t error_bound_product(const format_t *format, const contract_t *contract, size_t terms);

/* The largest that the smallest number of a wider node may be, in smallest numbers of the format: 0
 * if there are none (theory.md, D6). */
double error_bound_wider_smallest(const format_t *format, const contract_t *contract);

/* How many bits more than the format has the nodes have at least that accum_wider=yes permits: 3
 * for 8-bit floats (bf16 for f8E3M4), 11 for the others (x87 extended for f64); and the unit
 * roundoff of such nodes. */
int error_bound_wider_bits(const format_t *format);
double error_bound_wide_unit_roundoff(const format_t *format);

/* u = 2^-p; the smallest positive number; the smallest normal number.  Exact in binary64. */
double format_unit_roundoff(const format_t *format);
double format_smallest(const format_t *format);
double format_smallest_normal(const format_t *format);

#endif
