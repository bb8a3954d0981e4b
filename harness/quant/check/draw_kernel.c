/* SPDX-License-Identifier: Apache-2.0 */
/* Drafts one region as text: ports, weights, constants and ops in separate buffers that are joined
 * at the end; the kernels themselves are a table. */
#include "harness/quant/check/draw_kernel.h"

#include <math.h>
#include <stdio.h>

#include "harness/quant/spec/draw.h"

static const quant_draw_kernel_t KERNELS[] = {
#define KERNEL(name, ports, operands_min, operands_max, rank_min, rank_max) \
  {#name, ports, operands_min, operands_max, rank_min, rank_max, draw_body_##name},
#include "harness/quant/check/draw_kernels.def"
#undef KERNEL
    {.name = NULL},
};

const quant_draw_kernel_t *quant_draw_kernels(void) { return KERNELS; }

const quant_draw_kernel_t *quant_draw_kernel_find(str_t name) {
  for (const quant_draw_kernel_t *kernel = KERNELS; kernel->name != NULL; kernel++) {
    if (str_equal_text(name, kernel->name)) return kernel;
  }
  return NULL;
}

/* One number of the element's format in hex digits, as case lines have them. */
static void append_number(const element_t *element, double value, GString *out_text) {
  uint64_t bits = format_from_double(element->format, value);
  g_string_append_printf(out_text, "%0*" G_GINT64_MODIFIER "x", (element->bits + 3) / 4, bits);
}

static quant_draw_tensor_t name_inner(quant_region_draft_t *draft, const type_t *type) {
  quant_draw_tensor_t tensor = {.type = *type};
  snprintf(tensor.name, sizeof tensor.name, "t%u", draft->name_count++);
  return tensor;
}

static void append_port_spec(quant_region_draft_t *draft, const type_t *type) {
  if (draft->with_specs && rng_one_in(draft->rng, 6)) {
    g_string_append_c(draft->ports, ' ');
    quant_draw_spec_text(draft->rng, type, draft->ports);
  }
  g_string_append_c(draft->ports, '\n');
}

/* A number k/64 with |k| <= 128: exact in all float formats that graphs are drawn with. */
static double draw_weight(quant_region_draft_t *draft) {
  if (draft->is_strange && rng_one_in(draft->rng, 64)) return INFINITY;
  return (double)rng_between(draft->rng, -128, 128) / 64;
}

quant_draw_tensor_t draft_weights(quant_region_draft_t *draft, const char *word,
                                  const type_t *type) {
  quant_draw_tensor_t tensor = {.type = *type};
  snprintf(tensor.name, sizeof tensor.name, "%s.%s", draft->name, word);
  g_string_append_printf(draft->outside, "constant %s ", tensor.name);
  type_print(type, draft->outside);
  if (draft->with_specs && rng_one_in(draft->rng, 12)) {
    g_string_append_c(draft->outside, ' ');
    quant_draw_spec_text(draft->rng, type, draft->outside);
  }
  g_string_append(draft->outside, " = 0x");
  bool is_zero = rng_one_in(draft->rng, 32);
  for (size_t i = 0; i < type_element_count(type); i++) {
    append_number(type->element, is_zero ? 0 : draw_weight(draft), draft->outside);
  }
  g_string_append_c(draft->outside, '\n');
  g_string_append_printf(draft->ports, "  in %s", tensor.name);
  append_port_spec(draft, type);
  return tensor;
}

quant_draw_tensor_t draft_constant(quant_region_draft_t *draft, const type_t *type, double value) {
  quant_draw_tensor_t tensor = name_inner(draft, type);
  g_string_append_printf(draft->body, "  constant %s ", tensor.name);
  type_print(type, draft->body);
  g_string_append(draft->body, " = 0x");
  for (size_t i = 0; i < type_element_count(type); i++) {
    append_number(type->element, value, draft->body);
  }
  g_string_append_c(draft->body, '\n');
  return tensor;
}

quant_draw_tensor_t draft_op(quant_region_draft_t *draft, const char *op, const char *attributes,
                             const quant_draw_tensor_t *const *operands, const type_t *type) {
  quant_draw_tensor_t result = name_inner(draft, type);
  g_string_append_printf(draft->body, "  op %s = %s(", result.name, op);
  for (size_t i = 0; operands[i] != NULL; i++) {
    g_string_append_printf(draft->body, "%s%s", i > 0 ? ", " : "", operands[i]->name);
  }
  g_string_append_printf(draft->body, ")%s%s", attributes[0] != '\0' ? " " : "", attributes);
  for (size_t i = 0; operands[i] != NULL; i++) {
    g_string_append_c(draft->body, ' ');
    type_print(&operands[i]->type, draft->body);
  }
  g_string_append(draft->body, " -> ");
  type_print(type, draft->body);
  g_string_append_c(draft->body, '\n');
  return result;
}

quant_draw_tensor_t draft_splat(quant_region_draft_t *draft, const type_t *type, double value) {
  type_t scalar = type_make(type->element, 0, NULL);
  quant_draw_tensor_t constant = draft_constant(draft, &scalar, value);
  return draft_op(draft, "stablehlo.broadcast_in_dim", "broadcast_dimensions=[]",
                  DRAFT_OPERANDS(&constant), type);
}

quant_draw_tensor_t draft_add_bias(quant_region_draft_t *draft, const quant_draw_tensor_t *tensor) {
  uint32_t last = tensor->type.rank - 1;
  type_t type = type_make(tensor->type.element, 1, &tensor->type.dims[last]);
  quant_draw_tensor_t bias = draft_weights(draft, "bias", &type);
  char attributes[64];
  snprintf(attributes, sizeof attributes, "broadcast_dimensions=[%u]", last);
  quant_draw_tensor_t wide = draft_op(draft, "stablehlo.broadcast_in_dim", attributes,
                                      DRAFT_OPERANDS(&bias), &tensor->type);
  return draft_op(draft, "stablehlo.add", "", DRAFT_OPERANDS(tensor, &wide), &tensor->type);
}

quant_draw_tensor_t draft_relu(quant_region_draft_t *draft, const quant_draw_tensor_t *tensor) {
  quant_draw_tensor_t zero = draft_splat(draft, &tensor->type, 0);
  return draft_op(draft, "stablehlo.maximum", "", DRAFT_OPERANDS(tensor, &zero), &tensor->type);
}

void draft_return(quant_region_draft_t *draft, const quant_draw_tensor_t *tensor) {
  quant_draw_tensor_t *result = &draft->results[draft->result_count];
  *result = *tensor;
  snprintf(result->name, sizeof result->name, "%s.out%u", draft->name, draft->result_count++);
  g_string_append_printf(draft->ports, "  out %s ", result->name);
  type_print(&tensor->type, draft->ports);
  append_port_spec(draft, &tensor->type);
  g_string_append_printf(draft->returns, "%s%s", draft->result_count > 1 ? ", " : "", tensor->name);
}

/* An input; a value that comes a second time needs another name inside, and others may have one. */
static void add_operand(quant_region_draft_t *draft, const quant_draw_tensor_t *values,
                        uint32_t index, quant_draw_tensor_t *out_operand) {
  *out_operand = values[index];
  bool is_renamed = rng_one_in(draft->rng, 10);
  for (uint32_t i = 0; i < index; i++) {
    if (g_str_equal(values[i].name, values[index].name)) is_renamed = true;
  }
  g_string_append_printf(draft->ports, "  in %s", values[index].name);
  if (is_renamed) {
    snprintf(out_operand->name, sizeof out_operand->name, "in%u", index);
    g_string_append_printf(draft->ports, " as %s", out_operand->name);
  }
  append_port_spec(draft, &out_operand->type);
}

uint32_t quant_draw_region(rng_t *rng, const quant_region_request_t *request, GString *out_text,
                           quant_draw_tensor_t out_results[2]) {
  quant_region_draft_t draft = {
      .rng = rng,
      .name = request->name,
      .operand_count = request->operand_count,
      .with_specs = request->with_specs,
      .is_strange = request->is_strange,
      .outside = out_text,
      .ports = g_string_new(NULL),
      .body = g_string_new(NULL),
      .returns = g_string_new(NULL),
  };
  quant_draw_tensor_t operands[CASE_OPERANDS_MAX];
  for (uint32_t i = 0; i < request->operand_count; i++) {
    add_operand(&draft, request->operands, i, &operands[i]);
  }
  draft.operands = operands;
  request->kernel->draw(&draft);
  g_string_append_printf(out_text, "region %s %s\n%s%s  return %s\nend\n", request->name,
                         request->kernel_name, draft.ports->str, draft.body->str,
                         draft.returns->str);
  g_string_free(draft.ports, TRUE);
  g_string_free(draft.body, TRUE);
  g_string_free(draft.returns, TRUE);
  for (uint32_t i = 0; i < draft.result_count; i++) out_results[i] = draft.results[i];
  return draft.result_count;
}
