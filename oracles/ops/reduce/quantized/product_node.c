/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of quantized products: the formula at the corners of two intervals, integer products
 * rescaled exactly in 128 bits, and the error of rescaling in floats. */
#include "oracles/ops/reduce/quantized/product_node.h"

#include <math.h>

#include "generated/exact_permissions.h"
#include "oracles/exact/arithmetic.h"
#include "oracles/exact/magnitude.h"

/* The spellings of PERMITTED(contract, quantized) and of PERMITTED(contract, rescale). */
enum { QUANTIZED_DEQUANTIZE, QUANTIZED_INTEGER };
enum { RESCALE_EXACT, RESCALE_FLOAT, RESCALE_FIXED, RESCALE_EITHER };

static bool is_point(stored_interval_t interval) { return interval.low == interval.high; }

static void add(product_node_t *node, int64_t low, int64_t high) {
  for (size_t i = 0; i < node->count; i++) {
    if (node->intervals[i].low == low && node->intervals[i].high == high) return;
  }
  node->intervals[node->count++] = (stored_interval_t){low, high};
}

static void add_anything(product_node_t *node, const quantum_t *quantum) {
  node->is_open = true;
  add(node, quantum->type_min, quantum->type_max);
}

static double largest_of(stored_interval_t interval) {
  return fmax(fabs((double)interval.low), fabs((double)interval.high));
}

static bool truncates(const reach_question_t *question) {
  return PERMITTED(question->contract, accum_rounding) == ACCUM_ROUNDING_RZ;
}

/* ---- By the formula -------------------------------------------------------------------------- */

static double multiply(const quantum_t *quantum, const quantum_chain_t *chain, int64_t a,
                       int64_t b) {
  return quantum_chain_result(chain, quantum_chain_dequantize(chain, quantum, a) *
                                         quantum_chain_dequantize(chain, quantum, b));
}

int64_t product_node_by_formula(const reduce_quanta_t *quanta, const quantum_chain_t *chain,
                                int64_t a, int64_t b) {
  const quantum_t *quantum = &quanta->accumulation;
  return quantum_chain_quantize(chain, quantum, multiply(quantum, chain, a, b));
}

static double smallest(const format_t *format) {
  return ldexp(1, format->exponent_min - format->precision + 1);
}

/* theory.md, T190. */
double product_node_formula_error(const reach_question_t *question, size_t index, double product) {
  const quantum_t *quantum = &question->quanta->accumulation;
  const quantum_chain_t *chain = &question->quanta->chains[index];
  double lost = 2 * smallest(chain->operate);
  if (chain->given[1] != chain->operate) lost += 2 * smallest(chain->given[1]);
  upper_t error = upper_scale(upper_of(question->errors[index].parts), product);
  upper_t of_zero_point =
      upper_scale(upper_of(question->errors[index].zero_point), fabs((double)quantum->zero_point));
  upper_t underflow = upper_divide(upper_of(lost), (lower_t){quantum->scale});
  return upper_add(error, upper_add(of_zero_point, underflow)).value;
}

/* The ends of the storage range, rounded to a format either way: what clamps to them. */
static bool clamp_by_ends(const quantum_t *quantum, const format_t *format,
                          stored_interval_t *inout) {
  const arithmetic_t steps = arithmetic_make(format);
  const double ends[] = {(double)quantum->storage_min, (double)quantum->storage_max};
  bool is_open = false;
  for (int i = 0; i < 2; i++) {
    const double rounded[] = {arithmetic_round(&steps, ends[i]),
                              arithmetic_truncate(&steps, ends[i])};
    bool is_reached = i == 0 ? inout->low <= (int64_t)ends[0] : inout->high >= (int64_t)ends[1];
    for (int k = 0; k < 2; k++) {
      double outwards = i == 0 ? ends[0] - rounded[k] : rounded[k] - ends[1];
      is_open |= is_reached && !(outwards <= 0);
      if (!(outwards < 0)) continue;
      int64_t cut = (int64_t)rounded[k];
      if (i == 0 && inout->low < cut) inout->high = MAX(inout->high, cut);
      if (i == 1 && inout->high > cut) inout->low = MIN(inout->low, cut);
    }
  }
  return !is_open;
}

