/* SPDX-License-Identifier: Apache-2.0 */
/* What the words of a precision_config stand for (oracles/theory.md, D22, T147, T148): models that
 * compute them as they say conform to the contract that says the same, and to no tighter one; what
 * conforms for a word conforms for every lower one. */
#include <inttypes.h>
#include <string.h>

#include "harness/kinds/precision.h"
#include "oracles/oracle.h"
#include "tests/campaign/contracts/contract_run.h"

enum { CASES = 400 };

static const char *const words[] = {"DEFAULT", "HIGH", "HIGHEST"};
static const char *const arithmetics[] = {"f32",     "bf16_x9", "bf16_x6", "tf32_x3",
                                          "bf16_x3", "tf32",    "bf16",    "f16"};

/* What is drawn: ops that multiply, and a sum. */
typedef enum drawn { DOT, CONVOLUTION, PRODUCTS, SUM = PRODUCTS } drawn_t;

/* Programs of f32 with these words. */
typedef struct drawing {
  drawn_t op;
  const char *precision; /* "[HIGH,HIGH]"; NULL: none. */
} drawing_t;

static void parse_program(const char *line, arena_t *arena, program_t *out_program) {
  const char *broken = NULL;
  failure_t error = {.text = ""};
  if (program_parse(str_from(line), arena, out_program, &broken, &error) != STATUS_OK ||
      broken != NULL) {
    g_error("%s: %s", line, error.text);
  }
}

static char *print_program(rng_t *rng, const drawing_t *drawing) {
  int64_t rows = rng_between(rng, 1, 3), columns = rng_between(rng, 1, 3);
  int64_t terms = rng_between(rng, 1, rng_one_in(rng, 4) ? 20 : 4);
  g_autofree char *precision = drawing->precision == NULL
                                   ? g_strdup("")
                                   : g_strdup_printf(" precision=%s", drawing->precision);
  if (drawing->op == SUM) {
    return g_strdup_printf("stablehlo.reduce body=add dims=[0]%s f32[%" PRId64 ",%" PRId64
                           "] f32[] -> f32[%" PRId64 "]",
                           precision, terms, columns, columns);
  }
  if (drawing->op == DOT) {
    const char *type = rng_one_in(rng, 8) ? "complex<f32>" : "f32";
    return g_strdup_printf("stablehlo.dot_general batch=[]x[] contract=[1]x[0]%s %s[%" PRId64
                           ",%" PRId64 "] %s[%" PRId64 ",%" PRId64 "] -> %s[%" PRId64 ",%" PRId64
                           "]",
                           precision, type, rows, terms, type, terms, columns, type, rows, columns);
  }
  int64_t windows = rng_between(rng, 1, 4);
  return g_strdup_printf(
      "stablehlo.convolution window_strides=[1] padding=[[0,0]] lhs_dilation=[1] rhs_dilation=[1] "
      "window_reversal=[false] dimension_numbers=[b,f,0]x[i,o,0]->[b,f,0] feature_group_count=1 "
      "batch_group_count=1%s f32[1,%" PRId64 ",%" PRId64 "] f32[%" PRId64 ",%" PRId64
      ",2] -> f32[1,%" PRId64 ",%" PRId64 "]",
      precision, terms, windows + 1, terms, columns, columns, windows);
}

static const op_t *op_of_line(const char *line) {
  return op_find((str_t){.data = line, .size = strcspn(line, " ")});
}

static const op_t *op_of(drawn_t drawn) {
  const drawing_t drawing = {.op = drawn};
  rng_t rng = rng_make(1);
  g_autofree char *line = print_program(&rng, &drawing);
  return op_of_line(line);
}

static void draw_program(void *context, rng_t *rng, arena_t *arena, program_t *out_program) {
  g_autofree char *line = print_program(rng, (const drawing_t *)context);
  parse_program(line, arena, out_program);
}

/* ---- Models ---------------------------------------------------------------------------------- */

