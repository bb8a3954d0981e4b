/* The oracle rows of stablehlo.all_reduce and stablehlo.reduce_scatter: reduces over the replicas
 * of a group, in the order of the group. */
#include "harness/model/corner.h"
#include "oracles/ops/collective/collective.h"
#include "oracles/term_rows.h"

/* The replicas with which one replica reduces, and its number among them. */
typedef struct membership {
  uint32_t count;
  uint32_t number;
  int64_t members[REPLICAS_MAX + 1];
} membership_t;

static void add_member(membership_t *membership, int64_t id, int64_t replica) {
  if (id == replica) membership->number = membership->count;
  membership->members[membership->count++] = id;
}

static membership_t find_membership(const replica_groups_t *groups, int64_t replica,
                                    fault_t fault) {
  uint32_t size = replica_group_size(groups);
  uint32_t place = 0;
  while (groups->ids[place] != replica) place++;
  if (fault == FAULT_groups_by_position) place = (uint32_t)replica;
  membership_t membership = {.count = 0, .number = place % size};
  if (fault == FAULT_groups_by_column) {
    for (uint32_t row = 0; row < groups->group_count; row++) {
      add_member(&membership, groups->ids[row * size + place % size], replica);
    }
  } else {
    uint32_t first = place / size * size;
    for (uint32_t i = 0; i < size; i++) add_member(&membership, groups->ids[first + i], replica);
  }
  if (fault == FAULT_last_replica_in_reverse && place % size == size - 1) {
    for (uint32_t i = 0; i < size / 2; i++) {
      int64_t moved = membership.members[i];
      membership.members[i] = membership.members[size - 1 - i];
      membership.members[size - 1 - i] = moved;
    }
  }
  if (fault == FAULT_scatter_reverses_parts) membership.number = size - 1 - membership.number;
  if (fault == FAULT_replica_counted_twice) {
    membership.members[membership.count++] = membership.members[0];
  }
  return membership;
}

/* Elements of one replica's operand and result, as blocks of `inner` elements: the dimensions
 * before the scatter dimension, that dimension, and those behind it. */
typedef struct layout {
  size_t operand_count;
  size_t result_count;
  size_t operand_size;
  size_t result_size; /* Of the scatter dimension. */
  size_t inner;
} layout_t;

static layout_t layout_make(const program_t *program) {
  const type_t *operand = &program->operands[0];
  const type_t *result = &program->results[0];
  size_t replicas = MAX((size_t)operand->dims[0], 1);
  layout_t layout = {.operand_count = type_element_count(operand) / replicas,
                     .result_count = type_element_count(result) / replicas,
                     .operand_size = 1,
                     .result_size = 1,
                     .inner = 1};
  uint32_t dim = 1 + (uint32_t)collective_attributes(program)->scatter_dimension;
  if (dim >= operand->rank) return layout;
  layout.operand_size = (size_t)operand->dims[dim];
  layout.result_size = (size_t)result->dims[dim];
  for (uint32_t i = dim + 1; i < operand->rank; i++) layout.inner *= (size_t)operand->dims[i];
  return layout;
}

/* The element of a replica's operand that goes into element `index` of the result of the replica
 * that has that number; an all_reduce gives all of it to each. */
static size_t source_of(const layout_t *layout, size_t index, uint32_t number) {
  size_t inner = index % layout->inner;
  size_t place = index / layout->inner % layout->result_size;
  size_t outer = index / layout->inner / layout->result_size;
  size_t parts = layout->operand_size / layout->result_size;
  place += number % parts * layout->result_size;
  return (outer * layout->operand_size + place) * layout->inner + inner;
}

static term_rows_t make_rows(const program_t *program, fault_t fault, arena_t *arena) {
  const replica_groups_t *groups = &collective_attributes(program)->groups;
  layout_t layout = layout_make(program);
  size_t row_count = type_element_count(&program->results[0]);
  size_t terms_max = MAX(replica_group_size(groups), groups->group_count) + 1;
  size_t *ends = ARENA_NEW_ARRAY(arena, size_t, row_count);
  int64_t *terms = ARENA_NEW_ARRAY(arena, int64_t, row_count *terms_max);
  size_t row = 0, end = 0;
  for (uint32_t replica = 0; replica < groups->id_count; replica++) {
    membership_t membership = find_membership(groups, replica, fault);
    for (size_t index = 0; index < layout.result_count; index++) {
      size_t source = source_of(&layout, index, membership.number);
      for (uint32_t i = 0; i < membership.count; i++) {
        size_t first = (size_t)membership.members[i] * layout.operand_count;
        terms[end++] = (int64_t)(first + source);
      }
      ends[row++] = end;
    }
  }
  return (term_rows_t){.row_count = row_count, .ends = ends, .terms = terms};
}

