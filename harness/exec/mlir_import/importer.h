/* SPDX-License-Identifier: Apache-2.0 */
/* A conversation with harness/exec/workers/mlir_import, which turns MLIR modules into the text of
 * quantization graphs (harness/quant/graph/graph.md) by the parsers in jaxlib.  Not thread-safe. */
#ifndef ASSAY_EXEC_MLIR_IMPORT_IMPORTER_H
#define ASSAY_EXEC_MLIR_IMPORT_IMPORTER_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/base/status.h"
#include "harness/base/text.h"

typedef struct mlir_importer mlir_importer_t;

enum { MLIR_IMPORT_LIMIT_MS = 60000 }; /* Until an answer, and a second more for each 10 KB. */

/* Starts the process, in the environment of executor xla; `directory` is where workers lie, NULL
 * for `workers` beside the program.  STATUS_IO, with what to do, if that is not installed or does
 * not start. */
status_t mlir_importer_open(const char *directory, mlir_importer_t **out_importer,
                            failure_t *error);
void mlir_importer_close(mlir_importer_t *importer);

/* In place of MLIR_IMPORT_LIMIT_MS. */
void mlir_importer_set_limit(mlir_importer_t *importer, uint32_t milliseconds);

/* "jaxlib 0.10.2, StableHLO 1.17.0"; the importer's. */
const char *mlir_importer_version(const mlir_importer_t *importer);

/* What became of a module. */
typedef struct mlir_graph {
  char *text;   /* Of the graph; each line ends with a comment, "# LINE:COLUMN", of where in the
                 * module it comes from. */
  char **notes; /* What is not exactly as in the module, of graphs "LINE:COLUMN: ..."; ended by
                 * NULL. */
} mlir_graph_t;

/* Whether the process is there to be asked. */
bool mlir_importer_is_there(const mlir_importer_t *importer);

/* `is_signed`: fake-quant ops that name no storage type are given a signed one.  STATUS_INVALID for
 * what a graph cannot be made of, "LINE:COLUMN: MESSAGE", and if the answer took too long;
 * STATUS_IO if the process ended.  After either of these two it is not there any more.  On success
 * freed with mlir_graph_free(). */
status_t mlir_importer_read(mlir_importer_t *importer, str_t module, bool is_signed,
                            mlir_graph_t *out_graph, failure_t *error);
void mlir_graph_free(mlir_graph_t *graph);

/* A module of one op, as text or bytecode, or the text of an op alone: a program line, in which
 * sizes that are not known are "?" alone (dynamic_parse()), then a line for each operand, its
 * digits as case lines have them or "*" if it is no constant, and likewise one for each result,
 * with what checks of the module say that it is.  `given` are numbers that stand in types by
 * name, "input_scale=0.5", and what the text leaves out (workers/mlir_import/sketches.py), without
 * blanks, ended by NULL; NULL: none.  Errors as of mlir_importer_read(); freed
 * with mlir_graph_free(). */
status_t mlir_importer_read_program(mlir_importer_t *importer, str_t module, char *const *given,
                                    mlir_graph_t *out_lines, failure_t *error);

/* The ops of a whole module, each distinct one once, as a JSON document: `text` alone (what stands
 * in it is said in workers/mlir_import/listing.py).  Errors as of mlir_importer_read(); freed with
 * mlir_graph_free(). */
status_t mlir_importer_read_module(mlir_importer_t *importer, str_t module,
                                   mlir_graph_t *out_document, failure_t *error);

/* The steps of a module in order, and data for its arguments: those of the files of numpy, one for
 * each
 * (`inputs`, ended by NULL), or drawn from the seed (NULL).  A JSON document, which
 * workers/mlir_import/isolation.py makes.  Errors as of mlir_importer_read(). */
status_t mlir_importer_isolate(mlir_importer_t *importer, str_t module, uint64_t seed,
                               char *const *inputs, mlir_graph_t *out_document, failure_t *error);

/* What StableHLO's interpreter makes of a step of the module that was isolated last; `digits` is a
 * JSON list of the data of its operands, and the answer an object, {"results": [DIGITS, ...]} or
 * {"error": TEXT}. */
status_t mlir_importer_run_step(mlir_importer_t *importer, size_t step, str_t digits,
                                mlir_graph_t *out_document, failure_t *error);

/* The step as a program of its own, for executors that run StableHLO though no case has such an op:
 * an object, {"name": TEXT, "line": TEXT, "module": TEXT, "operands": [NUMBER, ...]} with a name
 * that no other module has, or {"error": TEXT}. */
status_t mlir_importer_step_alone(mlir_importer_t *importer, size_t step,
                                  mlir_graph_t *out_document, failure_t *error);

/* Of an error of quant_graph_parse(), "line 3, column 5: ...", about that text: "LINE:COLUMN: ..."
 * of the module.  Other errors are kept as they are. */
void mlir_graph_place(const mlir_graph_t *graph, failure_t *error);

#endif
