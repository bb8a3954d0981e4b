/* SPDX-License-Identifier: Apache-2.0 */
/* Quantized reductions and reductions with an accumulation type of their own against brute force
 * that shares no code with the oracle: host floats, all trees, all results. */
#include <math.h>
#include <stdio.h>

#include "harness/base/rng.h"
#include "oracles/oracle.h"

enum { LEAVES_MAX = 5, VALUES_MAX = 1 << 16, PROGRAMS = 300 };

/* A type of 8-bit or 16-bit storage, expressed in f32. */
typedef struct quantum8 {
  const char *storage;
  int min, max, zero_point;
  float scale;
} quantum8_t;

static quantum8_t draw_quantum(rng_t *rng, bool wide) {
  static const float scales[] = {0.5F, 1, 2, 0.1F, 0.3F, 0.25F};
  bool is_signed = rng_one_in(rng, 2);
  int most = wide ? (is_signed ? 32767 : 65535) : (is_signed ? 127 : 255);
  int least = is_signed ? -most - 1 : 0;
  const char *storage = wide ? (is_signed ? "i16" : "ui16") : (is_signed ? "i8" : "ui8");
  int zero_point = rng_one_in(rng, 3) ? least + (int)rng_below(rng, (uint64_t)(most - least) + 1)
                                      : (least + most + 1) / 2;
  return (quantum8_t){storage, least, most, zero_point, scales[rng_below(rng, 6)]};
}

static float dequantize(const quantum8_t *quantum, int stored) {
  return (float)(stored - quantum->zero_point) * quantum->scale;
}

static int quantize(const quantum8_t *quantum, float value) {
  float sum = value / quantum->scale + (float)quantum->zero_point;
  sum = fminf(fmaxf(sum, (float)quantum->min), (float)quantum->max);
  return (int)nearbyintf(sum);
}

static bool is_same(const quantum8_t *a, const quantum8_t *b) {
  return strcmp(a->storage, b->storage) == 0 && a->zero_point == b->zero_point &&
         a->scale == b->scale;
}

static int convert(const quantum8_t *from, const quantum8_t *to, int stored) {
  return is_same(from, to) ? stored : quantize(to, dequantize(from, stored));
}

typedef enum body { BODY_add, BODY_maximum, BODY_minimum } body_t;

/* What a case is, and which results came out of some tree. */
typedef struct brute {
  quantum8_t input, accumulation, result;
  body_t body;
  bool reached[VALUES_MAX]; /* By result, from its type's least. */
} brute_t;

static int add_by_formula(const quantum8_t *quantum, int a, int b) {
  return quantize(quantum, dequantize(quantum, a) + dequantize(quantum, b));
}

static int add_stored(const quantum8_t *quantum, int a, int b) {
  int sum = a + b - quantum->zero_point;
  return sum < quantum->min ? quantum->min : sum > quantum->max ? quantum->max : sum;
}

/* All ways to combine two of the values, in order or not, until one is left. */
static void combine_all(brute_t *brute, const int *values, int count, bool any_order) {
  const quantum8_t *accumulation = &brute->accumulation;
  if (count == 1) {
    int result = convert(accumulation, &brute->result, values[0]);
    brute->reached[result - brute->result.min] = true;
    return;
  }
  for (int i = 0; i < count; i++) {
    for (int k = i + 1; k < (any_order ? count : MIN(i + 2, count)); k++) {
      for (int way = 0; way < 2; way++) {
        int rest[LEAVES_MAX + 1], left = 0;
        int a = values[i], b = values[k];
        for (int j = 0; j < count; j++) {
          if (j == i) {
            if (brute->body == BODY_add) {
              rest[left++] =
                  way == 0 ? add_by_formula(accumulation, a, b) : add_stored(accumulation, a, b);
            } else {
              rest[left++] = (brute->body == BODY_maximum) == (a > b) ? a : b;
            }
          } else if (j != k) {
            rest[left++] = values[j];
          }
        }
        combine_all(brute, rest, left, any_order);
        if (brute->body != BODY_add) break;
      }
    }
  }
}

static void print_type(GString *line, const quantum8_t *quantum, const char *shape) {
  GString *zero_point = g_string_new(NULL);
  if (quantum->zero_point != 0) g_string_printf(zero_point, ":%d", quantum->zero_point);
  const char *scale = quantum->scale == 0.5F    ? "0x1p-1"
                      : quantum->scale == 1     ? "0x1p+0"
                      : quantum->scale == 2     ? "0x1p+1"
                      : quantum->scale == 0.25F ? "0x1p-2"
                      : quantum->scale == 0.1F  ? "0x1.99999ap-4"
                                                : "0x1.333334p-2";
  g_string_append_printf(line, "!quant.uniform<%s:f32,%s%s>%s", quantum->storage, scale,
                         zero_point->str, shape);
  g_string_free(zero_point, TRUE);
}

