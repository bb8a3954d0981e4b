/* SPDX-License-Identifier: Apache-2.0 */
/* Quantized operands and results of declared ops (oracles/theory.md, T202): the sets of built-in
 * ops once more, stored integers against plain C, and what is drawn. */
#include <math.h>

#include "harness/draw/draw_quantization.h"
#include "tests/ops/declared/declared_file.h"

#define HEAD "op a.b\nsummary s\n"

/* Like `first`, with a scale and a zero point of its own. */
static type_t draw_like(rng_t *rng, const type_t *first, arena_t *arena) {
  type_t type = *first;
  quantization_t *made = ARENA_NEW_ARRAY(arena, quantization_t, 1);
  *made = *first->quantization;
  double *scale = ARENA_NEW_ARRAY(arena, double, 1);
  int64_t *zero_point = ARENA_NEW_ARRAY(arena, int64_t, 1);
  *scale = made->scales[0];
  if (!rng_one_in(rng, 3)) *scale = ldexp(*scale, (int)rng_between(rng, -2, 2));
  if (rng_one_in(rng, 3)) *scale = draw_scale(rng, made->expressed->format);
  *scale = format_round_double(made->expressed->format, *scale);
  if (!(*scale > 0 && isfinite(*scale))) *scale = 1;
  *zero_point = rng_between(rng, made->storage_min, made->storage_max);
  made->scales = scale;
  made->zero_points = zero_point;
  type.quantization = made;
  return type;
}

static type_t draw_quantized(rng_t *rng, const char *expressed, int64_t count, arena_t *arena) {
  type_t type = type_make(element_named("i8"), 1, &count);
  draw_quantization(rng, arena, element_named(expressed), -1, false, &type);
  return type;
}

/* What one op takes of all patterns of 8 bits, in the order of the integers: the first and the
 * last, and how many. */
typedef struct taken {
  int first, last, count;
} taken_t;

static taken_t find_taken(question_t *question, size_t i) {
  taken_t taken = {.first = 128, .last = -129, .count = 0};
  for (int stored = -128; stored < 128; stored++) {
    const element_t *element = question->instance->program.results[0].element;
    if (!is_taken(question, 0, i, (uint64_t)stored & element_mask(element))) continue;
    taken.first = MIN(taken.first, stored);
    taken.last = MAX(taken.last, stored);
    taken.count++;
  }
  return taken;
}

/* The declared op takes the hull of what the built-in one takes; counts where that is more. */
static void compare_sets(const case_t *instance, const case_t *other, const char *contract,
                         arena_t *arena, int *inout_wider) {
  g_assert_cmpstr(program_broken_id(&instance->program), ==, NULL);
  g_assert_cmpstr(program_broken_id(&other->program), ==, NULL);
  question_t question = ask(instance, contract, arena), asked = ask(other, contract, arena);
  size_t count = type_component_count(&instance->program.results[0]);
  for (size_t i = 0; i < count; i++) {
    const taken_t is = find_taken(&question, i), wanted = find_taken(&asked, i);
    bool is_same = is.first == wanted.first && is.last == wanted.last;
    if (!is_same || is.count != is.last - is.first + 1) {
      g_autoptr(GString) line = g_string_new(NULL);
      case_print(instance, line);
      g_error("%s, element %zu: %d .. %d, the built-in op: %d .. %d\n%s", contract, i, is.first,
              is.last, wanted.first, wanted.last, line->str);
    }
    *inout_wider += is.count != wanted.count;
  }
  end(&question);
  end(&asked);
}

static void fill_floats(rng_t *rng, const tensor_t *tensor, double scale) {
  const element_t *element = tensor->type.element;
  for (size_t i = 0; i < type_component_count(&tensor->type); i++) {
    double value = scale * (double)rng_between(rng, -600, 600) / (rng_one_in(rng, 2) ? 2 : 3);
    if (rng_one_in(rng, 8)) value = scale * ((double)rng_between(rng, -130, 130) + 0.5);
    uint64_t bits = format_from_double(element->format, value);
    if (rng_one_in(rng, 30)) bits = rng_bits(rng) & element_mask(element);
    element_store(element, tensor->data, i, bits);
  }
}

/* ---- Built-in ops ---------------------------------------------------------------------------- */

/* Of the built-in ops' formula: integer arithmetic is another file. */
static const char *const contracts[] = {"spec,quantized=dequantize", "backend,quantized=dequantize",
                                        "ftz=both,fma=yes,quantized=dequantize",
                                        "intermediate=native,quantized=dequantize",
                                        "wide,quantized=dequantize"};

