/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the builtin executors, and what they answer behind the public ABI. */
#include "harness/builtin/builtin.h"
#include "harness/model/fault.h"

#include <string.h>

#include "harness/base/text.h"

static const struct {
  const char *name;
  implementation_model_t schedule;
} good_names[] = {
    {"model:sequential", {.init_count = 1}},
    {"model:reverse", {.order.kind = SUM_REVERSE, .init_count = 1}},
    {"model:pairwise+fma", {.order.kind = SUM_HALVES, .fused = true, .init_count = 1}},
    {"model:blocked32", {.order.kind = SUM_BLOCKS, .order.width = 32, .init_count = 1}},
    {"model:lanes8+acc=f64",
     {.order.kind = SUM_LANES,
      .order.width = 8,
      .accumulator = &format_table[FORMAT_f64],
      .init_count = 1}},
    {"model:random+seed=7+init=0", {.order.kind = SUM_RANDOM, .seed = 7, .init_count = 0}},
    {"model:shuffled+init=2", {.order.kind = SUM_SHUFFLED, .init_count = 2}},
    {"canary:init_twice", {.fault = FAULT_init_twice, .init_count = 1}},
    {"canary:drop_nan+lanes4+fma",
     {.fault = FAULT_drop_nan,
      .order.kind = SUM_LANES,
      .order.width = 4,
      .fused = true,
      .init_count = 1}},
    {"model:random+algorithm=BF16_BF16_F32_X6+split=truncate+by-term",
     {.order.kind = SUM_RANDOM,
      .init_count = 1,
      .algorithm = "BF16_BF16_F32_X6",
      .split = SPLIT_TRUNCATE,
      .assembly = ASSEMBLY_BY_TERM}},
    {"model:sequential+split=nearest-away+aligned=14",
     {.init_count = 1, .split = SPLIT_NEAREST_AWAY, .aligned_bits = 14}},
};

static void test_good_names(void) {
  for (size_t i = 0; i < G_N_ELEMENTS(good_names); i++) {
    const implementation_model_t *expected = &good_names[i].schedule;
    implementation_model_t got;
    failure_t error = {0};
    arena_t arena;
    arena_init(&arena);
    g_assert_cmpint(builtin_parse(good_names[i].name, &arena, &got, &error), ==, STATUS_OK);
    g_assert_cmpint(got.order.kind, ==, expected->order.kind);
    g_assert_cmpuint(got.order.width, ==, expected->order.width);
    g_assert_cmpuint(got.seed, ==, expected->seed);
    g_assert_cmpint(got.fused, ==, expected->fused);
    g_assert_true(got.accumulator == expected->accumulator);
    g_assert_cmpuint(got.init_count, ==, expected->init_count);
    g_assert_cmpint(got.fault, ==, expected->fault);
    g_assert_cmpstr(got.algorithm, ==, expected->algorithm);
    g_assert_cmpint(got.split, ==, expected->split);
    g_assert_cmpint(got.assembly, ==, expected->assembly);
    g_assert_cmpuint(got.aligned_bits, ==, expected->aligned_bits);
    arena_deinit(&arena);
  }
}

static const struct {
  const char *name;
  const char *said; /* Part of the message. */
} bad_names[] = {
    {"model:", "sequential"},
    {"model:sequentiall", "\"+\""},
    {"model:lanes", "an integer"},
    {"model:lanes0", "1..1048576"},
    {"model:lanes1048577", "1..1048576"},
    {"model:lanes8(sequential)", "\",\""},
    {"model:lanes8(sequential,lanes)", "an integer"},
    {"model:blocks8", "\"(\""},
    {"model:lanes8(sequential,folded)", "interleaved"},
    {"model:tail8(ways4)", "more than two items"},
    {"model:lanes08", "leading zeros"},
    {"model:fma", "blockedW"},
    {"model:pairwise+", "after a '+'"},
    {"model:pairwise+seed=-1", "0..9223372036854775807"},
    {"model:pairwise+acc=f33", "\"f33\""},
    {"model:pairwise+init=70000", "0..65536"},
    {"model:pairwise fma", "\"+\""},
    {"model:pairwise+algorithm=X3", "no algorithm is called \"X3\""},
    {"model:pairwise+algorithm=[bf16,bf16,f32,9,9,81,false]", "by its members"},
    {"model:pairwise+high_precision=bf17", "the value is one of f32|bf16_x9"},
    {"model:pairwise+high_precision=bf16,fma=no", "high_precision is one word"},
    {"model:pairwise+split=up", "nearest-away or truncate-away"},
    {"model:pairwise+aligned=9", "10..24"},
    {"canary:", "drop_last_term"},
    {"canary:NONE", "\"NONE\""},
    {"canary:drop_nann", "\"drop_nann\""},
    {"openblas", "model:NAME"},
};

