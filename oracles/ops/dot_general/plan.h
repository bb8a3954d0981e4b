/* SPDX-License-Identifier: Apache-2.0 */
/* What a dot_general computes, once it is known by which algorithm: types of the factors, products
 * of components that are kept, type of the accumulation (theory.md, D7). */
#ifndef ASSAY_ORACLES_OPS_DOT_GENERAL_PLAN_H
#define ASSAY_ORACLES_OPS_DOT_GENERAL_PLAN_H

#include "harness/model/contract.h"
#include "harness/model/implementation_model.h"
#include "oracles/ops/dot_general/dot_general.h"

enum { DOT_SPLITS_MAX = 5 };

typedef struct dot_plan {
  bool
      has_algorithm; /* Else factors are the operands, and everything is done in the result type. */
  /* Format of the components; complex operands: of the parts; of integers one that holds them. */
  const format_t *lhs;
  const format_t *rhs;
  const format_t *accumulation; /* NULL where integers are added: see integers.h. */
  const format_t *result;       /* What sums are converted to at last; NULL if to nothing else. */
  const element_t *integer;     /* The same if it is an integer type, else NULL. */
  const element_t *types[2];    /* Of an algorithm: what operands are rounded to, ... */
  const element_t *sum;         /* ... and what is added in. */
  int component_counts[2];
  int primitive_count;
  dot_primitive_t primitives[DOT_PRIMITIVES_MAX]; /* The leading one last. */
  int imprecise_bits;                             /* See bound_shape_t. */
  bool factors_exceed; /* The accumulation type does not hold all factors: see sum_problem_t. */
  bool any_way[2];     /* See dot_plan_split(). */
} dot_plan_t;

/* How an operand is split where the plan's are split like that: hardware's own ways are for
 * operands that the contract permits them for. */
static inline split_t dot_plan_split(const dot_plan_t *plan, uint32_t operand, split_t split) {
  bool is_cut =
      split == SPLIT_TRUNCATE || split == SPLIT_TRUNCATE_ALL || split == SPLIT_TRUNCATE_AWAY;
  if (plan->any_way[operand]) return split;
  return is_cut && plan->component_counts[operand] > 1 ? SPLIT_TRUNCATE : SPLIT_NEAREST;
}

/* The format of an operand's components. */
static inline const format_t *dot_plan_precision(const dot_plan_t *plan, uint32_t operand) {
  return operand == DOT_GENERAL_LHS ? plan->lhs : plan->rhs;
}

/* The plan of a float or complex program: by the algorithm that it asks for, or by another, or by
 * none.  Without an algorithm the contract may permit several, by what it says of accumulation:
 * dot_plan_make() makes the first, and dot_plan_accumulate() the one of that number below
 * dot_plan_count() of a plan in the result's type.  STATUS_UNSUPPORTED if nobody knows what that
 * means. */
status_t dot_plan_make(const program_t *program, const contract_t *contract, dot_plan_t *out_plan,
                       failure_t *error);
status_t dot_plan_make_for(const program_t *program, const dot_algorithm_t *algorithm,
                           const contract_t *contract, dot_plan_t *out_plan, failure_t *error);
status_t dot_plan_make_plain(const program_t *program, dot_plan_t *out_plan, failure_t *error);
size_t dot_plan_count(const dot_plan_t *plan, const contract_t *contract);
void dot_plan_accumulate(dot_plan_t *plan, const contract_t *contract, size_t number);

/* The ways to split operands that the contract permits, which the accept set is the union over.
 * Returns their count, at least 1.
 *
 * The specification says that operands are rounded to a type, and not how.  Types that tensors have
 * are converted to as `convert` does, to nearest even.  tf32 is a type of multipliers alone: PTX
 * had one conversion to it for years, ties away from zero (cvt.rna.tf32.f32), and multipliers that
 * are given f32 numbers leave the low bits out, as CUTLASS does with all components but the last.
 */
size_t dot_plan_splits(const dot_plan_t *plan, const contract_t *contract,
                       split_t out_splits[DOT_SPLITS_MAX]);

/* A number as an operand stores it. */
typedef struct dot_stored {
  const format_t *storage;
  uint64_t bits; /* The pattern of `value` in `storage`, or anything where it is not NaN. */
  double value;
} dot_stored_t;

/* Splits a number into count components of a precision type: component i is what is left after the
 * ones before it, rounded or truncated.  An f32 NaN whose payload lies in bits that truncation cuts
 * off becomes an infinity, as in implementations that mask the pattern. */
void dot_split(split_t split, const format_t *precision, int count, const dot_stored_t *number,
               double out_components[DOT_COMPONENTS_MAX]);

/* Whether numbers of f32 up to DOT_SPLIT_LARGEST can be split by dot_split_f32(). */
static inline bool dot_split_is_usual(const format_t *precision) {
  const format_t *f32 = &format_table[FORMAT_f32];
  return precision->exponent_bits == f32->exponent_bits && precision->bits < f32->bits &&
         precision->specials == FORMAT_IEEE;
}

#define DOT_SPLIT_LARGEST 0x1.fep+127f /* Of bf16: below it no component overflows. */

/* How component `component` of `count` is rounded. */
static inline rounding_t dot_split_rounding(split_t split, int component, int count) {
  switch (split) {
    case SPLIT_TRUNCATE:
      return component < count - 1 ? ROUNDING_TOWARD_ZERO : ROUNDING_NEAREST_EVEN;
    case SPLIT_TRUNCATE_ALL:
      return ROUNDING_TOWARD_ZERO;
    case SPLIT_NEAREST_AWAY:
      return ROUNDING_NEAREST_AWAY;
    case SPLIT_TRUNCATE_AWAY:
      return component < count - 1 ? ROUNDING_TOWARD_ZERO : ROUNDING_NEAREST_AWAY;
    case SPLIT_NEAREST:
    default:
      return ROUNDING_NEAREST_EVEN;
  }
}

/* Any binary64 number rounded to a precision type. */
double dot_split_round(const format_t *precision, double value, rounding_t rounding);

/* One component, on the pattern: what is rounded off is added to the bits that stay. */
static inline float dot_split_f32(float rest, const format_t *precision, rounding_t rounding) {
  int dropped = format_table[FORMAT_f32].precision - precision->precision;
  uint32_t mask = (UINT32_C(1) << dropped) - 1, half = (mask >> 1) + 1;
  uint32_t pattern;
  __builtin_memcpy(&pattern, &rest, sizeof pattern);
  uint32_t to_even = half - 1 + (pattern >> dropped & 1);
  pattern += rounding == ROUNDING_TOWARD_ZERO    ? 0
             : rounding == ROUNDING_NEAREST_AWAY ? half
                                                 : to_even;
  pattern &= ~mask;
  __builtin_memcpy(&rest, &pattern, sizeof rest);
  return rest;
}

#endif
