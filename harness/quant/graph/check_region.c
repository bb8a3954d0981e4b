/* SPDX-License-Identifier: Apache-2.0 */
/* What is inside of regions, and how it fits their ports. */
#include "harness/quant/graph/parts.h"

#include "harness/model/op.h"

/* Whether a tensor inside of the region is there already, while ops are gone through in order. */
typedef struct body {
  const quant_region_t *region;
  GByteArray *is_made; /* By inner tensor. */
  failure_t *error;
} body_t;

static status_t fail(const body_t *body, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* "region NAME: ...", or "op NAME: ..." */
static status_t fail(const body_t *body, const char *format, ...) {
  char text[ERROR_TEXT_BYTES / 2];
  va_list arguments;
  va_start(arguments, format);
  g_vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return status_fail(body->error, STATUS_INVALID, "%s %s: %s",
                     body->region->is_op ? "op" : "region", body->region->name, text);
}

/* ---- Tensors --------------------------------------------------------------------------------- */

static status_t check_inner(const body_t *body, const quant_inner_t *inner) {
  failure_t reason;
  if (!quant_is_name(str_from(inner->name), false)) {
    return fail(body, "\"%.40s\" is no name of a tensor", inner->name);
  }
  if (type_check(&inner->type, &reason) != STATUS_OK) {
    return fail(body, "tensor %.80s: %.120s", inner->name, reason.text);
  }
  if (inner->type.quantization != NULL) {
    return fail(body, "tensor %.80s: tensors inside are in high precision", inner->name);
  }
  if (inner->constant != NULL && !type_equal(&inner->constant->type, &inner->type)) {
    return fail(body, "tensor %.80s: its data are of another type", inner->name);
  }
  if (quant_spec_check(&inner->spec, &inner->type, &reason) != STATUS_OK) {
    return fail(body, "tensor %.80s: %.120s", inner->name, reason.text);
  }
  return STATUS_OK;
}

static status_t check_inner_names(const body_t *body) {
  GHashTable *names = g_hash_table_new(g_str_hash, g_str_equal);
  const quant_region_t *region = body->region;
  status_t status = STATUS_OK;
  for (uint32_t i = 0; i < region->inner_count && status == STATUS_OK; i++) {
    status = check_inner(body, &region->inners[i]);
    bool is_new = g_hash_table_add(names, (gpointer)(uintptr_t)region->inners[i].name);
    if (status == STATUS_OK && !is_new) {
      status = fail(body, "two tensors inside are called %.80s", region->inners[i].name);
    }
  }
  g_hash_table_destroy(names);
  return status;
}

/* ---- Ops ------------------------------------------------------------------------------------- */

static status_t check_operands(const body_t *body, const quant_op_t *op) {
  const quant_region_t *region = body->region;
  for (uint32_t i = 0; i < op->program.operand_count; i++) {
    if (op->operands[i] >= region->inner_count) {
      return fail(body, "operand %u of %s is no tensor", i, op->program.op->name);
    }
    const quant_inner_t *inner = &region->inners[op->operands[i]];
    if (!body->is_made->data[op->operands[i]]) {
      return fail(body, "%s uses %.80s before it is made", op->program.op->name, inner->name);
    }
    if (!type_equal(&inner->type, &op->program.operands[i])) {
      return fail(body, "operand %u of %s has another type than %.80s", i, op->program.op->name,
                  inner->name);
    }
  }
  return STATUS_OK;
}

static status_t check_results(const body_t *body, const quant_op_t *op) {
  const quant_region_t *region = body->region;
  for (uint32_t i = 0; i < op->program.result_count; i++) {
    if (op->results[i] >= region->inner_count) {
      return fail(body, "result %u of %s is no tensor", i, op->program.op->name);
    }
    const quant_inner_t *inner = &region->inners[op->results[i]];
    if (body->is_made->data[op->results[i]]) {
      return fail(body, "%s makes %.80s, which is there already", op->program.op->name,
                  inner->name);
    }
    if (!type_equal(&inner->type, &op->program.results[i])) {
      return fail(body, "result %u of %s has another type than %.80s", i, op->program.op->name,
                  inner->name);
    }
    body->is_made->data[op->results[i]] = true;
  }
  return STATUS_OK;
}

static status_t check_op(const body_t *body, const quant_op_t *op) {
  const program_t *program = &op->program;
  if (program->operand_count > CASE_OPERANDS_MAX || program->result_count > CASE_RESULTS_MAX) {
    return fail(body, "%s has too many operands or results", program->op->name);
  }
  STATUS_TRY(check_operands(body, op));
  STATUS_TRY(check_results(body, op));
  const op_constraint_t *broken = program_broken(program);
  if (broken == NULL) return STATUS_OK;
  g_autoptr(GString) text = g_string_new(NULL);
  op_constraint_explain(program->op, broken, text);
  return fail(body, "%.200s", text->str);
}

static status_t check_ops(const body_t *body) {
  const quant_region_t *region = body->region;
  for (uint32_t i = 0; i < region->inner_count; i++) {
    body->is_made->data[i] = i < region->input_count || region->inners[i].constant != NULL;
  }
  for (uint32_t i = 0; i < region->op_count; i++) STATUS_TRY(check_op(body, &region->ops[i]));
  for (uint32_t i = 0; i < region->inner_count; i++) {
    if (!body->is_made->data[i]) {
      return fail(body, "nothing makes the tensor %.80s", region->inners[i].name);
    }
  }
  return STATUS_OK;
}

/* ---- Ports ----------------------------------------------------------------------------------- */

static status_t check_port(const quant_graph_t *graph, const body_t *body, uint32_t port) {
  const quant_region_t *region = body->region;
  const quant_value_t *value = &graph->values[region->ports[port].value];
  bool is_input = port < region->input_count;
  uint32_t inner_index = is_input ? port : region->returns[port - region->input_count];
  if (inner_index >= region->inner_count) return fail(body, "port %u is no tensor inside", port);
  const quant_inner_t *inner = &region->inners[inner_index];
  if (is_input && inner->constant != NULL) {
    return fail(body, "input %.80s is a constant inside", inner->name);
  }
  if (!type_equal(&inner->type, &value->type)) {
    return fail(body, "value %.80s and the tensor %.80s inside have different types", value->name,
                inner->name);
  }
  failure_t reason;
  if (quant_spec_check(&region->ports[port].spec, &value->type, &reason) != STATUS_OK) {
    return fail(body, "%s %.80s: %.120s", is_input ? "input" : "output", value->name, reason.text);
  }
  return STATUS_OK;
}

static status_t check_rescale(const body_t *body) {
  const quant_region_t *region = body->region;
  if (strcmp(region->kernel, QUANT_RESCALE_KERNEL) != 0) return STATUS_OK;
  bool is_one_to_one = !region->is_op && region->input_count == 1 && region->output_count == 1;
  if (is_one_to_one && region->inner_count == 1 && region->op_count == 0) return STATUS_OK;
  return fail(body, "a rescale has one input, one output and nothing inside");
}

static status_t check_region(const quant_graph_t *graph, const body_t *body) {
  const quant_region_t *region = body->region;
  if (region->output_count == 0) return fail(body, "it has no output");
  if (quant_port_count(region) > QUANT_PORTS_MAX) {
    return fail(body, "it has more than %d inputs and outputs", (int)QUANT_PORTS_MAX);
  }
  if (region->inner_count < region->input_count) return fail(body, "inputs are missing inside");
  STATUS_TRY(check_inner_names(body));
  for (uint32_t port = 0; port < quant_port_count(region); port++) {
    STATUS_TRY(check_port(graph, body, port));
  }
  STATUS_TRY(check_ops(body));
  return check_rescale(body);
}

status_t quant_check_regions(const quant_graph_t *graph, quant_place_t *out_place,
                             failure_t *error) {
  GByteArray *is_made = g_byte_array_new();
  status_t status = STATUS_OK;
  for (uint32_t r = 0; r < graph->region_count && status == STATUS_OK; r++) {
    const quant_region_t *region = &graph->regions[r];
    *out_place = (quant_place_t){.kind = QUANT_PLACE_REGION, .index = r};
    g_byte_array_set_size(is_made, region->inner_count + 1);
    body_t body = {.region = region, .is_made = is_made, .error = error};
    status = check_region(graph, &body);
  }
  g_byte_array_free(is_made, TRUE);
  return status;
}