static case_t parse_case(const brute_t *brute, const int *stored, int count, arena_t *arena) {
  static const char *const bodies[] = {"add", "maximum", "minimum"};
  GString *line = g_string_new(NULL);
  g_string_printf(line, "stablehlo.reduce body=%s dims=[0] ", bodies[brute->body]);
  if (!is_same(&brute->accumulation, &brute->result)) {
    g_string_append(line, "accumulation=");
    print_type(line, &brute->accumulation, " ");
  }
  g_autofree char *shape = g_strdup_printf("[%d] ", count - 1);
  print_type(line, &brute->input, shape);
  print_type(line, &brute->input, "[] -> ");
  print_type(line, &brute->result, "[] : ");
  bool is_wide = brute->input.max > 255;
  for (int i = 1; i < count; i++) {
    g_string_append_printf(line, is_wide ? "%04x" : "%02x", stored[i] & (is_wide ? 0xffff : 0xff));
  }
  if (count == 1) g_string_append_c(line, '-');
  g_string_append_printf(line, is_wide ? " : %04x" : " : %02x",
                         stored[0] & (is_wide ? 0xffff : 0xff));
  case_t instance;
  failure_t error;
  if (case_parse(str_from(line->str), arena, &instance, NULL, &error) != STATUS_OK) {
    g_error("%s: %s", line->str, error.text);
  }
  g_test_message("%s", line->str);
  g_string_free(line, TRUE);
  return instance;
}

/* The initial value, stored[0], in all places among the terms. */
static void reach_all(brute_t *brute, const int *stored, int count, bool any_order) {
  memset(brute->reached, 0, sizeof brute->reached);
  for (int place = 0; place < (any_order ? 1 : count); place++) {
    int leaves[LEAVES_MAX + 1], used = 0;
    for (int i = 1; i <= count; i++) {
      if (i - 1 == place) leaves[used++] = convert(&brute->input, &brute->accumulation, stored[0]);
      if (i < count) leaves[used++] = convert(&brute->input, &brute->accumulation, stored[i]);
    }
    combine_all(brute, leaves, used, any_order);
  }
}

/* Every result of the type is asked about: what some tree gives conforms, and nothing else does. */
static void check_case(brute_t *brute, const int *stored, int count, bool any_order,
                       arena_t *arena) {
  case_t instance = parse_case(brute, stored, count, arena);
  const oracle_t *oracle = oracle_find(instance.program.op);
  contract_t contract;
  const char *text = any_order ? "spec,order=any,init_count=1" : "spec,init_count=1";
  g_assert_cmpint(contract_parse(str_from(text), &contract, NULL), ==, STATUS_OK);
  reach_all(brute, stored, count, any_order);
  tensor_t result = tensor_make(arena, &instance.program.results[0]);
  accept_t accepts[CASE_RESULTS_MAX];
  const oracle_call_t call = {.instance = &instance, .contract = &contract, .arena = arena};
  g_assert_cmpint(oracle->accept(&call, accepts), ==, STATUS_OK);
  const element_t *storage = result.type.element;
  for (int value = brute->result.min; value <= brute->result.max; value++) {
    uint64_t bits = (uint64_t)(int64_t)value & element_mask(storage);
    bool is_reached = brute->reached[value - brute->result.min];
    if (accept_holds(&accepts[0], storage, 0, bits)) g_assert_true(is_reached);
    element_store(storage, result.data, 0, bits);
    answer_t answer;
    const oracle_call_t decide_call = {
        .instance = &instance, .contract = &contract, .results = &result, .arena = arena};
    status_t status = oracle->decide(&decide_call, 0, 0, &answer);
    g_assert_cmpint(status, ==, STATUS_OK);
    if (answer.conforms != is_reached) {
      g_error("%d: oracle says %d, brute force %d (expected %s)", value, answer.conforms,
              is_reached, answer.expected);
    }
  }
}

static void test_all_trees(gconstpointer data) {
  bool any_order = data != NULL;
  rng_t rng = rng_make(any_order ? 11 : 7);
  brute_t *brute = g_new0(brute_t, 1);
  arena_t arena;
  arena_init(&arena);
  for (int i = 0; i < PROGRAMS; i++) {
    arena_reset(&arena);
    brute->input = draw_quantum(&rng, false);
    brute->result = brute->input;
    brute->accumulation =
        rng_one_in(&rng, 4) ? brute->input : draw_quantum(&rng, rng_one_in(&rng, 2));
    if (rng_one_in(&rng, 2)) brute->accumulation.scale = brute->input.scale;
    brute->result.scale = draw_quantum(&rng, false).scale;
    brute->body = (body_t)(rng_one_in(&rng, 3) ? rng_below(&rng, 3) : 0);
    int count = 1 + (int)rng_below(&rng, any_order ? 4 : LEAVES_MAX);
    int stored[LEAVES_MAX];
    for (int k = 0; k < count; k++) {
      stored[k] = brute->input.min + (int)rng_below(&rng, 256);
    }
    if (rng_one_in(&rng, 2)) stored[0] = brute->input.zero_point;
    check_case(brute, stored, count, any_order, &arena);
  }
  arena_deinit(&arena);
  g_free(brute);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_data_func("/naive_reduce_quantized/in_order", NULL, test_all_trees);
  g_test_add_data_func("/naive_reduce_quantized/any_order", "any", test_all_trees);
  return g_test_run();
}
