/* SPDX-License-Identifier: Apache-2.0 */
/* Quantized dot_general: where every step of the formula is exact, exactly one storage value
 * conforms, or two at ties; elsewhere what conforms is near the exact quotient, by a bound made
 * here.  Types that only the oracle supports (zero points of weights, as convolutions have them)
 * take part.  Then what each planted fault makes of a case. */
#include "generated/dot_general_faults.h"
#include "generated/exact_faults.h"
#include "oracles/oracle.h"
#include "tests/ops/dot_general/naive_dot_quantized.h"

enum { TERMS = 4, COLUMNS = 3 };

static int64_t draw_zero_point(rng_t *rng) {
  return rng_one_in(rng, 3) ? 0 : rng_between(rng, -128, 127);
}

/* Bits of the significand of a scale. */
static double draw_scale_of(rng_t *rng, int bits) {
  uint64_t fraction = bits == 1 ? 0 : rng_bits(rng) >> (65 - bits);
  double significand = (double)((uint64_t)1 << (bits - 1) | fraction);
  return ldexp(significand, (int)rng_between(rng, -4, 3) - bits);
}

static void append_type(rng_t *rng, int bits, bool per_axis, const char *shape, GString *line) {
  g_string_append_printf(line, " !quant.uniform<i8:f32%s", per_axis ? ":1,{" : ",");
  for (int i = 0; i < (per_axis ? COLUMNS : 1); i++) {
    int64_t zero_point = draw_zero_point(rng);
    const quantization_t one = {.expressed = element_named("f32"),
                                .storage_min = -128,
                                .storage_max = 127,
                                .axis = -1,
                                .count = 1,
                                .scales = (double[]){draw_scale_of(rng, bits)},
                                .zero_points = &zero_point};
    type_t type = type_make(element_named("i8"), 0, NULL);
    type.quantization = &one;
    g_autoptr(GString) text = g_string_new(NULL);
    type_print_element(&type, text);
    const char *scale = strchr(text->str, ',') + 1;
    g_string_append_printf(line, "%s%.*s", i == 0 ? "" : ",", (int)strlen(scale) - 1, scale);
  }
  g_string_append_printf(line, "%s>%s", per_axis ? "}" : "", shape);
}

/* A row times a matrix, with scales of so many bits. */
static case_t draw_case(rng_t *rng, int bits, arena_t *arena) {
  g_autoptr(GString) line = g_string_new("stablehlo.dot_general batch=[]x[] contract=[1]x[0]");
  bool of_weights = rng_one_in(rng, 2), of_result = rng_one_in(rng, 2);
  append_type(rng, bits, false, "[1,4]", line);
  append_type(rng, bits, of_weights, "[4,3]", line);
  g_string_append(line, " ->");
  append_type(rng, bits, of_result, "[1,3]", line);
  program_t program;
  const char *violation;
  failure_t error;
  status_t status = program_parse(str_from(line->str), arena, &program, &violation, &error);
  if (status != STATUS_OK) g_error("%s: %s", line->str, error.text);
  case_t instance = case_make(arena, &program);
  int64_t most = rng_one_in(rng, 2) ? 8 : 128;
  for (uint32_t o = 0; o < 2; o++) {
    tensor_t *operand = &instance.operands[o];
    for (size_t i = 0; i < type_element_count(&operand->type); i++) {
      naive_store_integer(operand, i, rng_between(rng, -most, most - 1));
    }
  }
  return instance;
}

/* ---- What conforms --------------------------------------------------------------------------- */

/* By the fast set, if it holds it, and by the exact side, which must agree. */
static bool is_held(const case_t *instance, const contract_t *contract, size_t component,
                    int64_t value, arena_t *arena, answer_t *out_answer) {
  const oracle_t *oracle = oracle_find(instance->program.op);
  const element_t *storage = instance->program.results[0].element;
  tensor_t result = tensor_make(arena, &instance->program.results[0]);
  memset(result.data, 0, type_bytes(&result.type));
  naive_store_integer(&result, component, value);
  uint64_t bits = element_load(storage, result.data, component);
  accept_t accepts[CASE_RESULTS_MAX];
  failure_t error;
  const oracle_call_t call = {
      .instance = instance, .contract = contract, .arena = arena, .error = &error};
  status_t status = oracle->accept(&call, accepts);
  if (status == STATUS_OK) {
    const oracle_call_t decide_call = {.instance = instance,
                                       .contract = contract,
                                       .results = &result,
                                       .arena = arena,
                                       .error = &error};
    status = oracle->decide(&decide_call, 0, component, out_answer);
  }
  if (status != STATUS_OK) g_error("%s", error.text);
  bool is_fast = accept_holds(&accepts[0], storage, component, bits);
  g_assert_true(!is_fast || out_answer->conforms);
  return out_answer->conforms;
}

