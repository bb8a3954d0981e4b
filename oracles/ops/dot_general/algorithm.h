/* SPDX-License-Identifier: Apache-2.0 */
/* The algorithm attribute of dot_general: as it is written, and what it means where that is known.
 *
 * Names.  The attribute came with the RFC "Add algorithm to dot_general's attributes" (2024), and
 * the specification renamed its members: lhs_type is now lhs_precision_type, rhs_type
 * rhs_precision_type, accum_type accumulation_type, num_primitive_ops num_primitive_operations and
 * allow_imprecise_accum allow_imprecise_accumulation; the component counts kept their names.
 *
 * Rules.  The RFC demands positive counts only and lets precision_config be ignored; the
 * specification demands float types and a precision_config of DEFAULT (C21) beside positive counts
 * (C22 to C24); the dialect's verifier moreover refuses all but the combinations in algorithms.def,
 * with component counts of 1, so also the specification's own example of bf16_6x (3, 3, 6).  Which
 * of the three holds is the contract's permission dot_algorithm; both spellings of the counts mean
 * the same algorithm here, and MLIR is printed as the verifier wants it.
 *
 * Meaning.  What an algorithm computes follows from its members alone (theory.md, D7); a row of
 * algorithms.def only gives it a name.  Counts of 1 with more than one primitive operation stand
 * for the least equal counts that have so many products. */
#ifndef ASSAY_ORACLES_OPS_DOT_GENERAL_ALGORITHM_H
#define ASSAY_ORACLES_OPS_DOT_GENERAL_ALGORITHM_H

#include <glib.h>

#include "harness/base/rng.h"
#include "harness/model/contract.h"
#include "harness/num/element.h"

/* Values of permissions of the contract. */
enum permission_dot_algorithm { DOT_ALGORITHM_RFC, DOT_ALGORITHM_SPEC, DOT_ALGORITHM_VERIFIER };
enum permission_operand_rounding {
  OPERAND_ROUNDING_RN,
  OPERAND_ROUNDING_TF32,
  OPERAND_ROUNDING_RNA,
  OPERAND_ROUNDING_RZ
};

enum {
  DOT_COMPONENTS_MAX = 8, /* As many as f64 has of bf16, and one. */
  DOT_PRIMITIVES_MAX = DOT_COMPONENTS_MAX * DOT_COMPONENTS_MAX,
};

/* The attribute as it is written. */
typedef struct dot_algorithm_attribute {
  const element_t *lhs_type; /* Types that operands are rounded to; tf32 may stand here. */
  const element_t *rhs_type;
  const element_t *accumulation_type;
  int64_t lhs_component_count;
  int64_t rhs_component_count;
  int64_t primitive_count;
  bool allows_imprecise_accumulation;
} dot_algorithm_attribute_t;

/* A row of algorithms.def. */
typedef struct dot_algorithm_row {
  const char *name;
  const format_t *precision; /* NULL: any 8-bit float with a sign. */
  const format_t *accumulation;
  int component_count;
  int primitive_count;
  bool is_imprecise;
} dot_algorithm_row_t;

extern const dot_algorithm_row_t dot_algorithm_table[];
extern const size_t dot_algorithm_count;

/* An algorithm that has a meaning, by its members. */
typedef struct dot_algorithm {
  const element_t *lhs; /* What operands are rounded to: floats or integers. */
  const element_t *rhs;
  const element_t *accumulation;
  int component_counts[2]; /* The true ones, of the left and the right operand. */
  int primitive_count;
  bool is_imprecise;
} dot_algorithm_t;

/* Why an attribute has no meaning here. */
typedef enum dot_algorithm_flaw {
  DOT_ALGORITHM_SOUND,
  DOT_ALGORITHM_KINDS,      /* Its types are not those of numbers that are added. */
  DOT_ALGORITHM_COMPONENTS, /* Too many components. */
  DOT_ALGORITHM_PRIMITIVES, /* More products than its components have. */
  DOT_ALGORITHM_IMPRECISE,  /* Integers are added as they are. */
} dot_algorithm_flaw_t;

