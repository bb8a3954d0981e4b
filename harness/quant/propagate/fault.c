/* SPDX-License-Identifier: Apache-2.0 */
/* Spellings of the planted faults of quantization, from their definition list. */
#include "harness/quant/propagate/propagate.h"

static const char *const SPELLINGS[QUANT_FAULT_COUNT] = {
    [QUANT_FAULT_none] = "none",
#define FAULT(name, spelling, summary) [QUANT_FAULT_##name] = spelling,
#include "harness/quant/propagate/quant_faults.def"
#undef FAULT
};

const char *quant_fault_spelling(quant_fault_t fault) { return SPELLINGS[fault]; }
