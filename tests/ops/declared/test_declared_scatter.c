/* SPDX-License-Identifier: Apache-2.0 */
/* What declared ops scatter to places that integers give (oracles/theory.md, T203), against plain
 * C: all orders of few additions, places left out, and tf.DynamicStitch. */
#include <math.h>

#include "tests/ops/declared/declared_file.h"

#define HEAD "op a.b\nsummary s\n"

enum { RANK_MAX = 3 };

/* A case with the sizes of `dims`, three of each tensor, 0 for none. */
static case_t make_case(const declaration_t *declaration, const char *const types[],
                        const int64_t dims[][RANK_MAX], arena_t *arena) {
  program_t program = {.op = &declaration->op,
                       .operand_count = declaration->operand_count,
                       .result_count = declaration->result_count};
  for (uint32_t i = 0; i < program.operand_count + program.result_count; i++) {
    uint32_t rank = 0;
    while (rank < RANK_MAX && dims[i][rank] > 0) rank++;
    const type_t type = type_make(element_named(types[i]), rank, dims[i]);
    if (i < program.operand_count) program.operands[i] = type;
    if (i >= program.operand_count) program.results[i - program.operand_count] = type;
  }
  g_assert_cmpstr(program_broken_id(&program), ==, NULL);
  return case_make(arena, &program);
}

static uint64_t pattern(const element_t *element, double value) {
  if (element->format != NULL) return format_from_double(element->format, value);
  return (uint64_t)(int64_t)value & element_mask(element);
}

static void store(const tensor_t *tensor, size_t i, double value) {
  element_store(tensor->type.element, tensor->data, i, pattern(tensor->type.element, value));
}

/* ---- Sums that are exact --------------------------------------------------------------------- */

enum { B = 2, V = 5, N = 6, D = 3 };

/* Of each row of a batch other places, some of them beyond the ends. */
static const int places[B][N] = {{0, 4, 2, 0, 0, 4}, {3, 1, -1, 5, 3, 100}};

static double base_of(size_t b, size_t v, size_t d) { return (double)(100 * b + 10 * v + d); }
static double update_of(size_t b, size_t n, size_t d) { return (double)(b + 7 * n + 2 * d) - 9; }

static void fill(const case_t *instance) {
  for (size_t i = 0; i < B * V * D; i++) {
    store(&instance->operands[0], i, base_of(i / (V * D), i / D % V, i % D));
  }
  for (size_t i = 0; i < B * N * D; i++) {
    store(&instance->operands[1], i, update_of(i / (N * D), i / D % N, i % D));
  }
  for (size_t i = 0; i < B * N; i++) store(&instance->operands[2], i, places[i / N][i % N]);
}

typedef struct kind {
  const char *call;
  const char *type;
  bool is_sum;
  bool is_bounded;
} kind_t;

/* Whether a whole number is what scattering makes of a place. */
static bool is_made(const kind_t *kind, size_t b, size_t v, size_t d, double value) {
  double sum = base_of(b, v, d), low = INFINITY, high = -INFINITY;
  bool has_zero = false, is_replaced = false;
  for (size_t n = 0; n < N; n++) {
    if (places[b][n] != (int)v) continue;
    const double update = update_of(b, n, d);
    const bool is_other = kind->type[0] == 'f' && update == 0; /* A zero is no end of floats. */
    sum += update;
    is_replaced = true;
    has_zero |= is_other;
    if (is_other) continue;
    low = fmin(low, update); /* Of any of several, what is between them is not told apart. */
    high = fmax(high, update);
  }
  if (kind->is_sum) return value == sum;
  if (!is_replaced) return value == base_of(b, v, d);
  return (low <= value && value <= high) || (value == 0 && has_zero);
}

static const kind_t kinds[] = {
    {"scatter_add", "f32", true, false}, {"scatter_add", "f32", true, true},
    {"scatter_add", "f64", true, false}, {"scatter_add", "i16", true, false},
    {"scatter_add", "i16", true, true},  {"scatter", "f32", false, false},
    {"scatter", "f32", false, true},     {"scatter", "i16", false, false},
    {"scatter", "f16", false, false},
};

/* Places beyond the ends are left out; where a file says that there are none, they may do anything
 * to the batch that they are in, and to no other. */
