/* SPDX-License-Identifier: Apache-2.0 */
/* Every instruction set's exact matrix products and sums against MPFR, on data made to hurt. */
#include "tests/oracles/exact_instance.h"

static const char *const kernel_names[] = {"portable", "avx2", "avx512"};

static float *narrowed(const double *values, size_t count) {
  float *floats = g_new(float, count + 1);
  for (size_t i = 0; i < count; i++) floats[i] = (float)values[i];
  return floats;
}

static void compute(const exact_kernels_t *kernels, const instance_t *instance,
                    const exact_matmul_t *matmul, arena_t *arena) {
  if (instance->is_f64 && instance->is_sum) {
    kernels->sums_f64(matmul, instance->b, arena);
  } else if (instance->is_f64) {
    kernels->matmul_f64(matmul, instance->a, instance->b, arena);
  } else {
    float *a = narrowed(instance->a, instance->m * instance->k);
    float *b = narrowed(instance->b, instance->k * instance->n);
    if (instance->is_sum) kernels->sums_f32(matmul, b, arena);
    if (!instance->is_sum) kernels->matmul_f32(matmul, a, b, arena);
    g_free(a);
    g_free(b);
  }
}

static void check_output(const instance_t *instance, const exact_matmul_t *got, size_t at) {
  g_assert_cmpint(got->uncertified[at], ==, 0);
  double reference = instance->reference[at], magnitude = instance->magnitude[at];
  if (!(got->reference[at] == reference) || signbit(got->reference[at]) != signbit(reference)) {
    g_error("%zux%zux%zu output %zu: %a, not %a", instance->m, instance->n, instance->k, at,
            got->reference[at], reference);
  }
  double tail = instance->tail[at];
  if (got->reference_tail != NULL) {
    if (!(fabs(got->reference_tail[at] - tail) <= 0x1.1p-50 * fabs(tail))) {
      g_error("%zux%zux%zu tail %zu: %a, not %a", instance->m, instance->n, instance->k, at,
              got->reference_tail[at], tail);
    }
  }
  g_assert_true(got->magnitude[at] >= magnitude);
  g_assert_true(got->magnitude[at] <= magnitude * (1 + 0x1p-10) * (1 + 0x1p-50));
}

/* Room for `guard` elements behind the results shows writes past the end. */
static exact_matmul_t results_new(const instance_t *instance, bool with_tail) {
  size_t count = instance->m * instance->n + 1;
  exact_matmul_t matmul = {.m = instance->m,
                           .n = instance->n,
                           .k = instance->k,
                           .reference = g_new(double, count),
                           .reference_tail = with_tail ? g_new(double, count) : NULL,
                           .magnitude = g_new(double, count),
                           .uncertified = g_new(uint8_t, count)};
  matmul.reference[count - 1] = matmul.magnitude[count - 1] = 77;
  matmul.uncertified[count - 1] = 77;
  if (with_tail) matmul.reference_tail[count - 1] = 77;
  return matmul;
}

static void results_free(exact_matmul_t *matmul) {
  size_t guard = matmul->m * matmul->n;
  g_assert_true(matmul->reference[guard] == 77 && matmul->magnitude[guard] == 77);
  g_assert_cmpint(matmul->uncertified[guard], ==, 77);
  if (matmul->reference_tail != NULL) g_assert_true(matmul->reference_tail[guard] == 77);
  g_free(matmul->reference);
  g_free(matmul->reference_tail);
  g_free(matmul->magnitude);
  g_free(matmul->uncertified);
}

