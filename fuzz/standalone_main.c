/* SPDX-License-Identifier: Apache-2.0 */
/* The driver where there is no fuzzing engine: runs the target on every file named, and on every
 * file in folders named.  Exit status: 0, or 2 if something cannot be read; a bug crashes. */
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/* What engines bring for custom mutators, which nobody calls here. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size) {
  (void)data;
  return size < max_size ? size : max_size;
}

static bool run_file(const char *path, size_t *inout_count) {
  char *text = NULL;
  gsize size = 0;
  GError *failure = NULL;
  if (!g_file_get_contents(path, &text, &size, &failure)) {
    fprintf(stderr, "%s\n", failure->message);
    g_error_free(failure);
    return false;
  }
  /* A copy that ends where the input ends, so that a byte read beyond is seen. */
  uint8_t *data = malloc(size + (size == 0));
  if (data == NULL) abort();
  memcpy(data, text, size);
  g_free(text);
  LLVMFuzzerTestOneInput(data, size);
  free(data);
  ++*inout_count;
  return true;
}

static bool run_path(const char *path, size_t *inout_count) {
  if (!g_file_test(path, G_FILE_TEST_IS_DIR)) return run_file(path, inout_count);
  GError *failure = NULL;
  GDir *folder = g_dir_open(path, 0, &failure);
  if (folder == NULL) {
    fprintf(stderr, "%s\n", failure->message);
    g_error_free(failure);
    return false;
  }
  bool is_good = true;
  for (const char *name; (name = g_dir_read_name(folder)) != NULL;) {
    char *inner = g_build_filename(path, name, NULL);
    is_good = run_path(inner, inout_count) && is_good;
    g_free(inner);
  }
  g_dir_close(folder);
  return is_good;
}

int main(int argc, char **argv) {
  size_t count = 0;
  bool is_good = argc > 1;
  if (!is_good) fprintf(stderr, "usage: %s FILE|FOLDER...\n", argv[0]);
  for (int i = 1; i < argc; i++) is_good = run_path(argv[i], &count) && is_good;
  printf("%zu inputs\n", count);
  return is_good ? EXIT_SUCCESS : 2;
}
