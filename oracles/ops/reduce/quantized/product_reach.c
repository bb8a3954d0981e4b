/* SPDX-License-Identifier: Apache-2.0 */
/* Hulls of quantized products: sets that no node leaves, hulls by the count of leaves, the sign of
 * a product, factors of zero, and initial values that change nothing (theory.md, T190 to T193). */
#include "oracles/ops/reduce/quantized/product_reach.h"

#include <math.h>

static stored_interval_t unite(stored_interval_t a, stored_interval_t b) {
  return (stored_interval_t){MIN(a.low, b.low), MAX(a.high, b.high)};
}

/* Of the terms, and the initial value if it enters. */
static stored_interval_t hull_of_leaves(const reach_question_t *question, bool with_init) {
  stored_interval_t hull = with_init ? question->init : question->terms[0];
  for (size_t i = 0; i < question->count; i++) hull = unite(hull, question->terms[i]);
  return hull;
}

/* What a node makes of parts in these; false if it may be anything. */
static bool multiply(const reach_question_t *question, stored_interval_t a, stored_interval_t b,
                     stored_interval_t *out) {
  product_node_t node;
  product_node_make(question, a, b, &node);
  *out = product_node_hull(&node);
  return !node.is_open;
}

/* ---- Zeros and signs (theory.md, T191) ------------------------------------------------------- */

static double largest_magnitude(const quantum_t *quantum) {
  return fmax(fabs((double)quantum->type_min), fabs((double)quantum->type_max));
}

/* Whether 0 is stored as the zero point, and a product keeps its sign, or is 0, whatever its parts
 * are up to `largest` in magnitude, of which one is up to `other`. */
static bool keeps_signs(const reach_question_t *question, double largest, double other) {
  const reduce_quanta_t *quanta = question->quanta;
  const quantum_t *quantum = &quanta->accumulation;
  for (size_t i = 0; i < quanta->chain_count; i++) {
    double zero_point = (double)quantum->zero_point;
    if (format_round_double(quanta->chains[i].quantize, zero_point) != zero_point) return false;
  }
  return !product_node_has_integers(question) ||
         product_node_integer_error(question, largest, other) < 0.5;
}

/* Whether a term is 0, and so is each product with it, of whatever the storage type holds. */
static bool is_annihilated(const reach_question_t *question) {
  const quantum_t *quantum = &question->quanta->accumulation;
  const stored_interval_t anything = {quantum->type_min, quantum->type_max};
  int64_t zero_point = quantum->zero_point;
  for (size_t i = 0; i < question->quanta->chain_count; i++) {
    const quantum_chain_t *chain = &question->quanta->chains[i];
    bool is_finite = isfinite(quantum_chain_dequantize(chain, quantum, anything.low)) &&
                     isfinite(quantum_chain_dequantize(chain, quantum, anything.high));
    if (!is_finite) return false;
  }
  if (!keeps_signs(question, fabs((double)zero_point), largest_magnitude(quantum))) return false;
  for (size_t i = 0; i < question->count; i++) {
    stored_interval_t term = question->terms[i];
    if (term.low == zero_point && term.high == zero_point) return true;
  }
  return false;
}

/* -1 or 1 for a sign that all values of a leaf have or are 0 with, else 0. */
static int sign_of(stored_interval_t leaf, int64_t zero_point) {
  return leaf.low >= zero_point ? 1 : leaf.high <= zero_point ? -1 : 0;
}

static void cut_by_sign(const reach_question_t *question, uint32_t init_count,
                        stored_interval_t *inout_bound) {
  const quantum_t *quantum = &question->quanta->accumulation;
  double largest = largest_magnitude(quantum);
  int sign = init_count == 0 ? 1 : sign_of(question->init, quantum->zero_point);
  if (sign < 0 && init_count % 2 == 0) sign = 1;
  for (size_t i = 0; i < question->count; i++) {
    sign *= sign_of(question->terms[i], quantum->zero_point);
  }
  if (sign == 0 || !keeps_signs(question, largest, largest)) return;
  if (sign > 0) {
    inout_bound->low = MAX(inout_bound->low, quantum->zero_point);
    inout_bound->high = MAX(inout_bound->high, quantum->zero_point);
  } else {
    inout_bound->low = MIN(inout_bound->low, quantum->zero_point);
    inout_bound->high = MIN(inout_bound->high, quantum->zero_point);
  }
}

