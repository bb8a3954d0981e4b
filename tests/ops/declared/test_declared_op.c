/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that files declare: those of corpus/ops by models, which are silent, and with mistakes, which
 * are found. */
#include "generated/all_faults.h"
#include "tests/ops/declared/declared_file.h"

enum { ELEMENTS_MAX = 64 };

static implementation_model_t draw_model(rng_t *rng) {
  static const sum_order_kind_t trees[] = {SUM_SEQUENTIAL, SUM_REVERSE,  SUM_HALVES,
                                           SUM_LANES,      SUM_SHUFFLED, SUM_RANDOM};
  implementation_model_t model = schedule_plain();
  model.order.kind = trees[rng_below(rng, G_N_ELEMENTS(trees))];
  model.order.width = 4;
  model.seed = rng_bits(rng);
  model.fused = rng_one_in(rng, 2);
  model.other_way = rng_one_in(rng, 2);
  return model;
}

/* What a model of `meant` returns, judged as results of `op`: whether all of it conforms. */
static bool conforms(const declaration_t *op, const declaration_t *meant, const case_t *instance,
                     const implementation_model_t *model, arena_t *arena) {
  tensor_t results[CASE_RESULTS_MAX];
  for (uint32_t r = 0; r < instance->program.result_count; r++) {
    results[r] = tensor_make(arena, &instance->program.results[r]);
  }
  failure_t error = {.text = ""};
  case_t other = *instance;
  other.program.op = &meant->op;
  const oracle_call_t simulated = {.instance = &other, .arena = arena, .error = &error};
  g_assert_cmpint(oracle_find(&meant->op)->simulate(&simulated, model, results), ==, STATUS_OK);
  const contract_t contract = contract_backend();
  decision_memo_t memo;
  decision_memo_init(&memo);
  const oracle_call_t call = {.instance = instance,
                              .contract = &contract,
                              .results = results,
                              .memo = &memo,
                              .arena = arena,
                              .error = &error};
  bool all = true;
  for (uint32_t r = 0; r < instance->program.result_count; r++) {
    size_t count = type_component_count(&instance->program.results[r]);
    for (size_t i = 0; i < count && all; i++) {
      answer_t answer;
      g_assert_cmpint(oracle_find(&op->op)->decide(&call, r, i, &answer), ==, STATUS_OK);
      all = answer.conforms;
    }
  }
  decision_memo_deinit(&memo);
  return all;
}

/* ---- Models ---------------------------------------------------------------------------------- */

static void test_models(gconstpointer data) {
  enum { CASES = 150 };
  g_autofree char *text = read_op_file(data);
  declaration_t *declaration = declare(text);
  rng_t rng = rng_make(g_str_hash(data));
  arena_t arena;
  arena_init(&arena);
  for (int i = 0; i < CASES; i++) {
    case_t instance = draw_valid_case(&rng, &declaration->op, ELEMENTS_MAX, &arena);
    implementation_model_t model = draw_model(&rng);
    if (!conforms(declaration, declaration, &instance, &model, &arena)) {
      g_autoptr(GString) line = g_string_new(NULL);
      case_print(&instance, line);
      g_error("a model does not conform: %s", line->str);
    }
    arena_reset(&arena);
  }
  arena_deinit(&arena);
  release(declaration);
}

/* ---- Mistakes -------------------------------------------------------------------------------- */

typedef struct mistake {
  const char *op;
  const char *line; /* Of the file, */
  const char *instead;
} mistake_t;

