/* SPDX-License-Identifier: Apache-2.0 */
/* The ways to dequantize, add or multiply, and quantize against all of them written out here: none
 * that differs is left out, and none is made up. */
#include <math.h>

#include "harness/base/rng.h"
#include "oracles/exact/quantum/chain.h"

enum { WAYS_MAX = 64, SAMPLES = 20000 };

/* One way written out: which steps are in f32, and what is rounded to the expressed type. */
typedef struct way {
  bool is_wide[3];
  bool is_rounded[2];
} way_t;

/* A step in the expressed type takes its numbers alone. */
static bool is_possible(const way_t *way) {
  for (int step = 1; step < 3; step++) {
    bool is_expressed = !way->is_wide[step - 1] || way->is_rounded[step - 1];
    if (!way->is_wide[step] && !is_expressed) return false;
  }
  return true;
}

static const format_t *format_of(const way_t *way, int step, const format_t *expressed) {
  return way->is_wide[step] ? &format_table[FORMAT_f32] : expressed;
}

static double give(const way_t *way, int step, const format_t *expressed, double value) {
  double given = format_round_double(format_of(way, step, expressed), value);
  return way->is_rounded[step] ? format_round_double(expressed, given) : given;
}

static int64_t compute(const way_t *way, const format_t *expressed, const quantum_t *quantum,
                       bool multiplies, const int64_t stored[2]) {
  double values[2];
  for (int i = 0; i < 2; i++) {
    double difference = (double)(stored[i] - quantum->zero_point);
    difference = format_round_double(format_of(way, 0, expressed), difference);
    values[i] = give(way, 0, expressed, difference * quantum->scale);
  }
  double value =
      give(way, 1, expressed, multiplies ? values[0] * values[1] : values[0] + values[1]);
  return quantum_quantize(quantum, format_of(way, 2, expressed), value);
}

static int64_t compute_chain(const quantum_chain_t *chain, const quantum_t *quantum,
                             bool multiplies, const int64_t stored[2]) {
  double left = quantum_chain_dequantize(chain, quantum, stored[0]);
  double right = quantum_chain_dequantize(chain, quantum, stored[1]);
  double value = quantum_chain_result(chain, multiplies ? left * right : left + right);
  return quantum_quantize(quantum, chain->quantize, value);
}

typedef struct row {
  const char *storage, *expressed, *permission;
  bool multiplies;
} row_t;

static size_t write_out(const char *permission, way_t out_ways[WAYS_MAX]) {
  bool may_be_native = strstr(permission, "=wide") == NULL;
  bool may_be_wide = strstr(permission, "=native") == NULL;
  size_t count = 0;
  for (unsigned bits = 0; bits < 32; bits++) {
    way_t way = {.is_wide = {bits & 1, bits & 2, bits & 4}, .is_rounded = {bits & 8, bits & 16}};
    bool is_permitted = is_possible(&way);
    for (int step = 0; step < 3; step++) {
      is_permitted &= way.is_wide[step] ? may_be_wide : may_be_native;
      if (step < 2) is_permitted &= way.is_wide[step] || !way.is_rounded[step];
    }
    if (is_permitted) out_ways[count++] = way;
  }
  return count;
}

/* Scales of all exponents that the type has, subnormal ones too. */
static quantum_t draw_quantum(rng_t *rng, const element_t *storage, const format_t *expressed) {
  int lowest = expressed->exponent_min - expressed->precision + 1;
  int exponents = expressed->exponent_max / 2 - lowest;
  double scale = ldexp((double)(1024 + rng_below(rng, 1024)),
                       lowest - 10 + (int)rng_below(rng, (uint64_t)exponents));
  int64_t least = element_integer_min(storage), most = (int64_t)element_integer_max(storage);
  return (quantum_t){.scale = format_round_double(expressed, scale),
                     .zero_point = least + (int64_t)rng_below(rng, (uint64_t)(most - least) + 1),
                     .storage_min = least,
                     .storage_max = most,
                     .type_min = least,
                     .type_max = most};
}

static void check_sample(rng_t *rng, const row_t *row, const type_t *type, size_t way_count,
                         const way_t *ways, size_t chain_count, const quantum_chain_t *chains) {
  const format_t *expressed = quantum_expressed(type);
  const quantum_t quantum = draw_quantum(rng, type->element, expressed);
  int64_t stored[2], by_way[WAYS_MAX], by_chain[QUANTUM_CHAINS_MAX];
  for (int i = 0; i < 2; i++) {
    uint64_t values = (uint64_t)(quantum.storage_max - quantum.storage_min) + 1;
    stored[i] = quantum.storage_min + (int64_t)rng_below(rng, values);
  }
  for (size_t i = 0; i < way_count; i++) {
    by_way[i] = compute(&ways[i], expressed, &quantum, row->multiplies, stored);
  }
  for (size_t i = 0; i < chain_count; i++) {
    by_chain[i] = compute_chain(&chains[i], &quantum, row->multiplies, stored);
  }
  for (size_t i = 0; i < way_count; i++) {
    bool is_there = false;
    for (size_t k = 0; k < chain_count; k++) is_there |= by_chain[k] == by_way[i];
    g_assert_true(is_there);
  }
  for (size_t k = 0; k < chain_count; k++) {
    bool is_there = false;
    for (size_t i = 0; i < way_count; i++) is_there |= by_chain[k] == by_way[i];
    g_assert_true(is_there);
  }
}

