/* SPDX-License-Identifier: Apache-2.0 */
/* Ops whose meaning is another op on operands that are gathered first: a convolution is a
 * dot_general of windows, reduce_window a reduce of windows, all_reduce a reduce over replicas.  An
 * op's folder says how to gather; all functions of its oracle row follow from that and from the
 * other op's row, so that such an op has the same accept sets, models and exact kernels. */
#ifndef ASSAY_ORACLES_DERIVED_DERIVED_H
#define ASSAY_ORACLES_DERIVED_DERIVED_H

#include "oracles/oracle.h"

/* A case of the other op.  Its program obeys all that the other oracle relies on, but need not be
 * one that the specification allows or the bounds of type_check().  Element `i` of each of its
 * results is element elements[i] of the same result of the gathered case. */
typedef struct derived_part {
  case_t instance;
  size_t element_count;
  const size_t *elements; /* element_count of them. */
} derived_part_t;

/* The parts have no result element in common.  Result elements that are in none are those that the
 * specification leaves open: whatever they are conforms, and is counted as weak. */
typedef struct derived_parts {
  size_t count;
  const derived_part_t *parts; /* All of one op. */
} derived_parts_t;

/* What an oracle row has, as oracle_t.gathering, instead of functions of its own.  All parts live
 * in the arena. */
struct gathering {
  /* `variant`: 0 for the specification's way to gather.  `fault`: FAULT_NONE, or a fault that may
   * act where operands are gathered; any other acts in the other op. */
  status_t (*gather)(const case_t *instance, uint32_t variant, fault_t fault, arena_t *arena,
                     derived_parts_t *out_parts, failure_t *error);

  /* How many variants the contract permits of this case, at least 1: their accept sets are united.
   * NULL: one. */
  uint32_t (*count_variants)(const case_t *instance, const contract_t *contract);

  /* Of ops that give one value to several elements of a result, the replicas of a group: for each
   * element of a result, which all have one shape, the first of those with which it shares its
   * value, itself if it is that; NULL where the contract lets each have a value of its own.  The
   * function is NULL if no elements share any. */
  const size_t *(*leaders)(const program_t *program, const contract_t *contract, arena_t *arena);

  /* What to note where only another variant than the first explains a result; NULL: nothing. */
  const char *(*name_variant)(uint32_t variant);
};

/* The functions of oracle_t of the same names, for rows that have a gathering. */
status_t derived_accept(const oracle_call_t *call, accept_t out_accepts[CASE_RESULTS_MAX]);
status_t derived_ask(const oracle_call_t *call, uint32_t result, size_t component,
                     answer_t *out_answer);
status_t derived_ranges(const oracle_call_t *call, uint32_t result, component_span_t span,
                        accepted_ranges_t *out_ranges);
status_t derived_audit(const oracle_call_t *call, const accept_t *accepts, uint32_t result,
                       size_t component);
status_t derived_simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                          tensor_t *inout_results);

/* For rows of ops whose other op has formulas; formulas nest, so that the
 * loosest of the parts' is the first that explains all. */
status_t derived_find_formula(const oracle_call_t *call, const accept_t *accepts,
                              uint8_t *out_formula, bool *out_found);

/* For rows of ops whose other op has algorithms: those that could have given every part. */
status_t derived_consistent(const oracle_call_t *call, GString *out_names);

/* For rows of ops whose other op encloses, and which gather by types alone, whatever the operands
 * hold, and by patterns of up to 64 bits. */
status_t derived_enclose(const enclosure_call_t *call, box_t *const out_results[CASE_RESULTS_MAX]);

/* All of them but the last two, for a row. */
#define DERIVED_FUNCTIONS                                                  \
  .accept = derived_accept, .decide = derived_ask, .audit = derived_audit, \
  .ranges = derived_ranges, .simulate = derived_simulate

#endif
