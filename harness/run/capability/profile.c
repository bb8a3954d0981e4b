/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the lines of profiles, and matches ops and lists of element types by their wildcards. */
#include "harness/run/capability/profile.h"

#include <glib.h>
#include <string.h>

typedef struct rule {
  bool takes_away;
  char *op;
  char **types; /* Ended by NULL; one at least. */
} rule_t;

struct profile {
  GArray *rules; /* rule_t. */
};

static void rule_clear(gpointer pointer) {
  rule_t *rule = (rule_t *)pointer;
  g_free(rule->op);
  g_strfreev(rule->types);
}

void profile_free(profile_t *profile) {
  if (profile == NULL) return;
  g_array_unref(profile->rules);
  g_free(profile);
}

/* ---- Reading --------------------------------------------------------------------------------- */

static status_t add_line(profile_t *profile, const char *place, char *line, failure_t *error) {
  line[strcspn(line, "#")] = '\0';
  g_auto(GStrv) words = g_strsplit_set(g_strstrip(line), " \t\r", -1);
  g_autoptr(GStrvBuilder) kept = g_strv_builder_new();
  guint count = 0;
  for (char **word = words; *word != NULL; word++) {
    if ((*word)[0] == '\0') continue;
    g_strv_builder_add(kept, *word);
    count++;
  }
  if (count == 0) return STATUS_OK;
  g_auto(GStrv) rest = g_strv_builder_end(kept);
  bool takes_away = strcmp(rest[0], "-") == 0;
  if (count < (takes_away ? 3u : 2u)) {
    return status_fail(error, STATUS_INVALID,
                       "%s: write an op and its element types, as in `NAME f32 bf16`, or "
                       "`stablehlo.* *`",
                       place);
  }
  char **first = rest + (takes_away ? 1 : 0);
  const rule_t rule = {
      .takes_away = takes_away, .op = g_strdup(first[0]), .types = g_strdupv(first + 1)};
  g_array_append_val(profile->rules, rule);
  return STATUS_OK;
}

static status_t read_file(profile_t *profile, const char *path, failure_t *error) {
  g_autofree char *text = NULL;
  g_autoptr(GError) failure = NULL;
  gsize size;
  if (!g_file_get_contents(path, &text, &size, &failure)) {
    return status_fail(error, STATUS_IO, "cannot read the profile: %s", failure->message);
  }
  if (strlen(text) != size || !g_utf8_validate(text, -1, NULL)) {
    return status_fail(error, STATUS_INVALID, "%s: a profile is text in UTF-8", path);
  }
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++) {
    g_autofree char *place = g_strdup_printf("%s:%u", path, i + 1);
    STATUS_TRY(add_line(profile, place, lines[i], error));
  }
  return STATUS_OK;
}

static gint compare_names(gconstpointer a, gconstpointer b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static status_t read_folder(profile_t *profile, const char *path, failure_t *error) {
  g_autoptr(GError) failure = NULL;
  GDir *folder = g_dir_open(path, 0, &failure);
  if (folder == NULL) {
    return status_fail(error, STATUS_IO, "cannot read the profile: %s", failure->message);
  }
  g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
  for (const char *name; (name = g_dir_read_name(folder)) != NULL;) {
    if (!g_str_has_suffix(name, ".profile")) continue;
    g_ptr_array_add(paths, g_build_filename(path, name, NULL));
  }
  g_dir_close(folder);
  g_ptr_array_sort(paths, compare_names);
  for (guint i = 0; i < paths->len; i++) {
    STATUS_TRY(read_file(profile, (const char *)g_ptr_array_index(paths, i), error));
  }
  return STATUS_OK;
}

status_t profile_read(const char *path, profile_t **out_profile, failure_t *error) {
  profile_t *profile = g_new0(profile_t, 1);
  profile->rules = g_array_new(FALSE, FALSE, sizeof(rule_t));
  g_array_set_clear_func(profile->rules, rule_clear);
  status_t status = g_file_test(path, G_FILE_TEST_IS_DIR) ? read_folder(profile, path, error)
                                                          : read_file(profile, path, error);
  if (status == STATUS_OK && profile->rules->len == 0) {
    status = status_fail(error, STATUS_INVALID,
                         "%s: no op is in this profile; write lines such as `stablehlo.* *`", path);
  }
  if (status != STATUS_OK) {
    profile_free(profile);
    return status;
  }
  *out_profile = profile;
  return STATUS_OK;
}

/* ---- Matching -------------------------------------------------------------------------------- */

static bool is_one_of(const char *element, char *const *patterns) {
  for (char *const *pattern = patterns; *pattern != NULL; pattern++) {
    if (strstr(*pattern, "->") == NULL && g_pattern_match_simple(*pattern, element)) return true;
  }
  return false;
}

/* What separates element types stands outside of < and >. */
static bool has_all_elements(const rule_t *rule, const char *types) {
  g_autoptr(GString) element = g_string_new(NULL);
  int depth = 0;
  for (const char *at = types;; at++) {
    bool is_arrow = depth == 0 && strncmp(at, "->", 2) == 0;
    if (depth == 0 && (*at == ',' || *at == '\0' || is_arrow)) {
      if (element->len > 0 && !is_one_of(element->str, rule->types)) return false;
      g_string_truncate(element, 0);
      if (*at == '\0') return true;
      at += is_arrow;
      continue;
    }
    if (*at == '\0') return false;
    depth += (*at == '<') - (*at == '>');
    g_string_append_c(element, *at);
  }
}

static bool has_types(const rule_t *rule, const char *types) {
  for (char **pattern = rule->types; *pattern != NULL; pattern++) {
    if (strstr(*pattern, "->") != NULL && g_pattern_match_simple(*pattern, types)) return true;
  }
  return has_all_elements(rule, types);
}

bool profile_has(const profile_t *profile, const char *op, const char *types) {
  if (profile == NULL) return true;
  bool has = false;
  for (guint i = 0; i < profile->rules->len; i++) {
    const rule_t *rule = &g_array_index(profile->rules, rule_t, i);
    if (has != rule->takes_away || !g_pattern_match_simple(rule->op, op)) continue;
    if (has_types(rule, types)) has = !rule->takes_away;
  }
  return has;
}

bool profile_names(const profile_t *profile, const char *op) {
  if (profile == NULL) return true;
  for (guint i = 0; i < profile->rules->len; i++) {
    const rule_t *rule = &g_array_index(profile->rules, rule_t, i);
    if (!rule->takes_away && g_pattern_match_simple(rule->op, op)) return true;
  }
  return false;
}
