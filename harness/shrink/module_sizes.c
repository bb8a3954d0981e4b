/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates of programs of several steps with fewer entries along a dimension of a value, and
 * along those of other values that must be as long: which these are is found by trial, step by
 * step. */
#include <string.h>

#include "harness/kinds/module/module.h"
#include "harness/shrink/state.h"

enum {
  BLOCKS_MAX = 4,
  TRIED_MAX = 512, /* Steps' programs made for one candidate. */
  ASKED_MAX = 3,   /* Of the ways found, how many the predicate may be asked about. */
};

/* Entries of a dimension of a value that stay, and what was made shorter with it. */
typedef struct sizing {
  shrink_t *shrink;
  module_value_t value;
  uint32_t dim;
  int64_t size; /* At present. */
  const size_t *kept;
  size_t count;
  uint32_t *dims; /* By value: a bit for each dimension that is cut. */
  uint32_t tried;
  uint32_t asked;
} sizing_t;

/* ---- Cutting --------------------------------------------------------------------------------- */

static void cut_type(const sizing_t *sizing, uint32_t dims, type_t *inout_type) {
  for (uint32_t dim = 0; dim < inout_type->rank; dim++) {
    if ((dims >> dim & 1) == 0) continue;
    inout_type->dims[dim] = (int64_t)sizing->count;
    const quantization_t *quantization = inout_type->quantization;
    if (quantization == NULL || quantization->axis != (int32_t)dim) continue;
    inout_type->quantization =
        shrink_kept_scales(quantization, sizing->kept, sizing->count, &sizing->shrink->scratch);
  }
}

static program_t cut_step(const sizing_t *sizing, const module_step_t *step) {
  program_t program = step->program;
  for (uint32_t i = 0; i < program.operand_count; i++) {
    cut_type(sizing, sizing->dims[step->operands[i]], &program.operands[i]);
  }
  for (uint32_t i = 0; i < program.result_count; i++) {
    cut_type(sizing, sizing->dims[step->results[i]], &program.results[i]);
  }
  return program;
}

/* Which element of the present tensor element `element` of the shorter one is. */
static size_t element_before(const sizing_t *sizing, const type_t *before, uint32_t dims,
                             size_t element) {
  size_t place = 0, stride = 1;
  for (uint32_t dim = before->rank; dim-- > 0;) {
    bool is_cut = (dims >> dim & 1) != 0;
    size_t size = is_cut ? sizing->count : (size_t)before->dims[dim];
    size_t index = element % size;
    place += (is_cut ? sizing->kept[index] : index) * stride;
    element /= size;
    stride *= (size_t)before->dims[dim];
  }
  return place;
}

static tensor_t cut_tensor(const sizing_t *sizing, module_value_t value, const tensor_t *before) {
  uint32_t dims = sizing->dims[value];
  type_t type = before->type;
  cut_type(sizing, dims, &type);
  tensor_t made = tensor_make(&sizing->shrink->scratch, &type);
  size_t bytes = element_bytes(type.element), count = type_element_count(&type);
  for (size_t i = 0; i < count; i++) {
    memcpy(made.data + i * bytes,
           before->data + element_before(sizing, &before->type, dims, i) * bytes, bytes);
  }
  return made;
}

