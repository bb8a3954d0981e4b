/* SPDX-License-Identifier: Apache-2.0 */
/* libassay: whether results of a tensor operation are right, decided where the tensors are.
 *
 *     assay_check() holds results against operands and gives a verdict that is a theorem: which
 *     elements no conforming implementation may return, and what it may return in their place.
 *
 * Standalone (C11 and C++17).  The manual with a complete example: harness/docs/library.md.
 *
 * Errors.  A call that can fail returns an assay_status and takes `error` last, which may be NULL.
 * Whatever the arguments are, a call returns: a null pointer, a negative size or a wrong rank is
 * ASSAY_INVALID, with a text that says what is wrong, where, and what to do.  (A pointer that is
 * not null must point to what its description says, and memory that runs out ends the process.)
 * Out parameters are written only on ASSAY_OK.  That results are wrong is no error but a verdict.
 *
 * Threads.  The library has no state but the ops that assay_ops_load() adds.  A context is used by
 * one thread at a time, and several threads check at once with a context each.  Finished programs,
 * contracts, verdicts and accept sets may be read by many threads, while nobody changes them.
 * The caller's rounding mode, flush-to-zero and locale change nothing, and are left as they are.
 *
 * Ownership.  What a call gives as `out_...` handle is the caller's to free; freeing NULL does
 * nothing.  Texts and arrays that a handle gives are the handle's, and live as long as it does.
 * Tensors are borrowed for the call; dense, row-major, aligned ones are not copied.
 *
 * Versions.  Structs only ever grow at the end: `struct_size`, which the caller sets to
 * sizeof(the struct), says how much of it he knows; all else that is zero stands for a default. */
#ifndef ASSAY_ASSAY_H
#define ASSAY_ASSAY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Versions and errors --------------------------------------------------------------------- */
/* The version of this header: of the calls, and of the structs as they were first. */
#define ASSAY_API_VERSION 1u
/* ASSAY_API_VERSION of the library that is loaded; the version of the package ("0.1.0"). */
uint32_t assay_api_version(void);
const char *assay_version(void);

enum assay_status {
  ASSAY_OK = 0,
  ASSAY_INVALID = 1,     /* An argument breaks a rule: change it. */
  ASSAY_UNSUPPORTED = 2, /* Well formed, but Assay has no meaning for it. */
  ASSAY_UNDECIDED = 3,   /* More precision, time or memory might decide it. */
  ASSAY_ENVIRONMENT = 4, /* The machine failed. */
  ASSAY_CANCELLED = 5,   /* The caller's own progress function asked for that. */
  ASSAY_DEFECT = 6       /* Assay found itself wrong: report it; no verdict may be trusted. */
};

typedef struct assay_error {
  uint32_t struct_size;
  int32_t status;  /* As the call returned it. */
  uint64_t column; /* 1-based, of the offending byte in a text that was parsed; else 0. */
  char text[512];  /* One line, NUL-terminated. */
} assay_error_t;

/* ---- Contexts and contracts ------------------------------------------------------------------ */
/* Memory and random numbers of one thread's calls. */
typedef struct assay_context assay_context_t;
int32_t assay_context_new(assay_context_t **out_context, assay_error_t *error);
void assay_context_free(assay_context_t *context);

/* What implementations are permitted: named permissions, each with one of a few values
 * (harness/model/permissions.def; `assay help` lists them). */
typedef struct assay_contract assay_contract_t;

/* "spec": the letter of the specification.  "backend": what compilers do; also for NULL.  "wide":
 * backend, but floats of 16 and 8 bits are computed with in f32.  Changes follow: "wide,ftz=both".
 * Contract "identified" is about an executor and is not known here. */
int32_t assay_contract_new(const char *text, assay_contract_t **out_contract, assay_error_t *error);
void assay_contract_free(assay_contract_t *contract);

/* One permission by its name: "ftz", "both".  The value that is got lives for ever. */
int32_t assay_contract_set(assay_contract_t *contract, const char *permission, const char *value,
                           assay_error_t *error);
int32_t assay_contract_get(const assay_contract_t *contract, const char *permission,
                           const char **out_value, assay_error_t *error);

/* The shortest text of the contract.  NULL for NULL. */
const char *assay_contract_text(const assay_contract_t *contract);

/* Names of permissions from index 0 on; NULL behind the last. */
const char *assay_permission_name(size_t index);

