/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at factors one by one; those of a low-order part are multiples of another power of two. */
#include "oracles/exact/sum/quick/factors.h"

#include <math.h>

#include "harness/num/binary64.h"
#include "oracles/exact/error_bound.h"

bool sum_may_flush_factor(double factor, const format_t *format, const format_t *storage) {
  double magnitude = fabs(factor);
  if (factor == 0) return false;
  if (format != NULL && magnitude < format_smallest_normal(format)) return true;
  if (storage == NULL) return false;
  bool may_be_rounded_up = format != NULL && format->precision < storage->precision;
  double normal = format_smallest_normal(storage);
  return magnitude < normal || (magnitude == normal && may_be_rounded_up);
}

static int least_lowest_bit(const double *numbers, size_t count) {
  int least = BINARY64_NO_BIT;
  for (size_t i = 0; i < count; i++) {
    int bit = isfinite(numbers[i]) ? binary64_lowest_bit(numbers[i]) : BINARY64_NO_BIT;
    least = bit < least ? bit : least;
  }
  return least;
}

int sum_lowest_bit(const sum_problem_t *question) {
  size_t group = sum_is_split(question) ? question->group : question->count;
  int least = 2 * BINARY64_NO_BIT;
  for (size_t begin = 0; begin < question->count; begin += group) {
    int bit = least_lowest_bit(question->left + begin, group);
    if (question->right != NULL) bit += least_lowest_bit(question->right + begin, group);
    least = bit < least ? bit : least;
  }
  return least;
}

bool sum_reaches_subnormal(const sum_problem_t *question) {
  int normal = question->format->exponent_min;
  if (question->result != NULL) normal = MAX(normal, question->result->exponent_min);
  bool has_number = question->has_init && isfinite(question->init);
  if (has_number && binary64_lowest_bit(question->init) < normal) return true;
  for (size_t i = 0; i < question->count; i++) {
    double left = question->left[i], right = question->right == NULL ? 1 : question->right[i];
    if (sum_may_flush_factor(left, question->left_format, question->left_storage)) return true;
    if (question->right != NULL &&
        sum_may_flush_factor(right, question->right_format, question->right_storage))
      return true;
    if (left == 0 || right == 0) continue;
    if (!isfinite(left) || !isfinite(right)) continue;
    if (binary64_lowest_bit(left) + binary64_lowest_bit(right) < normal) return true;
  }
  return false;
}
