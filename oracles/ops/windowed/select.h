/* SPDX-License-Identifier: Apache-2.0 */
/* What a select_and_scatter selects from a window: the values of its elements are joined two by two
 * by `select(a, b) ? a : b`, by an in-order tree that the specification leaves open. */
#ifndef ASSAY_ORACLES_OPS_WINDOWED_SELECT_H
#define ASSAY_ORACLES_OPS_WINDOWED_SELECT_H

#include "oracles/ops/windowed/gather.h"

/* How free the choice is; each level permits what those before it do. */
typedef enum select_level {
  SELECT_IN_ORDER,  /* By any in-order tree. */
  SELECT_FLUSHED,   /* Likewise, where subnormal numbers may compare as zeros. */
  SELECT_ANY_ORDER, /* By any tree over any order, likewise. */
  SELECT_LEVEL_COUNT
} select_level_t;

/* What may be selected from one window. */
typedef struct selection {
  int64_t folded;         /* The element that a left fold selects; -1 if the window has none. */
  size_t count;           /* What else may be selected, with `folded`; 1 where nothing else may. */
  const int64_t *choices; /* `count` elements, if that is not 1. */
} selection_t;

/* The operand of a select_and_scatter as `select` sees it. */
typedef struct selector selector_t;

const selector_t *selector_make(const case_t *instance, arena_t *arena);

/* Whether an element of the operand is NaN; without any, every tree selects what a left fold does.
 */
bool selector_has_nan(const selector_t *selector);

/* One for each window. */
const selection_t *selector_choices(const selector_t *selector, const window_elements_t *windows,
                                    select_level_t level, arena_t *arena);

/* What a left fold with that fault selects from one window; -1 if it has no element. */
int64_t selector_fold(const selector_t *selector, const int64_t *elements, size_t count,
                      fault_t fault);

#endif
