/* SPDX-License-Identifier: Apache-2.0 */
/* stablehlo.dot_general, evaluated naively: for each result element the indices of both operands
 * are built dimension by dimension. */
#include "tests/ops/dot_general/naive_dot_algorithm.h"
#include "tests/ops/dot_general/naive_dot_quantized.h"

static naive_node_t combine(const program_t *program, bool saturates, naive_node_t a,
                            naive_node_t b) {
  const element_t *element = program->results[0].element;
  return (naive_node_t){{naive_add(element, saturates, a.values[0], b.values[0])}};
}

/* Both factors of one term, in the result's element type. */
static naive_node_t load_factors(const case_t *instance, const place_t *place) {
  const program_t *program = &instance->program;
  const element_t *element = program->results[0].element;
  size_t lhs = check_ravel(&program->operands[DOT_GENERAL_LHS], place->lhs);
  size_t rhs = check_ravel(&program->operands[DOT_GENERAL_RHS], place->rhs);
  return (naive_node_t){{naive_load(&instance->operands[DOT_GENERAL_LHS], lhs, element),
                         naive_load(&instance->operands[DOT_GENERAL_RHS], rhs, element)}};
}

static naive_value_t sum_products(rng_t *rng, const case_t *instance, const naive_plan_t *plan,
                                  const GArray *factors) {
  const program_t *program = &instance->program;
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

/* ---- By an algorithm ------------------------------------------------------------------------- */

/* Leaves of the accumulation type, summed as the plan says. */
static double sum_leaves(rng_t *rng, const program_t *accumulating, const naive_plan_t *plan,
                         const double *leaves, size_t count) {
  GArray *nodes = g_array_new(FALSE, FALSE, sizeof(naive_node_t));
  for (size_t i = 0; i < count; i++) {
    naive_insert(nodes, nodes->len, (naive_node_t){{{.real = leaves[i]}}});
  }
  naive_arrange(rng, plan, (naive_node_t){0}, nodes);
  const naive_node_t *first = (const naive_node_t *)(const void *)nodes->data;
  double sum = naive_fold(rng, accumulating, plan, combine, first, nodes->len).values[0].real;
  g_array_free(nodes, TRUE);
  return sum;
}

static double drop_nan(double low) { return isnan(low) ? 0 : low; }

/* products[p * terms + t]; the last row is the leading product's. */
static double sum_all_products(rng_t *rng, const program_t *accumulating, const naive_plan_t *plan,
                               const naive_split_t *split, const double *products, int rows,
                               size_t terms) {
  const format_t *format = accumulating->results[0].element->format;
  g_autofree double *leaves = g_new0(double, terms + 1);
  if (split->by_term) {
    for (size_t t = 0; t < terms; t++) {
      double low = 0;
      for (int p = 0; p < rows - 1; p++) {
        low = naive_add_floats(format, low, products[(size_t)p * terms + t]);
      }
      double leading = products[(size_t)(rows - 1) * terms + t];
      leaves[t] = rows == 1 ? leading : naive_add_floats(format, drop_nan(low), leading);
    }
    return sum_leaves(rng, accumulating, plan, leaves, terms);
  }
  double low = 0;
  for (int p = 0; p < rows - 1; p++) {
    double sum = sum_leaves(rng, accumulating, plan, products + (size_t)p * terms, terms);
    low = naive_add_floats(format, low, sum);
  }
  double sum = sum_leaves(rng, accumulating, plan, products + (size_t)(rows - 1) * terms, terms);
  return rows == 1 ? sum : naive_add_floats(format, drop_nan(low), sum);
}

/* All products of components of one result element, rounded to the accumulation type. */
static GArray *multiply_components(const case_t *instance, const naive_split_t *split,
                                   const naive_products_t *products, size_t result) {
  const dot_general_attributes_t *attributes = dot_general_attributes(&instance->program);
  const dot_algorithm_attribute_t *algorithm = &attributes->algorithm;
  GArray *rows[NAIVE_PRODUCTS_MAX];
  for (int p = 0; p < products->product_count; p++) {
    rows[p] = g_array_sized_new(FALSE, FALSE, sizeof(double), 1); /* Never NULL inside. */
  }
  place_t place = place_of_result(&instance->program, result);
  for (bool more = has_terms(&instance->program); more;
       more = next_term(&instance->program, &place)) {
    double a[NAIVE_COMPONENTS_MAX], b[NAIVE_COMPONENTS_MAX];
    const tensor_t *lhs = &instance->operands[0], *rhs = &instance->operands[1];
    naive_split_element(split, algorithm->lhs_type->format, products->component_counts[0], lhs,
                        check_ravel(&lhs->type, place.lhs), a);
    naive_split_element(split, algorithm->rhs_type->format, products->component_counts[1], rhs,
                        check_ravel(&rhs->type, place.rhs), b);
    for (int p = 0; p < products->product_count; p++) {
      double product = naive_multiply_floats(algorithm->accumulation_type->format,
                                             a[products->lhs[p] - 1], b[products->rhs[p] - 1]);
      g_array_append_val(rows[p], product);
    }
  }
  for (int p = 1; p < products->product_count; p++) {
    if (rows[p]->len > 0) g_array_append_vals(rows[0], rows[p]->data, rows[p]->len);
    g_array_free(rows[p], TRUE);
  }
  return rows[0];
}

static void evaluate_algorithm(rng_t *rng, const case_t *instance, const naive_plan_t *plan,
                               tensor_t *results) {
  const program_t *program = &instance->program;
  const dot_algorithm_attribute_t *algorithm = &dot_general_attributes(program)->algorithm;
  const naive_products_t products = naive_find_products(algorithm);
  bool is_plain = plan->shape == NAIVE_LEFT && !plan->is_fused && !plan->saturates;
  const naive_split_t split = {.truncates = !is_plain && rng_one_in(rng, 2),
                               .by_term = !is_plain && rng_one_in(rng, 3)};
  program_t accumulating = *program;
  accumulating.results[0].element = algorithm->accumulation_type;
  for (size_t result = 0; result < type_element_count(&program->results[0]); result++) {
    GArray *rows = multiply_components(instance, &split, &products, result);
    size_t terms = rows->len / (size_t)products.product_count;
    const double *numbers = (const double *)(const void *)rows->data;
    double sum =
        sum_all_products(rng, &accumulating, plan, &split, numbers, products.product_count, terms);
    double converted = naive_add_floats(program->results[0].element->format, sum, -0.0);
    naive_store(&results[0], result, (naive_value_t){.real = converted});
    g_array_free(rows, TRUE);
  }
}

/* ---- All of it ------------------------------------------------------------------------------- */

static bool asks_for_known_algorithm(const program_t *program) {
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  dot_algorithm_t algorithm;
  return attributes->has_algorithm && dot_algorithm_find(&attributes->algorithm, &algorithm);
}

static void evaluate_floats(rng_t *rng, const case_t *instance, const naive_plan_t *plan,
                            tensor_t *results) {
  const program_t *program = &instance->program;
  const element_t *element = program->results[0].element;
  if (asks_for_known_algorithm(program)) {
    evaluate_algorithm(rng, instance, plan, results);
    return;
  }
  for (size_t result = 0; result < type_element_count(&program->results[0]); result++) {
    GArray *factors = g_array_new(FALSE, FALSE, sizeof(naive_node_t));
    place_t place = place_of_result(program, result);
    bool has_more = has_terms(program);
    while (has_more) {
      naive_insert(factors, factors->len, load_factors(instance, &place));
      has_more = next_term(program, &place);
    }
    bool is_float = element->kind == ELEMENT_FLOAT;
    naive_value_t sum = is_float && plan->is_fused   ? sum_fused(element->format, factors)
                        : is_float && plan->is_exact ? sum_exactly(element->format, factors)
                                                     : sum_products(rng, instance, plan, factors);
    naive_store(&results[0], result, sum);
    g_array_free(factors, TRUE);
  }
}

/* Quantized results by floats, but as integers where integers do something else. */
static void evaluate(rng_t *rng, const case_t *instance, const naive_plan_t *plan,
                     tensor_t *results) {
  const program_t *program = &instance->program;
  if (program->operands[DOT_GENERAL_RHS].quantization == NULL) {
    evaluate_floats(rng, instance, plan, results);
    return;
  }
  bool is_quantized = program->results[0].quantization != NULL;
  if (is_quantized && (plan->is_exact || plan->saturates)) {
    naive_dot_integers(instance, plan->saturates, &results[0]);
    return;
  }
  arena_t arena;
  arena_init(&arena);
  const case_t floats = naive_dequantized(instance, &arena);
  tensor_t sums = is_quantized ? tensor_make(&arena, &floats.program.results[0]) : results[0];
  memset(sums.data, 0, type_bytes(&sums.type));
  evaluate_floats(rng, &floats, plan, &sums);
  if (is_quantized) naive_quantize_all(&sums, &results[0]);
  arena_deinit(&arena);
}

static const naive_plan_t plans[] = {
    {.name = "sequential", .shape = NAIVE_LEFT},
    {.name = "reverse", .shape = NAIVE_RIGHT, .scatters_inits = true},
    {.name = "random tree", .shape = NAIVE_RANDOM, .scatters_inits = true},
    {.name = "saturating", .shape = NAIVE_LEFT, .saturates = true},
    {.name = "exact", .is_exact = true},
    {.name = "fused", .shape = NAIVE_LEFT, .is_fused = true},
    {.name = "shuffled", .shape = NAIVE_RANDOM, .scatters_inits = true, .is_shuffled = true},
};

/* Algorithms are evaluated of floats throughout, which can be added whatever comes; others are in
 * corpus/directed, and types of accumulation in tests/campaign/contracts/test_precision.c. */
static bool is_evaluated(const program_t *program) {
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  if (!attributes->has_algorithm) return attributes->accumulation == NULL;
  const element_t *types[] = {
      program->operands[0].element,   program->operands[1].element,
      program->results[0].element,    attributes->algorithm.lhs_type,
      attributes->algorithm.rhs_type, attributes->algorithm.accumulation_type};
  for (size_t i = 0; i < G_N_ELEMENTS(types); i++) {
    if (types[i]->kind != ELEMENT_FLOAT) return false;
  }
  return format_has_nan(attributes->algorithm.accumulation_type->format);
}

static void draw_evaluated(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                           program_t *out_program) {
  do {
    check_find_op("stablehlo.dot_general")->draw(rng, limits, arena, out_program);
  } while (!is_evaluated(out_program));
}

static void test_conforms(void) {
  const draw_limits_t limits = {.rank_max = 4, .elements_max = 64, .terms_max = 24};
  op_t op = *check_find_op("stablehlo.dot_general");
  op.draw = draw_evaluated;
  naive_tally_t tally = naive_check_op(&op, &limits, 3000, evaluate, plans, G_N_ELEMENTS(plans));
  g_assert_cmpuint(tally.skipped, <, tally.cases / 20);
  g_assert_cmpuint(tally.held, >, tally.asked / 4);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/naive_dot_general/conforms", test_conforms);
  return g_test_run();
}
