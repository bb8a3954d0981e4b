/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers that the elements of a row share, as the fast evaluator knows them: each is one point
 * of what its step gives.  What is found of the elements may be reached with these numbers
 * (theory.md, T113). */
#ifndef ASSAY_ORACLES_FORMULA_SHARED_SHARED_POINTS_H
#define ASSAY_ORACLES_FORMULA_SHARED_SHARED_POINTS_H

#include "oracles/formula/fast/fast_evaluator.h"
#include "oracles/formula/shared/shared_evaluator.h"

typedef struct shared_point {
  bool is_given;
  double low, high; /* What its step gave at the last evaluation, or, if it is given, once. */
  double place;     /* Where in that it is to be: -1 at the lower end, 1 at the upper one. */
  double value;     /* Where it was; NaN if nothing is known of it. */
  double start;     /* With is_nearest: where it was before, and how far from that it is to be. */
  int ulps;
} shared_point_t;

typedef struct shared_points {
  shared_t as_shared;
  bool is_wide;    /* The fast evaluator's is_wide: without that numbers are those of binary32. */
  bool is_nearest; /* Numbers are some of binary32, as nearly all implementations have them. */
  size_t count;
  size_t next;
  shared_point_t points[SHARED_NUMBERS_MAX];
} shared_points_t;

/* Of the numbers nothing is known yet; their places are the middles. */
void shared_points_init(shared_points_t *out_points, bool is_wide);

/* To call before a formula is run with formula_t.shared = &points->as_shared: first to record, with
 * the whole row; then to replay. */
void shared_points_start(shared_points_t *points, bool is_recording);

/* From now on numbers are those of binary32 nearest to what they were at the last evaluation, or so
 * many units in the last place away, where their steps may give these. */
void shared_points_start_nearest(shared_points_t *points);

/* Whether the step of the number may give several of binary32. */
bool shared_point_has_neighbours(const shared_point_t *point);

#endif