static bool try_case(sizing_t *sizing) {
  shrink_t *shrink = sizing->shrink;
  const module_t *module = module_of(&shrink->best.program);
  arena_t *arena = &shrink->scratch;
  case_t candidate = {.program = shrink->best.program};
  for (uint32_t i = 0; i < candidate.program.operand_count; i++) {
    candidate.operands[i] = cut_tensor(sizing, i, &shrink->best.operands[i]);
    candidate.program.operands[i] = candidate.operands[i].type;
  }
  for (uint32_t i = 0; i < candidate.program.result_count; i++) {
    cut_type(sizing, sizing->dims[module->returns[i]], &candidate.program.results[i]);
  }
  module_t *made = arena_alloc(arena, sizeof *made);
  tensor_t *constants = ARENA_NEW_ARRAY(arena, tensor_t, module->constant_count + 1);
  module_step_t *steps = ARENA_NEW_ARRAY(arena, module_step_t, module->step_count + 1);
  for (uint32_t i = 0; i < module->constant_count; i++) {
    constants[i] = cut_tensor(sizing, MODULE_ARGUMENTS_MAX + i, &module->constants[i]);
  }
  for (uint32_t i = 0; i < module->step_count; i++) {
    steps[i] = module->steps[i];
    steps[i].program = cut_step(sizing, &module->steps[i]);
  }
  *made = *module;
  made->constants = constants;
  made->steps = steps;
  module_attributes_t *attributes = arena_alloc(arena, sizeof *attributes);
  attributes->module = made;
  candidate.program.attributes = attributes;
  sizing->asked++;
  return shrink_try(shrink, &candidate);
}

/* ---- What must be cut together --------------------------------------------------------------- */

static const module_step_t *find_broken(sizing_t *sizing) {
  const module_t *module = module_of(&sizing->shrink->best.program);
  for (uint32_t i = 0; i < module->step_count; i++) {
    const program_t program = cut_step(sizing, &module->steps[i]);
    sizing->tried++;
    if (program_broken(&program) != NULL) return &module->steps[i];
  }
  return NULL;
}

static bool try_sizes(sizing_t *sizing);

static bool try_with(sizing_t *sizing, module_value_t value, const type_t *type) {
  for (uint32_t dim = 0; dim < type->rank; dim++) {
    bool is_other = type->dims[dim] == sizing->size && (sizing->dims[value] >> dim & 1) == 0;
    if (!is_other) continue;
    sizing->dims[value] |= 1u << dim;
    if (try_sizes(sizing)) return true;
    sizing->dims[value] &= ~(1u << dim);
  }
  return false;
}

static bool try_sizes(sizing_t *sizing) {
  if (sizing->tried > TRIED_MAX || sizing->asked >= ASKED_MAX) return false;
  const module_step_t *broken = find_broken(sizing);
  if (broken == NULL) return try_case(sizing);
  for (uint32_t i = 0; i < broken->program.result_count; i++) {
    if (try_with(sizing, broken->results[i], &broken->program.results[i])) return true;
  }
  for (uint32_t i = 0; i < broken->program.operand_count; i++) {
    if (try_with(sizing, broken->operands[i], &broken->program.operands[i])) return true;
  }
  return false;
}

static bool keep_entries(void *context, const size_t *kept, size_t count) {
  sizing_t *sizing = context;
  shrink_t *shrink = sizing->shrink;
  const type_t *type = module_type(&shrink->best.program, sizing->value);
  if (kept[count - 1] >= (size_t)type->dims[sizing->dim]) return false;
  arena_reset(&shrink->scratch);
  sizing->size = type->dims[sizing->dim];
  sizing->kept = kept;
  sizing->count = count;
  sizing->tried = sizing->asked = 0;
  uint32_t values = module_of(&shrink->best.program)->value_count;
  memset(sizing->dims, 0, values * sizeof *sizing->dims);
  sizing->dims[sizing->value] = 1u << sizing->dim;
  return try_sizes(sizing);
}

bool shrink_module_sizes(shrink_t *shrink) {
  uint32_t values = module_of(&shrink->best.program)->value_count;
  uint32_t *dims = g_new0(uint32_t, values);
  bool is_changed = false;
  for (module_value_t value = 0; value < values && !shrink_is_over(shrink); value++) {
    const type_t *type = module_type(&shrink->best.program, value);
    for (uint32_t dim = 0; type != NULL && dim < type->rank; dim++) {
      sizing_t sizing = {.shrink = shrink, .value = value, .dim = dim, .dims = dims};
      type = module_type(&shrink->best.program, value);
      if (type->dims[dim] < 2) continue;
      is_changed |=
          shrink_leave_out(shrink, (size_t)type->dims[dim], 1, BLOCKS_MAX, keep_entries, &sizing);
    }
  }
  g_free(dims);
  return is_changed;
}
