/* SPDX-License-Identifier: Apache-2.0 */
/* Axes of programs of any op, for those who hold executors against themselves. */
#ifndef ASSAY_MODEL_ANY_AXES_H
#define ASSAY_MODEL_ANY_AXES_H

#include "harness/model/axes.h"

/* As axes_of(), and of programs that are made of those of other ops too (op_t.is_compound), of
 * which axes_of() and axes_of_parts() tell nothing: they are not judged along their axes, nor made
 * small or drawn along them. */
bool axes_of_any(const program_t *program, axes_t *out_axes);

#endif
