/* SPDX-License-Identifier: Apache-2.0 */
/* Data in which it shows where each element went. */
#ifndef ASSAY_DRAW_DISTINCT_H
#define ASSAY_DRAW_DISTINCT_H

#include "harness/base/rng.h"
#include "harness/model/case.h"

/* op_t.draw_edges of ops that move elements: different patterns in as many elements as the types
 * have patterns for. */
void draw_distinct_operands(rng_t *rng, case_t *inout_case);

#endif
