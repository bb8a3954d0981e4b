/* SPDX-License-Identifier: Apache-2.0 */
/* A program is one op with attributes and types; a case is a program and the bits of its operands.
 * (`case` is a C keyword, so variables are called `instance`.) */
#ifndef ASSAY_MODEL_CASE_H
#define ASSAY_MODEL_CASE_H

#include <glib.h>

#include "harness/base/arena.h"
#include "harness/base/hash.h"
#include "harness/types/type.h"

struct op;

enum {
  CASE_OPERANDS_MAX = 8,
  CASE_RESULTS_MAX = 4,
  CASE_LINE_BYTES_MAX = 1 << 28, /* A longer line is refused unread. */
};

/* Dense row-major data of a type, little-endian, see element.h. */
typedef struct tensor {
  type_t type;
  uint8_t *data; /* type_bytes(&type) bytes, aligned to 64. */
} tensor_t;

typedef struct program {
  const struct op *op;
  const void *attributes; /* The op's own struct, op->attributes_bytes long, in the arena. */
  uint32_t operand_count;
  uint32_t result_count;
  type_t operands[CASE_OPERANDS_MAX];
  type_t results[CASE_RESULTS_MAX];
} program_t;

typedef struct case_instance {
  program_t program;
  tensor_t operands[CASE_OPERANDS_MAX]; /* program.operand_count of them, of its operand types. */
} case_t;

/* Uninitialised data of a type. */
tensor_t tensor_make(arena_t *arena, const type_t *type);

/* A case of `program` whose operands are uninitialised. */
case_t case_make(arena_t *arena, const program_t *program);

/* Deep copies into `arena`. */
tensor_t tensor_copy(arena_t *arena, const tensor_t *tensor);
program_t program_copy(arena_t *arena, const program_t *program);
case_t case_copy(arena_t *arena, const case_t *instance);

/* The case line: see case_line.md.  Printing appends to `out_text`. */
void case_print(const case_t *instance, GString *out_text);

/* Parses one line without its newline and validates the program (the op's constraints too, unless
 * `out_violation` is given, which then receives the id of the constraint that the program breaks,
 * see op_constraint_find(), or NULL).  Only the canonical spelling is accepted:
 * case_print(case_parse(s)) == s. */
status_t case_parse(str_t line, arena_t *arena, case_t *out_case, const char **out_violation,
                    failure_t *error);

/* The data of one tensor as the case line has it: hex of its components, "-" without elements. */
void tensor_print_data(const tensor_t *tensor, GString *out_text);

/* Parses a data field of a type, which ends before a blank or at the end. */
status_t tensor_parse_data(scan_t *scan, const type_t *type, arena_t *arena, tensor_t *out_tensor,
                           failure_t *error);

/* The part of the case line without the data. */
void program_print(const program_t *program, GString *out_text);
status_t program_parse(str_t line, arena_t *arena, program_t *out_program,
                       const char **out_violation, failure_t *error);

/* The same of a program that is only ever looked at in parts: type_check_large(). */
status_t program_parse_large(str_t line, arena_t *arena, program_t *out_program,
                             const char **out_violation, failure_t *error);

/* The program as it is compiled: sizes that are not known then are "?".  Of most programs it is
 * program_print(). */
void program_print_compiled(const program_t *program, GString *out_text);

/* Hash of that line: the key under which executors keep what they compiled. */
hash_text_t program_hash(const program_t *program);

/* "f32,f32->f32": the element types, for counters and reports; of quantized types without scales,
 * which differ from program to program: "quant<i8:f32>", per axis "quant<i8:f32:axis>". */
void program_print_types(const program_t *program, GString *out_text);

/* Whether a program, which has an operand and a result, has these types: all of them, as
 * program_print_types() has it, or the name of an element type, which stands for programs that take
 * and give that and are not quantized; NULL: any. */
bool program_has_types(const program_t *program, const char *types);

#endif
