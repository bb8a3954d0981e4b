/* SPDX-License-Identifier: Apache-2.0 */
/* The op rows of byteir.quantize and byteir.dequantize. */
#include <math.h>

#include "oracles/ops/byteir_quantize/byteir_quantize.h"
#include "tests/ops/op_checks.h"

static const draw_limits_t limits = {.rank_max = 5, .elements_max = 4096, .terms_max = 512};

static const op_t *quantize_row(void) { return check_find_op("byteir.quantize"); }
static const op_t *dequantize_row(void) { return check_find_op("byteir.dequantize"); }

#define QUANTIZE "byteir.quantize "
#define DEQUANTIZE "byteir.dequantize "

static const violation_row_t quantize_rows[] = {
    {QUANTIZE "f32[2,3] f32[] i8[] -> i8[2,3]", NULL},
    {QUANTIZE "f32[] f32[] i8[] -> i8[]", NULL},
    {QUANTIZE "bf16[2,0] bf16[] ui16[] -> ui16[2,0]", NULL},
    {QUANTIZE "axis=1 f32[2,3] f32[3] ui8[3] -> ui8[2,3]", NULL},
    {QUANTIZE "axis=-1 f16[2,3] f16[3] i16[3] -> i16[2,3]", NULL},
    {QUANTIZE "axis=-3 f64[2,3,4] f64[2] i8[2] -> i8[2,3,4]", NULL},
    {QUANTIZE "axis=0 f32[1] f32[1] i8[1] -> i8[1]", NULL},
    {QUANTIZE "axis=0 f32[0,4] f32[0] i8[0] -> i8[0,4]", NULL},

    {QUANTIZE "f32[2] f32[] -> i8[2]", "count"},
    {QUANTIZE "f32[2] f32[] i8[] i8[] -> i8[2]", "count"},
    {QUANTIZE "f32[2] f32[] i8[] -> i8[2] i8[2]", "count"},
    {QUANTIZE "i8[2] i8[] i8[] -> i8[2]", "types"},
    {QUANTIZE "f8E5M2[2] f8E5M2[] i8[] -> i8[2]", "floats"},
    {QUANTIZE "f32[2] f32[] i32[] -> i32[2]", "types"},
    {QUANTIZE "f32[2] f32[] i4[] -> i4[2]", "types"},
    {QUANTIZE "f32[2] f32[] i1[] -> i1[2]", "types"},
    {QUANTIZE "f32[2] f32[] f32[] -> f32[2]", "types"},
    {QUANTIZE "f32[2] f32[] !quant.uniform<i8:f32,0x1p+0>[] -> i8[2]", "types"},
    {QUANTIZE "f16[2] f32[] i8[] -> i8[2]", "floats"},
    {QUANTIZE "i8[2] f32[] i8[] -> i8[2]", "input"},
    {QUANTIZE "f32[2] f32[] i8[] -> ui8[2]", "result"},
    {QUANTIZE "f32[2] f32[] i8[] -> i8[3]", "result"},
    {QUANTIZE "f32[2] f32[] i8[] -> i8[2,1]", "result"},
    {QUANTIZE "f32[2] f32[] i8[] -> !quant.uniform<i8:f32,0x1p+0>[2]", "result"},
    {QUANTIZE "axis=0 f32[2] f32[2] i8[] -> i8[2]", "parameters"},
    {QUANTIZE "axis=0 f32[2] f32[2] i8[3] -> i8[2]", "parameters"},
    {QUANTIZE "axis=0 f32[2] f32[2,1] i8[2,1] -> i8[2]", "parameters"},
    {QUANTIZE "f32[2] f32[2] i8[2] -> i8[2]", "axis"},
    {QUANTIZE "f32[1] f32[1] i8[1] -> i8[1]", "axis"},
    {QUANTIZE "axis=0 f32[2] f32[] i8[] -> i8[2]", "axis"},
    {QUANTIZE "axis=1 f32[2] f32[2] i8[2] -> i8[2]", "axis"},
    {QUANTIZE "axis=-2 f32[2] f32[2] i8[2] -> i8[2]", "axis"},
    {QUANTIZE "axis=0 f32[] f32[1] i8[1] -> i8[]", "axis"},
    {QUANTIZE "axis=9223372036854775807 f32[2] f32[2] i8[2] -> i8[2]", "axis"},
    {QUANTIZE "axis=-9223372036854775808 f32[2] f32[2] i8[2] -> i8[2]", "axis"},
    {QUANTIZE "axis=0 f32[2,3] f32[3] i8[3] -> i8[2,3]", "channels"},
    {QUANTIZE "axis=0 f32[2] f32[1] i8[1] -> i8[2]", "channels"},
};

