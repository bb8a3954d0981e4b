/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs of the collective ops (replica groups, shapes that divide evenly, bodies with a
 * neutral value). */
#include "harness/draw/draw.h"
#include "harness/types/promotion.h"
#include "oracles/ops/collective/op/op.h"

/* ---- Drawing --------------------------------------------------------------------------------- */

/* `group_count` groups of `size` replicas or, if they may be `uneven`, fewer, in any order. */
static replica_groups_t make_groups(rng_t *rng, uint32_t group_count, uint32_t size, bool uneven) {
  replica_groups_t groups = {.group_count = group_count};
  for (uint32_t i = 0; i < group_count; i++) {
    groups.sizes[i] = uneven ? (uint32_t)rng_between(rng, 1, size) : size;
    groups.id_count += groups.sizes[i];
  }
  bool is_sorted = rng_one_in(rng, 3);
  for (uint32_t i = 0; i < groups.id_count; i++) {
    uint32_t other = is_sorted ? i : (uint32_t)rng_below(rng, i + 1);
    groups.ids[i] = groups.ids[other];
    groups.ids[other] = i;
  }
  return groups;
}

static replica_groups_t draw_groups(rng_t *rng, const draw_limits_t *limits, bool scatters) {
  int64_t replicas_max = MIN(limits->elements_max, REPLICAS_MAX);
  int64_t size_max = MAX(MIN(limits->terms_max, replicas_max), 1);
  int64_t size = rng_between(rng, 1, MIN(size_max, 4));
  if (rng_one_in(rng, 4)) size = rng_between(rng, 1, MIN(size_max, 16));
  if (rng_one_in(rng, 16)) size = size_max;
  /* Each replica of a reduce_scatter needs an element for each of its group, or has none. */
  int64_t fitting = scatters ? MAX(limits->elements_max / (size * size), 1) : replicas_max / size;
  int64_t group_count = rng_between(rng, 1, MIN(MIN(replicas_max / size, fitting), 4));
  bool is_uneven = !scatters && rng_one_in(rng, 4);
  return make_groups(rng, (uint32_t)group_count, (uint32_t)size, is_uneven);
}

/* Mostly none; a negative one is as good as none. */
static void draw_channel(rng_t *rng, collective_attributes_t *attributes) {
  if (!rng_one_in(rng, 4)) return;
  attributes->channel_id = rng_one_in(rng, 8) ? -1 : rng_between(rng, 1, 9);
  attributes->use_global_device_ids = attributes->channel_id > 0 && rng_one_in(rng, 2);
}

/* One in 32 written out.  Of others complex products have no oracle without an initial value. */
static void draw_reduction(rng_t *rng, arena_t *arena, reduction_t *out_reduction,
                           reduction_types_t *out_types) {
  bool is_complex_product;
  do {
    reduction_draw(rng, 1, arena, out_reduction, out_types);
    is_complex_product = out_reduction->body == REDUCE_multiply &&
                         out_types->inputs[0].element->kind == ELEMENT_COMPLEX;
  } while (is_complex_product);
  rng_t apart = rng_apart(rng);
  if (!rng_one_in(&apart, 32)) return;
  const element_t *argument;
  *out_reduction = (reduction_t){.body = REDUCE_WRITTEN};
  body_draw_single(&apart, &out_reduction->written, &argument);
  const scalar_type_t type = scalar_type_make(argument);
  *out_types =
      (reduction_types_t){.count = 1, .inputs = {type}, .accumulations = {type}, .results = {type}};
}

/* The shape of the operand; the sizes of dimension `divided`, if it is not 0, are multiples. */
static type_t draw_shape(rng_t *rng, const draw_limits_t *limits, const replica_groups_t *groups,
                         uint32_t rank, uint32_t divided) {
  type_t shape = {.rank = rank, .dims = {groups->id_count}};
  int64_t left = limits->elements_max / MAX(groups->id_count, 1);
  if (divided > 0) left /= replica_group_size(groups);
  for (uint32_t dim = 1; dim < rank; dim++) {
    int64_t size = draw_size(rng, limits->sizes, left);
    shape.dims[dim] = dim == divided ? size * replica_group_size(groups) : size;
    left /= MAX(size, 1);
  }
  return shape;
}

static uint32_t draw_rank(rng_t *rng, const draw_limits_t *limits, uint32_t smallest) {
  uint32_t largest = MAX(MIN(limits->rank_max, (uint32_t)TYPE_RANK_MAX), smallest);
  return (uint32_t)rng_between(rng, smallest, largest);
}

/* The types of operand and result `number`. */
static void set_types(const reduction_types_t *types, uint32_t number, const type_t *operand,
                      const type_t *result, arena_t *arena, program_t *program) {
  type_t own = *operand, other = *result; /* They may be the program's. */
  program->operands[number] = scalar_type_tensor(&types->inputs[0], own.rank, own.dims, arena);
  program->results[number] = scalar_type_tensor(&types->results[0], other.rank, other.dims, arena);
}

static bool is_promoted_to(const element_t *element, const void *context) {
  const element_t *to = context;
  return element_is_promotable(element, to);
}

enum { OPERANDS_DRAWN = 3 };

/* More operands, of other shapes; where the accumulation is the result's and the body has a name,
 * some are of types that the body converts. */
