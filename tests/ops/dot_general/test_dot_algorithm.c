/* SPDX-License-Identifier: Apache-2.0 */
/* Dot algorithms: their table and text, and what infinities, NaNs and overflowing numbers make of
 * split operands, by all ways to split them and to put the products together. */
#include "generated/dot_general_faults.h"
#include "generated/dot_general_permissions.h"
#include "generated/exact_permissions.h"
#include "oracles/exact/sum/split.h"
#include "oracles/ops/dot_general/dot_general.h"
#include "tests/ops/op_checks.h"
#include "tests/ops/oracle_checks.h"

/* ---- Table and text -------------------------------------------------------------------------- */

static dot_algorithm_attribute_t parse(const char *text) {
  scan_t scan = scan_make(str_from(text));
  dot_algorithm_attribute_t attribute;
  failure_t error = {0};
  if (dot_algorithm_parse(&scan, &attribute, &error) != STATUS_OK) {
    g_error("%s: %s", text, error.text);
  }
  g_assert_true(scan_at_end(&scan));
  return attribute;
}

/* The 13 that the verifier knows, both ways to spell the counts of components; others, which are
 * called by their members with the true counts; and what means nothing. */
static void test_known(void) {
  static const struct {
    const char *text;
    const char *label; /* NULL: no meaning. */
  } rows[] = {
      {"[f8E4M3FN,f8E5M2,f32,1,1,1,false]", "ANY_F8_ANY_F8_F32<f8E4M3FN,f8E5M2>"},
      {"[f8E3M4,f8E3M4,f32,1,1,1,true]", "ANY_F8_ANY_F8_F32_FAST_ACCUM<f8E3M4,f8E3M4>"},
      {"[f16,f16,f16,1,1,1,false]", "F16_F16_F16"},
      {"[f16,f16,f32,1,1,1,false]", "F16_F16_F32"},
      {"[bf16,bf16,bf16,1,1,1,false]", "BF16_BF16_BF16"},
      {"[bf16,bf16,f32,1,1,1,false]", "BF16_BF16_F32"},
      {"[bf16,bf16,f32,1,1,3,false]", "BF16_BF16_F32_X3"},
      {"[bf16,bf16,f32,2,2,3,false]", "BF16_BF16_F32_X3"},
      {"[bf16,bf16,f32,1,1,6,false]", "BF16_BF16_F32_X6"},
      {"[bf16,bf16,f32,3,3,6,false]", "BF16_BF16_F32_X6"}, /* The specification's bf16_6x. */
      {"[bf16,bf16,f32,1,1,9,false]", "BF16_BF16_F32_X9"},
      {"[bf16,bf16,f32,3,3,9,false]", "BF16_BF16_F32_X9"},
      {"[tf32,tf32,f32,1,1,1,false]", "TF32_TF32_F32"},
      {"[tf32,tf32,f32,1,1,3,false]", "TF32_TF32_F32_X3"},
      {"[f32,f32,f32,1,1,1,false]", "F32_F32_F32"},
      {"[f64,f64,f64,1,1,1,false]", "F64_F64_F64"},
      {"[bf16,bf16,f32,1,3,3,false]", "[bf16,bf16,f32,1,3,3,false]"},
      {"[bf16,f16,f32,1,1,1,false]", "[bf16,f16,f32,1,1,1,false]"},
      {"[f32,f32,f32,1,1,1,true]", "[f32,f32,f32,1,1,1,true]"},
      {"[tf32,tf32,f32,1,1,6,false]", "[tf32,tf32,f32,3,3,6,false]"},
      {"[f64,f64,f64,1,1,64,false]", "[f64,f64,f64,8,8,64,false]"},
      {"[f8E4M3FN,f8E5M2,f16,1,1,1,false]", "[f8E4M3FN,f8E5M2,f16,1,1,1,false]"},
      {"[bf16,bf16,f32,2,2,6,false]", NULL},
      {"[bf16,bf16,f32,1,3,6,false]", NULL},
      {"[bf16,bf16,f32,9,1,1,false]", NULL},
      {"[bf16,bf16,f32,1,1,65,false]", NULL},
      {"[f8E8M0FNU,f8E5M2,f32,1,1,1,false]", NULL},
      {"[i8,i16,i32,1,1,1,false]", "[i8,i16,i32,1,1,1,false]"},
      {"[i8,bf16,f32,1,1,1,true]", "[i8,bf16,f32,1,1,1,true]"},
      {"[i8,i8,i32,2,2,3,false]", NULL},
      {"[i8,i8,i32,1,1,3,false]", NULL},
      {"[i8,i8,i32,1,1,1,true]", NULL},
      {"[i8,ui8,ui32,1,1,1,false]", NULL},
      {"[i64,i8,f32,1,1,1,false]", NULL},
      {"[f16,i8,i32,1,1,1,false]", NULL},
      {"[i1,i1,i32,1,1,1,false]", NULL},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    dot_algorithm_attribute_t attribute = parse(rows[i].text);
    g_autoptr(GString) text = g_string_new(NULL);
    dot_algorithm_print(&attribute, text);
    g_assert_cmpstr(text->str, ==, rows[i].text);
    g_string_truncate(text, 0);
    dot_algorithm_print_label(&attribute, text);
    const char *label = rows[i].label == NULL ? rows[i].text : rows[i].label;
    g_assert_cmpstr(text->str, ==, label);
    dot_algorithm_t by_attribute, by_name;
    bool has_meaning = dot_algorithm_find(&attribute, &by_attribute);
    g_assert_cmpint(has_meaning, ==, rows[i].label != NULL);
    g_assert_cmpint(dot_algorithm_find_name(str_from(label), &by_name), ==, has_meaning);
    if (!has_meaning) continue;
    g_assert_true(dot_algorithm_equal(&by_name, &by_attribute));
    g_assert_cmpint(dot_algorithm_row(&by_attribute) != NULL, ==, label[0] != '[');
  }
  g_assert_cmpuint(dot_algorithm_count, ==, 13);
}

