/* SPDX-License-Identifier: Apache-2.0 */
/* Table of element types, built by macros from the list of float formats and the integer widths;
 * lookup by name and ranges of integer types. */
#include "harness/num/element.h"

#include <glib.h>

#define INTEGER(name_, kind_, bits_)     \
  {.name = (name_),                      \
   .kind = (kind_),                      \
   .bits = (bits_),                      \
   .component_bytes = ((bits_) + 7) / 8, \
   .components = 1,                      \
   .is_tensor_element = true}

#define COMPLEX(name_, part_, bits_) \
  {.name = (name_),                  \
   .kind = ELEMENT_COMPLEX,          \
   .bits = (bits_),                  \
   .component_bytes = (bits_) / 8,   \
   .components = 2,                  \
   .is_tensor_element = true,        \
   .format = &format_table[FORMAT_##part_]}

const element_t element_table[] = {
    INTEGER("i1", ELEMENT_BOOLEAN, 1),     INTEGER("i2", ELEMENT_SIGNED, 2),
    INTEGER("i4", ELEMENT_SIGNED, 4),      INTEGER("i8", ELEMENT_SIGNED, 8),
    INTEGER("i16", ELEMENT_SIGNED, 16),    INTEGER("i32", ELEMENT_SIGNED, 32),
    INTEGER("i64", ELEMENT_SIGNED, 64),    INTEGER("ui2", ELEMENT_UNSIGNED, 2),
    INTEGER("ui4", ELEMENT_UNSIGNED, 4),   INTEGER("ui8", ELEMENT_UNSIGNED, 8),
    INTEGER("ui16", ELEMENT_UNSIGNED, 16), INTEGER("ui32", ELEMENT_UNSIGNED, 32),
    INTEGER("ui64", ELEMENT_UNSIGNED, 64),
#define FORMAT_ROW(name_, bits_, ...)                  \
  {.name = #name_,                                     \
   .kind = ELEMENT_FLOAT,                              \
   .bits = (bits_),                                    \
   .component_bytes = ((bits_) + 7) / 8,               \
   .components = 1,                                    \
   .is_tensor_element = FORMAT_##name_ != FORMAT_tf32, \
   .format = &format_table[FORMAT_##name_]},
#include "harness/num/formats.def"
#undef FORMAT_ROW
    COMPLEX("complex<f32>", f32, 32),      COMPLEX("complex<f64>", f64, 64),
};

const size_t element_count = G_N_ELEMENTS(element_table);

const element_t *element_find(str_t name) {
  for (size_t i = 0; i < element_count; i++) {
    if (str_equal_text(name, element_table[i].name)) return &element_table[i];
  }
  return NULL;
}

const element_t *element_named(const char *name) {
  const element_t *element = element_find(str_from(name));
  if (element == NULL) g_error("no element type is called \"%s\"", name);
  return element;
}

uint64_t element_mask(const element_t *element) { return UINT64_MAX >> (64 - element->bits); }

int64_t element_signed_value(const element_t *element, uint64_t bits) {
  int unused = 64 - element->bits;
  if (element->kind == ELEMENT_SIGNED) return (int64_t)(bits << unused) >> unused;
  return (int64_t)(bits & element_mask(element));
}

int64_t element_integer_min(const element_t *element) {
  return element->kind == ELEMENT_SIGNED ? INT64_MIN >> (64 - element->bits) : 0;
}

uint64_t element_integer_max(const element_t *element) {
  return element->kind == ELEMENT_SIGNED ? element_mask(element) >> 1 : element_mask(element);
}
