/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle rows of the ops that move elements.  Nothing is computed, so one value is right: that
 * of one element of an operand.  NaNs are one value (the specification gives payloads no meaning),
 * and what the contract permits of zeros and subnormal numbers it permits of copies too. */
#include <string.h>

#include "generated/data_movement_faults.h"
#include "oracles/audit.h"
#include "oracles/copied.h"
#include "oracles/exact/quantum/fault_values.h"
#include "oracles/ops/data_movement/enclose.h"
#include "oracles/ops/data_movement/moves.h"

/* ---- Fast side ------------------------------------------------------------------------------- */

typedef struct collection {
  const case_t *instance;
  uint64_t *bits; /* Of each component of the result. */
} collection_t;

static void collect(const move_t *move, size_t from, size_t to, void *context) {
  const collection_t *collection = (const collection_t *)context;
  const tensor_t *operand = &collection->instance->operands[move->operand];
  const element_t *element = operand->type.element;
  for (size_t part = 0; part < element->components; part++) {
    collection->bits[to * element->components + part] =
        element_load(element, operand->data, from * element->components + part);
  }
}

static status_t check_defined(const program_t *program, failure_t *error) {
  if (data_movement_is_defined(program)) return STATUS_OK;
  return status_fail(error, STATUS_UNSUPPORTED,
                     "no oracle for a broadcast to other scales than those of the operand");
}

static status_t movement_accept(const oracle_call_t *call, accept_t out_accepts[CASE_RESULTS_MAX]) {
  const program_t *program = &call->instance->program;
  STATUS_TRY(check_defined(program, call->error));
  size_t count = type_component_count(&program->results[0]);
  collection_t collection = {call->instance, ARENA_NEW_ARRAY(call->arena, uint64_t, count)};
  moves_t moves = moves_make(program, FAULT_NONE);
  for (uint32_t i = 0; i < moves.count; i++) {
    move_each(program, &moves.items[i], collect, &collection);
  }
  out_accepts[0] = (accept_t){.count = count, .bits = collection.bits};
  return STATUS_OK;
}

/* ---- One component --------------------------------------------------------------------------- */

/* An element, by its operand and row-major number. */
typedef struct origin {
  uint32_t operand;
  size_t number;
} origin_t;

static void find_indices(const type_t *type, size_t number, int64_t out_indices[TYPE_RANK_MAX]) {
  for (uint32_t dim = type->rank; dim-- > 0;) {
    out_indices[dim] = (int64_t)(number % (size_t)type->dims[dim]);
    number /= (size_t)type->dims[dim];
  }
}

static size_t find_number(const type_t *type, const int64_t indices[TYPE_RANK_MAX]) {
  size_t number = 0;
  for (uint32_t dim = 0; dim < type->rank; dim++) {
    number = number * (size_t)type->dims[dim] + (size_t)indices[dim];
  }
  return number;
}

/* Where element `number` of the result comes from, by the formulas of the specification. */
static origin_t find_origin(const program_t *program, size_t number) {
  const data_movement_attributes_t *attributes = data_movement_attributes(program);
  const type_t *operand = &program->operands[0];
  int64_t result_index[TYPE_RANK_MAX], operand_index[TYPE_RANK_MAX];
  uint32_t from = 0;
  find_indices(&program->results[0], number, result_index);
  switch (data_movement_of(program)) {
    case MOVEMENT_RESHAPE: /* index_space(result) in the order of index_space(operand). */
      return (origin_t){0, number};
    case MOVEMENT_TRANSPOSE: /* result_index[d] = operand_index[permutation[d]]. */
      for (uint32_t d = 0; d < operand->rank; d++) {
        operand_index[attributes->dimensions.dims[d]] = result_index[d];
      }
      break;
    case MOVEMENT_BROADCAST: /* operand_index[d] = 0, or result_index[broadcast_dimensions[d]]. */
      for (uint32_t d = 0; d < operand->rank; d++) {
        bool is_stretched = operand->dims[d] == 1;
        operand_index[d] = is_stretched ? 0 : result_index[attributes->dimensions.dims[d]];
      }
      break;
    case MOVEMENT_CONCATENATE: /* id = d0 + ... + dk-1 + kd. */
      memcpy(operand_index, result_index, sizeof operand_index);
      while (operand_index[attributes->dimension] >= operand->dims[attributes->dimension]) {
        operand_index[attributes->dimension] -= operand->dims[attributes->dimension];
        operand = &program->operands[++from];
      }
      break;
  }
  return (origin_t){from, find_number(operand, operand_index)};
}