/* The product of two distances from the zero point in quanta, to within 2^-50 of it. */
static double scaled(const quantum_t *quantum, int64_t a, int64_t b) {
  return (double)(a - quantum->zero_point) * (double)(b - quantum->zero_point) * quantum->scale;
}

typedef struct corners {
  double low, high;
} corners_t;

static corners_t find_corners(const quantum_t *quantum, stored_interval_t a, stored_interval_t b) {
  corners_t corners = {INFINITY, -INFINITY};
  for (int corner = 0; corner < 4; corner++) {
    double value =
        scaled(quantum, (corner & 1) != 0 ? a.high : a.low, (corner & 2) != 0 ? b.high : b.low);
    corners.low = fmin(corners.low, value);
    corners.high = fmax(corners.high, value);
  }
  return corners;
}

static int64_t clamp_stored(const quantum_t *quantum, double value) {
  double least = (double)quantum->storage_min, most = (double)quantum->storage_max;
  return (int64_t)CLAMP(value + (double)quantum->zero_point, least, most);
}

/* Integers to which some number within `error` of [low, high] may be rounded, and the zero point
 * (theory.md, T190). */
static stored_interval_t round_between(const quantum_t *quantum, corners_t corners, double error) {
  double low = corners.low - error - fabs(corners.low) * 0x1p-48;
  double high = corners.high + error + fabs(corners.high) * 0x1p-48;
  return (stored_interval_t){clamp_stored(quantum, ceil(low - 0.5)),
                             clamp_stored(quantum, floor(high + 0.5))};
}

bool product_node_is_finite(const reach_question_t *question, size_t index, stored_interval_t a,
                            stored_interval_t b) {
  const quantum_t *quantum = &question->quanta->accumulation;
  const format_t *format = question->quanta->chains[index].narrowest;
  double largest = format_to_double(format, format->largest_bits) / 4;
  double zero_point = fabs((double)quantum->zero_point);
  double left = (largest_of(a) + zero_point) * quantum->scale;
  double right = (largest_of(b) + zero_point) * quantum->scale;
  double quanta = left * right / quantum->scale + zero_point;
  return left < largest && right < largest && left * right < largest && quanta < largest &&
         largest_of(a) + zero_point < largest && largest_of(b) + zero_point < largest;
}

/* Where steps may be truncated: all that is as near as that (theory.md, T190). */
static void add_truncated(const reach_question_t *question, size_t index, stored_interval_t a,
                          stored_interval_t b, product_node_t *node) {
  const quantum_t *quantum = &question->quanta->accumulation;
  corners_t corners = find_corners(quantum, a, b);
  double product = fmax(fabs(corners.low), fabs(corners.high)) * (1 + 0x1p-48);
  double error = product_node_formula_error(question, index, product);
  stored_interval_t found = round_between(quantum, corners, error);
  bool is_known = product_node_is_finite(question, index, a, b) &&
                  clamp_by_ends(quantum, question->quanta->chains[index].quantize, &found);
  if (is_known) {
    add(node, found.low, found.high);
  } else {
    add_anything(node, quantum);
  }
}

/* The formula is monotone in each part while the other keeps its sign, so that the corners of both
 * intervals tell. */
static void add_formula(const reach_question_t *question, size_t index, stored_interval_t a,
                        stored_interval_t b, product_node_t *node) {
  const quantum_t *quantum = &question->quanta->accumulation;
  const quantum_chain_t *chain = &question->quanta->chains[index];
  int64_t low = INT64_MAX, high = INT64_MIN;
  size_t corners = is_point(a) && is_point(b) ? 1 : 4;
  for (size_t corner = 0; corner < corners; corner++) {
    int64_t choices[QUANTUM_CHOICES_MAX];
    double value = multiply(quantum, chain, (corner & 1) != 0 ? a.high : a.low,
                            (corner & 2) != 0 ? b.high : b.low);
    size_t count = quantum_chain_choices(chain, quantum, value, choices);
    if (count == 0) {
      add_anything(node, quantum);
      return;
    }
    for (size_t i = 0; i < count; i++) {
      if (corners == 1) add(node, choices[i], choices[i]);
      low = MIN(low, choices[i]);
      high = MAX(high, choices[i]);
    }
  }
  if (corners > 1) add(node, low, high);
}

/* ---- In integers ----------------------------------------------------------------------------- */

