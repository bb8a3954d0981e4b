/* SPDX-License-Identifier: Apache-2.0 */
/* Random edits of programs, which know no op: what comes of them is mostly invalid.  By them valid
 * programs are broken on purpose (gen_break()), and made that nobody thought of. */
#ifndef ASSAY_GEN_PROGRAM_EDIT_H
#define ASSAY_GEN_PROGRAM_EDIT_H

#include "harness/base/rng.h"
#include "harness/model/op.h"

/* Changes the attributes at one place: a number, a word, an entry of a list, or a whole value,
 * which may come from `donor`, another program of the op.  Attributes are changed as their text is,
 * so what comes of it can be written down.  False if nothing was changed. */
bool program_edit_attributes(rng_t *rng, const program_t *donor, arena_t *arena,
                             program_t *inout_program);

/* Changes the types at one place or at all places alike: sizes, rank, element type, quantization,
 * or the number or order of operands or results.  The outcome may exceed the bounds of
 * type_check(). */
void program_edit_types(rng_t *rng, const program_t *donor, arena_t *arena,
                        program_t *inout_program);

/* Turns floats into complex numbers, integers into those of the other signedness, and the other way
 * round, in all types and attributes. */
void program_edit_kinds(arena_t *arena, program_t *inout_program);

/* Writes the program down and reads it again: what comes of chance is a program only if it has a
 * line.  *out_line is that, in the arena.  False if it has none. */
bool program_settle(program_t *inout_program, arena_t *arena, const char **out_line);

#endif
