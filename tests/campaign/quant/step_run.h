/* SPDX-License-Identifier: Apache-2.0 */
/* Exported steps, run by the oracles' models and held to what regions mean exactly: shared by the
 * tests of the forms. */
#ifndef ASSAY_TESTS_CAMPAIGN_QUANT_STEP_RUN_H
#define ASSAY_TESTS_CAMPAIGN_QUANT_STEP_RUN_H

#include <math.h>
#include <string.h>

#include "harness/model/op.h"
#include "harness/quant/lower/constant.h"
#include "harness/quant/lower/export.h"
#include "oracles/oracle.h"

/* ---- Running steps --------------------------------------------------------------------------- */

typedef struct run {
  const quant_steps_t *steps;
  tensor_t *data; /* By tensor. */
  arena_t *arena;
} run_t;

static inline void simulate(const program_t *program, const tensor_t *operands,
                            tensor_t *out_results, arena_t *arena) {
  const implementation_model_t schedule = schedule_plain();
  failure_t error = {0};
  case_t instance = {.program = *program};
  for (uint32_t i = 0; i < program->operand_count; i++) {
    instance.operands[i] = (tensor_t){.type = program->operands[i], .data = operands[i].data};
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    out_results[i] = tensor_make(arena, &program->results[i]);
  }
  const oracle_t *oracle = oracle_find(program->op);
  g_assert_nonnull(oracle);
  const oracle_call_t call = {.instance = &instance, .arena = arena, .error = &error};
  status_t status = oracle->simulate(&call, &schedule, out_results);
  if (status != STATUS_OK) g_error("%s: %s", program->op->name, error.text);
}

/* Computes all tensors; those of the inputs are there, constants may be. */
static inline void run_steps(run_t *run) {
  const quant_steps_t *steps = run->steps;
  for (uint32_t i = 0; i < steps->tensor_count; i++) {
    bool is_given = run->data[i].data != NULL || steps->tensors[i].constant == NULL;
    if (!is_given) run->data[i] = *steps->tensors[i].constant;
  }
  for (uint32_t i = 0; i < steps->step_count; i++) {
    const quant_step_t *step = &steps->steps[i];
    tensor_t operands[CASE_OPERANDS_MAX], results[CASE_RESULTS_MAX];
    for (uint32_t j = 0; j < step->program.operand_count; j++) {
      operands[j] = run->data[step->operands[j]];
    }
    simulate(&step->program, operands, results, run->arena);
    for (uint32_t j = 0; j < step->program.result_count; j++) {
      run->data[step->results[j]] = results[j];
    }
  }
}

/* ---- What a region means --------------------------------------------------------------------- */

static inline tensor_t make_f64(const type_t *shape, arena_t *arena) {
  const type_t type = type_make(element_named("f64"), shape->rank, shape->dims);
  return tensor_make(arena, &type);
}

static inline tensor_t as_f64(const tensor_t *floats, arena_t *arena) {
  tensor_t result = make_f64(&floats->type, arena);
  for (size_t i = 0; i < type_element_count(&result.type); i++) {
    double value = quant_float_at(floats, i);
    memcpy(result.data + i * sizeof value, &value, sizeof value);
  }
  return result;
}

/* (stored - zero point) * scale: exact in binary64, as storage has 8 or 32 bits and scales 24. */
static inline tensor_t real_values(const tensor_t *stored, const type_t *type, arena_t *arena) {
  tensor_t result = make_f64(type, arena);
  const quantization_t *quantization = type->quantization;
  for (size_t i = 0; i < type_element_count(type); i++) {
    size_t channel = quant_channel(type, quantization->axis, i);
    double difference = (double)(quant_integer_at(stored, i) - quantization->zero_points[channel]);
    double value = difference * quantization->scales[channel];
    memcpy(result.data + i * sizeof value, &value, sizeof value);
  }
  return result;
}

/* The tensor that stands for a value in a port's parameters, or -1 (merged away). */
static inline int32_t find_tensor(const quant_steps_t *steps, const quant_port_t *port) {
  const type_t type = quant_spec_apply(&port->spec, &steps->graph->values[port->value].type);
  for (uint32_t i = 0; i < steps->tensor_count; i++) {
    const quant_step_tensor_t *tensor = &steps->tensors[i];
    if (tensor->value == (int32_t)port->value && type_equal(&tensor->type, &type)) {
      return (int32_t)i;
    }
  }
  return -1;
}

/* The body in f64 on the numbers that the run's own inputs of the region stand for: all inner
 * tensors. */
