/* SPDX-License-Identifier: Apache-2.0 */
/* A worker in C, in one file and without any header of Assay: sums of f32 over all dimensions,
 * stablehlo.reduce body=add f32[...] f32[] -> f32[].  The protocol is in worker.md.
 *
 *   cc -O2 -o example_worker example_worker.c
 *   assay run --op stablehlo.reduce --executor proc:./example_worker --cases 1000 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char greeting[] =
    "assay-worker 1\nname example-c\nversion 1\nhardware one accumulator\nmlir no\npromises yes\n"
    "ready\n";

static void answer(const char *line) {
  fputs(line, stdout);
  fflush(stdout);
}

/* Whether it is a sum of one f32 tensor into one f32: types are all that is looked at, and that
 * every operand and result but the first is a scalar. */
static bool is_supported(const char *program) {
  static const char op[] = "stablehlo.reduce body=add dims=[";
  if (strncmp(program, op, sizeof op - 1) != 0) return false;
  const char *types = strchr(program + sizeof op - 1, ' ');
  if (types == NULL || strncmp(types, " f32[", 5) != 0) return false;
  const char *after_first = strchr(types + 1, ' ');
  return after_first != NULL && strcmp(after_first, " f32[] -> f32[]") == 0;
}

/* The input comes first, then the initial value. */
static void execute(uint64_t bytes) {
  float *operands = malloc(bytes);
  size_t count = bytes / sizeof *operands;
  if (operands == NULL || count == 0 || fread(operands, 1, bytes, stdin) != bytes) exit(1);
  float sum = operands[count - 1];
  for (size_t i = 0; i + 1 < count; i++) sum += operands[i];
  free(operands);
  printf("ok %zu\n", sizeof sum);
  fwrite(&sum, sizeof sum, 1, stdout);
  fflush(stdout);
}

static void serve(const char *line) {
  uint64_t id;
  uint64_t bytes;
  int used = 0;
  if (sscanf(line, "promises %" SCNu64 " %n", &bytes, &used) == 1) {
    answer(is_supported(line + used) ? "yes\n" : "no\n");
  } else if (sscanf(line, "compile %" SCNu64 " %" SCNu64 " %n", &id, &bytes, &used) == 2) {
    answer(is_supported(line + used) ? "ok loop\n" : "unsupported only sums of f32 to a scalar\n");
  } else if (sscanf(line, "execute %" SCNu64 " %" SCNu64, &id, &bytes) == 2) {
    execute(bytes); /* All that it compiles is the same loop: the id tells it nothing. */
  } else if (sscanf(line, "release %" SCNu64, &id) != 1) {
    answer("failed no such verb\n");
  }
}

int main(void) {
  char *line = NULL;
  size_t capacity = 0;
  ssize_t size;
  answer(greeting);
  while ((size = getline(&line, &capacity, stdin)) > 0) {
    line[size - 1] = '\0'; /* The newline. */
    serve(line);
  }
  free(line);
  return 0;
}
