/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes of conversions.  Every way to convert is monotone, so what the ends of a box become
 * encloses what all of it does; but at zero something else may happen (zero has no sign, is what
 * subnormal numbers are flushed to, and is no number of f8E8M0FNU), and so at the zero point, which
 * stands for it.  So the sets that the exact oracle finds for these few make the box. */
#include <glib.h>
#include <math.h>

#include "generated/element_conversion_permissions.h"
#include "oracles/exact/arithmetic.h"
#include "oracles/exact/box/quantum.h"
#include "oracles/ops/element_conversion/parts.h"

/* ---- Probes ---------------------------------------------------------------------------------- */

/* Cases whose operands hold numbers of the boxes: their low ends, their high ends, the numbers that
 * are nearest to zero and to the zero point. */
enum { PROBES = 4 };

/* The element's pattern nearest to a number that lies between two numbers of it; rounding is
 * monotone, so no number of the element is beyond what an end of its box is rounded to. */
static uint64_t pattern_of(const element_t *element, double value) {
  if (element->format != NULL) return format_from_double(element->format, value);
  double least = (double)element_integer_min(element);
  if (value <= least) return (uint64_t)element_integer_min(element) & element_mask(element);
  if (value >= (double)element_integer_max(element)) return element_integer_max(element);
  bool is_signed = element->kind == ELEMENT_SIGNED;
  return (is_signed ? (uint64_t)(int64_t)value : (uint64_t)value) & element_mask(element);
}

static double nearest_in(box_t box, double value) { return fmin(fmax(value, box.low), box.high); }

static void make_probes(const program_t *program, const box_t *boxes, arena_t *arena,
                        case_t out_cases[PROBES]) {
  const type_t *type = &program->operands[0];
  size_t count = type_element_count(type);
  for (int i = 0; i < PROBES; i++) out_cases[i] = case_make(arena, program);
  for (size_t i = 0; i < count; i++) {
    int64_t zero_point = type->quantization == NULL ? 0 : quantum_of(type, i).zero_point;
    const double values[PROBES] = {boxes[i].low, boxes[i].high, nearest_in(boxes[i], 0),
                                   nearest_in(boxes[i], (double)zero_point)};
    for (int probe = 0; probe < PROBES; probe++) {
      element_store(type->element, out_cases[probe].operands[0].data, i,
                    pattern_of(type->element, values[probe]));
    }
  }
}

/* What the patterns of a set are as numbers. */
static box_t box_of_set(const choice_set_t *set, const type_t *type) {
  const element_t *element = type->element;
  if (set->any || set->nan) return box_of_element(element);
  box_t out = {INFINITY, -INFINITY};
  for (size_t i = 0; i < set->count; i++) {
    uint8_t data[sizeof(uint64_t)] = {0};
    element_store(element, data, 0, set->choices[i].bits);
    const tensor_t tensor = {.type = {.element = element}, .data = data};
    out = box_unite(out, box_make_point(&tensor, 0));
  }
  return out;
}

/* Whether an earlier probe has the same pattern there: numbers of a box are often one. */
static bool is_repeated(const case_t *probes, int probe, size_t element) {
  const element_t *type = probes[probe].operands[0].type.element;
  uint64_t bits = element_load(type, probes[probe].operands[0].data, element);
  for (int i = 0; i < probe; i++) {
    if (element_load(type, probes[i].operands[0].data, element) == bits) return true;
  }
  return false;
}

typedef choice_set_t find_set_t(const case_t *instance, const contract_t *contract, size_t element);

static void enclose_by_probes(const program_t *program, const contract_t *contract,
                              const box_t *boxes, find_set_t *find, arena_t *arena, box_t *out) {
  arena_mark_t mark = arena_mark(arena);
  case_t probes[PROBES];
  make_probes(program, boxes, arena, probes);
  size_t count = type_element_count(&program->results[0]);
  for (size_t i = 0; i < count; i++) {
    if (box_is_whole_line(boxes[i])) {
      out[i] = box_of_element(program->results[0].element);
      continue;
    }
    out[i] = (box_t){INFINITY, -INFINITY};
    for (int probe = 0; probe < PROBES; probe++) {
      if (is_repeated(probes, probe, i)) continue;
      choice_set_t set = find(&probes[probe], contract, i);
      out[i] = box_unite(out[i], box_of_set(&set, &program->results[0]));
    }
  }
  arena_rewind(arena, mark);
}

