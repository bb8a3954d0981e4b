/* SPDX-License-Identifier: Apache-2.0 */
/* The op row of stablehlo.reduce. */
#include "oracles/ops/reduce/reduce.h"
#include "tests/ops/op_checks.h"

static const draw_limits_t limits = {.rank_max = 5, .elements_max = 4096, .terms_max = 512};

static const op_t *reduce_row(void) { return check_find_op("stablehlo.reduce"); }

#define REDUCE "stablehlo.reduce "
#define U8 "!quant.uniform<ui8:f32,0x1p-1:128>"
#define U8_OTHER "!quant.uniform<ui8:f32,0x1p+1:100>"
#define I32 "!quant.uniform<i32:f32,0x1p-1>"
#define I32_OTHER "!quant.uniform<i32:f32,0x1p+3>"

static const violation_row_t violations[] = {
    {REDUCE "body=add dims=[0,2] f32[4,4,2] f32[] -> f32[4]", NULL},
    {REDUCE "body=add dims=[2,0] f32[4,4,2] f32[] -> f32[4]", NULL},
    {REDUCE "body=add dims=[] f32[] f32[] -> f32[]", NULL},
    {REDUCE "body=add dims=[1] f32[3,0] f32[] -> f32[3]", NULL},
    {REDUCE "body=add dims=[0] f16[4] f16[] -> f32[]", NULL},
    {REDUCE "body=add dims=[0] i8[4] i8[] -> ui32[]", NULL},
    {REDUCE "body=add dims=[0] f16[4] f16[] -> bf16[]", NULL},
    {REDUCE "body=add dims=[0] i1[4] i1[] -> i1[]", NULL},
    {REDUCE "body=multiply dims=[0] complex<f32>[4] complex<f32>[] -> complex<f64>[]", NULL},
    {REDUCE "body=xor dims=[0] ui2[4] ui2[] -> i64[]", NULL},
    {REDUCE "body=argmax dims=[0] f32[4] i32[4] f32[] i32[] -> f32[] i32[]", NULL},
    {REDUCE "body=argmin dims=[0] ui8[4] ui32[4] ui8[] ui32[] -> ui8[] ui32[]", NULL},
    {REDUCE "body=sum_count dims=[0] bf16[4] i8[4] bf16[] i8[] -> f32[] i32[]", NULL},

    {REDUCE "body=add dims=[0] " U8 "[4] " U8 "[] -> " U8 "[]", NULL},
    {REDUCE "body=add dims=[0] " U8 "[4] " U8 "[] -> " I32 "[]", NULL},
    {REDUCE "body=add dims=[0] accumulation=" I32 " " U8 "[4] " U8 "[] -> " U8_OTHER "[]", NULL},
    {REDUCE "body=maximum dims=[0] accumulation=i8 i32[4] i32[] -> i32[]", NULL},
    {REDUCE "body=add dims=[0] accumulation=bf16 f32[4] f32[] -> f32[]", NULL},
    {REDUCE "body=sum_count dims=[0] accumulation=[f64,i32] f32[4] i32[4] f32[] i32[] -> f32[] "
            "i32[]",
     NULL},

    {REDUCE "body=argmax dims=[0] f32[4] i32[3] f32[] i32[] -> f32[] i32[]", "C1"},
    {REDUCE "body=sum_count dims=[0] f32[4] i32[4,1] f32[] i32[] -> f32[] i32[]", "C1"},
    {REDUCE "body=add dims=[0] f32[4] f16[] -> f32[]", "C2"},
    {REDUCE "body=argmax dims=[0] f32[4] i32[4] f32[] i64[] -> f32[] i32[]", "C2"},
    {REDUCE "body=add dims=[0] f32[4] -> f32[]", "C3"},
    {REDUCE "body=add dims=[0] f32[4] f32[] f32[] -> f32[]", "C3"},
    {REDUCE "body=add dims=[0] f32[4] f32[] -> f32[] f32[]", "C3"},
    {REDUCE "body=argmax dims=[0] f32[4] i32[4] f32[] i32[] -> f32[]", "C3"},
    {REDUCE "body=add dims=[1] f32[4] f32[] -> f32[4]", "C4"},
    {REDUCE "body=add dims=[-1] f32[4] f32[] -> f32[4]", "C4"},
    {REDUCE "body=add dims=[0] f32[] f32[] -> f32[]", "C4"},
    {REDUCE "body=add dims=[9223372036854775807] f32[4] f32[] -> f32[4]", "C4"},
    {REDUCE "body=add dims=[0,0] f32[4] f32[] -> f32[]", "C5"},
    {REDUCE "body=add dims=[1,0,1] f32[4,4] f32[] -> f32[]", "C5"},
    {REDUCE "body=add dims=[0] f32[4] f32[] -> f16[]", "C6"},
    {REDUCE "body=add dims=[0] f32[4] f32[] -> i32[]", "case-D"},
    {REDUCE "body=add dims=[0] i32[4] i32[] -> f32[]", "case-E"},
    {REDUCE "body=add dims=[0] accumulation=i32 f32[4] f32[] -> f32[]", "case-D"},
    {REDUCE "body=add dims=[0] accumulation=f32 ui8[4] ui8[] -> ui8[]", "case-E"},
    {REDUCE "body=add dims=[0] accumulation=" U8 " f32[4] f32[] -> f32[]", "case-B"},
    {REDUCE "body=add dims=[0] accumulation=f32 " U8 "[4] " U8 "[] -> " U8 "[]", "case-C"},
    {REDUCE "body=add dims=[0] accumulation=complex<f64> complex<f32>[4] complex<f32>[] -> "
            "complex<f32>[]",
     "case-H"},
    {REDUCE "body=add dims=[0] complex<f64>[4] complex<f64>[] -> complex<f32>[]", "case-H"},
    {REDUCE "body=add dims=[0] accumulation=i1 f32[4] f32[] -> f32[]", "C6"},
    {REDUCE "body=add dims=[0] accumulation=" I32 " " U8 "[4] " U8 "[] -> " I32_OTHER "[]", "C8"},
    {REDUCE "body=add dims=[0] accumulation=bf16 bf16[4] bf16[] -> f32[]", "C8"},
    {REDUCE "body=add dims=[0] accumulation=f32 f32[4] f32[] -> f32[]", "accumulation"},
    {REDUCE "body=add dims=[0] accumulation=[f64,f64] f32[4] f32[] -> f32[]", "C6"},
    {REDUCE "body=sum_count dims=[0] accumulation=f64 f32[4] i32[4] f32[] i32[] -> f32[] i32[]",
     "C6"},
    {REDUCE "body=add dims=[0] i1[4] i1[] -> i8[]", "C6"},
    {REDUCE "body=add dims=[0] i32[4] i32[] -> i8[]", "C6"},
    {REDUCE "body=argmax dims=[0] f32[4] f32[] -> f32[]", "C6"},
    {REDUCE "body=add dims=[0] f32[4] i32[4] f32[] i32[] -> f32[] i32[]", "C6"},
    {REDUCE "body=add dims=[0] f32[4,3] f32[] -> f32[4]", "C7"},
    {REDUCE "body=add dims=[0] f32[4,3] f32[] -> f32[1,3]", "C7"},
    {REDUCE "body=sum_count dims=[0] f32[4] i32[4] f32[] i32[] -> f32[] i32[1]", "C7"},
    {REDUCE "body=add dims=[0] f32[4] f32[1] -> f32[]", "types"},
    {REDUCE "body=and dims=[0] f32[4] f32[] -> f32[]", "bits"},
    {REDUCE "body=maximum dims=[0] complex<f32>[4] complex<f32>[] -> complex<f32>[]", "body"},
    {REDUCE "body=argmax dims=[0] f16[4] i32[4] f16[] i32[] -> f32[] i32[]", "body"},
    {REDUCE "body=argmax dims=[0] f32[4] f32[4] f32[] f32[] -> f32[] f32[]", "body"},
    {REDUCE "body=argmax dims=[0] i1[4] i32[4] i1[] i32[] -> i1[] i32[]", NULL},
    {REDUCE "body=argmin dims=[0] i1[4] i1[4] i1[] i1[] -> i1[] i1[]", "body"},
    {REDUCE "body=sum_count dims=[0] f32[4] f32[4] f32[] f32[] -> f32[] f32[]", "body"},
    {REDUCE "body=and dims=[0] " U8 "[4] " U8 "[] -> " U8 "[]", "bits"},
    {REDUCE "body={v0=add(a0,b0);return(v0)} dims=[0] f32[4] f32[] -> f32[]", NULL},
    {REDUCE "body={v0=and(a0,b0);return(v0)} dims=[0] f32[4] f32[] -> f32[]", "written"},
    {REDUCE "body={v0=add(a0,b1);return(v0)} dims=[0] f32[4] f32[] -> f32[]", "written"},
    {REDUCE "body={v0=select(a0,a0,b0);return(v0)} dims=[0] f32[4] f32[] -> f32[]", "written"},
    {REDUCE "body={v0=compare_LT(a0,b0);return(v0)} dims=[0] f32[4] f32[] -> f32[]", "written"},
    {REDUCE "body={v0=add(a0,b0);return(v0)} dims=[0] f32[4] f32[] -> f64[]", "written"},
    {REDUCE "body={v0=add(a0,b0);return(v0)} dims=[0] f8E5M2[4] f8E5M2[] -> f8E5M2[]", "written"},
    {REDUCE "body={v0=add(a0,b0);return(v0)} dims=[0] f32[4] i32[4] f32[] i32[] -> f32[] i32[]",
     "C6"},
    {REDUCE "body={return(a0)} dims=[0] " U8 "[4] " U8 "[] -> " U8 "[]", "written"},
    {REDUCE "body=add dims=[0] !quant.uniform<i8:f32:0,{0x1p+0,0x1p+0}>[2] " U8 "[] -> " U8 "[]",
     "types"},
};

