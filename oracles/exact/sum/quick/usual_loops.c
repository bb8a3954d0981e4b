/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the loops in the arithmetic of the sum, one after the other, up to the first that gives the
 * number. */
#include "oracles/exact/sum/quick/usual_loops.h"

#include <math.h>

#include "oracles/exact/arithmetic.h"

/* Of longer sums halves are not tried. */
enum { HALVES_MAX = 512 };

/* The start of a loop that starts with its first term: it changes none, and no sign of a zero. */
static const double no_start = -0.0;

static double leaf_of(const arithmetic_t *arithmetic, const sum_problem_t *question, size_t i) {
  if (question->right == NULL) return question->left[i];
  return arithmetic_multiply(arithmetic, question->left[i], question->right[i]);
}

static double add_in_turn(const arithmetic_t *arithmetic, const sum_problem_t *question,
                          double start) {
  double sum = start;
  for (size_t i = 0; i < question->count; i++) {
    sum = arithmetic_add(arithmetic, sum, leaf_of(arithmetic, question, i));
  }
  return sum;
}

static double add_fused(const arithmetic_t *arithmetic, const sum_problem_t *question,
                        double start) {
  double sum = start;
  for (size_t i = 0; i < question->count; i++) {
    sum = arithmetic_fused(arithmetic, question->left[i], question->right[i], sum);
  }
  return sum;
}

/* Neighbours, and so on; one that is left over waits for the next round. */
static double add_halves(const arithmetic_t *arithmetic, const sum_problem_t *question) {
  double sums[HALVES_MAX];
  for (size_t i = 0; i < question->count; i++) sums[i] = leaf_of(arithmetic, question, i);
  for (size_t left = question->count; left > 1; left = (left + 1) / 2) {
    for (size_t i = 0; i < left / 2; i++) {
      sums[i] = arithmetic_add(arithmetic, sums[2 * i], sums[2 * i + 1]);
    }
    if (left % 2 == 1) sums[left / 2] = sums[left - 1];
  }
  return sums[0];
}

static bool is_same(double a, double b) {
  if (a == 0 && b == 0) return signbit(a) == signbit(b);
  return a == b || (isnan(a) && isnan(b));
}

bool usual_loops_give(const sum_problem_t *question, const contract_t *contract, double value) {
  const arithmetic_t arithmetic = arithmetic_make(question->format);
  const double start = question->has_init ? question->init : no_start;
  const bool may_fuse = question->right != NULL && PERMITTED(contract, fma) == FMA_YES;
  if (is_same(add_in_turn(&arithmetic, question, start), value)) return true;
  if (may_fuse && is_same(add_fused(&arithmetic, question, start), value)) return true;
  if (question->count != 0 && question->count <= HALVES_MAX) {
    double sum = add_halves(&arithmetic, question);
    if (is_same(arithmetic_add(&arithmetic, sum, start), value)) return true;
  }
  if (!question->has_init) { /* A zero may be what the loop starts with. */
    double sum = add_in_turn(&arithmetic, question, no_start);
    return is_same(arithmetic_add(&arithmetic, 0, sum), value);
  }
  double sum = add_in_turn(&arithmetic, question, no_start);
  return is_same(arithmetic_add(&arithmetic, sum, question->init), value);
}
