/* SPDX-License-Identifier: Apache-2.0 */
/* simulate(): every body and every planted fault on a case worked by hand; and the hot path against
 * the general one on drawn cases. */
#include <string.h>

#include "generated/dot_general_faults.h"
#include "harness/base/rng.h"
#include "harness/model/op.h"
#include "oracles/ops/dot_general/models/simulate.h"
#include "oracles/ops/reduce/simulate.h"
#include "oracles/oracle.h"

static oracle_simulate_t *simulate_of(const program_t *program) {
  bool is_reduce = strcmp(program->op->name, "stablehlo.reduce") == 0;
  return is_reduce ? reduce_simulate : dot_general_simulate;
}

/* The results as the case line would spell them, separated by blanks. */
static char *simulate_text(const case_t *instance, const implementation_model_t *schedule,
                           arena_t *arena) {
  enum { POISON = 0x11 };
  const program_t *program = &instance->program;
  tensor_t results[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < program->result_count; i++) {
    results[i] = tensor_make(arena, &program->results[i]);
    memset(results[i].data, POISON, type_bytes(&program->results[i]));
  }
  failure_t error = {0};
  const oracle_call_t call = {.instance = instance, .arena = arena, .error = &error};
  status_t status = simulate_of(program)(&call, schedule, results);
  if (status != STATUS_OK) return g_strdup(error.text);
  GString *text = g_string_new(NULL);
  for (uint32_t i = 0; i < program->result_count; i++) {
    const element_t *element = results[i].type.element;
    if (i > 0) g_string_append_c(text, ' ');
    for (size_t j = 0; j < type_component_count(&results[i].type); j++) {
      g_string_append_printf(text, "%0*" G_GINT64_MODIFIER "x", (element->bits + 3) / 4,
                             element_load(element, results[i].data, j));
    }
  }
  return g_string_free(text, FALSE);
}

static void parse_case(const char *line, arena_t *arena, case_t *out_instance) {
  failure_t error = {0};
  status_t status = case_parse(str_from(line), arena, out_instance, NULL, &error);
  if (status != STATUS_OK) g_test_message("%s\n%s", line, error.text);
  g_assert_cmpint(status, ==, STATUS_OK);
}

#define REDUCE "stablehlo.reduce body="
/* 1, 38 zeros and another term. */
#define ZEROS_2 "0000000000000000"
#define ZEROS_19 ZEROS_2 ZEROS_2 ZEROS_2 ZEROS_2 ZEROS_2 ZEROS_2 ZEROS_2 ZEROS_2 ZEROS_2 "00000000"
#define FORTY(term) \
  REDUCE "add dims=[0] f32[40] f32[] -> f32[] : 3f800000" ZEROS_19 ZEROS_19 term " : 00000000"
#define MATRIX "stablehlo.dot_general batch=[]x[] contract=[1]x[0] "
#define INNER "stablehlo.dot_general batch=[]x[] contract=[0]x[0] "
#define OUTER "stablehlo.dot_general batch=[]x[] contract=[]x[] "
#define BATCHED "stablehlo.dot_general batch=[0]x[0] contract=[1]x[1] "