/* ---- Hulls (T193) ---------------------------------------------------------------------------- */

/* An interval with all of `leaves` that no node leaves. */
static bool close_hull(const reach_question_t *question, stored_interval_t leaves,
                       stored_interval_t *out_closed) {
  enum { ATTEMPTS = 256 };
  *out_closed = leaves;
  for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
    stored_interval_t products, present = *out_closed;
    if (!multiply(question, present, present, &products)) return false;
    *out_closed = unite(present, products);
    if (out_closed->low == present.low && out_closed->high == present.high) return true;
  }
  return false;
}

enum { COUNTED_LEAVES_MAX = 64 };

/* Of trees of exactly `count` leaves in `leaves`. */
static bool hull_of_trees(const reach_question_t *question, stored_interval_t leaves, size_t count,
                          stored_interval_t *out_hull) {
  if (count > COUNTED_LEAVES_MAX) return close_hull(question, leaves, out_hull);
  stored_interval_t hulls[COUNTED_LEAVES_MAX + 1];
  hulls[1] = leaves;
  for (size_t n = 2; n <= count; n++) {
    for (size_t left = 1; left <= n / 2; left++) {
      stored_interval_t products;
      if (!multiply(question, hulls[left], hulls[n - left], &products)) return false;
      hulls[n] = left == 1 ? products : unite(hulls[n], products);
    }
  }
  *out_hull = hulls[count];
  return true;
}

bool product_bound(const reach_question_t *question, uint32_t init_count,
                   stored_interval_t *out_bound) {
  const int64_t zero_point = question->quanta->accumulation.zero_point;
  size_t count = question->count + init_count;
  if (count == 1) { /* A single leaf is not clamped. */
    *out_bound = question->count == 1 ? question->terms[0] : question->init;
    return true;
  }
  if (is_annihilated(question)) {
    *out_bound = (stored_interval_t){zero_point, zero_point};
    return true;
  }
  if (!hull_of_trees(question, hull_of_leaves(question, init_count > 0), count, out_bound)) {
    return false;
  }
  cut_by_sign(question, init_count, out_bound);
  return true;
}

bool product_bound_of_any_inits(const reach_question_t *question, stored_interval_t *out_bound) {
  if (is_annihilated(question)) return product_bound(question, 1, out_bound);
  const quantum_t *quantum = &question->quanta->accumulation;
  if (!close_hull(question, hull_of_leaves(question, true), out_bound)) return false;
  if (sign_of(question->init, quantum->zero_point) > 0) cut_by_sign(question, 1, out_bound);
  return true;
}

/* ---- Initial values (theory.md, T192) -------------------------------------------------------- */

/* theory.md, T192. */
bool product_init_is_neutral(const reach_question_t *question) {
  const reduce_quanta_t *quanta = question->quanta;
  const quantum_t *quantum = &quanta->accumulation;
  stored_interval_t init = question->init, reached;
  if (init.low != init.high) return false;
  if (!close_hull(question, hull_of_leaves(question, true), &reached)) return false;
  double factor = (double)(init.low - quantum->zero_point);
  double off = fabs(fma(factor, quantum->scale, -1)) * (1 + 0x1p-50);
  double largest = fmax(fabs((double)(reached.low - quantum->zero_point)),
                        fabs((double)(reached.high - quantum->zero_point)));
  double moved = largest * off;
  bool is_neutral = true;
  for (size_t i = 0; i < quanta->chain_count; i++) {
    const format_t *format = quanta->chains[i].quantize;
    is_neutral &=
        product_node_is_finite(question, i, reached, init) &&
        product_node_formula_error(question, i, largest + moved) + moved < 0.5 &&
        format_round_double(format, (double)quantum->storage_min) <= (double)reached.low &&
        format_round_double(format, (double)quantum->storage_max) >= (double)reached.high;
  }
  if (product_node_has_integers(question)) {
    double error = product_node_integer_error(
        question, fmax(fabs((double)reached.low), fabs((double)reached.high)),
        fabs((double)init.low));
    is_neutral &= moved + error < 0.5;
  }
  return is_neutral;
}
