/* SPDX-License-Identifier: Apache-2.0 */
/* assay_shrink(): makes a case small on which the caller's kernel diverges. */
#include <string.h>

#include "harness/api/handles.h"
#include "harness/shrink/shrink.h"

enum { CALLS_DEFAULT = 400 };

typedef struct shrinking {
  call_t *call;
  question_t question;
  progress_t progress;
  case_runner_t walk;
  assay_tested_kernel_t kernel;
  uint32_t calls;
  arena_t arena;                   /* Of one run. */
  assay_program_handle_t *program; /* Of the last run. */
  hash_text_t hash;
  bool has_like; /* The first case was run, and diverged in this class: */
  divergence_class_t like;
} shrinking_t;

/* The handle that the kernel gets: the same for all data of a program. */
static const assay_program_handle_t *handle_of(shrinking_t *shrinking, const program_t *program) {
  hash_text_t hash = program_hash(program);
  bool is_same = shrinking->program != NULL && strcmp(hash.text, shrinking->hash.text) == 0;
  if (is_same) return shrinking->program;
  assay_program_free(shrinking->program);
  shrinking->program = program_handle_new(program);
  shrinking->hash = hash;
  return shrinking->program;
}

/* The caller's function, in his environment, on a copy of the operands, which he may spoil; false
 * if it does not do the program. */
static bool run_kernel(shrinking_t *shrinking, const case_t *candidate, tensor_t *out_results) {
  const program_t *program = &candidate->program;
  const assay_program_handle_t *handle = handle_of(shrinking, program);
  const case_t copy = case_copy(&shrinking->arena, candidate);
  assay_tensor_t operands[CASE_OPERANDS_MAX], results[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < program->operand_count; i++) {
    operands[i] = tensor_show(&copy.operands[i], handle->operand_elements[i]);
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    out_results[i] = tensor_make(&shrinking->arena, &program->results[i]);
    memset(out_results[i].data, 0, type_bytes(&program->results[i]));
    results[i] = tensor_show(&out_results[i], handle->result_elements[i]);
  }
  shrinking->calls++;
  call_leave(shrinking->call);
  const assay_question_t question = {.struct_size = sizeof question,
                                     .program = handle,
                                     .operands = operands,
                                     .results = results,
                                     .operand_count = program->operand_count,
                                     .result_count = program->result_count};
  int32_t answer = shrinking->kernel.run(shrinking->kernel.user, &question);
  call_return();
  return answer == 0;
}

static status_t judge_candidate(shrinking_t *shrinking, const case_t *candidate, bool *out_holds,
                                failure_t *error) {
  *out_holds = false;
  const program_t *program = &candidate->program;
  if (program_broken_under(program, program_broken(program), &shrinking->walk.contract) != NULL) {
    return STATUS_OK;
  }
  arena_reset(&shrinking->arena);
  tensor_t results[CASE_RESULTS_MAX];
  if (!run_kernel(shrinking, candidate, results)) return STATUS_OK;
  expectation_t expectation;
  STATUS_TRY(case_runner_expect(&shrinking->walk, candidate, NULL, &shrinking->arena, &expectation,
                                error));
  verdict_t verdict;
  STATUS_TRY(case_runner_judge(&shrinking->walk, &expectation, results, &verdict, error));
  if (verdict.outcome != OUTCOME_diverges) return STATUS_OK;
  if (!shrinking->has_like) shrinking->like = verdict.class_;
  shrinking->has_like = true;
  *out_holds = verdict.class_ == shrinking->like;
  return STATUS_OK;
}

static status_t still(void *context, const case_t *candidate, bool *out_holds, failure_t *error) {
  shrinking_t *shrinking = (shrinking_t *)context;
  if (!progress_tell(&shrinking->progress,
                     (double)shrinking->calls / shrinking->kernel.calls_max)) {
    return status_fail(error, STATUS_IO, "interrupted, as the caller asked");
  }
  return judge_candidate(shrinking, candidate, out_holds, error);
}

static status_t search(shrinking_t *shrinking, assay_context_t *context, assay_case_t **out_case,
                       shrink_report_t *out_report) {
  const shrink_options_t options = {.still = still,
                                    .context = shrinking,
                                    .calls_max = shrinking->kernel.calls_max,
                                    .program_changes_max = UINT32_MAX,
                                    .seed = shrinking->question.asked.seed};
  case_t smallest;
  status_t status = shrink_case(&options, &shrinking->question.instance, &context->arena, &smallest,
                                out_report, &shrinking->call->failure);
  if (status == STATUS_OK) {
    *out_case = case_handle_new(&smallest);
  } else if (shrinking->progress.is_cancelled) {
    shrinking->call->answer = ASSAY_CANCELLED;
  } else if (status == STATUS_INVALID) {
    shrinking->call->answer = ASSAY_DEFECT;
  }
  return status;
}

static status_t run(shrinking_t *shrinking, assay_context_t *context, const assay_question_t *asked,
                    assay_case_t **out_case, assay_shrink_info_t *out_info) {
  STATUS_TRY(question_read(shrinking->call, context, asked, &shrinking->question));
  shrinking->progress = (progress_t){.call = shrinking->call, .asked = &shrinking->question.asked};
  case_runner_init(&shrinking->walk, &shrinking->question.contract, 1);
  shrinking->walk.interrupt =
      (case_runner_interrupt_t){progress_is_cancelled, &shrinking->progress};
  arena_init(&shrinking->arena);
  shrink_report_t report = {0};
  status_t status = search(shrinking, context, out_case, &report);
  arena_deinit(&shrinking->arena);
  assay_program_free(shrinking->program);
  STATUS_TRY(status);
  if (out_info == NULL) return STATUS_OK;
  const assay_shrink_info_t info = {.calls = shrinking->calls,
                                    .is_reproduced = report.is_reproduced,
                                    .is_complete = report.is_complete};
  write_struct(out_info, &info, sizeof info);
  return STATUS_OK;
}

static status_t read_kernel(call_t *call, const assay_tested_kernel_t *kernel,
                            assay_tested_kernel_t *out) {
  if (kernel == NULL) return fail_null(call, "kernel", "give an assay_tested_kernel_t");
  STATUS_TRY(check_struct(call, "assay_tested_kernel_t", kernel->struct_size, sizeof *kernel));
  if (kernel->run == NULL) return fail_null(call, "kernel.run", "give the function under test");
  *out = *kernel;
  if (out->calls_max == 0) out->calls_max = CALLS_DEFAULT;
  return STATUS_OK;
}

int32_t assay_shrink(assay_context_t *context, const assay_question_t *question,
                     const assay_tested_kernel_t *kernel, assay_case_t **out_case,
                     assay_shrink_info_t *out_info, assay_error_t *error) {
  call_t call;
  call_begin(&call, error);
  shrinking_t shrinking = {.call = &call};
  status_t status = read_kernel(&call, kernel, &shrinking.kernel);
  if (status == STATUS_OK && out_case == NULL) {
    status = fail_null(&call, "out_case", "give where the case goes");
  }
  if (status == STATUS_OK && out_info != NULL) {
    status = check_struct(&call, "assay_shrink_info_t", out_info->struct_size, sizeof *out_info);
  }
  if (status == STATUS_OK) status = context_take(&call, context);
  if (status != STATUS_OK) return call_end(&call, status);
  status = run(&shrinking, context, question, out_case, out_info);
  context_give_back(context);
  return call_end(&call, status);
}
