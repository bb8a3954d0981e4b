#include "oracles/ops/dot_general/dot_general_accept.h"

#include <string.h>

#include "harness/model/promotion.h"
#include "oracles/exact/exact_matmul.h"
#include "oracles/exact/quick_sums.h"
#include "oracles/exact/sum_question.h"
#include "oracles/ops/dot_general/dot_general.h"
#include "oracles/ops/dot_general/dot_general_gather.h"
#include "oracles/ops/dot_general/dot_general_simulate.h"
#include "oracles/sequential.h"

/* One operand as a dense matrix of f32 or, where its format is f64, of f64: every other format's
 * numbers are f32 numbers. */
typedef struct matrix {
  bool is_f64;
  void *data;
} matrix_t;

static matrix_t matrix_make(const format_t *format, size_t count, arena_t *arena) {
  bool is_f64 = format->bits == 64;
  size_t bytes = is_f64 ? sizeof(double) : sizeof(float);
  return (matrix_t){.is_f64 = is_f64, .data = arena_alloc_array(arena, count, bytes)};
}

static void matrix_store(const matrix_t *matrix, size_t index, double value) {
  if (matrix->is_f64) {
    ((double *)matrix->data)[index] = value;
  } else {
    ((float *)matrix->data)[index] = (float)value;
  }
}

/* Component `component` of the operand, with the sign that its place in a complex product has. */
static void copy_component(const matrix_t *matrix, size_t index, const tensor_t *tensor,
                           size_t component, bool negate) {
  const element_t *element = tensor->type.element;
  double value = format_to_double(element->format, element_load(element, tensor->data, component));
  matrix_store(matrix, index, negate ? -value : value);
}

static bool offsets_are_contiguous(const size_t *offset, size_t count) {
  for (size_t i = 1; i < count; i++) {
    if (offset[i] != offset[i - 1] + 1) return false;
  }
  return true;
}

/* Real operands whose elements are f32 or f64 already: `width` elements that lie in a row, or not.
 */
static void copy_plain(const matrix_t *matrix, size_t index, const tensor_t *tensor, size_t base,
                       const size_t *offset, size_t width) {
  size_t bytes = matrix->is_f64 ? sizeof(double) : sizeof(float);
  uint8_t *out = (uint8_t *)matrix->data + index * bytes;
  if (width == 0) return;
  if (offsets_are_contiguous(offset, width)) {
    memcpy(out, tensor->data + (base + offset[0]) * bytes, width * bytes);
    return;
  }
  for (size_t i = 0; i < width; i++) {
    memcpy(out + i * bytes, tensor->data + (base + offset[i]) * bytes, bytes);
  }
}

/* [rows][terms * parts]; a complex row holds (re, -im) for the real part, (re, im) else. */
static matrix_t gather_lhs(const case_t *instance, const dot_general_layout_t *layout, size_t batch,
                           int part, arena_t *arena) {
  const tensor_t *lhs = &instance->operands[DOT_GENERAL_LHS];
  const element_t *element = lhs->type.element;
  size_t width = layout->term_count * element->components;
  matrix_t matrix = matrix_make(element->format, layout->row_count * width, arena);
  for (size_t row = 0; row < layout->row_count; row++) {
    size_t base = layout->lhs_batch_offset[batch] + layout->lhs_row_offset[row];
    if (element->components == 1 && element->format->bits >= 32) {
      copy_plain(&matrix, row * width, lhs, base, layout->lhs_term_offset, layout->term_count);
      continue;
    }
    for (size_t i = 0; i < width; i++) {
      size_t term = i / element->components, imaginary = i % element->components;
      size_t component = (base + layout->lhs_term_offset[term]) * element->components + imaginary;
      copy_component(&matrix, row * width + i, lhs, component, imaginary == 1 && part == 0);
    }
  }
  return matrix;
}

/* [terms * parts][columns]; a complex term's rows are (re, im) for the real part, (im, re) else. */
static matrix_t gather_rhs(const case_t *instance, const dot_general_layout_t *layout, size_t batch,
                           int part, arena_t *arena) {
  const tensor_t *rhs = &instance->operands[DOT_GENERAL_RHS];
  const element_t *element = rhs->type.element;
  size_t height = layout->term_count * element->components, width = layout->column_count;
  matrix_t matrix = matrix_make(element->format, height * width, arena);
  for (size_t i = 0; i < height; i++) {
    size_t term = i / element->components;
    size_t base = layout->rhs_batch_offset[batch] + layout->rhs_term_offset[term];
    if (element->components == 1 && element->format->bits >= 32) {
      copy_plain(&matrix, i * width, rhs, base, layout->rhs_column_offset, width);
      continue;
    }
    size_t which = (i + (size_t)part) % element->components;
    for (size_t column = 0; column < width; column++) {
      size_t index = base + layout->rhs_column_offset[column];
      copy_component(&matrix, i * width + column, rhs, index * element->components + which, false);
    }
  }
  return matrix;
}

