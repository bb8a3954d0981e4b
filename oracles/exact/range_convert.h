/* SPDX-License-Identifier: Apache-2.0 */
/* Accept sets of results that are converted to another float format at last, by rounding to nearest
 * even. */
#ifndef ASSAY_ORACLES_EXACT_RANGE_CONVERT_H
#define ASSAY_ORACLES_EXACT_RANGE_CONVERT_H

#include "oracles/exact/value_range.h"

/* What the values of a range become. */
value_range_t value_range_convert(const value_range_t *range, const format_t *from,
                                  const format_t *to);

/* Takes in another range but for its zeros. */
void value_range_unite(value_range_t *inout, const value_range_t *other);

/* Permits subnormal numbers of the range, which was rounded to the format, to be flushed to zero;
 * and the smallest normal number if `may_be_below`: what was rounded to it may be below (theory.md,
 * T139). */
void value_range_flush(value_range_t *range, const format_t *format, bool may_be_below);

/* Whether a finite nonzero number of `to`, which lies within the converted range, is what some
 * number of `from` becomes: the one nearest to it does, if any does, or its neighbour where that is
 * a tie. */
bool value_is_converted(const format_t *from, const format_t *to, double value);

#endif