/* There is no initial value: one that changes nothing, to the last bit, stands for none.  For sums
 * that is -0. */
static status_t make_init(const program_t *program, arena_t *arena, tensor_t *out_init,
                          failure_t *error) {
  const reduction_t *reduction = &collective_attributes(program)->reduction;
  scalar_type_t type = scalar_type_of(&program->operands[0]);
  const element_t *element = type.element;
  bool is_complex = element->kind == ELEMENT_COMPLEX;
  if (is_complex && reduction->body == REDUCE_multiply) {
    return status_fail(error, STATUS_UNSUPPORTED,
                       "no oracle for complex products without an initial value");
  }
  type_t scalar = scalar_type_tensor(&type, 0, NULL, arena);
  *out_init = tensor_make(arena, &scalar);
  uint64_t bits = reduction_neutral_bits(reduction, &type, 0);
  if (element->format != NULL && reduction->body == REDUCE_add) bits = corner_zero(element, true);
  for (uint32_t i = 0; i < element->components; i++)
    element_store(element, out_init->data, i, bits);
  return STATUS_OK;
}

static status_t gather(const case_t *instance, uint32_t reading, fault_t fault, arena_t *arena,
                       gathered_parts_t *out_parts, failure_t *error) {
  (void)reading;
  const program_t *program = &instance->program;
  tensor_t init;
  STATUS_TRY(make_init(program, arena, &init, error));
  term_rows_t rows = make_rows(program, fault, arena);
  reduction_types_t types = collective_types(program);
  term_source_t source = {.reduction = &collective_attributes(program)->reduction,
                          .types = &types,
                          .inputs = instance->operands,
                          .inits = &init};
  *out_parts = term_rows_gather(&rows, &source, arena);
  return STATUS_OK;
}

/* An all_reduce gives all replicas of a group the results of one reduction: the specification
 * defines reduce_scatter by parts of an all_reduce, parts@sender[i] "for all sender" in the group,
 * which is no definition unless all senders have the same.  Each element of the result is reduced
 * by a tree of its own, so that the parts of a reduce_scatter, none of which two replicas get, have
 * nothing to agree about. */
static const size_t *find_leaders(const program_t *program, const contract_t *contract,
                                  arena_t *arena) {
  if (contract->replicas == REPLICAS_ANY) return NULL;
  const replica_groups_t *groups = &collective_attributes(program)->groups;
  layout_t layout = layout_make(program);
  size_t *leaders = ARENA_NEW_ARRAY(arena, size_t, type_element_count(&program->results[0]));
  for (uint32_t replica = 0; replica < groups->id_count; replica++) {
    membership_t membership = find_membership(groups, replica, FAULT_NONE);
    int64_t first = replica;
    for (uint32_t i = 0; i < membership.count; i++) first = MIN(first, membership.members[i]);
    for (size_t i = 0; i < layout.result_count; i++) {
      leaders[replica * layout.result_count + i] = (size_t)first * layout.result_count + i;
    }
  }
  return leaders;
}

static const gathering_t all_reduce_gathering = {.gather = gather, .leaders = find_leaders};
static const gathering_t reduce_scatter_gathering = {.gather = gather};

static const oracle_t all_reduce_oracle = {
    .op_name = "stablehlo.all_reduce",
    .gathering = &all_reduce_gathering,
    GATHERED_FUNCTIONS,
};

static const oracle_t reduce_scatter_oracle = {
    .op_name = "stablehlo.reduce_scatter",
    .gathering = &reduce_scatter_gathering,
    GATHERED_FUNCTIONS,
};

extern const oracle_t *const collective_oracles[];
const oracle_t *const collective_oracles[] = {&all_reduce_oracle, &reduce_scatter_oracle, NULL};
