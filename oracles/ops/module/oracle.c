/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle of op `module`: a component conforms if it lies in what its steps, each conforming and
 * wired as they are, may make of the operands (theory.md, T174 to T178). */
#include <math.h>

#include "oracles/audit.h"
#include "oracles/ops/module/module.h"

/* What accept() keeps: the sets under a contract. */
typedef struct kept {
  contract_t contract;
  module_set_t sets[CASE_RESULTS_MAX];
} kept_t;

/* The sets of the case under a contract, made in an arena where they are not kept. */
static status_t find_kept_sets(const oracle_call_t *call, const contract_t *contract,
                               arena_t *arena, module_set_t out_sets[CASE_RESULTS_MAX]) {
  const kept_t *kept = call->kept == NULL ? NULL : *call->kept;
  if (kept == NULL || !contract_equal(&kept->contract, contract)) {
    return module_enclose(call->instance, contract, arena, out_sets, call->error);
  }
  memcpy(out_sets, kept->sets, call->instance->program.result_count * sizeof *out_sets);
  return STATUS_OK;
}

/* What the memo keeps: the sets under one contract. */
typedef struct entries {
  contract_t contract;
  contract_t steps; /* That of the roots. */
  module_set_t sets[CASE_RESULTS_MAX];
  tensor_t *results[CASE_RESULTS_MAX]; /* Of roots: scratch; by result of the module. */
  void *roots[CASE_RESULTS_MAX];       /* What the roots' oracles keep in the memo. */
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

static double *gather_numbers(const double *from, const size_t *places, size_t count,
                              arena_t *arena) {
  if (from == NULL) return NULL;
  double *made = ARENA_NEW_ARRAY(arena, double, count);
  for (size_t i = 0; i < count; i++) made[i] = from[places[i]];
  return made;
}

static uint8_t *gather_bytes(const uint8_t *from, const size_t *places, size_t count,
                             arena_t *arena) {
  if (from == NULL) return NULL;
  uint8_t *made = ARENA_NEW_ARRAY(arena, uint8_t, count);
  for (size_t i = 0; i < count; i++) made[i] = from[places[i]];
  return made;
}

static uint64_t *gather_bits(const uint64_t *from, const size_t *places, size_t count,
                             arena_t *arena) {
  if (from == NULL) return NULL;
  uint64_t *made = ARENA_NEW_ARRAY(arena, uint64_t, count);
  for (size_t i = 0; i < count; i++) made[i] = from[places[i]];
  return made;
}

/* What surely conforms of a step's result, of what it becomes when it is moved. */
static accept_t move_accept(const accept_t *from, const size_t *places, size_t count,
                            arena_t *arena) {
  accept_t moved = *from;
  moved.count = count;
  moved.bits = gather_bits(from->bits, places, count, arena);
  moved.low = gather_numbers(from->low, places, count, arena);
  moved.high = gather_numbers(from->high, places, count, arena);
  moved.other_low = gather_numbers(from->other_low, places, count, arena);
  moved.other_high = gather_numbers(from->other_high, places, count, arena);
  moved.specials = gather_bytes(from->specials, places, count, arena);
  moved.decide = gather_bytes(from->decide, places, count, arena);
  return moved;
}

/* By the root's fast side: sets that say where a number lies, not how far it is off. */
static bool accept_by_root(const oracle_call_t *call, const module_root_t *root, size_t count,
                           accept_t *out_accept) {
  const contract_t steps = module_contract_of_steps(call->contract);
  oracle_call_t about = oracle_call_about(call, &root->known, NULL);
  failure_t unused;
  about.contract = &steps;
  about.error = &unused;
  accept_t accepts[CASE_RESULTS_MAX];
  if (oracle_find(root->known.program.op)->accept(&about, accepts) != STATUS_OK) return false;
  accept_t accept = accepts[root->result];
  if (accept.twin != NULL || accept.sampled != NULL) return false;
  accept.reference = accept.reference_tail = accept.magnitude = NULL;
  accept.measures_inside = false;
  accept.treeless_count = 0;
  *out_accept =
      root->places == NULL ? accept : move_accept(&accept, root->places, count, call->arena);
  return true;
}

static status_t accept(const oracle_call_t *call, accept_t out_accepts[CASE_RESULTS_MAX]) {
  const program_t *program = &call->instance->program;
  kept_t *kept = arena_alloc(call->arena, sizeof *kept);
  kept->contract = *call->contract;
  module_set_t *sets = kept->sets;
  STATUS_TRY(module_enclose(call->instance, call->contract, call->arena, sets, call->error));
  if (call->kept != NULL) *call->kept = kept;
  for (uint32_t i = 0; i < program->result_count; i++) {
    const type_t *type = &program->results[i];
    size_t count = type_element_count(type);
    if (sets[i].has_root && accept_by_root(call, &sets[i].root, count, &out_accepts[i])) continue;
    out_accepts[i] = (accept_t){.count = count};
    if (sets[i].has_root) {
      out_accepts[i].decide = memset(ARENA_NEW_ARRAY(call->arena, uint8_t, count), 1, count);
    } else if (type->element->format != NULL) {
      accept_floats(type, sets[i].boxes, call->arena, &out_accepts[i]);
    } else {
      accept_integers(type, sets[i].boxes, call->arena, &out_accepts[i]);
    }
  }
  return STATUS_OK;
}

/* ---- One component --------------------------------------------------------------------------- */

/* The sets of the case, enclosed once for all components of one memo and contract. */
static status_t find_sets(const oracle_call_t *call, entries_t **out_entries) {
  entries_t *known = call->memo->entries;
  if (known == NULL || !contract_equal(&known->contract, call->contract)) {
    entries_t *made = arena_alloc(&call->memo->arena, sizeof *made);
    *made =
        (entries_t){.contract = *call->contract, .steps = module_contract_of_steps(call->contract)};
    STATUS_TRY(find_kept_sets(call, call->contract, &call->memo->arena, made->sets));
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

/* The results of the root's program, of which nothing but the one that is asked about counts. */
static const tensor_t *results_of_root(const oracle_call_t *call, entries_t *entries,
                                       uint32_t result) {
  if (entries->results[result] != NULL) return entries->results[result];
  const program_t *program = &entries->sets[result].root.known.program;
  tensor_t *results = ARENA_NEW_ARRAY(&call->memo->arena, tensor_t, program->result_count);
  for (uint32_t i = 0; i < program->result_count; i++) {
    size_t bytes = type_bytes(&program->results[i]);
    results[i] = tensor_make(&call->memo->arena, &program->results[i]);
    if (bytes > 0) memset(results[i].data, 0, bytes);
  }
  return entries->results[result] = results;
}

/* Whether a number is one that an exact result which is kept in a wider format may be rounded to; a
 * zero if one of its sign may vanish so. */
static bool is_rounded_later(box_t value, box_t rounded) {
  if (!box_is_finite(value) || box_is_whole_line(rounded)) return false;
  if (value.low != 0) return rounded.low <= value.low && value.high <= rounded.high;
  return signbit(value.low) ? rounded.low < 0 && rounded.high == 0
                            : rounded.low == 0 && rounded.high > 0;
}

/* By the step's own sets, and what its exact result is rounded to where that may stay wider: T218.
 */
static status_t decide_by_root(const oracle_call_t *call, entries_t *entries, uint32_t result,
                               size_t component, answer_t *out_answer) {
  const module_set_t *set = &entries->sets[result];
  const module_root_t *root = &set->root;
  const tensor_t *got = &call->results[result], *results = results_of_root(call, entries, result);
  size_t place = root->places == NULL ? component : root->places[component];
  const element_t *element = got->type.element;
  element_store(element, results[root->result].data, place,
                element_load(element, got->data, component));
  oracle_call_t about = oracle_call_about(call, &root->known, results);
  about.contract = &entries->steps;
  about.memo = call->memo; /* Whose arena is shared; each has entries of its own. */
  about.memo->entries = entries->roots[result];
  status_t status =
      oracle_find(root->known.program.op)->decide(&about, root->result, place, out_answer);
  entries->roots[result] = about.memo->entries;
  about.memo->entries = entries;
  if (status != STATUS_OK || set->rounded == NULL) return status;
  if (is_rounded_later(box_make_point(got, component), set->rounded[place])) {
    out_answer->conforms = true;
  }
  return STATUS_OK;
}

static status_t decide(const oracle_call_t *call, uint32_t result, size_t component,
                       answer_t *out_answer) {
  if (call->memo == NULL) {
    return oracle_decide_with_memo(decide, call, result, component, out_answer);
  }
  entries_t *entries;
  STATUS_TRY(find_sets(call, &entries));
  if (entries->sets[result].has_root) {
    return decide_by_root(call, entries, result, component, out_answer);
  }
  const type_t *type = &call->instance->program.results[result];
  const box_t box = entries->sets[result].boxes[component];
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

static bool holds_all(const oracle_call_t *call, const module_set_t sets[]) {
  const program_t *program = &call->instance->program;
  for (uint32_t i = 0; i < program->result_count; i++) {
    size_t count = type_element_count(&program->results[i]);
    for (size_t k = 0; k < count; k++) {
      const box_t value = box_make_point(&call->results[i], k);
      if (value.low < sets[i].boxes[k].low || value.high > sets[i].boxes[k].high) return false;
    }
  }
  return true;
}

/* Which formula it is takes as long as the verdict, once or more, and is no part of it: of programs
 * with many elements nobody is told. */
static bool is_large(const program_t *program) {
  enum { LARGE_ELEMENTS = 1 << 15 };
  const module_t *module = module_of(program);
  size_t elements = 0;
  for (uint32_t i = 0; i < module->step_count; i++) {
    elements += type_element_count(&module->steps[i].program.results[0]);
  }
  return elements > LARGE_ELEMENTS;
}

static status_t find_formula(const oracle_call_t *call, const accept_t *accepts,
                             uint8_t *out_formula, bool *out_found) {
  (void)accepts;
  *out_found = false;
  if (is_large(&call->instance->program)) return STATUS_UNSUPPORTED;
  for (uint8_t i = INTERMEDIATES_ROUNDED; i <= INTERMEDIATES_EITHER && !*out_found; i++) {
    contract_t contract = *call->contract;
    PERMITTED(&contract, intermediates) = i;
    module_set_t sets[CASE_RESULTS_MAX];
    arena_mark_t mark = arena_mark(call->arena);
    STATUS_TRY(find_kept_sets(call, &contract, call->arena, sets));
    *out_found = holds_all(call, sets);
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
    .has_dear_formula = true,
    .enclose = module_enclose_boxes,
};

extern const oracle_t *const module_oracles[];
const oracle_t *const module_oracles[] = {&module_oracle, NULL};
