/* SPDX-License-Identifier: Apache-2.0 */
/* The op rows of byteir.repeat, byteir.non_zero, tf.DynamicPartition, tf.DynamicStitch and
 * tf.Select; and what they give, element by element, against loops that share no code with the
 * oracle. */
#include "oracles/ops/data_dependent/data_dependent.h"
#include "tests/gen/valid_case.h"
#include "tests/ops/op_checks.h"
#include "tests/ops/oracle_checks.h"

static const draw_limits_t limits = {.rank_max = 4, .elements_max = 200, .terms_max = 64};

#define I8 "!quant.uniform<i8:f32,0x1p-1:3>"

static const violation_row_t repeat_rows[] = {
    {"byteir.repeat f32[2,3] i64[2] -> f32[5,3]", NULL},
    {"byteir.repeat f32[0,3] i32[0] -> f32[0,3]", NULL},
    {"byteir.repeat f32[2] -> f32[2]", "count"},
    {"byteir.repeat f32[2,3] i64[2] -> f32[5,2]", "result"},
    {"byteir.repeat f32[2] i64[2] -> f16[2]", "result"},
    {"byteir.repeat f32[] i64[1] -> f32[1]", "result"},
    {"byteir.repeat f32[2] i64[3] -> f32[2]", "times"},
    {"byteir.repeat f32[2] i8[2] -> f32[2]", "times"},
    {"byteir.repeat f32[2] i64[2,1] -> f32[2]", "times"},
    {"byteir.repeat f32[0] i64[0] -> f32[1]", "rows"},
    {"byteir.repeat " I8 "[2] i64[2] -> " I8 "[2]", "types"},
};

static const violation_row_t non_zero_rows[] = {
    {"byteir.non_zero f32[2,3] -> i64[4,2]", NULL},
    {"byteir.non_zero f32[] -> i32[1,0]", NULL},
    {"byteir.non_zero i1[0,2] -> i32[0,2]", NULL},
    {"byteir.non_zero f32[2] f32[2] -> i64[2,1]", "count"},
    {"byteir.non_zero f32[2,3] -> i64[4,1]", "result"},
    {"byteir.non_zero f32[2,3] -> i64[7,2]", "result"},
    {"byteir.non_zero f32[2,3] -> i8[4,2]", "result"},
    {"byteir.non_zero f32[2,3] -> i64[4]", "result"},
    {"byteir.non_zero complex<f32>[2] -> i64[1,1]", "types"},
    {"byteir.non_zero f8E8M0FNU[2] -> i64[2,1]", "types"},
};

/* Of integers of any shape that the data's begins with TensorFlow knows more than is modelled. */
#define PARTITION(count) "tf.DynamicPartition num_partitions=" count " "
static const violation_row_t partition_rows[] = {
    {PARTITION("2") "f32[3,2] i32[3] -> f32[1,2] f32[2,2]", NULL},
    {PARTITION("1") "i4[0] i32[0] -> i4[0]", NULL},
    {PARTITION("2") "f32[3] i32[3] -> f32[3]", "count"},
    {PARTITION("0") "f32[3] i32[3] -> f32[3]", "count"},
    {PARTITION("1") "f32[3] i64[3] -> f32[3]", "partitions"},
    {PARTITION("1") "f32[3] i32[2] -> f32[3]", "partitions"},
    {PARTITION("1") "f32[3] i32[3,1] -> f32[3]", "partitions"},
    {PARTITION("2") "f32[3] i32[3] -> f32[1] f32[1]", "rows"},
    {PARTITION("1") "f32[3,2] i32[3] -> f32[3]", "rows"},
    {PARTITION("1") "f32[3,2] i32[3,2] -> f32[3,2]", "rows"},
    {PARTITION("1") "f32[3,2] i32[3,2] -> f32[6]", "list"},
    {PARTITION("1") "f32[3] i32[] -> f32[1,3]", "list"},
    {PARTITION("1") I8 "[2] i32[2] -> " I8 "[2]", "types"},
};

static const violation_row_t stitch_rows[] = {
    {"tf.DynamicStitch i32[2] i32[1] f32[2,3] f32[1,3] -> f32[2,3]", NULL},
    {"tf.DynamicStitch i32[0] f32[0] -> f32[0]", NULL},
    {"tf.DynamicStitch i32[2] i32[1] f32[2] -> f32[2]", "count"},
    {"tf.DynamicStitch i64[2] f32[2] -> f32[2]", "indices"},
    {"tf.DynamicStitch i32[2] f32[3] -> f32[2]", "indices"},
    {"tf.DynamicStitch i32[2] f32[2,3] -> f32[2]", "result"},
    {"tf.DynamicStitch i32[2] f32[2] -> f16[2]", "result"},
    {"tf.DynamicStitch i32[2] i32[1] f32[2,3] f32[1,2] -> f32[3,3]", "result"},
    {"tf.DynamicStitch i32[2,2] f32[2,2] -> f32[4]", "lists"},
    {"tf.DynamicStitch i32[] i32[1] f32[] f32[1] -> f32[2]", "lists"},
    {"tf.DynamicStitch i32[2] f32[2] -> f32[3]", "rows"},
    {"tf.DynamicStitch i32[2] " I8 "[2] -> " I8 "[2]", "types"},
};

