/* SPDX-License-Identifier: Apache-2.0 */
/* Spellings of the lowerings that export can produce, and the lookup of one by its spelling. */
#include <string.h>

#include "harness/quant/lower/export.h"

static const char *const SPELLINGS[QUANT_FORM_COUNT] = {
#define FORM(name, spelling, summary) [QUANT_FORM_##name] = spelling,
#include "harness/quant/lower/lowerings.def"
#undef FORM
};

const char *quant_form_spelling(quant_form_t form) { return SPELLINGS[form]; }

bool quant_form_find(str_t spelling, quant_form_t *out_form) {
  for (quant_form_t form = 0; form < QUANT_FORM_COUNT; form++) {
    if (!str_equal_text(spelling, SPELLINGS[form])) continue;
    *out_form = form;
    return true;
  }
  return false;
}
