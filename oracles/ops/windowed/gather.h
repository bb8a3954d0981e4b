/* SPDX-License-Identifier: Apache-2.0 */
/* Which elements each window holds, and the ways to gather the two ops. */
#ifndef ASSAY_ORACLES_OPS_WINDOWED_GATHER_H
#define ASSAY_ORACLES_OPS_WINDOWED_GATHER_H

#include "harness/model/implementation_model.h"
#include "oracles/derived/derived.h"
#include "oracles/ops/windowed/windowed.h"

/* The values of the permission in windowed/permissions.def; window_padding's are in contract.h. */
enum permission_window_padding { WINDOW_PADDING_ELEMENTS, WINDOW_PADDING_EITHER };
enum permission_selection { SELECTION_IN_ORDER, SELECTION_ANY };

/* Of each window, in row-major order, the elements of operand 0 in row-major order; -1 for padding
 * and holes. */
typedef struct window_elements {
  size_t window_count;
  size_t size; /* Elements of a window. */
  const int64_t *elements;
} window_elements_t;

/* STATUS_UNSUPPORTED if there are more elements than a tensor may have. */
status_t window_elements_make(const program_t *program, fault_t fault, arena_t *arena,
                              window_elements_t *out_elements, failure_t *error);

/* Whether some window holds padding and holes alone. */
bool has_empty_window(const program_t *program);

extern const gathering_t reduce_window_gathering;
extern const gathering_t select_and_scatter_gathering;

#endif