/* Ways of the last step (theory.md, T294). */
static const char *const last_steps[] = {
    "spec,quantized=dequantize,quantize_zero_point=either",
    "wide,fma=no,quantized=dequantize,quantize_ties=away",
    "spec,quantized=dequantize,quantize=reciprocal,quantize_ties=either",
    "spec,quantized=dequantize,quantize_zero_point=either,quantize_quotient=wider"};

typedef struct twin {
  const char *builtin;
  const char *step; /* The same in a file. */
  const char *expressed;
} twin_t;

static const twin_t twins[] = {
    {"stablehlo.add", "y = a + b", "f32"},         {"stablehlo.add", "y = a + b", "f16"},
    {"stablehlo.add", "y = a + b", "bf16"},        {"stablehlo.subtract", "y = a - b", "f32"},
    {"stablehlo.multiply", "y = a * b", "f32"},    {"stablehlo.multiply", "y = a * b", "f16"},
    {"stablehlo.maximum", "y = max(a, b)", "f32"},
};

/* Under all of some contracts, one after the other. */
static void compare_twin(const twin_t *twin, const char *const under[], size_t under_count) {
  enum { CASES = 40, COUNT = 6 };
  g_autofree char *text = g_strdup_printf(HEAD
                                          "operand a[N] quantized i8\noperand b[N] quantized i8\n"
                                          "result y[N] quantized i8\n%s\n",
                                          twin->step);
  declaration_t *declaration = declare(text);
  rng_t rng = rng_make(g_str_hash(twin->builtin));
  int wider = 0;
  arena_t arena;
  arena_init(&arena);
  for (size_t n = 0; n < CASES; n++) {
    const type_t first = draw_quantized(&rng, twin->expressed, COUNT, &arena);
    program_t program = {.op = &declaration->op, .operand_count = 2, .result_count = 1};
    program.operands[0] = first;
    program.operands[1] = draw_like(&rng, &first, &arena);
    program.results[0] = draw_like(&rng, &first, &arena);
    case_t instance = case_make(&arena, &program);
    draw_stored(&rng, &instance.operands[0]);
    draw_stored(&rng, &instance.operands[1]);
    case_t other = instance;
    other.program.op = op_find(str_from(twin->builtin));
    compare_sets(&instance, &other, under[n % under_count], &arena, &wider);
    arena_reset(&arena);
  }
  g_assert_cmpint(wider, <, CASES * COUNT / 50); /* Of overflows, finite or not. */
  arena_deinit(&arena);
  release(declaration);
}

static void test_twin(gconstpointer data) {
  const twin_t *twin = data;
  compare_twin(twin, contracts, G_N_ELEMENTS(contracts));
  compare_twin(twin, last_steps, G_N_ELEMENTS(last_steps));
}

static const char *const of_quantize[] = {"spec",
                                          "quantize=reciprocal",
                                          "quantize_ties=away",
                                          "backend",
                                          "quantize=reciprocal,quantize_ties=either",
                                          "quantize_zero_point=either"};

/* stablehlo.uniform_quantize, per channel too, in the ways that libraries take. */
static void test_quantize(gconstpointer data) {
  enum { CASES = 60, ROWS = 3, COLUMNS = 2 };
  const char *expressed = data;
  declaration_t *declaration =
      declare(HEAD "operand x[M, N]\nresult y[M, N] quantized i8 by N\ny = x\n");
  rng_t rng = rng_make(5);
  int wider = 0;
  arena_t arena;
  arena_init(&arena);
  for (int n = 0; n < CASES; n++) {
    const int64_t dims[] = {ROWS, COLUMNS};
    program_t program = {.op = &declaration->op, .operand_count = 1, .result_count = 1};
    program.operands[0] = type_make(element_named(expressed), 2, dims);
    program.results[0] = type_make(element_named("i8"), 2, dims);
    draw_quantization(&rng, &arena, element_named(expressed), 1, false, &program.results[0]);
    case_t instance = case_make(&arena, &program);
    fill_floats(&rng, &instance.operands[0], program.results[0].quantization->scales[0]);
    case_t other = instance;
    other.program.op = op_find(str_from("stablehlo.uniform_quantize"));
    const char *contract = of_quantize[n % (int)G_N_ELEMENTS(of_quantize)];
    compare_sets(&instance, &other, contract, &arena, &wider);
    arena_reset(&arena);
  }
  g_assert_cmpint(wider, <, CASES * ROWS * COLUMNS / 50); /* Where an inverse overflows. */
  arena_deinit(&arena);
  release(declaration);
}

