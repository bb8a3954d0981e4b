/* SPDX-License-Identifier: Apache-2.0 */
/* Strata: shares as text, the mark in a case seed, and the sizes and data that each is for. */
#include <math.h>
#include <string.h>

#include "harness/draw/draw.h"
#include "harness/gen/gen.h"
#include "harness/kinds/module/module.h"

/* ---- Shares ---------------------------------------------------------------------------------- */

static void test_text(void) {
  strata_t strata;
  g_assert_cmpint(strata_parse(str_from("tiles=3,corner=1"), &strata, NULL), ==, STATUS_OK);
  g_autoptr(GString) text = g_string_new(NULL);
  strata_print(&strata, text);
  g_assert_cmpstr(text->str, ==, "corner=1,tiles=3");
  g_assert_cmpint(strata_parse(str_from("default"), &strata, NULL), ==, STATUS_OK);
  strata_t given = strata_default();
  for (size_t i = 0; i < STRATUM_COUNT; i++) {
    g_assert_cmpuint(strata.shares[i], ==, given.shares[i]);
  }
}

static void test_bad_text(void) {
  static const char *const texts[][2] = {
      {"tile=3", "there is no stratum 'tile'; write corner, turns, lanes, swept, slender, tiles"},
      {"tiles=3,tiles=4", "tiles is given twice"},
      {"tiles", "bad share '' of stratum tiles; write tiles=N"},
      {"tiles=-1", "bad share '-1'"},
      {"tiles=1000001", "bad share '1000001'"},
      {"tiles=0,corner=0", "no stratum has a share"},
      {"tiles=3,", "there is no stratum ''"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
    strata_t strata;
    failure_t error = {0};
    g_assert_cmpint(strata_parse(str_from(texts[i][0]), &strata, &error), ==, STATUS_INVALID);
    g_test_message("%s: %s", texts[i][0], error.text);
    g_assert_nonnull(strstr(error.text, texts[i][1]));
  }
}

static void test_shares(void) {
  enum { DRAWS = 100000 };
  strata_t strata = strata_default();
  int counts[STRATUM_COUNT] = {0};
  double total = 0;
  rng_t rng = rng_make(1);
  for (int i = 0; i < DRAWS; i++) counts[strata_draw(&strata, &rng)]++;
  for (int i = 0; i < STRATUM_COUNT; i++) total += strata.shares[i];
  for (int i = 0; i < STRATUM_COUNT; i++) {
    double expected = DRAWS * strata.shares[i] / total;
    g_assert_cmpfloat(fabs(counts[i] - expected), <=, 5 * sqrt(expected));
  }
  strata = (strata_t){0};
  g_assert_cmpint(strata_draw(&strata, &rng), ==, STRATUM_corner);
}

/* Modules get more of what is long and thin; a stratum without a share gets none. */
static void test_shares_of_ops(void) {
  const strata_t strata = strata_default();
  const strata_t add = strata_of(&strata, op_find(str_from("stablehlo.add")));
  const strata_t module = strata_of(&strata, op_find(str_from("module")));
  for (size_t i = 0; i < STRATUM_COUNT; i++) {
    g_assert_cmpuint(add.shares[i], ==, strata.shares[i]);
    bool is_more = i == STRATUM_slender || i == STRATUM_thresholds;
    g_assert_true((module.shares[i] > strata.shares[i]) == is_more);
  }
  strata_t corner = {.shares = {[STRATUM_corner] = 1}};
  const strata_t only = strata_of(&corner, op_find(str_from("module")));
  for (size_t i = 0; i < STRATUM_COUNT; i++) {
    g_assert_cmpuint(only.shares[i], ==, corner.shares[i]);
  }
}

/* Every stratum is told by its seeds; seeds of before there were strata are those of the corner. */
static void test_seeds(void) {
  rng_t rng = rng_make(2);
  for (int i = 0; i < 10000; i++) {
    uint64_t seed = rng_bits(&rng);
    g_assert_cmpuint(stratum_mark_seed(STRATUM_corner, seed), ==, seed);
    for (int stratum = 0; stratum < STRATUM_COUNT; stratum++) {
      uint64_t marked = stratum_mark_seed((stratum_t)stratum, seed);
      g_assert_cmpint(stratum_of_seed(marked), ==, stratum);
      uint64_t of_corner = stratum_mark_seed(STRATUM_corner, marked);
      g_assert_cmpint(stratum_of_seed(of_corner), ==, STRATUM_corner);
    }
  }
}

/* Marks are in databases: a stratum keeps its own, wherever its row stands. */
static void test_marks(void) {
  static const struct {
    stratum_t stratum;
    uint64_t seed;
  } rows[] = {
      {STRATUM_tiles, UINT64_C(0x57A7010000000001)},
      {STRATUM_long, UINT64_C(0x57A7020000000001)},
      {STRATUM_deployment, UINT64_C(0x57A7030000000001)},
      {STRATUM_thresholds, UINT64_C(0x57A7040000000001)},
      {STRATUM_extremes, UINT64_C(0x57A7050000000001)},
      {STRATUM_turns, UINT64_C(0x57A7060000000001)},
      {STRATUM_slender, UINT64_C(0x57A7070000000001)},
      {STRATUM_lanes, UINT64_C(0x57A7080000000001)},
      {STRATUM_swept, UINT64_C(0x57A7090000000001)},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_assert_cmpint(stratum_of_seed(rows[i].seed), ==, rows[i].stratum);
    g_assert_cmphex(stratum_mark_seed(rows[i].stratum, 1), ==, rows[i].seed);
  }
}

/* ---- Sizes ----------------------------------------------------------------------------------- */

typedef struct drawing {
  rng_t rng;
  arena_t arena;
  program_t program;
} drawing_t;

static void draw(const char *op, stratum_t stratum, drawing_t *drawing) {
  arena_reset(&drawing->arena);
  draw_limits_t limits = stratum_limits(stratum, &drawing->rng);
  drawing->program = (program_t){.op = op_find(str_from(op))};
  drawing->program.op->draw(&drawing->rng, &limits, &drawing->arena, &drawing->program);
}

/* Programs in a hundred, of 500, that have what is asked. */
static int percentage(const char *op, stratum_t stratum, bool (*has)(const program_t *program)) {
  enum {
    PROGRAMS = 500,
    MODULES = 3000
  }; /* 6 % of modules, where 5 are asked for, need so many. */
  const int programs = strcmp(op, "module") == 0 ? MODULES : PROGRAMS;
  drawing_t drawing = {.rng = rng_make(3)};
  arena_init(&drawing.arena);
  int count = 0;
  for (int i = 0; i < programs; i++) {
    draw(op, stratum, &drawing);
    count += has(&drawing.program);
  }
  arena_deinit(&drawing.arena);
  g_test_message("%s, %s: %d of %d", op, stratum_name(stratum), count, programs);
  return count * 100 / programs;
}

/* Sides of both operands and the result of a product of matrices. */
static bool is_blocked(const program_t *program) {
  const type_t *tensors[] = {&program->operands[0], &program->operands[1], &program->results[0]};
  for (size_t i = 0; i < G_N_ELEMENTS(tensors); i++) {
    int sides = 0;
    for (uint32_t dim = 0; dim < tensors[i]->rank; dim++) sides += tensors[i]->dims[dim] >= 7;
    if (sides < 2) return false;
  }
  return true;
}

static bool has_long_row(const program_t *program) {
  const type_t *type = &program->operands[0];
  for (uint32_t dim = 0; dim < type->rank; dim++) {
    if (type->dims[dim] >= 1000) return true;
  }
  return false;
}

static bool has_hidden_size(const program_t *program) {
  const type_t *type = &program->operands[0];
  for (uint32_t dim = 0; dim < type->rank; dim++) {
    if (type->dims[dim] == 768 || type->dims[dim] == 4096 || type->dims[dim] == 32000) return true;
  }
  return false;
}

static bool is_at_threshold(const program_t *program) {
  size_t elements = type_element_count(&program->operands[0]);
  return (elements >= 4095 && elements <= 4097) || (elements >= 16383 && elements <= 16385) ||
         (elements >= 32767 && elements <= 32769) || (elements >= 65535 && elements <= 65537);
}

/* More than 2^16 elements: what is one above the last threshold. */
static bool is_above_last_threshold(const program_t *program) {
  return type_element_count(&program->operands[0]) == 65537;
}

/* A value of a module has 2^15 or 2^16 elements, or one less or more. */
static bool has_large_value(const program_t *program) {
  const module_t *module = module_of(program);
  for (uint32_t i = 0; i < module->step_count; i++) {
    size_t elements = type_element_count(&module->steps[i].program.results[0]);
    if (elements >= 32767 && elements <= 32769) return true;
    if (elements >= 65535 && elements <= 65537) return true;
  }
  return false;
}

static bool has_thousands(const program_t *program) {
  return type_element_count(&program->operands[0]) >= 4000;
}

static bool has_high_rank(const program_t *program) { return program->operands[0].rank >= 6; }

/* A product of which an operand has 4,000 rows and more, of 8 numbers at most. */
static bool multiplies_many_rows(const program_t *program) {
  const module_t *module = module_of(program);
  for (uint32_t i = 0; i < module->step_count; i++) {
    const program_t *step = &module->steps[i].program;
    if (strcmp(step->op->name, "stablehlo.dot_general") != 0) continue;
    for (uint32_t k = 0; k < 2; k++) {
      const type_t *type = &step->operands[k];
      bool is_long = type->rank == 2 && MAX(type->dims[0], type->dims[1]) >= 4000;
      if (is_long && MIN(type->dims[0], type->dims[1]) <= 8) return true;
    }
  }
  return false;
}

/* Products of a module that have their terms in other dimensions than the first one. */
static bool multiplies_rows_two_ways(const program_t *program) {
  const module_t *module = module_of(program);
  g_autoptr(GString) first = g_string_new(NULL), present = g_string_new(NULL);
  bool has = false;
  for (uint32_t i = 0; i < module->step_count; i++) {
    const program_t *step = &module->steps[i].program;
    if (strcmp(step->op->name, "stablehlo.dot_general") != 0) continue;
    g_string_truncate(present, 0);
    program_print_attributes(step, present);
    if (first->len == 0) g_string_append(first, present->str);
    has |= strcmp(first->str, present->str) != 0;
  }
  return has && multiplies_many_rows(program);
}

/* Rows of a power of two from 2^12 to 2^16, or one off. */
static bool has_threshold_rows(const program_t *program) {
  const module_t *module = module_of(program);
  for (uint32_t i = 0; i < module->step_count; i++) {
    const type_t *type = &module->steps[i].program.results[0];
    for (uint32_t dim = 0; dim < type->rank; dim++) {
      for (int64_t size = 1 << 12; size <= 1 << 16; size *= 2) {
        if (type->dims[dim] >= size - 1 && type->dims[dim] <= size + 1) return true;
      }
    }
  }
  return false;
}

/* Each stratum draws what it is for, and the corner hardly ever does. */
static void test_sizes(void) {
  static const struct {
    const char *op;
    stratum_t stratum;
    bool (*has)(const program_t *program);
    int at_least;
  } rows[] = {
      {"stablehlo.dot_general", STRATUM_tiles, is_blocked, 15},
      {"stablehlo.reduce", STRATUM_long, has_long_row, 40},
      {"byteir.softmax", STRATUM_long, has_long_row, 40},
      {"stablehlo.dot_general", STRATUM_long, has_long_row, 20},
      {"byteir.layer_norm", STRATUM_deployment, has_hidden_size, 5},
      {"stablehlo.add", STRATUM_thresholds, is_at_threshold, 20},
      {"stablehlo.reduce_window", STRATUM_thresholds, is_at_threshold, 15},
      {"stablehlo.transpose", STRATUM_thresholds, has_high_rank, 15},
      {"stablehlo.add", STRATUM_thresholds, is_above_last_threshold, 1},
      {"module", STRATUM_thresholds, has_large_value, 5},
      {"byteir.erf", STRATUM_swept, has_thousands, 15},
      {"module", STRATUM_slender, multiplies_many_rows, 50},
      {"module", STRATUM_slender, multiplies_rows_two_ways, 40},
      {"module", STRATUM_slender, has_threshold_rows, 45},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_assert_cmpint(percentage(rows[i].op, rows[i].stratum, rows[i].has), >=, rows[i].at_least);
    g_assert_cmpint(percentage(rows[i].op, STRATUM_corner, rows[i].has), <=, 2);
  }
}

/* Whatever the op, programs are valid or not modelled, within the limits, and have a line. */
static void test_programs(void) {
  enum { PROGRAMS = 40 };
  drawing_t drawing = {.rng = rng_make(4)};
  arena_init(&drawing.arena);
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    for (int stratum = 0; stratum < STRATUM_COUNT; stratum++) {
      for (int i = 0; i < PROGRAMS; i++) {
        draw((*op)->name, (stratum_t)stratum, &drawing);
        const program_t *program = &drawing.program;
        g_assert_cmpstr(program_broken_id(program), ==, NULL);
        g_assert_true(program_obeys_bounds(program));
        for (uint32_t t = 0; t < program->operand_count; t++) {
          g_assert_cmpuint(type_element_count(&program->operands[t]), <=, 1 << 18);
        }
      }
    }
  }
  arena_deinit(&drawing.arena);
}

