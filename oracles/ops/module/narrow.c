/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes made narrower and wider.  Those of few numbers are held against the exact side of a step's
 * oracle, which knows value by value what an enclosure bounds (theory.md, T178); what is one value
 * is one value (T219); what is not rounded lies about what is (T175). */
#include <math.h>

#include "oracles/ops/module/module.h"

/* Candidates of one element that the exact side is asked about, and of one step.  A question costs
 * as much again for so many elements, since the exact side looks at the shape of the whole. */
enum { CANDIDATES_MAX = 8, QUESTIONS_MAX = 1 << 14, ELEMENTS_FOR_QUESTION = 1 << 14 };

/* The patterns of the element from `low` on, up to `high`; 0 if there are more than a few, or no
 * number of the type is an end. */
static size_t list_candidates(const element_t *element, box_t box,
                              uint64_t out_bits[CANDIDATES_MAX]) {
  if (!box_is_finite(box)) return 0;
  size_t count = 0;
  if (element->format == NULL) {
    if (box.high - box.low >= (double)CANDIDATES_MAX || fabs(box.low) > 0x1p52) return 0;
    for (double value = box.low; value <= box.high; value++) {
      out_bits[count++] = (uint64_t)(int64_t)value & element_mask(element);
    }
    return count;
  }
  uint64_t bits = format_from_double(element->format, box.low);
  if (format_to_double(element->format, bits) != box.low) return 0;
  while (format_to_double(element->format, bits) <= box.high) {
    if (count == CANDIDATES_MAX) return 0;
    out_bits[count++] = bits;
    bits = format_next_up(element->format, bits);
  }
  return count;
}

/* Patterns of one element, and what encloses them. */
typedef struct candidates {
  uint64_t bits[CANDIDATES_MAX];
  size_t count;
  box_t box;
} candidates_t;

/* Those that the exact side permits; all where it has no answer. */
static box_t narrow_element(const oracle_call_t *call, tensor_t *result, size_t element,
                            const candidates_t *candidates) {
  const oracle_t *oracle = oracle_find(call->instance->program.op);
  box_t kept = {INFINITY, -INFINITY};
  for (size_t i = 0; i < candidates->count; i++) {
    element_store(result->type.element, result->data, element, candidates->bits[i]);
    answer_t answer = {.conforms = false};
    arena_mark_t mark = arena_mark(call->arena);
    status_t status = oracle_decide_with_memo(oracle->decide, call, 0, element, &answer);
    arena_rewind(call->arena, mark);
    if (status != STATUS_OK) return candidates->box;
    if (answer.conforms) kept = box_unite(kept, box_make_point(result, element));
  }
  return kept.low <= kept.high ? kept : candidates->box;
}

bool module_rounds_all(const contract_t *contract) {
  return PERMITTED(contract, intermediates) == INTERMEDIATES_ROUNDED;
}

void module_narrow(const case_t *known, const contract_t *contract, arena_t *arena,
                   box_t *inout_boxes) {
  tensor_t result = tensor_make(arena, &known->program.results[0]);
  if (type_bytes(&result.type) > 0) memset(result.data, 0, type_bytes(&result.type));
  decision_memo_t memo;
  decision_memo_init(&memo);
  failure_t unused;
  const oracle_call_t call = {.instance = known,
                              .contract = contract,
                              .results = &result,
                              .memo = &memo,
                              .arena = arena,
                              .error = &unused};
  size_t count = type_element_count(&result.type), questions = 0;
  const size_t cost = 1 + count / ELEMENTS_FOR_QUESTION;
  for (size_t i = 0; i < count; i++) {
    candidates_t candidates = {.box = inout_boxes[i]};
    candidates.count = list_candidates(result.type.element, inout_boxes[i], candidates.bits);
    if (candidates.count < 2 || (questions += cost * candidates.count) > QUESTIONS_MAX) continue;
    inout_boxes[i] = narrow_element(&call, &result, i, &candidates);
  }
  decision_memo_deinit(&memo);
}

const tensor_t *module_find_bits(const type_t *type, const box_t *boxes, bool are_stored,
                                 arena_t *arena) {
  tensor_t *tensor = arena_alloc(arena, sizeof *tensor);
  *tensor = tensor_make(arena, type);
  size_t count = type_element_count(type);
  for (size_t i = 0; i < count; i++) {
    uint64_t bits[CANDIDATES_MAX];
    bool is_zero = type->element->format != NULL && boxes[i].low == 0;
    bool may_be_between = !are_stored && boxes[i].low != boxes[i].high;
    if (is_zero || may_be_between || list_candidates(type->element, boxes[i], bits) != 1)
      return NULL;
    element_store(type->element, tensor->data, i, bits[0]);
  }
  return tensor;
}

/* ---- More and fewer numbers ------------------------------------------------------------------ */

double module_roundoff(const format_t *format) { return ldexp(1, -format->precision); }
double module_wider_roundoff(const format_t *format) {
  return ldexp(1, -format->precision - (format->precision <= 5 ? 3 : 11));
}

box_t module_widen(box_t box, double roundings, const format_t *format) {
  if (!box_is_finite(box)) return box_whole_line();
  double least = ldexp(1, format->exponent_min - format->precision + 1);
  return box_widen(box, box_magnitude(box) * roundings + least);
}

box_t module_unrounded(box_t stored, box_t exact, const format_t *format) {
  if (!box_is_finite(stored) || !box_is_finite(exact)) return box_whole_line();
  box_t beyond = {box_below(stored.low), box_above(stored.high)};
  return box_unite(box_round_either_way(beyond, format), exact);
}

void module_share(const module_step_t *step, const box_t *operand, box_t *inout_boxes) {
  const type_t *type = &step->program.results[0];
  bool is_square = module_step_is(step, "multiply"), is_zero = module_step_is(step, "subtract");
  bool is_shared = (is_square || is_zero) && step->operands[0] == step->operands[1] &&
                   type->quantization == NULL && type->element->format != NULL;
  if (!is_shared) return;
  for (size_t i = 0; i < type_element_count(type); i++) {
    if (!box_is_finite(operand[i])) continue;
    inout_boxes[i] = is_zero ? box_point(0) : box_maximum(inout_boxes[i], box_point(0));
  }
}