/* Which products are kept: those of largest magnitude, the earlier component of the left operand
 * first; listed from the least. */
static void test_primitives(void) {
  static const struct {
    const char *text;
    const char *primitives;
  } rows[] = {
      {"[bf16,bf16,f32,1,1,1,false]", "00"},
      {"[bf16,bf16,f32,2,2,2,false]", "01 00"},
      {"[bf16,bf16,f32,1,1,3,false]", "10 01 00"},
      {"[bf16,bf16,f32,2,2,4,false]", "11 10 01 00"},
      {"[bf16,bf16,f32,3,3,4,false]", "02 10 01 00"},
      {"[bf16,bf16,f32,1,1,6,false]", "20 11 02 10 01 00"},
      {"[bf16,bf16,f32,1,1,9,false]", "22 21 12 20 11 02 10 01 00"},
      {"[f16,f32,f32,2,1,2,false]", "10 00"},
      {"[bf16,f32,f32,3,2,4,false]", "01 20 10 00"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    const dot_algorithm_attribute_t attribute = parse(rows[i].text);
    dot_algorithm_t algorithm;
    g_assert_true(dot_algorithm_find(&attribute, &algorithm));
    dot_primitive_t primitives[DOT_PRIMITIVES_MAX];
    int count = dot_algorithm_primitives(&algorithm, primitives);
    g_autoptr(GString) text = g_string_new(NULL);
    for (int p = 0; p < count; p++) {
      g_string_append_printf(text, "%s%d%d", p == 0 ? "" : " ", primitives[p].lhs,
                             primitives[p].rhs);
    }
    g_assert_cmpstr(text->str, ==, rows[i].primitives);
  }
}

/* What the three texts that disagree say of the same programs. */
static void test_rules(void) {
#define LINE(precision, algorithm, types) \
  "stablehlo.dot_general batch=[]x[] contract=[0]x[0] " precision "algorithm=" algorithm " " types
#define F32 "f32[2] f32[2] -> f32[]"
  static const struct {
    const char *line;
    const char *broken[3]; /* Under dot_algorithm=rfc, spec, verifier. */
  } rows[] = {
      {LINE("", "[bf16,bf16,f32,1,1,6,false]", F32), {NULL, NULL, NULL}},
      {LINE("", "[bf16,bf16,f32,3,3,6,false]", F32), {NULL, NULL, NULL}},
      {LINE("", "[bf16,bf16,f32,2,2,6,false]", F32), {"primitives", "primitives", "known"}},
      {LINE("", "[bf16,bf16,f32,9,1,6,false]", F32), {"components", "components", "known"}},
      {LINE("", "[bf16,f16,f32,1,1,1,false]", F32), {NULL, NULL, "known"}},
      {LINE("precision=[HIGH,DEFAULT] ", "[tf32,tf32,f32,1,1,1,false]", F32), {NULL, "C21", "C21"}},
      {LINE("precision=[DEFAULT,DEFAULT] ", "[tf32,tf32,f32,1,1,1,false]", F32),
       {NULL, NULL, NULL}},
      {LINE("", "[i8,i8,i32,1,1,1,false]", "i8[2] i8[2] -> i32[]"), {NULL, "float", "float"}},
      {LINE("", "[i8,ui8,ui32,1,1,1,false]", "i8[2] i8[2] -> i32[]"), {"kinds", "float", "float"}},
      {LINE("", "[i8,i8,i32,1,1,1,true]", "i8[2] i8[2] -> i32[]"), {"imprecise", "float", "float"}},
      {LINE("", "[bf16,bf16,f32,1,1,1,false]", "i1[2] i1[2] -> f32[]"),
       {"storage", "storage", "storage"}},
      {LINE("", "[bf16,bf16,f32,1,1,1,false]", "complex<f32>[2] complex<f32>[2] -> f32[]"),
       {"storage", "storage", "storage"}},
      {LINE("", "[bf16,bf16,f32,1,1,1,false]", "i64[2] i64[2] -> f32[]"), {NULL, NULL, NULL}},
      {LINE("", "[f8E5M2,f8E4M3FN,f32,1,1,1,false]", "f8E5M2[2] f8E4M3FN[2] -> f32[]"),
       {"C13", "C13", NULL}},
  };
#undef F32
#undef LINE
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    program_t program;
    failure_t error = {0};
    if (program_parse(str_from(rows[i].line), &arena, &program, NULL, &error) != STATUS_OK) {
      g_error("%s: %s", rows[i].line, error.text);
    }
    for (uint8_t rule = DOT_ALGORITHM_RFC; rule <= DOT_ALGORITHM_VERIFIER; rule++) {
      contract_t contract = contract_backend();
      PERMITTED(&contract, dot_algorithm) = rule;
      g_assert_cmpstr(check_broken_under(&program, &contract), ==, rows[i].broken[rule]);
    }
  }
  arena_deinit(&arena);
}