static const violation_row_t select_rows[] = {
    {"tf.Select i1[] f32[2,3] f32[2,3] -> f32[2,3]", NULL},
    {"tf.Select i1[2] f32[2,3] f32[2,3] -> f32[2,3]", NULL},
    {"tf.Select i1[2,3] f32[2,3] f32[2,3] -> f32[2,3]", NULL},
    {"tf.Select i1[] f32[2] -> f32[2]", "count"},
    {"tf.Select i1[] f32[2] f16[2] -> f32[2]", "types"},
    {"tf.Select i1[] f32[2] f32[3] -> f32[2]", "types"},
    {"tf.Select i8[2] f32[2] f32[2] -> f32[2]", "condition"},
    {"tf.Select i1[3] f32[2,3] f32[2,3] -> f32[2,3]", "condition"},
    {"tf.Select i1[] " I8 "[2] " I8 "[2] -> " I8 "[2]", "quantized"},
};

/* ---- By loops -------------------------------------------------------------------------------- */

/* What the results are, element by element. */
typedef void naive_t(const case_t *instance, tensor_t *results);

static void copy(const tensor_t *from, size_t at, const tensor_t *to, size_t place) {
  const element_t *element = from->type.element;
  for (size_t part = 0; part < element->components; part++) {
    uint64_t bits = element_load(element, from->data, at * element->components + part);
    element_store(element, to->data, place * element->components + part, bits);
  }
}

static size_t row_of(const type_t *type) {
  size_t row = 1;
  for (uint32_t dim = 1; dim < type->rank; dim++) row *= (size_t)type->dims[dim];
  return row;
}

static void copy_row(const tensor_t *from, size_t at, const tensor_t *to, size_t place) {
  size_t row = row_of(&from->type);
  for (size_t i = 0; i < row; i++) copy(from, at * row + i, to, place * row + i);
}

static size_t integer_at(const tensor_t *list, size_t at) {
  return (size_t)element_load(list->type.element, list->data, at);
}

static void naive_repeat(const case_t *instance, tensor_t *results) {
  const tensor_t *data = &instance->operands[0], *times = &instance->operands[1];
  size_t next = 0;
  for (size_t row = 0; row < (size_t)data->type.dims[0]; row++) {
    for (size_t i = integer_at(times, row); i > 0; i--) copy_row(data, row, &results[0], next++);
  }
}

static void naive_non_zero(const case_t *instance, tensor_t *results) {
  const tensor_t *data = &instance->operands[0], *result = &results[0];
  const element_t *element = data->type.element;
  size_t next = 0;
  for (size_t i = 0; i < type_element_count(&data->type); i++) {
    uint64_t bits = element_load(element, data->data, i);
    bool is_zero =
        element->format == NULL ? bits == 0 : format_to_double(element->format, bits) == 0;
    if (is_zero) continue;
    size_t left = i;
    for (uint32_t dim = data->type.rank; dim-- > 0; left /= (size_t)data->type.dims[dim]) {
      element_store(result->type.element, result->data, next * data->type.rank + dim,
                    left % (size_t)data->type.dims[dim]);
    }
    next++;
  }
}

static void naive_partition(const case_t *instance, tensor_t *results) {
  const tensor_t *data = &instance->operands[0], *labels = &instance->operands[1];
  for (uint32_t r = 0; r < instance->program.result_count; r++) {
    size_t next = 0;
    for (size_t row = 0; row < (size_t)data->type.dims[0]; row++) {
      if (integer_at(labels, row) == r) copy_row(data, row, &results[r], next++);
    }
  }
}

static void naive_stitch(const case_t *instance, tensor_t *results) {
  uint32_t lists = instance->program.operand_count / 2;
  for (uint32_t i = 0; i < lists; i++) {
    const tensor_t *indices = &instance->operands[i];
    for (size_t k = 0; k < type_element_count(&indices->type); k++) {
      copy_row(&instance->operands[lists + i], k, &results[0], integer_at(indices, k));
    }
  }
}