static const mistake_t mistakes[] = {
    {"silu", "y = either(x * logistic(x), x / (1 + exp(-x)))", "y = x * logistic(1.01 * x)"},
    {"silu", "y = either(x * logistic(x), x / (1 + exp(-x)))", "y = logistic(x)"},
    {"silu", "y = either(x * logistic(x), x / (1 + exp(-x)))", "y = x / (1.0001 + exp(-x))"},
    {"rms_norm", "square = mean(x * x over N) + epsilon", "square = mean(x * x over N)"},
    {"rms_norm", "square = mean(x * x over N) + epsilon", "square = sum(x * x over N) + epsilon"},
    {"rms_norm", "normal = normalized(either(x * rsqrt(square), x / sqrt(square)))",
     "normal = x / (sqrt(mean(x * x over N)) + epsilon)"},
    {"rms_norm", "y = either(normal * weight, x * (rsqrt(square) * weight))", "y = x * weight"},
    {"rotary", "y = stack(a * cosine - b * sine, b * cosine + a * sine over P)",
     "y = stack(a * cosine + b * sine, b * cosine - a * sine over P)"},
    {"rotary", "a = x[P=0]", "a = x[P=1]"},
    {"attention",
     "scores = either(sum(q * k over D) / sqrt(count(D)), sum(q * k over D) * "
     "rsqrt(count(D)))",
     "scores = sum(q * k over D)"},
    {"attention", "biased = scores + bias", "biased = scores"},
    {"attention", "e = exp(biased - max(biased over T))", "e = exp(biased)"},
    {"attention", "e = exp(biased - max(biased over T))",
     "e = exp(biased - max(max(biased over T), 0))"},
    {"causal_attention", "seen = position(T) <= position(S)",
     "seen = position(T) < position(S) + 2"},
    {"causal_attention", "seen = position(T) <= position(S)",
     "seen = position(T) < max(position(S), 1)"},
    {"causal_attention", "masked = select(seen, scores, -inf)", "masked = select(seen, scores, 0)"},
    {"causal_attention", "masked = select(seen, scores, -inf)", "masked = scores"},
    {"bucket", "convert(position(N), i32) < length", "convert(position(N), i32) <= length"},
    {"leaky_relu", "y = select(x >= 0, x, x * slope)", "y = select(x > -0.3, x, x * slope)"},
    {"hard_swish", "six = min(max(x + 3, 0), 6)", "six = max(x + 3, 0)"},
    {"hard_swish", "late = either(x * six / 6, x * six * (1 / 6))", "late = x * six * 0.1666"},
    {"leaky_relu", "y = select(x >= 0, x, x * slope)", "y = max(x, 0)"},
    {"leaky_relu", "y = select(x >= 0, x, x * slope)", "y = select(x < -0.01, x * slope, x)"},
    {"relu6", "y = min(max(x, 0), 6)", "y = max(min(x, 6.01), 0)"},
    {"embedding", "y = table[V=ids]", "y = table[V=ids + 1]"},
    {"embedding", "y = table[V=ids]", "y = table[V=ids - 1]"},
    {"embedding", "y = table[V=ids]", "y = table[V=ids] * 1.01"},
    {"int4_matmul", "* scale over G)", "* scale[G = position(G) + 1] over G)"},
    {"int4_matmul", "* scale over G)", "* scale[G = position(G) / 2] over G)"},
    {"int4_matmul", "convert(packed, i32) - 8", "convert(packed, i32) - 7"},
    {"int4_matmul", "convert(4 * position(P), ui8)", "convert(4 - 4 * position(P), ui8)"},
    {"int4_matmul", "packed = and(shift_right(w, convert(4 * position(P), ui8)), 15)",
     "packed = shift_right(w, convert(4 * position(P), ui8))"},
    {"quantized_add_relu", "y = max(a + b, 0)", "y = a + b"},
    {"quantized_add_relu", "y = max(a + b, 0)", "y = max(a - b, 0)"},
    {"quantized_add_relu", "y = max(a + b, 0)", "y = max(a, 0) + max(b, 0)"},
    {"int8_matmul", "(storage(w) - zero_point(w))", "storage(w)"},
    {"int8_matmul", "(storage(x) - zero_point(x))", "(storage(x) - zero_point(w))"},
    {"int8_matmul", "(scale(x) * scale(w))", "(scale(x) * scale(w)[N = position(N) + 1])"},
    {"int8_matmul", "(scale(x) * scale(w))", "scale(w)"},
    {"int8_matmul", "sum(x * w over K)", "sum(max(x * w, 0) over K)"},
    {"kv_cache_update", "at T=slots", "at T=slots + 1"},
    {"kv_cache_update", "at T=slots", "at T=slots - 1"},
    {"kv_cache_update", "scatter(cache, rows", "scatter_add(cache, rows"},
    {"embedding_gradient", "at V=ids", "at V=ids + 1"},
    {"embedding_gradient", "scatter_add(0", "scatter(0"},
    {"embedding_gradient", "scatter_add(0", "scatter_add(1"},
    {"embedding_gradient", "gradient over S", "gradient * 1.01 over S"},
    {"softmax_with_statistics", "largest = max(x over N)", "largest = max(max(x over N), 0)"},
    {"softmax_with_statistics", "largest + log(s)", "log(s)"},
    {"softmax_with_statistics", "largest + log(s)", "largest + log(s + 1)"},
    {"softmax_with_statistics", "position(N), convert(count(N), i64)) over N)",
     "position(N) + 1, convert(count(N), i64)) over N)"},
    {"softmax_with_statistics",
     "place = min(select(x == largest, position(N), convert(count(N), i64))",
     "place = max(select(x == largest, position(N), 0)"},
    {"fake_quant", "quantize(x, i8", "quantize(x, ui8"},
    {"fake_quant", "quantize(x, i8", "quantize(x, i4"},
    {"fake_quant", "quantize(x, i8, scale, zero_point)",
     "quantize(x * 1.01, i8, scale, zero_point)"},
    {"fake_quant", ", scale, zero_point)\n", ", scale, zero_point + 1)\n"},
    {"fake_quant", "quantize(x, i8, scale, zero_point)",
     "quantize(x, i8, scale, zero_point[N = position(N) + 1])"},
    {"bucket", "mixed = xor(token, shift_right(token, 16)) * 73244475",
     "mixed = xor(token, shift_right(token, 15)) * 73244475"},
};

