/* SPDX-License-Identifier: Apache-2.0 */
/* Modules of 8-bit floats against all that a kernel can make of them: each value between two steps
 * is stored, or kept in a wider format, or exactly, at each use anew, and sums are added in every
 * order.  All of that conforms (theory.md, T175 and T298), and little else does; where every way
 * gives one number, nothing else. */
#include <math.h>

#include "tests/ops/module/module_asking.h"

/* ---- All ways -------------------------------------------------------------------------------- */

enum { NUMBERS_MAX = 512 };
typedef struct numbers {
  size_t count;
  double items[NUMBERS_MAX];
} numbers_t;

static void add_number(numbers_t *numbers, double number) {
  for (size_t i = 0; i < numbers->count; i++) {
    if (numbers->items[i] == number) return;
  }
  g_assert_cmpuint(numbers->count, <, NUMBERS_MAX);
  numbers->items[numbers->count++] = number;
}

/* To `precision` bits, and to a multiple of `least`; ties to even. */
static double round_to(double number, int precision, double least) {
  if (number == 0) return 0;
  int exponent;
  frexp(number, &exponent);
  double unit = fmax(ldexp(1, exponent - precision), least);
  return nearbyint(number / unit) * unit;
}

/* What a kernel may have of an exact result: that, and what it is rounded to. */
static void add_ways(const format_t *format, double exact, numbers_t *numbers) {
  double least = ldexp(1, format->exponent_min - format->precision + 1);
  add_number(numbers, exact);
  add_number(numbers, format_round_double(format, exact));
  for (int more = 3; more <= 5; more++) {
    add_number(numbers, round_to(exact, format->precision + more, ldexp(least, -more)));
    add_number(numbers, round_to(exact, format->precision + more, 0));
  }
}

static double apply(char function, double a, double b) {
  switch (function) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '>':
      return fmax(a, b);
    case '<':
      return fmin(a, b);
    default:
      return -a;
  }
}

static bool selects(char function) { return strchr("><n", function) != NULL; }

static numbers_t combine(const format_t *format, char function, const numbers_t *a,
                         const numbers_t *b) {
  numbers_t all = {.count = 0};
  for (size_t i = 0; i < a->count; i++) {
    for (size_t k = 0; k < b->count; k++) {
      double exact = apply(function, a->items[i], b->items[k]);
      if (selects(function)) {
        add_number(&all, exact);
        add_number(&all, format_round_double(format, exact));
      } else {
        add_ways(format, exact, &all);
      }
    }
  }
  return all;
}

static numbers_t one_number(double number) { return (numbers_t){.count = 1, .items = {number}}; }

/* Of three terms, in every order, and each node in every way. */
static numbers_t sum_of_three(const format_t *format, const double terms[3]) {
  numbers_t all = {.count = 0};
  for (int last = 0; last < 3; last++) {
    const numbers_t a = one_number(terms[(last + 1) % 3]), b = one_number(terms[(last + 2) % 3]);
    const numbers_t c = one_number(terms[last]), both = combine(format, '+', &a, &b);
    const numbers_t sums = combine(format, '+', &both, &c);
    for (size_t i = 0; i < sums.count; i++) add_number(&all, sums.items[i]);
  }
  return all;
}

/* ---- Modules --------------------------------------------------------------------------------- */

/* v0 is the sum of a0, of three elements; v1 = v0 f a1, v2 = v1 g a2. */
static const struct {
  char function;
  const char *name;
} functions[] = {{'+', "add"},     {'-', "subtract"}, {'*', "multiply"},
                 {'>', "maximum"}, {'<', "minimum"},  {'n', "negate"}};
enum { FUNCTIONS = G_N_ELEMENTS(functions) };

static char *module_text(const char *type, size_t f, size_t g) {
  static const char *const names[] = {"v1", "v2"};
  const size_t chosen[] = {f, g};
  GString *text = g_string_new(NULL);
  g_string_printf(text,
                  "module steps={v0=constant(%s[],%s);v1=stablehlo.reduce(a0,v0) body=add dims=[0] "
                  "%s[3] %s[] -> %s[];",
                  type, "00", type, type, type);
  for (int i = 0; i < 2; i++) {
    bool is_unary = functions[chosen[i]].function == 'n';
    g_string_append_printf(text, "v%d=stablehlo.%s(%s", i + 2, functions[chosen[i]].name, names[i]);
    if (!is_unary) g_string_append_printf(text, ",a%d", i + 1);
    g_string_append_printf(text, ") %s[] ", type);
    if (!is_unary) g_string_append_printf(text, "%s[] ", type);
    g_string_append_printf(text, "-> %s[];", type);
  }
  g_string_append_printf(text, "return(v3)} %s[3] %s[] %s[] -> %s[]", type, type, type, type);
  return g_string_free(text, FALSE);
}

typedef struct tally {
  unsigned cases, single, reached, accepted;
} tally_t;