/* ---- Programs ---------------------------------------------------------------------------------
 * One op with its attributes, operand types and result types; no data.  (The executor ABI has a
 * struct assay_program of its own: hence the handle's name.) */
typedef struct assay_program_handle assay_program_handle_t;

/* Begins a program of the op, such as "stablehlo.dot_general".  The next functions add to it, in
 * any order; assay_program_finish() then checks all of it, and it changes no more. */
int32_t assay_program_new(const char *op, assay_program_handle_t **out_program,
                          assay_error_t *error);
void assay_program_free(assay_program_handle_t *program);

/* `element` is MLIR's spelling: "f32", "bf16", "f8E4M3FN", "i4" (signed), "ui8", "i1",
 * "complex<f32>", or a quantized type as harness/model/case_line.md has it.  `dims`: `rank` sizes,
 * none negative; may be NULL where rank is 0. */
int32_t assay_program_add_operand(assay_program_handle_t *program, const char *element,
                                  uint32_t rank, const int64_t *dims, assay_error_t *error);
int32_t assay_program_add_result(assay_program_handle_t *program, const char *element,
                                 uint32_t rank, const int64_t *dims, assay_error_t *error);

/* Attributes by name; setting one again replaces it.  What each is called and which of these calls
 * it takes: harness/model/case_line.md.  `count` values; the array may be NULL where that is 0. */
int32_t assay_program_set_integer(assay_program_handle_t *program, const char *key, int64_t value,
                                  assay_error_t *error);
int32_t assay_program_set_integers(assay_program_handle_t *program, const char *key,
                                   const int64_t *values, size_t count, assay_error_t *error);
int32_t assay_program_set_number(assay_program_handle_t *program, const char *key, double value,
                                 assay_error_t *error);
int32_t assay_program_set_boolean(assay_program_handle_t *program, const char *key, int32_t value,
                                  assay_error_t *error);
int32_t assay_program_set_booleans(assay_program_handle_t *program, const char *key,
                                   const int32_t *values, size_t count, assay_error_t *error);

/* A word ("tanh", "add"), an element type, or any attribute in the spelling of the case line. */
int32_t assay_program_set_text(assay_program_handle_t *program, const char *key, const char *text,
                               assay_error_t *error);
int32_t assay_program_set_texts(assay_program_handle_t *program, const char *key,
                                const char *const *texts, size_t count, assay_error_t *error);

/* A list for each of two operands, equally long: contracting dimension 1 of the left and 0 of the
 * right one. */
int32_t assay_program_set_dimension_pair(assay_program_handle_t *program, const char *key,
                                         const int64_t *left, const int64_t *right, size_t count,
                                         assay_error_t *error);

/* `rows` lists of `columns` values each, row by row: padding, replica groups. */
int32_t assay_program_set_integer_rows(assay_program_handle_t *program, const char *key,
                                       const int64_t *values, size_t rows, size_t columns,
                                       assay_error_t *error);

/* Checks types, attributes and the op's constraints. */
int32_t assay_program_finish(assay_program_handle_t *program, assay_error_t *error);

/* A finished program from its line, "stablehlo.add f32[2] f32[2] -> f32[2]". */
int32_t assay_program_parse(const char *line, assay_program_handle_t **out_program,
                            assay_error_t *error);

/* Of a finished program; NULL or 0 of any other.  The line; the op; the module in StableHLO's
 * generic form. */
const char *assay_program_line(const assay_program_handle_t *program);
const char *assay_program_op(const assay_program_handle_t *program);
const char *assay_program_mlir(const assay_program_handle_t *program);
uint32_t assay_program_operand_count(const assay_program_handle_t *program);
uint32_t assay_program_result_count(const assay_program_handle_t *program);

/* Attributes of a finished program: name and spelling of those from index 0 on, ASSAY_INVALID
 * behind the last; and all integers in one, in order, of which at most `capacity` are written:
 * "[1]x[0]" is 1, 0. */
int32_t assay_program_attribute(const assay_program_handle_t *program, uint32_t index,
                                const char **out_key, const char **out_value, assay_error_t *error);
int32_t assay_program_integers(const assay_program_handle_t *program, const char *key,
                               int64_t *out_values, size_t capacity, size_t *out_count,
                               assay_error_t *error);

