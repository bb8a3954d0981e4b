/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of programs: what is the same but for the length of the sums. */
#include "harness/identify/profile/program_shape.h"

static program_t parse(const char *line, arena_t *arena) {
  program_t program;
  failure_t error = {0};
  if (program_parse(str_from(line), arena, &program, NULL, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  return program;
}

static const struct {
  const char *line;
  const char *shape;
  size_t term_count;
  const char *resized; /* To 7 terms; NULL if there is no such program. */
} ROWS[] = {
    {"stablehlo.reduce body=add dims=[0] f32[64] f32[] -> f32[]",
     "stablehlo.reduce body=add dims=[0] f32[n] f32[] -> f32[]", 64,
     "stablehlo.reduce body=add dims=[0] f32[7] f32[] -> f32[]"},
    {"stablehlo.reduce body=add dims=[1] bf16[4,64,3] bf16[] -> f32[4,3]",
     "stablehlo.reduce body=add dims=[1] bf16[4,n,3] bf16[] -> f32[4,3]", 64,
     "stablehlo.reduce body=add dims=[1] bf16[4,7,3] bf16[] -> f32[4,3]"},
    {"stablehlo.reduce body=add dims=[1,0] f32[4,8] f32[] -> f32[]",
     "stablehlo.reduce body=add dims=[1,0] f32[4,8] f32[] -> f32[]", 32, NULL},
    {"stablehlo.reduce body=add dims=[] f32[4] f32[] -> f32[4]",
     "stablehlo.reduce body=add dims=[] f32[4] f32[] -> f32[4]", 1, NULL},
    {"stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[2,16] f32[16,3] -> f32[2,3]",
     "stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[2,n] f32[n,3] -> f32[2,3]", 16,
     "stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[2,7] f32[7,3] -> f32[2,3]"},
};

static void test_shapes(void) {
  for (size_t i = 0; i < G_N_ELEMENTS(ROWS); i++) {
    arena_t arena;
    arena_init(&arena);
    program_t program = parse(ROWS[i].line, &arena);
    g_autoptr(GString) shape = g_string_new(NULL);
    size_t term_count = 0;
    program_shape_print(&program, shape, &term_count);
    g_assert_cmpstr(shape->str, ==, ROWS[i].shape);
    g_assert_cmpuint(term_count, ==, ROWS[i].term_count);
    program_t resized;
    status_t status = program_shape_resize(&program, 7, &resized, NULL);
    g_assert_cmpint(status, ==, ROWS[i].resized == NULL ? STATUS_UNSUPPORTED : STATUS_OK);
    if (ROWS[i].resized != NULL) {
      g_autoptr(GString) line = g_string_new(NULL);
      program_print(&resized, line);
      g_assert_cmpstr(line->str, ==, ROWS[i].resized);
    }
    g_assert_cmpint(program_shape_resize(&program, term_count, &resized, NULL), ==, STATUS_OK);
    arena_deinit(&arena);
  }
}

static void test_too_large(void) {
  arena_t arena;
  arena_init(&arena);
  program_t program = parse(ROWS[1].line, &arena);
  program_t resized;
  failure_t error = {0};
  g_assert_cmpint(program_shape_resize(&program, 1 << 23, &resized, &error), ==, STATUS_INVALID);
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/program-shape/shapes", test_shapes);
  g_test_add_func("/program-shape/too-large", test_too_large);
  return g_test_run();
}