static status_t movement_decide(const oracle_call_t *call, uint32_t result, size_t component,
                                answer_t *out_answer) {
  const program_t *program = &call->instance->program;
  STATUS_TRY(check_defined(program, call->error));
  const element_t *element = program->results[result].element;
  size_t parts = element->components;
  origin_t origin = find_origin(program, component / parts);
  const tensor_t *operand = &call->instance->operands[origin.operand];
  uint64_t due = element_load(element, operand->data, origin.number * parts + component % parts);
  uint64_t bits = element_load(element, call->results[result].data, component);
  answer_t answer = copied_answer(element, call->contract, due, bits);
  answer.is_quantum = program->results[result].quantization != NULL;
  *out_answer = answer;
  return STATUS_OK;
}

/* The fast side follows strides, the exact one the formulas. */
static status_t audit(const oracle_call_t *call, const accept_t *accepts, uint32_t result,
                      size_t component) {
  const audit_reference_t reference = {.is_known = false};
  return audit_component(oracle_find(call->instance->program.op), call, accepts, result, component,
                         &reference);
}

/* ---- Simulating ------------------------------------------------------------------------------ */

typedef struct simulation {
  const case_t *instance;
  tensor_t *result;
  fault_t fault;
} simulation_t;

static uint64_t spoil_float(const simulation_t *simulation, size_t part, size_t to, uint64_t bits) {
  const element_t *element = simulation->result->type.element;
  const format_t *format = element->format;
  bool is_conjugated = part == 1 && simulation->fault == FAULT_conjugate_lhs &&
                       data_movement_of(&simulation->instance->program) == MOVEMENT_TRANSPOSE;
  if (is_conjugated && !format_is_nan(format, bits)) {
    bits = format_from_double(format, -format_to_double(format, bits));
  }
  return copied_spoil(simulation->fault, element, bits, to);
}

static uint64_t spoil_integer(const simulation_t *simulation, uint64_t bits) {
  const element_t *element = simulation->result->type.element;
  if (simulation->fault == FAULT_moved_in_low_half && element->bits == 64) {
    return (uint64_t)(int64_t)(int32_t)(uint32_t)bits;
  }
  if (simulation->fault != FAULT_moved_as_f32) return bits;
  bool is_signed = element->kind == ELEMENT_SIGNED;
  int64_t value = element_signed_value(element, bits);
  float moved = is_signed ? (float)value : (float)bits;
  if (moved >= 0x1p63f) return element_integer_max(element);
  return (uint64_t)(int64_t)moved & element_mask(element);
}

static bool is_behind_words(const tensor_t *result, size_t element) {
  enum { WORD = 4 };
  size_t bytes = element_bytes(result->type.element);
  size_t whole = type_element_count(&result->type) * bytes / WORD * WORD;
  return (element + 1) * bytes > whole;
}

static void move_one(const move_t *move, size_t from, size_t to, void *context) {
  const simulation_t *simulation = (const simulation_t *)context;
  const tensor_t *operand = &simulation->instance->operands[move->operand];
  const element_t *element = operand->type.element;
  if (fault_skips_store(simulation->fault, to, simulation->result)) return;
  if (simulation->fault == FAULT_moved_in_words && is_behind_words(simulation->result, to)) return;
  size_t swap = simulation->fault == FAULT_parts_swapped && element->components > 1 ? 1 : 0;
  for (size_t part = 0; part < element->components; part++) {
    size_t place = from * element->components + (part ^ swap);
    uint64_t bits = element_load(element, operand->data, place);
    if (simulation->fault != FAULT_NONE) {
      bits = element->format != NULL ? spoil_float(simulation, part, to, bits)
                                     : spoil_integer(simulation, bits);
    }
    element_store(element, simulation->result->data, to * element->components + part, bits);
  }
}

static status_t movement_simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                                  tensor_t *inout_results) {
  const program_t *program = &call->instance->program;
  simulation_t simulation = {call->instance, &inout_results[0], schedule->fault};
  moves_t moves = moves_make(program, schedule->fault);
  for (uint32_t i = 0; i < moves.count; i++) {
    move_each(program, &moves.items[i], move_one, &simulation);
  }
  return STATUS_OK;
}

/* ---- The rows -------------------------------------------------------------------------------- */

#define MOVEMENT_FUNCTIONS                                              \
  .accept = movement_accept, .decide = movement_decide, .audit = audit, \
  .simulate = movement_simulate, .enclose = data_movement_enclose

static const oracle_t reshape_oracle = {.op_name = "stablehlo.reshape", MOVEMENT_FUNCTIONS};
static const oracle_t transpose_oracle = {.op_name = "stablehlo.transpose", MOVEMENT_FUNCTIONS};
static const oracle_t broadcast_oracle = {.op_name = "stablehlo.broadcast_in_dim",
                                          MOVEMENT_FUNCTIONS};
static const oracle_t concatenate_oracle = {.op_name = "stablehlo.concatenate", MOVEMENT_FUNCTIONS};

extern const oracle_t *const data_movement_oracles[];
const oracle_t *const data_movement_oracles[] = {&reshape_oracle, &transpose_oracle,
                                                 &broadcast_oracle, &concatenate_oracle, NULL};