/* ---- Specials -------------------------------------------------------------------------------- */

static const uint32_t special_patterns[] = {
    0x3f800000, 0xbf800000, 0x3f804000, 0x00000000, 0x80000000, 0x7f7fffff, 0xff7fffff, 0x7f7f0000,
    0x7f800000, 0xff800000, 0x7f800001, 0x7fc00000, 0xffa00000, 0x00000001, 0x00ffffff};

typedef struct experiment {
  arena_t arena;
  case_t instance;
  tensor_t result;
} experiment_t;

static void make_case(experiment_t *experiment, const char *algorithm, size_t terms) {
  g_autofree char *line = g_strdup_printf(
      "stablehlo.dot_general batch=[]x[] contract=[0]x[0] algorithm=%s f32[%zu] f32[%zu] -> f32[]",
      algorithm, terms, terms);
  program_t program;
  failure_t error = {0};
  if (program_parse(str_from(line), &experiment->arena, &program, NULL, &error) != STATUS_OK) {
    g_error("%s: %s", line, error.text);
  }
  experiment->instance = case_make(&experiment->arena, &program);
  experiment->result = tensor_make(&experiment->arena, &program.results[0]);
}

static uint64_t run(experiment_t *experiment, split_t split, assembly_t assembly, bool keeps_nan) {
  implementation_model_t schedule = schedule_plain();
  schedule.split = split;
  schedule.assembly = assembly;
  schedule.fault = keeps_nan ? FAULT_keep_low_nan : FAULT_NONE;
  failure_t error = {0};
  const oracle_t *oracle = oracle_find(experiment->instance.program.op);
  const oracle_call_t call = {
      .instance = &experiment->instance, .arena = &experiment->arena, .error = &error};
  if (oracle->simulate(&call, &schedule, &experiment->result) != STATUS_OK) {
    g_error("%s", error.text);
  }
  return element_load(experiment->result.type.element, experiment->result.data, 0);
}

