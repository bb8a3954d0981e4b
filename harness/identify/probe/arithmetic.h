/* SPDX-License-Identifier: Apache-2.0 */
/* Finds how the nodes of a known tree add: by sums that end half a unit in the last place, or a
 * little more, above a number. */
#ifndef ASSAY_IDENTIFY_PROBE_ARITHMETIC_H
#define ASSAY_IDENTIFY_PROBE_ARITHMETIC_H

#include "harness/identify/probe/discover.h"

/* Fills in the arithmetic of the discovery's nodes, and sets the tree and all other members of
 * *out_profile.  STATUS_INVALID, with the reason, where a node adds in no known way. */
status_t probe_arithmetic(discovery_t *discovery, profile_t *out_profile);

/* Below: for the files of the probes. */

/* What is known of the tree while its arithmetic is found. */
typedef struct anatomy {
  discovery_t *discovery;
  profile_node_t *nodes; /* The builder's, changed in place. */
  size_t node_count;
  uint32_t *parents;     /* By node: the id of the node above it; 0 for the root. */
  uint8_t *is_unrounded; /* By term: its product is added without being rounded. */
} anatomy_t;

/* A leaf under child `child` of the node. */
uint32_t anatomy_leaf(const anatomy_t *anatomy, const profile_node_t *node, uint32_t child);

/* Reads the value of node number `node` beyond `cancelled`, which a sibling takes away; the root's
 * value is the result.  All leaves have been set but the sibling's. */
status_t anatomy_read(const anatomy_t *anatomy, size_t node, double cancelled, double *out_value);

/* The format and rounding of every node. */
status_t probe_roundings(anatomy_t *anatomy);

/* Which products are added unrounded. */
status_t probe_products(anatomy_t *anatomy, profile_t *profile);

/* Flushing, and the zero that accumulators start from. */
status_t probe_zeros(anatomy_t *anatomy, profile_t *profile);

#endif
