/* SPDX-License-Identifier: Apache-2.0 */
/* The op rows of the slicing ops: constraints, drawing, text; and what they give, element by
 * element, where oracle's tables and formulas are held against each other by all elements of drawn
 * cases. */
#include "oracles/ops/slicing/slicing.h"
#include "tests/ops/op_checks.h"
#include "tests/ops/oracle_checks.h"

static const draw_limits_t limits = {.rank_max = 4, .elements_max = 256, .terms_max = 64};

extern const op_t *const slicing_ops[];

#define Q8 "!quant.uniform<i8:f32,0x1p+0>"
#define SLICE(low, high, step) \
  "stablehlo.slice start_indices=[" low "] limit_indices=[" high "] strides=[" step "] "

static const violation_row_t slice_rows[] = {
    {SLICE("1", "4", "2") "f32[5] -> f32[2]", NULL},
    {SLICE("", "", "") "complex<f32>[] -> complex<f32>[]", NULL},
    {SLICE("0,2", "0,3", "1,1") "i4[0,3] -> i4[0,1]", NULL},
    {SLICE("1", "4", "2") "f32[5] f32[5] -> f32[2]", "arity"},
    {SLICE("1", "4", "2") Q8 "[5] -> " Q8 "[2]", "quantized"},
    {SLICE("1", "4", "2") "f32[5] -> f64[2]", "C1"},
    {SLICE("1", "4,4", "2") "f32[5] -> f32[2]", "C2"},
    {SLICE("-1", "4", "2") "f32[5] -> f32[2]", "C3"},
    {SLICE("1", "6", "2") "f32[5] -> f32[3]", "C3"},
    {SLICE("3", "2", "1") "f32[5] -> f32[0]", "C3"},
    {SLICE("1", "4", "0") "f32[5] -> f32[2]", "C4"},
    {SLICE("1", "4", "2") "f32[5] -> f32[1]", "C5"},
    {SLICE("1", "4", "2") "f32[5] -> f32[2,1]", "C5"},
};

#define PAD(low, high, inner)                                                                      \
  "stablehlo.pad edge_padding_low=[" low "] edge_padding_high=[" high "] interior_padding=[" inner \
  "] "

static const violation_row_t pad_rows[] = {
    {PAD("1", "2", "1") "f32[3] f32[] -> f32[8]", NULL},
    {PAD("-1", "-2", "0") "f32[3] f32[] -> f32[0]", NULL},
    {PAD("1", "0", "5") "f32[0] f32[] -> f32[1]", NULL},
    {PAD("1", "2", "1") "f32[3] -> f32[8]", "arity"},
    {PAD("1", "2", "1") Q8 "[3] " Q8 "[] -> " Q8 "[8]", "quantized"},
    {PAD("1", "2", "1") "f32[3] f64[] -> f32[8]", "C1"},
    {PAD("1", "2", "1") "f32[3] f32[1] -> f32[8]", "value"},
    {PAD("1", "2", "") "f32[3] f32[] -> f32[8]", "C2"},
    {PAD("1", "2", "-1") "f32[3] f32[] -> f32[4]", "C3"},
    {PAD("1", "2", "1") "f32[3] f32[] -> f32[7]", "C4"},
    {PAD("9223372036854775807", "9223372036854775807",
         "9223372036854775807") "f32[3] f32[] -> f32[1]",
     "C4"},
};

static const violation_row_t reverse_rows[] = {
    {"stablehlo.reverse dimensions=[1,0] f32[2,3] -> f32[2,3]", NULL},
    {"stablehlo.reverse dimensions=[] i1[] -> i1[]", NULL},
    {"stablehlo.reverse dimensions=[0] f32[2] f32[2] -> f32[2]", "arity"},
    {"stablehlo.reverse dimensions=[0] " Q8 "[2] -> " Q8 "[2]", "quantized"},
    {"stablehlo.reverse dimensions=[0] f32[2] -> f32[3]", "C1"},
    {"stablehlo.reverse dimensions=[0,0] f32[2,2] -> f32[2,2]", "C2"},
    {"stablehlo.reverse dimensions=[2] f32[2,2] -> f32[2,2]", "C3"},
};