static char *replace(const char *text, const char *line, const char *instead) {
  g_assert_nonnull(strstr(text, line));
  g_auto(GStrv) parts = g_strsplit(text, line, 2);
  return g_strjoinv(instead, parts);
}

static void test_mistake(gconstpointer data) {
  enum { CASES = 600, MASK_CASES = 8 };
  const mistake_t *mistake = data;
  g_autofree char *text = read_op_file(mistake->op);
  g_autofree char *wrong = replace(text, mistake->line, mistake->instead);
  declaration_t *declaration = declare(text), *meant = declare(wrong);
  rng_t rng = rng_make(g_str_hash(mistake->instead));
  arena_t arena;
  arena_init(&arena);
  bool is_found = false;
  /* A mask that is wrong by one place shows at once. */
  const bool is_mask = g_str_has_prefix(mistake->instead, "seen = ");
  const int cases = is_mask ? MASK_CASES : CASES;
  for (int i = 0; i < cases && !is_found; i++) {
    case_t instance = draw_valid_case(&rng, &declaration->op, ELEMENTS_MAX, &arena);
    implementation_model_t model = draw_model(&rng);
    is_found = !conforms(declaration, meant, &instance, &model, &arena);
    arena_reset(&arena);
  }
  g_assert_true(is_found);
  arena_deinit(&arena);
  release(declaration);
  release(meant);
}

/* The last term of every sum, which models leave out by their own fault. */
static void test_dropped_term(gconstpointer data) {
  enum { CASES = 600 };
  g_autofree char *text = read_op_file(data);
  declaration_t *declaration = declare(text);
  rng_t rng = rng_make(3);
  arena_t arena;
  arena_init(&arena);
  bool is_found = false;
  for (int i = 0; i < CASES && !is_found; i++) {
    case_t instance = draw_valid_case(&rng, &declaration->op, ELEMENTS_MAX, &arena);
    implementation_model_t model = draw_model(&rng);
    model.fault = FAULT_drop_last_term;
    is_found = !conforms(declaration, declaration, &instance, &model, &arena);
    arena_reset(&arena);
  }
  g_assert_true(is_found);
  arena_deinit(&arena);
  release(declaration);
}

/* ---- Quantized values ------------------------------------------------------------------------ */

typedef struct quantized_fault {
  const char *op;
  fault_t fault;
} quantized_fault_t;

