/* SPDX-License-Identifier: Apache-2.0 */
/* How much a divergence matters to whoever uses the results: a severity (severities.def), and
 * inside it a weight, by how ordinary the data are and how large the error is.  It is told from
 * what a database keeps of a case, so that what older databases hold is graded by the same rules.
 */
#ifndef ASSAY_STORE_SEVERITY_SEVERITY_H
#define ASSAY_STORE_SEVERITY_SEVERITY_H

#include <stdint.h>

#include "harness/num/element.h"

typedef enum severity_id {
#define SEVERITY(name, spelling, words) SEVERITY_##name,
#include "harness/store/severity/severities.def"
#undef SEVERITY
  SEVERITY_COUNT
} severity_id_t;

const char *severity_spelling(severity_id_t severity);
const char *severity_words(severity_id_t severity);

/* The one so spelled; SEVERITY_COUNT if there is none. */
severity_id_t severity_find(const char *spelling);

/* What is known of a case that diverges; the texts as the columns of a database with these names
 * have them, and borrowed. */
typedef struct severity_case {
  const char *class_;
  const char *cause; /* "" unless it is sure. */
  const char *types; /* "f32,f32->f32" */
  const char *case_line;
  const char *got; /* Of the worst element. */
  const char *expected;
} severity_case_t;

/* Data whose extent is at most this are ordinary. */
#define SEVERITY_ORDINARY_EXTENT 16.0

typedef struct severity {
  severity_id_t id;
  /* How far operand elements go from 1, the farthest, in binary orders of magnitude: |e| of a
   * number m * 2^e with 1 <= m < 2, and INFINITY of an infinity and NaN.  Of integers their bits,
   * measured so that half the bits of a type, but at least 8, are 16 orders.  Zeros go nowhere.
   * NaN: unknown, since the line is none that can be read. */
  double data_extent;
  /* Of the worst element: the distance to the nearest end of what conforms, over the larger of the
   * two magnitudes; 0 to 2.  NaN: not known, or not a number. */
  double relative_error;
  /* Larger is graver: log2(relative_error) - data_extent / 4, both ended; never NaN. */
  double weight;
} severity_t;

severity_t severity_of(const severity_case_t *instance);

/* severity_t.data_extent of one component of an operand. */
double severity_extent(const element_t *element, uint64_t bits);

#endif
