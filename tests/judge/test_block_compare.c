/* SPDX-License-Identifier: Apache-2.0 */
/* The fast side: what it accepts unasked, and the measures. */
#include <math.h>

#include "harness/base/rng.h"
#include "tests/judge/judge_fixture.h"

static const double infinity = INFINITY;

/* One component against one fast set. */
typedef struct fast_row {
  const char *name;
  double value;
  double low, high;
  bool has_pattern; /* The pattern of `pattern_value` is in the set too. */
  double pattern_value;
  bool always_ask;
  bool is_asked; /* Expected. */
} fast_row_t;

static const fast_row_t rows[] = {
    {"inside", 1.5, 1, 2, false, 0, false, false},
    {"low_end", 1, 1, 2, false, 0, false, false},
    {"high_end", 2, 1, 2, false, 0, false, false},
    {"below", 0.5, 1, 2, false, 0, false, true},
    {"above", 2.5, 1, 2, false, 0, false, true},
    {"empty_set", 1.5, 2, 1, false, 0, false, true},
    {"positive_zero", 0.0, -1, 1, false, 0, false, false},
    {"negative_zero", -0.0, -1, 1, false, 0, false, true},
    {"negative_zero_pattern", -0.0, -1, 1, true, -0.0, false, false},
    {"positive_zero_for_negative", 0.0, 2, 1, true, -0.0, false, true},
    {"nan", NAN, -infinity, infinity, false, 0, false, true},
    {"nan_pattern", NAN, 2, 1, true, NAN, false, false},
    {"infinity_in_range", infinity, -infinity, infinity, false, 0, false, true},
    {"negative_infinity_in_range", -infinity, -infinity, infinity, false, 0, false, true},
    {"infinity_pattern", infinity, 2, 1, true, infinity, false, false},
    {"pattern_beside_range", 7, 1, 2, true, 7, false, false},
    {"other_pattern", 7, 1, 2, true, 8, false, true},
    {"always_ask", 1.5, 1, 2, true, 1.5, true, true},
};

/* Every row, for every element type that can hold its numbers, at every place in and after a block.
 */
static void test_row(gconstpointer data) {
  const fast_row_t *row = data;
  static const char *const elements[] = {"f32", "f64", "f16", "bf16", "f8E5M2", "complex<f64>"};
  static const size_t places[] = {0, 1, 7, 8, 255, 256, 263, 599};
  enum { COUNT = 600 };
  for (size_t i = 0; i < G_N_ELEMENTS(elements); i++) {
    for (size_t j = 0; j < G_N_ELEMENTS(places); j++) {
      fixture_t *fixture = fixture_new(elements[i], COUNT);
      const format_t *format = fixture->result.type.element->format;
      double low[COUNT], high[COUNT];
      uint64_t bits[COUNT];
      uint8_t decide[COUNT] = {0};
      for (size_t k = 0; k < COUNT; k++) { /* All but the row's component conform. */
        fixture_set_value(fixture, k, 3);
        low[k] = high[k] = 3;
        bits[k] = format_from_double(format, 4);
        fixture->scripts[k].answer.conforms = true;
      }
      size_t place = places[j];
      fixture_set_value(fixture, place, row->value);
      low[place] = row->low;
      high[place] = row->high;
      if (row->has_pattern) bits[place] = format_from_double(format, row->pattern_value);
      decide[place] = row->always_ask ? 1 : 0;
      fixture->accept.low = low;
      fixture->accept.high = high;
      if (row->has_pattern) fixture->accept.bits = bits;
      if (row->always_ask) fixture->accept.decide = decide;
      g_assert_cmpint(fixture_judge(fixture)->outcome, ==, OUTCOME_conforms);
      g_assert_cmpint(fixture->scripts[place].asked, ==, row->is_asked);
      g_assert_cmpint(fixture_asked(fixture), ==, row->is_asked);
      fixture_free(fixture);
    }
  }
}

/* Patterns alone, for every element type: an equal one passes, one that differs in any bit is asked
 * about. */
