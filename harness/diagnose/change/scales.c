/* SPDX-License-Identifier: Apache-2.0 */
/* Scales and zero points of quantized types are taken for others. */
#include <glib.h>
#include <string.h>

#include "harness/diagnose/change/change.h"

static type_t *type_at(program_t *program, size_t index) {
  return index < program->operand_count ? &program->operands[index]
                                        : &program->results[index - program->operand_count];
}

/* What becomes of channel `channel` of a quantization; the copy's arrays are its own. */
typedef void scale_map_t(const quantization_t *from, uint32_t channel, double *inout_scale,
                         int64_t *inout_zero_point);

static void shorten_to_bf16(const quantization_t *from, uint32_t channel, double *inout_scale,
                            int64_t *inout_zero_point) {
  (void)from;
  (void)channel;
  (void)inout_zero_point;
  *inout_scale = format_round_double(&format_table[FORMAT_bf16], *inout_scale);
}

static void shorten_to_f16(const quantization_t *from, uint32_t channel, double *inout_scale,
                           int64_t *inout_zero_point) {
  (void)from;
  (void)channel;
  (void)inout_zero_point;
  *inout_scale = format_round_double(&format_table[FORMAT_f16], *inout_scale);
}

static void take_next_scale(const quantization_t *from, uint32_t channel, double *inout_scale,
                            int64_t *inout_zero_point) {
  (void)inout_zero_point;
  *inout_scale = from->scales[(channel + 1) % from->count];
}

static void negate_zero_point(const quantization_t *from, uint32_t channel, double *inout_scale,
                              int64_t *inout_zero_point) {
  (void)from;
  (void)channel;
  (void)inout_scale;
  *inout_zero_point = -*inout_zero_point;
}

static void take_first_zero_point(const quantization_t *from, uint32_t channel, double *inout_scale,
                                  int64_t *inout_zero_point) {
  (void)channel;
  (void)inout_scale;
  *inout_zero_point = from->zero_points[0];
}

static const struct {
  scale_map_t *map;
  const char *words;
} maps[] = {
    {shorten_to_bf16, "scales in bf16"},
    {shorten_to_f16, "scales in f16"},
    {take_next_scale, "scales of the next channel"},
    {negate_zero_point, "negated zero points"},
    {take_first_zero_point, "the first zero point"},
};

/* Whether the map changes anything of the type, which gets a quantization of its own. */
static bool map_type(solver_t *solver, scale_map_t *map, type_t *type) {
  const quantization_t *from = type->quantization;
  quantization_t *to = ARENA_NEW_ARRAY(solver->arena, quantization_t, 1);
  double *scales = ARENA_NEW_ARRAY(solver->arena, double, from->count);
  int64_t *zero_points = ARENA_NEW_ARRAY(solver->arena, int64_t, from->count);
  bool is_changed = false;
  for (uint32_t i = 0; i < from->count; i++) {
    scales[i] = from->scales[i];
    zero_points[i] = from->zero_points[i];
    map(from, i, &scales[i], &zero_points[i]);
    is_changed |= scales[i] != from->scales[i] || zero_points[i] != from->zero_points[i];
  }
  *to = *from;
  to->scales = scales;
  to->zero_points = zero_points;
  type->quantization = to;
  return is_changed;
}

static void settle_types(case_t *instance) {
  for (uint32_t i = 0; i < instance->program.operand_count; i++) {
    instance->operands[i].type = instance->program.operands[i];
  }
}

/* Whether scales are still positive, and zero points storage values. */
static bool are_types(program_t *program) {
  bool are_valid = true;
  for (size_t i = 0; i < program->operand_count + program->result_count; i++) {
    are_valid &= type_check(type_at(program, i), NULL) == STATUS_OK;
  }
  return are_valid;
}

/* The map of one type, or with `which` SIZE_MAX of all. */
static void test_map(solver_t *solver, size_t which_map, size_t which, found_causes_t *found) {
  case_t changed = *solver->question->instance;
  program_t *program = &changed.program;
  const size_t count = program->operand_count + program->result_count;
  bool is_changed = false;
  for (size_t i = 0; i < count; i++) {
    type_t *type = type_at(program, i);
    if (type->quantization == NULL || (which != SIZE_MAX && which != i)) continue;
    is_changed |= map_type(solver, maps[which_map].map, type);
  }
  if (!is_changed || !are_types(program) || program_broken(program) != NULL) return;
  settle_types(&changed);
  char detail[CAUSE_DETAIL_BYTES];
  bool is_operand = which < program->operand_count;
  g_snprintf(detail, sizeof detail, which == SIZE_MAX ? "%s" : "%s of %s %zu",
             maps[which_map].words, is_operand ? "operand" : "result",
             is_operand ? which : which - program->operand_count);
  const change_t change = {.cause = CAUSE_other_scale,
                           .key = detail,
                           .instance = &changed,
                           .tried = count * G_N_ELEMENTS(maps)};
  change_test(solver, &change, detail, found);
}

void change_scales(solver_t *solver, found_causes_t *found) {
  const program_t *program = &solver->question->instance->program;
  if (!solver->is_quantized || !solver_tests(solver, CAUSE_other_scale)) return;
  const size_t count = program->operand_count + program->result_count;
  for (size_t map = 0; map < G_N_ELEMENTS(maps); map++) {
    for (size_t i = 0; i <= count; i++) {
      arena_mark_t mark = arena_mark(solver->arena);
      test_map(solver, map, i == count ? SIZE_MAX : i, found);
      arena_rewind(solver->arena, mark);
    }
  }
}
