/* SPDX-License-Identifier: Apache-2.0 */
/* A sum of one element type, with its input as the data to look at. */
#ifndef ASSAY_TESTS_GEN_REGIME_FIXTURE_H
#define ASSAY_TESTS_GEN_REGIME_FIXTURE_H

#include "harness/gen/gen.h"

enum { ROWS = 8, COLUMNS = 32, COUNT = ROWS * COLUMNS, DRAWS = 200 };

typedef struct fixture {
  arena_t arena;
  rng_t rng;
  case_t instance;
  const element_t *element;
} fixture_t;

static inline void fixture_init(fixture_t *fixture, const element_t *element, const char *result) {
  arena_init(&fixture->arena);
  fixture->rng = rng_make(1);
  fixture->element = element;
  g_autofree char *line = g_strdup_printf(
      "stablehlo.reduce body=add dims=[1] %s[%d,%d] %s[] -> "
      "%s[%d]",
      element->name, ROWS, COLUMNS, element->name, result, ROWS);
  program_t program;
  failure_t error = {.text = ""};
  status_t status = program_parse(str_from(line), &fixture->arena, &program, NULL, &error);
  g_assert_cmpstr(error.text, ==, "");
  g_assert_cmpint(status, ==, STATUS_OK);
  fixture->instance = case_make(&fixture->arena, &program);
}

static inline uint64_t input_bits(const fixture_t *fixture, size_t index) {
  return element_load(fixture->element, fixture->instance.operands[0].data, index);
}

static inline double input_value(const fixture_t *fixture, size_t index) {
  uint64_t bits = input_bits(fixture, index);
  return fixture->element->format == NULL ? (double)element_signed_value(fixture->element, bits)
                                          : format_to_double(fixture->element->format, bits);
}

static inline size_t input_count(const fixture_t *fixture) {
  return type_component_count(&fixture->instance.operands[0].type);
}

/* Draws in a regime.  Integers that were numbered along the reduced dimension instead, as any
 * integer operand sometimes is, are drawn again. */
static inline void draw_input(fixture_t *fixture, gen_regime_t regime) {
  bool is_numbered;
  do {
    gen_data_in_regime(&fixture->rng, regime, &fixture->instance);
    is_numbered = element_is_integer(fixture->element);
    uint64_t mask = element_mask(fixture->element);
    for (size_t c = 0; c < input_count(fixture); c++) {
      is_numbered &= input_bits(fixture, c) == (c % COLUMNS & mask);
    }
  } while (is_numbered);
}

typedef void check_t(fixture_t *fixture, gen_regime_t regime);

/* Runs a check for every element type that has the given kind of values. */
static inline void for_each_element(gen_regime_t regime, bool floats, bool integers,
                                    check_t *check) {
  for (size_t e = 0; e < element_count; e++) {
    const element_t *element = &element_table[e];
    bool wanted = element->format != NULL ? floats : integers;
    if (!element->is_tensor_element || !wanted) continue;
    g_test_message("%s", element->name);
    fixture_t fixture;
    fixture_init(&fixture, element, element->name);
    check(&fixture, regime);
    arena_deinit(&fixture.arena);
  }
}

#endif