typedef struct expectation {
  mpq_t product; /* sum * multiplier */
  mpq_t value;   /* and with the zero point. */
} expectation_t;

static void expect(const case_t *instance, size_t component, expectation_t *out) {
  mpq_t multiplier, addend;
  mpq_inits(out->product, out->value, multiplier, addend, NULL);
  naive_set_integer(out->product, naive_integer_sum(instance, component, false, multiplier));
  mpq_mul(out->product, out->product, multiplier);
  const type_t *result = &instance->program.results[0];
  mpq_set_si(addend, result->quantization->zero_points[naive_channel(result, component)], 1);
  mpq_add(out->value, out->product, addend);
  mpq_clears(multiplier, addend, NULL);
}

static int64_t clamp_rounded(const mpq_t value, int64_t addend) {
  mpz_t whole;
  mpz_init(whole);
  rational_round(whole, value, TIES_EVEN);
  int64_t rounded = CLAMP(mpz_get_si(whole) + addend, -128, 127);
  mpz_clear(whole);
  return rounded;
}

static void fail(const case_t *instance, size_t component, int64_t value, const answer_t *answer) {
  g_autoptr(GString) line = g_string_new(NULL);
  case_print(instance, line);
  g_error("%s: component %zu: %" G_GINT64_FORMAT ", conforms: %d, the oracle expects %s", line->str,
          component, value, answer->conforms, answer->expected);
}

/* Scales are powers of two and sums small: the value, rounded with its zero point, or where
 * integers are rescaled in floats also without. */
static void check_exact(rng_t *rng, arena_t *arena, const char *contract_text, size_t *out_ties) {
  contract_t contract;
  g_assert_cmpint(contract_parse(str_from(contract_text), &contract, NULL), ==, STATUS_OK);
  case_t instance = draw_case(rng, 1, arena);
  const type_t *result = &instance.program.results[0];
  bool is_either =
      contract_value(&contract, "rescale") == 1 && contract_value(&contract, "quantized") == 1;
  for (size_t i = 0; i < COLUMNS; i++) {
    expectation_t expected;
    expect(&instance, i, &expected);
    int64_t zero_point = result->quantization->zero_points[naive_channel(result, i)];
    int64_t before = clamp_rounded(expected.value, 0);
    int64_t after = is_either ? clamp_rounded(expected.product, zero_point) : before;
    *out_ties += before != after;
    const int64_t candidates[] = {before,    after, before - 1, before + 1, after - 1,
                                  after + 1, -128,  127,        0};
    for (size_t c = 0; c < G_N_ELEMENTS(candidates); c++) {
      int64_t value = CLAMP(candidates[c], -128, 127);
      answer_t answer;
      bool holds = is_held(&instance, &contract, i, value, arena, &answer);
      if (holds != (value == before || value == after)) fail(&instance, i, value, &answer);
    }
    mpq_clears(expected.product, expected.value, NULL);
  }
}

static void test_exact(void) {
  static const char *const contracts[] = {"backend", "spec", "quantized=dequantize",
                                          "rescale=exact", "integer_overflow=saturate"};
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(0xd07);
  size_t ties = 0;
  for (int i = 0; i < 1500; i++) {
    check_exact(&rng, &arena, contracts[(size_t)i % G_N_ELEMENTS(contracts)], &ties);
    arena_reset(&arena);
  }
  g_assert_cmpuint(ties, >, 5);
  arena_deinit(&arena);
}

/* Of 4 terms of 16 bits none errs by more than 10 roundings of 2^-24, of the sum of magnitudes or
 * of what the zero point adds: no more than 2^-20 of 4 * 255^2 * |multiplier| + 128. */
static void test_near(void) {
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(0xd08);
  contract_t contract = contract_backend();
  size_t held = 0;
  for (int i = 0; i < 400; i++) {
    case_t instance = draw_case(&rng, 24, &arena);
    for (size_t component = 0; component < COLUMNS; component++) {
      expectation_t expected;
      expect(&instance, component, &expected);
      double value = mpq_get_d(expected.value);
      mpq_t multiplier;
      mpq_init(multiplier);
      naive_integer_sum(&instance, component, false, multiplier);
      double bound = 0x1p-20 * (4 * 255 * 255 * mpq_get_d(multiplier) + 128);
      for (int64_t candidate = -128; candidate <= 127; candidate++) {
        double distance = fabs((double)candidate - CLAMP(value, -128, 127));
        if (distance > 4 && candidate != -128 && candidate != 127) continue;
        answer_t answer;
        bool holds = is_held(&instance, &contract, component, candidate, &arena, &answer);
        bool must = distance < 0.5 - bound, may = distance <= 0.5 + bound;
        if ((must && !holds) || (!may && holds)) fail(&instance, component, candidate, &answer);
        held += holds;
      }
      mpq_clears(multiplier, expected.product, expected.value, NULL);
    }
    arena_reset(&arena);
  }
  g_assert_cmpuint(held, >=, 400 * COLUMNS);
  arena_deinit(&arena);
}

