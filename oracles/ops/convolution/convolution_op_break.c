#include <string.h>

#include "harness/model/draw.h"
#include "harness/model/draw_quantization.h"
#include "oracles/ops/convolution/convolution_op.h"

typedef struct breakage {
  rng_t *rng;
  arena_t *arena;
  program_t *program;
  convolution_attributes_t *attributes;
  type_t *lhs;
  type_t *rhs;
  type_t *result;
} breakage_t;

/* ---- Shapes ---------------------------------------------------------------------------------- */

static bool break_c1(breakage_t *b) {
  draw_other_shape(b->rng, rng_one_in(b->rng, 2) ? b->lhs : b->rhs);
  return true;
}

/* A list with one entry more or less. */
static bool break_count(breakage_t *b, dimension_list_t *list, int64_t entry) {
  if (list->count > 0 && rng_one_in(b->rng, 2)) {
    list->count--;
  } else {
    dimension_list_append(list, entry);
  }
  return true;
}

static bool break_entry(breakage_t *b, dimension_list_t *list) {
  if (list->count == 0) return false;
  list->dims[rng_below(b->rng, list->count)] = -(int64_t)rng_below(b->rng, 3);
  return true;
}

static bool break_c2(breakage_t *b) { return break_count(b, &b->attributes->window_strides, 1); }
static bool break_c3(breakage_t *b) { return break_entry(b, &b->attributes->window_strides); }
static bool break_c5(breakage_t *b) { return break_count(b, &b->attributes->lhs_dilation, 1); }
static bool break_c6(breakage_t *b) { return break_entry(b, &b->attributes->lhs_dilation); }
static bool break_c7(breakage_t *b) { return break_count(b, &b->attributes->rhs_dilation, 1); }
static bool break_c8(breakage_t *b) { return break_entry(b, &b->attributes->rhs_dilation); }

static bool break_c4(breakage_t *b) {
  uint32_t *count = &b->attributes->padding_count;
  *count = *count > 0 && rng_one_in(b->rng, 2) ? *count - 1 : *count + 1;
  return true;
}

static bool break_c9(breakage_t *b) {
  uint32_t *count = &b->attributes->reversal_count;
  *count = *count > 0 && rng_one_in(b->rng, 2) ? *count - 1 : *count + 1;
  return true;
}

/* A spatial dimension more, beyond all others, or one less. */
static bool break_spatial(breakage_t *b, convolution_numbers_t *numbers) {
  return break_count(b, &numbers->spatial, numbers->spatial.count + 2);
}

static bool break_c12(breakage_t *b) { return break_spatial(b, &b->attributes->input); }
static bool break_c17(breakage_t *b) { return break_spatial(b, &b->attributes->kernel); }
static bool break_c19(breakage_t *b) { return break_spatial(b, &b->attributes->output); }

static int64_t *entry_of(convolution_numbers_t *numbers, uint64_t index) {
  if (index == 0) return &numbers->batch;
  return index == 1 ? &numbers->feature : &numbers->spatial.dims[index - 2];
}

/* One number out of range, or the same as another. */
static bool break_numbers(breakage_t *b, convolution_numbers_t *numbers) {
  uint64_t count = numbers->spatial.count + 2;
  uint64_t index = rng_below(b->rng, count);
  bool out_of_range = rng_one_in(b->rng, 2);
  *entry_of(numbers, index) = out_of_range ? (int64_t)(count + rng_below(b->rng, 2))
                                           : *entry_of(numbers, (index + 1) % count);
  return true;
}

static bool break_c13(breakage_t *b) { return break_numbers(b, &b->attributes->input); }
static bool break_c18(breakage_t *b) { return break_numbers(b, &b->attributes->kernel); }
static bool break_c20(breakage_t *b) { return break_numbers(b, &b->attributes->output); }

static bool break_c26(breakage_t *b) {
  draw_other_shape(b->rng, b->result);
  return true;
}

static bool break_c25(breakage_t *b) {
  int64_t *size = &b->result->dims[rng_below(b->rng, b->result->rank)];
  *size += *size == 0 || rng_one_in(b->rng, 2) ? 1 : -1;
  return true;
}

/* ---- Groups ---------------------------------------------------------------------------------- */

/* A number of groups that does not divide `size`; 0 if there is none. */
static int64_t draw_indivisible(rng_t *rng, int64_t size) {
  if (size == 0) return 0;
  int64_t groups = rng_between(rng, 2, 7);
  return size % groups == 0 ? size + 1 : groups;
}

static bool break_c10(breakage_t *b) {
  b->attributes->batch_group_count =
      draw_indivisible(b->rng, b->lhs->dims[b->attributes->input.batch]);
  return true;
}

