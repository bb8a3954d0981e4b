/* SPDX-License-Identifier: Apache-2.0 */
/* assay_simulate(): what a builtin model returns. */
#include <string.h>

#include "harness/api/handles.h"
#include "harness/builtin/addressing.h"
#include "harness/builtin/builtin.h"

/* Writes dense results, as faults of addresses leave them. */
static status_t simulate(const oracle_call_t *call, const oracle_t *oracle,
                         const implementation_model_t *model, tensor_t *out_results) {
  const program_t *program = &call->instance->program;
  tensor_t computed[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < program->result_count; i++) {
    computed[i] = tensor_make(call->arena, &program->results[i]);
    out_results[i] = tensor_make(call->arena, &program->results[i]);
    memset(computed[i].data, 0, type_bytes(&program->results[i]));
    memset(out_results[i].data, 0, type_bytes(&program->results[i]));
  }
  if (!addressing_spoils_results(model->fault)) return oracle->simulate(call, model, out_results);
  STATUS_TRY(oracle->simulate(call, model, computed));
  for (uint32_t i = 0; i < program->result_count; i++) {
    addressing_store(model->fault, &computed[i], &out_results[i]);
  }
  return STATUS_OK;
}

static status_t read_model(call_t *call, const char *text, arena_t *arena,
                           implementation_model_t *out_model) {
  if (text == NULL) return fail_null(call, "model", "name one, such as \"pairwise+fma\"");
  bool has_kind = g_str_has_prefix(text, "model:") || g_str_has_prefix(text, "canary:");
  g_autofree char *name = has_kind ? g_strdup(text) : g_strconcat("model:", text, NULL);
  return builtin_parse(arena_copy_text(arena, name, strlen(name)), arena, out_model,
                       &call->failure);
}

static status_t run(call_t *call, assay_context_t *context, const assay_question_t *asked,
                    const char *text) {
  arena_t *arena = &context->arena;
  implementation_model_t model;
  STATUS_TRY(read_model(call, text, arena, &model));
  question_t question;
  STATUS_TRY(question_read(call, context, asked, &question));
  const program_t *program = &question.instance.program;
  STATUS_TRY(tensors_check(call, &question.results, program->results, program->result_count));
  const contract_t rules = builtin_rules(&model);
  const op_constraint_t *broken = program_broken_under(program, NULL, &rules);
  if (broken != NULL) {
    return status_fail(&call->failure, STATUS_UNSUPPORTED,
                       "the model does not run the program, which breaks %s: %s", broken->id,
                       broken->text);
  }
  const oracle_t *oracle = oracle_find(program->op);
  if (oracle == NULL) {
    return status_fail(&call->failure, STATUS_UNSUPPORTED, "no model simulates %s",
                       program->op->name);
  }
  tensor_t computed[CASE_RESULTS_MAX];
  const oracle_call_t simulated = {
      .instance = &question.instance, .arena = arena, .error = &call->failure};
  addressing_spoil_operands(model.fault, &question.instance, arena);
  STATUS_TRY(simulate(&simulated, oracle, &model, computed));
  tensors_store(&question.results, computed);
  return STATUS_OK;
}

int32_t assay_simulate(assay_context_t *context, const assay_question_t *question,
                       const char *model, assay_error_t *error) {
  call_t call;
  call_begin(&call, error);
  status_t status = context_take(&call, context);
  if (status != STATUS_OK) return call_end(&call, status);
  status = run(&call, context, question, model);
  context_give_back(context);
  return call_end(&call, status);
}
