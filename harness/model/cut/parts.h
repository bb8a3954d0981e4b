/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of harness/model/cut share.  Private to it. */
#ifndef ASSAY_MODEL_CUT_PARTS_H
#define ASSAY_MODEL_CUT_PARTS_H

#include "harness/model/cut/cut.h"

/* Whether a case can have several units of the program. */
bool cut_can_join(const cut_t *cut, const program_t *program);

/* The sizes along all axes of a block that has these along free ones, where each window's elements
 * count anew: what is gathered of an operand. */
void cut_gathered_sizes(const cut_t *cut, const int64_t *sizes, int64_t out_sizes[AXES_MAX]);

#endif
