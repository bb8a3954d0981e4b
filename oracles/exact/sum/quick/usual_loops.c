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

/* The loops, from that which most implementations run. */
typedef enum usual_loop { IN_TURN, FUSED, IN_HALVES, START_AT_LAST, USUAL_LOOPS } usual_loop_t;
_Static_assert((int)USUAL_LOOPS == (int)USUAL_LOOPS_MAX, "each loop gives one value");

/* False if the contract or the number of terms has no such loop. */
static bool run_loop(usual_loop_t loop, const sum_problem_t *question, const contract_t *contract,
                     double *out_value) {
  const arithmetic_t arithmetic = arithmetic_make(question->format);
  const double start = question->has_init ? question->init : no_start;
  const bool may_fuse = question->right != NULL && PERMITTED(contract, fma) == FMA_YES;
  const bool has_halves = question->count != 0 && question->count <= HALVES_MAX;
  switch (loop) {
    case FUSED:
      if (may_fuse) *out_value = add_fused(&arithmetic, question, start);
      return may_fuse;
    case IN_HALVES:
      if (has_halves)
        *out_value = arithmetic_add(&arithmetic, add_halves(&arithmetic, question), start);
      return has_halves;
    case START_AT_LAST: { /* Where there is none, a zero may be what the loop starts with. */
      const double last = question->has_init ? question->init : 0;
      *out_value = arithmetic_add(&arithmetic, add_in_turn(&arithmetic, question, no_start), last);
      return true;
    }
    case IN_TURN:
    case USUAL_LOOPS:
    default:
      *out_value = add_in_turn(&arithmetic, question, start);
      return true;
  }
}

bool usual_loops_give(const sum_problem_t *question, const contract_t *contract, double value) {
  for (usual_loop_t loop = 0; loop < USUAL_LOOPS; loop++) {
    double sum;
    if (run_loop(loop, question, contract, &sum) && is_same(sum, value)) return true;
  }
  return false;
}

size_t usual_loops_values(const sum_problem_t *question, const contract_t *contract,
                          double out_values[USUAL_LOOPS_MAX]) {
  size_t count = 0;
  for (usual_loop_t loop = 0; loop < USUAL_LOOPS; loop++) {
    if (run_loop(loop, question, contract, &out_values[count])) count++;
  }
  return count;
}
