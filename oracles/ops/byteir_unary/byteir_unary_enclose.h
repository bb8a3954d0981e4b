/* Boxes of gelu. */
#ifndef ASSAY_OPS_BYTEIR_UNARY_ENCLOSE_H
#define ASSAY_OPS_BYTEIR_UNARY_ENCLOSE_H

#include "oracles/oracle.h"

/* As oracle_t.enclose. */
status_t byteir_gelu_enclose(const program_t *program, const contract_t *contract,
                             const box_t *const operands[CASE_OPERANDS_MAX], arena_t *arena,
                             box_t *const out_results[CASE_RESULTS_MAX], failure_t *error);

#endif
