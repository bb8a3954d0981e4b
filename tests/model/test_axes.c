/* SPDX-License-Identifier: Apache-2.0 */
/* Axes of programs: what an op says of its axes and what it makes of them agree, and views hold the
 * numbers that they select. */
#include <string.h>

#include "harness/model/op.h"

enum { PROGRAMS = 3000 };

static const op_t *const *ops_with_axes(size_t *out_count) {
  static const op_t *rows[64];
  *out_count = 0;
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    g_assert_true(((*op)->axes == NULL) == ((*op)->with_axes == NULL));
    if ((*op)->axes != NULL) rows[(*out_count)++] = *op;
  }
  return rows;
}

static void assert_same_axes(const axes_t *a, const axes_t *b) {
  g_assert_cmpuint(a->count, ==, b->count);
  for (uint32_t i = 0; i < a->count; i++) {
    g_assert_cmpint(a->items[i].role, ==, b->items[i].role);
    g_assert_cmpint(a->items[i].size, ==, b->items[i].size);
  }
  for (uint32_t i = 0; i < CASE_OPERANDS_MAX; i++) {
    g_assert_true(axis_list_equal(&a->operands[i], &b->operands[i]));
  }
  for (uint32_t i = 0; i < CASE_RESULTS_MAX; i++) {
    g_assert_true(axis_list_equal(&a->results[i], &b->results[i]));
  }
}

/* The sizes of a type along its axes. */
static void assert_sizes(const axes_t *axes, const axis_list_t *list, const type_t *type) {
  g_assert_cmpuint(list->count, ==, type->rank);
  for (uint32_t i = 0; i < list->count; i++) {
    g_assert_cmpint(axes->items[list->axes[i]].size, ==, type->dims[i]);
  }
}

static void fill(rng_t *rng, case_t *instance) {
  for (uint32_t i = 0; i < instance->program.operand_count; i++) {
    size_t bytes = type_bytes(&instance->program.operands[i]);
    for (size_t byte = 0; byte < bytes; byte++) {
      instance->operands[i].data[byte] = (uint8_t)rng_below(rng, 2); /* Valid in every type. */
    }
  }
}

static void assert_same_data(const case_t *a, const case_t *b) {
  for (uint32_t i = 0; i < a->program.operand_count; i++) {
    g_assert_true(type_equal(&a->program.operands[i], &b->program.operands[i]));
    size_t bytes = type_bytes(&a->program.operands[i]);
    g_assert_cmpint(memcmp(a->operands[i].data, b->operands[i].data, bytes), ==, 0);
  }
}

typedef struct drawn {
  case_t instance;
  axes_t axes;
} drawn_t;

static drawn_t draw(rng_t *rng, const op_t *op, arena_t *arena) {
  static const draw_limits_t limits = {.rank_max = 5, .elements_max = 64, .terms_max = 16};
  program_t program = {.op = op};
  drawn_t drawn;
  do { /* Those with scales along an axis have none. */
    op->draw(rng, &limits, arena, &program);
  } while (!axes_of(&program, &drawn.axes));
  drawn.instance = case_make(arena, &program);
  fill(rng, &drawn.instance);
  for (uint32_t i = 0; i < program.operand_count; i++) {
    assert_sizes(&drawn.axes, &drawn.axes.operands[i], &program.operands[i]);
  }
  for (uint32_t i = 0; i < program.result_count; i++) {
    assert_sizes(&drawn.axes, &drawn.axes.results[i], &program.results[i]);
  }
  return drawn;
}

/* The program with its own axes is itself. */
static void test_identity(void) {
  size_t op_count;
  const op_t *const *ops = ops_with_axes(&op_count);
  g_assert_cmpuint(op_count, >=, 2);
  rng_t rng = rng_make(1);
  arena_t arena;
  arena_init(&arena);
  const axes_selection_t all = {0};
  for (size_t i = 0; i < PROGRAMS; i++) {
    arena_reset(&arena);
    drawn_t drawn = draw(&rng, ops[i % op_count], &arena);
    axes_t view = drawn.axes;
    case_t same;
    g_assert_true(axes_view(&drawn.instance, &drawn.axes, &all, &view, &arena, &same));
    assert_same_axes(&view, &drawn.axes);
    assert_same_data(&same, &drawn.instance);
    axes_t again;
    g_assert_true(axes_of(&same.program, &again));
    assert_same_axes(&again, &drawn.axes);
  }
  arena_deinit(&arena);
}

static const size_t *reversal(int64_t size, arena_t *arena) {
  size_t *from = ARENA_NEW_ARRAY(arena, size_t, (size_t)size);
  for (int64_t i = 0; i < size; i++) from[i] = (size_t)(size - 1 - i);
  return from;
}

/* Reversing every axis and every operand's dimensions twice gives the case back. */
static void test_there_and_back(void) {
  size_t op_count;
  const op_t *const *ops = ops_with_axes(&op_count);
  rng_t rng = rng_make(2);
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < PROGRAMS; i++) {
    arena_reset(&arena);
    drawn_t drawn = draw(&rng, ops[i % op_count], &arena);
    axes_t view = drawn.axes;
    axes_selection_t selection = {0};
    for (uint32_t axis = 0; axis < view.count; axis++) {
      selection.from[axis] = reversal(view.items[axis].size, &arena);
    }
    for (uint32_t operand = 0; operand < CASE_OPERANDS_MAX; operand++) {
      const axis_list_t *list = &drawn.axes.operands[operand];
      for (uint32_t d = 0; d < list->count; d++) {
        view.operands[operand].axes[d] = list->axes[list->count - 1 - d];
      }
    }
    case_t there;
    g_assert_true(axes_view(&drawn.instance, &drawn.axes, &selection, &view, &arena, &there));
    g_assert_null(program_broken(&there.program));
    axes_t back_view = drawn.axes;
    case_t back;
    g_assert_true(axes_view(&there, &view, &selection, &back_view, &arena, &back));
    assert_same_axes(&back_view, &drawn.axes);
    assert_same_data(&back, &drawn.instance);
  }
  arena_deinit(&arena);
}

