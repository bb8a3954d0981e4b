/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes that are unknown when a program is compiled: what a line says of them, for every op that
 * tells its axes, what they are where axes change, and lines without sizes. */
#include "harness/model/dynamic/dynamic.h"

#include <string.h>

#include "harness/model/op.h"

enum { PROGRAMS = 200 };

/* The program without its question marks, which is another one to who compiles it. */
static void check_static(const program_t *program, const char *line) {
  program_t without = *program;
  dynamic_clear(&without);
  g_assert_false(program_is_dynamic(&without));
  g_autoptr(GString) text = g_string_new(NULL);
  program_print(&without, text);
  g_autofree char **parts = g_strsplit(line, "?", -1);
  g_autofree char *joined = g_strjoinv("", parts);
  for (char **part = parts; *part != NULL; part++) g_free(*part);
  g_assert_cmpstr(text->str, ==, joined);
  g_assert_cmpstr(program_hash(&without).text, !=, program_hash(program).text);
}

/* At another size of the axis: the same to who compiles it. */
static bool check_other_size(const program_t *program, uint32_t axis, arena_t *arena) {
  axes_t axes;
  program_t other;
  g_assert_true(axes_of(program, &axes));
  program_t same; /* Axes from the end are counted from the front by then. */
  g_assert_true(axes_program(program, &axes, arena, &same));
  axes.items[axis].size += 1;
  if (!axes_program(program, &axes, arena, &other)) return false;
  g_assert_true(dynamic_fits(&other));
  g_assert_cmpstr(program_hash(&other).text, ==, program_hash(&same).text);
  return true;
}

/* Every axis of a program; returns how many could be unknown. */
static int check_program(const program_t *program, arena_t *arena, int *inout_resized) {
  axes_t axes;
  int marked = 0;
  if (!axes_of(program, &axes)) return 0;
  for (uint32_t axis = 0; axis < axes.count; axis++) {
    program_t dynamic = *program;
    if (!dynamic_mark(&dynamic, 1u << axis) || !program_is_dynamic(&dynamic)) continue;
    marked++;
    g_autoptr(GString) line = g_string_new(NULL);
    program_print(&dynamic, line);
    program_t again;
    failure_t error = {0};
    if (program_parse(str_from(line->str), arena, &again, NULL, &error) != STATUS_OK)
      g_error("%s: %s", line->str, error.text);
    g_autoptr(GString) line_again = g_string_new(NULL);
    program_print(&again, line_again);
    g_assert_cmpstr(line->str, ==, line_again->str);
    check_static(&dynamic, line->str);
    *inout_resized += check_other_size(&dynamic, axis, arena);
  }
  return marked;
}

static void test_op(gconstpointer data) {
  const op_t *op = data;
  static const draw_limits_t limits = {.rank_max = 4, .elements_max = 256, .terms_max = 64};
  rng_t rng = rng_make(5);
  int marked = 0, resized = 0;
  for (int i = 0; i < PROGRAMS; i++) {
    arena_t arena;
    arena_init(&arena);
    program_t program;
    op->draw(&rng, &limits, &arena, &program);
    marked += check_program(&program, &arena, &resized);
    arena_deinit(&arena);
  }
  bool is_expected = op->axes != NULL && op->fits_dynamic == NULL;
  g_test_message("%s: %d marked, %d at another size", op->name, marked, resized);
  g_assert_cmpint(marked > PROGRAMS / 4, ==, is_expected);
  g_assert_cmpint(resized, >=, is_expected ? marked / 2 : 0);
}

