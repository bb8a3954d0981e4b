/* SPDX-License-Identifier: Apache-2.0 */
/* shrink_case() under predicates whose smallest case is known, or that are as good as random. */
#include "harness/gen/gen.h"
#include "harness/shrink/shrink.h"
#include "tests/campaign/examples.h"

enum { CASES = 30 /* Of each op. */ };

/* What a predicate was asked, and what it has to see. */
typedef struct witness {
  bool (*holds)(const case_t *candidate);
  const char *broken; /* Of all candidates. */
  const char *label;
  uint32_t calls;
  uint32_t fails_at; /* Call that fails; 0: none. */
  GHashTable *programs;
  shrink_measure_t last; /* Of the case accepted last. */
} witness_t;

static char *line_of(const case_t *instance) {
  GString *line = g_string_new(NULL);
  case_print(instance, line);
  return g_string_free(line, FALSE);
}

static char *label_of(const program_t *program) {
  GString *label = g_string_new(program->op->name);
  g_string_append_c(label, ' ');
  program->op->print_algorithm(program, label);
  g_string_append_c(label, ' ');
  program_print_types(program, label);
  return g_string_free(label, FALSE);
}

static status_t still(void *context, const case_t *candidate, bool *out_holds, failure_t *error) {
  witness_t *witness = (witness_t *)context;
  if (++witness->calls == witness->fails_at) {
    return status_fail(error, STATUS_IO, "as planned");
  }
  const program_t *program = &candidate->program;
  g_assert_cmpstr(program_broken_id(program), ==, witness->broken);
  g_autofree char *label = label_of(program);
  g_assert_cmpstr(label, ==, witness->label);
  GString *line = g_string_new(NULL);
  program_print(program, line);
  g_hash_table_add(witness->programs, g_string_free(line, FALSE));
  shrink_measure_t measure = shrink_measure(candidate, witness->broken != NULL);
  bool is_first = witness->calls == 1;
  g_assert_true(is_first || shrink_measure_compare(&measure, &witness->last) < 0);
  *out_holds = witness->holds(candidate);
  return STATUS_OK;
}

static void note_accepted(void *context, const case_t *best, const shrink_report_t *report) {
  witness_t *witness = (witness_t *)context;
  g_assert_true(witness->holds(best));
  g_assert_cmpint(shrink_measure_compare(&report->after, &witness->last), <, 0);
  witness->last = report->after;
}

typedef struct run {
  case_t shrunk;
  shrink_report_t report;
  status_t status;
  failure_t error;
  uint32_t programs; /* That the predicate saw. */
  uint32_t calls;
} run_t;

static run_t run_limited(bool (*holds)(const case_t *), const case_t *start, uint32_t calls_max,
                         uint32_t programs_max, uint32_t fails_at, arena_t *arena) {
  bool is_broken = program_broken_id(&start->program) != NULL;
  g_autofree char *label = label_of(&start->program);
  witness_t witness = {.holds = holds,
                       .broken = program_broken_id(&start->program),
                       .label = label,
                       .fails_at = fails_at,
                       .programs = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
                       .last = shrink_measure(start, is_broken)};
  const shrink_options_t options = {.still = still,
                                    .context = &witness,
                                    .calls_max = calls_max,
                                    .program_changes_max = programs_max,
                                    .seed = 1,
                                    .on_accepted = note_accepted,
                                    .hook_context = &witness};
  run_t run = {.status = STATUS_OK};
  run.status = shrink_case(&options, start, arena, &run.shrunk, &run.report, &run.error);
  run.programs = g_hash_table_size(witness.programs);
  run.calls = witness.calls;
  g_assert_cmpuint(run.report.calls, ==, run.calls);
  g_hash_table_destroy(witness.programs);
  return run;
}

static run_t run_fully(bool (*holds)(const case_t *), const case_t *start, arena_t *arena) {
  return run_limited(holds, start, 100000, UINT32_MAX, 0, arena);
}

static case_t parse(const char *line, arena_t *arena) {
  case_t instance;
  const char *broken;
  failure_t error = {0};
  if (case_parse(str_from(line), arena, &instance, &broken, &error) != STATUS_OK) {
    g_error("%s (column %zu)", error.text, error.column);
  }
  return instance;
}

