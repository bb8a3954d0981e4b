/* SPDX-License-Identifier: Apache-2.0 */
/* The op rows of byteir.arg_max, arg_min, top_k and one_hot. */
#include "oracles/ops/byteir_positions/byteir_positions.h"
#include "tests/ops/op_checks.h"

static const draw_limits_t limits = {.rank_max = 5, .elements_max = 4096, .terms_max = 512};

#define ARG_MAX "byteir.arg_max "
#define ARG_MIN "byteir.arg_min "
#define TOP_K "byteir.top_k "
#define ONE_HOT "byteir.one_hot "
#define PLAIN "keep_dims=false select_last_index=false "

static const violation_row_t arg_violations[] = {
    {ARG_MAX "axis=1 " PLAIN "f32[5,2] -> i64[5]", NULL},
    {ARG_MAX "axis=0 " PLAIN "f32[5,2] -> i32[2]", NULL},
    {ARG_MAX "axis=-1 " PLAIN "bf16[5,2] -> i64[5]", NULL},
    {ARG_MAX "axis=1 keep_dims=true select_last_index=true f32[5,2] -> f32[5,1] i64[5,1]", NULL},
    {ARG_MIN "axis=0 keep_dims=true select_last_index=false i32[5,2] -> i32[1,2] i64[1,2]", NULL},
    {ARG_MIN "axis=0 " PLAIN "ui64[7] -> ui64[] ui8[]", NULL},
    {ARG_MAX "axis=0 " PLAIN "f64[1] -> i2[]", NULL},
    {ARG_MAX "axis=0 " PLAIN "f16[2] -> i2[]", NULL},
    {ARG_MAX "axis=0 " PLAIN "f16[4] -> ui2[]", NULL},
    {ARG_MAX "axis=0 " PLAIN "f16[128] -> i8[]", NULL},
    {ARG_MAX "axis=1 " PLAIN "f32[0,2] -> i64[0]", NULL},
    {ARG_MIN "axis=2 " PLAIN "f32[11,22,33,44] -> i64[11,22,44]", NULL},
    {ARG_MAX "axis=0 " PLAIN "i16[12345] -> i16[] i16[]", NULL},
    {ARG_MAX "axis=7 " PLAIN "i8[1,1,1,1,1,1,1,3] -> i8[1,1,1,1,1,1,1] i64[1,1,1,1,1,1,1]", NULL},

    {ARG_MAX "axis=0 " PLAIN "f32[2] f32[2] -> i64[]", "count"},
    {ARG_MAX "axis=0 " PLAIN "-> i64[]", "count"},
    {ARG_MAX "axis=0 " PLAIN "f32[2] -> f32[] i64[] i64[]", "count"},
    {ARG_MAX "axis=0 " PLAIN "i1[2] -> i64[]", NULL},
    {ARG_MAX "axis=0 " PLAIN "i4[2] -> i64[]", "types"},
    {ARG_MAX "axis=0 " PLAIN "i4[2] -> i64[]", "types"},
    {ARG_MAX "axis=0 " PLAIN "f8E5M2[2] -> i64[]", "types"},
    {ARG_MAX "axis=0 " PLAIN "complex<f32>[2] -> i64[]", "types"},
    {ARG_MAX "axis=0 " PLAIN "!quant.uniform<i8:f32,0x1p+0>[2] -> i64[]", "types"},
    {ARG_MAX "axis=1 " PLAIN "f32[2] -> i64[]", "axis"},
    {ARG_MAX "axis=-2 " PLAIN "f32[2] -> i64[]", "axis"},
    {ARG_MAX "axis=0 " PLAIN "f32[] -> i64[]", "axis"},
    {ARG_MAX "axis=-9223372036854775808 " PLAIN "f32[2] -> i64[]", "axis"},
    {ARG_MAX "axis=0 " PLAIN "f32[0] -> i64[]", "empty"},
    {ARG_MAX "axis=1 " PLAIN "f32[0,0] -> i64[0]", "empty"},
    {ARG_MAX "axis=1 " PLAIN "f32[5,2] -> i64[2]", "result"},
    {ARG_MAX "axis=1 " PLAIN "f32[5,2] -> i64[5,1]", "result"},
    {ARG_MAX "axis=1 keep_dims=true select_last_index=false f32[5,2] -> i64[5]", "result"},
    {ARG_MAX "axis=0 " PLAIN "f32[2] -> f16[] i64[]", "types"},
    {ARG_MAX "axis=0 " PLAIN "f32[2] -> i64[] f32[]", "index"},
    {ARG_MAX "axis=1 " PLAIN "f32[5,2] -> f32[5] i64[2]", "result"},
    {ARG_MAX "axis=0 " PLAIN "f32[2] -> !quant.uniform<i8:f32,0x1p+0>[]", "types"},
    {ARG_MAX "axis=0 " PLAIN "f32[2] -> f32[]", "index"},
    {ARG_MAX "axis=0 " PLAIN "f32[2] -> i1[]", "range"},
    {ARG_MAX "axis=0 " PLAIN "f32[3] -> i2[]", "range"},
    {ARG_MAX "axis=0 " PLAIN "f32[129] -> f32[] i8[]", "range"},
};

