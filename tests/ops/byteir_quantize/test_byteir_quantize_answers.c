/* SPDX-License-Identifier: Apache-2.0 */
/* What the oracle says of single results of byteir.quantize beside the verdict: the set in words,
 * errors in quanta, by what a result conforms, and which formula gave it. */
#include "tests/ops/oracle_checks.h"

/* A quantize of one f32 to i8, unless the line says otherwise, and one result. */
typedef struct answer_row {
  const char *line;
  const char *contract;
  int64_t got;
  bool conforms;
  bool is_vacuous;
  const char *expected;
  const char *observed;
  double error; /* In quanta; -1: there is no reference. */
  double slack;
} answer_row_t;

#define SCALAR "byteir.quantize f32[] f32[] i8[] -> i8[] : "
#define SHORT "byteir.quantize bf16[] bf16[] i8[] -> i8[] : "

static const answer_row_t rows[] = {
    /* 5 / 2 + 1. */
    {SCALAR "40a00000 : 40000000 : 01", "backend", 3, true, false, "3", "", 0, 0},
    {SCALAR "40a00000 : 40000000 : 01", "backend", 5, false, false, "3", "", 2, INFINITY},
    {SCALAR "40a00000 : 40000000 : 01", "quantize_ties=away", 4, true, false, "4", "", 0, 0},
    {SCALAR "40a00000 : 40000000 : 01", "quantize_ties=away", 3, false, false, "4", "", 1,
     INFINITY},
    {SCALAR "40a00000 : 40000000 : 01", "quantize_ties=either", 4, true, false, "{3, 4}: near-tie",
     "", 1, 1},

    /* 0.35 / 0.1 is 3.49999989, in f32 3.5. */
    {SCALAR "3eb33333 : 3dcccccd : 00", "backend", 3, true, false, "{3, 4}: near-tie", "", 0, 0},
    {SCALAR "3eb33333 : 3dcccccd : 00", "backend", 4, true, false, "{3, 4}: near-tie", "", 1, 1},
    {SCALAR "3eb33333 : 3dcccccd : 00", "backend", 6, false, false, "{3, 4}: near-tie", "", 3, 3},
    {SCALAR "3eb33333 : 3dcccccd : 00", "accum_wider=no", 4, true, false, "4", "", 1, 1},
    {SCALAR "3eb33333 : 3dcccccd : 00", "accum_wider=no", 3, false, false, "4", "", 0, 0},

    /* 45.5 / 7 = 6.5, and 45.5 * (1 / 7) is above. */
    {SCALAR "42360000 : 40e00000 : 00", "accum_wider=no", 7, false, false, "6", "", 1, INFINITY},
    {SCALAR "42360000 : 40e00000 : 00", "accum_wider=no,quantize=reciprocal", 7, true, false,
     "6 or 7", "quantize=reciprocal", 1, 1},
    {SCALAR "42360000 : 40e00000 : 00", "accum_wider=no,quantize=reciprocal", 6, true, false,
     "6 or 7", "", 0, 0},

    /* NaN, under each policy. */
    {SCALAR "7fc00000 : 3f800000 : 05", "backend", 17, true, true, "any (NaN)", "", -1, 0},
    {SCALAR "7fc00000 : 3f800000 : 05", "quantize_nan=smallest", -128, true, false, "-128 (NaN)",
     "", -1, 0},
    {SCALAR "7fc00000 : 3f800000 : 05", "quantize_nan=smallest", 5, false, false, "-128 (NaN)", "",
     -1, 0},
    {SCALAR "7fc00000 : 3f800000 : 05", "quantize_nan=zero-point", 5, true, false, "5 (NaN)", "",
     -1, 0},
    {SCALAR "7fc00000 : 3f800000 : 05", "quantize_nan=zero-point", 0, false, false, "5 (NaN)", "",
     -1, 0},

    /* Infinity; 1 / 0; and an overflow that saturates as the exact quotient does. */
    {SCALAR "7f800000 : 3f800000 : 05", "backend", 127, true, false, "127", "", 0, 0},
    {SCALAR "ff800000 : 3f800000 : 05", "backend", 127, false, false, "-128", "", 255, INFINITY},
    {SCALAR "3f800000 : 80000000 : 05", "backend", -128, true, false, "-128", "", 0, 0},
    {SCALAR "7f000000 : 00000001 : 00", "backend", 127, true, false, "127", "", 0, 0},

    /* A subnormal scale, 2^-127, that may count as zero: 2^-126 / 2^-127 = 2, or infinite. */
    {SCALAR "00800000 : 00400000 : 00", "backend", 2, true, false, "2", "", 0, 0},
    {SCALAR "00800000 : 00400000 : 00", "backend", 127, false, false, "2", "", 125, INFINITY},
    {SCALAR "00800000 : 00400000 : 00", "ftz=inputs", 2, true, false, "2 or 127", "", 0, 0},
    {SCALAR "00800000 : 00400000 : 00", "ftz=both", 127, true, false, "2 or 127",
     "subnormal operand flushed", 125, 1},
    {SCALAR "00800000 : 00400000 : 00", "ftz=inputs", 5, false, false, "2 or 127", "", 3, INFINITY},
    {SCALAR "00800000 : 00400000 : 00", "ftz=outputs", 127, false, false, "2", "", 125, INFINITY},
    /* A subnormal input, 3 * 2^-127, over 2^-126: 1.5, or 0. */
    {SCALAR "00600000 : 00800000 : 00", "ftz=inputs", 0, true, false, "0 or 1",
     "subnormal operand flushed", 1, 1},
    {SCALAR "00600000 : 00800000 : 00", "ftz=inputs", 2, false, false, "0 or 1", "", 1, INFINITY},
    /* Both: 0 / 0 too. */
    {SCALAR "00000003 : 00000002 : 00", "ftz=inputs", 2, true, false, "0 or 2 or 127 or any (NaN)",
     "", 0, 0},
    {SCALAR "00000003 : 00000002 : 00", "ftz=inputs", 9, true, true, "0 or 2 or 127 or any (NaN)",
     "subnormal operand flushed", 7, INFINITY},

    /* bf16 104.5 / 1.03125 = 101.33: in bf16, whose numbers are 1/2 apart there, 101.5. */
    {SHORT "42d1 : 3f84 : 00", "intermediate=wide", 101, true, false, "101", "", 0, 0},
    {SHORT "42d1 : 3f84 : 00", "intermediate=wide", 102, false, false, "101", "", 1, INFINITY},
    {SHORT "42d1 : 3f84 : 00", "backend", 102, true, false, "{101, 102}: near-tie",
     "intermediate=native", 1, 1},
    {SHORT "42d1 : 3f84 : 00", "accum_wider=no,intermediate=native", 102, true, false, "101 or 102",
     "intermediate=native", 1, 1},

    /* Storage at its ends. */
    {"byteir.quantize f64[] f64[] ui16[] -> ui16[] : bff0000000000000 : 3ff0000000000000 : ffff",
     "backend", 65534, true, false, "65534", "", 0, 0},
    {"byteir.quantize f64[] f64[] ui16[] -> ui16[] : bff0000000000000 : 3ff0000000000000 : 0000",
     "backend", 65535, false, false, "0", "", 65535, INFINITY},
};

