/* SPDX-License-Identifier: Apache-2.0 */
/* Digest of an executor's results with all NaNs made alike, so that responses compare without
 * being kept. */
#include "harness/run/result_digest.h"

#include <math.h>
#include <string.h>

/* StableHLO does not say which NaN a result is. */
static void copy_with_one_nan(const tensor_t *tensor, uint8_t *out_data) {
  const element_t *element = tensor->type.element;
  memcpy(out_data, tensor->data, type_bytes(&tensor->type));
  if (element->format == NULL || !format_has_nan(element->format)) return;
  uint64_t the_nan = format_from_double(element->format, (double)NAN);
  size_t count = type_component_count(&tensor->type);
  for (size_t i = 0; i < count; i++) {
    if (format_is_nan(element->format, element_load(element, out_data, i))) {
      element_store(element, out_data, i, the_nan);
    }
  }
}

result_digest_t result_digest_make(const program_t *program, const tensor_t *results,
                                   outcome_t outcome, arena_t *arena) {
  size_t bytes = 0;
  for (uint32_t i = 0; i < program->result_count; i++) bytes += type_bytes(&program->results[i]);
  arena_mark_t mark = arena_mark(arena);
  uint8_t *data = ARENA_NEW_ARRAY(arena, uint8_t, bytes);
  uint8_t *next = data;
  for (uint32_t i = 0; i < program->result_count; i++) {
    copy_with_one_nan(&results[i], next);
    next += type_bytes(&program->results[i]);
  }
  result_digest_t response = {
      .has_results = true, .outcome = outcome, .digest = digest_of(data, bytes)};
  arena_rewind(arena, mark);
  return response;
}
