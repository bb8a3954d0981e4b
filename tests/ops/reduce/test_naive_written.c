/* SPDX-License-Identifier: Apache-2.0 */
/* Reduces by written bodies: random ones against a naive evaluation, all trees of few terms, terms
 * that cannot win, and the text of bodies. */
#include "tests/ops/naive_written.h"

static naive_node_t load(const case_t *instance, uint32_t first_operand, size_t index) {
  naive_node_t node = {0};
  for (uint32_t i = 0; i < instance->program.result_count; i++) {
    const tensor_t *tensor = &instance->operands[first_operand + i];
    node.values[i] = naive_load(tensor, index, tensor->type.element);
  }
  return node;
}

static void evaluate(rng_t *rng, const case_t *instance, const naive_plan_t *plan,
                     tensor_t *results) {
  const program_t *program = &instance->program;
  naive_node_t init = load(instance, program->result_count, 0);
  size_t terms = (size_t)program->operands[0].dims[1];
  for (size_t output = 0; output < type_element_count(&program->results[0]); output++) {
    GArray *leaves = g_array_new(FALSE, FALSE, sizeof(naive_node_t));
    for (size_t i = 0; i < terms; i++) {
      naive_insert(leaves, leaves->len, load(instance, 0, output * terms + i));
    }
    naive_arrange(rng, plan, init, leaves);
    const naive_node_t *nodes = (const naive_node_t *)(const void *)leaves->data;
    naive_node_t node = naive_fold(rng, program, plan, naive_combine_written, nodes, leaves->len);
    for (uint32_t r = 0; r < program->result_count; r++) {
      naive_store(&results[r], output, node.values[r]);
    }
    g_array_free(leaves, TRUE);
  }
}

static const naive_plan_t plans[] = {
    {.name = "sequential", .shape = NAIVE_LEFT},
    {.name = "reverse", .shape = NAIVE_RIGHT, .scatters_inits = true},
    {.name = "random tree", .shape = NAIVE_RANDOM, .scatters_inits = true},
    {.name = "saturating", .shape = NAIVE_LEFT, .saturates = true},
    {.name = "shuffled", .shape = NAIVE_RANDOM, .scatters_inits = true, .is_shuffled = true},
};

static void draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena, program_t *out_program) {
  (void)limits;
  size_t terms = (size_t)(rng_one_in(rng, 3) ? rng_between(rng, 5, 12) : rng_between(rng, 0, 4));
  *out_program = naive_draw_written(rng, 2, terms, rng_one_in(rng, 2) ? 2 : 1, arena);
}

static void test_conforms(void) {
  const draw_limits_t limits = {.rank_max = 2, .elements_max = 64, .terms_max = 24};
  op_t random = *check_find_op("stablehlo.reduce");
  random.draw = draw;
  naive_tally_t tally = naive_check_op(&random, &limits, 400, evaluate, plans, G_N_ELEMENTS(plans));
  g_assert_cmpuint(tally.skipped, ==, 0);
  g_assert_cmpuint(tally.asked, >, 200);
}

/* ---- All trees ------------------------------------------------------------------------------- */

/* What all trees of leaves [from, to) give: those in order of the leaves. */
static void reach(const program_t *program, const naive_node_t *leaves, size_t count,
                  GArray *out_nodes) {
  if (count == 1) g_array_append_val(out_nodes, leaves[0]);
  for (size_t left = 1; left < count; left++) {
    GArray *a = g_array_new(FALSE, FALSE, sizeof(naive_node_t));
    GArray *b = g_array_new(FALSE, FALSE, sizeof(naive_node_t));
    reach(program, leaves, left, a);
    reach(program, leaves + left, count - left, b);
    for (guint i = 0; i < a->len; i++) {
      for (guint k = 0; k < b->len; k++) {
        naive_node_t node = naive_combine_written(program, false, g_array_index(a, naive_node_t, i),
                                                  g_array_index(b, naive_node_t, k));
        g_array_append_val(out_nodes, node);
      }
    }
    g_array_free(a, TRUE);
    g_array_free(b, TRUE);
  }
}

/* The initial value once, at each place, under an in-order contract; or nowhere, if there is none.
 */
