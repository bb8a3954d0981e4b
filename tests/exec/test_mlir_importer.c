/* SPDX-License-Identifier: Apache-2.0 */
/* The conversation with the process that reads MLIR, with other processes in its place: one that
 * writes more than a pipe holds, one that never answers, one that ends, and such that answer
 * wrongly. The environment is that of executor xla: without it these tests are skipped. */
#include <glib/gstdio.h>

#include "tests/exec/mlir_import_test.h"

static const char module[] = "module {}\n";

/* A folder as that of the workers, with another program in place of the reader; owned by the
 * caller. */
static char *make_workers(const char *program) {
  char *folder = g_dir_make_tmp("assay-XXXXXX", NULL);
  g_assert_nonnull(folder);
  g_autofree char *lists =
      g_build_filename(ASSAY_SOURCE_DIR, "harness", "exec", "workers", "requirements", NULL);
  g_autofree char *lists_copy = g_build_filename(folder, "requirements", NULL);
  g_autofree char *reader = g_build_filename(folder, "mlir_import", NULL);
  g_autofree char *script = g_build_filename(reader, "main.py", NULL);
  g_autofree char *text = g_strdup_printf("import sys, time\n%s", program);
  g_assert_cmpint(symlink(lists, lists_copy), ==, 0);
  g_assert_cmpint(g_mkdir(reader, 0700), ==, 0);
  g_assert_true(g_file_set_contents(script, text, -1, NULL));
  return folder;
}

static void remove_workers(char *folder) {
  static const char *const parts[] = {"requirements", "mlir_import/main.py", "mlir_import", ""};
  for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
    g_autofree char *path = g_build_filename(folder, parts[i], NULL);
    g_assert_cmpint(g_remove(path), ==, 0);
  }
  g_free(folder);
}

/* What a reader of that text gives of a module, within 300 ms. */
static status_t ask_program(const char *program, mlir_graph_t *out_graph, failure_t *error) {
  char *folder = make_workers(program);
  mlir_importer_t *other;
  status_t status = mlir_importer_open(folder, &other, error);
  if (status == STATUS_OK) {
    mlir_importer_set_limit(other, 300);
    status = mlir_importer_read(other, str_from(module), true, out_graph, error);
    if (status != STATUS_OK) { /* What is asked afterwards has an answer too. */
      failure_t again = {0};
      g_assert_cmpint(mlir_importer_read(other, str_from(module), true, out_graph, &again), ==,
                      STATUS_IO);
      g_assert_nonnull(strstr(again.text, "has ended before"));
    }
    mlir_importer_close(other);
  }
  remove_workers(folder);
  return status;
}

static void expect_failure(const char *program, status_t wanted, const char *words) {
  if (skips()) return;
  mlir_graph_t graph;
  failure_t error = {0};
  g_assert_cmpint(ask_program(program, &graph, &error), ==, wanted);
  if (strstr(error.text, words) == NULL) g_error("'%s' says nothing of '%s'", error.text, words);
}

/* More than any pipe holds, before the answer. */
static void test_talkative(void) {
  if (skips()) return;
  mlir_graph_t graph;
  failure_t error = {0};
  status_t status = ask_program(
      "print('reader 1', flush=True)\n"
      "sys.stdin.readline()\n"
      "sys.stderr.write('a word of it\\n' * 100000)\n"
      "sys.stderr.flush()\n"
      "print('graph 1 5\\n1:1: a note\\ntext', flush=True)\n"
      "sys.stdin.read()\n",
      &graph, &error);
  g_assert_cmpint(status, ==, STATUS_OK);
  g_assert_cmpstr(graph.text, ==, "text\n");
  g_assert_cmpstr(graph.notes[0], ==, "1:1: a note");
  mlir_graph_free(&graph);
}

static void test_late(void) {
  expect_failure("print('reader 1', flush=True)\ntime.sleep(60)\n", STATUS_INVALID,
                 "gave no answer within 0 s (it says nothing)");
}

/* One that answers, and not all of it. */
static void test_cut_off(void) {
  expect_failure(
      "print('reader 1', flush=True)\nprint('graph 0 10\\ntext', flush=True)\n"
      "time.sleep(60)\n",
      STATUS_INVALID, "gave no answer");
}

static void test_ended(void) {
  expect_failure("print('reader 1', flush=True)\nsys.stdin.readline()\nsys.exit('a\\nno memory')\n",
                 STATUS_IO, "ended (exit status 1): no memory");
}

static void test_garbage(void) {
  expect_failure("print('reader 1\\nhello', flush=True)\nsys.stdin.read()\n", STATUS_IO,
                 "answers \"hello\"");
}

static void test_no_start(void) {
  expect_failure("sys.exit('no such library')\n", STATUS_IO, "no such library");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  open_importer();
  g_test_add_func("/mlir-importer/talkative", test_talkative);
  g_test_add_func("/mlir-importer/late", test_late);
  g_test_add_func("/mlir-importer/cut-off", test_cut_off);
  g_test_add_func("/mlir-importer/ended", test_ended);
  g_test_add_func("/mlir-importer/garbage", test_garbage);
  g_test_add_func("/mlir-importer/no-start", test_no_start);
  int result = g_test_run();
  mlir_importer_close(importer);
  return result;
}
