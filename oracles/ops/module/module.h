/* SPDX-License-Identifier: Apache-2.0 */
/* What the oracle files of op `module` share. */
#ifndef ASSAY_ORACLES_OPS_MODULE_MODULE_H
#define ASSAY_ORACLES_OPS_MODULE_MODULE_H

#include "generated/module_permissions.h"
#include "harness/kinds/module/module.h"
#include "oracles/oracle.h"

/* The values of permission `intermediates`. */
enum { INTERMEDIATES_ROUNDED, INTERMEDIATES_WIDER, INTERMEDIATES_EITHER };

/* What each element of each result of a case may be under a contract: in the arena.
 * STATUS_UNSUPPORTED if a step is not enclosed, with its value and the reason. */
status_t module_enclose(const case_t *instance, const contract_t *contract, arena_t *arena,
                        box_t *out_results[CASE_RESULTS_MAX], failure_t *error);

/* Whether a contract has every intermediate value rounded to its type. */
bool module_rounds_all(const contract_t *contract);

/* oracle_t.enclose */
status_t module_enclose_boxes(const enclosure_call_t *call,
                              box_t *const out_results[CASE_RESULTS_MAX]);

/* Cuts the boxes of the only result of a case to what its oracle's exact side permits, where they
 * hold few numbers. */
void module_narrow(const case_t *known, const contract_t *contract, arena_t *arena,
                   box_t *inout_boxes);

/* The bits of a value of which each element is one number, not zero if it is a float, whose sign
 * would be open; or NULL. */
const tensor_t *module_find_bits(const type_t *type, const box_t *boxes, arena_t *arena);

/* Whether a step is stablehlo.NAME. */
bool module_step_is(const module_step_t *step, const char *name);

/* Two dequantized tensors, of which an op is quantized, perhaps after a maximum with zeros: the op
 * on quantized types, and the values that it takes (theory.md, T213). */
typedef struct module_quantized {
  program_t program;
  module_value_t sources[2];
  bool has_maximum;
} module_quantized_t;

/* Whether a step is the end of that. */
bool module_find_quantized(const module_t *module, const module_step_t *step,
                           module_quantized_t *out);

/* What kernels on what is stored are permitted of that op: at least to rescale in floats. */
contract_t module_contract_of_quantized(const contract_t *contract);

/* oracle_t.simulate.  schedule.formula is a value of permission `intermediates`, and says how the
 * steps are fused: rounded, each on its own; wider, all floats in the next wider format; either,
 * products and sums of two dequantized operands on what is stored, with the scales multiplied. */
oracle_simulate_t module_simulate;

/* One step as a kernel with a planted fault runs it; the results are allocated. */
typedef struct module_faulty_step {
  const oracle_call_t *call;
  const module_t *module;
  const module_step_t *step;
  const implementation_model_t *schedule;
  const tensor_t *values; /* By value: what was computed. */
} module_faulty_step_t;
status_t module_simulate_faulty(const module_faulty_step_t *faulty, tensor_t *inout_results);

/* A case of one program on tensors, seen as the program takes them, simulated. */
status_t module_simulate_program(const oracle_call_t *call, const program_t *program,
                                 const tensor_t *const operands[],
                                 const implementation_model_t *schedule, tensor_t *inout_results);

#endif
