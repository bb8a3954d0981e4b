/* SPDX-License-Identifier: Apache-2.0 */
/* Walks a quantized model's regions and steps with interval evaluation, once in real numbers and
 * once under a contract. Ops without an enclosure become the whole line and are noted. */
#include "harness/quant_run/enclosure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Enclosing programs ---------------------------------------------------------------------- */

/* Boxes as the walk fills them: of the steps' tensors, or of the tensors inside a region. */
typedef struct enclosing {
  const contract_t *contract; /* NULL: exact real numbers. */
  arena_t *arena;
  quant_enclosure_t *enclosure;
} enclosing_t;

box_t quant_point(const tensor_t *data, size_t element) {
  return data->type.element->components == 1 ? box_make_point(data, element) : box_whole_line();
}

static box_t *points_of(const tensor_t *tensor, arena_t *arena) {
  size_t count = type_element_count(&tensor->type);
  box_t *boxes = ARENA_NEW_ARRAY(arena, box_t, count);
  for (size_t i = 0; i < count; i++) boxes[i] = quant_point(tensor, i);
  return boxes;
}

static void note_unknown(enclosing_t *enclosing, const char *where, const char *reason) {
  quant_enclosure_t *enclosure = enclosing->enclosure;
  if (enclosure->unknown_steps++ > 0) return;
  snprintf(enclosure->unknown, sizeof enclosure->unknown, "%.60s: %.120s", where, reason);
}

static bool is_bounded(const box_t *boxes, const type_t *type) {
  size_t count = type_element_count(type);
  for (size_t i = 0; i < count; i++) {
    if (!box_is_finite(boxes[i])) return false;
  }
  return true;
}

/* Notes the first step that may give any number though what it takes is bounded. */
static void note_unbounded(enclosing_t *enclosing, const program_t *program, const char *where,
                           const box_t *const given[], box_t *const made[]) {
  quant_enclosure_t *enclosure = enclosing->enclosure;
  if (enclosing->contract == NULL || enclosure->unbounded[0] != '\0') return;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (!is_bounded(given[i], &program->operands[i])) return;
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    if (is_bounded(made[i], &program->results[i])) continue;
    g_autoptr(GString) type = g_string_new(NULL);
    type_print(&program->results[i], type);
    g_snprintf(enclosure->unbounded, sizeof enclosure->unbounded, "step %.60s (%.40s to %.60s)",
               where, program->op->name, type->str);
    return;
  }
}

/* A program as part of something larger, whose tensors have numbers. */
typedef struct placed_program {
  const program_t *program;
  const char *where;        /* For the reader. */
  const uint32_t *operands; /* Tensors, which are there. */
  const uint32_t *results;  /* Tensors, which are made. */
} placed_program_t;

/* Encloses one program; `boxes` are by tensor. */
static status_t enclose_program(enclosing_t *enclosing, const placed_program_t *placed,
                                box_t **boxes, failure_t *error) {
  const program_t *program = placed->program;
  const box_t *given[CASE_OPERANDS_MAX] = {0};
  box_t *made[CASE_RESULTS_MAX] = {0};
  for (uint32_t i = 0; i < program->operand_count; i++) given[i] = boxes[placed->operands[i]];
  for (uint32_t i = 0; i < program->result_count; i++) {
    size_t count = type_element_count(&program->results[i]);
    made[i] = ARENA_NEW_ARRAY(enclosing->arena, box_t, count);
    for (size_t k = 0; k < count; k++) made[i][k] = box_whole_line();
    boxes[placed->results[i]] = made[i];
  }
  const oracle_t *oracle = oracle_find(program->op);
  if (oracle == NULL || oracle->enclose == NULL) {
    note_unknown(enclosing, placed->where, program->op->name);
    return STATUS_OK;
  }
  failure_t reason = {0};
  arena_mark_t mark = arena_mark(enclosing->arena);
  const enclosure_call_t call = {.program = program,
                                 .contract = enclosing->contract,
                                 .operands = given,
                                 .arena = enclosing->arena,
                                 .error = &reason,
                                 .are_stored = true};
  status_t status = oracle->enclose(&call, made);
  arena_rewind(enclosing->arena, mark);
  if (status == STATUS_UNSUPPORTED || status == STATUS_UNDECIDED) {
    for (uint32_t i = 0; i < program->result_count; i++) {
      size_t count = type_element_count(&program->results[i]);
      for (size_t k = 0; k < count; k++) made[i][k] = box_whole_line();
    }
    note_unknown(enclosing, placed->where, reason.text);
    return STATUS_OK;
  }
  if (status != STATUS_OK) {
    *error = reason;
  } else {
    note_unbounded(enclosing, program, placed->where, given, made);
  }
  return status;
}

