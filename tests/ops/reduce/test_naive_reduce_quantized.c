/* SPDX-License-Identifier: Apache-2.0 */
/* Quantized reductions and reductions with an accumulation type of their own against brute force
 * that shares no code with the oracle: host floats, all trees, all results. */
#include <math.h>
#include <stdio.h>

#include "harness/base/rng.h"
#include "oracles/ops/reduce/reduce.h"
#include "oracles/oracle.h"

enum { LEAVES_MAX = 5, VALUES_MAX = 1 << 16, PROGRAMS = 900 };

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

typedef enum brute_body { BRUTE_add, BRUTE_maximum, BRUTE_minimum, BRUTE_multiply } brute_body_t;

/* What a case is, and which results came out of some tree. */
typedef struct brute {
  quantum8_t input, accumulation, result;
  brute_body_t body;
  bool has_no_init;         /* What stands for the initial value enters nowhere. */
  bool reached[VALUES_MAX]; /* By result, from its type's least. */
  bool ends[VALUES_MAX];    /* By value of the accumulation. */
} brute_t;

static int add_by_formula(const quantum8_t *quantum, int a, int b) {
  return quantize(quantum, dequantize(quantum, a) + dequantize(quantum, b));
}

static int add_stored(const quantum8_t *quantum, int a, int b) {
  int sum = a + b - quantum->zero_point;
  return sum < quantum->min ? quantum->min : sum > quantum->max ? quantum->max : sum;
}

static int multiply_by_formula(const quantum8_t *quantum, int a, int b) {
  return quantize(quantum, dequantize(quantum, a) * dequantize(quantum, b));
}

/* The nearest integer to the exact product: scales are multiples of 2^-27 below 4, so that all of
 * it is an integer of fewer than 64 bits. */
static int multiply_stored(const quantum8_t *quantum, int a, int b) {
  int64_t scale = (int64_t)ldexpf(quantum->scale, 27), one = INT64_C(1) << 27;
  int64_t product = (int64_t)(a - quantum->zero_point) * (b - quantum->zero_point) * scale;
  int64_t whole = product / one - (product % one < 0 ? 1 : 0), rest = product - whole * one;
  whole += quantum->zero_point;
  if (rest > one / 2 || (rest == one / 2 && whole % 2 != 0)) whole++;
  return (int)MIN(MAX(whole, quantum->min), quantum->max);
}

static int combine(const brute_t *brute, int way, int a, int b) {
  const quantum8_t *quantum = &brute->accumulation;
  switch (brute->body) {
    case BRUTE_add:
      return way == 0 ? add_by_formula(quantum, a, b) : add_stored(quantum, a, b);
    case BRUTE_multiply:
      return way == 0 ? multiply_by_formula(quantum, a, b) : multiply_stored(quantum, a, b);
    default:
      return (brute->body == BRUTE_maximum) == (a > b) ? a : b;
  }
}

