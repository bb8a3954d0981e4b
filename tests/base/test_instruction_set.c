/* SPDX-License-Identifier: Apache-2.0 */
/* ASSAY_ISA: what it may be, and what else is told.  Looked up once a process, so each in one of
 * its own. */
#include "harness/base/instruction_set.h"

#include <glib.h>
#include <string.h>

static void set(const char *value) { g_setenv("ASSAY_ISA", value, TRUE); }

static void test_names(void) {
  for (int i = 0; i < ISA_COUNT; i++) {
    failure_t error = {0};
    set(instruction_set_name((instruction_set_t)i));
    bool is_there = machine_has((instruction_set_t)i);
    g_assert_cmpint(instruction_set_check(&error), ==, is_there ? STATUS_OK : STATUS_INVALID);
    if (!is_there) g_assert_nonnull(strstr(error.text, "this machine has no"));
  }
  set("sse9");
  failure_t error = {0};
  g_assert_cmpint(instruction_set_check(&error), ==, STATUS_INVALID);
  g_assert_nonnull(strstr(error.text, "'sse9' (ASSAY_ISA); write plain, avx2 or avx512"));
  set("");
  g_assert_cmpint(instruction_set_check(&error), ==, STATUS_OK);
}

static void test_chosen(gconstpointer value) {
  if (g_test_subprocess()) {
    set(value);
    g_print("%s\n", instruction_set_name(instruction_set()));
    set("plain");
    g_print("%s\n", instruction_set_name(instruction_set())); /* Looked up once. */
    return;
  }
  g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_passed();
  g_autofree char *both = g_strdup_printf("*%s\n%s\n*", (const char *)value, (const char *)value);
  g_test_trap_assert_stdout(both);
}

static void test_bad(void) {
  if (g_test_subprocess()) {
    set("left");
    instruction_set();
    return;
  }
  g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_failed();
  g_test_trap_assert_stderr("*bad value 'left' (ASSAY_ISA)*");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/instruction_set/names", test_names);
  for (int i = 0; i < ISA_COUNT; i++) {
    const char *name = instruction_set_name((instruction_set_t)i);
    if (!machine_has((instruction_set_t)i)) continue;
    g_autofree char *path = g_strdup_printf("/instruction_set/chosen/%s", name);
    g_test_add_data_func(path, name, test_chosen);
  }
  g_test_add_func("/instruction_set/bad", test_bad);
  return g_test_run();
}
