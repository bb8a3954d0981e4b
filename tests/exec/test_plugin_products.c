/* SPDX-License-Identifier: Apache-2.0 */
/* dot_general by the plugins that are built here, on data whose results are exact in every order,
 * in all the ways that operands can lie.  Which roundings they choose is for the oracle to judge.
 */
#include "tests/exec/plugin_checks.h"

enum { INDEX_MAX = TYPE_RANK_MAX };

/* The pattern of a small whole number. */
static uint64_t encode(const element_t *element, double value) {
  if (element->format == NULL) return (uint64_t)(int64_t)value & element_mask(element);
  if (element->bits == 64) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
  }
  float narrow = (float)value;
  uint32_t bits;
  memcpy(&bits, &narrow, sizeof bits);
  return element->bits == 16 ? bits >> 16 : bits; /* bf16 is the head of f32. */
}

/* Fills a tensor with numbers in -2..2 (0..4 if unsigned); `seed` makes tensors differ. */
static void fill(const tensor_t *tensor, uint64_t seed) {
  const element_t *element = tensor->type.element;
  rng_t rng = rng_make(seed);
  double least = element->kind == ELEMENT_UNSIGNED ? 0 : -2;
  for (size_t i = 0; i < type_component_count(&tensor->type); i++) {
    element_store(element, tensor->data, i, encode(element, least + (double)rng_below(&rng, 5)));
  }
}

/* ---- The naive dot_general: all pairs of elements; those that agree in the batch and contracting
 * dimensions contribute. */

typedef struct dims {
  int count;
  int64_t dims[INDEX_MAX];
} dims_t;

/* Reads "[0,1]" at *cursor and moves it behind. */
static dims_t read_dims(const char **cursor) {
  dims_t list = {0};
  g_assert_cmpint(**cursor, ==, '[');
  (*cursor)++;
  while (**cursor != ']') {
    if (**cursor == ',') (*cursor)++;
    char *end = NULL;
    list.dims[list.count++] = strtoll(*cursor, &end, 10);
    *cursor = end;
  }
  (*cursor)++;
  return list;
}

/* The pair of lists after `key` in a program line. */
static void read_pair(const char *line, const char *key, dims_t *out_lhs, dims_t *out_rhs) {
  const char *cursor = strstr(line, key);
  g_assert_nonnull(cursor);
  cursor += strlen(key);
  *out_lhs = read_dims(&cursor);
  cursor++;
  *out_rhs = read_dims(&cursor);
}

static void unravel(const type_t *type, size_t position, int64_t *out_index) {
  for (uint32_t d = type->rank; d-- > 0;) {
    out_index[d] = (int64_t)(position % (size_t)type->dims[d]);
    position /= (size_t)type->dims[d];
  }
}

static bool agrees(const dims_t *lhs, const int64_t *lhs_index, const dims_t *rhs,
                   const int64_t *rhs_index) {
  for (int i = 0; i < lhs->count; i++) {
    if (lhs_index[lhs->dims[i]] != rhs_index[rhs->dims[i]]) return false;
  }
  return true;
}

static bool is_listed(const dims_t *list, int64_t dim) {
  for (int i = 0; i < list->count; i++) {
    if (list->dims[i] == dim) return true;
  }
  return false;
}

/* Appends the coordinates that are in neither list to a row-major position. */
static size_t append_rest(size_t position, const type_t *type, const int64_t *index,
                          const dims_t *batch, const dims_t *contract) {
  for (int64_t d = 0; d < (int64_t)type->rank; d++) {
    if (is_listed(batch, d) || is_listed(contract, d)) continue;
    position = position * (size_t)type->dims[d] + (size_t)index[d];
  }
  return position;
}

typedef struct pairing {
  dims_t lhs_batch;
  dims_t rhs_batch;
  dims_t lhs_contract;
  dims_t rhs_contract;
} pairing_t;

static pairing_t read_pairing(const char *line) {
  pairing_t pairing;
  read_pair(line, " batch=", &pairing.lhs_batch, &pairing.rhs_batch);
  read_pair(line, " contract=", &pairing.lhs_contract, &pairing.rhs_contract);
  return pairing;
}

