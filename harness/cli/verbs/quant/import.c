/* SPDX-License-Identifier: Apache-2.0 */
/* assay quant import: a module as a graph. */
#include "harness/cli/verbs/quant/import.h"

#include "harness/cli/cli.h"

static status_t import_module(const quant_flags_t *flags, const char *path, arena_t *arena,
                              failure_t *error) {
  quant_graph_t graph;
  STATUS_TRY(quant_read_graph(flags, path, arena, &graph, error));
  return quant_put_graph(flags, &graph, error);
}

int quant_verb_import(const quant_flags_t *flags, const char *path) {
  arena_t arena;
  arena_init(&arena);
  failure_t error = {0};
  status_t status = import_module(flags, path, &arena, &error);
  arena_deinit(&arena);
  return status == STATUS_OK ? EXIT_CODE_CLEAN : complain_status(status, &error);
}