/* All instruction sets give the truth, and the same bits where the promise leaves a choice. */
static void check_instance(const instance_t *instance, bool with_tail, arena_t *arena) {
  size_t count = instance->m * instance->n;
  exact_matmul_t first = results_new(instance, with_tail);
  compute(exact_kernels_named("portable"), instance, &first, arena);
  for (size_t at = 0; at < count; at++) {
    if (instance->representable[at]) check_output(instance, &first, at);
    if (!instance->representable[at]) g_assert_cmpint(first.uncertified[at], ==, 1);
  }
  for (size_t name = 1; name < G_N_ELEMENTS(kernel_names); name++) {
    const exact_kernels_t *kernels = exact_kernels_named(kernel_names[name]);
    if (kernels == NULL) continue;
    exact_matmul_t got = results_new(instance, with_tail);
    compute(kernels, instance, &got, arena);
    g_assert_true(memcmp(got.uncertified, first.uncertified, count) == 0);
    for (size_t at = 0; at < count; at++) {
      if (!instance->representable[at]) continue;
      check_output(instance, &got, at);
      g_assert_true(got.magnitude[at] == first.magnitude[at]);
    }
    results_free(&got);
  }
  results_free(&first);
}

static void draw_and_check(size_t m, size_t n, size_t k, bool is_f64, size_t seed, arena_t *arena) {
  instance_t instance = instance_new(m, n, k, is_f64);
  rng_t rng = rng_make(seed);
  instance_draw(&instance, &rng, (regime_t)(seed % REGIME_COUNT));
  if (seed / REGIME_COUNT % 3 == 0) instance_cancel(&instance);
  instance_solve(&instance);
  check_instance(&instance, is_f64 || seed / REGIME_COUNT % 2 == 0, arena);
  instance_free(&instance);
}

static void test_all_small_shapes(gconstpointer is_f64) {
  arena_t arena;
  arena_init(&arena);
  size_t seed = 0;
  for (size_t m = 1; m <= 20; m++) {
    for (size_t n = 1; n <= 20; n++) {
      size_t step = is_f64 != NULL ? 4 : 1;
      for (size_t k = 1 + seed % step; k <= 20; k += step) {
        draw_and_check(m, n, k, is_f64 != NULL, seed++, &arena);
      }
    }
  }
  arena_deinit(&arena);
}

/* About chunks of the kernels, panels and groups of rows, and what is folded. */
static const size_t large_shapes[][3] = {{5, 33, 511}, {37, 17, 254}, {3, 50, 255}, {19, 7, 600},
                                         {1, 3, 1023}, {2, 2, 1500},  {1, 1, 5000}, {4, 1, 257},
                                         {70, 1, 40},  {1, 70, 41},   {2, 3, 16}};

static void test_large_shapes(gconstpointer is_f64) {
  arena_t arena;
  arena_init(&arena);
  for (size_t shape = 0; shape < G_N_ELEMENTS(large_shapes); shape++) {
    const size_t *extent = large_shapes[shape];
    for (size_t variant = 0; variant < 4; variant++) {
      size_t seed = shape * 5 + variant * 7;
      draw_and_check(extent[0], extent[1], extent[2], is_f64 != NULL, seed, &arena);
    }
  }
  arena_deinit(&arena);
}

static void test_sums(gconstpointer is_f64) {
  static const size_t terms[] = {0, 1, 2, 3, 15, 16, 17, 64, 253, 255, 509, 4100};
  arena_t arena;
  arena_init(&arena);
  size_t seed = 0;
  for (size_t n = 1; n <= 35; n++) {
    for (size_t i = 0; i < G_N_ELEMENTS(terms); i++, seed++) {
      if (n * terms[i] > 12000) continue;
      instance_t instance = instance_new(1, n, terms[i], is_f64 != NULL);
      instance.is_sum = true;
      rng_t rng = rng_make(seed);
      instance_draw(&instance, &rng, (regime_t)(seed % REGIME_COUNT));
      if (seed / REGIME_COUNT % 2 == 0) instance_cancel(&instance);
      instance_solve(&instance);
      check_instance(&instance, seed % 3 != 0, &arena);
      instance_free(&instance);
    }
  }
  arena_deinit(&arena);
}