/* The same as a step, with scales and zero points that are operands (T204). */
static void test_step(gconstpointer data) {
  enum { CASES = 60, ROWS = 3, COLUMNS = 2 };
  const element_t *expressed = element_named(data), *i32 = element_named("i32");
  declaration_t *declaration =
      declare(HEAD
              "operand x[M, N]\noperand s[N]\noperand z[N] i32\nresult y[M, N] i32\n"
              "y = quantize(x, i8, s, z)\n");
  rng_t rng = rng_make(6);
  int wider = 0;
  arena_t arena;
  arena_init(&arena);
  for (int n = 0; n < CASES; n++) {
    const int64_t dims[] = {ROWS, COLUMNS}, columns[] = {COLUMNS};
    program_t program = {.op = &declaration->op, .operand_count = 3, .result_count = 1};
    program.operands[0] = type_make(expressed, 2, dims);
    program.operands[1] = type_make(expressed, 1, columns);
    program.operands[2] = type_make(i32, 1, columns);
    program.results[0] = type_make(i32, 2, dims);
    const case_t instance = case_make(&arena, &program);
    program_t builtin = {.op = op_find(str_from("stablehlo.uniform_quantize")),
                         .operand_count = 1,
                         .result_count = 1,
                         .operands = {program.operands[0]}};
    builtin.results[0] = type_make(element_named("i8"), 2, dims);
    draw_quantization(&rng, &arena, expressed, 1, false, &builtin.results[0]);
    const quantization_t *quantization = builtin.results[0].quantization;
    bool is_whole = quantization->storage_min == -128 && quantization->storage_max == 127;
    for (size_t i = 0; i < COLUMNS; i++) {
      element_store(expressed, instance.operands[1].data, i,
                    format_from_double(expressed->format, quantization->scales[i]));
      element_store(i32, instance.operands[2].data, i,
                    (uint64_t)quantization->zero_points[i] & element_mask(i32));
    }
    fill_floats(&rng, &instance.operands[0], quantization->scales[0]);
    const case_t other = {.program = builtin, .operands = {instance.operands[0]}};
    const char *contract = of_quantize[n % (int)G_N_ELEMENTS(of_quantize)];
    if (is_whole) compare_sets(&instance, &other, contract, &arena, &wider);
    arena_reset(&arena);
  }
  g_assert_cmpint(wider, <, CASES * ROWS * COLUMNS / 50); /* Where an inverse overflows. */
  arena_deinit(&arena);
  release(declaration);
}

/* ---- Integers -------------------------------------------------------------------------------- */

static int64_t load(const tensor_t *tensor, size_t i) {
  return element_signed_value(tensor->type.element,
                              element_load(tensor->type.element, tensor->data, i));
}

