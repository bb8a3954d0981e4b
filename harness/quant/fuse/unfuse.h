/* SPDX-License-Identifier: Apache-2.0 */
/* A graph whose regions are taken apart.  For unfuse.c and revert.c alone. */
#ifndef ASSAY_QUANT_FUSE_UNFUSE_H
#define ASSAY_QUANT_FUSE_UNFUSE_H

#include "harness/quant/fuse/state.h"

/* An op that stands in the new graph, told by its result. */
typedef struct placed {
  const program_t *program;
  const uint32_t *operands; /* Values of the new graph. */
} placed_t;

typedef struct unfuser {
  const quant_graph_t *graph;
  const bool *is_wanted; /* By region, or NULL for all. */
  bool has_casts;
  arena_t *arena;
  quant_builder_t *builder;
  GHashTable *values;  /* Name -> value + 1, in the new graph. */
  GHashTable *names;   /* Of values and regions, for unique_name(). */
  GArray *specs;       /* quant_spec_t of the values of the new graph. */
  GArray *constants;   /* const tensor_t *, or NULL. */
  GHashTable *placed;  /* Value + 1 -> placed_t, of ops with one result. */
  GHashTable *casts;   /* "VALUE CALL" -> value + 1: in high precision. */
  GPtrArray *rescales; /* quant_region_t, added last. */
  GString *notes;
} unfuser_t;

/* Adds a value to the new graph; the name lives in the arena. */
uint32_t unfuse_add_value(unfuser_t *unfuser, quant_value_role_t role, const char *name,
                          const type_t *type, const quant_spec_t *spec, const tensor_t *constant);

/* The input of an op that was in a region, and what the op is to make for a value: with casts, what
 * stands in high precision beside a quantized value; else the value itself (revert.c). */
uint32_t unfuse_cast_input(unfuser_t *unfuser, uint32_t value, int32_t call);
uint32_t unfuse_cast_output(unfuser_t *unfuser, uint32_t value, int32_t call);

/* The new graph, by `graph`, `is_wanted`, `has_casts`, `arena` and `notes`. */
status_t unfuse_rebuild(unfuser_t *unfuser, quant_graph_t *out_graph, failure_t *error);

#endif