static const violation_row_t dequantize_rows[] = {
    {DEQUANTIZE "i8[2,3] f32[] i8[] -> f32[2,3]", NULL},
    {DEQUANTIZE "axis=1 ui16[2,3] bf16[3] ui16[3] -> bf16[2,3]", NULL},
    {DEQUANTIZE "axis=-2 i16[2,3] f64[2] i16[2] -> f64[2,3]", NULL},

    {DEQUANTIZE "i8[2] f32[] -> f32[2]", "count"},
    {DEQUANTIZE "i32[2] f32[] i32[] -> f32[2]", "types"},
    {DEQUANTIZE "i8[2] f8E4M3[] i8[] -> f8E4M3[2]", "floats"},
    {DEQUANTIZE "i8[2] f32[] ui8[] -> f32[2]", "input"},
    {DEQUANTIZE "f32[2] f32[] i8[] -> f32[2]", "input"},
    {DEQUANTIZE "!quant.uniform<i8:f32,0x1p+0>[2] f32[] i8[] -> f32[2]", "input"},
    {DEQUANTIZE "i8[2] f32[] i8[] -> f16[2]", "floats"},
    {DEQUANTIZE "i8[2] f32[] i8[] -> i8[2]", "result"},
    {DEQUANTIZE "i8[2] f32[] i8[1] -> f32[2]", "parameters"},
    {DEQUANTIZE "i8[2] f32[2] i8[2] -> f32[2]", "axis"},
    {DEQUANTIZE "axis=0 i8[2] f32[3] i8[3] -> f32[2]", "channels"},
};

static void test_violations(void) {
  check_violations(quantize_row(), quantize_rows, G_N_ELEMENTS(quantize_rows), "");
  check_violations(dequantize_row(), dequantize_rows, G_N_ELEMENTS(dequantize_rows), "");
}

static void test_hostile(void) {
  check_hostile(quantize_rows, G_N_ELEMENTS(quantize_rows), 20000);
  check_hostile(dequantize_rows, G_N_ELEMENTS(dequantize_rows), 20000);
}

/* The seed document has i8 alone; today's one has no negative axes. */
static void test_contracts(void) {
  static const struct {
    const char *line;
    const char *seed;
    const char *today;
  } rows[] = {
      {QUANTIZE "f32[2] f32[] i8[] -> i8[2]", NULL, NULL},
      {QUANTIZE "f32[2] f32[] ui8[] -> ui8[2]", "storage", NULL},
      {DEQUANTIZE "i16[2] f32[] i16[] -> f32[2]", "storage", NULL},
      {DEQUANTIZE "ui16[2] f32[] ui16[] -> f32[2]", "storage", NULL},
      {QUANTIZE "axis=-1 f32[2] f32[2] i8[2] -> i8[2]", NULL, "sign"},
      {DEQUANTIZE "axis=-1 ui8[2] f32[2] ui8[2] -> f32[2]", "storage", "sign"},
  };
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    const char *violation = NULL;
    program_t program = check_parse(rows[i].line, &arena, &violation);
    g_assert_cmpstr(violation, ==, NULL);
    contract_t contract = contract_backend();
    PERMITTED(&contract, byteir) = BYTEIR_SEED;
    g_assert_cmpstr(check_broken_under(&program, &contract), ==, rows[i].seed);
    PERMITTED(&contract, byteir) = BYTEIR_TODAY;
    g_assert_cmpstr(check_broken_under(&program, &contract), ==, rows[i].today);
  }
  arena_deinit(&arena);
}

