/* SPDX-License-Identifier: Apache-2.0 */
/* What the rows of verifier_disagreements.def say of a program.  All of these may be asked of
 * programs that break anything. */
#ifndef ASSAY_TESTS_EXEC_VERIFIER_CONDITIONS_H
#define ASSAY_TESTS_EXEC_VERIFIER_CONDITIONS_H

#include "tests/exec/verifier_table.h"

/* ---- Attributes ------------------------------------------------------------------------------ */

/* Whether the attribute is a list without entries: "window_strides=[]". */
bool is_empty_list(const program_t *program, const char *key);

/* Whether precision= has fewer than two entries. */
bool has_few_precisions(const program_t *program);

/* Of a dot_general: whether its algorithm, if it names one, is one that the verifier knows. */
bool has_known_algorithm(const program_t *program);

/* Under a contract that holds dot algorithms to the letter of the specification. */
bool is_of_letter(const disagreement_t *disagreement);

/* ---- Types ----------------------------------------------------------------------------------- */

bool is_quantized(const type_t *type);
bool has_size_0(const type_t *type);

/* The same element type, quantized alike. */
bool has_element_of(const type_t *a, const type_t *b);

/* Both are floats of any format; integers of any width, i1 among them; complex; or quantized. */
bool are_alike(const type_t *a, const type_t *b);

/* Quantized, with storage types of one width that are not the same: i8 and ui8. */
bool differ_in_sign(const type_t *a, const type_t *b);

/* ---- Reductions ------------------------------------------------------------------------------ */

/* Operands: the inputs, then as many initial values. */
bool has_odd_operand(const program_t *program);
bool has_other_init(const program_t *program);

/* From an input to a result: a float becomes a narrower one; an i1 becomes an integer. */
bool narrows_a_float(const program_t *program);
bool widens_a_boolean(const program_t *program);

/* A result has other scales or zero points than the type that the body works in. */
bool rescales_a_result(const program_t *program);

/* ---- Replicas -------------------------------------------------------------------------------- */

/* How many stand in replica_groups. */
int64_t replica_count(const program_t *program);

/* How many are to stand there, by the case: replicas, or processes. */
int64_t named_count(const program_t *program);

/* Whether one of them is -1. */
bool pads_a_group(const program_t *program);

/* Operands and results have equal shapes in one replica, but some not as many replicas. */
bool differ_in_replicas(const program_t *program);

/* The operand's size in the scatter dimension is a multiple of the result's. */
bool scatters_evenly(const program_t *program);

#endif
