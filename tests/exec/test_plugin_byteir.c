/* SPDX-License-Identifier: Apache-2.0 */
/* ByteIR's ops in the plugins: results that are exact whatever the formula, what is refused, and
 * what is rejected because it breaks a rule. */
#include <math.h>

#include "tests/exec/plugin_checks.h"

/* ---- Worked by hand. */

typedef struct case_row {
  const char *line;
  double expected[4];
} case_row_t;

static const case_row_t case_rows[] = {
    /* Equal numbers have equal shares. */
    {"byteir.softmax axis=1 f32[2,2] -> f32[2,2] : 3f8000003f800000c2c80000c2c80000",
     {0.5, 0.5, 0.5, 0.5}},
    /* Along the first dimension, [0, -inf] and [-inf, 0]. */
    {"byteir.softmax axis=0 f32[2,2] -> f32[2,2] : 00000000ff800000ff80000000000000", {1, 0, 0, 1}},
    {"byteir.softmax axis=0 bf16[2] -> bf16[2] : 42c842c8", {0.5, 0.5}},
    /* Two numbers, of which one has the whole share. */
    {"byteir.log_softmax axis=1 f32[2,2] -> f32[2,2] : 40a00000c47b0000c47a000040c00000",
     {0, -1009, -1006, 0}},
    {"byteir.gelu approximate=erf f32[2,2] -> f32[2,2] : 00000000410000004120000041a00000",
     {0, 8, 10, 20}},
    {"byteir.gelu approximate=none f32[2] -> f32[2] : 0000000041000000", {0, 8}},
    {"byteir.gelu approximate=tanh f32[2] -> f32[2] : 0000000041000000", {0, 8}},
    {"byteir.gelu approximate=tanh bf16[2] -> bf16[2] : 00004100", {0, 8}},
    /* Rows [-1, 1] and [-2, 2] of mean 0, weights 2 and 3, biases 5 and 7. */
    {"byteir.layer_norm epsilon=0x0p+0 axis=[1] f32[2,2] f32[2] f32[2] -> f32[2,2] : "
     "bf8000003f800000c000000040000000 : 4000000040400000 : 40a0000040e00000",
     {3, 10, 3, 10}},
    {"byteir.layer_norm epsilon=0x0p+0 axis=[0,1] f32[1,2] f32[1,2] f32[1,2] -> f32[1,2] : "
     "bf8000003f800000 : 4000000040400000 : 40a0000040e00000",
     {3, 10}},
    {"byteir.layer_norm epsilon=0x0p+0 axis=[1] bf16[2,2] bf16[2] bf16[2] -> bf16[2,2] : "
     "bf803f80c0004000 : 40004040 : 40a040e0",
     {3, 10, 3, 10}},
    /* Coordinates -0.25, 0.25, 0.75 and 1.25 of [0, 4]. */
    {"byteir.resize target_mode=size mode=linear coordinate_transformation_mode=half_pixel "
     "f32[1,1,2] i64[3] -> f32[1,1,4] : 0000000040800000 : "
     "000000000000000100000000000000010000000000000004",
     {0, 1, 3, 4}},
    {"byteir.resize target_mode=size mode=linear coordinate_transformation_mode=half_pixel "
     "f32[2] i64[1] -> f32[1] : 0000000040800000 : 0000000000000001",
     {2}},
    /* (q - 3) / 2, and with a zero point beyond the range of i8. */
    {"byteir.dequantize i8[2,2] f32[] i8[] -> f32[2,2] : 05017f80 : 3f000000 : 03",
     {1, -1, 62, -65.5}},
    {"byteir.dequantize ui8[2] f32[] ui8[] -> f32[2] : ff00 : 3f000000 : c8", {27.5, -100}},
};

/* Whether the op of a line has a row here. */
static bool has_op(const char *line) {
  const char *end = strchr(line, ' ');
  return op_find((str_t){.data = line, .size = (size_t)(end - line)}) != NULL;
}

