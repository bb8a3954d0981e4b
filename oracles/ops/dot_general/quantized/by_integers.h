/* SPDX-License-Identifier: Apache-2.0 */
/* Fast accept sets of quantized dot_generals that are computed by integers alone.  Private to
 * oracles/ops/dot_general/quantized. */
#ifndef ASSAY_ORACLES_OPS_DOT_GENERAL_QUANTIZED_BY_INTEGERS_H
#define ASSAY_ORACLES_OPS_DOT_GENERAL_QUANTIZED_BY_INTEGERS_H

#include "harness/model/accept.h"
#include "harness/model/case.h"
#include "oracles/ops/dot_general/dot_general.h"

accept_t dot_by_integers_accept(const case_t *instance, const dot_general_layout_t *layout,
                                arena_t *arena);

#endif