static void test_exact(gconstpointer data) {
  const kind_t *kind = data;
  const char *type = kind->type[0] == 'i' ? " i16" : "";
  g_autofree char *text = g_strdup_printf(
      HEAD
      "operand x[B, V, D]%s\noperand u[B, N, D]%s\noperand ids[B, N] i32%s\nresult y[B, V, D]%s\n"
      "y = %s(x, u over N at V=ids)\n",
      type, type, kind->is_bounded ? " below V" : "", type, kind->call);
  declaration_t *declaration = declare(text);
  arena_t arena;
  arena_init(&arena);
  const char *const types[] = {kind->type, kind->type, "i32", kind->type};
  static const int64_t dims[][RANK_MAX] = {{B, V, D}, {B, N, D}, {B, N}, {B, V, D}};
  const case_t instance = make_case(declaration, types, dims, &arena);
  fill(&instance);
  const element_t *element = element_named(kind->type);
  question_t question = ask(&instance, "spec", &arena);
  for (size_t i = 0; i < B * V * D; i++) {
    const size_t b = i / (V * D), v = i / D % V, d = i % D;
    for (int value = -40; value < 300; value++) {
      bool is_open = kind->is_bounded && b == 1;
      g_assert_cmpint(is_taken(&question, 0, i, pattern(element, value)), ==,
                      is_open || is_made(kind, b, v, d, value));
    }
  }
  end(&question);
  arena_deinit(&arena);
  release(declaration);
}

/* ---- Any order ------------------------------------------------------------------------------- */

/* All that trees over these numbers give, rounded at each node. */
static void walk(question_t *question, const format_t *format, const double *numbers, size_t count,
                 double *inout_low, double *inout_high) {
  if (count == 1) {
    g_assert_true(is_taken(question, 0, 0, format_from_double(format, numbers[0])));
    *inout_low = fmin(*inout_low, numbers[0]);
    *inout_high = fmax(*inout_high, numbers[0]);
    return;
  }
  for (size_t i = 0; i < count; i++) {
    for (size_t j = i + 1; j < count; j++) {
      double left[8];
      size_t kept = 0;
      for (size_t k = 0; k < count; k++) {
        if (k != i && k != j) left[kept++] = numbers[k];
      }
      left[kept] = format_round_double(format, numbers[i] + numbers[j]);
      walk(question, format, left, count - 1, inout_low, inout_high);
    }
  }
}

/* What comes to one place may be added in any order, what is there at any time among it; and a sum
 * without one of them is not taken where that is much of it. */
static void test_orders(gconstpointer data) {
  enum { CASES = 40, UPDATES = 4 };
  const char *name = data;
  const element_t *element = element_named(name);
  declaration_t *declaration =
      declare(HEAD
              "operand x[V]\noperand u[N]\noperand ids[N] i8 below V\nresult y[V]\n"
              "y = scatter_add(x, u over N at V=ids)\n");
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(5);
  size_t several = 0, refused = 0;
  for (int n = 0; n < CASES; n++) {
    static const int64_t dims[][RANK_MAX] = {{3}, {UPDATES + 2}, {UPDATES + 2}, {3}};
    const char *const types[] = {name, name, "i8", name};
    const case_t instance = make_case(declaration, types, dims, &arena);
    double numbers[UPDATES + 1], sum = 0;
    for (size_t i = 0; i <= UPDATES; i++) {
      double value =
          ldexp((double)rng_between(&rng, -33554432, 33554432), (int)rng_between(&rng, -26, -22));
      numbers[i] = format_round_double(element->format, value);
      sum += numbers[i];
      if (i == 0) store(&instance.operands[0], 0, numbers[i]);
      if (i > 0) store(&instance.operands[1], i, numbers[i]); /* The first and last go elsewhere. */
      if (i > 0) store(&instance.operands[2], i, 0);
    }
    store(&instance.operands[1], 0, 1000);
    store(&instance.operands[1], UPDATES + 1, -2000);
    store(&instance.operands[2], 0, 1);
    store(&instance.operands[2], UPDATES + 1, 2);
    question_t question = ask(&instance, "backend", &arena);
    double low = INFINITY, high = -INFINITY;
    walk(&question, element->format, numbers, UPDATES + 1, &low, &high);
    several += low < high;
    for (size_t i = 0; i <= UPDATES; i++) {
      uint64_t bits = format_from_double(element->format, sum - numbers[i]);
      refused += !is_taken(&question, 0, 0, bits);
    }
    end(&question);
    arena_reset(&arena);
  }
  g_assert_cmpuint(several, >, CASES / 4);
  g_assert_cmpuint(refused, >, CASES * (UPDATES + 1) * 3 / 4);
  arena_deinit(&arena);
  release(declaration);
}