/* Names of ops from index 0 on; NULL behind the last. */
const char *assay_op_name(size_t index);
/* Adds the ops that files declare (harness/docs/ops/op-files.md), of FILE.op or of a folder, for
 * all threads and for good; passes over what is there.  An error if another op has such a name. */
int32_t assay_ops_load(const char *paths, assay_error_t *error);

/* ---- Tensors --------------------------------------------------------------------------------- */
/* Memory of the caller's.  An element takes whole bytes, little-endian: i1 one byte, 0 or 1; i2,
 * i4, f4 and f6 one byte, value in the low bits, the others 0 or (of signed integers) copies of the
 * sign; complex is real, then imaginary.  In arrays of tensors all have the same struct_size. */
typedef struct assay_tensor {
  uint32_t struct_size;
  uint32_t rank;
  const char *element;    /* As of the program; a quantized tensor may name its storage type. */
  const int64_t *dims;    /* `rank` sizes; may be NULL where rank is 0. */
  const int64_t *strides; /* Bytes to the next index, of any sign; NULL: dense row-major. */
  void *data;             /* Of the element at index 0, ...; may be NULL where there is none. */
} assay_tensor_t;

/* Type of an operand or result of a finished program; `data` and `strides` are NULL.  The caller
 * sets out_type->struct_size. */
int32_t assay_program_operand_type(const assay_program_handle_t *program, uint32_t index,
                                   assay_tensor_t *out_type, assay_error_t *error);
int32_t assay_program_result_type(const assay_program_handle_t *program, uint32_t index,
                                  assay_tensor_t *out_type, assay_error_t *error);

/* ---- Checks ---------------------------------------------------------------------------------- */
enum assay_outcome {
  ASSAY_CONFORMS = 0,
  ASSAY_DIVERGES = 1,
  ASSAY_VACUOUS = 2, /* Conforms, as zeros, NaN or twice the value everywhere would: no evidence. */
  ASSAY_NO_ORACLE = 3 /* Nobody knows what is right; `reason` says why. */
};

enum assay_flag {
  ASSAY_ALL_ELEMENTS = 1, /* Decide every element exactly that needs it, however long that takes. */
  ASSAY_NO_CAUSE = 2,     /* Do not look for the cause of a divergence. */
  ASSAY_SURE_ONLY = 4     /* Of assay_accept(): what surely conforms, and some ten times as fast;
                           * values beyond may conform too. */
};

/* Told now and then how much of a call is done, 0 to 1, from the thread that called, which tells
 * whenever it decided an element exactly.  Another answer than 0 ends the call: ASSAY_CANCELLED. */
typedef int32_t (*assay_progress_t)(void *user, double done);

/* What is asked.  Calls read of it what they are about. */
typedef struct assay_question {
  uint32_t struct_size;
  uint32_t flags; /* Of assay_flag. */
  const assay_program_handle_t *program;
  const assay_tensor_t *operands;
  const assay_tensor_t *results; /* assay_check(): what came; assay_simulate(): what is written. */
  uint32_t operand_count;
  uint32_t result_count;
  const assay_contract_t *contract; /* NULL: "backend". */
  uint64_t seed;                    /* Of what is drawn: samples, elements of assay_power(). */
  double budget_seconds;            /* Of processor time; 0: no limit.  See assay_check(). */
  assay_progress_t progress;        /* May be NULL. */
  void *user;                       /* Handed to it. */
  uint32_t threads, reserved; /* Of assay_check(): any number gives the same verdict; and 0. */
} assay_question_t;

typedef struct assay_verdict assay_verdict_t;

/* Holds results against operands.  Every result element is judged, but of large results that need
 * exact arithmetic for each (functions in f64, say), and with a budget of what would take longer, a
 * sample; assay_verdict_info_t says what that may have missed.  Only here tensors may have up to
 * 2^31 elements, where parts of at most 2^24 can be cut out of them. */
int32_t assay_check(assay_context_t *context, const assay_question_t *question,
                    assay_verdict_t **out_verdict, assay_error_t *error);
void assay_verdict_free(assay_verdict_t *verdict);

/* A value of one component.  Texts are "" where there is none. */
typedef struct assay_value {
  double number;       /* NaN where there is none; nearest, of 64-bit integers. */
  const char *decimal; /* "12.000000953674316" */
  const char *hex;     /* "0x1.800002p+3" */
} assay_value_t;

