/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: whatever text comes, quant_graph_parse() does not crash; what it accepts prints as a
 * text that is read as the same graph and printed alike, and has MLIR and an order; taken apart
 * into ops, fused and taken apart again it is the same plain model.  The same text is given to
 * quant_target_parse(), whose texts print alike too. */
#include "harness/quant/fuse/fuse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Copies of subprograms may make a large graph of a small text: slow, not wrong. */
enum { REGIONS_MAX = 2000 };

static void check_again(const quant_graph_t *graph, arena_t *arena) {
  GString *printed = g_string_new(NULL), *printed_again = g_string_new(NULL);
  quant_graph_print(graph, printed);
  quant_graph_t again;
  failure_t error = {0};
  str_t text = {.data = printed->str, .size = printed->len};
  status_t status = quant_graph_parse(text, arena, &again, &error);
  if (status != STATUS_OK) g_error("%s\n%s", error.text, printed->str);
  g_assert(quant_graph_equal(graph, &again));
  quant_graph_print(&again, printed_again);
  g_assert(g_string_equal(printed, printed_again));
  g_string_truncate(printed, 0);
  quant_graph_print_mlir(graph, printed);
  g_assert(printed->len > 0);
  g_string_free(printed_again, TRUE);
  g_string_free(printed, TRUE);
}

/* Fusing is undone by taking apart, whatever the graph is. */
static void check_fusing(const quant_graph_t *graph, arena_t *arena) {
  quant_target_t table;
  quant_graph_t plain, apart;
  quant_fusion_t fusion;
  failure_t error = {.column = 0};
  str_t name = str_from("tflite_int8");
  if (quant_target_parse(str_from(quant_target_text(name)), arena, &table, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  GString *notes = g_string_new(NULL);
  status_t status = quant_unfuse(graph, NULL, arena, &plain, notes, &error);
  if (status == STATUS_OK) {
    status = quant_fuse(&plain, &table, QUANT_FUSE_FAULT_none, arena, &fusion, &error);
  }
  if (status == STATUS_OK) {
    status = quant_unfuse(&fusion.fused, NULL, arena, &apart, notes, &error);
  }
  if (status != STATUS_OK) g_error("%s", error.text);
  g_assert(quant_graph_equal(&plain, &apart));
  g_string_free(notes, TRUE);
}

static void fuzz_graph(str_t text, arena_t *arena) {
  quant_graph_t graph;
  failure_t error = {.column = 0};
  if (quant_graph_parse(text, arena, &graph, &error) != STATUS_OK) {
    g_assert(g_str_has_prefix(error.text, "line "));
  } else if (graph.region_count <= REGIONS_MAX) {
    check_again(&graph, arena);
    check_fusing(&graph, arena);
  }
}

static void fuzz_table(str_t text, arena_t *arena) {
  quant_target_t table, again;
  failure_t error = {.column = 0};
  if (quant_target_parse(text, arena, &table, &error) != STATUS_OK) {
    g_assert(error.text[0] != '\0');
    return;
  }
  GString *printed = g_string_new(NULL), *printed_again = g_string_new(NULL);
  quant_target_print(&table, printed);
  status_t status = quant_target_parse((str_t){printed->str, printed->len}, arena, &again, &error);
  if (status != STATUS_OK) g_error("%s\n%s", error.text, printed->str);
  quant_target_print(&again, printed_again);
  g_assert(g_string_equal(printed, printed_again));
  g_string_free(printed_again, TRUE);
  g_string_free(printed, TRUE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  arena_t arena;
  arena_init(&arena);
  str_t text = {.data = (const char *)data, .size = size};
  fuzz_graph(text, &arena);
  fuzz_table(text, &arena);
  arena_deinit(&arena);
  return 0;
}
