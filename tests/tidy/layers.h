/* SPDX-License-Identifier: Apache-2.0 */
/* The layers, as the picture in ARCHITECTURE.md has them: the test reads what people read. */
#ifndef ASSAY_TESTS_TIDY_LAYERS_H
#define ASSAY_TESTS_TIDY_LAYERS_H

#include <glib.h>
#include <stdbool.h>
#include <string.h>

/* A folder of the picture, which stands for its folders too, unless those are in it; '*' is any. */
typedef struct room {
  char *pattern;
  int level; /* Of its line; that of the lowest line is 0. */
} room_t;

typedef struct layers {
  GArray *rooms; /* Of room_t. */
} layers_t;

static inline void room_clear(gpointer data) { g_free(((room_t *)data)->pattern); }

/* Reads the first block of code below the heading "## Layers...".  In it a line such as
 * "L3  harness/gen  oracles  # what draws" is a layer, and one that begins with blanks goes on with
 * it; what follows " #" is for people. */
static inline layers_t layers_read(const char *document) {
  layers_t layers = {.rooms = g_array_new(FALSE, FALSE, sizeof(room_t))};
  g_array_set_clear_func(layers.rooms, room_clear);
  const char *heading = strstr(document, "\n## Layers");
  const char *begin = heading == NULL ? NULL : strstr(heading, "\n```\n");
  const char *end = begin == NULL ? NULL : strstr(begin + 5, "\n```\n");
  if (end == NULL) return layers;
  g_autofree char *block = g_strndup(begin + 5, (gsize)(end - begin - 5));
  g_auto(GStrv) lines = g_strsplit(block, "\n", -1);
  int level = -1;
  for (char **line = lines; *line != NULL; line++) {
    char *comment = strstr(*line, " #");
    if (comment != NULL) *comment = '\0';
    g_auto(GStrv) words = g_strsplit_set(*line, " ", -1);
    for (char **word = words; *word != NULL; word++) {
      if (**word == '\0') continue;
      if (word == words && **word == 'L') {
        level = (int)g_ascii_strtoll(*word + 1, NULL, 10);
        continue;
      }
      room_t room = {.pattern = g_strdup(*word), .level = level};
      g_array_append_val(layers.rooms, room);
    }
  }
  return layers;
}

static inline void layers_free(layers_t *layers) { g_array_unref(layers->rooms); }

static inline bool room_holds(const room_t *room, const char *path) {
  g_autofree char *below = g_strconcat(room->pattern, "/*", NULL);
  return g_str_equal(room->pattern, path) || g_pattern_match_simple(below, path);
}

/* The room of a file: the one with the longest name; NULL if none holds it. */
static inline const room_t *layers_find(const layers_t *layers, const char *path) {
  const room_t *found = NULL;
  for (guint i = 0; i < layers->rooms->len; i++) {
    const room_t *room = &g_array_index(layers->rooms, room_t, i);
    if (!room_holds(room, path)) continue;
    if (found == NULL || strlen(room->pattern) > strlen(found->pattern)) found = room;
  }
  return found;
}

/* "oracles/ops/F" of a file below it, owned by the caller; NULL of other files. */
static inline char *family_of(const char *path) {
  static const char start[] = "oracles/ops/";
  if (!g_str_has_prefix(path, start)) return NULL;
  const char *slash = strchr(path + strlen(start), '/');
  return slash == NULL ? NULL : g_strndup(path, (gsize)(slash - path));
}

/* The rows of ops know nothing of oracles; but they share the headers of their family, which lie
 * beside its oracle. */
static inline bool is_header_of_family(const char *from, const char *to) {
  g_autofree char *family = family_of(from);
  g_autofree char *other = family_of(to);
  if (family == NULL || other == NULL || !g_str_equal(family, other)) return false;
  return g_str_has_suffix(to, ".h") && strstr(to, "oracle.h") == NULL;
}

static inline bool layers_permit(const layers_t *layers, const char *from, const char *to) {
  const room_t *upper = layers_find(layers, from);
  const room_t *lower = layers_find(layers, to);
  if (upper == NULL || lower == NULL) return false;
  return upper == lower || lower->level < upper->level || is_header_of_family(from, to);
}

#endif
