/* SPDX-License-Identifier: Apache-2.0 */
/* The axes of a module, from those of its steps: dimensions that a step runs along together are one
 * axis, through all values that are wired to one another (theory.md, T237).  What a step does not
 * tell, what constants hold, and what one value has twice is left whole. */
#include <inttypes.h>
#include <string.h>

#include "harness/kinds/module/module.h"

typedef enum hold {
  HOLD_NONE,     /* It may be cut. */
  HOLD_STEP,     /* A step tells nothing about it. */
  HOLD_CONSTANT, /* A constant has it. */
  HOLD_SCALES,   /* Scales run along it. */
  HOLD_TWICE,    /* Two dimensions of one value have it. */
} hold_t;

/* A class of dimensions, at its root. */
typedef struct class_ {
  uint32_t parent; /* The root has itself. */
  uint32_t roles;  /* A bit for each role that steps give it. */
  hold_t hold;
  uint32_t holder; /* The step, or the value. */
} class_t;

typedef struct graph {
  const program_t *program;
  const module_t *module;
  class_t *classes; /* By value and dimension. */
} graph_t;

static uint32_t node_of(module_value_t value, uint32_t dim) { return value * TYPE_RANK_MAX + dim; }

static uint32_t find_root(const graph_t *graph, uint32_t node) {
  while (graph->classes[node].parent != node) {
    class_t *class_ = &graph->classes[node];
    class_->parent = graph->classes[class_->parent].parent;
    node = class_->parent;
  }
  return node;
}

static class_t *class_of(const graph_t *graph, module_value_t value, uint32_t dim) {
  return &graph->classes[find_root(graph, node_of(value, dim))];
}

static void hold(const graph_t *graph, module_value_t value, uint32_t dim, hold_t why,
                 uint32_t holder) {
  class_t *class_ = class_of(graph, value, dim);
  if (class_->hold != HOLD_NONE) return;
  class_->hold = why;
  class_->holder = holder;
}

static void join(const graph_t *graph, uint32_t a, uint32_t b) {
  a = find_root(graph, a);
  b = find_root(graph, b);
  if (a == b) return;
  class_t *into = &graph->classes[a];
  class_t *from = &graph->classes[b];
  from->parent = a;
  into->roles |= from->roles;
  if (into->hold != HOLD_NONE) return;
  into->hold = from->hold;
  into->holder = from->holder;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

static bool is_listed(const axis_list_t *lists, const type_t *types, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    if (lists[i].count != types[i].rank) return false;
  }
  return true;
}

static bool step_axes(const module_step_t *step, axes_t *out_axes) {
  const program_t *program = &step->program;
  return axes_of_parts(program, out_axes) &&
         is_listed(out_axes->operands, program->operands, program->operand_count) &&
         is_listed(out_axes->results, program->results, program->result_count);
}

static void hold_all(const graph_t *graph, const module_value_t *values, const type_t *types,
                     uint32_t count, uint32_t step) {
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t dim = 0; dim < types[i].rank; dim++) {
      hold(graph, values[i], dim, HOLD_STEP, step);
    }
  }
}

/* What has an axis of the step is one class with `first`, the first that has it; UINT32_MAX: none
 * has yet. */
static void join_axis(const graph_t *graph, const module_value_t *values, const axis_list_t *lists,
                      uint32_t count, uint32_t axis, uint32_t *inout_first) {
  for (uint32_t i = 0; i < count; i++) {
    int dim = axis_list_find(&lists[i], axis);
    if (dim < 0) continue;
    uint32_t node = node_of(values[i], (uint32_t)dim);
    if (*inout_first == UINT32_MAX) *inout_first = node;
    join(graph, *inout_first, node);
  }
}

static void hold_scales(const graph_t *graph, const module_value_t *values, const type_t *types,
                        uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const quantization_t *quantization = types[i].quantization;
    if (quantization == NULL || quantization->axis < 0) continue;
    hold(graph, values[i], (uint32_t)quantization->axis, HOLD_SCALES, values[i]);
  }
}