/* ---- Faults ---------------------------------------------------------------------------------- */

#define DOT "stablehlo.dot_general batch=[]x[] contract=[0]x[0] "
#define ROW "stablehlo.dot_general batch=[]x[] contract=[1]x[0] "
#define TWO_CHANNELS "!quant.uniform<i8:f32:1,{0x1p+0,0x1p-1}>[2,2]"

/* What each fault makes of a case, whose right result is another. */
static const struct {
  fault_t fault;
  const char *contract;
  const char *line;
  const char *right;
  const char *wrong;
} faults[] = {
    {FAULT_rescale_truncated, "backend",
     DOT "!quant.uniform<i8:f32,0x1p+0>[1] !quant.uniform<i8:f32,0x1.8p-1>[1] -> "
         "!quant.uniform<i8:f32,0x1p+0>[] : 05 : 01",
     "04", "03"},
    {FAULT_rescale_ties_away, "backend",
     DOT "!quant.uniform<i8:f32,0x1p+0>[1] !quant.uniform<i8:f32,0x1p-1>[1] -> "
         "!quant.uniform<i8:f32,0x1p+0>[] : 05 : 01",
     "02", "03"},
    {FAULT_rescale_unclamped, "backend",
     DOT "!quant.uniform<i8:f32,0x1p+0>[1] !quant.uniform<i8:f32,0x1p+0>[1] -> "
         "!quant.uniform<i8:f32,0x1p+0>[] : 40 : 05",
     "7f", "40"},
    {FAULT_multiplier_in_bf16, "backend",
     DOT "!quant.uniform<i8:f32,0x1p+0>[1] !quant.uniform<i8:f32,0x1.018p+0>[1] -> "
         "!quant.uniform<i16:f32,0x1p+0>[] : 7f : 7f",
     "3f60", "3f7f"},
    {FAULT_multiplier_near_one, "backend",
     DOT "!quant.uniform<i8:f32,0x1p+0>[1] !quant.uniform<i8:f32,0x1.002p+0>[1] -> "
         "!quant.uniform<i16:f32,0x1p+0>[] : 7f : 7f",
     "3f09", "3f01"},
    {FAULT_quantized_sum_wraps, "integer_overflow=saturate",
     DOT "!quant.uniform<i16:f32,0x1p+0>[3] !quant.uniform<i16:f32,0x1p+0>[3] -> "
         "!quant.uniform<i32:f32,0x1p+1>[] : 7fff7fff7fff : 7fff7fff7fff",
     "5ffe8000", "dffe8000"},
    {FAULT_zero_point_before_rescale, "backend",
     DOT "!quant.uniform<i8:f32,0x1p+0>[1] !quant.uniform<i8:f32,0x1p-1>[1] -> "
         "!quant.uniform<i8:f32,0x1p+0:4>[] : 02 : 03",
     "07", "05"},
    {FAULT_cross_term_dropped, "backend",
     DOT "!quant.uniform<i8:f32,0x1p+0:1>[1] !quant.uniform<i8:f32,0x1p+0:2>[1] -> "
         "!quant.uniform<i8:f32,0x1p+0>[] : 04 : 05",
     "09", "07"},
    {FAULT_lhs_zero_point_forgotten, "backend",
     DOT "!quant.uniform<i8:f32,0x1p+0:1>[1] !quant.uniform<i8:f32,0x1p+0:2>[1] -> "
         "!quant.uniform<i8:f32,0x1p+0>[] : 04 : 05",
     "09", "0c"},
    {FAULT_rhs_zero_point_forgotten, "backend",
     DOT "!quant.uniform<i8:f32,0x1p+0:1>[1] !quant.uniform<i8:f32,0x1p+0:2>[1] -> "
         "!quant.uniform<i8:f32,0x1p+0>[] : 04 : 05",
     "09", "0f"},
    {FAULT_rhs_zero_point_forgotten, "backend",
     DOT "f32[1] !quant.uniform<i8:f32,0x1p+0:2>[1] -> f32[] : 40000000 : 05", "40c00000",
     "41200000"},
    {FAULT_channels_scaled_as_first, "backend",
     ROW "!quant.uniform<i8:f32,0x1p+0>[1,2] " TWO_CHANNELS " -> !quant.uniform<i8:f32,0x1p+0>[1,2]"
         " : 0102 : 02040202",
     "0604", "0608"},
    {FAULT_scales_along_terms, "backend",
     ROW "f32[1,2] " TWO_CHANNELS " -> f32[1,2] : 3f80000040000000 : 02040202", "40c0000040800000",
     "4080000040c00000"},
    {FAULT_saturate_pairs, "backend",
     DOT "!quant.uniform<i8:f32,0x1p+0>[2] !quant.uniform<i8:f32,0x1p+0>[2] -> "
         "!quant.uniform<i32:f32,0x1p+0>[] : 8080 : 8080",
     "00008000", "00007fff"},
};

