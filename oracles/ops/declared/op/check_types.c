/* SPDX-License-Identifier: Apache-2.0 */
/* Types of steps: floats, integers, booleans.  Nothing is converted unless a file says so, but for
 * numbers as they are written, which take the type of what they stand beside. */
#include <errno.h>
#include <stdlib.h>

#include "oracles/ops/declared/op/reader.h"

const char *reader_type_name(const reader_t *reader, uint16_t step) {
  const element_t *type = reader_step(reader, step)->type;
  return type == NULL ? "a float" : type->name;
}

static bool is_boolean(const reader_t *reader, uint16_t step) {
  const element_t *type = reader_step(reader, step)->type;
  return type != NULL && type->kind == ELEMENT_BOOLEAN;
}

status_t reader_require_float(const reader_t *reader, const char *at, const char *what,
                              uint16_t step) {
  if (reader_step(reader, step)->type == NULL) return STATUS_OK;
  bool is_truth = is_boolean(reader, step);
  return reader_fail(reader, at, "%s takes floats, and this is %s: write %s", what,
                     reader_type_name(reader, step),
                     is_truth ? "\"select(a, 1, 0)\"" : "\"convert(a, float)\"");
}

status_t reader_require_boolean(const reader_t *reader, const char *at, const char *what,
                                uint16_t step) {
  if (is_boolean(reader, step)) return STATUS_OK;
  return reader_fail(reader, at, "%s takes a boolean first, and this is %s: write \"a != 0\"", what,
                     reader_type_name(reader, step));
}

status_t reader_require_integer(const reader_t *reader, const char *at, const char *what,
                                uint16_t step) {
  if (reader_step(reader, step)->type != NULL) return STATUS_OK;
  return reader_fail(
      reader, at,
      "%s takes integers or booleans, and this is a float: write \"convert(a, i32)\" "
      "or compare it",
      what);
}

status_t reader_require_number(const reader_t *reader, const char *at, const char *what,
                               uint16_t step) {
  if (!is_boolean(reader, step)) return STATUS_OK;
  return reader_fail(reader, at,
                     "%s takes numbers, and this is a boolean: write and, or, xor, not, or "
                     "\"convert(a, i32)\"",
                     what);
}

status_t reader_require_places(const reader_t *reader, const char *at, uint16_t step) {
  const element_t *type = reader_step(reader, step)->type;
  if (type != NULL && element_is_integer(type)) return STATUS_OK;
  return reader_fail(reader, at,
                     "places along an index are integers, and this is %s: write "
                     "\"convert(..., i32)\"",
                     reader_type_name(reader, step));
}

status_t reader_require_divisor(const reader_t *reader, const char *at, uint16_t step) {
  const step_t *divisor = reader_step(reader, step);
  if (divisor->kind != STEP_NUMBER || divisor->type == NULL || divisor->place != 0) {
    return STATUS_OK;
  }
  return reader_fail(reader, at,
                     "an integer divided by 0 may be any: divide by another number, or convert "
                     "to float first");
}

/* ---- Numbers as they are written ------------------------------------------------------------- */

bool reader_is_literal(const reader_t *reader, uint16_t step) {
  const step_t *found = reader_step(reader, step);
  if (found->kind == STEP_NEGATE) found = reader_step(reader, found->a);
  return found->kind == STEP_NUMBER && found->type == NULL;
}

status_t reader_literal(reader_t *reader, const char *at, const element_t *element,
                        uint16_t *inout_step) {
  const step_t *step = reader_step(reader, *inout_step);
  bool is_negative = step->kind == STEP_NEGATE;
  const char *digits = is_negative ? reader_step(reader, step->a)->decimal : step->decimal;
  char *end = NULL;
  errno = 0;
  long long magnitude = strtoll(digits, &end, 10);
  int64_t value = is_negative ? -magnitude : magnitude;
  bool is_whole = *end == '\0' && errno == 0 && end != digits;
  bool is_small = element_integer_min(element) <= value &&
                  (value < 0 || (uint64_t)value <= element_integer_max(element));
  if (!is_whole || !is_small || element->kind == ELEMENT_BOOLEAN) {
    return reader_fail(reader, at, "%s has no %s%s here: write one of its numbers, or convert",
                       element->name, is_negative ? "-" : "", digits);
  }
  return reader_add_step(
      reader, (step_t){.kind = STEP_NUMBER, .decimal = digits, .type = element, .place = value},
      inout_step);
}

status_t reader_match(reader_t *reader, const char *at, const char *what, uint16_t *inout_a,
                      uint16_t *inout_b) {
  const element_t *a = reader_step(reader, *inout_a)->type;
  const element_t *b = reader_step(reader, *inout_b)->type;
  if (a != NULL && reader_is_literal(reader, *inout_b)) {
    return reader_literal(reader, at, a, inout_b);
  }
  if (b != NULL && reader_is_literal(reader, *inout_a)) {
    return reader_literal(reader, at, b, inout_a);
  }
  if (a == b) return STATUS_OK;
  return reader_fail(reader, at, "%s stands between %s and %s: write \"convert(..., %s)\"", what,
                     reader_type_name(reader, *inout_a), reader_type_name(reader, *inout_b),
                     a == NULL   ? "float"
                     : b == NULL ? "float"
                                 : a->name);
}