static const violation_row_t top_k_violations[] = {
    {TOP_K "k=2 axis=[1] sorted=true bf16[3,8] -> bf16[3,2] i32[3,2]", NULL},
    {TOP_K "k=3 axis=[0] sorted=false i8[3,8] -> i8[3,8] i64[3,8]", NULL},
    {TOP_K "k=0 axis=[0] sorted=true f32[3] -> f32[0] i32[0]", NULL},
    {TOP_K "k=0 axis=[0] sorted=true f32[0] -> f32[0] i32[0]", NULL},
    {TOP_K "k=1 axis=[-2] sorted=true f64[3,8] -> f64[1,8] ui2[1,8]", NULL},
    {TOP_K "k=2 axis=[1] sorted=true f16[0,8] -> f16[0,2] i16[0,2]", NULL},

    {TOP_K "k=1 axis=[0] sorted=true f32[3] -> f32[1]", "count"},
    {TOP_K "k=1 axis=[0] sorted=true f32[3] f32[3] -> f32[1] i32[1]", "count"},
    {TOP_K "k=1 axis=[0] sorted=true f32[3] -> f32[1] i32[1] i32[1]", "count"},
    {TOP_K "k=1 axis=[0] sorted=true i1[3] -> i1[1] i32[1]", NULL},
    {TOP_K "k=1 axis=[0] sorted=true i4[3] -> i4[1] i32[1]", "types"},
    {TOP_K "k=1 axis=[0] sorted=true f8E4M3FN[3] -> f8E4M3FN[1] i32[1]", "types"},
    {TOP_K "k=1 axis=[] sorted=true f32[3] -> f32[1] i32[1]", "axis"},
    {TOP_K "k=1 axis=[1] sorted=true f32[3] -> f32[1] i32[1]", "axis"},
    {TOP_K "k=1 axis=[-2] sorted=true f32[3] -> f32[1] i32[1]", "axis"},
    {TOP_K "k=1 axis=[0,1] sorted=true f32[3,3] -> f32[1,3] i32[1,3]", "axis"},
    {TOP_K "k=1 axis=[0,0] sorted=true f32[3] -> f32[1] i32[1]", "axis"},
    {TOP_K "k=1 axis=[0] sorted=true f32[] -> f32[] i32[]", "axis"},
    {TOP_K "k=4 axis=[0] sorted=true f32[3] -> f32[4] i32[4]", "k"},
    {TOP_K "k=1 axis=[0] sorted=true f32[0] -> f32[1] i32[1]", "k"},
    {TOP_K "k=-1 axis=[0] sorted=true f32[3] -> f32[1] i32[1]", "k"},
    {TOP_K "k=9223372036854775807 axis=[0] sorted=true f32[3] -> f32[1] i32[1]", "k"},
    {TOP_K "k=2 axis=[0] sorted=true f32[3] -> f32[1] i32[2]", "result"},
    {TOP_K "k=2 axis=[0] sorted=true f32[3] -> f32[2] i32[1]", "result"},
    {TOP_K "k=2 axis=[0] sorted=true f32[3] -> f16[2] i32[2]", "types"},
    {TOP_K "k=2 axis=[1] sorted=true f32[3,3] -> f32[2,3] i32[2,3]", "result"},
    {TOP_K "k=2 axis=[0] sorted=true f32[3] -> f32[2] f32[2]", "index"},
    {TOP_K "k=2 axis=[0] sorted=true f32[3] -> f32[2] i2[2]", "range"},
};