/* An axis that another follows, as a window's elements do its place, is not cut by itself. */
static bool is_linked(const axes_t *axes, uint32_t axis) {
  for (uint32_t i = 0; i < axes->link_count; i++) {
    if (axes->links[i].of == axis || axes->links[i].to == axis) return true;
  }
  return false;
}

static void add_step(const graph_t *graph, uint32_t index) {
  const module_step_t *step = &graph->module->steps[index];
  const program_t *program = &step->program;
  axes_t axes;
  if (!step_axes(step, &axes)) {
    hold_all(graph, step->operands, program->operands, program->operand_count, index);
    hold_all(graph, step->results, program->results, program->result_count, index);
    return;
  }
  for (uint32_t axis = 0; axis < axes.count; axis++) {
    uint32_t first = UINT32_MAX;
    join_axis(graph, step->operands, axes.operands, program->operand_count, axis, &first);
    join_axis(graph, step->results, axes.results, program->result_count, axis, &first);
    if (first == UINT32_MAX) continue;
    class_t *class_ = &graph->classes[find_root(graph, first)];
    class_->roles |= 1u << axes.items[axis].role;
    if (is_linked(&axes, axis) && class_->hold == HOLD_NONE) {
      class_->hold = HOLD_STEP;
      class_->holder = index;
    }
  }
  hold_scales(graph, step->operands, program->operands, program->operand_count);
  hold_scales(graph, step->results, program->results, program->result_count);
}

/* ---- The whole ------------------------------------------------------------------------------- */

static void hold_doubles(const graph_t *graph, module_value_t value) {
  const type_t *type = module_type(graph->program, value);
  if (type == NULL) return;
  for (uint32_t dim = 1; dim < type->rank; dim++) {
    for (uint32_t other = 0; other < dim; other++) {
      bool is_one = class_of(graph, value, dim) == class_of(graph, value, other);
      if (is_one) hold(graph, value, dim, HOLD_TWICE, value);
    }
  }
}

static graph_t graph_make(const program_t *program) {
  graph_t graph = {.program = program, .module = module_of(program)};
  uint32_t nodes = node_of(graph.module->value_count, 0);
  graph.classes = g_new0(class_t, nodes);
  for (uint32_t i = 0; i < nodes; i++) graph.classes[i].parent = i;
  for (uint32_t i = 0; i < graph.module->step_count; i++) add_step(&graph, i);
  for (uint32_t i = 0; i < graph.module->constant_count; i++) {
    module_value_t value = MODULE_ARGUMENTS_MAX + i;
    for (uint32_t dim = 0; dim < graph.module->constants[i].type.rank; dim++) {
      hold(&graph, value, dim, HOLD_CONSTANT, value);
    }
  }
  for (module_value_t value = 0; value < graph.module->value_count; value++) {
    hold_doubles(&graph, value);
  }
  return graph;
}

static void graph_free(graph_t *graph) { g_free(graph->classes); }

/* A row that is an entry of a batch elsewhere is a row. */
static axis_role_t role_of(const class_t *class_) {
  if (class_->hold != HOLD_NONE || (class_->roles >> AXIS_TERM & 1) != 0) return AXIS_TERM;
  if ((class_->roles >> AXIS_ROW & 1) != 0) return AXIS_ROW;
  return (class_->roles >> AXIS_COLUMN & 1) != 0 ? AXIS_COLUMN : AXIS_BATCH;
}

/* The classes of arguments and results by their numbers; false if there are too many. */
typedef struct numbering {
  uint32_t roots[AXES_MAX];
  uint32_t count;
} numbering_t;

static bool number_value(const graph_t *graph, module_value_t value, const type_t *type,
                         numbering_t *numbering, axis_list_t *out_list) {
  out_list->count = type->rank;
  for (uint32_t dim = 0; dim < type->rank; dim++) {
    uint32_t root = find_root(graph, node_of(value, dim));
    uint32_t axis = 0;
    while (axis < numbering->count && numbering->roots[axis] != root) axis++;
    if (axis == AXES_MAX) return false;
    if (axis == numbering->count) numbering->roots[numbering->count++] = root;
    out_list->axes[dim] = axis;
  }
  return true;
}