typedef struct {
  uint32_t struct_size;
  int32_t outcome;           /* Of assay_outcome. */
  const char *class_name;    /* Of a divergence: "value", "flush", "nan", ... */
  const char *explanation;   /* All of it in one line. */
  const char *reason;        /* Of what did not end in a judgement. */
  const char *cause;         /* "term-left-out", ...; "" if none is known. */
  const char *cause_text;    /* The same in words, with indices. */
  const char *pattern;       /* Which elements are wrong: "last column". */
  const char *algorithms;    /* Dot algorithms that could have given these results, "A|B". */
  const char *observed;      /* What of the permitted was seen, or what explains the divergence. */
  const char *formula;       /* Of an op with several formulas: the tightest that explains all. */
  uint64_t component_count;  /* Judged; complex elements have two components. */
  uint64_t wrong_count;      /* Of these. */
  uint64_t untested_count;   /* Judged, but nothing could have failed there. */
  uint64_t left_out_count;   /* Not in the sample that was judged. */
  uint64_t missed_one_in;    /* With a sample: a fault in one of so many elements is missed with a
                              * probability of at most 1e-6; else 0. */
  double ulp_error_max;      /* |got - exact|, in units in the last place; as a share of the */
  double slack_max;          /* permitted error; and of u times the sum of magnitudes.  Over all */
  double backward_error_max; /* components whose exact value is known. */

  /* The worst element, of a divergence; worst_rank indices. */
  uint32_t worst_result;
  uint32_t worst_part; /* 1: the imaginary part of a complex element. */
  uint32_t worst_rank;
  int32_t has_interval; /* permitted_low and permitted_high are there. */
  int64_t worst_index[8];
  assay_value_t got;
  assay_value_t exact;          /* The exact result, correctly rounded to binary64. */
  assay_value_t permitted_low;  /* Ends of the permitted values around the exact one; decided */
  assay_value_t permitted_high; /* exactly, so that the next value beyond each is wrong. */
  const char *permitted;        /* All that is permitted, in words. */
  const char *reading; /* Settings under which all would conform, "norm_epsilon=larger"; or "". */
} assay_verdict_info_t;

int32_t assay_verdict_info(const assay_verdict_t *verdict, assay_verdict_info_t *out_info,
                           assay_error_t *error);

/* Which components of a result are wrong: nonzero in those, row-major.  NULL where none is. */
int32_t assay_verdict_wrong(const assay_verdict_t *verdict, uint32_t result,
                            const uint8_t **out_wrong, size_t *out_count, assay_error_t *error);

/* A shell command, `assay judge`, for the same data; "" if nothing is wrong or beyond 64 KiB. */
const char *assay_verdict_replay(const assay_verdict_t *verdict);

/* The case of the worst element alone, a tab, and its results, as `assay judge` reads them; ""
 * where that does not diverge by itself, is longer, or not to be had, and with ASSAY_NO_CAUSE. */
const char *assay_verdict_smallest(const assay_verdict_t *verdict);

/* How wrong results could be without being noticed: of so many elements, chosen by the seed. */
typedef struct assay_power_info {
  uint32_t struct_size;
  uint32_t vacuous_count; /* Elements in which nothing, or nothing that matters, can be wrong. */
  uint64_t element_count; /* Elements whose tolerance was measured. */
  double ulps_median;     /* Tolerances: from the exact value to the farthest that conforms. */
  double ulps_max;
  double relative_max; /* The same as a share of the exact value. */
  char text[256];      /* "errors above 2.4 ulp would have been seen in ..." */
} assay_power_info_t;
int32_t assay_power(assay_context_t *context, const assay_question_t *question, uint32_t elements,
                    assay_power_info_t *out_info, assay_error_t *error);

/* ---- Accept sets ----------------------------------------------------------------------------- */
enum assay_special {
  ASSAY_NAN = 1,
  ASSAY_POSITIVE_INFINITY = 2,
  ASSAY_NEGATIVE_INFINITY = 4,
  ASSAY_NEGATIVE_ZERO = 8,
  ASSAY_POSITIVE_ZERO = 16
};

typedef struct assay_accept_set assay_accept_set_t;

