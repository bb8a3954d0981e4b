/* SPDX-License-Identifier: Apache-2.0 */
/* Fast accept sets of gathered cases: those of the parts, put together. */
#include <math.h>
#include <string.h>

#include "oracles/derived/parts.h"

/* An array of an accept set, of `bytes` an entry, and the entry of components about which it says
 * nothing. */
typedef struct accept_array {
  size_t offset;
  size_t bytes;
  uint64_t nothing;
} accept_array_t;

#define POSITIVE_ONE UINT64_C(0x3ff0000000000000)
#define QUIET_NAN UINT64_C(0x7ff8000000000000)

/* Empty intervals are 1 .. 0. */
static const accept_array_t accept_arrays[] = {
    {offsetof(accept_t, bits), sizeof(uint64_t), 0},
    {offsetof(accept_t, low), sizeof(double), POSITIVE_ONE},
    {offsetof(accept_t, high), sizeof(double), 0},
    {offsetof(accept_t, other_low), sizeof(double), POSITIVE_ONE},
    {offsetof(accept_t, other_high), sizeof(double), 0},
    {offsetof(accept_t, specials), sizeof(uint8_t), 0},
    {offsetof(accept_t, reference), sizeof(double), QUIET_NAN},
    {offsetof(accept_t, reference_tail), sizeof(double), 0},
    {offsetof(accept_t, magnitude), sizeof(double), QUIET_NAN},
    {offsetof(accept_t, treeless), sizeof(uint8_t), 0},
    {offsetof(accept_t, decide), sizeof(uint8_t), 1},
};

static const uint8_t *get_array(const accept_t *accept, const accept_array_t *array) {
  const uint8_t *data;
  memcpy(&data, (const char *)accept + array->offset, sizeof data);
  return data;
}

static void set_array(accept_t *accept, const accept_array_t *array, const uint8_t *data) {
  memcpy((char *)accept + array->offset, &data, sizeof data);
}

/* Moves entries of `width` bytes, which is a constant where it matters. */
static inline void copy_wide(const derived_part_t *part, size_t width, bool to_part, uint8_t *whole,
                             uint8_t *own) {
  for (size_t i = 0; i < part->element_count; i++) {
    uint8_t *there = whole + part->elements[i] * width;
    uint8_t *here = own + i * width;
    memcpy(to_part ? here : there, to_part ? there : here, width);
  }
}

/* Copies the entries of a part's components to (or, `to_part`, from) those of the whole. */
static void copy_entries(const derived_part_t *part, uint32_t components, size_t bytes,
                         bool to_part, uint8_t *whole, uint8_t *own) {
  size_t width = bytes * components;
  if (width == sizeof(double)) {
    copy_wide(part, sizeof(double), to_part, whole, own);
  } else if (width == 1) {
    copy_wide(part, 1, to_part, whole, own);
  } else {
    copy_wide(part, width, to_part, whole, own);
  }
}

/* Components in no part, and those of parts whose sets lack the patterns that others have, are
 * asked about: an entry of `bits` always claims something. */
static uint8_t *make_decide(const accept_t *sets, const derived_t *derived, uint32_t components,
                            size_t count, bool some_have_bits, arena_t *arena) {
  uint8_t *decide = arena_alloc(arena, count);
  memset(decide, 1, count);
  for (size_t p = 0; p < derived->parts.count; p++) {
    const derived_part_t *part = &derived->parts.parts[p];
    bool is_known = (sets[p].bits != NULL || !some_have_bits);
    for (size_t i = 0; i < part->element_count * components; i++) {
      size_t whole = part->elements[i / components] * components + i % components;
      decide[whole] = !is_known || (sets[p].decide != NULL && sets[p].decide[i] != 0);
    }
  }
  return decide;
}

/* Measures are those of the part with the largest permitted error, so that slack is never
 * overstated; a grid of any part restricts all, which only makes sets smaller. */
static void join_measures(const accept_t *sets, size_t count, accept_t *out_joined) {
  out_joined->measures_inside = count > 0;
  for (size_t p = 0; p < count; p++) {
    out_joined->bound_factor = fmax(out_joined->bound_factor, sets[p].bound_factor);
    out_joined->bound_offset = fmax(out_joined->bound_offset, sets[p].bound_offset);
    out_joined->unit_roundoff = fmax(out_joined->unit_roundoff, sets[p].unit_roundoff);
    out_joined->treeless_count += sets[p].treeless_count;
    out_joined->measures_inside &= sets[p].measures_inside;
    if (sets[p].grid != NULL) out_joined->grid = sets[p].grid;
  }
}

/* Whether one part is the whole, element by element. */
static bool is_whole(const derived_t *derived, size_t count) {
  if (derived->parts.count != 1) return false;
  const derived_part_t *part = &derived->parts.parts[0];
  if (part->element_count != count) return false;
  bool are_in_place = true;
  for (size_t i = 0; i < count; i++) are_in_place &= part->elements[i] == i;
  return are_in_place;
}

/* An array for all components; entries that no part has say nothing. */
static uint8_t *make_whole(const accept_t *sets, const derived_t *derived,
                           const accept_array_t *array, size_t count, arena_t *arena) {
  uint8_t *whole = arena_alloc(arena, count * array->bytes);
  size_t known = 0;
  for (size_t p = 0; p < derived->parts.count; p++) {
    if (get_array(&sets[p], array) != NULL) known += sets[p].count;
  }
  for (size_t i = 0; known < count && i < count; i++) {
    memcpy(whole + i * array->bytes, &array->nothing, array->bytes);
  }
  return whole;
}

