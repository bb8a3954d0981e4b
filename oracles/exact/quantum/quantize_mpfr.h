/* SPDX-License-Identifier: Apache-2.0 */
/* The formulas of quantum.h a second time, with MPFR rounding every step: the exact side of
 * oracles whose fast side uses quantum.h.  Not for f8E8M0FNU, which has no zero. */
#ifndef ASSAY_ORACLES_EXACT_QUANTUM_QUANTIZE_MPFR_H
#define ASSAY_ORACLES_EXACT_QUANTUM_QUANTIZE_MPFR_H

#include "oracles/exact/quantum/quantum.h"

double exact_dequantize(const quantum_t *quantum, const format_t *arithmetic, int64_t stored);

/* rn(rn(stored * scale) - rn(zero_point * scale)), or fused, without the inner rounding of the
 * first product: theory.md, T182. */
double exact_dequantize_distributed(const quantum_t *quantum, const format_t *arithmetic,
                                    int64_t stored, bool is_fused);

/* As quantum_choices(). */
size_t exact_quantize(const quantum_t *quantum, const format_t *arithmetic, double value,
                      int64_t out_stored[QUANTUM_CHOICES_MAX]);

/* The same in one of the ways: theory.md, T179. */
size_t exact_quantize_by(const quantum_t *quantum, const format_t *arithmetic, quantize_way_t way,
                         double value, int64_t out_stored[QUANTUM_CHOICES_MAX]);

/* The same by quantum_choices_by() in the ways that round, which takes less time. */
size_t quick_quantize_by(const quantum_t *quantum, const format_t *arithmetic, quantize_way_t way,
                         double value, int64_t out_stored[QUANTUM_CHOICES_MAX]);

#endif
