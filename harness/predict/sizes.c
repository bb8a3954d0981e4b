/* SPDX-License-Identifier: Apache-2.0 */
/* Sorted list of sum lengths with counts of kept and changed predictions, and the range of lengths
 * in which predictions changed. */
#include "harness/predict/sizes.h"

#include <inttypes.h>

prediction_sizes_t prediction_sizes_make(void) {
  return (prediction_sizes_t){.sizes = g_array_new(FALSE, FALSE, sizeof(prediction_size_t))};
}

void prediction_sizes_free(prediction_sizes_t *sizes) { g_array_unref(sizes->sizes); }

/* The place of a length, present or not. */
static guint find_place(const GArray *sizes, uint64_t term_count) {
  guint low = 0;
  guint high = sizes->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    bool is_below = g_array_index(sizes, prediction_size_t, middle).term_count < term_count;
    if (is_below) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

void prediction_sizes_add(prediction_sizes_t *sizes, uint64_t term_count, bool is_changed) {
  guint place = find_place(sizes->sizes, term_count);
  bool is_known = place < sizes->sizes->len &&
                  g_array_index(sizes->sizes, prediction_size_t, place).term_count == term_count;
  if (!is_known) {
    const prediction_size_t size = {.term_count = term_count};
    g_array_insert_val(sizes->sizes, place, size);
  }
  prediction_size_t *size = &g_array_index(sizes->sizes, prediction_size_t, place);
  size->cases++;
  size->changed += is_changed;
  sizes->cases++;
  sizes->changed += is_changed;
}

bool prediction_sizes_change(const prediction_sizes_t *sizes, prediction_change_t *out_change) {
  guint first = sizes->sizes->len;
  guint last = 0;
  *out_change = (prediction_change_t){0};
  for (guint i = 0; i < sizes->sizes->len; i++) {
    if (g_array_index(sizes->sizes, prediction_size_t, i).changed == 0) continue;
    first = MIN(first, i);
    last = i;
    out_change->sizes_changed++;
  }
  if (out_change->sizes_changed == 0) return false;
  const prediction_size_t *all = &g_array_index(sizes->sizes, prediction_size_t, 0);
  out_change->low = all[first].term_count;
  out_change->high = all[last].term_count;
  out_change->sizes_drawn = last - first + 1;
  out_change->has_before = first > 0;
  if (first > 0) out_change->before = all[first - 1].term_count;
  out_change->has_after = last + 1 < sizes->sizes->len;
  if (out_change->has_after) out_change->after = all[last + 1].term_count;
  return true;
}

void prediction_change_print(const prediction_change_t *change, GString *out_text) {
  if (change->low == change->high) {
    g_string_append_printf(out_text, "n = %" PRIu64, change->low);
  } else {
    g_string_append_printf(out_text, "n = %" PRIu64 " .. %" PRIu64, change->low, change->high);
  }
  if (change->sizes_changed == change->sizes_drawn) {
    g_string_append_printf(out_text, " (all %" PRIu64 " lengths drawn there)", change->sizes_drawn);
  } else {
    g_string_append_printf(out_text, " (%" PRIu64 " of %" PRIu64 " lengths drawn there)",
                           change->sizes_changed, change->sizes_drawn);
  }
  if (change->has_before) {
    g_string_append_printf(out_text, ", as predicted up to n = %" PRIu64, change->before);
  }
  if (change->has_after) {
    g_string_append_printf(out_text, ", as predicted from n = %" PRIu64 " on", change->after);
  }
}
