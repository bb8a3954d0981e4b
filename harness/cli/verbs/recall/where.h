/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions on a case that tell a bug from others of the same op, types and class:
 *
 *   where has nan and elements >= 4096
 *
 * Conditions are joined by "and":
 *
 *   has KIND, lacks KIND   some element of the operands is KIND, or none is: nan, infinity, zero,
 *                          negative-zero, subnormal
 *   elements >= N          of the largest operand; or <=
 *   rank >= N              of the operand of the most dimensions; or <=
 *   bytes >= N             of the largest operand; or <=
 *   program PATTERN        the program line fits, as a pattern of a shell without blanks; "_"
 * stands for one */
#ifndef ASSAY_CLI_VERBS_RECALL_WHERE_H
#define ASSAY_CLI_VERBS_RECALL_WHERE_H

#include "harness/base/status.h"
#include "harness/model/case.h"

/* Whether all conditions hold of the case; NULL for the text has none.  STATUS_INVALID for a text
 * that cannot be read, with what could be written. */
status_t where_holds(const char *text, const case_t *instance, bool *out_holds, failure_t *error);

#endif