/* Where a pair of elements contributes; false if nowhere. */
static bool place_pair(const pairing_t *p, const type_t *lhs, size_t i, const type_t *rhs, size_t j,
                       size_t *out_position) {
  int64_t lhs_index[INDEX_MAX];
  int64_t rhs_index[INDEX_MAX];
  unravel(lhs, i, lhs_index);
  unravel(rhs, j, rhs_index);
  if (!agrees(&p->lhs_batch, lhs_index, &p->rhs_batch, rhs_index)) return false;
  if (!agrees(&p->lhs_contract, lhs_index, &p->rhs_contract, rhs_index)) return false;
  size_t position = 0;
  for (int d = 0; d < p->lhs_batch.count; d++) {
    int64_t dim = p->lhs_batch.dims[d];
    position = position * (size_t)lhs->dims[dim] + (size_t)lhs_index[dim];
  }
  position = append_rest(position, lhs, lhs_index, &p->lhs_batch, &p->lhs_contract);
  *out_position = append_rest(position, rhs, rhs_index, &p->rhs_batch, &p->rhs_contract);
  return true;
}

/* The expected components of the result, owned by the caller. */
static double *multiply_naively(const char *line, const tensor_t *lhs, const tensor_t *rhs,
                                const type_t *result) {
  pairing_t pairing = read_pairing(line);
  size_t parts = lhs->type.element->components;
  double *expected = g_new0(double, type_component_count(result) + 1);
  for (size_t i = 0; i < type_element_count(&lhs->type); i++) {
    for (size_t j = 0; j < type_element_count(&rhs->type); j++) {
      size_t position;
      if (!place_pair(&pairing, &lhs->type, i, &rhs->type, j, &position)) continue;
      if (parts == 1) {
        expected[position] += check_load(lhs, i) * check_load(rhs, j);
      } else {
        double a = check_load(lhs, 2 * i), b = check_load(lhs, 2 * i + 1);
        double c = check_load(rhs, 2 * j), d = check_load(rhs, 2 * j + 1);
        expected[2 * position] += a * c - b * d;
        expected[2 * position + 1] += a * d + b * c;
      }
    }
  }
  return expected;
}

/* ---- Products. */

/* Programs over element types A (operands) and R (result), in all the ways that operands can lie.
 */
static const char *const product_lines[] = {
    "stablehlo.dot_general batch=[]x[] contract=[1]x[0] A[3,4] A[4,5] -> R[3,5]",
    "stablehlo.dot_general batch=[]x[] contract=[0]x[0] A[4,3] A[4,5] -> R[3,5]",
    "stablehlo.dot_general batch=[]x[] contract=[1]x[1] A[3,4] A[5,4] -> R[3,5]",
    "stablehlo.dot_general batch=[]x[] contract=[0]x[1] A[4,3] A[5,4] -> R[3,5]",
    "stablehlo.dot_general batch=[]x[] contract=[0]x[0] A[7] A[7] -> R[]",
    "stablehlo.dot_general batch=[]x[] contract=[1]x[0] A[6,7] A[7] -> R[6]",
    "stablehlo.dot_general batch=[]x[] contract=[0]x[0] A[7] A[7,6] -> R[6]",
    "stablehlo.dot_general batch=[]x[] contract=[]x[] A[3] A[5] -> R[3,5]",
    "stablehlo.dot_general batch=[0]x[0] contract=[2]x[1] A[2,3,4] A[2,4,5] -> R[2,3,5]",
    "stablehlo.dot_general batch=[0]x[0] contract=[1]x[2] A[2,4,3] A[2,5,4] -> R[2,3,5]",
    "stablehlo.dot_general batch=[2]x[1] contract=[0]x[2] A[4,3,2] A[5,2,4] -> R[2,3,5]",
    "stablehlo.dot_general batch=[1,0]x[0,2] contract=[3]x[1] A[3,2,5,4] A[2,4,3] -> R[2,3,5]",
    "stablehlo.dot_general batch=[]x[] contract=[0,2]x[1,0] A[2,3,4] A[4,2,5] -> R[3,5]",
    "stablehlo.dot_general batch=[]x[] contract=[2,1]x[0,1] A[3,2,4] A[4,2,5] -> R[3,5]",
    "stablehlo.dot_general batch=[0]x[0] contract=[]x[] A[6] A[6] -> R[6]",
    "stablehlo.dot_general batch=[]x[] contract=[0]x[0] precision=[HIGH,HIGHEST] A[4] A[4] -> R[]",
    "stablehlo.dot_general batch=[]x[] contract=[1]x[0] A[0,4] A[4,5] -> R[0,5]",
    "stablehlo.dot_general batch=[]x[] contract=[1]x[0] A[3,0] A[0,5] -> R[3,5]",
    "stablehlo.dot_general batch=[]x[] contract=[1]x[0] A[33,70] A[70,35] -> R[33,35]",
};

typedef struct product_row {
  const char *executor;
  const char *operand;
  const char *result;
  bool refuses_empty; /* Operands without elements. */
  bool may_refuse;    /* Depends on the processor. */
} product_row_t;

