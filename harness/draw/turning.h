/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers near where functions turn (turning.def): where their results saturate, overflow,
 * underflow or become exact in a type.  All arithmetic is exact or correctly rounded, so that a
 * seed gives the same numbers on every machine. */
#ifndef ASSAY_DRAW_TURNING_H
#define ASSAY_DRAW_TURNING_H

#include "harness/base/rng.h"
#include "harness/num/format.h"

/* Rows of turning.def, by number. */
enum { TURNINGS_MAX = 64 };

/* As many octaves from a place lies where constants of a function move it. */
enum { TURNING_OCTAVES = 3 };

/* The numbers of the rows of that function; there are at most TURNINGS_MAX, and none of a function
 * that the table does not have. */
size_t turning_find(const char *function, size_t out_rows[TURNINGS_MAX]);

const char *turning_summary(size_t row);

/* Where the function turns in that type, at least roughly, of its own sign. */
double turning_center(const format_t *format, size_t row);

/* A number near there, within a factor of two or so where it is large, and within places of the
 * type's last where it is near: half of the numbers have any distance of a hundredth to an eighth
 * in what the function gives, half any power of two as distance. */
double turning_draw(rng_t *rng, const format_t *format, size_t row);

/* A number among many that cover a place evenly: the function is there at most so many octaves from
 * what it is at the place.  As turning_draw() for rows that have no octaves (AT and MULTIPLE). */
double turning_draw_within(rng_t *rng, const format_t *format, size_t row, double octaves);

#endif