/* ---- Known smallest cases -------------------------------------------------------------------- */

static size_t count_nonzero(const tensor_t *tensor) {
  size_t count = 0;
  for (size_t i = 0; i < type_component_count(&tensor->type); i++) {
    count += element_load(tensor->type.element, tensor->data, i) != 0;
  }
  return count;
}

static bool holds_always(const case_t *candidate) {
  (void)candidate;
  return true;
}

static bool has_three_nonzeros(const case_t *candidate) {
  return count_nonzero(&candidate->operands[0]) >= 3;
}

static bool has_nan(const case_t *candidate) {
  const tensor_t *tensor = &candidate->operands[0];
  for (size_t i = 0; i < type_component_count(&tensor->type); i++) {
    uint64_t bits = element_load(tensor->type.element, tensor->data, i);
    if (format_is_nan(tensor->type.element->format, bits)) return true;
  }
  return false;
}

static bool has_five_terms(const case_t *candidate) {
  axes_t axes;
  g_assert_true(axes_of(&candidate->program, &axes));
  int64_t terms = 1;
  for (uint32_t i = 0; i < axes.count; i++) {
    if (axes.items[i].role == AXIS_TERM) terms *= axes.items[i].size;
  }
  return terms >= 5;
}

/* More than 2, and not the power of two above it. */
static bool is_above_two(const case_t *candidate) {
  const tensor_t *tensor = &candidate->operands[0];
  const format_t *format = tensor->type.element->format;
  uint64_t bits = element_load(tensor->type.element, tensor->data, 0);
  return format_to_double(format, bits) > 2 && format_to_double(format, bits) < 4;
}

static bool keeps_four_columns(const case_t *candidate) {
  const type_t *type = &candidate->program.operands[0];
  return type->rank > 0 && type->dims[type->rank - 1] >= 4;
}

/* A kernel whose first dimensions are a window as high as it is wide. */
static bool has_square_window(const case_t *candidate) {
  const type_t *kernel = &candidate->program.operands[1];
  return kernel->rank >= 2 && kernel->dims[0] == kernel->dims[1] && kernel->dims[0] >= 2;
}

typedef struct known {
  bool (*holds)(const case_t *candidate);
  const char *start;
  const char *smallest;
} known_t;

static const char matrices[] =
    "stablehlo.dot_general batch=[]x[] contract=[1,2]x[0,1] f32[2,3,2] f32[3,2,2] -> f32[2,2] : "
    "3f8ccccd400ccccd40533333408ccccd40b0000040d3333340f66666410ccccd411e6666413000004141999a"
    "41533333 : 3f8ccccd400ccccd40533333408ccccd40b0000040d3333340f66666410ccccd411e666641300000"
    "4141999a41533333";
static const char products[] =
    "stablehlo.reduce body=multiply dims=[1] f16[3,4] f16[] -> f16[3] : "
    "3c003c013c023c033c043c053c067e013c083c093c0a3c0b : 4200";

