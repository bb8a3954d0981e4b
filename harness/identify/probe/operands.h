/* SPDX-License-Identifier: Apache-2.0 */
/* Whether factors are narrowed before they are multiplied, as matrix units narrow f32 to tf32. */
#ifndef ASSAY_IDENTIFY_PROBE_OPERANDS_H
#define ASSAY_IDENTIFY_PROBE_OPERANDS_H

#include "harness/identify/probe/mask_probe.h"

/* Where factors lose bits that the result could hold, and their products do not, `left` and `right`
 * of the black box become the formats to which they are rounded, with the roundings beside them. */
status_t probe_operands(mask_probe_t *probe, failure_t *error);

#endif