static const struct {
  const char *line;
  const char *results;
} body_rows[] = {
    {REDUCE "add dims=[0] f32[3] f32[] -> f32[] : 3f8000004000000040800000 : 00000000", "40e00000"},
    {REDUCE "add dims=[0] f32[0] f32[] -> f32[] : - : 40800000", "40800000"},
    {REDUCE "add dims=[1] f32[2,2] f32[] -> f32[2] : 3f800000400000004040000040800000 : 3f800000",
     "4080000041000000"},
    {REDUCE "add dims=[0] f32[2,2] f32[] -> f32[2] : 3f800000400000004040000040800000 : 3f800000",
     "40a0000040e00000"},
    {REDUCE "add dims=[0] bf16[2] bf16[] -> f32[] : 3f803b80 : 0000", "3f808000"},
    {REDUCE "add dims=[0] bf16[1] bf16[] -> f16[] : 3f80 : 0000",
     "no oracle for bf16 accumulated in f16, which does not hold all its values"},
    {REDUCE "add dims=[0] i8[2] i8[] -> i8[] : 6464 : 00", "c8"},
    {REDUCE "add dims=[0] i8[2] i8[] -> i32[] : ffff : 00", "fffffffe"},
    {REDUCE "add dims=[0] ui4[3] ui4[] -> ui4[] : 999 : 0", "b"},
    {REDUCE "add dims=[0] i1[2] i1[] -> i1[] : 11 : 0", "1"},
    {REDUCE "multiply dims=[0] i1[2] i1[] -> i1[] : 10 : 1", "0"},
    {REDUCE "multiply dims=[0] ui4[2] ui4[] -> ui4[] : 55 : 1", "9"},
    {REDUCE "multiply dims=[0] f16[2] f16[] -> f16[] : 42004400 : 3c00", "4a00"},
    {REDUCE "multiply dims=[0] complex<f32>[1] complex<f32>[] -> complex<f32>[]"
            " : 3f80000040000000 : 4040000040800000",
     "c0a0000041200000"},
    {REDUCE "add dims=[0] complex<f32>[1] complex<f32>[] -> complex<f32>[]"
            " : 3f80000040000000 : 4040000040800000",
     "4080000040c00000"},
    {REDUCE "maximum dims=[0] f32[2] f32[] -> f32[] : 8000000000000000 : ff800000", "00000000"},
    {REDUCE "maximum dims=[0] f32[2] f32[] -> f32[] : 7fc0000000000000 : ff800000", "7fc00000"},
    {REDUCE "minimum dims=[0] f32[2] f32[] -> f32[] : 0000000080000000 : 7f800000", "80000000"},
    {REDUCE "minimum dims=[0] i8[2] i8[] -> i8[] : ff01 : 7f", "ff"},
    {REDUCE "minimum dims=[0] ui8[2] ui8[] -> ui8[] : ff01 : ff", "01"},
    {REDUCE "maximum dims=[0] i8[2] i8[] -> i8[] : ff01 : 80", "01"},
    {REDUCE "and dims=[0] ui8[2] ui8[] -> ui8[] : fc3f : ff", "3c"},
    {REDUCE "or dims=[0] ui8[2] ui8[] -> ui8[] : 0130 : 00", "31"},
    {REDUCE "xor dims=[0] ui8[2] ui8[] -> ui8[] : ff0f : 00", "f0"},
    {REDUCE "argmax dims=[0] f32[3] i8[3] f32[] i8[] -> f32[] i8[]"
            " : 3f8000004040000040400000 : 000102 : ff800000 : 7f",
     "40400000 01"},
    {REDUCE "argmax dims=[0] f32[3] i8[3] f32[] i8[] -> f32[] i8[]"
            " : 3f8000007fc0000040400000 : 000102 : ff800000 : 7f",
     "7fc00000 01"},
    {REDUCE "argmin dims=[0] i8[3] ui8[3] i8[] ui8[] -> i8[] ui8[] : 01ffff : 0001ff : 7f : 00",
     "ff 01"},
    {REDUCE "sum_count dims=[0] f32[2] i32[2] f32[] i32[] -> f32[] i32[]"
            " : 3f80000040000000 : 0000000100000001 : 00000000 : 00000000",
     "40400000 00000002"},
    {MATRIX "f32[2,2] f32[2,2] -> f32[2,2] : 3f800000400000004040000040800000"
            " : 40a0000040c0000040e0000041000000",
     "4198000041b00000422c000042480000"},
    {OUTER "f32[2] f32[2] -> f32[2,2] : 3f80000040000000 : 4040000040800000",
     "404000004080000040c0000041000000"},
    {INNER "complex<f32>[1] complex<f32>[1] -> complex<f32>[] : 3f80000040000000"
           " : 4040000040800000",
     "c0a0000041200000"},
    {INNER "i8[2] i8[2] -> i32[] : 8080 : 80ff", "00004080"},
    {INNER "i1[2] i1[2] -> i1[] : 10 : 11", "1"},
    {INNER "f32[0] f32[0] -> f32[] : - : -", "00000000"},
    {REDUCE "add dims=[0] f8E8M0FNU[1] f8E8M0FNU[] -> f8E8M0FNU[] : 7f : 7f",
     "f8E8M0FNU has no zero: the meaning of its sums is not defined"},
};