static void test_case(gconstpointer data) {
  const case_row_t *row = data;
  executor_t *executor = check_open_plugin("onednn");
  if (executor == NULL) return;
  arena_t arena;
  arena_init(&arena);
  case_t instance;
  g_assert_cmpint(case_parse(str_from(row->line), &arena, &instance, NULL, NULL), ==, STATUS_OK);
  executor_program_t *compiled = NULL;
  char reason[256] = "";
  if (executor_compile(executor, &instance.program, &compiled, reason, sizeof reason) !=
      EXECUTOR_OK) {
    g_error("%s: %s", row->line, reason);
  }
  g_assert_cmpint(executor_promises(executor, &instance.program), ==, EXECUTOR_PROMISE_YES);
  tensor_t result = tensor_make(&arena, &instance.program.results[0]);
  execution_t execution = executor_execute(executor, compiled, instance.operands, POISON, &result);
  g_assert_cmpint(execution.outcome, ==, EXECUTOR_OK);
  for (size_t i = 0; i < type_component_count(&result.type); i++) {
    /* In steps of 2^-16: oneDNN's logarithm of 1 is 1.4e-6. */
    g_assert_cmpfloat(rint(ldexp(check_load(&result, i), 16)), ==, ldexp(row->expected[i], 16));
  }
  arena_deinit(&arena);
  executor_close(executor);
}

/* ---- Programs that must not be run. */

typedef struct program_row {
  const char *line;
  executor_outcome_t outcome;
  const char *reason;
} program_row_t;

static const program_row_t program_rows[] = {
    {"byteir.softmax axis=0 f64[2] -> f64[2]", EXECUTOR_REFUSED, "no primitive here for f64"},
    {"byteir.softmax axis=0 f16[2] -> f16[2]", EXECUTOR_REFUSED, "no primitive here for f16"},
    {"byteir.softmax axis=0 f32[0] -> f32[0]", EXECUTOR_REFUSED, "nothing of no numbers"},
    {"byteir.softmax axis=-1 f32[2] -> f32[2]", EXECUTOR_REFUSED, "axes are not negative"},
    {"byteir.softmax axis=2 f32[2,2] -> f32[2,2]", EXECUTOR_REJECTED, "broken axis"},
    {"byteir.softmax axis=-3 f32[2,2] -> f32[2,2]", EXECUTOR_REJECTED, "broken axis"},
    {"byteir.softmax axis=0 f32[2] -> f32[3]", EXECUTOR_REJECTED, "broken result"},
    {"byteir.softmax axis=0 f32[2] -> f64[2]", EXECUTOR_REJECTED, "broken result"},
    {"byteir.softmax axis=0 i32[2] -> i32[2]", EXECUTOR_REJECTED, "broken types"},
    {"byteir.softmax axis=0 f32[2] f32[2] -> f32[2]", EXECUTOR_REJECTED, "broken count"},
    {"byteir.erf f32[2] -> f32[2]", EXECUTOR_REFUSED, "no byteir.erf here"},
    {"byteir.layer_norm epsilon=0x0p+0 axis=[0] f32[2,3] f32[2] f32[2] -> f32[2,3]",
     EXECUTOR_REFUSED, "normalizes the last dimensions only"},
    {"byteir.layer_norm epsilon=0x0p+0 axis=[1] eps_outside_sqrt=true f32[2,3] f32[3] f32[3] -> "
     "f32[2,3]",
     EXECUTOR_REFUSED, "no epsilon outside the root"},
    {"byteir.layer_norm epsilon=0x0p+0 axis=[1] f32[2,3] f32[3] f32[3] -> f32[2,3] f32[2,1] "
     "f32[2,1]",
     EXECUTOR_REFUSED, "no inverse deviation"},
    {"byteir.layer_norm epsilon=0x0p+0 axis=[1] f32[2,3] f32[2] f32[3] -> f32[2,3]",
     EXECUTOR_REJECTED, "weight and bias have the dimensions of the axes"},
    {"byteir.layer_norm epsilon=0x0p+0 axis=[1,1] f32[2,3] f32[3,3] f32[3,3] -> f32[2,3]",
     EXECUTOR_REJECTED, "broken axis"},
    {"byteir.resize target_mode=size mode=nearest coordinate_transformation_mode=half_pixel "
     "f32[2] i64[1] -> f32[4]",
     EXECUTOR_REFUSED, "nearest rounds down in ByteIR only"},
    {"byteir.resize target_mode=size mode=linear coordinate_transformation_mode=align_corners "
     "f32[2] i64[1] -> f32[4]",
     EXECUTOR_REFUSED, "knows half_pixel only"},
    {"byteir.resize target_mode=size mode=linear "
     "coordinate_transformation_mode=pytorch_half_pixel f32[2] i64[1] -> f32[1]",
     EXECUTOR_REFUSED, "no other rule for a size of 1"},
    {"byteir.resize target_mode=size mode=linear coordinate_transformation_mode=half_pixel "
     "f32[2,2,2,2] i64[4] -> f32[4,2,2,2]",
     EXECUTOR_REFUSED, "one to three dimensions"},
    {"byteir.resize target_mode=size mode=linear coordinate_transformation_mode=half_pixel "
     "i8[2] i64[1] -> i8[4]",
     EXECUTOR_REFUSED, "of integers is not asked for"},
    {"byteir.resize target_mode=scale mode=linear coordinate_transformation_mode=half_pixel "
     "f32[2] i64[1] -> f32[4]",
     EXECUTOR_REJECTED, "f32 scales"},
    {"byteir.resize target_mode=size mode=linear coordinate_transformation_mode=half_pixel "
     "f32[2] i64[2] -> f32[4]",
     EXECUTOR_REJECTED, "a number for each dimension"},
    {"byteir.quantize f32[2] f32[] i8[] -> i8[2]", EXECUTOR_REFUSED, "no byteir.quantize here"},
    {"byteir.dequantize axis=0 i8[2] f32[2] i8[2] -> f32[2]", EXECUTOR_REFUSED,
     "no zero point for each channel"},
    {"byteir.dequantize i16[2] f32[] i16[] -> f32[2]", EXECUTOR_REFUSED, "dequantizes i8 or ui8"},
    {"byteir.dequantize i8[2] f32[] ui8[] -> f32[2]", EXECUTOR_REJECTED, "broken types"},
    {"byteir.dequantize i8[2] f32[2] i8[2] -> f32[2]", EXECUTOR_REJECTED, "broken axis"},
    {"byteir.dequantize i8[2] f32[] i8[] -> f32[3]", EXECUTOR_REJECTED, "broken result"},
};