/* What models of the ops do wrong where they read scales and zero points, and where they round. */
static const quantized_fault_t quantized_faults[] = {
    {"quantized_add_relu", FAULT_zero_point_forgotten},
    {"quantized_add_relu", FAULT_quotients_truncated},
    {"quantized_add_relu", FAULT_quotient_ties_away},
    {"quantized_add_relu", FAULT_quotient_half_up},
    {"quantized_add_relu", FAULT_storage_range_ignored},
    {"quantized_add_relu", FAULT_zero_point_unclamped},
    {"quantized_add_relu", FAULT_difference_wraps},
    {"int8_matmul", FAULT_zero_point_forgotten},
    {"int8_matmul", FAULT_quotients_truncated},
    {"int8_matmul", FAULT_first_scale_for_all},
    {"int8_matmul", FAULT_next_scale_for_channel},
    {"fake_quant", FAULT_zero_point_forgotten},
    {"fake_quant", FAULT_quotients_truncated},
    {"fake_quant", FAULT_quotient_ties_away},
    {"fake_quant", FAULT_quotient_half_up},
    {"fake_quant", FAULT_zero_point_unclamped},
    {"fake_quant", FAULT_scale_in_bf16},
};

static void test_quantized_fault(gconstpointer data) {
  enum { CASES = 600 };
  const quantized_fault_t *row = data;
  g_autofree char *text = read_op_file(row->op);
  declaration_t *declaration = declare(text);
  rng_t rng = rng_make(4);
  arena_t arena;
  arena_init(&arena);
  bool is_found = false;
  for (int i = 0; i < CASES && !is_found; i++) {
    case_t instance = draw_valid_case(&rng, &declaration->op, ELEMENTS_MAX, &arena);
    implementation_model_t model = draw_model(&rng);
    model.fault = row->fault;
    is_found = !conforms(declaration, declaration, &instance, &model, &arena);
    arena_reset(&arena);
  }
  g_assert_true(is_found);
  arena_deinit(&arena);
  release(declaration);
}

/* ---- Programs -------------------------------------------------------------------------------- */

/* What fits no declaration is printed as a call, and breaks the constraint that says so. */
static void test_programs(void) {
  g_autofree char *text = read_op_file("attention");
  declaration_t *declaration = declare(text);
  rng_t rng = rng_make(5);
  arena_t arena;
  arena_init(&arena);
  for (int i = 0; i < 200; i++) {
    case_t instance = draw_valid_case(&rng, &declaration->op, ELEMENTS_MAX, &arena);
    program_t *program = &instance.program;
    g_assert_null(program_broken(program));
    g_autoptr(GString) module = g_string_new(NULL);
    program->op->print_mlir(program, module);
    g_assert_null(strstr(module->str, "custom_call"));
    program->operands[1].dims[0]++;
    g_assert_cmpstr(program_broken_id(program), ==, "shapes");
    g_string_truncate(module, 0);
    program->op->print_mlir(program, module);
    g_assert_nonnull(strstr(module->str, "custom_call"));
    arena_reset(&arena);
  }
  arena_deinit(&arena);
  release(declaration);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  static const char *const files[] = {"silu",
                                      "rms_norm",
                                      "rotary",
                                      "attention",
                                      "softmax",
                                      "causal_attention",
                                      "hard_swish",
                                      "leaky_relu",
                                      "relu6",
                                      "bucket",
                                      "embedding",
                                      "int4_matmul",
                                      "quantized_add_relu",
                                      "int8_matmul",
                                      "kv_cache_update",
                                      "embedding_gradient",
                                      "softmax_with_statistics",
                                      "fake_quant"};
  for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *path = g_strdup_printf("/declared_op/models/%s", files[i]);
    g_test_add_data_func(path, files[i], test_models);
  }
  for (size_t i = 0; i < G_N_ELEMENTS(mistakes); i++) {
    g_autofree char *path = g_strdup_printf("/declared_op/mistakes/%s/%zu", mistakes[i].op, i);
    g_test_add_data_func(path, &mistakes[i], test_mistake);
  }
  static const char *const sums[] = {
      "rms_norm",    "attention",          "softmax",
      "int8_matmul", "embedding_gradient", "softmax_with_statistics"};
  for (size_t i = 0; i < G_N_ELEMENTS(sums); i++) {
    g_autofree char *path = g_strdup_printf("/declared_op/dropped_term/%s", sums[i]);
    g_test_add_data_func(path, sums[i], test_dropped_term);
  }
  for (size_t i = 0; i < G_N_ELEMENTS(quantized_faults); i++) {
    g_autofree char *path =
        g_strdup_printf("/declared_op/quantized_fault/%s/%zu", quantized_faults[i].op, i);
    g_test_add_data_func(path, &quantized_faults[i], test_quantized_fault);
  }
  g_test_add_func("/declared_op/programs", test_programs);
  return g_test_run();
}
