/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle of a declared op. */
#ifndef ASSAY_ORACLES_OPS_DECLARED_ORACLE_H
#define ASSAY_ORACLES_OPS_DECLARED_ORACLE_H

#include "oracles/ops/declared/declared.h"

/* Makes it, and has the op's row lead to it. */
void declared_make_oracle(declaration_t *inout_declaration);

#endif