static void fail(const answer_row_t *row, const answer_t *answer) {
  g_error("%s under %s: %" G_GINT64_FORMAT
          ": conforms %d, weak %d, expected \"%s\", observed "
          "\"%s\", error %g, slack %g",
          row->line, row->contract, row->got, answer->conforms, answer->is_vacuous,
          answer->expected, answer->observed, answer->has_reference ? answer->ulp_error : -1,
          answer->slack);
}

static case_t parse_case(const char *line, arena_t *arena) {
  case_t instance;
  failure_t error;
  if (case_parse(str_from(line), arena, &instance, NULL, &error) != STATUS_OK) {
    g_error("%s: %s", line, error.text);
  }
  return instance;
}

static contract_t contract_of(const char *text) {
  contract_t contract;
  g_assert_cmpint(contract_parse(str_from(text), &contract, NULL), ==, STATUS_OK);
  return contract;
}

static void check_answer(const answer_row_t *row, arena_t *arena) {
  case_t instance = parse_case(row->line, arena);
  const contract_t contract = contract_of(row->contract);
  const element_t *element = instance.program.results[0].element;
  tensor_t result = tensor_make(arena, &instance.program.results[0]);
  element_store(element, result.data, 0, (uint64_t)row->got & element_mask(element));
  question_t question;
  g_assert_cmpint(question_make(&instance, &contract, arena, &question), ==, STATUS_OK);
  answer_t answer = question_decide(&question, 0, 0, &result);
  double error = answer.has_reference ? answer.ulp_error : -1;
  bool is_same = answer.conforms == row->conforms && answer.is_vacuous == row->is_vacuous &&
                 strcmp(answer.expected, row->expected) == 0 &&
                 strcmp(answer.observed, row->observed) == 0 && error == row->error &&
                 answer.slack == row->slack;
  if (!is_same || !answer.is_quantum) fail(row, &answer);
  uint64_t bits = element_load(element, result.data, 0);
  if (accept_holds(&question.accepts[0], element, 0, bits)) g_assert_true(row->conforms);
}