/* ---- The high-precision model ---------------------------------------------------------------- */

static status_t enclose_region(enclosing_t *enclosing, const quant_region_t *region, box_t **values,
                               failure_t *error) {
  box_t **inners = ARENA_NEW_ARRAY(enclosing->arena, box_t *, region->inner_count + 1);
  for (uint32_t i = 0; i < region->inner_count; i++) {
    const tensor_t *constant = region->inners[i].constant;
    inners[i] = NULL;
    if (i < region->input_count) inners[i] = values[region->ports[i].value];
    if (constant != NULL) inners[i] = points_of(constant, enclosing->arena);
  }
  for (uint32_t i = 0; i < region->op_count; i++) {
    const quant_op_t *op = &region->ops[i];
    const placed_program_t placed = {.program = &op->program,
                                     .where = region->name,
                                     .operands = op->operands,
                                     .results = op->results};
    STATUS_TRY(enclose_program(enclosing, &placed, inners, error));
  }
  for (uint32_t i = 0; i < region->output_count; i++) {
    values[region->ports[region->input_count + i].value] = inners[region->returns[i]];
  }
  return STATUS_OK;
}

static status_t enclose_model(const quant_graph_t *graph, const tensor_t *inputs,
                              enclosing_t *enclosing, failure_t *error) {
  box_t **values = enclosing->enclosure->values;
  for (uint32_t i = 0; i < graph->value_count; i++) {
    const tensor_t *constant = graph->values[i].constant;
    values[i] = constant == NULL ? NULL : points_of(constant, enclosing->arena);
  }
  for (uint32_t i = 0; i < graph->input_count; i++) {
    values[graph->inputs[i]] = points_of(&inputs[i], enclosing->arena);
  }
  const uint32_t *order = quant_graph_order(graph, enclosing->arena);
  for (uint32_t i = 0; i < graph->region_count; i++) {
    const quant_region_t *region = &graph->regions[order[i]];
    if (strcmp(region->kernel, QUANT_RESCALE_KERNEL) == 0) { /* The same numbers on both sides. */
      values[region->ports[1].value] = values[region->ports[0].value];
    } else {
      STATUS_TRY(enclose_region(enclosing, region, values, error));
    }
  }
  return STATUS_OK;
}

/* ---- The steps ------------------------------------------------------------------------------- */

/* Adds what the region returns if it is run as one. */
static status_t add_whole(const quant_whole_t *whole, enclosing_t *enclosing, failure_t *error) {
  box_t **tensors = enclosing->enclosure->tensors;
  box_t *by_steps[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < whole->program.result_count; i++) {
    by_steps[i] = tensors[whole->outputs[i]];
  }
  const placed_program_t placed = {.program = &whole->program,
                                   .where = "a region run as one",
                                   .operands = whole->inputs,
                                   .results = whole->outputs};
  STATUS_TRY(enclose_program(enclosing, &placed, tensors, error));
  for (uint32_t i = 0; i < whole->program.result_count; i++) {
    box_t *boxes = tensors[whole->outputs[i]];
    size_t count = type_element_count(&whole->program.results[i]);
    for (size_t k = 0; k < count; k++) boxes[k] = box_unite(boxes[k], by_steps[i][k]);
  }
  return STATUS_OK;
}

