/* SPDX-License-Identifier: Apache-2.0 */
/* MLIR in: what quant_graph_print_mlir() prints is read back as the same graph, modules of single
 * ops as these ops, and what a graph cannot be made of is refused where it stands. */
#include "harness/model/op.h"
#include "harness/quant/check/draw_graph.h"
#include "harness/quant/check/draw_target.h"
#include "harness/quant/fuse/fuse.h"
#include "harness/quant/propagate/propagate.h"
#include "tests/exec/mlir_import_test.h"

#ifdef ASSAY_SANITIZE
enum { GRAPHS = 40, PROGRAMS = 20 };
#else
enum { GRAPHS = 300, PROGRAMS = 60 };
#endif
enum { REGIONS_MAX = 8 };

/* Copies of a subprogram that came to differ have names of their own once they are printed. */
static quant_graph_t named_apart(const quant_graph_t *graph, arena_t *arena) {
  g_autoptr(GString) text = g_string_new(NULL);
  quant_graph_print(graph, text);
  quant_graph_t named;
  failure_t error = {0};
  if (quant_graph_parse((str_t){text->str, text->len}, arena, &named, &error) != STATUS_OK)
    g_error("%s", error.text);
  return named;
}

static void check_round_trip(const quant_graph_t *original, arena_t *arena) {
  const quant_graph_t named = named_apart(original, arena), *graph = &named;
  g_autoptr(GString) module = g_string_new(NULL);
  quant_graph_print_mlir(graph, module);
  quant_graph_t again = must_import(module->str, arena);
  g_autoptr(GString) module_again = g_string_new(NULL);
  quant_graph_print_mlir(&again, module_again);
  if (!g_string_equal(module, module_again)) {
    g_error("prints otherwise when read back:\n%s\n%s", module->str, module_again->str);
  }
  if (!quant_graph_equal(graph, &again)) g_error("is read as another graph:\n%s", module->str);
}

static void test_drawn(void) {
  if (skips()) return;
  rng_t rng = rng_make(7);
  uint32_t calls = 0, materialized = 0;
  for (int i = 0; i < GRAPHS; i++) {
    arena_t arena;
    arena_init(&arena);
    quant_graph_t graph, quantized;
    quant_target_t table;
    quant_propagation_t propagation;
    failure_t error = {0};
    g_assert_cmpint(quant_draw_graph(&rng, REGIONS_MAX, &arena, &graph, &error), ==, STATUS_OK);
    check_round_trip(&graph, &arena);
    calls += graph.call_count;
    g_assert_cmpint(quant_draw_target(&rng, &arena, &table, &error), ==, STATUS_OK);
    if (quant_propagate(&graph, &table, QUANT_FAULT_none, &arena, &propagation, &error) ==
            STATUS_OK &&
        quant_materialize(&propagation, QUANT_FAULT_none, &arena, &quantized, &error) ==
            STATUS_OK) {
      check_round_trip(&quantized, &arena);
      materialized++;
    }
    arena_deinit(&arena);
  }
  g_assert_cmpuint(calls, >, GRAPHS / 4);
  g_assert_cmpuint(materialized, >, GRAPHS / 2);
}

/* The graphs of corpus/quant, as they are and with the kernels of each table made of their ops. */
static void test_corpus(void) {
  if (skips()) return;
  g_autofree char *folder = g_build_filename(ASSAY_SOURCE_DIR, "corpus", "quant", NULL);
  GDir *files = g_dir_open(folder, 0, NULL);
  g_assert_nonnull(files);
  uint32_t graphs = 0, kernels = 0;
  for (const char *name; (name = g_dir_read_name(files)) != NULL;) {
    if (!g_str_has_suffix(name, ".graph")) continue;
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_autofree char *text = NULL;
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    arena_t arena;
    arena_init(&arena);
    quant_graph_t graph;
    failure_t error = {0};
    g_assert_cmpint(quant_graph_parse(str_from(text), &arena, &graph, &error), ==, STATUS_OK);
    check_round_trip(&graph, &arena);
    for (const char *const *table = quant_target_names(); *table != NULL; table++) {
      quant_target_t target;
      quant_fusion_t fusion;
      const char *rows = quant_target_text(str_from(*table));
      g_assert_cmpint(quant_target_parse(str_from(rows), &arena, &target, &error), ==, STATUS_OK);
      g_assert_cmpint(quant_fuse(&graph, &target, QUANT_FUSE_FAULT_none, &arena, &fusion, &error),
                      ==, STATUS_OK);
      check_round_trip(&fusion.fused, &arena);
      kernels += fusion.match_count;
    }
    arena_deinit(&arena);
    graphs++;
  }
  g_dir_close(files);
  g_assert_cmpuint(graphs, >=, 3);
  g_assert_cmpuint(kernels, >, 0);
}

