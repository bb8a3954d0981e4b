/* SPDX-License-Identifier: Apache-2.0 */
/* The fast side of declared ops with integers, comparisons and choices against the exact one
 * (oracles/theory.md, T156). */
#include "tests/ops/declared/declared_file.h"

static const char *const files[] = {
    "causal_attention", "hard_swish",      "leaky_relu",         "relu6",
    "bucket",           "embedding",       "int4_matmul",        "quantized_add_relu",
    "int8_matmul",      "kv_cache_update", "embedding_gradient", "softmax_with_statistics",
    "fake_quant"};

static const char mixed[] =
    "op t.mixed\nsummary all kinds of steps\noperand x[B..., N]\noperand i[B..., N] i8\n"
    "operand u[N] ui16\noperand m[B...] i1\noperand w[N] f32\nattribute on boolean\n"
    "attribute k integer 1 2 3\nresult y[B..., N]\nresult z[B..., N] f32\nresult a[B..., N] i8\n"
    "result b[B..., N] i1\n"
    "p = position(N)\nc = select(x == 0, p + k, min(convert(u, i64), 7)) + max(convert(i, i64) "
    "over "
    "N)\nd = xor(shift_left(u, 3), shift_right(u, 1)) + and(u, 255)\n"
    "y = select(and(m, x * w < 1), convert(convert(x, bf16) * w, f16), convert(c, float) + 1)\n"
    "z = select(on, exp(-x * w), max(x over N)) + convert(d, f32)\n"
    "a = convert(min(max(x * w * 3, -128), 127), i8) - i * 3\n"
    "b = or(exp(x) > w, not(m))\n";

/* The fast side does not know the condition. */
static const char unknown[] =
    "op t.unknown\nsummary a choice by rounded numbers\ntypes f16 f32\noperand x[N]\noperand w[N]\n"
    "result y[N]\nresult i[N] i32\nseen = convert(x, bf16) < convert(w, bf16)\n"
    "y = select(seen, x, w)\ni = select(seen, convert(1, i32), 2) + convert(convert(x, bf16) * 3, "
    "i32)\n";

/* Quotients, remainders, nearest integers, and numbers at places that are known or not. */
static const char places[] =
    "op t.places\nsummary places and quotients\noperand x[B..., N]\noperand i[B..., M] i8\n"
    "operand t[N] i16\noperand k[B..., M] ui8 below N\nresult y[B..., M]\nresult z[B..., M] i16\n"
    "result w[B..., M] i8\n"
    "near = round(min(max(select(x == x, x, 0) * 3, -100), 100), i8)\n"
    "y = x[N=i] + (x * x)[N=k] + x[N=near][N=i / 3]\n"
    "z = t[N=i] / select(t == 0, 7, t)[N=k] + remainder(t, 5)[N=i]\n"
    "w = near[N=k] / 3 + remainder(near, 7)[N=i]\n";

/* Quantized by channel and not, of all float types. */
static const char quantized[] =
    "op t.quantized\nsummary quantized numbers\ntypes f16 bf16 f32\noperand x[B..., N] quantized "
    "ui8\n"
    "operand w[N] quantized i16 by N\noperand v[N]\nresult y[B..., N]\nresult z[B..., N] quantized "
    "i8 "
    "by N\nresult i[B..., N] quantized i4\n"
    "y = x * w + v\nz = either(x * w, w * x) + exp(min(v, 0))\n"
    "i = storage(x) / 16 - 8 + zero_point(i) + round(min(max(v, 0), 1), i32)\n";

/* Scattered to places that are known or not, added or put in the place of others, products too; and
 * results of unlike shapes. */
