/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers at places that integers give, of declared ops (oracles/theory.md, T201), against plain C.
 */
#include "tests/ops/declared/declared_file.h"

#define HEAD "op a.b\nsummary s\n"

/* A case with the sizes of `dims`, three of each tensor, 0 for none. */
static case_t make_case(const declaration_t *declaration, const char *const types[],
                        const int64_t dims[][3], arena_t *arena) {
  program_t program = {.op = &declaration->op,
                       .operand_count = declaration->operand_count,
                       .result_count = declaration->result_count};
  for (uint32_t i = 0; i < program.operand_count + program.result_count; i++) {
    uint32_t rank = 0;
    while (rank < 3 && dims[i][rank] > 0) rank++;
    const type_t type = type_make(element_named(types[i]), rank, dims[i]);
    if (i < program.operand_count) program.operands[i] = type;
    if (i >= program.operand_count) program.results[i - program.operand_count] = type;
  }
  g_assert_cmpstr(program_broken_id(&program), ==, NULL);
  return case_make(arena, &program);
}

/* Every element has a number of its own, so that any other place shows. */
static void fill(const tensor_t *tensor, uint64_t first) {
  const size_t count = type_component_count(&tensor->type);
  for (size_t i = 0; i < count; i++) {
    const element_t *element = tensor->type.element;
    double value = (double)(first + i);
    element_store(element, tensor->data, i,
                  element->format == NULL ? first + i : format_from_double(element->format, value));
  }
}

static int64_t load(const tensor_t *tensor, size_t i) {
  return element_signed_value(tensor->type.element,
                              element_load(tensor->type.element, tensor->data, i));
}

static uint64_t pattern(const element_t *element, double value) {
  return element->format == NULL ? (uint64_t)value : format_from_double(element->format, value);
}

/* table[V, D] at ids[S]: those beyond the ends are cut to them, or not known. */
static void test_rows(gconstpointer data) {
  enum { V = 7, D = 5, S = 11 };
  static const int64_t places[S] = {0, 6, 3, 1, 5, -1, 7, 100, INT32_MIN, INT32_MAX, 2};
  static const int64_t dims[][3] = {{V, D}, {S}, {S, D}};
  const char *type = data;
  for (int bounded = 0; bounded < 2; bounded++) {
    g_autofree char *text = g_strdup_printf(
        HEAD
        "operand table[V, D]%s\noperand ids[S] i32%s\nresult y[S, D]%s\n"
        "y = table[V=ids]\n",
        type[0] == 'i' ? " i16" : "", bounded ? " below V" : "", type[0] == 'i' ? " i16" : "");
    declaration_t *declaration = declare(text);
    arena_t arena;
    arena_init(&arena);
    const char *const types[] = {type, "i32", type};
    const case_t instance = make_case(declaration, types, dims, &arena);
    const element_t *element = element_named(type);
    fill(&instance.operands[0], 100);
    for (size_t s = 0; s < S; s++) {
      element_store(element_named("i32"), instance.operands[1].data, s,
                    (uint64_t)places[s] & 0xffffffff);
    }
    question_t question = ask(&instance, "spec", &arena);
    for (size_t i = 0; i < S * D; i++) {
      int64_t place = places[i / D];
      bool is_outside = place < 0 || place >= V, any = bounded && is_outside;
      size_t row = (size_t)CLAMP(place, 0, V - 1);
      for (size_t k = 0; k < V * D; k++) {
        bool is_it = k == row * D + i % D;
        g_assert_cmpint(is_taken(&question, 0, i, pattern(element, 100 + (double)k)), ==,
                        is_it || any);
      }
    }
    end(&question);
    arena_deinit(&arena);
    release(declaration);
  }
}

/* Along the index that is gathered, with a batch, by places that are computed. */
static void test_along(void) {
  enum { B = 3, N = 6, M = 4 };
  static const int64_t dims[][3] = {{B, N}, {B, M}, {B, M}, {B, M}};
  declaration_t *declaration =
      declare(HEAD
              "operand x[B, N]\noperand ids[B, M] ui8\nresult y[B, M]\nresult z[B, M] i32\n"
              "shifted = x[N = remainder(position(N) + 1, convert(count(N), i64))]\n"
              "y = shifted[N=ids] + 1\n"
              "z = convert(position(N) * 10, i32)[N=ids / 2] + convert(position(B), i32)\n");
  arena_t arena;
  arena_init(&arena);
  const char *const types[] = {"f32", "ui8", "f32", "i32"};
  const case_t instance = make_case(declaration, types, dims, &arena);
  fill(&instance.operands[0], 1);
  for (size_t i = 0; i < B * M; i++) {
    element_store(element_named("ui8"), instance.operands[1].data, i, (i * 5 + 2) % 9);
  }
  question_t question = ask(&instance, "spec", &arena);
  for (size_t i = 0; i < B * M; i++) {
    uint64_t id = (i * 5 + 2) % 9, place = (MIN(id, N - 1) + 1) % N;
    double expected = 1 + (double)(i / M * N + place) + 1;
    for (int k = 0; k < 25; k++) {
      g_assert_cmpint(is_taken(&question, 0, i, pattern(element_named("f32"), k)), ==,
                      k == expected);
    }
    uint64_t z = MIN(id / 2, N - 1) * 10 + i / M;
    for (uint64_t k = 0; k < 60; k++) g_assert_cmpint(is_taken(&question, 1, i, k), ==, k == z);
  }
  end(&question);
  arena_deinit(&arena);
  release(declaration);
}