/* Outputs whose terms are all 0, of either sign, beside others of their tile that are not. */
static void test_zero_rows(gconstpointer is_f64) {
  static const size_t shapes[][3] = {{4, 16, 9}, {5, 18, 300}, {1, 3, 40}, {9, 2, 17}};
  static const regime_t regimes[] = {REGIME_UNIFORM, REGIME_WIDE, REGIME_NARROW, REGIME_ANY_BITS};
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(shapes) * G_N_ELEMENTS(regimes); i++) {
    const size_t *extent = shapes[i / G_N_ELEMENTS(regimes)];
    instance_t instance = instance_new(extent[0], extent[1], extent[2], is_f64 != NULL);
    rng_t rng = rng_make(i);
    instance_draw(&instance, &rng, regimes[i % G_N_ELEMENTS(regimes)]);
    for (size_t t = 0; t < instance.k; t++) {
      instance.a[(instance.m - 1) * instance.k + t] = t % 2 == 0 ? 0 : -0.0;
      instance.b[t * instance.n + instance.n / 2] = t % 3 == 0 ? -0.0 : 0;
    }
    instance_solve(&instance);
    check_instance(&instance, i % 2 == 0, &arena);
    instance_free(&instance);
  }
  arena_deinit(&arena);
}

/* Matrices without elements, and sums without terms, which are 0. */
static void test_empty(void) {
  static const size_t shapes[][3] = {{0, 3, 2}, {3, 0, 2}, {0, 0, 0}, {3, 2, 0}, {1, 17, 0}};
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++) {
    draw_and_check(shapes[i][0], shapes[i][1], shapes[i][2], false, i, &arena);
    draw_and_check(shapes[i][0], shapes[i][1], shapes[i][2], true, i, &arena);
  }
  arena_deinit(&arena);
}

/* Longer sums than any tensor has are exact too: 2^24 terms of both signs that nearly cancel, one
 * of which no binary64 accumulation would notice. */
static void test_longest_sum(void) {
  size_t k = (size_t)1 << 24;
  float *b = g_new(float, k);
  rng_t rng = rng_make(24);
  for (size_t t = 0; t < k / 2; t++) {
    b[t] = (float)draw_number(&rng, REGIME_WIDE, false);
    b[k - 1 - t] = -b[t];
  }
  b[12345] = 0x1p-120f;
  b[k - 1 - 12345] = 0;
  double reference, tail, magnitude;
  uint8_t uncertified;
  exact_matmul_t sums = {.m = 1,
                         .n = 1,
                         .k = k,
                         .reference = &reference,
                         .reference_tail = &tail,
                         .magnitude = &magnitude,
                         .uncertified = &uncertified};
  arena_t arena;
  arena_init(&arena);
  exact_sums_f32(&sums, b, &arena);
  g_assert_cmpint(uncertified, ==, 0);
  g_assert_true(reference == 0x1p-120 && tail == 0);
  arena_deinit(&arena);
  g_free(b);
}

/* All but two terms are just below half an ulp of the running sum, and of one sign: the rounding
 * errors add up to the most that the kernels make room for.  Then the two large terms cancel. */
static void test_rounding_errors_add_up(gconstpointer is_f64) {
  static const size_t terms[] = {20, 100, 254, 256, 600, 5000};
  arena_t arena;
  arena_init(&arena);
  for (size_t variant = 0; variant < G_N_ELEMENTS(terms) * 12; variant++) {
    size_t k = terms[variant / 12], columns = variant % 4 == 0 ? 1 : variant % 4 * 3;
    if (k * columns > 15000) continue;
    instance_t instance = instance_new(1, columns, k, is_f64 != NULL);
    instance.is_sum = variant % 3 == 0;
    rng_t rng = rng_make(variant);
    double half_ulp = ldexp(1, -50 + (int)(variant / 4 % 3));
    for (size_t t = 0; t < k; t++) {
      instance.a[t] = 1;
      for (size_t j = 0; j < columns; j++) {
        double term = half_ulp * (1 - fabs(draw_uniform(&rng)) * 0x1p-5);
        if (t == 0 || t + 1 == k) term = t == 0 ? 1 : -1;
        instance.b[t * columns + j] = is_f64 != NULL ? term : (double)(float)term;
      }
    }
    instance_solve(&instance);
    check_instance(&instance, variant % 2 == 0, &arena);
    instance_free(&instance);
  }
  arena_deinit(&arena);
}