static const char scattered[] =
    "op t.scattered\nsummary numbers scattered\noperand x[B..., N]\noperand i[B..., M] i8\n"
    "operand u[B..., M, D]\noperand w[D]\noperand t[N] i16\nresult y[B..., N, D]\n"
    "result s[B..., D]\nresult z[B..., N] i16\nresult k[M, B...] i8\n"
    "near = convert(min(max(select(u == u, u, 0) * 2, -1), 5), i32)\n"
    "s = max(u over M)\n"
    "y = scatter_add(x * 0.5, u * w over M at N=i) + scatter(x, u over M at N=near)\n"
    "z = scatter_add(scatter(t, convert(i, i16) over M at N=i / 2), convert(i, i16) over M at "
    "N=i)\n"
    "k = i + 1\n";

/* Quantized in the middle, by attributes, operands and what is quantized. */
static const char requantized[] =
    "op t.requantized\nsummary fake quantization\ntypes f16 bf16 f32\nattribute step number 0.05 "
    "0.125\nattribute zero integer 0 3\noperand x[B..., N]\noperand q[B..., N] quantized i8 by N\n"
    "operand s[N]\noperand z[B...] i8\nresult y[B..., N]\nresult a[B..., N] i32\n"
    "a = quantize(x * x, ui8, step, zero) - quantize(x, i16, scale(q), zero_point(q) / 2)\n"
    "b = quantize(x + q, i4, s, remainder(z, 8))\n"
    "y = dequantize(b, s, convert(remainder(z, 8), i32)) + dequantize(a, 0.1, 0)\n";

static char *read_text(const char *name) {
  if (g_str_has_prefix(name, "op ")) return g_strdup(name);
  g_autofree char *path = g_strdup_printf(ASSAY_SOURCE_DIR "/corpus/ops/%s.op", name);
  char *text = NULL;
  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  return text;
}

/* The fast side takes nothing that the exact side does not, and what models of any kind return
 * conforms (T156). */
static void test_sides(gconstpointer data) {
  enum { CASES = 60, ELEMENTS = 48 };
  static const char *const contracts[] = {"spec", "backend", "wide", "ftz=both"};
  g_autofree char *text = read_text(data);
  declaration_t *declaration = declare(text);
  rng_t rng = rng_make(17);
  arena_t arena;
  arena_init(&arena);
  size_t known = 0, all = 0;
  for (int n = 0; n < CASES; n++) {
    const case_t instance = draw_valid_case(&rng, &declaration->op, ELEMENTS, &arena);
    question_t question = ask(&instance, contracts[n % 4], &arena);
    failure_t error = {.text = ""};
    const oracle_call_t call = {.instance = &instance,
                                .contract = &question.contract,
                                .memo = &question.memo,
                                .arena = &arena,
                                .error = &error};
    accept_t accepts[CASE_RESULTS_MAX];
    const oracle_t *oracle = oracle_find(&declaration->op);
    g_assert_cmpint(oracle->accept(&call, accepts), ==, STATUS_OK);
    for (uint32_t r = 0; r < instance.program.result_count; r++) {
      for (size_t i = 0; i < accepts[r].count; i++) {
        oracle->audit(&call, accepts, r, i);
        g_assert_cmpstr(error.text, ==, "");
        known += accepts[r].decide[i] == 0;
        all++;
      }
    }
    end(&question);
    arena_reset(&arena);
  }
  if (data != unknown) g_assert_cmpuint(2 * known, >, all);
  arena_deinit(&arena);
  release(declaration);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *path = g_strdup_printf("/declared_sides/%s", files[i]);
    g_test_add_data_func(path, files[i], test_sides);
  }
  g_test_add_data_func("/declared_sides/mixed", mixed, test_sides);
  g_test_add_data_func("/declared_sides/places", places, test_sides);
  g_test_add_data_func("/declared_sides/quantized", quantized, test_sides);
  g_test_add_data_func("/declared_sides/scattered", scattered, test_sides);
  g_test_add_data_func("/declared_sides/requantized", requantized, test_sides);
  g_test_add_data_func("/declared_sides/unknown", unknown, test_sides);
  return g_test_run();
}