static const known_t known_cases[] = {
    {holds_always, matrices,
     "stablehlo.dot_general batch=[]x[] contract=[]x[] f32[] f32[] -> f32[] : 00000000 : 00000000"},
    {has_five_terms, matrices,
     "stablehlo.dot_general batch=[]x[] contract=[0]x[0] f32[5] f32[5] -> f32[] : "
     "0000000000000000000000000000000000000000 : 0000000000000000000000000000000000000000"},
    {has_nan, products,
     "stablehlo.reduce body=multiply dims=[] f16[] f16[] -> f16[] : 7e00 : 3c00"},
    {has_three_nonzeros, products,
     "stablehlo.reduce body=multiply dims=[0] f16[3] f16[] -> f16[] : 3c003c003c00 : 3c00"},
    {is_above_two, "byteir.erf f32[3] -> f32[3] : 403243f6c0490fdb00000000",
     "byteir.erf f32[] -> f32[] : 40400000"},
    {keeps_four_columns,
     "byteir.top_k k=3 axis=[1] sorted=true f32[2,6] -> f32[2,3] i32[2,3] : "
     "3f8ccccd400ccccd40533333408ccccd40b0000040d3333340f66666410ccccd411e6666413000004141999a"
     "41533333",
     "byteir.top_k k=1 axis=[0] sorted=true f32[4] -> f32[1] i32[1] : "
     "00000000000000000000000000000000"},
    {holds_always,
     "byteir.quantize axis=1 f32[2,3] f32[3] ui8[3] -> ui8[2,3] : "
     "3f8000003f8000003f8000003f8000003f8000003f800000 : 3f8000003f8000003f800000 : 010203",
     "byteir.quantize axis=0 f32[1] f32[1] ui8[1] -> ui8[1] : 00000000 : 00000000 : 00"},
    {holds_always,
     "byteir.l2_norm epsilon=0x1.4p-10 axis=[-1,0] eps_outside_sqrt=true f32[2,1,2] -> f32[2,1,2] "
     ": 3f8ccccd400ccccd40533333408ccccd",
     "byteir.l2_norm epsilon=0x0p+0 axis=[] eps_outside_sqrt=true f32[] -> f32[] : 00000000"},
    {holds_always,
     "byteir.arg_max axis=-1 keep_dims=true select_last_index=true f32[2,2] -> i64[2,1] : "
     "3f8ccccd400ccccd40533333408ccccd",
     "byteir.arg_max axis=0 keep_dims=false select_last_index=true f32[1] -> i64[] : 00000000"},
    {holds_always,
     "byteir.one_hot depth=3 axis=1 on_value=3f800000 off_value=40000000 i32[2] -> f32[2,3] : "
     "0000000100000002",
     "byteir.one_hot depth=1 axis=0 on_value=00000000 off_value=00000000 i32[] -> f32[1] : "
     "00000000"},
    /* Channels with features, and both sides of the window with their padding. */
    {has_square_window,
     "stablehlo.convolution window_strides=[1,1] padding=[[1,1],[2,0]] lhs_dilation=[1,1] "
     "rhs_dilation=[1,1] window_reversal=[false,true] dimension_numbers=[b,0,1,f]x[0,1,i,o]->"
     "[b,0,1,f] feature_group_count=2 batch_group_count=1 i8[1,1,1,4] i8[3,3,2,2] -> i8[1,1,1,2] "
     ": 01020304 : 010203040506070809010203040506070809010203040506070809010203040506070809",
     "stablehlo.convolution window_strides=[1,1] padding=[[0,1],[1,0]] lhs_dilation=[1,1] "
     "rhs_dilation=[1,1] window_reversal=[false,false] dimension_numbers=[b,0,1,f]x[0,1,i,o]->"
     "[b,0,1,f] feature_group_count=1 batch_group_count=1 i8[1,1,1,1] i8[2,2,1,1] -> i8[1,1,1,1] "
     ": 00 : 00000000"},
};

static void test_known(void) {
  arena_t arena;
  arena_init(&arena);
  for (size_t i = 0; i < G_N_ELEMENTS(known_cases); i++) {
    const case_t start = parse(known_cases[i].start, &arena);
    run_t run = run_fully(known_cases[i].holds, &start, &arena);
    g_assert_true(run.report.is_reproduced);
    g_assert_true(run.report.is_complete);
    g_autofree char *line = line_of(&run.shrunk);
    g_assert_cmpstr(line, ==, known_cases[i].smallest);
  }
  arena_deinit(&arena);
}

/* ---- Any op ---------------------------------------------------------------------------------- */

static bool hash_says_so(const case_t *candidate) {
  g_autofree char *line = line_of(candidate);
  return digest_of(line, strlen(line)).low % 3 == 0;
}

