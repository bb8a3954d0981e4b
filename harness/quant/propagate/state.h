/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of propagation (quant.md): what runs hold, offers, visits.  For propagate*.c alone. */
#ifndef ASSAY_QUANT_PROPAGATE_STATE_H
#define ASSAY_QUANT_PROPAGATE_STATE_H

#include "harness/quant/propagate/propagate.h"
#include "harness/quant/propagate/work_list.h"

/* One propagation. */
typedef struct quant_run {
  const quant_graph_t *graph;
  const quant_target_t *table;
  quant_fault_t fault;
  arena_t *arena;
  quant_propagation_t *propagation; /* What is found out. */
  work_list_t list;
  const char **blocked; /* By region: why an open port could not take what it was offered when the
                         * region was last visited, or NULL. */
} quant_run_t;

/* One visit of a region that has a row. */
typedef struct quant_visit {
  quant_run_t *run;
  uint32_t region;
  const quant_region_t *shape;
  quant_region_result_t *result;
  uint32_t port_count;
  /* What was settled before or is taken in this visit is `settled`; an `offer` is on trial. */
  quant_port_state_t states[QUANT_PORTS_MAX];
  bool was_open[QUANT_PORTS_MAX];                 /* Before the visit. */
  const quant_rule_use_t *rules[QUANT_PORTS_MAX]; /* That derived what is settled by rule. */
} quant_visit_t;

/* Visits a region: settles what of its ports can be settled, then its values, and lists the regions
 * that are to be visited for that.  STATUS_INVALID only for a bug in Assay. */
status_t quant_visit_region(quant_run_t *run, uint32_t region, failure_t *error);

/* What `source` (VALUE, CALIBRATION or DATA) offers an open port: UNIFORM parameters that it
 * admits, or OPEN. */
quant_spec_t quant_offer(const quant_visit_t *visit, uint32_t port, quant_source_t source);

/* Whether a port can have UNIFORM parameters: its signature admits them, they fit its tensor, and
 * its constraint, where that is ANY, asks for no more. */
status_t quant_visit_admits(const quant_visit_t *visit, uint32_t port, const quant_spec_t *spec,
                            failure_t *error);

/* Whether the storage range of UNIFORM parameters holds all of that of a spec, where that is ANY.
 */
bool quant_spec_is_wide_enough(const quant_spec_t *constraint, const quant_spec_t *spec);

/* Refuses a region as a whole; `text` says which, and why. */
void quant_refuse(quant_run_t *run, uint32_t region, const char *text);

/* A rescale of a value for inputs: all that want these parameters in this call share it. */
typedef struct quant_rescale {
  uint32_t value;
  int32_t call;
  const quant_spec_t *spec; /* UNIFORM; borrowed. */
  uint32_t made;            /* The value that it makes, once it is made. */
} quant_rescale_t;

/* An empty set of rescales; g_hash_table_destroy() frees it. */
GHashTable *quant_rescales_begin(void);

/* The rescale of the set that a region in `call` may share, or a new one in the arena. */
quant_rescale_t *quant_rescale_shared(GHashTable *rescales, uint32_t value, int32_t call,
                                      const quant_spec_t *spec, arena_t *arena, bool *out_is_new);

#endif
