/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle rows of stablehlo.all_reduce and stablehlo.reduce_scatter: reduces over the processes
 * of a group, in the order of the group. */
#include "generated/collective_faults.h"
#include "generated/collective_permissions.h"
#include "oracles/derived/term_rows.h"
#include "oracles/ops/collective/collective.h"

/* ---- Groups ---------------------------------------------------------------------------------- */

/* Of faults that take the groups of a grouping for those of another one, or their members in
 * another order. */
static replica_groups_t find_groups(const program_t *program, fault_t fault) {
  collective_attributes_t attributes = *collective_attributes(program);
  grouping_t grouping = collective_grouping(&attributes);
  int64_t partitions = collective_partitions(&attributes);
  bool joins = grouping == GROUPING_CROSS_REPLICA_AND_PARTITION;
  if (joins && fault == FAULT_partitions_apart) attributes.channel_id = 0;
  if (grouping == GROUPING_CROSS_REPLICA && fault == FAULT_partitions_joined) {
    attributes.channel_id = 1;
  }
  replica_groups_t groups = collective_process_groups(&attributes);
  if (grouping == GROUPING_FLATTENED_IDS && fault == FAULT_device_ids_by_partition) {
    int64_t replicas = groups.id_count / partitions;
    for (uint32_t i = 0; i < groups.id_count; i++) {
      int64_t id = groups.ids[i];
      groups.ids[i] = id % replicas * partitions + id / replicas;
    }
  }
  if (joins && fault == FAULT_partitions_inside_replicas) {
    uint32_t place = 0;
    for (uint32_t group = 0; group < attributes.groups.id_count; group++) {
      for (int64_t partition = 0; partition < partitions; partition++) {
        groups.ids[place++] = attributes.groups.ids[group] * partitions + partition;
      }
    }
  }
  return groups;
}

/* The processes with which one process reduces, and its number among them. */
typedef struct membership {
  uint32_t count;
  uint32_t number;
  int64_t members[REPLICAS_MAX + 1];
} membership_t;

static void add_member(membership_t *membership, int64_t id, int64_t replica) {
  if (id == replica) membership->number = membership->count;
  membership->members[membership->count++] = id;
}

/* Where the ids of a group lie. */
typedef struct run {
  uint32_t first;
  uint32_t count;
} run_t;

static run_t find_run(const replica_groups_t *groups, uint32_t place, fault_t fault) {
  if (fault == FAULT_groups_of_one_size) {
    uint32_t size = MAX(groups->sizes[0], 1), first = place / size * size;
    return (run_t){first, MIN(size, groups->id_count - first)};
  }
  run_t run = {.first = 0, .count = groups->sizes[0]};
  for (uint32_t group = 0; place >= run.first + run.count; group++) {
    run.first += groups->sizes[group];
    run.count = groups->sizes[group + 1];
  }
  return run;
}

/* Those that have the same place in their groups. */
static void add_column(membership_t *membership, const replica_groups_t *groups, uint32_t place,
                       int64_t replica) {
  const int64_t *ids = groups->ids;
  for (uint32_t row = 0; row < groups->group_count; row++) {
    if (place < groups->sizes[row]) add_member(membership, ids[place], replica);
    ids += groups->sizes[row];
  }
}

static void reverse_members(membership_t *membership) {
  for (uint32_t i = 0; i < membership->count / 2; i++) {
    int64_t moved = membership->members[i];
    membership->members[i] = membership->members[membership->count - 1 - i];
    membership->members[membership->count - 1 - i] = moved;
  }
}

/* Of faults that take other replicas, or the parts of others. */
static void spoil_members(membership_t *membership, const replica_groups_t *groups, int64_t replica,
                          fault_t fault) {
  uint32_t count = membership->count;
  switch (fault) {
    case FAULT_groups_ignored:
      membership->count = 0;
      for (uint32_t i = 0; i < groups->id_count; i++) add_member(membership, i, replica);
      break;
    case FAULT_last_member_left_out:
      if (count > 1) membership->count--;
      break;
    case FAULT_first_member_broadcast:
      membership->count = MIN(count, 1);
      break;
    case FAULT_scatter_parts_by_replica:
      membership->number = (uint32_t)replica;
      break;
    case FAULT_scatter_parts_rotated:
      membership->number++;
      break;
    case FAULT_own_operand_twice:
      membership->members[membership->count++] = replica;
      break;
    default:
      break;
  }
}