static void test_bodies(void) {
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(body_rows); i++) {
    case_t instance;
    parse_case(body_rows[i].line, &arena, &instance);
    /* Sequential twice: on the hot path, and as one block on the general one. */
    implementation_model_t schedules[] = {
        schedule_plain(),
        {.order.kind = SUM_BLOCKS, .order.width = 1000, .init_count = 1},
        {.order.kind = SUM_REVERSE, .init_count = 1}};
    for (size_t j = 0; j < G_N_ELEMENTS(schedules); j++) {
      char *results = simulate_text(&instance, &schedules[j], &arena);
      if (strcmp(results, body_rows[i].results) != 0) g_test_message("%s", body_rows[i].line);
      g_assert_cmpstr(results, ==, body_rows[i].results);
      g_free(results);
    }
    arena_reset(&arena);
  }
  arena_deinit(&arena);
}

#define ADD3 REDUCE "add dims=[0] f32[3] f32[] -> f32[] : 3f8000004000000040800000 : 00000000"
#define NINE REDUCE "add dims=[0] i8[9] i8[] -> i8[] : 010203040506070809 : 00"
#define SMALL_SUM REDUCE "add dims=[0] f32[2] f32[] -> f32[] : 3f80000033c00000 : 00000000"
#define TINY REDUCE "add dims=[0] f32[1] f32[] -> f32[] : 00000001 : 00000000"
#define WITH_NAN REDUCE "add dims=[0] f32[2] f32[] -> f32[] : 3f8000007fc00000 : 00000000"
#define SQUARES_LINE                                                 \
  MATRIX                                                             \
  "f32[2,2] f32[2,2] -> f32[2,2] : 3f800000400000004040000040800000" \
  " : 40a0000040c0000040e0000041000000"
#define BF16_X3 INNER "algorithm=[bf16,bf16,f32,1,1,3,false] f32[1] f32[1] -> f32[] : "
#define TWO_BATCHES BATCHED "i8[2,1] i8[2,1] -> i8[2] : 0203 : 0507"
#define FOUR_ROWS REDUCE "add dims=[1] i8[4,1] i8[] -> i8[4] : 01020304 : 00"
#define TIE                                                                         \
  REDUCE                                                                            \
  "argmax dims=[0] f32[2] i8[2] f32[] i8[] -> f32[] i8[] : 3f8000003f800000 : 0001" \
  " : ff800000 : 7f"

