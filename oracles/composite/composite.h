/* SPDX-License-Identifier: Apache-2.0 */
/* Composite ops: ops whose meaning is a formula (formula.h) for each of many small problems, a row
 * of a softmax or an element of an erf.  An op's folder says how its operands and results are cut
 * into such problems and which formulas it has; from that come all functions of its oracle row. */
#ifndef ASSAY_ORACLES_COMPOSITE_COMPOSITE_H
#define ASSAY_ORACLES_COMPOSITE_COMPOSITE_H

#include "oracles/exact/value_range.h"
#include "oracles/formula/formula.h"
#include "oracles/oracle.h"

/* Which elements of an operand or result belong to problem `group`. */
typedef enum composite_role {
  COMPOSITE_ELEMENT, /* Element group_base[group] + term_offset[term], one for each of its terms. */
  COMPOSITE_TERM,    /* Element `term`: the same row for every group. */
  COMPOSITE_GROUP,   /* Element `group`, one for all its terms. */
  COMPOSITE_SCALAR,  /* Element 0. */
  COMPOSITE_GATHERED, /* All that the group has of it, at places of its own: no term's. */
  COMPOSITE_CHANNEL,  /* Element i / channel_stride % channel_count, one for each element i of the
                       * operands by element. */
} composite_role_t;

/* Where a group has an operand or a result: element base[group] + offset[place], `count` of them.
 */
typedef struct composite_places {
  size_t count;
  const size_t *base;
  const size_t *offset;
} composite_places_t;

typedef struct composite_layout {
  size_t group_count;
  size_t term_count;         /* Of every group. */
  bool is_elementwise;       /* Terms do not see one another: groups are there for speed. */
  const size_t *group_base;  /* group_count of them. */
  const size_t *term_offset; /* term_count of them. */
  size_t channel_stride;     /* Both positive where there are elements by channel. */
  size_t channel_count;
  /* Of operands and results that are COMPOSITE_GATHERED; of an elementwise op there are none. */
  composite_places_t gathered[CASE_OPERANDS_MAX];
  composite_places_t gathered_results[CASE_RESULTS_MAX];
} composite_layout_t;

typedef struct composite_formula {
  formula_evaluate_t *evaluate;
  bool is_unbounded; /* Its steps are such that they neither overflow nor underflow. */
  bool is_running;   /* It updates moments, or a sum that is scaled anew, by one element after
                      * another: 16-bit ones in f32 only, as 8 or 11 bits would be used up by errors
                      * after some elements, and any bits would do. */
  bool has_normal;   /* It has numbers that norm_round() may round (norm_reading.h). */
} composite_formula_t;

struct composite {
  composite_layout_t (*layout)(const program_t *program, arena_t *arena);
  /* In its place, where operands say which elements belong to a problem; else NULL. */
  composite_layout_t (*layout_of_case)(const case_t *instance, arena_t *arena);
  composite_role_t operand_roles[CASE_OPERANDS_MAX];
  composite_role_t result_roles[CASE_RESULTS_MAX];
  /* As many as permission op_t.formulas has values, in their order; one if it is NULL. */
  const composite_formula_t *(*formulas)(const program_t *program);
  double (*epsilon)(const program_t *program); /* NULL if no formula calls formula_epsilon(). */
  /* The number that element `index` of an operand of integers, or of an extra one, stands for; NULL
   * if there are none.  It is one of binary64, and so may be any number of the operands' types. */
  double (*load_integer)(const case_t *instance, const composite_layout_t *layout, uint32_t operand,
                         size_t index);
  /* Operands of integers and booleans are no rows: formulas ask composite_load_patterns(). */
  bool loads_patterns;
  /* Formulas ask for nothing but the rows that they are given, so that several groups may be
   * evaluated at once (fast_settings_t.groups). */
  bool takes_groups_together;
  /* Number of extra operands of the formulas, computed by load_integer(); they come after those of
   * the program. */
  uint32_t derived_count;
  /* Adds to the accept set of an element of a result what no step of a formula gives, or is NULL:
   * results that the op's definition leaves open.  Asked about, never in a fast set.  Of an
   * elementwise op it depends on nothing but that element of the operands. */
  void (*permit)(const case_t *instance, const contract_t *contract, uint32_t result,
                 size_t element, value_range_t *inout_range);
};

/* The patterns of an operand of integers or booleans that the problem has which is evaluated: as
 * many as a row of floats would have numbers, in the formula's arena.  Of a composite that loads
 * patterns. */
uint64_t *composite_load_patterns(const formula_t *formula, uint32_t operand, size_t *out_count);

/* The functions of oracle_t of the same names, for rows that have a composite. */
status_t composite_accept(const oracle_call_t *call, accept_t out_accepts[CASE_RESULTS_MAX]);
status_t composite_ranges(const oracle_call_t *call, uint32_t result, component_span_t span,
                          accepted_ranges_t *out_ranges);
status_t composite_decide(const oracle_call_t *call, uint32_t result, size_t component,
                          answer_t *out_answer);
status_t composite_audit(const oracle_call_t *call, const accept_t *accepts, uint32_t result,
                         size_t component);
size_t composite_siblings(const oracle_call_t *call, uint32_t result, size_t component,
                          const size_t **out_components);
status_t composite_simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                            tensor_t *inout_results);
status_t composite_explain_rows(const oracle_call_t *call, row_answer_t *out_answer);
status_t composite_find_formula(const oracle_call_t *call, const accept_t *accepts,
                                uint8_t *out_formula, bool *out_found);

/* As oracle_t.enclose, of composites whose operands are floats and whose formulas are sums,
 * products, moments and functions that grow: not in COMPOSITE_FUNCTIONS, since where a row's
 * elements cancel an op does better by itself, as softmax does. */
status_t composite_enclose(const enclosure_call_t *call,
                           box_t *const out_results[CASE_RESULTS_MAX]);

/* All of them, for a row. */
#define COMPOSITE_FUNCTIONS                                                                   \
  .accept = composite_accept, .decide = composite_decide, .audit = composite_audit,           \
  .ranges = composite_ranges, .siblings = composite_siblings, .simulate = composite_simulate, \
  .find_formula = composite_find_formula, .explain_rows = composite_explain_rows

/* Layouts that several ops have: every element alone; rows along the dimensions `reduced`. */
composite_layout_t composite_layout_elements(const type_t *type, arena_t *arena);
composite_layout_t composite_layout_rows(const type_t *type, const dimension_list_t *reduced,
                                         arena_t *arena);

#endif
