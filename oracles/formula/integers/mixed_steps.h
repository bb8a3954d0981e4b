/* SPDX-License-Identifier: Apache-2.0 */
/* Steps between floats and integers (theory.md, T153 to T155): comparisons, choices and
 * conversions, for every evaluator of formulas.  The fast one knows of an integer one number that
 * it may be, or nothing: then the set has more than one number, and so has whatever depends on it
 * (T156). */
#ifndef ASSAY_ORACLES_FORMULA_INTEGERS_MIXED_STEPS_H
#define ASSAY_ORACLES_FORMULA_INTEGERS_MIXED_STEPS_H

#include "oracles/formula/formula.h"
#include "oracles/formula/integers/integer_set.h"

/* Compares number `i` of a row with number `j` of another: false where one is NaN. */
integer_set_t formula_compare(const formula_t *formula, comparison_t comparison, row_t a, size_t i,
                              row_t b, size_t j);

/* Number `i` of a row without its fraction, as an integer of the type; any, where the type does not
 * have that. */
integer_set_t formula_truncate(const formula_t *formula, const element_t *to, row_t a, size_t i);

/* Likewise the nearest integer, of two such the even one (T200). */
integer_set_t formula_round(const formula_t *formula, const element_t *to, row_t a, size_t i);

/* Whether this is the fast evaluator, alone or with numbers that a row shares. */
bool formula_is_fast(const formula_t *formula);

/* One number of which nothing is known; of a model, 0. */
row_t formula_anything(formula_t *formula);

/* Integers as floats of a format, each rounded once; those of the evaluator's for NULL. */
row_t formula_from_integers(formula_t *formula, const format_t *format, const integer_set_t *sets,
                            size_t count);

/* Rounded once to a format, and then held in that of the evaluator. */
row_t formula_convert(formula_t *formula, const format_t *format, row_t a);

/* For each of `count` booleans, of which there is one for all or as many: the number of `a` where
 * it is true, of `b` where it is false, either where it may be both. */
row_t formula_select(formula_t *formula, const integer_set_t *conditions, size_t condition_count,
                     row_t a, row_t b);

#endif
