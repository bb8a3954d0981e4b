/* Propagation: resolves the constraints of a model and a target (shared/seeds/002, "Propagation
 * pass").  quant.md has the definition in full; in short:
 *
 * Every region port, and every value that is not a constant, is open or settled, and what is
 * settled never changes.  A value with a UNIFORM spec is settled from the start; constants are
 * quantized for each port anew.  Each region gets its row of the table and so its signature
 * (quant_table_match); one without is refused and stays in high precision, as do float ports.
 * A work list holds regions; the least by quant_graph_order() is visited next.  A visit, which is
 * atomic:
 *   1. each open port is offered, in this order of preference: its own UNIFORM spec; its value's
 *      parameters, if settled and admitted by the signature; what the calibration in its constraint
 *      asks for; for a constant, what its data ask for (along the signature's axis; symmetric
 *      where the signature is);
 *   2. the rules of the row are asked in order, repeatedly until none updates anything; what a rule
 *      derives replaces offers;
 *   3. every port with an offer is settled with it;
 *   4. all rules of the row are checked on the settled ports, by quant_rule_t.check, and every port
 *      by quant_port_admits: a breach is STATUS_INVALID, a bug in Assay;
 *   5. every open value of a port so settled is settled with the port's parameters (first port
 *      first), and the other regions that touch it join the work list.
 * A region whose rules cannot be satisfied is refused as a whole: its ports become high precision;
 * what its values were given stays.
 * It ends when the work list is empty: the fixed point.  A port that is settled otherwise than its
 * value is a conflict: it gets a rescale, of the value for an input, to the value for an output. */
#ifndef ASSAY_QUANT_PROPAGATE_H
#define ASSAY_QUANT_PROPAGATE_H

#include "harness/quant/table.h"

/* Planted faults, for showing that the checks see them: FAULT(NAME, "spelling", what it does). */
typedef enum quant_fault {
  QUANT_FAULT_none,
#define FAULT(name, spelling, summary) QUANT_FAULT_##name,
#include "harness/quant/quant_faults.def"
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
  const quant_table_row_t *row;      /* NULL where refused. */
  const char *refusal;               /* Why it stays in high precision, or NULL. */
  quant_signature_port_t *signature; /* Completed, by port of the region; NULL without a row. */
  quant_port_result_t *ports;        /* As many as the region has. */
} quant_region_result_t;

typedef struct quant_propagation {
  const quant_graph_t *graph; /* Borrowed, as is the table. */
  const quant_table_t *table;
  quant_region_result_t *regions;     /* By region. */
  quant_spec_t *values;               /* By value: UNIFORM if settled, else OPEN. */
  const quant_port_t **value_setters; /* By value: the port that settled it, or NULL. */
  uint32_t visit_count;
  uint32_t rescale_count;
  uint32_t refused_count;
  uint32_t open_count;     /* Quantizable ports without parameters, refused regions left aside. */
  bool is_fully_quantized; /* Nothing refused, nothing open (the seed's definition). */
} quant_propagation_t;

/* All that is made lives in `arena`.  STATUS_INVALID only for a bug in Assay, see 4. */
status_t quant_propagate(const quant_graph_t *graph, const quant_table_t *table,
                         quant_fault_t fault, arena_t *arena, quant_propagation_t *out_propagation,
                         failure_t *error);

/* The quantized model: ports have their parameters as specs, float ports and those of refused
 * regions KEEP, settled values theirs; rescale regions stand where ports conflict with their values
 * ("VALUE.rescale", numbered where there are several; ports of one value that want the same
 * parameters share one).  Propagating it again changes nothing. */
status_t quant_materialize(const quant_propagation_t *propagation, quant_fault_t fault,
                           arena_t *arena, quant_graph_t *out_graph, failure_t *error);

#endif