static const violation_row_t iota_rows[] = {
    {"stablehlo.iota iota_dimension=1 -> f32[2,3]", NULL},
    {"stablehlo.iota iota_dimension=0 -> complex<f64>[2]", NULL},
    {"stablehlo.iota iota_dimension=0 f32[2] -> f32[2]", "arity"},
    {"stablehlo.iota iota_dimension=0 -> " Q8 "[2]", "quantized"},
    {"stablehlo.iota iota_dimension=0 -> i1[2]", "types"},
    {"stablehlo.iota iota_dimension=1 -> i32[2]", "C1"},
    {"stablehlo.iota iota_dimension=0 -> i32[]", "C1"},
    {"stablehlo.iota iota_dimension=0 -> f8E8M0FNU[2]", "numbers"},
};

#define TAKE(sizes) "stablehlo.dynamic_slice slice_sizes=[" sizes "] "
static const violation_row_t dynamic_slice_rows[] = {
    {TAKE("2,1") "f32[4,4] i32[] i32[] -> f32[2,1]", NULL},
    {TAKE("") "f32[] -> f32[]", NULL},
    {TAKE("2") "f32[4] i32[] -> f32[2] f32[2]", "arity"},
    {TAKE("2") Q8 "[4] i32[] -> " Q8 "[2]", "quantized"},
    {TAKE("2") "f32[4] i32[] -> f16[2]", "C1"},
    {TAKE("2") "f32[4] i32[1] -> f32[2]", "starts"},
    {TAKE("2") "f32[4] f32[] -> f32[2]", "starts"},
    {TAKE("2") "f32[4] i32[] i32[] -> f32[2]", "C2"},
    {TAKE("2,1") "f32[4] i32[] -> f32[2]", "sizes"},
    {TAKE("2,1") "f32[4,4] i32[] i64[] -> f32[2,1]", "C3"},
    {TAKE("5") "f32[4] i32[] -> f32[5]", "C4"},
    {TAKE("2") "f32[4] i32[] -> f32[3]", "C5"},
};

#define UPDATE "stablehlo.dynamic_update_slice "
static const violation_row_t update_rows[] = {
    {UPDATE "f32[4,4] f32[2,1] i32[] i32[] -> f32[4,4]", NULL},
    {UPDATE "f32[4] -> f32[4]", "arity"},
    {UPDATE Q8 "[4] " Q8 "[4] i32[] -> " Q8 "[4]", "quantized"},
    {UPDATE "f32[4] f32[2] i32[] -> f32[5]", "C1"},
    {UPDATE "f32[4] f16[2] i32[] -> f32[4]", "C2"},
    {UPDATE "f32[4] f32[2,1] i32[] -> f32[4]", "C3"},
    {UPDATE "f32[4] f32[2] f32[] -> f32[4]", "starts"},
    {UPDATE "f32[4] f32[2] i32[] i32[] -> f32[4]", "C4"},
    {UPDATE "f32[4,4] f32[2,1] i32[] ui32[] -> f32[4,4]", "C5"},
    {UPDATE "f32[4] f32[5] i32[] -> f32[4]", "C6"},
};

/* By offset_dims, collapsed_slice_dims, batching dims of operand and start_indices,
 * start_index_map, index_vector_dim and slice_sizes. */
#define GATHER(offset, collapsed, batch, starts_batch, map, vector, sizes)         \
  "stablehlo.gather offset_dims=[" offset "] collapsed_slice_dims=[" collapsed     \
  "] operand_batching_dims=[" batch "] start_indices_batching_dims=[" starts_batch \
  "] start_index_map=[" map "] index_vector_dim=" vector " slice_sizes=[" sizes    \
  "] indices_are_sorted=false "

