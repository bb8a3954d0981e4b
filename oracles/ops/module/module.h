/* SPDX-License-Identifier: Apache-2.0 */
/* What the oracle files of op `module` share. */
#ifndef ASSAY_ORACLES_OPS_MODULE_MODULE_H
#define ASSAY_ORACLES_OPS_MODULE_MODULE_H

#include "generated/module_permissions.h"
#include "harness/kinds/module/module.h"
#include "oracles/oracle.h"

/* The values of permission `intermediates`. */
enum { INTERMEDIATES_ROUNDED, INTERMEDIATES_WIDER, INTERMEDIATES_EITHER };

/* Those of permission `algebra`. */
enum { ALGEBRA_NONE, ALGEBRA_CONSTANTS, ALGEBRA_QUOTIENTS, ALGEBRA_SCALES };

/* A step whose operands are known, and of which a result is returned, moved perhaps: its program on
 * these operands is a case, and what conforms of that does (theory.md, T218). */
typedef struct module_root {
  case_t known;
  uint32_t result;
  const size_t *places; /* By element of what is returned, that of the step's; NULL: the same. */
} module_root_t;

/* What a result of a case may be: a box for each element, the whole line where nothing is known,
 * and its root if it has one. */
typedef struct module_set {
  box_t *boxes;
  bool has_root;
  module_root_t root;
  const box_t *rounded; /* By element of the root: what the exact result, kept in a wider format, is
                         * rounded to, which is permitted too; or NULL. */
} module_set_t;

/* What each result of a case may be under a contract: in the arena.  STATUS_UNSUPPORTED if a step
 * is not enclosed, with its value and the reason. */
status_t module_enclose(const case_t *instance, const contract_t *contract, arena_t *arena,
                        module_set_t out_sets[CASE_RESULTS_MAX], failure_t *error);

/* The contract of the steps under that of a module. */
contract_t module_contract_of_steps(const contract_t *contract);

/* Whether a contract has each step computed as it stands: no algebra across steps. */
bool module_keeps_steps(const contract_t *contract);

/* Whether a contract has every intermediate value rounded to its type. */
bool module_rounds_all(const contract_t *contract);

/* oracle_t.enclose */
status_t module_enclose_boxes(const enclosure_call_t *call,
                              box_t *const out_results[CASE_RESULTS_MAX]);

/* Cuts the boxes of the only result of a case to what its oracle's exact side permits, where they
 * hold few numbers. */
void module_narrow(const case_t *known, const contract_t *contract, arena_t *arena,
                   box_t *inout_boxes);

/* Of one finite number, taken twice: no difference, and no square below zero (T219).  `operand` is
 * what the step takes. */
void module_share(const module_step_t *step, const box_t *operand, box_t *inout_boxes);

/* Sums or products of a value and several numbers, one after the other: numbers that are the same
 * whatever the operands. */
enum { MODULE_NUMBERS_MAX = 16 };

typedef struct module_number {
  module_value_t base; /* What it is added to, or multiplied by. */
  module_value_t number;
  bool is_negated;  /* It is subtracted. */
  bool is_inverted; /* It is divided by. */
} module_number_t;

typedef struct module_numbers {
  bool adds;
  uint32_t count; /* MODULE_NUMBERS_MAX: there may be more before the first. */
  module_number_t items[MODULE_NUMBERS_MAX]; /* In the order of the steps. */
} module_numbers_t;

/* Those of which a step is the last; false if there are less than two.  Where `divides`, a number
 * that is divided by is one that is multiplied, as division=reciprocal has it (theory.md, T271). */
bool module_find_numbers(const module_t *module, const module_step_t *step, bool divides,
                         arena_t *arena, module_numbers_t *out_numbers);
bool module_divides_numbers(const contract_t *contract);

/* An addition, or a multiplication, on the step's types. */
program_t module_program_of_numbers(const module_step_t *step, const module_numbers_t *numbers);

/* What module_add_algebra() asks about steps. */
typedef struct module_algebra {
  box_t *const *boxes; /* By value: what steps see of it. */
  const contract_t *contract;
  bool may_be_wider;
  arena_t *arena;
  /* As oracle_t.enclose; a contract of NULL asks for exact results. */
  status_t (*enclose)(void *context, const program_t *program, const contract_t *contract,
                      const box_t *const operands[], box_t *const out_results[]);
  void *context;
  bool *is_scaled; /* Set while boxes that are asked about need not hold numbers of the type. */
} module_algebra_t;

/* Adds what the step may give where numbers are combined first: theory.md, T238. */
status_t module_add_algebra(const module_algebra_t *algebra, const module_step_t *step,
                            const module_numbers_t *numbers, box_t *inout_boxes);

/* What an operation makes of boxes: stores, and keeps where that may be wider (T175). */
status_t module_combine(const module_algebra_t *algebra, const program_t *program,
                        const box_t *const operands[], box_t *out_boxes);

/* What a compiler computes in place of a value of a module: an op on other such, or a value, or
 * ones. */
typedef struct module_term {
  const program_t *program; /* NULL: a value, or ones. */
  bool is_one;
  module_value_t value;
  const struct module_term *operands[2];
  uint32_t size; /* Of ops and values, those that are used twice twice. */
} module_term_t;

/* In place of what a step gives, in the order of how much of it is another (theory.md, T269 and
 * T270). */