/* All ways to combine two of the values, in order or not, until one is left. */
static void combine_all(brute_t *brute, const int *values, int count, bool any_order) {
  const quantum8_t *accumulation = &brute->accumulation;
  if (count == 1) {
    int result = convert(accumulation, &brute->result, values[0]);
    brute->reached[result - brute->result.min] = true;
    brute->ends[values[0] - accumulation->min] = true;
    return;
  }
  for (int i = 0; i < count; i++) {
    for (int k = i + 1; k < (any_order ? count : MIN(i + 2, count)); k++) {
      for (int way = 0; way < 2; way++) {
        int rest[LEAVES_MAX + 1], left = 0;
        int a = values[i], b = values[k];
        for (int j = 0; j < count; j++) {
          if (j == i) {
            rest[left++] = combine(brute, way, a, b);
          } else if (j != k) {
            rest[left++] = values[j];
          }
        }
        combine_all(brute, rest, left, any_order);
        if (brute->body == BRUTE_maximum || brute->body == BRUTE_minimum) break;
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
  static const char *const bodies[] = {"add", "maximum", "minimum", "multiply"};
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

/* The initial value, stored[0], in all places among the terms, or nowhere. */
static void reach_all(brute_t *brute, const int *stored, int count, bool any_order) {
  memset(brute->reached, 0, sizeof brute->reached);
  memset(brute->ends, 0, sizeof brute->ends);
  if (brute->has_no_init) {
    int leaves[LEAVES_MAX];
    for (int i = 1; i < count; i++) {
      leaves[i - 1] = convert(&brute->input, &brute->accumulation, stored[i]);
    }
    combine_all(brute, leaves, count - 1, any_order);
    return;
  }
  for (int place = 0; place < (any_order ? 1 : count); place++) {
    int leaves[LEAVES_MAX + 1], used = 0;
    for (int i = 1; i <= count; i++) {
      if (i - 1 == place) leaves[used++] = convert(&brute->input, &brute->accumulation, stored[0]);
      if (i < count) leaves[used++] = convert(&brute->input, &brute->accumulation, stored[i]);
    }
    combine_all(brute, leaves, used, any_order);
  }
}

/* Sets of products have at most 24 values; of more the closest become hulls. */
static bool is_exact(const brute_t *brute) {
  enum { VALUES_HELD = 24 };
  int count = 0;
  for (int i = 0; i < VALUES_MAX; i++) count += brute->ends[i];
  return brute->body != BRUTE_multiply || count <= VALUES_HELD;
}

static void check_reached(brute_t *brute, const int *stored, int count, const char *contract,
                          arena_t *arena);

/* Every result of the type is asked about: what some tree gives conforms, and nothing else does. */
static void check_case(brute_t *brute, const int *stored, int count, bool any_order,
                       arena_t *arena) {
  reach_all(brute, stored, count, any_order);
  check_reached(brute, stored, count,
                any_order ? "spec,order=any,init_count=1" : "spec,init_count=1", arena);
}

static void check_reached(brute_t *brute, const int *stored, int count, const char *contract_text,
                          arena_t *arena) {
  case_t instance = parse_case(brute, stored, count, arena);
  reduce_attributes_t attributes = *reduce_attributes(&instance.program);
  attributes.has_no_init = brute->has_no_init;
  instance.program.attributes = &attributes;
  const oracle_t *oracle = oracle_find(instance.program.op);
  contract_t contract;
  g_assert_cmpint(contract_parse(str_from(contract_text), &contract, NULL), ==, STATUS_OK);
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
    if (answer.conforms && !is_reached && !is_exact(brute)) continue;
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
  int products = 0, exact = 0;
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
    brute->body = (brute_body_t)(rng_one_in(&rng, 2) ? rng_below(&rng, 4) : 0);
    int count = 1 + (int)rng_below(&rng, any_order ? 4 : LEAVES_MAX);
    int stored[LEAVES_MAX];
    bool is_near = brute->body == BRUTE_multiply && !rng_one_in(&rng, 4);
    for (int k = 0; k < count; k++) {
      stored[k] = brute->input.min + (int)rng_below(&rng, 256);
      int near =
          brute->input.zero_point + (int)rng_below(&rng, 25) - 12; /* Few of them saturate. */
      if (is_near) stored[k] = MIN(MAX(near, brute->input.min), brute->input.max);
    }
    if (rng_one_in(&rng, 2)) stored[0] = brute->input.zero_point;
    check_case(brute, stored, count, any_order, &arena);
    products += brute->body == BRUTE_multiply;
    exact += brute->body == BRUTE_multiply && is_exact(brute);
  }
  g_test_message("%d of %d products have sets of few values", exact, products);
  g_assert_cmpint(exact, >, products * 3 / 4);
  arena_deinit(&arena);
  g_free(brute);
}

/* Where there is none, as in collectives (theory.md, T210): from one term on. */
static void test_no_init(void) {
  rng_t rng = rng_make(0x210);
  brute_t *brute = g_new0(brute_t, 1);
  int exact = 0;
  arena_t arena;
  arena_init(&arena);
  for (int i = 0; i < PROGRAMS / 2; i++) {
    arena_reset(&arena);
    brute->input = draw_quantum(&rng, false);
    brute->result = brute->input;
    brute->accumulation =
        rng_one_in(&rng, 4) ? brute->input : draw_quantum(&rng, rng_one_in(&rng, 2));
    brute->result.scale = draw_quantum(&rng, false).scale;
    brute->body = (brute_body_t)rng_below(&rng, 4);
    brute->has_no_init = true;
    bool any_order = rng_one_in(&rng, 2);
    int count = 2 + (int)rng_below(&rng, any_order ? 4 : LEAVES_MAX - 1);
    int stored[LEAVES_MAX];
    for (int k = 0; k < count; k++) {
      int near = brute->input.zero_point + (int)rng_below(&rng, 25) - 12;
      stored[k] = MIN(MAX(near, brute->input.min), brute->input.max);
    }
    check_case(brute, stored, count, any_order, &arena);
    exact += is_exact(brute);
  }
  g_assert_cmpint(exact, >, PROGRAMS / 2 * 3 / 4);
  arena_deinit(&arena);
  g_free(brute);
}

/* ---- Any number of initial values ------------------------------------------------------------ */

/* What trees give of the terms from `begin` to before `end`, initial values among them: of 8 bits,
 * from the type's least. */
typedef struct ranges {
  bool reached[LEAVES_MAX + 1][LEAVES_MAX + 1][256];
} ranges_t;

/* All products of two neighbouring ranges; whether any of them is new. */
static bool join(const brute_t *brute, ranges_t *ranges, int begin, int middle, int end) {
  int least = brute->accumulation.min;
  bool *out = ranges->reached[begin][end], any = false;
  for (int a = 0; a < 256; a++) {
    if (!ranges->reached[begin][middle][a]) continue;
    for (int b = 0; b < 256; b++) {
      if (!ranges->reached[middle][end][b]) continue;
      for (int way = 0; way < 2; way++) {
        int value = combine(brute, way, least + a, least + b) - least;
        any |= !out[value];
        out[value] = true;
      }
    }
  }
  return any;
}

/* Until nothing is new. */
static void reach_with_any_inits(brute_t *brute, const int *stored, int count) {
  int terms = count - 1, least = brute->accumulation.min;
  ranges_t *ranges = g_new0(ranges_t, 1);
  int init = convert(&brute->input, &brute->accumulation, stored[0]) - least;
  for (int i = 0; i <= terms; i++) ranges->reached[i][i][init] = true;
  for (int i = 0; i < terms; i++) {
    int term = convert(&brute->input, &brute->accumulation, stored[i + 1]) - least;
    ranges->reached[i][i + 1][term] = true;
  }
  for (bool is_new = true; is_new;) {
    is_new = false;
    for (int begin = 0; begin <= terms; begin++) {
      for (int end = begin; end <= terms; end++) {
        for (int middle = begin; middle <= end; middle++) {
          is_new |= join(brute, ranges, begin, middle, end);
        }
      }
    }
  }
  memset(brute->reached, 0, sizeof brute->reached);
  memset(brute->ends, 0, sizeof brute->ends);
  for (int value = 0; value < 256; value++) {
    if (!ranges->reached[0][terms][value]) continue;
    int result = convert(&brute->accumulation, &brute->result, least + value);
    brute->reached[result - brute->result.min] = true;
  }
  g_free(ranges);
}

static void test_products_with_any_inits(void) {
  enum { CASES = 60 };
  rng_t rng = rng_make(5);
  brute_t *brute = g_new0(brute_t, 1);
  arena_t arena;
  arena_init(&arena);
  for (int i = 0; i < CASES; i++) {
    arena_reset(&arena);
    brute->input = draw_quantum(&rng, false);
    brute->accumulation = rng_one_in(&rng, 2) ? brute->input : draw_quantum(&rng, false);
    brute->result = brute->input;
    brute->result.scale = draw_quantum(&rng, false).scale;
    brute->body = BRUTE_multiply;
    int count = 1 + (int)rng_below(&rng, 4), stored[LEAVES_MAX];
    int one = brute->input.zero_point + (int)nearbyintf(1 / brute->input.scale);
    for (int k = 0; k < count; k++) {
      int near = brute->input.zero_point + (int)rng_below(&rng, 25) - 12;
      if (k == 0 && rng_one_in(&rng, 2)) near = one;
      stored[k] = MIN(MAX(near, brute->input.min), brute->input.max);
    }
    reach_with_any_inits(brute, stored, count);
    check_reached(brute, stored, count, "spec", &arena);
  }
  arena_deinit(&arena);
  g_free(brute);
}

/* ---- One node -------------------------------------------------------------------------------- */

static case_t parse_line(const char *line, arena_t *arena) {
  case_t instance;
  failure_t error;
  if (case_parse(str_from(line), arena, &instance, NULL, &error) != STATUS_OK) {
    g_error("%s: %s", line, error.text);
  }
  return instance;
}

static bool conforms(const case_t *instance, const contract_t *contract, int value,
                     arena_t *arena) {
  const oracle_t *oracle = oracle_find(instance->program.op);
  tensor_t result = tensor_make(arena, &instance->program.results[0]);
  const element_t *storage = result.type.element;
  element_store(storage, result.data, 0, (uint64_t)(int64_t)value & element_mask(storage));
  const oracle_call_t call = {
      .instance = instance, .contract = contract, .results = &result, .arena = arena};
  answer_t answer;
  g_assert_cmpint(oracle->decide(&call, 0, 0, &answer), ==, STATUS_OK);
  return answer.conforms;
}

/* A reduction of one term with one initial value is a quantized multiply, whose oracle rounds with
 * MPFR and rescales in rationals. */
static void test_one_product(void) {
  enum { CASES = 1000 };
  static const char *const contracts[] = {"spec,init_count=1",
                                          "backend,init_count=1",
                                          "spec,init_count=1,quantized=dequantize",
                                          "spec,init_count=1,rescale=float",
                                          "spec,init_count=1,quantize_zero_point=either",
                                          "init_count=1,quantized=dequantize,quantize=reciprocal,"
                                          "quantize_ties=either,quantize_zero_point=either,"
                                          "quantize_quotient=wider",
                                          "init_count=1,quantized=dequantize,quantize_ties=away"};
  rng_t rng = rng_make(13);
  int several = 0;
  arena_t arena;
  arena_init(&arena);
  for (int i = 0; i < CASES; i++) {
    arena_reset(&arena);
    quantum8_t quantum = draw_quantum(&rng, false);
    GString *type = g_string_new(NULL);
    print_type(type, &quantum, "[]");
    if (rng_one_in(&rng, 4)) g_string_replace(type, ":f32", ":f64", 0);
    int a = (int)rng_below(&rng, 256), b = (int)rng_below(&rng, 256);
    g_autofree char *data = g_strdup_printf(": %02x : %02x", a, b);
    g_autofree char *element =
        g_strdup_printf("stablehlo.multiply %s %s -> %s %s", type->str, type->str, type->str, data);
    g_string_replace(type, "[]", "", 0);
    g_autofree char *reduced =
        g_strdup_printf("stablehlo.reduce body=multiply dims=[0] %s[1] %s[] -> %s[] %s", type->str,
                        type->str, type->str, data);
    g_string_free(type, TRUE);
    case_t alone = parse_line(element, &arena), node = parse_line(reduced, &arena);
    contract_t contract;
    const char *text = contracts[rng_below(&rng, G_N_ELEMENTS(contracts))];
    g_assert_cmpint(contract_parse(str_from(text), &contract, NULL), ==, STATUS_OK);
    int right = 0;
    for (int value = quantum.min; value <= quantum.max; value++) {
      bool is_right = conforms(&alone, &contract, value, &arena);
      right += is_right;
      if (conforms(&node, &contract, value, &arena) != is_right) {
        g_error("%s: %d under %s: a multiply says %d", reduced, value, text, is_right);
      }
    }
    several += right > 1;
  }
  g_assert_cmpint(several, >, 3); /* The semantics differ. */
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_data_func("/naive_reduce_quantized/in_order", NULL, test_all_trees);
  g_test_add_data_func("/naive_reduce_quantized/any_order", "any", test_all_trees);
  g_test_add_func("/naive_reduce_quantized/no_init", test_no_init);
  g_test_add_func("/naive_reduce_quantized/one_product", test_one_product);
  g_test_add_func("/naive_reduce_quantized/products_with_any_inits", test_products_with_any_inits);
  return g_test_run();
}