bool product_node_has_integers(const reach_question_t *question) {
  return PERMITTED(question->contract, quantized) == QUANTIZED_INTEGER;
}

/* The nearest integer, ties to even, of (a - z) (b - z) scale, plus `before` that is added before
 * the rounding, clamped to the range less `after`; and `after`. */
static int64_t round_exactly(const quantum_t *quantum, int64_t a, int64_t b, int64_t before,
                             int64_t after) {
  int exponent;
  double fraction = frexp(quantum->scale, &exponent);
  __int128 product = (__int128)(a - quantum->zero_point) * (b - quantum->zero_point);
  product *= (int64_t)ldexp(fraction, 53); /* Less than 2^66 times 2^53. */
  exponent -= 53;
  int64_t least = quantum->storage_min - after, most = quantum->storage_max - after;
  if (product == 0) return CLAMP(before, least, most) + after;
  if (exponent >= 0) { /* Integers of 2^53 and more times that scale. */
    return (product > 0 ? most : least) + after;
  }
  int shift = MIN(-exponent, 126);
  __int128 one = (__int128)1 << shift, half = one >> 1;
  __int128 whole = product >> shift, rest = product - whole * one;
  whole += before;
  bool is_below = shift < -exponent; /* Then |value| < 2^-7: nearest to 0. */
  if (is_below) {
    whole = before;
  } else if (rest > half || (rest == half && (whole & 1) != 0)) {
    whole += 1;
  }
  return (int64_t)CLAMP(whole, (__int128)least, (__int128)most) + after;
}

int64_t product_node_rescaled(const quantum_t *quantum, int64_t a, int64_t b) {
  return round_exactly(quantum, a, b, quantum->zero_point, 0);
}

/* Floats that rescale: f64 where that is the expressed type, else f32. */
static const format_t *rescaling(const reach_question_t *question) {
  const format_t *f64 = &format_table[FORMAT_f64];
  return question->quanta->expressed == f64 ? f64 : &format_table[FORMAT_f32];
}

/* Whether nothing rounds: the scale and its square are numbers, and all parts are small multiples
 * of one power of two (theory.md, T17). */
static bool rescales_exactly(const quantum_t *quantum, const format_t *format, double integers) {
  int exponent;
  double fraction = frexp(quantum->scale, &exponent);
  uint64_t digits = (uint64_t)ldexp(fraction, 53);
  int lowest = exponent - 53 + __builtin_ctzll(digits);
  int length = exponent - lowest;
  bool is_square = 2 * length <= format->precision && 2 * exponent <= format->exponent_max &&
                   2 * lowest >= format->exponent_min - format->precision + 1;
  double zero_point = fabs((double)quantum->zero_point), most = ldexp(1, format->precision);
  double magnitude = integers * quantum->scale + zero_point;
  return is_square && integers + zero_point <= most && magnitude <= ldexp(most, MIN(lowest, 0));
}

/* Nobody is known to reduce in fixed point: of that, what exact rescaling gives is permitted. */
static bool rescales_in_floats(const reach_question_t *question) {
  uint8_t ways = PERMITTED(question->contract, rescale);
  return ways == RESCALE_FLOAT || ways == RESCALE_EITHER;
}

double product_node_integer_error(const reach_question_t *question, double largest_a,
                                  double largest_b) {
  if (!rescales_in_floats(question)) return 0;
  const quantum_t *quantum = &question->quanta->accumulation;
  const format_t *format = rescaling(question);
  double zero_point = fabs((double)quantum->zero_point);
  double integers = (largest_a + zero_point) * (largest_b + zero_point) * (1 + 0x1p-50);
  if (rescales_exactly(quantum, format, integers)) return 0;
  double magnitude = integers * quantum->scale + zero_point;
  double u = ldexp(1, -format->precision), gamma = 8 * u / (1 - 8 * u); /* theory.md, T43 */
  double lost = (integers + zero_point + 8) * ldexp(1, format->exponent_min - format->precision);
  return (gamma * magnitude + lost) * (1 + 0x1p-40);
}