/* ---- Drawing --------------------------------------------------------------------------------- */

/* What a run of drawn programs has to show at least once. */
typedef struct coverage {
  uint64_t floats; /* Bit masks over element_table. */
  uint64_t storages;
  uint32_t ranks;
  bool has_tensor;
  bool has_first;
  bool has_middle;
  bool has_last;
  bool has_negative;
  bool has_one_channel;
  bool has_no_element;
} coverage_t;

/* Which scale an element has, the slow way. */
static void check_channels(const program_t *program) {
  byteir_quantize_channels_t channels = byteir_quantize_channels(program);
  const optional_integer_t *axis = &byteir_quantize_attributes(program)->axis;
  const type_t *input = &program->operands[QUANTIZE_INPUT];
  for (size_t i = 0; i < type_element_count(input); i++) {
    int64_t index[TYPE_RANK_MAX];
    check_unravel(input, i, index);
    size_t dim = (size_t)byteir_axis(axis->value, input->rank);
    size_t expected = axis->is_present ? (size_t)index[dim] : 0;
    g_assert_cmpuint(byteir_quantize_channel(&channels, i), ==, expected);
  }
}

static void visit_drawn(const program_t *program, arena_t *arena, void *state) {
  (void)arena;
  coverage_t *coverage = state;
  const type_t *input = &program->operands[QUANTIZE_INPUT];
  const optional_integer_t *axis = &byteir_quantize_attributes(program)->axis;
  int64_t dim = byteir_axis(axis->value, input->rank);
  bool is_long = axis->is_present && input->rank > 2;
  check_channels(program);
  coverage->floats |= UINT64_C(1) << (program->operands[QUANTIZE_SCALE].element - element_table);
  coverage->storages |= UINT64_C(1)
                        << (program->operands[QUANTIZE_ZERO_POINT].element - element_table);
  coverage->ranks |= 1u << input->rank;
  coverage->has_tensor |= !axis->is_present;
  coverage->has_first |= is_long && dim == 0;
  coverage->has_middle |= is_long && dim > 0 && dim + 1 < input->rank;
  coverage->has_last |= is_long && dim + 1 == input->rank;
  coverage->has_negative |= axis->value < 0;
  coverage->has_one_channel |= axis->is_present && input->dims[dim] == 1;
  coverage->has_no_element |= type_element_count(input) == 0;
}

static void check_coverage(const op_t *op) {
  coverage_t coverage = {0};
  check_drawn(op, &limits, 4000, visit_drawn, &coverage);
  for (size_t i = 0; i < element_count; i++) {
    bool is_float = byteir_is_float(&element_table[i], NULL);
    bool is_storage = byteir_quantize_is_storage(&element_table[i], NULL);
    g_assert_cmpint((coverage.floats >> i & 1) != 0, ==, is_float);
    g_assert_cmpint((coverage.storages >> i & 1) != 0, ==, is_storage);
  }
  g_assert_cmphex(coverage.ranks, ==, (1u << (limits.rank_max + 1)) - 1);
  g_assert_true(coverage.has_tensor && coverage.has_first && coverage.has_middle);
  g_assert_true(coverage.has_last && coverage.has_negative);
  g_assert_true(coverage.has_one_channel && coverage.has_no_element);
}

static void test_drawn(void) {
  check_coverage(quantize_row());
  check_coverage(dequantize_row());
}

static void visit_nothing(const program_t *program, arena_t *arena, void *state) {
  (void)program;
  (void)arena;
  (void)state;
}