static GArray *reach_all(const case_t *instance) {
  GArray *nodes = g_array_new(FALSE, FALSE, sizeof(naive_node_t));
  size_t terms = (size_t)instance->program.operands[0].dims[1];
  if (reduce_has_no_init(&instance->program)) {
    naive_node_t leaves[8];
    for (size_t i = 0; i < terms; i++) leaves[i] = load(instance, 0, i);
    reach(&instance->program, leaves, terms, nodes);
    return nodes;
  }
  for (size_t place = 0; place <= terms; place++) {
    naive_node_t leaves[8];
    for (size_t i = 0; i <= terms; i++) {
      leaves[i] = i == place ? load(instance, instance->program.result_count, 0)
                             : load(instance, 0, i - (i > place ? 1 : 0));
    }
    reach(&instance->program, leaves, terms + 1, nodes);
  }
  return nodes;
}

static uint64_t bits_of(const element_t *element, naive_value_t value) {
  if (element->format != NULL) return format_from_double(element->format, value.real);
  return (uint64_t)value.integer & element_mask(element);
}

static bool is_zero(const element_t *element, uint64_t bits) {
  return element->format != NULL && format_is_zero(element->format, bits);
}

static bool is_reached(const GArray *nodes, const element_t *element, uint64_t bits) {
  for (guint i = 0; i < nodes->len; i++) {
    uint64_t reached = bits_of(element, g_array_index(nodes, naive_node_t, i).values[0]);
    if (naive_same(element, reached, bits)) return true;
    if (is_zero(element, reached) && is_zero(element, bits)) return true;
  }
  return false;
}

/* Whether a step tells the zeros apart that extrema leave open, or is not rounded correctly. */
static bool is_inexact(const body_t *body) {
  for (uint32_t i = 0; i < body->step_count; i++) {
    uint8_t op = body->steps[i].op;
    if (op == BODY_divide || op == BODY_exponential || op == BODY_tanh) return true;
  }
  return false;
}

/* Each result that some tree gives conforms, and its neighbours and others only if one does. */
static size_t check_exactly(rng_t *rng, const case_t *instance, arena_t *arena) {
  contract_t contract;
  const char *text = "spec,init_count=1,zero_sign=any,integer_overflow=wrap";
  g_assert_cmpint(contract_parse(str_from(text), &contract, NULL), ==, STATUS_OK);
  question_t question;
  g_assert_cmpint(question_make(instance, &contract, arena, &question), ==, STATUS_OK);
  const element_t *element = instance->program.results[0].element;
  tensor_t result = tensor_make(arena, &instance->program.results[0]);
  GArray *nodes = reach_all(instance);
  size_t wrong = 0;
  for (guint i = 0; i < nodes->len + 8; i++) {
    uint64_t bits = i < nodes->len
                        ? bits_of(element, g_array_index(nodes, naive_node_t, i).values[0])
                        : naive_draw_bits(rng, element, (naive_regime_t)(i % NAIVE_REGIME_COUNT));
    for (int step = -1; step <= 1; step++) {
      uint64_t asked = (bits + (uint64_t)step) & element_mask(element);
      element_store(element, result.data, 0, asked);
      bool conforms = question_decide(&question, 0, 0, &result).conforms;
      bool should = is_reached(nodes, element, asked);
      wrong += !should;
      if (conforms == should) continue;
      GString *line = g_string_new(NULL);
      case_print(instance, line);
      g_error("%s\n0x%" G_GINT64_MODIFIER "x: the oracle says %d, brute force %d", line->str, asked,
              conforms, should);
    }
  }
  g_array_free(nodes, TRUE);
  return wrong;
}

static void check_all_trees(uint64_t seed, bool has_no_init) {
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(seed);
  size_t wrong = 0;
  for (int i = 0; i < 400; i++) {
    arena_reset(&arena);
    size_t terms = (size_t)rng_below(&rng, 3) + (has_no_init ? 1 : 0);
    program_t program = naive_draw_written(&rng, 1, terms, 1, &arena);
    reduce_attributes_t attributes = *reduce_attributes(&program);
    if (is_inexact(&attributes.reduction.written)) continue;
    if (has_no_init && body_independent_op(&attributes.reduction.written, 0) != BODY_OP_COUNT) {
      continue; /* Asked about by its name, with a neutral initial value. */
    }
    attributes.has_no_init = has_no_init;
    program.attributes = &attributes;
    case_t instance = case_make(&arena, &program);
    naive_fill(&rng, (naive_regime_t)(i % NAIVE_REGIME_COUNT), &instance);
    wrong += check_exactly(&rng, &instance, &arena);
  }
  g_assert_cmpuint(wrong, >, 1000);
  arena_deinit(&arena);
}

