/* SPDX-License-Identifier: Apache-2.0 */
/* The canonical text of a graph: graph.md. */
#include "harness/model/op.h"
#include "harness/quant/graph/scope.h"
#include "harness/quant/graph/text.h"

/* ---- Lines ----------------------------------------------------------------------------------- */

static void print_spec(const quant_spec_t *spec, GString *out_text) {
  if (spec->kind == QUANT_SPEC_OPEN) return;
  g_string_append_c(out_text, ' ');
  quant_spec_print(spec, out_text);
}

static void print_constant(const char *indent, const char *name, const tensor_t *constant,
                           const quant_spec_t *spec, GString *out_text) {
  g_string_append_printf(out_text, "%sconstant %s ", indent, name);
  type_print(&constant->type, out_text);
  if (spec != NULL) print_spec(spec, out_text);
  g_string_append(out_text, " = ");
  graph_data_print(constant, out_text);
  g_string_append_c(out_text, '\n');
}

static void print_inner_names(const quant_region_t *region, const uint32_t *indices, uint32_t count,
                              GString *out_text) {
  for (uint32_t i = 0; i < count; i++) {
    g_string_append_printf(out_text, "%s%s", i == 0 ? "" : ", ", region->inners[indices[i]].name);
  }
}

/* What a program line says after the op's name. */
static void print_program(const program_t *program, GString *out_text) {
  GString *line = g_string_new(NULL);
  program_print(program, line);
  g_string_append(out_text, line->str + strlen(program->op->name));
  g_string_append_c(out_text, '\n');
  g_string_free(line, TRUE);
}

static void print_op(const char *indent, const quant_region_t *region, const quant_op_t *op,
                     GString *out_text) {
  const program_t *program = &op->program;
  g_string_append_printf(out_text, "%s  op ", indent);
  print_inner_names(region, op->results, program->result_count, out_text);
  g_string_append_printf(out_text, " = %s(", program->op->name);
  print_inner_names(region, op->operands, program->operand_count, out_text);
  g_string_append_c(out_text, ')');
  print_program(program, out_text);
}

/* Values of ports in [begin, end). */
static void print_port_names(const printer_t *printer, const scope_t *scope,
                             const quant_region_t *region, uint32_t begin, uint32_t end,
                             GString *out_text) {
  for (uint32_t port = begin; port < end; port++) {
    g_string_append_printf(out_text, "%s%s", port == begin ? "" : ", ",
                           scope_name_of(printer, scope, region->ports[port].value));
  }
}

/* An op in no region. */
static void print_plain_op(const printer_t *printer, const scope_t *scope, const char *indent,
                           const quant_region_t *region, GString *out_text) {
  uint32_t inputs = region->input_count;
  g_string_append_printf(out_text, "%sop ", indent);
  print_port_names(printer, scope, region, inputs, quant_port_count(region), out_text);
  g_string_append_printf(out_text, " = %s(", region->kernel);
  print_port_names(printer, scope, region, 0, inputs, out_text);
  g_string_append_c(out_text, ')');
  print_program(&region->ops[0].program, out_text);
}

static void print_body(const char *indent, const quant_region_t *region, GString *out_text) {
  g_autofree char *deeper = g_strconcat(indent, "  ", NULL);
  for (uint32_t i = region->input_count; i < region->inner_count; i++) {
    const quant_inner_t *inner = &region->inners[i];
    if (inner->constant == NULL) continue;
    print_constant(deeper, inner->name, inner->constant, NULL, out_text);
  }
  for (uint32_t i = 0; i < region->op_count; i++) {
    print_op(indent, region, &region->ops[i], out_text);
  }
  for (uint32_t i = region->input_count; i < region->inner_count; i++) {
    if (region->inners[i].spec.kind == QUANT_SPEC_OPEN) continue;
    g_string_append_printf(out_text, "%svalue %s", deeper, region->inners[i].name);
    print_spec(&region->inners[i].spec, out_text);
    g_string_append_c(out_text, '\n');
  }
  g_string_append_printf(out_text, "%s  return ", indent);
  print_inner_names(region, region->returns, region->output_count, out_text);
  g_string_append_c(out_text, '\n');
}

