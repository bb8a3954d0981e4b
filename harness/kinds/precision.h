/* SPDX-License-Identifier: Apache-2.0 */
/* The values of precision_config, which ops that multiply have.  The specification gives them no
 * meaning (openxla/stablehlo#755); the contract says what they stand for (theory.md, D22). */
#ifndef ASSAY_KINDS_PRECISION_H
#define ASSAY_KINDS_PRECISION_H

#include "harness/base/rng.h"
#include "harness/model/attribute.h"
#include "harness/model/case.h"
#include "harness/model/contract.h"

enum { PRECISIONS_MAX = 4 }; /* Two are valid; a few more can be written. */

typedef enum precision {
  PRECISION_DEFAULT,
  PRECISION_HIGH,
  PRECISION_HIGHEST,
  PRECISION_COUNT
} precision_t;

typedef struct precision_list {
  bool is_present; /* Whether precision_config is there at all. */
  uint32_t count;
  precision_t values[PRECISIONS_MAX];
} precision_list_t;

/* Its codec: "[DEFAULT,HIGHEST]", or left out.  A row may say in two words what is said of too many
 * of them, such as "this list holds" and "entries". */
extern const attribute_codec_t precision_list;

/* The label of an algorithm: "default" where the list is left out, "precision=HIGHEST" where it is
 * twice the same, "precision=DEFAULT,HIGH" otherwise. */
void precision_list_print_label(const precision_list_t *list, GString *out_text);

/* Draws none three times in four, and else one word for both operands of two, or two words. */
precision_list_t precision_list_draw(rng_t *rng);

/* The word that holds of operand `operand`: DEFAULT where the list is left out. */
precision_t precision_list_word(const precision_list_t *list, uint32_t operand);

/* Whether words mean something of a product of the first two operands: these and the result are
 * f32, or complex numbers of that.  Narrower types are held by what words stand for, or are named
 * by the program itself; and nobody asks for f64 who wants less. */
bool precision_concerns(const program_t *program);

/* The permission that says what a word stands for: "default_precision". */
const char *precision_permission(precision_t word);

/* The row of precision_arithmetics.def. */
typedef struct precision_arithmetic {
  const element_t *type;
  int component_count;
  int product_count;
} precision_arithmetic_t;
precision_arithmetic_t precision_arithmetic(uint8_t arithmetic);

/* What numbers under that word may be computed as: what the word itself stands for, then what
 * higher words stand for, and f32 at last, each once.  So HIGHEST permits nothing that HIGH does
 * not, and HIGH nothing that DEFAULT does not, whatever the contract. */
enum { PRECISION_PERMITTED_MAX = PRECISION_COUNT + 1 };
size_t precision_permitted(precision_t word, const contract_t *contract,
                           uint8_t out_arithmetics[PRECISION_PERMITTED_MAX]);

#endif