static void test_tight_limits(void) {
  const draw_limits_t tight[] = {{0, 1, 1, DRAW_SIZES_SMALL},
                                 {8, 1, 1, DRAW_SIZES_SMALL},
                                 {1, 2, 1, DRAW_SIZES_SMALL},
                                 {8, 256, 2, DRAW_SIZES_SMALL}};
  for (size_t i = 0; i < G_N_ELEMENTS(tight); i++) {
    check_drawn(quantize_row(), &tight[i], 500, visit_nothing, NULL);
    check_drawn(dequantize_row(), &tight[i], 500, visit_nothing, NULL);
  }
}

/* ---- Edges ----------------------------------------------------------------------------------- */

/* How often draw_edges() draws what. */
typedef struct edges {
  size_t elements;
  size_t ties[2][2]; /* By the parity of the integer below, and by sign. */
  size_t near_ties;  /* A tie once it is rounded to the input's type. */
  size_t saturating;
  size_t last_ties; /* Half an integer beyond an end of the range, or within it. */
  size_t huge;
  size_t infinite;
  size_t not_numbers;
  size_t negative_zeros;
  size_t odd_zero_points;
  size_t end_zero_points;
  size_t odd_scales; /* Zero, negative, infinite or NaN. */
  size_t subnormal_scales;
} edges_t;

static double load_double(const tensor_t *tensor, size_t index) {
  const element_t *element = tensor->type.element;
  return format_to_double(element->format, element_load(element, tensor->data, index));
}

static void count_quotient(edges_t *edges, double input, double scale, int64_t zero_point,
                           storage_t storage) {
  double quotient = input / scale;
  double rounded = (double)((float)input / (float)scale);
  edges->infinite += isinf(input) != 0;
  edges->not_numbers += isnan(input) != 0;
  edges->negative_zeros += input == 0 && signbit(input) != 0;
  if (!isfinite(quotient)) return;
  bool is_tie = fabs(quotient - trunc(quotient)) == 0.5;
  bool is_odd = fmod(floor(quotient), 2) != 0;
  if (is_tie) edges->ties[is_odd][quotient < 0]++;
  edges->near_ties += !is_tie && fabs(rounded - trunc(rounded)) == 0.5;
  edges->huge += fabs(quotient) > 0x1p31;
  double shifted = quotient + (double)zero_point;
  edges->saturating += shifted > (double)storage.largest || shifted < (double)storage.smallest;
  bool is_last = fabs(shifted - (double)storage.largest) == 0.5 ||
                 fabs(shifted - (double)storage.smallest) == 0.5;
  edges->last_ties += is_last;
}

static void count_edges(const case_t *instance, edges_t *edges) {
  const tensor_t *input = &instance->operands[QUANTIZE_INPUT];
  const tensor_t *scale = &instance->operands[QUANTIZE_SCALE];
  const tensor_t *zero_point = &instance->operands[QUANTIZE_ZERO_POINT];
  storage_t storage = storage_of(zero_point->type.element);
  double value = load_double(scale, 0);
  int64_t addend = storage_load(zero_point, 0);
  edges->odd_scales += !(value > 0) || isinf(value);
  edges->subnormal_scales += value > 0 && value < 0x1p-126;
  edges->odd_zero_points += addend % 2 != 0;
  edges->end_zero_points += addend == storage.smallest || addend == storage.largest;
  for (size_t i = 0; i < type_element_count(&input->type); i++, edges->elements++) {
    count_quotient(edges, load_double(input, i), value, addend, storage);
  }
}

