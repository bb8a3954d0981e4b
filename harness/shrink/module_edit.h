/* SPDX-License-Identifier: Apache-2.0 */
/* A case of op `module` with some of its values replaced, and without what nobody uses then. */
#ifndef ASSAY_SHRINK_MODULE_EDIT_H
#define ASSAY_SHRINK_MODULE_EDIT_H

#include "harness/kinds/module/module.h"

typedef struct module_edit {
  const case_t *from;
  tensor_t *values;        /* By value: what the plain model computes; no data if it does not. */
  module_value_t *instead; /* By value: the one that is taken in its place, defined before it. */
  bool *becomes_argument;  /* By value: an operand of this name takes its place. */
  uint32_t return_count;   /* As the module has them at first. */
  module_value_t returns[CASE_RESULTS_MAX];
} module_edit_t;

/* No change so far.  Values are computed: once for all edits of a case. */
module_edit_t module_edit_make(const case_t *from, arena_t *arena);

/* Takes back all changes. */
void module_edit_reset(module_edit_t *edit);

/* The case that the edit makes, in the arena: with the operands that are left, then new ones, whose
 * data are the values.  False if a module has no room for so many operands, or none is left.  It
 * may break the op's constraints. */
bool module_edit_build(const module_edit_t *edit, arena_t *arena, case_t *out_case);

#endif
