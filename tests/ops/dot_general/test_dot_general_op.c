/* SPDX-License-Identifier: Apache-2.0 */
/* The op row of stablehlo.dot_general. */
#include <math.h>

#include "oracles/ops/dot_general/dot_general.h"
#include "tests/ops/op_checks.h"

static const draw_limits_t limits = {.rank_max = 5, .elements_max = 4096, .terms_max = 512};

static const op_t *dot_row(void) { return check_find_op("stablehlo.dot_general"); }

#define DOT "stablehlo.dot_general "
#define MATRICES DOT "batch=[]x[] contract=[1]x[0] "
#define Q(storage) "!quant.uniform<" storage ":f32,0x1p+0>"

static const violation_row_t violations[] = {
    {DOT "batch=[0]x[0] contract=[2]x[1] f32[2,3,4] f32[2,4,5] -> f32[2,3,5]", NULL},
    {DOT "batch=[]x[] contract=[1]x[0] precision=[DEFAULT,HIGHEST] f32[3,4] f32[4,5] -> f32[3,5]",
     NULL},
    {DOT "batch=[]x[] contract=[]x[] f32[] f32[] -> f32[]", NULL},
    {DOT "batch=[]x[] contract=[]x[] i8[2] i8[3] -> i32[2,3]", NULL},
    {DOT "batch=[]x[] contract=[0]x[0] bf16[0] bf16[0] -> f32[]", NULL},
    {DOT "batch=[2,0]x[0,1] contract=[1]x[2] i1[3,4,2] i1[2,3,4] -> i1[2,3]", NULL},
    {DOT "batch=[]x[] contract=[1,0]x[0,1] complex<f32>[3,4] complex<f32>[4,3] -> complex<f64>[]",
     NULL},

    {DOT "batch=[0]x[] contract=[]x[] f32[2] f32[2] -> f32[2,2]", "C1"},
    {DOT "batch=[]x[0] contract=[]x[] f32[2] f32[2] -> f32[2,2]", "C1"},
    {DOT "batch=[]x[] contract=[0]x[] f32[2] f32[2] -> f32[2]", "C2"},
    {DOT "batch=[0]x[0] contract=[0]x[1] f32[2] f32[2,2] -> f32[2]", "C3"},
    {DOT "batch=[]x[] contract=[0,0]x[0,1] f32[2] f32[2,2] -> f32[]", "C3"},
    {DOT "batch=[0,0]x[0,1] contract=[]x[] f32[2] f32[2,2] -> f32[2,2]", "C3"},
    {DOT "batch=[0]x[0] contract=[1]x[0] f32[2,2] f32[2] -> f32[2]", "C4"},
    {DOT "batch=[1]x[0] contract=[]x[] f32[2] f32[2] -> f32[2,2]", "C5"},
    {DOT "batch=[-1]x[0] contract=[]x[] f32[2] f32[2] -> f32[2,2]", "C5"},
    {DOT "batch=[]x[] contract=[1]x[0] f32[2] f32[2] -> f32[2]", "C6"},
    {DOT "batch=[0]x[1] contract=[]x[] f32[2] f32[2] -> f32[2,2]", "C7"},
    {DOT "batch=[]x[] contract=[0]x[1] f32[2] f32[2] -> f32[2]", "C8"},
    {DOT "batch=[]x[] contract=[0]x[-9223372036854775808] f32[2] f32[2] -> f32[2]", "C8"},
    {DOT "batch=[0]x[0] contract=[]x[] f32[2] f32[3] -> f32[2]", "C9"},
    {DOT "batch=[]x[] contract=[0]x[0] f32[2] f32[3] -> f32[]", "C10"},
    {DOT "batch=[]x[] contract=[0]x[0] precision=[] f32[2] f32[2] -> f32[]", "C11"},
    {DOT "batch=[]x[] contract=[0]x[0] precision=[HIGH] f32[2] f32[2] -> f32[]", "C11"},
    {DOT "batch=[]x[] contract=[0]x[0] precision=[HIGH,HIGH,HIGH] f32[2] f32[2] -> f32[]", "C11"},
    {DOT "batch=[]x[] contract=[1]x[0] f32[2,3] f32[3,4] -> f32[4,2]", "C12"},
    {DOT "batch=[]x[] contract=[1]x[0] f32[2,3] f32[3,4] -> f32[2]", "C12"},
    {DOT "batch=[0]x[0] contract=[2]x[2] f32[2,3,4] f32[2,5,4] -> f32[3,2,5]", "C12"},
    {DOT "batch=[]x[] contract=[]x[] f32[1,1,1,1,1] f32[1,1,1,1] -> f32[1,1,1,1,1,1,1,1]", "C12"},
    {DOT "batch=[]x[] contract=[0]x[0] f32[2] f16[2] -> f32[]", "C13"},
    {DOT "batch=[]x[] contract=[0]x[0] i8[2] ui8[2] -> i32[]", "C13"},
    {DOT "batch=[]x[] contract=[0]x[0] f8E5M2[2] f8E4M3FN[2] -> f32[]", "C13"},
    {DOT "batch=[]x[] contract=[0]x[0] algorithm=[f8E5M2,f8E4M3FN,f32,1,1,1,true] f8E5M2[2] "
         "f8E4M3FN[2] -> f32[]",
     NULL},
    {DOT
     "batch=[]x[] contract=[0]x[0] algorithm=[tf32,tf32,f32,1,1,1,false] i64[2] i64[2] -> i64[]",
     NULL},
    {DOT "batch=[]x[] contract=[0]x[0] precision=[HIGH,HIGH] "
         "algorithm=[bf16,bf16,f32,3,3,6,false] f32[2] f32[2] -> f32[]",
     NULL},
    {DOT
     "batch=[]x[] contract=[0]x[0] algorithm=[bf16,bf16,f32,0,1,6,false] f32[2] f32[2] -> f32[]",
     "C22"},
    {DOT
     "batch=[]x[] contract=[0]x[0] algorithm=[bf16,bf16,f32,1,-1,6,false] f32[2] f32[2] -> f32[]",
     "C23"},
    {DOT
     "batch=[]x[] contract=[0]x[0] algorithm=[bf16,bf16,f32,1,1,0,false] f32[2] f32[2] -> f32[]",
     "C24"},
    {DOT "batch=[]x[] contract=[0]x[0] f32[2] -> f32[]", "arity"},
    {DOT "batch=[]x[] contract=[0]x[0] f32[2] f32[2] f32[2] -> f32[]", "arity"},
    {DOT "batch=[]x[] contract=[0]x[0] f32[2] f32[2] -> f32[] f32[]", "arity"},
    {DOT "batch=[]x[] contract=[0]x[0] f32[2] f32[2] -> f16[]", "promotion"},
    {DOT "batch=[]x[] contract=[0]x[0] f32[2] f32[2] -> i32[]", "promotion"},
    {DOT "batch=[]x[] contract=[0]x[0] i1[2] i1[2] -> i8[]", "promotion"},

    {MATRICES Q("i8") "[2,3] " Q("i8") "[3,2] -> " Q("i32") "[2,2]", NULL},
    {MATRICES "!quant.uniform<ui4<1:14>:bf16,0x1p-2:7>[2,3] "
              "!quant.uniform<ui4:bf16:1,{0x1p+0,0x1p-1}>[3,2] -> "
              "!quant.uniform<i16:bf16:1,{0x1p+0,0x1p-1:-3}>[2,2]",
     NULL},
    {MATRICES Q("i8") "[2,3] !quant.uniform<i8:f32:1,{0x1p+0,0x1p-1}>[3,2] -> " Q("i8") "[2,2]",
     NULL},
    {DOT "batch=[0]x[0] contract=[1]x[1] f16[2,3] !quant.uniform<i4:f16:0,{0x1p+0,0x1p-1}>[2,3]"
         " -> f16[2]",
     NULL},
    {MATRICES "f32[2,3] " Q("i8") "[3,2] -> f32[2,2]", NULL},
    {MATRICES "f32[2,3] " Q("i8") "[3,2] -> " Q("i8") "[2,2]", "C14"},
    {MATRICES Q("i8") "[2,3] " Q("i8") "[3,2] -> f32[2,2]", "C14"},
    {MATRICES Q("i8") "[2,3] f32[3,2] -> " Q("i8") "[2,2]", "C14"},
    {MATRICES Q("i8") "[2,3] i8[3,2] -> i32[2,2]", "C14"},
    {MATRICES "f32[2,3] !quant.uniform<i8:f32,0x1p+0:1>[3,2] -> f32[2,2]", "C15"},
    {MATRICES Q("i8") "[2,3] !quant.uniform<i8:f32:1,{0x1p+0,0x1p+0:-1}>[3,2] -> " Q("i8") "[2,2]",
     "C15"},
    {MATRICES Q("i8") "[2,2] !quant.uniform<i8:f32:0,{0x1p+0,0x1p-1}>[2,2] -> " Q("i8") "[2,2]",
     "C16"},
    {MATRICES "f32[2,2] !quant.uniform<i8:f32:0,{0x1p+0,0x1p-1}>[2,2] -> f32[2,2]", "C16"},
    {MATRICES Q("i8") "[2,3] " Q("ui8") "[3,2] -> " Q("i8") "[2,2]", "C17"},
    {MATRICES "!quant.uniform<i8:f16,0x1p+0>[2,3] " Q("i8") "[3,2] -> " Q("i8") "[2,2]", "C18"},
    {MATRICES Q("i8") "[2,3] !quant.uniform<i8:f16,0x1p+0>[3,2] -> " Q("i8") "[2,2]", "C18"},
    {MATRICES Q("i8") "[2,3] " Q("i8") "[3,2] -> !quant.uniform<i8:f64,0x1p+0>[2,2]", "C18"},
    {MATRICES Q("i8") "[2,3] " Q("i8") "[3,2] -> !quant.uniform<i8:f32:0,{0x1p+0,0x1p-1}>[2,2]",
     "C19"},
    {MATRICES "f16[2,3] " Q("i8") "[3,2] -> f32[2,2]", "C20"},
    {MATRICES "f32[2,3] " Q("i8") "[3,2] -> f64[2,2]", "C20"},
    {MATRICES "!quant.uniform<i8:f32:0,{0x1p+0,0x1p-1}>[2,3] " Q("i8") "[3,2] -> " Q("i8") "[2,2]",
     "types"},
};

