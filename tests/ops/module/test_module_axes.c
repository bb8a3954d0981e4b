/* SPDX-License-Identifier: Apache-2.0 */
/* The axes of modules: by hand, why some have none, and on drawn modules the bits of a model, which
 * are those of the whole wherever a case is cut. */
#include <string.h>

#include "harness/gen/gen.h"
#include "harness/kinds/module/module.h"
#include "harness/model/any_axes.h"
#include "oracles/oracle.h"

static program_t parse(const char *line, arena_t *arena) {
  program_t program;
  failure_t error = {0};
  const char *broken = NULL;
  if (program_parse(str_from(line), arena, &program, &broken, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  g_assert_null(broken);
  return program;
}

/* ---- By hand --------------------------------------------------------------------------------- */

#define DOT "batch=[]x[] contract=[1]x[0] "
#define OWN "batch=[]x[] contract=[1]x[1] "

typedef struct example {
  const char *line;
  const char *roles; /* Of the dimensions of the first result: b, r, c, or t for what is whole. */
  const char *why;   /* If there is none of the first three. */
} example_t;

static const example_t examples[] = {
    /* A product with a bias: rows, and columns that the bias has too. */
    {"module steps={v0=stablehlo.dot_general(a0,a1) " DOT "f32[4,3] f32[3,5] -> f32[4,5];"
     "v1=stablehlo.broadcast_in_dim(a2) broadcast_dimensions=[1] f32[5] -> f32[4,5];"
     "v2=stablehlo.add(v0,v1) f32[4,5] f32[4,5] -> f32[4,5];return(v2)} "
     "f32[4,3] f32[3,5] f32[5] -> f32[4,5]",
     "rc", ""},
    /* A matrix times itself: its rows are columns too. */
    {"module steps={v0=stablehlo.dot_general(a0,a0) " OWN "f32[4,3] f32[4,3] -> f32[4,4];"
     "return(v0)} f32[4,3] -> f32[4,4]",
     "tt", "v0 has one axis twice"},
    /* Columns that the next product sums over. */
    {"module steps={v0=stablehlo.dot_general(a0,a1) " DOT "f32[4,3] f32[3,5] -> f32[4,5];"
     "v1=stablehlo.dot_general(v0,a2) " DOT "f32[4,5] f32[5,2] -> f32[4,2];return(v1)} "
     "f32[4,3] f32[3,5] f32[5,2] -> f32[4,2]",
     "rc", ""},
    /* What is summed over, and goes on as it was: no entry is by itself. */
    {"module steps={v0=stablehlo.reduce(a0,a1) body=add dims=[1] f32[4,3] f32[] -> f32[4];"
     "v1=stablehlo.broadcast_in_dim(v0) broadcast_dimensions=[0] f32[4] -> f32[4,3];"
     "v2=stablehlo.subtract(a0,v1) f32[4,3] f32[4,3] -> f32[4,3];return(v2)} "
     "f32[4,3] f32[] -> f32[4,3]",
     "bt", ""},
    {"module steps={v0=constant(f32[2],3f80000040000000);"
     "v1=stablehlo.add(a0,v0) f32[2] f32[2] -> f32[2];return(v1)} f32[2] -> f32[2]",
     "t", "v0 is a constant"},
    {"module steps={v0=stablehlo.reshape(a0) f32[4,3] -> f32[12];"
     "v1=stablehlo.negate(v0) f32[12] -> f32[12];return(v1)} f32[4,3] -> f32[12]",
     "t", "v0 (stablehlo.reshape) tells no axes"},
    {"module steps={v0=constant(f16[],fc00);v1=stablehlo.reduce_window(a0,v0) body=maximum "
     "window_dimensions=[1,2,1] window_strides=[1,1,1] base_dilations=[1,1,1] "
     "window_dilations=[1,1,1] "
     "padding=[[0,0],[0,0],[0,0]] f16[2,4,1] f16[] -> f16[2,3,1];return(v1)} f16[2,4,1] -> "
     "f16[2,3,1]",
     "btb", ""},
    {"module steps={v0=stablehlo.concatenate(a0,a1) dimension=0 f32[4,3] f32[2,3] -> f32[6,3];"
     "return(v0)} f32[4,3] f32[2,3] -> f32[6,3]",
     "tb", ""},
};

static void test_by_hand(gconstpointer data) {
  static const char letters[] = {
      [AXIS_BATCH] = 'b', [AXIS_ROW] = 'r', [AXIS_COLUMN] = 'c', [AXIS_TERM] = 't'};
  const example_t *example = data;
  arena_t arena;
  arena_init(&arena);
  const program_t program = parse(example->line, &arena);
  axes_t axes;
  g_autoptr(GString) roles = g_string_new(NULL);
  g_autoptr(GString) why = g_string_new(NULL);
  bool is_double = strcmp(example->roles, "tt") == 0; /* Such values have no lists. */
  g_assert_cmpint(axes_of_any(&program, &axes), ==, !is_double);
  g_assert_false(axes_of(&program, &axes));
  g_assert_false(axes_of_parts(&program, &axes));
  if (!is_double) {
    g_assert_true(axes_of_any(&program, &axes));
    for (uint32_t dim = 0; dim < axes.results[0].count; dim++) {
      g_string_append_c(roles, letters[axes.items[axes.results[0].axes[dim]].role]);
    }
    g_assert_cmpstr(roles->str, ==, example->roles);
  }
  g_assert_cmpint(module_tells_axes(&program, why), ==, example->why[0] == '\0');
  g_assert_cmpstr(why->str, ==, example->why);
  arena_deinit(&arena);
}

/* ---- On drawn modules ------------------------------------------------------------------------ */

static void simulate(const case_t *instance, arena_t *arena, tensor_t results[CASE_RESULTS_MAX]) {
  const program_t *program = &instance->program;
  failure_t error = {0};
  const oracle_call_t call = {.instance = instance, .arena = arena, .error = &error};
  implementation_model_t plain = schedule_plain();
  for (uint32_t i = 0; i < program->result_count; i++) {
    results[i] = tensor_make(arena, &program->results[i]);
    memset(results[i].data, 0, type_bytes(&program->results[i]));
  }
  if (oracle_find(program->op)->simulate(&call, &plain, results) != STATUS_OK) {
    g_error("%s", error.text);
  }
}

/* Some indices of an axis, in any order. */
static const size_t *draw_indices(rng_t *rng, int64_t size, int64_t count, arena_t *arena) {
  size_t *from = ARENA_NEW_ARRAY(arena, size_t, (size_t)count);
  for (int64_t i = 0; i < count; i++) from[i] = rng_below(rng, (uint64_t)size);
  return from;
}

/* Cuts one free axis, and compares all of what is left; false if it has none. */
static bool check_cut(rng_t *rng, const case_t *instance, const axes_t *axes, arena_t *arena) {
  uint32_t axis = 0;
  while (axis < axes->count &&
         (axes->items[axis].role == AXIS_TERM || axes->items[axis].size < 2)) {
    axis++;
  }
  if (axis == axes->count) return false;
  axes_t view = *axes;
  axes_selection_t selection = {0};
  int64_t size = axes->items[axis].size;
  view.items[axis].size = rng_between(rng, 1, size);
  selection.from[axis] = draw_indices(rng, size, view.items[axis].size, arena);
  case_t part;
  if (!axes_view(instance, axes, &selection, &view, arena, &part)) return false;
  tensor_t whole[CASE_RESULTS_MAX], cut[CASE_RESULTS_MAX];
  simulate(instance, arena, whole);
  simulate(&part, arena, cut);
  for (uint32_t result = 0; result < part.program.result_count; result++) {
    const size_t *map = axes_result_map(axes, &selection, &view, result, arena);
    size_t bytes = element_bytes(cut[result].type.element);
    for (size_t i = 0; i < type_element_count(&cut[result].type); i++) {
      const uint8_t *part_of = cut[result].data + i * bytes;
      bool is_same = memcmp(part_of, whole[result].data + map[i] * bytes, bytes) == 0;
      if (is_same) continue;
      g_autoptr(GString) text = g_string_new(NULL);
      case_print(instance, text);
      g_error("axis %u, element %zu of what is cut of %s", axis, i, text->str);
    }
  }
  return true;
}

static void test_drawn(void) {
  enum { MODULES = 1500, CUT_MIN = 500 };
  const op_t *op = op_find(str_from(MODULE_OP));
  rng_t rng = rng_make(237);
  unsigned cut = 0;
  for (int i = 0; i < MODULES; i++) {
    arena_t arena;
    arena_init(&arena);
    gen_options_t options = gen_options_default();
    options.invalid_one_in = 0;
    options.limits = (draw_limits_t){.rank_max = 3, .elements_max = 256, .terms_max = 32};
    program_t program;
    const char *broken;
    gen_program(&rng, op, &options, &arena, &program, &broken);
    case_t instance = case_make(&arena, &program);
    gen_data(&rng, &instance);
    axes_t axes;
    if (axes_of_any(&program, &axes)) cut += check_cut(&rng, &instance, &axes, &arena);
    arena_deinit(&arena);
  }
  g_test_message("%u of %d modules were cut", cut, MODULES);
  g_assert_cmpuint(cut, >, CUT_MIN);
}

/* Sizes that a step cannot have, or that a constant has, make no valid program. */
static void test_whole(void) {
  arena_t arena;
  arena_init(&arena);
  const program_t program = parse(examples[4].line, &arena);
  axes_t axes;
  program_t other;
  g_assert_true(axes_of_any(&program, &axes));
  axes.items[0].size = 1;
  g_assert_false(axes_program(&program, &axes, &arena, &other));
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(examples); i++) {
    g_autofree char *path = g_strdup_printf("/module_axes/by-hand/%zu", i);
    g_test_add_data_func(path, &examples[i], test_by_hand);
  }
  g_test_add_func("/module_axes/drawn", test_drawn);
  g_test_add_func("/module_axes/whole", test_whole);
  return g_test_run();
}