/* Products far below the running sum, of as many bits as one anchor has room for: of more terms
 * than a chunk has they add up to more, unless they are carried up.  Then what dwarfs them cancels.
 */
static void test_chunks_are_carried_up(void) {
  static const size_t shapes[][3] = {{5, 18, 600}, {1, 16, 700}, {17, 9, 510}};
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(2);
  for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++) {
    size_t m = shapes[i][0], n = shapes[i][1], k = shapes[i][2];
    instance_t instance = instance_new(m, n, k, false);
    for (size_t at = 0; at < m * k; at++) {
      bool is_end = at % k == 0 || at % k == k - 1;
      double small = (double)((1 << 22) + (rng_below(&rng, 1 << 21) | 1)) * 0x1p-43;
      instance.a[at] = is_end ? (at % k == 0 ? 1 : -1) : small;
    }
    for (size_t at = 0; at < k * n; at++) {
      bool is_end = at / n == 0 || at / n == k - 1;
      instance.b[at] = is_end ? 1 : (double)((1 << 22) + (rng_below(&rng, 1 << 20) | 1)) * 0x1p-43;
    }
    instance_solve(&instance);
    check_instance(&instance, false, &arena);
    check_instance(&instance, true, &arena);
    instance_free(&instance);
  }
  arena_deinit(&arena);
}

/* Plain binary64 accumulation is wrong on many of these outputs, so the tests above have teeth. */
static void test_plain_accumulation_fails(void) {
  size_t wrong = 0, outputs = 0;
  rng_t rng = rng_make(1);
  for (size_t regime = 0; regime < REGIME_COUNT; regime++) {
    instance_t instance = instance_new(8, 8, 20, false);
    instance_draw(&instance, &rng, (regime_t)regime);
    if (regime % 2 == 0) instance_cancel(&instance);
    instance_solve(&instance);
    for (size_t at = 0; at < 64; at++, outputs++) {
      double sum = 0;
      for (size_t t = 0; t < 20; t++)
        sum += instance.a[at / 8 * 20 + t] * instance.b[t * 8 + at % 8];
      wrong += sum != instance.reference[at];
    }
    instance_free(&instance);
  }
  g_assert_cmpuint(wrong, >, outputs / 8);
}

/* Exactly the outputs of rows and columns with a special number are uncertified. */
static void check_specials(const exact_kernels_t *kernels, bool is_f64, size_t m, size_t n,
                           size_t k, rng_t *rng, arena_t *arena) {
  static const double specials[] = {INFINITY, -INFINITY, NAN};
  instance_t instance = instance_new(m, n, k, is_f64);
  instance_draw(&instance, rng, REGIME_MIXED);
  instance_solve(&instance);
  bool *row_is_special = g_new0(bool, m), *column_is_special = g_new0(bool, n);
  for (size_t count = rng_below(rng, 4); count > 0; count--) {
    size_t row = rng_below(rng, m), column = rng_below(rng, n), term = rng_below(rng, k);
    double special = specials[rng_below(rng, G_N_ELEMENTS(specials))];
    if (rng_one_in(rng, 2)) {
      instance.a[row * k + term] = special;
      row_is_special[row] = true;
    } else {
      instance.b[term * n + column] = special;
      column_is_special[column] = true;
    }
  }
  exact_matmul_t got = results_new(&instance, true);
  compute(kernels, &instance, &got, arena);
  for (size_t at = 0; at < m * n; at++) {
    bool special = row_is_special[at / n] || column_is_special[at % n];
    g_assert_cmpint(got.uncertified[at], ==, special || !instance.representable[at]);
    if (!special && instance.representable[at]) check_output(&instance, &got, at);
  }
  results_free(&got);
  instance_free(&instance);
  g_free(row_is_special);
  g_free(column_is_special);
}