static void test_violations(void) {
  check_violations(dot_row(), violations, G_N_ELEMENTS(violations), NULL);
}

static void test_hostile(void) { check_hostile(violations, G_N_ELEMENTS(violations), 20000); }

/* The layout against a walk over the indices of result and contraction, each looked up by
 * dimension. */
typedef struct walk {
  const program_t *program;
  const dot_general_layout_t *layout;
  int64_t lhs[TYPE_RANK_MAX];
  int64_t rhs[TYPE_RANK_MAX];
} walk_t;

/* Writes the indices of one result element into those of the operands. */
static void place_result_index(walk_t *walk, const int64_t index[TYPE_RANK_MAX]) {
  const dot_general_attributes_t *attributes = dot_general_attributes(walk->program);
  uint32_t next = 0;
  for (uint32_t i = 0; i < attributes->lhs_batching.count; i++, next++) {
    walk->lhs[attributes->lhs_batching.dims[i]] = index[next];
    walk->rhs[attributes->rhs_batching.dims[i]] = index[next];
  }
  for (uint32_t dim = 0; dim < walk->program->operands[0].rank; dim++) {
    if (dimension_list_contains(&attributes->lhs_batching, dim)) continue;
    if (dimension_list_contains(&attributes->lhs_contracting, dim)) continue;
    walk->lhs[dim] = index[next++];
  }
  for (uint32_t dim = 0; dim < walk->program->operands[1].rank; dim++) {
    if (dimension_list_contains(&attributes->rhs_batching, dim)) continue;
    if (dimension_list_contains(&attributes->rhs_contracting, dim)) continue;
    walk->rhs[dim] = index[next++];
  }
  g_assert_cmpuint(next, ==, walk->program->results[0].rank);
}