static status_t enclose_steps(const quant_steps_t *steps, const quant_whole_t *wholes,
                              const tensor_t *inputs, enclosing_t *enclosing, failure_t *error) {
  box_t **tensors = enclosing->enclosure->tensors;
  for (uint32_t i = 0; i < steps->tensor_count; i++) {
    const tensor_t *constant = steps->tensors[i].constant;
    tensors[i] = constant == NULL ? NULL : points_of(constant, enclosing->arena);
  }
  for (uint32_t i = 0; i < steps->graph->input_count; i++) {
    tensors[steps->inputs[i]] = points_of(&inputs[i], enclosing->arena);
  }
  for (uint32_t i = 0; i < steps->step_count; i++) {
    const quant_step_t *step = &steps->steps[i];
    const placed_program_t placed = {.program = &step->program,
                                     .where = steps->tensors[step->results[0]].name,
                                     .operands = step->operands,
                                     .results = step->results};
    STATUS_TRY(enclose_program(enclosing, &placed, tensors, error));
    if (wholes == NULL || step->region == QUANT_NONE) continue;
    const quant_whole_t *whole = &wholes[step->region];
    if (whole->is_whole && whole->last == i) STATUS_TRY(add_whole(whole, enclosing, error));
  }
  return STATUS_OK;
}

status_t quant_enclose_wholes(const quant_enclosing_t *what, arena_t *arena,
                              quant_enclosure_t *out_enclosure, failure_t *error) {
  const quant_steps_t *steps = what->steps;
  quant_enclosure_t enclosure = {
      .values = ARENA_NEW_ARRAY(arena, box_t *, steps->graph->value_count + 1),
      .tensors = ARENA_NEW_ARRAY(arena, box_t *, steps->tensor_count + 1)};
  enclosing_t enclosing = {.arena = arena, .enclosure = &enclosure};
  STATUS_TRY(enclose_model(steps->graph, what->inputs, &enclosing, error));
  enclosing.contract = what->contract;
  STATUS_TRY(enclose_steps(steps, what->wholes, what->inputs, &enclosing, error));
  *out_enclosure = enclosure;
  return STATUS_OK;
}

status_t quant_enclose(const quant_steps_t *steps, const contract_t *contract,
                       const tensor_t *inputs, arena_t *arena, quant_enclosure_t *out_enclosure,
                       failure_t *error) {
  const quant_enclosing_t what = {.steps = steps, .contract = contract, .inputs = inputs};
  return quant_enclose_wholes(&what, arena, out_enclosure, error);
}

/* ---- Errors ---------------------------------------------------------------------------------- */

/* The largest distance of a number in `a` from one in `b`, rounded up. */
static double farthest(box_t a, box_t b) {
  double above = nextafter(a.high - b.low, INFINITY), below = nextafter(b.high - a.low, INFINITY);
  if (isnan(above) || isnan(below)) return INFINITY;
  if (a.high == b.low) above = 0;
  if (b.high == a.low) below = 0;
  return fmax(fmax(above, below), 0);
}

double quant_number(const type_t *type, const tensor_t *data, size_t element) {
  const box_t box = box_value(type, element, quant_point(data, element));
  return box.low + (box.high - box.low) / 2;
}

quant_error_t quant_error_of(const quant_steps_t *steps, const quant_enclosure_t *enclosure,
                             uint32_t tensor, const tensor_t *data) {
  const quant_step_tensor_t *row = &steps->tensors[tensor];
  const box_t *model = enclosure->values[row->value];
  const box_t *stored = enclosure->tensors[tensor];
  quant_error_t worst = {0};
  size_t count = type_element_count(&row->type);
  for (size_t i = 0; i < count; i++) {
    const box_t permitted = box_value(&row->type, i, stored[i]);
    worst.certified = fmax(worst.certified, farthest(permitted, model[i]));
    if (data == NULL) continue;
    const box_t got = quant_point(data, i);
    worst.observed = fmax(worst.observed, farthest(box_value(&row->type, i, got), model[i]));
    bool is_inside = stored[i].low <= got.low && got.high <= stored[i].high;
    if (!is_inside && worst.outside++ == 0) worst.first_outside = i;
  }
  return worst;
}
