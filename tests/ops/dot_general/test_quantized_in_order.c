/* SPDX-License-Identifier: Apache-2.0 */
/* Quantized products under an in-order contract: what some tree that keeps the order of the terms
 * is quantized to conforms, whichever way the oracle finds that out, and what lies just beyond all
 * of them does not, though another order may give it. */
#include <float.h>

#include "oracles/oracle.h"
#include "tests/ops/dot_general/naive_dot_quantized.h"

enum { TERMS = 6, TREES_MAX = 64, CASES = 300 };

typedef struct product {
  case_t instance;
  float terms[TERMS]; /* Products of the dequantized factors. */
  float scale;        /* Of the result. */
  int64_t storage_min, storage_max;
} product_t;

/* Factors dequantized as the specification says: (stored - zero point) * scale. */
static product_t draw_product(rng_t *rng, arena_t *arena) {
  const bool is_wide = rng_one_in(rng, 2);
  const float scales[] = {0x1p-6F * (float)rng_between(rng, 65, 127) / 64,
                          0x1p-5F * (float)rng_between(rng, 65, 127) / 64,
                          is_wide ? 0x1.23p-25F : 0x1.23p-6F};
  g_autofree char *line = g_strdup_printf(
      "stablehlo.dot_general batch=[]x[] contract=[1]x[0] !quant.uniform<i8:f32,%a>[1,%d] "
      "!quant.uniform<i8:f32,%a>[%d,1] -> !quant.uniform<%s:f32,%a>[1,1]",
      (double)scales[0], TERMS, (double)scales[1], TERMS, is_wide ? "i32" : "i8",
      (double)scales[2]);
  program_t program;
  const char *violation;
  failure_t error;
  status_t status = program_parse(str_from(line), arena, &program, &violation, &error);
  if (status != STATUS_OK) g_error("%s: %s", line, error.text);
  product_t product = {.instance = case_make(arena, &program),
                       .scale = scales[2],
                       .storage_min = is_wide ? INT32_MIN : INT8_MIN,
                       .storage_max = is_wide ? INT32_MAX : INT8_MAX};
  for (size_t i = 0; i < TERMS; i++) {
    product.terms[i] = 1;
    for (uint32_t o = 0; o < 2; o++) {
      int64_t stored = rng_between(rng, -128, 127);
      naive_store_integer(&product.instance.operands[o], i, stored);
      const float factor = (float)stored * scales[o];
      product.terms[i] *= factor;
    }
  }
  return product;
}

/* ---- All trees ------------------------------------------------------------------------------- */

/* The values of all trees over terms begin .. end - 1; there are at most 42 of 6. */
static size_t add_trees(const float *terms, size_t begin, size_t end, float out[TREES_MAX]) {
  if (end - begin == 1) {
    out[0] = terms[begin];
    return 1;
  }
  size_t count = 0;
  for (size_t middle = begin + 1; middle < end; middle++) {
    float lefts[TREES_MAX], rights[TREES_MAX];
    size_t left_count = add_trees(terms, begin, middle, lefts);
    size_t right_count = add_trees(terms, middle, end, rights);
    for (size_t i = 0; i < left_count * right_count; i++) {
      out[count++] = lefts[i / right_count] + rights[i % right_count];
    }
  }
  return count;
}

static int64_t quantized(const product_t *product, float value) {
  const float quotient = value / product->scale;
  const float rounded = roundevenf(quotient);
  if (rounded >= 0x1p31F) return product->storage_max;
  return CLAMP((int64_t)rounded, product->storage_min, product->storage_max);
}

/* ---- The oracle ------------------------------------------------------------------------------ */

static bool conforms(const product_t *product, const contract_t *contract, int64_t value,
                     arena_t *arena) {
  const case_t *instance = &product->instance;
  tensor_t result = tensor_make(arena, &instance->program.results[0]);
  naive_store_integer(&result, 0, value);
  answer_t answer = {0};
  failure_t error;
  const oracle_call_t call = {.instance = instance,
                              .contract = contract,
                              .results = &result,
                              .arena = arena,
                              .error = &error};
  const oracle_t *oracle = oracle_find(instance->program.op);
  if (oracle->decide(&call, 0, 0, &answer) != STATUS_OK) g_error("%s", error.text);
  return answer.conforms;
}

static void check(const product_t *product, const contract_t *contract, arena_t *arena,
                  size_t *inout_refused) {
  float sums[TREES_MAX];
  size_t count = add_trees(product->terms, 0, TERMS, sums);
  float least = sums[0], most = sums[0];
  for (size_t i = 0; i < count; i++) {
    g_assert_true(conforms(product, contract, quantized(product, sums[i]), arena));
    least = fminf(least, sums[i]);
    most = fmaxf(most, sums[i]);
  }
  const int64_t below = quantized(product, nextafterf(least, -FLT_MAX));
  const int64_t above = quantized(product, nextafterf(most, FLT_MAX));
  const int64_t beyond[] = {below, above};
  for (int i = 0; i < 2; i++) {
    bool is_beyond = beyond[i] < quantized(product, least) || beyond[i] > quantized(product, most);
    if (!is_beyond) continue;
    g_assert_false(conforms(product, contract, beyond[i], arena));
    ++*inout_refused;
  }
}

static void test_trees(void) {
  contract_t contract;
  g_assert_cmpint(contract_parse(str_from("spec"), &contract, NULL), ==, STATUS_OK);
  rng_t rng = rng_make(917777);
  arena_t arena;
  arena_init(&arena);
  size_t refused = 0;
  for (int i = 0; i < CASES; i++) {
    const product_t product = draw_product(&rng, &arena);
    check(&product, &contract, &arena, &refused);
    arena_reset(&arena);
  }
  g_assert_cmpuint(refused, >, CASES / 2);
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/quantized-in-order/trees", test_trees);
  return g_test_run();
}
