/* SPDX-License-Identifier: Apache-2.0 */
/* Makes unique names within a length limit: the body is cut, a number is appended, and the next
 * free number per name is remembered. */
#include "harness/quant/graph/unique_name.h"

#include <stdint.h>
#include <string.h>

GHashTable *unique_names_begin(void) { return g_hash_table_new(g_str_hash, g_str_equal); }

void unique_names_take(GHashTable *names, const char *name) {
  g_hash_table_insert(names, (gpointer)(uintptr_t)name, NULL);
}

static void spell(GString *name, const char *head, const char *body, const char *tail,
                  uint32_t number, size_t bytes_max) {
  g_string_assign(name, tail);
  if (number > 1) g_string_append_printf(name, ".%u", number);
  size_t taken = strlen(head) + name->len;
  size_t room = taken < bytes_max ? bytes_max - taken : 0;
  g_string_prepend_len(name, body, (gssize)MIN(room, strlen(body)));
  g_string_prepend(name, head);
}

const char *unique_name(GHashTable *names, const char *head, const char *body, const char *tail,
                        size_t bytes_max, arena_t *arena) {
  g_autoptr(GString) name = g_string_new(NULL);
  spell(name, head, body, tail, 1, bytes_max);
  gpointer first, next;
  if (g_hash_table_lookup_extended(names, name->str, &first, &next)) {
    uint32_t number = MAX(GPOINTER_TO_UINT(next), 2U);
    do {
      spell(name, head, body, tail, number++, bytes_max);
    } while (g_hash_table_contains(names, name->str));
    g_hash_table_insert(names, first, GUINT_TO_POINTER(number));
  }
  const char *kept = arena_copy_text(arena, name->str, name->len);
  unique_names_take(names, kept);
  return kept;
}
