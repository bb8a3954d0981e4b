/* SPDX-License-Identifier: Apache-2.0 */
/* Storage integers that conform where what may be computed is quantized: quantizing is monotone, so
 * that the ends of an interval of floats tell (theory.md, T42, T179).  Private to oracles. */
#ifndef ASSAY_ORACLES_COMPOSITE_STORED_SET_H
#define ASSAY_ORACLES_COMPOSITE_STORED_SET_H

#include "oracles/exact/quantum/quantum.h"
#include "oracles/exact/value_range.h"

/* All from low to high. */
typedef struct stored_set {
  int64_t low;
  int64_t high;
  bool anything; /* Implementation-defined: whatever there is. */
} stored_set_t;

/* What element `element` of a quantized type may become where the last step before gave a number of
 * `range`, in every arithmetic that the contract permits and each of the ways: `way_count` of them.
 */
stored_set_t stored_set_of_range(const type_t *type, size_t element, const contract_t *contract,
                                 const quantize_way_t *ways, size_t way_count,
                                 const value_range_t *range);

bool stored_set_holds(const stored_set_t *set, int64_t stored);

/* Every value of the storage range conforms. */
bool stored_set_is_everything(const stored_set_t *set, const type_t *type);

/* "anything", "3" or "3 .. 5", in `bytes` bytes. */
void stored_set_print(const stored_set_t *set, char *out, size_t bytes);

#endif