static void test_violations(void) {
  check_violations(reduce_row(), violations, G_N_ELEMENTS(violations), NULL);
}

static void test_hostile(void) { check_hostile(violations, G_N_ELEMENTS(violations), 20000); }

/* What a run of drawn programs has to show at least once. */
typedef struct coverage {
  uint64_t bodies; /* Bit masks. */
  uint64_t first_elements;
  uint32_t ranks;
  bool has_empty_slice;
  bool has_no_output;
  bool has_no_dimension;
  bool has_promotion;
  bool has_unsorted_dimensions;
  bool has_long_slice;
} coverage_t;

static void check_slices(const program_t *program, const reduce_slices_t *slices, arena_t *arena) {
  const type_t *input = &program->operands[0];
  size_t outputs = type_element_count(&program->results[0]);
  g_assert_cmpuint(slices->output_count, ==, outputs);
  size_t *seen = arena_alloc_zeroed(arena, (outputs + 1) * sizeof *seen);
  for (size_t element = 0; element < type_element_count(input); element++) {
    int64_t index[TYPE_RANK_MAX];
    int64_t kept[TYPE_RANK_MAX];
    uint32_t kept_count = 0;
    check_unravel(input, element, index);
    for (uint32_t dim = 0; dim < input->rank; dim++) {
      if (dimension_list_contains(&reduce_attributes(program)->dimensions, dim)) continue;
      kept[kept_count++] = index[dim];
    }
    size_t output = check_ravel(&program->results[0], kept);
    size_t term = seen[output]++;
    g_assert_cmpuint(slices->output_base[output] + slices->term_offset[term], ==, element);
  }
  for (size_t output = 0; output < outputs; output++) {
    g_assert_cmpuint(seen[output], ==, slices->term_count);
  }
}

