/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs as MLIR: one function of quant.region ops.  Tensors are called %v.NAME, those inside of
 * regions %i.REGION$$NAME, with '$' for '/': no op's own body has such names. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/model/mlir.h"
#include "harness/quant/graph/mlir_attributes.h"
#include "harness/quant/graph/parts.h"
#include "harness/quant/spec/decimal.h"

/* ---- Names ----------------------------------------------------------------------------------- */

static void append_name(const char *name, GString *out_text) {
  for (const char *p = name; *p != '\0'; p++) g_string_append_c(out_text, *p == '/' ? '$' : *p);
}

static void print_value(const quant_value_t *value, GString *out_text) {
  g_string_append(out_text, "%v.");
  append_name(value->name, out_text);
}

/* Without its '%'. */
static void append_inner(const quant_region_t *region, uint32_t inner, GString *out_text) {
  g_string_append(out_text, "i.");
  append_name(region->name, out_text);
  g_string_append_printf(out_text, "$$%s", region->inners[inner].name);
}

static void print_inner(const quant_region_t *region, uint32_t inner, GString *out_text) {
  g_string_append_c(out_text, '%');
  append_inner(region, inner, out_text);
}

static char *inner_name(const quant_region_t *region, uint32_t inner) {
  GString *name = g_string_new(NULL);
  append_inner(region, inner, name);
  return g_string_free(name, FALSE);
}

/* ---- Data ------------------------------------------------------------------------------------ */

static void print_float(const format_t *format, uint64_t bits, GString *out_text) {
  if (format_is_nan(format, bits) || format_is_infinity(format, bits)) {
    g_string_append_printf(out_text, "0x%0*" PRIX64, (format->bits + 3) / 4, bits);
  } else {
    (void)decimal_print(format, bits, out_text);
  }
}

static void print_component(const element_t *element, const uint8_t *data, size_t index,
                            GString *out_text) {
  uint64_t bits = element_load(element, data, index);
  if (element->format != NULL) {
    print_float(element->format, bits, out_text);
  } else if (element->kind == ELEMENT_BOOLEAN) {
    g_string_append(out_text, bits != 0 ? "true" : "false");
  } else if (element->kind == ELEMENT_SIGNED) {
    g_string_append_printf(out_text, "%" PRId64, element_signed_value(element, bits));
  } else {
    g_string_append_printf(out_text, "%" PRIu64, bits);
  }
}

static void print_element(const tensor_t *tensor, size_t index, GString *out_text) {
  const element_t *element = tensor->type.element;
  if (element->components == 1) {
    print_component(element, tensor->data, index, out_text);
    return;
  }
  g_string_append_c(out_text, '(');
  print_component(element, tensor->data, 2 * index, out_text);
  g_string_append(out_text, ", ");
  print_component(element, tensor->data, 2 * index + 1, out_text);
  g_string_append_c(out_text, ')');
}

/* How many dimensions begin (or, by the element after it, end) at an element. */
static uint32_t count_brackets(const type_t *type, size_t index) {
  uint32_t count = 0;
  size_t block = 1;
  for (uint32_t i = type->rank; i > 0; i--) {
    block *= (size_t)type->dims[i - 1];
    if (index % block != 0) break;
    count++;
  }
  return count;
}

static void append_brackets(char bracket, uint32_t count, GString *out_text) {
  for (uint32_t i = 0; i < count; i++) g_string_append_c(out_text, bracket);
}

/* dense<[[0.5, 1.0], [2.0, 3.0]]> : tensor<2x2xf32> */
static void print_dense(const tensor_t *tensor, GString *out_text) {
  size_t count = type_element_count(&tensor->type);
  g_string_append(out_text, "dense<");
  for (size_t i = 0; i < count; i++) {
    if (i > 0) g_string_append(out_text, ", ");
    append_brackets('[', count_brackets(&tensor->type, i), out_text);
    print_element(tensor, i, out_text);
    append_brackets(']', count_brackets(&tensor->type, i + 1), out_text);
  }
  g_string_append(out_text, "> : ");
  type_print_mlir(&tensor->type, out_text);
}

/* " {quant.spec = T}", or nothing. */
static void print_spec(const quant_spec_t *spec, GString *out_text) {
  if (spec->kind == QUANT_SPEC_OPEN) return;
  g_string_append(out_text, " {quant.spec = ");
  quant_mlir_print_spec(spec, out_text);
  g_string_append_c(out_text, '}');
}

/* After the name. */
static void print_constant(const tensor_t *constant, const quant_spec_t *spec, GString *out_text) {
  g_string_append(out_text, " = \"stablehlo.constant\"() <{value = ");
  print_dense(constant, out_text);
  g_string_append(out_text, "}>");
  print_spec(spec, out_text);
  g_string_append(out_text, " : () -> ");
  type_print_mlir(&constant->type, out_text);
  g_string_append_c(out_text, '\n');
}

