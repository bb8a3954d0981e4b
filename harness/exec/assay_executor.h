/* SPDX-License-Identifier: Apache-2.0 */
/* The whole contract between Assay and a backend under test.
 *
 * Standalone (C11 and C++17): no other Assay header, no allocator, no exception and no C++ type
 * crosses this line.  A backend is a shared object that exports assay_executor_query().  All
 * structs only ever grow at the end; `struct_size` says how much the other side knows.
 *
 *   assay run --op stablehlo.dot_general --executor 'dso:./libmine.so?key=value' --cases 1000
 *
 * Calls come from one thread.  A backend may use threads of its own, must not change the
 * floating-point environment (rounding mode, flush-to-zero) of the calling thread, and must write
 * no byte outside its results.  All of this is checked. */
#ifndef ASSAY_EXECUTOR_H
#define ASSAY_EXECUTOR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_EXECUTOR_ABI 1u

/* What a call may answer. */
enum {
  ASSAY_EXECUTOR_OK = 0,
  ASSAY_EXECUTOR_UNSUPPORTED = 1, /* Cannot do exactly this program.  Never fall back to another
                                   * algorithm or type instead: refusing is not a failure. */
  ASSAY_EXECUTOR_INVALID = 2,     /* The program violates a constraint of its specification. */
  ASSAY_EXECUTOR_FAILED = 3,      /* Tried and could not: recorded as a finding. */
};

/* A tensor type.  `element` is MLIR's spelling: "f32", "ui8", "complex<f32>", "i1". */
typedef struct assay_type {
  const char *element;
  const int64_t *dims; /* `rank` sizes; may be NULL when rank is 0.  -1: see execute_sized(). */
  uint32_t rank;
} assay_type_t;

/* An attribute in the spelling of the case line: key "contract", value "[1]x[0]".  Later versions
 * of Assay may know more keys: a program with a key that you do not know is UNSUPPORTED. */
typedef struct assay_attribute {
  const char *key;
  const char *value;
} assay_attribute_t;

/* One step of a module: the program of an op, the values that it takes, and those that it gives. */
typedef struct assay_step {
  const struct assay_program *program;
  const uint32_t *operands; /* program->operand_count numbers of values. */
  const uint32_t *results;  /* program->result_count of them. */
} assay_step_t;

/* Several steps that are compiled and run as one, wired by values, which are numbers below
 * value_count: operand i of the module is value i, constant k is value constants_begin + k.  A step
 * sees the bits of a value: its type for it may differ from that of the definition in the
 * quantization alone. */
typedef struct assay_module {
  uint32_t struct_size;
  uint32_t value_count;
  uint32_t constants_begin;
  uint32_t constant_count;
  uint32_t step_count;
  const assay_type_t *constant_types;
  const void *const *constant_data; /* As operands of execute(). */
  const assay_step_t *steps;        /* Each after those whose results it takes. */
  const uint32_t *returns;          /* The values that are the results of the program. */
} assay_module_t;

/* A program: one op, its attributes and types.  All memory is Assay's and lives until compile()
 * returns. */
typedef struct assay_program {
  uint32_t struct_size;
  uint32_t operand_count;
  uint32_t result_count;
  uint32_t attribute_count;
  const char *op;           /* "stablehlo.dot_general" */
  const char *program_line; /* Canonical text of the program: harness/model/case_line.md. */
  const char *mlir; /* The same as a StableHLO module in generic form, or NULL.  The attribute
                     * "accumulation", of RFC 000, stands in it as conversions. */
  const assay_type_t *operands;
  const assay_type_t *results;
  const assay_attribute_t *attributes;

  /* Of op "module": its steps; else NULL.  `program_line` and `mlir` say the same.  Who cannot run
   * exactly these steps answers ASSAY_EXECUTOR_UNSUPPORTED, and says which step it is. */
  const assay_module_t *module;
} assay_program_t;

/* Where a backend explains itself. */
typedef struct assay_reason {
  char *text;          /* Out: one NUL-terminated line; empty on entry. */
  uint32_t text_bytes; /* Capacity of `text`. */
} assay_reason_t;

