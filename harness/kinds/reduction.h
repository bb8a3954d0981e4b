/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions: what stablehlo.reduce shares with the ops whose meaning is a reduce (reduce_window,
 * the scatter of select_and_scatter, all_reduce, reduce_scatter).  A body, the types in which it
 * works, and their rules.
 *
 * Inputs and initial values are converted to the accumulation type, the type that the body takes
 * and returns, and what it returns to the type of the result.  Today's specification has the first
 * of these conversions alone, and never to a narrower type; the RFC "StableHLO quantization for
 * reduction ops" has both, between quantized types (its case A), floats (F) and integers (G).
 * Permission `reduce_types` of the contract says whose rules hold. */
#ifndef ASSAY_KINDS_REDUCTION_H
#define ASSAY_KINDS_REDUCTION_H

#include "harness/base/rng.h"
#include "harness/kinds/body.h"
#include "harness/kinds/precision.h"
#include "harness/model/contract.h"
#include "harness/model/op.h"
#include "harness/types/scalar_type.h"

typedef enum reduce_body {
#define REDUCE_BODY(name, inputs, domain, summary) REDUCE_##name,
#include "harness/kinds/reduce_bodies.def"
#undef REDUCE_BODY
  REDUCE_BODY_COUNT,
  REDUCE_WRITTEN = REDUCE_BODY_COUNT, /* Written out: reduction_t.written. */
} reduce_body_t;

/* The accumulation types on which a body is defined.  On booleans add and maximum are OR, multiply
 * and minimum are AND, as StableHLO's elementwise ops define it. */
typedef enum reduce_domain {
  REDUCE_DOMAIN_ANY,     /* Booleans, integers, floats, complex numbers, quantized. */
  REDUCE_DOMAIN_ORDERED, /* Not complex numbers. */
  REDUCE_DOMAIN_BITS,    /* Booleans and integers. */
  REDUCE_DOMAIN_ARG,     /* An integer or float value and an integer index, neither converted. */
  REDUCE_DOMAIN_COUNT,   /* An unquantized value and an integer count, summed independently. */
  REDUCE_DOMAIN_WRITTEN, /* What the ops of the body take, none of it converted. */
} reduce_domain_t;

/* A row of reduce_bodies.def, or that of bodies that are written out, of as many inputs as they
 * return values. */
typedef struct reduce_body_row {
  const char *name;
  uint32_t inputs;
  reduce_domain_t domain;
  const char *summary;
} reduce_body_row_t;

extern const reduce_body_row_t reduce_body_table[REDUCE_BODY_COUNT + 1];

/* The attributes that say what is done with the terms; without pointers. */
typedef struct reduction {
  reduce_body_t body;
  body_t written;              /* Of REDUCE_WRITTEN; else zero. */
  uint32_t accumulation_count; /* 0 where the types are those of the results: canonical then. */
  scalar_type_t accumulation[CASE_RESULTS_MAX];
} reduction_t;

/* The attributes of stablehlo.reduce. */
typedef struct reduce_attributes {
  reduction_t reduction;
  dimension_list_t dimensions; /* In any order, which means nothing. */
  precision_list_t precision;  /* By contracts with reduce_types=rfc alone. */
  bool has_no_init; /* Of the reductions that a collective consists of, which no case line says: the
                       operands that are initial values enter no tree, and there are terms. */
} reduce_attributes_t;

/* The types of N inputs (and their initial values), accumulations and results. */
typedef struct reduction_types {
  uint32_t count;
  scalar_type_t inputs[CASE_RESULTS_MAX];
  scalar_type_t accumulations[CASE_RESULTS_MAX];
  scalar_type_t results[CASE_RESULTS_MAX];
} reduction_types_t;

/* Of `count` tensors and results, at most CASE_RESULTS_MAX, none of them quantized per axis.
 * Accumulations that the attribute does not name are the results'. */
reduction_types_t reduction_types(const reduction_t *reduction, const type_t *inputs,
                                  const type_t *results, uint32_t count);

/* Names the accumulations where they differ from the results', and leaves them out else. */
void reduction_name_accumulations(const reduction_types_t *types, reduction_t *inout_reduction);

/* N of its body. */
static inline uint32_t reduction_inputs(const reduction_t *reduction) {
  return reduction->body == REDUCE_WRITTEN ? reduction->written.result_count
                                           : reduce_body_table[reduction->body].inputs;
}