#define CLASSES "depth=3 axis=0 "
#define ON_OFF "on_value=3f800000 off_value=00000000 "

static const violation_row_t one_hot_violations[] = {
    {ONE_HOT CLASSES ON_OFF "i32[4] -> f32[3,4]", NULL},
    {ONE_HOT "depth=3 axis=1 " ON_OFF "ui8[4] -> f32[4,3]", NULL},
    {ONE_HOT "depth=3 axis=-1 " ON_OFF "i64[4,2] -> f32[4,2,3]", NULL},
    {ONE_HOT "depth=1 axis=1 on_value=1 off_value=0 i2[4,2] -> i1[4,1,2]", NULL},
    {ONE_HOT "depth=0 axis=0 " ON_OFF "i32[4] -> f32[0,4]", NULL},
    {ONE_HOT "depth=5 axis=0 on_value=7e00 off_value=8000 i32[] -> f16[5]", NULL},
    {ONE_HOT "depth=2 axis=0 on_value=3f off_value=20 i32[1] -> f6E2M3FN[2,1]", NULL},
    {ONE_HOT "depth=2 axis=7 on_value=f off_value=0 i32[1,1,1,1,1,1,1] -> i4[1,1,1,1,1,1,1,2]",
     NULL},

    {ONE_HOT CLASSES ON_OFF "i32[4] i32[4] -> f32[3,4]", "count"},
    {ONE_HOT CLASSES ON_OFF "i32[4] -> f32[3,4] f32[3,4]", "count"},
    {ONE_HOT CLASSES ON_OFF "f32[4] -> f32[3,4]", "index"},
    {ONE_HOT CLASSES ON_OFF "i1[4] -> f32[3,4]", "types"},
    {ONE_HOT CLASSES ON_OFF "i32[4] -> complex<f32>[3,4]", "types"},
    {ONE_HOT CLASSES "on_value=01 off_value=00 i32[4] -> !quant.uniform<i8:f32,0x1p+0>[3,4]",
     "types"},
    {ONE_HOT "depth=-1 axis=0 " ON_OFF "i32[4] -> f32[3,4]", "depth"},
    {ONE_HOT "depth=3 axis=2 " ON_OFF "i32[4] -> f32[3,4]", "axis"},
    {ONE_HOT "depth=3 axis=-3 " ON_OFF "i32[4] -> f32[3,4]", "axis"},
    {ONE_HOT "depth=3 axis=1 " ON_OFF "i32[] -> f32[3]", "axis"},
    {ONE_HOT "depth=3 axis=1 " ON_OFF "i32[4] -> f32[3,4]", "result"},
    {ONE_HOT CLASSES ON_OFF "i32[4] -> f32[4]", "result"},
    {ONE_HOT "depth=9223372036854775807 axis=0 " ON_OFF "i32[4] -> f32[3,4]", "result"},
    {ONE_HOT "depth=1 axis=0 " ON_OFF "i32[1,1,1,1,1,1,1,1] -> f32[1,1,1,1,1,1,1,1]", "result"},
    {ONE_HOT CLASSES ON_OFF "i32[4] -> f16[3,4]", "pattern"},
    {ONE_HOT CLASSES "on_value=3f80 off_value=00000000 i32[4] -> f32[3,4]", "pattern"},
    {ONE_HOT CLASSES "on_value=2 off_value=0 i32[4] -> i1[3,4]", "pattern"},
    {ONE_HOT CLASSES "on_value=1 off_value=4 i32[4] -> i2[3,4]", "pattern"},
};

