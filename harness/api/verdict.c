/* SPDX-License-Identifier: Apache-2.0 */
/* What a verdict tells. */
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "harness/api/handles.h"
#include "reports/verdict/describe.h"

enum { REPLAY_BYTES_MAX = 1 << 16 };

static int32_t outcome_of(outcome_t outcome) {
  switch (outcome) {
    case OUTCOME_conforms:
      return ASSAY_CONFORMS;
    case OUTCOME_diverges:
    case OUTCOME_failed:
      return ASSAY_DIVERGES;
    case OUTCOME_weak:
      return ASSAY_VACUOUS;
    case OUTCOME_refused:
    case OUTCOME_no_oracle:
    case OUTCOME_COUNT:
      break;
  }
  return ASSAY_NO_ORACLE;
}

/* Hex of all data has about so many bytes. */
static size_t data_bytes(const tensor_t *tensors, uint32_t count) {
  size_t bytes = 0;
  for (uint32_t i = 0; i < count; i++) bytes += 2 * type_bytes(&tensors[i].type) + 3;
  return bytes;
}

/* " --ops FILE" of an op that a file declares, else "". */
static char *quote_ops(const op_t *op) {
  if (op_has_folder(str_from(op->name))) return g_strdup("");
  g_autofree char *path = g_canonicalize_filename(op->spec, NULL);
  g_autofree char *quoted = g_shell_quote(path);
  return g_strdup_printf(" --ops %s", quoted);
}

static void print_replay(const judged_t *judged, GString *text) {
  const case_t *instance = judged->instance;
  const program_t *program = &instance->program;
  size_t bytes = data_bytes(instance->operands, program->operand_count) +
                 data_bytes(judged->results, program->result_count);
  if (bytes > REPLAY_BYTES_MAX) return;
  g_autoptr(GString) contract = g_string_new(NULL);
  contract_print_short(judged->contract, contract);
  g_autoptr(GString) line = g_string_new(NULL);
  case_print(instance, line);
  g_autoptr(GString) results = g_string_new(NULL);
  for (uint32_t i = 0; i < program->result_count; i++) {
    if (i > 0) g_string_append(results, " : ");
    tensor_print_data(&judged->results[i], results);
  }
  g_autofree char *ops = quote_ops(program->op);
  /* No byte of these needs quoting but what stands in types: no line has a single quote. */
  g_string_printf(text, "printf '%%s\\t%%s\\n' '%s' '%s' | assay judge%s --contract '%s'",
                  line->str, results->str, ops, contract->str);
}

static void tell_worst(const judged_t *judged, assay_verdict_t *verdict) {
  const verdict_t *found = &verdict->verdict;
  const type_t *type = &judged->instance->program.results[found->result];
  assay_verdict_info_t *info = &verdict->info;
  info->worst_result = found->result;
  info->worst_part = (uint32_t)(found->component % type->element->components);
  info->worst_rank = type->rank;
  size_t index = found->component / type->element->components;
  for (uint32_t i = type->rank; i-- > 0;) {
    info->worst_index[i] = (int64_t)(index % (size_t)type->dims[i]);
    index /= (size_t)type->dims[i];
  }
  info->got = value_show(&verdict->arena, type->element, found->got_bits);
  const worst_t *worst = &judged->worst;
  if (!isnan(worst->exact)) info->exact = value_show_double(&verdict->arena, worst->exact);
  info->has_interval = worst->has_ends;
  if (!worst->has_ends) return;
  info->permitted_low = value_show(&verdict->arena, type->element, worst->lowest);
  info->permitted_high = value_show(&verdict->arena, type->element, worst->highest);
}