static void check_fault(size_t row, arena_t *arena) {
  case_t instance;
  const char *violation;
  failure_t error;
  contract_t contract;
  status_t status = case_parse(str_from(faults[row].line), arena, &instance, &violation, &error);
  if (status != STATUS_OK) g_error("%s: %s", faults[row].line, error.text);
  g_assert_cmpint(contract_parse(str_from(faults[row].contract), &contract, NULL), ==, STATUS_OK);
  const oracle_t *oracle = oracle_find(instance.program.op);
  const char *const expected[] = {faults[row].right, faults[row].wrong};
  for (int is_wrong = 0; is_wrong < 2; is_wrong++) {
    implementation_model_t schedule = schedule_plain();
    schedule.fault = is_wrong == 1 ? faults[row].fault : FAULT_NONE;
    tensor_t result = tensor_make(arena, &instance.program.results[0]);
    const oracle_call_t call = {.instance = &instance, .arena = arena, .error = &error};
    status = oracle->simulate(&call, &schedule, &result);
    if (status != STATUS_OK) g_error("%s: %s", faults[row].line, error.text);
    g_autoptr(GString) text = g_string_new(NULL);
    tensor_print_data(&result, text);
    g_assert_cmpstr(text->str, ==, expected[is_wrong]);
    bool conforms = true;
    for (size_t i = 0; i < type_element_count(&result.type); i++) {
      answer_t answer;
      const oracle_call_t decide_call = {.instance = &instance,
                                         .contract = &contract,
                                         .results = &result,
                                         .arena = arena,
                                         .error = &error};
      status = oracle->decide(&decide_call, 0, i, &answer);
      g_assert_cmpint(status, ==, STATUS_OK);
      conforms = conforms && answer.conforms;
    }
    g_assert_cmpint(conforms, ==, is_wrong == 0);
  }
}

static void test_faults(void) {
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(faults); i++) check_fault(i, &arena);
  arena_deinit(&arena);
}

/* ---- What nobody knows ----------------------------------------------------------------------- */

static void test_refused(void) {
  static const char *const lines[] = {
      DOT "f32[1] !quant.uniform<i8:f32:0,{0x1p+0}>[1] -> f32[] : 3f800000 : 01",
      DOT "f8E8M0FNU[1] !quant.uniform<i8:f8E8M0FNU,0x1p+0>[1] -> f8E8M0FNU[] : 7f : 01",
  };
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
    case_t instance;
    const char *violation;
    failure_t error;
    status_t status = case_parse(str_from(lines[i]), &arena, &instance, &violation, &error);
    if (status != STATUS_OK) g_error("%s: %s", lines[i], error.text);
    const oracle_t *oracle = oracle_find(instance.program.op);
    contract_t contract = contract_backend();
    accept_t accepts[CASE_RESULTS_MAX];
    const oracle_call_t call = {
        .instance = &instance, .contract = &contract, .arena = &arena, .error = &error};
    status = oracle->accept(&call, accepts);
    g_assert_cmpint(status, ==, STATUS_UNSUPPORTED);
    tensor_t result = tensor_make(&arena, &instance.program.results[0]);
    implementation_model_t schedule = schedule_plain();
    const oracle_call_t model_call = {.instance = &instance, .arena = &arena, .error = &error};
    status = oracle->simulate(&model_call, &schedule, &result);
    g_assert_cmpint(status, ==, STATUS_UNSUPPORTED);
  }
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/naive_dot_quantized/exact", test_exact);
  g_test_add_func("/naive_dot_quantized/near", test_near);
  g_test_add_func("/naive_dot_quantized/faults", test_faults);
  g_test_add_func("/naive_dot_quantized/refused", test_refused);
  return g_test_run();
}