static void naive_select(const case_t *instance, tensor_t *results) {
  const tensor_t *condition = &instance->operands[0];
  size_t count = type_element_count(&results[0].type);
  size_t entries = type_element_count(&condition->type);
  for (size_t i = 0; i < count; i++) { /* One entry for all, for each row, or for each element. */
    size_t entry = i / (count / entries);
    copy(&instance->operands[integer_at(condition, entry) != 0 ? 1 : 2], i, &results[0], i);
  }
}

static const struct op_case {
  const char *name;
  const violation_row_t *rows;
  size_t row_count;
  naive_t *naive;
} op_cases[] = {
    {"byteir.repeat", repeat_rows, G_N_ELEMENTS(repeat_rows), naive_repeat},
    {"byteir.non_zero", non_zero_rows, G_N_ELEMENTS(non_zero_rows), naive_non_zero},
    {"tf.DynamicPartition", partition_rows, G_N_ELEMENTS(partition_rows), naive_partition},
    {"tf.DynamicStitch", stitch_rows, G_N_ELEMENTS(stitch_rows), naive_stitch},
    {"tf.Select", select_rows, G_N_ELEMENTS(select_rows), naive_select},
};

static void count_program(const program_t *program, arena_t *arena, void *state) {
  (void)program;
  (void)arena;
  (*(size_t *)state)++;
}

static void test_row(gconstpointer data) {
  const struct op_case *row = data;
  const op_t *op = check_find_op(row->name);
  check_violations(op, row->rows, row->row_count, NULL);
  size_t drawn = 0;
  check_drawn(op, &limits, 500, count_program, &drawn);
  g_assert_cmpuint(drawn, ==, 500);
  check_hostile(row->rows, row->row_count, 2000);
}

/* Types of programs are ones that can be read again: where a size is 0 the others still count. */
static void test_large(gconstpointer data) {
  const struct op_case *row = data;
  const op_t *op = check_find_op(row->name);
  draw_limits_t large = {.rank_max = 8, .elements_max = 1 << 20, .terms_max = 1 << 14};
  rng_t rng = rng_make(5);
  arena_t arena;
  arena_init(&arena);
  for (int i = 0; i < 40000; i++) {
    program_t program;
    failure_t error = {.text = ""};
    large.sizes = (draw_sizes_t)(i % (DRAW_SIZES_FILLING + 1));
    op->draw(&rng, &large, &arena, &program);
    for (uint32_t k = 0; k < program.result_count; k++) {
      (void)type_check(&program.results[k], &error);
    }
    g_assert_cmpstr(error.text, ==, "");
    arena_reset(&arena);
  }
  arena_deinit(&arena);
}

/* Right results conform, on both sides; one that differs in a component does not. */
static void check_case(const case_t *instance, naive_t *naive, rng_t *rng, arena_t *arena) {
  const contract_t contract = contract_backend();
  question_t question;
  g_assert_cmpint(question_make(instance, &contract, arena, &question), ==, STATUS_OK);
  tensor_t results[CASE_RESULTS_MAX];
  for (uint32_t r = 0; r < instance->program.result_count; r++) {
    results[r] = tensor_make(arena, &instance->program.results[r]);
  }
  naive(instance, results);
  g_assert_true(question_conforms(&question, results, NULL));
  uint32_t r = (uint32_t)rng_below(rng, instance->program.result_count);
  const element_t *element = results[r].type.element;
  size_t count = type_component_count(&results[r].type);
  if (count == 0) return;
  size_t component = (size_t)rng_below(rng, count);
  uint64_t bits = element_load(element, results[r].data, component);
  bool is_nan = element->format != NULL && format_is_nan(element->format, bits);
  if (is_nan) return;
  uint64_t other = (bits ^ 1) & element_mask(element);
  element_store(element, results[r].data, component, other);
  g_assert_false(question_conforms(&question, results, NULL));
}

static void test_naive(gconstpointer data) {
  enum { CASES = 600 };
  const struct op_case *row = data;
  const op_t *op = check_find_op(row->name);
  rng_t rng = rng_make(17);
  arena_t arena;
  arena_init(&arena);
  for (int i = 0; i < CASES; i++) {
    case_t instance = draw_valid_case(&rng, op, limits.elements_max, &arena);
    check_case(&instance, row->naive, &rng, &arena);
    arena_reset(&arena);
  }
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(op_cases); i++) {
    g_autofree char *path = g_strdup_printf("/data_dependent/row/%s", op_cases[i].name);
    g_test_add_data_func(path, &op_cases[i], test_row);
    g_autofree char *large = g_strdup_printf("/data_dependent/large/%s", op_cases[i].name);
    g_test_add_data_func(large, &op_cases[i], test_large);
    g_autofree char *naive = g_strdup_printf("/data_dependent/naive/%s", op_cases[i].name);
    g_test_add_data_func(naive, &op_cases[i], test_naive);
  }
  return g_test_run();
}