/* Products may be added to what is there unrounded, and only where the contract has it. */
static void test_fused(void) {
  declaration_t *declaration =
      declare(HEAD
              "operand x[V]\noperand u[N]\noperand ids[N] i8\noperand w[N]\nresult y[V]\n"
              "y = scatter_add(x, u * w over N at V=ids)\n");
  arena_t arena;
  arena_init(&arena);
  static const int64_t dims[][RANK_MAX] = {{1}, {1}, {1}, {1}, {1}};
  const char *const types[] = {"f32", "f32", "i8", "f32", "f32"};
  const case_t instance = make_case(declaration, types, dims, &arena);
  store(&instance.operands[0], 0, -1);
  store(&instance.operands[1], 0, 1 + 0x1p-20);
  store(&instance.operands[2], 0, 0);
  store(&instance.operands[3], 0, 1 + 0x1p-20);
  const format_t *f32 = &format_table[FORMAT_f32];
  question_t plain = ask(&instance, "spec", &arena), fused = ask(&instance, "spec,fma=yes", &arena);
  const uint64_t rounded = format_from_double(f32, 0x1p-19);
  const uint64_t exact = format_from_double(f32, 0x1p-19 + 0x1p-40);
  g_assert_true(is_taken(&plain, 0, 0, rounded));
  g_assert_false(is_taken(&plain, 0, 0, exact));
  g_assert_true(is_taken(&fused, 0, 0, rounded));
  g_assert_true(is_taken(&fused, 0, 0, exact));
  end(&plain);
  end(&fused);
  arena_deinit(&arena);
  release(declaration);
}

/* ---- TensorFlow's ---------------------------------------------------------------------------- */

/* tf.DynamicStitch of one list without repetitions: the same numbers conform. */
static void test_stitch(void) {
  static const int order[] = {3, 0, 4, 1, 2};
  declaration_t *declaration = declare(HEAD
                                       "operand ids[V] i32\noperand u[V, D]\nresult y[W, D]\n"
                                       "y = scatter(0, u over V at W=ids)\n");
  arena_t arena;
  arena_init(&arena);
  static const int64_t dims[][RANK_MAX] = {{V}, {V, D}, {V, D}};
  const char *const types[] = {"i32", "f32", "f32"};
  const case_t instance = make_case(declaration, types, dims, &arena);
  for (size_t i = 0; i < V; i++) store(&instance.operands[0], i, order[i]);
  for (size_t i = 0; i < V * D; i++) store(&instance.operands[1], i, (double)i + 1);
  case_t other = instance;
  failure_t error = {.text = ""};
  const char *violation = NULL;
  const str_t line = str_from("tf.DynamicStitch i32[5] f32[5,3] -> f32[5,3]");
  g_assert_cmpint(program_parse(line, &arena, &other.program, &violation, &error), ==, STATUS_OK);
  question_t question = ask(&instance, "spec", &arena), asked = ask(&other, "spec", &arena);
  const element_t *f32 = element_named("f32");
  for (size_t i = 0; i < V * D; i++) {
    size_t from = 0;
    while (order[from] != (int)(i / D)) from++;
    for (size_t k = 0; k <= V * D; k++) {
      const uint64_t bits = pattern(f32, (double)k);
      g_assert_cmpint(is_taken(&question, 0, i, bits), ==, k == from * D + i % D + 1);
      g_assert_cmpint(is_taken(&asked, 0, i, bits), ==, k == from * D + i % D + 1);
    }
  }
  end(&question);
  end(&asked);
  arena_deinit(&arena);
  release(declaration);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
    g_autofree char *path =
        g_strdup_printf("/declared_scatter/exact/%s/%s/%zu", kinds[i].call, kinds[i].type, i);
    g_test_add_data_func(path, &kinds[i], test_exact);
  }
  g_test_add_data_func("/declared_scatter/orders/f16", "f16", test_orders);
  g_test_add_data_func("/declared_scatter/orders/bf16", "bf16", test_orders);
  g_test_add_data_func("/declared_scatter/orders/f32", "f32", test_orders);
  g_test_add_func("/declared_scatter/fused", test_fused);
  g_test_add_func("/declared_scatter/stitch", test_stitch);
  return g_test_run();
}
