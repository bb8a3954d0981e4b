/* SPDX-License-Identifier: Apache-2.0 */
/* What most calls are asked with: a finished program, operands, and how much is wanted. */
#include <math.h>
#include <string.h>

#include "harness/api/handles.h"

static status_t read_options(call_t *call, const assay_question_t *asked) {
  const uint32_t known = ASSAY_ALL_ELEMENTS | ASSAY_NO_CAUSE | ASSAY_SURE_ONLY;
  if ((asked->flags & ~known) != 0) {
    return status_fail(&call->failure, STATUS_INVALID,
                       "question.flags is 0x%x, and the flags of assay_flag are 0x%x", asked->flags,
                       known);
  }
  enum { THREADS_MAX = 1024 };
  if (asked->threads > THREADS_MAX) {
    return status_fail(&call->failure, STATUS_INVALID, "question.threads is %u; give 1 to %d",
                       asked->threads, (int)THREADS_MAX);
  }
  double budget = asked->budget_seconds;
  if (budget >= 0 && !isinf(budget)) return STATUS_OK;
  return status_fail(&call->failure, STATUS_INVALID,
                     "question.budget_seconds is %g; give seconds, or 0 for no budget", budget);
}

static status_t check_valid(call_t *call, const program_t *program, const contract_t *contract) {
  const op_constraint_t *broken = program_broken_under(program, NULL, contract);
  if (broken == NULL) return STATUS_OK;
  status_t status = op_constraint_is_forbidden(broken) ? STATUS_INVALID : STATUS_UNSUPPORTED;
  return status_fail(&call->failure, status, "under the contract the program breaks %s: %s",
                     broken->id, broken->text);
}

status_t question_read_large(call_t *call, assay_context_t *context, const assay_question_t *asked,
                             question_t *out_question) {
  if (asked == NULL) return fail_null(call, "question", "give an assay_question_t");
  /* As it was before `threads` came. */
  const size_t first_size = offsetof(assay_question_t, threads);
  STATUS_TRY(check_struct(call, "assay_question_t", asked->struct_size, first_size));
  out_question->asked = (assay_question_t){0};
  memcpy(&out_question->asked, asked, MIN(asked->struct_size, sizeof *asked));
  STATUS_TRY(read_options(call, asked));
  out_question->contract = contract_of(out_question->asked.contract);
  STATUS_TRY(check_finished(call, asked->program));
  const program_t *program = &asked->program->program;
  STATUS_TRY(check_valid(call, program, &out_question->contract));
  out_question->instance.program = *program;
  out_question->results = (tensor_list_t){asked->results, asked->result_count, "result"};
  const tensor_list_t operands = {asked->operands, asked->operand_count, "operand"};
  return tensors_borrow(call, &operands, program->operands, program->operand_count, &context->arena,
                        out_question->instance.operands);
}

status_t question_read(call_t *call, assay_context_t *context, const assay_question_t *asked,
                       question_t *out_question) {
  if (asked != NULL && asked->program != NULL && asked->program->is_finished) {
    STATUS_TRY(check_bounded(call, asked->program));
  }
  return question_read_large(call, context, asked, out_question);
}
