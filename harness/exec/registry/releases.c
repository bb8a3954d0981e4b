/* SPDX-License-Identifier: Apache-2.0 */
/* Compares versions by PEP 440 and reads the list of them that pip prints. */
#include "harness/exec/registry/releases.h"

#include <string.h>

#include "harness/exec/registry/run_program.h"

enum { NEAREST = 2 }; /* Told of on either side of a version that there is not. */

bool release_is_well_formed(const char *version) {
  static const char bytes[] = "abcdefghijklmnopqrstuvwxyz0123456789.+-_!";
  return g_ascii_isdigit(version[0]) && strspn(version, bytes) == strlen(version);
}

/* The next of the numbers between dots; 0 when there are no more. */
static guint64 take_number(const char **text) {
  if (!g_ascii_isdigit(**text)) return 0;
  char *end = NULL;
  guint64 number = g_ascii_strtoull(*text, &end, 10);
  if (end[0] == '.' && g_ascii_isdigit(end[1])) end++;
  *text = end;
  return number;
}

/* What follows the numbers, by its place: .dev < a < b < rc < nothing < +local < .post. */
static int place_of(const char *rest) {
  rest += strspn(rest, ".-_");
  static const char *const early[] = {"dev", "a", "b", "c", "rc"};
  static const int places[] = {-4, -3, -2, -1, -1};
  for (size_t i = 0; i < G_N_ELEMENTS(early); i++) {
    if (g_str_has_prefix(rest, early[i])) return places[i];
  }
  if (rest[0] == '+') return 1;
  return rest[0] == '\0' ? 0 : 2;
}

bool release_is_early(const char *version) {
  while (g_ascii_isdigit(version[0])) take_number(&version);
  return place_of(version) < 0;
}

int release_compare(const char *a, const char *b) {
  while (g_ascii_isdigit(*a) || g_ascii_isdigit(*b)) {
    guint64 of_a = take_number(&a);
    guint64 of_b = take_number(&b);
    if (of_a != of_b) return of_a < of_b ? -1 : 1;
  }
  int difference = place_of(a) - place_of(b);
  if (difference != 0) return difference;
  while (*a != '\0' && *b != '\0' && (*a == *b || g_ascii_isdigit(*a))) {
    if (g_ascii_isdigit(*a) && g_ascii_isdigit(*b)) {
      guint64 of_a = take_number(&a);
      guint64 of_b = take_number(&b);
      if (of_a != of_b) return of_a < of_b ? -1 : 1;
    } else if (*a == *b) {
      a++, b++;
    } else {
      break;
    }
  }
  return strcmp(a, b);
}

static gint compare_entries(gconstpointer a, gconstpointer b) {
  return release_compare(*(const char *const *)a, *(const char *const *)b);
}

status_t releases_of(const char *python, const char *package, GPtrArray **out_releases,
                     failure_t *error) {
  static const char before[] = "Available versions: ";
  const char *const ask[] = {python,
                             "-m",
                             "pip",
                             "--disable-pip-version-check",
                             "index",
                             "versions",
                             "--only-binary",
                             ":all:",
                             "--pre",
                             package,
                             NULL};
  g_autofree char *text = NULL;
  bool ran = program_run(ask, RUN_READ, &text);
  const char *list = ran && text != NULL ? strstr(text, before) : NULL;
  if (list == NULL) {
    return status_fail(error, STATUS_IO,
                       "pip finds no releases of %s for %s: check the network (`%s -m pip index "
                       "versions %s` says more)",
                       package, python, python, package);
  }
  list += strlen(before);
  g_autofree char *line = g_strndup(list, strcspn(list, "\r\n"));
  g_auto(GStrv) words = g_strsplit(line, ", ", -1);
  *out_releases = g_ptr_array_new_with_free_func(g_free);
  for (char **word = words; *word != NULL; word++) {
    if (release_is_well_formed(*word)) g_ptr_array_add(*out_releases, g_strdup(*word));
  }
  g_ptr_array_sort(*out_releases, compare_entries);
  return STATUS_OK;
}

/* "1.24.3, 1.24.4, 1.25.0, 1.25.1": the ones around the place where it would be. */
static char *list_nearest(const GPtrArray *releases, const char *version) {
  GQueue near = G_QUEUE_INIT;
  GString *text = g_string_new(NULL);
  guint above = 0;
  for (guint i = 0; i < releases->len && above < NEAREST; i++) {
    char *release = releases->pdata[i];
    if (release_is_early(release) && !release_is_early(version)) continue;
    bool is_above = release_compare(release, version) > 0;
    g_queue_push_tail(&near, release);
    above += is_above;
    if (!is_above && g_queue_get_length(&near) > NEAREST) g_queue_pop_head(&near);
  }
  for (GList *link = near.head; link != NULL; link = link->next) {
    g_string_append_printf(text, "%s%s", text->len == 0 ? "" : ", ", (const char *)link->data);
  }
  g_queue_clear(&near);
  return g_string_free(text, FALSE);
}

status_t releases_find(const GPtrArray *releases, const char *package, const char *version,
                       const char **out_release, failure_t *error) {
  for (guint i = 0; i < releases->len; i++) {
    *out_release = releases->pdata[i];
    if (release_compare(*out_release, version) == 0) return STATUS_OK;
  }
  g_autofree char *nearest = list_nearest(releases, version);
  return status_fail(error, STATUS_INVALID,
                     "there is no %s %s for this Python and machine; the nearest are %s", package,
                     version, nearest);
}
