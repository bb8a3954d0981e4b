/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle of op `module`: a component conforms if it lies in what its steps, each conforming and
 * wired as they are, may make of the operands (theory.md, T174 to T178). */
#include <math.h>

#include "oracles/audit.h"
#include "oracles/ops/module/module.h"

/* What the memo keeps: the boxes under one contract. */
typedef struct entries {
  contract_t contract;
  box_t *results[CASE_RESULTS_MAX];
} entries_t;

/* ---- Fast side ------------------------------------------------------------------------------- */

/* Numbers between the ends, where these are numbers of the type. */
static void accept_floats(const type_t *type, const box_t *boxes, arena_t *arena,
                          accept_t *out_accept) {
  size_t count = type_element_count(type);
  double *low = ARENA_NEW_ARRAY(arena, double, count);
  double *high = ARENA_NEW_ARRAY(arena, double, count);
  for (size_t i = 0; i < count; i++) {
    bool is_finite = box_is_finite(boxes[i]);
    low[i] = is_finite ? boxes[i].low : 1; /* Nothing: the exact side is asked. */
    high[i] = is_finite ? boxes[i].high : 0;
  }
  out_accept->low = low;
  out_accept->high = high;
}

/* The lowest integer; the exact side knows the others. */
static void accept_integers(const type_t *type, const box_t *boxes, arena_t *arena,
                            accept_t *out_accept) {
  size_t count = type_element_count(type);
  uint64_t *bits = ARENA_NEW_ARRAY(arena, uint64_t, count);
  uint8_t *decide = ARENA_NEW_ARRAY(arena, uint8_t, count);
  for (size_t i = 0; i < count; i++) {
    decide[i] = !(fabs(boxes[i].low) <= 0x1p52);
    int64_t lowest = decide[i] != 0 ? 0 : (int64_t)boxes[i].low;
    bits[i] = (uint64_t)lowest & element_mask(type->element);
  }
  out_accept->bits = bits;
  out_accept->decide = decide;
}

static status_t accept(const oracle_call_t *call, accept_t out_accepts[CASE_RESULTS_MAX]) {
  const program_t *program = &call->instance->program;
  box_t *boxes[CASE_RESULTS_MAX];
  STATUS_TRY(module_enclose(call->instance, call->contract, call->arena, boxes, call->error));
  for (uint32_t i = 0; i < program->result_count; i++) {
    const type_t *type = &program->results[i];
    out_accepts[i] = (accept_t){.count = type_element_count(type)};
    if (type->element->format != NULL) {
      accept_floats(type, boxes[i], call->arena, &out_accepts[i]);
    } else {
      accept_integers(type, boxes[i], call->arena, &out_accepts[i]);
    }
  }
  return STATUS_OK;
}

/* ---- One component --------------------------------------------------------------------------- */

/* The boxes of the case, enclosed once for all components of one memo and contract. */
static status_t find_boxes(const oracle_call_t *call, const entries_t **out_entries) {
  entries_t *known = call->memo->entries;
  if (known == NULL || !contract_equal(&known->contract, call->contract)) {
    entries_t *made = arena_alloc(&call->memo->arena, sizeof *made);
    made->contract = *call->contract;
    STATUS_TRY(module_enclose(call->instance, call->contract, &call->memo->arena, made->results,
                              call->error));
    call->memo->entries = known = made;
  }
  *out_entries = known;
  return STATUS_OK;
}

/* Whether every number, or every storage integer, would conform. */
static bool is_anything(const type_t *type, box_t box) {
  const quantization_t *quantization = type->quantization;
  if (quantization == NULL) return box_is_whole_line(box);
  return box.low <= (double)quantization->storage_min &&
         box.high >= (double)quantization->storage_max;
}

static void print_expected(box_t box, char *out_text, size_t size) {
  if (box.low == box.high) {
    g_snprintf(out_text, (gulong)size, "%.17g", box.low);
  } else {
    g_snprintf(out_text, (gulong)size, "%.17g .. %.17g", box.low, box.high);
  }
}

static status_t decide(const oracle_call_t *call, uint32_t result, size_t component,
                       answer_t *out_answer) {
  if (call->memo == NULL) {
    return oracle_decide_with_memo(decide, call, result, component, out_answer);
  }
  const entries_t *entries;
  STATUS_TRY(find_boxes(call, &entries));
  const type_t *type = &call->instance->program.results[result];
  const box_t box = entries->results[result][component];
  const tensor_t *got = &call->results[result];
  const box_t value = box_make_point(got, component);
  *out_answer = (answer_t){.is_vacuous = is_anything(type, box),
                           .is_quantum = type->quantization != NULL,
                           .infinity_expected = box.low == box.high && isinf(box.low)};
  out_answer->conforms = box.low <= value.low && value.high <= box.high;
  out_answer->is_vacuous = out_answer->is_vacuous && out_answer->conforms;
  print_expected(box, out_answer->expected, sizeof out_answer->expected);
  if (call->why != NULL && out_answer->conforms) {
    g_string_append_printf(call->why, "within %s", out_answer->expected);
  }
  return STATUS_OK;
}

static status_t audit(const oracle_call_t *call, const accept_t *accepts, uint32_t result,
                      size_t component) {
  const audit_reference_t reference = {.is_known = false};
  return audit_component(oracle_find(call->instance->program.op), call, accepts, result, component,
                         &reference);
}

/* ---- Formulas -------------------------------------------------------------------------------- */

static bool holds_all(const oracle_call_t *call, box_t *const boxes[]) {
  const program_t *program = &call->instance->program;
  for (uint32_t i = 0; i < program->result_count; i++) {
    size_t count = type_element_count(&program->results[i]);
    for (size_t k = 0; k < count; k++) {
      const box_t value = box_make_point(&call->results[i], k);
      if (value.low < boxes[i][k].low || value.high > boxes[i][k].high) return false;
    }
  }
  return true;
}

static status_t find_formula(const oracle_call_t *call, const accept_t *accepts,
                             uint8_t *out_formula, bool *out_found) {
  (void)accepts;
  *out_found = false;
  for (uint8_t i = INTERMEDIATES_ROUNDED; i <= INTERMEDIATES_EITHER && !*out_found; i++) {
    contract_t contract = *call->contract;
    PERMITTED(&contract, intermediates) = i;
    box_t *boxes[CASE_RESULTS_MAX];
    arena_mark_t mark = arena_mark(call->arena);
    STATUS_TRY(module_enclose(call->instance, &contract, call->arena, boxes, call->error));
    *out_found = holds_all(call, boxes);
    arena_rewind(call->arena, mark);
    if (*out_found) *out_formula = i;
  }
  return STATUS_OK;
}

static const oracle_t module_oracle = {
    .op_name = "module",
    .accept = accept,
    .decide = decide,
    .audit = audit,
    .simulate = module_simulate,
    .find_formula = find_formula,
    .enclose = module_enclose_boxes,
};

extern const oracle_t *const module_oracles[];
const oracle_t *const module_oracles[] = {&module_oracle, NULL};
