/* SPDX-License-Identifier: Apache-2.0 */
/* stablehlo.convolution, evaluated naively: for each result element, a loop over the places of the
 * kernel that looks for the input element that lies there. */
#include "generated/convolution_permissions.h"
#include "oracles/ops/convolution/convolution.h"
#include "tests/ops/dot_general/naive_dot_quantized.h"
#include "tests/ops/naive_checks.h"

/* The index of each spatial dimension of the kernel, and the input feature. */
typedef struct term {
  int64_t place[TYPE_RANK_MAX];
  int64_t feature;
} term_t;

/* A result element: its own indices, and where its group starts. */
typedef struct output {
  int64_t window[TYPE_RANK_MAX];
  int64_t batch;         /* Of lhs. */
  int64_t channel;       /* Output feature of rhs. */
  int64_t first_feature; /* Of lhs. */
} output_t;

static output_t find_output(const program_t *program, size_t result) {
  const convolution_attributes_t *attributes = convolution_attributes(program);
  int64_t index[TYPE_RANK_MAX];
  check_unravel(&program->results[0], result, index);
  output_t output = {.channel = index[attributes->output.feature]};
  int64_t channels = program->results[0].dims[attributes->output.feature];
  int64_t groups = attributes->feature_group_count * attributes->batch_group_count;
  int64_t group = output.channel / (channels / groups);
  int64_t entries = program->results[0].dims[attributes->output.batch];
  int64_t features = program->operands[CONVOLUTION_RHS].dims[attributes->kernel.feature];
  output.batch = index[attributes->output.batch];
  if (attributes->batch_group_count > 1) output.batch += group * entries;
  if (attributes->feature_group_count > 1) output.first_feature = group * features;
  for (uint32_t d = 0; d < attributes->output.spatial.count; d++) {
    output.window[d] = index[attributes->output.spatial.dims[d]];
  }
  return output;
}

/* Places in lexicographic order, then features; false after the last one. */
static bool step_term(const program_t *program, term_t *term) {
  const convolution_attributes_t *attributes = convolution_attributes(program);
  const int64_t *sizes = program->operands[CONVOLUTION_RHS].dims;
  if (++term->feature < sizes[attributes->kernel.feature]) return true;
  term->feature = 0;
  for (uint32_t d = attributes->kernel.spatial.count; d-- > 0;) {
    if (++term->place[d] < sizes[attributes->kernel.spatial.dims[d]]) return true;
    term->place[d] = 0;
  }
  return false;
}

/* The input index that lies under place `place` of window `window`, by trying all; -1: none. */
static int64_t look_for_input(const program_t *program, uint32_t d, int64_t window, int64_t place) {
  const convolution_attributes_t *attributes = convolution_attributes(program);
  int64_t size = program->operands[CONVOLUTION_RHS].dims[attributes->kernel.spatial.dims[d]];
  int64_t inputs = program->operands[CONVOLUTION_LHS].dims[attributes->input.spatial.dims[d]];
  int64_t seen = attributes->window_reversal[d] ? size - 1 - place : place;
  int64_t wanted =
      window * attributes->window_strides.dims[d] + seen * attributes->rhs_dilation.dims[d];
  for (int64_t input = 0; input < inputs; input++) {
    int64_t at = attributes->padding.low[d] + input * attributes->lhs_dilation.dims[d];
    if (at == wanted) return input;
  }
  return -1;
}

/* Where both factors of one term are; false if lhs has padding there. */
static bool find_term(const program_t *program, const output_t *output, const term_t *term,
                      size_t *out_lhs, size_t *out_rhs) {
  const convolution_attributes_t *attributes = convolution_attributes(program);
  int64_t lhs[TYPE_RANK_MAX], rhs[TYPE_RANK_MAX];
  bool is_padding = false;
  lhs[attributes->input.batch] = output->batch;
  lhs[attributes->input.feature] = output->first_feature + term->feature;
  rhs[attributes->kernel.batch] = output->channel;
  rhs[attributes->kernel.feature] = term->feature;
  for (uint32_t d = 0; d < attributes->kernel.spatial.count; d++) {
    int64_t input = look_for_input(program, d, output->window[d], term->place[d]);
    is_padding = is_padding || input < 0;
    lhs[attributes->input.spatial.dims[d]] = input;
    rhs[attributes->kernel.spatial.dims[d]] = term->place[d];
  }
  *out_rhs = check_ravel(&program->operands[CONVOLUTION_RHS], rhs);
  if (!is_padding) *out_lhs = check_ravel(&program->operands[CONVOLUTION_LHS], lhs);
  return !is_padding;
}

