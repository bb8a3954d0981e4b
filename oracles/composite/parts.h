/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of composite_*.c share.  Private to oracles. */
#ifndef ASSAY_ORACLES_COMPOSITE_PARTS_H
#define ASSAY_ORACLES_COMPOSITE_PARTS_H

#include "oracles/composite/composite.h"
#include "oracles/formula/enclosed.h"
#include "oracles/formula/shared/shared_points.h"

/* One way to understand a program: a formula, the format it is computed in, which epsilon it takes,
 * and what is rounded between. */
typedef struct variant {
  uint8_t formula;
  const format_t *format;
  bool is_native; /* `format` is the operands' own, of 16 bits. */
  bool rounds_epsilon;
  bool rounds_normal; /* `format` is f32, and formula_t.rounds_normal. */
} variant_t;

/* Whether both evaluate alike. */
static inline bool variant_equal(const variant_t *a, const variant_t *b) {
  return a->formula == b->formula && a->format == b->format &&
         a->rounds_epsilon == b->rounds_epsilon && a->rounds_normal == b->rounds_normal;
}

enum { VARIANTS_MAX = 32 };

/* A case and everything about it that does not change from group to group. */
typedef struct problem {
  const case_t *instance;
  const case_t *quantized; /* NULL, or the case of which `instance` has the operands dequantized. */
  bool are_stored; /* Boxes are of numbers of the operands' types, each the same at all uses. */
  const box_t *const *boxes; /* NULL, or what the operands may be, in place of their data: for the
                              * enclosed evaluator. */
  /* NULL, or all elements of the operands of floats in binary64, for the fast evaluator: NULL where
   * an operand has none. */
  double *const *decoded;
  bool are_consecutive; /* With `decoded`: the elements of a group lie in one piece. */
  const contract_t *contract;
  const composite_t *composite;
  composite_layout_t layout;
  const composite_formula_t *formulas;
  const format_t *format; /* Of the operands and results. */
  arena_t *arena;
} problem_t;

problem_t problem_make(const case_t *instance, const contract_t *contract, arena_t *arena);

/* Where the elements of a case lie, and the problem where that is known. */
composite_layout_t problem_layout(const case_t *instance, arena_t *arena);
problem_t problem_make_with(const case_t *instance, const contract_t *contract,
                            const composite_layout_t *layout, arena_t *arena);

/* The problem of a call, whose memo, which must be this oracle's own, keeps the layout. */
problem_t problem_of_call(const oracle_call_t *call);

/* The variants that the contract permits, the tightest formula first; those of 16-bit arithmetic
 * last.  Returns how many. */
size_t problem_variants(const problem_t *problem, variant_t out_variants[VARIANTS_MAX]);

/* Those among them of one formula, which need not be permitted. */
size_t problem_variants_of(const problem_t *problem, uint8_t formula,
                           variant_t out_variants[VARIANTS_MAX]);

uint8_t problem_formula_count(const problem_t *problem);

/* Some terms of a group: all of them, but of elementwise ops, where one may be enough, and where
 * the numbers that a row shares are known (shared_evaluator.h). */
typedef struct part {
  size_t group;
  size_t first;
  size_t count;
  const size_t *terms; /* `count` of them in place of those from `first` on; or NULL. */
} part_t;

part_t problem_part(const problem_t *problem, size_t group);
/* The group that component `component` of a result belongs to, and its place among the numbers of
 * that result. */
part_t problem_part_of(const problem_t *problem, uint32_t result, size_t component,
                       size_t *out_place);

/* The term at a place of a part. */
size_t part_term(const part_t *part, size_t place);

/* How many numbers of a result a part has, and the element of number `place`. */
size_t part_result_count(const problem_t *problem, const part_t *part, uint32_t result);
size_t part_result_element(const problem_t *problem, const part_t *part, uint32_t result,
                           size_t place);

