/* SPDX-License-Identifier: Apache-2.0 */
/* What conforms, component by component: the ends of numbers, and specials.  The oracle is asked
 * for whole ranges first, and about patterns where it knows none. */
#ifndef ASSAY_POWER_ACCEPTED_ENDS_H
#define ASSAY_POWER_ACCEPTED_ENDS_H

#include "harness/power/tolerance.h"

/* Of floats. */
typedef enum accepted_special {
  ACCEPTED_NAN = 1,
  ACCEPTED_POSITIVE_INFINITY = 2,
  ACCEPTED_NEGATIVE_INFINITY = 4,
  ACCEPTED_NEGATIVE_ZERO = 8,
  ACCEPTED_POSITIVE_ZERO = 16
} accepted_special_t;

/* A special and its pattern. */
typedef struct special_pattern {
  uint8_t flag;
  bool exists;
  uint64_t bits;
} special_pattern_t;
enum { SPECIAL_PATTERN_COUNT = 5 };
void special_patterns(const format_t *format, special_pattern_t out[SPECIAL_PATTERN_COUNT]);

typedef struct accepted_ends {
  bool is_unknown; /* Then nothing else is set. */
  bool has_ends;   /* Some number conforms: */
  uint64_t lowest, highest;
  uint8_t specials; /* A set of accepted_special_t. */
} accepted_ends_t;

/* Of the components of a span of a result: what tolerance_find() would find of each, and which
 * specials conform.  Of a component without a value to begin with also what a range tells. */
status_t accepted_ends_find(const tolerance_question_t *question, uint32_t result,
                            component_span_t span, accepted_ends_t *out_ends, failure_t *error);

#endif