/* What each fault makes of a case; without it the result must be another. */
static const struct {
  fault_t fault;
  const char *line;
  const char *results;
} fault_rows[] = {
    {FAULT_drop_last_term, ADD3, "40400000"},
    {FAULT_lost_update, ADD3, "40400000"},
    {FAULT_drop_first_term, ADD3, "40c00000"},
    {FAULT_drop_tail, NINE, "24"},
    {FAULT_repeat_last_term, ADD3, "41300000"},
    {FAULT_neighbour_term, ADD3, "41000000"},
    {FAULT_narrow_accumulator, SMALL_SUM, "3f800000"},
    {FAULT_narrow_operands, REDUCE "add dims=[0] f32[1] f32[] -> f32[] : 3f800001 : 00000000",
     "3f800000"},
    {FAULT_narrow_result, REDUCE "add dims=[0] f32[1] f32[] -> f32[] : 3f800001 : 00000000",
     "3f800000"},
    /* One unit in the last place of 1 is 2^-23: three fourths of it, two of it. */
    {FAULT_long_sums_truncated, FORTY("33c00000"), "3f800000"},
    {FAULT_long_sums_aligned, FORTY("33c00000"), "3f800000"},
    {FAULT_long_sums_short, FORTY("34800000"), "3f800000"},
    {FAULT_long_sums_carried_short, FORTY("34800000"), "3f800000"},
    {FAULT_truncate_additions, SMALL_SUM, "3f800000"},
    {FAULT_truncate_products, INNER "f32[1] f32[1] -> f32[] : 3f800003 : 3fa00000", "3fa00003"},
    {FAULT_truncate_result, SMALL_SUM, "3f800000"},
    {FAULT_flush_inputs, TINY, "00000000"},
    {FAULT_flush_outputs, TINY, "00000000"},
    {FAULT_drop_nan, WITH_NAN, "3f800000"},
    {FAULT_nan_as_infinity, WITH_NAN, "7f800000"},
    {FAULT_infinity_as_largest, REDUCE "add dims=[0] f32[1] f32[] -> f32[] : ff800000 : 00000000",
     "ff7fffff"},
    {FAULT_lose_negative_zero, REDUCE "add dims=[0] f32[1] f32[] -> f32[] : 80000000 : 80000000",
     "00000000"},
    {FAULT_negate_zero, REDUCE "add dims=[0] f32[1] f32[] -> f32[] : 00000000 : 00000000",
     "80000000"},
    {FAULT_equal_zeros,
     REDUCE "maximum dims=[0] f32[2] f32[] -> f32[] : 8000000000000000 : ff800000", "80000000"},
    {FAULT_skip_zero_operands, INNER "f32[1] f32[1] -> f32[] : 00000000 : 7f800000", "00000000"},
    {FAULT_init_twice, REDUCE "add dims=[0] i8[1] i8[] -> i8[] : 01 : 03", "07"},
    {FAULT_init_never, REDUCE "add dims=[0] i8[1] i8[] -> i8[] : 01 : 03", "01"},
    {FAULT_init_never, REDUCE "add dims=[0] i8[0] i8[] -> i8[] : - : 03", "00"},
    {FAULT_accumulate_into_result, NINE, "3e"},
    {FAULT_wrap_narrow_integers, NINE, "fd"},
    {FAULT_saturate_pairs, INNER "i8[3] i8[3] -> i32[] : 808001 : 808001", "00008000"},
    {FAULT_unsigned_as_signed, REDUCE "add dims=[0] ui8[1] ui8[] -> ui16[] : ff : 00", "ffff"},
    {FAULT_transpose_rhs, SQUARES_LINE, "4188000041b80000421c000042540000"},
    {FAULT_batch_offset, TWO_BATCHES, "0a0f"},
    {FAULT_last_row_stale, FOUR_ROWS, "01020303"},
    {FAULT_unwritten_tail, FOUR_ROWS, "01020311"},
    {FAULT_wrong_tie, TIE, "3f800000 01"},
    {FAULT_conjugate_lhs,
     INNER "complex<f32>[1] complex<f32>[1] -> complex<f32>[] : 3f80000040000000"
           " : 4040000040800000",
     "41300000c0000000"},
    {FAULT_off_by_one_ulp,
     REDUCE "add dims=[] f16[7] f16[] -> f16[7] : 3c003c003c003c003c003c003c00 : 0000",
     "3c003c003c003c003c003c003c01"},
    {FAULT_lose_cross_product, BF16_X3 "3f804000 : 3f804000", "3f804000"},
    {FAULT_repeat_cross_product, BF16_X3 "3f804000 : 3f804000", "3f80c000"},
    {FAULT_keep_low_nan, BF16_X3 "7f800000 : 3f800000", "7fc00000"},
    /* 1 + 2^-11 is not of f16. */
    {FAULT_products_narrow, INNER "f32[1] f32[1] -> f32[] : 3f801000 : 3f800000", "3f800000"},
    {FAULT_opposite_infinities_cancel,
     REDUCE "add dims=[0] f32[3] f32[] -> f32[] : 7f800000ff8000003f800000 : 00000000", "3f800000"},
    {FAULT_partial_sums_clamped, REDUCE "add dims=[0] f16[3] f16[] -> f16[] : 7bff7bff7bff : 0000",
     "7bff"},
    {FAULT_padding_of_zeros, REDUCE "maximum dims=[0] i8[9] i8[] -> i8[] : ffffffffffffffffff : 80",
     "00"},
    {FAULT_extremum_from_finite,
     REDUCE "maximum dims=[0] f32[1] f32[] -> f32[] : ff800000 : ff800000", "ff7fffff"},
    {FAULT_maximum_from_smallest,
     REDUCE "maximum dims=[0] f32[1] f32[] -> f32[] : bf800000 : ff800000", "00800000"},
    {FAULT_extremum_of_32_bits,
     REDUCE "minimum dims=[0] i64[1] i64[] -> i64[] : 0000000100000000 : 7fffffffffffffff",
     "000000007fffffff"},
    {FAULT_extremum_by_patterns,
     REDUCE "minimum dims=[0] f32[2] f32[] -> f32[] : bf800000c0000000"
            " : 7f800000",
     "bf800000"},
    {FAULT_extremum_by_magnitude,
     REDUCE "maximum dims=[0] f32[2] f32[] -> f32[] : 3f800000c0000000"
            " : 00000000",
     "c0000000"},
    {FAULT_extremum_by_comparison,
     REDUCE "maximum dims=[0] f32[2] f32[] -> f32[] : 7fc000003f800000 : ff800000", "3f800000"},
    {FAULT_integer_sums_saturate, REDUCE "add dims=[0] i8[2] i8[] -> i8[] : 7f01 : 00", "7f"},
    {FAULT_boolean_sums_exclusive, REDUCE "add dims=[0] i1[2] i1[] -> i1[] : 11 : 0", "0"},
    {FAULT_indexed_nan_ignored,
     REDUCE "argmax dims=[0] f32[2] i8[2] f32[] i8[] -> f32[] i8[] : 7fc000003f800000 : 0001"
            " : ff800000 : 7f",
     "3f800000 01"},
    {FAULT_indexed_ties_ignored,
     REDUCE "argmax dims=[0] f32[2] i8[2] f32[] i8[] -> f32[] i8[] : 3f8000003f800000 : 0100"
            " : ff800000 : 7f",
     "3f800000 01"},
};