static const violation_row_t gather_rows[] = {
    {GATHER("1", "0", "", "", "0", "1", "1,4") "f32[9,4] i32[3,1] -> f32[3,4]", NULL},
    {GATHER("1", "0", "", "", "0", "1", "1,4") "f32[9,4] ui8[3] -> f32[3,4]", NULL},
    {GATHER("1", "", "0", "0", "1", "1", "1,2") "f32[3,4] i32[3,1] -> f32[3,2]", NULL},
    {GATHER("1", "0", "", "", "0", "1", "1,4") "f32[9,4] -> f32[3,4]", "arity"},
    {GATHER("1", "0", "", "", "0", "1", "1,4") Q8 "[9,4] i32[3,1] -> " Q8 "[3,4]", "quantized"},
    {GATHER("1", "0", "", "", "0", "1", "1,4") "f32[9,4] f32[3,1] -> f32[3,4]", "indices"},
    {GATHER("", "0", "", "", "0", "1", "1,4") "f32[9,4] i32[3,1] -> f32[3,4]", "C1"},
    {GATHER("1", "0", "", "", "0", "3", "1,4") "f32[9,4] i32[3,1] -> f32[3,4]", "C2"},
    {GATHER("1", "0", "", "", "0,1", "1", "1,4") "f32[9,4] i32[3,1] -> f32[3,4]", "C3"},
    {GATHER("2,1", "0", "", "", "0", "1", "1,4,4") "f32[9,4,4] i32[3,1] -> f32[3,4,4]", "C4"},
    {GATHER("2", "0", "", "", "0", "1", "1,4") "f32[9,4] i32[3,1] -> f32[3,4]", "C5"},
    {GATHER("1", "0", "0", "0", "1", "1", "1,1,4") "f32[3,1,4] i32[3,1] -> f32[3,4]", "C6"},
    {GATHER("1", "1,0", "", "", "0", "1", "1,1,4") "f32[9,1,4] i32[3,1] -> f32[3,4]", "C7"},
    {GATHER("1", "2", "", "", "0", "1", "1,4") "f32[9,4] i32[3,1] -> f32[3,4]", "C8"},
    {GATHER("1", "0", "", "", "0", "1", "2,4") "f32[9,4] i32[3,1] -> f32[3,4]", "C9"},
    {GATHER("2", "", "1,0", "0,1", "2", "2", "1,1,4") "f32[3,3,4] i32[3,3,1] -> f32[3,3,4]", "C10"},
    {GATHER("1", "", "2", "0", "1", "1", "1,2") "f32[3,4] i32[3,1] -> f32[3,2]", "C11"},
    {GATHER("1", "", "0", "0", "1", "1", "3,2") "f32[3,4] i32[3,1] -> f32[3,2]", "C12"},
    {GATHER("2", "", "0,1", "0,0", "2", "2", "1,1,4") "f32[3,3,4] i32[3,3,1] -> f32[3,3,4]", "C13"},
    {GATHER("1", "", "0", "2", "1", "1", "1,2") "f32[3,4] i32[3,1] -> f32[3,2]", "C14"},
    {GATHER("1", "", "0", "1", "1", "1", "1,2") "f32[1,4] i32[3,1] -> f32[3,2]", "C15"},
    {GATHER("1", "", "0", "", "1", "1", "1,2") "f32[3,4] i32[3,1] -> f32[3,2]", "C16"},
    {GATHER("1", "", "0", "0", "1", "1", "1,2") "f32[5,4] i32[3,1] -> f32[3,2]", "C17"},
    {GATHER("1", "", "0", "0", "0", "1", "1,2") "f32[3,4] i32[3,1] -> f32[3,2]", "C18"},
    {GATHER("1", "0", "", "", "2", "1", "1,4") "f32[9,4] i32[3,1] -> f32[3,4]", "C19"},
    {GATHER("1", "0", "", "", "0", "1", "1") "f32[9,4] i32[3,1] -> f32[3,4]", "C20"},
    {GATHER("1", "0", "", "", "0", "1", "1,5") "f32[9,4] i32[3,1] -> f32[3,5]", "C21"},
    {GATHER("1", "0", "", "", "0", "1", "1,4") "f32[9,4] i32[3,1] -> f32[3,3]", "C22"},
    {GATHER("0", "0", "", "", "0", "1", "1,4") "f32[9,4] i32[3,1] -> f32[3,4]", "C22"},
    {GATHER("1", "0", "", "", "0", "1", "1,4") "f32[9,4] i32[3,1] -> f64[3,4]", "C23"},
    {GATHER("1", "0", "", "", "0", "1", "0,4") "f32[9,4] i32[3,1] -> f32[3,4]", "empty"},
};

