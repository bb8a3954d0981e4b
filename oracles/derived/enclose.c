/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes of gathered ops: those of the other op on gathered boxes.  To learn where each gathered
 * element comes from, a case is gathered whose operands hold the numbers of their own elements; so
 * nobody but the op's folder says how it indexes. */
#include <math.h>
#include <string.h>

#include "oracles/derived/parts.h"

/* Element `e` of operand `o` holds first_position + o * TYPE_ELEMENTS_MAX + e; what is gathered and
 * is none of these is padding, stored as it is: zero, or a zero point. */
static const int64_t first_position = INT64_C(1) << 40;

static case_t make_positions(const program_t *program, arena_t *arena) {
  program_t positions = *program;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    positions.operands[i].element =
        element_named("i64"); /* Quantized as before: for the padding. */
  }
  case_t instance = case_make(arena, &positions);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    const tensor_t *operand = &instance.operands[i];
    size_t count = type_element_count(&operand->type);
    int64_t position = first_position + (int64_t)i * TYPE_ELEMENTS_MAX;
    for (size_t e = 0; e < count; e++) {
      element_store(operand->type.element, operand->data, e, (uint64_t)(position + (int64_t)e));
    }
  }
  return instance;
}

static box_t take_box(const box_t *const operands[CASE_OPERANDS_MAX], int64_t position) {
  int64_t place = position - first_position;
  bool is_padding = place < 0 || place >= (int64_t)CASE_OPERANDS_MAX * TYPE_ELEMENTS_MAX;
  if (is_padding) return box_point((double)position);
  return operands[place / TYPE_ELEMENTS_MAX][place % TYPE_ELEMENTS_MAX];
}

/* What the parts' programs are is known from a case of the right types, whatever it holds. */
static case_t make_zeros(const program_t *program, arena_t *arena) {
  case_t instance = case_make(arena, program);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    memset(instance.operands[i].data, 0, type_bytes(&program->operands[i]));
  }
  return instance;
}

/* A part, by the program that it has and by positions. */
typedef struct enclosed_part {
  const program_t *program;
  const derived_part_t *positions;
} enclosed_part_t;

/* Whole lines, for what nothing is known of. */
static void make_whole(const program_t *program, arena_t *arena, box_t *out_boxes[]) {
  for (uint32_t r = 0; r < program->result_count; r++) {
    size_t count = type_element_count(&program->results[r]);
    out_boxes[r] = ARENA_NEW_ARRAY(arena, box_t, count);
    for (size_t i = 0; i < count; i++) out_boxes[r][i] = box_whole_line();
  }
}

static void unite_elements(const derived_part_t *part, const box_t *boxes, box_t *inout_boxes) {
  for (size_t i = 0; i < part->element_count; i++) {
    box_t *box = &inout_boxes[part->elements[i]];
    *box = box_unite(*box, boxes[i]);
  }
}

static status_t unite_part(const enclosed_part_t *part, const enclosure_call_t *whole,
                           box_t *const inout_results[CASE_RESULTS_MAX]) {
  const program_t *program = part->program;
  arena_t *arena = whole->arena;
  const box_t *derived[CASE_OPERANDS_MAX] = {NULL};
  for (uint32_t i = 0; i < program->operand_count; i++) {
    const tensor_t *positions = &part->positions->instance.operands[i];
    size_t count = type_element_count(&positions->type);
    box_t *boxes = ARENA_NEW_ARRAY(arena, box_t, count);
    for (size_t e = 0; e < count; e++) {
      boxes[e] = take_box(whole->operands,
                          (int64_t)element_load(positions->type.element, positions->data, e));
    }
    derived[i] = boxes;
  }
  box_t *results[CASE_RESULTS_MAX] = {NULL}, *kept[CASE_RESULTS_MAX] = {NULL};
  make_whole(program, arena, results);
  make_whole(program, arena, kept);
  const enclosure_call_t call = {.program = program,
                                 .contract = whole->contract,
                                 .operands = derived,
                                 .arena = arena,
                                 .error = whole->error,
                                 .kept = whole->kept == NULL ? NULL : kept};
  STATUS_TRY(oracle_find(program->op)->enclose(&call, results));
  for (uint32_t r = 0; r < program->result_count; r++) {
    unite_elements(part->positions, results[r], inout_results[r]);
    if (whole->kept != NULL) unite_elements(part->positions, kept[r], whole->kept[r]);
  }
  return STATUS_OK;
}

static status_t unite_variant(const enclosure_call_t *call, const case_t *zeros,
                              const case_t *positions, uint32_t variant,
                              box_t *const inout_results[CASE_RESULTS_MAX]) {
  derived_t by_zeros, by_positions;
  STATUS_TRY(derived_make(zeros, variant, FAULT_NONE, call->arena, &by_zeros, call->error));
  STATUS_TRY(derived_make(positions, variant, FAULT_NONE, call->arena, &by_positions, call->error));
  g_assert(by_zeros.parts.count == by_positions.parts.count);
  for (size_t p = 0; p < by_zeros.parts.count; p++) {
    const enclosed_part_t part = {.program = &by_zeros.parts.parts[p].instance.program,
                                  .positions = &by_positions.parts.parts[p]};
    STATUS_TRY(unite_part(&part, call, inout_results));
  }
  return STATUS_OK;
}

status_t derived_enclose(const enclosure_call_t *call, box_t *const out_results[CASE_RESULTS_MAX]) {
  const program_t *program = call->program;
  const gathering_t *gathering = oracle_find(program->op)->gathering;
  const case_t zeros = make_zeros(program, call->arena),
               positions = make_positions(program, call->arena);
  bool has_variants = call->contract != NULL && gathering->count_variants != NULL;
  uint32_t variants = has_variants ? gathering->count_variants(&zeros, call->contract) : 1;
  for (uint32_t r = 0; r < program->result_count; r++) {
    size_t count = type_element_count(&program->results[r]);
    for (size_t i = 0; i < count; i++) {
      out_results[r][i] = (box_t){INFINITY, -INFINITY};
      if (call->kept != NULL) call->kept[r][i] = (box_t){INFINITY, -INFINITY};
    }
  }
  for (uint32_t variant = 0; variant < variants; variant++) {
    STATUS_TRY(unite_variant(call, &zeros, &positions, variant, out_results));
  }
  for (uint32_t r = 0; r < program->result_count; r++) {
    size_t count = type_element_count(&program->results[r]);
    for (size_t i = 0; i < count; i++) { /* What is in no part the specification leaves open. */
      if (out_results[r][i].low <= out_results[r][i].high) continue;
      out_results[r][i] = box_of_element(program->results[r].element);
      if (call->kept != NULL) call->kept[r][i] = box_whole_line();
    }
  }
  return STATUS_OK;
}