static void expect_line(const char *line, const char *mlir) {
  arena_t arena;
  arena_init(&arena);
  program_t program;
  failure_t error = {0};
  status_t status = program_parse(str_from(line), &arena, &program, NULL, &error);
  g_assert_cmpint(status, ==, mlir == NULL ? STATUS_INVALID : STATUS_OK);
  if (mlir == NULL) {
    if (strstr(error.text, "which sizes are '?' does not fit the op") == NULL)
      g_error("%s: %s", line, error.text);
  } else {
    g_autoptr(GString) text = g_string_new(NULL);
    program.op->print_mlir(&program, text);
    if (strstr(text->str, mlir) == NULL) g_error("no '%s' in %s", mlir, text->str);
  }
  arena_deinit(&arena);
}

static void test_lines(void) {
  expect_line("byteir.erf f32[?4,64] -> f32[?4,64]", "(tensor<?x64xf32>) -> tensor<?x64xf32>");
  expect_line(
      "stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[?2,?3] f32[?3,4] -> f32[?2,4]",
      "(tensor<?x?xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>");
  expect_line("stablehlo.reduce body=add dims=[0] f32[?3] f32[] -> f32[]", "tensor<?xf32>");
  expect_line("byteir.rng_uniform f32[] f32[] i64[] i64[] i64[2] -> f32[?2,3]", "tensor<?x3xf32>");
  /* One of two operands; a result alone, of an axis of its own too; what has no axes; no shape
   * operand; a broken program. */
  expect_line("stablehlo.add f32[?2] f32[2] -> f32[?2]", NULL);
  expect_line("stablehlo.add f32[2] f32[2] -> f32[?2]", NULL);
  expect_line(
      "byteir.layer_norm epsilon=0x1p-10 axis=[0] f32[4] f32[4] f32[4] -> f32[4] f32[?1] f32[?1]",
      NULL);
  expect_line("stablehlo.reshape f32[?2,3] -> f32[6]", NULL);
  expect_line("byteir.rng_uniform f32[] f32[] i64[] i64[] -> f32[?2,3]", NULL);
  expect_line("stablehlo.all_reduce replica_groups=[[0,1]] body=add f32[2,?3] -> f32[2,?3]", NULL);
}

static void test_broken(void) {
  arena_t arena;
  arena_init(&arena);
  program_t program;
  const char *violation;
  failure_t error = {0};
  g_assert_cmpint(program_parse(str_from("stablehlo.add f32[?2] f32[?3] -> f32[?2]"), &arena,
                                &program, &violation, &error),
                  ==, STATUS_INVALID);
  g_assert_nonnull(strstr(error.text, "of a valid program"));
  arena_deinit(&arena);
}

static void expect_unsized(const char *line, int64_t size, const char *wanted) {
  arena_t arena;
  arena_init(&arena);
  program_t program;
  failure_t error = {0};
  status_t status = dynamic_parse(str_from(line), size, &arena, &program, &error);
  g_assert_cmpint(status, ==, wanted == NULL ? STATUS_INVALID : STATUS_OK);
  if (wanted != NULL) {
    g_autoptr(GString) text = g_string_new(NULL);
    program_print(&program, text);
    g_assert_cmpstr(text->str, ==, wanted);
    g_string_truncate(text, 0);
    program_print_compiled(&program, text);
    g_assert_cmpstr(text->str, ==, line);
  }
  arena_deinit(&arena);
}

static void test_unsized(void) {
  expect_unsized("byteir.erf f32[?,64] -> f32[?,64]", 0, "byteir.erf f32[?2,64] -> f32[?2,64]");
  expect_unsized("byteir.erf f32[64,?] -> f32[64,?]", 7, "byteir.erf f32[64,?7] -> f32[64,?7]");
  expect_unsized("stablehlo.add f32[?] f32[2] -> f32[?]", 0, NULL);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    g_autofree char *name = g_strdup_printf("/dynamic/%s", (*op)->name);
    g_test_add_data_func(name, *op, test_op);
  }
  g_test_add_func("/dynamic/lines", test_lines);
  g_test_add_func("/dynamic/broken", test_broken);
  g_test_add_func("/dynamic/unsized", test_unsized);
  return g_test_run();
}
