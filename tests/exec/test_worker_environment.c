/* SPDX-License-Identifier: Apache-2.0 */
/* What a worker gets of our environment, and what we take of its words. */
#include "harness/base/plain_text.h"
#include "harness/exec/registry/environment.h"
#include "tests/exec/exec_checks.h"

static const struct name_row {
  const char *name;
  const char *more; /* ASSAY_WORKER_ENV, or NULL. */
  bool passes;
} name_rows[] = {
    {"PATH", NULL, true},
    {"HOME", NULL, true},
    {"LC_ALL", NULL, true},
    {"PYTHONPATH", NULL, true},
    {"CUDA_VISIBLE_DEVICES", NULL, true},
    {"OMP_NUM_THREADS", NULL, true},
    {"XLA_FLAGS", NULL, true},
    {"ONEDNN_VERBOSE", NULL, true},
    {"LD_LIBRARY_PATH", NULL, true},
    {"ASSAY_ISA", NULL, true},
    {"AWS_SECRET_ACCESS_KEY", NULL, false},
    {"AWS_PROFILE", NULL, false},
    {"GITHUB_TOKEN", NULL, false},
    {"GITHUB_WORKSPACE", NULL, false},
    {"ACTIONS_RUNTIME_TOKEN", NULL, false},
    {"DATABASE_URL", NULL, false},
    {"SSH_AUTH_SOCK", NULL, false},
    {"http_proxy", NULL, false},
    {"JAX_SERVICE_TOKEN", NULL, false},
    {"ASSAY_API_KEY", NULL, false},
    {"MODEL_DIR", NULL, false},
    {"MODEL_DIR", "MODEL_DIR", true},
    {"MODEL_DIR", "OTHER, MODEL_*", true},
    {"MODEL_DIR", "MODEL", false},
    {"HF_TOKEN", "HF_*", false},
    {"HF_TOKEN", "HF_HOME HF_TOKEN", true},
    {"HF_HOME", "*", true},
};

static void test_names(void) {
  for (size_t i = 0; i < G_N_ELEMENTS(name_rows); i++) {
    const struct name_row *row = &name_rows[i];
    if (worker_environment_passes(row->name, row->more) != row->passes) {
      g_error("%s with %s", row->name, row->more);
    }
  }
}

/* The version of a worker that prints what `command` prints; the caller frees it. */
static char *version_from(const char *command) {
  g_autofree char *name = g_strdup_printf(
      "proc:echo assay-worker 1; echo name x; printf 'version '; %s; echo; echo ready; cat",
      command);
  const executor_options_t options = {.timeout_ms = 0};
  executor_t *executor = NULL;
  failure_t error;
  if (executor_open(name, &options, &executor, &error) != STATUS_OK) g_error("%s", error.text);
  char *version = g_strdup(executor_version(executor));
  executor_close(executor);
  return version;
}

static void test_a_worker_sees(void) {
  static const char command[] =
      "printf '%s' \"<$TEST_TOKEN|$TEST_PLAIN|$OMP_NUM_THREADS|${PATH:+path}>\"";
  g_setenv("TEST_TOKEN", "secret", TRUE);
  g_setenv("TEST_PLAIN", "plain", TRUE);
  g_setenv("OMP_NUM_THREADS", "3", TRUE);
  g_autofree char *little = version_from(command);
  g_assert_cmpstr(little, ==, "x <||3|path>");
  g_setenv("ASSAY_WORKER_ENV", "TEST_*", TRUE);
  g_autofree char *more = version_from(command);
  g_assert_cmpstr(more, ==, "x <|plain|3|path>");
  g_setenv("ASSAY_WORKER_ENV", "TEST_TOKEN", TRUE);
  g_autofree char *all = version_from(command);
  g_assert_cmpstr(all, ==, "x <secret||3|path>");
  g_unsetenv("ASSAY_WORKER_ENV");
}

/* Whatever a worker says of itself is plain text. */
static void test_words_are_plain(void) {
  g_autofree char *version = version_from("printf '1\\033[31m\\377\\342\\200\\256'");
  g_assert_cmpstr(version, ==, "x 1\\x1b[31m\\xff\\u202e");
  static const char *const failing[] = {
      "proc:echo assay-worker 1; printf 'failed \\033]0;owned\\007\\377\\n'",
      "proc:printf '\\033]0;owned\\007\\377' >&2; exit 3",
      "proc:printf '\\033]0;owned\\007\\377\\n'; sleep 5",
  };
  for (size_t i = 0; i < G_N_ELEMENTS(failing); i++) {
    const executor_options_t options = {.timeout_ms = 0};
    executor_t *executor = NULL;
    failure_t error;
    g_assert_cmpint(executor_open(failing[i], &options, &executor, &error), ==, STATUS_IO);
    check_text_contains(error.text, "\\x1b]0;owned\\x07\\xff");
    g_assert_true(plain_text_is(error.text));
  }
}

static void test_backend_words_are_plain(gconstpointer isolate) {
  executor_t *executor = check_open("faulty", "name:says:a\033[31mb\377", isolate != NULL, 0);
  g_assert_cmpstr(executor_version(executor), ==, "a\\x1b[31mb\\xff 1.5");
  executor_close(executor);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/worker_environment/names", test_names);
  g_test_add_func("/worker_environment/a_worker_sees", test_a_worker_sees);
  g_test_add_func("/worker_environment/words_are_plain", test_words_are_plain);
  g_test_add_data_func("/worker_environment/backend_words", NULL, test_backend_words_are_plain);
  g_test_add_data_func("/worker_environment/isolated_backend_words", "isolate",
                       test_backend_words_are_plain);
  return g_test_run();
}
