/* SPDX-License-Identifier: Apache-2.0 */
/* Float formats as rows of one table (formats.def), and exact integer-only arithmetic on them.
 * No host float enters an answer here: significands are 64-bit integers. */
#ifndef ASSAY_NUM_FORMAT_H
#define ASSAY_NUM_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/text.h"

/* Which special values a format has.  (MLIR's suffixes: none, FN, FNUZ, FN of f4 and f6, FNU.) */
typedef enum format_specials {
  FORMAT_IEEE,           /* Infinities, NaNs, both zeros. */
  FORMAT_NAN_ALL_ONES,   /* No infinities; NaN is S.1..1.1..1 only; both zeros. */
  FORMAT_NAN_MINUS_ZERO, /* No infinities; the one NaN is the pattern of -0; only +0. */
  FORMAT_FINITE,         /* No infinities, no NaN; both zeros. */
  FORMAT_EXPONENT_ONLY,  /* Powers of two: no sign, no zero, no infinity; NaN is all ones. */
} format_specials_t;

typedef struct format {
  const char *name; /* MLIR spelling, "f8E4M3FN". */
  uint8_t bits;     /* Width of the encoding: 4 to 64. */
  uint8_t exponent_bits;
  uint8_t precision; /* p: significand bits with the implicit one; 1 for f8E8M0FNU. */
  int16_t exponent_bias;
  format_specials_t specials;
  int16_t exponent_min;  /* e of the smallest normal number 2^e (f8E8M0FNU: -127). */
  int16_t exponent_max;  /* e of the binade of the largest finite number. */
  uint64_t largest_bits; /* Pattern of the largest finite number. */
  /* Derived, for format_layout.h and format_double.c alone. */
  uint64_t magnitude_mask; /* Exponent and fraction. */
  uint64_t sign_mask;      /* 0 for FORMAT_EXPONENT_ONLY, which has no sign. */
  uint64_t rebias;         /* What its exponent field lacks to be binary64's, in place. */
  uint64_t normal_low;     /* The smallest normal number as a pattern of binary64, ... */
  uint64_t normal_high;    /* ... and the largest one.  Between these a number is rounded by adding
                            * half a unit, but for f64 and FORMAT_EXPONENT_ONLY: no number is. */
} format_t;

/* The rows, in the order of formats.def. */
enum {
#define FORMAT_ROW(name, ...) FORMAT_##name,
#include "harness/num/formats.def"
#undef FORMAT_ROW
  FORMAT_COUNT
};
extern const format_t format_table[FORMAT_COUNT];

/* The row called `name`, or NULL. */
const format_t *format_find(str_t name);

typedef enum number_kind { NUMBER_ZERO, NUMBER_FINITE, NUMBER_INFINITY, NUMBER_NAN } number_kind_t;

/* An extended real number.  NUMBER_FINITE stands for (-1)^negative * (significand + t) * 2^exponent
 * with significand != 0, and t = 0 unless `sticky`, when 0 < t < 1 (all that rounding to at most 62
 * bits needs to know of the bits cut off).  Decoded numbers are never sticky; a sticky significand
 * has more bits than the precision that it is rounded to, so that t lies below the rounding bit. */
typedef struct number {
  number_kind_t kind;
  bool negative;
  bool sticky;
  int32_t exponent;
  uint64_t significand;
} number_t;

typedef enum rounding {
  ROUNDING_NEAREST_EVEN,
  ROUNDING_NEAREST_AWAY,
  ROUNDING_TOWARD_ZERO,
  ROUNDING_UP,   /* Toward +infinity. */
  ROUNDING_DOWN, /* Toward -infinity. */
  ROUNDING_ODD,  /* Exact, or the neighbour with the odd significand (Boldo and Melquiond 2008);
                  * beyond the largest number it stays there, as toward zero. */
} rounding_t;

/* What becomes of a finite number that rounds beyond the largest finite one, and of infinity. */
typedef enum overflow {
  OVERFLOW_FORMAT,   /* The format's own rule: infinity, else NaN, else the largest finite number.
                      * Directed roundings toward zero stop at the largest finite number. */
  OVERFLOW_SATURATE, /* The largest finite number of that sign, whatever the format has. */
} overflow_t;

/* Splits a pattern.  Bits above format->bits are ignored. */
number_t format_decode(const format_t *format, uint64_t bits);

/* Rounds to the format.  NaN becomes the format's quiet NaN of that sign (FORMAT_FINITE has none:
 * its pattern of +0 is returned, and format_has_nan() tells).  A zero or underflow keeps its sign
 * where the format has -0; f8E8M0FNU, which has no zero and no sign, takes its smallest number for
 * zero and NaN for a negative number. */
uint64_t format_encode(const format_t *format, number_t number, rounding_t rounding,
                       overflow_t overflow);

/* format_encode(to, format_decode(from, bits), rounding, OVERFLOW_FORMAT). */
uint64_t format_convert(const format_t *from, const format_t *to, uint64_t bits,
                        rounding_t rounding);

bool format_has_nan(const format_t *format);
bool format_has_infinity(const format_t *format);
bool format_has_negative_zero(const format_t *format);
bool format_is_nan(const format_t *format, uint64_t bits);
bool format_is_infinity(const format_t *format, uint64_t bits);
bool format_is_zero(const format_t *format, uint64_t bits);
bool format_is_negative(const format_t *format, uint64_t bits);
/* Whether the pattern of a zero is the one that a number of that sign becomes: a format without
 * -0 has one for both. */
bool format_zero_has_sign(const format_t *format, uint64_t zero, bool is_negative);
bool format_is_subnormal(const format_t *format, uint64_t bits);

/* A signed count of steps from zero, strictly monotone over the numbers: +0 is 0, -0 is -1 where
 * the format has it, the largest finite number is followed by infinity where it has one.  NaN has
 * none: the caller excludes it.  format_from_ordinal() is the inverse. */
int64_t format_ordinal(const format_t *format, uint64_t bits);
uint64_t format_from_ordinal(const format_t *format, int64_t ordinal);

/* The next number up or down; stays at the last one. */
uint64_t format_next_up(const format_t *format, uint64_t bits);
uint64_t format_next_down(const format_t *format, uint64_t bits);

/* Exponent e of the unit in the last place, 2^e = 2^(max(E, exponent_min) - p + 1), of a nonzero
 * number whose binade is [2^E, 2^(E+1)).  (oracles/theory.md, D2.) */
int format_ulp_exponent(const format_t *format, int binade_exponent);

/* Every format's finite values, infinities and NaN are f64 values too: the exact carriers between
 * patterns and binary64.  format_from_double() rounds to nearest even by the format's rule. */
double format_to_double(const format_t *format, uint64_t bits);
void format_to_doubles(const format_t *format, const uint64_t *bits, size_t count,
                       double *out_values);
uint64_t format_from_double(const format_t *format, double value);

/* Rounds a binary64 value to the format's values, to nearest even, staying in binary64.  The result
 * of overflow follows the format's rule. */
double format_round_double(const format_t *format, double value);

#endif
