/* SPDX-License-Identifier: Apache-2.0 */
/* simulate() of the ByteIR ops that pick: every planted fault on a case worked by hand, and whether
 * the oracle refuses what it does and nothing else. */
#include "harness/model/fault.h"
#include "tests/ops/byteir_positions/naive_byteir_positions.h"

enum { POISON = 0x11 };

static void simulate(const case_t *instance, const implementation_model_t *schedule, arena_t *arena,
                     tensor_t *results) {
  const program_t *program = &instance->program;
  failure_t error = {.text = ""};
  for (uint32_t i = 0; i < program->result_count; i++) {
    results[i] = tensor_make(arena, &program->results[i]);
    memset(results[i].data, POISON, type_bytes(&program->results[i]));
  }
  const oracle_t *oracle = oracle_find(program->op);
  const oracle_call_t call = {.instance = instance, .arena = arena, .error = &error};
  status_t status = oracle->simulate(&call, schedule, results);
  if (status != STATUS_OK) g_error("%s", error.text);
}

static char *print_results(const program_t *program, const tensor_t *results) {
  GString *text = g_string_new(NULL);
  for (uint32_t i = 0; i < program->result_count; i++) {
    if (i > 0) g_string_append(text, " : ");
    tensor_print_data(&results[i], text);
  }
  return g_string_free(text, FALSE);
}

static bool conforms(const case_t *instance, const char *contract_text, const tensor_t *results,
                     arena_t *arena) {
  contract_t contract = picks_contract(contract_text);
  question_t question;
  g_assert_cmpint(question_make(instance, &contract, arena, &question), ==, STATUS_OK);
  return question_conforms(&question, results, NULL);
}

/* ---- Faults by hand -------------------------------------------------------------------------- */

#define FIRST "keep_dims=false select_last_index=false "
#define LAST "keep_dims=false select_last_index=true "
#define ARG(which, how, values) "byteir.arg_" which " axis=0 " how values
#define ONE_HOT_3 "byteir.one_hot depth=3 axis=0 on_value=3c00 off_value=0000 "

/* 1, NaN, 3, 2 and what top_k makes of it. */
#define TOP_4 "byteir.top_k k=3 axis=[0] sorted=true f16[4] -> f16[3] i8[3] : 3c007e0042004000"

