/* SPDX-License-Identifier: Apache-2.0 */
/* Small random tables and annotated graphs in which everything meets often: few kernels, few
 * parameters, all tensors f32[2], bodies that hand on their inputs. */
#ifndef ASSAY_TESTS_QUANT_RANDOM_MODEL_H
#define ASSAY_TESTS_QUANT_RANDOM_MODEL_H

#include "harness/base/rng.h"
#include "harness/quant/propagate/propagate.h"

/* A table with kernels k0, k1, ...: one or two rows each, up to 3 inputs, 2 outputs and 3 rules.
 * Both live in `arena`. */
quant_target_t random_table(rng_t *rng, arena_t *arena);

/* A graph of up to `regions_max` regions with these kernels, and sometimes one that the table has
 * not, or another number of inputs. */
quant_graph_t random_graph(rng_t *rng, const quant_target_t *table, uint32_t regions_max,
                           arena_t *arena);

/* The same graph, its values and regions declared in another order. */
quant_graph_t shuffled_graph(rng_t *rng, const quant_graph_t *graph, arena_t *arena);

#endif
