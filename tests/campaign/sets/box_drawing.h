/* SPDX-License-Identifier: Apache-2.0 */
/* Cases and boxes around them, drawn for what encloses: operands at points, or anywhere in wider
 * boxes.  Shared by the tests of boxes under contracts and without one. */
#ifndef ASSAY_TESTS_CAMPAIGN_SETS_BOX_DRAWING_H
#define ASSAY_TESTS_CAMPAIGN_SETS_BOX_DRAWING_H

#include <math.h>
#include <string.h>

#include "harness/gen/gen.h"
#include "tests/ops/oracle_checks.h"

#ifdef ASSAY_SANITIZE
enum { BOX_ROUNDS = 25 };
#else
enum { BOX_ROUNDS = 130 };
#endif
enum { COMPONENTS_ASKED = 3 }; /* Of each result. */

typedef struct box_drawing {
  const op_t *op;
  const oracle_t *oracle;
  bool wide; /* Operands are drawn from wider boxes. */
  rng_t rng;
  arena_t arena;
} box_drawing_t;

/* ---- Patterns -------------------------------------------------------------------------------- */

/* Patterns of reals in their order, as far as they have one. */
static inline int64_t ordinal_of(const element_t *element, uint64_t bits) {
  if (element->format != NULL) return format_ordinal(element->format, bits);
  return element_signed_value(element, bits);
}

static inline uint64_t bits_of(const element_t *element, int64_t ordinal) {
  if (element->format == NULL) return (uint64_t)ordinal & element_mask(element);
  int64_t most = format_ordinal(element->format, element->format->largest_bits);
  int64_t least = format_has_negative_zero(element->format) ? -most - 1 : -most;
  return format_from_ordinal(element->format, CLAMP(ordinal, least, most));
}

static inline bool is_nan(const element_t *element, uint64_t bits) {
  return element->format != NULL && format_is_nan(element->format, bits);
}

static inline box_t point_of(const element_t *element, uint64_t bits) {
  uint8_t data[sizeof bits] = {0};
  element_store(element, data, 0, bits);
  const tensor_t tensor = {.type = {.element = element}, .data = data};
  return box_make_point(&tensor, 0);
}

/* ---- Boxes ----------------------------------------------------------------------------------- */

/* Boxes of the operands: points, or what lies between those of two cases; and a case within. */
static inline void make_operands(box_drawing_t *drawing, case_t *inout_case, box_t *boxes[]) {
  const program_t *program = &inout_case->program;
  case_t other = case_make(&drawing->arena, program);
  gen_data(&drawing->rng, &other);
  for (uint32_t i = 0; i < program->operand_count; i++) {
    const element_t *element = program->operands[i].element;
    const tensor_t *tensor = &inout_case->operands[i];
    size_t count = type_element_count(&program->operands[i]);
    boxes[i] = ARENA_NEW_ARRAY(&drawing->arena, box_t, count);
    for (size_t e = 0; e < count; e++) {
      uint64_t a = element_load(element, tensor->data, e);
      uint64_t b = element_load(element, other.operands[i].data, e);
      boxes[i][e] = point_of(element, a);
      bool is_narrow = !drawing->wide || is_nan(element, a) || is_nan(element, b) ||
                       rng_one_in(&drawing->rng, 3) || element->kind == ELEMENT_UNSIGNED;
      if (is_narrow) continue;
      boxes[i][e] = box_unite(boxes[i][e], point_of(element, b));
      if (box_is_whole_line(boxes[i][e])) continue;
      uint64_t choice = rng_below(&drawing->rng, 3);
      int64_t from = ordinal_of(element, a), to = ordinal_of(element, b);
      int64_t between = from / 2 + to / 2;
      bool is_within = from != to && between >= MIN(from, to) && between <= MAX(from, to);
      if (choice == 0 && is_within)
        element_store(element, tensor->data, e, bits_of(element, between));
      if (choice == 1) element_store(element, tensor->data, e, b);
    }
  }
}

/* ---- Cases and enclosures -------------------------------------------------------------------- */

static inline bool draw_case(box_drawing_t *drawing, const contract_t *contract, case_t *out_case) {
  static const draw_limits_t limits = {.rank_max = 4, .elements_max = 48, .terms_max = 10};
  program_t program;
  drawing->op->draw(&drawing->rng, &limits, &drawing->arena, &program);
  if (program_broken_under(&program, program_broken(&program), contract) != NULL) return false;
  *out_case = case_make(&drawing->arena, &program);
  gen_data(&drawing->rng, out_case);
  gen_settle(&drawing->rng, out_case);
  return true;
}

static inline status_t enclose(box_drawing_t *drawing, const program_t *program,
                               const contract_t *contract, box_t *const operands[],
                               box_t *out_results[]) {
  const box_t *given[CASE_OPERANDS_MAX] = {NULL};
  for (uint32_t i = 0; i < program->operand_count; i++) given[i] = operands[i];
  for (uint32_t r = 0; r < program->result_count; r++) {
    size_t count = type_element_count(&program->results[r]);
    out_results[r] = ARENA_NEW_ARRAY(&drawing->arena, box_t, count);
    for (size_t i = 0; i < count; i++) out_results[r][i] = box_point(NAN);
  }
  failure_t error = {.text = ""};
  const enclosure_call_t call = {.program = program,
                                 .contract = contract,
                                 .operands = given,
                                 .arena = &drawing->arena,
                                 .error = &error,
                                 .are_stored = true};
  status_t status = drawing->oracle->enclose(&call, out_results);
  g_assert_true(status == STATUS_OK || (status == STATUS_UNSUPPORTED && error.text[0] != '\0'));
  for (uint32_t r = 0; r < program->result_count && status == STATUS_OK; r++) {
    size_t count = type_element_count(&program->results[r]);
    for (size_t i = 0; i < count; i++) {
      g_assert_true(out_results[r][i].low <= out_results[r][i].high);
    }
  }
  return status;
}

static inline bool is_complex(const program_t *program) {
  bool is_complex = program->results[0].element->components != 1;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    is_complex |= program->operands[i].element->components != 1;
  }
  return is_complex;
}

#endif