static const product_row_t product_rows[] = {
    {"openblas", "f32", "f32", false, false},
    {"openblas", "f64", "f64", false, false},
    {"openblas", "complex<f32>", "complex<f32>", false, false},
    {"openblas", "complex<f64>", "complex<f64>", false, false},
    {"openblas?routine=gemv", "f32", "f32", true, false},
    {"openblas?routine=gemv", "f64", "f64", true, false},
    {"openblas?routine=gemv", "complex<f32>", "complex<f32>", true, false},
    {"openblas?routine=gemv", "complex<f64>", "complex<f64>", true, false},
    {"openblas?routine=dot", "f32", "f32", false, false},
    {"openblas?routine=dot", "f64", "f64", false, false},
    {"openblas?routine=dot", "complex<f32>", "complex<f32>", false, false},
    {"openblas?routine=dot", "complex<f64>", "complex<f64>", false, false},
    {"openblas?routine=dsdot", "f32", "f64", false, false},
    {"openblas?coretype=Haswell", "f32", "f32", false, false},
    {"openblas?threads=2", "f32", "f32", false, false},
    {"onednn", "f32", "f32", true, false},
    {"onednn", "bf16", "f32", true, true},
    {"onednn", "i8", "i32", true, true},
    {"onednn?isa=SSE41", "f32", "f32", true, false},
    {"onednn?isa=AVX2,threads=2", "f32", "f32", true, false},
};

static char *substitute(const char *line, const product_row_t *row) {
  char **parts = g_strsplit(line, " A[", -1);
  char *operand = g_strconcat(" ", row->operand, "[", NULL);
  char *joined = g_strjoinv(operand, parts);
  char **halves = g_strsplit(joined, " R[", 2);
  char *full = g_strconcat(halves[0], " ", row->result, "[", halves[1], NULL);
  g_strfreev(halves);
  g_free(joined);
  g_free(operand);
  g_strfreev(parts);
  return full;
}

static void check_product(executor_t *executor, const char *line, const product_row_t *row) {
  arena_t arena;
  arena_init(&arena);
  program_t program = check_parse_program(line, &arena);
  executor_program_t *compiled = NULL;
  char reason[256] = "";
  executor_outcome_t outcome =
      executor_compile(executor, &program, &compiled, reason, sizeof reason);
  executor_promise_t promise = executor_promises(executor, &program);
  g_assert_cmpint(promise, ==, outcome == EXECUTOR_OK ? EXECUTOR_PROMISE_YES : EXECUTOR_PROMISE_NO);
  bool is_empty = strstr(line, "[3,0]") != NULL || strstr(line, "[0,4]") != NULL;
  if (outcome == EXECUTOR_REFUSED && (row->may_refuse || (row->refuses_empty && is_empty))) {
    arena_deinit(&arena);
    return;
  }
  if (outcome != EXECUTOR_OK) g_error("%s: %s: %s", row->executor, line, reason);
  tensor_t operands[2];
  for (uint32_t i = 0; i < 2; i++) {
    operands[i] = tensor_make(&arena, &program.operands[i]);
    fill(&operands[i], i + 1);
  }
  tensor_t result = tensor_make(&arena, &program.results[0]);
  execution_t execution = executor_execute(executor, compiled, operands, POISON, &result);
  g_assert_cmpint(execution.outcome, ==, EXECUTOR_OK);
  g_assert_false(execution.wrote_out_of_bounds);
  g_assert_false(execution.changed_environment);
  g_assert_cmpstr(executor_implementation(executor, compiled), !=, "");
  double *expected = multiply_naively(line, &operands[0], &operands[1], &program.results[0]);
  for (size_t i = 0; i < type_component_count(&result.type); i++) {
    double got = check_load(&result, i);
    if (got != expected[i]) g_error("%s: component %zu is %g, not %g", line, i, got, expected[i]);
  }
  g_free(expected);
  arena_deinit(&arena);
}

static void test_products(gconstpointer data) {
  const product_row_t *row = data;
  executor_t *executor = check_open_plugin(row->executor);
  if (executor == NULL) return;
  for (size_t i = 0; i < G_N_ELEMENTS(product_lines); i++) {
    char *line = substitute(product_lines[i], row);
    check_product(executor, line, row);
    g_free(line);
  }
  executor_close(executor);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(product_rows); i++) {
    const product_row_t *row = &product_rows[i];
    char *path = g_strdup_printf("/plugin_products/%zu_%s_%s", i, row->executor, row->operand);
    g_test_add_data_func(path, row, test_products);
    g_free(path);
  }
  return g_test_run();
}