static membership_t find_membership(const replica_groups_t *groups, int64_t replica,
                                    fault_t fault) {
  uint32_t place = 0;
  while (groups->ids[place] != replica) place++;
  if (fault == FAULT_groups_by_position) place = (uint32_t)replica;
  run_t run = find_run(groups, place, fault);
  membership_t membership = {.count = 0, .number = place - run.first};
  if (fault == FAULT_groups_by_column) {
    add_column(&membership, groups, place - run.first, replica);
  } else {
    const int64_t *ids = groups->ids + run.first;
    for (uint32_t i = 0; i < run.count; i++) add_member(&membership, ids[i], replica);
  }
  spoil_members(&membership, groups, replica, fault);
  bool is_last = place - run.first == run.count - 1;
  if (fault == FAULT_last_replica_in_reverse && is_last) reverse_members(&membership);
  if (fault == FAULT_scatter_reverses_parts) membership.number = run.count - 1 - membership.number;
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
  const replica_groups_t found = find_groups(program, fault), *groups = &found;
  layout_t layout = layout_make(program);
  size_t row_count = type_element_count(&program->results[0]);
  size_t terms_max = MAX(replica_group_size(groups), groups->group_count) + 1;
  if (fault == FAULT_groups_ignored) terms_max = groups->id_count;
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

static status_t gather(const case_t *instance, uint32_t variant, fault_t fault, arena_t *arena,
                       derived_parts_t *out_parts, failure_t *error) {
  (void)variant;
  const program_t *program = &instance->program;
  tensor_t init;
  const reduction_t *reduction = &collective_attributes(program)->reduction;
  scalar_type_t type = scalar_type_of(&program->operands[0]);
  bool has_none;
  STATUS_TRY(term_rows_no_init(reduction, &type, arena, &init, &has_none, error));
  term_rows_t rows = make_rows(program, fault, arena);
  reduction_types_t types = collective_types(program, 0);
  term_source_t source = {.reduction = reduction,
                          .types = &types,
                          .inputs = instance->operands,
                          .inits = &init,
                          .has_no_init = has_none};
  *out_parts = term_rows_gather(&rows, &source, arena);
  return STATUS_OK;
}

/* An all_reduce gives all processes of a group the results of one reduction: the specification
 * defines reduce_scatter by parts of an all_reduce, parts@sender[i] "for all sender" in the group,
 * which is no definition unless all senders have the same.  Each element of the result is reduced
 * by a tree of its own, so that the parts of a reduce_scatter, none of which two processes get,
 * have nothing to agree about. */
static const size_t *find_leaders(const program_t *program, const contract_t *contract,
                                  arena_t *arena) {
  if (PERMITTED(contract, replicas) == REPLICAS_ANY) return NULL;
  return program->op->leaders(program, 0, arena);
}

static const gathering_t all_reduce_gathering = {.gather = gather, .leaders = find_leaders};
static const gathering_t reduce_scatter_gathering = {.gather = gather};

/* ---- Several operands ------------------------------------------------------------------------ */

/* The reduction of operand `number` by itself: a case of one operand and one result. */
static case_t take_operand(const case_t *instance, uint32_t number, arena_t *arena) {
  const program_t *program = &instance->program;
  reduction_types_t types = collective_types(program, number);
  collective_attributes_t *attributes = ARENA_NEW_ARRAY(arena, collective_attributes_t, 1);
  *attributes = *collective_attributes(program);
  reduction_name_accumulations(&types, &attributes->reduction);
  case_t taken = *instance;
  taken.program.attributes = attributes;
  taken.program.operand_count = taken.program.result_count = 1;
  taken.program.operands[0] = program->operands[number];
  taken.program.results[0] = program->results[number];
  taken.operands[0] = instance->operands[number];
  return taken;
}

static status_t accept(const oracle_call_t *call, accept_t out_accepts[CASE_RESULTS_MAX]) {
  for (uint32_t r = 0; r < call->instance->program.result_count; r++) {
    case_t taken = take_operand(call->instance, r, call->arena);
    accept_t own[CASE_RESULTS_MAX];
    const oracle_call_t taken_call = oracle_call_about(call, &taken, NULL);
    STATUS_TRY(derived_accept(&taken_call, own));
    out_accepts[r] = own[0];
  }
  return STATUS_OK;
}

/* What is remembered of each result. */
typedef struct memories {
  void *entries[CASE_RESULTS_MAX];
} memories_t;

/* Asks, or audits `accepts`. */
static status_t ask_remembering(const oracle_call_t *call, const accept_t *accepts, uint32_t result,
                                size_t component, answer_t *out_answer) {
  if (call->memo->entries == NULL) {
    call->memo->entries = arena_alloc_zeroed(&call->memo->arena, sizeof(memories_t));
  }
  memories_t *memories = call->memo->entries;
  case_t taken = take_operand(call->instance, result, call->arena);
  call->memo->entries = memories->entries[result];
  oracle_call_t taken_call =
      oracle_call_about(call, &taken, call->results == NULL ? NULL : &call->results[result]);
  taken_call.memo = call->memo;
  status_t status = accepts == NULL ? derived_ask(&taken_call, 0, component, out_answer)
                                    : derived_audit(&taken_call, &accepts[result], 0, component);
  memories->entries[result] = call->memo->entries;
  call->memo->entries = memories;
  return status;
}

static status_t decide_remembering(const oracle_call_t *call, uint32_t result, size_t component,
                                   answer_t *out_answer) {
  return ask_remembering(call, NULL, result, component, out_answer);
}

static status_t decide(const oracle_call_t *call, uint32_t result, size_t component,
                       answer_t *out_answer) {
  return oracle_decide_with_memo(decide_remembering, call, result, component, out_answer);
}

static status_t audit(const oracle_call_t *call, const accept_t *accepts, uint32_t result,
                      size_t component) {
  if (call->memo != NULL) return ask_remembering(call, accepts, result, component, NULL);
  case_t taken = take_operand(call->instance, result, call->arena);
  const oracle_call_t taken_call = oracle_call_about(call, &taken, NULL);
  return derived_audit(&taken_call, &accepts[result], 0, component);
}

static status_t simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                         tensor_t *inout_results) {
  const program_t *program = &call->instance->program;
  for (uint32_t r = 0; r < program->result_count; r++) {
    bool is_alike = type_equal(&program->operands[0], &program->operands[r]) &&
                    type_equal(&program->results[0], &program->results[r]);
    bool takes_first = schedule->fault == FAULT_first_operand_for_all && is_alike;
    case_t taken = take_operand(call->instance, takes_first ? 0 : r, call->arena);
    const oracle_call_t taken_call = oracle_call_about(call, &taken, NULL);
    STATUS_TRY(derived_simulate(&taken_call, schedule, &inout_results[r]));
  }
  return STATUS_OK;
}

/* ---- The rows -------------------------------------------------------------------------------- */

static const oracle_t all_reduce_oracle = {
    .op_name = "stablehlo.all_reduce",
    .gathering = &all_reduce_gathering,
    .accept = accept,
    .decide = decide,
    .audit = audit,
    .simulate = simulate,
};

static const oracle_t reduce_scatter_oracle = {
    .op_name = "stablehlo.reduce_scatter",
    .gathering = &reduce_scatter_gathering,
    DERIVED_FUNCTIONS,
};

extern const oracle_t *const collective_oracles[];
const oracle_t *const collective_oracles[] = {&all_reduce_oracle, &reduce_scatter_oracle, NULL};
