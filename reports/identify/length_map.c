/* SPDX-License-Identifier: Apache-2.0 */
/* How the order of a sum depends on its length, as lines and as JSON. */
#include "reports/identify/length_map.h"

#include <stdio.h>
#include <string.h>

#include "reports/verdict/describe.h"

void length_map_print(const executor_t *executor, const char *shape, const order_by_length_t *map) {
  printf("%s %s\n", executor_name(executor), shape);
  for (guint i = 0; i < map->entries->len; i++) {
    const length_entry_t *entry = g_ptr_array_index(map->entries, i);
    if (entry->low == entry->high) {
      printf("  n = %zu: %s\n", entry->low, entry->words);
    } else {
      printf("  n = %zu .. %zu: %s (checked at %zu lengths)\n", entry->low, entry->high,
             entry->words, entry->checked);
    }
    if (entry->rule[0] != '\0') {
      printf("    rule: %.*s\n", (int)strcspn(entry->rule, " "), entry->rule);
    }
  }
  printf("  calls: %zu\n", map->calls);
}

void length_map_print_json(const executor_t *executor, const char *shape,
                           const order_by_length_t *map) {
  json_t *entries = json_array();
  for (guint i = 0; i < map->entries->len; i++) {
    const length_entry_t *entry = g_ptr_array_index(map->entries, i);
    json_t *object =
        json_pack("{s:I, s:I, s:b, s:s, s:s, s:I}", "low", (json_int_t)entry->low, "high",
                  (json_int_t)entry->high, "identified", entry->text != NULL, "words", entry->words,
                  "rule", entry->rule, "lengths_checked", (json_int_t)entry->checked);
    if (entry->text != NULL) json_object_set_new(object, "profile", json_string(entry->text));
    json_array_append_new(entries, object);
  }
  json_print(json_pack("{s:s, s:s, s:s, s:I, s:o}", "executor", executor_name(executor), "version",
                       executor_version(executor), "shape", shape, "calls", (json_int_t)map->calls,
                       "map", entries),
             false);
}
