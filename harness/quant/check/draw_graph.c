/* SPDX-License-Identifier: Apache-2.0 */
/* Draws annotated graphs as text region by region from a pool of values, with subprograms, shared
 * values and odd annotations, then parses them, so that generation also tests the parser. */
#include "harness/quant/check/draw_graph.h"

#include <stdio.h>

#include "harness/quant/check/draw_kernel.h"
#include "harness/quant/spec/draw.h"

enum {
  POOL_MAX = 512,    /* More than QUANT_DRAW_REGIONS_MAX regions and their inputs can fill. */
  ELEMENTS_MAX = 96, /* Of a tensor that goes on to be an operand. */
  ARGUMENTS_MAX = 2,
  SUBPROGRAMS_MAX = 2,
};

/* A graph or a subprogram while its regions are drawn. */
typedef struct scope {
  rng_t *rng;
  const element_t *element;
  GString *text;
  bool is_strange;      /* Rare data: infinite weights. */
  uint32_t spec_odds;   /* One value in so many has a spec; 0: none. */
  bool only_calibrated; /* Values have calibrations alone, as after a calibration run. */
  bool with_port_specs;
  uint32_t stranger_odds; /* One kernel in so many has a name that no table has; 0: none. */
  uint32_t region_count;  /* Numbers regions. */
  uint32_t input_count;   /* Numbers inputs. */
  bool is_subprogram;     /* Cannot have further inputs. */
  uint32_t pool_count;
  quant_draw_tensor_t pool[POOL_MAX];
  bool is_used[POOL_MAX];
  bool is_made[POOL_MAX]; /* By a region, so that it may be an output. */
} scope_t;

typedef struct subprogram {
  char name[16];
  uint32_t argument_count;
  quant_draw_tensor_t arguments[ARGUMENTS_MAX];
  uint32_t result_count;
  quant_draw_tensor_t results[2];
} subprogram_t;

static void add_to_pool(scope_t *scope, const quant_draw_tensor_t *tensor, bool is_made) {
  g_assert(scope->pool_count < POOL_MAX);
  scope->is_used[scope->pool_count] = false;
  scope->is_made[scope->pool_count] = is_made;
  scope->pool[scope->pool_count++] = *tensor;
}

static bool draws_spec(scope_t *scope) {
  return scope->spec_odds > 0 && rng_one_in(scope->rng, scope->spec_odds);
}

static void append_spec(scope_t *scope, const type_t *type) {
  g_string_append_c(scope->text, ' ');
  if (scope->only_calibrated) {
    quant_draw_calibration_text(scope->rng, type->element, scope->text);
  } else {
    quant_draw_spec_text(scope->rng, type, scope->text);
  }
}

/* Perhaps a line with a constraint on what a region or a call makes. */
static void constrain(scope_t *scope, const quant_draw_tensor_t *tensor) {
  if (!draws_spec(scope)) return;
  g_string_append_printf(scope->text, "value %s", tensor->name);
  append_spec(scope, &tensor->type);
  g_string_append_c(scope->text, '\n');
}

static type_t draw_input_type(scope_t *scope) {
  static const uint32_t RANKS[] = {4, 4, 4, 2, 2, 1, 3, 0};
  rng_t *rng = scope->rng;
  uint32_t rank = RANKS[rng_below(rng, G_N_ELEMENTS(RANKS))];
  int64_t dims[4] = {rng_between(rng, 1, 2), rng_between(rng, 1, 4), rng_between(rng, 1, 4),
                     rng_between(rng, 1, 3)};
  return type_make(scope->element, rank, dims);
}