typedef struct family {
  const char *op;
  const violation_row_t *rows;
  size_t count;
} family_t;

static const family_t families[] = {
    {"byteir.arg_max", arg_violations, G_N_ELEMENTS(arg_violations)},
    {"byteir.top_k", top_k_violations, G_N_ELEMENTS(top_k_violations)},
    {"byteir.one_hot", one_hot_violations, G_N_ELEMENTS(one_hot_violations)},
};

static void test_violations(void) {
  for (size_t i = 0; i < G_N_ELEMENTS(families); i++) {
    const family_t *family = &families[i];
    check_violations(check_find_op(family->op), family->rows, family->count, NULL);
  }
}

/* All rows in one table. */
static void test_hostile(void) {
  enum { ROWS_MAX = 128 };
  violation_row_t rows[ROWS_MAX];
  size_t count = 0;
  for (size_t i = 0; i < G_N_ELEMENTS(families); i++) {
    for (size_t row = 0; row < families[i].count; row++) rows[count++] = families[i].rows[row];
  }
  check_hostile(rows, count, 40000);
}

static const char *const op_names[] = {"byteir.arg_max", "byteir.arg_min", "byteir.top_k",
                                       "byteir.one_hot"};

/* ---- Drawing --------------------------------------------------------------------------------- */

/* What a run of drawn programs has to show at least once. */
typedef struct coverage {
  GHashTable *seen; /* Words. */
} coverage_t;

static void see(coverage_t *coverage, bool is_there, const char *word) {
  if (is_there) g_hash_table_add(coverage->seen, g_strdup(word));
}

static void see_element(coverage_t *coverage, const char *role, const element_t *element) {
  g_autofree char *word = g_strdup_printf("%s %s", role, element->name);
  see(coverage, true, word);
}

static void require_seen(const coverage_t *coverage, const char *const *words) {
  for (; *words != NULL; words++) {
    if (!g_hash_table_contains(coverage->seen, *words)) g_error("never drawn: %s", *words);
  }
}

static void visit_arg(const program_t *program, arena_t *arena, void *state) {
  (void)arena;
  coverage_t *coverage = state;
  const byteir_arg_attributes_t *attributes = byteir_arg_attributes(program);
  const type_t *operand = &program->operands[0];
  int64_t size = operand->dims[byteir_arg_axis(program)];
  see_element(coverage, "of", operand->element);
  see_element(coverage, "index", program->results[program->result_count - 1].element);
  see(coverage, attributes->axis < 0, "negative axis");
  see(coverage, byteir_arg_axis(program) + 1 < operand->rank, "inner axis");
  see(coverage, attributes->keep_dims != 0, "keep_dims");
  see(coverage, attributes->select_last_index != 0, "last");
  see(coverage, program->result_count == 2, "values");
  see(coverage, program->result_count == 1, "indices alone");
  see(coverage, type_element_count(operand) == 0, "no rows");
  see(coverage, size == 1, "one element");
  see(coverage, size > 256, "long rows");
}

static void test_drawn_arg(void) {
  static const char *const words[] = {
      "of f16",    "of bf16",   "of f32",   "of f64",    "of i8",         "of i16",
      "of i32",    "of i64",    "of ui8",   "of ui16",   "of ui32",       "of ui64",
      "index i32", "index i64", "index i8", "index ui2", "negative axis", "inner axis",
      "keep_dims", "last",      "values",   "no rows",   "indices alone", "one element",
      "long rows", NULL};
  for (size_t i = 0; i < 2; i++) {
    coverage_t coverage = {g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)};
    check_drawn(check_find_op(op_names[i]), &limits, 4000, visit_arg, &coverage);
    require_seen(&coverage, words);
    g_hash_table_unref(coverage.seen);
  }
}