/* Sums of so many equal terms from 0, which is the first term, and what each fault makes of them.
 */
static const struct {
  fault_t fault;
  const char *type;
  const char *term;
  size_t count;
  const char *result;
} sum_rows[] = {
    {FAULT_blocks_tail_lost, "i32", "00000001", 40, "00000020"},
    {FAULT_last_block_lost, "i32", "00000001", 100, "00000040"},
    {FAULT_half_warps_lost, "i32", "00000001", 40, "00000018"},
    {FAULT_odd_halves_lost, "i32", "00000001", 6, "00000004"},
    {FAULT_terms_of_one_block, "i32", "00000001", 2000, "00000400"},
    {FAULT_term_count_of_8_bits, "i32", "00000001", 300, "0000002c"},
    {FAULT_term_count_of_16_bits, "i32", "00000001", 65600, "00000040"},
    {FAULT_last_tile_overlaps, "i32", "00000001", 40, "00000030"},
    {FAULT_boundary_twice, "i32", "00000001", 100, "00000065"},
    {FAULT_block_sums_narrow, "f32", "3f800100", 32, "42000000"},
    {FAULT_accumulator_spilled, "f32", "3f800100", 130, "43020000"},
};

static void check_fault(fault_t fault, const char *line, const char *results, bool is_tested[]) {
  arena_t arena;
  arena_init(&arena);
  case_t instance;
  parse_case(line, &arena, &instance);
  implementation_model_t schedule = schedule_plain();
  g_autofree char *right = simulate_text(&instance, &schedule, &arena);
  schedule.fault = fault;
  g_autofree char *wrong = simulate_text(&instance, &schedule, &arena);
  if (strcmp(wrong, results) != 0) g_test_message("%s: %.200s", fault_name(fault), line);
  g_assert_cmpstr(wrong, ==, results);
  g_assert_cmpstr(wrong, !=, right);
  if (fault < FAULTS_OF_NO_FOLDER_END) is_tested[fault] = true;
  arena_deinit(&arena);
}