static void visit_drawn(const program_t *program, arena_t *arena, void *state) {
  coverage_t *coverage = state;
  const reduce_attributes_t *attributes = reduce_attributes(program);
  reduce_slices_t slices = reduce_slices_make(program, arena);
  g_assert_cmpuint(slices.term_count, <=, (size_t)limits.terms_max);
  check_slices(program, &slices, arena);
  const element_t *from = program->operands[0].element;
  coverage->bodies |= 1u << attributes->reduction.body;
  coverage->first_elements |= (uint64_t)1 << (from - element_table);
  coverage->ranks |= 1u << program->operands[0].rank;
  coverage->has_no_output |= slices.output_count == 0;
  coverage->has_empty_slice |= slices.output_count > 0 && slices.term_count == 0;
  coverage->has_no_dimension |= attributes->dimensions.count == 0;
  coverage->has_promotion |= from != program->results[0].element;
  coverage->has_long_slice |= slices.term_count > (size_t)limits.terms_max / 2;
  for (uint32_t i = 1; i < attributes->dimensions.count; i++) {
    coverage->has_unsorted_dimensions |=
        attributes->dimensions.dims[i] < attributes->dimensions.dims[i - 1];
  }
}

static void test_drawn(void) {
  coverage_t coverage = {0};
  check_drawn(reduce_row(), &limits, 4000, visit_drawn, &coverage);
  g_assert_cmphex(coverage.bodies, ==, (1u << (REDUCE_WRITTEN + 1)) - 1);
  g_assert_cmphex(coverage.ranks, ==, (1u << (limits.rank_max + 1)) - 1);
  for (size_t i = 0; i < element_count; i++) {
    bool is_drawn = (coverage.first_elements >> i & 1) != 0;
    if (is_drawn != element_table[i].is_tensor_element) g_error("%s", element_table[i].name);
  }
  g_assert_true(coverage.has_empty_slice && coverage.has_no_output);
  g_assert_true(coverage.has_no_dimension && coverage.has_promotion);
  g_assert_true(coverage.has_unsorted_dimensions && coverage.has_long_slice);
}

