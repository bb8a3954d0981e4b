/* SPDX-License-Identifier: Apache-2.0 */
/* Of a program in C that runs a primitive, the part that makes it. */
#ifndef ASSAY_EXEC_PLUGINS_ONEDNN_SOURCE_OPERATION_H
#define ASSAY_EXEC_PLUGINS_ONEDNN_SOURCE_OPERATION_H

#include "harness/exec/plugins/onednn/source/written.h"

/* "matmul"; NULL for what is not written. */
const char *source_title(const plan_t *plan);

/* "(dnnl_dims_t){2, 3}" */
void source_write_dims(const dnnl_dims_t dims, int count, FILE *out);

/* Has `descriptor` made, of the library's choice of an implementation. */
void source_write_choice(const onednn_source_t *source, FILE *out);

#endif
