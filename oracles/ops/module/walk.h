/* SPDX-License-Identifier: Apache-2.0 */
/* A module that is enclosed step by step: what is known of its values so far. */
#ifndef ASSAY_ORACLES_OPS_MODULE_WALK_H
#define ASSAY_ORACLES_OPS_MODULE_WALK_H

#include "oracles/ops/module/module.h"

typedef struct module_walk {
  const module_t *module;
  contract_t contract; /* Of the steps. */
  uint8_t intermediates;
  box_t **boxes;                 /* By value: what later steps may see. */
  box_t **stored;                /* By value: what is returned of it; the same array where alike. */
  box_t **rounded;               /* By value: what its exact numbers are rounded to, or NULL. */
  const tensor_t **known;        /* By value: its bits where there is one possibility, or NULL. */
  const module_step_t *combined; /* The step whose numbers are; see algebra.c, ... */
  bool is_scaled;                /* ... and scales.c. */
  arena_t *arena;
  failure_t *error;
} module_walk_t;

/* What is made of a step: of what it sees. */
typedef struct module_made {
  box_t *stored[CASE_RESULTS_MAX], *kept[CASE_RESULTS_MAX];
  box_t *exact[CASE_RESULTS_MAX]; /* NULL: not known, or not asked for. */
  bool has_others;                /* Something else may be computed in its place. */
} module_made_t;

/* Units roundoff of the expressed type by which numbers are off where kernels multiply scales into
 * one another (theory.md, T177). */
#define MODULE_MERGED_ROUNDINGS (8 * (1 + 0x1p-5))

/* By the step's oracle; `program` may be its program seen otherwise. */
status_t module_walk_enclose(module_walk_t *walk, const module_step_t *step,
                             const program_t *program, const contract_t *contract,
                             const box_t *const operands[], box_t *const out_results[]);

/* Adds what uniform_quantize gives of what is not rounded, or off by roundings of scales: both as
 * the type computes and exactly. */
status_t module_add_unrounded_quantize(module_walk_t *walk, const module_step_t *step,
                                       const box_t *operand, box_t *inout_result);

/* Adds what the op on quantized types gives, where scales may be merged: T213, and T178. */
status_t module_add_quantized_op(module_walk_t *walk, const module_step_t *step,
                                 box_t *inout_result);

/* What later steps may see of a result of floats, and what may be returned of it. */
status_t module_widen_floats(module_walk_t *walk, const module_step_t *step, uint32_t result,
                             const module_made_t *made);

#endif
