/* SPDX-License-Identifier: Apache-2.0 */
/* All that an oracle's decide() would accept of one component, where that is known at once: a union
 * of ranges.  Who wants the ends of what conforms has them without asking about pattern by
 * pattern. */
#ifndef ASSAY_ORACLES_ACCEPTED_RANGES_H
#define ASSAY_ORACLES_ACCEPTED_RANGES_H

#include "harness/model/contract.h"
#include "oracles/exact/value_range.h"

struct choice_set; /* oracles/exact/sum/choice_set.h */

enum { ACCEPTED_RANGES_MAX = 12 };

/* Of floats that have a sign. */
typedef struct accepted_ranges {
  bool is_known; /* If not, nothing is known here: ask decide(). */
  bool any_zero;
  uint32_t count;
  value_range_t ranges[ACCEPTED_RANGES_MAX];
} accepted_ranges_t;

/* The empty set of a contract; and of what nothing is known. */
accepted_ranges_t accepted_ranges_make(const contract_t *contract);
accepted_ranges_t accepted_ranges_unknown(void);

/* Adds a range; of more than ACCEPTED_RANGES_MAX different ones nothing is known. */
void accepted_ranges_add(accepted_ranges_t *set, const value_range_t *range);

/* Adds each of some patterns as a range of its own. */
void accepted_ranges_add_choices(accepted_ranges_t *set, const format_t *format,
                                 const struct choice_set *choices);

bool accepted_ranges_hold(const accepted_ranges_t *set, const format_t *format, uint64_t bits);

/* What the patterns of a set but NaN are, in the order of format_ordinal(). */
typedef enum accepted_hull {
  ACCEPTED_HULL_WHOLE, /* All between the least and the greatest: infinities too, where they are. */
  ACCEPTED_HULL_GAPS,  /* Not all of those: a zero of one sign may be missing. */
  ACCEPTED_HULL_NO_NUMBER
} accepted_hull_t;

/* Sets out_ends where they are whole, to the patterns of both ends. */
accepted_hull_t accepted_ranges_hull(const accepted_ranges_t *set, const format_t *format,
                                     uint64_t out_ends[2]);

#endif
