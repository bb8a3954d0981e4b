/* SPDX-License-Identifier: Apache-2.0 */
/* Where an initial value enters that enters more than once. */
#ifndef ASSAY_IDENTIFY_PROBE_INIT_H
#define ASSAY_IDENTIFY_PROBE_INIT_H

#include "harness/identify/probe/discover.h"

enum { INIT_COUNT_MAX = 64 };

/* Adds `count` leaves of the initial value, at least 2, to the tree of *inout_profile, which was
 * found without them.  Masks tell under which nodes they are; how they are added there, before or
 * after which child and together or one after the other, is chosen so that rounding errors made on
 * purpose are predicted best.  STATUS_INVALID if there are too many possibilities. */
status_t probe_inits(discovery_t *discovery, size_t count, profile_t *inout_profile);

#endif