static void test_all_trees(void) { check_all_trees(0x7ee5, false); }
static void test_no_init(void) { check_all_trees(0x210, true); } /* theory.md, T210. */

/* ---- Few initial values ---------------------------------------------------------------------- */

/* The terms in their order, and so many initial values among them, in a random tree. */
static naive_node_t add_up(rng_t *rng, const case_t *instance, size_t inits) {
  static const naive_plan_t plan = {.name = "random tree", .shape = NAIVE_RANDOM};
  size_t terms = (size_t)instance->program.operands[0].dims[1];
  GArray *leaves = g_array_new(FALSE, FALSE, sizeof(naive_node_t));
  for (size_t i = 0; i < terms; i++) naive_insert(leaves, leaves->len, load(instance, 0, i));
  for (size_t i = 0; i < inits; i++) {
    naive_node_t init = load(instance, instance->program.result_count, 0);
    naive_insert(leaves, (guint)rng_below(rng, leaves->len + 1), init);
  }
  const naive_node_t *nodes = (const naive_node_t *)(const void *)leaves->data;
  naive_node_t node =
      naive_fold(rng, &instance->program, &plan, naive_combine_written, nodes, leaves->len);
  g_array_free(leaves, TRUE);
  return node;
}

typedef struct few_tally {
  size_t asked;
  size_t undecided[2]; /* With few of them, and with any number. */
  size_t refused[2];   /* Of patterns that are not reached. */
} few_tally_t;

/* With any permitted number of them a result conforms; the others mostly do not, where anything is
 * known, and with few of them more is known than with any number. */
static void check_few(rng_t *rng, const case_t *instance, arena_t *arena, few_tally_t *tally) {
  static const char *const texts[] = {"spec,init_count=few,zero_sign=any,integer_overflow=wrap",
                                      "spec,init_count=any,zero_sign=any,integer_overflow=wrap"};
  const element_t *element = instance->program.results[0].element;
  size_t terms = (size_t)instance->program.operands[0].dims[1];
  tensor_t result = tensor_make(arena, &instance->program.results[0]);
  for (size_t c = 0; c < G_N_ELEMENTS(texts); c++) {
    contract_t contract;
    g_assert_cmpint(contract_parse(str_from(texts[c]), &contract, NULL), ==, STATUS_OK);
    question_t question;
    g_assert_cmpint(question_make(instance, &contract, arena, &question), ==, STATUS_OK);
    for (size_t inits = terms == 0 ? 1 : 0; inits <= 2 * terms + 2; inits += 1 + terms / 2) {
      uint64_t bits = bits_of(element, add_up(rng, instance, inits).values[0]);
      element_store(element, result.data, 0, bits);
      answer_t answer = question_decide(&question, 0, 0, &result);
      if (!answer.conforms) {
        GString *line = g_string_new(NULL);
        case_print(instance, line);
        g_error("%s\n0x%" G_GINT64_MODIFIER "x, %zu initial values, %s: expected %s", line->str,
                bits, inits, texts[c], answer.expected);
      }
      tally->asked++;
      tally->undecided[c] += answer.is_vacuous;
      element_store(element, result.data, 0, naive_draw_bits(rng, element, NAIVE_REGIME_COUNT - 1));
      tally->refused[c] += !question_decide(&question, 0, 0, &result).conforms;
    }
  }
}