static bool conforms(experiment_t *experiment, uint8_t low_nan, uint64_t bits) {
  contract_t contract = contract_backend();
  PERMITTED(&contract, low_nan) = low_nan;
  element_store(experiment->result.type.element, experiment->result.data, 0, bits);
  answer_t answer;
  failure_t error = {0};
  arena_mark_t mark = arena_mark(&experiment->arena);
  const oracle_t *oracle = oracle_find(experiment->instance.program.op);
  const oracle_call_t call = {.instance = &experiment->instance,
                              .contract = &contract,
                              .results = &experiment->result,
                              .arena = &experiment->arena,
                              .error = &error};
  if (oracle->decide(&call, 0, 0, &answer) != STATUS_OK) {
    g_error("%s", error.text);
  }
  arena_rewind(&experiment->arena, mark);
  return answer.conforms;
}

enum { POSITIVE_INFINITY = 0x7f800000, NEGATIVE_INFINITY = 0xff800000u, QUIET_NAN = 0x7fc00000 };

/* Every way to go about it conforms; and NaN and infinities conform only if some way gives them,
 * where no finite sum comes near overflow, which depends on the order. */
static void check_specials(experiment_t *experiment, uint8_t low_nan, bool may_overflow) {
  bool reached_nan = false, reached_up = false, reached_down = false;
  for (int way = 0; way < 8; way++) {
    bool keeps_nan = (way & 4) != 0;
    if (low_nan == LOW_NAN_ZERO && keeps_nan) continue;
    if (low_nan == LOW_NAN_KEEP && !keeps_nan) continue;
    uint64_t bits = run(experiment, way & 1 ? SPLIT_TRUNCATE : SPLIT_NEAREST,
                        way & 2 ? ASSEMBLY_BY_TERM : ASSEMBLY_BY_PRODUCT, keeps_nan);
    reached_nan |= format_is_nan(&format_table[FORMAT_f32], bits);
    reached_up |= bits == POSITIVE_INFINITY;
    reached_down |= bits == NEGATIVE_INFINITY;
    if (conforms(experiment, low_nan, bits)) continue;
    GString *line = g_string_new(NULL);
    case_print(&experiment->instance, line);
    g_error("way %d, low_nan %d: 0x%" G_GINT64_MODIFIER "x does not conform: %s", way, low_nan,
            bits, line->str);
  }
  if (may_overflow) return;
  g_assert_cmpint(conforms(experiment, low_nan, QUIET_NAN), ==, reached_nan);
  g_assert_cmpint(conforms(experiment, low_nan, POSITIVE_INFINITY), ==, reached_up);
  g_assert_cmpint(conforms(experiment, low_nan, NEGATIVE_INFINITY), ==, reached_down);
}

static bool is_huge(uint32_t pattern) {
  uint32_t magnitude = pattern & 0x7fffffffu;
  return magnitude >= 0x7f000000u && magnitude < POSITIVE_INFINITY;
}

static void check_terms(experiment_t *experiment, const size_t *choice, size_t terms) {
  bool may_overflow = false;
  for (size_t i = 0; i < 2 * terms; i++) {
    uint32_t pattern = special_patterns[choice[i]];
    tensor_t *operand = &experiment->instance.operands[i / terms];
    element_store(operand->type.element, operand->data, i % terms, pattern);
    may_overflow |= is_huge(pattern);
  }
  for (uint8_t low_nan = LOW_NAN_ZERO; low_nan <= LOW_NAN_EITHER; low_nan++) {
    arena_mark_t mark = arena_mark(&experiment->arena);
    check_specials(experiment, low_nan, may_overflow);
    arena_rewind(&experiment->arena, mark);
  }
}

static void test_specials(gconstpointer data) {
  enum { PATTERNS = G_N_ELEMENTS(special_patterns), PAIRS_OF_TERMS = 3000 };
  experiment_t experiment;
  arena_init(&experiment.arena);
  make_case(&experiment, data, 1);
  for (size_t i = 0; i < PATTERNS * PATTERNS; i++) {
    const size_t choice[] = {i / PATTERNS, i % PATTERNS};
    check_terms(&experiment, choice, 1);
  }
  make_case(&experiment, data, 2);
  rng_t rng = rng_make(1);
  for (int i = 0; i < PAIRS_OF_TERMS; i++) {
    size_t choice[4];
    for (size_t c = 0; c < 4; c++) choice[c] = (size_t)rng_below(&rng, PATTERNS);
    check_terms(&experiment, choice, 2);
  }
  arena_deinit(&experiment.arena);
}

/* ---- Fast sets ------------------------------------------------------------------------------- */

/* What the fast set of a component holds conforms: its ends, what is beside them, and what lies
 * between them and between two intervals.  Returns how many such numbers it held. */
