/* SPDX-License-Identifier: Apache-2.0 */
/* stablehlo.reduce_window and stablehlo.select_and_scatter, evaluated naively: the tensor is laid
 * out with its padding and holes, dimension by dimension, and windows read from that. */
#include "oracles/ops/windowed/windowed.h"
#include "tests/ops/naive_bodies.h"
#include "tests/ops/naive_written.h"

/* What lies at each place of a padded dimension: the index of an element, or -1. */
static GArray *lay_out(const window_t *window, int64_t length) {
  int64_t spread = length == 0 ? 0 : (length - 1) * window->base_dilation + 1;
  int64_t padded = MAX(window->low + spread + window->high, 0);
  GArray *places = g_array_new(FALSE, FALSE, sizeof(int64_t));
  for (int64_t i = 0; i < padded; i++) {
    int64_t none = -1;
    g_array_append_val(places, none);
  }
  for (int64_t i = 0; i < length; i++) {
    int64_t place = window->low + i * window->base_dilation;
    if (place >= 0 && place < padded) g_array_index(places, int64_t, place) = i;
  }
  return places;
}

/* Appends the elements of the window at index `output`, in order; -1 for what is none. */
static void read_window(const program_t *program, const int64_t output[TYPE_RANK_MAX],
                        GArray *out_elements) {
  const windowed_attributes_t *attributes = windowed_attributes(program);
  const type_t *operand = &program->operands[0];
  GArray *places[TYPE_RANK_MAX];
  type_t shape = {.rank = operand->rank};
  for (uint32_t dim = 0; dim < operand->rank; dim++) {
    window_t window = windowed_along(attributes, dim);
    places[dim] = lay_out(&window, operand->dims[dim]);
    shape.dims[dim] = window.size;
  }
  for (size_t i = 0; i < type_element_count(&shape); i++) {
    int64_t within[TYPE_RANK_MAX];
    int64_t index[TYPE_RANK_MAX];
    bool is_element = true;
    check_unravel(&shape, i, within);
    for (uint32_t dim = 0; dim < operand->rank; dim++) {
      window_t window = windowed_along(attributes, dim);
      int64_t place = output[dim] * window.stride + within[dim] * window.window_dilation;
      index[dim] = g_array_index(places[dim], int64_t, place);
      is_element &= index[dim] >= 0;
    }
    int64_t element = is_element ? (int64_t)check_ravel(operand, index) : -1;
    g_array_append_val(out_elements, element);
  }
  for (uint32_t dim = 0; dim < operand->rank; dim++) g_array_free(places[dim], TRUE);
}

static naive_node_t combine(const program_t *program, bool saturates, naive_node_t a,
                            naive_node_t b) {
  const reduction_t *reduction = &windowed_attributes(program)->reduction;
  if (reduction->body != REDUCE_WRITTEN) {
    return naive_combine_body(program, reduction->body, saturates, a, b);
  }
  const reduce_attributes_t attributes = {.reduction = *reduction};
  program_t reduces = *program;
  reduces.attributes = &attributes;
  return naive_combine_written(&reduces, saturates, a, b);
}

static naive_node_t load(const case_t *instance, uint32_t first_operand, size_t index) {
  const program_t *program = &instance->program;
  naive_node_t node = {0};
  for (uint32_t i = 0; i < program->result_count; i++) {
    const tensor_t *tensor = &instance->operands[first_operand + i];
    node.values[i] = naive_load(tensor, index, program->results[i].element);
  }
  return node;
}

/* Reduces the leaves with initial values among them, and stores what comes out. */
static void finish(rng_t *rng, const program_t *program, const naive_plan_t *plan,
                   naive_node_t init, GArray *leaves, size_t output, tensor_t *results) {
  naive_arrange(rng, plan, init, leaves);
  reduce_body_t body = windowed_attributes(program)->reduction.body;
  naive_node_t node = naive_reduce_leaves(rng, program, body, plan, combine, leaves);
  for (uint32_t r = 0; r < program->result_count; r++) {
    naive_store(&results[r], output, node.values[r]);
  }
}

/* ---- reduce_window --------------------------------------------------------------------------- */

