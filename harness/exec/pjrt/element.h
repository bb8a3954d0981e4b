/* SPDX-License-Identifier: Apache-2.0 */
/* Element types of the executor ABI as PJRT's. */
#ifndef ASSAY_EXEC_PJRT_ELEMENT_H
#define ASSAY_EXEC_PJRT_ELEMENT_H

#include <pjrt_c_api.h>
#include <stdint.h>

typedef struct pjrt_element {
  const char *name; /* As assay_type_t.element has it. */
  PJRT_Buffer_Type type;
  uint32_t bytes; /* Of one element on our side: whole bytes. */
  uint32_t bits;  /* Those of its byte that count, of types narrower than a byte; else 0. */
} pjrt_element_t;

/* The type called so, or NULL if PJRT has none. */
const pjrt_element_t *pjrt_element_find(const char *name);

/* The name of a type that PJRT has, or "of a type that we do not know". */
const char *pjrt_element_name(PJRT_Buffer_Type type);

#endif
