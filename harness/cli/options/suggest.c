/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the most similar known name by edit distance, with a limit that grows with length; a name
 * that contains the word counts as near. */
#include "harness/cli/options/suggest.h"

#include <glib.h>
#include <string.h>

enum { NAME_BYTES_MAX = 64 };

/* The least number of insertions, deletions and replacements of bytes (Wagner and Fischer 1974). */
static size_t edit_distance(const char *a, const char *b) {
  size_t row[NAME_BYTES_MAX + 1];
  size_t length = strlen(b);
  if (length > NAME_BYTES_MAX) return G_MAXSIZE;
  for (size_t j = 0; j <= length; j++) row[j] = j;
  for (size_t i = 1; a[i - 1] != '\0'; i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= length; j++) {
      size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = MIN(replaced, MIN(row[j], row[j - 1]) + 1);
    }
  }
  return row[length];
}

suggestion_t suggestion_make(const char *wanted) {
  return (suggestion_t){.wanted = wanted, .distance = G_MAXSIZE};
}

void suggestion_offer(suggestion_t *suggestion, const char *name) {
  size_t length = strlen(suggestion->wanted);
  size_t distance = edit_distance(suggestion->wanted, name);
  /* "dot_general" means "stablehlo.dot_general". */
  if (length >= 3 && strstr(name, suggestion->wanted) != NULL) distance = 1;
  if (distance > 1 + length / 3 || distance >= suggestion->distance) return;
  suggestion->nearest = name;
  suggestion->distance = distance;
}

const char *suggestion_print(const suggestion_t *suggestion, const char *otherwise,
                             char out_text[SUGGESTION_BYTES]) {
  if (suggestion->nearest == NULL) {
    g_strlcpy(out_text, otherwise, SUGGESTION_BYTES);
  } else {
    g_snprintf(out_text, SUGGESTION_BYTES, "did you mean '%s'?", suggestion->nearest);
  }
  return out_text;
}