static void visit_nothing(const program_t *program, arena_t *arena, void *state) {
  (void)program;
  (void)arena;
  (void)state;
}

/* Limits so tight that only one shape is left must not upset the draw. */
static void test_tight_limits(void) {
  const draw_limits_t tight[] = {{0, 1, 1, DRAW_SIZES_SMALL},
                                 {8, 1, 1, DRAW_SIZES_SMALL},
                                 {1, 2, 1, DRAW_SIZES_SMALL},
                                 {8, 256, 2, DRAW_SIZES_SMALL}};
  for (size_t i = 0; i < G_N_ELEMENTS(tight); i++) {
    check_drawn(reduce_row(), &tight[i], 500, visit_nothing, NULL);
  }
}

/* The extent of the reduced dimensions is bounded by nothing where there is no output. */
static void test_no_output(void) {
  arena_t arena;
  arena_init(&arena);
  const char *violation = NULL;
  program_t program =
      check_parse(REDUCE "body=add dims=[1] f32[0,16777216] f32[] -> f32[0]", &arena, &violation);
  g_assert_cmpstr(violation, ==, NULL);
  reduce_slices_t slices = reduce_slices_make(&program, &arena);
  g_assert_cmpuint(slices.output_count, ==, 0);
  g_assert_cmpuint(slices.term_count, ==, 0);
  arena_deinit(&arena);
}

static void test_mlir(void) {
  g_autofree char *sum =
      check_text(REDUCE "body=add dims=[2,0] f16[4,3,2] f16[] -> f32[3]", reduce_row()->print_mlir);
  g_assert_cmpstr(sum, ==,
                  "module {\n"
                  "  func.func @main(%arg0: tensor<4x3x2xf16>, %arg1: tensor<f16>)"
                  " -> tensor<3xf32> {\n"
                  "    %0 = \"stablehlo.reduce\"(%arg0, %arg1) <{dimensions = array<i64: 2, 0>}>"
                  " ({\n"
                  "    ^body(%lhs0: tensor<f32>, %rhs0: tensor<f32>):\n"
                  "      %1 = \"stablehlo.add\"(%lhs0, %rhs0) : (tensor<f32>, tensor<f32>)"
                  " -> tensor<f32>\n"
                  "      \"stablehlo.return\"(%1) : (tensor<f32>) -> ()\n"
                  "    }) : (tensor<4x3x2xf16>, tensor<f16>) -> tensor<3xf32>\n"
                  "    return %0 : tensor<3xf32>\n"
                  "  }\n"
                  "}\n");
  g_autofree char *count =
      check_text(REDUCE "body=sum_count dims=[] f32[] ui8[] f32[] ui8[] -> f32[] ui8[]",
                 reduce_row()->print_mlir);
  g_assert_cmpstr(count, ==,
                  "module {\n"
                  "  func.func @main(%arg0: tensor<f32>, %arg1: tensor<ui8>, %arg2: tensor<f32>,"
                  " %arg3: tensor<ui8>) -> (tensor<f32>, tensor<ui8>) {\n"
                  "    %0:2 = \"stablehlo.reduce\"(%arg0, %arg1, %arg2, %arg3)"
                  " <{dimensions = array<i64>}> ({\n"
                  "    ^body(%lhs0: tensor<f32>, %lhs1: tensor<ui8>, %rhs0: tensor<f32>,"
                  " %rhs1: tensor<ui8>):\n"
                  "      %1 = \"stablehlo.add\"(%lhs0, %rhs0) : (tensor<f32>, tensor<f32>)"
                  " -> tensor<f32>\n"
                  "      %2 = \"stablehlo.add\"(%lhs1, %rhs1) : (tensor<ui8>, tensor<ui8>)"
                  " -> tensor<ui8>\n"
                  "      \"stablehlo.return\"(%1, %2) : (tensor<f32>, tensor<ui8>) -> ()\n"
                  "    }) : (tensor<f32>, tensor<ui8>, tensor<f32>, tensor<ui8>)"
                  " -> (tensor<f32>, tensor<ui8>)\n"
                  "    return %0#0, %0#1 : tensor<f32>, tensor<ui8>\n"
                  "  }\n"
                  "}\n");
}