static void draw_further_operands(rng_t *rng, const draw_limits_t *limits,
                                  const reduction_types_t *first, arena_t *arena,
                                  program_t *program) {
  const collective_attributes_t *attributes = collective_attributes(program);
  const reduction_t *reduction = &attributes->reduction;
  bool may_differ = reduction->accumulation_count == 0 && reduction->body != REDUCE_WRITTEN &&
                    first->inputs[0].expressed == NULL;
  uint32_t count = (uint32_t)rng_between(rng, 2, OPERANDS_DRAWN);
  for (uint32_t i = 1; i < count; i++) {
    reduction_types_t types = *first;
    if (may_differ && rng_one_in(rng, 2)) {
      const element_t *body = first->results[0].element;
      types.inputs[0] = scalar_type_make(draw_element(rng, is_promoted_to, body));
    }
    uint32_t rank = draw_rank(rng, limits, 1);
    bool is_alike = rng_one_in(rng, 2);
    type_t shape =
        is_alike ? program->operands[0] : draw_shape(rng, limits, &attributes->groups, rank, 0);
    set_types(&types, i, &shape, &shape, arena, program);
  }
  program->operand_count = program->result_count = count;
}

/* Sizes of a program of which each process is to be of several partitions. */
static void multiply_sizes(program_t *program, const collective_attributes_t *attributes,
                           uint32_t divided) {
  grouping_t grouping = collective_grouping(attributes);
  int64_t partitions = attributes->num_partitions;
  if (grouping == GROUPING_FLATTENED_IDS) return;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    program->operands[i].dims[0] *= partitions;
    program->results[i].dims[0] *= partitions;
  }
  if (grouping == GROUPING_CROSS_REPLICA_AND_PARTITION && divided > 0) {
    program->operands[0].dims[divided] *= partitions;
  }
}

static bool fits(const program_t *program, const draw_limits_t *limits) {
  const collective_attributes_t *attributes = collective_attributes(program);
  if (collective_group_size(attributes) > limits->terms_max) return false;
  if (program->operands[0].dims[0] > MIN(limits->elements_max, REPLICAS_MAX)) return false;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    size_t largest =
        MAX(type_element_count(&program->operands[i]), type_element_count(&program->results[i]));
    if (largest > (size_t)limits->elements_max) return false;
  }
  return true;
}

/* One element for each process, or a part for each of its group. */
static void make_smallest(program_t *program, uint32_t divided) {
  for (uint32_t i = 0; i < program->operand_count; i++) {
    type_t *operand = &program->operands[i], *result = &program->results[i];
    for (uint32_t dim = 1; dim < operand->rank; dim++) operand->dims[dim] = result->dims[dim] = 1;
  }
  if (divided > 0) {
    program->operands[0].dims[divided] = collective_group_size(collective_attributes(program));
  }
}

/* Several partitions for one program in three: as many groups more, larger ones, or the same groups
 * under other names.  `divided` is the dimension that a reduce_scatter divides, else 0. */
static void draw_partitions(rng_t *rng, const draw_limits_t *limits, uint32_t divided,
                            program_t *program, collective_attributes_t *attributes) {
  enum { PARTITIONS_DRAWN = 4 };
  rng_t apart = rng_apart(rng);
  if (!rng_one_in(&apart, 3)) return;
  const program_t before = *program;
  const collective_attributes_t attributes_before = *attributes;
  attributes->num_partitions = rng_one_in(&apart, 2) ? 2 : rng_between(&apart, 2, PARTITIONS_DRAWN);
  if (attributes->channel_id == 0 && rng_one_in(&apart, 2)) {
    attributes->channel_id = rng_between(&apart, 1, 9);
    attributes->use_global_device_ids = rng_one_in(&apart, 3);
  }
  bool names_processes = attributes->use_global_device_ids;
  bool is_whole = !names_processes || attributes->groups.id_count % attributes->num_partitions == 0;
  if (is_whole) {
    multiply_sizes(program, attributes, divided);
    if (!fits(program, limits)) make_smallest(program, divided);
    if (fits(program, limits)) return;
  }
  *program = before;
  *attributes = attributes_before;
}

static void draw(rng_t *rng, const draw_limits_t *limits, const op_t *op, arena_t *arena,
                 program_t *out_program) {
  bool scatters = op == &reduce_scatter_op;
  collective_attributes_t *attributes = ARENA_NEW_ARRAY(arena, collective_attributes_t, 1);
  *attributes = (collective_attributes_t){.groups = draw_groups(rng, limits, scatters)};
  draw_channel(rng, attributes);
  reduction_types_t types;
  draw_reduction(rng, arena, &attributes->reduction, &types);
  uint32_t rank = draw_rank(rng, limits, scatters ? 2 : 1);
  uint32_t divided = scatters ? 1 + (uint32_t)rng_below(rng, rank - 1) : 0;
  type_t operand = draw_shape(rng, limits, &attributes->groups, rank, divided);
  type_t result = operand;
  if (scatters) {
    attributes->scatter_dimension = divided - 1;
    result.dims[divided] /= replica_group_size(&attributes->groups);
  }
  *out_program =
      (program_t){.op = op, .attributes = attributes, .operand_count = 1, .result_count = 1};
  set_types(&types, 0, &operand, &result, arena, out_program);
  if (!scatters && rng_one_in(rng, 4)) {
    draw_further_operands(rng, limits, &types, arena, out_program);
  }
  draw_partitions(rng, limits, divided, out_program, attributes);
}

void all_reduce_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                     program_t *out_program) {
  draw(rng, limits, &all_reduce_op, arena, out_program);
}

void reduce_scatter_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                         program_t *out_program) {
  draw(rng, limits, &reduce_scatter_op, arena, out_program);
}