static void test_few_inits(void) {
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(0xfe3);
  few_tally_t tally = {0};
  for (int i = 0; i < 250; i++) {
    arena_reset(&arena);
    program_t program = naive_draw_written(&rng, 1, (size_t)rng_below(&rng, 8), 1, &arena);
    if (is_inexact(&reduce_attributes(&program)->reduction.written)) continue;
    case_t instance = case_make(&arena, &program);
    naive_fill(&rng, (naive_regime_t)(i % NAIVE_REGIME_COUNT), &instance);
    check_few(&rng, &instance, &arena, &tally);
  }
  g_test_message(
      "%zu asked; undecided with few %zu, with any number %zu; of others refused %zu, %zu",
      tally.asked, tally.undecided[0], tally.undecided[1], tally.refused[0], tally.refused[1]);
  g_assert_cmpuint(tally.undecided[0], <, tally.undecided[1]);
  g_assert_cmpuint(tally.refused[0], >, tally.refused[1]);
  arena_deinit(&arena);
}

/* ---- Selections ------------------------------------------------------------------------------ */

#define RIGHT_WINS "{v0=compare_GT(a0,b0);v1=select(v0,a0,b0);v2=select(v0,a1,b1);return(v1,v2)}"

/* Values 1 2 0 2 1 2, indices 0 to 5, from (0, 9): ties go to the right operand. */
#define SELECTION                                    \
  "stablehlo.reduce body=" RIGHT_WINS                \
  " dims=[0] f32[6] i8[6] f32[] i8[] -> f32[] i8[] " \
  ": 3f8000004000000000000000400000003f80000040000000 : 000102030405 : 00000000 : 09"

/* Whether results with these patterns conform, by the fast set or the last word. */
static bool conforms_with(const char *contract_text, const char *line, const uint64_t bits[]) {
  arena_t arena;
  arena_init(&arena);
  contract_t contract;
  g_assert_cmpint(contract_parse(str_from(contract_text), &contract, NULL), ==, STATUS_OK);
  case_t instance;
  failure_t error;
  if (case_parse(str_from(line), &arena, &instance, NULL, &error) != STATUS_OK) {
    g_error("%s", error.text);
  }
  question_t question;
  g_assert_cmpint(question_make(&instance, &contract, &arena, &question), ==, STATUS_OK);
  tensor_t results[CASE_RESULTS_MAX];
  naive_make_results(&instance.program, &arena, results);
  bool conforms = true;
  for (uint32_t r = 0; r < instance.program.result_count; r++) {
    element_store(results[r].type.element, results[r].data, 0, bits[r]);
  }
  for (uint32_t r = 0; r < instance.program.result_count; r++) {
    bool does = question_decide(&question, r, 0, results).conforms;
    bool is_held = accept_holds(&question.accepts[r], results[r].type.element, 0, bits[r]);
    g_assert_true(does || !is_held || r > 0);
    conforms = conforms && does;
  }
  arena_deinit(&arena);
  return conforms;
}

static bool selects(const char *contract, const char *line, uint64_t value, uint64_t index) {
  const uint64_t bits[] = {value, index};
  return conforms_with(contract, line, bits);
}

static bool gives(const char *contract, const char *line, uint64_t bits) {
  return conforms_with(contract, line, &bits);
}

/* Values 1 2 0 2 5 3 from NaN, which beats 5 on its right, and is beaten by 3 on its own: (5, NaN),
 * 3 is 3. */
#define CIRCLE                                       \
  "stablehlo.reduce body=" RIGHT_WINS                \
  " dims=[0] f32[6] i8[6] f32[] i8[] -> f32[] i8[] " \
  ": 3f80000040000000000000004000000040a0000040400000 : 000102030405 : 7fc00000 : 09"

static void test_circle(void) {
  g_assert_true(selects("spec", CIRCLE, 0x40400000, 5));
  g_assert_true(selects("spec", CIRCLE, 0x40a00000, 4));
  g_assert_true(selects("spec", CIRCLE, 0x7fc00000, 9));
  g_assert_false(selects("backend", CIRCLE, 0x40a00000, 5));
}

static void test_selection(void) {
  const uint64_t two = 0x40000000, one = 0x3f800000;
  for (uint64_t index = 0; index < 10; index++) {
    bool is_tied = index == 1 || index == 3 || index == 5;
    g_assert_cmpint(selects("spec", SELECTION, two, index), ==, index == 5);
    g_assert_cmpint(selects("backend", SELECTION, two, index), ==, is_tied);
    g_assert_false(selects("backend", SELECTION, one, index));
  }
}