stored_interval_t product_node_by_integers(const reach_question_t *question, stored_interval_t a,
                                           stored_interval_t b) {
  const quantum_t *quantum = &question->quanta->accumulation;
  double error = product_node_integer_error(question, largest_of(a), largest_of(b));
  if (error > 0) return round_between(quantum, find_corners(quantum, a, b), error);
  bool adds_later = rescales_in_floats(question) ||
                    PERMITTED(question->contract, quantize_zero_point) != 0; /* T294 */
  stored_interval_t found = {INT64_MAX, INT64_MIN};
  size_t corners = is_point(a) && is_point(b) ? 1 : 4;
  for (size_t corner = 0; corner < corners; corner++) {
    int64_t left = (corner & 1) != 0 ? a.high : a.low, right = (corner & 2) != 0 ? b.high : b.low;
    int64_t values[] = {product_node_rescaled(quantum, left, right), 0};
    values[1] =
        adds_later ? round_exactly(quantum, left, right, 0, quantum->zero_point) : values[0];
    found.low = MIN(found.low, MIN(values[0], values[1]));
    found.high = MAX(found.high, MAX(values[0], values[1]));
  }
  return found;
}

/* And an end of the range that is reached, rounded, where floats clamp. */
static void add_integers(const reach_question_t *question, stored_interval_t a, stored_interval_t b,
                         product_node_t *node) {
  const quantum_t *quantum = &question->quanta->accumulation;
  stored_interval_t found = product_node_by_integers(question, a, b);
  add(node, found.low, found.high);
  if (!rescales_in_floats(question)) return;
  for (int end = 0; end < 2; end++) {
    bool is_reached =
        end == 0 ? found.low == quantum->storage_min : found.high == quantum->storage_max;
    if (!is_reached) continue;
    int64_t choices[QUANTUM_CHOICES_MAX];
    size_t count = quantum_choices_of_sum(quantum, rescaling(question),
                                          end == 0 ? -INFINITY : INFINITY, choices);
    if (count == 0) {
      add_anything(node, quantum);
      return;
    }
    for (size_t i = 0; i < count; i++) {
      if (choices[i] < found.low || choices[i] > found.high) add(node, choices[i], choices[i]);
    }
  }
}

size_t product_node_sources(const reach_question_t *question) {
  return question->quanta->chain_count + (product_node_has_integers(question) ? 1 : 0);
}

stored_interval_t product_node_by_source(const reach_question_t *question, size_t source, int64_t a,
                                         int64_t b) {
  const stored_interval_t left = {a, a}, right = {b, b};
  if (source == question->quanta->chain_count) {
    return product_node_by_integers(question, left, right);
  }
  product_node_t node = {0};
  (truncates(question) ? add_truncated : add_formula)(question, source, left, right, &node);
  return node.intervals[0];
}

bool product_node_gives_neighbours(const reach_question_t *question) {
  const reduce_quanta_t *quanta = question->quanta;
  const quantum_t *quantum = &quanta->accumulation;
  const stored_interval_t all = {quantum->storage_min, quantum->storage_max};
  double width = (double)(all.high - all.low) + 1, largest = largest_of(all);
  product_node_t node;
  product_node_make(question, all, all, &node);
  stored_interval_t hull = product_node_hull(&node);
  bool are_close = !node.is_open && hull.low >= all.low && hull.high <= all.high;
  for (size_t i = 0; i < quanta->chain_count && truncates(question); i++) {
    const format_t *format = quanta->chains[i].quantize;
    are_close &= product_node_formula_error(question, i, width) < 0.25 &&
                 format_round_double(format, (double)all.low) == (double)all.low &&
                 format_round_double(format, (double)all.high) == (double)all.high;
  }
  return are_close && (!product_node_has_integers(question) ||
                       product_node_integer_error(question, largest, largest) < 0.25);
}

void product_node_make(const reach_question_t *question, stored_interval_t a, stored_interval_t b,
                       product_node_t *out_node) {
  *out_node = (product_node_t){0};
  for (size_t i = 0; i < question->quanta->chain_count && !out_node->is_open; i++) {
    (truncates(question) ? add_truncated : add_formula)(question, i, a, b, out_node);
  }
  if (product_node_has_integers(question) && !out_node->is_open) {
    add_integers(question, a, b, out_node);
  }
}

stored_interval_t product_node_hull(const product_node_t *node) {
  stored_interval_t hull = node->intervals[0];
  for (size_t i = 1; i < node->count; i++) {
    hull.low = MIN(hull.low, node->intervals[i].low);
    hull.high = MAX(hull.high, node->intervals[i].high);
  }
  return hull;
}
