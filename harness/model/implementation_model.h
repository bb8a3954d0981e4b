/* SPDX-License-Identifier: Apache-2.0 */
/* A concrete implementation, for simulate(): how it orders, rounds and fuses, and which single
 * fault it has.  The builtin executors model:NAME and canary:NAME are nothing but these. */
#ifndef ASSAY_MODEL_IMPLEMENTATION_MODEL_H
#define ASSAY_MODEL_IMPLEMENTATION_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/num/format.h"
#include "harness/order/sum_order.h"

/* How a dot algorithm splits an operand into components, or rounds it to one. */
typedef enum split {
  SPLIT_NEAREST,       /* Every component is rounded to nearest, ties to even. */
  SPLIT_TRUNCATE,      /* All but the last are truncated. */
  SPLIT_TRUNCATE_ALL,  /* All are. */
  SPLIT_NEAREST_AWAY,  /* Every component is rounded to nearest, ties away from zero. */
  SPLIT_TRUNCATE_AWAY, /* All but the last are truncated, and that is rounded, ties away. */
} split_t;

/* The fewest bits that imprecise accumulation may keep. */
enum { IMPRECISE_BITS_MIN = 10 };

/* How the products of components are put together. */
typedef enum assembly {
  ASSEMBLY_BY_PRODUCT, /* Each is summed over all terms; then the sums are added, the leading one
                        * last. */
  ASSEMBLY_BY_TERM,    /* Those of a term are added, the leading one last; then the terms. */
} assembly_t;

/* One planted fault, by its number: FAULT_NONE conforms.  The others are declared where they act,
 * see harness/model/fault.h. */
typedef int fault_t;
enum { FAULT_NONE };

typedef struct schedule {
  sum_order_t order; /* Its parts are borrowed. */
  uint64_t seed;     /* Of random and shuffled orders. */
  bool fused;        /* A product is added unrounded. */
  bool compensated;  /* Sums of floats carry what each addition lost to the next one (Kahan); the
                      * order is sequential, reverse or shuffled. */
  const format_t *accumulator; /* Accumulate in this format instead of the specified type, or NULL;
                                * applies to formats whose numbers it holds. */
  uint32_t init_count;   /* How often the initial value enters: 0, 1, 2 ...; 1 is usual.  An empty
                          * slice takes it at least once. */
  const char *algorithm; /* The dot algorithm to run whatever is asked for, or NULL; borrowed. */
  uint8_t precisions[3]; /* What it computes products of f32 as where precision_config says DEFAULT,
                          * HIGH and HIGHEST: values of these permissions. */
  split_t split;
  assembly_t assembly;
  uint32_t aligned_bits; /* If not 0, dot algorithms that permit it align terms to the largest and
                          * keep so many bits. */
  const char *formula;   /* The formula of a composite op to run, by its name, where it has one of
                          * that name; NULL: the tightest.  Borrowed. */
  bool native;           /* 16-bit floats are computed with in their own type, not in f32. */
  bool other_way;        /* Of two ways to compute the same, the second.  Random trees choose. */
  uint32_t rules; /* The words MODELS_HOLD of permissions that its name has, a bit each, in the
                   * order of the permissions. */
  uint32_t function_ulps; /* Elementary functions err by up to so many ulps more than rounding. */
  bool exp_by_exp2;       /* exp in f32 is exp2 of the rounded product with log2(e). */
  const char *readings;   /* Settings of permissions that ops list as readings, "KEY=VALUE,...", or
                           * NULL; borrowed. */
  uint8_t fixed_point;    /* Integers are rescaled in fixed point: 0 not, else a way to round and 1,
                           * as oracles/exact/quantum/fixed_point.h numbers them. */
  bool zero_point_last;   /* uniform_quantize rounds before it adds the zero point. */
  bool ties_away;         /* It rounds ties away from zero. */
  bool saturates_casts;   /* Conversions to floats of 8 bits and less have no infinite results. */
  bool races;             /* Executors draw another seed for each execution. */
  fault_t fault;
} implementation_model_t;

/* The plain one: sequential, separate rounded operations in the specified type, init once. */
static inline implementation_model_t schedule_plain(void) {
  return (implementation_model_t){.init_count = 1};
}

#endif