/* ---- Regions --------------------------------------------------------------------------------- */

/* Values of ports in [begin, end). */
static void print_port_values(const quant_graph_t *graph, const quant_region_t *region,
                              uint32_t begin, uint32_t end, GString *out_text) {
  for (uint32_t port = begin; port < end; port++) {
    if (port > begin) g_string_append(out_text, ", ");
    print_value(&graph->values[region->ports[port].value], out_text);
  }
}

/* Their types. */
static void print_port_types(const quant_graph_t *graph, const quant_region_t *region,
                             uint32_t begin, uint32_t end, GString *out_text) {
  for (uint32_t port = begin; port < end; port++) {
    if (port > begin) g_string_append(out_text, ", ");
    type_print_mlir(&graph->values[region->ports[port].value].type, out_text);
  }
}

/* The element type of a tensor. */
static void print_element_type(const type_t *type, GString *out_text) {
  static const char before[] = "tensor<";
  const type_t scalar = type_make(type->element, 0, NULL);
  g_autoptr(GString) text = g_string_new(NULL);
  type_print_mlir(&scalar, text); /* "tensor<f32>" */
  g_string_append_len(out_text, text->str + strlen(before),
                      (gssize)(text->len - strlen(before) - 1));
}

/* MLIR's verifier takes no other spelling of a spec that says nothing than that of one that keeps
 * high precision: the expressed type. */
static void print_specs(const quant_graph_t *graph, const quant_region_t *region, uint32_t begin,
                        uint32_t end, GString *out_text) {
  g_string_append_c(out_text, '[');
  for (uint32_t port = begin; port < end; port++) {
    if (port > begin) g_string_append(out_text, ", ");
    const quant_spec_t *spec = quant_port_constraint(graph, &region->ports[port]);
    const quant_value_t *value = &graph->values[region->ports[port].value];
    if (spec->kind == QUANT_SPEC_OPEN) {
      print_element_type(&value->type, out_text);
    } else {
      quant_mlir_print_spec(spec, out_text);
    }
  }
  g_string_append_c(out_text, ']');
}

static void print_op(const quant_region_t *region, const quant_op_t *op, GString *out_text) {
  char *results[CASE_RESULTS_MAX] = {NULL}, *operands[CASE_OPERANDS_MAX] = {NULL};
  for (uint32_t i = 0; i < op->program.result_count; i++) {
    results[i] = inner_name(region, op->results[i]);
  }
  for (uint32_t i = 0; i < op->program.operand_count; i++) {
    operands[i] = inner_name(region, op->operands[i]);
  }
  g_string_append(out_text, "      ");
  mlir_print_op(&op->program, (const char *const *)results, (const char *const *)operands, "  ",
                out_text);
  g_string_append_c(out_text, '\n');
  for (uint32_t i = 0; i < CASE_RESULTS_MAX; i++) g_free(results[i]);
  for (uint32_t i = 0; i < CASE_OPERANDS_MAX; i++) g_free(operands[i]);
}

static void print_body(const quant_region_t *region, GString *out_text) {
  g_string_append(out_text, "    ^bb0(");
  for (uint32_t i = 0; i < region->input_count; i++) {
    if (i > 0) g_string_append(out_text, ", ");
    print_inner(region, i, out_text);
    g_string_append(out_text, ": ");
    type_print_mlir(&region->inners[i].type, out_text);
  }
  g_string_append(out_text, "):\n");
  for (uint32_t i = region->input_count; i < region->inner_count; i++) {
    if (region->inners[i].constant == NULL) continue;
    g_string_append(out_text, "      ");
    print_inner(region, i, out_text);
    const quant_spec_t open = {.kind = QUANT_SPEC_OPEN}; /* See quant.inners of the function. */
    print_constant(region->inners[i].constant, &open, out_text);
  }
  for (uint32_t i = 0; i < region->op_count; i++) print_op(region, &region->ops[i], out_text);
  g_string_append(out_text, "      \"quant.return\"(");
  for (uint32_t i = 0; i < region->output_count; i++) {
    if (i > 0) g_string_append(out_text, ", ");
    print_inner(region, region->returns[i], out_text);
  }
}

static char *value_name(const quant_graph_t *graph, const quant_port_t *port) {
  GString *name = g_string_new("v.");
  append_name(graph->values[port->value].name, name);
  return g_string_free(name, FALSE);
}

/* An op in no region: its tensors are values. */
static void print_plain_op(const quant_graph_t *graph, const quant_region_t *region,
                           GString *out_text) {
  char *names[QUANT_PORTS_MAX];
  for (uint32_t port = 0; port < quant_port_count(region); port++) {
    names[port] = value_name(graph, &region->ports[port]);
  }
  g_string_append(out_text, "    ");
  mlir_print_op(&region->ops[0].program, (const char *const *)names + region->input_count,
                (const char *const *)names, "  ", out_text);
  g_string_append_c(out_text, '\n');
  for (uint32_t port = 0; port < quant_port_count(region); port++) g_free(names[port]);
}

