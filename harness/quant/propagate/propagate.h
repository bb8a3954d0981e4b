/* SPDX-License-Identifier: Apache-2.0 */
/* Propagation: resolves the constraints of a model and a target (quant.md names the RFC:
 * its section "Propagation pass").  quant.md has the definition in full; in short:
 *
 * Every region port, and every value that is neither a constant nor to be kept (KEEP), is open or
 * settled, and what is settled never changes.  A value with a UNIFORM spec is settled from the
 * start; constants are quantized for each port anew.  Each region gets its row of the table and so
 * its signature (quant_target_match), in which an open wildcard whose own spec is open takes after
 * its value once that is settled; one without is refused and stays in high precision, as do float
 * ports.  A work list holds regions; the least by quant_graph_order() is visited next.  A
 * visit, which is atomic:
 *   1. ports with a UNIFORM spec of their own are settled with it, and with all that the rules of
 *      the row derive from what is settled: if they contradict one another, the region is refused;
 *   2. open ports are offered what their value has, then what the calibration in their constraint
 *      asks for, then what a constant's data ask for (along the signature's axis; symmetric where
 *      the signature is).  An offer is tried together with all that the rules derive from it, and
 *      settles these ports if no rule contradicts and none has to wait for other ports; again and
 *      again the first that can be taken is taken, by source and then by port, until none can;
 *   3. all rules of the row are checked on the settled ports, by quant_rule_t.check, and every port
 *      by quant_port_admits and its own spec: a breach is STATUS_INVALID, a bug in Assay;
 *   4. every open value of a port so settled is settled with the port's parameters (first port
 *      first; unless its spec is ANY and asks for more), and the regions that touch it and have
 *      open ports join the work list, the present one too.
 * It ends when the work list is empty: the fixed point.  A region with an open port whose offer
 * contradicts a rule is then refused as well.  All ports of a refused region become high precision;
 * what its values were given stays.  A port that is settled otherwise than its value, which is no
 * constant, is a conflict: it gets a rescale, of the value for an input, to the value for an
 * output.  Rescale regions need no row: they have the parameters that their ports say or, where
 * these say nothing, their values. */
#ifndef ASSAY_QUANT_PROPAGATE_PROPAGATE_H
#define ASSAY_QUANT_PROPAGATE_PROPAGATE_H

#include "harness/quant/target/target.h"

/* Planted faults, for showing that the checks see them: FAULT(NAME, "spelling", what it does). */
typedef enum quant_fault {
  QUANT_FAULT_none,
#define FAULT(name, spelling, summary) QUANT_FAULT_##name,
#include "harness/quant/propagate/quant_faults.def"
#undef FAULT
  QUANT_FAULT_COUNT
} quant_fault_t;
const char *quant_fault_spelling(quant_fault_t fault);

typedef struct quant_port_result {
  quant_spec_t spec; /* UNIFORM, KEEP, or OPEN if nothing was found out. */
  quant_source_t source;
  const quant_rule_use_t *rule; /* Of QUANT_SOURCE_RULE, else NULL. */
  uint32_t visit;               /* Number of the visit that settled it, from 1; 0 if none did. */
  bool is_rescaled;             /* It conflicts with its value, so a rescale stands between. */
} quant_port_result_t;

typedef struct quant_region_result {
  const quant_target_row_t *row;     /* NULL where refused. */
  const char *refusal;               /* Why it stays in high precision, or NULL. */
  quant_signature_port_t *signature; /* Completed, by port of the region; NULL without a row. */
  quant_port_result_t *ports;        /* As many as the region has. */
} quant_region_result_t;

/* The port whose parameters a value was given. */
typedef struct quant_setter {
  int32_t region; /* QUANT_NONE: no port, but the value's own spec, or nothing. */
  uint32_t port;
} quant_setter_t;

typedef struct quant_propagation {
  const quant_graph_t *graph; /* Borrowed, as is the table. */
  const quant_target_t *table;
  quant_region_result_t *regions; /* By region. */
  quant_spec_t *values;           /* By value: UNIFORM if settled, else OPEN. */
  quant_setter_t *value_setters;  /* By value. */
  uint32_t visit_count;           /* At most regions and their ports together. */
  uint32_t rescale_count;         /* Rescales that materialization inserts. */
  uint32_t refused_count;
  uint32_t plain_count;    /* Ops in no region, which stay in high precision. */
  uint32_t open_count;     /* Quantizable ports without parameters, refused regions left aside. */
  bool is_fully_quantized; /* Nothing refused, nothing open (the seed's definition), and
                            * no op in no region. */
} quant_propagation_t;

/* All that is made lives in `arena`.  STATUS_INVALID only for a bug in Assay, see 4. */
status_t quant_propagate(const quant_graph_t *graph, const quant_target_t *table,
                         quant_fault_t fault, arena_t *arena, quant_propagation_t *out_propagation,
                         failure_t *error);

/* The quantized model: ports have their parameters as specs, float ports and those of refused
 * regions KEEP, settled values theirs.  Rescale regions stand where ports conflict with their
 * values; inputs in one call that want the same parameters of a value share one.  A rescale and the
 * value that it adds are both called "VALUE.rescale", numbered where that is taken
 * ("VALUE.rescale.2"). Propagating and materializing the result again changes nothing.  It shares
 * constants and ops with the propagated graph, which must live as long. */
status_t quant_materialize(const quant_propagation_t *propagation, quant_fault_t fault,
                           arena_t *arena, quant_graph_t *out_graph, failure_t *error);

#endif