/* Where the parts of complex results go: kernels write dense matrices, results interleave. */
typedef struct quick_arrays {
  double *reference;
  double *tail; /* NULL unless the result is f64. */
  double *magnitude;
  uint8_t *ask;
  uint8_t *special;
  bool *has_special;
  int *lowest_bit;
  bool *may_be_exact;
} quick_arrays_t;

static quick_arrays_t quick_arrays_make(size_t count, bool with_tail, bool *has_special,
                                        bool *may_be_exact, arena_t *arena) {
  return (quick_arrays_t){
      .reference = ARENA_NEW_ARRAY(arena, double, count),
      .tail = with_tail ? ARENA_NEW_ARRAY(arena, double, count) : NULL,
      .magnitude = ARENA_NEW_ARRAY(arena, double, count),
      .ask = arena_alloc(arena, count),
      .special = arena_alloc_zeroed(arena, count),
      .has_special = has_special,
      .lowest_bit = ARENA_NEW_ARRAY(arena, int, count),
      .may_be_exact = may_be_exact,
  };
}

static double matrix_load(const matrix_t *matrix, size_t index) {
  return matrix->is_f64 ? ((const double *)matrix->data)[index]
                        : (double)((const float *)matrix->data)[index];
}

/* Looks at the terms of components that may be something else than finite. */
static void find_specials(const exact_matmul_t *matmul, const matrix_t *lhs, const matrix_t *rhs,
                          const case_t *instance, const contract_t *contract, uint8_t *out_special,
                          bool *has_special) {
  const element_t *element = instance->program.results[0].element;
  for (size_t i = 0; i < matmul->m * matmul->n; i++) {
    if (!special_sum_is_needed(element->format, matmul->uncertified[i], matmul->magnitude[i])) {
      continue;
    }
    special_sum_t sum = {0};
    for (size_t term = 0; term < matmul->k; term++) {
      special_sum_take(&sum, matrix_load(lhs, i / matmul->n * matmul->k + term),
                       matrix_load(rhs, term * matmul->n + i % matmul->n));
    }
    out_special[i] = special_sum_flags(&sum, element->format, contract, element->components == 2);
    *has_special = true;
  }
}

/* The least exponent of a lowest set bit among `count` factors of one row or column; of the first
 * nonzero one only, which is no less, with `first_only`. */
static int least_lowest_bit(const matrix_t *matrix, size_t start, size_t stride, size_t count,
                            bool first_only) {
  int least = BINARY64_NO_BIT;
  for (size_t i = 0; i < count && !(first_only && least != BINARY64_NO_BIT); i++) {
    double value = matrix_load(matrix, start + i * stride);
    int bit = isfinite(value) ? binary64_lowest_bit(value) : BINARY64_NO_BIT;
    least = bit < least ? bit : least;
  }
  return least;
}

/* Per output, from the factors of its row and column. */
static void find_lowest_bits(const exact_matmul_t *matmul, const matrix_t *lhs, const matrix_t *rhs,
                             bool first_only, arena_t *arena, int *out_lowest_bit) {
  int *of_column = ARENA_NEW_ARRAY(arena, int, matmul->n);
  for (size_t j = 0; j < matmul->n; j++) {
    of_column[j] = least_lowest_bit(rhs, j, matmul->n, matmul->k, first_only);
  }
  for (size_t i = 0; i < matmul->m; i++) {
    int of_row = least_lowest_bit(lhs, i * matmul->k, 1, matmul->k, first_only);
    for (size_t j = 0; j < matmul->n; j++) {
      out_lowest_bit[i * matmul->n + j] = of_row + of_column[j];
    }
  }
}

static bool any_may_be_exact(const exact_matmul_t *matmul, const format_t *format,
                             const int *lowest_bit) {
  bool any = false;
  for (size_t i = 0; i < matmul->m * matmul->n; i++) {
    any |= quick_sums_may_be_exact(format, matmul->magnitude[i], lowest_bit[i]);
  }
  return any;
}

static void multiply(const case_t *instance, const dot_general_layout_t *layout,
                     const contract_t *contract, size_t batch, int part, const quick_arrays_t *out,
                     size_t out_offset, arena_t *arena) {
  matrix_t lhs = gather_lhs(instance, layout, batch, part, arena);
  matrix_t rhs = gather_rhs(instance, layout, batch, part, arena);
  const element_t *element = instance->program.operands[DOT_GENERAL_LHS].element;
  exact_matmul_t matmul = {
      .m = layout->row_count,
      .n = layout->column_count,
      .k = layout->term_count * element->components,
      .reference = out->reference + out_offset,
      .reference_tail = out->tail == NULL ? NULL : out->tail + out_offset,
      .magnitude = out->magnitude + out_offset,
      .uncertified = out->ask + out_offset,
  };
  if (lhs.is_f64) {
    exact_matmul_f64(&matmul, lhs.data, rhs.data, arena);
  } else {
    exact_matmul_f32(&matmul, lhs.data, rhs.data, arena);
  }
  find_specials(&matmul, &lhs, &rhs, instance, contract, out->special + out_offset,
                out->has_special);
  const format_t *format = instance->program.results[0].element->format;
  int *lowest_bit = out->lowest_bit + out_offset;
  find_lowest_bits(&matmul, &lhs, &rhs, true, arena, lowest_bit);
  if (!any_may_be_exact(&matmul, format, lowest_bit)) return;
  find_lowest_bits(&matmul, &lhs, &rhs, false, arena, lowest_bit);
  *out->may_be_exact = true;
}

