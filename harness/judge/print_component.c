/* SPDX-License-Identifier: Apache-2.0 */
/* A component of a result in words. */
#include <glib.h>
#include <inttypes.h>

#include "harness/judge/judge.h"

void judge_print_component(const element_t *element, uint64_t bits, char *out, size_t out_bytes) {
  int digits = (element->bits + 3) / 4;
  if (element->format != NULL && format_is_nan(element->format, bits)) {
    g_snprintf(out, out_bytes, "nan (%0*" PRIx64 ")", digits, bits);
  } else if (element->format != NULL) {
    double value = format_to_double(element->format, bits);
    g_snprintf(out, out_bytes, "%a (%0*" PRIx64 ")", value, digits, bits);
  } else if (element->kind == ELEMENT_UNSIGNED) {
    g_snprintf(out, out_bytes, "%" PRIu64 " (%0*" PRIx64 ")", bits, digits, bits);
  } else {
    int64_t value = element_signed_value(element, bits);
    g_snprintf(out, out_bytes, "%" PRId64 " (%0*" PRIx64 ")", value, digits, bits);
  }
}
