/* SPDX-License-Identifier: Apache-2.0 */
/* Hypotheses that are told by comparing the value that came with the right one. */
#include <glib.h>
#include <math.h>
#include <stdlib.h>

#include "harness/diagnose/tests.h"

/* Whether one wrong component, or one right one, is as a hypothesis has it; bits are added. */
typedef bool (*value_test_t)(solver_t *solver, const examined_t *examined, bool is_wrong,
                             const hypothesis_t *hypothesis, double *inout_bits);

/* Of several results, say values and indices, a hypothesis about values speaks of one type. */
static double test_all(solver_t *solver, value_test_t test, const hypothesis_t *hypothesis) {
  const element_t *element = solver->wrong[0].element;
  double bits = 0;
  for (size_t i = 0; i < solver->wrong_count; i++) {
    if (solver->wrong[i].element != element) return -1;
    if (!test(solver, &solver->wrong[i], true, hypothesis, &bits)) return -1;
  }
  for (size_t i = 0; i < solver->right_count; i++) {
    if (solver->right[i].element != element) continue;
    if (!test(solver, &solver->right[i], false, hypothesis, &bits)) return -1;
  }
  return bits > 0 ? bits : -1;
}

/* What a value tells that is exactly as a hypothesis has it. */
static double bits_of_exact(const solver_t *solver, const examined_t *examined) {
  static const answer_t exact = {.conforms = true};
  return solver_has_seen(solver, examined) ? 0 : evidence_bits(examined, &exact);
}

static void test_one(solver_t *solver, cause_id_t cause, value_test_t test, found_causes_t *found) {
  if (!solver_tests(solver, cause)) return;
  double bits = test_all(solver, test, NULL);
  if (bits >= 0) note_cause(found, cause, bits, 1, "");
}

/* ---- Special values -------------------------------------------------------------------------- */

/* Special values come about in many ways: several components must agree. */
static const double bits_of_rule = 4;

static bool is_positive_zero(const format_t *format, uint64_t bits) {
  return format_is_zero(format, bits) && !format_is_negative(format, bits);
}

static bool is_negative_zero(const format_t *format, uint64_t bits) {
  return format_is_zero(format, bits) && format_is_negative(format, bits);
}

static bool is_largest(const format_t *format, uint64_t bits) {
  uint64_t magnitude = bits & ~((uint64_t)1 << (format->bits - 1));
  return magnitude == format->largest_bits;
}

static bool lost_negative_zero(solver_t *solver, const examined_t *examined, bool is_wrong,
                               const hypothesis_t *hypothesis, double *inout_bits) {
  (void)solver;
  (void)hypothesis;
  const format_t *format = examined->element->format;
  if (!is_wrong) return !is_negative_zero(format, examined->got);
  *inout_bits += bits_of_rule;
  return is_positive_zero(format, examined->got) && is_negative_zero(format, examined->right);
}

static bool negated_zero(solver_t *solver, const examined_t *examined, bool is_wrong,
                         const hypothesis_t *hypothesis, double *inout_bits) {
  (void)solver;
  (void)hypothesis;
  const format_t *format = examined->element->format;
  if (!is_wrong) return !is_positive_zero(format, examined->got);
  *inout_bits += bits_of_rule;
  return is_negative_zero(format, examined->got) && is_positive_zero(format, examined->right);
}

static bool largest_for_infinity(solver_t *solver, const examined_t *examined, bool is_wrong,
                                 const hypothesis_t *hypothesis, double *inout_bits) {
  (void)solver;
  (void)hypothesis;
  const format_t *format = examined->element->format;
  if (!is_wrong) return !format_is_infinity(format, examined->got);
  *inout_bits += bits_of_rule;
  return is_largest(format, examined->got) && format_is_infinity(format, examined->right) &&
         format_is_negative(format, examined->got) == format_is_negative(format, examined->right);
}