static void check_term(walk_t *walk, size_t result, size_t term) {
  const dot_general_layout_t *layout = walk->layout;
  size_t column = result % layout->column_count;
  size_t row = result / layout->column_count % layout->row_count;
  size_t batch = result / layout->column_count / layout->row_count;
  g_assert_cmpuint(
      layout->lhs_batch_offset[batch] + layout->lhs_row_offset[row] + layout->lhs_term_offset[term],
      ==, check_ravel(&walk->program->operands[0], walk->lhs));
  g_assert_cmpuint(layout->rhs_batch_offset[batch] + layout->rhs_column_offset[column] +
                       layout->rhs_term_offset[term],
                   ==, check_ravel(&walk->program->operands[1], walk->rhs));
}

static void check_layout(const program_t *program, const dot_general_layout_t *layout) {
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  const dimension_list_t *contracting = &attributes->lhs_contracting;
  const type_t *result = &program->results[0];
  type_t terms = type_make(result->element, 0, NULL);
  for (uint32_t i = 0; i < contracting->count; i++) {
    terms.dims[terms.rank++] = program->operands[0].dims[contracting->dims[i]];
  }
  size_t results = type_element_count(result);
  g_assert_cmpuint(layout->batch_count * layout->row_count * layout->column_count, ==, results);
  if (results == 0) return;
  g_assert_cmpuint(layout->term_count, ==, type_element_count(&terms));
  walk_t walk = {.program = program, .layout = layout};
  for (size_t r = 0; r < results; r++) {
    int64_t index[TYPE_RANK_MAX];
    check_unravel(result, r, index);
    place_result_index(&walk, index);
    for (size_t t = 0; t < layout->term_count; t++) {
      check_unravel(&terms, t, index);
      for (uint32_t i = 0; i < contracting->count; i++) {
        walk.lhs[contracting->dims[i]] = index[i];
        walk.rhs[attributes->rhs_contracting.dims[i]] = index[i];
      }
      check_term(&walk, r, t);
    }
  }
}