static uint32_t add_input(scope_t *scope, const type_t *type) {
  quant_draw_tensor_t tensor = {.type = *type};
  bool is_constant = rng_one_in(scope->rng, 8);
  snprintf(tensor.name, sizeof tensor.name, "%s%u", is_constant ? "k" : "x", scope->input_count++);
  if (scope->input_count == 2 && rng_one_in(scope->rng, 24)) { /* As rescales are called. */
    snprintf(tensor.name, sizeof tensor.name, "%.32s.rescale", scope->pool[0].name);
  }
  g_string_append_printf(scope->text, "%s %s ", is_constant ? "constant" : "input", tensor.name);
  type_print(type, scope->text);
  if (draws_spec(scope)) append_spec(scope, type);
  if (is_constant) {
    g_string_append(scope->text, " = 0x");
    for (size_t i = 0; i < type_element_count(type); i++) {
      double value = (double)rng_between(scope->rng, -128, 128) / 32;
      g_string_append_printf(scope->text, "%0*" G_GINT64_MODIFIER "x", type->element->bits / 4,
                             format_from_double(type->element->format, value));
    }
  }
  g_string_append_c(scope->text, '\n');
  add_to_pool(scope, &tensor, false);
  return scope->pool_count - 1;
}

/* A value for a region: the newest one often (chains), else any (diamonds, shared values). */
static uint32_t pick(scope_t *scope) {
  uint32_t count = scope->pool_count;
  if (rng_one_in(scope->rng, 2)) return count - 1;
  return (uint32_t)rng_below(scope->rng, count);
}

/* One of the type of value `like`: another one if there is, or perhaps a further input. */
static uint32_t pick_like(scope_t *scope, uint32_t like) {
  const type_t *type = &scope->pool[like].type;
  uint32_t start = (uint32_t)rng_below(scope->rng, scope->pool_count);
  for (uint32_t i = 0; i < scope->pool_count; i++) {
    uint32_t candidate = (start + i) % scope->pool_count;
    if (candidate != like && type_equal(&scope->pool[candidate].type, type)) return candidate;
  }
  if (scope->is_subprogram || rng_one_in(scope->rng, 8)) return like;
  type_t copy = *type;
  return add_input(scope, &copy);
}

static bool takes(const quant_draw_kernel_t *kernel, const type_t *type) {
  return type->rank >= kernel->rank_min && type->rank <= kernel->rank_max &&
         type_element_count(type) <= ELEMENTS_MAX;
}

static const quant_draw_kernel_t *draw_kernel_for(rng_t *rng, const type_t *type) {
  const quant_draw_kernel_t *kernels = quant_draw_kernels(), *chosen = NULL;
  uint64_t count = 0;
  for (const quant_draw_kernel_t *kernel = kernels; kernel->name != NULL; kernel++) {
    if (!takes(kernel, type)) continue;
    bool is_weighted = strchr(kernel->ports, ':') != NULL; /* Those with more rules: twice. */
    for (uint32_t i = 0; i < (is_weighted ? 2u : 1u); i++) {
      if (rng_one_in(rng, ++count)) chosen = kernel;
    }
  }
  return chosen;
}

static void draw_one_region(scope_t *scope) {
  rng_t *rng = scope->rng;
  uint32_t first = pick(scope);
  const quant_draw_kernel_t *kernel = draw_kernel_for(rng, &scope->pool[first].type);
  if (kernel == NULL) { /* Too large to go on from: an input of one element is not. */
    first = 0;
    kernel = draw_kernel_for(rng, &scope->pool[0].type);
  }
  quant_draw_tensor_t operands[CASE_OPERANDS_MAX];
  uint32_t count = (uint32_t)rng_between(rng, kernel->operands_min, kernel->operands_max);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t value = i == 0 ? first : pick_like(scope, first);
    scope->is_used[value] = true;
    operands[i] = scope->pool[value];
  }
  char name[32];
  snprintf(name, sizeof name, "r%u", scope->region_count++);
  bool is_stranger = scope->stranger_odds > 0 && rng_one_in(rng, scope->stranger_odds);
  quant_draw_tensor_t results[2];
  quant_region_request_t request = {
      .kernel = kernel,
      .kernel_name = is_stranger ? "unheard_of" : kernel->name,
      .name = name,
      .operands = operands,
      .operand_count = count,
      .with_specs = scope->with_port_specs,
      .is_strange = scope->is_strange,
  };
  uint32_t result_count = quant_draw_region(rng, &request, scope->text, results);
  for (uint32_t i = 0; i < result_count; i++) {
    if (!scope->is_subprogram) constrain(scope, &results[i]); /* Its results are not its own. */
    add_to_pool(scope, &results[i], true);
  }
}