typedef struct seen {
  const char *algorithm; /* What should be observed of divergences. */
  uint64_t diverging;
  uint64_t named;
  char first[4 * VERDICT_TEXT_BYTES];
} seen_t;

static bool has_name(const char *set, const char *name) {
  g_auto(GStrv) each = g_strsplit(set, "|", -1);
  return g_strv_contains((const char *const *)each, name);
}

static status_t note_answer(void *context, const session_t *session, const session_answer_t *answer,
                            failure_t *error) {
  (void)session;
  (void)error;
  seen_t *seen = (seen_t *)context;
  const verdict_t *verdict = answer->verdict;
  if (verdict->outcome != OUTCOME_diverges) return STATUS_OK;
  seen->named += verdict->class_ == CLASS_algorithm && seen->algorithm != NULL &&
                 has_name(verdict->observed, seen->algorithm);
  if (seen->diverging++ == 0) contract_run_describe(answer, seen->first, sizeof seen->first);
  return STATUS_OK;
}

static seen_t run(const drawing_t *drawing, const char *executor, const char *contract,
                  const char *algorithm) {
  seen_t seen = {.algorithm = algorithm};
  drawing_t own = *drawing;
  const contract_run_t session = {.op = op_of(drawing->op),
                                  .executor = executor,
                                  .contract = contract,
                                  .seed = 7,
                                  .cases_max = CASES,
                                  .draw_program = draw_program,
                                  .draw_context = &own,
                                  .on_answer = note_answer,
                                  .hook_context = &seen};
  uint64_t conforming, cases = contract_run(&session, &conforming);
  g_test_message("%s %s, %s under %s: %" PRIu64 " of %" PRIu64 " diverge, %" PRIu64 " as %s",
                 op_of(drawing->op)->name, drawing->precision, executor, contract, seen.diverging,
                 cases, seen.named, algorithm);
  if (seen.diverging > 0) g_test_message("%s", seen.first);
  g_assert_cmpuint(cases, >=, CASES);
  return seen;
}

/* Each word as each arithmetic: conforms to the same claim, and not to f32. */
static void test_meanings(gconstpointer data) {
  static const char *const algorithms[] = {
      "F32_F32_F32",      "BF16_BF16_F32_X9", "BF16_BF16_F32_X6", "TF32_TF32_F32_X3",
      "BF16_BF16_F32_X3", "TF32_TF32_F32",    "BF16_BF16_F32",    "F16_F16_F32"};
  static const char *const orders[] = {"sequential", "lanes4+fma", "pairwise+split=truncate",
                                       "random+by-term"};
  size_t arithmetic = GPOINTER_TO_SIZE(data);
  for (drawn_t o = 0; o < PRODUCTS; o++) {
    size_t w = (arithmetic + o) % G_N_ELEMENTS(words);
    g_autofree char *lower = g_ascii_strdown(words[w], -1);
    g_autofree char *claim = g_strdup_printf("%s_precision=%s", lower, arithmetics[arithmetic]);
    bool is_cut = arithmetic == ARITHMETIC_TF32 ||
                  precision_arithmetic((uint8_t)arithmetic).component_count > 1;
    const char *order = orders[arithmetic % G_N_ELEMENTS(orders)];
    if (!is_cut && strstr(order, "truncate") != NULL) order = "shuffled";
    g_autofree char *model = g_strdup_printf("model:%s+%s", order, claim);
    g_autofree char *precision = g_strdup_printf("[%s,%s]", words[w], words[w]);
    const drawing_t drawing = {o, precision};
    g_assert_cmpuint(run(&drawing, model, claim, NULL).diverging, ==, 0);
    const seen_t tight = run(&drawing, model, "backend", algorithms[arithmetic]);
    bool is_seen = arithmetic != ARITHMETIC_F32 && arithmetic != ARITHMETIC_BF16_X9;
    bool is_coarse = precision_arithmetic((uint8_t)arithmetic).component_count == 1;
    if (!is_seen) continue; /* All nine products differ where components underflow alone. */
    g_assert_cmpuint(tight.diverging, >, CASES / 40);
    g_assert_cmpuint(tight.named, >, is_coarse ? tight.diverging / 2 : 0);
  }
}