static void check_twice(bool (*holds)(const case_t *), const case_t *start, arena_t *arena) {
  run_t once = run_fully(holds, start, arena);
  g_assert_true(once.report.is_reproduced);
  g_assert_true(once.report.is_complete);
  g_assert_true(holds(&once.shrunk));
  run_t twice = run_fully(holds, &once.shrunk, arena);
  g_assert_cmpuint(twice.report.accepted, ==, 0);
  g_autofree char *line = line_of(&once.shrunk);
  g_autofree char *again = line_of(&twice.shrunk);
  g_assert_cmpstr(again, ==, line);
  run_t repeated = run_fully(holds, start, arena);
  g_autofree char *same = line_of(&repeated.shrunk);
  g_assert_cmpstr(same, ==, line);
  g_assert_cmpuint(repeated.calls, ==, once.calls);
}

/* Valid programs, and those that break a constraint: `invalid_one_in` of 1 gives the latter. */
static void check_op(const op_t *op, uint32_t invalid_one_in, bool (*holds)(const case_t *)) {
  gen_options_t options = gen_options_default();
  options.limits = (draw_limits_t){.rank_max = 4, .elements_max = 64, .terms_max = 16};
  options.invalid_one_in = invalid_one_in;
  rng_t rng = rng_make(7);
  arena_t arena;
  arena_init(&arena);
  size_t checked = 0;
  for (int i = 0; i < 40 * CASES && checked < CASES; i++) {
    arena_reset(&arena);
    program_t program;
    const char *broken;
    gen_program(&rng, op, &options, &arena, &program, &broken);
    case_t start = case_make(&arena, &program);
    gen_data(&rng, &start);
    if ((broken != NULL) != (invalid_one_in == 1) || !holds(&start)) continue;
    check_twice(holds, &start, &arena);
    checked++;
  }
  g_test_message("%s: %zu cases", op->name, checked);
  g_assert_cmpuint(checked, >=, CASES / 2);
  arena_deinit(&arena);
}

static void test_every_op(void) {
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    check_op(*op, 0, holds_always);
    check_op(*op, 0, hash_says_so);
  }
}

static void test_broken_programs(void) {
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    check_op(*op, 1, holds_always);
    check_op(*op, 1, hash_says_so);
  }
}

/* ---- Limits ---------------------------------------------------------------------------------- */

static case_t draw_large(arena_t *arena) {
  gen_options_t options = gen_options_default();
  options.invalid_one_in = 0;
  rng_t rng = rng_make(11);
  program_t program;
  const char *broken;
  do {
    gen_program(&rng, example_op(EXAMPLE_PRODUCT), &options, arena, &program, &broken);
  } while (type_element_count(&program.operands[0]) < 100);
  case_t start = case_make(arena, &program);
  gen_data_in_regime(&rng, REGIME_uniform, &start);
  return start;
}

static bool has_ten_nonzeros(const case_t *candidate) {
  return count_nonzero(&candidate->operands[0]) >= 10;
}

static void test_calls(void) {
  arena_t arena;
  arena_init(&arena);
  case_t start = draw_large(&arena);
  run_t full = run_fully(has_ten_nonzeros, &start, &arena);
  g_assert_cmpuint(full.calls, >, 40);
  for (uint32_t calls = 1; calls <= full.calls; calls += 7) {
    run_t run = run_limited(has_ten_nonzeros, &start, calls, UINT32_MAX, 0, &arena);
    g_assert_cmpuint(run.calls, ==, calls);
    g_assert_false(run.report.is_complete);
    g_assert_true(has_ten_nonzeros(&run.shrunk));
  }
  run_t one_more = run_limited(has_ten_nonzeros, &start, full.calls + 1, UINT32_MAX, 0, &arena);
  g_assert_true(one_more.report.is_complete);
  g_assert_cmpuint(one_more.calls, ==, full.calls);
  arena_deinit(&arena);
}

static void test_programs(void) {
  arena_t arena;
  arena_init(&arena);
  case_t start = draw_large(&arena);
  run_t full = run_fully(has_ten_nonzeros, &start, &arena);
  g_assert_cmpuint(full.programs, ==, full.report.program_changes + 1);
  for (uint32_t programs = 0; programs < full.report.program_changes; programs += 3) {
    run_t run = run_limited(has_ten_nonzeros, &start, 100000, programs, 0, &arena);
    g_assert_cmpuint(run.programs, ==, programs + 1);
    g_assert_cmpuint(run.report.program_changes, ==, programs);
    g_assert_false(run.report.is_complete);
  }
  arena_deinit(&arena);
}

