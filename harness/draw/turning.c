/* SPDX-License-Identifier: Apache-2.0 */
/* Places where functions turn, from what a type has and how a function falls off. */
#include "harness/draw/turning.h"

#include <float.h>
#include <glib.h>
#include <math.h>
#include <string.h>

static const double LN_2 = 0.69314718055994531;
static const double HALF_LN_PI = 0.57236494292470009;

typedef enum place { PLACE_RATE, PLACE_TAIL, PLACE_POWER, PLACE_AT, PLACE_MULTIPLE } place_t;
typedef enum level {
  LEVEL_PRECISION,
  LEVEL_FINEST,
  LEVEL_OVERFLOW,
  LEVEL_INVERSE,
  LEVEL_NORMAL,
  LEVEL_LEAST
} level_t;
typedef enum signs { SIGNS_OWN, SIGNS_BOTH, SIGNS_MINUS } signs_t;

typedef struct turning {
  const char *function;
  const char *summary;
  double parameter;
  place_t place;
  level_t level;
  signs_t signs;
} turning_t;

static const turning_t rows[] = {
#define TURNING(function, place, level, parameter, signs, summary) \
  {#function, summary, parameter, PLACE_##place, LEVEL_##level, SIGNS_##signs},
#include "harness/draw/turning.def"
#undef TURNING
};

size_t turning_find(const char *function, size_t out_rows[TURNINGS_MAX]) {
  G_STATIC_ASSERT(G_N_ELEMENTS(rows) <= TURNINGS_MAX);
  size_t count = 0;
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    if (strcmp(rows[i].function, function) == 0) out_rows[count++] = i;
  }
  return count;
}

const char *turning_summary(size_t row) { return rows[row].summary; }

/* ---- Places ---------------------------------------------------------------------------------- */

static double octaves_of(const format_t *format, level_t level) {
  switch (level) {
    case LEVEL_PRECISION:
      return format->precision;
    case LEVEL_FINEST:
      return -format->precision;
    case LEVEL_OVERFLOW:
      return format->exponent_max + 1;
    case LEVEL_INVERSE:
      return -(format->exponent_max + 1);
    case LEVEL_NORMAL:
      return format->exponent_min;
    case LEVEL_LEAST:
    default:
      return format->exponent_min - format->precision;
  }
}

/* The binary logarithm, within 2^-20, of a positive number: digit by digit, by squaring. */
static double log2_roughly(double x) {
  enum { DIGITS = 20 };
  int exponent;
  double mantissa = 2 * frexp(x, &exponent);
  double result = exponent - 1;
  for (int i = 1; i <= DIGITS; i++) {
    mantissa *= mantissa;
    if (mantissa < 2) continue;
    mantissa /= 2;
    result += ldexp(1, -i);
  }
  return result;
}

/* 2^x, within 2^-20 of it: a digit of x is a root of 2. */
static double exp2_roughly(double x) {
  enum { DIGITS = 20 };
  double whole = floor(x), rest = x - whole, root = 2, result = 1;
  for (int i = 0; i < DIGITS; i++) {
    root = sqrt(root);
    rest *= 2;
    if (rest < 1) continue;
    rest -= 1;
    result *= root;
  }
  return ldexp(result, (int)CLAMP(whole, -1200, 1200));
}

/* erfc(z) is nearly exp(-z^2) / (z sqrt(pi)). */
static double solve_tail(double octaves) {
  enum { STEPS = 4 };
  double target = fmax(octaves, 2) * LN_2, z = sqrt(target);
  for (int i = 0; i < STEPS; i++) {
    z = sqrt(fmax(target - LN_2 * log2_roughly(z) - HALF_LN_PI, 0.0625));
  }
  return z;
}

static double place_at(const turning_t *row, double octaves) {
  switch (row->place) {
    case PLACE_RATE:
      return octaves * LN_2 / row->parameter;
    case PLACE_TAIL:
      return solve_tail(fabs(octaves)) / row->parameter;
    case PLACE_POWER:
      return fmin(exp2_roughly(octaves / row->parameter), DBL_MAX);
    case PLACE_AT:
    case PLACE_MULTIPLE:
    default:
      return row->parameter;
  }
}

double turning_center(const format_t *format, size_t row) {
  double center = place_at(&rows[row], octaves_of(format, rows[row].level));
  return rows[row].signs == SIGNS_MINUS ? -center : center;
}

/* ---- Drawing --------------------------------------------------------------------------------- */

static double draw_fraction(rng_t *rng) { return (double)(rng_bits(rng) >> 34) * 0x1p-30; }

/* Up to 1,024 times, small numbers of times as often as all magnitudes. */
static double draw_multiple(rng_t *rng, double unit) {
  int64_t most = (int64_t)1 << rng_between(rng, 0, 10);
  return unit * (double)rng_between(rng, 1, most);
}

/* A power of two of the place, down to below a last place, away from it. */
static double draw_beside(rng_t *rng, const format_t *format, double place) {
  int exponent = -(int)rng_between(rng, 2, format->precision + 1);
  double distance = ldexp(place * (1 + draw_fraction(rng)), exponent);
  return rng_one_in(rng, 2) ? place - distance : place + distance;
}

static bool has_octaves(const turning_t *row) { return row->place <= PLACE_POWER; }

/* The place, or one that is up to `spread` octaves from it; with a sign that the function has. */
static double draw_place(rng_t *rng, const format_t *format, const turning_t *row, double spread) {
  double octaves = octaves_of(format, row->level);
  return place_at(row, octaves + spread * (2 * draw_fraction(rng) - 1));
}

static double draw_sign(rng_t *rng, const turning_t *row, double place) {
  bool is_opposite = row->signs == SIGNS_MINUS || (row->signs == SIGNS_BOTH && rng_one_in(rng, 2));
  return is_opposite ? -place : place;
}

double turning_draw_within(rng_t *rng, const format_t *format, size_t index, double octaves) {
  const turning_t *row = &rows[index];
  if (!has_octaves(row)) return turning_draw(rng, format, index);
  return draw_sign(rng, row, draw_place(rng, format, row, octaves));
}

double turning_draw(rng_t *rng, const format_t *format, size_t index) {
  const turning_t *row = &rows[index];
  bool is_spread = has_octaves(row) && rng_one_in(rng, 2);
  double place = is_spread ? draw_place(rng, format, row, TURNING_OCTAVES)
                           : place_at(row, octaves_of(format, row->level));
  if (row->place == PLACE_MULTIPLE) place = draw_multiple(rng, place);
  if (!is_spread && !rng_one_in(rng, 8)) place = draw_beside(rng, format, place);
  return draw_sign(rng, row, place);
}
