#include "oracles/ops/byteir_pick/byteir_pick_op.h"

bool byteir_pick_is_comparable(const element_t *element, const void *unused) {
  enum { BITS_MIN = 8 };
  return byteir_is_float(element, unused) || element->kind == ELEMENT_BOOLEAN ||
         (element_is_integer(element) && element->bits >= BITS_MIN);
}

bool byteir_pick_holds_indices(const element_t *element, int64_t size) {
  return element_is_integer(element) &&
         (size == 0 || element_integer_max(element) >= (uint64_t)size - 1);
}

bool byteir_pick_is_no_index(const type_t *type) {
  const element_t *element = type->element;
  return element->kind == ELEMENT_FLOAT || element->kind == ELEMENT_COMPLEX;
}

bool byteir_pick_is_modelled(const type_t *operand, const type_t *values, const type_t *indices) {
  if (operand->quantization != NULL || !byteir_pick_is_comparable(operand->element, NULL)) {
    return false;
  }
  if (indices->quantization != NULL) return false;
  return values == NULL || (values->quantization == NULL && values->element == operand->element);
}

static bool holds(const element_t *element, const void *size) {
  return byteir_pick_holds_indices(element, *(const int64_t *)size);
}

static bool is_no_index(const element_t *element, const void *unused) {
  (void)unused;
  const type_t type = type_make(element, 0, NULL);
  return byteir_pick_is_no_index(&type);
}

const element_t *byteir_pick_draw_index(rng_t *rng, int64_t size) {
  if (rng_one_in(rng, 4)) return draw_element(rng, holds, &size);
  return element_named(rng_one_in(rng, 2) ? "i32" : "i64");
}

void byteir_pick_break_index(rng_t *rng, type_t *inout_indices) {
  inout_indices->element = draw_element(rng, is_no_index, NULL);
}

void byteir_pick_break_count(rng_t *rng, program_t *inout_program) {
  program_t *program = inout_program;
  switch (rng_below(rng, 3)) {
    case 0:
      program->operand_count = 0;
      break;
    case 1:
      program->operands[program->operand_count] = program->operands[0];
      program->operand_count++;
      break;
    default:
      while (program->result_count < 3) {
        program->results[program->result_count] = program->results[program->result_count - 1];
        program->result_count++;
      }
  }
}

void byteir_pick_break_shape(rng_t *rng, program_t *inout_program) {
  draw_other_shape(rng, &inout_program->results[rng_below(rng, inout_program->result_count)]);
}

extern const op_t *const byteir_pick_ops[];
const op_t *const byteir_pick_ops[] = {&byteir_arg_max_op, &byteir_arg_min_op, &byteir_top_k_op,
                                       &byteir_one_hot_op, NULL};