/* What a run of drawn programs has to show at least once. */
typedef struct coverage {
  uint64_t elements; /* Bit masks. */
  uint32_t lhs_ranks;
  uint32_t rhs_ranks;
  bool has_empty_contraction;
  bool has_no_contraction;
  bool has_no_result;
  bool has_batches;
  bool has_promotion;
  bool has_unsorted_batching;
  bool has_unsorted_contracting;
  bool has_long_contraction;
  uint32_t precisions;
  bool has_hybrid;
  bool has_quantized;
  bool has_near_multiplier;   /* Within 1e-3 of 1, but not 1. */
  bool has_scales_of_weights; /* One scale in the result. */
  bool has_scales_of_both;    /* Along the same index. */
  bool has_scales_along_batches;
} coverage_t;

static void cover_quantization(const program_t *program, coverage_t *coverage) {
  const quantization_t *lhs = program->operands[0].quantization;
  const quantization_t *rhs = program->operands[1].quantization;
  const quantization_t *result = program->results[0].quantization;
  if (rhs == NULL) return;
  coverage->has_hybrid |= lhs == NULL;
  coverage->has_quantized |= lhs != NULL;
  const dimension_list_t *batching = &dot_general_attributes(program)->rhs_batching;
  coverage->has_scales_along_batches |= dimension_list_contains(batching, rhs->axis);
  if (lhs == NULL) return;
  coverage->has_scales_of_weights |= rhs->count > 1 && result->count == 1;
  coverage->has_scales_of_both |= rhs->count > 1 && result->count == rhs->count;
  if (rhs->count != 1 || result->count != 1) return;
  double multiplier = lhs->scales[0] * rhs->scales[0] / result->scales[0];
  coverage->has_near_multiplier |= multiplier != 1 && fabs(multiplier - 1) <= 1e-3;
}

static void visit_drawn(const program_t *program, arena_t *arena, void *state) {
  coverage_t *coverage = state;
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  dot_general_layout_t layout = dot_general_layout_make(program, arena);
  g_assert_cmpuint(layout.term_count, <=, (size_t)limits.terms_max);
  check_layout(program, &layout);
  coverage->elements |= (uint64_t)1 << (program->operands[0].element - element_table);
  coverage->lhs_ranks |= 1u << program->operands[0].rank;
  coverage->rhs_ranks |= 1u << program->operands[1].rank;
  size_t results = type_element_count(&program->results[0]);
  coverage->has_no_result |= results == 0;
  coverage->has_empty_contraction |= results > 0 && layout.term_count == 0;
  coverage->has_no_contraction |= attributes->lhs_contracting.count == 0;
  coverage->has_batches |= layout.batch_count > 1;
  coverage->has_promotion |= program->operands[0].element != program->results[0].element;
  coverage->has_long_contraction |= layout.term_count > (size_t)limits.terms_max / 2;
  const dimension_list_t *batching = &attributes->lhs_batching;
  const dimension_list_t *contracting = &attributes->rhs_contracting;
  coverage->has_unsorted_batching |= batching->count > 1 && batching->dims[0] > batching->dims[1];
  coverage->has_unsorted_contracting |=
      contracting->count > 1 && contracting->dims[0] > contracting->dims[1];
  cover_quantization(program, coverage);
  if (attributes->precision.is_present)
    coverage->precisions |= 1u << attributes->precision.values[0];
}