static void test_bad_names(void) {
  for (size_t i = 0; i < G_N_ELEMENTS(bad_names); i++) {
    implementation_model_t schedule;
    failure_t error = {0};
    arena_t arena;
    arena_init(&arena);
    g_assert_cmpint(builtin_parse(bad_names[i].name, &arena, &schedule, &error), ==,
                    STATUS_INVALID);
    arena_deinit(&arena);
    if (strstr(error.text, bad_names[i].said) == NULL) g_test_message("%s", error.text);
    g_assert_nonnull(strstr(error.text, bad_names[i].said));
  }
  g_assert_null(builtin_find("openblas"));
  g_assert_null(builtin_find("models:pairwise"));
}

/* Every listed name can be opened; every fault is listed. */
static void test_list(void) {
  GString *text = g_string_new(NULL);
  builtin_list(text);
  char **names = g_strsplit(text->str, "\n", -1);
  size_t models = 0;
  size_t canaries = 0;
  for (char **name = names; **name != '\0'; name++) {
    const assay_executor_t *table = builtin_find(*name);
    g_assert_nonnull(table);
    void *self = NULL;
    g_assert_cmpint(table->open(*name, &self, NULL), ==, ASSAY_EXECUTOR_OK);
    g_assert_cmpstr(table->name(self), ==, *name);
    table->close(self);
    models += g_str_has_prefix(*name, "model:") ? 1 : 0;
    canaries += g_str_has_prefix(*name, "canary:") ? 1 : 0;
  }
  g_assert_cmpuint(models, >=, 14);
  g_assert_cmpuint(canaries, ==, fault_count());
  g_strfreev(names);
  g_string_free(text, TRUE);
}

static const struct {
  const char *line;
  int32_t answer;
  const char *said;
} programs[] = {
    {"stablehlo.reduce body=add dims=[0] f32[4] f32[] -> f32[]", ASSAY_EXECUTOR_OK, ""},
    {"stablehlo.reduce body=add dims=[1] f32[4] f32[] -> f32[]", ASSAY_EXECUTOR_INVALID, "C4"},
    {"stablehlo.reduce body=add dims=[0] f8E8M0FNU[4] f8E8M0FNU[] -> f8E8M0FNU[]",
     ASSAY_EXECUTOR_UNSUPPORTED, "f8E8M0FNU"},
    {"stablehlo.reduce body", ASSAY_EXECUTOR_INVALID, "column"},
};

static void test_compile(void) {
  const assay_executor_t *table = builtin_find("model:pairwise");
  void *self = NULL;
  g_assert_cmpint(table->open("model:pairwise", &self, NULL), ==, ASSAY_EXECUTOR_OK);
  for (size_t i = 0; i < G_N_ELEMENTS(programs); i++) {
    const assay_program_t program = {.struct_size = sizeof program,
                                     .program_line = programs[i].line};
    char text[256] = "";
    assay_reason_t reason = {.text = text, .text_bytes = sizeof text};
    void *handle = NULL;
    g_assert_cmpint(table->compile(self, &program, &handle, &reason), ==, programs[i].answer);
    if (strstr(text, programs[i].said) == NULL) g_test_message("%s", text);
    g_assert_nonnull(strstr(text, programs[i].said));
    if (handle != NULL) table->release(self, handle);
  }
  table->close(self);
}

static void test_open_explains(void) {
  const assay_executor_t *table = builtin_find("model:x");
  char text[32] = "";
  assay_reason_t reason = {.text = text, .text_bytes = sizeof text};
  void *self = NULL;
  g_assert_cmpint(table->open("model:x", &self, &reason), ==, ASSAY_EXECUTOR_INVALID);
  g_assert_cmpuint(strlen(text), ==, sizeof text - 1); /* Cut, and ended. */
  g_assert_null(self);
}

static void test_execute(void) {
  const assay_executor_t *table = builtin_find("canary:drop_last_term+reverse");
  void *self = NULL;
  g_assert_cmpint(table->open("canary:drop_last_term+reverse", &self, NULL), ==, ASSAY_EXECUTOR_OK);
  const assay_program_t program = {
      .struct_size = sizeof program,
      .program_line = "stablehlo.reduce body=add dims=[0] f32[4] f32[] -> f32[]"};
  void *handle = NULL;
  g_assert_cmpint(table->compile(self, &program, &handle, NULL), ==, ASSAY_EXECUTOR_OK);
  for (int i = 0; i < 3; i++) {
    float input[] = {1, 2, 4, 8};
    float init[] = {(float)i};
    float result = -1;
    const void *operands[] = {input, init};
    void *results[] = {&result};
    g_assert_cmpint(table->execute(self, handle, operands, results, NULL), ==, ASSAY_EXECUTOR_OK);
    g_assert_cmpfloat(result, ==, (float)(7 + i));
  }
  table->release(self, handle);
  table->close(self);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/builtin/good_names", test_good_names);
  g_test_add_func("/builtin/bad_names", test_bad_names);
  g_test_add_func("/builtin/list", test_list);
  g_test_add_func("/builtin/compile", test_compile);
  g_test_add_func("/builtin/open_explains", test_open_explains);
  g_test_add_func("/builtin/execute", test_execute);
  return g_test_run();
}
