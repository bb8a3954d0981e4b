/* SPDX-License-Identifier: Apache-2.0 */
/* Sums in order that are converted to another type at last: the conversions of what trees give
 * conform, and their neighbours do not.  Trees are tried here one by one. */
#include <glib.h>
#include <math.h>

#include "harness/base/rng.h"
#include "oracles/exact/sum/problem.h"

enum { TERMS_MAX = 5, VALUES_MAX = 4096 };

typedef struct values {
  size_t count;
  double items[VALUES_MAX];
} values_t;

typedef struct sum {
  const format_t *format;
  size_t count;
  double terms[TERMS_MAX];
} sum_t;

static void add_value(values_t *values, double value) {
  for (size_t i = 0; i < values->count; i++) {
    if (values->items[i] == value) return;
  }
  g_assert_cmpuint(values->count, <, VALUES_MAX);
  values->items[values->count++] = value;
}

static void add_trees(const sum_t *sum, size_t begin, size_t end, values_t *out) {
  if (end - begin == 1) add_value(out, sum->terms[begin]);
  for (size_t middle = begin + 1; middle < end; middle++) {
    values_t *left = g_new0(values_t, 1), *right = g_new0(values_t, 1);
    add_trees(sum, begin, middle, left);
    add_trees(sum, middle, end, right);
    for (size_t i = 0; i < left->count * right->count; i++) {
      double node = left->items[i % left->count] + right->items[i / left->count];
      add_value(out, format_round_double(sum->format, node));
    }
    g_free(left);
    g_free(right);
  }
}

static answer_t answer_of(const sum_t *sum, const format_t *result, double value,
                          const contract_t *contract, bool is_brief, arena_t *arena) {
  const sum_problem_t question = {.format = sum->format,
                                  .count = sum->count,
                                  .left = sum->terms,
                                  .left_format = sum->format,
                                  .right_format = sum->format,
                                  .has_init = true,
                                  .result = result,
                                  .is_brief = is_brief};
  answer_t answer;
  failure_t error;
  uint64_t bits = format_from_double(result, value);
  g_assert_cmpint(sum_answer(&question, contract, bits, arena, &answer, &error), ==, STATUS_OK);
  arena_reset(arena);
  return answer;
}

static bool conforms(const sum_t *sum, const format_t *result, double value, arena_t *arena) {
  contract_t contract;
  g_assert_cmpint(contract_parse(str_from("spec"), &contract, NULL), ==, STATUS_OK);
  return answer_of(sum, result, value, &contract, false, arena).conforms;
}

/* Near a half-way point of the result's type, so that orders differ after the conversion too. */
static sum_t draw_sum(rng_t *rng, const format_t *format, const format_t *result) {
  sum_t sum = {.format = format, .count = 2 + rng_below(rng, TERMS_MAX - 1)};
  for (size_t i = 0; i < sum.count; i++) {
    double term = 1 + (double)rng_below(rng, 1 << 20) * 0x1p-20;
    term = ldexp(rng_one_in(rng, 2) ? -term : term, (int)rng_between(rng, -2, 2));
    if (rng_one_in(rng, 2)) {
      term = ldexp(1 + 0.5 * format_round_double(result, term), -result->precision);
    }
    sum.terms[i] = format_round_double(format, term);
  }
  if (sum.count > 2) sum.terms[sum.count - 1] = -sum.terms[0];
  return sum;
}

