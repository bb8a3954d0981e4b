/* SPDX-License-Identifier: Apache-2.0 */
/* Which dot algorithms could have given some bits: what a backend really computes. */
#ifndef ASSAY_ORACLES_OPS_DOT_GENERAL_CONSISTENT_H
#define ASSAY_ORACLES_OPS_DOT_GENERAL_CONSISTENT_H

#include "harness/model/accept.h"
#include "oracles/ops/dot_general/dot_general.h"
#include "oracles/oracle_call.h"

/* As the members of oracle_t.  All rows of algorithms.def are tried; those that leave their
 * operands' types open, with the types that the program names, those of its operands, or else with
 * the two 8-bit floats that are most in use.  Where the program's own algorithm has no name, that
 * one is tried too, and others that differ from it in one member. */
bool dot_general_names_algorithm(const program_t *program);
bool dot_general_takes_precision(const program_t *program);
bool dot_general_knows_algorithm(str_t name);
void dot_general_loosen_algorithms(contract_t *inout_contract);
status_t dot_general_consistent(const oracle_call_t *call, GString *out_names);

#endif