/* What is stored, differences and scales by column: problems are told apart by that column. */
static void test_storage(void) {
  enum { M = 3, K = 5, N = 4, CASES = 40 };
  declaration_t *declaration =
      declare(HEAD
              "operand x[M, K] quantized ui8\noperand w[K, N] quantized i8 by N\n"
              "result f[M, N]\nresult y[M, N] quantized i16\nresult z[M, N] i32\n"
              "s = sum((storage(x) - zero_point(x)) * (storage(w) - zero_point(w)) over K)\n"
              "y = s + zero_point(y)\nz = s * zero_point(w)\n"
              "f = scale(w) + convert(position(M), float) * 0\n");
  rng_t rng = rng_make(8);
  arena_t arena;
  arena_init(&arena);
  for (int n = 0; n < CASES; n++) {
    const int64_t dims[][2] = {{M, K}, {K, N}, {M, N}};
    program_t program = {.op = &declaration->op, .operand_count = 2, .result_count = 3};
    program.operands[0] = type_make(element_named("ui8"), 2, dims[0]);
    program.operands[1] = type_make(element_named("i8"), 2, dims[1]);
    program.results[0] = type_make(element_named("f32"), 2, dims[2]);
    program.results[1] = type_make(element_named("i16"), 2, dims[2]);
    program.results[2] = type_make(element_named("i32"), 2, dims[2]);
    const element_t *f32 = element_named("f32");
    draw_quantization(&rng, &arena, f32, -1, false, &program.operands[0]);
    draw_quantization(&rng, &arena, f32, 1, false, &program.operands[1]);
    draw_quantization(&rng, &arena, f32, -1, false, &program.results[1]);
    g_assert_cmpstr(program_broken_id(&program), ==, NULL);
    const case_t instance = case_make(&arena, &program);
    for (uint32_t i = 0; i < 2; i++) draw_stored(&rng, &((case_t)instance).operands[i]);
    const quantization_t *of_x = program.operands[0].quantization;
    const quantization_t *of_w = program.operands[1].quantization;
    const quantization_t *of_y = program.results[1].quantization;
    question_t question = ask(&instance, "spec", &arena);
    for (size_t i = 0; i < M * N; i++) {
      int64_t sum = 0;
      for (size_t k = 0; k < K; k++) {
        sum += (load(&instance.operands[0], i / N * K + k) - of_x->zero_points[0]) *
               (load(&instance.operands[1], k * N + i % N) - of_w->zero_points[i % N]);
      }
      int64_t y = CLAMP(sum + of_y->zero_points[0], of_y->storage_min, of_y->storage_max);
      int64_t z = sum * of_w->zero_points[i % N];
      uint64_t f = format_from_double(f32->format, of_w->scales[i % N]);
      for (int64_t off = -2; off <= 2; off++) {
        g_assert_cmpint(is_taken(&question, 1, i, (uint64_t)(y + off) & 0xffff), ==, off == 0);
        g_assert_cmpint(is_taken(&question, 2, i, (uint64_t)(z + off) & 0xffffffff), ==, off == 0);
        g_assert_cmpint(is_taken(&question, 0, i, f + (uint64_t)off), ==, off == 0);
      }
    }
    end(&question);
    arena_reset(&arena);
  }
  arena_deinit(&arena);
  release(declaration);
}

/* ---- Programs -------------------------------------------------------------------------------- */

/* Types of another quantization break the declaration; what is drawn does not. */
static void test_types(void) {
  declaration_t *declaration =
      declare(HEAD
              "types f16 f32\noperand x[B..., N] quantized i8 by N\noperand v[N]\n"
              "result y[B..., N] quantized ui8\ny = x * v\n");
  rng_t rng = rng_make(2);
  arena_t arena;
  arena_init(&arena);
  for (int n = 0; n < 400; n++) {
    const case_t instance = draw_valid_case(&rng, &declaration->op, 64, &arena);
    const program_t *program = &instance.program;
    const quantization_t *of_x = program->operands[0].quantization;
    g_assert_cmpint(of_x->axis, ==, (int)program->operands[0].rank - 1);
    g_assert_true(of_x->expressed == program->operands[1].element);
    g_assert_cmpint(program->results[0].quantization->axis, ==, -1);
    program_t wrong = *program;
    wrong.operands[0].quantization = NULL;
    g_assert_cmpstr(program_broken_id(&wrong), ==, "types");
    wrong = *program;
    quantization_t other = *program->results[0].quantization;
    other.expressed = element_named(of_x->expressed == element_named("f16") ? "f32" : "f16");
    wrong.results[0].quantization = &other;
    g_assert_cmpstr(program_broken_id(&wrong), ==, "types");
    wrong = *program;
    wrong.results[0].element = element_named("i8");
    g_assert_cmpstr(program_broken_id(&wrong), ==, "types");
    g_autoptr(GString) module = g_string_new(NULL);
    program->op->print_mlir(program, module);
    g_assert_nonnull(strstr(module->str, "stablehlo.uniform_dequantize"));
    g_assert_nonnull(strstr(module->str, "stablehlo.uniform_quantize"));
    arena_reset(&arena);
  }
  arena_deinit(&arena);
  release(declaration);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(twins); i++) {
    g_autofree char *path =
        g_strdup_printf("/declared_quantized/twins/%s/%s", twins[i].builtin, twins[i].expressed);
    g_test_add_data_func(path, &twins[i], test_twin);
  }
  g_test_add_data_func("/declared_quantized/quantize/f32", "f32", test_quantize);
  g_test_add_data_func("/declared_quantized/quantize/f16", "f16", test_quantize);
  g_test_add_data_func("/declared_quantized/quantize/bf16", "bf16", test_quantize);
  g_test_add_data_func("/declared_quantized/step/f32", "f32", test_step);
  g_test_add_data_func("/declared_quantized/step/f16", "f16", test_step);
  g_test_add_data_func("/declared_quantized/step/bf16", "bf16", test_step);
  g_test_add_func("/declared_quantized/storage", test_storage);
  g_test_add_func("/declared_quantized/types", test_types);
  return g_test_run();
}
