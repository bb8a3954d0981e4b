/* SPDX-License-Identifier: Apache-2.0 */
/* The worst element alone: what it depends on of the operands, and what came, where that diverges
 * by itself.  A case that a reader can hold in his head, without a kernel to run again. */
#include <string.h>

#include "harness/api/handles.h"
#include "harness/model/axes.h"

enum { LINE_BYTES_MAX = 1 << 16 };

/* A part of the case with its results. */
typedef struct lone {
  case_t instance;
  tensor_t results[CASE_RESULTS_MAX];
} lone_t;

/* One index of every axis along which results are independent of one another: that of the worst
 * element. */
static bool choose(const assay_verdict_info_t *info, const axes_t *axes, size_t *indices,
                   axes_selection_t *out_selection) {
  const axis_list_t *list = &axes->results[info->worst_result];
  if (list->count != info->worst_rank) return false;
  *out_selection = (axes_selection_t){{NULL}};
  for (uint32_t d = 0; d < list->count; d++) {
    if (axes->items[list->axes[d]].role == AXIS_TERM) continue;
    indices[d] = (size_t)info->worst_index[d];
    out_selection->from[list->axes[d]] = &indices[d];
  }
  return true;
}

static void gather(const tensor_t *whole, const size_t *map, tensor_t *part) {
  const size_t bytes = element_bytes(whole->type.element);
  const size_t count = type_element_count(&part->type);
  for (size_t i = 0; i < count; i++) {
    memcpy(part->data + i * bytes, whole->data + map[i] * bytes, bytes);
  }
}

static bool cut_out(check_t *check, const assay_verdict_info_t *info, lone_t *out_lone) {
  const case_t *instance = &check->question.instance;
  arena_t *arena = &check->context->arena;
  axes_t axes;
  size_t indices[TYPE_RANK_MAX];
  axes_selection_t selection;
  if (!axes_of(&instance->program, &axes)) return false;
  if (!choose(info, &axes, indices, &selection)) return false;
  axes_t view = axes;
  for (uint32_t i = 0; i < axes.count; i++) {
    if (selection.from[i] != NULL) view.items[i].size = 1;
  }
  if (!axes_view(instance, &axes, &selection, &view, arena, &out_lone->instance)) return false;
  const program_t *program = &out_lone->instance.program;
  for (uint32_t i = 0; i < program->result_count; i++) {
    out_lone->results[i] = tensor_make(arena, &program->results[i]);
    const size_t *map = axes_result_map(&axes, &selection, &view, i, arena);
    gather(&check->results[i], map, &out_lone->results[i]);
  }
  return true;
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
