/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a pattern and ops of a graph, ports and values, numbers and constants. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "harness/model/op.h"
#include "harness/quant/fuse/matcher.h"
#include "harness/quant/lower/attribute.h"

bool matcher_fail(const matcher_t *matcher, uint32_t progress, const char *format, ...) {
  matcher->miss->progress = progress;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(matcher->miss->text, sizeof matcher->miss->text, format, arguments);
  va_end(arguments);
  return false;
}

static const char *value_name(const matcher_t *matcher, uint32_t value) {
  return matcher->fuser->graph->values[value].name;
}

/* ---- Numbers --------------------------------------------------------------------------------- */

/* Whether all elements of a constant are the number, rounded to their type. */
static bool is_splat(const quant_value_t *value, double number) {
  const element_t *element = value->type.element;
  size_t count = type_element_count(&value->type);
  if (element->kind != ELEMENT_FLOAT || count == 0) return false;
  double wanted = format_to_double(element->format, format_from_double(element->format, number));
  for (size_t i = 0; i < count; i++) {
    uint64_t bits = element_load(element, value->constant->data, i);
    if (format_to_double(element->format, bits) != wanted) return false;
  }
  return true;
}

/* Notes that a constant goes inside; false if it belongs to another call, or there are too many. */
static bool absorb_constant(matcher_t *matcher, uint32_t value) {
  for (uint32_t i = 0; i < matcher->constant_count; i++) {
    if (matcher->constants[i] == value) return true;
  }
  int32_t call = matcher->fuser->graph->regions[matcher->root].call;
  if (!value_is_in_call(matcher->fuser->graph, value, call)) {
    return FAIL(matcher, "%s belongs to another call", value_name(matcher, value));
  }
  if (matcher->constant_count == MATCH_CONSTANTS_MAX)
    return FAIL(matcher, "it has too many constants");
  matcher->constants[matcher->constant_count++] = value;
  return true;
}

/* Whether an op only widens one number; it may be copied into any region of its call. */
static bool is_widening(const matcher_t *matcher, const quant_region_t *region) {
  static const char *const names[] = {"stablehlo.broadcast_in_dim", "stablehlo.reshape"};
  int32_t call = matcher->fuser->graph->regions[matcher->root].call;
  if (!region->is_op || region->call != call) return false;
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    if (strcmp(region->kernel, names[i]) == 0) return true;
  }
  return false;
}

/* A constant of one number, or what widens one. */
static bool bind_number(matcher_t *matcher, uint32_t value, double number) {
  const quant_graph_t *graph = matcher->fuser->graph;
  const char *name = value_name(matcher, value);
  uint32_t widenings[MATCH_OPS_MAX], count = 0;
  while (graph->values[value].constant == NULL) {
    int32_t producer = graph->values[value].producer;
    bool goes_on = producer != QUANT_NONE && is_widening(matcher, &graph->regions[producer]) &&
                   value_is_in_call(graph, value, graph->regions[producer].call);
    if (!goes_on || count + matcher->widening_count == MATCH_OPS_MAX) {
      return FAIL(matcher, "%s is no constant of %.9g", name, number);
    }
    widenings[count++] = (uint32_t)producer;
    value = graph->regions[producer].ports[0].value;
  }
  if (!is_splat(&graph->values[value], number)) {
    return FAIL(matcher, "%s is not %.9g everywhere", name, number);
  }
  for (uint32_t i = 0; i < count; i++) {
    bool is_known = false;
    for (uint32_t k = 0; k < matcher->widening_count; k++) {
      is_known |= matcher->widenings[k] == widenings[i];
    }
    if (!is_known) matcher->widenings[matcher->widening_count++] = widenings[i];
  }
  return absorb_constant(matcher, value);
}

/* ---- Ops ------------------------------------------------------------------------------------- */

static bool bind_producer(matcher_t *matcher, uint32_t line, uint32_t value) {
  const quant_graph_t *graph = matcher->fuser->graph;
  int32_t producer = graph->values[value].producer;
  const char *wanted = matcher->variant->pattern->lines[line].op->name;
  if (producer == QUANT_NONE) {
    return FAIL(matcher, "%s is %s, not made by %s", value_name(matcher, value),
                graph->values[value].constant != NULL ? "a constant" : "an input", wanted);
  }
  return matcher_bind(matcher, line, (uint32_t)producer);
}

static bool bind_port(matcher_t *matcher, uint32_t port, uint32_t value) {
  if (matcher->ports[port] == -1) matcher->ports[port] = value;
  if (matcher->ports[port] == value) return true;
  return FAIL(matcher, "%s would be both %s and %s", matcher->variant->pattern->ports[port],
              value_name(matcher, (uint32_t)matcher->ports[port]), value_name(matcher, value));
}

