/* SPDX-License-Identifier: Apache-2.0 */
/* Operands of quantized types: whatever draws or changes them, they hold values of their storage
 * range; and what is drawn are its ends, the zero point, all values alike, and any. */
#include "harness/draw/draw_quantization.h"
#include "harness/gen/gen.h"

static const char op_name[] = "stablehlo.uniform_dequantize";

static case_t draw_case(rng_t *rng, const gen_options_t *options, arena_t *arena) {
  program_t program;
  const char *broken;
  gen_program(rng, op_find(str_from(op_name)), options, arena, &program, &broken);
  return case_make(arena, &program);
}

static void check_range(const case_t *instance, const char *what) {
  for (uint32_t i = 0; i < instance->program.operand_count; i++) {
    const tensor_t *operand = &instance->operands[i];
    const quantization_t *quantization = operand->type.quantization;
    if (quantization == NULL) continue;
    for (size_t e = 0; e < type_element_count(&operand->type); e++) {
      uint64_t bits = element_load(operand->type.element, operand->data, e);
      int64_t stored = element_signed_value(operand->type.element, bits);
      if (stored >= quantization->storage_min && stored <= quantization->storage_max) continue;
      g_autoptr(GString) line = g_string_new(NULL);
      program_print(&instance->program, line);
      g_error("%s: %s: element %zu is %" G_GINT64_FORMAT, what, line->str, e, stored);
    }
  }
}

static gen_options_t small_options(uint32_t invalid_one_in) {
  gen_options_t options = gen_options_default();
  options.limits = (draw_limits_t){.rank_max = 3, .elements_max = 64, .terms_max = 8};
  options.invalid_one_in = invalid_one_in;
  return options;
}

/* In every regime, and of invalid programs too. */
static void test_regimes(void) {
  enum { CASES = 200 };
  const gen_options_t options = small_options(4);
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(0x9a);
  for (int regime = 0; regime < REGIME_COUNT; regime++) {
    for (int i = 0; i < CASES; i++) {
      case_t instance = draw_case(&rng, &options, &arena);
      gen_data_in_regime(&rng, (gen_regime_t)regime, &instance);
      check_range(&instance, gen_regime_name((gen_regime_t)regime));
      arena_reset(&arena);
    }
  }
  arena_deinit(&arena);
}

static void test_edits(void) {
  enum { CASES = 300 };
  const gen_options_t options = small_options(0);
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(0x9b);
  for (int edit = 0; edit < GEN_EDIT_COUNT; edit++) {
    for (int i = 0; i < CASES; i++) {
      case_t instance = draw_case(&rng, &options, &arena);
      gen_data(&rng, &instance);
      gen_place_t place;
      if (gen_draw_place(&rng, &instance, &place)) {
        gen_edit(&rng, (gen_edit_t)edit, &place, &instance);
      }
      gen_settle(&rng, &instance);
      check_range(&instance, gen_edit_name((gen_edit_t)edit));
      gen_mutate(&rng, &options, &arena, &instance);
      check_range(&instance, "gen_mutate");
      case_t other = draw_case(&rng, &options, &arena);
      gen_data(&rng, &other);
      case_t child = gen_cross(&rng, &arena, &instance, &other);
      check_range(&child, "gen_cross");
      arena_reset(&arena);
    }
  }
  arena_deinit(&arena);
}

/* How much of what there is to be drawn. */
static void test_manners(void) {
  enum { CASES = 2000, ELEMENTS = 32 };
  arena_t arena;
  arena_init(&arena);
  program_t program;
  g_autofree char *line =
      g_strdup_printf("%s !quant.uniform<i8<-100:90>:f32,0x1p-1:17>[%d] -> f32[%d]", op_name,
                      (int)ELEMENTS, (int)ELEMENTS);
  g_assert_cmpint(program_parse(str_from(line), &arena, &program, NULL, NULL), ==, STATUS_OK);
  case_t instance = case_make(&arena, &program);
  rng_t rng = rng_make(0x9c);
  size_t ends = 0, near = 0, alike = 0;
  for (int i = 0; i < CASES; i++) {
    gen_data(&rng, &instance);
    const int8_t *stored = (const int8_t *)instance.operands[0].data;
    bool are_alike = true;
    for (int e = 0; e < ELEMENTS; e++) {
      ends += stored[e] == -100 || stored[e] == 90;
      near += stored[e] >= 16 && stored[e] <= 18;
      are_alike = are_alike && stored[e] == stored[0];
    }
    alike += are_alike;
  }
  g_test_message("%zu at the ends, %zu near the zero point, %zu cases alike", ends, near, alike);
  g_assert_cmpuint(ends, >, CASES * ELEMENTS / 50);
  g_assert_cmpuint(near, >, CASES * ELEMENTS / 50);
  g_assert_cmpuint(alike, >, CASES / 40);
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/quantized_data/regimes", test_regimes);
  g_test_add_func("/quantized_data/edits", test_edits);
  g_test_add_func("/quantized_data/manners", test_manners);
  return g_test_run();
}