/* The region of the arg bodies, line by line. */
static void test_mlir_arg(void) {
  g_autofree char *text =
      check_text(REDUCE "body=argmin dims=[0] f32[4] i64[4] f32[] i64[] -> f32[] i64[]",
                 reduce_row()->print_mlir);
  static const char *const lines[] = {
      "%1 = \"stablehlo.compare\"(%lhs0, %rhs0) <{comparison_direction = "
      "#stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>\n",
      "%2 = \"stablehlo.compare\"(%lhs0, %lhs0) <{comparison_direction = "
      "#stablehlo<comparison_direction NE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>\n",
      "%3 = \"stablehlo.or\"(%1, %2) : (tensor<i1>, tensor<i1>) -> tensor<i1>\n",
      "%4 = \"stablehlo.compare\"(%lhs0, %rhs0) <{comparison_direction = "
      "#stablehlo<comparison_direction EQ>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>\n",
      "%5 = \"stablehlo.compare\"(%lhs1, %rhs1) <{comparison_direction = "
      "#stablehlo<comparison_direction LT>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>\n",
      "%6 = \"stablehlo.and\"(%4, %5) : (tensor<i1>, tensor<i1>) -> tensor<i1>\n",
      "%7 = \"stablehlo.or\"(%3, %6) : (tensor<i1>, tensor<i1>) -> tensor<i1>\n",
      "%8 = \"stablehlo.select\"(%3, %lhs0, %rhs0) : (tensor<i1>, tensor<f32>, tensor<f32>) -> "
      "tensor<f32>\n",
      "%9 = \"stablehlo.select\"(%7, %lhs1, %rhs1) : (tensor<i1>, tensor<i64>, tensor<i64>) -> "
      "tensor<i64>\n",
      "\"stablehlo.return\"(%8, %9) : (tensor<f32>, tensor<i64>) -> ()\n",
  };
  const char *cursor = text;
  for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
    cursor = strstr(cursor, lines[i]);
    if (cursor == NULL) g_error("no line %s in\n%s", lines[i], text);
  }
}

/* Programs that break constraints are printed too: their counts and types do not fit the body. */
static void test_mlir_of_invalid(void) {
  for (size_t i = 0; i < G_N_ELEMENTS(violations); i++) {
    g_autofree char *text = check_text(violations[i].line, reduce_row()->print_mlir);
    g_assert_true(g_str_has_suffix(text, "  }\n}\n"));
    g_autofree char *words = check_text(violations[i].line, program_print_words);
    bool says_broken = strstr(words, "is no stablehlo.reduce: it breaks") != NULL;
    bool says_unknown = strstr(words, "is not modelled") != NULL;
    const op_constraint_t *broken = op_constraint_find(reduce_row(), violations[i].id);
    g_assert_cmpint(says_broken, ==, op_constraint_is_forbidden(broken));
    g_assert_cmpint(says_unknown, ==, op_constraint_is_unmodelled(broken));
  }
}

