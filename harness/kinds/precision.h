/* SPDX-License-Identifier: Apache-2.0 */
/* The values of precision_config, which ops that multiply have: hints without defined meaning
 * (openxla/stablehlo#755). */
#ifndef ASSAY_KINDS_PRECISION_H
#define ASSAY_KINDS_PRECISION_H

#include "harness/model/attribute.h"

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

#endif
