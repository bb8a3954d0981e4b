/* SPDX-License-Identifier: Apache-2.0 */
/* Where quantized ops may add the zero point (theory.md, T294): all that ends in that step against
 * plain C, so that sets have what either order gives and nothing else. */
#include <math.h>

#include "tests/ops/declared/declared_file.h"

typedef struct kind {
  float scale;
  int zero_point;
} kind_t;

static float dequantize(const kind_t *kind, int stored) {
  return (float)(stored - kind->zero_point) * kind->scale;
}

static int clamp(float whole) { return (int)fminf(fmaxf(whole, -128), 127); }

/* Of 8 bits: the sum is rounded, or the zero point added to what is. */
static int quantize(const kind_t *kind, bool is_last, float value) {
  volatile float quotient = value / kind->scale;
  if (is_last) return clamp(nearbyintf(quotient) + (float)kind->zero_point);
  return clamp(nearbyintf(quotient + (float)kind->zero_point));
}

static void append_type(GString *line, const kind_t *kind, const char *shape) {
  g_string_append_printf(line, "!quant.uniform<i8:f32,%a", (double)kind->scale);
  if (kind->zero_point != 0) g_string_append_printf(line, ":%d", kind->zero_point);
  g_string_append_printf(line, ">%s", shape);
}

static case_t parse_line(const char *line, arena_t *arena) {
  case_t instance;
  failure_t error = {.text = ""};
  if (case_parse(str_from(line), arena, &instance, NULL, &error) != STATUS_OK) {
    g_error("%s: %s", line, error.text);
  }
  return instance;
}

/* ---- One number ------------------------------------------------------------------------------ */

static float add(float a, float b) { return a + b; }
static float subtract(float a, float b) { return a - b; }
static float multiply(float a, float b) { return a * b; }
static float larger(float a, float b) { return fmaxf(a, b); }

typedef struct one_step {
  const char *op;
  float (*apply)(float a, float b);
  const char *shapes[3];
} one_step_t;

static const one_step_t one_steps[] = {
    {"stablehlo.add", add, {"[256]", "[256]", "[256]"}},
    {"stablehlo.subtract", subtract, {"[256]", "[256]", "[256]"}},
    {"stablehlo.multiply", multiply, {"[256]", "[256]", "[256]"}},
    {"stablehlo.maximum", larger, {"[256]", "[256]", "[256]"}},
    {"stablehlo.dot_general batch=[]x[] contract=[1]x[0]",
     multiply,
     {"[256,1]", "[1,1]", "[256,1]"}},
};

/* Operands and result: quotients with halves, and without; sums with the zero point that are
 * rounded (-25.499998 - 30), and that are not. */
static const kind_t kinds[][3] = {
    {{0.5F, 3}, {0.25F, -7}, {1, 5}},     {{0.5F, 0}, {0.5F, 0}, {1, -30}},
    {{1, 0}, {1, 0}, {2, 127}},           {{0x1.fffffep-2F, 1}, {0.5F, 0}, {1, -30}},
    {{0.1F, -128}, {0.3F, 4}, {0.2F, 1}},
};

static void fill(const case_t *instance, int right) {
  const tensor_t *operands = instance->operands;
  for (size_t i = 0; i < 256; i++) {
    element_store(operands[0].type.element, operands[0].data, i, i);
  }
  for (size_t i = 0; i < type_element_count(&operands[1].type); i++) {
    element_store(operands[1].type.element, operands[1].data, i, (uint64_t)right & 0xff);
  }
}

/* All integers, or, of most, those near what either order gives. */
static void check_element(question_t *question, size_t element, const int expected[2],
                          bool has_last, bool asks_all) {
  int low = MIN(expected[0], expected[1]) - 2, high = MAX(expected[0], expected[1]) + 2;
  for (int stored = asks_all ? -128 : MAX(low, -128); stored <= (asks_all ? 127 : MIN(high, 127));
       stored++) {
    bool is_right = stored == expected[0] || (has_last && stored == expected[1]);
    if (is_taken(question, 0, element, (uint64_t)stored & 0xff) == is_right) continue;
    g_autoptr(GString) text = g_string_new(NULL);
    case_print(question->instance, text);
    g_error("%s: element %zu, %d: not %d", text->str, element, stored, is_right);
  }
}

/* All stored values of one operand, beside many of the other. */
static void test_one_step(gconstpointer data) {
  const one_step_t *step = data;
  int differing = 0;
  arena_t arena;
  arena_init(&arena);
  for (size_t k = 0; k < G_N_ELEMENTS(kinds); k++) {
    g_autoptr(GString) line = g_string_new(step->op);
    for (int i = 0; i < 3; i++) {
      g_string_append(line, i == 2 ? " -> " : " ");
      append_type(line, &kinds[k][i], step->shapes[i]);
    }
    program_t program;
    failure_t error = {.text = ""};
    const char *violation = NULL;
    program_parse(str_from(line->str), &arena, &program, &violation, &error);
    g_assert_cmpstr(error.text, ==, "");
    const case_t instance = case_make(&arena, &program);
    for (int right = -128; right < 128; right += 9) {
      fill(&instance, right);
      question_t letter = ask(&instance, "spec,quantized=dequantize", &arena);
      question_t either =
          ask(&instance, "spec,quantized=dequantize,quantize_zero_point=either", &arena);
      for (int left = -128; left < 128; left++) {
        float value = step->apply(dequantize(&kinds[k][0], left), dequantize(&kinds[k][1], right));
        const int expected[] = {quantize(&kinds[k][2], false, value),
                                quantize(&kinds[k][2], true, value)};
        differing += expected[0] != expected[1];
        const size_t element = (size_t)(left & 0xff);
        check_element(&letter, element, expected, false, right == -2);
        check_element(&either, element, expected, true, right == -2);
      }
      end(&letter);
      end(&either);
    }
  }
  g_test_message("the orders differ in %d elements", differing);
  g_assert_cmpint(differing, >, 300);
  arena_deinit(&arena);
}