static size_t check_fast_set(experiment_t *experiment, const accept_t *accept) {
  const element_t *element = experiment->result.type.element;
  const double ends[] = {accept->low[0], accept->high[0],
                         accept->other_low == NULL ? 0 : accept->other_low[0],
                         accept->other_low == NULL ? 0 : accept->other_high[0]};
  size_t held = 0;
  for (size_t i = 0; i < (accept->other_low == NULL ? 2 : 4); i++) {
    for (size_t j = 0; j <= i; j++) {
      uint64_t middle = format_from_double(element->format, (ends[i] + ends[j]) / 2);
      const uint64_t probes[] = {middle, format_next_up(element->format, middle),
                                 format_next_down(element->format, middle)};
      for (size_t p = 0; p < G_N_ELEMENTS(probes); p++) {
        if (!accept_holds(accept, element, 0, probes[p])) continue;
        held++;
        g_assert_true(conforms(experiment, LOW_NAN_ZERO, probes[p]));
      }
    }
  }
  return held;
}

static void fill_near_one(rng_t *rng, experiment_t *experiment) {
  for (uint32_t i = 0; i < 2; i++) {
    const tensor_t *operand = &experiment->instance.operands[i];
    for (size_t e = 0; e < type_element_count(&operand->type); e++) {
      uint32_t pattern = 0x3f800000 | (uint32_t)rng_below(rng, 1 << 23);
      element_store(operand->type.element, operand->data, e, pattern);
    }
  }
}

typedef struct fast_set_row {
  const char *algorithm;
  size_t terms;
  bool has_two_intervals;
} fast_set_row_t;

static void test_fast_sets(gconstpointer data) {
  enum { CASES = 2000 };
  const fast_set_row_t *row = data;
  const contract_t contract = contract_backend();
  experiment_t experiment;
  arena_init(&experiment.arena);
  make_case(&experiment, row->algorithm, row->terms);
  const oracle_t *oracle = oracle_find(experiment.instance.program.op);
  rng_t rng = rng_make(5);
  size_t held = 0, apart = 0;
  for (int i = 0; i < CASES; i++) {
    arena_mark_t mark = arena_mark(&experiment.arena);
    fill_near_one(&rng, &experiment);
    accept_t accepts[CASE_RESULTS_MAX];
    failure_t error = {0};
    const oracle_call_t call = {.instance = &experiment.instance,
                                .contract = &contract,
                                .arena = &experiment.arena,
                                .error = &error};
    if (oracle->accept(&call, accepts) != STATUS_OK) {
      g_error("%s", error.text);
    }
    held += check_fast_set(&experiment, &accepts[0]);
    apart += accepts[0].other_low != NULL && (accepts[0].other_low[0] > accepts[0].high[0] ||
                                              accepts[0].other_high[0] < accepts[0].low[0]);
    arena_rewind(&experiment.arena, mark);
  }
  g_test_message("%d cases, %zu with intervals apart; %zu probes held", (int)CASES, apart, held);
  g_assert_cmpuint(held, >, CASES);
  if (row->has_two_intervals) g_assert_cmpuint(apart, >, CASES / 20);
  arena_deinit(&experiment.arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/dot_algorithm/known", test_known);
  g_test_add_func("/dot_algorithm/primitives", test_primitives);
  g_test_add_func("/dot_algorithm/rules", test_rules);
  g_test_add_data_func("/dot_algorithm/specials/bf16x3", "[bf16,bf16,f32,1,1,3,false]",
                       test_specials);
  g_test_add_data_func("/dot_algorithm/specials/bf16x6", "[bf16,bf16,f32,1,1,6,false]",
                       test_specials);
  g_test_add_data_func("/dot_algorithm/specials/bf16x9", "[bf16,bf16,f32,1,1,9,false]",
                       test_specials);
  g_test_add_data_func("/dot_algorithm/specials/tf32x3", "[tf32,tf32,f32,1,1,3,false]",
                       test_specials);
  static const fast_set_row_t split = {"[bf16,bf16,f32,1,1,3,false]", 1, true};
  static const fast_set_row_t narrow = {"[bf16,bf16,bf16,1,1,1,false]", 2, false};
  g_test_add_data_func("/dot_algorithm/fast_sets/bf16x3", &split, test_fast_sets);
  g_test_add_data_func("/dot_algorithm/fast_sets/bf16_in_f32", &narrow, test_fast_sets);
  return g_test_run();
}
