/* SPDX-License-Identifier: Apache-2.0 */
/* Programs in which sizes are not known when they are compiled: `tensor<?x64xf32>`.  Such a program
 * is compiled once and run at several sizes; a case of it has the sizes of one run, and which
 * dimensions are "?" (type_t.dynamic_dims).
 *
 * What is "?" is an axis (harness/model/axes.h): all dimensions that run along it, or none, so that
 * every size of it gives a program of the same op. */
#ifndef ASSAY_MODEL_DYNAMIC_DYNAMIC_H
#define ASSAY_MODEL_DYNAMIC_DYNAMIC_H

#include "harness/model/axes.h"

/* Whether a dimension of it is "?". */
bool program_is_dynamic(const program_t *program);

/* Whether the dimensions that are "?" can be that: there are none, or it is a valid program and
 * they are those of axes, or op_t.fits_dynamic says so. */
bool dynamic_fits(const program_t *program);

/* The axes that are "?", as bits; false if the op does not tell of some dimension that is. */
bool dynamic_find(const program_t *program, const axes_t *axes, uint32_t *out_set);

/* Makes the dimensions of these axes "?", and no others.  False, and the program is as it was, if
 * they cannot be that; `set` is of axes_of(program). */
bool dynamic_mark(program_t *inout_program, uint32_t set);

/* All sizes are known. */
void dynamic_clear(program_t *inout_program);

/* For axes_program(): what is "?" in `program` is so in `out_program`, which has the axes of
 * `view`. */
bool dynamic_keep(const program_t *program, const axes_t *view, program_t *out_program);

/* A program line as it is compiled, "byteir.erf f32[?,64] -> f32[?,64]", with the smallest of a few
 * sizes, the same for all that are "?", that make a valid program of it; `size` if that is not 0.
 */
status_t dynamic_parse(str_t line, int64_t size, arena_t *arena, program_t *out_program,
                       failure_t *error);

#endif