static inline const tensor_t *evaluate(const run_t *run, const quant_region_t *region) {
  tensor_t *inners = arena_alloc_zeroed(run->arena, region->inner_count * sizeof *inners);
  for (uint32_t i = 0; i < region->inner_count; i++) {
    const quant_inner_t *inner = &region->inners[i];
    if (i < region->input_count) {
      const quant_port_t *port = &region->ports[i];
      const quant_value_t *value = &run->steps->graph->values[port->value];
      const type_t type = quant_spec_apply(&port->spec, &value->type);
      const tensor_t *stored = value->constant != NULL
                                   ? quant_tensor_quantize(value->constant, &type, run->arena)
                                   : &run->data[find_tensor(run->steps, port)];
      inners[i] = real_values(stored, &type, run->arena);
    } else if (inner->constant != NULL) {
      inners[i] = as_f64(inner->constant, run->arena);
    }
  }
  for (uint32_t i = 0; i < region->op_count; i++) {
    const quant_op_t *op = &region->ops[i];
    program_t program = op->program;
    tensor_t operands[CASE_OPERANDS_MAX], results[CASE_RESULTS_MAX];
    for (uint32_t j = 0; j < program.operand_count; j++) {
      program.operands[j].element = element_named("f64");
      operands[j] = inners[op->operands[j]];
    }
    for (uint32_t j = 0; j < program.result_count; j++) {
      program.results[j].element = element_named("f64");
    }
    simulate(&program, operands, results, run->arena);
    for (uint32_t j = 0; j < program.result_count; j++) inners[op->results[j]] = results[j];
  }
  return inners;
}

/* Whether stored results are within so many steps (and 2^-27 of themselves) of the exact numbers;
 * `shown` is the port whose range clamps, and `port` the one that is stored. */
static inline bool is_close(const tensor_t *exact, const tensor_t *stored,
                            const quantization_t *shown, const quantization_t *port, double steps,
                            uint32_t *inout_inside) {
  for (size_t i = 0; i < type_element_count(&exact->type); i++) {
    double value;
    memcpy(&value, exact->data + i * sizeof value, sizeof value);
    size_t a = quant_channel(&exact->type, shown->axis, i);
    size_t b = quant_channel(&exact->type, port->axis, i);
    double low = (double)(shown->storage_min - shown->zero_points[a]) * shown->scales[a];
    double high = (double)(shown->storage_max - shown->zero_points[a]) * shown->scales[a];
    double clamped = fmin(fmax(value, low), high);
    double zero_point = (double)port->zero_points[b];
    double wanted = clamped / port->scales[b] + zero_point;
    wanted = fmin(fmax(wanted, (double)port->storage_min), (double)port->storage_max);
    double bound = steps + 0x1p-27 * (fabs(wanted) + fabs(zero_point));
    if (!isnan(value) && !(fabs((double)quant_integer_at(stored, i) - wanted) <= bound)) {
      return false;
    }
    *inout_inside += value > low && value < high;
  }
  return true;
}

typedef struct checked {
  uint32_t regions; /* Whose results were compared, */
  uint32_t inside;  /* and elements of these that were not clamped. */
} checked_t;

/* ---- Drawing --------------------------------------------------------------------------------- */

/* Numbers small and large against the scales, so that results lie within ranges and are clamped. */
static inline void draw_inputs(const quant_steps_t *steps, rng_t *rng, run_t *run) {
  for (uint32_t i = 0; i < steps->graph->input_count; i++) {
    uint32_t tensor = steps->inputs[i];
    run->data[tensor] = tensor_make(run->arena, &steps->tensors[tensor].type);
    double reach = ldexp(1, (int)rng_between(rng, 0, 7));
    const element_t *element = steps->tensors[tensor].type.element;
    for (size_t j = 0; j < type_element_count(&steps->tensors[tensor].type); j++) {
      double value = ((double)rng_below(rng, 2001) - 1000) / 1000 * reach;
      element_store(element, run->data[tensor].data, j, format_from_double(element->format, value));
    }
  }
}

static inline quant_graph_t parse(const char *text, arena_t *arena) {
  quant_graph_t graph;
  failure_t error = {0};
  status_t status = quant_graph_parse(str_from(text), arena, &graph, &error);
  if (status != STATUS_OK) g_error("%s", error.text);
  return graph;
}

static inline quant_steps_t export(const quant_graph_t *graph, quant_lowering_t form,
                                   arena_t *arena) {
  quant_steps_t steps;
  failure_t error = {0};
  status_t status = quant_export(graph, form, arena, &steps, &error);
  if (status == STATUS_OK) status = quant_steps_check(&steps, &error);
  if (status != STATUS_OK) g_error("%s", error.text);
  return steps;
}

static inline void run_drawn(run_t *run, const quant_steps_t *steps, rng_t *rng, arena_t *scratch) {
  arena_reset(scratch);
  *run = (run_t){.steps = steps, .arena = scratch};
  run->data = arena_alloc_zeroed(scratch, steps->tensor_count * sizeof(tensor_t));
  draw_inputs(steps, rng, run);
}

#endif