/* How many numbers a part has of an operand, and the element of number `place`. */
size_t problem_operand_count(const problem_t *problem, const part_t *part, uint32_t operand);
size_t problem_operand_element(const problem_t *problem, const part_t *part, uint32_t operand,
                               size_t place);

/* Patterns of a format as a row of the formula's evaluator: operands, which may be read as zero. */
row_t problem_load_numbers(formula_t *formula, const format_t *format, const uint64_t *bits,
                           size_t count);

/* An operand of a part as a row of the formula's evaluator. */
row_t problem_load_operand(const problem_t *problem, const part_t *part, uint32_t operand,
                           formula_t *formula);

/* Whether the elements of so many groups lie in one piece, where operands are decoded. */
bool problem_are_adjacent(const problem_t *problem, size_t first, size_t groups);

/* Decodes the operands once for all groups and variants. */
void problem_decode(problem_t *inout_problem);

/* What a formula is evaluated with. */
typedef struct evaluation {
  const evaluator_t *evaluator;
  const void *settings;                   /* Of the evaluator; NULL where it has none. */
  const implementation_model_t *schedule; /* Of the model evaluator; NULL for the others. */
  shared_t *shared;                       /* Of the shared evaluator; NULL for the others. */
} evaluation_t;

/* Loads the operands of a part and runs a formula.  `results` are as many rows as the program has
 * results, with part_result_count() numbers or one for all. */
void problem_evaluate(const problem_t *problem, const part_t *part, const variant_t *variant,
                      const evaluation_t *evaluation, row_t results[CASE_RESULTS_MAX]);

/* The rows that the enclosed evaluator gives for a part, from the memo if there is one; `is_exact`:
 * those of exact values. */
void problem_recall(const problem_t *problem, const part_t *part, const variant_t *variant,
                    bool is_exact, decision_memo_t *memo, row_t rows[CASE_RESULTS_MAX]);

/* Adds to the numbers of an operand, elements[i] of it, what else they may be where the case is
 * quantized (composite/quantized.h). */
void problem_widen_operand(const problem_t *problem, uint32_t operand, const size_t *elements,
                           const enclosing_t *settings, row_t *inout_row);

/* Makes the numbers of an operand, elements[i] of it, what problem_t.boxes says
 * (composite/enclose.c); `format` is the operand's. */
void problem_widen_to_boxes(const problem_t *problem, uint32_t operand, const size_t *elements,
                            const format_t *format, row_t *inout_row);

/* The accept set of one number of a result of a part, as the enclosed evaluator gives it. */
value_range_t problem_finish(const problem_t *problem, const part_t *part, const variant_t *variant,
                             const row_t *results, uint32_t result, size_t place);

/* Whether the fast evaluator knows a variant; and whether it does with numbers that a row shares.
 */
bool problem_has_fast(const variant_t *variant);
bool problem_has_fast_shared(const variant_t *variant);

/* Whether models propose numbers that a row shares in its place (modelled_row.h): in f64. */
bool problem_has_models(const variant_t *variant);

/* What the fast evaluator finds of a part: two numbers for each of a result's, as
 * fast_kernels_t.finish gives them, or one for all. */
typedef struct fast_row {
  size_t count;
  const double *low;
  const double *high;
  const double *unrounded_low; /* Before the result was rounded to its type. */
  const double *unrounded_high;
  const double *point;
  const double *tail; /* To be added to `point`; or NULL. */
} fast_row_t;

/* By the fast evaluator; with `points`, by the shared one, with these.  Several groups may be
 * evaluated together, that of the part and those after it: as many as problem_groups_together()
 * says at the most, and fast_settings_t.groups has their numbers.  Returns whether this was a
 * formula without overflow and underflow, and the rows are also those of the same formula with
 * both: no number of any step was given up for its size. */
bool problem_evaluate_fast(const problem_t *problem, const part_t *part, const variant_t *variant,
                           size_t groups, shared_points_t *points,
                           fast_row_t out_rows[CASE_RESULTS_MAX]);
size_t problem_groups_together(const problem_t *problem);

#endif