/* ---- Text ------------------------------------------------------------------------------------ */

/* Codecs of a reduction_t: "add", or a body that is written out (body.h); and "f32" or "[f32,i32]",
 * left out where the types are the results'.  MLIR has a region instead. */
extern const attribute_codec_t reduction_body;
extern const attribute_codec_t reduction_accumulation;

/* ", accumulating in f32": the first input. */
void reduction_print_words(const reduction_types_t *types, GString *out_text);

/* The region of the body in MLIR, "    ^body(...):\n" and its ops, one a line.  For programs that
 * are not valid too: where there are fewer results than the body has inputs, the first one's type
 * is taken. */
void reduction_print_region(const reduction_t *reduction, const type_t *results,
                            uint32_t result_count, GString *out_text);

/* ---- Rules ----------------------------------------------------------------------------------- */

/* Whether a body that has a name is defined on these types (a table of reduce_domain_t), and
 * whether one that is written out is. */
bool reduction_written_allows(const body_t *written, const reduction_types_t *types);
bool reduction_body_allows(reduce_body_t body, const reduction_types_t *types);

/* An element type, or a quantized one whose quantization is per tensor: what a reduction takes. */
bool reduction_takes(const type_t *type);

/* The rules of the types of one reduction. */
typedef enum reduction_rule {
  REDUCTION_RULE_NONE,
  REDUCTION_RULE_BODY,   /* The op's constraint on the type of its body. */
  REDUCTION_RULE_RESULT, /* The op's constraint that results have the type the body returns. */
  REDUCTION_RULE_CASE_B,
  REDUCTION_RULE_CASE_C,
  REDUCTION_RULE_CASE_D,
  REDUCTION_RULE_CASE_E,
  REDUCTION_RULE_CASE_H,
  REDUCTION_RULE_BITS,
  REDUCTION_RULE_BASELINE,
} reduction_rule_t;

/* The first rule broken, input by input, where neither document permits that; REDUCTION_RULE_BODY
 * too if there are not as many inputs as the body takes.  Never REDUCTION_RULE_BASELINE. */
reduction_rule_t reduction_broken_rule(const reduction_t *reduction,
                                       const reduction_types_t *types);

/* The same of types that pass, by the document that the contract names. */
reduction_rule_t reduction_broken_rule_under(const reduction_types_t *types,
                                             const contract_t *contract);

/* Whether inputs and results have the same unquantized types and no accumulation is named, so that
 * every rule holds: what most programs are, told without their reduction_types(). */
bool reduction_is_plain(const reduction_t *reduction, const type_t *inputs, const type_t *results,
                        uint32_t count);

/* Whether accumulations are named only where one is not the result's. */
bool reduction_is_canonical(const reduction_t *reduction, const reduction_types_t *types);

/* Defines op_constraint_t.holds of the rows below, a function for each rule.  `broken` and
 * `broken_under` tell the first rule that a program breaks, as above: the first input that breaks
 * one decides which, and so all rules are found together. */
#define REDUCTION_HOLDS(name, broken, rule) \
  static bool name(const program_t *program) { return broken(program) != rule; }
#define REDUCTION_HOLDS_UNDER(name, broken_under, rule)                    \
  static bool name(const program_t *program, const contract_t *contract) { \
    return broken_under(program, contract) != rule;                        \
  }
#define REDUCTION_PREDICATES(broken, broken_under)                            \
  REDUCTION_HOLDS(converts_to_body, broken, REDUCTION_RULE_BODY)              \
  REDUCTION_HOLDS(converts_to_result, broken, REDUCTION_RULE_RESULT)          \
  REDUCTION_HOLDS(is_not_case_B, broken, REDUCTION_RULE_CASE_B)               \
  REDUCTION_HOLDS(is_not_case_C, broken, REDUCTION_RULE_CASE_C)               \
  REDUCTION_HOLDS(is_not_case_D, broken, REDUCTION_RULE_CASE_D)               \
  REDUCTION_HOLDS(is_not_case_E, broken, REDUCTION_RULE_CASE_E)               \
  REDUCTION_HOLDS(is_not_case_H, broken, REDUCTION_RULE_CASE_H)               \
  REDUCTION_HOLDS(combines_bits, broken, REDUCTION_RULE_BITS)                 \
  REDUCTION_HOLDS_UNDER(permits_body, broken_under, REDUCTION_RULE_BODY)      \
  REDUCTION_HOLDS_UNDER(permits_result, broken_under, REDUCTION_RULE_RESULT)  \
  REDUCTION_HOLDS_UNDER(permits_complex, broken_under, REDUCTION_RULE_CASE_H) \
  REDUCTION_HOLDS_UNDER(permits_baseline, broken_under, REDUCTION_RULE_BASELINE)