/* Every lower word permits what a higher one stands for, also of one operand, and not the other way
 * round; a program without words is one of DEFAULT. */
static void test_words(void) {
  static const struct {
    const char *model, *precision, *contract;
    bool conforms;
  } rows[] = {
      {"model:sequential+default_precision=bf16", NULL, "default_precision=bf16", true},
      {"model:sequential+algorithm=TF32_TF32_F32", "[HIGH,HIGH]", "highest_precision=tf32", true},
      {"model:sequential+algorithm=TF32_TF32_F32", "[DEFAULT,HIGH]", "highest_precision=tf32",
       true},
      {"model:sequential+algorithm=TF32_TF32_F32", NULL, "high_precision=tf32", true},
      {"model:sequential+algorithm=TF32_TF32_F32", "[HIGHEST,HIGHEST]", "high_precision=tf32",
       false},
      {"model:sequential+algorithm=TF32_TF32_F32", "[HIGH,HIGHEST]", "high_precision=tf32", false},
      {"model:sequential+algorithm=BF16_BF16_F32", "[DEFAULT,DEFAULT]", "default_precision=tf32",
       false},
      {"model:sequential+algorithm=BF16_BF16_F32", "[DEFAULT,HIGHEST]", "default_precision=bf16",
       false},
      {"model:lanes4+default_precision=bf16+high_precision=bf16_x3", "[DEFAULT,HIGH]",
       "default_precision=bf16,high_precision=bf16_x3", true},
      {"model:reverse+default_precision=tf32+high_precision=bf16_x6", "[HIGH,DEFAULT]",
       "default_precision=tf32,high_precision=bf16_x6", true},
      {"model:sequential", "[DEFAULT,HIGHEST]", "default_precision=bf16", true},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    const drawing_t drawing = {(drawn_t)(i % PRODUCTS), rows[i].precision};
    uint64_t diverging = run(&drawing, rows[i].model, rows[i].contract, NULL).diverging;
    if (rows[i].conforms) g_assert_cmpuint(diverging, ==, 0);
    if (!rows[i].conforms) g_assert_cmpuint(diverging, >, CASES / 20);
  }
}

/* A backend that claims f32 for HIGHEST and computes it in tf32 is found, whatever it is allowed
 * for the other words. */
static void test_planted_fault(void) {
  for (drawn_t o = 0; o < PRODUCTS; o++) {
    const drawing_t highest = {o, "[HIGHEST,HIGHEST]"}, high = {o, "[HIGH,HIGH]"};
    const char *contract = "default_precision=bf16,high_precision=tf32";
    const seen_t seen =
        run(&highest, "model:sequential+highest_precision=tf32", contract, "TF32_TF32_F32");
    g_assert_cmpuint(seen.diverging, >, CASES / 10);
    g_assert_cmpuint(2 * seen.named, >, seen.diverging);
    g_assert_cmpuint(
        run(&high, "model:sequential+highest_precision=tf32", contract, NULL).diverging, ==, 0);
  }
}

static void draw_line(void *context, rng_t *rng, arena_t *arena, program_t *out_program) {
  (void)rng;
  parse_program((const char *)context, arena, out_program);
}

static uint64_t count_diverging_under(const char *contract, const char *line,
                                      const char *executor) {
  seen_t seen = {.diverging = 0};
  g_autofree char *own = g_strdup(line);
  const contract_run_t session = {.op = op_of_line(line),
                                  .executor = executor,
                                  .contract = contract,
                                  .seed = 7,
                                  .cases_max = CASES,
                                  .draw_program = draw_line,
                                  .draw_context = own,
                                  .on_answer = note_answer,
                                  .hook_context = &seen};
  uint64_t conforming, cases = contract_run(&session, &conforming);
  g_test_message("%s by %s: %" PRIu64 " of %" PRIu64 " diverge, %" PRIu64 " conform: %s", line,
                 executor, seen.diverging, cases, conforming, seen.first);
  g_assert_cmpuint(conforming + seen.diverging, >, 0);
  return seen.diverging;
}

