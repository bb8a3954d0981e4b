/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of graphs share: texts in, texts out. */
#ifndef ASSAY_TESTS_QUANT_GRAPH_TEXT_TEST_H
#define ASSAY_TESTS_QUANT_GRAPH_TEXT_TEST_H

#include "harness/quant/graph/graph.h"

/* Parses what must be right. */
static inline quant_graph_t parse_graph(const char *text, arena_t *arena) {
  quant_graph_t graph;
  failure_t error = {0};
  if (quant_graph_parse(str_from(text), arena, &graph, &error) != STATUS_OK) {
    g_error("%s\n%s", error.text, text);
  }
  return graph;
}

static inline char *print_graph(const quant_graph_t *graph) {
  GString *text = g_string_new(NULL);
  quant_graph_print(graph, text);
  return g_string_free(text, FALSE);
}

/* Parses what must be refused with a message that begins so. */
static inline void check_graph_refused(const char *text, const char *message) {
  arena_t arena;
  arena_init(&arena);
  quant_graph_t graph;
  failure_t error = {0};
  status_t status = quant_graph_parse(str_from(text), &arena, &graph, &error);
  if (status == STATUS_OK || !g_str_has_prefix(error.text, message)) {
    g_error("%s\ngives \"%s\", not \"%s\"", text, status == STATUS_OK ? "" : error.text, message);
  }
  arena_deinit(&arena);
}

/* Printing is a fixed point of parsing and printing, and says the same. */
static inline void check_graph_round_trip(const quant_graph_t *graph) {
  arena_t arena;
  arena_init(&arena);
  g_autofree char *text = print_graph(graph);
  quant_graph_t again = parse_graph(text, &arena);
  g_autofree char *text_again = print_graph(&again);
  g_assert_cmpstr(text, ==, text_again);
  if (!quant_graph_equal(graph, &again)) g_error("prints as another graph:\n%s", text);
  arena_deinit(&arena);
}

#endif