#define REDUCTION_RFC "RFC \"StableHLO quantization for reduction ops\""

/* For op_t.constraints, behind the two that the op numbers: rows of the functions above.  That no
 * case of the RFC but A, F and G is defined is what today's is_promotable() says too. */
#define REDUCTION_CONSTRAINTS(body_id, result_id)                                                  \
  OP_FORBIDDEN("case-B", "case B of the reduction RFC (float to quantized) is not defined",        \
               body_id " or " result_id, is_not_case_B),                                           \
      OP_FORBIDDEN("case-C", "case C of the reduction RFC (quantized to float) is not defined",    \
                   body_id " or " result_id, is_not_case_C),                                       \
      OP_FORBIDDEN("case-D", "case D of the reduction RFC (float to integer) is not defined",      \
                   body_id " or " result_id, is_not_case_D),                                       \
      OP_FORBIDDEN("case-E", "case E of the reduction RFC (integer to float) is not defined",      \
                   body_id " or " result_id, is_not_case_E),                                       \
      OP_FORBIDDEN(                                                                                \
          "case-H",                                                                                \
          "case H of the reduction RFC (complex to complex) is not defined; today's "              \
          "specification widens complex numbers, and the result has the type of the accumulation", \
          body_id " or " result_id, is_not_case_H),                                                \
      OP_FORBIDDEN_BY("bits", "and, or and xor combine booleans or integers", "inputs (I1), (I2)", \
                      "StableHLO specification, and, or, xor", combines_bits)

/* And behind all others, of functions by those names in the op's file. */
#define REDUCTION_UNMODELLED                                                                     \
  OP_UNMODELLED("accumulation", "the accumulation is left out where its types are the results'", \
                is_canonical),                                                                   \
      OP_UNMODELLED(                                                                             \
          "body",                                                                                \
          "maximum and minimum take no complex numbers; argmax and argmin take booleans, "       \
          "integers or floats, and indices that are integers, and convert neither; sum_count "   \
          "takes counts that are integers, and no quantized values",                             \
          is_modelled)

/* For op_t.contract_constraints, with the op's ids as above. */
#define REDUCTION_CONTRACT_CONSTRAINTS(body_id, result_id)                                       \
  OP_SPECIFIED_UNDER(                                                                            \
      body_id,                                                                                   \
      "each input can be promoted to the type that the body takes: a wider one or one "          \
      "as wide (reduce_types=spec)",                                                             \
      permits_body),                                                                             \
      OP_SPECIFIED_UNDER(result_id,                                                              \
                         "each result has the type that the body returns "                       \
                         "(reduce_types=spec)",                                                  \
                         permits_result),                                                        \
      OP_FORBIDDEN_BY_UNDER("case-H",                                                            \
                            "case H of the reduction RFC (complex to complex) is not defined "   \
                            "(reduce_types=rfc)",                                                \
                            "case H", REDUCTION_RFC, permits_complex),                           \
      OP_FORBIDDEN_BY_UNDER(                                                                     \
          "baseline",                                                                            \
          "inputs and results have the same element type but for scale and zero "                \
          "point (reduce_types=rfc)",                                                            \
          "baseline_element_type(inputs...) = baseline_element_type(results...)", REDUCTION_RFC, \
          permits_baseline)

/* ---- Drawing --------------------------------------------------------------------------------- */

/* Draws a body of at most `inputs_max` inputs and types for it; the accumulation is named if it has
 * to be.  Most obey today's specification; some the RFC alone; a share is quantized. */
void reduction_draw(rng_t *rng, uint32_t inputs_max, arena_t *arena, reduction_t *out_reduction,
                    reduction_types_t *out_types);

/* The pattern of the neutral initial value of input `input`, in the type of that input. */
uint64_t reduction_neutral_bits(const reduction_t *reduction, const scalar_type_t *type,
                                uint32_t input);

#endif
