/* SPDX-License-Identifier: Apache-2.0 */
/* Which of two elements stands before the other, in whatever order a contract permits.  Decided
 * twice: by integer keys for the fast side of the oracle, and by values for the exact one. */
#ifndef ASSAY_ORACLES_OPS_BYTEIR_POSITIONS_ORDER_H
#define ASSAY_ORACLES_OPS_BYTEIR_POSITIONS_ORDER_H

#include "harness/model/contract.h"
#include "harness/num/element.h"

/* The values of the permissions of this folder. */
enum permission_arg_nan { ARG_NAN_FIRST, ARG_NAN_SOME, ARG_NAN_IGNORED, ARG_NAN_ANY };
enum permission_top_k_nan { TOP_K_NAN_GREATEST, TOP_K_NAN_LEAST, TOP_K_NAN_ORDERED, TOP_K_NAN_ANY };
enum permission_top_k_zeros { TOP_K_ZEROS_EQUAL, TOP_K_ZEROS_ORDERED, TOP_K_ZEROS_ANY };
enum permission_top_k_ties { TOP_K_TIES_STABLE, TOP_K_TIES_ANY };
enum permission_one_hot_negative { ONE_HOT_NEGATIVE_OFF, ONE_HOT_NEGATIVE_WRAP };

typedef enum pick_nan {
  PICK_NAN_FIRST,      /* NaNs are equal and stand before all numbers. */
  PICK_NAN_LAST,       /* They are equal and stand after all numbers. */
  PICK_NAN_BY_PATTERN, /* Those without sign stand first, larger payloads before smaller ones; those
                        * with a sign last, smaller ones before larger ones. */
} pick_nan_t;

/* A total preorder of the elements of a type that byteir_positions_is_comparable(). */
typedef struct pick_order {
  const element_t *element;
  bool smallest_first; /* Of numbers; else the largest stand first. */
  pick_nan_t nan;
  bool orders_zeros; /* +0 stands before -0, or after it if the smallest stand first. */
  bool flushes;      /* Subnormal numbers stand where zeros of their sign do. */
} pick_order_t;

/* Elements with greater keys stand before those with smaller ones; equal ones have equal keys. */
uint64_t pick_order_key(const pick_order_t *order, uint64_t bits);

/* Negative if `a` stands before `b`, positive if after it, 0 if they are equal. */
int pick_order_compare(const pick_order_t *order, uint64_t a, uint64_t b);

/* Whether an implementation that picks the element `from` may return `bits`: the same pattern, or a
 * NaN for a NaN, or what the contract permits for zeros and subnormal numbers. */
bool pick_value_matches(const element_t *element, const contract_t *contract, uint64_t from,
                        uint64_t bits);

/* Whether subnormal numbers may compare as zeros. */
bool pick_may_flush(const element_t *element, const contract_t *contract);

/* "0x1.8p+1", "nan", "-7". */
void pick_print_value(const element_t *element, uint64_t bits, char *out, size_t out_bytes);

#endif