static bool break_c11(breakage_t *b) {
  b->attributes->feature_group_count =
      draw_indivisible(b->rng, b->lhs->dims[b->attributes->input.feature]);
  return true;
}

static bool break_c14(breakage_t *b) {
  int64_t *size = &b->rhs->dims[b->attributes->kernel.feature];
  *size += *size == 0 || rng_one_in(b->rng, 2) ? 1 : -1;
  return true;
}

/* Output features that a group count above 1 does not divide; sizes that it has to divide are made
 * multiples of it where it was 1. */
static bool break_channels(breakage_t *b, int64_t *groups, int64_t *divided) {
  if (*groups == 1) {
    *groups = rng_between(b->rng, 2, 3);
    *divided *= *groups;
  }
  b->rhs->dims[b->attributes->kernel.batch] += rng_between(b->rng, 1, *groups - 1);
  return true;
}

static bool break_c15(breakage_t *b) {
  return break_channels(b, &b->attributes->batch_group_count,
                        &b->lhs->dims[b->attributes->input.batch]);
}

static bool break_c16(breakage_t *b) {
  return break_channels(b, &b->attributes->feature_group_count,
                        &b->lhs->dims[b->attributes->input.feature]);
}

static bool break_c21(breakage_t *b) {
  b->attributes->feature_group_count = -(int64_t)rng_below(b->rng, 2);
  return true;
}

static bool break_c22(breakage_t *b) {
  b->attributes->batch_group_count = -(int64_t)rng_below(b->rng, 2);
  return true;
}

static bool break_c23(breakage_t *b) {
  b->attributes->feature_group_count = MAX(b->attributes->feature_group_count, 2);
  b->attributes->batch_group_count = MAX(b->attributes->batch_group_count, 2);
  return true;
}

static bool break_c24(breakage_t *b) {
  static const uint32_t wrong_counts[] = {0, 1, 3};
  convolution_attributes_t *attributes = b->attributes;
  attributes->has_precision = true;
  attributes->precision_count = wrong_counts[rng_below(b->rng, G_N_ELEMENTS(wrong_counts))];
  for (uint32_t i = 0; i < attributes->precision_count; i++) {
    attributes->precisions[i] =
        (convolution_precision_t)rng_below(b->rng, CONVOLUTION_PRECISION_COUNT);
  }
  return true;
}

/* ---- Element types --------------------------------------------------------------------------- */

static bool differs(const element_t *element, const void *other) { return element != other; }

/* An element type other than the present one, unquantized. */
static void change_element(breakage_t *b, type_t *type) {
  type->element = draw_element(b->rng, differs, type->element);
  type->quantization = NULL;
}

static bool break_c27(breakage_t *b) {
  if (b->rhs->quantization != NULL) return false;
  change_element(b, rng_one_in(b->rng, 2) ? b->lhs : b->rhs);
  return true;
}

/* Quantizes all three per tensor, or all but lhs and result; where they are not. */
static const element_t *quantize(breakage_t *b, bool is_hybrid) {
  const element_t *expressed = draw_expressed_element(b->rng);
  type_t *types[] = {b->rhs, b->lhs, b->result};
  const element_t *storage = draw_storage_element(b->rng);
  for (int i = 0; i < 3; i++) {
    types[i]->element = is_hybrid && i > 0 ? expressed : storage;
    types[i]->quantization = NULL;
    if (is_hybrid && i > 0) continue;
    draw_quantization(b->rng, b->arena, expressed, -1, false, types[i]);
  }
  return expressed;
}

static bool break_c28(breakage_t *b) {
  const element_t *expressed = quantize(b, false);
  type_t *type = rng_one_in(b->rng, 2) ? b->lhs : rng_one_in(b->rng, 2) ? b->rhs : b->result;
  type->element = expressed;
  type->quantization = NULL;
  return true;
}

/* Quantized along a dimension that it must not be. */
static bool break_axis(breakage_t *b, type_t *type, int64_t allowed) {
  int64_t axis = rng_below(b->rng, type->rank) == 0 ? 0 : (int64_t)type->rank - 1;
  if (axis == allowed || !type_takes_axis(type, axis)) return false;
  const element_t *expressed = type->quantization->expressed;
  draw_quantization(b->rng, b->arena, expressed, (int32_t)axis, false, type);
  return true;
}

static bool break_c29(breakage_t *b) {
  quantize(b, rng_one_in(b->rng, 2));
  return break_axis(b, b->rhs, b->attributes->kernel.batch);
}

static bool break_c30(breakage_t *b) {
  quantize(b, false);
  return break_axis(b, b->result, b->attributes->output.feature);
}