/* A place that a rounded product decides: what is at either place conforms, and nothing else. */
static void test_undecided(void) {
  static const int64_t dims[][3] = {{4}, {1}, {1}, {1}, {1}};
  declaration_t *declaration =
      declare(HEAD
              "operand table[V] i32\noperand a[N]\noperand b[N]\nresult w[N]\nresult y[N] i32\n"
              "p = select(a * b < -1, convert(1, i32), 2)\ny = table[V=p]\n"
              "w = convert(table * 3, float)[V=p]\n");
  arena_t arena;
  arena_init(&arena);
  const char *const types[] = {"i32", "f32", "f32", "f32", "i32"};
  const case_t instance = make_case(declaration, types, dims, &arena);
  static const uint64_t table[] = {70, 40, 10, 90};
  for (size_t i = 0; i < 4; i++) {
    element_store(element_named("i32"), instance.operands[0].data, i, table[i]);
  }
  const element_t *f32 = element_named("f32");
  element_store(f32, instance.operands[1].data, 0, pattern(f32, -1 - 0x1p-23));
  element_store(f32, instance.operands[2].data, 0, pattern(f32, 1 - 0x1p-24)); /* -1 - 2^-24 + .. */
  question_t rounded = ask(&instance, "spec,accum_wider=no", &arena);
  question_t wider = ask(&instance, "backend", &arena);
  for (uint64_t k = 0; k < 100; k++) {
    g_assert_cmpint(is_taken(&rounded, 1, 0, k), ==, k == 10);
    g_assert_cmpint(is_taken(&wider, 1, 0, k), ==, k >= 10 && k <= 40);
    g_assert_cmpint(is_taken(&rounded, 0, 0, pattern(f32, (double)k * 3)), ==, k == 10);
    g_assert_cmpint(is_taken(&wider, 0, 0, pattern(f32, (double)k * 3)), ==, k >= 10 && k <= 40);
  }
  end(&rounded);
  end(&wider);
  arena_deinit(&arena);
  release(declaration);
}

/* Drawn programs have something to gather from, and places where a file says so. */
static void test_drawn(void) {
  declaration_t *declaration =
      declare(HEAD
              "operand table[V, D]\noperand ids[B..., S] i8 below V\nresult y[B..., S, D]\n"
              "y = table[V=ids]\n");
  rng_t rng = rng_make(2);
  arena_t arena;
  arena_init(&arena);
  for (int i = 0; i < 500; i++) {
    const case_t instance = draw_valid_case(&rng, &declaration->op, 64, &arena);
    const int64_t size = instance.program.operands[0].dims[0];
    g_assert_cmpint(size, >=, 1);
    const tensor_t *ids = &instance.operands[1];
    for (size_t k = 0; k < type_component_count(&ids->type); k++) {
      g_assert_cmpint(load(ids, k), >=, 0);
      g_assert_cmpint(load(ids, k), <, size);
    }
    program_t empty = instance.program;
    empty.operands[0].dims[0] = 0;
    g_assert_cmpstr(program_broken_id(&empty), ==, "places");
    arena_reset(&arena);
  }
  arena_deinit(&arena);
  release(declaration);
}

/* byteir.one_hot in a file: the same numbers conform. */
static void test_one_hot(void) {
  enum { N = 9, K = 5 };
  static const int64_t indices[N] = {0, 4, 2, 1, 3, 0, 4, 4, 2};
  static const int64_t dims[][3] = {{N}, {N, K}};
  declaration_t *declaration = declare(HEAD
                                       "index K = 5\noperand i[N] i32\nresult y[N, K]\n"
                                       "y = select(position(K) == convert(i, i64), 3, 0.5)\n");
  arena_t arena;
  arena_init(&arena);
  const char *const types[] = {"i32", "f32"};
  const case_t instance = make_case(declaration, types, dims, &arena);
  for (size_t i = 0; i < N; i++) {
    element_store(element_named("i32"), instance.operands[0].data, i, (uint64_t)indices[i]);
  }
  case_t other = instance;
  failure_t error = {.text = ""};
  const char *violation = NULL;
  const str_t line = str_from(
      "byteir.one_hot depth=5 axis=1 on_value=40400000 "
      "off_value=3f000000 i32[9] -> f32[9,5]");
  g_assert_cmpint(program_parse(line, &arena, &other.program, &violation, &error), ==, STATUS_OK);
  question_t question = ask(&instance, "spec", &arena), asked = ask(&other, "spec", &arena);
  const element_t *f32 = element_named("f32");
  for (size_t i = 0; i < N * K; i++) {
    bool is_hot = (size_t)indices[i / K] == i % K;
    for (int half = 0; half < 8; half++) {
      const uint64_t bits = pattern(f32, half * 0.5);
      g_assert_cmpint(is_taken(&question, 0, i, bits), ==, half == (is_hot ? 6 : 1));
      g_assert_cmpint(is_taken(&asked, 0, i, bits), ==, half == (is_hot ? 6 : 1));
    }
  }
  end(&question);
  end(&asked);
  arena_deinit(&arena);
  release(declaration);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_data_func("/declared_gather/rows/f32", "f32", test_rows);
  g_test_add_data_func("/declared_gather/rows/f64", "f64", test_rows);
  g_test_add_data_func("/declared_gather/rows/i16", "i16", test_rows);
  g_test_add_func("/declared_gather/along", test_along);
  g_test_add_func("/declared_gather/undecided", test_undecided);
  g_test_add_func("/declared_gather/one_hot", test_one_hot);
  g_test_add_func("/declared_gather/drawn", test_drawn);
  return g_test_run();
}