static const struct {
  const char *fault;
  const char *line;
  const char *right;
  const char *wrong;
} rows[] = {
    {"last_index_ignored", ARG("max", LAST, "i8[3] -> i8[] : 050105"), "02", "00"},
    {"wrong_tie", ARG("max", FIRST, "i8[3] -> i8[] : 050105"), "00", "02"},
    {"nan_unguarded", ARG("max", FIRST, "f16[3] -> f16[] i8[] : 45007e004000"), "7e00 : 01",
     "4000 : 02"},
    {"nan_unguarded", ARG("min", FIRST, "f16[3] -> i8[] : 40007e004500"), "01", "02"},
    {"drop_nan", ARG("max", FIRST, "f16[3] -> i8[] : 3c007e004000"), "01", "02"},
    {"pick_from_zero", ARG("max", FIRST, "f16[2] -> f16[] i8[] : c000bc00"), "bc00 : 01",
     "0000 : 00"},
    {"pick_from_zero", ARG("min", FIRST, "ui8[2] -> ui8[] i8[] : 0201"), "01 : 01", "00 : 00"},
    {"value_of_first_equal", ARG("max", LAST, "f16[2] -> f16[] i8[] : 80000000"), "0000 : 01",
     "8000 : 01"},
    {"index_of_whole_tensor",
     "byteir.arg_max axis=1 keep_dims=false select_last_index=false i8[2,2] -> i8[2] : 01020304",
     "0101", "0103"},
    {"narrow_index", ARG("max", FIRST, "i8[17] -> i8[] : 0000000000000000000000000000000001"), "10",
     "00"},
    {"axis_ignored", ARG("max", FIRST, "i8[2,2] -> i8[2] i8[2] : 01020403"), "0403 : 0101",
     "0204 : 0100"},
    {"unsigned_as_signed", ARG("max", FIRST, "ui8[2] -> ui8[] i8[] : 80ff"), "ff : 01", "ff : 01"},
    {"unsigned_as_signed", ARG("max", FIRST, "ui8[2] -> ui8[] i8[] : 7fff"), "ff : 01", "7f : 00"},
    {"flush_inputs", ARG("max", FIRST, "f16[2] -> f16[] i8[] : 00000001"), "0001 : 01",
     "0000 : 00"},
    {"flush_outputs", ARG("max", FIRST, "f16[2] -> f16[] i8[] : 00000001"), "0001 : 01",
     "0000 : 01"},
    {"nan_as_infinity", ARG("max", FIRST, "f16[2] -> f16[] i8[] : 3c007e00"), "7e00 : 01",
     "7c00 : 01"},
    {"lose_negative_zero", ARG("max", FIRST, "f16[1] -> f16[] i8[] : 8000"), "8000 : 00",
     "0000 : 00"},
    {"last_row_stale",
     "byteir.arg_max axis=1 keep_dims=false select_last_index=false i8[2,2] -> i8[2] : 01020403",
     "0100", "0101"},
    {"top_k_drops_maximum", TOP_4, "7e0042004000 : 010203", "7e0040003c00 : 010300"},
    {"top_k_ascending", TOP_4, "7e0042004000 : 010203", "400042007e00 : 030201"},
    {"top_k_nan_least", TOP_4, "7e0042004000 : 010203", "420040003c00 : 020300"},
    {"top_k_ties_reversed", "byteir.top_k k=2 axis=[0] sorted=true i8[3] -> i8[2] i8[2] : 030403",
     "0403 : 0100", "0403 : 0102"},
    {"top_k_compares_patterns",
     "byteir.top_k k=2 axis=[0] sorted=true f16[2] -> f16[2] i8[2] : bc00c000", "bc00c000 : 0001",
     "c000bc00 : 0100"},
    {"top_k_repeats_index", "byteir.top_k k=2 axis=[0] sorted=true i8[2] -> i8[2] i8[2] : 0303",
     "0303 : 0001", "0303 : 0000"},
    {"axis_ignored", "byteir.top_k k=1 axis=[0] sorted=true i8[2,2] -> i8[1,2] i8[1,2] : 01020403",
     "0403 : 0101", "0204 : 0100"},
    {"one_hot_wraps", ONE_HOT_3 "i8[] -> f16[3] : ff", "000000000000", "000000003c00"},
    {"one_hot_clamps", ONE_HOT_3 "i8[] -> f16[3] : 07", "000000000000", "000000003c00"},
    {"one_hot_clamps", ONE_HOT_3 "i8[] -> f16[3] : f0", "000000000000", "3c0000000000"},
    {"one_hot_narrow_index", ONE_HOT_3 "i16[] -> f16[3] : 0101", "000000000000", "00003c000000"},
    {"one_hot_computes",
     "byteir.one_hot depth=2 axis=0 on_value=7c00 off_value=0000 i8[] -> f16[2] : 01", "00007c00",
     "7e007c00"},
    {"axis_ignored", "byteir.one_hot depth=2 axis=0 on_value=1 off_value=0 i8[2] -> i1[2,2] : 0000",
     "1100", "1010"},
    {"off_by_one_ulp",
     "byteir.one_hot depth=7 axis=0 on_value=3c00 off_value=0000 i8[] -> f16[7] : 06",
     "0000000000000000000000003c00", "0000000000000000000000003c01"},
};

static void test_faults(void) {
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    arena_reset(&arena);
    case_t instance;
    failure_t error = {.text = ""};
    status_t status = case_parse(str_from(rows[i].line), &arena, &instance, NULL, &error);
    if (status != STATUS_OK) g_error("%s: %s", rows[i].line, error.text);
    for (int is_faulty = 0; is_faulty < 2; is_faulty++) {
      implementation_model_t schedule = schedule_plain();
      if (is_faulty == 1) schedule.fault = fault_find(str_from(rows[i].fault));
      const char *expected = is_faulty == 1 ? rows[i].wrong : rows[i].right;
      tensor_t results[CASE_RESULTS_MAX];
      simulate(&instance, &schedule, &arena, results);
      g_autofree char *text = print_results(&instance.program, results);
      if (strcmp(text, expected) != 0) {
        g_error("%s, %s: %s, expected %s", is_faulty == 1 ? rows[i].fault : "none", rows[i].line,
                text, expected);
      }
      bool is_right = strcmp(expected, rows[i].right) == 0;
      g_assert_cmpint(conforms(&instance, "backend", results, &arena), ==, is_right);
      g_assert_cmpint(conforms(&instance, "spec", results, &arena), ==, is_right);
    }
  }
  arena_deinit(&arena);
}

/* ---- Models ---------------------------------------------------------------------------------- */

static const implementation_model_t models[] = {
    {.order.kind = SUM_SEQUENTIAL}, {.order.kind = SUM_REVERSE},
    {.order.kind = SUM_RANDOM},     {.order.kind = SUM_RANDOM, .seed = 1},
    {.order.kind = SUM_SHUFFLED},   {.order.kind = SUM_LANES, .order.width = 8},
};

