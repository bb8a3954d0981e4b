/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a small broken instance at every value of the property's parameter and records the bits of
 * the differing element, so that the report can name the thresholds. */
#include "harness/invariance/shrink.h"

enum { SWEEP_MAX = 512 };

/* The value of the property's parameter that the base case itself has for its differing element. */
static int64_t own_index(const invariance_instance_t *instance,
                         const invariance_difference_t *difference) {
  const axis_list_t *list = &instance->axes.results[difference->result];
  const type_t *type = &instance->base.program.results[difference->result];
  size_t element = difference->base_component / type->element->components;
  for (uint32_t i = list->count; i-- > 0;) {
    size_t size = (size_t)instance->axes.items[list->axes[i]].size;
    if (list->axes[i] == instance->axis) return (int64_t)(element % size);
    element /= size;
  }
  return 0;
}

/* The bits that the executor gives for the element in another case; false without an answer. */
static bool find_bits(executor_t *executor, const invariance_instance_t *instance,
                      const invariance_difference_t *difference, arena_t *arena,
                      uint64_t *out_bits) {
  invariance_other_t other;
  if (!invariance_make_other(instance, arena, &other)) return false;
  invariance_run_t run;
  invariance_run(executor, &other.instance, arena, &run);
  if (run.outcome != EXECUTOR_OK) return false;
  const tensor_t *result = &run.results[difference->result];
  const element_t *element = result->type.element;
  size_t parts = element->components;
  size_t count = type_element_count(&result->type);
  for (size_t i = 0; i < count; i++) {
    if (other.element_map[difference->result][i] != difference->base_component / parts) continue;
    size_t component = i * parts + difference->base_component % parts;
    *out_bits = element_load(element, result->data, component);
    return true;
  }
  return false;
}

size_t invariance_sweep(executor_t *executor, const invariance_instance_t *instance,
                        const invariance_difference_t *difference, arena_t *arena,
                        invariance_step_t **out_steps) {
  invariance_kind_t kind = invariance_table[instance->property].kind;
  if (kind != INVARIANCE_KIND_COUNT && kind != INVARIANCE_KIND_POSITION) return 0;
  int64_t size = instance->axes.items[instance->axis].size;
  if (size > SWEEP_MAX) return 0;
  bool is_count = kind == INVARIANCE_KIND_COUNT;
  int64_t index = own_index(instance, difference);
  int64_t first = is_count ? index + 1 : 0;
  int64_t last = is_count ? size : size - 1;
  invariance_step_t *steps = ARENA_NEW_ARRAY(arena, invariance_step_t, (size_t)(last - first + 1));
  size_t count = 0;
  for (int64_t value = first; value <= last; value++) {
    invariance_instance_t at = *instance;
    at.count = value;
    at.shift = (value - index + size) % size;
    steps[count].value = value;
    arena_mark_t mark = arena_mark(arena);
    bool is_answered = find_bits(executor, &at, difference, arena, &steps[count].bits);
    arena_rewind(arena, mark);
    if (!is_answered) return 0;
    count++;
  }
  *out_steps = steps;
  return count;
}
