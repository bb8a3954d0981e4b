/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes: what every element of a tensor may be, as an interval of real numbers with binary64 ends,
 * for enclosing whole programs.  Of quantized tensors and integers the numbers are what is stored;
 * box_value() tells what they stand for.  All arithmetic rounds outwards: to the neighbour beyond,
 * and only where the exact end is no binary64 number (Knuth's TwoSum and the fused multiply-add
 * tell; Muller et al. 2018, sections 4.3 and 4.4). */
#ifndef ASSAY_ORACLES_EXACT_BOX_BOX_H
#define ASSAY_ORACLES_EXACT_BOX_BOX_H

#include <math.h>

#include "harness/model/case.h"
#include "harness/num/binary64.h"

/* low <= high; not NaN.  The whole line, from -infinity to infinity, is anything: NaN too.  Other
 * boxes hold no NaN, and an infinity only where it is an end; what may overflow is the whole line.
 */
typedef struct box {
  double low;
  double high;
} box_t;

static inline box_t box_point(double value) { return (box_t){value, value}; }
static inline box_t box_whole_line(void) { return (box_t){-INFINITY, INFINITY}; }

/* Whether all that it holds are numbers; whether it may be NaN; whether it holds a number. */
static inline bool box_is_finite(box_t box) { return isfinite(box.low) && isfinite(box.high); }
static inline bool box_is_whole_line(box_t box) {
  return box.low == -INFINITY && box.high == INFINITY;
}
static inline bool box_holds(box_t box, double value) {
  return isnan(value) ? box_is_whole_line(box) : value >= box.low && value <= box.high;
}

static inline double box_magnitude(box_t box) { return fmax(fabs(box.low), fabs(box.high)); }

/* The neighbours in binary64; infinities below and above themselves stay. */
static inline double box_below(double value) {
  if (value == 0) return -0x1p-1074;
  if (value == -INFINITY) return value;
  uint64_t bits = binary64_bits(value);
  return binary64_value(value > 0 ? bits - 1 : bits + 1);
}
static inline double box_above(double value) { return -box_below(-value); }

/* The smallest box that holds both; the numbers that both hold, which must meet. */
static inline box_t box_unite(box_t a, box_t b) {
  return (box_t){fmin(a.low, b.low), fmax(a.high, b.high)};
}
static inline box_t box_intersect(box_t a, box_t b) {
  return (box_t){fmax(a.low, b.low), fmin(a.high, b.high)};
}

static inline box_t box_negate(box_t a) { return (box_t){-a.high, -a.low}; }

/* NaN wins, as in StableHLO. */
static inline box_t box_maximum(box_t a, box_t b) {
  if (box_is_whole_line(a) || box_is_whole_line(b)) return box_whole_line();
  return (box_t){fmax(a.low, b.low), fmax(a.high, b.high)};
}
static inline box_t box_minimum(box_t a, box_t b) {
  return box_negate(box_maximum(box_negate(a), box_negate(b)));
}

/* The exact results; the whole line if an operand may be an infinity, or for division if the
 * divisor may be zero. */
box_t box_add(box_t a, box_t b);
box_t box_subtract(box_t a, box_t b);
box_t box_multiply(box_t a, box_t b);
box_t box_divide(box_t a, box_t b);

/* All within `distance` (at least 0, not NaN) of the box. */
box_t box_widen(box_t a, double distance);

/* The integers in the box, which holds one; each rounded to nearest, ties to even; each truncated.
 */
box_t box_integers_within(box_t a);
box_t box_nearest_integers(box_t a);
box_t box_truncate(box_t a);

/* From the nearest number of [low, high] to the low end to the nearest to the high end. */
static inline box_t box_clamp(box_t a, double low, double high) {
  return (box_t){fmin(fmax(a.low, low), high), fmin(fmax(a.high, low), high)};
}

/* What the numbers of the box are when they are rounded to the format: to nearest, which is
 * monotone; to either neighbour.  The whole line if they may overflow. */
box_t box_round(box_t a, const format_t *format);
box_t box_round_either_way(box_t a, const format_t *format);

/* The same where subnormal numbers may be taken for zero. */
box_t box_flush(box_t a, const format_t *format);

/* What one operation gives where it is `rounded`, or zero if it is subnormal before that or behind:
 * a number may be flushed that only rounding makes the smallest normal one. */
box_t box_flush_rounded(box_t exact, box_t rounded, const format_t *format);

/* All values of an element type, or of its storage: the whole line for floats. */
box_t box_of_element(const element_t *element);

/* Whether all numbers of the box lie in the range of an integer or boolean element: of ui64 and
 * i64, whose largest values binary64 has not, those up to the next one below. */
bool box_fits(box_t a, const element_t *element);

/* Element `index` of a tensor of floats, integers or booleans: what is stored. */
box_t box_make_point(const tensor_t *tensor, size_t index);

/* The real numbers that the stored ones stand for: (stored - zero point) * scale of element `index`
 * of a quantized type; the same numbers of others. */
box_t box_value(const type_t *type, size_t index, box_t stored);

#endif