static void test_specials(gconstpointer is_f64) {
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(kernel_names); i++) {
    const exact_kernels_t *kernels = exact_kernels_named(kernel_names[i]);
    rng_t rng = rng_make(i);
    for (size_t round = 0; kernels != NULL && round < 300; round++) {
      size_t m = 1 + rng_below(&rng, 10), n = 1 + rng_below(&rng, 20), k = 1 + rng_below(&rng, 20);
      check_specials(kernels, is_f64 != NULL, m, n, k, &rng, &arena);
    }
  }
  arena_deinit(&arena);
}

static double draw_pattern_f64(rng_t *rng) {
  uint64_t bits = rng_bits(rng);
  if ((bits >> 52 & 0x7ff) == 0x7ff) bits &= ~(UINT64_C(1) << 62);
  double value;
  memcpy(&value, &bits, sizeof value);
  return rng_one_in(rng, 8) ? 0 : value;
}

/* f64 over all exponents: what is certified is right, and all inside the window is certified. */
static void test_f64_window(void) {
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(64);
  size_t certified = 0, uncertified = 0;
  for (size_t round = 0; round < 1000; round++) {
    size_t m = 1 + round % 3, n = 1 + round % 5, k = 1 + round % 37;
    instance_t instance = instance_new(m, n, k, true);
    for (size_t i = 0; i < m * k; i++) instance.a[i] = draw_pattern_f64(&rng);
    for (size_t i = 0; i < k * n; i++) instance.b[i] = draw_pattern_f64(&rng);
    if (round % 2 == 0) instance_cancel(&instance);
    instance_solve(&instance);
    for (size_t at = 0; at < m * n; at++) {
      double magnitude = instance.magnitude[at];
      bool inside = (magnitude >= 0x1p-900 && magnitude <= 0x1.ffp999) || magnitude == 0;
      instance.representable[at] &= inside;
      certified += instance.representable[at];
      uncertified += !instance.representable[at];
    }
    check_instance(&instance, true, &arena);
    instance_free(&instance);
  }
  g_assert_cmpuint(certified, >, 1000);
  g_assert_cmpuint(uncertified, >, 1000);
  arena_deinit(&arena);
}

static void test_names(void) {
  g_assert_null(exact_kernels_named("sse9"));
  g_assert_nonnull(exact_kernels_named("portable"));
  g_assert_nonnull(exact_kernels_named(exact_kernels_best()->name));
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_data_func("/exact_matmul/shapes/f32", NULL, test_all_small_shapes);
  g_test_add_data_func("/exact_matmul/shapes/f64", "f64", test_all_small_shapes);
  g_test_add_data_func("/exact_matmul/large/f32", NULL, test_large_shapes);
  g_test_add_data_func("/exact_matmul/large/f64", "f64", test_large_shapes);
  g_test_add_data_func("/exact_matmul/sums/f32", NULL, test_sums);
  g_test_add_data_func("/exact_matmul/sums/f64", "f64", test_sums);
  g_test_add_data_func("/exact_matmul/specials/f32", NULL, test_specials);
  g_test_add_data_func("/exact_matmul/specials/f64", "f64", test_specials);
  g_test_add_data_func("/exact_matmul/errors/f32", NULL, test_rounding_errors_add_up);
  g_test_add_data_func("/exact_matmul/errors/f64", "f64", test_rounding_errors_add_up);
  g_test_add_data_func("/exact_matmul/zeros/f32", NULL, test_zero_rows);
  g_test_add_data_func("/exact_matmul/zeros/f64", "f64", test_zero_rows);
  g_test_add_func("/exact_matmul/chunks", test_chunks_are_carried_up);
  g_test_add_func("/exact_matmul/window", test_f64_window);
  g_test_add_func("/exact_matmul/empty", test_empty);
  g_test_add_func("/exact_matmul/longest", test_longest_sum);
  g_test_add_func("/exact_matmul/teeth", test_plain_accumulation_fails);
  g_test_add_func("/exact_matmul/names", test_names);
  return g_test_run();
}
