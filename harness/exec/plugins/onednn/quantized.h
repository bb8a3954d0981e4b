/* SPDX-License-Identifier: Apache-2.0 */
/* Quantized products by oneDNN: what matmul and convolution share. */
#ifndef ASSAY_EXEC_PLUGINS_ONEDNN_QUANTIZED_H
#define ASSAY_EXEC_PLUGINS_ONEDNN_QUANTIZED_H

#include "harness/exec/plugins/onednn/onednn.h"

/* The dimension of the primitive's output that has a scale for each index, its channel.  The scale
 * of rhs for a channel is number `channel / rhs_stride % rhs_size`, that of the result likewise; a
 * size of 0: one scale, or scales that run along something else. */
typedef struct plan_channels {
  int dimension;
  int64_t count;
  int64_t rhs_stride;
  int64_t rhs_size;
  int64_t result_stride;
  int64_t result_size;
} plan_channels_t;

/* Makes plan->attributes of the types of a program with quantized types and tells the type of the
 * result.  Else why oneDNN does not do it: other types than i8 by i8, scales elsewhere, and
 * multipliers that are beyond f32. */
int32_t plan_quantized_product(const plan_request_t *request, const plan_channels_t *channels,
                               plan_t *plan, dnnl_data_type_t *out_result_type,
                               assay_reason_t *reason);

#endif
