/* SPDX-License-Identifier: Apache-2.0 */
/* stablehlo.all_reduce and stablehlo.reduce_scatter, evaluated naively: each process looks for its
 * group, and walks over all elements of all processes. */
#include "oracles/ops/collective/collective.h"
#include "tests/ops/naive_bodies.h"
#include "tests/ops/naive_written.h"

static naive_node_t combine(const program_t *program, bool saturates, naive_node_t a,
                            naive_node_t b) {
  const reduction_t *reduction = &collective_attributes(program)->reduction;
  reduce_body_t body = reduction->body;
  const element_t *element = program->results[0].element; /* And of all results. */
  if (body == REDUCE_WRITTEN) {
    return naive_combine_by(&reduction->written, &element, saturates, a, b);
  }
  return (naive_node_t){{naive_combine_values(body, element, saturates, a.values[0], b.values[0])}};
}

typedef struct group {
  int64_t ids[REPLICAS_MAX]; /* Of processes. */
  uint32_t size;
  int64_t place; /* Of the process. */
} group_t;

static void add(group_t *group, int64_t id, int64_t process) {
  if (id == process) group->place = group->size;
  group->ids[group->size++] = id;
}

/* The group of process `process`, if it is made of these ids; its place is -1 if it is not in it.
 */
static group_t make_group(const collective_attributes_t *attributes, const int64_t *ids,
                          uint32_t count, int64_t process) {
  int64_t partitions = MAX(attributes->num_partitions, 1);
  group_t group = {.place = -1};
  if (attributes->use_global_device_ids) {
    for (uint32_t i = 0; i < count; i++) add(&group, ids[i], process);
    return group;
  }
  for (int64_t partition = 0; partition < partitions; partition++) {
    if (attributes->channel_id <= 0 && partition != process % partitions) continue;
    for (uint32_t i = 0; i < count; i++) add(&group, ids[i] * partitions + partition, process);
  }
  return group;
}

static group_t find_group(const collective_attributes_t *attributes, int64_t process) {
  const replica_groups_t *groups = &attributes->groups;
  const int64_t *ids = groups->ids;
  for (uint32_t i = 0; i < groups->group_count; i++) {
    group_t group = make_group(attributes, ids, groups->sizes[i], process);
    if (group.place >= 0) return group;
    ids += groups->sizes[i];
  }
  g_error("process %" G_GINT64_FORMAT " is in no group", process);
}

/* One reduction serves all processes of a group: what its first one, by their numbers, has
 * is copied to the others. */
static bool take_from_first(const group_t *group, int64_t *index, tensor_t *result, size_t output) {
  int64_t replica = index[0], first = replica;
  for (uint32_t i = 0; i < group->size; i++) first = MIN(first, group->ids[i]);
  if (first == replica) return false;
  index[0] = first;
  size_t bytes = element_bytes(result->type.element);
  size_t from = check_ravel(&result->type, index);
  memcpy(result->data + output * bytes, result->data + from * bytes, bytes);
  return true;
}

static void evaluate_result(rng_t *rng, const case_t *instance, uint32_t number,
                            const naive_plan_t *plan, tensor_t *result) {
  const program_t *program = &instance->program;
  const collective_attributes_t *attributes = collective_attributes(program);
  bool scatters = strcmp(program->op->name, "stablehlo.reduce_scatter") == 0;
  const tensor_t *operand = &instance->operands[number];
  for (size_t output = 0; output < type_element_count(&result->type); output++) {
    int64_t index[TYPE_RANK_MAX];
    check_unravel(&result->type, output, index);
    group_t group = find_group(attributes, index[0]);
    if (!scatters && take_from_first(&group, index, result, output)) continue;
    if (scatters) {
      int64_t dim = attributes->scatter_dimension + 1;
      index[dim] += group.place * result->type.dims[dim];
    }
    GArray *leaves = g_array_new(FALSE, FALSE, sizeof(naive_node_t));
    for (uint32_t i = 0; i < group.size; i++) {
      index[0] = group.ids[i];
      size_t element = check_ravel(&operand->type, index);
      naive_node_t leaf = {{naive_load(operand, element, result->type.element)}};
      guint at = plan->is_shuffled ? (guint)rng_below(rng, leaves->len + 1) : leaves->len;
      naive_insert(leaves, at, leaf);
    }
    bool is_written = attributes->reduction.body == REDUCE_WRITTEN;
    const naive_node_t *nodes = (const naive_node_t *)(const void *)leaves->data;
    naive_node_t node = is_written ? naive_fold(rng, program, plan, combine, nodes, leaves->len)
                                   : naive_reduce_leaves(rng, program, attributes->reduction.body,
                                                         plan, combine, leaves);
    naive_store(result, output, node.values[0]);
    g_array_free(leaves, TRUE);
  }
}

