/* SPDX-License-Identifier: Apache-2.0 */
/* Specs and attributes as graph/mlir.c prints them. */
#ifndef ASSAY_QUANT_GRAPH_MLIR_ATTRIBUTES_H
#define ASSAY_QUANT_GRAPH_MLIR_ATTRIBUTES_H

#include "harness/quant/graph/parts.h"

/* The spec as an attribute: its type; in quotes if that is a calibrated range of one number, which
 * MLIR's parser refuses. */
void quant_mlir_print_spec(const quant_spec_t *spec, GString *out_text);

/* " attributes {quant.calls = [...], ...}" of the graph's function, or nothing. */
void quant_mlir_print_attributes(const quant_graph_t *graph, GString *out_text);

#endif
