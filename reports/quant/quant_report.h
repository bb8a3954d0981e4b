/* SPDX-License-Identifier: Apache-2.0 */
/* What `assay quant run` says: steps by verdict, certified and observed errors. */
#ifndef ASSAY_REPORTS_QUANT_QUANT_REPORT_H
#define ASSAY_REPORTS_QUANT_QUANT_REPORT_H

#include <glib.h>
#include <jansson.h>

#include "harness/quant_run/measurement.h"

/* Everything is borrowed. */
typedef struct quant_report {
  const session_t *session;
  const quant_graph_t *graph;         /* Quantized. */
  const char *name;                   /* Of the graph, ... */
  const char *table;                  /* ... and of its target. */
  const char *contract;               /* As it was asked for; NULL: the usual one. */
  GArray *rows;                       /* quant_measurement_t by executor and form. */
  const bool *wanted;                 /* By form. */
  const quant_whole_t *const *wholes; /* By form, by region; NULL: regions ran step by step. */
  bool compares;                      /* Regions that were run as one are held against steps. */
  const double (*differences)[QUANT_LOWERING_COUNT]; /* Between outputs of forms. */
  const char *unknown;                               /* What is not enclosed, or "". */
  const char *unbounded; /* A step that may give any number under the contract, or "". */
  int64_t inputs;        /* Sets of them that ran. */
  bool has_values;       /* Errors of all values are shown, not only of outputs. */
} quant_report_t;

void quant_report_print(const quant_report_t *report);
/* Counts of regions that ran as one program, as "regions" of the JSON has them. */
json_t *quant_report_wholes_json(const quant_whole_counts_t *counts);

void quant_report_print_json(const quant_report_t *report);

#endif