static bool load_factors(const case_t *instance, const output_t *output, const term_t *term,
                         naive_node_t *out_factors) {
  const element_t *element = instance->program.results[0].element;
  size_t lhs, rhs;
  bool is_input = find_term(&instance->program, output, term, &lhs, &rhs);
  out_factors->values[0] = (naive_value_t){0};
  out_factors->values[1] = naive_load(&instance->operands[CONVOLUTION_RHS], rhs, element);
  if (is_input) {
    out_factors->values[0] = naive_load(&instance->operands[CONVOLUTION_LHS], lhs, element);
  }
  return is_input;
}

/* The factors of all terms of a result element, with those of padding or without. */
static GArray *find_factors(const case_t *instance, size_t result, bool with_padding) {
  const program_t *program = &instance->program;
  GArray *factors = g_array_new(FALSE, FALSE, sizeof(naive_node_t));
  output_t output = find_output(program, result);
  if (type_element_count(&program->operands[CONVOLUTION_RHS]) == 0) return factors;
  term_t term = {.feature = 0};
  do {
    naive_node_t pair;
    bool is_input = load_factors(instance, &output, &term, &pair);
    if (is_input || with_padding) naive_insert(factors, factors->len, pair);
  } while (step_term(program, &term));
  return factors;
}

/* ---- Sums ------------------------------------------------------------------------------------ */

static naive_node_t combine(const program_t *program, bool saturates, naive_node_t a,
                            naive_node_t b) {
  const element_t *element = program->results[0].element;
  return (naive_node_t){{naive_add(element, saturates, a.values[0], b.values[0])}};
}

static naive_value_t sum_products(rng_t *rng, const program_t *program, const naive_plan_t *plan,
                                  const GArray *factors) {
  const element_t *element = program->results[0].element;
  GArray *leaves = g_array_new(FALSE, FALSE, sizeof(naive_node_t));
  for (guint i = 0; i < factors->len; i++) {
    const naive_value_t *pair = g_array_index(factors, naive_node_t, i).values;
    naive_node_t leaf = {{naive_multiply(element, plan->saturates, pair[0], pair[1])}};
    naive_insert(leaves, leaves->len, leaf);
  }
  naive_node_t zero = {0};
  naive_arrange(rng, plan, zero, leaves);
  const naive_node_t *nodes = (const naive_node_t *)(const void *)leaves->data;
  naive_node_t sum = naive_fold(rng, program, plan, combine, nodes, leaves->len);
  g_array_free(leaves, TRUE);
  return sum.values[0];
}

/* One rounding in all; a last product of zeros stands for the initial +0. */
static naive_value_t sum_exactly(const format_t *format, const GArray *factors) {
  g_autofree double *left = g_new0(double, factors->len + 1);
  g_autofree double *right = g_new0(double, factors->len + 1);
  for (guint i = 0; i < factors->len; i++) {
    left[i] = g_array_index(factors, naive_node_t, i).values[0].real;
    right[i] = g_array_index(factors, naive_node_t, i).values[1].real;
  }
  return (naive_value_t){.real = naive_sum_exactly(format, left, right, factors->len + 1)};
}

/* One rounding a term, from +0 on. */
static naive_value_t sum_fused(const format_t *format, const GArray *factors) {
  double sum = 0;
  for (guint i = 0; i < factors->len; i++) {
    const naive_value_t *pair = g_array_index(factors, naive_node_t, i).values;
    sum = naive_multiply_add(format, pair[0].real, pair[1].real, sum);
  }
  return (naive_value_t){.real = sum};
}

