/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel fusion on the command line. */
#include "harness/cli/verbs/quant/kernels.h"

#include <stdio.h>
#include <string.h>

#include "harness/cli/cli.h"
#include "harness/cli/options/suggest.h"
#include "harness/quant/fuse/join.h"

/* ---- Output ---------------------------------------------------------------------------------- */

static int end(arena_t *arena, status_t status, const failure_t *error) {
  arena_deinit(arena);
  return status == STATUS_OK ? EXIT_CODE_CLEAN : complain_status(status, error);
}

/* ---- fuse ------------------------------------------------------------------------------------ */

/* Regions that are there, to coarser ones. */
static status_t join(const quant_flags_t *flags, const quant_graph_t *graph,
                     const quant_target_t *table, arena_t *arena, failure_t *error) {
  quant_joining_t joining;
  STATUS_TRY(quant_join(graph, table, arena, &joining, error));
  g_autoptr(GString) text = g_string_new(NULL);
  quant_join_explain(&joining, text);
  if (flags->explain) {
    fputs(text->str, stdout);
    return flags->out == NULL ? STATUS_OK : quant_put_graph(flags, &joining.joined, error);
  }
  STATUS_TRY(quant_put_graph(flags, &joining.joined, error));
  fputs(text->str, stderr);
  return STATUS_OK;
}

static status_t fuse(const quant_flags_t *flags, const char *path, arena_t *arena,
                     failure_t *error) {
  quant_target_t table;
  quant_graph_t graph;
  quant_fusion_t fusion;
  STATUS_TRY(quant_read_target(flags->table, arena, &table, error));
  if (table.pattern_count == 0) {
    return status_fail(error, STATUS_INVALID,
                       "table %s has no patterns, so that nothing can be fused; target.md says how "
                       "they are written",
                       table.name);
  }
  STATUS_TRY(quant_read_graph(flags, path, arena, &graph, error));
  if (flags->join) return join(flags, &graph, &table, arena, error);
  STATUS_TRY(quant_fuse(&graph, &table, QUANT_FUSE_FAULT_none, arena, &fusion, error));
  g_autoptr(GString) text = g_string_new(NULL);
  if (flags->explain) {
    quant_fuse_explain(&fusion, text);
    fputs(text->str, stdout);
    return flags->out == NULL ? STATUS_OK : quant_put_graph(flags, &fusion.fused, error);
  }
  quant_fuse_summary(&fusion, text);
  STATUS_TRY(quant_put_graph(flags, &fusion.fused, error));
  fputs(text->str, stderr);
  return STATUS_OK;
}

int quant_verb_fuse(const quant_flags_t *flags, const char *path) {
  arena_t arena;
  arena_init(&arena);
  failure_t error = {0};
  return end(&arena, fuse(flags, path, &arena, &error), &error);
}

/* ---- Which regions --------------------------------------------------------------------------- */

static bool is_kernel(const quant_region_t *region) {
  return !region->is_op && strcmp(region->kernel, QUANT_RESCALE_KERNEL) != 0;
}

static status_t reject_name(const quant_graph_t *graph, const char *kind, const char *name,
                            bool by_kernel, failure_t *error) {
  suggestion_t suggestion = suggestion_make(name);
  for (uint32_t r = 0; r < graph->region_count; r++) {
    const quant_region_t *region = &graph->regions[r];
    if (is_kernel(region)) suggestion_offer(&suggestion, by_kernel ? region->kernel : region->name);
  }
  char advice[SUGGESTION_BYTES];
  return status_fail(error, STATUS_INVALID, "the graph has no %s '%.80s' (--%s); %s",
                     by_kernel ? "region of kernel" : "region", name, kind,
                     suggestion_print(&suggestion, "`assay quant explain` lists regions", advice));
}