static void visit_top_k(const program_t *program, arena_t *arena, void *state) {
  (void)arena;
  coverage_t *coverage = state;
  const byteir_top_k_attributes_t *attributes = byteir_top_k_attributes(program);
  const type_t *operand = &program->operands[0];
  int64_t size = operand->dims[byteir_top_k_axis(program)];
  see_element(coverage, "of", operand->element);
  see_element(coverage, "index", program->results[1].element);
  see(coverage, attributes->sorted != 0, "sorted");
  see(coverage, attributes->sorted == 0, "unsorted");
  see(coverage, attributes->axis.dims[0] < 0, "negative axis");
  see(coverage, byteir_top_k_axis(program) + 1 < operand->rank, "inner axis");
  see(coverage, attributes->k == 0, "k = 0");
  see(coverage, attributes->k == 1 && size > 8, "k = 1");
  see(coverage, attributes->k == size && size > 8, "k = size");
  see(coverage, attributes->k + 1 == size && size > 8, "k = size - 1");
  see(coverage, attributes->k > 8 && attributes->k < size / 2, "k between");
}

static void test_drawn_top_k(void) {
  static const char *const words[] = {"of f16",     "of bf16",      "of f32",    "of f64",
                                      "of i8",      "of ui64",      "index i32", "index i64",
                                      "index i16",  "sorted",       "unsorted",  "negative axis",
                                      "inner axis", "k = 0",        "k = 1",     "k = size",
                                      "k between",  "k = size - 1", NULL};
  coverage_t coverage = {g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)};
  check_drawn(check_find_op("byteir.top_k"), &limits, 4000, visit_top_k, &coverage);
  require_seen(&coverage, words);
  g_hash_table_unref(coverage.seen);
}

static void visit_one_hot(const program_t *program, arena_t *arena, void *state) {
  (void)arena;
  coverage_t *coverage = state;
  const byteir_one_hot_attributes_t *attributes = byteir_one_hot_attributes(program);
  const type_t *operand = &program->operands[0];
  const format_t *format = program->results[0].element->format;
  uint64_t on = attributes->on_value.bits, off = attributes->off_value.bits;
  see_element(coverage, "index", operand->element);
  see_element(coverage, "to", program->results[0].element);
  see(coverage, operand->rank == 0, "scalar");
  see(coverage, attributes->depth == 0, "depth = 0");
  see(coverage, attributes->depth == 1, "depth = 1");
  see(coverage, attributes->depth > 256, "many classes");
  see(coverage, attributes->axis < 0, "negative axis");
  see(coverage, byteir_one_hot_axis(program) == 0 && operand->rank > 1, "first");
  see(coverage, byteir_one_hot_axis(program) == operand->rank && operand->rank > 1, "last");
  see(coverage, byteir_one_hot_axis(program) == 1 && operand->rank > 1, "between");
  see(coverage, on == off, "no difference");
  if (format == NULL) return;
  see(coverage, format_is_nan(format, on) || format_is_nan(format, off), "NaN");
  see(coverage, format_is_infinity(format, on) && format_is_infinity(format, off), "infinities");
  see(coverage, format_is_zero(format, on) && format_is_zero(format, off) && on != off, "zeros");
}

static void test_drawn_one_hot(void) {
  static const char *const words[] = {"index i2",      "index i8",      "index i64", "index ui64",
                                      "to f32",        "to i1",         "to i64",    "to ui4",
                                      "to f8E5M2",     "to f8E8M0FNU",  "scalar",    "depth = 0",
                                      "depth = 1",     "first",         "last",      "many classes",
                                      "negative axis", "between",       "NaN",       "zeros",
                                      "infinities",    "no difference", NULL};
  coverage_t coverage = {g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)};
  check_drawn(check_find_op("byteir.one_hot"), &limits, 6000, visit_one_hot, &coverage);
  require_seen(&coverage, words);
  g_hash_table_unref(coverage.seen);
}

static void visit_nothing(const program_t *program, arena_t *arena, void *state) {
  (void)program;
  (void)arena;
  (void)state;
}