/* Faults of one folder of oracles are seen in its own tests and as canaries; some have a row too.
 * Those of addresses are planted around any executor, and seen as canaries.  Those of programs that
 * are compiled for any size need several runs: tests/cli/modules/dynamic.t. */
static void test_faults(void) {
  bool is_tested[FAULTS_OF_NO_FOLDER_END] = {
      [FAULT_NONE] = true, [FAULT_first_size_kept] = true, [FAULT_former_size_padded] = true};
#define ADDRESSING(name, tensor, map, more_than, block, summary) is_tested[FAULT_##name] = true;
#include "harness/model/faults/addressing.def"
#undef ADDRESSING
  for (size_t i = 0; i < G_N_ELEMENTS(fault_rows); i++) {
    check_fault(fault_rows[i].fault, fault_rows[i].line, fault_rows[i].results, is_tested);
  }
  for (size_t i = 0; i < G_N_ELEMENTS(sum_rows); i++) {
    const char *type = sum_rows[i].type;
    GString *line = g_string_new(NULL);
    g_string_printf(line, REDUCE "add dims=[0] %s[%zu] %s[] -> %s[] : ", type, sum_rows[i].count,
                    type, type);
    for (size_t k = 0; k < sum_rows[i].count; k++) g_string_append(line, sum_rows[i].term);
    g_string_append_printf(line, " : %0*d", (int)strlen(sum_rows[i].term), 0);
    check_fault(sum_rows[i].fault, line->str, sum_rows[i].result, is_tested);
    g_string_free(line, TRUE);
  }
  for (int i = 0; i < FAULTS_OF_NO_FOLDER_END; i++) {
    if (!is_tested[i]) g_test_message("no row for %s", fault_name(i));
    g_assert_true(is_tested[i]);
  }
}

static void fill_operands(rng_t *rng, case_t *instance) {
  for (uint32_t i = 0; i < instance->program.operand_count; i++) {
    const tensor_t *operand = &instance->operands[i];
    const element_t *element = operand->type.element;
    for (size_t j = 0; j < type_component_count(&operand->type); j++) {
      uint64_t bits = rng_bits(rng) & element_mask(element);
      if (element->format != NULL && !rng_one_in(rng, 8)) { /* Mostly of like size. */
        double value = (double)rng_between(rng, -1000, 1000) / 1024;
        bits = format_from_double(element->format, value);
      }
      element_store(element, operand->data, j, bits);
    }
  }
}

/* One block of any width is a sequential sum, but not on the hot path. */
static void test_hot_path(gconstpointer data) {
  const op_t *op = op_find(str_from(data));
  draw_limits_t limits = {.rank_max = 4, .elements_max = 300, .terms_max = 60};
  rng_t rng = rng_make(3);
  arena_t arena;
  arena_init(&arena);
  size_t wide = 0;
  for (int draw = 0; draw < 3000; draw++) {
    program_t program;
    op->draw(&rng, &limits, &arena, &program);
    case_t instance = case_make(&arena, &program);
    fill_operands(&rng, &instance);
    implementation_model_t hot = {.init_count = (uint32_t)rng_below(&rng, 4),
                                  .fused = rng_one_in(&rng, 2)};
    implementation_model_t general = hot;
    general.order.kind = SUM_BLOCKS;
    general.order.width = 1u << 16;
    char *expected = simulate_text(&instance, &general, &arena);
    char *got = simulate_text(&instance, &hot, &arena);
    g_assert_cmpstr(got, ==, expected);
    wide += program.results[0].element->bits >= 32 && program.results[0].element->format != NULL;
    g_free(expected);
    g_free(got);
    arena_reset(&arena);
  }
  g_assert_cmpuint(wide, >, 100);
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/simulate/bodies", test_bodies);
  g_test_add_func("/simulate/faults", test_faults);
  g_test_add_data_func("/simulate/hot_path/reduce", "stablehlo.reduce", test_hot_path);
  g_test_add_data_func("/simulate/hot_path/dot_general", "stablehlo.dot_general", test_hot_path);
  return g_test_run();
}