/* By hand: the second row of a matrix product, transposed, with its result's place. */
static void test_by_hand(void) {
  static const char line[] =
      "stablehlo.dot_general batch=[]x[] contract=[1]x[0] ui8[2,3] ui8[3,2] -> ui8[2,2] : "
      "010203040506 : 0708090a0b0c";
  arena_t arena;
  arena_init(&arena);
  case_t instance;
  failure_t error = {0};
  g_assert_cmpint(case_parse(str_from(line), &arena, &instance, NULL, &error), ==, STATUS_OK);
  axes_t axes;
  g_assert_true(axes_of(&instance.program, &axes));
  g_assert_cmpint(axes.items[0].role, ==, AXIS_ROW);
  g_assert_cmpint(axes.items[1].role, ==, AXIS_COLUMN);
  g_assert_cmpint(axes.items[2].role, ==, AXIS_TERM);
  axes_t view = axes;
  view.items[0].size = 1;
  view.operands[0] = (axis_list_t){.count = 2, .axes = {2, 0}};
  view.operands[1] = (axis_list_t){.count = 2, .axes = {1, 2}};
  const size_t second[] = {1};
  const axes_selection_t selection = {.from = {second}};
  case_t row;
  g_assert_true(axes_view(&instance, &axes, &selection, &view, &arena, &row));
  g_autoptr(GString) text = g_string_new(NULL);
  case_print(&row, text);
  g_assert_cmpstr(text->str, ==,
                  "stablehlo.dot_general batch=[]x[] contract=[0]x[1] ui8[3,1] ui8[2,3] -> "
                  "ui8[1,2] : 040506 : 07090b080a0c");
  const size_t *map = axes_result_map(&axes, &selection, &view, 0, &arena);
  g_assert_cmpuint(map[0], ==, 2);
  g_assert_cmpuint(map[1], ==, 3);
  arena_deinit(&arena);
}

/* An axis of one entry that no operand has any more. */
static void test_dropped(void) {
  static const char line[] =
      "stablehlo.reduce body=add dims=[1] ui8[1,3] ui8[] -> ui8[1] : 010203 : 00";
  arena_t arena;
  arena_init(&arena);
  case_t instance;
  failure_t error = {0};
  g_assert_cmpint(case_parse(str_from(line), &arena, &instance, NULL, &error), ==, STATUS_OK);
  axes_t axes;
  g_assert_true(axes_of(&instance.program, &axes));
  axes_t view = axes;
  view.operands[0] = (axis_list_t){.count = 1, .axes = {1}};
  const axes_selection_t all = {0};
  case_t small;
  g_assert_true(axes_view(&instance, &axes, &all, &view, &arena, &small));
  g_autoptr(GString) text = g_string_new(NULL);
  case_print(&small, text);
  g_assert_cmpstr(text->str, ==,
                  "stablehlo.reduce body=add dims=[0] ui8[3] ui8[] -> ui8[] : 010203 : 00");
  arena_deinit(&arena);
}

/* Mean and inverse deviation of the second row, with the axes of layer_norm's input swapped. */
static void test_moments(void) {
  static const char line[] =
      "byteir.layer_norm epsilon=0x0p+0 axis=[1] f32[2,3] f32[3] f32[3] -> f32[2,3] f32[2,1] "
      "f32[2,1] : 000000010000000200000003000000040000000500000006 : 000000070000000800000009 : "
      "0000000a0000000b0000000c";
  arena_t arena;
  arena_init(&arena);
  case_t instance;
  failure_t error = {0};
  g_assert_cmpint(case_parse(str_from(line), &arena, &instance, NULL, &error), ==, STATUS_OK);
  axes_t axes;
  g_assert_true(axes_of(&instance.program, &axes));
  axes_t view = axes;
  view.items[0].size = 1;
  view.operands[0] = (axis_list_t){.count = 2, .axes = {1, 0}};
  const size_t second[] = {1};
  const axes_selection_t selection = {.from = {second}};
  case_t row;
  g_assert_true(axes_view(&instance, &axes, &selection, &view, &arena, &row));
  g_autoptr(GString) text = g_string_new(NULL);
  case_print(&row, text);
  g_assert_cmpstr(text->str, ==,
                  "byteir.layer_norm epsilon=0x0p+0 axis=[0] f32[3,1] f32[3] f32[3] -> f32[3,1] "
                  "f32[1,1] f32[1,1] : 000000040000000500000006 : 000000070000000800000009 : "
                  "0000000a0000000b0000000c");
  const size_t *output = axes_result_map(&axes, &selection, &view, 0, &arena);
  for (size_t i = 0; i < 3; i++) g_assert_cmpuint(output[i], ==, 3 + i);
  g_assert_cmpuint(axes_result_map(&axes, &selection, &view, 2, &arena)[0], ==, 1);
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/axes/identity", test_identity);
  g_test_add_func("/axes/there_and_back", test_there_and_back);
  g_test_add_func("/axes/by_hand", test_by_hand);
  g_test_add_func("/axes/dropped", test_dropped);
  g_test_add_func("/axes/moments", test_moments);
  return g_test_run();
}