static void evaluate_padding(rng_t *rng, const case_t *instance, const naive_plan_t *plan,
                             bool with_padding, tensor_t *results) {
  const program_t *program = &instance->program;
  const element_t *element = program->results[0].element;
  for (size_t result = 0; result < type_element_count(&program->results[0]); result++) {
    GArray *factors = find_factors(instance, result, with_padding);
    bool is_float = element->kind == ELEMENT_FLOAT;
    naive_value_t sum = is_float && plan->is_fused   ? sum_fused(element->format, factors)
                        : is_float && plan->is_exact ? sum_exactly(element->format, factors)
                                                     : sum_products(rng, program, plan, factors);
    naive_store(&results[0], result, sum);
    g_array_free(factors, TRUE);
  }
}

/* Sum of (q - z) (q - z) of a result element, exact or saturated to 32 bits after each term;
 * padding adds nothing. */
static __int128 sum_integers(const case_t *instance, size_t result, bool saturates) {
  const program_t *program = &instance->program;
  __int128 sum = 0;
  if (type_element_count(&program->operands[CONVOLUTION_RHS]) == 0) return 0;
  output_t output = find_output(program, result);
  term_t term = {.feature = 0};
  do {
    size_t lhs, rhs;
    if (!find_term(program, &output, &term, &lhs, &rhs)) continue;
    sum += (__int128)naive_difference(&instance->operands[CONVOLUTION_LHS], lhs) *
           naive_difference(&instance->operands[CONVOLUTION_RHS], rhs);
    if (saturates) sum = naive_clamp32(sum);
  } while (step_term(program, &term));
  return sum;
}

/* The other semantics: integer sums that are rescaled by s s / s, exactly. */
static void evaluate_integers(const case_t *instance, bool saturates, tensor_t *results) {
  const program_t *program = &instance->program;
  const quantization_t *rhs = program->operands[CONVOLUTION_RHS].quantization;
  const type_t *result = &program->results[0];
  mpq_t multiplier, scale;
  mpq_inits(multiplier, scale, NULL);
  for (size_t i = 0; i < type_element_count(result); i++) {
    size_t channel = (size_t)find_output(program, i).channel;
    mpq_set_d(multiplier, program->operands[CONVOLUTION_LHS].quantization->scales[0]);
    mpq_set_d(scale, rhs->scales[rhs->axis < 0 ? 0 : channel]);
    mpq_mul(multiplier, multiplier, scale);
    mpq_set_d(scale, result->quantization->scales[naive_channel(result, i)]);
    mpq_div(multiplier, multiplier, scale);
    __int128 sum = sum_integers(instance, i, saturates);
    naive_store_integer(&results[0], i, naive_rescale(result, i, sum, multiplier));
  }
  mpq_clears(multiplier, scale, NULL);
}

/* By the specification's formula: dequantized, padded with 0.0, quantized. */
static void evaluate_quantized(rng_t *rng, const case_t *instance, const naive_plan_t *plan,
                               tensor_t *results) {
  arena_t arena;
  arena_init(&arena);
  case_t floats = naive_dequantized(instance, &arena);
  bool is_hybrid = results[0].type.quantization == NULL;
  tensor_t sums = is_hybrid ? results[0] : tensor_make(&arena, &floats.program.results[0]);
  evaluate_padding(rng, &floats, plan, true, &sums);
  if (!is_hybrid) naive_quantize_all(&sums, &results[0]);
  arena_deinit(&arena);
}

static void evaluate(rng_t *rng, const case_t *instance, const naive_plan_t *plan,
                     tensor_t *results) {
  if (results[0].type.quantization != NULL && (plan->is_exact || plan->saturates)) {
    evaluate_integers(instance, plan->saturates, results);
  } else if (instance->operands[CONVOLUTION_RHS].type.quantization != NULL) {
    evaluate_quantized(rng, instance, plan, results);
  } else {
    evaluate_padding(rng, instance, plan, true, results);
  }
}

/* ---- All of it ------------------------------------------------------------------------------- */