static void test_drawn(void) {
  coverage_t coverage = {0};
  check_drawn(dot_row(), &limits, 4000, visit_drawn, &coverage);
  g_assert_cmphex(coverage.lhs_ranks, ==, (1u << (limits.rank_max + 1)) - 1);
  g_assert_cmphex(coverage.rhs_ranks, ==, (1u << (limits.rank_max + 1)) - 1);
  for (size_t i = 0; i < element_count; i++) {
    bool is_drawn = (coverage.elements >> i & 1) != 0;
    if (is_drawn != element_table[i].is_tensor_element) g_error("%s", element_table[i].name);
  }
  g_assert_true(coverage.has_no_result && coverage.has_empty_contraction);
  g_assert_true(coverage.has_no_contraction && coverage.has_batches && coverage.has_promotion);
  g_assert_true(coverage.has_unsorted_batching && coverage.has_unsorted_contracting);
  g_assert_true(coverage.has_long_contraction);
  g_assert_true(coverage.has_hybrid && coverage.has_quantized && coverage.has_near_multiplier);
  g_assert_true(coverage.has_scales_of_weights && coverage.has_scales_of_both);
  g_assert_true(coverage.has_scales_along_batches);
  g_assert_cmphex(coverage.precisions, ==, (1u << PRECISION_COUNT) - 1);
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
    check_drawn(dot_row(), &tight[i], 500, visit_nothing, NULL);
  }
}

/* Extents that no element bounds, because the result has none. */
static void test_no_result(void) {
  static const char *const lines[] = {
      DOT "batch=[]x[] contract=[1]x[1] f32[0,16777216] f32[0,16777216] -> f32[0,0]",
      DOT "batch=[]x[] contract=[1]x[0] f32[16777216,0] f32[0,0] -> f32[16777216,0]",
      DOT
      "batch=[0,1]x[0,1] contract=[]x[] i8[16777216,0] i8[16777216,0]"
      " -> i8[16777216,0]",
  };
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
    const char *violation = NULL;
    program_t program = check_parse(lines[i], &arena, &violation);
    g_assert_cmpstr(violation, ==, NULL);
    dot_general_layout_t layout = dot_general_layout_make(&program, &arena);
    g_assert_cmpuint(layout.batch_count + layout.row_count + layout.column_count, ==, 0);
    g_assert_cmpuint(layout.term_count, ==, 0);
  }
  arena_deinit(&arena);
}

static void test_mlir(void) {
  g_autofree char *text = check_text(
      DOT "batch=[]x[] contract=[1]x[0] f32[2,3] f32[3,1] -> f32[2,1]", dot_row()->print_mlir);
  g_assert_cmpstr(text, ==,
                  "module {\n"
                  "  func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<3x1xf32>)"
                  " -> tensor<2x1xf32> {\n"
                  "    %0 = \"stablehlo.dot_general\"(%arg0, %arg1)"
                  " <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [],"
                  " rhs_batching_dimensions = [], lhs_contracting_dimensions = [1],"
                  " rhs_contracting_dimensions = [0]>}>"
                  " : (tensor<2x3xf32>, tensor<3x1xf32>) -> tensor<2x1xf32>\n"
                  "    return %0 : tensor<2x1xf32>\n"
                  "  }\n"
                  "}\n");
  g_autofree char *precise =
      check_text(DOT
                 "batch=[1,0]x[0,2] contract=[]x[] precision=[DEFAULT,HIGHEST] i8[3,2] i8[2,4,3]"
                 " -> i32[2,3,4]",
                 dot_row()->print_mlir);
  g_autofree char *hybrid =
      check_text(MATRICES "f32[2,3] !quant.uniform<i8:f32:1,{0x1p+0,0x1p-1}>[3,2] -> f32[2,2]",
                 dot_row()->print_mlir);
  g_assert_nonnull(strstr(hybrid, "(tensor<2x3xf32>, tensor<3x2x!quant.uniform<i8:f32:1, {"));
  g_assert_nonnull(strstr(precise,
                          "lhs_batching_dimensions = [1, 0], rhs_batching_dimensions = [0, 2], "
                          "lhs_contracting_dimensions = [], rhs_contracting_dimensions = []>, "
                          "precision_config = [#stablehlo<precision DEFAULT>, "
                          "#stablehlo<precision HIGHEST>]}> : (tensor<3x2xi8>, tensor<2x4x3xi8>) "
                          "-> tensor<2x3x4xi32>\n"));
}