static bool break_c31(breakage_t *b) {
  const element_t *expressed = quantize(b, false);
  type_t *type = rng_one_in(b->rng, 2) ? b->lhs : b->rhs;
  type->element = draw_storage_element(b->rng);
  draw_quantization(b->rng, b->arena, expressed, -1, false, type);
  return true;
}

static bool break_c32(breakage_t *b) {
  quantize(b, false);
  type_t *types[] = {b->lhs, b->rhs, b->result};
  draw_quantization(b->rng, b->arena, draw_expressed_element(b->rng), -1, false,
                    types[rng_below(b->rng, 3)]);
  return true;
}

static bool break_c33(breakage_t *b) {
  const element_t *expressed = quantize(b, false);
  int64_t axis = b->attributes->output.feature;
  if (!type_takes_axis(b->result, axis)) return false;
  draw_quantization(b->rng, b->arena, expressed, (int32_t)axis, false, b->result);
  return true;
}

static bool break_c34(breakage_t *b) {
  quantize(b, true);
  change_element(b, rng_one_in(b->rng, 2) ? b->lhs : b->result);
  return true;
}

static bool break_types(breakage_t *b) {
  const element_t *expressed = quantize(b, false);
  int64_t axis = (int64_t)rng_below(b->rng, b->lhs->rank);
  if (!type_takes_axis(b->lhs, axis)) return false;
  draw_quantization(b->rng, b->arena, expressed, (int32_t)axis, false, b->lhs);
  return true;
}

static bool break_arity(breakage_t *b) {
  program_t *program = b->program;
  switch (rng_below(b->rng, 3)) {
    case 0:
      program->operand_count = 1;
      break;
    case 1:
      program->operands[2] = program->operands[1];
      program->operand_count = 3;
      break;
    default:
      program->results[1] = program->results[0];
      program->result_count = 2;
  }
  return true;
}

/* ---- All of them ----------------------------------------------------------------------------- */

typedef struct breaker {
  const char *id;
  bool (*apply)(breakage_t *b);
} breaker_t;

static const breaker_t breakers[] = {
    {"C1", break_c1},   {"C2", break_c2},   {"C3", break_c3},       {"C4", break_c4},
    {"C5", break_c5},   {"C6", break_c6},   {"C7", break_c7},       {"C8", break_c8},
    {"C9", break_c9},   {"C10", break_c10}, {"C11", break_c11},     {"C12", break_c12},
    {"C13", break_c13}, {"C14", break_c14}, {"C15", break_c15},     {"C16", break_c16},
    {"C17", break_c17}, {"C18", break_c18}, {"C19", break_c19},     {"C20", break_c20},
    {"C21", break_c21}, {"C22", break_c22}, {"C23", break_c23},     {"C24", break_c24},
    {"C25", break_c25}, {"C26", break_c26}, {"C27", break_c27},     {"C28", break_c28},
    {"C29", break_c29}, {"C30", break_c30}, {"C31", break_c31},     {"C32", break_c32},
    {"C33", break_c33}, {"C34", break_c34}, {"arity", break_arity}, {"types", break_types},
};

/* A quantized dimension that changed its size would have another number of scales. */
static bool drops_quantization(const char *id) {
  static const char *const of_shapes[] = {"C1", "C14", "C15", "C16", "C25", "C26"};
  for (size_t i = 0; i < G_N_ELEMENTS(of_shapes); i++) {
    if (strcmp(of_shapes[i], id) == 0) return true;
  }
  return false;
}

bool convolution_break_constraint(rng_t *rng, const char *id, arena_t *arena,
                                  program_t *inout_program) {
  convolution_attributes_t *attributes = ARENA_NEW_ARRAY(arena, convolution_attributes_t, 1);
  *attributes = *convolution_attributes(inout_program);
  inout_program->attributes = attributes;
  breakage_t breakage = {
      .rng = rng,
      .arena = arena,
      .program = inout_program,
      .attributes = attributes,
      .lhs = &inout_program->operands[CONVOLUTION_LHS],
      .rhs = &inout_program->operands[CONVOLUTION_RHS],
      .result = &inout_program->results[0],
  };
  bool has_quantized = breakage.rhs->quantization != NULL;
  if (has_quantized && drops_quantization(id)) return false;
  for (size_t i = 0; i < G_N_ELEMENTS(breakers); i++) {
    if (strcmp(breakers[i].id, id) != 0) continue;
    if (!breakers[i].apply(&breakage) || !program_obeys_bounds(inout_program)) return false;
    /* A change may break nothing, or an earlier constraint. */
    const char *broken = convolution_validate(inout_program);
    return broken != NULL && strcmp(broken, id) == 0;
  }
  return false;
}