static void evaluate(rng_t *rng, const case_t *instance, const naive_plan_t *plan,
                     tensor_t *results) {
  for (uint32_t r = 0; r < instance->program.result_count; r++) {
    evaluate_result(rng, instance, r, plan, &results[r]);
  }
}

/* There is no initial value. */
static const naive_plan_t plans[] = {
    {.name = "sequential", .shape = NAIVE_LEFT},
    {.name = "reverse", .shape = NAIVE_RIGHT},
    {.name = "random tree", .shape = NAIVE_RANDOM},
    {.name = "saturating", .shape = NAIVE_LEFT, .saturates = true},
    {.name = "exact", .is_exact = true},
    {.name = "shuffled", .shape = NAIVE_RANDOM, .is_shuffled = true},
};

/* Programs without quantized types and implicit conversions of results: tests of reduce have
 * those. */
static void draw_plain(rng_t *rng, const draw_limits_t *limits, arena_t *arena, const char *name,
                       program_t *out_program) {
  bool is_plain = false;
  while (!is_plain) {
    check_find_op(name)->draw(rng, limits, arena, out_program);
    is_plain = collective_attributes(out_program)->reduction.accumulation_count == 0 &&
               out_program->operands[0].quantization == NULL;
  }
}

static void draw_all(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                     program_t *out_program) {
  draw_plain(rng, limits, arena, "stablehlo.all_reduce", out_program);
}

/* By a body that is written out: as drawn, or a random one. */
static void draw_written(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                         program_t *out_program) {
  do {
    draw_all(rng, limits, arena, out_program);
  } while (collective_attributes(out_program)->reduction.body != REDUCE_WRITTEN);
  if (rng_one_in(rng, 2)) return;
  const element_t *argument = naive_written_argument(rng);
  collective_attributes_t *attributes = ARENA_NEW_ARRAY(arena, collective_attributes_t, 1);
  *attributes = *collective_attributes(out_program);
  attributes->reduction.written = naive_draw_body(rng, &argument, 1);
  out_program->attributes = attributes;
  for (uint32_t i = 0; i < out_program->operand_count; i++) {
    out_program->operands[i].element = out_program->results[i].element = argument;
  }
}

static void draw_scatter(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                         program_t *out_program) {
  draw_plain(rng, limits, arena, "stablehlo.reduce_scatter", out_program);
}

static void check(const char *name, void (*draw)(rng_t *rng, const draw_limits_t *limits,
                                                 arena_t *arena, program_t *out_program)) {
  const draw_limits_t limits = {.rank_max = 3, .elements_max = 48, .terms_max = 16};
  op_t plain = *check_find_op(name);
  plain.draw = draw;
  naive_tally_t tally = naive_check_op(&plain, &limits, 600, evaluate, plans, G_N_ELEMENTS(plans));
  g_assert_cmpuint(tally.skipped, <, tally.cases / 20);
  g_assert_cmpuint(tally.held, >, tally.asked / 4);
}

static void test_all_reduce(void) { check("stablehlo.all_reduce", draw_all); }
static void test_written(void) {
  const draw_limits_t limits = {.rank_max = 2, .elements_max = 24, .terms_max = 8};
  op_t written = *check_find_op("stablehlo.all_reduce");
  written.draw = draw_written;
  naive_tally_t tally =
      naive_check_op(&written, &limits, 300, evaluate, plans, G_N_ELEMENTS(plans));
  g_assert_cmpuint(tally.skipped, ==, 0);
  g_assert_cmpuint(tally.asked, >, 200);
}

static void test_reduce_scatter(void) { check("stablehlo.reduce_scatter", draw_scatter); }

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/naive_collective/all_reduce", test_all_reduce);
  g_test_add_func("/naive_collective/reduce_scatter", test_reduce_scatter);
  g_test_add_func("/naive_collective/written", test_written);
  return g_test_run();
}
