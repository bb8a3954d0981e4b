/* SPDX-License-Identifier: Apache-2.0 */
/* What the handles of assay/assay.h are, and what every call does first and last.  Private to
 * harness/api. */
#ifndef ASSAY_API_HANDLES_H
#define ASSAY_API_HANDLES_H

#include <fenv.h>
#include <locale.h>
#include <stdatomic.h>

#include "harness/api/assay/assay.h"
#include "harness/run/case_runner.h"
#include "harness/run/parts/parts.h"

/* A call: between call_begin() and call_end() the thread has the floating-point environment and the
 * numbers' spelling that the rest of Assay counts on, whatever the caller's are. */
typedef struct call {
  failure_t failure;
  int32_t answer; /* Of assay_status, where it is not what follows from a status_t; else 0. */
  assay_error_t *error;
  fenv_t environment;
  locale_t locale;
} call_t;

void call_begin(call_t *call, assay_error_t *error);
int32_t call_end(call_t *call, status_t status);

/* While the caller's own functions run, what is his is put back; and taken again behind them. */
void call_leave(const call_t *call);
void call_return(void);

/* "NAME is NULL; give ...". */
status_t fail_null(call_t *call, const char *name, const char *remedy);

/* Whether a struct of the caller's has at least the members of version 1. */
status_t check_struct(call_t *call, const char *name, uint32_t size, size_t needed);

/* Writes `size` bytes of a struct, or as many as its caller has, and leaves his struct_size. */
void write_struct(void *out_struct, const void *from, size_t size);

struct assay_context {
  atomic_flag is_busy;
  arena_t arena; /* Of the present call. */
  case_runner_t walk;
};

/* Takes a context for a call, which must be NULL for no other; call_end() does not give it back. */
status_t context_take(call_t *call, assay_context_t *context);
void context_give_back(assay_context_t *context);

struct assay_contract {
  contract_t contract;
  char *text;
};

/* That of NULL is `backend`. */
contract_t contract_of(const assay_contract_t *contract);

struct assay_program_handle {
  arena_t arena;
  const op_t *op;
  bool is_finished;
  char **attributes;   /* While it is built: texts, by the op's attribute rows; NULL: not set. */
  GPtrArray *operands; /* Texts of types. */
  GPtrArray *results;
  /* Of a finished one, in the arena. */
  program_t program;
  char *line;
  char *mlir;
  char *operand_elements[CASE_OPERANDS_MAX];
  char *result_elements[CASE_RESULTS_MAX];
  op_attribute_t attribute_texts[OP_ATTRIBUTES_MAX];
  size_t attribute_count;
};

/* NULL, or unfinished, is an error. */
status_t check_finished(call_t *call, const assay_program_handle_t *program);

/* Whether a tensor exceeds the bounds of type_check(); and that none of a finished program does,
 * which all calls but assay_check() need. */
bool program_is_large(const program_t *program);
status_t check_bounded(call_t *call, const assay_program_handle_t *program);

/* A finished handle of its own, of a program that breaks nothing. */
assay_program_handle_t *program_handle_new(const program_t *program);

/* The text of an attribute of a finished program, or NULL. */
const char *attribute_text(const assay_program_handle_t *program, const char *key);

/* Operands or results as a caller gives them. */
typedef struct tensor_list {
  const assay_tensor_t *tensors;
  uint32_t count;
  const char *what; /* "operand", "result" */
} tensor_list_t;

/* Entry `index` of a list whose structs are as far apart as they say. */
const assay_tensor_t *tensor_at(const tensor_list_t *list, uint32_t index);

/* Checks them against the types and borrows their data, or copies it to the arena where it is not
 * dense. */
status_t tensors_borrow(call_t *call, const tensor_list_t *list, const type_t *types,
                        uint32_t type_count, arena_t *arena, tensor_t *out_tensors);

/* Checks them as results that are written. */
status_t tensors_check(call_t *call, const tensor_list_t *list, const type_t *types,
                       uint32_t type_count);

/* Copies dense data to where they are. */
void tensors_store(const tensor_list_t *list, const tensor_t *from);

/* A tensor of ours as the caller sees it; borrowed. */
assay_tensor_t tensor_show(const tensor_t *tensor, const char *element);

struct assay_case {
  arena_t arena;
  case_t instance;
  assay_program_handle_t *program;
  _Atomic(char *) line; /* Made when it is asked for. */
};

/* A handle with a copy of the case. */
assay_case_t *case_handle_new(const case_t *instance);

/* A question, checked: its operands are borrowed, or in the arena of the context. */
typedef struct question {
  assay_question_t asked; /* A copy. */
  contract_t contract;
  case_t instance;
  tensor_list_t results; /* As they were given. */
} question_t;