/* A value that has one axis twice has each of its dimensions by itself: none is ever cut. */
static bool has_double(const axis_list_t *list) {
  for (uint32_t i = 1; i < list->count; i++) {
    for (uint32_t k = 0; k < i; k++) {
      if (list->axes[i] == list->axes[k]) return true;
    }
  }
  return false;
}

static bool number_all(const graph_t *graph, numbering_t *numbering, axes_t *out_axes) {
  const program_t *program = graph->program;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    axis_list_t *list = &out_axes->operands[i];
    if (!number_value(graph, i, &program->operands[i], numbering, list) || has_double(list)) {
      return false;
    }
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    axis_list_t *list = &out_axes->results[i];
    module_value_t value = graph->module->returns[i];
    if (!number_value(graph, value, &program->results[i], numbering, list) || has_double(list)) {
      return false;
    }
  }
  return true;
}

static void set_items(const numbering_t *numbering, const graph_t *graph, const axis_list_t *lists,
                      const type_t *types, uint32_t count, axes_t *inout_axes) {
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t dim = 0; dim < lists[i].count; dim++) {
      uint32_t axis = lists[i].axes[dim];
      inout_axes->items[axis] = (axis_t){.role = role_of(&graph->classes[numbering->roots[axis]]),
                                         .size = types[i].dims[dim]};
    }
  }
}

static bool find_axes(const graph_t *graph, numbering_t *out_numbering, axes_t *out_axes) {
  const program_t *program = graph->program;
  *out_axes = (axes_t){.count = 0};
  *out_numbering = (numbering_t){.count = 0};
  if (!number_all(graph, out_numbering, out_axes)) return false;
  out_axes->count = out_numbering->count;
  set_items(out_numbering, graph, out_axes->operands, program->operands, program->operand_count,
            out_axes);
  set_items(out_numbering, graph, out_axes->results, program->results, program->result_count,
            out_axes);
  return true;
}

void module_axes(const program_t *program, axes_t *out_axes) {
  graph_t graph = graph_make(program);
  numbering_t numbering;
  if (!find_axes(&graph, &numbering, out_axes)) out_axes->count = AXES_MAX + 1;
  graph_free(&graph);
}

/* ---- Other sizes ----------------------------------------------------------------------------- */

/* A module and the sizes that are asked for. */
typedef struct sizing {
  const graph_t *graph;
  const numbering_t *numbering;
  const axes_t *view;
  arena_t *arena;
} sizing_t;

static type_t size_type(const sizing_t *sizing, module_value_t value, const type_t *type) {
  type_t sized = *type;
  for (uint32_t dim = 0; dim < type->rank; dim++) {
    uint32_t root = find_root(sizing->graph, node_of(value, dim));
    for (uint32_t axis = 0; axis < sizing->numbering->count; axis++) {
      bool is_it =
          sizing->numbering->roots[axis] == root && sizing->graph->classes[root].hold == HOLD_NONE;
      if (is_it) sized.dims[dim] = sizing->view->items[axis].size;
    }
  }
  return sized;
}

/* Whether the op itself would make the same of these sizes: attributes may depend on them. */
static bool is_as_op_makes(const sizing_t *sizing, const module_step_t *step,
                           const program_t *made) {
  axes_t axes;
  if (step->program.op->with_axes == NULL || !step_axes(step, &axes)) return true;
  for (uint32_t i = 0; i < made->operand_count; i++) {
    for (uint32_t dim = 0; dim < made->operands[i].rank; dim++) {
      axes.items[axes.operands[i].axes[dim]].size = made->operands[i].dims[dim];
    }
  }
  program_t by_op = step->program;
  step->program.op->with_axes(&step->program, &axes, sizing->arena, &by_op);
  g_autoptr(GString) ours = g_string_new(NULL);
  g_autoptr(GString) theirs = g_string_new(NULL);
  program_print(made, ours);
  program_print(&by_op, theirs);
  return strcmp(ours->str, theirs->str) == 0;
}