static void tell_rest(assay_verdict_t *verdict) {
  const verdict_t *found = &verdict->verdict;
  verdict->info = (assay_verdict_info_t){
      .struct_size = sizeof verdict->info,
      .outcome = outcome_of(found->outcome),
      .class_name = class_spelling(found->class_),
      .reason = found->reason,
      .cause = found->cause,
      .cause_text = found->cause_words,
      .pattern = found->pattern,
      .algorithms = found->algorithms,
      .observed = found->observed,
      .formula = found->formula == NULL ? "" : found->formula,
      .component_count = found->component_count - found->left_out_count,
      .wrong_count = found->wrong_count,
      .untested_count = found->untested_count - found->left_out_count,
      .left_out_count = found->left_out_count,
      .missed_one_in = found->left_out_count == 0 ? 0 : sample_missed_one_in(found->sample_draws),
      .ulp_error_max = found->ulp_error_max,
      .slack_max = found->slack_max,
      .backward_error_max = found->backward_error_max,
      .got = value_show_nothing(),
      .exact = value_show_nothing(),
      .permitted_low = value_show_nothing(),
      .permitted_high = value_show_nothing(),
      .permitted = found->expected,
      .reading = found->reading};
}

static void keep_wrong(const judged_t *judged, assay_verdict_t *verdict) {
  const program_t *program = &judged->instance->program;
  verdict->result_count = program->result_count;
  for (uint32_t i = 0; i < program->result_count; i++) {
    size_t count = verdict->counts[i] = type_component_count(&program->results[i]);
    if (judged->wrong[i] == NULL) continue;
    uint8_t *wrong = arena_alloc(&verdict->arena, count);
    memcpy(wrong, judged->wrong[i], count);
    verdict->wrong[i] = wrong;
  }
}

void verdict_tell(const judged_t *judged, assay_verdict_t *verdict) {
  const verdict_t *found = &verdict->verdict;
  tell_rest(verdict);
  keep_wrong(judged, verdict);
  if (found->wrong_count > 0) tell_worst(judged, verdict);
  g_autoptr(GString) text = g_string_new(NULL);
  describe_verdict(&judged->instance->program, found, text);
  if (found->left_out_count > 0) {
    g_string_append(text, "; ");
    describe_sample(found->left_out_count, found->sample_draws, text);
  }
  verdict->info.explanation = arena_copy_text(&verdict->arena, text->str, text->len);
  g_string_truncate(text, 0);
  if (found->outcome == OUTCOME_diverges) print_replay(judged, text);
  verdict->replay = arena_copy_text(&verdict->arena, text->str, text->len);
}

/* ---- Reading --------------------------------------------------------------------------------- */

void assay_verdict_free(assay_verdict_t *verdict) {
  if (verdict == NULL) return;
  arena_deinit(&verdict->arena);
  g_free(verdict);
}

static status_t read_info(call_t *call, const assay_verdict_t *verdict,
                          assay_verdict_info_t *out_info) {
  if (verdict == NULL) return fail_null(call, "verdict", "get one from assay_check()");
  if (out_info == NULL) return fail_null(call, "out_info", "give where it goes");
  STATUS_TRY(check_struct(call, "assay_verdict_info_t", out_info->struct_size,
                          offsetof(assay_verdict_info_t, reading)));
  write_struct(out_info, &verdict->info, sizeof verdict->info);
  return STATUS_OK;
}

int32_t assay_verdict_info(const assay_verdict_t *verdict, assay_verdict_info_t *out_info,
                           assay_error_t *error) {
  call_t call;
  call_begin(&call, error);
  return call_end(&call, read_info(&call, verdict, out_info));
}

static status_t read_wrong(call_t *call, const assay_verdict_t *verdict, uint32_t result,
                           const uint8_t **out_wrong, size_t *out_count) {
  if (verdict == NULL) return fail_null(call, "verdict", "get one from assay_check()");
  if (out_wrong == NULL || out_count == NULL) {
    return fail_null(call, "out_wrong or out_count", "give where both go");
  }
  if (result >= verdict->result_count) {
    return status_fail(&call->failure, STATUS_INVALID, "there is no result %u; the program has %u",
                       result, verdict->result_count);
  }
  *out_wrong = verdict->wrong[result];
  *out_count = verdict->counts[result];
  return STATUS_OK;
}

int32_t assay_verdict_wrong(const assay_verdict_t *verdict, uint32_t result,
                            const uint8_t **out_wrong, size_t *out_count, assay_error_t *error) {
  call_t call;
  call_begin(&call, error);
  return call_end(&call, read_wrong(&call, verdict, result, out_wrong, out_count));
}

const char *assay_verdict_replay(const assay_verdict_t *verdict) {
  return verdict == NULL ? "" : verdict->replay;
}
