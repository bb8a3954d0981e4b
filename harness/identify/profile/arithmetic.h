/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetics of a profile's nodes as a short list, named by letters.  Private to the files
 * that print and parse profiles. */
#ifndef ASSAY_IDENTIFY_PROFILE_ARITHMETIC_H
#define ASSAY_IDENTIFY_PROFILE_ARITHMETIC_H

#include "harness/identify/profile/profile.h"

enum { ARITHMETICS_MAX = 26 };

typedef struct arithmetic_list {
  size_t count;
  profile_node_t rows[ARITHMETICS_MAX]; /* Without children. */
} arithmetic_list_t;

/* Whether two nodes add in the same way. */
static inline bool arithmetic_equal(const profile_node_t *a, const profile_node_t *b) {
  return a->format == b->format && a->rounding == b->rounding && a->fused == b->fused &&
         a->aligned_bits == b->aligned_bits && a->overflows == b->overflows &&
         a->by_field == b->by_field && a->cuts_sum == b->cuts_sum;
}

/* The letter of a node's arithmetic, which is added if it is new; 'z' for all from the 26th on,
 * which no profile has that identification makes. */
static inline char arithmetic_letter(arithmetic_list_t *list, const profile_node_t *node) {
  size_t i = 0;
  while (i < list->count && !arithmetic_equal(&list->rows[i], node)) i++;
  if (i == ARITHMETICS_MAX) return 'z';
  if (i == list->count) list->rows[list->count++] = *node;
  return (char)('a' + i);
}

#endif