/* ---- Data ------------------------------------------------------------------------------------ */

static case_t make_case(arena_t *arena, const char *line) {
  program_t program;
  const char *violation;
  g_assert_cmpint(program_parse(str_from(line), arena, &program, &violation, NULL), ==, STATUS_OK);
  return case_make(arena, &program);
}

static void test_normal(void) {
  arena_t arena;
  arena_init(&arena);
  case_t instance = make_case(&arena, "stablehlo.negate f64[100000] -> f64[100000]");
  rng_t rng = rng_make(5);
  gen_data_in_regime(&rng, REGIME_normal, &instance);
  const double *values = (const double *)(const void *)instance.operands[0].data;
  double sum = 0, squares = 0, fourths = 0;
  for (int i = 0; i < 100000; i++) {
    sum += values[i];
    squares += values[i] * values[i];
    fourths += pow(values[i], 4);
  }
  double variance = squares / 100000;
  g_assert_cmpfloat(fabs(sum / 100000), <, 5 * sqrt(variance / 100000));
  double kurtosis = fourths / 100000 / (variance * variance);
  g_assert_cmpfloat(fabs(kurtosis - 3), <, 0.1); /* That of a uniform number is 1.8. */
  int far = 0;
  for (int i = 0; i < 100000; i++) far += fabs(values[i]) > 3 * sqrt(variance);
  g_assert_cmpint(far, >=, 270 - 70); /* 270 are expected, with a deviation of 16. */
  g_assert_cmpint(far, <=, 270 + 70);
  arena_deinit(&arena);
}