/* The smallest limits, and the highest rank. */
static void test_tight_limits(void) {
  const draw_limits_t tight = {.rank_max = 1, .elements_max = 1, .terms_max = 1};
  const draw_limits_t deep = {.rank_max = TYPE_RANK_MAX, .elements_max = 64, .terms_max = 8};
  for (size_t i = 0; i < G_N_ELEMENTS(op_names); i++) {
    check_drawn(check_find_op(op_names[i]), &tight, 500, visit_nothing, NULL);
    check_drawn(check_find_op(op_names[i]), &deep, 500, visit_nothing, NULL);
  }
}

/* ---- Contracts, text and MLIR ---------------------------------------------------------------- */

static void test_sign(void) {
  static const struct {
    const char *line;
    bool is_negative;
  } rows[] = {
      {ARG_MAX "axis=-1 " PLAIN "f32[5,2] -> i64[5]", true},
      {ARG_MIN "axis=1 " PLAIN "f32[5,2] -> i64[5]", false},
      {TOP_K "k=1 axis=[-1] sorted=true f32[3] -> f32[1] i32[1]", true},
      {TOP_K "k=1 axis=[0] sorted=true f32[3] -> f32[1] i32[1]", false},
      {ONE_HOT "depth=3 axis=-1 " ON_OFF "i32[4] -> f32[4,3]", true},
      {ONE_HOT "depth=3 axis=1 " ON_OFF "i32[4] -> f32[4,3]", false},
  };
  contract_t seed = contract_backend(), today = contract_backend();
  PERMITTED(&seed, byteir) = BYTEIR_SEED;
  PERMITTED(&today, byteir) = BYTEIR_TODAY;
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    const char *violation = NULL;
    program_t program = check_parse(rows[i].line, &arena, &violation);
    g_assert_cmpstr(check_broken_under(&program, &seed), ==, NULL);
    g_assert_cmpstr(check_broken_under(&program, &today), ==, rows[i].is_negative ? "sign" : NULL);
  }
  arena_deinit(&arena);
}

#define CALL " = \"stablehlo.custom_call\"(%arg0) {api_version = 1 : i32, backend_config = \"\", "
#define REST ", called_computations = [], has_side_effect = false} : "

