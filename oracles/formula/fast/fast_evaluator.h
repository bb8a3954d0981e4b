/* SPDX-License-Identifier: Apache-2.0 */
/* The evaluator that is fast: of the numbers that a conforming implementation may reach it finds
 * an interval, in vector loops (fast_kernels.h).  What it says is a part of what the enclosed
 * evaluator says of the same formula, step by step; where it is not sure it says nothing, and
 * somebody asks that one. */
#ifndef ASSAY_ORACLES_FORMULA_FAST_FAST_EVALUATOR_H
#define ASSAY_ORACLES_FORMULA_FAST_FAST_EVALUATOR_H

#include "oracles/formula/fast/fast_rows.h"
#include "oracles/formula/formula.h"

/* Its working format is that of its kernels, f32 or f64. */
extern const evaluator_t fast_evaluator;

#endif
