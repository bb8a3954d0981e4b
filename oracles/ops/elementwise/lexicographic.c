/* SPDX-License-Identifier: Apache-2.0 */
/* Complex maximum and minimum: "lexicographic maximum for the (real, imaginary) pair"
 * (StableHLO specification, maximum), so that both parts come from one operand.
 *
 * It does not say whether -0 is less than +0, as it is in the maximum of floats, or equal to it, as
 * in comparisons; nor, of equal pairs, which one is taken, nor what a NaN does.  All that follows
 * from either variant conforms; beside a NaN either operand does, and a pair of which one part is
 * NaN and the other is of an operand, zero or NaN: the maximum of floats propagates NaN. */
#include <glib.h>
#include <math.h>

#include "oracles/ops/elementwise/parts.h"

/* ---- Orders ---------------------------------------------------------------------------------- */

/* Less than 0, 0 or more as a < b, a = b or a > b; no NaN.  `orders_zeros`: -0 is less than +0. */
static int compare(double a, double b, bool orders_zeros) {
  if (a != b) return a < b ? -1 : 1;
  if (a != 0 || !orders_zeros) return 0;
  return (signbit(a) != 0 ? 0 : 1) - (signbit(b) != 0 ? 0 : 1);
}

static int compare_pairs(const double a[2], const double b[2], bool orders_zeros) {
  int order = compare(a[0], b[0], orders_zeros);
  return order != 0 ? order : compare(a[1], b[1], orders_zeros);
}

static bool has_nan(const double pair[2]) { return isnan(pair[0]) || isnan(pair[1]); }

unsigned elementwise_lexicographic(bool is_maximum, const double left[2], const double right[2]) {
  if (has_nan(left) || has_nan(right)) return ELEMENTWISE_NEITHER;
  unsigned taken = 0;
  for (int orders_zeros = 0; orders_zeros < 2; orders_zeros++) {
    int order = compare_pairs(left, right, orders_zeros != 0);
    if (!is_maximum) order = -order;
    if (order >= 0) taken |= ELEMENTWISE_LEFT;
    if (order <= 0) taken |= ELEMENTWISE_RIGHT;
  }
  return taken;
}

/* ---- The answer ------------------------------------------------------------------------------ */

/* Both parts of what may be taken, and of what came. */
typedef struct pairs {
  const format_t *format;
  const contract_t *contract;
  uint64_t operands[2][2]; /* Patterns by operand and part. */
  uint64_t got[2];
} pairs_t;

/* A zero that stands for a subnormal number where the contract flushes. */
static bool is_flushed_to(const pairs_t *pairs, uint64_t from, uint64_t to) {
  const format_t *format = pairs->format;
  return PERMITTED(pairs->contract, ftz) != FTZ_NONE && format_is_subnormal(format, from) &&
         format_is_zero(format, to) &&
         (format_is_negative(format, from) == format_is_negative(format, to) ||
          PERMITTED(pairs->contract, zero_sign) == ZERO_SIGN_ANY);
}

static bool is_part(const pairs_t *pairs, uint64_t operand, uint64_t got) {
  const format_t *format = pairs->format;
  if (operand == got || is_flushed_to(pairs, operand, got)) return true;
  if (format_is_nan(format, operand)) return format_is_nan(format, got);
  return PERMITTED(pairs->contract, zero_sign) == ZERO_SIGN_ANY &&
         format_is_zero(format, operand) && format_is_zero(format, got);
}

static bool is_operand(const pairs_t *pairs, int operand) {
  return is_part(pairs, pairs->operands[operand][0], pairs->got[0]) &&
         is_part(pairs, pairs->operands[operand][1], pairs->got[1]);
}

/* NaN in one part at least; in the other that too, a zero, or what an operand has there. */
static bool is_propagated_nan(const pairs_t *pairs) {
  bool is_nan[2];
  for (int part = 0; part < 2; part++) {
    uint64_t got = pairs->got[part];
    is_nan[part] = format_is_nan(pairs->format, got);
    bool is_known = is_nan[part] || format_is_zero(pairs->format, got) ||
                    is_part(pairs, pairs->operands[0][part], got) ||
                    is_part(pairs, pairs->operands[1][part], got);
    if (!is_known) return false;
  }
  return is_nan[0] || is_nan[1];
}

static void load_pair(const format_t *format, const uint64_t bits[2], unsigned flushed,
                      double out_pair[2]) {
  for (unsigned part = 0; part < 2; part++) {
    double value = format_to_double(format, bits[part]);
    bool is_taken_as_zero = (flushed >> part & 1) != 0 && format_is_subnormal(format, bits[part]);
    out_pair[part] = is_taken_as_zero ? copysign(0, value) : value;
  }
}

/* The operands that may be taken, with each choice of subnormal parts compared as zeros. */
static unsigned taken_operands(const pairs_t *pairs, bool is_maximum) {
  enum { CHOICES = 16 };
  uint8_t ftz = PERMITTED(pairs->contract, ftz);
  bool flushes = ftz == FTZ_INPUTS || ftz == FTZ_BOTH;
  unsigned taken = 0;
  for (unsigned flushed = 0; flushed < (flushes ? CHOICES : 1); flushed++) {
    double left[2], right[2];
    load_pair(pairs->format, pairs->operands[0], flushed & 3, left);
    load_pair(pairs->format, pairs->operands[1], flushed >> 2, right);
    taken |= elementwise_lexicographic(is_maximum, left, right);
  }
  return taken;
}

static void print_pair(const pairs_t *pairs, int operand, GString *text) {
  g_string_append_printf(text, "%s(%a, %a)", text->len == 0 ? "the part of " : " or ",
                         format_to_double(pairs->format, pairs->operands[operand][0]),
                         format_to_double(pairs->format, pairs->operands[operand][1]));
}

void elementwise_lexicographic_decide(const case_t *instance, const contract_t *contract,
                                      size_t component, const tensor_t *result,
                                      answer_t *out_answer) {
  const element_t *element = result->type.element;
  size_t first = component - component % 2;
  pairs_t pairs = {.format = element->format, .contract = contract};
  for (size_t part = 0; part < 2; part++) {
    for (size_t i = 0; i < 2; i++) {
      pairs.operands[i][part] = element_load(element, instance->operands[i].data, first + part);
    }
    pairs.got[part] = element_load(element, result->data, first + part);
  }
  bool is_maximum = elementwise_of(&instance->program) == ELEMENTWISE_MAXIMUM;
  unsigned taken = taken_operands(&pairs, is_maximum);
  answer_t answer = {.conforms = false};
  g_autoptr(GString) text = g_string_new(NULL);
  bool knows_operand = (taken & (ELEMENTWISE_LEFT | ELEMENTWISE_RIGHT)) != 0;
  for (int i = 0; i < 2; i++) {
    bool is_taken = (taken & (i == 0 ? ELEMENTWISE_LEFT : ELEMENTWISE_RIGHT)) != 0;
    if (!is_taken && knows_operand) continue;
    print_pair(&pairs, i, text);
    /* Where only one may be taken, each part is judged by itself. */
    bool is_one = taken == ELEMENTWISE_LEFT || taken == ELEMENTWISE_RIGHT;
    size_t part = component % 2;
    answer.conforms |=
        is_one ? is_part(&pairs, pairs.operands[i][part], pairs.got[part]) : is_operand(&pairs, i);
  }
  if (taken == ELEMENTWISE_NEITHER) {
    answer.conforms |= is_propagated_nan(&pairs);
    g_string_append(text, ", or NaN");
  }
  g_strlcpy(answer.expected, text->str, sizeof answer.expected);
  *out_answer = answer;
}