/* What is too large for an integer type lies at the end of the type, with its sign. */
static void test_integers_saturate(void) {
  arena_t arena;
  arena_init(&arena);
  case_t instance = make_case(&arena, "stablehlo.negate i8[100000] -> i8[100000]");
  rng_t rng = rng_make(7);
  int counts[256] = {0};
  for (int draws = 0; draws < 4; draws++) {
    gen_data_in_regime(&rng, REGIME_long_tailed, &instance);
    for (int i = 0; i < 100000; i++) counts[instance.operands[0].data[i]]++;
  }
  g_assert_cmpint(counts[0x7F], >, 4 * counts[0x7E]);
  g_assert_cmpint(counts[0x80], >, 4 * counts[0x81]);
  arena_deinit(&arena);
}

/* At most two values, of which one is an end of the type in some draws. */
static void test_extremes(void) {
  static const char *const types[] = {"i8", "ui8", "i32", "f32", "bf16", "f8E4M3FN", "i1"};
  arena_t arena;
  arena_init(&arena);
  rng_t rng = rng_make(6);
  for (size_t t = 0; t < G_N_ELEMENTS(types); t++) {
    const element_t *element = element_named(types[t]);
    uint64_t largest = element->format != NULL           ? element->format->largest_bits
                       : element->kind == ELEMENT_SIGNED ? element_mask(element) >> 1
                                                         : element_mask(element);
    g_autofree char *line =
        g_strdup_printf("stablehlo.transpose permutation=[0] %s[64] -> %s[64]", types[t], types[t]);
    case_t instance = make_case(&arena, line);
    int ends = 0;
    for (int i = 0; i < 100; i++) {
      g_assert_cmpint(gen_data_in_stratum(&rng, STRATUM_extremes, &instance), ==, REGIME_extremes);
      const uint8_t *data = instance.operands[0].data;
      uint64_t first = element_load(element, data, 0), other = first;
      for (size_t k = 1; k < 64; k++) {
        uint64_t bits = element_load(element, data, k);
        if (bits == first) continue;
        if (other == first) other = bits;
        g_assert_cmpuint(bits, ==, other);
      }
      ends += first == largest || other == largest;
    }
    g_assert_cmpint(ends, >=, 10);
  }
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/strata/text", test_text);
  g_test_add_func("/strata/bad_text", test_bad_text);
  g_test_add_func("/strata/shares", test_shares);
  g_test_add_func("/strata/seeds", test_seeds);
  g_test_add_func("/strata/sizes", test_sizes);
  g_test_add_func("/strata/programs", test_programs);
  g_test_add_func("/strata/normal", test_normal);
  g_test_add_func("/strata/integers_saturate", test_integers_saturate);
  g_test_add_func("/strata/extremes", test_extremes);
  g_test_add_func("/strata/marks", test_marks);
  g_test_add_func("/strata/shares_of_ops", test_shares_of_ops);
  return g_test_run();
}
