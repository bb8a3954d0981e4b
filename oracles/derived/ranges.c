/* SPDX-License-Identifier: Apache-2.0 */
/* All that is accepted of components of a derived op: what the other op's oracle knows of their
 * parts, united over the variants that the contract permits. */
#include "oracles/derived/derived.h"
#include "oracles/derived/parts.h"

typedef struct asked {
  const oracle_call_t *call;
  uint32_t result;
  component_span_t span;
} asked_t;

static void forget(const asked_t *asked, accepted_ranges_t *out_ranges) {
  for (size_t i = 0; i < asked->span.count; i++) out_ranges[i] = accepted_ranges_unknown();
}

/* How many components from `first` on come one after the other in the same part. */
static size_t length_of_run(const asked_t *asked, const derived_t *derived, size_t first,
                            size_t place, const derived_part_t *part) {
  const type_t *type = &asked->call->instance->program.results[asked->result];
  size_t end = asked->span.first + asked->span.count, length = 1, next;
  while (first + length < end && derived_find(derived, type, first + length, &next) == part &&
         next == place + length) {
    length++;
  }
  return length;
}

static void unite(const accepted_ranges_t *from, accepted_ranges_t *inout) {
  if (!from->is_known) *inout = accepted_ranges_unknown();
  for (uint32_t i = 0; i < from->count && inout->is_known; i++) {
    accepted_ranges_add(inout, &from->ranges[i]);
  }
}

/* What the specification leaves open is in no part. */
static status_t add_variant(const asked_t *asked, const derived_t *derived,
                            accepted_ranges_t *inout_ranges) {
  const oracle_call_t *call = asked->call;
  const type_t *type = &call->instance->program.results[asked->result];
  const value_range_t anything = value_range_anything(type->element->format);
  accepted_ranges_t *known = ARENA_NEW_ARRAY(call->arena, accepted_ranges_t, asked->span.count);
  for (size_t i = 0, length; i < asked->span.count; i += length) {
    size_t place = 0, first = asked->span.first + i;
    const derived_part_t *part = derived_find(derived, type, first, &place);
    length = 1;
    if (part == NULL) {
      accepted_ranges_add(&inout_ranges[i], &anything);
      continue;
    }
    length = length_of_run(asked, derived, first, place, part);
    const oracle_call_t part_call = oracle_call_about_part(call, &part->instance, NULL);
    const component_span_t run = {place, length};
    STATUS_TRY(derived->oracle->ranges(&part_call, asked->result, run, known));
    for (size_t k = 0; k < length; k++) unite(&known[k], &inout_ranges[i + k]);
  }
  return STATUS_OK;
}

/* Of elements that share their value one says what the others must be. */
status_t derived_ranges(const oracle_call_t *call, uint32_t result, component_span_t span,
                        accepted_ranges_t *out_ranges) {
  const case_t *instance = call->instance;
  const gathering_t *gathering = oracle_find(instance->program.op)->gathering;
  const asked_t asked = {call, result, span};
  forget(&asked, out_ranges);
  bool is_shared = derived_leaders(call, gathering) != NULL;
  if (is_shared || instance->program.results[result].element->format == NULL) return STATUS_OK;
  const uint32_t count = derived_count_variants(call, gathering);
  if (count > ACCEPTED_RANGES_MAX) return STATUS_OK;
  for (size_t i = 0; i < span.count; i++) out_ranges[i] = accepted_ranges_make(call->contract);
  for (uint32_t variant = 0; variant < count; variant++) {
    derived_variant_t *found;
    STATUS_TRY(derived_find_variant(call, variant, count, &found));
    const derived_t *derived = &found->derived;
    if (derived->oracle != NULL && derived->oracle->ranges == NULL) {
      forget(&asked, out_ranges);
      return STATUS_OK;
    }
    STATUS_TRY(add_variant(&asked, derived, out_ranges));
  }
  return STATUS_OK;
}
