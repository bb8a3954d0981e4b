/* SPDX-License-Identifier: Apache-2.0 */
/* What the verbs of `assay quant` read: a graph and a table, from files or by name. */
#ifndef ASSAY_CLI_VERBS_QUANT_INPUT_H
#define ASSAY_CLI_VERBS_QUANT_INPUT_H

#include "harness/cli/task/task.h"
#include "harness/quant/lower/export.h"
#include "harness/quant/propagate/propagate.h"

/* The verbs of `assay quant`, for completion: name and usage of the one at `index`, or NULL. */
const char *quant_verb_name(size_t index);
const char *quant_verb_usage(size_t index);

/* Options of all verbs of `assay quant`. */
typedef struct quant_flags {
  task_flags_t task; /* Of `run` and `fuzz`. */
  char *table;       /* A name of quant_target_names(), or a path. */
  char **lowerings;  /* Spellings; NULL: all. */
  char *picture;     /* Where the picture goes: .svg by Graphviz, else its language. */
  gboolean explain;  /* fuse */
  gboolean join;     /* fuse: regions, to coarser ones. */
  char *region;      /* unfuse, revert: names with commas between them, or NULL. */
  char *kernel;      /* The same of kernels. */
  char *out; /* import, fuse, unfuse, revert: where the graph goes; NULL: standard output. */
  gboolean mlir;
  gboolean inlined;     /* Calls become what they stand for first. */
  gboolean cases;       /* export: case lines. */
  gboolean values;      /* run: errors of every value. */
  char *regions;        /* run, fuzz: steps, whole or both; NULL: steps. */
  gint64 inputs;        /* run, fuzz: sets of inputs of a graph. */
  gint64 graphs;        /* fuzz */
  gboolean is_unsigned; /* import: of fake-quant ops that name no storage type. */
  char *save;           /* fuzz: folder for graphs that break a property, or diverge. */
} quant_flags_t;

typedef struct quant_subject {
  arena_t arena; /* Owns all below. */
  quant_graph_t graph;
  quant_target_t table;
  quant_propagation_t propagation;
  quant_graph_t quantized; /* What quant_materialize() made. */
} quant_subject_t;

/* Reads the graph ("-" is standard input), or a module: a file that ends in .mlir, or text that
 * does not begin as graphs do; or a program of torch.export, which ends in .pt2.  Errors name path,
 * line and column; what is not exactly as in a module is said on stderr.  As flags say, fake-quant
 * ops that name no storage type get an unsigned one, and calls become what they stand for. */
status_t quant_read_graph(const quant_flags_t *flags, const char *path, arena_t *arena,
                          quant_graph_t *out_graph, failure_t *error);

/* Reads the table of that name or path; NULL is an error that lists the names. */
status_t quant_read_target(const char *name, arena_t *arena, quant_target_t *out_table,
                           failure_t *error);

/* Both, propagated and materialized; `out_subject` is deinitialised by the caller in any case. */
status_t quant_read_subject(const quant_flags_t *flags, const char *path,
                            quant_subject_t *out_subject, failure_t *error);

static inline void quant_subject_deinit(quant_subject_t *subject) { arena_deinit(&subject->arena); }

/* The forms that --form names, all without it; out_wanted by form. */
status_t quant_read_lowerings(char *const *names, bool out_wanted[QUANT_LOWERING_COUNT],
                              failure_t *error);

/* How regions are run: --regions. */
typedef enum quant_regions { QUANT_BY_STEPS, QUANT_WHOLE, QUANT_BOTH } quant_regions_t;
status_t quant_read_regions(const char *name, quant_regions_t *out_regions, failure_t *error);

/* Puts a graph where --out says, or on standard output: as text, or with --mlir as a module. */
status_t quant_put_graph(const quant_flags_t *flags, const quant_graph_t *graph, failure_t *error);

/* Writes a file; STATUS_IO if that fails. */
status_t quant_write_text(const char *path, const GString *text, failure_t *error);

/* Writes a picture in Graphviz's language; a path that ends in .svg is drawn by Graphviz's `dot`.
 */
status_t quant_write_picture(const char *path, const GString *dot, failure_t *error);

#endif