static bool infinity_for_nan(solver_t *solver, const examined_t *examined, bool is_wrong,
                             const hypothesis_t *hypothesis, double *inout_bits) {
  (void)solver;
  (void)hypothesis;
  const format_t *format = examined->element->format;
  if (!is_wrong) return !format_is_nan(format, examined->got);
  *inout_bits += bits_of_rule;
  bool is_replaced = format_has_infinity(format) ? format_is_infinity(format, examined->got)
                                                 : is_largest(format, examined->got);
  return is_replaced && format_is_nan(format, examined->right);
}

static bool zero_for_subnormal(solver_t *solver, const examined_t *examined, bool is_wrong,
                               const hypothesis_t *hypothesis, double *inout_bits) {
  (void)solver;
  (void)hypothesis;
  const format_t *format = examined->element->format;
  if (!is_wrong) return !format_is_subnormal(format, examined->got);
  *inout_bits += bits_of_rule;
  return format_is_zero(format, examined->got) && format_is_subnormal(format, examined->right);
}

/* ---- Other values ---------------------------------------------------------------------------- */

/* The element before is right, differs from what this one should be, and stands here too. */
static bool repeats_previous(solver_t *solver, const examined_t *examined, bool is_wrong,
                             const hypothesis_t *hypothesis, double *inout_bits) {
  (void)hypothesis;
  if (!is_wrong) return true;
  const element_t *element = examined->element;
  const evidence_t *evidence = solver->question->evidence;
  uint32_t result = solver->verdict->result;
  if (examined->component < element->components) return false;
  size_t before = examined->component - element->components;
  if (evidence->wrong[result][before] != 0) return false;
  uint64_t bits = element_load(element, evidence->results[result].data, before);
  if (bits != examined->got || bits == examined->right) return false;
  bool is_special =
      element->format != NULL && (format_is_nan(element->format, examined->right) ||
                                  format_is_infinity(element->format, examined->right));
  if (is_special) { /* Whatever keeps a sum finite may make it what the one before is. */
    *inout_bits += 1;
    return true;
  }
  *inout_bits += bits_of_exact(solver, examined);
  return true;
}

static bool wraps_narrow(solver_t *solver, const examined_t *examined, bool is_wrong,
                         const hypothesis_t *hypothesis, double *inout_bits) {
  const element_t *element = examined->element;
  unsigned unused = 64u - (unsigned)hypothesis->index;
  uint64_t low = examined->right << unused;
  uint64_t wrapped =
      element->kind == ELEMENT_SIGNED ? (uint64_t)((int64_t)low >> unused) : low >> unused;
  if ((wrapped & element_mask(element)) != examined->got) return false;
  if (!is_wrong) return true;
  *inout_bits += fmin(bits_of_exact(solver, examined), (double)hypothesis->index);
  return true;
}

/* Integers are exact, so that a faulty model in any order gives the bits. */
static bool is_simulated(solver_t *solver, const examined_t *examined, bool is_wrong,
                         const hypothesis_t *hypothesis, double *inout_bits) {
  uint64_t bits;
  if (!problem_simulate(solver, &examined->problem, (fault_t)hypothesis->index, &bits))
    return false;
  if (bits != examined->got) return false;
  if (is_wrong) *inout_bits += bits_of_exact(solver, examined);
  return true;
}

/* A term's factor, with 128 added if its operand is shifted to unsigned. */
static int64_t load_factor(const problem_t *problem, uint32_t operand, size_t term, int shifted) {
  const tensor_t *tensor = &problem->instance.operands[operand];
  int64_t value = element_signed_value(tensor->type.element,
                                       element_load(tensor->type.element, tensor->data, term));
  return value + (shifted == (int)operand ? 128 : 0);
}

/* Neighbouring products of bytes are added in 16 bits that saturate (as PMADDUBSW does): with the
 * factors as they are (index 0), or with the left (1) or right (2) operand shifted to unsigned,
 * whose excess is subtracted at the end. */
