/* SPDX-License-Identifier: Apache-2.0 */
/* Children of entry i are entries 2 i + 1 and 2 i + 2, which are not smaller. */
#include "oracles/exact/closure/unsettled.h"

enum { VALUE_BITS = 16 };

unsettled_t unsettled_make(void) {
  return (unsettled_t){.entries = g_array_new(FALSE, FALSE, sizeof(uint64_t))};
}

void unsettled_free(unsettled_t *unsettled) { g_array_free(unsettled->entries, TRUE); }

void unsettled_clear(unsettled_t *unsettled) { g_array_set_size(unsettled->entries, 0); }

void unsettled_add(unsettled_t *unsettled, uint16_t value, uint32_t number) {
  uint64_t entry = (uint64_t)number << VALUE_BITS | value;
  g_array_append_val(unsettled->entries, entry);
  uint64_t *heap = (uint64_t *)(void *)unsettled->entries->data;
  size_t place = unsettled->entries->len - 1;
  while (place > 0 && heap[(place - 1) / 2] > entry) {
    heap[place] = heap[(place - 1) / 2];
    place = (place - 1) / 2;
  }
  heap[place] = entry;
}

/* Puts an entry where the root is missing. */
static void sink(uint64_t *heap, size_t count, uint64_t entry) {
  size_t place = 0;
  for (size_t child = 1; child < count; child = 2 * place + 1) {
    if (child + 1 < count && heap[child + 1] < heap[child]) child++;
    if (heap[child] >= entry) break;
    heap[place] = heap[child];
    place = child;
  }
  heap[place] = entry;
}

bool unsettled_take_least(unsettled_t *unsettled, uint16_t *out_value, uint32_t *out_number) {
  GArray *entries = unsettled->entries;
  if (entries->len == 0) return false;
  uint64_t *heap = (uint64_t *)(void *)entries->data;
  *out_value = (uint16_t)(heap[0] & UINT16_MAX);
  *out_number = (uint32_t)(heap[0] >> VALUE_BITS);
  uint64_t last = heap[entries->len - 1];
  g_array_set_size(entries, entries->len - 1);
  if (entries->len > 0) sink(heap, entries->len, last);
  return true;
}
