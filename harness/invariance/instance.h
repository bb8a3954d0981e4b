/* SPDX-License-Identifier: Apache-2.0 */
/* An instance of a property of invariance: a case, and what is done to it.  The other case that
 * comes of it holds the same numbers; result elements that stand for each other must have the same
 * bits.  Knows no executor. */
#ifndef ASSAY_INVARIANCE_INSTANCE_H
#define ASSAY_INVARIANCE_INSTANCE_H

#include "harness/base/rng.h"
#include "harness/model/axes.h"

typedef enum invariance_kind {
  INVARIANCE_KIND_COUNT,
  INVARIANCE_KIND_POSITION,
  INVARIANCE_KIND_LAYOUT,
  INVARIANCE_KIND_RUNS,
  INVARIANCE_KIND_COMPILES,
  INVARIANCE_KIND_SIZES,
  INVARIANCE_KIND_REPLICAS,
} invariance_kind_t;

typedef enum invariance_property {
#define INVARIANCE(name, spelling, kind, role, noun, summary) INVARIANCE_##name,
#include "harness/invariance/properties.def"
#undef INVARIANCE
  INVARIANCE_COUNT
} invariance_property_t;

/* A row of invariance/properties.def. */
typedef struct invariance_row {
  const char *spelling;
  invariance_kind_t kind;
  axis_role_t role;
  const char *noun; /* What changes: "batch size". */
  const char *summary;
} invariance_row_t;
extern const invariance_row_t invariance_table[INVARIANCE_COUNT];

/* Whether it cuts an axis short. */
bool invariance_is_counted(invariance_property_t property);

/* Whether the property speaks of two cases; the others run one case again, or once. */
bool invariance_has_two_cases(invariance_property_t property);

typedef struct invariance_instance {
  invariance_property_t property;
  case_t base;
  axes_t axes; /* Of `base`. */
  /* What is done, as the property's kind asks for it. */
  uint32_t axis; /* COUNT, SIZES, POSITION. */
  int64_t count; /* COUNT, SIZES: so many entries are left, the first ones. */
  int64_t shift; /* POSITION: entry i goes to i + shift, cyclically. */
  axis_list_t operands[CASE_OPERANDS_MAX]; /* LAYOUT: the operands' axes in the other case. */
} invariance_instance_t;

/* Draws what is done to a case with the property.  False if the property does not apply to it. */
bool invariance_draw(rng_t *rng, invariance_property_t property, const case_t *base,
                     const axes_t *axes, invariance_instance_t *out_instance);

/* The other case; of a property that has one case, `base` itself. */
typedef struct invariance_other {
  case_t instance;
  /* For each element of a result of the other case, the element of the base case. */
  const size_t *element_map[CASE_RESULTS_MAX];
} invariance_other_t;

/* All in the arena.  False if nothing is changed, or to no valid program. */
bool invariance_make_other(const invariance_instance_t *instance, arena_t *arena,
                           invariance_other_t *out_other);

/* A deep copy into `arena`. */
invariance_instance_t invariance_copy(const invariance_instance_t *instance, arena_t *arena);

/* How much there is to compute: the product of all sizes. */
double invariance_work(const invariance_instance_t *instance);

#endif