static accept_t join(const case_t *instance, uint32_t result, const derived_t *derived,
                     const accept_t *sets, arena_t *arena) {
  const type_t *type = &instance->program.results[result];
  uint32_t components = type->element->components;
  accept_t joined = {.count = type_component_count(type)};
  if (is_whole(derived, type_element_count(type))) return sets[0];
  join_measures(sets, derived->parts.count, &joined);
  for (size_t a = 0; a < G_N_ELEMENTS(accept_arrays); a++) {
    const accept_array_t *array = &accept_arrays[a];
    uint8_t *whole = NULL;
    for (size_t p = 0; p < derived->parts.count; p++) {
      const uint8_t *own = get_array(&sets[p], array);
      if (own == NULL || sets[p].count == 0) continue;
      if (whole == NULL) {
        whole = make_whole(sets, derived, array, joined.count, arena);
      }
      copy_entries(&derived->parts.parts[p], components, array->bytes, false, whole,
                   (uint8_t *)(uintptr_t)own);
    }
    set_array(&joined, array, whole);
  }
  joined.decide = make_decide(sets, derived, components, joined.count, joined.bits != NULL, arena);
  return joined;
}

/* A component's twin is that of the first element with which its element shares its value. */
static const size_t *find_twins(const oracle_call_t *call, uint32_t result) {
  const case_t *instance = call->instance;
  const gathering_t *gathering = oracle_find(instance->program.op)->gathering;
  if (gathering->leaders == NULL) return NULL;
  const size_t *leaders = gathering->leaders(&instance->program, call->contract, call->arena);
  if (leaders == NULL) return NULL;
  const type_t *type = &instance->program.results[result];
  uint32_t components = type->element->components;
  size_t count = type_component_count(type);
  size_t *twins = ARENA_NEW_ARRAY(call->arena, size_t, count);
  for (size_t i = 0; i < count; i++) {
    twins[i] = leaders[i / components] * components + i % components;
  }
  return twins;
}

status_t derived_accept(const oracle_call_t *call, accept_t out_accepts[CASE_RESULTS_MAX]) {
  const case_t *instance = call->instance;
  derived_t derived;
  STATUS_TRY(derived_make(instance, 0, FAULT_NONE, call->arena, &derived, call->error));
  size_t count = derived.parts.count;
  uint32_t result_count = instance->program.result_count;
  accept_t *sets = ARENA_NEW_ARRAY(call->arena, accept_t, count * result_count);
  for (size_t p = 0; p < count; p++) {
    accept_t own[CASE_RESULTS_MAX];
    const oracle_call_t part_call =
        oracle_call_about_part(call, &derived.parts.parts[p].instance, NULL);
    STATUS_TRY(derived.oracle->accept(&part_call, own));
    for (uint32_t r = 0; r < result_count; r++) sets[r * count + p] = own[r];
  }
  for (uint32_t r = 0; r < result_count; r++) {
    out_accepts[r] = join(instance, r, &derived, sets + r * count, call->arena);
    out_accepts[r].twin = find_twins(call, r);
  }
  return STATUS_OK;
}

/* The entries of one part, as its own oracle has them. */
static accept_t take_part(const accept_t *joined, const derived_part_t *part, uint32_t components,
                          arena_t *arena) {
  accept_t own = *joined;
  own.count = part->element_count * components;
  for (size_t a = 0; a < G_N_ELEMENTS(accept_arrays); a++) {
    const accept_array_t *array = &accept_arrays[a];
    const uint8_t *whole = get_array(joined, array);
    if (whole == NULL) continue;
    uint8_t *data = arena_alloc(arena, own.count * array->bytes);
    copy_entries(part, components, array->bytes, true, (uint8_t *)(uintptr_t)whole, data);
    set_array(&own, array, data);
  }
  return own;
}

static status_t audit_remembering(const oracle_call_t *call, const accept_t *accepts,
                                  uint32_t result, size_t component) {
  const program_t *program = &call->instance->program;
  derived_variant_t *variant;
  STATUS_TRY(derived_find_variant(call, 0, 1, &variant));
  const derived_t *derived = &variant->derived;
  const type_t *type = &program->results[result];
  size_t part_component = 0;
  const derived_part_t *part = derived_find(derived, type, component, &part_component);
  if (part == NULL) return STATUS_OK;
  bool is_all = is_whole(derived, type_element_count(type));
  accept_t own[CASE_RESULTS_MAX];
  for (uint32_t r = 0; r < program->result_count; r++) {
    uint32_t components = program->results[r].element->components;
    own[r] = is_all ? accepts[r] : take_part(&accepts[r], part, components, call->arena);
  }
  derived_memory_t *memory =
      derived_remember_part(part, &call->memo->arena, &variant->parts[part - derived->parts.parts]);
  oracle_call_t part_call = oracle_call_about_part(call, &part->instance, NULL);
  void *own_entries = call->memo->entries; /* As of questions: decide.c. */
  part_call.memo = call->memo;
  part_call.memo->entries = memory->entries;
  status_t status = derived->oracle->audit(&part_call, own, result, part_component);
  memory->entries = part_call.memo->entries;
  part_call.memo->entries = own_entries;
  return status;
}

status_t derived_audit(const oracle_call_t *call, const accept_t *accepts, uint32_t result,
                       size_t component) {
  if (call->memo != NULL) return audit_remembering(call, accepts, result, component);
  decision_memo_t memo;
  decision_memo_init(&memo);
  oracle_call_t remembering = *call;
  remembering.memo = &memo;
  status_t status = audit_remembering(&remembering, accepts, result, component);
  decision_memo_deinit(&memo);
  return status;
}