enum { MODULE_FORMS_MAX = 16 };
typedef struct module_forms {
  bool has_more; /* There may be more: of the step nothing is said. */
  uint32_t count;
  const module_term_t *items[MODULE_FORMS_MAX];
} module_forms_t;
void module_find_forms(const module_t *module, const module_step_t *step, bool inverts,
                       arena_t *arena, module_forms_t *out_forms);

/* Adds what these give; the last of them, or the first, as a model computes it. */
status_t module_add_forms(const module_algebra_t *algebra, const module_step_t *step,
                          const module_forms_t *forms, box_t *inout_boxes);
status_t module_simulate_term(const oracle_call_t *call, const module_term_t *term,
                              const type_t *type, const implementation_model_t *schedule,
                              const tensor_t *values, tensor_t *out_tensor);
status_t module_simulate_forms(const oracle_call_t *call, const module_step_t *step,
                               const module_forms_t *forms, const implementation_model_t *schedule,
                               tensor_t *values);

/* A product of matrices, the values that it is of but for numbers that multiply or divide them or
 * the product, and these numbers. */
typedef struct module_scale {
  double number;
  bool is_divisor;
} module_scale_t;
typedef struct module_scales {
  const module_step_t *product;
  module_value_t bases[2];
  bool has_more; /* There may be more numbers: of the step nothing is said, nor is the product. */
  uint32_t count;
  module_scale_t items[MODULE_NUMBERS_MAX];
} module_scales_t;

/* Of what a step is the end; false if it is no such product, or has no such number. */
bool module_find_scales(const module_t *module, const module_step_t *step,
                        module_scales_t *out_scales);

/* Adds what the step may give where they are one factor of the sums (theory.md, T272). */
status_t module_add_scales(const module_algebra_t *algebra, const module_scales_t *scales,
                           box_t *inout_boxes);
status_t module_simulate_scales(const oracle_call_t *call, const module_step_t *step,
                                const module_scales_t *scales,
                                const implementation_model_t *schedule, tensor_t *values);

/* What else may be computed in place of a step, as permission `algebra` of a contract has it; false
 * if nothing. */
typedef struct module_others {
  bool has_numbers, has_scales;
  module_numbers_t numbers;
  module_forms_t forms;
  module_scales_t scales;
} module_others_t;
bool module_find_others(const module_t *module, const module_step_t *step,
                        const contract_t *contract, arena_t *arena, module_others_t *out_others);

/* Adds what comes of all of them. */
status_t module_add_others(const module_algebra_t *algebra, const module_step_t *step,
                           const module_others_t *others, box_t *inout_boxes);

/* The contract by which a model reads steps: what its permission `algebra` is (none of a fault). */
contract_t module_contract_of_model(const implementation_model_t *schedule);
/* A step whose numbers are combined, as a model computes it. */
status_t module_simulate_numbers(const oracle_call_t *call, const module_step_t *step,
                                 const module_numbers_t *numbers,
                                 const implementation_model_t *schedule, tensor_t *values);

/* The unit roundoff of a format, and the largest of those that are wider (theory.md, D6); what lies
 * within so many roundings of that size, or within a subnormal number; from the neighbour below of
 * what is stored to that above, and the exact results (T175). */
double module_roundoff(const format_t *format);
double module_wider_roundoff(const format_t *format);
box_t module_widen(box_t box, double roundings, const format_t *format);
box_t module_unrounded(box_t stored, box_t exact, const format_t *format);

/* The bits of a value of which each element is one number, not zero if it is a float, whose sign
 * would be open; or NULL.  If `are_stored`, what is in the boxes is of the type. */
const tensor_t *module_find_bits(const type_t *type, const box_t *boxes, bool are_stored,
                                 arena_t *arena);

/* Whether a step is stablehlo.NAME, one of several, on plain types; whether it adds terms; whether
 * it only moves elements; whether each element that it gives is one of an operand's, or its
 * negation. */
bool module_step_is(const module_step_t *step, const char *name);
bool module_step_is_one_of(const module_step_t *step, const char *const names[]);
bool module_step_is_plain(const module_step_t *step);
bool module_step_sums(const module_step_t *step);
bool module_step_moves(const module_step_t *step);
bool module_step_selects(const module_step_t *step);

/* The only bits, but for those of NaN, that a step gives of known operands, or NULL: `stored`
 * encloses what it stores, and `exact` what is exact, NULL where values are rounded. */
const tensor_t *module_settle(const module_step_t *step, const case_t *known,
                              const contract_t *contract, const box_t *stored, const box_t *exact,
                              arena_t *arena);

/* How roots are found: `find_known` makes the case of a step whose operands are known. */
typedef struct module_rooting {
  bool (*find_known)(const void *context, const module_step_t *step, case_t *out_case);
  const void *context;
  const contract_t *contract; /* Of the steps. */
  bool may_be_wider;
  arena_t *arena;
} module_rooting_t;

/* The root of a value, which becomes the root's. */
bool module_find_root(const module_t *module, module_value_t *inout_value,
                      const module_rooting_t *rooting, module_root_t *out_root);

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

/* The same for the faults of fused.h; *out_is_known is false if the fault is none of them. */
status_t module_simulate_fused(const module_faulty_step_t *faulty, tensor_t *inout_results,
                               bool *out_is_known);
status_t module_simulate_faulty(const module_faulty_step_t *faulty, tensor_t *inout_results);

/* A case of one program on tensors, seen as the program takes them, simulated. */
status_t module_simulate_program(const oracle_call_t *call, const program_t *program,
                                 const tensor_t *const operands[],
                                 const implementation_model_t *schedule, tensor_t *inout_results);

#endif