static void test_patterns(void) {
  for (size_t i = 0; i < element_count; i++) {
    const element_t *element = &element_table[i];
    if (!element->is_tensor_element) continue;
    fixture_t *fixture = fixture_new(element->name, 2 * 64);
    uint64_t bits[2 * 64];
    for (size_t k = 0; k < G_N_ELEMENTS(bits); k++) {
      bits[k] = (UINT64_C(0x9e3779b97f4a7c15) * k) & element_mask(element);
      bool differs = k % 2 == 1;
      fixture_set_bits(fixture, k,
                       bits[k] ^ (differs ? UINT64_C(1) << (k / 2 % element->bits) : 0));
      fixture->scripts[k].answer.conforms = true;
    }
    fixture->accept.bits = bits;
    fixture_judge(fixture);
    for (size_t k = 0; k < G_N_ELEMENTS(bits); k++) {
      g_assert_cmpint(fixture->scripts[k].asked, ==, k % 2);
    }
    fixture_free(fixture);
  }
}

/* Every pattern of a narrow float is in the fast set of just its value, unless it is special. */
static void test_narrow_floats(void) {
  for (size_t i = 0; i < element_count; i++) {
    const element_t *element = &element_table[i];
    if (element->kind != ELEMENT_FLOAT || element->bits > 8) continue;
    size_t count = (size_t)1 << element->bits;
    fixture_t *fixture = fixture_new(element->name, count);
    double value[256];
    for (size_t bits = 0; bits < count; bits++) {
      fixture_set_bits(fixture, bits, bits);
      value[bits] = format_to_double(element->format, bits);
      fixture->scripts[bits].answer.conforms = true;
    }
    fixture->accept.low = fixture->accept.high = value;
    fixture_judge(fixture);
    for (size_t bits = 0; bits < count; bits++) {
      bool is_plain = isfinite(value[bits]) && !(value[bits] == 0 && signbit(value[bits]));
      g_assert_cmpint(fixture->scripts[bits].asked, ==, !is_plain);
    }
    fixture_free(fixture);
  }
}

/* What the set names beside its interval, which is empty or not, and what it always asks about. */
static void test_specials(void) {
  static const char *const elements[] = {"f32", "f64", "f16", "bf16", "f8E5M2", "complex<f64>"};
  static const double values[] = {NAN, INFINITY, -INFINITY, -0.0, 0.0, 1, -1};
  enum { COUNT = 600 };
  rng_t rng = rng_make(9);
  for (size_t e = 0; e < G_N_ELEMENTS(elements); e++) {
    fixture_t *fixture = fixture_new(elements[e], COUNT);
    const element_t *element = fixture->result.type.element;
    double low[COUNT], high[COUNT];
    uint8_t specials[COUNT], decide[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
      fixture_set_value(fixture, i, values[rng_below(&rng, G_N_ELEMENTS(values))]);
      low[i] = rng_one_in(&rng, 2) ? 1 : -1;
      high[i] = -low[i];
      specials[i] = (uint8_t)rng_below(&rng, 16);
      decide[i] = rng_one_in(&rng, 8);
      fixture->scripts[i].answer.conforms = true;
    }
    fixture->accept.low = low;
    fixture->accept.high = high;
    fixture->accept.specials = specials;
    fixture->accept.decide = decide;
    g_assert_cmpint(fixture_judge(fixture)->outcome, ==, OUTCOME_conforms);
    size_t held = 0;
    for (size_t i = 0; i < COUNT; i++) {
      uint64_t bits = element_load(element, fixture->result.data, i);
      bool is_held = accept_holds(&fixture->accept, element, i, bits);
      g_assert_cmpint(fixture->scripts[i].asked, ==, !is_held);
      held += is_held;
    }
    g_assert_cmpuint(held, >, COUNT / 8);
    g_assert_cmpuint(held, <, COUNT - COUNT / 8);
    fixture_free(fixture);
  }
}