/* 100 + 100 of i8 under contracts that have it wrap, or stay at the largest. */
static void test_overflow(void) {
  const char *line =
      "stablehlo.reduce body={v0=add(a0,b0);v1=not(v0);v2=not(v1);return(v2)} dims=[0] i8[2] i8[] "
      "-> "
      "i8[] : 6464 : 00";
  static const struct {
    const char *contract;
    bool wraps, saturates;
  } rows[] = {{"integer_overflow=wrap", true, false},
              {"integer_overflow=saturate", false, true},
              {"backend", true, true}};
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_assert_cmpint(gives(rows[i].contract, line, 0xc8), ==, rows[i].wraps);
    g_assert_cmpint(gives(rows[i].contract, line, 0x7f), ==, rows[i].saturates);
  }
}

/* ---- Pairs that stand for exponentials ------------------------------------------------------- */

#define EXPONENTIALS                                                             \
  "{v0=maximum(a0,b0);v1=subtract(a0,v0);v2=exponential(v1);v3=multiply(a1,v2);" \
  "v4=subtract(b0,v0);v5=exponential(v4);v6=multiply(b1,v5);v7=add(v3,v6);return(v0,v7)}"

/* Many terms: what is computed anyhow conforms, and a sum without its largest term does not. */
static void test_exponentials(void) {
  arena_t arena;
  arena_init(&arena);
  const char *violation = NULL;
  program_t program = check_parse("stablehlo.reduce body=" EXPONENTIALS
                                  " dims=[1] f32[4,100] f32[4,100] f32[] f32[] -> f32[4] f32[4]",
                                  &arena, &violation);
  g_assert_null(violation);
  rng_t rng = rng_make(5);
  case_t instance = case_make(&arena, &program);
  const contract_t contract = contract_backend();
  for (int i = 0; i < 8; i++) {
    naive_fill(&rng, NAIVE_NEAR_ONE, &instance);
    element_store(element_named("f32"), instance.operands[2].data, 0, 0xff7fffff);
    element_store(element_named("f32"), instance.operands[3].data, 0, 0);
    question_t question;
    g_assert_cmpint(question_make(&instance, &contract, &arena, &question), ==, STATUS_OK);
    tensor_t results[CASE_RESULTS_MAX];
    naive_make_results(&program, &arena, results);
    evaluate(&rng, &instance, &plans[4], results);
    g_assert_true(question_conforms(&question, results, NULL));
    answer_t right = question_decide(&question, 1, 0, results);
    g_assert_false(right.is_vacuous);
    double sum = format_to_double(&format_table[FORMAT_f32],
                                  element_load(element_named("f32"), results[1].data, 0));
    for (int sign = -1; sign <= 1; sign += 2) { /* T141: about (n (2 K + 2) + M - m) u S. */
      double other = sum + sign * 100 * 0x1p-10;
      element_store(element_named("f32"), results[1].data, 0,
                    format_from_double(&format_table[FORMAT_f32], other));
      g_assert_false(question_decide(&question, 1, 0, results).conforms);
    }
  }
  arena_deinit(&arena);
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void test_text(void) {
  rng_t rng = rng_make(3);
  for (int i = 0; i < 500; i++) {
    const element_t *arguments[] = {naive_written_argument(&rng), naive_written_argument(&rng)};
    const body_t body = naive_draw_body(&rng, arguments, 2);
    GString *text = g_string_new(NULL), *again = g_string_new(NULL);
    body_print(&body, text);
    const body_t parsed = body_from(text->str);
    g_assert_true(body_equal(&body, &parsed));
    body_print(&parsed, again);
    g_assert_cmpstr(text->str, ==, again->str);
    g_string_free(text, TRUE);
    g_string_free(again, TRUE);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/naive_written/conforms", test_conforms);
  g_test_add_func("/naive_written/all_trees", test_all_trees);
  g_test_add_func("/naive_written/few_inits", test_few_inits);
  g_test_add_func("/naive_written/no_init", test_no_init);
  g_test_add_func("/naive_written/selection", test_selection);
  g_test_add_func("/naive_written/circle", test_circle);
  g_test_add_func("/naive_written/overflow", test_overflow);
  g_test_add_func("/naive_written/exponentials", test_exponentials);
  g_test_add_func("/naive_written/text", test_text);
  return g_test_run();
}
