/* SPDX-License-Identifier: Apache-2.0 */
/* The hypothesis that all results are what they should be times one number. */
#include <glib.h>
#include <math.h>

#include "harness/diagnose/tests.h"

/* A factor and what it is called. */
typedef struct factor {
  double value;
  const char *words;
} factor_t;

/* A zero, an infinity and NaN are the same times any factor but -1. */
static bool is_fixed(const format_t *format, uint64_t bits) {
  return format_is_zero(format, bits) || format_is_nan(format, bits) ||
         format_is_infinity(format, bits);
}

/* Whether one of the numbers that round to the component when multiplied conforms. */
static bool holds_divided(solver_t *solver, const examined_t *examined, double factor,
                          answer_t *out_answer) {
  const format_t *format = examined->element->format;
  uint64_t nearest = format_from_double(format, format_to_double(format, examined->got) / factor);
  const uint64_t candidates[] = {nearest, format_next_up(format, nearest),
                                 format_next_down(format, nearest)};
  for (size_t i = 0; i < G_N_ELEMENTS(candidates); i++) {
    if (problem_holds(solver, &examined->problem, candidates[i], out_answer)) return true;
  }
  return false;
}

/* One value or two are by chance what others are times a small number. */
enum { VALUES_MIN = 3 };

/* Evidence in bits that all is multiplied, or -1. */
static double test_factor(solver_t *solver, double factor) {
  double bits = 0;
  size_t values = 0;
  for (size_t i = 0; i < solver->wrong_count; i++) {
    const examined_t *examined = &solver->wrong[i];
    answer_t answer;
    if (is_fixed(examined->element->format, examined->got)) return -1;
    if (!holds_divided(solver, examined, factor, &answer)) return -1;
    if (solver_has_seen(solver, examined)) continue;
    bits += evidence_bits(examined, &answer);
    values++;
  }
  for (size_t i = 0; i < solver->right_count; i++) {
    const examined_t *examined = &solver->right[i];
    answer_t answer;
    if (is_fixed(examined->element->format, examined->got)) continue;
    if (!holds_divided(solver, examined, factor, &answer)) return -1;
  }
  return bits > 0 && values >= VALUES_MIN ? bits : -1;
}

void test_factors(solver_t *solver, found_causes_t *found) {
  const double terms = (double)solver->term_count;
  const factor_t factors[] = {{2, "2"},
                              {0.5, "1/2"},
                              {-1, "-1"},
                              {4, "4"},
                              {0.25, "1/4"},
                              {terms, "the number of terms"},
                              {1 / terms, "1 over the number of terms"},
                              {sqrt(terms), "the root of the number of terms"},
                              {1 / sqrt(terms), "1 over the root of the number of terms"}};
  enum { FACTORS_OF_NUMBERS = 5, TERMS_MIN = 3 };
  bool is_due = solver->wrong[0].element->format != NULL && solver_has_one_type(solver) &&
                solver_tests(solver, CAUSE_constant_factor);
  /* A term or two, twice or negated, are as good an explanation. */
  if (!is_due || (solver->is_split && solver->term_count < TERMS_MIN)) return;
  size_t count = solver->is_split ? G_N_ELEMENTS(factors) : FACTORS_OF_NUMBERS;
  for (size_t i = 0; i < count; i++) {
    double bits = test_factor(solver, factors[i].value);
    if (bits < 0) continue;
    note_cause(found, CAUSE_constant_factor, bits, count, factors[i].words);
  }
}