/* Policies under which the usual results have to conform too. */
static const char *const contracts[] = {"backend", "spec", "arg_nan=any,top_k_ties=any",
                                        "arg_nan=some,top_k_nan=any,top_k_zeros=any",
                                        "ftz=both,zero_sign=any"};

static const char *const op_names[] = {"byteir.arg_max", "byteir.arg_min", "byteir.top_k",
                                       "byteir.one_hot"};

/* All models on drawn cases; unsorted rows come in several orders. */
static void test_silent(void) {
  const draw_limits_t limits = {.rank_max = 4, .elements_max = 200, .terms_max = 40};
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(0x511);
  size_t other_orders = 0;
  for (int i = 0; i < 2000; i++) {
    arena_reset(&arena);
    const op_t *op = check_find_op(op_names[i % 4]);
    program_t program;
    op->draw(&rng, &limits, &arena, &program);
    case_t instance = case_make(&arena, &program);
    op->draw_edges(&rng, &instance);
    g_autofree char *first = NULL;
    for (size_t m = 0; m < G_N_ELEMENTS(models); m++) {
      tensor_t results[CASE_RESULTS_MAX];
      simulate(&instance, &models[m], &arena, results);
      g_assert_true(
          conforms(&instance, contracts[(size_t)i / 4 % G_N_ELEMENTS(contracts)], results, &arena));
      g_autofree char *text = print_results(&program, results);
      if (first == NULL) first = g_steal_pointer(&text);
      other_orders += text != NULL && strcmp(text, first) != 0 ? 1 : 0;
    }
  }
  g_test_message("%zu results in another order than sequentially", other_orders);
  g_assert_cmpuint(other_orders, >, 100);
  arena_deinit(&arena);
}

/* What a policy is for: the results of the fault that it permits conform under it. */
static void test_policies(void) {
  static const struct {
    const char *fault;
    const char *line;
    const char *contract;
  } permitted[] = {
      {"drop_nan", ARG("max", FIRST, "f16[3] -> f16[] i8[] : 3c007e004000"), "arg_nan=ignored"},
      {"drop_nan", ARG("max", FIRST, "f16[3] -> f16[] i8[] : 3c007e004000"), "arg_nan=any"},
      {"wrong_tie", ARG("max", FIRST, "f16[3] -> f16[] i8[] : 7e003c00fe00"), "arg_nan=some"},
      {"top_k_nan_least", TOP_4, "top_k_nan=least"},
      {"top_k_nan_least", TOP_4, "top_k_nan=any"},
      {"top_k_ties_reversed", "byteir.top_k k=2 axis=[0] sorted=true i8[3] -> i8[2] i8[2] : 030403",
       "top_k_ties=any"},
      {"top_k_compares_patterns",
       "byteir.top_k k=3 axis=[0] sorted=true f16[3] -> f16[3] i8[3] : 7e0180007e02",
       "top_k_nan=ordered"},
      {"top_k_compares_patterns",
       "byteir.top_k k=2 axis=[0] sorted=true f16[2] -> f16[2] i8[2] : 80000000",
       "top_k_zeros=ordered"},
      {"one_hot_wraps", ONE_HOT_3 "i8[] -> f16[3] : ff", "one_hot_negative=wrap"},
      {"flush_inputs", ARG("max", FIRST, "f16[2] -> f16[] i8[] : 00000001"), "ftz=inputs"},
      {"flush_outputs", ARG("max", FIRST, "f16[2] -> f16[] i8[] : 00000001"), "ftz=outputs"},
  };
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(permitted); i++) {
    case_t instance;
    status_t status = case_parse(str_from(permitted[i].line), &arena, &instance, NULL, NULL);
    g_assert_cmpint(status, ==, STATUS_OK);
    implementation_model_t schedule = schedule_plain();
    schedule.fault = fault_find(str_from(permitted[i].fault));
    tensor_t results[CASE_RESULTS_MAX];
    simulate(&instance, &schedule, &arena, results);
    g_test_message("%s, %s", permitted[i].fault, permitted[i].contract);
    g_assert_false(conforms(&instance, "backend", results, &arena));
    g_assert_true(conforms(&instance, permitted[i].contract, results, &arena));
  }
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/byteir_positions_simulate/faults", test_faults);
  g_test_add_func("/byteir_positions_simulate/silent", test_silent);
  g_test_add_func("/byteir_positions_simulate/policies", test_policies);
  return g_test_run();
}
