/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that stand in no region, as regions of one op. */
#include "harness/model/op.h"
#include "harness/quant/graph/parts.h"

/* Names of tensors inside: as many as a region can have ports. */
static const char *const operand_names[QUANT_PORTS_MAX] = {
    "operand0",  "operand1",  "operand2",  "operand3", "operand4",  "operand5",
    "operand6",  "operand7",  "operand8",  "operand9", "operand10", "operand11",
    "operand12", "operand13", "operand14", "operand15"};
static const char *const result_names[QUANT_PORTS_MAX] = {
    "result0", "result1", "result2",  "result3",  "result4",  "result5",  "result6",  "result7",
    "result8", "result9", "result10", "result11", "result12", "result13", "result14", "result15"};

void quant_op_body(quant_op_t *inout_op, quant_op_body_t *out_body) {
  const program_t *program = &inout_op->program;
  uint32_t inputs = program->operand_count;
  for (uint32_t i = 0; i < inputs; i++) {
    inout_op->operands[i] = i;
    out_body->inners[i] = (quant_inner_t){.name = operand_names[i], .type = program->operands[i]};
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    inout_op->results[i] = out_body->returns[i] = inputs + i;
    out_body->inners[inputs + i] =
        (quant_inner_t){.name = result_names[i], .type = program->results[i]};
  }
}

uint32_t quant_builder_add_op(quant_builder_t *builder, const char *name, const program_t *program,
                              const uint32_t *operands, const uint32_t *results) {
  uint32_t inputs = program->operand_count, outputs = program->result_count;
  g_assert(outputs > 0 && inputs + outputs <= QUANT_PORTS_MAX);
  quant_op_t *op = arena_alloc(quant_builder_arena(builder), sizeof *op);
  op->program = *program;
  quant_op_body_t body;
  quant_op_body(op, &body);
  quant_port_t ports[QUANT_PORTS_MAX] = {{.value = 0}};
  for (uint32_t i = 0; i < inputs; i++) ports[i].value = operands[i];
  for (uint32_t i = 0; i < outputs; i++) ports[inputs + i].value = results[i];
  const char *own = name != NULL ? name : quant_builder_value_name(builder, results[0]);
  const quant_region_t region = {.name = own,
                                 .kernel = program->op->name,
                                 .is_op = true,
                                 .input_count = inputs,
                                 .output_count = outputs,
                                 .ports = ports,
                                 .inner_count = inputs + outputs,
                                 .inners = body.inners,
                                 .op_count = 1,
                                 .ops = op,
                                 .returns = body.returns};
  return quant_builder_add_region(builder, &region);
}