static void test_refusal(gconstpointer data) {
  const program_row_t *row = data;
  executor_t *executor = check_open_plugin("onednn");
  if (executor == NULL) return;
  arena_t arena;
  arena_init(&arena);
  program_t program = check_parse_program(row->line, &arena);
  executor_program_t *compiled = NULL;
  char reason[256] = "";
  g_assert_cmpint(executor_compile(executor, &program, &compiled, reason, sizeof reason), ==,
                  row->outcome);
  check_text_contains(reason, row->reason);
  g_assert_cmpint(executor_promises(executor, &program), ==, EXECUTOR_PROMISE_NO);
  arena_deinit(&arena);
  executor_close(executor);
}

static void add_rows(const char *folder, const void *rows, size_t count, size_t row_bytes,
                     GTestDataFunc function) {
  for (size_t i = 0; i < count; i++) {
    const char *row = (const char *)rows + i * row_bytes;
    const char *line = *(const char *const *)row;
    if (!has_op(line)) continue;
    g_autofree char *name = g_strndup(line, strcspn(line, " "));
    g_autofree char *path = g_strdup_printf("/plugin_byteir/%s/%zu_%s", folder, i, name);
    g_test_add_data_func(path, row, function);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  add_rows("case", case_rows, G_N_ELEMENTS(case_rows), sizeof case_rows[0], test_case);
  add_rows("refusal", program_rows, G_N_ELEMENTS(program_rows), sizeof program_rows[0],
           test_refusal);
  return g_test_run();
}
