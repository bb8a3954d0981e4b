/* SPDX-License-Identifier: Apache-2.0 */
/* Float sums of more terms than trees are enumerated for, where no order rounds though the sum of
 * magnitudes has more bits than the type (theory.md, T300), or where little can be flushed (T301):
 * against all that any order gives. */
#include <math.h>

#include "tests/ops/module/module_asking.h"

enum { TERMS = 20, OTHERS = 6 };

/* Numbers of f8E4M3FN in units of its smallest one, 2^-9; below NORMAL of them they are subnormal.
 */
enum { NORMAL = 8, UNITS_MAX = 32 };

/* By number of units from -UNITS_MAX on. */
typedef struct reached {
  bool has[2 * UNITS_MAX + 1];
} reached_t;

/* How many patterns conform, of zeros one; all that are reached do. */
static unsigned count_accepted(asking_t *asking, const reached_t *reached) {
  const format_t *format = asking->instance.program.results[0].element->format;
  unsigned accepted = 0;
  for (uint64_t bits = 0; bits < UINT64_C(1) << format->bits; bits++) {
    double number = format_to_double(format, bits), units = ldexp(number, 9);
    if (!isfinite(number) || (number == 0 && signbit(number))) continue;
    bool conforms = ask(asking, 0, bits).conforms;
    if (number == 0) conforms |= ask(asking, 0, format_from_double(format, -0.0)).conforms;
    bool is_near = fabs(units) <= (double)UNITS_MAX;
    if (is_near && reached->has[(int)units + UNITS_MAX] && !conforms) g_error("%g", number);
    accepted += conforms;
  }
  return accepted;
}

static void set_term(asking_t *asking, size_t term, double number) {
  const format_t *format = asking->instance.program.operands[0].element->format;
  set_operand(asking, 0, term, format_from_double(format, number));
}

/* Up to 16 of either sign, of whole numbers: every partial sum has 4 bits. */
static void test_signs(void) {
  rng_t rng = rng_make(1);
  unsigned beyond = 0;
  for (int i = 0; i < 200; i++) {
    asking_t asking;
    ask_begin(&asking, "stablehlo.reduce body=add dims=[0] f8E4M3FN[20] f8E4M3FN[] -> f8E4M3FN[]",
              i % 2 == 0 ? "backend" : "backend,ftz=both");
    double of_sign[2] = {0, 0};
    for (size_t t = 0; t < TERMS; t++) {
      double size = (double)rng_between(&rng, 0, 2);
      bool is_negative = rng_one_in(&rng, 2);
      if (of_sign[is_negative] + size > 16) size = 0;
      of_sign[is_negative] += size;
      set_term(&asking, t, is_negative ? -size : size);
    }
    beyond += of_sign[0] + of_sign[1] > 16;
    const reached_t none = {{false}};
    g_assert_cmpuint(count_accepted(&asking, &none), ==, 1);
    ask_end(&asking);
  }
  g_assert_cmpuint(beyond, >, 50);
}

static void add_flushed(reached_t *reached, int units) {
  reached->has[units + UNITS_MAX] = true;
  if (abs(units) < NORMAL) reached->has[UNITS_MAX] = true;
}

static void add_sums(const reached_t *left, const reached_t *right, reached_t *inout) {
  for (int a = 0; a <= 2 * UNITS_MAX; a++) {
    for (int b = 0; b <= 2 * UNITS_MAX && left->has[a]; b++) {
      if (right->has[b]) add_flushed(inout, a + b - 2 * UNITS_MAX);
    }
  }
}

/* Of all trees over these terms, whose sums have few bits. */
static reached_t reach(const int terms[OTHERS]) {
  reached_t of_set[1 << OTHERS] = {{{false}}};
  for (unsigned set = 1; set < 1 << OTHERS; set++) {
    for (unsigned part = (set - 1) & set; part != 0; part = (part - 1) & set) {
      add_sums(&of_set[part], &of_set[set ^ part], &of_set[set]);
    }
    for (int i = 0; i < OTHERS; i++) {
      if (set == 1U << i) add_flushed(&of_set[set], terms[i]);
    }
  }
  return of_set[(1 << OTHERS) - 1];
}

/* Few terms that are not zero, and many zeros. */
static void test_flushed(void) {
  static const int rows[][OTHERS] = {{3},        {5, 2},           {7, -3},
                                     {9, -6, 2}, {12, -10, 4, -3}, {8, 8, -4}};
  unsigned accepted = 0, all = 0;
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    asking_t asking;
    ask_begin(&asking, "stablehlo.reduce body=add dims=[0] f8E4M3FN[20] f8E4M3FN[] -> f8E4M3FN[]",
              "backend,ftz=both,init_count=1");
    for (size_t t = 0; t < TERMS; t++) {
      set_term(&asking, t, t < OTHERS ? ldexp(rows[i][t], -9) : 0);
    }
    const reached_t reached = reach(rows[i]);
    unsigned of_row = count_accepted(&asking, &reached);
    accepted += of_row;
    for (int k = 0; k <= 2 * UNITS_MAX; k++) all += reached.has[k];
    ask_end(&asking);
  }
  g_test_message("%u are reached, %u conform", all, accepted);
  g_assert_cmpuint(accepted, <=, 5 * all);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/exact-sums/signs", test_signs);
  g_test_add_func("/exact-sums/flushed", test_flushed);
  return g_test_run();
}