/* The arrays of a fast set with a reference, filled at random. */
typedef struct measured {
  double low[FIXTURE_COMPONENTS_MAX], high[FIXTURE_COMPONENTS_MAX];
  double reference[FIXTURE_COMPONENTS_MAX], tail[FIXTURE_COMPONENTS_MAX];
  double magnitude[FIXTURE_COMPONENTS_MAX];
  uint8_t decide[FIXTURE_COMPONENTS_MAX];
} measured_t;

static void draw_component(fixture_t *fixture, measured_t *measured, size_t i, rng_t *rng) {
  const format_t *format = fixture->result.type.element->format;
  int smallest = MAX(format->exponent_min - 6, -960); /* Below, bounds are inexact themselves. */
  int binade = (int)rng_between(rng, smallest, format->exponent_max - 1);
  double reference = ldexp(1 + 0x1p-53 * (double)(rng_bits(rng) >> 11), binade);
  if (rng_one_in(rng, 2)) reference = -reference;
  double ulp = ldexp(1, format_ulp_exponent(format, binade));
  double got = format_round_double(format, reference + ulp * (double)rng_between(rng, -3, 3));
  fixture_set_value(fixture, i, got);
  measured->low[i] = -infinity;
  measured->high[i] = infinity;
  measured->reference[i] = rng_one_in(rng, 5) ? (double)NAN : reference;
  measured->tail[i] = reference * 0x1p-54;
  measured->magnitude[i] = fabs(reference) * (double)rng_between(rng, 1, 9);
  measured->decide[i] = rng_one_in(rng, 6);
  fixture->scripts[i].answer.conforms = true;
}

/* The measures again, one component at a time, by their definitions. */
static void expect_measures(const fixture_t *fixture, double out_measures[3]) {
  const accept_t *accept = &fixture->accept;
  const element_t *element = fixture->result.type.element;
  for (size_t i = 0; i < accept->count; i++) {
    double reference = accept->reference[i];
    if (isnan(reference) || (accept->decide != NULL && accept->decide[i])) continue;
    double got = format_to_double(element->format, element_load(element, fixture->result.data, i));
    double error = got - reference;
    if (accept->reference_tail != NULL) error -= accept->reference_tail[i];
    error = fabs(error);
    int binade = reference == 0 ? -100000 : ilogb(reference);
    double ulps = ldexp(error, -format_ulp_exponent(element->format, binade));
    out_measures[0] = fmax(out_measures[0], ulps);
    if (accept->magnitude == NULL) continue;
    double bound = accept->bound_factor * accept->magnitude[i] + accept->bound_offset;
    out_measures[1] = fmax(out_measures[1], error / bound);
    out_measures[2] = fmax(out_measures[2], error / accept->magnitude[i] / accept->unit_roundoff);
  }
}

static bool is_close(double a, double b) { return a == b || fabs(a - b) <= 1e-14 * fabs(b); }

static void test_measures(void) {
  static const char *const elements[] = {"f32", "f64", "bf16", "f16", "f8E4M3FN", "complex<f32>"};
  static const size_t counts[] = {2, 6, 8, 14, 256, 258, 700};
  rng_t rng = rng_make(9);
  measured_t *measured = g_new0(measured_t, 1);
  for (size_t round = 0; round < 16 * G_N_ELEMENTS(elements) * G_N_ELEMENTS(counts); round++) {
    const char *element = elements[round / 16 % G_N_ELEMENTS(elements)];
    fixture_t *fixture = fixture_new(element, counts[round / 16 / G_N_ELEMENTS(elements)]);
    accept_t *accept = &fixture->accept;
    for (size_t i = 0; i < accept->count; i++) draw_component(fixture, measured, i, &rng);
    accept->low = measured->low;
    accept->high = measured->high;
    accept->reference = measured->reference;
    accept->reference_tail = round & 1 ? measured->tail : NULL;
    accept->decide = round & 2 ? measured->decide : NULL;
    accept->magnitude = round & 4 ? measured->magnitude : NULL;
    accept->bound_factor = 0x1.3p-9;
    accept->bound_offset = round & 8 ? measured->magnitude[0] * 0x1p-12 : 0;
    accept->unit_roundoff = 0x1p-8;
    const verdict_t *verdict = fixture_judge(fixture);
    double expected[3] = {0};
    expect_measures(fixture, expected);
    /* What conforms has used up no more than is permitted, by whichever variant. */
    if (verdict->outcome != OUTCOME_diverges) expected[1] = fmin(expected[1], 1);
    g_assert_true(is_close(verdict->ulp_error_max, expected[0]));
    g_assert_true(is_close(verdict->slack_max, expected[1]));
    g_assert_true(is_close(verdict->backward_error_max, expected[2]));
    fixture_free(fixture);
  }
  g_free(measured);
}

