/* SPDX-License-Identifier: Apache-2.0 */
/* Words of builtin executors' names that say how they read programs. */
#ifndef ASSAY_BUILTIN_READING_NAME_H
#define ASSAY_BUILTIN_READING_NAME_H

#include "harness/base/text.h"
#include "harness/model/implementation_model.h"

/* "norm_epsilon=added", as a contract has it, of a permission that is a reading of some op.  False
 * if the scan does not stand before one, and is left where it was. */
bool reading_name_parse(scan_t *scan, implementation_model_t *inout_schedule, status_t *out_status,
                        failure_t *error);

#endif
