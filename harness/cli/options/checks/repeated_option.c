/* SPDX-License-Identifier: Apache-2.0 */
/* Scans a command line as GOption does, joined and separate values and grouped letters included,
 * to find an option given twice that takes one value. */
#include "harness/cli/options/checks/repeated_option.h"

#include <stdbool.h>
#include <string.h>

static bool takes_value(const GOptionEntry *entry) { return entry->arg != G_OPTION_ARG_NONE; }

static bool may_repeat(const GOptionEntry *entry) {
  return entry->arg == G_OPTION_ARG_NONE || entry->arg == G_OPTION_ARG_STRING_ARRAY ||
         entry->arg == G_OPTION_ARG_FILENAME_ARRAY;
}

/* "--cases", "--cases=5". */
static const GOptionEntry *find_long(const GOptionEntry *entries, guint count, const char *word) {
  size_t size = strcspn(word, "=");
  for (guint i = 0; i < count; i++) {
    const char *name = entries[i].long_name;
    if (strlen(name) == size && strncmp(name, word, size) == 0) return &entries[i];
  }
  return NULL;
}

static const GOptionEntry *find_short(const GOptionEntry *entries, guint count, char letter) {
  for (guint i = 0; i < count; i++) {
    if (entries[i].short_name == letter) return &entries[i];
  }
  return NULL;
}

/* Notes an option; true if it was there before and may not be again. */
static bool note(GHashTable *seen, const GOptionEntry *entry) {
  gpointer key = (gpointer)(guintptr)entry;
  bool is_repeated = g_hash_table_contains(seen, key);
  g_hash_table_add(seen, key);
  return is_repeated && !may_repeat(entry);
}

/* The letters of "-vn5": flags, and at last perhaps an option whose value follows, in this word or
 * in the next one. */
static const GOptionEntry *scan_letters(const GOptionEntry *entries, guint count, const char *word,
                                        GHashTable *seen, bool *out_skips_next) {
  for (const char *letter = word + 1; *letter != '\0'; letter++) {
    const GOptionEntry *entry = find_short(entries, count, *letter);
    if (entry == NULL) return NULL;
    if (note(seen, entry)) return entry;
    if (!takes_value(entry)) continue;
    *out_skips_next = letter[1] == '\0';
    return NULL;
  }
  return NULL;
}

static const GOptionEntry *scan_word(const GOptionEntry *entries, guint count, const char *word,
                                     GHashTable *seen, bool *out_skips_next) {
  if (word[1] != '-') return scan_letters(entries, count, word, seen, out_skips_next);
  const GOptionEntry *entry = find_long(entries, count, word + 2);
  if (entry == NULL) return NULL;
  *out_skips_next = takes_value(entry) && strchr(word, '=') == NULL;
  return note(seen, entry) ? entry : NULL;
}

const GOptionEntry *repeated_option_find(const GOptionEntry *entries, guint count, int argc,
                                         char *const *argv) {
  GHashTable *seen = g_hash_table_new(g_direct_hash, g_direct_equal);
  const GOptionEntry *repeated = NULL;
  for (int i = 1; i < argc && repeated == NULL && strcmp(argv[i], "--") != 0; i++) {
    if (argv[i][0] != '-' || argv[i][1] == '\0') continue;
    bool skips_next = false;
    repeated = scan_word(entries, count, argv[i], seen, &skips_next);
    i += skips_next;
  }
  g_hash_table_unref(seen);
  return repeated;
}