static void print_region(const printer_t *printer, const scope_t *scope, const char *indent,
                         const quant_region_t *region, GString *out_text) {
  bool is_rescale = strcmp(region->kernel, QUANT_RESCALE_KERNEL) == 0;
  g_string_append_printf(out_text, "%sregion %s %s\n", indent, scope_local_part(region->name),
                         region->kernel);
  for (uint32_t port = 0; port < quant_port_count(region); port++) {
    uint32_t value = region->ports[port].value;
    const char *name = scope_name_of(printer, scope, value);
    bool is_input = port < region->input_count;
    g_string_append_printf(out_text, "%s  %s %s", indent, is_input ? "in" : "out", name);
    if (!is_input) {
      g_string_append_c(out_text, ' ');
      type_print(&printer->graph->values[value].type, out_text);
    } else if (!is_rescale && strcmp(region->inners[port].name, name) != 0) {
      g_string_append_printf(out_text, " as %s", region->inners[port].name);
    }
    print_spec(&region->ports[port].spec, out_text);
    g_string_append_c(out_text, '\n');
  }
  if (!is_rescale) print_body(indent, region, out_text);
  g_string_append_printf(out_text, "%send\n", indent);
}

static void print_names(const printer_t *printer, const scope_t *scope, const GArray *values,
                        GString *out_text) {
  g_string_append_c(out_text, '(');
  for (uint32_t i = 0; i < values->len; i++) {
    g_string_append_printf(out_text, "%s%s", i == 0 ? "" : ", ",
                           scope_name_of(printer, scope, g_array_index(values, uint32_t, i)));
  }
  g_string_append_c(out_text, ')');
}

/* Whether the name is one of the scope itself: not from around it, nor of a call in it. */
static bool is_named_in(const scope_t *scope, const char *name) {
  size_t size = (size_t)(scope_local_part(name) - name);
  return size == (scope->name_size == 0 ? 0 : scope->name_size + 1) &&
         memcmp(name, scope->name, scope->name_size) == 0;
}

static void print_constraint(const printer_t *printer, const scope_t *scope, const char *indent,
                             uint32_t index, GString *out_text) {
  const quant_value_t *value = &printer->graph->values[index];
  if (value->spec.kind == QUANT_SPEC_OPEN || !is_named_in(scope, value->name)) return;
  g_string_append_printf(out_text, "%svalue %s", indent, scope_local_part(value->name));
  print_spec(&value->spec, out_text);
  g_string_append_c(out_text, '\n');
}

/* Constraints stand in the order in which the lines below make their values: the numbers that
 * values happen to have are not the same when this text is read. */
static void print_values(const printer_t *printer, const scope_t *scope, const char *indent,
                         GString *out_text) {
  const quant_graph_t *graph = printer->graph;
  for (uint32_t i = 0; i < scope->values->len; i++) {
    const quant_value_t *value = &graph->values[g_array_index(scope->values, uint32_t, i)];
    if (value->constant == NULL) continue;
    print_constant(indent, scope_local_part(value->name), value->constant, &value->spec, out_text);
  }
  for (uint32_t i = 0; i < scope->regions->len; i++) {
    const quant_region_t *region = &graph->regions[g_array_index(scope->regions, uint32_t, i)];
    for (uint32_t port = region->input_count; port < quant_port_count(region); port++) {
      print_constraint(printer, scope, indent, region->ports[port].value, out_text);
    }
  }
  for (uint32_t i = 0; i < scope->calls->len; i++) {
    const scope_t *inner = &printer->scopes[g_array_index(scope->calls, uint32_t, i)];
    for (uint32_t result = 0; result < inner->results->len; result++) {
      print_constraint(printer, scope, indent, g_array_index(inner->results, uint32_t, result),
                       out_text);
    }
  }
}

static void print_contents(const printer_t *printer, const scope_t *scope, const char *indent,
                           GString *out_text) {
  const quant_graph_t *graph = printer->graph;
  print_values(printer, scope, indent, out_text);
  for (uint32_t i = 0; i < scope->regions->len; i++) {
    const quant_region_t *region = &graph->regions[g_array_index(scope->regions, uint32_t, i)];
    if (region->is_op) {
      print_plain_op(printer, scope, indent, region, out_text);
    } else {
      print_region(printer, scope, indent, region, out_text);
    }
  }
  for (uint32_t i = 0; i < scope->calls->len; i++) {
    const scope_t *inner = &printer->scopes[g_array_index(scope->calls, uint32_t, i)];
    g_string_append_printf(out_text, "%scall %s %s", indent, scope_local_part(inner->name),
                           inner->subprogram);
    print_names(printer, scope, inner->arguments, out_text);
    g_string_append(out_text, " -> ");
    print_names(printer, scope, inner->results, out_text);
    g_string_append_c(out_text, '\n');
  }
}