#define EACH_TABLE(function)                                                                     \
  function(0, slice_rows) function(1, pad_rows) function(2, reverse_rows) function(3, iota_rows) \
      function(4, dynamic_slice_rows) function(5, update_rows) function(6, gather_rows)

static void test_violations(void) {
#define CHECK(i, rows) check_violations(slicing_ops[i], rows, G_N_ELEMENTS(rows), NULL);
  EACH_TABLE(CHECK)
#undef CHECK
}

static void test_hostile(void) {
  check_hostile(pad_rows, G_N_ELEMENTS(pad_rows), 2000);
  check_hostile(update_rows, G_N_ELEMENTS(update_rows), 2000);
}

/* ---- Elements -------------------------------------------------------------------------------- */

typedef struct coverage {
  size_t programs, elements, batches, vectors;
} coverage_t;

/* What the fast side has conforms by the formulas, and another pattern does not. */
static void check_case(const case_t *instance, arena_t *arena, coverage_t *coverage) {
  const contract_t contract = contract_spec();
  question_t question;
  g_assert_cmpint(question_make(instance, &contract, arena, &question), ==, STATUS_OK);
  tensor_t results[1] = {tensor_make(arena, &instance->program.results[0])};
  const element_t *element = results[0].type.element;
  const accept_t *accept = &question.accepts[0];
  for (size_t i = 0; i < type_component_count(&results[0].type); i++) {
    element_store(element, results[0].data, i, accept->bits[i]);
    answer_t answer = question_decide(&question, 0, i, results);
    if (!answer.conforms) {
      g_autoptr(GString) line = g_string_new(NULL);
      case_print(instance, line);
      g_error("%s: component %zu: the oracle expects %s", line->str, i, answer.expected);
    }
    bool are_nan = element->format != NULL && format_is_nan(element->format, accept->bits[i]);
    if (are_nan || accept->decide[i] != 0) continue;
    element_store(element, results[0].data, i, accept->bits[i] ^ 1);
    g_assert_false(question_decide(&question, 0, i, results).conforms);
    coverage->elements++;
  }
}

static void visit(const program_t *program, arena_t *arena, void *state) {
  coverage_t *coverage = state;
  rng_t rng = rng_make(coverage->programs++);
  const slicing_attributes_t *attributes = slicing_attributes(program);
  coverage->batches += attributes->operand_batching_dims.count;
  coverage->vectors += attributes->start_index_map.count > 1;
  case_t instance = case_make(arena, program);
  program->op->draw_edges(&rng, &instance);
  if (program->op->settle_operands != NULL) program->op->settle_operands(&rng, &instance);
  check_case(&instance, arena, coverage);
}

static void test_drawn(void) {
  for (size_t i = 0; slicing_ops[i] != NULL; i++) {
    coverage_t coverage = {0};
    check_drawn(slicing_ops[i], &limits, 600, visit, &coverage);
    g_test_message("%s: %zu elements", slicing_ops[i]->name, coverage.elements);
    g_assert_cmpuint(coverage.elements, >, 2000);
    const program_t program = {.op = slicing_ops[i]};
    if (slicing_of(&program) != SLICING_GATHER) continue;
    g_assert_cmpuint(coverage.batches, >, 50);
    g_assert_cmpuint(coverage.vectors, >, 50);
  }
}

static void test_text(void) {
  g_autofree char *gather =
      check_text(GATHER("1", "0", "", "", "0", "1", "1,4") "f32[9,4] i32[3,1] -> f32[3,4]",
                 program_print_mlir_to_run);
  const char *expected =
      "%0 = \"stablehlo.gather\"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims "
      "= [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, "
      "indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<9x4xf32>, "
      "tensor<3x1xi32>) -> tensor<3x4xf32>\n";
  if (strstr(gather, expected) == NULL) g_error("%s", gather);
  g_autofree char *iota =
      check_text("stablehlo.iota iota_dimension=1 -> f32[2,3]", program_print_words);
  g_assert_cmpstr(iota, ==, "the index along a dimension as f32[2,3]");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/slicing_op/violations", test_violations);
  g_test_add_func("/slicing_op/hostile", test_hostile);
  g_test_add_func("/slicing_op/drawn", test_drawn);
  g_test_add_func("/slicing_op/text", test_text);
  return g_test_run();
}
