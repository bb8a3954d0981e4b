/* SPDX-License-Identifier: Apache-2.0 */
/* The half of version3.h that asks no library. */
#ifndef ASSAY_EXEC_PLUGINS_ONEDNN_VERSION3_DESCRIBE_H
#define ASSAY_EXEC_PLUGINS_ONEDNN_VERSION3_DESCRIBE_H

#include "harness/exec/plugins/onednn/onednn.h"

/* Fills in those functions of oneDNN 2 that only fill in structures, and those that refuse what
 * oneDNN 3 does otherwise. */
void version3_fill_in(dnnl_functions_t *dnnl);

/* Operations with windows, of what the plan has described. */
void version3_describe_convolution(plan_t *plan, const plan_windows_t *windows);
void version3_describe_pooling(plan_t *plan, dnnl_alg_kind_t algorithm,
                               const plan_windows_t *windows);

#endif
