/* SPDX-License-Identifier: Apache-2.0 */
/* Table of the element types that PJRT has buffers of. */
#include "harness/exec/pjrt/element.h"

#include <glib.h>
#include <string.h>

static const pjrt_element_t elements[] = {
    {"i1", PJRT_Buffer_Type_PRED, 1, 0},
    {"i2", PJRT_Buffer_Type_S2, 1, 2},
    {"i4", PJRT_Buffer_Type_S4, 1, 4},
    {"i8", PJRT_Buffer_Type_S8, 1, 0},
    {"i16", PJRT_Buffer_Type_S16, 2, 0},
    {"i32", PJRT_Buffer_Type_S32, 4, 0},
    {"i64", PJRT_Buffer_Type_S64, 8, 0},
    {"ui2", PJRT_Buffer_Type_U2, 1, 2},
    {"ui4", PJRT_Buffer_Type_U4, 1, 4},
    {"ui8", PJRT_Buffer_Type_U8, 1, 0},
    {"ui16", PJRT_Buffer_Type_U16, 2, 0},
    {"ui32", PJRT_Buffer_Type_U32, 4, 0},
    {"ui64", PJRT_Buffer_Type_U64, 8, 0},
    {"f16", PJRT_Buffer_Type_F16, 2, 0},
    {"f32", PJRT_Buffer_Type_F32, 4, 0},
    {"f64", PJRT_Buffer_Type_F64, 8, 0},
    {"bf16", PJRT_Buffer_Type_BF16, 2, 0},
    {"complex<f32>", PJRT_Buffer_Type_C64, 8, 0},
    {"complex<f64>", PJRT_Buffer_Type_C128, 16, 0},
    {"f8E5M2", PJRT_Buffer_Type_F8E5M2, 1, 0},
    {"f8E4M3FN", PJRT_Buffer_Type_F8E4M3FN, 1, 0},
    {"f8E4M3B11FNUZ", PJRT_Buffer_Type_F8E4M3B11FNUZ, 1, 0},
    {"f8E5M2FNUZ", PJRT_Buffer_Type_F8E5M2FNUZ, 1, 0},
    {"f8E4M3FNUZ", PJRT_Buffer_Type_F8E4M3FNUZ, 1, 0},
    {"f8E4M3", PJRT_Buffer_Type_F8E4M3, 1, 0},
    {"f8E3M4", PJRT_Buffer_Type_F8E3M4, 1, 0},
    {"f8E8M0FNU", PJRT_Buffer_Type_F8E8M0FNU, 1, 0},
    {"f4E2M1FN", PJRT_Buffer_Type_F4E2M1FN, 1, 4},
};

const pjrt_element_t *pjrt_element_find(const char *name) {
  for (size_t i = 0; i < G_N_ELEMENTS(elements); i++) {
    if (strcmp(elements[i].name, name) == 0) return &elements[i];
  }
  return NULL;
}

const char *pjrt_element_name(PJRT_Buffer_Type type) {
  for (size_t i = 0; i < G_N_ELEMENTS(elements); i++) {
    if (elements[i].type == type) return elements[i].name;
  }
  return "of a type that we do not know";
}