static void evaluate_windows(rng_t *rng, const case_t *instance, const naive_plan_t *plan,
                             tensor_t *results) {
  const program_t *program = &instance->program;
  naive_node_t init = load(instance, program->result_count, 0);
  for (size_t output = 0; output < type_element_count(&program->results[0]); output++) {
    int64_t index[TYPE_RANK_MAX];
    check_unravel(&program->results[0], output, index);
    GArray *elements = g_array_new(FALSE, FALSE, sizeof(int64_t));
    GArray *leaves = g_array_new(FALSE, FALSE, sizeof(naive_node_t));
    read_window(program, index, elements);
    for (guint i = 0; i < elements->len; i++) {
      int64_t element = g_array_index(elements, int64_t, i);
      naive_insert(leaves, leaves->len, element < 0 ? init : load(instance, 0, (size_t)element));
    }
    finish(rng, program, plan, init, leaves, output, results);
    g_array_free(elements, TRUE);
    g_array_free(leaves, TRUE);
  }
}

/* ---- select_and_scatter ---------------------------------------------------------------------- */

static bool selects_first(const program_t *program, naive_value_t a, naive_value_t b) {
  bool is_float = program->operands[0].element->format != NULL;
  switch (windowed_attributes(program)->select) {
    case WINDOWED_SELECT_GE:
      return is_float ? a.real >= b.real : a.integer >= b.integer;
    case WINDOWED_SELECT_GT:
      return is_float ? a.real > b.real : a.integer > b.integer;
    case WINDOWED_SELECT_LE:
      return is_float ? a.real <= b.real : a.integer <= b.integer;
    default:
      return is_float ? a.real < b.real : a.integer < b.integer;
  }
}

/* The element that a tree of selects over `count` elements leaves. */
static int64_t select_by_tree(rng_t *rng, const case_t *instance, naive_shape_t shape,
                              const int64_t *elements, size_t count) {
  if (count == 1) return elements[0];
  size_t left = shape == NAIVE_LEFT    ? count - 1
                : shape == NAIVE_RIGHT ? 1
                                       : 1 + (size_t)rng_below(rng, count - 1);
  int64_t a = select_by_tree(rng, instance, shape, elements, left);
  int64_t b = select_by_tree(rng, instance, shape, elements + left, count - left);
  const tensor_t *operand = &instance->operands[SELECT_OPERAND];
  naive_value_t first = naive_load(operand, (size_t)a, operand->type.element);
  naive_value_t second = naive_load(operand, (size_t)b, operand->type.element);
  return selects_first(&instance->program, first, second) ? a : b;
}

/* Where each source element goes.  What becomes of those whose window is padding alone is not
 * specified: the plain plan drops them, the others put them anywhere. */
static GArray *select_targets(rng_t *rng, const case_t *instance, const naive_plan_t *plan) {
  const program_t *program = &instance->program;
  const type_t *source = &program->operands[SELECT_SOURCE];
  size_t places = type_element_count(&program->results[0]);
  GArray *targets = g_array_new(FALSE, FALSE, sizeof(int64_t));
  for (size_t i = 0; i < type_element_count(source); i++) {
    int64_t index[TYPE_RANK_MAX];
    check_unravel(source, i, index);
    GArray *elements = g_array_new(FALSE, FALSE, sizeof(int64_t));
    read_window(program, index, elements);
    for (guint e = elements->len; e-- > 0;) {
      if (g_array_index(elements, int64_t, e) < 0) g_array_remove_index(elements, e);
    }
    int64_t target = -1;
    if (elements->len > 0) {
      const int64_t *data = (const int64_t *)(const void *)elements->data;
      target = select_by_tree(rng, instance, plan->shape, data, elements->len);
    } else if (plan->shape != NAIVE_LEFT && places > 0) {
      target = (int64_t)rng_below(rng, places);
    }
    g_array_append_val(targets, target);
    g_array_free(elements, TRUE);
  }
  return targets;
}