static void test_answers(void) {
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) check_answer(&rows[i], &arena);
  arena_deinit(&arena);
}

/* Fast sets hold all but NaN and near-ties, whose errors ask() alone measures; exact ties too. */
static void test_block_compare(void) {
  static const struct {
    const char *line;
    uint64_t bits;
    bool is_held;
  } cases[] = {
      {SCALAR "40a00000 : 40000000 : 01", 3, true},   {SCALAR "40a00000 : 40000000 : 01", 4, false},
      {SCALAR "42360000 : 40e00000 : 00", 6, true},   {SCALAR "3eb33333 : 3dcccccd : 00", 4, false},
      {SCALAR "3e800000 : 3dcccccd : 00", 2, false},  {SCALAR "7fc00000 : 3f800000 : 05", 0, false},
      {SCALAR "7f800000 : 3f800000 : 05", 127, true},
  };
  arena_t arena;
  arena_init(&arena);
  const contract_t contract = contract_backend();
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    case_t instance = parse_case(cases[i].line, &arena);
    const element_t *element = instance.program.results[0].element;
    question_t question;
    g_assert_cmpint(question_make(&instance, &contract, &arena, &question), ==, STATUS_OK);
    bool is_held = accept_holds(&question.accepts[0], element, 0, cases[i].bits);
    if (is_held != cases[i].is_held) g_error("%s: held %d", cases[i].line, is_held);
  }
  arena_deinit(&arena);
}

/* The tightest formula that gives all components; -1: none does. */
static void test_formulas(void) {
  static const struct {
    const char *line;
    uint8_t got[3];
    int formula;
  } formulas[] = {
      {"byteir.quantize f32[3] f32[] i8[] -> i8[3] : 42360000437e000040e00000 : 40e00000 : 00",
       {6, 36, 1},
       0},
      {"byteir.quantize f32[3] f32[] i8[] -> i8[3] : 42360000437e000040e00000 : 40e00000 : 00",
       {7, 36, 1},
       1},
      {"byteir.quantize f32[3] f32[] i8[] -> i8[3] : 42360000437e000040e00000 : 40e00000 : 00",
       {7, 37, 1},
       -1},
      {"byteir.quantize f32[3] f32[] i8[] -> i8[3] : 423600004236000040e00000 : 40e00000 : 00",
       {7, 6, 1},
       -1},
      {"byteir.quantize f32[3] f32[] i8[] -> i8[3] : 7fc00000437e000040e00000 : 40e00000 : 00",
       {99, 36, 1},
       0},
  };
  arena_t arena;
  arena_init(&arena);
  const contract_t contract = contract_of("accum_wider=no");
  for (size_t i = 0; i < G_N_ELEMENTS(formulas); i++) {
    case_t instance = parse_case(formulas[i].line, &arena);
    tensor_t result = tensor_make(&arena, &instance.program.results[0]);
    memcpy(result.data, formulas[i].got, sizeof formulas[i].got);
    const oracle_t *oracle = oracle_find(instance.program.op);
    uint8_t formula = 0;
    bool found = false;
    const oracle_call_t call = {
        .instance = &instance, .contract = &contract, .results = &result, .arena = &arena};
    status_t status = oracle->find_formula(&call, NULL, &formula, &found);
    g_assert_cmpint(status, ==, STATUS_OK);
    g_assert_cmpint(found ? formula : -1, ==, formulas[i].formula);
  }
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/byteir_quantize/answers", test_answers);
  g_test_add_func("/byteir_quantize/fast", test_block_compare);
  g_test_add_func("/byteir_quantize/formulas", test_formulas);
  return g_test_run();
}