static bool saturates_pairs(solver_t *solver, const examined_t *examined, bool is_wrong,
                            const hypothesis_t *hypothesis, double *inout_bits) {
  const problem_t *problem = &examined->problem;
  int shifted = (int)hypothesis->index - 1;
  int64_t sum = 0;
  for (size_t term = 0; term < solver->term_count; term += 2) {
    int64_t pair = 0;
    for (size_t i = term; i < MIN(term + 2, solver->term_count); i++) {
      int64_t left = load_factor(problem, 0, i, shifted);
      int64_t right = load_factor(problem, 1, i, shifted);
      pair += left * right;
      if (shifted >= 0) sum -= 128 * (shifted == 0 ? right : left);
    }
    sum += CLAMP(pair, INT16_MIN, INT16_MAX);
  }
  const element_t *element = examined->element;
  if (((uint64_t)sum & element_mask(element)) != examined->got) return false;
  if (is_wrong) *inout_bits += bits_of_exact(solver, examined);
  return true;
}

static bool multiplies_bytes(const solver_t *solver) {
  const program_t *program = &solver->question->instance->program;
  if (!solver->is_split || program->operand_count != 2 || solver->operands_with_terms != 3) {
    return false;
  }
  const element_t *left = program->operands[0].element;
  const element_t *right = program->operands[1].element;
  return element_is_integer(left) && left->bits == 8 && element_is_integer(right) &&
         right->bits == 8;
}

/* That acts rarely, and then mostly on one component and by a little; but it tells on which and to
 * which bits, which counts by itself: of signed factors only products of -128 by -128 saturate. */
static const double bits_of_saturation = 13;

/* Likewise, of indices, which are small. */
static const double bits_of_model = 5;

static void test_pairs(solver_t *solver, found_causes_t *found) {
  static const char *const details[] = {"operands as they are", "lhs shifted by 128",
                                        "rhs shifted by 128"};
  for (size_t i = 0; i < G_N_ELEMENTS(details) && multiplies_bytes(solver); i++) {
    const hypothesis_t hypothesis = {.index = i};
    double bits = test_all(solver, saturates_pairs, &hypothesis);
    if (bits < 0) continue;
    note_cause(found, CAUSE_saturated_pairs, bits + bits_of_saturation, 1, details[i]);
  }
}

static uint64_t round_to(const format_t *format, const format_t *narrow, uint64_t bits) {
  return format_convert(narrow, format, format_convert(format, narrow, bits, ROUNDING_NEAREST_EVEN),
                        ROUNDING_NEAREST_EVEN);
}

static bool same_value(const format_t *format, uint64_t a, uint64_t b) {
  return a == b || (format_is_nan(format, a) && format_is_nan(format, b));
}

static bool is_narrow_result(solver_t *solver, const examined_t *examined, bool is_wrong,
                             const hypothesis_t *hypothesis, double *inout_bits) {
  const format_t *format = examined->element->format;
  if (!is_wrong) {
    return same_value(format, round_to(format, hypothesis->format, examined->got), examined->got);
  }
  if (round_to(format, hypothesis->format, examined->right) != examined->got) return false;
  *inout_bits += bits_of_exact(solver, examined);
  return true;
}

/* Whether sums of so many terms in a narrow type may be so far off: K u sum |terms|, twice over for
 * the products (Higham, Accuracy and Stability of Numerical Algorithms, 4.2). */
static bool is_near(const solver_t *solver, const examined_t *examined, const format_t *narrow) {
  const cause_reference_t found = solver_reference(solver, examined->component);
  if (!found.has_magnitude) return false;
  double reference = found.reference;
  double got = format_to_double(examined->element->format, examined->got);
  double unit = ldexp(1, -narrow->precision);
  double bound = 2 * (double)(solver->term_count + 1) * unit * found.magnitude;
  return isnan(reference) || !isfinite(got) || fabs(got - reference) <= bound;
}

