/* SPDX-License-Identifier: Apache-2.0 */
/* A module: a program of several steps, each of which is the program of another op, wired by
 * values. As text, it is the attribute `steps` of op `module`:
 *
 *   {v0=constant(f32[2],3f80000000000000);v1=stablehlo.add(a0,v0) f32[2] f32[2] ->
 * f32[2];return(v1)}
 *
 * a0, a1, ... are the operands of the module, v0, v1, ... what constants and steps define, in this
 * order, constants first.  A step sees the bits of a value: its type for it may differ from that of
 * the definition in the quantization alone (an i32 accumulator as plain i32, say). */
#ifndef ASSAY_KINDS_MODULE_MODULE_H
#define ASSAY_KINDS_MODULE_MODULE_H

#include "harness/model/op.h"

enum {
  MODULE_STEPS_MAX = 256,
  MODULE_CONSTANTS_MAX = 256,
  MODULE_ARGUMENTS_MAX = CASE_OPERANDS_MAX,
  MODULE_VALUES_MAX =
      MODULE_ARGUMENTS_MAX + MODULE_CONSTANTS_MAX + MODULE_STEPS_MAX * CASE_RESULTS_MAX,
};

/* The number of a value: of argument a0 0, of v0 MODULE_ARGUMENTS_MAX. */
typedef uint32_t module_value_t;

typedef struct module_step {
  program_t program; /* No module. */
  module_value_t operands[CASE_OPERANDS_MAX];
  module_value_t results[CASE_RESULTS_MAX];
} module_step_t;

typedef struct module {
  uint32_t constant_count;
  const tensor_t *constants; /* v0, v1, ... */
  uint32_t step_count;
  const module_step_t *steps; /* Each after those whose results it takes. */
  uint32_t value_count;       /* Arguments, constants and results of steps. */
  uint32_t return_count;
  module_value_t returns[CASE_RESULTS_MAX];
} module_t;

/* The attributes of a program of op `module`. */
typedef struct module_attributes {
  const module_t *module;
} module_attributes_t;

extern const attribute_codec_t module_steps; /* const module_t * */

/* Whether it is one of op `module`; its steps. */
#define MODULE_OP "module"
static inline bool program_is_module(const program_t *program) {
  return strcmp(program->op->name, MODULE_OP) == 0;
}
static inline const module_t *module_of(const program_t *program) {
  return ((const module_attributes_t *)program->attributes)->module;
}

/* Parses and prints the text above.  Names that are not defined, and steps that are no programs,
 * are errors with a column. */
status_t module_parse(scan_t *scan, arena_t *arena, const module_t **out_module, failure_t *error);
void module_print(const module_t *module, GString *out_text);

/* A deep copy. */
const module_t *module_copy(const module_t *module, arena_t *arena);

/* "a0", "v3" */
void module_print_value(module_value_t value, GString *out_text);

/* The type that a value of a module program was defined with; NULL for an argument that the program
 * does not have. */
const type_t *module_type(const program_t *program, module_value_t value);

/* The data of a value that is a constant, else NULL. */
const tensor_t *module_constant(const module_t *module, module_value_t value);

/* The step that defines a value, or NULL. */
const module_step_t *module_definition(const module_t *module, module_value_t value);

/* Whether bits of one type may be seen as the other: both are stored alike. */
bool module_sees(const type_t *defined, const type_t *seen);

/* Whether all values that steps and the module return have the types that they are taken with. */
bool module_is_wired(const program_t *program);

/* Whether every step breaks none of its op's constraints. */
bool module_steps_are_valid(const program_t *program);

/* op_t.axes and with_axes: dimensions that the steps run along together are one axis.  It is a term
 * where it is summed over, and where it is to be left whole: a step tells nothing about it, a
 * constant or scales have it, or one value has it twice. */
void module_axes(const program_t *program, axes_t *out_axes);
void module_with_axes(const program_t *program, axes_t *inout_axes, arena_t *arena,
                      program_t *out_program);

/* Whether the first result of a valid module has an axis of batches, rows or columns; appends why
 * not. */
bool module_tells_axes(const program_t *program, GString *out_why);

/* op_t.print_mlir: one function, each step as its op prints it, and stablehlo.bitcast_convert where
 * bits are seen otherwise. */
void module_print_mlir(const program_t *program, GString *out_text);

#endif