/* ---- Reductions ------------------------------------------------------------------------------ */

enum { LEAVES_MAX = 4 };

/* What trees of some leaves in a row give, by the storage value from -128. */
typedef struct reached {
  bool values[LEAVES_MAX][LEAVES_MAX + 1][256]; /* From a leaf on, so many. */
} reached_t;

/* Each node in either order. */
static void reach(reached_t *reached, const kind_t *kind, bool multiplies, bool has_last,
                  const int *leaves, int count) {
  memset(reached, 0, sizeof *reached);
  for (int i = 0; i < count; i++) reached->values[i][1][leaves[i] + 128] = true;
  for (int length = 2; length <= count; length++) {
    for (int begin = 0; begin + length <= count; begin++) {
      for (int pair = 0; pair < (length - 1) << 16; pair++) {
        int left = 1 + (pair >> 16), a = (pair >> 8) & 255, b = pair & 255;
        if (!reached->values[begin][left][a]) continue;
        if (!reached->values[begin + left][length - left][b]) continue;
        float x = dequantize(kind, a - 128), y = dequantize(kind, b - 128);
        float value = multiplies ? x * y : x + y;
        for (int last = 0; last <= (has_last ? 1 : 0); last++) {
          reached->values[begin][length][quantize(kind, last != 0, value) + 128] = true;
        }
      }
    }
  }
}

/* In-order trees of which every node chooses, the initial value in each place. */
static void test_reduce(void) {
  enum { CASES = 400 };
  static const float scales[] = {0.5F, 0.25F, 0.3F, 1};
  rng_t rng = rng_make(0x294);
  reached_t *reached = g_new0(reached_t, 1);
  int differing = 0;
  arena_t arena;
  arena_init(&arena);
  for (int n = 0; n < CASES; n++) {
    arena_reset(&arena);
    bool multiplies = !rng_one_in(&rng, 4), has_last = !rng_one_in(&rng, 4);
    const kind_t kind = {scales[rng_below(&rng, 4)], (int)rng_below(&rng, 61) - 30};
    int count = 2 + (int)rng_below(&rng, LEAVES_MAX - 1), leaves[LEAVES_MAX];
    g_autofree char *shape = g_strdup_printf("[%d]", count - 1);
    g_autoptr(GString) line = g_string_new("stablehlo.reduce body=");
    g_string_append(line, multiplies ? "multiply dims=[0] " : "add dims=[0] ");
    append_type(line, &kind, shape);
    g_string_append_c(line, ' ');
    append_type(line, &kind, "[] -> ");
    append_type(line, &kind, "[] : ");
    for (int i = 0; i < count; i++) {
      leaves[i] = kind.zero_point + (int)rng_below(&rng, 21) - 10;
      if (i > 0) g_string_append_printf(line, "%02x", leaves[i] & 0xff);
    }
    g_string_append_printf(line, " : %02x", leaves[0] & 0xff);
    const case_t instance = parse_line(line->str, &arena);
    bool expected[256] = {false};
    for (int place = 0; place < count; place++) { /* Of the initial value. */
      int row[LEAVES_MAX], used = 0;
      for (int i = 1; i <= count; i++) {
        if (i - 1 == place) row[used++] = leaves[0];
        if (i < count) row[used++] = leaves[i];
      }
      reach(reached, &kind, multiplies, false, row, count);
      bool letter[256];
      memcpy(letter, reached->values[0][count], sizeof letter);
      reach(reached, &kind, multiplies, has_last, row, count);
      for (int i = 0; i < 256; i++) {
        expected[i] |= reached->values[0][count][i];
        differing += reached->values[0][count][i] && !letter[i];
      }
    }
    question_t question = ask(&instance,
                              has_last ? "spec,init_count=1,quantized=dequantize,"
                                         "quantize_zero_point=either"
                                       : "spec,init_count=1,quantized=dequantize",
                              &arena);
    for (int i = 0; i < 256; i++) {
      bool is_right = is_taken(&question, 0, 0, (uint64_t)(i - 128) & 0xff);
      if (is_right != expected[i]) {
        g_error("%s: %d: %d, not %d", line->str, i - 128, is_right, expected[i]);
      }
    }
    end(&question);
  }
  g_test_message("the orders differ in %d values", differing);
  g_assert_cmpint(differing, >, CASES / 4);
  arena_deinit(&arena);
  g_free(reached);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(one_steps); i++) {
    g_autofree char *path = g_strdup_printf("/zero_point_last/%.20s", one_steps[i].op + 10);
    g_strdelimit(path, " ", '_');
    g_test_add_data_func(path, &one_steps[i], test_one_step);
  }
  g_test_add_func("/zero_point_last/reduce", test_reduce);
  return g_test_run();
}
