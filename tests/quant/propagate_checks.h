/* SPDX-License-Identifier: Apache-2.0 */
/* Models as text, propagated, and what came out of it as text. */
#ifndef ASSAY_TESTS_QUANT_PROPAGATE_CHECKS_H
#define ASSAY_TESTS_QUANT_PROPAGATE_CHECKS_H

#include <string.h>

#include "harness/quant/propagate/propagate.h"

typedef struct model {
  arena_t arena;
  quant_target_t table;
  quant_graph_t graph;
  quant_propagation_t propagation;
} model_t;

static inline quant_graph_t graph_of(const char *text, arena_t *arena) {
  quant_graph_t graph;
  failure_t error = {.text = ""};
  status_t status = quant_graph_parse(str_from(text), arena, &graph, &error);
  g_assert_cmpstr(error.text, ==, "");
  g_assert_cmpint(status, ==, STATUS_OK);
  return graph;
}

/* Propagates under a fault; the caller ends it by model_free(). */
static inline model_t *model_under(quant_fault_t fault, const char *table, const char *graph) {
  model_t *model = g_new0(model_t, 1);
  arena_init(&model->arena);
  failure_t error = {.text = ""};
  quant_target_parse(str_from(table), &model->arena, &model->table, &error);
  g_assert_cmpstr(error.text, ==, "");
  model->graph = graph_of(graph, &model->arena);
  status_t status = quant_propagate(&model->graph, &model->table, fault, &model->arena,
                                    &model->propagation, &error);
  g_assert_cmpstr(error.text, ==, "");
  g_assert_cmpint(status, ==, STATUS_OK);
  return model;
}

static inline model_t *model_of(const char *table, const char *graph) {
  return model_under(QUANT_FAULT_none, table, graph);
}

static inline void model_free(model_t *model) {
  arena_deinit(&model->arena);
  g_free(model);
}

static inline uint32_t region_index(const quant_graph_t *graph, const char *name) {
  uint32_t index = 0;
  while (strcmp(graph->regions[index].name, name) != 0)
    g_assert_cmpuint(++index, <, graph->region_count);
  return index;
}

static inline uint32_t value_index(const quant_graph_t *graph, const char *name) {
  uint32_t index = 0;
  while (strcmp(graph->values[index].name, name) != 0)
    g_assert_cmpuint(++index, <, graph->value_count);
  return index;
}

/* "SPEC by SOURCE", with ", rescaled" where the port conflicts with its value. */
static inline void assert_port(const model_t *model, const char *region, uint32_t port,
                               const char *expected) {
  static const char *const sources[] = {"nobody", "port", "rule", "value", "calibration", "data"};
  uint32_t index = region_index(&model->graph, region);
  const quant_port_result_t *result = &model->propagation.regions[index].ports[port];
  GString *text = g_string_new(NULL);
  quant_spec_print(&result->spec, text);
  g_string_append_printf(text, " by %s%s", sources[result->source],
                         result->is_rescaled ? ", rescaled" : "");
  g_assert_cmpstr(text->str, ==, expected);
  g_assert_true((result->rule != NULL) == (result->source == QUANT_SOURCE_RULE));
  g_assert_true((result->visit > 0) == (result->source != QUANT_SOURCE_NONE));
  g_string_free(text, TRUE);
}

static inline void assert_value(const model_t *model, const char *value, const char *expected) {
  GString *text = g_string_new(NULL);
  quant_spec_print(&model->propagation.values[value_index(&model->graph, value)], text);
  g_assert_cmpstr(text->str, ==, expected);
  g_string_free(text, TRUE);
}

/* The refusal of a region, or "". */
static inline const char *refusal_of(const model_t *model, const char *region) {
  const quant_region_result_t *result =
      &model->propagation.regions[region_index(&model->graph, region)];
  g_assert_true((result->row == NULL) == (result->refusal != NULL) ||
                strcmp(model->graph.regions[region_index(&model->graph, region)].kernel,
                       QUANT_RESCALE_KERNEL) == 0);
  return result->refusal == NULL ? "" : result->refusal;
}

static inline quant_graph_t materialized_model(model_t *model, quant_fault_t fault) {
  quant_graph_t graph;
  failure_t error = {.text = ""};
  status_t status = quant_materialize(&model->propagation, fault, &model->arena, &graph, &error);
  g_assert_cmpstr(error.text, ==, "");
  g_assert_cmpint(status, ==, STATUS_OK);
  return graph;
}

/* The quantized model as text is the expected one, and quantizing it again changes nothing. */
static inline void assert_materialized(model_t *model, const char *expected) {
  quant_graph_t graph = materialized_model(model, QUANT_FAULT_none);
  GString *text = g_string_new(NULL);
  quant_graph_print(&graph, text);
  g_assert_cmpstr(text->str, ==, expected);
  quant_propagation_t again;
  quant_graph_t graph_again;
  g_assert_cmpint(
      quant_propagate(&graph, &model->table, QUANT_FAULT_none, &model->arena, &again, NULL), ==,
      STATUS_OK);
  g_assert_cmpint(quant_materialize(&again, QUANT_FAULT_none, &model->arena, &graph_again, NULL),
                  ==, STATUS_OK);
  g_string_truncate(text, 0);
  quant_graph_print(&graph_again, text);
  g_assert_cmpstr(text->str, ==, expected);
  g_string_free(text, TRUE);
}

#endif