static uint64_t count_diverging(const char *line, const char *executor) {
  return count_diverging_under("reduce_types=rfc", line, executor);
}

/* A type of accumulation: what adds in it conforms, and what adds in another does not. */
static void test_accumulation(void) {
#define PRODUCT "stablehlo.dot_general batch=[]x[] contract=[1]x[0] "
#define WINDOWS                                                                                 \
  "stablehlo.convolution window_strides=[1] padding=[[1,0]] lhs_dilation=[1] rhs_dilation=[1] " \
  "window_reversal=[false] dimension_numbers=[b,f,0]x[i,o,0]->[b,f,0] feature_group_count=1 "   \
  "batch_group_count=1 "
  static const struct {
    const char *line, *other;
  } rows[] = {
      {PRODUCT "accumulation=f64 f32[2,6] f32[6,3] -> f32[2,3]", "F32_F32_F32"},
      {PRODUCT "accumulation=bf16 f32[2,4] f32[4,3] -> f32[2,3]", "BF16_BF16_F32"},
      {PRODUCT "accumulation=f32 bf16[2,6] bf16[6,3] -> bf16[2,3]", "BF16_BF16_BF16"},
      {PRODUCT "accumulation=i32 i8[2,6] i8[6,3] -> i8[2,3]", NULL},
      {WINDOWS "accumulation=f64 f32[1,2,4] f32[2,3,2] -> f32[1,3,4]", "F32_F32_F32"},
      {WINDOWS "accumulation=i8 i32[1,2,4] i32[2,3,2] -> i32[1,3,4]", NULL},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_assert_cmpuint(count_diverging(rows[i].line, "model:lanes4+fma+rfc-types"), ==, 0);
    g_assert_cmpuint(count_diverging(rows[i].line, "canary:drop_last_term+rfc-types"), >, 0);
    if (rows[i].other == NULL) continue;
    g_autofree char *other =
        g_strdup_printf("model:sequential+rfc-types+algorithm=%s", rows[i].other);
    g_assert_cmpuint(count_diverging(rows[i].line, other), >, 0);
  }
}

/* RFC 000's option of reductions: sums of f32 whose inputs a word lets round. */
static void test_rfc_options(void) {
  const drawing_t sums = {SUM, "[HIGH]"};
  static const char *const models[] = {"bf16", "tf32", "bf16_x3", "bf16_x6", "f16"};
  for (size_t i = 0; i < G_N_ELEMENTS(models); i++) {
    g_autofree char *model = g_strdup_printf("model:lanes4+rfc-types+high_precision=%s", models[i]);
    g_autofree char *claim = g_strdup_printf("reduce_types=rfc,high_precision=%s", models[i]);
    g_assert_cmpuint(run(&sums, model, claim, NULL).diverging, ==, 0);
    g_assert_cmpuint(run(&sums, model, "reduce_types=rfc", NULL).diverging, >, 0);
  }
}

