/* SPDX-License-Identifier: Apache-2.0 */
/* Which programs hold floats of at most 16 bits, by themselves or as what quantized values express.
 */
#ifndef ASSAY_TESTS_CAMPAIGN_CONTRACTS_SHORT_TYPES_H
#define ASSAY_TESTS_CAMPAIGN_CONTRACTS_SHORT_TYPES_H

#include "harness/model/case.h"

/* The word for `short_types_quantized()` in the rows of permitted_models.def. */
#define SHORT_TYPES_QUANTIZED "quantized"

static inline bool short_types_is_short(const element_t *element) {
  return element->format != NULL && element->bits <= 16;
}

static inline const element_t *short_types_float_of(const type_t *type) {
  return type->quantization != NULL ? type->quantization->expressed : type->element;
}

/* Whether an operand or the first result is quantized and expresses such a float. */
static inline bool short_types_quantized(const program_t *program) {
  for (uint32_t i = 0; i <= program->operand_count; i++) {
    const type_t *type = i == program->operand_count ? &program->results[0] : &program->operands[i];
    if (type->quantization != NULL && short_types_is_short(type->quantization->expressed))
      return true;
  }
  return false;
}

/* Whether an operand is such a float, or expresses one. */
static inline bool short_types_any(const program_t *program) {
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (short_types_is_short(short_types_float_of(&program->operands[i]))) return true;
  }
  return false;
}

#endif
