/* SPDX-License-Identifier: Apache-2.0 */
/* Makes an instance that breaks a property small, and tells at which value it begins to break. */
#ifndef ASSAY_INVARIANCE_SHRINK_H
#define ASSAY_INVARIANCE_SHRINK_H

#include <signal.h>

#include "harness/invariance/check.h"

typedef struct invariance_shrink_options {
  executor_t *executor;
  uint32_t executions;               /* See invariance_check(). */
  uint64_t seed;                     /* Of the data that are tried. */
  uint32_t checks_max;               /* Then the smallest instance so far must do. */
  const volatile sig_atomic_t *stop; /* Likewise once nonzero, if not NULL. */
} invariance_shrink_options_t;

/* `check` is that of `instance`, and broken; so is *out_check.  Of what comes out, unless
 * checks_max ran out, no axis can be cut shorter by itself, neither on the instance's own data nor
 * on a few drawn anew: bisected where an axis is long, else every shorter size has been tried. */
void invariance_shrink(const invariance_shrink_options_t *options,
                       const invariance_instance_t *instance, const invariance_check_t *check,
                       arena_t *arena, invariance_instance_t *out_instance,
                       invariance_check_t *out_check);

/* The bits of one and the same result element, while what the property speaks of takes every value
 * up to the instance's own. */
typedef struct invariance_step {
  int64_t value; /* The count (COUNT), or the index of the entry (POSITION). */
  uint64_t bits;
} invariance_step_t;

/* Returns how many steps there are; 0 if the property has no such values, or too many, or the
 * executor does not answer all of them.  *out_steps is in the arena. */
size_t invariance_sweep(executor_t *executor, const invariance_instance_t *instance,
                        const invariance_difference_t *difference, arena_t *arena,
                        invariance_step_t **out_steps);

#endif