/* ---- Subprograms ----------------------------------------------------------------------------- */

/* "(NAME: TYPE, ...) -> (NAME, ...)" */
static void print_header(const printer_t *printer, const scope_t *scope, GString *out_text) {
  g_string_append_c(out_text, '(');
  for (uint32_t i = 0; i < scope->arguments->len; i++) {
    uint32_t value = g_array_index(scope->arguments, uint32_t, i);
    g_string_append_printf(out_text, "%s%s: ", i == 0 ? "" : ", ",
                           g_array_index(scope->argument_names, const char *, i));
    type_print(&printer->graph->values[value].type, out_text);
  }
  g_string_append(out_text, ") -> (");
  for (uint32_t i = 0; i < scope->results->len; i++) {
    g_string_append_printf(out_text, "%s%s", i == 0 ? "" : ", ",
                           g_array_index(scope->result_names, const char *, i));
  }
  g_string_append(out_text, ")\n");
}

/* The first copy keeps the name, others are NAME.2 and so on, past what has such a name itself. */
static const char *name_copy(printer_t *printer, const char *base) {
  uint32_t count = GPOINTER_TO_UINT(g_hash_table_lookup(printer->counts, base));
  const char *name = base;
  while (count > 0) {
    g_autofree char *numbered = g_strdup_printf("%s.%u", base, ++count);
    name = g_string_chunk_insert_const(printer->names, numbered);
    if (!g_hash_table_contains(printer->bases, name)) break;
  }
  g_hash_table_insert(printer->counts, (gpointer)(uintptr_t)base, GUINT_TO_POINTER(MAX(count, 1)));
  return name;
}

/* Copies of one subprogram that read the same are the same. */
static void name_subprogram(printer_t *printer, scope_t *scope, const GString *text) {
  g_autofree char *key = g_strdup_printf("%s\n%s", scope->call->subprogram, text->str);
  scope->subprogram = g_hash_table_lookup(printer->subprograms, key);
  if (scope->subprogram != NULL) return;
  scope->subprogram = name_copy(printer, scope->call->subprogram);
  g_hash_table_insert(printer->subprograms, g_string_chunk_insert(printer->names, key),
                      (gpointer)(uintptr_t)scope->subprogram);
  g_string_append_printf(printer->definitions, "subprogram %s%send\n", scope->subprogram,
                         text->str);
}

static void settle_calls(printer_t *printer, scope_t *scope);

static void settle_call(printer_t *printer, scope_t *scope) {
  settle_calls(printer, scope);
  scope_find_formals(printer, scope);
  GString *text = g_string_new(NULL);
  print_header(printer, scope, text);
  print_contents(printer, scope, "  ", text);
  name_subprogram(printer, scope, text);
  g_string_free(text, TRUE);
}

/* No deeper than calls are nested, which quant_builder_finish() bounds. */
static void settle_calls(printer_t *printer, scope_t *scope) {
  for (uint32_t i = 0; i < scope->calls->len; i++) {
    settle_call(printer, &printer->scopes[g_array_index(scope->calls, uint32_t, i)]);
  }
}

/* ---- Graphs ---------------------------------------------------------------------------------- */

void quant_graph_print(const quant_graph_t *graph, GString *out_text) {
  printer_t printer;
  scopes_open(&printer, graph);
  scope_t *scope = scope_at(&printer, QUANT_NONE);
  settle_calls(&printer, scope);
  g_string_append_printf(out_text, "graph %s\n", graph->name);
  for (uint32_t i = 0; i < graph->input_count; i++) {
    const quant_value_t *value = &graph->values[graph->inputs[i]];
    g_string_append_printf(out_text, "input %s ", value->name);
    type_print(&value->type, out_text);
    print_spec(&value->spec, out_text);
    g_string_append_c(out_text, '\n');
  }
  print_contents(&printer, scope, "", out_text);
  for (uint32_t i = 0; i < graph->output_count; i++) {
    g_string_append_printf(out_text, "output %s\n", graph->values[graph->outputs[i]].name);
  }
  g_string_append_len(out_text, printer.definitions->str, (gssize)printer.definitions->len);
  scopes_close(&printer);
}
