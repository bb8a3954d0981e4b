/* SPDX-License-Identifier: Apache-2.0 */
/* Spellings of the lowerings that export can produce, and the lookup of one by its spelling. */
#include <string.h>

#include "harness/quant/lower/export.h"

static const char *const SPELLINGS[QUANT_LOWERING_COUNT] = {
#define LOWERING(name, spelling, summary) [QUANT_LOWERING_##name] = spelling,
#include "harness/quant/lower/lowerings.def"
#undef LOWERING
};

const char *quant_lowering_spelling(quant_lowering_t lowering) { return SPELLINGS[lowering]; }

bool quant_lowering_find(str_t spelling, quant_lowering_t *out_lowering) {
  for (quant_lowering_t lowering = 0; lowering < QUANT_LOWERING_COUNT; lowering++) {
    if (!str_equal_text(spelling, SPELLINGS[lowering])) continue;
    *out_lowering = lowering;
    return true;
  }
  return false;
}
