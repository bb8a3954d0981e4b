/* SPDX-License-Identifier: Apache-2.0 */
/* Where one element of a result comes from, by the op's definition. */
#ifndef ASSAY_ORACLES_OPS_DATA_DEPENDENT_DEFINITION_H
#define ASSAY_ORACLES_OPS_DATA_DEPENDENT_DEFINITION_H

#include "oracles/ops/data_dependent/sources.h"

/* Of a case that passes dependent_check(); takes as long as reading the operands. */
source_t dependent_define(const case_t *instance, uint32_t result, size_t element);

#endif