static void test_row(gconstpointer data) {
  const row_t *row = data;
  contract_t contract;
  failure_t error;
  g_assert_cmpint(contract_parse(str_from(row->permission), &contract, &error), ==, STATUS_OK);
  const quantization_t quantization = {.expressed = element_named(row->expressed)};
  const type_t type = {.element = element_named(row->storage), .quantization = &quantization};
  way_t ways[WAYS_MAX];
  quantum_chain_t chains[QUANTUM_CHAINS_MAX];
  size_t way_count = write_out(row->permission, ways);
  size_t chain_count =
      quantum_chains(&type, type.element->bits, &contract, row->multiplies, chains);
  g_test_message("%zu ways, %zu of them listed", way_count, chain_count);
  g_assert_cmpuint(chain_count, <=, way_count);
  const format_t *arithmetics[2];
  size_t arithmetic_count = quantum_arithmetics(&type, &contract, arithmetics);
  for (size_t i = 0; i < arithmetic_count; i++) {
    const format_t *arithmetic = arithmetics[i];
    g_assert_true(chains[i].dequantize == arithmetic && chains[i].operate == arithmetic &&
                  chains[i].quantize == arithmetic && chains[i].given[0] == arithmetic &&
                  chains[i].given[1] == arithmetic && chains[i].narrowest == arithmetic);
  }
  rng_t rng = rng_make(11);
  for (int i = 0; i < SAMPLES; i++) {
    check_sample(&rng, row, &type, way_count, ways, chain_count, chains);
  }
}

/* Of a type that is wider than 16 bits there is one. */
static void test_f32(void) {
  contract_t contract;
  failure_t error;
  g_assert_cmpint(contract_parse(str_from("backend"), &contract, &error), ==, STATUS_OK);
  const quantization_t quantization = {.expressed = element_named("f32")};
  const type_t type = {.element = element_named("i8"), .quantization = &quantization};
  quantum_chain_t chains[QUANTUM_CHAINS_MAX];
  g_assert_cmpuint(quantum_chains(&type, type.element->bits, &contract, false, chains), ==, 1);
  g_assert_true(chains[0].narrowest == &format_table[FORMAT_f32]);
}

/* Bounds of errors: 5 and 7 roundings in one arithmetic (theory.md, T42 and T190), and no more by
 * any chain. */
static void test_errors(void) {
  contract_t contract;
  failure_t error;
  g_assert_cmpint(contract_parse(str_from("intermediate=either"), &contract, &error), ==,
                  STATUS_OK);
  const quantization_t quantization = {.expressed = element_named("bf16")};
  const type_t type = {.element = element_named("i16"), .quantization = &quantization};
  for (int multiplies = 0; multiplies < 2; multiplies++) {
    quantum_chain_t chains[QUANTUM_CHAINS_MAX];
    size_t count = quantum_chains(&type, type.element->bits, &contract, multiplies, chains);
    quantum_errors_t first = quantum_chain_errors(&chains[0], multiplies, 1);
    double expected = pow(1 + 0x1p-8, multiplies ? 7 : 5) - 1;
    g_assert_cmpfloat_with_epsilon(first.parts, expected, 1e-12);
    g_assert_cmpfloat_with_epsilon(first.zero_point, pow(1 + 0x1p-8, 2) - 1, 1e-12);
    for (size_t i = 1; i < count; i++) {
      quantum_errors_t errors = quantum_chain_errors(&chains[i], multiplies, 1);
      g_assert_cmpfloat(errors.parts, <, first.parts * (1 + 0x1p-12)); /* And of f32. */
      g_assert_cmpfloat(errors.zero_point, <=, first.zero_point);
    }
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  static const char *const storages[] = {"i4", "i8", "ui8", "i16"};
  static const char *const expressed[] = {"bf16", "f16", "f8E4M3FN", "f8E5M2"};
  static const char *const permissions[] = {"intermediate=wide", "intermediate=native",
                                            "intermediate=either",
                                            "intermediate=either,accum_rounding=rz"};
  static row_t
      rows[2 * G_N_ELEMENTS(storages) * G_N_ELEMENTS(expressed) * G_N_ELEMENTS(permissions)];
  size_t count = 0;
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    size_t rest = i / 2;
    row_t *row = &rows[count++];
    row->multiplies = i % 2 != 0;
    row->storage = storages[rest % G_N_ELEMENTS(storages)];
    rest /= G_N_ELEMENTS(storages);
    row->expressed = expressed[rest % G_N_ELEMENTS(expressed)];
    row->permission = permissions[rest / G_N_ELEMENTS(expressed)];
    g_autofree char *path =
        g_strdup_printf("/quantum_chain/%s/%s/%s/%s", row->storage, row->expressed, row->permission,
                        row->multiplies ? "multiply" : "add");
    g_test_add_data_func(path, row, test_row);
  }
  g_test_add_func("/quantum_chain/f32", test_f32);
  g_test_add_func("/quantum_chain/errors", test_errors);
  return g_test_run();
}