static void check_sum(const sum_t *sum, const format_t *result, arena_t *arena) {
  values_t *values = g_new0(values_t, 1);
  add_trees(sum, 0, sum->count, values);
  for (size_t i = 0; i < values->count; i++) {
    enum { NEIGHBOURS = 3 };
    uint64_t bits = format_from_double(result, values->items[i]);
    int64_t middle = format_ordinal(result, bits);
    for (int64_t k = -NEIGHBOURS; k <= NEIGHBOURS; k++) {
      double value = format_to_double(result, format_from_ordinal(result, middle + k));
      if (value == 0 || !isfinite(value)) continue;
      bool is_reached = false;
      for (size_t j = 0; j < values->count; j++) {
        is_reached |= format_round_double(result, values->items[j]) == value;
      }
      bool is_right = conforms(sum, result, value, arena) == is_reached;
      g_assert_true(is_right);
      if (is_right) continue;
      g_test_message("%s to %s, %zu terms, %a: %s", sum->format->name, result->name, sum->count,
                     value, is_reached ? "refused" : "accepted");
    }
  }
  g_free(values);
}

static void test_in_order(void) {
  enum { CASES = 150 };
  static const struct {
    int format, result;
  } types[] = {{FORMAT_f32, FORMAT_bf16}, {FORMAT_f32, FORMAT_f16},   {FORMAT_f64, FORMAT_f32},
               {FORMAT_f16, FORMAT_bf16}, {FORMAT_bf16, FORMAT_f16},  {FORMAT_bf16, FORMAT_f32},
               {FORMAT_f16, FORMAT_f32},  {FORMAT_f16, FORMAT_f8E5M2}};
  rng_t rng = rng_make(3);
  arena_t arena;
  arena_init(&arena);
  for (int i = 0; i < CASES; i++) {
    size_t row = (size_t)i % G_N_ELEMENTS(types);
    const format_t *result = &format_table[types[row].result];
    const sum_t sum = draw_sum(&rng, &format_table[types[row].format], result);
    check_sum(&sum, result, &arena);
  }
  arena_deinit(&arena);
}

/* An answer without words is the same answer, and has the words of what does not conform; also
 * where the patterns of a short type are asked one by one, which may take back what the bound
 * permits. */
static void test_brief(void) {
  enum { CASES = 200, NEIGHBOURS = 6 };
  static const struct {
    int format, result;
  } types[] = {{FORMAT_f8E4M3FN, FORMAT_f16},
               {FORMAT_f8E4M3FN, FORMAT_f8E5M2},
               {FORMAT_f8E5M2, FORMAT_f8E4M3},
               {FORMAT_f8E4M3, FORMAT_f8E3M4}};
  contract_t contract;
  g_assert_cmpint(contract_parse(str_from("backend,ftz=none,zero_sign=strict"), &contract, NULL),
                  ==, STATUS_OK);
  rng_t rng = rng_make(4);
  arena_t arena;
  arena_init(&arena);
  size_t wrong = 0, right = 0;
  for (int i = 0; i < CASES; i++) {
    size_t row = (size_t)i % G_N_ELEMENTS(types);
    const format_t *format = &format_table[types[row].format];
    const format_t *result = &format_table[types[row].result];
    const sum_t sum = draw_sum(&rng, format, result);
    double exact = 0;
    for (size_t t = 0; t < sum.count; t++) exact += sum.terms[t];
    int64_t middle = format_ordinal(result, format_from_double(result, exact));
    for (int64_t k = -NEIGHBOURS; k <= NEIGHBOURS; k++) {
      double value = format_to_double(result, format_from_ordinal(result, middle + k));
      if (value == 0 || !isfinite(value)) continue;
      const answer_t whole = answer_of(&sum, result, value, &contract, false, &arena);
      const answer_t brief = answer_of(&sum, result, value, &contract, true, &arena);
      g_assert_cmpint(brief.conforms, ==, whole.conforms);
      g_assert_true(brief.slack == whole.slack && brief.ulp_error == whole.ulp_error);
      right += whole.conforms;
      wrong += !whole.conforms;
      if (!whole.conforms) g_assert_cmpstr(brief.expected, ==, whole.expected);
    }
  }
  g_assert_cmpuint(right, >, CASES);
  g_assert_cmpuint(wrong, >, CASES);
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_func("/converted-sums/in-order", test_in_order);
  g_test_add_func("/converted-sums/brief", test_brief);
  return g_test_run();
}