static void test_mlir(void) {
  static const struct {
    const char *line;
    const char *call;
  } rows[] = {
      {ARG_MAX "axis=1 " PLAIN "f32[5,2] -> i64[5]",
       CALL "byteir_attrs = {axis = 1 : i64, keep_dims = false, select_last_index = false}, "
            "call_target_name = \"byteir.arg_max\"" REST "(tensor<5x2xf32>) -> tensor<5xi64>"},
      {ARG_MIN "axis=0 keep_dims=true select_last_index=true i32[5,2] -> i32[1,2] i64[1,2]",
       CALL "byteir_attrs = {axis = 0 : i64, keep_dims = true, select_last_index = true}, "
            "call_target_name = \"byteir.arg_min\"" REST
            "(tensor<5x2xi32>) -> (tensor<1x2xi32>, tensor<1x2xi64>)"},
      {TOP_K "k=2 axis=[1] sorted=false bf16[3,8] -> bf16[3,2] i32[3,2]",
       CALL "byteir_attrs = {axis = [1], k = 2 : i64, sorted = false}, "
            "call_target_name = \"byteir.top_k\"" REST
            "(tensor<3x8xbf16>) -> (tensor<3x2xbf16>, tensor<3x2xi32>)"},
      {ONE_HOT CLASSES ON_OFF "i32[4] -> f32[3,4]",
       CALL "byteir_attrs = {axis = 0 : i64, depth = 3 : i64, off_value = 0x00000000 : f32, "
            "on_value = 0x3F800000 : f32}, call_target_name = \"byteir.one_hot\"" REST
            "(tensor<4xi32>) -> tensor<3x4xf32>"},
      {ONE_HOT "depth=2 axis=0 on_value=1 off_value=0 i64[] -> i1[2]",
       CALL "byteir_attrs = {axis = 0 : i64, depth = 2 : i64, off_value = false, on_value = true}, "
            "call_target_name = \"byteir.one_hot\"" REST "(tensor<i64>) -> tensor<2xi1>"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *text = check_text(rows[i].line, op_find(str_from("byteir.top_k"))->print_mlir);
    if (strstr(text, rows[i].call) == NULL) g_error("no line %s in\n%s", rows[i].call, text);
  }
}

static void test_words(void) {
  static const struct {
    const char *line;
    const char *algorithm;
    const char *words;
  } rows[] = {
      {ARG_MAX "axis=-1 " PLAIN "f32[5,2] -> i64[5]", "first",
       "finds the largest element in each row of f32[5,2] along dimension 1, of equal ones the "
       "first: its index"},
      {ARG_MIN "axis=0 keep_dims=true select_last_index=true i8[5,2] -> i8[1,2] i64[1,2]", "last",
       "finds the smallest element in each row of i8[5,2] along dimension 0, of equal ones the "
       "last: it and its index"},
      {ARG_MAX "axis=0 " PLAIN "f32[0] -> i64[]", "first",
       "is not modelled: Assay has no oracle for such a byteir.arg_max"},
      {TOP_K "k=2 axis=[1] sorted=false bf16[3,8] -> bf16[3,2] i32[3,2]", "unsorted",
       "finds the 2 largest elements in each row of bf16[3,8] along dimension 1 and their indices, "
       "in any order"},
      {TOP_K "k=3 axis=[0] sorted=true i8[3] -> i8[3] i32[3]", "sorted",
       "finds the 3 largest elements in each row of i8[3] along dimension 0 and their indices, in "
       "descending order"},
      {TOP_K "k=4 axis=[0] sorted=true i8[3] -> i8[4] i32[4]", "sorted",
       "is no byteir.top_k: it breaks k"},
      {ONE_HOT "depth=3 axis=-1 " ON_OFF "i32[4] -> f32[4,3]", "one_hot",
       "spreads i32[4] over 3 classes along dimension 1: 3f800000 where the class is the index, "
       "else 00000000"},
      {ONE_HOT "depth=-3 axis=-1 " ON_OFF "i32[4] -> f32[4,3]", "one_hot",
       "is no byteir.one_hot: it breaks depth"},
  };
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    const char *violation = NULL;
    const op_t *op = check_parse(rows[i].line, &arena, &violation).op;
    g_autofree char *words = check_text(rows[i].line, program_print_words);
    g_autofree char *algorithm = check_text(rows[i].line, op->print_algorithm);
    g_assert_cmpstr(words, ==, rows[i].words);
    g_assert_cmpstr(algorithm, ==, rows[i].algorithm);
  }
  arena_deinit(&arena);
}

static void test_reduced_dimensions(void) {
  arena_t arena;
  arena_init(&arena);
  const char *violation = NULL;
  program_t arg = check_parse(ARG_MAX "axis=-2 " PLAIN "f32[5,2] -> i64[2]", &arena, &violation);
  g_assert_cmphex(arg.op->reduced_dimensions(&arg, 0), ==, 1);
  program_t top =
      check_parse(TOP_K "k=1 axis=[1] sorted=true i8[3,3] -> i8[3,1] i8[3,1]", &arena, &violation);
  g_assert_cmphex(top.op->reduced_dimensions(&top, 0), ==, 2);
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/byteir_positions/violations", test_violations);
  g_test_add_func("/byteir_positions/hostile", test_hostile);
  g_test_add_func("/byteir_positions/drawn_arg", test_drawn_arg);
  g_test_add_func("/byteir_positions/drawn_top_k", test_drawn_top_k);
  g_test_add_func("/byteir_positions/drawn_one_hot", test_drawn_one_hot);
  g_test_add_func("/byteir_positions/tight_limits", test_tight_limits);
  g_test_add_func("/byteir_positions/sign", test_sign);
  g_test_add_func("/byteir_positions/mlir", test_mlir);
  g_test_add_func("/byteir_positions/words", test_words);
  g_test_add_func("/byteir_positions/reduced_dimensions", test_reduced_dimensions);
  return g_test_run();
}