/* At most so much in one component's being a number of a narrow type. */
static const double bits_of_number = 3;

/* Only what a right value does not share says anything: that it is a number of the narrow type. */
static bool is_number_of(solver_t *solver, const examined_t *examined, bool is_wrong,
                         const hypothesis_t *hypothesis, double *inout_bits) {
  (void)solver;
  const format_t *format = examined->element->format;
  const format_t *narrow = hypothesis->format;
  uint64_t got = examined->got;
  if (!same_value(format, round_to(format, narrow, got), got)) return false;
  if (is_wrong && !is_near(solver, examined, narrow)) return false;
  bool tells = is_wrong && round_to(format, narrow, examined->right) != examined->right;
  if (tells) *inout_bits += fmin(bits_of_exact(solver, examined), bits_of_number);
  return true;
}

/* x* of a component rounded toward zero; false if it is not known. */
static bool truncate_exact(const solver_t *solver, const examined_t *examined, uint64_t *out_bits) {
  const cause_reference_t found = solver_reference(solver, examined->component);
  if (isnan(found.reference)) return false;
  const double value = found.reference, tail = found.tail;
  uint64_t pattern;
  __builtin_memcpy(&pattern, &value, sizeof pattern);
  number_t number = format_decode(&format_table[FORMAT_f64], pattern);
  if (number.kind != NUMBER_FINITE) return false;
  enum { SPARE_BITS = 8 };
  number.significand <<= SPARE_BITS;
  number.exponent -= SPARE_BITS;
  if (tail != 0) {
    number.sticky = true;
    number.significand -= (tail < 0) != number.negative ? 1 : 0;
  }
  *out_bits =
      format_encode(examined->element->format, number, ROUNDING_TOWARD_ZERO, OVERFLOW_FORMAT);
  return true;
}

/* One bit for each component whose nearest value is another. */
static bool is_truncated(solver_t *solver, const examined_t *examined, bool is_wrong,
                         const hypothesis_t *hypothesis, double *inout_bits) {
  (void)is_wrong;
  (void)hypothesis;
  uint64_t truncated;
  if (!truncate_exact(solver, examined, &truncated)) return !is_wrong;
  if (truncated != examined->got) return false;
  *inout_bits += truncated != examined->right ? 1 : 0;
  return true;
}

/* Small errors of whatever cause are often of one unit: many must be, and to the same side. */
static const double bits_of_neighbour = 2;

/* The value before (index 0) or after (1) conforms, in a narrow set. */
static bool is_one_off(solver_t *solver, const examined_t *examined, bool is_wrong,
                       const hypothesis_t *hypothesis, double *inout_bits) {
  if (!is_wrong) return true;
  const format_t *format = examined->element->format;
  uint64_t got = examined->got;
  if (format_is_nan(format, got) || format_is_infinity(format, got)) return false;
  uint64_t other =
      hypothesis->index == 0 ? format_next_down(format, got) : format_next_up(format, got);
  answer_t answer;
  if (!problem_holds(solver, &examined->problem, other, &answer)) return false;
  double width = answer.has_reference && answer.slack > 0 ? 2 * answer.ulp_error / answer.slack : 1;
  double bits = fmax(0, format->precision - 1 - 2 * log2(fmax(1, width)));
  if (!solver_has_seen(solver, examined)) *inout_bits += fmin(bits, bits_of_neighbour);
  return true;
}

/* ---- All of them ----------------------------------------------------------------------------- */

static bool all_have_right(const solver_t *solver) {
  bool all = true;
  for (size_t i = 0; i < solver->wrong_count; i++) all &= solver->wrong[i].has_right;
  for (size_t i = 0; i < solver->right_count && all; i++) all = solver->right[i].has_right;
  return all;
}