static void test_mlir_of_invalid(void) {
  for (size_t i = 0; i < G_N_ELEMENTS(violations); i++) {
    g_autofree char *text = check_text(violations[i].line, dot_row()->print_mlir);
    g_assert_true(g_str_has_suffix(text, "  }\n}\n"));
    g_autofree char *words = check_text(violations[i].line, program_print_words);
    bool says_broken = strstr(words, "is no stablehlo.dot_general: it breaks") != NULL;
    bool says_unknown = strstr(words, "is not modelled") != NULL;
    const op_constraint_t *broken = op_constraint_find(dot_row(), violations[i].id);
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
      {DOT "batch=[0]x[0] contract=[2]x[1] bf16[2,3,4] bf16[2,4,5] -> f32[2,3,5]", "default",
       "multiplies 2 pairs of matrices, 3x4 by 4x5, of bf16, into f32"},
      {DOT "batch=[]x[] contract=[0]x[0] precision=[HIGHEST,HIGHEST] f32[4] f32[4] -> f32[]",
       "precision=HIGHEST", "multiplies 1 pairs of matrices, 1x4 by 4x1, of f32, into f32"},
      {DOT "batch=[]x[] contract=[0]x[0] precision=[DEFAULT,HIGH] f32[4] f32[4] -> f32[]",
       "precision=DEFAULT,HIGH", "multiplies 1 pairs of matrices, 1x4 by 4x1, of f32, into f32"},
      {MATRICES Q("i8") "[2,3] !quant.uniform<i8:f32:1,{0x1p+0,0x1p-1}>[3,2] -> " Q("i32") "[2,2]",
       "default",
       "multiplies 1 pairs of matrices, 2x3 by 3x2, of i8 for f32 and i8 for f32 of 2 scales, into "
       "i32 for f32"},
      {MATRICES "f32[2,3] " Q("i4") "[3,2] -> f32[2,2]", "default",
       "multiplies 1 pairs of matrices, 2x3 by 3x2, of f32 and i4 for f32, into f32"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *words = check_text(rows[i].line, program_print_words);
    g_autofree char *algorithm = check_text(rows[i].line, dot_row()->print_algorithm);
    g_assert_cmpstr(words, ==, rows[i].words);
    g_assert_cmpstr(algorithm, ==, rows[i].algorithm);
  }
}

static void test_reduced_dimensions(void) {
  arena_t arena;
  arena_init(&arena);
  const char *violation = NULL;
  program_t program =
      check_parse(DOT "batch=[0]x[0] contract=[1,3]x[2,1] f32[2,3,5,4] f32[2,4,3] -> f32[2,5]",
                  &arena, &violation);
  g_assert_cmphex(dot_row()->reduced_dimensions(&program, 0), ==, 0xa);
  g_assert_cmphex(dot_row()->reduced_dimensions(&program, 1), ==, 0x6);
  g_assert_false(dot_row()->is_init_operand(&program, 0));
  g_assert_false(dot_row()->is_init_operand(&program, 1));
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/dot_general/violations", test_violations);
  g_test_add_func("/dot_general/hostile", test_hostile);
  g_test_add_func("/dot_general/drawn", test_drawn);
  g_test_add_func("/dot_general/tight_limits", test_tight_limits);
  g_test_add_func("/dot_general/no_result", test_no_result);
  g_test_add_func("/dot_general/mlir", test_mlir);
  g_test_add_func("/dot_general/mlir_of_invalid", test_mlir_of_invalid);
  g_test_add_func("/dot_general/words", test_words);
  g_test_add_func("/dot_general/reduced_dimensions", test_reduced_dimensions);
  return g_test_run();
}