/* False if the op of a step would make another program of it. */
static bool size_steps(const sizing_t *sizing, module_step_t *steps) {
  for (uint32_t i = 0; i < sizing->graph->module->step_count; i++) {
    const module_step_t *step = &sizing->graph->module->steps[i];
    program_t *made = &steps[i].program;
    steps[i] = *step;
    for (uint32_t k = 0; k < made->operand_count; k++) {
      made->operands[k] = size_type(sizing, step->operands[k], &made->operands[k]);
    }
    for (uint32_t k = 0; k < made->result_count; k++) {
      made->results[k] = size_type(sizing, step->results[k], &made->results[k]);
    }
    if (!is_as_op_makes(sizing, step, made)) return false;
  }
  return true;
}

/* Arguments get the sizes that are asked for, whatever becomes of the steps: where these cannot
 * have them, what comes out is no valid program. */
void module_with_axes(const program_t *program, axes_t *inout_axes, arena_t *arena,
                      program_t *out_program) {
  graph_t graph = graph_make(program);
  numbering_t numbering;
  axes_t whole;
  if (find_axes(&graph, &numbering, &whole)) {
    const sizing_t sizing = {&graph, &numbering, inout_axes, arena};
    memcpy(inout_axes->operands, whole.operands, sizeof whole.operands);
    memcpy(inout_axes->results, whole.results, sizeof whole.results);
    for (uint32_t i = 0; i < program->operand_count; i++) {
      out_program->operands[i] = axes_type(&program->operands[i], inout_axes, &whole.operands[i]);
    }
    for (uint32_t i = 0; i < program->result_count; i++) {
      out_program->results[i] = axes_type(&program->results[i], inout_axes, &whole.results[i]);
    }
    module_t *module = ARENA_NEW_ARRAY(arena, module_t, 1);
    module_step_t *steps = ARENA_NEW_ARRAY(arena, module_step_t, graph.module->step_count + 1);
    module_attributes_t *attributes = ARENA_NEW_ARRAY(arena, module_attributes_t, 1);
    *module = *graph.module;
    module->steps = steps;
    attributes->module = module;
    if (size_steps(&sizing, steps)) out_program->attributes = attributes;
  }
  graph_free(&graph);
}

/* ---- Why not --------------------------------------------------------------------------------- */

static void print_hold(const graph_t *graph, const class_t *class_, GString *out_text) {
  switch (class_->hold) {
    case HOLD_STEP: {
      const module_step_t *step = &graph->module->steps[class_->holder];
      module_print_value(step->results[0], out_text);
      g_string_append_printf(out_text, " (%s) tells no axes", step->program.op->name);
      break;
    }
    case HOLD_CONSTANT:
      module_print_value(class_->holder, out_text);
      g_string_append(out_text, " is a constant");
      break;
    case HOLD_SCALES:
      module_print_value(class_->holder, out_text);
      g_string_append(out_text, " has scales along it");
      break;
    case HOLD_TWICE:
      module_print_value(class_->holder, out_text);
      g_string_append(out_text, " has one axis twice");
      break;
    case HOLD_NONE:
    default:
      g_string_append(out_text, "it is summed over");
      break;
  }
}

bool module_tells_axes(const program_t *program, GString *out_why) {
  graph_t graph = graph_make(program);
  numbering_t numbering;
  axes_t axes;
  bool is_told = false;
  bool is_found = find_axes(&graph, &numbering, &axes);
  const type_t *type = &program->results[0];
  for (uint32_t dim = 0; dim < type->rank && is_found; dim++) {
    is_told |= axes.items[axes.results[0].axes[dim]].role != AXIS_TERM;
  }
  if (!is_told && type->rank == 0) {
    g_string_append(out_why, "its result is one number");
  } else if (!is_told) {
    /* The first dimension is the one that batches and rows have. */
    print_hold(&graph, class_of(&graph, graph.module->returns[0], 0), out_why);
  }
  graph_free(&graph);
  return is_told;
}