/* Marks the regions of a list of names, or of kernels, between commas. */
static status_t mark(const quant_graph_t *graph, const char *list, const char *kind, bool by_kernel,
                     bool *is_wanted, failure_t *error) {
  if (list == NULL) return STATUS_OK;
  g_auto(GStrv) names = g_strsplit(list, ",", -1);
  for (size_t i = 0; names[i] != NULL; i++) {
    bool is_found = false;
    for (uint32_t r = 0; r < graph->region_count; r++) {
      const quant_region_t *region = &graph->regions[r];
      if (!is_kernel(region)) continue;
      if (strcmp(by_kernel ? region->kernel : region->name, names[i]) != 0) continue;
      is_wanted[r] = is_found = true;
    }
    if (!is_found) return reject_name(graph, kind, names[i], by_kernel, error);
  }
  return STATUS_OK;
}

/* By region; NULL where neither --region nor --kernel is given. */
static status_t read_wanted(const quant_flags_t *flags, const quant_graph_t *graph, arena_t *arena,
                            bool **out_wanted, failure_t *error) {
  *out_wanted = NULL;
  if (flags->region == NULL && flags->kernel == NULL) return STATUS_OK;
  *out_wanted = arena_alloc_zeroed(arena, graph->region_count + 1);
  STATUS_TRY(mark(graph, flags->region, "region", false, *out_wanted, error));
  return mark(graph, flags->kernel, "kernel", true, *out_wanted, error);
}

/* ---- unfuse, revert -------------------------------------------------------------------------- */

static status_t unfuse(const quant_flags_t *flags, const char *path, arena_t *arena,
                       failure_t *error) {
  quant_graph_t graph, apart;
  bool *is_wanted;
  STATUS_TRY(quant_read_graph(flags, path, arena, &graph, error));
  STATUS_TRY(read_wanted(flags, &graph, arena, &is_wanted, error));
  g_autoptr(GString) notes = g_string_new(NULL);
  STATUS_TRY(quant_unfuse(&graph, is_wanted, arena, &apart, notes, error));
  STATUS_TRY(quant_put_graph(flags, &apart, error));
  fputs(notes->str, stderr);
  return STATUS_OK;
}

int quant_verb_unfuse(const quant_flags_t *flags, const char *path) {
  arena_t arena;
  arena_init(&arena);
  failure_t error = {0};
  return end(&arena, unfuse(flags, path, &arena, &error), &error);
}

/* Propagates and materializes. */
static status_t quantize(const char *table_name, arena_t *arena, quant_graph_t *inout_graph,
                         failure_t *error) {
  quant_target_t *table = arena_alloc(arena, sizeof *table);
  quant_graph_t *graph = arena_alloc(arena, sizeof *graph);
  *graph = *inout_graph;
  quant_propagation_t propagation;
  STATUS_TRY(quant_read_target(table_name, arena, table, error));
  STATUS_TRY(quant_propagate(graph, table, QUANT_FAULT_none, arena, &propagation, error));
  return quant_materialize(&propagation, QUANT_FAULT_none, arena, inout_graph, error);
}

/* With --table an annotated graph is quantized first. */
static status_t revert(const quant_flags_t *flags, const char *path, arena_t *arena,
                       failure_t *error) {
  quant_graph_t graph, reverted;
  bool *is_wanted;
  STATUS_TRY(quant_read_graph(flags, path, arena, &graph, error));
  if (flags->table != NULL) STATUS_TRY(quantize(flags->table, arena, &graph, error));
  STATUS_TRY(read_wanted(flags, &graph, arena, &is_wanted, error));
  if (is_wanted == NULL) {
    return status_fail(error, STATUS_INVALID,
                       "write which regions are to go back to high precision: --region NAME[,NAME] "
                       "or --kernel KERNEL[,KERNEL]");
  }
  g_autoptr(GString) notes = g_string_new(NULL);
  STATUS_TRY(quant_revert(&graph, is_wanted, arena, &reverted, notes, error));
  STATUS_TRY(quant_put_graph(flags, &reverted, error));
  fputs(notes->str, stderr);
  return STATUS_OK;
}

int quant_verb_revert(const quant_flags_t *flags, const char *path) {
  arena_t arena;
  arena_init(&arena);
  failure_t error = {0};
  return end(&arena, revert(flags, path, &arena, &error), &error);
}