static void test_failure(void) {
  arena_t arena;
  arena_init(&arena);
  case_t start = draw_large(&arena);
  run_t run = run_limited(has_ten_nonzeros, &start, 1000, UINT32_MAX, 5, &arena);
  g_assert_cmpint(run.status, ==, STATUS_IO);
  g_assert_cmpstr(run.error.text, ==, "as planned");
  g_assert_cmpuint(run.calls, ==, 5);
  arena_deinit(&arena);
}

static bool holds_never(const case_t *candidate) {
  (void)candidate;
  return false;
}

static void test_not_reproduced(void) {
  arena_t arena;
  arena_init(&arena);
  case_t start = draw_large(&arena);
  run_t run = run_fully(holds_never, &start, &arena);
  g_assert_false(run.report.is_reproduced);
  g_assert_false(run.report.is_complete);
  g_assert_cmpuint(run.calls, ==, 1);
  g_autofree char *before = line_of(&start);
  g_autofree char *after = line_of(&run.shrunk);
  g_assert_cmpstr(after, ==, before);
  arena_deinit(&arena);
}

typedef struct stopper {
  volatile sig_atomic_t stop;
  int calls;
} stopper_t;

static status_t stop_at_third(void *context, const case_t *candidate, bool *out_holds,
                              failure_t *error) {
  (void)candidate;
  (void)error;
  stopper_t *stopper = (stopper_t *)context;
  if (++stopper->calls == 3) stopper->stop = 1;
  *out_holds = true;
  return STATUS_OK;
}

static void test_stop(void) {
  arena_t arena;
  arena_init(&arena);
  case_t start = draw_large(&arena);
  stopper_t stopper = {0};
  const shrink_options_t options = {.still = stop_at_third,
                                    .context = &stopper,
                                    .calls_max = 1000,
                                    .program_changes_max = UINT32_MAX,
                                    .stop = &stopper.stop};
  case_t shrunk;
  shrink_report_t report;
  g_assert_cmpint(shrink_case(&options, &start, &arena, &shrunk, &report, NULL), ==, STATUS_OK);
  g_assert_cmpuint(report.calls, ==, 3);
  g_assert_false(report.is_complete);
  arena_deinit(&arena);
}

/* ---- What values cost ------------------------------------------------------------------------ */

static void test_value_costs(void) {
  const element_t *f32 = element_named("f32");
  const uint64_t ascending[] = {0x00000000, 0x3f800000, 0xbf800000, 0x40000000,
                                0x40800000, 0x40400000, 0x40e00000, 0x3dcccccd};
  for (size_t i = 1; i < G_N_ELEMENTS(ascending); i++) {
    g_assert_cmpuint(shrink_value_cost(f32, ascending[i - 1]), <=,
                     shrink_value_cost(f32, ascending[i]));
  }
  g_assert_cmpuint(shrink_value_cost(f32, 0), ==, 0);
  g_assert_cmpuint(shrink_value_cost(f32, 0x7fc00000), <, shrink_value_cost(f32, 0x7fc00001));
  const element_t *i8 = element_named("i8");
  g_assert_cmpuint(shrink_value_cost(i8, 0), ==, 0);
  g_assert_cmpuint(shrink_value_cost(i8, 1), <, shrink_value_cost(i8, 0xff));
  g_assert_cmpuint(shrink_value_cost(i8, 0xff), <, shrink_value_cost(i8, 0x80));
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  g_test_add_func("/shrink_case/known", test_known);
  g_test_add_func("/shrink_case/every_op", test_every_op);
  g_test_add_func("/shrink_case/broken_programs", test_broken_programs);
  g_test_add_func("/shrink_case/calls", test_calls);
  g_test_add_func("/shrink_case/programs", test_programs);
  g_test_add_func("/shrink_case/failure", test_failure);
  g_test_add_func("/shrink_case/not_reproduced", test_not_reproduced);
  g_test_add_func("/shrink_case/stop", test_stop);
  g_test_add_func("/shrink_case/value_costs", test_value_costs);
  return g_test_run();
}
