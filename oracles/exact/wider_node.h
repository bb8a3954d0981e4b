/* SPDX-License-Identifier: Apache-2.0 */
/* What nodes that are wider than the accumulation type leave as it is (contract accum_wider=yes;
 * theory.md, D6 and T18).  Where a single operation can round, and its exact result is a number
 * of every wider node, that result is rounded once, to the accumulation type: an exact tie goes to
 * the even neighbour. */
#ifndef ASSAY_ORACLES_EXACT_WIDER_NODE_H
#define ASSAY_ORACLES_EXACT_WIDER_NODE_H

#include <mpfr.h>
#include <stdbool.h>

#include "harness/num/format.h"

/* Whether every node wider than `format` holds the number: it has no more bits than the narrowest
 * of them, and none below their smallest numbers. */
bool wider_node_holds(const format_t *format, mpfr_srcptr value);

/* The same for `format` itself. */
bool format_holds(const format_t *format, mpfr_srcptr value);

#endif