/* ---- Single ops ------------------------------------------------------------------------------ */

/* What graphs have no ops for: reductions over processes; types with parameters are constraints of
 * values there, and what the RFC alone knows has no place in a module's attributes. */
static bool is_beyond(const program_t *program, const char *line) {
  if (strcmp(program->op->name, "stablehlo.all_reduce") == 0) return true;
  if (strcmp(program->op->name, "stablehlo.reduce_scatter") == 0) return true;
  if (strcmp(program->op->name, "stablehlo.clamp") == 0) return true; /* Two ops there. */
  bool is_reduction = strcmp(program->op->name, "stablehlo.reduce") == 0;
  if (is_reduction && strstr(line, " precision=") != NULL) return true;
  return strstr(line, "!quant") != NULL || strstr(line, "accumulation=") != NULL;
}

/* The line of the only op of the graph. */
static char *only_op(const quant_graph_t *graph) {
  g_assert_cmpuint(graph->region_count, ==, 1);
  g_assert_true(graph->regions[0].is_op);
  GString *line = g_string_new(NULL);
  program_print(&graph->regions[0].ops[0].program, line);
  return g_string_free(line, FALSE);
}

/* False if that is nothing for graphs, or jaxlib's verifier refuses the module: its opinions are
 * test_verifier.c's matter. */
static bool check_program(const program_t *program, arena_t *arena) {
  g_autoptr(GString) line = g_string_new(NULL);
  g_autoptr(GString) module = g_string_new(NULL);
  program_print(program, line);
  if (is_beyond(program, line->str)) return false;
  program->op->print_mlir(program, module);
  quant_graph_t graph;
  failure_t error = {0};
  if (import_graph(module->str, arena, &graph, &error) != STATUS_OK) {
    if (strstr(error.text, "graph") == NULL && strstr(error.text, "known here") == NULL)
      return false;
    g_error("%s\n%s", error.text, module->str);
  }
  g_autofree char *again = only_op(&graph);
  if (strcmp(line->str, again) != 0) { /* A body and counts of components have two spellings. */
    g_autoptr(GString) module_again = g_string_new(NULL);
    program->op->print_mlir(&graph.regions[0].ops[0].program, module_again);
    g_assert_cmpstr(module->str, ==, module_again->str);
  }
  return true;
}

static void test_programs(gconstpointer data) {
  if (skips()) return;
  const op_t *op = data;
  static const draw_limits_t limits = {.rank_max = 5, .elements_max = 256, .terms_max = 64};
  rng_t rng = rng_make(11);
  int read = 0, beyond = 0;
  for (int i = 0; i < PROGRAMS; i++) {
    arena_t arena;
    arena_init(&arena);
    program_t program;
    op->draw(&rng, &limits, &arena, &program);
    g_autoptr(GString) line = g_string_new(NULL);
    program_print(&program, line);
    beyond += is_beyond(&program, line->str);
    read += check_program(&program, &arena);
    arena_deinit(&arena);
  }
  g_test_message("%s: %d programs", op->name, read);
  g_assert_cmpint(read, >=, (PROGRAMS - beyond) / 2);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  open_importer();
  g_test_add_func("/mlir-import/drawn", test_drawn);
  g_test_add_func("/mlir-import/corpus", test_corpus);
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    g_autofree char *name = g_strdup_printf("/mlir-import/programs/%s", (*op)->name);
    g_test_add_data_func(name, *op, test_programs);
  }
  int status = g_test_run();
  mlir_importer_close(importer);
  return status;
}