/* Reductions of several inputs: each is rounded by its own word. */
static void test_several_inputs(void) {
#define ARG "stablehlo.reduce body=argmax dims=[1] precision=[DEFAULT,HIGH] "
#define PAIR \
  "stablehlo.reduce body={v0=add(a0,b0);v1=maximum(a1,b1);return(v0,v1)} dims=[1] precision="
  static const struct {
    const char *line, *model, *claim;
    bool conforms;
  } rows[] = {
      {ARG "f32[4,9] i32[4,9] f32[] i32[] -> f32[4] i32[4]", "default_precision=bf16",
       "default_precision=bf16", true},
      {ARG "f32[4,9] i32[4,9] f32[] i32[] -> f32[4] i32[4]", "default_precision=bf16",
       "default_precision=tf32", false},
      {ARG "f32[4,9] i32[4,9] f32[] i32[] -> f32[4] i32[4]", "high_precision=bf16",
       "high_precision=f32", true},
      {PAIR "[DEFAULT,HIGH] f32[4,5] f32[4,5] f32[] f32[] -> f32[4] f32[4]",
       "default_precision=tf32+high_precision=bf16", "default_precision=tf32,high_precision=bf16",
       true},
      {PAIR "[DEFAULT,HIGH] f32[4,5] f32[4,5] f32[] f32[] -> f32[4] f32[4]", "high_precision=bf16",
       "high_precision=tf32", false},
      {PAIR "[DEFAULT,HIGHEST] f32[4,5] f32[4,5] f32[] f32[] -> f32[4] f32[4]",
       "default_precision=bf16+highest_precision=bf16", "default_precision=bf16", false},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *model = g_strdup_printf("model:lanes4+rfc-types+%s", rows[i].model);
    g_autofree char *contract = g_strdup_printf("reduce_types=rfc,%s", rows[i].claim);
    uint64_t diverging = count_diverging_under(contract, rows[i].line, model);
    g_assert_cmpint(diverging == 0, ==, rows[i].conforms);
  }
}

/* Two numbers that bf16 has one for: the second is larger, and of equal ones the first counts.  A
 * value of rounded inputs with an index of those that are not is none of either. */
static void test_index_of_its_value(void) {
  static const struct {
    const char *results[2];
    bool conforms;
  } rows[] = {{{"3f804000", "00000002"}, true},
              {{"3f800000", "00000001"}, true},
              {{"3f800000", "00000002"}, false},
              {{"3f804000", "00000001"}, false}};
  arena_t arena;
  arena_init(&arena);
  case_t instance;
  const char *line =
      "stablehlo.reduce body=argmax dims=[0] precision=[DEFAULT,DEFAULT] f32[2] i32[2] f32[] i32[] "
      "-> f32[] i32[] : 3f8020003f804000 : 0000000100000002 : ff800000 : 00000000";
  g_assert_cmpint(case_parse(str_from(line), &arena, &instance, NULL, NULL), ==, STATUS_OK);
  contract_t contract;
  g_assert_cmpint(
      contract_parse(str_from("reduce_types=rfc,default_precision=bf16"), &contract, NULL), ==,
      STATUS_OK);
  const oracle_t *oracle = oracle_find(instance.program.op);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    tensor_t results[CASE_RESULTS_MAX];
    accept_t accepts[CASE_RESULTS_MAX];
    for (uint32_t r = 0; r < 2; r++) {
      results[r] = tensor_make(&arena, &instance.program.results[r]);
      element_store(results[r].type.element, results[r].data, 0,
                    strtoull(rows[i].results[r], NULL, 16));
    }
    const oracle_call_t call = {
        .instance = &instance, .contract = &contract, .results = results, .arena = &arena};
    g_assert_cmpint(oracle->accept(&call, accepts), ==, STATUS_OK);
    bool conforms = true;
    for (uint32_t r = 0; r < 2; r++) {
      answer_t answer;
      uint64_t bits = element_load(results[r].type.element, results[r].data, 0);
      if (accept_holds(&accepts[r], results[r].type.element, 0, bits)) continue;
      g_assert_cmpint(oracle->decide(&call, r, 0, &answer), ==, STATUS_OK);
      conforms &= answer.conforms;
    }
    g_assert_cmpint(conforms, ==, rows[i].conforms);
  }
  arena_deinit(&arena);
}

/* ---- Nesting --------------------------------------------------------------------------------- */

static contract_t draw_contract(rng_t *rng) {
  contract_t contract = rng_one_in(rng, 4) ? contract_spec() : contract_backend();
  for (int word = 0; word < PRECISION_COUNT; word++) {
    contract_set_value(&contract, precision_permission((precision_t)word),
                       (uint8_t)rng_below(rng, PRECISION_ARITHMETIC_COUNT));
  }
  return contract;
}

