/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that differ in nothing but the length of their sums. */
#ifndef ASSAY_IDENTIFY_PROFILE_PROGRAM_SHAPE_H
#define ASSAY_IDENTIFY_PROFILE_PROGRAM_SHAPE_H

#include "harness/model/case.h"

/* Appends the program line with the size of the dimension that is summed over written as n, and
 * gives that size.  Where the sums run over several dimensions of an operand, or over none, the
 * line is appended as it is: such a program is the only one of its shape. */
void program_shape_print(const program_t *program, GString *out_shape, size_t *out_term_count);

/* The program of the same shape whose sums have `term_count` terms; attributes and quantizations
 * are borrowed from `program`.  STATUS_UNSUPPORTED if there is none. */
status_t program_shape_resize(const program_t *program, size_t term_count, program_t *out_program,
                              failure_t *error);

#endif
