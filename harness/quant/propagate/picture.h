/* SPDX-License-Identifier: Apache-2.0 */
/* A graph as a picture, in Graphviz's language: regions as tables of their ports, values as edges.
 */
#ifndef ASSAY_QUANT_PROPAGATE_PICTURE_H
#define ASSAY_QUANT_PROPAGATE_PICTURE_H

#include "harness/quant/propagate/propagate.h"

/* The annotated model: each port with its constraint. */
void quant_picture_before(const quant_graph_t *graph, GString *out_dot);

/* The quantized model: each port with its parameters and who set them; rescales, what stays in high
 * precision and what is refused in colours that the picture explains. */
void quant_picture_after(const quant_propagation_t *propagation, GString *out_dot);

#endif