/* Whether the fast side, and whether the exact side, holds the first component. */
static void ask(const case_t *instance, const contract_t *contract, tensor_t *results,
                arena_t *arena, bool *out_fast, bool *out_exact) {
  failure_t error = {.text = ""};
  const oracle_t *oracle = oracle_find(instance->program.op);
  const oracle_call_t call = {.instance = instance,
                              .contract = contract,
                              .results = results,
                              .arena = arena,
                              .error = &error};
  accept_t accepts[CASE_RESULTS_MAX];
  answer_t answer;
  const element_t *element = results[0].type.element;
  g_assert_cmpint(oracle->accept(&call, accepts), ==, STATUS_OK);
  *out_fast = (accepts[0].decide == NULL || accepts[0].decide[0] == 0) &&
              accept_holds(&accepts[0], element, 0, element_load(element, results[0].data, 0));
  g_assert_cmpint(oracle_decide_with_memo(oracle->decide, &call, 0, 0, &answer), ==, STATUS_OK);
  *out_exact = answer.conforms;
}

static void test_nesting(void) {
  enum { ROUNDS = CASES };
  rng_t rng = rng_make(3);
  size_t held[PRECISION_COUNT] = {0};
  for (int round = 0; round < ROUNDS; round++) {
    arena_t arena;
    arena_init(&arena);
    const contract_t contract = draw_contract(&rng);
    bool before = false;
    implementation_model_t model = schedule_plain();
    model.fused = PERMITTED(&contract, fma) != 0;
    const drawn_t op = (drawn_t)rng_below(&rng, PRODUCTS);
    model.precisions[0] = (uint8_t)rng_below(&rng, PRECISION_ARITHMETIC_COUNT);
    const drawing_t plain = {op, "[DEFAULT,DEFAULT]"};
    g_autofree char *line = print_program(&rng, &plain);
    program_t program;
    parse_program(line, &arena, &program);
    case_t instance = case_make(&arena, &program);
    gen_data_in_regime(&rng, REGIME_split, &instance);
    tensor_t results[] = {tensor_make(&arena, &program.results[0])};
    const oracle_call_t simulation = {.instance = &instance, .arena = &arena};
    g_assert_cmpint(oracle_find(program.op)->simulate(&simulation, &model, results), ==, STATUS_OK);
    for (int word = PRECISION_COUNT - 1; word >= 0; word--) { /* HIGHEST first. */
      g_autofree char *precision = g_strdup_printf("precision=[%s,%s]", words[word], words[word]);
      GString *text = g_string_new(line);
      g_string_replace(text, "precision=[DEFAULT,DEFAULT]", precision, 1);
      case_t worded = instance;
      parse_program(text->str, &arena, &worded.program);
      bool fast, exact;
      ask(&worded, &contract, results, &arena, &fast, &exact);
      if ((before && !exact) || (fast && !exact)) g_test_message("%s", text->str);
      g_assert_false(before && !exact);
      g_assert_false(fast && !exact);
      held[word] += exact;
      before = exact;
      g_string_free(text, TRUE);
    }
    arena_deinit(&arena);
  }
  g_test_message("held %zu for HIGHEST, %zu for HIGH, %zu for DEFAULT", held[2], held[1], held[0]);
  g_assert_cmpuint(held[2], >, ROUNDS / 20);
  g_assert_cmpuint(held[1], >, held[2]);
  g_assert_cmpuint(held[0], >, held[1]);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  for (size_t i = 0; i < G_N_ELEMENTS(arithmetics); i++) {
    g_autofree char *path = g_strdup_printf("/precision/meaning/%s", arithmetics[i]);
    g_test_add_data_func(path, GSIZE_TO_POINTER(i), test_meanings);
  }
  g_test_add_func("/precision/words", test_words);
  g_test_add_func("/precision/planted_fault", test_planted_fault);
  g_test_add_func("/precision/rfc_options", test_rfc_options);
  g_test_add_func("/precision/several_inputs", test_several_inputs);
  g_test_add_func("/precision/index_of_its_value", test_index_of_its_value);
  g_test_add_func("/precision/accumulation", test_accumulation);
  g_test_add_func("/precision/nesting", test_nesting);
  return g_test_run();
}
