/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of the MLIR importer share: one process for all of a program's tests. */
#ifndef ASSAY_TESTS_EXEC_MLIR_IMPORT_TEST_H
#define ASSAY_TESTS_EXEC_MLIR_IMPORT_TEST_H

#include <string.h>

#include "harness/exec/mlir_import/importer.h"
#include "harness/quant/graph/graph.h"

static mlir_importer_t *importer; /* NULL: `absence` says why. */
static failure_t absence;

static inline void open_importer(void) {
  g_autofree char *workers = g_build_filename(ASSAY_SOURCE_DIR, "harness", "exec", "workers", NULL);
  if (mlir_importer_open(workers, &importer, &absence) == STATUS_OK) {
    g_test_message("%s", mlir_importer_version(importer));
  }
}

static inline bool skips(void) {
  if (importer == NULL) g_test_skip(absence.text);
  return importer == NULL;
}

/* What the module is read as; errors are about the module. */
static inline status_t import_graph(const char *module, arena_t *arena, quant_graph_t *out_graph,
                                    failure_t *error) {
  mlir_graph_t imported;
  STATUS_TRY(mlir_importer_read(importer, str_from(module), true, &imported, error));
  for (char **note = imported.notes; *note != NULL; note++) g_test_message("%s", *note);
  const char *text = arena_copy_text(arena, imported.text, strlen(imported.text));
  status_t status = quant_graph_parse(str_from(text), arena, out_graph, error);
  if (status != STATUS_OK) mlir_graph_place(&imported, error);
  mlir_graph_free(&imported);
  return status;
}

static inline quant_graph_t must_import(const char *module, arena_t *arena) {
  quant_graph_t graph;
  failure_t error = {0};
  if (import_graph(module, arena, &graph, &error) != STATUS_OK) {
    g_error("%s\n%s", error.text, module);
  }
  return graph;
}

#endif