static void print_region(const quant_graph_t *graph, const quant_region_t *region,
                         GString *out_text) {
  uint32_t inputs = region->input_count, ports = quant_port_count(region);
  g_string_append(out_text, "    ");
  print_port_values(graph, region, inputs, ports, out_text);
  g_string_append(out_text, " = \"quant.region\"(");
  print_port_values(graph, region, 0, inputs, out_text);
  g_string_append(out_text, ") ({\n");
  print_body(region, out_text);
  g_string_append(out_text, ") : (");
  print_port_types(graph, region, inputs, ports, out_text);
  g_string_append(out_text, ") -> ()\n    }) {input_specs = ");
  print_specs(graph, region, 0, inputs, out_text);
  g_string_append_printf(out_text, ", logical_kernel = \"%s\", output_specs = ", region->kernel);
  print_specs(graph, region, inputs, ports, out_text);
  g_string_append(out_text, "} : (");
  print_port_types(graph, region, 0, inputs, out_text);
  g_string_append(out_text, ") -> (");
  print_port_types(graph, region, inputs, ports, out_text);
  g_string_append(out_text, ")\n");
}

/* ---- Functions ------------------------------------------------------------------------------- */

static void print_value_types(const quant_graph_t *graph, const uint32_t *values, uint32_t count,
                              GString *out_text) {
  for (uint32_t i = 0; i < count; i++) {
    if (i > 0) g_string_append(out_text, ", ");
    type_print_mlir(&graph->values[values[i]].type, out_text);
  }
}

/* Whether MLIR's lexer takes it behind '@' without quotes: a letter or '_', and no '-'. */
static bool is_bare_symbol(const char *name) {
  return (g_ascii_isalpha(name[0]) || name[0] == '_') && strchr(name, '-') == NULL;
}

static void print_signature(const quant_graph_t *graph, GString *out_text) {
  const char *quote = is_bare_symbol(graph->name) ? "" : "\"";
  g_string_append_printf(out_text, "  func.func @%s%s%s(", quote, graph->name, quote);
  for (uint32_t i = 0; i < graph->input_count; i++) {
    const quant_value_t *value = &graph->values[graph->inputs[i]];
    if (i > 0) g_string_append(out_text, ", ");
    print_value(value, out_text);
    g_string_append(out_text, ": ");
    type_print_mlir(&value->type, out_text);
    print_spec(&value->spec, out_text);
  }
  g_string_append(out_text, ") -> (");
  print_value_types(graph, graph->outputs, graph->output_count, out_text);
  g_string_append_c(out_text, ')');
  quant_mlir_print_attributes(graph, out_text);
  g_string_append(out_text, " {\n");
}

static void print_return(const quant_graph_t *graph, GString *out_text) {
  g_string_append(out_text, "    return");
  for (uint32_t i = 0; i < graph->output_count; i++) {
    g_string_append(out_text, i == 0 ? " " : ", ");
    print_value(&graph->values[graph->outputs[i]], out_text);
  }
  if (graph->output_count > 0) g_string_append(out_text, " : ");
  print_value_types(graph, graph->outputs, graph->output_count, out_text);
  g_string_append(out_text, "\n  }\n}\n");
}

/* By name, whatever the order of declaration. */
static int compare_values(const void *a, const void *b) {
  const quant_value_t *const *first = a, *const *second = b;
  return strcmp((*first)->name, (*second)->name);
}

static void print_constants(const quant_graph_t *graph, GString *out_text) {
  g_autofree const quant_value_t **constants =
      g_new(const quant_value_t *, MAX(graph->value_count, 1));
  uint32_t count = 0;
  for (uint32_t v = 0; v < graph->value_count; v++) {
    if (graph->values[v].constant != NULL) constants[count++] = &graph->values[v];
  }
  qsort(constants, count, sizeof constants[0], compare_values);
  for (uint32_t i = 0; i < count; i++) {
    g_string_append(out_text, "    ");
    print_value(constants[i], out_text);
    print_constant(constants[i]->constant, &constants[i]->spec, out_text);
  }
}

void quant_graph_print_mlir(const quant_graph_t *graph, GString *out_text) {
  g_string_append(out_text, "module {\n");
  print_signature(graph, out_text);
  print_constants(graph, out_text);
  arena_t arena;
  arena_init(&arena);
  const uint32_t *order = quant_graph_order(graph, &arena);
  for (uint32_t i = 0; i < graph->region_count; i++) {
    const quant_region_t *region = &graph->regions[order[i]];
    if (region->is_op) {
      print_plain_op(graph, region, out_text);
    } else {
      print_region(graph, region, out_text);
    }
  }
  arena_deinit(&arena);
  print_return(graph, out_text);
}