/* Checks all of it but the results; its tensors are within the bounds of type_check(). */
status_t question_read(call_t *call, assay_context_t *context, const assay_question_t *asked,
                       question_t *out_question);

/* The same of tensors of any size. */
status_t question_read_large(call_t *call, assay_context_t *context, const assay_question_t *asked,
                             question_t *out_question);

/* Tells the caller's progress function, in its own environment; false: it wants an end. */
typedef struct progress {
  const call_t *call;
  const assay_question_t *asked;
  double done;
  bool is_cancelled;
} progress_t;
bool progress_tell(progress_t *progress, double done);

/* For case_runner_t.interrupt; the context is a progress_t. */
bool progress_is_cancelled(void *context);

struct assay_verdict {
  arena_t arena;
  verdict_t verdict;
  assay_verdict_info_t info;
  char *replay;
  const char *smallest;
  const uint8_t *wrong[CASE_RESULTS_MAX]; /* In the arena; NULL: none is. */
  size_t counts[CASE_RESULTS_MAX];        /* Components. */
  uint32_t result_count;
};

/* What is known of the worst element beside what a verdict_t says. */
typedef struct worst {
  double exact; /* NaN: not known. */
  bool has_ends;
  uint64_t lowest, highest;
} worst_t;

/* What was judged. */
typedef struct judged {
  const case_t *instance;
  const contract_t *contract;
  const tensor_t *results;
  const uint8_t *const *wrong; /* For each result; entries may be NULL. */
  worst_t worst;
} judged_t;

/* Fills in all that a verdict tells. */
void verdict_tell(const judged_t *judged, assay_verdict_t *verdict);

/* A value of an element type, as assay_value_t; texts in the arena. */
assay_value_t value_show(arena_t *arena, const element_t *element, uint64_t bits);
assay_value_t value_show_double(arena_t *arena, double value);
assay_value_t value_show_nothing(void);

/* Of the worst element of a case that was judged; scratch in the arena of the expectation.  There
 * are no ends where no number conforms or nobody knows. */
status_t worst_find(const expectation_t *expectation, const contract_t *contract,
                    const verdict_t *verdict, worst_t *out_worst, failure_t *error);

/* Everything that one check is about. */
typedef struct check {
  call_t *call;
  assay_context_t *context;
  question_t question;
  tensor_t results[CASE_RESULTS_MAX];
  progress_t progress;
  size_t whole_count; /* Of the case that is judged in parts now: see case_runner_t; else 0. */
  const uint8_t *margins[CASE_RESULTS_MAX]; /* Of the part that is judged now: see judge_t. */
} check_t;

/* A case and its results: all of the question, or a part. */
typedef struct checked {
  verdict_t verdict;
  evidence_t evidence;
  worst_t worst;
} checked_t;

/* Judges a case, in the arena of the context; `is_brief`: tells counts and what is wrong alone. */
status_t check_case(check_t *check, const case_t *instance, const tensor_t *results, bool is_brief,
                    checked_t *out_checked);

/* The margins of the block of a unit, whose case is `part`, until they are cleared. */
void check_margins(check_t *check, const cut_t *cut, size_t unit, const case_t *part);

/* The failure of a caller who wants an end. */
status_t check_cancelled(check_t *check);

/* Fills in the case of the worst element alone, of a divergence. */
status_t smallest_tell(check_t *check, assay_verdict_t *verdict);

/* What wrong results are told of: the walk that check_case() has. */
case_runner_t *check_walk(check_t *check);

/* What failed is not the caller's: Assay found itself wrong, or he wanted an end. */
status_t check_failed(check_t *check, status_t status);

/* How the question's case is cut; false if it cannot be. */
bool check_cut(const check_t *check, cut_t *out_cut);

/* The question about parts of the case: all blocks. */
parts_question_t check_parts(check_t *check, const cut_t *cut);

/* Has a verdict on what was judged by parts tell what explains all of it
 * (harness/diagnose/reading.h): asks the same question under other readings. */
status_t check_readings(check_t *check, const parts_question_t *question, verdict_t *inout_verdict);

/* Units of the first wrong components, which stand for all. */
enum { CHECK_TOLD_MAX = 32 };
size_t check_wrong_units(const cut_t *cut, const cut_subject_t *subject,
                         const parts_finding_t *finding, size_t out_units[CHECK_TOLD_MAX]);

/* Judges the question's case by blocks, with as many threads as it says; *out_is_done is false if
 * it cannot be cut so. */
status_t check_blocks(check_t *check, const cut_t *cut, assay_verdict_t *verdict,
                      bool *out_is_done);

/* Judges a sample of the question's elements where the whole would take longer than the budget;
 * *out_is_sampled is false if it would not, or the op has no parts. */
status_t check_sampled(check_t *check, const cut_t *cut, assay_verdict_t *verdict,
                       bool *out_is_sampled);

#endif