static void interleave(const quick_arrays_t *out, const quick_arrays_t *part_arrays, size_t count,
                       size_t out_offset, size_t part) {
  for (size_t i = 0; i < count; i++) {
    size_t to = out_offset + 2 * i + part;
    out->reference[to] = part_arrays->reference[i];
    if (out->tail != NULL) out->tail[to] = part_arrays->tail[i];
    out->magnitude[to] = part_arrays->magnitude[i];
    out->ask[to] = part_arrays->ask[i];
    out->special[to] = part_arrays->special[i];
    out->lowest_bit[to] = part_arrays->lowest_bit[i];
  }
  memset(part_arrays->special, 0, count);
}

static accept_t accept_floats(const case_t *instance, const dot_general_layout_t *layout,
                              const contract_t *contract, arena_t *arena) {
  const element_t *from = instance->program.operands[DOT_GENERAL_LHS].element;
  const format_t *format = instance->program.results[0].element->format;
  size_t matrix = layout->row_count * layout->column_count, parts = from->components;
  size_t count = layout->batch_count * matrix * parts;
  bool with_tail = format->bits == 64, has_special = false, may_be_exact = false;
  quick_arrays_t arrays = quick_arrays_make(count, with_tail, &has_special, &may_be_exact, arena);
  quick_arrays_t part_arrays =
      parts == 1 ? arrays
                 : quick_arrays_make(matrix, with_tail, &has_special, &may_be_exact, arena);
  for (size_t batch = 0; batch < layout->batch_count; batch++) {
    for (size_t part = 0; part < parts; part++) {
      arena_mark_t mark = arena_mark(arena);
      size_t offset = parts == 1 ? batch * matrix : 0;
      multiply(instance, layout, contract, batch, (int)part, &part_arrays, offset, arena);
      if (parts == 2) interleave(&arrays, &part_arrays, matrix, batch * matrix * 2, part);
      arena_rewind(arena, mark);
    }
  }
  quick_sums_t sums = {
      .accept = {.count = count,
                 .reference = arrays.reference,
                 .reference_tail = arrays.tail,
                 .magnitude = arrays.magnitude},
      .ask = arrays.ask,
      .special = has_special ? arrays.special : NULL,
      .lowest_bit = may_be_exact ? arrays.lowest_bit : NULL,
      .shape = {.terms = layout->term_count * parts,
                .products_round = product_rounds(from->format, from->format, format),
                .products_underflow = product_underflows(from->format, from->format, format)},
      .is_complex_product = parts == 2,
  };
  return quick_sums_finish(&sums, format, contract, arena);
}

static accept_t accept_integers(const case_t *instance, const dot_general_layout_t *layout,
                                arena_t *arena) {
  size_t count = type_component_count(&instance->program.results[0]);
  uint64_t *bits = ARENA_NEW_ARRAY(arena, uint64_t, count);
  arena_mark_t mark = arena_mark(arena);
  for (size_t i = 0; i < count; i++) {
    dot_general_place_t place = dot_general_place(instance, layout, i);
    integer_question_t question = dot_general_integer_question(instance, layout, place, arena);
    bits[i] = integer_result(&question, 1);
    arena_rewind(arena, mark);
  }
  return (accept_t){.count = count, .bits = bits};
}

status_t dot_general_accept(const case_t *instance, const contract_t *contract, arena_t *arena,
                            accept_t out_accepts[CASE_RESULTS_MAX], failure_t *error) {
  const element_t *element = instance->program.results[0].element;
  const element_t *from = instance->program.operands[DOT_GENERAL_LHS].element;
  STATUS_TRY(element_require_exact_promotion(from, element, error));
  if (element->format != NULL && element->format->specials == FORMAT_EXPONENT_ONLY) {
    return status_fail(error, STATUS_UNSUPPORTED,
                       "no oracle for sums of %s, which has neither zero nor sign", element->name);
  }
  dot_general_layout_t layout = dot_general_layout_make(&instance->program, arena);
  out_accepts[0] = element->format != NULL ? accept_floats(instance, &layout, contract, arena)
                                           : accept_integers(instance, &layout, arena);
  /* Wrapped results are not permitted where integers must saturate: the careful side sorts that. */
  if (element_is_integer(element) && contract->integer_overflow == INTEGER_OVERFLOW_SATURATE) {
    out_accepts[0] = accept_ask_all(out_accepts[0].count, arena);
  }
  if (contract->order == ORDER_IN_ORDER && element->format != NULL) {
    return accept_sequential(instance, dot_general_simulate, arena, out_accepts, error);
  }
  return STATUS_OK;
}