/* Draws a subprogram, of one to three regions, whose arguments have types of the pool. */
static void draw_subprogram(scope_t *outer, uint32_t number, subprogram_t *out_subprogram) {
  rng_t *rng = outer->rng;
  subprogram_t subprogram = {.argument_count = 0};
  snprintf(subprogram.name, sizeof subprogram.name, "part%u", number);
  scope_t *scope = g_new(scope_t, 1);
  *scope = *outer;
  scope->is_subprogram = true;
  scope->pool_count = 0;
  scope->region_count = 0;
  scope->text = g_string_new(NULL);
  uint32_t arguments = (uint32_t)rng_between(rng, 1, ARGUMENTS_MAX);
  for (uint32_t i = 0; i < arguments; i++) {
    quant_draw_tensor_t argument = outer->pool[rng_below(rng, outer->pool_count)];
    if (type_element_count(&argument.type) > ELEMENTS_MAX) argument = outer->pool[0];
    snprintf(argument.name, sizeof argument.name, "a%u", i);
    subprogram.arguments[subprogram.argument_count++] = argument;
    add_to_pool(scope, &argument, false);
  }
  uint32_t regions = (uint32_t)rng_between(rng, 1, 3);
  for (uint32_t i = 0; i < regions; i++) draw_one_region(scope);
  GString *results = g_string_new(NULL);
  for (uint32_t i = scope->pool_count; i-- > 0;) {
    if (!scope->is_made[i]) continue;
    if (subprogram.result_count == 2 || (scope->is_used[i] && !rng_one_in(rng, 3))) {
      constrain(scope, &scope->pool[i]);
      continue;
    }
    g_string_append_printf(results, "%s%s", subprogram.result_count > 0 ? ", " : "",
                           scope->pool[i].name);
    subprogram.results[subprogram.result_count++] = scope->pool[i];
  }
  g_string_append_printf(outer->text, "subprogram %s(", subprogram.name);
  for (uint32_t i = 0; i < arguments; i++) {
    g_string_append_printf(outer->text, "%sa%u: ", i > 0 ? ", " : "", i);
    type_print(&subprogram.arguments[i].type, outer->text);
  }
  g_string_append_printf(outer->text, ") -> (%s)\n%send\n", results->str, scope->text->str);
  g_string_free(results, TRUE);
  g_string_free(scope->text, TRUE);
  g_free(scope);
  *out_subprogram = subprogram;
}

static void draw_call(scope_t *scope, const subprogram_t *subprogram, uint32_t number) {
  g_string_append_printf(scope->text, "call c%u %s(", number, subprogram->name);
  for (uint32_t i = 0; i < subprogram->argument_count; i++) {
    uint32_t start = (uint32_t)rng_below(scope->rng, scope->pool_count), value = start;
    while (!type_equal(&scope->pool[value].type, &subprogram->arguments[i].type)) {
      value = (value + 1) % scope->pool_count; /* The type was drawn from the pool. */
    }
    scope->is_used[value] = true;
    g_string_append_printf(scope->text, "%s%s", i > 0 ? ", " : "", scope->pool[value].name);
  }
  g_string_append(scope->text, ") -> (");
  quant_draw_tensor_t results[2];
  for (uint32_t i = 0; i < subprogram->result_count; i++) {
    results[i] = subprogram->results[i];
    snprintf(results[i].name, sizeof results[i].name, "c%u.y%u", number, i);
    g_string_append_printf(scope->text, "%s%s", i > 0 ? ", " : "", results[i].name);
  }
  g_string_append(scope->text, ")\n");
  for (uint32_t i = 0; i < subprogram->result_count; i++) {
    constrain(scope, &results[i]);
    add_to_pool(scope, &results[i], true);
  }
}