static void test_edges(void) {
  enum { CASES = 3000 };
  arena_t arena;
  arena_init(&arena);
  const char *violation = NULL;
  program_t program = check_parse(QUANTIZE "f32[20] f32[] i8[] -> i8[20]", &arena, &violation);
  rng_t rng = rng_make(0xed6e);
  edges_t edges = {0};
  for (size_t i = 0; i < CASES; i++) {
    case_t instance = case_make(&arena, &program);
    quantize_row()->draw_edges(&rng, &instance);
    count_edges(&instance, &edges);
  }
  for (size_t odd = 0; odd < 2; odd++) {
    for (size_t negative = 0; negative < 2; negative++) {
      g_assert_cmpuint(edges.ties[odd][negative], >, edges.elements / 50);
    }
  }
  g_assert_cmpuint(edges.near_ties, >, edges.elements / 100);
  g_assert_cmpuint(edges.saturating, >, edges.elements / 20);
  g_assert_cmpuint(edges.last_ties, >, edges.elements / 100);
  g_assert_cmpuint(edges.huge, >, edges.elements / 100);
  g_assert_true(edges.infinite > 100 && edges.not_numbers > 10 && edges.negative_zeros > 10);
  g_assert_cmpuint(edges.odd_zero_points, >, CASES / 5);
  g_assert_cmpuint(edges.end_zero_points, >, CASES / 20);
  g_assert_cmpuint(edges.subnormal_scales, >, CASES / 50);
  g_assert_cmpuint(edges.odd_scales, >, CASES / 100);
  g_assert_cmpuint(edges.odd_scales, <, CASES / 10); /* They hide all else. */
  arena_deinit(&arena);
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void test_mlir(void) {
  g_autofree char *text =
      check_text(QUANTIZE "axis=1 f32[2,3] f32[3] ui8[3] -> ui8[2,3]", quantize_row()->print_mlir);
  g_assert_cmpstr(text, ==,
                  "module {\n"
                  "  func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>, "
                  "%arg2: tensor<3xui8>) -> tensor<2x3xui8> {\n"
                  "    %0 = \"stablehlo.custom_call\"(%arg0, %arg1, %arg2) {api_version = 1 : i32, "
                  "backend_config = \"\", byteir_attrs = {axis = 1 : i64}, call_target_name = "
                  "\"byteir.quantize\", called_computations = [], has_side_effect = false} : "
                  "(tensor<2x3xf32>, tensor<3xf32>, tensor<3xui8>) -> tensor<2x3xui8>\n"
                  "    return %0 : tensor<2x3xui8>\n"
                  "  }\n"
                  "}\n");
  g_autofree char *without =
      check_text(DEQUANTIZE "i8[2,3] f32[] i8[] -> f32[2,3]", dequantize_row()->print_mlir);
  g_assert_nonnull(strstr(without, "byteir_attrs = {}, call_target_name = \"byteir.dequantize\""));
}

static void test_words(void) {
  static const struct {
    const char *line;
    const char *algorithm;
    const char *words;
  } rows[] = {
      {QUANTIZE "f32[2,3] f32[] ui8[] -> ui8[2,3]", "per-tensor",
       "quantizes f32[2,3] to ui8, by one scale and zero point for all"},
      {DEQUANTIZE "axis=-2 i16[2,3,4] bf16[3] i16[3] -> bf16[2,3,4]", "per-channel",
       "dequantizes i16[2,3,4] to bf16, by 3 scales and zero points along dimension 1"},
      {QUANTIZE "axis=0 f32[1] f32[1] i8[1] -> i8[1]", "per-channel",
       "quantizes f32[1] to i8, by 1 scales and zero points along dimension 0"},
      {QUANTIZE "axis=0 f32[1] f32[] i8[] -> i8[1]", "per-channel",
       "is no byteir.quantize: it breaks axis"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *words = check_text(rows[i].line, program_print_words);
    g_autofree char *algorithm = check_text(rows[i].line, quantize_row()->print_algorithm);
    g_assert_cmpstr(words, ==, rows[i].words);
    g_assert_cmpstr(algorithm, ==, rows[i].algorithm);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/byteir_quantize/violations", test_violations);
  g_test_add_func("/byteir_quantize/hostile", test_hostile);
  g_test_add_func("/byteir_quantize/contracts", test_contracts);
  g_test_add_func("/byteir_quantize/drawn", test_drawn);
  g_test_add_func("/byteir_quantize/tight_limits", test_tight_limits);
  g_test_add_func("/byteir_quantize/edges", test_edges);
  g_test_add_func("/byteir_quantize/mlir", test_mlir);
  g_test_add_func("/byteir_quantize/words", test_words);
  return g_test_run();
}