/* The terms of the reduction that a line is; lines above are bound before numbers are asked for. */
static double count_terms(const matcher_t *matcher, uint32_t line) {
  const fuser_t *fuser = matcher->fuser;
  const quant_region_t *region = &fuser->graph->regions[matcher->line_ops[line]];
  arena_mark_t mark = arena_mark(fuser->arena);
  uint64_t terms = quant_reduction_terms(&region->ops[0].program, fuser->arena);
  arena_rewind(fuser->arena, mark);
  return (double)terms;
}

static bool bind_argument(matcher_t *matcher, quant_argument_t argument, uint32_t value) {
  argument = variant_resolve(matcher->variant, argument);
  switch (argument.kind) {
    case QUANT_ARGUMENT_LINE:
      return bind_producer(matcher, argument.index, value);
    case QUANT_ARGUMENT_PORT:
      return bind_port(matcher, argument.index, value);
    case QUANT_ARGUMENT_NUMBER:
      return bind_number(matcher, value, argument.number);
    case QUANT_ARGUMENT_COUNT:
    case QUANT_ARGUMENT_SHARE: {
      if (matcher->line_ops[argument.index] == QUANT_NONE) {
        return FAIL(matcher, "%s is not there",
                    matcher->variant->pattern->lines[argument.index].name);
      }
      double terms = count_terms(matcher, argument.index);
      return bind_number(matcher, value, argument.kind == QUANT_ARGUMENT_COUNT ? terms : 1 / terms);
    }
    case QUANT_ARGUMENT_PORTS:
      break;
  }
  return FAIL(matcher, "operands do not fit");
}

static bool bind_operands(matcher_t *matcher, uint32_t line, const quant_region_t *region) {
  const quant_pattern_line_t *wanted = &matcher->variant->pattern->lines[line];
  /* What numbers count stands in lines, so lines and ports come first. */
  for (int round = 0; round < 2; round++) {
    for (uint32_t i = 0; i < wanted->argument_count; i++) {
      const quant_argument_t argument = variant_resolve(matcher->variant, wanted->arguments[i]);
      if (argument.kind == QUANT_ARGUMENT_PORTS) continue;
      bool is_number = argument.kind != QUANT_ARGUMENT_LINE && argument.kind != QUANT_ARGUMENT_PORT;
      if (is_number != (round == 1)) continue;
      uint32_t value = region->ports[operand_of(matcher, line, i)].value;
      if (!bind_argument(matcher, argument, value)) return false;
    }
  }
  return true;
}

static bool has_operand_count(matcher_t *matcher, const quant_pattern_line_t *wanted,
                              const quant_region_t *region) {
  uint32_t count = wanted->argument_count;
  bool is_open = count > 0 && wanted->arguments[count - 1].kind == QUANT_ARGUMENT_PORTS;
  uint32_t inputs = region->input_count;
  bool fits = is_open ? inputs >= count : inputs == count;
  if (!fits || region->output_count != 1) {
    return FAIL(matcher, "%s has %u operands and %u results", region->name, inputs,
                region->output_count);
  }
  if (!is_open) return true;
  for (uint32_t i = count - 1; i < inputs; i++) {
    matcher->repeated[matcher->repeated_count++] = region->ports[i].value;
  }
  return true;
}

bool matcher_bind(matcher_t *matcher, uint32_t line, uint32_t op) {
  const fuser_t *fuser = matcher->fuser;
  const quant_region_t *region = &fuser->graph->regions[op];
  const quant_pattern_line_t *wanted = &matcher->variant->pattern->lines[line];
  if (matcher->line_ops[line] != QUANT_NONE) {
    if (matcher->line_ops[line] == (int32_t)op) return true;
    return FAIL(matcher, "%s would be two ops", wanted->name);
  }
  if (!region->is_op) {
    return FAIL(matcher, "%s is made by region %s, not by %s in no region",
                fuser->graph->values[region->ports[region->input_count].value].name, region->name,
                wanted->op->name);
  }
  if (fuser->fates[op].match != QUANT_NONE) {
    return FAIL(matcher, "%s is in another region already", quant_region_key(fuser->graph, region));
  }
  if (region->ops[0].program.op != wanted->op) {
    return FAIL(matcher, "%s is %s, not %s", quant_region_key(fuser->graph, region), region->kernel,
                wanted->op->name);
  }
  if (region->call != fuser->graph->regions[matcher->root].call) {
    return FAIL(matcher, "%s stands in another call", quant_region_key(fuser->graph, region));
  }
  if (!has_operand_count(matcher, wanted, region)) return false;
  matcher->line_ops[line] = (int32_t)op;
  matcher->bound++;
  return bind_operands(matcher, line, region);
}
