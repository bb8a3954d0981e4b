/* SPDX-License-Identifier: Apache-2.0 */
/* What answers and boxes of quantized reductions share.  Private to the folder. */
#ifndef ASSAY_ORACLES_OPS_REDUCE_QUANTIZED_PARTS_H
#define ASSAY_ORACLES_OPS_REDUCE_QUANTIZED_PARTS_H

#include "oracles/ops/reduce/quantized/reach.h"

/* What the largest (smallest) leaf may become, which nodes may quantize any number of times; false
 * if that may give no value of the storage range.  There is a leaf.  An initial value that may
 * enter more than once is picked by a node even where there are no terms. */
bool reduce_quantized_pick(const reach_question_t *question, bool largest, bool with_init,
                           stored_interval_t *out_picked);

/* The values in that interval that some leaf may become: theory.md, T299.  False if there are too
 * many to list, or their leaves' are not listed. */
enum { PICKED_VALUES_MAX = 64 };
typedef struct picked_values {
  size_t count;
  bool has_more;
  int64_t items[PICKED_VALUES_MAX];
} picked_values_t;
bool reduce_quantized_pick_values(const reach_question_t *question, bool with_init,
                                  stored_interval_t picked, picked_values_t *out_values);

/* Whether the output conversion gives values of the storage range for all of the interval. */
bool reduce_result_is_decided(const reduce_quanta_t *quanta, stored_interval_t interval);

/* Whether the initial value lies at the zero point and no node errs with it: then it says nothing,
 * however often it is there. */
bool reduce_init_says_nothing(const reach_question_t *question);

#endif