/* What is near the largest number is not asked about: sums of magnitudes may overflow. */
static bool may_overflow(const format_t *format, const numbers_t *numbers) {
  double largest = format_to_double(format, format->largest_bits);
  for (size_t i = 0; i < numbers->count; i++) {
    if (fabs(numbers->items[i]) > largest / 2) return true;
  }
  return false;
}

static bool holds(const numbers_t *numbers, double number) {
  for (size_t i = 0; i < numbers->count; i++) {
    if (numbers->items[i] == number) return true;
  }
  return false;
}

/* All patterns of the result's format are asked about. */
static void check_all(asking_t *asking, const format_t *format, const numbers_t *reached,
                      bool is_single, const char *line, tally_t *tally) {
  unsigned accepted = 0;
  for (uint64_t bits = 0; bits < UINT64_C(1) << format->bits; bits++) {
    double number = format_to_double(format, bits);
    if (!isfinite(number) || (number == 0 && bits != 0)) continue; /* Either zero, asked once. */
    bool is_reached = holds(reached, number), conforms = ask(asking, 0, bits).conforms;
    if (number == 0) conforms |= ask(asking, 0, format_from_double(format, -0.0)).conforms;
    if (is_reached && !conforms) g_error("%s: %g is reached, and does not conform", line, number);
    accepted += conforms;
  }
  if (is_single && accepted != 1) g_error("%s: %u instead of one", line, accepted);
  tally->single += is_single;
  tally->reached += (unsigned)reached->count;
  tally->accepted += accepted;
  tally->cases++;
}

/* A number that the format has: a small whole one, or any of some binades. */
static double draw(rng_t *rng, const format_t *format, bool is_whole) {
  if (is_whole) return (double)rng_between(rng, -3, 3);
  double number = ldexp((double)rng_between(rng, -15, 15), (int)rng_between(rng, -12, 0));
  return format_round_double(format, number);
}

static void check_case(rng_t *rng, const char *type, bool is_whole, tally_t *tally) {
  const format_t *format = element_named(type)->format;
  size_t f = rng_below(rng, FUNCTIONS), g = rng_below(rng, FUNCTIONS);
  g_autofree char *line = module_text(type, f, g);
  asking_t asking;
  const char *contract = "backend,intermediates=wider,init_count=1";
  const char *flushing = "backend,intermediates=wider,init_count=1,ftz=both";
  bool flushes = is_whole && rng_one_in(rng, 2); /* Whole numbers are not subnormal. */
  ask_begin(&asking, line, flushes ? flushing : contract);
  double terms[3], others[2];
  for (size_t i = 0; i < 3; i++) {
    terms[i] = draw(rng, format, is_whole);
    set_operand(&asking, 0, i, format_from_double(format, terms[i]));
  }
  for (uint32_t i = 0; i < 2; i++) {
    others[i] = draw(rng, format, is_whole);
    set_operand(&asking, i + 1, 0, format_from_double(format, others[i]));
  }
  const numbers_t a1 = one_number(others[0]), a2 = one_number(others[1]);
  const numbers_t v0 = sum_of_three(format, terms);
  const numbers_t v1 = combine(format, functions[f].function, &v0, &a1);
  const numbers_t v2 = combine(format, functions[g].function, &v1, &a2);
  numbers_t reached = {.count = 0};
  for (size_t i = 0; i < v2.count; i++) {
    add_number(&reached, format_round_double(format, v2.items[i]));
  }
  if (may_overflow(format, &v0) || may_overflow(format, &v1) || may_overflow(format, &v2)) {
    ask_end(&asking);
    return;
  }
  bool is_single = is_whole && v0.count == 1 && v1.count == 1 && v2.count == 1;
  check_all(&asking, format, &reached, is_single, line, tally);
  ask_end(&asking);
}

/* Of whole numbers every way gives one number, unless a product or sum has too many bits, and the
 * sets hold hardly more; of others sums of three terms have bounds, not sets. */
static void test_all_ways(void) {
  static const char *const types[] = {"f8E4M3FN", "f8E5M2", "f8E3M4"};
  for (size_t i = 0; i < 2 * G_N_ELEMENTS(types); i++) {
    rng_t rng = rng_make(i + 1);
    tally_t tally = {.cases = 0};
    bool is_whole = i % 2 == 0;
    for (int k = 0; k < 400; k++) check_case(&rng, types[i / 2], is_whole, &tally);
    g_test_message("%s, %s: %u of %u cases have one result; %u are reached, %u accepted",
                   types[i / 2], is_whole ? "whole" : "any", tally.single, tally.cases,
                   tally.reached, tally.accepted);
    g_assert_cmpuint(tally.cases, >, 300);
    g_assert_cmpuint(is_whole ? 10 * tally.accepted : tally.accepted, <=,
                     (is_whole ? 11 : 5) * tally.reached);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/module-kept/all-ways", test_all_ways);
  return g_test_run();
}