/* Unused results become outputs, but for a few; used ones and inputs seldom do. */
static void draw_outputs(scope_t *scope) {
  bool has_output = false;
  for (uint32_t i = scope->pool_count; i-- > 0;) {
    bool is_last = i + 1 == scope->pool_count;
    bool is_output = scope->is_made[i] &&
                     (scope->is_used[i] ? rng_one_in(scope->rng, 8) : !rng_one_in(scope->rng, 16));
    if (!is_output && !is_last) continue;
    if (!scope->is_made[i]) continue;
    g_string_append_printf(scope->text, "output %s\n", scope->pool[i].name);
    has_output = true;
  }
  g_assert(has_output); /* At least one region was drawn, and what it made is last or unused. */
}

static void draw_parts(scope_t *scope, uint32_t regions_max) {
  rng_t *rng = scope->rng;
  regions_max = CLAMP(regions_max, 1, QUANT_DRAW_REGIONS_MAX);
  uint32_t regions = (uint32_t)rng_between(rng, 1, regions_max);
  subprogram_t subprograms[SUBPROGRAMS_MAX];
  uint32_t subprogram_count = 0, call_count = 0;
  for (uint32_t i = 0; i < regions; i++) {
    draw_one_region(scope);
    if (subprogram_count < SUBPROGRAMS_MAX && rng_one_in(rng, 12)) {
      draw_subprogram(scope, subprogram_count, &subprograms[subprogram_count]);
      draw_call(scope, &subprograms[subprogram_count++], call_count++);
    }
    if (subprogram_count > 0 && call_count < 6 && rng_one_in(rng, 3)) {
      draw_call(scope, &subprograms[rng_below(rng, subprogram_count)], call_count++);
    }
  }
}

void quant_draw_graph_text(rng_t *rng, uint32_t regions_max, GString *out_text) {
  static const char *const ELEMENTS[] = {"f32", "f32", "f32", "f32", "f32", "f16", "bf16", "f64"};
  scope_t *scope = g_new0(scope_t, 1);
  scope->rng = rng;
  scope->element = element_named(ELEMENTS[rng_below(rng, G_N_ELEMENTS(ELEMENTS))]);
  scope->text = out_text;
  if (rng_one_in(rng, 3)) { /* As after a calibration run: all is likely to be quantized. */
    scope->spec_odds = 1;
    scope->only_calibrated = true;
  } else {
    scope->is_strange = rng_one_in(rng, 64);
    scope->spec_odds = (uint32_t)rng_below(rng, 4);
    scope->with_port_specs = rng_one_in(rng, 2);
    scope->stranger_odds = 40;
  }
  g_string_append(out_text, "graph drawn\n");
  uint32_t inputs = (uint32_t)rng_between(rng, 1, 3);
  for (uint32_t i = 0; i < inputs; i++) {
    type_t type = draw_input_type(scope);
    add_input(scope, &type);
  }
  draw_parts(scope, regions_max);
  draw_outputs(scope);
  g_free(scope);
}

status_t quant_draw_graph(rng_t *rng, uint32_t regions_max, arena_t *arena,
                          quant_graph_t *out_graph, failure_t *error) {
  GString *text = g_string_new(NULL);
  quant_draw_graph_text(rng, regions_max, text);
  failure_t parsed = {.text = ""};
  status_t status = quant_graph_parse((str_t){text->str, text->len}, arena, out_graph, &parsed);
  if (status != STATUS_OK) {
    status = status_fail(error, status, "drew a graph that is not read: %s", parsed.text);
  }
  g_string_free(text, TRUE);
  return status;
}