static void evaluate_scatter(rng_t *rng, const case_t *instance, const naive_plan_t *plan,
                             tensor_t *results) {
  const program_t *program = &instance->program;
  GArray *targets = select_targets(rng, instance, plan);
  naive_node_t init = load(instance, SELECT_INIT, 0);
  for (size_t output = 0; output < type_element_count(&program->results[0]); output++) {
    GArray *leaves = g_array_new(FALSE, FALSE, sizeof(naive_node_t));
    for (guint i = 0; i < targets->len; i++) {
      if (g_array_index(targets, int64_t, i) != (int64_t)output) continue;
      naive_insert(leaves, leaves->len, load(instance, SELECT_SOURCE, i));
    }
    finish(rng, program, plan, init, leaves, output, results);
    g_array_free(leaves, TRUE);
  }
  g_array_free(targets, TRUE);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static const naive_plan_t plans[] = {
    {.name = "sequential", .shape = NAIVE_LEFT},
    {.name = "reverse", .shape = NAIVE_RIGHT, .scatters_inits = true},
    {.name = "random tree", .shape = NAIVE_RANDOM, .scatters_inits = true},
    {.name = "saturating", .shape = NAIVE_LEFT, .saturates = true},
    {.name = "exact", .is_exact = true},
    {.name = "shuffled", .shape = NAIVE_RANDOM, .scatters_inits = true, .is_shuffled = true},
};

/* Programs without quantized types and implicit conversions of results: tests of reduce have
 * those. */
static void draw_plain(rng_t *rng, const draw_limits_t *limits, arena_t *arena, const char *name,
                       program_t *out_program) {
  bool is_plain = false;
  while (!is_plain) {
    check_find_op(name)->draw(rng, limits, arena, out_program);
    is_plain = windowed_attributes(out_program)->reduction.accumulation_count == 0 &&
               out_program->operands[0].quantization == NULL;
  }
}

static void draw_window(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                        program_t *out_program) {
  draw_plain(rng, limits, arena, "stablehlo.reduce_window", out_program);
}

static void draw_scatter(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                         program_t *out_program) {
  draw_plain(rng, limits, arena, "stablehlo.select_and_scatter", out_program);
}

/* Bodies that are written out alone. */
static void draw_written(rng_t *rng, const draw_limits_t *limits, arena_t *arena, const char *name,
                         program_t *out_program) {
  do {
    draw_plain(rng, limits, arena, name, out_program);
  } while (windowed_attributes(out_program)->reduction.body != REDUCE_WRITTEN);
}

static void draw_written_window(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                                program_t *out_program) {
  draw_written(rng, limits, arena, "stablehlo.reduce_window", out_program);
}

static void draw_written_scatter(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                                 program_t *out_program) {
  draw_written(rng, limits, arena, "stablehlo.select_and_scatter", out_program);
}

static const draw_limits_t limits = {.rank_max = 3, .elements_max = 48, .terms_max = 16};

static void test_windows(void) {
  op_t plain = *check_find_op("stablehlo.reduce_window");
  plain.draw = draw_window;
  naive_tally_t tally =
      naive_check_op(&plain, &limits, 600, evaluate_windows, plans, G_N_ELEMENTS(plans));
  g_assert_cmpuint(tally.skipped, <, tally.cases / 20);
  g_assert_cmpuint(tally.held, >, tally.asked / 4);
}

static void test_scatter(void) {
  op_t plain = *check_find_op("stablehlo.select_and_scatter");
  plain.draw = draw_scatter;
  naive_tally_t tally =
      naive_check_op(&plain, &limits, 600, evaluate_scatter, plans, G_N_ELEMENTS(plans));
  g_assert_cmpuint(tally.skipped, <, tally.cases / 20);
  g_assert_cmpuint(tally.held, >, tally.asked / 4);
}

static void test_written_windows(void) {
  op_t written = *check_find_op("stablehlo.reduce_window");
  written.draw = draw_written_window;
  naive_tally_t tally =
      naive_check_op(&written, &limits, 150, evaluate_windows, plans, G_N_ELEMENTS(plans));
  g_assert_cmpuint(tally.skipped, ==, 0);
  g_assert_cmpuint(tally.asked, >, 100);
}

static void test_written_scatter(void) {
  op_t written = *check_find_op("stablehlo.select_and_scatter");
  written.draw = draw_written_scatter;
  naive_tally_t tally =
      naive_check_op(&written, &limits, 150, evaluate_scatter, plans, G_N_ELEMENTS(plans));
  g_assert_cmpuint(tally.skipped, ==, 0);
  g_assert_cmpuint(tally.asked, >, 100);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/naive_windowed/windows", test_windows);
  g_test_add_func("/naive_windowed/scatter", test_scatter);
  g_test_add_func("/naive_windowed/written_windows", test_written_windows);
  g_test_add_func("/naive_windowed/written_scatter", test_written_scatter);
  return g_test_run();
}