/* All arrays are the handle's: an entry for each component, row-major. */
typedef struct {
  uint32_t struct_size;
  uint32_t components_per_element; /* 2 of complex types. */
  size_t count;                    /* Components. */
  /* Lowest and highest value that conform, around the exact one; NaN where no number does; nearest,
   * of 64-bit integers.  And their patterns. */
  const double *low;
  const double *high;
  const uint64_t *low_bits;
  const uint64_t *high_bits;
  const double *exact;     /* The exact result, rounded to binary64; NaN where it is not known. */
  const uint8_t *specials; /* Sets of assay_special that conform; of integers 0. */
  const uint8_t *unknown;  /* Nonzero where nothing is known of the component. */
} assay_accept_info_t;

/* The results that conform.  `low` and `high` do, and the next value beyond either does not.  Those
 * between them do too, but where a sum has few terms, whose few orders give few values.  Sums,
 * products, formulas and elementwise ops of floats take microseconds a component; of others, and of
 * those few terms, the exact side is asked about 60 times for each: see ASSAY_SURE_ONLY. */
int32_t assay_accept(assay_context_t *context, const assay_question_t *question,
                     assay_accept_set_t **out_set, assay_error_t *error);
void assay_accept_set_free(assay_accept_set_t *set);
int32_t assay_accept_info(const assay_accept_set_t *set, uint32_t result,
                          assay_accept_info_t *out_info, assay_error_t *error);

/* ---- Cases: programs with operands ----------------------------------------------------------- */
typedef struct assay_case assay_case_t;

/* A copy of program and operands. */
int32_t assay_case_new(const assay_program_handle_t *program, const assay_tensor_t *operands,
                       uint32_t operand_count, assay_case_t **out_case, assay_error_t *error);
int32_t assay_case_parse(const char *line, assay_case_t **out_case, assay_error_t *error);
void assay_case_free(assay_case_t *instance);

/* What is drawn: a program of the op and operands, or operands for a program. */
typedef struct assay_draw {
  uint32_t struct_size;
  uint32_t reserved; /* 0 */
  const char *op;
  const char *types;  /* "f32", or all as in "bf16,bf16->f32"; NULL: any. */
  const char *strata; /* Where sizes and data come from, with shares: "tiles=30,long=5"
                       * (harness/gen/strata.def); NULL: the default. */
  const assay_program_handle_t *program; /* If not NULL: of this one; then op and types are NULL. */
  uint64_t seed;                         /* The same struct gives the same case. */
} assay_draw_t;
int32_t assay_case_draw(assay_context_t *context, const assay_draw_t *draw, assay_case_t **out_case,
                        assay_error_t *error);

/* Parts of a case, which are the case's.  The caller sets out_operand->struct_size. */
const char *assay_case_line(const assay_case_t *instance);
const assay_program_handle_t *assay_case_program(const assay_case_t *instance);
int32_t assay_case_operand(const assay_case_t *instance, uint32_t index,
                           assay_tensor_t *out_operand, assay_error_t *error);

/* ---- Models and shrinking -------------------------------------------------------------------- */
/* Writes what a model returns: an order of summation and an arithmetic, as in "pairwise+fma" or
 * "lanes8+acc=f64" (`assay executors`), or one with a planted fault, "canary:drop_last_term". */
int32_t assay_simulate(assay_context_t *context, const assay_question_t *question,
                       const char *model, assay_error_t *error);

/* The kernel under test.  `run` reads the operands, writes all results, which are dense, and
 * returns 0, or anything else if it does not do the program. */
typedef int32_t (*assay_run_t)(void *user, const assay_question_t *question);
typedef struct assay_tested_kernel {
  uint32_t struct_size;
  uint32_t calls_max; /* 0: 400. */
  assay_run_t run;
  void *user;
} assay_tested_kernel_t;

typedef struct assay_shrink_info {
  uint32_t struct_size;
  uint32_t calls;        /* Of the kernel. */
  int32_t is_reproduced; /* The kernel diverges on the question's case; else that is given. */
  int32_t is_complete;   /* Nothing smaller is left, rather than no calls. */
} assay_shrink_info_t;

/* Makes the question's case small, as long as the kernel diverges on it in the same class.
 * `out_info` may be NULL. */
int32_t assay_shrink(assay_context_t *context, const assay_question_t *question,
                     const assay_tested_kernel_t *kernel, assay_case_t **out_case,
                     assay_shrink_info_t *out_info, assay_error_t *error);

#ifdef __cplusplus
}
#endif
#endif
