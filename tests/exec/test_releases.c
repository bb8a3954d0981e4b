/* SPDX-License-Identifier: Apache-2.0 */
/* Versions compared by PEP 440, and the nearest of those that there are; Pythons by version. */
#include <glib.h>
#include <string.h>

#include "harness/exec/registry/releases.h"
#include "harness/exec/registry/versions.h"

static void test_order(void) {
  static const char *const ascending[] = {"0.9",    "1.0.dev1", "1.0a2", "1.0b1",      "1.0rc1",
                                          "1.0",    "1.0+cpu",  "1.0.1", "1.2.dev2",   "1.2.dev10",
                                          "1.2rc1", "1.9",      "1.10",  "1.10.post1", "2026.1.0"};
  for (size_t a = 0; a < G_N_ELEMENTS(ascending); a++) {
    for (size_t b = 0; b < G_N_ELEMENTS(ascending); b++) {
      int order = release_compare(ascending[a], ascending[b]);
      g_assert_cmpint((order > 0) - (order < 0), ==, (a > b) - (a < b));
    }
  }
  g_assert_cmpint(release_compare("1.24", "1.24.0"), ==, 0);
  g_assert_cmpint(release_compare("1.24.0", "1.24"), ==, 0);
}

static void test_texts(void) {
  g_assert_true(release_is_early("1.2rc1") && release_is_early("1.2.dev3"));
  g_assert_false(release_is_early("1.2") || release_is_early("1.2+cpu") ||
                 release_is_early("1.2.post1"));
  g_assert_true(release_is_well_formed("2.13.0+cpu"));
  g_assert_false(release_is_well_formed("") || release_is_well_formed("latest") ||
                 release_is_well_formed("1/../2") || release_is_well_formed("1 2"));
}

static void test_find(void) {
  static const char *const there[] = {"1.0", "1.1", "1.2rc1", "1.2", "1.3"};
  g_autoptr(GPtrArray) releases = g_ptr_array_new_with_free_func(g_free);
  for (size_t i = 0; i < G_N_ELEMENTS(there); i++) g_ptr_array_add(releases, g_strdup(there[i]));
  const char *release = NULL;
  failure_t error = {0};
  g_assert_cmpint(releases_find(releases, "x", "1.1.0", &release, &error), ==, STATUS_OK);
  g_assert_cmpstr(release, ==, "1.1");
  g_assert_cmpint(releases_find(releases, "x", "1.1.5", &release, &error), ==, STATUS_INVALID);
  g_assert_cmpstr(error.text, ==,
                  "there is no x 1.1.5 for this Python and machine; the nearest are 1.0, 1.1, 1.2, "
                  "1.3");
  g_assert_cmpint(releases_find(releases, "x", "7", &release, &error), ==, STATUS_INVALID);
  g_assert_true(g_str_has_suffix(error.text, "the nearest are 1.2, 1.3"));
}

static void test_names(void) {
  g_autoptr(worker_t) locked = worker_parse("xla?x", 3);
  g_assert_null(locked->version);
  g_assert_cmpstr(locked->environment, ==, "jax");
  g_autoptr(worker_t) release = worker_parse("xla@0.9.0?x", 9);
  g_assert_cmpstr(release->name, ==, "xla");
  g_assert_cmpstr(release->version, ==, "0.9.0");
  g_assert_cmpstr(release->environment, ==, "jax@0.9.0");
  static const char *const bad[] = {"xla@", "xla==", "xla@../x", "nobody@1", "xla=1"};
  for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
    g_assert_null(worker_parse(bad[i], strlen(bad[i])));
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/releases/order", test_order);
  g_test_add_func("/releases/texts", test_texts);
  g_test_add_func("/releases/find", test_find);
  g_test_add_func("/releases/names", test_names);
  return g_test_run();
}