static void test_words(void) {
  static const struct {
    const char *line;
    const char *algorithm;
    const char *words;
  } rows[] = {
      {REDUCE "body=add dims=[2,0] f16[4,3,2] f16[] -> f32[3]", "add",
       "sums each slice of f16[4,3,2] along dimensions 2 and 0, accumulating in f32: 3 result "
       "elements of 8 terms each"},
      {REDUCE "body=and dims=[] i8[2] i8[] -> i8[2]", "and",
       "takes the bitwise AND of each slice of i8[2] along no dimension, accumulating in i8: 2 "
       "result elements of 1 terms each"},
      {REDUCE "body=argmax dims=[0] f32[4] i32[4] f32[] i32[] -> f32[] i32[]", "argmax",
       "finds the largest value and its index in each slice of f32[4] along dimension 0, "
       "accumulating in f32: 1 result elements of 4 terms each"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *words = check_text(rows[i].line, program_print_words);
    g_autofree char *algorithm = check_text(rows[i].line, reduce_row()->print_algorithm);
    g_assert_cmpstr(words, ==, rows[i].words);
    g_assert_cmpstr(algorithm, ==, rows[i].algorithm);
  }
}

static void test_neutral(void) {
  static const struct {
    const char *line;
    uint32_t operand;
    uint64_t bits;
  } rows[] = {
      {REDUCE "body=add dims=[0] f32[4] f32[] -> f32[]", 1, 0},
      {REDUCE "body=multiply dims=[0] f32[4] f32[] -> f32[]", 1, 0x3f800000},
      {REDUCE "body=multiply dims=[0] i4[4] i4[] -> i4[]", 1, 1},
      {REDUCE "body=multiply dims=[0] complex<f64>[4] complex<f64>[] -> complex<f64>[]", 1,
       0x3ff0000000000000},
      {REDUCE "body=maximum dims=[0] f32[4] f32[] -> f32[]", 1, 0xff800000},
      {REDUCE "body=minimum dims=[0] f32[4] f32[] -> f32[]", 1, 0x7f800000},
      {REDUCE "body=maximum dims=[0] f8E4M3FN[4] f8E4M3FN[] -> f8E4M3FN[]", 1, 0xfe},
      {REDUCE "body=minimum dims=[0] f4E2M1FN[4] f4E2M1FN[] -> f4E2M1FN[]", 1, 0x7},
      {REDUCE "body=maximum dims=[0] f8E8M0FNU[4] f8E8M0FNU[] -> f8E8M0FNU[]", 1, 0},
      {REDUCE "body=maximum dims=[0] i8[4] i8[] -> i8[]", 1, 0x80},
      {REDUCE "body=minimum dims=[0] i8[4] i8[] -> i32[]", 1, 0x7f},
      {REDUCE "body=maximum dims=[0] ui8[4] ui8[] -> ui8[]", 1, 0},
      {REDUCE "body=minimum dims=[0] ui64[4] ui64[] -> ui64[]", 1, UINT64_MAX},
      {REDUCE "body=minimum dims=[0] i1[4] i1[] -> i1[]", 1, 1},
      {REDUCE "body=and dims=[0] i4[4] i4[] -> i4[]", 1, 0xf},
      {REDUCE "body=xor dims=[0] i4[4] i4[] -> i4[]", 1, 0},
      {REDUCE "body=argmax dims=[0] f32[4] i32[4] f32[] i32[] -> f32[] i32[]", 2, 0xff800000},
      {REDUCE "body=argmax dims=[0] f32[4] i32[4] f32[] i32[] -> f32[] i32[]", 3, 0},
      {REDUCE "body=argmin dims=[0] f32[4] i32[4] f32[] i32[] -> f32[] i32[]", 2, 0x7f800000},
  };
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    const char *violation = NULL;
    program_t program = check_parse(rows[i].line, &arena, &violation);
    g_assert_true(reduce_row()->is_init_operand(&program, rows[i].operand));
    g_assert_false(reduce_row()->is_init_operand(&program, 0));
    g_assert_cmphex(reduce_row()->neutral_bits(&program, rows[i].operand), ==, rows[i].bits);
  }
  arena_deinit(&arena);
}

static void test_reduced_dimensions(void) {
  arena_t arena;
  arena_init(&arena);
  const char *violation = NULL;
  program_t program =
      check_parse(REDUCE "body=add dims=[2,0] f32[4,3,2] f32[] -> f32[3]", &arena, &violation);
  g_assert_cmphex(reduce_row()->reduced_dimensions(&program, 0), ==, 0x5);
  g_assert_cmphex(reduce_row()->reduced_dimensions(&program, 1), ==, 0);
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/reduce/violations", test_violations);
  g_test_add_func("/reduce/hostile", test_hostile);
  g_test_add_func("/reduce/drawn", test_drawn);
  g_test_add_func("/reduce/tight_limits", test_tight_limits);
  g_test_add_func("/reduce/no_output", test_no_output);
  g_test_add_func("/reduce/mlir", test_mlir);
  g_test_add_func("/reduce/mlir_arg", test_mlir_arg);
  g_test_add_func("/reduce/mlir_of_invalid", test_mlir_of_invalid);
  g_test_add_func("/reduce/words", test_words);
  g_test_add_func("/reduce/neutral", test_neutral);
  g_test_add_func("/reduce/reduced_dimensions", test_reduced_dimensions);
  return g_test_run();
}