static void test_integers(solver_t *solver, found_causes_t *found) {
  const element_t *element = solver->wrong[0].element;
  /* One number wraps as well where the upper half of a factor is lost. */
  bool may_wrap = element_is_integer(element) && solver_tests(solver, CAUSE_wrapped_narrow) &&
                  (solver->tests_established || solver_has_several(solver));
  for (unsigned bits = 4; bits < element->bits && may_wrap; bits *= 2) {
    const hypothesis_t hypothesis = {.index = bits};
    double evidence = test_all(solver, wraps_narrow, &hypothesis);
    char detail[CAUSE_DETAIL_BYTES];
    g_snprintf(detail, sizeof detail, "%u", bits);
    if (evidence >= 0) note_cause(found, CAUSE_wrapped_narrow, evidence, 4, detail);
  }
  if (solver_tests(solver, CAUSE_saturated_pairs)) test_pairs(solver, found);
  if (!solver_tests(solver, CAUSE_later_of_equal)) return;
  const hypothesis_t ties = {.index = FAULT_wrong_tie};
  double evidence = test_all(solver, is_simulated, &ties);
  if (evidence >= 0) note_cause(found, CAUSE_later_of_equal, evidence + bits_of_model, 1, "");
}

static void test_formats(solver_t *solver, cause_id_t cause, value_test_t test,
                         found_causes_t *found) {
  static const int formats[] = {FORMAT_bf16, FORMAT_f16, FORMAT_tf32, FORMAT_f32, FORMAT_f8E5M2};
  const format_t *format = solver->wrong[0].element->format;
  for (size_t i = 0; i < G_N_ELEMENTS(formats) && solver_tests(solver, cause); i++) {
    const format_t *narrow = &format_table[formats[i]];
    if (narrow->precision >= format->precision) continue;
    const hypothesis_t hypothesis = {.format = narrow};
    double bits = test_all(solver, test, &hypothesis);
    if (bits >= 0) note_cause(found, cause, bits, G_N_ELEMENTS(formats), narrow->name);
  }
}

static void test_one_off(solver_t *solver, found_causes_t *found) {
  for (size_t i = 0; i < 2 && solver_tests(solver, CAUSE_one_ulp_off); i++) {
    const hypothesis_t hypothesis = {.index = i};
    double bits = test_all(solver, is_one_off, &hypothesis);
    if (bits >= 0) note_cause(found, CAUSE_one_ulp_off, bits, 2, i == 0 ? "large" : "small");
  }
}

static void test_floats(solver_t *solver, found_causes_t *found) {
  test_one(solver, CAUSE_infinity_as_largest, largest_for_infinity, found);
  test_one(solver, CAUSE_nan_as_infinity, infinity_for_nan, found);
  test_one(solver, CAUSE_flushed_results, zero_for_subnormal, found);
  test_formats(solver, CAUSE_narrow_result, is_narrow_result, found);
  bool may_be_off = solver->verdict->class_ == CLASS_value || solver->tests_established;
  if (may_be_off) test_one_off(solver, found);
  /* Two terms and a zero are added once: that addition may be the one that truncates. */
  if (solver->term_count > 3) test_one(solver, CAUSE_truncated_result, is_truncated, found);
  test_formats(solver, CAUSE_narrow_accumulator, is_number_of, found);
}

void test_values(solver_t *solver, found_causes_t *found) {
  if (!all_have_right(solver)) return;
  const element_t *element = solver->wrong[0].element;
  if (solver->verdict->class_ == CLASS_zero_sign && element->format == NULL) return;
  if (solver->verdict->class_ == CLASS_zero_sign) {
    test_zeros(solver, found);
    test_one(solver, CAUSE_negative_zero_lost, lost_negative_zero, found);
    test_one(solver, CAUSE_zero_negated, negated_zero, found);
    return;
  }
  test_one(solver, CAUSE_repeats_previous, repeats_previous, found);
  if (element->format == NULL) {
    test_integers(solver, found);
  } else {
    test_floats(solver, found);
  }
}