/* ---- convert --------------------------------------------------------------------------------- */

/* Numbers between the ends may have no set where the ends, which need no conversion, have one. */
static bool may_be_anything(const program_t *program, const contract_t *contract, box_t box) {
  const format_t *from = program->operands[0].element->format;
  const format_t *to = program->results[0].element->format;
  if (to == NULL || box.low == box.high) return false;
  bool holds = from != NULL && arithmetic_format_holds(to, from);
  return PERMITTED(contract, convert_rounding) == CONVERT_ROUNDING_ANY && !holds;
}

/* Integers out of the range wrap, which is not monotone. */
static bool may_wrap(const program_t *program, box_t box) {
  const element_t *from = program->operands[0].element, *to = program->results[0].element;
  if (from->format != NULL || to->format != NULL || to->kind == ELEMENT_BOOLEAN) return false;
  return !box_fits(box, to);
}

/* Real numbers: floats hold what they are given, integers the integer part of what they can hold;
 * what becomes of others the specification leaves open. */
static box_t convert_exactly(const element_t *from, const element_t *to, box_t box) {
  if (to->format != NULL) return box;
  if (to->kind == ELEMENT_BOOLEAN) {
    bool holds_zero = box_holds(box, 0);
    return (box_t){holds_zero ? 0 : 1, holds_zero && box.low == box.high ? 0 : 1};
  }
  if (from->format != NULL) box = box_truncate(box);
  return box_fits(box, to) ? box : box_of_element(to);
}

status_t convert_enclose(const enclosure_call_t *call, box_t *const out_results[CASE_RESULTS_MAX]) {
  const program_t *program = call->program;
  const element_t *from = program->operands[0].element, *to = program->results[0].element;
  if (from->components != 1 || to->components != 1) {
    return status_fail(call->error, STATUS_UNSUPPORTED, "complex numbers are not enclosed");
  }
  const box_t *boxes = call->operands[0];
  size_t count = type_element_count(&program->results[0]);
  if (call->contract != NULL) {
    enclose_by_probes(program, call->contract, boxes, convert_set, call->arena, out_results[0]);
  }
  for (size_t i = 0; i < count; i++) {
    if (call->contract == NULL) {
      out_results[0][i] = convert_exactly(from, to, boxes[i]);
    } else if (may_be_anything(program, call->contract, boxes[i]) || may_wrap(program, boxes[i])) {
      out_results[0][i] = box_of_element(to);
    }
  }
  return STATUS_OK;
}

/* ---- uniform_quantize and uniform_dequantize ------------------------------------------------- */

static choice_set_t find_quantized(const case_t *instance, const contract_t *contract,
                                   size_t element) {
  return uniform_quantize_set(instance, contract, REQUANTIZE_TWO_STEPS,
                              PERMITTED(contract, requantize), element);
}

status_t uniform_quantize_enclose(const enclosure_call_t *call,
                                  box_t *const out_results[CASE_RESULTS_MAX]) {
  const program_t *program = call->program;
  STATUS_TRY(quantization_check(program, call->error));
  if (call->contract != NULL) {
    enclose_by_probes(program, call->contract, call->operands[0], find_quantized, call->arena,
                      out_results[0]);
    return STATUS_OK;
  }
  size_t count = type_element_count(&program->results[0]);
  for (size_t i = 0; i < count; i++) {
    quantum_t quantum = quantum_of(&program->results[0], i);
    box_t value = box_value(&program->operands[0], i, call->operands[0][i]);
    out_results[0][i] = quantum_box_quantize(&quantum, NULL, NULL, value);
  }
  return STATUS_OK;
}

status_t uniform_dequantize_enclose(const enclosure_call_t *call,
                                    box_t *const out_results[CASE_RESULTS_MAX]) {
  const program_t *program = call->program;
  STATUS_TRY(quantization_check(program, call->error));
  if (call->contract != NULL) {
    enclose_by_probes(program, call->contract, call->operands[0], uniform_dequantize_set,
                      call->arena, out_results[0]);
    return STATUS_OK;
  }
  size_t count = type_element_count(&program->results[0]);
  for (size_t i = 0; i < count; i++) {
    out_results[0][i] = box_value(&program->operands[0], i, call->operands[0][i]);
  }
  return STATUS_OK;
}