static const naive_plan_t plans[] = {
    {.name = "sequential", .shape = NAIVE_LEFT},
    {.name = "reverse", .shape = NAIVE_RIGHT, .scatters_inits = true},
    {.name = "saturating", .shape = NAIVE_LEFT, .saturates = true},
    {.name = "exact", .is_exact = true},
    {.name = "fused", .shape = NAIVE_LEFT, .is_fused = true},
    {.name = "shuffled", .shape = NAIVE_RANDOM, .scatters_inits = true, .is_shuffled = true},
};

/* The sanitizers look at code, and see it in fewer cases. */
#ifdef ASSAY_SANITIZE
enum { CASES = 500, SKIPPING_CASES = 300 };
#else
enum { CASES = 3000, SKIPPING_CASES = 1500 };
#endif

static const draw_limits_t limits = {.rank_max = 5, .elements_max = 64, .terms_max = 24};

/* Types of accumulation are in tests/campaign/contracts/test_precision.c. */
static void draw_evaluated(rng_t *rng, const draw_limits_t *draw_limits, arena_t *arena,
                           program_t *out_program) {
  do {
    check_find_op("stablehlo.convolution")->draw(rng, draw_limits, arena, out_program);
  } while (convolution_attributes(out_program)->accumulation != NULL);
}

static void draw_unquantized(rng_t *rng, const draw_limits_t *draw_limits, arena_t *arena,
                             program_t *out_program) {
  do {
    draw_evaluated(rng, draw_limits, arena, out_program);
  } while (out_program->operands[CONVOLUTION_RHS].quantization != NULL);
}

static void test_conforms(void) {
  op_t op = *check_find_op("stablehlo.convolution");
  op.draw = draw_evaluated;
  naive_tally_t tally = naive_check_op(&op, &limits, CASES, evaluate, plans, G_N_ELEMENTS(plans));
  g_assert_cmpuint(tally.skipped, <, tally.cases / 20);
  g_assert_cmpuint(tally.held, >, tally.asked / 4);
}

/* Whether the results conform where padding is multiplied, and where it may be skipped. */
typedef struct opinions {
  bool as_products;
  bool as_skipped;
} opinions_t;

static opinions_t ask_both(const case_t *instance, const tensor_t *results, arena_t *arena) {
  opinions_t opinions;
  contract_t contract = contract_backend();
  question_t question;
  g_assert_cmpint(question_make(instance, &contract, arena, &question), ==, STATUS_OK);
  opinions.as_products = question_conforms(&question, results, NULL);
  PERMITTED(&contract, convolution_padding) = 1;
  g_assert_cmpint(question_make(instance, &contract, arena, &question), ==, STATUS_OK);
  opinions.as_skipped = question_conforms(&question, results, NULL);
  return opinions;
}

/* Results without the products of padding: permitted where a contract says so, and told apart
 * elsewhere, unless padding changes nothing. */
static void test_skipped_padding(void) {
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(0x5c1);
  size_t told = 0, alike = 0;
  for (size_t c = 0; c < SKIPPING_CASES; c++) {
    arena_reset(&arena);
    program_t program;
    draw_unquantized(&rng, &limits, &arena, &program);
    if (strcmp(program.operands[0].element->name, "f8E8M0FNU") == 0) continue;
    case_t instance = case_make(&arena, &program);
    naive_fill(&rng, NAIVE_SPECIALS, &instance);
    tensor_t whole[CASE_RESULTS_MAX], skipped[CASE_RESULTS_MAX];
    naive_make_results(&program, &arena, whole);
    naive_make_results(&program, &arena, skipped);
    evaluate_padding(&rng, &instance, &plans[0], true, whole);
    evaluate_padding(&rng, &instance, &plans[0], false, skipped);
    g_assert_true(ask_both(&instance, whole, &arena).as_skipped);
    opinions_t opinions = ask_both(&instance, skipped, &arena);
    g_assert_true(opinions.as_skipped);
    bool same = naive_results_equal(&program, whole, skipped);
    if (same) g_assert_true(opinions.as_products);
    told += !opinions.as_products;
    alike += opinions.as_products;
  }
  g_test_message("%zu times told from products, %zu times not", told, alike);
  g_assert_cmpuint(told, >, 50);
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/naive_convolution/conforms", test_conforms);
  g_test_add_func("/naive_convolution/skipped_padding", test_skipped_padding);
  return g_test_run();
}