/* The sizes of all dimensions in one call: those of operand i and of result i. */
typedef struct assay_sizes {
  const int64_t *const *operands;
  const int64_t *const *results;
} assay_sizes_t;

typedef struct assay_executor {
  uint32_t abi;         /* ASSAY_EXECUTOR_ABI of the header this was built with. */
  uint32_t struct_size; /* sizeof(assay_executor_t) of that header. */

  /* Starts the backend.  `options` is the text after '?' in the executor's name ("" if none), keys
   * and values as the backend likes.  Writes *out_self on OK. */
  int32_t (*open)(const char *options, void **out_self, assay_reason_t *reason);

  /* Name ("openblas"), version and the hardware or kernels in use, stored beside every divergence.
   * NUL-terminated, owned by the backend, valid until close(). */
  const char *(*name)(void *self);
  const char *(*version)(void *self);
  const char *(*hardware)(void *self);

  /* The target: nonzero if the backend promises this program.  A promised program that compile()
   * refuses, or an unpromised one that it runs, is a finding.  May be NULL: then whatever compile()
   * accepts is promised. */
  int32_t (*promises)(void *self, const assay_program_t *program);

  /* Prepares a program.  On OK writes *out_handle, which execute() takes many times. */
  int32_t (*compile)(void *self, const assay_program_t *program, void **out_handle,
                     assay_reason_t *reason);

  /* Runs it.  operands[i] and results[i] are dense, row-major, little-endian, aligned to 64 bytes;
   * an element takes whole bytes (i4, f4 and i1 one byte each, value in the low bits, high bits
   * zero); complex is real, then imaginary.  Results are poisoned; every byte must be written.
   * Operands are read only. */
  int32_t (*execute)(void *self, void *handle, const void *const *operands, void *const *results,
                     assay_reason_t *reason);

  /* The implementation that the library chose for this handle ("brg:avx512_core"), or NULL; owned
   * by the backend, valid until release(). */
  const char *(*implementation)(void *self, void *handle);

  void (*release)(void *self, void *handle);
  void (*close)(void *self);

  /* Nonzero if compile() checks programs: whatever breaks a constraint of its specification is
   * answered with ASSAY_EXECUTOR_INVALID (or UNSUPPORTED), and Assay draws such programs now and
   * then to see.  Where it is 0 every program that compile() gets is valid, unless Assay is called
   * with --invalid. */
  uint32_t validates;

  /* Nonzero if compile() costs far more than execute() does on small data, because it generates
   * code or searches for an implementation: then each program gets more data by default.  64 bits,
   * so that the padding behind `validates` in tables of older headers is not read. */
  uint64_t compiling_is_dear;

  /* NULL, or compile() takes programs with sizes that are unknown by then: -1 in assay_type_t.dims,
   * "?" in program_line and in the MLIR.  Such a program is compiled once and run at several sizes,
   * by this function: as execute(), with all sizes.  Programs without unknown sizes go to
   * execute().
   */
  int32_t (*execute_sized)(void *self, void *handle, const assay_sizes_t *sizes,
                           const void *const *operands, void *const *results,
                           assay_reason_t *reason);

  /* NULL, or writes a program in C that executes a compiled program on these operands and needs the
   * library alone, none of Assay: for bug reports.  On OK *out_text is allocated with malloc(), and
   * the caller's.  It begins with a comment with a line "Build: COMMAND" and a line "Run: COMMAND",
   * for a shell in the folder of the text as reproducer.c.  The last line that it prints is
   * "results: " and the data of all results as the case line has them.  UNSUPPORTED, with the
   * reason, where it writes none of this program. */
  int32_t (*write_c)(void *self, void *handle, const void *const *operands, char **out_text,
                     assay_reason_t *reason);
} assay_executor_t;

/* Exported by the backend: its table, or NULL when `abi_max` is older than it can serve. */
const assay_executor_t *assay_executor_query(uint32_t abi_max);
typedef const assay_executor_t *(*assay_executor_query_t)(uint32_t abi_max);

#ifdef __cplusplus
}
#endif
#endif