/* The product of component `lhs` of the left and component `rhs` of the right operand, from 0. */
typedef struct dot_primitive {
  int lhs;
  int rhs;
} dot_primitive_t;

/* The products that an algorithm keeps, in the order in which implementations sum them: the ones of
 * least magnitude first, the leading one, of components 0 and 0, last.  A component has the
 * magnitude 2^-p of the one before it, so kept are those of least p_lhs i + p_rhs j, and of equal
 * ones those of the earlier component of the left operand (theory.md, D7).  Returns their count. */
int dot_algorithm_primitives(const dot_algorithm_t *algorithm,
                             dot_primitive_t out_primitives[DOT_PRIMITIVES_MAX]);

/* What the attribute means, or why nobody knows: the first flaw. */
dot_algorithm_flaw_t dot_algorithm_read(const dot_algorithm_attribute_t *attribute,
                                        dot_algorithm_t *out_algorithm);
static inline bool dot_algorithm_find(const dot_algorithm_attribute_t *attribute,
                                      dot_algorithm_t *out_algorithm) {
  return dot_algorithm_read(attribute, out_algorithm) == DOT_ALGORITHM_SOUND;
}

/* The row that names it, or NULL.  Those that have one are what the dialect's verifier knows. */
const dot_algorithm_row_t *dot_algorithm_row(const dot_algorithm_t *algorithm);

/* The algorithm of a row for operands of these formats, which are the row's own where it has any.
 */
dot_algorithm_t dot_algorithm_of_row(const dot_algorithm_row_t *row, const format_t *lhs,
                                     const format_t *rhs);

/* Whether the row may be asked for with that format: its own, or any signed 8-bit float. */
bool dot_algorithm_takes(const dot_algorithm_row_t *row, const format_t *format);

/* The algorithm called so: "BF16_BF16_F32_X3", "ANY_F8_ANY_F8_F32<f8E4M3FN,f8E5M2>", or by its
 * members, "[bf16,f16,f32,1,1,1,false]". */
bool dot_algorithm_find_name(str_t name, dot_algorithm_t *out_algorithm);
void dot_algorithm_print_name(const dot_algorithm_t *algorithm, GString *out_text);

/* Everything in one type: operands are converted to it, multiplied and added. */
static inline dot_algorithm_t dot_general_accumulating(const element_t *accumulation) {
  return (dot_algorithm_t){.lhs = accumulation,
                           .rhs = accumulation,
                           .accumulation = accumulation,
                           .component_counts = {1, 1},
                           .primitive_count = 1};
}

bool dot_algorithm_equal(const dot_algorithm_t *a, const dot_algorithm_t *b);

/* The attribute that asks for it, with component counts of 1 where these mean it, or with the true
 * ones if `counted`. */
dot_algorithm_attribute_t dot_algorithm_attribute(const dot_algorithm_t *algorithm, bool counted);

/* "[bf16,bf16,f32,1,1,6,false]": the members in the order of the specification. */
void dot_algorithm_print(const dot_algorithm_attribute_t *attribute, GString *out_text);
status_t dot_algorithm_parse(scan_t *scan, dot_algorithm_attribute_t *out_attribute,
                             failure_t *error);

/* #stablehlo.dot_algorithm<...> with today's member names. */
void dot_algorithm_print_mlir(const dot_algorithm_attribute_t *attribute, GString *out_text);

/* "BF16_BF16_F32_X6"; of one without a name its members, with the true counts where it has a
 * meaning. */
void dot_algorithm_print_label(const dot_algorithm_attribute_t *attribute, GString *out_text);

/* Draws an attribute for operands of `storage`: a third of them of any members, and others of a
 * known algorithm that mostly suits them, seldom changed to one without a name or a meaning. */
dot_algorithm_attribute_t dot_algorithm_draw(rng_t *rng, const element_t *storage);

#endif
