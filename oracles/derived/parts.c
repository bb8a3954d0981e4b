/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a derived op's case (cases of the other op), and what is kept of them from one
 * question to the next. */
#include <string.h>

#include "oracles/derived/parts.h"

enum { NO_PART = UINT32_MAX };

status_t derived_make(const case_t *instance, uint32_t variant, fault_t fault, arena_t *arena,
                      derived_t *out_gathered, failure_t *error) {
  *out_gathered = (derived_t){0};
  const gathering_t *gathering = oracle_find(instance->program.op)->gathering;
  derived_parts_t parts;
  STATUS_TRY(gathering->gather(instance, variant, fault, arena, &parts, error));
  *out_gathered = (derived_t){.parts = parts};
  if (parts.count > 0) out_gathered->oracle = oracle_find(parts.parts[0].instance.program.op);
  return STATUS_OK;
}

void derived_index(const case_t *instance, arena_t *arena, derived_t *inout_gathered) {
  const derived_parts_t parts = inout_gathered->parts;
  size_t count = type_element_count(&instance->program.results[0]);
  uint32_t *part_of = ARENA_NEW_ARRAY(arena, uint32_t, count);
  size_t *place_of = ARENA_NEW_ARRAY(arena, size_t, count);
  for (size_t i = 0; i < count; i++) part_of[i] = NO_PART;
  for (uint32_t p = 0; p < parts.count; p++) {
    for (size_t i = 0; i < parts.parts[p].element_count; i++) {
      part_of[parts.parts[p].elements[i]] = p;
      place_of[parts.parts[p].elements[i]] = i;
    }
  }
  inout_gathered->part_of = part_of;
  inout_gathered->place_of = place_of;
}

const derived_part_t *derived_find(const derived_t *derived, const type_t *result, size_t component,
                                   size_t *out_component) {
  uint32_t components = result->element->components;
  size_t element = component / components;
  if (derived->part_of[element] == NO_PART) return NULL;
  *out_component = derived->place_of[element] * components + component % components;
  return &derived->parts.parts[derived->part_of[element]];
}

/* ---- Remembering ----------------------------------------------------------------------------- */

/* What was gathered by each variant so far, and what was found under one contract. */
typedef struct variants {
  uint32_t count;
  derived_variant_t *each;
  contract_t contract;
  uint32_t total; /* How many there are; 0: not counted. */
  bool has_leaders;
  const size_t *leaders;
} variants_t;

static variants_t *variants_grow(decision_memo_t *memo, uint32_t count) {
  variants_t *old = memo->entries;
  if (old != NULL && old->count >= count) return old;
  variants_t *variants = ARENA_NEW_ARRAY(&memo->arena, variants_t, 1);
  *variants = old == NULL ? (variants_t){0} : *old;
  variants->each = arena_alloc_zeroed(&memo->arena, count * sizeof(derived_variant_t));
  for (uint32_t i = 0; old != NULL && i < old->count; i++) variants->each[i] = old->each[i];
  variants->count = count;
  memo->entries = variants;
  return variants;
}

/* Forgets what was found under another contract. */
static variants_t *variants_under(const oracle_call_t *call) {
  variants_t *variants = variants_grow(call->memo, 1);
  if (memcmp(&variants->contract, call->contract, sizeof(contract_t)) == 0) return variants;
  variants->contract = *call->contract;
  variants->total = 0;
  variants->has_leaders = false;
  return variants;
}

/* Counting variants may cost as much as answers about all components, so that is left until it is
 * needed, and done once under a contract. */
uint32_t derived_count_variants(const oracle_call_t *call, const gathering_t *gathering) {
  if (gathering->count_variants == NULL) return 1;
  variants_t *variants = variants_under(call);
  if (variants->total == 0) {
    variants->total = gathering->count_variants(call->instance, call->contract);
  }
  return variants->total;
}

const size_t *derived_leaders(const oracle_call_t *call, const gathering_t *gathering) {
  if (gathering->leaders == NULL) return NULL;
  variants_t *variants = variants_under(call);
  if (!variants->has_leaders) {
    variants->leaders =
        gathering->leaders(&call->instance->program, call->contract, &call->memo->arena);
    variants->has_leaders = true;
  }
  return variants->leaders;
}

status_t derived_find_variant(const oracle_call_t *call, uint32_t number, uint32_t count,
                              derived_variant_t **out_variant) {
  arena_t *arena = &call->memo->arena;
  derived_variant_t *variant = &variants_grow(call->memo, count)->each[number];
  *out_variant = variant;
  if (variant->is_made) return STATUS_OK;
  STATUS_TRY(
      derived_make(call->instance, number, FAULT_NONE, arena, &variant->derived, call->error));
  derived_index(call->instance, arena, &variant->derived);
  variant->parts =
      arena_alloc_zeroed(arena, variant->derived.parts.count * sizeof(derived_memory_t *));
  variant->is_made = true;
  return STATUS_OK;
}

derived_memory_t *derived_remember_part(const derived_part_t *part, arena_t *arena,
                                        derived_memory_t **inout_memory) {
  if (*inout_memory != NULL) return *inout_memory;
  derived_memory_t *memory = ARENA_NEW_ARRAY(arena, derived_memory_t, 1);
  memory->entries = NULL;
  const program_t *program = &part->instance.program;
  for (uint32_t r = 0; r < program->result_count; r++) {
    memory->results[r] = tensor_make(arena, &program->results[r]);
    memset(memory->results[r].data, 0, type_bytes(&program->results[r]));
  }
  *inout_memory = memory;
  return memory;
}
