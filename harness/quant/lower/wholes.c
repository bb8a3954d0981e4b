/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers the steps of a region, what they take and what others take of them. */
#include "harness/quant/lower/wholes.h"

#include <string.h>

typedef struct gathering {
  const quant_steps_t *steps;
  arena_t *arena;
  quant_whole_t *whole;
  const int32_t *makers; /* By tensor: the step that makes it, or QUANT_NONE. */
  int32_t *values;       /* By tensor: its value in the module, or QUANT_NONE. */
  tensor_t *constants;
  module_step_t *made;
  module_t *module;
} gathering_t;

static bool is_of(const gathering_t *self, int32_t step) {
  return step != QUANT_NONE && self->whole->is_own[step];
}

static bool is_dequantization(const quant_step_t *step) {
  return strcmp(step->program.op->name, "stablehlo.uniform_dequantize") == 0;
}

/* A dequantization of others, whose operand no step of the region makes. */
static bool is_pulled_in(const gathering_t *self, uint32_t tensor) {
  int32_t maker = self->makers[tensor];
  if (maker == QUANT_NONE || is_of(self, maker)) return false;
  const quant_step_t *step = &self->steps->steps[maker];
  return is_dequantization(step) && !is_of(self, self->makers[step->operands[0]]);
}

static bool fail(gathering_t *self, const char *reason) {
  self->whole->reason = reason;
  return false;
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* Constants first, since those are numbered first. */
static bool gather_constant(gathering_t *self, uint32_t tensor) {
  const tensor_t *constant = self->steps->tensors[tensor].constant;
  if (constant == NULL || self->values[tensor] != QUANT_NONE) return true;
  if (self->module->constant_count == MODULE_CONSTANTS_MAX) return fail(self, "many constants");
  self->values[tensor] = (int32_t)(MODULE_ARGUMENTS_MAX + self->module->constant_count);
  tensor_t *copy = &self->constants[self->module->constant_count++];
  *copy = *constant;
  copy->type = self->steps->tensors[tensor].type;
  return true;
}

static bool gather_input(gathering_t *self, uint32_t tensor) {
  if (self->values[tensor] != QUANT_NONE) return true;
  program_t *program = &self->whole->program;
  if (program->operand_count == CASE_OPERANDS_MAX) return fail(self, "many inputs");
  self->values[tensor] = (int32_t)program->operand_count;
  self->whole->inputs[program->operand_count] = tensor;
  program->operands[program->operand_count++] = self->steps->tensors[tensor].type;
  return true;
}

static bool gather_step(gathering_t *self, const quant_step_t *step) {
  if (self->module->step_count == MODULE_STEPS_MAX) return fail(self, "many steps");
  module_step_t *made = &self->made[self->module->step_count++];
  *made = (module_step_t){.program = step->program};
  for (uint32_t i = 0; i < step->program.operand_count; i++) {
    made->operands[i] = (module_value_t)self->values[step->operands[i]];
  }
  for (uint32_t i = 0; i < step->program.result_count; i++) {
    made->results[i] = self->module->value_count++;
    self->values[step->results[i]] = (int32_t)made->results[i];
  }
  return true;
}

/* What an operand is made of, as a value of the module. */
static bool gather_operand(gathering_t *self, uint32_t tensor) {
  if (self->values[tensor] != QUANT_NONE) return true;
  if (!is_pulled_in(self, tensor)) return gather_input(self, tensor);
  const quant_step_t *source = &self->steps->steps[self->makers[tensor]];
  return gather_operand(self, source->operands[0]) && gather_step(self, source);
}

/* ---- The region ------------------------------------------------------------------------------ */

static bool gather_constants(gathering_t *self) {
  for (uint32_t i = self->whole->first; i <= self->whole->last; i++) {
    const quant_step_t *step = &self->steps->steps[i];
    for (uint32_t k = 0; is_of(self, (int32_t)i) && k < step->program.operand_count; k++) {
      uint32_t tensor = step->operands[k];
      if (is_pulled_in(self, tensor)) {
        tensor = self->steps->steps[self->makers[tensor]].operands[0];
      }
      if (!gather_constant(self, tensor)) return false;
    }
  }
  self->module->value_count = MODULE_ARGUMENTS_MAX + self->module->constant_count;
  return true;
}

static bool gather_steps(gathering_t *self) {
  for (uint32_t i = self->whole->first; i <= self->whole->last; i++) {
    const quant_step_t *step = &self->steps->steps[i];
    for (uint32_t k = 0; k < step->program.operand_count; k++) {
      bool is_own = is_of(self, self->makers[step->operands[k]]);
      if (!is_of(self, (int32_t)i)) {
        if (is_own) return fail(self, "steps of others between its own take of it");
      } else if (!gather_operand(self, step->operands[k])) {
        return false;
      }
    }
    if (is_of(self, (int32_t)i) && !gather_step(self, step)) return false;
  }
  return true;
}

static bool takes(const quant_step_t *step, uint32_t tensor) {
  for (uint32_t k = 0; k < step->program.operand_count; k++) {
    if (step->operands[k] == tensor) return true;
  }
  return false;
}

/* Whether a step that is not the region's takes the tensor, or what dequantizes it, which that
 * region then computes itself. */
static bool is_output(const gathering_t *self, uint32_t tensor) {
  for (uint32_t i = 0; i < self->steps->graph->output_count; i++) {
    if (self->steps->outputs[i] == tensor) return true;
  }
  if (is_dequantization(&self->steps->steps[self->makers[tensor]])) return false;
  for (uint32_t i = 0; i < self->steps->step_count; i++) {
    const quant_step_t *step = &self->steps->steps[i];
    if (!takes(step, tensor)) continue;
    if (!is_of(self, (int32_t)i)) return true;
    for (uint32_t k = 0; is_dequantization(step) && k < self->steps->step_count; k++) {
      if (!is_of(self, (int32_t)k) && takes(&self->steps->steps[k], step->results[0])) return true;
    }
  }
  return false;
}

static bool gather_outputs(gathering_t *self) {
  program_t *program = &self->whole->program;
  for (uint32_t tensor = 0; tensor < self->steps->tensor_count; tensor++) {
    if (!is_of(self, self->makers[tensor]) || !is_output(self, tensor)) continue;
    if (program->result_count == CASE_RESULTS_MAX) return fail(self, "many outputs");
    self->whole->outputs[program->result_count] = tensor;
    self->module->returns[program->result_count] = (module_value_t)self->values[tensor];
    program->results[program->result_count++] = self->steps->tensors[tensor].type;
  }
  self->module->return_count = program->result_count;
  return program->result_count > 0 || fail(self, "nothing is taken of it");
}

static bool gather(gathering_t *self) {
  if (self->whole->step_count < 2) return fail(self, "one step");
  if (!gather_constants(self) || !gather_steps(self) || !gather_outputs(self)) return false;
  module_attributes_t *attributes = arena_alloc(self->arena, sizeof *attributes);
  attributes->module = self->module;
  self->whole->program.op = op_find(str_from(MODULE_OP));
  self->whole->program.attributes = attributes;
  return program_broken(&self->whole->program) == NULL || fail(self, "it is no module");
}

/* Quantizes an input of its region, which others may take too. */
static bool is_entry(const quant_steps_t *steps, const int32_t *makers, const quant_step_t *step) {
  int32_t maker = makers[step->operands[0]];
  bool is_made_inside = maker != QUANT_NONE && steps->steps[maker].region == step->region;
  return strcmp(step->program.op->name, "stablehlo.uniform_quantize") == 0 && !is_made_inside;
}

static void find_steps(const quant_steps_t *steps, const int32_t *makers, int32_t region,
                       arena_t *arena, quant_whole_t *out_whole) {
  bool *is_own = arena_alloc_zeroed(arena, steps->step_count + 1);
  for (uint32_t i = 0; i < steps->step_count; i++) {
    const quant_step_t *step = &steps->steps[i];
    if (step->region != region || is_entry(steps, makers, step)) continue;
    is_own[i] = true;
    if (out_whole->step_count++ == 0) out_whole->first = i;
    out_whole->last = i;
  }
  out_whole->is_own = is_own;
}

static void gather_region(const quant_steps_t *steps, const int32_t *makers, uint32_t region,
                          arena_t *arena, quant_whole_t *out_whole) {
  bool is_op = steps->graph->regions[region].is_op;
  *out_whole = (quant_whole_t){.reason = is_op ? "it stands in no region" : ""};
  find_steps(steps, makers, (int32_t)region, arena, out_whole);
  size_t operands = (size_t)steps->step_count * CASE_OPERANDS_MAX;
  gathering_t self = {
      .steps = steps,
      .arena = arena,
      .whole = out_whole,
      .makers = makers,
      .values = ARENA_NEW_ARRAY(arena, int32_t, steps->tensor_count + 1),
      .constants = ARENA_NEW_ARRAY(arena, tensor_t, MIN(operands, MODULE_CONSTANTS_MAX)),
      .made = ARENA_NEW_ARRAY(arena, module_step_t, MIN(steps->step_count, MODULE_STEPS_MAX) + 1),
      .module = arena_alloc_zeroed(arena, sizeof(module_t))};
  self.module->constants = self.constants;
  self.module->steps = self.made;
  for (uint32_t i = 0; i < steps->tensor_count; i++) self.values[i] = QUANT_NONE;
  out_whole->is_whole = !is_op && gather(&self);
}

const quant_whole_t *quant_find_wholes(const quant_steps_t *steps, arena_t *arena) {
  uint32_t count = steps->graph->region_count;
  quant_whole_t *wholes = ARENA_NEW_ARRAY(arena, quant_whole_t, count + 1);
  int32_t *makers = ARENA_NEW_ARRAY(arena, int32_t, steps->tensor_count + 1);
  for (uint32_t i = 0; i < steps->tensor_count; i++) makers[i] = QUANT_NONE;
  for (uint32_t i = 0; i < steps->step_count; i++) {
    const quant_step_t *step = &steps->steps[i];
    for (uint32_t k = 0; k < step->program.result_count; k++) {
      makers[step->results[k]] = (int32_t)i;
    }
  }
  for (uint32_t i = 0; i < count; i++) gather_region(steps, makers, i, arena, &wholes[i]);
  return wholes;
}