/* Measures at the edges, one component each. */
typedef struct edge {
  const char *element;
  double value, reference, tail, magnitude, factor, offset;
  double ulp_error, slack, backward_error;
} edge_t;

static const edge_t edges[] = {
    {"f32", 0x1p-149, 0, 0, 1, 1, 0, 1, 0x1p-149, 0x1p-149}, /* x* = 0. */
    {"f32", 0x1p-126, 0x1.8p-126, 0, 1, 0x1p-100, 0, 0x1p22, 0x1p-27, 0x1p-127},
    {"f32", 1, 1, 0, 4, 0, 0, 0, 0, 0},                  /* E = 0 and got = x*. */
    {"f32", 1, 2, 0, 4, 0, 0, 0x1p22, 1, 0.25},          /* E = 0, and conforms all the same. */
    {"f32", 0, 0, 0, 0, 1, 0, 0, 0, 0},                  /* No terms. */
    {"f32", INFINITY, 1, 0, 1, 1, 0, 0, 0, 0},           /* Not finite: the oracle measures it. */
    {"f32", 1, 0x1p200, 0, 0x1p200, 1, 0, 0x1p23, 1, 1}, /* x* above f32. */
    {"f64", 1, 1, 0x1p-55, 1, 1, 0, 0x1p-3, 0x1p-55, 0x1p-55}, /* The tail alone. */
    {"f64", 0x1p-1074, 0x1p-1073, 0, 1, 1, 0, 1, 0x1p-1074, 0x1p-1074},
    {"f64", 0x1.8p1023, 0x1p1023, 0, 0x1p1023, 1, 0, 0x1p51, 0.5, 0.5},
    {"f64", 3, 1, 0, 4, 0.25, 1, 0x1p53, 1, 0.5}, /* Both parts of E. */
};

static void test_edge(gconstpointer data) {
  const edge_t *edge = data;
  fixture_t *fixture = fixture_new(edge->element, 1);
  fixture_set_value(fixture, 0, edge->value);
  fixture->scripts[0].answer.conforms = true;
  accept_t *accept = &fixture->accept;
  accept->reference = &edge->reference;
  accept->reference_tail = &edge->tail;
  accept->magnitude = &edge->magnitude;
  accept->bound_factor = edge->factor;
  accept->bound_offset = edge->offset;
  accept->unit_roundoff = 1;
  const verdict_t *verdict = fixture_judge(fixture);
  g_assert_cmpfloat(verdict->ulp_error_max, ==, edge->ulp_error);
  g_assert_cmpfloat(verdict->slack_max, ==, edge->slack);
  g_assert_cmpfloat(verdict->backward_error_max, ==, edge->backward_error);
  fixture_free(fixture);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    char *path = g_strdup_printf("/block_compare/row/%s", rows[i].name);
    g_test_add_data_func(path, &rows[i], test_row);
    g_free(path);
  }
  g_test_add_func("/block_compare/patterns", test_patterns);
  g_test_add_func("/block_compare/narrow_floats", test_narrow_floats);
  g_test_add_func("/block_compare/specials", test_specials);
  g_test_add_func("/block_compare/measures", test_measures);
  for (size_t i = 0; i < G_N_ELEMENTS(edges); i++) {
    char *path = g_strdup_printf("/block_compare/edge/%zu", i);
    g_test_add_data_func(path, &edges[i], test_edge);
    g_free(path);
  }
  return g_test_run();
}
