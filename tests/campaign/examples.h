/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that tests of harness/run take as examples, where any would do, and the ops of such. */
#ifndef ASSAY_TESTS_CAMPAIGN_EXAMPLES_H
#define ASSAY_TESTS_CAMPAIGN_EXAMPLES_H

#include "harness/model/op.h"

#define EXAMPLE_SUM "stablehlo.reduce body=add dims=[0] f32[3] f32[] -> f32[]"
#define EXAMPLE_PRODUCT \
  "stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[2,3] f32[3,2] -> f32[2,2]"
#define EXAMPLE_CONVERSION "stablehlo.convert f64[3] -> f32[3]"

/* The op of a program or a case. */
static inline const op_t *example_op(const char *line) {
  scan_t scan = scan_make(str_from(line));
  const op_t *op = op_find(scan_until(&scan, " "));
  g_assert(op != NULL);
  return op;
}

#endif
