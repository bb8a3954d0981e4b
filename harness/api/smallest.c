/* SPDX-License-Identifier: Apache-2.0 */
/* The worst element alone: what it depends on of the operands, and what came, where that diverges
 * by itself.  A case that a reader can hold in his head, without a kernel to run again. */
#include <string.h>

#include "harness/api/handles.h"
#include "harness/model/cut/cut.h"

enum { LINE_BYTES_MAX = 1 << 16 };

/* A part of the case with its results. */
typedef struct lone {
  case_t instance;
  tensor_t results[CASE_RESULTS_MAX];
} lone_t;

/* Result elements that are not the block's own become those of an implementation that conforms:
 * what came of them is about more than the block has. */
static bool fill_margins(check_t *check, const cut_t *cut, const cut_block_t *block,
                         lone_t *inout_lone) {
  if (!block->has_margin) return true;
  arena_t *arena = &check->context->arena;
  const program_t *program = &inout_lone->instance.program;
  const implementation_model_t model = schedule_plain();
  failure_t ignored;
  const oracle_call_t call = {.instance = &inout_lone->instance, .arena = arena, .error = &ignored};
  tensor_t filled[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < program->result_count; i++) {
    filled[i] = tensor_make(arena, &program->results[i]);
    memset(filled[i].data, 0, type_bytes(&program->results[i]));
  }
  if (oracle_find(program->op)->simulate(&call, &model, filled) != STATUS_OK) return false;
  for (uint32_t i = 0; i < program->result_count; i++) {
    const type_t *type = &program->results[i];
    const uint8_t *margin = cut_margin(cut, block, type, i, arena);
    const size_t count = type_component_count(type);
    for (size_t k = 0; k < count; k++) {
      if (margin[k] != 0) continue;
      const uint64_t bits = element_load(type->element, inout_lone->results[i].data, k);
      element_store(type->element, filled[i].data, k, bits);
    }
    inout_lone->results[i] = filled[i];
  }
  return true;
}

/* The block of one index along each free axis; all of it where there is one result element. */
static bool cut_out(check_t *check, const assay_verdict_info_t *info, lone_t *out_lone) {
  const case_t *instance = &check->question.instance;
  const program_t *program = &instance->program;
  cut_t cut;
  if (!cut_init(program, &cut)) {
    bool is_alone = program->result_count == 1 && type_element_count(&program->results[0]) == 1;
    out_lone->instance = *instance;
    memcpy(out_lone->results, check->results, sizeof out_lone->results);
    return is_alone;
  }
  size_t element = 0;
  for (uint32_t d = 0; d < info->worst_rank; d++) {
    element = element * (size_t)program->results[info->worst_result].dims[d] +
              (size_t)info->worst_index[d];
  }
  const cut_block_t block = cut_unit_block(&cut, cut_unit_of(&cut, info->worst_result, element));
  const cut_subject_t subject = {instance, check->results};
  return !block.is_placed &&
         cut_take_block(&cut, &subject, &block, &check->context->arena, &out_lone->instance,
                        out_lone->results) &&
         fill_margins(check, &cut, &block, out_lone);
}

/* Hex of all data has about so many bytes. */
static size_t line_bytes(const lone_t *lone) {
  const program_t *program = &lone->instance.program;
  size_t bytes = 0;
  for (uint32_t i = 0; i < program->operand_count; i++) bytes += type_bytes(&program->operands[i]);
  for (uint32_t i = 0; i < program->result_count; i++) bytes += type_bytes(&program->results[i]);
  return 2 * bytes;
}

static void print(const lone_t *lone, assay_verdict_t *verdict) {
  g_autoptr(GString) line = g_string_new(NULL);
  case_print(&lone->instance, line);
  for (uint32_t i = 0; i < lone->instance.program.result_count; i++) {
    g_string_append(line, i == 0 ? "\t" : " : ");
    tensor_print_data(&lone->results[i], line);
  }
  verdict->smallest = arena_copy_text(&verdict->arena, line->str, line->len);
}

status_t smallest_tell(check_t *check, assay_verdict_t *verdict) {
  const assay_verdict_info_t *info = &verdict->info;
  verdict->smallest = "";
  bool is_asked = info->outcome == ASSAY_DIVERGES && info->wrong_count > 0 &&
                  (check->question.asked.flags & ASSAY_NO_CAUSE) == 0;
  lone_t lone;
  if (!is_asked || !cut_out(check, info, &lone) || line_bytes(&lone) > LINE_BYTES_MAX) {
    return STATUS_OK;
  }
  checked_t checked;
  STATUS_TRY(check_case(check, &lone.instance, lone.results, true, &checked));
  if (checked.verdict.outcome == OUTCOME_diverges) print(&lone, verdict);
  return STATUS_OK;
}

const char *assay_verdict_smallest(const assay_verdict_t *verdict) {
  return verdict == NULL ? "" : verdict->smallest;
}
